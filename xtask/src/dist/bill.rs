//! What the binary is built from: the crates that `cargo metadata` finds behind the package, with their licences, as text
//! and as a bill of materials (CycloneDX 1.5).

use crate::experiment::{cargo, root};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
    let ran = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    let all: Value =
        serde_json::from_slice(&ran.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in list(&all["resolve"]["nodes"]) {
        let normal = list(&node["deps"]).into_iter().filter(|dependency| {
            list(&dependency["dep_kinds"]).iter().any(|kind| {
                let elsewhere = word(&kind["target"]);
                kind["kind"].is_null()
                    && !["windows", "wasm", "wasi"].iter().any(|os| elsewhere.contains(os))
            })
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

    /// The texts of all licences, each once, with who is under it.
    pub fn licences(&self) -> Result<String, String> {
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut out = String::from("Crates that Bolide is built from.\n\n");
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
            for file in files.filter_map(|entry| Some(entry.ok()?.path())) {
                let is_licence = file.file_name().and_then(|n| n.to_str()).is_some_and(|n| {
                    ["LICENSE", "LICENCE", "COPYING", "NOTICE"]
                        .iter()
                        .any(|word| n.to_uppercase().starts_with(word))
                });
                if is_licence && file.is_file() {
                    let words = std::fs::read_to_string(&file).unwrap_or_default();
                    texts
                        .entry(words.trim().to_owned())
                        .or_default()
                        .insert(format!("{name} {version}"));
                }
            }
        }
        for (words, names) in texts {
            let names: Vec<String> = names.into_iter().collect();
            out += &format!("\n{}\n{}\n\n{words}\n", "=".repeat(80), names.join(", "));
        }
        Ok(out)
    }

    /// The bill of materials.
    pub fn cyclone(&self, version: &str, time: &str) -> String {
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
            "components": self.packages.values().filter(|p| !is_root(p)).map(component).collect::<Vec<_>>(),
            "dependencies": uses.collect::<Vec<_>>(),
        });
        format!("{bill:#}\n")
    }
}
