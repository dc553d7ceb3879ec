//! Names as four-byte numbers.
//!
//! Equal texts get equal numbers, and numbers count up from zero in the order of first
//! appearance.

use bolide_base::{HashMap, arena::Id, define_id};
use std::sync::Arc;

define_id!(
    /// A name of an [`Interner`].
    pub struct Symbol
);

/// Gives each distinct text a [`Symbol`].
#[derive(Clone, Debug, Default)]
pub struct Interner {
    symbols: HashMap<Arc<str>, Symbol>,
    /// The text of each symbol.
    texts: Vec<Arc<str>>,
}

impl Interner {
    /// An interner without names.
    pub fn new() -> Self {
        Interner::default()
    }

    /// The symbol of `text`, a new one when it is seen for the first time.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol::from_index(self.texts.len());
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of `text` if it has one.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// What `symbol` stands for; empty when it is of another interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.index()).map_or("", |text| text)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
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
