//! Several tests at once: Holm where any one of them may justify a claim, Benjamini-Hochberg for dashboards.

/// Holm's step-down adjustment (Holm 1979): test i holds at level alpha, with all such claims jointly wrong at most
/// alpha of the time, where its adjusted p is at most alpha. Order of the input is kept; a NaN counts as 1.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let count = p_values.len();
    let mut adjusted = vec![1.0; count];
    let mut running = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        running = running.max(sane(p_values[index]) * (count - rank) as f64).min(1.0);
        adjusted[index] = running;
    }
    adjusted
}

/// The step-up adjustment of Benjamini and Hochberg (1995), which bounds the false discovery rate; exploratory only.
/// Order of the input is kept; a NaN counts as 1.
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let count = p_values.len();
    let mut adjusted = vec![1.0; count];
    let mut running = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        running = running.min(sane(p_values[index]) * count as f64 / (rank + 1) as f64);
        adjusted[index] = running;
    }
    adjusted
}

fn sane(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| {
        sane(p_values[left]).total_cmp(&sane(p_values[right])).then(left.cmp(&right))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (left, right) in found.iter().zip(expected) {
            assert!((left - right).abs() < 1e-12, "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn adjustments_of_a_worked_example() {
        let p = [0.01, 0.04, 0.03, 0.005];
        check(&holm(&p), &[0.03, 0.06, 0.06, 0.02]);
        check(&benjamini_hochberg(&p), &[0.02, 0.04, 0.04, 0.02]);
        check(&holm(&[f64::NAN, 0.02]), &[1.0, 0.04]);
        check(&holm(&[]), &[]);
    }
}
