//! Names as four-byte numbers.
//!
//! All texts lie one after another in one string; a table with open addressing
//! finds the number of a text. Equal texts get equal numbers, numbers count up
//! from zero in the order of first appearance, and nothing depends on the
//! order of the table.

use bolide_base::{arena::Id, define_id};

define_id!(
    /// A name of an [`Interner`].
    pub struct Symbol
);

/// Gives each distinct text a [`Symbol`].
#[derive(Clone, Debug, Default)]
pub struct Interner {
    /// All texts, one after another.
    text: String,
    /// Where the text of each symbol ends; it begins where the previous ends.
    ends: Vec<u32>,
    /// The hash of each symbol's text.
    hashes: Vec<u32>,
    /// Symbol number plus one, 0 when free. Its length is a power of two and
    /// more than 4/3 the number of symbols.
    table: Vec<u32>,
}

fn hash(text: &[u8]) -> u32 {
    const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;
    let mut state = text.len() as u64;
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        state = (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    }
    let mut word = 0;
    for &byte in chunks.remainder() {
        word = word << 8 | u64::from(byte);
    }
    state = (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    (state >> 32) as u32
}

impl Interner {
    /// An interner without names.
    pub fn new() -> Self {
        Interner::default()
    }

    /// The symbol of `text`, a new one when it is seen for the first time.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if self.ends.len() * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let hash = hash(text.as_bytes());
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                entry => {
                    let index = entry as usize - 1;
                    if self.hashes[index] == hash && self.text_of(index) == text {
                        return Symbol::from_index(index);
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).expect("more than 4 GiB of names"));
        self.hashes.push(hash);
        self.table[slot] = self.ends.len() as u32;
        Symbol::from_index(self.ends.len() - 1)
    }

    /// The symbol of `text` if it has one.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        let mask = self.table.len().checked_sub(1)?;
        let hash = hash(text.as_bytes());
        let mut slot = hash as usize & mask;
        loop {
            let index = (self.table[slot] as usize).checked_sub(1)?;
            if self.hashes[index] == hash && self.text_of(index) == text {
                return Some(Symbol::from_index(index));
            }
            slot = (slot + 1) & mask;
        }
    }

    /// What `symbol` stands for; empty when it is of another interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        if symbol.index() < self.ends.len() { self.text_of(symbol.index()) } else { "" }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn text_of(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start as usize..self.ends[index] as usize]
    }

    fn grow(&mut self) {
        let length = (self.table.len() * 2).max(64);
        self.table = vec![0; length];
        for (index, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (length - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.table[slot] = index as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_symbols() {
        let mut names = Interner::new();
        assert!(names.get("a").is_none());
        let symbols: Vec<Symbol> = (0..10_000).map(|i| names.intern(&format!("n{i}"))).collect();
        for (i, &symbol) in symbols.iter().enumerate() {
            assert_eq!(symbol.index(), i);
            assert_eq!(names.text(symbol), format!("n{i}"));
            assert_eq!(names.intern(&format!("n{i}")), symbol);
            assert_eq!(names.get(&format!("n{i}")), Some(symbol));
        }
        assert_eq!(names.len(), 10_000);
        assert_eq!(names.get("n10000"), None);
    }
}
