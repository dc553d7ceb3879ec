//! What a table is about: sums of variables, each with few classes of values.
//!
//! A *column* is a variable or the sum of two (`token - local`), found in the conditions of the program, or by
//! going backwards over assignments from those: before `local := token` what matters about `token - local` is
//! nothing, before `m := p` what matters about `m - id` is `p - id`. These are weakest preconditions, of terms instead of formulas. The
//! *cuts* of a column, between which nothing tells its values apart, go backwards in the same way: `x == 3` cuts
//! before 3 and before 4, and where `x` is increased these are cuts before 2 and 3 as
//! well. A number that is counted has endlessly many, so only those count that lie between
//! constants it is given and compared with.
//!
//! Arithmetic is that of unbounded integers where a conversion does not change the value, and else unknown.

use super::diagrams::{Classes, MOST_CLASSES};
use super::interval::Interval;
use crate::analysis::uses::Walker;
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, UnaryOp};
use crate::program::{Op, Program, VarId};
use crate::types::{IntType, Type};
use bolide_base::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Variables with coefficients, sorted by variable; the first coefficient is positive.
pub type Sum = Vec<(VarId, i64)>;

/// Heuristic: a column with more cuts than this is no state.
const CUTS: usize = 80;

/// Heuristic: where few constants are given they are told apart, though nobody asks.
const GIVEN: usize = 8;

/// Heuristic: farther than this nothing is counted.
const COUNTED: i128 = 64;

/// Heuristic: more columns than this are not looked for.
const COLUMNS: usize = 6_000;

/// How deep expressions are looked into.
const DEPTH: usize = 12;

/// A column: what is summed, and between which cuts.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub sum: Sum,
    /// From the least to the greatest, all values that the sum may have.
    pub classes: Vec<Interval>,
    /// Whether it is computed with: a sum of two, or counted.
    pub numeric: bool,
    /// How many conditions it stands in, or what comes of it does.
    pub weight: usize,
}

impl Column {
    /// The classes that have values in an interval.
    pub fn meeting(&self, values: Interval) -> Classes {
        let meets = |(i, class): (usize, &Interval)| (class.meet(values).is_some(), i);
        let found = self.classes.iter().enumerate().map(meets).filter(|(meets, _)| *meets);
        found.fold(0, |all, (_, i)| all | (1 << i))
    }
}

/// A number as a sum: `sign` times the sum, which may be empty, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    pub sum: Sum,
    pub sign: i128,
    pub constant: i128,
    /// In which values it is what the program computes.
    pub exact: Interval,
}

impl Linear {
    fn new(terms: BTreeMap<VarId, i64>, constant: i128, exact: Interval) -> Linear {
        let mut sum: Sum = terms.into_iter().filter(|term| term.1 != 0).collect();
        let sign = if sum.first().is_some_and(|term| term.1 < 0) { -1 } else { 1 };
        sum.iter_mut().for_each(|term| term.1 *= sign);
        Linear { sum, sign: i128::from(sign), constant, exact }
    }

    fn terms(&self) -> BTreeMap<VarId, i64> {
        self.sum.iter().map(|&(var, c)| (var, c * self.sign as i64)).collect()
    }

    fn within(self, ty: IntType) -> Option<Linear> {
        let exact = self.exact.meet(Interval::of_type(ty))?;
        Some(Linear { exact, ..self })
    }

    /// This and `factor` times the other.
    fn plus(&self, other: &Linear, factor: i64) -> Option<Linear> {
        // A condition on one part is no condition on the sum, unless the other part is known.
        let exact = match (self.exact == Interval::ANY, other.exact == Interval::ANY) {
            (true, true) => Interval::ANY,
            (false, true) if other.sum.is_empty() => {
                self.exact.moved(other.constant.checked_mul(i128::from(factor))?)
            }
            (true, false) if self.sum.is_empty() && factor == 1 => other.exact.moved(self.constant),
            _ => return None,
        };
        let mut terms = self.terms();
        for (var, coefficient) in other.terms() {
            let entry = terms.entry(var).or_default();
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        let moved = other.constant.checked_mul(i128::from(factor))?;
        Some(Linear::new(terms, self.constant.checked_add(moved)?, exact))
    }

    /// The values where the sum is in a class; none where the program may compute something else.
    pub fn values(&self, class: Interval) -> Option<Interval> {
        let end = |bound: i128| match (bound, self.sign) {
            (i128::MIN | i128::MAX, 1) => bound,
            (i128::MIN, _) => i128::MAX,
            (i128::MAX, _) => i128::MIN,
            _ => (bound * self.sign).saturating_add(self.constant),
        };
        let (a, b) = (end(class.lo), end(class.hi));
        let values = Interval { lo: a.min(b), hi: a.max(b) };
        self.exact.includes(values).then_some(values)
    }

    /// The cut of the sum where this has a cut.
    fn cut(&self, cut: i128) -> Option<i128> {
        let moved = cut.checked_sub(self.constant)?;
        if self.sign == 1 { Some(moved) } else { 1i128.checked_sub(moved) }
    }
}

/// An integer expression as a sum, if it is one.
pub(super) fn linear(program: &Program, e: ExprId) -> Option<Linear> {
    linear_to(program, e, DEPTH)
}

fn linear_to(program: &Program, e: ExprId, depth: usize) -> Option<Linear> {
    let exprs = &program.exprs;
    let ty = exprs.type_of(e).as_int().filter(|ty| ty.bits < 128)?;
    let inner = |e: ExprId| linear_to(program, e, depth.checked_sub(1)?);
    let constant = |value| Linear::new(BTreeMap::new(), value, Interval::ANY);
    match *exprs.get(e) {
        Expr::Int { .. } => exprs.as_int(e).map(constant),
        Expr::Var(var) => Some(Linear::new([(var, 1)].into(), 0, Interval::ANY)),
        Expr::Cast(_, a) if ty != IntType::BOOL => {
            let from = exprs.type_of(a).as_int()?;
            let value = inner(a)?;
            let fits = Interval::of_type(ty).includes(Interval::of_type(from));
            if fits { Some(value) } else { value.within(ty) }
        }
        Expr::Unary(UnaryOp::Neg, a) if ty.signed => constant(0).plus(&inner(a)?, -1),
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let value = inner(a)?.plus(&inner(b)?, if op == BinaryOp::Add { 1 } else { -1 })?;
            if ty.signed { Some(value) } else { value.within(ty) }
        }
        _ => None,
    }
}

/// A comparison as a sum compared with a constant: which values of the sum satisfy it.
pub(super) struct Comparison {
    pub left: Linear,
    /// Equal or not, less, or less or equal to zero.
    pub op: CompareOp,
}

impl Comparison {
    /// Whether the comparison holds for all or for no values in an interval.
    pub fn holds(&self, class: Interval) -> Option<bool> {
        let values = self.left.values(class)?;
        let zero = values.contains(0);
        match self.op {
            CompareOp::Eq | CompareOp::Ne if zero && values.value().is_none() => None,
            CompareOp::Eq => Some(zero),
            CompareOp::Ne => Some(!zero),
            CompareOp::Lt if values.hi < 0 => Some(true),
            CompareOp::Le if values.hi <= 0 => Some(true),
            CompareOp::Lt => (values.lo >= 0).then_some(false),
            CompareOp::Le => (values.lo > 0).then_some(false),
        }
    }

    /// Where values of the sum begin that answer otherwise than those before.
    fn cuts(&self) -> Vec<i128> {
        let cuts: &[i128] = match self.op {
            CompareOp::Eq | CompareOp::Ne => &[0, 1],
            CompareOp::Lt => &[0],
            CompareOp::Le => &[1],
        };
        cuts.iter().filter_map(|&cut| self.left.cut(cut)).collect()
    }
}

/// A condition that compares integers, as a sum compared with zero.
pub(super) fn comparison(program: &Program, condition: ExprId) -> Option<Comparison> {
    let exprs = &program.exprs;
    match *exprs.get(condition) {
        Expr::Compare(op, a, b) => {
            Some(Comparison { left: linear(program, a)?.plus(&linear(program, b)?, -1)?, op })
        }
        Expr::Cast(Type::Int(IntType::BOOL), a) => {
            Some(Comparison { left: linear(program, a)?, op: CompareOp::Ne })
        }
        Expr::Var(_) if exprs.type_of(condition) == Type::BOOL => {
            Some(Comparison { left: linear(program, condition)?, op: CompareOp::Ne })
        }
        _ => None,
    }
}

/// The condition that decides a number that is 0 or 1, other than a variable.
pub(super) fn as_condition(program: &Program, e: ExprId) -> Option<ExprId> {
    let exprs = &program.exprs;
    let condition = match *exprs.get(e) {
        Expr::Cast(Type::Int(to), a) if to != IntType::BOOL => a,
        _ => e,
    };
    let decided = !matches!(exprs.get(condition), Expr::Var(_) | Expr::Int { .. } | Expr::Ite(..));
    (exprs.type_of(condition) == Type::BOOL && decided).then_some(condition)
}

/// What is assigned to variables.
#[derive(Default)]
struct Assignments {
    /// Sums and constants, by target.
    values: BTreeMap<VarId, Vec<Linear>>,
}

impl Assignments {
    fn add(&mut self, program: &Program, target: VarId, value: ExprId) {
        let list = self.values.entry(target).or_default();
        let mut pending = vec![(value, DEPTH)];
        while let Some((e, depth)) = pending.pop() {
            if let Some(value) = linear(program, e) {
                list.push(value);
            } else if as_condition(program, e).is_some() {
                let bit = |value| Linear::new(BTreeMap::new(), value, Interval::ANY);
                list.extend([bit(0), bit(1)]);
            } else if let (Expr::Ite(_, a, b), 1..) = (program.exprs.get(e), depth) {
                pending.extend([(*a, depth - 1), (*b, depth - 1)]);
            }
        }
    }
}

/// A column in the making.
#[derive(Default)]
struct Draft {
    cuts: BTreeSet<i128>,
    weight: usize,
    numeric: bool,
    /// Where its values come from: other columns, or this one moved.
    from: Vec<(usize, Linear)>,
    /// Constants it is given.
    given: BTreeSet<i128>,
    /// Constants it is given and compared with: the least and the greatest.
    hull: Option<Interval>,
}

impl Draft {
    fn reach(&mut self, value: i128) {
        let here = Interval::exactly(value);
        self.hull = Some(self.hull.map_or(here, |hull| hull.join(here)));
    }

    fn give(&mut self, value: i128) {
        self.given.insert(value);
        self.reach(value);
    }
}

/// What a sum is before a variable in it gets a value; none where nobody can say.
pub(super) fn before(sum: &Sum, target: VarId, value: &Linear) -> Option<Linear> {
    let (mut coefficient, mut rest) = (0, BTreeMap::new());
    for &(var, c) in sum {
        if var == target {
            coefficient = c;
        } else {
            rest.insert(var, c);
        }
    }
    if rest.is_empty() && coefficient == 1 {
        return Some(value.clone());
    }
    Linear::new(rest, 0, Interval::ANY).plus(value, coefficient)
}

/// The columns that matter for the conditions of a program.
pub(super) fn columns(program: &Program) -> Vec<Column> {
    let mut found: Vec<Sum> = Vec::new();
    let mut ids: HashMap<Sum, usize> = HashMap::default();
    let mut drafts: Vec<Draft> = Vec::new();
    let mut place = |sum: &Sum, found: &mut Vec<Sum>, drafts: &mut Vec<Draft>| {
        if let Some(&id) = ids.get(sum) {
            return Some(id);
        }
        let small = |var: &(VarId, i64)| program.variables[var.0].ty != Type::BOOL;
        let admissible = match sum.len() {
            1 => sum[0].1 == 1,
            2 => sum.iter().all(small),
            _ => false,
        };
        if !admissible || found.len() >= COLUMNS {
            return None;
        }
        ids.insert(sum.clone(), found.len());
        found.push(sum.clone());
        drafts.push(Draft { numeric: sum.len() > 1, ..Draft::default() });
        Some(found.len() - 1)
    };
    let (comparisons, assignments) = statements(program);
    for comparison in &comparisons {
        let Some(id) = place(&comparison.left.sum, &mut found, &mut drafts) else { continue };
        drafts[id].weight += 1;
        for cut in comparison.cuts() {
            drafts[id].cuts.insert(cut);
            drafts[id].reach(cut);
        }
    }
    let mut next = 0;
    while next < found.len() {
        let sum = found[next].clone();
        for &(var, _) in &sum {
            if program.variables[var].function.is_none() && program.variables[var].initial.is_none()
            {
                drafts[next].give(0);
            }
            for value in assignments.values.get(&var).into_iter().flatten() {
                let Some(source) = before(&sum, var, value) else { continue };
                if source.sum.is_empty() {
                    drafts[next].give(source.constant);
                } else if let Some(id) = place(&source.sum, &mut found, &mut drafts) {
                    drafts[next].numeric |= source.constant != 0;
                    let from = (id, source);
                    if !drafts[next].from.contains(&from) {
                        drafts[next].from.push(from);
                    }
                }
            }
        }
        next += 1;
    }
    for draft in drafts.iter_mut().filter(|draft| !draft.numeric && draft.given.len() <= GIVEN) {
        draft.cuts.extend(draft.given.iter().flat_map(|&value| [value, value.saturating_add(1)]));
    }
    spread(&mut drafts);
    let column = |(sum, draft): (Sum, Draft)| {
        let classes = classes(program, &sum, &draft.cuts);
        Column { sum, classes, numeric: draft.numeric, weight: draft.weight }
    };
    let columns = found.into_iter().zip(drafts).map(column);
    columns.filter(|column| column.classes.len() > 1).collect()
}

/// All comparisons, and all assignments to variables.
fn statements(program: &Program) -> (Vec<Comparison>, Assignments) {
    let mut comparisons = Vec::new();
    let mut assignments = Assignments::default();
    let mut walker = Walker::new();
    for edge in program.edges.values() {
        walker.walk(&program.exprs, &edge.op.operands(), |e, expr| {
            let is_condition = program.exprs.type_of(e) == Type::BOOL;
            if is_condition && !matches!(expr, Expr::Var(_)) {
                comparisons.extend(comparison(program, e));
            }
        });
        match edge.op {
            Op::Assume(condition) => {
                walker.walk(&program.exprs, &[condition], |e, expr| {
                    if matches!(expr, Expr::Var(_)) && program.exprs.type_of(e) == Type::BOOL {
                        comparisons.extend(comparison(program, e));
                    }
                });
            }
            Op::Assign { target, value } => assignments.add(program, target, value),
            _ => {}
        }
    }
    (comparisons, assignments)
}

/// Cuts of a column are cuts of where its values come from, which matters as much as the column does.
fn spread(drafts: &mut [Draft]) {
    // Columns whose values come from each other count between the same bounds.
    let mut leader: Vec<usize> = (0..drafts.len()).collect();
    fn find(leader: &[usize], mut at: usize) -> usize {
        while leader[at] != at {
            at = leader[at];
        }
        at
    }
    for (id, draft) in drafts.iter().enumerate() {
        for from in draft.from.iter().map(|from| from.0) {
            let (a, b) = (find(&leader, id), find(&leader, from));
            leader[a.max(b)] = a.min(b);
        }
    }
    for id in (0..drafts.len()).rev() {
        let top = find(&leader, id);
        if let Some(hull) = drafts[id].hull {
            drafts[top].reach(hull.lo);
            drafts[top].reach(hull.hi);
        }
    }
    let mut pending: Vec<usize> = (0..drafts.len()).collect();
    while let Some(id) = pending.pop() {
        let (cuts, from) = (drafts[id].cuts.clone(), drafts[id].from.clone());
        let hull = drafts[find(&leader, id)].hull;
        let short = hull.filter(|hull| hull.hi.saturating_sub(hull.lo) <= COUNTED);
        for (source, value) in from {
            let moves = value.constant != 0;
            let before = drafts[source].cuts.len();
            for cut in cuts.iter().filter_map(|&cut| value.cut(cut)) {
                let near = !moves || short.is_some_and(|hull| hull.contains(cut));
                if near && drafts[source].cuts.len() < CUTS {
                    drafts[source].cuts.insert(cut);
                }
            }
            let heavier = drafts[id].weight > drafts[source].weight;
            if heavier {
                drafts[source].weight = drafts[id].weight;
            }
            if heavier || drafts[source].cuts.len() > before {
                pending.push(source);
            }
        }
    }
}

/// The values of a sum between cuts.
fn classes(program: &Program, sum: &Sum, cuts: &BTreeSet<i128>) -> Vec<Interval> {
    let range = match sum[..] {
        [(var, 1)] => program.variables[var].ty.as_int().map_or(Interval::ANY, Interval::unknown),
        _ => Interval::ANY,
    };
    let mut classes = Vec::new();
    let mut lo = range.lo;
    for &cut in cuts.iter().take(MOST_CLASSES - 1) {
        if lo < cut && cut <= range.hi {
            classes.push(Interval { lo, hi: cut - 1 });
            lo = cut;
        }
    }
    classes.push(Interval { lo, hi: range.hi });
    classes
}
