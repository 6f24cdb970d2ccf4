//! The redactor.

use std::sync::LazyLock;

use engine::privacy::{Finding, Policy, Redactor, mask_secrets};
use serde_json::Value;

/// Masking keeps lines, places its findings in the text, and masks nothing more the second time.
///
/// # Panics
/// Where one of these doesn't hold.
pub fn mask(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let masked = mask_secrets(&text);
    check_findings(&text, &masked.findings);
    assert_eq!(masked.text.matches('\n').count(), text.matches('\n').count(), "lines stay");
    let again = mask_secrets(&masked.text);
    assert_eq!(again.text, masked.text, "masking is idempotent");
}

/// Secrets and personal data: the mask as above, pseudonyms that are the same each time, and JSON that keeps its structure.
///
/// # Panics
/// Where one of these doesn't hold.
pub fn redact(bytes: &[u8]) {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(Policy::ALL, b"a key"));
    let text = String::from_utf8_lossy(bytes);
    let masked = REDACTOR.mask(&text);
    check_findings(&text, &masked.findings);
    assert_eq!(masked.findings, REDACTOR.find(&text), "what is found is what is replaced");
    assert_eq!(masked.text.matches('\n').count(), text.matches('\n').count(), "lines stay");
    assert_eq!(REDACTOR.mask(&masked.text).text, masked.text, "masking is idempotent");

    let redacted = REDACTOR.redact_text(&text);
    assert_eq!(redacted.findings, masked.findings, "both replacements find the same");
    let again = Redactor::new(Policy::ALL, b"a key");
    assert_eq!(again.redact_text(&text), redacted, "the same key gives the same pseudonyms");
    let taught = again.with_names(Redactor::names_in(&text)).redact_text(&text);
    check_findings(&text, &taught.findings);
    check_json(&REDACTOR, &text);
}

fn check_findings(text: &str, findings: &[Finding]) {
    let mut end = 0;
    for finding in findings {
        let range = finding.range.clone();
        assert!(end <= range.start && range.start < range.end, "findings are disjoint and in order");
        assert!(text.get(range).is_some(), "findings lie on boundaries of characters");
        end = finding.range.end;
    }
}

fn check_json(redactor: &Redactor, text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        // Strings with lone surrogates are JSON to the redactor and not to this reader.
        let _ = redactor.redact_json(text);
        return;
    };
    let redacted = redactor.redact_json(text).expect("it is JSON");
    let again: Value = serde_json::from_str(&redacted).expect("what was JSON stays JSON");
    assert!(same_shape(&value, &again), "structure stays");
}

/// Equal but for strings and the names of members.
fn same_shape(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(_), Value::String(_)) => true,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
        }
        // A redacted name can change the order of members; their number stays.
        (Value::Object(a), Value::Object(b)) => a.len() == b.len(),
        (a, b) => a == b,
    }
}
