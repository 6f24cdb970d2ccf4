//! Weighted sums over the clusters in their order.

/// Partial sums a pass over the clusters keeps, so that it isn't one chain of additions.
const LANES: usize = 8;

/// Σ w·a and Σ w·a².
pub(crate) fn first_two_moments(weights: &[f64], values: &[f64]) -> (f64, f64) {
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |lane: usize, weight: f64, value: f64| {
        let weighted = weight * value;
        first[lane] += weighted;
        second[lane] += weighted * value;
    };
    let (whole, rest) = weights.as_chunks::<LANES>();
    let (whole_values, rest_values) = values.as_chunks::<LANES>();
    for (weights, values) in whole.iter().zip(whole_values) {
        for lane in 0..LANES {
            add(lane, weights[lane], values[lane]);
        }
    }
    for (lane, (&weight, &value)) in rest.iter().zip(rest_values).enumerate() {
        add(lane, weight, value);
    }
    (first.iter().sum(), second.iter().sum())
}

/// Σ w·a·b.
pub(crate) fn mixed_moment(weights: &[f64], left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (index, ((weight, left), right)) in weights.iter().zip(left).zip(right).enumerate() {
        sums[index % LANES] += weight * left * right;
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_weighted_sums_whatever_the_length() {
        for length in [1, 7, 8, 9, 31, 71] {
            let weights: Vec<f64> = (0..length).map(|index| f64::from(index % 3)).collect();
            let left: Vec<f64> = (0..length).map(|index| f64::from(index) - 4.0).collect();
            let right: Vec<f64> = (0..length).map(|index| f64::from(index % 5) + 0.5).collect();
            let sum = |term: &dyn Fn(usize) -> f64| (0..length as usize).map(term).sum::<f64>();
            let (first, second) = first_two_moments(&weights, &left);
            assert_eq!(first, sum(&|index| weights[index] * left[index]));
            assert_eq!(second, sum(&|index| weights[index] * left[index] * left[index]));
            let mixed = mixed_moment(&weights, &left, &right);
            assert_eq!(mixed, sum(&|index| weights[index] * left[index] * right[index]));
        }
    }
}
