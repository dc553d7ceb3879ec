//! The integers of a state that guessed facts are about.
//!
//! Of an integer variable that is its value. A pointer is a place in an object: of a pointer variable count
//! the number of its object, the offset in it, the size of the object, and cells of the object whose place
//! does not depend on what a loop moves: the last one, where strings end, and those that an index names.
//!
//! A quantity is a term over state constants ([`Quantity::term`]) and can be watched in executions
//! ([`Quantity::observe`]). Where a pointer points to nothing that lives, an execution knows no size; the term
//! has a value all the same, of which nothing is known, so that what is guessed of it is not found inductive.

use crate::block::BlockProgram;
use crate::encode::Slot;
use bolide_cfa::interpreter::View;
use bolide_cfa::value::{Pointer, Value};
use bolide_cfa::{IntType, Program, RegionId, Type, VarId};
use bolide_terms::{TermId, TermStore};

/// An integer of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// The value of an integer variable.
    Value(VarId),
    /// The number of the object that a pointer variable points into.
    Object(VarId),
    /// Where in its object a pointer variable points, in bytes.
    Offset(VarId),
    /// The size of the object that a pointer variable points into.
    Size(VarId),
    /// A cell of the object that a pointer variable points into.
    Cell(VarId, RegionId, Place),
    /// How many heap objects live.
    HeapObjects,
}

/// Where in an object a cell lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// At its end.
    Last,
    /// So many cells after the pointer, and as many more as an index says.
    At(Option<Index>, i64),
}

/// What counts cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Index {
    /// The value of an integer variable.
    Value(VarId),
    /// The size of the object that a pointer variable points into, in bytes.
    Size(VarId),
}

impl Index {
    fn quantity(self) -> Quantity {
        match self {
            Index::Value(var) => Quantity::Value(var),
            Index::Size(var) => Quantity::Size(var),
        }
    }
}

impl Quantity {
    /// The variable whose value, or whose object, it is about.
    pub fn variable(self) -> Option<VarId> {
        match self {
            Quantity::Value(var)
            | Quantity::Object(var)
            | Quantity::Offset(var)
            | Quantity::Size(var)
            | Quantity::Cell(var, ..) => Some(var),
            Quantity::HeapObjects => None,
        }
    }

    /// The type of its values in C.
    pub fn integer_type(self, program: &Program) -> Option<IntType> {
        let ty = match self {
            Quantity::Value(var) => program.variables[var].ty,
            Quantity::Cell(_, region, _) => program.regions[region].cell?,
            _ => return None,
        };
        match ty {
            Type::Int(ty) => Some(ty),
            _ => None,
        }
    }

    /// Over the state constants of a program.
    pub fn term(self, program: &BlockProgram<'_>, store: &mut TermStore) -> TermId {
        let constant = |slot: Slot| {
            let slot = program.slots.find(slot).expect("a quantity is about slots of the program");
            program.slots.constant(slot)
        };
        match self {
            Quantity::Value(var) => constant(Slot::Value(var)),
            Quantity::Object(var) => constant(Slot::Object(var)),
            Quantity::Offset(var) => constant(Slot::Offset(var)),
            Quantity::HeapObjects => constant(Slot::HeapObjects),
            Quantity::Size(var) => {
                store.mk_select(constant(Slot::Sizes), constant(Slot::Object(var)))
            }
            Quantity::Cell(var, region, place) => {
                let (terms, constant_part) = place.position(program.program, var, region);
                let mut position = vec![store.mk_int(constant_part)];
                for (quantity, factor) in terms {
                    let (factor, value) = (store.mk_int(factor), quantity.term(program, store));
                    position.push(store.mk_mul(&[factor, value]));
                }
                let position = store.mk_add(&position);
                let row =
                    store.mk_select(constant(Slot::Cells(region)), constant(Slot::Object(var)));
                store.mk_select(row, position)
            }
        }
    }

    /// Its value in an execution; none where a pointer points to nothing that lives, or a cell was never
    /// written.
    pub fn observe(self, program: &Program, view: &View<'_>) -> Option<i128> {
        let Some(variable) = self.variable() else { return Some(view.heap_objects() as i128) };
        let value = view.variable(variable)?;
        let Value::Pointer(pointer) = value else { return integer(value) };
        let (object, offset, size) = view.target(pointer)?;
        match self {
            Quantity::Value(_) | Quantity::HeapObjects => None,
            Quantity::Object(_) => Some(i128::from(object)),
            Quantity::Offset(_) => Some(i128::from(offset)),
            Quantity::Size(_) => Some(i128::from(size)),
            Quantity::Cell(_, region, place) => {
                let cell = program.regions[region].cell?;
                let (terms, constant) = place.position(program, variable, region);
                let mut position = i128::from(constant);
                for (quantity, factor) in terms {
                    let value = quantity.observe(program, view)?;
                    position = position.checked_add(value.checked_mul(i128::from(factor))?)?;
                }
                let address = i128::from(pointer.address) - i128::from(offset);
                let address = u64::try_from(address.checked_add(position)?).ok()?;
                integer(view.scalar(Pointer { address, ..pointer }, cell)?)
            }
        }
    }
}

impl Place {
    /// The offset of a cell of the object that a pointer variable points into: a sum of quantities, and a constant.
    pub fn position(
        self,
        program: &Program,
        pointer: VarId,
        region: RegionId,
    ) -> (Vec<(Quantity, i64)>, i64) {
        let width = cell_width(program, region).unwrap_or(1) as i64;
        match self {
            Place::Last => (vec![(Quantity::Size(pointer), 1)], -width),
            Place::At(index, shift) => {
                let mut terms = vec![(Quantity::Offset(pointer), 1)];
                terms.extend(index.map(|index| (index.quantity(), width)));
                (terms, width * shift)
            }
        }
    }
}

/// The size of the cells of a region of integers.
pub fn cell_width(program: &Program, region: RegionId) -> Option<u64> {
    match program.regions.get(region)?.cell? {
        ty @ Type::Int(_) if ty != Type::BOOL => Some(ty.size(program.target)),
        _ => None,
    }
}

fn integer(value: Value) -> Option<i128> {
    match value {
        Value::Int { bits, ty } => Some(ty.value(bits)),
        _ => None,
    }
}
