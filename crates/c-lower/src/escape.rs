//! Jumps out of a function within a function (gcc), to a label of the outer one.
//!
//! Such a jump ends all calls in between. Here it leaves a number for the label and the identity of the activation that the label
//! belongs to in two globals and returns; after each call of such a program it is asked whether there is a number. Then either the label
//! is one of this activation and is jumped to, or this function returns, too. Both end the lifetimes that a jump ends anyway.
//! The library's functions that call back are lowered like the program's and pass the jump on. Functions without a body that call
//! back (`outside`) do not; then no verdict stands.

use crate::context::{Escape, Lowerer};
use crate::function_state::{Begin, CallSite, Destination, Jump, Label, LocalObject, ScopeId};
use crate::input::Fallible;
use bolide_base::{Span, arena::Id};
use bolide_c_syntax::ast::Symbol;
use bolide_cfa::{
    CompareOp, Function, IntType, Op, Origin, Role, Type, VarId, Variable, VariableKind,
};

const NUMBER: IntType = IntType::signed(32);

impl Lowerer<'_> {
    /// Programs without such jumps stay as they are.
    pub fn prepare_escapes(&mut self) {
        if self.input.facts.iter().any(|facts| facts.has_escapes) {
            let number = self.hidden_global("escape#".into(), Type::Int(NUMBER));
            let activation = self.hidden_global("escape#activation".into(), Type::Pointer);
            self.code.escape = Some(Escape { number, activation, labels: 0 });
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
        let label = self.outer[outer].f.labels.all.get_mut(&(table, name));
        let (Some(escape), Some(label)) = (&mut self.code.escape, label) else {
            return self.unsupported(span, "this `goto` out of a function is");
        };
        if label.escape.is_none() {
            escape.labels += 1;
        }
        let number = i128::from(*label.escape.get_or_insert(escape.labels));
        let escape = *escape;
        let number = self.out.int(number, NUMBER);
        self.out.assign(escape.number, number);
        let activation = self.out.read(activation);
        self.out.assign(escape.activation, activation);
        self.f.leave(&mut self.out);
        Ok(())
    }

    /// The global with the identity of the activation of an outer function.
    fn identity(&mut self, outer: usize) -> VarId {
        if let Some((_, note)) = self.outer[outer].f.frame.identity {
            return note;
        }
        let function = self.outer[outer].at.id;
        let var = self.out.add_variable(Variable::new(
            "activation#",
            Type::Pointer,
            Some(function),
            VariableKind::Address,
        ));
        let name = self.outer[outer].f.name.clone();
        let note = self.new_note(&name, var);
        let size = self.out.size(1);
        let outer = &mut self.outer[outer].f;
        // The outermost scope is allocated when all of the function is lowered.
        let root = ScopeId::from_index(0);
        outer.scopes[root].objects.push(LocalObject { var, size, align: 1, begin: Begin::Scope });
        outer.frame.own.push((var, note));
        outer.frame.identity = Some((var, note));
        note
    }

    /// After a call: a jump may be under way.
    pub fn watch_escapes(&mut self) {
        let (Some(escape), Some(from)) = (self.code.escape, self.out.at.cur) else { return };
        let living = self.f.living();
        let span = self.out.at.origin.span;
        self.f.escapes.push(CallSite { from, living, span });
        let number = self.out.read(escape.number);
        let zero = self.out.int(0, NUMBER);
        let none = self.out.compare(CompareOp::Eq, number, zero);
        let next = self.out.location();
        self.out.program.add_edge(
            from,
            next,
            Op::Assume(none),
            Origin { span, role: Role::Implicit },
        );
        self.out.at.cur = Some(next);
    }

    /// A jump may end a call of a function without a body.
    pub fn escapes_from_outside(&mut self) {
        let is_outside = |f: &Function| f.name == "outside#" && f.body.is_some();
        if self.code.escape.is_some() && self.out.program.functions.values().any(is_outside) {
            self.unmodelled(Span::NONE, "a jump out of what a function without a body calls back");
        }
    }

    /// Makes the jumps from calls, now that it is known which labels are jumped to from within.
    pub fn resolve_escapes(&mut self) {
        let Some(escape) = self.code.escape else { return };
        let mut labels: Vec<(u32, usize, Symbol, Label)> = self
            .f
            .labels
            .all
            .iter()
            .filter_map(|(&(table, name), label)| Some((label.escape?, table, name, *label)))
            .collect();
        labels.sort_unstable_by_key(|label| label.0);
        let number = self.out.read(escape.number);
        let zero = self.out.int(0, NUMBER);
        let aimed_at = self.out.read(escape.activation);
        for site in std::mem::take(&mut self.f.escapes) {
            let origin = Origin { span: site.span, role: Role::Implicit };
            let mut further = self.out.compare(CompareOp::Ne, number, zero);
            let jump = |this: &mut Self, from, to, op, destination| {
                let living = site.living;
                this.f.jumps.push(Jump { from, to, op, living, destination, origin });
            };
            for &(k, table, name, label) in &labels {
                let Some((identity, _)) = self.f.frame.identity else { continue };
                let k = self.out.int(i128::from(k), NUMBER);
                let is_label = self.out.compare(CompareOp::Eq, number, k);
                let own = self.out.read(identity);
                let is_own = self.out.compare(CompareOp::Eq, aimed_at, own);
                let here = self.out.and(is_label, is_own);
                let arrived = self.out.location();
                self.out.program.add_edge(site.from, arrived, Op::Assume(here), origin);
                let done = Op::Assign { target: escape.number, value: zero };
                jump(self, arrived, label.at, done, Destination::Label(table, name));
                let elsewhere = self.out.not(here);
                further = self.out.and(further, elsewhere);
            }
            let exit = self.f.exit;
            jump(self, site.from, exit, Op::Assume(further), Destination::Exit);
        }
    }
}
