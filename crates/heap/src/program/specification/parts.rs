//! The parts of annotations.

use bolide_cfa::contract::{Contract, Expr};

/// All parts of all formulas of a contract.
pub fn visit(contract: &Contract, f: &mut dyn FnMut(&Expr)) {
    let asserts = contract.asserts.iter().map(|(_, e)| e);
    visit_all(contract.requires.iter().chain(&contract.ensures).chain(asserts), f);
}

/// All parts of some formulas.
pub fn visit_all<'e>(roots: impl IntoIterator<Item = &'e Expr>, f: &mut dyn FnMut(&'e Expr)) {
    roots.into_iter().for_each(|e| e.visit(f));
}
