//! Inputs that go straight into memory.
//!
//! A program may fill memory with inputs, byte by byte, and read it later as
//! something else. Formulas do not follow such memory: a load from it yields any value,
//! and a counterexample says what was read, not which inputs make it so. Here a run is
//! watched for inputs that are stored as they are, possibly through
//! variables and conversions; then the inputs can be chosen so that memory holds
//! what the counterexample wants to read.
//!
//! Heuristic throughout: variables are told apart by name only, not by call. What comes of it is
//! executed like any other choice of inputs.

use bolide_base::HashMap;
use bolide_cfa::interpreter::{Birth, MemoryPlace, Observer, View};
use bolide_cfa::value::{Pointer, Value};
use bolide_cfa::{EdgeId, Expr, ExprId, Op, Program, VarId};
use std::collections::VecDeque;

/// The so-manyth value that an edge asked for.
type Asked = (EdgeId, usize);

/// Watches where inputs go.
pub struct Filled<'a> {
    program: &'a Program,
    asked: HashMap<EdgeId, usize>,
    /// Variables that hold an input.
    holds: HashMap<VarId, Asked>,
    /// A store whose place is not known yet.
    pending: Option<(Pointer, usize, Asked)>,
    /// Which byte of which input was stored last in a byte of memory.
    bytes: HashMap<(Birth, i64), (Asked, usize)>,
}

impl<'a> Filled<'a> {
    /// Nothing was seen yet.
    pub fn new(program: &'a Program) -> Filled<'a> {
        let (asked, holds, bytes) = Default::default();
        Filled { program, asked, holds, pending: None, bytes }
    }

    /// The input that an expression passes on.
    fn passed_on(&self, mut e: ExprId) -> Option<Asked> {
        loop {
            match self.program.exprs.get(e) {
                Expr::Var(var) => return self.holds.get(var).copied(),
                Expr::Cast(_, inner) => e = *inner,
                _ => return None,
            }
        }
    }

    /// Changes inputs so that memory holds what is wanted where they fill it; says whether any changed.
    pub fn choose(
        &self,
        wanted: &HashMap<MemoryPlace, Value>,
        values: &mut HashMap<EdgeId, VecDeque<Value>>,
    ) -> bool {
        let mut bits: HashMap<Asked, u128> = HashMap::default();
        for (place, value) in wanted {
            for byte in 0..value.ty().size(self.program.target) {
                let source = self.bytes.get(&(place.object, place.offset + byte as i64));
                if let Some(&(asked, part)) = source {
                    let one = (value.bits() >> (8 * byte)) & 0xff;
                    // Bytes of one input do not overlap.
                    *bits.entry(asked).or_default() |= one << (8 * part);
                }
            }
        }
        let mut changed = false;
        let mut all: Vec<(Asked, u128)> = bits.into_iter().collect();
        all.sort_unstable();
        for ((edge, position), bits) in all {
            let Some(target) = self.program.edges[edge].op.target() else { continue };
            let ty = self.program.variables[target].ty;
            let list = values.entry(edge).or_default();
            while list.len() <= position {
                list.push_back(Value::zero(ty));
            }
            let value = Value::from_bits(ty, bits);
            changed |= list[position] != value;
            list[position] = value;
        }
        changed
    }
}

impl Observer for Filled<'_> {
    fn step(&mut self, _: EdgeId, view: &View<'_>) {
        let Some((pointer, size, asked)) = self.pending.take() else { return };
        if let Some(place) = view.place(pointer) {
            for byte in 0..size {
                let at = (place.object, place.offset + byte as i64);
                self.bytes.insert(at, (asked, byte));
            }
        }
    }

    fn assigned(&mut self, edge: EdgeId, variable: VarId, _: Value) {
        let holds = match &self.program.edges[edge].op {
            Op::Nondet { .. } => {
                let count = self.asked.entry(edge).or_insert(0);
                *count += 1;
                Some((edge, *count - 1))
            }
            Op::Assign { value, .. } => self.passed_on(*value),
            _ => None,
        };
        match holds {
            Some(asked) => self.holds.insert(variable, asked),
            None => self.holds.remove(&variable),
        };
    }

    fn stored(&mut self, edge: EdgeId, pointer: Pointer, value: Value) {
        if let Op::Store { access, value: stored } = &self.program.edges[edge].op
            && access.bits.is_none()
            && let Some(asked) = self.passed_on(*stored)
        {
            let size = value.ty().size(self.program.target) as usize;
            self.pending = Some((pointer, size, asked));
        }
    }
}
