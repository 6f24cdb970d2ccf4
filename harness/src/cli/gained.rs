//! How verbs tell what the learned order gains over the static one.

use serde_json::{Map, Value, json};

use crate::gain::Gain;

/// Each figure under its name in small letters.
pub(super) fn document(gain: &Gain) -> Value {
    let figures = gain.figures().map(|(name, interval)| {
        let told = json!({"mean": interval.mean, "low": interval.low, "high": interval.high, "queries": interval.count});
        (name.to_lowercase(), told)
    });
    Value::Object(Map::from_iter(figures))
}

/// A line a figure.
pub(super) fn text(gain: &Gain) -> String {
    let line = |(name, interval): (&str, crate::gain::Interval)| {
        format!(
            "{name}, learned minus static: {:+.4} [{:+.4}, {:+.4}] (95 %, paired bootstrap within repositories)\n",
            interval.mean, interval.low, interval.high
        )
    };
    gain.figures().map(line).concat()
}
