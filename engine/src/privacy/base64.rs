//! Base64, as far as a credential needs it.

/// The bytes that standard or URL-safe base64 stands for, padded or not; `None` for anything else.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in digits.bytes() {
        bits = bits << 6 | value(byte)?;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xff).expect("masked to one byte"));
        }
    }
    Some(out)
}

fn value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn text_padded_or_not_and_nothing_else() {
        assert_eq!(decode("dXNlcjpwYXNz").as_deref(), Some(&b"user:pass"[..]));
        assert_eq!(decode("YTpi").as_deref(), Some(&b"a:b"[..]));
        assert_eq!(decode("YTpiYw==").as_deref(), Some(&b"a:bc"[..]));
        assert_eq!(decode("YTpiYw").as_deref(), Some(&b"a:bc"[..]));
        assert_eq!(decode("a b"), None);
        assert_eq!(decode("abcde"), None);
    }
}
