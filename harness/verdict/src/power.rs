//! Power: what a design can show, and what it would take to settle a criterion.
//!
//! With interaction variance ω² (how differently scenarios react to the variant) and run variance σ² within a scenario
//! and arm, the variance of a scenario's difference of means of R runs is ω² + 2σ²/R (Miller 2024, "Adding error bars
//! to evals"), and T scenarios detect an effect of (z₁₋ₐ + z_power) · sqrt((ω² + 2σ²/R) / T).

use crate::criterion::{Claim, Criterion, Estimand, Settings};
use crate::discordance::{share_upper, silent_units_needed};
use crate::distribution::z_upper;
use crate::error::DesignError;
use crate::outcome::CriterionOutcome;
use crate::paired::Unit;
use crate::ratio;
use crate::tail;

#[cfg(test)]
mod tests;

/// Variance components of one metric, on the analysis scale (the metric's unit, or log ratios).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// ω²: variance over scenarios of the expected difference between the arms.
    pub interaction: f64,
    /// σ²: variance between runs of one scenario in one arm.
    pub run: f64,
}

impl Variance {
    /// Variance of a scenario's difference with `runs` runs an arm.
    #[must_use]
    pub fn of_difference(self, runs: usize) -> f64 {
        self.interaction + 2.0 * self.run / runs as f64
    }

    fn validate(self) -> Result<(), DesignError> {
        for (name, value) in [("interaction variance", self.interaction), ("run variance", self.run)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(parameter(name, value, "give a finite variance of 0 or more"));
            }
        }
        Ok(())
    }
}

/// One-sided level and the power wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// One-sided error level.
    pub alpha: f64,
    /// Probability of a pass where the effect is real, for instance 0.8.
    pub power: f64,
}

impl Target {
    /// z₁₋ₐ + z_power.
    fn distance(self) -> Result<f64, DesignError> {
        if !(self.alpha > 0.0 && self.alpha < 0.5) {
            return Err(parameter("alpha", self.alpha, "state a one-sided level above 0 and below 0.5"));
        }
        if !(self.power >= 0.5 && self.power < 1.0) {
            return Err(parameter("power", self.power, "state a power of 0.5 or more and below 1"));
        }
        Ok(z_upper(self.alpha) + z_upper(1.0 - self.power))
    }
}

/// The smallest effect that `scenarios` × `runs` detect; also the margin they can certify where nothing differs truly.
///
/// # Errors
/// [`DesignError::Parameter`] for a value outside its domain.
pub fn minimum_detectable_effect(
    variance: Variance,
    scenarios: usize,
    runs: usize,
    target: Target,
) -> Result<f64, DesignError> {
    variance.validate()?;
    for (name, count) in [("scenarios", scenarios), ("runs", runs)] {
        if count == 0 {
            return Err(parameter(name, 0.0, "give at least 1"));
        }
    }
    Ok(target.distance()? * (variance.of_difference(runs) / scenarios as f64).sqrt())
}

/// The fewest scenarios that detect `effect` with `runs` runs an arm.
///
/// # Errors
/// [`DesignError::Parameter`] for a value outside its domain, or an effect too small for any number of scenarios.
pub fn scenarios_needed(
    variance: Variance,
    runs: usize,
    effect: f64,
    target: Target,
) -> Result<usize, DesignError> {
    variance.validate()?;
    if runs == 0 {
        return Err(parameter("runs", 0.0, "give at least 1"));
    }
    if !(effect > 0.0 && effect.is_finite()) {
        return Err(parameter("effect", effect, "give a finite effect above 0"));
    }
    let expected = "give an effect that some number of scenarios can show";
    needed(variance, runs, effect, target.distance()?).ok_or_else(|| parameter("effect", effect, expected))
}

/// The fewest scenarios that show `effect` over a distance in standard errors; none where it takes more than can be
/// counted.
fn needed(variance: Variance, runs: usize, effect: f64, distance: f64) -> Option<usize> {
    let needed = (variance.of_difference(runs) * (distance / effect).powi(2)).ceil();
    (needed <= 1e15).then_some((needed as usize).max(2))
}

/// A design that would settle a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// Runs an arm and scenario.
    pub runs: usize,
    /// Scenarios, with as many in a cluster as now.
    pub scenarios: usize,
}

/// What would settle a criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// Variance components as estimated, with the clustering of the evidence in the interaction; none where the
    /// evidence gives no standard error.
    pub variance: Option<Variance>,
    /// Minimum detectable effect of the present design, in the unit of the criterion's margin. Where too few units
    /// differ for a variance to say anything: the margin that counting certifies if nothing regresses. None where the
    /// design detects nothing.
    pub detectable: Option<f64>,
    /// Designs that would settle it, fewest runs first; none where no number of scenarios would (a gain on the wrong
    /// side, a margin of zero).
    pub designs: Vec<Design>,
    /// Whether the discordance floor or the length of a tail asks for more scenarios than the variance does.
    pub floor_binds: bool,
}

/// What would settle a criterion with the given power: a non-inferiority if the arms truly don't differ, a superiority
/// if the gain truly is the one seen.
///
/// # Errors
/// [`DesignError::Parameter`] for a power outside its domain.
pub fn settle(
    outcome: &CriterionOutcome,
    units: &[Unit],
    settings: &Settings,
    power: f64,
) -> Result<Settlement, DesignError> {
    let (criterion, figures) = (outcome.criterion(), outcome.figures());
    let target = Target { alpha: criterion.alpha, power };
    let runs = figures.runs_per_arm.max(1);
    let floor = floor(criterion, outcome, settings);
    let variance = variance(criterion, outcome, units, runs);
    let detectable = match variance {
        Some(_) if figures.below_floor => certified_by_silence(criterion, figures.clusters),
        Some(variance) => Some(minimum_detectable_effect(variance, figures.scenarios.max(1), runs, target)?),
        None => None,
    };
    let detectable = detectable.map(|gain| in_margin_units(criterion, gain));
    let mut settlement = Settlement { variance, detectable, designs: Vec::new(), floor_binds: false };
    let (Some(effect), Some(floor)) = (effect(criterion, outcome), floor) else { return Ok(settlement) };
    let candidates = match variance {
        Some(variance) if variance.run > 0.0 => {
            [runs, 3, 5, 10].into_iter().filter(|&more| more >= runs).collect()
        }
        _ => vec![runs],
    };
    for runs in candidates {
        let by_variance = match variance {
            Some(variance) => needed(variance, runs, effect, target.distance()?),
            None => Some(0),
        };
        let Some(by_variance) = by_variance else { continue };
        let design = Design { runs, scenarios: by_variance.max(floor) };
        if design.scenarios > 0 && !settlement.designs.contains(&design) {
            settlement.floor_binds |= floor > by_variance;
            settlement.designs.push(design);
        }
    }
    settlement.designs.sort_by_key(|design| design.runs);
    Ok(settlement)
}

/// The loss, on the analysis scale, that counting rules out where none of so many units regresses: their share's upper
/// bound, each at a loss of 1. Without enough differing units no gain is shown, and no count bounds a tail.
fn certified_by_silence(criterion: &Criterion, units: usize) -> Option<f64> {
    let Claim::NonInferiority { .. } = criterion.claim else { return None };
    let loss = share_upper(0, units, criterion.alpha);
    match criterion.estimand {
        Estimand::MeanDifference | Estimand::GeometricRatio => Some(loss),
        Estimand::TotalRatio => Some(loss.ln_1p()),
        Estimand::TailRatio { .. } => None,
    }
}

/// The distance between the truth assumed and the threshold, on the analysis scale.
fn effect(criterion: &Criterion, outcome: &CriterionOutcome) -> Option<f64> {
    let distance = match criterion.claim {
        Claim::NonInferiority { .. } => -criterion.threshold(),
        Claim::Superiority { .. } => {
            let delta = outcome.figures().delta?;
            let delta = if criterion.estimand.is_ratio() { delta.ln_1p() } else { delta };
            criterion.sign() * delta - criterion.threshold()
        }
        Claim::NoEvents => return None,
    };
    (distance > 0.0).then_some(distance)
}

/// Scenarios that the discordance floor or a tail asks for; 0 for none, `None` where no number would do.
fn floor(criterion: &Criterion, outcome: &CriterionOutcome, settings: &Settings) -> Option<usize> {
    let figures = outcome.figures();
    let clusters = figures.clusters.max(1);
    let tail = match criterion.estimand {
        Estimand::TailRatio { quantile } => tail::tail_units_needed(quantile, criterion.alpha),
        _ => 0,
    };
    let (fewest, silent) = match criterion.claim {
        Claim::NonInferiority { margin } if figures.regressing == 0 => {
            (settings.fewest_units, silent_units_needed(margin, criterion.alpha))
        }
        Claim::NonInferiority { .. } => (settings.fewest_units, None),
        Claim::Superiority { .. } | Claim::NoEvents => (0, None),
    };
    let discordant = if figures.differing >= settings.discordance_floor {
        Some(fewest)
    } else if figures.differing == 0 {
        None
    } else {
        Some((settings.discordance_floor * clusters).div_ceil(figures.differing).max(fewest))
    };
    let needed = discordant.into_iter().chain(silent).min()?.max(tail);
    Some((needed * figures.scenarios.max(1)).div_ceil(clusters))
}

/// Variance components from the evidence: σ² as the mean over scenarios and arms of the variance between runs, ω² as the
/// rest of the (clustered) variance of differences.
fn variance(
    criterion: &Criterion,
    outcome: &CriterionOutcome,
    units: &[Unit],
    runs: usize,
) -> Option<Variance> {
    let error = outcome.figures().standard_error?;
    let of_difference = error * error * outcome.figures().scenarios as f64;
    let run = match criterion.estimand {
        Estimand::MeanDifference => run_variance(units, |value| value),
        Estimand::GeometricRatio => run_variance(units, f64::ln),
        Estimand::TotalRatio | Estimand::TailRatio { .. } => 0.0,
    };
    let run = run.min(of_difference * runs as f64 / 2.0);
    Some(Variance { interaction: (of_difference - 2.0 * run / runs as f64).max(0.0), run })
}

/// Mean variance between the runs of a scenario and arm; 0 where no arm has two runs.
fn run_variance(units: &[Unit], scale: impl Fn(f64) -> f64) -> f64 {
    let mut variances: Vec<f64> = Vec::new();
    for runs in units.iter().flat_map(|unit| [&unit.baseline, &unit.candidate]) {
        let mut values: Vec<f64> = runs.iter().flatten().map(|&value| scale(value)).collect();
        values.sort_by(f64::total_cmp);
        if values.len() >= 2 {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            variances.push(squares / (values.len() as f64 - 1.0));
        }
    }
    variances.sort_by(f64::total_cmp);
    if variances.is_empty() { 0.0 } else { variances.iter().sum::<f64>() / variances.len() as f64 }
}

/// An effect on the analysis scale in the unit of the criterion's margin: a gain for a superiority, a loss for a
/// non-inferiority (a cost that falls by 0.5 on the log scale falls by 39 %, one that rises as much rises by 65 %).
fn in_margin_units(criterion: &Criterion, effect: f64) -> f64 {
    if !criterion.estimand.is_ratio() {
        return effect;
    }
    let gain = if matches!(criterion.claim, Claim::NonInferiority { .. }) { -effect } else { effect };
    ratio::relative_change(criterion, gain).abs()
}

pub(crate) fn parameter(name: &'static str, value: f64, expected: &'static str) -> DesignError {
    DesignError::Parameter { name, value, expected }
}
