//! Predicates that a search begins with, written by a person or by an earlier search.
//!
//! "Abstractions from proofs" measures in Table 1 how long the exploration alone takes when the
//! predicates are known ("Reach"); Theorem 4 of "Refinement of trace abstraction" makes one
//! automaton of given predicates. Both begin with a file: one predicate in each line, an SMT-LIB term over
//! the variables of the program; behind `;` is a comment.
//!
//! ```text
//! (= x y)                          ; wherever there are x and y
//! (<= |main::x| n)                 ; the x of main
//! L12: (= (mod x 2) 0)             ; only at this location of the program that engines explore
//! ```
//!
//! A name means every variable that is called so in one function or one of its inlined calls; in full, with all
//! the calls it is in, it means one. `x@in` is what `x` was when its function was entered. Lines with locations are what a search writes at its end.

use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_cfa::LocId;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::encode::FUNCTIONS;
use bolide_terms::smtlib::context::Symbol;
use bolide_terms::smtlib::{Context, read_term};
use bolide_terms::{SortId, TermId, TermStore};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstPredicate {
    /// Where it is tracked; everywhere where its variables matter, if nowhere in particular.
    pub at: Option<LocId>,
    /// The term.
    pub text: String,
    /// Its line in the file, from 1.
    pub line: usize,
}

/// The predicates of a file.
pub fn read(text: &str) -> Vec<FirstPredicate> {
    let line = |(number, line): (usize, &str)| {
        let line = line.split(';').next().unwrap_or_default().trim();
        let place = line.strip_prefix('L').and_then(|rest| rest.split_once(':'));
        let place = place.and_then(|(at, term)| Some((at.parse::<usize>().ok()?, term)));
        let (at, term) = match place {
            Some((at, term)) => (Some(LocId::from_index(at)), term.trim()),
            None => (None, line),
        };
        let text = term.to_owned();
        (!term.is_empty()).then_some(FirstPredicate { at, text, line: number + 1 })
    };
    text.lines().enumerate().filter_map(line).collect()
}

/// The predicates of locations, as [`read`] takes them.
pub fn write(store: &TermStore, predicates: &[(LocId, TermId)]) -> String {
    let mut text = String::new();
    for &(at, predicate) in predicates {
        let _ = writeln!(text, "L{}: {}", at.index(), store.smtlib(predicate).replace('\n', " "));
    }
    text
}

/// What predicates mean in a program, and where.
///
/// # Errors
/// A line that means nothing there.
pub fn resolve(
    program: &BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
    predicates: &[FirstPredicate],
) -> Result<Vec<(Option<LocId>, TermId)>, String> {
    let mut scopes = scopes(program, calls, store);
    let mut found = Vec::new();
    for predicate in predicates {
        let mut meanings = BTreeSet::new();
        let mut why = String::new();
        for scope in &mut scopes {
            match read_term(store, scope, &predicate.text) {
                Ok(term) if store.sort(term) == SortId::BOOL => {
                    meanings.insert(store.atom_and_sign(term).0);
                }
                Ok(_) => why = "is not a formula".to_owned(),
                Err(error) => why = error.message,
            }
        }
        if meanings.is_empty() {
            return Err(format!("line {} of the first predicates: {why}", predicate.line));
        }
        if let Some(at) = predicate.at.filter(|at| at.index() >= program.program.locations.len()) {
            let at = at.index();
            return Err(format!("line {} of the first predicates: no L{at}", predicate.line));
        }
        found.extend(meanings.into_iter().map(|meaning| (predicate.at, meaning)));
    }
    Ok(found)
}

/// The names that can be used together: of each function, and of each call that was inlined, its own and
/// the global ones; all of them in full.
fn scopes(program: &BlockProgram<'_>, calls: &Calls, store: &mut TermStore) -> Vec<Context> {
    let of_addresses = FUNCTIONS.map(|(name, arguments)| {
        (name, store.declare_fn(name, &vec![SortId::INT; arguments], SortId::INT))
    });
    let store = &*store;
    let mut full: BTreeMap<&str, Symbol> = BTreeMap::new();
    let mut short: BTreeMap<&str, BTreeMap<&str, Symbol>> = BTreeMap::new();
    let now = program.slots.ids().map(|slot| program.slots.constant(slot));
    let constants = now.chain(calls.entry_constants());
    for function in constants.filter_map(|constant| store.function_of(constant)) {
        let name = store.function_name(function);
        full.insert(name, Symbol::Function(function));
        let mut rest = name;
        // The outer calls may be left out.
        while let Some((_, inner)) = rest.split_once("::") {
            rest = inner;
            let scope = name.rsplit_once("::").map_or("", |(scope, _)| scope);
            short.entry(scope).or_default().insert(inner, Symbol::Function(function));
        }
    }
    full.extend(of_addresses.map(|(name, function)| (name, Symbol::Function(function))));
    short.entry("").or_default();
    let context = |local: &BTreeMap<&str, Symbol>| {
        let mut names: HashMap<&str, Symbol> = HashMap::default();
        names.extend(full.iter().map(|(&name, symbol)| (name, symbol.clone())));
        // What is nearer hides what is farther.
        names.extend(local.iter().map(|(&name, symbol)| (name, symbol.clone())));
        let mut context = Context::new();
        for (name, symbol) in names {
            let _ = context.define(name, symbol);
        }
        context
    };
    short.values().map(context).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_cfa::analysis::BlockOptions;

    const PROGRAM: &str = r#"
program LP64
entry main
global g : i32 = 0:i32
function main() -> result : i32
  local x : i32
  local `f::x` : i32
  entry L0 exit L1
  L0 -> L1 : x := g + `f::x`
"#;

    fn meanings(text: &str) -> Result<Vec<String>, String> {
        let program = bolide_cfa::text::parse(PROGRAM).unwrap_or_else(|e| panic!("{e}"));
        let mut store = TermStore::new();
        let cuts = BlockOptions { calls: true, single: true };
        let any = Box::new(|_, _| (None, None));
        let blocks = BlockProgram::new(&program, &mut store, cuts, any);
        let calls = Calls::new(&blocks, &mut store)?;
        let found = resolve(&blocks, &calls, &mut store, &read(text))?;
        let words = |&(at, term): &(Option<LocId>, TermId)| match at {
            Some(at) => format!("L{}: {}", at.index(), store.smtlib(term)),
            None => store.smtlib(term),
        };
        Ok(found.iter().map(words).collect())
    }

    #[test]
    fn names_mean_what_can_be_said_together() {
        let mut found = meanings("(<= x g) ; either\n").unwrap();
        found.sort();
        assert_eq!(found.len(), 2);
        for name in ["|main::x|", "|main::f::x|"] {
            assert!(found.iter().any(|f| f.contains(name)), "{found:?}");
        }
        assert_eq!(meanings("(= |f::x| 3)").unwrap(), ["(= |main::f::x| 3)"]);
        assert_eq!(meanings("L1: (= |main::x| 3)").unwrap(), ["L1: (= |main::x| 3)"]);
    }

    #[test]
    fn what_means_nothing_is_said_with_its_line() {
        let why = meanings("; nothing\n(= y 3)").unwrap_err();
        assert!(why.starts_with("line 2 of the first predicates: "), "{why}");
        assert!(meanings("(+ x 1)").unwrap_err().ends_with("is not a formula"));
        assert!(meanings("L7: (= x 1)").unwrap_err().ends_with("no L7"));
    }
}
