//! Candidates for invariants about pointers, objects and the ends of strings.
//!
//! A loop over memory is safe because a pointer stays within its object: what is to be known at its head
//! compares offsets with each other, with the size of the object and with the integers that the program brings
//! together with pointers. Pointers that pointed into one object whenever an execution was seen make a class;
//! that they still do, that those of two classes do not, and that objects live are facts of their
//! own. Of each class one pointer stands for the size of its object.
//!
//! A string ends where a cell is zero. A loop that looks for this cell stops before the end of the object,
//! because the cell lies ahead, at a place that does not move: the last of the object, or one that the
//! program stores a constant to. Such a cell is a [quantity](crate::quantities), too, and which value it keeps is
//! seen in executions.
//!
//! Of a pointer that was null in some execution, as that of a vector that holds nothing yet, the same is said where it is not null, and of integers
//! where it is.

use crate::block::BlockProgram;
use crate::encode::Slot;
use crate::facts::Fact;
use crate::guards;
use crate::guesses::{Guesses, Head};
use crate::polynomials;
use crate::quantities::{Index, Place, Quantity, cell_width};
use crate::samples::{FEW_VARIABLES, Linear, Samples};
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::analysis::graph::components;
use bolide_cfa::{
    Access, Expr, ExprId, LocId, Location, ObjectId, Op, Program, RegionId, Type, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Heuristic: so many pointers are looked at, those first that the loop itself has to do with.
const POINTERS: usize = 6;

/// Heuristic: so many integers that the program brings together with pointers.
const INTEGERS: usize = 6;

/// Heuristic: equalities of more quantities are accidents.
const TERMS: usize = 4;

/// Heuristic: pointers are so near to each other, or to the end of their object, on purpose.
const NEAR: i128 = 16;

/// Heuristic: so many cells at the start of an object may be members.
const MEMBERS: i64 = 8;

/// Heuristic: so many pointers may be null, with facts that hold where they are not.
const OPTIONAL: usize = 2;

/// Heuristic: of a program with more static objects, none is mentioned.
const STATIC: usize = 8;

/// What is asked of the program for each loop, and does not depend on which.
pub struct Surroundings {
    /// By location: its strongly connected component.
    component: Vec<usize>,
    /// By component that has an edge.
    inside: HashMap<usize, Inside>,
    regions: BTreeMap<VarId, BTreeSet<RegionId>>,
    accessed: Vec<(VarId, RegionId, Place)>,
}

/// Variables in a component.
#[derive(Default)]
struct Inside {
    written: HashSet<VarId>,
    read: HashSet<VarId>,
}

impl Surroundings {
    /// Goes through the program once.
    pub fn new(program: &Program) -> Surroundings {
        let ways = |location: &Location| {
            location.outgoing.iter().map(|&e| program.edges[e].to.index()).collect()
        };
        let successors: Vec<Vec<usize>> = program.locations.values().map(ways).collect();
        let mut component = vec![0; successors.len()];
        for (number, members) in components(&successors).into_iter().enumerate() {
            members.into_iter().for_each(|member| component[member] = number);
        }
        let mut walker = bolide_cfa::analysis::uses::Walker::new();
        let mut inside: HashMap<usize, Inside> = HashMap::default();
        for edge in program.edges.values() {
            let own = component[edge.from.index()];
            if own == component[edge.to.index()] {
                let inside = inside.entry(own).or_default();
                inside.written.extend(edge.op.target());
                inside.read.extend(walker.variables(&program.exprs, &edge.op.operands()));
            }
        }
        let (regions, accessed) = (regions_of_pointers(program), accessed_places(program));
        Surroundings { component, inside, regions, accessed }
    }

    /// What is written and read in steps that a location leads to and that lead back to it.
    fn around(&self, at: LocId) -> Option<&Inside> {
        self.inside.get(&self.component[at.index()])
    }
}

/// What there is to watch of pointers at the head of a loop: their objects, offsets, sizes, and cells at places that
/// do not move.
pub fn quantities(
    program: &BlockProgram<'_>,
    surroundings: &Surroundings,
    head: LocId,
    integers: &[VarId],
) -> Vec<Quantity> {
    let integers = integers_with_pointers(program.program, integers);
    let around = surroundings.around(head);
    let moved = |pointer: &VarId| around.is_some_and(|inside| inside.written.contains(pointer));
    let pointers = pointers(program, head, around);
    let Surroundings { regions, accessed, .. } = surroundings;
    let matters = |slot| program.slots.find(slot).is_some_and(|slot| program.matters(slot, head));
    let mut found = Vec::new();
    if program.is_tracked(Slot::HeapObjects) {
        found.push(Quantity::HeapObjects);
    }
    for &pointer in &pointers {
        found.extend([Quantity::Object(pointer), Quantity::Offset(pointer)]);
        found.push(Quantity::Size(pointer));
        for &region in regions.get(&pointer).into_iter().flatten() {
            let Some(width) = cell_width(program.program, region) else { continue };
            if !matters(Slot::Cells(region)) {
                continue;
            }
            let mut places = vec![Place::Last];
            if !moved(&pointer) {
                places.push(Place::At(None, 0));
                places.extend(ends_of_strings(&pointers, &integers, width));
            }
            let own = accessed.iter().filter(|(p, of, _)| (*p, *of) == (pointer, region));
            places.extend(own.map(|(_, _, place)| *place));
            places.retain(|place| match place {
                Place::At(Some(Index::Value(index)), _) => matters(Slot::Value(*index)),
                _ => true,
            });
            let mut seen: HashSet<Place> = HashSet::default();
            places.retain(|place| seen.insert(*place));
            found.extend(places.into_iter().map(|place| Quantity::Cell(pointer, region, place)));
        }
    }
    found
}

/// Where a string may end: at what an integer counts, or at the end of another object, or before.
fn ends_of_strings(pointers: &[VarId], integers: &[VarId], width: u64) -> Vec<Place> {
    if width != 1 {
        return Vec::new();
    }
    let sizes = pointers.iter().map(|&p| Index::Size(p));
    let indices = integers.iter().map(|&v| Index::Value(v)).chain(sizes);
    indices.flat_map(|i| [Place::At(Some(i), 0), Place::At(Some(i), -1)]).collect()
}

/// Pointer variables that are read from the head on, at most [`POINTERS`].
fn pointers(program: &BlockProgram<'_>, head: LocId, around: Option<&Inside>) -> Vec<VarId> {
    let all = program.slots.ids().filter_map(|slot| match program.slots.slot(slot) {
        Slot::Object(var) if program.matters(slot, head) => Some(var),
        _ => None,
    });
    let mut found: Vec<VarId> = all.filter(|&var| program.may_be_read(var, head)).collect();
    if found.len() > POINTERS {
        let is_inside = |var: &VarId| {
            around.is_some_and(|inside| inside.written.contains(var) || inside.read.contains(var))
        };
        found.sort_by_key(|var| !is_inside(var));
        found.truncate(POINTERS);
        found.sort_unstable();
    }
    found
}

/// The pointer variable from which a pointer is computed.
fn root(program: &Program, mut pointer: ExprId) -> Option<VarId> {
    loop {
        match *program.exprs.get(pointer) {
            Expr::PointerAdd(base, _) => pointer = base,
            Expr::Var(var) => return Some(var),
            _ => return None,
        }
    }
}

/// The regions that pointer variables are used to access, or copies of them.
fn regions_of_pointers(program: &Program) -> BTreeMap<VarId, BTreeSet<RegionId>> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: BTreeMap<VarId, BTreeSet<RegionId>> = BTreeMap::new();
    let mut copies: Vec<(VarId, VarId)> = Vec::new();
    for edge in program.edges.values() {
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            if let Expr::Load(access) = program.exprs.get(id)
                && let Some(var) = root(program, access.pointer)
            {
                found.entry(var).or_default().insert(access.region);
            }
        }
        match &edge.op {
            Op::Store { access, .. } => {
                if let Some(var) = root(program, access.pointer) {
                    found.entry(var).or_default().insert(access.region);
                }
            }
            Op::Assign { target, value } if program.variables[*target].ty == Type::Pointer => {
                copies.extend(root(program, *value).map(|from| (*target, from)));
            }
            _ => {}
        }
    }
    let mut grown = true;
    while grown {
        grown = false;
        for &(p, q) in &copies {
            for (from, to) in [(p, q), (q, p)] {
                let regions = found.get(&from).cloned().unwrap_or_default();
                let own = found.entry(to).or_default();
                let before = own.len();
                own.extend(regions);
                grown |= own.len() > before;
            }
        }
    }
    found
}

/// Which cells of which pointers the program accesses: members, and what it stores constants to.
fn accessed_places(program: &Program) -> Vec<(VarId, RegionId, Place)> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found = Vec::new();
    let mut add = |access: &Access, constant: bool| {
        let (Some(pointer), Some(width)) =
            (root(program, access.pointer), cell_width(program, access.region))
        else {
            return;
        };
        let place = polynomials::cell_at(program, pointer, access.pointer, width as i64);
        let Some(place @ Place::At(index, shift)) = place else { return };
        let is_member = index.is_none() && (1..=MEMBERS).contains(&shift) && access.bits.is_none();
        let new = (pointer, access.region, place);
        if (constant || is_member) && !found.contains(&new) {
            found.push(new);
        }
    };
    for edge in program.edges.values() {
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            if let Expr::Load(access) = program.exprs.get(id) {
                add(access, false);
            }
        }
        if let Op::Store { access, value } = &edge.op {
            add(access, program.exprs.as_int(*value).is_some());
        }
    }
    found
}

/// Candidates at a head, of which no sample contradicts one.
pub fn guess(program: &BlockProgram<'_>, head: &Head<'_>) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    if head.pointers.contains(&Quantity::HeapObjects) {
        let samples = head.sightings.samples(&[Quantity::HeapObjects]);
        let mut linear = Guesses { samples: &samples, found: Vec::new() };
        linear.bounds(program.program, Quantity::HeapObjects, &[0, 1, 2, 3]);
        found.extend(linear.found.into_iter().map(Fact::Linear));
        // What a loop allocates, or frees, it counts.
        let mut quantities = vec![Quantity::HeapObjects];
        quantities.extend(head.variables.iter().map(|&v| Quantity::Value(v)));
        quantities.truncate(FEW_VARIABLES);
        let equalities = head.sightings.samples(&quantities).equalities().into_iter();
        let counts = equalities
            .filter(|f| f.terms.len() <= TERMS && f.terms.iter().any(|t| t.0 == quantities[0]));
        found.extend(counts.map(Fact::Linear));
    }
    found.extend(of_steady(program, head));
    found.extend(of_optional(program, head));
    found
}

/// What holds where a pointer is not null that was null in some executions, and of integers where it was.
fn of_optional(program: &BlockProgram<'_>, head: &Head<'_>) -> Vec<Fact> {
    let of_object = |p, factor, constant, equality| Linear {
        terms: vec![(Quantity::Object(p), factor)],
        constant,
        equality,
    };
    let mut found = Vec::new();
    let optional = head.pointers.iter().filter_map(|&q| match q {
        Quantity::Object(p) if !head.sightings.is_steady(q) => Some(p),
        _ => None,
    });
    for p in optional.take(OPTIONAL) {
        let (seen, unseen) = head.sightings.divided(Quantity::Object(p));
        let some = Head { sightings: &seen, ..*head };
        let is_about = |fact: &Fact| match fact {
            Fact::Linear(fact) => fact.terms.iter().any(|(q, _)| q.variable() == Some(p)),
            Fact::Remainder(q, ..) => q.variable() == Some(p),
            Fact::Alive(q, _) | Fact::Made(q) => *q == p,
            Fact::Apart(q, r) => *q == p || *r == p,
            _ => false,
        };
        // Heuristic: what was seen once is an accident.
        if seen.is_empty() || unseen.is_empty() {
            continue;
        }
        let null = of_object(p, 1, 0, true);
        let facts = of_steady(program, &some).into_iter().filter(is_about);
        found.extend(facts.map(|fact| Fact::Phase(null.clone(), Box::new(fact))));
        let not_null = of_object(p, -1, 1, false);
        for &v in head.variables {
            let value = Quantity::Value(v);
            if let [only] = &unseen.samples(&[value]).values[..] {
                let fact = Linear { terms: vec![(value, 1)], constant: -only[0], equality: true };
                found.push(Fact::Phase(not_null.clone(), Box::new(Fact::Linear(fact))));
            }
        }
    }
    found
}

/// Candidates about the pointers that pointed to something in all executions.
fn of_steady(program: &BlockProgram<'_>, head: &Head<'_>) -> Vec<Fact> {
    let watched = head.pointers.iter().copied();
    let steady = watched.filter_map(|q| match q {
        Quantity::Object(var) if head.sightings.is_steady(q) => Some(var),
        _ => None,
    });
    let steady: Vec<VarId> = steady.collect();
    let mut found: Vec<Fact> = Vec::new();
    if steady.is_empty() {
        return found;
    }
    let (of_objects, classes) = objects(program, head, &steady);
    found.extend(of_objects);
    let sized = program.is_tracked(Slot::Sizes);
    let mut quantities: Vec<Quantity> = steady.iter().map(|&p| Quantity::Offset(p)).collect();
    if sized {
        quantities.extend(classes.iter().map(|class| Quantity::Size(class[0])));
    }
    let integers = integers_with_pointers(program.program, head.variables);
    quantities.extend(integers.iter().map(|&v| Quantity::Value(v)));
    let samples = head.sightings.samples(&quantities);
    let mut linear = Guesses { samples: &samples, found: Vec::new() };
    distances(&mut linear, &classes, sized);
    single(&mut linear, head.constants);
    let is_about_pointers =
        |fact: &Linear| fact.terms.iter().any(|(q, _)| !matches!(q, Quantity::Value(_)));
    let comparisons = polynomials::comparisons(program.program, &quantities);
    let forms = comparisons.iter().filter_map(polynomials::as_linear).filter(is_about_pointers);
    let mut forms: Vec<Linear> = forms.flat_map(|form| guards::bounds(&form)).collect();
    forms.extend(polynomials::bounds_of_accesses(program.program, &quantities));
    for form in forms {
        linear.add(form.terms, form.constant, form.equality);
    }
    let equalities = samples.equalities().into_iter().filter(|fact| fact.terms.len() <= TERMS);
    let near = |fact: &Linear| fact.constant.abs() <= NEAR;
    let equalities = equalities.chain(samples.constant_differences().into_iter().filter(near));
    for fact in equalities.filter(is_about_pointers) {
        linear.found.extend(fact.halves());
        linear.found.push(fact);
    }
    found.extend(linear.found.into_iter().map(Fact::Linear));
    found.extend(remainders(program.program, &samples));
    let cells = constant_cells(head, &classes);
    found.extend(before_ends(program.program, head, &classes, &integers, &cells));
    found.extend(cells.into_iter().map(Fact::Linear));
    found.extend(cells_as_variables(program.program, head, &classes, &integers, sized));
    found
}

/// Cells that always had the same value. Heuristic: at a place that an index names, only zero is no accident.
fn constant_cells(head: &Head<'_>, classes: &[Vec<VarId>]) -> Vec<Linear> {
    let mut found = Vec::new();
    for &cell in head.pointers {
        let Quantity::Cell(pointer, _, place) = cell else { continue };
        // One pointer speaks for all of its class where its offset does not matter.
        let speaks = place != Place::Last || classes.iter().any(|class| class[0] == pointer);
        if !speaks || !head.sightings.is_steady(cell) {
            continue;
        }
        if let [value] = &head.sightings.samples(&[cell]).values[..]
            && (value[0] == 0 || !matches!(place, Place::At(Some(_), _)))
        {
            found.push(Linear { terms: vec![(cell, 1)], constant: -value[0], equality: true });
        }
    }
    found
}

/// Where strings end lies within their objects, and before it are the pointers and indices into them.
fn before_ends(
    program: &Program,
    head: &Head<'_>,
    classes: &[Vec<VarId>],
    integers: &[VarId],
    cells: &[Linear],
) -> Vec<Fact> {
    let mut found = Vec::new();
    for cell in cells.iter().filter(|cell| cell.constant == 0) {
        let (Quantity::Cell(base, region, place), _) = cell.terms[0] else { continue };
        let Some(class) = classes.iter().find(|class| class.contains(&base)) else { continue };
        if cell_width(program, region) != Some(1) || place == Place::Last {
            continue;
        }
        let (end, constant) = place.position(program, base, region);
        let bound = |factor: i64, more: &[(Quantity, i64)], slack: i64| {
            let mut sum: BTreeMap<Quantity, i64> = BTreeMap::new();
            let scaled = end.iter().map(|&(q, c)| (q, factor * c));
            for (quantity, coefficient) in scaled.chain(more.iter().copied()) {
                *sum.entry(quantity).or_default() += coefficient;
            }
            let terms = sum.into_iter().filter(|&(_, c)| c != 0).collect();
            Linear { terms, constant: i128::from(factor * constant + slack), equality: false }
        };
        let mut bounds = vec![bound(-1, &[], 0), bound(1, &[(Quantity::Size(class[0]), -1)], 1)];
        bounds.extend(class.iter().map(|&p| bound(-1, &[(Quantity::Offset(p), 1)], 0)));
        let from_base = |&i: &VarId| [(Quantity::Offset(base), 1), (Quantity::Value(i), 1)];
        bounds.extend(integers.iter().map(|i| bound(-1, &from_base(i), 0)));
        for fact in bounds.into_iter().filter(|fact| !fact.terms.is_empty()) {
            let quantities: Vec<Quantity> = fact.terms.iter().map(|&(q, _)| q).collect();
            if head.sightings.samples(&quantities).satisfy(&fact) {
                found.push(Fact::Linear(fact));
            }
        }
    }
    found
}

/// What pointers point to that the loop does not move, as if it were variables.
fn cells_as_variables(
    program: &Program,
    head: &Head<'_>,
    classes: &[Vec<VarId>],
    integers: &[VarId],
    sized: bool,
) -> Vec<Fact> {
    let stands_still = |q: &Quantity| match q {
        Quantity::Cell(p, _, Place::At(None, _)) => {
            classes.iter().any(|class| class[0] == *p) && head.sightings.is_steady(*q)
        }
        _ => false,
    };
    let mut quantities: Vec<Quantity> =
        head.pointers.iter().copied().filter(stands_still).collect();
    if quantities.is_empty() {
        return Vec::new();
    }
    // A member may say how large the object is.
    let of: BTreeSet<VarId> = quantities.iter().filter_map(|q| q.variable()).collect();
    quantities.extend(of.into_iter().filter(|_| sized).map(Quantity::Size));
    quantities.extend(integers.iter().map(|&v| Quantity::Value(v)));
    quantities.truncate(FEW_VARIABLES);
    let samples = head.sightings.samples(&quantities);
    let mut linear = Guesses { samples: &samples, found: samples.facts() };
    for &cell in quantities.iter().filter(|q| matches!(q, Quantity::Cell(..))) {
        linear.bounds(program, cell, head.constants);
    }
    linear.comparisons(|_, _| true);
    let comparisons = polynomials::comparisons(program, &quantities);
    for form in comparisons.iter().filter_map(polynomials::as_linear) {
        for fact in guards::bounds(&form) {
            linear.add(fact.terms, fact.constant, fact.equality);
        }
    }
    linear.found.into_iter().map(Fact::Linear).collect()
}

/// Which pointers point into one object and which into different ones, what lives, what is static; and the
/// classes of those that pointed into one object.
fn objects(
    program: &BlockProgram<'_>,
    head: &Head<'_>,
    steady: &[VarId],
) -> (Vec<Fact>, Vec<Vec<VarId>>) {
    let numbers: Vec<Quantity> = steady.iter().map(|&p| Quantity::Object(p)).collect();
    let rows = head.sightings.samples(&numbers).values;
    let mut found = Vec::new();
    let mut classes: Vec<Vec<VarId>> = Vec::new();
    for (i, &p) in steady.iter().enumerate() {
        if program.is_tracked(Slot::Lives) {
            found.extend([Fact::Alive(p, false), Fact::Alive(p, true), Fact::Made(p)]);
        }
        let mut is_first = true;
        for (j, &q) in steady.iter().enumerate().take(i) {
            if rows.iter().all(|row| row[i] == row[j]) {
                let terms = vec![(Quantity::Object(q), 1), (Quantity::Object(p), -1)];
                found.push(Fact::Linear(Linear { terms, constant: 0, equality: true }));
                if is_first {
                    classes.iter_mut().filter(|c| c.contains(&q)).for_each(|c| c.push(p));
                }
                is_first = false;
            } else if rows.iter().all(|row| row[i] != row[j]) {
                found.push(Fact::Apart(q, p));
            }
        }
        if is_first {
            classes.push(vec![p]);
        }
    }
    if program.is_tracked(Slot::Sizes) {
        found.extend(static_objects(program.program).into_iter().map(Fact::Static));
    }
    (found, classes)
}

/// Static objects whose addresses are taken, where these are few.
fn static_objects(program: &Program) -> Vec<ObjectId> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: BTreeSet<ObjectId> = BTreeSet::new();
    for edge in program.edges.values() {
        walker.walk(&program.exprs, &edge.op.operands(), |_, expr| {
            if let Expr::Object(object) = expr {
                found.insert(*object);
            }
        });
    }
    if found.len() > STATIC { Vec::new() } else { found.into_iter().collect() }
}

/// Pointers are near to each other and to the end of their object.
fn distances(linear: &mut Guesses<'_>, classes: &[Vec<VarId>], sized: bool) {
    let mut pairs: Vec<(Quantity, Quantity)> = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        for (i, &p) in class.iter().enumerate() {
            pairs.extend(class[..i].iter().map(|&q| (Quantity::Offset(q), Quantity::Offset(p))));
            if sized {
                pairs.push((Quantity::Offset(p), Quantity::Size(class[0])));
            }
        }
        for other in classes[..number].iter().filter(|_| sized) {
            pairs.push((Quantity::Size(other[0]), Quantity::Size(class[0])));
        }
    }
    for (x, y) in pairs {
        linear.add(vec![(x, 1), (y, -1)], 0, true);
        for (x, y) in [(x, y), (y, x)] {
            linear.add(vec![(x, 1), (y, -1)], 0, false);
            let most = linear.samples.most(&[(x, 1), (y, -1)]);
            if let Some(most) = most.filter(|most| *most != 0 && most.abs() <= NEAR) {
                linear.add(vec![(x, 1), (y, -1)], -most, false);
            }
        }
    }
}

/// Offsets are not negative and may be zero; sizes may be the same each time, and are not too small.
fn single(linear: &mut Guesses<'_>, constants: &[i128]) {
    for &quantity in &linear.samples.quantities {
        match quantity {
            Quantity::Offset(_) => {
                linear.add(vec![(quantity, 1)], 0, true);
                linear.add(vec![(quantity, -1)], 0, false);
            }
            Quantity::Size(_) => {
                if let Some(most) = linear.samples.most(&[(quantity, 1)]) {
                    linear.add(vec![(quantity, 1)], -most, true);
                }
                linear.nearest(quantity, constants);
            }
            _ => {}
        }
    }
}

/// Integers that the program brings together with pointers in one statement, or with such integers and so on;
/// at most [`INTEGERS`], nearest first.
fn integers_with_pointers(program: &Program, integers: &[VarId]) -> Vec<VarId> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut statements: Vec<Vec<VarId>> = Vec::new();
    for edge in program.edges.values() {
        let mut mentioned = walker.variables(&program.exprs, &edge.op.operands());
        mentioned.extend(edge.op.target());
        statements.push(mentioned);
    }
    let pointers = program.variables.iter().filter(|(_, v)| v.ty == Type::Pointer);
    let mut together: HashSet<VarId> = pointers.map(|(var, _)| var).collect();
    let mut found: Vec<VarId> = Vec::new();
    loop {
        let near = statements.iter().filter(|list| list.iter().any(|var| together.contains(var)));
        let next: BTreeSet<VarId> =
            near.flatten().copied().filter(|var| !together.contains(var)).collect();
        if next.is_empty() || found.len() >= INTEGERS {
            break;
        }
        together.extend(next.iter().copied());
        found.extend(next.into_iter().filter(|var| integers.contains(var)));
    }
    found.truncate(INTEGERS);
    found
}

/// Offsets and sizes are whole numbers of the cells that the program accesses.
fn remainders(program: &Program, samples: &Samples) -> Vec<Fact> {
    let widths: BTreeSet<u64> =
        program.regions.values().filter_map(|r| Some(r.cell?.size(program.target))).collect();
    let mut found = Vec::new();
    for (i, &quantity) in samples.quantities.iter().enumerate() {
        if matches!(quantity, Quantity::Value(_)) {
            continue;
        }
        for width in widths.iter().filter(|&&w| w > 1).map(|&w| i128::from(w)) {
            let mut rests = samples.values.iter().map(|sample| sample[i].rem_euclid(width));
            let rest = rests.next().unwrap_or(0);
            if rests.all(|other| other == rest) {
                found.push(Fact::Remainder(quantity, width, rest));
            }
        }
    }
    found
}
