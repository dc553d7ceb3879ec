//! Executes what formulas do not know: output, and values of the C library that only the interpreter computes.

use super::compile::Step;
use super::machine::{Machine, Observer, Stop};
use super::outcome::Fault;
use super::{printf, scanf};
use crate::program::*;
use crate::types::{FloatKind, IntType};
use crate::value::{self, Pointer, Value};

const INT: IntType = IntType::signed(32);
const LONG: IntType = IntType::signed(64);

impl<O: Observer> Machine<'_, O> {
    pub(super) fn output(
        &mut self,
        kind: OutputKind,
        step: &Step,
        arguments: &[crate::expr::ExprId],
        result: Option<VarId>,
    ) -> Result<(), Stop> {
        let program = self.program;
        let values: Vec<Value> = step
            .operands
            .iter()
            .zip(arguments)
            .map(|(&place, &e)| self.get(place).value(program.exprs.type_of(e)))
            .collect();
        let is_open = self.open.is_some() && self.output_is_open(kind, step, &values);
        let wants_length = result.is_some_and(|r| program.variables[r].ty.as_int().is_some());
        let (written, value) = self.library(kind, &values, wants_length)?;
        let room = self.config.output_limit.saturating_sub(self.run.stdout.len());
        self.run.stdout.extend_from_slice(&written[..written.len().min(room)]);
        if let (Some(result), Some(value)) = (result, value) {
            let ty = program.variables[result].ty;
            self.assign(result, value::cast(ty, value, program.target).into(), is_open);
        }
        Ok(())
    }

    /// What a function of the library writes to standard output, and its value where it has one.
    fn library(
        &self,
        kind: OutputKind,
        values: &[Value],
        wants_length: bool,
    ) -> Result<(Vec<u8>, Option<Value>), Stop> {
        let target = self.program.target;
        let read = |p: Pointer, most: Option<usize>| self.memory.read_string(p, most);
        let text = |at: usize| match values.get(at) {
            Some(Value::Pointer(p)) => read(*p, None),
            _ => Err(Fault::NoObject),
        };
        // The format is the argument at this position.
        let format = |at: usize| {
            let arguments = values.get(at + 1..).unwrap_or(&[]);
            printf::format(&text(at)?, arguments, target, &read).map_err(Stop::Undefined)
        };
        let number = |at: usize| values.get(at).and_then(|v| v.as_int());
        let value = match kind {
            OutputKind::Printf => {
                let bytes = format(0)?;
                let length = Value::int(bytes.len() as i128, INT);
                return Ok((bytes, Some(length)));
            }
            OutputKind::Puts => {
                let mut bytes = text(0)?;
                bytes.push(b'\n');
                let length = Value::int(bytes.len() as i128, INT);
                return Ok((bytes, Some(length)));
            }
            OutputKind::Putchar => {
                let byte = values.first().map_or(0, |v| v.bits() as u8);
                return Ok((vec![byte], Some(Value::int(i128::from(byte), INT))));
            }
            OutputKind::Opaque => values.first().copied(),
            OutputKind::Math(function) => value::math::apply(function, values),
            OutputKind::FormatLength => Some(Value::int(format(0)?.len() as i128, LONG)),
            OutputKind::FormatCharacter => {
                let bytes = format(1)?;
                let index = number(0).and_then(|n| usize::try_from(n).ok());
                let byte = index.and_then(|i| bytes.get(i).copied()).unwrap_or(0);
                Some(Value::int(i128::from(byte), IntType::unsigned(8)))
            }
            OutputKind::Scan => {
                let scanned = scanf::scan(&text(0)?, &text(1)?, target).map_err(Stop::Undefined)?;
                Some(scanned.answer(number(2).unwrap_or(-1), number(3)))
            }
            OutputKind::ReadFloat => {
                let kind = match values.get(1) {
                    Some(Value::Float { kind, .. }) => *kind,
                    _ => FloatKind::F64,
                };
                let (bits, length) = scanf::float(&text(0)?, kind);
                Some(match wants_length {
                    true => Value::int(length as i128, LONG),
                    false => Value::Float { bits, kind },
                })
            }
        };
        Ok((Vec::new(), value))
    }
}
