//! Candidates for invariants about all cells of an array up to some place.
//!
//! What a loop over an array establishes is in the text of the program twice: where cells are written (`a[i] = 0`), and
//! where they are compared (`assert(a[x] == b[x])`, `if (a[i] > max)`). Both say something of *one* cell, the one
//! at the moving index. With the index constant in its place ([`instances`]) it is a *claim* about every
//! cell, and what is left to guess is for which: between two *bounds*, which are
//! the places that loops read and write, where these lay when the loop began, and what their indices are compared with. So `a[i] = 0` in a loop up to `n` suggests
//! "all cells before `i` are 0" at its head and "all cells before `n` are 0" behind it.
//!
//! Claims and bounds are read off the formulas of blocks, where temporaries are gone. Where an index is a sum of
//! several moving numbers, as in an array of rows, the sum is one index. Where an index moves by more than one (`strides`), what is said of it
//! is also said of the multiples, so that "every other cell" is a claim. Where a loop stopped ends what is said of the cells behind it in the loops that follow:
//! nothing before the terminator that the first search found is zero, while the second one looks for it.
//!
//! Where a claim is about cells at two moving places, it is said of any two of which one comes first (`a[j] <= a[k]`). Cells that hold pointers point to
//! objects that live, have a known size, and are in the order in which they were made, so that no two are one.
//!
//! Nothing here is believed: candidates are weakened until they are inductive ([`templates`](crate::templates)).

mod bounds;

use crate::block::{BlockProgram, Transition};
use crate::encode::{self, Slot};
use crate::implications::Step;
use crate::instances::{self, index, is_index, places, without_wraps};
use crate::results;
use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_cfa::{LocId, Type};
use bolide_terms::{Op, SortId, TermId, TermStore};

/// Heuristic: so many claims are looked at.
const CLAIMS: usize = 16;

/// Heuristic: so many ends of the cells that a claim is about, at one location.
const BOUNDS: usize = 8;

/// Heuristic: so many claims about two cells.
const PAIRS: usize = 4;

/// Heuristic: what cells point to has one of so many sizes.
const SIZES: usize = 3;

/// Heuristic: so far apart are the cells that a loop comes to; larger elements are structs.
const STRIDE: i128 = 64;

/// Heuristic: so many places within a stride may be where the cells lie.
const PHASES: i128 = 2;

/// Heuristic: loops in loops in loops.
const NESTED: usize = 2;

/// What is said of cells, and where the program says it.
struct Claim {
    /// About the index constant.
    said: TermId,
    /// The places of the cells in it.
    places: Vec<TermId>,
    /// Those that the other index names, where it is about two cells.
    others: Vec<TermId>,
    /// That objects are in the order in which they were made.
    in_order: bool,
}

/// Candidates for each head of a loop.
pub fn candidates(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    steps: &[Step],
    heads: &[LocId],
) -> HashMap<LocId, Vec<TermId>> {
    let blocks: Vec<&Transition> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Block(transition) => Some(&**transition),
            _ => None,
        })
        .collect();
    let mut cells = Cells::new(program, store, &blocks);
    for block in &blocks {
        cells.collect(store, block);
    }
    if cells.claims.is_empty() {
        return HashMap::default();
    }
    // Those about one cell that moves beside many that do not come last.
    let mut claims = std::mem::take(&mut cells.claims);
    claims.sort_by_cached_key(|claim| {
        let next = cells.constant(Slot::NextObject);
        let other = |c: &TermId| {
            store.sort(*c) == SortId::INT && cells.moving.contains(c) && Some(*c) != next
        };
        store.constants(claim.said).iter().filter(|&c| other(c)).count()
    });
    claims.truncate(CLAIMS);
    cells.claims = claims;
    let limits = cells.limits(store, &blocks);
    let mut reached: HashMap<LocId, Vec<TermId>> =
        heads.iter().map(|&head| (head, cells.reached(store, &blocks, head))).collect();
    // What an inner loop reaches first, said before it, from the inside out.
    for _ in 0..NESTED {
        for block in blocks.iter().filter(|b| b.from != b.to) {
            let renaming = block.new_values(&program.slots);
            let inner = reached.get(&block.to).cloned().unwrap_or_default();
            let Some(own) = reached.get_mut(&block.from) else { continue };
            for place in inner {
                let place = store.substitute(place, &renaming);
                if own.len() < BOUNDS && cells.is_of_state(store, place) {
                    add(own, place);
                }
            }
        }
    }
    let all = heads.iter().map(|&head| {
        let elsewhere = heads.iter().filter(|&&other| other != head);
        let mut stopped: Vec<TermId> = Vec::new();
        for &other in elsewhere {
            cells.kept_by_others(store, &blocks, other, &reached[&other], &mut stopped);
            stopped.extend(&reached[&other]);
        }
        let firsts = cells.firsts(store, &blocks, head, &reached[&head]);
        let marks = Marks { reached: reached[&head].clone(), firsts, stopped };
        (head, cells.ranges(store, head, &marks, &limits))
    });
    all.collect()
}

/// What moving indices are compared with: behind these numbers loops over arrays end.
pub fn ends_of_indices(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    blocks: &[&Transition],
) -> Vec<TermId> {
    Cells::new(program, store, blocks).limits(store, blocks).indices
}

/// By how much each number moves that only ever moves by this much, more than one.
fn strides(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    blocks: &[&Transition],
) -> HashMap<TermId, i128> {
    let mut found: HashMap<TermId, Option<i128>> = HashMap::default();
    for block in blocks.iter().filter(|block| program.is_loop_head(block.from)) {
        for &(slot, value) in &block.outputs {
            let number = program.slots.constant(slot);
            if store.sort(number) != SortId::INT {
                continue;
            }
            let value = without_wraps(store, value);
            let by = store.linear_difference(value, number);
            let by = by.as_constant().and_then(|by| by.numerator().to_i128()).map(i128::abs);
            // What starts anew in a loop around moves in the inner one.
            if by == Some(0) || block.from != block.to && by.is_none() {
                continue;
            }
            let known = found.entry(number).or_insert(by);
            if *known != by {
                *known = None;
            }
        }
    }
    let several = |(number, by): (TermId, Option<i128>)| {
        by.filter(|by| (2..=STRIDE).contains(by)).map(|by| (number, by))
    };
    found.into_iter().filter_map(several).collect()
}

/// The state constants that blocks of loops change.
fn moving(program: &BlockProgram<'_>, blocks: &[&Transition]) -> HashSet<TermId> {
    let changes = |block: &&&Transition| program.is_loop_head(block.from);
    blocks
        .iter()
        .filter(changes)
        .flat_map(|block| block.outputs.iter().map(|&(slot, _)| program.slots.constant(slot)))
        .collect()
}

/// The places that loops come to, as seen from a head.
struct Marks {
    /// Those that the loop at the head reads or writes next.
    reached: Vec<TermId>,
    /// Where these lay first, and whether they go down from there.
    firsts: Vec<(TermId, bool)>,
    /// Those of other loops.
    stopped: Vec<TermId>,
}

/// Which cells a claim is about: those for which neither holds.
struct Bounds {
    /// They lie behind the cells, which begin with the first one.
    behind: Vec<TermId>,
    /// They lie before, or behind.
    between: Vec<(TermId, TermId)>,
    /// As `behind`, by what stands still.
    still: Vec<TermId>,
}

/// Where moving indices end.
#[derive(Default)]
struct Limits {
    /// Behind these numbers.
    indices: Vec<TermId>,
    /// Behind these places.
    places: Vec<TermId>,
}

fn add(list: &mut Vec<TermId>, term: TermId) {
    if !list.contains(&term) {
        list.push(term);
    }
}

/// All that a block says.
fn terms_of(block: &Transition) -> Vec<TermId> {
    block.outputs.iter().map(|o| o.1).chain([block.formula]).collect()
}

struct Cells<'a, 'p> {
    program: &'a BlockProgram<'p>,
    /// What loops change.
    moving: HashSet<TermId>,
    /// What moves by more than one.
    strides: HashMap<TermId, i128>,
    /// The sizes that objects are made with.
    sizes: Vec<TermId>,
    claims: Vec<Claim>,
}

impl<'a, 'p> Cells<'a, 'p> {
    fn new(
        program: &'a BlockProgram<'p>,
        store: &mut TermStore,
        blocks: &[&Transition],
    ) -> Cells<'a, 'p> {
        let strides = strides(program, store, blocks);
        let moving = moving(program, blocks);
        let mut cells = Cells { program, moving, strides, sizes: Vec::new(), claims: Vec::new() };
        let roots: Vec<TermId> =
            blocks.iter().flat_map(|b| b.outputs.iter().map(|o| o.1)).collect();
        let sizes = cells.constant(Slot::Sizes);
        for term in store.subterms(&roots) {
            let mut table = term;
            while store.op(table) == Op::Store {
                table = store.arg(table, 0);
            }
            if table != term && Some(table) == sizes {
                let size = without_wraps(store, store.arg(term, 2));
                if cells.sizes.len() < SIZES && cells.is_of_state(store, size) {
                    add(&mut cells.sizes, size);
                }
            }
        }
        cells
    }

    /// The claims of a block: its comparisons of cells, what it writes, and that it does not fail.
    fn collect(&mut self, store: &mut TermStore, block: &Transition) {
        let mut said = Vec::new();
        if self.program.program.locations[block.to].error.is_some() {
            let fails = without_ranges(store, block.formula);
            said.push(store.mk_not(fails));
        }
        let mut roots: Vec<TermId> = block.outputs.iter().map(|o| o.1).collect();
        let mut written = stores(store, &roots);
        for &(cell, value) in &written {
            said.push(store.mk_eq(cell, value));
            if self.is_of_objects(store, cell) {
                said.extend(self.of_objects(store, cell));
                self.in_order(store, cell, &block.locals);
            }
        }
        said.extend(self.kept(store, block, &written));
        // What is written on one way only.
        for (condition, way) in results::ways(store, block).into_iter().flatten() {
            for (cell, value) in stores(store, &way) {
                let set = store.mk_eq(cell, value);
                let condition = without_ranges(store, condition);
                said.push(store.mk_implies(condition, set));
            }
        }
        // What was chosen and written is what the cell has then: `a[i] = x; b[i] = -x` says that `b[i] = -a[i]`.
        let chosen = chosen(store, &written, &block.locals);
        if !chosen.is_empty() {
            let more: Vec<TermId> = said.iter().map(|&f| store.substitute(f, &chosen)).collect();
            said.extend(more.into_iter().filter(|&f| f != TermId::TRUE));
        }
        // What is written, and what a flag is set to, where a condition holds of a cell.
        let joins = results::joins(store, block);
        written.extend(block.outputs.iter().map(|o| (self.program.slots.constant(o.0), o.1)));
        for (target, value) in written {
            for &(condition, chosen) in joins.get(&value).into_iter().flatten() {
                if chosen == target {
                    continue;
                }
                let condition = without_ranges(store, condition);
                let set = store.mk_eq(target, chosen);
                said.push(store.mk_implies(condition, set));
            }
        }
        roots.push(block.formula);
        for root in roots {
            if !store.is_bool(root) {
                continue;
            }
            for atom in store.atoms(root) {
                if is_range_of_type(store, atom) {
                    continue;
                }
                said.push(atom);
                said.push(store.mk_not(atom));
                // What was asked of a value before it was written.
                let of_cell = store.substitute(atom, &chosen);
                if of_cell != atom {
                    said.push(of_cell);
                }
            }
        }
        for formula in said {
            self.claim(store, formula, &block.locals);
            self.claim_of_two(store, formula, &block.locals);
        }
    }

    /// No cell is beyond what was written last, where a variable keeps that or is what comes next.
    fn kept(
        &self,
        store: &mut TermStore,
        block: &Transition,
        written: &[(TermId, TermId)],
    ) -> Vec<TermId> {
        let mut said = Vec::new();
        for &(slot, value) in &block.outputs {
            let kept = self.program.slots.constant(slot);
            if store.sort(kept) != SortId::INT || store.linear_form(value).as_constant().is_some() {
                continue;
            }
            let value = without_wraps(store, value);
            for &(cell, written) in written {
                let written = without_wraps(store, written);
                if written == value {
                    said.extend([store.mk_le(cell, kept), store.mk_le(kept, cell)]);
                } else if written == kept {
                    said.extend([store.mk_lt(cell, kept), store.mk_lt(kept, cell)]);
                }
            }
        }
        said
    }

    /// Whether a cell holds the object of a pointer.
    fn is_of_objects(&self, store: &TermStore, cell: TermId) -> bool {
        // A cell of what was just filled is no place in memory.
        let within = |term| (store.op(term) == Op::Select).then(|| store.arg(term, 0));
        let slot =
            within(cell).and_then(within).map(|memory| self.program.slots.of_constant(memory));
        slot.flatten().is_some_and(|slot| match self.program.slots.slot(slot) {
            Slot::Cells(region) => self.program.program.regions[region].cell == Some(Type::Pointer),
            _ => false,
        })
    }

    /// What may be known of objects that cells point to: that they live, their sizes, and that they were made after the one
    /// that holds the cells and before what comes next.
    fn of_objects(&self, store: &mut TermStore, cell: TermId) -> Vec<TermId> {
        let holder = store.arg(store.arg(cell, 0), 1);
        let zero = store.mk_int(0);
        let mut found = vec![store.mk_lt(zero, cell), store.mk_lt(holder, cell)];
        if let Some(next) = self.constant(Slot::NextObject) {
            found.push(store.mk_lt(cell, next));
        }
        if let Some(lives) = self.constant(Slot::Lives) {
            let (life, on_heap) = (store.mk_select(lives, cell), store.mk_int(encode::ON_HEAP));
            found.push(store.mk_eq(life, on_heap));
        }
        if let Some(sizes) = self.constant(Slot::Sizes) {
            let size = store.mk_select(sizes, cell);
            found.extend(self.sizes.iter().map(|&said| store.mk_eq(size, said)));
        }
        found
    }

    fn constant(&self, slot: Slot) -> Option<TermId> {
        let is_tracked = self.program.is_tracked(slot);
        self.program.slots.find(slot).filter(|_| is_tracked).map(|s| self.program.slots.constant(s))
    }

    /// Objects that cells point to are in the order in which they were made: no two are one.
    fn in_order(&mut self, store: &mut TermStore, cell: TermId, locals: &[TermId]) {
        let [index, other] = instances::indices(store);
        let later = self.generalised(store, cell, locals, index);
        let earlier = self.generalised(store, cell, locals, other);
        for (earlier, later) in earlier.into_iter().zip(later) {
            let said = store.mk_lt(earlier, later);
            self.add(store, said, true);
        }
    }

    /// What a formula says of the cells at two moving places, said of any two.
    fn claim_of_two(&mut self, store: &mut TermStore, formula: TermId, locals: &[TermId]) {
        let formula = without_wraps(store, formula);
        let mut numbers: Vec<TermId> = Vec::new();
        for (_, place) in places(store, &[formula]) {
            let moves = |leaf: &TermId| self.moving.contains(leaf) || locals.contains(leaf);
            let form = store.linear_form(place);
            let mut moving = form.terms.iter().map(|t| t.0).filter(moves);
            if let (Some(number), None) = (moving.next(), moving.next()) {
                add(&mut numbers, number);
            }
        }
        let &[x, y] = numbers.as_slice() else { return };
        let [index, other] = instances::indices(store);
        for map in [[(x, other), (y, index)], [(y, other), (x, index)]] {
            let said = store.substitute(formula, &HashMap::from_iter(map));
            self.add(store, said, false);
        }
    }

    /// A claim about the index constants.
    fn add(&mut self, store: &mut TermStore, said: TermId, in_order: bool) {
        let [index, other] = instances::indices(store);
        let named = |store: &TermStore, index: TermId| {
            let cells = places(store, &[said]).into_iter().map(|cell| cell.1);
            cells.filter(|&place| store.occurs(index, place)).collect::<Vec<_>>()
        };
        let (places, others) = (named(store, index), named(store, other));
        let is_pair = |claim: &Claim| !claim.others.is_empty();
        let most = if others.is_empty() { 4 * CLAIMS } else { PAIRS };
        let alike = self.claims.iter().filter(|claim| is_pair(claim) != others.is_empty()).count();
        let known = self.claims.iter().any(|claim| claim.said == said);
        if known || alike >= most || places.is_empty() || !self.is_of_state(store, said) {
            return;
        }
        self.claims.push(Claim { said, places, others, in_order });
    }

    /// What a formula says of cells at moving places, said of all.
    fn claim(&mut self, store: &mut TermStore, formula: TermId, locals: &[TermId]) {
        let index = index(store);
        for said in self.generalised(store, formula, locals, index) {
            // The object that comes next is another one each time; what is there was made before.
            let atom = if store.op(said) == Op::Not { store.arg(said, 0) } else { said };
            let compares = matches!(store.op(atom), Op::Le | Op::Lt);
            let is_next = |next| store.occurs(next, said) && !compares;
            if !self.constant(Slot::NextObject).is_some_and(is_next) {
                self.add(store, said, false);
            }
        }
    }

    /// The formula with the index constant for each number that moves through its cells.
    fn generalised(
        &self,
        store: &mut TermStore,
        formula: TermId,
        locals: &[TermId],
        index: TermId,
    ) -> Vec<TermId> {
        let formula = without_wraps(store, formula);
        let cells = places(store, &[formula]);
        let mut found = Vec::new();
        let mut seen: HashSet<Vec<TermId>> = HashSet::default();
        for &(_, place) in &cells {
            let moves = |leaf: TermId| self.moving.contains(&leaf) || locals.contains(&leaf);
            let form = store.linear_form(place);
            let parts: Vec<(TermId, Rational)> =
                form.terms.iter().filter(|t| moves(t.0)).cloned().collect();
            if !seen.insert(parts.iter().map(|p| p.0).collect()) {
                continue;
            }
            match parts.as_slice() {
                [] => {}
                [(number, _)] => found.extend(self.along(store, formula, *number, index)),
                parts => found.push(with_one_index(store, formula, &cells, parts, index)),
            }
        }
        found
    }

    /// The formula with the index constant for a number: itself, or what it is a multiple of.
    fn along(
        &self,
        store: &mut TermStore,
        formula: TermId,
        number: TermId,
        index: TermId,
    ) -> Vec<TermId> {
        let mut found = Vec::new();
        if let Some(&stride) = self.strides.get(&number) {
            // Pointers begin with the object.
            let phases = if self.is_value(number) { stride.min(PHASES) } else { 1 };
            for phase in 0..phases {
                let (stride, phase) = (store.mk_int(stride), store.mk_int(phase));
                let multiple = store.mk_mul(&[stride, index]);
                let multiple = store.mk_add(&[multiple, phase]);
                found.push(store.substitute(formula, &HashMap::from_iter([(number, multiple)])));
            }
        }
        if found.is_empty() || self.is_value(number) {
            found.push(store.substitute(formula, &HashMap::from_iter([(number, index)])));
        }
        found
    }

    /// Whether this is an integer variable.
    fn is_value(&self, constant: TermId) -> bool {
        let slot = self.program.slots.of_constant(constant);
        slot.is_some_and(|slot| matches!(self.program.slots.slot(slot), Slot::Value(_)))
    }

    /// Where moving indices end: what they are compared with, and the places with that for the index.
    fn limits(&self, store: &mut TermStore, blocks: &[&Transition]) -> Limits {
        let mut ends: Vec<(TermId, TermId)> = Vec::new();
        let mut cells: Vec<TermId> = Vec::new();
        for block in blocks {
            cells.extend(places(store, &terms_of(block)).into_iter().map(|p| p.1));
            for atom in store.atoms(block.formula) {
                self.ends(store, atom, &block.locals, &mut ends);
            }
        }
        let mut limits = Limits::default();
        let zero = store.mk_int(0);
        for (number, end) in ends {
            // An index is a number that occurs in a place.
            for &place in &cells {
                if !store.occurs(number, place) {
                    continue;
                }
                add(&mut limits.indices, end);
                let map = HashMap::from_iter([(number, end)]);
                let place = without_wraps(store, place);
                let last = store.substitute(place, &map);
                // In an array of rows: where the row behind the last one begins.
                let is_inner =
                    |c: &TermId| store.sort(*c) == SortId::INT && self.moving.contains(c);
                let inner = store.constants(last).into_iter().filter(is_inner);
                let start: HashMap<TermId, TermId> = inner.map(|c| (c, zero)).collect();
                for last in [store.substitute(last, &start), last] {
                    if self.is_of_state(store, last) {
                        add(&mut limits.places, last);
                    }
                }
            }
        }
        limits
    }

    /// The ends of moving numbers by one comparison, each with its number.
    fn ends(
        &self,
        store: &mut TermStore,
        atom: TermId,
        locals: &[TermId],
        ends: &mut Vec<(TermId, TermId)>,
    ) {
        let Some((form, _)) = store.linear_constraint(atom, true) else { return };
        if store.op(atom) == Op::Eq {
            return;
        }
        for (leaf, coefficient) in form.terms.clone() {
            let local = locals.contains(&leaf);
            if !(self.moving.contains(&leaf) || local) || coefficient.abs() != Rational::ONE {
                continue;
            }
            let (_, mut end) = form.isolate(leaf);
            // `x <= -rest`, so that it ends behind that; or else it is at least `rest`.
            if coefficient == Rational::ONE {
                end = end.negated();
                end.constant += &Rational::ONE;
            }
            // That a number is one of its type ends nothing.
            let is_end = |c: &Rational| *c > Rational::ZERO && *c < Rational::from(1_i64 << 31);
            if end.as_constant().is_some_and(|c| !is_end(c)) {
                continue;
            }
            let end = store.mk_linear(&end, SortId::INT);
            let end = without_wraps(store, end);
            if self.is_of_state(store, end) && !ends.contains(&(leaf, end)) {
                ends.push((leaf, end));
            }
        }
    }

    /// The places that the blocks from a head read or write, as terms over its state.
    fn reached(&self, store: &mut TermStore, blocks: &[&Transition], head: LocId) -> Vec<TermId> {
        let mut found = Vec::new();
        for block in blocks.iter().filter(|b| b.from == head) {
            for (_, place) in places(store, &terms_of(block)) {
                let place = without_wraps(store, place);
                if self.is_of_state(store, place) {
                    add(&mut found, place);
                }
            }
        }
        found
    }

    /// Whether a term is about the state, and about all indices, alone: not about what a block chose, nor by a
    /// function that has no meaning elsewhere.
    fn is_of_state(&self, store: &TermStore, term: TermId) -> bool {
        store.subterms(&[term]).into_iter().all(|part| match store.op(part) {
            Op::Apply(_) => self.program.slots.of_constant(part).is_some() || is_index(store, part),
            _ => true,
        })
    }
}

/// The cells that terms write to, as they were before any of it, and what they get.
fn stores(store: &mut TermStore, terms: &[TermId]) -> Vec<(TermId, TermId)> {
    let mut found = Vec::new();
    for term in store.subterms(terms) {
        if store.op(term) == Op::Store && store.sort(store.arg(term, 2)) == SortId::INT {
            let (at, value) = (store.arg(term, 1), store.arg(term, 2));
            let mut row = store.arg(term, 0);
            while store.op(row) == Op::Store {
                row = store.arg(row, 0);
            }
            found.push((store.mk_select(row, at), value));
        }
    }
    found
}

/// A condition without what only says that values are those of their types.
fn without_ranges(store: &mut TermStore, condition: TermId) -> TermId {
    let mut conditions = store.conjuncts(condition);
    conditions.retain(|&c| !is_range_of_type(store, c));
    store.mk_and(&conditions)
}

/// What a block chose, by the cell that it was written to, moved or negated.
fn chosen(
    store: &mut TermStore,
    written: &[(TermId, TermId)],
    locals: &[TermId],
) -> HashMap<TermId, TermId> {
    let mut found = HashMap::default();
    for &(cell, value) in written {
        let form = store.linear_form(value);
        if let [(leaf, factor)] = form.terms.as_slice()
            && locals.contains(leaf)
            && factor.abs() == Rational::ONE
        {
            let mut own = store.linear_form(cell);
            own.constant -= &form.constant;
            own.scale(factor);
            let own = store.mk_linear(&own, SortId::INT);
            found.entry(*leaf).or_insert(own);
        }
    }
    found
}

/// Whether an atom only says that a value is one of its type.
fn is_range_of_type(store: &TermStore, atom: TermId) -> bool {
    let Some((form, _)) = store.linear_constraint(atom, true) else { return false };
    let constant = form.constant.abs().numerator().to_i128();
    let near = constant.is_some_and(|c| [c - 1, c, c + 1].iter().any(|c| c.count_ones() == 1));
    form.terms.len() == 1 && near && form.constant.abs() >= Rational::from(127)
}

/// The formula with one index, times what divides all of them, for a sum of several moving numbers.
fn with_one_index(
    store: &mut TermStore,
    formula: TermId,
    cells: &[instances::Place],
    parts: &[(TermId, Rational)],
    index: TermId,
) -> TermId {
    let mut divisor = Integer::from(0);
    for (_, coefficient) in parts {
        divisor = divisor.gcd(&coefficient.numerator());
    }
    let divisor = Rational::from(divisor);
    let mut map: HashMap<TermId, TermId> = HashMap::default();
    for &(_, place) in cells {
        let mut form = store.linear_form(place);
        if parts.iter().any(|(leaf, c)| form.coefficient(*leaf) != *c) {
            continue;
        }
        for (leaf, coefficient) in parts {
            form.add_term(*leaf, &-coefficient);
        }
        form.add_term(index, &divisor);
        let one = store.mk_linear(&form, SortId::INT);
        map.insert(place, one);
    }
    store.substitute(formula, &map)
}
