//! `scenarios/policy.toml`: how often the scripted model errs, and its seed.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

const SCHEMA: &str = "scripted-policy/1";

/// Why the file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ParameterError {
    /// It can't be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It isn't what it should be.
    #[error("{}: {message}", path.display())]
    Invalid {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Probabilities (0..1) and limits of the scripted model. Documented where they stand, in `scenarios/policy.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// Seed of the dice and of the order of a campaign.
    pub seed: u64,
    /// A visible plausible neighbour is edited first.
    pub distractor: f64,
    /// The first attempt at the right region is the plausible wrong one.
    pub bad_first_edit: f64,
    /// The second-best file is read first.
    pub wrong_file: f64,
    /// A file in view is read again before it is edited, or an earlier one before the next is read.
    pub reread: f64,
    /// The check is run before anything else.
    pub check_first: f64,
    /// The file of the check is read early.
    pub read_check: f64,
    /// After a failed check the model stops, its edit left in place.
    pub abandon: f64,
    /// Files read after one search before the next word is searched for.
    pub reads_per_search: u32,
    /// Requests after which it gives up.
    pub max_steps: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    seed: u64,
    mistakes: Mistakes,
    habits: Habits,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistakes {
    distractor: f64,
    bad_first_edit: f64,
    wrong_file: f64,
    reread: f64,
    abandon: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Habits {
    check_first: f64,
    read_check: f64,
    reads_per_search: u32,
    max_steps: u32,
}

impl Parameters {
    /// Reads the file; a fault names the file and the line.
    pub fn load(path: &Path) -> Result<Self, ParameterError> {
        let text = adapters::read_regular_text(path)
            .map_err(|source| ParameterError::Io { path: path.to_path_buf(), source })?;
        Self::parse(&text).map_err(|message| ParameterError::Invalid { path: path.to_path_buf(), message })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            format!("line {line}: {}", error.message())
        })?;
        if file.schema != SCHEMA {
            return Err(format!("schema `{}` isn't `{SCHEMA}`: use a harness that knows it", file.schema));
        }
        let parameters = Parameters {
            seed: file.seed,
            distractor: file.mistakes.distractor,
            bad_first_edit: file.mistakes.bad_first_edit,
            wrong_file: file.mistakes.wrong_file,
            reread: file.mistakes.reread,
            abandon: file.mistakes.abandon,
            check_first: file.habits.check_first,
            read_check: file.habits.read_check,
            reads_per_search: file.habits.reads_per_search,
            max_steps: file.habits.max_steps,
        };
        parameters.check()?;
        Ok(parameters)
    }

    fn check(&self) -> Result<(), String> {
        let probabilities = [
            ("distractor", self.distractor),
            ("bad_first_edit", self.bad_first_edit),
            ("wrong_file", self.wrong_file),
            ("reread", self.reread),
            ("abandon", self.abandon),
            ("check_first", self.check_first),
            ("read_check", self.read_check),
        ];
        if let Some((name, value)) = probabilities.iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Err(format!("`{name}` is {value}: a probability lies between 0 and 1"));
        }
        if self.reads_per_search == 0 || self.max_steps == 0 {
            return Err("`reads_per_search` and `max_steps` must be at least 1".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../scenarios/policy.toml");

    #[test]
    fn the_shipped_file_is_read() {
        let parameters = Parameters::parse(SHIPPED).unwrap();
        assert!(parameters.distractor > 0.0 && parameters.max_steps > 12);
    }

    #[test]
    fn faults_name_key_and_line() {
        let unknown = Parameters::parse(&SHIPPED.replace("distractor =", "distracter =")).unwrap_err();
        assert!(unknown.contains("unknown field `distracter`"), "{unknown}");
        let range =
            SHIPPED.lines().map(|line| if line.starts_with("abandon") { "abandon = 1.5" } else { line });
        let range = Parameters::parse(&range.collect::<Vec<_>>().join("\n")).unwrap_err();
        assert_eq!(range, "`abandon` is 1.5: a probability lies between 0 and 1");
    }
}
