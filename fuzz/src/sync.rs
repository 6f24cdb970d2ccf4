//! Live logs.

use std::fs;
use std::io::Write as _;

use adapters::log::{self, Content, ReadOptions};
use adapters::sync::Store;

/// A log that grows in three pieces, synced after each, is kept as a full read in outline sees it, and each of its bytes is
/// read once.
///
/// # Panics
/// Where one of these doesn't hold, or the temporary folder can't be used.
pub fn sync(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("session.jsonl");
    let mut store = Store::open(&folder.path().join("state")).expect("a state can be made");
    let mut file = fs::File::create(&path).expect("a file can be made");
    // Where the pieces end is told by the input, so that the fuzzer can move it.
    let share = |byte: Option<&u8>| bytes.len() * usize::from(byte.copied().unwrap_or(0)) / 256;
    let mut ends = [share(bytes.get(bytes.len() / 3)), share(bytes.last()), bytes.len()];
    ends.sort_unstable();
    let mut start = 0;
    for end in ends {
        file.write_all(&bytes[start..end]).expect("the file can be written");
        start = end;
        let options = ReadOptions { content: Content::Outline, ..ReadOptions::default() };
        let read = log::read(&bytes[..end], &options);
        let kept = store.sync(&path).and_then(|synced| Ok((synced, store.log(&path, None)?)));
        match (read, kept) {
            (Ok(read), Ok((synced, kept))) => {
                assert_eq!(kept, read, "what is kept is what a full read sees");
                assert_eq!(synced.generation.bytes_read, end as u64, "each byte is read once");
            }
            (Err(_), Err(_)) => {}
            // A packed log isn't appended to, so it isn't followed.
            (Ok(_), Err(_)) if bytes.starts_with(b"\x28\xb5\x2f\xfd") => return,
            (read, kept) => panic!("read {read:?}, kept {kept:?}"),
        }
    }
}
