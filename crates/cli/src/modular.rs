//! `bolide verify --modular`: the contracts that a proof rests on are proved in turn.
//!
//! A call by contract assumes what the called function promises; so each function whose contract was used is verified
//! on its own, from any state that its contract allows, once. Cycles are no harm: what is proved is that no run breaks a
//! contract first. The verdict is that of the first function that is not proved; of a function without a body the
//! contract is believed, and the verdict says so.

use crate::flags::{InputFlags, VerifyFlags};
use crate::frontend::{self, Loaded, Refusal};
use bolide_base::Budget;
use bolide_engines::choose::Report;
use bolide_reachability::verdict::Reason;
use bolide_verdict::Verdict;
use std::collections::BTreeMap;

/// What a verdict is about, after all contracts that it rests on have been looked at.
pub struct Proved {
    pub loaded: Loaded,
    pub report: Report,
    /// Each contract, in words.
    pub rests_on: Vec<String>,
}

/// Verifies the functions whose contracts were used, as long as all is proved.
pub fn prove_used(
    flags: &VerifyFlags,
    input: &InputFlags,
    (loaded, report): (Loaded, Report),
    decide: impl Fn(&Loaded) -> Report,
    budget: &Budget,
) -> Proved {
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    let mut work = loaded.lowered.used_contracts.clone();
    let mut proved = Proved { loaded, report, rests_on: Vec::new() };
    known.extend(input.entry.iter().map(|entry| (entry.clone(), true)));
    while let Some((name, has_body)) = work.pop() {
        if !matches!(proved.report.verdict, Verdict::True { .. }) || known.contains_key(&name) {
            continue;
        }
        known.insert(name.clone(), has_body);
        if !has_body {
            proved.rests_on.push(format!("the contract of `{name}`, which has no body"));
            continue;
        }
        let own = InputFlags { entry: Some(name.clone()), ..input.clone() };
        match frontend::load(&own, &flags.property, budget) {
            Ok(loaded) => {
                let report = decide(&loaded);
                work.extend(loaded.lowered.used_contracts.iter().cloned());
                if matches!(report.verdict, Verdict::True { .. }) {
                    proved.rests_on.push(format!("the contract of `{name}`: proved"));
                } else {
                    proved.rests_on.push(format!("the contract of `{name}`: not proved"));
                    (proved.loaded, proved.report) = (loaded, report);
                }
            }
            Err(refusal) => {
                let why = match refusal {
                    Refusal::Unsupported(what) => what,
                    Refusal::Input => format!("the contract of `{name}`"),
                };
                proved.report.verdict = Verdict::Unknown(Reason::Unsupported(why));
            }
        }
    }
    proved
}
