//! From a corpus to one frame: every run checked and measured, the baseline's sessions replayed.
//!
//! This is the part of the gate below the statistics. It never stops at a fault of the evidence: it returns the faults
//! beside what could be measured, and the gate decides what they mean. No more than a few scenarios' sessions are in memory
//! at a time.

mod reading;
mod recorded;
mod regrade;
mod remembered;
mod shelf;

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::tokens::{O200k, TokenCounter};

pub use reading::{Asked, Determinism, Readings, read};
pub use regrade::{Progress, Regraded, StoredPatch, regrade};

use crate::corpus::{Corpus, Expectation, Fault, check_feature};
use crate::failure::Failure;
use crate::metric::price::PricePack;
use crate::metric::{MetricFrame, OrderComparison};
use crate::qualify::qualify;
use crate::scenario::ScenarioSet;
use crate::variant::{Arms, Feature, OpenEngine, VariantSet};

/// How often the gate plans each request.
pub const REPEATS: u32 = 3;

/// What a feature is measured from.
pub struct Campaign<'a> {
    /// The evidence.
    pub corpus: &'a Corpus,
    /// Faults found while it was read.
    pub load_faults: &'a [Fault],
    /// The tasks.
    pub scenarios: &'a ScenarioSet,
    /// The declared variants.
    pub variants: &'a VariantSet,
    /// Prices; without a pack no run has a cost.
    pub prices: Option<&'a PricePack>,
    /// How often each request is planned.
    pub repeats: u32,
    /// Whether the graders are run again on the stored patches, and shown to tell a right patch from none.
    pub graders: bool,
    /// What opens an arm's engine.
    pub engines: &'a dyn OpenEngine,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Every value.
    pub frame: MetricFrame,
    /// Every fault that concerns the feature, sorted, each once.
    pub faults: Vec<Fault>,
    /// What the replay showed.
    pub determinism: Determinism,
    /// What a second opinion on the order of files changes, by variant.
    pub orders: BTreeMap<String, OrderComparison>,
    /// Runs of the feature's arms with a result, by variant.
    pub runs: BTreeMap<String, usize>,
    /// What the graders showed when they were run again, if they were.
    pub graders: Option<Regraded>,
}

impl Campaign<'_> {
    /// Checks and measures the arms of a feature on both planes. `policy_sha256` is the hash of the feature's policy
    /// section. Runs on the current rayon pool; the result doesn't depend on its size.
    ///
    /// # Errors
    /// [`Failure`] where scenarios can't be read; never for a fault of the evidence.
    pub fn measure(
        &self,
        feature: &Feature,
        arms: &Arms,
        policy_sha256: Option<&str>,
    ) -> Result<Measured, Failure> {
        let names = arms.all();
        let counter: Arc<dyn TokenCounter> = Arc::new(O200k);
        let asked = Asked {
            feature: &feature.id,
            arms: &names,
            replay: Some((&arms.baseline, &names)),
            patches: self.graders,
        };
        let readings = read(self, asked, &counter, &mut [])?;
        let expected = Expectation { variants: self.variants, policy_sha256 };
        let concerned = self.load_faults.iter().filter(|fault| fault.scope.concerns(&feature.id, &names));
        let mut faults: Vec<Fault> = concerned.cloned().collect();
        let (recorded, replayed) = (readings.recorded, readings.replayed);
        let (frame, of_feature) =
            rayon::join(|| recorded.join(replayed), || check_feature(self.corpus, feature, arms, &expected));
        faults.extend(of_feature);
        faults.extend(readings.faults);
        let graders = if self.graders {
            let regraded = regrade(&readings.patches, self.scenarios, &|_| ())?;
            faults.extend(regraded.faults.iter().cloned());
            faults.extend(qualify(self.scenarios, &self.corpus.manifest.schedule.scenarios)?);
            Some(regraded)
        } else {
            None
        };
        faults.sort();
        faults.dedup();
        Ok(Measured {
            frame,
            faults,
            determinism: readings.determinism,
            orders: readings.orders,
            runs: readings.runs,
            graders,
        })
    }
}
