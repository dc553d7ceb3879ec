//! `bolide lsp`: the verifier in an editor, over standard input and output.
//!
//! A C file is verified by a child process (`bolide verify --sarif`) when it is opened and saved, and when nobody
//! has typed for a moment: where the editor's text is not that of the file, the child gets it, and it calls itself by the
//! name of the file. A child that is still busy with an older text is stopped. Violations become diagnostics whose related
//! information is the trace; invariants become inlay hints and hovers; each function gets a code lens that verifies it by
//! itself; actions on a violation show its run as a report, or accept it in the file of the project
//! ([`crate::project_file`]), which the child reads for itself. Initialization options: `properties` (a list of names),
//! `timeout` and `cpuTime` (such as `30s`) and `arguments` (more flags of `bolide verify`).
//!
//! Messages are plain JSON ([`stdio`]), and so is what is said ([`answers`]): what is used of the protocol is little.

mod answers;
mod stdio;

use crate::exit::{Exit, Stop};
use crate::flags::SettingsFlags;
use crate::project_file;
use crate::scan;
use answers::{SHOW, VERIFY, diagnostic, refusal};
use bolide_evidence::sarif::file_of_uri;
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// How often running children are looked at.
const PERIOD: Duration = Duration::from_millis(40);
/// How long nobody types before an edit is verified.
const PAUSE: Duration = Duration::from_millis(600);

/// Serves until the editor goes away. Without having said goodbye, that is an error to the protocol.
pub fn lsp() -> Result<Exit, Stop> {
    let messages = stdio::messages();
    let mut server = Server::default();
    let goodbye = loop {
        match messages.recv_timeout(PERIOD) {
            Ok(Message::Notification(said)) if said.method == "exit" => {
                break server.phase == Phase::Over;
            }
            Ok(Message::Request(request)) => server.request(request),
            Ok(Message::Notification(said)) if server.phase == Phase::Serving => {
                server.notified(&said);
            }
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break server.phase == Phase::Over,
        }
        server.look_after_documents();
        server.look_after_runs();
    };
    server.stop_all();
    if goodbye { Ok(Exit::True) } else { std::process::exit(1) }
}

/// What the protocol allows at a time.
#[derive(Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing but to introduce oneself.
    #[default]
    Before,
    Serving,
    /// Nothing but to leave.
    Over,
}

/// A verification under way.
struct Run {
    child: Child,
    log: PathBuf,
    token: String,
    start: Instant,
    told: u64,
    /// The report, where it is to be shown.
    page: Option<PathBuf>,
    /// The function, where it is one alone.
    entry: Option<String>,
}

/// A text that the editor has open.
#[derive(Default)]
struct Document {
    /// What was typed and is not saved.
    text: Option<String>,
    /// When it was typed, until it is verified.
    changed: Option<Instant>,
}

/// What the last verification of a document found.
#[derive(Default)]
struct Known {
    invariants: Vec<Value>,
    findings: Vec<Value>,
    entry: Option<String>,
}

#[derive(Default)]
struct Server {
    phase: Phase,
    options: Value,
    /// What the client says that it can do.
    client: Value,
    /// By URI, as the others.
    documents: BTreeMap<String, Document>,
    runs: BTreeMap<String, Run>,
    known: BTreeMap<String, Known>,
    /// Runs so far, for names.
    count: u64,
}

/// Why a request has no answer.
type Refused = (ErrorCode, String);

/// What a request must say, with a slash before each key.
fn word<'v>(params: &'v Value, path: &str) -> Result<&'v str, Refused> {
    params.pointer(path).and_then(Value::as_str).ok_or_else(|| missing(path))
}

/// A position that a request must give.
fn line(params: &Value, path: &str) -> Result<u64, Refused> {
    let path = format!("{path}/line");
    params.pointer(&path).and_then(Value::as_u64).ok_or_else(|| missing(&path))
}

/// Lines that a request must give, both included.
fn lines(params: &Value) -> Result<RangeInclusive<u64>, Refused> {
    Ok(line(params, "/range/start")?..=line(params, "/range/end")?)
}

fn missing(path: &str) -> Refused {
    let name = path.trim_start_matches('/').replace('/', ".");
    (ErrorCode::InvalidParams, format!("`{name}` is missing, or of another type"))
}

impl Server {
    fn send(&self, message: impl serde::Serialize) {
        let mut message = serde_json::to_value(message).unwrap_or_default();
        message["jsonrpc"] = json!("2.0");
        stdio::send(&message);
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params));
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.count += 1;
        self.send(Request::new(format!("bolide-{}", self.count).into(), method.to_owned(), params));
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Serving;
        self.options = params["initializationOptions"].clone();
        self.client = params["capabilities"].clone();
        json!({
            "capabilities": {
                "textDocumentSync": { "openClose": true, "save": true, "change": 1 },
                "inlayHintProvider": true,
                "hoverProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "codeLensProvider": { "resolveProvider": false },
                "executeCommandProvider": { "commands": [VERIFY, SHOW] },
            },
            "serverInfo": { "name": "bolide", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn notified(&mut self, notification: &Notification) {
        let params = &notification.params;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or("").to_owned();
        match notification.method.as_str() {
            "initialized" => self.watch(),
            "textDocument/didOpen" => {
                // The editor may have kept what was never saved.
                let text = params["textDocument"]["text"].as_str().map(str::to_owned);
                let saved = std::fs::read_to_string(file_of_uri(&uri)).ok();
                let text = text.filter(|text| saved.as_ref() != Some(text));
                self.documents.insert(uri.clone(), Document { text, changed: None });
                self.verify(&uri, None, false);
            }
            "textDocument/didSave" => {
                self.documents.insert(uri.clone(), Document::default());
                self.verify(&uri, None, false);
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|list| list.last()?["text"].as_str());
                // What was found is about an older text, and so is what is still being found.
                self.stop(&uri);
                if let Some(known) = self.known.get_mut(&uri) {
                    *known = Known { entry: known.entry.take(), ..Known::default() };
                }
                let (text, changed) = (text.map(str::to_owned), Some(Instant::now()));
                self.documents.insert(uri, Document { text, changed });
            }
            "textDocument/didClose" => {
                self.stop(&uri);
                self.documents.remove(&uri);
                self.known.remove(&uri);
                self.publish(&uri, Vec::new());
            }
            // The file of the project changed.
            "workspace/didChangeWatchedFiles" => {
                for uri in self.documents.keys().cloned().collect::<Vec<_>>() {
                    self.verify(&uri, None, false);
                }
            }
            // The user pressed the button beside the progress.
            "window/workDoneProgress/cancel" => {
                let token = params["token"].as_str().unwrap_or("");
                let uri = self.runs.iter().find(|(_, run)| run.token == token);
                if let Some(uri) = uri.map(|(uri, _)| uri.clone()) {
                    self.stop(&uri);
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, request: Request) {
        let answer = match (&self.phase, request.method.as_str()) {
            (Phase::Before, "initialize") => Ok(self.initialize(&request.params)),
            (Phase::Before, _) => {
                Err((ErrorCode::ServerNotInitialized, "the first request is `initialize`".into()))
            }
            (Phase::Serving, "shutdown") => {
                self.phase = Phase::Over;
                self.stop_all();
                Ok(Value::Null)
            }
            (Phase::Over, _) => Err((ErrorCode::InvalidRequest, "the server was shut down".into())),
            (Phase::Serving, "initialize") => {
                Err((ErrorCode::InvalidRequest, "the server is initialized already".into()))
            }
            (Phase::Serving, method) => self.answer(method, &request.params),
        };
        self.send(match answer {
            Ok(answer) => Response::new_ok(request.id, answer),
            Err((code, words)) => Response::new_err(request.id, code as i32, words),
        });
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, Refused> {
        let uri = || word(params, "/textDocument/uri");
        let nothing = Known::default();
        let known = |uri: &str| self.known.get(uri).unwrap_or(&nothing);
        match method {
            "textDocument/inlayHint" => {
                let (uri, lines) = (uri()?, lines(params)?);
                Ok(json!(answers::hints(uri, &self.text(uri), &known(uri).invariants, &lines)))
            }
            "textDocument/hover" => {
                let (uri, line) = (uri()?, line(params, "/position")?);
                Ok(answers::hover(uri, &known(uri).invariants, line))
            }
            "textDocument/codeLens" => Ok(json!(answers::lenses(uri()?, &self.functions(uri()?)))),
            "textDocument/codeAction" => {
                let (uri, lines) = (uri()?, lines(params)?);
                let Known { findings, entry, .. } = known(uri);
                Ok(json!(answers::actions(uri, findings, entry.as_deref(), &lines)))
            }
            "workspace/executeCommand" => {
                let arguments = &params["arguments"];
                let command = word(params, "/command")?;
                if command != VERIFY && command != SHOW {
                    let words = format!("there is no command `{command}`");
                    return Err((ErrorCode::InvalidParams, words));
                }
                let document = arguments[0].as_str().map(str::to_owned);
                let document = document.ok_or_else(|| {
                    (ErrorCode::InvalidParams, "the first argument is a document".to_owned())
                })?;
                self.verify(&document, arguments[1].as_str(), command == SHOW);
                Ok(Value::Null)
            }
            other => Err((ErrorCode::MethodNotFound, format!("`{other}` is not supported"))),
        }
    }

    /// The text of a document, as the editor has it.
    fn text(&self, uri: &str) -> String {
        let typed = self.documents.get(uri).and_then(|document| document.text.clone());
        typed.unwrap_or_else(|| std::fs::read_to_string(file_of_uri(uri)).unwrap_or_default())
    }

    /// The functions of a document with their lines, as the editor has it.
    fn functions(&self, uri: &str) -> Vec<(String, u64)> {
        let file = file_of_uri(uri);
        let typed = self.documents.get(uri).and_then(|document| document.text.as_deref());
        let name = format!("bolide-lsp-{}-lenses", std::process::id());
        let written = typed.map(|text| write_typed(text, &file, &std::env::temp_dir().join(name)));
        let read = written.as_deref().unwrap_or(Path::new(&file));
        let found = scan::functions_of(read, &file).unwrap_or_default();
        if let Some(written) = &written {
            let _ = std::fs::remove_file(written);
        }
        found.into_iter().map(|(name, line)| (name, u64::from(line))).collect()
    }

    /// Asks to be told when the file of the project changes, where the client can be asked.
    fn watch(&mut self) {
        let client = &self.client["workspace"]["didChangeWatchedFiles"];
        if client["dynamicRegistration"] == json!(true) {
            let pattern = format!("**/{}", project_file::NAME);
            let options = json!({ "watchers": [{ "globPattern": pattern }] });
            let method = "workspace/didChangeWatchedFiles";
            let what = json!({ "id": "settings", "method": method, "registerOptions": options });
            self.ask("client/registerCapability", json!({ "registrations": [what] }));
        }
    }

    /// Verifies what nobody has touched for a moment.
    fn look_after_documents(&mut self) {
        let calm = |document: &Document| document.changed.is_some_and(|at| at.elapsed() > PAUSE);
        let due = self.documents.iter_mut().filter(|(_, document)| calm(document));
        let mut uris = Vec::new();
        for (uri, document) in due {
            document.changed = None;
            uris.push(uri.clone());
        }
        for uri in uris {
            self.verify(&uri, None, false);
        }
    }

    /// Starts a child for a document, or for one of its functions; `shows` asks for its report.
    fn verify(&mut self, uri: &str, function: Option<&str>, shows: bool) {
        self.stop(uri);
        let file = file_of_uri(uri);
        if !Path::new(&file).extension().is_some_and(|e| e == "c" || e == "i") {
            return;
        }
        self.count += 1;
        let name = format!("bolide-lsp-{}-{}.sarif", std::process::id(), self.count);
        let log = std::env::temp_dir().join(name);
        let typed = self.documents.get(uri).and_then(|document| document.text.as_deref());
        let read = match typed.map(|text| write_typed(text, &file, &log)) {
            Some(read) => read,
            None => PathBuf::from(&file),
        };
        // A file without `main` is verified function by function, on demand: first that which was asked for last.
        let functions = scan::functions_of(&read, &file).unwrap_or_default();
        let is_there = |wanted: &str| functions.iter().any(|(name, _)| name == wanted);
        let before = self.known.get(uri).and_then(|known| known.entry.clone());
        let before = before.filter(|entry| is_there(entry));
        let function = function.or(before.as_deref().filter(|_| !is_there("main")));
        if function.is_none() && !functions.is_empty() && !is_there("main") {
            let _ = std::fs::remove_file(log.with_extension("c"));
            let _ = std::fs::remove_file(log.with_extension("i"));
            self.known.remove(uri);
            self.publish(uri, Vec::new());
            return;
        }
        let page = shows.then(|| log.with_extension("html"));
        let mut command = self.command(&file, &read, &log);
        command.args(function.iter().flat_map(|function| ["--entry", function]));
        command.args(page.iter().flat_map(|page| [Path::new("--report"), page]));
        let errors = std::fs::File::create(log.with_extension("err")).map(Stdio::from);
        let errors = errors.unwrap_or_else(|_| Stdio::null());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let message = format!("cannot start bolide: {error}");
                self.notify("window/showMessage", json!({ "type": 1, "message": message }));
                return;
            }
        };
        let token = format!("bolide-{}", self.count);
        if self.shows_progress() {
            self.ask("window/workDoneProgress/create", json!({ "token": token }));
            let short = file.rsplit('/').next().unwrap_or(&file);
            let title = match function {
                Some(function) => format!("Verifying {function} of {short}"),
                None => format!("Verifying {short}"),
            };
            self.progress(&token, json!({ "kind": "begin", "title": title, "cancellable": true }));
        }
        let entry = function.map(str::to_owned);
        let run = Run { child, log, token, start: Instant::now(), told: 0, page, entry };
        self.runs.insert(uri.to_owned(), run);
    }

    /// `bolide verify` with the options of the editor; what they do not say is the file of the project's to say.
    fn command(&self, file: &str, read: &Path, log: &Path) -> Command {
        let own = std::env::current_exe().unwrap_or_else(|_| "bolide".into());
        let mut command = Command::new(own);
        command.arg("verify").arg(read).arg("--sarif").arg(log).arg("--quiet");
        let settings =
            SettingsFlags { config: project_file::nearest(Path::new(file)), no_config: false };
        match &settings.config {
            Some(config) => command.arg("--config").arg(config),
            None => command.arg("--no-config"),
        };
        if read != Path::new(file) {
            command.arg("--shown-as").arg(file);
            command.arg("-I").arg(Path::new(file).parent().unwrap_or(Path::new("/")));
        }
        let mut is_limited = project_file::settings(&settings).limits_time();
        for (option, flag) in [("timeout", "--timeout"), ("cpuTime", "--cpu-time")] {
            if let Some(time) = self.options[option].as_str().filter(|time| !time.is_empty()) {
                command.args([flag, time]);
                is_limited = true;
            }
        }
        if !is_limited {
            command.args(["--timeout", "60s"]);
        }
        let words = |value: &Value| -> Vec<String> {
            let list = value.as_array().into_iter().flatten();
            list.filter_map(|v| Some(v.as_str()?.to_owned())).collect()
        };
        for property in words(&self.options["properties"]) {
            command.args(["--property", &property]);
        }
        command.args(words(&self.options["arguments"]));
        command
    }

    fn shows_progress(&self) -> bool {
        self.client["window"]["workDoneProgress"] == json!(true)
    }

    fn progress(&self, token: &str, value: Value) {
        if self.shows_progress() {
            self.notify("$/progress", json!({ "token": token, "value": value }));
        }
    }

    /// Stops the run of a document, if there is one.
    fn stop(&mut self, uri: &str) {
        let Some(mut run) = self.runs.remove(uri) else { return };
        let _ = run.child.kill();
        let _ = run.child.wait();
        run.remove_files();
        self.progress(&run.token, json!({ "kind": "end", "message": "stopped" }));
    }

    fn stop_all(&mut self) {
        for uri in self.runs.keys().cloned().collect::<Vec<_>>() {
            self.stop(&uri);
        }
    }

    fn look_after_runs(&mut self) {
        for uri in self.runs.keys().cloned().collect::<Vec<_>>() {
            let Some(run) = self.runs.get_mut(&uri) else { continue };
            match run.child.try_wait() {
                Ok(None) => {
                    let seconds = run.start.elapsed().as_secs();
                    if seconds > run.told {
                        run.told = seconds;
                        let token = run.token.clone();
                        let message = format!("{seconds} s");
                        self.progress(&token, json!({ "kind": "report", "message": message }));
                    }
                }
                Ok(Some(_)) | Err(_) => {
                    if let Some(run) = self.runs.remove(&uri) {
                        self.finished(&uri, run);
                    }
                }
            }
        }
    }

    fn finished(&mut self, uri: &str, run: Run) {
        let text = std::fs::read_to_string(&run.log).unwrap_or_default();
        let log: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let answer = &log["runs"][0];
        let verdict = answer["properties"]["bolide/verdict"].as_str().unwrap_or("no answer");
        let found = answer["results"].as_array().into_iter().flatten();
        let mut findings: Vec<Value> = found.map(|result| diagnostic(uri, result)).collect();
        if answer.is_null() {
            let errors = run.log.with_extension("err");
            findings.extend(refusal(&std::fs::read_to_string(errors).unwrap_or_default()));
        }
        let invariants = answer["properties"]["bolide/invariants"].as_array();
        let invariants = invariants.cloned().unwrap_or_default();
        self.publish(uri, findings.clone());
        let note = &answer["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        let message = note.as_str().map_or_else(|| format!("verdict: {verdict}"), str::to_owned);
        self.notify("window/logMessage", json!({ "type": 3, "message": message }));
        self.progress(&run.token, json!({ "kind": "end", "message": verdict }));
        run.remove_files();
        if let Some(page) = run.page.filter(|page| page.exists()) {
            let page = bolide_evidence::sarif::uri(&page.display().to_string());
            self.ask("window/showDocument", json!({ "uri": page, "external": true }));
        }
        self.known.insert(uri.to_owned(), Known { invariants, findings, entry: run.entry });
        // Nobody asks for hints again because a verification came to its end.
        if self.client["workspace"]["inlayHint"]["refreshSupport"] == json!(true) {
            self.ask("workspace/inlayHint/refresh", Value::Null);
        }
    }

    fn publish(&self, uri: &str, diagnostics: Vec<Value>) {
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        self.notify("textDocument/publishDiagnostics", params);
    }
}

impl Run {
    /// All but the report, which is the user's.
    fn remove_files(&self) {
        for ending in ["sarif", "err", "c", "i"] {
            let _ = std::fs::remove_file(self.log.with_extension(ending));
        }
    }
}

/// The text of the editor as a file for the child. Its first line says whose text it is, so that all places
/// are those of the file.
fn write_typed(text: &str, file: &str, log: &Path) -> PathBuf {
    let ending = Path::new(file).extension().unwrap_or_default();
    let place = log.with_extension(ending);
    let name = file.replace('\\', "\\\\").replace('"', "\\\"");
    let _ = std::fs::write(&place, format!("# 1 \"{name}\"\n{text}"));
    place
}
