//! The streaming reader.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::ops::Range;

use engine::message::Json;
use engine::session::{Entry, EntryId, EntryKind, SessionTree};

use super::convert::{Converter, Unread, id};
use super::fault::{FaultCode, ReadError, Warning};
use super::frame::{Framed, Part, frame};
use super::stats::Stats;
use super::time::iso_ms;
use super::views::{Record, agent_view, salvaged_view};

/// The newest version of the format that this reader knows.
const NEWEST_VERSION: u64 = 3;

/// Which reading of a damaged log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As Pi reads it: unparsable lines are skipped, unknown parents cut the history.
    Agent,
    /// With everything that can be recovered.
    Salvaged,
}

impl View {
    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            View::Agent => "agent",
            View::Salvaged => "salvaged",
        }
    }
}

/// The first line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Version of the format; 1 where the header names none.
    pub version: u64,
    /// Identifier of the session.
    pub id: String,
    /// Working directory.
    pub cwd: Option<String>,
    /// When it was written, Unix milliseconds.
    pub time_ms: Option<i64>,
    /// Log that this one was forked from, as the log spells it.
    pub parent_session: Option<String>,
}

/// A log that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct PiSession {
    /// The header; `None` for an empty file and where it is missing or torn.
    pub header: Option<Header>,
    /// The session as Pi reads it.
    pub tree: SessionTree,
    /// The salvaged session, where it differs.
    pub salvaged: Option<SessionTree>,
    /// Faults, sorted by line.
    pub warnings: Vec<Warning>,
    /// Lines of the file, blank ones and a torn last one included.
    pub lines: u64,
    /// Lines with content, the header among them.
    pub content_lines: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// What this reader keeps only as a place in the tree or leaves out, by description, with counts.
    pub lost: BTreeMap<String, u64>,
}

impl PiSession {
    /// The tree of a view.
    pub fn view(&self, view: View) -> &SessionTree {
        match (view, &self.salvaged) {
            (View::Salvaged, Some(tree)) => tree,
            _ => &self.tree,
        }
    }

    /// Figures of a view.
    pub fn stats(&self, view: View) -> Stats {
        Stats::of(self.view(view))
    }
}

/// Reads a session log.
///
/// # Errors
/// [`ReadError::Io`] where reading fails, [`ReadError::NotASession`] where the file is something else. The content of a
/// line is never an error once the header was seen: it is a warning.
pub fn read(mut reader: impl BufRead) -> Result<PiSession, ReadError> {
    let mut log = LogReader::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader
            .read_until(b'\n', &mut line)
            .map_err(|source| ReadError::Io { line: log.lines + 1, source })?;
        if read == 0 {
            return log.finish();
        }
        log.take_line(&line)?;
    }
}

/// What has been read so far.
#[derive(Default)]
struct LogReader {
    lines: u64,
    content_lines: u64,
    bytes: u64,
    header: Option<Header>,
    /// Whether Pi itself would have found the header.
    agent_has_header: bool,
    /// Objects seen before the header or without one.
    objects: u64,
    converter: Converter,
    records: Vec<Record>,
    /// Position in Pi's own list of parsed lines, header included, and in the list of all objects.
    agent_index: u64,
    object_index: u64,
    torn_first_line: bool,
    warnings: Vec<Warning>,
}

impl LogReader {
    fn take_line(&mut self, raw: &[u8]) -> Result<(), ReadError> {
        self.lines += 1;
        let offset = self.bytes;
        self.bytes += raw.len() as u64;
        let ended = raw.last() == Some(&b'\n');
        let mut line = if ended { &raw[..raw.len() - 1] } else { raw };
        let mut skipped = 0;
        if self.lines == 1 {
            refuse_foreign_bytes(line)?;
            if let Some(rest) = line.strip_prefix("\u{feff}".as_bytes()) {
                skipped = line.len() - rest.len();
                line = rest;
                self.warn(FaultCode::Bom, "a byte order mark starts the file: ignored");
            }
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        self.content_lines += 1;
        let framed = frame(line);
        self.report_framing(&framed, ended);
        if !ended
            && self.content_lines == 1
            && framed.parts.is_empty()
            && line.trim_ascii_start().starts_with(b"{")
        {
            self.torn_first_line = true;
        }
        let start = offset + skipped as u64;
        for (number, part) in framed.parts.into_iter().enumerate() {
            self.take_part(part, number, start, framed.agent_reads)?;
        }
        Ok(())
    }

    fn report_framing(&mut self, framed: &Framed, ended: bool) {
        for fault in &framed.faults {
            let recovered = framed.parts.len();
            let message = match fault {
                FaultCode::UnparsableLine | FaultCode::FusedLine if !ended && framed.cut => {
                    let message = match recovered {
                        0 => "the last line is cut off: dropped".to_owned(),
                        n => format!(
                            "the last line is cut off behind {n} complete objects that the agent doesn't read"
                        ),
                    };
                    self.warn(FaultCode::TornTail, message);
                    if recovered == 0 {
                        continue;
                    }
                    format!("{recovered} complete objects and a cut one on one line")
                }
                FaultCode::FusedLine if framed.cut => format!(
                    "a cut object and {recovered} complete ones on one line: the agent reads none, {recovered} salvaged"
                ),
                FaultCode::FusedLine => {
                    format!("{recovered} objects on one line: the agent reads none, all salvaged")
                }
                FaultCode::UnparsableLine => "not JSON: skipped, as the agent skips it".to_owned(),
                FaultCode::TooDeep => {
                    "nested deeper than 128 levels: skipped, though the agent may read it".to_owned()
                }
                FaultCode::Bom => {
                    "a byte order mark inside the file: the agent skips the line, salvaged".to_owned()
                }
                FaultCode::InvalidUtf8 => "bytes that aren't UTF-8: read as U+FFFD".to_owned(),
                FaultCode::LoneSurrogate => "half a surrogate pair: read as U+FFFD".to_owned(),
                FaultCode::NulPadding => {
                    "NUL bytes around the object: the agent skips the line, salvaged".to_owned()
                }
                other => other.code().to_owned(),
            };
            self.warn(*fault, message);
        }
    }

    fn take_part(
        &mut self,
        part: Part,
        number: usize,
        start: u64,
        agent_reads: bool,
    ) -> Result<(), ReadError> {
        let bytes = start + part.bytes.start as u64..start + part.bytes.end as u64;
        let json = part.json;
        let (agent_index, object_index) = (self.agent_index, self.object_index);
        self.object_index += 1;
        self.agent_index += u64::from(agent_reads);
        if json.as_object().is_none() {
            if self.header.is_none() {
                return Err(NO_HEADER);
            }
            self.warn(FaultCode::NotAnEntry, "JSON, but no object: ignored");
            return Ok(());
        }
        self.objects += 1;
        if json.str_at("type") == Some("session") {
            return self.take_header(&json, agent_reads && agent_index == 0);
        }
        if self.header.is_none() && self.objects == 1 {
            refuse_foreign_object(&json)?;
            self.warn(
                FaultCode::MissingHeader,
                "no header: the agent refuses the file, salvaged without one",
            );
            self.converter.version = if json.str_at("id").is_some() { NEWEST_VERSION } else { 1 };
        }
        if self.objects == 2 && is_event(&json) {
            return Err(ReadError::NotASession {
                reason: "an event stream of `pi --mode json` or `--mode rpc`: pass the session file it names",
            });
        }
        let record = self.record(&json, number, bytes, agent_reads, (agent_index, object_index));
        self.records.push(record);
        Ok(())
    }

    fn take_header(&mut self, json: &Json, first_for_agent: bool) -> Result<(), ReadError> {
        if self.header.is_some() || self.objects > 1 {
            self.warn(FaultCode::ExtraHeader, "a second header: ignored");
            return Ok(());
        }
        let Some(session_id) = json.str_at("id") else {
            return Err(ReadError::NotASession {
                reason: "the header has no identifier: choose a session file",
            });
        };
        let version = match json.get("version") {
            None | Some(Json::Null) => 1,
            Some(version) => version.as_count().unwrap_or_else(|| {
                self.warn(FaultCode::NewerVersion, "the version is no number: read as version 3");
                NEWEST_VERSION
            }),
        };
        if version > NEWEST_VERSION {
            self.warn(
                FaultCode::NewerVersion,
                format!("version {version}: read as version {NEWEST_VERSION}"),
            );
        }
        self.converter.version = version;
        self.agent_has_header = first_for_agent;
        if !first_for_agent {
            self.warn(
                FaultCode::MissingHeader,
                "the agent can't read the header and refuses the file: salvaged",
            );
        }
        self.header = Some(Header {
            version,
            id: session_id.to_owned(),
            cwd: json.str_at("cwd").map(str::to_owned),
            time_ms: json.str_at("timestamp").and_then(iso_ms),
            parent_session: json.str_at("parentSession").or(json.str_at("branchedFrom")).map(str::to_owned),
        });
        Ok(())
    }

    fn record(
        &mut self,
        json: &Json,
        number: usize,
        bytes: Range<u64>,
        agent_reads: bool,
        (agent_index, object_index): (u64, u64),
    ) -> Record {
        let place = match number {
            0 => format!("line:{}", self.lines),
            n => format!("line:{}#{}", self.lines, n + 1),
        };
        let linear = self.converter.version < 2;
        let own_id = json.str_at("id").filter(|own| !own.is_empty() && !linear);
        if own_id.is_none() && !linear {
            self.warn(FaultCode::MissingId, "an entry without identifier: named after its line");
        }
        let kind = self.converter.kind(json);
        if self.converter.bad_usage {
            self.warn(FaultCode::BadUsage, "impossible billed tokens: treated as unknown");
        }
        let first_kept_index = match &kind {
            EntryKind::Compaction { .. } if linear => {
                json.get("firstKeptEntryIndex").and_then(Json::as_count)
            }
            _ => None,
        };
        Record {
            entry: Entry {
                id: own_id.map_or_else(|| EntryId(place), id),
                parent: json.str_at("parentId").filter(|parent| !parent.is_empty()).map(id),
                line: self.lines,
                bytes,
                time_ms: json.str_at("timestamp").and_then(iso_ms),
                kind,
            },
            agent_reads,
            agent_index,
            object_index,
            first_kept_index,
        }
    }

    fn warn(&mut self, code: FaultCode, message: impl Into<String>) {
        self.warnings.push(Warning { line: self.lines.max(1), code, message: message.into() });
    }

    fn finish(mut self) -> Result<PiSession, ReadError> {
        if self.content_lines == 0 {
            self.warn(FaultCode::EmptyFile, "no line with content");
        } else if self.objects == 0 && !self.torn_first_line {
            return Err(NO_HEADER);
        }
        let session_id = self.header.as_ref().map_or(String::new(), |header| header.id.clone());
        let cwd = self.header.as_ref().and_then(|header| header.cwd.clone());
        let linear = self.converter.version < 2;
        let empty = SessionTree { session_id, cwd, entries: Vec::new() };
        let tree = if self.agent_has_header {
            let entries = agent_view(&self.records, linear, &mut self.warnings);
            SessionTree { entries, ..empty.clone() }
        } else {
            empty.clone()
        };
        let salvaged = Some(SessionTree { entries: salvaged_view(self.records, linear), ..empty })
            .filter(|salvaged| *salvaged != tree);
        self.warnings.sort();
        let mut lost = BTreeMap::new();
        for unread in self.converter.unread {
            let what = match unread {
                Unread::EntryType(name) => format!("entry type `{name}`: kept in the tree, not interpreted"),
                Unread::Role(name) => format!("message role `{name}`: held, not interpreted"),
                Unread::BlockType(name) => format!("content block `{name}`: left out"),
            };
            *lost.entry(what).or_default() += 1;
        }
        Ok(PiSession {
            header: self.header,
            tree,
            salvaged,
            warnings: self.warnings,
            lines: self.lines,
            content_lines: self.content_lines,
            bytes: self.bytes,
            lost,
        })
    }
}

const NO_HEADER: ReadError =
    ReadError::NotASession { reason: "the first object is no session header: choose a file that Pi wrote" };

/// What is recognised by its first bytes as something else.
fn refuse_foreign_bytes(line: &[u8]) -> Result<(), ReadError> {
    const MAGICS: [(&[u8], &str); 4] = [
        (b"\xff\xfe", "the file is UTF-16: convert it to UTF-8"),
        (b"\xfe\xff", "the file is UTF-16: convert it to UTF-8"),
        (b"\x28\xb5\x2f\xfd", "the file is compressed (zstd): decompress it first"),
        (b"\x1f\x8b", "the file is compressed (gzip): decompress it first"),
    ];
    match MAGICS.iter().find(|(magic, _)| line.starts_with(magic)) {
        Some((_, reason)) => Err(ReadError::NotASession { reason }),
        None => Ok(()),
    }
}

/// A first object that is no header: an entry whose header is lost can be salvaged, everything else is refused.
fn refuse_foreign_object(json: &Json) -> Result<(), ReadError> {
    if json.str_at("kind") == Some("header") && json.get("v").is_some() {
        return Err(ReadError::NotASession {
            reason: "a log of the pi-agent-core library (v4), not of Pi: not supported",
        });
    }
    let known = matches!(
        json.str_at("type"),
        Some(
            "message"
                | "model_change"
                | "thinking_level_change"
                | "compaction"
                | "branch_summary"
                | "custom"
                | "custom_message"
                | "context_edit"
                | "label"
                | "session_info"
        )
    );
    let linked = json.get("parentId").is_some() && json.str_at("id").is_some();
    let is_v1 = known && json.str_at("timestamp").is_some() && json.get("uuid").is_none();
    if known && (linked || is_v1) { Ok(()) } else { Err(NO_HEADER) }
}

/// An event of Pi's streaming modes, which begin with a line that looks like a header.
fn is_event(json: &Json) -> bool {
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
                | "tool_execution_start"
                | "tool_execution_end"
        )
    );
    named && json.get("parentId").is_none()
}
