//! Checks of a feature's arms: runs that differ in anything but the engine are never paired.

use std::collections::{BTreeMap, BTreeSet};

use verdict::{Attendance, Severity, attendance_faults};

use super::attempt::check_rerolls;
use super::{Corpus, Fault, FaultCode, Recorded, Row, RunKey, Scope};
use crate::variant::{Arms, Feature, Variant, VariantSet};

/// Fewest scheduled runs of a scenario in an arm.
const MIN_RUNS: u32 = 3;
/// Largest share of scheduled runs that may be missing.
const MAX_MISSING: f64 = 0.05;

/// What a feature's evidence is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Expectation<'a> {
    /// The declared variants.
    pub variants: &'a VariantSet,
    /// Hash of the feature's policy section; `None` skips that check (no policy is in force, as in `compare`).
    pub policy_sha256: Option<&'a str>,
}

/// Faults of a feature's arms as a whole: engines, comparability, attendance, pre-registration.
pub fn check_feature(
    corpus: &Corpus,
    feature: &Feature,
    arms: &Arms,
    expected: &Expectation<'_>,
) -> Vec<Fault> {
    let reported = |check: &dyn Fn(&mut Report<'_>)| {
        let mut faults = Vec::new();
        check(&mut |code, message: String| {
            faults.push(Fault::new(code, Scope::feature(&feature.id), format!("{}: {message}", feature.id)));
        });
        faults
    };
    // Each looks through all rows.
    let ((mut faults, compared), (attended, rerolled)) = rayon::join(
        || {
            rayon::join(
                || reported(&|report| engines(corpus, arms, expected.variants, report)),
                || reported(&|report| comparability(corpus, arms, report)),
            )
        },
        || {
            rayon::join(
                || {
                    reported(&|report| {
                        attendance(corpus, arms, report);
                        if let Some(policy) = expected.policy_sha256 {
                            preregistration(corpus, arms, policy, report);
                        }
                    })
                },
                || check_rerolls(corpus, feature, arms),
            )
        },
    );
    faults.extend(compared.into_iter().chain(attended).chain(rerolled));
    faults.sort();
    faults
}

type Report<'r> = dyn FnMut(FaultCode, String) + 'r;

/// Two arms of one engine, and evidence of an engine that isn't the one at hand.
fn engines(corpus: &Corpus, arms: &Arms, variants: &VariantSet, report: &mut Report<'_>) {
    let names = arms.all();
    let digests = Digests::of(corpus, &names);
    for (index, one) in names.iter().enumerate() {
        for other in &names[index + 1..] {
            // Only the canary may repeat the baseline; a declaration can't excuse any other pair.
            let canary =
                [*one, *other] == [&arms.baseline, &arms.aa] || [*one, *other] == [&arms.aa, &arms.baseline];
            if canary && variants.declared_aa(one, other) {
                continue;
            }
            let (Some(a), Some(b)) = (variants.get(one), variants.get(other)) else { continue };
            if a.canonical_config() == b.canonical_config() {
                report(
                    FaultCode::SameEngine,
                    format!("{one} and {other} are declared with one configuration"),
                );
            }
            let shared = digests.of_arm(one).intersection(digests.of_arm(other)).next().copied();
            if let Some(digest) = shared {
                let message = format!("{one} and {other} were recorded with one engine ({})", short(digest));
                report(FaultCode::SameEngine, message);
            }
        }
    }
    repeats_the_baseline(&digests, arms, variants, report);
    for name in names {
        let Some(variant) = variants.get(name) else { continue };
        let current = variant.engine_digest();
        if let Some(message) = another_model(corpus, variant, &current) {
            report(FaultCode::ModelArtifactMismatch, message);
        }
        if let Some(stale) = digests.of_arm(name).iter().find(|digest| **digest != current) {
            let message = format!(
                "{name} was recorded with engine {}, this one is {}: record again",
                short(stale),
                short(&current)
            );
            report(FaultCode::StaleEngine, message);
        }
    }
}

/// Rows of this very engine that name another learned model than it has, or none where it has one.
fn another_model(corpus: &Corpus, variant: &Variant, current: &str) -> Option<String> {
    let own = variant.model_artifact_sha256();
    let mut rows = corpus.of_variant(&variant.id).filter_map(Row::result);
    let other = rows.find(|row| {
        *row.engine_digest == *current && row.model_artifact_sha256.as_deref() != own.as_deref()
    })?;
    let told = |sha256: Option<&str>| sha256.map_or("none", short).to_owned();
    let (recorded, own) = (told(other.model_artifact_sha256.as_deref()), told(own.as_deref()));
    Some(format!("{}: recorded with learned model {recorded}, its engine has {own}", variant.id))
}

/// An A/A arm that isn't the baseline again can't show what chance alone does.
fn repeats_the_baseline(digests: &Digests<'_>, arms: &Arms, variants: &VariantSet, report: &mut Report<'_>) {
    let Arms { baseline, aa, .. } = arms;
    if !variants.declared_aa(baseline, aa) {
        report(FaultCode::NotAnAa, format!("{aa} isn't declared as {baseline} again: set its aa_of"));
    }
    let (own, repeated) = (digests.of_arm(aa), digests.of_arm(baseline));
    let other = own.symmetric_difference(repeated).next().copied();
    if let Some(digest) = other.filter(|_| !own.is_empty() && !repeated.is_empty()) {
        let message = format!("{aa} and {baseline} were recorded with different engines ({})", short(digest));
        report(FaultCode::NotAnAa, message);
    }
}

/// The engines that arms were recorded with.
struct Digests<'c>(BTreeMap<&'c str, BTreeSet<&'c str>>);

impl<'c> Digests<'c> {
    fn of(corpus: &'c Corpus, arms: &[&'c str]) -> Digests<'c> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> =
            arms.iter().map(|arm| (*arm, BTreeSet::new())).collect();
        for row in corpus.rows.values() {
            if let (Some(known), Some(recorded)) = (all.get_mut(&*row.key.variant), row.result()) {
                known.insert(&*recorded.engine_digest);
            }
        }
        Digests(all)
    }

    /// Those of one of the arms that this was made of.
    fn of_arm(&self, arm: &str) -> &BTreeSet<&'c str> {
        static NONE: BTreeSet<&str> = BTreeSet::new();
        self.0.get(arm).unwrap_or(&NONE)
    }
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// A part of the comparability key: the code when it differs, its name, its value in two pieces, and how these are told.
type KeyPart = (FaultCode, &'static str, fn(&Recorded) -> [&str; 2], fn([&str; 2]) -> String);

const KEY: [KeyPart; 10] = [
    (FaultCode::ModelMismatch, "model", |row| [&row.provider, &row.model], |pieces| pieces.join("/")),
    (
        FaultCode::ThinkingMismatch,
        "thinking level",
        |row| [&row.thinking_level, ""],
        |pieces| pieces.concat(),
    ),
    (FaultCode::AgentMismatch, "agent", |row| [&row.agent, &row.agent_version], |pieces| pieces.join(" ")),
    (FaultCode::TierMismatch, "tier", |row| [&row.tier, ""], |pieces| pieces.concat()),
    (FaultCode::ToolsMismatch, "tools", |row| [&row.tools_sha256, ""], short_hash),
    (FaultCode::InstructionsMismatch, "instructions", |row| [&row.instructions_sha256, ""], short_hash),
    (FaultCode::ParametersMismatch, "parameters", |row| [&row.parameters_sha256, ""], short_hash),
    (FaultCode::TreeMismatch, "fixture", |row| [&row.tree_sha256, ""], short_hash),
    (FaultCode::TaskMismatch, "prompt", |row| [&row.prompt_sha256, ""], short_hash),
    (FaultCode::TaskMismatch, "task", |row| [&row.scenario_sha256, ""], short_hash),
];

/// Whether two values are equal. Most rows share their texts, which are then one text.
fn alike(one: &[&str; 2], other: &[&str; 2]) -> bool {
    one.iter().zip(other).all(|(one, other)| std::ptr::eq(*one, *other) || one == other)
}

fn short_hash([hash, _]: [&str; 2]) -> String {
    short(hash).to_owned()
}

/// Within a scenario every run of every arm must agree in everything but the engine.
fn comparability(corpus: &Corpus, arms: &Arms, report: &mut Report<'_>) {
    let names = arms.all();
    let mut scenarios: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in corpus.rows.values().filter(|row| names.contains(&&*row.key.variant)) {
        if row.result().is_some() {
            scenarios.entry(&row.key.scenario).or_default().push(row);
        }
    }
    for (code, name, part, told) in KEY {
        for rows in scenarios.values() {
            let mut values = rows.iter().filter_map(|row| Some((part(row.result()?), row)));
            let Some((first, one)) = values.next() else { continue };
            if let Some((value, other)) = values.find(|(value, _)| !alike(value, &first)) {
                let [mut one_says, mut other_says] = [first, value].map(told);
                // What looks alike in short is told at length.
                if one_says == other_says {
                    [one_says, other_says] = [first, value].map(|pieces| format!("{pieces:?}"));
                }
                let message = format!("{name}: {} has {one_says}, {} has {other_says}", one.key, other.key);
                report(code, message);
                // One example a part is enough: a swapped model would otherwise repeat for each scenario.
                break;
            }
        }
    }
}

/// Missing runs. The criteria bridge a few of the compared pair by their worst completion; a canary arm that lacks one
/// could have shown there what it was made to show.
fn attendance(corpus: &Corpus, arms: &Arms, report: &mut Report<'_>) {
    let schedule = &corpus.manifest.schedule;
    if schedule.repetitions < MIN_RUNS {
        let message = format!("{} scheduled runs an arm: schedule at least {MIN_RUNS}", schedule.repetitions);
        report(FaultCode::TooFewRuns, message);
    }
    for name in arms.all() {
        if !schedule.variants.contains(name) {
            report(FaultCode::MissingRuns, format!("{name}: the corpus doesn't schedule this arm"));
        }
    }
    for name in [&arms.known_bad, &arms.aa] {
        let lacking = lacking(corpus, name);
        if let [first, ..] = lacking[..] {
            let message =
                format!("{name}: {} runs without a result, {first} first: record them", lacking.len());
            report(FaultCode::MissingRuns, message);
        }
    }
    let attend = |name: &str| {
        let scheduled = schedule.scenarios.len() * schedule.repetitions as usize;
        Attendance { scheduled, missing: lacking(corpus, name).len() }
    };
    for fault in attendance_faults(attend(&arms.baseline), attend(&arms.candidate), MAX_MISSING) {
        let code = match fault.severity {
            Severity::Invalid => FaultCode::DifferentialMissingness,
            Severity::Harm | Severity::Insufficient => FaultCode::MissingRuns,
        };
        report(code, fault.reason.message);
    }
}

/// Scheduled runs of an arm without a result.
fn lacking<'c>(corpus: &'c Corpus, arm: &str) -> Vec<&'c RunKey> {
    let of_arm = corpus.rows.values().filter(|row| *row.key.variant == *arm);
    of_arm.filter(|row| row.result().is_none()).map(|row| &row.key).collect()
}

fn preregistration(corpus: &Corpus, arms: &Arms, policy: &str, report: &mut Report<'_>) {
    let names = arms.all();
    let other = corpus.rows.values().filter(|row| names.contains(&&*row.key.variant)).find_map(|row| {
        Some((row, row.result()?)).filter(|(_, recorded)| *recorded.policy_sha256 != *policy)
    });
    if let Some((row, recorded)) = other {
        let message = format!(
            "{} was recorded under policy section {}, this one is {}: record under it",
            row.key,
            short(&recorded.policy_sha256),
            short(policy)
        );
        report(FaultCode::NotPreregistered, message);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use serde_json::json;
    use verdict::Tier;

    use super::*;
    use crate::corpus::{Manifest, Schedule};

    fn row(variant: &str, tools_sha256: &str, (provider, model): (&str, &str)) -> Row {
        let recorded = json!({
            "session": "", "sha256": "", "bytes": 0, "agent": "", "agent_version": "", "provider": provider,
            "model": model, "thinking_level": "off", "tree_sha256": "", "engine_digest": "", "policy_sha256": "",
            "tier": "", "wire": "", "wire_sha256": "", "patch": "", "patch_sha256": "", "grader_log": "",
            "grader_log_sha256": "", "prompt_sha256": "", "tools_sha256": tools_sha256, "instructions_sha256": "",
            "parameters_sha256": "", "scenario_sha256": "",
            "outcome": { "accepted": true, "verify_exit": 0, "verify_attempts": 0, "verify_failures": 0,
                "wall_seconds": 0.0, "infrastructure_failure": null },
        });
        Row {
            key: RunKey { scenario: "s".into(), variant: variant.into(), repetition: 0 },
            recorded: Some(Arc::new(serde_json::from_value(recorded).unwrap())),
            infrastructure_failure: None,
            earlier: Vec::new(),
        }
    }

    fn found(one: Row, other: Row) -> Vec<(FaultCode, String)> {
        let schedule = Schedule { scenarios: BTreeSet::new(), variants: BTreeSet::new(), repetitions: 1 };
        let manifest = Manifest {
            name: String::new(),
            version: String::new(),
            description: String::new(),
            licence: String::new(),
            tier: Tier::Synthetic,
            feature: String::new(),
            schedule,
        };
        let rows = [one, other].map(|row| (row.key.clone(), row)).into();
        let corpus = Corpus { folder: PathBuf::new(), manifest, rows, sha256: String::new() };
        let [baseline, candidate, known_bad, aa] = ["a", "b", "c", "d"].map(str::to_owned);
        let mut found = Vec::new();
        comparability(&corpus, &Arms { baseline, candidate, known_bad, aa }, &mut |code, message| {
            found.push((code, message));
        });
        found
    }

    #[test]
    fn hashes_that_begin_alike_differ() {
        let (model, hash, other) = (("p", "m"), "0".repeat(64), format!("{}1", "0".repeat(63)));
        assert_eq!(found(row("a", &hash, model), row("b", &hash, model)), []);
        let message = format!("tools: s/a-0 has [\"{hash}\", \"\"], s/b-0 has [\"{other}\", \"\"]");
        let expected = [(FaultCode::ToolsMismatch, message)];
        assert_eq!(found(row("a", &hash, model), row("b", &other, model)), expected);
    }

    const MODELS: &str = "model: s/a-0 has [\"p\", \"q/m\"], s/b-0 has [\"p/q\", \"m\"]";

    #[test]
    fn a_model_is_its_provider_and_its_name() {
        let differing = found(row("a", "", ("p", "q/m")), row("b", "", ("p/q", "m")));
        assert_eq!(differing, [(FaultCode::ModelMismatch, MODELS.to_owned())]);
    }
}
