//! Checking of clauses that hold by the meaning of one operator.

use bolide_terms::{Op, TermId, TermStore};

use crate::arithmetic;
use crate::bits::Network;
use crate::polynomial::Polynomial;
use crate::{Literal, Tautology, ensure, powers};

/// Checks one tautology. The network is kept from clause to clause.
pub(crate) fn check_tautology(
    store: &TermStore,
    network: &mut Network,
    clause: &[Literal],
    tautology: &Tautology,
) -> Result<(), String> {
    match *tautology {
        Tautology::Constant => match clause {
            [Literal { atom: TermId::TRUE, positive: true }]
            | [Literal { atom: TermId::FALSE, positive: false }] => Ok(()),
            _ => Err("not a constant".into()),
        },
        Tautology::And(term) => check_junction(store, clause, term, Op::And),
        Tautology::Or(term) => check_junction(store, clause, term, Op::Or),
        Tautology::Iff(term) => check_iff(store, clause, term),
        Tautology::IteBool(term) => check_ite_bool(store, clause, term),
        Tautology::Ite(term) => check_ite(store, clause, term),
        Tautology::Trichotomy(atom) => arithmetic::check_trichotomy(store, clause, atom),
        Tautology::EqualityBound(atom) => arithmetic::check_equality_bound(store, clause, atom),
        Tautology::Div(term) => arithmetic::check_div(store, clause, term),
        Tautology::Mod(term) => arithmetic::check_mod(store, clause, term),
        Tautology::ToInt(term) => arithmetic::check_to_int(store, clause, term),
        Tautology::Quotient(term) => arithmetic::check_quotient(store, clause, term),
        Tautology::ReadWritten(written) => check_read_written(store, clause, written),
        Tautology::ReadOther { store: written, index } => {
            check_read_other(store, clause, written, index)
        }
        Tautology::ReadConstant { array, index } => {
            let value = operand(store, array, Op::ConstArray, 0)?;
            single(clause, |literal| equates_read(store, literal, array, index, value))
        }
        Tautology::Extensionality { left, right } => {
            check_extensionality(store, clause, left, right)
        }
        Tautology::Bits { term, bit } => match clause {
            &[literal] => network.check_bit(store, literal, term, bit),
            _ => Err("not a unit clause".into()),
        },
        Tautology::BitRange(number) => arithmetic::check_bit_range(store, clause, number),
        Tautology::Image { atom, width } => {
            network.check_image(store, clause, atom, width, &arithmetic::ranges(store, clause))
        }
        Tautology::Residue { equality, width } => {
            network.check_residue(store, clause, equality, width)
        }
        Tautology::Remainders { left, right } => {
            arithmetic::check_remainders(store, clause, left, right)
        }
        Tautology::Power { power, at } => powers::check_power(store, network, clause, power, at),
        Tautology::PowerOrder { low, high, difference } => {
            powers::check_order(store, clause, low, high, difference)
        }
        Tautology::LowAnd { conjunction, at } => {
            powers::check_low_and(store, network, clause, conjunction, at)
        }
        Tautology::Product { left, right } => arithmetic::check_product(store, clause, left, right),
    }
}

/// The clause must be exactly one of these sets of literals, which define something.
fn one_of(clause: &[Literal], sets: &[[Literal; 3]], what: &str) -> Result<(), String> {
    let is = |set: &[Literal; 3]| {
        clause.iter().all(|literal| set.contains(literal))
            && set.iter().all(|literal| clause.contains(literal))
    };
    if sets.iter().any(is) { Ok(()) } else { Err(format!("not a clause that defines {what}")) }
}

fn single(clause: &[Literal], test: impl Fn(Literal) -> bool) -> Result<(), String> {
    match clause {
        &[literal] if test(literal) => Ok(()),
        _ => Err("not the unit clause of this rule".into()),
    }
}

fn operand(store: &TermStore, term: TermId, op: Op, position: usize) -> Result<TermId, String> {
    if store.op(term) != op {
        return Err(format!("not a term of {op:?}"));
    }
    store.args(term).get(position).copied().ok_or_else(|| "too few arguments".to_owned())
}

fn check_junction(
    store: &TermStore,
    clause: &[Literal],
    term: TermId,
    op: Op,
) -> Result<(), String> {
    if store.op(term) != op {
        return Err(format!("not a term of {op:?}"));
    }
    // By duality: an `or` is an `and` with all signs changed.
    let dual = |literal: Literal| if op == Op::And { literal } else { !literal };
    let whole = dual(Literal { atom: term, positive: true });
    let parts: Vec<Literal> =
        store.args(term).iter().map(|&arg| dual(Literal::new(store, arg))).collect();
    let valid = if clause.contains(&whole) {
        // whole or not part_1 or ... Long clauses: compare sorted.
        let mut expected: Vec<Literal> = parts.iter().map(|&part| !part).collect();
        expected.push(whole);
        let mut actual = clause.to_vec();
        for set in [&mut expected, &mut actual] {
            set.sort_unstable();
            set.dedup();
        }
        expected == actual
    } else {
        match clause {
            &[a, b] => (a == !whole && parts.contains(&b)) || (b == !whole && parts.contains(&a)),
            _ => false,
        }
    };
    if valid { Ok(()) } else { Err(format!("not a clause that defines {op:?}")) }
}

fn check_iff(store: &TermStore, clause: &[Literal], term: TermId) -> Result<(), String> {
    let (a, b) = match store.args(term) {
        &[a, b] if store.op(term) == Op::Eq && store.is_bool(a) => {
            (Literal::new(store, a), Literal::new(store, b))
        }
        _ => return Err("not an equivalence".into()),
    };
    let whole = Literal { atom: term, positive: true };
    let valid = [[!whole, !a, b], [!whole, a, !b], [whole, a, b], [whole, !a, !b]];
    one_of(clause, &valid, "an equivalence")
}

fn check_ite_bool(store: &TermStore, clause: &[Literal], term: TermId) -> Result<(), String> {
    let &[c, a, b] = store.args(term) else { return Err("not an ite".into()) };
    if store.op(term) != Op::Ite || !store.is_bool(a) {
        return Err("not a Boolean ite".into());
    }
    let [c, a, b] = [c, a, b].map(|arg| Literal::new(store, arg));
    let whole = Literal { atom: term, positive: true };
    let valid = [
        [!whole, !c, a],
        [!whole, c, b],
        [whole, !c, !a],
        [whole, c, !b],
        [!whole, a, b],
        [whole, !a, !b],
    ];
    one_of(clause, &valid, "an ite")
}

fn check_ite(store: &TermStore, clause: &[Literal], term: TermId) -> Result<(), String> {
    let &[c, then, other] = store.args(term) else { return Err("not an ite".into()) };
    if store.op(term) != Op::Ite {
        return Err("not an ite".into());
    }
    let condition = Literal::new(store, c);
    let &[first, second] = clause else { return Err("not two literals".into()) };
    for (guard, equality) in [(first, second), (second, first)] {
        if (guard == !condition && equates(store, equality, term, then))
            || (guard == condition && equates(store, equality, term, other))
        {
            return Ok(());
        }
    }
    Err("not a clause that defines an ite".into())
}

/// Whether the literal says that the two terms are equal.
fn equates(store: &TermStore, literal: Literal, a: TermId, b: TermId) -> bool {
    if store.is_bool(a) {
        return equates_truth(store, literal, a, b);
    }
    if !literal.positive || store.op(literal.atom) != Op::Eq {
        return false;
    }
    let &[left, right] = store.args(literal.atom) else { return false };
    if (left == a && right == b) || (left == b && right == a) {
        return true;
    }
    store.sort(a).is_arithmetic() && {
        let difference = Polynomial::of(store, a).minus(&Polynomial::of(store, b));
        arithmetic::equates(store, literal, &difference)
    }
}

/// The same for truth values, where the equality may have been simplified.
fn equates_truth(store: &TermStore, literal: Literal, a: TermId, b: TermId) -> bool {
    for (x, y) in [(a, b), (b, a)] {
        let x = Literal::new(store, x);
        if (y == TermId::TRUE && literal == x) || (y == TermId::FALSE && literal == !x) {
            return true;
        }
    }
    if store.op(literal.atom) != Op::Eq {
        return false;
    }
    let &[left, right] = store.args(literal.atom) else { return false };
    let [a, b, left, right] = [a, b, left, right].map(|t| Literal::new(store, t));
    // Signs can be moved between the sides and outside.
    let same_atoms = (left.atom == a.atom && right.atom == b.atom)
        || (left.atom == b.atom && right.atom == a.atom);
    let parity = [a, b, left, right, literal].iter().filter(|l| !l.positive).count() % 2;
    same_atoms && parity == 0
}

/// The reads that stand at the top of a literal.
fn reads(store: &TermStore, literal: Literal) -> impl Iterator<Item = TermId> + '_ {
    let candidates = std::iter::once(literal.atom).chain(store.args(literal.atom).iter().copied());
    candidates.filter(|&read| store.op(read) == Op::Select)
}

/// Whether the literal says that `select(array, index)` is `value`.
fn equates_read(
    store: &TermStore,
    literal: Literal,
    array: TermId,
    index: TermId,
    value: TermId,
) -> bool {
    reads(store, literal)
        .any(|read| store.args(read) == [array, index] && equates(store, literal, read, value))
}

fn check_read_written(
    store: &TermStore,
    clause: &[Literal],
    written: TermId,
) -> Result<(), String> {
    let index = operand(store, written, Op::Store, 1)?;
    let value = operand(store, written, Op::Store, 2)?;
    single(clause, |literal| equates_read(store, literal, written, index, value))
}

fn check_read_other(
    store: &TermStore,
    clause: &[Literal],
    written: TermId,
    index: TermId,
) -> Result<(), String> {
    let array = operand(store, written, Op::Store, 0)?;
    let position = operand(store, written, Op::Store, 1)?;
    // The literal select(written, index) = select(array, index).
    let same_elements = |literal: Literal| {
        reads(store, literal).any(|read| {
            store.args(read) == [array, index] && equates_read(store, literal, written, index, read)
        })
    };
    let same_index = |literal: Literal| equates(store, literal, position, index);
    let valid = match *clause {
        [a, b] => (same_index(a) && same_elements(b)) || (same_index(b) && same_elements(a)),
        [a] => arithmetic::surely_different(store, position, index) && same_elements(a),
        _ => false,
    };
    ensure(valid, "not an instance of read over write")
}

fn check_extensionality(
    store: &TermStore,
    clause: &[Literal],
    left: TermId,
    right: TermId,
) -> Result<(), String> {
    let &[a, b] = clause else { return Err("not two literals".into()) };
    for (same, different) in [(a, b), (b, a)] {
        if !equates(store, same, left, right) {
            continue;
        }
        // not (select(left, d) = select(right, d)) with d = diff(left, right).
        for read in reads(store, different).filter(|&read| store.arg(read, 0) == left) {
            let witness = store.arg(read, 1);
            let is_witness = store.op(witness) == Op::Diff && {
                let args = store.args(witness);
                args == [left, right] || args == [right, left]
            };
            if is_witness && equates_read(store, !different, right, witness, read) {
                return Ok(());
            }
        }
    }
    Err("not an instance of extensionality".into())
}
