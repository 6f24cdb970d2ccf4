//! A generator that gives the same text in every run (SplitMix64; Steele, Lea, Flood 2014).

pub struct Random(u64);

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    pub fn run(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }

    pub fn hex(&mut self, length: usize) -> String {
        self.run("0123456789abcdef", length)
    }

    pub fn digits(&mut self, length: usize) -> String {
        self.run(DIGITS, length)
    }

    /// Letters of both cases and digits.
    pub fn alnum(&mut self, length: usize) -> String {
        self.run(&[LOWER, UPPER, DIGITS].concat(), length)
    }

    pub fn lower(&mut self, length: usize) -> String {
        self.run(&[LOWER, DIGITS].concat(), length)
    }

    pub fn upper(&mut self, length: usize) -> String {
        self.run(&[UPPER, DIGITS].concat(), length)
    }

    /// The alphabet of base64.
    pub fn base64(&mut self, length: usize) -> String {
        self.run(&[LOWER, UPPER, DIGITS, "+/"].concat(), length)
    }

    /// The alphabet of URL-safe base64, with a letter at both ends.
    pub fn base64url(&mut self, length: usize) -> String {
        let inner = self.run(&[LOWER, UPPER, DIGITS, "-_"].concat(), length - 2);
        format!("{}{inner}{}", self.run(LOWER, 1), self.run(UPPER, 1))
    }

    pub fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|length| self.hex(length)).join("-")
    }

    pub fn word(&mut self) -> &'static str {
        self.pick(&[
            "account", "anchor", "branch", "bridge", "cedar", "center", "delta", "engine", "falcon",
            "garden", "harbor", "island", "ladder", "marble", "needle", "orchard", "planet", "quartz",
            "river", "signal", "timber", "valley", "window", "yellow",
        ])
    }
}

/// Standard base64, padded.
pub fn encode_base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = usize::try_from(group >> (18 - 6 * at) & 63).unwrap();
            out.push(if at <= chunk.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    out
}
