//! Predicates from the one execution of a program without inputs.
//!
//! Such a program does one thing only; what makes it hard is recursion that no
//! linear summary describes (Fibonacci numbers, towers of Hanoi). It is executed
//! once, and that a variable has one of the values that it had then is a predicate
//! of the background automaton. Functions are then entered once for each value
//! of their parameters: the exits of a context are a table of results, and the difference is
//! the program as a pushdown system with memory.
//!
//! A heuristic for the search only; like all background, these predicates are kept where
//! their Hoare triples hold. Not for programs that ask for inputs, nor for
//! variables with many values.

use bolide_base::{Budget, HashMap, Integer};
use bolide_cfa::interpreter::{Choices, Config, Interpreter, Observer, Request, View};
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, VarId};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::encode::Slot;
use bolide_terms::{TermId, TermStore};
use std::collections::{BTreeMap, BTreeSet};

/// Edges of the execution.
const STEPS: u64 = 3_000_000;
/// Values of one variable; with more it is left out.
const VALUES: usize = 40;
/// Predicates altogether; with more there are none.
const PREDICATES: usize = 250;

/// That variables have the values which they have when the program is executed;
/// nothing if it asks for inputs.
pub fn executed_values(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    budget: &Budget,
) -> Vec<TermId> {
    let config = Config {
        step_limit: STEPS,
        budget: budget.clone(),
        memory_limit: 1 << 26,
        ..Config::default()
    };
    let mut parameters: HashMap<LocId, Vec<VarId>> = HashMap::default();
    for function in program.program.functions.values() {
        if let Some(body) = function.body {
            parameters.insert(body.entry, function.parameters.clone());
        }
    }
    let mut seen = Seen { parameters, edges: program, values: BTreeMap::new() };
    let mut inputs = Inputs { asked: false };
    Interpreter::new(program.program).run_observed(&mut inputs, &config, &mut seen);
    let small: Vec<(VarId, BTreeSet<i128>)> =
        seen.values.into_iter().filter(|(_, values)| values.len() <= VALUES).collect();
    if inputs.asked || small.iter().map(|(_, values)| values.len()).sum::<usize>() > PREDICATES {
        return Vec::new();
    }
    let mut predicates = Vec::new();
    for (variable, values) in small {
        let Some(slot) = program.slots.find(Slot::Value(variable)) else { continue };
        let constant = program.slots.constant(slot);
        if store.sort(constant) != bolide_terms::SortId::INT {
            continue;
        }
        for value in values {
            let value = store.mk_int(Integer::from(value));
            predicates.push(store.mk_eq(constant, value));
        }
    }
    predicates
}

/// Answers the first question with nothing: the execution ends.
struct Inputs {
    asked: bool,
}

impl Choices for Inputs {
    fn value(&mut self, _: &Request<'_>) -> Option<Value> {
        self.asked = true;
        None
    }

    fn edge(&mut self, _: LocId, _: &[EdgeId]) -> usize {
        self.asked = true;
        0
    }
}

struct Seen<'a, 'p> {
    /// By the entry of their function.
    parameters: HashMap<LocId, Vec<VarId>>,
    edges: &'a BlockProgram<'p>,
    values: BTreeMap<VarId, BTreeSet<i128>>,
}

impl Seen<'_, '_> {
    fn note(&mut self, variable: VarId, value: Value) {
        if let Value::Int { bits, ty } = value
            && ty.bits < 128
        {
            let values = self.values.entry(variable).or_default();
            if values.len() <= VALUES {
                values.insert(ty.value(bits));
            }
        }
    }
}

impl Observer for Seen<'_, '_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let from = self.edges.program.edges[edge].from;
        for k in 0..self.parameters.get(&from).map_or(0, Vec::len) {
            let variable = self.parameters[&from][k];
            if let Some(value) = view.variable(variable) {
                self.note(variable, value);
            }
        }
    }

    fn assigned(&mut self, _: EdgeId, variable: VarId, value: Value) {
        self.note(variable, value);
    }
}
