//! Forks, resumed sessions and copies hold the same history: whose request is it, so that it is counted once?
//!
//! A request belongs to the session whose own log it is. Parents come before their children, sessions begun earlier before
//! those begun later, and paths decide where nothing else does: no order of files and no number of threads can change it.
//! Trees stay whole; only the accounts are settled.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use adapters::log::{UsageTotals, View};

use super::summary::{Billed, Key, Summary};

/// One session among those that are settled together.
#[derive(Debug, Clone, Copy)]
pub struct Member<'m> {
    /// What orders it last: its path or the name of its copy.
    pub name: &'m str,
    /// Name of the file it was read from, where that is known.
    pub file_name: &'m str,
    /// What tells copies of one file.
    pub source_hash: &'m str,
    /// Its figures.
    pub summary: &'m Summary,
}

/// What one session adds to the accounts of all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// Requests that no session before it has.
    pub requests: u64,
    /// Those whose billed tokens are known.
    pub known_requests: u64,
    /// Their billed tokens.
    pub usage: UsageTotals,
    /// Billed tokens outside of requests that no session before it has.
    pub extra_usage: UsageTotals,
    /// Requests that belong to another session, by that session's index.
    pub duplicates: BTreeMap<usize, Duplicates>,
    /// The session it continues, was forked from or works for.
    pub parent: Option<usize>,
    /// The first session with the same file.
    pub copy_of: Option<usize>,
}

/// Requests that another session counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicates {
    /// How many.
    pub requests: u64,
    /// Line of the first.
    pub first_line: u64,
}

impl Account {
    /// Requests that other sessions count.
    pub fn duplicate_requests(&self) -> u64 {
        self.duplicates.values().map(|duplicates| duplicates.requests).sum()
    }
}

/// Settles the accounts of all sessions in one view; with `each_alone`, every session counts all it holds.
pub fn settle(members: &[Member<'_>], view: View, each_alone: bool) -> Vec<Account> {
    let parents = parents(members);
    let ranked = ranked(members, &parents);
    let mut first_copy: HashMap<&str, usize> = HashMap::new();
    for index in &ranked {
        first_copy.entry(members[*index].source_hash).or_insert(*index);
    }
    let owners = owners(members, &ranked, view);
    let account = |(index, member): (usize, &Member<'_>)| {
        let copy_of =
            first_copy.get(member.source_hash).copied().filter(|first| *first != index && !each_alone);
        let owner_of = |billed: &Billed| match billed.key.and_then(|key| owners.get(&key)) {
            _ if each_alone => index,
            Some(owner) => owner.member,
            // Nothing identifies it: a whole copy is told by its file, a copied request by its log.
            None => copy_of.or(parents[index].filter(|_| billed.inherited)).unwrap_or(index),
        };
        let mut account = Account { parent: parents[index], copy_of, ..Account::default() };
        let mut seen: HashSet<Key> = HashSet::new();
        for billed in member.summary.billed.iter().filter(|billed| billed.is_in(view)) {
            let owner = owner_of(billed);
            if owner != index {
                account.add_duplicate(owner, billed);
            } else if each_alone || billed.key.is_none_or(|key| seen.insert(key)) {
                account.add_own(billed);
            }
        }
        account
    };
    members.iter().enumerate().map(account).collect()
}

impl Account {
    fn add_own(&mut self, billed: &Billed) {
        self.requests += u64::from(billed.is_request);
        let Some(usage) = &billed.usage else { return };
        if billed.is_request {
            self.known_requests += 1;
            self.usage.add(usage);
        } else {
            self.extra_usage.add(usage);
        }
    }

    fn add_duplicate(&mut self, owner: usize, billed: &Billed) {
        if !billed.is_request {
            return;
        }
        let duplicates = Duplicates { requests: 0, first_line: billed.line };
        self.duplicates.entry(owner).or_insert(duplicates).requests += 1;
    }
}

struct Owner {
    member: usize,
    inherited: bool,
}

fn owners(members: &[Member<'_>], ranked: &[usize], view: View) -> HashMap<Key, Owner> {
    let mut owners: HashMap<Key, Owner> = HashMap::new();
    for index in ranked {
        for billed in members[*index].summary.billed.iter().filter(|billed| billed.is_in(view)) {
            let Some(key) = billed.key else { continue };
            let owner = Owner { member: *index, inherited: billed.inherited };
            let known = owners.entry(key).or_insert(Owner { inherited: billed.inherited, ..owner });
            if known.inherited && !billed.inherited {
                *known = owner;
            }
        }
    }
    owners
}

/// Sessions in the order in which they claim requests.
fn ranked(members: &[Member<'_>], parents: &[Option<usize>]) -> Vec<usize> {
    let depth = |index: usize| {
        let mut depth = 0;
        let mut at = parents[index];
        // More steps than sessions: the parents form a circle, which gives no order.
        while let Some(parent) = at.filter(|_| depth <= members.len()) {
            depth += 1;
            at = parents[parent];
        }
        if depth > members.len() { 0 } else { depth }
    };
    let key = |index: usize| {
        let member = &members[index];
        (depth(index), member.summary.time_ms.unwrap_or(i64::MAX), member.name)
    };
    let mut keyed: Vec<_> = (0..members.len()).map(|index| (key(index), index)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, index)| index).collect()
}

/// The session that each one names as its parent: by identifier, or by a path whose file has the identifier in its name.
fn parents(members: &[Member<'_>]) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..members.len()).collect();
    // A session's own log comes before logs of its sub-agents, which may bear its identifier.
    order.sort_unstable_by_key(|index| {
        let member = &members[*index];
        let summary = member.summary;
        (summary.parent_session.is_some(), summary.time_ms.unwrap_or(i64::MAX), member.name)
    });
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut by_file: HashMap<&str, usize> = HashMap::new();
    for index in order {
        let member = &members[index];
        if let Some(id) = &member.summary.id {
            by_id.entry(id).or_insert(index);
        }
        if !member.file_name.is_empty() {
            by_file.entry(member.file_name).or_insert(index);
        }
    }
    let find = |(index, member): (usize, &Member<'_>)| {
        let name = member.summary.parent_session.as_deref()?;
        let file = Path::new(name).file_name().and_then(|file| file.to_str()).unwrap_or(name);
        let stem = file.strip_suffix(".jsonl").unwrap_or(file);
        let tail = stem.rsplit('_').next().unwrap_or(stem);
        let found = by_id.get(name).or(by_file.get(file)).or(by_id.get(tail));
        found.copied().filter(|parent| *parent != index)
    };
    members.iter().enumerate().map(find).collect()
}

#[cfg(test)]
mod tests {
    use adapters::log::{Format, Stats};
    use engine::message::Usage;
    use proptest::prelude::*;

    use super::*;

    fn summary(id: u8, time_ms: i64, parent: Option<u8>, keys: &[(u8, bool)]) -> Summary {
        let billed = keys.iter().enumerate().map(|(line, (key, inherited))| Billed {
            line: line as u64 + 1,
            key: Some([*key; 16]),
            usage: Some(Usage { output: 1 << (key % 16), ..Usage::default() }),
            is_request: true,
            salvaged_only: false,
            inherited: *inherited,
        });
        Summary {
            format: Some(Format::Pi),
            version: None,
            id: Some(format!("s{id}")),
            cwd: None,
            time_ms: Some(time_ms),
            parent_session: parent.map(|parent| format!("s{parent}")),
            lines: 0,
            content_lines: 0,
            bytes: 0,
            warnings: Vec::new(),
            warning_counts: BTreeMap::new(),
            lost: BTreeMap::new(),
            deduplicated: BTreeMap::new(),
            stated: None,
            agent: Stats::default(),
            salvaged: None,
            billed: billed.collect(),
        }
    }

    fn members<'m>(sessions: &'m [(String, Summary)]) -> Vec<Member<'m>> {
        let member = |(name, summary): &'m (String, Summary)| Member {
            name,
            file_name: "",
            source_hash: name,
            summary,
        };
        sessions.iter().map(member).collect()
    }

    #[test]
    fn a_parent_counts_before_its_child_even_if_its_clock_is_late() {
        let sessions = [
            ("a".to_owned(), summary(1, 10, Some(2), &[(1, false), (2, false), (3, false)])),
            ("b".to_owned(), summary(2, 99, None, &[(1, false), (2, false)])),
        ];
        let accounts = settle(&members(&sessions), View::Agent, false);
        assert_eq!([accounts[0].requests, accounts[1].requests], [1, 2]);
        assert_eq!(accounts[0].duplicates[&1], Duplicates { requests: 2, first_line: 1 });
        assert_eq!([accounts[0].parent, accounts[1].parent], [Some(1), None]);
    }

    #[test]
    fn a_request_that_its_log_calls_copied_belongs_to_the_log_that_does_not() {
        let sessions = [
            ("a".to_owned(), summary(1, 1, None, &[(1, true), (2, true), (3, false)])),
            ("b".to_owned(), summary(2, 2, None, &[(1, false)])),
        ];
        let accounts = settle(&members(&sessions), View::Agent, false);
        // The second one's own log is nowhere, so the copy counts.
        assert_eq!([accounts[0].requests, accounts[1].requests], [2, 1]);
    }

    proptest! {
        #[test]
        fn every_request_is_counted_once_in_any_order(
            sessions in proptest::collection::vec(
                (0u8..6, 0i64..4, proptest::option::of(0u8..6), proptest::collection::vec((0u8..12, any::<bool>()), 0..8)),
                1..7,
            ),
            turn in 0usize..7,
        ) {
            let mut all: Vec<(String, Summary)> = sessions
                .iter()
                .enumerate()
                .map(|(at, (id, time, parent, keys))| (format!("n{at}"), summary(*id, *time, *parent, keys)))
                .collect();
            let own = |all: &[(String, Summary)]| -> BTreeMap<String, (u64, u64)> {
                let accounts = settle(&members(all), View::Agent, false);
                let pairs = all.iter().zip(accounts);
                pairs.map(|((name, _), account)| (name.clone(), (account.requests, account.usage.output))).collect()
            };
            let first = own(&all);
            let keys: BTreeMap<u8, u64> =
                sessions.iter().flat_map(|(.., keys)| keys).map(|(key, _)| (*key, 1u64 << (key % 16))).collect();
            prop_assert_eq!(first.values().map(|(requests, _)| requests).sum::<u64>(), keys.len() as u64);
            prop_assert_eq!(first.values().map(|(_, output)| output).sum::<u64>(), keys.values().sum::<u64>());
            let middle = turn % all.len();
            all.rotate_left(middle);
            all.reverse();
            prop_assert_eq!(own(&all), first);
        }
    }
}
