//! Canonical JSON.

use engine::message::{Json, stable_json};

/// Reading, writing and reading again gives the same value; the stable form is a fixed point and says the same.
///
/// # Panics
/// Where one of these doesn't hold.
pub fn json(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Json>(bytes) else { return };
    let text = value.to_source_order();
    let again: Json = serde_json::from_str(&text).expect("what was written reads");
    assert_eq!(again.to_source_order(), text, "the written form is a fixed point");

    let plain = value.to_value();
    let stable = stable_json(&plain);
    let reread: serde_json::Value = serde_json::from_str(&stable).expect("the stable form reads");
    assert_eq!(stable_json(&reread), stable, "the stable form is a fixed point");
    assert_eq!(stable_json(&again.to_value()), stable, "both forms say the same");
    assert!(!text.contains('\n'), "one value is one line");
}
