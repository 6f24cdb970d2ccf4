//! What of an entry can be recalled.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::message::{Block, Message, Role};
use crate::privacy::mask_secrets;
use crate::session::{Entry, EntryKind};

/// Injections of the engine itself: quoting a quotation would bring back what was true of the files once.
const OWN_INJECTIONS: &str = "sluice.";

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// Words of the person.
    Request,
    /// Words of the model.
    Reply,
    /// A tool call with its arguments.
    Call,
    /// What a tool answered.
    Result,
    /// A shell command that the person ran.
    Shell,
    /// What an extension injected.
    Injected,
    /// A summary of other entries.
    Summary,
}

impl DocumentKind {
    /// Every kind.
    pub const ALL: [DocumentKind; 7] = [
        DocumentKind::Request,
        DocumentKind::Reply,
        DocumentKind::Call,
        DocumentKind::Result,
        DocumentKind::Shell,
        DocumentKind::Injected,
        DocumentKind::Summary,
    ];

    /// The stable name in reports and in stored rows.
    pub fn name(self) -> &'static str {
        match self {
            DocumentKind::Request => "request",
            DocumentKind::Reply => "reply",
            DocumentKind::Call => "call",
            DocumentKind::Result => "result",
            DocumentKind::Shell => "shell",
            DocumentKind::Injected => "injected",
            DocumentKind::Summary => "summary",
        }
    }

    /// The kind of a name.
    pub fn of_name(name: &str) -> Option<DocumentKind> {
        DocumentKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One text of an entry: a block of a message it adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Position of the block among all blocks that the entry adds, from 0.
    pub part: u32,
    /// What it is.
    pub kind: DocumentKind,
    /// The text, secrets masked; line breaks are those of the log, so line numbers are true. A call is the tool's name and
    /// below it a line a value of the arguments, by name, strings decoded.
    pub text: String,
    /// SHA-256 of the text with blanks collapsed: two documents of one digest say the same.
    pub digest: [u8; 32],
}

/// The documents of an entry, in order. None come of instructions, declarations, reasoning, images, failed replies, what the
/// person kept from the model, and the engine's own injections.
pub fn documents(entry: &Entry) -> Vec<Document> {
    let own = matches!(&entry.kind, EntryKind::Injected { source, .. } if source.starts_with(OWN_INJECTIONS));
    if own {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut part = 0;
    for message in entry.kind.messages() {
        for block in &message.blocks {
            if let Some((kind, text)) = recallable(&entry.kind, message, block) {
                let text = mask_secrets(&text).text.into_owned();
                let digest = digest(&text);
                out.push(Document { part, kind, text, digest });
            }
            part += 1;
        }
    }
    out
}

fn recallable(entry: &EntryKind, message: &Message, block: &Block) -> Option<(DocumentKind, String)> {
    if message.role == Role::System || message.is_failed_reply() {
        return None;
    }
    let (kind, text) = match block {
        Block::Text(text) => (kind(entry, message.role), text.clone()),
        Block::ToolCall { name, arguments, .. } => (DocumentKind::Call, call_text(name, arguments)),
        Block::Thinking { .. } | Block::Image { .. } | Block::ToolDeclaration { .. } => return None,
    };
    (!text.trim().is_empty()).then_some((kind, text))
}

fn kind(entry: &EntryKind, role: Role) -> DocumentKind {
    match (entry, role) {
        (
            EntryKind::Compaction { .. }
            | EntryKind::Replacement { .. }
            | EntryKind::BranchSummary { .. }
            | EntryKind::ContextEdit { .. },
            _,
        ) => DocumentKind::Summary,
        (EntryKind::Injected { .. }, _) => DocumentKind::Injected,
        (EntryKind::UserShell { .. }, _) => DocumentKind::Shell,
        (_, Role::Assistant) => DocumentKind::Reply,
        (_, Role::ToolResult) => DocumentKind::Result,
        _ => DocumentKind::Request,
    }
}

/// Arguments decoded: what a person looks for stands in the strings, not in their escapes.
fn call_text(name: &str, arguments: &Value) -> String {
    let mut out = name.to_owned();
    flatten("", arguments, &mut out);
    out
}

fn flatten(path: &str, value: &Value, out: &mut String) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| flatten(&below(key), value, out)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| flatten(&below(&at.to_string()), value, out));
        }
        Value::Null => {}
        scalar => {
            let text = scalar.as_str().map_or_else(|| scalar.to_string(), str::to_owned);
            out.push('\n');
            if !path.is_empty() {
                out.push_str(path);
                out.push_str(if text.contains('\n') { ":\n" } else { ": " });
            }
            out.push_str(text.trim_end_matches('\n'));
        }
    }
}

fn digest(text: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for word in text.split_whitespace() {
        hash.update(word);
        hash.update(" ");
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::EntryId;

    fn entry(kind: EntryKind) -> Entry {
        Entry { id: EntryId("a".into()), parent: None, line: 1, bytes: 0..0, time_ms: None, kind }
    }

    fn texts(kind: EntryKind) -> Vec<(DocumentKind, String)> {
        documents(&entry(kind)).into_iter().map(|d| (d.kind, d.text)).collect()
    }

    #[test]
    fn a_call_is_told_by_its_decoded_arguments() {
        let call = Block::ToolCall {
            id: "1".to_owned(),
            name: "edit".to_owned(),
            arguments: serde_json::json!({"edits": [{"new": "a\nb"}], "path": "src/a.rs", "dry": true}),
            json: String::new(),
        };
        let message = Message { blocks: vec![call], ..Message::from_text(Role::Assistant, "") };
        let text = "edit\ndry: true\nedits.0.new:\na\nb\npath: src/a.rs".to_owned();
        assert_eq!(texts(EntryKind::Message(message)), [(DocumentKind::Call, text)]);
    }

    #[test]
    fn instructions_own_packs_and_what_was_kept_from_the_model_are_never_recalled() {
        let text = |role| Message::from_text(role, "words");
        assert_eq!(texts(EntryKind::Message(text(Role::System))), []);
        let shell = |excluded| EntryKind::UserShell { message: text(Role::User), excluded };
        assert_eq!(texts(shell(true)), []);
        assert_eq!(texts(shell(false)), [(DocumentKind::Shell, "words".to_owned())]);
        let injected =
            |source: &str| EntryKind::Injected { source: source.to_owned(), message: text(Role::User) };
        assert_eq!(texts(injected("sluice.pack")), []);
        assert_eq!(texts(injected("notes")), [(DocumentKind::Injected, "words".to_owned())]);
    }

    #[test]
    fn secrets_are_masked_before_anything_is_kept_or_hashed() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let found =
            documents(&entry(EntryKind::Message(Message::from_text(Role::User, format!("use {token}")))));
        assert_eq!(found[0].text, "use [redacted:github-token]");
        let masked = documents(&entry(EntryKind::Message(Message::from_text(Role::User, &found[0].text))));
        assert_eq!(masked[0].digest, found[0].digest, "the digest tells nothing of the secret");
    }

    #[test]
    fn equal_words_have_equal_digests_whatever_the_blanks() {
        assert_eq!(digest("a  b\n"), digest("a b"));
        assert_ne!(digest("ab"), digest("a b"));
    }
}
