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
use bolide_cfa::{Program, RegionId, Type, VarId};
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
}

/// Where in an object a cell lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// At its end.
    Last,
    /// So many cells after the pointer, and as many more as the variable says.
    At(Option<VarId>, i64),
}

impl Quantity {
    /// The variable whose value, or whose object, it is about.
    pub fn variable(self) -> VarId {
        match self {
            Quantity::Value(var)
            | Quantity::Object(var)
            | Quantity::Offset(var)
            | Quantity::Size(var)
            | Quantity::Cell(var, ..) => var,
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
            Quantity::Size(var) => {
                store.mk_select(constant(Slot::Sizes), constant(Slot::Object(var)))
            }
            Quantity::Cell(var, region, place) => {
                let width = store.mk_int(cell_width(program.program, region).unwrap_or(1));
                let position = match place {
                    Place::Last => {
                        let size = Quantity::Size(var).term(program, store);
                        store.mk_sub(size, width)
                    }
                    Place::At(index, shift) => {
                        let mut cells = vec![store.mk_int(shift)];
                        cells.extend(index.map(|index| constant(Slot::Value(index))));
                        let cells = store.mk_add(&cells);
                        let bytes = store.mk_mul(&[width, cells]);
                        store.mk_add(&[constant(Slot::Offset(var)), bytes])
                    }
                };
                let row =
                    store.mk_select(constant(Slot::Cells(region)), constant(Slot::Object(var)));
                store.mk_select(row, position)
            }
        }
    }

    /// Its value in an execution; none where a pointer points to nothing that lives, or a cell was never
    /// written.
    pub fn observe(self, program: &Program, view: &View<'_>) -> Option<i128> {
        let value = view.variable(self.variable())?;
        if let Quantity::Value(_) = self {
            return integer(value);
        }
        let Value::Pointer(pointer) = value else { return None };
        let (object, offset, size) = view.target(pointer)?;
        match self {
            Quantity::Value(_) => None,
            Quantity::Object(_) => Some(i128::from(object)),
            Quantity::Offset(_) => Some(i128::from(offset)),
            Quantity::Size(_) => Some(i128::from(size)),
            Quantity::Cell(_, region, place) => {
                let cell = program.regions[region].cell?;
                let width = i128::from(cell_width(program, region)?);
                let step = match place {
                    Place::Last => i128::from(size) - width - i128::from(offset),
                    Place::At(index, shift) => {
                        let index = match index {
                            Some(index) => integer(view.variable(index)?)?,
                            None => 0,
                        };
                        width * index.checked_add(i128::from(shift))?
                    }
                };
                let address = i128::from(pointer.address).checked_add(step)?;
                let address = u64::try_from(address).ok()?;
                integer(view.scalar(Pointer { address, ..pointer }, cell)?)
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
