//! Jumps out of a function within a function (gcc), to a label of the outer one.
//!
//! Such a jump ends all calls in between. Here it leaves a number for the label and the identity of the activation that the label
//! belongs to in two globals and returns; after each call of such a program it is asked whether there is a number. Then either the label
//! is one of this activation and is jumped to, or this function returns, too. Both end the lifetimes that a jump ends anyway.
//! The library's functions that call back are lowered like the program's and pass the jump on. Functions without a body that call
//! back (`outside`) do not; then no verdict stands.

use crate::context::{Fallible, Lowerer};
use crate::jump::{Begin, Destination, Jump, Label, LocalObject, ScopeId};
use bolide_base::{Span, arena::Id};
use bolide_c_syntax::ast::Symbol;
use bolide_cfa::{
    CompareOp, Function, IntType, LocId, Op, Origin, Role, Type, VarId, Variable, VariableKind,
};

/// The state of a jump that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Escape {
    /// The number of the label; 0 if no jump is under way.
    number: VarId,
    /// The identity of the activation.
    activation: VarId,
    /// How many labels have numbers.
    labels: u32,
}

/// Where a call has returned with a jump under way.
#[derive(Clone, Debug)]
pub struct CallSite {
    from: LocId,
    scope: ScopeId,
    vlas: u32,
    span: Span,
}

const NUMBER: IntType = IntType::signed(32);

impl Lowerer<'_> {
    /// Programs without such jumps stay as they are.
    pub fn prepare_escapes(&mut self) {
        if self.facts.iter().any(|facts| facts.has_escapes) {
            let number = self.hidden_global("escape#".into(), Type::Int(NUMBER));
            let activation = self.hidden_global("escape#activation".into(), Type::Pointer);
            self.escape = Some(Escape { number, activation, labels: 0 });
        }
    }

    /// `goto` to a label of an outer function.
    pub fn escape_to(
        &mut self,
        outer: usize,
        table: usize,
        name: Symbol,
        span: Span,
    ) -> Fallible<()> {
        let activation = self.identity(outer);
        let label = self.outer[outer].all_labels.get_mut(&(table, name));
        let (Some(escape), Some(label)) = (&mut self.escape, label) else {
            return self.unsupported(span, "this `goto` out of a function is");
        };
        if label.escape.is_none() {
            escape.labels += 1;
        }
        let number = i128::from(*label.escape.get_or_insert(escape.labels));
        let escape = *escape;
        let number = self.b().int(number, NUMBER);
        self.assign(escape.number, number);
        let activation = self.program.read(activation);
        self.assign(escape.activation, activation);
        if let Some(cur) = self.f.cur.take() {
            let (exit, origin) = (self.f.exit, self.f.origin);
            self.add_jump(cur, exit, None, origin);
        }
        Ok(())
    }

    /// The global with the identity of the activation of an outer function.
    fn identity(&mut self, outer: usize) -> VarId {
        if let Some((_, note)) = self.outer[outer].identity {
            return note;
        }
        let function = self.outer[outer].id;
        let var = self.add_variable(Variable {
            name: "activation#".into(),
            ty: Type::Pointer,
            function: Some(function),
            kind: VariableKind::Address,
            initial: None,
            span: Span::NONE,
            scope: Span::NONE,
        });
        let name = self.outer[outer].name.clone();
        let note = self.new_note(&name, var);
        let size = self.b().size(1);
        let outer = &mut self.outer[outer];
        // The outermost scope is allocated when all of the function is lowered.
        let root = ScopeId::from_index(0);
        outer.scopes[root].objects.push(LocalObject { var, size, align: 1, begin: Begin::Scope });
        outer.frame.push((var, note));
        outer.identity = Some((var, note));
        note
    }

    /// After a call: a jump may be under way.
    pub fn watch_escapes(&mut self) {
        let (Some(escape), Some(from)) = (self.escape, self.f.cur) else { return };
        let (scope, vlas) = (self.f.scope, self.f.vlas);
        let span = self.f.origin.span;
        self.f.escapes.push(CallSite { from, scope, vlas, span });
        let number = self.program.read(escape.number);
        let zero = self.b().int(0, NUMBER);
        let none = self.b().compare(CompareOp::Eq, number, zero);
        let next = self.location();
        self.program.add_edge(from, next, Op::Assume(none), Origin { span, role: Role::Implicit });
        self.f.cur = Some(next);
    }

    /// A jump may end a call of a function without a body.
    pub fn escapes_from_outside(&mut self) {
        let is_outside = |f: &Function| f.name == "outside#" && f.body.is_some();
        if self.escape.is_some() && self.program.functions.values().any(is_outside) {
            self.unmodelled(Span::NONE, "a jump out of what a function without a body calls back");
        }
    }

    /// Makes the jumps from calls, now that it is known which labels are jumped to from within.
    pub fn resolve_escapes(&mut self) {
        let Some(escape) = self.escape else { return };
        let mut labels: Vec<(u32, usize, Symbol, Label)> = self
            .f
            .all_labels
            .iter()
            .filter_map(|(&(table, name), label)| Some((label.escape?, table, name, *label)))
            .collect();
        labels.sort_unstable_by_key(|label| label.0);
        let number = self.program.read(escape.number);
        let zero = self.b().int(0, NUMBER);
        let aimed_at = self.program.read(escape.activation);
        for site in std::mem::take(&mut self.f.escapes) {
            let origin = Origin { span: site.span, role: Role::Implicit };
            let mut further = self.b().compare(CompareOp::Ne, number, zero);
            let jump = |this: &mut Self, from, to, op, destination| {
                let (from_scope, vlas) = (site.scope, site.vlas);
                this.f.jumps.push(Jump { from, to, op, from_scope, vlas, destination, origin });
            };
            for &(k, table, name, label) in &labels {
                let Some((identity, _)) = self.f.identity else { continue };
                let k = self.b().int(i128::from(k), NUMBER);
                let is_label = self.b().compare(CompareOp::Eq, number, k);
                let own = self.program.read(identity);
                let is_own = self.b().compare(CompareOp::Eq, aimed_at, own);
                let here = self.b().and(is_label, is_own);
                let arrived = self.location();
                self.program.add_edge(site.from, arrived, Op::Assume(here), origin);
                let done = Op::Assign { target: escape.number, value: zero };
                jump(self, arrived, label.at, done, Destination::Label(table, name));
                let elsewhere = self.b().not(here);
                further = self.b().and(further, elsewhere);
            }
            let exit = self.f.exit;
            jump(self, site.from, exit, Op::Assume(further), Destination::Exit);
        }
    }
}
