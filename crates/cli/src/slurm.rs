//! A plan on a Slurm cluster: job arrays by `sbatch`, watched by `squeue`.
//!
//! Slurm does the scheduling, keeps the limits of time, memory and processors with its control groups, and starts the
//! tasks of a failed node again. What is left for here: a part that is neither at its end nor in the queue is
//! submitted again, and what the parts found is taken over as it comes. The numbers of the jobs are kept
//! in the folder of the plan: who comes back after an interruption finds them still at work. Partition,
//! account and the like are told in the variables that `sbatch` reads (`SBATCH_PARTITION`, ...).

use crate::plan::Plan;
use crate::signals;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What Slurm grants to one part.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub processors: usize,
    /// Bytes.
    pub memory: u64,
    pub time: Duration,
}

/// How often the queue and the results are looked at.
const PERIOD: Duration = Duration::from_secs(2);
/// How often a part is submitted that does not come to its end.
const ATTEMPTS: usize = 4;
/// How long a controller may be away.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs all parts; `look` is called again and again, also once after the end. Returns early after an
/// interrupt: then the jobs are cancelled.
pub fn run(
    plan: &Plan,
    file: &Path,
    grant: Grant,
    mut look: impl FnMut() -> Result<(), String>,
) -> Result<(), String> {
    let mut array = Array::resume(plan, file, grant);
    let mut answered = Instant::now();
    loop {
        look()?;
        if signals::interrupted() {
            array.cancel();
            return Ok(());
        }
        if array.open().is_empty() {
            // What was written between the look and the mark.
            return look();
        }
        match array.queued() {
            Ok(queued) => {
                answered = Instant::now();
                // The marks are read again: a part may have ended since.
                let mut lost = array.open();
                lost.retain(|part| !queued.contains(part));
                array.submit(&lost)?;
            }
            Err(message) if answered.elapsed() > PATIENCE => return Err(message),
            // A controller that starts again knows its jobs.
            Err(_) => {}
        }
        let slept = Instant::now();
        while slept.elapsed() < PERIOD && !signals::interrupted() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Whether a plan is the one that its folder is about. If not, what is there is given up, jobs included.
pub fn is_begun(plan: &Plan, file: &Path) -> bool {
    let is_same = Plan::read(file).ok().as_ref() == Some(plan);
    if !is_same {
        let jobs = std::fs::read_to_string(jobs_file(plan)).unwrap_or_default();
        if !jobs.is_empty() {
            let _ = answer(Command::new("scancel").args(jobs.lines()));
        }
        let _ = std::fs::remove_dir_all(&plan.folder);
    }
    is_same
}

struct Array<'a> {
    plan: &'a Plan,
    file: &'a Path,
    grant: Grant,
    jobs: Vec<String>,
    attempts: Vec<usize>,
}

impl Array<'_> {
    /// The jobs of an earlier run count.
    fn resume<'a>(plan: &'a Plan, file: &'a Path, grant: Grant) -> Array<'a> {
        let known = std::fs::read_to_string(jobs_file(plan)).unwrap_or_default();
        let jobs = known.lines().map(str::to_owned).collect();
        Array { plan, file, grant, jobs, attempts: vec![0; plan.parts] }
    }

    /// Parts that have not come to their end.
    fn open(&self) -> Vec<usize> {
        (0..self.plan.parts).filter(|&part| !self.plan.mark(part).exists()).collect()
    }

    /// Parts that wait or run.
    fn queued(&self) -> Result<Vec<usize>, String> {
        let mut queued = Vec::new();
        for job in &self.jobs {
            let mut command = Command::new("squeue");
            command.args(["--noheader", "--array", "--format=%K", "--jobs", job]);
            match answer(&mut command) {
                Ok(text) => {
                    queued.extend(text.lines().filter_map(|l| l.trim().parse::<usize>().ok()))
                }
                // A job that ended some time ago.
                Err(message) if message.contains("Invalid job id") => {}
                Err(message) => return Err(message),
            }
        }
        Ok(queued)
    }

    fn submit(&mut self, parts: &[usize]) -> Result<(), String> {
        if parts.is_empty() {
            return Ok(());
        }
        for &part in parts {
            self.attempts[part] += 1;
            if self.attempts[part] > ATTEMPTS {
                self.cancel();
                let log = self.plan.folder.join(format!("{part}.log"));
                return Err(format!(
                    "part {part} does not come to its end: see `{}`",
                    log.display()
                ));
            }
        }
        let own = std::env::current_exe().map_err(|e| format!("cannot find bolide itself: {e}"))?;
        let words = [own.as_path(), Path::new("plan"), Path::new("run"), self.file];
        let words = words.map(|word| word.display().to_string());
        let line = shlex::try_join(words.iter().map(String::as_str)).map_err(|e| e.to_string())?;
        let Grant { processors, memory, time } = self.grant;
        let list: Vec<String> = parts.iter().map(usize::to_string).collect();
        let mut command = Command::new("sbatch");
        command
            .args(["--parsable", "--requeue", "--job-name=bolide", "--nodes=1", "--ntasks=1"])
            // Logs of earlier attempts are worth keeping.
            .arg("--open-mode=append")
            .arg(format!("--array={}", list.join(",")))
            .arg(format!("--cpus-per-task={processors}"))
            .arg(format!("--mem={}M", memory.div_ceil(1 << 20)))
            .arg(format!("--time={}", time.as_secs().div_ceil(60)))
            .arg(format!("--output={}/%a.log", self.plan.folder.display()))
            .arg("--chdir")
            .arg(&self.plan.directory)
            .arg(format!("--wrap=exec {line}"));
        let said = answer(&mut command)?;
        // With several clusters it is `number;cluster`.
        self.jobs.push(said.trim().split(';').next().unwrap_or("").to_owned());
        crate::output::write(&jobs_file(self.plan), &format!("{}\n", self.jobs.join("\n")))
    }

    fn cancel(&self) {
        if !self.jobs.is_empty() {
            let _ = answer(Command::new("scancel").args(&self.jobs));
        }
    }
}

fn jobs_file(plan: &Plan) -> PathBuf {
    plan.folder.join("jobs")
}

/// What a command of Slurm says.
fn answer(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|e| {
        format!("cannot run `{name}`: {e}; --on slurm needs the commands of Slurm on this machine")
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
