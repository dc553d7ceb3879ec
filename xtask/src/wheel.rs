//! `cargo xtask wheel`: the module for Python as a wheel in `target/wheels`, installed into an environment
//! of its own and tried there.
//!
//! Not part of continuous integration: the library is built once more for it.

use crate::experiment::{Scratch, succeed};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {}

/// Where wheels go.
const WHEELS: &str = "target/wheels";

pub fn run(_: Settings) -> Result<bool, String> {
    let folder = Scratch::new("wheel")?;
    let environment = folder.join("venv");
    let python = environment.join("bin/python");
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", "maturin>=1.7,<2"]))?;
    succeed(
        Command::new(environment.join("bin/maturin"))
            .args(["build", "--release", "--locked", "--manifest-path", "python/Cargo.toml"])
            .args(["--out", WHEELS])
            .env("CARGO_TARGET_DIR", std::path::absolute("target").map_err(|e| e.to_string())?),
    )?;
    let newest = wheels().into_iter().max_by_key(|(_, changed)| *changed);
    let (wheel, _) = newest.ok_or_else(|| format!("there is no wheel in {WHEELS}"))?;
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).arg(&wheel))?;
    let said = succeed(Command::new(&python).arg("python/tests/test_bolide.py"))?;
    print!("{}: {}", wheel.display(), String::from_utf8_lossy(&said));
    Ok(true)
}

fn wheels() -> Vec<(PathBuf, std::time::SystemTime)> {
    let entries = std::fs::read_dir(Path::new(WHEELS)).into_iter().flatten().flatten();
    let wheels = entries.filter(|e| e.path().extension().is_some_and(|e| e == "whl"));
    wheels.filter_map(|e| Some((e.path(), e.metadata().ok()?.modified().ok()?))).collect()
}
