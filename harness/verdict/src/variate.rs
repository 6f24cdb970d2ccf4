//! Draws from the distributions that simulated campaigns are made of.

use rand_chacha::ChaCha8Rng;

use crate::random::open01;

/// A uniform number in (0, 1).
pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    open01(rng)
}

/// A standard normal number (Box and Muller 1958).
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * open01(rng).ln()).sqrt();
    radius * (std::f64::consts::TAU * open01(rng)).cos()
}

/// A gamma number of the given shape and scale 1 (Marsaglia and Tsang 2000; shapes below 1 by their boost).
fn gamma(shape: f64, rng: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * open01(rng).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && open01(rng).ln() < log_acceptance(d, x, v) {
            return d * v;
        }
    }
}

/// The logarithm of the chance to keep v = (1 + c·x)³ > 0.
fn log_acceptance(d: f64, x: f64, v: f64) -> f64 {
    0.5 * x * x + d - d * v + d * v.ln()
}

/// The beta distribution with shapes `a` and `b`, both above 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beta {
    a: f64,
    b: f64,
}

impl Beta {
    pub(crate) fn new(a: f64, b: f64) -> Self {
        Self { a, b }
    }

    pub(crate) fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        let (left, right) = (gamma(self.a, rng), gamma(self.b, rng));
        // Both can underflow to zero only for shapes near zero; the mean of the two ends is then as good as any.
        if left + right > 0.0 { left / (left + right) } else { 0.5 }
    }

    /// E\[(p(1 − p))²\].
    pub(crate) fn mean_square_of_spread(self) -> f64 {
        let (a, b, sum) = (self.a, self.b, self.a + self.b);
        a * (a + 1.0) * b * (b + 1.0) / (sum * (sum + 1.0) * (sum + 2.0) * (sum + 3.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut rng = stream(3, Purpose::Campaign, 0);
        let draws = 50_000;
        let beta = Beta::new(0.69, 0.53);
        let (mut first, mut second, mut spread, mut squares) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..draws {
            let p = beta.draw(&mut rng);
            first += p;
            second += p * p;
            spread += (p * (1.0 - p)).powi(2);
            squares += normal(&mut rng).powi(2);
        }
        let count = f64::from(draws);
        let mean = 0.69 / 1.22;
        assert!((first / count - mean).abs() < 0.005);
        let variance = mean * (1.0 - mean) / 2.22;
        assert!((second / count - mean * mean - variance).abs() < 0.005);
        assert!((spread / count - beta.mean_square_of_spread()).abs() < 0.001);
        assert!((squares / count - 1.0).abs() < 0.02);
    }

    /// d = 2, x = 3 and v = e: 9/2 + 2 − 2e + 2. Nothing is lost at the mode.
    #[test]
    fn acceptance_of_hand_worked_draws() {
        let e = std::f64::consts::E;
        assert!((log_acceptance(2.0, 3.0, e) - (8.5 - 2.0 * e)).abs() < 1e-12);
        assert_eq!(log_acceptance(2.0, 0.0, 1.0), 0.0);
    }

    /// A gamma number needs the boost below shape 1 only: from 1 on it changes little with the shape, draw by draw.
    #[test]
    fn gamma_numbers_are_continuous_in_their_shape() {
        let draws = |shape: f64| {
            let mut rng = stream(4, Purpose::Campaign, 0);
            (0..50).map(|_| gamma(shape, &mut rng)).collect::<Vec<f64>>()
        };
        for shape in [1.0, 2.5] {
            for (at, above) in draws(shape).into_iter().zip(draws(shape + 1e-9)) {
                assert!((at - above).abs() < 1e-6, "{at} {above}");
            }
        }
    }

    /// Mean and variance of a gamma distribution are its shape.
    #[test]
    fn gamma_numbers_have_the_moments_of_their_shape() {
        for shape in [0.3, 1.0, 4.0] {
            let mut rng = stream(5, Purpose::Campaign, 0);
            let draws: Vec<f64> = (0..20_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape}: {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape}: {variance}");
        }
    }

    /// Shapes so small that both gamma numbers are zero leave the middle.
    #[test]
    fn vanishing_shapes_are_still_shares() {
        let mut rng = stream(6, Purpose::Campaign, 0);
        let beta = Beta::new(1e-6, 1e-6);
        let draws: Vec<f64> = (0..20).map(|_| beta.draw(&mut rng)).collect();
        assert!(draws.contains(&0.5) && draws.iter().all(|draw| (0.0..=1.0).contains(draw)), "{draws:?}");
        let one_sided = Beta::new(1e-6, 1.0);
        assert!((0..20).all(|_| one_sided.draw(&mut rng) < 0.01), "nearly all of it lies at zero");
    }

    /// Beta(2, 3): E\[p²(1 − p)²\] = B(4, 5)/B(2, 3) = (3!·4!/8!)/(1!·2!/4!) = 3/70.
    #[test]
    fn spread_of_a_hand_worked_distribution() {
        assert!((Beta::new(2.0, 3.0).mean_square_of_spread() - 3.0 / 70.0).abs() < 1e-15);
    }
}
