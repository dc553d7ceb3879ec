//! The abstract post operator.
//!
//! For one Boolean heap and one path: assume the heap, execute the path, let
//! `v` be any object of the poststate, and ask for the truth values of the predicates
//! there. Every answer that the abstract state at the end lacks is added; when
//! none is left, the prover has refuted that there is one. So a post that adds nothing costs
//! one query.
//!
//! This is `post_kappa` of section 3.4.1 with the full context: more precise
//! than its Cartesian abstraction (3.4.2), which decides one predicate at a time and
//! needs the second refinement phase of chapter 4 to make good for it. Quantifiers of the
//! context are instantiated at the ground terms of the query, singletons among
//! them (6.2.1).

use super::diagrams::Diagrams;
use super::prover::{Count, PathProver};
use super::states::AbstractState;
use bolide_base::{Budget, HashSet};
use bolide_heap::program::uses::symbols;
use bolide_heap::program::view::Command;
use bolide_heap::{Formula, Undecided};
use bolide_terms::{TermId, TermStore};
use bolide_verdict::certificate::{Cube, Predicates, StateBits, all_bits};

/// Abstract objects that one post may add before it gives up.
const OBJECTS: usize = 4000;

/// Adds to `after` what the path leads to from states in which the parts hold; the heaps that
/// grew. `decided` are the truth values of state predicates that are known already. What was found is
/// excluded in the session, for questions with the same `decided`.
pub fn post(
    prover: &mut PathProver<'_>,
    parts: &[Formula],
    predicates: &Predicates,
    decided: &[Option<bool>],
    (diagrams, after): (&Diagrams, &mut AbstractState),
    count: &mut Count,
    budget: &Budget,
) -> Result<Vec<StateBits>, Undecided> {
    let asked = truths(prover, predicates, decided);
    let width = predicates.state.len();
    let mut switches = prover.switches(parts, None);
    let seen = prover.seen(decided);
    switches.push(seen);
    let exclude = |store: &mut TermStore, state: StateBits, cube: Cube| {
        let mut clause = vec![store.mk_not(seen)];
        let all = Cube { mask: all_bits(width), bits: state };
        for (list, cube) in [(&asked[..width], all), (&asked[width..], cube)] {
            for (i, &term) in list.iter().enumerate() {
                if cube.mask >> i & 1 == 1 {
                    let holds = cube.bits >> i & 1 == 1;
                    clause.push(if holds { store.mk_not(term) } else { term });
                }
            }
        }
        store.mk_or(&clause)
    };
    let session = &mut prover.execution.session;
    for (&bits, &objects) in &after.heaps {
        for cube in diagrams.cover(objects, objects) {
            let clause = exclude(&mut session.store, bits, cube);
            session.assert(clause);
        }
    }
    let mut grown = Vec::new();
    let mut found = |store: &mut TermStore, truths: Vec<bool>| {
        let bits = |truths: &[bool]| -> u64 {
            let true_ones = truths.iter().enumerate().filter(|(_, holds)| **holds);
            true_ones.map(|(i, _)| 1u64 << i).sum()
        };
        let (state, object) = (bits(&truths[..width]), bits(&truths[width..]));
        let cube = Cube { mask: all_bits(truths.len() - width), bits: object };
        after.insert(diagrams, state, diagrams.cube(cube));
        grown.push(state);
        (grown.len() <= OBJECTS).then(|| exclude(store, state, cube))
    };
    let mut outcome = session.enumerate(&switches, &asked, budget, &mut found);
    if grown.len() > OBJECTS {
        outcome = Err(Undecided::Prover("too many abstract objects".into()));
    }
    prover.count(count);
    outcome?;
    grown.sort_unstable();
    grown.dedup();
    Ok(grown)
}

/// The predicates at the end, those about the state first; the truth values of some are known.
fn truths(
    prover: &mut PathProver<'_>,
    predicates: &Predicates,
    decided: &[Option<bool>],
) -> Vec<TermId> {
    let mut all = Vec::new();
    for (formula, value) in predicates.state.iter().zip(decided) {
        all.push(match value {
            Some(value) => prover.execution.session.store.mk_bool(*value),
            None => prover.truth(formula),
        });
    }
    all.extend(predicates.domain.iter().map(|formula| prover.truth(formula)));
    all
}

/// Whether a path changes anything that a predicate speaks of.
pub fn changes(predicate: &Formula, commands: &[Command]) -> bool {
    let mut used = HashSet::default();
    symbols(predicate, &mut used);
    let fields = predicate.fields();
    commands.iter().any(|command| match command {
        Command::Assume(_) => false,
        Command::Assign(s, _) | Command::Havoc(s, _) | Command::New(s) => used.contains(s),
        Command::Write(f, ..)
        | Command::Mark(f, ..)
        | Command::Snapshot(f, _)
        | Command::Forget(f) => fields.contains(f),
    })
}
