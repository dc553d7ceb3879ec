//! Control-flow automata: programs the engines explore, and their interpreter
