//! `bolide lsp`: the verifier in an editor, over standard input and output.
//!
//! When a C file is opened or saved it is verified by a child process
//! (`bolide verify --sarif`); one that is still busy with an older version of
//! the file is stopped. Violations become diagnostics whose related
//! information is the trace; inferred invariants become inlay hints; each
//! function gets a code lens that verifies it by itself; progress is reported
//! while a child runs. Initialization options: `properties` (a list of names),
//! `timeout` (such as `30s`) and `arguments` (more flags of `bolide verify`).
//!
//! Messages are plain JSON: what is used of the protocol is little.

use crate::exit::{Exit, Stop};
use crate::scan;
use bolide_evidence::sarif::file_of_uri;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often running children are looked at.
const PERIOD: Duration = Duration::from_millis(40);
/// Steps of a trace that a diagnostic carries.
const RELATED: usize = 60;
/// The command of the code lenses.
const VERIFY: &str = "bolide.verify";

/// Serves until the editor goes away.
pub fn lsp() -> Result<Exit, Stop> {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection);
    drop(connection);
    let ended = served.and_then(|()| threads.join().map_err(|e| e.to_string()));
    ended.map_err(|message| format!("the language server stopped: {message}"))?;
    Ok(Exit::True)
}

fn serve(connection: &Connection) -> Result<(), String> {
    let capabilities = json!({
        "textDocumentSync": { "openClose": true, "save": true, "change": 0 },
        "inlayHintProvider": true,
        "codeLensProvider": { "resolveProvider": false },
        "executeCommandProvider": { "commands": [VERIFY] },
    });
    let start = connection.initialize(capabilities).map_err(|e| e.to_string())?;
    let mut server = Server {
        connection,
        options: start["initializationOptions"].clone(),
        shows_progress: start["capabilities"]["window"]["workDoneProgress"] == json!(true),
        runs: BTreeMap::new(),
        invariants: BTreeMap::new(),
        count: 0,
    };
    loop {
        match connection.receiver.recv_timeout(PERIOD) {
            Ok(Message::Request(request)) => {
                if connection.handle_shutdown(&request).map_err(|e| e.to_string())? {
                    break;
                }
                server.request(request)?;
            }
            Ok(Message::Notification(notification)) => server.notified(&notification)?,
            Ok(Message::Response(_)) => {}
            Err(error) if error.is_timeout() => {}
            Err(_) => break,
        }
        server.look_after_runs()?;
    }
    server.stop_all();
    Ok(())
}

/// A verification under way.
struct Run {
    child: Child,
    log: PathBuf,
    token: String,
    start: Instant,
    told: u64,
}

struct Server<'a> {
    connection: &'a Connection,
    options: Value,
    shows_progress: bool,
    /// By the document's URI.
    runs: BTreeMap<String, Run>,
    /// Invariants of the last proof, by the document's URI.
    invariants: BTreeMap<String, Vec<Value>>,
    /// Runs so far, for names.
    count: u64,
}

impl Server<'_> {
    fn send(&self, message: impl Into<Message>) -> Result<(), String> {
        self.connection.sender.send(message.into()).map_err(|e| e.to_string())
    }

    fn notify(&self, method: &str, params: Value) -> Result<(), String> {
        self.send(Notification::new(method.to_owned(), params))
    }

    fn notified(&mut self, notification: &Notification) -> Result<(), String> {
        let uri = notification.params["textDocument"]["uri"].as_str().unwrap_or("").to_owned();
        match notification.method.as_str() {
            "textDocument/didOpen" | "textDocument/didSave" => self.verify(&uri, None),
            "textDocument/didClose" => {
                self.stop(&uri)?;
                self.invariants.remove(&uri);
                self.publish(&uri, Vec::new())
            }
            // The user pressed the button beside the progress.
            "window/workDoneProgress/cancel" => {
                let token = notification.params["token"].as_str().unwrap_or("");
                let uri = self.runs.iter().find(|(_, run)| run.token == token);
                match uri.map(|(uri, _)| uri.clone()) {
                    Some(uri) => self.stop(&uri),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn request(&mut self, request: Request) -> Result<(), String> {
        let uri = request.params["textDocument"]["uri"].as_str().unwrap_or("").to_owned();
        let answer = match request.method.as_str() {
            "textDocument/inlayHint" => json!(self.hints(&uri, &request.params["range"])),
            "textDocument/codeLens" => json!(lenses(&uri)),
            "workspace/executeCommand" if request.params["command"] == VERIFY => {
                let arguments = &request.params["arguments"];
                let uri = arguments[0].as_str().unwrap_or("").to_owned();
                self.verify(&uri, arguments[1].as_str())?;
                Value::Null
            }
            other => {
                let words = format!("`{other}` is not supported");
                return self.send(Response::new_err(
                    request.id,
                    ErrorCode::MethodNotFound as i32,
                    words,
                ));
            }
        };
        self.send(Response::new_ok(request.id, answer))
    }

    /// Starts a child for a document, or for one of its functions.
    fn verify(&mut self, uri: &str, function: Option<&str>) -> Result<(), String> {
        self.stop(uri)?;
        let file = file_of_uri(uri);
        if !Path::new(&file).extension().is_some_and(|e| e == "c" || e == "i") {
            return Ok(());
        }
        // A file without `main` is verified function by function, on demand.
        let functions = scan::functions_of(Path::new(&file)).unwrap_or_default();
        if function.is_none()
            && !functions.is_empty()
            && !functions.iter().any(|(name, _)| name == "main")
        {
            return Ok(());
        }
        self.count += 1;
        let log = std::env::temp_dir().join(format!(
            "bolide-lsp-{}-{}.sarif",
            std::process::id(),
            self.count
        ));
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = Command::new(own);
        command.arg("verify").arg(&file).arg("--sarif").arg(&log).arg("--quiet");
        let timeout = self.options["timeout"].as_str().unwrap_or("60s");
        command.args(["--timeout", timeout]);
        let words = |value: &Value| -> Vec<String> {
            let list = value.as_array().into_iter().flatten();
            list.filter_map(|v| Some(v.as_str()?.to_owned())).collect()
        };
        for property in words(&self.options["properties"]) {
            command.args(["--property", &property]);
        }
        command.args(words(&self.options["arguments"]));
        if let Some(function) = function {
            command.args(["--entry", function]);
        }
        let errors = std::fs::File::create(log.with_extension("err")).map(Stdio::from);
        let errors = errors.unwrap_or_else(|_| Stdio::null());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        let child = command.spawn().map_err(|e| format!("cannot start bolide: {e}"))?;
        let token = format!("bolide-{}", self.count);
        if self.shows_progress {
            let id = format!("progress-{}", self.count).into();
            let create = "window/workDoneProgress/create".to_owned();
            self.send(Request::new(id, create, json!({ "token": token })))?;
            let short = file.rsplit('/').next().unwrap_or(&file);
            let title = match function {
                Some(function) => format!("Verifying {function} of {short}"),
                None => format!("Verifying {short}"),
            };
            self.progress(&token, json!({ "kind": "begin", "title": title, "cancellable": true }))?;
        }
        let run = Run { child, log, token, start: Instant::now(), told: 0 };
        self.runs.insert(uri.to_owned(), run);
        Ok(())
    }

    fn progress(&self, token: &str, value: Value) -> Result<(), String> {
        if !self.shows_progress {
            return Ok(());
        }
        self.notify("$/progress", json!({ "token": token, "value": value }))
    }

    /// Stops the run of a document, if there is one.
    fn stop(&mut self, uri: &str) -> Result<(), String> {
        let Some(mut run) = self.runs.remove(uri) else { return Ok(()) };
        let _ = run.child.kill();
        let _ = run.child.wait();
        let _ = std::fs::remove_file(&run.log);
        let _ = std::fs::remove_file(run.log.with_extension("err"));
        self.progress(&run.token, json!({ "kind": "end", "message": "stopped" }))
    }

    fn stop_all(&mut self) {
        let uris: Vec<String> = self.runs.keys().cloned().collect();
        for uri in uris {
            // The editor may be gone; nobody is left to be told.
            let _ = self.stop(&uri);
        }
    }

    fn look_after_runs(&mut self) -> Result<(), String> {
        let uris: Vec<String> = self.runs.keys().cloned().collect();
        for uri in uris {
            let Some(run) = self.runs.get_mut(&uri) else { continue };
            match run.child.try_wait() {
                Ok(None) => {
                    let seconds = run.start.elapsed().as_secs();
                    if seconds > run.told {
                        run.told = seconds;
                        let token = run.token.clone();
                        let message =
                            json!({ "kind": "report", "message": format!("{seconds} s") });
                        self.progress(&token, message)?;
                    }
                }
                Ok(Some(_)) | Err(_) => {
                    if let Some(run) = self.runs.remove(&uri) {
                        self.finished(&uri, run)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn finished(&mut self, uri: &str, run: Run) -> Result<(), String> {
        let text = std::fs::read_to_string(&run.log).unwrap_or_default();
        let _ = std::fs::remove_file(&run.log);
        let log: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let answer = &log["runs"][0];
        let verdict = answer["properties"]["bolide/verdict"].as_str().unwrap_or("no answer");
        let found = answer["results"].as_array().into_iter().flatten();
        let mut diagnostics: Vec<Value> = found.map(|result| diagnostic(uri, result)).collect();
        let errors = run.log.with_extension("err");
        if answer.is_null() {
            let text = std::fs::read_to_string(&errors).unwrap_or_default();
            diagnostics.extend(refusal(&text));
        }
        let _ = std::fs::remove_file(&errors);
        let invariants = answer["properties"]["bolide/invariants"].as_array();
        self.invariants.insert(uri.to_owned(), invariants.cloned().unwrap_or_default());
        self.publish(uri, diagnostics)?;
        let note = &answer["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        let message = note.as_str().map_or_else(|| format!("verdict: {verdict}"), str::to_owned);
        self.notify("window/logMessage", json!({ "type": 3, "message": message }))?;
        self.progress(&run.token, json!({ "kind": "end", "message": verdict }))
    }

    fn publish(&self, uri: &str, diagnostics: Vec<Value>) -> Result<(), String> {
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        self.notify("textDocument/publishDiagnostics", params)
    }

    /// Invariants as hints at the ends of their lines.
    fn hints(&self, uri: &str, range: &Value) -> Vec<Value> {
        let (first, last) =
            (range["start"]["line"].as_u64(), range["end"]["line"].as_u64().unwrap_or(u64::MAX));
        let text = std::fs::read_to_string(file_of_uri(uri)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let own = |note: &&Value| same_file(note["uri"].as_str().unwrap_or(""), uri);
        let notes = self.invariants.get(uri).into_iter().flatten().filter(own);
        notes
            .filter_map(|note| {
                let line = note["line"].as_u64()?.checked_sub(1)?;
                if line < first.unwrap_or(0) || line > last {
                    return None;
                }
                let end = lines.get(line as usize)?.encode_utf16().count();
                let label = format!("{}: {}", note["kind"].as_str()?, note["text"].as_str()?);
                Some(json!({
                    "position": { "line": line, "character": end },
                    "label": label,
                    "paddingLeft": true,
                }))
            })
            .collect()
    }
}

/// Whether a URI of a log means the document.
fn same_file(uri: &str, document: &str) -> bool {
    file_of_uri(uri) == file_of_uri(document)
}

/// A position of a SARIF location as a range of the protocol.
fn range(location: &Value) -> Value {
    let region = &location["physicalLocation"]["region"];
    let line = region["startLine"].as_u64().unwrap_or(1).saturating_sub(1);
    let column = region["startColumn"].as_u64().unwrap_or(1).saturating_sub(1);
    json!({
        "start": { "line": line, "character": column },
        "end": { "line": line, "character": column + 1 },
    })
}

fn diagnostic(document: &str, result: &Value) -> Value {
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array();
    let steps = flow.map(Vec::as_slice).unwrap_or_default();
    let skipped = steps.len().saturating_sub(RELATED);
    let related: Vec<Value> = steps[skipped..]
        .iter()
        .map(|step| {
            let location = &step["location"];
            let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str();
            let uri = uri.filter(|uri| uri.starts_with("file:")).unwrap_or(document);
            json!({
                "location": { "uri": uri, "range": range(location) },
                "message": location["message"]["text"],
            })
        })
        .collect();
    json!({
        "range": range(&result["locations"][0]),
        "severity": 1,
        "code": result["ruleId"],
        "source": "bolide",
        "message": result["message"]["text"],
        "relatedInformation": related,
    })
}

/// Why a file could not be read, at the place that the message names.
fn refusal(errors: &str) -> Option<Value> {
    let message = errors.lines().find(|l| l.contains("error") || l.starts_with("bolide:"))?;
    // `--> file:line:column` of the front end, `file:line:column:` of a preprocessor.
    let place = errors.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("--> ");
        let mut parts = line.splitn(4, ':').skip(1).map(str::trim);
        Some((parts.next()?.parse::<u64>().ok()?, parts.next()?.parse::<u64>().ok()?))
    });
    let (line, column) = place.unwrap_or((1, 1));
    let at = json!({ "line": line.saturating_sub(1), "character": column.saturating_sub(1) });
    Some(json!({
        "range": { "start": at, "end": at },
        "severity": 1,
        "source": "bolide",
        "message": message,
    }))
}

/// A lens on each function of the file.
fn lenses(uri: &str) -> Vec<Value> {
    let functions = scan::functions_of(Path::new(&file_of_uri(uri))).unwrap_or_default();
    functions
        .into_iter()
        .map(|(name, line)| {
            let line = line.saturating_sub(1);
            json!({
                "range": {
                    "start": { "line": line, "character": 0 },
                    "end": { "line": line, "character": 0 },
                },
                "command": {
                    "title": "verify function",
                    "command": VERIFY,
                    "arguments": [uri, name],
                },
            })
        })
        .collect()
}
