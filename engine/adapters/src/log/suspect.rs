//! Signs that damage, not a newer release, made something unknown.

use engine::message::Json;

/// The name that a member probably had before one of its bytes was changed: one of `names` that the object lacks, while a
/// member whose name isn't among them is that close to it. New names of later releases aren't.
pub(crate) fn damaged_name(json: &Json<'_>, names: &[&'static str]) -> Option<&'static str> {
    let members = json.as_object()?;
    let unknown = members.iter().map(|(member, _)| member.as_ref()).filter(|member| !names.contains(member));
    let mut missing = names.iter().filter(|name| json.get(name).is_none()).peekable();
    missing.peek()?;
    let unknown: Vec<&str> = unknown.collect();
    missing.find(|name| unknown.iter().any(|member| is_near(name.as_bytes(), member.as_bytes()))).copied()
}

/// Whether one changed byte of the JSON text makes one name of the other: one byte differs, or a backslash has swallowed
/// the byte behind it to an escape, which leaves one byte for two.
pub(crate) fn is_near(name: &[u8], damaged: &[u8]) -> bool {
    let prefix = name.iter().zip(damaged).take_while(|(a, b)| a == b).count();
    let (name, damaged) = (&name[prefix..], &damaged[prefix..]);
    let suffix = name.iter().rev().zip(damaged.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&name[..name.len() - suffix], &damaged[..damaged.len() - suffix]) {
        ([_], [_]) => true,
        ([_, swallowed], [escape]) => escaped(*swallowed) == Some(*escape),
        _ => false,
    }
}

/// What a backslash makes of the letter behind it (RFC 8259, section 7).
fn escaped(letter: u8) -> Option<u8> {
    match letter {
        b'b' => Some(0x08),
        b'f' => Some(0x0c),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        _ => None,
    }
}

/// Whether an object of an unknown kind tells billed tokens, by itself or in one of its members: what it told is missing
/// from the sums then.
pub(crate) fn tells_usage(json: &Json<'_>, names: &[&'static str]) -> bool {
    let tells = |json: &Json<'_>| {
        names.iter().any(|name| json.get(name).is_some_and(|usage| usage.as_object().is_some()))
    };
    tells(json) || json.as_object().unwrap_or(&[]).iter().any(|(_, member)| tells(member))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_name_one_byte_away_from_a_missing_one_is_damaged() {
        let names = ["usage", "role", "content"];
        assert_eq!(damaged_name(&json(r#"{"role":1,"usagf":1}"#), &names), Some("usage"));
        assert_eq!(
            damaged_name(&json(r#"{"co\tent":1,"role":1,"usage":1}"#), &names),
            Some("content"),
            "an escape"
        );
        assert_eq!(damaged_name(&json(r#"{"usage":1,"usagf":1,"content":1}"#), &names), None, "it is there");
        assert_eq!(
            damaged_name(&json(r#"{"usages":1,"rolls":1,"xole5":1}"#), &names),
            None,
            "others are further away"
        );
        assert_eq!(damaged_name(&json("[1]"), &names), None);
        assert_eq!(damaged_name(&json(r#"{"x":1}"#), &["id"]), None, "no escape makes x of id");
    }

    #[test]
    fn usage_is_seen_in_unknown_objects() {
        assert!(tells_usage(&json(r#"{"message":{"usage":{"input":1}}}"#), &["usage"]));
        assert!(!tells_usage(&json(r#"{"message":{"usage":null},"data":{"text":"usage"}}"#), &["usage"]));
    }
}
