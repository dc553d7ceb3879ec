//! The program as the engines get it, with what is known of it before they start.

use crate::bounded::options::Options as BoundedOptions;
use crate::constraint_logic::rules::Relations;
use crate::counts::Counts;
use crate::first_predicates::FirstPredicate;
use crate::predicate_abstraction::options::Options as PredicateOptions;
use crate::shape::options::Options as ShapeOptions;
use crate::trace_abstraction::options::Options as TraceOptions;
use bolide_base::Budget;
use bolide_base::budget::{Phase, Progress};
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::analysis::ranges::{Tables, tables};
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::transform::InlineError;
use bolide_cfa::{AllocKind, BinaryOp, CheckId, Expr, ExprId, Op, Program, Property, Type};
use bolide_horn::solve;
use bolide_reachability::arg::Order;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::encode::{Exactness, Inexact};
use bolide_reachability::facts::{self, Facts};
use bolide_reachability::prover::Prover;
use bolide_reachability::templates::{self, Found};
use bolide_reachability::verdict::{Annotation, Reason};
use bolide_terms::TermStore;
use bolide_verdict::Invariant;
use bolide_verdict::prepared::Prepared;
use bolide_verdict::told::Shown;
use std::sync::OnceLock;

/// What engines are told.
#[derive(Clone, Debug)]
pub struct Orders {
    /// Whether facts and inputs may come from elsewhere than the search: templates, summaries, tables of
    /// values, samples, and executions of inputs that something suggests.
    pub guess: bool,
    /// Whether calls are replaced by what they call, where that can be.
    pub inline: bool,
    /// Every location is a cut point, as in the papers.
    pub single_blocks: bool,
    /// Which node of a graph is looked at next, if it is not for the engine to say.
    pub order: Option<Order>,
    /// Predicates that `predicate` and `trace` begin with, a list for each file.
    pub first_predicates: Vec<Vec<FirstPredicate>>,
    /// How many recent vertices of the same location `impact` tries to cover by, with force.
    pub forced_covering: usize,
    /// What the relations of `clp` are about.
    pub relations: Relations,
    /// Who decides the rules of `clp`.
    pub rules: solve::Engine,
    /// Which operations are the machine's from the start.
    pub exact: Exactness,
    /// Whether engines are to write down what they made: automata, predicates, clauses.
    pub describe: bool,
    /// Whether engines are to draw what they did.
    pub pictures: bool,
    /// Checks that stand for what somebody claims to be invariant: candidates for invariants where
    /// they stand.
    pub claimed: Vec<CheckId>,
    /// What the engine `bounded` is told.
    pub bounded: BoundedOptions,
    /// What the engine `predicate` is told.
    pub predicate: PredicateOptions,
    /// What the engine `trace` is told.
    pub trace: TraceOptions,
    /// What the engine `shape` is told.
    pub shape: ShapeOptions,
}

impl Default for Orders {
    fn default() -> Self {
        Orders {
            guess: true,
            inline: true,
            single_blocks: false,
            order: None,
            first_predicates: Vec::new(),
            // Heuristic: more candidates cost more than they cover.
            forced_covering: 3,
            relations: Relations::default(),
            rules: solve::Engine::Auto,
            exact: Exactness::default(),
            describe: false,
            pictures: false,
            claimed: Vec::new(),
            bounded: BoundedOptions::default(),
            predicate: PredicateOptions::default(),
            trace: TraceOptions::default(),
            shape: ShapeOptions::default(),
        }
    }
}

/// What the engines are to decide. Shared between threads, changed by nobody.
pub struct Task<'a> {
    /// The programs to explore.
    pub programs: Prepared<'a>,
    /// Facts of the flattest program that prove each other, found once, and for people those that would exclude an error
    /// and were not proved. Nothing where nobody looked, or as long as somebody still does.
    pub guessed: OnceLock<Found>,
    /// Which values go together in the flattest program; nothing where nobody looked.
    pub tables: Tables,
    /// What the user asked for.
    pub orders: Orders,
}

/// What the choice of engines depends on.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Why the calls cannot be inlined; none when they can.
    pub inlining: Option<String>,
    /// Some function can call itself.
    pub recursive: bool,
    /// Memory is allocated on the heap.
    pub heap: bool,
    /// There is a database of proofs of earlier programs.
    pub proofs: bool,
    /// The program asks for no input, and its only run is long.
    pub one_long_run: bool,
    /// Whether nobody wants executions.
    pub unexecuted: bool,
    /// Whether formulas have the machine's operations.
    pub exact: bool,
    /// Whether the program computes with floats, or with bits and products of unknowns.
    pub machine: bool,
    /// How much there is of what.
    pub counts: Counts,
}

impl<'a> Task<'a> {
    /// Prepares a program.
    pub fn new(original: &'a Program, orders: &Orders, progress: &Progress) -> Task<'a> {
        let programs = match orders.inline {
            true => Prepared::new(original, &orders.exact.bytes, progress),
            false => Prepared::with_calls(original, &orders.exact.bytes, progress),
        };
        let (guessed, tables) = Default::default();
        Task { programs, guessed, tables, orders: orders.clone() }
    }

    /// Whether no check is left after simplification.
    pub fn has_no_checks(&self) -> bool {
        let program = &self.programs.flattest().mapped.program;
        !program.locations.values().any(|l| l.error.is_some())
    }

    /// What the choice of engines depends on.
    pub fn features(&self) -> Features {
        let programs = &self.programs;
        let program = &programs.simplified.mapped.program;
        Features {
            inlining: programs.inlined.as_ref().err().map(ToString::to_string),
            recursive: matches!(programs.inlined, Err(InlineError::Recursion(_))),
            heap: program
                .edges
                .values()
                .any(|e| matches!(e.op, Op::Alloc { kind: AllocKind::Heap, .. })),
            proofs: self.orders.trace.proofs.is_some(),
            exact: self.orders.exact.all,
            machine: self.computes_as_the_machine(),
            counts: Counts::of(&programs.flattest().mapped.program),
            ..Features::default()
        }
    }

    /// Whether formulas say more with the machine's operations than they do now.
    pub fn gains_from_exactness(&self) -> bool {
        let program = &self.programs.simplified.mapped.program;
        let exprs = &program.exprs;
        let differs = |expr: &Expr| {
            use BinaryOp::{Add, Sub};
            let float = |e: &ExprId| matches!(exprs.type_of(*e), Type::Float(_));
            match expr {
                Expr::Binary(Add | Sub, a, _) | Expr::Compare(_, a, _) => float(a),
                Expr::Cast(to, a) => {
                    let from = exprs.type_of(*a);
                    float(a) || (from == Type::Pointer) != (*to == Type::Pointer)
                }
                Expr::Load(access) => program.regions[access.region].cell.is_none(),
                Expr::Binary(..) | Expr::FloatFn(..) | Expr::FloatTest(..) => true,
                _ => false,
            }
        };
        !self.orders.exact.all && any_expression(program, differs)
    }

    /// Whether the program computes with floats, or with bits and products of unknowns: with a constant, most
    /// operations are exact in any case.
    fn computes_as_the_machine(&self) -> bool {
        let program = &self.programs.simplified.mapped.program;
        let exprs = &program.exprs;
        let unknown = |e: &ExprId| exprs.as_int(*e).is_none();
        any_expression(program, |expr| match expr {
            Expr::Binary(_, a, _) if matches!(exprs.type_of(*a), Type::Float(_)) => true,
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => false,
            Expr::Binary(_, a, _) if exprs.type_of(*a) == Type::BOOL => false,
            Expr::Binary(BinaryOp::Mul, a, b) => unknown(a) && unknown(b),
            Expr::Binary(_, _, b) => unknown(b),
            Expr::FloatFn(..) | Expr::FloatTest(..) => true,
            _ => false,
        })
    }

    /// The same with more of the machine: with the memory that was read with several types as bytes, else with these operations,
    /// or with everything if there are no more; none where that says nothing more.
    pub fn refined(mut self, inexact: &Inexact, progress: &Progress) -> Option<Task<'a>> {
        let anew = |exact: Exactness| {
            let orders = Orders { exact, ..self.orders.clone() };
            Task::new(self.programs.original, &orders, progress)
        };
        if self.orders.exact.all {
            return None;
        }
        if let Some(bytes) = self.orders.exact.bytes.with(&inexact.reads) {
            // The operations that were exact are others in the new program; they are found again.
            return Some(anew(Exactness { bytes, ..Exactness::default() }));
        }
        if let Some(finer) = self.orders.exact.with(&inexact.operations) {
            self.orders.exact = finer;
            return Some(self);
        }
        self.gains_from_exactness().then(|| anew(Exactness::full()))
    }

    /// The program for formulas, cut into blocks.
    pub fn blocks(&self, store: &mut TermStore, single: bool) -> BlockProgram<'_> {
        let explored = self.programs.flattest();
        let cuts = BlockOptions { calls: true, single };
        let program = &explored.mapped.program;
        let mut blocks = BlockProgram::new(program, store, cuts, explored.intervals());
        blocks.slots.exact = self.orders.exact.clone();
        blocks
    }

    /// Heuristic: runs the program with sets of values.
    pub fn tabulate(&self, budget: &Budget) -> Tables {
        budget.progress().enter(Phase::Tabulating);
        let program = &self.programs.flattest().mapped.program;
        tables::tables(program, tables::Limits::default(), budget)
    }

    /// Heuristic: facts at loop heads of a program without calls that templates suggest and that
    /// prove each other; without them the search has less to start from.
    /// What is claimed is a candidate as well, by somebody else or by a contract of the program.
    ///
    /// # Errors
    /// When that takes too long.
    pub fn guess(&self, budget: &Budget) -> Result<Found, Reason> {
        let program = &self.programs.flattest().mapped.program;
        if program.edges.values().any(|e| matches!(e.op, Op::Call { .. })) {
            return Ok(Found::default());
        }
        budget.progress().enter(Phase::Encoding);
        let mut store = TermStore::new();
        let mut prover = Prover::new(budget.clone());
        let mut blocks = self.blocks(&mut store, false);
        budget.progress().enter(Phase::Guessing);
        let promised = program.checks.iter().filter(|(_, c)| c.property == Property::Contract);
        let mut claimed = self.orders.claimed.clone();
        claimed.extend(promised.map(|(check, _)| check));
        let (tables, limits) = (&self.tables, templates::Options::default());
        templates::inductive_facts(&mut blocks, &mut store, &mut prover, limits, tables, &claimed)
    }

    /// The facts that prove each other, as far as they are known: used by every engine that reasons about blocks and begins after
    /// they were found.
    pub fn facts(&self) -> Option<&Facts> {
        self.guessed.get().map(|found| &found.proved)
    }

    /// What is missing, in the words of the program.
    pub fn missing(&self) -> Vec<Invariant> {
        let Some(Found { missing, .. }) = self.guessed.get().filter(|f| !f.missing.is_empty())
        else {
            return Vec::new();
        };
        let mut store = TermStore::new();
        let blocks = self.blocks(&mut store, false);
        let invariants = facts::conjunctions(&blocks, &mut store, missing);
        let annotation = Annotation { invariants, contracts: Vec::new() };
        let explored = &self.programs.flattest().mapped;
        Shown::new(self.programs.original, explored, &mut store).invariants(&annotation)
    }
}

/// Whether some operation of a program has such an expression.
fn any_expression(program: &Program, is_such: impl Fn(&Expr) -> bool) -> bool {
    let mut walker = Walker::new();
    program.edges.values().any(|edge| {
        let expressions = walker.bottom_up(&program.exprs, &edge.op.operands());
        expressions.into_iter().any(|id| is_such(program.exprs.get(id)))
    })
}
