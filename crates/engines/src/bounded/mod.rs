//! Bounded model checking, with unwinding assertions and k-induction.
//!
//! All runs of the program with a few rounds of each loop are one formula, which a single question decides;
//! then come those with more. Nothing is abstracted: bits are exact, and so are
//! arrays whose indices the rounds decide ([`unrolling`](bolide_reachability::unrolling)).
//!
//! | paper | here |
//! |---|---|
//! | Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs" (TACAS 1999): one formula for each bound | [`Bounded::search`] |
//! | Clarke, Kroening, Lerda, "A tool for checking ANSI-C programs" (TACAS 2004): unwinding assertions | [`Bounded::is_complete`] |
//! | Sheeran, Singh, Stålmarck, "Checking safety properties using induction and a SAT-solver" (FMCAD 2000): k-induction | [`induction`] |
//! | Beyer, Dangl, Wendler, "Boosting k-induction with continuously-refined invariants" (CAV 2015): facts of others | [`induction`] |
//! | Eén, Sörensson, "Temporal induction by incremental SAT solving" (BMC 2003): one session for all bounds | [`session`] |
//!
//! At each bound three things are asked, in this order:
//!
//! 1. Does a run within it fail? Then its path is the conclusion.
//! 2. Does a run exceed it? If not, there is nothing beyond: the bound is the certificate.
//! 3. Does the failure of a run need fewer blocks than the bound before it, from wherever the guessed facts hold? Then
//!    no failure is further away than that: the bound and the facts are the certificate.
//!
//! Deviations. The bound counts rounds of each loop and activations of each function by
//! themselves, not the length of runs: loops one after the other do not add up. Terms of one bound are those of the next
//! where they are the same, so the session needs no literal for "the bound is reached".
//!
//! Limits. Bounds grow like Fibonacci's numbers, so a violation may have more rounds than needed; its path is the
//! one that the model takes. Some loops that are entered in several places are refused. Calls
//! are unrolled where they are recursive, but then there is no induction.

mod induction;
pub mod options;
mod session;

pub use options::Options;

use crate::task::Task;
use crate::workbench::{Statistics, Workbench};
use bolide_reachability::calls::Calls;
use bolide_reachability::counterexample;
use bolide_reachability::prover;
use bolide_reachability::unrolling::{Measure, Start, Unrolled, Unroller};
use bolide_reachability::verdict::Reason;
use bolide_terms::{Model, TermStore};
use bolide_verdict::{Certificate, Conclusion};
use induction::Induction;
use session::Session;

/// Decides whether an error location can be reached.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    bench.exact.all = true;
    let options = task.orders.bounded;
    let mut blocks = bench.blocks(false);
    let calls = match Calls::new(&blocks, &mut bench.store) {
        Ok(calls) => calls,
        Err(why) => return Conclusion::Unknown(Reason::Unsupported(why)),
    };
    let mut with_facts = bench.blocks_with_facts(false);
    let (facts, budget) = (bench.assumed(), bench.budget());
    let induction = (options.induction && calls.is_empty())
        .then(|| Induction::new(&mut with_facts, &calls, &mut bench.store, facts));
    let cfa = blocks.program;
    let mut session = Session::new(&budget);
    session.written = task.orders.describe.then(Vec::new);
    let mut bounded = Bounded {
        unroller: Unroller::new(&mut blocks, &calls),
        session,
        induction,
        options,
        figures: Figures::default(),
    };
    let found = bounded.search(&mut bench.store);
    bounded.tell(&mut bench.statistics, &mut bench.prover.statistics);
    bench.statistics.drawings = bounded.session.written.take().unwrap_or_default();
    let conclude = |found| match found {
        Found::Run(unrolled, model) => {
            let store = &mut bench.store;
            let way = unrolled.way(store, &model);
            let way =
                way.ok_or_else(|| Reason::solver("a model does not say which way it goes"))?;
            counterexample::read_off(cfa, store, &way, &model).map(Conclusion::path)
        }
        Found::Proof(certificate) => Ok(Conclusion::Safe(certificate)),
    };
    found.and_then(conclude).unwrap_or_else(Conclusion::Unknown)
}

/// What ends the search.
enum Found {
    Run(Unrolled, Model),
    Proof(Certificate),
}

/// How far it came.
#[derive(Default)]
struct Figures {
    rounds: u32,
    nodes: usize,
    part: Option<&'static str>,
}

struct Bounded<'a, 'p> {
    unroller: Unroller<'a, 'p>,
    session: Session,
    induction: Option<Induction<'a, 'p>>,
    options: Options,
    figures: Figures,
}

impl Bounded<'_, '_> {
    /// One bound after the other.
    fn search(&mut self, store: &mut TermStore) -> Result<Found, Reason> {
        let (mut bound, mut next) = (1, 2);
        loop {
            let rounds = self.options.bound.map_or(bound, |limit| bound.min(limit));
            let unrolled = self.unroll(store, rounds)?;
            let error = unrolled.error(store);
            if let Some(model) = self.session.model(store, error)? {
                return Ok(Found::Run(unrolled, model));
            }
            if self.is_complete(store, &unrolled)? {
                self.figures.part = Some("unwinding");
                return Ok(Found::Proof(Certificate::Unrolled { rounds }));
            }
            if let Some(induction) = &mut self.induction
                && let Some(certificate) = induction.prove(store, rounds, &self.session.budget)?
            {
                self.figures.part = Some("k-induction");
                return Ok(Found::Proof(certificate));
            }
            if self.options.bound == Some(rounds) {
                let why =
                    format!("no run of at most {rounds} rounds fails; others were not looked at");
                return Err(Reason::NoProgress(why));
            }
            (bound, next) = (next, bound.saturating_add(next));
        }
    }

    fn unroll(&mut self, store: &mut TermStore, rounds: u32) -> Result<Unrolled, Reason> {
        let budget = &self.session.budget;
        let (start, measure) = (Start::Program, Measure::Rounds);
        let unrolled = self.unroller.unroll(store, start, measure, rounds, budget)?;
        self.figures.rounds = rounds;
        self.figures.nodes = unrolled.len();
        Ok(unrolled)
    }

    /// The unwinding assertions: no run exceeds the bound.
    fn is_complete(&mut self, store: &mut TermStore, unrolled: &Unrolled) -> Result<bool, Reason> {
        let beyond = unrolled.beyond(store);
        Ok(self.session.model(store, beyond)?.is_none())
    }

    fn tell(&self, statistics: &mut Statistics, asked: &mut prover::Statistics) {
        let inductions = self.induction.as_ref().map_or(0, |induction| induction.k);
        statistics.part = self.figures.part;
        statistics.figures = vec![
            ("rounds", u64::from(self.figures.rounds)),
            ("nodes", self.figures.nodes as u64),
            ("atoms", self.session.atoms() as u64),
            ("blocks of induction", u64::from(inductions)),
        ];
        asked.models += self.session.asked;
        asked.calls += self.session.asked;
    }
}
