//! Initialisation: of statics before the run, of locals as part of it.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::global::{Definition, GlobalId};
use crate::initializer::InitItem;
use crate::input::{Fallible, Input};
use crate::types::{ArrayLen, CType, QualType, TyId, TypeStore};
use crate::value::{LValue, Place, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, ExprKind, InitId, InitializerKind};
use bolide_cfa::{BitRange, Expr, ExprId, InitialValue, Op, RegionId, StaticObject, Type};
use std::collections::BTreeMap;

/// Objects with at most so many scalars are set to zero one by one, larger ones
/// by filling with zero bytes. Heuristic: formulas like stores better.
const MAX_CELLS: usize = 32;

/// Offset and first bit of a part; its width, for bit-fields; its value.
type Constants = BTreeMap<(u64, u8), (Option<BitRange>, ExprId)>;

impl Emission {
    fn is_zero(&self, e: ExprId) -> bool {
        matches!(
            self.program.exprs.get(e),
            Expr::Int { bits: 0, .. } | Expr::Float { bits: 0, .. } | Expr::Null
        )
    }
}

impl Input<'_> {
    fn string_bytes(&self, item: &InitItem) -> u64 {
        match self.ast().exprs[item.value].kind {
            ExprKind::String(id) => {
                let literal = &self.ast().strings[id];
                (literal.units.len() as u64 + 1) * u64::from(literal.encoding.bytes())
            }
            _ => u64::MAX / 2,
        }
    }
}

impl TypeStore {
    /// The scalars of a type in memory, if they are few and none overlap.
    fn cells(&self, ty: TyId) -> Option<Vec<(u64, Option<BitRange>, Type)>> {
        let mut cells = Vec::new();
        self.collect_cells(ty, 0, None, &mut cells).then_some(cells)
    }

    fn collect_cells(
        &self,
        ty: TyId,
        offset: u64,
        bits: Option<BitRange>,
        into: &mut Vec<(u64, Option<BitRange>, Type)>,
    ) -> bool {
        if let Some(scalar) = self.scalar(ty) {
            into.push((offset, bits, scalar));
            return into.len() <= MAX_CELLS;
        }
        match self.get(ty) {
            CType::Array(of, ArrayLen::Fixed(n)) => {
                let Some(size) = self.size(of.ty) else { return false };
                if *n > MAX_CELLS as u64 {
                    return false;
                }
                (0..*n).all(|i| self.collect_cells(of.ty, offset + i * size, None, into))
            }
            CType::Record(r) => {
                let record = &self.records[*r];
                record.complete
                    && !record.is_union
                    && record.fields.iter().all(|f| {
                        self.collect_cells(f.ty.ty, offset + f.offset, f.bits, into)
                            || self.size(f.ty.ty).is_none()
                    })
            }
            _ => match (self.leaves(ty), self.lanes(ty)) {
                (Some(leaves), Some(_)) => {
                    into.extend(leaves.iter().map(|l| (offset + l.offset, None, l.scalar)));
                    into.len() <= MAX_CELLS
                }
                _ => false,
            },
        }
    }
}

impl Lowerer<'_> {
    /// Evaluates the initialiser of a static variable.
    pub fn lower_static_initializer(&mut self, id: GlobalId) -> Fallible<()> {
        let Some(Definition::Initializer(unit, init)) = self.linkage[id].definition else {
            return Ok(());
        };
        self.input.unit = unit;
        let ty = self.linkage[id].ty;
        let Some(place) = self.linkage[id].place.clone() else { return Ok(()) };
        self.initialize_static(ty, &place, init)
    }

    /// Gives a static its initial value.
    pub fn initialize_static(&mut self, ty: QualType, place: &Place, init: InitId) -> Fallible<()> {
        let before = std::mem::replace(&mut self.linkage.in_static_initializer, true);
        let result = self.unevaluated(|this| this.static_constants(ty, init));
        self.linkage.in_static_initializer = before;
        let constants = result?;
        match place {
            Place::Vars(vars) => {
                let leaves = self.types.leaves(ty.ty);
                let Some(leaves) = leaves else { return Ok(()) };
                for (leaf, &var) in leaves.iter().zip(vars.iter()) {
                    let key = (leaf.offset, leaf.bits.map_or(0, |b| b.offset));
                    if let Some(&(_, value)) = constants.get(&key) {
                        let value = self.out.cut_to_leaf(value, leaf);
                        self.out.program.variables[var].initial = Some(value);
                    }
                }
            }
            Place::Memory(pointer) => {
                let Expr::Object(object) = *self.out.program.exprs.get(*pointer) else {
                    return Ok(());
                };
                let mut end = 0;
                let mut initial = Vec::new();
                for ((offset, _), (bits, value)) in constants {
                    let size = self.out.type_of(value).size(self.out.program.target);
                    end = end.max(offset + if bits.is_some() { 0 } else { size });
                    if !self.out.is_zero(value) {
                        initial.push(InitialValue { offset, bits, value });
                    }
                }
                let object = &mut self.out.program.objects[object];
                // A flexible member makes the object larger than its type.
                object.size = object.size.max(end);
                object.initial = initial;
            }
        }
        Ok(())
    }

    fn static_constants(&mut self, ty: QualType, init: InitId) -> Fallible<Constants> {
        let flat = self.flatten(ty, init)?;
        let mut constants = Constants::new();
        for item in flat.items {
            self.static_item(item, &mut constants)?;
        }
        Ok(constants)
    }

    fn static_item(&mut self, item: InitItem, constants: &mut Constants) -> Fallible<()> {
        let unit = self.input.ast();
        let span = unit.exprs[item.value].span;
        if let CType::Array(of, len) = *self.types.get(item.ty.ty) {
            if let ExprKind::String(id) = unit.exprs[item.value].kind {
                let Some(int) = self.types.int_type(of.ty) else { return Ok(()) };
                let width = u64::from(int.bits / 8);
                let limit = match len {
                    ArrayLen::Fixed(n) => n as usize,
                    _ => usize::MAX,
                };
                let units = &unit.strings[id].units;
                for (i, &c) in units.iter().chain([&0]).take(limit).enumerate() {
                    let value = self.out.int(i128::from(c), int);
                    constants.insert((item.offset + i as u64 * width, 0), (None, value));
                }
            }
            return Ok(());
        }
        let operand = self.rvalue(item.value)?;
        let operand = self.convert_operand(operand, item.ty.ty, span)?;
        match operand.value {
            Value::Scalar(e) => {
                let e = self.constant(e, span)?;
                let first = item.bits.map_or(0, |b| b.offset);
                constants.insert((item.offset, first), (item.bits, e));
                Ok(())
            }
            value => {
                let Some(leaves) = self.types.leaves(item.ty.ty) else {
                    return self.error(span, "the initialiser is not constant");
                };
                let values = self.value_leaves(item.ty.ty, value);
                for (leaf, &value) in leaves.iter().zip(values.iter()) {
                    let value = self.constant(value, span)?;
                    let first = leaf.bits.map_or(0, |b| b.offset);
                    constants.insert((item.offset + leaf.offset, first), (leaf.bits, value));
                }
                Ok(())
            }
        }
    }

    /// Checks that an expression is constant; constant variables are replaced
    /// by their values, as gcc does.
    fn constant(&mut self, root: ExprId, span: Span) -> Fallible<ExprId> {
        let mut pending = vec![root];
        while let Some(e) = pending.pop() {
            match self.out.program.exprs.get(e).clone() {
                Expr::Var(var) => {
                    let variable = &self.out.program.variables[var];
                    if variable.function.is_none() {
                        let owns = |place: &Place| matches!(place, Place::Vars(vars) if vars.contains(&var));
                        self.drain_initializer(owns)?;
                    }
                    let variable = &self.out.program.variables[var];
                    if variable.function.is_some() || e != root {
                        return self.error(span, "the initialiser is not constant");
                    }
                    let ty = variable.ty;
                    let value = match variable.initial {
                        Some(value) => value,
                        None => self.out.zero(ty),
                    };
                    return Ok(value);
                }
                Expr::Load(_)
                | Expr::Leaked
                | Expr::HeapInUse
                | Expr::Valid { .. }
                | Expr::Freeable { .. }
                | Expr::ReadOnly(_)
                | Expr::Offset(_)
                | Expr::SameObject(..)
                | Expr::ObjectSize(_) => {
                    return self.error(span, "the initialiser is not constant");
                }
                other => pending.extend(other.operands()),
            }
        }
        Ok(root)
    }

    /// The initialiser of the global that lies in such a place, if it still waits.
    pub fn drain_initializer(&mut self, is_meant: impl Fn(&Place) -> bool) -> Fallible<()> {
        use crate::linkage::Work;
        let waiting = self.linkage.work.iter().position(|w| match w {
            Work::Initializer(id) => self.linkage[*id].place.as_ref().is_some_and(&is_meant),
            _ => false,
        });
        if let Some(i) = waiting
            && let Some(Work::Initializer(id)) = self.linkage.work.remove(i)
        {
            let unit = self.input.unit;
            let result = self.lower_static_initializer(id);
            self.input.unit = unit;
            result?;
        }
        Ok(())
    }

    // Locals.

    /// Initialises a local variable.
    pub fn initialize_local(&mut self, place: &LValue, init: InitId, span: Span) -> Fallible<()> {
        let unit = self.input.ast();
        let ty = place.ty.ty;
        if let InitializerKind::Expr(e) = unit.inits[init].kind
            && !self.types.is_array(ty)
            && !matches!(unit.exprs[e].kind, ExprKind::CompoundLiteral { .. })
        {
            let operand = self.rvalue(e)?;
            let operand = self.convert_operand(operand, ty, span)?;
            return self.write(place, operand.value, span);
        }
        let flat = self.flatten(place.ty, init)?;
        self.zero_rest(place, &flat.items)?;
        for item in &flat.items {
            self.initialize_part(place, item)?;
        }
        Ok(())
    }

    /// The part of a variable at an offset.
    fn part_at(
        &mut self,
        place: &LValue,
        ty: QualType,
        offset: u64,
        bits: Option<BitRange>,
    ) -> LValue {
        let at = match &place.at {
            Where::Vars { vars, first } => {
                let leaves = self.types.leaves(place.ty.ty);
                let index = leaves.and_then(|leaves| {
                    leaves.iter().position(|l| {
                        l.offset == offset
                            && l.bits.map(|b| b.offset)
                                == bits.map(|b| b.offset).or(l.bits.map(|b| b.offset))
                    })
                });
                Where::Vars { vars: vars.clone(), first: first + index.unwrap_or(0) }
            }
            Where::Memory { pointer, valid } => {
                let pointer = self.out.pointer_add_bytes(*pointer, offset);
                Where::Memory { pointer, valid: valid.and_then(|v| v.checked_sub(offset)) }
            }
            Where::Value(value) => Where::Value(value.clone()),
        };
        LValue { ty, at, bits }
    }

    fn initialize_part(&mut self, place: &LValue, item: &InitItem) -> Fallible<()> {
        let unit = self.input.ast();
        let span = unit.exprs[item.value].span;
        let part = self.part_at(place, item.ty, item.offset, item.bits);
        if let (CType::Array(of, len), ExprKind::String(id)) =
            (self.types.get(item.ty.ty).clone(), &unit.exprs[item.value].kind)
        {
            return self.initialize_string(&part, of, len, *id, span);
        }
        let operand = self.rvalue(item.value)?;
        let operand = self.convert_operand(operand, item.ty.ty, span)?;
        self.write(&part, operand.value, span)
    }

    fn initialize_string(
        &mut self,
        part: &LValue,
        of: QualType,
        len: ArrayLen,
        id: ast::StringId,
        span: Span,
    ) -> Fallible<()> {
        let unit = self.input.ast();
        let literal = &unit.strings[id];
        let Some(int) = self.types.int_type(of.ty) else { return Ok(()) };
        let width = u64::from(int.bits / 8);
        let given = literal.units.len() as u64 + 1;
        let count = match len {
            ArrayLen::Fixed(n) => n.min(given),
            _ => given,
        };
        let pointer = self.input.address(part, span)?;
        if count as usize > MAX_CELLS {
            let (object, _) = self.string_object(literal);
            let from = self.out.expr(Expr::Object(object));
            let size = self.out.size(count * width);
            self.out.copy_bytes(pointer, from, size);
            // To formulas a long copy is any text; that it ends is what readers need to know.
            let last = if let ArrayLen::Fixed(n) = len { n - 1 } else { given - 1 };
            if last + 1 >= given {
                let at = self.out.pointer_add_bytes(pointer, last * width);
                let zero = self.out.int(0, int);
                self.out.store_raw(at, Type::Int(int), None, part.ty.is_volatile, zero);
            }
            return Ok(());
        }
        for i in 0..count {
            let c = literal.units.get(i as usize).copied().unwrap_or(0);
            let value = self.out.int(i128::from(c), int);
            let at = self.out.pointer_add_bytes(pointer, i * width);
            self.out.store_raw(at, Type::Int(int), None, part.ty.is_volatile, value);
        }
        Ok(())
    }

    /// Sets to zero what the items leave out.
    fn zero_rest(&mut self, place: &LValue, items: &[InitItem]) -> Fallible<()> {
        let ty = place.ty.ty;
        let covered = |offset: u64, first: u8, types: &crate::types::TypeStore| {
            items.iter().any(|item| match item.bits {
                Some(bits) => item.offset == offset && bits.offset == first,
                None => {
                    let size = types.size(item.ty.ty).unwrap_or(0).max(1);
                    offset >= item.offset && offset < item.offset + size
                }
            })
        };
        match &place.at {
            Where::Vars { vars, first } => {
                let Some(leaves) = self.types.leaves(ty) else { return Ok(()) };
                for (i, leaf) in leaves.iter().enumerate() {
                    if !covered(leaf.offset, leaf.bits.map_or(0, |b| b.offset), &self.types) {
                        let zero = self.out.zero(leaf.scalar);
                        self.out.assign(vars[first + i], zero);
                    }
                }
            }
            Where::Memory { pointer, .. } => {
                let pointer = *pointer;
                match self.types.cells(ty) {
                    Some(cells) => {
                        for (offset, bits, scalar) in cells {
                            // A short string covers only its own characters.
                            let by_string = items.iter().any(|item| {
                                self.types.is_array(item.ty.ty)
                                    && offset >= item.offset + self.input.string_bytes(item)
                            });
                            let first = bits.map_or(0, |b| b.offset);
                            if by_string || !covered(offset, first, &self.types) {
                                let zero = self.out.zero(scalar);
                                let at = self.out.pointer_add_bytes(pointer, offset);
                                self.out.store_raw(at, scalar, bits, place.ty.is_volatile, zero);
                            }
                        }
                    }
                    None => {
                        if self.is_fully_covered(ty, items) {
                            return Ok(());
                        }
                        let size = self.size_expr(ty, Span::NONE)?;
                        let byte = self.out.int(0, bolide_cfa::IntType::unsigned(8));
                        self.out.emit(Op::Fill { to: pointer, byte, size, region: RegionId::ALL });
                    }
                }
            }
            Where::Value(_) => {}
        }
        Ok(())
    }

    /// Whether distinct items fill every byte of the type.
    fn is_fully_covered(&self, ty: TyId, items: &[InitItem]) -> bool {
        let mut parts: Vec<(u64, u64)> = items
            .iter()
            .map(|item| {
                let size = self.types.size(item.ty.ty).unwrap_or(0);
                let size = match self.types.get(item.ty.ty) {
                    CType::Array(..) => size.min(self.input.string_bytes(item)),
                    _ if item.bits.is_some() => 0,
                    _ => size,
                };
                (item.offset, item.offset + size)
            })
            .collect();
        parts.sort_unstable();
        let mut end = 0;
        for (start, stop) in parts {
            if start > end {
                return false;
            }
            end = end.max(stop);
        }
        self.types.size(ty).is_some_and(|size| end >= size)
    }

    /// `(type) { ... }`: an unnamed variable.
    pub fn compound_literal(
        &mut self,
        e: ast::ExprId,
        ty: ast::TypeNameId,
        init: InitId,
    ) -> Fallible<LValue> {
        let span = self.input.ast().exprs[e].span;
        let ty = self.type_name(ty)?;
        let ty = self.complete_by_initializer(ty, init)?;
        if self.linkage.in_static_initializer || !self.out.at.active {
            return self.static_literal(ty, init, span);
        }
        let taken = self.input.facts[self.input.unit].address_taken_literals.contains(&e);
        let out = self.input.span(span);
        let place = if !taken && self.types.fits_variables(ty) {
            let kind = bolide_cfa::VariableKind::Temporary;
            Place::Vars(self.make_variables("literal", ty, kind, out, Span::NONE))
        } else {
            Place::Memory(self.allocate_local("literal", ty, out, 0)?)
        };
        let place = self.types.at_place(ty, &place);
        self.initialize_local(&place, init, span)?;
        Ok(place)
    }

    fn static_literal(&mut self, ty: QualType, init: InitId, span: Span) -> Fallible<LValue> {
        let Some(size) = self.types.size(ty.ty) else {
            return self.error(span, "a compound literal of incomplete type");
        };
        let name = crate::scope::unique(&mut self.linkage.global_names, "literal".into());
        let align = self.types.align_qualified(ty);
        let span = self.input.span(span);
        let object = StaticObject::new(name, size, align, span);
        let object = StaticObject { constant: ty.is_const, ..object };
        let object = self.out.program.objects.push(object);
        let place = Place::Memory(self.out.expr(Expr::Object(object)));
        self.initialize_static(ty, &place, init)?;
        Ok(self.types.at_place(ty, &place))
    }
}
