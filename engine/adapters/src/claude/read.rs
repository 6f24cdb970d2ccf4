//! Objects of a transcript to lines, and lines to the trees.

use std::collections::HashMap;

use engine::message::Json;
use engine::session::{EntryKind, SessionTree};

use super::convert::{Converter, SYNTHETIC, stop_reason};
use super::envelope::{Envelope, Told};
use super::line::{Chain, Class, Line, Lines, Main, Parent, Segment};
use super::reply::{Piece, Replies};
use super::view::views;
use crate::log::dialect::{Dialect, Object, Reading, Report};
use crate::log::ids::Ids;
use crate::log::time::shaped_ms;
use crate::log::{Content, FaultCode, Header, ReadError, Version};

/// The rules of Claude Code's transcripts.
pub(crate) struct ClaudeDialect {
    converter: Converter,
    lines: Lines,
    ids: Ids,
    replies: Replies,
    sessions: Names,
    agents: Names,
    cwd: Option<String>,
    warned_cwd: bool,
    version: Option<String>,
    time_ms: Option<i64>,
}

impl ClaudeDialect {
    /// The start of a log.
    pub(crate) fn new(content: Content) -> ClaudeDialect {
        ClaudeDialect {
            converter: Converter::new(content),
            lines: Lines::default(),
            ids: Ids::default(),
            replies: Replies::default(),
            sessions: Names::default(),
            agents: Names::default(),
            cwd: None,
            warned_cwd: false,
            version: None,
            time_ms: None,
        }
    }
}

impl Dialect for ClaudeDialect {
    fn object(&mut self, object: &Object<'_>, report: &mut Report) -> Result<(), ReadError> {
        let Some(members) = Envelope::of(object.json) else {
            report.warn(object.line, FaultCode::NotAnEntry, "JSON, but no object: ignored");
            return Ok(());
        };
        let line = self.line(object, &members, report);
        self.note_facts(&members, &line, report);
        self.lines.push(line);
        Ok(())
    }

    fn finish(self: Box<Self>, report: &mut Report) -> Result<Reading, ReadError> {
        let main = Main::of(&self.lines);
        let header = self.header(main);
        let empty = SessionTree {
            session_id: header.as_ref().map_or(String::new(), |header| header.id.clone()),
            cwd: self.cwd,
            ..SessionTree::default()
        };
        let requests = self.replies.requests();
        let outline = self.converter.is_outline();
        let (agent, difference) = views(self.lines, self.ids, main, (&self.replies, outline), report);
        let tree = SessionTree { entries: agent.entries, leaf: agent.leaf, ..empty };
        let salvaged = difference.and_then(|difference| difference.finish(&tree));
        Ok(Reading { header, tree, salvaged, requests, stated: None })
    }
}

impl ClaudeDialect {
    fn line(&mut self, object: &Object<'_>, members: &Envelope<'_>, report: &mut Report) -> Line {
        let at = object.line;
        let uuid = members.uuid.map_or_else(|| object.place_id(), str::to_owned);
        let is_boundary = members.subtype == "compact_boundary" && members.kind == Some("system");
        let class = match members.kind {
            // Its content isn't known, so it only links.
            _ if object.outline_only => Class::Link,
            Some("user") => Class::User,
            Some("assistant") => Class::Assistant,
            _ if is_boundary => Class::Boundary,
            _ => Class::Link,
        };
        let parent = match (members.parent, members.logical_parent) {
            (Told::Id(parent), _) => Parent::Id(self.ids.number(parent)),
            (_, Some(logical)) => Parent::Logical(self.ids.number(logical)),
            (Told::Nothing, None) if !is_boundary => Parent::Untold,
            _ => Parent::Root,
        };
        let chained =
            matches!(members.kind, Some("user" | "assistant" | "system" | "attachment" | "progress"));
        if members.uuid.is_none() && chained {
            report.warn(at, FaultCode::MissingId, "a line without identifier: named after its place");
        }
        let kinds = match object.outline_only {
            true => vec![EntryKind::Other { name: members.kind.unwrap_or("").to_owned() }],
            false => self.kinds(members, at, report),
        };
        let reply = match class {
            Class::Assistant => self.reply(members, &uuid, object, report),
            _ => None,
        };
        Line {
            uuid: self.ids.number(&uuid),
            is_linked: members.uuid.is_some(),
            parent,
            class,
            number: at,
            bytes: object.bytes.clone(),
            time_ms: time_ms(members, at, report),
            chain: Chain {
                session: self.sessions.number(members.session),
                agent: self.agents.number(members.agent),
                is_side: members.is_sidechain,
            },
            agent_reads: object.agent_reads,
            borrows: members.is_sidechain && members.agent.is_some_and(is_side_run),
            is_summary: members.is_summary,
            reply,
            segment: if is_boundary { segment(members, &mut self.ids).map(Box::new) } else { None },
            cleared: cleared(members),
            kinds,
        }
    }

    fn kinds(&mut self, members: &Envelope<'_>, at: u64, report: &mut Report) -> Vec<EntryKind> {
        let Some(kind) = members.kind else {
            report.warn(at, FaultCode::UnknownShape, "an object without a type: kept in place");
            return vec![EntryKind::Other { name: String::new() }];
        };
        if members.has_structured_result {
            report.lose("structured result of a tool beside the text: kept only as a place in the log");
        }
        let billed = members.message.is_some_and(|message| message.get("usage").is_some_and(is_object));
        if billed && kind != "assistant" {
            let message = "billed tokens on a line that is no reply: not counted";
            report.warn(at, FaultCode::UnknownShape, message);
        }
        match (kind, members.subtype) {
            ("user", _) => return self.converter.user(members, at, report),
            ("assistant", _) => return vec![self.converter.assistant(members, at, report)],
            ("attachment", _) => return vec![self.converter.attachment(members, at, report)],
            ("system", "local_command") => return vec![self.converter.local_command(members, at, report)],
            ("system", "compact_boundary") => return vec![boundary(members)],
            _ => {}
        }
        if !is_known(kind) {
            report.lose(format!("line type `{kind}`: kept in the tree, not interpreted"));
        }
        let name = match members.subtype {
            "" => kind.to_owned(),
            subtype => format!("{kind}/{subtype}"),
        };
        vec![EntryKind::Other { name }]
    }

    /// The reply that an assistant line is a piece of; `None` for what Claude Code made up itself.
    fn reply(
        &mut self,
        members: &Envelope<'_>,
        uuid: &str,
        object: &Object<'_>,
        report: &mut Report,
    ) -> Option<u32> {
        let message = members.message.filter(|_| !members.is_api_error)?;
        let model = message.str_at("model").unwrap_or("");
        if model == SYNTHETIC {
            return None;
        }
        let piece = Piece {
            id: message.str_at("id").filter(|id| !id.is_empty()),
            request: members.request,
            line_name: uuid,
            line: object.line,
            model,
            message,
            stop: stop_reason(message),
            agent_reads: object.agent_reads,
        };
        Some(self.replies.take(&piece, report))
    }

    fn note_facts(&mut self, members: &Envelope<'_>, line: &Line, report: &mut Report) {
        if self.version.is_none() {
            self.version = members.version.map(str::to_owned);
        }
        self.time_ms = self.time_ms.or(line.time_ms);
        let Some(cwd) = members.cwd else { return };
        match &self.cwd {
            None => self.cwd = Some(cwd.to_owned()),
            Some(first) if first != cwd && !self.warned_cwd => {
                self.warned_cwd = true;
                let message = "another working directory than on the lines before: the first one counts";
                report.warn(line.number, FaultCode::SeveralCwds, message);
            }
            Some(_) => {}
        }
    }

    /// A file of a sub-agent is named after the agent; its lines bear the identifier of the session it works for.
    fn header(&self, main: Main) -> Option<Header> {
        let session = self.sessions.name(main.session)?.to_owned();
        let agent = Some(main.agent).filter(|_| main.is_side).and_then(|agent| self.agents.name(agent));
        let (id, parent_session) = match agent {
            Some(agent) => (format!("agent-{agent}"), Some(session)),
            None => (session, None),
        };
        Some(Header {
            version: self.version.clone().map(Version::Release),
            id,
            cwd: self.cwd.clone(),
            time_ms: self.time_ms,
            parent_session,
        })
    }
}

/// Names as small numbers from 1 on.
#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    fn number(&mut self, name: Option<&str>) -> u32 {
        let Some(name) = name else { return 0 };
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.list.push(name.to_owned());
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn name(&self, number: u32) -> Option<&str> {
        self.list.get((number as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// Side runs over the main session's own context (a compaction's summary and the like) have a label in the agent's name;
/// sub-agents that begin with nothing have none.
fn is_side_run(agent: &str) -> bool {
    agent.contains('-')
}

fn is_object(json: &Json<'_>) -> bool {
    json.as_object().is_some()
}

fn time_ms(members: &Envelope<'_>, at: u64, report: &mut Report) -> Option<i64> {
    let time = members.time?;
    let ms = shaped_ms(time);
    if ms.is_none() {
        report.warn(at, FaultCode::BadTime, "a time in no known form: treated as absent");
    }
    ms
}

/// The context ends here. The summary that follows is a line of its own.
fn boundary(members: &Envelope<'_>) -> EntryKind {
    let before = members.compaction.and_then(|metadata| metadata.get("preTokens"));
    EntryKind::Compaction {
        messages: Vec::new(),
        system: None,
        first_kept: None,
        tokens_before: before.and_then(Json::as_count),
        usage: None,
    }
}

fn segment(members: &Envelope<'_>, ids: &mut Ids) -> Option<Segment> {
    let metadata = members.compaction?;
    let (segment, list) = (metadata.get("preservedSegment"), metadata.get("preservedMessages"));
    let named = |name: &str| segment.and_then(|segment| segment.str_at(name));
    let listed = list.and_then(|list| list.get("uuids")).and_then(Json::as_array).unwrap_or(&[]);
    let head = named("headUuid").or_else(|| listed.first().and_then(Json::as_str))?;
    let tail = named("tailUuid").or_else(|| listed.last().and_then(Json::as_str));
    let anchor = named("anchorUuid").or_else(|| list.and_then(|list| list.str_at("anchorUuid")));
    Some(Segment {
        head: ids.number(head),
        tail: tail.map(|tail| ids.number(tail)),
        anchor: anchor.map(|anchor| ids.number(anchor)),
    })
}

fn cleared(members: &Envelope<'_>) -> Box<[String]> {
    if members.subtype != "microcompact_boundary" || members.kind != Some("system") {
        return Box::default();
    }
    let ids = members.microcompaction.and_then(|metadata| metadata.get("compactedToolIds"));
    let ids = ids.and_then(Json::as_array).unwrap_or(&[]);
    ids.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

/// Types that never reach the model: hooks and progress, titles, modes, snapshots of files, the queue.
fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "system"
            | "progress"
            | "summary"
            | "file-history-snapshot"
            | "queue-operation"
            | "custom-title"
            | "ai-title"
            | "agent-name"
            | "last-prompt"
            | "mode"
            | "permission-mode"
            | "pr-link"
            | "frame-link"
            | "worktree-state"
            | "relocated"
            | "bridge-session"
    )
}
