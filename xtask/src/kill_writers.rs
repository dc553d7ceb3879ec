//! `cargo xtask kill-writers [--seconds N]`: two processes write one database of
//! proofs for a minute, one of them is killed at random moments.
//!
//! The work is done by the test `proofs::survival` of the command, which lasts a few
//! seconds otherwise; here it is built for release and given its time.

use std::process::Command;

/// Runs the task; the exit code.
pub fn run(arguments: &[String]) -> i32 {
    let seconds = match arguments {
        [] => "60",
        [flag, seconds] if flag == "--seconds" && seconds.parse::<u64>().is_ok() => seconds,
        _ => {
            eprintln!("cargo xtask kill-writers [--seconds N]");
            return 2;
        }
    };
    let status = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["test", "--release", "--quiet", "--package", "bolide", "--bin", "bolide"])
        .args(["proofs::survival::nothing", "--", "--nocapture"])
        .env("BOLIDE_TEST_SECONDS", seconds)
        .status();
    match status {
        Ok(status) => i32::from(!status.success()),
        Err(error) => {
            eprintln!("kill-writers: cannot run cargo: {error}");
            2
        }
    }
}
