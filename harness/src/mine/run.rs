//! Commits after a base become queries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::failure::Failure;

use super::message::{Cleaned, clean, content_words, has_controls, identifiers};
use super::repository::{Commit, Repository};
use super::rule::{Rule, by_origin, names_formatter};
use super::tree::{SourceTree, is_source_path, is_test};

/// Fewest words of a query that say something.
const MIN_CONTENT_WORDS: usize = 4;

/// How many of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MineLimits {
    /// Most queries: the first after the base are kept.
    pub max_queries: usize,
    /// Most program files that a commit may touch.
    pub max_files: usize,
}

impl Default for MineLimits {
    fn default() -> Self {
        MineLimits { max_queries: 200, max_files: 8 }
    }
}

/// One query and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinedQuery {
    /// Subject and body, cleaned.
    pub query: String,
    /// The query without its leading area hint.
    pub noscope: String,
    /// The subject, cleaned.
    pub subject: String,
    /// Program files that the commit changed or removed and that were there at the base, sorted; never empty.
    pub gold: Vec<String>,
    /// Those that are no tests.
    pub gold_src: Vec<String>,
    /// The commit.
    pub commit: String,
    /// Committer's time, seconds since the epoch.
    pub time_s: i64,
    /// Program files of the commit that weren't there at the base.
    pub new_files: usize,
    /// Whether the query holds a name that a gold file defines.
    pub has_ident: bool,
}

/// What was mined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    /// The repository's name.
    pub name: String,
    /// The commit whose tree is searched.
    pub base: String,
    /// The last commit looked at.
    pub tip: String,
    /// Commits after the base.
    pub commits: usize,
    /// Queries, parents before children.
    pub queries: Vec<MinedQuery>,
    /// Program files of the base, sorted.
    pub candidates: Vec<String>,
    /// Their bytes.
    pub bytes: u64,
    /// Queries in which blanks stand for control characters of the message.
    pub masked: usize,
    /// Commits left out, by rule.
    pub dropped: BTreeMap<Rule, u64>,
}

/// Mines the commits that `tip` reaches and `base` doesn't. Without `base` it is as many first parents behind `tip` as queries
/// are wanted, at most half of them: the past teaches, the rest asks. Without `name` the folder's name stands for the repository.
/// `progress` is told how many commits have been looked at, and of how many.
///
/// # Errors
/// No repository, no such commit, a base that `tip` doesn't reach, contents that aren't stored.
pub fn mine(
    root: &Path,
    base: Option<&str>,
    tip: &str,
    name: Option<&str>,
    limits: MineLimits,
    progress: &dyn Fn(usize, usize),
) -> Result<Mined, Failure> {
    let repository = Repository::open(root)?;
    let tip = repository.commit(tip)?;
    let base = match base {
        Some(base) => repository.commit(base)?,
        None => default_base(&repository, &tip, limits.max_queries)?,
    };
    if !repository.reaches(&tip, &base)? {
        return Err(Failure::usage(format!(
            "{base}: not in the history of {tip}: name an earlier commit of it"
        )));
    }
    let tree = SourceTree::read(&repository, &base)?;
    let commits = repository.commits(&base, &tip)?;
    let known = known_subjects(&repository, &base)?;
    let mut miner = Miner { repository: &repository, tree, limits, known, seen: BTreeSet::new() };
    let mut dropped: BTreeMap<Rule, u64> = BTreeMap::new();
    let (mut queries, mut masked) = (Vec::new(), 0);
    for (done, commit) in commits.iter().enumerate() {
        progress(done, commits.len());
        match miner.query(commit)? {
            Ok(_) if queries.len() == limits.max_queries => *dropped.entry(Rule::OverLimit).or_default() += 1,
            Ok(query) => {
                masked += usize::from(has_controls(&commit.message));
                queries.push(query);
            }
            Err(rule) => *dropped.entry(rule).or_default() += 1,
        }
    }
    Ok(Mined {
        name: name.map_or_else(|| repository.name(), str::to_owned),
        base,
        tip,
        commits: commits.len(),
        queries,
        candidates: miner.tree.files.keys().cloned().collect(),
        bytes: miner.tree.bytes,
        masked,
        dropped,
    })
}

fn default_base(repository: &Repository, tip: &str, wanted: usize) -> Result<String, Failure> {
    let parents = repository.first_parents(tip)?;
    match wanted.min(parents.len() / 2) {
        0 => Err(Failure::bad_data(format!(
            "{}: one commit has nothing behind it: mine a longer history",
            repository.name()
        ))),
        behind => Ok(parents[behind].clone()),
    }
}

/// Subjects before the base: a task whose subject stands there has its answer in the past.
fn known_subjects(repository: &Repository, base: &str) -> Result<BTreeSet<String>, Failure> {
    let past = repository.past_messages(base)?;
    Ok(past.iter().map(|message| clean(message, &[]).subject.to_lowercase()).collect())
}

struct Miner<'r> {
    repository: &'r Repository,
    tree: SourceTree,
    limits: MineLimits,
    known: BTreeSet<String>,
    seen: BTreeSet<String>,
}

impl Miner<'_> {
    /// The query of a commit, or the rule it breaks.
    fn query(&mut self, commit: &Commit) -> Result<Result<MinedQuery, Rule>, Failure> {
        let gold = match by_origin(commit).map_or_else(|| self.gold(commit), Err) {
            Ok(gold) => gold,
            Err(rule) => return Ok(Err(rule)),
        };
        let subject = commit.message.trim_start().lines().next().unwrap_or_default();
        if names_formatter(subject) || !self.repository.is_substantial(&commit.id, &gold)? {
            return Ok(Err(Rule::Formatting));
        }
        Ok(self.ask(commit, &gold))
    }

    fn ask(&mut self, commit: &Commit, gold: &[&str]) -> Result<MinedQuery, Rule> {
        let Cleaned { query, noscope, subject } = clean(&commit.message, gold);
        if content_words(&query) < MIN_CONTENT_WORDS {
            return Err(Rule::TooShort);
        }
        // The subject as it was written may name a gold file, which cleaning takes out.
        if self.known.contains(&clean(&commit.message, &[]).subject.to_lowercase()) {
            return Err(Rule::Known);
        }
        if !self.seen.insert(query.to_lowercase()) {
            return Err(Rule::Duplicate);
        }
        let words = identifiers(&query);
        let has_ident = gold
            .iter()
            .filter_map(|path| self.tree.files.get(*path))
            .any(|file| words.iter().any(|word| file.names.contains(*word)));
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let sources: Vec<&str> = gold.iter().copied().filter(|path| !is_test(path)).collect();
        let new = |path: &&String| is_source_path(path) && !self.tree.files.contains_key(*path);
        Ok(MinedQuery {
            noscope,
            subject,
            gold: owned(gold),
            gold_src: owned(&sources),
            commit: commit.id.clone(),
            time_s: commit.time_s,
            new_files: commit.changed.iter().chain(&commit.added).filter(new).count(),
            has_ident,
            query,
        })
    }

    /// The answer, sorted.
    fn gold<'c>(&self, commit: &'c Commit) -> Result<Vec<&'c str>, Rule> {
        let touched = commit.changed.iter().chain(&commit.added);
        let sources = touched.filter(|path| is_source_path(path) || self.tree.is_gold(path)).count();
        if sources == 0 {
            return Err(Rule::NoSource);
        }
        if sources > self.limits.max_files {
            return Err(Rule::TooManyFiles);
        }
        let mut gold: Vec<&str> =
            commit.changed.iter().map(String::as_str).filter(|path| self.tree.is_gold(path)).collect();
        gold.sort_unstable();
        if gold.is_empty() { Err(Rule::NoGold) } else { Ok(gold) }
    }
}
