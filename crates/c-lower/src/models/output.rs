//! What output functions read: the strings among their arguments.
//!
//! Only memory safety asks. A format that is a literal tells which arguments
//! are strings and how long a prefix is read; what other formats read, and
//! argument lists that were passed on, is an assumption of the verdict.

use crate::context::{Fallible, Lowerer};
use crate::value::{Operand, Value};
use bolide_base::Span;
use bolide_cfa::Property;

/// How an output function reads its arguments.
enum Reads {
    /// The argument is a string.
    Text(usize),
    /// The argument is a format for those after it.
    Format(usize),
    /// The argument is a format for an argument list.
    FormatOfList(usize),
}

fn reads(name: &str) -> Option<Reads> {
    Some(match name {
        "puts" | "__builtin_puts" | "fputs" | "__builtin_fputs" | "fputs_unlocked" | "perror" => {
            Reads::Text(0)
        }
        "printf" | "__builtin_printf" => Reads::Format(0),
        "fprintf" | "__builtin_fprintf" | "dprintf" | "syslog" => Reads::Format(1),
        "__fprintf_chk" => Reads::Format(2),
        "vprintf" => Reads::FormatOfList(0),
        "vfprintf" | "vdprintf" => Reads::FormatOfList(1),
        _ => return None,
    })
}

/// An argument that a conversion consumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conversion {
    Other,
    /// Up to the terminating zero.
    Text,
    /// At most so many characters.
    Prefix(u64),
    /// At most as many characters as the argument before says.
    PrefixOfArgument,
}

impl Lowerer<'_> {
    /// Checks the memory that a call to an output function reads.
    pub fn check_output(&mut self, name: &str, operands: &[Operand], span: Span) -> Fallible<()> {
        if !self.checks(Property::ValidDeref) {
            return Ok(());
        }
        let (at, list) = match reads(name) {
            None => return Ok(()),
            Some(Reads::Text(at)) => {
                return match operands.get(at) {
                    Some(text) => self.read_text(text, None, span),
                    None => Ok(()),
                };
            }
            Some(Reads::Format(at)) => (at, false),
            Some(Reads::FormatOfList(at)) => (at, true),
        };
        let Some(format) = operands.get(at) else { return Ok(()) };
        let text = match format.value {
            Value::Scalar(e) => self.string_text(e),
            _ => None,
        };
        if text.is_none() {
            self.read_text(format, None, span)?;
        }
        let Some(text) = text.filter(|_| !list) else {
            self.assumptions.insert(format!("what `{name}` reads through its arguments is valid"));
            return Ok(());
        };
        let arguments = &operands[at + 1..];
        for (i, conversion) in conversions(&text).into_iter().enumerate() {
            let Some(argument) = arguments.get(i) else { break };
            match conversion {
                Conversion::Other => {}
                Conversion::Text => self.read_text(argument, None, span)?,
                Conversion::Prefix(limit) => {
                    let limit = self.b().size(limit);
                    self.read_text(argument, Some(limit), span)?;
                }
                Conversion::PrefixOfArgument => {
                    let Some(Value::Scalar(limit)) = arguments.get(i - 1).map(|o| o.value.clone())
                    else {
                        continue;
                    };
                    self.read_text(argument, Some(limit), span)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a string as the models in C do: byte by byte, each access checked.
    fn read_text(
        &mut self,
        text: &Operand,
        limit: Option<bolide_cfa::ExprId>,
        span: Span,
    ) -> Fallible<()> {
        let known = match text.value {
            Value::Scalar(e) => self.string_text(e).is_some(),
            _ => true,
        };
        if known {
            return Ok(());
        }
        let name = if limit.is_some() { "__bolide_read_prefix" } else { "__bolide_read_string" };
        let Some(&id) = self.linkage.get(name) else { return Ok(()) };
        let Some(ty) = self.types.function(self.globals[id].ty.ty).cloned() else {
            return Ok(());
        };
        let mut operands = vec![text.clone()];
        operands.extend(limit.map(|limit| Operand::scalar(self.types.int(), limit)));
        self.call_with(id, &ty, operands, span, false)?;
        Ok(())
    }
}

/// What the conversions of a format do with the arguments, one by one.
fn conversions(format: &str) -> Vec<Conversion> {
    let mut result = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let (mut precision, mut counted, mut wide) = (None, false, false);
        while let Some(c) = chars.next() {
            match c {
                '0'..='9' | '-' | '+' | ' ' | '#' | '\'' | 'h' | 'q' | 'L' | 'j' | 'z' | 't' => {}
                'l' => wide = true,
                '*' => result.push(Conversion::Other),
                '.' => {
                    if chars.next_if_eq(&'*').is_some() {
                        counted = true;
                        result.push(Conversion::Other);
                        continue;
                    }
                    let mut digits = String::new();
                    while let Some(d) = chars.next_if(char::is_ascii_digit) {
                        digits.push(d);
                    }
                    precision = Some(digits.parse().unwrap_or(0));
                }
                '%' => break,
                's' if !wide => {
                    result.push(match precision {
                        _ if counted => Conversion::PrefixOfArgument,
                        Some(limit) => Conversion::Prefix(limit),
                        None => Conversion::Text,
                    });
                    break;
                }
                _ => {
                    result.push(Conversion::Other);
                    break;
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_say_which_arguments_are_strings() {
        use Conversion::*;
        assert_eq!(conversions("%d%%%s %-5.3s"), [Other, Text, Prefix(3)]);
        assert_eq!(
            conversions("%*d %.*s%ls%lu"),
            [Other, Other, Other, PrefixOfArgument, Other, Other]
        );
    }
}
