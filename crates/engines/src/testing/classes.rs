//! Which values a program tells apart: those between two neighbouring cuts are one class. A
//! comparison with a constant cuts the variable that is compared, and those that it is a copy of: where `x = y;` stands,
//! what is asked of `x` is asked of `y`. `x == 5` cuts at 5 and at 6, `x < 5` at 5. What is kept in memory is told
//! apart by its type and the constant offset to the pointer, as the fields of records are: what is asked of `p->f` is asked of what
//! is stored at `q->f`.
//!
//! Two states that agree in the classes of all variables may still go different ways, since programs also compute;
//! as a rule they go the same.

use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::{BinaryOp, CompareOp, Expr, ExprId, Op, Program, Type, VarId};

/// Heuristic: of more cuts of one variable the rest is left out.
const CUTS: usize = 200;

/// Heuristic: copies of copies, so many times.
const PASSES: usize = 20;

/// The cuts of each place, ascending.
pub(super) struct Classes(Vec<Vec<i128>>);

/// Variables by their number, then fields in the order in which they were found.
struct Places<'p> {
    program: &'p Program,
    fields: HashMap<(i128, Type), usize>,
}

impl Classes {
    pub(super) fn of(program: &Program) -> Classes {
        let mut places = Places { program, fields: HashMap::default() };
        let (mut found, mut copies) = (Vec::new(), Vec::new());
        let mut walker = Walker::new();
        for edge in program.edges.values() {
            walker.walk(&program.exprs, &edge.op.operands(), |_, expr| {
                found.extend(places.cuts_of(expr));
            });
            copies.extend(places.copies_of(&edge.op));
        }
        copies.sort_unstable();
        copies.dedup();
        let mut cuts: Vec<Vec<i128>> =
            vec![Vec::new(); program.variables.len() + places.fields.len()];
        for (place, cut) in found {
            cuts[place].push(cut);
        }
        for list in &mut cuts {
            list.sort_unstable();
            list.dedup();
            list.truncate(CUTS);
        }
        for _ in 0..PASSES {
            let mut changed = false;
            for &(to, from) in &copies {
                changed |= merge(&mut cuts, to, from);
            }
            if !changed {
                break;
            }
        }
        Classes(cuts)
    }

    /// Whether there is more than one class.
    pub(super) fn divide(&self, variable: VarId) -> bool {
        !self.0[variable.index()].is_empty()
    }

    /// Which class a value is in.
    pub(super) fn of_value(&self, variable: VarId, value: i128) -> usize {
        self.0[variable.index()].partition_point(|&cut| cut <= value)
    }

    /// A value of the class with this number, if there is one; of a variable that nobody looks at, no and yes.
    pub(super) fn value(&self, variable: VarId, class: usize) -> Option<i128> {
        let cuts = &self.0[variable.index()];
        match (class, cuts.first()) {
            (0 | 1, None) => Some(class as i128),
            (_, None) => None,
            (0, Some(first)) => Some(first.saturating_sub(1)),
            (class, _) => cuts.get(class - 1).copied(),
        }
    }
}

/// Adds what is asked of a copy to what is asked of the original.
fn merge(cuts: &mut [Vec<i128>], to: usize, from: usize) -> bool {
    let missing: Vec<i128> = {
        let known = &cuts[from];
        let asked = cuts[to].iter().copied();
        asked.filter(|cut| known.binary_search(cut).is_err()).collect()
    };
    let known = &mut cuts[from];
    if missing.is_empty() || known.len() >= CUTS {
        return false;
    }
    known.extend(missing);
    known.sort_unstable();
    known.truncate(CUTS);
    true
}

impl Places<'_> {
    /// Where an expression cuts a place.
    fn cuts_of(&mut self, expr: &Expr) -> Vec<(usize, i128)> {
        let exprs = &self.program.exprs;
        match *expr {
            Expr::Compare(op, a, b) => {
                let (left, right) = (exprs.as_int(a), exprs.as_int(b));
                let (compared, constant, flipped) = match (left, right) {
                    (None, Some(constant)) => (self.moved(a), constant, false),
                    (Some(constant), None) => (self.moved(b), constant, true),
                    _ => return Vec::new(),
                };
                let Some((place, by)) = compared else { return Vec::new() };
                let at = constant.saturating_sub(by);
                let next = at.saturating_add(1);
                let cuts = match (op, flipped) {
                    (CompareOp::Eq | CompareOp::Ne, _) => vec![at, next],
                    (CompareOp::Lt, false) | (CompareOp::Le, true) => vec![at],
                    (CompareOp::Le, false) | (CompareOp::Lt, true) => vec![next],
                };
                cuts.into_iter().map(|cut| (place, cut)).collect()
            }
            // Whether it is zero.
            Expr::Cast(Type::BOOL, e) if exprs.type_of(e) != Type::BOOL => match self.moved(e) {
                Some((place, by)) => {
                    let zero = 0i128.saturating_sub(by);
                    vec![(place, zero), (place, zero.saturating_add(1))]
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The place whose value an expression has, but for conversions and a constant that is added.
    fn moved(&mut self, mut e: ExprId) -> Option<(usize, i128)> {
        let exprs = &self.program.exprs;
        let mut by = 0i128;
        loop {
            match *exprs.get(e) {
                Expr::Var(variable) => {
                    let is_int = matches!(exprs.type_of(e), Type::Int(_));
                    return is_int.then_some((variable.index(), by));
                }
                Expr::Load(ref access) => {
                    return Some((self.field(access.pointer, access.ty)?, by));
                }
                Expr::Cast(Type::Int(_), inner) => e = inner,
                Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                    let constant = exprs.as_int(b)?;
                    by = match op {
                        BinaryOp::Add => by.saturating_add(constant),
                        _ => by.saturating_sub(constant),
                    };
                    e = a;
                }
                _ => return None,
            }
        }
    }

    /// What is kept behind a pointer.
    fn field(&mut self, pointer: ExprId, ty: Type) -> Option<usize> {
        if !matches!(ty, Type::Int(_)) {
            return None;
        }
        let (_, offset) = self.program.exprs.without_offset(pointer);
        let next = self.program.variables.len() + self.fields.len();
        Some(*self.fields.entry((offset, ty)).or_insert(next))
    }

    /// Which places get the value of which others, but for conversions.
    fn copies_of(&mut self, op: &Op) -> Vec<(usize, usize)> {
        let program = self.program;
        match op {
            Op::Assign { target, value } => {
                let from = self.copied(*value);
                from.map(|from| (target.index(), from)).into_iter().collect()
            }
            Op::Store { access, value } => {
                let (to, from) = (self.field(access.pointer, access.ty), self.copied(*value));
                to.zip(from).into_iter().collect()
            }
            Op::Call { function, arguments, result } => {
                let function = &program.functions[*function];
                let mut found = Vec::new();
                for (to, &argument) in function.parameters.iter().zip(arguments) {
                    found.extend(self.copied(argument).map(|from| (to.index(), from)));
                }
                let returned = result.zip(function.result);
                found.extend(returned.map(|(to, from)| (to.index(), from.index())));
                found
            }
            _ => Vec::new(),
        }
    }

    fn copied(&mut self, value: ExprId) -> Option<usize> {
        self.moved(value).filter(|&(_, by)| by == 0).map(|(from, _)| from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Program, Classes) {
        let program = bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let classes = Classes::of(&program);
        (program, classes)
    }

    fn values(text: &str, name: &str) -> Vec<i128> {
        let (program, classes) = of(text);
        let named = |v: &VarId| program.variables[*v].name == name;
        let variable = program.variables.ids().find(named).expect("a variable of this name");
        let values: Vec<i128> = (0..).map_while(|n| classes.value(variable, n)).collect();
        // Each value is in the class that it stands for.
        if classes.divide(variable) {
            let found: Vec<usize> = values.iter().map(|&v| classes.of_value(variable, v)).collect();
            assert_eq!(found, (0..values.len()).collect::<Vec<_>>());
        }
        values
    }

    const TEXT: &str = r#"
program LP64
entry main
function main() -> result : i32
  local x : i32
  local y : i32
  local z : i32
  entry L0 exit L5
  L0 -> L1 : x := nondet input "x"
  L1 -> L2 : y := x
  L2 -> L3 : z := y + 1:i32
  L3 -> L4 : assume y == 5:i32
  L4 -> L5 : assume z < 3:i32
"#;

    #[test]
    fn what_is_asked_of_a_copy_is_asked_of_the_original() {
        assert_eq!(values(TEXT, "y"), [4, 5, 6]);
        assert_eq!(values(TEXT, "x"), [4, 5, 6]);
    }

    #[test]
    fn what_is_computed_is_no_copy() {
        assert_eq!(values(TEXT, "z"), [2, 3]);
        assert_eq!(values(TEXT, "result"), [0, 1]);
    }
}
