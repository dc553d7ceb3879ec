//! Problems: typed expressions, scripts of them, and their text.

/// The sorts that problems use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Bool,
    Int,
    Real,
    U,
    Bv(u32),
    /// Bits of the exponent and of the significand.
    Float(u32, u32),
    /// Rounding modes.
    Rounding,
    /// Integers to integers.
    IntArray,
    /// Four bits to four bits.
    BvArray,
    /// Elements of U to U.
    UArray,
}

impl Ty {
    pub fn text(self) -> String {
        match self {
            Ty::Bool => "Bool".to_owned(),
            Ty::Int => "Int".to_owned(),
            Ty::Real => "Real".to_owned(),
            Ty::U => "U".to_owned(),
            Ty::Bv(width) => format!("(_ BitVec {width})"),
            Ty::Float(exponent, significand) => {
                format!("(_ FloatingPoint {exponent} {significand})")
            }
            Ty::Rounding => "RoundingMode".to_owned(),
            Ty::IntArray => "(Array Int Int)".to_owned(),
            Ty::BvArray => "(Array (_ BitVec 4) (_ BitVec 4))".to_owned(),
            Ty::UArray => "(Array U U)".to_owned(),
        }
    }

    /// What an array holds; its indices are of the same sort.
    pub fn element(self) -> Ty {
        match self {
            Ty::IntArray => Ty::Int,
            Ty::BvArray => Ty::Bv(4),
            _ => Ty::U,
        }
    }
}

/// A term as it is written.
#[derive(Clone, Debug)]
pub struct Expr {
    pub head: String,
    pub args: Vec<Expr>,
    pub ty: Ty,
}

impl Expr {
    pub fn new(head: impl Into<String>, args: Vec<Expr>, ty: Ty) -> Expr {
        Expr { head: head.into(), args, ty }
    }

    pub fn leaf(head: impl Into<String>, ty: Ty) -> Expr {
        Expr::new(head, Vec::new(), ty)
    }

    pub fn write(&self, out: &mut String) {
        if self.args.is_empty() {
            out.push_str(&self.head);
            return;
        }
        out.push('(');
        out.push_str(&self.head);
        for arg in &self.args {
            out.push(' ');
            arg.write(out);
        }
        out.push(')');
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// The declared names in the term.
    pub fn symbols(&self, out: &mut Vec<String>) {
        out.extend(declared_names(&self.head));
        for arg in &self.args {
            arg.symbols(out);
        }
    }
}

/// The declared names that occur as tokens of the text.
pub fn declared_names(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| c == '(' || c == ')' || c.is_whitespace())
        .filter(|token| DECLARED.iter().any(|d| d.0 == *token))
        .map(str::to_owned)
}

/// All names that problems may use: arguments and result.
pub const DECLARED: &[(&str, &[Ty], Ty)] = &[
    ("p", &[], Ty::Bool),
    ("q", &[], Ty::Bool),
    ("r", &[], Ty::Bool),
    ("x", &[], Ty::Int),
    ("y", &[], Ty::Int),
    ("z", &[], Ty::Int),
    ("w", &[], Ty::Int),
    ("s", &[], Ty::Real),
    ("t", &[], Ty::Real),
    ("o", &[], Ty::Real),
    ("a", &[], Ty::U),
    ("b", &[], Ty::U),
    ("c", &[], Ty::U),
    ("d", &[], Ty::U),
    ("f", &[Ty::Int], Ty::Int),
    ("g", &[Ty::Int, Ty::Int], Ty::Int),
    ("h", &[Ty::Real], Ty::Real),
    ("F", &[Ty::U], Ty::U),
    ("G", &[Ty::U, Ty::U], Ty::U),
    ("P", &[Ty::U], Ty::Bool),
    ("Q", &[Ty::Int], Ty::Bool),
    ("B", &[Ty::Bool, Ty::Int], Ty::Int),
    ("v", &[Ty::Bv(4)], Ty::Bv(4)),
    ("j", &[], Ty::Bv(4)),
    ("k", &[], Ty::Bv(4)),
    ("l", &[], Ty::Bv(4)),
    ("m", &[], Ty::Bv(3)),
    ("n", &[], Ty::Bv(3)),
    ("aa", &[], Ty::IntArray),
    ("ab", &[], Ty::IntArray),
    ("ac", &[], Ty::IntArray),
    ("ba", &[], Ty::BvArray),
    ("bb", &[], Ty::BvArray),
    ("fa", &[], Ty::Float(3, 4)),
    ("fb", &[], Ty::Float(3, 4)),
    ("fc", &[], Ty::Float(3, 4)),
    ("fd", &[], Ty::Float(4, 6)),
    ("fe", &[], Ty::Float(4, 6)),
    ("ff", &[Ty::Float(3, 4)], Ty::Float(3, 4)),
    ("rm", &[], Ty::Rounding),
    ("ua", &[], Ty::UArray),
    ("ub", &[], Ty::UArray),
];

/// A command of a problem.
#[derive(Clone, Debug)]
pub enum Step {
    Assert(Expr),
    Push,
    Pop,
    /// With assumptions.
    Check(Vec<Expr>),
}

/// A script, and how it is to be run.
#[derive(Clone, Debug)]
pub struct Problem {
    pub logic: &'static str,
    pub steps: Vec<Step>,
    /// Whether proofs, cores and interpolants are asked for.
    pub proofs: bool,
    /// Parents of the partitions of the interpolation query, if there is one;
    /// assertion number i belongs to partition i modulo their number.
    pub parents: Option<Vec<usize>>,
    pub labelling: &'static str,
    /// Whether a model of ours can be written down for z3.
    pub definable: bool,
}

impl Problem {
    /// The script as text, with the options that the judge sets.
    pub fn text(&self) -> String {
        // What is guessed does not test the search.
        let mut out = String::from("(set-option :guess-models false)\n");
        if self.proofs {
            out += "(set-option :produce-unsat-cores true)\n(set-option :check-proofs true)\n";
            out += "(set-option :produce-interpolants true)\n";
            out += &format!("(set-option :interpolation-labelling {})\n", self.labelling);
        }
        out += &self.declarations();
        for (text, _) in self.commands() {
            out += &text;
            out.push('\n');
        }
        if let Some(query) = self.interpolation_query() {
            out += &format!("({query})\n");
        }
        out
    }

    /// Declarations of the names that occur.
    pub fn declarations(&self) -> String {
        let mut used = Vec::new();
        for step in &self.steps {
            match step {
                Step::Assert(e) => e.symbols(&mut used),
                Step::Check(assumptions) => assumptions.iter().for_each(|a| a.symbols(&mut used)),
                _ => {}
            }
        }
        let mut out = String::from("(declare-sort U 0)\n");
        for (name, args, result) in DECLARED {
            if used.iter().any(|u| u == name) {
                let args: Vec<String> = args.iter().map(|a| a.text()).collect();
                out += &format!("(declare-fun {name} ({}) {})\n", args.join(" "), result.text());
            }
        }
        out
    }

    /// The commands as text, assertions named n0, n1, ...
    pub fn commands(&self) -> Vec<(String, &Step)> {
        let mut result = Vec::new();
        let mut number = 0;
        for step in &self.steps {
            let text = match step {
                Step::Assert(e) => {
                    number += 1;
                    format!("(assert (! {} :named n{}))", e.text(), number - 1)
                }
                Step::Push => "(push 1)".to_owned(),
                Step::Pop => "(pop 1)".to_owned(),
                Step::Check(assumptions) if assumptions.is_empty() => "(check-sat)".to_owned(),
                Step::Check(assumptions) => {
                    let texts: Vec<String> = assumptions.iter().map(Expr::text).collect();
                    format!("(check-sat-assuming ({}))", texts.join(" "))
                }
            };
            result.push((text, step));
        }
        result
    }

    /// How many scopes are open at the end.
    pub fn open_scopes(&self) -> usize {
        let count = |wanted: fn(&Step) -> bool| self.steps.iter().filter(|s| wanted(s)).count();
        count(|s| matches!(s, Step::Push)) - count(|s| matches!(s, Step::Pop))
    }

    /// The formulas of each partition.
    pub fn partitions(&self) -> Vec<Vec<(usize, &Expr)>> {
        let count = self.parents.as_ref().map_or(1, Vec::len);
        let mut result = vec![Vec::new(); count];
        let mut number = 0;
        for step in &self.steps {
            if let Step::Assert(e) = step {
                result[number % count].push((number, e));
                number += 1;
            }
        }
        result
    }

    /// `get-interpolants ...` without its parentheses.
    pub fn interpolation_query(&self) -> Option<String> {
        let parents = self.parents.as_ref()?;
        let groups: Vec<String> = self
            .partitions()
            .iter()
            .map(|members| match members.as_slice() {
                [(n, _)] => format!("n{n}"),
                _ => {
                    let names: Vec<String> = members.iter().map(|(n, _)| format!("n{n}")).collect();
                    format!("(and {})", names.join(" "))
                }
            })
            .collect();
        if self.partitions().iter().any(Vec::is_empty) {
            return None;
        }
        // In post-order; the first child of a node follows on, the others are
        // put into parentheses.
        let mut text = String::from("get-interpolants");
        tree_text(parents, &groups, parents.len() - 1, &mut text);
        Some(text)
    }
}

fn tree_text(parents: &[usize], groups: &[String], node: usize, out: &mut String) {
    let children: Vec<usize> =
        (0..parents.len()).filter(|&n| n != node && parents[n] == node).collect();
    for (i, &child) in children.iter().enumerate() {
        if i == 0 {
            tree_text(parents, groups, child, out);
        } else {
            out.push_str(" (");
            let mut inner = String::new();
            tree_text(parents, groups, child, &mut inner);
            out.push_str(inner.trim_start());
            out.push(')');
        }
    }
    out.push(' ');
    out.push_str(&groups[node]);
}
