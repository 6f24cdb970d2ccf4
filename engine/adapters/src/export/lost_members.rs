//! Members of Pi's own entries that the model doesn't hold.

use engine::message::Json;

use super::entries::Draft;
use super::loss::{LossCode, Losses};

/// Notes members of a Pi entry that its export lacks.
pub(super) fn note_lost_members(raw: &Json<'_>, draft: &Draft, losses: &mut Losses) {
    const WRITTEN: [&str; 6] =
        ["type", "id", "parentId", "timestamp", "firstKeptEntryIndex", "firstKeptEntryId"];
    if raw.str_at("type") != Some(&draft.kind) {
        return;
    }
    let Some(members) = raw.as_object() else { return };
    for (name, value) in members {
        let written = draft.members.iter().find(|(written, _)| written == name).map(|(_, value)| value);
        let referred = draft.references.iter().any(|(written, _)| written == name);
        if !referred && !WRITTEN.contains(&name.as_ref()) {
            compare(&format!("{}.{name}", draft.kind), value, written, losses);
        }
    }
}

/// Notes what of a value isn't written.
fn compare(place: &str, raw: &Json<'_>, written: Option<&Json<'static>>, losses: &mut Losses) {
    match (raw, written) {
        (Json::Null, _) => {}
        (_, None) => losses.note(LossCode::Member, place),
        // What a tool was asked and what it declares are kept as they are, their own members with them.
        _ if place.ends_with(".arguments") || place.ends_with(".toolsAdded") => {}
        // Its parts have a code of their own.
        _ if place.ends_with(".cost") => {}
        (Json::Object(members), Some(written)) => {
            let place = match raw.str_at("role") {
                Some(role) => format!("{place}.{role}"),
                None => place.to_owned(),
            };
            for (name, value) in members {
                compare(&format!("{place}.{name}"), value, written.get(name), losses);
            }
        }
        (Json::Array(items), Some(Json::Array(written))) if items.len() == written.len() => {
            for (item, written) in items.iter().zip(written) {
                compare(place, item, Some(written), losses);
            }
        }
        _ => {}
    }
}
