//! Annotations evaluated on finite heaps.
//!
//! A state says what fields of objects and variables hold; quantifiers range over null and the objects
//! that there are. The evaluation has three values (Kleene): what is not known of the state makes a
//! formula unknown, unless the rest decides it. So a heap may be built piece by piece, and what is
//! true or false of a part stays so.
//!
//! As in the heap logic, the next object of null is null along every field, and dead objects are
//! still objects: nothing is known of their fields.

use bolide_cfa::VarId;
use bolide_cfa::contract::{ArrayPlace, Expr, FieldPlace};
use bolide_cfa::types::Type;

/// A value of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// The null pointer.
    Null,
    /// A pointer to the object of this number.
    Object(usize),
    /// A pointer to something else.
    Elsewhere,
    /// A number.
    Int(i128),
    /// The number in a field of null, by offset: always the same, and nobody knows which.
    OfNull(u64),
    /// Not known.
    Unknown,
}

/// A state, as far as it is known.
pub(super) trait State {
    /// How many objects there are.
    fn objects(&self) -> usize;
    /// What a field of an object holds.
    fn field(&self, object: usize, place: &FieldPlace) -> Value;
    /// What an array holds at one of its indices.
    fn cell(&self, array: &ArrayPlace, index: u64) -> Value;
    /// What a variable holds.
    fn variable(&self, variable: VarId) -> Value;
    /// Whether an object is alive.
    fn is_alive(&self, object: usize) -> bool;
}

/// Evaluates annotations.
pub(super) struct Evaluation<'a> {
    /// The present.
    pub now: &'a dyn State,
    /// What `\old` speaks of.
    pub old: &'a dyn State,
    /// What `\result` is.
    pub result: Value,
    /// Variables that stand for other values than those of the state.
    pub given: Vec<(VarId, Value)>,
    bound: Vec<(u32, Value)>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(now: &'a dyn State, old: &'a dyn State) -> Evaluation<'a> {
        Evaluation { now, old, result: Value::Unknown, given: Vec::new(), bound: Vec::new() }
    }

    /// Whether a formula holds; none when that is not known.
    pub(super) fn holds(&mut self, e: &Expr) -> Option<bool> {
        self.truth(e, false)
    }

    fn state(&self, old: bool) -> &'a dyn State {
        if old { self.old } else { self.now }
    }

    fn all_objects(&self) -> impl Iterator<Item = Value> + use<> {
        let count = self.now.objects().max(self.old.objects());
        std::iter::once(Value::Null).chain((0..count).map(Value::Object))
    }

    fn value(&mut self, e: &Expr, old: bool) -> Value {
        match e {
            Expr::Var(variable) => {
                let given = self.given.iter().find(|(v, _)| v == variable);
                given.map_or_else(|| self.state(old).variable(*variable), |(_, value)| *value)
            }
            Expr::Bound(number) | Expr::Index(number) => {
                let bound = self.bound.iter().rev().find(|(n, _)| n == number);
                bound.map_or(Value::Unknown, |(_, value)| *value)
            }
            Expr::Int(n) => Value::Int(*n),
            Expr::Null => Value::Null,
            Expr::Result => self.result,
            Expr::Old(e) => self.value(e, true),
            Expr::Field(of, place) => {
                let of = self.value(of, old);
                self.field(of, place, old)
            }
            Expr::Cell(array, index) => match self.value(index, old) {
                Value::Int(index) => match u64::try_from(index) {
                    Ok(index) if index < array.length => self.state(old).cell(array, index),
                    // Behind the end there is anything.
                    _ => Value::Unknown,
                },
                _ => Value::Unknown,
            },
            Expr::Negative(e) => match self.value(e, old) {
                Value::Int(n) => n.checked_neg().map_or(Value::Unknown, Value::Int),
                _ => Value::Unknown,
            },
            Expr::Binary(op @ ("+" | "-"), a, b) => {
                match (self.value(a, old), self.value(b, old)) {
                    (Value::Int(a), Value::Int(b)) => {
                        let sum = if *op == "+" { a.checked_add(b) } else { a.checked_sub(b) };
                        sum.map_or(Value::Unknown, Value::Int)
                    }
                    _ => Value::Unknown,
                }
            }
            _ => Value::Unknown,
        }
    }

    fn field(&self, of: Value, place: &FieldPlace, old: bool) -> Value {
        let state = self.state(old);
        match of {
            Value::Null if place.ty == Type::Pointer => Value::Null,
            Value::Null => Value::OfNull(place.offset),
            Value::Object(object) if object < state.objects() => state.field(object, place),
            _ => Value::Unknown,
        }
    }

    fn truth(&mut self, e: &Expr, old: bool) -> Option<bool> {
        match e {
            Expr::Bool(value) => Some(*value),
            Expr::Old(e) => self.truth(e, true),
            Expr::Not(e) => self.truth(e, old).map(|value| !value),
            Expr::Valid(e) if !old => match self.value(e, old) {
                Value::Null => Some(false),
                Value::Object(object) => Some(self.now.is_alive(object)),
                _ => None,
            },
            Expr::Btwn(place, x, y, z) => {
                let [x, y, z] = [x, y, z].map(|e| self.value(e, old));
                self.between(place, [x, y, z], old)
            }
            Expr::Quantified(all, numbers, body) => {
                let objects: Vec<Value> = self.all_objects().collect();
                self.quantified(*all, &objects, numbers, body, old)
            }
            Expr::Indices(all, number, length, body) => {
                let indices: Vec<Value> =
                    (0..*length).map(|index| Value::Int(i128::from(index))).collect();
                self.quantified(*all, &indices, &[*number], body, old)
            }
            Expr::Tree(left, right) => self.is_forest(left, right, old),
            Expr::Below(left, right, x, y) => {
                let (x, y) = (self.value(x, old), self.value(y, old));
                self.below(left, right, x, y, old)
            }
            Expr::Binary(op, a, b) => self.binary(op, a, b, old),
            Expr::Field(..) | Expr::Cell(..) | Expr::Var(_) | Expr::Result | Expr::Bound(_) => {
                match self.value(e, old) {
                    Value::Null | Value::Int(0) => Some(false),
                    Value::Unknown | Value::OfNull(_) => None,
                    Value::Object(_) | Value::Elsewhere | Value::Int(_) => Some(true),
                }
            }
            _ => None,
        }
    }

    /// For all, or for some, of the values in the place of each of the numbers.
    fn quantified(
        &mut self,
        all: bool,
        values: &[Value],
        numbers: &[u32],
        body: &Expr,
        old: bool,
    ) -> Option<bool> {
        let Some((&first, rest)) = numbers.split_first() else { return self.truth(body, old) };
        let mut found = Some(all);
        for &object in values {
            self.bound.push((first, object));
            let value = self.quantified(all, values, rest, body, old);
            self.bound.pop();
            match value {
                Some(value) if value != all => return Some(value),
                Some(_) => {}
                None => found = None,
            }
        }
        found
    }

    fn binary(&mut self, op: &str, a: &Expr, b: &Expr, old: bool) -> Option<bool> {
        match op {
            "&&" => {
                let a = self.truth(a, old);
                return if a == Some(false) { a } else { and(a, self.truth(b, old)) };
            }
            "||" => {
                let a = self.truth(a, old);
                return if a == Some(true) { a } else { or(a, self.truth(b, old)) };
            }
            "==>" => {
                let a = self.truth(a, old).map(|a| !a);
                return if a == Some(true) { a } else { or(a, self.truth(b, old)) };
            }
            "<==>" => return Some(self.truth(a, old)? == self.truth(b, old)?),
            "\\in" => {
                let object = self.value(a, old);
                return self.member(object, b, old);
            }
            _ => {}
        }
        if is_set(a) || is_set(b) {
            let mut found = Some(true);
            for object in self.all_objects() {
                let (a, b) = (self.member(object, a, old), self.member(object, b, old));
                let agree = match op {
                    "<=" => or(a.map(|a| !a), b),
                    _ => a.zip(b).map(|(a, b)| a == b),
                };
                found = and(found, agree);
            }
            return match op {
                "==" | "<=" => found,
                "!=" => found.map(|same| !same),
                _ => None,
            };
        }
        compare(op, self.value(a, old), self.value(b, old))
    }

    fn member(&mut self, object: Value, set: &Expr, old: bool) -> Option<bool> {
        match set {
            Expr::Comprehension(number, body) => {
                self.bound.push((*number, object));
                let found = self.truth(body, old);
                self.bound.pop();
                found
            }
            Expr::Set(all) => {
                let mut found = Some(false);
                for e in all {
                    let value = self.value(e, old);
                    found = or(found, compare("==", object, value));
                }
                found
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.member(object, a, old), self.member(object, b, old));
                match *op {
                    "\\union" => or(a, b),
                    "\\inter" => and(a, b),
                    "\\diff" => and(a, b.map(|b| !b)),
                    _ => None,
                }
            }
            Expr::Old(set) => self.member(object, set, true),
            _ => None,
        }
    }

    /// Whether `y` lies on the path from `x` to the first `z`.
    fn between(&self, place: &FieldPlace, [x, y, z]: [Value; 3], old: bool) -> Option<bool> {
        if [y, z].contains(&Value::Unknown) {
            return None;
        }
        let (mut at, mut passed) = (x, false);
        for _ in 0..=self.state(old).objects() + 1 {
            if matches!(at, Value::Unknown | Value::Elsewhere) {
                return None;
            }
            passed |= at == y;
            if at == z {
                return Some(passed);
            }
            at = self.field(at, place, old);
        }
        // A cycle without `z`.
        Some(false)
    }

    /// No object is a child twice, and no path is a cycle.
    fn is_forest(&self, left: &FieldPlace, right: &FieldPlace, old: bool) -> Option<bool> {
        let count = self.state(old).objects();
        let mut parent: Vec<Option<usize>> = vec![None; count];
        let mut known = true;
        for object in 0..count {
            for place in [left, right] {
                match self.field(Value::Object(object), place, old) {
                    Value::Null => {}
                    Value::Object(child) if child < count => {
                        if parent[child].replace(object).is_some() {
                            return Some(false);
                        }
                    }
                    _ => known = false,
                }
            }
        }
        for object in 0..count {
            let (mut at, mut steps) = (object, 0);
            while let Some(above) = parent[at] {
                (at, steps) = (above, steps + 1);
                if steps > count {
                    return Some(false);
                }
            }
        }
        known.then_some(true)
    }

    fn below(
        &self,
        left: &FieldPlace,
        right: &FieldPlace,
        x: Value,
        y: Value,
        old: bool,
    ) -> Option<bool> {
        if y == Value::Unknown {
            return None;
        }
        if y == Value::Null {
            return Some(true);
        }
        let (mut seen, mut at, mut known) = (vec![x], 0, true);
        while at < seen.len() {
            let object = seen[at];
            at += 1;
            if object == y {
                return Some(true);
            }
            match object {
                Value::Object(_) => {
                    for place in [left, right] {
                        let child = self.field(object, place, old);
                        if !seen.contains(&child) {
                            seen.push(child);
                        }
                    }
                }
                Value::Null => {}
                _ => known = false,
            }
        }
        known.then_some(false)
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|a| !a), b.map(|b| !b)).map(|value| !value)
}

fn is_set(e: &Expr) -> bool {
    match e {
        Expr::Comprehension(..) | Expr::Set(_) => true,
        Expr::Binary("\\union" | "\\inter" | "\\diff", ..) => true,
        Expr::Old(e) => is_set(e),
        _ => false,
    }
}

fn compare(op: &str, a: Value, b: Value) -> Option<bool> {
    // C writes 0 for the null pointer.
    let pointer = |v: Value| matches!(v, Value::Null | Value::Object(_) | Value::Elsewhere);
    let null = |v: Value, other: Value| match v {
        Value::Int(0) if pointer(other) => Value::Null,
        _ => v,
    };
    let (a, b) = (null(a, b), null(b, a));
    match (a, b) {
        (Value::OfNull(x), Value::OfNull(y)) if x == y => Some(matches!(op, "==" | "<=" | ">=")),
        (Value::Unknown | Value::OfNull(_), _) | (_, Value::Unknown | Value::OfNull(_)) => None,
        (Value::Int(x), Value::Int(y)) => Some(match op {
            "==" => x == y,
            "!=" => x != y,
            "<=" => x <= y,
            ">=" => x >= y,
            "<" => x < y,
            ">" => x > y,
            _ => return None,
        }),
        // A pointer to no object that we know is not null; which others it is, who knows.
        (Value::Elsewhere, other) | (other, Value::Elsewhere) if other != Value::Null => None,
        _ if pointer(a) && pointer(b) => match op {
            "==" => Some(a == b),
            "!=" => Some(a != b),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of so many objects, whose last field is as given; data counts up.
    struct List(usize, Value);

    impl State for List {
        fn objects(&self) -> usize {
            self.0
        }

        fn field(&self, object: usize, place: &FieldPlace) -> Value {
            match place.ty {
                Type::Pointer if object + 1 < self.0 => Value::Object(object + 1),
                Type::Pointer => self.1,
                _ => Value::Int(object as i128),
            }
        }

        fn cell(&self, _: &ArrayPlace, index: u64) -> Value {
            Value::Object(index as usize)
        }

        fn variable(&self, _: VarId) -> Value {
            Value::Object(0)
        }

        fn is_alive(&self, object: usize) -> bool {
            object > 0
        }
    }

    fn next() -> FieldPlace {
        FieldPlace { name: "next".into(), offset: 0, ty: Type::Pointer }
    }

    fn bound(n: u32) -> Box<Expr> {
        Box::new(Expr::Bound(n))
    }

    fn all(numbers: &[u32], body: Expr) -> Expr {
        Expr::Quantified(true, numbers.to_vec(), Box::new(body))
    }

    fn check(list: &List, e: &Expr, expected: Option<bool>) {
        assert_eq!(Evaluation::new(list, list).holds(e), expected, "{e:?}");
    }

    #[test]
    fn paths_end_in_null_or_go_round() {
        let null = || Box::new(Expr::Null);
        let acyclic = all(&[1], Expr::Btwn(next(), bound(1), null(), null()));
        check(&List(3, Value::Null), &acyclic, Some(true));
        check(&List(3, Value::Object(1)), &acyclic, Some(false));
        check(&List(3, Value::Unknown), &acyclic, None);
        // The way to the first `z` only.
        let btwn = |x, y, z| {
            let given = [x, y, z].map(Value::Object);
            let state = List(3, Value::Object(0));
            Evaluation::new(&state, &state).between(&next(), given, false)
        };
        assert_eq!(btwn(0, 1, 2), Some(true));
        assert_eq!(btwn(0, 2, 1), Some(false));
        assert_eq!(btwn(2, 0, 1), Some(true));
    }

    #[test]
    fn sets_are_compared_object_by_object() {
        let not_null = |n| Expr::Binary("!=", bound(n), Box::new(Expr::Null));
        let objects = Expr::Comprehension(1, Box::new(not_null(1)));
        let first = Expr::Set(vec![Expr::Var(bolide_base::arena::Id::from_index(0))]);
        let subset =
            |a: &Expr, b: &Expr| Expr::Binary("<=", Box::new(a.clone()), Box::new(b.clone()));
        check(&List(2, Value::Null), &subset(&first, &objects), Some(true));
        check(&List(2, Value::Null), &subset(&objects, &first), Some(false));
        check(&List(1, Value::Null), &subset(&objects, &first), Some(true));
    }

    #[test]
    fn indices_are_those_of_the_array() {
        let object = bolide_base::arena::Id::from_index(0);
        let array = ArrayPlace { name: "table".into(), object, length: 2, ty: Type::Pointer };
        let cell = |index: Expr| Box::new(Expr::Cell(array.clone(), Box::new(index)));
        let last = |length: u64| {
            let next = Box::new(Expr::Field(cell(Expr::Index(1)), next()));
            let has = Expr::Binary("!=", next, Box::new(Expr::Null));
            Expr::Indices(true, 1, length, Box::new(has))
        };
        check(&List(3, Value::Null), &last(2), Some(true));
        check(&List(2, Value::Null), &last(2), Some(false));
        // Behind the end of the array nothing is known.
        let behind = |n| Expr::Binary("==", cell(Expr::Int(n)), cell(Expr::Int(n)));
        check(&List(3, Value::Null), &behind(1), Some(true));
        check(&List(3, Value::Null), &behind(2), None);
    }

    #[test]
    fn what_is_known_decides() {
        let valid = |n| Expr::Valid(bound(n));
        let some = Expr::Quantified(false, vec![1], Box::new(valid(1)));
        check(&List(2, Value::Unknown), &some, Some(true));
        let tree = Expr::Tree(next(), FieldPlace { offset: 8, ..next() });
        // Both fields are the same here: every object but the first is a child twice.
        check(&List(2, Value::Unknown), &tree, Some(false));
        check(&List(1, Value::Unknown), &tree, None);
        check(&List(1, Value::Null), &tree, Some(true));
    }
}
