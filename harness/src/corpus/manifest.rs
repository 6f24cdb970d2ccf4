//! `corpus.toml`: what was scheduled, and how it was recorded.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use verdict::Tier;

use super::{CorpusError, RunKey};
use crate::declaration::{expect_schema, parse};

/// Version of the manifest.
const CORPUS_SCHEMA: &str = "corpus/1";
/// Most scheduled runs: each that has no row is told, so that a large number alone would fill all memory.
const MOST_RUNS: usize = 1_000_000;

/// The manifest. Keys beyond these are allowed: they describe the recording for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Name, as `features.toml` refers to it.
    pub name: String,
    /// Version of the corpus.
    pub version: String,
    /// What it is.
    pub description: String,
    /// Licence of its content.
    pub licence: String,
    /// The tier every row must have.
    pub tier: Tier,
    /// Feature that the campaign was recorded for.
    pub feature: String,
    /// What was scheduled.
    pub schedule: Schedule,
}

/// The full product of scenarios, variants and repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Scenarios, sorted.
    pub scenarios: BTreeSet<String>,
    /// Variants, sorted.
    pub variants: BTreeSet<String>,
    /// Runs of each scenario in each variant.
    pub repetitions: u32,
}

impl Schedule {
    /// Whether a run is scheduled.
    pub fn contains(&self, key: &RunKey) -> bool {
        self.scenarios.contains(&*key.scenario)
            && self.variants.contains(&*key.variant)
            && key.repetition < self.repetitions
    }

    /// Number of scheduled runs.
    pub fn runs(&self) -> usize {
        self.scenarios.len().saturating_mul(self.variants.len()).saturating_mul(self.repetitions as usize)
    }

    /// Every scheduled run, in the order of keys.
    pub fn keys(&self) -> impl Iterator<Item = RunKey> + '_ {
        let variants: Vec<Arc<str>> = self.variants.iter().map(|variant| variant.as_str().into()).collect();
        self.scenarios.iter().flat_map(move |scenario| {
            let (scenario, repetitions): (Arc<str>, _) = (scenario.as_str().into(), self.repetitions);
            let of = move |variant: Arc<str>| {
                let scenario = Arc::clone(&scenario);
                (0..repetitions).map(move |repetition| RunKey {
                    scenario: Arc::clone(&scenario),
                    variant: Arc::clone(&variant),
                    repetition,
                })
            };
            variants.clone().into_iter().flat_map(of)
        })
    }
}

#[derive(Deserialize)]
struct ManifestFile {
    schema: String,
    name: String,
    version: toml::Value,
    description: String,
    licence: String,
    tier: String,
    campaign: CampaignFile,
    schedule: ScheduleFile,
}

#[derive(Deserialize)]
struct CampaignFile {
    feature: String,
}

#[derive(Deserialize)]
struct ScheduleFile {
    scenarios: BTreeSet<String>,
    variants: BTreeSet<String>,
    repetitions: u32,
}

impl Manifest {
    /// Reads the text of `corpus.toml`; `path` is for messages.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Manifest, CorpusError> {
        let invalid = |message: String| CorpusError::NotACorpus { path: path.to_path_buf(), message };
        let file: ManifestFile = parse(text).map_err(invalid)?;
        expect_schema(&file.schema, CORPUS_SCHEMA).map_err(invalid)?;
        let tier = tier(&file.tier).ok_or_else(|| {
            invalid(format!(
                "tier `{}`: use recorded-model, recorded-scripted, replayed or synthetic",
                file.tier
            ))
        })?;
        let schedule = Schedule {
            scenarios: file.schedule.scenarios,
            variants: file.schedule.variants,
            repetitions: file.schedule.repetitions,
        };
        let runs = schedule.runs();
        if runs > MOST_RUNS {
            return Err(invalid(format!("schedule: {runs} runs: at most {MOST_RUNS} are judged at once")));
        }
        let version = match file.version {
            toml::Value::String(version) => version,
            other => other.to_string(),
        };
        Ok(Manifest {
            name: file.name,
            version,
            description: file.description,
            licence: file.licence,
            tier,
            feature: file.campaign.feature,
            schedule,
        })
    }
}

/// The tier of that name.
pub(super) fn tier(name: &str) -> Option<Tier> {
    [Tier::Synthetic, Tier::Replayed, Tier::RecordedScripted, Tier::RecordedModel]
        .into_iter()
        .find(|tier| tier.as_str() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(repetitions: &str) -> Result<usize, String> {
        let text = format!(
            "schema = \"corpus/1\"\nname = \"n\"\nversion = 1\ndescription = \"\"\nlicence = \"\"\ntier = \"synthetic\"\n\
             [campaign]\nfeature = \"f\"\n[schedule]\nscenarios = [\"a\", \"b\"]\nvariants = [\"v\"]\nrepetitions = {repetitions}\n"
        );
        let manifest = Manifest::parse(Path::new("corpus.toml"), &text).map_err(|error| error.to_string())?;
        Ok(manifest.schedule.runs())
    }

    /// Four thousand million repetitions of a scenario without a row were told one by one until memory was full.
    #[test]
    fn a_schedule_that_nobody_could_judge_is_refused() {
        assert_eq!(read("500000"), Ok(MOST_RUNS));
        for many in ["500001", "4294967295"] {
            assert!(read(many).unwrap_err().contains("runs: at most 1000000"), "{many}");
        }
        assert!(read("4294967296").is_err() && read("-1").is_err());
    }
}
