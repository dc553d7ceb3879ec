//! Executes what formulas do not know: output, and values of the C library that only the interpreter computes.

use super::compile::Step;
use super::execute::{Machine, Stop};
use super::{Fault, Observer, printf, scanf};
use crate::program::*;
use crate::types::{FloatKind, IntType};
use crate::value::{self, Pointer, Value};

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
        let memory = &self.memory;
        let read = |p: Pointer, most: Option<usize>| memory.read_string(p, most);
        let text = |v: Option<&Value>| match v {
            Some(Value::Pointer(p)) => read(*p, None),
            _ => Err(Fault::NoObject),
        };
        let format = |values: &[Value]| {
            let format = text(values.first())?;
            printf::format(&format, values.get(1..).unwrap_or(&[]), program.target, &read)
                .map_err(Stop::Undefined)
        };
        let number = |at: usize| values.get(at).and_then(|v| v.as_int()).unwrap_or(-1);
        let computed = match kind {
            OutputKind::Printf | OutputKind::Puts | OutputKind::Putchar => None,
            OutputKind::Opaque => values.first().copied(),
            OutputKind::Math(function) => value::math::apply(function, &values),
            OutputKind::FormatLength => {
                Some(Value::int(format(&values)?.len() as i128, IntType::signed(64)))
            }
            OutputKind::FormatCharacter => {
                let bytes = format(values.get(1..).unwrap_or(&[]))?;
                let index = usize::try_from(number(0)).unwrap_or(usize::MAX);
                let byte = bytes.get(index).copied().unwrap_or(0);
                Some(Value::int(i128::from(byte), IntType::unsigned(8)))
            }
            OutputKind::Scan => {
                let (input, format) = (text(values.first())?, text(values.get(1))?);
                let scanned = scanf::scan(&input, &format, program.target);
                let scanned = scanned.map_err(Stop::Undefined)?;
                Some(scanned.answer(number(2), values.get(3).and_then(|v| v.as_int())))
            }
            OutputKind::ReadFloat => {
                let input = text(values.first())?;
                let kind = match values.get(1) {
                    Some(Value::Float { kind, .. }) => *kind,
                    _ => FloatKind::F64,
                };
                let (bits, length) = scanf::float(&input, kind);
                let wants_length =
                    result.is_some_and(|r| program.variables[r].ty.as_int().is_some());
                Some(if wants_length {
                    Value::int(length as i128, IntType::signed(64))
                } else {
                    Value::Float { bits, kind }
                })
            }
        };
        if let Some(value) = computed {
            if let Some(result) = result {
                let ty = program.variables[result].ty;
                self.assign(result, value::cast(ty, value, program.target).into(), is_open);
            }
            return Ok(());
        }
        let (bytes, returned) = match kind {
            OutputKind::Printf => {
                let bytes = format(&values)?;
                let n = bytes.len() as i128;
                (bytes, n)
            }
            OutputKind::Puts => {
                let mut bytes = text(values.first())?;
                bytes.push(b'\n');
                let n = bytes.len() as i128;
                (bytes, n)
            }
            OutputKind::Putchar => {
                let byte = values.first().map_or(0, |v| v.bits() as u8);
                (vec![byte], i128::from(byte))
            }
            _ => return Ok(()),
        };
        let room = self.config.output_limit.saturating_sub(self.run.stdout.len());
        self.run.stdout.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if let Some(result) = result {
            let value = Value::int(returned, IntType::signed(32));
            let ty = program.variables[result].ty;
            self.assign(result, value::cast(ty, value, program.target).into(), is_open);
        }
        Ok(())
    }
}
