//! Pointers as integers, and back.
//!
//! The address of an object is an unknown number, the integer of a pointer that number plus the offset. An
//! integer that was computed from an address is that of a pointer into the same object as
//! long as it stays within its bounds, whatever was added and taken away in between: tags in the low bits,
//! masks, steps. Where the computation cannot be seen, as after it went through memory, and the machine's operations are
//! asked for, the few locals in memory are asked whether it lies in them. Else the pointer may point anywhere.

use super::evaluator::{Evaluator, Interval, Symbolic, UNBOUNDED, is_null};
use super::memory;
use super::slots::{Environment, Slot};
use bolide_base::{Integer, Rational};
use bolide_cfa::{IntType, VariableKind};
use bolide_terms::{Op, SortId, TermId};

const ADDRESS: &str = "address";
const OBJECT_AT: &str = "object-at";
const OFFSET_AT: &str = "offset-at";
pub(super) const DIFFERENCE: &str = "address-difference";

/// The functions from integers to integers that formulas about addresses use, with how many arguments they have.
pub const FUNCTIONS: [(&str, usize); 4] =
    [(ADDRESS, 1), (OBJECT_AT, 1), (OFFSET_AT, 1), (DIFFERENCE, 2)];

/// Heuristic: choices between integers that are looked through for addresses.
const DEPTH: usize = 4;
/// Heuristic: so many objects are asked whether an integer is an address in them.
const OBJECTS: usize = 8;

/// The address in a pointer, as an integer type.
pub fn address(ev: &mut Evaluator<'_>, pointer: Symbolic, int: IntType) -> Symbolic {
    let (object, offset) = pointer.pointer(ev.store);
    let zero = ev.store.mk_int(0);
    let no_object = ev.store.mk_eq(object, zero);
    let base = ev.apply(ADDRESS, &[object], SortId::INT);
    let address = ev.store.mk_add(&[base, offset]);
    let value = ev.store.mk_ite(no_object, offset, address);
    // An object never lies at address zero.
    let positive = ev.store.mk_gt(address, zero);
    let fact = ev.store.mk_or(&[no_object, positive]);
    ev.facts.push(fact);
    let mut interval = UNBOUNDED;
    for choice in choices(ev, object) {
        if let Some(known) = memory::static_object(ev, choice) {
            let (base, size) =
                (ev.apply(ADDRESS, &[choice], SortId::INT), ev.store.mk_int(known.size));
            let inside = place(ev, base, known.align, size);
            if choice == object && within(ev, offset, known.size) {
                interval = inside;
            }
        }
    }
    ev.wrap(value, interval, int)
}

/// The objects between which a term chooses; it itself where it is no choice.
fn choices(ev: &Evaluator<'_>, object: TermId) -> Vec<TermId> {
    let mut found = vec![object];
    for _ in 0..DEPTH {
        let inner = found.iter().flat_map(|&term| match ev.store.op(term) {
            Op::Ite => vec![ev.store.arg(term, 1), ev.store.arg(term, 2)],
            _ => vec![term],
        });
        found = inner.collect();
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// States where an object lies that is allocated now.
pub fn allocated(ev: &mut Evaluator<'_>, object: TermId, align: u64, size: TermId) {
    let base = ev.apply(ADDRESS, &[object], SortId::INT);
    let zero = ev.store.mk_int(0);
    let positive = ev.store.mk_gt(base, zero);
    ev.facts.push(positive);
    place(ev, base, align, size);
}

fn within(ev: &Evaluator<'_>, offset: TermId, size: u64) -> bool {
    let number = ev.store.number(offset).and_then(|n| n.to_i64());
    number.is_some_and(|n| u64::try_from(n).is_ok_and(|n| n <= size))
}

/// Where an object of known size and alignment can lie: states it, and returns where its bytes can.
fn place(ev: &mut Evaluator<'_>, base: TermId, align: u64, size: TermId) -> Interval {
    // No object lies across the end of the address space.
    let top = (1i128 << ev.program.target.pointer_bits) - 1;
    let last = ev.store.mk_int(Integer::from(top));
    let end = ev.store.mk_add(&[base, size]);
    let fits = ev.store.mk_le(end, last);
    ev.facts.push(fits);
    if align > 1 {
        let (align, zero) = (ev.store.mk_int(align), ev.store.mk_int(0));
        let rest = ev.store.mk_mod(base, align);
        let even = ev.store.mk_eq(rest, zero);
        ev.facts.push(even);
    }
    (Some(1), Some(top))
}

/// The pointer with an address.
pub fn pointer_at(ev: &mut Evaluator<'_>, env: &Environment, value: TermId) -> Symbolic {
    if let Some(number) = ev.store.number(value) {
        if *number == Rational::ZERO {
            // A smaller block, which does not see the number, says the same of what holds it; where that is said of the
            // number itself, a larger block must be able to prove it.
            pointer_somewhere(ev, value);
        }
        return Symbolic::Pointer(ev.store.mk_int(0), value);
    }
    let somewhere = pointer_somewhere(ev, value);
    pointer_within(ev, env, value, somewhere, DEPTH)
}

/// The pointer whose address is `value` modulo the address space: into the object from whose address it was
/// computed where it lies in that, else `otherwise`.
fn pointer_within(
    ev: &mut Evaluator<'_>,
    env: &Environment,
    value: TermId,
    otherwise: Symbolic,
    depth: usize,
) -> Symbolic {
    let address = ev.store.declare_fn(ADDRESS, &[SortId::INT], SortId::INT);
    let summands = ev.store.linear_form(value).terms;
    for (leaf, factor) in summands {
        if factor != Rational::ONE {
            continue;
        }
        match ev.store.op(leaf) {
            Op::Apply(function) if function == address => {
                let (object, offset) = (ev.store.arg(leaf, 0), ev.store.mk_sub(value, leaf));
                // Required: one past the end may be the start of another object, and where an object
                // died another may lie.
                let one = ev.store.mk_int(1);
                let inside = memory::valid(ev, env, object, offset, one);
                return ev.choose(inside, Symbolic::Pointer(object, offset), otherwise);
            }
            Op::Mod if is_address_space(ev, ev.store.arg(leaf, 1)) => {
                let inner = ev.store.arg(leaf, 0);
                let value = replaced(ev, value, leaf, inner);
                return pointer_within(ev, env, value, otherwise, depth);
            }
            Op::Ite if depth > 0 => {
                let [condition, then, other] = [0, 1, 2].map(|i| ev.store.arg(leaf, i));
                let [then, other] = [then, other].map(|part| {
                    let value = replaced(ev, value, leaf, part);
                    pointer_within(ev, env, value, otherwise, depth - 1)
                });
                return ev.choose(condition, then, other);
            }
            _ => {}
        }
    }
    if !ev.slots.exact.has_addresses() {
        return otherwise;
    }
    let mut pointer = otherwise;
    let mut asked: Vec<(TermId, TermId)> = Vec::new();
    for object in objects_near(ev, env, value) {
        let base = ev.apply(ADDRESS, &[object], SortId::INT);
        let offset = ev.store.mk_sub(value, base);
        let one = ev.store.mk_int(1);
        let inside = memory::valid(ev, env, object, offset, one);
        pointer = ev.choose(inside, Symbolic::Pointer(object, offset), pointer);
        // No byte belongs to two objects that live.
        for &(other, also) in &asked {
            let (same, both) = (ev.store.mk_eq(object, other), ev.store.mk_and(&[inside, also]));
            let fact = ev.store.mk_implies(both, same);
            ev.facts.push(fact);
        }
        asked.push((object, inside));
    }
    pointer
}

/// Objects in which an integer may be an address: those whose addresses its term mentions, else locals
/// in memory. None where there are too many.
fn objects_near(ev: &mut Evaluator<'_>, env: &Environment, value: TermId) -> Vec<TermId> {
    let address = ev.store.declare_fn(ADDRESS, &[SortId::INT], SortId::INT);
    let mut objects: Vec<TermId> = Vec::new();
    for term in ev.store.subterms(&[value]) {
        if ev.store.op(term) == Op::Apply(address) {
            objects.push(ev.store.arg(term, 0));
        }
    }
    if objects.is_empty() {
        let locals = ev.program.variables.iter().filter(|(_, v)| v.kind == VariableKind::Address);
        let slots = locals.filter_map(|(id, _)| ev.slots.find(Slot::Object(id)));
        objects = slots.map(|slot| env.get(slot)).collect();
        objects.sort_unstable();
        objects.dedup();
    }
    objects.truncate(if objects.len() > OBJECTS { 0 } else { OBJECTS });
    objects
}

fn is_address_space(ev: &Evaluator<'_>, modulus: TermId) -> bool {
    let size = Integer::pow2(u32::from(ev.program.target.pointer_bits));
    ev.store.number(modulus).is_some_and(|n| n.numerator() == size)
}

/// A sum with another summand.
fn replaced(ev: &mut Evaluator<'_>, sum: TermId, old: TermId, new: TermId) -> TermId {
    let rest = ev.store.mk_sub(sum, old);
    ev.store.mk_add(&[rest, new])
}

/// A pointer of which only the address is known.
fn pointer_somewhere(ev: &mut Evaluator<'_>, value: TermId) -> Symbolic {
    let object = ev.apply(OBJECT_AT, &[value], SortId::INT);
    let offset = ev.apply(OFFSET_AT, &[value], SortId::INT);
    let zero = ev.store.mk_int(0);
    let is_zero = ev.store.mk_eq(value, zero);
    let null = is_null(ev.store, object, offset);
    let fact = ev.store.mk_iff(is_zero, null);
    ev.facts.push(fact);
    Symbolic::Pointer(object, offset)
}
