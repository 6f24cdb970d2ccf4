//! Key material and tokens of open standards.

use super::kind::{Check, Kind, Left, pattern, token};

pub(super) static KINDS: &[Kind] = &[
    pattern(
        "private-key",
        &["-----BEGIN ", "---- BEGIN SSH2 "],
        Left::Any,
        KEY_BLOCK,
        Check::KeyBlock,
        &[
            "«-----BEGIN RSA PRIVATE KEY-----\n{b64:64}\n{b64:64}\n{b64:20}==\n-----END RSA PRIVATE KEY-----»\nnext",
            "{\"private_key\": \"«-----BEGIN PRIVATE KEY-----\\n{b64:64}\\n{b64:44}\\n-----END PRIVATE KEY-----»\\n\"}",
            "«-----BEGIN OPENSSH PRIVATE KEY-----\n{b64:70}\n{b64:70}\n-----END OPENSSH PRIVATE KEY-----»",
            "«-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX:32}\n\n{b64:64}\n-----END RSA PRIVATE KEY-----»",
            "«-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{b64:64}\n={b64:4}\n-----END PGP PRIVATE KEY BLOCK-----»",
            "torn «-----BEGIN EC PRIVATE KEY-----\n{b64:64}\n{b64:30}»",
            "k: |\n  «-----BEGIN PRIVATE KEY-----\n  {b64:64}\n  {b64:64}\n  -----END PRIVATE KEY-----»",
        ],
        &[
            "if text.starts_with(\"-----BEGIN PRIVATE KEY-----\") { return true; }",
            "pem.replace(\"-----BEGIN PRIVATE KEY-----\", \"\").replace(\"-----END PRIVATE KEY-----\", \"\")",
            "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
            "-----BEGIN PUBLIC KEY-----\n{b64:64}\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\n{b64:64}\n-----END CERTIFICATE-----",
        ],
    ),
    pattern(
        "putty-private-key",
        &["Private-Lines: "],
        Left::Any,
        r"Private-Lines: \d{1,3}[\r\n]{1,2}(?<s>(?:[A-Za-z0-9+/=]{20,76}[\r\n]{1,2})+)",
        Check::Any,
        &[
            "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n«{b64:64}\n{b64:64}\n»Private-MAC: 1",
        ],
        &["Private-Lines: 14 is the header"],
    ),
    token(
        "age-secret-key",
        &["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"],
        r"(?<s>AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,80})",
        &["«AGE-SECRET-KEY-1{upper:58}»"],
        &["AGE-SECRET-KEY-1..."],
    ),
    pattern(
        "jwt",
        &["eyJ"],
        Left::Edge,
        r"(?<s>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]{8,})?)",
        Check::Any,
        &["cookie=«{jwt}»;", "token: «{jwt}»"],
        &["eyJhbGciOi.short", "eyJ is how an object begins"],
    ),
];

/// The label of a private key and what follows: to its end line over what a key's body may hold; without an end line, as long
/// as lines of base64 follow. Line breaks may be escaped, lines may be quoted or indented.
const KEY_BLOCK: &str = concat!(
    r"(?<s>-----? ?BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-----?(?:",
    r#"(?:[A-Za-z0-9+/=\s\\"',:>|#*._]|-[A-Za-z0-9]){16,}?-----? ?END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-----?"#,
    r#"|(?:(?:[\s"'>+,|#]|\\{1,4}[nr]|\\")*[A-Za-z0-9+/]{16,}={0,2})+))"#,
);
