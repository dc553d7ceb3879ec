//! Whether a violation of memory safety touches memory that was freed, and where that happened.
//!
//! The check only says that the memory is not live. The run is repeated while an observer writes down which object
//! ended by which step; the pointer that the violated check is about tells the object.

use bolide_base::HashMap;
use bolide_cfa::interpreter::{Config, Interpreter, Observer, View};
use bolide_cfa::value::{Pointer, Provenance, Value};
use bolide_cfa::{EdgeId, Expr, ExprId, Op, Program, Property, Type};
use bolide_verdict::replay::Violation;

/// Longer runs are not repeated.
const LONGEST: u64 = 20_000_000;

/// The step that freed the memory which a violation accesses, or frees once more.
pub fn find(program: &Program, violation: &Violation) -> Option<EdgeId> {
    let property = program.checks[violation.check].property;
    let is_about_memory = matches!(property, Property::ValidDeref | Property::ValidFree);
    if !is_about_memory || violation.run.steps > LONGEST {
        return None;
    }
    let config = Config { step_limit: violation.run.steps + 1, ..Config::default() };
    let mut watcher = Watcher { program, ended: HashMap::default(), last: None };
    let mut answers = violation.run.answers.repeat()?;
    let again = Interpreter::new(program).run_observed(&mut answers, &config, &mut watcher);
    if again.outcome != violation.run.outcome {
        return None;
    }
    watcher.ended.get(&watcher.last?).copied()
}

struct Watcher<'a> {
    program: &'a Program,
    /// By which step an object of the heap ended.
    ended: HashMap<Provenance, EdgeId>,
    /// The object that the last check was about.
    last: Option<Provenance>,
}

impl Observer for Watcher<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        if let Op::Assume(condition) = self.program.edges[edge].op {
            let pointer =
                checked(self.program, condition).and_then(|p| base(self.program, p, view));
            if let Some(Value::Pointer(pointer)) = pointer {
                self.last = Some(pointer.provenance);
            }
        }
    }

    fn released(&mut self, edge: EdgeId, pointer: Pointer) {
        // The end of a block ends its variables too; nobody frees those.
        if matches!(self.program.edges[edge].op, Op::Free { .. }) {
            self.ended.insert(pointer.provenance, edge);
        }
    }
}

/// The pointer that a check in a condition is about.
fn checked(program: &Program, condition: ExprId) -> Option<ExprId> {
    match program.exprs.get(condition) {
        Expr::Valid { pointer, .. } | Expr::Freeable { pointer, .. } => Some(*pointer),
        other => other.operands().find_map(|operand| checked(program, operand)),
    }
}

/// The value of the variable, or of the place in memory, that a pointer is computed from.
fn base(program: &Program, pointer: ExprId, view: &View<'_>) -> Option<Value> {
    match program.exprs.get(pointer) {
        Expr::Var(variable) => view.variable(*variable),
        Expr::PointerAdd(from, _) | Expr::Cast(Type::Pointer, from) => base(program, *from, view),
        Expr::Load(access) => match base(program, access.pointer, view)? {
            Value::Pointer(at) => view.scalar(at, Type::Pointer),
            _ => None,
        },
        _ => None,
    }
}
