//! What a name says about its value: `DB_PASSWORD`, `apiKey`, `x-auth-token` hold secrets; `max_tokens`, `primaryKey` don't.

use super::words::{OTHER_TOKENS, PUBLIC_KEYS, SECRET_KEYS, TRAILING};

/// Longest name looked at. A longer run of letters is data.
const MAX_NAME: usize = 80;

/// What a name says that its value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A password or a passphrase: often short, often pronounceable.
    Password,
    /// A key to an interface.
    ApiKey,
    /// A token.
    Token,
    /// A secret.
    Secret,
    /// Credentials, whatever they are.
    Credential,
    /// A key of which the name tells the use: encryption, signing, access.
    Key,
    /// A key of which the name tells nothing: only a value that can't be anything else is a secret.
    SomeKey,
    /// A signature or a code, which opens something only as a part of an address.
    Signature,
}

impl Meaning {
    /// The kind of the finding.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Meaning::Password => "password",
            Meaning::ApiKey => "api-key",
            Meaning::Token => "token",
            Meaning::Secret | Meaning::Signature => "secret",
            Meaning::Credential => "credential",
            Meaning::Key | Meaning::SomeKey => "key",
        }
    }
}

/// The name around `at..end`, as a range of `text`: letters, digits, `_`, `.` and `-`, without the marks at its ends. `None`
/// where the run is too long for a name.
pub(super) fn around(text: &str, at: usize, end: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let mut start = at;
    while start > 0 && part(bytes[start - 1]) && at - start <= MAX_NAME {
        start -= 1;
    }
    let mut stop = end;
    while stop < bytes.len() && part(bytes[stop]) && stop - end <= MAX_NAME {
        stop += 1;
    }
    // `\n`, `\r` and `\t` of an escaped line break belong to no name.
    if start < at && start > 0 && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b'r' | b't') {
        start += 1;
    }
    while start < at && matches!(bytes[start], b'.' | b'-') {
        start += 1;
    }
    while stop > end && matches!(bytes[stop - 1], b'.' | b'-') {
        stop -= 1;
    }
    (stop - start <= MAX_NAME).then_some(start..stop)
}

/// What a name says about its value, if it says that it is a secret.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let words = words(name);
    let mut rest: &[String] = &words;
    while let [head @ .., last] = rest {
        let number = last.bytes().all(|b| b.is_ascii_digit());
        if head.is_empty() || !(number || TRAILING.contains(last)) {
            break;
        }
        rest = head;
    }
    let (last, before) = rest.split_last()?;
    let previous = before.last().map_or("", String::as_str);
    match last.as_str() {
        "oldpwd" => None,
        "pass" | "pw" | "pwd" => Some(Meaning::Password),
        "apikey" | "apikeys" | "appkey" => Some(Meaning::ApiKey),
        "authtoken" | "accesstoken" => Some(Meaning::Token),
        "token" => (!OTHER_TOKENS.contains(previous)).then_some(Meaning::Token),
        "jwt" | "pat" | "bearer" => Some(Meaning::Token),
        "credential" | "credentials" | "cred" | "creds" | "auth" => Some(Meaning::Credential),
        "sig" | "signature" => Some(Meaning::Signature),
        "key" => key_meaning(before),
        _ => joined_meaning(last),
    }
}

fn key_meaning(before: &[String]) -> Option<Meaning> {
    if before.last().is_some_and(|w| PUBLIC_KEYS.contains(w)) || before.iter().any(|w| w == "public") {
        return None;
    }
    if before.last().is_some_and(|w| w == "api") {
        return Some(Meaning::ApiKey);
    }
    Some(if before.iter().any(|w| SECRET_KEYS.contains(w)) { Meaning::Key } else { Meaning::SomeKey })
}

/// Words written without a mark between them: `dbpassword`, `clientsecret`, `privatekey`.
fn joined_meaning(word: &str) -> Option<Meaning> {
    const ENDINGS: &[(&str, Meaning)] = &[
        ("password", Meaning::Password),
        ("passwd", Meaning::Password),
        ("passphrase", Meaning::Password),
        ("passcode", Meaning::Password),
        ("pwd", Meaning::Password),
        ("secret", Meaning::Secret),
        ("apikey", Meaning::ApiKey),
        ("token", Meaning::Token),
        ("accesskey", Meaning::Key),
        ("privatekey", Meaning::Key),
        ("secretkey", Meaning::Key),
        ("credential", Meaning::Credential),
    ];
    ENDINGS.iter().find(|(ending, _)| word.ends_with(ending)).map(|(_, meaning)| *meaning)
}

/// The words of a name, lower case: split at marks, at a capital after a small letter, and where digits begin.
pub(super) fn words(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).flat_map(camel_words).collect()
}

/// The words of a run of letters and digits.
pub(super) fn camel_words(run: &str) -> Vec<String> {
    let bytes = run.as_bytes();
    let mut words = Vec::new();
    let mut from = 0;
    for at in 1..bytes.len() {
        let (left, right) = (bytes[at - 1], bytes[at]);
        let hump = left.is_ascii_lowercase() && right.is_ascii_uppercase();
        let acronym = left.is_ascii_uppercase()
            && right.is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let number = left.is_ascii_alphabetic()
            && right.is_ascii_digit()
            && bytes[at..].iter().all(u8::is_ascii_digit);
        if hump || acronym || number {
            words.push(run[from..at].to_ascii_lowercase());
            from = at;
        }
    }
    words.push(run[from..].to_ascii_lowercase());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_hold() {
        for (name, expected) in [
            ("DB_PASSWORD", Meaning::Password),
            ("PGPASSWORD", Meaning::Password),
            ("db.pass", Meaning::Password),
            ("userPwd2", Meaning::Password),
            ("STAGING_DB_PASSWORD_PROD", Meaning::Password),
            ("apiKey", Meaning::ApiKey),
            ("X-API-Key", Meaning::ApiKey),
            ("OPENAI_APIKEY", Meaning::ApiKey),
            ("accessToken", Meaning::Token),
            ("_authToken", Meaning::Token),
            ("client_secret", Meaning::Secret),
            ("SECRET_KEY_BASE", Meaning::Key),
            ("aws_secret_access_key", Meaning::Key),
            ("STRIPE_KEY", Meaning::SomeKey),
            ("key", Meaning::SomeKey),
        ] {
            assert_eq!(meaning(name), Some(expected), "{name}");
        }
        for name in [
            "max_tokens",
            "token_count",
            "nextPageToken",
            "primaryKey",
            "cache_key",
            "public_key",
            "keyboard",
            "secretName",
            "password_hash",
            "passwordFile",
            "compass",
            "tokenizer",
            "OLDPWD",
            "key_id",
            "websocket-key",
            "monkey",
        ] {
            assert_eq!(meaning(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_is_found_around_a_part_of_it() {
        let text = r"a\nDB_PASSWORD_2=x";
        let at = text.find("PASS").unwrap();
        assert_eq!(&text[around(text, at, at + 4).unwrap()], "DB_PASSWORD_2");
        let run = "a".repeat(200);
        assert_eq!(around(&run, 100, 103), None);
    }
}
