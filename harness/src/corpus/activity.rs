//! What an agent did in a session: requests, and tool calls bound to their results.

use engine::message::{Block, Message, Reply, Role, StopReason, Usage};
use engine::session::{EntryKind, SessionTree};
use serde_json::Value;

/// A session as a sequence of requests and tool calls, in file order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Activity {
    /// One a reply, however many entries it stands in: each reply is one provider request.
    pub requests: Vec<Request>,
    /// Tool calls in the order of the replies that made them.
    pub calls: Vec<Call>,
    /// Messages of the person: index of the entry, text.
    pub prompts: Vec<(usize, String)>,
    /// Messages injected by an engine or extension: index of the entry, source, text.
    pub injected: Vec<(usize, String, String)>,
    /// Thinking levels set, in order.
    pub thinking: Vec<String>,
}

/// One provider request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Index of the reply's entry.
    pub entry: usize,
    /// Provider as named by the agent.
    pub provider: String,
    /// Model that answered.
    pub model: String,
    /// Identifier of the reply.
    pub response_id: Option<String>,
    /// Tokens billed; nothing where the log tells nothing.
    pub usage: Usage,
    /// Whether the reply failed or was aborted.
    pub failed: bool,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Index of the request whose reply made it.
    pub request: usize,
    /// Tool name.
    pub tool: String,
    /// What it does.
    pub action: Action,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// Its result; `None` where the session ends before it.
    pub result: Option<CallResult>,
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// Index of the entry.
    pub entry: usize,
    /// What the model was shown.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// What a tool call does. Paths are relative to the session's working directory where they lie below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Shows a file.
    Read {
        /// The file.
        path: String,
    },
    /// Looks for names or text.
    Search,
    /// Replaces text in a file.
    Edit {
        /// The file.
        path: String,
        /// Replacements in order.
        hunks: Vec<Hunk>,
    },
    /// Writes a file whole.
    Write {
        /// The file.
        path: String,
        /// Its new content.
        content: String,
    },
    /// Runs a command.
    Shell {
        /// The command line.
        command: String,
    },
    /// Anything else.
    Other,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Text before.
    pub old: String,
    /// Text after.
    pub new: String,
}

impl Call {
    /// Whether it answered without an error.
    pub fn succeeded(&self) -> bool {
        self.result.as_ref().is_some_and(|result| !result.is_error)
    }

    /// The file that it shows or changes.
    pub fn path(&self) -> Option<&str> {
        match &self.action {
            Action::Read { path } | Action::Edit { path, .. } | Action::Write { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether it changed a file.
    pub fn changed_file(&self) -> bool {
        matches!(self.action, Action::Edit { .. } | Action::Write { .. }) && self.succeeded()
    }

    /// Exit code of a shell command: 0 if it succeeded; the code that the agent writes under a failed command's output;
    /// -1 for a command that was stopped. `None` without a result.
    pub fn exit_code(&self) -> Option<i64> {
        let result = self.result.as_ref()?;
        if !result.is_error {
            return Some(0);
        }
        let code = result.text.rsplit_once("Command exited with code ").and_then(|(_, tail)| {
            let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
            tail[..end].parse().ok()
        });
        Some(code.unwrap_or(-1))
    }
}

impl Activity {
    /// Reads a session. A result is bound to the nearest preceding unanswered call of its identifier, because
    /// identifiers recur.
    pub fn of(tree: &SessionTree) -> Activity {
        let mut activity = Activity::default();
        let mut open: Vec<(String, usize)> = Vec::new();
        for (entry, held) in tree.entries.iter().enumerate() {
            match &held.kind {
                EntryKind::Message(message) => {
                    activity.take(entry, message, tree.cwd.as_deref(), &mut open);
                }
                EntryKind::Injected { source, message } => {
                    activity.injected.push((entry, source.clone(), message.text()));
                }
                EntryKind::ThinkingChange { level } => activity.thinking.push(level.clone()),
                _ => {}
            }
        }
        activity
    }

    fn take(&mut self, entry: usize, message: &Message, cwd: Option<&str>, open: &mut Vec<(String, usize)>) {
        match message.role {
            Role::System => {}
            Role::User => self.prompts.push((entry, message.text())),
            Role::Assistant => self.take_reply(entry, message, cwd, open),
            Role::ToolResult => {
                let Some(answer) = &message.answers else { return };
                let Some(at) = open.iter().rposition(|(id, _)| *id == answer.call_id) else { return };
                let (_, call) = open.remove(at);
                self.calls[call].result =
                    Some(CallResult { entry, text: message.text(), is_error: answer.is_error });
            }
        }
    }

    fn take_reply(
        &mut self,
        entry: usize,
        message: &Message,
        cwd: Option<&str>,
        open: &mut Vec<(String, usize)>,
    ) {
        let Some(reply) = &message.reply else { return };
        let request = self.request_of(entry, reply);
        for block in &message.blocks {
            let Block::ToolCall { id, name, arguments, json } = block else { continue };
            open.push((id.clone(), self.calls.len()));
            let action = action(name, arguments, cwd);
            let (tool, arguments) = (name.clone(), json.clone());
            self.calls.push(Call { request, tool, action, arguments, result: None });
        }
    }

    /// The request that a reply answers: of a further piece the one that its beginning answers.
    fn request_of(&mut self, entry: usize, reply: &Reply) -> usize {
        if reply.continues
            && let Some(begun) =
                self.requests.iter().rposition(|request| request.response_id == reply.response_id)
        {
            return begun;
        }
        self.requests.push(Request {
            entry,
            provider: reply.provider.clone(),
            model: reply.model.clone(),
            response_id: reply.response_id.clone(),
            usage: reply.usage.unwrap_or_default(),
            failed: matches!(reply.stop, StopReason::Error | StopReason::Aborted),
        });
        self.requests.len() - 1
    }

    /// Shell calls that run a task's verification and have an answer: those whose command holds the command line.
    pub fn verifications<'a>(&'a self, verify: &[String]) -> impl Iterator<Item = &'a Call> {
        let line = verify.join(" ");
        self.calls.iter().filter(move |call| {
            matches!(&call.action, Action::Shell { command } if command.contains(&line))
                && call.result.is_some()
        })
    }
}

fn action(tool: &str, arguments: &Value, cwd: Option<&str>) -> Action {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let path = || text("path").or_else(|| text("file_path")).map(|path| relative(path, cwd));
    match (tool, path()) {
        ("read", Some(path)) => Action::Read { path },
        ("write", Some(path)) => Action::Write { path, content: text("content").unwrap_or("").to_owned() },
        ("edit", Some(path)) => Action::Edit { path, hunks: hunks(arguments) },
        ("grep" | "find" | "ls", _) => Action::Search,
        ("bash", _) => Action::Shell { command: text("command").unwrap_or("").to_owned() },
        _ => Action::Other,
    }
}

/// Newer agents give a list of replacements, older ones a single pair.
fn hunks(arguments: &Value) -> Vec<Hunk> {
    let pair = |value: &Value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Hunk { old: text("oldText")?, new: text("newText")? })
    };
    match arguments.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().filter_map(pair).collect(),
        None => pair(arguments).into_iter().collect(),
    }
}

fn relative(path: &str, cwd: Option<&str>) -> String {
    let below = cwd.and_then(|cwd| path.strip_prefix(cwd)?.strip_prefix('/')).unwrap_or(path);
    let names: Vec<&str> = below.split('/').filter(|name| *name != ".").collect();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use engine::session::{Entry, EntryId};

    use super::*;

    #[test]
    fn paths_below_the_working_directory_become_relative() {
        let cwd = Some("/home/user/app");
        assert_eq!(relative("/home/user/app/src/a.py", cwd), "src/a.py");
        assert_eq!(relative("./src/a.py", cwd), "src/a.py");
        assert_eq!(relative("/home/user/apple/a.py", cwd), "/home/user/apple/a.py");
    }

    #[test]
    fn both_spellings_of_an_edit_are_read() {
        let new = serde_json::json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}]});
        let old = serde_json::json!({"path": "a", "oldText": "x", "newText": "y"});
        assert_eq!(action("edit", &new, None), action("edit", &old, None));
    }

    #[test]
    fn a_reply_in_pieces_is_one_request() {
        let piece = |entry: &str, id: &str, call: &str, continues: bool| Entry {
            id: EntryId(entry.into()),
            parent: None,
            line: 1,
            bytes: 0..0,
            time_ms: None,
            kind: EntryKind::Message(Message {
                role: Role::Assistant,
                blocks: vec![Block::ToolCall {
                    id: call.to_owned(),
                    name: "read".to_owned(),
                    arguments: serde_json::json!({"path": call}),
                    json: format!(r#"{{"path":"{call}"}}"#),
                }],
                answers: None,
                reply: Some(Box::new(Reply {
                    provider: String::new(),
                    model: "m".to_owned(),
                    api: String::new(),
                    stop: StopReason::ToolUse,
                    usage: (!continues).then(|| Usage { output: 7, ..Usage::default() }),
                    response_id: Some(id.to_owned()),
                    started_ms: None,
                    continues,
                })),
            }),
        };
        let entries = vec![
            piece("a", "r1", "one", false),
            piece("b", "r1", "two", true),
            piece("c", "r2", "three", false),
            piece("d", "r1", "late", true),
            piece("e", "gone", "alone", true),
        ];
        let activity = Activity::of(&SessionTree { entries, ..SessionTree::default() });
        let requests: Vec<_> = activity.requests.iter().map(|r| (r.entry, r.usage.output)).collect();
        assert_eq!(requests, [(0, 7), (2, 7), (4, 0)]);
        let calls: Vec<_> = activity.calls.iter().map(|call| call.request).collect();
        assert_eq!(calls, [0, 0, 1, 0, 2]);
    }
}
