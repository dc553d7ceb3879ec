//! A PostgreSQL server for a test: started in a folder of its own, on a socket in it, and ended with the test.
//!
//! The server refuses to run for root; then it runs as the user `postgres`, whom Debian's package brings along.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where Debian keeps the programs of the server, by version.
const PROGRAMS: &str = "/usr/lib/postgresql";

/// A running server.
pub struct TestServer {
    folder: PathBuf,
    server: Child,
}

impl TestServer {
    /// Starts one; none, with words, where it is not installed.
    pub fn start(name: &str) -> Option<TestServer> {
        let versions = std::fs::read_dir(PROGRAMS).into_iter().flatten().flatten();
        let programs = versions.map(|v| v.path().join("bin")).find(|p| p.join("initdb").exists());
        let Some(programs) = programs else {
            eprintln!("skipped: no PostgreSQL server is installed (Debian: postgresql)");
            return None;
        };
        // Short: the name of a socket has at most 107 bytes.
        let folder = std::env::temp_dir().join(format!("bolide-pg-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&folder));
        }
        let data = folder.join("data");
        run(unprivileged(&programs.join("initdb"))
            .args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8"])
            .args(["--locale=C", "--pgdata"])
            .arg(&data)
            .stdout(Stdio::null()));
        let server = unprivileged(&programs.join("postgres"))
            .args(["-c", "listen_addresses=", "-c", "max_connections=300", "-D"])
            .arg(&data)
            .arg("-k")
            .arg(&folder)
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log")).expect("a log can be written"))
            .spawn()
            .expect("the server starts");
        let server = TestServer { folder, server };
        let begin = Instant::now();
        while postgres::Client::connect(&server.url(), postgres::NoTls).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the server does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(server)
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("postgres://postgres@/postgres?host={}", self.folder.display())
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // An interrupt is a fast shutdown. `setpriv` became the server, so this is its process.
        run(Command::new("kill").args(["-INT", &self.server.id().to_string()]));
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id tells who we are");
    id.stdout.trim_ascii() == b"0"
}

fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(status.success(), "{command:?}: {status}");
}
