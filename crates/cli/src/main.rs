//! The command `bolide`.
fn main() {}
