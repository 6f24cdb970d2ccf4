//! Atomic groups: messages that may only be kept or dropped together.
//!
//! A reply that calls tools and every result of those calls form one group. Call identifiers recur in real logs, so a
//! result is bound to an *occurrence* of its identifier: the nearest preceding one that is still unanswered.

use std::collections::BTreeMap;

use crate::message::{Message, Role};

/// What a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKind {
    /// Instructions of the agent.
    System,
    /// A message of the person, or presented as the person's.
    Request,
    /// A reply without tool calls.
    Reply,
    /// A reply with tool calls and their results.
    Exchange,
    /// A result whose call isn't among the messages: never sent.
    Orphan,
}

/// One occurrence of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Index of the message that makes the call.
    pub call: usize,
    /// Identifier of the call; the same text may name other occurrences.
    pub call_id: String,
    /// Indices of the messages that answer it; more than one where a log repeats a result.
    pub results: Vec<usize>,
}

/// Messages that are kept or dropped together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What it is.
    pub kind: GroupKind,
    /// Indices of the messages, ascending. They needn't be contiguous: a person may speak while a tool runs.
    pub members: Vec<usize>,
    /// Whether every call in it has a result.
    pub complete: bool,
}

/// The groups of a list of messages, sorted by their first member. Every message is in exactly one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    /// The groups.
    pub groups: Vec<Group>,
    /// Every occurrence of a call, in order.
    pub exchanges: Vec<Exchange>,
    /// Group of each message.
    of_message: Vec<usize>,
}

impl Groups {
    /// Groups messages in one pass from the oldest to the newest.
    pub fn bind<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Groups {
        let mut binder = Binder::default();
        for message in messages {
            binder.take(message);
        }
        binder.finish()
    }

    /// Group that holds a message.
    ///
    /// # Panics
    /// Where the index is beyond the messages that were bound.
    pub fn of(&self, message: usize) -> usize {
        self.of_message[message]
    }

    /// Groups that a selection splits: some members selected and others not. `selected` has one flag a message.
    pub fn split_by(&self, selected: &[bool]) -> Vec<usize> {
        let is_split = |group: &Group| {
            let kept = group.members.iter().filter(|member| selected.get(**member) == Some(&true)).count();
            kept != 0 && kept != group.members.len()
        };
        self.groups.iter().enumerate().filter(|(_, group)| is_split(group)).map(|(index, _)| index).collect()
    }
}

#[derive(Default)]
struct Binder {
    groups: Vec<Group>,
    exchanges: Vec<Exchange>,
    of_message: Vec<usize>,
    /// Occurrences of each identifier, oldest first.
    by_id: BTreeMap<String, Vec<usize>>,
}

impl Binder {
    fn take(&mut self, message: &Message) {
        let index = self.of_message.len();
        if let Some(answer) = &message.answers {
            match self.occurrence(&answer.call_id) {
                Some(exchange) => self.answer(exchange, index),
                None => self.open(GroupKind::Orphan, index),
            }
            return;
        }
        let kind = match message.role {
            Role::System => GroupKind::System,
            Role::User => GroupKind::Request,
            Role::ToolResult => GroupKind::Orphan,
            Role::Assistant if message.calls().next().is_some() => GroupKind::Exchange,
            Role::Assistant => GroupKind::Reply,
        };
        self.open(kind, index);
        for (id, _) in message.calls() {
            self.by_id.entry(id.to_owned()).or_default().push(self.exchanges.len());
            self.exchanges.push(Exchange { call: index, call_id: id.to_owned(), results: Vec::new() });
        }
    }

    /// The nearest preceding unanswered occurrence; a repeated result goes to the nearest answered one.
    fn occurrence(&self, call_id: &str) -> Option<usize> {
        let occurrences = self.by_id.get(call_id)?;
        let unanswered = occurrences.iter().rev().find(|at| self.exchanges[**at].results.is_empty());
        unanswered.or(occurrences.last()).copied()
    }

    fn answer(&mut self, exchange: usize, index: usize) {
        self.exchanges[exchange].results.push(index);
        let group = self.of_message[self.exchanges[exchange].call];
        self.groups[group].members.push(index);
        self.of_message.push(group);
    }

    fn open(&mut self, kind: GroupKind, index: usize) {
        self.of_message.push(self.groups.len());
        self.groups.push(Group { kind, members: vec![index], complete: true });
    }

    fn finish(mut self) -> Groups {
        for exchange in &self.exchanges {
            if exchange.results.is_empty() {
                self.groups[self.of_message[exchange.call]].complete = false;
            }
        }
        Groups { groups: self.groups, exchanges: self.exchanges, of_message: self.of_message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Block, ToolAnswer};

    fn call(ids: &[&str]) -> Message {
        let block = |id: &&str| Block::ToolCall {
            id: (*id).to_owned(),
            name: "read".to_owned(),
            arguments: serde_json::json!({}),
            json: "{}".to_owned(),
        };
        Message { role: Role::Assistant, blocks: ids.iter().map(block).collect(), answers: None, reply: None }
    }

    fn result(id: &str) -> Message {
        let answers = ToolAnswer { call_id: id.to_owned(), tool: "read".to_owned(), is_error: false };
        Message { answers: Some(answers), ..Message::from_text(Role::ToolResult, "out") }
    }

    fn user() -> Message {
        Message::from_text(Role::User, "go on")
    }

    fn members(messages: &[Message]) -> Vec<Vec<usize>> {
        Groups::bind(messages).groups.into_iter().map(|group| group.members).collect()
    }

    #[test]
    fn a_call_and_all_its_results_are_one_group() {
        assert_eq!(members(&[user(), call(&["a", "b"]), result("b"), result("a")]), [vec![0], vec![1, 2, 3]]);
    }

    #[test]
    fn a_reused_identifier_binds_per_occurrence() {
        let exchanges: Vec<Message> = (0..200).flat_map(|_| [call(&["x"]), result("x")]).collect();
        let groups = Groups::bind(&exchanges);
        assert_eq!(groups.groups.len(), 200);
        assert!(groups.groups.iter().all(|group| group.complete && group.members.len() == 2));
    }

    #[test]
    fn an_unanswered_call_does_not_borrow_a_later_result() {
        let groups = Groups::bind(&[call(&["x"]), user(), call(&["x"]), result("x")]);
        assert_eq!(groups.exchanges[0].results, Vec::<usize>::new());
        assert_eq!(groups.exchanges[1].results, [3]);
        assert!(!groups.groups[0].complete);
    }

    #[test]
    fn a_result_before_its_call_is_an_orphan_and_never_binds_forward() {
        let groups = Groups::bind(&[result("x"), call(&["x"])]);
        assert_eq!(groups.groups[0].kind, GroupKind::Orphan);
        assert!(!groups.groups[1].complete);
    }

    #[test]
    fn a_late_result_joins_its_call_across_a_request() {
        assert_eq!(members(&[call(&["a"]), user(), result("a")]), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn a_repeated_result_stays_with_its_call() {
        let groups = Groups::bind(&[call(&["a"]), result("a"), result("a")]);
        assert_eq!(groups.groups.len(), 1);
        assert_eq!(groups.split_by(&[true, true, false]), [0]);
        assert_eq!(groups.split_by(&[true, true, true]), Vec::<usize>::new());
    }
}
