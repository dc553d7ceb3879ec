//! Tests of the constructors, the walks over terms and the reader.

mod normal_forms;
mod random;
mod reader;
mod scale;
