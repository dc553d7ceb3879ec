//! Library functions that are operations of the program.

use super::table::Model;
use crate::context::{Fallible, Lowerer};
use crate::place::Place;
use crate::types::{CType, FunctionTy};
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_cfa::MathFn;
use bolide_cfa::{
    AllocKind, BinaryOp, CompareOp, Expr, ExprId, FloatTest, IntType, NondetSource, Op, Property,
    RegionId, Type, UnaryOp,
};

impl Lowerer<'_> {
    /// Lowers a call to a function of the table.
    pub fn apply_model(
        &mut self,
        model: Model,
        name: &str,
        ty: &FunctionTy,
        operands: Vec<Operand>,
        span: Span,
        used: bool,
    ) -> Fallible<Operand> {
        let scalars: Vec<ExprId> = operands
            .iter()
            .filter_map(|o| match o.value {
                Value::Scalar(e) => Some(e),
                _ => None,
            })
            .collect();
        let needed = match model {
            Model::Assume
            | Model::Assert
            | Model::Malloc
            | Model::Free
            | Model::Alloca
            | Model::Float(_)
            | Model::Test(_)
            | Model::ObjectSize
            | Model::CheckFreeable
            | Model::CheckText
            | Model::AllocateStatic => 1,
            Model::Calloc
            | Model::AlignedAlloc
            | Model::Zero
            | Model::Extreme(_)
            | Model::CopySign
            | Model::Divide
            | Model::ScanText
            | Model::CheckReadable => 2,
            Model::Copy | Model::CopyToEnd | Model::CopyFrom | Model::Fill => 3,
            _ => 0,
        };
        if scalars.len() < needed {
            return self.error(span, format!("`{name}` needs {needed} arguments"));
        }
        if model == Model::Output(bolide_cfa::OutputKind::Puts)
            && let Some(text) = operands.first()
        {
            self.read_text(text, None, span)?;
        }
        let size_ty = Type::Int(self.program.target.size_type());
        let library = || NondetSource::Library(name.to_owned());
        let value = match model {
            Model::Assume => {
                let condition = self.b().truth(scalars[0]);
                self.assume(condition);
                None
            }
            Model::Assert => {
                let condition = self.b().truth(scalars[0]);
                self.assert_condition(condition, span);
                None
            }
            Model::AssertionFails => {
                let text = scalars.first().and_then(|&e| self.string_text(e));
                let text = text.unwrap_or_else(|| self.snippet(span));
                self.assertion_fails(&text, span);
                None
            }
            Model::Abort => {
                self.halt(None);
                None
            }
            Model::Exit | Model::QuickExit => {
                if model == Model::Exit {
                    self.run_exit_handlers(span)?;
                    self.check_memory_at_end(span);
                }
                let status = scalars.first().map(|&e| self.b().cast(Type::signed(32), e));
                self.halt(status);
                None
            }
            Model::Unreachable => {
                let never = self.bool(false);
                if self.f.cur.is_some() {
                    self.emit(Op::Assume(never));
                    self.f.cur = None;
                }
                None
            }
            Model::Malloc => {
                let size = self.b().cast(size_ty, scalars[0]);
                Some(self.allocate_heap(size, false, name))
            }
            Model::AlignedAlloc => {
                let size = self.b().cast(size_ty, scalars[1]);
                Some(self.allocate_heap(size, false, name))
            }
            Model::Calloc => {
                let size = self.array_size(scalars[0], scalars[1]);
                Some(self.allocate_heap(size, true, name))
            }
            Model::Free => {
                let pointer = self.b().cast(Type::Pointer, scalars[0]);
                self.check_freeable(pointer, span);
                self.emit(Op::Free { pointer, region: RegionId::ALL });
                None
            }
            Model::CheckFreeable => {
                let pointer = self.b().cast(Type::Pointer, scalars[0]);
                self.check_freeable(pointer, span);
                None
            }
            Model::Alloca => {
                let size = self.b().cast(size_ty, scalars[0]);
                Some(self.alloca(name, size, span))
            }
            Model::AllocateStatic => {
                let size = self.b().cast(size_ty, scalars[0]);
                Some(self.allocate(size, AllocKind::Static, false))
            }
            Model::Copy | Model::CopyToEnd | Model::CopyFrom => {
                let (to, from) = if model == Model::CopyFrom {
                    (scalars[1], scalars[0])
                } else {
                    (scalars[0], scalars[1])
                };
                let to = self.b().cast(Type::Pointer, to);
                let from = self.b().cast(Type::Pointer, from);
                let size = self.b().cast(size_ty, scalars[2]);
                let (to, from, size) =
                    if used { (self.save(to), from, self.save(size)) } else { (to, from, size) };
                self.check_block(from, size, span, "reads");
                self.check_block(to, size, span, "writes");
                self.copy_bytes(to, from, size);
                Some(if model == Model::CopyToEnd {
                    let offset_ty = Type::Int(self.program.target.offset_type());
                    let offset = self.b().cast(offset_ty, size);
                    self.b().pointer_add(to, offset)
                } else {
                    to
                })
            }
            Model::Fill | Model::Zero => {
                let byte_ty = Type::Int(IntType::unsigned(8));
                let to = self.b().cast(Type::Pointer, scalars[0]);
                let (byte, size) = if model == Model::Zero {
                    (self.b().zero(byte_ty), scalars[1])
                } else {
                    (self.b().cast(byte_ty, scalars[1]), scalars[2])
                };
                let size = self.b().cast(size_ty, size);
                let to = if used { self.save(to) } else { to };
                self.check_block(to, size, span, "writes");
                if self.program.exprs.as_int(size) != Some(0) {
                    self.emit(Op::Fill { to, byte, size, region: RegionId::ALL });
                }
                Some(to)
            }
            Model::Output(kind) => {
                let result = (used && !self.types.is_void(ty.result.ty))
                    .then(|| self.temporary(Type::signed(32)));
                self.emit(Op::Output { kind, arguments: scalars, result });
                result.map(|var| self.program.read(var))
            }
            Model::Nothing => self.types.scalar(ty.result.ty).map(|scalar| self.b().zero(scalar)),
            Model::Any | Model::Value if !used => return self.dead_value(ty.result.ty),
            Model::Any => return self.nondet_operand(ty.result.ty, library(), span),
            Model::Value => {
                let name = if name.starts_with("__bolide") { &self.model_name() } else { name };
                let source = NondetSource::Unmodelled(format!("the value of `{name}`"));
                return self.nondet_operand(ty.result.ty, source, span);
            }
            Model::Unknown => {
                let source = NondetSource::Library(self.model_name());
                return self.nondet_operand(ty.result.ty, source, span);
            }
            Model::Refused(what) => return self.unsupported(span, format!("`{name}` ({what}) is")),
            Model::Foreign => return self.call_unknown(name, ty, operands, span, used),
            Model::Print(sink, format) | Model::PrintList(sink, format) => {
                let list = matches!(model, Model::PrintList(..));
                let call = super::output::Print {
                    name,
                    sink,
                    format,
                    list,
                    operands: &operands,
                    span,
                    used,
                };
                return match self.print(&call, ty)? {
                    Some(operand) => Ok(operand),
                    None => self.call_unknown(name, ty, operands, span, used),
                };
            }
            Model::Scan(_) | Model::ScanText => {
                let (format, from) = match model {
                    Model::Scan(format) => (format, None),
                    _ => (1, operands.first()),
                };
                let rest = operands.get(format..).unwrap_or(&[]);
                return match self.scan(name, from, rest, ty, span)? {
                    Some(operand) => Ok(operand),
                    None => self.call_unknown(name, ty, operands, span, used),
                };
            }
            Model::Divide => return self.divide(ty, scalars[0], scalars[1], span),
            Model::CheckText => {
                self.read_text(&operands[0], None, span)?;
                None
            }
            Model::CheckReadable => {
                let pointer = self.b().cast(Type::Pointer, scalars[0]);
                let size = self.b().cast(size_ty, scalars[1]);
                self.check_block(pointer, size, span, "reads");
                None
            }
            Model::Computed(kind) => {
                let Some(scalar) = self.types.scalar(ty.result.ty) else {
                    return self.dead_value(ty.result.ty);
                };
                Some(self.computed(kind, scalars, scalar))
            }
            Model::Math(function) => {
                let arguments = self.math_arguments(function, ty, &scalars);
                let scalar = self.types.scalar(ty.result.ty).unwrap_or(Type::signed(32));
                Some(self.computed(bolide_cfa::OutputKind::Math(function), arguments, scalar))
            }
            Model::AnyBetween(low, high) => {
                if !used {
                    return self.dead_value(ty.result.ty);
                }
                let operand = self.nondet_operand(ty.result.ty, library(), span)?;
                if let Value::Scalar(e) = operand.value {
                    self.assume_between(e, i128::from(low), i128::from(high));
                }
                return Ok(operand);
            }
            Model::Float(function) => {
                let a = self.float_argument(ty, scalars[0]);
                Some(self.program.expr(Expr::FloatFn(function, a)))
            }
            Model::Test(test) => {
                let a = self.float_argument(ty, scalars[0]);
                let condition = self.b().float_test(test, a);
                let value = self.b().cast(Type::signed(32), condition);
                let int = self.types.int();
                return Ok(Operand::scalar(int, value));
            }
            Model::Extreme(min) => {
                let a = self.float_argument(ty, scalars[0]);
                let b = self.float_argument(ty, scalars[1]);
                Some(self.float_extreme(a, b, min))
            }
            Model::CopySign => {
                let a = self.float_argument(ty, scalars[0]);
                let b = self.float_argument(ty, scalars[1]);
                let abs = self.program.expr(Expr::FloatFn(bolide_cfa::FloatFn::Abs, a));
                let negative = self.b().unary(UnaryOp::Neg, abs);
                let sign = self.b().float_test(FloatTest::SignBit, b);
                Some(self.b().ite(sign, negative, abs))
            }
            Model::ObjectSize => {
                let pointer = self.b().cast(Type::Pointer, scalars[0]);
                Some(self.program.expr(Expr::ObjectSize(pointer)))
            }
        };
        self.model_result(ty, value, span)
    }

    /// The library function whose model is being lowered; parts of several have no name.
    fn model_name(&self) -> String {
        match self.f.name.as_str() {
            name if name.starts_with("__bolide") && name != "__bolide_argv" => "the library".into(),
            name => name.to_owned(),
        }
    }

    /// A function of the library that has no model: as one without a body.
    fn call_unknown(
        &mut self,
        name: &str,
        ty: &FunctionTy,
        operands: Vec<Operand>,
        span: Span,
        used: bool,
    ) -> Fallible<Operand> {
        let id = self.implicit_function(name, span);
        self.call_external(id, ty, operands, span, used)
    }

    /// `div` and its kind: a record of quotient and remainder.
    fn divide(&mut self, ty: &FunctionTy, a: ExprId, b: ExprId, span: Span) -> Fallible<Operand> {
        let leaves: Vec<Type> = match self.types.leaves(ty.result.ty) {
            Some(leaves) => leaves.iter().map(|leaf| leaf.scalar).collect(),
            None => Vec::new(),
        };
        let [quotient @ Type::Int(_), Type::Int(_)] = leaves[..] else {
            return self.error(span, "this library function is declared with a strange type");
        };
        let (a, b) = (self.b().cast(quotient, a), self.b().cast(quotient, b));
        let (a, b) = (self.save(a), self.save(b));
        self.check_divisor(b, span);
        let whole = self.b().binary(BinaryOp::Div, a, b);
        let rest = self.b().binary(BinaryOp::Rem, a, b);
        let values = vec![self.save(whole), self.save(rest)];
        Ok(Operand { ty: ty.result.ty, value: Value::Leaves(values.into()), width: None })
    }

    /// All floats in the format of the first; what scales is an integer.
    fn math_arguments(
        &mut self,
        function: MathFn,
        ty: &FunctionTy,
        scalars: &[ExprId],
    ) -> Vec<ExprId> {
        let scales = |i: usize| i == 1 && function == MathFn::Scale;
        let mut arguments = Vec::new();
        for (i, &e) in scalars.iter().enumerate() {
            arguments.push(if scales(i) { e } else { self.float_argument(ty, e) });
        }
        arguments
    }

    /// The value of a model as the declared result type.
    fn model_result(
        &mut self,
        ty: &FunctionTy,
        value: Option<ExprId>,
        span: Span,
    ) -> Fallible<Operand> {
        let result = ty.result.ty;
        match value {
            Some(e) => match self.types.scalar(result) {
                Some(scalar) => {
                    let e = self.b().cast(scalar, e);
                    Ok(Operand::scalar(result, e))
                }
                None if self.types.is_void(result) => {
                    Ok(Operand { ty: result, value: Value::Void, width: None })
                }
                None => self.error(span, "this library function is declared with a strange type"),
            },
            None => self.dead_value(result),
        }
    }

    fn float_argument(&mut self, ty: &FunctionTy, e: ExprId) -> ExprId {
        let kind = match ty.parameters.first().map(|p| self.types.get(p.ty)) {
            Some(CType::Float(kind)) => *kind,
            _ => match self.program.exprs.type_of(e) {
                Type::Float(kind) => kind,
                _ => bolide_cfa::FloatKind::F64,
            },
        };
        self.b().cast(Type::Float(kind), e)
    }

    /// The smaller or larger of two floats; a number beats not-a-number.
    fn float_extreme(&mut self, a: ExprId, b: ExprId, min: bool) -> ExprId {
        let b_nan = self.b().float_test(FloatTest::IsNan, b);
        let mut build = self.b();
        let first = if min {
            build.compare(CompareOp::Lt, a, b)
        } else {
            build.compare(CompareOp::Lt, b, a)
        };
        let chosen = build.ite(first, a, b);
        build.ite(b_nan, a, chosen)
    }

    fn check_freeable(&mut self, pointer: ExprId, span: Span) {
        if !self.checks(Property::ValidFree) || self.f.cur.is_none() {
            return;
        }
        let ok = self.program.expr(Expr::Freeable { pointer, region: RegionId::ALL });
        self.check(Property::ValidFree, ok, span, |this| {
            format!("`{}` frees what was not allocated or is freed already", this.snippet(span))
        });
    }

    /// Checks a block of bytes, which may be empty.
    pub fn check_block(&mut self, pointer: ExprId, size: ExprId, span: Span, verb: &str) {
        if !self.checks(Property::ValidDeref) || self.f.cur.is_none() {
            return;
        }
        if self.program.exprs.as_int(size).is_some() {
            return self.check_access(pointer, size, span, verb);
        }
        let valid = self.program.expr(Expr::Valid { pointer, size, region: RegionId::ALL });
        let nothing = self.b().size(0);
        let empty = self.b().compare(CompareOp::Eq, size, nothing);
        let always = self.bool(true);
        let ok = self.b().ite(empty, always, valid);
        self.check(Property::ValidDeref, ok, span, |this| {
            format!("`{}` {verb} outside of live memory", this.snippet(span))
        });
    }

    /// An assertion that may fail.
    pub fn assert_condition(&mut self, condition: ExprId, span: Span) {
        let property = self.assertion_property();
        match property {
            Some(property) => self.check(property, condition, span, |this| {
                format!("the assertion `{}` fails", this.snippet(span))
            }),
            None => match self.program.exprs.as_int(condition) {
                Some(0) => self.halt(None),
                Some(_) => {}
                None => {
                    // Without the property, a failing assertion ends the run.
                    let Some(cur) = self.f.cur else { return };
                    let (fails, next) = (self.location(), self.location());
                    let negated = self.b().not(condition);
                    let origin = self.f.origin;
                    self.program.add_edge(cur, fails, Op::Assume(negated), origin);
                    self.program.add_edge(cur, next, Op::Assume(condition), origin);
                    self.f.cur = Some(fails);
                    self.halt(None);
                    self.f.cur = Some(next);
                }
            },
        }
    }

    /// The property that a failing assertion violates, if it was asked for.
    fn assertion_property(&self) -> Option<Property> {
        [Property::Assert, Property::UnreachCall].into_iter().find(|&p| self.checks(p))
    }

    /// An assertion has failed.
    fn assertion_fails(&mut self, text: &str, span: Span) {
        match self.assertion_property() {
            Some(property) => self.fail(property, format!("the assertion `{text}` fails"), span),
            None => self.halt(None),
        }
    }

    /// The text of a string literal that an expression points to, for messages.
    fn string_text(&mut self, e: ExprId) -> Option<String> {
        self.literal_bytes(e).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a string literal that an expression points to, up to the first zero.
    pub fn literal_bytes(&mut self, e: ExprId) -> Option<Vec<u8>> {
        let Expr::Object(id) = *self.program.exprs.get(e) else { return None };
        if self.program.objects[id].initial.is_empty() {
            // Required: the initialiser of a constant may not have been lowered yet.
            let owns = |place: &Place| matches!(place, Place::Memory(pointer) if *pointer == e);
            self.drain_initializer(owns).ok()?;
        }
        let object = &self.program.objects[id];
        if !object.constant || object.external || object.size > 1 << 16 {
            return None;
        }
        let mut bytes = vec![0u8; object.size as usize];
        for initial in &object.initial {
            let Type::Int(IntType { bits: 8, .. }) = self.program.exprs.type_of(initial.value)
            else {
                return None;
            };
            let value = self.program.exprs.as_int(initial.value)?;
            *bytes.get_mut(initial.offset as usize)? = value as u8;
        }
        bytes.truncate(bytes.iter().position(|&b| b == 0)?);
        Some(bytes)
    }
}
