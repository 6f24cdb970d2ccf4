//! Strings over a bound: cut out of a copy, kept once by their hash.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::message::hex;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

/// What was cut out of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlobCount {
    /// Strings replaced.
    pub strings: u64,
    /// Their bytes, as the log spells them.
    pub bytes: u64,
}

/// Passes a log on, with every string longer than a bound replaced by a short text of its hash, length and kind. Lines
/// without such a string keep their bytes. Memory is bounded by the bound, not by the line.
pub struct BlobCutter<W> {
    out: W,
    bound: usize,
    /// Folder of the strings cut out; `None` where they aren't kept.
    keep: Option<PathBuf>,
    /// The line so far, while it is shorter than the bound: nothing in it can be longer.
    line: Vec<u8>,
    scan: Option<Scan>,
    count: BlobCount,
}

/// Place within a line that is longer than the bound.
#[derive(Default)]
struct Scan {
    in_string: bool,
    escaped: bool,
    /// The string so far, while it may still be short.
    held: Vec<u8>,
    blob: Option<Blob>,
}

struct Blob {
    hash: Sha256,
    length: u64,
    kind: &'static str,
    file: Option<NamedTempFile>,
}

impl<W: Write> BlobCutter<W> {
    /// A cutter of strings longer than `bound` bytes; with `keep`, each is kept in that folder under its hash.
    pub fn new(out: W, bound: usize, keep: Option<&Path>) -> BlobCutter<W> {
        let keep = keep.map(Path::to_owned);
        BlobCutter { out, bound, keep, line: Vec::new(), scan: None, count: BlobCount::default() }
    }

    /// Passes the last line on.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn finish(mut self) -> io::Result<(W, BlobCount)> {
        self.end_line()?;
        self.out.flush()?;
        Ok((self.out, self.count))
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.out.write_all(&self.line)?;
        self.line.clear();
        // A line that ends within a string is torn: what stands for the string stays torn too.
        if let Some(mut scan) = self.scan.take() {
            match scan.blob.take() {
                Some(blob) => self.put_blob(blob)?,
                None => self.out.write_all(&scan.held)?,
            }
        }
        Ok(())
    }

    /// Bytes of one line, its line feed aside.
    fn within_line(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(mut scan) = self.scan.take() {
            self.scan(&mut scan, bytes)?;
            self.scan = Some(scan);
            return Ok(());
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > self.bound {
            let begun = std::mem::take(&mut self.line);
            let mut scan = Scan::default();
            self.scan(&mut scan, &begun)?;
            self.scan = Some(scan);
        }
        Ok(())
    }

    fn scan(&mut self, scan: &mut Scan, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if !scan.in_string {
                let end = memchr::memchr(b'"', bytes).map_or(bytes.len(), |at| at + 1);
                self.out.write_all(&bytes[..end])?;
                scan.in_string = bytes[end - 1] == b'"';
                bytes = &bytes[end..];
                continue;
            }
            let end = string_piece(bytes, &mut scan.escaped);
            self.within_string(scan, &bytes[..end])?;
            bytes = &bytes[end..];
            if bytes.first() == Some(&b'"') && !scan.escaped {
                match scan.blob.take() {
                    Some(blob) => self.put_blob(blob)?,
                    None => self.out.write_all(&scan.held)?,
                }
                scan.held.clear();
                self.out.write_all(b"\"")?;
                scan.in_string = false;
                bytes = &bytes[1..];
            }
        }
        Ok(())
    }

    fn within_string(&mut self, scan: &mut Scan, piece: &[u8]) -> io::Result<()> {
        if scan.blob.is_none() {
            scan.held.extend_from_slice(piece);
            if scan.held.len() <= self.bound {
                return Ok(());
            }
            scan.blob = Some(Blob::begin(&scan.held, self.keep.as_deref())?);
            let held = std::mem::take(&mut scan.held);
            return scan.blob.as_mut().map_or(Ok(()), |blob| blob.take(&held));
        }
        scan.blob.as_mut().map_or(Ok(()), |blob| blob.take(piece))
    }

    fn put_blob(&mut self, blob: Blob) -> io::Result<()> {
        self.count.strings += 1;
        self.count.bytes += blob.length;
        let sha256 = hex(&blob.hash.finalize());
        if let (Some(file), Some(folder)) = (blob.file, &self.keep) {
            file.as_file().sync_all()?;
            file.persist(folder.join(&sha256)).map_err(|failed| failed.error)?;
        }
        write!(self.out, "{}", stand_in(&sha256, blob.length, blob.kind))
    }
}

/// What stands in a copy in the place of a string.
pub fn stand_in(sha256: &str, length: u64, kind: &str) -> String {
    format!("[{kind} of {length} bytes, sha256:{sha256}]")
}

impl Blob {
    fn begin(head: &[u8], keep: Option<&Path>) -> io::Result<Blob> {
        let file = keep.map(NamedTempFile::new_in).transpose()?;
        Ok(Blob { hash: Sha256::new(), length: 0, kind: kind(head), file })
    }

    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.hash.update(piece);
        self.length += piece.len() as u64;
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(piece))
    }
}

/// What a long string seems to be, by its first bytes.
pub fn kind(head: &[u8]) -> &'static str {
    const IMAGES: [&[u8]; 5] = [b"iVBORw0KGgo", b"/9j/", b"R0lGOD", b"UklGR", b"data:image/"];
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    if IMAGES.iter().any(|magic| head.starts_with(magic)) {
        "image"
    } else if head.starts_with(b"data:") || head.iter().take(1024).all(is_base64) {
        "data"
    } else {
        "text"
    }
}

/// How many bytes belong to the string, up to its closing quote.
fn string_piece(bytes: &[u8], escaped: &mut bool) -> usize {
    let mut at = 0;
    if *escaped && !bytes.is_empty() {
        *escaped = false;
        at = 1;
    }
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        if at + 1 == bytes.len() {
            *escaped = true;
            return bytes.len();
        }
        at += 2;
    }
    bytes.len()
}

impl<W: Write> Write for BlobCutter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.within_line(&rest[..end])?;
            self.end_line()?;
            self.out.write_all(b"\n")?;
            rest = &rest[end + 1..];
        }
        self.within_line(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, bound: usize, piece: usize) -> (String, BlobCount) {
        let mut cutter = BlobCutter::new(Vec::new(), bound, None);
        for bytes in text.as_bytes().chunks(piece) {
            cutter.write_all(bytes).unwrap();
        }
        let (out, count) = cutter.finish().unwrap();
        (String::from_utf8(out).unwrap(), count)
    }

    #[test]
    fn a_long_string_is_replaced_in_any_pieces_and_the_rest_stays() {
        let long = format!("iVBORw0KGgo{}", "A".repeat(90));
        let text = format!(
            "{{\"a\":\"short \\\" \\\\\",\"data\":\"{long}\",\"b\":1}}\r\n\n{{\"c\":\"{}\"}}\n{{\"torn\":\"x",
            "q\\\"".repeat(20)
        );
        let hash = engine::message::sha256_hex(long.as_bytes());
        let wanted = text.replace(&long, &format!("[image of 101 bytes, sha256:{hash}]"));
        for piece in [1, 2, 7, 64, text.len()] {
            assert_eq!(
                cut(&text, 80, piece),
                (wanted.clone(), BlobCount { strings: 1, bytes: 101 }),
                "{piece}"
            );
        }
        assert_eq!(cut(&text, 101, 5), (text.clone(), BlobCount::default()));
    }

    proptest::proptest! {
        #[test]
        fn lines_parse_as_they_did_and_only_long_strings_change(
            strings in proptest::collection::vec("(a|é|\"|\\\\|\n|Q){0,40}", 1..12), bound in 10usize..60, piece in 1usize..50,
        ) {
            let lines: Vec<String> = strings.iter().map(|text| serde_json::json!({"t": text, "n": [1, text]}).to_string()).collect();
            let text = lines.join("\n");
            let (out, count) = cut(&text, bound, piece);
            let mut replaced = 0;
            for (old, new) in lines.iter().zip(out.split('\n')) {
                let (old, new): (serde_json::Value, serde_json::Value) =
                    (serde_json::from_str(old).unwrap(), serde_json::from_str(new).unwrap());
                for at in ["/t", "/n/1"] {
                    let (old, new) = (old.pointer(at).unwrap(), new.pointer(at).unwrap());
                    let spelled = old.to_string().len() - 2;
                    replaced += u64::from(spelled > bound);
                    proptest::prop_assert_eq!(old == new, spelled <= bound);
                }
            }
            proptest::prop_assert_eq!(count.strings, replaced);
            proptest::prop_assert_eq!(out.split('\n').count(), lines.len());
        }
    }

    #[test]
    fn a_line_torn_within_a_long_string_stays_torn() {
        let text = format!("{{\"a\":\"{}\n{{\"b\":1}}\n", "x y ".repeat(30));
        let (out, count) = cut(&text, 50, 3);
        assert_eq!(count, BlobCount { strings: 1, bytes: 120 });
        assert!(out.starts_with("{\"a\":\"[text of 120 bytes, sha256:"), "{out}");
        assert!(out.ends_with("]\n{\"b\":1}\n"), "{out}");
    }
}
