//! `cargo xtask slurm [--tasks N] [--nodes N]`: measurements over a Slurm cluster of which a node dies.
//!
//! A real controller and real nodes, all on this machine: `slurmd -N` lets one machine be several, each on a port
//! of its own and with two processors. The same tasks are run here and over the cluster; when a quarter of the answers has come,
//! one node is killed with all that runs on it. Every task must have exactly one answer, and
//! the tables must be the same but for times.

mod cluster;

use crate::experiment::{Scratch, bolide, files_below, output, read};
use cluster::Cluster;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Settings {
    #[arg(long, default_value_t = 1000)]
    tasks: usize,
    /// Each has two slots
    #[arg(long, default_value_t = 4)]
    nodes: usize,
    /// Leave all nodes alive
    #[arg(long)]
    spare: bool,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// The node that dies.
const VICTIM: usize = 2;

pub fn run(settings: Settings) -> Result<bool, String> {
    if output(Command::new("slurmctld").arg("-V")).is_err() {
        println!("skipped: no Slurm is installed (Debian: slurm-wlm, munge)");
        return Ok(true);
    }
    let binary = bolide(&settings.bolide)?;
    let folder = Scratch::new("slurm")?;
    let tasks = write_tasks(&folder, settings.tasks)?;
    let mut cluster = Cluster::start(&folder.join("cluster"), settings.nodes)?;
    let bench = |table: &Path| {
        let mut command = Command::new(&binary);
        command.args(["bench", "--quiet", "--timeout", "60s", "--memory", "1G", "--csv"]);
        command.arg(table).arg(&tasks).args(["--args", "--threads 1"]);
        command.env("SLURM_CONF", cluster.configuration()).stdout(Stdio::null());
        command
    };
    let (here, there) = (folder.join("here.csv"), folder.join("there.csv"));
    let begin = Instant::now();
    output(bench(&here).args(["--jobs", "2"]))?;
    let alone = begin.elapsed();
    let begin = Instant::now();
    let mut child = bench(&there).args(["--on", "slurm"]).spawn().map_err(|e| e.to_string())?;
    let mut killed = None;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        let rows = files_below(&there.with_extension("parts"), &["done"]).len();
        let is_time = killed.is_none() && !settings.spare && rows >= settings.tasks / 4;
        if is_time && cluster.is_busy(VICTIM) {
            killed = Some((rows, cluster.kill_node(VICTIM)));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let took = begin.elapsed();
    drop(cluster);
    if let Some((rows, processes)) = killed {
        println!("node n{VICTIM} was killed after {rows} answers, with {processes} processes");
    }
    let (here, there) = (answers(&here)?, answers(&there)?);
    println!(
        "{} tasks: {} rows here ({alone:.0?}), {} rows over Slurm ({took:.0?}), {status}",
        settings.tasks,
        here.len(),
        there.len()
    );
    let same = here == there && here.len() == settings.tasks;
    println!("{}", if same { "the same table" } else { "the tables differ" });
    Ok(same && status.success() && (settings.spare || killed.is_some()))
}

/// Programs that are decided soon, half of them wrong in a way of their own.
fn write_tasks(folder: &Scratch, count: usize) -> Result<PathBuf, String> {
    let mut table = String::from("id\tfile\tproperty\tdata_model\texpected\n");
    for k in 0..count {
        let (safe, bound) = (k % 2 == 0, 3 + k % 7);
        let wrong = if safe { "sum < 0".to_owned() } else { format!("x == {k} && sum > 0") };
        folder.write(
            &format!("task{k}.c"),
            &format!(
                "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                 int main(void) {{\n  int x = __VERIFIER_nondet_int(), sum = 0;\n  \
                 for (int i = 0; i < {bound}; i++) sum += i;\n  \
                 if ({wrong}) reach_error();\n  return 0;\n}}\n"
            ),
        )?;
        table += &format!("task{k}\ttask{k}.c\tunreach-call\tLP64\t{safe}\n");
    }
    folder.write("tasks.tsv", &table)
}

/// The rows without what was measured, in the order of the file.
fn answers(table: &Path) -> Result<Vec<String>, String> {
    let text = read(table)?;
    let columns = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",");
    Ok(text.lines().skip(1).map(columns).collect())
}
