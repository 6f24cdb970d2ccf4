//! Commands quoted in a task text: what to run to see the fault or to check the work.

use super::constants::CONSTANTS;
use super::task::paths;

/// Programs that run tests or scripts. A quoted text that begins with one is a command, not prose.
pub(super) const RUNNERS: &[&str] = &[
    "bun", "bundle", "cargo", "deno", "go", "jest", "just", "make", "mocha", "node", "npm", "npx", "nox",
    "phpunit", "pnpm", "poetry", "py.test", "pytest", "python", "python2", "python3", "rake", "rspec",
    "ruby", "sh", "bash", "tox", "uv", "vitest", "yarn",
];

/// Cuts the commands out of a text: the prose with blanks in their place, and the commands.
pub(super) fn split(text: &str) -> (String, Vec<String>) {
    let mut prose = String::with_capacity(text.len());
    let mut commands = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim().trim_start_matches("$ ");
        // A line of its own may be a command too: an indented or fenced block.
        if number > 0 && is_command(bare) && !line.contains('`') {
            commands.push(bare.to_owned());
            prose.push('\n');
            continue;
        }
        for (part, piece) in line.split('`').enumerate() {
            if part % 2 == 1 && is_command(piece) {
                commands.push(piece.to_owned());
            } else {
                prose.push_str(piece);
            }
            prose.push('`');
        }
        prose.pop();
    }
    (prose, commands)
}

fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().filter(|word| !is_assignment(word));
    words.next().is_some_and(|first| CONSTANTS.task.runners.contains(&first)) && words.next().is_some()
}

/// `NAME=value` before a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

/// The files that commands name, as paths that may exist.
pub(super) fn run_targets(commands: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        let script = words.iter().any(|w| w.starts_with("python") || w.contains("pytest"));
        for (at, word) in words.iter().enumerate().skip(1) {
            let before = words[at - 1];
            let word = word.split("::").next().unwrap_or(word);
            let mut found = paths(word);
            if words[0] == "cargo" && before == "--test" {
                found = vec![format!("tests/{word}.rs")];
            } else if script && is_dotted_module(word) {
                found = vec![format!("{}.py", word.replace('.', "/"))];
            }
            out.extend(found);
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|path| seen.insert(path.clone()));
    out
}

/// `package.module`, not a file name: no segment is an extension that says Python.
fn is_dotted_module(word: &str) -> bool {
    let name = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_alphanumeric() || c == '_');
    word.contains('.') && !word.ends_with(".py") && word.split('.').all(name)
}
