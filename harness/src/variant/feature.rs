//! `features.toml`.

use std::path::{Component, Path};

use serde::Deserialize;

use super::set::VariantSet;
use crate::declaration::{DeclarationError, expect_schema, read};

const FEATURES_SCHEMA: &str = "features/1";

/// The state that a feature is declared to ship in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Doesn't run.
    Off,
    /// Runs and is measured; nothing it makes reaches the model.
    Shadow,
    /// On for everyone: needs a promotion or a valid certificate.
    DefaultOn,
}

impl State {
    /// The name in `features.toml` and `gate.json`.
    pub fn name(self) -> &'static str {
        match self {
            State::Off => "off",
            State::Shadow => "shadow",
            State::DefaultOn => "default-on",
        }
    }
}

/// The arms that decide a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arms {
    /// Without the feature.
    pub baseline: String,
    /// With it.
    pub candidate: String,
    /// A declared degradation of the candidate.
    pub known_bad: String,
    /// The baseline under another name.
    pub aa: String,
}

impl Arms {
    /// Every arm.
    pub fn all(&self) -> [&str; 4] {
        [&self.baseline, &self.candidate, &self.known_bad, &self.aa]
    }
}

/// One gated feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Identifier.
    pub id: String,
    /// Declared state.
    pub state: State,
    /// Its arms; `None` for a feature that isn't implemented.
    pub arms: Option<Arms>,
    /// Names of the corpora with its evidence.
    pub corpora: Vec<String>,
}

/// The declared features, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureSet {
    /// The features.
    pub features: Vec<Feature>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeaturesFile {
    schema: String,
    #[serde(default)]
    feature: Vec<FeatureFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureFile {
    id: String,
    state: State,
    baseline: Option<String>,
    candidate: Option<String>,
    known_bad: Option<String>,
    aa: Option<String>,
    #[serde(default)]
    corpora: Vec<String>,
}

impl FeatureSet {
    /// Reads `features.toml` against the declared variants.
    ///
    /// # Errors
    /// [`DeclarationError`]: unreadable, an unknown key, a feature declared twice, arms that are incomplete, unknown or
    /// named twice.
    pub fn load(path: &Path, variants: &VariantSet) -> Result<FeatureSet, DeclarationError> {
        let file: FeaturesFile = read(path)?;
        expect_schema(&file.schema, FEATURES_SCHEMA)
            .map_err(|message| DeclarationError::invalid(path, message))?;
        let mut features: Vec<Feature> = Vec::new();
        for declared in file.feature {
            if features.iter().any(|feature| feature.id == declared.id) {
                let message =
                    format!("feature `{}`: declared twice: give each feature one section", declared.id);
                return Err(DeclarationError::invalid(path, message));
            }
            if let Some(other) = declared.corpora.iter().find(|name| !is_folder(name)) {
                let message =
                    format!("feature `{}`: corpus `{other}`: name a folder of corpora", declared.id);
                return Err(DeclarationError::invalid(path, message));
            }
            let arms = arms(path, &declared, variants)?;
            features.push(Feature {
                id: declared.id,
                state: declared.state,
                arms,
                corpora: declared.corpora,
            });
        }
        Ok(FeatureSet { features })
    }

    /// Feature by identifier.
    pub fn get(&self, id: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.id == id)
    }
}

/// Whether a name is of a folder among the corpora: no path leads away from them, or to one of them in another way.
fn is_folder(name: &str) -> bool {
    let parts: Vec<Component<'_>> = Path::new(name).components().collect();
    matches!(parts[..], [Component::Normal(folder)] if folder == name)
}

fn arms(path: &Path, feature: &FeatureFile, variants: &VariantSet) -> Result<Option<Arms>, DeclarationError> {
    let invalid = |message: String| Err(DeclarationError::invalid(path, message));
    let id = &feature.id;
    let arms = match (&feature.baseline, &feature.candidate, &feature.known_bad, &feature.aa) {
        (None, None, None, None) => return Ok(None),
        (Some(baseline), Some(candidate), Some(known_bad), Some(aa)) => Arms {
            baseline: baseline.clone(),
            candidate: candidate.clone(),
            known_bad: known_bad.clone(),
            aa: aa.clone(),
        },
        _ => return invalid(format!("feature `{id}`: name baseline, candidate, known_bad and aa, or none")),
    };
    let names = arms.all();
    if let Some(unknown) = names.iter().find(|name| variants.get(name).is_none()) {
        return invalid(format!(
            "feature `{id}`: variant `{unknown}` isn't in variants.toml: declare it there"
        ));
    }
    if let Some((_, twice)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        return invalid(format!("feature `{id}`: variant `{twice}` is two arms: name four"));
    }
    Ok(Some(arms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_is_named_not_pointed_at() {
        assert!(is_folder("synthetic"));
        for path in ["", ".", "..", "a/", "a/b", "./a", "../corpora/a", "/corpora/a", "a/."] {
            assert!(!is_folder(path), "{path}");
        }
    }
}
