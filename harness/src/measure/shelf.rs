//! The indexed fixtures of a replay: each is opened at the first scenario that needs it and dropped after the last.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::project::ExcludePolicy;
use engine::tokens::TokenCounter;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::scenario::{FixtureProject, Scenario};

/// Scenarios of one fixture share what is known of it if they protect the same files.
pub(super) type FixtureKey<'a> = (&'a str, &'a [String]);

pub(super) fn fixture_key(scenario: &Scenario) -> FixtureKey<'_> {
    (&scenario.repo, scenario.protected.patterns())
}

/// Fixtures by what is indexed.
pub(super) struct Shelf<'a> {
    /// How many scenarios have yet to be replayed over it.
    needed: BTreeMap<FixtureKey<'a>, usize>,
    open: BTreeMap<FixtureKey<'a>, Arc<FixtureProject>>,
    /// What is excluded from a fixture, by what its scenario protects.
    policies: BTreeMap<&'a [String], ExcludePolicy>,
}

impl<'a> Shelf<'a> {
    /// A shelf for these scenarios, each named once; nothing is opened yet.
    pub(super) fn new(scenarios: impl Iterator<Item = &'a Scenario>) -> Shelf<'a> {
        let mut needed = BTreeMap::new();
        scenarios.for_each(|scenario| *needed.entry(fixture_key(scenario)).or_default() += 1);
        Shelf { needed, open: BTreeMap::new(), policies: BTreeMap::new() }
    }

    /// Opens the fixtures that aren't open, on the current rayon pool.
    ///
    /// # Errors
    /// The first fixture that can't be indexed, in the order of their names.
    pub(super) fn open(
        &mut self,
        scenarios: impl Iterator<Item = &'a Scenario>,
        counter: &Arc<dyn TokenCounter>,
    ) -> Result<(), Failure> {
        let mut closed: BTreeMap<FixtureKey<'a>, &Scenario> = BTreeMap::new();
        for scenario in scenarios.filter(|scenario| !self.open.contains_key(&fixture_key(scenario))) {
            closed.entry(fixture_key(scenario)).or_insert(scenario);
        }
        for ((_, protected), scenario) in &closed {
            if !self.policies.contains_key(protected) {
                self.policies.insert(protected, FixtureProject::policy(scenario)?);
            }
        }
        let policies = &self.policies;
        let opened: Vec<(FixtureKey<'a>, Result<FixtureProject, Failure>)> = closed
            .into_par_iter()
            .map(|(key, scenario)| {
                let policy = policies[key.1].clone();
                (key, FixtureProject::open_excluding(scenario, policy, Arc::clone(counter)))
            })
            .collect();
        for (key, project) in opened {
            self.open.insert(key, Arc::new(project?));
        }
        Ok(())
    }

    /// The fixture of a scenario, if it is open.
    pub(super) fn get(&self, scenario: &'a Scenario) -> Option<Arc<FixtureProject>> {
        self.open.get(&fixture_key(scenario)).map(Arc::clone)
    }

    /// Lets go of the fixtures that no further scenario needs beside these.
    pub(super) fn close(&mut self, scenarios: impl Iterator<Item = &'a Scenario>) {
        for scenario in scenarios {
            let left = self.needed.get_mut(&fixture_key(scenario)).map_or(0, |needed| {
                *needed -= 1;
                *needed
            });
            if left == 0 {
                self.open.remove(&fixture_key(scenario));
            }
        }
    }
}
