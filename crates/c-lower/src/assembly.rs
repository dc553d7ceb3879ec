//! Assembly: what it does is not known.
//!
//! Its outputs have any value afterwards. If it says that it clobbers memory,
//! it may change, like a function without a body, whatever it can reach from its
//! inputs. An empty template does nothing: outputs tied to an input get its
//! value (the kernel hides pointers from the optimiser in this way).

use crate::context::Lowerer;
use crate::input::Fallible;
use crate::options::External;
use crate::value::{LValue, Value, Where};
use bolide_c_syntax::ast;
use bolide_cfa::{ExprId, ExternalEffect, FunctionId, Op};

impl Lowerer<'_> {
    /// An `asm` statement.
    pub fn assembly(&mut self, asm: ast::AsmId) -> Fallible<()> {
        let unit = self.input.ast();
        let asm = &unit.asms[asm];
        if asm.is_goto {
            return self.unsupported(asm.span, "`asm goto` is");
        }
        if self.out.is_dead() {
            return Ok(());
        }
        let template = unit.strings[asm.template].text();
        let empty = template.trim().is_empty();
        let mut inputs: Vec<ExprId> = Vec::new();
        let mut values = Vec::new();
        for input in &asm.inputs {
            let span = unit.exprs[input.value].span;
            let place = self.designate(input.value)?;
            let constraint = unit.strings[input.constraint].text();
            if constraint == "m" {
                if let Where::Memory { pointer, .. } = place.at {
                    inputs.push(pointer);
                }
                values.push((constraint, None));
                continue;
            }
            let operand = self.read(&place, span)?;
            let operand = self.save_operand(operand);
            if let Value::Scalar(e) = operand.value {
                inputs.push(e);
            }
            values.push((constraint, Some(operand)));
        }
        let memory = asm.clobbers.iter().any(|&c| unit.strings[c].text() == "memory");
        let mut outputs: Vec<LValue> = Vec::new();
        for output in &asm.outputs {
            outputs.push(self.lvalue(output.value)?);
        }
        for (i, (output, place)) in asm.outputs.iter().zip(&outputs).enumerate() {
            let constraint = unit.strings[output.constraint].text();
            if empty && constraint.contains('+') {
                continue;
            }
            let tied = values.iter().find(|(c, _)| *c == i.to_string());
            if let (true, Some((_, Some(operand)))) = (empty, tied) {
                let operand = self.convert_operand(operand.clone(), place.ty.ty, asm.span)?;
                self.write(place, operand.value, asm.span)?;
                continue;
            }
            self.havoc_lvalue(place, "assembly", asm.span)?;
        }
        if empty {
            return Ok(()); // A barrier for the compiler.
        }
        self.warn(asm.span, "the effect of assembly is not known: its outputs may have any value");
        if memory {
            let function = self.assembly_function();
            let effect = match self.input.options.external {
                Some(External::Pure) => ExternalEffect::Pure,
                _ => ExternalEffect::Havoc,
            };
            self.out.emit(Op::External { function, arguments: inputs, result: None, effect });
        }
        self.out.assumptions.insert("assembly changes what it declares and nothing else".into());
        Ok(())
    }

    /// The function without a body that stands for all assembly.
    fn assembly_function(&mut self) -> FunctionId {
        match self.out.assembly_function {
            Some(function) => function,
            None => {
                let function = self.new_function("asm#".into(), bolide_base::Span::NONE);
                self.out.assembly_function = Some(function);
                function
            }
        }
    }
}
