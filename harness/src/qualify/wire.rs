//! The answers as they lie in a corpus: `qualification/1`, a file a scenario, named and hashed by each of its rows.

use serde::{Deserialize, Serialize};

use super::ask::{Answers, Qualification};
use crate::corpus::parse_unique;
use crate::scenario::{Scenario, ScenarioError};

const SCHEMA: &str = "qualification/1";

/// The file. Hashes are those that rows bear too: of the task's files, the grader and the reference patch among them, and of
/// the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    schema: String,
    pub scenario: String,
    pub scenario_sha256: String,
    pub tree_sha256: String,
    reference: AnswersFile,
    untouched: AnswersFile,
    missing: Option<String>,
    /// Why the scenario is in quarantine. A convenience: readers derive it from the answers.
    pub quarantine: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswersFile {
    asked: u32,
    accepted: u32,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(text: &str) -> Result<File, String> {
        let file: File = parse_unique(text)?;
        if file.schema == SCHEMA {
            Ok(file)
        } else {
            Err(format!("schema `{}` isn't `{SCHEMA}`", file.schema))
        }
    }

    pub(super) fn qualification(&self) -> Qualification {
        let answers = |file: AnswersFile| Answers { asked: file.asked, accepted: file.accepted };
        Qualification {
            reference: answers(self.reference),
            untouched: answers(self.untouched),
            missing: self.missing.clone(),
        }
    }
}

/// Path of a scenario's file, relative to the corpus.
pub fn file_name(scenario: &str) -> String {
    format!("qualification/{scenario}.json")
}

/// The answers in a file's text.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<Qualification, String> {
    File::parse(text).map(|file| file.qualification())
}

/// The file's text.
///
/// # Errors
/// The scenario's files can't be read.
pub fn to_json(scenario: &Scenario, found: &Qualification) -> Result<String, ScenarioError> {
    let answers = |answers: Answers| AnswersFile { asked: answers.asked, accepted: answers.accepted };
    let file = File {
        schema: SCHEMA.to_owned(),
        scenario: scenario.id.clone(),
        scenario_sha256: scenario.sha256()?,
        tree_sha256: scenario.fixture_sha256()?,
        reference: answers(found.reference),
        untouched: answers(found.untouched),
        missing: found.missing.clone(),
        quarantine: found.quarantine(),
    };
    Ok(serde_json::to_string_pretty(&file).expect("texts and counts are JSON") + "\n")
}
