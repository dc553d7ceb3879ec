//! Both engines on one system, side by side or taking turns.
//!
//! Property-directed reachability starts at once; the thread of abstraction
//! refinement first looks for templates ([`crate::templates`]) and tells what it finds. From
//! then on each publishes what it learns ([`crate::exchange`]): lemmas of the
//! frames become interface predicates, interface predicates are tried as
//! lemmas. Each engine has a store of its own, and the answer of the first that
//! has one is translated back.
//!
//! With one thread the engines take turns measured in polls of the budget, so that runs repeat
//! exactly; with two they do not, because what one knows depends on how far the other came.

use crate::exchange::{Board, Desk, Kind};
use crate::system::{Interpretation, System, Verdict};
use crate::translate::Translation;
use crate::{car, pdr, templates};
use bolide_base::{Budget, Exhausted};
use bolide_terms::TermStore;
use std::panic::resume_unwind;

/// Address space for the stack of a working thread; pages are only used when touched.
const STACK_BYTES: usize = 1 << 28;

// Heuristic: polls of one turn. Templates come first and are mostly quick; then most systems are
// decided by reachability.
const REFINEMENT_TURN: u64 = 3_000;
const REACHABILITY_TURN: u64 = 9_000;

/// What an engine found, and what there is to say about it.
struct Finding {
    verdict: Verdict,
    notes: Vec<String>,
    store: TermStore,
}

type Worker = fn(TermStore, &System, usize, Desk<'_>, &Budget) -> Finding;

/// Decides the system with both engines. At most `checks` questions are asked about templates.
pub(crate) fn solve(
    store: &mut TermStore,
    system: &System,
    checks: usize,
    threads: usize,
    budget: &Budget,
) -> (Verdict, Vec<String>) {
    let board = Board::default();
    let turns = [("refinement", REFINEMENT_TURN), ("reachability", REACHABILITY_TURN)];
    let budgets = budget.children_in_turn(&turns, threads);
    let workers: [Worker; 2] = [refinement, reachability];
    let mut copies = Vec::new();
    for _ in &workers {
        let mut own = TermStore::new();
        let copy = Translation::default().system(store, &mut own, system);
        copies.push((own, copy));
    }
    let mut findings = Vec::new();
    let mut panics = Vec::new();
    std::thread::scope(|scope| {
        let (board, budgets) = (&board, &budgets);
        let mut handles = Vec::new();
        for (position, (work, (own, copy))) in workers.into_iter().zip(copies).enumerate() {
            let budget = &budgets[position];
            let handle = std::thread::Builder::new()
                .name(turns[position].0.to_owned())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    let _attendance = budget.begin();
                    let desk = Desk::new(board, position);
                    let finding = work(own, &copy, checks, desk, budget);
                    if !matches!(finding.verdict, Verdict::Unknown(_)) {
                        for other in budgets {
                            other.stop(Exhausted::Cancelled);
                        }
                    }
                    finding
                })
                // Required: the other must not wait for its turn.
                .inspect_err(|_| budget.withdraw());
            handles.push(handle);
        }
        for handle in handles {
            match handle.map(|handle| handle.join()) {
                Ok(Ok(finding)) => findings.push(finding),
                Ok(Err(panic)) => panics.push(panic),
                Err(_) => {}
            }
        }
    });
    let mut notes = Vec::new();
    let mut reason = "no engine could be started".to_owned();
    for mut finding in findings {
        notes.append(&mut finding.notes);
        match finding.verdict {
            // The reason of reachability, which comes last, unless it was only stopped.
            Verdict::Unknown(why) => reason = why,
            decided => {
                let mut back = Translation::default();
                let answer = back.answer(&mut finding.store, store, system, decided);
                let untranslated = || Verdict::Unknown("a value has no term".to_owned());
                return (answer.unwrap_or_else(untranslated), notes);
            }
        }
    }
    if let Some(panic) = panics.into_iter().next() {
        resume_unwind(panic);
    }
    (Verdict::Unknown(reason), notes)
}

fn refinement(
    mut store: TermStore,
    system: &System,
    checks: usize,
    mut desk: Desk<'_>,
    budget: &Budget,
) -> Finding {
    let mut notes = Vec::new();
    let known = match templates::invariants(&mut store, system, checks, budget) {
        Ok(Some(found)) => {
            for relation in system.relations.ids() {
                desk.publish(&store, relation, found.get(relation), Kind::Invariant);
            }
            found
        }
        Ok(None) => {
            notes.push("templates: nothing inductive in time".to_owned());
            Interpretation::new()
        }
        Err(why) => {
            notes.push("templates: stopped".to_owned());
            return Finding { verdict: Verdict::Unknown(why.to_string()), notes, store };
        }
    };
    let found = car::solve(&mut store, system, known, Some(desk), budget);
    notes.push(found.note());
    Finding { verdict: found.verdict, notes, store }
}

fn reachability(
    mut store: TermStore,
    system: &System,
    _checks: usize,
    desk: Desk<'_>,
    budget: &Budget,
) -> Finding {
    let (verdict, statistics) =
        pdr::solve(&mut store, system, Interpretation::new(), Some(desk), budget);
    Finding { verdict, notes: vec![statistics.to_string()], store }
}
