//! Entries of the model as entries of Pi: none, one or several for each.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use engine::message::{Json, Message, Role, Usage};
use engine::session::{Entry, EntryId, EntryKind, SelectedMessage, SessionTree, TreeIndex};

use super::content::{
    Context, Members, count, edited_content, message, object, plain_content, string, usage_json,
};
use super::loss::{LossCode, Losses};
use super::source::Source;
use super::wrapped::{branch_words, compaction_words, only_text, shell_members};
use crate::log::Format;
use crate::log::links::closing_entries;

/// Names of what an export adds: custom types under which Pi keeps what it has no entry for.
const CUSTOM: &str = "sluice";

/// An entry of the export whose identifier isn't known yet.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: String,
    pub(super) members: Members,
    /// Members that name another entry.
    pub(super) references: Vec<(&'static str, Place)>,
}

/// An entry of the export: which of those that stand for an entry of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) entry: usize,
    pub(super) draft: usize,
}

/// What stands for each entry of the log.
#[derive(Debug)]
pub(super) struct Plan {
    /// By entry of the log, each in a chain.
    pub(super) drafts: Vec<Vec<Draft>>,
    /// The entry of the export in front of those of each entry.
    pub(super) parents: Vec<Option<Place>>,
    /// Where the export holds what the log's agent held at each entry; `None` for the root, and within a reply.
    pub(super) states: Vec<Option<Place>>,
    /// Times, Unix milliseconds.
    pub(super) times: Vec<i64>,
}

/// Plans the export of a tree.
///
/// # Errors
/// Where the log's bytes can't be read.
pub(super) fn plan(
    tree: &SessionTree,
    format: Option<Format>,
    begun_ms: i64,
    source: &mut Source<'_>,
    losses: &mut Losses,
) -> io::Result<Plan> {
    let index = TreeIndex::new(tree);
    let parents = parents(tree, &index, losses);
    let pieces = pieces(tree, &parents, losses);
    let size = tree.entries.len();
    let mut planner = Planner {
        tree,
        index,
        format,
        source,
        losses,
        kept_ranges: kept_ranges(tree, &parents),
        pieces,
        homes: vec![Vec::new(); size],
        plan: Plan {
            drafts: (0..size).map(|_| Vec::new()).collect(),
            parents: vec![None; size],
            states: vec![None; size],
            times: Vec::with_capacity(size),
        },
    };
    planner.times(begun_ms);
    for entry in parents_first(&parents) {
        planner.entry(entry, parents[entry])?;
    }
    for entry in (0..size).filter(|entry| planner.pieces.is_cut[*entry]) {
        planner.plan.states[entry] = None;
    }
    Ok(planner.plan)
}

/// Resolved parents, rings cut where they close.
fn parents(tree: &SessionTree, index: &TreeIndex, losses: &mut Losses) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = (0..tree.entries.len()).map(|entry| index.parent(entry)).collect();
    for entry in closing_entries(&parents) {
        parents[entry] = None;
        losses.note(LossCode::Cycle, "parent");
    }
    parents
}

fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut seen = vec![false; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for entry in 0..parents.len() {
        let mut branch = Vec::new();
        let mut next = Some(entry);
        while let Some(unseen) = next.filter(|entry| !seen[*entry]) {
            seen[unseen] = true;
            branch.push(unseen);
            next = parents[unseen];
        }
        order.extend(branch.into_iter().rev());
    }
    order
}

/// Which entries are further pieces of which reply.
#[derive(Default)]
struct Pieces {
    /// Of a piece: the entry that began the reply.
    begun: Vec<Option<usize>>,
    /// Of a reply: its further pieces, in order.
    further: BTreeMap<usize, Vec<usize>>,
    /// Whether the path to an entry holds a reply in part: within it there is no state, a request was answered by all
    /// of it.
    is_cut: Vec<bool>,
}

impl Pieces {
    /// Finds the entries whose path holds a reply in part, and notes replies that a branch leaves before their end.
    fn find_cuts(&mut self, parents: &[Option<usize>], losses: &mut Losses) {
        self.is_cut = vec![false; parents.len()];
        if self.further.is_empty() {
            return;
        }
        let ends: BTreeMap<usize, usize> =
            self.further.iter().filter_map(|(begun, further)| Some((*further.last()?, *begun))).collect();
        let mut within = BTreeSet::new();
        for (end, begun) in &ends {
            let mut next = Some(*end);
            while let Some(at) = next.filter(|at| at != begun) {
                within.insert((*begun, at));
                next = parents[at];
            }
        }
        let mut open: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
        let mut left: BTreeSet<usize> = BTreeSet::new();
        for entry in parents_first(parents) {
            let mut here = parents[entry].map(|parent| open[parent].clone()).unwrap_or_default();
            here.retain(|begun| ends.get(&entry) != Some(begun));
            left.extend(here.iter().filter(|begun| !within.contains(&(**begun, entry))));
            if self.further.contains_key(&entry) {
                here.push(entry);
            }
            self.is_cut[entry] = !here.is_empty();
            open[entry] = here;
        }
        for _ in left {
            losses.note(LossCode::ReplyPiece, "a branch leaves the reply before its end");
        }
    }
}

fn reply_id(entry: &Entry) -> Option<&str> {
    let EntryKind::Message(message) = &entry.kind else { return None };
    message.reply.as_ref()?.response_id.as_deref()
}

fn continues(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Message(message) if message.reply.as_ref().is_some_and(|reply| reply.continues))
}

/// A piece belongs to the nearest piece of the same reply before it on its path, as long as the reply goes on in one
/// line.
fn pieces(tree: &SessionTree, parents: &[Option<usize>], losses: &mut Losses) -> Pieces {
    let mut found = Pieces { begun: vec![None; parents.len()], ..Pieces::default() };
    for entry in parents_first(parents) {
        let Some(id) = reply_id(&tree.entries[entry]).filter(|_| continues(&tree.entries[entry])) else {
            continue;
        };
        let mut next = parents[entry];
        while let Some(at) = next.filter(|at| reply_id(&tree.entries[*at]) != Some(id)) {
            next = parents[at];
        }
        let Some(before) = next else {
            losses.note(LossCode::ReplyPiece, "its beginning isn't on its branch");
            continue;
        };
        let begun = found.begun[before].unwrap_or(before);
        let further = found.further.entry(begun).or_default();
        if further.last().copied().unwrap_or(begun) != before {
            losses.note(LossCode::ReplyPiece, "the reply goes on in two branches");
            continue;
        }
        further.push(entry);
        found.begun[entry] = Some(begun);
    }
    found.find_cuts(parents, losses);
    found
}

/// Entries that stand in the range that some compaction behind them keeps, compactions among them only.
fn kept_ranges(tree: &SessionTree, parents: &[Option<usize>]) -> Vec<usize> {
    let mut within = Vec::new();
    for (at, entry) in tree.entries.iter().enumerate() {
        let EntryKind::Compaction { first_kept: Some(first), .. } = &entry.kind else { continue };
        let mut range = Vec::new();
        let mut next = parents[at];
        while let Some(before) = next {
            if matches!(tree.entries[before].kind, EntryKind::Compaction { .. }) {
                range.push(before);
            }
            if tree.entries[before].id == *first {
                within.append(&mut range);
                break;
            }
            next = parents[before];
        }
    }
    within.sort_unstable();
    within.dedup();
    within
}

struct Planner<'p, 's> {
    tree: &'p SessionTree,
    index: TreeIndex,
    format: Option<Format>,
    source: &'p mut Source<'s>,
    losses: &'p mut Losses,
    kept_ranges: Vec<usize>,
    pieces: Pieces,
    /// Where the export has the messages of each entry, the entry's own message last.
    homes: Vec<Vec<Place>>,
    plan: Plan,
}

impl Planner<'_, '_> {
    /// An entry without a time has the one of the entry before it in the log.
    fn times(&mut self, begun_ms: i64) {
        let mut time = begun_ms;
        for entry in &self.tree.entries {
            match entry.time_ms {
                Some(own) => time = own,
                None => self.losses.note(LossCode::UnknownTime, "entry"),
            }
            self.plan.times.push(time);
        }
    }

    fn entry(&mut self, at: usize, parent: Option<usize>) -> io::Result<()> {
        let before = parent.and_then(|parent| self.plan.states[parent]);
        self.plan.parents[at] = before;
        self.plan.states[at] = before;
        if let Some(begun) = self.pieces.begun[at] {
            // It stands in the reply that it belongs to.
            self.homes[at] = self.homes[begun].clone();
            return Ok(());
        }
        let entry = &self.tree.entries[at];
        let raw = self.source.object(entry.bytes.clone())?;
        let drafts = self.drafts(at, entry, parent, raw.as_ref())?;
        if let (Some(Format::Pi), Some(raw), [draft, ..]) = (self.format, &raw, &drafts[..]) {
            note_lost_members(raw, draft, self.losses);
        }
        if !drafts.is_empty() {
            self.plan.states[at] = Some(Place { entry: at, draft: drafts.len() - 1 });
        }
        self.plan.drafts[at] = drafts;
        Ok(())
    }

    fn drafts(
        &mut self,
        at: usize,
        entry: &Entry,
        parent: Option<usize>,
        raw: Option<&Json<'static>>,
    ) -> io::Result<Vec<Draft>> {
        let own = Place { entry: at, draft: 0 };
        self.homes[at] = vec![own];
        let drafts = match &entry.kind {
            EntryKind::Message(_) => vec![self.message(at, raw)?],
            EntryKind::Injected { source, message } => vec![self.injected(at, source, message, raw)],
            EntryKind::UserShell { message, excluded } => vec![self.shell(at, message, *excluded, raw)],
            EntryKind::Compaction { messages, system, first_kept, tokens_before, usage } => {
                let parts = Compaction {
                    messages,
                    system: system.as_deref(),
                    first_kept: first_kept.as_ref(),
                    tokens_before: *tokens_before,
                    usage: usage.as_ref(),
                };
                self.compaction(at, &parts, raw)
            }
            EntryKind::BranchSummary { summary, usage } => {
                self.branch_summary(at, summary.as_ref(), usage.as_ref(), raw)
            }
            EntryKind::Replacement { .. } => self.replacement(at, parent, raw),
            EntryKind::ContextEdit { target, replacement } => {
                self.edit(at, target, replacement.as_deref(), raw)
            }
            EntryKind::ModelChange { provider, model } => {
                vec![draft("model_change", vec![("provider", string(provider)), ("modelId", string(model))])]
            }
            EntryKind::ThinkingChange { level } => {
                vec![draft("thinking_level_change", vec![("thinkingLevel", string(level))])]
            }
            EntryKind::Foreign { role } => {
                self.losses.note(LossCode::ForeignRole, role.clone());
                let message = object(vec![("role", string(role)), ("content", Json::Array(Vec::new()))]);
                vec![draft("message", vec![("message", message)])]
            }
            EntryKind::ExtraUsage(usage) => vec![self.extra_usage(usage, raw)],
            EntryKind::Other { name } => vec![self.other(name, raw)],
        };
        Ok(drafts)
    }

    fn context<'c>(&'c mut self, at: usize, raw: Option<&'c Json<'static>>) -> Context<'c> {
        Context { raw, time_ms: self.plan.times[at], losses: self.losses }
    }

    /// A message with all pieces of its reply.
    fn message(&mut self, at: usize, raw: Option<&Json<'static>>) -> io::Result<Draft> {
        let tree = self.tree;
        let EntryKind::Message(own) = &tree.entries[at].kind else { return Ok(draft("message", Vec::new())) };
        let further = self.pieces.further.get(&at).cloned().unwrap_or_default();
        if further.is_empty() {
            let json = message(own, &mut self.context(at, raw));
            return Ok(draft("message", vec![("message", json)]));
        }
        let mut whole = own.clone();
        let mut raws: Vec<Json<'static>> = raw.cloned().into_iter().collect();
        for piece in further {
            let entry = &tree.entries[piece];
            raws.extend(self.source.object(entry.bytes.clone())?);
            if let EntryKind::Message(piece) = &entry.kind {
                whole.blocks.extend_from_slice(&piece.blocks);
            }
        }
        let raws = Json::Array(raws);
        let json = message(&whole, &mut self.context(at, Some(&raws)));
        Ok(draft("message", vec![("message", json)]))
    }

    fn injected(&mut self, at: usize, source: &str, message: &Message, raw: Option<&Json<'static>>) -> Draft {
        let content = plain_content(&message.blocks, &mut self.context(at, raw));
        let members =
            vec![("customType", string(source)), ("content", content), ("display", Json::Bool(true))];
        draft("custom_message", members)
    }

    fn shell(&mut self, at: usize, message: &Message, excluded: bool, raw: Option<&Json<'static>>) -> Draft {
        let members = only_text(message).and_then(shell_members);
        let Some(mut members) = members else {
            self.losses.note(LossCode::ShellText, "text");
            if excluded {
                return self.place(CUSTOM, "shell");
            }
            return self.injected(at, &format!("{CUSTOM}.shell"), message, raw);
        };
        members.insert(0, ("role", string("bashExecution")));
        if excluded {
            members.push(("excludeFromContext", Json::Bool(true)));
        }
        members.push(("timestamp", Json::Number(self.plan.times[at].into())));
        draft("message", vec![("message", object(members))])
    }

    fn compaction(&mut self, at: usize, parts: &Compaction<'_>, raw: Option<&Json<'static>>) -> Vec<Draft> {
        let kept = parts.first_kept.and_then(|first| self.index.find(first));
        let words = match parts.messages {
            [message] => compaction_words(message),
            _ => None,
        };
        let joined = || parts.messages.iter().map(Message::text).collect::<Vec<_>>().join("\n\n");
        let summary = words.map_or_else(joined, str::to_owned);
        let mut members = vec![("summary", string(&summary))];
        let tokens = parts.tokens_before.unwrap_or_else(|| {
            self.losses.note(LossCode::UnknownTokensBefore, "compaction");
            0
        });
        members.push(("tokensBefore", count(tokens)));
        if let Some(usage) = parts.usage {
            members.push(("usage", usage_json(usage, self.losses)));
        }
        let unfolds = words.is_none() && kept.is_none() && self.kept_ranges.binary_search(&at).is_err();
        if let Some(system) = parts.system.filter(|_| !unfolds) {
            members.push(("systemMessage", message(system, &mut self.context(at, raw))));
        }
        let before_kept = kept.and_then(|kept| self.index.parent(kept));
        if before_kept.is_some_and(|before| self.pieces.is_cut[before]) {
            self.losses.note(LossCode::KeptRange, "begins within a reply");
        }
        let first = kept.map_or(Place { entry: at, draft: 0 }, |kept| self.first_place(kept));
        let references = vec![("firstKeptEntryId", first)];
        let compaction = Draft { kind: "compaction".to_owned(), members, references };
        if parts.messages.is_empty() && parts.system.is_none() {
            // Pi would say that there is a summary.
            self.homes[at] = Vec::new();
            return vec![compaction, edit(Place { entry: at, draft: 0 }, Json::Null)];
        }
        if !unfolds {
            if words.is_none() {
                self.losses.note(LossCode::CompactionText, "summary");
            }
            return vec![compaction];
        }
        self.losses.note(LossCode::CompactionUnfolded, "summary");
        self.unfolded(at, compaction, parts, raw)
    }

    /// Where an entry begins in the export.
    fn first_place(&self, entry: usize) -> Place {
        let draft = 0;
        match self.pieces.begun[entry] {
            Some(begun) => Place { entry: begun, draft },
            None => Place { entry, draft },
        }
    }

    /// A compaction that keeps nothing, taken out of the context again, and its messages behind it.
    fn unfolded(
        &mut self,
        at: usize,
        compaction: Draft,
        parts: &Compaction<'_>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let own = Place { entry: at, draft: 0 };
        let mut drafts = vec![compaction, edit(own, Json::Null)];
        for shown in parts.system.into_iter().chain(parts.messages) {
            drafts.push(match shown.role {
                Role::User => self.injected(at, &format!("{CUSTOM}.compaction"), shown, raw),
                _ => draft("message", vec![("message", message(shown, &mut self.context(at, raw)))]),
            });
        }
        self.homes[at] = (2..drafts.len()).map(|draft| Place { entry: at, draft }).collect();
        drafts
    }

    fn branch_summary(
        &mut self,
        at: usize,
        summary: Option<&Message>,
        usage: Option<&Usage>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let words = summary.map_or(Some(""), branch_words);
        let billed = usage.map(|usage| usage_json(usage, self.losses));
        let Some(words) = words else {
            self.losses.note(LossCode::BranchSummaryText, "summary");
            let mut drafts: Vec<Draft> =
                usage.map(|usage| self.extra_usage(usage, None)).into_iter().collect();
            self.homes[at] = vec![Place { entry: at, draft: drafts.len() }];
            drafts.extend(
                summary.map(|summary| self.injected(at, &format!("{CUSTOM}.branch_summary"), summary, raw)),
            );
            return drafts;
        };
        // The entry that was left isn't in the model.
        let mut members = vec![("fromId", string("root")), ("summary", string(words))];
        members.extend(billed.map(|usage| ("usage", usage)));
        vec![draft("branch_summary", members)]
    }

    /// What vanishes from the context at a replacement is taken out by edits; its message takes the place of one of
    /// them, where Pi can say that.
    fn replacement(&mut self, at: usize, parent: Option<usize>, raw: Option<&Json<'static>>) -> Vec<Draft> {
        let tree = self.tree;
        let before = parent.map(|parent| self.index.select(tree, parent)).unwrap_or_default();
        let after = self.index.select(tree, at);
        let stays = |item: &&SelectedMessage<'_>| after.messages.iter().any(|held| held.entry == item.entry);
        let mut gone: Vec<usize> =
            before.messages.iter().filter(|item| !stays(item)).map(|item| item.entry).collect();
        gone.dedup();
        self.losses.note(LossCode::ReplacementAsEdits, "range");
        let shown = tree.entries[at].kind.messages().next();
        let host = shown.and_then(|shown| gone.iter().copied().find(|gone| self.hosts(*gone, shown)));
        let mut drafts = Vec::new();
        let mut homes = Vec::new();
        for gone in gone {
            for home in self.homes[gone].clone() {
                let content = match shown {
                    Some(shown) if host == Some(gone) => {
                        homes = vec![home];
                        let content = edited_content(&shown.blocks, &mut self.context(at, raw));
                        object(vec![("content", content)])
                    }
                    _ => Json::Null,
                };
                drafts.push(edit(home, content));
            }
        }
        if let Some(shown) = shown.filter(|_| host.is_none()) {
            if !drafts.is_empty() {
                self.losses.note(LossCode::ReplacementMoved, shown.role.name());
            }
            homes = vec![Place { entry: at, draft: drafts.len() }];
            drafts.push(match shown.role {
                Role::User => self.injected(at, &format!("{CUSTOM}.replacement"), shown, raw),
                _ => draft("message", vec![("message", message(shown, &mut self.context(at, raw)))]),
            });
        }
        self.homes[at] = homes;
        drafts
    }

    /// Whether an edit of an entry's message can say another message: Pi replaces content, not roles or links.
    fn hosts(&self, entry: usize, shown: &Message) -> bool {
        if self.homes[entry].len() != 1 {
            return false;
        }
        let mut home = &self.tree.entries[self.homes[entry][0].entry].kind;
        if let EntryKind::Replacement { .. } = self.tree.entries[entry].kind {
            home = &self.tree.entries[entry].kind;
        }
        match home {
            EntryKind::Message(held) => {
                held.role == shown.role
                    && held.role != Role::System
                    && held.answers == shown.answers
                    && held.reply.is_none() == shown.reply.is_none()
            }
            EntryKind::Injected { .. } => shown.role == Role::User,
            EntryKind::Replacement { .. } => home
                .messages()
                .next()
                .is_some_and(|held| held.role == shown.role && held.answers == shown.answers),
            _ => false,
        }
    }

    fn edit(
        &mut self,
        at: usize,
        target: &EntryId,
        replacement: Option<&[engine::message::Block]>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let Some(target) = self.index.find(target) else {
            self.losses.note(LossCode::Edit, "its target is nowhere");
            return vec![self.place(CUSTOM, "context_edit")];
        };
        if self.pieces.begun[target].is_some() {
            self.losses.note(LossCode::Edit, "of a further piece of a reply");
            return vec![self.place(CUSTOM, "context_edit")];
        }
        let homes = match self.homes[target].is_empty() {
            // Planned later in the log: an edit of what comes behind it.
            true => vec![Place { entry: target, draft: 0 }],
            false => self.homes[target].clone(),
        };
        let further = self.pieces.further.get(&target).cloned().unwrap_or_default();
        if !further.is_empty() && replacement.is_none() {
            self.losses.note(LossCode::Edit, "takes out one piece of a reply");
        } else if replacement.is_none() {
            return homes.into_iter().map(|home| edit(home, Json::Null)).collect();
        }
        let kind = &self.tree.entries[target].kind;
        let changes = match kind {
            EntryKind::Message(message) => message.role != Role::System,
            EntryKind::Injected { .. } => true,
            _ => false,
        };
        if !changes {
            self.losses.note(LossCode::Edit, "of an entry whose content Pi's edits don't change");
        }
        let mut whole = replacement.unwrap_or_default().to_vec();
        for piece in further {
            if let EntryKind::Message(piece) = &self.tree.entries[piece].kind {
                whole.extend_from_slice(&piece.blocks);
            }
        }
        let content = edited_content(&whole, &mut self.context(at, raw));
        let Some(home) = homes.last() else { return Vec::new() };
        vec![edit(*home, object(vec![("content", content)]))]
    }

    fn extra_usage(&mut self, usage: &Usage, raw: Option<&Json<'static>>) -> Draft {
        let told = |name: &str, otherwise: &'static str| {
            let found = raw.filter(|_| self.format == Some(Format::Pi)).and_then(|raw| raw.str_at(name));
            string(found.unwrap_or(otherwise))
        };
        let members = vec![
            ("kind", told("kind", CUSTOM)),
            ("provider", told("provider", "")),
            ("model", told("model", "")),
            ("usage", usage_json(usage, self.losses)),
        ];
        draft("usage", members)
    }

    /// An entry that never reaches the model. Pi's own are taken from the log; of others the place stays.
    fn other(&mut self, name: &str, raw: Option<&Json<'static>>) -> Draft {
        if let Some(raw) = raw.filter(|_| self.format == Some(Format::Pi)) {
            let text = |member: &str| raw.str_at(member).map(string);
            match name {
                "session_info" => {
                    return draft(
                        "session_info",
                        text("name").map(|value| ("name", value)).into_iter().collect(),
                    );
                }
                "custom" => {
                    let mut members = vec![("customType", text("customType").unwrap_or_else(|| string("")))];
                    members.extend(raw.get("data").map(|data| ("data", data.clone())));
                    return draft("custom", members);
                }
                "label" => {
                    let target = raw.str_at("targetId").map(|id| EntryId(id.to_owned()));
                    if let Some(target) = target.and_then(|target| self.index.find(&target)) {
                        let members = text("label").map(|label| ("label", label)).into_iter().collect();
                        let references = vec![("targetId", self.first_place(target))];
                        return Draft { kind: "label".to_owned(), members, references };
                    }
                }
                _ => {}
            }
        }
        self.place(CUSTOM, name)
    }

    /// An entry that holds a place in the tree.
    fn place(&mut self, prefix: &str, what: &str) -> Draft {
        self.losses.note(LossCode::EntryContent, what);
        draft("custom", vec![("customType", string(&format!("{prefix}.{what}")))])
    }
}

/// Fields of a compaction.
struct Compaction<'c> {
    messages: &'c [Message],
    system: Option<&'c Message>,
    first_kept: Option<&'c EntryId>,
    tokens_before: Option<u64>,
    usage: Option<&'c Usage>,
}

fn draft(kind: &str, members: Members) -> Draft {
    Draft { kind: kind.to_owned(), members, references: Vec::new() }
}

fn edit(target: Place, replacement: Json<'static>) -> Draft {
    Draft {
        kind: "context_edit".to_owned(),
        members: vec![("replacement", replacement)],
        references: vec![("targetId", target)],
    }
}

/// Notes members of a Pi entry that its export lacks.
fn note_lost_members(raw: &Json<'_>, draft: &Draft, losses: &mut Losses) {
    const WRITTEN: [&str; 6] =
        ["type", "id", "parentId", "timestamp", "firstKeptEntryIndex", "firstKeptEntryId"];
    if raw.str_at("type") != Some(&draft.kind) {
        return;
    }
    let Some(members) = raw.as_object() else { return };
    for (name, value) in members {
        let written = draft.members.iter().find(|(written, _)| written == name).map(|(_, value)| value);
        let referred = draft.references.iter().any(|(written, _)| written == name);
        if !referred && !WRITTEN.contains(&name.as_ref()) {
            compare(&format!("{}.{name}", draft.kind), value, written, losses);
        }
    }
}

fn compare(place: &str, raw: &Json<'_>, written: Option<&Json<'static>>, losses: &mut Losses) {
    match (raw, written) {
        (Json::Null, _) => {}
        (_, None) => losses.note(LossCode::Member, place),
        // What a tool was asked and what it declares are kept as they are, their own members with them.
        _ if place.ends_with(".arguments") || place.ends_with(".toolsAdded") => {}
        // Its parts have a code of their own.
        _ if place.ends_with(".cost") => {}
        (Json::Object(members), Some(written)) => {
            let place = match raw.str_at("role") {
                Some(role) => format!("{place}.{role}"),
                None => place.to_owned(),
            };
            for (name, value) in members {
                compare(&format!("{place}.{name}"), value, written.get(name), losses);
            }
        }
        (Json::Array(items), Some(Json::Array(written))) if items.len() == written.len() => {
            for (item, written) in items.iter().zip(written) {
                compare(place, item, Some(written), losses);
            }
        }
        _ => {}
    }
}
