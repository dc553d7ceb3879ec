//! Lowering a function: its state, its parameters and result, its ends.
//!
//! A record parameter that has leaves arrives as one parameter for each leaf,
//! any other record as the address of a copy that the caller made. A record
//! result with leaves is left in globals (one set for each record type), which the
//! caller reads right after the call; any other record result is written to an
//! address that arrives as the first parameter. Extra arguments of a variadic
//! function lie in a memory object whose address is the last parameter.

use crate::context::Lowerer;
use crate::emission::{Cursor, Emission};
use crate::function_state::{FunctionState, Local, ResultBy};
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::linkage::Work;
use crate::scope::{Binding, LocalId, unique};
use crate::types::{CType, FunctionTy, QualType, TyId, TypeStore};
use crate::value::Place;
use bolide_base::Span;
use bolide_c_syntax::ast::{self, Symbol};
use bolide_cfa::{
    Body, Function, FunctionId, Op, Origin, Role, Type, VarId, Variable, VariableKind,
};
use std::rc::Rc;

impl TypeStore {
    /// The scalars in which a parameter of the type arrives.
    pub fn parameter_scalars(&self, ty: TyId) -> Vec<Type> {
        if let Some(scalar) = self.scalar(ty) {
            return vec![scalar];
        }
        match self.leaves(ty) {
            Some(leaves) => leaves.iter().map(|leaf| leaf.scalar).collect(),
            None => vec![Type::Pointer],
        }
    }
}

impl Emission {
    fn add_parameter(
        &mut self,
        function: FunctionId,
        name: String,
        ty: Type,
        span: Span,
        scope: Span,
    ) -> VarId {
        let var = self.program.variables.push(Variable {
            span,
            scope,
            ..Variable::new(name, ty, Some(function), VariableKind::Parameter)
        });
        self.program.functions[function].parameters.push(var);
        var
    }

    /// A parameter that the source does not know: an address.
    fn add_address(&mut self, function: FunctionId, name: &str, span: Span) -> VarId {
        self.add_parameter(function, name.to_owned(), Type::Pointer, span, Span::NONE)
    }
}

impl<'a> Lowerer<'a> {
    /// A function without a body yet.
    pub fn new_function(&mut self, name: String, span: Span) -> FunctionId {
        let name = unique(&mut self.linkage.function_names, name);
        self.out.program.functions.push(Function { span, ..Function::named(name) })
    }

    /// Something that runs refers to the function: see that it gets a body.
    pub fn use_function(&mut self, id: GlobalId) -> FunctionId {
        let function = self.function_id(id);
        let running = self.out.is_live() || self.linkage.in_static_initializer;
        if running && !self.linkage[id].requested {
            self.linkage[id].requested = true;
            self.tell_notes_of_global(id);
            self.declare_signature(id, function);
            if let Some(Definition::Function(..)) = self.linkage[id].definition {
                self.linkage.work.push_back(Work::Function(id));
            }
        }
        function
    }

    /// Starts the state for a function.
    pub fn begin_function(&mut self, id: FunctionId, name: &str) {
        let entry = self.out.program.add_location(id);
        let exit = self.out.program.add_location(id);
        self.out.program.functions[id].body = Some(Body { entry, exit });
        self.out.at = Cursor { active: true, id, cur: Some(entry), ..Cursor::none() };
        self.f = FunctionState::new(name, exit);
    }

    /// Ends the state: control that falls off the end returns.
    pub fn end_function(&mut self) -> Fallible<()> {
        self.out.at.origin = Origin::default();
        self.f.leave(&mut self.out);
        self.check_labels()?;
        self.resolve_computed_gotos();
        self.resolve_escapes();
        self.f.resolve_jumps(&mut self.out);
        self.f.keep_frame(&mut self.out);
        self.leave_function();
        Ok(())
    }

    fn leave_function(&mut self) {
        (self.f, self.out.at) = (FunctionState::none(), Cursor::none());
    }

    /// Enters parameters and result into the program's function by its C type.
    pub fn declare_signature(&mut self, global: GlobalId, function: FunctionId) {
        let CType::Function(ty) = self.types.get(self.linkage[global].ty.ty).clone() else {
            return;
        };
        if let Some(Definition::Function(..)) = self.linkage[global].definition {
            return; // The definition will say it with names.
        }
        self.signature_without_names(&ty, function);
    }

    /// Parameters as the type tells, for functions without a body of their own.
    pub fn signature_without_names(&mut self, ty: &FunctionTy, function: FunctionId) {
        self.declare_result(ty.result, function);
        let span = self.out.program.functions[function].span;
        for (i, parameter) in ty.parameters.iter().enumerate() {
            for (k, scalar) in self.types.parameter_scalars(parameter.ty).into_iter().enumerate() {
                let name = if k == 0 { format!("arg#{i}") } else { format!("arg#{i}#{k}") };
                self.out.add_parameter(function, name, scalar, span, Span::NONE);
            }
        }
        if ty.variadic {
            self.out.add_address(function, "...", span);
            self.out.program.functions[function].variadic = true;
        }
    }

    /// Enters result variable or address parameter.
    pub fn declare_result(&mut self, result: QualType, function: FunctionId) -> ResultBy {
        if let Some(ty) = self.types.scalar(result.ty) {
            let span = self.out.program.functions[function].span;
            let var = self.out.program.variables.push(Variable {
                span,
                ..Variable::new("result#", ty, Some(function), VariableKind::Result)
            });
            self.out.program.functions[function].result = Some(var);
            return ResultBy::Variable(var);
        }
        if self.types.is_composite(result.ty) && self.types.size(result.ty).is_some() {
            if self.types.leaves(result.ty).is_some() {
                return ResultBy::Channel(self.result_channel(result.ty));
            }
            return ResultBy::Address(self.out.add_address(function, "result#", Span::NONE));
        }
        ResultBy::Void
    }

    /// The globals that carry a returned record.
    pub fn result_channel(&mut self, ty: TyId) -> Rc<[VarId]> {
        if let Some(vars) = self.out.result_channels.get(&ty) {
            return vars.clone();
        }
        let name = format!("result#({})", self.types.spell(ty));
        let vars =
            self.make_variables(&name, ty.into(), VariableKind::Global, Span::NONE, Span::NONE);
        self.out.result_channels.insert(ty, vars.clone());
        vars
    }

    /// Lowers a function with a body.
    pub fn lower_function(&mut self, global: GlobalId) -> Fallible<()> {
        let Some(Definition::Function(unit, id)) = self.linkage[global].definition else {
            return Ok(());
        };
        self.input.unit = unit;
        let function = self.function_id(global);
        let definition = &self.input.ast().functions[id];
        // As the source spells it, whatever its name in the assembler is.
        let name = definition.declarator.name.map_or("", |name| self.input.text(name));
        self.begin_function(function, name);
        self.f.start = definition.span.start;
        self.out.at.block = self.input.span(definition.span);
        self.begin_frame();
        let depth = self.linkage.names[unit].depth();
        self.linkage.names[unit].enter();
        let result = self.lower_definition(global, definition);
        self.linkage.names[unit].leave_to(depth);
        self.f.enclosing.clear();
        match result {
            Ok(()) => self.end_function(),
            Err(diagnostic) => {
                self.leave_function();
                Err(diagnostic)
            }
        }
    }

    fn lower_definition(
        &mut self,
        global: GlobalId,
        definition: &'a ast::FunctionDefinition,
    ) -> Fallible<()> {
        let function = self.out.at.id;
        let ty = self.linkage[global].ty.ty;
        let CType::Function(signature) = self.types.get(ty).clone() else {
            return self.error(definition.declarator.span, "the definition is not of a function");
        };
        let name = self.linkage[global].name.clone();
        let span = self.input.span(definition.declarator.span);
        self.out.program.functions[function].span = span;
        if self.types.is_composite(signature.result.ty)
            && self.types.size(signature.result.ty).is_none()
        {
            return self.error(definition.declarator.span, "the result has an incomplete type");
        }
        self.f.result = self.declare_result(signature.result, function);
        self.f.result_ty = signature.result.ty;
        self.out.at.origin = Origin { span, role: Role::Implicit };
        let first = self.f.locals.len();
        self.bind_parameters(definition)?;
        let contract = self.begin_contract(global, first, definition.span);
        self.see_statement_attributes(definition);
        if self.input.checks(bolide_cfa::Property::UnreachCall)
            && self.input.options.error_functions.contains(&name)
        {
            // Reached only through a pointer; direct calls are caught where they stand.
            self.fail(
                bolide_cfa::Property::UnreachCall,
                format!("`{name}` is called"),
                definition.declarator.span,
            );
            return Ok(());
        }
        self.statement(definition.body)?;
        // C99 5.1.2.2.3: reaching the end of main returns 0.
        if self.out.is_live()
            && let ResultBy::Variable(target) = self.f.result
        {
            self.out.at.origin = Origin::default();
            let value = self.out.zero(self.out.program.variables[target].ty);
            let source = bolide_cfa::NondetSource::Uninitialized;
            self.out.emit(match name == self.input.options.entry {
                true => Op::Assign { target, value },
                false => Op::Nondet { target, source },
            });
        }
        if let Some(contract) = contract {
            self.end_contract(contract);
        }
        Ok(())
    }

    fn bind_parameters(&mut self, definition: &'a ast::FunctionDefinition) -> Fallible<()> {
        let Some(parameters) = definition.parameters() else { return Ok(()) };
        let mut list: Vec<(Option<Symbol>, Span, QualType)> = Vec::new();
        let mut variadic = false;
        match &self.input.ast().params[parameters].kind {
            ast::ParametersKind::Unspecified => {}
            ast::ParametersKind::Prototype { parameters, is_variadic } => {
                variadic = *is_variadic;
                for p in parameters.iter().filter(|p| !p.is_forward) {
                    let ty = self.parameter_type(p)?;
                    if self.types.is_void(ty.ty) && parameters.len() == 1 {
                        continue;
                    }
                    // The length of an array that is a pointer here is evaluated all the same.
                    if let Some(ast::DerivedKind::Array { size, .. }) =
                        p.declarator.derived.first().map(|d| &d.kind)
                        && let ast::ArraySize::Expr(length) = size
                        && self.input.has_effect(*length)
                    {
                        self.effect(*length)?;
                    }
                    list.push((p.declarator.name, p.declarator.name_span, ty));
                    // A later parameter may use it as a length.
                    self.bind_parameter(list.len() - 1, &list)?;
                }
            }
            ast::ParametersKind::Names(names) => {
                let types = self.old_style_types(definition, names)?;
                for ((name, _), (ty, span)) in names.iter().zip(types) {
                    list.push((Some(*name), span, ty));
                    self.bind_parameter(list.len() - 1, &list)?;
                }
            }
        }
        if variadic {
            let function = self.out.at.id;
            self.f.varargs = Some(self.out.add_address(function, "...", Span::NONE));
            self.out.program.functions[function].variadic = true;
        }
        Ok(())
    }

    /// Makes the program's parameters for one parameter and, if its address is
    /// taken, its object in memory.
    fn bind_parameter(
        &mut self,
        index: usize,
        list: &[(Option<Symbol>, Span, QualType)],
    ) -> Fallible<()> {
        let (symbol, span, ty) = list[index];
        if self.types.size(ty.ty).is_none() {
            return self.error(span, "a parameter has an incomplete type");
        }
        let function = self.out.at.id;
        let name = symbol.map_or(format!("arg#{index}"), |s| self.input.text(s).to_owned());
        let out_span = self.input.span(span);
        let block = self.out.at.block;
        let Some(leaves) = self.types.leaves(ty.ty) else {
            let name = unique(&mut self.out.at.names, name);
            let var = self.out.add_parameter(function, name, Type::Pointer, out_span, block);
            let place = Place::Memory(self.out.read(var));
            self.capture(span, &place);
            self.bind_local(symbol, Local { ty, place });
            return Ok(());
        };
        let mut vars = Vec::new();
        for leaf in leaves.iter() {
            let name = unique(&mut self.out.at.names, format!("{name}{}", leaf.path));
            vars.push(self.out.add_parameter(function, name, leaf.scalar, out_span, block));
        }
        let taken = self.input.facts[self.input.unit].address_taken_locals.contains(&span.start);
        if !taken && self.types.fits_variables(ty) {
            self.bind_local(symbol, Local { ty, place: Place::Vars(vars.into()) });
            return Ok(());
        }
        let pointer = self.allocate_local(&name, ty, out_span, 0)?;
        for (leaf, var) in leaves.iter().zip(vars) {
            let value = self.out.read(var);
            let at = self.out.pointer_add_bytes(pointer, leaf.offset);
            self.out.store_raw(at, leaf.scalar, leaf.bits, ty.is_volatile, value);
        }
        let place = Place::Memory(pointer);
        self.capture(span, &place);
        self.bind_local(symbol, Local { ty, place });
        Ok(())
    }

    /// Declares a local name.
    pub fn bind_local(&mut self, symbol: Option<Symbol>, local: Local) -> LocalId {
        let id = self.f.locals.push(local);
        if let Some(symbol) = symbol {
            self.names_mut().set(symbol, Binding::Local(id));
        }
        id
    }
}
