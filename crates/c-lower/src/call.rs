//! Calls.

use crate::context::Lowerer;
use crate::contract::state::Use;
use crate::dialect;
use crate::emission::Emission;
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::linkage::{Linkage, Work};
use crate::models::primitive::LibraryCall;
use crate::models::table;
use crate::options::External;
use crate::scope::Binding;
use crate::types::{CType, FunctionTy, TyId};
use crate::value::{Builtin, LValue, Operand, Site, Value};
use bolide_base::{Diagnostic, Span};
use bolide_c_syntax::ast::{self, ExprKind};
use bolide_cfa::{
    CompareOp, Expr, ExprId, ExternalEffect, NondetSource, Op, Origin, Property, Role, Type, VarId,
};
use std::rc::Rc;

/// All but some arguments.
fn without<T: Clone>(arguments: &[T], left_out: std::ops::Range<usize>) -> Vec<T> {
    let kept = arguments.iter().enumerate().filter(|(i, _)| !left_out.contains(i));
    kept.map(|(_, argument)| argument.clone()).collect()
}

/// How the result of a call comes back.
enum Receive {
    Nothing,
    Scalar(VarId),
    Channel(Rc<[VarId]>),
    Memory(ExprId),
}

impl Linkage {
    /// The global whose function this is.
    pub fn global_of_function(&self, function: bolide_cfa::FunctionId) -> Option<GlobalId> {
        self.function_globals.get(&function).copied()
    }
}

impl Emission {
    /// Ends the run.
    pub fn halt(&mut self, status: Option<ExprId>) {
        self.emit(Op::Halt { status });
        self.at.cur = None;
    }
}

impl Lowerer<'_> {
    /// `callee(arguments)`.
    pub fn call(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        site: Site,
    ) -> Fallible<Operand> {
        if self.input.quiet > 0
            && let ExprKind::Name(name) = self.input.ast().exprs[callee].kind
            && let Some(operand) = self.logic_call(self.input.text(name), arguments, site.span)?
        {
            return Ok(operand);
        }
        let outer = self.out.at.origin;
        let result = self.call_here(callee, arguments, site);
        self.out.at.origin = outer;
        result
    }

    fn call_here(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        site: Site,
    ) -> Fallible<Operand> {
        let span = site.span;
        let unit = self.input.ast();
        if let ExprKind::Name(name) = unit.exprs[callee].kind {
            let text = self.input.text(name);
            match self.names().get(name) {
                Some(Binding::Global(id)) if self.types.is_function(self.linkage[id].ty.ty) => {
                    return self.call_global(id, arguments, site);
                }
                Some(_) => {}
                None => {
                    if let Some(diagnostic) = self.linkage.failed.get(&(self.input.unit, name)) {
                        return Err(Box::new(diagnostic.clone()));
                    }
                    if let Some(operand) =
                        self.builtin_syntax(Builtin { name: text, arguments, span })?
                    {
                        return Ok(operand);
                    }
                    if let Some((id, left_out)) = self.library_alias(text, arguments.len()) {
                        let arguments = without(arguments, left_out);
                        return self.call_global(id, &arguments, site);
                    }
                    let known = self.linkage.by_name.contains_key(text);
                    let prefixes = ["__sync_", "__atomic_"];
                    if !known && prefixes.iter().any(|prefix| text.starts_with(prefix)) {
                        self.lost(span, &format!("the builtin `{text}`"));
                    }
                    if !known && text == "assume" && arguments.len() == 1 {
                        // Nobody declares it: no library can have it. Verifiers read it so.
                        let message = "`assume`, declared nowhere, cuts runs as \
                                       `__VERIFIER_assume` does";
                        self.out.assumptions.insert(message.into());
                        let id = self.implicit_function("__VERIFIER_assume", span);
                        return self.call_global(id, arguments, site);
                    }
                    if !known && table::find(text).is_none() {
                        self.warn(span, format!("`{text}` is called but not declared"));
                    }
                    let id = self.implicit_function(text, span);
                    return self.call_global(id, arguments, site);
                }
            }
        }
        let pointer = self.rvalue(callee)?;
        let Some(ty) = self.types.function(pointer.ty).cloned() else {
            return self
                .error(span, format!("`{}` cannot be called", self.types.spell(pointer.ty)));
        };
        let e = self.expect_scalar(&pointer, span)?;
        if let Expr::Function(function) = *self.out.program.exprs.get(e)
            && let Some(id) = self.linkage.global_of_function(function)
        {
            return self.call_global(id, arguments, site);
        }
        let effects = arguments.iter().any(|&a| self.input.has_effect(a));
        let e = if effects { self.out.save(e) } else { e };
        let operands = self.arguments(&ty, arguments, span)?;
        if self.input.checks(Property::ValidDeref) {
            let null = self.out.expr(Expr::Null);
            let ok = self.out.compare(CompareOp::Ne, e, null);
            self.check(Property::ValidDeref, ok, span, |_| "a null pointer is called".into());
        }
        self.out.at.origin = Origin { span: self.input.span(span), role: Role::Call };
        self.emit_call(&ty, operands, site, |arguments, result| Op::CallIndirect {
            callee: e,
            candidates: None,
            arguments,
            result,
            variadic: ty.variadic,
        })
    }

    /// Calls a function by name.
    fn call_global(
        &mut self,
        id: GlobalId,
        arguments: &[ast::ExprId],
        site: Site,
    ) -> Fallible<Operand> {
        let span = site.span;
        let name = self.linkage[id].name.clone();
        let defined = matches!(self.linkage[id].definition, Some(Definition::Function(..)));
        if !defined
            && let Some(operand) = self.builtin_syntax(Builtin { name: &name, arguments, span })?
        {
            return Ok(operand);
        }
        if !defined && self.claims_of_all(&name, arguments, span)? {
            return Ok(Operand::new(self.types.void(), Value::Void));
        }
        let Some(mut ty) = self.types.function(self.linkage[id].ty.ty).cloned() else {
            return self.error(span, "this cannot be called");
        };
        ty.prototype &= self.sees_prototype(id, span);
        let operands = self.arguments(&ty, arguments, span)?;
        self.out.at.origin = Origin { span: self.input.span(span), role: Role::Call };
        self.call_with(id, &ty, operands, site)
    }

    /// Assumes or asserts what has quantifiers, if it does.
    fn claims_of_all(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Fallible<bool> {
        let (model, [condition, rest @ ..]) = (table::find(name), arguments) else {
            return Ok(false);
        };
        let how = match model {
            Some(table::Model::Assume) => Use::Assumed,
            Some(table::Model::Assert) => Use::Claimed,
            _ => return Ok(false),
        };
        if !self.has_quantifier(*condition) {
            return Ok(false);
        }
        for &word in rest {
            self.effect(word)?;
        }
        let condition = self.formula(*condition, how)?;
        match how {
            Use::Assumed => self.out.assume(condition),
            _ => self.assert_condition(condition, span),
        }
        Ok(true)
    }

    /// Whether the call of a function of the program is one by prototype: a declaration further
    /// down says nothing about it.
    fn sees_prototype(&self, id: GlobalId, span: Span) -> bool {
        let (global, unit) = (&self.linkage[id], self.input.unit);
        let at = self.input.span(span).start;
        let all = &global.prototypes;
        // None at all: a function within a function, which stands above its calls.
        let is_model = matches!(global.definition, Some(Definition::Function(at, _)) if at >= self.input.first_model);
        is_model
            || global.definition.is_none()
            || all.is_empty()
            || all.iter().any(|&(known, place)| known == unit && place <= at)
    }

    /// Calls a function with evaluated arguments.
    pub fn call_with(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        operands: Vec<Operand>,
        site: Site,
    ) -> Fallible<Operand> {
        let Site { span, used } = site;
        let name = self.linkage[id].name.clone();
        if self.input.checks(Property::UnreachCall)
            && self.input.options.error_functions.contains(&name)
        {
            self.fail(Property::UnreachCall, format!("`{name}` is called"), span);
            return self.dead_value(ty.result.ty);
        }
        if let Some(operand) = self.call_by_contract(id, ty, &operands, site)? {
            return Ok(operand);
        }
        let definition = self.linkage[id].definition;
        if let Some(Definition::Function(unit, _)) = definition {
            if unit >= self.input.first_model
                && let Some(operand) = self.known_length(&name, ty, &operands)
            {
                return Ok(operand);
            }
            if unit < self.input.first_model
                && table::REPLACED.contains(&name.as_str())
                && self.linkage.by_name.get(&name) == Some(&id)
            {
                self.lost(span, &format!("the program's own `{name}`, which compilers replace"));
            }
            let function = self.use_function(id);
            // The definition decides how arguments arrive, whatever was declared here.
            let actual = self.types.function(self.linkage[id].ty.ty).cloned();
            let actual = actual.unwrap_or_else(|| ty.clone());
            if unit < self.input.first_model && !self.arrive(&actual, &operands) {
                self.lost(span, &format!("arguments of other types than `{name}` takes"));
            }
            let operands = self.fit_arguments(&actual, operands, span)?;
            let result = self.emit_call(&actual, operands, site, |arguments, result| Op::Call {
                function,
                arguments,
                result,
            })?;
            if actual.result.ty != ty.result.ty
                && let (Value::Scalar(_), Some(_)) =
                    (&result.value, self.types.scalar(ty.result.ty))
            {
                return self.convert_operand(result, ty.result.ty, span);
            }
            return Ok(result);
        }
        if let Some(model) = table::find(&name) {
            let call = LibraryCall { model, name: &name, ty, operands, span, used };
            return self.apply_model(call);
        }
        if let Some((id, left_out)) = self.library_alias(&name, operands.len())
            && let Some(ty) = self.types.function(self.linkage[id].ty.ty).cloned()
        {
            let operands = without(&operands, left_out);
            let operands = self.fit_arguments(&ty, operands, span)?;
            return self.call_with(id, &ty, operands, site);
        }
        self.call_external(id, ty, operands, site)
    }

    /// `strlen` of a literal.
    fn known_length(
        &mut self,
        name: &str,
        ty: &FunctionTy,
        operands: &[Operand],
    ) -> Option<Operand> {
        let [Operand { value: Value::Scalar(text), .. }] = operands else { return None };
        let length = self.literal_bytes(*text).filter(|_| name == "strlen")?.len() as u64;
        let scalar = self.types.scalar(ty.result.ty)?;
        let length = self.out.size(length);
        let length = self.out.cast(scalar, length);
        Some(Operand::scalar(ty.result.ty, length))
    }

    /// A value for a call that does not come back.
    pub fn dead_value(&mut self, ty: TyId) -> Fallible<Operand> {
        let value = match self.types.leaves(ty) {
            _ if self.types.is_void(ty) => Value::Void,
            Some(leaves) => {
                let values = leaves.iter().map(|leaf| self.out.zero(leaf.scalar)).collect();
                self.types.value(ty, values)
            }
            None => Value::Memory(self.out.expr(Expr::Null)),
        };
        Ok(Operand::new(ty, value))
    }

    /// A function without a body and without a model.
    pub fn call_external(
        &mut self,
        id: GlobalId,
        ty: &FunctionTy,
        operands: Vec<Operand>,
        site: Site,
    ) -> Fallible<Operand> {
        let span = site.span;
        let name = self.linkage[id].name.clone();
        let is_function = name.starts_with("__CPROVER_uninterpreted_");
        if table::is_input(&name) || !is_function && self.is_called_input(&name, ty, &operands) {
            return self.nondet_operand(ty.result.ty, NondetSource::Input(name), span);
        }
        // The same arguments give the same value: to proofs, any.
        if is_function {
            let source = NondetSource::Unmodelled(format!("the function `{name}`"));
            return self.nondet_operand(ty.result.ty, source, span);
        }
        if self.out.is_live() {
            self.note_external(&name, span)?;
            if name.starts_with("__builtin_") {
                self.lost(span, &format!("the builtin `{name}`"));
            }
        }
        let function = self.use_function(id);
        let effect = match self.input.options.external(&name) {
            External::Pure => ExternalEffect::Pure,
            _ => ExternalEffect::Havoc,
        };
        let noreturn = self.linkage[id].traits.noreturn;
        let result = self.emit_call(ty, operands, site, |arguments, result| Op::External {
            function,
            arguments,
            result,
            effect,
        })?;
        if noreturn {
            self.out.halt(None);
        }
        Ok(result)
    }

    /// Whether a function is an input by its name, as CBMC and others have it, and by its type: memory has no
    /// part in it.
    fn is_called_input(&self, name: &str, ty: &FunctionTy, operands: &[Operand]) -> bool {
        let result = ty.result.ty;
        dialect::is_input(name, self.input.options.dialect())
            && !self.types.is_void(result)
            && !self.types.holds_pointers(result)
            && operands.iter().all(|operand| !self.types.holds_pointers(operand.ty))
    }

    /// Reports a function without a body.
    pub fn note_external(&mut self, name: &str, span: Span) -> Fallible<()> {
        if self.input.options.external(name) == External::Error {
            return Err(Box::new(
                Diagnostic::error(self.input.span(span), format!("`{name}` has no body"))
                    .with_help("choose how to treat such functions with `--external havoc|pure`"),
            ));
        }
        if !self.linkage.externals.contains_key(name) {
            if dialect::is_intrinsic(name, self.input.options.dialect()) {
                self.unmodelled(span, format!("the function `{name}`"));
            }
            let span = self.input.span(span);
            self.linkage.externals.insert(name.to_owned(), span);
        }
        Ok(())
    }

    /// Evaluates arguments from right to left, as gcc does on x86, and converts
    /// them to the parameters.
    fn arguments(
        &mut self,
        ty: &FunctionTy,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Fallible<Vec<Operand>> {
        if ty.prototype && arguments.len() < ty.parameters.len() {
            return self.error(
                span,
                format!(
                    "too few arguments: {} instead of {}",
                    arguments.len(),
                    ty.parameters.len()
                ),
            );
        }
        let mut operands: Vec<Operand> = Vec::with_capacity(arguments.len());
        // How many arguments further left have effects.
        let mut effects = arguments.iter().filter(|&&a| self.input.has_effect(a)).count();
        for (i, &argument) in arguments.iter().enumerate().rev() {
            let mut operand = self.rvalue(argument)?;
            let argument_span = self.input.ast().exprs[argument].span;
            if self.input.has_effect(argument) {
                effects -= 1;
            }
            operand = match ty.parameters.get(i) {
                Some(parameter) if ty.prototype => {
                    self.convert_argument(operand, parameter.ty, argument_span)?
                }
                _ => {
                    let promoted = self.types.promote_argument(operand.ty, operand.width);
                    self.convert_operand(operand, promoted, argument_span)?
                }
            };
            if effects > 0 {
                operand = match operand.value {
                    Value::Memory(pointer) => {
                        Operand { value: Value::Memory(self.out.stable(pointer)), ..operand }
                    }
                    Value::Leaves(_) => operand,
                    _ => self.save_operand(operand),
                };
            }
            operands.push(operand);
        }
        operands.reverse();
        let is_live = self.out.is_live();
        if let Some((_, watch)) = self.f.call_watches.pop_if(|watched| is_live && watched.0 == span)
        {
            self.must_be_same(&watch, span);
        }
        Ok(operands)
    }

    /// Converts an argument; a union parameter marked transparent takes its
    /// first member's value.
    fn convert_argument(&mut self, operand: Operand, to: TyId, span: Span) -> Fallible<Operand> {
        if let (Value::Scalar(e), Some(record)) = (&operand.value, self.types.as_record(to))
            && self.types.records[record].is_union
        {
            let (e, scalar) = (*e, self.types.scalar(operand.ty));
            let pointer = self.allocate_local("argument", to.into(), Span::NONE, 0)?;
            if let Some(scalar) = scalar {
                self.out.store_raw(pointer, scalar, None, false, e);
            }
            return Ok(Operand::new(to, Value::Memory(pointer)));
        }
        self.convert_operand(operand, to, span)
    }

    /// Whether arguments arrive in the parameters of a definition: without a prototype they are passed as they are,
    /// and who takes them as something else finds the machine's leftovers.
    fn arrive(&mut self, ty: &FunctionTy, operands: &[Operand]) -> bool {
        operands.iter().zip(ty.parameters.iter()).all(|(operand, parameter)| {
            let (from, mut to) = (operand.ty, parameter.ty);
            if self.types.scalar(from) == self.types.scalar(to) {
                return true;
            }
            // A prototype takes floats as they are, without one they come as doubles.
            if !ty.prototype || matches!(self.types.scalar(to), Some(Type::Int(_))) {
                to = self.types.promote_argument(to, None);
            }
            let pointer = self.out.program.target.pointer_bits;
            let bits = |ty: Type| match ty {
                Type::Int(int) => Some(int.bits),
                Type::Pointer => Some(pointer),
                _ => None,
            };
            // A small number fills all of its register.
            let small = match operand.value {
                Value::Scalar(e) => self.out.as_int(e).is_some_and(|n| n >= 0),
                _ => false,
            };
            match (self.types.scalar(from), self.types.scalar(to)) {
                (Some(a), Some(b)) => {
                    let (from, to) = (bits(a), bits(b));
                    a == b || (from.is_some() && to.is_some() && (small || from == to))
                }
                // How records arrive is the conversion's affair.
                _ => true,
            }
        })
    }

    /// Adapts arguments to the parameters of a definition: too many are
    /// dropped, missing ones have any value.
    fn fit_arguments(
        &mut self,
        ty: &FunctionTy,
        operands: Vec<Operand>,
        span: Span,
    ) -> Fallible<Vec<Operand>> {
        let mut fitted = Vec::with_capacity(operands.len());
        let mut operands = operands.into_iter();
        for parameter in ty.parameters.iter() {
            let operand = match operands.next() {
                Some(operand) => {
                    if operand.ty == parameter.ty {
                        operand
                    } else {
                        self.convert_argument(operand, parameter.ty, span)?
                    }
                }
                None => self.nondet_operand(parameter.ty, NondetSource::Uninitialized, span)?,
            };
            fitted.push(operand);
        }
        if ty.variadic {
            fitted.extend(operands);
        }
        Ok(fitted)
    }

    /// Emits a call and receives its result.
    pub fn emit_call(
        &mut self,
        ty: &FunctionTy,
        operands: Vec<Operand>,
        site: Site,
        op: impl FnOnce(Vec<ExprId>, Option<VarId>) -> Op,
    ) -> Fallible<Operand> {
        let Site { span, used } = site;
        let result_ty = ty.result.ty;
        let mut flat: Vec<ExprId> = Vec::new();
        let receive = if self.types.is_void(result_ty) {
            Receive::Nothing
        } else if let Some(scalar) = self.types.scalar(result_ty) {
            if used { Receive::Scalar(self.out.temporary(scalar)) } else { Receive::Nothing }
        } else if self.types.size(result_ty).is_none() {
            return self.error(span, "the result has an incomplete type");
        } else if self.types.leaves(result_ty).is_some() {
            Receive::Channel(self.result_channel(result_ty))
        } else {
            let pointer = self.allocate_temporary("result", result_ty.into())?;
            flat.push(pointer);
            Receive::Memory(pointer)
        };
        let fixed = if ty.prototype || ty.variadic {
            ty.parameters.len().min(operands.len())
        } else {
            operands.len()
        };
        for operand in &operands[..fixed] {
            self.flatten_argument(operand, &mut flat);
        }
        if ty.variadic {
            let extra = self.pack_varargs(&operands[fixed..], span)?;
            flat.push(extra);
        }
        let target = match &receive {
            Receive::Scalar(var) => Some(*var),
            _ => None,
        };
        let op = op(flat, target);
        let external = matches!(op, Op::External { .. });
        self.out.emit(op);
        if !external {
            self.watch_escapes();
        }
        let value = match receive {
            Receive::Nothing if self.types.is_void(result_ty) => Value::Void,
            Receive::Nothing => return self.dead_value(result_ty),
            Receive::Scalar(var) => Value::Scalar(self.out.read(var)),
            Receive::Memory(pointer) => Value::Memory(pointer),
            Receive::Channel(vars) => {
                if !used {
                    return self.dead_value(result_ty);
                }
                let mut values = Vec::new();
                for &var in vars.iter() {
                    let scalar = self.out.program.variables[var].ty;
                    if external {
                        let source = NondetSource::Unmodelled("external function".into());
                        values.push(self.out.nondet(scalar, source));
                    } else {
                        let value = self.out.read(var);
                        values.push(self.out.save(value));
                    }
                }
                Value::Leaves(values.into())
            }
        };
        Ok(Operand::new(result_ty, value))
    }

    /// The scalars in which an argument is passed.
    fn flatten_argument(&mut self, operand: &Operand, flat: &mut Vec<ExprId>) {
        match operand.value.clone() {
            Value::Memory(pointer) if self.types.leaves(operand.ty).is_none() => {
                if let Value::Memory(copy) = self.copy_to_temporary(operand.ty, pointer) {
                    flat.push(copy);
                }
            }
            value => flat.extend(self.value_leaves(operand.ty, value).iter()),
        }
    }

    /// The address of a function, which thereby counts as used.
    pub fn function_address(&mut self, id: GlobalId, span: Span) -> Fallible<ExprId> {
        let running = self.out.is_live() || self.linkage.in_static_initializer;
        let fresh = running && !self.linkage[id].requested;
        let function = self.use_function(id);
        if running {
            self.refuse_missing_weak(id, span);
        }
        if fresh && self.linkage[id].definition.is_none() {
            let name = self.linkage[id].name.clone();
            let modelled = table::find(&name).is_some() || table::is_input(&name);
            let error = self.input.checks(Property::UnreachCall)
                && self.input.options.error_functions.contains(&name);
            if modelled || error {
                self.linkage.work.push_back(Work::Wrapper(id));
            } else if self.out.is_live() {
                self.note_external(&name, span)?;
            } else {
                let span = self.linkage[id].span;
                self.note_external(&name, span)?;
            }
        }
        Ok(self.out.expr(Expr::Function(function)))
    }

    /// A name that is not declared but that the library has: a function.
    pub fn undeclared_function(&mut self, name: &str, span: Span) -> Fallible<Option<LValue>> {
        if table::find(name).is_none() && !self.linkage.by_name.contains_key(name) {
            return Ok(None);
        }
        let id = self.implicit_function(name, span);
        let ty = self.linkage[id].ty;
        if !self.types.is_function(ty.ty) {
            return Ok(None);
        }
        let pointer = self.function_address(id, span)?;
        Ok(Some(crate::lvalue::memory(ty, pointer, None)))
    }

    /// A body for a library function whose address was taken.
    pub fn lower_wrapper(&mut self, id: GlobalId) -> Fallible<()> {
        let CType::Function(ty) = self.types.get(self.linkage[id].ty.ty).clone() else {
            return Ok(());
        };
        let function = self.function_id(id);
        let name = self.linkage[id].name.clone();
        let span = self.linkage[id].span;
        self.input.unit = self.linkage[id].unit;
        self.begin_function(function, &name);
        let parameters = self.out.program.functions[function].parameters.clone();
        let mut operands = Vec::new();
        for (parameter, &var) in ty.parameters.iter().zip(&parameters) {
            if self.types.scalar(parameter.ty).is_none() {
                return self.unsupported(span, format!("the address of `{name}` is"));
            }
            let e = self.out.read(var);
            operands.push(Operand::scalar(parameter.ty, e));
        }
        let operand = self.call_with(id, &ty, operands, Site::value(span))?;
        if let (Some(target), Value::Scalar(e)) =
            (self.out.program.functions[function].result, operand.value)
        {
            let ty: Type = self.out.program.variables[target].ty;
            let e = self.out.cast(ty, e);
            self.out.assign(target, e);
        }
        self.end_function()
    }
}
