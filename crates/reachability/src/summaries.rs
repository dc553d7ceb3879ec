//! Summaries of functions from executions, kept only where they are inductive.
//!
//! For recursive functions, what [`templates`](crate::templates) does for
//! loops. The program is executed on a few inputs, and the values of integer
//! variables at cut points are collected, entry values of parameters and
//! globals among them: for this a copy of the program keeps entry values in
//! variables of their own. What all samples of a cut point have in common
//! (affine equalities, bounds) is a candidate. The candidates that prove each
//! other, over steps, calls and returns, are found by deletion (Houdini): at
//! the exit of a function they are a summary.
//!
//! A heuristic for the search only: what is found here is a predicate to
//! track, and certificates are audited like all else.

use crate::block::BlockProgram;
use crate::calls::Calls;
use crate::encode::Slot;
use crate::prover::Prover;
use crate::samples::{self, Linear, Samples};
use crate::verdict::Reason;
use bolide_base::{Budget, HashMap, HashSet, Integer};
use bolide_cfa::{
    Body, FunctionId, IntType, LocId, Op, Origin, Program, Type, VarId, Variable, VariableKind,
};
use bolide_terms::evaluate::holds;
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
    let mut candidates = candidates(program, calls, store, &prover.budget().clone());
    let mut steps = obligations(program, calls, store);
    carry_over(program, calls, store, &steps, &mut candidates);
    steps.retain(|step| candidates.contains_key(&step.to));
    loop {
        let mut changed = false;
        for step in &steps {
            changed |= delete_failing(program, calls, store, prover, step, &mut candidates)?;
        }
        if !changed {
            break;
        }
    }
    candidates.retain(|_, list| !list.is_empty());
    for list in candidates.values_mut() {
        remove_implied(store, prover, list)?;
    }
    Ok(candidates)
}

/// After a call, what its summary would say: executions may not have come there.
fn carry_over(
    program: &BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
    steps: &[Obligation],
    candidates: &mut HashMap<LocId, Vec<TermId>>,
) {
    for step in steps {
        let Kind::Return(site, exit) = &step.kind else { continue };
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

/// Keeps what the facts before it do not imply; equalities come first.
fn remove_implied(
    store: &mut TermStore,
    prover: &mut Prover,
    facts: &mut Vec<TermId>,
) -> Result<(), Reason> {
    facts.sort_by_key(|&f| store.op(f) != bolide_terms::Op::Eq);
    let mut kept: Vec<TermId> = Vec::new();
    for &fact in facts.iter() {
        let known = store.mk_and(&kept);
        if !prover.entails(store, known, fact)? {
            kept.push(fact);
        }
    }
    *facts = kept;
    Ok(())
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
) -> HashMap<LocId, Vec<TermId>> {
    let (copy, entry_values) = instrumented(program, calls);
    let is_integer = |v: &VarId| matches!(copy.variables[*v].ty, Type::Int(ty) if ty != IntType::BOOL && ty.bits < 128);
    let mut variables: HashMap<LocId, Vec<VarId>> = HashMap::default();
    for (location, info) in program.program.locations.iter() {
        if !program.blocks.is_cut(location) || info.error.is_some() {
            continue;
        }
        let function = &copy.functions[info.function];
        let kept = calls.scope_of(info.function);
        let own = function.parameters.iter().chain(&function.result).chain(&function.locals);
        let globals = program.program.variables.ids();
        let globals = globals.filter(|&v| copy.variables[v].function.is_none());
        let list: Vec<VarId> = own
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
            .collect();
        variables.insert(location, list);
    }
    let samples = samples::collect(&copy, &variables, budget);
    let term_of = |var: VarId| {
        entry_values.get(&var).copied().or_else(|| {
            program.slots.find(Slot::Value(var)).map(|slot| program.slots.constant(slot))
        })
    };
    let mut found = HashMap::default();
    let mut locations: Vec<LocId> = samples.keys().copied().collect();
    locations.sort_unstable();
    for location in locations {
        let list = guess(&copy, store, &samples[&location], &term_of);
        if !list.is_empty() {
            found.insert(location, list);
        }
    }
    found
}

fn guess(
    program: &Program,
    store: &mut TermStore,
    samples: &Samples,
    term_of: &dyn Fn(VarId) -> Option<TermId>,
) -> Vec<TermId> {
    let mut facts = Vec::new();
    if !samples.values.is_empty() {
        facts.extend(samples.facts());
    }
    let one = |x: VarId, sign: i64, constant: i128, equality: bool| Linear {
        terms: vec![(x, sign)],
        constant,
        equality,
    };
    for (i, &x) in samples.variables.iter().enumerate() {
        if !samples.values.is_empty() {
            for c in [-1, 0, 1] {
                facts.push(one(x, -1, c, false));
                facts.push(one(x, 1, -c, false));
            }
            let first = samples.values[0][i];
            facts.push(one(x, 1, -first, true));
            for &y in &samples.variables[i + 1..] {
                for sign in [1, -1] {
                    let terms = vec![(x, sign), (y, -sign)];
                    facts.push(Linear { terms, constant: 0, equality: false });
                }
            }
        }
        if let Type::Int(ty) = program.variables[x].ty {
            facts.push(one(x, -1, ty.min(), false));
            facts.push(one(x, 1, -ty.max(), false));
        }
    }
    facts.retain(|fact| samples.satisfy(fact));
    let mut seen = HashSet::default();
    facts
        .iter()
        .filter_map(|fact| {
            let mut sum = vec![store.mk_int(Integer::from(fact.constant))];
            for &(var, coefficient) in &fact.terms {
                let coefficient = store.mk_int(coefficient);
                let variable = term_of(var)?;
                sum.push(store.mk_mul(&[coefficient, variable]));
            }
            let (sum, zero) = (store.mk_add(&sum), store.mk_int(0));
            Some(if fact.equality { store.mk_eq(sum, zero) } else { store.mk_le(sum, zero) })
        })
        .filter(|&c| c != TermId::TRUE && c != TermId::FALSE && seen.insert(c))
        .take(CANDIDATES)
        .collect()
}

/// One way to come to a cut point.
struct Obligation {
    to: LocId,
    /// Where candidates are assumed, and how they are said.
    from: Option<LocId>,
    kind: Kind,
}

enum Kind {
    Start,
    Block(std::rc::Rc<crate::block::Transition>),
    Call(std::rc::Rc<crate::calls::CallSite>),
    Return(std::rc::Rc<crate::calls::CallSite>, LocId),
}

fn obligations(
    program: &mut BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
) -> Vec<Obligation> {
    let mut found = vec![Obligation { to: program.entry(), from: None, kind: Kind::Start }];
    let cuts: Vec<LocId> =
        program.program.locations.ids().filter(|&l| program.blocks.is_cut(l)).collect();
    for from in cuts {
        if let Some(sites) = calls.at(from) {
            for site in sites.iter() {
                let Some(body) = program.program.functions[site.callee].body else { continue };
                let kind = Kind::Call(site.clone());
                found.push(Obligation { to: body.entry, from: Some(from), kind });
                let kind = Kind::Return(site.clone(), body.exit);
                found.push(Obligation { to: site.to, from: Some(from), kind });
            }
            continue;
        }
        for transition in program.transitions(store, from).iter() {
            let kind = Kind::Block(transition.clone());
            found.push(Obligation { to: transition.to, from: Some(from), kind });
        }
    }
    found
}

/// Drops candidates that do not hold after one step; says whether any did.
fn delete_failing(
    program: &BlockProgram<'_>,
    calls: &Calls,
    store: &mut TermStore,
    prover: &mut Prover,
    step: &Obligation,
    candidates: &mut HashMap<LocId, Vec<TermId>>,
) -> Result<bool, Reason> {
    let assumed = step.from.and_then(|from| candidates.get(&from)).cloned().unwrap_or_default();
    let mut premise = vec![store.mk_and(&assumed)];
    let goals = candidates[&step.to].clone();
    let mut left: Vec<(TermId, TermId)> = Vec::new();
    match &step.kind {
        Kind::Start => {
            premise.push(program.initial());
            left.extend(goals.iter().map(|&g| (g, calls.at_entry(program, store, g))));
        }
        Kind::Block(transition) => {
            premise.push(transition.formula);
            let renaming: HashMap<TermId, TermId> = transition
                .outputs
                .iter()
                .map(|&(slot, value)| (program.slots.constant(slot), value))
                .collect();
            left.extend(goals.iter().map(|&g| (g, store.substitute(g, &renaming))));
        }
        Kind::Call(site) => {
            premise.push(site.guard);
            left.extend(goals.iter().map(|&g| (g, calls.entering(program, store, site, g))));
        }
        Kind::Return(site, exit) => {
            premise.push(site.guard);
            let summary = candidates.get(exit).cloned().unwrap_or_default();
            let summary = store.mk_and(&summary);
            premise.push(calls.returning(program, store, site, summary));
            left.extend(goals.iter().map(|&g| (g, calls.after(program, store, site, g))));
        }
    }
    let before = left.len();
    let premise = store.mk_and(&premise);
    loop {
        let after: Vec<TermId> = left.iter().map(|&(_, after)| after).collect();
        let all = store.mk_and(&after);
        let violated = store.mk_not(all);
        let query = store.mk_and(&[premise, violated]);
        match prover.model(store, query) {
            Ok(None) => break,
            Ok(Some(model)) => {
                let count = left.len();
                left.retain(|&(_, after)| holds(store, &model, after));
                if left.len() == count {
                    left.clear();
                }
            }
            Err(Reason::Solver(_)) => left.clear(),
            Err(other) => return Err(other),
        }
    }
    let dropped = left.len() < before;
    if dropped {
        candidates.insert(step.to, left.into_iter().map(|(c, _)| c).collect());
    }
    Ok(dropped)
}
