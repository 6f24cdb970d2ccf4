//! A reader in blocks of one size.

use std::io::{self, BufRead, Read};

/// Bytes of a block.
const BLOCK: usize = 1 << 16;

/// Hands out its source in full blocks, whatever pieces the source comes in. What an unpacker makes of damaged data
/// depends on the pieces that it is given; this way the same bytes always give the same log.
pub(super) struct Blocks<R> {
    source: R,
    block: Vec<u8>,
    taken: usize,
}

impl<R: Read> Blocks<R> {
    /// The beginning of a source.
    pub(super) fn new(source: R) -> Blocks<R> {
        Blocks { source, block: Vec::new(), taken: 0 }
    }
}

impl<R: Read> BufRead for Blocks<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.block.len() {
            self.block.clear();
            self.taken = 0;
            (&mut self.source).take(BLOCK as u64).read_to_end(&mut self.block)?;
        }
        Ok(&self.block[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        self.taken = (self.taken + amount).min(self.block.len());
    }
}

impl<R: Read> Read for Blocks<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let taken = self.fill_buf()?.read(out)?;
        self.consume(taken);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pieces_become_full_blocks_and_nothing_is_lost() {
        let bytes: Vec<u8> = (0..BLOCK * 2 + 7).map(|n| n as u8).collect();
        let mut blocks = Blocks::new(io::BufReader::with_capacity(5, &bytes[..]));
        let mut lengths = Vec::new();
        let mut read = Vec::new();
        loop {
            let block = blocks.fill_buf().unwrap();
            if block.is_empty() {
                break;
            }
            lengths.push(block.len());
            read.extend_from_slice(block);
            let length = block.len();
            blocks.consume(length);
        }
        assert_eq!(lengths, [BLOCK, BLOCK, 7]);
        assert_eq!(read, bytes);
    }
}
