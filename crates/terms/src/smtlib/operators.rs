//! The symbols of the theories: one table for reading and for printing.
//!
//! A row says what a symbol is called, which operator of the kernel it is, what its arguments
//! must be, and how the term is built. Printing goes from the operator to the name.
//!
//! Where an integer stands in place of a real it is converted: in logics of
//! the reals alone, numerals without a point are reals, and other solvers are
//! as lenient.

use super::floats::{
    apply_float, arrays_told_apart, bare, bare_sort, dressed, dressed_any, is_dressed,
    is_told_apart, result_sort,
};
use crate::{Op, Sort, SortId, TermId, TermStore};
use bolide_base::{HashMap, Integer};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What the arguments must be.
#[derive(Clone, Copy, PartialEq)]
enum Sorts {
    Bools,
    /// Integers, or reals when one of them is.
    Numbers,
    Integers,
    Reals,
    /// Of one sort.
    Alike,
    /// A condition, and two of one sort.
    Choice,
    /// A bit, and two bit-vectors of one width.
    BitChoice,
    /// An array, an index or another array, an element.
    Array,
    /// Bit-vectors.
    Vectors,
    /// Bit-vectors of one width.
    Widths,
}

type Unary = fn(&mut TermStore, TermId) -> TermId;
type Binary = fn(&mut TermStore, TermId, TermId) -> TermId;

/// How the term is built.
#[derive(Clone, Copy)]
enum Build {
    /// By the constructor of the kernel's operator.
    Plain,
    One(Unary),
    Two(Binary),
    /// From the left.
    Fold(Binary),
    /// It holds of all neighbours.
    Chain(Binary),
    All(fn(&mut TermStore, &[TermId]) -> TermId),
    /// The complement of this operator.
    Complement(Op),
}

/// Name, operator of the kernel, arguments and their least and largest number, construction.
type Operator = (&'static str, Option<Op>, Sorts, (usize, usize), Build);

const MANY: usize = usize::MAX;

use Build::{All, Chain, Complement, Fold, One, Plain, Two};
use Sorts::{Alike, Array, BitChoice, Bools, Choice, Integers, Numbers, Reals, Vectors, Widths};

#[rustfmt::skip]
const OPERATORS: &[Operator] = &[
    ("true", Some(Op::True), Bools, (0, 0), Plain),
    ("false", Some(Op::False), Bools, (0, 0), Plain),
    ("not", Some(Op::Not), Bools, (1, 1), Plain),
    ("and", Some(Op::And), Bools, (0, MANY), Plain),
    ("or", Some(Op::Or), Bools, (0, MANY), Plain),
    ("xor", None, Bools, (2, MANY), Fold(TermStore::mk_xor)),
    ("iff", None, Bools, (2, 2), Two(TermStore::mk_iff)),
    ("=>", None, Bools, (2, MANY), All(implication)),
    ("implies", None, Bools, (2, MANY), All(implication)),
    ("ite", Some(Op::Ite), Choice, (3, 3), Plain),
    ("=", Some(Op::Eq), Alike, (2, MANY), Chain(TermStore::mk_eq)),
    ("distinct", None, Alike, (2, MANY), All(TermStore::mk_distinct)),
    ("<=", Some(Op::Le), Numbers, (2, MANY), Chain(TermStore::mk_le)),
    ("<", Some(Op::Lt), Numbers, (2, MANY), Chain(TermStore::mk_lt)),
    (">=", None, Numbers, (2, MANY), Chain(TermStore::mk_ge)),
    (">", None, Numbers, (2, MANY), Chain(TermStore::mk_gt)),
    ("+", Some(Op::Add), Numbers, (1, MANY), Plain),
    ("-", None, Numbers, (1, MANY), All(difference)),
    ("*", Some(Op::Mul), Numbers, (1, MANY), Plain),
    ("/", Some(Op::Quotient), Reals, (2, MANY), Fold(TermStore::mk_quotient)),
    ("div", Some(Op::Div), Integers, (2, MANY), Fold(TermStore::mk_div)),
    ("mod", Some(Op::Mod), Integers, (2, 2), Plain),
    ("int.pow2", Some(Op::Pow2), Integers, (1, 1), Plain),
    ("piand", Some(Op::LowAnd), Integers, (3, 3), Plain),
    ("abs", None, Numbers, (1, 1), One(TermStore::mk_abs)),
    ("to_real", Some(Op::ToReal), Numbers, (1, 1), Plain),
    ("to_int", Some(Op::ToInt), Reals, (1, 1), Plain),
    ("is_int", None, Reals, (1, 1), One(TermStore::mk_is_int)),
    ("select", Some(Op::Select), Array, (2, 2), Plain),
    ("store", Some(Op::Store), Array, (3, 3), Plain),
    ("@diff", Some(Op::Diff), Array, (2, 2), Plain),
    ("concat", Some(Op::BvConcat), Vectors, (1, MANY), Plain),
    ("bvnot", Some(Op::BvNot), Widths, (1, 1), Plain),
    ("bvneg", Some(Op::BvNeg), Widths, (1, 1), Plain),
    ("bvand", Some(Op::BvAnd), Widths, (1, MANY), Plain),
    ("bvor", Some(Op::BvOr), Widths, (1, MANY), Plain),
    ("bvxor", Some(Op::BvXor), Widths, (1, MANY), Plain),
    ("bvadd", Some(Op::BvAdd), Widths, (1, MANY), Plain),
    ("bvmul", Some(Op::BvMul), Widths, (1, MANY), Plain),
    ("bvnand", None, Widths, (2, 2), Complement(Op::BvAnd)),
    ("bvnor", None, Widths, (2, 2), Complement(Op::BvOr)),
    ("bvxnor", None, Widths, (2, 2), Complement(Op::BvXor)),
    ("bvsub", None, Widths, (2, 2), Two(TermStore::mk_bv_sub)),
    ("bvudiv", Some(Op::BvUdiv), Widths, (2, 2), Plain),
    ("bvurem", Some(Op::BvUrem), Widths, (2, 2), Plain),
    ("bvsdiv", None, Widths, (2, 2), Two(TermStore::mk_bv_sdiv)),
    ("bvsrem", None, Widths, (2, 2), Two(TermStore::mk_bv_srem)),
    ("bvsmod", None, Widths, (2, 2), Two(TermStore::mk_bv_smod)),
    ("bvshl", Some(Op::BvShl), Widths, (2, 2), Plain),
    ("bvlshr", Some(Op::BvLshr), Widths, (2, 2), Plain),
    ("bvashr", Some(Op::BvAshr), Widths, (2, 2), Plain),
    ("bvult", Some(Op::BvUlt), Widths, (2, 2), Plain),
    ("bvule", None, Widths, (2, 2), Two(TermStore::mk_bv_ule)),
    ("bvugt", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_ult(b, a))),
    ("bvuge", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_ule(b, a))),
    ("bvslt", Some(Op::BvSlt), Widths, (2, 2), Plain),
    ("bvsle", None, Widths, (2, 2), Two(TermStore::mk_bv_sle)),
    ("bvsgt", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_slt(b, a))),
    ("bvsge", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_sle(b, a))),
    ("bvnego", None, Widths, (1, 1), One(TermStore::mk_bv_neg_overflows)),
    ("bvuaddo", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_add_overflows(a, b, false))),
    ("bvsaddo", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_add_overflows(a, b, true))),
    ("bvusubo", None, Widths, (2, 2), Two(TermStore::mk_bv_ult)),
    ("bvssubo", None, Widths, (2, 2), Two(TermStore::mk_bv_sub_overflows)),
    ("bvumulo", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_mul_overflows(a, b, false))),
    ("bvsmulo", None, Widths, (2, 2), Two(|s, a, b| s.mk_bv_mul_overflows(a, b, true))),
    ("bvsdivo", None, Widths, (2, 2), Two(TermStore::mk_bv_sdiv_overflows)),
    ("bvcomp", None, Widths, (2, 2), Two(TermStore::mk_bv_comp)),
    ("bvredand", None, Widths, (1, 1), One(TermStore::mk_bv_all)),
    ("bvredor", None, Widths, (1, 1), One(TermStore::mk_bv_any)),
    ("bvite", None, BitChoice, (3, 3), All(choice_by_bit)),
    ("ubv_to_int", Some(Op::BvToInt), Widths, (1, 1), Plain),
    ("bv2nat", None, Widths, (1, 1), One(|s, a| s.mk_bv_to_int(a, false))),
    ("sbv_to_int", None, Widths, (1, 1), One(|s, a| s.mk_bv_to_int(a, true))),
];

static BY_NAME: LazyLock<HashMap<&str, &Operator>> =
    LazyLock::new(|| OPERATORS.iter().map(|row| (row.0, row)).collect());

/// The name of an operator that has no indices.
pub(super) fn operator_name(op: Op) -> Option<&'static str> {
    OPERATORS.iter().find(|row| row.1 == Some(op)).map(|row| row.0)
}

/// All but the last are premises.
fn implication(store: &mut TermStore, args: &[TermId]) -> TermId {
    let (&conclusion, premises) = args.split_last().expect("at least two");
    let mut parts: Vec<TermId> = premises.iter().map(|&p| store.mk_not(p)).collect();
    parts.push(conclusion);
    store.mk_or(&parts)
}

/// `bvite`: a bit decides.
fn choice_by_bit(store: &mut TermStore, args: &[TermId]) -> TermId {
    let one = store.mk_bv(1, 1);
    let condition = store.mk_eq(args[0], one);
    store.mk_ite(condition, args[1], args[2])
}

fn difference(store: &mut TermStore, args: &[TermId]) -> TermId {
    match *args {
        [single] => store.mk_neg(single),
        _ => {
            let rest = store.mk_add(&args[1..]);
            store.mk_sub(args[0], rest)
        }
    }
}

/// `Ok(None)`: not a symbol of a theory. `Err`: it is one, but the arguments do
/// not fit. What the formula needs besides is added to the facts.
pub(crate) fn apply_operator(
    store: &mut TermStore,
    name: &str,
    indices: &[u32],
    args: &[TermId],
    facts: &mut Vec<TermId>,
) -> Result<Option<TermId>, String> {
    let known = Application { store, name, indices, facts }.apply(args)?;
    if known.is_some() { Ok(known) } else { apply_float(store, name, indices, args) }
}

struct Application<'a> {
    store: &'a mut TermStore,
    name: &'a str,
    indices: &'a [u32],
    facts: &'a mut Vec<TermId>,
}

type Applied = Result<Option<TermId>, String>;
type Fitted<'s> = Result<Cow<'s, [TermId]>, String>;

impl Application<'_> {
    fn apply(&mut self, args: &[TermId]) -> Applied {
        if !self.indices.is_empty() {
            return self.indexed(args);
        }
        if self.name == "rem" {
            return Err("rem is not supported".to_owned());
        }
        if self.name == "eqrange" {
            return self.equal_range(args).map(Some);
        }
        let Some(&&(_, op, sorts, (least, most), build)) = BY_NAME.get(self.name) else {
            return Ok(None);
        };
        self.arity(args, least, most)?;
        if self.name == "distinct" && args.len() > 2000 {
            return Err("distinct of more than 2000 arguments".to_owned());
        }
        let args = self.fit(sorts, args)?;
        if !args.iter().any(|&arg| is_dressed(self.store, arg)) {
            return Ok(Some(self.build(op, build, &args)));
        }
        if sorts == Alike {
            self.compare_arrays(&args)?;
        }
        let naked: Vec<TermId> = args.iter().map(|&arg| bare(self.store, arg)).collect();
        let term = self.build(op, build, &naked);
        // What an array holds may be any pattern.
        Ok(Some(match result_sort(self.store, self.name, &args) {
            Some(sort) if self.name == "select" => dressed_any(self.store, term, sort),
            Some(sort) => dressed(self.store, term, sort),
            None => term,
        }))
    }

    /// `(eqrange a b i j)`: the arrays hold the same from `i` to `j`, which are numbers that lie near to each other.
    fn equal_range(&mut self, args: &[TermId]) -> Result<TermId, String> {
        const MOST: u32 = 1 << 10;
        self.arity(args, 4, 4)?;
        let &[a, b, first, last] = args else { unreachable!("four arguments") };
        let index = self.store.array_sorts(self.store.sort(a)).map(|(index, _)| index);
        let fits = self.store.sort(a) == self.store.sort(b)
            && [first, last].iter().all(|&end| Some(self.store.sort(end)) == index);
        if !fits || args.iter().any(|&arg| is_dressed(self.store, arg)) {
            return Err("eqrange takes two arrays of one sort and two indices".to_owned());
        }
        let number = |term: TermId| match self.store.bv_number(term) {
            Some(number) => Some(number),
            None if index == Some(SortId::INT) => self.store.number(term)?.to_integer(),
            None => None,
        };
        let bounds = number(first).zip(number(last));
        let Some((first, last)) = bounds.filter(|(i, j)| j - i < Integer::from(MOST)) else {
            return Err("eqrange is for indices that are numbers less than 1024 apart".to_owned());
        };
        let (mut at, mut same) = (first, Vec::new());
        while at <= last {
            let place = match self.store.bv_width(index.expect("an array")) {
                Some(width) => self.store.mk_bv(at.clone(), width),
                None => self.store.mk_int(at.clone()),
            };
            let [left, right] = [a, b].map(|array| self.store.mk_select(array, place));
            same.push(self.store.mk_eq(left, right));
            at += Integer::ONE;
        }
        Ok(self.store.mk_and(&same))
    }

    /// Takes note of what must hold for arrays of floats that are compared.
    fn compare_arrays(&mut self, args: &[TermId]) -> Result<(), String> {
        let sort = self.store.sort(args[0]);
        if is_told_apart(self.store, sort) {
            return Ok(());
        }
        for (index, &a) in args.iter().enumerate() {
            for &b in &args[index + 1..] {
                let fact = arrays_told_apart(self.store, a, b)?;
                self.facts.push(fact);
            }
        }
        Ok(())
    }

    fn build(&mut self, op: Option<Op>, build: Build, args: &[TermId]) -> TermId {
        let store = &mut *self.store;
        // None of these operators looks at the sort that it is given.
        let mut plain = |op: Op| store.rebuild(op, SortId::BOOL, args);
        match build {
            Plain => plain(op.expect("a plain symbol is an operator of the kernel")),
            Complement(op) => {
                let inner = plain(op);
                store.mk_bv_not(inner)
            }
            One(f) => f(store, args[0]),
            Two(f) => f(store, args[0], args[1]),
            Fold(f) => args[1..].iter().fold(args[0], |a, &b| f(store, a, b)),
            Chain(f) => {
                let pairs: Vec<TermId> =
                    args.windows(2).map(|pair| f(store, pair[0], pair[1])).collect();
                store.mk_and(&pairs)
            }
            All(f) => f(store, args),
        }
    }

    // ---- checking arguments ----

    fn arity(&self, args: &[TermId], least: usize, most: usize) -> Result<(), String> {
        if args.len() < least || args.len() > most {
            return Err(format!("{} does not take {} arguments", self.name, args.len()));
        }
        Ok(())
    }

    fn wrong(&self, args: &[TermId], index: usize, expected: &str) -> String {
        let sort = self.store.sort_text(self.store.sort(args[index]));
        format!("argument {} of {} has sort {sort}, expected {expected}", index + 1, self.name)
    }

    /// All arguments are `expected`, in words.
    fn all(
        &self,
        args: &[TermId],
        expected: &str,
        fits: impl Fn(&TermStore, SortId) -> bool,
    ) -> Result<(), String> {
        match args.iter().position(|&a| !fits(self.store, self.store.sort(a))) {
            Some(index) => Err(self.wrong(args, index, expected)),
            None => Ok(()),
        }
    }

    /// The arguments, converted where that makes them what they must be.
    fn fit<'s>(&mut self, sorts: Sorts, args: &'s [TermId]) -> Fitted<'s> {
        match sorts {
            Bools => self.all(args, "Bool", |_, sort| sort == SortId::BOOL)?,
            Integers => self.all(args, "Int", |_, sort| sort == SortId::INT)?,
            Numbers | Reals => self.all(args, "Int or Real", |_, sort| sort.is_arithmetic())?,
            Vectors | Widths | BitChoice => {
                self.all(args, "a bit-vector", |store, sort| store.bv_width(sort).is_some())?;
            }
            Alike | Choice | Array => {}
        }
        Ok(match sorts {
            Numbers => self.unify(args),
            Reals => self.reals(args),
            Alike | Widths => self.same_sort(args)?,
            Choice => {
                self.all(&args[..1], "Bool", |_, sort| sort == SortId::BOOL)?;
                let branches = self.same_sort(&args[1..])?;
                vec![args[0], branches[0], branches[1]].into()
            }
            BitChoice => {
                self.all(&args[..1], "(_ BitVec 1)", |store, sort| {
                    store.bv_width(sort) == Some(1)
                })?;
                self.same_sort(&args[1..])?;
                args.into()
            }
            Array => self.array(args)?.into(),
            Bools | Integers | Vectors => args.into(),
        })
    }

    fn reals<'s>(&mut self, args: &[TermId]) -> Cow<'s, [TermId]> {
        args.iter().map(|&a| coerce(self.store, a, SortId::REAL)).collect()
    }

    fn unify<'s>(&mut self, args: &'s [TermId]) -> Cow<'s, [TermId]> {
        let mixed = args.iter().any(|&a| self.store.sort(a) == SortId::REAL)
            && args.iter().any(|&a| self.store.sort(a) == SortId::INT);
        if mixed { self.reals(args) } else { args.into() }
    }

    fn same_sort<'s>(&mut self, args: &'s [TermId]) -> Fitted<'s> {
        let args = self.unify(args);
        let sort = self.store.sort(args[0]);
        self.all(&args, &self.store.sort_text(sort), |_, other| other == sort)?;
        Ok(args)
    }

    fn array(&mut self, args: &[TermId]) -> Result<Vec<TermId>, String> {
        let sort = self.store.sort(args[0]);
        let Some((index, element)) = self.store.array_sorts(sort) else {
            return Err(self.wrong(args, 0, "an array"));
        };
        let expected =
            if self.name == "@diff" { [sort, sort, sort] } else { [sort, index, element] };
        let mut result = Vec::with_capacity(args.len());
        for (position, &sort) in expected.iter().enumerate().take(args.len()) {
            let arg = coerce(self.store, args[position], sort);
            if self.store.sort(arg) != sort {
                return Err(self.wrong(args, position, &self.store.sort_text(sort)));
            }
            result.push(arg);
        }
        Ok(result)
    }

    /// `((_ name i ..) args)`.
    fn indexed(&mut self, args: &[TermId]) -> Applied {
        const WIDEST: u32 = 1 << 24;
        if let Some(digits) = self.name.strip_prefix("bv")
            && let Some(value) = Integer::from_str_radix(digits, 10)
        {
            self.arity(args, 0, 0)?;
            let &[width] = self.indices else { return Err("bv takes one width".to_owned()) };
            if !(1..=WIDEST).contains(&width) || value.bit_length() > width {
                return Err(format!("{digits} does not fit {width} bits"));
            }
            return Ok(Some(self.store.mk_bv(value, width)));
        }
        let known = matches!(
            self.name,
            "extract" | "zero_extend" | "sign_extend" | "repeat" | "rotate_left" | "rotate_right"
        );
        if matches!(self.name, "divisible" | "int2bv" | "nat2bv" | "int_to_bv") {
            self.arity(args, 1, 1)?;
            self.all(args, "Int", |_, sort| sort == SortId::INT)?;
            let &[n] = self.indices else { return Err(format!("{} takes one index", self.name)) };
            if self.name != "divisible" {
                if !(1..=WIDEST).contains(&n) {
                    return Err(format!("{n} bits are no width"));
                }
                return Ok(Some(self.store.mk_int_to_bv(n, args[0])));
            }
            if n == 0 {
                return Err("divisible by zero".to_owned());
            }
            let (divisor, zero) = (self.store.mk_int(n), self.store.mk_int(0));
            let remainder = self.store.mk_mod(args[0], divisor);
            return Ok(Some(self.store.mk_eq(remainder, zero)));
        }
        if let ("iand", &[width]) = (self.name, self.indices) {
            self.arity(args, 2, 2)?;
            self.all(args, "Int", |_, sort| sort == SortId::INT)?;
            if !(1..=WIDEST).contains(&width) {
                return Err(format!("{width} bits are no width"));
            }
            let count = self.store.mk_int(width);
            return Ok(Some(self.store.mk_low_and(count, args[0], args[1])));
        }
        if !known {
            return Ok(None);
        }
        self.arity(args, 1, 1)?;
        self.fit(Vectors, args)?;
        let width = self.store.width(args[0]);
        match (self.name, self.indices) {
            ("extract", &[high, low]) => {
                if high < low || high >= width {
                    return Err(format!("bits {high} to {low} of {width} bits"));
                }
                Ok(Some(self.store.mk_bv_extract(high, low, args[0])))
            }
            ("zero_extend" | "sign_extend", &[amount]) if amount <= WIDEST - width.min(WIDEST) => {
                Ok(Some(if self.name == "zero_extend" {
                    self.store.mk_bv_zero_extend(amount, args[0])
                } else {
                    self.store.mk_bv_sign_extend(amount, args[0])
                }))
            }
            ("repeat", &[times]) if times >= 1 && times <= WIDEST / width.max(1) => {
                Ok(Some(self.store.mk_bv_repeat(times, args[0])))
            }
            ("rotate_left", &[amount]) => Ok(Some(self.store.mk_bv_rotate_left(amount, args[0]))),
            ("rotate_right", &[amount]) => Ok(Some(self.store.mk_bv_rotate_right(amount, args[0]))),
            _ => Err(format!("wrong indices for {}", self.name)),
        }
    }
}

/// The term as one of the sort, where an integer can be read as a real.
pub(crate) fn coerce(store: &mut TermStore, term: TermId, sort: SortId) -> TermId {
    if sort == SortId::REAL && store.sort(term) == SortId::INT {
        store.mk_to_real(term)
    } else {
        term
    }
}

/// Whether nested applications of the symbol may be written as one.
pub(crate) fn is_associative(name: &str) -> bool {
    matches!(name, "and" | "or" | "+" | "bvand" | "bvor" | "bvadd")
}

/// Whether the name belongs to a theory and cannot be declared. Names that only some solvers
/// know can be.
pub(crate) fn is_theory_symbol(name: &str) -> bool {
    let lenient = [
        "implies",
        "iff",
        "@diff",
        "bv2nat",
        "ubv_to_int",
        "sbv_to_int",
        "bvredand",
        "bvredor",
        "bvite",
    ];
    let overflows = name.starts_with("bv") && name.ends_with('o');
    BY_NAME.contains_key(name) && !lenient.contains(&name) && !overflows
}

/// The array of the sort that holds the value everywhere.
pub(crate) fn const_array(
    store: &mut TermStore,
    sort: SortId,
    args: &[TermId],
) -> Result<TermId, String> {
    let (&[value], Sort::Array(_, element)) = (args, store.sort_kind(sort)) else {
        return Err("as const takes an array sort and one value".to_owned());
    };
    let value = coerce(store, value, element);
    if store.sort(value) != element {
        let (found, expected) = (store.sort_text(store.sort(value)), store.sort_text(element));
        return Err(format!("the value has sort {found}, expected {expected}"));
    }
    let (kernel, value) = (bare_sort(store, sort), bare(store, value));
    let array = store.mk_const_array(kernel, value);
    Ok(dressed(store, array, sort))
}
