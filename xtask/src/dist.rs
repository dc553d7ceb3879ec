//! `cargo xtask dist`: all that a release consists of, in `target/dist`.
//!
//! | file | made by |
//! |---|---|
//! | `bolide-VERSION-ARCH-linux.tar.gz`, with its `.sha256` | this module: the binary, manual pages, completions, licences, bill of materials |
//! | `bolide_VERSION_ARCH.deb` | `dpkg-deb`, from the same tree |
//! | `Containerfile`, beside the binary it copies | `packaging/Containerfile` |
//! | `bolide-VERSION.cdx.json`, `THIRD-PARTY.txt` | [`bill`] |
//! | `bolide-VERSION.vsix` | `vsce`, where npm is there |
//!
//! The binary is linked statically against the C library of GNU, the one that everything is measured with. Only the
//! last link differs from `cargo build --release`, so nothing is built twice on the machine's own architecture. The other one of [`TARGETS`]
//! needs the standard library of Rust for it and a C compiler and linker; what is missing is said, with the command that brings it,
//! and is an error where that machine was asked for by name.
//! What is there already is made anew; times in archives are those of the last commit.

pub mod bill;

use self::bill::{TARGETS, output};
use crate::experiment::{cargo, root, write};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    /// For which machine; several times for several. Without it, this one, and the others of a release as far as their tools are there.
    #[arg(long)]
    target: Vec<String>,
    /// Without the extension of the editor.
    #[arg(long)]
    no_vsix: bool,
}

/// A release under way.
struct Release {
    version: String,
    /// As `uname -m` says it.
    machine: String,
    /// The time of the last commit, for archives that do not depend on when they are made.
    time: String,
    folder: PathBuf,
}

/// Nobody reads mail there: there is no public address yet.
const MAINTAINER: &str = "The Bolide developers <bolide@example.org>";

pub fn run(settings: Settings) -> Result<bool, String> {
    let host = host()?;
    // The pages and scripts of every machine are printed by the binary of this one.
    let own = build(&host)?;
    let time = output(Command::new("git").args(["log", "-1", "--format=%ct"]))?;
    let folder = root().join("target/dist");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut targets = settings.target.clone();
    if targets.is_empty() {
        targets.push(host.clone());
        for other in TARGETS.into_iter().filter(|&other| other != host) {
            match missing(other) {
                None => targets.push(other.to_owned()),
                Some(what) => println!("no binary for {other}: {what}"),
            }
        }
    }
    for target in targets {
        if let Some(what) = missing(&target).filter(|_| target != host) {
            return Err(format!("no binary for {target}: {what}"));
        }
        let binary = if target == host { own.clone() } else { build(&target)? };
        let machine = target.split('-').next().unwrap_or("").to_owned();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let release = Release { version, machine, time: time.clone(), folder: folder.clone() };
        let tree = release.tree(&binary, &own)?;
        release.archive(&tree)?;
        release.package(&tree)?;
        release.container(&binary)?;
    }
    if !settings.no_vsix {
        extension(&folder)?;
    }
    let mut made: Vec<_> = std::fs::read_dir(&folder)
        .map_err(|e| e.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    made.sort();
    for file in made {
        let bytes = std::fs::metadata(&file).map_or(0, |m| m.len());
        println!("{:>12}  {}", bytes, file.display());
    }
    Ok(true)
}

/// The C compiler of another machine, which also links.
fn compiler(target: &str) -> String {
    format!("{}-linux-gnu-gcc", target.split('-').next().unwrap_or(""))
}

/// What building for another machine lacks here, and the command that brings it.
fn missing(target: &str) -> Option<String> {
    let library =
        Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let library = library.map(|out| PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()));
    if !library.is_ok_and(|folder| folder.is_dir()) {
        return Some(format!(
            "Rust's standard library for it is missing (rustup target add {target})"
        ));
    }
    let compiler = compiler(target);
    if Command::new(&compiler).arg("--version").output().is_err() {
        let machine = compiler.trim_end_matches("-gcc").replace('_', "-");
        return Some(format!("{compiler} is missing (Debian: apt install gcc-{machine})"));
    }
    None
}

/// The machine that this runs on.
pub fn host() -> Result<String, String> {
    let about = output(Command::new("rustc").arg("-vV"))?;
    let line = about.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.ok_or("rustc does not say for which machine it is")?.to_owned())
}

/// The static binary, stripped.
pub fn build(target: &str) -> Result<PathBuf, String> {
    let mut command = cargo();
    command.current_dir(root()).args(["rustc", "--release", "--locked", "--package", "bolide"]);
    let mut folder = root().join("target");
    if target != host()? {
        command.args(["--target", target]);
        folder = folder.join(target);
        let linker = compiler(target);
        let name = target.replace('-', "_");
        command.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), &linker);
        command.env(format!("CC_{name}"), linker);
    }
    command.args(["--bin", "bolide", "--", "-C", "target-feature=+crt-static"]);
    // Cargo forgets `strip = true` of a profile for packages that have settings of their own in it.
    command.args(["-C", "strip=symbols"]);
    succeed(&mut command)?;
    let binary = folder.join("release/bolide");
    let kind = output(Command::new("file").arg("-b").arg(&binary))?;
    if !kind.contains("static") || kind.contains("not stripped") {
        return Err(format!("`{}` is not static, or not stripped: {kind}", binary.display()));
    }
    Ok(binary)
}

impl Release {
    fn name(&self) -> String {
        format!("bolide-{}-{}-linux", self.version, self.machine)
    }

    /// What is installed, below a folder that stands for `/usr`. `own` is a binary that runs here.
    fn tree(&self, binary: &Path, own: &Path) -> Result<PathBuf, String> {
        let tree = self.folder.join(self.name());
        let _ = std::fs::remove_dir_all(&tree);
        let folder = |name: &str| -> Result<PathBuf, String> {
            let path = tree.join(name);
            std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            Ok(path)
        };
        copy(binary, &folder("bin")?.join("bolide"))?;
        succeed(Command::new(own).arg("man").arg("--folder").arg(folder("share/man/man1")?))?;
        for (shell, place) in [
            ("bash", "share/bash-completion/completions/bolide"),
            ("zsh", "share/zsh/vendor-completions/_bolide"),
            ("fish", "share/fish/vendor_completions.d/bolide.fish"),
        ] {
            let script = output(Command::new(own).args(["completions", shell]))?;
            folder(place.rsplit_once('/').map_or("", |(folder, _)| folder))?;
            write(&tree.join(place), &script)?;
        }
        let documents = folder("share/doc/bolide")?;
        for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            copy(&root().join(name), &documents.join(name))?;
        }
        write(
            &documents.join("copyright"),
            "Bolide: MIT or Apache-2.0, see LICENSE-MIT and LICENSE-APACHE.\nWhat it is built with: see THIRD-PARTY.txt and bolide.cdx.json.\n",
        )?;
        let bill = bill::read()?;
        let (texts, list) = (bill.licences()?, bill.cyclone(&self.version, &self.time)?);
        write(&documents.join("THIRD-PARTY.txt"), &texts)?;
        write(&documents.join("bolide.cdx.json"), &list)?;
        write(&self.folder.join("THIRD-PARTY.txt"), &texts)?;
        write(&self.folder.join(format!("bolide-{}.cdx.json", self.version)), &list)?;
        Ok(tree)
    }

    /// The archive with its hash.
    fn archive(&self, tree: &Path) -> Result<(), String> {
        let name = format!("{}.tar.gz", self.name());
        let mut command = Command::new("tar");
        command.current_dir(&self.folder).args([
            "--sort=name",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
        ]);
        command.arg(format!("--mtime=@{}", self.time)).args(["-I", "gzip -9n", "-cf", &name]);
        succeed(command.arg(tree.file_name().unwrap_or_default()))?;
        let hash = output(Command::new("sha256sum").arg(&name).current_dir(&self.folder))?;
        write(&self.folder.join(format!("{name}.sha256")), &format!("{hash}\n"))
    }

    /// The Debian package.
    fn package(&self, tree: &Path) -> Result<(), String> {
        let architecture = match self.machine.as_str() {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let place = self.folder.join("deb");
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(place.join("DEBIAN")).map_err(|e| e.to_string())?;
        succeed(Command::new("cp").arg("-a").arg(tree).arg(place.join("usr")))?;
        self.papers(&place.join("usr/share/doc/bolide"))?;
        let pages = place.join("usr/share/man/man1");
        let list = std::fs::read_dir(&pages).map_err(|e| e.to_string())?;
        let files: Vec<PathBuf> = list.filter_map(|entry| Some(entry.ok()?.path())).collect();
        succeed(Command::new("gzip").arg("-9n").args(files))?;
        let size = output(Command::new("du").args(["-sk"]).arg(place.join("usr")))?;
        let size = size.split_whitespace().next().unwrap_or("0");
        let control = format!(
            "Package: bolide\nVersion: {}\nArchitecture: {architecture}\nSection: devel\nPriority: optional\n\
             Maintainer: {MAINTAINER}\nInstalled-Size: {size}\nRecommends: gcc | c-compiler\n\
             Description: verifier for C programs\n Proves C programs safe, or shows how they fail. One native binary with its\n \
             own interpolating SMT solver. A C compiler is used to preprocess files with\n directives.\n",
            self.version
        );
        write(&place.join("DEBIAN/control"), &control)?;
        let name = format!("bolide_{}_{architecture}.deb", self.version);
        let mut command = Command::new("dpkg-deb");
        command.args(["--root-owner-group", "--build"]).arg(&place).arg(self.folder.join(name));
        succeed(command.env("SOURCE_DATE_EPOCH", &self.time))?;
        std::fs::remove_dir_all(place).map_err(|e| e.to_string())
    }

    /// What the policy of Debian asks for: a copyright that names the texts that every system has, and a log of changes
    /// in its format.
    fn papers(&self, folder: &Path) -> Result<(), String> {
        let text = |name: &str| {
            std::fs::read_to_string(root().join(name)).map_err(|e| format!("{name}: {e}"))
        };
        let mit = text("LICENSE-MIT")?;
        let holder = mit
            .lines()
            .find(|l| l.starts_with("Copyright"))
            .unwrap_or("")
            .trim_start_matches("Copyright (c) ");
        let indented = |text: &str| -> String {
            text.lines()
                .map(|l| if l.trim().is_empty() { " .\n".into() } else { format!(" {l}\n") })
                .collect()
        };
        let copyright = format!(
            "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Bolide\n\
             Comment: What it is built with: see THIRD-PARTY.txt and bolide.cdx.json.\n\n\
             Files: *\nCopyright: {holder}\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n{}\n\
             License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n",
            indented(&mit)
        );
        write(&folder.join("copyright"), &copyright)?;
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            std::fs::remove_file(folder.join(name)).map_err(|e| e.to_string())?;
        }
        let date =
            output(Command::new("date").args(["-u", "-R", "-d", &format!("@{}", self.time)]))?;
        let changes = format!(
            "bolide ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {MAINTAINER}  {date}\n",
            self.version
        );
        write(&folder.join("changelog"), &changes)?;
        succeed(Command::new("gzip").arg("-9n").arg(folder.join("changelog")))
    }

    /// What an engine for containers needs, side by side.
    fn container(&self, binary: &Path) -> Result<(), String> {
        copy(binary, &self.folder.join(format!("bolide-{}", self.machine)))?;
        copy(&root().join("packaging/Containerfile"), &self.folder.join("Containerfile"))
    }
}

/// The extension of the editor, where npm is there.
fn extension(folder: &Path) -> Result<(), String> {
    let place = folder.join("vscode");
    let _ = std::fs::remove_dir_all(&place);
    succeed(Command::new("cp").arg("-a").arg(root().join("editors/vscode")).arg(&place))?;
    copy(&root().join("LICENSE-MIT"), &place.join("LICENSE"))?;
    if Command::new("npm").arg("--version").output().is_err() {
        println!("npm is not installed: no extension");
        return Ok(());
    }
    let mut install = Command::new("npm");
    install.args(["install", "--omit=dev", "--no-audit", "--no-fund", "--silent"]);
    succeed(install.current_dir(&place))?;
    let mut package = Command::new("npx");
    package.current_dir(&place).args([
        "--yes",
        "@vscode/vsce",
        "package",
        "--allow-missing-repository",
    ]);
    let file = folder.join(format!("bolide-{}.vsix", env!("CARGO_PKG_VERSION")));
    succeed(package.arg("--out").arg(file))?;
    std::fs::remove_dir_all(place).map_err(|e| e.to_string())
}

pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to)
        .map(|_| ())
        .map_err(|e| format!("{} to {}: {e}", from.display(), to.display()))
}

pub fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}
