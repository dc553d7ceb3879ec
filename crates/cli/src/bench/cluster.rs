//! Measurements on a cluster: the parts of a plan leave tables, whose rows are taken over as they come.
//!
//! A part begins with the rows that are known, so that it runs what is open only. A row counts once: of two that a
//! repeated part may leave for one task and tool, the first.

use super::results::{self, Row};
use super::tasks::Task;
use super::tool::Tool;
use crate::flags::BenchFlags;
use crate::output::write;
use crate::plan::Plan;
use crate::process;
use crate::slurm::{self, Grant};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Slurm's usual limit for the size of an array is 1001.
const PARTS: usize = 1000;
/// Beside what a task may use, for the process that watches it.
const OWN_MEMORY: u64 = 256 << 20;
const OWN_TIME: Duration = Duration::from_secs(120);

/// Runs what is open on the cluster; `arrived` is told each new row. Returns all rows there are.
pub fn gather(
    flags: &BenchFlags,
    plan: &[(&Task, &Tool)],
    known: Vec<Row>,
    mut arrived: impl FnMut(&Row),
) -> Result<Vec<Row>, String> {
    let Some(csv) = &flags.csv else {
        return Err("--on slurm keeps results in a file: name it with --csv".into());
    };
    let tools = plan.iter().take_while(|(task, _)| task.id == plan[0].0.id).count().max(1);
    let tasks = plan.len() / tools;
    let count = tasks.min(PARTS);
    let wanted: BTreeSet<(&str, &str)> =
        plan.iter().map(|(task, tool)| (task.id.as_str(), tool.name.as_str())).collect();
    let known = known.into_iter().filter(|row| wanted.contains(&(&*row.task, &*row.tool)));
    let mut rows: BTreeMap<(String, String), Row> =
        known.map(|row| ((row.task.clone(), row.tool.clone()), row)).collect();
    if rows.len() >= wanted.len() {
        return Ok(rows.into_values().collect());
    }
    let parts = Plan::of_this_command(count, &csv.with_extension("parts"))?;
    let file = parts.folder.join("plan.json");
    if !slurm::is_begun(&parts, &file) {
        parts.write(&file)?;
        for part in 0..count {
            let own = plan.chunks(tools).skip(part).step_by(count).flatten();
            let own =
                own.filter_map(|(task, tool)| rows.get(&(task.id.clone(), tool.name.clone())));
            write(&parts.table(part), &results::csv(&own.cloned().collect::<Vec<_>>()))?;
        }
    }
    let runs = (tasks.div_ceil(count) * tools) as u32;
    let grant = Grant {
        processors: flags.jobs.unwrap_or(1),
        memory: (flags.memory + flags.memory / 8) * flags.jobs.unwrap_or(1) as u64 + OWN_MEMORY,
        time: (process::longest(&flags.limits()) + Duration::from_secs(5)) * 2 * runs + OWN_TIME,
    };
    let mut read = vec![false; count];
    slurm::run(&parts, &file, grant, || {
        for (part, is_read) in read.iter_mut().enumerate().filter(|(_, is_read)| !**is_read) {
            // The mark first: what comes before it is in the table.
            let is_done = parts.mark(part).exists();
            for row in results::read_csv(&parts.table(part)).unwrap_or_default() {
                let key = (row.task.clone(), row.tool.clone());
                if let Entry::Vacant(place) = rows.entry(key) {
                    arrived(&row);
                    place.insert(row);
                }
            }
            *is_read = is_done;
        }
        Ok(())
    })?;
    if rows.len() >= wanted.len() {
        let _ = std::fs::remove_dir_all(&parts.folder);
    }
    Ok(rows.into_values().collect())
}
