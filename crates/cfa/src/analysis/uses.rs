//! Walks over the expressions that operations evaluate.

use crate::expr::{Expr, ExprId, ExprPool};
use crate::program::{Op, OutputKind, Program, RegionId, VarId};
use bolide_base::arena::Id;

/// Visits the distinct subexpressions of expressions without recursion. One
/// walker serves many walks; its marks grow with the pool.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    marks: Vec<u32>,
    round: u32,
    stack: Vec<ExprId>,
}

impl Walker {
    /// A walker that has seen nothing.
    pub fn new() -> Self {
        Walker::default()
    }

    /// Calls `visit` once for each distinct subexpression of `roots`, parents
    /// before children.
    pub fn walk(
        &mut self,
        exprs: &ExprPool,
        roots: &[ExprId],
        mut visit: impl FnMut(ExprId, &Expr),
    ) {
        self.round += 1;
        self.marks.resize(exprs.len(), 0);
        self.stack.extend(roots.iter().rev());
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.marks[id.index()], self.round) == self.round {
                continue;
            }
            let expr = exprs.get(id);
            visit(id, expr);
            let start = self.stack.len();
            self.stack.extend(expr.operands());
            self.stack[start..].reverse();
        }
    }

    /// The distinct subexpressions of `roots`, children before parents.
    pub fn bottom_up(&mut self, exprs: &ExprPool, roots: &[ExprId]) -> Vec<ExprId> {
        let mut found = Vec::new();
        self.walk(exprs, roots, |id, _| found.push(id));
        // Children have smaller ids than their parents.
        found.sort_unstable();
        found
    }

    /// The distinct variables that `roots` read, in order of first mention.
    pub fn variables(&mut self, exprs: &ExprPool, roots: &[ExprId]) -> Vec<VarId> {
        let mut found = Vec::new();
        self.walk(exprs, roots, |_, expr| {
            if let Expr::Var(var) = expr {
                found.push(*var);
            }
        });
        found
    }
}

/// The distinct variables that an operation reads.
pub fn variables_read(program: &Program, walker: &mut Walker, op: &Op) -> Vec<VarId> {
    walker.variables(&program.exprs, &op.operands())
}

/// The regions that an operation reads and those that it writes, itself (not
/// what functions that it calls do). Ends of lifetimes count as writes;
/// [`RegionId::ALL`] stands for any region.
pub fn regions_touched(
    program: &Program,
    walker: &mut Walker,
    op: &Op,
) -> (Vec<RegionId>, Vec<RegionId>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    walker.walk(&program.exprs, &op.operands(), |_, expr| {
        if let Expr::Load(access) = expr {
            reads.push(access.region);
        }
    });
    match op {
        Op::Store { access, .. } => writes.push(access.region),
        Op::Alloc { region, .. }
        | Op::Free { region, .. }
        | Op::EndLifetime { region, .. }
        | Op::Fill { region, .. } => writes.push(*region),
        Op::Copy { to_region, from_region, .. } => {
            reads.push(*from_region);
            writes.push(*to_region);
        }
        Op::External { effect: crate::program::ExternalEffect::Havoc, .. } => {
            reads.extend(program.external_region);
            writes.extend(program.external_region);
        }
        // Output reads the strings that it prints, wherever they are.
        Op::Output { kind, .. } if !matches!(kind, OutputKind::Opaque | OutputKind::Math(_)) => {
            reads.push(RegionId::ALL)
        }
        _ => {}
    }
    (reads, writes)
}
