//! The graph of the yard's packages: who uses whom, who waits for whom, and the order of building.

use std::collections::{BTreeMap, BTreeSet};

use crate::Error;
use crate::manifest::Manifest;

/// Packages and the arrows between them. Everything it returns is sorted by name unless said
/// otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    uses: BTreeMap<String, BTreeSet<String>>,
    waits: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Builds the graph. Packages that wait for each other are an error.
    pub fn new(manifest: &Manifest) -> Result<Graph, Error> {
        let mut graph = Graph {
            uses: BTreeMap::new(),
            waits: BTreeMap::new(),
        };
        for package in manifest.packages.values() {
            let uses: BTreeSet<String> = package.uses.iter().cloned().collect();
            let waits = uses.iter().chain(&package.after).cloned().collect();
            graph.uses.insert(package.name.clone(), uses);
            graph.waits.insert(package.name.clone(), waits);
        }
        graph.build_order()?;
        Ok(graph)
    }

    /// Packages whose results go into this one, directly.
    pub fn dependencies(&self, name: &str) -> impl Iterator<Item = &str> {
        self.uses
            .get(name)
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// Packages that must be built before this one, directly: those it uses and those it only waits
    /// for.
    pub fn predecessors(&self, name: &str) -> impl Iterator<Item = &str> {
        self.waits
            .get(name)
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// Packages that use this one, directly.
    pub fn dependents<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.uses
            .iter()
            .filter(move |(_, uses)| uses.contains(name))
            .map(|(dependent, _)| dependent.as_str())
    }

    /// The given packages and all that use them, directly or through others.
    pub fn with_dependents<'a>(
        &'a self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = names.into_iter().collect();
        while let Some(name) = open.pop() {
            if found.insert(name) {
                open.extend(self.dependents(name));
            }
        }
        found
    }

    /// Everything that a package is built from, directly or through others, itself not included.
    pub fn closure<'a>(&'a self, name: &'a str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = self.dependencies(name).collect();
        while let Some(name) = open.pop() {
            if found.insert(name) {
                open.extend(self.dependencies(name));
            }
        }
        found
    }

    /// All packages, each behind those that it waits for; of several that could come next the first
    /// by name.
    pub fn build_order(&self) -> Result<Vec<&str>, Error> {
        let mut order = Vec::new();
        let mut done = BTreeSet::new();
        while order.len() < self.waits.len() {
            let ready =
                |waits: &BTreeSet<String>| waits.iter().all(|name| done.contains(name.as_str()));
            let next = self
                .waits
                .iter()
                .find(|(name, waits)| !done.contains(name.as_str()) && ready(waits))
                .map(|(name, _)| name.as_str());
            let Some(name) = next else {
                return Err(Error::Cycle(self.cycle(&done)));
            };
            done.insert(name);
            order.push(name);
        }
        Ok(order)
    }

    /// One cycle among the packages that can't be built, its first name repeated at the end.
    fn cycle(&self, done: &BTreeSet<&str>) -> Vec<String> {
        let mut path: Vec<&str> = Vec::new();
        let mut current = self
            .waits
            .keys()
            .map(String::as_str)
            .find(|name| !done.contains(name));
        while let Some(name) = current {
            if let Some(start) = path.iter().position(|earlier| *earlier == name) {
                path.push(name);
                return path[start..].iter().map(|name| name.to_string()).collect();
            }
            path.push(name);
            current = self.predecessors(name).find(|name| !done.contains(name));
        }
        path.into_iter().map(str::to_string).collect()
    }

    /// Names of all packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.waits.keys().map(String::as_str)
    }
}
