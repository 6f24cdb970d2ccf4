//! What a person reads of `harness localize`.

use std::fmt::Write;

use engine::retrieve::Synced;

use crate::localize::{
    Ablation, Calibration, Found, ImpactShare, PackShare, Ranker, Slice, Standing, gain, mean,
};
use crate::ranking::RECALL_DEPTHS;

use super::super::gained;
use super::percentile;

/// What is to be known of the history beside its length.
fn base(standing: Standing) -> &'static str {
    match standing {
        Standing::At => ", ends at the queries' base",
        Standing::Before => ", ends before the queries' base",
        Standing::Unknown => {
            "; the repository doesn't hold the queries' base_commit: it may hold the answers"
        }
        Standing::Untold | Standing::After => "",
    }
}

/// Each repository, then the mean over several. Variants are shown for the mean alone where there is one.
pub(super) fn text(found: &[Found], ranker: Ranker) -> String {
    let mut out = String::new();
    let is_one = found.len() == 1;
    for f in found {
        let result = &f.localization;
        let files = result.index.files;
        let history = match result.history {
            Ok(commits) => format!("{commits} commits"),
            Err(none) => format!("none ({none})"),
        };
        // Writing to a string can't fail.
        let _ =
            writeln!(out, "{} on {}: {} queries over {files} files", ranker.id(), f.name, result.runs.len());
        let _ = writeln!(out, "history: {history}{}", base(result.base));
        if result.gold_out_of_reach > 0 {
            let (lost, all) = (result.gold_out_of_reach, result.gold);
            let _ = writeln!(
                out,
                "out of reach: {lost} of {all} relevant files aren't indexed or no candidates: no ranking finds them"
            );
        }
        for (code, queries) in &result.kept_static {
            let _ = writeln!(out, "static order kept ({code}): {queries} queries");
        }
        if let Some(embedded) = &result.embedded {
            let Synced { files, sent, left_out, .. } = embedded.synced;
            let _ = writeln!(
                out,
                "embeddings: {} at {}: {files} files, {left_out} left out, {sent} texts sent in {:.0} s",
                embedded.model, embedded.weight, embedded.seconds
            );
        }
        out.push('\n');
        slices(&mut out, result.all, result.every_file, result.without_identifier);
        if is_one {
            rest(&mut out, &f.ablation, &result.calibration, (&f.packs, &f.impact), &result.latency_ms);
        }
        out.push('\n');
    }
    if !is_one {
        let mean = mean(found);
        let _ = writeln!(out, "mean over {} repositories, {} queries\n", found.len(), mean.all.queries);
        slices(&mut out, mean.all, mean.every_file, mean.without_identifier);
        rest(&mut out, &mean.ablation, &mean.calibration, (&mean.packs, &mean.impact), &mean.latency_ms);
    }
    if let Some(gain) = gain(found) {
        out.truncate(out.trim_end().len());
        let _ = write!(out, "\n\n{}", gained::text(&gain));
    }
    // A block of a repository ends with an empty line, the whole doesn't.
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn slices(out: &mut String, all: Slice, every_file: Option<Slice>, without_identifier: Slice) {
    let heads: Vec<String> =
        RECALL_DEPTHS.iter().map(|depth| format!("{:>8}", format!("R@{depth}"))).collect();
    let _ = writeln!(out, "{:26}{:>8}{}{:>8}{:>8}", "", "queries", heads.concat(), "MRR", "nDCG@10");
    row(out, "all sources", &all);
    if let Some(every) = every_file {
        row(out, "every file a candidate", &every);
    }
    if without_identifier.queries > 0 {
        row(out, "queries w/o identifier", &without_identifier);
    }
}

fn row(out: &mut String, name: &str, slice: &Slice) {
    let Slice { queries, scores } = slice;
    let recall: Vec<String> = scores.recall.iter().map(|value| format!("{value:8.3}")).collect();
    let _ = writeln!(out, "{name:26}{queries:8}{}{:8.3}{:8.3}", recall.concat(), scores.mrr, scores.ndcg_10);
}

fn rest(
    out: &mut String,
    ablation: &[Ablation],
    calibration: &Calibration,
    (packs, impact): (&[PackShare], &[ImpactShare]),
    latency_ms: &[f64],
) {
    ablation.iter().for_each(|a| row(out, &a.variant, &a.slice));
    let _ = writeln!(out, "\n{:26}{:>8}{:>8}{:>8}  95 % interval", "confidence", "queries", "right", "share");
    for row in calibration.rows() {
        let [low, high] = row.interval();
        let (name, share) = (row.confidence.name(), row.share());
        let _ = writeln!(
            out,
            "{name:26}{:8}{:8}{share:8.3}  {low:.3} to {high:.3}",
            row.queries, row.first_right
        );
    }
    let (named, right) = calibration.named();
    if named > 0 {
        let _ = writeln!(out, "{:26}{named:8}{right:8}", "first named by its path");
    }
    if !packs.is_empty() {
        let heads = ["packs", "over", "largest", "mean", "quoted", "inside"].map(|head| format!("{head:>9}"));
        let _ = writeln!(out, "\n{:17}{}", "pack of tokens", heads.concat());
    }
    for p in packs {
        let _ = writeln!(
            out,
            "{:<17}{:9}{:9}{:9}{:9.0}{:9.3}{:9.3}",
            p.budget, p.packs, p.exceeded, p.largest, p.mean_tokens, p.quoted, p.inside
        );
    }
    if let Some(first) = impact.first() {
        let heads = ["queries", "found", "precise", "named"].map(|head| format!("{head:>9}"));
        let _ = writeln!(out, "\n{:26}{}", format!("impact, of {} tests", first.tests), heads.concat());
    }
    for share in impact {
        let name = format!("{} within {}", share.over, share.depth);
        let _ = writeln!(
            out,
            "{name:26}{:9}{:9.3}{:9.3}{:9.1}",
            share.queries, share.found, share.precise, share.named
        );
    }
    let (p50, p95) = (percentile(latency_ms, 50), percentile(latency_ms, 95));
    let _ = writeln!(out, "\nmilliseconds a query: p50 {p50:.1}, p95 {p95:.1}");
}
