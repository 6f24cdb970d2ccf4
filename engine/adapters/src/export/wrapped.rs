//! Texts that Pi makes of an entry's fields, taken apart again.

use std::borrow::Cow;

use engine::message::{Block, Json, Message};

use crate::pi::{branch_summary, compaction_summary, shell_text};

/// The one text of a message; `None` where it has anything else.
pub(super) fn only_text(message: &Message) -> Option<&str> {
    match &message.blocks[..] {
        [Block::Text(text)] => Some(text),
        _ => None,
    }
}

/// The summary in the words that Pi puts around one after a compaction.
pub(super) fn compaction_words(message: &Message) -> Option<&str> {
    between(&compaction_summary(HOLE), message)
}

/// The summary in the words that Pi puts around one of a branch.
pub(super) fn branch_words(message: &Message) -> Option<&str> {
    between(&branch_summary(HOLE), message)
}

const HOLE: &str = "\0";

fn between<'m>(words: &Message, message: &'m Message) -> Option<&'m str> {
    let (before, behind) = only_text(words)?.split_once(HOLE)?;
    only_text(message)?.strip_prefix(before)?.strip_suffix(behind)
}

/// The members of a `bashExecution` of which Pi makes this text.
pub(super) fn shell_members(text: &str) -> Option<Vec<(&'static str, Json<'static>)>> {
    let rest = text.strip_prefix("Ran `")?;
    // A command may hold what ends it: the first place that gives the text back is taken.
    let ends = rest.match_indices("`\n").map(|(at, _)| at);
    ends.filter_map(|at| parts(&rest[..at], &rest[at + 2..])).find(|members| {
        let borrowed = members.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect();
        shell_text(&Json::Object(borrowed)) == text
    })
}

fn parts(command: &str, shown: &str) -> Option<Vec<(&'static str, Json<'static>)>> {
    const PATH: &str = "\n\n[Output truncated. Full output: ";
    const EXIT: &str = "\n\nCommand exited with code ";
    let mut tail = Vec::new();
    let mut shown = shown;
    let mut truncated = false;
    if let Some(without) = shown.strip_suffix(']')
        && let Some(at) = without.rfind(PATH)
    {
        tail.push(("fullOutputPath", string(&without[at + PATH.len()..])));
        shown = &shown[..at];
        truncated = true;
    }
    let mut cancelled = false;
    if let Some(without) = shown.strip_suffix("\n\n(command cancelled)") {
        shown = without;
        cancelled = true;
    } else if let Some(at) = shown.rfind(EXIT)
        && let Ok(code) = shown[at + EXIT.len()..].parse::<i64>()
    {
        tail.push(("exitCode", Json::Number(code.into())));
        shown = &shown[..at];
    }
    let output = match shown {
        "(no output)" => "",
        fenced => fenced.strip_prefix("```\n")?.strip_suffix("\n```")?,
    };
    let mut members = vec![("command", string(command)), ("output", string(output))];
    members.extend([("cancelled", Json::Bool(cancelled)), ("truncated", Json::Bool(truncated))]);
    members.extend(tail);
    Some(members)
}

fn string(text: &str) -> Json<'static> {
    Json::String(Cow::Owned(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_texts_are_taken_apart_and_put_together_again() {
        let cases = [
            r#"{"command":"ls","output":"a\nb"}"#,
            r#"{"command":"echo `date`\nls","output":"x`\ny","exitCode":2}"#,
            r#"{"command":"true","output":"","cancelled":true}"#,
            r#"{"command":"cat big","output":"…","truncated":true,"fullOutputPath":"/home/user/out","exitCode":1}"#,
        ];
        for case in cases {
            let json: Json<'_> = serde_json::from_str(case).unwrap();
            let text = shell_text(&json);
            let members = shell_members(&text).unwrap_or_else(|| panic!("{text}"));
            let again = members.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect();
            assert_eq!(shell_text(&Json::Object(again)), text);
        }
        assert!(shell_members("Ran out of time").is_none());
    }
}
