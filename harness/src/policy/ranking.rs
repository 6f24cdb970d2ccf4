//! Which file to read next: paths in view, ranked by the words they share with the task.

use std::collections::{BTreeMap, BTreeSet};

use super::task::Task;
use super::{Transcript, Turn, paths};

/// Words too common to say anything.
const STOP: [&str; 52] = [
    "the", "and", "for", "that", "this", "with", "are", "was", "has", "have", "not", "but", "from", "should",
    "when", "what", "they", "them", "then", "there", "our", "out", "off", "all", "one", "two", "its", "into",
    "also", "please", "make", "way", "get", "gets", "does", "doesn", "did", "would", "could", "can", "will",
    "which", "where", "who", "how", "why", "any", "only", "instead", "still", "same", "pass",
];
/// Weight of a word that the model would search for, against a word of the prompt.
const SEARCH_WEIGHT: f64 = 2.0;
/// A word in the path counts this much more than one in a line under it.
const PATH_FACTOR: f64 = 2.5;
/// A file that the prompt names.
const MENTIONED: f64 = 8.0;
/// A file of which a part is in view already.
const SHOWN_FACTOR: f64 = 0.8;

#[derive(Default)]
struct Evidence {
    words: BTreeSet<String>,
    shown: bool,
    mentioned: bool,
}

/// Files and folders that the request names.
pub(super) struct Ranking {
    /// Files with their scores, best first; ties by path.
    pub files: Vec<(String, f64)>,
    /// Folders seen in listings, sorted.
    pub folders: BTreeSet<String>,
}

impl Ranking {
    /// Ranks what a request names for a task and the words that would be searched for.
    pub fn of(view: &Transcript, task: &Task, search: &[String]) -> Self {
        let mut seen = Seen { files: BTreeMap::new(), folders: BTreeSet::new(), folder: view.folder() };
        for turn in &view.turns {
            if let Turn::User(text) = turn {
                seen.quoted(text, &task.words);
            }
        }
        for (call, text, failed) in view.answered() {
            match call.name.as_str() {
                "bash" => seen.printed(text),
                "ls" if !failed => seen.listed(call.text("path").unwrap_or("."), text),
                "read" if !failed => seen.read(call.text("path").unwrap_or_default(), text),
                _ => {}
            }
        }
        if let Some(path) = task.check_file() {
            seen.files.remove(&path);
        }
        Ranking { files: rank(&seen.files, &query(task, search)), folders: seen.folders }
    }
}

struct Seen<'a> {
    files: BTreeMap<String, Evidence>,
    folders: BTreeSet<String>,
    folder: Option<&'a str>,
}

impl Seen<'_> {
    fn note(&mut self, path: &str, line: &str) -> &mut Evidence {
        let evidence = self.files.entry(path.to_owned()).or_default();
        evidence.words.extend(words(line));
        evidence
    }

    /// A message: headings own the lines below them; paths in the task's own words are named on purpose.
    fn quoted(&mut self, text: &str, task: &str) {
        for path in paths::in_line(&task.replace('\n', " "), self.folder) {
            self.note(&path, "").mentioned = true;
        }
        let mut current: Option<String> = None;
        for line in text.lines() {
            if let Some(path) = paths::heading(line, self.folder) {
                self.note(&path, line).shown = true;
                current = Some(path);
            } else if let Some(path) = current.clone() {
                self.note(&path, line);
            }
        }
    }

    fn printed(&mut self, text: &str) {
        for line in text.lines() {
            for path in paths::in_line(line, self.folder).into_iter().take(1) {
                self.note(&path, line);
            }
        }
    }

    fn listed(&mut self, folder: &str, text: &str) {
        let folder = if folder == "." { String::new() } else { format!("{}/", folder.trim_end_matches('/')) };
        for name in text.lines().map(str::trim).filter(|name| !name.is_empty() && !name.starts_with('.')) {
            match name.strip_suffix('/') {
                Some(name) => {
                    self.folders.insert(format!("{folder}{name}"));
                }
                None => {
                    for path in paths::in_line(&format!("{folder}{name}"), self.folder) {
                        self.note(&path, "");
                    }
                }
            }
        }
    }

    fn read(&mut self, importer: &str, text: &str) {
        for line in text.lines() {
            if let Some(path) = paths::imported(line, importer) {
                self.note(&path, line);
            }
        }
    }
}

fn query(task: &Task, search: &[String]) -> BTreeMap<String, f64> {
    let mut query: BTreeMap<String, f64> = words(&task.words).into_iter().map(|word| (word, 1.0)).collect();
    for word in search.iter().flat_map(|phrase| words(phrase)) {
        query.insert(word, SEARCH_WEIGHT);
    }
    query
}

fn rank(files: &BTreeMap<String, Evidence>, query: &BTreeMap<String, f64>) -> Vec<(String, f64)> {
    let total = files.len() as f64;
    let in_path: Vec<BTreeSet<String>> = files.keys().map(|path| words(path).into_iter().collect()).collect();
    let mut scores = vec![0.0; files.len()];
    for (word, weight) in query {
        let hits: Vec<f64> = files
            .values()
            .zip(&in_path)
            .map(|(evidence, path)| match (path.contains(word), evidence.words.contains(word)) {
                (true, _) => PATH_FACTOR,
                (false, true) => 1.0,
                (false, false) => 0.0,
            })
            .collect();
        let holders = hits.iter().filter(|hit| **hit > 0.0).count().max(1) as f64;
        let rarity = (1.0 + total / holders).ln();
        for (score, hit) in scores.iter_mut().zip(&hits) {
            *score += weight * hit * rarity;
        }
    }
    let mut ranked: Vec<(String, f64)> = files
        .iter()
        .zip(scores)
        .map(|((path, evidence), score)| {
            let shown = if evidence.shown { SHOWN_FACTOR } else { 1.0 };
            let mentioned = if evidence.mentioned { MENTIONED } else { 0.0 };
            (path.clone(), score * kind_factor(path) * shown + mentioned)
        })
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked
}

/// Source before documents, documents before tests, tests before data: where a fault would be looked for.
fn kind_factor(path: &str) -> f64 {
    let test = path.split('/').any(|part| matches!(part, "test" | "tests") || part.contains("test"));
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending {
        "csv" | "json" | "txt" | "toml" | "cfg" | "yml" | "yaml" => 0.35,
        _ if test => 0.4,
        "md" => 0.5,
        _ => 1.0,
    }
}

/// Lower-case words of at least three letters: identifiers split at case changes and underscores, plurals cut.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut lower = false;
        for c in run.chars() {
            if c.is_uppercase() && lower {
                push(&mut found, &word);
                word.clear();
            }
            lower = c.is_lowercase();
            word.extend(c.to_lowercase());
        }
        push(&mut found, &word);
    }
    found
}

fn push(found: &mut Vec<String>, word: &str) {
    let stem = if word.len() > 3 && !word.ends_with("ss") { word.trim_end_matches('s') } else { word };
    if stem.chars().count() >= 3 && !STOP.contains(&word) && !STOP.contains(&stem) {
        found.push(stem.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_cut() {
        assert_eq!(
            words("roundHalfUp(total_cents) of the Invoices"),
            ["round", "half", "total", "cent", "invoice"]
        );
    }

    fn ranked(turns: Vec<Turn>, words: &str, search: &[&str]) -> Vec<String> {
        let view = Transcript { turns, ..Transcript::default() };
        let task = Task { words: words.to_owned(), check: None };
        let search: Vec<String> = search.iter().map(|word| (*word).to_owned()).collect();
        Ranking::of(&view, &task, &search).files.into_iter().map(|(path, _)| path).collect()
    }

    fn searched(text: &str) -> Vec<Turn> {
        let arguments = serde_json::json!({ "command": "git grep x" });
        let call = super::super::Call { id: "1".into(), name: "bash".into(), arguments };
        vec![
            Turn::Assistant { text: String::new(), calls: vec![call] },
            Turn::Result { call: "1".into(), text: text.to_owned(), failed: false },
        ]
    }

    #[test]
    fn shared_words_decide_and_sources_come_before_tests_and_data() {
        let hits = "data/tax.json:1:tax rate\na/tax.py:3:rate of tax\ntests/test_tax.py:1:tax rate\na/dates.py:1:tax day\n";
        let found = ranked(searched(hits), "the tax rate is wrong", &["tax"]);
        assert_eq!(found, ["a/tax.py", "tests/test_tax.py", "data/tax.json", "a/dates.py"]);
    }

    #[test]
    fn a_file_that_the_prompt_names_comes_first() {
        let mut turns = vec![Turn::User("see docs/rules.md please".to_owned())];
        turns.extend(searched("a/tax.py:3:rate of tax\n"));
        assert_eq!(ranked(turns, "see docs/rules.md please", &["rate"])[0], "docs/rules.md");
    }
}
