//! Lvalues: finding them, reading them, writing them.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::input::{Fallible, Input};
use crate::scope::Binding;
use crate::types::{CType, QualType, TyId, TypeStore};
use crate::value::{LValue, Operand, Place, Value, Where};
use crate::watch::ORDER;
use bolide_base::{Span, arena::Id};
use bolide_c_syntax::ast::{self, ExprKind, Symbol, UnaryOp};
use bolide_cfa::{
    Access, BitRange, Expr, ExprId, NondetSource, Op, Property, RegionId, Type, VariableKind,
};
use std::rc::Rc;

/// Records with at most so many leaves are copied leaf by leaf, so that
/// formulas stay typed. Heuristic.
const COPY_LEAVES: usize = 16;

impl TypeStore {
    /// What a variable's place is.
    pub fn at_place(&self, ty: QualType, place: &Place) -> LValue {
        match place {
            Place::Vars(vars) => {
                LValue { ty, at: Where::Vars { vars: vars.clone(), first: 0 }, bits: None }
            }
            Place::Memory(pointer) => memory(ty, *pointer, self.size(ty.ty)),
        }
    }
}

impl Input<'_> {
    /// The address of an lvalue in memory.
    pub fn address(&mut self, place: &LValue, span: Span) -> Fallible<ExprId> {
        match &place.at {
            _ if place.bits.is_some() => self.error(span, "a bit-field has no address"),
            Where::Memory { pointer, .. } => Ok(*pointer),
            Where::Value(Value::Memory(pointer)) => Ok(*pointer),
            _ => self.error(span, "the address of this cannot be taken"),
        }
    }
}

impl Emission {
    /// Reads a scalar at an address; nothing is checked.
    pub fn load_raw(
        &mut self,
        pointer: ExprId,
        ty: Type,
        bits: Option<BitRange>,
        volatile: bool,
    ) -> ExprId {
        let access = Access { pointer, ty, bits, volatile, region: RegionId::ALL };
        self.expr(Expr::Load(access))
    }

    /// Writes a scalar at an address; nothing is checked.
    pub fn store_raw(
        &mut self,
        pointer: ExprId,
        ty: Type,
        bits: Option<BitRange>,
        volatile: bool,
        value: ExprId,
    ) {
        let access = Access { pointer, ty, bits, volatile, region: RegionId::ALL };
        self.emit(Op::Store { access, value });
    }

    /// Copies bytes; nothing is checked.
    pub fn copy_bytes(&mut self, to: ExprId, from: ExprId, size: ExprId) {
        if self.as_int(size) == Some(0) {
            return;
        }
        self.emit(Op::Copy {
            to,
            from,
            size,
            to_region: RegionId::ALL,
            from_region: RegionId::ALL,
        });
    }

    /// An address that neither stores nor assignments to the program's own
    /// variables change: needed where several steps use it.
    pub fn stable(&mut self, pointer: ExprId) -> ExprId {
        let is_address = |kind| matches!(kind, VariableKind::Temporary | VariableKind::Address);
        match self.program.exprs.get(self.program.exprs.without_offset(pointer).0) {
            Expr::Object(_) | Expr::Null => pointer,
            Expr::Var(var) if is_address(self.program.variables[*var].kind) => pointer,
            _ => self.save(pointer),
        }
    }
}

impl Lowerer<'_> {
    /// An expression that must be an lvalue.
    pub fn lvalue(&mut self, e: ast::ExprId) -> Fallible<LValue> {
        let place = self.designate(e)?;
        let span = self.input.ast().exprs[e].span;
        match place.at {
            Where::Value(_) => self.error(span, "this cannot be assigned to"),
            _ => Ok(place),
        }
    }

    /// What an expression designates: a place, or a value without one.
    pub fn designate(&mut self, e: ast::ExprId) -> Fallible<LValue> {
        let span = self.input.ast().exprs[e].span;
        self.deeper(span, |this| this.designate_here(e))
    }

    fn designate_here(&mut self, e: ast::ExprId) -> Fallible<LValue> {
        let unit = self.input.ast();
        let expr = &unit.exprs[e];
        match &expr.kind {
            ExprKind::Name(name) => self.designate_name(*name, expr.span),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => {
                let pointer = self.rvalue(*operand)?;
                self.dereference(pointer, expr.span)
            }
            ExprKind::Index { base, index } => self.designate_index(*base, *index, expr.span),
            ExprKind::Member { base, member, member_span, is_arrow } => {
                let base = if *is_arrow {
                    let pointer = self.rvalue(*base)?;
                    self.dereference(pointer, expr.span)?
                } else {
                    self.designate(*base)?
                };
                let name = self.input.text(*member);
                self.member(base, name, *member_span)
            }
            ExprKind::String(id) => Ok(self.string_place(&unit.strings[*id])),
            ExprKind::FunctionName => {
                let name = self.f.name.rsplit('.').next().unwrap_or_default();
                let units: Vec<u32> = name.bytes().map(u32::from).collect();
                let (encoding, units, span) = (ast::Encoding::Plain, units.into(), expr.span);
                Ok(self.string_place(&ast::StringLiteral { encoding, units, span }))
            }
            ExprKind::CompoundLiteral { ty, init } => self.compound_literal(e, *ty, *init),
            ExprKind::Unary { op: op @ (UnaryOp::Real | UnaryOp::Imag), operand } => {
                let whole = self.designate(*operand)?;
                self.complex_part(whole, *op == UnaryOp::Imag, expr.span)
            }
            ExprKind::Generic { control, arms } => {
                let chosen = self.generic_arm(*control, arms, expr.span)?;
                self.designate(chosen)
            }
            ExprKind::Choose { condition, then, otherwise } => {
                let (value, _) = self.constant_int(*condition)?;
                self.designate(if value != 0 { *then } else { *otherwise })
            }
            _ => {
                let operand = self.rvalue_here(e)?;
                let bits = operand.width.map(|width| BitRange { offset: 0, width });
                Ok(LValue { ty: operand.ty.into(), at: Where::Value(operand.value), bits })
            }
        }
    }

    fn string_place(&mut self, literal: &ast::StringLiteral) -> LValue {
        let (object, ty) = self.string_object(literal);
        let pointer = self.out.expr(Expr::Object(object));
        memory(ty.into(), pointer, self.types.size(ty))
    }

    fn designate_name(&mut self, name: Symbol, span: Span) -> Fallible<LValue> {
        match self.names().get(name) {
            Some(Binding::Local(id))
                if self.input.quiet > 0 && id.index() < self.f.logic.hidden =>
            {
                // A contract is not about the variables of who evaluates it.
                match self.names().at_file_scope(name) {
                    Some(Binding::Global(id)) => {
                        let ty = self.linkage[id].ty;
                        let place = self.place_global(id, span)?;
                        Ok(self.types.at_place(ty, &place))
                    }
                    _ => self.error(span, format!("`{}` is not declared", self.input.text(name))),
                }
            }
            Some(Binding::Local(id)) => {
                let local = self.f.locals[id].clone();
                if id.index() < self.f.frame.inherited {
                    return self.input.outer_variable(&local, span);
                }
                Ok(self.types.at_place(local.ty, &local.place))
            }
            Some(Binding::Global(id)) => {
                let ty = self.linkage[id].ty;
                if self.types.is_function(ty.ty) {
                    let pointer = self.function_address(id, span)?;
                    return Ok(memory(ty, pointer, None));
                }
                let place = self.place_global(id, span)?;
                self.name_elsewhere(id);
                Ok(self.types.at_place(ty, &place))
            }
            Some(Binding::Enumerator(value, ty)) => {
                let e = self.int_of(value, ty);
                Ok(LValue { ty: ty.into(), at: Where::Value(Value::Scalar(e)), bits: None })
            }
            Some(Binding::Typedef(_)) => {
                let name = self.input.text(name);
                self.error(span, format!("`{name}` is a type, not a value"))
            }
            None => {
                let name = self.input.text(name).to_owned();
                if self.input.quiet > 0
                    && let Some(value) = self.logic_name(&name, span)?
                {
                    return Ok(value);
                }
                if let Some(pointer) = self.undeclared_function(&name, span)? {
                    return Ok(pointer);
                }
                self.error(span, format!("`{name}` is not declared"))
            }
        }
    }

    /// What a pointer points to. Nothing is checked until it is read or written.
    pub fn dereference(&mut self, pointer: Operand, span: Span) -> Fallible<LValue> {
        let Some(to) = self.types.pointee(pointer.ty) else {
            return self
                .error(span, format!("`{}` is not a pointer", self.types.spell(pointer.ty)));
        };
        let e = self.expect_scalar(&pointer, span)?;
        Ok(memory(to, e, None))
    }

    fn designate_index(
        &mut self,
        base: ast::ExprId,
        index: ast::ExprId,
        span: Span,
    ) -> Fallible<LValue> {
        let mut left = self.designate(base)?;
        let right_effects = self.input.has_effect(index);
        if self.types.is_vector(left.ty.ty) {
            left = self.vector_in_memory(left, span)?;
        }
        let array = self.types.is_array(left.ty.ty) || self.types.is_vector(left.ty.ty);
        if !array {
            let operand = self.read(&left, span)?;
            if self.types.is_integer(operand.ty) {
                // `1[p]`: gcc evaluates the pointer first, so the index is not saved.
                if right_effects && self.input.has_effect(base) {
                    self.lost(span, ORDER);
                }
                let pointer = self.rvalue(index)?;
                let moved = self.pointer_offset(pointer, operand, false, span)?;
                return self.dereference(moved, span);
            }
            let operand = if right_effects { self.save_operand(operand) } else { operand };
            left = self.dereference(operand, span)?;
        } else if right_effects && let Where::Memory { pointer, .. } = &mut left.at {
            *pointer = self.out.save(*pointer);
        }
        let index = self.rvalue(index)?;
        if !self.types.is_integer(index.ty) {
            return self.error(span, "the index is not an integer");
        }
        let i = self.expect_scalar(&index, span)?;
        let element = self.types.element(left.ty.ty).filter(|_| array);
        let element = element.map_or(left.ty, |element| element_of(left.ty, element));
        let offset = self.element_offset(element.ty, i, span)?;
        let Where::Memory { pointer, valid } = left.at else {
            return self.error(span, "this value cannot be indexed");
        };
        let known = self.out.as_int(offset);
        let valid = match (valid, known) {
            (Some(valid), Some(k)) if array && k >= 0 && k <= i128::from(valid) => {
                Some(valid - k as u64)
            }
            _ => None,
        };
        let pointer = self.out.pointer_add(pointer, offset);
        Ok(LValue { ty: element, at: Where::Memory { pointer, valid }, bits: None })
    }

    /// Where the element with this index begins, in bytes.
    pub fn element_offset(&mut self, ty: TyId, index: ExprId, span: Span) -> Fallible<ExprId> {
        let size = self.size_expr(ty, span)?;
        let offset_ty = Type::Int(self.out.program.target.offset_type());
        let size = self.out.cast(offset_ty, size);
        Ok(self.out.scaled(index, size, false))
    }

    /// `base.name`, through anonymous records.
    pub fn member(&mut self, base: LValue, name: &str, span: Span) -> Fallible<LValue> {
        let Some(record) = self.types.as_record(base.ty.ty) else {
            return self.error(
                span,
                format!("`{}` has no members, so no `{name}`", self.types.spell(base.ty.ty)),
            );
        };
        let Some(path) = self.types.find_member(record, name) else {
            let what = if self.types.records[record].complete {
                "has no member"
            } else {
                "is incomplete: no member"
            };
            return self.error(span, format!("`{}` {what} `{name}`", self.types.spell(base.ty.ty)));
        };
        self.types.member_records.insert(record);
        self.tell_notes_of_record(record);
        let mut place = base;
        for index in path {
            place = self.project(place, index, span)?;
        }
        Ok(place)
    }

    /// The member with this index.
    pub fn project(&mut self, base: LValue, index: usize, span: Span) -> Fallible<LValue> {
        let Some(record) = self.types.as_record(base.ty.ty) else {
            return self.error(span, "not a record");
        };
        let fields = self.types.records[record].fields.clone();
        let Some(field) = fields.get(index) else {
            return self.error(span, "no such member");
        };
        let ty = QualType {
            is_const: base.ty.is_const || field.ty.is_const,
            is_volatile: base.ty.is_volatile || field.ty.is_volatile,
            ..field.ty
        };
        let before = |this: &Self| {
            fields[..index].iter().map(|f| this.types.leaf_count(f.ty.ty)).sum::<usize>()
        };
        let at = match base.at {
            Where::Vars { vars, first } => {
                let first = first + before(self);
                Where::Vars { vars, first }
            }
            Where::Memory { pointer, valid } => {
                let pointer = self.out.pointer_add_bytes(pointer, field.offset);
                let valid = valid.and_then(|v| v.checked_sub(field.offset));
                Where::Memory { pointer, valid }
            }
            Where::Value(Value::Memory(pointer)) => {
                let pointer = self.out.pointer_add_bytes(pointer, field.offset);
                let size = self.types.size(base.ty.ty).unwrap_or(0);
                Where::Memory { pointer, valid: size.checked_sub(field.offset) }
            }
            Where::Value(Value::Leaves(leaves)) => {
                let first = before(self);
                let count = self.types.leaf_count(field.ty.ty);
                let part: Rc<[ExprId]> = leaves[first..first + count].into();
                Where::Value(self.types.value(field.ty.ty, part))
            }
            Where::Value(_) => return self.error(span, "not a record"),
        };
        Ok(LValue { ty, at, bits: field.bits })
    }

    /// Checks that `size` bytes at a pointer may be accessed.
    pub fn check_access(&mut self, pointer: ExprId, size: ExprId, span: Span, verb: &str) {
        if !self.input.checks(Property::ValidDeref) || self.out.is_dead() {
            return;
        }
        if self.out.as_int(size) == Some(0) {
            return;
        }
        let ok = self.out.expr(Expr::Valid { pointer, size, region: RegionId::ALL });
        self.check(Property::ValidDeref, ok, span, |this| {
            format!("`{}` {verb} outside of live memory", this.input.snippet(span))
        });
    }

    fn check_place(
        &mut self,
        pointer: ExprId,
        valid: Option<u64>,
        bytes: u64,
        span: Span,
        verb: &str,
    ) {
        if valid.is_some_and(|v| v >= bytes) {
            return;
        }
        let size = self.out.size(bytes);
        self.check_access(pointer, size, span, verb);
    }

    /// The value of an lvalue; arrays and functions decay.
    pub fn read(&mut self, place: &LValue, span: Span) -> Fallible<Operand> {
        let ty = place.ty.ty;
        match self.types.get(ty) {
            CType::Array(..) => {
                let pointer = self.input.address(place, span)?;
                let of = self.types.pointee(ty).map(|of| element_of(place.ty, of));
                let ty = self.types.pointer(of.unwrap_or(place.ty));
                return Ok(Operand::scalar(ty, pointer));
            }
            CType::Function(_) => {
                let pointer = self.input.address(place, span)?;
                let ty = self.types.pointer(ty);
                return Ok(Operand::scalar(ty, pointer));
            }
            CType::Void => return Ok(Operand::new(ty, Value::Void)),
            _ => {}
        }
        let width = place.bits.map(|b| b.width);
        let value = match &place.at {
            Where::Value(value) => value.clone(),
            Where::Vars { vars, first } => {
                let vars = &vars[*first..*first + self.types.leaf_count(ty)];
                self.types.value(ty, vars.iter().map(|&v| self.out.read(v)).collect())
            }
            Where::Memory { pointer, valid } => match self.types.scalar(ty) {
                Some(scalar) => {
                    let bytes = access_bytes(scalar, place.bits, self.out.program.target);
                    self.check_place(*pointer, *valid, bytes, span, "reads");
                    let volatile = place.ty.is_volatile;
                    let value = self.out.load_raw(*pointer, scalar, place.bits, volatile);
                    let is_known = valid.is_some_and(|v| v >= bytes);
                    Value::Scalar(match self.input.quiet > 0 && !is_known {
                        true => self.if_valid(*pointer, bytes, scalar, value),
                        false => value,
                    })
                }
                None => {
                    let Some(bytes) = self.types.size(ty) else {
                        return self.error(
                            span,
                            format!("a value of the incomplete type `{}`", self.types.spell(ty)),
                        );
                    };
                    self.check_place(*pointer, *valid, bytes, span, "reads");
                    Value::Memory(*pointer)
                }
            },
        };
        Ok(Operand { ty, value, width })
    }

    /// What a contract reads in memory that is not there is any value.
    fn if_valid(&mut self, pointer: ExprId, bytes: u64, ty: Type, value: ExprId) -> ExprId {
        if !self.input.options.properties.contains(&Property::ValidDeref) {
            return value;
        }
        let size = self.out.size(bytes);
        let ok = self.out.expr(Expr::Valid { pointer, size, region: RegionId::ALL });
        let any = self.out.nondet(ty, NondetSource::Uninitialized);
        self.out.ite(ok, value, any)
    }

    /// Writes a converted value to an lvalue.
    pub fn write(&mut self, place: &LValue, value: Value, span: Span) -> Fallible<()> {
        let ty = place.ty.ty;
        let value = self.save_lanes(ty, value);
        match (&place.at, value) {
            (Where::Vars { vars, first }, Value::Scalar(e)) => {
                let e = self.cut_to_field(place, e);
                self.out.assign(vars[*first], e);
                Ok(())
            }
            (Where::Vars { vars, first }, value @ (Value::Leaves(_) | Value::Memory(_))) => {
                let leaves = self.value_leaves(ty, value);
                for (i, &leaf) in leaves.iter().enumerate() {
                    self.out.assign(vars[first + i], leaf);
                }
                Ok(())
            }
            (Where::Memory { pointer, valid }, Value::Scalar(e)) => {
                let Some(scalar) = self.types.scalar(ty) else {
                    return self.error(span, "a scalar cannot be stored here");
                };
                let bytes = access_bytes(scalar, place.bits, self.out.program.target);
                self.check_place(*pointer, *valid, bytes, span, "writes");
                self.out.store_raw(*pointer, scalar, place.bits, place.ty.is_volatile, e);
                Ok(())
            }
            (Where::Memory { pointer, valid }, value) => {
                let bytes = self.types.size(ty).unwrap_or(0);
                self.check_place(*pointer, *valid, bytes, span, "writes");
                self.store_record(*pointer, ty, place.ty.is_volatile, value);
                Ok(())
            }
            _ => self.error(span, "this cannot be assigned to"),
        }
    }

    /// A value as a bit-field in variables keeps it.
    pub fn cut_to_field(&mut self, place: &LValue, value: ExprId) -> ExprId {
        match (place.bits, self.types.int_type(place.ty.ty)) {
            (Some(bits), Some(int)) => self.out.truncate_bits(value, int, bits.width),
            _ => value,
        }
    }

    /// Writes a record to memory; nothing is checked.
    pub fn store_record(&mut self, to: ExprId, ty: TyId, volatile: bool, value: Value) {
        let leaves = self.types.leaves(ty);
        match (value, leaves) {
            (Value::Leaves(values), Some(leaves)) => {
                let to = self.out.stable(to);
                for (leaf, &value) in leaves.iter().zip(values.iter()) {
                    let at = self.out.pointer_add_bytes(to, leaf.offset);
                    self.out.store_raw(
                        at,
                        leaf.scalar,
                        leaf.bits,
                        volatile || leaf.volatile,
                        value,
                    );
                }
            }
            (Value::Memory(from), Some(leaves)) if leaves.len() <= COPY_LEAVES => {
                if from == to {
                    return;
                }
                let (to, from) = (self.out.stable(to), self.out.stable(from));
                for leaf in leaves.iter() {
                    let volatile = volatile || leaf.volatile;
                    let at = self.out.pointer_add_bytes(from, leaf.offset);
                    let value = self.out.load_raw(at, leaf.scalar, leaf.bits, volatile);
                    let at = self.out.pointer_add_bytes(to, leaf.offset);
                    self.out.store_raw(at, leaf.scalar, leaf.bits, volatile, value);
                }
            }
            (Value::Memory(from), _) => {
                let bytes = self.types.size(ty).unwrap_or(0);
                let size = self.out.size(bytes);
                self.out.copy_bytes(to, from, size);
            }
            _ => {}
        }
    }

    /// The leaves of a record value that has them.
    pub fn value_leaves(&mut self, ty: TyId, value: Value) -> Rc<[ExprId]> {
        match value {
            Value::Leaves(leaves) => leaves,
            Value::Memory(pointer) => {
                let Some(leaves) = self.types.leaves(ty) else { return Rc::new([]) };
                let pointer = self.out.stable(pointer);
                leaves
                    .iter()
                    .map(|leaf| {
                        let at = self.out.pointer_add_bytes(pointer, leaf.offset);
                        self.out.load_raw(at, leaf.scalar, leaf.bits, leaf.volatile)
                    })
                    .collect()
            }
            Value::Scalar(e) => Rc::new([e]),
            Value::Void => Rc::new([]),
        }
    }

    /// Saves all parts of a value in temporaries, so that what is evaluated
    /// next cannot change it.
    pub fn save_operand(&mut self, operand: Operand) -> Operand {
        let value = match operand.value {
            Value::Scalar(e) => Value::Scalar(self.out.save(e)),
            Value::Void => Value::Void,
            Value::Memory(pointer) if self.types.leaves(operand.ty).is_none() => {
                self.copy_to_temporary(operand.ty, pointer)
            }
            value => {
                let leaves = self.value_leaves(operand.ty, value);
                Value::Leaves(leaves.iter().map(|&leaf| self.out.save(leaf)).collect())
            }
        };
        Operand { value, ..operand }
    }

    /// Copies a record in memory to a fresh object of the present scope.
    pub fn copy_to_temporary(&mut self, ty: TyId, from: ExprId) -> Value {
        let Ok(to) = self.allocate_local("tmp", ty.into(), Span::NONE, 0) else {
            return Value::Memory(from);
        };
        let bytes = self.types.size(ty).unwrap_or(0);
        let size = self.out.size(bytes);
        self.out.copy_bytes(to, from, size);
        Value::Memory(to)
    }

    /// Gives an lvalue any value.
    pub fn havoc_lvalue(&mut self, place: &LValue, why: &str, span: Span) -> Fallible<()> {
        let ty = place.ty.ty;
        let Some(leaves) = self.types.leaves(ty) else {
            return self
                .unsupported(span, format!("{why} that writes `{}` is", self.types.spell(ty)));
        };
        let source = NondetSource::Unmodelled(why.to_owned());
        let values = leaves.iter().map(|l| self.out.nondet(l.scalar, source.clone())).collect();
        self.write(place, self.types.value(ty, values), span)
    }
}

/// An lvalue in memory.
pub fn memory(ty: QualType, pointer: ExprId, valid: Option<u64>) -> LValue {
    LValue { ty, at: Where::Memory { pointer, valid }, bits: None }
}

/// The qualifiers of an array are those of its elements.
fn element_of(array: QualType, element: QualType) -> QualType {
    QualType {
        is_const: array.is_const || element.is_const,
        is_volatile: array.is_volatile || element.is_volatile,
        ..element
    }
}

/// Bytes that an access touches.
fn access_bytes(ty: Type, bits: Option<BitRange>, target: bolide_cfa::Target) -> u64 {
    match bits {
        Some(bits) => (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8),
        None => ty.size(target),
    }
}
