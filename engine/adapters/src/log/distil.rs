//! What an outline needs of an object, and nothing private beyond it.
//!
//! [`Content::Outline`](super::Content::Outline) never looks at texts, so an object without its texts gives the same
//! outline. The names below are all that the dialects look up in an outline; whatever else an object holds is dropped
//! before it is kept anywhere, so a member of an unknown name is private by default.

use std::borrow::Cow;

use engine::message::Json;
use serde::de::IgnoredAny;

use super::suspect::{is_near, tells_usage};

/// Members whose strings stay as they are: what ties entries together, names formats, models and tools, tells times.
const KEPT: &[&str] = &[
    "agentId",
    "anchorUuid",
    "api",
    "branchedFrom",
    "callId",
    "call_id",
    "cli_version",
    "compactedToolIds",
    "compactionId",
    "compaction_response_id",
    "created_at",
    "customType",
    "cwd",
    "effort",
    "firstKeptEntryId",
    "forked_from_id",
    "fromId",
    "headUuid",
    "id",
    "kind",
    "logicalParentUuid",
    "model",
    "modelId",
    "model_provider",
    "name",
    "op",
    "parentId",
    "parentSession",
    "parentUuid",
    "parent_thread_id",
    "plugin",
    "provider",
    "reasoning_effort",
    "record_type",
    "requestId",
    "responseId",
    "responseModel",
    "response_id",
    "role",
    "sessionId",
    "session_id",
    "stopReason",
    "stop_reason",
    "subtype",
    "surfaceOp",
    "tailUuid",
    "targetId",
    "thinkingLevel",
    "timestamp",
    "toolCallId",
    "toolName",
    "tool_use_id",
    "turn_id",
    "type",
    "uuid",
    "uuids",
    "version",
];

/// Members of which only the shape stays: whether a text is empty, what a list or an object holds of the names here.
const SHAPED: &[&str] = &[
    "Err",
    "Ok",
    "action",
    "arguments",
    "argumentsError",
    "attachment",
    "base_instructions",
    "cacheRead",
    "cacheReadTokens",
    "cacheWrite",
    "cacheWrite1h",
    "cacheWriteTokens",
    "cache_creation",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "cached_input_tokens",
    "chunk",
    "compactMetadata",
    "content",
    "content_items",
    "cost",
    "createdAt",
    "data",
    "delegationDepth",
    "dynamic_tools",
    "end",
    "ephemeral_1h_input_tokens",
    "ephemeral_5m_input_tokens",
    "error",
    "excludeFromContext",
    "exit_code",
    "firstKeptEntryIndex",
    "git",
    "header",
    "ignorable",
    "image_url",
    "info",
    "input",
    "inputTokens",
    "input_tokens",
    "instructions",
    "interrupted",
    "isApiErrorMessage",
    "isCompactSummary",
    "isError",
    "isMeta",
    "isSidechain",
    "is_error",
    "last_token_usage",
    "leafUuid",
    "message",
    "microcompactMetadata",
    "num_turns",
    "ordinal",
    "output",
    "outputTokens",
    "output_tokens",
    "output_tokens_details",
    "payload",
    "preTokens",
    "preservedMessages",
    "preservedSegment",
    "prompt",
    "reasoning",
    "reasoningTokens",
    "reasoning_output_tokens",
    "replacement",
    "replacement_history",
    "result",
    "seedLength",
    "seq",
    "shadowedRange",
    "shadowedSeqs",
    "shadowedTokenCount",
    "source",
    "sourceEventSeqs",
    "start",
    "step",
    "subagent",
    "success",
    "summary",
    "systemMessage",
    "thinking_tokens",
    "thread_spawn",
    "time",
    "tokensBefore",
    "toolUseResult",
    "tools",
    "total",
    "totalFromProvider",
    "totalTokens",
    "total_token_usage",
    "total_tokens",
    "turn",
    "usage",
    "v",
];

/// Members that hold what a tool was asked or gave, in the tool's own words: no name in them means what it means
/// elsewhere. Some formats have a figure of the same name, which stays.
const OPAQUE: &[&str] = &["action", "arguments", "input", "toolUseResult"];

/// Members that tell billed tokens: an object of an unknown name that holds one is a sign of damage.
const USAGE: &[&str] = &["usage", "info", "total_token_usage", "last_token_usage"];

/// Stands for the unknown name of such an object, and for all members of an object that knows none: that it isn't empty
/// stays. Near no name that a reader looks for.
const UNKNOWN: &str = "unknown member";

/// Entries that name a session in the person's words: their names aren't names of tools.
const TITLES: &[&str] = &["session_info"];

/// What stands for a text that isn't empty. It is JSON, should a reader look.
const TEXT: &str = "{}";

/// What stands for arguments in a string that aren't JSON.
const NO_JSON: &str = "{";

/// What a string becomes.
#[derive(Clone, Copy)]
enum Strings {
    Kept,
    Shaped,
}

/// The object without its texts.
pub(crate) fn distil(json: &Json<'_>) -> Json<'static> {
    value(json, Strings::Shaped)
}

fn value(json: &Json<'_>, strings: Strings) -> Json<'static> {
    match json {
        Json::Null => Json::Null,
        Json::Bool(value) => Json::Bool(*value),
        Json::Number(number) => Json::Number(number.clone()),
        Json::String(text) => Json::String(match strings {
            Strings::Kept => Cow::Owned(text.clone().into_owned()),
            Strings::Shaped if text.is_empty() => Cow::Borrowed(""),
            Strings::Shaped => Cow::Borrowed(TEXT),
        }),
        Json::Array(items) => Json::Array(items.iter().map(|item| value(item, strings)).collect()),
        Json::Object(members) => Json::Object(object(json, members)),
    }
}

type Members<'j> = [(Cow<'j, str>, Json<'j>)];

fn object(json: &Json<'_>, members: &Members<'_>) -> Vec<(Cow<'static, str>, Json<'static>)> {
    let is_title = json.str_at("type").is_some_and(|kind| TITLES.contains(&kind));
    let mut kept: Vec<_> = members.iter().filter_map(|(name, member)| kept(name, member, is_title)).collect();
    if kept.is_empty() && !members.is_empty() {
        kept.push((Cow::Borrowed(UNKNOWN), Json::Null));
    }
    kept
}

fn kept(name: &str, member: &Json<'_>, is_title: bool) -> Option<(Cow<'static, str>, Json<'static>)> {
    let known = |names: &[&'static str]| names.iter().find(|known| **known == name).copied();
    match (known(KEPT), known(SHAPED)) {
        (Some("name"), _) if is_title => None,
        (_, Some(name)) if OPAQUE.contains(&name) => Some((Cow::Borrowed(name), emptied(member))),
        (Some(name), _) => Some((Cow::Borrowed(name), value(member, Strings::Kept))),
        (None, Some(name)) => Some((Cow::Borrowed(name), value(member, Strings::Shaped))),
        (None, None) => suspect(name, member),
    }
}

/// What the readers take for a sign of damage: a name one byte away from one they know, billed tokens in a member that
/// nobody knows.
fn suspect(name: &str, member: &Json<'_>) -> Option<(Cow<'static, str>, Json<'static>)> {
    let shaped = || value(member, Strings::Shaped);
    let near = KEPT.iter().chain(SHAPED).any(|known| is_near(known.as_bytes(), name.as_bytes()));
    if near {
        return Some((Cow::Owned(name.to_owned()), shaped()));
    }
    tells_usage(member, USAGE).then(|| (Cow::Borrowed(UNKNOWN), shaped()))
}

fn emptied(json: &Json<'_>) -> Json<'static> {
    match json {
        Json::Object(_) => Json::Object(Vec::new()),
        Json::Array(_) => Json::Array(Vec::new()),
        Json::String(text) if !text.is_empty() && serde_json::from_str::<IgnoredAny>(text).is_err() => {
            Json::String(Cow::Borrowed(NO_JSON))
        }
        other => value(other, Strings::Shaped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_arguments_and_unknown_members_are_gone() {
        let line = r#"{"type":"message","id":"a","secret":"s3cr3t","message":{"role":"assistant","content":[
            {"type":"text","text":"s3cr3t"},{"type":"toolCall","id":"c","name":"read","arguments":{"s3cr3t":"s3cr3t"}}],
            "usage":{"input":3}},"summary":"s3cr3t","empty":{"s3cr3t":[1]}}"#;
        let json: Json<'_> = serde_json::from_str(line).unwrap();
        let kept = distil(&json).to_source_order();
        assert!(!kept.contains("s3cr3t"), "{kept}");
        assert_eq!(
            kept,
            r#"{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"text"},{"type":"toolCall","id":"c","name":"read","arguments":{}}],"usage":{"input":3}},"summary":"{}"}"#
        );
    }

    #[test]
    fn a_tools_own_words_are_gone_whatever_they_are_called() {
        let line = r#"{"type":"user","uuid":"a","parentUuid":"b","toolUseResult":{"name":"s3cr3t","id":"s3cr3t"},
            "message":{"role":"user","content":[{"type":"tool_use","id":"c","name":"Read","input":{"name":"s3cr3t"}},
            {"type":"tool_result","tool_use_id":"c","content":"s3cr3t","is_error":true}],"usage":{"input":4}}}"#;
        let json: Json<'_> = serde_json::from_str(line).unwrap();
        assert_eq!(
            distil(&json).to_source_order(),
            r#"{"type":"user","uuid":"a","parentUuid":"b","toolUseResult":{},"message":{"role":"user","content":[{"type":"tool_use","id":"c","name":"Read","input":{}},{"type":"tool_result","tool_use_id":"c","content":"{}","is_error":true}],"usage":{"input":4}}}"#
        );
    }

    #[test]
    fn an_object_of_unknown_members_is_no_empty_one() {
        let json: Json<'_> = serde_json::from_str(r#"{"type":"message","usage":{"input_tok":3}}"#).unwrap();
        assert_eq!(
            distil(&json).to_source_order(),
            r#"{"type":"message","usage":{"unknown member":null}}"#,
            "figures that can't be read aren't none"
        );
        assert!(KEPT.iter().chain(SHAPED).all(|name| !is_near(name.as_bytes(), UNKNOWN.as_bytes())));
    }

    #[test]
    fn the_name_of_a_session_is_gone() {
        let json: Json<'_> =
            serde_json::from_str(r#"{"type":"session_info","id":"a","name":"My trip"}"#).unwrap();
        assert_eq!(distil(&json).to_source_order(), r#"{"type":"session_info","id":"a"}"#);
    }
}
