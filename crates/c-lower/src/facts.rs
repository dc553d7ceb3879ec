//! What lowering must know of a file before it lowers the first function.
//!
//! One pass over the arenas of the syntax tree, without recursion:
//! - which expressions have effects or may need checks, so that operands are
//!   saved in temporaries only where the order of evaluation can be observed;
//! - which variables have their address taken, so that all others are scalars;
//! - which variables a function within a function uses of those around it: they have addresses, too;
//! - which labels are jumped to or have their address taken.
//!
//! A name under `&` is resolved by position: of the declarations of that name
//! in the function whose scope holds the place, the last one before it is meant.

use crate::models::table;
use bolide_base::{HashMap, HashSet, Span, arena::Id};
use bolide_c_syntax::ast::{self, ExprKind, StmtKind, Symbol, TranslationUnit, UnaryOp};
use std::collections::BTreeMap;

/// Bits of [`Facts::flags`].
pub const EFFECT: u8 = 1;
/// The expression adds or multiplies or the like: an overflow check may be needed.
pub const ARITHMETIC: u8 = 2;
/// It divides.
pub const DIVISION: u8 = 4;
/// It reads memory through a pointer or an index.
pub const DEREF: u8 = 8;
/// It contains a statement expression, a volatile-looking construct or another
/// thing that needs edges of its own.
pub const EDGES: u8 = 16;
/// It shifts.
pub const SHIFT: u8 = 32;
/// It may change variables: it assigns, or calls what may.
pub const CHANGES: u8 = 64;
/// It has a comma, outside of calls.
pub const COMMA: u8 = 128;

/// The facts of one unit.
#[derive(Debug, Default)]
pub struct Facts {
    /// For each expression, what it or a part of it does.
    pub flags: Vec<u8>,
    /// `name_span.start` of the declarators of locals whose address is taken.
    pub address_taken_locals: HashSet<u32>,
    /// File-scope names whose address is taken.
    pub address_taken_globals: HashSet<Symbol>,
    /// Compound literals whose address is taken, by expression.
    pub address_taken_literals: HashSet<ast::ExprId>,
    /// `name_span.start` of the declarators of variables that a function within theirs uses.
    pub captured: HashSet<u32>,
    /// Starts of the spans of functions with functions in them.
    pub enclosing_functions: HashSet<u32>,
    /// Start of the function's span and the label, for each label that is jumped to or whose address is
    /// taken, by the function or by one within it.
    pub used_labels: HashSet<(u32, Symbol)>,
    /// Some function within another jumps to a label that it does not have.
    pub has_escapes: bool,
    /// Where labels, `case` and `default` stand; sorted.
    pub label_positions: Vec<u32>,
    /// Names of locals and parameters.
    locals: HashSet<Symbol>,
    /// What the functions of the unit do themselves, by name.
    functions: BTreeMap<Symbol, Deeds>,
}

/// What a function does to variables other than its own.
#[derive(Clone, Debug, Default)]
struct Deeds {
    /// It assigns to one, or does what nobody knows.
    changes: bool,
    /// What it calls.
    calls: Vec<Symbol>,
}

/// Names of functions that, called, leave all variables as they are, together with what they
/// call. A function that no unit defines is none, unless it is an input or the table of the
/// library knows it so.
pub fn harmless_functions(units: &[&TranslationUnit], facts: &[Facts]) -> HashSet<String> {
    // Functions of one name in several files count as one.
    let mut all: BTreeMap<&str, (bool, Vec<&str>)> = BTreeMap::new();
    for (unit, facts) in units.iter().zip(facts) {
        for (&name, deeds) in &facts.functions {
            let entry = all.entry(unit.name(name)).or_default();
            entry.0 |= deeds.changes;
            entry.1.extend(deeds.calls.iter().map(|&callee| unit.name(callee)));
        }
    }
    let called = all.values().flat_map(|deeds| &deeds.1).copied();
    let undefined = called.filter(|name| !all.contains_key(name) && is_known_harmless(name));
    let mut harmless: HashSet<String> = undefined.map(str::to_owned).collect();
    harmless.extend(all.iter().filter(|(_, d)| !d.0).map(|(name, _)| (*name).to_owned()));
    // A local pointer of such a name calls something else.
    for (unit, facts) in units.iter().zip(facts) {
        for &name in &facts.locals {
            harmless.remove(unit.name(name));
        }
    }
    loop {
        let fails = |callee: &&str| !harmless.contains(*callee);
        let bad: Vec<String> = harmless
            .iter()
            .filter(|name| all.get(name.as_str()).is_some_and(|d| d.1.iter().any(fails)))
            .cloned()
            .collect();
        if bad.is_empty() {
            return harmless;
        }
        for name in bad {
            harmless.remove(&name);
        }
    }
}

fn is_known_harmless(name: &str) -> bool {
    table::is_input(name) || table::find(name).is_some_and(|model| !table::changes_memory(model))
}

impl Facts {
    /// Whether a label, `case` or `default` stands within the span.
    pub fn has_label(&self, span: Span) -> bool {
        let i = self.label_positions.partition_point(|&p| p < span.start);
        self.label_positions.get(i).is_some_and(|&p| p < span.end)
    }
}

/// Collects the facts of a unit.
pub fn collect(unit: &TranslationUnit) -> Facts {
    let functions = Functions::new(unit);
    let declared = Declared::new(unit);
    let enclosing = functions.parents.iter().flatten().map(|&parent| functions.spans[parent].0);
    let mut facts = Facts {
        enclosing_functions: enclosing.collect(),
        locals: declared.0.keys().copied().collect(),
        ..Facts::default()
    };
    collect_labels(unit, &functions, &mut facts);
    collect_addresses(unit, &declared, &functions, &mut facts);
    collect_deeds(unit, &declared, &functions, &mut facts);
    facts
}

/// Local variables and parameters by name: where each is declared and where its scope ends; sorted.
struct Declared(HashMap<Symbol, Vec<(u32, u32)>>);

impl Declared {
    fn new(unit: &TranslationUnit) -> Declared {
        let mut declared = Declared(HashMap::default());
        let in_statement = |declared: &mut Declared, item: ast::StmtId, end: u32| {
            if let StmtKind::Declaration(decl) = unit.stmts[item].kind {
                declared.add_all(unit, decl, end);
            }
        };
        for stmt in unit.stmts.values() {
            match &stmt.kind {
                StmtKind::Compound(items) => {
                    items.iter().for_each(|&i| in_statement(&mut declared, i, stmt.span.end));
                }
                StmtKind::For { init: Some(init), .. } => {
                    in_statement(&mut declared, *init, stmt.span.end);
                }
                _ => {}
            }
        }
        for function in unit.functions.values() {
            for &decl in &function.parameter_declarations {
                declared.add_all(unit, decl, function.span.end);
            }
            match function.parameters().map(|parameters| &unit.params[parameters].kind) {
                Some(ast::ParametersKind::Prototype { parameters, .. }) => {
                    for p in parameters {
                        declared.add(p.declarator.name, p.declarator.name_span, function.span.end);
                    }
                }
                Some(ast::ParametersKind::Names(names)) => {
                    for &(name, span) in names {
                        declared.add(Some(name), span, function.span.end);
                    }
                }
                Some(ast::ParametersKind::Unspecified) | None => {}
            }
        }
        declared.0.values_mut().for_each(|list| list.sort_unstable());
        declared
    }

    fn add(&mut self, name: Option<Symbol>, span: Span, end: u32) {
        if let Some(name) = name {
            self.0.entry(name).or_default().push((span.start, end));
        }
    }

    fn add_all(&mut self, unit: &TranslationUnit, decl: ast::DeclId, end: u32) {
        for d in &unit.decls[decl].declarators {
            self.add(d.declarator.name, d.declarator.name_span, end);
        }
    }

    /// The last declaration before `at` whose scope holds `at`. Scopes nest, so
    /// walking back from `at` meets it first.
    fn at(&self, name: Symbol, at: u32) -> Option<u32> {
        let list = self.0.get(&name)?;
        let end = list.partition_point(|d| d.0 <= at);
        list[..end].iter().rev().find(|d| at < d.1).map(|d| d.0)
    }
}

/// Where labels stand, and which are used.
fn collect_labels(unit: &TranslationUnit, functions: &Functions, facts: &mut Facts) {
    let (mut labels, mut gotos) = (HashSet::default(), Vec::new());
    for stmt in unit.stmts.values() {
        match &stmt.kind {
            StmtKind::Label { name, .. } => {
                facts.label_positions.push(stmt.span.start);
                labels.insert((functions.at(stmt.span.start), *name));
            }
            StmtKind::Case { .. } | StmtKind::Default { .. } => {
                facts.label_positions.push(stmt.span.start);
            }
            StmtKind::Goto { label, label_span } => {
                functions.around(label_span.start, |f| facts.used_labels.insert((f, *label)));
                gotos.push((functions.at(label_span.start), *label));
            }
            StmtKind::Asm(asm) => {
                for (label, span) in &unit.asms[*asm].labels {
                    functions.around(span.start, |f| facts.used_labels.insert((f, *label)));
                }
            }
            _ => {}
        }
    }
    for expr in unit.exprs.values() {
        if let ExprKind::LabelAddress(label) = expr.kind {
            functions.around(expr.span.start, |f| facts.used_labels.insert((f, label)));
        }
    }
    facts.label_positions.sort_unstable();
    let is_nested = |f: Option<usize>| f.is_some_and(|f| functions.parents[f].is_some());
    facts.has_escapes = gotos.iter().any(|goto| is_nested(goto.0) && !labels.contains(goto));
}

/// Whose address is taken, and what functions use of those around them.
fn collect_addresses(
    unit: &TranslationUnit,
    declared: &Declared,
    functions: &Functions,
    facts: &mut Facts,
) {
    for expr in unit.exprs.values() {
        let mut root = match expr.kind {
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => operand,
            ExprKind::Name(name) if !facts.enclosing_functions.is_empty() => {
                let at = expr.span.start;
                if let Some(position) = declared.at(name, at)
                    && functions.at(position) != functions.at(at)
                {
                    facts.captured.insert(position);
                    facts.address_taken_locals.insert(position);
                }
                continue;
            }
            _ => continue,
        };
        while let ExprKind::Member { base: part, is_arrow: false, .. }
        | ExprKind::Unary { op: UnaryOp::Real | UnaryOp::Imag, operand: part } =
            unit.exprs[root].kind
        {
            root = part;
        }
        match unit.exprs[root].kind {
            ExprKind::Name(name) => match declared.at(name, unit.exprs[root].span.start) {
                Some(position) => {
                    facts.address_taken_locals.insert(position);
                }
                None => {
                    facts.address_taken_globals.insert(name);
                }
            },
            ExprKind::CompoundLiteral { .. } => {
                facts.address_taken_literals.insert(root);
            }
            // `&({ s; }).x` and the like have no address; lowering says so.
            _ => {}
        }
    }
}

/// What each function of the unit does.
fn collect_deeds(
    unit: &TranslationUnit,
    declared: &Declared,
    functions: &Functions,
    facts: &mut Facts,
) {
    let mut names: HashMap<u32, Symbol> = HashMap::default();
    for function in unit.functions.values() {
        if let Some(name) = function.declarator.name {
            names.insert(function.span.start, name);
            facts.functions.insert(name, Deeds::default());
        }
    }
    let mut statics: HashSet<u32> = HashSet::default();
    for decl in unit.decls.values() {
        if matches!(decl.specifiers.storage, Some((ast::StorageClass::Static, _))) {
            statics.extend(decl.declarators.iter().map(|d| d.declarator.name_span.start));
        }
    }
    let mut deeds_at = |offset: u32, act: &dyn Fn(&mut Deeds)| {
        if let Some(f) = functions.at(offset)
            && let Some(name) = names.get(&functions.spans[f].0)
            && let Some(deeds) = facts.functions.get_mut(name)
        {
            act(deeds);
        }
    };
    for expr in unit.exprs.values() {
        let at = expr.span.start;
        let mut target = match expr.kind {
            ExprKind::Assign { target, .. } => target,
            ExprKind::Unary { op, operand } if op.is_step() => operand,
            ExprKind::VaArg { .. } => {
                deeds_at(at, &|deeds| deeds.changes = true);
                continue;
            }
            ExprKind::Call { callee, .. } => {
                match unit.exprs[callee].kind {
                    ExprKind::Name(name) if declared.at(name, at).is_none() => {
                        deeds_at(at, &|deeds| deeds.calls.push(name));
                    }
                    _ => deeds_at(at, &|deeds| deeds.changes = true),
                }
                continue;
            }
            _ => continue,
        };
        while let ExprKind::Member { base, is_arrow: false, .. } = unit.exprs[target].kind {
            target = base;
        }
        let own = match unit.exprs[target].kind {
            ExprKind::Name(name) => declared
                .at(name, at)
                .is_some_and(|d| !statics.contains(&d) && functions.at(d) == functions.at(at)),
            _ => false,
        };
        if !own {
            deeds_at(at, &|deeds| deeds.changes = true);
        }
    }
    for asm in unit.asms.values() {
        deeds_at(asm.span.start, &|deeds| deeds.changes = true);
    }
}

/// The functions of a unit, and which lies in which.
struct Functions {
    /// By position.
    spans: Vec<(u32, u32)>,
    /// For each the one around it.
    parents: Vec<Option<usize>>,
}

impl Functions {
    fn new(unit: &TranslationUnit) -> Functions {
        let mut spans: Vec<(u32, u32)> =
            unit.functions.values().map(|f| (f.span.start, f.span.end)).collect();
        spans.sort_unstable();
        let mut parents: Vec<Option<usize>> = Vec::with_capacity(spans.len());
        for (i, span) in spans.iter().enumerate() {
            let mut parent = i.checked_sub(1);
            while let Some(p) = parent
                && spans[p].1 <= span.0
            {
                parent = parents[p];
            }
            parents.push(parent);
        }
        Functions { spans, parents }
    }

    /// The innermost function at an offset.
    fn at(&self, offset: u32) -> Option<usize> {
        let mut at = self.spans.partition_point(|f| f.0 <= offset).checked_sub(1);
        while let Some(f) = at
            && self.spans[f].1 <= offset
        {
            at = self.parents[f];
        }
        at
    }

    /// The starts of all functions around an offset.
    fn around<T>(&self, offset: u32, mut found: impl FnMut(u32) -> T) {
        let mut at = self.at(offset);
        while let Some(f) = at {
            found(self.spans[f].0);
            at = self.parents[f];
        }
    }
}

/// For each expression, what it or a part of it does. Children come before parents in the arena,
/// so one pass suffices.
pub fn flags(unit: &TranslationUnit, harmless: &HashSet<String>) -> Vec<u8> {
    let mut flags: Vec<u8> = Vec::with_capacity(unit.exprs.len());
    // Operators on vectors and complex numbers save what they compute with. Their types are not
    // known here, so every operator counts where a file has such types.
    let words = ["vector_size", "SC", "DC", "XC", "TC", "__SC__", "__DC__", "__XC__", "__TC__"];
    let has_lanes = unit.has_complex || words.iter().any(|word| unit.names.get(word).is_some());
    let lanes = if has_lanes { EDGES } else { 0 };
    for expr in unit.exprs.values() {
        let of = |id: ast::ExprId| flags.get(id.index()).copied().unwrap_or(u8::MAX);
        let f = match &expr.kind {
            ExprKind::Name(_)
            | ExprKind::Integer { .. }
            | ExprKind::Float { .. }
            | ExprKind::Char { .. }
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Nullptr
            | ExprKind::FunctionName
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType { .. }
            | ExprKind::Offsetof { .. }
            | ExprKind::TypesCompatible { .. }
            | ExprKind::LabelAddress(_) => 0,
            // The operand of sizeof is evaluated when it is a VLA.
            ExprKind::SizeofExpr(a) => of(*a) & (EFFECT | CHANGES),
            ExprKind::Quantified { body, .. } => of(*body) | EDGES,
            ExprKind::Unary { op, operand } => {
                of(*operand)
                    | if *op == UnaryOp::Deref { 0 } else { lanes }
                    | match op {
                        op if op.is_step() => EFFECT | ARITHMETIC | CHANGES,
                        UnaryOp::Minus => ARITHMETIC,
                        UnaryOp::Deref => DEREF,
                        _ => 0,
                    }
            }
            ExprKind::Binary { op, left, right } => {
                of(*left)
                    | of(*right)
                    | lanes
                    | match op {
                        ast::BinaryOp::Div | ast::BinaryOp::Rem => DIVISION | ARITHMETIC,
                        ast::BinaryOp::Add | ast::BinaryOp::Sub | ast::BinaryOp::Mul => ARITHMETIC,
                        ast::BinaryOp::Shl => ARITHMETIC | SHIFT,
                        ast::BinaryOp::Shr => SHIFT,
                        _ => 0,
                    }
            }
            ExprKind::Assign { target, value, .. } => {
                of(*target) | of(*value) | EFFECT | EDGES | CHANGES
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                of(*condition) | then.map_or(0, of) | of(*otherwise)
            }
            ExprKind::Comma { left, right } => of(*left) | of(*right) | COMMA,
            ExprKind::Cast { operand, .. } | ExprKind::ConvertVector { operand, .. } => {
                of(*operand) | lanes
            }
            ExprKind::Call { callee, arguments } => {
                let is_harmless = match unit.exprs[*callee].kind {
                    ExprKind::Name(name) => harmless.contains(unit.name(name)),
                    _ => false,
                };
                let changes = arguments.iter().fold(0, |acc, &a| acc | of(a)) & CHANGES;
                EFFECT | EDGES | if is_harmless { changes } else { CHANGES }
            }
            ExprKind::CompoundLiteral { .. } | ExprKind::StmtExpr(_) | ExprKind::VaArg { .. } => {
                EFFECT | EDGES | CHANGES
            }
            ExprKind::Index { base, index } => of(*base) | of(*index) | DEREF,
            ExprKind::Member { base, is_arrow, .. } => of(*base) | (u8::from(*is_arrow) * DEREF),
            ExprKind::Generic { arms, .. } => arms.iter().fold(0, |acc, arm| acc | of(arm.value)),
            ExprKind::Choose { then, otherwise, .. } => of(*then) | of(*otherwise),
        };
        flags.push(f);
    }
    flags
}
