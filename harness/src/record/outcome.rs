//! What can be told from a session about how the run went.

use serde_json::Value;

/// Checks that the agent ran, and how its last reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionOutcome {
    /// Exit code of the last check; nothing if none was run.
    pub verify_exit: Option<i64>,
    /// Checks run.
    pub verify_attempts: u64,
    /// Checks that failed.
    pub verify_failures: u64,
    /// Replies.
    pub replies: u64,
    /// Response identifiers of the replies, in order.
    pub response_ids: Vec<Option<String>>,
    /// Why the last reply isn't a proper end, if it isn't.
    pub broken_end: Option<String>,
    /// Model and provider of the last reply.
    pub model: Option<(String, String)>,
}

/// Reads a Pi session: a check is a `bash` call whose command holds the task's verify command.
pub fn read(session: &str, verify: &str) -> SessionOutcome {
    let mut outcome = SessionOutcome::default();
    let mut checks: Vec<String> = Vec::new();
    for line in session.lines() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        let message = &entry["message"];
        match message["role"].as_str() {
            Some("assistant") => {
                outcome.replies += 1;
                outcome.response_ids.push(message["responseId"].as_str().map(str::to_owned));
                outcome.broken_end = broken_end(message);
                outcome.model = Some((text(&message["provider"]), text(&message["model"])));
                let blocks = message["content"].as_array().into_iter().flatten();
                let calls = blocks.filter(|block| {
                    block["name"] == "bash"
                        && block["arguments"]["command"]
                            .as_str()
                            .is_some_and(|command| command.contains(verify))
                });
                checks.extend(calls.map(|call| text(&call["id"])));
            }
            Some("toolResult") if checks.contains(&text(&message["toolCallId"])) => {
                let exit = exit_code(message);
                outcome.verify_attempts += 1;
                outcome.verify_failures += u64::from(exit != 0);
                outcome.verify_exit = Some(exit);
            }
            _ => {}
        }
    }
    outcome
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn broken_end(message: &Value) -> Option<String> {
    match message["stopReason"].as_str() {
        Some("stop" | "toolUse") => None,
        other => Some(format!("the last reply ended with {}", other.unwrap_or("no reason"))),
    }
}

/// The agent marks a failed command and writes the code at the end of its result; a stopped one has none.
fn exit_code(message: &Value) -> i64 {
    if message["isError"] != true {
        return 0;
    }
    let blocks = message["content"].as_array().into_iter().flatten();
    let said: String = blocks.filter_map(|block| block["text"].as_str()).collect();
    let code = said.rsplit_once("Command exited with code ").and_then(|(_, tail)| {
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        tail[..end].parse().ok()
    });
    code.unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_checks_and_finds_the_end() {
        let line = |message: Value| serde_json::json!({ "type": "message", "message": message }).to_string();
        let call = |id: &str, command: &str| {
            line(
                serde_json::json!({ "role": "assistant", "provider": "p", "model": "m", "stopReason": "toolUse", "responseId": id,
                "content": [{ "type": "toolCall", "id": id, "name": "bash", "arguments": { "command": command } }] }),
            )
        };
        let result = |id: &str, failed: bool, said: &str| {
            line(
                serde_json::json!({ "role": "toolResult", "toolCallId": id, "isError": failed, "content": [{ "type": "text", "text": said }] }),
            )
        };
        let end = line(
            serde_json::json!({ "role": "assistant", "provider": "p", "model": "m", "stopReason": "stop", "content": [] }),
        );
        let session = [
            call("a", "cargo test --test x"),
            result("a", true, "failed\n\nCommand exited with code 101"),
            call("b", "git grep test"),
            result("b", false, "hit"),
            call("c", "cargo test --test x; git diff"),
            result("c", false, "ok"),
            end,
        ]
        .join("\n");
        let outcome = read(&session, "cargo test --test x");
        assert_eq!((outcome.verify_attempts, outcome.verify_failures, outcome.verify_exit), (2, 1, Some(0)));
        assert_eq!((outcome.replies, outcome.broken_end), (4, None));
        let torn = session.lines().take(1).collect::<String>() + "\n{\"type\":\"mess";
        assert_eq!(read(&torn, "x").verify_attempts, 0);
        let failed = line(serde_json::json!({ "role": "assistant", "stopReason": "error", "content": [] }));
        assert!(read(&failed, "x").broken_end.is_some_and(|why| why.ends_with("error")));
    }
}
