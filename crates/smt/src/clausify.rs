//! Clausal form.
