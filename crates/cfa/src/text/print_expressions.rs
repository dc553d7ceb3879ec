//! Writes expressions: as trees, cut by `let` lines where a tree would be huge.

use super::names::*;
use super::printer::Printer;
use crate::expr::{Expr, ExprId, UnaryOp};
use crate::types::{FloatKind, IntType, Type};
use crate::value::{Value, float};
use bolide_base::HashMap;
use bolide_base::arena::Id;
use std::borrow::Cow;
use std::fmt::Write;

/// Expressions whose tree has more nodes than this are cut into `let` lines.
const LARGEST_TREE: u64 = 2000;

impl Printer<'_> {
    /// Tree sizes of all expressions, children first.
    pub(super) fn compute_sizes(&mut self) {
        let exprs = &self.program.exprs;
        for i in self.sizes.len()..exprs.len() {
            let operands = exprs.get(ExprId::from_index(i)).operands();
            let size = operands.fold(1u64, |n, a| n.saturating_add(self.sizes[a.index()]));
            self.sizes.push(size);
        }
    }

    /// Writes the `let` lines that the expressions of the next line need.
    pub(super) fn prepare(&mut self, roots: &[ExprId], indent: &str) {
        self.lets.clear();
        self.compute_sizes();
        if roots.iter().all(|r| self.sizes[r.index()] <= LARGEST_TREE) {
            return;
        }
        // Count references to each expression of the shared graph.
        let exprs = &self.program.exprs;
        let mut references: HashMap<ExprId, u32> = HashMap::default();
        let mut stack: Vec<ExprId> = roots.to_vec();
        while let Some(e) = stack.pop() {
            let n = references.entry(e).or_insert(0);
            *n += 1;
            if *n == 1 {
                stack.extend(exprs.get(e).operands());
            }
        }
        let mut shared: Vec<ExprId> = references
            .iter()
            .filter(|&(&e, &n)| n > 1 && self.sizes[e.index()] > 1)
            .map(|(&e, _)| e)
            .collect();
        // Ids grow from operands to operators: each line uses earlier ones.
        shared.sort_unstable();
        for e in shared {
            let _ = write!(self.out, "{indent}let %{} = ", self.lets.len());
            self.expr(e, false);
            self.out.push('\n');
            self.lets.insert(e, self.lets.len());
        }
    }

    /// Writes an expression; `nested` asks for parentheses around operators.
    pub(super) fn expr(&mut self, root: ExprId, nested: bool) {
        if self.elide {
            self.compute_sizes();
        }
        let mut work = vec![Item::Expr(root, nested)];
        while let Some(item) = work.pop() {
            match item {
                Item::Text(text) => self.out += &text,
                Item::Expr(id, nested) => {
                    let start = work.len();
                    self.parts(id, nested, &mut work);
                    work[start..].reverse();
                }
            }
        }
    }

    /// What an expression is made of, in the order of the text.
    fn parts(&self, id: ExprId, nested: bool, out: &mut Vec<Item>) {
        if let Some(n) = self.lets.get(&id) {
            return out.push(Item::Text(format!("%{n}").into()));
        }
        if self.elide && self.sizes[id.index()] > LARGEST_TREE {
            return out.push(Item::Text("...".into()));
        }
        let exprs = &self.program.exprs;
        match *exprs.get(id) {
            Expr::Load(access) => {
                out.push(Item::Text(access_open(&access).into()));
                out.push(Item::Expr(access.pointer, false));
                out.push(Item::Text(access_close(&access).into()));
            }
            Expr::Unary(op, a) => {
                out.push(Item::Text(UNARY.word(op).into()));
                // `-1:i32` is a constant; minus a constant needs parentheses.
                let constant = matches!(exprs.get(a), Expr::Int { .. } | Expr::Float { .. });
                if op == UnaryOp::Neg && constant && !self.lets.contains_key(&a) {
                    call("", &[a], "", out);
                } else {
                    out.push(Item::Expr(a, true));
                }
            }
            Expr::Binary(op, a, b) => infix(&[a, b], &[BINARY.word(op)], nested, out),
            Expr::PointerAdd(a, b) => infix(&[a, b], &["+"], nested, out),
            Expr::PointerDiff(a, b) => infix(&[a, b], &["-"], nested, out),
            Expr::Compare(op, a, b) => infix(&[a, b], &[COMPARE.word(op)], nested, out),
            Expr::Ite(c, a, b) => infix(&[c, a, b], &["?", ":"], nested, out),
            Expr::Cast(ty, a) => call(&type_name(ty), &[a], "", out),
            Expr::Pattern(ty, a) => call(&format!("pattern_{}", type_name(ty)), &[a], "", out),
            Expr::FloatFn(op, a) => call(FLOAT_FNS.word(op), &[a], "", out),
            Expr::FloatTest(op, a) => call(FLOAT_TESTS.word(op), &[a], "", out),
            Expr::Overflows(op, a, b) => call(OVERFLOWS.word(op), &[a, b], "", out),
            Expr::Valid { pointer, size, region } => {
                call("valid", &[pointer, size], &region_suffix(region), out);
            }
            Expr::Freeable { pointer, region } => {
                call("freeable", &[pointer], &region_suffix(region), out);
            }
            Expr::Coincide(a, b) => call("coincide", &[a, b], "", out),
            Expr::SameObject(a, b) => call("same_object", &[a, b], "", out),
            Expr::ReadOnly(a) => call("read_only", &[a], "", out),
            Expr::ObjectSize(a) => call("object_size", &[a], "", out),
            Expr::Offset(a) => call("offset", &[a], "", out),
            ref leaf => out.push(Item::Text(self.leaf(leaf).into())),
        }
    }

    /// An expression without operands.
    fn leaf(&self, expr: &Expr) -> String {
        match *expr {
            Expr::Int { bits, ty: IntType::BOOL } => (bits != 0).to_string(),
            Expr::Int { bits, ty } => {
                format!("{}:{}", Value::Int { bits, ty }, type_name(Type::Int(ty)))
            }
            Expr::Float { bits, kind } => {
                let name = type_name(Type::Float(kind));
                let finite = matches!(float::parts(bits, kind), float::Parts::Finite { .. });
                match kind {
                    FloatKind::F32 | FloatKind::F64 if finite => {
                        format!("{}:{name}", float::decimal(bits, kind))
                    }
                    _ => format!("{bits:#x}:{name}"),
                }
            }
            Expr::Var(v) => self.var_name(v),
            Expr::Object(o) => format!("&{}", self.object_name(o)),
            Expr::Function(f) => format!("fn {}", self.function_name(f)),
            Expr::Leaked => "leaked".into(),
            Expr::HeapInUse => "heap_in_use".into(),
            _ => "null".into(),
        }
    }
}

/// What is still to be written; a stack instead of recursion.
enum Item {
    Expr(ExprId, bool),
    Text(Cow<'static, str>),
}

/// Operands with signs between them.
fn infix(operands: &[ExprId], signs: &[&str], nested: bool, out: &mut Vec<Item>) {
    if nested {
        out.push(Item::Text("(".into()));
    }
    for (i, &e) in operands.iter().enumerate() {
        if i > 0 {
            out.push(Item::Text(format!(" {} ", signs[i - 1]).into()));
        }
        out.push(Item::Expr(e, true));
    }
    if nested {
        out.push(Item::Text(")".into()));
    }
}

/// A word with its arguments and what follows them.
fn call(name: &str, arguments: &[ExprId], after: &str, out: &mut Vec<Item>) {
    out.push(Item::Text(format!("{name}(").into()));
    for (i, &a) in arguments.iter().enumerate() {
        if i > 0 {
            out.push(Item::Text(", ".into()));
        }
        out.push(Item::Expr(a, false));
    }
    out.push(Item::Text(format!("){after}").into()));
}
