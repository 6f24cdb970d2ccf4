//! What stored requests say against what the session says: the same words of the person and the engine, the same calls,
//! the same results.
//!
//! Identifiers and tokens alone would let either side be rewritten: a session with other results, requests with a text that
//! no session holds. Requests in the formats that the recorder stores are compared, Anthropic's Messages and OpenAI's Chat
//! Completions; of the latter a stored result names no call, so that results are compared in their order. Requests of any
//! other format can't be compared, and that is told: content that nobody has checked isn't evidence.

use std::borrow::Cow;

use engine::message::{Block, Role};
use engine::session::{Selection, SessionTree, TreeIndex};
use serde_json::Value;

use super::{Activity, RunEvidence, WireRequest};

/// How requests of a format hold what is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Messages,
    ChatCompletions,
}

impl Format {
    fn of(path: &str) -> Option<Format> {
        if path.ends_with("/messages") {
            Some(Format::Messages)
        } else if path.ends_with("/chat/completions") {
            Some(Format::ChatCompletions)
        } else {
            None
        }
    }
}

/// What the comparison of a run's requests found first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// A request's content isn't the session's at that moment: its number and what differs.
    Differs(usize, &'static str),
    /// A request of a format that can't be compared: its number and path.
    Unknown(usize, String),
}

/// A call: identifier, tool, arguments.
type Call<'a> = (&'a str, &'a str, Cow<'a, Value>);

/// What a prompt holds, apart from instructions: in order within each list.
#[derive(Debug, Default, PartialEq)]
struct Content<'a> {
    /// Texts shown as the person's, sorted.
    said: Vec<&'a str>,
    /// Calls.
    calls: Vec<Call<'a>>,
    /// Results: identifier of the call where the format names it, text.
    results: Vec<(&'a str, Cow<'a, str>)>,
}

impl Content<'_> {
    /// The first kind of content in which two prompts differ.
    fn difference(&self, other: &Content<'_>) -> Option<&'static str> {
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

/// The first request that contradicts the session, or that can't be compared with it.
pub(super) fn first_contradiction(evidence: &RunEvidence, activity: &Activity) -> Option<Contradiction> {
    let tree = &evidence.session.tree;
    let index = TreeIndex::new(tree);
    let billed = activity.requests.iter().filter(|request| !request.usage.is_zero());
    let wire = evidence.wire.iter().enumerate().filter(|(_, request)| request.usage.is_some());
    billed.zip(wire).find_map(|(reply, (number, request))| {
        let Some(format) = Format::of(&request.path) else {
            return Some(Contradiction::Unknown(number, request.path.clone()));
        };
        let selection = held(tree, &index, reply.entry);
        let told = session_content(&selection, format);
        let sent = wire_content(request, format);
        told.difference(&sent).map(|what| Contradiction::Differs(number, what))
    })
}

/// What the agent held when it asked for the reply of `entry`.
fn held<'t>(tree: &'t SessionTree, index: &TreeIndex, entry: usize) -> Selection<'t> {
    index.parent(entry).map(|head| index.select(tree, head)).unwrap_or_default()
}

fn session_content<'a>(selection: &'a Selection<'_>, format: Format) -> Content<'a> {
    let mut content = Content::default();
    for selected in selection.sent() {
        let message = selected.message.as_ref();
        match message.role {
            Role::System => {}
            Role::User => {
                let texts = message.blocks.iter().filter_map(text_of).map(plain);
                content.said.extend(texts.filter(|text| !text.is_empty()));
            }
            Role::Assistant => content.calls.extend(message.blocks.iter().filter_map(|block| match block {
                Block::ToolCall { id, name, arguments, .. } => {
                    Some((id.as_str(), name.as_str(), Cow::Borrowed(arguments)))
                }
                _ => None,
            })),
            Role::ToolResult => {
                let call = message.answers.as_ref().map_or("", |answer| answer.call_id.as_str());
                let texts: Vec<&str> = message.blocks.iter().filter_map(text_of).collect();
                content.results.push(result(call, joined(&texts), format));
            }
        }
    }
    content.said.sort_unstable();
    content
}

fn text_of(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) => Some(text),
        _ => None,
    }
}

fn wire_content(request: &WireRequest, format: Format) -> Content<'_> {
    let mut content = Content::default();
    for message in &request.messages {
        let blocks = message.blocks.iter().map(|block| &**block);
        match (format, message.role.as_str()) {
            (Format::Messages, _) => {
                blocks.for_each(|block| content.take_anthropic(&message.role, block));
            }
            (Format::ChatCompletions, "tool") => {
                let texts: Vec<&str> = blocks.filter_map(text_in).collect();
                content.results.push(result("", joined(&texts), format));
            }
            (Format::ChatCompletions, "assistant") => content.calls.extend(blocks.filter_map(openai_call)),
            (Format::ChatCompletions, "user") => {
                content.said.extend(blocks.filter_map(text_in).map(plain));
            }
            (Format::ChatCompletions, _) => {}
        }
    }
    content.said.retain(|text| !text.is_empty());
    content.said.sort_unstable();
    content
}

impl<'e> Content<'e> {
    fn take_anthropic(&mut self, role: &str, block: &'e Value) {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match (role, block["type"].as_str()) {
            ("user", Some("text")) => self.said.push(plain(text("text"))),
            // A message of one text may be written as a string.
            ("user", None) => self.said.extend(block.as_str().map(plain)),
            ("user", Some("tool_result")) => {
                let told = result_text(&block["content"]);
                self.results.push(result(text("tool_use_id"), told, Format::Messages));
            }
            ("assistant", Some("tool_use")) => {
                self.calls.push((text("id"), text("name"), Cow::Borrowed(&block["input"])));
            }
            _ => {}
        }
    }
}

fn openai_call(block: &Value) -> Option<Call<'_>> {
    let function = block.get("function")?;
    let arguments = function["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
    let name = function["name"].as_str().unwrap_or_default();
    Some((block["id"].as_str().unwrap_or_default(), name, Cow::Owned(arguments.unwrap_or_default())))
}

/// What agents write for an empty result where the format forbids an empty message.
const EMPTY: &str = "(see attached image)";

/// A result as it is compared.
fn result<'a>(call: &'a str, text: Cow<'a, str>, format: Format) -> (&'a str, Cow<'a, str>) {
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(plain(text)),
        Cow::Owned(text) => Cow::Owned(plain(&text).to_owned()),
    };
    match format {
        Format::Messages => (call, text),
        Format::ChatCompletions => ("", if text == EMPTY { Cow::Borrowed("") } else { text }),
    }
}

/// A result's text, whether it stands as one string or as blocks.
fn result_text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(text_in).collect();
            joined(&texts)
        }
        _ => Cow::Borrowed(""),
    }
}

/// The text of a content part, which may be a string by itself.
fn text_in(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| part["text"].as_str())
}

fn joined<'a>(texts: &[&'a str]) -> Cow<'a, str> {
    match texts {
        [one] => Cow::Borrowed(one),
        texts => Cow::Owned(texts.join("\n")),
    }
}

/// Text as it is compared: agents cut trailing space.
fn plain(text: &str) -> &str {
    text.trim_end()
}

#[cfg(test)]
mod tests {
    use engine::message::{Message, ToolAnswer};
    use engine::session::SelectedMessage;
    use serde_json::json;

    use super::*;

    /// A prompt, a call and its result, as a session holds them.
    fn selection(result: &str) -> Selection<'static> {
        let call = Message {
            role: Role::Assistant,
            blocks: vec![Block::ToolCall {
                id: "t1".to_owned(),
                name: "read".to_owned(),
                arguments: json!({ "path": "a.py", "limit": 3 }),
                json: r#"{"path":"a.py","limit":3}"#.to_owned(),
            }],
            answers: None,
            reply: None,
        };
        let mut answer = Message::from_text(Role::ToolResult, result);
        answer.answers =
            Some(ToolAnswer { call_id: "t1".to_owned(), tool: "read".to_owned(), is_error: false });
        let messages = [Message::from_text(Role::User, "fix it\n"), call, answer]
            .into_iter()
            .enumerate()
            .map(|(entry, message)| SelectedMessage { entry, message: Cow::Owned(message) })
            .collect();
        Selection { leaf: Some(2), entries: vec![0, 1, 2], messages }
    }

    /// The same as Chat Completions store it.
    fn completions<'v>(blocks: &'v [Value; 3]) -> Content<'v> {
        let [said, call, told] = blocks;
        Content {
            said: text_in(said).map(plain).into_iter().collect(),
            calls: openai_call(call).into_iter().collect(),
            results: vec![result("", joined(&[text_in(told).unwrap()]), Format::ChatCompletions)],
        }
    }

    #[test]
    fn chat_completions_say_the_same_in_their_own_form() {
        let stored = |told: &str| {
            let function = json!({ "name": "read", "arguments": "{\"limit\": 3, \"path\": \"a.py\"}" });
            [json!("fix it"), json!({ "id": "t1", "type": "function", "function": function }), json!(told)]
        };
        let session = selection("x = 1\n");
        let told = session_content(&session, Format::ChatCompletions);
        assert_eq!(told.difference(&completions(&stored("x = 1"))), None);
        assert_eq!(told.difference(&completions(&stored("x = 2"))), Some("the results"));
        let silent = selection("");
        let told = session_content(&silent, Format::ChatCompletions);
        assert_eq!(told.difference(&completions(&stored(EMPTY))), None);
    }

    #[test]
    fn a_format_is_known_by_its_path() {
        assert_eq!(Format::of("/v1/messages"), Some(Format::Messages));
        assert_eq!(Format::of("/v1/chat/completions"), Some(Format::ChatCompletions));
        assert_eq!(Format::of("/v1/responses"), None);
    }
}
