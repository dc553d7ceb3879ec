//! The scanf family: each conversion stores any value of its type.
//!
//! A conversion that fails leaves its object as it was; "any value" includes
//! that. Where a format is not known or what it writes has no bound (`%s`
//! without a width, `%[`), the function counts as one without a body.

use crate::context::{Fallible, Lowerer};
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_cfa::{FloatKind, IntType, NondetSource, Type};

/// What a conversion stores: a scalar, or so many characters and a zero.
enum Stored {
    Scalar(Type),
    Text(u64),
}

impl Lowerer<'_> {
    /// A call to a function of the scanf family; none when it cannot be modelled.
    pub fn scan(
        &mut self,
        format: usize,
        name: &str,
        operands: &[Operand],
        span: Span,
    ) -> Fallible<Option<Operand>> {
        let int = self.types.int();
        let text = match operands.get(format).map(|o| &o.value) {
            Some(Value::Scalar(e)) => self.string_text(*e),
            _ => None,
        };
        let bits = self.program.target.pointer_bits;
        let Some(conversions) = text.and_then(|text| conversions(&text, bits)) else {
            return Ok(None);
        };
        let source = NondetSource::Library(name.to_owned());
        let count = conversions.len();
        for (conversion, operand) in conversions.into_iter().zip(&operands[format + 1..]) {
            let Value::Scalar(pointer) = operand.value else { continue };
            match conversion {
                Stored::Scalar(ty) => {
                    let bytes = ty.size(self.program.target);
                    let size = self.b().size(bytes);
                    self.check_access(pointer, size, span, "writes");
                    let value = self.nondet(ty, source.clone());
                    self.store_raw(pointer, ty, None, false, value);
                }
                Stored::Text(width) => {
                    let size = self.b().size(width + 1);
                    self.check_access(pointer, size, span, "writes");
                    let char = Type::Int(IntType::signed(8));
                    for i in 0..width {
                        let value = self.nondet(char, source.clone());
                        let at = self.b().pointer_add_bytes(pointer, i);
                        self.store_raw(at, char, None, false, value);
                    }
                    let zero = self.b().zero(char);
                    let at = self.b().pointer_add_bytes(pointer, width);
                    self.store_raw(at, char, None, false, zero);
                }
            }
        }
        let value = self.any_int_between(-1, count as i128, source);
        Ok(Some(Operand::scalar(int, value)))
    }
}

/// What the conversions of a format store; none when one cannot be bounded.
fn conversions(format: &str, pointer_bits: u8) -> Option<Vec<Stored>> {
    let mut result = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let suppressed = chars.next_if_eq(&'*').is_some();
        let mut width = String::new();
        while let Some(d) = chars.next_if(char::is_ascii_digit) {
            width.push(d);
        }
        let mut length = String::new();
        while let Some(l) = chars.next_if(|c| "hlLqjztm".contains(*c)) {
            length.push(l);
        }
        let int = |signed: bool| {
            let bits = match length.as_str() {
                "hh" => 8,
                "h" => 16,
                "l" | "z" | "t" | "j" if length != "j" => pointer_bits,
                "ll" | "q" | "j" | "L" => 64,
                _ => 32,
            };
            Stored::Scalar(Type::Int(IntType { bits, signed }))
        };
        let stored = match chars.next()? {
            '%' => continue,
            'd' | 'i' | 'n' => int(true),
            'u' | 'x' | 'X' | 'o' => int(false),
            'p' => Stored::Scalar(Type::Pointer),
            'f' | 'e' | 'g' | 'a' | 'E' | 'G' | 'F' | 'A' => {
                Stored::Scalar(Type::Float(match length.as_str() {
                    "l" => FloatKind::F64,
                    "L" => FloatKind::F80,
                    _ => FloatKind::F32,
                }))
            }
            'c' if length.is_empty() && matches!(width.as_str(), "" | "1") => {
                Stored::Scalar(Type::Int(IntType::signed(8)))
            }
            's' if length.is_empty() => Stored::Text(width.parse().ok().filter(|&w| w <= 4096)?),
            _ => return None,
        };
        if !suppressed {
            result.push(stored);
        }
    }
    Some(result)
}
