//! What can be counted in a program before anything is known of it: what is done first depends on it ([`choose`](crate::choose)),
//! and `cargo xtask learn-choice` asks whether measurements of engines do.

use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::analysis::{Flow, Loops};
use bolide_cfa::{BinaryOp, Expr, Op, Program, Type};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Statements and conditions.
    Edges,
    /// Conditions.
    Conditions,
    /// Loops.
    Loops,
    /// How deep they are in each other, at most.
    Depth,
    /// Values that come from outside.
    Inputs,
    /// Variables that are written.
    Variables,
    /// Reads and writes of memory.
    Accesses,
    /// Products, quotients, remainders and operations on bits.
    Products,
    /// Places where something may be violated.
    Errors,
}

impl Count {
    /// All, with their names.
    pub const ALL: [(Count, &'static str); 9] = [
        (Count::Edges, "edges"),
        (Count::Conditions, "conditions"),
        (Count::Loops, "loops"),
        (Count::Depth, "depth"),
        (Count::Inputs, "inputs"),
        (Count::Variables, "variables"),
        (Count::Accesses, "accesses"),
        (Count::Products, "products"),
        (Count::Errors, "errors"),
    ];
}

/// How much there is of each, in the order of [`Count::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Count::ALL.len()]);

impl Counts {
    /// Counts.
    pub fn of(program: &Program) -> Counts {
        let flow = Flow::new(program);
        let loops = Loops::new(program, &flow);
        let mut counts = Counts::default();
        counts.add(Count::Loops, loops.iter().count());
        let depth = program.locations.ids().map(|location| loops.depth(location)).max();
        counts.add(Count::Depth, depth.unwrap_or(0) as usize);
        let errors = program.locations.values().filter(|l| l.error.is_some());
        counts.add(Count::Errors, errors.count());
        let written = program.edges.values().filter_map(|edge| edge.op.target());
        let written: std::collections::BTreeSet<_> = written.collect();
        counts.add(Count::Variables, written.len());
        let mut walker = Walker::new();
        for (id, edge) in program.edges.iter() {
            counts.add(Count::Edges, 1);
            counts.add(Count::Conditions, usize::from(matches!(edge.op, Op::Assume(_))));
            counts.add(Count::Inputs, usize::from(program.asked(id).is_some()));
            counts.add(Count::Accesses, usize::from(matches!(edge.op, Op::Store { .. })));
            walker.walk(&program.exprs, &edge.op.operands(), |_, expr| match expr {
                Expr::Load(_) => counts.add(Count::Accesses, 1),
                Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => {}
                Expr::Binary(_, a, _) if program.exprs.type_of(*a) == Type::BOOL => {}
                Expr::Binary(..) => counts.add(Count::Products, 1),
                _ => {}
            });
        }
        counts
    }

    fn add(&mut self, count: Count, number: usize) {
        self.0[count as usize] += number as u64;
    }

    /// How much there is of something.
    pub fn get(&self, count: Count) -> u64 {
        self.0[count as usize]
    }

    /// By name.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        Count::ALL.iter().map(|&(count, name)| (name, self.get(count))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_conditions_and_products_are_counted() {
        let text = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local x : i32
  entry L0 exit L3
  L2: error C0
  L0 -> L1 : x := nondet input "x"
  L1 -> L4 : assume x < 100:i32
  L4 -> L1 : x := x * 3:i32
  L1 -> L5 : assume x >= 100:i32
  L5 -> L2 : assume x == 105:i32
  L5 -> L3 : assume x != 105:i32
"#;
        let program = bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let counts = Counts::of(&program);
        assert_eq!(Count::ALL.map(|(count, _)| counts.get(count)), [6, 4, 1, 1, 1, 1, 0, 1, 1]);
        assert!(Count::ALL.iter().enumerate().all(|(i, &(count, _))| count as usize == i));
    }
}
