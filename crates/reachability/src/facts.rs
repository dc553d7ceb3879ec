//! Candidates for invariants as plain data.
//!
//! A formula belongs to one term store and a term store to one thread; what was
//! guessed and found inductive once is of use to every engine on the same program. So a
//! guess is a [`Fact`] over variables, and becomes a formula where it is used.

use crate::block::BlockProgram;
use crate::encode::{self, Slot};
use crate::instances::{indices, places, without_wraps};
use crate::quantities::Quantity;
use crate::samples::{Linear, Polynomial};
use crate::sums;
use bolide_base::{HashMap, Integer};
use bolide_cfa::analysis::ranges::{Interval, Leads, Table};
use bolide_cfa::{EdgeId, LocId, NondetSource, ObjectId, Op, VarId};
use bolide_terms::smtlib::context::Symbol;
use bolide_terms::smtlib::{Context, read_term};
use bolide_terms::{FunctionId, SortId, TermId, TermStore};
use std::collections::BTreeMap;

/// Something that may hold at a location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// A linear equality or inequality.
    Linear(Linear),
    /// An equality or inequality between products of quantities.
    Polynomial(Polynomial),
    /// A condition variable, or its negation.
    Condition(Slot, bool),
    /// A quantity has this remainder by this modulus.
    Remainder(Quantity, i128, i128),
    /// The bits of a quantity that a mask shows are these.
    Bits(Quantity, i128, i128),
    /// Outside of a phase (the first holds), or the second.
    Phase(Linear, Box<Fact>),
    /// Wherever the first quantity has this value, the second is a multiple of it.
    Multiple(Quantity, i128, Quantity),
    /// Two pointer variables point into different objects.
    Apart(VarId, VarId),
    /// A pointer variable points into an object that lives; on the heap, if that is said.
    Alive(VarId, bool),
    /// The object that a pointer variable points into was there before what comes next, and so was
    /// what it lives as long as.
    Made(VarId),
    /// A static object has its size, and lives where that is asked for.
    Static(ObjectId),
    /// Some sums have the values of a row.
    Table(Table),
    /// This path, which starts at the location and ends where a claim is refuted, cannot be
    /// run ([`claims`](crate::claims)), whatever cell a quantifier in it is about.
    Claim(Vec<EdgeId>),
    /// A formula in SMT-LIB over the constants of these slots, about all indices ([`instances`](crate::instances)), or with
    /// the symbols of sums ([`sums`]); these and other functions of numbers by name and number of arguments.
    Cells(Vec<Slot>, Vec<(String, usize)>, String),
}

/// Facts by location.
pub type Facts = HashMap<LocId, Vec<Fact>>;

impl Fact {
    /// A formula about all cells.
    pub fn about_cells(program: &BlockProgram<'_>, store: &TermStore, formula: TermId) -> Fact {
        let constants = store.constants(formula).into_iter();
        let slots = constants.filter_map(|c| program.slots.of_constant(c));
        let slots = slots.map(|slot| program.slots.slot(slot)).collect();
        let arity = |f: FunctionId| store.function(f).arguments.len();
        let symbols = store.symbols(formula);
        let functions = symbols.iter().filter(|&&f| arity(f) > 0);
        let functions = functions.map(|&f| (store.function_name(f).to_owned(), arity(f)));
        Fact::Cells(slots, functions.collect(), store.smtlib(formula))
    }

    /// Over the state constants of a program.
    pub fn formula(&self, program: &BlockProgram<'_>, store: &mut TermStore) -> TermId {
        let slot = |slot| {
            let slot = program.slots.find(slot).expect("a fact is about slots of the program");
            program.slots.constant(slot)
        };
        let quantity = |store: &mut TermStore, quantity: Quantity| quantity.term(program, store);
        match self {
            Fact::Linear(fact) => linear_formula(store, fact, &quantity),
            Fact::Polynomial(fact) => {
                let mut sum = vec![store.mk_int(Integer::from(fact.constant))];
                for (product, coefficient) in &fact.terms {
                    let mut factors = vec![store.mk_int(*coefficient)];
                    for factor in product {
                        factors.push(quantity(store, *factor));
                    }
                    sum.push(store.mk_mul(&factors));
                }
                let (sum, zero) = (store.mk_add(&sum), store.mk_int(0));
                if fact.equality { store.mk_eq(sum, zero) } else { store.mk_le(sum, zero) }
            }
            Fact::Condition(of, true) => slot(*of),
            Fact::Condition(of, false) => store.mk_not(slot(*of)),
            Fact::Remainder(of, modulus, rest) => {
                let modulus = store.mk_int(Integer::from(*modulus));
                let value = quantity(store, *of);
                let remainder = store.mk_mod(value, modulus);
                let rest = store.mk_int(Integer::from(*rest));
                store.mk_eq(remainder, rest)
            }
            Fact::Bits(of, mask, bits) => {
                let value = quantity(store, *of);
                let bits = store.mk_int(Integer::from(*bits));
                // Of a mask that is not said by few numbers, nothing is.
                encode::masked(store, value, *mask).map_or(TermId::TRUE, |v| store.mk_eq(v, bits))
            }
            Fact::Phase(outside, fact) => {
                let outside = linear_formula(store, outside, &quantity);
                let fact = fact.formula(program, store);
                store.mk_or(&[outside, fact])
            }
            Fact::Multiple(divisor, value, of) => {
                let number = store.mk_int(Integer::from(*value));
                let divisor = quantity(store, *divisor);
                let same = store.mk_eq(divisor, number);
                let other = store.mk_not(same);
                let multiple = Fact::Remainder(*of, *value, 0).formula(program, store);
                store.mk_or(&[other, multiple])
            }
            Fact::Apart(p, q) => store.mk_neq(slot(Slot::Object(*p)), slot(Slot::Object(*q))),
            Fact::Alive(p, heap) => {
                encode::lives(&program.slots, store, slot(Slot::Object(*p)), *heap)
            }
            Fact::Made(p) => encode::made(&program.slots, store, slot(Slot::Object(*p))),
            Fact::Static(object) => {
                let known = (*object, program.program.objects[*object].size);
                encode::stands(&program.slots, store, known, program.is_tracked(Slot::Lives))
            }
            Fact::Table(table) => table_formula(store, table, &|var| slot(Slot::Value(var))),
            // Where the path chooses values, nothing is said.
            Fact::Claim(path) => match program.path_condition(store, path) {
                Some(condition) => {
                    let claim = store.mk_not(condition);
                    of_all(program, store, claim)
                }
                None => TermId::TRUE,
            },
            Fact::Cells(slots, functions, text) => {
                let constants: Vec<TermId> = slots.iter().map(|&of| slot(of)).collect();
                cells_formula(store, &constants, functions, text)
            }
        }
    }

    /// Whether it is about one variable or about equal values, so that no sum of variables is
    /// needed to state it.
    pub fn is_simple(&self) -> bool {
        match self {
            Fact::Linear(fact) => {
                let object = |&(q, _): &(Quantity, i64)| matches!(q, Quantity::Object(_));
                fact.terms.len() <= 1 || fact.terms.iter().all(object)
            }
            Fact::Condition(..)
            | Fact::Table(..)
            | Fact::Apart(..)
            | Fact::Alive(..)
            | Fact::Made(..)
            | Fact::Static(..) => true,
            Fact::Polynomial(..)
            | Fact::Remainder(..)
            | Fact::Bits(..)
            | Fact::Phase(..)
            | Fact::Multiple(..)
            | Fact::Claim(..)
            | Fact::Cells(..) => false,
        }
    }

    /// Whether it says that two sums are equal.
    pub fn is_equality(&self) -> bool {
        match self {
            Fact::Linear(fact) => fact.equality,
            Fact::Polynomial(fact) => fact.equality,
            _ => false,
        }
    }

    /// Whether it is about all cells of an array.
    pub fn is_about_cells(&self) -> bool {
        matches!(self, Fact::Cells(..))
    }

    /// Whether somebody claims it.
    pub fn is_claim(&self) -> bool {
        matches!(self, Fact::Claim(_))
    }
}

/// A claim about the cells at one or two values that nobody but a contract speaks of, said of all cells.
fn of_all(program: &BlockProgram<'_>, store: &mut TermStore, claim: TermId) -> TermId {
    let cells = places(store, &[claim]);
    let mut chosen: Vec<TermId> = Vec::new();
    for edge in program.program.edges.values() {
        if let Op::Nondet { target, source: NondetSource::Library(_) } = edge.op
            && let Some(slot) = program.slots.find(Slot::Value(target))
            && let constant = program.slots.constant(slot)
            && !chosen.contains(&constant)
            && cells.iter().any(|&(_, place)| store.occurs(constant, place))
        {
            chosen.push(constant);
        }
    }
    if chosen.is_empty() {
        return claim;
    }
    let map: HashMap<TermId, TermId> = chosen.into_iter().zip(indices(store)).collect();
    let claim = without_wraps(store, claim);
    store.substitute(claim, &map)
}

/// The facts of each location as formulas.
pub fn formulas(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    facts: &Facts,
) -> HashMap<LocId, Vec<TermId>> {
    let mut locations: Vec<LocId> = facts.keys().copied().collect();
    // Terms are made in the same order in every run.
    locations.sort_unstable();
    let mut formula = |fact: &Fact| fact.formula(program, store);
    locations.into_iter().map(|l| (l, facts[&l].iter().map(&mut formula).collect())).collect()
}

/// A formula in SMT-LIB over constants of slots, the index and functions of so many numbers.
fn cells_formula(
    store: &mut TermStore,
    constants: &[TermId],
    functions: &[(String, usize)],
    text: &str,
) -> TermId {
    let mut context = Context::new();
    let constants: Vec<TermId> = constants.iter().copied().chain(indices(store)).collect();
    let constants = constants.into_iter().map(|c| store.function_of(c).expect("a constant"));
    let mut symbols: Vec<FunctionId> = constants.collect();
    symbols.extend(functions.iter().map(|(name, arity)| {
        let numbers = vec![SortId::INT; *arity];
        sums::named(store, name).unwrap_or_else(|| store.declare_fn(name, &numbers, SortId::INT))
    }));
    for function in symbols {
        let name = store.function_name(function).to_owned();
        context.define(&name, Symbol::Function(function)).expect("names differ");
    }
    // What cannot be read says nothing.
    read_term(store, &mut context, text).unwrap_or(TermId::TRUE)
}

/// The conjunction of the facts of each location.
pub fn conjunctions(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    facts: &Facts,
) -> HashMap<LocId, TermId> {
    let formulas = formulas(program, store, facts);
    let mut locations: Vec<LocId> = formulas.keys().copied().collect();
    locations.sort_unstable();
    locations.into_iter().map(|l| (l, store.mk_and(&formulas[&l]))).collect()
}

/// A linear fact, over the terms of its quantities.
pub fn linear_formula(
    store: &mut TermStore,
    fact: &Linear,
    term_of: &dyn Fn(&mut TermStore, Quantity) -> TermId,
) -> TermId {
    let mut sum = vec![store.mk_int(Integer::from(fact.constant))];
    for &(quantity, coefficient) in &fact.terms {
        let coefficient = store.mk_int(coefficient);
        let term = term_of(store, quantity);
        sum.push(store.mk_mul(&[coefficient, term]));
    }
    let sum = store.mk_add(&sum);
    let zero = store.mk_int(0);
    if fact.equality { store.mk_eq(sum, zero) } else { store.mk_le(sum, zero) }
}

/// The term of a column of a table.
fn column(store: &mut TermStore, sum: &[(VarId, i64)], value: impl Fn(VarId) -> TermId) -> TermId {
    if let [(var, 1)] = *sum {
        return value(var);
    }
    let mut parts = Vec::new();
    for &(var, coefficient) in sum {
        let coefficient = store.mk_int(coefficient);
        parts.push(store.mk_mul(&[coefficient, value(var)]));
    }
    store.mk_add(&parts)
}

/// What a table says: bottom up, a disjunction of answers with the rest that they lead to, and that rest once for
/// all answers that lead there.
fn table_formula(store: &mut TermStore, table: &Table, value: &dyn Fn(VarId) -> TermId) -> TermId {
    let columns: Vec<TermId> = table.columns.iter().map(|sum| column(store, sum, value)).collect();
    let mut formulas: Vec<TermId> = Vec::new();
    for node in &table.nodes {
        let column = columns[node.column];
        let mut by_rest: BTreeMap<Leads, Vec<Interval>> = BTreeMap::new();
        for &(values, leads) in &node.answers {
            by_rest.entry(leads).or_default().push(values);
        }
        let mut cases = Vec::new();
        for (leads, values) in &by_rest {
            let rest = match leads {
                Leads::Nowhere => continue,
                Leads::Everywhere => TermId::TRUE,
                Leads::To(node) => formulas[*node],
            };
            let said: Vec<TermId> = values.iter().map(|&v| within(store, column, v)).collect();
            let said = store.mk_or(&said);
            cases.push(store.mk_and(&[said, rest]));
        }
        formulas.push(store.mk_or(&cases));
    }
    formulas.last().copied().unwrap_or(TermId::TRUE)
}

/// A term lies in an interval.
fn within(store: &mut TermStore, term: TermId, values: Interval) -> TermId {
    if store.sort(term) == SortId::BOOL {
        return match values.value() {
            Some(0) => store.mk_not(term),
            Some(_) => term,
            None => TermId::TRUE,
        };
    }
    if let Some(value) = values.value() {
        let value = store.mk_int(Integer::from(value));
        return store.mk_eq(term, value);
    }
    let mut bounds = Vec::new();
    if values.lo != i128::MIN {
        let lo = store.mk_int(Integer::from(values.lo));
        bounds.push(store.mk_le(lo, term));
    }
    if values.hi != i128::MAX {
        let hi = store.mk_int(Integer::from(values.hi));
        bounds.push(store.mk_le(term, hi));
    }
    store.mk_and(&bounds)
}
