//! `scenarios/policy.toml`: how often the scripted model errs, and its seed.

use std::path::Path;

use serde::Deserialize;

use crate::declaration::{DeclarationError, expect_schema, read};

const SCHEMA: &str = "scripted-policy/1";

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
    /// Reads the file.
    ///
    /// # Errors
    /// [`DeclarationError`]: unreadable, an unknown key, a probability or a limit that can't be.
    pub fn load(path: &Path) -> Result<Self, DeclarationError> {
        Self::of(read(path)?).map_err(|message| DeclarationError::invalid(path, message))
    }

    fn of(file: File) -> Result<Self, String> {
        expect_schema(&file.schema, SCHEMA)?;
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
    use crate::declaration::parse;

    const SHIPPED: &str = include_str!("../../../scenarios/policy.toml");

    fn parsed(text: &str) -> Result<Parameters, String> {
        Parameters::of(parse(text)?)
    }

    #[test]
    fn the_shipped_file_is_read() {
        let parameters = parsed(SHIPPED).unwrap();
        assert!(parameters.distractor > 0.0 && parameters.max_steps > 12);
    }

    #[test]
    fn faults_name_key_and_line() {
        let unknown = parsed(&SHIPPED.replace("distractor =", "distracter =")).unwrap_err();
        assert!(
            unknown.starts_with("line ") && unknown.contains(": unknown field `distracter`"),
            "{unknown}"
        );
        let range =
            SHIPPED.lines().map(|line| if line.starts_with("abandon") { "abandon = 1.5" } else { line });
        let range = parsed(&range.collect::<Vec<_>>().join("\n")).unwrap_err();
        assert_eq!(range, "`abandon` is 1.5: a probability lies between 0 and 1");
    }
}
