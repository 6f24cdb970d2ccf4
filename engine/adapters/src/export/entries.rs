//! Entries of the model as entries of Pi: none, one or several for each.

use std::io;

use engine::message::{Json, Message, Usage};
use engine::session::{Entry, EntryId, EntryKind, SessionTree, TreeIndex};

use super::compaction::{Compaction, kept_ranges};
use super::content::{Context, Members, message, object, plain_content, string, usage_json};
use super::loss::{LossCode, Losses};
use super::lost_members::note_lost_members;
use super::pieces::{Pieces, parents_first, pieces};
use super::source::Source;
use super::wrapped::{branch_words, only_text, shell_members};
use crate::log::Format;
use crate::log::links::closing_entries;

/// Names of what an export adds: custom types under which Pi keeps what it has no entry for.
pub(super) const CUSTOM: &str = "sluice";

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

/// The plan in the making.
pub(super) struct Planner<'p, 's> {
    pub(super) tree: &'p SessionTree,
    pub(super) index: TreeIndex,
    pub(super) format: Option<Format>,
    pub(super) source: &'p mut Source<'s>,
    pub(super) losses: &'p mut Losses,
    pub(super) kept_ranges: Vec<usize>,
    pub(super) pieces: Pieces,
    /// Where the export has the messages of each entry, the entry's own message last.
    pub(super) homes: Vec<Vec<Place>>,
    pub(super) plan: Plan,
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

    /// Where an entry begins in the export.
    pub(super) fn first_place(&self, entry: usize) -> Place {
        let draft = 0;
        match self.pieces.begun[entry] {
            Some(begun) => Place { entry: begun, draft },
            None => Place { entry, draft },
        }
    }

    pub(super) fn context<'c>(&'c mut self, at: usize, raw: Option<&'c Json<'static>>) -> Context<'c> {
        Context { raw, time_ms: self.plan.times[at], losses: self.losses }
    }

    /// A message with all pieces of its reply.
    fn message(&mut self, at: usize, raw: Option<&Json<'static>>) -> io::Result<Draft> {
        let tree = self.tree;
        let EntryKind::Message(own) = &tree.entries[at].kind else { return Ok(draft("message", Vec::new())) };
        let further = self.pieces.further.get(&at).cloned().unwrap_or_default();
        if further.is_empty() {
            let mut json = message(own, &mut self.context(at, raw));
            if let (Some(Format::Pi), Some(raw), Json::Object(members)) = (self.format, raw, &mut json) {
                members.extend(tool_usage(raw).map(|usage| ("usage".into(), usage.clone())));
            }
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

    pub(super) fn injected(
        &mut self,
        at: usize,
        source: &str,
        message: &Message,
        raw: Option<&Json<'static>>,
    ) -> Draft {
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
                    let target = raw.str_at("targetId").map(|id| EntryId(id.into()));
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
    pub(super) fn place(&mut self, prefix: &str, what: &str) -> Draft {
        self.losses.note(LossCode::EntryContent, what);
        draft("custom", vec![("customType", string(&format!("{prefix}.{what}")))])
    }
}

/// What Pi's log tells that a tool's own model work was billed: beside the messages, so the model of them doesn't hold it.
fn tool_usage<'j>(raw: &'j Json<'static>) -> Option<&'j Json<'static>> {
    let message = raw.get("message").filter(|message| message.str_at("role") == Some("toolResult"))?;
    message.get("usage").filter(|usage| usage.as_object().is_some())
}

pub(super) fn draft(kind: &str, members: Members) -> Draft {
    Draft { kind: kind.to_owned(), members, references: Vec::new() }
}

pub(super) fn edit(target: Place, replacement: Json<'static>) -> Draft {
    Draft {
        kind: "context_edit".to_owned(),
        members: vec![("replacement", replacement)],
        references: vec![("targetId", target)],
    }
}
