//! Theorem 4 of "Refinement of Trace Abstraction" on the corpus: predicate
//! abstraction with a given set of predicates, and the one trace automaton made
//! of these predicates, give the same answer.
//!
//! The predicate abstraction is the textbook's, written out here: a state is a
//! location with a bitvector, and the solver says which successors there are.
//! Each program is tried with comparisons from its own conditions, and with facts that hold at
//! its loops besides; sometimes that is enough for a proof and sometimes not.

use bolide_base::{Budget, Exhausted, HashSet};
use bolide_cfa::analysis::ranges::Tables;
use bolide_cfa::transform;
use bolide_cfa::{LocId, Program};
use bolide_engines::task::{Orders, Task};
use bolide_engines::trace_abstraction;
use bolide_engines::workbench::Workbench;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::encode::Exactness;
use bolide_reachability::prover::Prover;
use bolide_reachability::templates;
use bolide_reachability::verdict::Reason;
use bolide_terms::evaluate::holds;
use bolide_terms::{Op, TermId, TermStore};
use bolide_verdict::Conclusion;
use bolide_verdict::audit::{self, NoProofs, Terms};
use bolide_verdict::prepared::Prepared;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Comparisons and facts that are taken at most.
const EACH: usize = 3;

/// The programs of the corpus, as the command sees them, without calls.
fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    let mut programs = Vec::new();
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let first = text.lines().next().unwrap_or("");
        let flags = first.strip_prefix("// expect: ").unwrap_or("").split_whitespace().skip(1);
        let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .arg("cfa")
            .args(flags)
            .arg(&file)
            .current_dir(file.parent().unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let Ok(program) = bolide_cfa::text::parse(&text) else { continue };
        let mut mapped = transform::simplify(program);
        if transform::inline(&mut mapped, 10_000).is_ok() {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            programs.push((name, mapped.program));
        }
    }
    programs
}

/// Comparisons between state variables in the formulas of blocks.
fn comparisons(blocks: &mut BlockProgram<'_>, store: &mut TermStore) -> Vec<TermId> {
    let mut found = Vec::new();
    let cuts: Vec<LocId> =
        blocks.program.locations.ids().filter(|&l| blocks.blocks.is_cut(l)).collect();
    for cut in cuts {
        for transition in blocks.transitions(store, cut).iter() {
            for term in store.subterms(&[transition.formula]) {
                let atom = matches!(store.op(term), Op::Le | Op::Eq) && store.is_bool(term);
                let constants = store.constants(term);
                let of_state = |&c: &TermId| blocks.slots.of_constant(c).is_some();
                if atom && !constants.is_empty() && constants.iter().all(of_state) {
                    found.push(term);
                }
            }
        }
    }
    let mut seen: HashSet<TermId> = HashSet::default();
    found.retain(|&t| seen.insert(t));
    found.truncate(EACH);
    found
}

/// Facts that hold at loop heads.
fn facts(blocks: &mut BlockProgram<'_>, store: &mut TermStore, prover: &mut Prover) -> Vec<TermId> {
    let options = templates::Options::default();
    let found = templates::inductive_invariants(blocks, store, prover, options);
    let mut found: Vec<(LocId, Vec<TermId>)> = found.unwrap_or_default().into_iter().collect();
    found.sort_unstable_by_key(|&(location, _)| location);
    let mut all: Vec<TermId> = found.into_iter().flat_map(|(_, facts)| facts).collect();
    all.retain(|&t| t != TermId::TRUE && t != TermId::FALSE);
    all.truncate(EACH);
    all
}

/// Whether the abstract program reaches an error; none if the solver cannot say.
fn predicate_abstraction(
    blocks: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    predicates: &[TermId],
) -> Option<bool> {
    let start = blocks.initial();
    let entry = blocks.entry();
    let mut pending: Vec<(LocId, Vec<bool>)> = Vec::new();
    for bits in bitvectors(store, prover, start, predicates)? {
        pending.push((entry, bits));
    }
    let mut seen: HashSet<(LocId, Vec<bool>)> = pending.iter().cloned().collect();
    while let Some((location, bits)) = pending.pop() {
        if blocks.program.locations[location].error.is_some() {
            return Some(true);
        }
        let mut before: Vec<TermId> = Vec::new();
        for (&predicate, &bit) in predicates.iter().zip(&bits) {
            before.push(if bit { predicate } else { store.mk_not(predicate) });
        }
        for transition in blocks.transitions(store, location).iter() {
            let renaming = transition
                .outputs
                .iter()
                .map(|&(slot, value)| (blocks.slots.constant(slot), value))
                .collect();
            let after: Vec<TermId> =
                predicates.iter().map(|&p| store.substitute(p, &renaming)).collect();
            let mut conjuncts = before.clone();
            conjuncts.push(transition.formula);
            let premise = store.mk_and(&conjuncts);
            for bits in bitvectors(store, prover, premise, &after)? {
                let state = (transition.to, bits);
                if seen.insert(state.clone()) {
                    pending.push(state);
                }
            }
        }
    }
    Some(false)
}

/// The bitvectors over `predicates` that are consistent with a formula.
fn bitvectors(
    store: &mut TermStore,
    prover: &mut Prover,
    formula: TermId,
    predicates: &[TermId],
) -> Option<Vec<Vec<bool>>> {
    let mut found = Vec::new();
    let mut rest = vec![formula];
    loop {
        let query = store.mk_and(&rest);
        let Some(model) = prover.model(store, query).ok()? else { return Some(found) };
        let bits: Vec<bool> = predicates.iter().map(|&p| holds(store, &model, p)).collect();
        assert!(!found.contains(&bits), "a model does not evaluate as the solver does");
        let mut differs = Vec::new();
        for (&predicate, &bit) in predicates.iter().zip(&bits) {
            differs.push(if bit { store.mk_not(predicate) } else { predicate });
        }
        rest.push(store.mk_or(&differs));
        found.push(bits);
    }
}

/// Whether the one automaton leaves an error trace.
fn one_automaton(
    task: &Task<'_>,
    bench: &mut Workbench<'_>,
    predicates: &[TermId],
) -> Option<bool> {
    match trace_abstraction::search_with_predicates(task, bench, vec![predicates.to_vec()]) {
        Conclusion::Safe(certificate) => {
            let (store, known) = (&mut bench.store, &mut NoProofs);
            let mut terms = Terms::new(store, Exactness::default(), known);
            audit::audit(&task.programs, &certificate, &mut terms, &Budget::unlimited())
                .unwrap_or_else(|why| panic!("{why}"));
            assert!(bench.statistics.figures.contains(&("automata", 1)));
            Some(false)
        }
        Conclusion::Unsafe(_) => Some(true),
        Conclusion::Unknown(Reason::NoProgress(why)) => {
            assert_eq!(why, "the predicates do not suffice");
            Some(true)
        }
        Conclusion::Unknown(Reason::Exhausted(_)) => None,
        Conclusion::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn one_automaton_is_as_good_as_predicate_abstraction() {
    let (mut proved, mut not_proved) = (0, 0);
    for (name, program) in programs() {
        let budget = Budget::unlimited();
        let clock = budget.clone();
        // A few programs are about wrap-around and bits; hard queries are left out.
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(2));
            clock.stop(Exhausted::Time);
        });
        let orders = Orders { guess: false, ..Orders::default() };
        let task = Task {
            programs: Prepared::plain(&program),
            guessed: Default::default(),
            tables: Tables::default(),
            orders,
        };
        let mut bench = Workbench::new(&task, &budget);
        let mut blocks = bench.blocks(false);
        let mut predicates = Vec::new();
        let compared = comparisons(&mut blocks, &mut bench.store);
        let held = facts(&mut blocks, &mut bench.store, &mut bench.prover);
        for more in [compared, held] {
            predicates.extend(more);
            let (store, prover) = (&mut bench.store, &mut bench.prover);
            let expected = predicate_abstraction(&mut blocks, store, prover, &predicates);
            let Some(expected) = expected else { break };
            let Some(found) = one_automaton(&task, &mut bench, &predicates) else { break };
            assert_eq!(found, expected, "{name} with {} predicates", predicates.len());
            *(if found { &mut not_proved } else { &mut proved }) += 1;
        }
    }
    assert!(proved >= 5 && not_proved >= 5, "{proved} proved, {not_proved} not");
}
