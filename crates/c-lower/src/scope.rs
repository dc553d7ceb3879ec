//! Names in scope: ordinary identifiers and tags.
//!
//! Each unit has a file scope; while a function is lowered, its blocks are
//! stacked on top of it. Leaving a block undoes what it declared.

use crate::global::GlobalId;
use crate::types::{QualType, TyId};
use bolide_base::{HashMap, define_id};
use bolide_c_syntax::ast::Symbol;

define_id!(
    /// A local variable or parameter of the function being lowered.
    pub struct LocalId
);

/// What an ordinary identifier means.
#[derive(Clone, Copy, Debug)]
pub enum Binding {
    /// A typedef name.
    Typedef(QualType),
    /// An enumerator with its value and type.
    Enumerator(i128, TyId),
    /// A variable with static storage or a function.
    Global(GlobalId),
    /// A local variable.
    Local(LocalId),
}

/// What names mean, by the depth of the block that says so, innermost last.
#[derive(Debug)]
struct Layers<T>(HashMap<Symbol, Vec<(u32, T)>>);

impl<T> Default for Layers<T> {
    fn default() -> Self {
        Layers(HashMap::default())
    }
}

impl<T: Copy> Layers<T> {
    fn get(&self, symbol: Symbol) -> Option<(u32, T)> {
        self.0.get(&symbol)?.last().copied()
    }

    /// Declares or redeclares; whether the block had not declared it yet.
    fn set(&mut self, symbol: Symbol, depth: usize, meaning: T) -> bool {
        let stack = self.0.entry(symbol).or_default();
        match stack.last_mut() {
            Some(top) if top.0 as usize == depth => {
                top.1 = meaning;
                false
            }
            _ => {
                stack.push((depth as u32, meaning));
                true
            }
        }
    }

    fn forget(&mut self, symbols: Vec<Symbol>) {
        for symbol in symbols {
            self.0.get_mut(&symbol).and_then(Vec::pop);
        }
    }
}

/// The names of a file with the blocks that are open in it.
#[derive(Debug, Default)]
pub struct Names {
    ordinary: Layers<Binding>,
    tags: Layers<TyId>,
    /// For each open block, what it declared.
    open: Vec<(Vec<Symbol>, Vec<Symbol>)>,
}

impl Names {
    /// Opens a block.
    pub fn enter(&mut self) {
        self.open.push(Default::default());
    }

    /// Closes the innermost block.
    pub fn leave(&mut self) {
        if let Some((ordinary, tags)) = self.open.pop() {
            self.ordinary.forget(ordinary);
            self.tags.forget(tags);
        }
    }

    /// Closes blocks until `depth` are open.
    pub fn leave_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.leave();
        }
    }

    /// How many blocks are open: 0 at file scope.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// What the name means.
    pub fn get(&self, symbol: Symbol) -> Option<Binding> {
        self.ordinary.get(symbol).map(|(_, binding)| binding)
    }

    /// What the name means outside of all blocks.
    pub fn at_file_scope(&self, symbol: Symbol) -> Option<Binding> {
        let (depth, binding) = self.ordinary.0.get(&symbol)?.first().copied()?;
        (depth == 0).then_some(binding)
    }

    /// Declares or redeclares a name in the innermost block.
    pub fn set(&mut self, symbol: Symbol, binding: Binding) {
        if self.ordinary.set(symbol, self.depth(), binding)
            && let Some(block) = self.open.last_mut()
        {
            block.0.push(symbol);
        }
    }

    /// Lets all names of one global mean another.
    pub fn replace(&mut self, from: GlobalId, to: GlobalId) {
        for (_, binding) in self.ordinary.0.values_mut().flatten() {
            if matches!(binding, Binding::Global(id) if *id == from) {
                *binding = Binding::Global(to);
            }
        }
    }

    /// What the tag means.
    pub fn get_tag(&self, symbol: Symbol) -> Option<TyId> {
        self.tags.get(symbol).map(|(_, ty)| ty)
    }

    /// What the tag means if the innermost block declared it.
    pub fn get_tag_here(&self, symbol: Symbol) -> Option<TyId> {
        let (depth, ty) = self.tags.get(symbol)?;
        (depth as usize == self.depth()).then_some(ty)
    }

    /// Declares a tag in the innermost block.
    pub fn set_tag(&mut self, symbol: Symbol, ty: TyId) {
        if self.tags.set(symbol, self.depth(), ty)
            && let Some(block) = self.open.last_mut()
        {
            block.1.push(symbol);
        }
    }
}

/// `name`, with a suffix `#2`, `#3`, ... when it is taken.
pub fn unique(taken: &mut HashMap<String, u32>, name: String) -> String {
    let count = taken.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}#{count}") }
}
