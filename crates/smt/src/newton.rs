//! Interpolants of traces without a proof to read ("Newton").
//!
//! A trace is a list of statements over program variables; if it cannot be
//! executed there are formulas over the program variables, one for each point,
//! from `true` to `false`, each of which leads to the next (Dietsch, Heizmann,
//! Musa, Nutz, Podelski: *Craig vs. Newton in software model checking*, 2017).
//!
//! 1. Name the values ([`Trace`]): the trace becomes a sequence of formulas, one
//!    for each statement, in which every assignment has a constant of its own.
//! 2. Ask the solver which of them contradict each other. Assignments that are
//!    not needed become havoc, conjuncts of assumptions that are not needed are
//!    dropped.
//! 3. Backward: weakest preconditions of `false`, where havoc becomes a
//!    universal quantifier that [`forall`] must be able to eliminate. Nothing else
//!    needs elimination, so arrays and bit-vectors stay free of quantifiers.
//!    Or forward: strongest postconditions of `true`, where the old value of
//!    an assigned variable and every variable that is not live any more is
//!    eliminated by [`exists`]; what cannot be eliminated is forgotten, which is
//!    sound, but `false` may then not be reached.
//! 4. Every result is proven anew statement by statement before it is returned.
//!
//! [`project_sequence`] does the same for formulas that are no statements, and
//! [`project_tree`] for trees of them.
//!
//! Where one direction fails the other is tried. The two differ in what they
//! mention: backward only what the rest of the trace asks about, forward only
//! what is live.

mod eliminate;
mod project;

pub use eliminate::{exists, forall};
pub use project::{project_sequence, project_tree};

use crate::interpolate::{NoInterpolant, Refutation, refute, simplify};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_terms::{Op, TermId, TermStore};
use eliminate::occurs;

/// One step of a trace. Variables are declared constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `variable := value`. An array write assigns a `store` to the array.
    Assign {
        /// What is assigned to.
        variable: TermId,
        /// Over the values before.
        value: TermId,
    },
    /// The variable gets any value.
    Havoc(TermId),
    /// The trace goes on only if this holds.
    Assume(TermId),
}

/// Where to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Weakest preconditions from the end.
    #[default]
    Backward,
    /// Strongest postconditions from the start.
    Forward,
}

impl Direction {
    /// The other one.
    pub fn opposite(self) -> Direction {
        match self {
            Direction::Backward => Direction::Forward,
            Direction::Forward => Direction::Backward,
        }
    }
}

/// What there is to say about a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can be executed.
    Feasible,
    /// It cannot: one formula more than there are statements, over the program
    /// variables, from `true` to `false`.
    Infeasible(Vec<TermId>),
}

/// No larger formulas than this.
const SIZE: usize = 20_000;

/// Interpolants for the trace, in the given direction or else in the other.
pub fn interpolate_trace(
    store: &mut TermStore,
    statements: &[Statement],
    direction: Direction,
    budget: &Budget,
) -> Result<Verdict, NoInterpolant> {
    let _work = budget.progress().in_solver();
    let Some(relaxed) = relax(store, statements, budget)? else { return Ok(Verdict::Feasible) };
    let mut reasons = Vec::new();
    for direction in [direction, direction.opposite()] {
        let attempt = match direction {
            Direction::Backward => backward(store, &relaxed, budget),
            Direction::Forward => forward(store, &relaxed, budget),
        };
        let checked = attempt.and_then(|interpolants| {
            recheck_trace(store, statements, &interpolants, budget)?;
            Ok(interpolants)
        });
        match checked {
            Ok(interpolants) => return Ok(Verdict::Infeasible(interpolants)),
            Err(why) => reasons.push(format!("{direction:?}: {}", why.reason)),
        }
    }
    Err(NoInterpolant::new(reasons.join("; ")))
}

/// A trace in which every assigned value has a name of its own.
pub struct Trace {
    /// One formula for each statement.
    pub formulas: Vec<TermId>,
    /// For each point, from before the first statement to after the last, the
    /// constants of the variables that have been assigned so far.
    names: Vec<HashMap<TermId, TermId>>,
}

impl Trace {
    /// Names the values of a trace. A variable is its own first name.
    pub fn new(store: &mut TermStore, statements: &[Statement]) -> Self {
        let mut current: HashMap<TermId, TermId> = HashMap::default();
        let mut versions: HashMap<TermId, u32> = HashMap::default();
        let mut names = vec![current.clone()];
        let mut formulas = Vec::with_capacity(statements.len());
        for statement in statements {
            let formula = match *statement {
                Statement::Assume(condition) => store.substitute(condition, &current),
                Statement::Havoc(variable) => {
                    next_name(store, variable, &mut current, &mut versions);
                    TermId::TRUE
                }
                Statement::Assign { variable, value } => {
                    let value = store.substitute(value, &current);
                    let name = next_name(store, variable, &mut current, &mut versions);
                    store.mk_eq(name, value)
                }
            };
            formulas.push(formula);
            names.push(current.clone());
        }
        Trace { formulas, names }
    }

    /// A formula over the names that are current at a point, over the variables.
    pub fn over_variables(&self, store: &mut TermStore, point: usize, formula: TermId) -> TermId {
        let back = self.names[point].iter().map(|(&variable, &name)| (name, variable)).collect();
        store.substitute(formula, &back)
    }
}

fn next_name(
    store: &mut TermStore,
    variable: TermId,
    current: &mut HashMap<TermId, TermId>,
    versions: &mut HashMap<TermId, u32>,
) -> TermId {
    let version = versions.entry(variable).or_insert(0);
    *version += 1;
    // Names with an at-sign are reserved for solvers by SMT-LIB.
    let function = store.function_of(variable).expect("a variable is a declared constant");
    let name = format!("@ssa!{}!{version}", store.function_name(function));
    let sort = store.sort(variable);
    let name = store.mk_const(&name, sort);
    current.insert(variable, name);
    name
}

/// The trace without what its infeasibility does not need; none if it is
/// feasible.
fn relax(
    store: &mut TermStore,
    statements: &[Statement],
    budget: &Budget,
) -> Result<Option<Vec<Statement>>, NoInterpolant> {
    // Conjuncts of assumptions count one by one.
    let mut pieces = Vec::new();
    let mut owner = Vec::new();
    for (number, statement) in statements.iter().enumerate() {
        match *statement {
            Statement::Assume(condition) if store.op(condition) == Op::And => {
                for &conjunct in store.args(condition) {
                    pieces.push(Statement::Assume(conjunct));
                    owner.push(number);
                }
            }
            other => {
                pieces.push(other);
                owner.push(number);
            }
        }
    }
    let trace = Trace::new(store, &pieces);
    let core = match refute(store, &trace.formulas, budget) {
        Refutation::Sat => return Ok(None),
        Refutation::Unknown(reason) => {
            return Err(NoInterpolant::new(format!("the trace could not be decided: {reason}")));
        }
        Refutation::Unsat(core) => core,
    };
    let needed: HashSet<usize> = core.into_iter().collect();
    let mut conjuncts: Vec<Vec<TermId>> = vec![Vec::new(); statements.len()];
    let mut relaxed = statements.to_vec();
    for (piece, statement) in pieces.iter().enumerate() {
        match *statement {
            Statement::Assume(condition) => {
                if needed.contains(&piece) {
                    conjuncts[owner[piece]].push(condition);
                }
            }
            Statement::Assign { variable, .. } => {
                if !needed.contains(&piece) {
                    relaxed[owner[piece]] = Statement::Havoc(variable);
                }
            }
            Statement::Havoc(_) => {}
        }
    }
    for (number, conjuncts) in conjuncts.into_iter().enumerate() {
        if let Statement::Assume(condition) = &mut relaxed[number] {
            *condition = store.mk_and(&conjuncts);
        }
    }
    Ok(Some(relaxed))
}

fn backward(
    store: &mut TermStore,
    statements: &[Statement],
    budget: &Budget,
) -> Result<Vec<TermId>, NoInterpolant> {
    let mut points = vec![TermId::FALSE];
    for statement in statements.iter().skip(1).rev() {
        budget.poll()?;
        let after = *points.last().expect("never empty");
        let before = weakest_precondition(store, statement, after)
            .ok_or_else(|| NoInterpolant::new("a quantifier could not be eliminated"))?;
        let before = simplify(store, before);
        if store.dag_size(before) > SIZE {
            return Err(NoInterpolant::new("a weakest precondition grows too large"));
        }
        points.push(before);
    }
    // The trace is infeasible, so what comes first holds anyway; the recheck makes
    // sure.
    points.push(TermId::TRUE);
    points.reverse();
    Ok(points)
}

/// None if a quantifier cannot be eliminated.
fn weakest_precondition(
    store: &mut TermStore,
    statement: &Statement,
    after: TermId,
) -> Option<TermId> {
    match *statement {
        Statement::Assign { variable, value } => Some(replace(store, after, variable, value)),
        Statement::Assume(condition) => {
            let not = store.mk_not(condition);
            Some(store.mk_or(&[not, after]))
        }
        Statement::Havoc(variable) => {
            if occurs(store, variable, after) {
                forall(store, variable, after)
            } else {
                Some(after)
            }
        }
    }
}

fn replace(store: &mut TermStore, formula: TermId, variable: TermId, by: TermId) -> TermId {
    let mut map = HashMap::default();
    map.insert(variable, by);
    store.substitute(formula, &map)
}

fn forward(
    store: &mut TermStore,
    statements: &[Statement],
    budget: &Budget,
) -> Result<Vec<TermId>, NoInterpolant> {
    let live = live_variables(store, statements);
    let mut points = vec![TermId::TRUE];
    let all_but_last = statements.len().saturating_sub(1);
    for (number, statement) in statements.iter().enumerate().take(all_but_last) {
        budget.poll()?;
        let before = *points.last().expect("never empty");
        let mut after = strongest_postcondition(store, statement, before);
        for constant in store.constants(after) {
            if !live[number + 1].contains(&constant) {
                after = forget(store, constant, after);
            }
        }
        let after = simplify(store, after);
        if store.dag_size(after) > SIZE {
            return Err(NoInterpolant::new("a strongest postcondition grows too large"));
        }
        points.push(after);
    }
    // The trace is infeasible, so nothing is reachable here unless too much was
    // forgotten; the recheck makes sure.
    points.push(TermId::FALSE);
    Ok(points)
}

fn strongest_postcondition(store: &mut TermStore, statement: &Statement, before: TermId) -> TermId {
    match *statement {
        Statement::Assume(condition) => store.mk_and(&[before, condition]),
        Statement::Havoc(variable) => forget(store, variable, before),
        Statement::Assign { variable, value } => {
            let sort = store.sort(variable);
            let old = store.mk_const("@old", sort);
            let before = replace(store, before, variable, old);
            let value = replace(store, value, variable, old);
            let equal = store.mk_eq(variable, value);
            let both = store.mk_and(&[before, equal]);
            forget(store, old, both)
        }
    }
}

/// `exists variable: formula`, or something weaker.
fn forget(store: &mut TermStore, variable: TermId, formula: TermId) -> TermId {
    if !occurs(store, variable, formula) {
        return formula;
    }
    if let Some(result) = exists(store, variable, formula) {
        return result;
    }
    if store.op(formula) == Op::And {
        let kept: Vec<TermId> = store
            .args(formula)
            .iter()
            .copied()
            .filter(|&conjunct| !occurs(store, variable, conjunct))
            .collect();
        return store.mk_and(&kept);
    }
    TermId::TRUE
}

/// For each point the variables that the rest of the trace reads.
fn live_variables(store: &TermStore, statements: &[Statement]) -> Vec<HashSet<TermId>> {
    let mut live: HashSet<TermId> = HashSet::default();
    let mut points = vec![live.clone()];
    for statement in statements.iter().rev() {
        match *statement {
            Statement::Assume(condition) => live.extend(store.constants(condition)),
            Statement::Havoc(variable) => {
                live.remove(&variable);
            }
            Statement::Assign { variable, value } => {
                // An assignment to a dead variable reads nothing that matters.
                if live.remove(&variable) {
                    live.extend(store.constants(value));
                }
            }
        }
        points.push(live.clone());
    }
    points.reverse();
    points
}

/// Proves that the formulas lead from `true` to `false` along the trace.
pub fn recheck_trace(
    store: &mut TermStore,
    statements: &[Statement],
    interpolants: &[TermId],
    budget: &Budget,
) -> Result<(), NoInterpolant> {
    if interpolants.len() != statements.len() + 1
        || interpolants.first() != Some(&TermId::TRUE)
        || interpolants.last() != Some(&TermId::FALSE)
    {
        return Err(NoInterpolant::new("the formulas do not go from true to false"));
    }
    for (number, statement) in statements.iter().enumerate() {
        let (before, after) = (interpolants[number], interpolants[number + 1]);
        let goal = match *statement {
            Statement::Havoc(variable) => {
                let sort = store.sort(variable);
                let any = store.mk_const("@any", sort);
                replace(store, after, variable, any)
            }
            ref other => weakest_precondition(store, other, after).expect("no quantifier"),
        };
        let not = store.mk_not(goal);
        match refute(store, &[before, not], budget) {
            Refutation::Unsat(_) => {}
            Refutation::Sat => {
                return Err(NoInterpolant::new(format!("statement {number} breaks the sequence")));
            }
            Refutation::Unknown(reason) => return Err(NoInterpolant::new(reason)),
        }
    }
    Ok(())
}
