//! The only way to the terminal: data on standard output, everything else on standard error, a broken pipe is success.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use engine::retrieve::{EmbeddingFailure, EmbeddingUse};

use super::failure::{Failure, Kind};

/// Prints `text` to standard output: as it is, but on a terminal so that all of it shows.
pub(super) fn data(text: &str) -> Result<(), Failure> {
    let out = io::stdout();
    if out.is_terminal() { bytes(shown(text).as_bytes()) } else { bytes(text.as_bytes()) }
}

fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("standard output", &error))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value and a newline to standard output.
pub(super) fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut text =
        serde_json::to_string_pretty(value).map_err(|e| Failure::internal(format!("json output: {e}")))?;
    text.push('\n');
    bytes(text.as_bytes())
}

/// Prints one line to standard error.
pub(super) fn note(text: &str) {
    // Nothing sensible is left to do when standard error is closed.
    let _ = writeln!(anstream::stderr().lock(), "{}", visible(text));
}

/// What embeddings did for an answer, or why they did nothing, in one line.
pub(super) fn embeddings(outcome: &Result<EmbeddingUse, EmbeddingFailure>) -> String {
    match outcome {
        Ok(usage) => {
            let EmbeddingUse { model, files, sent, left_out } = usage;
            format!(
                "embeddings: {}: {files} files compared, {left_out} left out, {sent} texts sent",
                visible(model)
            )
        }
        Err(failure) => {
            format!("embeddings: not used ({}): {}", failure.code(), visible(&failure.to_string()))
        }
    }
}

/// Reports a failure in one line and gives its exit code.
pub(super) fn failure(failure: &Failure) -> ExitCode {
    note(&format!("sluice: {failure}"));
    ExitCode::from(failure.kind.exit_code())
}

/// Help and version are data and success; anything else is a usage error, said in one line.
pub(super) fn clap_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Printing fails only when the terminal is gone.
        let _ = error.print();
    } else {
        note(&format!("sluice: {}", usage_line(error)));
    }
    if error.use_stderr() { ExitCode::from(Kind::Usage.exit_code()) } else { ExitCode::SUCCESS }
}

/// Text for one line of a terminal: characters that a file's name may hold and that would do something else than show are
/// escaped.
pub fn visible(text: &str) -> String {
    let shown = |c: char| if acts(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Text of several lines for a terminal: as [`visible`], but lines and tabs stay. What a project's files hold is quoted in it.
pub fn shown(text: &str) -> String {
    let stays = |c: char| matches!(c, '\n' | '\t') || !acts(c);
    text.chars().map(|c| if stays(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}

/// Whether a character acts on the text around it instead of being shown: control characters, ends of lines, what turns the
/// direction of a line, so that it reads as another, and what is no character at all.
pub fn acts(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
                | '\u{fffe}'
                | '\u{ffff}')
}

/// A usage error in one line: what is wrong, the nearest right word where there is one, and where help is.
pub fn usage_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut parts: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n") {
        let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        if !words.is_empty() && !words.starts_with("Usage:") && !words.starts_with("For more information") {
            parts.push(words.trim_start_matches("error: ").trim_start_matches("tip: ").to_owned());
        }
    }
    parts.push("see --help".to_owned());
    parts.join(": ")
}

/// Runs a job that may take long, with a sign of life on a terminal.
pub(super) fn with_progress<T>(what: &'static str, job: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_secs(1));
    let result = job();
    bar.finish_and_clear();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file's own colours, and marks that turn the direction of a line, were sent to the terminal with what was quoted of it.
    #[test]
    fn nothing_that_acts_on_a_terminal_reaches_it() {
        assert_eq!(visible("a\u{1b}[2J\n\u{202e}\u{9b}é"), "a\\u{1b}[2J\\n\\u{202e}\\u{9b}é");
        assert_eq!(shown("a\tb\r\n\u{1b}[31m\u{2066}c"), "a\tb\\r\n\\u{1b}[31m\\u{2066}c");
    }
}
