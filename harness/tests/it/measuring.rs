//! A corpus measured for a feature as the gate measures it.

use std::path::Path;

use harness::corpus::Corpus;
use harness::measure::{Campaign, Measured, REPEATS};
use harness::metric::price::PricePack;
use harness::scenario::ScenarioSet;
use harness::variant::{Arms, Declared, FeatureSet, VariantSet};

/// The arms of the feature, and what the corpus says of them; `policy` is the hash that its runs should name.
pub fn measure(scenarios: &Path, corpus: &Path, feature: &str, policy: Option<&str>) -> (Arms, Measured) {
    let (corpus, load_faults) = Corpus::load(corpus).unwrap();
    let variants = VariantSet::load(&scenarios.join("variants.toml")).unwrap();
    let features = FeatureSet::load(&scenarios.join("features.toml"), &variants).unwrap();
    let prices = PricePack::load(&scenarios.join("packs/prices-scripted.toml")).unwrap();
    let campaign = Campaign {
        corpus: &corpus,
        load_faults: &load_faults,
        scenarios: &ScenarioSet::load(scenarios).unwrap(),
        variants: &variants,
        prices: Some(&prices),
        repeats: REPEATS,
        graders: false,
        engines: &Declared,
    };
    let feature = features.get(feature).unwrap();
    let arms = feature.arms.clone().unwrap();
    let measured = campaign.measure(feature, &arms, policy).unwrap();
    (arms, measured)
}
