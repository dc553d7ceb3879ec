//! Library functions that are operations of the program: what the table's models mean.

use super::allocation::{ALIGNED, WELL_ALIGNED};
use super::output::Print;
use super::table::Model;
use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::FunctionState;
use crate::input::{Fallible, Input};
use crate::types::{CType, FunctionTy};
use crate::value::{Operand, Place, Site, Value};
use bolide_base::Span;
use bolide_cfa::MathFn;
use bolide_cfa::{
    AllocKind, BinaryOp, CompareOp, Expr, ExprId, FloatFn, FloatTest, IntType, NondetSource, Op,
    OutputKind, Property, RegionId, Type, UnaryOp,
};

/// A call of a function that the table knows, with evaluated arguments.
pub struct LibraryCall<'c> {
    pub model: Model,
    pub name: &'c str,
    /// As the function is declared.
    pub ty: &'c FunctionTy,
    pub operands: Vec<Operand>,
    pub span: Span,
    /// Whether somebody reads the result.
    pub used: bool,
}

impl FunctionState {
    /// The library function whose model is being lowered; parts of several have no name.
    fn model_name(&self) -> String {
        match self.name.as_str() {
            name if name.starts_with("__bolide") && name != "__bolide_argv" => "the library".into(),
            name => name.to_owned(),
        }
    }
}

impl Emission {
    /// The smaller or larger of two floats; a number beats not-a-number.
    fn float_extreme(&mut self, a: ExprId, b: ExprId, min: bool) -> ExprId {
        let b_nan = self.float_test(FloatTest::IsNan, b);
        let first =
            if min { self.compare(CompareOp::Lt, a, b) } else { self.compare(CompareOp::Lt, b, a) };
        let chosen = self.ite(first, a, b);
        self.ite(b_nan, a, chosen)
    }
}

impl Input<'_> {
    /// The property that a failing assertion violates, if it was asked for.
    pub fn assertion_property(&self) -> Option<Property> {
        [Property::Assert, Property::UnreachCall].into_iter().find(|&p| self.checks(p))
    }
}

impl Lowerer<'_> {
    /// The function that people called where a model calls this one.
    fn known_as(&self, name: &str) -> String {
        if name.starts_with("__bolide") { self.f.model_name() } else { name.to_owned() }
    }

    /// Lowers a call to a function of the table.
    // Long: one match that tells each model its kind.
    pub fn apply_model(&mut self, call: LibraryCall<'_>) -> Fallible<Operand> {
        let LibraryCall { model, name, ty, operands, span, used } = call;
        let is_scalar = |o: &Operand| match o.value {
            Value::Scalar(e) => Some(e),
            _ => None,
        };
        let scalars: Vec<ExprId> = operands.iter().filter_map(is_scalar).collect();
        let (needed, result) = (model.needs(), ty.result.ty);
        if scalars.len() < needed {
            return self.error(span, format!("`{name}` needs {needed} arguments"));
        }
        let library = || NondetSource::Library(name.to_owned());
        let value = match model {
            Model::Any | Model::AnyBetween(..) | Model::Value if !used => {
                return self.dead_value(result);
            }
            Model::Any => return self.nondet_operand(result, library(), span),
            Model::AnyBetween(low, high) => {
                let operand = self.nondet_operand(result, library(), span)?;
                if let Value::Scalar(e) = operand.value {
                    self.out.assume_between(e, i128::from(low), i128::from(high));
                }
                return Ok(operand);
            }
            Model::InputBetween => {
                let source = NondetSource::Input(name.to_owned());
                let operand = self.nondet_operand(result, source, span)?;
                if let Value::Scalar(e) = operand.value {
                    let ty = self.out.type_of(e);
                    let [from, to] = [0, 1].map(|i| self.out.cast(ty, scalars[i]));
                    for (low, high) in [(from, e), (e, to)] {
                        let within = self.out.compare(CompareOp::Le, low, high);
                        self.out.assume(within);
                    }
                }
                return Ok(operand);
            }
            Model::Value => {
                let source =
                    NondetSource::Unmodelled(format!("the value of `{}`", self.known_as(name)));
                return self.nondet_operand(result, source, span);
            }
            Model::Unknown => {
                let source = NondetSource::Library(self.f.model_name());
                return self.nondet_operand(result, source, span);
            }
            Model::Refused(what) => {
                self.lost(span, &format!("`{}` ({what})", self.known_as(name)));
                return self.dead_value(ty.result.ty);
            }
            Model::Divide => return self.divide(ty, scalars[0], scalars[1], span),
            Model::Foreign
            | Model::Print(..)
            | Model::PrintList(..)
            | Model::Scan(_)
            | Model::ScanText => {
                let call = LibraryCall { model, name, ty, operands, span, used };
                return self.apply_format(call);
            }
            Model::Output(kind) => {
                if kind == OutputKind::Puts
                    && let Some(text) = operands.first()
                {
                    self.read_text(text, None, span)?;
                }
                let result = (used && !self.types.is_void(result))
                    .then(|| self.out.temporary(Type::signed(32)));
                self.out.emit(Op::Output { kind, arguments: scalars, result });
                result.map(|var| self.out.read(var))
            }
            Model::CheckText => {
                self.read_text(&operands[0], None, span)?;
                None
            }
            Model::Assume
            | Model::Assert
            | Model::AssertionFails
            | Model::Abort
            | Model::Exit
            | Model::QuickExit
            | Model::Unreachable => {
                self.apply_control(model, &scalars, span)?;
                None
            }
            Model::Nothing => self.types.scalar(result).map(|scalar| self.out.zero(scalar)),
            Model::Float(_)
            | Model::Test(_)
            | Model::Extreme(_)
            | Model::CopySign
            | Model::Math(_)
            | Model::Computed(_) => self.apply_computation(model, ty, &scalars),
            _ => self.apply_to_memory(model, name, &scalars, Site { span, used }),
        };
        // A test has its own type, whatever was declared.
        if let (Model::Test(_), Some(value)) = (model, value) {
            return Ok(Operand::scalar(self.types.int(), value));
        }
        self.model_result(ty, value, span)
    }

    /// What reads a format; where that cannot be followed, a function without a body.
    fn apply_format(&mut self, call: LibraryCall<'_>) -> Fallible<Operand> {
        let LibraryCall { model, name, ty, operands, span, used } = call;
        let operand = match model {
            Model::Print(sink, format) | Model::PrintList(sink, format) => {
                let list = matches!(model, Model::PrintList(..));
                let operands = &operands;
                self.print(&Print { name, sink, format, list, operands, span, used }, ty)?
            }
            Model::Scan(format) => {
                if let Some(stream) = operands[..format].first() {
                    self.call_model("__bolide_reads", vec![stream.clone()], Site::effect(span))?;
                }
                self.scan(name, None, operands.get(format..).unwrap_or(&[]), ty, span)?
            }
            Model::ScanText => self.scan(name, operands.first(), &operands[1..], ty, span)?,
            _ => None,
        };
        match operand {
            Some(operand) => Ok(operand),
            None => {
                let id = self.implicit_function(name, span);
                self.call_external(id, ty, operands, Site { span, used })
            }
        }
    }

    /// What cuts or ends the run.
    fn apply_control(&mut self, model: Model, scalars: &[ExprId], span: Span) -> Fallible<()> {
        match model {
            Model::Assume => {
                let condition = self.out.truth(scalars[0]);
                self.out.assume(condition);
            }
            Model::Assert => {
                let condition = self.out.truth(scalars[0]);
                self.assert_condition(condition, span);
            }
            Model::AssertionFails => {
                let text = scalars.first().and_then(|&e| self.string_text(e));
                let text = text.unwrap_or_else(|| self.input.snippet(span));
                self.assertion_fails(&text, span);
            }
            Model::Exit | Model::QuickExit => {
                if model == Model::Exit {
                    self.run_exit_handlers(span)?;
                    self.check_memory_at_end(span);
                }
                let status = scalars.first().map(|&e| self.out.cast(Type::signed(32), e));
                self.out.halt(status);
            }
            Model::Unreachable => {
                let never = self.out.bool(false);
                if self.out.is_live() {
                    self.out.emit(Op::Assume(never));
                    self.out.at.cur = None;
                }
            }
            _ => self.out.halt(None),
        }
        Ok(())
    }

    /// What allocates, frees, copies, fills or looks at memory.
    // Long: one flat match over models of a line or two.
    fn apply_to_memory(
        &mut self,
        model: Model,
        name: &str,
        scalars: &[ExprId],
        site: Site,
    ) -> Option<ExprId> {
        let Site { span, used } = site;
        let size_ty = Type::Int(self.out.program.target.size_type());
        Some(match model {
            Model::Malloc | Model::AlignedAlloc => {
                let (size, align) = match model {
                    Model::Malloc => (scalars[0], ALIGNED),
                    _ => (scalars[1], WELL_ALIGNED),
                };
                let size = self.out.cast(size_ty, size);
                self.allocate_heap(size, align, false, name)
            }
            Model::Calloc => {
                let size = self.out.array_size(scalars[0], scalars[1]);
                self.allocate_heap(size, ALIGNED, true, name)
            }
            Model::Alloca => {
                let size = self.out.cast(size_ty, scalars[0]);
                self.alloca(name, size, span)
            }
            Model::AllocateStatic => {
                let size = self.out.cast(size_ty, scalars[0]);
                self.out.allocate(size, ALIGNED, AllocKind::Static, false)
            }
            Model::Free | Model::CheckFreeable => {
                let pointer = self.out.cast(Type::Pointer, scalars[0]);
                self.check_freeable(pointer, span);
                if model == Model::Free {
                    self.out.emit(Op::Free { pointer, region: RegionId::ALL });
                }
                return None;
            }
            Model::CheckReadable => {
                let pointer = self.out.cast(Type::Pointer, scalars[0]);
                let size = self.out.cast(size_ty, scalars[1]);
                self.check_block(pointer, size, span, "reads");
                return None;
            }
            Model::ObjectSize => {
                let pointer = self.out.cast(Type::Pointer, scalars[0]);
                self.out.expr(Expr::ObjectSize(pointer))
            }
            Model::Offset => {
                let pointer = self.out.cast(Type::Pointer, scalars[0]);
                self.out.expr(Expr::Offset(pointer))
            }
            Model::SameObject => {
                let [p, q] = [0, 1].map(|i| self.out.cast(Type::Pointer, scalars[i]));
                self.out.expr(Expr::SameObject(p, q))
            }
            Model::IsReadOnly => {
                let pointer = self.out.cast(Type::Pointer, scalars[0]);
                self.out.expr(Expr::ReadOnly(pointer))
            }
            Model::IsReadable => {
                let pointer = self.out.cast(Type::Pointer, scalars[0]);
                let size = self.out.cast(size_ty, scalars[1]);
                self.out.expr(Expr::Valid { pointer, size, region: RegionId::ALL })
            }
            Model::Fill | Model::Zero => {
                let byte_ty = Type::Int(IntType::unsigned(8));
                let to = self.out.cast(Type::Pointer, scalars[0]);
                let (byte, size) = if model == Model::Zero {
                    (self.out.zero(byte_ty), scalars[1])
                } else {
                    (self.out.cast(byte_ty, scalars[1]), scalars[2])
                };
                let size = self.out.cast(size_ty, size);
                let to = if used { self.out.save(to) } else { to };
                self.check_block(to, size, span, "writes");
                if self.out.as_int(size) != Some(0) {
                    self.out.emit(Op::Fill { to, byte, size, region: RegionId::ALL });
                }
                to
            }
            _ => {
                let is_turned = model == Model::CopyFrom;
                let (to, from) = if is_turned { (1, 0) } else { (0, 1) };
                let mut to = self.out.cast(Type::Pointer, scalars[to]);
                let from = self.out.cast(Type::Pointer, scalars[from]);
                let mut size = self.out.cast(size_ty, scalars[2]);
                if used {
                    (to, size) = (self.out.save(to), self.out.save(size));
                }
                self.check_block(from, size, span, "reads");
                self.check_block(to, size, span, "writes");
                self.out.copy_bytes(to, from, size);
                if model != Model::CopyToEnd {
                    return Some(to);
                }
                let offset_ty = Type::Int(self.out.program.target.offset_type());
                let offset = self.out.cast(offset_ty, size);
                self.out.pointer_add(to, offset)
            }
        })
    }

    /// What computes with floats, or only in the interpreter.
    fn apply_computation(
        &mut self,
        model: Model,
        ty: &FunctionTy,
        scalars: &[ExprId],
    ) -> Option<ExprId> {
        let result = self.types.scalar(ty.result.ty);
        match model {
            Model::Computed(kind) => {
                return Some(self.out.computed(kind, scalars.to_vec(), result?));
            }
            Model::Math(function) => {
                let arguments = self.math_arguments(function, ty, scalars);
                let result = result.unwrap_or(Type::signed(32));
                return Some(self.out.computed(OutputKind::Math(function), arguments, result));
            }
            _ => {}
        }
        let a = self.float_argument(ty, scalars[0]);
        Some(match model {
            Model::Test(test) => {
                let condition = self.out.float_test(test, a);
                self.out.cast(Type::signed(32), condition)
            }
            Model::Extreme(min) => {
                let b = self.float_argument(ty, scalars[1]);
                self.out.float_extreme(a, b, min)
            }
            Model::CopySign => {
                let b = self.float_argument(ty, scalars[1]);
                let abs = self.out.expr(Expr::FloatFn(FloatFn::Abs, a));
                let negative = self.out.unary(UnaryOp::Neg, abs);
                let sign = self.out.float_test(FloatTest::SignBit, b);
                self.out.ite(sign, negative, abs)
            }
            Model::Float(function) => self.out.expr(Expr::FloatFn(function, a)),
            _ => return None,
        })
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
        let (a, b) = (self.out.cast(quotient, a), self.out.cast(quotient, b));
        let (a, b) = (self.out.save(a), self.out.save(b));
        self.check_divisor(b, span);
        let whole = self.out.binary(BinaryOp::Div, a, b);
        let rest = self.out.binary(BinaryOp::Rem, a, b);
        let values = vec![self.out.save(whole), self.out.save(rest)];
        Ok(Operand::new(ty.result.ty, Value::Leaves(values.into())))
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
                    let e = self.out.cast(scalar, e);
                    Ok(Operand::scalar(result, e))
                }
                None if self.types.is_void(result) => Ok(Operand::new(result, Value::Void)),
                None => self.error(span, "this library function is declared with a strange type"),
            },
            None => self.dead_value(result),
        }
    }

    fn float_argument(&mut self, ty: &FunctionTy, e: ExprId) -> ExprId {
        let kind = match ty.parameters.first().map(|p| self.types.get(p.ty)) {
            Some(CType::Float(kind)) => *kind,
            _ => match self.out.type_of(e) {
                Type::Float(kind) => kind,
                _ => bolide_cfa::FloatKind::F64,
            },
        };
        self.out.cast(Type::Float(kind), e)
    }

    fn check_freeable(&mut self, pointer: ExprId, span: Span) {
        if !self.input.checks(Property::ValidFree) || self.out.is_dead() {
            return;
        }
        let ok = self.out.expr(Expr::Freeable { pointer, region: RegionId::ALL });
        self.check(Property::ValidFree, ok, span, |this| {
            format!(
                "`{}` frees what was not allocated or is freed already",
                this.input.snippet(span)
            )
        });
    }

    /// Checks a block of bytes, which may be empty.
    pub fn check_block(&mut self, pointer: ExprId, size: ExprId, span: Span, verb: &str) {
        if !self.input.checks(Property::ValidDeref) || self.out.is_dead() {
            return;
        }
        if self.out.as_int(size).is_some() {
            return self.check_access(pointer, size, span, verb);
        }
        let valid = self.out.expr(Expr::Valid { pointer, size, region: RegionId::ALL });
        let nothing = self.out.size(0);
        let empty = self.out.compare(CompareOp::Eq, size, nothing);
        let ok = self.out.or(empty, valid);
        self.check(Property::ValidDeref, ok, span, |this| {
            format!("`{}` {verb} outside of live memory", this.input.snippet(span))
        });
    }

    /// An assertion that may fail.
    pub fn assert_condition(&mut self, condition: ExprId, span: Span) {
        let property = self.input.assertion_property();
        match property {
            Some(property) => self.check(property, condition, span, |this| {
                format!("the assertion `{}` fails", this.input.snippet(span))
            }),
            None => match self.out.as_int(condition) {
                Some(0) => self.out.halt(None),
                Some(_) => {}
                None => {
                    // Without the property, a failing assertion ends the run.
                    let Some(cur) = self.out.at.cur else { return };
                    let (fails, next) = (self.out.location(), self.out.location());
                    let negated = self.out.not(condition);
                    let origin = self.out.at.origin;
                    self.out.program.add_edge(cur, fails, Op::Assume(negated), origin);
                    self.out.program.add_edge(cur, next, Op::Assume(condition), origin);
                    self.out.at.cur = Some(fails);
                    self.out.halt(None);
                    self.out.at.cur = Some(next);
                }
            },
        }
    }

    /// An assertion has failed.
    fn assertion_fails(&mut self, text: &str, span: Span) {
        match self.input.assertion_property() {
            Some(property) => self.fail(property, format!("the assertion `{text}` fails"), span),
            None => self.out.halt(None),
        }
    }

    /// The text of a string literal that an expression points to, for messages.
    fn string_text(&mut self, e: ExprId) -> Option<String> {
        self.literal_bytes(e).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a string literal that an expression points to, up to the first zero.
    pub fn literal_bytes(&mut self, e: ExprId) -> Option<Vec<u8>> {
        let Expr::Object(id) = *self.out.program.exprs.get(e) else { return None };
        if self.out.program.objects[id].initial.is_empty() {
            // Required: the initialiser of a constant may not have been lowered yet.
            let owns = |place: &Place| matches!(place, Place::Memory(pointer) if *pointer == e);
            self.drain_initializer(owns).ok()?;
        }
        let object = &self.out.program.objects[id];
        if !object.constant || object.external || object.size > 1 << 16 {
            return None;
        }
        let mut bytes = vec![0u8; object.size as usize];
        for initial in &object.initial {
            let Type::Int(IntType { bits: 8, .. }) = self.out.type_of(initial.value) else {
                return None;
            };
            let value = self.out.as_int(initial.value)?;
            *bytes.get_mut(initial.offset as usize)? = value as u8;
        }
        bytes.truncate(bytes.iter().position(|&b| b == 0)?);
        Some(bytes)
    }
}
