//! Events of a log to entries.

use std::collections::HashMap;

use engine::message::{Json, Message, Usage};
use engine::session::{Entry, EntryId, EntryKind, SessionTree};

use super::event::Kind;
use super::message::{Converter, Note};
use super::order::Order;
use super::surface::{Op, Surface, check_sources};
use crate::log::dialect::{Dialect, Object, Reading, Report};
use crate::log::links::warn_results;
use crate::log::time::number_ms;
use crate::log::{Content, FaultCode, Header, Purpose, ReadError, Request, Salvaged, Version};

/// The version of the format that this reader knows.
const VERSION: u64 = 0;

/// The rules of DeepSeek Harness's logs.
pub(crate) struct DshDialect {
    converter: Converter,
    header: Option<Header>,
    /// Events copied from another session, by the header's account.
    seed_length: Option<u64>,
    /// Number of the last event that ends a seed.
    last_seed: Option<u64>,
    surface: Surface,
    order: Order,
    /// Number that the next event must have.
    next_seq: u64,
    /// Whether the harness refuses the log.
    refused: bool,
    entries: Vec<Entry>,
    /// Entry of each event.
    by_seq: HashMap<u64, EntryId>,
    /// Entry that holds the place of the system prompt.
    system: Option<EntryId>,
    /// Name of each call.
    tools: HashMap<String, String>,
    /// Requests with the numbers of their events.
    requests: Vec<(u64, Request)>,
    /// Billed tokens that the stream of the open step's reply told.
    streamed: Option<Usage>,
}

impl DshDialect {
    /// The start of a log.
    pub(crate) fn new(content: Content) -> DshDialect {
        DshDialect {
            converter: Converter::new(content),
            header: None,
            seed_length: None,
            last_seed: None,
            surface: Surface::default(),
            order: Order::default(),
            next_seq: 0,
            refused: false,
            entries: Vec::new(),
            by_seq: HashMap::new(),
            system: None,
            tools: HashMap::new(),
            requests: Vec::new(),
            streamed: None,
        }
    }
}

impl Dialect for DshDialect {
    fn object(&mut self, object: &Object<'_>, report: &mut Report) -> Result<(), ReadError> {
        let json = object.json;
        self.refused |= !object.agent_reads;
        if json.as_object().is_none() {
            self.refuse(object.line, FaultCode::NotAnEntry, "JSON, but no object: ignored", report);
            return Ok(());
        }
        let kind = match json.str_at("type").unwrap_or("") {
            "session" => self.take_header(object, report),
            name => self.event(name, object, report),
        };
        self.say(object.line, report);
        let time_ms = json.get("time").or(json.get("createdAt")).and_then(number_ms);
        self.entries.push(Entry {
            id: EntryId(object.place_id().into()),
            parent: self.entries.last().map(|entry| entry.id.clone()),
            line: object.line,
            bytes: object.bytes.clone(),
            time_ms,
            kind,
        });
        Ok(())
    }

    fn finish(self: Box<Self>, report: &mut Report) -> Result<Reading, ReadError> {
        let mut this = *self;
        if this.header.is_none() {
            this.refuse(
                1,
                FaultCode::MissingHeader,
                "no header: the agent refuses the file, salvaged without one",
                report,
            );
        }
        warn_results(&this.entries, report);
        let requests = this.requests(report);
        let session_id = this.header.as_ref().map_or(String::new(), |header| header.id.clone());
        let cwd = this.header.as_ref().and_then(|header| header.cwd.clone());
        let tree = SessionTree { session_id, cwd, leaf: None, entries: this.entries };
        let (tree, salvaged) = match this.refused && !tree.entries.is_empty() {
            true => {
                let refused = SessionTree {
                    session_id: tree.session_id.clone(),
                    cwd: tree.cwd.clone(),
                    ..SessionTree::default()
                };
                let salvaged = Salvaged::of(&refused, tree);
                (refused, salvaged)
            }
            false => (tree, None),
        };
        Ok(Reading { header: this.header, tree, salvaged, requests, stated: None })
    }
}

impl DshDialect {
    /// Notes why the harness refuses the log.
    fn refuse(&mut self, line: u64, code: FaultCode, message: impl Into<String>, report: &mut Report) {
        self.refused = true;
        report.warn(line, code, message);
    }

    fn take_header(&mut self, object: &Object<'_>, report: &mut Report) -> EntryKind {
        let json = object.json;
        let kind = EntryKind::Other { name: "session".to_owned() };
        if self.header.is_some() || !self.entries.is_empty() {
            self.refuse(
                object.line,
                FaultCode::ExtraHeader,
                "a header behind the first line: ignored",
                report,
            );
            return kind;
        }
        let version = json.get("version").and_then(Json::as_count);
        match version {
            Some(VERSION) => {}
            Some(later) => {
                let message = format!(
                    "version {later}: the agent refuses it until upgraded, read as version {VERSION}"
                );
                self.refuse(object.line, FaultCode::NewerVersion, message, report);
            }
            None => {
                let message = format!("no version: the agent refuses the file, read as version {VERSION}");
                self.refuse(object.line, FaultCode::MissingVersion, message, report);
            }
        }
        let Some(id) = json.str_at("id") else {
            self.refuse(
                object.line,
                FaultCode::MissingId,
                "a header without identifier: the agent refuses the file",
                report,
            );
            return kind;
        };
        self.seed_length = json.get("seedLength").and_then(Json::as_count);
        self.header = Some(Header {
            version: version.map(Version::Number),
            id: id.to_owned(),
            cwd: json.str_at("cwd").map(str::to_owned),
            time_ms: json.get("createdAt").and_then(number_ms),
            parent_session: json.str_at("parentSession").map(str::to_owned),
        });
        self.system = Some(EntryId(object.place_id().into()));
        kind
    }

    fn event(&mut self, name: &str, object: &Object<'_>, report: &mut Report) -> EntryKind {
        let json = object.json;
        let seq = self.number(object, report);
        let kind = Kind::of(name);
        let ignorable = json.get("ignorable").is_some_and(Json::is_true);
        if kind == Kind::Unknown {
            report.lose(format!("event type `{name}`: kept in the tree, not interpreted"));
            if !ignorable {
                let message =
                    "a type of event that the harness doesn't know and may not ignore: it refuses the log";
                self.refuse(object.line, FaultCode::UnknownShape, message, report);
            }
        }
        if object.outline_only {
            self.by_seq.insert(seq, EntryId(object.place_id().into()));
            return EntryKind::Other { name: name.to_owned() };
        }
        let replaced = self.fold(seq, kind, object, report);
        let data = json.get("data").unwrap_or(&Json::Null);
        if let Err(message) = self.order.take(name, data, replaced) {
            self.refuse(
                object.line,
                FaultCode::BrokenOrder,
                format!("{message}: the harness refuses the log"),
                report,
            );
        }
        if kind.is_surface() && data.as_object().is_none() {
            self.converter.notes.push(Note::Shape("an event without data"));
        }
        let range = replaced.map(|(start, end)| [start, end].map(|seq| self.entry_of(seq)));
        let entry = self.kind(name, kind, data, (seq, object, range));
        self.by_seq.insert(seq, EntryId(object.place_id().into()));
        entry
    }

    /// The event's number; where it has none or another than it must have, the order of lines counts.
    fn number(&mut self, object: &Object<'_>, report: &mut Report) -> u64 {
        let expected = self.next_seq;
        let seq = object.json.get("seq").and_then(Json::as_count);
        if seq != Some(expected) {
            let message = match seq {
                Some(seq) => {
                    format!("event {seq} where event {expected} must stand: the harness refuses the log")
                }
                None => format!(
                    "an event without number where event {expected} must stand: the harness refuses the log"
                ),
            };
            self.refuse(object.line, FaultCode::OrdinalGap, message, report);
        }
        let seq = seq.unwrap_or(expected);
        self.next_seq = seq.saturating_add(1);
        seq
    }

    /// Folds an event into the surface. Returns the range it replaces, as the log names it.
    fn fold(&mut self, seq: u64, kind: Kind, object: &Object<'_>, report: &mut Report) -> Option<(u64, u64)> {
        let json = object.json;
        if !kind.is_surface() {
            if json.get("surfaceOp").is_some() || json.get("sourceEventSeqs").is_some() {
                let message = "an event that the model never sees, with a place among those it sees: the harness refuses the log";
                self.refuse(object.line, FaultCode::BrokenOrder, message, report);
            }
            return None;
        }
        let Some(op) = Op::of(json) else {
            let message = "an event that doesn't say how it enters the surface: the harness refuses the log, salvaged at the end";
            self.refuse(object.line, FaultCode::BrokenOrder, message, report);
            return None;
        };
        let folded = self.surface.take(seq, kind, op);
        let checked = folded.and_then(|shadowed| check_sources(json, (seq, kind), &shadowed));
        if let Err(message) = checked {
            self.refuse(
                object.line,
                FaultCode::BrokenOrder,
                format!("{message}: the harness refuses the log"),
                report,
            );
        }
        match op {
            Op::Append => None,
            Op::Replace { start, end } => Some((start, end)),
        }
    }

    fn entry_of(&self, seq: u64) -> EntryId {
        self.by_seq.get(&seq).cloned().unwrap_or_else(|| EntryId(format!("seq:{seq}").into()))
    }

    fn kind(
        &mut self,
        name: &str,
        kind: Kind,
        data: &Json<'_>,
        (seq, object, range): (u64, &Object<'_>, Option<[EntryId; 2]>),
    ) -> EntryKind {
        match kind {
            Kind::User => {
                let message = self.converter.user(data);
                let source = data.get("source").unwrap_or(&Json::Null);
                match (range, source.str_at("kind")) {
                    (Some(range), _) => replacement(range, Some(message)),
                    (None, Some("user")) => EntryKind::Message(message),
                    (None, kind) => EntryKind::Injected {
                        source: source.str_at("plugin").or(kind).unwrap_or("").to_owned(),
                        message,
                    },
                }
            }
            Kind::Assistant => self.assistant(name, data, (seq, object, range)),
            Kind::Result => {
                let mut message = self.converter.result(data);
                if let Some(answer) = &mut message.answers {
                    answer.tool = self.tools.get(&answer.call_id).cloned().unwrap_or_default();
                }
                placed(range, message)
            }
            Kind::LogOnly | Kind::Unknown => self.log_only(name, data, seq, object),
        }
    }

    /// A reply that enters at the end is a request; one that takes the place of something rewrites what was said.
    fn assistant(
        &mut self,
        name: &str,
        data: &Json<'_>,
        (seq, object, range): (u64, &Object<'_>, Option<[EntryId; 2]>),
    ) -> EntryKind {
        let message = self.converter.assistant(data);
        if let Some(message) = &message {
            self.tools.extend(message.calls().map(|(id, name)| (id.to_owned(), name.to_owned())));
        }
        let Some(range) = range else {
            let reply = match message.as_ref().and_then(|message| message.reply.clone()) {
                Some(reply) => *reply,
                None => self.converter.reply(data),
            };
            if self.streamed.take().is_some_and(|streamed| reply.usage != Some(streamed)) {
                self.converter.notes.push(Note::UsageMismatch);
            }
            let time = object.json.get("time").and_then(Json::as_count).unwrap_or(0);
            let key = reply.response_id.map(|id| format!("{id}@{time}"));
            let request = Request {
                purpose: Purpose::Reply,
                line: object.line,
                key,
                model: reply.model,
                usage: reply.usage,
                salvaged_only: false,
                inherited: false,
            };
            self.requests.push((seq, request));
            return message.map_or_else(|| EntryKind::Other { name: name.to_owned() }, EntryKind::Message);
        };
        replacement(range, message)
    }

    fn log_only(&mut self, name: &str, data: &Json<'_>, seq: u64, object: &Object<'_>) -> EntryKind {
        let other = || EntryKind::Other { name: name.to_owned() };
        match name {
            "request/header" => {
                let message = self.converter.header(data.get("header").unwrap_or(&Json::Null));
                // The prompt begins with it, wherever it stands in the log; a later one takes the place of it.
                match self.system.replace(EntryId(object.place_id().into())) {
                    Some(before) => replacement([before.clone(), before], Some(message)),
                    None => EntryKind::Message(message),
                }
            }
            "request/context" => EntryKind::ModelChange {
                provider: data.str_at("provider").unwrap_or("").to_owned(),
                model: data.str_at("model").unwrap_or("").to_owned(),
            },
            "compaction/summary" => self.converter.usage(data).map_or_else(other, EntryKind::ExtraUsage),
            "step/start" => {
                self.streamed = None;
                other()
            }
            "assistant/chunk" => {
                let chunk = data.get("chunk").unwrap_or(&Json::Null);
                if chunk.str_at("type") == Some("usage") {
                    self.streamed = self.converter.usage(chunk);
                }
                other()
            }
            "session/end-seed" => {
                self.last_seed = Some(seq);
                other()
            }
            _ => other(),
        }
    }

    /// The requests. Those that came with a seed of another session are that session's; the header tells how long the seed
    /// is, else the last mark of its end. A session that is resumed has such a mark too, and no parent: it stays its own.
    fn requests(&mut self, report: &mut Report) -> Vec<Request> {
        let has_parent = self.header.as_ref().is_some_and(|header| header.parent_session.is_some());
        let seed = self.seed_length.or(self.last_seed.filter(|_| has_parent)).unwrap_or(0);
        let finished = |(seq, request): (u64, Request)| Request {
            salvaged_only: self.refused,
            inherited: seq < seed,
            ..request
        };
        let requests: Vec<Request> = std::mem::take(&mut self.requests).into_iter().map(finished).collect();
        let copied = requests.iter().filter(|request| request.inherited).count();
        if let Some(first) = requests.iter().find(|request| request.inherited) {
            let message = format!(
                "{copied} requests from here on came with another session's history, which counts them"
            );
            report.warn(first.line, FaultCode::DuplicateHistory, message);
        }
        requests
    }

    fn say(&mut self, line: u64, report: &mut Report) {
        for note in self.converter.notes.drain(..) {
            match note {
                Note::BlockType(name) => report.lose(format!("content block `{name}`: left out")),
                Note::BadArguments => {
                    let message = "arguments of a call that aren't JSON: kept as text";
                    report.warn(line, FaultCode::BadArguments, message);
                }
                Note::UsageMismatch => {
                    let message = "the reply was billed other tokens than its stream told";
                    report.warn(line, FaultCode::UsageMismatch, message);
                }
                Note::BadUsage => {
                    report.warn(line, FaultCode::BadUsage, "impossible billed tokens: treated as unknown");
                }
                Note::Shape(what) => {
                    report.warn(line, FaultCode::UnknownShape, format!("{what}: not interpreted"))
                }
            }
        }
    }
}

fn replacement([first, last]: [EntryId; 2], message: Option<Message>) -> EntryKind {
    EntryKind::Replacement { first, last, message }
}

fn placed(range: Option<[EntryId; 2]>, message: Message) -> EntryKind {
    match range {
        Some(range) => replacement(range, Some(message)),
        None => EntryKind::Message(message),
    }
}
