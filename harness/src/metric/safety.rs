//! Safety counters over stored requests: what the *engine* added, and what it lost. All must be 0.
//!
//! * *added* text: text blocks of user messages that aren't a message of the person in the session. In a native run there
//!   are none;
//! * protected path: an added text that quotes a protected file: names its path at the start of a line (as a pack's
//!   headers do), or holds a line of at least 16 characters that stands in protected files only;
//! * secret: an added text that holds one of the task's planted credentials or a credential of a known shape;
//! * lost request: a request without the person's latest message;
//! * split group: a call without its result in the same request, or a result without its call;
//! * overflow: a request billed above the model's window.
//!
//! Each counter counts requests in the first four cases, distinct added texts in the first two.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::Metric;
use crate::corpus::{Activity, RunEvidence, WireRequest};
use crate::scenario::{Scenario, ScenarioError};
use crate::variant::CONTEXT_WINDOW;

/// Shortest line that identifies a protected file.
const TELLING_LINE: usize = 16;

/// What a scenario's engine must never add: computed once a scenario.
#[derive(Debug, Clone, Default)]
pub struct Forbidden {
    paths: Arc<BTreeSet<String>>,
    lines: Arc<BTreeSet<String>>,
    secrets: Vec<String>,
}

impl Forbidden {
    /// Reads the protected files of a scenario's fixture, and which of their lines stand nowhere else; `files` are all of it.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn of(scenario: &Scenario, files: &BTreeSet<String>) -> Result<Forbidden, ScenarioError> {
        let paths = Arc::new(scenario.protected_among(files));
        let mut forbidden = Forbidden { paths, lines: Arc::default(), secrets: scenario.secrets.clone() };
        if forbidden.paths.is_empty() {
            return Ok(forbidden);
        }
        let (protected, open): (Vec<&String>, Vec<&String>) =
            files.iter().partition(|file| forbidden.paths.contains(*file));
        let lines_of = |files: &[&String]| telling_lines(&scenario.fixture, files);
        forbidden.lines = Arc::new(lines_of(&protected)?.difference(&lines_of(&open)?).cloned().collect());
        Ok(forbidden)
    }

    /// The same for another scenario that protects the same files of the same repository: its credentials are its own.
    #[must_use]
    pub fn with_secrets_of(&self, scenario: &Scenario) -> Forbidden {
        Forbidden { secrets: scenario.secrets.clone(), ..self.clone() }
    }

    fn quoted_by(&self, text: &str) -> bool {
        text.lines().map(str::trim).any(|line| {
            self.lines.contains(line)
                || self
                    .paths
                    .iter()
                    .any(|path| line.trim_start_matches(['#', ' ', '`']).starts_with(path.as_str()))
        })
    }

    fn secret_in(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| text.contains(secret.as_str())) || known_credential(text)
    }
}

/// Lines that are long enough to tell a file. A request holds text: bytes that are none stand there as replacement
/// characters, and so they do here.
fn telling_lines(root: &Path, files: &[&String]) -> Result<BTreeSet<String>, ScenarioError> {
    let mut lines = BTreeSet::new();
    for file in files {
        let path = root.join(file);
        let bytes = crate::regular::read(&path).map_err(|error| ScenarioError::io(&path, error))?;
        let text = String::from_utf8_lossy(&bytes);
        lines
            .extend(text.lines().map(str::trim).filter(|line| line.len() >= TELLING_LINE).map(str::to_owned));
    }
    Ok(lines)
}

/// Credentials recognised by their shape: a marker and at least so many characters of the token alphabet behind it.
const SHAPES: [(&str, usize); 9] = [
    ("AKIA", 16),
    ("ghp_", 36),
    ("gho_", 36),
    ("github_pat_", 40),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("sk-", 32),
    ("AIza", 35),
    ("-----BEGIN PRIVATE KEY-----", 0),
];

fn known_credential(text: &str) -> bool {
    SHAPES.iter().any(|(marker, length)| {
        text.match_indices(marker).any(|(at, _)| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let fresh = !text[..at].ends_with(word);
            fresh && text[at + marker.len()..].chars().take_while(|c| word(*c)).count() >= *length
        })
    })
}

/// The counters of a run.
pub(super) fn values(
    evidence: &RunEvidence,
    activity: &Activity,
    forbidden: &Forbidden,
) -> Vec<(Metric, f64)> {
    let requests = &evidence.wire;
    let added = added_texts(evidence, activity);
    let count = |hit: &dyn Fn(&WireRequest) -> bool| requests.iter().filter(|request| hit(request)).count();
    let lost = lost_requests(evidence, activity);
    let figures = [
        (Metric::SafetyProtectedPath, added.iter().filter(|text| forbidden.quoted_by(text)).count()),
        (Metric::SafetySecret, added.iter().filter(|text| forbidden.secret_in(text)).count()),
        (Metric::SafetyLostRequest, lost),
        (Metric::SafetySplitGroup, count(&splits_group)),
        (
            Metric::SafetyOverflow,
            count(&|request| request.usage.is_some_and(|usage| usage.prompt() > CONTEXT_WINDOW)),
        ),
    ];
    figures.map(|(metric, count)| (metric, count as f64)).to_vec()
}

/// Distinct texts in messages with the person's words or with instructions, and in instructions that came after the first
/// request, that the session doesn't hold as the person's. Summaries that the agent itself
/// wrote would be among them; the campaigns' sessions are too short for any.
fn added_texts<'e>(evidence: &'e RunEvidence, activity: &Activity) -> BTreeSet<&'e str> {
    let own: BTreeSet<&str> = activity.prompts.iter().map(|(_, text)| text.trim()).collect();
    let first = evidence.wire.first().map(|request| &*request.system).unwrap_or_default();
    let later = evidence.wire.iter().filter(|request| request.system != first);
    let instructions = later.flat_map(|request| &request.instructions).filter_map(|block| text_of(block));
    let texts = evidence.wire.iter().flat_map(|request| texts_of(request, &["user", "system"]));
    texts.chain(instructions).filter(|text| !own.contains(text.trim())).collect()
}

fn texts_of<'r>(request: &'r WireRequest, roles: &'static [&'static str]) -> impl Iterator<Item = &'r str> {
    let messages = request.messages.iter().filter(|message| roles.contains(&&*message.role));
    messages.flat_map(|message| &message.blocks).filter_map(|block| text_of(block))
}

fn text_of(block: &Value) -> Option<&str> {
    block.as_str().or_else(|| block.get("text").and_then(Value::as_str))
}

/// Stored requests that lack the person's latest message before their reply.
fn lost_requests(evidence: &RunEvidence, activity: &Activity) -> usize {
    let by_response: BTreeMap<&str, usize> = activity
        .requests
        .iter()
        .filter_map(|request| Some((request.response_id.as_deref()?, request.entry)))
        .collect();
    let lacks = |request: &&WireRequest| {
        // A request whose reply isn't in the session was repeated by the agent: judged by the first prompt.
        let entry = request.response_id.as_deref().and_then(|id| by_response.get(id)).copied();
        let before = |(at, _): &&(usize, String)| entry.is_none_or(|entry| *at < entry);
        let prompts = activity.prompts.iter().take_while(before);
        let latest = if entry.is_some() { prompts.last() } else { activity.prompts.first() };
        latest
            .is_some_and(|(_, prompt)| !texts_of(request, &["user"]).any(|text| text.trim() == prompt.trim()))
    };
    evidence.wire.iter().filter(lacks).count()
}

fn splits_group(request: &WireRequest) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for message in &request.messages {
        let member =
            |name: &'static str| message.blocks.iter().map(move |block| (block, block[name].as_str()));
        let calls =
            member("id").filter(|(block, _)| block["type"] == "tool_use" || block.get("function").is_some());
        open.extend(calls.filter_map(|(_, id)| id));
        // Chat Completions name the answered call beside the content, once a message.
        let answers: Vec<Option<&str>> = if message.role == "tool" {
            vec![member("tool_call_id").find_map(|(_, id)| id)]
        } else {
            member("tool_use_id")
                .filter(|(block, _)| block["type"] == "tool_result")
                .map(|(_, id)| id)
                .collect()
        };
        for answered in answers {
            match open.iter().rposition(|id| Some(*id) == answered) {
                Some(at) => drop(open.remove(at)),
                None => return true,
            }
        }
    }
    !open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_split_where_a_call_and_its_result_dont_both_stand() {
        use serde_json::json;
        let request = |messages: &[(&str, Value)]| WireRequest {
            path: "/v1/chat/completions".to_owned(),
            response_id: None,
            model: "m".to_owned(),
            tools: Vec::new(),
            system: Vec::new(),
            instructions: Vec::new(),
            parameters: Arc::default(),
            messages: messages
                .iter()
                .map(|(role, block)| crate::corpus::WireMessage {
                    role: (*role).to_owned(),
                    blocks: vec![Arc::new(block.clone())],
                })
                .collect(),
            usage: None,
        };
        let forms = [
            (
                ("assistant", json!({ "type": "function", "id": "a", "function": {} })),
                ("tool", json!({ "tool_call_id": "a" })),
                ("tool", json!({ "tool_call_id": "b" })),
                ("tool", json!("a result of no call")),
            ),
            (
                ("assistant", json!({ "type": "tool_use", "id": "a" })),
                ("user", json!({ "type": "tool_result", "tool_use_id": "a" })),
                ("user", json!({ "type": "tool_result", "tool_use_id": "b" })),
                ("user", json!({ "type": "tool_result" })),
            ),
        ];
        for (call, result, other, unnamed) in forms {
            assert!(!splits_group(&request(&[call.clone(), result.clone()])));
            assert!(splits_group(&request(std::slice::from_ref(&call))), "no result");
            assert!(splits_group(&request(std::slice::from_ref(&result))), "no call");
            assert!(splits_group(&request(&[result.clone(), call.clone()])), "the wrong way round");
            assert!(splits_group(&request(&[call.clone(), other])), "of another call");
            assert!(splits_group(&request(&[call.clone(), unnamed])), "of no call");
            assert!(splits_group(&request(&[call, result.clone(), result])), "twice");
        }
    }

    #[test]
    fn known_shapes_are_found_and_ordinary_words_are_not() {
        assert!(known_credential(&format!("key = \"AKIA{}\"", "A1B2C3D4".repeat(2))));
        assert!(known_credential("-----BEGIN PRIVATE KEY-----\nMII"));
        assert!(!known_credential("task-force, desk-lamp, sk-short"));
        assert!(!known_credential(&format!("risk-{}", "a".repeat(40))));
    }

    #[test]
    fn lines_of_a_protected_file_tell_it_though_one_byte_of_it_is_no_utf_8() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("old.csv"), b"caf\xe9\n2023-12-31,closing,1204.50\n").unwrap();
        let (old, gone) = ("old.csv".to_owned(), "gone.csv".to_owned());
        let lines = telling_lines(root.path(), &[&old]).unwrap();
        assert_eq!(lines, BTreeSet::from(["2023-12-31,closing,1204.50".to_owned()]));
        let error = telling_lines(root.path(), &[&old, &gone]).unwrap_err();
        assert!(error.to_string().contains("gone.csv"), "{error}");
    }

    #[test]
    fn a_pack_header_of_a_protected_file_and_its_own_lines_count_but_a_mention_does_not() {
        let forbidden = Forbidden {
            paths: Arc::new(BTreeSet::from(["data/closed/2023.csv".to_owned()])),
            lines: Arc::new(BTreeSet::from(["2023-12-31,closing,1204.50".to_owned()])),
            secrets: vec!["FAKE-TOKEN-1".to_owned()],
        };
        assert!(forbidden.quoted_by("text\n## data/closed/2023.csv:1-9\n"));
        assert!(forbidden.quoted_by("  2023-12-31,closing,1204.50\n"));
        assert!(!forbidden.quoted_by("path = \"data/closed/2023.csv\""));
        assert!(forbidden.secret_in("token FAKE-TOKEN-1"));
    }
}
