//! Looks: which corpus was judged under which policy section, kept beside the corpus in `looks.jsonl`.
//!
//! Judging a campaign, extending it and judging again spends the error level twice. A look is one line, written when a
//! campaign is recorded and when a promotion is asked for, never by an ordinary gate; the same look isn't written twice.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::report::publish::publish;

/// Version of a line.
const SCHEMA: &str = "look/1";
/// The file beside the corpus.
const FILE: &str = "looks.jsonl";

/// One look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Hash of the corpus.
    pub corpus_sha256: String,
    /// Hash of the policy section.
    pub policy_sha256: String,
    /// Feature judged.
    pub feature: String,
    /// The date, `YYYY-MM-DD`.
    pub as_of: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    schema: String,
    corpus_sha256: String,
    policy_sha256: String,
    feature: String,
    as_of: String,
}

impl Look {
    /// Adds the look to a corpus folder, unless the same corpus, policy and feature stand there already.
    ///
    /// # Errors
    /// 74 where the file can't be read or written, 65 where a line of it is no look.
    pub fn record(&self, corpus: &Path) -> Result<(), Failure> {
        let path = corpus.join(FILE);
        let mut text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::io(&path, &error)),
        };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                Failure::bad_data(format!("{}:{}: {error}: mend the line", path.display(), index + 1))
            })?;
            let known = (&line.corpus_sha256, &line.policy_sha256, &line.feature);
            if known == (&self.corpus_sha256, &self.policy_sha256, &self.feature) {
                return Ok(());
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let line = Line {
            schema: SCHEMA.to_owned(),
            corpus_sha256: self.corpus_sha256.clone(),
            policy_sha256: self.policy_sha256.clone(),
            feature: self.feature.clone(),
            as_of: self.as_of.clone(),
        };
        let line =
            serde_json::to_string(&line).map_err(|error| Failure::internal(format!("{FILE}: {error}")))?;
        text.push_str(&line);
        text.push('\n');
        publish(corpus, FILE, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let look = |corpus: &str| Look {
            corpus_sha256: corpus.to_owned(),
            policy_sha256: "p".to_owned(),
            feature: "f".to_owned(),
            as_of: "2026-11-30".to_owned(),
        };
        for corpus in ["one", "one", "two"] {
            look(corpus).record(folder.path()).unwrap();
        }
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 2);
        fs::write(folder.path().join(FILE), "no json\n").unwrap();
        assert!(look("three").record(folder.path()).is_err());
    }
}
