//! The log's bytes, read again for what the model keeps by hash only.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use engine::message::{Json, sha256_hex};

use crate::log::frame::frame;
use crate::log::read::ZSTD;

/// Reads a range of bytes of the log.
pub type ReadRange<'s> = dyn FnMut(Range<u64>) -> io::Result<Vec<u8>> + 's;

/// The bytes of a log, where they are at hand.
#[derive(Default)]
pub enum Source<'s> {
    /// They aren't: the log is gone, or packed.
    #[default]
    Absent,
    /// They are.
    Present(Box<ReadRange<'s>>),
}

impl Source<'static> {
    /// The bytes of a file. Places in a packed log are places in what it unpacks to, so its bytes count as absent.
    ///
    /// # Errors
    /// Where the file can't be read.
    pub fn of_file(file: File) -> io::Result<Source<'static>> {
        let mut head = [0; ZSTD.len()];
        let filled = file.read_at(&mut head, 0)?;
        if head[..filled] == *ZSTD {
            return Ok(Source::Absent);
        }
        Ok(Source::Present(Box::new(move |bytes: Range<u64>| {
            let length = usize::try_from(bytes.end.saturating_sub(bytes.start)).map_err(io::Error::other)?;
            let mut read = vec![0; length];
            file.read_exact_at(&mut read, bytes.start)?;
            Ok(read)
        })))
    }
}

impl Source<'_> {
    /// The object at a place; `None` where the bytes aren't at hand or have become something else.
    pub(super) fn object(&mut self, bytes: Range<u64>) -> io::Result<Option<Json<'static>>> {
        let Source::Present(read) = self else { return Ok(None) };
        let bytes = read(bytes)?;
        let mut framed = frame(&bytes);
        let alone = framed.parts.len() == 1;
        Ok(if alone { framed.parts.pop().map(|part| part.json.into_owned()) } else { None })
    }

    pub(super) fn is_present(&self) -> bool {
        matches!(self, Source::Present(_))
    }
}

/// The data of an image somewhere in an object: the string of its length and hash, also behind the head of a data URL.
pub(super) fn image_data<'j>(json: &'j Json<'_>, sha256: &str, bytes: u64) -> Option<&'j str> {
    let found = strings(json, &mut |text| {
        let is_it = |data: &str| data.len() as u64 == bytes && sha256_hex(data.as_bytes()) == sha256;
        is_it(text).then_some(()).or_else(|| is_it(text.split_once(',')?.1).then_some(()))
    })?;
    Some(match found.strip_prefix("data:").and_then(|url| url.split_once(',')) {
        Some((_, data)) => data,
        None => found,
    })
}

/// The first string, in the order of the text, for which `wanted` answers.
fn strings<'j>(json: &'j Json<'_>, wanted: &mut impl FnMut(&str) -> Option<()>) -> Option<&'j str> {
    match json {
        Json::String(text) => wanted(text).map(|()| text.as_ref()),
        Json::Array(items) => items.iter().find_map(|item| strings(item, wanted)),
        Json::Object(members) => members.iter().find_map(|(_, member)| strings(member, wanted)),
        _ => None,
    }
}

/// Whether the block of the model's reasoning that has this signature was redacted: its signature is the payload then,
/// and Pi has to send it in another form.
pub(super) fn is_redacted(json: &Json<'_>, signature: &str) -> bool {
    match json {
        Json::Array(items) => items.iter().any(|item| is_redacted(item, signature)),
        Json::Object(members) => {
            let marked = json.get("redacted").is_some_and(Json::is_true)
                || json.str_at("type") == Some("redacted_thinking");
            let has_it = || members.iter().any(|(_, member)| member.as_str() == Some(signature));
            (marked && has_it()) || members.iter().any(|(_, member)| is_redacted(member, signature))
        }
        _ => false,
    }
}
