//! The waste ledger: every prompt token of every request belongs to exactly one class, first match wins.
//!
//! Base = the recorded prompt total of the request where the log tells it, else the estimate. The estimates of the
//! messages are scaled to the base by largest remainders, so the parts add up to it exactly. Classes in order:
//!
//! 1. *tool schema*: declarations of tools;
//! 2. *framing*: the agent's instructions, and what no message accounts for;
//! 3. *duplicate*: a message whose text stands earlier in the same prompt;
//! 4. *stale*: a shown file that was changed since;
//! 5. *needed*: the person's words, and what quotes a needed file (a gold file, or one that the run changes at this
//!    request or later);
//! 6. *supporting*: the model's own replies, and what names a file that the run shows or changes later;
//! 7. *never used*: the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use engine::message::{Block, Role};
use engine::session::{EntryKind, SessionTree, TreeIndex};
use engine::tokens::{MESSAGE_FRAMING, TokenCounter, message_tokens};
use foldhash::fast::RandomState;

use crate::corpus::{Action, Activity, Call};

/// A class of prompt tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Declarations of tools.
    ToolSchema,
    /// Instructions, and what isn't accounted for.
    Framing,
    /// Repeats what the same prompt holds.
    Duplicate,
    /// Shows what is no longer so.
    Stale,
    /// Evidence that the task needs.
    Needed,
    /// Leads to what the run used.
    Supporting,
    /// Nothing shows that it mattered.
    NeverUsed,
}

/// Tokens by class over all requests of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Tokens of each class; a class without any isn't listed.
    pub tokens: BTreeMap<Class, u64>,
    /// What they add up to.
    pub base: u64,
    /// Requests whose base is the estimate, because the log tells no total.
    pub estimated_requests: u64,
}

impl Ledger {
    /// Share of the base in a class; 0 of nothing.
    pub fn share(&self, class: Class) -> f64 {
        let tokens = self.tokens.get(&class).copied().unwrap_or(0);
        if self.base == 0 { 0.0 } else { tokens as f64 / self.base as f64 }
    }

    fn add(&mut self, base: u64, parts: &[(Class, u64)]) {
        self.base += base;
        for (class, tokens) in scale(base, parts) {
            *self.tokens.entry(class).or_default() += tokens;
        }
    }
}

/// Scales parts to a base by largest remainders; ties go to the earlier part. Parts of nothing are framing.
fn scale(base: u64, parts: &[(Class, u64)]) -> Vec<(Class, u64)> {
    let sum: u128 = parts.iter().map(|(_, tokens)| u128::from(*tokens)).sum();
    if sum == 0 {
        return vec![(Class::Framing, base)];
    }
    let exact = |tokens: u64| u128::from(base) * u128::from(tokens);
    let mut scaled: Vec<(Class, u64)> =
        parts.iter().map(|(class, tokens)| (*class, (exact(*tokens) / sum) as u64)).collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by_key(|index| (std::cmp::Reverse(exact(parts[*index].1) % sum), *index));
    let given: u64 = scaled.iter().map(|(_, tokens)| tokens).sum();
    for index in by_remainder.into_iter().take((base - given) as usize) {
        scaled[index].1 += 1;
    }
    scaled
}

/// The ledger of a session. `gold` are the paths that the task needs.
pub fn ledger(
    tree: &SessionTree,
    activity: &Activity,
    gold: &BTreeSet<String>,
    counter: &dyn TokenCounter,
) -> Ledger {
    let index = TreeIndex::new(tree);
    let results: HashMap<usize, &Call, RandomState> =
        activity.calls.iter().filter_map(|call| Some((call.result.as_ref()?.entry, call))).collect();
    // Costs and texts once an entry, not once a request.
    let mut costs: HashMap<usize, Cost, RandomState> = HashMap::default();
    let mut texts: HashMap<Arc<str>, usize, RandomState> = HashMap::default();
    let mut ledger = Ledger::default();
    for (number, request) in activity.requests.iter().enumerate() {
        let Some(head) = index.parent(request.entry) else { continue };
        let selection = index.select(tree, head);
        let later = Later::from(activity, number, gold);
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut parts = Vec::new();
        for held in selection.sent() {
            let cost =
                costs.entry(held.entry).or_insert_with(|| Cost::of(&held.message, counter, &mut texts));
            if held.message.role == Role::System {
                parts.push((Class::ToolSchema, cost.schema));
                parts.push((Class::Framing, cost.tokens - cost.schema));
                continue;
            }
            let repeated = !cost.text.is_empty() && !seen.insert(cost.same);
            let class = match results.get(&held.entry) {
                _ if repeated => Class::Duplicate,
                Some(call) => later.class_of_result(activity, call, number, &cost.text),
                None => later.class_of_message(&tree.entries[held.entry].kind, held.message.role, &cost.text),
            };
            parts.push((class, cost.tokens));
        }
        let estimate = parts.iter().map(|(_, tokens)| tokens).sum();
        let recorded = request.usage.prompt();
        ledger.estimated_requests += u64::from(recorded == 0);
        ledger.add(if recorded == 0 { estimate } else { recorded }, &parts);
    }
    ledger
}

struct Cost {
    tokens: u64,
    schema: u64,
    text: Arc<str>,
    /// The same number for the same text.
    same: usize,
}

impl Cost {
    fn of(
        message: &engine::message::Message,
        counter: &dyn TokenCounter,
        texts: &mut HashMap<Arc<str>, usize, RandomState>,
    ) -> Cost {
        let tokens = message_tokens(counter, message);
        let declared = message.blocks.iter().filter(|block| matches!(block, Block::ToolDeclaration { .. }));
        let schema: u64 = declared.map(|block| counter.text(&block.text())).sum();
        let text: Arc<str> = message.text().into();
        let next = texts.len();
        let same = *texts.entry(Arc::clone(&text)).or_insert(next);
        Cost { tokens, schema: schema.min(tokens.saturating_sub(MESSAGE_FRAMING)), text, same }
    }
}

/// What the run needs and uses from one request on.
struct Later<'a> {
    needed: BTreeSet<&'a str>,
    used: BTreeSet<&'a str>,
}

impl<'a> Later<'a> {
    fn from(activity: &'a Activity, request: usize, gold: &'a BTreeSet<String>) -> Later<'a> {
        let later = || activity.calls.iter().filter(move |call| call.request >= request);
        let changed = later().filter(|call| call.changed_file()).filter_map(Call::path);
        let needed = gold.iter().map(String::as_str).chain(changed).collect();
        Later { needed, used: later().filter_map(Call::path).collect() }
    }

    fn class_of_result(&self, activity: &Activity, call: &Call, request: usize, text: &str) -> Class {
        let own = call.path();
        let entry = call.result.as_ref().map_or(0, |result| result.entry);
        let changed_since = |other: &&Call| {
            other.changed_file()
                && other.path() == own
                && other.request < request
                && other.result.as_ref().is_some_and(|result| result.entry > entry)
        };
        if matches!(call.action, Action::Read { .. })
            && activity.calls.iter().any(|other| changed_since(&other))
        {
            return Class::Stale;
        }
        self.class_of_text(own, text)
    }

    fn class_of_text(&self, own: Option<&str>, text: &str) -> Class {
        let quotes = |paths: &BTreeSet<&str>| {
            own.is_some_and(|own| paths.contains(own)) || paths.iter().any(|path| text.contains(path))
        };
        if quotes(&self.needed) {
            Class::Needed
        } else if quotes(&self.used) {
            Class::Supporting
        } else {
            Class::NeverUsed
        }
    }

    fn class_of_message(&self, kind: &EntryKind, role: Role, text: &str) -> Class {
        match (kind, role) {
            (EntryKind::Injected { .. }, _) => self.class_of_text(None, text),
            (_, Role::User) => Class::Needed,
            (_, Role::Assistant) => Class::Supporting,
            _ => self.class_of_text(None, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn worked_example() {
        let parts = [(Class::Framing, 10), (Class::Needed, 20), (Class::NeverUsed, 3)];
        let scaled = scale(100, &parts);
        assert_eq!(scaled, [(Class::Framing, 30), (Class::Needed, 61), (Class::NeverUsed, 9)]);
    }

    proptest! {
        #[test]
        fn the_parts_add_up_to_the_base(base in 0_u64..5_000_000, tokens in prop::collection::vec(0_u64..100_000, 0..40)) {
            let parts: Vec<_> = tokens.iter().map(|tokens| (Class::Needed, *tokens)).collect();
            prop_assert_eq!(scale(base, &parts).iter().map(|(_, tokens)| tokens).sum::<u64>(), base);
        }
    }
}
