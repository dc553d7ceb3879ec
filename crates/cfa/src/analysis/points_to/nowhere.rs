//! Pointers from nowhere: whether the program follows them.
//!
//! A pointer that an input or an external function gives may point to all that external code knows. Where it is only kept and
//! compared, it does not matter to what it points; but it is kept beside pointers to objects of the program, and
//! unification would join those with all that is known outside. So before that is done it is asked where such pointers
//! go: along assignments, and into fields as the graph has them without that join. Unlike the rest of the analysis this is directed: a
//! variable that got a pointer from a field gives none to it.

use super::graph::{Cell, Graph, NodeId};
use crate::analysis::BitSet;
use crate::analysis::uses::Walker;
use crate::expr::{Expr, ExprId};
use crate::program::{Op, Program, VarId};
use crate::types::Type;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};

/// What pointers point to, as far as it is known.
pub(super) struct Targets<'a> {
    pub graph: &'a mut Graph,
    /// By expression.
    pub values: &'a [Option<Cell>],
    /// What a pointer without a target points to.
    pub universe: Cell,
}

impl Targets<'_> {
    fn of(&self, pointer: ExprId) -> Cell {
        self.values.get(pointer.index()).copied().flatten().unwrap_or(self.universe)
    }
}

/// Whether a pointer that one of the variables gets from nowhere is followed, freed, given away or made an integer.
pub(super) fn is_followed(
    targets: Targets<'_>,
    program: &Program,
    operations: &[&Op],
    from_nowhere: &[VarId],
) -> bool {
    let mut holders = Holders {
        targets,
        program,
        variables: BitSet::new(program.variables.len()),
        fields: HashSet::default(),
    };
    for var in from_nowhere {
        holders.variables.insert(var.index());
    }
    let mut walker = Walker::new();
    loop {
        let before = holders.fields.len() + holders.variables.iter().count();
        for op in operations {
            if holders.operation(op, &mut walker) {
                return true;
            }
        }
        if before == holders.fields.len() + holders.variables.iter().count() {
            return false;
        }
    }
}

/// What may hold a pointer from nowhere.
struct Holders<'a> {
    targets: Targets<'a>,
    program: &'a Program,
    variables: BitSet,
    fields: HashSet<(NodeId, i64)>,
}

impl Holders<'_> {
    fn field(&mut self, pointer: ExprId) -> Option<(NodeId, i64)> {
        let cell = self.targets.of(pointer);
        self.targets.graph.field(cell).map(|(node, start, _)| (node, start))
    }

    fn in_node(&mut self, cell: Cell) -> bool {
        let node = self.targets.graph.find(cell).node;
        self.fields.iter().any(|field| field.0 == node)
    }

    /// Notes where an operation puts such pointers; whether it follows one.
    fn operation(&mut self, op: &Op, walker: &mut Walker) -> bool {
        let operands = op.operands();
        let mut held: HashMap<ExprId, bool> = HashMap::default();
        for id in walker.bottom_up(&self.program.exprs, &operands) {
            match self.expression(id, &held) {
                Some(holds) => held.insert(id, holds),
                None => return true,
            };
        }
        let holds = |e: &ExprId| held[e];
        match op {
            Op::Assign { target, value } => self.assign(*target, holds(value)),
            Op::Store { access, value } => {
                if holds(value) {
                    let Some(field) = self.field(access.pointer) else { return true };
                    self.fields.insert(field);
                }
                return holds(&access.pointer);
            }
            Op::Call { function, arguments, result } => {
                let definition = &self.program.functions[*function];
                for (&parameter, argument) in definition.parameters.iter().zip(arguments) {
                    self.assign(parameter, holds(argument));
                }
                if let (Some(from), Some(to)) = (definition.result, result) {
                    let holds = self.variables.contains(from.index());
                    self.assign(*to, holds);
                }
            }
            Op::Copy { to, from, .. } => {
                let cells = [to, from].map(|&pointer| self.targets.of(pointer));
                return holds(to)
                    || holds(from)
                    || cells.into_iter().any(|cell| self.in_node(cell));
            }
            Op::Assume(_) | Op::Skip | Op::Halt { .. } | Op::Nondet { .. } => {}
            Op::CallIndirect { .. } => {
                let results = self.program.functions.values().filter_map(|f| f.result);
                let returned = results.into_iter().any(|var| self.variables.contains(var.index()));
                return returned || operands.iter().any(holds);
            }
            // Who frees, fills, prints or gives away.
            _ => return operands.iter().any(holds),
        }
        false
    }

    fn assign(&mut self, target: VarId, holds: bool) {
        if holds {
            self.variables.insert(target.index());
        }
    }

    /// Whether the value of an expression may be such a pointer; none where it is followed.
    fn expression(&mut self, id: ExprId, held: &HashMap<ExprId, bool>) -> Option<bool> {
        let expr = self.program.exprs.get(id);
        let any = expr.operands().any(|e| held[&e]);
        Some(match expr {
            Expr::Var(var) => self.variables.contains(var.index()),
            Expr::Load(access) => {
                let field = self.field(access.pointer);
                if any {
                    return None;
                }
                field.is_none_or(|field| self.fields.contains(&field))
            }
            // Who asks whether such a pointer is valid asks about all objects.
            Expr::Compare(..) | Expr::Coincide(..) | Expr::SameObject(..) | Expr::Valid { .. } => {
                false
            }
            Expr::PointerAdd(..) | Expr::Ite(..) => any,
            Expr::Cast(Type::Pointer | Type::BOOL, _) => {
                any && self.program.exprs.type_of(id) == Type::Pointer
            }
            _ if any => return None,
            _ => false,
        })
    }
}
