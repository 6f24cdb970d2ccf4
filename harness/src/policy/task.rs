//! The task in a request: which message asks for something, and the check that it names.

use super::{Transcript, Turn};

/// How a check's command begins.
const RUNNERS: [&str; 4] = ["python3 ", "node ", "cargo ", "npm "];

/// The request's task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Task {
    /// The words of whoever asked, without the check's command.
    pub words: String,
    /// The check's command.
    pub check: Option<String>,
}

impl Task {
    /// The user's message that names a check nearest to its own end: people put the check last, documents quoted
    /// beside the prompt seldom do. Without one, the last message.
    pub fn find(view: &Transcript) -> Self {
        let messages = || {
            view.turns.iter().filter_map(|turn| match turn {
                Turn::User(text) => Some(text.as_str()),
                _ => None,
            })
        };
        let named = messages().filter_map(|text| {
            let (start, command) = last_command(text)?;
            Some((text.trim_end().len().saturating_sub(start + command.len()), start, command, text))
        });
        match named.min_by_key(|(distance, ..)| *distance) {
            Some((_, start, command, text)) => {
                let words = format!("{}{}", &text[..start], &text[start + command.len()..]);
                Task { words, check: Some(command.to_owned()) }
            }
            None => Task { words: messages().next_back().unwrap_or_default().to_owned(), check: None },
        }
    }

    /// The file that the check runs, as far as its command tells.
    pub fn check_file(&self) -> Option<String> {
        let command = self.check.as_deref()?;
        let words: Vec<&str> = command.split_whitespace().collect();
        let after = |flag: &str| {
            words.iter().position(|word| *word == flag).and_then(|position| words.get(position + 1).copied())
        };
        if command.starts_with("cargo ") {
            return after("--test").map(|name| format!("tests/{name}.rs"));
        }
        if let Some(module) = after("unittest") {
            return (!module.starts_with('-')).then(|| format!("{}.py", module.replace('.', "/")));
        }
        words.iter().find(|word| word.contains('/') || word.ends_with(".js")).map(|word| (*word).to_owned())
    }
}

/// The last command in a text that runs a check.
pub fn verify_command(text: &str) -> Option<&str> {
    last_command(text).map(|(_, command)| command)
}

fn last_command(text: &str) -> Option<(usize, &str)> {
    let starts = RUNNERS.iter().flat_map(|runner| text.match_indices(runner)).map(|(start, _)| start);
    let commands = starts.filter_map(|start| {
        let before = text[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.')) {
            return None;
        }
        let rest = &text[start..];
        let end = rest.find(['`', '\n']).unwrap_or(rest.len());
        let command = rest[..end].trim_end().trim_end_matches(['.', ',', ')']);
        command.contains("test").then_some((start, command))
    });
    commands.max_by_key(|(start, _)| *start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(messages: &[&str]) -> Task {
        let turns = messages.iter().map(|text| Turn::User((*text).to_owned())).collect();
        Task::find(&Transcript { turns, ..Transcript::default() })
    }

    #[test]
    fn the_check_is_the_last_command_of_the_message_that_ends_with_it() {
        let prompt = "`python3 -m ledger check` complains.\n\nTest: `python3 -m unittest tests.test_x`\n";
        let notes =
            "README.md:1-9\nrun `python3 -m unittest discover`\nand then a lot of other text that goes on";
        for messages in [[prompt, notes], [notes, prompt]] {
            let task = task(&messages);
            assert_eq!(task.check.as_deref(), Some("python3 -m unittest tests.test_x"));
            assert!(task.words.contains("complains") && !task.words.contains("tests.test_x"));
            assert_eq!(task.check_file().as_deref(), Some("tests/test_x.py"));
        }
    }

    #[test]
    fn each_runner_tells_its_file() {
        let file = |text| task(&[text]).check_file();
        assert_eq!(file("check: node --test test/merge.test.js").as_deref(), Some("test/merge.test.js"));
        assert_eq!(
            file("Verify with `cargo test --offline --test ranges`.").as_deref(),
            Some("tests/ranges.rs")
        );
        assert_eq!(file("python3 -m unittest"), None);
    }

    #[test]
    fn without_a_check_the_last_message_is_the_task() {
        assert_eq!(task(&["first", "second"]), Task { words: "second".into(), check: None });
    }
}
