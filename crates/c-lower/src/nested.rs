//! Functions within functions (gcc).
//!
//! Such a function becomes one like any other; it is lowered where it stands, for there its names mean something. What it uses of the
//! variables around it is known beforehand (`facts`): these live in memory, and whenever one begins to live, its
//! address is noted in a global of its own, through which the inner function finds it. So are lengths of
//! variable arrays. All these globals are the *frame* of the outer function; it keeps what they held before and puts that back in
//! the end, so that they always belong to the activation that runs, or that called what runs.
//!
//! A call by name therefore finds the right variables, and so does a call through a pointer unless the outer function is active more than
//! once: the pointer belongs to the activation that took it, which need not be the last one. Then no verdict stands.

use crate::context::Lowerer;
use crate::emission::{Cursor, Emission};
use crate::function_state::{Begin, FunctionState, Local, Outer};
use crate::global::{Definition, Global};
use crate::input::{Fallible, Input};
use crate::lvalue::memory;
use crate::scope::{Binding, unique};
use crate::value::{LValue, Place};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::analysis::CallGraph;
use bolide_cfa::{
    Body, Expr, ExprId, Function, Op, Origin, Role, Type, VarId, Variable, VariableKind,
};
use std::rc::Rc;

/// The noted value of a variable of an outer function.
fn noted(frame: &[(VarId, VarId)], var: VarId) -> Option<VarId> {
    frame.iter().find(|entry| entry.0 == var).map(|entry| entry.1)
}

impl Emission {
    /// What is noted of the address of a local, or the address if it is a note already.
    fn noted_address(&mut self, frames: &[(VarId, VarId)], pointer: ExprId) -> Option<ExprId> {
        let Expr::Var(var) = *self.program.exprs.get(pointer) else { return None };
        if frames.iter().any(|entry| entry.1 == var) {
            return Some(pointer);
        }
        noted(frames, var).map(|note| self.read(note))
    }
}

impl Input<'_> {
    /// A variable of a function around this one. It need not live any more, for there may be a
    /// pointer to this function still.
    pub fn outer_variable(&self, local: &Local, span: Span) -> Fallible<LValue> {
        match local.place {
            Place::Memory(pointer) => Ok(memory(local.ty, pointer, None)),
            Place::Vars(_) => self.unsupported(span, "this use of an outer variable is"),
        }
    }
}

impl FunctionState {
    /// The step that notes the value of a variable, if it belongs to the frame.
    pub fn note_in_frame(&mut self, out: &mut Emission, var: VarId) -> Option<Op> {
        let target = noted(&self.frame.own, var)?;
        Some(Op::Assign { target, value: out.read(var) })
    }

    /// At the end of a function: the frame before it is kept at the entry and put back before the exit.
    pub fn keep_frame(&mut self, out: &mut Emission) {
        let Some(Body { entry, exit }) = out.program.functions[out.at.id].body else {
            return;
        };
        let origin = Origin { span: Span::NONE, role: Role::Implicit };
        let (mut keep, mut restore) = (Vec::new(), Vec::new());
        for (i, (_, note)) in self.frame.own.clone().into_iter().enumerate() {
            let kept = out.add_variable(Variable::new(
                format!("frame#{}", i + 1),
                out.program.variables[note].ty,
                Some(out.at.id),
                VariableKind::Temporary,
            ));
            let value = out.read(note);
            keep.push((Op::Assign { target: kept, value }, origin));
            let value = out.read(kept);
            restore.push((Op::Assign { target: note, value }, origin));
        }
        if self.exit != exit {
            if restore.is_empty() {
                restore.push((Op::Skip, origin));
            }
            out.add_steps(self.exit, exit, restore);
        }
        if !keep.is_empty() {
            self.insert_at_head(out, entry, keep, 0);
        }
    }
}

impl Lowerer<'_> {
    /// A function defined in a block.
    pub fn nested_function(&mut self, id: ast::FunctionId) -> Fallible<()> {
        let definition = &self.input.ast().functions[id];
        let Some(name) = definition.declarator.name else {
            return self.error(definition.span, "a function without a name");
        };
        let ty = self.definition_type(definition)?;
        let text = format!("{}.{}", self.f.name, self.input.text(name));
        let span = self.input.span(definition.declarator.name_span);
        let mut global = Global::new(text, ty, self.input.unit, span);
        global.is_static = true;
        global.definition = Some(Definition::Function(self.input.unit, id));
        global.requested = true;
        let global = self.linkage.globals.push(global);
        self.names_mut().set(name, Binding::Global(global));
        let function = self.function_id(global);
        let f = std::mem::replace(&mut self.f, FunctionState::none());
        let at = std::mem::replace(&mut self.out.at, Cursor::none());
        self.outer.push(Outer { f, at });
        let around = self.outer.iter().map(|outer| outer.at.id).collect();
        self.code.nested.push((function, around));
        let result = self.lower_function(global);
        if let Some(outer) = self.outer.pop() {
            (self.f, self.out.at) = (outer.f, outer.at);
        }
        result
    }

    /// At the begin of a function: takes over the names of the one around it, and leaves room before
    /// the exit for what [`FunctionState::keep_frame`] puts there.
    pub fn begin_frame(&mut self) {
        if let Some(outer) = self.outer.last() {
            let mut frames = outer.f.frame.outer.clone();
            frames.extend(&outer.f.frame.own);
            let mut locals: Vec<Local> = outer.f.locals.values().cloned().collect();
            for local in &mut locals {
                let place = match local.place {
                    Place::Memory(pointer) => self.out.noted_address(&frames, pointer),
                    Place::Vars(_) => None,
                };
                local.place = place.map_or(Place::Vars(Rc::new([])), Place::Memory);
            }
            self.f.frame.inherited = locals.len();
            self.f.locals = locals.into_iter().collect();
            self.f.frame.outer = frames;
        }
        if self.input.facts[self.input.unit].enclosing_functions.contains(&self.f.start) {
            self.f.exit = self.out.location();
        }
    }

    /// Notes where a variable lives, if a function within this one uses it.
    pub fn capture(&mut self, declared: Span, place: &Place) {
        let Place::Memory(pointer) = *place else { return };
        let Expr::Var(var) = *self.out.program.exprs.get(pointer) else { return };
        if !self.input.facts[self.input.unit].captured.contains(&declared.start) {
            return;
        }
        self.extend_frame(var);
        let objects = &self.f.scopes[self.f.scope].objects;
        // An object of the block gets its note with its allocation.
        if !objects.iter().any(|o| o.var == var && o.begin == Begin::Scope)
            && let Some(op) = self.f.note_in_frame(&mut self.out, var)
        {
            self.out.emit(op);
        }
    }

    /// Notes the length of an array, if there are functions in this one that may ask for it.
    pub fn capture_length(&mut self, var: VarId) {
        if self.input.facts[self.input.unit].enclosing_functions.contains(&self.f.start) {
            self.extend_frame(var);
            if let Some(op) = self.f.note_in_frame(&mut self.out, var) {
                self.out.emit(op);
            }
        }
    }

    /// The length of an array, which may be one of an outer function.
    pub fn length(&mut self, var: VarId, span: Span) -> Fallible<ExprId> {
        let is_own = self.out.program.variables[var].function.is_none_or(|f| f == self.out.at.id);
        let var = if is_own { Some(var) } else { noted(&self.f.frame.outer, var) };
        match var {
            Some(var) => Ok(self.out.read(var)),
            None => self.unsupported(span, "the length of this array of an outer function is"),
        }
    }

    fn extend_frame(&mut self, var: VarId) {
        let note = self.new_note(&self.f.name.clone(), var);
        self.f.frame.own.push((var, note));
    }

    /// A global for the value of a variable of a function.
    pub fn new_note(&mut self, function: &str, var: VarId) -> VarId {
        let variable = &self.out.program.variables[var];
        let (name, ty) = (format!("frame#{function}.{}", variable.name), variable.ty);
        self.hidden_global(name, ty)
    }

    /// A global that the program does not know of.
    pub fn hidden_global(&mut self, name: String, ty: Type) -> VarId {
        let name = unique(&mut self.linkage.global_names, name);
        self.out.add_variable(Variable::new(name, ty, None, VariableKind::Global))
    }

    /// Pointers to functions within functions that may be active more than once.
    pub fn addressed_nested(&mut self) {
        if self.code.nested.is_empty() {
            return;
        }
        let calls = CallGraph::new(&self.out.program);
        for (function, around) in std::mem::take(&mut self.code.nested) {
            if calls.address_taken().contains(&function)
                && around.iter().any(|&f| calls.is_recursive(f))
            {
                let Function { name, span, .. } = &self.out.program.functions[function];
                let what =
                    format!("a pointer to `{name}`, which lies in a function that may call itself");
                let span = *span;
                self.unmodelled(span, what);
            }
        }
    }
}
