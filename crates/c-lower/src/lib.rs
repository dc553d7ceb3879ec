//! From the C syntax tree to control-flow automata
