//! Inputs made from others: bits turned, bytes taken out and put in, pieces of two put together.
//! One corpus gives one row of inputs.

/// Pieces that mean something to somebody.
const WORDS: &[&[u8]] = &[
    b"{}",
    b"{",
    b"}",
    b"\"",
    b"\\u0000",
    b"null",
    b"-1",
    b"1e999",
    b"%",
    b"%00",
    b"?",
    b"&",
    b"=",
    b"..",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\x1b[31m",
    b"18446744073709551616",
    b"r#",
    b"ms",
    b":",
    b"*/",
    b",",
    b"-",
    b" * ",
    b"29 2",
    b"mon-fri",
    b"every ",
];
/// Changes of one input.
const CHANGE_LIMIT: u64 = 8;
/// The longest input, in bytes.
const LENGTH_LIMIT: usize = 4_096;

pub(crate) struct Mutator<'c> {
    corpus: &'c [Vec<u8>],
    state: u64,
}

impl<'c> Mutator<'c> {
    pub(crate) fn new(corpus: &'c [Vec<u8>]) -> Self {
        Mutator { corpus, state: 1 }
    }

    pub(crate) fn next(&mut self) -> Vec<u8> {
        let mut data = self.any().to_vec();
        for _ in 0..=self.below(CHANGE_LIMIT) {
            self.change(&mut data);
        }
        data.truncate(LENGTH_LIMIT);
        data
    }

    fn change(&mut self, data: &mut Vec<u8>) {
        let at = self.below(data.len() as u64 + 1) as usize;
        let end = at + self.below((data.len() - at) as u64 + 1) as usize;
        match self.below(6) {
            0 if at < data.len() => data[at] ^= 1 << self.below(8),
            1 if at < data.len() => data[at] = self.below(256) as u8,
            2 => drop(data.drain(at..end)),
            3 => {
                let again = data[at..end].to_vec();
                data.splice(at..at, again);
            }
            4 => {
                let other = self.any();
                let from = self.below(other.len() as u64 + 1) as usize;
                data.splice(at..end, other[from..].to_vec());
            }
            _ => {
                let word = WORDS[self.below(WORDS.len() as u64) as usize];
                data.splice(at..at, word.to_vec());
            }
        }
    }

    fn any(&mut self) -> &'c [u8] {
        &self.corpus[self.below(self.corpus.len() as u64) as usize]
    }

    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % end
    }
}
