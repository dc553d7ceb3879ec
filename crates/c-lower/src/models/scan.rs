//! The scanf family.
//!
//! Each conversion stores a value of its type, as long as those before it did not fail; what
//! comes after a failure keeps its value. `sscanf` of a text is computed by the interpreter
//! (`OutputKind::Scan`) and is any result to formulas; from a stream any result may come. Where a
//! format is not known or has conversions that are not, the function counts as one without
//! a body.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::emission::Emission;
use crate::input::Fallible;
use crate::types::FunctionTy;
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_cfa::format::{Length, Scan};
use bolide_cfa::{
    BinaryOp, CompareOp, ExprId, FloatKind, IntType, NondetSource, OutputKind, Target, Type,
};

/// What a conversion stores.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Stored {
    Scalar(Type),
    /// The number of characters so far.
    Count(Type),
    /// So many characters without a zero behind them.
    Characters(u64),
    /// At most so many characters, if there is a limit, and a zero.
    Text(Option<u64>),
}

/// Where characters come from.
struct Scanned {
    /// A text that is read by a format; none for a stream.
    from: Option<[ExprId; 2]>,
    source: NondetSource,
}

impl Scanned {
    /// What the conversion of a number gave, or its character of a number; -1 for what the call returns.
    fn answer(
        &self,
        out: &mut Emission,
        which: i128,
        character: Option<ExprId>,
        ty: Type,
    ) -> ExprId {
        let Some([text, format]) = self.from else { return out.nondet(ty, self.source.clone()) };
        let which = out.int(which, IntType::signed(32));
        let mut arguments = vec![text, format, which];
        arguments.extend(character);
        out.computed(OutputKind::Scan, arguments, ty)
    }

    /// Whether a character belongs to the text.
    fn goes_on(&self, out: &mut Emission, k: ExprId, value: ExprId) -> ExprId {
        if self.from.is_some() {
            return out.truth(value);
        }
        // A stream may hold zeros too. It gave one character at least.
        let ends = out.nondet(Type::Int(IntType::BOOL), self.source.clone());
        let (ends, first) = (out.truth(ends), out.size(0));
        let first = out.compare(CompareOp::Eq, k, first);
        let goes_on = out.not(ends);
        out.binary(BinaryOp::BitOr, first, goes_on)
    }
}

const CHAR: Type = Type::Int(IntType { bits: 8, signed: true });

impl Lowerer<'_> {
    /// A call to a function of the scanf family; `from` is the text it reads, if it is one.
    /// None when it cannot be modelled.
    pub fn scan(
        &mut self,
        name: &str,
        from: Option<&Operand>,
        operands: &[Operand],
        ty: &FunctionTy,
        span: Span,
    ) -> Fallible<Option<Operand>> {
        let Some((format, pointers)) = operands.split_first() else { return Ok(None) };
        let Value::Scalar(format) = format.value else { return Ok(None) };
        let target = self.out.program.target;
        let Some(text) = self.literal_bytes(format) else { return Ok(None) };
        let Some(conversions) = conversions(&text, target) else { return Ok(None) };
        let from = match from {
            Some(text) => {
                self.read_text(text, None, span)?;
                let text = self.expect_scalar(text, span)?;
                Some([self.out.save(text), format])
            }
            None => None,
        };
        if from.is_some()
            && conversions.iter().any(|c| matches!(c, Stored::Characters(n) if *n > 1))
        {
            return Ok(None);
        }
        let input = Scanned { from, source: NondetSource::Library(name.to_owned()) };
        let int = Type::signed(32);
        let counts = conversions.iter().filter(|c| matches!(c, Stored::Count(_))).count();
        let all = conversions.len();
        let returned = input.answer(&mut self.out, -1, None, int);
        self.out.assume_between(returned, -1, (all - counts) as i128);
        let mut stored = returned;
        if counts > 0 {
            stored = input.answer(&mut self.out, -2, None, int);
            self.out.assume_between(stored, 0, all as i128);
            let enough = self.out.compare(CompareOp::Le, returned, stored);
            self.out.assume(enough);
        }
        let end = self.out.location();
        for (i, (conversion, operand)) in conversions.into_iter().zip(pointers).enumerate() {
            let (works, index) =
                (self.out.location(), self.out.int(i as i128, IntType::signed(32)));
            let done = self.out.compare(CompareOp::Lt, index, stored);
            self.out.branch(done, Targets::new(works, end, Span::NONE));
            self.out.resume(works);
            let Value::Scalar(pointer) = operand.value else { continue };
            let pointer = self.out.cast(Type::Pointer, pointer);
            self.store_scanned(&input, i as i128, conversion, pointer, span);
        }
        self.out.join(end);
        let operand = Operand::scalar(self.types.int(), returned);
        if self.types.scalar(ty.result.ty).is_none() {
            return self.dead_value(ty.result.ty).map(Some);
        }
        self.convert_operand(operand, ty.result.ty, span).map(Some)
    }

    /// What conversion number `i` stores.
    fn store_scanned(
        &mut self,
        input: &Scanned,
        i: i128,
        conversion: Stored,
        pointer: ExprId,
        span: Span,
    ) {
        match conversion {
            Stored::Scalar(ty) | Stored::Count(ty) => {
                let bytes = ty.size(self.out.program.target);
                let size = self.out.size(bytes);
                self.check_access(pointer, size, span, "writes");
                let value = input.answer(&mut self.out, i, None, ty);
                self.out.store_raw(pointer, ty, None, false, value);
            }
            Stored::Characters(count) => {
                let size = self.out.size(count);
                self.check_access(pointer, size, span, "writes");
                for k in 0..count {
                    let value = input.answer(&mut self.out, i, None, CHAR);
                    let at = self.out.pointer_add_bytes(pointer, k);
                    self.out.store_raw(at, CHAR, None, false, value);
                }
            }
            Stored::Text(limit) => {
                let pointer = self.out.save(pointer);
                self.scan_text(pointer, limit, span, |out, k| {
                    let value = input.answer(out, i, Some(k), CHAR);
                    let value = out.save(value);
                    (value, input.goes_on(out, k, value))
                });
            }
        }
    }

    /// Stores characters until there are no more, and a zero.
    fn scan_text(
        &mut self,
        to: ExprId,
        limit: Option<u64>,
        span: Span,
        mut character: impl FnMut(&mut Emission, ExprId) -> (ExprId, ExprId),
    ) {
        let size_ty = Type::Int(self.out.program.target.size_type());
        let offset_ty = Type::Int(self.out.program.target.offset_type());
        let index = self.out.temporary(size_ty);
        let zero = self.out.size(0);
        self.out.assign(index, zero);
        let (head, ask, body, end) =
            (self.out.location(), self.out.location(), self.out.location(), self.out.location());
        self.out.join(head);
        let i = self.out.read(index);
        let one = self.out.size(1);
        let offset = self.out.cast(offset_ty, i);
        let place = self.out.pointer_add(to, offset);
        self.check_access(place, one, span, "writes");
        match limit {
            Some(limit) => {
                let limit = self.out.size(limit);
                let room = self.out.compare(CompareOp::Lt, i, limit);
                self.out.branch(room, Targets::new(ask, end, Span::NONE));
            }
            None => self.out.goto(ask),
        }
        self.out.resume(ask);
        let (value, more) = character(&mut self.out, i);
        self.out.branch(more, Targets::new(body, end, Span::NONE));
        self.out.resume(body);
        self.out.store_raw(place, CHAR, None, false, value);
        let next = self.out.binary(BinaryOp::Add, i, one);
        self.out.assign(index, next);
        self.out.goto(head);
        self.out.resume(end);
        let zero = self.out.zero(CHAR);
        self.out.store_raw(place, CHAR, None, false, zero);
    }
}

/// What the conversions of a format store; none when one is not known.
fn conversions(format: &[u8], target: Target) -> Option<Vec<Stored>> {
    let mut result = Vec::new();
    let mut rest = format;
    while let Some(&c) = rest.split_off_first() {
        if c != b'%' {
            continue;
        }
        let Scan { suppressed, width, length, letter, .. } = Scan::read(&mut rest)?;
        let int = |signed: bool| Type::Int(IntType { bits: length.bits(target), signed });
        let is_plain = length == Length::Int;
        let stored = match letter {
            b'%' => continue,
            b'd' | b'i' => Stored::Scalar(int(true)),
            b'n' => Stored::Count(int(true)),
            b'u' | b'x' | b'X' | b'o' => Stored::Scalar(int(false)),
            b'p' => Stored::Scalar(Type::Pointer),
            b'f' | b'e' | b'g' | b'a' | b'E' | b'G' | b'F' | b'A' => {
                Stored::Scalar(Type::Float(match length {
                    Length::Long => FloatKind::F64,
                    Length::LongDouble => FloatKind::F80,
                    _ => FloatKind::F32,
                }))
            }
            b'c' if is_plain => match width.unwrap_or(1) {
                1 => Stored::Scalar(CHAR),
                n if n <= 4096 => Stored::Characters(n as u64),
                _ => return None,
            },
            b's' | b'[' if is_plain => Stored::Text(width.map(|n| n as u64)),
            _ => return None,
        };
        if !suppressed {
            result.push(stored);
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_say_what_is_stored() {
        let int = |bits, signed| Stored::Scalar(Type::Int(IntType { bits, signed }));
        let read = |format: &str| conversions(format.as_bytes(), Target::LP64);
        let text = Stored::Text;
        assert_eq!(read("%d %*d%5s%lu"), Some(vec![int(32, true), text(Some(5)), int(64, false)]));
        assert_eq!(
            read("%[]a-c]%n%c"),
            Some(vec![text(None), Stored::Count(Type::signed(32)), int(8, true)])
        );
        assert_eq!(read("%ms"), None);
    }
}
