//! Any value of a type: inputs, and the arguments of a function that a run starts with.
//!
//! A scalar is one choice, a small record a choice for each of its parts. What cannot
//! live in variables (records with arrays or unions) is made in memory: one choice for
//! each scalar in it. Of a union one member is chosen first and has any value; the rest
//! of its bytes, and padding, stay as the fresh object has them, which is
//! without a value. So every union of the running program is covered whose
//! members are read as they were written, and a read of another member is left open.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::{ArrayLen, CType, TyId, TypeStore};
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_cfa::{ExprId, IntType, NondetSource, Type};

/// At most so many scalars are chosen one by one.
const MAX_CHOICES: usize = 256;

impl TypeStore {
    /// How many scalars have to be chosen for an object in memory, if that can be said.
    fn choices(&self, ty: TyId) -> Option<usize> {
        if self.scalar(ty).is_some() {
            return Some(1);
        }
        match self.get(ty) {
            CType::Array(of, ArrayLen::Fixed(n)) => {
                self.choices(of.ty)?.checked_mul(usize::try_from(*n).ok()?)
            }
            CType::Record(record) => {
                let record = &self.records[*record];
                if !record.complete {
                    return None;
                }
                record
                    .fields
                    .iter()
                    .try_fold(0usize, |sum, field| sum.checked_add(self.choices(field.ty.ty)?))
            }
            _ => self.leaves(ty).map(|leaves| leaves.len()),
        }
    }
}

impl Lowerer<'_> {
    /// Any value of a type.
    pub fn nondet_operand(
        &mut self,
        ty: TyId,
        source: NondetSource,
        span: Span,
    ) -> Fallible<Operand> {
        if self.types.is_void(ty) {
            return Ok(Operand::new(ty, Value::Void));
        }
        let Some(leaves) = self.types.leaves(ty) else {
            if self.types.choices(ty).is_none_or(|n| n > MAX_CHOICES) {
                let name = self.types.spell(ty);
                return self.unsupported(span, format!("any value of type `{name}` is"));
            }
            let pointer = self.allocate_local("any", ty.into(), Span::NONE, 0)?;
            self.fill_with_any(pointer, ty, &source, span);
            return Ok(Operand::new(ty, Value::Memory(pointer)));
        };
        let values = leaves
            .iter()
            .map(|leaf| {
                let value = self.out.nondet(leaf.scalar, source.clone());
                self.out.cut_to_leaf(value, leaf)
            })
            .collect();
        Ok(Operand::new(ty, self.types.value(ty, values)))
    }

    /// Stores any value at an address.
    fn fill_with_any(&mut self, at: ExprId, ty: TyId, source: &NondetSource, span: Span) {
        if let Some(scalar) = self.types.scalar(ty) {
            let value = self.out.nondet(scalar, source.clone());
            return self.out.store_raw(at, scalar, None, false, value);
        }
        match self.types.get(ty).clone() {
            CType::Array(of, ArrayLen::Fixed(n)) => {
                let size = self.types.size(of.ty).unwrap_or(0);
                for i in 0..n {
                    let element = self.out.pointer_add_bytes(at, i * size);
                    self.fill_with_any(element, of.ty, source, span);
                }
            }
            CType::Record(record) => {
                let fields = self.types.records[record].fields.clone();
                let is_union = self.types.records[record].is_union;
                let end = self.out.location();
                for (i, field) in fields.iter().enumerate() {
                    let other = (is_union && i + 1 < fields.len()).then(|| {
                        let chosen = self.out.nondet(Type::Int(IntType::BOOL), source.clone());
                        let condition = self.out.truth(chosen);
                        let (this, other) = (self.out.location(), self.out.location());
                        self.out
                            .branch(condition, Targets::new(this, other, self.input.span(span)));
                        self.out.resume(this);
                        other
                    });
                    let place = self.out.pointer_add_bytes(at, field.offset);
                    match (field.bits, self.types.scalar(field.ty.ty)) {
                        (Some(bits), Some(scalar @ Type::Int(int))) => {
                            let value = self.out.nondet(scalar, source.clone());
                            let value = self.out.truncate_bits(value, int, bits.width);
                            self.out.store_raw(place, scalar, field.bits, false, value);
                        }
                        _ => self.fill_with_any(place, field.ty.ty, source, span),
                    }
                    if let Some(other) = other {
                        self.out.goto(end);
                        self.out.resume(other);
                    }
                }
                self.out.join(end);
            }
            _ => {
                for leaf in self.types.leaves(ty).iter().flat_map(|leaves| leaves.iter()) {
                    let value = self.out.nondet(leaf.scalar, source.clone());
                    let place = self.out.pointer_add_bytes(at, leaf.offset);
                    self.out.store_raw(place, leaf.scalar, None, false, value);
                }
            }
        }
    }
}
