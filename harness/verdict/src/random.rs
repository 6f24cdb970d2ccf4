//! Random streams: every draw is a function of the policy's seed, a purpose and an index, so results don't depend on
//! the number of threads or on what else was drawn.

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What a stream is for; streams of different purposes are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Bootstrap = 1,
    SignFlip = 2,
    Campaign = 3,
    Repeat = 4,
}

/// The stream number `index` for a purpose.
pub(crate) fn stream(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut key = [0_u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}

/// Uniform integers below a limit, unbiased (Lemire 2019, "Fast random integer generation in an interval").
#[derive(Debug, Clone, Copy)]
pub(crate) struct Below {
    limit: u32,
    reject_below: u32,
}

impl Below {
    /// Integers `0..limit`; none for a limit of 0 or beyond 32 bits.
    pub(crate) fn new(limit: usize) -> Option<Self> {
        let limit = u32::try_from(limit).ok().filter(|&limit| limit > 0)?;
        Some(Self { limit, reject_below: limit.wrapping_neg() % limit })
    }

    /// The next integer.
    #[inline]
    pub(crate) fn draw(self, rng: &mut ChaCha8Rng) -> usize {
        loop {
            let product = u64::from(rng.next_u32()) * u64::from(self.limit);
            if product as u32 >= self.reject_below {
                return (product >> 32) as usize;
            }
        }
    }
}

/// A uniform number in the open interval (0, 1), 53 bits.
pub(crate) fn open01(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_purposes_and_indexes_differ() {
        let first = |purpose, index| stream(7, purpose, index).next_u64();
        let values = [
            first(Purpose::Bootstrap, 0),
            first(Purpose::Bootstrap, 1),
            first(Purpose::SignFlip, 0),
            first(Purpose::Campaign, 0),
        ];
        for (index, value) in values.iter().enumerate() {
            assert!(!values[..index].contains(value));
        }
        assert_eq!(values[0], first(Purpose::Bootstrap, 0));
    }

    #[test]
    fn below_covers_its_range_evenly() {
        let mut rng = stream(1, Purpose::Bootstrap, 0);
        let below = Below::new(3).unwrap();
        let mut counts = [0_u32; 3];
        for _ in 0..30_000 {
            counts[below.draw(&mut rng)] += 1;
        }
        assert!(counts.iter().all(|&count| (9_600..10_400).contains(&count)), "{counts:?}");
        assert!(Below::new(0).is_none());
    }

    /// 2³² = 3 · 1,431,655,765 + 1: of the products with 3 only the one whose lower half is 0 is thrown away.
    #[test]
    fn limits_beyond_32_bits_have_no_draws() {
        let limit = |limit: usize| Below::new(limit).map(|below| (below.limit, below.reject_below));
        assert_eq!((limit(3), limit(1 << 31)), (Some((3, 1)), Some((1 << 31, 0))));
        assert_eq!((limit(0), limit(1 << 32)), (None, None));
    }

    /// The upper 53 bits n of a word give (n + 1/2) / 2⁵³; the half is exact where n is below 2⁵².
    #[test]
    fn open_numbers_are_midpoints() {
        let mut rng = stream(9, Purpose::Campaign, 0);
        for _ in 0..200 {
            let upper = rng.clone().next_u64() >> 11;
            let found = open01(&mut rng);
            assert!(found > 0.0 && found < 1.0);
            if upper < 1 << 52 {
                assert_eq!(found * 2.0_f64.powi(53), upper as f64 + 0.5);
            }
        }
    }
}
