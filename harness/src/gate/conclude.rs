//! From features' verdicts to one result and one exit code.

use super::document::Feature;

/// The gate's exit code for a verdict or result word; `SUPPORTED` and `PROMOTE` are 0.
pub fn exit_code(word: &str) -> u8 {
    match word {
        "SUPPORTED" | "PROMOTE" => 0,
        "REJECT" => 10,
        "INSUFFICIENT" => 20,
        // INVALID, and anything else: fail closed.
        _ => 30,
    }
}

/// Whether a verdict supports a declared state. `certified`: an unexpired certificate that was re-verified stands in, and
/// nothing but recorded evidence is wanting. REJECT and INVALID always beat a certificate.
pub fn supported(state: &str, verdict: &str, certified: bool) -> bool {
    match state {
        "default-on" => verdict == "PROMOTE" || (verdict == "INSUFFICIENT" && certified),
        _ => matches!(verdict, "PROMOTE" | "REJECT" | "INSUFFICIENT"),
    }
}

/// The gate's answer: the verdict of the one feature that was asked for, or the [`result`] over all.
pub fn answer(selected: bool, features: &[Feature]) -> &str {
    match features {
        [only] if selected => &only.verdict,
        _ => result(features.iter().map(|feature| (feature.verdict.as_str(), feature.supported))),
    }
}

/// The result over all features: `SUPPORTED`, or the worst unsupported verdict. No feature at all supports nothing.
pub fn result<'a>(features: impl IntoIterator<Item = (&'a str, bool)>) -> &'a str {
    let mut any = false;
    let mut worst = "SUPPORTED";
    for (verdict, supported) in features {
        any = true;
        if !supported && rank(verdict) > rank(worst) {
            worst = verdict;
        }
    }
    if any { worst } else { "INVALID" }
}

/// INVALID before REJECT before INSUFFICIENT; an unsupported PROMOTE can't be.
fn rank(word: &str) -> u8 {
    match word {
        "SUPPORTED" => 0,
        "INSUFFICIENT" => 1,
        "REJECT" => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadow_and_off_tolerate_everything_but_invalid() {
        for state in ["shadow", "off"] {
            for verdict in ["PROMOTE", "REJECT", "INSUFFICIENT"] {
                assert!(supported(state, verdict, false));
            }
            assert!(!supported(state, "INVALID", true));
        }
    }

    #[test]
    fn default_on_takes_promote_or_a_certificate_and_a_certificate_never_beats_reject() {
        assert!(supported("default-on", "PROMOTE", false));
        assert!(supported("default-on", "INSUFFICIENT", true));
        assert!(!supported("default-on", "INSUFFICIENT", false));
        assert!(!supported("default-on", "REJECT", true));
        assert!(!supported("default-on", "INVALID", true));
    }

    #[test]
    fn the_worst_unsupported_verdict_is_the_result() {
        assert_eq!(result([("INSUFFICIENT", true), ("INSUFFICIENT", true)]), "SUPPORTED");
        assert_eq!(result([("INSUFFICIENT", false), ("REJECT", false)]), "REJECT");
        assert_eq!(result([("REJECT", false), ("INVALID", false), ("INSUFFICIENT", false)]), "INVALID");
        assert_eq!(result([("REJECT", true), ("INSUFFICIENT", false)]), "INSUFFICIENT");
        assert_eq!(result([]), "INVALID");
    }

    #[test]
    fn an_unknown_word_is_never_a_success() {
        assert_eq!(exit_code("FINE"), 30);
    }
}
