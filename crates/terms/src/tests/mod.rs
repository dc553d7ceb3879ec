//! Tests of the constructors, the walks over terms and the reader.

use crate::smtlib::read_term;

mod normal_forms;
mod random;
mod reader;
mod scale;
