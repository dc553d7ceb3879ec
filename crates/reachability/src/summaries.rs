//! Summaries of functions from executions, kept only where they are inductive.
//!
//! For recursive functions, what [`templates`](crate::templates) does for
//! loops. The program is executed on a few inputs, and the values of integer
//! variables at cut points are collected, entry values of parameters and
//! globals among them: for this a copy of the program keeps entry values in
//! variables of their own. What all samples of a cut point have in common
//! (affine equalities, bounds) is a candidate. The candidates that prove each
//! other, over steps, calls and returns, are found by deletion
//! ([`bolide_smt::houdini`]): at the exit of a function they are a summary.
//!
//! A heuristic for the search only: what is found here is a predicate to
//! track, and certificates are audited like all else.

use crate::block::BlockProgram;
use crate::calls::Calls;
use crate::encode::Slot;
use crate::facts::linear_formula;
use crate::guesses::Guesses;
use crate::implications::{Step, implications, steps};
use crate::prover::Prover;
use crate::quantities::Quantity;
use crate::samples::{self, Samples};
use crate::verdict::Reason;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::{
    Body, FunctionId, IntType, LocId, Op, Origin, Program, Type, VarId, Variable, VariableKind,
};
use bolide_terms::{TermId, TermStore};

/// At most so many variables at one location.
const VARIABLES: usize = 10;
/// At most so many candidates at one location.
const CANDIDATES: usize = 120;

/// Facts at cut points that prove each other, well-scoped.
pub fn inductive_facts(
    program: &mut BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
    prover: &mut Prover,
) -> Result<HashMap<LocId, Vec<TermId>>, Reason> {
    let steps = steps(program, calls, store);
    let mut candidates = candidates(program, calls, store, prover.budget(), &steps);
    carry_over(program, calls, store, &steps, &mut candidates);
    let implications = implications(program, calls, &steps);
    let found = prover.inductive(store, &implications, candidates, (u64::MAX, u64::MAX))?;
    let mut found = found.unwrap_or_default();
    found.retain(|_, list| !list.is_empty());
    for list in found.values_mut() {
        *list = prover.irredundant(store, std::mem::take(list))?;
    }
    Ok(found)
}

/// After a call, what its summary would say: executions may not have come there.
fn carry_over(
    program: &BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
    steps: &[Step],
    candidates: &mut HashMap<LocId, Vec<TermId>>,
) {
    for step in steps {
        let Step::Return(site, exit) = step else { continue };
        for fact in candidates.get(exit).cloned().unwrap_or_default() {
            if let Some(said) = calls.carried(program, store, site, fact)
                && said != TermId::TRUE
                && said != TermId::FALSE
            {
                let list = candidates.entry(site.to).or_default();
                if !list.contains(&said) {
                    list.push(said);
                }
            }
        }
    }
}

/// The program with entry values in variables, and with an edge after each exit
/// so that an observer sees the state there.
fn instrumented(program: &BlockProgram<'_>, calls: &Calls) -> (Program, HashMap<VarId, TermId>) {
    let mut copy = program.program.clone();
    let mut entry_values: HashMap<VarId, TermId> = HashMap::default();
    let functions: Vec<FunctionId> = copy.functions.ids().collect();
    for f in functions {
        let Some(body) = copy.functions[f].body else { continue };
        let origin = Origin::default();
        let mut at = copy.add_location(f);
        let entry = at;
        for &(slot, constant) in &calls.scope_of(f).entry {
            let Slot::Value(var) = program.slots.slot(slot) else { continue };
            let ghost = Variable {
                name: format!("{}@in", copy.variables[var].name),
                function: Some(f),
                kind: VariableKind::Temporary,
                initial: None,
                ..copy.variables[var].clone()
            };
            let ghost = copy.variables.push(ghost);
            copy.functions[f].locals.push(ghost);
            let value = copy.read(var);
            let next = copy.add_location(f);
            copy.add_edge(at, next, Op::Assign { target: ghost, value }, origin);
            entry_values.insert(ghost, constant);
            at = next;
        }
        copy.add_edge(at, body.entry, Op::Skip, origin);
        let exit = copy.add_location(f);
        copy.add_edge(body.exit, exit, Op::Skip, origin);
        copy.functions[f].body = Some(Body { entry, exit });
    }
    (copy, entry_values)
}

fn candidates(
    program: &BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
    budget: &Budget,
    steps: &[Step],
) -> HashMap<LocId, Vec<TermId>> {
    let (copy, entry_values) = instrumented(program, calls);
    let is_integer = |v: &VarId| matches!(copy.variables[*v].ty, Type::Int(ty) if ty != IntType::BOOL && ty.bits < 128);
    let mut variables: HashMap<LocId, Vec<Quantity>> = HashMap::default();
    for location in std::iter::once(program.entry()).chain(steps.iter().map(Step::to)) {
        let info = &program.program.locations[location];
        if info.error.is_some() || variables.contains_key(&location) {
            continue;
        }
        let function = &copy.functions[info.function];
        let kept = calls.scope_of(info.function);
        let own = function.parameters.iter().chain(&function.result).chain(&function.locals);
        let globals = program.program.variables.ids();
        let globals = globals.filter(|&v| copy.variables[v].function.is_none());
        let list: Vec<Quantity> = own
            .copied()
            .chain(globals)
            .filter(is_integer)
            .filter(|v| {
                entry_values.contains_key(v)
                    || program.slots.find(Slot::Value(*v)).is_some_and(|slot| {
                        // A parameter that is never written is its own entry value.
                        let rigid = kept.parameters.contains(&slot)
                            && kept.entry.iter().all(|e| e.0 != slot);
                        rigid || program.matters(slot, location)
                    })
            })
            .take(VARIABLES)
            .map(Quantity::Value)
            .collect();
        variables.insert(location, list);
    }
    let samples = samples::collect(&copy, &variables, budget);
    let term_of = |_: &mut TermStore, quantity: Quantity| {
        let Quantity::Value(var) = quantity else { panic!("summaries are about integers") };
        entry_values.get(&var).copied().unwrap_or_else(|| {
            let slot = program.slots.find(Slot::Value(var)).expect("variables have slots");
            program.slots.constant(slot)
        })
    };
    let mut found = HashMap::default();
    let mut locations: Vec<LocId> = samples.keys().copied().collect();
    locations.sort_unstable();
    for location in locations {
        let list =
            guess(&copy, store, &samples[&location].samples(&variables[&location]), &term_of);
        if !list.is_empty() {
            found.insert(location, list);
        }
    }
    found
}

/// What samples have in common, as formulas.
fn guess(
    program: &Program,
    store: &mut TermStore,
    samples: &Samples,
    term_of: &dyn Fn(&mut TermStore, Quantity) -> TermId,
) -> Vec<TermId> {
    let mut linear = Guesses { samples, found: samples.facts() };
    let first = samples.values.first();
    for (i, &x) in samples.quantities.iter().enumerate() {
        let constants = first.map_or(Vec::new(), |sample| vec![-1, 0, 1, sample[i]]);
        linear.bounds(program, x, &constants);
    }
    if first.is_some() {
        linear.comparisons(|_, _| true);
    }
    let mut seen = HashSet::default();
    let formulas = linear.found.iter().map(|fact| linear_formula(store, fact, term_of));
    formulas
        .filter(|&c| c != TermId::TRUE && c != TermId::FALSE && seen.insert(c))
        .take(CANDIDATES)
        .collect()
}
