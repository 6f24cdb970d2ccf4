//! The size of a campaign that promotes a candidate whose truth is known, before any run is paid for.
//!
//! Each criterion passes with probability Φ(δ·√T/s − t₁₋ₐ), δ the distance of the truth from the threshold and s² the
//! variance of a scenario's difference; all must pass, and the chances of a miss add up to at most 1 − power (Bonferroni).

use crate::criterion::Settings;
use crate::distribution::{normal_tail, t_upper};
use crate::error::DesignError;
use crate::population::{BILL_MARGIN, Model, Population};
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
    /// [`DesignError::Parameter`] for a power outside 0.5..1, a population that can't be drawn from, one with missing runs,
    /// which no size is planned for, or a truth that no size promotes.
    pub fn scenarios_for(&self, power: f64) -> Result<usize, DesignError> {
        if !(0.5..1.0).contains(&power) {
            return Err(parameter("power", power, "state a power of 0.5 or more and below 1"));
        }
        Model::new(&Population { scenarios: 1, ..self.clone() })?;
        if self.missing_share != 0.0 {
            return Err(parameter(
                "missing share",
                self.missing_share,
                "give 0: a size is planned for whole campaigns",
            ));
        }
        let demands = self.demands();
        if let Some(hopeless) = demands.iter().find(|demand| demand.distance <= 0.0) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Two runs of variance 0.1, interaction 0.02 half again as large for clusters of three that repeat half of their
    /// tasks: 0.1 + 0.02·1.5. Log costs of sd 1/2 with a quarter of the runs three times as dear: mean factor 3/2, mean
    /// square 3.
    #[test]
    fn demands_of_a_hand_worked_population() {
        let population = Population {
            effect: 0.01,
            cost_ratio: 0.8,
            margin: 0.05,
            run_variance: 0.1,
            interaction_variance: 0.02,
            log_cost_sd: 0.5,
            runaway_share: 0.25,
            runaway_factor: 3.0,
            cluster_size: 3,
            cluster_share: 0.5,
            ..Population::new(10, 2, 1)
        };
        let [acceptance, cost, bill] = population.demands();
        close(acceptance.distance, 0.06);
        close(acceptance.variance, 0.13);
        close(cost.distance, 1.25_f64.ln());
        close(cost.variance, 0.25 + 3.0 / 16.0 * 3.0_f64.ln() * 3.0_f64.ln());
        close(bill.distance, (1.02_f64 / 0.8).ln());
        let spread = 0.25_f64.exp();
        close(bill.variance, spread * (spread * 4.0 / 3.0 - 1.0));
    }

    /// Seven scenarios are three clusters of up to three: t with 2 degrees exceeds 0.9·√(2/0.19) at 0.05. Distances of
    /// as much, one more and two more standard errors are missed at Φ(0), Φ(−1) and Φ(−2).
    #[test]
    fn misses_of_a_hand_worked_case_add_up() {
        let population = Population { alpha: 0.05, cluster_size: 3, ..Population::new(7, 3, 1) };
        let critical = 0.9 * (2.0_f64 / 0.19).sqrt();
        let demand = |distance, variance| Demand { distance, variance };
        let demands =
            [demand(critical, 7.0), demand((critical + 1.0) / 2.0, 1.75), demand(critical + 2.0, 7.0)];
        let miss = population.miss(&demands, 7);
        assert!((miss - (0.5 + 0.158_655_254 + 0.022_750_132)).abs() < 1e-8, "{miss}");
    }

    /// The size is the first that suffices, and never below the fewest units, each a cluster.
    #[test]
    fn the_size_is_the_smallest_that_suffices() {
        let truth = Population { effect: 0.02, cost_ratio: 0.8, ..Population::new(1, 3, 1) };
        let clustered = Population { cluster_size: 4, cluster_share: 0.9, ..truth.clone() };
        for population in [&truth, &clustered] {
            for power in [0.5, 0.8, 0.9] {
                let size = population.scenarios_for(power).unwrap();
                let miss = |scenarios| population.miss(&population.demands(), scenarios);
                assert!(miss(size) <= 1.0 - power && miss(size - 1) > 1.0 - power, "{size} for {power}");
            }
        }
        let unsized_yet = Population { scenarios: 0, ..truth.clone() };
        assert_eq!(unsized_yet.scenarios_for(0.9), truth.scenarios_for(0.9));
        let cheap = Population { effect: 0.3, cost_ratio: 0.1, ..truth.clone() };
        assert_eq!(cheap.scenarios_for(0.9), Ok(20));
        assert_eq!(Population { cluster_size: 4, ..cheap }.scenarios_for(0.9), Ok(80));
    }

    #[test]
    fn what_no_size_promotes_is_refused() {
        let truth = Population { effect: 0.02, cost_ratio: 0.8, ..Population::new(1, 3, 1) };
        let told = |population: &Population, power| match population.scenarios_for(power) {
            Ok(size) => format!("{size} scenarios"),
            Err(error) => error.to_string(),
        };
        let hopeless =
            "give an effect above the margin and a cost ratio below 1: no size promotes another truth";
        for (population, name) in [
            (Population { effect: -0.05, ..truth.clone() }, "distance from the threshold 0"),
            (Population { cost_ratio: 1.0, ..truth.clone() }, "distance from the threshold -0"),
            (
                Population { cost_ratio: 1.1, ..truth.clone() },
                "distance from the threshold -0.09531017980432493",
            ),
        ] {
            assert_eq!(told(&population, 0.9), format!("{name}: {hopeless}"));
        }
        for (population, start) in [
            (Population { effect: f64::NAN, ..truth.clone() }, "effect NaN: "),
            (Population { effect: 5.0, ..truth.clone() }, "effect 5: "),
            (Population { runs: 0, ..truth.clone() }, "runs 0: "),
            (Population { cluster_size: 0, ..truth.clone() }, "cluster size 0: "),
            (Population { cost_ratio: 0.0, ..truth.clone() }, "cost ratio 0: "),
            (Population { missing_share: 0.1, ..truth.clone() }, "missing share 0.1: give 0: "),
        ] {
            let told = told(&population, 0.9);
            assert!(told.starts_with(start), "{told}");
        }
        let tiny = Population { effect: -0.05 + 1e-9, ..truth.clone() };
        let beyond = "give a truth that some number of scenarios can show";
        assert_eq!(told(&tiny, 0.9), format!("effect {}: {beyond}", tiny.effect));
        for power in [0.4, 1.0, f64::NAN] {
            assert!(told(&truth, power).starts_with(&format!("power {power}: ")), "{power}");
        }
    }
}
