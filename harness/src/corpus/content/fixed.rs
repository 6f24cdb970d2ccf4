//! Words that an agent puts into a request by itself, which no session holds (Pi 1.6.0). Each is a constant, or a frame
//! around what the session does hold: none has room for a text of anybody else.

/// Instructions that a provider's subscription demands before the agent's own.
pub(super) const IDENTITY: [&str; 1] = ["You are Claude Code, Anthropic's official CLI for Claude."];

/// What stands between the sections of instructions.
pub(super) const BETWEEN_SECTIONS: &str = "\n\n";

/// A reply that some providers want between a result and a word of the person.
pub(super) const BRIDGE: &str = "I have processed the tool results.";

/// What a model that can't see is shown in the place of images.
pub(super) const UNSEEN: [&str; 2] =
    ["(image omitted: model does not support images)", "(tool image omitted: model does not support images)"];

/// What stands in a result without text, or in the place of its images.
const EMPTY: [&str; 5] = [
    "(see attached image)",
    "(no tool output)",
    "(image attached after the tool results)",
    UNSEEN[0],
    UNSEEN[1],
];

/// The longest name of a call and its tool that a caption may tell.
const LONGEST_NAME: usize = 160;

/// Whether a result that a request shows stands for the session's: line by line, but for words in the place of images or of
/// nothing.
pub(super) fn stands_for(shown: &str, told: &str) -> bool {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter(|line| !EMPTY.contains(line) && !line.is_empty())
    }
    shown.lines().any(|line| EMPTY.contains(&line)) && lines(shown).eq(lines(told))
}

/// Whether a text announces images of results, which some providers take only as the person's.
pub(super) fn is_caption(text: &str) -> bool {
    let named = text
        .strip_prefix("Images from the error result of tool call ")
        .and_then(|rest| rest.strip_suffix("):"))
        .is_some_and(|names| names.len() <= LONGEST_NAME && !names.contains(char::is_control));
    named || text == "Attached image(s) from tool result:"
}

/// Whether a text is put together from `pieces` (longest first, trimmed) and the frames that tell which section of the
/// instructions has changed.
pub(super) fn is_made_of(text: &str, pieces: &[&str]) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let piece = pieces.iter().find_map(|piece| rest.strip_prefix(piece).filter(|_| !piece.is_empty()));
        match piece.or_else(|| past_frame(rest)) {
            Some(after) => rest = after.trim_start(),
            None => return false,
        }
    }
    true
}

/// What follows a frame at the beginning of a text.
fn past_frame(text: &str) -> Option<&str> {
    let (frame, end) =
        [("Updated system prompt section \"", "\":"), ("Removed system prompt section \"", "\".")]
            .into_iter()
            .find_map(|(frame, end)| Some((text.strip_prefix(frame)?, end)))?;
    let (name, after) = frame.split_once(end)?;
    (name.len() <= LONGEST_NAME && !name.contains(char::is_whitespace)).then_some(after)
}
