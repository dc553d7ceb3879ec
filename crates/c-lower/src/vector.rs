//! GNU vectors: `__attribute__((vector_size(N)))`.
//!
//! Variables of vector type live in memory, where `v[i]` is an access like that of an array. The
//! operators work lane by lane and promote nothing; a scalar operand counts for every lane.
//! Comparisons give vectors of 0 and -1. A cast between types of one size keeps the bytes: the
//! value is written to memory and read again as the other type.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::lvalue::memory;
use crate::operators::machine_operator;
use crate::types::{ArrayLen, CType, IntKind, QualType, TyId, TypeStore};
use crate::value::{LValue, Operand, Operation, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{BinaryOp, ExprId, NondetSource};
use std::rc::Rc;

impl TypeStore {
    /// The type that comparing lanes of a type gives: signed integers of their size.
    fn truth_vector(&mut self, element: TyId, count: u64) -> (TyId, TyId) {
        let size = self.size(element).unwrap_or(4);
        let long = self.size(self.int_kind(IntKind::Long));
        let kind = match size {
            1 => IntKind::SChar,
            2 => IntKind::Short,
            4 => IntKind::Int,
            16 => IntKind::Int128,
            _ if long == Some(8) => IntKind::Long,
            _ => IntKind::LongLong,
        };
        let element = self.int_kind(kind);
        (self.intern(CType::Vector(element, size * count)), element)
    }
}

impl Lowerer<'_> {
    /// What the attribute makes of a declared type: it concerns the scalar at its root.
    pub fn vector_type(&mut self, ty: QualType, bytes: u64, span: Span) -> Fallible<QualType> {
        let id = match self.types.get(ty.ty).clone() {
            CType::Pointer(to) => {
                let to = self.vector_type(to, bytes, span)?;
                self.types.pointer(to)
            }
            CType::Array(of, len) => {
                let of = self.vector_type(of, bytes, span)?;
                self.types.array(of, len)
            }
            CType::Function(mut function) => {
                function.result = self.vector_type(function.result, bytes, span)?;
                self.types.intern(CType::Function(function))
            }
            _ if self.types.is_arithmetic(ty.ty) && ty.ty != self.types.bool() => {
                let size = self.types.size(ty.ty).unwrap_or(0);
                if size == 0 || !bytes.is_multiple_of(size) || !(bytes / size).is_power_of_two() {
                    return self.error(span, "the size of a vector does not fit its lanes");
                }
                self.types.intern(CType::Vector(ty.ty, bytes))
            }
            _ => return self.error(span, "a vector of what is no number"),
        };
        Ok(QualType { ty: id, ..ty })
    }

    /// A vector as a place that can be indexed.
    pub fn vector_in_memory(&mut self, place: LValue, span: Span) -> Fallible<LValue> {
        let Where::Value(value) = place.at else { return Ok(place) };
        let operand = Operand::new(place.ty.ty, value);
        let pointer = self.spill(&operand, span)?;
        Ok(memory(place.ty, pointer, self.types.size(place.ty.ty)))
    }

    /// The address of a value, which is written to memory if it is not there.
    fn spill(&mut self, operand: &Operand, span: Span) -> Fallible<ExprId> {
        if let Value::Memory(pointer) = operand.value {
            return Ok(pointer);
        }
        if !self.out.at.active || self.linkage.in_static_initializer {
            return self.unsupported(span, "a vector in the initialiser of a static variable is");
        }
        let pointer = self.allocate_local("vector", operand.ty.into(), Span::NONE, 0)?;
        let place = memory(operand.ty.into(), pointer, self.types.size(operand.ty));
        self.write(&place, operand.value.clone(), span)?;
        Ok(pointer)
    }

    /// A cast that keeps the bytes.
    pub fn reinterpret(&mut self, operand: Operand, to: TyId, span: Span) -> Fallible<Operand> {
        let same = self.types.size(operand.ty) == self.types.size(to);
        let allowed = |this: &Self, ty| this.types.is_vector(ty) || this.types.is_integer(ty);
        if !same || !allowed(self, operand.ty) || !allowed(self, to) {
            return self.mismatch(operand.ty, to, span);
        }
        let pointer = self.spill(&operand, span)?;
        let value = match self.types.scalar(to) {
            Some(scalar) => Value::Scalar(self.out.load_raw(pointer, scalar, None, false)),
            None => Value::Memory(pointer),
        };
        Ok(Operand::new(to, value))
    }

    /// The lanes of an operand for a vector of this type; a scalar is there for each.
    fn lanes_for(&mut self, operand: Operand, ty: TyId, span: Span) -> Fallible<Rc<[ExprId]>> {
        let Some(lanes) = self.types.lanes(ty) else {
            return self.mismatch(operand.ty, ty, span);
        };
        if self.types.is_vector(operand.ty) {
            let operand = self.convert_operand(operand, ty, span)?;
            return self.operand_lanes(&operand, span);
        }
        let integer = self.types.is_integer(lanes.element);
        if !self.types.is_arithmetic(operand.ty) || integer && !self.types.is_integer(operand.ty) {
            return self.mismatch(operand.ty, ty, span);
        }
        let value = self.expect_scalar(&operand, span)?;
        let value = self.convert(value, operand.ty, lanes.element);
        let value = self.out.save(value);
        Ok(std::iter::repeat_n(value, lanes.count as usize).collect())
    }

    /// `a op b` lane by lane.
    pub fn vector_binary(&mut self, operation: Operation) -> Fallible<Operand> {
        let Operation { op, left, right, span } = operation;
        use ast::BinaryOp as B;
        let ty = if self.types.is_vector(left.ty) { left.ty } else { right.ty };
        let Some(lanes) = self.types.lanes(ty) else {
            return self.bad_operands(op, &left, &right, span);
        };
        // Vectors of different lanes are combined by accident only, if at all.
        if let (Some(x), Some(y)) = (self.types.lanes(left.ty), self.types.lanes(right.ty)) {
            let integers = self.types.is_integer(x.element) && self.types.is_integer(y.element);
            if x.count != y.count || x.element != y.element && !integers {
                return self.bad_operands(op, &left, &right, span);
            }
        }
        let integer = self.types.int_type(lanes.element);
        let known = match op {
            B::Rem | B::Shl | B::Shr | B::BitAnd | B::BitXor | B::BitOr => integer.is_some(),
            B::LogicalAnd | B::LogicalOr => false,
            _ => true,
        };
        if !known {
            return self.bad_operands(op, &left, &right, span);
        }
        let a = self.lanes_for(left, ty, span)?;
        let b = self.lanes_for(right, ty, span)?;
        let compares = matches!(op, B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne);
        let (result, truth) = if compares {
            let (result, element) = self.types.truth_vector(lanes.element, lanes.count);
            (result, Some(element))
        } else {
            (ty, None)
        };
        let mut values = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b.iter()) {
            values.push(match (op, truth) {
                (_, Some(element)) => {
                    let (yes, no) = (self.int_of(-1, element), self.int_of(0, element));
                    let condition = self.out.relate(op, x, y);
                    self.out.ite(condition, yes, no)
                }
                _ => self.lane_arithmetic(machine_operator(op), x, y, lanes.element, span),
            });
        }
        Ok(Operand::new(result, Value::Leaves(values.into())))
    }

    /// `__builtin_convertvector(value, type)`: each lane by itself.
    pub fn convert_vector(
        &mut self,
        value: ast::ExprId,
        to: ast::TypeNameId,
        span: Span,
    ) -> Fallible<Operand> {
        let operand = self.rvalue(value)?;
        let to = self.type_name(to)?.ty;
        let both = self.types.is_vector(operand.ty) && self.types.is_vector(to);
        let (Some(from), Some(lanes), true) =
            (self.types.lanes(operand.ty), self.types.lanes(to), both)
        else {
            return self.mismatch(operand.ty, to, span);
        };
        if from.count != lanes.count {
            return self.mismatch(operand.ty, to, span);
        }
        let values = self.operand_lanes(&operand, span)?;
        let values: Rc<[ExprId]> =
            values.iter().map(|&v| self.convert(v, from.element, lanes.element)).collect();
        Ok(Operand::new(to, Value::Leaves(values)))
    }

    /// The operands of a shuffle, saved, and the lanes of the vectors among them in a row.
    fn shuffled(
        &mut self,
        vectors: &[ast::ExprId],
        span: Span,
    ) -> Fallible<(Vec<ExprId>, Vec<TyId>)> {
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for &vector in vectors {
            let operand = self.rvalue(vector)?;
            if !self.types.is_vector(operand.ty) {
                return self.error(span, "only vectors can be shuffled");
            }
            let lanes = self.operand_lanes(&operand, span)?;
            values.extend(lanes.iter().map(|&lane| self.out.save(lane)).collect::<Vec<_>>());
            types.push(operand.ty);
        }
        Ok((values, types))
    }

    /// `__builtin_shuffle(v, mask)` and `__builtin_shuffle(v, w, mask)`.
    pub fn shuffle(&mut self, arguments: &[ast::ExprId], span: Span) -> Fallible<Operand> {
        let (2 | 3, Some((&mask, vectors))) = (arguments.len(), arguments.split_last()) else {
            return self.error(span, "`__builtin_shuffle` takes two or three vectors");
        };
        let (values, types) = self.shuffled(vectors, span)?;
        let (mask, mask_types) = self.shuffled(&[mask], span)?;
        let (ty, mask_ty) = (types[0], mask_types[0]);
        let (Some(lanes), Some(mask_lanes)) = (self.types.lanes(ty), self.types.lanes(mask_ty))
        else {
            return self.error(span, "only vectors can be shuffled");
        };
        let integers = self.types.is_integer(mask_lanes.element);
        if types.iter().any(|&other| other != ty) || lanes.count != mask_lanes.count || !integers {
            return self.error(span, "these vectors do not go together in a shuffle");
        }
        let scalar = self.lane_type(lanes.element, span)?;
        let size = self.types.size(lanes.element).unwrap_or(1);
        let total = values.len() as u64;
        let mut table = None;
        let mut results = Vec::new();
        for &index in &mask {
            let last = self.int_of(i128::from(total - 1), mask_lanes.element);
            let index = self.out.binary(BinaryOp::BitAnd, index, last);
            if let Some(known) = self.out.as_int(index) {
                results.push(values[known as usize]);
                continue;
            }
            let table = match table {
                Some(table) => table,
                None => {
                    let row = self.types.array(lanes.element.into(), ArrayLen::Fixed(total));
                    let at = self.allocate_local("lanes", row.into(), Span::NONE, 0)?;
                    for (i, &value) in values.iter().enumerate() {
                        let lane = self.out.pointer_add_bytes(at, i as u64 * size);
                        self.out.store_raw(lane, scalar, None, false, value);
                    }
                    *table.insert(at)
                }
            };
            let size = self.out.offset(i128::from(size));
            let offset = self.out.scaled(index, size, false);
            let at = self.out.pointer_add(table, offset);
            let value = self.out.load_raw(at, scalar, None, false);
            results.push(self.out.save(value));
        }
        Ok(Operand::new(ty, Value::Leaves(results.into())))
    }

    /// `__builtin_shufflevector(v, w, i...)` with constants that choose lanes of both.
    pub fn shuffle_constant(&mut self, arguments: &[ast::ExprId], span: Span) -> Fallible<Operand> {
        let [v, w, indices @ ..] = arguments else {
            return self.error(span, "`__builtin_shufflevector` takes two vectors");
        };
        let (values, types) = self.shuffled(&[*v, *w], span)?;
        let Some(lanes) = self.types.lanes(types[0]) else {
            return self.error(span, "only vectors can be shuffled");
        };
        let same = self.types.lanes(types[1]).is_some_and(|other| other.element == lanes.element);
        if !same || !indices.len().is_power_of_two() {
            return self.error(span, "these vectors do not go together in a shuffle");
        }
        let scalar = self.lane_type(lanes.element, span)?;
        let mut results = Vec::new();
        for &index in indices {
            let (index, _) = self.constant_int(index)?;
            let chosen = usize::try_from(index).ok().and_then(|i| values.get(i)).copied();
            results.push(match chosen {
                Some(value) => value,
                // Any value will do for this lane.
                None if index == -1 => {
                    self.out.nondet(scalar, NondetSource::Unmodelled("a lane of no vector".into()))
                }
                None => return self.error(span, "the index lies outside of the vectors"),
            });
        }
        let bytes = self.types.size(lanes.element).unwrap_or(0) * results.len() as u64;
        let ty = self.types.intern(CType::Vector(lanes.element, bytes));
        Ok(Operand::new(ty, Value::Leaves(results.into())))
    }
}
