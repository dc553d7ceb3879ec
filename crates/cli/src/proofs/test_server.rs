//! A PostgreSQL server for a test: started in a folder of its own, on a socket in it, and ended with the test.
//! One that also speaks TLS has a certificate for `localhost` that it signed itself.
//!
//! The server refuses to run for root; then it runs as the user `postgres`, whom Debian's package brings along.

use std::io::Write;
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
        TestServer::with(name, |_, server| {
            server.args(["-c", "listen_addresses="]);
        })
    }

    /// One that listens on a port too, where it asks for TLS and for the password `secret`.
    pub fn encrypted(name: &str) -> Option<(TestServer, u16)> {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|s| s.local_addr());
        let port = free.expect("there is a port").port();
        let server = TestServer::with(name, |folder, server| {
            certificate(folder, "server");
            certificate(folder, "stranger");
            let rules = "local all all trust\nhostssl all all all scram-sha-256\n";
            std::fs::write(folder.join("rules"), rules).expect("rules can be written");
            server.args(["-c", "listen_addresses=127.0.0.1", "-c", &format!("port={port}")]);
            server.args(["-c", "ssl=on"]);
            for (setting, file) in [
                ("ssl_cert_file", "server.pem"),
                ("ssl_key_file", "server.key"),
                ("hba_file", "rules"),
            ] {
                server.arg("-c").arg(format!("{setting}={}", folder.join(file).display()));
            }
        })?;
        Some((server, port))
    }

    fn with(name: &str, more: impl FnOnce(&Path, &mut Command)) -> Option<TestServer> {
        let versions = std::fs::read_dir(PROGRAMS).into_iter().flatten().flatten();
        let programs = versions.map(|v| v.path().join("bin")).find(|p| p.join("initdb").exists());
        let Some(programs) = programs else {
            // Not by `eprintln`, which is shown of failed tests only.
            let words = "skipped: no PostgreSQL server is installed (Debian: postgresql)";
            let _ = writeln!(std::io::stderr(), "{words}");
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
        let mut server = unprivileged(&programs.join("postgres"));
        server.args(["-c", "max_connections=300", "-D"]).arg(&data).arg("-k").arg(&folder);
        more(&folder, &mut server);
        let log = std::fs::File::create(folder.join("log")).expect("a log can be written");
        let server = server.current_dir(&folder).stdout(Stdio::null()).stderr(log).spawn();
        let server = TestServer { folder, server: server.expect("the server starts") };
        let begin = Instant::now();
        while postgres::Client::connect(&server.url(), postgres::NoTls).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the server does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(server)
    }

    /// Where it is.
    pub fn url(&self) -> String {
        let sockets = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = sockets.filter_map(|entry| entry.file_name().into_string().ok());
        let port =
            names.filter_map(|name| name.strip_prefix(".s.PGSQL.")?.parse::<u16>().ok()).next();
        let port = port.unwrap_or(5432);
        format!("postgres://postgres@/postgres?host={}&port={port}", self.folder.display())
    }

    /// A file in its folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
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

/// A certificate and its key, which only the server may read.
fn certificate(folder: &Path, name: &str) {
    let mut command = unprivileged(Path::new("openssl"));
    command
        .current_dir(folder)
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]);
    command.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    command.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    command.args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")]);
    run(command.stderr(Stdio::null()));
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
