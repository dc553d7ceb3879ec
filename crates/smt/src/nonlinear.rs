//! Non-linear arithmetic by incremental linearisation.
