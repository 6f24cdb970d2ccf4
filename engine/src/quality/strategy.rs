//! The replay planner that both published strategies use.

use std::collections::BTreeMap;

use super::{Candidate, Fixture};

/// A ranking under which the replay planner fills the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Ranks by the static score.
    Static,
    /// Ranks by the candidate score where there is one.
    TaskWeighted,
}

impl Strategy {
    /// Both published strategies, the baseline first.
    pub const ALL: [Strategy; 2] = [Strategy::Static, Strategy::TaskWeighted];

    /// Identifier as published.
    pub fn id(self) -> &'static str {
        match self {
            Strategy::Static => "static-ranking-v0.1",
            Strategy::TaskWeighted => "task-weighted-v0.2-candidate",
        }
    }

    fn score(self, candidate: &Candidate) -> f64 {
        match self {
            Strategy::Static => candidate.static_score,
            Strategy::TaskWeighted => candidate.candidate_score.unwrap_or(candidate.static_score),
        }
    }
}

/// What a strategy decided for one fixture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// Identifiers of what is in, and why.
    pub selected: BTreeMap<String, String>,
    /// Identifiers of what is out, and why.
    pub dropped: BTreeMap<String, String>,
    /// Whether everything was kept because the mandatory content didn't fit.
    pub fallback: bool,
    /// Whether the result exceeds the total budget.
    pub overflow: bool,
}

/// Fills the budget group by group: mandatory groups (those of the current request) first, then by score, then by name. A
/// group is taken if the total and every limited category still hold; a mandatory group that doesn't fit keeps everything.
pub fn replay(strategy: Strategy, fixture: &Fixture) -> Decision {
    let mut groups: BTreeMap<&str, Vec<&Candidate>> = BTreeMap::new();
    for candidate in &fixture.candidates {
        groups.entry(&candidate.group).or_default().push(candidate);
    }
    let mut order: Vec<(bool, f64, &str)> = groups
        .iter()
        .map(|(name, members)| {
            let mandatory = members.iter().any(|member| member.current_request);
            let score = members.iter().map(|member| strategy.score(member)).fold(f64::MIN, f64::max);
            (mandatory, score, *name)
        })
        .collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));

    let mut used = Used { fixture, total: 0, kinds: BTreeMap::new() };
    let mut decision = Decision::default();
    for (mandatory, _, name) in order {
        let members = &groups[name];
        if used.take(members) {
            let reason = if mandatory {
                "mandatory-current-request".to_owned()
            } else {
                format!("{}-selected", strategy.id())
            };
            decision.selected.extend(members.iter().map(|member| (member.id.clone(), reason.clone())));
        } else {
            decision.fallback |= mandatory;
        }
    }
    if decision.fallback {
        let retained = |candidate: &Candidate| (candidate.id.clone(), "fail-open-retained".to_owned());
        decision.selected = fixture.candidates.iter().map(retained).collect();
    }
    let drops = fixture.candidates.iter().filter(|candidate| !decision.selected.contains_key(&candidate.id));
    decision.dropped =
        drops.map(|candidate| (candidate.id.clone(), "strategy-or-budget-drop".to_owned())).collect();
    let selected =
        fixture.candidates.iter().filter(|candidate| decision.selected.contains_key(&candidate.id));
    decision.overflow = sum(selected.map(|candidate| candidate.tokens)) > fixture.total_budget;
    decision
}

/// Sum that stops at the largest count instead of wrapping: token counts come from a file.
pub(super) fn sum(tokens: impl IntoIterator<Item = u64>) -> u64 {
    tokens.into_iter().fold(0, u64::saturating_add)
}

struct Used<'f> {
    fixture: &'f Fixture,
    total: u64,
    kinds: BTreeMap<&'f str, u64>,
}

impl<'f> Used<'f> {
    /// Takes a group if it fits.
    fn take(&mut self, members: &[&'f Candidate]) -> bool {
        let mut kinds = self.kinds.clone();
        for member in members {
            let used = kinds.entry(&member.kind).or_default();
            *used = used.saturating_add(member.tokens);
        }
        let total = sum(members.iter().map(|member| member.tokens).chain([self.total]));
        let over = |(kind, used): (&&str, &u64)| {
            self.fixture.category_budgets.get(*kind).is_some_and(|limit| used > limit)
        };
        if total > self.fixture.total_budget || kinds.iter().any(over) {
            return false;
        }
        (self.total, self.kinds) = (total, kinds);
        true
    }
}
