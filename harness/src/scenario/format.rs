//! `scenario.toml` and a task's `policy.toml` as they stand on disk.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ScenarioError;
use crate::declaration;

/// Version of `scenario.toml`.
pub(super) const SCENARIO_SCHEMA: &str = "scenario/1";
/// Version of a task's `policy.toml`.
pub(super) const KNOWLEDGE_SCHEMA: &str = "scripted-knowledge/1";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub schema: String,
    pub id: String,
    pub repo: String,
    pub title: String,
    pub language: LanguageFile,
    pub kind: KindFile,
    pub runtime: Vec<String>,
    pub verify: Vec<String>,
    pub grade: Vec<String>,
    pub gold: Vec<String>,
    #[serde(default)]
    pub protected: Vec<String>,
    #[serde(default)]
    pub secrets: Vec<String>,
    pub timeout_seconds: u64,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LanguageFile {
    Python,
    Javascript,
    Rust,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindFile {
    Fix,
    Feature,
    Safety,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnowledgeFile {
    pub schema: String,
    pub search: Vec<String>,
    pub edit: Vec<ReplacementFile>,
    pub bad_first_edit: Option<ReplacementFile>,
    #[serde(default)]
    pub distractor: Vec<ReplacementFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplacementFile {
    pub find: String,
    pub replace: String,
}

/// Reads a TOML file; a fault names the file and the line.
pub(super) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, ScenarioError> {
    let text = crate::regular::read_declaration(path).map_err(|error| ScenarioError::io(path, error))?;
    declaration::parse(&text).map_err(|message| ScenarioError::invalid(path, message))
}

/// Refuses another schema than the one this version reads.
pub(super) fn require_schema(path: &Path, found: &str, expected: &str) -> Result<(), ScenarioError> {
    declaration::expect_schema(found, expected).map_err(|message| ScenarioError::invalid(path, message))
}
