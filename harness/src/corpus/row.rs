//! A row of `runs.jsonl`: one scheduled run, whether it happened or not.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use engine::message::{is_stable_json, stable_json};
use foldhash::fast::RandomState;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::unique::{self, Text};

/// Version of a row.
pub(super) const RUN_SCHEMA: &str = "run/1";
/// Seconds that no run takes: a year.
const LONGEST_RUN: f64 = 366.0 * 86_400.0;

/// What identifies a run. The order is the order of rows in every output. Its names are shared: keys are handed from room
/// to room with whatever is told of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey {
    /// Scenario.
    pub scenario: Arc<str>,
    /// Variant (arm).
    pub variant: Arc<str>,
    /// Repetition, 0-based.
    pub repetition: u32,
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}-{}", self.scenario, self.variant, self.repetition)
    }
}

/// A row. Typed where the harness reads it; everything else is only in the hash of the corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Key.
    pub key: RunKey,
    /// What was recorded; `None` for a scheduled run without a session.
    pub recorded: Option<Arc<Recorded>>,
    /// Why there is no session, where the row says.
    pub infrastructure_failure: Option<String>,
    /// Attempts that were made again, in their order; the row itself is the last.
    pub earlier: Vec<EarlierAttempt>,
}

/// An attempt that was made again, because it or another arm of its block failed for a reason that isn't the agent's.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EarlierAttempt {
    /// Its session, if it has one; kept like any other.
    pub session: Option<String>,
    /// SHA-256 of the session.
    pub sha256: Option<String>,
    /// Why it is void, if it is.
    pub infrastructure_failure: Option<String>,
}

/// What was recorded of a run, as the row claims it. Nothing here is believed before it was checked. What many rows say
/// alike they can share (`Names`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Recorded {
    /// Session log, relative to the corpus.
    pub session: String,
    /// SHA-256 of the session log.
    pub sha256: String,
    /// Bytes of the session log.
    pub bytes: u64,
    /// Agent (`pi`).
    #[serde(deserialize_with = "shared")]
    pub agent: Arc<str>,
    /// Its version.
    #[serde(deserialize_with = "shared")]
    pub agent_version: Arc<str>,
    /// Provider as the agent names it.
    #[serde(deserialize_with = "shared")]
    pub provider: Arc<str>,
    /// Model as the agent names it.
    #[serde(deserialize_with = "shared")]
    pub model: Arc<str>,
    /// Thinking level as the agent names it.
    #[serde(deserialize_with = "shared")]
    pub thinking_level: Arc<str>,
    /// Hash of the fixture before the run.
    #[serde(deserialize_with = "shared")]
    pub tree_sha256: Arc<str>,
    /// Digest of the engine in this arm.
    #[serde(deserialize_with = "shared")]
    pub engine_digest: Arc<str>,
    /// Hash of the policy section the run was recorded for.
    #[serde(deserialize_with = "shared")]
    pub policy_sha256: Arc<str>,
    /// Tier of the evidence.
    #[serde(deserialize_with = "shared")]
    pub tier: Arc<str>,
    /// Requests as the provider received them.
    pub wire: String,
    /// SHA-256 of `wire`.
    pub wire_sha256: String,
    /// The final patch.
    pub patch: String,
    /// SHA-256 of `patch`.
    pub patch_sha256: String,
    /// The grader's transcript.
    pub grader_log: String,
    /// SHA-256 of `grader_log`.
    pub grader_log_sha256: String,
    /// SHA-256 of the prompt.
    #[serde(deserialize_with = "shared")]
    pub prompt_sha256: Arc<str>,
    /// SHA-256 of the tool declarations offered.
    #[serde(deserialize_with = "shared")]
    pub tools_sha256: Arc<str>,
    /// SHA-256 of the instructions given.
    #[serde(deserialize_with = "shared")]
    pub instructions_sha256: Arc<str>,
    /// SHA-256 of the parameters that the model was asked with (temperature, thinking budget, …).
    #[serde(deserialize_with = "shared")]
    pub parameters_sha256: Arc<str>,
    /// SHA-256 of the task's files.
    #[serde(deserialize_with = "shared")]
    pub scenario_sha256: Arc<str>,
    /// SHA-256 of the learned model that ordered files in this arm; none for an arm without one.
    #[serde(default, deserialize_with = "shared_if_any")]
    pub model_artifact_sha256: Option<Arc<str>>,
    /// What the scenario's grader answered before the first run, relative to the corpus; none where it wasn't asked.
    #[serde(default, deserialize_with = "shared_if_any")]
    pub qualification: Option<Arc<str>>,
    /// SHA-256 of `qualification`.
    #[serde(default, deserialize_with = "shared_if_any")]
    pub qualification_sha256: Option<Arc<str>>,
    /// What came out.
    pub outcome: RunOutcome,
}

/// The claimed outcome of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunOutcome {
    /// Whether the grader accepted the final patch.
    pub accepted: bool,
    /// Exit code of the last verification the agent ran; none if it ran none.
    pub verify_exit: Option<i64>,
    /// Verifications the agent ran.
    pub verify_attempts: u64,
    /// Those that failed.
    pub verify_failures: u64,
    /// Seconds from start to end of the agent. Shown, never judged for scripted runs.
    pub wall_seconds: f64,
    /// Why the run is void, if it is.
    pub infrastructure_failure: Option<String>,
}

impl Row {
    /// Reads one line: the row, and the whole of it as canonical JSON (sorted keys, no spaces, unknown fields included),
    /// which is the line itself where a row was written so.
    ///
    /// # Errors
    /// What is wrong with the row; a row that has a session must have all of [`Recorded`].
    pub(super) fn parse(line: &str) -> Result<(Row, Cow<'_, str>), String> {
        match Row::canonical(line) {
            Some(row) => Ok((row, Cow::Borrowed(line))),
            None => Row::in_any_form(line),
        }
    }

    /// The row of a line that is a sound row in canonical form, as recorders write it, read without making a value of it.
    fn canonical(line: &str) -> Option<Row> {
        if !is_stable_json(line) {
            return None;
        }
        let head: Head = serde_json::from_str(line).ok()?;
        if head.schema != RUN_SCHEMA || head.scenario.is_empty() || head.variant.is_empty() {
            return None;
        }
        let recorded = match head.session {
            None => None,
            Some(IgnoredAny) => Some(Arc::new(bounded(serde_json::from_str(line).ok()?).ok()?)),
        };
        Some(Row {
            key: RunKey { scenario: head.scenario, variant: head.variant, repetition: head.repetition },
            recorded,
            infrastructure_failure: head.outcome.and_then(|outcome| outcome.infrastructure_failure),
            earlier: head.attempts.unwrap_or_default(),
        })
    }

    fn in_any_form(line: &str) -> Result<(Row, Cow<'_, str>), String> {
        let value = unique::parse(line).map_err(|error| format!("not JSON: {error}"))?;
        let Value::Object(fields) = &value else { return Err("not a JSON object".to_owned()) };
        let schema = text(fields, "schema")?;
        if schema != RUN_SCHEMA {
            return Err(format!("schema `{schema}` isn't `{RUN_SCHEMA}`"));
        }
        let repetition = fields.get("repetition").and_then(Value::as_u64);
        let key = RunKey {
            scenario: text(fields, "scenario")?.into(),
            variant: text(fields, "variant")?.into(),
            repetition: repetition
                .and_then(|count| u32::try_from(count).ok())
                .ok_or("`repetition` isn't a small count")?,
        };
        let missing = fields.get("session").is_none_or(Value::is_null);
        let recorded = if missing { None } else { Some(Arc::new(recorded(&value)?)) };
        let infrastructure_failure = fields
            .get("outcome")
            .and_then(|outcome| outcome.get("infrastructure_failure"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let earlier = match fields.get("attempts") {
            None | Some(Value::Null) => Vec::new(),
            Some(attempts) => serde_path_to_error::deserialize(attempts)
                .map_err(|error| format!("`attempts{}`: {}", error.path(), error.inner()))?,
        };
        let canonical = stable_json(&value);
        let canonical = if canonical == line { Cow::Borrowed(line) } else { Cow::Owned(canonical) };
        Ok((Row { key, recorded, infrastructure_failure, earlier }, canonical))
    }

    /// What was recorded, unless the run is void: without a session, or lost to the infrastructure.
    pub fn result(&self) -> Option<&Arc<Recorded>> {
        self.recorded.as_ref().filter(|_| self.infrastructure_failure.is_none())
    }
}

/// What every row says, whether it has a session or not.
#[derive(Deserialize)]
struct Head {
    schema: String,
    #[serde(deserialize_with = "shared")]
    scenario: Arc<str>,
    #[serde(deserialize_with = "shared")]
    variant: Arc<str>,
    repetition: u32,
    session: Option<IgnoredAny>,
    outcome: Option<HeadOutcome>,
    attempts: Option<Vec<EarlierAttempt>>,
}

#[derive(Deserialize)]
struct HeadOutcome {
    infrastructure_failure: Option<String>,
}

/// Texts that rows share: a large campaign has many rows and few models, engines and tasks.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: HashSet<Arc<str>, RandomState>,
}

impl Names {
    /// Lets a row share its texts with those that were here before.
    pub(super) fn share(&mut self, row: &mut Row) {
        self.share_one(&mut row.key.scenario);
        self.share_one(&mut row.key.variant);
        let Some(recorded) = row.recorded.as_mut().and_then(Arc::get_mut) else { return };
        let texts = [
            &mut recorded.agent,
            &mut recorded.agent_version,
            &mut recorded.provider,
            &mut recorded.model,
            &mut recorded.thinking_level,
            &mut recorded.tree_sha256,
            &mut recorded.engine_digest,
            &mut recorded.policy_sha256,
            &mut recorded.tier,
            &mut recorded.prompt_sha256,
            &mut recorded.tools_sha256,
            &mut recorded.instructions_sha256,
            &mut recorded.parameters_sha256,
            &mut recorded.scenario_sha256,
        ];
        let named = [
            &mut recorded.model_artifact_sha256,
            &mut recorded.qualification,
            &mut recorded.qualification_sha256,
        ];
        texts.into_iter().chain(named.into_iter().flatten()).for_each(|text| self.share_one(text));
    }

    fn share_one(&mut self, text: &mut Arc<str>) {
        match self.known.get(text) {
            Some(known) => *text = Arc::clone(known),
            None => drop(self.known.insert(Arc::clone(text))),
        }
    }
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    Text::deserialize(deserializer).map(|text| Arc::from(text.0))
}

fn shared_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<str>>, D::Error> {
    Ok(Option::<Text<'de>>::deserialize(deserializer)?.map(|text| Arc::from(text.0)))
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    match fields.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        _ => Err(format!("`{name}` isn't a non-empty string")),
    }
}

fn recorded(row: &Value) -> Result<Recorded, String> {
    let recorded = serde_path_to_error::deserialize(row)
        .map_err(|error| format!("`{}`: {}", error.path(), error.inner()))?;
    bounded(recorded)
}

fn bounded(recorded: Recorded) -> Result<Recorded, String> {
    let seconds = recorded.outcome.wall_seconds;
    if (0.0..=LONGEST_RUN).contains(&seconds) {
        Ok(recorded)
    } else {
        Err(format!("`outcome.wall_seconds`: {seconds} isn't the length of a run"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spacing_and_field_order_do_not_show_in_the_canonical_row() {
        let one = r#"{"schema":"run/1","scenario":"a","variant":"native","repetition":0,"session":null,"x":{"b":1,"a":2}}"#;
        let two = r#" {"x": {"a": 2, "b": 1}, "session": null, "repetition": 0, "variant": "native", "scenario": "a", "schema": "run/1"}"#;
        let (_, one) = Row::parse(one).unwrap();
        assert_eq!(one, Row::parse(two).unwrap().1);
        assert!(one.contains(r#""x":{"a":2,"b":1}"#));
        let (_, again) = Row::parse(&one).unwrap();
        assert!(matches!(again, Cow::Borrowed(_)), "a canonical line isn't written a second time");
    }

    fn full(repetition: u32, model: &str) -> Value {
        let texts = [
            "agent",
            "agent_version",
            "provider",
            "thinking_level",
            "tree_sha256",
            "engine_digest",
            "policy_sha256",
            "tier",
            "wire",
            "wire_sha256",
            "patch",
            "patch_sha256",
            "grader_log",
            "grader_log_sha256",
            "prompt_sha256",
            "tools_sha256",
            "instructions_sha256",
            "parameters_sha256",
            "scenario_sha256",
            "sha256",
        ];
        let mut row = serde_json::json!({ "schema": "run/1", "scenario": "a", "variant": "native", "bytes": 1,
            "repetition": repetition, "session": repetition.to_string(), "model": model,
            "outcome": { "accepted": true, "verify_exit": 0, "verify_attempts": 1, "verify_failures": 0,
                "wall_seconds": 1.0, "infrastructure_failure": null } });
        texts.into_iter().for_each(|name| row[name] = name.into());
        row
    }

    /// What stands in a row's field instead.
    fn odd() -> impl Strategy<Value = Option<Value>> {
        let values = [
            serde_json::json!(null),
            serde_json::json!(""),
            serde_json::json!("x"),
            serde_json::json!(-1),
            serde_json::json!(7),
            serde_json::json!(0.5),
            serde_json::json!(4e9),
            serde_json::json!(1e18),
            serde_json::json!([]),
            serde_json::json!([{ "session": "s", "sha256": "h", "infrastructure_failure": "down" }]),
            serde_json::json!([{ "session": 1 }]),
            serde_json::json!({}),
            serde_json::json!({ "infrastructure_failure": "down", "accepted": true }),
            serde_json::json!({ "accepted": true, "verify_exit": null, "verify_attempts": 1, "verify_failures": 0,
                "wall_seconds": 0.25, "infrastructure_failure": "down" }),
            serde_json::json!({ "accepted": true, "verify_exit": null, "verify_attempts": 1, "verify_failures": 0,
                "wall_seconds": -0.25, "infrastructure_failure": null }),
        ];
        prop_oneof![1 => Just(None), 8 => prop::sample::select(values.to_vec()).prop_map(Some)]
    }

    proptest! {
        /// A line in canonical form is read by a way of its own, which must tell what the other tells.
        #[test]
        fn a_canonical_line_is_read_as_any_other(changes in prop::collection::vec((any::<prop::sample::Index>(), odd()), 0..3)) {
            let mut row = full(0, "m");
            let optional = ["attempts", "model_artifact_sha256", "qualification", "qualification_sha256", "more"];
            let names: Vec<String> =
                row.as_object().unwrap().keys().cloned().chain(optional.map(str::to_owned)).collect();
            for (at, value) in changes {
                let name = at.get(&names);
                match value {
                    Some(value) => row[name] = value,
                    None => drop(row.as_object_mut().unwrap().remove(name)),
                }
            }
            let line = stable_json(&row);
            prop_assert_eq!(Row::parse(&line), Row::in_any_form(&line));
        }
    }

    #[test]
    fn a_sound_line_in_canonical_form_is_read_at_once() {
        let missing = r#"{"repetition":0,"scenario":"a","schema":"run/1","session":null,"variant":"native"}"#;
        let full = stable_json(&full(3, "m"));
        for line in [missing, &full] {
            assert_eq!(Row::canonical(line), Row::in_any_form(line).ok().map(|(row, _)| row), "{line}");
            assert!(
                Row::canonical(line).is_some() && Row::canonical(&format!("{line} ")).is_none(),
                "{line}"
            );
        }
    }

    #[test]
    fn rows_share_what_they_say_alike() {
        let line = |repetition: u32, model: &str| full(repetition, model).to_string();
        let mut names = Names::default();
        let rows = [line(0, "m"), line(1, "m"), line(2, "other")].map(|line| {
            let (mut row, _) = Row::parse(&line).unwrap();
            names.share(&mut row);
            row.recorded.unwrap()
        });
        assert!(Arc::ptr_eq(&rows[0].model, &rows[1].model));
        assert!(Arc::ptr_eq(&rows[0].tree_sha256, &rows[2].tree_sha256));
        assert_eq!(
            rows.map(|row| (row.session.clone(), row.model.to_string())),
            [("0", "m"), ("1", "m"), ("2", "other")]
                .map(|(session, model)| (session.to_owned(), model.to_owned()))
        );
    }

    #[test]
    fn a_missing_run_needs_only_its_key() {
        let row =
            r#"{"schema":"run/1","scenario":"a","variant":"native","repetition":2,"session":null,"model":7}"#;
        let (row, _) = Row::parse(row).unwrap();
        assert_eq!((row.key.to_string().as_str(), row.result()), ("a/native-2", None));
    }

    #[test]
    fn a_recorded_run_names_the_field_it_lacks() {
        let row = r#"{"schema":"run/1","scenario":"a","variant":"native","repetition":0,"session":"s"}"#;
        assert!(Row::parse(row).unwrap_err().contains("sha256"));
    }
}
