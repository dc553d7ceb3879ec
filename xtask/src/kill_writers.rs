//! `cargo xtask kill-writers [--seconds N] [--writers N] [--store folder|server]`: processes write one store of
//! proofs for a minute, one of them is killed at random moments.
//!
//! The work is done by the tests `proofs::survival` of the command, which last a few
//! seconds otherwise; here they are built for release and given their time. The server is
//! started by the test.

use crate::experiment::cargo;

#[derive(clap::Args)]
pub struct Settings {
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Processes that write at once
    #[arg(long, default_value_t = 16)]
    writers: u64,
    /// SQLite in a folder, or PostgreSQL on a server
    #[arg(long, default_value = "server", value_parser = ["folder", "server"])]
    store: String,
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let place = if settings.store == "folder" { "in_a_folder" } else { "on_a_server" };
    let status = cargo()
        .args(["test", "--release", "--quiet", "--package", "bolide", "--bin", "bolide"])
        .args([&format!("proofs::survival::nothing_{place}"), "--", "--nocapture"])
        .env("BOLIDE_TEST_SECONDS", settings.seconds.to_string())
        .env("BOLIDE_TEST_WRITERS", settings.writers.to_string())
        .status();
    Ok(status.map_err(|e| format!("cannot run cargo: {e}"))?.success())
}
