//! Distilled lines as rows, and rows as the lines that the common reader takes.

use engine::message::Json;
use rusqlite::{Connection, Row, params};

use super::unsigned::Unsigned;
use crate::log::FaultCode;
use crate::log::distil::distil;
use crate::log::frame::{Framed, Part};
use crate::log::line::{Content, Line};

const BOM: u8 = 1;
const TOO_LONG: u8 = 2;
const BEGINS_OBJECT: u8 = 4;
const AGENT_READS: u8 = 8;
const CUT: u8 = 16;

/// Keeps a complete line.
pub(super) fn insert(db: &Connection, generation: i64, line: &Line<'_>) -> rusqlite::Result<()> {
    let flags = flags(line);
    let content = line.content.as_ref();
    let faults: Vec<&str> = content
        .map_or(Vec::new(), |content| content.framed.faults.iter().map(|fault| fault.code()).collect());
    db.prepare_cached("INSERT INTO lines VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute(params![
        generation,
        Unsigned(line.number),
        Unsigned(line.offset),
        Unsigned(line.length),
        flags,
        faults.join(" "),
        content.map(|content| parts_text(&content.framed.parts)),
    ])?;
    Ok(())
}

fn flags(line: &Line<'_>) -> u8 {
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let content = line.content.as_ref().map_or(0, |content| {
        flag(content.too_long, TOO_LONG)
            | flag(content.begins_object, BEGINS_OBJECT)
            | flag(content.framed.agent_reads, AGENT_READS)
            | flag(content.framed.cut, CUT)
    });
    flag(line.bom, BOM) | content
}

/// `[[start, end, object], …]`
fn parts_text(parts: &[Part<'_>]) -> String {
    let number = |place: usize| Json::Number((place as u64).into());
    let part = |part: &Part<'_>| {
        Json::Array(vec![number(part.bytes.start), number(part.bytes.end), distil(&part.json)])
    };
    Json::Array(parts.iter().map(part).collect()).to_source_order()
}

/// A line as it is kept.
pub(super) struct StoredLine {
    number: u64,
    offset: u64,
    length: u64,
    flags: u8,
    faults: String,
    parts: Option<String>,
}

impl StoredLine {
    pub(super) const COLUMNS: &str = "number, start, length, flags, faults, parts";

    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<StoredLine> {
        Ok(StoredLine {
            number: row.get::<_, Unsigned>(0)?.0,
            offset: row.get::<_, Unsigned>(1)?.0,
            length: row.get::<_, Unsigned>(2)?.0,
            flags: row.get(3)?,
            faults: row.get(4)?,
            parts: row.get(5)?,
        })
    }

    /// The line; `None` where the row holds something that was never written.
    pub(super) fn line(&self) -> Option<Line<'_>> {
        let flag = |flag: u8| self.flags & flag != 0;
        let content = match &self.parts {
            None => None,
            Some(text) => Some(Content {
                framed: Framed {
                    parts: parts(text)?,
                    agent_reads: flag(AGENT_READS),
                    faults: self.faults.split_whitespace().map(fault).collect::<Option<Vec<_>>>()?,
                    cut: flag(CUT),
                },
                too_long: flag(TOO_LONG),
                begins_object: flag(BEGINS_OBJECT),
            }),
        };
        Some(Line {
            number: self.number,
            offset: self.offset,
            length: self.length,
            ended: true,
            content,
            bom: flag(BOM),
        })
    }
}

fn fault(code: &str) -> Option<FaultCode> {
    FaultCode::ALL.iter().find(|fault| fault.code() == code).copied()
}

fn parts(text: &str) -> Option<Vec<Part<'_>>> {
    let Json::Array(items) = serde_json::from_str(text).ok()? else { return None };
    items.into_iter().map(part).collect()
}

fn part(item: Json<'_>) -> Option<Part<'_>> {
    let Json::Array(fields) = item else { return None };
    let [start, end, json] = <[Json<'_>; 3]>::try_from(fields).ok()?;
    let place = |field: Json<'_>| field.as_count().and_then(|count| usize::try_from(count).ok());
    Some(Part { json, bytes: place(start)?..place(end)? })
}
