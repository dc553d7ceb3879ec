//! Messages over standard input and output.
//!
//! What is no JSON, or no message, is answered here as the protocol wants it and the next message is
//! read: an editor, or what stands between it and us, may err without losing the server.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{Receiver, channel};

/// The messages of the editor, read by a thread of its own until the editor goes away.
pub fn messages() -> Receiver<Message> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(body) = body(&mut input) {
            match understand(&body) {
                Ok(message) => {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
                Err(refusal) => send(&refusal),
            }
        }
    });
    receiver
}

/// One message without its head; none at the end of the input.
fn body(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    // Memory comes with the bytes, not with what is promised of them.
    let mut body = Vec::new();
    let read = input.take(length).read_to_end(&mut body).ok()?;
    (read as u64 == length).then_some(body)
}

/// The message, or what is answered to something that is none.
fn understand(body: &[u8]) -> Result<Message, Value> {
    let refusal = |id: &Value, code: ErrorCode, words: String| {
        let error = json!({ "code": code as i32, "message": words });
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    };
    let value: Value = serde_json::from_slice(body).map_err(|e| {
        refusal(&Value::Null, ErrorCode::ParseError, format!("this is no JSON: {e}"))
    })?;
    let id = if value["id"].is_object() || value["id"].is_array() {
        Value::Null
    } else {
        value["id"].clone()
    };
    serde_json::from_value(value).map_err(|_| {
        let words = "this is neither a request nor a notification nor an answer";
        refusal(&id, ErrorCode::InvalidRequest, words.to_owned())
    })
}

/// Sends a message. Where the editor is gone nobody is left to be told.
pub fn send(message: &Value) {
    let text = message.to_string();
    let mut output = std::io::stdout().lock();
    let _ = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())
        .and_then(|()| output.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_answered() {
        let code = |text: &str| {
            understand(text.as_bytes()).map_err(|answer| answer["error"]["code"].clone())
        };
        assert_eq!(code("{").unwrap_err(), json!(-32700));
        assert_eq!(code("[]").unwrap_err(), json!(-32600));
        assert_eq!(code("{\"id\": 1}").unwrap_err(), json!(-32600));
        assert!(code("{\"jsonrpc\": \"2.0\", \"method\": \"exit\"}").is_ok());
        let mut input = &b"content-length: 2\r\nX: y\r\n\r\n{}rest"[..];
        assert_eq!(body(&mut input).unwrap(), b"{}");
        // Nobody has that much, and nobody sends it.
        let mut input = &b"Content-Length: 9000000000000000000\r\n\r\n{}"[..];
        assert_eq!(body(&mut input), None);
    }
}
