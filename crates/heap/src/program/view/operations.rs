//! Operations of the program as commands of the heap-level program.

use super::{Builder, CallSite, Command, Home, Refused};
use crate::{Formula, Kind, Term};
use bolide_cfa::types::Type;
use bolide_cfa::{
    AllocKind, Edge, Expr, ExprId, ExternalEffect, FunctionId, LocId, Op, RegionId, UnaryOp, VarId,
    VariableKind,
};

impl Builder<'_> {
    /// What an edge does; none when the run ends there.
    pub(super) fn commands(&mut self, edge: &Edge) -> Result<Option<Vec<Command>>, Refused> {
        let mut out = Vec::new();
        match &edge.op {
            Op::Skip | Op::Output { result: None, .. } => {}
            Op::Assume(e) => out.push(Command::Assume(self.assumption(*e, edge.from)?)),
            Op::Assign { target, value } => {
                let value = if self.program.variables[*target].ty == Type::Pointer {
                    let offset = self.offset_of(*target);
                    self.pointer_at(*value, offset)?
                } else {
                    self.integer(*value)
                };
                out.push(Command::Assign(self.symbol(*target), value));
            }
            Op::Store { access, value } => {
                let (field, base) = self.accessed(access)?;
                let value = match access.ty {
                    Type::Pointer => Some(self.pointer(*value)?),
                    Type::Int(_) => {
                        let value = self.integer(*value);
                        let range = access.bits.map(|bits| {
                            let half = 1i128 << (bits.width.min(100) - 1);
                            match access.ty {
                                Type::Int(int) if int.signed => (-half, half - 1),
                                _ => (0, 2 * half - 1),
                            }
                        });
                        Some(self.within(value, range))
                    }
                    _ => None,
                };
                out.push(Command::Write(field, base, value));
            }
            Op::Nondet { target, .. } | Op::Output { result: Some(target), .. } => {
                out.push(self.any_value(*target));
            }
            Op::Alloc { frame: Some(_), .. } => return Err("`alloca` in a loop".into()),
            Op::Alloc { target, .. } if self.is_array(Home::Local(*target)) => {
                let array = self.view.fields.arrays[&Home::Local(*target)];
                out.push(Command::Forget(array.field));
            }
            Op::EndLifetime { pointer, .. } if self.is_cell(*pointer) => {}
            Op::Alloc { target, size, kind, zeroed, .. } => {
                self.allocate(*target, *size, *kind, *zeroed, &mut out);
            }
            Op::Free { pointer, .. } | Op::EndLifetime { pointer, .. } => {
                let p = self.pointer(*pointer)?;
                out.push(Command::Mark(self.view.fields.alive, p, false));
            }
            Op::Fill { to, byte, size, region } => {
                self.fill(*to, *byte, *size, *region, &mut out)?
            }
            Op::External { function, arguments, result, .. } if self.by_contract(*function) => {
                self.call(*function, arguments, *result, &mut out)?;
            }
            Op::External { arguments, result, effect, .. } => {
                if let Some(target) = result {
                    out.push(self.any_value(*target));
                }
                if *effect != ExternalEffect::Pure {
                    self.external(arguments, &mut out)?;
                }
            }
            Op::Halt { .. } => return Ok(None),
            Op::Copy { .. } => return Err("copies of memory".into()),
            Op::Call { function, .. } => {
                let name = &self.program.functions[*function].name;
                return Err(format!("the call of `{name}`"));
            }
            Op::CallIndirect { .. } => return Err("an indirect call".into()),
        }
        Ok(Some(out))
    }

    /// The condition of an assumption; leaks are only ever over-approximated.
    fn assumption(&mut self, e: ExprId, at: LocId) -> Result<Formula, Refused> {
        match *self.program.exprs.get(e) {
            Expr::Leaked => Ok(self.leaked(at)),
            Expr::Unary(UnaryOp::Not, a) if *self.program.exprs.get(a) == Expr::Leaked => {
                Ok(Formula::True)
            }
            _ => self.condition(e),
        }
    }

    fn any_value(&self, target: VarId) -> Command {
        let range = match self.program.variables[target].ty {
            Type::Int(int) => Some((int.min(), int.max())),
            _ => None,
        };
        Command::Havoc(self.symbol(target), range)
    }

    fn allocate(
        &mut self,
        target: VarId,
        size: ExprId,
        kind: AllocKind,
        zeroed: bool,
        out: &mut Vec<Command>,
    ) {
        let symbol = self.symbol(target);
        let bytes = self.view.fields.size.map(|field| (field, self.integer(size)));
        out.push(Command::New(symbol));
        let here = Term::Var(symbol);
        out.push(Command::Mark(self.view.fields.alive, here.clone(), true));
        if let Some(heap) = self.view.fields.heap {
            out.push(Command::Mark(heap, here.clone(), kind == AllocKind::Heap));
        }
        if let Some((field, bytes)) = bytes {
            out.push(Command::Write(field, here.clone(), Some(bytes)));
        }
        if zeroed {
            for &field in &self.view.fields.links {
                out.push(Command::Write(field, here.clone(), Some(Term::Null)));
            }
            for &field in &self.view.fields.numbers {
                out.push(Command::Write(field, here.clone(), Some(Term::Int(0))));
            }
        }
    }

    fn fill(
        &mut self,
        to: ExprId,
        byte: ExprId,
        size: ExprId,
        region: RegionId,
        out: &mut Vec<Command>,
    ) -> Result<(), Refused> {
        let size = self.program.exprs.as_int(size).ok_or("filling memory of variable size")?;
        let zero = self.program.exprs.as_int(byte) == Some(0);
        if let Some((array, place)) = self.cell(to)? {
            if !zero || place != Term::Int(0) || size != array.length * self.bytes(array.ty) {
                return Err("filling a part of an array, or with other bytes than zero".into());
            }
            out.push(Command::Forget(array.field));
            out.push(Command::Assume(self.zeros(array)));
            return Ok(());
        }
        let (base, from) = self.offset(to).ok_or("filling an array")?;
        let base = self.base(base)?;
        let mut places: Vec<_> = self.view.fields.places.iter().map(|(k, f)| (*k, *f)).collect();
        places.sort_unstable_by_key(|(_, f)| *f);
        for ((place, offset, ty, _), field) in places {
            let end = offset + self.bytes(ty);
            if place == region && offset < from + size && end > from {
                let value = match ty {
                    Type::Pointer if zero && offset >= from && end <= from + size => Term::Null,
                    Type::Int(_) if zero && offset >= from && end <= from + size => Term::Int(0),
                    _ => return Err("filling memory with other bytes than zero".into()),
                };
                out.push(Command::Write(field, base.clone(), Some(value)));
            }
        }
        Ok(())
    }

    fn by_contract(&self, function: FunctionId) -> bool {
        let name = &self.program.functions[function].name;
        self.callees.is_some_and(|callees| callees.contains_key(name))
    }

    /// The arguments of a call; what it does is for its contract to say.
    fn call(
        &mut self,
        function: FunctionId,
        arguments: &[ExprId],
        result: Option<VarId>,
        out: &mut Vec<Command>,
    ) -> Result<(), Refused> {
        let mut given = Vec::new();
        for (number, &argument) in arguments.iter().enumerate() {
            let (kind, value) = match self.program.exprs.type_of(argument) {
                Type::Pointer => (Kind::Object, self.pointer(argument)?),
                _ => (Kind::Integer, self.integer(argument)),
            };
            let name = format!("argument {}", number + 1);
            let symbol = self.view.signature.variable(name, kind);
            out.push(Command::Assign(symbol, value));
            given.push(symbol);
        }
        self.view.calls.push(CallSite {
            step: self.view.steps.len(),
            function: self.program.functions[function].name.clone(),
            arguments: given,
            result: result.map(|var| (var, self.symbol(var))),
        });
        Ok(())
    }

    /// A function without a body may change what it can reach.
    fn external(&mut self, arguments: &[ExprId], out: &mut Vec<Command>) -> Result<(), Refused> {
        let pointers = arguments.iter().any(|&a| self.program.exprs.type_of(a) == Type::Pointer);
        let mut globals: Vec<VarId> = self
            .view
            .variables
            .keys()
            .copied()
            .filter(|&v| self.program.variables[v].kind == VariableKind::Global)
            .collect();
        globals.sort_unstable();
        let reaches = pointers
            || globals.iter().any(|&v| self.program.variables[v].ty == Type::Pointer)
            || !self.program.objects.is_empty();
        for global in globals {
            out.push(self.any_value(global));
        }
        if reaches && self.program.external_region.is_some() {
            return Err("a function without a body that can reach memory".into());
        }
        Ok(())
    }
}
