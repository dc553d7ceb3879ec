//! `bolide plan`: makes a plan, runs a part of it, and joins the parts.

use crate::arguments;
use crate::bench;
use crate::exit::{Exit, Stop};
use crate::flags::{BenchFlags, Command, MergeFlags, PlanCommand, PlanFlags, ScanFlags};
use crate::output;
use crate::plan::Plan;
use crate::scan;
use std::ffi::OsString;
use std::path::Path;

pub fn plan(flags: PlanFlags) -> Result<Exit, Stop> {
    match flags.command {
        PlanCommand::New { plan, parts, command } => new(&plan, parts, command),
        PlanCommand::Run { plan, part } => run(&plan, part),
        PlanCommand::Merge { plan, output } => merge(&plan, output),
    }
}

/// The command of a plan.
enum Work {
    Bench(BenchFlags),
    Scan(ScanFlags),
}

fn work(command: &[String]) -> Result<Work, Stop> {
    let words = std::iter::once("bolide").chain(command.iter().map(String::as_str));
    match arguments::read(words.map(OsString::from).collect())?.command {
        Command::Bench(flags) if flags.compare.is_empty() => Ok(Work::Bench(flags)),
        Command::Scan(flags) => Ok(Work::Scan(flags)),
        _ => Err("a plan is for `bench` with tasks, or for `scan`".to_owned().into()),
    }
}

fn new(file: &Path, parts: usize, command: Vec<String>) -> Result<Exit, Stop> {
    let folder = file.with_extension("parts");
    match work(&command)? {
        Work::Bench(BenchFlags { shard: Some(_), .. })
        | Work::Scan(ScanFlags { shard: Some(_), .. }) => {
            return Err("the plan makes the parts: leave out --shard".to_owned().into());
        }
        _ => {}
    }
    let plan = Plan::new(command, parts.max(1), &folder)?;
    plan.write(file)?;
    println!("{} parts: 0 to {}, each by `bolide plan run`", plan.parts, plan.parts - 1);
    Ok(Exit::True)
}

/// Runs one part. Its exit code tells whether it came to its end, not what it found.
fn run(file: &Path, part: Option<usize>) -> Result<Exit, Stop> {
    let plan = Plan::read(file)?;
    let part = plan.part(part)?;
    std::env::set_current_dir(&plan.directory)
        .map_err(|e| format!("cannot go to `{}`: {e}", plan.directory.display()))?;
    let shard = Some((part + 1, plan.parts));
    let ended = match work(&plan.command)? {
        Work::Bench(flags) => bench::bench(&BenchFlags {
            shard,
            csv: Some(plan.table(part)),
            resume: true,
            jobs: flags.jobs.or(Some(1)),
            on: None,
            svg: None,
            junit: None,
            quiet: true,
            ..flags
        })?,
        Work::Scan(flags) => scan::scan(&ScanFlags {
            shard,
            sarif: Some(plan.log(part)),
            jobs: flags.jobs.or(Some(1)),
            on: None,
            summary: None,
            quiet: true,
            ..flags
        })?,
    };
    if crate::signals::interrupted() || ended == Exit::Usage {
        return Ok(ended);
    }
    output::write(&plan.mark(part), "")?;
    Ok(Exit::True)
}

fn merge(file: &Path, output: std::path::PathBuf) -> Result<Exit, Stop> {
    let plan = Plan::read(file)?;
    let place = match work(&plan.command)? {
        Work::Bench(_) => Plan::table,
        Work::Scan(_) => Plan::log,
    };
    let open: Vec<String> =
        (0..plan.parts).filter(|&p| !plan.mark(p).exists()).map(|p| p.to_string()).collect();
    if !open.is_empty() {
        return Err(format!("not at their end: parts {}", open.join(", ")).into());
    }
    let files = (0..plan.parts).map(|part| place(&plan, part)).collect();
    scan::merge(&MergeFlags { files, output })
}
