//! Programs as formulas: expressions, operations and initial states over a
//! symbolic state.
//!
//! [`slots`] says which constants stand for the state, [`expressions`] and
//! [`memory`] say what an expression is worth in it, and [`execute`] what an
//! operation makes of it. Nothing here knows about paths: see
//! [`block`](crate::block) and [`path_formula`](crate::path_formula).

mod addresses;
mod bits;
mod directed;
mod evaluator;
mod exactness;
mod expressions;
mod floats;
mod math;
mod memory;
mod ranks;
mod rounding;
pub mod slots;

pub use addresses::FUNCTIONS;
pub use bits::masked;
pub use evaluator::{
    Evaluator, Interval, Read, Rewritten, Symbolic, UNBOUNDED, first_free_object, object_number,
};
pub use exactness::{Exactness, Inexact};
pub use memory::{ON_HEAP, lives, made, stands};
pub use slots::{Environment, Slot, SlotId, Slots};

use bolide_cfa::{
    ExprId, ExternalEffect, InitialValue, MathFn, Op, OutputKind, Program, RegionId, Type, VarId,
};
use bolide_terms::{TermId, TermStore};

/// What executing an operation needs besides the new environment.
#[derive(Debug)]
pub struct Effect {
    /// Must hold for the operation to be executed; facts included.
    pub guard: TermId,
    /// The value that a nondeterministic operation chose.
    pub chosen: Option<Symbolic>,
}

/// Executes `op` in `env`. Calls of functions with bodies are not for here:
/// blocks end at them.
// Long: one arm for each kind of operation.
pub fn execute(ev: &mut Evaluator<'_>, env: &mut Environment, op: &Op) -> Effect {
    let mut chosen = None;
    let mut guard = ev.store.mk_true();
    match op {
        Op::Skip | Op::Halt { .. } => {}
        Op::Assume(condition) => {
            let value = ev.evaluate(env, *condition);
            guard = value.bool(ev.store);
        }
        Op::Assign { target, value } => {
            let value = ev.evaluate(env, *value);
            assign(ev, env, *target, value);
        }
        Op::Store { access, value } => {
            let pointer = ev.evaluate(env, access.pointer);
            let value = ev.evaluate(env, *value);
            memory::store(ev, env, access, pointer, value);
        }
        Op::Nondet { target, .. } => {
            let value = ev.any(ev.program.variables[*target].ty);
            assign(ev, env, *target, value);
            chosen = Some(value);
        }
        Op::Alloc { target, size, align, kind, zeroed, frame, region } => {
            let size = ev.evaluate(env, *size).int(ev.store);
            let frame = frame.map(|frame| ev.evaluate(env, frame).pointer(ev.store).0);
            let pointer = memory::allocate(ev, env, size, *kind, *zeroed, frame, *region);
            if ev.slots.exact.has_addresses() {
                let (object, _) = pointer.pointer(ev.store);
                addresses::allocated(ev, object, *align, size);
            }
            assign(ev, env, *target, pointer);
        }
        Op::Free { pointer, .. } => {
            let (object, _) = ev.evaluate(env, *pointer).pointer(ev.store);
            memory::end_life(ev, env, object, true);
        }
        Op::EndLifetime { pointer, .. } => {
            let (object, _) = ev.evaluate(env, *pointer).pointer(ev.store);
            memory::end_life(ev, env, object, false);
        }
        Op::Copy { to, from, size, to_region, from_region } => {
            let (to, from) = (ev.evaluate(env, *to), ev.evaluate(env, *from));
            let size = ev.evaluate(env, *size);
            memory::copy(ev, env, to, from, size, (*to_region, *from_region));
        }
        Op::Fill { to, byte, size, region } => {
            let (to, byte) = (ev.evaluate(env, *to), ev.evaluate(env, *byte));
            let size = ev.evaluate(env, *size);
            memory::fill(ev, env, to, byte, size, *region);
        }
        Op::External { result, effect, .. } => {
            // It may have kept a pointer that it, or another such function, was given earlier.
            match ev.program.external_region {
                _ if *effect != ExternalEffect::Havoc => {}
                Some(RegionId::ALL) => havoc_memory(ev, env),
                Some(region) => memory::havoc_region(ev, env, region),
                None => {}
            }
            chosen = havoc_result(ev, env, *result);
        }
        Op::CallIndirect { result, .. } | Op::Call { result, .. } => {
            havoc_memory(ev, env);
            for (var, variable) in ev.program.variables.iter() {
                if variable.function.is_none() {
                    havoc_result(ev, env, Some(var));
                }
            }
            havoc_result(ev, env, *result);
        }
        Op::Output { kind: OutputKind::Math(function), arguments, result: Some(result) } => {
            compute(ev, env, *function, arguments, *result);
        }
        Op::Output { result, .. } => {
            havoc_result(ev, env, *result);
        }
    }
    let mut facts = std::mem::take(&mut ev.facts);
    facts.push(guard);
    Effect { guard: ev.store.mk_and(&facts), chosen }
}

/// A function of `<math.h>`.
fn compute(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    function: MathFn,
    arguments: &[ExprId],
    result: VarId,
) {
    let values: Vec<Symbolic> = arguments.iter().map(|&a| ev.evaluate(env, a)).collect();
    let type_of = |a: Option<&ExprId>| a.map_or(Type::BOOL, |&a| ev.program.exprs.type_of(a));
    let (first, last) = (type_of(arguments.first()), type_of(arguments.last()));
    let value = match function {
        MathFn::Directed(op) => directed::directed(ev, op, &values, last),
        _ => math::math(ev, function, &values, first),
    };
    match value {
        Some(value) => assign(ev, env, result, value),
        None => drop(havoc_result(ev, env, Some(result))),
    }
}

fn havoc_memory(ev: &mut Evaluator<'_>, env: &mut Environment) {
    for region in ev.program.regions.ids() {
        memory::havoc_region(ev, env, region);
    }
}

fn havoc_result(
    ev: &mut Evaluator<'_>,
    env: &mut Environment,
    result: Option<VarId>,
) -> Option<Symbolic> {
    let target = result?;
    let value = ev.any(ev.program.variables[target].ty);
    assign(ev, env, target, value);
    Some(value)
}

/// Gives a variable a symbolic value.
pub fn assign(ev: &mut Evaluator<'_>, env: &mut Environment, target: VarId, value: Symbolic) {
    let set = |ev: &Evaluator<'_>, env: &mut Environment, slot, term| {
        if let Some(slot) = ev.slots.find(slot) {
            env.set(slot, term);
        }
    };
    match ev.program.variables[target].ty {
        Type::Pointer => {
            let (object, offset) = value.pointer(ev.store);
            set(ev, env, Slot::Object(target), object);
            set(ev, env, Slot::Offset(target), offset);
        }
        Type::BOOL => {
            let term = value.bool(ev.store);
            set(ev, env, Slot::Value(target), term);
        }
        _ => {
            let term = value.int(ev.store);
            set(ev, env, Slot::Value(target), term);
        }
    }
}

/// Of static objects with more initial values than this, only the last cell is known at the start: where a string
/// ends.
const INITIAL_VALUES: usize = 256;

/// The formula over state constants that describes the start of the run. It
/// leaves open what is not known; `relevant` says which slots matter.
pub fn initial_state(
    program: &Program,
    slots: &Slots,
    store: &mut TermStore,
    relevant: &dyn Fn(SlotId) -> bool,
) -> TermId {
    let env = Environment::initial(slots);
    let no_intervals = |_| UNBOUNDED;
    let mut ev = Evaluator::new(program, slots, store, &no_intervals, "init!");
    let mut conjuncts = Vec::new();
    for (var, variable) in program.variables.iter() {
        if variable.function.is_some() {
            continue;
        }
        let slot = if variable.ty == Type::Pointer { Slot::Object(var) } else { Slot::Value(var) };
        if !slots.find(slot).is_some_and(relevant) {
            continue;
        }
        let value = match variable.initial {
            Some(initial) => ev.evaluate(&env, initial),
            None => zero_of(&mut ev, variable.ty),
        };
        let mut after = env.clone();
        assign(&mut ev, &mut after, var, value);
        for slot in slots.ids() {
            if after.get(slot) != env.get(slot) {
                conjuncts.push(ev.store.mk_eq(env.get(slot), after.get(slot)));
            }
        }
    }
    initial_objects(&mut ev, &env, relevant, &mut conjuncts);
    let next = slots.find(Slot::NextObject).expect("always there");
    let first = ev.store.mk_int(evaluator::first_free_object(program));
    conjuncts.push(ev.store.mk_eq(slots.constant(next), first));
    let heap = slots.find(Slot::HeapObjects).expect("always there");
    let zero = ev.store.mk_int(0);
    conjuncts.push(ev.store.mk_eq(slots.constant(heap), zero));
    conjuncts.append(&mut ev.facts);
    ev.store.mk_and(&conjuncts)
}

/// Sizes, lives and contents of static objects.
fn initial_objects(
    ev: &mut Evaluator<'_>,
    env: &Environment,
    relevant: &dyn Fn(SlotId) -> bool,
    conjuncts: &mut Vec<TermId>,
) {
    let (program, slots) = (ev.program, ev.slots);
    for (object, description) in program.objects.iter() {
        let number = ev.store.mk_int(object_number(object));
        for (table, value) in [(Slot::Sizes, description.size as i64), (Slot::Lives, memory::LIVE)]
        {
            let slot = slots.find(table).expect("always there");
            if relevant(slot) {
                let entry = ev.store.mk_select(slots.constant(slot), number);
                let value = ev.store.mk_int(value);
                conjuncts.push(ev.store.mk_eq(entry, value));
            }
        }
        if description.external {
            continue;
        }
        let large = description.initial.len() > INITIAL_VALUES;
        let mut regions: Vec<RegionId> = program
            .object_parts
            .iter()
            .filter(|part| part.object == object)
            .map(|part| part.region)
            .collect();
        regions.sort_unstable();
        regions.dedup();
        for region in regions {
            let info = &program.regions[region];
            for (slot, part) in [(Slot::Cells(region), 0), (Slot::CellOffsets(region), 1)] {
                let Some(slot) = slots.find(slot).filter(|&s| relevant(s)) else { continue };
                let row = initial_row(ev, env, &description.initial, info.cell, part, large);
                let (Some(mut row), Some(cell)) = (row, info.cell) else { continue };
                let mut cells = ev.store.mk_select(slots.constant(slot), number);
                if large {
                    let last = description.size.saturating_sub(cell.size(program.target));
                    let last = ev.store.mk_int(last);
                    (row, cells) = (ev.store.mk_select(row, last), ev.store.mk_select(cells, last));
                }
                conjuncts.push(ev.store.mk_eq(cells, row));
            }
        }
    }
}

fn zero_of(ev: &mut Evaluator<'_>, ty: Type) -> Symbolic {
    let zero = ev.store.mk_int(0);
    match ty {
        Type::BOOL => Symbolic::Bool(ev.store.mk_false()),
        Type::Pointer => Symbolic::Pointer(zero, zero),
        _ => Symbolic::Int(zero, (Some(0), Some(0))),
    }
}

/// The cells of a static object at the start; none where a value does not fit the cells of the region. If
/// wanted, only those from the last value on count.
fn initial_row(
    ev: &mut Evaluator<'_>,
    env: &Environment,
    initial: &[InitialValue],
    cell: Option<Type>,
    part: usize,
    only_end: bool,
) -> Option<TermId> {
    let end = initial.iter().map(|entry| entry.offset).max();
    let mut row = memory::zero_row(ev);
    for entry in initial {
        let ty = ev.program.exprs.type_of(entry.value);
        if Some(ty) != cell || entry.bits.is_some() {
            // Other regions hold the fields of other types; a value of
            // another type in a region with this cell is not understood.
            if entry.bits.is_some() || ty.size(ev.program.target) != cell?.size(ev.program.target) {
                continue;
            }
            return None;
        }
        if only_end && Some(entry.offset) != end {
            continue;
        }
        let value = ev.evaluate(env, entry.value);
        let value = match (value, part) {
            (Symbolic::Pointer(object, _), 0) => object,
            (Symbolic::Pointer(_, offset), _) => offset,
            (other, _) => other.int(ev.store),
        };
        let position = ev.store.mk_int(entry.offset);
        row = ev.store.mk_store(row, position, value);
    }
    Some(row)
}
