//! `report.md`: the document as Markdown that any viewer shows.

use std::fmt::Write as _;

use super::view::{Row, Section, View};
use crate::gate::document::Document;

/// Renders the document.
pub fn markdown(document: &Document, view: &View) -> String {
    let mut out = String::new();
    head(&mut out, document, view);
    for section in &view.sections {
        feature(&mut out, section);
    }
    evidence(&mut out, document, view);
    out
}

fn head(out: &mut String, document: &Document, view: &View) {
    line(out, "# Sluice gate");
    line(out, "");
    line(out, &format!("> {}", text(&view.banner)));
    line(out, "");
    line(out, &format!("**{}**: {}. As of {}.", document.result, text(&view.result), document.as_of));
    line(out, "");
    line(out, "| feature | state | verdict | tier | criteria |");
    line(out, "|---|---|---|---|---|");
    for section in &view.sections {
        let f = &section.feature;
        let tier = f.tier.as_deref().unwrap_or("none");
        let tally = if section.implemented { section.tally.as_str() } else { "not implemented" };
        line(out, &format!("| {} | {} | **{}** | {tier} | {tally} |", text(&f.id), f.state, f.verdict));
    }
}

fn feature(out: &mut String, section: &Section) {
    let f = &section.feature;
    line(out, "");
    line(out, &format!("## {}: {}", text(&f.id), f.verdict));
    line(out, "");
    line(out, &format!("{}.", text(&section.headline)));
    if section.implemented {
        line(out, "");
        let (baseline, candidate) =
            (f.baseline.as_deref().unwrap_or("none"), f.candidate.as_deref().unwrap_or("none"));
        line(
            out,
            &format!(
                "Candidate `{}` against baseline `{}` · tier {} (default-on needs {}) · {}",
                text(candidate),
                text(baseline),
                f.tier.as_deref().unwrap_or("none"),
                f.needs_tier,
                text(&f.noise)
            ),
        );
    }
    list(
        out,
        "Why",
        f.reasons.iter().map(|reason| format!("`{}` {}", text(&reason.code), text(&reason.message))),
    );
    list(out, "What would settle it", f.next.iter().map(|next| text(next)));
    if !section.rows.is_empty() {
        line(out, "");
        criteria(out, &section.rows);
    }
    for canary in &section.canaries {
        let c = &canary.canary;
        line(out, "");
        line(
            out,
            &format!(
                "Canary **{}** (`{}` against `{}`): {}. {}",
                text(&c.kind),
                text(&c.arm),
                text(&c.against),
                text(&c.outcome),
                text(&c.message)
            ),
        );
    }
}

fn criteria(out: &mut String, rows: &[Row]) {
    line(
        out,
        "| outcome | criterion | plane | baseline | candidate | change | bounds | a pass needs | scenarios | runs |",
    );
    line(out, "|---|---|---|---:|---:|---:|---|---|---:|---:|");
    for row in rows {
        line(
            out,
            &format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                row.outcome,
                text(&row.id),
                row.plane,
                row.baseline,
                row.candidate,
                row.delta,
                row.interval,
                text(&row.needs),
                row.scenarios,
                row.runs
            ),
        );
    }
}

fn evidence(out: &mut String, document: &Document, view: &View) {
    line(out, "");
    line(out, "## Evidence");
    line(out, "");
    for corpus in &document.corpora {
        line(
            out,
            &format!(
                "* corpus `{}`: {} scheduled runs, {} missing, {} scenarios, tier {}, sha256 `{}`",
                text(&corpus.name),
                corpus.runs,
                corpus.missing,
                corpus.scenarios,
                corpus.tiers.join(", "),
                corpus.sha256
            ),
        );
    }
    line(out, &format!("* engine `{}`", document.engine_digest));
    line(out, &format!("* replay: {}", view.determinism));
    line(out, "");
    line(
        out,
        "Bounds are one-sided, each at the level of the policy. Every figure by scenario stands in `gate.json`, every run in \
         `metrics.parquet`.",
    );
}

fn list(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    line(out, "");
    line(out, &format!("**{title}**"));
    line(out, "");
    for item in items {
        line(out, &format!("* {item}"));
    }
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a string can't fail");
}

/// Text from files made harmless: no markup, no table cell, no line of its own.
pub fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for letter in raw.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '`' | '*' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn markup_from_files_is_harmless() {
        assert_eq!(text("a|b <script>\n`x`"), "a\\|b &lt;script&gt; \\`x\\`");
    }
}
