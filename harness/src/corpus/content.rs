//! What stored requests say against what the session says: the same instructions, the same words of the person, the engine
//! and the model, the same calls, the same results, the same images.
//!
//! Identifiers and tokens alone would let either side be rewritten: a session with other results, requests with a text that
//! no session holds. Requests in the formats that the recorder stores are compared, Anthropic's Messages and OpenAI's Chat
//! Completions. Whatever of a request this module doesn't know how to compare (another format, a document, a member beside a
//! message's content) is told: content that nobody has checked isn't evidence.
//!
//! Agents put some words of their own into a request: [`fixed`] lists them, and nothing else is let through.

use std::borrow::Cow;

use engine::message::{Block, Role, sha256_hex};
use engine::session::{EntryKind, Selection, SessionTree, TreeIndex};
use serde_json::{Map, Value};

use super::{Activity, RunEvidence, WireRequest};

mod fixed;

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
    /// A request that holds what nobody compares: its number and what that is.
    Unread(usize, String),
}

/// A call: identifier, tool, arguments.
type Call<'a> = (&'a str, &'a str, Cow<'a, Value>);

/// A result: identifier of the call, text, whether the call failed where that is told.
type Answer<'a> = (&'a str, Cow<'a, str>, Option<bool>);

/// What a session says of a prompt, each list in its order.
#[derive(Debug, Default)]
struct Told<'a> {
    /// Texts of each message with instructions.
    instructions: Vec<Vec<&'a str>>,
    /// Texts shown as the person's.
    said: Vec<&'a str>,
    /// Replies: their texts, and their reasoning as far as it can be read.
    replies: Vec<Reply<'a>>,
    calls: Vec<Call<'a>>,
    results: Vec<Answer<'a>>,
    /// Hashes of images, sorted: agents may send those of failed calls behind all others.
    images: Vec<&'a str>,
    /// Names of the tools whose results it holds.
    tools: Vec<&'a str>,
}

/// A reply of the session.
#[derive(Debug, Default)]
struct Reply<'a> {
    /// Its texts, one after the other.
    text: Cow<'a, str>,
    /// Reasoning: text and signature.
    thoughts: Vec<(&'a str, Option<&'a str>)>,
    /// Texts and reasoning without a signature in their order, as some models are sent both.
    aloud: Vec<&'a str>,
}

/// What a stored request says, each list in its order.
#[derive(Debug, Default)]
struct Sent<'a> {
    instructions: Vec<&'a str>,
    /// Texts shown as the person's.
    said: Vec<&'a str>,
    replies: Vec<Cow<'a, str>>,
    calls: Vec<Call<'a>>,
    results: Vec<Answer<'a>>,
    /// Hashes of images, sorted: agents may send those of failed calls behind all others.
    images: Vec<String>,
    thoughts: Vec<Thought<'a>>,
    /// Names of tools beside their results.
    tools: Vec<&'a str>,
}

/// Reasoning that a request gives back.
#[derive(Debug, PartialEq)]
enum Thought<'a> {
    /// Text with its signature.
    Signed(&'a str, &'a str),
    /// Text of a whole reply's reasoning.
    Plain(&'a str),
    /// What only the provider can read.
    Opaque(&'a Value),
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
        let mut told = Told::of(&selection);
        if told.instructions.is_empty() {
            told.instructions = instructions_until(tree, reply.entry);
        }
        match Sent::of(request, format) {
            Ok(sent) => told.difference(&sent).map(|what| Contradiction::Differs(number, what)),
            Err(unread) => Some(Contradiction::Unread(number, unread)),
        }
    })
}

/// Whether a session is told to instruct its model, or to offer it tools, more than once: then requests differ in that.
pub(super) fn instructs_anew(evidence: &RunEvidence) -> bool {
    instructions_until(&evidence.session.tree, usize::MAX).len() > 1
}

/// What the agent held when it asked for the reply of `entry`.
fn held<'t>(tree: &'t SessionTree, index: &TreeIndex, entry: usize) -> Selection<'t> {
    index.parent(entry).map(|head| index.select(tree, head)).unwrap_or_default()
}

/// Every message with instructions before an entry: what a compaction leaves of them isn't written down anew.
fn instructions_until(tree: &SessionTree, entry: usize) -> Vec<Vec<&str>> {
    let messages = tree.entries.iter().take(entry).filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) if message.role == Role::System => Some(message),
        _ => None,
    });
    messages.map(|message| message.blocks.iter().filter_map(text_of).collect()).collect()
}

impl<'a> Told<'a> {
    fn of(selection: &'a Selection<'_>) -> Told<'a> {
        let mut told = Told::default();
        for selected in selection.sent() {
            let message = selected.message.as_ref();
            let texts = || message.blocks.iter().filter_map(text_of);
            if message.role != Role::System {
                told.images.extend(message.blocks.iter().filter_map(|block| match block {
                    Block::Image { sha256, .. } => Some(sha256.as_str()),
                    _ => None,
                }));
            }
            match message.role {
                Role::System => told.instructions.push(texts().collect()),
                Role::User => told.said.extend(texts().map(plain).filter(|text| !text.is_empty())),
                Role::Assistant => {
                    told.replies.push(Reply::of(&message.blocks));
                    told.calls.extend(message.blocks.iter().filter_map(call_of));
                }
                Role::ToolResult => {
                    let answer = message.answers.as_ref();
                    let texts: Vec<&str> = texts().collect();
                    told.tools.extend(answer.map(|answer| answer.tool.as_str()));
                    let call = answer.map_or("", |answer| answer.call_id.as_str());
                    told.results.push((call, cut(joined(&texts)), answer.map(|answer| answer.is_error)));
                }
            }
        }
        told.images.sort_unstable();
        told
    }

    /// The first kind of content in which a request differs from the session.
    fn difference(&self, sent: &Sent<'_>) -> Option<&'static str> {
        // Models without eyes are sent words in the place of images.
        let unseen = sent.images.is_empty() && !self.images.is_empty();
        if !self.instructs(&sent.instructions) {
            Some("the instructions")
        } else if !self.says(&sent.said, unseen) {
            Some("what was said to the model")
        } else if !self.replied(&sent.replies) {
            Some("what the model said")
        } else if self.calls != sent.calls {
            Some("the calls")
        } else if !self.answers(&sent.results) {
            Some("the results")
        } else if !unseen && self.images.iter().ne(sent.images.iter()) {
            Some("the images")
        } else if !sent.thoughts.iter().all(|thought| self.thought(thought)) {
            Some("what the model thought")
        } else if !sent.tools.iter().all(|tool| self.tools.contains(tool)) {
            Some("the tools that answered")
        } else {
            None
        }
    }

    /// One message with instructions is sent as it stands. Of several an agent puts together what counts in its own way:
    /// nothing is sent that none of them says.
    fn instructs(&self, sent: &[&str]) -> bool {
        let sent = || sent.iter().copied().filter(|text| !text.is_empty() && !fixed::IDENTITY.contains(text));
        let own = |texts: &[&'a str]| {
            let texts = texts.iter().copied().filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(fixed::BETWEEN_SECTIONS)
        };
        match self.instructions.as_slice() {
            [] => sent().next().is_none(),
            [one] => plain(&own(one)) == plain(&sent().collect::<Vec<_>>().join(fixed::BETWEEN_SECTIONS)),
            several => {
                let mut pieces: Vec<&str> = several.iter().flatten().map(|text| text.trim()).collect();
                pieces.sort_unstable_by_key(|piece| std::cmp::Reverse(piece.len()));
                sent().all(|text| fixed::is_made_of(text, &pieces))
            }
        }
    }

    fn says(&self, sent: &[&str], unseen: bool) -> bool {
        if !unseen {
            return self.said == sent;
        }
        self.said.iter().eq(sent.iter().filter(|text| !fixed::UNSEEN.contains(text)))
    }

    /// Each reply in its order; one that says nothing may be left out.
    fn replied(&self, sent: &[Cow<'_, str>]) -> bool {
        let mut replies = self.replies.iter();
        let told = |text: &str| {
            for reply in replies.by_ref() {
                if reply.is(text) {
                    return true;
                }
                if !plain(&reply.text).is_empty() {
                    return false;
                }
            }
            false
        };
        let sent = sent.iter().map(|text| plain(text));
        sent.filter(|text| !text.is_empty() && *text != fixed::BRIDGE).all(told)
            && replies.all(|reply| plain(&reply.text).is_empty())
    }

    fn answers(&self, sent: &[Answer<'_>]) -> bool {
        let same = |((told, text, erred), (call, shown, failed)): (&Answer<'_>, &Answer<'_>)| {
            told == call
                && (text == shown || fixed::stands_for(shown, text))
                && failed.is_none_or(|failed| erred.is_some_and(|erred| erred == failed))
        };
        self.results.len() == sent.len() && self.results.iter().zip(sent).all(same)
    }

    fn thought(&self, thought: &Thought<'_>) -> bool {
        let mut all = self.replies.iter().flat_map(|reply| &reply.thoughts);
        match *thought {
            Thought::Signed(text, signature) => {
                all.any(|(told, by)| *told == text && by.unwrap_or("") == signature)
            }
            Thought::Plain(text) => {
                let whole =
                    |reply: &Reply<'_>| same_words(reply.thoughts.iter().map(|(told, _)| *told), text);
                text.is_empty() || self.replies.iter().any(whole)
            }
            Thought::Opaque(value) => all.any(|(_, by)| {
                by.is_some_and(|by| match value {
                    Value::String(data) => data == by,
                    value => serde_json::from_str::<Value>(by).is_ok_and(|told| told == *value),
                })
            }),
        }
    }
}

impl<'a> Reply<'a> {
    fn of(blocks: &'a [Block]) -> Reply<'a> {
        let mut reply = Reply::default();
        for block in blocks {
            match block {
                // Blank texts aren't sent.
                Block::Text(text) if text.trim().is_empty() => {}
                Block::Text(text) => {
                    reply.aloud.push(text);
                    match &mut reply.text {
                        Cow::Borrowed("") => reply.text = Cow::Borrowed(text),
                        said => said.to_mut().push_str(text),
                    }
                }
                Block::Thinking { text, signature } => {
                    reply.thoughts.push((text, signature.as_deref()));
                    if signature.as_deref().is_none_or(|signature| signature.trim().is_empty()) {
                        reply.aloud.push(text);
                    }
                }
                _ => {}
            }
        }
        reply
    }

    /// Whether a request that says `text` in its place says this reply: as it stands, or with the reasoning spoken aloud.
    fn is(&self, text: &str) -> bool {
        plain(&self.text) == text
            || (!self.thoughts.is_empty()
                && (same_words(self.aloud.iter().copied(), text)
                    || same_words(self.thoughts.iter().map(|(told, _)| *told).chain([&*self.text]), text)))
    }
}

/// Whether texts, one after the other, are `whole` but for the space between words.
fn same_words<'t>(texts: impl Iterator<Item = &'t str>, whole: &str) -> bool {
    texts
        .flat_map(str::split_whitespace)
        .flat_map(str::chars)
        .eq(whole.split_whitespace().flat_map(str::chars))
}

fn text_of(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) => Some(text),
        _ => None,
    }
}

fn call_of(block: &Block) -> Option<Call<'_>> {
    match block {
        Block::ToolCall { id, name, arguments, .. } => Some((id, name, Cow::Borrowed(arguments))),
        _ => None,
    }
}

impl<'e> Sent<'e> {
    /// What a request says; what of it isn't known, if there is such a thing.
    fn of(request: &'e WireRequest, format: Format) -> Result<Sent<'e>, String> {
        let mut sent = Sent::default();
        for block in &request.instructions {
            let text = text_in(block).ok_or_else(|| kind_of(block))?;
            sent.instructions.push(text);
        }
        for message in &request.messages {
            let blocks = message.blocks.iter().map(|block| &**block);
            match (format, message.role.as_str()) {
                (_, "user") => sent.take_user(blocks)?,
                (_, "assistant") => sent.take_reply(blocks)?,
                (Format::ChatCompletions, "tool") => sent.take_result(blocks)?,
                (Format::Messages, "system") => {
                    for block in blocks {
                        sent.instructions.push(text_in(block).ok_or_else(|| kind_of(block))?);
                    }
                }
                (_, role) => return Err(format!("a message of role {role:?}")),
            }
        }
        sent.said.retain(|text| !text.is_empty());
        sent.images.sort_unstable();
        Ok(sent)
    }

    /// What is shown as the person's; in Messages the results too.
    fn take_user(&mut self, blocks: impl Iterator<Item = &'e Value> + Clone) -> Result<(), String> {
        let pictured = blocks.clone().any(|block| image_in(block).is_some());
        for block in blocks {
            if let Some(text) = text_in(block).map(plain) {
                if !(pictured && fixed::is_caption(text)) {
                    self.said.push(text);
                }
            } else if let Some(image) = image_in(block) {
                self.images.push(image);
            } else if block["type"] == "tool_result" && has_only(block, &RESULT) {
                let told = self.take_parts(&block["content"])?;
                let failed = block["is_error"].as_bool().unwrap_or(false);
                self.results.push((block["tool_use_id"].as_str().unwrap_or_default(), told, Some(failed)));
            } else {
                return Err(kind_of(block));
            }
        }
        Ok(())
    }

    fn take_reply(&mut self, mut blocks: impl Iterator<Item = &'e Value>) -> Result<(), String> {
        let mut texts = Vec::new();
        blocks.try_for_each(|block| {
            match block["type"].as_str() {
                Some("tool_use") if has_only(block, &CALL) => {
                    let text = |name: &str| block[name].as_str().unwrap_or_default();
                    self.calls.push((text("id"), text("name"), Cow::Borrowed(&block["input"])));
                }
                Some("thinking") if has_only(block, &THINKING) => {
                    let text = |name: &str| block[name].as_str().unwrap_or_default();
                    self.thoughts.push(Thought::Signed(text("thinking"), text("signature")));
                }
                Some("redacted_thinking") if has_only(block, &REDACTED) => {
                    self.thoughts.push(Thought::Opaque(&block["data"]))
                }
                _ => match (text_in(block), call_in(block), beside(block)) {
                    (Some(text), ..) => texts.push(text),
                    (_, Some(call), _) => self.calls.push(call),
                    (.., Some(members)) => self.take_reasoning(members)?,
                    _ => return Err(kind_of(block)),
                },
            }
            Ok(())
        })?;
        self.replies.push(match texts[..] {
            [one] => Cow::Borrowed(one),
            _ => Cow::Owned(texts.concat()),
        });
        Ok(())
    }

    /// What stands beside a reply's content: its reasoning, in one of the members that providers take it back in.
    fn take_reasoning(&mut self, members: &'e Map<String, Value>) -> Result<(), String> {
        members.iter().try_for_each(|(name, value)| match (name.as_str(), value) {
            ("reasoning_content" | "reasoning" | "reasoning_text", Value::String(text)) => {
                self.thoughts.push(Thought::Plain(text));
                Ok(())
            }
            ("reasoning_details", value) => {
                self.thoughts.push(Thought::Opaque(value));
                Ok(())
            }
            _ => Err(format!("a reply's member {name:?}")),
        })
    }

    /// A result as Chat Completions hold it: the call that it answers, then its text.
    fn take_result(&mut self, mut blocks: impl Iterator<Item = &'e Value>) -> Result<(), String> {
        let mut call = "";
        let mut texts = Vec::new();
        blocks.try_for_each(|block| {
            let Some(members) = beside(block) else {
                texts.push(text_in(block).ok_or_else(|| kind_of(block))?);
                return Ok(());
            };
            members.iter().try_for_each(|(name, value)| match (name.as_str(), value.as_str()) {
                ("tool_call_id", Some(id)) => {
                    call = id;
                    Ok(())
                }
                ("name", Some(tool)) => {
                    self.tools.push(tool);
                    Ok(())
                }
                _ => Err(format!("a result's member {name:?}")),
            })
        })?;
        // The format has no mark for a failed call.
        self.results.push((call, cut(joined(&texts)), None));
        Ok(())
    }

    /// A result's text, whether it stands as one string or as parts; its images are kept.
    fn take_parts(&mut self, content: &'e Value) -> Result<Cow<'e, str>, String> {
        match content {
            Value::Null => Ok(Cow::Borrowed("")),
            Value::String(text) => Ok(Cow::Borrowed(plain(text))),
            Value::Array(parts) => {
                let mut texts = Vec::new();
                for part in parts {
                    match (text_in(part), image_in(part)) {
                        (Some(text), _) => texts.push(text),
                        (_, Some(image)) => self.images.push(image),
                        _ => return Err(kind_of(part)),
                    }
                }
                Ok(cut(joined(&texts)))
            }
            other => Err(kind_of(other)),
        }
    }
}

/// What stands beside a message's content, which the recorder keeps as an object without a type.
fn beside(block: &Value) -> Option<&Map<String, Value>> {
    block.as_object().filter(|members| !members.contains_key("type") && !members.contains_key("function"))
}

// Members of the parts that are compared. A part with any other says more than is compared.
const TEXT: [&str; 2] = ["type", "text"];
const IMAGE: [&str; 3] = ["type", "source", "image_url"];
const RESULT: [&str; 4] = ["type", "tool_use_id", "content", "is_error"];
const CALL: [&str; 4] = ["type", "id", "name", "input"];
const FUNCTION: [&str; 3] = ["type", "id", "function"];
const THINKING: [&str; 3] = ["type", "thinking", "signature"];
const REDACTED: [&str; 2] = ["type", "data"];

fn has_only(part: &Value, names: &[&str]) -> bool {
    part.as_object().is_some_and(|members| members.keys().all(|name| names.contains(&name.as_str())))
}

fn call_in(block: &Value) -> Option<Call<'_>> {
    let function = block.get("function").filter(|_| has_only(block, &FUNCTION))?;
    let arguments = function["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
    let name = function["name"].as_str().unwrap_or_default();
    Some((block["id"].as_str().unwrap_or_default(), name, Cow::Owned(arguments.unwrap_or_default())))
}

/// The text of a content part, which may be a string by itself.
fn text_in(part: &Value) -> Option<&str> {
    let text = || part["text"].as_str().filter(|_| part["type"] == "text" && has_only(part, &TEXT));
    part.as_str().or_else(text)
}

/// SHA-256 of an image's encoded data, as sessions name it.
fn image_in(part: &Value) -> Option<String> {
    let data = match part["type"].as_str()? {
        _ if !has_only(part, &IMAGE) => return None,
        "image" => part["source"]["data"].as_str()?,
        "image_url" => part["image_url"]["url"].as_str()?.strip_prefix("data:")?.split_once(',')?.1,
        _ => return None,
    };
    Some(sha256_hex(data.as_bytes()))
}

/// How a part that isn't known is told: by its type, never by what it holds.
fn kind_of(part: &Value) -> String {
    match part["type"].as_str() {
        Some(kind) => format!("a part of type {kind:?}"),
        None => "a part without a type".to_owned(),
    }
}

fn joined<'a>(texts: &[&'a str]) -> Cow<'a, str> {
    match texts {
        [] => Cow::Borrowed(""),
        [one] => Cow::Borrowed(one),
        texts => Cow::Owned(texts.join("\n")),
    }
}

/// Text as it is compared: agents cut trailing space.
fn plain(text: &str) -> &str {
    text.trim_end()
}

fn cut(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(plain(text)),
        Cow::Owned(mut text) => {
            text.truncate(plain(&text).len());
            Cow::Owned(text)
        }
    }
}

#[cfg(test)]
mod tests;
