//! `report.md`: the document as Markdown that any viewer shows.

use std::fmt::Write as _;

use adapters::cli::acts;

use super::view::{OrderRow, Row, Section, View};
use crate::figure::{difference, level, percent};
use crate::gate::document::{Document, Feature, Quantity};

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
    quantities(out, f);
    slices(out, f);
    file_orders(out, &section.orders);
    runs(out, f);
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
        "| outcome | criterion | plane | baseline | candidate | change | bounds | a pass needs | detects | scenarios | runs |",
    );
    line(out, "|---|---|---|---:|---:|---:|---|---|---:|---:|---:|");
    for row in rows {
        line(
            out,
            &format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                row.outcome,
                text(&row.id),
                row.plane,
                row.baseline,
                row.candidate,
                row.delta,
                row.interval,
                text(&row.needs),
                row.detects,
                row.scenarios,
                row.runs
            ),
        );
    }
}

/// The six promised quantities, whatever the policy declares.
fn quantities(out: &mut String, f: &Feature) {
    if f.quantities.is_empty() {
        return;
    }
    line(out, "");
    line(out, "| promised quantity | metric | baseline | candidate | change | bounds | decides |");
    line(out, "|---|---|---:|---:|---:|---|---|");
    for quantity in &f.quantities {
        let show = |value| changed(quantity, value);
        let criterion = quantity.criterion.as_deref().unwrap_or("nothing: compared only");
        line(
            out,
            &format!(
                "| {} | {} | {} | {} | {} | {} to {} | {} |",
                text(&quantity.name),
                text(&quantity.metric),
                level(quantity.baseline),
                level(quantity.candidate),
                show(quantity.delta),
                show(quantity.low),
                show(quantity.high),
                text(criterion)
            ),
        );
    }
}

fn changed(quantity: &Quantity, value: Option<f64>) -> String {
    if quantity.estimand == "mean-difference" { difference(value) } else { percent(value) }
}

/// Guards by language and kind: those shown worse by name, the others counted.
fn slices(out: &mut String, f: &Feature) {
    if f.slices.is_empty() {
        return;
    }
    let count = |word: &str| f.slices.iter().filter(|slice| slice.outcome == word).count();
    line(out, "");
    line(
        out,
        &format!(
            "Slices by language and kind, at twice the margin: {} pass, {} undecided, {} worse.",
            count("pass"),
            count("undecided"),
            count("fail")
        ),
    );
    list(
        out,
        "Slices shown worse",
        f.slices.iter().filter(|slice| slice.outcome == "fail").map(|slice| {
            format!(
                "{} in {} {}: change {} over {} scenarios",
                text(&slice.criterion),
                text(&slice.dimension),
                text(&slice.slice),
                difference(slice.delta),
                slice.scenarios
            )
        }),
    );
}

/// The shadow comparison: what each arm's order of files changes in replay.
fn file_orders(out: &mut String, rows: &[OrderRow]) {
    if rows.is_empty() {
        return;
    }
    line(out, "");
    line(
        out,
        "Order of files in replay, by request, against the static order (nDCG@10 and 1/rank of the first needed file: static → own):",
    );
    line(out, "");
    line(
        out,
        "| arm | requests | another first | better | worse | nDCG@10 | change | 1/rank | kept static | most work |",
    );
    line(out, "|---|---:|---:|---:|---:|---|---:|---|---|---:|");
    for row in rows {
        line(
            out,
            &format!(
                "| `{}` | {} | {} | {} | {} | {} → {} | {} | {} → {} | {} | {} |",
                text(&row.arm),
                row.requests,
                row.first_changed,
                row.better,
                row.worse,
                row.static_ndcg,
                row.ordered_ndcg,
                row.difference,
                row.static_rank,
                row.ordered_rank,
                text(&row.kept_static),
                row.work
            ),
        );
    }
}

/// Missing runs, runs made again, looks.
fn runs(out: &mut String, f: &Feature) {
    if f.attendance.is_empty() {
        return;
    }
    let missing: Vec<String> = f
        .attendance
        .iter()
        .map(|arm| format!("{} of {} in `{}`", arm.missing, arm.scheduled, text(&arm.arm)))
        .collect();
    line(out, "");
    line(out, &format!("Missing runs: {}.", missing.join(", ")));
    if let Some(rerolls) = &f.rerolls {
        line(
            out,
            &format!(
                "Run again: {} of {} pairs; the infrastructure failed {} attempts of the baseline and {} of the candidate.",
                rerolls.rerolled, rerolls.pairs, rerolls.baseline_failures, rerolls.candidate_failures
            ),
        );
    }
    if let Some(looks) = &f.looks {
        let number = looks.number.map_or_else(|| "none".to_owned(), |number| number.to_string());
        let level = f.alpha.map_or_else(|| "none".to_owned(), |alpha| alpha.to_string());
        line(
            out,
            &format!(
                "Looks: {} taken, {} planned; this is number {number}, at level {level}.",
                looks.taken, looks.planned
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
    line(out, &format!("* graders: {}", view.graders));
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
            letter if acts(letter) => out.push(' '),
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
        assert_eq!(text("\u{1b}[2J\u{202e}x\u{2028}"), " \\[2J x ");
    }
}
