//! `sluice redact`: mask secrets and personal data in text from standard input.

use std::collections::BTreeMap;
use std::io::{self, Read};

use clap::Args;
use engine::privacy::{Finding, Policy, Redactor};
use serde::Serialize;

use super::failure::{Failure, Kind};
use super::{Outcome, output};

/// Mask secrets and personal data in text from standard input
///
/// Each is replaced by `[redacted:KIND]`; line breaks stay. No catalogue is complete: read docs/redaction.md before you rely
/// on it. Text must be UTF-8; a byte that isn't is written as `?`, and input with NUL bytes (UTF-16, binary files) is refused.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sluice redact --json < session.jsonl")]
pub(super) struct RedactArguments {
    /// Leave home paths, user names, e-mail addresses and persons' names
    #[arg(long)]
    secrets_only: bool,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RedactArguments) -> Outcome {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Failure::io("standard input", &e))?;
    let (text, replaced) = text(bytes)?;
    if replaced > 0 {
        output::note(&format!("{replaced} bytes are not UTF-8 and are written as `?`"));
    }
    let policy = if arguments.secrets_only { Policy::SECRETS } else { Policy::ALL };
    // The key decides pseudonyms, of which masks hold none.
    let masked = output::with_progress("redacting", || Redactor::new(policy, &[]).mask(&text));
    if arguments.json {
        return output::json(&Report::new(&masked.text, &masked.findings));
    }
    output::note(&summary(&masked.findings));
    output::data(&masked.text)
}

/// The input as text of the same length, so that places in one are places in the other, and how many bytes were replaced.
fn text(bytes: Vec<u8>) -> Result<(String, usize), Failure> {
    if memchr::memchr(0, &bytes).is_some() {
        let message =
            "standard input: holds NUL bytes, which no text does: convert it to UTF-8 first".to_owned();
        return Err(Failure { kind: Kind::BadData, message });
    }
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok((text, 0)),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
        replaced += chunk.invalid().len();
    }
    Ok((text, replaced))
}

/// `3 findings: 1 jwt, 2 password`.
fn summary(findings: &[Finding]) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *kinds.entry(finding.kind).or_default() += 1;
    }
    let noun = if findings.len() == 1 { "finding" } else { "findings" };
    let list: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let colon = if list.is_empty() { "" } else { ": " };
    format!("{} {noun}{colon}{}", findings.len(), list.join(", "))
}

/// `redact/1`.
#[derive(Debug, Serialize)]
struct Report<'t> {
    schema: &'static str,
    text: &'t str,
    findings: Vec<FindingRow>,
}

#[derive(Debug, Serialize)]
struct FindingRow {
    kind: &'static str,
    class: &'static str,
    start: usize,
    end: usize,
}

impl<'t> Report<'t> {
    fn new(text: &'t str, findings: &[Finding]) -> Report<'t> {
        let row = |f: &Finding| FindingRow {
            kind: f.kind,
            class: f.class.name(),
            start: f.range.start,
            end: f.range.end,
        };
        Report { schema: "redact/1", text, findings: findings.iter().map(row).collect() }
    }
}
