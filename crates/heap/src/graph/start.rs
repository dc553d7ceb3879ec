//! The states before the first step.

use super::{Address, End, Graph, Node, Place, Value, ZERO};
use bolide_base::HashSet;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::types::Type;
use bolide_cfa::{Expr, ExprId, ObjectId, Program, VariableKind};

/// Static objects that the program speaks of, and global variables, as they are at the start.
pub(super) fn initial(program: &Program) -> Graph {
    let mut graph = Graph::default();
    for object in objects(program) {
        let info = &program.objects[object];
        let place = if info.constant { Place::Constant } else { Place::Static };
        let size = info.size as i64;
        let mut node = Node::region(place, (size, size));
        if !info.external {
            node.clear(0, size);
        }
        let node = graph.add(node);
        graph.statics.insert(object, node);
    }
    let all: Vec<_> = graph.statics.iter().map(|(object, node)| (*object, *node)).collect();
    for (object, id) in all {
        for given in &program.objects[object].initial {
            let value = constant(program, &graph, given.value);
            let value = if given.bits.is_some() { Value::Any } else { value };
            let bytes = program.exprs.type_of(given.value).size(program.target);
            if let Some(node) = graph.nodes.get_mut(&id) {
                node.set(given.offset as i64, bytes as i64, value);
            }
        }
    }
    for (var, variable) in program.variables.iter() {
        if variable.kind == VariableKind::Global {
            let value = match variable.initial {
                Some(e) => constant(program, &graph, e),
                None if matches!(variable.ty, Type::Float(_)) => Value::Any,
                None => ZERO,
            };
            if value != Value::Any {
                graph.variables.insert(var, value);
            }
        }
    }
    graph
}

/// The value of a constant expression.
fn constant(program: &Program, graph: &Graph, e: ExprId) -> Value {
    match *program.exprs.get(e) {
        Expr::Int { bits, ty } if ty.bits < 128 => Value::Known(ty.value(bits)),
        Expr::Null => ZERO,
        Expr::Object(object) => match graph.statics.get(&object) {
            Some(&node) => Value::Address(Address::at(node, End::First, 0)),
            None => Value::Any,
        },
        Expr::PointerAdd(base, by) => {
            match (constant(program, graph, base), program.exprs.as_int(by)) {
                (Value::Address(address), Some(by)) => {
                    address.moved(by, by).map_or(Value::Any, Value::Address)
                }
                _ => Value::Any,
            }
        }
        Expr::Cast(Type::Pointer, inner) if program.exprs.type_of(inner) == Type::Pointer => {
            constant(program, graph, inner)
        }
        _ => Value::Any,
    }
}

/// The static objects of which steps, variables and other such objects speak.
fn objects(program: &Program) -> Vec<ObjectId> {
    let mut walker = Walker::new();
    let mut roots: Vec<ExprId> =
        program.edges.values().flat_map(|edge| edge.op.operands()).collect();
    roots.extend(program.variables.values().filter_map(|variable| variable.initial));
    let mut found: HashSet<ObjectId> = HashSet::default();
    while !roots.is_empty() {
        let mut new = Vec::new();
        walker.walk(&program.exprs, &roots, |_, expr| {
            if let Expr::Object(object) = *expr
                && found.insert(object)
            {
                new.push(object);
            }
        });
        roots =
            new.iter().flat_map(|&o| program.objects[o].initial.iter().map(|i| i.value)).collect();
    }
    let mut found: Vec<ObjectId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
