//! The SMT-LIB command interpreter.
