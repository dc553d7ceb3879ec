//! Models of satisfiable problems.
