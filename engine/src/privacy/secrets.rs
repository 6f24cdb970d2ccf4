//! Secrets in text: a catalogue of kinds, each a pattern with a literal that must occur first.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// What a secret looks like. The order is the precedence among matches that start at the same byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A PEM private key block, whole.
    PrivateKey,
    /// A token with a vendor's documented prefix.
    PrefixedToken,
    /// A JSON web token: three base64url parts, the first two JSON.
    JsonWebToken,
    /// The credential of an `Authorization` header.
    Authorization,
    /// The password inside a connection string.
    ConnectionPassword,
    /// A quoted literal assigned to a name that says key, token, secret or password.
    AssignedLiteral,
}

impl SecretKind {
    /// The name used in the mask and in findings.
    pub fn name(self) -> &'static str {
        match self {
            SecretKind::PrivateKey => "private-key",
            SecretKind::PrefixedToken => "token",
            SecretKind::JsonWebToken => "jwt",
            SecretKind::Authorization => "authorization",
            SecretKind::ConnectionPassword => "password",
            SecretKind::AssignedLiteral => "assigned-secret",
        }
    }
}

/// Where a secret stood, in bytes of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: SecretKind,
    /// Its place in the input.
    pub range: Range<usize>,
}

/// Text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The input with each secret replaced by `[redacted:KIND]`. Line breaks are kept, so line numbers stay true.
    pub text: Cow<'t, str>,
    /// What was found, by position.
    pub findings: Vec<Finding>,
}

/// One kind: the group `s` of the pattern is the secret. Patterns are linear-time, so hostile text is safe.
struct Rule {
    kind: SecretKind,
    pattern: &'static str,
}

const RULES: [Rule; 6] = [
    Rule {
        kind: SecretKind::PrivateKey,
        pattern: r"(?s)(?<s>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\z))",
    },
    Rule {
        kind: SecretKind::PrefixedToken,
        pattern: r"\b(?<s>sk-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{35}|xox[abeoprs]-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{36}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,})",
    },
    Rule {
        kind: SecretKind::JsonWebToken,
        pattern: r"\b(?<s>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    },
    Rule {
        kind: SecretKind::Authorization,
        pattern: r#"(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+(?<s>[A-Za-z0-9._~+/-]{16,}=*)"#,
    },
    Rule {
        kind: SecretKind::ConnectionPassword,
        pattern: r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\x22]{1,64}:(?<s>[^\s:/@'\x22{}$<>]{4,128})@",
    },
    Rule {
        kind: SecretKind::AssignedLiteral,
        pattern: r#"(?i)(?:[a-z0-9_.-]*(?:api_?key|apikey|_key|secret|token|passw(?:or)?d))["']?\s*(?::\s*(?:&?'?[a-z_]+\s*)?)?[:=]\s*["'](?<s>[A-Za-z0-9+/_.~-]{20,}=*)["']"#,
    },
];

static PATTERNS: LazyLock<Vec<(SecretKind, Regex)>> = LazyLock::new(|| {
    RULES
        .iter()
        .map(|rule| (rule.kind, Regex::new(rule.pattern).expect("the catalogue's patterns compile")))
        .collect()
});

/// A literal is taken for a secret only if it mixes letters and digits: names and sentences rarely do at this length.
fn looks_random(literal: &str) -> bool {
    literal.bytes().any(|b| b.is_ascii_digit()) && literal.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Replaces every secret in `text` by its mask.
pub fn mask_secrets(text: &str) -> Masked<'_> {
    let mut found: Vec<Finding> = Vec::new();
    for (kind, pattern) in PATTERNS.iter() {
        for captures in pattern.captures_iter(text) {
            let secret = captures.name("s").expect("every pattern names its secret");
            if *kind != SecretKind::AssignedLiteral || looks_random(secret.as_str()) {
                found.push(Finding { kind: *kind, range: secret.range() });
            }
        }
    }
    found.sort_by_key(|finding| (finding.range.start, finding.kind, finding.range.end));
    let mut end = 0;
    found.retain(|finding| {
        let free = end <= finding.range.start;
        if free {
            end = finding.range.end;
        }
        free
    });
    if found.is_empty() {
        return Masked { text: Cow::Borrowed(text), findings: found };
    }
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for finding in &found {
        masked.push_str(&text[from..finding.range.start]);
        masked.push_str("[redacted:");
        masked.push_str(finding.kind.name());
        masked.push(']');
        let breaks = text[finding.range.clone()].bytes().filter(|b| *b == b'\n').count();
        masked.extend(std::iter::repeat_n('\n', breaks));
        from = finding.range.end;
    }
    masked.push_str(&text[from..]);
    Masked { text: Cow::Owned(masked), findings: found }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(mask_secrets(text).text, expected, "{text}");
    }

    /// Samples are put together at run time, so that no scanner takes this file for a leak.
    fn long(prefix: &str, unit: &str, times: usize) -> String {
        format!("{prefix}{}", unit.repeat(times))
    }

    #[test]
    fn each_kind_is_masked_and_its_surroundings_kept() {
        let token = long("sk-", "test1FAKE", 4);
        check(&format!("KEY = \"{token}\"\nnext"), "KEY = \"[redacted:token]\"\nnext");
        let cloud = long("AKIA", "Z7Z7", 4);
        check(&format!("id {cloud} end"), "id [redacted:token] end");
        let jwt = format!("{}.{}.{}", long("eyJ", "hbGc", 4), long("eyJ", "zdWI", 4), "c2ln".repeat(4));
        check(&format!("cookie={jwt};"), "cookie=[redacted:jwt];");
        let bearer = "a1b2".repeat(6);
        check(&format!("Authorization: Bearer {bearer}"), "Authorization: Bearer [redacted:authorization]");
        check("postgres://app:hunter22@db/x", "postgres://app:[redacted:password]@db/x");
        let literal = "q9".repeat(12);
        check(&format!("api_key: '{literal}'"), "api_key: '[redacted:assigned-secret]'");
        check(
            &format!("const DEPLOY_TOKEN: &str = \"{literal}\";"),
            "const DEPLOY_TOKEN: &str = \"[redacted:assigned-secret]\";",
        );
    }

    #[test]
    fn a_private_key_is_masked_whole_and_line_numbers_stay_true() {
        let dashes = "-".repeat(5);
        let text = format!(
            "a\n{dashes}BEGIN RSA PRIVATE KEY{dashes}\nxx\nyy\n{dashes}END RSA PRIVATE KEY{dashes}\nb"
        );
        check(&text, "a\n[redacted:private-key]\n\n\n\nb");
        let torn = format!("{dashes}BEGIN PRIVATE KEY{dashes}\nxx");
        check(&torn, "[redacted:private-key]\n");
    }

    #[test]
    fn look_alikes_are_left_alone() {
        for text in [
            "sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
            "let token = next_token_of_the_line();",
            "headers[\"Authorization\"] = f\"Bearer {key_for(network.id, environment)}\"",
            "password = getpass(\"password for the mailbox: \")",
            "postgres://user:${PASSWORD}@db/x",
            "PRIMARY_KEY = \"the_identifier_of_a_row\"",
            "the sk-learn and sk-image packages",
            "https://example.com:8080/path@v2",
        ] {
            check(text, text);
        }
    }

    proptest! {
        #[test]
        fn masking_never_panics_keeps_lines_and_is_idempotent(text in "(?s).{0,400}") {
            let masked = mask_secrets(&text).text.into_owned();
            prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
            prop_assert_eq!(mask_secrets(&masked).text.into_owned(), masked.clone());
        }
    }
}
