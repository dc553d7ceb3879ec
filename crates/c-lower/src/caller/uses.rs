//! What a function does with a pointer that it is given: what a sane caller has to pass follows from that.
//!
//! Read from the syntax, without types: each mention of the parameter, of a variable that is set to it or to a place behind
//! it, and what functions of the program do with it that it is passed on to. Heuristic throughout: a wrong guess makes
//! a caller that is not sane, whose assumptions are told.

use crate::context::Lowerer;
use crate::global::{Definition, GlobalId};
use crate::scope::Binding;
use bolide_base::HashSet;
use bolide_c_syntax::ast::{
    self, BinaryOp, ExprId, ExprKind, FunctionDefinition, InitializerKind, ParametersKind,
    StmtKind, Symbol, TranslationUnit, UnaryOp,
};

/// What is done with a pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// It is compared with null.
    pub tested: bool,
    /// What it points to is read or written.
    pub dereferenced: bool,
    /// So is what lies behind that.
    pub indexed: bool,
    /// It is written there.
    pub written: bool,
    /// What is read there is compared with zero, or given to who wants a string.
    pub terminated: bool,
    /// So many bytes are taken from there as somebody says.
    pub sized: bool,
    /// It is freed or allocated anew.
    pub freed: bool,
}

impl Uses {
    fn join(&mut self, other: Uses) {
        self.tested |= other.tested;
        self.dereferenced |= other.dereferenced;
        self.indexed |= other.indexed;
        self.written |= other.written;
        self.terminated |= other.terminated;
        self.sized |= other.sized;
        self.freed |= other.freed;
    }
}

/// The names of a function's parameters; none where they are written in the old way.
pub fn parameters(unit: &TranslationUnit, definition: &FunctionDefinition) -> Vec<Option<Symbol>> {
    match definition.parameters().map(|id| &unit.params[id].kind) {
        Some(ParametersKind::Prototype { parameters, is_variadic: false }) => {
            parameters.iter().filter(|p| !p.is_forward).map(|p| p.declarator.name).collect()
        }
        _ => Vec::new(),
    }
}

/// How deep calls are followed.
const DEPTH: u32 = 4;

/// Functions of the library whose arguments are strings; what they write to stands in [`WRITERS`].
const READERS: [&str; 38] = [
    "strlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strpbrk",
    "strspn",
    "strcspn",
    "strdup",
    "strndup",
    "strtok",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "strtof",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "fopen",
    "puts",
    "fputs",
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "sscanf",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcoll",
    "getenv",
];

/// Those that write to the first argument; of the last ones it is a string before.
const WRITERS: [&str; 11] = [
    "strcpy", "strncpy", "sprintf", "snprintf", "memcpy", "memmove", "memset", "fgets", "fread",
    "strcat", "strncat",
];

/// Those that take so many bytes.
const SIZED: [&str; 8] =
    ["memcpy", "memmove", "memset", "memcmp", "memchr", "fread", "fwrite", "bcmp"];

/// A function body with the names that lead to what one parameter points to.
struct Body<'a> {
    unit: &'a TranslationUnit,
    names: HashSet<Symbol>,
    all: Vec<ExprId>,
}

impl Body<'_> {
    /// The expression without what moves it or gives it another type.
    fn root(&self, mut e: ExprId) -> (Option<Symbol>, bool) {
        let mut moved = false;
        loop {
            match self.unit.exprs[e].kind {
                ExprKind::Name(name) => return (self.names.contains(&name).then_some(name), moved),
                ExprKind::Cast { operand, .. } => e = operand,
                ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, .. } => {
                    moved = true;
                    e = left;
                }
                ExprKind::Unary { op, operand } if op.is_step() => {
                    moved = true;
                    e = operand;
                }
                ExprKind::Assign { target, .. } => e = target,
                _ => return (None, moved),
            }
        }
    }

    fn leads_there(&self, e: ExprId) -> bool {
        self.root(e).0.is_some()
    }

    /// The pointer itself.
    fn is_it(&self, e: ExprId) -> bool {
        matches!(self.root(e), (Some(_), false))
    }

    fn is_zero(&self, mut e: ExprId) -> bool {
        while let ExprKind::Cast { operand, .. } = self.unit.exprs[e].kind {
            e = operand;
        }
        match self.unit.exprs[e].kind {
            ExprKind::Integer { value, .. } => value == 0,
            ExprKind::Char { value, .. } => value == 0,
            ExprKind::Nullptr => true,
            _ => false,
        }
    }

    /// Whether something is read there, and how far behind.
    fn access(&self, e: ExprId) -> Option<bool> {
        match self.unit.exprs[e].kind {
            ExprKind::Index { base, index } if self.leads_there(base) => {
                let is_first =
                    matches!(self.unit.exprs[index].kind, ExprKind::Integer { value: 0, .. });
                Some(!is_first || self.root(base).1)
            }
            ExprKind::Unary { op: UnaryOp::Deref, operand } if self.leads_there(operand) => {
                Some(self.root(operand).1)
            }
            ExprKind::Member { base, is_arrow: true, .. } if self.leads_there(base) => {
                Some(self.root(base).1)
            }
            ExprKind::Member { base, is_arrow: false, .. } => self.access(base),
            _ => None,
        }
    }

    /// What is asked for its truth.
    fn conditions(&self, body: bolide_base::Span) -> Vec<ExprId> {
        let mut found = Vec::new();
        for &e in &self.all {
            match self.unit.exprs[e].kind {
                ExprKind::Unary { op: UnaryOp::Not, operand } => found.push(operand),
                ExprKind::Binary {
                    op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr,
                    left,
                    right,
                } => found.extend([left, right]),
                ExprKind::Binary { op: BinaryOp::Eq | BinaryOp::Ne, left, right } => {
                    if self.is_zero(right) {
                        found.push(left);
                    } else if self.is_zero(left) {
                        found.push(right);
                    }
                }
                ExprKind::Conditional { condition, .. } => found.push(condition),
                _ => {}
            }
        }
        for statement in self.unit.stmts.values() {
            if statement.span.start < body.start || body.end < statement.span.end {
                continue;
            }
            match statement.kind {
                StmtKind::If { condition, .. }
                | StmtKind::While { condition, .. }
                | StmtKind::DoWhile { condition, .. } => found.push(condition),
                StmtKind::For { condition, .. } => found.extend(condition),
                _ => {}
            }
        }
        found
    }

    /// Takes in the variables that are set to a place that the known ones lead to.
    fn follow(&mut self, body: bolide_base::Span) {
        loop {
            let known = self.names.len();
            for declaration in self.unit.decls.values() {
                for declared in &declaration.declarators {
                    if declared.span.start < body.start || body.end < declared.span.end {
                        continue;
                    }
                    let Some(init) = declared.initializer else { continue };
                    let InitializerKind::Expr(e) = self.unit.inits[init].kind else { continue };
                    if self.leads_there(e) {
                        self.names.extend(declared.declarator.name);
                    }
                }
            }
            for i in 0..self.all.len() {
                if let ExprKind::Assign { op: None, target, value } =
                    self.unit.exprs[self.all[i]].kind
                    && let ExprKind::Name(name) = self.unit.exprs[target].kind
                    && self.leads_there(value)
                {
                    self.names.insert(name);
                }
            }
            if self.names.len() == known {
                return;
            }
        }
    }

    /// What the body itself does.
    fn own(&self, body: bolide_base::Span) -> Uses {
        let mut uses = Uses::default();
        for e in self.conditions(body) {
            uses.tested |= self.is_it(e);
            uses.terminated |= self.access(e).is_some();
        }
        for &e in &self.all {
            if let Some(behind) = self.access(e) {
                uses.dereferenced = true;
                uses.indexed |= behind;
            }
            match self.unit.exprs[e].kind {
                ExprKind::Assign { op, target, .. } => {
                    uses.written |= self.access(target).is_some();
                    uses.indexed |= op.is_some() && self.leads_there(target);
                }
                ExprKind::Unary { op, operand } if op.is_step() => {
                    uses.written |= self.access(operand).is_some();
                    uses.indexed |= self.leads_there(operand);
                }
                _ => {}
            }
        }
        uses
    }
}

impl Lowerer<'_> {
    /// What a function does with one of its parameters.
    pub fn uses_of(&self, function: GlobalId, parameter: usize) -> Uses {
        self.uses_to(function, parameter, DEPTH)
    }

    fn uses_to(&self, function: GlobalId, parameter: usize, depth: u32) -> Uses {
        let Some(Definition::Function(unit, id)) = self.linkage[function].definition else {
            return Uses::default();
        };
        let ast = self.input.units[unit];
        let definition = &ast.functions[id];
        let Some(name) = parameters(ast, definition).get(parameter).copied().flatten() else {
            return Uses::default();
        };
        let span = ast.stmts[definition.body].span;
        let inside = |e: &ast::Expr| span.start <= e.span.start && e.span.end <= span.end;
        let all = ast.exprs.iter().filter(|(_, e)| inside(e)).map(|(id, _)| id).collect();
        let mut body = Body { unit: ast, names: [name].into_iter().collect(), all };
        body.follow(span);
        let mut uses = body.own(span);
        for &e in &body.all {
            let ExprKind::Call { callee, arguments } = &ast.exprs[e].kind else { continue };
            let ExprKind::Name(called) = ast.exprs[*callee].kind else { continue };
            for (i, &argument) in arguments.iter().enumerate() {
                let (root, moved) = body.root(argument);
                if root.is_none() {
                    continue;
                }
                let mut given = self.given_to(unit, called, i, depth);
                // Under another type it is something else, larger perhaps.
                let is_cast = matches!(ast.exprs[argument].kind, ExprKind::Cast { .. });
                given.indexed |= (moved || is_cast) && given.dereferenced;
                // Who is called may ask; that says nothing of what may be passed here.
                given.tested = false;
                uses.join(given);
            }
        }
        uses
    }

    /// What becomes of an argument.
    fn given_to(&self, unit: usize, called: Symbol, i: usize, depth: u32) -> Uses {
        let text = self.input.units[unit].name(called);
        let text = text.strip_prefix("__builtin_").unwrap_or(text);
        let mut uses = Uses::default();
        if let Some(Binding::Global(id)) = self.linkage.names[unit].at_file_scope(called)
            && matches!(self.linkage[id].definition, Some(Definition::Function(unit, _)) if unit < self.input.first_model)
        {
            return if depth > 0 { self.uses_to(id, i, depth - 1) } else { uses };
        }
        uses.freed = i == 0 && matches!(text, "free" | "realloc");
        if SIZED.contains(&text) {
            (uses.dereferenced, uses.indexed, uses.sized) = (true, true, true);
        }
        if WRITERS.contains(&text) && i == 0 {
            (uses.dereferenced, uses.indexed, uses.written) = (true, true, true);
            uses.terminated = text.ends_with("cat");
        } else if READERS.contains(&text) {
            (uses.dereferenced, uses.indexed, uses.terminated) = (true, true, true);
        }
        uses
    }
}
