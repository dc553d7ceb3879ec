//! Random problems of SMT-LIB, by logic.

use crate::Dice;
use crate::problem::{DECLARED, Expr, Problem, Step, Ty};

/// What a family of problems is made of.
pub struct Logic {
    pub name: &'static str,
    /// Sorts whose terms are compared in atoms.
    sorts: &'static [Ty],
    functions: bool,
    /// Multiplication, division by variables.
    nonlinear: bool,
    /// Only differences of two integers.
    difference: bool,
    /// `to_real`, `to_int`.
    conversions: bool,
    /// Conversions between integers and bit-vectors, and integers in ranges.
    machine: bool,
    /// How often it is chosen.
    weight: usize,
}

impl Logic {
    fn has_floats(&self) -> bool {
        self.sorts.iter().any(|ty| matches!(ty, Ty::Float(..)))
    }
}

const fn logic(name: &'static str, sorts: &'static [Ty], functions: bool, weight: usize) -> Logic {
    Logic {
        name,
        sorts,
        functions,
        nonlinear: false,
        difference: false,
        conversions: false,
        machine: false,
        weight,
    }
}

pub const LOGICS: &[Logic] = &[
    logic("prop", &[Ty::Bool], false, 3),
    logic("QF_UF", &[Ty::U], true, 12),
    logic("QF_LIA", &[Ty::Int], false, 14),
    Logic { difference: true, ..logic("QF_IDL", &[Ty::Int], false, 6) },
    logic("QF_LRA", &[Ty::Real], false, 10),
    Logic { conversions: true, ..logic("QF_LIRA", &[Ty::Int, Ty::Real], false, 6) },
    logic("QF_UFLIA", &[Ty::Int], true, 12),
    logic("QF_UFLRA", &[Ty::Real], true, 5),
    logic("QF_ALIA", &[Ty::Int, Ty::IntArray], false, 8),
    logic("QF_AUFLIA", &[Ty::Int, Ty::IntArray, Ty::U], true, 6),
    logic("QF_AX", &[Ty::U, Ty::UArray], false, 5),
    logic("QF_BV", &[Ty::Bv(4), Ty::Bv(3)], false, 8),
    logic("QF_ABV", &[Ty::Bv(4), Ty::BvArray], true, 5),
    Logic { machine: true, ..logic("QF_BVLIA", &[Ty::Int, Ty::Bv(4), Ty::Bv(3)], false, 8) },
    Logic { machine: true, ..logic("QF_UFBVLIA", &[Ty::Int, Ty::Bv(4), Ty::IntArray], true, 4) },
    logic("QF_FP", &[Ty::Float(3, 4), Ty::Float(4, 6)], false, 6),
    logic("QF_UFBVFP", &[Ty::Float(3, 4), Ty::Bv(4), Ty::Float(4, 6)], true, 4),
    Logic { nonlinear: true, ..logic("QF_NIA", &[Ty::Int], false, 4) },
    Logic { nonlinear: true, ..logic("QF_NRA", &[Ty::Real], false, 4) },
    Logic {
        nonlinear: true,
        conversions: true,
        ..logic("QF_UFNIRA", &[Ty::Int, Ty::Real], true, 2)
    },
    Logic {
        conversions: true,
        ..logic("mixed", &[Ty::Int, Ty::Real, Ty::U, Ty::Bv(4), Ty::IntArray], true, 8)
    },
    logic("path", &[Ty::Int], false, 8),
    logic("memory", &[Ty::Int, Ty::IntArray], false, 6),
];

/// The problem of a seed, of the wanted logic if one is given.
pub fn random_problem(seed: u64, wanted: Option<&str>) -> Problem {
    let mut dice = Dice::new(seed);
    let total: usize = LOGICS.iter().map(|l| l.weight).sum();
    let mut ticket = dice.roll(total);
    let mut chosen = &LOGICS[0];
    for logic in LOGICS {
        if ticket < logic.weight {
            chosen = logic;
            break;
        }
        ticket -= logic.weight;
    }
    if let Some(name) = wanted {
        chosen = LOGICS.iter().find(|l| l.name == name).unwrap_or(chosen);
    }
    let mut generator = Generator { dice, logic: chosen, definable: true };
    generator.problem()
}

pub(crate) struct Generator {
    pub(crate) dice: Dice,
    logic: &'static Logic,
    definable: bool,
}

impl Generator {
    fn problem(&mut self) -> Problem {
        let proofs = self.dice.chance(60);
        let labelling = ["mcmillan", "pudlak", "weak"][self.dice.roll(3)];
        let mut problem = Problem {
            logic: self.logic.name,
            steps: Vec::new(),
            proofs,
            parents: None,
            labelling,
            definable: true,
        };
        match self.logic.name {
            "path" => self.path(&mut problem),
            "memory" => self.memory(&mut problem),
            _ => self.script(&mut problem, proofs),
        }
        problem
    }

    /// Any formulas, perhaps with scopes and assumptions between them.
    fn script(&mut self, problem: &mut Problem, proofs: bool) {
        let large = self.dice.chance(8);
        let size = if large { 8 + self.dice.roll(20) } else { 2 + self.dice.roll(9) };
        let depth = 1 + self.dice.roll(4);
        if self.logic.machine {
            self.ranges(problem);
        }
        if self.dice.chance(30) {
            self.incremental(problem, size, depth);
        } else {
            for _ in 0..size {
                let formula = self.formula(depth);
                problem.steps.push(Step::Assert(formula));
            }
            problem.steps.push(Step::Check(Vec::new()));
            // An interpolant over the patterns of floats cannot be written with the script's sorts.
            if proofs && !self.logic.has_floats() {
                let partitions = 2 + self.dice.roll(size.min(5) - 1);
                problem.parents = Some(self.tree(partitions));
            }
        }
        problem.definable = self.definable;
    }

    /// Integers as machines have them.
    fn ranges(&mut self, problem: &mut Problem) {
        for name in ["x", "y", "z", "w"] {
            let (low, high) =
                [(0, 15), (-8, 7), (0, 7), (-3, 20), (0, 4_294_967_295)][self.dice.roll(5)];
            let bounds = [low, high].map(|n| Expr::leaf(int_text(n), Ty::Int));
            let [low, high] = bounds;
            let variable = Expr::leaf(name, Ty::Int);
            let within = Expr::new("<=", vec![low, variable, high], Ty::Bool);
            problem.steps.push(Step::Assert(within));
        }
    }

    /// Parents in post-order: a chain mostly, else a small tree.
    fn tree(&mut self, count: usize) -> Vec<usize> {
        let root = count - 1;
        let mut parents: Vec<usize> = (0..count).map(|n| (n + 1).min(root)).collect();
        if self.dice.chance(30) && count >= 3 {
            // Cut the chain: the left part becomes a sibling of the right one.
            let cut = self.dice.roll(count - 2);
            parents[cut] = root;
        }
        parents
    }

    fn incremental(&mut self, problem: &mut Problem, size: usize, depth: usize) {
        let mut open = 0;
        for _ in 0..size + 4 {
            match self.dice.roll(10) {
                0 | 1 => {
                    problem.steps.push(Step::Push);
                    open += 1;
                }
                2 if open > 0 => {
                    problem.steps.push(Step::Pop);
                    open -= 1;
                }
                3 | 4 => {
                    let count = self.dice.roll(4);
                    let assumptions = (0..count).map(|_| self.assumption(depth)).collect();
                    problem.steps.push(Step::Check(assumptions));
                }
                _ => {
                    let formula = self.formula(depth);
                    problem.steps.push(Step::Assert(formula));
                }
            }
        }
        problem.steps.push(Step::Check(Vec::new()));
    }

    fn assumption(&mut self, depth: usize) -> Expr {
        if self.dice.chance(60) {
            let name = ["p", "q", "r"][self.dice.roll(3)];
            let leaf = Expr::leaf(name, Ty::Bool);
            if self.dice.chance(50) { leaf } else { Expr::new("not", vec![leaf], Ty::Bool) }
        } else {
            self.formula(depth.min(2))
        }
    }

    /// A path formula: assignments in single static form (x0, x1, ... are the
    /// names w, x, y, z in turn), guards between them.
    fn path(&mut self, problem: &mut Problem) {
        let names = ["w", "x", "y", "z"];
        let length = 2 + self.dice.roll(4);
        let mut order: Vec<usize> = (0..4).collect();
        for i in (1..4).rev() {
            order.swap(i, self.dice.roll(i + 1));
        }
        for i in 0..length {
            let target = names[order[i % 4]];
            let source = names[order[(i + 3) % 4]];
            let number = |dice: &mut Dice| int_text(dice.roll(9) as i64 - 3);
            let offset = number(&mut self.dice);
            let text = match self.dice.roll(6) {
                0 => format!("(= {target} {offset})"),
                1 | 2 => format!("(= {target} (+ {source} {offset}))"),
                3 => format!("(= {target} (* 2 {source}))"),
                4 => format!("(<= {target} (+ {source} {offset}))"),
                _ => format!("(>= {target} (- {source} {offset}))"),
            };
            let mut formula = Expr::leaf(text, Ty::Bool);
            if self.dice.chance(20) {
                formula = Expr::new("or", vec![formula, Expr::leaf("p", Ty::Bool)], Ty::Bool);
            }
            problem.steps.push(Step::Assert(formula));
        }
        let (a, b) = (names[self.dice.roll(4)], names[self.dice.roll(4)]);
        let bound = int_text(self.dice.roll(13) as i64 - 4);
        let relation = ["<", ">", "=", "distinct"][self.dice.roll(4)];
        let last = Expr::leaf(format!("({relation} {a} (+ {b} {bound}))"), Ty::Bool);
        problem.steps.push(Step::Assert(last));
        problem.steps.push(Step::Check(Vec::new()));
        problem.proofs = true;
        problem.parents = Some(self.tree(length + 1));
    }

    /// What looks like a path through writes and reads: each formula knows two of the arrays and two
    /// of the numbers in turn, so that writes, places and reads meet across formulas.
    fn memory(&mut self, problem: &mut Problem) {
        let length = 2 + self.dice.roll(4);
        for i in 0..length {
            let arrays = [["aa", "ab", "ac"][i % 3], ["aa", "ab", "ac"][(i + 1) % 3]];
            let numbers = [["w", "x", "y", "z"][i % 4], ["w", "x", "y", "z"][(i + 1) % 4]];
            let count = 1 + self.dice.roll(3);
            let literals: Vec<String> =
                (0..count).map(|_| self.memory_literal(arrays, numbers)).collect();
            let formula = Expr::leaf(format!("(and true {})", literals.join(" ")), Ty::Bool);
            problem.steps.push(Step::Assert(formula));
        }
        problem.steps.push(Step::Check(Vec::new()));
        problem.proofs = true;
        problem.parents = Some(self.tree(length));
    }

    fn memory_literal(&mut self, arrays: [&str; 2], numbers: [&str; 2]) -> String {
        let dice = &mut self.dice;
        let (a, b) = (dice.pick(&arrays), dice.pick(&arrays));
        let place = |dice: &mut Dice| match dice.roll(3) {
            0 => format!("(+ {} {})", dice.pick(&numbers), dice.roll(2)),
            _ => dice.pick(&numbers).to_owned(),
        };
        let (i, j, k) = (place(dice), place(dice), place(dice));
        match dice.roll(8) {
            0 | 1 => format!("(= {a} (store {b} {i} {k}))"),
            2 => format!("(= {a} (store (store {b} {i} {k}) {j} {i}))"),
            3 => format!("(= {a} ((as const (Array Int Int)) {k}))"),
            4 | 5 => format!("(distinct (select {a} {i}) (select {b} {j}))"),
            6 => format!("(distinct (select {a} {i}) {k})"),
            _ => format!("({} {i} {j})", dice.pick(&["<", "distinct", "=", "<="])),
        }
    }

    // ---- formulas ----

    fn formula(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.dice.chance(25) {
            return self.atom(depth);
        }
        let inner = depth - 1;
        match self.dice.roll(12) {
            0 | 1 => {
                let a = self.formula(inner);
                Expr::new("not", vec![a], Ty::Bool)
            }
            2 => {
                let args = vec![self.formula(inner), self.formula(inner), self.formula(inner)];
                Expr::new("ite", args, Ty::Bool)
            }
            3 => {
                let head = ["=>", "=", "xor", "distinct"][self.dice.roll(4)];
                Expr::new(head, vec![self.formula(inner), self.formula(inner)], Ty::Bool)
            }
            n => {
                let head = if n % 3 == 0 { "and" } else { "or" };
                let count = 2 + self.dice.roll(3);
                let args = (0..count).map(|_| self.formula(inner)).collect();
                Expr::new(head, args, Ty::Bool)
            }
        }
    }

    fn atom(&mut self, depth: usize) -> Expr {
        if self.dice.chance(12) {
            return self.variable(Ty::Bool);
        }
        let ty = self.logic.sorts[self.dice.roll(self.logic.sorts.len())];
        let inner = depth.max(1);
        if self.logic.functions && self.dice.chance(10) {
            match ty {
                Ty::U => return Expr::new("P", vec![self.term(Ty::U, inner)], Ty::Bool),
                Ty::Int => return Expr::new("Q", vec![self.term(Ty::Int, inner)], Ty::Bool),
                _ => {}
            }
        }
        match ty {
            Ty::Bool => self.variable(Ty::Bool),
            Ty::Float(..) => self.float_atom(ty, inner),
            Ty::Int if self.logic.difference => {
                let (a, b) = (self.variable(Ty::Int), self.variable(Ty::Int));
                let head = ["<=", "<", ">=", ">", "=", "distinct"][self.dice.roll(6)];
                let k = Expr::leaf(int_text(self.dice.roll(11) as i64 - 5), Ty::Int);
                Expr::new(head, vec![Expr::new("-", vec![a, b], Ty::Int), k], Ty::Bool)
            }
            Ty::Int | Ty::Real => {
                let head = ["<=", "<", ">=", ">", "=", "=", "distinct"][self.dice.roll(7)];
                if ty == Ty::Real && self.logic.conversions && self.dice.chance(8) {
                    return Expr::new("is_int", vec![self.term(ty, inner)], Ty::Bool);
                }
                Expr::new(head, vec![self.term(ty, inner), self.term(ty, inner)], Ty::Bool)
            }
            Ty::Bv(_) => {
                let head = [
                    "=", "=", "distinct", "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle",
                    "bvsgt", "bvsge",
                ][self.dice.roll(11)];
                Expr::new(head, vec![self.term(ty, inner), self.term(ty, inner)], Ty::Bool)
            }
            _ => {
                let head = if self.dice.chance(75) { "=" } else { "distinct" };
                let count = if head == "distinct" && self.dice.chance(30) { 3 } else { 2 };
                let args = (0..count).map(|_| self.term(ty, inner)).collect();
                Expr::new(head, args, Ty::Bool)
            }
        }
    }

    // ---- terms ----

    pub(crate) fn variable(&mut self, ty: Ty) -> Expr {
        let names: Vec<&str> =
            DECLARED.iter().filter(|d| d.1.is_empty() && d.2 == ty).map(|d| d.0).collect();
        Expr::leaf(names[self.dice.roll(names.len())], ty)
    }

    pub(crate) fn term(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth == 0 || self.dice.chance(25) {
            return self.leaf(ty);
        }
        let inner = depth - 1;
        if self.dice.chance(8) {
            let args = vec![self.formula(inner.min(1)), self.term(ty, inner), self.term(ty, inner)];
            return Expr::new("ite", args, ty);
        }
        if self.logic.functions && self.dice.chance(30) {
            let functions: Vec<_> = DECLARED
                .iter()
                .filter(|d| !d.1.is_empty() && d.2 == ty && ty != Ty::Bool)
                .collect();
            if !functions.is_empty() {
                let (name, args, _) = functions[self.dice.roll(functions.len())];
                let args = args
                    .iter()
                    .map(|&a| {
                        if a == Ty::Bool { self.formula(inner.min(1)) } else { self.term(a, inner) }
                    })
                    .collect();
                return Expr::new(*name, args, ty);
            }
        }
        let array =
            self.logic.sorts.iter().copied().find(|s| {
                matches!(s, Ty::IntArray | Ty::BvArray | Ty::UArray) && s.element() == ty
            });
        if let Some(array) = array
            && self.dice.chance(35)
        {
            let args = vec![self.term(array, inner), self.term(ty, inner)];
            return Expr::new("select", args, ty);
        }
        match ty {
            Ty::Int => self.int(inner),
            Ty::Real => self.real(inner),
            Ty::Bv(width) => self.bits(width, inner),
            Ty::IntArray | Ty::BvArray | Ty::UArray => {
                let element = ty.element();
                if self.dice.chance(6) {
                    let head = format!("(as const {})", ty.text());
                    return Expr::new(head, vec![self.leaf(element)], ty);
                }
                let args = vec![
                    self.term(ty, inner),
                    self.term(element, inner),
                    self.term(element, inner),
                ];
                Expr::new("store", args, ty)
            }
            Ty::Float(..) => self.float(ty, inner),
            Ty::U | Ty::Bool | Ty::Rounding => self.leaf(ty),
        }
    }

    fn leaf(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Int if self.dice.chance(35) => {
                let n = if self.dice.chance(95) {
                    self.dice.roll(13) as i64 - 5
                } else {
                    self.dice.roll(3_000_000_000) as i64 - 1_500_000_000
                };
                Expr::leaf(int_text(n), ty)
            }
            Ty::Real if self.dice.chance(35) => {
                let (n, d) = (self.dice.roll(13) as i64 - 5, 1 + self.dice.roll(4));
                let n = if n < 0 { format!("(- {}.0)", -n) } else { format!("{n}.0") };
                Expr::leaf(if d == 1 { n } else { format!("(/ {n} {d}.0)") }, ty)
            }
            Ty::Bv(width) if self.dice.chance(30) => {
                let value = self.dice.roll(1 << width);
                Expr::leaf(format!("(_ bv{value} {width})"), ty)
            }
            Ty::Float(..) => self.float_leaf(ty),
            _ => self.variable(ty),
        }
    }

    fn int(&mut self, depth: usize) -> Expr {
        if self.logic.machine && self.dice.chance(40) {
            let head = ["ubv_to_int", "ubv_to_int", "sbv_to_int"][self.dice.roll(3)];
            return Expr::new(head, vec![self.term(Ty::Bv(4), depth)], Ty::Int);
        }
        let a = self.term(Ty::Int, depth);
        match self.dice.roll(12) {
            0..=3 => Expr::new("+", vec![a, self.term(Ty::Int, depth)], Ty::Int),
            4 | 5 => Expr::new("-", vec![a, self.term(Ty::Int, depth)], Ty::Int),
            6 | 7 => {
                if self.logic.nonlinear && self.dice.chance(60) {
                    return Expr::new("*", vec![a, self.term(Ty::Int, depth)], Ty::Int);
                }
                let k = Expr::leaf(int_text(self.dice.roll(11) as i64 - 5), Ty::Int);
                Expr::new("*", vec![k, a], Ty::Int)
            }
            8 | 9 => {
                let head = if self.dice.chance(50) { "div" } else { "mod" };
                if self.logic.nonlinear && self.dice.chance(20) {
                    // Division by zero means something else in each model.
                    self.definable = false;
                    return Expr::new(head, vec![a, self.term(Ty::Int, depth)], Ty::Int);
                }
                let k = [2, 3, 4, 5, 7, -2, -3, 1][self.dice.roll(8)];
                Expr::new(head, vec![a, Expr::leaf(int_text(k), Ty::Int)], Ty::Int)
            }
            10 if self.logic.conversions => {
                Expr::new("to_int", vec![self.term(Ty::Real, depth)], Ty::Int)
            }
            10 => Expr::new("abs", vec![a], Ty::Int),
            _ => Expr::new("-", vec![a], Ty::Int),
        }
    }

    fn real(&mut self, depth: usize) -> Expr {
        let a = self.term(Ty::Real, depth);
        match self.dice.roll(10) {
            0..=3 => Expr::new("+", vec![a, self.term(Ty::Real, depth)], Ty::Real),
            4 | 5 => Expr::new("-", vec![a, self.term(Ty::Real, depth)], Ty::Real),
            6 if self.logic.conversions => {
                Expr::new("to_real", vec![self.term(Ty::Int, depth)], Ty::Real)
            }
            6 | 7 => {
                if self.logic.nonlinear && self.dice.chance(60) {
                    return Expr::new("*", vec![a, self.term(Ty::Real, depth)], Ty::Real);
                }
                let k = self.dice.roll(9) as i64 - 4;
                let k = if k < 0 { format!("(- {}.0)", -k) } else { format!("{k}.0") };
                Expr::new("*", vec![Expr::leaf(k, Ty::Real), a], Ty::Real)
            }
            8 => {
                if self.logic.nonlinear && self.dice.chance(20) {
                    // Division by zero means something else in each model.
                    self.definable = false;
                    return Expr::new("/", vec![a, self.term(Ty::Real, depth)], Ty::Real);
                }
                let k = format!("{}.0", 1 + self.dice.roll(5));
                Expr::new("/", vec![a, Expr::leaf(k, Ty::Real)], Ty::Real)
            }
            _ => Expr::new("-", vec![a], Ty::Real),
        }
    }

    fn bits(&mut self, width: u32, depth: usize) -> Expr {
        let ty = Ty::Bv(width);
        if self.logic.machine && self.dice.chance(40) {
            let head = format!("(_ int_to_bv {width})");
            return Expr::new(head, vec![self.term(Ty::Int, depth)], ty);
        }
        if self.logic.has_floats() && self.dice.chance(20) {
            return self.float_bits(width, depth);
        }
        let a = self.term(ty, depth);
        let unary = |head: String, a: Expr| Expr::new(head, vec![a], ty);
        match self.dice.roll(24) {
            0 => unary("bvnot".to_owned(), a),
            1 => unary("bvneg".to_owned(), a),
            2 => unary(format!("(_ rotate_left {})", self.dice.roll(6)), a),
            3 => unary(format!("(_ rotate_right {})", self.dice.roll(6)), a),
            4 if width == 4 => {
                let head = ["(_ zero_extend 1)", "(_ sign_extend 1)"][self.dice.roll(2)];
                Expr::new(head, vec![self.term(Ty::Bv(3), depth)], ty)
            }
            4 => {
                let low = self.dice.roll(2);
                Expr::new(
                    format!("(_ extract {} {low})", low + 2),
                    vec![self.term(Ty::Bv(4), depth)],
                    ty,
                )
            }
            5 => {
                let inner = self.term(Ty::Bv(3), depth);
                let top = Expr::new(
                    format!("(_ extract {} 0)", width - 2),
                    vec![inner],
                    Ty::Bv(width - 1),
                );
                let bit = self.dice.roll(3);
                let other = self.term(Ty::Bv(3), depth);
                let low = Expr::new(format!("(_ extract {bit} {bit})"), vec![other], Ty::Bv(1));
                Expr::new("concat", vec![top, low], ty)
            }
            6 => {
                let b = self.term(ty, depth);
                let compared = Expr::new("bvcomp", vec![a, b], Ty::Bv(1));
                unary(format!("(_ sign_extend {})", width - 1), compared)
            }
            _ => {
                let head = [
                    "bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem",
                    "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr", "bvnand", "bvnor",
                    "bvxnor",
                ][self.dice.roll(17)];
                Expr::new(head, vec![a, self.term(ty, depth)], ty)
            }
        }
    }
}

fn int_text(n: i64) -> String {
    if n < 0 { format!("(- {})", -n) } else { n.to_string() }
}
