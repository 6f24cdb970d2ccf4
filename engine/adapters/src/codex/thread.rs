//! Whose turn a line belongs to: a fork and a sub-agent begin with a copy of another thread's history.
//!
//! Such a file holds its own `session_meta` first and then those that were copied with the history, from the parent to
//! the oldest ancestor. Copied lines are stamped anew when they are written, so their times tell nothing; but the
//! identifiers of threads and turns are UUIDs of version 7, which carry the time they were made at. A turn belongs to the
//! latest of these threads that existed when the turn began.

use crate::log::time::iso_ms;

/// One thread whose lines may stand in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thread {
    /// Its identifier.
    pub(super) id: String,
    /// When it was begun, Unix milliseconds; `None` where nothing tells.
    created_ms: Option<i64>,
}

/// The threads of a file and the one whose lines are being read.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// Its own first, then the copied ones.
    threads: Vec<Thread>,
    owner: usize,
    /// Whether the log says where its copied history ends.
    ends_told: bool,
    /// Whether a turn of the file's own thread has begun: no copied history follows it.
    own_turn: bool,
}

impl Threads {
    /// Takes a thread: the file's own first, then its ancestors. `time` is when the log says it began. A thread that is
    /// known already changes nothing.
    pub(super) fn add(&mut self, id: &str, time: Option<&str>) {
        if self.threads.iter().any(|thread| thread.id == id) {
            return;
        }
        let created_ms = time.and_then(iso_ms).or_else(|| uuid7_ms(id));
        self.threads.push(Thread { id: id.to_owned(), created_ms });
        // Until a turn tells better, what follows was copied with the innermost header.
        self.owner = self.threads.len() - 1;
    }

    /// Whether a further header can stand here: of a thread known already, or of one whose history was copied.
    pub(super) fn expects(&self, id: &str) -> bool {
        !self.own_turn || self.threads.iter().any(|thread| thread.id == id)
    }

    /// A turn begins. `time_ms` is the line's own time, used where the turn's identifier carries none.
    pub(super) fn turn(&mut self, turn_id: Option<&str>, time_ms: Option<i64>) {
        if self.threads.len() < 2 {
            self.own_turn = true;
            return;
        }
        let made = turn_id.and_then(uuid7_ms);
        self.ends_told |= made.is_some();
        let Some(made) = made.or(time_ms.filter(|_| !self.ends_told)) else { return };
        let existed = |thread: &Thread| thread.created_ms.is_some_and(|created| created <= made);
        self.owner = self.threads.iter().position(existed).unwrap_or(self.threads.len() - 1);
        self.own_turn |= self.owner == 0;
    }

    /// The thread whose lines are being read.
    pub(super) fn owner(&self) -> Option<&Thread> {
        self.threads.get(self.owner)
    }

    /// Whether the file goes on from the history of another thread.
    pub(super) fn is_copy(&self) -> bool {
        self.threads.len() > 1
    }

    /// Whether lines are being read that were copied from another thread.
    pub(super) fn inherited(&self) -> bool {
        self.owner > 0
    }

    /// Whether there is copied history whose end only the times of lines could tell.
    pub(super) fn end_is_guessed(&self) -> bool {
        self.threads.len() > 1 && !self.ends_told
    }
}

/// Time in a UUID of version 7 (RFC 9562, section 5.7): its first 48 bits are Unix milliseconds.
fn uuid7_ms(id: &str) -> Option<i64> {
    let bytes = id.as_bytes();
    let dashes = [8, 13, 18, 23].iter().all(|at| bytes.get(*at) == Some(&b'-'));
    if bytes.len() != 36 || !dashes || bytes[14] != b'7' {
        return None;
    }
    let hex: String = id.chars().filter(|c| *c != '-').take(12).collect();
    i64::from_str_radix(&hex, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(ms: i64) -> String {
        let hex = format!("{ms:012x}");
        format!("{}-{}-7000-8000-000000000000", &hex[..8], &hex[8..])
    }

    #[test]
    fn a_turn_belongs_to_the_latest_thread_that_existed() {
        let mut threads = Threads::default();
        threads.add(&id(3000), None);
        threads.add(&id(2000), None);
        threads.add(&id(1000), None);
        let mut owner = |turn| {
            threads.turn(Some(&id(turn)), Some(9999));
            threads.owner().map(|thread| thread.id.clone())
        };
        assert_eq!(owner(1500), Some(id(1000)));
        assert_eq!(owner(2000), Some(id(2000)));
        assert_eq!(owner(3001), Some(id(3000)));
        assert_eq!(owner(10), Some(id(1000)));
    }

    #[test]
    fn without_such_identifiers_times_of_lines_decide_and_it_is_said() {
        let mut threads = Threads::default();
        threads.add("own", Some("1970-01-01T00:00:03Z"));
        threads.add("parent", Some("1970-01-01T00:00:01Z"));
        assert!(threads.inherited() && threads.end_is_guessed());
        threads.turn(Some("turn-1"), Some(2000));
        assert!(threads.inherited());
        threads.turn(None, Some(3000));
        assert!(!threads.inherited());
    }

    #[test]
    fn other_identifiers_carry_no_time() {
        assert_eq!(uuid7_ms("019b7f94-51b4-7593-922e-ba12b5b73b52"), Some(1_767_371_985_332));
        assert_eq!(uuid7_ms("019b7f94-51b4-4593-922e-ba12b5b73b52"), None);
        assert_eq!(uuid7_ms("é19b7f94-51b4-7593-922e-ba12b5b73b5"), None);
    }
}
