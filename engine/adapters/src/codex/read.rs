//! Objects of a rollout to entries.

use engine::message::{Block, Json, Message, Role, Usage};
use engine::session::{Entry, EntryId, EntryKind, SessionTree};

use super::event::{FIGURES, INTERFACE_EVENTS, UNCOUNTED, outcome, unknown};
use super::item::{Item, Items, Note};
use super::request::{Traced, report_copies, requests};
use super::thread::Threads;
use super::usage::{Change, Totals};
use super::view::{Linked, Record, Step, has_lone_prompts, link};
use crate::log::dialect::{Dialect, Object, Reading, Report};
use crate::log::frame::Framed;
use crate::log::suspect::tells_usage;
use crate::log::time::{iso_ms, shaped_ms};
use crate::log::{Content, FaultCode, Header, ReadError, Salvaged, Version};

/// The rules of Codex's rollouts.
pub(crate) struct CodexDialect {
    content: Content,
    items: Items,
    threads: Threads,
    totals: Totals,
    header: Option<Header>,
    /// Whether Codex itself finds a header.
    agent_has_header: bool,
    /// Whether the header has no envelope: the Codex of its time read such lines.
    bare: bool,
    instructions: Option<Message>,
    records: Vec<Record>,
    requests: Vec<Option<Traced>>,
    /// Compactions: place among the records, and the identifier of the reply that made the summary.
    compactions: Vec<(usize, Option<String>)>,
    effort: String,
    ordinal: Option<u64>,
    time_ms: Option<i64>,
}

impl CodexDialect {
    /// The start of a log.
    pub(crate) fn new(content: Content) -> CodexDialect {
        CodexDialect {
            content,
            items: Items::new(content),
            threads: Threads::default(),
            totals: Totals::default(),
            header: None,
            agent_has_header: false,
            bare: false,
            instructions: None,
            records: Vec::new(),
            requests: Vec::new(),
            compactions: Vec::new(),
            effort: String::new(),
            ordinal: None,
            time_ms: None,
        }
    }
}

impl Dialect for CodexDialect {
    fn object(&mut self, object: &Object<'_>, report: &mut Report) -> Result<(), ReadError> {
        let json = object.json;
        if json.as_object().is_none() {
            report.warn(object.line, FaultCode::NotAnEntry, "JSON, but no object: ignored");
            return Ok(());
        }
        let time_ms = self.time(object, report);
        self.check_ordinal(object, report);
        let kind = json.str_at("type").unwrap_or("");
        let (kind, step) = match json.get("payload") {
            _ if object.outline_only => (other(kind), Step::Still),
            Some(payload) => self.enveloped(kind, payload, object, time_ms, report),
            None => self.bare(json, object, report),
        };
        self.say(object.line, report);
        self.push(object, object.place_id(), time_ms, kind, step);
        if let Some(effort) = self.changed_effort(json) {
            let id = format!("{}/effort", object.place_id());
            self.push(object, id, time_ms, EntryKind::ThinkingChange { level: effort }, Step::Still);
        }
        Ok(())
    }

    /// Codex reads a line as it is or not at all.
    fn agent_reads(&self, framed: &Framed<'_>) -> bool {
        framed.agent_reads && framed.faults.is_empty()
    }

    fn finish(self: Box<Self>, report: &mut Report) -> Result<Reading, ReadError> {
        let mut this = *self;
        this.check_header(report);
        this.check_compactions(report);
        let refused = !this.agent_has_header;
        let session_id = this.header.as_ref().map_or(String::new(), |header| header.id.clone());
        let cwd = this.header.as_ref().and_then(|header| header.cwd.clone());
        let tree =
            |entries| SessionTree { session_id: session_id.clone(), cwd: cwd.clone(), leaf: None, entries };
        let records = std::mem::take(&mut this.records);
        let instructions = this.instructions.as_ref();
        let partly = refused || records.iter().any(|record| !record.agent_reads);
        let agent = (partly || has_lone_prompts(&records)).then(|| {
            let read = records.iter().filter(|record| record.agent_reads && !refused).cloned().collect();
            link(read, instructions, false).entries
        });
        let salvaged = link(records, instructions, true);
        this.report_links(&salvaged, report);
        let requests = requests(std::mem::take(&mut this.requests), &salvaged, refused);
        report_copies(&requests, &this.threads, report);
        let salvaged = tree(salvaged.entries);
        crate::log::links::warn_results(&salvaged.entries, report);
        let (tree, salvaged) = match agent.map(tree) {
            Some(agent) => {
                let salvaged = Salvaged::of(&agent, salvaged);
                (agent, salvaged)
            }
            None => (salvaged, None),
        };
        let stated = this.totals.stated();
        Ok(Reading { header: this.header, tree, salvaged, requests, stated })
    }
}

impl CodexDialect {
    fn push(&mut self, object: &Object<'_>, id: String, time_ms: Option<i64>, kind: EntryKind, step: Step) {
        let entry = Entry {
            id: EntryId(id.into()),
            parent: None,
            line: object.line,
            bytes: object.bytes.clone(),
            time_ms,
            kind,
        };
        let (agent_reads, inherited) = (self.reads(object), self.threads.inherited());
        self.records.push(Record { entry, agent_reads, inherited, step });
    }

    /// Whether Codex gets at an object: it must parse, and have the envelope that the header has.
    fn reads(&self, object: &Object<'_>) -> bool {
        object.agent_reads && (self.bare || object.outline_only || object.json.get("payload").is_some())
    }

    fn time(&mut self, object: &Object<'_>, report: &mut Report) -> Option<i64> {
        let told = object.json.get("timestamp").or(object.json.get("created_at"))?;
        let Some(time_ms) = shaped_ms(told) else {
            report.warn(
                object.line,
                FaultCode::BadTime,
                "a time in no form that is known: treated as absent",
            );
            return None;
        };
        // Copied lines may keep the times they had, and events are stamped by another hand than items.
        if !self.threads.inherited() && object.json.str_at("type") != Some("event_msg") {
            if self.time_ms.is_some_and(|before| time_ms < before) {
                report.warn(object.line, FaultCode::ClockSkew, "the time is before that of an earlier line");
            }
            self.time_ms = self.time_ms.max(Some(time_ms));
        }
        Some(time_ms)
    }

    fn check_ordinal(&mut self, object: &Object<'_>, report: &mut Report) {
        let Some(ordinal) = object.json.get("ordinal").and_then(Json::as_count) else { return };
        if let Some(before) = self.ordinal.replace(ordinal)
            && before.checked_add(1) != Some(ordinal)
        {
            let message = format!("ordinal {ordinal} behind ordinal {before}: the order of lines counts");
            report.warn(object.line, FaultCode::OrdinalGap, message);
        }
    }

    fn enveloped(
        &mut self,
        name: &str,
        payload: &Json<'_>,
        object: &Object<'_>,
        time_ms: Option<i64>,
        report: &mut Report,
    ) -> (EntryKind, Step) {
        match name {
            "session_meta" => (self.meta(payload, object, report), Step::Input),
            "turn_context" => {
                self.threads.turn(payload.str_at("turn_id"), time_ms);
                (self.model(payload), Step::Still)
            }
            "response_item" => self.item(payload, name),
            "event_msg" => self.event(payload, object, time_ms, report),
            "compacted" => self.compaction(payload, object),
            "token_usage_record" => {
                let change = self.totals.record(payload, object.line, report);
                (other(name), self.change(change, object))
            }
            "world_state" | "inter_agent_communication_metadata" | "inter_agent_communication" => {
                (other(name), Step::Still)
            }
            _ => {
                unknown("type of line", name, payload, object.line, report);
                (other(name), Step::Still)
            }
        }
    }

    /// A line of the time before the envelope: the header, a state record, or an item.
    fn bare(&mut self, json: &Json<'_>, object: &Object<'_>, report: &mut Report) -> (EntryKind, Step) {
        let is_header = json.get("type").is_none()
            && json.get("role").is_none()
            && json.str_at("id").is_some()
            && json.str_at("timestamp").is_some();
        if is_header {
            self.bare |= self.header.is_none();
            return (self.meta(json, object, report), Step::Input);
        }
        match json.str_at("record_type") {
            Some(name) => (other(name), Step::Still),
            None => {
                let item = self.item(json, json.str_at("type").unwrap_or("message"));
                if matches!(item.0, EntryKind::Other { .. }) && tells_usage(json, &FIGURES) {
                    report.warn(object.line, FaultCode::UnknownShape, UNCOUNTED);
                }
                item
            }
        }
    }

    fn item(&mut self, item: &Json<'_>, line_type: &str) -> (EntryKind, Step) {
        let name = || item.str_at("type").unwrap_or(line_type);
        match self.items.item(item) {
            Item::Piece(message) => (EntryKind::Message(message), Step::Piece),
            Item::User(message) => (EntryKind::Message(message), Step::User),
            Item::System(message) | Item::Result(message) => (EntryKind::Message(message), Step::Input),
            Item::Agent(message) => {
                (EntryKind::Injected { source: "agent_message".to_owned(), message }, Step::Input)
            }
            Item::Foreign(role) => (EntryKind::Foreign { role }, Step::Input),
            Item::Unsent | Item::Unknown => (other(name()), Step::Still),
        }
    }

    /// The first header is the file's own; those behind it came with the history of another thread.
    fn meta(&mut self, meta: &Json<'_>, object: &Object<'_>, report: &mut Report) -> EntryKind {
        let Some(id) = meta.str_at("id").or(meta.str_at("session_id")) else {
            report.warn(object.line, FaultCode::MissingId, "a header without identifier: ignored");
            return other("session_meta");
        };
        self.agent_has_header |= self.reads(object);
        let time = meta.str_at("timestamp");
        if self.header.is_some() {
            match self.threads.expects(id) {
                true => self.threads.add(id, time),
                false => {
                    let message = "a header of another session behind this one's own turns: ignored";
                    report.warn(object.line, FaultCode::ExtraHeader, message);
                }
            }
            return other("session_meta");
        }
        let spawned = meta
            .get("source")
            .and_then(|source| source.get("subagent"))
            .and_then(|agent| agent.get("thread_spawn"));
        let parent = meta
            .str_at("forked_from_id")
            .or(meta.str_at("parent_thread_id"))
            .or(spawned.and_then(|spawn| spawn.str_at("parent_thread_id")));
        self.threads.add(id, time);
        if let Some(parent) = parent.filter(|parent| *parent != id) {
            self.threads.add(parent, None);
        }
        self.header = Some(Header {
            version: meta.str_at("cli_version").map(|release| Version::Release(release.to_owned())),
            id: id.to_owned(),
            cwd: meta.str_at("cwd").map(str::to_owned),
            time_ms: time.and_then(iso_ms),
            parent_session: parent.map(str::to_owned),
        });
        self.items.provider = meta.str_at("model_provider").unwrap_or("").to_owned();
        self.instructions = self.items.instructions(meta);
        self.instructions.clone().map_or_else(|| other("session_meta"), EntryKind::Message)
    }

    fn model(&mut self, context: &Json<'_>) -> EntryKind {
        let model = context.str_at("model").filter(|model| *model != self.items.model);
        let Some(model) = model else { return other("turn_context") };
        self.items.model = model.to_owned();
        EntryKind::ModelChange { provider: self.items.provider.clone(), model: model.to_owned() }
    }

    /// How hard the model is to think, where a turn changes it.
    fn changed_effort(&mut self, json: &Json<'_>) -> Option<String> {
        let context = json.get("payload").filter(|_| json.str_at("type") == Some("turn_context"))?;
        let effort = context.str_at("effort").or(context.str_at("reasoning_effort"))?;
        (effort != self.effort).then(|| {
            self.effort = effort.to_owned();
            effort.to_owned()
        })
    }

    fn event(
        &mut self,
        event: &Json<'_>,
        object: &Object<'_>,
        time_ms: Option<i64>,
        report: &mut Report,
    ) -> (EntryKind, Step) {
        let name = event.str_at("type").unwrap_or("");
        let step = match name {
            "user_message" => self.prompt(event),
            "token_count" => {
                let place = (object.line, self.threads.is_copy());
                let change = self.totals.count(event, place, report);
                self.change(change, object)
            }
            "task_started" => {
                self.threads.turn(event.str_at("turn_id"), time_ms);
                Step::TurnEdge
            }
            "turn_aborted" => Step::TurnEdge,
            "thread_rolled_back" => {
                let turns = match event.get("num_turns") {
                    Some(Json::Number(number)) => {
                        number.as_u64().filter(|turns| u32::try_from(*turns).is_ok())
                    }
                    _ => None,
                };
                // Codex doesn't read such an event either.
                Step::RollBack(turns.unwrap_or_else(|| {
                    let message = "a rollback of no number of turns: nothing is taken back";
                    report.warn(object.line, FaultCode::UnknownShape, message);
                    0
                }))
            }
            _ if INTERFACE_EVENTS.contains(&name) => Step::Still,
            _ => outcome(name, event).unwrap_or_else(|| {
                unknown("type of event", name, event, object.line, report);
                Step::Still
            }),
        };
        (EntryKind::Other { name: format!("event_msg/{name}") }, step)
    }

    fn prompt(&self, event: &Json<'_>) -> Step {
        let text = event.str_at("message").unwrap_or("");
        let blocks = match self.content {
            Content::Full if !text.is_empty() => vec![Block::Text(text.to_owned())],
            _ => Vec::new(),
        };
        Step::Prompt(Box::new(Message { role: Role::User, blocks, answers: None, reply: None }))
    }

    fn compaction(&mut self, compacted: &Json<'_>, object: &Object<'_>) -> (EntryKind, Step) {
        let response_id = compacted.str_at("compaction_response_id").map(str::to_owned);
        let recorded = response_id.as_deref().and_then(|id| self.totals.summary(id));
        if let Some((request, _)) = recorded {
            self.requests[request] = None;
        }
        self.compactions.push((self.records.len(), response_id.filter(|_| recorded.is_none())));
        let (messages, step) = match compacted.get("replacement_history").and_then(Json::as_array) {
            Some(history) => (self.history(history, object), Step::Compacted),
            None => {
                let summary = match compacted.str_at("message").unwrap_or("") {
                    // What Codex sends where there is none.
                    "" => "(no summary available)",
                    summary => summary,
                };
                let mut message = Message::from_text(Role::User, summary);
                if self.content == Content::Outline {
                    message.blocks.clear();
                }
                (vec![message], Step::Summarised)
            }
        };
        let usage = recorded.map(|(_, usage)| usage);
        let kind =
            EntryKind::Compaction { messages, system: None, first_kept: None, tokens_before: None, usage };
        (kind, step)
    }

    /// Messages of a history within a line.
    fn history(&mut self, history: &[Json<'_>], object: &Object<'_>) -> Vec<Message> {
        let mut messages = Vec::<Message>::new();
        let mut reply: Option<String> = None;
        for (at, item) in history.iter().enumerate() {
            let mut message = match self.items.item(item) {
                Item::Piece(message)
                | Item::User(message)
                | Item::System(message)
                | Item::Agent(message)
                | Item::Result(message) => message,
                Item::Foreign(_) | Item::Unsent | Item::Unknown => continue,
            };
            match &mut message.reply {
                Some(piece) => {
                    piece.continues = reply.is_some();
                    let id = reply.get_or_insert_with(|| format!("{}/{at}", object.place_id()));
                    piece.response_id = Some(id.clone());
                }
                None => reply = None,
            }
            messages.push(message);
        }
        messages
    }

    fn change(&mut self, change: Option<Change>, object: &Object<'_>) -> Step {
        match change {
            None => Step::Still,
            Some(Change::New(told)) => {
                let usage = told.usage;
                self.requests.push(Some(Traced {
                    told,
                    line: object.line,
                    thread: self.threads.owner().map_or(String::new(), |thread| thread.id.clone()),
                    model: self.items.model.clone(),
                    agent_reads: self.reads(object),
                    inherited: self.threads.inherited(),
                }));
                Step::Request(self.requests.len() - 1, usage)
            }
            Some(Change::Again { request, usage, key }) => {
                if let Some(earlier) = &mut self.requests[request] {
                    earlier.told.usage = usage.or(earlier.told.usage);
                    earlier.told.key = key.unwrap_or_else(|| earlier.told.key.clone());
                }
                Step::Still
            }
            Some(Change::Compaction { response_id, usage }) => {
                self.bill_compaction(&response_id, usage);
                Step::Still
            }
        }
    }

    /// A record that tells what a compaction before it was billed.
    fn bill_compaction(&mut self, response_id: &str, billed: Usage) {
        let made = |compaction: &&mut (usize, Option<String>)| compaction.1.as_deref() == Some(response_id);
        let Some((at, open)) = self.compactions.iter_mut().find(made) else { return };
        *open = None;
        if let EntryKind::Compaction { usage, .. } = &mut self.records[*at].entry.kind {
            *usage = Some(billed);
        }
    }

    /// Counts and reports what a conversion couldn't keep.
    fn say(&mut self, line: u64, report: &mut Report) {
        for note in self.items.notes.drain(..) {
            match note {
                Note::ItemType(name) => {
                    report.lose(format!("item type `{name}`: kept in the tree, not interpreted"));
                }
                Note::BlockType(name) => report.lose(format!("content block `{name}`: left out")),
                Note::EmptyImage => report.lose("image without data: left out"),
                Note::BadArguments => {
                    let message = "arguments of a call that aren't JSON: kept as text";
                    report.warn(line, FaultCode::BadArguments, message);
                }
                Note::Shape(what) => {
                    report.warn(line, FaultCode::UnknownShape, format!("{what}: not interpreted"))
                }
            }
        }
    }

    fn check_header(&self, report: &mut Report) {
        if self.agent_has_header {
            return;
        }
        let message = match self.header.is_some() {
            true => "the agent can't read the header and refuses the file: salvaged",
            false => "no header: the agent refuses the file, salvaged without one",
        };
        report.warn(1, FaultCode::MissingHeader, message);
    }

    fn check_compactions(&self, report: &mut Report) {
        if !self.totals.are_told() {
            return;
        }
        for (at, _) in &self.compactions {
            let entry = &self.records[*at].entry;
            if let EntryKind::Compaction { usage: None, .. } = entry.kind {
                let message = "the totals leave out what this compaction cost: they are a lower bound";
                report.warn(entry.line, FaultCode::UsageLowerBound, message);
            }
        }
    }

    fn report_links(&self, linked: &Linked, report: &mut Report) {
        for _ in 0..linked.lone_prompts {
            report.lose("prompt that only an event holds: in the salvaged view alone");
        }
        for _ in 0..linked.cut_prompts {
            report.lose("prompt that was cut to fit beside a summary: left out of what the compaction keeps");
        }
    }
}

fn other(name: &str) -> EntryKind {
    EntryKind::Other { name: name.to_owned() }
}
