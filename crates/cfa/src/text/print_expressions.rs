//! Writes expressions: as trees, cut by `let` lines where a tree would be huge.

use super::names::{BINARY, FLOAT_FNS, FLOAT_TESTS, OVERFLOWS, type_name};
use super::printer::Printer;
use crate::expr::{BitRange, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::RegionId;
use crate::types::{FloatKind, IntType};
use crate::value::float;
use bolide_base::HashMap;
use bolide_base::arena::Id;
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
        enum Item {
            Expr(ExprId, bool),
            Text(&'static str),
            Owned(String),
        }
        let elided = |sizes: &[u64], e: ExprId| sizes[e.index()] > LARGEST_TREE;
        if self.elide {
            self.compute_sizes();
        }
        let exprs = &self.program.exprs;
        let mut work = vec![Item::Expr(root, nested)];
        while let Some(item) = work.pop() {
            let (id, nested) = match item {
                Item::Text(text) => {
                    self.out += text;
                    continue;
                }
                Item::Owned(text) => {
                    self.out += &text;
                    continue;
                }
                Item::Expr(id, nested) => (id, nested),
            };
            if let Some(n) = self.lets.get(&id) {
                let _ = write!(self.out, "%{n}");
                continue;
            }
            if self.elide && elided(&self.sizes, id) {
                self.out += "...";
                continue;
            }
            // Pushes what follows in reverse order.
            let infix = |a: ExprId, op: &'static str, b: ExprId, work: &mut Vec<Item>| {
                if nested {
                    work.push(Item::Text(")"));
                }
                work.push(Item::Expr(b, true));
                work.push(Item::Text(" "));
                work.push(Item::Text(op));
                work.push(Item::Text(" "));
                work.push(Item::Expr(a, true));
                if nested {
                    work.push(Item::Text("("));
                }
            };
            let call = |name: String, arguments: &[ExprId], after: String, work: &mut Vec<Item>| {
                work.push(Item::Owned(after));
                work.push(Item::Text(")"));
                for (i, &a) in arguments.iter().enumerate().rev() {
                    work.push(Item::Expr(a, false));
                    if i > 0 {
                        work.push(Item::Text(", "));
                    }
                }
                work.push(Item::Owned(name + "("));
            };
            let region = |r: RegionId| match r {
                RegionId::ALL => String::new(),
                r => format!("@r{}", r.index()),
            };
            match *exprs.get(id) {
                Expr::Int { bits, ty: IntType::BOOL } => {
                    self.out += if bits == 0 { "false" } else { "true" };
                }
                Expr::Int { bits, ty } => {
                    let name = type_name(crate::types::Type::Int(ty));
                    let _ = if ty.signed {
                        write!(self.out, "{}:{name}", ty.value(bits))
                    } else {
                        write!(self.out, "{bits}:{name}")
                    };
                }
                Expr::Float { bits, kind } => self.float(bits, kind),
                Expr::Null => self.out += "null",
                Expr::Var(v) => self.out += &self.var_name(v),
                Expr::Object(o) => {
                    self.out.push('&');
                    self.out += &self.object_name(o);
                }
                Expr::Function(f) => {
                    self.out += "fn ";
                    self.out += &self.function_name(f);
                }
                Expr::Load(access) => {
                    self.access_open(&access);
                    let mut after = String::from("]");
                    if let Some(BitRange { offset, width }) = access.bits {
                        let _ = write!(after, "{{{offset}+{width}}}");
                    }
                    after += &region(access.region);
                    work.push(Item::Owned(after));
                    work.push(Item::Expr(access.pointer, false));
                }
                Expr::Unary(op, a) => {
                    let (sign, literal) = match op {
                        UnaryOp::Neg => ("-", true),
                        UnaryOp::BitNot => ("~", false),
                        UnaryOp::Not => ("!", false),
                    };
                    self.out += sign;
                    // `-1:i32` is a constant; minus a constant needs parentheses.
                    let constant = matches!(exprs.get(a), Expr::Int { .. } | Expr::Float { .. });
                    if literal && constant && !self.lets.contains_key(&a) {
                        work.push(Item::Text(")"));
                        work.push(Item::Expr(a, false));
                        work.push(Item::Text("("));
                    } else {
                        work.push(Item::Expr(a, true));
                    }
                }
                Expr::Binary(op, a, b) => infix(a, BINARY.word(op), b, &mut work),
                Expr::PointerAdd(a, b) => infix(a, "+", b, &mut work),
                Expr::PointerDiff(a, b) => infix(a, "-", b, &mut work),
                Expr::Compare(op, a, b) => {
                    let sign = match op {
                        CompareOp::Eq => "==",
                        CompareOp::Ne => "!=",
                        CompareOp::Lt => "<",
                        CompareOp::Le => "<=",
                    };
                    infix(a, sign, b, &mut work);
                }
                Expr::Ite(c, a, b) => {
                    if nested {
                        work.push(Item::Text(")"));
                    }
                    work.push(Item::Expr(b, true));
                    work.push(Item::Text(" : "));
                    work.push(Item::Expr(a, true));
                    work.push(Item::Text(" ? "));
                    work.push(Item::Expr(c, true));
                    if nested {
                        work.push(Item::Text("("));
                    }
                }
                Expr::Cast(ty, a) => call(type_name(ty), &[a], String::new(), &mut work),
                Expr::FloatFn(op, a) => {
                    call(FLOAT_FNS.word(op).into(), &[a], String::new(), &mut work);
                }
                Expr::FloatTest(op, a) => {
                    call(FLOAT_TESTS.word(op).into(), &[a], String::new(), &mut work);
                }
                Expr::Overflows(op, a, b) => {
                    call(OVERFLOWS.word(op).into(), &[a, b], String::new(), &mut work);
                }
                Expr::Valid { pointer, size, region: r } => {
                    call("valid".into(), &[pointer, size], region(r), &mut work);
                }
                Expr::Freeable { pointer, region: r } => {
                    call("freeable".into(), &[pointer], region(r), &mut work);
                }
                Expr::Coincide(a, b) => {
                    call("coincide".into(), &[a, b], String::new(), &mut work);
                }
                Expr::ReadOnly(a) => call("read_only".into(), &[a], String::new(), &mut work),
                Expr::ObjectSize(a) => call("object_size".into(), &[a], String::new(), &mut work),
                Expr::Leaked => self.out += "leaked",
                Expr::HeapInUse => self.out += "heap_in_use",
            }
        }
    }

    fn float(&mut self, bits: u128, kind: FloatKind) {
        let name = type_name(crate::types::Type::Float(kind));
        let finite = matches!(float::parts(bits, kind), float::Parts::Finite { .. });
        let _ = match kind {
            FloatKind::F32 | FloatKind::F64 if finite => {
                write!(self.out, "{}:{name}", float::decimal(bits, kind))
            }
            _ => write!(self.out, "{bits:#x}:{name}"),
        };
    }
}
