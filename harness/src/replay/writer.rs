//! The replay as a file: one JSON line a planned request (`replay/1`).

use std::path::Path;

use engine::message::{sha256_hex, stable_json};
use serde_json::{Value, json};

use super::event::{PlannedRequest, ReplayEvent, ReplaySink};
use super::plan_form::plan_value;
use crate::evidence::Account;
use crate::failure::Failure;
use crate::staged::Staged;

/// Writes planned requests to a staged file; [`JsonlWriter::publish`] puts it in place.
pub struct JsonlWriter {
    staged: Staged,
}

impl JsonlWriter {
    /// A writer for `folder/name`; the folder is made where it is absent.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn create(folder: &Path, name: &str) -> Result<JsonlWriter, Failure> {
        Ok(JsonlWriter { staged: Staged::create(folder, name)? })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Writing or renaming fails.
    pub fn publish(self) -> Result<(), Failure> {
        self.staged.publish()
    }
}

impl ReplaySink for JsonlWriter {
    fn take(&mut self, event: &ReplayEvent) -> Result<(), Failure> {
        let ReplayEvent::Planned(planned) = event else { return Ok(()) };
        self.staged.write(line(planned).as_bytes())?;
        self.staged.write(b"\n")
    }
}

fn line(planned: &PlannedRequest) -> String {
    let score = &planned.score;
    let account = |account: &Account| json!({ "needed": account.needed, "credit": account.credit, "debt": account.debt });
    let [labels, edited_later, read_later] = score.accounts.each_ref().map(account);
    let blocks: Vec<Value> =
        score.blocks.iter().map(|(hash, tokens)| json!({ "sha256": &**hash, "tokens": tokens })).collect();
    let plan = plan_value(&planned.plan);
    stable_json(&json!({
        "schema": "replay/1",
        "scenario": &*planned.session.scenario,
        "session": planned.session.to_string(),
        "repetition": planned.session.repetition,
        "variant": &*planned.variant,
        "request": planned.request,
        "plan_sha256": sha256_hex(stable_json(&plan).as_bytes()),
        "plan": plan,
        "score": {
            "gold_recall": score.gold_recall,
            "irrelevant_token_ratio": score.irrelevant_ratio,
            "quality": engine::quality::score(&score.quality.rates()),
            "tokens": score.tokens,
            "prefix": {
                "reusable_tokens": score.reusable_tokens,
                "previous_tokens": score.previous_tokens,
                "first_divergent_block": score.first_divergent_block,
            },
            "blocks": blocks,
            "evidence": { "labels": labels, "edited_later": edited_later, "read_later": read_later },
            "failed": score.failed,
        },
    }))
}
