//! `variants.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use engine::builtin::Settings;
use engine::learn::{Direction, SHIPPED_ARTIFACT, Trial};
use engine::message::{sha256_hex, stable_json};
use engine::plan::FileOrder;
use serde::Deserialize;
use serde_json::json;

use crate::declaration::{DeclarationError, expect_schema, read};

const VARIANTS_SCHEMA: &str = "variants/1";

/// Which implementation of the engine seam an arm runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The agent's own context, unchanged.
    PassThrough,
    /// The built-in engine.
    BuiltIn,
}

impl EngineKind {
    /// The name in `variants.toml`.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::PassThrough => "pass-through",
            EngineKind::BuiltIn => "built-in",
        }
    }
}

/// A declared degradation, for known-bad arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withhold {
    /// The scenario's gold files never enter the pack.
    Gold,
}

impl Withhold {
    /// The name in `variants.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Withhold::Gold => "gold",
        }
    }
}

/// An order of files by its name in `variants.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankerName {
    /// Weighted sources.
    Static,
    /// With its head re-ordered by the shipped model.
    Learned,
    /// That model's order turned round: a declared degradation.
    LearnedReversed,
}

impl From<RankerName> for FileOrder {
    /// An arm is evidence about an order, so it needs no seal.
    fn from(name: RankerName) -> FileOrder {
        match name {
            RankerName::Static => FileOrder::Static,
            RankerName::Learned => FileOrder::Trial(Trial::for_evidence(Direction::Forward)),
            RankerName::LearnedReversed => FileOrder::Trial(Trial::for_evidence(Direction::Reversed)),
        }
    }
}

/// Settings of the engine in an arm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantConfig {
    /// Token budget of the pack; the engine's default where absent.
    pub pack_tokens: Option<u64>,
    /// Token budget of excerpts of earlier entries that a plan doesn't show; none where absent.
    pub recall_tokens: Option<u64>,
    /// Order of files that the pack goes by; the static one where absent.
    pub ranker: Option<RankerName>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Identifier.
    pub id: String,
    /// What it runs.
    pub engine: EngineKind,
    /// The variant that this one repeats under another name (A/A canary).
    pub aa_of: Option<String>,
    /// Declared degradation.
    pub withhold: Option<Withhold>,
    /// Settings.
    pub config: VariantConfig,
}

impl Variant {
    /// What the variant runs, as canonical JSON (sorted keys, no spaces): equal exactly when two variants run the same
    /// engine, whichever of its settings they left to their defaults. Its own name isn't part of it.
    pub fn canonical_config(&self) -> String {
        let mut config = match self.engine {
            EngineKind::PassThrough => json!({ "engine": self.engine.name() }),
            EngineKind::BuiltIn => self.settings().configuration(),
        };
        if let Some(withhold) = self.withhold {
            config["withhold"] = withhold.name().into();
        }
        stable_json(&config)
    }

    /// Settings of the built-in engine in this arm.
    pub fn settings(&self) -> Settings {
        let VariantConfig { pack_tokens, recall_tokens, ranker } = self.config;
        Settings {
            pack_tokens: pack_tokens.unwrap_or(Settings::DEFAULT_PACK_TOKENS),
            recall_tokens: recall_tokens.unwrap_or(0),
            order: ranker.map(FileOrder::from).unwrap_or_default(),
        }
    }

    /// SHA-256 of the learned model that this build orders files by in the arm; none for an arm without one.
    pub fn model_artifact_sha256(&self) -> Option<String> {
        let learned = self.engine == EngineKind::BuiltIn && self.settings().order != FileOrder::Static;
        learned.then(|| sha256_hex(SHIPPED_ARTIFACT.as_bytes()))
    }

    /// Identity of the engine that this build runs in the arm: the canonical configuration and the engine's sources.
    pub fn engine_digest(&self) -> String {
        engine::engine_digest(&self.canonical_config())
    }
}

/// The declared variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantSet {
    variants: BTreeMap<String, Variant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantsFile {
    schema: String,
    #[serde(default)]
    variant: Vec<VariantFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantFile {
    id: String,
    engine: EngineKind,
    aa_of: Option<String>,
    withhold: Option<Withhold>,
    #[serde(default)]
    config: VariantConfig,
}

impl VariantSet {
    /// Reads `variants.toml`.
    ///
    /// # Errors
    /// [`DeclarationError`]: unreadable, an unknown key, an identifier declared twice, an A/A of nothing. Two variants
    /// with one configuration that aren't a declared A/A are *not* an error here: they make evidence invalid
    /// (`same-engine`), which the gate reports as a verdict.
    pub fn load(path: &Path) -> Result<VariantSet, DeclarationError> {
        let file: VariantsFile = read(path)?;
        expect_schema(&file.schema, VARIANTS_SCHEMA)
            .map_err(|message| DeclarationError::invalid(path, message))?;
        let mut variants = BTreeMap::new();
        for VariantFile { id, engine, aa_of, withhold, config } in file.variant {
            if engine == EngineKind::PassThrough && (withhold.is_some() || config != VariantConfig::default())
            {
                let message = format!("variant `{id}`: a pass-through has no settings: remove them");
                return Err(DeclarationError::invalid(path, message));
            }
            let variant = Variant { id: id.clone(), engine, aa_of, withhold, config };
            if variants.insert(id.clone(), variant).is_some() {
                let message = format!("variant `{id}`: declared twice: give each arm one section");
                return Err(DeclarationError::invalid(path, message));
            }
        }
        let set = VariantSet { variants };
        for variant in set.variants.values() {
            set.check_aa(path, variant)?;
        }
        Ok(set)
    }

    fn check_aa(&self, path: &Path, variant: &Variant) -> Result<(), DeclarationError> {
        let Some(original) = &variant.aa_of else { return Ok(()) };
        let same = self.get(original).is_some_and(|original| {
            original.id != variant.id && original.canonical_config() == variant.canonical_config()
        });
        if same {
            return Ok(());
        }
        let message = format!(
            "variant `{}`: aa_of names `{original}`, which isn't another variant with the same engine",
            variant.id
        );
        Err(DeclarationError::invalid(path, message))
    }

    /// Variant by identifier.
    pub fn get(&self, id: &str) -> Option<&Variant> {
        self.variants.get(id)
    }

    /// All variants, by identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Variant> {
        self.variants.values()
    }

    /// Whether the two are declared to be the same engine.
    pub fn declared_aa(&self, one: &str, other: &str) -> bool {
        let repeats = |a: &str, b: &str| {
            self.get(a).and_then(|variant| variant.aa_of.as_deref()).is_some_and(|of| of == b)
        };
        repeats(one, other) || repeats(other, one)
    }
}
