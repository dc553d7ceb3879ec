//! Programs that choose the direction of rounding (`fesetround`).
//!
//! In expressions all rounds to the nearest. When such a program has been lowered, each operation that rounds becomes a step
//! of its own before its expression, with the direction, a variable of the model of `<fenv.h>`, as an argument
//! ([`Directed`]); programs that do not choose pay nothing. It is as with gcc's `-frounding-math`, but for
//! operations on constants: these the compiler does, to the nearest.

use crate::emission::Emission;
use bolide_base::HashMap;
use bolide_cfa::{
    BinaryOp, Directed, Expr, ExprId, FloatFn, FloatKind, LocId, MathFn, Op, Origin, OutputKind,
    Program, Type, Unmodelled, VarId, Variable, VariableKind,
};

/// The variable of the model in which the direction is.
const DIRECTION: &str = "__bolide_rounding";

/// Functions of the library that may change the direction, of which no more is known.
const CHANGING: [&str; 3] = ["fesetenv", "feupdateenv", "fesetmode"];

/// Gives operations that round the direction, in programs that choose one.
pub fn direct(out: &mut Emission) {
    let chosen = out.program.variables.iter().find(|(_, v)| v.name == DIRECTION);
    let Some((direction, _)) = chosen else { return };
    let locations: Vec<LocId> = out.program.locations.ids().collect();
    for location in locations {
        let mut steps = Steps { direction, out, location, saved: HashMap::default() };
        steps.rewrite();
    }
}

/// The steps that come before what leaves a location.
struct Steps<'a> {
    direction: VarId,
    out: &'a mut Emission,
    /// Where the next step begins.
    location: LocId,
    /// What became a variable.
    saved: HashMap<ExprId, ExprId>,
}

impl Steps<'_> {
    fn rewrite(&mut self) {
        let first = self.location;
        let edges = std::mem::take(&mut self.program().locations[first].outgoing);
        for &edge in &edges {
            let mut op = self.program().edges[edge].op.clone();
            self.note_unknown(&op);
            op.map_operands(|e| self.rewritten(e, false));
            if let Op::Output { kind: OutputKind::Math(function), arguments, .. } = &mut op
                && *function == MathFn::MultiplyAdd
            {
                *function = MathFn::Directed(Directed::MultiplyAdd);
                arguments.insert(0, self.direction());
            }
            self.program().edges[edge].op = op;
        }
        let last = self.location;
        for &edge in &edges {
            self.program().edges[edge].from = last;
        }
        // In between there are only the steps made here.
        debug_assert!(first == last || self.program().locations[last].outgoing.is_empty());
        self.program().locations[last].outgoing.extend(edges);
    }

    fn program(&mut self) -> &mut Program {
        &mut self.out.program
    }

    fn direction(&mut self) -> ExprId {
        let direction = self.direction;
        self.program().read(direction)
    }

    /// What reads or changes the direction and does not know it here.
    fn note_unknown(&mut self, op: &Op) {
        let what = match op {
            Op::External { function, .. } => {
                let name = &self.out.program.functions[*function].name;
                CHANGING.contains(&name.as_str()).then(|| format!("the direction after `{name}`"))
            }
            Op::Output {
                kind:
                    OutputKind::FormatLength
                    | OutputKind::FormatCharacter
                    | OutputKind::Scan
                    | OutputKind::ReadFloat
                    | OutputKind::Math(MathFn::Scale),
                ..
            } => Some("the direction in which the library rounds".to_string()),
            _ => None,
        };
        self.note(what);
    }

    fn note(&mut self, what: Option<String>) {
        let Some(what) = what else { return };
        let record = Unmodelled { what, span: bolide_base::Span::NONE };
        if !self.program().unmodelled.contains(&record) {
            self.program().unmodelled.push(record);
        }
    }

    /// An expression in which nothing rounds any more; `chosen` is one that is not always evaluated.
    fn rewritten(&mut self, e: ExprId, chosen: bool) -> ExprId {
        if let Some(&known) = self.saved.get(&e) {
            return known;
        }
        let expr = self.out.program.exprs.get(e).clone();
        if matches!(expr, Expr::Var(_)) {
            return e;
        }
        let is_choice = matches!(expr, Expr::Ite(..));
        let mut place = 0;
        let inner = expr.map_operands(|operand| {
            place += 1;
            self.rewritten(operand, chosen || is_choice && place > 1)
        });
        let result = match self.directed(&inner) {
            Some((op, operands)) => {
                if chosen && operands.iter().any(|&operand| self.reads(operand)) {
                    self.note(Some("rounding where memory is read on a condition".into()));
                }
                self.step(op, operands, e)
            }
            None if inner == expr => e,
            None => self.program().expr(inner),
        };
        self.saved.insert(e, result);
        result
    }

    /// The operation that an expression is, if it rounds.
    fn directed(&self, expr: &Expr) -> Option<(Directed, Vec<ExprId>)> {
        let type_of = |e: ExprId| self.out.program.exprs.type_of(e);
        Some(match *expr {
            Expr::Binary(op, a, b) if matches!(type_of(a), Type::Float(_)) => {
                let op = match op {
                    BinaryOp::Add => Directed::Add,
                    BinaryOp::Sub => Directed::Sub,
                    BinaryOp::Mul => Directed::Mul,
                    BinaryOp::Div => Directed::Div,
                    _ => return None,
                };
                (op, vec![a, b])
            }
            Expr::FloatFn(FloatFn::Sqrt, a) => (Directed::Sqrt, vec![a]),
            Expr::FloatFn(FloatFn::RoundEven, a) => (Directed::Whole, vec![a]),
            Expr::Cast(Type::Float(to), a) if rounds(type_of(a), to) => (Directed::To(to), vec![a]),
            _ => return None,
        })
    }

    fn reads(&self, e: ExprId) -> bool {
        let expr = self.out.program.exprs.get(e);
        matches!(expr, Expr::Load(_)) || expr.operands().any(|operand| self.reads(operand))
    }

    /// The value of an operation, which a new step gives to a variable.
    fn step(&mut self, op: Directed, operands: Vec<ExprId>, of: ExprId) -> ExprId {
        let from = self.location;
        let function = self.program().locations[from].function;
        let ty = self.program().exprs.type_of(of);
        let name = format!("rounded#{}", self.program().variables.len());
        let variable = Variable::new(name, ty, Some(function), VariableKind::Temporary);
        let result = self.out.add_variable(variable);
        let mut arguments = vec![self.direction()];
        arguments.extend(operands);
        let kind = OutputKind::Math(MathFn::Directed(op));
        let next = self.program().add_location(function);
        let op = Op::Output { kind, arguments, result: Some(result) };
        self.program().add_edge(from, next, op, Origin::default());
        self.location = next;
        self.program().read(result)
    }
}

/// Whether numbers of a type are not all numbers of a format.
fn rounds(from: Type, to: FloatKind) -> bool {
    let digits = |kind| match kind {
        FloatKind::F32 => 24,
        FloatKind::F64 => 53,
        FloatKind::F80 => 64,
        FloatKind::F128 => 113,
    };
    match from {
        Type::Float(kind) => digits(kind) > digits(to),
        // The least signed number is a power of two.
        Type::Int(ty) => u32::from(ty.bits) - u32::from(ty.signed) > digits(to),
        Type::Pointer => true,
    }
}
