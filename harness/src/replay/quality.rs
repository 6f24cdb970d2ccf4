//! The counts of `context-quality-v1` of a plan, taken where it stands: what [`engine::quality::measure`] counts over a
//! fixture made of the plan's items, without making one. The gate takes them hundreds of thousands of times.

use std::collections::BTreeSet;

use engine::plan::{Decision, ItemSource, Plan, PlanMode};
use engine::quality::{Count, Measures};
use engine::session::EntryId;

use super::moment::{Moment, shows};

/// Counts a plan's items, instructions aside, with the gold files as expected evidence. Kinds and reasons, which the score
/// isn't made of, aren't counted.
pub(super) fn quality_counts(plan: &Plan, moment: &Moment<'_>) -> Measures {
    let counts =
        |item: &&Decision| !matches!(&item.source, ItemSource::Entry(id) if moment.instructions.contains(id));
    let selected: Vec<&Decision> = plan.selected.iter().filter(counts).collect();
    let dropped: Vec<&Decision> = plan.dropped.iter().filter(counts).collect();
    let current = |items: &[&Decision]| items.iter().filter(|item| is_current(item, moment)).count() as u64;
    let kept = current(&selected);
    let all_current = kept + current(&dropped);
    let selected_tokens = tokens(selected.iter().copied());
    let over = plan.overflow || selected_tokens > plan.budget.total;
    let shown: Vec<&str> = selected.iter().flat_map(|item| shows(item, moment)).collect();
    Measures {
        evidence_recall: evidence_recall(&shown, moment),
        irrelevant_tokens: irrelevant_tokens(&selected, all_current > 0, selected_tokens, moment),
        duplicate_references: duplicate_references(&selected, shown),
        // Each item names the entry or the file that it is of.
        provenance: count(selected.len() as u64, selected.len() as u64),
        current_request: count(kept, all_current),
        atomic_groups: atomic_groups(&selected, &dropped),
        overflow: count(u64::from(over), 1),
        fallback: count(u64::from(plan.mode == PlanMode::FailOpen), 1),
        selected_tokens,
        dropped_tokens: tokens(dropped.iter().copied()),
        ..Measures::default()
    }
}

fn count(numerator: u64, denominator: u64) -> Count {
    Count { numerator, denominator }
}

fn tokens<'d>(items: impl Iterator<Item = &'d Decision>) -> u64 {
    items.fold(0, |sum, item| sum.saturating_add(item.tokens))
}

fn is_current(item: &Decision, moment: &Moment<'_>) -> bool {
    matches!(&item.source, ItemSource::Entry(id) if moment.request == Some(id))
}

/// The entry that an item is of.
fn own_entry(item: &Decision) -> Option<&EntryId> {
    match &item.source {
        ItemSource::Entry(id) | ItemSource::Recalled { entry: id, .. } => Some(id),
        ItemSource::Project { .. } => None,
    }
}

fn evidence_recall(shown: &[&str], moment: &Moment<'_>) -> Count {
    let gold = &moment.needs.labels;
    let found: BTreeSet<&str> = shown.iter().copied().filter(|path| gold.contains(*path)).collect();
    count(found.len() as u64, gold.len() as u64)
}

/// Tokens of items that are neither the request nor share a source with it or with what is needed.
fn irrelevant_tokens(
    selected: &[&Decision],
    has_request: bool,
    selected_tokens: u64,
    moment: &Moment<'_>,
) -> Count {
    let gold = &moment.needs.labels;
    if gold.is_empty() {
        return Count::default();
    }
    let request = moment.request.filter(|_| has_request);
    let by_request: Vec<&str> = request.iter().flat_map(|id| moment.holdings.of_entry(id)).collect();
    let is_irrelevant = |item: &&&Decision| {
        let of_request = request.is_some() && own_entry(item) == request;
        let needed = |path: &str| gold.contains(path) || by_request.contains(&path);
        !is_current(item, moment) && !of_request && !shows(item, moment).any(needed)
    };
    count(tokens(selected.iter().filter(is_irrelevant).copied()), selected_tokens)
}

/// References to entries and files beyond the first to each.
fn duplicate_references(selected: &[&Decision], mut shown: Vec<&str>) -> Count {
    let mut entries: Vec<&EntryId> = selected.iter().filter_map(|item| own_entry(item)).collect();
    let all = entries.len() + shown.len();
    entries.sort_unstable();
    entries.dedup();
    shown.sort_unstable();
    shown.dedup();
    count((all - entries.len() - shown.len()) as u64, all as u64)
}

/// Groups of several items that are whole in or whole out, of all such groups.
fn atomic_groups(selected: &[&Decision], dropped: &[&Decision]) -> Count {
    let groups = |items: &[&Decision], is_in: bool| {
        items.iter().filter_map(move |item| item.group.map(|group| (group, is_in))).collect::<Vec<_>>()
    };
    let mut members = groups(selected, true);
    members.extend(groups(dropped, false));
    members.sort_unstable();
    let of_one_group = members.chunk_by(|(one, _), (other, _)| one == other);
    let (mut several, mut whole) = (0, 0);
    for group in of_one_group.filter(|group| group.len() > 1) {
        several += 1;
        whole += u64::from(group.iter().all(|(_, is_in)| *is_in == group[0].1));
    }
    count(whole, several)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use engine::plan::{Budget, Reason};
    use engine::quality::{self, Candidate, Fixture};
    use engine::session::{Entry, EntryKind, SessionTree};
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::Activity;
    use crate::evidence::{Holdings, RequestNeeds};

    /// The same counts by way of a fixture.
    fn by_fixture(plan: &Plan, moment: &Moment<'_>) -> Measures {
        let instruction = |item: &Decision| matches!(&item.source, ItemSource::Entry(id) if moment.instructions.contains(id));
        let items = plan.selected.iter().chain(&plan.dropped).enumerate();
        let candidates: Vec<Candidate> = items
            .filter(|(_, item)| !instruction(item))
            .map(|(index, item)| Candidate {
                id: index.to_string(),
                kind: "item".to_owned(),
                tokens: item.tokens,
                group: item.group.map_or_else(|| format!("item:{index}"), |group| format!("group:{group}")),
                sources: own_entry(item)
                    .map(|id| format!("entry:{}", id.0))
                    .into_iter()
                    .chain(shows(item, moment).map(str::to_owned))
                    .collect(),
                static_score: 0.0,
                candidate_score: None,
                current_request: is_current(item, moment),
                provenance_required: true,
            })
            .collect();
        let reasons = |wanted: bool| {
            let is_in = |candidate: &&Candidate| candidate.id.parse::<usize>().unwrap() < plan.selected.len();
            let chosen = candidates.iter().filter(|candidate| is_in(candidate) == wanted);
            chosen.map(|candidate| (candidate.id.clone(), String::new())).collect()
        };
        let decision = quality::Decision {
            selected: reasons(true),
            dropped: reasons(false),
            fallback: plan.mode == PlanMode::FailOpen,
            overflow: plan.overflow,
        };
        let fixture = Fixture {
            sample: "request".to_owned(),
            corpus_version: String::new(),
            planner_version: String::new(),
            profile: String::new(),
            task_ids: Vec::new(),
            expected: moment.needs.labels.iter().cloned().collect(),
            candidates,
            total_budget: plan.budget.total,
            category_budgets: BTreeMap::new(),
            labels: Vec::new(),
        };
        let measures = quality::measure(&fixture, &decision, "plan").unwrap();
        let no_reasons = BTreeMap::new();
        Measures {
            kinds: BTreeMap::new(),
            selection_reasons: no_reasons.clone(),
            drop_reasons: no_reasons,
            ..measures
        }
    }

    /// A session in which entry `r0` to `r3` show `f0` to `f3`, each by a read.
    fn holdings() -> Holdings {
        use engine::message::{Block, Message, Reply, Role, StopReason, ToolAnswer};
        let entry = |id: String, message| Entry {
            id: EntryId(id.into()),
            parent: None,
            line: 1,
            bytes: 0..0,
            time_ms: None,
            kind: EntryKind::Message(message),
        };
        let mut entries = Vec::new();
        for at in 0..4 {
            let mut call = Message::from_text(Role::Assistant, "");
            call.blocks.push(Block::ToolCall {
                id: format!("t{at}"),
                name: "read".to_owned(),
                arguments: serde_json::json!({ "path": format!("f{at}") }),
                json: format!(r#"{{"path":"f{at}"}}"#),
            });
            call.reply = Some(Box::new(Reply {
                provider: "p".to_owned(),
                model: "m".to_owned(),
                api: "a".to_owned(),
                stop: StopReason::ToolUse,
                usage: None,
                response_id: None,
                started_ms: None,
                continues: false,
            }));
            let mut result = Message::from_text(Role::ToolResult, "text");
            result.answers =
                Some(ToolAnswer { call_id: format!("t{at}"), tool: "read".to_owned(), is_error: false });
            entries.extend([entry(format!("c{at}"), call), entry(format!("r{at}"), result)]);
        }
        for at in 1..entries.len() {
            entries[at].parent = Some(entries[at - 1].id.clone());
        }
        let tree = SessionTree { entries, ..SessionTree::default() };
        Holdings::of(&tree, &Activity::of(&tree))
    }

    fn item() -> impl Strategy<Value = Decision> {
        let entry = prop::sample::select(vec!["r0", "r1", "r2", "r3", "c0", "c1", "s"]);
        let source = (0..3_u8, entry, 0..5_u8).prop_map(|(kind, entry, file)| match kind {
            0 => ItemSource::Entry(EntryId(entry.into())),
            1 => ItemSource::Project { path: format!("f{file}"), start_line: 1, end_line: 2 },
            _ => ItemSource::Recalled { entry: EntryId(entry.into()), part: 0, start_line: 1, end_line: 1 },
        });
        (source, 0..500_u64, prop::option::of(0..4_u32)).prop_map(|(source, tokens, group)| Decision {
            source,
            tokens,
            reason: Reason::RecentTail,
            group,
        })
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_fixture(
            selected in prop::collection::vec(item(), 0..9),
            dropped in prop::collection::vec(item(), 0..6),
            gold in prop::collection::btree_set("f[0-4]", 0..3),
            request in prop::option::of(prop::sample::select(vec!["r0", "r3", "c0", "gone"])),
            total in 0..4_000_u64,
            (overflow, failed) in any::<(bool, bool)>(),
        ) {
            let holdings = holdings();
            prop_assert_eq!(holdings.of_entry(&EntryId("r2".into())).collect::<Vec<_>>(), ["f2"]);
            let (request, system) = (request.map(|id| EntryId(id.into())), EntryId("s".into()));
            let moment = Moment {
                needs: &RequestNeeds { labels: gold, ..RequestNeeds::default() },
                holdings: &holdings,
                held: &BTreeSet::new(),
                request: request.as_ref(),
                instructions: &BTreeSet::from([&system]),
                hashes: &HashMap::new(),
            };
            let plan = Plan {
                mode: if failed { PlanMode::FailOpen } else { PlanMode::Managed },
                budget: Budget { total, project: 0, recent: 0, history: 0 },
                selected,
                dropped,
                supplement: None,
                tokens: 0,
                overflow,
                diagnostics: Vec::new(),
            };
            prop_assert_eq!(quality_counts(&plan, &moment), by_fixture(&plan, &moment));
        }
    }
}
