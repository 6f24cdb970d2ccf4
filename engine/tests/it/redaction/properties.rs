//! What holds for any text.

use engine::privacy::{Policy, Redacted, Redactor, mask_secrets};
use proptest::prelude::*;

use super::forms::samples;
use super::lookalikes::look_alikes;
use super::random::Random;

fn redactor() -> Redactor {
    Redactor::new(Policy::ALL, b"the key of a test")
}

/// Pieces of generated text, cut and joined at will, so that secrets meet what they don't usually stand beside.
fn mixed_text() -> impl Strategy<Value = String> {
    (any::<u64>(), 1..8_usize).prop_map(|(seed, pieces)| {
        let mut random = Random::new(seed);
        let secrets = samples(random.next(), 1);
        let harmless = look_alikes(random.next(), 1);
        let mut text = String::new();
        for _ in 0..pieces {
            let piece = match random.below(3) {
                0 => &harmless[random.below(harmless.len())].text,
                _ => &secrets[random.below(secrets.len())].text,
            };
            let from = piece.floor_char_boundary(random.below(piece.len() + 1) * random.below(2));
            let until = if random.below(3) == 0 {
                piece.floor_char_boundary(from + random.below(40))
            } else {
                piece.len()
            };
            text.push_str(&piece[from..until.max(from)]);
            text.push_str(random.pick(&["", " ", "\n", "\"", "=", ": ", "\\n", "/home/marisol/", "é"]));
        }
        text
    })
}

fn check_ranges(text: &str, redacted: &Redacted<'_>) {
    let mut end = 0;
    for finding in &redacted.findings {
        assert!(end <= finding.range.start && finding.range.start < finding.range.end, "{text}");
        assert!(text.is_char_boundary(finding.range.start) && text.is_char_boundary(finding.range.end));
        end = finding.range.end;
    }
    assert!(end <= text.len());
}

fn check_all(text: &str) {
    let redactor = redactor();
    let masked = redactor.mask(text);
    check_ranges(text, &masked);
    assert_eq!(masked.text.matches('\n').count(), text.matches('\n').count(), "lines of {text:?}");
    let again = redactor.mask(&masked.text);
    assert_eq!(again.text, masked.text, "masking {text:?} twice");
    let replaced = redactor.redact_text(text);
    assert_eq!(replaced.findings, masked.findings);
    assert_eq!(replaced.text.matches('\n').count(), text.matches('\n').count());
    let secrets = mask_secrets(text);
    assert_eq!(mask_secrets(&secrets.text).text, secrets.text);
}

/// The same values with every string replaced by its kind of emptiness: what must be equal before and after.
fn shape(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(_) => Value::String(String::new()),
        Value::Array(items) => Value::Array(items.iter().map(shape).collect()),
        Value::Object(members) => Value::Array(members.values().map(shape).collect()),
        other => other.clone(),
    }
}

/// Found by proptest: once the told secret was masked, another string of the line was taken for what the name tells.
#[test]
fn a_mask_ends_what_its_sentence_tells() {
    let mut random = Random::new(7);
    let (other, secret) = (random.alnum(40), random.alnum(60));
    check_all(&format!("{other} I changed the client secret to {secret} yesterday."));
    check_all(&format!("client_secret={secret} and {other}"));
}

/// Found by proptest: a finding ended between the two bytes of an escape, and its pseudonym tore it.
#[test]
fn a_replacement_tears_no_escape() {
    let value = ["dapi", "801d84a5"].concat();
    let text = serde_json::json!({ "m": format!("databricks_token: \"{value}\\n") }).to_string();
    let redacted = redactor().redact_text(&text).text.into_owned();
    assert!(serde_json::from_str::<serde_json::Value>(&redacted).is_ok(), "{text}\n{redacted}");
}

/// Text made of nothing but openings must not be looked at over and over: a quadratic search would take hours here.
#[test]
fn hostile_text_is_searched_once() {
    let dashes = "-".repeat(5);
    let key = format!("{dashes}BEGIN PRIVATE KEY{dashes}");
    let units = [
        "sk-",
        "eyJ",
        "eyJa.",
        "-eyJ",
        "://",
        "://a:",
        "://a:b@",
        "password=",
        "password: ",
        "\"token\":\"",
        "Bearer ",
        "key ",
        "@",
        "a@b.",
        "/home/",
        "-home-",
        "curl -u ",
        "Cookie: a=",
        "MT.",
        ":AA",
        "AZDO",
        "\\\"",
        "the secret is ",
        "AAAA",
        "authorization: ",
        "Private-Lines: 1\n",
        "mysql -p",
        "-us1",
        &key,
    ];
    for unit in units {
        let text = unit.repeat(40_000 / unit.len());
        let masked = redactor().mask(&text);
        assert_eq!(masked.text.matches('\n').count(), text.matches('\n').count(), "{unit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_is_masked_once_and_keeps_its_lines(text in "(?s).{0,300}") {
        check_all(&text);
    }

    #[test]
    fn text_of_secrets_is_masked_once_and_keeps_its_lines(text in mixed_text()) {
        check_all(&text);
    }

    #[test]
    fn json_keeps_its_structure(texts in proptest::collection::vec(mixed_text(), 1..4), number in any::<i64>()) {
        let value = serde_json::json!({
            "messages": texts, "api_key": texts[0], "n": number, "nested": [{"content": texts[0], "ok": true}, null],
        });
        let text = value.to_string();
        let redacted = redactor().redact_json(&text).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&redacted).unwrap();
        prop_assert_eq!(shape(&parsed), shape(&value));
        // Redacted as plain text, a JSON text still is one.
        let plain = redactor().redact_text(&text).text.into_owned();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&plain).is_ok(), "{}\n{}", text, plain);
    }
}
