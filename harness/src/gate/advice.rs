//! What would settle a verdict: which evidence is missing and how much of it. One line each, most useful first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use verdict::{Outcome, Verdict};

use super::judge::Judged;
use crate::figure::counted;

/// Lines for a judged feature; none for a PROMOTE.
pub fn next(judged: &Judged) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for reason in &judged.judgement.reasons {
        if let Some(line) = by_code(&reason.code)
            && !lines.contains(&line)
        {
            lines.push(line);
        }
    }
    if judged.judgement.verdict == Verdict::Insufficient {
        lines.extend(designs(judged));
    }
    lines
}

/// Lines for a feature without arms or evidence.
pub fn next_not_implemented(has_arms: bool) -> Vec<String> {
    let line = if has_arms {
        "record a campaign for it: harness record --out corpora/NAME, then name it in features.toml"
    } else {
        "implement it, declare its four arms in features.toml and its section in gate.toml, then record"
    };
    vec![line.to_owned()]
}

fn by_code(code: &str) -> Option<String> {
    let line = match code {
        "tier" => {
            "record the campaign with a real model (tier recorded-model): harness record --model PROVIDER/ID --out DIR"
        }
        "missing-runs" | "canary-aa-incomplete" => {
            "record a fresh campaign with all its runs; one that was interrupted is completed by the same `harness record` command"
        }
        "graders-not-asked" => {
            "record a fresh campaign: `harness record` asks each grader before its first run"
        }
        "graders-not-run" => "run the graders again: harness gate --verify",
        "wire-mismatch"
        | "row-missing"
        | "row-unscheduled"
        | "row-duplicate"
        | "row-malformed"
        | "run-repeated"
        | "hash-mismatch"
        | "file-missing"
        | "unsafe-path"
        | "session-unreadable"
        | "outcome-mismatch"
        | "usage-mismatch"
        | "qualification-mismatch"
        | "model-artifact-mismatch"
        | "arm-mismatch" => "restore the corpus as it was recorded, then: harness verify-corpus DIR",
        "wire-unchecked" => {
            "record a fresh campaign with a model whose provider is asked at /v1/messages or /v1/chat/completions"
        }
        "scenario-repeated" => {
            "name each corpus once in features.toml, and record each scenario in one of them"
        }
        "replay-failed" => "see what the engine says: harness replay --corpus DIR --variant ID --out DIR",
        "same-engine" => {
            "give the candidate an engine of its own in variants.toml, then record a fresh campaign"
        }
        "stale-engine" => {
            "record a fresh campaign: the evidence is of another engine than the one in this build"
        }
        "not-preregistered" => {
            "record a fresh campaign under the policy as it stands now; one that is to grow needs a plan of looks in it"
        }
        "not-an-aa" => "declare the A/A arm as the baseline again (aa_of), then record a fresh campaign",
        "reroll-unpaired" | "reroll-without-cause" | "reroll-excess" | "differential-infrastructure" => {
            "record a fresh campaign: which runs were made again isn't left to chance here"
        }
        "verifier-unqualified" => {
            "mend the task's grader or take the scenario out of the plan, then record a fresh campaign"
        }
        "slice-regression" => "look at the slice's scenarios in gate.json: the candidate does harm there",
        "quantity-missing" => {
            "record runs that have the quantity, or correct the prices and clocks they need"
        }
        "model-mismatch" | "thinking-mismatch" | "agent-mismatch" | "tree-mismatch" | "tools-mismatch"
        | "task-mismatch" | "tier-mismatch" => {
            "record every arm under the same conditions, over the tasks and fixtures as they are: only the engine may differ"
        }
        "nondeterministic" => {
            "find what the engine's plan depends on besides its inputs: harness replay --repeat 3"
        }
        "stale-prices" => "add a price pack that is in force at the gate's date under scenarios/packs",
        "too-few-runs" => "schedule more runs an arm, then record",
        "no-assay-sensitivity" => "add scenarios on which the candidate's pack holds the gold files",
        "canary-aa" | "differential-missingness" => "record a new campaign: this one can't be trusted",
        _ => return None,
    };
    Some(line.to_owned())
}

/// Designs that would settle the undecided criteria, as the statistics see them: criteria that need the same design share
/// a line, the largest design first, since it settles all.
fn designs(judged: &Judged) -> Vec<String> {
    let undecided = judged.findings.iter().filter(|finding| finding.outcome.outcome() == Outcome::Undecided);
    let mut needed: BTreeMap<(Reverse<usize>, usize), Vec<&str>> = BTreeMap::new();
    for finding in undecided {
        if let Some(design) = finding.settlement.designs.first() {
            let key = (Reverse(design.scenarios), design.runs);
            needed.entry(key).or_default().push(&finding.outcome.criterion().id);
        }
    }
    let line = |((Reverse(scenarios), runs), criteria): ((Reverse<usize>, usize), Vec<&str>)| {
        format!(
            "{} x {} from as many repositories as can be had would settle {}",
            counted(scenarios, "scenario"),
            counted(runs, "run"),
            criteria.join(", ")
        )
    };
    needed.into_iter().map(line).collect()
}
