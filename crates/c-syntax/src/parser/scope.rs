//! Which names are types.
//!
//! For each symbol the innermost declaration in force, and a list of what to
//! put back when a scope ends: looking up and declaring take constant time.

use bolide_base::arena::Id;

use crate::intern::Symbol;

/// The typedef names of all open scopes.
pub(super) struct Scopes {
    /// By symbol: whether the innermost declaration is a typedef.
    is_typedef: Vec<bool>,
    /// What symbols were before the open scopes declared them, oldest first.
    shadowed: Vec<(Symbol, bool)>,
    /// For each open scope the length of `shadowed` when it was opened.
    starts: Vec<usize>,
}

impl Scopes {
    pub fn new(symbols: usize) -> Self {
        Scopes { is_typedef: vec![false; symbols], shadowed: Vec::new(), starts: Vec::new() }
    }

    #[inline]
    pub fn is_typedef(&self, name: Symbol) -> bool {
        self.is_typedef.get(name.index()).copied().unwrap_or(false)
    }

    /// Declares `name` in the innermost scope.
    pub fn declare(&mut self, name: Symbol, is_typedef: bool) {
        if let Some(slot) = self.is_typedef.get_mut(name.index())
            && *slot != is_typedef
        {
            if !self.starts.is_empty() {
                self.shadowed.push((name, *slot));
            }
            *slot = is_typedef;
        }
    }

    /// Declares `name` for the rest of the file, whatever scopes are open.
    pub fn declare_everywhere(&mut self, name: Symbol) {
        if let Some(slot) = self.is_typedef.get_mut(name.index()) {
            *slot = true;
        }
    }

    pub fn open(&mut self) {
        self.starts.push(self.shadowed.len());
    }

    pub fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        while self.shadowed.len() > start {
            if let Some((name, was_typedef)) = self.shadowed.pop() {
                self.is_typedef[name.index()] = was_typedef;
            }
        }
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.starts.len()
    }

    /// Closes scopes until `depth` are open.
    pub fn close_to(&mut self, depth: usize) {
        while self.starts.len() > depth {
            self.close();
        }
    }
}
