//! Bytes to framed lines: one way for a whole file and for what is appended to a live one.

use std::io::{self, BufRead};

use engine::message::Json;

use super::fault::FaultCode;
use super::frame::{Framed, Part, frame};
use super::long_line::MemberScan;

/// One line of a log with the objects in it.
#[derive(Debug)]
pub(crate) struct Line<'l> {
    /// 1-based.
    pub(crate) number: u64,
    /// Place of its first byte in the log.
    pub(crate) offset: u64,
    /// Its bytes, the line feed included.
    pub(crate) length: u64,
    /// Whether a line feed ends it.
    pub(crate) ended: bool,
    /// What stands on it. `None` for a blank line.
    pub(crate) content: Option<Content<'l>>,
    /// Whether a byte order mark was taken off the start of the log.
    pub(crate) bom: bool,
}

/// What stands on a line.
#[derive(Debug)]
pub(crate) struct Content<'l> {
    /// The objects, placed within the line.
    pub(crate) framed: Framed<'l>,
    /// Whether the line is longer than the limit, so that only its short members were taken.
    pub(crate) too_long: bool,
    /// Whether the line begins like an object. Of a line without objects it tells a torn one from foreign text.
    pub(crate) begins_object: bool,
}

/// A line as it was read.
enum Raw {
    /// All of its bytes are in the buffer.
    Whole,
    /// It is longer than the limit.
    TooLong { members: Json<'static>, length: u64, ended: bool },
    /// There is no further line.
    End,
}

/// Splits a log into lines. Only line feeds end a line; U+2028 and lone carriage returns are data.
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    limit: usize,
    number: u64,
    offset: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of a log from `number` (of the last line before) and `offset` on.
    pub(crate) fn from(reader: R, limit: usize, number: u64, offset: u64) -> Lines<R> {
        Lines { reader, buffer: Vec::new(), limit, number, offset }
    }

    /// Number of the last line read.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Hands the next line to `take`; `None` at the end.
    pub(crate) fn next<T>(&mut self, take: impl FnOnce(Line<'_>) -> T) -> io::Result<Option<T>> {
        let (number, offset) = (self.number + 1, self.offset);
        let line = match self.read()? {
            Raw::End => return Ok(None),
            Raw::TooLong { members, length, ended } => {
                self.offset += length;
                let bytes = 0..(length - u64::from(ended)) as usize;
                let framed = Framed {
                    parts: vec![Part { json: members, bytes }],
                    agent_reads: true,
                    ..Framed::default()
                };
                let content = Content { framed, too_long: true, begins_object: true };
                Line { number, offset, length, ended, content: Some(content), bom: false }
            }
            Raw::Whole => {
                self.offset += self.buffer.len() as u64;
                line(&self.buffer, number, offset)
            }
        };
        self.number = number;
        Ok(Some(take(line)))
    }

    fn read(&mut self) -> io::Result<Raw> {
        self.buffer.clear();
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok(if self.buffer.is_empty() { Raw::End } else { Raw::Whole });
            }
            let end = memchr::memchr(b'\n', available);
            let taken = end.map_or(available.len(), |at| at + 1);
            self.buffer.extend_from_slice(&available[..taken]);
            self.reader.consume(taken);
            if end.is_some() && self.buffer.len() <= self.limit {
                return Ok(Raw::Whole);
            }
            if self.buffer.len() > self.limit {
                return self.pass_over(end.is_some());
            }
        }
    }

    /// The rest of a line beyond the limit.
    fn pass_over(&mut self, mut ended: bool) -> io::Result<Raw> {
        let mut scan = MemberScan::default();
        scan.take(&self.buffer);
        let mut length = self.buffer.len() as u64;
        self.buffer = Vec::new();
        while !ended {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', available);
            let taken = end.map_or(available.len(), |at| at + 1);
            scan.take(&available[..taken]);
            length += taken as u64;
            ended = end.is_some();
            self.reader.consume(taken);
        }
        Ok(Raw::TooLong { members: scan.finish(), length, ended })
    }
}

/// One line from its bytes.
pub(crate) fn line(raw: &[u8], number: u64, offset: u64) -> Line<'_> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let ended = raw.last() == Some(&b'\n');
    let mut text = if ended { &raw[..raw.len() - 1] } else { raw };
    let bom = number == 1 && text.starts_with(MARK);
    let skipped = if bom { MARK.len() } else { 0 };
    text = &text[skipped..];
    let content = (!text.iter().all(u8::is_ascii_whitespace)).then(|| {
        let mut framed = frame(text);
        for part in &mut framed.parts {
            part.bytes = part.bytes.start + skipped..part.bytes.end + skipped;
        }
        Content { framed, too_long: false, begins_object: text.trim_ascii_start().starts_with(b"{") }
    });
    Line { number, offset, length: raw.len() as u64, ended, content, bom }
}

/// What is wrong with the frame of a line, with the sentence for it.
pub(crate) fn framing_faults(line: &Line<'_>) -> Vec<(FaultCode, String)> {
    let mut found = Vec::new();
    if line.bom {
        found.push((FaultCode::Bom, "a byte order mark starts the file: ignored".to_owned()));
    }
    let Some(content) = &line.content else { return found };
    if content.too_long {
        let message = "longer than the limit: only its identifier, parent and type were taken";
        found.push((FaultCode::LineTooLong, message.to_owned()));
        if !line.ended {
            found.push((FaultCode::TornTail, "the last line has no end".to_owned()));
        }
        return found;
    }
    let framed = &content.framed;
    let recovered = framed.parts.len();
    for fault in &framed.faults {
        let torn = !line.ended && framed.cut;
        match fault {
            FaultCode::UnparsableLine | FaultCode::FusedLine if torn && recovered == 0 => {
                found.push((FaultCode::TornTail, "the last line is cut off: dropped".to_owned()));
            }
            FaultCode::FusedLine if torn => {
                let message = format!(
                    "the last line is cut off behind {recovered} complete objects that the agent doesn't read"
                );
                found.push((FaultCode::TornTail, message));
                found.push((*fault, format!("{recovered} complete objects and a cut one on one line")));
            }
            _ => found.push((*fault, sentence(*fault, framed.cut, recovered))),
        }
    }
    found
}

fn sentence(fault: FaultCode, cut: bool, recovered: usize) -> String {
    let fixed = match fault {
        FaultCode::FusedLine if cut => {
            return format!(
                "a cut object and {recovered} complete ones on one line: the agent reads none, {recovered} salvaged"
            );
        }
        FaultCode::FusedLine => {
            return format!("{recovered} objects on one line: the agent reads none, all salvaged");
        }
        FaultCode::UnparsableLine => "not JSON: skipped, as the agent skips it",
        FaultCode::TooDeep => "nested deeper than 128 levels: skipped, though the agent may read it",
        FaultCode::Bom => "a byte order mark inside the file: the agent skips the line, salvaged",
        FaultCode::InvalidUtf8 => "bytes that aren't UTF-8: read as U+FFFD",
        FaultCode::LoneSurrogate => "half a surrogate pair: read as U+FFFD",
        FaultCode::NulPadding => "NUL bytes around the object: the agent skips the line, salvaged",
        other => other.code(),
    };
    fixed.to_owned()
}
