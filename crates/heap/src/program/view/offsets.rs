//! Where in their objects pointer variables point.
//!
//! C programs keep pointers to members in variables: `&x->next` as an argument, or
//! the place that an assignment writes to while its value is still being computed.
//! Such a variable stands for the object that it points into, as long as all
//! its assignments agree on the place: a fixed point over a flat lattice, one value
//! per variable. Where they disagree, the variable points to starts of objects only,
//! and the view is refused at the assignment that says otherwise.

use bolide_base::HashMap;
use bolide_cfa::types::Type;
use bolide_cfa::{EdgeId, Expr, ExprId, Op, Program, VarId, VariableKind};

/// A place in an object, or the lack of a single one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing was assigned.
    None,
    At(i128),
    Several,
}

impl Place {
    fn join(self, other: Place) -> Place {
        match (self, other) {
            (Place::None, place) | (place, Place::None) => place,
            (a, b) if a == b => a,
            _ => Place::Several,
        }
    }
}

/// The places, other than starts, of the variables that have one.
pub(super) fn offsets(program: &Program, edges: &[EdgeId]) -> HashMap<VarId, i128> {
    let mut places: HashMap<VarId, Place> = HashMap::default();
    loop {
        let mut changed = false;
        for &edge in edges {
            let op = &program.edges[edge].op;
            let Some(target) = op.target() else { continue };
            if program.variables[target].ty != Type::Pointer {
                continue;
            }
            let new = match op {
                Op::Assign { value, .. } => place(program, &places, *value),
                _ => Place::At(0),
            };
            let old = of_variable(program, &places, target);
            let joined = old.join(new);
            if joined != old {
                places.insert(target, joined);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let at = |place: Place| match place {
        Place::At(offset) if offset != 0 => Some(offset),
        _ => None,
    };
    places.into_iter().filter_map(|(var, place)| Some((var, at(place)?))).collect()
}

fn of_variable(program: &Program, places: &HashMap<VarId, Place>, var: VarId) -> Place {
    let given = program.variables[var].kind == VariableKind::Global
        || program.functions[program.entry].parameters.contains(&var);
    let first = if given { Place::At(0) } else { Place::None };
    places.get(&var).copied().unwrap_or(first)
}

fn place(program: &Program, places: &HashMap<VarId, Place>, e: ExprId) -> Place {
    let (mut e, mut offset) = (e, 0i128);
    loop {
        match *program.exprs.get(e) {
            Expr::PointerAdd(base, by) => match program.exprs.as_int(by) {
                Some(by) => (e, offset) = (base, offset.saturating_add(by)),
                None => return Place::Several,
            },
            Expr::Cast(Type::Pointer, inner) if program.exprs.type_of(inner) == Type::Pointer => {
                e = inner;
            }
            Expr::Var(var) => {
                return match of_variable(program, places, var) {
                    Place::At(place) => Place::At(place.saturating_add(offset)),
                    other => other,
                };
            }
            Expr::Ite(_, a, b) if offset == 0 => {
                return place(program, places, a).join(place(program, places, b));
            }
            Expr::Null if offset == 0 => return Place::None,
            _ => return Place::At(offset),
        }
    }
}
