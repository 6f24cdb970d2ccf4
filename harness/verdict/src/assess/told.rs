//! What an assessment tells: figures in the metric's unit, and why it isn't a pass.

use super::counting::Discordance;
use crate::analysis::{Analysis, Interval};
use crate::criterion::{Better, Claim, Criterion, Estimand, Settings};
use crate::outcome::{Bounds, Figures, Outcome, Reason};
use crate::paired::{Completion, Sample};
use crate::{ratio, tail};

/// Share of scheduled runs without a value.
pub(super) fn missing_share(sample: &Sample) -> f64 {
    sample.missing as f64 / (sample.runs + sample.missing).max(1) as f64
}

/// Writes the figures in the metric's unit (relative changes for ratios).
pub(super) fn report(
    criterion: &Criterion,
    sample: &Sample,
    analysis: &Analysis,
    discordance: &Discordance,
    interval: Interval,
    figures: &mut Figures,
) {
    let bounds = |interval| shown(criterion, interval);
    let counted = bounds(interval);
    (figures.baseline, figures.candidate) = levels(criterion, sample);
    figures.delta = finite(delta(criterion, analysis.gain));
    (figures.low, figures.high) = (counted.low, counted.high);
    figures.t = analysis.t.map(bounds);
    figures.bootstrap = analysis.bootstrap.map(bounds);
    figures.p_value = analysis.p_value;
    figures.sign_flip = analysis.sign_flip;
    figures.standard_error = analysis.error;
    figures.differing = discordance.surely;
    figures.regressing = discordance.regressing;
    figures.regressing_upper = Some(discordance.regressing_upper);
    figures.below_floor = discordance.binds();
}

/// A gain as candidate − baseline in the metric's unit, or as relative change.
pub(super) fn delta(criterion: &Criterion, gain: f64) -> f64 {
    if criterion.estimand.is_ratio() {
        ratio::relative_change(criterion, gain)
    } else {
        // Adding zero turns −0 into 0, which reports would show as a sign.
        criterion.sign() * gain + 0.0
    }
}

pub(super) fn shown(criterion: &Criterion, interval: Interval) -> Bounds {
    let convert = |gain: f64| if gain.is_finite() { finite(delta(criterion, gain)) } else { None };
    let (low, high) = (convert(interval.low), convert(interval.high));
    match criterion.better {
        Better::Higher => Bounds { low, high },
        Better::Lower => Bounds { low: high, high: low },
    }
}

pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The level of each arm, as the estimand says, under intention to treat.
pub(super) fn levels(criterion: &Criterion, sample: &Sample) -> (Option<f64>, Option<f64>) {
    let (baseline, candidate) = sample.arms(criterion, Completion::IntentionToTreat);
    let level = |values: &[f64]| {
        let sum: f64 = values.iter().sum();
        let mean = sum / values.len() as f64;
        match criterion.estimand {
            Estimand::MeanDifference => finite(mean),
            Estimand::GeometricRatio => finite(mean.exp()),
            Estimand::TotalRatio => finite(sum),
            Estimand::TailRatio { quantile } => tail::quantile_of(values, quantile),
        }
    };
    (level(&baseline), level(&candidate))
}

/// Why the outcome isn't a pass; never empty.
pub(super) fn explain(
    criterion: &Criterion,
    outcome: Outcome,
    sample: &Sample,
    discordance: &Discordance,
    figures: &Figures,
    settings: &Settings,
) -> Vec<Reason> {
    let id = &criterion.id;
    let summary = summary(criterion, figures);
    if outcome == Outcome::Fail {
        let code = match criterion.claim {
            Claim::Superiority { .. } => "no-benefit",
            Claim::NonInferiority { .. } | Claim::NoEvents => "regression",
        };
        return vec![Reason::new(code, format!("{id}: {summary}"))];
    }
    let mut reasons = Vec::new();
    if sample.missing > 0 {
        let scheduled = sample.runs + sample.missing;
        let counts = format!("{id}: {} of {scheduled} runs missing", sample.missing);
        if missing_share(sample) > settings.max_missing {
            let most = 100.0 * settings.max_missing;
            let message = format!("{counts}: with more than {most} % missing nothing passes: record them");
            return vec![Reason::new("missing-runs", message)];
        }
        let message = format!("{counts}: the outcome may depend on what they would have been: record them");
        reasons.push(Reason::new("missing-runs", message));
    }
    if figures.below_floor {
        reasons.push(Reason::new("discordance-floor", floor_message(criterion, discordance)));
    } else {
        reasons.push(Reason::new("undecided", format!("{id}: {summary}")));
    }
    reasons
}

/// Why counting doesn't suffice. How many units would is the concern of [`settle`](crate::settle) alone, so that a reason
/// and what would settle it can't name different numbers.
pub(super) fn floor_message(criterion: &Criterion, discordance: &Discordance) -> String {
    let Discordance { surely, floor, fewest, regressing, trials, regressing_upper, worst_loss, .. } =
        *discordance;
    let id = &criterion.id;
    let few = if surely < floor {
        format!("{id}: {surely} of {trials} units differ: t and bootstrap need {floor}")
    } else {
        format!("{id}: {trials} units: t and bootstrap need {fewest}")
    };
    let Claim::NonInferiority { margin } = criterion.claim else { return few };
    let loss = if worst_loss > 1.0 { format!(", by up to {worst_loss:.3}") } else { String::new() };
    format!(
        "{few}; counting alone ({regressing} worse) leaves up to {regressing_upper:.3} of all worse{loss}: the margin is {margin}"
    )
}

/// The delta with its bounds beside the declared margin.
fn summary(criterion: &Criterion, figures: &Figures) -> String {
    let show = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:+.4}"));
    let (low, high) = (show(figures.low), show(figures.high));
    let claim = match criterion.claim {
        Claim::NonInferiority { margin } => format!("margin {margin}"),
        Claim::Superiority { at_least } => format!("smallest gain {at_least}"),
        Claim::NoEvents => "no events".to_owned(),
    };
    format!("delta {} [{low}, {high}], {claim}", show(figures.delta))
}
