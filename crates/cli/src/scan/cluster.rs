//! A scan on a cluster: the parts of a plan fill the cache. What they leave open is verified here like any other unit,
//! so a scan has one way to its answers.

use super::against::Change;
use super::cache::Cache;
use super::outcome::Outcome;
use super::units::Unit;
use crate::flags::ScanFlags;
use crate::plan::Plan;
use crate::process;
use crate::signals;
use crate::slurm;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

/// Slurm's usual limit for the size of an array is 1001. A part reads the whole project, so fewer are better.
const PARTS: usize = 250;

/// Units that have an answer, by file, entry and property.
pub type Known = BTreeSet<[String; 3]>;

/// Those that have one now.
pub fn known(units: &[Unit], cache: &Cache) -> Known {
    let answers = units.iter().filter_map(|unit| cache.get(unit));
    answers.map(|o| [o.file, o.entry, o.property]).collect()
}

/// What the cluster has just found was not known from before.
pub fn keep_only(known: &Known, outcomes: &mut [Outcome]) {
    for outcome in outcomes {
        let key = [&outcome.file, &outcome.entry, &outcome.property].map(String::clone);
        outcome.kept &= known.contains(&key);
    }
}

/// After an interruption: what is answered, and what was running or waiting there as unknown.
pub fn so_far(work: Vec<(Unit, Change)>, cache: &Cache) -> (Vec<Outcome>, Vec<Change>) {
    let told = |(unit, change): (Unit, Change)| match (cache.get(&unit), &change) {
        (Some(outcome), _) => Some((outcome, change)),
        (None, Change::None) => None,
        (None, _) => Some((Outcome::undecided(&unit, "it was interrupted"), change)),
    };
    work.into_iter().filter_map(told).unzip()
}

/// Lets a cluster fill the cache.
pub fn warm(flags: &ScanFlags, units: &[Unit], cache: &Cache, folder: &Path) -> Result<(), String> {
    let open = |unit: &&Unit| cache.get(unit).is_none();
    let missing = units.iter().filter(open).count();
    if missing == 0 {
        return Ok(());
    }
    let count = units.len().min(PARTS);
    let plan = Plan::of_this_command(count, &folder.join("parts"))?;
    let file = plan.folder.join("plan.json");
    if !slurm::is_begun(&plan, &file) {
        plan.write(&file)?;
    }
    let each = process::longest(&flags.limits()) * 2 + Duration::from_secs(20);
    let grant = slurm::Grant {
        processors: flags.jobs.unwrap_or(1),
        memory: flags.memory * 2 * flags.jobs.unwrap_or(1) as u64,
        time: each * units.len().div_ceil(count) as u32 + Duration::from_secs(120),
    };
    let shows = !flags.quiet && std::io::stderr().is_terminal();
    slurm::run(&plan, &file, grant, || {
        if shows {
            let left = units.iter().filter(open).count();
            eprint!("\r\x1b[K{} of {missing} answers are there", missing - left);
        }
        Ok(())
    })?;
    if !signals::interrupted() {
        let _ = std::fs::remove_dir_all(&plan.folder);
    }
    Ok(())
}
