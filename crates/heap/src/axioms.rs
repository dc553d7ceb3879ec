//! The axioms of `btwn`.
//!
//! After Lahiri and Qadeer ("Back to the future", POPL 2008) and Totla and Wies
//! ("Complete instantiation-based interpolation", POPL 2013): the axioms are a
//! local theory extension, so that instances over the ground terms of a problem
//! decide it. Axioms that speak of `f x` are instantiated only where that term
//! occurs. `reach(x, y)` stands for `btwn(x, y, y)`.
//!
//! **Paths that end.** Where `x` reaches null no object comes twice on its path, so that
//!
//! ```text
//! btwn(x, y, z)  ==  reach(x, y) and reach(y, z)
//! ```
//!
//! There it is enough that `reach` is right: reflexive, transitive, closed under steps, of two objects that `x` reaches one
//! reaches the other, and two that reach each other are one. Of `btwn` only the atoms that somebody asks for are made, each
//! by the line above. These are axioms about three objects instead of four, and atoms about two instead of three.
//!
//! Refutations are tested against all functions on four objects.

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
    table: &dyn Fn(&Session, usize) -> Vec<Option<bool>>,
) -> Vec<TermId> {
    let null = classes.of_term.get(&s.null()).copied();
    let mut found = Vec::new();
    for number in 0..s.versions.len() {
        let info = &s.versions[number];
        if let (Some(_), None) = (info.btwn, info.write) {
            let paths = Paths::new(classes.representatives.len(), table(s, number), null);
            found.extend(violated_by(s, &paths, classes, number));
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

/// `btwn` over the classes.
struct Paths {
    classes: usize,
    /// The truth values of those triples that there are atoms for.
    known: Vec<Option<bool>>,
    /// The classes from which null is reached.
    end: Vec<bool>,
}

impl Paths {
    /// The class of null is given.
    fn new(classes: usize, known: Vec<Option<bool>>, null: Option<usize>) -> Paths {
        let at = |x: usize, y: usize| (x * classes + y) * classes + y;
        let ends = |x: usize| null.is_some_and(|null| known[at(x, null)] == Some(true));
        let end = (0..classes).map(ends).collect();
        Paths { classes, known, end }
    }

    fn known(&self, [x, y, z]: [usize; 3]) -> Option<bool> {
        self.known[(x * self.classes + y) * self.classes + z]
    }

    fn reach(&self, x: usize, y: usize) -> bool {
        self.known([x, y, y]) == Some(true)
    }

    /// Where there is no atom, and the path ends: what one would have to be.
    fn btwn(&self, x: usize, y: usize, z: usize) -> bool {
        let meant = || y != z && self.end[x] && self.reach(x, y) && self.reach(y, z);
        self.known([x, y, z]).unwrap_or_else(meant)
    }
}

/// Instances for one field.
struct Instances<'s> {
    session: &'s mut Session,
    field: Version,
    /// An object of each class.
    objects: Vec<TermId>,
    found: Vec<TermId>,
}

impl Instances<'_> {
    fn atom(&mut self, [x, y, z]: [usize; 3]) -> TermId {
        let [x, y, z] = [x, y, z].map(|class| self.objects[class]);
        self.session.btwn(self.field, x, y, z)
    }

    /// Adds an instance; false when there are enough.
    fn add(&mut self, premises: &[TermId], conclusions: &[TermId]) -> bool {
        let store = &mut self.session.store;
        let mut clause: Vec<TermId> = premises.iter().map(|&p| store.mk_not(p)).collect();
        clause.extend_from_slice(conclusions);
        self.found.push(store.mk_or(&clause));
        self.found.len() < BATCH
    }

    /// Adds an instance: from the first triples one of the others follows; false when there are enough.
    fn follows(&mut self, premises: &[[usize; 3]], conclusions: &[[usize; 3]]) -> bool {
        let premises: Vec<TermId> = premises.iter().map(|&places| self.atom(places)).collect();
        let conclusions: Vec<TermId> =
            conclusions.iter().map(|&places| self.atom(places)).collect();
        self.add(&premises, &conclusions)
    }

    /// Adds an instance that two classes are one; false when there are enough.
    fn same(&mut self, premises: &[[usize; 3]], x: usize, y: usize) -> bool {
        let premises: Vec<TermId> = premises.iter().map(|&places| self.atom(places)).collect();
        let equal = self.session.store.mk_eq(self.objects[x], self.objects[y]);
        self.add(&premises, &[equal])
    }
}

fn violated_by<V>(
    s: &mut Session,
    paths: &Paths,
    classes: &Classes<V>,
    number: usize,
) -> Vec<TermId> {
    let field: Version = bolide_base::arena::Id::from_index(number);
    // The successors that are terms of the problem: class, argument, application.
    let mut successors: Vec<Option<(TermId, TermId)>> = vec![None; paths.classes];
    for &(argument, application) in &s.versions[number].reads {
        if let Some(&class) = classes.of_term.get(&argument) {
            successors[class].get_or_insert((argument, application));
        }
    }
    let null = classes.of_term.get(&s.null()).copied();
    let objects = classes.representatives.clone();
    let mut instances = Instances { session: s, field, objects, found: Vec::new() };
    let mut wanted = violated_by_steps(&mut instances, paths, classes, &successors);
    for x in 0..paths.classes {
        wanted = wanted
            && match null {
                Some(null) if paths.end[x] => violated_by_end(&mut instances, paths, x, null),
                _ => violated_by_paths(&mut instances, paths, x),
            };
    }
    instances.found
}

/// Axioms about an object and the next one; false when there are enough instances.
fn violated_by_steps<V>(
    instances: &mut Instances<'_>,
    paths: &Paths,
    classes: &Classes<V>,
    successors: &[Option<(TermId, TermId)>],
) -> bool {
    for (x, &successor) in successors.iter().enumerate().take(paths.classes) {
        if !paths.reach(x, x) {
            instances.follows(&[], &[[x; 3]]);
        }
        let Some((argument, next)) = successor else { continue };
        // What no atom speaks of has no class yet.
        let Some(&step) = classes.of_term.get(&next) else { continue };
        let f = instances.field;
        if !paths.reach(x, step) {
            let whole = instances.session.reach(f, argument, next);
            instances.add(&[], &[whole]);
        }
        for y in (0..paths.classes).filter(|&y| y != x && paths.reach(x, y)) {
            let goes_on = match paths.end[x] {
                true => paths.reach(step, y),
                false => paths.btwn(x, step, y),
            };
            if goes_on && step != x {
                continue;
            }
            let target = instances.objects[y];
            let s = &mut *instances.session;
            let premise = s.reach(f, argument, target);
            let equal = s.store.mk_eq(argument, target);
            let conclusion = match (step == x, paths.end[x]) {
                (true, _) => s.store.mk_neq(argument, next),
                (false, true) => s.reach(f, next, target),
                (false, false) => s.btwn(f, argument, next, target),
            };
            if !instances.add(&[premise], &[equal, conclusion]) {
                return false;
            }
        }
    }
    true
}

/// Axioms about the path from an object that reaches null; false when there are enough instances.
fn violated_by_end(instances: &mut Instances<'_>, paths: &Paths, x: usize, null: usize) -> bool {
    let n = paths.classes;
    let end = [x, null, null];
    for y in 0..n {
        if x != y && paths.reach(x, y) && paths.reach(y, x) {
            let there_and_back = [[x, y, y], [y, x, x], end];
            if !instances.same(&there_and_back, x, y) {
                return false;
            }
        }
        for z in (0..n).filter(|&z| z != y) {
            let path = [x, y, z];
            let two = [[x, y, y], [y, z, z]];
            let goes = paths.reach(x, y) && paths.reach(y, z);
            let known = match paths.known(path) {
                Some(true) if !goes => two.iter().all(|&[a, b, _]| {
                    paths.reach(a, b) || instances.follows(&[path], &[[a, b, b]])
                }),
                Some(false) if goes => instances.follows(&[two[0], two[1], end], &[path]),
                _ => true,
            };
            let transitive = !goes || paths.reach(x, z) || instances.follows(&two, &[[x, z, z]]);
            let forked = paths.reach(x, y) && paths.reach(x, z);
            let one_way = !forked
                || paths.reach(y, z)
                || paths.reach(z, y)
                || instances.follows(&[[x, y, y], [x, z, z]], &[[y, z, z], [z, y, y]]);
            if !(known && transitive && one_way) {
                return false;
            }
        }
    }
    true
}

/// Axioms about the path from any object; false when there are enough instances.
fn violated_by_paths(instances: &mut Instances<'_>, paths: &Paths, x: usize) -> bool {
    let n = paths.classes;
    for y in 0..n {
        if x != y && paths.btwn(x, y, x) && !instances.same(&[[x, y, x]], x, y) {
            return false;
        }
        for z in 0..n {
            if paths.btwn(x, y, z) && !violated_within(instances, paths, [x, y, z]) {
                return false;
            }
            let forked = paths.reach(x, y) && paths.reach(x, z);
            let one_way = !forked
                || paths.btwn(x, y, z)
                || paths.btwn(x, z, y)
                || instances.follows(&[[x, y, y], [x, z, z]], &[[x, y, z], [x, z, y]]);
            let joined = paths.reach(x, y) && paths.reach(y, z);
            let transitive = !joined
                || paths.reach(x, z)
                || instances.follows(&[[x, y, y], [y, z, z]], &[[x, z, z]]);
            if !(one_way && transitive) {
                return false;
            }
        }
    }
    true
}

/// Axioms about a path from `x` over `y` to `z`; false when there are enough instances. Each conclusion is an instance of
/// its own, made where it fails: an atom that nobody asked for would have to be decided, and could be decided badly.
fn violated_within(instances: &mut Instances<'_>, paths: &Paths, path: [usize; 3]) -> bool {
    let [x, y, z] = path;
    let mut holds = |premises: &[[usize; 3]], places: [usize; 3]| {
        let [a, b, c] = places;
        paths.btwn(a, b, c) || instances.follows(premises, &[places])
    };
    if !(holds(&[path], [x, y, y]) && holds(&[path], [y, z, z])) {
        return false;
    }
    (0..paths.classes).all(|u| {
        let (behind, before) = ([path, [y, u, z]], [path, [x, u, y]]);
        (!paths.btwn(y, u, z) || holds(&behind, [x, y, u]) && holds(&behind, [x, u, z]))
            && (!paths.btwn(x, u, y) || holds(&before, [x, u, z]) && holds(&before, [u, y, z]))
    })
}

/// The triples of classes that there are atoms for.
fn triples<'a, V>(
    s: &'a Session,
    classes: &'a Classes<V>,
    number: usize,
) -> impl Iterator<Item = (usize, TermId)> + 'a {
    let n = classes.representatives.len();
    s.versions[number].atoms.iter().filter_map(move |&(places, atom)| {
        let [x, y, z] = places.map(|t| classes.of_term.get(&t));
        Some(((x? * n + y?) * n + z?, atom))
    })
}

/// `btwn` in the candidate, over the classes.
fn table_of_candidate(
    s: &Session,
    candidate: &Candidate<'_>,
    classes: &Classes<u32>,
    number: usize,
) -> Vec<Option<bool>> {
    let mut table = vec![None; classes.representatives.len().pow(3)];
    for (at, atom) in triples(s, classes, number) {
        let holds = candidate.truth(&s.store, atom) == Some(true);
        table[at] = Some(holds || table[at] == Some(true));
    }
    table
}

/// `btwn` in the model, over the classes.
fn table_of_model(
    s: &Session,
    model: &Model,
    classes: &Classes<Value>,
    number: usize,
) -> Vec<Option<bool>> {
    let n = classes.representatives.len();
    let mut table = vec![None; n.pow(3)];
    let function = s.versions[number].btwn.expect("only fields with reachability have axioms");
    let values = model.function(function);
    let default = values.is_some_and(|values| values.default == Value::Bool(true));
    for (at, _) in triples(s, classes, number) {
        table[at] = Some(default);
    }
    for (arguments, value) in values.into_iter().flat_map(|values| &values.entries) {
        let places: Option<Vec<usize>> =
            arguments.iter().map(|a| classes.of_value.get(a).copied()).collect();
        if let Some(places) = places {
            let at = (places[0] * n + places[1]) * n + places[2];
            table[at] = Some(*value == Value::Bool(true));
        }
    }
    table
}
