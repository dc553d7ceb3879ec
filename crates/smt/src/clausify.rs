//! Clausal form without new names.
//!
//! After Tseitin, with the polarities of Plaisted and Greenbaum, but the variable of a
//! subformula *is* that subformula: nothing is invented, every
//! clause added here is a tautology that the proof names as such, and
//! interpolants need no definitions unfolded. An asserted formula is taken
//! apart as far as conjunctions and clauses go without any variable for the formula
//! itself; what is skipped are resolution steps in the proof.
//!
//! Terms that are not Boolean are defined here as well where a theory sees only
//! an opaque leaf: `ite`, `div`, `mod`, `to_int`, quotients, and arithmetic
//! equalities, which are tied to the two inequalities that the simplex understands.
//!
//! Required: a direction of an atom that is not wanted may be assigned wrongly by
//! the search; so everything that reads truth values of compound formulas asks
//! for [`Context::literal`], which wants both.

use bolide_base::{Integer, Rational};
use bolide_proof::{Literal, Partition, Tautology};
use bolide_sat::{Keep, Lit, ProofId, Var};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

use crate::context::{Context, NEGATIVE, POSITIVE};
use crate::powers;

/// A clause that the user asserted, on its way to the search.
pub(crate) struct Asserted {
    pub lits: Vec<Lit>,
    pub proof: ProofId,
}

/// Whether the atom is a connective, which clauses define.
pub(crate) fn is_connective(store: &TermStore, atom: TermId) -> bool {
    match store.op(atom) {
        Op::And | Op::Or | Op::True | Op::False => true,
        Op::Ite => true,
        Op::Eq => store.is_bool(store.arg(atom, 0)),
        _ => false,
    }
}

/// The clauses that follow when the connective `atom` has this value.
fn consequences(store: &TermStore, atom: TermId, value: bool) -> (Vec<Vec<Literal>>, Tautology) {
    let lit = |t: TermId| Literal::new(store, t);
    let args = store.args(atom);
    match store.op(atom) {
        Op::And | Op::Or => {
            let is_and = store.op(atom) == Op::And;
            let rule = if is_and { Tautology::And(atom) } else { Tautology::Or(atom) };
            let signed = args.iter().map(|&a| if value { lit(a) } else { !lit(a) });
            let clauses = if is_and == value {
                signed.map(|l| vec![l]).collect()
            } else {
                vec![signed.collect()]
            };
            (clauses, rule)
        }
        Op::Eq => {
            let (a, b) = (lit(args[0]), lit(args[1]));
            let b = if value { b } else { !b };
            (vec![vec![!a, b], vec![a, !b]], Tautology::Iff(atom))
        }
        Op::Ite => {
            let (c, mut a, mut b) = (lit(args[0]), lit(args[1]), lit(args[2]));
            if !value {
                (a, b) = (!a, !b);
            }
            (vec![vec![!c, a], vec![c, b], vec![a, b]], Tautology::IteBool(atom))
        }
        Op::True if !value => (vec![vec![]], Tautology::Constant),
        Op::False if value => (vec![vec![]], Tautology::Constant),
        _ => (vec![], Tautology::Constant),
    }
}

/// Turns an asserted formula into clauses.
pub(crate) fn assert_formula(
    cx: &mut Context<'_>,
    formula: TermId,
    partition: Partition,
    out: &mut Vec<Asserted>,
) {
    let literal = Literal::new(cx.store, formula);
    let proof = cx.shared.log.assertion(literal, formula, partition);
    if !cx.wants_proof()
        && let Some(lits) = plain_clause(cx, literal)
    {
        out.push(Asserted { lits, proof });
        return;
    }
    decompose(cx, literal, proof, &mut |_, lits, proof| out.push(Asserted { lits, proof }));
}

/// The literals of a disjunction of atoms, the commonest formula by far: what
/// [`decompose`] would find on a longer way.
fn plain_clause(cx: &mut Context<'_>, literal: Literal) -> Option<Vec<Lit>> {
    if cx.store.op(literal.atom) != Op::Or || !literal.positive {
        return None;
    }
    let mut lits = Vec::with_capacity(cx.store.args(literal.atom).len());
    for i in 0..cx.store.args(literal.atom).len() {
        let disjunct = Literal::new(cx.store, cx.store.arg(literal.atom, i));
        if is_connective(cx.store, disjunct.atom) {
            return None;
        }
        lits.push(disjunct);
    }
    Some(lits.into_iter().map(|disjunct| cx.literal_if_true(disjunct)).collect())
}

/// Adds the clauses of a formula that is valid by the meaning of an operator,
/// without a variable for the formula itself.
pub(crate) fn add_valid_formula(cx: &mut Context<'_>, formula: TermId, tautology: Tautology) {
    if formula == TermId::TRUE {
        return;
    }
    let literal = Literal::new(cx.store, formula);
    let proof = cx.shared.log.tautology([literal], tautology);
    decompose(cx, literal, proof, &mut |cx, lits, proof| {
        cx.shared.outbox.push(&lits, Keep::Always, proof);
    });
}

/// Takes a proven formula apart into clauses.
fn decompose(
    cx: &mut Context<'_>,
    literal: Literal,
    proof: ProofId,
    out: &mut dyn FnMut(&mut Context<'_>, Vec<Lit>, ProofId),
) {
    let mut work = vec![(vec![literal], proof)];
    while let Some((clause, proof)) = work.pop() {
        if let [literal] = clause[..]
            && is_connective(cx.store, literal.atom)
        {
            let (clauses, rule) = consequences(cx.store, literal.atom, literal.positive);
            // The last conjunct is taken from the stack first; keep the order.
            for consequence in clauses.into_iter().rev() {
                let log = &mut cx.shared.log;
                let full = [!literal].into_iter().chain(consequence.iter().copied());
                let first = log.tautology(full, rule.clone());
                let proof = log.resolution(consequence.iter().copied(), first, [(literal, proof)]);
                work.push((consequence, proof));
            }
            continue;
        }
        let (clause, proof) = flatten(cx, clause, proof);
        let lits = clause.iter().map(|&literal| cx.literal_if_true(literal)).collect();
        out(cx, lits, proof);
    }
}

/// Replaces disjunctions in a clause by their disjuncts.
fn flatten(
    cx: &mut Context<'_>,
    mut clause: Vec<Literal>,
    proof: ProofId,
) -> (Vec<Literal>, ProofId) {
    let is_disjunction = |store: &TermStore, l: &Literal| {
        store.op(l.atom) == if l.positive { Op::Or } else { Op::And }
    };
    if clause.len() < 2 || !clause.iter().any(|l| is_disjunction(cx.store, l)) {
        return (clause, proof);
    }
    let mut chain = Vec::new();
    let mut next = 0;
    while next < clause.len() {
        let literal = clause[next];
        if !is_disjunction(cx.store, &literal) {
            next += 1;
            continue;
        }
        let (mut clauses, rule) = consequences(cx.store, literal.atom, literal.positive);
        let disjuncts = clauses.pop().expect("a disjunction has one clause");
        let full = [&[!literal], disjuncts.as_slice()].concat();
        let step = cx.shared.log.tautology(full, rule);
        chain.push((!literal, step));
        clause.swap_remove(next);
        for disjunct in disjuncts {
            if !clause.contains(&disjunct) {
                clause.push(disjunct);
            }
        }
        if clause.contains(&literal) {
            // Cannot happen with acyclic terms.
            unreachable!("a formula contains itself");
        }
    }
    let proof = cx.shared.log.resolution(clause.iter().copied(), proof, chain);
    (clause, proof)
}

/// Adds the clauses that the atom's wanted directions lack; true when the atom
/// is one of a theory and new, so that theories are to be told.
pub(crate) fn define(cx: &mut Context<'_>, var: Var) -> bool {
    let atom = cx.atom(var);
    let definitions = &mut cx.shared.definitions;
    let missing = definitions.wanted[var.index()] & !definitions.done[var.index()];
    if missing == 0 {
        return false;
    }
    let is_new = definitions.done[var.index()] == 0;
    if !is_connective(cx.store, atom) {
        // Both directions at once.
        definitions.done[var.index()] = POSITIVE | NEGATIVE;
        if is_new {
            define_atom(cx, atom);
        }
        return is_new;
    }
    definitions.done[var.index()] |= missing;
    for (direction, value) in [(POSITIVE, true), (NEGATIVE, false)] {
        if missing & direction == 0 {
            continue;
        }
        let (clauses, rule) = consequences(cx.store, atom, value);
        for consequence in clauses {
            let mut lits = vec![var.lit(!value)];
            lits.extend(consequence.into_iter().map(|literal| cx.literal_if_true(literal)));
            let shared = &mut *cx.shared;
            let clause = lits.iter().map(|&lit| shared.atoms.literal(lit));
            let proof = shared.log.tautology(clause, rule.clone());
            shared.outbox.push(&lits, Keep::Always, proof);
        }
    }
    false
}

/// The definitions of an atom of a theory and of the terms in it.
fn define_atom(cx: &mut Context<'_>, atom: TermId) {
    if matches!(cx.store.op(atom), Op::Forall | Op::Exists) {
        return;
    }
    let args = cx.store.args(atom).to_vec();
    if cx.store.op(atom) == Op::Eq && cx.store.sort(args[0]).is_arithmetic() {
        define_equality(cx, atom, args[0], args[1]);
    }
    let mut work = args;
    while let Some(term) = work.pop() {
        if cx.store.is_bool(term) {
            if !matches!(cx.store.op(term), Op::True | Op::False) {
                cx.literal(term);
            }
            continue;
        }
        if !cx.shared.definitions.terms.insert(term) {
            continue;
        }
        cx.shared.definitions.terms_log.push(term);
        define_term(cx, term);
        work.extend_from_slice(cx.store.args(term));
    }
}

fn define_term(cx: &mut Context<'_>, term: TermId) {
    match cx.store.op(term) {
        // Bit-vectors are chosen between bit by bit.
        Op::Ite if cx.store.bv_width(cx.store.sort(term)).is_none() => {
            let &[condition, then, other] = cx.store.args(term) else { unreachable!() };
            let not_condition = cx.store.mk_not(condition);
            let is_then = cx.store.mk_eq_plain(term, then);
            let is_other = cx.store.mk_eq_plain(term, other);
            cx.tautology(&[not_condition, is_then], Tautology::Ite(term));
            cx.tautology(&[condition, is_other], Tautology::Ite(term));
        }
        Op::Div => define_div(cx, term),
        Op::Mod => {
            let &[dividend, divisor] = cx.store.args(term) else { unreachable!() };
            // term = dividend - divisor * (dividend div divisor), unless dividing by zero.
            let quotient = cx.store.mk_div_plain(dividend, divisor);
            let multiple = cx.store.mk_mul(&[divisor, quotient]);
            let sum = cx.store.mk_add(&[term, multiple]);
            let zero = cx.store.mk_int(0);
            let by_zero = cx.store.mk_eq(divisor, zero);
            if by_zero == TermId::TRUE {
                return;
            }
            let below = cx.store.mk_le(sum, dividend);
            let above = cx.store.mk_ge(sum, dividend);
            cx.tautology(&[by_zero, below], Tautology::Mod(term));
            cx.tautology(&[by_zero, above], Tautology::Mod(term));
            if cx.store.number(divisor).is_none() {
                // The quotient may not occur elsewhere.
                cx.shared.definitions.terms.insert(quotient);
                cx.shared.definitions.terms_log.push(quotient);
                define_div(cx, quotient);
            }
        }
        Op::ToInt => {
            let real = cx.store.arg(term, 0);
            let floor = cx.store.mk_to_real(term);
            let one = cx.store.mk_real(Rational::ONE);
            let next = cx.store.mk_add(&[floor, one]);
            let below = cx.store.mk_le(floor, real);
            let above = cx.store.mk_lt(real, next);
            cx.tautology(&[below], Tautology::ToInt(term));
            cx.tautology(&[above], Tautology::ToInt(term));
        }
        Op::BvToInt => {
            let width = cx.store.width(cx.store.arg(term, 0));
            let (zero, end) = (cx.store.mk_int(0), cx.store.mk_int(Integer::pow2(width)));
            for bound in [cx.store.mk_ge(term, zero), cx.store.mk_lt(term, end)] {
                cx.tautology(&[bound], Tautology::BitRange(term));
            }
        }
        Op::Pow2 | Op::LowAnd => powers::define(cx, term),
        Op::Quotient => {
            let &[dividend, divisor] = cx.store.args(term) else { unreachable!() };
            let zero = cx.store.mk_real(Rational::ZERO);
            let by_zero = cx.store.mk_eq(divisor, zero);
            if by_zero == TermId::TRUE {
                return;
            }
            let product = cx.store.mk_mul(&[divisor, term]);
            let exact = cx.store.mk_eq(product, dividend);
            cx.tautology(&[by_zero, exact], Tautology::Quotient(term));
        }
        _ => {}
    }
}

/// `d * q <= x < d * q + |d|` for `q = x div d`, unless `d` is zero.
fn define_div(cx: &mut Context<'_>, term: TermId) {
    if cx.store.op(term) != Op::Div {
        return;
    }
    let &[dividend, divisor] = cx.store.args(term) else { unreachable!() };
    let zero = cx.store.mk_int(0);
    let by_zero = cx.store.mk_eq(divisor, zero);
    if by_zero == TermId::TRUE {
        return;
    }
    let multiple = cx.store.mk_mul(&[divisor, term]);
    let below = cx.store.mk_le(multiple, dividend);
    cx.tautology(&[by_zero, below], Tautology::Div(term));
    // Divisors that are numbers are positive, see the constructor.
    let next = cx.store.mk_add(&[multiple, divisor]);
    let above = cx.store.mk_lt(dividend, next);
    let not_positive = cx.store.mk_le(divisor, zero);
    cx.tautology(&[not_positive, above], Tautology::Div(term));
    if cx.store.number(divisor).is_none() {
        let next = cx.store.mk_sub(multiple, divisor);
        let above = cx.store.mk_lt(dividend, next);
        let not_negative = cx.store.mk_ge(divisor, zero);
        cx.tautology(&[not_negative, above], Tautology::Div(term));
    }
}

/// Ties `a = b` to `a <= b` and `a >= b`.
fn define_equality(cx: &mut Context<'_>, atom: TermId, a: TermId, b: TermId) {
    let sort = cx.store.sort(a);
    let form = cx.store.linear_difference(a, b);
    let mut opposite = form.clone();
    opposite.scale(&Rational::MINUS_ONE);
    let at_most = nonpositive(cx.store, form, sort);
    let at_least = nonpositive(cx.store, opposite, sort);
    let (less, greater) = (cx.store.mk_not(at_least), cx.store.mk_not(at_most));
    let different = cx.store.mk_not(atom);
    cx.tautology(&[atom, less, greater], Tautology::Trichotomy(atom));
    cx.tautology(&[different, at_most], Tautology::EqualityBound(atom));
    cx.tautology(&[different, at_least], Tautology::EqualityBound(atom));
}

/// `form <= 0`, where a single `ite` is bounded itself instead of being looked
/// into, which would make a definition of the `ite` empty.
fn nonpositive(store: &mut TermStore, form: LinearForm, sort: SortId) -> TermId {
    let [(leaf, coefficient)] = form.terms.as_slice() else {
        return store.mk_nonpositive(form, sort, false);
    };
    if store.op(*leaf) != Op::Ite {
        return store.mk_nonpositive(form, sort, false);
    }
    let leaf = *leaf;
    let bound = -(&form.constant / coefficient);
    let is_upper = coefficient.is_positive();
    match (sort == SortId::INT, is_upper) {
        (true, true) => {
            let k = store.mk_int(bound.floor());
            store.mk_bound_plain(leaf, k, false)
        }
        (true, false) => {
            let k = store.mk_int(bound.ceil() - Integer::ONE);
            let below = store.mk_bound_plain(leaf, k, false);
            store.mk_not(below)
        }
        (false, true) => {
            let k = store.mk_real(bound);
            store.mk_bound_plain(leaf, k, false)
        }
        (false, false) => {
            let k = store.mk_real(bound);
            let below = store.mk_bound_plain(leaf, k, true);
            store.mk_not(below)
        }
    }
}
