//! What the program cannot decide itself: inputs, unknown values, and which of
//! several possible edges to take.

use crate::program::{EdgeId, FunctionId, LocId, ObjectId};
use crate::types::Type;
use crate::value::{Value, float};

/// Whose value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// An input, by the name of the function that the program called.
    Input(&'a str),
    /// A variable that was not initialised.
    Uninitialized,
    /// Memory that was read before it was written.
    Memory,
    /// A library function whose result is not known.
    Library(&'a str),
    /// Something that lowering does not model.
    Unmodelled(&'a str),
    /// The result of a function without a body.
    External(FunctionId),
}

/// A value is needed.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Whose.
    pub source: Source<'a>,
    /// Of this type.
    pub ty: Type,
    /// The edge that is executed; none while static memory is initialised.
    pub edge: EdgeId,
    /// Of memory: where the value lies.
    pub place: Option<MemoryPlace>,
}

/// Which object of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Birth {
    /// A static one.
    Static(ObjectId),
    /// The one that an edge allocated when it was executed for the so-manyth
    /// time, from 0 on.
    Made(EdgeId, u32),
    /// The so-manyth that belongs to nobody in the program.
    Environment(u64),
}

/// A place in memory that does not depend on addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryPlace {
    /// The object.
    pub object: Birth,
    /// The byte, from the start of the object on (of one of the environment:
    /// from its middle on).
    pub offset: i64,
}

/// Memory that the program did not make: behind pointers that come out of
/// nowhere, such as inputs and uninitialised variables. Each such object has
/// room on both sides of where the pointer points.
pub mod environment {
    use crate::value::{Pointer, Provenance};

    /// Bytes of an object of the environment.
    const SIZE: u64 = 1 << 16;
    /// Where objects of the environment start: below all others.
    const BASE: u64 = 1 << 24;
    /// How many there can be.
    const OBJECTS: u64 = 1 << 10;

    /// A pointer to byte `offset` from the middle of an object; none when there
    /// is no such object or byte.
    pub fn pointer(object: u64, offset: i64) -> Option<Pointer> {
        let middle = BASE + object * SIZE + SIZE / 2;
        let inside = offset.unsigned_abs() < SIZE / 2;
        (object < OBJECTS && inside).then(|| Pointer {
            address: middle.wrapping_add_signed(offset),
            provenance: Provenance::ENVIRONMENT,
        })
    }

    /// The object at an address and where in it, from its middle on.
    pub fn place(address: u64) -> Option<(u64, i64)> {
        let object = address.checked_sub(BASE)? / SIZE;
        let middle = BASE + object * SIZE + SIZE / 2;
        (object < OBJECTS).then(|| (object, address.wrapping_sub(middle) as i64))
    }

    /// Where an object lies, and its size.
    pub(crate) fn extent(object: u64) -> (u64, u64) {
        (BASE + object * SIZE, SIZE)
    }
}

/// Decides what is nondeterministic.
pub trait Choices {
    /// The value; `None` when there are no more inputs, which ends the run. A
    /// value of another type is converted.
    fn value(&mut self, request: &Request<'_>) -> Option<Value>;

    /// Which of several enabled edges is taken, as a position in `enabled`.
    fn edge(&mut self, _location: LocId, _enabled: &[EdgeId]) -> usize {
        0
    }
}

/// An input as a person gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// Converted to the type that is asked for, wrapping.
    Int(i128),
    /// Converted to the type that is asked for.
    Float(f64),
}

impl Input {
    /// The input as a value of type `ty`.
    pub fn to_value(self, ty: Type) -> Value {
        match (self, ty) {
            (Input::Int(v), Type::Float(kind)) => {
                let bits = float::from_int(v as u128, crate::types::IntType::signed(128), kind);
                Value::Float { bits, kind }
            }
            (Input::Int(v), _) => Value::from_bits(ty, v as u128),
            (Input::Float(v), Type::Float(kind)) => {
                let bits = u128::from(v.to_bits());
                Value::Float {
                    bits: float::convert(bits, crate::types::FloatKind::F64, kind),
                    kind,
                }
            }
            (Input::Float(v), _) => Value::from_bits(ty, v as i128 as u128),
        }
    }
}

/// Inputs from a list; everything else, and inputs beyond the list, is zero
/// (but `argc`, which is 1). Of several enabled edges the first is taken.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    list: Vec<Input>,
    next: usize,
}

impl Inputs {
    /// Inputs in the order in which they are asked for.
    pub fn new(list: Vec<Input>) -> Inputs {
        Inputs { list, next: 0 }
    }

    /// Integers in the order in which they are asked for.
    pub fn ints(list: impl IntoIterator<Item = i128>) -> Inputs {
        Inputs::new(list.into_iter().map(Input::Int).collect())
    }
}

impl Choices for Inputs {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        if !matches!(request.source, Source::Input(_)) {
            return Some(Value::zero(request.ty));
        }
        // A program is never run without its own name.
        let otherwise = Input::Int(i128::from(request.source == Source::Input("argc")));
        let input = self.list.get(self.next).copied().unwrap_or(otherwise);
        self.next += 1;
        Some(input.to_value(request.ty))
    }
}

/// All that [`Choices`] answered in a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    values: Vec<Value>,
    turns: Vec<u32>,
    /// There were more than are kept.
    cut: bool,
}

impl Answers {
    /// Runs that ask more often are not repeated.
    const KEPT: usize = 1 << 20;

    pub(super) fn answered(&mut self, value: Value) {
        self.cut |= self.values.len() >= Self::KEPT;
        if !self.cut {
            self.values.push(value);
        }
    }

    pub(super) fn turned(&mut self, position: usize) {
        self.cut |= self.turns.len() >= Self::KEPT;
        if !self.cut {
            self.turns.push(position as u32);
        }
    }

    /// The same answers again; none when there were too many to keep.
    pub fn repeat(&self) -> Option<Repeat<'_>> {
        (!self.cut).then_some(Repeat { answers: self, value: 0, turn: 0 })
    }
}

/// Answers as in an earlier run; beyond its end zero and the first edge.
#[derive(Clone, Debug)]
pub struct Repeat<'a> {
    answers: &'a Answers,
    value: usize,
    turn: usize,
}

impl Choices for Repeat<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.value += 1;
        let known = self.answers.values.get(self.value - 1);
        Some(known.copied().unwrap_or(Value::zero(request.ty)))
    }

    fn edge(&mut self, _: LocId, _: &[EdgeId]) -> usize {
        self.turn += 1;
        self.answers.turns.get(self.turn - 1).map_or(0, |&turn| turn as usize)
    }
}
