//! The printf family.
//!
//! The text is computed by the interpreter (`OutputKind::FormatLength` and its kin); to formulas
//! it is any text whose length the format allows. A format that is a literal tells which
//! arguments are strings, how long the text can be and what `%n` stores. Of other formats nothing
//! is known: what they read through their arguments is an assumption of the verdict, and where
//! they might store, the function counts as one without a body. Lists of arguments are not
//! followed: their text is one that no violation may rest on, and `%n` is not expected there.

use super::allocation::ALIGNED;
use super::format::{self, Format, Use};
use super::table::Sink;
use crate::condition::Targets;
use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::FunctionState;
use crate::input::Fallible;
use crate::types::{CType, FunctionTy, TyId, TypeStore};
use crate::value::{Operand, Site, Value};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{
    BinaryOp, CompareOp, Expr, ExprId, IntType, NondetSource, Op, OutputKind, Property, RegionId,
    Type,
};

/// A call of the family.
pub struct Print<'c> {
    pub name: &'c str,
    pub sink: Sink,
    /// Which argument is the format.
    pub format: usize,
    /// The arguments come as a list.
    pub list: bool,
    pub operands: &'c [Operand],
    pub span: Span,
    pub used: bool,
}

impl TypeStore {
    /// A pointer through which `%n` could store.
    fn may_be_counter(&self, ty: TyId) -> bool {
        let Some(to) = self.pointee(ty) else { return false };
        let is_text = self.size(to.ty) == Some(1);
        !to.is_const && !is_text && matches!(self.get(to.ty), CType::Int(_))
    }
}

impl Emission {
    /// How many characters the text has, of type `int`.
    fn text_length(&mut self, call: &Print<'_>, printed: &[ExprId]) -> ExprId {
        if call.list {
            let source = NondetSource::Unmodelled(format!("the text of `{}`", call.name));
            return self.nondet(Type::signed(32), source);
        }
        self.computed(OutputKind::FormatLength, printed.to_vec(), Type::signed(32))
    }

    /// A value that only the interpreter computes.
    pub fn computed(&mut self, kind: OutputKind, arguments: Vec<ExprId>, ty: Type) -> ExprId {
        let result = self.temporary(ty);
        self.emit(Op::Output { kind, arguments, result: Some(result) });
        self.read(result)
    }
}

impl FunctionState {
    /// A string in an object whose last byte is zero ends there at the latest: nothing else need be
    /// looked at. Only for objects all of whose bytes have values.
    fn skip_if_terminated(&mut self, out: &mut Emission, text: ExprId, end: bolide_cfa::LocId) {
        let size = match out.program.exprs.get(text) {
            Expr::Object(object) if !out.program.objects[*object].external => {
                out.program.objects[*object].size
            }
            _ => match self.initialized.get(&text) {
                Some(&size) => size,
                None => return,
            },
        };
        let Some(last) = size.checked_sub(1) else { return };
        let size = out.size(size);
        let valid = Expr::Valid { pointer: text, size, region: RegionId::ALL };
        let valid = out.expr(valid);
        let (lives, walk) = (out.location(), out.location());
        out.branch(valid, Targets::new(lives, walk, Span::NONE));
        out.resume(lives);
        let last = out.pointer_add_bytes(text, last);
        let byte = out.load_raw(last, Type::Int(IntType::signed(8)), None, false);
        let more = out.truth(byte);
        out.branch(more, Targets::new(walk, end, Span::NONE));
        out.resume(walk);
    }
}

impl Lowerer<'_> {
    /// Lowers a call; none where it can only be treated as unknown.
    pub fn print(&mut self, call: &Print<'_>, ty: &FunctionTy) -> Fallible<Option<Operand>> {
        let scalar = |o: &Operand| match o.value {
            Value::Scalar(e) => Some(e),
            _ => None,
        };
        let Some(values) = call.operands.iter().map(scalar).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let Some(&format) = values.get(call.format) else {
            return self.error(call.span, format!("`{}` needs a format", call.name));
        };
        let target = self.out.program.target;
        let text = self.literal_bytes(format);
        let read = text.as_ref().filter(|_| !call.list).map(|text| format::read(text, target));
        let arguments = &call.operands[call.format + 1..];
        let stores = |o: &Operand| self.types.may_be_counter(o.ty);
        if text.is_none() && arguments.iter().any(stores) {
            return Ok(None);
        }
        let lengths = self.read_arguments(call, read.as_ref(), format)?;
        let values: Vec<ExprId> = if matches!(call.sink, Sink::Stdout | Sink::Stream) {
            values
        } else {
            values.into_iter().map(|e| self.out.save(e)).collect()
        };
        let printed = &values[call.format..];
        if let (Some(read), Some(text)) = (&read, &text) {
            self.store_counts(read, text, printed, call.span);
        }
        let int = self.types.int();
        let result = match call.sink {
            Sink::Stdout if !call.list => {
                let result = (call.used && !self.types.is_void(ty.result.ty))
                    .then(|| self.out.temporary(Type::signed(32)));
                let arguments = printed.to_vec();
                self.out.emit(Op::Output { kind: OutputKind::Printf, arguments, result });
                match result {
                    Some(var) => self.out.read(var),
                    None => return self.dead_value(ty.result.ty).map(Some),
                }
            }
            Sink::Stdout | Sink::Stream => {
                if !call.used {
                    return self.dead_value(ty.result.ty).map(Some);
                }
                let length = self.out.text_length(call, printed);
                self.out.assume_between(length, -1, i128::from(i32::MAX));
                length
            }
            _ => self.print_to_memory(call, read.as_ref(), lengths, &values)?,
        };
        let result = self.out.cast(Type::signed(32), result);
        let operand = Operand::scalar(int, result);
        if self.types.scalar(ty.result.ty).is_none() {
            return self.dead_value(ty.result.ty).map(Some);
        }
        self.convert_operand(operand, ty.result.ty, call.span).map(Some)
    }

    /// Writes the text to a buffer; its length.
    fn print_to_memory(
        &mut self,
        call: &Print<'_>,
        read: Option<&Format>,
        texts: Option<ExprId>,
        values: &[ExprId],
    ) -> Fallible<ExprId> {
        let size_ty = Type::Int(self.out.program.target.size_type());
        let printed = &values[call.format..];
        let length = self.out.text_length(call, printed);
        let (least, most) = read.map_or((0, None), |r| (r.least, r.most));
        self.out.assume_between(length, i128::from(least), i128::from(i32::MAX));
        let length = self.out.cast(size_ty, length);
        let length = self.out.save(length);
        // Without the strings among the arguments the format alone bounds the length.
        let strings = read.is_some_and(|r| r.uses.contains(&Use::Text));
        if let (Some(most), true) = (most, !strings || texts.is_some()) {
            let most = self.out.size(most);
            let most = match texts {
                Some(texts) => self.out.binary(BinaryOp::Add, texts, most),
                None => most,
            };
            let fits = self.out.compare(CompareOp::Le, length, most);
            self.out.assume(fits);
        }
        let to = match call.sink {
            Sink::NewBuffer => {
                let one = self.out.size(1);
                let size = self.out.binary(BinaryOp::Add, length, one);
                self.allocate_heap(size, ALIGNED, false, call.name)
            }
            _ => self.out.cast(Type::Pointer, values[0]),
        };
        let to = self.out.save(to);
        let end = self.out.location();
        if call.sink == Sink::NewBuffer && self.input.options.may_fail() {
            // The pointer is left as it is.
            let (failed, made) = (self.out.location(), self.out.location());
            let null = self.out.expr(Expr::Null);
            let fails = self.out.compare(CompareOp::Eq, to, null);
            self.out.branch(fails, Targets::new(failed, made, Span::NONE));
            self.out.resume(failed);
            self.out.goto(end);
            self.out.resume(made);
        }
        let mut written = length;
        if call.sink == Sink::SizedBuffer {
            let size = self.out.cast(size_ty, values[1]);
            let (room, one) = (self.out.location(), self.out.size(1));
            let any = self.out.truth(size);
            self.out.branch(any, Targets::new(room, end, Span::NONE));
            self.out.resume(room);
            let last = self.out.binary(BinaryOp::Sub, size, one);
            let fits = self.out.compare(CompareOp::Le, length, last);
            let cut = self.out.ite(fits, length, last);
            written = self.out.save(cut);
        }
        let one = self.out.size(1);
        let bytes = self.out.binary(BinaryOp::Add, written, one);
        self.check_block(to, bytes, call.span, "writes");
        let (name, list) = (call.name, call.list);
        let char = Type::Int(IntType::signed(8));
        self.fill_buffer(to, written, |this, index| {
            if list {
                let source = NondetSource::Unmodelled(format!("the text of `{name}`"));
                return this.out.nondet(char, source);
            }
            let arguments = [&[index], printed].concat();
            this.out.computed(OutputKind::FormatCharacter, arguments, char)
        });
        if call.sink == Sink::NewBuffer {
            let place = self.out.cast(Type::Pointer, values[0]);
            let bytes = u64::from(self.out.program.target.pointer_bits / 8);
            let size = self.out.size(bytes);
            self.check_access(place, size, call.span, "writes");
            self.out.store_raw(place, Type::Pointer, None, false, to);
        }
        self.out.join(end);
        Ok(length)
    }

    /// Stores so many characters and a zero.
    pub fn fill_buffer(
        &mut self,
        to: ExprId,
        count: ExprId,
        mut character: impl FnMut(&mut Self, ExprId) -> ExprId,
    ) {
        let size_ty = Type::Int(self.out.program.target.size_type());
        let offset_ty = Type::Int(self.out.program.target.offset_type());
        let char = Type::Int(IntType::signed(8));
        let at = |this: &mut Self, index: ExprId| {
            let offset = this.out.cast(offset_ty, index);
            this.out.pointer_add(to, offset)
        };
        let index = self.out.temporary(size_ty);
        let zero = self.out.size(0);
        self.out.assign(index, zero);
        let (head, body, end) = (self.out.location(), self.out.location(), self.out.location());
        self.out.join(head);
        let i = self.out.read(index);
        let more = self.out.compare(CompareOp::Lt, i, count);
        self.out.branch(more, Targets::new(body, end, Span::NONE));
        self.out.resume(body);
        let value = character(self, i);
        let place = at(self, i);
        self.out.store_raw(place, char, None, false, value);
        let one = self.out.size(1);
        let next = self.out.binary(BinaryOp::Add, i, one);
        self.out.assign(index, next);
        self.out.goto(head);
        self.out.resume(end);
        let place = at(self, count);
        let zero = self.out.zero(char);
        self.out.store_raw(place, char, None, false, zero);
    }

    /// What `%n` stores: the length of the text before it.
    fn store_counts(&mut self, read: &Format, text: &[u8], printed: &[ExprId], span: Span) {
        for (i, conversion) in read.uses.iter().enumerate() {
            let Use::Count(bits, begin) = *conversion else { continue };
            let Some(&pointer) = printed.get(i + 1) else { break };
            let units = text[..begin].iter().map(|&b| u32::from(b)).collect();
            let encoding = ast::Encoding::Plain;
            let literal = ast::StringLiteral { encoding, units, span: Span::NONE };
            let (object, _) = self.string_object(&literal);
            let before = self.out.expr(Expr::Object(object));
            let arguments = [&[before], &printed[1..=i]].concat();
            let ty = Type::signed(bits);
            let count = if text[..begin].contains(&b'%') {
                self.out.computed(OutputKind::FormatLength, arguments, ty)
            } else {
                self.out.int(begin as i128, IntType::signed(bits))
            };
            let pointer = self.out.cast(Type::Pointer, pointer);
            let size = self.out.size(u64::from(bits / 8));
            self.check_access(pointer, size, span, "writes");
            self.out.store_raw(pointer, ty, None, false, count);
        }
    }

    /// Checks the strings that a call reads. For text that goes to memory, the sum of their
    /// lengths.
    fn read_arguments(
        &mut self,
        call: &Print<'_>,
        read: Option<&Format>,
        format: ExprId,
    ) -> Fallible<Option<ExprId>> {
        let to_memory = matches!(call.sink, Sink::Buffer | Sink::SizedBuffer | Sink::NewBuffer);
        if !self.input.checks(Property::ValidDeref) {
            return Ok(None);
        }
        if self.literal_bytes(format).is_none() {
            self.read_text(&call.operands[call.format], None, call.span)?;
        }
        let Some(read) = read else {
            let message = format!("what `{}` reads through its arguments is valid", call.name);
            self.out.assumptions.insert(message);
            return Ok(None);
        };
        let arguments = &call.operands[call.format + 1..];
        let mut sum = None;
        for (i, conversion) in read.uses.iter().enumerate() {
            let Some(argument) = arguments.get(i) else { break };
            match *conversion {
                Use::Value | Use::Count(..) => {}
                Use::Text if to_memory => {
                    let length = self.length_of_text(argument, call.span)?;
                    sum = Some(match sum {
                        Some(sum) => self.out.binary(BinaryOp::Add, sum, length),
                        None => length,
                    });
                }
                Use::Text => self.read_text(argument, None, call.span)?,
                Use::Prefix(limit) => {
                    let limit = self.out.size(limit);
                    self.read_text(argument, Some(limit), call.span)?;
                }
                Use::PrefixOfArgument => {
                    let Some(Value::Scalar(limit)) = arguments.get(i - 1).map(|o| o.value.clone())
                    else {
                        continue;
                    };
                    self.read_text(argument, Some(limit), call.span)?;
                }
            }
        }
        Ok(sum)
    }

    /// `strlen` of an argument.
    fn length_of_text(&mut self, text: &Operand, span: Span) -> Fallible<ExprId> {
        if let Value::Scalar(e) = text.value
            && let Some(known) = self.literal_bytes(e)
        {
            return Ok(self.out.size(known.len() as u64));
        }
        let operand = self.call_model("__bolide_length", vec![text.clone()], Site::value(span))?;
        let length = self.expect_scalar(&operand, span)?;
        Ok(self.out.save(length))
    }

    /// Reads a string as the models in C do: byte by byte, each access checked.
    pub fn read_text(&mut self, text: &Operand, limit: Option<ExprId>, span: Span) -> Fallible<()> {
        let known = match text.value {
            Value::Scalar(e) => self.literal_bytes(e).is_some(),
            _ => true,
        };
        if known || !self.input.checks(Property::ValidDeref) {
            return Ok(());
        }
        let end = self.out.location();
        if let Value::Scalar(e) = text.value {
            self.f.skip_if_terminated(&mut self.out, e, end);
        }
        let name = if limit.is_some() { "__bolide_read_prefix" } else { "__bolide_read_string" };
        let mut operands = vec![text.clone()];
        operands.extend(limit.map(|limit| Operand::scalar(self.types.int(), limit)));
        self.call_model(name, operands, Site::effect(span))?;
        self.out.join(end);
        Ok(())
    }

    /// Calls a function of the models in C.
    pub fn call_model(
        &mut self,
        name: &str,
        operands: Vec<Operand>,
        site: Site,
    ) -> Fallible<Operand> {
        let span = site.span;
        let id = self.implicit_function(name, span);
        let Some(ty) = self.types.function(self.linkage[id].ty.ty).cloned() else {
            return self.error(span, format!("`{name}` is not modelled"));
        };
        self.call_with(id, &ty, operands, site)
    }
}
