//! JSON, written by hand: the documents are flat and the crate has no dependencies.

use std::collections::BTreeMap;

use crate::affected::Affected;
use crate::schedule::Schedule;

/// `{"total": seconds, "slots": [...]}`.
pub fn schedule(schedule: &Schedule) -> String {
    let slots: Vec<String> = schedule
        .slots
        .iter()
        .map(|slot| {
            format!(
                "{{\"package\":{},\"worker\":{},\"start\":{},\"end\":{}}}",
                string(&slot.package),
                slot.worker,
                slot.start.as_secs(),
                slot.end.as_secs()
            )
        })
        .collect();
    format!(
        "{{\"total\":{},\"slots\":[{}]}}\n",
        schedule.total().as_secs(),
        slots.join(",")
    )
}

/// `{"directly": [...], "all": [...], "outside": [...]}`.
pub fn affected(affected: &Affected) -> String {
    format!(
        "{{\"directly\":{},\"all\":{},\"outside\":{}}}\n",
        list(affected.directly.iter()),
        list(affected.all.iter()),
        list(affected.outside.iter())
    )
}

/// An object of strings.
pub fn object(entries: &BTreeMap<String, String>) -> String {
    let fields: Vec<String> = entries
        .iter()
        .map(|(name, value)| format!("{}:{}", string(name), string(value)))
        .collect();
    format!("{{{}}}\n", fields.join(","))
}

fn list<'a>(entries: impl Iterator<Item = &'a String>) -> String {
    let entries: Vec<String> = entries.map(|entry| string(entry)).collect();
    format!("[{}]", entries.join(","))
}

/// A JSON string with everything escaped that must be (RFC 8259, section 7).
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other if (other as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", other as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
