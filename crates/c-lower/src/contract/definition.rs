//! What names stand for in contracts: predicates and logic functions of comments, and functions of C that say what memory is
//! there.
//!
//! A function whose body is one `return` and that says so (`__CPROVER_is_fresh`, `__CPROVER_r_ok`, or a call of such a function) is
//! no function to be called: a run that starts with a contract makes the memory, and a call by contract asks for
//! it. So it stands for its formula, in the file where its body is. All other functions of C are called where a contract
//! calls them.

use crate::context::Lowerer;
use crate::function_state::Local;
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::scope::Binding;
use crate::types::QualType;
use crate::value::{Place, Value, Where};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BinaryOp, ExprKind, StmtKind, Symbol, UnaryOp};
use std::rc::Rc;

/// A formula or a term with parameters.
#[derive(Clone)]
pub struct Meaning {
    /// The file of its body.
    pub unit: usize,
    pub body: ast::ExprId,
    name: String,
    parameters: Parameters,
}

#[derive(Clone)]
enum Parameters {
    /// Those of a definition in a comment: their names are in the same place of the same file.
    OfComment(usize),
    /// Those of a function of C.
    OfFunction(GlobalId, Rc<[Option<Symbol>]>),
}

/// How deep calls are looked through.
const DEPTH: u32 = 20;

/// Whether a name is that of a predicate about memory.
fn is_about_memory(name: &str) -> bool {
    name.starts_with("\\valid")
        || name.starts_with("__CPROVER_is_fresh")
        || (name.starts_with("__CPROVER_") && name.ends_with("_ok"))
}

impl Lowerer<'_> {
    /// What a name stands for where lowering is.
    pub fn meaning(&self, name: Symbol) -> Option<Meaning> {
        self.meaning_in(self.input.unit, name, DEPTH)
    }

    fn meaning_in(&self, unit: usize, name: Symbol, depth: u32) -> Option<Meaning> {
        let ast = self.input.units[unit];
        let text = ast.name(name).to_owned();
        if let Some(at) = ast.contracts.definitions.iter().position(|d| d.name == name) {
            let body = ast.contracts.definitions[at].body;
            return Some(Meaning { unit, body, name: text, parameters: Parameters::OfComment(at) });
        }
        let Some(Binding::Global(id)) = self.linkage.names[unit].at_file_scope(name) else {
            return None;
        };
        let Some(Definition::Function(unit, function)) = self.linkage[id].definition else {
            return None;
        };
        if unit >= self.input.first_model || depth == 0 {
            return None;
        }
        let ast = self.input.units[unit];
        let definition = &ast.functions[function];
        let StmtKind::Compound(body) = &ast.stmts[definition.body].kind else { return None };
        let [only] = body[..] else { return None };
        let StmtKind::Return(Some(body)) = ast.stmts[only].kind else { return None };
        if !self.has_memory_in(unit, body, depth - 1) {
            return None;
        }
        let ast::ParametersKind::Prototype { parameters, .. } =
            &ast.params[definition.parameters()?].kind
        else {
            return None;
        };
        let names = parameters.iter().filter(|p| !p.is_forward).map(|p| p.declarator.name);
        let parameters = Parameters::OfFunction(id, names.collect());
        Some(Meaning { unit, body, name: text, parameters })
    }

    /// Whether a formula says that memory is there.
    pub fn has_memory(&self, e: ast::ExprId) -> bool {
        self.has_memory_in(self.input.unit, e, DEPTH)
    }

    fn has_memory_in(&self, unit: usize, e: ast::ExprId, depth: u32) -> bool {
        let ast = self.input.units[unit];
        let kind = &ast.exprs[e].kind;
        if let ExprKind::Call { callee, .. } = kind
            && let ExprKind::Name(name) = ast.exprs[*callee].kind
        {
            if is_about_memory(ast.name(name)) {
                return true;
            }
            if depth > 0
                && let Some(meaning) = self.meaning_in(unit, name, depth - 1)
                && self.has_memory_in(meaning.unit, meaning.body, depth - 1)
            {
                return true;
            }
        }
        super::formula::children(kind).into_iter().any(|e| self.has_memory_in(unit, e, depth))
    }

    /// Whether an expression is 0 or 1, so that `&` of two of them is `&&`.
    pub fn is_truth(&self, e: ast::ExprId) -> bool {
        self.is_truth_in(self.input.unit, e, DEPTH)
    }

    fn is_truth_in(&self, unit: usize, e: ast::ExprId, depth: u32) -> bool {
        let ast = self.input.units[unit];
        match &ast.exprs[e].kind {
            ExprKind::Integer { value, .. } => *value <= 1,
            ExprKind::Unary { op: UnaryOp::Not, .. } | ExprKind::Quantified { .. } => true,
            ExprKind::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, .. } => true,
            ExprKind::Binary { op: BinaryOp::BitAnd, left, right } => {
                self.is_truth_in(unit, *left, depth) && self.is_truth_in(unit, *right, depth)
            }
            ExprKind::Binary { op, .. } => super::state::comparison(*op).is_some(),
            ExprKind::Conditional { then: Some(then), otherwise, .. } => {
                self.is_truth_in(unit, *then, depth) && self.is_truth_in(unit, *otherwise, depth)
            }
            ExprKind::Call { callee, .. } => match ast.exprs[*callee].kind {
                ExprKind::Name(name) if is_about_memory(ast.name(name)) => true,
                ExprKind::Name(name) if depth > 0 => self
                    .meaning_in(unit, name, depth - 1)
                    .is_some_and(|meaning| self.is_truth_in(meaning.unit, meaning.body, depth - 1)),
                _ => false,
            },
            _ => false,
        }
    }

    /// The parts of a conjunction that says what memory is there: `a && b`, and `a & b` of truth values.
    pub fn conjuncts(&self, e: ast::ExprId) -> Option<(ast::ExprId, ast::ExprId)> {
        match self.input.ast().exprs[e].kind {
            ExprKind::Binary { op: BinaryOp::LogicalAnd, left, right } => Some((left, right)),
            ExprKind::Binary { op: BinaryOp::BitAnd, left, right }
                if self.is_truth(left) && self.is_truth(right) && self.has_memory(e) =>
            {
                Some((left, right))
            }
            _ => None,
        }
    }

    /// The names of its parameters, in the file of its body.
    pub fn parameter_names(&self, meaning: &Meaning) -> Vec<Option<Symbol>> {
        match &meaning.parameters {
            Parameters::OfComment(at) => {
                let definitions = &self.input.units[meaning.unit].contracts.definitions;
                definitions[*at].parameters.iter().map(|p| Some(p.name)).collect()
            }
            Parameters::OfFunction(_, names) => names.to_vec(),
        }
    }

    /// The types of its parameters; none for a number without bounds.
    fn parameter_types(&mut self, meaning: &Meaning) -> Fallible<Vec<Option<QualType>>> {
        match &meaning.parameters {
            Parameters::OfComment(at) => {
                let ast = self.input.units[meaning.unit];
                let parameters = &ast.contracts.definitions[*at].parameters;
                parameters.iter().map(|p| p.ty.map(|ty| self.type_name(ty)).transpose()).collect()
            }
            Parameters::OfFunction(id, _) => {
                let ty = self.linkage[*id].ty.ty;
                let ty = self.types.function(ty);
                Ok(ty
                    .iter()
                    .flat_map(|ty| ty.parameters.iter().map(|p| Some(p.ty.into())))
                    .collect())
            }
        }
    }

    /// What a name stands for, evaluated by `body` with its parameters bound to the arguments.
    pub fn expanded<T>(
        &mut self,
        meaning: &Meaning,
        arguments: &[ast::ExprId],
        span: Span,
        body: impl FnOnce(&mut Self, ast::ExprId) -> Fallible<T>,
    ) -> Fallible<T> {
        const EXPANSIONS: u32 = 40;
        let names = self.parameter_names(meaning);
        let name = &meaning.name;
        if names.len() != arguments.len() {
            let wanted = names.len();
            return self.error(
                span,
                format!("`{name}` wants {wanted} arguments, not {}", arguments.len()),
            );
        }
        if self.f.logic.expansions >= EXPANSIONS {
            return self
                .error(span, format!("the definition of `{name}` uses itself or too many others"));
        }
        let types = self.parameter_types(meaning)?;
        let mut locals = Vec::new();
        for (ty, &argument) in types.into_iter().zip(arguments) {
            locals.push(self.argument(ty, argument, span)?);
        }
        let unit = std::mem::replace(&mut self.input.unit, meaning.unit);
        self.names_mut().enter();
        let hidden = std::mem::replace(&mut self.f.logic.hidden, self.f.locals.len());
        for (name, local) in names.into_iter().zip(locals) {
            self.bind_local(name, local);
        }
        self.f.logic.expansions += 1;
        let result = body(self, meaning.body);
        self.f.logic.expansions -= 1;
        self.f.logic.hidden = hidden;
        self.names_mut().leave();
        self.input.unit = unit;
        result
    }

    /// The value of an argument of a definition, in variables of its own.
    fn argument(
        &mut self,
        ty: Option<QualType>,
        argument: ast::ExprId,
        span: Span,
    ) -> Fallible<Local> {
        let operand = match ty {
            Some(ty) => {
                // A variable stays that variable: memory may be made for it.
                if let ExprKind::Name(_) = self.input.ast().exprs[argument].kind
                    && let place = self.designate(argument)?
                    && (place.ty.ty == ty.ty
                        || self.types.is_pointer(place.ty.ty) && self.types.is_pointer(ty.ty))
                    && let Where::Vars { vars, first: 0 } = place.at
                    && vars.len() == 1
                {
                    return Ok(Local { ty, place: Place::Vars(vars) });
                }
                let operand = self.rvalue(argument)?;
                self.convert_operand(operand, ty.ty, span)?
            }
            None => self.rvalue(argument)?,
        };
        let ty = operand.ty;
        let Value::Scalar(value) = operand.value else {
            return self.unsupported(span, "a record as an argument of a definition is");
        };
        let scalar = self.out.type_of(value);
        let var = self.out.temporary(scalar);
        self.out.assign(var, value);
        Ok(Local { ty: ty.into(), place: Place::Vars([var].into()) })
    }
}
