//! A line beyond the limit: its identifier, parent and type are taken from the bytes as they pass by.

use std::borrow::Cow;

use engine::message::Json;

/// Names and values longer than this are passed over: what links an entry to its tree is short.
const LONGEST: usize = 256;

/// Collects the short strings, numbers and literals among the members of one object, in constant memory.
#[derive(Debug, Default)]
pub(crate) struct MemberScan {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// Bytes of the member that is being read; empty above the first level.
    token: Vec<u8>,
    overlong: bool,
    members: Vec<(Cow<'static, str>, Json<'static>)>,
}

impl MemberScan {
    /// Takes the next bytes of the line.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.byte(*byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return self.keep(byte);
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => return self.end_member(),
            _ => {}
        }
        self.keep(byte);
    }

    fn keep(&mut self, byte: u8) {
        // The brace that opens the object is no part of a member.
        let is_opening = self.depth == 1 && byte == b'{' && self.token.is_empty();
        if self.depth == 0 || self.overlong || is_opening {
            return;
        }
        self.token.push(byte);
        self.overlong = self.token.len() > LONGEST;
    }

    fn end_member(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.overlong) {
            return;
        }
        let object = [b"{".as_slice(), &token, b"}"].concat();
        if let Ok(Json::Object(members)) = serde_json::from_slice::<Json<'_>>(&object) {
            let short = members.into_iter().filter(|(_, value)| {
                matches!(value, Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Null)
            });
            self.members
                .extend(short.map(|(name, value)| (Cow::Owned(name.into_owned()), value.into_owned())));
        }
    }

    /// The members found, as an object.
    pub(crate) fn finish(mut self) -> Json<'static> {
        self.end_member();
        Json::Object(self.members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_members_around_a_long_one_are_found_in_any_pieces() {
        let long = "x{\\\"[,".repeat(400);
        let line = format!(
            r#"{{"parentUuid":"p","message":{{"id":"inner","content":"{long}"}},"n":-1.5,"a":[1],"uuid":"u, \"q\""}}"#
        );
        for size in [1, 7, line.len()] {
            let mut scan = MemberScan::default();
            line.as_bytes().chunks(size).for_each(|piece| scan.take(piece));
            let found = scan.finish();
            assert_eq!(found.to_source_order(), r#"{"parentUuid":"p","n":-1.5,"uuid":"u, \"q\""}"#);
        }
    }

    #[test]
    fn a_cut_line_keeps_what_came_before_the_cut() {
        let mut scan = MemberScan::default();
        scan.take(br#"{"type":"message","id":"a","message":{"content":"xx"#);
        assert_eq!(scan.finish().to_source_order(), r#"{"type":"message","id":"a"}"#);
    }
}
