//! An interval bar: where the delta and its bounds lie around zero and the margin. Right is better, whatever the metric.

use serde::Serialize;

use crate::gate::document::Criterion;

/// Width of the drawing, in its own units.
pub const WIDTH: f64 = 200.0;
/// Distance from zero at which the largest figure is drawn.
const REACH: f64 = 92.0;

/// Coordinates of a bar, 0 to [`WIDTH`] from worse to better. Zero is in the middle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    /// Left end.
    pub left: f64,
    /// Right end.
    pub right: f64,
    /// Whether the left end is a bound; otherwise the bar is open there.
    pub left_bounded: bool,
    /// The same for the right end.
    pub right_bounded: bool,
    /// Point estimate.
    pub point: f64,
    /// What a pass needs the bar to lie right of.
    pub threshold: f64,
}

/// The bar of a criterion; none where there is no estimate.
pub fn bar(criterion: &Criterion) -> Option<Bar> {
    let delta = criterion.delta?;
    if criterion.kind == "no-events" {
        return None;
    }
    let better = if criterion.better == "lower" { -1.0 } else { 1.0 };
    let (worst, best) = if better > 0.0 {
        (criterion.low, criterion.high)
    } else {
        (criterion.high.map(|high| -high), criterion.low.map(|low| -low))
    };
    let margin = criterion.margin.unwrap_or(0.0);
    let threshold = if criterion.kind == "non-inferiority" { -margin } else { margin };
    let gain = better * delta;
    let scale = [Some(gain), worst, best, Some(threshold)]
        .into_iter()
        .flatten()
        .map(f64::abs)
        .filter(|size| size.is_finite())
        .fold(0.0, f64::max);
    let place = |value: f64| {
        let share = if scale > 0.0 { (value / scale).clamp(-1.0, 1.0) } else { 0.0 };
        ((WIDTH / 2.0 + share * REACH) * 10.0).round() / 10.0
    };
    Some(Bar {
        left: worst.map_or(0.0, place),
        right: best.map_or(WIDTH, place),
        left_bounded: worst.is_some(),
        right_bounded: best.is_some(),
        point: place(gain),
        threshold: place(threshold),
    })
}
