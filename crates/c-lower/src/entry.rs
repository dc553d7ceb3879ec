//! The stub that starts the program: it calls the entry function with any
//! arguments and ends the run with its result.
//!
//! `main(argc, argv)` gets at least one argument. If it uses `argv`, the stub
//! makes an array of strings of any length and contents (model `argv`).

use crate::context::Lowerer;
use crate::emission::{Cursor, Emission};
use crate::function_state::FunctionState;
use crate::global::{Definition, GlobalId, Traits};
use crate::input::Fallible;
use crate::linkage::Elsewhere;
use crate::types::CType;
use crate::value::{Operand, Site, Value};
use bolide_base::{Span, arena::Id};
use bolide_cfa::{AllocKind, Expr, ExprId, NondetSource, Op, Property, RegionId, Type};

impl Emission {
    /// Allocates memory.
    pub fn allocate(&mut self, size: ExprId, align: u64, kind: AllocKind, zeroed: bool) -> ExprId {
        let target = self.temporary(Type::Pointer);
        let (frame, region) = (None, RegionId::ALL);
        self.emit(Op::Alloc { target, size, align, kind, zeroed, frame, region });
        self.read(target)
    }
}

impl Lowerer<'_> {
    /// Makes the stub and lowers all that it reaches.
    pub fn make_entry(&mut self) -> Fallible<()> {
        let name = self.input.options.entry.clone();
        let target = (0..self.input.first_model).find_map(|unit| {
            let symbol = self.input.units[unit].names.get(&name)?;
            match self.linkage.names[unit].get(symbol) {
                Some(crate::scope::Binding::Global(id)) => Some(id),
                _ => None,
            }
        });
        let defined = target
            .filter(|&id| matches!(self.linkage[id].definition, Some(Definition::Function(..))));
        let Some(target) = defined else {
            for unit in 0..self.input.first_model {
                if let Some(symbol) = self.input.units[unit].names.get(&name)
                    && let Some(diagnostic) = self.linkage.failed.get(&(unit, symbol))
                {
                    return Err(Box::new(diagnostic.clone()));
                }
            }
            return Err(Box::new(
                bolide_base::Diagnostic::error(
                    Span::NONE,
                    format!("there is no function `{name}` to start with"),
                )
                .with_help("choose another with `--entry`"),
            ));
        };
        let stub = self.new_function("entry#".into(), Span::NONE);
        self.out.program.entry = stub;
        self.input.unit = self.linkage[target].unit;
        self.begin_function(stub, "entry#");
        self.call_constructors()?;
        let CType::Function(ty) = self.types.get(self.linkage[target].ty.ty).clone() else {
            return Ok(());
        };
        let span = self.linkage[target].span;
        let arguments = if name == "main" && ty.parameters.len() >= 2 {
            self.main_arguments(target, &ty)?
        } else {
            let mut arguments = Vec::new();
            for (i, parameter) in ty.parameters.iter().enumerate() {
                let source = NondetSource::Input(format!("{name}#{i}"));
                arguments.push(self.nondet_operand(parameter.ty, source, span)?);
            }
            arguments
        };
        let arguments = self.start_by_contract(target, &ty, arguments)?;
        let result = self.start(target, &ty, arguments, Site::value(span))?;
        let status = match result.value {
            Value::Scalar(e) if self.types.is_integer(result.ty) => {
                Some(self.out.cast(Type::signed(32), e))
            }
            _ => {
                let int = bolide_cfa::IntType::signed(32);
                Some(self.out.int(0, int))
            }
        };
        self.run_exit_handlers(span)?;
        self.check_memory_at_end(span);
        self.out.halt(status);
        // Globals may be found to be defined elsewhere only while functions are lowered, so
        // the work is done first and their values are set at the head.
        let state = std::mem::replace(&mut self.f, FunctionState::none());
        let at = std::mem::replace(&mut self.out.at, Cursor::none());
        self.drain_work();
        (self.f, self.out.at) = (state, at);
        self.set_elsewhere();
        self.link_static_memory();
        self.end_function()
    }

    fn call_constructors(&mut self) -> Fallible<()> {
        for id in self.ordered(|traits| traits.constructor) {
            self.call_hook(id)?;
        }
        Ok(())
    }

    /// Functions that run before or after the entry function, in the order of their
    /// priorities, then of the files, then of their definitions.
    fn ordered(&self, priority: impl Fn(&Traits) -> Option<u64>) -> Vec<GlobalId> {
        let mut found: Vec<(u64, usize, usize, GlobalId)> = Vec::new();
        for (id, global) in self.linkage.globals.iter() {
            if let (Some(priority), Some(Definition::Function(unit, function))) =
                (priority(&global.traits), global.definition)
                && unit < self.input.first_model
            {
                found.push((priority, unit, function.index(), id));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(.., id)| id).collect()
    }

    fn call_hook(&mut self, id: GlobalId) -> Fallible<()> {
        if let Some(ty) = self.types.function(self.linkage[id].ty.ty).cloned() {
            let span = self.linkage[id].span;
            self.call_with(id, &ty, Vec::new(), Site::effect(span))?;
        }
        Ok(())
    }

    /// What happens on exit: first what `atexit` was given, if the program calls it, then the
    /// destructors, in the reverse order of constructors, then what these gave `atexit`.
    pub fn run_exit_handlers(&mut self, span: Span) -> Fallible<()> {
        use bolide_c_syntax::ast::ExprKind;
        let registers = self.input.units[..self.input.first_model].iter().any(|unit| {
            let name = unit.names.get("atexit");
            name.is_some()
                && unit
                    .exprs
                    .values()
                    .any(|e| matches!(e.kind, ExprKind::Name(n) if Some(n) == name))
        });
        if registers && self.out.is_live() {
            self.call_model("__bolide_run_exit_handlers", Vec::new(), Site::effect(span))?;
        }
        let destructors = self.ordered(|traits| traits.destructor);
        for &id in destructors.iter().rev() {
            if self.out.is_live() {
                self.call_hook(id)?;
            }
        }
        if registers && !destructors.is_empty() && self.out.is_live() {
            self.call_model("__bolide_run_exit_handlers", Vec::new(), Site::effect(span))?;
        }
        Ok(())
    }

    /// Checks of `valid-memtrack` and `valid-memcleanup` where the run ends.
    pub fn check_memory_at_end(&mut self, span: Span) {
        if self.input.checks(Property::ValidMemtrack) {
            let leaked = self.out.expr(Expr::Leaked);
            let ok = self.out.not(leaked);
            self.check(Property::ValidMemtrack, ok, span, |_| {
                "allocated memory is neither freed nor reachable at the end".into()
            });
        }
        if self.input.checks(Property::ValidMemcleanup) {
            let used = self.out.expr(Expr::HeapInUse);
            let ok = self.out.not(used);
            self.check(Property::ValidMemcleanup, ok, span, |_| {
                "allocated memory is not freed at the end".into()
            });
        }
    }

    /// Scalars that are defined elsewhere have any value at the start.
    fn set_elsewhere(&mut self) {
        let unknown = self.linkage.elsewhere.clone();
        if unknown.is_empty() {
            return;
        }
        let Some(body) = self.out.program.functions[self.out.at.id].body else { return };
        let steps = unknown.iter().map(|&Elsewhere { var: target, .. }| {
            let source = crate::outside::any_value(&self.out.program, target);
            (Op::Nondet { target, source }, Default::default())
        });
        let steps = steps.collect();
        self.f.insert_at_head(&mut self.out, body.entry, steps, 0);
    }

    fn main_arguments(
        &mut self,
        target: GlobalId,
        ty: &crate::types::FunctionTy,
    ) -> Fallible<Vec<Operand>> {
        let span = self.linkage[target].span;
        let mut operands = Vec::new();
        let argc_ty = ty.parameters[0].ty;
        // One argument and any number more, so that zero is a possible choice.
        let more = self.out.nondet(Type::signed(32), NondetSource::Library("argc".into()));
        self.out.assume_between(more, 0, i128::from(i32::MAX) / 16);
        let one = self.out.int(1, bolide_cfa::IntType::signed(32));
        let count = self.out.binary(bolide_cfa::BinaryOp::Add, more, one);
        let int = self.types.int();
        let argc = self.convert_operand(Operand::scalar(int, count), argc_ty, span)?;
        operands.push(argc);
        let used = self.uses_parameter(target, 1);
        for (i, parameter) in ty.parameters.iter().enumerate().skip(1) {
            let value = if i == 1 && used && self.types.is_pointer(parameter.ty) {
                let value = self.make_argv(count, span)?;
                Operand::scalar(parameter.ty, value)
            } else {
                self.nondet_operand(parameter.ty, NondetSource::Library("main".into()), span)?
            };
            operands.push(value);
        }
        Ok(operands)
    }

    /// The array of arguments, made by a model in C.
    fn make_argv(&mut self, count: ExprId, span: Span) -> Fallible<ExprId> {
        let count = self.out.cast(Type::signed(32), count);
        let count = Operand::scalar(self.types.int(), count);
        let result = self.call_model("__bolide_argv", vec![count], Site::value(span))?;
        self.expect_scalar(&result, span)
    }

    /// Whether the body of a function mentions its parameter.
    fn uses_parameter(&self, id: GlobalId, index: usize) -> bool {
        use bolide_c_syntax::ast::{ExprKind, ParametersKind};
        let Some(Definition::Function(unit, function)) = self.linkage[id].definition else {
            return false;
        };
        let unit = self.input.units[unit];
        let definition = &unit.functions[function];
        let name = definition.parameters().and_then(|p| match &unit.params[p].kind {
            ParametersKind::Prototype { parameters, .. } => {
                parameters.get(index).and_then(|p| p.declarator.name)
            }
            ParametersKind::Names(names) => names.get(index).map(|n| n.0),
            ParametersKind::Unspecified => None,
        });
        let body = unit.stmts[definition.body].span;
        unit.exprs.values().any(|e| {
            matches!(e.kind, ExprKind::Name(n) if Some(n) == name)
                && body.start <= e.span.start
                && e.span.end <= body.end
        })
    }
}
