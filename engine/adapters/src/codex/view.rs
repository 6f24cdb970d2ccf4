//! The list of a rollout's lines to entries with parents: prompts, replies, rollbacks and compactions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use engine::message::{Block, Message, Role, StopReason, Usage};
use engine::session::{Entry, EntryKind};

/// Tokens of the person's messages that Codex keeps beside a summary whose line doesn't hold the new history.
const KEPT_TOKENS: usize = 20_000;

/// A line as it stands in the file.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The entry; its parent and what depends on other lines are filled in by [`link`].
    pub(super) entry: Entry,
    /// Whether Codex's own loader parses the line.
    pub(super) agent_reads: bool,
    /// Whether it was copied with another thread's history.
    pub(super) inherited: bool,
    /// What it does to the lines around it.
    pub(super) step: Step,
}

/// What a line does to the lines around it.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Nothing.
    Still,
    /// A piece of a reply.
    Piece,
    /// A message of role user.
    User,
    /// Something that isn't the model's: a result, instructions.
    Input,
    /// The interface's record of what the person wrote, for where no item holds it.
    Prompt(Box<Message>),
    /// A turn begins or is aborted: a reply of the turn before gets no more figures.
    TurnEdge,
    /// Figures of the request with this number.
    Request(usize, Option<Usage>),
    /// How a call ended.
    Outcome {
        /// The call.
        call_id: String,
        /// Whether it failed.
        failed: bool,
    },
    /// The last turns are dropped.
    RollBack(u64),
    /// A compaction whose line holds the new history.
    Compacted,
    /// A compaction that keeps the person's messages beside the summary it holds.
    Summarised,
}

/// Entries of one view and what linking found.
#[derive(Debug, Default)]
pub(super) struct Linked {
    /// The entries, in file order.
    pub(super) entries: Vec<Entry>,
    /// Line of the reply that each request made; absent where the log doesn't hold it.
    pub(super) request_lines: BTreeMap<usize, u64>,
    /// Replies that no figures tell of: they were billed, and nobody knows how much.
    pub(super) unbilled: Vec<Unbilled>,
    /// Prompts that stand only in an event.
    pub(super) lone_prompts: usize,
    /// Messages of the person that Codex cuts to fit beside a summary; left out here.
    pub(super) cut_prompts: u64,
}

/// A reply that no figures tell of.
#[derive(Debug, Clone)]
pub(super) struct Unbilled {
    /// Its first piece, among the entries.
    at: usize,
    /// Line of its first piece.
    pub(super) line: u64,
    /// Model of the turn.
    pub(super) model: String,
    /// Whether Codex's own loader parses the line.
    pub(super) agent_reads: bool,
    /// Whether it was copied with another thread's history.
    pub(super) inherited: bool,
}

/// Links the lines of one view. `instructions` are what every request begins with. `salvage` takes prompts from events
/// where no item holds them, which Codex doesn't.
pub(super) fn link(records: Vec<Record>, instructions: Option<&Message>, salvage: bool) -> Linked {
    let prompts = Prompts::find(&records);
    let mut linker = Linker {
        linked: Linked { lone_prompts: prompts.lone.len(), ..Linked::default() },
        instructions,
        ..Linker::default()
    };
    for (at, mut record) in records.into_iter().enumerate() {
        if salvage && prompts.lone.binary_search(&at).is_ok() {
            let Step::Prompt(message) = record.step else { continue };
            record.entry.kind = EntryKind::Message(*message);
            record.step = Step::User;
            linker.take(record, true);
        } else {
            linker.take(record, prompts.items.contains(&at));
        }
    }
    linker.finish()
}

/// Whether a prompt stands only in an event: Codex doesn't take it into its history, salvaging does.
pub(super) fn has_lone_prompts(records: &[Record]) -> bool {
    !Prompts::find(records).lone.is_empty()
}

/// Which messages of role user the person wrote: those that an event records as such. Codex adds others (its context,
/// files with instructions) in the same role. A log without such events doesn't tell them apart: all count.
#[derive(Debug, Default)]
struct Prompts {
    items: BTreeSet<usize>,
    /// Events without an item, ascending.
    lone: Vec<usize>,
}

impl Prompts {
    /// An event stands right behind its item, or before it; else it goes with the last item of its stretch.
    fn find(records: &[Record]) -> Prompts {
        let mut prompts = Prompts::default();
        if !records.iter().any(|record| matches!(record.step, Step::Prompt(_))) {
            let user = |(at, record): (usize, &Record)| matches!(record.step, Step::User).then_some(at);
            prompts.items = records.iter().enumerate().filter_map(user).collect();
            return prompts;
        }
        let mut open: Vec<usize> = Vec::new();
        let mut waiting: Option<usize> = None;
        for (at, record) in records.iter().enumerate() {
            match &record.step {
                Step::User => match waiting.take() {
                    Some(_) => _ = prompts.items.insert(at),
                    None => open.push(at),
                },
                Step::Prompt(_) => {
                    prompts.settle(waiting.take(), &mut open);
                    match open.pop_if(|item| *item + 1 == at) {
                        Some(item) => _ = prompts.items.insert(item),
                        None => waiting = Some(at),
                    }
                }
                Step::Piece | Step::Compacted | Step::Summarised | Step::RollBack(_) => {
                    prompts.settle(waiting.take(), &mut open);
                    open.clear();
                }
                _ => {}
            }
        }
        prompts.settle(waiting, &mut open);
        prompts
    }

    fn settle(&mut self, waiting: Option<usize>, open: &mut Vec<usize>) {
        let Some(event) = waiting else { return };
        match open.pop() {
            Some(item) => _ = self.items.insert(item),
            None => self.lone.push(event),
        }
    }
}

#[derive(Default)]
struct Linker<'i> {
    linked: Linked,
    instructions: Option<&'i Message>,
    /// Entries from the root to the last one.
    path: Vec<usize>,
    /// Prompts, and for each compaction which of its messages are.
    prompts: HashSet<usize>,
    compacted: HashMap<usize, Vec<bool>>,
    /// First piece of the reply that goes on.
    reply: Option<usize>,
    /// Replies whose figures weren't told yet.
    open: Vec<Unbilled>,
    /// Those of them whose turn ended: figures that come all the same are theirs.
    late: Vec<Unbilled>,
    /// Name of each call, outcomes told before their results, and the last result of each call.
    names: HashMap<String, String>,
    outcomes: HashMap<String, bool>,
    results: HashMap<String, usize>,
}

impl Linker<'_> {
    fn take(&mut self, record: Record, person: bool) {
        let Record { mut entry, step, agent_reads, inherited } = record;
        let at = self.linked.entries.len();
        match step {
            Step::Still => {}
            Step::Piece => self.piece(&mut entry, at, (agent_reads, inherited)),
            Step::User => {
                self.reply = None;
                if person {
                    self.end_turn();
                    self.prompts.insert(at);
                } else if let EntryKind::Message(message) = entry.kind {
                    entry.kind = EntryKind::Injected { source: "codex".to_owned(), message };
                }
            }
            Step::Input => self.input(&mut entry, at),
            Step::Prompt(_) => {}
            Step::TurnEdge => self.end_turn(),
            Step::Request(number, usage) => self.bill(number, usage),
            Step::Outcome { call_id, failed } => self.outcome(call_id, failed),
            Step::RollBack(turns) => self.roll_back(turns, &mut entry, at),
            Step::Compacted => self.compacted(&mut entry, at),
            Step::Summarised => self.summarised(&mut entry, at),
        }
        entry.parent = self.path.last().map(|parent| self.linked.entries[*parent].id.clone());
        self.path.push(at);
        self.linked.entries.push(entry);
    }

    fn finish(mut self) -> Linked {
        self.linked.unbilled.append(&mut self.late);
        self.linked.unbilled.append(&mut self.open);
        self.linked
    }

    /// What was written so far gets no more figures, unless the next ones come before any other reply.
    fn end_turn(&mut self) {
        self.reply = None;
        self.late.append(&mut self.open);
    }

    fn piece(&mut self, entry: &mut Entry, at: usize, (agent_reads, inherited): (bool, bool)) {
        let EntryKind::Message(message) = &mut entry.kind else { return };
        let mut calls = false;
        for (id, name) in message.calls() {
            calls = true;
            self.names.insert(id.to_owned(), name.to_owned());
        }
        let Some(reply) = &mut message.reply else { return };
        let Some(head) = self.reply else {
            reply.response_id = Some(entry.id.0.to_string());
            self.reply = Some(at);
            let (line, model) = (entry.line, reply.model.clone());
            self.open.push(Unbilled { at, line, model, agent_reads, inherited });
            return;
        };
        let head = &mut self.linked.entries[head];
        reply.response_id = Some(head.id.0.to_string());
        reply.continues = true;
        if let (true, EntryKind::Message(Message { reply: Some(begun), .. })) = (calls, &mut head.kind) {
            begun.stop = StopReason::ToolUse;
        }
    }

    fn input(&mut self, entry: &mut Entry, at: usize) {
        self.reply = None;
        let EntryKind::Message(Message { answers: Some(answer), .. }) = &mut entry.kind else { return };
        answer.tool = self.names.get(&answer.call_id).cloned().unwrap_or_default();
        answer.is_error |= self.outcomes.remove(&answer.call_id).unwrap_or(false);
        self.results.insert(answer.call_id.clone(), at);
    }

    /// Events usually come before the result they tell of.
    fn outcome(&mut self, call_id: String, failed: bool) {
        match self.results.remove(&call_id) {
            Some(result) => {
                if let EntryKind::Message(Message { answers: Some(answer), .. }) =
                    &mut self.linked.entries[result].kind
                {
                    answer.is_error |= failed;
                }
            }
            None => drop(self.outcomes.insert(call_id, failed)),
        }
    }

    /// A change of the totals tells of what was written since the one before.
    fn bill(&mut self, number: usize, usage: Option<Usage>) {
        self.reply = None;
        let late = std::mem::take(&mut self.late);
        let Some(head) = self.open.first().map(|reply| reply.at) else { return };
        self.open.clear();
        self.linked.unbilled.extend(late);
        let entry = &mut self.linked.entries[head];
        self.linked.request_lines.insert(number, entry.line);
        if let EntryKind::Message(Message { reply: Some(reply), .. }) = &mut entry.kind {
            reply.usage = usage;
        }
    }

    /// Place on the path of the last compaction, and of the prompts behind it.
    fn turns(&self) -> (Option<usize>, Vec<usize>) {
        let mut turns = Vec::new();
        for (place, entry) in self.path.iter().enumerate().rev() {
            if self.compacted.contains_key(entry) {
                turns.reverse();
                return (Some(place), turns);
            }
            if self.prompts.contains(entry) {
                turns.push(place);
            }
        }
        turns.reverse();
        (None, turns)
    }

    /// Drops the last turns: what follows hangs on the entry before them. Nothing is lost, they are a branch.
    fn roll_back(&mut self, count: u64, entry: &mut Entry, at: usize) {
        self.end_turn();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let (compaction, turns) = self.turns();
        if count == 0 {
            return;
        }
        if count <= turns.len() {
            let cut = turns[turns.len() - count];
            let is_first = compaction.is_none() && count == turns.len();
            let cut = if is_first { cut } else { self.before_context(cut) };
            return self.path.truncate(cut);
        }
        match (compaction, turns.first()) {
            (Some(place), first) => {
                if !self.roll_back_compacted(place, count - turns.len(), entry, at)
                    && let Some(first) = first
                {
                    self.path.truncate(*first);
                }
            }
            (None, Some(first)) => self.path.truncate(*first),
            (None, None) => {}
        }
    }

    /// Context that Codex added for a turn goes with it.
    fn before_context(&self, mut cut: usize) -> usize {
        let mut place = cut;
        while place > 0 {
            place -= 1;
            let index = self.path[place];
            match &self.linked.entries[index].kind {
                EntryKind::Message(Message { role: Role::System, .. }) | EntryKind::Injected { .. } => {
                    cut = place
                }
                kind if kind.is_held() => break,
                _ => {}
            }
        }
        cut
    }

    /// Turns in the history that a compaction began with are dropped by a compaction that holds what is left of it.
    fn roll_back_compacted(&mut self, place: usize, count: usize, entry: &mut Entry, at: usize) -> bool {
        let compaction = self.path[place];
        let Some(prompts) = self.compacted.get(&compaction) else { return false };
        let turns: Vec<usize> =
            prompts.iter().enumerate().filter_map(|(index, is_prompt)| is_prompt.then_some(index)).collect();
        let Some(first) = turns.first() else { return false };
        let cut = if count >= turns.len() { *first } else { turns[turns.len() - count] };
        let EntryKind::Compaction { messages, system, .. } = &self.linked.entries[compaction].kind else {
            return false;
        };
        entry.kind = EntryKind::Compaction {
            messages: messages[..cut].to_vec(),
            system: system.clone(),
            first_kept: None,
            tokens_before: None,
            usage: None,
        };
        let prompts = prompts[..cut].to_vec();
        self.compacted.insert(at, prompts);
        self.path.truncate(place + 1);
        true
    }

    fn compacted(&mut self, entry: &mut Entry, at: usize) {
        self.reply = None;
        let EntryKind::Compaction { system, messages, .. } = &mut entry.kind else { return };
        *system = self.instructions.cloned().map(Box::new);
        self.compacted.insert(at, messages.iter().map(|message| message.role == Role::User).collect());
    }

    /// Keeps the person's messages beside the summary, the newest ones that fit whole.
    fn summarised(&mut self, entry: &mut Entry, at: usize) {
        self.reply = None;
        let mut kept = Vec::new();
        let mut left = KEPT_TOKENS;
        let mut cut = 0;
        for prompt in self.held_prompts().into_iter().rev() {
            let prompt = texts_of(prompt);
            let bytes: usize = prompt.blocks.iter().map(|block| block.text().len()).sum();
            // Codex takes four bytes for a token.
            match left.checked_sub(bytes.div_ceil(4)) {
                Some(rest) => left = rest,
                None => {
                    cut += 1;
                    break;
                }
            }
            kept.push(prompt);
        }
        kept.reverse();
        self.linked.cut_prompts += cut;
        let EntryKind::Compaction { messages, system, .. } = &mut entry.kind else { return };
        let mut prompts = vec![true; kept.len()];
        prompts.extend(messages.iter().map(|_| false));
        kept.append(messages);
        *messages = kept;
        *system = self.instructions.cloned().map(Box::new);
        self.compacted.insert(at, prompts);
    }

    /// The person's messages that are held, oldest first.
    fn held_prompts(&self) -> Vec<&Message> {
        let (compaction, turns) = self.turns();
        let mut prompts = Vec::new();
        if let Some(place) = compaction {
            let index = self.path[place];
            if let EntryKind::Compaction { messages, .. } = &self.linked.entries[index].kind {
                let flags = &self.compacted[&index];
                prompts.extend(
                    messages.iter().zip(flags).filter(|(_, kept)| **kept).map(|(message, _)| message),
                );
            }
        }
        for place in turns {
            if let EntryKind::Message(message) = &self.linked.entries[self.path[place]].kind {
                prompts.push(message);
            }
        }
        prompts
    }
}

fn texts_of(message: &Message) -> Message {
    let texts = message.blocks.iter().filter(|block| matches!(block, Block::Text(_)));
    Message { role: Role::User, blocks: texts.cloned().collect(), answers: None, reply: None }
}
