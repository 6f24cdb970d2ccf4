//! The sign-flip test: under the null hypothesis each cluster's difference from the threshold is as likely to have
//! the opposite sign (Fisher's randomisation of paired differences; Canay, Romano and Shaikh 2017 for clusters).

use rand::Rng;
use rayon::prelude::*;

use crate::criterion::Settings;
use crate::outcome::SignFlip;
use crate::random::{Purpose, stream};

/// Up to this many clusters every sign pattern is visited.
pub(crate) const EXACT_UP_TO: usize = 16;

/// One-sided p-value that the sum of `values` is as large as it is, under random signs.
///
/// Sums within rounding of the observed one count as equal, so that ties on a lattice (three runs give thirds) count.
pub(crate) fn sign_flip(values: &[f64], settings: &Settings) -> SignFlip {
    let observed: f64 = values.iter().sum();
    let slack = 1e-12 * values.iter().map(|value| value.abs()).sum::<f64>();
    let reached = observed - slack;
    if values.len() <= EXACT_UP_TO {
        let patterns = 1_u64 << values.len();
        let hits = (0..patterns).filter(|&pattern| flipped(values, pattern) >= reached).count();
        return SignFlip { p: hits as f64 / patterns as f64, exact: true };
    }
    let hits = (0..settings.flips)
        .into_par_iter()
        .with_min_len(64)
        .filter(|&index| {
            let mut rng = stream(settings.seed, Purpose::SignFlip, index as u64);
            let sum: f64 = values.chunks(64).map(|chunk| flipped(chunk, rng.next_u64())).sum();
            sum >= reached
        })
        .count();
    SignFlip { p: (hits + 1) as f64 / (settings.flips + 1) as f64, exact: false }
}

/// The sum with the signs of `pattern`: bit i set flips value i.
fn flipped(values: &[f64], pattern: u64) -> f64 {
    let mut sum = 0.0;
    for (bit, value) in values.iter().enumerate() {
        sum += f64::from_bits(value.to_bits() ^ ((pattern >> bit) << 63));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four differences 1, 2, 3, 4: only the observed pattern reaches 10; of −1, 2, 3, 4 two patterns reach 8.
    #[test]
    fn exact_counts_of_a_small_case() {
        let settings = Settings::new(1);
        assert_eq!(sign_flip(&[1.0, 2.0, 3.0, 4.0], &settings), SignFlip { p: 1.0 / 16.0, exact: true });
        assert_eq!(sign_flip(&[-1.0, 2.0, 3.0, 4.0], &settings), SignFlip { p: 2.0 / 16.0, exact: true });
        assert_eq!(sign_flip(&[0.0, 0.0], &settings), SignFlip { p: 1.0, exact: true });
    }

    /// Counts by recursion over signs, in whole numbers.
    fn reaching(values: &[i32], sum: i32, observed: i32) -> u32 {
        match values {
            [] => u32::from(sum >= observed),
            [first, rest @ ..] => {
                reaching(rest, sum + first, observed) + reaching(rest, sum - first, observed)
            }
        }
    }

    #[test]
    fn exact_counts_equal_a_recursion_over_signs() {
        let settings = Settings::new(1);
        let values: Vec<i32> = (0..12_i32).map(|index| (index * 7) % 5 - 1).collect();
        for length in 1..=values.len() {
            let part = &values[..length];
            let thirds: Vec<f64> = part.iter().map(|&value| f64::from(value) / 3.0).collect();
            let expected = f64::from(reaching(part, 0, part.iter().sum())) / f64::from(1_u32 << length);
            assert_eq!(sign_flip(&thirds, &settings), SignFlip { p: expected, exact: true });
        }
    }

    #[test]
    fn sampled_p_is_close_to_the_exact_one() {
        let values: Vec<f64> = (0..16).map(|index| f64::from(index % 5) - 1.5).collect();
        let exact = sign_flip(&values, &Settings::new(1));
        let longer: Vec<f64> = values.iter().copied().chain([0.0]).collect();
        let sampled = sign_flip(&longer, &Settings::new(1));
        assert!(exact.exact && !sampled.exact);
        assert!((exact.p - sampled.p).abs() < 0.02, "{} against {}", exact.p, sampled.p);
    }

    /// Thirds tie at every size.
    #[test]
    fn ties_count_at_every_size() {
        for size in [1e-9, 1e-6, 1.0, 1e6, 1e9] {
            let values = [1.0, 1.0, 1.0, 2.0, 2.0, -1.0].map(|value: f64| size * value / 3.0);
            let expected = f64::from(reaching(&[1, 1, 1, 2, 2, -1], 0, 6)) / 64.0;
            assert_eq!(sign_flip(&values, &Settings::new(1)).p, expected, "{size}");
        }
    }

    /// The observed signs count as one more draw: where every draw reaches the sum p is 1, where none does 1/(draws + 1).
    #[test]
    fn a_sampled_p_counts_what_was_seen() {
        let settings = Settings { flips: 99, ..Settings::new(1) };
        assert_eq!(sign_flip(&[0.0; 17], &settings), SignFlip { p: 1.0, exact: false });
        assert_eq!(sign_flip(&[1.0; 90], &settings), SignFlip { p: 0.01, exact: false });
        assert_eq!(sign_flip(&[0.0; 16], &settings), SignFlip { p: 1.0, exact: true });
    }
}
