//! Contracts of functions and loops, as checks, assumptions and choices of the program.
//!
//! All engines, the interpreter and the audit see an ordinary program. A function with a contract checks what it requires
//! where it begins, and what it ensures where it has returned: behind the ends of its variables, so that nothing is promised of them. A run that
//! starts with the function ([`start`]) assumes what it requires instead. A call goes by contract ([`call`]) where the
//! function has no body, or where that was asked for: it checks what is required, gives any value to what is assigned
//! and assumes what is ensured. Loops check their invariants whenever control comes to their heads; nothing is forgotten there, so a
//! violation is one of the program, and the engines use what was checked.
//!
//! A value of an earlier state is read where that state is: [`Logic::start`](state::Logic) is a place at the head of the
//! function to which more can be added while the rest is lowered.
//!
//! What is not understood is an error at its place, unless the heap logic of `shape` understands it
//! ([`annotation`](crate::annotation)); then nothing is proved without that engine.

mod call;
mod definition;
mod formula;
mod frame;
mod memory;
mod start;
pub mod state;
mod term;

use crate::context::Lowerer;
use crate::function_state::Local;
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::scope::Binding;
use crate::value::{Operand, Place, Value};
use bolide_base::{Diagnostic, Span};
use bolide_c_syntax::ast::{
    self, Clause, ClauseKind, ItemKind, ParametersKind, Symbol, TranslationUnit,
};
use bolide_cfa::{
    CompareOp, ExprId, IntType, LocId, Property, Type, VarId, Variable, VariableKind,
};
use state::{ActiveLoop, Logic, Promise, Use};
use std::cell::Cell;
use std::rc::Rc;

/// A function with a contract that is being lowered.
pub struct Active {
    promises: Rc<[Promise]>,
    name: String,
    /// The parameters as they were when it was called; none for what cannot be kept.
    values: Vec<Option<Local>>,
    /// The exit of the function, behind what it ensures; none without a contract.
    exit: Option<LocId>,
    frame: frame::Frame,
}

/// Whether an annotation is about a place in a body: an assertion, an assumption, ghost code.
fn is_of_place(text: &str) -> bool {
    let word = text.trim_start_matches([' ', '\t', '\n', '\r', '@']);
    ["assert", "check", "admit", "assume", "ghost", "for"].iter().any(|w| word.starts_with(w))
}

/// The name of the function that an item declares or defines, and those of its parameters.
pub fn declared(unit: &TranslationUnit, item: &ItemKind) -> Option<(Symbol, Rc<[Option<Symbol>]>)> {
    let declarator = match item {
        ItemKind::Function(id) => &unit.functions[*id].declarator,
        ItemKind::Declaration(id) => match &unit.decls[*id].declarators[..] {
            [only] => &only.declarator,
            _ => return None,
        },
        _ => return None,
    };
    let names = match &unit.params[declarator.function_parameters()?].kind {
        ParametersKind::Prototype { parameters, .. } => {
            parameters.iter().filter(|p| !p.is_forward).map(|p| p.declarator.name).collect()
        }
        ParametersKind::Names(names) => names.iter().map(|n| Some(n.0)).collect(),
        ParametersKind::Unspecified => Rc::from([]),
    };
    Some((declarator.name?, names))
}

impl Lowerer<'_> {
    /// Finds the contracts of all functions.
    pub fn read_contracts(&mut self) {
        for unit in 0..self.input.first_model {
            let ast = self.input.units[unit];
            for (comment, diagnostic) in &ast.contracts.misread {
                if !is_of_place(&ast.annotations[*comment].text) {
                    self.fail_contract(diagnostic.clone());
                }
            }
            for (number, clause) in ast.contracts.clauses.iter().enumerate() {
                if clause.kind.is_of_loop() {
                    let is_loop = |s: &ast::Stmt| {
                        use ast::StmtKind::{DoWhile, For, While};
                        s.span.start == clause.owner
                            && matches!(s.kind, While { .. } | DoWhile { .. } | For { .. })
                    };
                    if !ast.stmts.values().any(is_loop) {
                        let why = "in an annotation: a clause of a loop that stands before no loop";
                        self.fail_contract(Diagnostic::error(clause.span, why));
                    }
                }
                if !clause.kind.is_of_function() {
                    continue;
                }
                let item = ast.items.iter().find(|item| item.span.start == clause.owner);
                let declared = item.and_then(|item| declared(ast, &item.kind));
                let meant = declared.and_then(|(name, parameters)| {
                    match self.linkage.names[unit].get(name) {
                        Some(Binding::Global(id)) => Some((id, parameters)),
                        _ => None,
                    }
                });
                match meant {
                    Some((id, parameters)) => {
                        let promise = Promise { unit, clause: number, parameters };
                        self.contracts.promises.entry(id).or_default().push(promise);
                    }
                    None => {
                        let why = "in an annotation: a clause of a contract that stands before no function";
                        self.fail_contract(Diagnostic::error(clause.span, why));
                    }
                }
            }
        }
    }

    pub(crate) fn fail_contract(&mut self, why: Diagnostic) {
        let message = match why.message.starts_with("in an annotation") {
            true => why.message.clone(),
            false => format!("in a contract: {}", why.message),
        };
        self.contracts.failures.push(Diagnostic { message, ..why });
    }

    /// The contract of a function: of several files that state it, the one that defines it counts.
    pub fn promises(&self, id: GlobalId) -> Option<Rc<[Promise]>> {
        if self.input.options.heap_contracts {
            return None;
        }
        let all = self.contracts.promises.get(&id)?;
        let defined = match self.linkage[id].definition {
            Some(Definition::Function(unit, _)) => Some(unit),
            _ => None,
        };
        let unit = all
            .iter()
            .map(|p| p.unit)
            .find(|&unit| Some(unit) == defined)
            .or(all.first().map(|p| p.unit))?;
        Some(all.iter().filter(|p| p.unit == unit).cloned().collect())
    }

    fn clause(&self, promise: &Promise) -> &'_ Clause {
        &self.input.units[promise.unit].contracts.clauses[promise.clause]
    }

    /// Runs `body` where a clause stands, with its parameters bound to values.
    fn in_clause<T>(
        &mut self,
        promise: &Promise,
        values: &[Option<Local>],
        body: impl FnOnce(&mut Self, &Clause) -> Fallible<T>,
    ) -> Fallible<T> {
        let unit = std::mem::replace(&mut self.input.unit, promise.unit);
        let clause: &Clause = &self.input.units[promise.unit].contracts.clauses[promise.clause];
        self.names_mut().enter();
        let hidden = std::mem::replace(&mut self.f.logic.hidden, self.f.locals.len());
        for (name, value) in promise.parameters.iter().zip(values) {
            if let (Some(name), Some(value)) = (name, value) {
                self.bind_local(Some(*name), value.clone());
            }
        }
        let result = self.in_logic(clause.is_acsl, |this| body(this, clause));
        self.f.logic.hidden = hidden;
        self.names_mut().leave();
        self.input.unit = unit;
        result
    }

    /// The conditions of a clause, with their places.
    fn conditions(
        &mut self,
        promise: &Promise,
        values: &[Option<Local>],
        how: Use,
    ) -> Fallible<ExprId> {
        let is_ensured = self.clause(promise).kind == ClauseKind::Ensures;
        self.in_clause(promise, values, |this, clause| {
            let mut guard = this.out.bool(true);
            for &assumed in &clause.assumes {
                let condition = match is_ensured {
                    true => this.at_start(false, clause.span, |this| {
                        let condition = this.formula(assumed, Use::Value)?;
                        Ok(this.out.save(condition))
                    })?,
                    false => this.formula(assumed, Use::Value)?,
                };
                guard = this.out.and(guard, condition);
            }
            let mut all = this.out.bool(true);
            for &term in &clause.terms {
                let condition = this.formula(term, how)?;
                all = this.out.and(all, condition);
            }
            let otherwise = this.out.bool(true);
            Ok(this.out.ite(guard, all, otherwise))
        })
    }

    /// Checks a clause.
    fn claim(&mut self, promise: &Promise, values: &[Option<Local>], name: &str) {
        let clause = self.clause(promise).clone();
        match self.conditions(promise, values, Use::Claimed) {
            Ok(ok) => {
                let words =
                    if clause.kind == ClauseKind::Ensures { "returns" } else { "is called" };
                self.check(Property::Contract, ok, clause.span, |this| {
                    let text = this.input.snippet(clause.span);
                    format!("`{name}` {words} and `{}` does not hold", text.trim_end_matches(';'))
                });
            }
            Err(diagnostic) => self.fail_contract(*diagnostic),
        }
    }

    /// Where the body of a function begins; its parameters are the locals from `first` on.
    pub fn begin_contract(&mut self, global: GlobalId, first: usize, span: Span) -> Option<Active> {
        if self.input.in_model() || self.out.is_dead() {
            return None;
        }
        let promises = self.promises(global).unwrap_or_else(|| Rc::from([]));
        let inside = |clause: &Clause| {
            !clause.kind.is_of_function()
                && span.start <= clause.span.start
                && clause.span.end <= span.end
        };
        if promises.is_empty() && !self.input.ast().contracts.clauses.iter().any(inside) {
            return None;
        }
        let name = self.linkage[global].name.clone();
        let values: Vec<Option<Local>> =
            (first..self.f.locals.len()).map(|i| self.kept_local(i)).collect();
        self.f.logic = Logic::default();
        self.begin_logic();
        self.check_required(global, &promises, &values, &name);
        let frame = self.open_frame(&promises, &values);
        let exit = (!promises.is_empty()).then(|| {
            let returned = self.out.location();
            std::mem::replace(&mut self.f.exit, returned)
        });
        Some(Active { promises, name, values, exit, frame })
    }

    /// From here on, earlier states are read here.
    fn begin_logic(&mut self) {
        let here = self.out.location();
        self.out.goto(here);
        let after = self.out.location();
        self.f.logic.start = Some(here);
        self.f.logic.before = Some(after);
        self.out.at.cur = Some(after);
    }

    /// What is read of the earlier state is complete.
    fn close_logic(&mut self) {
        let cur = self.out.at.cur;
        if let (Some(start), Some(before)) = (self.f.logic.start.take(), self.f.logic.before.take())
        {
            self.out.at.cur = Some(start);
            self.out.goto(before);
        }
        self.out.at.cur = cur;
    }

    /// A parameter as it is now, in variables of its own.
    fn kept_local(&mut self, index: usize) -> Option<Local> {
        let local = self.f.locals.values().nth(index)?.clone();
        let place = self.types.at_place(local.ty, &local.place);
        let leaves = self.types.leaves(local.ty.ty)?;
        let operand = self.in_logic(false, |this| this.read(&place, Span::NONE)).ok()?;
        let values = self.value_leaves(operand.ty, operand.value);
        let mut vars = Vec::new();
        for (leaf, &value) in leaves.iter().zip(values.iter()) {
            let var = self.out.temporary(leaf.scalar);
            self.out.assign(var, value);
            vars.push(var);
        }
        Some(Local { ty: local.ty, place: Place::Vars(vars.into()) })
    }

    /// Checks what is required, unless the run starts with this call and has assumed it, and what is said of its behaviors.
    fn check_required(
        &mut self,
        global: GlobalId,
        promises: &[Promise],
        values: &[Option<Local>],
        name: &str,
    ) {
        let origin = self.out.at.origin;
        let started = self.contracts.started.filter(|(id, _)| *id == global);
        let end = self.out.location();
        if let Some((_, Some(flag))) = started {
            let (first, again) = (self.out.location(), self.out.location());
            let condition = self.out.read(flag);
            self.out.branch(condition, crate::condition::Targets::new(first, again, Span::NONE));
            self.out.resume(first);
            let no = self.out.bool(false);
            self.out.assign(flag, no);
            self.out.goto(end);
            self.out.resume(again);
        }
        let is_assumed = matches!(started, Some((_, None)));
        for promise in promises {
            if self.clause(promise).kind == ClauseKind::Requires && !is_assumed {
                self.claim(promise, values, name);
            }
        }
        self.out.join(end);
        for promise in promises {
            if self.clause(promise).kind == ClauseKind::Claims {
                self.claim(promise, values, name);
            }
        }
        self.out.at.origin = origin;
    }

    /// Where the function has returned.
    pub fn end_contract(&mut self, active: Active) {
        self.f.leave(&mut self.out);
        if let Some(exit) = active.exit {
            self.out.at.cur = Some(std::mem::replace(&mut self.f.exit, exit));
            self.f.logic.result = self.result_operand();
            for promise in active.promises.iter() {
                if self.clause(promise).kind == ClauseKind::Ensures {
                    self.claim(promise, &active.values, &active.name);
                }
            }
            self.close_frame(active.frame, &active.name);
            self.out.goto(exit);
        }
        self.close_logic();
    }

    /// What the function being lowered returned.
    fn result_operand(&mut self) -> Option<Operand> {
        use crate::function_state::ResultBy;
        let ty = self.f.result_ty;
        Some(match self.f.result.clone() {
            ResultBy::Void => return None,
            ResultBy::Variable(var) => Operand::scalar(ty, self.out.read(var)),
            ResultBy::Channel(vars) => {
                let leaves = vars.iter().map(|&v| self.out.read(v)).collect();
                Operand::new(ty, self.types.value(ty, leaves))
            }
            ResultBy::Address(var) => Operand::new(ty, Value::Memory(self.out.read(var))),
        })
    }

    /// Before a loop whose keyword stands at `owner`.
    pub fn open_loop(&mut self, owner: u32) -> Option<ActiveLoop> {
        if self.input.in_model() || self.input.options.heap_contracts {
            return None;
        }
        let unit = self.input.ast();
        let clauses: Vec<usize> = unit
            .contracts
            .clauses
            .iter()
            .enumerate()
            .filter(|(_, c)| c.kind.is_of_loop() && c.owner == owner)
            .map(|(i, _)| i)
            .collect();
        if clauses.is_empty() || self.out.is_dead() {
            return None;
        }
        let variants =
            clauses.iter().filter(|&&i| unit.contracts.clauses[i].kind == ClauseKind::LoopVariant);
        let mut began = Vec::new();
        for _ in variants {
            let (round, value) =
                (self.out.temporary(Type::BOOL), self.out.temporary(Type::signed(128)));
            let no = self.out.bool(false);
            self.out.assign(round, no);
            let zero = self.out.int(0, IntType::signed(128));
            self.out.assign(value, zero);
            began.push((round, value));
        }
        let of_cbmc = clauses.iter().map(|&i| &unit.contracts.clauses[i]);
        let of_cbmc = of_cbmc.filter(|c| c.kind == ClauseKind::LoopInvariant && !c.is_acsl);
        let mut begins = Vec::new();
        for _ in of_cbmc.flat_map(|clause| &clause.terms) {
            let pair = (self.out.temporary(Type::BOOL), self.out.temporary(Type::BOOL));
            let (no, yes) = (self.out.bool(false), self.out.bool(true));
            self.out.assign(pair.0, no);
            self.out.assign(pair.1, yes);
            begins.push(pair);
        }
        let here = self.out.location();
        self.out.goto(here);
        let body = self.out.location();
        let outer = self.f.logic.loop_start.replace(here);
        self.out.at.cur = Some(body);
        let first_edge = self.out.program.edges.len();
        let older = self.out.program.variables.len();
        let head = Cell::new(None);
        Some(ActiveLoop { clauses, variants: began, begins, head, body, outer, first_edge, older })
    }

    /// At the head of the loop: its invariants hold, its variants decrease.
    pub fn at_head(&mut self, active: &Option<ActiveLoop>) {
        let Some(active) = active else { return };
        let unit = self.input.ast();
        let mut variants = active.variants.iter();
        let mut begins = active.begins.iter();
        active.head.set(self.out.at.cur);
        for &number in &active.clauses {
            let clause = &unit.contracts.clauses[number];
            let done = match clause.kind {
                ClauseKind::LoopInvariant if clause.is_acsl => {
                    self.claim_here(clause, "the loop invariant")
                }
                ClauseKind::LoopInvariant => self.claim_of_rounds(clause, &mut begins),
                ClauseKind::LoopVariant => match variants.next() {
                    Some(&variant) => self.decreases(clause, variant),
                    None => Ok(()),
                },
                _ => Ok(()),
            };
            if let Err(diagnostic) = done {
                self.fail_contract(*diagnostic);
            }
        }
    }

    /// Behind the loop.
    pub fn close_loop(&mut self, active: Option<ActiveLoop>) {
        let Some(active) = active else { return };
        self.check_loop_assigns(&active);
        let cur = self.out.at.cur;
        self.out.at.cur = std::mem::replace(&mut self.f.logic.loop_start, active.outer);
        self.out.goto(active.body);
        self.out.at.cur = cur;
    }

    /// Checks a condition where it stands.
    fn claim_here(&mut self, clause: &Clause, what: &str) -> Fallible<()> {
        // Each conjunct by itself, in the order of the text: people are told which one fails, and engines try one by one.
        let mut terms: Vec<ast::ExprId> = clause.terms.iter().rev().copied().collect();
        while let Some(term) = terms.pop() {
            if let ast::ExprKind::Binary { op, left, right } = &self.input.ast().exprs[term].kind
                && *op == ast::BinaryOp::LogicalAnd
                && clause.is_acsl
            {
                terms.extend([*right, *left]);
                continue;
            }
            let ok = self.in_logic(clause.is_acsl, |this| this.formula(term, Use::Claimed))?;
            let span = self.input.ast().exprs[term].span;
            self.check(Property::Contract, ok, span, |this| {
                format!("{what} `{}` does not hold", this.input.snippet(span))
            });
        }
        Ok(())
    }

    /// CBMC looks at invariants where a round has ended: at the state then, and at that before the first one.
    fn claim_of_rounds<'b>(
        &mut self,
        clause: &Clause,
        begins: &mut impl Iterator<Item = &'b (VarId, VarId)>,
    ) -> Fallible<()> {
        for (&term, &(round, initial)) in clause.terms.iter().zip(begins) {
            let holds = self.in_logic(clause.is_acsl, |this| this.formula(term, Use::Claimed))?;
            let holds = self.out.save(holds);
            let (again, began) = (self.out.read(round), self.out.read(initial));
            let span = self.input.ast().exprs[term].span;
            let yes = self.out.bool(true);
            for (value, when) in [(began, "before the first round"), (holds, "after a round")] {
                let ok = self.out.ite(again, value, yes);
                self.check(Property::Contract, ok, span, |this| {
                    let text = this.input.snippet(span);
                    format!("the loop invariant `{text}` does not hold {when}")
                });
            }
            let first = self.out.ite(again, began, holds);
            self.out.assign(initial, first);
            self.out.assign(round, yes);
        }
        Ok(())
    }

    /// A variant was not negative when the round began, and is less now.
    fn decreases(&mut self, clause: &Clause, (round, before): (VarId, VarId)) -> Fallible<()> {
        let [term] = clause.terms[..] else { return Ok(()) };
        let unit = self.input.ast();
        if matches!(unit.exprs[term].kind, ast::ExprKind::Comma { .. }) {
            return self.unsupported(clause.span, "a variant of several terms is");
        }
        let (value, ..) =
            self.in_logic(clause.is_acsl, |this| this.integer_term(term, false, clause.span))?;
        let int = IntType::signed(128);
        let value = self.out.cast(Type::Int(int), value);
        let value = self.out.save(value);
        let (round_value, old) = (self.out.read(round), self.out.read(before));
        let zero = self.out.int(0, int);
        let least = self.out.compare(CompareOp::Le, zero, old);
        let less = self.out.compare(CompareOp::Lt, value, old);
        let both = self.out.and(least, less);
        let yes = self.out.bool(true);
        let ok = self.out.ite(round_value, both, yes);
        self.check(Property::Contract, ok, clause.span, |this| {
            format!(
                "`{}` does not decrease, or was negative",
                this.input.snippet(clause.span).trim_end_matches(';')
            )
        });
        self.out.assign(before, value);
        self.out.assign(round, yes);
        Ok(())
    }

    /// The assertions and assumptions of comments between two places of a body.
    pub fn place_claims(&mut self, from: u32, to: u32) {
        let unit = self.input.ast();
        for (comment, diagnostic) in &unit.contracts.misread {
            let annotation = &unit.annotations[*comment];
            if (from..to).contains(&annotation.span.start) && is_of_place(&annotation.text) {
                self.not_checked(annotation.span, diagnostic);
            }
        }
        // A ghost may have the name of a variable that C knows.
        let has_ghosts = unit.annotations.iter().any(|a| a.text.contains("ghost"));
        let clauses = unit.contracts.clauses.iter();
        for clause in clauses.filter(|c| (from..to).contains(&c.owner)) {
            let done = match clause.kind {
                ClauseKind::Assert | ClauseKind::Assume if has_ghosts => {
                    self.unsupported(clause.span, "an assertion beside ghost code is")
                }
                ClauseKind::Assert => match self.input.assertion_property() {
                    Some(property) => self.assert_here(clause, property),
                    None => Ok(()),
                },
                ClauseKind::Assume => self.assume_here(clause),
                _ => continue,
            };
            if let Err(diagnostic) = done {
                self.not_checked(clause.span, &diagnostic);
            }
        }
    }

    fn not_checked(&mut self, span: Span, why: &Diagnostic) {
        if self.input.assertion_property().is_none() && !self.input.snippet(span).contains("assume")
        {
            return;
        }
        self.out.unchecked.insert((self.input.unit, span.start, span.end));
        if !self.input.options.heap_contracts {
            let why = Diagnostic::warning(why.span, format!("in an annotation: {}", why.message));
            self.out.diagnostics.push(why.with_help("nothing is proved of a program with it"));
        }
    }

    fn assert_here(&mut self, clause: &Clause, property: Property) -> Fallible<()> {
        for &term in &clause.terms {
            let ok = self.in_logic(true, |this| this.formula(term, Use::Claimed))?;
            let span = self.input.ast().exprs[term].span;
            self.check(property, ok, span, |this| {
                format!("the assertion `{}` fails", this.input.snippet(span))
            });
        }
        Ok(())
    }

    fn assume_here(&mut self, clause: &Clause) -> Fallible<()> {
        for &term in &clause.terms {
            let condition = self.in_logic(true, |this| this.formula(term, Use::Assumed))?;
            self.out.assume(condition);
        }
        Ok(())
    }

    /// A global of the program that only contracts know.
    fn ghost(&mut self, name: &str, ty: Type) -> VarId {
        let name = crate::scope::unique(&mut self.linkage.global_names, name.to_owned());
        self.out.add_variable(Variable::new(name, ty, None, VariableKind::Global))
    }
}
