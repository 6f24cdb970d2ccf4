//! Does anything that is stored name a place on the recording machine?
//!
//! Nothing is rewritten silently: a run with such a name in it is an infrastructure failure, with the name's first
//! folder in the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Top-level folders that say nothing about a machine.
const NEUTRAL: [&str; 8] = ["usr", "bin", "sbin", "lib", "lib64", "dev", "etc", "proc"];
/// Temporary files that the agent makes and names itself.
const AGENT_TEMPORARY: &str = "/tmp/pi-";

/// Knows what must not be named.
#[derive(Debug)]
pub struct LeakScanner {
    home: String,
    private: Vec<String>,
    roots: BTreeSet<String>,
    exempt: BTreeSet<String>,
}

impl LeakScanner {
    /// A scanner for runs under `home`. `private` are folders of this machine that must not appear in any form;
    /// `given` are texts that the agent was given (fixture, prompt), whose own absolute paths are no leak.
    pub fn new<'a>(home: &Path, private: &[PathBuf], given: impl IntoIterator<Item = &'a str>) -> Self {
        let listed =
            fs::read_dir("/").map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
        let mut roots: BTreeSet<String> = listed
            .iter()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !NEUTRAL.contains(&name.as_str()))
            .collect();
        roots.extend(["root", "home", "mnt", "tmp", "Users", "private"].map(String::from));
        let mut scanner =
            LeakScanner { home: text(home), private: Vec::new(), roots, exempt: BTreeSet::new() };
        let private = private.iter().map(|path| text(path)).filter(|path| path.matches('/').count() > 1);
        scanner.private = private.filter(|path| !scanner.is_home(path)).collect();
        let exempt: Vec<String> = given.into_iter().flat_map(|given| scanner.named(given)).collect();
        scanner.exempt.extend(exempt);
        scanner
    }

    /// The first leak in a plain text.
    pub fn in_text(&self, text: &str) -> Option<String> {
        if let Some(path) = self.private.iter().find(|path| text.contains(path.as_str())) {
            return Some(path.clone());
        }
        self.named(text).into_iter().find(|path| !self.exempt.contains(path))
    }

    /// The first leak in any string of a file of JSON lines; a line that isn't JSON is read as text.
    pub fn in_jsonl(&self, jsonl: &str) -> Option<String> {
        jsonl.lines().find_map(|line| match serde_json::from_str::<Value>(line) {
            Ok(value) => self.in_value(&value),
            Err(_) => self.in_text(line),
        })
    }

    /// The first leak in any string or name of a JSON value.
    pub fn in_value(&self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => self.in_text(text),
            Value::Array(items) => items.iter().find_map(|item| self.in_value(item)),
            Value::Object(members) => {
                members.iter().find_map(|(name, value)| self.in_text(name).or_else(|| self.in_value(value)))
            }
            _ => None,
        }
    }

    fn is_home(&self, path: &str) -> bool {
        path == self.home || path.strip_prefix(&self.home).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Absolute paths below a folder of this machine's root, the neutral home and the agent's own files left out.
    fn named(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (start, _) in text.match_indices('/') {
            let before = text[..start].chars().next_back();
            if before.is_some_and(|c| is_name_char(c) || c == '/') && !text[..start].ends_with("file://") {
                continue;
            }
            let rest = &text[start..];
            let end = rest.find(|c: char| !is_name_char(c) && c != '/').unwrap_or(rest.len());
            let path = rest[..end].trim_end_matches(['.', '/']);
            let root = path[1.min(path.len())..].split('/').next().unwrap_or_default();
            let neutral = self.is_home(path) || path.starts_with(AGENT_TEMPORARY);
            if path.len() > 1 && self.roots.contains(root) && !neutral {
                found.push(path.to_owned());
            }
        }
        found
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().trim_end_matches('/').to_owned()
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '+' | '@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner() -> LeakScanner {
        let private =
            [PathBuf::from("/srv/build/checkout"), PathBuf::from("/home/user/x"), PathBuf::from("/")];
        LeakScanner::new(Path::new("/home/user"), &private, ["logs go to /tmp/station/log.txt"])
    }

    #[test]
    fn machine_paths_are_found_wherever_they_stand() {
        let scanner = scanner();
        for text in [
            "File \"/mnt/x/y.py\", line 3",
            "at file:///mnt/y.js:3",
            "cwd=/mnt",
            "(/tmp/other/z)",
            "see /home/someone/.cache",
            "x/srv/build/checkout/y",
        ] {
            assert!(scanner.in_text(text).is_some(), "{text}");
        }
        let json = r#"{"a":[{"text":"line\n/mnt/secret.txt\n"}]}"#;
        assert_eq!(scanner.in_jsonl(json).as_deref(), Some("/mnt/secret.txt"));
        assert_eq!(scanner.in_jsonl(r#"{"/mnt/a":1}"#).as_deref(), Some("/mnt/a"));
    }

    #[test]
    fn neutral_and_given_names_are_none() {
        let scanner = scanner();
        for text in [
            "/home/user/ledger/a.py",
            "/usr/lib/python3.11/unittest/case.py",
            "/tmp/pi-bash-1a2b.log",
            "a/mnt/b and ./tmp/x and https://example.org/mnt/x",
            "/api/v1/upload, / and /dev/null",
            "logs go to /tmp/station/log.txt",
        ] {
            assert_eq!(scanner.in_text(text), None, "{text}");
        }
    }
}
