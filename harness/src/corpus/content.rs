//! What stored requests say against what the session says: the same words of the person and the engine, the same calls,
//! the same results.
//!
//! Identifiers and tokens alone would let either side be rewritten: a session with other results, requests with a text that
//! no session holds. Requests of Anthropic's format are compared block by block; of another format identifiers and tokens
//! are compared alone, since agents rewrite calls for it.

use engine::message::{Block, Role, stable_json};
use engine::session::{SessionTree, TreeIndex};
use serde_json::Value;

use super::{Activity, RunEvidence, WireRequest};

/// The path of the format that is compared.
const ANTHROPIC: &str = "/v1/messages";

/// What a prompt holds, apart from instructions: in order within each list.
#[derive(Debug, Default, PartialEq, Eq)]
struct Content {
    /// Texts shown as the person's.
    said: Vec<String>,
    /// Calls: identifier, tool, arguments as stable JSON.
    calls: Vec<(String, String, String)>,
    /// Results: identifier of the call, text.
    results: Vec<(String, String)>,
}

impl Content {
    /// The first kind of content in which two prompts differ.
    fn difference(&self, other: &Content) -> Option<&'static str> {
        if self.said != other.said {
            Some("what was said to the model")
        } else if self.calls != other.calls {
            Some("the calls")
        } else if self.results != other.results {
            Some("the results")
        } else {
            None
        }
    }
}

/// The first request whose content isn't the session's at that moment: its number and what differs.
pub(super) fn first_difference(evidence: &RunEvidence, activity: &Activity) -> Option<(usize, &'static str)> {
    let tree = &evidence.session.tree;
    let index = TreeIndex::new(tree);
    let billed = activity.requests.iter().filter(|request| !request.usage.is_zero());
    let wire = evidence.wire.iter().enumerate().filter(|(_, request)| request.usage.is_some());
    billed.zip(wire).filter(|(_, (_, request))| request.path.ends_with(ANTHROPIC)).find_map(
        |(reply, (number, request))| {
            let told = session_content(tree, &index, reply.entry);
            let sent = wire_content(evidence, request);
            told.difference(&sent).map(|what| (number, what))
        },
    )
}

/// What the agent held when it asked for the reply of `entry`.
fn session_content(tree: &SessionTree, index: &TreeIndex, entry: usize) -> Content {
    let mut content = Content::default();
    let Some(head) = index.parent(entry) else { return content };
    let selection = index.select(tree, head);
    for selected in selection.sent() {
        let message = selected.message.as_ref();
        match message.role {
            Role::System => {}
            Role::User => content.said.extend(texts(&message.blocks)),
            Role::Assistant => content.calls.extend(message.blocks.iter().filter_map(|block| match block {
                Block::ToolCall { id, name, arguments, .. } => {
                    Some((id.clone(), name.clone(), stable_json(arguments)))
                }
                _ => None,
            })),
            Role::ToolResult => {
                let call = message.answers.as_ref().map(|answer| answer.call_id.clone()).unwrap_or_default();
                let text: Vec<String> = message.blocks.iter().filter_map(text_of).collect();
                content.results.push((call, plain(&text.join("\n"))));
            }
        }
    }
    content.said.sort();
    content
}

fn texts(blocks: &[Block]) -> impl Iterator<Item = String> {
    blocks.iter().filter_map(text_of).map(|text| plain(&text)).filter(|text| !text.is_empty())
}

fn text_of(block: &Block) -> Option<String> {
    match block {
        Block::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn wire_content(evidence: &RunEvidence, request: &WireRequest) -> Content {
    let mut content = Content::default();
    let blocks = request.messages.iter().flat_map(|message| {
        message.blocks.iter().filter_map(|hash| Some((message.role.as_str(), evidence.blocks.get(hash)?)))
    });
    for (role, block) in blocks {
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        match (role, block["type"].as_str()) {
            ("user", Some("text")) => content.said.push(plain(&text("text"))),
            ("user", Some("tool_result")) => {
                content.results.push((text("tool_use_id"), plain(&result_text(&block["content"]))));
            }
            ("assistant", Some("tool_use")) => {
                content.calls.push((text("id"), text("name"), stable_json(&block["input"])));
            }
            _ => {}
        }
    }
    content.said.retain(|text| !text.is_empty());
    content.said.sort();
    content
}

/// A result's text, whether it stands as one string or as blocks.
fn result_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Text as it is compared: agents cut trailing space.
fn plain(text: &str) -> String {
    text.trim_end().to_owned()
}
