//! The pre-registered policy, `scenarios/gate.toml`: what a feature must show, a section a feature.
//!
//! A section is hashed as canonical JSON, so that comments and layout don't matter and a changed margin does. Floors can
//! be raised by a policy and never lowered: a policy that tries is refused.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use adapters::cli::acts;
use engine::message::{sha256_hex, stable_json};
use serde::Deserialize;
use verdict::{Better, Claim, Criterion, Estimand, Range, Settings, Spending};

use super::plan::LookPlan;
use crate::failure::{Failure, read_declaration};
use crate::metric::Metric;

/// Version of the policy file.
const SCHEMA: &str = "gate-policy/1";
/// Largest one-sided level a policy may ask for.
const LARGEST_ALPHA: f64 = 0.05;
/// Smallest level: below it a bound asks for draws that no number of resamples gives.
const SMALLEST_ALPHA: f64 = 0.000_1;
/// Fewest resamples that give a bound at [`LARGEST_ALPHA`] a stable second digit.
const FEWEST_RESAMPLES: usize = 999;
/// Most resamples: beyond this a gate takes minutes for digits that nobody reads.
const MOST_RESAMPLES: usize = 1_000_000;
/// Fewest resamples beyond a bound.
const FEWEST_BEYOND: f64 = 20.0;
/// Fewest scheduled runs an arm and scenario.
const FEWEST_RUNS: usize = 3;
/// Most scheduled runs an arm and scenario.
const MOST_RUNS: usize = 1_000;
/// Most differing units that a floor may ask for.
const HIGHEST_FLOOR: usize = 10_000;
/// Longest time for which prices or a certificate count, days.
const LONGEST_DAYS: u32 = 366;

/// The whole policy.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Sections by feature.
    pub sections: BTreeMap<String, Section>,
}

/// What one feature must show.
#[derive(Debug, Clone)]
pub struct Section {
    /// SHA-256 of the section as canonical JSON.
    pub sha256: String,
    /// One-sided error level of every criterion.
    pub alpha: f64,
    /// Seed and floors of the statistics.
    pub settings: Settings,
    /// Fewest scheduled runs an arm and scenario.
    pub minimum_runs: usize,
    /// Price pack that costs are computed with: a file under `scenarios/packs`, without its extension.
    pub prices: String,
    /// Days after its check for which the price pack counts.
    pub prices_days: u32,
    /// Days a certificate lives.
    pub certificate_days: u32,
    /// Every criterion a promotion needs: benefits, guards, safety counters, in the order of the file.
    pub criteria: Vec<Declared>,
    /// The criterion on which the known-bad arm must be rejected.
    pub assay: Declared,
    /// Planned looks; one look at the whole campaign where there is no plan.
    pub looks: Option<LookPlan>,
}

impl Section {
    /// The section with every criterion at another level: what one of several planned looks may spend.
    pub fn at_level(&self, alpha: f64) -> Section {
        let mut section = Section { alpha, ..self.clone() };
        for declared in section.criteria.iter_mut().chain([&mut section.assay]) {
            declared.terms.alpha = alpha;
        }
        section
    }
}

/// A declared criterion and where its values come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The metric; it names the plane, so that the planes are never mixed within a criterion.
    pub metric: Metric,
    /// Benefit, guard or safety counter.
    pub kind: Kind,
    /// The statistical terms, with no scenario planned yet.
    pub terms: Criterion,
}

impl Declared {
    /// The criterion for a plan of that many scenarios.
    pub fn criterion(&self, scenarios: usize) -> Criterion {
        Criterion { scenarios, ..self.terms.clone() }
    }
}

/// Which part a criterion plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Superiority: the gain that the feature claims.
    Benefit,
    /// Non-inferiority: what the feature must not cost.
    Guard,
    /// No event in any run.
    Safety,
}

impl Kind {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Benefit => "superiority",
            Kind::Guard => "non-inferiority",
            Kind::Safety => "no-events",
        }
    }
}

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// Input and output (74); anything a policy may not say, an unknown key among it (64), naming key and file.
    pub fn load(path: &Path) -> Result<Policy, Failure> {
        let text = read_declaration(path)?;
        Policy::parse(&text, &path.display().to_string())
    }

    /// Parses a policy; `file` is only named in errors.
    ///
    /// # Errors
    /// As [`Policy::load`], reading aside.
    pub fn parse(text: &str, file: &str) -> Result<Policy, Failure> {
        let refused = |error: toml::de::Error| Failure::usage(located(text, file, &error));
        let disk: disk::Policy = toml::from_str(text).map_err(refused)?;
        let raw: serde_json::Value = toml::from_str(text).map_err(refused)?;
        if disk.schema != SCHEMA {
            return Err(Failure::usage(format!(
                "{file}: schema \"{}\": this harness reads \"{SCHEMA}\"",
                disk.schema
            )));
        }
        let mut sections = BTreeMap::new();
        for (feature, section) in disk.feature {
            let sha256 = sha256_hex(stable_json(&raw["feature"][&feature]).as_bytes());
            let place = format!("{file}: feature.{feature}");
            sections.insert(feature, section.checked(&place, sha256)?);
        }
        Ok(Policy { sections })
    }
}

/// `file:line: what`, on one line.
fn located(text: &str, file: &str, error: &toml::de::Error) -> String {
    let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
    format!("{file}:{line}: {}: correct or remove it", error.message().replace('\n', " "))
}

/// The file's own structs.
mod disk {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Policy {
        pub(super) schema: String,
        #[serde(default)]
        pub(super) feature: BTreeMap<String, Section>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Section {
        alpha: f64,
        seed: u64,
        resamples: usize,
        minimum_runs: usize,
        maximum_missing: f64,
        discordance_floor: usize,
        prices: String,
        prices_days: u32,
        certificate_days: u32,
        safety: Vec<String>,
        benefit: Vec<Benefit>,
        guard: Vec<Guard>,
        assay: Guard,
        looks: Option<Looks>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Looks {
        scenarios: Vec<usize>,
        spending: SpendingName,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum SpendingName {
        ObrienFleming,
        Pocock,
    }

    impl Looks {
        fn checked(self, place: &str) -> Result<LookPlan, Failure> {
            let ascending = self.scenarios.windows(2).all(|pair| pair[0] < pair[1]);
            if self.scenarios.len() < 2 || !ascending || self.scenarios[0] == 0 {
                return Err(Failure::usage(format!(
                    "{place}.looks.scenarios: {:?}: give the scheduled scenarios at each of two or more looks, ascending",
                    self.scenarios
                )));
            }
            let spending = match self.spending {
                SpendingName::ObrienFleming => Spending::ObrienFleming,
                SpendingName::Pocock => Spending::Pocock,
            };
            Ok(LookPlan { scenarios: self.scenarios, spending })
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Benefit {
        id: String,
        metric: String,
        estimand: EstimandName,
        at_least: f64,
        quantile: Option<f64>,
        range: Option<[f64; 2]>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Guard {
        id: String,
        metric: String,
        estimand: EstimandName,
        margin: f64,
        quantile: Option<f64>,
        range: Option<[f64; 2]>,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum EstimandName {
        MeanDifference,
        GeometricRatio,
        TotalRatio,
        TailRatio,
    }

    impl Section {
        pub(super) fn checked(self, place: &str, sha256: String) -> Result<super::Section, Failure> {
            self.floors(place)?;
            let settings = Settings {
                resamples: self.resamples,
                flips: self.resamples,
                discordance_floor: self.discordance_floor,
                max_missing: self.maximum_missing,
                ..Settings::new(self.seed)
            };
            let mut criteria = Vec::new();
            for benefit in self.benefit {
                criteria.push(benefit.declared(self.alpha, place)?);
            }
            for guard in self.guard {
                criteria.push(guard.declared(self.alpha, place)?);
            }
            for counter in &self.safety {
                criteria.push(safety(counter, self.alpha, place)?);
            }
            let assay = self.assay.declared(self.alpha, place)?;
            let looks = self.looks.map(|looks| looks.checked(place)).transpose()?;
            for (index, declared) in criteria.iter().enumerate() {
                let id = &declared.terms.id;
                if criteria[..index].iter().any(|earlier| earlier.terms.id == *id) {
                    return Err(Failure::usage(format!(
                        "{place}: criterion {id}: declared twice: rename one"
                    )));
                }
            }
            Ok(super::Section {
                sha256,
                alpha: self.alpha,
                settings,
                minimum_runs: self.minimum_runs,
                prices: self.prices,
                prices_days: self.prices_days,
                certificate_days: self.certificate_days,
                criteria,
                assay,
                looks,
            })
        }

        /// A policy may ask for more than the floors, never for less.
        fn floors(&self, place: &str) -> Result<(), Failure> {
            let floors = Settings::new(0);
            let low = |key: &str, limit: String| {
                Err(Failure::usage(format!("{place}.{key}: below the floor: {limit}")))
            };
            let beyond = |key: &str, limit: String| {
                Err(Failure::usage(format!("{place}.{key}: beyond what can count: {limit}")))
            };
            if !(self.alpha > 0.0 && self.alpha <= LARGEST_ALPHA) {
                return low("alpha", format!("choose a level above 0 and at most {LARGEST_ALPHA}"));
            }
            if self.alpha < SMALLEST_ALPHA {
                return beyond("alpha", format!("choose a level of {SMALLEST_ALPHA} or more"));
            }
            if self.resamples < FEWEST_RESAMPLES {
                return low("resamples", format!("choose {FEWEST_RESAMPLES} or more"));
            }
            if (self.resamples as f64) * self.alpha < FEWEST_BEYOND {
                let needed = (FEWEST_BEYOND / self.alpha).ceil();
                return low("resamples", format!("choose {needed} or more for alpha {}", self.alpha));
            }
            if self.resamples > MOST_RESAMPLES {
                return beyond("resamples", format!("choose at most {MOST_RESAMPLES}"));
            }
            if self.minimum_runs < FEWEST_RUNS {
                return low("minimum_runs", format!("choose {FEWEST_RUNS} or more"));
            }
            if self.minimum_runs > MOST_RUNS {
                return beyond("minimum_runs", format!("choose at most {MOST_RUNS}"));
            }
            if self.discordance_floor > HIGHEST_FLOOR {
                return beyond("discordance_floor", format!("choose at most {HIGHEST_FLOOR}"));
            }
            for (key, days) in
                [("prices_days", self.prices_days), ("certificate_days", self.certificate_days)]
            {
                if !(1..=LONGEST_DAYS).contains(&days) {
                    return beyond(key, format!("choose 1 to {LONGEST_DAYS} days"));
                }
            }
            if !(0.0..=floors.max_missing).contains(&self.maximum_missing) {
                return low("maximum_missing", format!("choose a share of at most {}", floors.max_missing));
            }
            if self.discordance_floor < floors.discordance_floor {
                return low("discordance_floor", format!("choose {} or more", floors.discordance_floor));
            }
            let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            if self.prices.is_empty() || !self.prices.chars().all(plain) {
                return Err(Failure::usage(format!(
                    "{place}.prices: \"{}\": name a file of scenarios/packs without folder or extension",
                    self.prices
                )));
            }
            if self.benefit.is_empty() {
                return low("benefit", "declare at least one gain".to_owned());
            }
            let counted = |metric: &Metric| self.safety.iter().any(|counter| counter == metric.id());
            if let Some(left_out) = Metric::SAFETY.iter().find(|metric| !counted(metric)) {
                return low("safety", format!("declare {}", left_out.id()));
            }
            let counter = |id: &String| Metric::SAFETY.iter().any(|metric| metric.id() == id);
            if let Some(other) = self.safety.iter().find(|id| !counter(id)) {
                return beyond("safety", format!("\"{other}\" is no safety counter"));
            }
            let accepted = |metric: &str| metric == Metric::Accepted.id();
            if !self.guard.iter().any(|guard| accepted(&guard.metric))
                && !self.benefit.iter().any(|benefit| accepted(&benefit.metric))
            {
                return low("guard", format!("guard {}, or claim that it rises", Metric::Accepted.id()));
            }
            Ok(())
        }
    }

    impl Benefit {
        fn declared(self, alpha: f64, place: &str) -> Result<Declared, Failure> {
            let claim = Claim::Superiority { at_least: self.at_least };
            declared(
                (self.id, self.metric),
                (self.estimand, self.quantile, self.range),
                (claim, alpha),
                place,
            )
        }
    }

    impl Guard {
        fn declared(self, alpha: f64, place: &str) -> Result<Declared, Failure> {
            let claim = Claim::NonInferiority { margin: self.margin };
            declared(
                (self.id, self.metric),
                (self.estimand, self.quantile, self.range),
                (claim, alpha),
                place,
            )
        }
    }

    type Shape = (EstimandName, Option<f64>, Option<[f64; 2]>);

    fn declared(
        (id, metric): (String, String),
        (estimand, quantile, range): Shape,
        (claim, alpha): (Claim, f64),
        place: &str,
    ) -> Result<Declared, Failure> {
        let metric = known(&metric, &id, place)?;
        let estimand = match (estimand, quantile) {
            (EstimandName::TailRatio, Some(quantile)) => Estimand::TailRatio { quantile },
            (EstimandName::TailRatio, None) => {
                return Err(Failure::usage(format!(
                    "{place}: criterion {id}: tail-ratio: state its quantile"
                )));
            }
            (_, Some(_)) => {
                return Err(Failure::usage(format!(
                    "{place}: criterion {id}: quantile: only tail-ratio has one: remove it"
                )));
            }
            (EstimandName::MeanDifference, None) => Estimand::MeanDifference,
            (EstimandName::GeometricRatio, None) => Estimand::GeometricRatio,
            (EstimandName::TotalRatio, None) => Estimand::TotalRatio,
        };
        let range = range.map(|[low, high]| Range { low, high });
        if id.is_empty() || id.chars().any(|letter| acts(letter) || letter.is_whitespace()) {
            return Err(Failure::usage(format!(
                "{place}: criterion {id:?}: not a name: use letters, digits and dashes"
            )));
        }
        if let Estimand::TailRatio { quantile } = estimand
            && !bad_side(metric.better()).contains(&quantile)
        {
            return Err(Failure::usage(format!(
                "{place}: criterion {id}: quantile {quantile}: guards no tail: choose one on the side where {} is bad",
                metric.id()
            )));
        }
        let terms = Criterion { id, claim, estimand, better: metric.better(), alpha, scenarios: 0, range };
        terms.validate().map_err(|error| Failure::usage(format!("{place}: {error}")))?;
        if let (Claim::NonInferiority { margin }, widest) = (claim, widest_margin(metric, &terms))
            && margin > widest
        {
            return Err(Failure::usage(format!(
                "{place}: criterion {}: margin {margin}: beyond what can count: choose at most {widest}",
                terms.id
            )));
        }
        let kind = if matches!(claim, Claim::Superiority { .. }) { Kind::Benefit } else { Kind::Guard };
        Ok(Declared { metric, kind, terms })
    }

    /// Quantiles of the tail in which a metric is bad: the upper half of what should be low.
    fn bad_side(better: Better) -> RangeInclusive<f64> {
        match better {
            Better::Lower => 0.5..=1.0,
            Better::Higher => 0.0..=0.5,
        }
    }

    /// The widest margin that still guards something: a tenth of all runs in acceptance, a quarter of a bill (half of its
    /// tail), one event a run, and never the whole range of a metric.
    fn widest_margin(metric: Metric, terms: &Criterion) -> f64 {
        let range = terms.range.map_or(f64::INFINITY, |range| 0.99 * (range.high - range.low));
        let own = match (terms.estimand, metric) {
            (Estimand::TailRatio { .. }, _) => 0.5,
            (Estimand::GeometricRatio | Estimand::TotalRatio, _) => 0.25,
            (Estimand::MeanDifference, Metric::Accepted) => 0.1,
            (Estimand::MeanDifference, Metric::Rework | Metric::FailedVerifications) => 1.0,
            (Estimand::MeanDifference, _) => f64::INFINITY,
        };
        own.min(range)
    }

    fn safety(name: &str, alpha: f64, place: &str) -> Result<Declared, Failure> {
        let metric = known(name, name, place)?;
        let terms = Criterion {
            id: name.to_owned(),
            claim: Claim::NoEvents,
            estimand: Estimand::MeanDifference,
            better: metric.better(),
            alpha,
            scenarios: 0,
            range: None,
        };
        Ok(Declared { metric, kind: Kind::Safety, terms })
    }

    fn known(metric: &str, criterion: &str, place: &str) -> Result<Metric, Failure> {
        Metric::by_id(metric).ok_or_else(|| {
            Failure::usage(format!(
                "{place}: criterion {criterion}: unknown metric \"{metric}\": choose one that the frame has"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../scenarios/gate.toml");

    fn refusal(text: &str) -> String {
        Policy::parse(text, "gate.toml").expect_err("must be refused").message
    }

    #[test]
    fn the_shipped_policy_is_valid() {
        let policy = Policy::parse(SHIPPED, "gate.toml").unwrap();
        let section = &policy.sections["auto-context"];
        assert_eq!(section.criteria.iter().filter(|c| c.kind == Kind::Benefit).count(), 4);
        assert_eq!(section.criteria.iter().filter(|c| c.kind == Kind::Safety).count(), 5);
    }

    #[test]
    fn the_hash_ignores_layout_and_sees_margins() {
        let hash = |text: &str| Policy::parse(text, "f").unwrap().sections["auto-context"].sha256.clone();
        let spaced = SHIPPED.replace("alpha = 0.025 ", "# a remark\nalpha    =  0.025 ");
        assert_eq!(hash(SHIPPED), hash(&spaced));
        let widened = SHIPPED.replacen("margin = 0.05", "margin = 0.06", 1);
        assert_ne!(hash(SHIPPED), hash(&widened));
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        let message = refusal(&SHIPPED.replace("resamples", "resample"));
        assert!(message.contains("resample") && message.starts_with("gate.toml:"), "{message}");
        assert!(!message.contains('\n'));
    }

    #[test]
    fn floors_can_only_be_raised() {
        for (from, to) in [
            ("alpha = 0.025", "alpha = 0.2"),
            ("minimum_runs = 3", "minimum_runs = 1"),
            ("maximum_missing = 0.05", "maximum_missing = 0.5"),
            ("discordance_floor = 10", "discordance_floor = 2"),
            ("resamples = 9999", "resamples = 10"),
        ] {
            assert!(refusal(&SHIPPED.replace(from, to)).contains("below the floor"));
        }
        let raised = SHIPPED.replace("discordance_floor = 10", "discordance_floor = 20");
        assert!(Policy::parse(&raised, "f").is_ok());
    }

    #[test]
    fn numbers_beyond_what_can_count_are_refused() {
        for (from, to) in [
            ("alpha = 0.025", "alpha = 0.00001"),
            ("resamples = 9999", "resamples = 20000000"),
            ("minimum_runs = 3", "minimum_runs = 5000"),
            ("discordance_floor = 10", "discordance_floor = 100000"),
            ("prices_days = 365", "prices_days = 0"),
            ("certificate_days = 90", "certificate_days = 4000"),
            ("margin = 0.05", "margin = 0.5"),
            ("margin = 0.02\n\n[[", "margin = 0.6\n\n[["),
            ("quantile = 0.95\nmargin = 0.10", "quantile = 0.95\nmargin = 0.9"),
            ("margin = 0.02\nrange", "margin = 1.0\nrange"),
        ] {
            assert!(SHIPPED.contains(from), "{from}");
            assert!(refusal(&SHIPPED.replacen(from, to, 1)).contains("beyond what can count"), "{to}");
        }
        let few = SHIPPED.replace("alpha = 0.025", "alpha = 0.001");
        assert!(refusal(&few.replace("resamples = 9999", "resamples = 999")).contains("for alpha 0.001"));
    }

    /// A policy could leave counters out, guard acceptance with nothing, or call the smallest costs a tail.
    #[test]
    fn what_every_promotion_must_show_cannot_be_left_out() {
        for counter in Metric::SAFETY {
            let without = SHIPPED.replacen(&format!("    \"{}\",\n", counter.id()), "", 1);
            assert!(refusal(&without).contains(&format!("below the floor: declare {}", counter.id())));
        }
        let more = SHIPPED.replacen("\"safety-overflow\",", "\"safety-overflow\", \"rework\",", 1);
        assert!(refusal(&more).contains("no safety counter"), "{}", refusal(&more));
        let unguarded = SHIPPED.replacen("metric = \"accepted\"", "metric = \"edits\"", 1);
        assert!(refusal(&unguarded).contains("guard accepted, or claim that it rises"));
        for quantile in ["0.0001", "0.49"] {
            let low = SHIPPED.replacen("quantile = 0.95", &format!("quantile = {quantile}"), 1);
            assert!(refusal(&low).contains("guards no tail"), "{quantile}");
        }
        for name in ["", "two words", "\\u001b[2J", "\\u202e"] {
            let named = SHIPPED.replacen("id = \"acceptance\"", &format!("id = \"{name}\""), 1);
            assert!(refusal(&named).contains("not a name"), "{name}: {}", refusal(&named));
        }
    }

    #[test]
    fn a_plan_of_looks_is_ascending() {
        let with = |plan: &str| format!("{SHIPPED}\n[feature.auto-context.looks]\n{plan}");
        let plan = with("scenarios = [40, 80]\nspending = \"pocock\"");
        let section = Policy::parse(&plan, "f").unwrap().sections["auto-context"].clone();
        assert_eq!(section.looks.unwrap().scenarios, [40, 80]);
        for bad in ["[80]", "[80, 40]", "[0, 40]"] {
            let text = with(&format!("scenarios = {bad}\nspending = \"obrien-fleming\""));
            assert!(refusal(&text).contains("ascending"), "{bad}");
        }
    }

    #[test]
    fn a_tail_ratio_states_its_quantile() {
        assert!(refusal(&SHIPPED.replace("quantile = 0.95\n", "")).contains("quantile"));
    }
}
