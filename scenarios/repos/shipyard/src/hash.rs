//! Digests for keys: 64-bit FNV-1a. Fine against accidents, not against attackers; keys never leave
//! the team.

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// A digest in the making.
#[derive(Debug, Clone)]
pub struct Digest {
    state: u64,
}

impl Digest {
    /// Nothing hashed yet.
    pub fn new() -> Digest {
        Digest { state: OFFSET }
    }

    /// Digest of bytes alone.
    pub fn of(bytes: &[u8]) -> String {
        let mut digest = Digest::new();
        digest.bytes(bytes);
        digest.finish()
    }

    /// Adds a named value. Lengths go in as well, so that `("a", "bc")` and `("ab", "c")` differ.
    pub fn field(&mut self, name: &str, value: &str) {
        for text in [name, value] {
            self.bytes(&(text.len() as u64).to_le_bytes());
            self.bytes(text.as_bytes());
        }
    }

    /// Sixteen hexadecimal digits.
    pub fn finish(&self) -> String {
        format!("{:016x}", self.state)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.state ^= u64::from(*byte);
            self.state = self.state.wrapping_mul(PRIME);
        }
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}
