//! A Slurm cluster on this machine, for as long as somebody holds it.

use crate::experiment::{succeed, write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The controller listens on this port of the loopback device, the nodes on those after it.
const PORT: usize = 17_000;

pub struct Cluster {
    folder: PathBuf,
    /// `munged`, `slurmctld`, then the nodes.
    daemons: Vec<Child>,
}

impl Cluster {
    /// Starts the daemons and waits until the nodes are there.
    pub fn start(folder: &Path, nodes: usize) -> Result<Cluster, String> {
        for name in ["state", "log"] {
            std::fs::create_dir_all(folder.join(name)).map_err(|e| e.to_string())?;
        }
        let mut cluster = Cluster { folder: folder.to_owned(), daemons: Vec::new() };
        let key = folder.join("munge.key");
        let secret = std::fs::read("/proc/sys/kernel/random/uuid").map_err(|e| e.to_string())?;
        std::fs::write(&key, secret.repeat(4)).map_err(|e| e.to_string())?;
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&key, private).map_err(|e| e.to_string())?;
        let munge = |name: &str| folder.join(format!("munge.{name}")).display().to_string();
        let mut munged = Command::new("munged");
        munged.args(["--foreground", "--force", "--num-threads=2"]);
        for (flag, name) in [
            ("key-file", "key"),
            ("socket", "socket"),
            ("log-file", "log"),
            ("pid-file", "pid"),
            ("seed-file", "seed"),
        ] {
            munged.arg(format!("--{flag}={}", munge(name)));
        }
        cluster.daemon(&mut munged)?;
        write(&cluster.configuration(), &configuration(folder, nodes)?)?;
        wait_for(|| folder.join("munge.socket").exists(), "munged")?;
        let configuration = cluster.configuration();
        cluster.daemon(Command::new("slurmctld").arg("-D").arg("-f").arg(&configuration))?;
        for node in 1..=nodes {
            let name = format!("n{node}");
            let mut slurmd = Command::new("slurmd");
            cluster.daemon(slurmd.args(["-D", "-N", &name, "-f"]).arg(&configuration))?;
        }
        let idle = || {
            let mut sinfo = Command::new("sinfo");
            sinfo.args(["--noheader", "--Node", "--format=%T"]).env("SLURM_CONF", &configuration);
            let said = succeed(&mut sinfo).unwrap_or_default();
            String::from_utf8_lossy(&said).lines().filter(|l| *l == "idle").count() == nodes
        };
        wait_for(idle, "the cluster")?;
        Ok(cluster)
    }

    pub fn configuration(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    fn daemon(&mut self, command: &mut Command) -> Result<(), String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.daemons.push(quiet.spawn().map_err(|e| format!("cannot start {name}: {e}"))?);
        Ok(())
    }

    /// Whether a job runs on a node.
    pub fn is_busy(&self, node: usize) -> bool {
        !processes_with(&variable(node)).is_empty()
    }

    /// Kills a node as a power cut would: its daemon and all that runs on it. How many processes that were.
    pub fn kill_node(&mut self, node: usize) -> usize {
        let daemon = &mut self.daemons[1 + node];
        let _ = daemon.kill();
        let _ = daemon.wait();
        let mut killed = 1;
        // Steps first: they would report the end of their jobs.
        let jobs = processes_with(&variable(node));
        let mut steps: Vec<u32> = jobs.iter().filter_map(|&job| step_of(job)).collect();
        steps.sort_unstable();
        steps.dedup();
        for process in steps.into_iter().chain(jobs) {
            let mut kill = Command::new("kill");
            kill.args(["-KILL", &process.to_string()]).stderr(Stdio::null());
            killed += usize::from(kill.status().is_ok_and(|s| s.success()));
        }
        killed
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let cancel = ["--quiet", "--state=PENDING,RUNNING", "--name=bolide"];
        let mut scancel = Command::new("scancel");
        let _ = succeed(scancel.args(cancel).env("SLURM_CONF", self.configuration()));
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

fn configuration(folder: &Path, nodes: usize) -> Result<String, String> {
    let word = |command: &mut Command| {
        succeed(command).map(|said| String::from_utf8_lossy(&said).trim().to_owned())
    };
    let host = word(&mut Command::new("hostname"))?;
    let user = word(Command::new("id").arg("-un"))?;
    let folder = folder.display();
    let first = PORT + 1;
    let last = PORT + nodes;
    // A node that does not answer is given up soon, and its jobs may start again at once.
    Ok(format!(
        "ClusterName=bolide
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={PORT}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdLogFile={folder}/log/%n.log
SlurmctldLogFile={folder}/log/slurmctld.log
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=10
SlurmctldTimeout=10
ReturnToService=2
MaxArraySize=2001
SchedulerParameters=batch_sched_delay=1,sched_interval=2,default_queue_depth=1000
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 RealMemory=16000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"
    ))
}

fn wait_for(mut is_there: impl FnMut() -> bool, what: &str) -> Result<(), String> {
    let begin = Instant::now();
    while !is_there() {
        if begin.elapsed() > Duration::from_secs(120) {
            return Err(format!("{what} does not start"));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// What the processes of jobs on a node have in their environment.
fn variable(node: usize) -> String {
    format!("SLURMD_NODENAME=n{node}")
}

/// Processes whose environment has this.
fn processes_with(variable: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let has = |number: &u32| {
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
    };
    numbers.filter(has).collect()
}

/// The process of Slurm that watches over a process of a job.
fn step_of(mut process: u32) -> Option<u32> {
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (name, rest) = stat.rsplit_once(')')?;
        if name.ends_with("slurmstepd") {
            return Some(process);
        }
        process = rest.split_ascii_whitespace().nth(1)?.parse().ok().filter(|&p| p > 1)?;
    }
}
