//! The verdict on the terminal: at most 100 columns, complete without colour, ending in what to do next.

use std::fmt::Write as _;

use adapters::cli::visible;
use owo_colors::OwoColorize;

use super::view::{Row, Section, View};
use crate::figure::NONE;
use crate::gate::document::Document;
use crate::gate::judge::SETTLING_POWER;

/// Columns that nothing exceeds.
pub const WIDTH: usize = 100;
/// Reasons shown for a feature; the rest are counted.
const REASONS: usize = 6;
/// Lines of what to do next.
const NEXT: usize = 5;

/// Renders the summary, with colour codes that the printer strips where they aren't wanted.
pub fn terminal(document: &Document, view: &View, reports: &str) -> String {
    let mut out = String::new();
    wrapped(&mut out, "", "", &format!("Sluice gate as of {}: {}", document.as_of, view.result));
    wrapped(&mut out, "", "", &view.banner);
    for section in &view.sections {
        feature(&mut out, section);
    }
    push(&mut out, "");
    wrapped(&mut out, "replay    ", "          ", &view.determinism);
    wrapped(&mut out, "graders   ", "          ", &view.graders);
    wrapped(&mut out, "reports   ", "          ", reports);
    wrapped(
        &mut out,
        "result    ",
        "          ",
        &format!("{} (exit {})", document.result, document.exit_code),
    );
    out
}

fn feature(out: &mut String, section: &Section) {
    let f = &section.feature;
    push(out, "");
    let tier = f.tier.as_deref().unwrap_or("none");
    let verdict = coloured(&f.verdict, &format!("{:<12}", f.verdict));
    push(out, &format!("{:<22} {verdict}  {:<10}  tier {tier}", cut(&f.id, 22), f.state));
    if !section.implemented {
        wrapped(out, "  ", "  ", &section.headline);
        return endings(out, section);
    }
    wrapped(out, "  ", "  ", &format!("{}: {}. {}", section.headline, section.tally, f.noise));
    for row in &section.rows {
        let outcome = coloured(&row.outcome, &format!("{:<9}", row.outcome));
        let figures = if row.kind == "no-events" {
            format!("{} events a run", row.candidate)
        } else {
            format!("{:>9}  [{}]", row.delta, row.interval)
        };
        push(out, &format!("  {outcome}  {:<30} {:<8}  {}", cut(&row.id, 30), row.plane, cut(&figures, 44)));
    }
    if let Some(said) = reach(&section.rows) {
        wrapped(out, "  detects ", "          ", &said);
    }
    for row in &section.orders {
        let said = format!(
            "{}: nDCG@10 {} in the static order, {} in its own, over {} replayed requests: {} better, {} worse, another \
             file first in {}; kept static: {}",
            row.arm,
            row.static_ndcg,
            row.ordered_ndcg,
            row.requests,
            row.better,
            row.worse,
            row.first_changed,
            row.kept_static
        );
        wrapped(out, "  shadow  ", "          ", &said);
    }
    for canary in &section.canaries {
        let c = &canary.canary;
        wrapped(out, "  canary  ", "          ", &format!("{} {}: {}", c.kind, c.outcome, c.message));
    }
    endings(out, section);
}

/// The smallest effects that what is undecided could have shown.
fn reach(rows: &[Row]) -> Option<String> {
    let open: Vec<&Row> = rows.iter().filter(|row| row.outcome == "undecided").collect();
    let said: Vec<String> = open
        .iter()
        .filter(|row| row.detects != NONE)
        .map(|row| format!("{} {}", row.id, row.detects))
        .collect();
    let blind = match open.len() - said.len() {
        0 => None,
        1 => Some("nothing of 1 criterion".to_owned()),
        count => Some(format!("nothing of {count} criteria")),
    };
    let parts: Vec<String> = said.into_iter().chain(blind).collect();
    (!parts.is_empty()).then(|| format!("{} (power {SETTLING_POWER})", parts.join(", ")))
}

/// Why, and what next.
fn endings(out: &mut String, section: &Section) {
    let f = &section.feature;
    for reason in f.reasons.iter().take(REASONS) {
        wrapped(out, "  why     ", "          ", &format!("{}: {}", reason.code, reason.message));
    }
    if f.reasons.len() > REASONS {
        let more = format!("{} more reasons in report.html and gate.json", f.reasons.len() - REASONS);
        wrapped(out, "  why     ", "          ", &more);
    }
    for next in f.next.iter().take(NEXT) {
        wrapped(out, "  next    ", "          ", next);
    }
    if f.next.len() > NEXT {
        wrapped(out, "  next    ", "          ", &format!("{} more in report.html", f.next.len() - NEXT));
    }
}

fn coloured(word: &str, padded: &str) -> String {
    match word {
        "PROMOTE" | "pass" => padded.green().to_string(),
        "REJECT" | "INVALID" | "fail" => padded.red().to_string(),
        _ => padded.yellow().to_string(),
    }
}

/// At most `width` characters, all of which are shown.
fn cut(text: &str, width: usize) -> String {
    let text = visible(text);
    if text.chars().count() <= width {
        return text;
    }
    let mut out: String = text.chars().take(width - 1).collect();
    out.push('…');
    out
}

/// A paragraph broken at spaces; a word longer than a line is broken anywhere.
fn wrapped(out: &mut String, first: &str, rest: &str, text: &str) {
    let mut line = first.to_owned();
    let mut bare = true;
    for word in text.split_whitespace() {
        let word = visible(word);
        let mut word = word.as_str();
        loop {
            let used = line.chars().count() + usize::from(!bare);
            if used + word.chars().count() <= WIDTH {
                if !bare {
                    line.push(' ');
                }
                line.push_str(word);
                bare = false;
                break;
            }
            if bare {
                let room = WIDTH - used;
                let split = word.char_indices().nth(room).map_or(word.len(), |(index, _)| index);
                line.push_str(&word[..split]);
                word = &word[split..];
            }
            push(out, &line);
            line = rest.to_owned();
            bare = true;
        }
    }
    push(out, &line);
}

fn push(out: &mut String, line: &str) {
    writeln!(out, "{}", line.trim_end()).expect("writing to a string can't fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_exceeds_the_width() {
        let mut out = String::new();
        wrapped(&mut out, "  why     ", "          ", &format!("{} {}", "word ".repeat(60), "x".repeat(250)));
        assert!(out.lines().all(|line| line.chars().count() <= WIDTH), "{out}");
        assert_eq!(out.matches('x').count(), 250);
    }
}
