//! `cargo xtask archive`: the archive that the competition on software verification asks for, `target/dist/bolide.zip`.
//!
//! One folder with the static binary, licences, a README, and `smoketest.sh`, which the competition runs on the unpacked
//! archive. It is run here too: unpacked elsewhere, with an empty environment.

use crate::dist::{bill, build, copy, host, succeed};
use crate::experiment::{Scratch, root, write};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {}

/// What the smoke test verifies.
const SMOKE: [&str; 6] =
    ["count.c", "count.yml", "total.c", "total.yml", "unreach-call.prp", "no-overflow.prp"];

pub fn run(_: Settings) -> Result<bool, String> {
    let binary = build(&host()?)?;
    let scratch = Scratch::new("archive")?;
    let folder = scratch.join("bolide");
    std::fs::create_dir_all(folder.join("smoke")).map_err(|e| e.to_string())?;
    copy(&binary, &folder.join("bolide"))?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
        copy(&root().join(name), &folder.join(name))?;
    }
    copy(&root().join("packaging/archive/smoketest.sh"), &folder.join("smoketest.sh"))?;
    for name in SMOKE {
        copy(&root().join("tests/tasks").join(name), &folder.join("smoke").join(name))?;
    }
    write(&folder.join("THIRD-PARTY.txt"), &bill::read()?.licences()?)?;
    let archive = root().join("target/dist/bolide.zip");
    write(&archive, "")?;
    std::fs::remove_file(&archive).map_err(|e| e.to_string())?;
    let mut command = Command::new("zip");
    command.current_dir(scratch.join("")).args(["-q", "-X", "-r"]).arg(&archive).arg("bolide");
    succeed(&mut command)?;
    let there = scratch.join("unpacked");
    succeed(Command::new("unzip").arg("-q").arg(&archive).arg("-d").arg(&there))?;
    let mut test = Command::new(there.join("bolide/smoketest.sh"));
    succeed(test.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/"))?;
    println!("{}", archive.display());
    Ok(true)
}
