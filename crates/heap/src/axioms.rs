//! The axioms of `btwn`.
//!
//! After Lahiri and Qadeer ("Back to the future", POPL 2008) and Totla and Wies
//! ("Complete instantiation-based interpolation", POPL 2013): the axioms are a
//! local theory extension, so that instances over the ground terms of a problem
//! decide it. Axioms that speak of `f x` are instantiated only where that term
//! occurs. `reach(x, y)` stands for `btwn(x, y, y)`.
//!
//! Every formula below is tested against all functions on four objects.

use crate::session::{Session, Version};
use bolide_base::HashMap;
use bolide_smt::candidate::Candidate;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Value;
use bolide_terms::{Model, TermId};
use std::hash::Hash;

/// Instances that one round adds for one field.
const BATCH: usize = 300;

/// Instances of the axioms that the model violates.
pub(crate) fn violated(s: &mut Session, model: &Model) -> Vec<TermId> {
    let mut evaluator = Evaluator::new(&s.store, model);
    let classes = Classes::new(s, |object| evaluator.value(object).ok());
    let table = |s: &Session, number: usize| table_of_model(s, model, &classes, number);
    violated_in(s, &classes, &table)
}

/// Instances of the axioms that the candidate of the prover violates; it need not be a model yet.
pub(crate) fn violated_by_candidate(s: &mut Session, candidate: &Candidate<'_>) -> Vec<TermId> {
    let classes = Classes::new(s, |object| candidate.class(object));
    let table = |s: &Session, number: usize| table_of_candidate(s, candidate, &classes, number);
    violated_in(s, &classes, &table)
}

fn violated_in<V>(
    s: &mut Session,
    classes: &Classes<V>,
    table: &dyn Fn(&Session, usize) -> Vec<bool>,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for number in 0..s.versions.len() {
        let info = &s.versions[number];
        if let (Some(_), None) = (info.btwn, info.write) {
            let table = table(s, number);
            violated_by(s, &table, classes, number, &mut found);
        }
    }
    found
}

/// The ground objects, one for each class of those that are equal.
struct Classes<V> {
    representatives: Vec<TermId>,
    of_value: HashMap<V, usize>,
    of_term: HashMap<TermId, usize>,
}

impl<V: Eq + Hash> Classes<V> {
    fn new(s: &Session, mut value: impl FnMut(TermId) -> Option<V>) -> Classes<V> {
        let mut representatives = Vec::new();
        let mut of_value: HashMap<V, usize> = HashMap::default();
        let mut of_term = HashMap::default();
        for &(object, _) in s.ground.objects.iter().filter(|(object, _)| s.is_present(*object)) {
            let Some(value) = value(object) else { continue };
            let class = *of_value.entry(value).or_insert_with(|| {
                representatives.push(object);
                representatives.len() - 1
            });
            of_term.insert(object, class);
        }
        Classes { representatives, of_value, of_term }
    }
}

fn violated_by<V>(
    s: &mut Session,
    table: &[bool],
    classes: &Classes<V>,
    number: usize,
    found: &mut Vec<TermId>,
) {
    let n = classes.representatives.len();
    let f: Version = bolide_base::arena::Id::from_index(number);
    let btwn = |x: usize, y: usize, z: usize| table[(x * n + y) * n + z];
    // The successors that are terms of the problem: class, argument, application.
    let mut successors: Vec<Option<(TermId, TermId)>> = vec![None; n];
    for &(argument, application) in &s.versions[number].reads {
        if let Some(&class) = classes.of_term.get(&argument) {
            successors[class].get_or_insert((argument, application));
        }
    }
    let start = found.len();
    let mut add = |s: &mut Session, premises: &[TermId], conclusions: &[TermId]| {
        let mut clause: Vec<TermId> = premises.iter().map(|&p| s.store.mk_not(p)).collect();
        clause.extend_from_slice(conclusions);
        found.push(s.store.mk_or(&clause));
        found.len() - start < BATCH
    };
    if violated_by_steps(s, f, classes, &successors, &btwn, &mut add) {
        violated_by_paths(s, f, &classes.representatives, &btwn, &mut add);
    }
}

/// Adds an instance, of premises and conclusions; false when there are enough.
type Add<'a> = dyn FnMut(&mut Session, &[TermId], &[TermId]) -> bool + 'a;

/// Axioms about an object and the next one; false when there are enough instances.
fn violated_by_steps<V>(
    s: &mut Session,
    f: Version,
    classes: &Classes<V>,
    successors: &[Option<(TermId, TermId)>],
    btwn: &impl Fn(usize, usize, usize) -> bool,
    add: &mut Add<'_>,
) -> bool {
    let rep = &classes.representatives;
    let reach = |x: usize, y: usize| btwn(x, y, y);
    for x in 0..rep.len() {
        if !reach(x, x) {
            let whole = s.btwn(f, rep[x], rep[x], rep[x]);
            add(s, &[], &[whole]);
        }
        let Some((argument, next)) = successors[x] else { continue };
        // What no atom speaks of has no class yet.
        let Some(&step) = classes.of_term.get(&next) else { continue };
        if !reach(x, step) {
            let whole = s.reach(f, argument, next);
            add(s, &[], &[whole]);
        }
        for (y, &target) in rep.iter().enumerate() {
            if y != x && reach(x, y) && (!btwn(x, step, y) || step == x) {
                let premise = s.reach(f, argument, target);
                let equal = s.store.mk_eq(argument, target);
                let through = s.btwn(f, argument, next, target);
                let moves = s.store.mk_neq(argument, next);
                let both = s.store.mk_and(&[through, moves]);
                if !add(s, &[premise], &[equal, both]) {
                    return false;
                }
            }
        }
    }
    true
}

/// Axioms about paths.
fn violated_by_paths(
    s: &mut Session,
    f: Version,
    rep: &[TermId],
    btwn: &impl Fn(usize, usize, usize) -> bool,
    add: &mut Add<'_>,
) {
    let n = rep.len();
    let reach = |x: usize, y: usize| btwn(x, y, y);
    for x in 0..n {
        for y in 0..n {
            if x != y && btwn(x, y, x) {
                let premise = s.btwn(f, rep[x], rep[y], rep[x]);
                let equal = s.store.mk_eq(rep[x], rep[y]);
                if !add(s, &[premise], &[equal]) {
                    return;
                }
            }
            for z in 0..n {
                if btwn(x, y, z) {
                    if !(reach(x, y) && reach(y, z)) {
                        let premise = s.btwn(f, rep[x], rep[y], rep[z]);
                        let (a, b) = (s.reach(f, rep[x], rep[y]), s.reach(f, rep[y], rep[z]));
                        let both = s.store.mk_and(&[a, b]);
                        if !add(s, &[premise], &[both]) {
                            return;
                        }
                    }
                    for u in 0..n {
                        if btwn(y, u, z) && !(btwn(x, y, u) && btwn(x, u, z)) {
                            let a = s.btwn(f, rep[x], rep[y], rep[z]);
                            let b = s.btwn(f, rep[y], rep[u], rep[z]);
                            let c = s.btwn(f, rep[x], rep[y], rep[u]);
                            let d = s.btwn(f, rep[x], rep[u], rep[z]);
                            let both = s.store.mk_and(&[c, d]);
                            if !add(s, &[a, b], &[both]) {
                                return;
                            }
                        }
                        if btwn(x, u, y) && !(btwn(x, u, z) && btwn(u, y, z)) {
                            let a = s.btwn(f, rep[x], rep[y], rep[z]);
                            let b = s.btwn(f, rep[x], rep[u], rep[y]);
                            let c = s.btwn(f, rep[x], rep[u], rep[z]);
                            let d = s.btwn(f, rep[u], rep[y], rep[z]);
                            let both = s.store.mk_and(&[c, d]);
                            if !add(s, &[a, b], &[both]) {
                                return;
                            }
                        }
                    }
                }
                if reach(x, y) && reach(x, z) && !(btwn(x, y, z) || btwn(x, z, y)) {
                    let (a, b) = (s.reach(f, rep[x], rep[y]), s.reach(f, rep[x], rep[z]));
                    let c = s.btwn(f, rep[x], rep[y], rep[z]);
                    let d = s.btwn(f, rep[x], rep[z], rep[y]);
                    if !add(s, &[a, b], &[c, d]) {
                        return;
                    }
                }
                if reach(x, y) && reach(y, z) && !reach(x, z) {
                    let (a, b) = (s.reach(f, rep[x], rep[y]), s.reach(f, rep[y], rep[z]));
                    let c = s.reach(f, rep[x], rep[z]);
                    if !add(s, &[a, b], &[c]) {
                        return;
                    }
                }
            }
        }
    }
}

/// `btwn` in the candidate, over the classes.
fn table_of_candidate(
    s: &Session,
    candidate: &Candidate<'_>,
    classes: &Classes<u32>,
    number: usize,
) -> Vec<bool> {
    let n = classes.representatives.len();
    let mut table = vec![false; n * n * n];
    for &(places, atom) in &s.versions[number].atoms {
        if let [Some(x), Some(y), Some(z)] = places.map(|t| classes.of_term.get(&t))
            && candidate.truth(&s.store, atom) == Some(true)
        {
            table[(x * n + y) * n + z] = true;
        }
    }
    table
}

/// `btwn` in the model, over the classes.
fn table_of_model(
    s: &Session,
    model: &Model,
    classes: &Classes<Value>,
    number: usize,
) -> Vec<bool> {
    let n = classes.representatives.len();
    let function = s.versions[number].btwn.expect("only fields with reachability have axioms");
    let Some(values) = model.function(function) else {
        return vec![false; n * n * n];
    };
    let default = values.default == Value::Bool(true);
    let mut table = vec![default; n * n * n];
    for (arguments, value) in &values.entries {
        let places: Option<Vec<usize>> =
            arguments.iter().map(|a| classes.of_value.get(a).copied()).collect();
        if let Some(places) = places {
            let at = (places[0] * n + places[1]) * n + places[2];
            table[at] = *value == Value::Bool(true);
        }
    }
    table
}
