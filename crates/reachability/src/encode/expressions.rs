//! Expressions of programs as terms.
//!
//! - Integers are mathematical integers. Unsigned results wrap by `ite` or
//!   `mod` unless intervals show that they cannot; signed results do not wrap
//!   (overflow is undefined and a property of its own).
//! - Bit operations with constants are exact through `div` and `mod`; others
//!   are uninterpreted functions with bounds.
//! - A float is the integer that its bit pattern denotes: see [`floats`].
//! - A pointer is a pair of object and offset. Object 0 is no object: null is
//!   (0, 0), an integer cast to a pointer is (0, n) when it is a constant.
//!   Static objects have the numbers from 1 on, functions negative numbers.
//!
//! Whatever cannot be said exactly becomes a fresh constant or an
//! uninterpreted function: an over-approximation.

use super::evaluator::{
    Evaluator, Interval, Read, Symbolic, UNBOUNDED, add, function_number, interval_of, join, meet,
    object_number, shift, sub, type_bounds, type_interval,
};
use super::slots::{Environment, Slot};
use super::{floats, memory};
use bolide_base::{HashMap, Integer};
use bolide_cfa::{Access, BinaryOp, CompareOp, Expr, ExprId, FloatKind, IntType, Type, UnaryOp};
use bolide_terms::{SortId, TermId, TermStore};

impl Evaluator<'_> {
    /// The value of `root`. Children have smaller ids than parents, so the
    /// needed expressions are evaluated in the order of their ids.
    pub fn evaluate(&mut self, env: &Environment, root: ExprId) -> Symbolic {
        let mut needed = vec![root];
        let mut seen: bolide_base::HashSet<ExprId> = std::iter::once(root).collect();
        let mut next = 0;
        while next < needed.len() {
            for operand in self.program.exprs.get(needed[next]).operands() {
                if seen.insert(operand) {
                    needed.push(operand);
                }
            }
            next += 1;
        }
        needed.sort_unstable();
        let mut values: HashMap<ExprId, Symbolic> = HashMap::default();
        for id in needed {
            self.at = Some(id);
            let value = self.node(env, id, &values);
            self.trail.push((id, value));
            values.insert(id, value);
        }
        values[&root]
    }

    // Long: one arm for each kind of expression.
    fn node(
        &mut self,
        env: &Environment,
        id: ExprId,
        values: &HashMap<ExprId, Symbolic>,
    ) -> Symbolic {
        let program = self.program;
        let ty = program.exprs.type_of(id);
        match program.exprs.get(id) {
            Expr::Int { bits, ty } => self.constant(*bits, *ty),
            Expr::Float { bits, .. } => {
                let pattern = Integer::from(*bits);
                Symbolic::Int(self.store.mk_int(pattern), UNBOUNDED)
            }
            Expr::Null => self.pointer_constant(0),
            Expr::Object(object) => self.pointer_constant(object_number(*object)),
            Expr::Function(function) => self.pointer_constant(function_number(*function)),
            Expr::Var(var) => self.variable(env, id, *var, ty),
            Expr::Load(access) => self.load(env, access, values[&access.pointer]),
            Expr::Unary(op, a) => self.unary(*op, values[a], ty),
            Expr::Binary(op, a, b) => match ty {
                Type::Float(kind) => {
                    let [i, j] = [a, b].map(|e| self.hoped(*e));
                    floats::binary(self, *op, (values[a], &i), (values[b], &j), kind)
                }
                _ => self.binary(id, *op, values[a], values[b], ty),
            },
            Expr::Compare(op, a, b) => {
                self.compare(*op, values[a], values[b], program.exprs.type_of(*a))
            }
            Expr::Ite(c, a, b) => {
                let condition = values[c].bool(self.store);
                self.choose(condition, values[a], values[b])
            }
            Expr::Cast(to, a) => {
                let hoped = self.hoped(*a);
                self.cast(env, *to, program.exprs.type_of(*a), (values[a], &hoped))
            }
            Expr::PointerAdd(p, n) => {
                let (object, offset) = values[p].pointer(self.store);
                let bytes = values[n].int(self.store);
                Symbolic::Pointer(object, self.store.mk_add(&[offset, bytes]))
            }
            Expr::PointerDiff(p, q) => {
                let (object_p, offset_p) = values[p].pointer(self.store);
                let (object_q, offset_q) = values[q].pointer(self.store);
                let difference = self.store.mk_sub(offset_p, offset_q);
                let same = self.store.mk_eq(object_p, object_q);
                let apart =
                    self.apply(super::addresses::DIFFERENCE, &[object_p, object_q], SortId::INT);
                let other = self.store.mk_add(&[apart, difference]);
                Symbolic::Int(self.store.mk_ite(same, difference, other), UNBOUNDED)
            }
            Expr::Pattern(to, a) => match (program.exprs.type_of(*a), to) {
                (Type::Float(kind), Type::Int(int)) => floats::bits(self, values[a], kind, *int),
                // A float is its pattern already.
                _ => values[a],
            },
            Expr::FloatFn(f, a) => {
                let hoped = self.hoped(*a);
                floats::function(self, *f, (values[a], &hoped), float_kind(ty))
            }
            Expr::FloatTest(f, a) => {
                let kind = float_kind(program.exprs.type_of(*a));
                Symbolic::Bool(floats::test(self, *f, values[a], kind))
            }
            Expr::Overflows(op, a, b) => {
                self.overflows(*op, values[a], values[b], program.exprs.type_of(*a))
            }
            Expr::Valid { pointer, size, .. } => {
                let (object, offset) = values[pointer].pointer(self.store);
                let size = values[size].int(self.store);
                Symbolic::Bool(memory::valid(self, env, object, offset, size))
            }
            Expr::Freeable { pointer, .. } => {
                let (object, offset) = values[pointer].pointer(self.store);
                Symbolic::Bool(memory::freeable(self, env, object, offset))
            }
            Expr::Coincide(p, q) => {
                let (o, _) = values[p].pointer(self.store);
                let (p, _) = values[q].pointer(self.store);
                let zero = self.store.mk_int(0);
                let objects = [self.store.mk_gt(o, zero), self.store.mk_gt(p, zero)];
                let apart = self.store.mk_neq(o, p);
                let chance = self.fresh(SortId::BOOL);
                Symbolic::Bool(self.store.mk_and(&[objects[0], objects[1], apart, chance]))
            }
            Expr::SameObject(p, q) => {
                let [p, q] = [p, q].map(|e| values[e].pointer(self.store).0);
                Symbolic::Bool(self.store.mk_eq(p, q))
            }
            Expr::ReadOnly(pointer) => {
                let (object, _) = values[pointer].pointer(self.store);
                Symbolic::Bool(memory::read_only(self, object))
            }
            Expr::ObjectSize(pointer) => {
                let (object, _) = values[pointer].pointer(self.store);
                let size = memory::size_of_object(self, env, object);
                Symbolic::Int(size, UNBOUNDED)
            }
            Expr::Offset(pointer) => {
                let (_, offset) = values[pointer].pointer(self.store);
                Symbolic::Int(offset, UNBOUNDED)
            }
            Expr::Leaked => {
                let possible = memory::more_than_pointed_to(self, env);
                let leaked = self.fresh(SortId::BOOL);
                Symbolic::Bool(self.store.mk_and(&[possible, leaked]))
            }
            Expr::HeapInUse => Symbolic::Bool(memory::heap_in_use(self, env)),
        }
    }

    fn constant(&mut self, bits: u128, ty: IntType) -> Symbolic {
        if ty == IntType::BOOL {
            return Symbolic::Bool(self.store.mk_bool(bits != 0));
        }
        if ty.bits == 128 && !ty.signed {
            return Symbolic::Int(self.store.mk_int(Integer::from(bits)), UNBOUNDED);
        }
        let value = ty.value(bits);
        let term = self.store.mk_int(Integer::from(value));
        Symbolic::Int(term, (Some(value), Some(value)))
    }

    fn pointer_constant(&mut self, object: i64) -> Symbolic {
        Symbolic::Pointer(self.store.mk_int(object), self.store.mk_int(0))
    }

    fn variable(
        &mut self,
        env: &Environment,
        id: ExprId,
        var: bolide_cfa::VarId,
        ty: Type,
    ) -> Symbolic {
        let slot = |slot| self.slots.find(slot).map(|s| env.get(s));
        let missing = "every variable has its slots";
        match ty {
            Type::Pointer => Symbolic::Pointer(
                slot(Slot::Object(var)).expect(missing),
                slot(Slot::Offset(var)).expect(missing),
            ),
            Type::BOOL => Symbolic::Bool(slot(Slot::Value(var)).expect(missing)),
            Type::Float(kind) => {
                let pattern = slot(Slot::Value(var)).expect(missing);
                self.float(pattern, kind)
            }
            Type::Int(int) => {
                let value = slot(Slot::Value(var)).expect(missing);
                let known = (self.intervals)(id);
                if int.signed {
                    return Symbolic::Int(value, known);
                }
                // Unsigned variables only ever hold wrapped values; the fact
                // may have been lost by abstraction, so it is stated again.
                if self.store.number(value).is_none() {
                    self.assume_in_type(value, int);
                }
                Symbolic::Int(value, meet(known, type_interval(int)))
            }
        }
    }

    fn load(&mut self, env: &Environment, access: &Access, pointer: Symbolic) -> Symbolic {
        let (object, offset) = pointer.pointer(self.store);
        let value = memory::load(self, env, access, object, offset);
        self.reads.push(Read { access: *access, object, offset, value });
        value
    }

    fn unary(&mut self, op: UnaryOp, a: Symbolic, ty: Type) -> Symbolic {
        if let Type::Float(kind) = ty {
            return floats::unary(self, op, a, kind);
        }
        if op == UnaryOp::Not {
            let condition = a.bool(self.store);
            return Symbolic::Bool(self.store.mk_not(condition));
        }
        let Type::Int(int) = ty else { return self.any(ty) };
        let value = a.int(self.store);
        let (low, high) = interval_of(a);
        let negated = self.store.mk_neg(value);
        let interval = (high.and_then(i128::checked_neg), low.and_then(i128::checked_neg));
        match op {
            UnaryOp::Neg => self.wrapped(negated, interval, int),
            // All bits turned: -1 - x, modulo the width on unsigned types.
            _ => {
                let one = self.store.mk_int(1);
                let result = self.store.mk_sub(negated, one);
                self.wrapped(result, shift(interval, -1), int)
            }
        }
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, a: Symbolic, b: Symbolic, ty: Type) -> Symbolic {
        match ty {
            Type::BOOL => {
                let (x, y) = (a.bool(self.store), b.bool(self.store));
                return Symbolic::Bool(match op {
                    BinaryOp::BitAnd | BinaryOp::Mul => self.store.mk_and(&[x, y]),
                    BinaryOp::BitOr => self.store.mk_or(&[x, y]),
                    BinaryOp::BitXor | BinaryOp::Add | BinaryOp::Sub => self.store.mk_xor(x, y),
                    _ => self.fresh(SortId::BOOL),
                });
            }
            Type::Pointer | Type::Float(_) => return self.any(ty),
            Type::Int(_) => {}
        }
        let Type::Int(int) = ty else { return self.any(ty) };
        let (x, y) = (a.int(self.store), b.int(self.store));
        let (i, j) = (interval_of(a), interval_of(b));
        match op {
            BinaryOp::Add => {
                let sum = self.store.mk_add(&[x, y]);
                self.wrapped(sum, (add(i.0, j.0), add(i.1, j.1)), int)
            }
            BinaryOp::Sub => {
                let difference = self.store.mk_sub(x, y);
                self.wrapped(difference, (sub(i.0, j.1), sub(i.1, j.0)), int)
            }
            BinaryOp::Mul => super::bits::multiply(self, (x, i), (y, j), int),
            BinaryOp::Div | BinaryOp::Rem => super::bits::divide(self, op, (x, i), (y, j), int),
            BinaryOp::Shl | BinaryOp::Shr => super::bits::shift(self, op, (x, i), y, int),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let known = (self.intervals)(id);
                super::bits::bitwise(self, op, (x, i), (y, j), int, known)
            }
        }
    }

    fn compare(&mut self, op: CompareOp, a: Symbolic, b: Symbolic, ty: Type) -> Symbolic {
        let store = &mut *self.store;
        Symbolic::Bool(match ty {
            Type::Float(kind) => floats::compare(self, op, a, b, kind),
            Type::Pointer => {
                let ((o, x), (p, y)) = (a.pointer(store), b.pointer(store));
                let same_object = store.mk_eq(o, p);
                let same_offset = store.mk_eq(x, y);
                match op {
                    CompareOp::Eq => store.mk_and(&[same_object, same_offset]),
                    CompareOp::Ne => {
                        let equal = store.mk_and(&[same_object, same_offset]);
                        store.mk_not(equal)
                    }
                    CompareOp::Lt | CompareOp::Le => {
                        let within =
                            if op == CompareOp::Lt { store.mk_lt(x, y) } else { store.mk_le(x, y) };
                        // Objects that coincide or adjoin tell the two operators apart.
                        let name = format!("before-{op:?}");
                        let across = self.apply(&name, &[o, x, p, y], SortId::BOOL);
                        self.store.mk_ite(same_object, within, across)
                    }
                }
            }
            Type::BOOL => {
                let (x, y) = (a.bool(store), b.bool(store));
                match op {
                    CompareOp::Eq => store.mk_iff(x, y),
                    CompareOp::Ne => store.mk_xor(x, y),
                    CompareOp::Le => store.mk_implies(x, y),
                    CompareOp::Lt => {
                        let not_x = store.mk_not(x);
                        store.mk_and(&[not_x, y])
                    }
                }
            }
            Type::Int(_) => {
                let (x, y) = (a.int(store), b.int(store));
                match op {
                    CompareOp::Eq => store.mk_eq(x, y),
                    CompareOp::Ne => store.mk_neq(x, y),
                    CompareOp::Lt => store.mk_lt(x, y),
                    CompareOp::Le => store.mk_le(x, y),
                }
            }
        })
    }

    /// `a` where the condition holds, else `b`.
    pub fn choose(&mut self, condition: TermId, a: Symbolic, b: Symbolic) -> Symbolic {
        let store = &mut *self.store;
        match (a, b) {
            (Symbolic::Pointer(o, x), _) | (_, Symbolic::Pointer(o, x)) if a != b => {
                let _ = (o, x);
                let ((o, x), (p, y)) = (a.pointer(store), b.pointer(store));
                Symbolic::Pointer(store.mk_ite(condition, o, p), store.mk_ite(condition, x, y))
            }
            (Symbolic::Bool(x), Symbolic::Bool(y)) => Symbolic::Bool(store.mk_ite(condition, x, y)),
            _ if a == b => a,
            _ => {
                let interval = join(interval_of(a), interval_of(b));
                let (x, y) = (a.int(store), b.int(store));
                Symbolic::Int(store.mk_ite(condition, x, y), interval)
            }
        }
    }

    fn cast(
        &mut self,
        env: &Environment,
        to: Type,
        from: Type,
        (a, hoped): (Symbolic, &[Interval]),
    ) -> Symbolic {
        match (from, to) {
            (Type::Float(kind), Type::BOOL) => Symbolic::Bool(floats::nonzero(self, a, kind)),
            (Type::Float(kind), Type::Int(int)) => floats::to_integer(self, (a, hoped), kind, int),
            (_, Type::Float(kind)) => floats::convert(self, (a, hoped), from, kind),
            (Type::Pointer, Type::Pointer) => a,
            (Type::Pointer, Type::BOOL) => Symbolic::Bool(a.bool(self.store)),
            (Type::Pointer, Type::Int(int)) => super::addresses::address(self, a, int),
            (_, Type::Pointer) => {
                let value = a.int(self.store);
                super::addresses::pointer_at(self, env, value)
            }
            (_, Type::BOOL) => Symbolic::Bool(a.bool(self.store)),
            // A signed value that the wider type does not hold overflowed before.
            (Type::Int(from), Type::Int(int))
                if from.signed && int.signed && from.bits < int.bits && from != IntType::BOOL =>
            {
                a
            }
            (_, Type::Int(int)) => {
                let interval = interval_of(a);
                let value = a.int(self.store);
                self.wrap(value, interval, int)
            }
        }
    }

    fn overflows(&mut self, op: BinaryOp, a: Symbolic, b: Symbolic, ty: Type) -> Symbolic {
        let Type::Int(int) = ty else { return Symbolic::Bool(self.store.mk_false()) };
        let (x, y) = (a.int(self.store), b.int(self.store));
        let (low, high) = type_bounds(self.store, int);
        let outside = |store: &mut TermStore, value: TermId| {
            let below = store.mk_lt(value, low);
            let above = store.mk_gt(value, high);
            store.mk_or(&[below, above])
        };
        Symbolic::Bool(match op {
            BinaryOp::Add => {
                let sum = self.store.mk_add(&[x, y]);
                outside(self.store, sum)
            }
            BinaryOp::Sub => {
                let difference = self.store.mk_sub(x, y);
                outside(self.store, difference)
            }
            BinaryOp::Mul => match super::bits::product_overflows(self, x, y, int) {
                Some(overflows) => overflows,
                None => {
                    let product = self.store.mk_mul(&[x, y]);
                    outside(self.store, product)
                }
            },
            BinaryOp::Div | BinaryOp::Rem => {
                let minus_one = self.store.mk_int(-1);
                let least = self.store.mk_eq(x, low);
                let by_minus_one = self.store.mk_eq(y, minus_one);
                self.store.mk_and(&[least, by_minus_one])
            }
            BinaryOp::Shl => super::bits::shift_overflows(self, x, y, int),
            _ => self.store.mk_false(),
        })
    }
}

fn float_kind(ty: Type) -> FloatKind {
    match ty {
        Type::Float(kind) => kind,
        _ => unreachable!("asked of floats only"),
    }
}
