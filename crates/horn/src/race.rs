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
use crate::system::{Figures, Interpretation, System, Verdict};
use crate::{car, pdr, templates, translate};
use bolide_base::race::{Lost, Runner, race};
use bolide_base::{Budget, NoAnswer};
use bolide_terms::TermStore;

// Heuristic: polls of one turn. Templates come first and are mostly quick; then most systems are
// decided by reachability.
const REFINEMENT_TURN: u64 = 3_000;
const REACHABILITY_TURN: u64 = 9_000;

/// What an engine found, and what there is to say about it.
struct Finding {
    verdict: Verdict,
    figures: Figures,
    /// Who.
    name: &'static str,
    store: TermStore,
}

type Worker = fn(TermStore, &System, usize, Desk<'_>, &Budget) -> Finding;

const WORKERS: [(&str, u64, Worker); 2] =
    [(car::NAME, REFINEMENT_TURN, refinement), (pdr::NAME, REACHABILITY_TURN, reachability)];

/// Decides the system with both engines, and says whose answer it is. At most `checks` questions are asked
/// about templates.
pub(crate) fn solve(
    store: &mut TermStore,
    system: &System,
    checks: usize,
    threads: usize,
    budget: &Budget,
) -> (Verdict, Option<&'static str>, Figures) {
    let board = Board::default();
    let runner = |(position, (name, turn, worker)): (usize, (&'static str, u64, Worker))| {
        let mut own = TermStore::new();
        let copy = translate::system(store, &mut own, system);
        let desk = Desk::new(&board, position);
        let work = move |budget: &Budget| worker(own, &copy, checks, desk, budget);
        Runner { name, turn, work: Box::new(work) }
    };
    let runners = WORKERS.into_iter().enumerate().map(runner).collect();
    let decides = |finding: &Finding| !matches!(finding.verdict, Verdict::Unknown(_));
    let mut figures = Vec::new();
    let mut reason = NoAnswer::Unsupported("no engine could be started".to_owned());
    let mut panics = Vec::new();
    for finding in race(runners, threads, budget, decides) {
        let mut finding = match finding {
            Ok(finding) => finding,
            Err(Lost::Panicked(panic)) => {
                panics.push(panic);
                continue;
            }
            Err(Lost::NotStarted(_)) => continue,
        };
        figures.append(&mut finding.figures);
        match finding.verdict {
            // The reason of reachability, which comes last.
            Verdict::Unknown(why) => reason = why,
            decided => {
                let answer = translate::answer(&mut finding.store, store, system, decided);
                let lost = || NoAnswer::solver("a value has no term");
                let answer = answer.unwrap_or_else(|| Verdict::Unknown(lost()));
                return (answer, Some(finding.name), figures);
            }
        }
    }
    if let Some(panic) = panics.into_iter().next() {
        std::panic::resume_unwind(panic);
    }
    (Verdict::Unknown(reason), None, figures)
}

fn refinement(
    mut store: TermStore,
    system: &System,
    checks: usize,
    mut desk: Desk<'_>,
    budget: &Budget,
) -> Finding {
    let known = match templates::invariants(&mut store, system, checks, budget) {
        Ok(found) => found.unwrap_or_default(),
        Err(why) => {
            let (verdict, figures) = (Verdict::Unknown(why.into()), Vec::new());
            return Finding { verdict, figures, name: car::NAME, store };
        }
    };
    let guessed = templates::figure(&store, system, &known);
    for relation in system.relations.ids() {
        desk.publish(&store, relation, known.get(relation), Kind::Invariant);
    }
    let found = car::solve(&mut store, system, known, Some(desk), &mut None, budget);
    let mut figures = found.figures();
    figures.extend(guessed);
    Finding { verdict: found.verdict, figures, name: car::NAME, store }
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
    Finding { verdict, figures: statistics.figures(), name: pdr::NAME, store }
}
