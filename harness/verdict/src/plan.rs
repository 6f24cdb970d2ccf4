//! The size of a campaign that promotes a candidate whose truth is known, before any run is paid for.
//!
//! Each criterion passes with probability Φ(δ·√T/s − t₁₋ₐ), δ the distance of the truth from the threshold and s² the
//! variance of a scenario's difference; all must pass, and the chances of a miss add up to at most 1 − power (Bonferroni).

use crate::criterion::Settings;
use crate::distribution::{normal_tail, t_upper};
use crate::error::DesignError;
use crate::population::{BILL_MARGIN, Population};
use crate::power::parameter;

/// Beyond this many scenarios a size is no answer any more.
const LARGEST: usize = 1 << 30;

/// Distance from the threshold and variance of a scenario's difference, of one criterion.
#[derive(Debug, Clone, Copy)]
struct Demand {
    distance: f64,
    variance: f64,
}

impl Population {
    /// The fewest scenarios (whatever [`Population::scenarios`] says) with which a campaign of this population ends in
    /// PROMOTE with the given power.
    ///
    /// # Errors
    /// [`DesignError::Parameter`] for a power outside 0.5..1, or a truth that no size promotes.
    pub fn scenarios_for(&self, power: f64) -> Result<usize, DesignError> {
        if !(0.5..1.0).contains(&power) {
            return Err(parameter("power", power, "state a power of 0.5 or more and below 1"));
        }
        let demands = self.demands();
        if let Some(hopeless) =
            demands.iter().find(|demand| demand.distance.is_nan() || demand.distance <= 0.0)
        {
            let expected =
                "give an effect above the margin and a cost ratio below 1: no size promotes another truth";
            return Err(parameter("distance from the threshold", hopeless.distance, expected));
        }
        let enough = |scenarios: usize| self.miss(&demands, scenarios) <= 1.0 - power;
        let fewest = Settings::new(0).fewest_units * self.cluster_size;
        let mut high = fewest.max(2);
        while !enough(high) {
            if high > LARGEST {
                return Err(parameter(
                    "effect",
                    self.effect,
                    "give a truth that some number of scenarios can show",
                ));
            }
            high *= 2;
        }
        let mut low = fewest.max(2);
        while low < high {
            let middle = usize::midpoint(low, high);
            if enough(middle) { high = middle } else { low = middle + 1 }
        }
        Ok(high)
    }

    /// A bound of the chance that some criterion doesn't pass.
    fn miss(&self, demands: &[Demand; 3], scenarios: usize) -> f64 {
        let clusters = scenarios.div_ceil(self.cluster_size);
        let critical = t_upper(self.alpha, clusters as f64 - 1.0);
        let miss = |demand: &Demand| {
            normal_tail(demand.distance * (scenarios as f64 / demand.variance).sqrt() - critical)
        };
        demands.iter().map(miss).sum()
    }

    fn demands(&self) -> [Demand; 3] {
        let runs = self.runs as f64;
        // Scenarios that repeat their cluster's task share its reaction to the candidate (Kish 1965: 1 + (m − 1)·ρ).
        let repeated = (self.cluster_size as f64 - 1.0) * self.cluster_share.powi(2);
        let acceptance = Demand {
            distance: self.effect + self.margin,
            variance: 2.0 * self.run_variance / runs + self.interaction_variance * (1.0 + repeated),
        };
        let runaway = self.runaway_share * (1.0 - self.runaway_share) * self.runaway_factor.ln().powi(2);
        let cost = Demand {
            distance: -self.cost_ratio.ln(),
            variance: 2.0 * (self.log_cost_sd.powi(2) + runaway) / runs,
        };
        // Squared coefficients of variation of log-normal levels and of a run about its level.
        let spread = self.log_cost_sd.powi(2).exp();
        let (mean, square) = (
            1.0 + self.runaway_share * (self.runaway_factor - 1.0),
            1.0 + self.runaway_share * (self.runaway_factor.powi(2) - 1.0),
        );
        let bill = Demand {
            distance: BILL_MARGIN.ln_1p() - self.cost_ratio.ln(),
            variance: spread * 2.0 * (spread * square / (mean * mean) - 1.0) / runs,
        };
        [acceptance, cost, bill]
    }
}
