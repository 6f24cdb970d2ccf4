//! What a file's name says about the log in it.

use std::path::Path;

use super::fault::{FaultCode, Warning};
use super::format::Format;
use super::session::SessionLog;

/// A warning where the name that an agent gave the file names another session than the log. The log counts: people copy and
/// rename files.
pub fn name_fault(path: &Path, log: &SessionLog) -> Option<Warning> {
    let name = path.file_name()?.to_str()?;
    let stem = name.split_once(".jsonl")?.0;
    let header = log.header.as_ref()?;
    let named = match log.format? {
        Format::Pi => after_time(stem, "-000Z_")?,
        Format::Codex => after_time(stem.strip_prefix("rollout-")?, "-")?,
        Format::Claude => Some(stem).filter(|stem| is_uuid(stem))?,
        // Every log of the harness has the same name.
        Format::Dsh => return None,
    };
    (named != header.id).then(|| Warning {
        line: 1,
        code: FaultCode::NameMismatch,
        message: "the file's name has another identifier than the log: the log counts".to_owned(),
    })
}

/// What follows `YYYY-MM-DDTHH-MM-SS` and an ending like `like`, in which `0` stands for any digit.
fn after_time<'s>(stem: &'s str, like: &str) -> Option<&'s str> {
    let form = format!("0000-00-00T00-00-00{like}");
    let (time, rest) = stem.split_at_checked(form.len())?;
    let fits = |(byte, form): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
    time.bytes().zip(form.bytes()).all(fits).then_some(rest).filter(|rest| !rest.is_empty())
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found_behind_the_time() {
        let named = after_time("2026-03-02T09-00-00-123Z_my_session", "-000Z_");
        assert_eq!(named, Some("my_session"));
        assert_eq!(after_time("2026-03-02T09-00-00-0199b000", "-"), Some("0199b000"));
        assert_eq!(after_time("notes-of-2026", "-"), None);
        assert_eq!(after_time("2026-03-02T09-00-00-é", "-000Z_"), None);
        assert!(is_uuid("5e55105e-0000-4000-8000-000000000001") && !is_uuid("agent-a485154"));
    }
}
