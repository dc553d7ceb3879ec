//! Sorts, hash-consed terms, rewriting, evaluation, SMT-LIB
