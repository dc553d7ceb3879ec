//! What engines over blocks have in common: the program cut into blocks,
//! what templates suggest before the search, and the audit after it.

use super::{Finding, Options, Statistics, Task, Verdict, show};
use crate::picture::{self, DIAGRAMS, Picture, VERTICES};
use bolide_base::budget::Phase;
use bolide_base::{Budget, HashMap};
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::render::diagram::{ArrowKind, Diagram};
use bolide_cfa::{LocId, Op};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::facts::{self, Facts};
use bolide_reachability::prover::Prover;
use bolide_reachability::templates;
use bolide_reachability::verdict::{Certificate, Conclusion};
use bolide_terms::{TermId, TermStore};
use bolide_verdict::alternatives;
use bolide_verdict::audit::{self, Claim};
use bolide_verdict::prepared::Explored;

/// A search over blocks: an engine proper. Nobody believes it.
pub type BlockSearch<'f> = &'f mut dyn FnMut(
    &mut BlockProgram<'_>,
    &mut TermStore,
    &mut Prover,
    &mut Statistics,
) -> Conclusion;

/// Cuts `explored` (one of the task's programs) into blocks, assumes what was
/// guessed, lets the engine search, and hands what it concludes to the audit: a
/// certificate is re-checked against the program; a counterexample
/// is executed on the program as lowering made it.
pub fn with_blocks(
    task: &Task<'_>,
    explored: &Explored,
    single: bool,
    budget: &Budget,
    search: BlockSearch<'_>,
) -> Finding {
    let known = &mut audit::NoProofs;
    let none = Facts::default();
    // Facts are about one program only.
    let facts = if std::ptr::eq(explored, task.programs.flattest()) { &task.facts } else { &none };
    with_plain_blocks(task, explored, single, budget, known, &mut |blocks, store, prover, s| {
        with_facts(facts, blocks, store, prover, s, search)
    })
}

/// As [`with_blocks`], but the engine guesses its invariants itself, and the
/// audit may use proofs that are known.
pub fn with_plain_blocks(
    task: &Task<'_>,
    explored: &Explored,
    single: bool,
    budget: &Budget,
    known: &mut dyn audit::KnownProofs,
    search: BlockSearch<'_>,
) -> Finding {
    let program = &explored.mapped.program;
    let mut statistics = Statistics {
        explored: (program.locations.len(), program.edges.len()),
        picture: Picture { wanted: task.options.pictures, ..Picture::default() },
        ..Statistics::default()
    };
    let mut store = TermStore::new();
    let mut prover = Prover::new(budget.clone());
    let options = BlockOptions { calls: true, single };
    let mut blocks = BlockProgram::new(program, &mut store, options, explored.intervals());
    blocks.slots.exact_bits = task.options.exact_bits;
    budget.progress().enter(Phase::Exploring);
    let conclusion = search(&mut blocks, &mut store, &mut prover, &mut statistics);
    statistics.prover = prover.statistics;
    budget.progress().enter(Phase::Auditing);
    let verdict = match conclusion {
        Conclusion::Safe(certificate) => {
            let exact_bits = task.options.exact_bits;
            let claim = Claim { certificate: &certificate, store: &store, exact_bits };
            match audit::audit(explored, claim, budget, known) {
                Ok(audited) => {
                    if statistics.picture.wanted {
                        let drawn = proof(&mut blocks, &mut store, &certificate);
                        statistics.picture.diagrams.extend(drawn);
                    }
                    let shown = show::Shown {
                        original: task.programs.original,
                        explored: &explored.mapped,
                        blocks: &blocks,
                        store: &store,
                    };
                    Verdict::True {
                        invariants: shown.invariants(&certificate),
                        contracts: shown.contracts(&certificate),
                        obligations: audited.obligations,
                    }
                }
                Err(reason) => Verdict::Unknown(reason),
            }
        }
        Conclusion::Unsafe(run) => {
            let (original, mapped) = (task.programs.original, &explored.mapped);
            match alternatives::replay(original, mapped, &mut blocks, &mut store, &run, budget) {
                Ok(violation) => Verdict::False(Box::new(violation)),
                Err(reason) => Verdict::Unknown(reason),
            }
        }
        Conclusion::Unknown(reason) => Verdict::Unknown(reason),
    };
    Finding { verdict, statistics }
}

/// A proof as a drawing for each function with contracts and for the program: cut
/// points with their invariants, and the blocks between them.
fn proof(
    blocks: &mut BlockProgram<'_>,
    store: &mut TermStore,
    certificate: &Certificate,
) -> Vec<Diagram> {
    let mut all = vec![("proof".to_owned(), &certificate.invariants)];
    let entry = blocks.program.entry;
    for contract in certificate.contracts.iter().filter(|c| c.function != entry) {
        let name = &blocks.program.functions[contract.function].name;
        all.push((format!("contract of {name}"), &contract.invariants));
    }
    let mut drawn = Vec::new();
    for (name, invariants) in all.into_iter().filter(|(_, i)| !i.is_empty()).take(DIAGRAMS) {
        let mut diagram = Diagram { name, ..Diagram::default() };
        let mut locations: Vec<LocId> = invariants.keys().copied().collect();
        locations.sort_unstable();
        diagram.omitted = locations.len().saturating_sub(VERTICES);
        locations.truncate(VERTICES);
        let mut positions: HashMap<LocId, usize> = HashMap::default();
        for &location in &locations {
            let mut lines = vec![picture::title(blocks.program, location)];
            lines.extend(picture::lines(store, invariants[&location]));
            let kind = picture::kind(blocks, location, invariants[&location] == TermId::FALSE);
            let place = picture::place(blocks.program, location);
            positions.insert(location, diagram.add_at(place, kind, lines));
        }
        for &location in &locations {
            for transition in blocks.transitions(store, location).iter() {
                if let Some(&to) = positions.get(&transition.to) {
                    diagram.connect(positions[&location], to, ArrowKind::Step, String::new());
                }
            }
        }
        drawn.push(diagram);
    }
    drawn
}

/// Heuristic: facts at loop heads of a program without calls that templates suggest and that
/// prove each other; without them the search has less to start from.
/// The checks that are claimed are candidates as well.
pub fn guess(explored: &Explored, options: &Options, budget: &Budget) -> Facts {
    let program = &explored.mapped.program;
    if program.edges.values().any(|e| matches!(e.op, Op::Call { .. })) {
        return Facts::default();
    }
    budget.progress().enter(Phase::Guessing);
    let mut store = TermStore::new();
    let mut prover = Prover::new(budget.clone());
    let cuts = BlockOptions { calls: true, single: false };
    let mut blocks = BlockProgram::new(program, &mut store, cuts, explored.intervals());
    blocks.slots.exact_bits = options.exact_bits;
    let (claimed, limits) = (&options.claimed, templates::Options::default());
    templates::inductive_facts(&mut blocks, &mut store, &mut prover, limits, claimed)
        .unwrap_or_default()
}

fn with_facts(
    facts: &Facts,
    blocks: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    statistics: &mut Statistics,
    search: BlockSearch<'_>,
) -> Conclusion {
    let invariants = facts::conjunctions(blocks, store, facts);
    blocks.assume_invariants(&invariants);
    prover.budget().progress().enter(Phase::Exploring);
    match search(blocks, store, prover, statistics) {
        Conclusion::Safe(mut certificate) => {
            for (location, invariant) in &mut certificate.invariants {
                if let Some(&known) = invariants.get(location) {
                    *invariant = store.mk_and(&[*invariant, known]);
                }
            }
            Conclusion::Safe(certificate)
        }
        other => other,
    }
}
