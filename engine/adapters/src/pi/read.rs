//! Objects of a Pi log to entries.

use std::collections::HashMap;

use engine::message::{Json, Message, Usage};
use engine::session::{Entry, EntryId, EntryKind, SessionTree};

use super::convert::{Converter, Unread, id};
use super::views::{Record, Repaired, views};
use crate::log::dialect::{Dialect, Object, Reading, Report};
use crate::log::format::is_pi_entry;
use crate::log::time::{Clock, shaped_ms};
use crate::log::{Content, FaultCode, Format, Header, Purpose, ReadError, Request, Salvaged, Version};

/// The newest version of the format that this reader knows.
const NEWEST_VERSION: u64 = 3;

/// The rules of Pi's logs.
pub(crate) struct PiDialect {
    header: Option<Header>,
    /// Whether Pi itself would have found the header.
    agent_has_header: bool,
    /// Objects seen, the header among them.
    objects: u64,
    /// Whether the first object was one of Pi's streaming modes or could begin one.
    converter: Converter,
    clock: Clock,
    /// Line of a header without a version, until the first entry tells which one it is.
    unversioned: Option<u64>,
    records: Vec<Record>,
    /// Position in Pi's own list of parsed lines, header included, and in the list of all objects.
    agent_index: u64,
    object_index: u64,
}

impl PiDialect {
    /// The start of a log.
    pub(crate) fn new(content: Content) -> PiDialect {
        PiDialect {
            header: None,
            agent_has_header: false,
            objects: 0,
            converter: Converter::new(content),
            clock: Clock::default(),
            unversioned: None,
            records: Vec::new(),
            agent_index: 0,
            object_index: 0,
        }
    }
}

impl Dialect for PiDialect {
    fn object(&mut self, object: &Object<'_>, report: &mut Report) -> Result<(), ReadError> {
        let json = object.json;
        let (agent_index, object_index) = (self.agent_index, self.object_index);
        self.object_index += 1;
        self.agent_index += u64::from(object.agent_reads);
        if json.as_object().is_none() {
            if self.header.is_none() {
                return Err(NO_HEADER);
            }
            report.warn(object.line, FaultCode::NotAnEntry, "JSON, but no object: ignored");
            return Ok(());
        }
        self.objects += 1;
        if json.str_at("type") == Some("session") {
            return self.take_header(object, object.agent_reads && agent_index == 0, report);
        }
        if self.header.is_none() && self.objects == 1 {
            refuse_foreign_object(json)?;
            let message = "no header: the agent refuses the file, salvaged without one";
            report.warn(object.line, FaultCode::MissingHeader, message);
            self.converter.version = if json.str_at("id").is_some() { NEWEST_VERSION } else { 1 };
        }
        if self.objects == 2 && is_event(json) {
            return Err(EVENT_STREAM);
        }
        let record = self.record(object, (agent_index, object_index), report);
        self.records.push(record);
        Ok(())
    }

    fn finish(mut self: Box<Self>, report: &mut Report) -> Result<Reading, ReadError> {
        if self.objects == 0 {
            return Err(NO_HEADER);
        }
        let session_id = self.header.as_ref().map_or(String::new(), |header| header.id.clone());
        let cwd = self.header.as_ref().and_then(|header| header.cwd.clone());
        let linear = self.converter.version < 2;
        let empty = SessionTree { session_id, cwd, ..SessionTree::default() };
        for unread in self.converter.unread.drain(..) {
            report.lose(match unread {
                Unread::EntryType(name) => format!("entry type `{name}`: kept in the tree, not interpreted"),
                Unread::Role(name) => format!("message role `{name}`: held, not interpreted"),
                Unread::BlockType(name) => format!("content block `{name}`: left out"),
            });
        }
        let requests = requests(&self.records, linear, !self.agent_has_header, report);
        let (agent, salvaged) = views(self.records, linear, !self.agent_has_header, report);
        let tree = SessionTree { entries: agent, ..empty.clone() };
        let salvaged = match salvaged {
            Some(Repaired::Apart(entries)) => Salvaged::of(&tree, SessionTree { entries, ..empty }),
            Some(Repaired::Shells(shells)) => Salvaged::repaired(&tree, shells),
            None => None,
        };
        Ok(Reading { header: self.header, tree, salvaged, requests, stated: None })
    }
}

/// Each reply is one request, and a tool's result may tell what model work of its own was billed. A copy of an entry in
/// another file (fork, clone) has its identifier and time; version 1 has no identifiers, and nothing else in it is sure to
/// be unique.
fn requests(records: &[Record], linear: bool, unread: bool, report: &mut Report) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::new();
    let mut seen: HashMap<String, usize, foldhash::fast::RandomState> = HashMap::default();
    for record in records {
        let Some(billed) = Billed::of(record) else { continue };
        let key = billed.key(record, linear);
        let salvaged_only = unread || !record.agent_reads;
        // The same entry written twice was billed once.
        if let Some(key) = key.as_ref().filter(|_| !linear) {
            let earlier = *seen.entry(key.clone()).or_insert(requests.len());
            if let Some(earlier) = requests.get_mut(earlier).filter(|earlier| earlier.usage == billed.usage) {
                earlier.salvaged_only &= salvaged_only;
                report.repeat(billed.repeated);
                continue;
            }
        }
        let (purpose, line, model) = (billed.purpose, record.entry.line, billed.model.to_owned());
        requests.push(Request {
            purpose,
            line,
            key,
            model,
            usage: billed.usage,
            salvaged_only,
            inherited: false,
        });
    }
    requests
}

/// What an entry was billed.
struct Billed<'r> {
    purpose: Purpose,
    /// How keys of this kind begin.
    prefix: &'static str,
    /// What is said of one that stands in the log twice.
    repeated: &'static str,
    model: &'r str,
    time_ms: Option<i64>,
    usage: Option<Usage>,
}

impl Billed<'_> {
    fn of(record: &Record) -> Option<Billed<'_>> {
        let time_ms = record.entry.time_ms;
        if let Some(usage) = &record.tool_usage {
            return Some(Billed {
                purpose: Purpose::ToolWork,
                prefix: "tool:",
                repeated: "billed tokens of a tool's own model work that stand in the log twice",
                model: "",
                time_ms,
                usage: Some(**usage),
            });
        }
        let EntryKind::Message(Message { reply: Some(reply), .. }) = &record.entry.kind else { return None };
        Some(Billed {
            purpose: Purpose::Reply,
            prefix: "",
            repeated: "a reply that stands in the log twice",
            model: &reply.model,
            time_ms: time_ms.or(reply.started_ms),
            usage: reply.usage,
        })
    }

    fn key(&self, record: &Record, linear: bool) -> Option<String> {
        let (prefix, time) = (self.prefix, self.time_ms?);
        if !linear {
            return Some(format!("{prefix}{}@{time}", record.entry.id.0));
        }
        let usage = self.usage.unwrap_or_default();
        Some(format!("{prefix}v1:{time}:{}:{}:{}", self.model, usage.prompt(), usage.output))
    }
}

impl PiDialect {
    fn take_header(
        &mut self,
        object: &Object<'_>,
        first_for_agent: bool,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        let json = object.json;
        if self.header.is_some() || self.objects > 1 {
            report.warn(object.line, FaultCode::ExtraHeader, "a second header: ignored");
            return Ok(());
        }
        let Some(session_id) = json.str_at("id") else {
            return Err(ReadError::not_a(Format::Pi, "the header has no identifier: choose a session file"));
        };
        let version = match json.get("version") {
            None | Some(Json::Null) => {
                self.unversioned = Some(object.line);
                1
            }
            Some(version) => version.as_count().unwrap_or_else(|| {
                report.warn(
                    object.line,
                    FaultCode::NewerVersion,
                    "the version is no number: read as version 3",
                );
                NEWEST_VERSION
            }),
        };
        if version > NEWEST_VERSION {
            report.warn(
                object.line,
                FaultCode::NewerVersion,
                format!("version {version}: read as version {NEWEST_VERSION}"),
            );
        }
        self.converter.version = version;
        self.agent_has_header = first_for_agent;
        if !first_for_agent {
            report.warn(
                object.line,
                FaultCode::MissingHeader,
                "the agent can't read the header and refuses the file: salvaged",
            );
        }
        self.header = Some(Header {
            version: Some(Version::Number(version)),
            id: session_id.to_owned(),
            cwd: json.str_at("cwd").map(str::to_owned),
            time_ms: json.get("timestamp").and_then(shaped_ms),
            parent_session: json.str_at("parentSession").or(json.str_at("branchedFrom")).map(str::to_owned),
        });
        Ok(())
    }

    fn record(
        &mut self,
        object: &Object<'_>,
        (agent_index, object_index): (u64, u64),
        report: &mut Report,
    ) -> Record {
        let json = object.json;
        if let Some(line) = self.unversioned.take()
            && json.str_at("id").is_some()
            && json.get("parentId").is_some()
        {
            let message =
                format!("no version, but entries with identifiers: read as version {NEWEST_VERSION}");
            report.warn(line, FaultCode::MissingVersion, message);
            self.converter.version = NEWEST_VERSION;
        }
        let linear = self.converter.version < 2;
        let time_ms = self.clock.take(json.get("timestamp"), object.line, report);
        let own_id = json.str_at("id").filter(|own| !own.is_empty() && !linear);
        if own_id.is_none() && !linear {
            report.warn(
                object.line,
                FaultCode::MissingId,
                "an entry without identifier: named after its line",
            );
        }
        let kind = match object.outline_only {
            true => EntryKind::Other { name: json.str_at("type").unwrap_or("").to_owned() },
            false => self.converter.kind(json),
        };
        for (code, message) in self.converter.faults.drain(..) {
            report.warn(object.line, code, message);
        }
        let first_kept_index = match &kind {
            EntryKind::Compaction { .. } if linear => {
                json.get("firstKeptEntryIndex").and_then(Json::as_count)
            }
            _ => None,
        };
        Record {
            entry: Entry {
                id: own_id.map_or_else(|| EntryId(object.place_id().into()), id),
                parent: json.str_at("parentId").filter(|parent| !parent.is_empty()).map(id),
                line: object.line,
                bytes: object.bytes.clone(),
                time_ms,
                kind,
            },
            tool_usage: self.converter.tool_usage.take().map(Box::new),
            agent_reads: object.agent_reads,
            agent_index,
            object_index,
            first_kept_index,
        }
    }
}

const NO_HEADER: ReadError = ReadError::NotASession {
    format: Some(Format::Pi),
    reason: "the first object is no session header: choose a file that Pi wrote",
};

/// A first object that is no header: an entry whose header is lost can be salvaged, everything else is refused.
fn refuse_foreign_object(json: &Json<'_>) -> Result<(), ReadError> {
    if json.str_at("kind") == Some("header") && json.get("v").is_some() {
        return Err(ReadError::not_a(
            Format::Pi,
            "a log of the pi-agent-core library (v4), not of Pi: not supported",
        ));
    }
    let known = json.str_at("type").is_some_and(is_pi_entry);
    let linked = json.get("parentId").is_some() && json.str_at("id").is_some();
    let is_v1 = known && json.str_at("timestamp").is_some() && json.get("uuid").is_none();
    if known && (linked || is_v1) { Ok(()) } else { Err(NO_HEADER) }
}

/// What is printed by Pi's streaming modes, which may begin with a line that looks like a header.
pub(crate) fn is_event(json: &Json<'_>) -> bool {
    let named = matches!(
        json.str_at("type"),
        Some(
            "agent_start"
                | "agent_end"
                | "turn_start"
                | "turn_end"
                | "message_start"
                | "message_update"
                | "message_end"
                | "response"
                | "session_info_changed"
                | "tool_execution_start"
                | "tool_execution_update"
                | "tool_execution_end"
                | "extension_ui_request"
        )
    );
    named && json.get("parentId").is_none() && json.get("uuid").is_none() && json.get("payload").is_none()
}

/// The refusal of such a stream.
pub(crate) const EVENT_STREAM: ReadError = ReadError::NotASession {
    format: Some(Format::Pi),
    reason: "an event stream of `pi --mode json` or `--mode rpc`: pass the session file it names",
};
