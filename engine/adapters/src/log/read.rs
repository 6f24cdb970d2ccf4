//! The common reader: bytes to lines, lines to objects, objects to the format's dialect.

use std::io::{self, BufRead, BufReader};

use engine::message::Json;

use super::blocks::Blocks;
use super::dialect::{Dialect, Object, Report};
use super::fault::{FaultCode, ReadError};
use super::format::{Format, of_object};
use super::line::{Line, Lines, framing_faults};
use super::session::{ReadOptions, SessionLog};

/// Objects that may pass before one tells the format.
const UNDECIDED: usize = 64;

/// What a file packed with zstd begins with.
pub(crate) const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Reads a session log. Memory is bounded by the tree and the longest line; a log packed with zstd is unpacked on the
/// way.
///
/// # Errors
/// [`ReadError::Io`] where reading fails, [`ReadError::NotASession`] where the file is something else. The content of a
/// line is never an error once the format is known: it is a warning.
pub fn read(mut reader: impl BufRead, options: &ReadOptions) -> Result<SessionLog, ReadError> {
    let head = loop {
        match reader.fill_buf() {
            Ok(head) => break head,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(ReadError::Io { line: 1, source }),
        }
    };
    refuse_foreign_bytes(head)?;
    if head.starts_with(ZSTD) {
        let unpacked = zstd::Decoder::with_buffer(Blocks::new(reader))
            .map_err(|source| ReadError::Io { line: 1, source })?;
        return read_lines(BufReader::with_capacity(1 << 16, unpacked), options, true);
    }
    read_lines(reader, options, false)
}

fn read_lines(reader: impl BufRead, options: &ReadOptions, packed: bool) -> Result<SessionLog, ReadError> {
    let mut log = LogReader::new(*options);
    // One byte more than the limit is read, so that a log of exactly that length isn't taken for cut.
    let reader = reader.take(options.limits.log_bytes.saturating_add(1));
    let mut lines = Lines::from(reader, options.limits.line_bytes, 0, 0);
    loop {
        match lines.next(|line| log.line(&line)) {
            Ok(None) => return log.finish(),
            Ok(Some(taken)) => taken?,
            // A frame that was cut off is the torn last line of a packed log.
            Err(_) if packed && log.content_lines > 0 => {
                let message = "the packed data breaks off here: what follows can't be unpacked";
                log.report.warn(lines.number() + 1, FaultCode::TornTail, message);
                return log.finish();
            }
            Err(_) if packed => return Err(BROKEN_PACK),
            Err(source) => return Err(ReadError::Io { line: lines.number() + 1, source }),
        }
    }
}

/// Takes framed lines one after another.
pub(crate) struct LogReader {
    options: ReadOptions,
    lines: u64,
    content_lines: u64,
    bytes: u64,
    /// Objects met before one told the format, with their places.
    undecided: Vec<(Json<'static>, Placed)>,
    dialect: Option<(Format, Box<dyn Dialect>)>,
    /// Whether the only line with content is the beginning of an object.
    torn_first_line: bool,
    report: Report,
}

/// Place of an object whose dialect isn't known yet.
struct Placed {
    line: u64,
    part: usize,
    bytes: std::ops::Range<u64>,
    agent_reads: bool,
    outline_only: bool,
}

impl LogReader {
    /// A reader at the start of a log.
    pub(crate) fn new(options: ReadOptions) -> LogReader {
        LogReader {
            options,
            lines: 0,
            content_lines: 0,
            bytes: 0,
            undecided: Vec::new(),
            dialect: None,
            torn_first_line: false,
            report: Report::new(options.limits.warnings_per_code),
        }
    }

    /// Takes the next line.
    ///
    /// # Errors
    /// Where the log turns out to be something else.
    pub(crate) fn line(&mut self, line: &Line<'_>) -> Result<(), ReadError> {
        self.lines = line.number;
        self.bytes = line.offset + line.length;
        if self.bytes > self.options.limits.log_bytes {
            if !self.report.has(FaultCode::SizeLimit) {
                let message = "the log goes on beyond the limit: this line and what follows wasn't read";
                self.report.warn(line.number, FaultCode::SizeLimit, message);
            }
            return Ok(());
        }
        for (code, message) in framing_faults(line) {
            self.report.warn(line.number, code, message);
        }
        let Some(content) = &line.content else { return Ok(()) };
        self.content_lines += 1;
        let framed = &content.framed;
        self.torn_first_line |=
            self.content_lines == 1 && !line.ended && framed.parts.is_empty() && content.begins_object;
        let agent_reads = match &self.dialect {
            Some((_, dialect)) => dialect.agent_reads(framed),
            None => framed.agent_reads,
        };
        for (number, part) in framed.parts.iter().enumerate() {
            let place = Placed {
                line: line.number,
                part: number,
                bytes: line.offset + part.bytes.start as u64..line.offset + part.bytes.end as u64,
                agent_reads,
                outline_only: content.too_long,
            };
            self.take(&part.json, place)?;
        }
        Ok(())
    }

    fn take(&mut self, json: &Json<'_>, place: Placed) -> Result<(), ReadError> {
        if self.dialect.is_none()
            && let Some(format) = self.options.format.or_else(|| of_object(json))
        {
            let mut chosen = dialect(format, &self.options);
            for (earlier, place) in self.undecided.drain(..) {
                hand_over(chosen.as_mut(), &earlier, place, &mut self.report)?;
            }
            self.dialect = Some((format, chosen));
        }
        match &mut self.dialect {
            Some((_, dialect)) => hand_over(dialect.as_mut(), json, place, &mut self.report),
            None if crate::pi::is_event(json) => Err(crate::pi::EVENT_STREAM),
            None if self.undecided.len() == UNDECIDED => Err(NO_FORMAT),
            None => {
                self.undecided.push((json.clone().into_owned(), place));
                Ok(())
            }
        }
    }

    /// Links what was read.
    ///
    /// # Errors
    /// Where the log turns out to be something else.
    pub(crate) fn finish(mut self) -> Result<SessionLog, ReadError> {
        if self.content_lines == 0 {
            self.report.warn(self.lines, FaultCode::EmptyFile, "no line with content");
        }
        let mut reading = super::dialect::Reading::default();
        let mut format = None;
        // A file none of whose lines tells a format is something else, unless its only line is still being written.
        match self.dialect {
            Some((known, dialect)) => {
                format = Some(known);
                reading = dialect.finish(&mut self.report)?;
            }
            None if self.content_lines > 0 && !(self.torn_first_line && self.content_lines == 1) => {
                return Err(NO_FORMAT);
            }
            None => {}
        }
        let (warnings, warning_counts, lost, deduplicated) = self.report.into_parts();
        Ok(SessionLog {
            format,
            header: reading.header,
            tree: reading.tree,
            salvaged: reading.salvaged,
            requests: reading.requests,
            stated: reading.stated,
            warnings,
            warning_counts,
            lines: self.lines,
            content_lines: self.content_lines,
            bytes: self.bytes,
            lost,
            deduplicated,
        })
    }
}

fn hand_over(
    dialect: &mut dyn Dialect,
    json: &Json<'_>,
    place: Placed,
    report: &mut Report,
) -> Result<(), ReadError> {
    let Placed { line, part, bytes, agent_reads, outline_only } = place;
    dialect.object(&Object { json, line, part, bytes, agent_reads, outline_only }, report)
}

fn dialect(format: Format, options: &ReadOptions) -> Box<dyn Dialect> {
    match format {
        Format::Pi => Box::new(crate::pi::PiDialect::new(options.content)),
        Format::Claude => Box::new(crate::claude::ClaudeDialect::new(options.content)),
        Format::Codex => Box::new(crate::codex::CodexDialect::new(options.content)),
        Format::Dsh => Box::new(crate::dsh::DshDialect::new(options.content)),
    }
}

const NO_FORMAT: ReadError = ReadError::NotASession {
    format: None,
    reason: "nothing in it is written as Pi, Claude Code, Codex or DeepSeek Harness write their logs: choose a session file",
};

const BROKEN_PACK: ReadError =
    ReadError::NotASession { format: None, reason: "its zstd data can't be unpacked: copy the file again" };

/// What is recognised by its first bytes as something else.
pub(crate) fn refuse_foreign_bytes(head: &[u8]) -> Result<(), ReadError> {
    const MAGICS: [(&[u8], &str); 4] = [
        (b"\xff\xfe", "the file is UTF-16: convert it to UTF-8"),
        (b"\xfe\xff", "the file is UTF-16: convert it to UTF-8"),
        (b"\x1f\x8b", "the file is compressed (gzip): decompress it first"),
        (b"SQLite format 3\0", "the file is a SQLite database: choose a session file"),
    ];
    match MAGICS.iter().find(|(magic, _)| head.starts_with(magic)) {
        Some((_, reason)) => Err(ReadError::NotASession { format: None, reason }),
        None => Ok(()),
    }
}
