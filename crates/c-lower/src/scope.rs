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

/// The names of a file with the blocks that are open in it.
#[derive(Debug, Default)]
pub struct Names {
    ordinary: HashMap<Symbol, Vec<(u32, Binding)>>,
    tags: HashMap<Symbol, Vec<(u32, TyId)>>,
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
        let Some((ordinary, tags)) = self.open.pop() else { return };
        for symbol in ordinary {
            if let Some(stack) = self.ordinary.get_mut(&symbol) {
                stack.pop();
            }
        }
        for symbol in tags {
            if let Some(stack) = self.tags.get_mut(&symbol) {
                stack.pop();
            }
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
        self.ordinary.get(&symbol)?.last().map(|&(_, binding)| binding)
    }

    /// Declares or redeclares a name in the innermost block.
    pub fn set(&mut self, symbol: Symbol, binding: Binding) {
        let depth = self.depth() as u32;
        let stack = self.ordinary.entry(symbol).or_default();
        match stack.last_mut() {
            Some(top) if top.0 == depth => top.1 = binding,
            _ => {
                stack.push((depth, binding));
                if let Some(block) = self.open.last_mut() {
                    block.0.push(symbol);
                }
            }
        }
    }

    /// Lets all names of one global mean another.
    pub fn replace(&mut self, from: GlobalId, to: GlobalId) {
        for (_, binding) in self.ordinary.values_mut().flatten() {
            if matches!(binding, Binding::Global(id) if *id == from) {
                *binding = Binding::Global(to);
            }
        }
    }

    /// What the tag means.
    pub fn get_tag(&self, symbol: Symbol) -> Option<TyId> {
        self.tags.get(&symbol)?.last().map(|&(_, ty)| ty)
    }

    /// What the tag means if the innermost block declared it.
    pub fn get_tag_here(&self, symbol: Symbol) -> Option<TyId> {
        let &(depth, ty) = self.tags.get(&symbol)?.last()?;
        (depth as usize == self.depth()).then_some(ty)
    }

    /// Declares a tag in the innermost block.
    pub fn set_tag(&mut self, symbol: Symbol, ty: TyId) {
        let depth = self.depth() as u32;
        let stack = self.tags.entry(symbol).or_default();
        match stack.last_mut() {
            Some(top) if top.0 == depth => top.1 = ty,
            _ => {
                stack.push((depth, ty));
                if let Some(block) = self.open.last_mut() {
                    block.1.push(symbol);
                }
            }
        }
    }
}

/// `name`, with a suffix `#2`, `#3`, ... when it is taken.
pub fn unique(taken: &mut HashMap<String, u32>, name: String) -> String {
    let count = taken.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}#{count}") }
}
