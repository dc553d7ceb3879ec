//! Facts about what loops add up over arrays.
//!
//! Where a round of a loop adds something of one cell to a variable (`sum += a[i]`, or one more for each even cell), the
//! variable is a sum of cells ([`sums`]), up to what was in it before. Which equalities hold between such sums, the variables and
//! single cells is found by symbolic abstraction: the affine hull of the states that models show, at all heads of loops at
//! once ([`Hull`]). So a sum that is taken off again is seen to be zero, and a rotation of an array to change its sum
//! by the cell that is on the way.
//!
//! Where a program makes more of a total than a sum, such as an average or a narrower number, nothing is said: equal
//! sums then are a small part of the question, and facts about them make the rest slower.
//!
//! The equalities are inductive upon what is known. As all that is guessed, nobody believes them without an audit.

use crate::block::{BlockProgram, Transition};
use crate::calls::Calls;
use crate::cells;
use crate::encode::Slot;
use crate::implications::{Step, implications};
use crate::prover::Prover;
use crate::sums;
use bolide_base::{HashMap, HashSet, Rational};
use bolide_cfa::LocId;
use bolide_smt::houdini::{Guess, Hull, Implication};
use bolide_terms::{FunctionId, LinearForm, Op, SortId, TermId, TermStore};

/// Heuristic: so many different sums.
const SUMS: usize = 4;

/// Heuristic: so many ends of loops, up to which cells are added up.
const ENDS: usize = 4;

/// Heuristic: so many variables at a head.
const VARIABLES: usize = 14;

/// Heuristic: joins in joins.
const JOINS: usize = 6;

/// What is added up in a loop.
#[derive(PartialEq, Eq)]
struct Sum {
    function: FunctionId,
    arguments: Vec<TermId>,
    /// The cells of the array, and where the first one lies.
    row: TermId,
    start: TermId,
    /// What counts the cells before the one that is looked at.
    count: TermId,
}

/// Inductive facts for each head of a loop, upon what is known.
pub fn facts(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    (steps, heads): (&[Step], &[LocId]),
    known: &HashMap<LocId, Vec<TermId>>,
    effort: (u64, u64),
) -> Result<HashMap<LocId, Vec<TermId>>, crate::verdict::Reason> {
    let blocks: Vec<&Transition> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Block(transition) => Some(&**transition),
            _ => None,
        })
        .collect();
    let mut sums: Vec<Sum> = Vec::new();
    let mut totals: HashSet<TermId> = HashSet::default();
    for block in &blocks {
        if block.from == block.to && reads_cells(store, block) {
            find(program, store, block, &mut sums, &mut totals);
        }
    }
    if sums.is_empty() || is_more_made_of(store, &blocks, &totals) {
        return Ok(HashMap::default());
    }
    let mut ends = cells::ends_of_indices(program, store, &blocks);
    ends.truncate(ENDS);
    let mut hulls: HashMap<LocId, Hull> = HashMap::default();
    for &head in heads {
        let terms = observed(program, store, &blocks, head, &sums, &ends);
        hulls.insert(head, Hull::new(terms));
    }
    let calls = Calls::default();
    let mut questions = upon(program, store, &calls, steps, known);
    // What models show of sums must be true of sums.
    for question in &mut questions {
        let (point, said) = &question.goal;
        let seen = hulls.get(point).map_or(&[][..], |hull| hull.observed());
        let seen: Vec<TermId> = seen.iter().map(|&term| said(store, term)).collect();
        question.premises.extend(sums::laws(store, &seen));
    }
    let Some(hulls) = prover.inductive(store, &questions, hulls, effort)? else {
        return Ok(HashMap::default());
    };
    Ok(hulls.into_iter().map(|(head, hull)| (head, hull.conjuncts().to_vec())).collect())
}

/// Whether a block looks into arrays at all.
fn reads_cells(store: &TermStore, block: &Transition) -> bool {
    let roots: Vec<TermId> = block.outputs.iter().map(|output| output.1).collect();
    store.subterms(&roots).into_iter().any(|term| store.op(term) == Op::Select)
}

/// What the steps say, upon what is known of where they start.
fn upon<'a>(
    program: &'a BlockProgram<'_>,
    store: &mut TermStore,
    calls: &'a Calls,
    steps: &'a [Step],
    known: &HashMap<LocId, Vec<TermId>>,
) -> Vec<Implication<'a, LocId>> {
    let mut found = implications(program, calls, steps);
    // The first is about the start.
    for (implication, step) in found.iter_mut().skip(1).zip(steps) {
        for &fact in known.get(&step.from()).into_iter().flatten() {
            implication.premises.push(match step {
                Step::Block(transition) => program.at_places(store, fact, transition),
                _ => fact,
            });
        }
    }
    found
}

/// The sums that one round of a loop adds to, and the variables that they are in.
fn find(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    block: &Transition,
    sums: &mut Vec<Sum>,
    totals: &mut HashSet<TermId>,
) {
    let moving: HashSet<TermId> =
        block.outputs.iter().map(|&(slot, _)| program.slots.constant(slot)).collect();
    let joins = joins(store, block);
    for &(slot, value) in &block.outputs {
        let total = program.slots.constant(slot);
        if store.sort(value) != SortId::INT {
            continue;
        }
        let Some(added) = added(store, value, total, &joins, JOINS) else { continue };
        let Some(sum) = sum(program, store, added, &moving) else { continue };
        totals.insert(total);
        if !sums.contains(&sum) && sums.len() < SUMS {
            sums.push(sum);
        }
    }
}

/// What the joins of a block choose between, each value with its condition, where all ways say it.
type Joins = HashMap<TermId, Vec<(TermId, TermId)>>;

fn joins(store: &mut TermStore, block: &Transition) -> Joins {
    let mut found = Joins::default();
    for term in store.subterms(&[block.formula]) {
        if store.op(term) != Op::Or {
            continue;
        }
        let ways: Vec<Vec<TermId>> =
            store.args(term).to_vec().into_iter().map(|way| store.conjuncts(way)).collect();
        for &phi in block.locals.iter() {
            if store.sort(phi) != SortId::INT {
                continue;
            }
            let mut values = Vec::new();
            for way in &ways {
                let value = way.iter().find_map(|&said| defined(store, said, phi));
                let own = |c: &TermId| ways.iter().any(|other| !other.contains(c));
                let plain = |c: &TermId| !block.locals.iter().any(|&l| store.occurs(l, *c));
                let conditions: Vec<TermId> =
                    way.iter().copied().filter(|c| own(c) && plain(c)).collect();
                values.extend(value.map(|value| (store.mk_and(&conditions), value)));
            }
            if values.len() == ways.len() {
                found.insert(phi, values);
            }
        }
    }
    found
}

/// The value that an equation gives to a constant.
fn defined(store: &mut TermStore, said: TermId, constant: TermId) -> Option<TermId> {
    if store.op(said) != Op::Eq || !store.occurs(constant, said) {
        return None;
    }
    let (form, _) = store.linear_constraint(said, true)?;
    let (factor, mut rest) = form.isolate(constant);
    if factor.abs() != Rational::ONE {
        return None;
    }
    if factor == Rational::ONE {
        rest = rest.negated();
    }
    let value = store.mk_linear(&rest, SortId::INT);
    (!store.occurs(constant, value)).then_some(value)
}

/// What a value is more than the total.
fn added(
    store: &mut TermStore,
    value: TermId,
    total: TermId,
    joins: &Joins,
    depth: usize,
) -> Option<TermId> {
    let form = store.linear_form(value);
    let joined =
        form.terms.iter().find(|(leaf, c)| *c == Rational::ONE && joins.contains_key(leaf));
    let Some((joined, _)) = joined.cloned() else {
        let more = store.linear_difference(value, total);
        let more = store.mk_linear(&more, SortId::INT);
        return (!store.occurs(total, more)).then_some(more);
    };
    let (_, rest) = form.isolate(joined);
    let mut ways = Vec::new();
    for &(condition, value) in &joins[&joined] {
        let more = added(store, value, total, joins, depth.checked_sub(1)?)?;
        ways.push((condition, more));
    }
    let (_, mut chosen) = ways.pop()?;
    for (condition, more) in ways.into_iter().rev() {
        chosen = store.mk_ite(condition, more, chosen);
    }
    let rest = store.mk_linear(&rest, SortId::INT);
    let more = store.mk_add(&[chosen, rest]);
    (!store.occurs(total, more)).then_some(more)
}

/// What is added as the summand of one cell, if it is of one.
fn sum(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    added: TermId,
    moving: &HashSet<TermId>,
) -> Option<Sum> {
    let is_cell = |&term: &TermId| store.op(term) == Op::Select && store.sort(term) == SortId::INT;
    let cells: Vec<TermId> = store.subterms(&[added]).into_iter().filter(is_cell).collect();
    let &[cell] = cells.as_slice() else { return None };
    let (row, place) = (store.arg(cell, 0), store.arg(cell, 1));
    let stays = |store: &TermStore, term: TermId| {
        let own = |c: TermId| program.slots.of_constant(c).is_some() && !moving.contains(&c);
        store.constants(term).into_iter().all(own)
    };
    if store.op(row) != Op::Select || !stays(store, row) {
        return None;
    }
    let form = store.linear_form(place);
    let mut indices = form.terms.iter().filter(|(leaf, _)| !stays(store, *leaf)).cloned();
    let (index, stride) = indices.next()?;
    if indices.next().is_some() || !moving.contains(&index) {
        return None;
    }
    let stride = stride.to_integer()?.to_i64().filter(|&s| s > 0)?;
    let (_, mut start) = form.isolate(index);
    let width = Rational::from(stride);
    let shift = (&start.constant / &width).floor();
    let shift = Rational::from(shift);
    start.constant.add_mul(&width, &-shift.clone());
    let start = store.mk_linear(&start, SortId::INT);
    let mut count = LinearForm::from_leaf(index);
    count.constant = shift.clone();
    let count = store.mk_linear(&count, SortId::INT);
    // Over the placeholders.
    let (of_cell, at) = (sums::cell(store), sums::at(store));
    let mut number = LinearForm::from_leaf(at);
    number.constant = -shift;
    let number = store.mk_linear(&number, SortId::INT);
    let summand = store.replace(added, cell, of_cell);
    let summand = store.substitute(summand, &HashMap::from_iter([(index, number)]));
    let mut arguments: Vec<TermId> = Vec::new();
    let mut names: HashMap<TermId, TermId> = HashMap::default();
    for constant in store.constants(summand) {
        if constant == of_cell || constant == at {
            continue;
        }
        if !stays(store, constant) || store.sort(constant) != SortId::INT {
            return None;
        }
        names.insert(constant, sums::argument(store, arguments.len()));
        arguments.push(constant);
    }
    let summand = store.substitute(summand, &names);
    let form = store.linear_form(summand);
    let summand =
        if form.leads_negative() { store.mk_linear(&form.negated(), SortId::INT) } else { summand };
    let function = sums::function(store, stride, summand, arguments.len());
    Some(Sum { function, arguments, row, start, count })
}

/// Whether a step makes something else of a total than a sum.
fn is_more_made_of(store: &TermStore, blocks: &[&Transition], totals: &HashSet<TermId>) -> bool {
    let is_more = |&(_, value): &(_, TermId)| {
        let form = store.linear_form(value);
        let inside = |total: &TermId| form.coefficient(*total).is_zero();
        store.constants(value).iter().filter(|c| totals.contains(c)).any(inside)
    };
    blocks.iter().flat_map(|block| &block.outputs).any(is_more)
}

/// The terms whose equalities are looked for at a head.
fn observed(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    blocks: &[&Transition],
    head: LocId,
    sums: &[Sum],
    ends: &[TermId],
) -> Vec<TermId> {
    let matters = |store: &TermStore, term: TermId| {
        let known = |c: TermId| {
            program.slots.of_constant(c).is_some_and(|slot| program.matters(slot, head))
        };
        store.constants(term).into_iter().all(known)
    };
    let mut found: Vec<TermId> = Vec::new();
    let add = |store: &TermStore, found: &mut Vec<TermId>, term: TermId| {
        if !found.contains(&term) && matters(store, term) {
            found.push(term);
        }
    };
    let rows = rows(program, store, blocks, sums);
    let one = store.mk_int(1);
    for sum in sums {
        for &(row, start) in &rows {
            // Before the next cell, and behind it, where a loop counts down.
            let next = store.mk_add(&[sum.count, one]);
            let mut counts = vec![sum.count, next];
            counts.extend_from_slice(ends);
            for count in counts {
                let mut arguments = vec![row, start];
                arguments.extend(&sum.arguments);
                arguments.push(count);
                let term = store.mk_app(sum.function, &arguments);
                add(store, &mut found, term);
            }
        }
    }
    // Single cells of the same arrays, where the block is at work.
    for block in blocks.iter().filter(|b| b.from == head) {
        let mut roots: Vec<TermId> = block.outputs.iter().map(|o| o.1).collect();
        roots.push(block.formula);
        for (_, place) in crate::instances::places(store, &roots) {
            for &(row, _) in &rows {
                let cell = store.mk_select(row, place);
                add(store, &mut found, cell);
            }
        }
    }
    let ids: Vec<TermId> = program.slots.ids().map(|s| program.slots.constant(s)).collect();
    let numbers = ids.into_iter().filter(|&c| store.sort(c) == SortId::INT);
    let numbers: Vec<TermId> = numbers.filter(|&c| matters(store, c)).take(VARIABLES).collect();
    found.extend(numbers);
    found
}

/// The arrays that are added up, by all names that pointers give them, and where the first cell lies.
fn rows(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    blocks: &[&Transition],
    sums: &[Sum],
) -> Vec<(TermId, TermId)> {
    let mut found: Vec<(TermId, TermId)> = Vec::new();
    let mut roots: Vec<TermId> = Vec::new();
    for block in blocks {
        roots.extend(block.outputs.iter().map(|o| o.1).chain([block.formula]));
    }
    for sum in sums {
        if !found.contains(&(sum.row, sum.start)) {
            found.push((sum.row, sum.start));
        }
    }
    let memories: Vec<TermId> = sums.iter().map(|sum| store.arg(sum.row, 0)).collect();
    for term in store.subterms(&roots) {
        if store.op(term) != Op::Select || !memories.contains(&store.arg(term, 0)) {
            continue;
        }
        let pointer = program.slots.of_constant(store.arg(term, 1));
        if let Some(Slot::Object(var)) = pointer.map(|slot| program.slots.slot(slot))
            && let Some(offset) = program.slots.find(Slot::Offset(var))
            && let start = program.slots.constant(offset)
            && !found.contains(&(term, start))
        {
            found.push((term, start));
        }
    }
    found
}
