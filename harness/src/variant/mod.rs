//! Variants (what an arm runs) and features (which arms decide what), as declared in `scenarios/variants.toml` and
//! `scenarios/features.toml`.
//!
//! Both files refuse unknown keys: a mistyped setting must not silently become a default. A variant's identity is its
//! canonical configuration; two variants with one configuration are one engine, allowed only as a declared A/A.

mod engine;
mod feature;
mod set;

pub use engine::{CONTEXT_WINDOW, Declared, OpenEngine};
pub use feature::{Arms, Feature, FeatureSet, State};
pub use set::{EngineKind, RankerName, Variant, VariantConfig, VariantSet, Withhold};
