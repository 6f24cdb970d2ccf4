//! What the scripted model knows about a task: words to search for and edits it can make once it sees the region.

use std::path::Path;

use super::ScenarioError;
use super::format::{KNOWLEDGE_SCHEMA, KnowledgeFile, ReplacementFile, read_toml, require_schema};

/// An exact text and what to put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Text that occurs once in the repository's source.
    pub find: String,
    /// Text that takes its place.
    pub replace: String,
}

/// A task's `policy.toml`. It names no path: where a region lies is something the model has to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    /// Words a person would search for, in order.
    pub search: Vec<String>,
    /// The right change, in the order in which it is made.
    pub edits: Vec<Replacement>,
    /// A plausible first attempt at the first edit, which fails verification.
    pub bad_first_edit: Option<Replacement>,
    /// Plausible neighbours: editing one of them first fails verification and has to be undone.
    pub distractors: Vec<Replacement>,
}

impl Knowledge {
    /// Reads `policy.toml`.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let file: KnowledgeFile = read_toml(path)?;
        require_schema(path, &file.schema, KNOWLEDGE_SCHEMA)?;
        let knowledge = Knowledge {
            search: file.search,
            edits: file.edit.into_iter().map(Replacement::from).collect(),
            bad_first_edit: file.bad_first_edit.map(Replacement::from),
            distractors: file.distractor.into_iter().map(Replacement::from).collect(),
        };
        knowledge.check().map_err(|message| ScenarioError::invalid(path, message))?;
        Ok(knowledge)
    }

    fn check(&self) -> Result<(), String> {
        let Some(first) = self.edits.first() else {
            return Err("no `edit`: say what the right change is".to_owned());
        };
        if self.search.iter().all(|word| word.trim().is_empty()) {
            return Err("no word in `search`: take some from the prompt".to_owned());
        }
        if self.bad_first_edit.as_ref().is_some_and(|bad| bad.find != first.find) {
            return Err(
                "`bad_first_edit.find` differs from the first edit's: both change the same region".to_owned()
            );
        }
        let changes = self.edits.iter().chain(&self.bad_first_edit).chain(&self.distractors);
        for change in changes {
            if change.find.trim().is_empty() || change.find == change.replace {
                return Err(format!("an edit that changes nothing: {:?}", first_line(&change.find)));
            }
        }
        Ok(())
    }
}

impl From<ReplacementFile> for Replacement {
    fn from(file: ReplacementFile) -> Self {
        Replacement { find: file.find, replace: file.replace }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Knowledge, ScenarioError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("policy.toml");
        std::fs::write(&path, text).expect("the folder is ours");
        Knowledge::load(&path)
    }

    fn message(text: &str) -> String {
        load(text).unwrap_err().to_string()
    }

    const GOOD: &str =
        "schema = \"scripted-knowledge/1\"\nsearch = [\"tax\"]\n\n[[edit]]\nfind = \"a\"\nreplace = \"b\"\n";

    #[test]
    fn reads_edits_in_order() {
        let text = format!("{GOOD}\n[[edit]]\nfind = \"c\"\nreplace = \"d\"\n");
        let finds: Vec<String> = load(&text).unwrap().edits.into_iter().map(|edit| edit.find).collect();
        assert_eq!(finds, ["a", "c"]);
    }

    #[test]
    fn refuses_a_bad_first_edit_of_another_region() {
        let text = format!("{GOOD}\n[bad_first_edit]\nfind = \"x\"\nreplace = \"y\"\n");
        assert!(message(&text).contains("both change the same region"), "{}", message(&text));
    }

    #[test]
    fn names_the_line_of_an_unknown_key() {
        let text = GOOD.replace("search", "serach");
        assert!(message(&text).contains("policy.toml: line 2: unknown field `serach`"), "{}", message(&text));
    }

    #[test]
    fn refuses_another_schema() {
        assert!(message(&GOOD.replace("/1", "/2")).contains("use a harness that knows it"));
    }
}
