//! The symbols of the theories, applied to arguments.
//!
//! Where an integer stands in place of a real it is converted: in logics of
//! the reals alone, numerals without a point are reals, and other solvers are
//! as lenient.

use crate::{Sort, SortId, TermId, TermStore};
use bolide_base::Integer;

/// `Ok(None)`: not a symbol of a theory. `Err`: it is one, but the arguments do
/// not fit.
pub(crate) fn apply_operator(
    store: &mut TermStore,
    name: &str,
    indices: &[u32],
    args: &[TermId],
) -> Result<Option<TermId>, String> {
    Application { store, name, indices }.apply(args)
}

struct Application<'a> {
    store: &'a mut TermStore,
    name: &'a str,
    indices: &'a [u32],
}

type Applied = Result<Option<TermId>, String>;

impl Application<'_> {
    fn apply(&mut self, args: &[TermId]) -> Applied {
        if !self.indices.is_empty() {
            return self.indexed(args);
        }
        if self.name.starts_with("bv")
            || matches!(self.name, "concat" | "ubv_to_int" | "sbv_to_int")
        {
            return self.bit_vectors(args);
        }
        let result = match self.name {
            "true" => self.arity(args, 0, 0).map(|_| TermId::TRUE),
            "false" => self.arity(args, 0, 0).map(|_| TermId::FALSE),
            "not" | "and" | "or" | "xor" | "=>" | "implies" | "iff" => self.connective(args),
            "ite" => self.ite(args),
            "=" | "distinct" => self.equality(args),
            "<=" | "<" | ">=" | ">" => self.comparison(args),
            "+" | "-" | "*" | "/" | "div" | "mod" | "rem" | "abs" | "to_real" | "to_int"
            | "is_int" => self.arithmetic(args),
            "select" | "store" | "@diff" => self.array(args),
            _ => return Ok(None),
        };
        result.map(Some)
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

    fn all_bool(&self, args: &[TermId]) -> Result<(), String> {
        match args.iter().position(|&a| !self.store.is_bool(a)) {
            Some(index) => Err(self.wrong(args, index, "Bool")),
            None => Ok(()),
        }
    }

    /// The arguments as integers, or as reals when one of them is.
    fn numbers(&mut self, args: &[TermId]) -> Result<Vec<TermId>, String> {
        let bad = args.iter().position(|&a| !self.store.sort(a).is_arithmetic());
        if let Some(index) = bad {
            return Err(self.wrong(args, index, "Int or Real"));
        }
        Ok(self.unify(args))
    }

    fn unify(&mut self, args: &[TermId]) -> Vec<TermId> {
        let mixed = args.iter().any(|&a| self.store.sort(a) == SortId::REAL)
            && args.iter().any(|&a| self.store.sort(a) == SortId::INT);
        if mixed {
            args.iter().map(|&a| coerce(self.store, a, SortId::REAL)).collect()
        } else {
            args.to_vec()
        }
    }

    fn integers(&self, args: &[TermId]) -> Result<(), String> {
        match args.iter().position(|&a| self.store.sort(a) != SortId::INT) {
            Some(index) => Err(self.wrong(args, index, "Int")),
            None => Ok(()),
        }
    }

    fn same_sort(&mut self, args: &[TermId]) -> Result<Vec<TermId>, String> {
        let args = self.unify(args);
        let sort = self.store.sort(args[0]);
        match args.iter().position(|&a| self.store.sort(a) != sort) {
            Some(index) => Err(self.wrong(&args, index, &self.store.sort_text(sort))),
            None => Ok(args),
        }
    }

    // ---- core ----

    fn connective(&mut self, args: &[TermId]) -> Result<TermId, String> {
        self.all_bool(args)?;
        let store = &mut *self.store;
        match self.name {
            "not" => {
                self.arity(args, 1, 1)?;
                Ok(self.store.mk_not(args[0]))
            }
            "and" => Ok(store.mk_and(args)),
            "or" => Ok(store.mk_or(args)),
            "xor" => {
                self.arity(args, 2, usize::MAX)?;
                Ok(args[1..].iter().fold(args[0], |a, &b| self.store.mk_xor(a, b)))
            }
            "iff" => {
                self.arity(args, 2, 2)?;
                Ok(self.store.mk_iff(args[0], args[1]))
            }
            // Right associative: all but the last are premises.
            _ => {
                self.arity(args, 2, usize::MAX)?;
                let (&conclusion, premises) = args.split_last().expect("at least two");
                let mut parts: Vec<TermId> =
                    premises.iter().map(|&p| self.store.mk_not(p)).collect();
                parts.push(conclusion);
                Ok(self.store.mk_or(&parts))
            }
        }
    }

    fn ite(&mut self, args: &[TermId]) -> Result<TermId, String> {
        self.arity(args, 3, 3)?;
        self.all_bool(&args[..1])?;
        let branches = self.same_sort(&args[1..])?;
        Ok(self.store.mk_ite(args[0], branches[0], branches[1]))
    }

    fn equality(&mut self, args: &[TermId]) -> Result<TermId, String> {
        self.arity(args, 2, usize::MAX)?;
        let args = self.same_sort(args)?;
        if self.name == "=" {
            let parts: Vec<TermId> =
                args.windows(2).map(|pair| self.store.mk_eq(pair[0], pair[1])).collect();
            Ok(self.store.mk_and(&parts))
        } else if args.len() > 2000 {
            Err("distinct of more than 2000 arguments".to_owned())
        } else {
            Ok(self.store.mk_distinct(&args))
        }
    }

    // ---- arithmetic ----

    fn comparison(&mut self, args: &[TermId]) -> Result<TermId, String> {
        self.arity(args, 2, usize::MAX)?;
        let args = self.numbers(args)?;
        let parts: Vec<TermId> = args
            .windows(2)
            .map(|pair| match self.name {
                "<=" => self.store.mk_le(pair[0], pair[1]),
                "<" => self.store.mk_lt(pair[0], pair[1]),
                ">=" => self.store.mk_ge(pair[0], pair[1]),
                _ => self.store.mk_gt(pair[0], pair[1]),
            })
            .collect();
        Ok(self.store.mk_and(&parts))
    }

    fn arithmetic(&mut self, args: &[TermId]) -> Result<TermId, String> {
        self.arity(args, 1, usize::MAX)?;
        let args = self.numbers(args)?;
        match self.name {
            "+" => Ok(self.store.mk_add(&args)),
            "*" => Ok(self.store.mk_mul(&args)),
            "-" if args.len() == 1 => Ok(self.store.mk_neg(args[0])),
            "-" => {
                let rest = self.store.mk_add(&args[1..]);
                Ok(self.store.mk_sub(args[0], rest))
            }
            "/" => {
                self.arity(&args, 2, usize::MAX)?;
                let args: Vec<TermId> =
                    args.iter().map(|&a| coerce(self.store, a, SortId::REAL)).collect();
                Ok(args[1..].iter().fold(args[0], |a, &b| self.store.mk_quotient(a, b)))
            }
            "div" => {
                self.arity(&args, 2, usize::MAX)?;
                self.integers(&args)?;
                Ok(args[1..].iter().fold(args[0], |a, &b| self.store.mk_div(a, b)))
            }
            "mod" => {
                self.arity(&args, 2, 2)?;
                self.integers(&args)?;
                Ok(self.store.mk_mod(args[0], args[1]))
            }
            "abs" => {
                self.arity(&args, 1, 1)?;
                Ok(self.store.mk_abs(args[0]))
            }
            "to_real" => {
                self.arity(&args, 1, 1)?;
                Ok(self.store.mk_to_real(args[0]))
            }
            "to_int" | "is_int" => {
                self.arity(&args, 1, 1)?;
                let real = coerce(self.store, args[0], SortId::REAL);
                Ok(if self.name == "to_int" {
                    self.store.mk_to_int(real)
                } else {
                    self.store.mk_is_int(real)
                })
            }
            _ => Err(format!("{} is not supported", self.name)),
        }
    }

    // ---- arrays ----

    fn array(&mut self, args: &[TermId]) -> Result<TermId, String> {
        let count = if self.name == "store" { 3 } else { 2 };
        self.arity(args, count, count)?;
        let sort = self.store.sort(args[0]);
        let Some((index, element)) = self.store.array_sorts(sort) else {
            return Err(self.wrong(args, 0, "an array"));
        };
        if self.name == "@diff" {
            if self.store.sort(args[1]) != sort {
                return Err(self.wrong(args, 1, &self.store.sort_text(sort)));
            }
            return Ok(self.store.mk_diff(args[0], args[1]));
        }
        let at = coerce(self.store, args[1], index);
        if self.store.sort(at) != index {
            return Err(self.wrong(args, 1, &self.store.sort_text(index)));
        }
        if self.name == "select" {
            return Ok(self.store.mk_select(args[0], at));
        }
        let value = coerce(self.store, args[2], element);
        if self.store.sort(value) != element {
            return Err(self.wrong(args, 2, &self.store.sort_text(element)));
        }
        Ok(self.store.mk_store(args[0], at, value))
    }

    // ---- bit-vectors ----

    fn widths(&self, args: &[TermId]) -> Result<(), String> {
        for (index, &arg) in args.iter().enumerate() {
            if self.store.bv_width(self.store.sort(arg)).is_none() {
                return Err(self.wrong(args, index, "a bit-vector"));
            }
        }
        Ok(())
    }

    fn same_width(&self, args: &[TermId]) -> Result<(), String> {
        self.widths(args)?;
        let sort = self.store.sort(args[0]);
        match args.iter().position(|&a| self.store.sort(a) != sort) {
            Some(index) => Err(self.wrong(args, index, &self.store.sort_text(sort))),
            None => Ok(()),
        }
    }

    fn bit_vectors(&mut self, args: &[TermId]) -> Applied {
        let (least, most) = match self.name {
            "bvnot" | "bvneg" | "bv2nat" | "ubv_to_int" | "sbv_to_int" => (1, 1),
            "bvand" | "bvor" | "bvxor" | "bvadd" | "bvmul" | "concat" => (1, usize::MAX),
            "bvnand" | "bvnor" | "bvxnor" | "bvsub" | "bvudiv" | "bvurem" | "bvsdiv" | "bvsrem"
            | "bvsmod" | "bvshl" | "bvlshr" | "bvashr" | "bvult" | "bvule" | "bvugt" | "bvuge"
            | "bvslt" | "bvsle" | "bvsgt" | "bvsge" | "bvcomp" => (2, 2),
            _ => return Ok(None),
        };
        self.arity(args, least, most)?;
        if self.name == "concat" {
            self.widths(args)?;
        } else {
            self.same_width(args)?;
        }
        let s = &mut *self.store;
        let pair = |index: usize| args.get(index).copied().unwrap_or(TermId::TRUE);
        let (a, b) = (args[0], pair(1));
        Ok(Some(match self.name {
            "bvnot" => s.mk_bv_not(a),
            "bvneg" => s.mk_bv_neg(a),
            "bv2nat" | "ubv_to_int" => s.mk_bv_to_int(a, false),
            "sbv_to_int" => s.mk_bv_to_int(a, true),
            "bvand" => s.mk_bv_and(args),
            "bvor" => s.mk_bv_or(args),
            "bvxor" => s.mk_bv_xor(args),
            "bvadd" => s.mk_bv_add(args),
            "bvmul" => s.mk_bv_mul(args),
            "concat" => s.mk_bv_concat(args),
            "bvnand" => {
                let inner = s.mk_bv_and(args);
                s.mk_bv_not(inner)
            }
            "bvnor" => {
                let inner = s.mk_bv_or(args);
                s.mk_bv_not(inner)
            }
            "bvxnor" => {
                let inner = s.mk_bv_xor(args);
                s.mk_bv_not(inner)
            }
            "bvsub" => s.mk_bv_sub(a, b),
            "bvudiv" => s.mk_bv_udiv(a, b),
            "bvurem" => s.mk_bv_urem(a, b),
            "bvsdiv" => s.mk_bv_sdiv(a, b),
            "bvsrem" => s.mk_bv_srem(a, b),
            "bvsmod" => s.mk_bv_smod(a, b),
            "bvshl" => s.mk_bv_shl(a, b),
            "bvlshr" => s.mk_bv_lshr(a, b),
            "bvashr" => s.mk_bv_ashr(a, b),
            "bvult" => s.mk_bv_ult(a, b),
            "bvule" => s.mk_bv_ule(a, b),
            "bvugt" => s.mk_bv_ult(b, a),
            "bvuge" => s.mk_bv_ule(b, a),
            "bvslt" => s.mk_bv_slt(a, b),
            "bvsle" => s.mk_bv_sle(a, b),
            "bvsgt" => s.mk_bv_slt(b, a),
            "bvsge" => s.mk_bv_sle(b, a),
            _ => s.mk_bv_comp(a, b),
        }))
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
        if matches!(self.name, "divisible" | "int2bv" | "int_to_bv") {
            self.arity(args, 1, 1)?;
            self.integers(args)?;
            let &[n] = self.indices else { return Err(format!("{} takes one index", self.name)) };
            if self.name != "divisible" {
                if !(1..=1 << 10).contains(&n) {
                    return Err(format!("a width of {n} is not supported here"));
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
        if !known {
            return Ok(None);
        }
        self.arity(args, 1, 1)?;
        self.widths(args)?;
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

/// Whether the name belongs to a theory and cannot be declared.
pub(crate) fn is_theory_symbol(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "true", "false", "not", "and", "or", "xor", "=>", "ite", "=", "distinct", "<=", "<", ">=",
        ">", "+", "-", "*", "/", "div", "mod", "abs", "to_real", "to_int", "is_int", "select",
        "store", "concat", "bvnot", "bvneg", "bvand", "bvor", "bvxor", "bvadd", "bvmul", "bvnand",
        "bvnor", "bvxnor", "bvsub", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvshl",
        "bvlshr", "bvashr", "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge",
        "bvcomp",
    ];
    NAMES.contains(&name)
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
    Ok(store.mk_const_array(sort, value))
}
