//! What the binary is built from, with licences, as text and as a bill of materials (CycloneDX 1.5): the crates that
//! `cargo metadata` finds behind the package on the machines of a release, and what the linker adds ([`Bill::linked`]).

use crate::experiment::{cargo, root};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The machines of a release.
pub const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Where Debian, whose tools make the packages, has the licence of its C library.
const LGPL: &str = "/usr/share/common-licenses/LGPL-2.1";

/// The crates, and which uses which.
pub struct Bill {
    packages: BTreeMap<String, Value>,
    uses: BTreeMap<String, BTreeSet<String>>,
    /// The hashes of the registry, by name and version.
    hashes: BTreeMap<(String, String), String>,
}

/// Asks cargo. What is only used to build or to test is left out.
pub fn read() -> Result<Bill, String> {
    let mut command = cargo();
    command.current_dir(root()).args(["metadata", "--format-version", "1", "--locked"]);
    command.args(TARGETS.iter().flat_map(|target| ["--filter-platform", target]));
    let ran = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    let all: Value =
        serde_json::from_slice(&ran.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in list(&all["resolve"]["nodes"]) {
        let normal = list(&node["deps"]).into_iter().filter(|dependency| {
            list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
        });
        edges
            .insert(word(&node["id"]), normal.map(|dependency| word(&dependency["pkg"])).collect());
    }
    let by_id: BTreeMap<String, Value> =
        list(&all["packages"]).into_iter().map(|package| (word(&package["id"]), package)).collect();
    let start =
        by_id.iter().find(|(_, package)| package["name"] == "bolide").map(|(id, _)| id.clone());
    let mut pending = vec![start.ok_or("there is no package `bolide`")?];
    let mut bill = Bill { packages: BTreeMap::new(), uses: BTreeMap::new(), hashes: hashes()? };
    while let Some(id) = pending.pop() {
        if let Some(package) = by_id.get(&id)
            && bill.packages.insert(id.clone(), package.clone()).is_none()
        {
            let uses = edges.get(&id).cloned().unwrap_or_default();
            pending.extend(uses.iter().cloned());
            bill.uses.insert(id, uses);
        }
    }
    Ok(bill)
}

/// The hashes of `Cargo.lock`.
fn hashes() -> Result<BTreeMap<(String, String), String>, String> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).map_err(|e| e.to_string())?;
    let mut found = BTreeMap::new();
    for package in text.split("[[package]]") {
        let value = |key: &str| {
            let line = package.lines().find_map(|l| l.strip_prefix(&format!("{key} = \"")));
            line.map(|rest| rest.trim_end_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(hash)) =
            (value("name"), value("version"), value("checksum"))
        {
            found.insert((name, version), hash);
        }
    }
    Ok(found)
}

fn text<'v>(package: &'v Value, key: &str) -> &'v str {
    package[key].as_str().unwrap_or("")
}

fn url(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"))
}

impl Bill {
    /// The crates of others.
    fn foreign(&self) -> impl Iterator<Item = &Value> {
        self.packages.values().filter(|package| !package["source"].is_null())
    }

    /// What the linker adds: name, version, licence as SPDX has it, and what is to be said of it.
    fn linked(&self) -> Result<Vec<(&'static str, String, &'static str, &'static str)>, String> {
        let libc = output(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
        let rust = output(Command::new("rustc").arg("--version"))?;
        let second = |words: &str| words.split_whitespace().nth(1).unwrap_or("").to_owned();
        let crate_of_sqlite = self.foreign().find(|p| p["name"] == "libsqlite3-sys");
        let folder = crate_of_sqlite.and_then(|p| Path::new(text(p, "manifest_path")).parent());
        let header = folder.map(|folder| folder.join("sqlite3/sqlite3.h"));
        let header = header.ok_or("the crate libsqlite3-sys is missing")?;
        let header =
            std::fs::read_to_string(&header).map_err(|e| format!("{}: {e}", header.display()))?;
        let sqlite = header.lines().find_map(|l| l.strip_prefix("#define SQLITE_VERSION "));
        let sqlite = sqlite.ok_or("SQLite does not say its version")?.trim().trim_matches('"');
        Ok(vec![
            (
                "glibc",
                second(&libc),
                "LGPL-2.1-or-later",
                "The C library of GNU, linked statically. To link with another version of it, build from the source: `cargo build --release` links it dynamically.",
            ),
            ("rust-std", second(&rust), "MIT OR Apache-2.0", "The standard library of Rust."),
            ("sqlite", sqlite.to_owned(), "blessing", "In the public domain."),
        ])
    }

    /// The texts of all licences, each once, with who is under it.
    pub fn licences(&self) -> Result<String, String> {
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut out = String::from("What Bolide is built from.\n\n");
        for (name, version, licence, words) in self.linked()? {
            out += &format!("{name} {version}: {licence}. {words}\n");
        }
        out += "\nCrates:\n\n";
        texts.entry(read_text(Path::new(LGPL))?).or_default().insert("glibc".into());
        for package in self.foreign() {
            let (name, version) = (text(package, "name"), text(package, "version"));
            let licence = text(package, "license");
            if licence.is_empty() {
                return Err(format!("the crate {name} says no licence"));
            }
            out += &format!("{name} {version}: {licence}\n");
            let folder =
                Path::new(text(package, "manifest_path")).parent().unwrap_or(Path::new("."));
            let files = std::fs::read_dir(folder).map_err(|e| e.to_string())?;
            let mut has_text = false;
            for file in files.filter_map(|entry| Some(entry.ok()?.path())) {
                let is_licence = file.file_name().and_then(|n| n.to_str()).is_some_and(|n| {
                    ["LICENSE", "LICENCE", "COPYING", "NOTICE"]
                        .iter()
                        .any(|word| n.to_uppercase().starts_with(word))
                });
                if is_licence && file.is_file() {
                    has_text = true;
                    texts.entry(read_text(&file)?).or_default().insert(format!("{name} {version}"));
                }
            }
            if !has_text {
                if !licence.contains("Apache-2.0") {
                    return Err(format!("the crate {name} has no text of its licence, {licence}"));
                }
                let usual = read_text(&root().join("LICENSE-APACHE"))?;
                texts.entry(usual).or_default().insert(format!("{name} {version}"));
            }
        }
        for (words, names) in texts {
            let names: Vec<String> = names.into_iter().collect();
            out += &format!("\n{}\n{}\n\n{words}\n", "=".repeat(80), names.join(", "));
        }
        Ok(out)
    }

    /// The bill of materials.
    pub fn cyclone(&self, version: &str, time: &str) -> Result<String, String> {
        let component = |package: &Value| {
            let key = (text(package, "name").to_owned(), text(package, "version").to_owned());
            let mut component = json!({
                "type": "library", "bom-ref": url(package), "purl": url(package),
                "name": key.0, "version": key.1,
                "licenses": [{ "expression": text(package, "license").replace('/', " OR ") }],
            });
            if let Some(hash) = self.hashes.get(&key) {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": hash }]);
            }
            component
        };
        let uses = self.uses.iter().filter_map(|(id, uses)| {
            let on: Vec<String> =
                uses.iter().filter_map(|id| Some(url(self.packages.get(id)?))).collect();
            Some(json!({ "ref": url(self.packages.get(id)?), "dependsOn": on }))
        });
        let linked = self.linked()?.into_iter().map(|(name, version, licence, words)| {
            let licence = match licence.contains(' ') {
                true => json!({ "expression": licence }),
                false => json!({ "license": { "id": licence } }),
            };
            json!({
                "type": "library", "bom-ref": format!("pkg:generic/{name}@{version}"),
                "purl": format!("pkg:generic/{name}@{version}"), "name": name, "version": version,
                "description": words, "licenses": [licence],
            })
        });
        let is_root = |package: &&Value| package["name"] == "bolide";
        let seconds: u64 = time.parse().unwrap_or(0);
        let bill = json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {
                "component": { "type": "application", "bom-ref": format!("pkg:cargo/bolide@{version}"), "name": "bolide", "version": version },
                "properties": [{ "name": "bolide:commit-time", "value": seconds.to_string() }],
            },
            "components": self.packages.values().filter(|p| !is_root(p)).map(component).chain(linked).collect::<Vec<_>>(),
            "dependencies": uses.collect::<Vec<_>>(),
        });
        Ok(format!("{bill:#}\n"))
    }
}

/// What a command says, without the line ends around it.
pub fn output(command: &mut Command) -> Result<String, String> {
    let ran = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    match ran.status.success() {
        true => Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned()),
        false => Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&ran.stderr))),
    }
}

fn read_text(file: &Path) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a licence, as SPDX has it or with a slash, is met by those of a list.
    fn is_allowed(licence: &str, list: &[String]) -> bool {
        let text = licence.trim();
        let parts = |sign: &str| {
            let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
            for (at, character) in text.char_indices() {
                match character {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ if depth == 0 && at >= start && text[at..].starts_with(sign) => {
                        parts.push(&text[start..at]);
                        start = at + sign.len();
                    }
                    _ => {}
                }
            }
            parts.push(&text[start..]);
            parts
        };
        for sign in [" OR ", "/"] {
            let cases = parts(sign);
            if cases.len() > 1 {
                return cases.iter().any(|case| is_allowed(case, list));
            }
        }
        let all = parts(" AND ");
        if all.len() > 1 {
            return all.iter().all(|part| is_allowed(part, list));
        }
        match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => is_allowed(inner, list),
            None => list.iter().any(|name| name == text),
        }
    }

    /// What `cargo deny check licenses` looks at, where that tool is not installed.
    #[test]
    fn licences_are_those_that_deny_toml_allows() {
        let settings = read_text(&root().join("deny.toml")).unwrap();
        let list = settings.lines().find_map(|line| line.strip_prefix("allow = ")).unwrap();
        let list: Vec<String> = serde_json::from_str(list).unwrap();
        let bill = read().unwrap();
        for package in bill.foreign() {
            let licence = text(package, "license");
            assert!(is_allowed(licence, &list), "{}: {licence}", text(package, "name"));
            assert!(text(package, "source").starts_with("registry+"), "{package}");
        }
        assert!(is_allowed("(MIT OR GPL-3.0) AND ISC", &list));
        assert!(!is_allowed("GPL-3.0-only", &list) && !is_allowed("MIT AND GPL-3.0-only", &list));
    }

    /// All that is linked has a licence in the bill, and a text of it; what is for other systems is not there.
    #[test]
    fn the_bill_is_whole() {
        let bill = read().unwrap();
        let list: Value = serde_json::from_str(&bill.cyclone("1.0.0", "0").unwrap()).unwrap();
        let components = list["components"].as_array().unwrap();
        let names: BTreeSet<&str> = components.iter().map(|c| text(c, "name")).collect();
        for name in ["glibc", "rust-std", "sqlite", "libsqlite3-sys", "bolide-smt"] {
            assert!(names.contains(name), "{name} is missing");
        }
        assert!(!names.contains("r-efi") && !names.contains("windows-sys"), "{names:?}");
        let texts = bill.licences().unwrap();
        let holders: BTreeSet<&str> = texts
            .split(&"=".repeat(80))
            .skip(1)
            .flat_map(|part| part.trim_start().lines().next().unwrap_or("").split(", "))
            .collect();
        for component in components.iter().filter(|c| !text(c, "name").starts_with("bolide-")) {
            let (name, version) = (text(component, "name"), text(component, "version"));
            let said = format!("{name} {version}");
            assert!(texts.contains(&format!("{said}: ")), "{said} has no licence");
            assert!(
                text(component, "purl").starts_with("pkg:generic/")
                    || holders.contains(said.as_str()),
                "{said} has no text"
            );
        }
        assert!(texts.contains("GNU LESSER GENERAL PUBLIC LICENSE"));
    }
}
