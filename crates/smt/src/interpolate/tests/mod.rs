//! Interpolants of small problems, every one of them rechecked.

mod arrays;
mod figures;
mod random;
mod reader;
mod theories;

use super::colours::{Colours, Label};
use super::*;
use bolide_base::Budget;
use bolide_terms::{TermId, TermStore};
use reader::Reader;

/// All labelling systems.
const LABELLINGS: [Labelling; 3] = [Labelling::McMillan, Labelling::Pudlak, Labelling::Weak];

/// The interpolants of a sequence of formulas, in infix notation, each
/// rechecked.
fn sequence(declarations: &str, formulas: &[&str], labelling: Labelling) -> String {
    let mut reader = Reader::new(declarations);
    let formulas: Vec<TermId> = formulas.iter().map(|text| reader.formula(text)).collect();
    let store = &mut reader.store;
    let options = Options { labelling, ..Options::default() };
    match sequence_interpolants(store, &formulas, &options) {
        Ok(None) => "sat".to_owned(),
        Ok(Some(interpolants)) => {
            recheck_sequence(store, &formulas, &interpolants, &Budget::unlimited()).unwrap();
            let inner = &interpolants[1..interpolants.len() - 1];
            let lines: Vec<String> = inner.iter().map(|&i| store.infix(i)).collect();
            lines.join("\n")
        }
        Err(why) => why.to_string(),
    }
}

/// The same for a tree.
fn tree(declarations: &str, formulas: &[&str], parents: &[usize], labelling: Labelling) -> String {
    let mut reader = Reader::new(declarations);
    let formulas: Vec<TermId> = formulas.iter().map(|text| reader.formula(text)).collect();
    let store = &mut reader.store;
    let options = Options { labelling, ..Options::default() };
    let proof = problem::refutation(store, &formulas, &options).unwrap().expect("unsatisfiable");
    match tree_interpolants(store, &proof, &formulas, parents, &options) {
        Ok(interpolants) => {
            recheck_tree(store, &formulas, parents, &interpolants, &Budget::unlimited()).unwrap();
            let lines: Vec<String> = interpolants.iter().map(|&i| store.infix(i)).collect();
            lines.join("\n")
        }
        Err(why) => why.to_string(),
    }
}
