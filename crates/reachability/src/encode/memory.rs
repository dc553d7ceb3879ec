//! Memory as terms: regions of cells, sizes and lives of objects.
//!
//! A region whose accesses all have one type is an array from objects to
//! arrays from offsets to cells; each access reads or writes one cell. Accesses
//! to a region of mixed types read any value and write nothing that later reads would see:
//! an over-approximation. Bit-fields are cells of their own at a
//! position in bits beyond all byte offsets.
//!
//! Reading outside an object or after its life is undefined; the formulas then
//! say something arbitrary. The properties of memory safety check for it
//! beforehand, by [`valid`].

use super::evaluator::{
    Evaluator, Rewritten, Symbolic, Written, interval_of, object_number, type_interval,
};
use super::slots::{Environment, Slot, Slots};
use bolide_base::Integer;
use bolide_cfa::{Access, AllocKind, IntType, ObjectId, RegionId, Type, Variable, VariableKind};
use bolide_terms::{SortId, TermId, TermStore};

/// A dead object.
pub const DEAD: i64 = 0;
/// A live object that is not on the heap.
pub const LIVE: i64 = 1;
/// A live heap object.
pub const ON_HEAP: i64 = 2;

/// At most this many cells are copied or filled one by one.
const CELLS: u64 = 64;

/// The cells of a region, when they are tracked: values, or objects and offsets.
fn cells(
    ev: &Evaluator<'_>,
    env: &Environment,
    region: RegionId,
) -> Option<(TermId, Option<TermId>)> {
    let values = env.get(ev.slots.find(Slot::Cells(region))?);
    let offsets = ev.slots.find(Slot::CellOffsets(region)).map(|slot| env.get(slot));
    Some((values, offsets))
}

/// Where in its object an access lies. Bit-fields have positions of their own,
/// apart from those of whole bytes.
fn position(ev: &mut Evaluator<'_>, access: &Access, offset: TermId) -> TermId {
    match access.bits {
        None => offset,
        Some(bits) => {
            let eight = ev.store.mk_int(8);
            let scaled = ev.store.mk_mul(&[eight, offset]);
            let bit = ev.store.mk_int(i64::from(bits.offset) + (1 << 40));
            ev.store.mk_add(&[scaled, bit])
        }
    }
}

fn read(ev: &mut Evaluator<'_>, array: TermId, object: TermId, position: TermId) -> TermId {
    let row = ev.store.mk_select(array, object);
    ev.store.mk_select(row, position)
}

fn write(
    ev: &mut Evaluator<'_>,
    array: TermId,
    object: TermId,
    position: TermId,
    value: TermId,
) -> TermId {
    let row = ev.store.mk_select(array, object);
    let row = ev.store.mk_store(row, position, value);
    ev.store.mk_store(array, object, row)
}

/// Whether an access fits the cells of its region.
fn fits(ev: &Evaluator<'_>, access: &Access) -> bool {
    ev.program.regions[access.region].cell == Some(access.ty)
}

/// The value that an access reads.
pub fn load(
    ev: &mut Evaluator<'_>,
    env: &Environment,
    access: &Access,
    object: TermId,
    offset: TermId,
) -> Symbolic {
    if access.volatile || !fits(ev, access) {
        return any_of_access(ev, access);
    }
    let Some((values, offsets)) = cells(ev, env, access.region) else {
        return any_of_access(ev, access);
    };
    let position = position(ev, access, offset);
    if access.bits.is_none() {
        say_rewritten(ev, access.region, position);
    }
    let value = read(ev, values, object, position);
    match access.ty {
        Type::Pointer => {
            let offsets = offsets.expect("a region of pointers has offsets");
            Symbolic::Pointer(value, read(ev, offsets, object, position))
        }
        Type::BOOL => {
            let zero = ev.store.mk_int(0);
            Symbolic::Bool(ev.store.mk_neq(value, zero))
        }
        Type::Float(kind) => ev.float(value, kind),
        Type::Int(int) => {
            // Stores wrap, so every cell holds a value of its type.
            ev.assume_in_type(value, int);
            Symbolic::Int(value, type_interval(int))
        }
    }
}

fn any_of_access(ev: &mut Evaluator<'_>, access: &Access) -> Symbolic {
    match (access.ty, access.bits) {
        (Type::Int(int), Some(bits)) if bits.width < int.bits => {
            let narrow = IntType { bits: bits.width, signed: int.signed };
            let value = ev.fresh(SortId::INT);
            ev.assume_in_type(value, narrow);
            Symbolic::Int(value, (Some(narrow.min()), Some(narrow.max())))
        }
        _ => ev.any(access.ty),
    }
}

/// Writes a value; returns nothing where the region is not tracked.
pub fn store(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    access: &Access,
    pointer: Symbolic,
    value: Symbolic,
) {
    if !fits(ev, access) {
        return;
    }
    let Some((values, offsets)) = cells(ev, env, access.region) else { return };
    let (object, offset) = pointer.pointer(ev.store);
    let position = position(ev, access, offset);
    let value = match access.ty {
        Type::Pointer => {
            let (target, target_offset) = value.pointer(ev.store);
            let offsets = offsets.expect("a region of pointers has offsets");
            let updated = write(ev, offsets, object, position, target_offset);
            let slot = ev.slots.find(Slot::CellOffsets(access.region)).expect("found above");
            env.set(slot, updated);
            target
        }
        Type::Int(int) if int != IntType::BOOL => {
            let interval = interval_of(value);
            let term = value.int(ev.store);
            let ty = match access.bits {
                Some(bits) if bits.width < int.bits => {
                    IntType { bits: bits.width, signed: int.signed }
                }
                _ => int,
            };
            ev.wrap(term, interval, ty).int(ev.store)
        }
        _ => value.int(ev.store),
    };
    let updated = write(ev, values, object, position, value);
    let slot = ev.slots.find(Slot::Cells(access.region)).expect("found above");
    env.set(slot, updated);
}

/// Forgets all cells of a region.
pub fn havoc_region(ev: &mut Evaluator<'_>, env: &mut Environment, region: RegionId) {
    for slot in [Slot::Cells(region), Slot::CellOffsets(region)] {
        if let Some(slot) = ev.slots.find(slot) {
            let sort = ev.store.sort(env.get(slot));
            let fresh = ev.fresh(sort);
            env.set(slot, fresh);
        }
    }
}

/// Makes an object and returns its pointer.
pub fn allocate(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    size: TermId,
    kind: AllocKind,
    zeroed: bool,
    frame: Option<TermId>,
    region: RegionId,
) -> Symbolic {
    let next = ev.slots.find(Slot::NextObject).expect("always there");
    let object = env.get(next);
    let one = ev.store.mk_int(1);
    let after = ev.store.mk_add(&[object, one]);
    env.set(next, after);
    // Numbers of objects made by the run lie above those of static objects.
    let first = ev.store.mk_int(super::evaluator::first_free_object(ev.program));
    let fact = ev.store.mk_ge(object, first);
    ev.facts.push(fact);

    if kind == AllocKind::Heap {
        // As C's `malloc`: nothing is larger than a difference of pointers can be.
        let most = ev.program.target.offset_type().max();
        let most = ev.store.mk_int(Integer::from(most));
        let fact = ev.store.mk_le(size, most);
        ev.facts.push(fact);
    }
    set_table(ev, env, Slot::Sizes, object, size);
    let life = match frame {
        // As long as its frame, which has a positive number.
        Some(frame) => ev.store.mk_neg(frame),
        None => ev.store.mk_int(if kind == AllocKind::Heap { ON_HEAP } else { LIVE }),
    };
    set_table(ev, env, Slot::Lives, object, life);
    if kind == AllocKind::Heap {
        count_heap(ev, env, 1);
    }
    if zeroed {
        // The object may have cells in any region when it has several fields.
        let regions: Vec<RegionId> =
            if region == RegionId::ALL { ev.program.regions.ids().collect() } else { vec![region] };
        for region in regions {
            zero_object(ev, env, region, object);
        }
    }
    Symbolic::Pointer(object, ev.store.mk_int(0))
}

fn zero_object(ev: &mut Evaluator<'_>, env: &mut Environment, region: RegionId, object: TermId) {
    for slot in [Slot::Cells(region), Slot::CellOffsets(region)] {
        if let Some(slot) = ev.slots.find(slot) {
            let row = zero_row(ev);
            let updated = ev.store.mk_store(env.get(slot), object, row);
            env.set(slot, updated);
        }
    }
}

/// The row of an object whose cells are all zero.
pub fn zero_row(ev: &mut Evaluator<'_>) -> TermId {
    let value = ev.store.mk_int(0);
    let sort = ev.store.mk_array_sort(SortId::INT, SortId::INT);
    ev.store.mk_const_array(sort, value)
}

fn set_table(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    table: Slot,
    object: TermId,
    value: TermId,
) {
    let slot = ev.slots.find(table).expect("always there");
    let updated = ev.store.mk_store(env.get(slot), object, value);
    env.set(slot, updated);
}

fn count_heap(ev: &mut Evaluator<'_>, env: &mut Environment, by: i64) {
    let slot = ev.slots.find(Slot::HeapObjects).expect("always there");
    let by = ev.store.mk_int(by);
    let count = ev.store.mk_add(&[env.get(slot), by]);
    env.set(slot, count);
}

/// Ends the life of an object; freeing null does nothing.
pub fn end_life(ev: &mut Evaluator<'_>, env: &mut Environment, object: TermId, heap: bool) {
    let zero = ev.store.mk_int(0);
    let is_null = ev.store.mk_eq(object, zero);
    let slot = ev.slots.find(Slot::Lives).expect("always there");
    let dead = ev.store.mk_int(DEAD);
    let before = env.get(slot);
    let freed = ev.store.mk_store(before, object, dead);
    // Object 0 never lives, so writing its life is harmless.
    env.set(slot, freed);
    if heap {
        let slot = ev.slots.find(Slot::HeapObjects).expect("always there");
        let one = ev.store.mk_int(1);
        let fewer = ev.store.mk_sub(env.get(slot), one);
        let count = ev.store.mk_ite(is_null, env.get(slot), fewer);
        env.set(slot, count);
    }
}

/// The static object that a term certainly is.
pub fn static_object<'p>(
    ev: &Evaluator<'p>,
    object: TermId,
) -> Option<&'p bolide_cfa::StaticObject> {
    let number = ev.store.number(object)?.to_i64()?;
    ev.program.objects.iter().find(|(id, _)| object_number(*id) == number).map(|(_, o)| o)
}

/// Whether an object is one of those that must not be written. Neighbours are said together.
pub fn read_only(ev: &mut Evaluator<'_>, object: TermId) -> TermId {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for (id, _) in ev.program.objects.iter().filter(|(_, o)| o.constant) {
        let number = object_number(id);
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let mut parts = Vec::new();
    for (first, last) in runs {
        let (first, last) = (ev.store.mk_int(first), ev.store.mk_int(last));
        let inside = [ev.store.mk_le(first, object), ev.store.mk_le(object, last)];
        parts.push(ev.store.mk_and(&inside));
    }
    ev.store.mk_or(&parts)
}

/// Whether the term is a number that no object of the run can have.
fn never_allocated(ev: &Evaluator<'_>, object: TermId) -> bool {
    ev.store.number(object).is_some_and(|n| !n.is_positive())
}

/// The size of an object in bytes; 0 for none.
pub fn size_of_object(ev: &mut Evaluator<'_>, env: &Environment, object: TermId) -> TermId {
    if never_allocated(ev, object) {
        return ev.store.mk_int(0);
    }
    if let Some(known) = static_object(ev, object) {
        return ev.store.mk_int(known.size);
    }
    let slot = ev.slots.find(Slot::Sizes).expect("always there");
    ev.store.mk_select(env.get(slot), object)
}

/// Whether `size` bytes from the offset on lie within a live object.
pub fn valid(
    ev: &mut Evaluator<'_>,
    env: &Environment,
    object: TermId,
    offset: TermId,
    size: TermId,
) -> TermId {
    if never_allocated(ev, object) {
        return ev.store.mk_false();
    }
    let total = size_of_object(ev, env, object);
    let zero = ev.store.mk_int(0);
    let end = ev.store.mk_add(&[offset, size]);
    let begins = ev.store.mk_le(zero, offset);
    let ends = ev.store.mk_le(end, total);
    let lives = if static_object(ev, object).is_some() {
        ev.store.mk_true()
    } else {
        let slot = ev.slots.find(Slot::Lives).expect("always there");
        alive(ev.store, ev.slots, env.get(slot), object)
    };
    ev.store.mk_and(&[lives, begins, ends])
}

/// Whether an object lives, by the table of lives.
fn alive(store: &mut TermStore, slots: &Slots, lives: TermId, object: TermId) -> TermId {
    let (zero, dead) = (store.mk_int(0), store.mk_int(DEAD));
    let mut life = store.mk_select(lives, object);
    if slots.frames {
        let delegates = store.mk_lt(life, zero);
        let frame = store.mk_neg(life);
        let frame_life = store.mk_select(lives, frame);
        life = store.mk_ite(delegates, frame_life, life);
    }
    let alive = store.mk_neq(life, dead);
    // Null, functions and small integers are no objects.
    let positive = store.mk_gt(object, zero);
    store.mk_and(&[alive, positive])
}

/// Over state constants: that an object lives, on the heap if that is wanted.
pub fn lives(slots: &Slots, store: &mut TermStore, object: TermId, heap: bool) -> TermId {
    let lives = state_constant(slots, Slot::Lives);
    if !heap {
        return alive(store, slots, lives, object);
    }
    let life = store.mk_select(lives, object);
    let on_heap = store.mk_int(ON_HEAP);
    store.mk_eq(life, on_heap)
}

/// Over state constants: that an object is none of those that are made later, nor lives as long as one.
pub fn made(slots: &Slots, store: &mut TermStore, object: TermId) -> TermId {
    let next = state_constant(slots, Slot::NextObject);
    let before = store.mk_lt(object, next);
    if !slots.frames {
        return before;
    }
    let life = store.mk_select(state_constant(slots, Slot::Lives), object);
    let frame = store.mk_neg(life);
    let frame_before = store.mk_lt(frame, next);
    store.mk_and(&[before, frame_before])
}

/// Over state constants: that a static object has its size, and that it lives if lives are known at all.
pub fn stands(
    slots: &Slots,
    store: &mut TermStore,
    (object, size): (ObjectId, u64),
    lives: bool,
) -> TermId {
    let number = store.mk_int(object_number(object));
    let entry = |store: &mut TermStore, table, value| {
        let entry = store.mk_select(state_constant(slots, table), number);
        store.mk_eq(entry, value)
    };
    let size = store.mk_int(size);
    let mut known = vec![entry(store, Slot::Sizes, size)];
    if lives {
        let live = store.mk_int(LIVE);
        known.push(entry(store, Slot::Lives, live));
    }
    store.mk_and(&known)
}

fn state_constant(slots: &Slots, slot: Slot) -> TermId {
    slots.constant(slots.find(slot).expect("always there"))
}

/// Whether the pointer may be handed to `free`.
pub fn freeable(
    ev: &mut Evaluator<'_>,
    env: &Environment,
    object: TermId,
    offset: TermId,
) -> TermId {
    let zero = ev.store.mk_int(0);
    let no_object = ev.store.mk_eq(object, zero);
    let at_start = ev.store.mk_eq(offset, zero);
    let slot = ev.slots.find(Slot::Lives).expect("always there");
    let life = ev.store.mk_select(env.get(slot), object);
    let heap = ev.store.mk_int(ON_HEAP);
    let on_heap = ev.store.mk_eq(life, heap);
    let object_ok = ev.store.mk_or(&[no_object, on_heap]);
    ev.store.mk_and(&[object_ok, at_start])
}

/// Whether some heap object lives.
pub fn heap_in_use(ev: &mut Evaluator<'_>, env: &Environment) -> TermId {
    let slot = ev.slots.find(Slot::HeapObjects).expect("always there");
    let zero = ev.store.mk_int(0);
    ev.store.mk_gt(env.get(slot), zero)
}

/// At most so many variables are counted of those that point to heap objects.
const ROOTS: usize = 8;

/// Whether more heap objects live than variables point to: else none is lost.
///
/// Required: variables that an execution holds where the question is asked, with the values that they have then.
/// Those are the global ones and, where nothing is called, those of the only function; temporaries count for an
/// execution only as long as they are read.
pub fn more_than_pointed_to(ev: &mut Evaluator<'_>, env: &Environment) -> TermId {
    let program = ev.program;
    let mut bodies = program.functions.iter().filter(|(_, f)| f.body.is_some());
    let only = match (bodies.next(), bodies.next()) {
        (Some((function, _)), None) => Some(function),
        _ => None,
    };
    let held = |v: &Variable| {
        let temporary = matches!(v.kind, VariableKind::Temporary | VariableKind::Result);
        v.ty == Type::Pointer && !temporary && (v.function.is_none() || v.function == only)
    };
    let roots = program.variables.iter().filter(|(_, v)| held(v));
    let slots = roots.filter_map(|(var, _)| ev.slots.find(Slot::Object(var)));
    let objects: Vec<TermId> = slots.map(|slot| env.get(slot)).take(ROOTS).collect();
    let (zero, one) = (ev.store.mk_int(0), ev.store.mk_int(1));
    let lives = env.get(ev.slots.find(Slot::Lives).expect("always there"));
    let mut counted = vec![zero];
    for (i, &object) in objects.iter().enumerate() {
        let life = ev.store.mk_select(lives, object);
        let heap = ev.store.mk_int(ON_HEAP);
        let mut conditions = vec![ev.store.mk_eq(life, heap)];
        for &other in &objects[..i] {
            conditions.push(ev.store.mk_neq(object, other));
        }
        let counts = ev.store.mk_and(&conditions);
        counted.push(ev.store.mk_ite(counts, one, zero));
    }
    let counted = ev.store.mk_add(&counted);
    let heap = ev.slots.find(Slot::HeapObjects).expect("always there");
    ev.store.mk_gt(env.get(heap), counted)
}

/// A range of bytes that is written.
struct Range {
    object: TermId,
    offset: TermId,
    size: TermId,
    /// The greatest number of bytes, if known.
    most: Option<u64>,
    region: RegionId,
}

impl Range {
    fn new(ev: &mut Evaluator<'_>, to: Symbolic, size: Symbolic, region: RegionId) -> Range {
        let (object, offset) = to.pointer(ev.store);
        let most = interval_of(size).1.and_then(|most| u64::try_from(most).ok());
        Range { object, offset, size: size.int(ev.store), most, region }
    }

    /// Whether the range is all of its object.
    fn covers(&self, ev: &mut Evaluator<'_>, env: &Environment) -> TermId {
        let total = size_of_object(ev, env, self.object);
        let zero = ev.store.mk_int(0);
        let (starts, ends) = (ev.store.mk_eq(self.offset, zero), ev.store.mk_le(total, self.size));
        ev.store.mk_and(&[starts, ends])
    }

    /// How many cells may be in the range, and whether it begins and ends with cells: then cells at
    /// multiples of their size are all that it touches. None where these are not followed one by one.
    fn cells(&self, ev: &mut Evaluator<'_>) -> Option<(u64, u64, TermId)> {
        let region = &ev.program.regions[self.region];
        let step = region.cell?.size(ev.program.target);
        let count = self.most?.div_ceil(step);
        if !region.aligned || count > CELLS {
            return None;
        }
        let (zero, by) = (ev.store.mk_int(0), ev.store.mk_int(step));
        let mut whole = Vec::new();
        for bound in [self.offset, self.size] {
            let rest = ev.store.mk_mod(bound, by);
            whole.push(ev.store.mk_eq(rest, zero));
        }
        Some((step, count, ev.store.mk_and(&whole)))
    }

    /// Whether an offset is one of a cell.
    fn meets(&self, ev: &mut Evaluator<'_>, offset: TermId) -> TermId {
        let region = &ev.program.regions[self.region];
        let Some(cell) = region.cell.filter(|_| region.aligned) else {
            return ev.store.mk_false();
        };
        let (zero, by) = (ev.store.mk_int(0), ev.store.mk_int(cell.size(ev.program.target)));
        let rest = ev.store.mk_mod(offset, by);
        ev.store.mk_eq(rest, zero)
    }

    /// A row of which nothing is known. Where its cells are not listed, its law is said where it is read.
    fn rewritten(
        &self,
        ev: &mut Evaluator<'_>,
        old: TermId,
        with: Written,
        (fits, listed): (TermId, bool),
    ) -> TermId {
        let sort = ev.store.sort(old);
        let row = ev.fresh(sort);
        if !listed {
            let end = ev.store.mk_add(&[self.offset, self.size]);
            let (rows, bytes) = ([row, old], [self.offset, end]);
            ev.rewritten.push(Rewritten { rows, region: self.region, bytes, with, fits });
        }
        row
    }

    /// The row after the cells of the range got new values.
    fn written(
        &self,
        ev: &mut Evaluator<'_>,
        mut row: TermId,
        step: u64,
        values: &[TermId],
    ) -> TermId {
        for (i, &value) in values.iter().enumerate() {
            let shift = ev.store.mk_int(i as u64 * step);
            let position = ev.store.mk_add(&[self.offset, shift]);
            let inside = ev.store.mk_lt(shift, self.size);
            let old = ev.store.mk_select(row, position);
            let value = ev.store.mk_ite(inside, value, old);
            row = ev.store.mk_store(row, position, value);
        }
        row
    }
}

/// Heuristic: at so many places is said what a copy or a fill did, for one read.
const PLACES: usize = 32;

/// Says what is in a cell of all rows that were written in long ranges, and in the cells that it may come from.
///
/// Required: each row is a constant that nothing else speaks of, and what is said is true of the row that the operation makes, whatever
/// the place. Not so the places of bit-fields: they do not count bytes.
fn say_rewritten(ev: &mut Evaluator<'_>, region: RegionId, place: TermId) {
    let mut asked = vec![(ev.rewritten.len(), region, place)];
    let mut next = 0;
    while let Some(&(before, region, place)) = asked.get(next) {
        next += 1;
        for at in (0..before).rev() {
            let row = ev.rewritten[at];
            if row.region != region {
                continue;
            }
            say_cell(ev, &row, place);
            if let Written::Row(_, from, further) = row.with
                && asked.len() < PLACES
            {
                asked.push((at, from, ev.store.mk_add(&[place, further])));
            }
        }
    }
}

/// The law of a row that was written, at one place.
fn say_cell(ev: &mut Evaluator<'_>, row: &Rewritten, place: TermId) {
    let Some(cell) = ev.program.regions[row.region].cell else { return };
    let step = ev.store.mk_int(cell.size(ev.program.target));
    let end = ev.store.mk_add(&[place, step]);
    let ([after, before], [first, last]) = (row.rows, row.bytes);
    let value = ev.store.mk_select(after, place);
    let outside = [ev.store.mk_le(end, first), ev.store.mk_le(last, place)];
    let outside = ev.store.mk_or(&outside);
    let old = ev.store.mk_select(before, place);
    let same = ev.store.mk_eq(value, old);
    let fact = ev.store.mk_implies(outside, same);
    ev.facts.push(fact);
    let new = match row.with {
        Written::Value(value) => value,
        Written::Row(from, _, further) => {
            let place = ev.store.mk_add(&[place, further]);
            ev.store.mk_select(from, place)
        }
        Written::Anything => return,
    };
    let inside = [row.fits, ev.store.mk_le(first, place), ev.store.mk_le(end, last)];
    let inside = ev.store.mk_and(&inside);
    let same = ev.store.mk_eq(value, new);
    let fact = ev.store.mk_implies(inside, same);
    ev.facts.push(fact);
}

/// One of the arrays that make up the cells of a region.
const PARTS: [fn(RegionId) -> Slot; 2] = [Slot::Cells, Slot::CellOffsets];

/// Copies bytes between objects with the same cells: cell by cell where these are few, or all cells of an
/// object at once; of others is said what becomes of the cells that the same block reads.
pub fn copy(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    to: Symbolic,
    from: Symbolic,
    size: Symbolic,
    (to_region, from_region): (RegionId, RegionId),
) {
    let range = Range::new(ev, to, size, to_region);
    let cell = |region: RegionId| ev.program.regions[region].cell;
    let same = cell(to_region).is_some() && cell(to_region) == cell(from_region);
    let (from_object, from_offset) = from.pointer(ev.store);
    let cells = if same { range.cells(ev) } else { None };
    let covered = range.covers(ev, env);
    let zero = ev.store.mk_int(0);
    let further = ev.store.mk_sub(from_offset, range.offset);
    let meet = [range.meets(ev, range.offset), range.meets(ev, from_offset)];
    let meet = ev.store.mk_and(&meet);
    for part in PARTS {
        let Some(target) = ev.slots.find(part(to_region)) else { continue };
        let old = ev.store.mk_select(env.get(target), range.object);
        let source = ev.slots.find(part(from_region)).filter(|_| same);
        let from_row = source.map(|source| ev.store.mk_select(env.get(source), from_object));
        let with =
            from_row.map_or(Written::Anything, |row| Written::Row(row, from_region, further));
        let mut row = range.rewritten(ev, old, with, (meet, cells.is_some()));
        if let Some(from_row) = from_row {
            let starts = ev.store.mk_eq(from_offset, zero);
            let all = ev.store.mk_and(&[covered, starts]);
            row = ev.store.mk_ite(all, from_row, row);
            if let Some((step, count, whole)) = cells {
                // All reads come before all writes: the areas may overlap.
                let mut values = Vec::new();
                for i in 0..count {
                    let shift = ev.store.mk_int(i * step);
                    let position = ev.store.mk_add(&[from_offset, shift]);
                    values.push(ev.store.mk_select(from_row, position));
                }
                let written = range.written(ev, old, step, &values);
                let fits = ev.store.mk_and(&[whole, meet]);
                row = ev.store.mk_ite(fits, written, row);
            }
        }
        let updated = ev.store.mk_store(env.get(target), range.object, row);
        env.set(target, updated);
    }
}

/// Sets bytes, likewise.
pub fn fill(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    to: Symbolic,
    byte: Symbolic,
    size: Symbolic,
    region: RegionId,
) {
    let range = Range::new(ev, to, size, region);
    let value = ev.program.regions[region].cell.and_then(|ty| repeated(ev, ty, byte));
    let cells = range.cells(ev);
    let covered = range.covers(ev, env);
    let meets = range.meets(ev, range.offset);
    for part in PARTS {
        let Some(slot) = ev.slots.find(part(region)) else { continue };
        let old = ev.store.mk_select(env.get(slot), range.object);
        let with = value.map_or(Written::Anything, Written::Value);
        let mut row = range.rewritten(ev, old, with, (meets, cells.is_some()));
        if let Some(value) = value {
            let sort = ev.store.sort(old);
            let even = ev.store.mk_const_array(sort, value);
            row = ev.store.mk_ite(covered, even, row);
            if let Some((step, count, whole)) = cells {
                let written = range.written(ev, old, step, &vec![value; count as usize]);
                row = ev.store.mk_ite(whole, written, row);
            }
        }
        let updated = ev.store.mk_store(env.get(slot), range.object, row);
        env.set(slot, updated);
    }
}

/// The value of a cell all of whose bytes are the same; none where formulas cannot say it.
fn repeated(ev: &mut Evaluator<'_>, ty: Type, byte: Symbolic) -> Option<TermId> {
    let term = byte.int(ev.store);
    let term = ev.wrap(term, interval_of(byte), IntType::unsigned(8)).int(ev.store);
    match ty {
        Type::Int(int) if int != IntType::BOOL && int.bits <= 64 => {
            let ones: i128 = (0..int.bits / 8).map(|i| 1 << (8 * i)).sum();
            let factor = ev.store.mk_int(Integer::from(ones));
            let value = ev.store.mk_mul(&[term, factor]);
            Some(ev.wrap(value, (Some(0), Some(255 * ones)), int).int(ev.store))
        }
        _ => (term == ev.store.mk_int(0)).then_some(term),
    }
}
