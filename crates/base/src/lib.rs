//! Typed ids, arenas, exact rationals, source spans and budgets
