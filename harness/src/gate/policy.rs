//! The pre-registered policy, `scenarios/gate.toml`: what a feature must show, a section a feature.
//!
//! A section is hashed as canonical JSON, so that comments and layout don't matter and a changed margin does. Floors can
//! be raised by a policy and never lowered: a policy that tries is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::message::{sha256_hex, stable_json};
use verdict::{Criterion, Settings};

use super::plan::LookPlan;
use crate::failure::{Failure, read_bytes, read_declaration};
use crate::metric::Metric;

mod disk;

/// Version of the policy file.
const SCHEMA: &str = "gate-policy/1";

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
    /// The price pack among the scenarios.
    pub fn price_pack(&self, scenarios: &Path) -> PathBuf {
        scenarios.join("packs").join(format!("{}.toml", self.prices))
    }

    /// SHA-256 of that pack.
    ///
    /// # Errors
    /// Input and output (74).
    pub fn prices_sha256(&self, scenarios: &Path) -> Result<String, Failure> {
        Ok(sha256_hex(&read_bytes(&self.price_pack(scenarios))?))
    }

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
