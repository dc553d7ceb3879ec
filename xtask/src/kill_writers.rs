//! `cargo xtask kill-writers [--seconds N]`: two processes write one database of
//! proofs for a minute, one of them is killed at random moments.
//!
//! The work is done by the test `proofs::survival` of the command, which lasts a few
//! seconds otherwise; here it is built for release and given its time.

use crate::experiment::cargo;

#[derive(clap::Args)]
pub struct Settings {
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let status = cargo()
        .args(["test", "--release", "--quiet", "--package", "bolide", "--bin", "bolide"])
        .args(["proofs::survival::nothing", "--", "--nocapture"])
        .env("BOLIDE_TEST_SECONDS", settings.seconds.to_string())
        .status();
    Ok(status.map_err(|e| format!("cannot run cargo: {e}"))?.success())
}
