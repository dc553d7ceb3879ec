//! The language server as an editor meets it: a scripted client over its
//! standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    next: i64,
}

impl Client {
    fn start() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    if let Some(number) = line.strip_prefix("Content-Length:") {
                        length = number.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                if sender.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        Client { child, input, messages, next: 0 }
    }

    fn write(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.write(json!({ "method": method, "params": params }));
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.answer(method, params)["result"].clone()
    }

    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.write(json!({ "id": id, "method": method, "params": params }));
        self.wait(|m| m["id"] == json!(id) && m.get("method").is_none())
    }

    /// The code of the error that a request is answered with.
    fn refusal(&mut self, method: &str, params: Value) -> i64 {
        self.answer(method, params)["error"]["code"].as_i64().unwrap_or(0)
    }

    fn write_raw(&mut self, text: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    /// The next message that is asked for; others are passed over.
    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(Duration::from_secs(100)).expect("an answer");
            if wanted(&message) {
                return message;
            }
        }
    }

    fn diagnostics(&mut self) -> Value {
        let method = "textDocument/publishDiagnostics";
        self.wait(|m| m["method"] == method)["params"]["diagnostics"].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const WRONG: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 1000)\n    reach_error();\n  return 0;\n}\n";

const RIGHT: &str = "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\n\
int main(void) {\n  unsigned n = __VERIFIER_nondet_uint(), i = 0;\n  while (i < n)\n    i++;\n  \
if (i != n)\n    reach_error();\n  return 0;\n}\n";

/// Takes longer than any test waits.
const ENDLESS: &str = "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\n\
int main(void) {\n  unsigned a = __VERIFIER_nondet_uint(), b = a * a * a, i = 0;\n  while (i < a) {\n    \
i++;\n    b = b * i + a % (i + 1);\n  }\n  if (b * b == 3 * a + 77777)\n    reach_error();\n  return 0;\n}\n";

#[test]
fn the_extension_is_well_formed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    let text = std::fs::read_to_string(folder.join("package.json")).unwrap();
    let package: Value = serde_json::from_str(&text).unwrap();
    let main = package["main"].as_str().unwrap();
    let script = std::fs::read_to_string(folder.join(main)).unwrap();
    // Every setting that is offered is read, and the command of the lenses is known.
    let settings = package["contributes"]["configuration"]["properties"].as_object().unwrap();
    for setting in settings.keys() {
        let name = setting.strip_prefix("bolide.").unwrap();
        assert!(script.contains(&format!("\"{name}\"")), "{name} is not used");
    }
    if let Ok(checked) = Command::new("node").arg("--check").arg(folder.join(main)).output() {
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}

#[test]
fn a_file_is_verified_when_it_is_opened_and_saved() {
    let file = std::env::temp_dir().join(format!("bolide-lsp-test-{}.c", std::process::id()));
    std::fs::write(&file, WRONG).unwrap();
    let uri = format!("file://{}", file.display());
    let document = json!({ "textDocument": { "uri": uri } });
    let mut client = Client::start();
    let start = client.request(
        "initialize",
        json!({ "capabilities": { "window": { "workDoneProgress": true } } }),
    );
    assert_eq!(start["capabilities"]["inlayHintProvider"], json!(true));
    client.notify("initialized", json!({}));

    client.notify("textDocument/didOpen", document.clone());
    let progress = client.wait(|m| m["method"] == "$/progress");
    assert_eq!(progress["params"]["value"]["kind"], "begin");
    let found = client.diagnostics();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["range"]["start"]["line"], 5);
    assert_eq!(found[0]["code"], "unreach-call");
    let related = found[0]["relatedInformation"].as_array().unwrap();
    let lines: Vec<u64> =
        related.iter().map(|r| r["location"]["range"]["start"]["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [3, 4, 5], "the trace");
    assert!(related[0]["message"].as_str().unwrap().contains("= 1000"), "{related:?}");

    let lenses = client.request("textDocument/codeLens", document.clone());
    assert_eq!(lenses[0]["command"]["arguments"], json!([uri, "main"]));
    assert_eq!(lenses[0]["range"]["start"]["line"], 2);

    // Two saves at once: the first run is stopped, the second answers.
    std::fs::write(&file, RIGHT).unwrap();
    client.notify("textDocument/didSave", document.clone());
    client.notify("textDocument/didSave", document.clone());
    client.wait(|m| m["params"]["value"]["message"] == "stopped");
    assert_eq!(client.diagnostics(), json!([]));
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 20, "character": 0 } });
    let hints = client.request(
        "textDocument/inlayHint",
        json!({ "textDocument": { "uri": uri }, "range": range }),
    );
    assert_eq!(hints[0]["position"]["line"], 4, "{hints}");
    assert!(hints[0]["label"].as_str().unwrap().starts_with("invariant: "), "{hints}");

    let arguments = json!({ "command": "bolide.verify", "arguments": [uri, "main"] });
    client.request("workspace/executeCommand", arguments);
    assert_eq!(client.diagnostics(), json!([]));

    // The button beside the progress.
    std::fs::write(&file, ENDLESS).unwrap();
    client.notify("textDocument/didSave", document.clone());
    let begun = client.wait(|m| m["params"]["value"]["kind"] == "begin");
    assert_eq!(begun["params"]["value"]["cancellable"], json!(true));
    let report = client.wait(|m| m["params"]["value"]["kind"] == "report");
    assert_eq!(report["params"]["token"], begun["params"]["token"]);
    let token = json!({ "token": begun["params"]["token"] });
    client.notify("window/workDoneProgress/cancel", token);
    client.wait(|m| m["params"]["value"]["message"] == "stopped");

    // What cannot be read is said at its place.
    std::fs::write(&file, "int main(void) {\n  return 1 +;\n}\n").unwrap();
    client.notify("textDocument/didSave", document.clone());
    let found = client.diagnostics();
    assert_eq!(found[0]["range"]["start"]["line"], 1, "{found}");
    assert!(found[0]["message"].as_str().unwrap().contains("error"), "{found}");
    client.request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert!(client.child.wait().unwrap().success());
    let _ = std::fs::remove_file(&file);
}

/// What is typed is verified before it is saved; what is found can be accepted or shown.
#[test]
fn edits_are_verified_when_nobody_types() {
    let folder = std::env::temp_dir().join(format!("bolide-lsp-edit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.c");
    std::fs::write(&file, RIGHT).unwrap();
    std::fs::write(folder.join("limit.h"), "#define LIMIT 1000\n").unwrap();
    let uri = format!("file://{}", file.display());
    let document = json!({ "textDocument": { "uri": uri } });
    let mut client = Client::start();
    client.request("initialize", json!({ "capabilities": {} }));
    client.notify("textDocument/didOpen", document.clone());
    assert_eq!(client.diagnostics(), json!([]));
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 3 } });
    let hover = client.request("textDocument/hover", at);
    let words = hover["contents"]["value"].as_str().unwrap();
    assert!(words.starts_with("**invariant**, proved by Bolide\n```c\n"), "{words}");
    // Typed, not saved, in several steps; it includes a file beside it.
    let typed = WRONG.replace("1000", "LIMIT");
    for text in ["int main(", &format!("#include \"limit.h\"\n{typed}")] {
        let changes = json!([{ "text": text }]);
        let params =
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": changes });
        client.notify("textDocument/didChange", params);
    }
    let found = client.diagnostics();
    assert_eq!(found[0]["range"]["start"]["line"], 6, "{found}");
    assert_eq!(found[0]["code"], "unreach-call");
    let range =
        json!({ "start": { "line": 6, "character": 0 }, "end": { "line": 6, "character": 9 } });
    let params =
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", params);
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().map(|a| a["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Show the run", "Suppress with a reason"]);
    let edit = &actions[1]["edit"]["documentChanges"][1];
    assert!(edit["textDocument"]["uri"].as_str().unwrap().ends_with("/bolide.toml"), "{edit}");
    let rule = edit["edits"][0]["newText"].as_str().unwrap();
    assert!(
        rule.contains("property = \"unreach-call\"\nfile = \"a.c\"\nfunction = \"main\""),
        "{rule}"
    );
    // Saved with a reason, the finding becomes a hint.
    let rule = rule.replace("reason = \"\"", "reason = \"a test\"");
    std::fs::write(folder.join("bolide.toml"), rule.replace("owner = \"\"", "owner = \"me\""))
        .unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let found = client.diagnostics();
    assert_eq!(found[0]["severity"], 4, "{found}");
    assert!(found[0]["message"].as_str().unwrap().contains("(accepted: a test ("), "{found}");
    // The run as a page.
    client.request("workspace/executeCommand", actions[0]["command"].clone());
    let shown = client.wait(|m| m["method"] == "window/showDocument");
    let page = shown["params"]["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    assert!(std::fs::read_to_string(&page).unwrap().contains("LIMIT"));
    let _ = std::fs::remove_file(page);
    let _ = std::fs::remove_dir_all(folder);
}

/// A folder for the files of a test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("bolide-lsp-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The text of the editor counts from the start, also for lenses; what is known of an older text is not told of the
/// new one; and the client hears when there is something new to ask for.
#[test]
fn the_text_of_the_editor_counts() {
    let folder = folder("text");
    let file = folder.join("a.c");
    std::fs::write(&file, "int main(void) { return 0; }\n").unwrap();
    let uri = format!("file://{}", file.display());
    let mut client = Client::start();
    let able = json!({ "workspace": {
        "inlayHint": { "refreshSupport": true },
        "didChangeWatchedFiles": { "dynamicRegistration": true },
    } });
    client.request("initialize", json!({ "capabilities": able }));
    client.notify("initialized", json!({}));
    let asked = client.wait(|m| m["method"] == "client/registerCapability");
    let watchers = &asked["params"]["registrations"][0]["registerOptions"]["watchers"];
    assert_eq!(watchers[0]["globPattern"], "**/bolide.toml");
    client.write(json!({ "id": asked["id"], "result": null }));
    // An editor that was closed without saving opens what was typed then.
    let filled = "extern int __VERIFIER_nondet_int(void);\nint a[50];\nint main(void) {\n  int i;\n\
                  for (i = 0; i < 50; i++)\n    a[i] = 7;\n  int k = __VERIFIER_nondet_int();\n  \
                  if (k >= 0 && k < 50)\n    __VERIFIER_assert(a[k] == 7);\n  return 0;\n}\n";
    let open = json!({ "uri": uri, "languageId": "c", "version": 1, "text": filled });
    client.notify("textDocument/didOpen", json!({ "textDocument": open }));
    assert_eq!(client.diagnostics(), json!([]));
    client.wait(|m| m["method"] == "workspace/inlayHint/refresh");
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 3 } });
    let hover = client.request("textDocument/hover", at.clone());
    let words = hover["contents"]["value"].as_str().unwrap().to_owned();
    // What holds of all cells is one part.
    let quantified = words.lines().find(|line| line.contains("\\forall integer k; 0 <= k"));
    assert!(quantified.is_some_and(|line| line.contains(" ==> a[k] == 7)")), "{words}");
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(lenses[0]["range"]["start"]["line"], 2, "{lenses}");
    // A hint is short, what it stands for is behind it.
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let asked = json!({ "textDocument": { "uri": uri }, "range": range });
    let hint = client.request("textDocument/inlayHint", asked)[0].clone();
    let label = hint["label"].as_str().unwrap();
    assert!(label.chars().count() <= 120, "{label}");
    assert_eq!(hint["tooltip"]["value"], words);
    // A line more above: nothing old is told at the new lines.
    let changed = |text: &str| json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] });
    client.notify("textDocument/didChange", changed(&format!("\n{filled}")));
    assert_eq!(client.request("textDocument/hover", at), Value::Null);
    assert_eq!(client.diagnostics(), json!([]));
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(lenses[0]["range"]["start"]["line"], 3, "{lenses}");
    // A function by itself: an edit verifies it again, and when it is gone nothing is left of it.
    let lonely = "int half(int x) {\n  return 100 / x;\n}\n";
    client.notify("textDocument/didChange", changed(lonely));
    assert_eq!(client.diagnostics(), json!([]));
    let verify = json!({ "command": "bolide.verify", "arguments": [uri, "half"] });
    client.request("workspace/executeCommand", verify);
    let found = client.diagnostics();
    assert_eq!(
        (&found[0]["code"], &found[0]["range"]["start"]["line"]),
        (&json!("div-by-zero"), &json!(1))
    );
    client.notify("textDocument/didChange", changed(&format!("// half\n{lonely}")));
    assert_eq!(client.diagnostics()[0]["range"]["start"]["line"], 2);
    client.notify("textDocument/didChange", changed("int other(int x) {\n  return x;\n}\n"));
    assert_eq!(client.diagnostics(), json!([]));
    let _ = std::fs::remove_dir_all(folder);
}

/// What an earlier scan found is a hint in the editor too, with who says so.
#[test]
fn the_baseline_counts_in_the_editor() {
    let folder = folder("baseline");
    std::fs::write(folder.join("a.c"), WRONG).unwrap();
    let bolide = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
        command.args(arguments).current_dir(&folder).output().unwrap()
    };
    bolide(&["scan", "-q", "-p", "unreach-call", "--sarif", "old.sarif"]);
    let settings = "properties = [\"unreach-call\"]\n[baseline]\nfile = \"old.sarif\"\n\
                    reason = \"before us\"\nowner = \"bob\"\n";
    std::fs::write(folder.join("bolide.toml"), settings).unwrap();
    let mut client = Client::start();
    client.request("initialize", json!({ "capabilities": {} }));
    let mut open = |name: &str| {
        let uri = format!("file://{}", folder.join(name).display());
        client.notify("textDocument/didOpen", json!({ "textDocument": { "uri": uri } }));
        client.diagnostics()
    };
    let found = open("a.c");
    assert_eq!(found[0]["severity"], 4, "{found}");
    assert!(
        found[0]["message"].as_str().unwrap().contains("(accepted: before us (bob))"),
        "{found}"
    );
    // The same line in another file is another finding.
    std::fs::write(folder.join("b.c"), WRONG).unwrap();
    let found = open("b.c");
    assert_eq!(found[0]["severity"], 1, "{found}");
    // For a single program too it is told, and it stays a violation.
    let said = bolide(&["verify", "a.c"]);
    assert_eq!(said.status.code(), Some(10));
    assert!(String::from_utf8_lossy(&said.stdout).contains("accepted: before us (bob)"));
    let json = bolide(&["verify", "--json", "a.c"]).stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["accepted"], "before us (bob)");
    // Without a reason nothing is accepted.
    std::fs::write(folder.join("bolide.toml"), settings.replace("before us", "")).unwrap();
    let said = bolide(&["verify", "a.c"]);
    assert!(!String::from_utf8_lossy(&said.stdout).contains("accepted"));
    let complaint = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        complaint.contains("a baseline without a reason and an owner does not count"),
        "{complaint}"
    );
    let _ = std::fs::remove_dir_all(folder);
}

/// Bad requests are answered with the codes of the protocol, and the server goes on.
#[test]
fn bad_requests_are_answered() {
    let mut client = Client::start();
    assert_eq!(client.refusal("textDocument/hover", json!({})), -32002);
    client.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(client.refusal("initialize", json!({})), -32600);
    assert_eq!(client.refusal("textDocument/rename", json!({})), -32601);
    assert_eq!(client.refusal("textDocument/hover", json!({ "textDocument": 3 })), -32602);
    assert_eq!(client.refusal("workspace/executeCommand", json!({ "command": "x" })), -32602);
    let without_place = json!({ "textDocument": { "uri": "file:///a.c" }, "position": {} });
    for method in ["textDocument/hover", "textDocument/inlayHint", "textDocument/codeAction"] {
        assert_eq!(client.refusal(method, without_place.clone()), -32602, "{method}");
    }
    client.write_raw("{ \"id\": ");
    let answer = client.wait(|m| m.get("error").is_some());
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    client.write_raw("{ \"jsonrpc\": \"2.0\", \"id\": 77 }");
    let answer = client.wait(|m| m.get("error").is_some());
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(client.request("shutdown", Value::Null), Value::Null);
    assert_eq!(client.refusal("textDocument/hover", json!({})), -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    // To leave without a word is an error.
    let mut client = Client::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.child.wait().unwrap().code(), Some(1));
}
