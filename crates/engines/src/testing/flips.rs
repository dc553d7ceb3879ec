//! Which input turns a branch that went one way only.
//!
//! Classes know what a program compares inputs and their copies with. Where it computes first (`if (3 * x + y ==
//! 17)`), two runs that differ in the input show how the difference of the two sides depends on it, and the line through both
//! says where it is zero: the secant method. A line is exact where the difference is linear, and comes
//! nearer with every input elsewhere.

use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::interpreter::View;
use bolide_cfa::value::{self, Value};
use bolide_cfa::{EdgeId, Expr, ExprId, Op, Program, Type, UnaryOp, VarId};

/// Heuristic: larger conditions are not looked at.
const SIZE: usize = 40;

/// Heuristic: of one state, so many branches are remembered, and so many values suggested.
const REMEMBERED: usize = 64;
const SUGGESTED: usize = 24;

/// By edge, what is compared there: expressions in the order in which they are evaluated, and the two sides. Nothing where
/// classes know.
pub(super) struct Flips(Vec<Option<(Vec<ExprId>, ExprId, ExprId)>>);

impl Flips {
    pub(super) fn of(program: &Program) -> Flips {
        let mut walker = Walker::new();
        let computed = computed(program);
        let compared = |edge: &bolide_cfa::Edge| {
            let Op::Assume(condition) = edge.op else { return None };
            let (a, b) = sides(program, condition)?;
            let known = |e| program.exprs.as_int(e).is_some();
            if (known(a) || known(b)) && [a, b].iter().all(|&e| !computes(program, &computed, e)) {
                return None;
            }
            let parts = walker.bottom_up(&program.exprs, &[a, b]);
            (parts.len() <= SIZE).then_some((parts, a, b))
        };
        Flips(program.edges.values().map(compared).collect())
    }

    /// Whether something is compared there that classes do not know.
    pub(super) fn watches(&self, edge: EdgeId) -> bool {
        self.0[edge.index()].is_some()
    }

    /// How much larger the left side is than the right one.
    pub(super) fn difference(
        &self,
        program: &Program,
        edge: EdgeId,
        view: &View<'_>,
    ) -> Option<i128> {
        let (parts, a, b) = self.0[edge.index()].as_ref()?;
        let mut values: HashMap<ExprId, Value> = HashMap::default();
        for &part in parts {
            let expr = program.exprs.get(part);
            let value = match expr {
                Expr::Var(variable) => view.variable(*variable),
                Expr::Load(access) if access.bits.is_none() => {
                    values.get(&access.pointer).and_then(|pointer| match pointer {
                        Value::Pointer(pointer) => view.scalar(*pointer, access.ty),
                        _ => None,
                    })
                }
                _ => value::expression(expr, |e| values.get(&e).copied(), program.target),
            };
            values.extend(value.map(|value| (part, value)));
        }
        values.get(a)?.as_int()?.checked_sub(values.get(b)?.as_int()?)
    }
}

/// Variables whose values are computed somewhere: neither constants nor inputs nor copies of such.
fn computed(program: &Program) -> HashSet<VarId> {
    let mut found = HashSet::default();
    loop {
        let before = found.len();
        for edge in program.edges.values() {
            match &edge.op {
                Op::Assign { target, value } if computes(program, &found, *value) => {
                    found.insert(*target);
                }
                Op::Call { function, arguments, result } => {
                    let function = &program.functions[*function];
                    for (&parameter, &argument) in function.parameters.iter().zip(arguments) {
                        if computes(program, &found, argument) {
                            found.insert(parameter);
                        }
                    }
                    if function.result.is_some_and(|from| found.contains(&from)) {
                        found.extend(*result);
                    }
                }
                _ => {}
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether an expression is more than a constant or a variable that is none.
fn computes(program: &Program, computed: &HashSet<VarId>, mut e: ExprId) -> bool {
    loop {
        match *program.exprs.get(e) {
            Expr::Cast(_, inner) => e = inner,
            Expr::Var(variable) => return computed.contains(&variable),
            Expr::Int { .. } => return false,
            _ => return true,
        }
    }
}

/// The two sides of a comparison of integers.
fn sides(program: &Program, mut condition: ExprId) -> Option<(ExprId, ExprId)> {
    let exprs = &program.exprs;
    loop {
        match *exprs.get(condition) {
            Expr::Unary(UnaryOp::Not, inner) => condition = inner,
            Expr::Compare(_, a, b) => {
                return matches!(exprs.type_of(a), Type::Int(_)).then_some((a, b));
            }
            _ => return None,
        }
    }
}

/// What the inputs that were tried in one state have shown.
#[derive(Default)]
pub(super) struct Probes {
    /// By edge, an input and the difference then: the smallest yet.
    known: Vec<(EdgeId, i128, i128)>,
    suggested: Vec<i128>,
}

impl Probes {
    /// The value that was suggested as one after so many others.
    pub(super) fn value(&self, number: usize) -> Option<i128> {
        self.suggested.get(number).copied()
    }

    /// With this input, these were the differences.
    pub(super) fn learn(&mut self, input: i128, differences: &[(EdgeId, i128)]) {
        for &(edge, difference) in differences {
            let Some(known) = self.known.iter_mut().find(|known| known.0 == edge) else {
                if self.known.len() < REMEMBERED {
                    self.known.push((edge, input, difference));
                }
                continue;
            };
            let root = root((known.1, known.2), (input, difference));
            if difference.unsigned_abs() < known.2.unsigned_abs() {
                *known = (edge, input, difference);
            }
            let Some(root) = root else { continue };
            for value in [root, root.saturating_add(1), root.saturating_sub(1)] {
                if self.suggested.len() < SUGGESTED && !self.suggested.contains(&value) {
                    self.suggested.push(value);
                }
            }
        }
    }
}

/// Where the line through two points is zero.
fn root((x, at_x): (i128, i128), (y, at_y): (i128, i128)) -> Option<i128> {
    let slope = at_y.checked_sub(at_x).filter(|&slope| slope != 0)?;
    let run = y.checked_sub(x).filter(|&run| run != 0)?;
    y.checked_sub(at_y.checked_mul(run)?.div_euclid(slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_followed_to_zero() {
        // 3 x - 21
        assert_eq!(root((0, -21), (1, -18)), Some(7));
        // Both points are at the same height, or are one.
        assert_eq!(root((0, 5), (1, 5)), None);
        assert_eq!(root((1, 5), (1, 6)), None);
    }

    #[test]
    fn what_is_suggested_is_bounded() {
        let mut probes = Probes::default();
        let edge = EdgeId::from_index(0);
        for input in 0..1000 {
            probes.learn(input, &[(edge, input * input - 7000)]);
        }
        assert!(probes.value(0).is_some() && probes.value(SUGGESTED).is_none());
    }
}
