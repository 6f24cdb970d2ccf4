//! Labels: entries `ds4-context-ranking-feedback-v1` of a session log. They hold hashes and numbers, never text.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::message::{sha256_hex, stable_json};

use super::feature::{Features, FeaturesFile};

/// The type of the entries.
pub const LABEL_ENTRY_TYPE: &str = "ds4-context-ranking-feedback-v1";

/// Faults that are kept; the count is complete.
const MAX_FAULTS: usize = 100;

/// Largest time, milliseconds: what a double holds exactly.
const MAX_TIME: u64 = (1 << 53) - 1;

/// What somebody, or a replay, said of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// It helped.
    Useful,
    /// It didn't.
    Irrelevant,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelSource {
    /// A person.
    Feedback,
    /// A replay.
    Replay,
}

/// How private the candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classification {
    /// Anyone may see it.
    Normal,
    /// Not for outsiders.
    Internal,
    /// Not for a remote model by default.
    Sensitive,
    /// Never leaves the machine.
    LocalOnly,
}

/// One label.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingFeedback {
    /// Identifier, unique within a log.
    pub id: String,
    /// When, epoch milliseconds.
    pub created_at: u64,
    /// SHA-256 of the repository's identity.
    pub repository_hash: String,
    /// SHA-256 of the candidate's identity.
    pub candidate_key_hash: String,
    /// Who said it.
    pub source: LabelSource,
    /// What.
    pub label: Label,
    /// How private the candidate is.
    pub classification: Classification,
    /// Its features when it was labelled.
    pub features: Features,
}

/// Disk form.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FeedbackFile {
    schema_version: u64,
    feedback_id: String,
    created_at: u64,
    repository_hash: String,
    candidate_key_hash: String,
    label_source: LabelSource,
    label: Label,
    classification: Classification,
    features: FeaturesFile,
}

/// A line that isn't a label and should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelFault {
    /// Line, 1-based.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The labels of a log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labels {
    /// Accepted ones: by time, then identifier.
    pub accepted: Vec<RankingFeedback>,
    /// The first malformed and repeated ones.
    pub faults: Vec<LabelFault>,
    /// How many were malformed or repeated.
    pub rejected: u64,
}

/// The hash that stands for a repository or a candidate.
pub fn identity_hash(identity: &str) -> String {
    sha256_hex(identity.as_bytes())
}

/// Letters and digits first, then up to 159 of those and `. _ : -`.
pub(super) fn is_identifier(id: &str) -> bool {
    id.len() <= 160
        && id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || "._:-".contains(c))
}

pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

impl FeedbackFile {
    fn checked(self) -> Result<RankingFeedback, String> {
        if self.schema_version != 1 {
            return Err(format!("schemaVersion {}: want 1", self.schema_version));
        }
        if !is_identifier(&self.feedback_id) {
            return Err("feedbackId isn't an identifier".to_owned());
        }
        if self.created_at > MAX_TIME {
            return Err("createdAt isn't a time in milliseconds".to_owned());
        }
        if !is_hash(&self.repository_hash) || !is_hash(&self.candidate_key_hash) {
            return Err("repositoryHash or candidateKeyHash isn't a SHA-256".to_owned());
        }
        Ok(RankingFeedback {
            id: self.feedback_id,
            created_at: self.created_at,
            repository_hash: self.repository_hash,
            candidate_key_hash: self.candidate_key_hash,
            source: self.label_source,
            label: self.label,
            classification: self.classification,
            features: self.features.checked()?,
        })
    }
}

/// The label as the `data` of a session entry, canonical JSON.
pub fn write_label(label: &RankingFeedback) -> String {
    let file = FeedbackFile {
        schema_version: 1,
        feedback_id: label.id.clone(),
        created_at: label.created_at,
        repository_hash: label.repository_hash.clone(),
        candidate_key_hash: label.candidate_key_hash.clone(),
        label_source: label.source,
        label: label.label,
        classification: label.classification,
        features: FeaturesFile::from(&label.features),
    };
    stable_json(&json!(file))
}

/// Reads the labels of lines: entries of a session log (`customType` names them, `data` holds them; other entries are passed
/// over) or bare labels. Of more than `most` accepted ones the newest by position stay: an older one makes room, and its
/// identifier may come again.
pub fn read_labels(lines: &str, most: usize) -> Labels {
    let mut labels = Labels::default();
    let mut kept: VecDeque<RankingFeedback> = VecDeque::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (line, text) in (1..).zip(lines.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let accepted = match label_of(text) {
            Ok(None) => continue,
            Ok(Some(label)) if known.contains(&label.id) => {
                Err(format!("feedbackId {} stands twice", label.id))
            }
            Ok(Some(label)) => Ok(label),
            Err(message) => Err(message),
        };
        match accepted {
            Ok(label) if most > 0 => {
                if kept.len() == most
                    && let Some(oldest) = kept.pop_front()
                {
                    known.remove(&oldest.id);
                }
                known.insert(label.id.clone());
                kept.push_back(label);
            }
            Ok(_) => {}
            Err(message) => {
                labels.rejected += 1;
                if labels.faults.len() < MAX_FAULTS {
                    labels.faults.push(LabelFault { line, message });
                }
            }
        }
    }
    labels.accepted = kept.into();
    labels.accepted.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    labels
}

/// The label of a line; none for another entry of a log.
fn label_of(text: &str) -> Result<Option<RankingFeedback>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let data = match (value.get("type"), value.get("customType")) {
        (None, None) => value,
        (_, Some(kind)) if kind == LABEL_ENTRY_TYPE => {
            value.get("data").cloned().ok_or_else(|| "a label without data".to_owned())?
        }
        _ => return Ok(None),
    };
    let file: FeedbackFile = serde_json::from_value(data).map_err(|error| format!("no label: {error}"))?;
    file.checked().map(Some)
}
