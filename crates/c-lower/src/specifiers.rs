//! Types as declarations write them.

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::types::layout::{self, Member, RecordAttributes};
use crate::types::{
    ArrayLen, CType, EnumType, FunctionTy, IntKind, Note, QualType, RecordType, TyId, TypeStore,
};
use bolide_base::Span;
use bolide_c_syntax::ast::{
    self, ArithmeticKind, ArraySize, Attribute, AttributeArgument, BaseType, DerivedKind,
};
use bolide_cfa::{FloatKind, IntType, Type};
use std::rc::Rc;

/// How arrays of a length that is not constant are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Evaluated here and now: a variable-length array.
    Evaluate,
    /// Forgotten: in prototypes, where nothing is evaluated.
    Forget,
}

impl TypeStore {
    fn builtin_typedef(&self, name: &str) -> Option<TyId> {
        let kind = match name {
            "__CPROVER_size_t" => return Some(self.size_t()),
            "__CPROVER_ssize_t" => return Some(self.ptrdiff_t()),
            "__CPROVER_bool" => return Some(self.bool()),
            "__int128_t" => IntKind::Int128,
            "__uint128_t" => IntKind::UInt128,
            _ => return None,
        };
        Some(self.int_kind(kind))
    }

    /// Arrays and functions as parameters are pointers.
    pub fn adjust_parameter(&mut self, ty: QualType) -> QualType {
        let decayed = self.decay(ty.ty);
        if decayed == ty.ty { ty } else { decayed.into() }
    }

    /// Whether a type is incomplete only because its members could not be understood.
    fn is_refused(&self, ty: TyId) -> bool {
        match self.get(ty) {
            CType::Array(of, _) => self.is_refused(of.ty),
            CType::Record(record) => self.records[*record].is_refused,
            _ => false,
        }
    }

    fn enum_repr(&self, low: i128, high: i128, packed: bool) -> IntKind {
        use IntKind::*;
        let signed: &[IntKind] =
            if packed { &[SChar, Short, Int, Long, LongLong] } else { &[Int, Long, LongLong] };
        let unsigned: &[IntKind] = if packed {
            &[UChar, UShort, UInt, ULong, ULongLong]
        } else {
            &[UInt, ULong, ULongLong]
        };
        let candidates = if low < 0 { signed } else { unsigned };
        candidates
            .iter()
            .copied()
            .find(|&kind| {
                let ty = self.machine(kind);
                low >= ty.min() && high <= ty.max()
            })
            .unwrap_or(Int128)
    }
}

impl Lowerer<'_> {
    /// The type of a cast and the like.
    pub fn type_name(&mut self, id: ast::TypeNameId) -> Fallible<QualType> {
        let unit = self.input.ast();
        let name = &unit.type_names[id];
        let base = self.base_type(&name.specifiers)?;
        self.declared_type(base, &name.declarator, Lengths::Evaluate)
    }

    /// The type that specifiers name, with attributes.
    pub fn base_type(&mut self, specifiers: &ast::Specifiers) -> Fallible<QualType> {
        let span = specifiers.base_span;
        let mut ty = match specifiers.base {
            BaseType::Void => self.types.void().into(),
            BaseType::ImplicitInt => self.types.int().into(),
            BaseType::Arithmetic(arithmetic) => self.arithmetic_type(arithmetic, span)?.into(),
            BaseType::Typedef(name) => match self.names().get(name) {
                Some(crate::scope::Binding::Typedef(ty)) => {
                    for note in self
                        .linkage
                        .typedef_notes
                        .get(&(self.input.unit, name))
                        .cloned()
                        .unwrap_or_default()
                    {
                        self.note(note);
                    }
                    ty
                }
                _ => {
                    if let Some(known) = self.types.builtin_typedef(self.input.text(name)) {
                        known.into()
                    } else {
                        return self.lookup_failed(name, span);
                    }
                }
            },
            BaseType::Record(id) => self.record_type(id)?.into(),
            BaseType::Enum(id) => self.enum_type(id)?.into(),
            BaseType::TypeofExpr { operand, unqualified } => {
                let ty = self.typeof_expr(operand)?;
                if unqualified { ty.ty.into() } else { ty }
            }
            BaseType::TypeofType { operand, unqualified } => {
                let ty = self.type_name(operand)?;
                if unqualified { ty.ty.into() } else { ty }
            }
            BaseType::Atomic(ty) => self.type_name(ty)?,
            BaseType::AutoType => {
                return self.error(span, "`__auto_type` needs an initialiser");
            }
            BaseType::VaList => self.types.va_list().into(),
            BaseType::BitInt { .. } => return self.unsupported(span, "`_BitInt` is"),
        };
        ty.is_const |= specifiers.qualifiers.is_const;
        ty.is_volatile |= specifiers.qualifiers.is_volatile;
        for attribute in &specifiers.attributes {
            ty = self.type_attribute(ty, attribute)?;
        }
        Ok(ty)
    }

    /// The type of the operand of `typeof`, which is evaluated if the type varies.
    fn typeof_expr(&mut self, operand: ast::ExprId) -> Fallible<QualType> {
        let place = self.unevaluated(|this| this.designate(operand))?;
        if self.types.wide(place.ty.ty, place.bits.map(|bits| bits.width)).is_some() {
            let span = self.input.ast().exprs[operand].span;
            self.unmodelled(span, "the type of a bit-field wider than `int`");
        }
        let pointee = self.types.pointee(place.ty.ty).map(|to| to.ty);
        let varies = |ty| self.types.is_variable(ty);
        if varies(place.ty.ty) || pointee.is_some_and(varies) {
            return self.designate(operand).map(|place| place.ty);
        }
        Ok(place.ty)
    }

    /// The type that arithmetic keywords name.
    pub fn arithmetic_type(&mut self, ty: ast::ArithmeticType, span: Span) -> Fallible<TyId> {
        use ArithmeticKind as A;
        let part = match ty.kind {
            A::Bool => return Ok(self.types.bool()),
            A::Char => CType::Int(IntKind::Char),
            A::SignedChar => CType::Int(IntKind::SChar),
            A::UnsignedChar => CType::Int(IntKind::UChar),
            A::Short => CType::Int(IntKind::Short),
            A::UnsignedShort => CType::Int(IntKind::UShort),
            A::Int => CType::Int(IntKind::Int),
            A::UnsignedInt => CType::Int(IntKind::UInt),
            A::Long => CType::Int(IntKind::Long),
            A::UnsignedLong => CType::Int(IntKind::ULong),
            A::LongLong => CType::Int(IntKind::LongLong),
            A::UnsignedLongLong => CType::Int(IntKind::ULongLong),
            A::Int128 => CType::Int(IntKind::Int128),
            A::UnsignedInt128 => CType::Int(IntKind::UInt128),
            A::Float | A::Float32 => CType::Float(FloatKind::F32),
            A::Double | A::Float64 | A::Float32x => CType::Float(FloatKind::F64),
            A::LongDouble | A::Float64x => CType::Float(FloatKind::F80),
            A::Float128 => CType::Float(FloatKind::F128),
            A::Float16 | A::Decimal32 | A::Decimal64 | A::Decimal128 => {
                return self.unsupported(span, "decimal and half floats are");
            }
        };
        let part = self.types.intern(part);
        Ok(if ty.is_complex { self.types.intern(CType::Complex(part)) } else { part })
    }

    /// Applies what a declarator derives, from the outermost inwards.
    pub fn declared_type(
        &mut self,
        base: QualType,
        declarator: &ast::Declarator,
        lengths: Lengths,
    ) -> Fallible<QualType> {
        let mut ty = base;
        for derived in declarator.derived.iter().rev() {
            ty = match &derived.kind {
                DerivedKind::Pointer { qualifiers, attributes } => {
                    self.see_attributes(attributes);
                    let pointer = self.types.pointer(ty);
                    QualType {
                        is_const: qualifiers.is_const,
                        is_volatile: qualifiers.is_volatile,
                        ..pointer.into()
                    }
                }
                DerivedKind::Array { size, .. } => {
                    if self.types.is_function(ty.ty) {
                        return self.error(derived.span, "an array of functions");
                    }
                    let len = self.array_length(*size, lengths)?;
                    let array = self.types.array(ty, len);
                    QualType {
                        align: 0,
                        is_const: ty.is_const,
                        is_volatile: ty.is_volatile,
                        ty: array,
                    }
                }
                DerivedKind::Function(parameters) => self.function_type(ty, *parameters)?.into(),
            };
        }
        for attribute in &declarator.attributes {
            ty = self.type_attribute(ty, attribute)?;
        }
        Ok(ty)
    }

    fn array_length(&mut self, size: ArraySize, lengths: Lengths) -> Fallible<ArrayLen> {
        let ArraySize::Expr(e) = size else { return Ok(ArrayLen::Unknown) };
        let span = self.input.ast().exprs[e].span;
        if lengths == Lengths::Forget {
            // Names of other parameters may stand here; they mean nothing yet.
            return Ok(match self.try_constant_int(e) {
                Ok(Some((n, _))) if n >= 0 => ArrayLen::Fixed(n as u64),
                _ => ArrayLen::Unknown,
            });
        }
        if let Some((n, _)) = self.try_constant_int(e)? {
            return match u64::try_from(n) {
                Ok(n) => Ok(ArrayLen::Fixed(n)),
                Err(_) => self.violation(span, "the length of an array is negative"),
            };
        }
        if !self.out.at.active {
            return self.error(span, "the length of an array at file scope is not constant");
        }
        let operand = self.rvalue(e)?;
        if !self.types.is_integer(operand.ty) {
            return self.error(span, "the length of an array is not an integer");
        }
        let value = self.expect_scalar(&operand, span)?;
        let size = Type::Int(self.out.program.target.size_type());
        let value = self.out.cast(size, value);
        let var = self.out.temporary(size);
        self.out.assign(var, value);
        self.capture_length(var);
        Ok(ArrayLen::Variable(var))
    }

    fn function_type(&mut self, result: QualType, id: ast::ParamsId) -> Fallible<TyId> {
        let unit = self.input.ast();
        let ty = match &unit.params[id].kind {
            ast::ParametersKind::Unspecified | ast::ParametersKind::Names(_) => {
                FunctionTy { result, parameters: Rc::new([]), variadic: false, prototype: false }
            }
            ast::ParametersKind::Prototype { parameters, is_variadic } => {
                let depth = self.names().depth();
                let unit_index = self.input.unit;
                self.linkage.names[unit_index].enter();
                let types = self.prototype_types(parameters);
                self.linkage.names[unit_index].leave_to(depth);
                FunctionTy {
                    result,
                    parameters: types?.into(),
                    variadic: *is_variadic,
                    prototype: true,
                }
            }
        };
        Ok(self.types.intern(CType::Function(ty)))
    }

    fn prototype_types(&mut self, parameters: &[ast::Parameter]) -> Fallible<Vec<QualType>> {
        let mut types = Vec::new();
        for parameter in parameters.iter().filter(|p| !p.is_forward) {
            let base = self.base_type(&parameter.specifiers)?;
            let ty = self.declared_type(base, &parameter.declarator, Lengths::Forget)?;
            let ty = self.types.adjust_parameter(ty);
            if self.types.is_void(ty.ty) && parameters.len() == 1 {
                break;
            }
            types.push(ty);
        }
        Ok(types)
    }

    /// The type of a parameter of a definition; array lengths are evaluated.
    pub fn parameter_type(&mut self, parameter: &ast::Parameter) -> Fallible<QualType> {
        let base = self.base_type(&parameter.specifiers)?;
        // The outermost length means nothing: the parameter is a pointer.
        let mut declarator = parameter.declarator.clone();
        if let Some(first) = declarator.derived.first_mut()
            && let DerivedKind::Array { size, .. } = &mut first.kind
        {
            *size = ArraySize::Unspecified;
        }
        let ty = self.declared_type(base, &declarator, Lengths::Evaluate)?;
        Ok(self.types.adjust_parameter(ty))
    }

    /// Types of the parameters of a K&R definition, each with the place of its
    /// declaration.
    pub fn old_style_types(
        &mut self,
        definition: &ast::FunctionDefinition,
        names: &[(ast::Symbol, Span)],
    ) -> Fallible<Vec<(QualType, Span)>> {
        let unit = self.input.ast();
        let int: QualType = self.types.int().into();
        let mut types: Vec<(QualType, Span)> = names.iter().map(|&(_, s)| (int, s)).collect();
        for &decl in &definition.parameter_declarations {
            let decl = &unit.decls[decl];
            let base = self.base_type(&decl.specifiers)?;
            for d in &decl.declarators {
                let Some(name) = d.declarator.name else { continue };
                let ty = self.declared_type(base, &d.declarator, Lengths::Forget)?;
                let ty = self.types.adjust_parameter(ty);
                if let Some(i) = names.iter().position(|&(n, _)| n == name) {
                    types[i] = (ty, d.declarator.name_span);
                }
            }
        }
        Ok(types)
    }

    // Attributes.

    fn type_attribute(&mut self, ty: QualType, attribute: &Attribute) -> Fallible<QualType> {
        self.see_attribute(attribute);
        match self.input.text(attribute.name) {
            "aligned" => {
                let align = self.attribute_number(attribute, 16)?;
                if !align.is_power_of_two() || align > 1 << 28 {
                    return self.error(attribute.span, "the alignment is not a power of two");
                }
                Ok(QualType { align: align as u32, ..ty })
            }
            "vector_size" => {
                let bytes = self.attribute_number(attribute, 16)?;
                self.vector_type(ty, bytes, attribute.span)
            }
            "ext_vector_type" => self.unsupported(attribute.span, "`ext_vector_type` is"),
            "mode" => self.mode_attribute(ty, attribute),
            _ => Ok(ty),
        }
    }

    fn mode_attribute(&mut self, ty: QualType, attribute: &Attribute) -> Fallible<QualType> {
        let Some(AttributeArgument::Expr(e)) = attribute.arguments.first() else { return Ok(ty) };
        let ast::ExprKind::Name(name) = self.input.ast().exprs[*e].kind else { return Ok(ty) };
        let mode = self.input.text(name).trim_matches('_').to_owned();
        let signed = self.types.int_type(ty.ty).is_none_or(|t| t.signed);
        let pointer =
            if self.out.program.target.pointer_bits == 64 { IntKind::Long } else { IntKind::Int };
        let kind = match mode.as_str() {
            "QI" | "byte" => IntKind::SChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" if self.out.program.target.pointer_bits == 64 => IntKind::Long,
            "DI" => IntKind::LongLong,
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" => pointer,
            "SF" | "DF" | "XF" | "TF" | "SC" | "DC" | "XC" | "TC" => {
                let mut id = self.types.float(match mode.as_bytes()[0] {
                    b'S' => FloatKind::F32,
                    b'D' => FloatKind::F64,
                    b'X' => FloatKind::F80,
                    _ => FloatKind::F128,
                });
                if mode.ends_with('C') {
                    id = self.types.intern(CType::Complex(id));
                }
                return Ok(QualType { ty: id, ..ty });
            }
            _ => return self.unsupported(attribute.span, format!("the mode `{mode}` is")),
        };
        let kind = if signed { kind } else { kind.to_unsigned() };
        Ok(QualType { ty: self.types.int_kind(kind), ..ty })
    }

    /// The largest alignment that `_Alignas` and `aligned` ask for; 0 for none.
    pub fn declared_alignment(
        &mut self,
        specifiers: &ast::Specifiers,
        declarator: &ast::Declarator,
    ) -> Fallible<u64> {
        let mut align = 0;
        for alignment in &specifiers.alignments {
            align = align.max(match alignment {
                ast::Alignment::Type(ty) => {
                    let ty = self.type_name(*ty)?;
                    self.types.align_qualified(ty)
                }
                ast::Alignment::Expr(e) => self.constant_int(*e)?.0.max(0) as u64,
            });
        }
        for attribute in specifiers.attributes.iter().chain(&declarator.attributes) {
            if self.input.text(attribute.name) == "aligned" {
                align = align.max(self.attribute_number(attribute, 16)?);
            }
        }
        if align != 0 && !align.is_power_of_two() {
            return self.error(declarator.span, "the alignment is not a power of two");
        }
        Ok(align)
    }

    // Records and enums.

    /// The type that a struct or union specifier names or defines.
    pub fn record_type(&mut self, id: ast::RecordId) -> Fallible<TyId> {
        if let Some(&ty) = self.linkage.record_types[self.input.unit].get(&id) {
            return Ok(ty);
        }
        let unit = self.input.ast();
        let specifier = &unit.records[id];
        let is_union = specifier.kind == ast::RecordKind::Union;
        let Some(members) = &specifier.members else {
            let Some((tag, _)) = specifier.tag else {
                return self.error(specifier.span, "a record without tag and members");
            };
            if let Some(ty) = self.names().get_tag(tag) {
                return Ok(ty);
            }
            let ty = self.new_record(Some(tag), is_union, specifier.span);
            self.names_mut().set_tag(tag, ty);
            return Ok(ty);
        };
        let known = specifier.tag.and_then(|(tag, _)| {
            let ty = self.names().get_tag_here(tag)?;
            let record = self.types.as_record(ty)?;
            let record = &self.types.records[record];
            (!record.complete && record.is_union == is_union).then_some(ty)
        });
        let ty = match known {
            Some(ty) => ty,
            None => {
                let ty = self.new_record(specifier.tag.map(|t| t.0), is_union, specifier.span);
                if let Some((tag, _)) = specifier.tag {
                    self.names_mut().set_tag(tag, ty);
                }
                ty
            }
        };
        self.linkage.record_types[self.input.unit].insert(id, ty);
        let before = self.linkage.notes.len();
        self.see_attributes(&specifier.attributes);
        if self.input.is_big_endian(specifier.span) {
            let name = "scalar_storage_order".into();
            self.note(Note { name, span: self.input.span(specifier.span) });
        }
        let members = match self.record_members(members) {
            Ok(members) => members,
            Err(diagnostic) => {
                let record = self.types.as_record(ty);
                record.into_iter().for_each(|r| self.types.records[r].is_refused = true);
                return Err(diagnostic);
            }
        };
        let notes = self.linkage.notes.split_off(before);
        let mut attributes = RecordAttributes {
            pack: specifier.pack.map(u64::from),
            packed: self.input.has_attribute(&specifier.attributes, "packed"),
            align: 0,
        };
        for attribute in &specifier.attributes {
            if self.input.text(attribute.name) == "aligned" {
                attributes.align = attributes.align.max(self.attribute_number(attribute, 16)?);
            }
        }
        let Some(layout) = layout::layout(&self.types, is_union, &members, attributes) else {
            let message = "a member has an incomplete type or is too large";
            if members.iter().any(|m| self.types.is_refused(m.ty.ty)) {
                return self.error(specifier.span, message);
            }
            return self.violation(specifier.span, message);
        };
        if let Some(record) = self.types.as_record(ty) {
            let record = &mut self.types.records[record];
            record.complete = true;
            record.fields = layout.fields.into();
            record.size = layout.size;
            record.align = layout.align;
            record.notes = notes;
        }
        Ok(ty)
    }

    fn new_record(&mut self, tag: Option<ast::Symbol>, is_union: bool, span: Span) -> TyId {
        let tag = tag.map(|t| self.input.text(t).into());
        let record = self.types.records.push(RecordType {
            tag,
            is_union,
            complete: false,
            fields: Rc::new([]),
            size: 0,
            align: 1,
            span,
            notes: Vec::new(),
            is_refused: false,
        });
        self.types.intern(CType::Record(record))
    }

    /// `struct tag;` alone declares the tag in the present scope.
    pub fn forward_record(&mut self, id: ast::RecordId) -> Fallible<()> {
        let unit = self.input.ast();
        let specifier = &unit.records[id];
        match (&specifier.members, specifier.tag) {
            (None, Some((tag, _))) => {
                if self.names().get_tag_here(tag).is_none() {
                    let is_union = specifier.kind == ast::RecordKind::Union;
                    let ty = self.new_record(Some(tag), is_union, specifier.span);
                    self.names_mut().set_tag(tag, ty);
                }
                Ok(())
            }
            _ => self.record_type(id).map(drop),
        }
    }

    fn record_members(&mut self, members: &[ast::Member]) -> Fallible<Vec<Member>> {
        let mut result = Vec::new();
        for member in members {
            let fields = match member {
                ast::Member::Fields(fields) => fields,
                ast::Member::StaticAssert(assert) => {
                    self.static_assert(assert)?;
                    continue;
                }
            };
            let base = self.base_type(&fields.specifiers)?;
            if fields.fields.is_empty() {
                if self.types.is_record(base.ty) {
                    result.push(Member {
                        name: None,
                        ty: base,
                        width: None,
                        packed: self.input.has_attribute(&fields.specifiers.attributes, "packed"),
                        align: 0,
                    });
                }
                continue;
            }
            for field in &fields.fields {
                // Attributes of a member concern its placement, not its type.
                let ty = self.declared_type(base, &field.declarator, Lengths::Evaluate)?;
                let align = self.declared_alignment(&fields.specifiers, &field.declarator)?;
                let ty = QualType { align: if align != 0 { 0 } else { ty.align }, ..ty };
                if self.types.is_function(ty.ty) {
                    return self.error(field.span, "a member that is a function");
                }
                if self.types.is_variable(ty.ty) {
                    return self.unsupported(field.span, "a member of variable length is");
                }
                let width = match field.width {
                    None => None,
                    Some(e) => {
                        let (width, _) = self.constant_int(e)?;
                        let bits = self.types.int_type(ty.ty).map_or(0, |t| t.bits);
                        match u8::try_from(width) {
                            Ok(width) if width <= bits => Some(width),
                            _ => {
                                return self.violation(
                                    field.span,
                                    "the width of a bit-field does not fit its type",
                                );
                            }
                        }
                    }
                };
                let packed = self.input.has_attribute(&field.declarator.attributes, "packed")
                    || self.input.has_attribute(&fields.specifiers.attributes, "packed");
                let name = field.declarator.name.map(|n| self.input.text(n).into());
                result.push(Member { name, ty, width, packed, align });
            }
        }
        Ok(result)
    }

    /// The type that an enum specifier names or defines.
    pub fn enum_type(&mut self, id: ast::EnumId) -> Fallible<TyId> {
        if let Some(&ty) = self.linkage.enum_types[self.input.unit].get(&id) {
            return Ok(ty);
        }
        let unit = self.input.ast();
        let specifier = &unit.enums[id];
        let known = match specifier.tag {
            Some((tag, _)) if specifier.enumerators.is_none() => self.names().get_tag(tag),
            Some((tag, _)) => self.names().get_tag_here(tag),
            None => None,
        };
        let known = known.filter(|&ty| matches!(self.types.get(ty), CType::Enum(_)));
        let ty = match known {
            Some(ty) => ty,
            None => {
                let tag = specifier.tag.map(|t| self.input.text(t.0).into());
                let e =
                    self.types.enums.push(EnumType { tag, repr: IntKind::UInt, complete: false });
                let ty = self.types.intern(CType::Enum(e));
                if let Some((tag, _)) = specifier.tag {
                    self.names_mut().set_tag(tag, ty);
                }
                ty
            }
        };
        let Some(enumerators) = &specifier.enumerators else { return Ok(ty) };
        self.linkage.enum_types[self.input.unit].insert(id, ty);
        self.see_attributes(&specifier.attributes);
        let fixed = match specifier.underlying {
            Some(ty) => {
                let ty = self.type_name(ty)?;
                self.types.int_kind_of(ty.ty)
            }
            None => None,
        };
        let mut next = 0i128;
        let (mut low, mut high) = (0i128, 0i128);
        let int = self.types.int();
        let mut wide = Vec::new();
        for enumerator in enumerators {
            self.see_attributes(&enumerator.attributes);
            let value = match enumerator.value {
                Some(e) => self.constant_int(e)?.0,
                None => next,
            };
            (low, high) = (low.min(value), high.max(value));
            next = value + 1;
            let fits = IntType::signed(32);
            if value < fits.min() || value > fits.max() {
                wide.push((enumerator.name, value));
            }
            self.names_mut().set(enumerator.name, crate::scope::Binding::Enumerator(value, int));
        }
        let packed = self.input.has_attribute(&specifier.attributes, "packed");
        let repr = fixed.unwrap_or_else(|| self.types.enum_repr(low, high, packed));
        for (name, value) in wide {
            let ty = self.types.int_kind(repr);
            self.names_mut().set(name, crate::scope::Binding::Enumerator(value, ty));
        }
        if let CType::Enum(e) = *self.types.get(ty) {
            self.types.enums[e].repr = repr;
            self.types.enums[e].complete = true;
        }
        Ok(ty)
    }
}
