//! The sorts and symbols of floating point in scripts.
//!
//! The kernel has no floats: a float is the bit-vector of its pattern, a rounding mode three bits
//! (see [`float`](crate::float)). While a script is read, a term remembers the sort that it has
//! there by a *dress*, an application of a function of that result sort to the term of the kernel.
//! Every operation of the theory takes the dress off its arguments and puts one on its result, so
//! formulas, and all that leaves the reader but for values to print, are bare.
//!
//! A float in dress is never another NaN than the one of its format, so that equality is that of
//! patterns: symbols, applications and elements of arrays are made so where they are used. What
//! the theory leaves open is left open: a function of the arguments that no script can name.

use crate::float::format::WIDEST_EXPONENT;
use crate::{FloatFormat, Op, RoundingMode, Sort, SortId, TermId, TermStore, Value};
use bolide_base::{HashMap, Integer};

const DRESS: &str = "@dress";
/// The name of the sort of rounding modes.
pub(super) const ROUNDING_MODE: &str = "RoundingMode";
/// The widest significand.
const WIDEST_SIGNIFICAND: u32 = 1 << 12;
/// Exponents of at most so many bits for what takes a digit for each: remainders, reals.
const LONG_DIVISION: u32 = 11;

/// Formats with a name of their own.
const FORMATS: [(&str, FloatFormat); 4] = [
    ("Float16", FloatFormat::HALF),
    ("Float32", FloatFormat::SINGLE),
    ("Float64", FloatFormat::DOUBLE),
    ("Float128", FloatFormat::QUADRUPLE),
];

const MODES: [[&str; 2]; 5] = [
    ["RNE", "roundNearestTiesToEven"],
    ["RNA", "roundNearestTiesToAway"],
    ["RTP", "roundTowardPositive"],
    ["RTN", "roundTowardNegative"],
    ["RTZ", "roundTowardZero"],
];

// ---- sorts ----

/// The sort of floats with so many bits.
pub(super) fn float_sort(
    store: &mut TermStore,
    exponent: u32,
    significand: u32,
) -> Result<SortId, String> {
    if !(2..=WIDEST_EXPONENT).contains(&exponent)
        || !(2..=WIDEST_SIGNIFICAND).contains(&significand)
    {
        return Err(format!(
            "floats have 2 to {WIDEST_EXPONENT} bits of exponent and 2 to {WIDEST_SIGNIFICAND} of significand"
        ));
    }
    Ok(store.mk_uninterpreted_sort(&format!("(_ FloatingPoint {exponent} {significand})")))
}

/// The sort that a name denotes.
pub(super) fn named_sort(store: &mut TermStore, name: &str) -> Option<SortId> {
    if name == ROUNDING_MODE {
        return Some(store.mk_uninterpreted_sort(name));
    }
    let (_, format) = FORMATS.iter().find(|(known, _)| *known == name)?;
    float_sort(store, format.exponent, format.significand).ok()
}

/// Whether scripts must not declare the sort.
pub(super) fn is_sort_name(name: &str) -> bool {
    name == ROUNDING_MODE
        || name.starts_with("(_ ")
        || FORMATS.iter().any(|(known, _)| *known == name)
}

fn sort_name(store: &TermStore, sort: SortId) -> Option<&str> {
    match store.sort_kind(sort) {
        Sort::Uninterpreted(name) => Some(store.name(name)),
        _ => None,
    }
}

/// The format, if the sort is one of floats.
fn format_of(store: &TermStore, sort: SortId) -> Option<FloatFormat> {
    let indices = sort_name(store, sort)?.strip_prefix("(_ FloatingPoint ")?.strip_suffix(')')?;
    let (exponent, significand) = indices.split_once(' ')?;
    Some(FloatFormat { exponent: exponent.parse().ok()?, significand: significand.parse().ok()? })
}

fn is_rounding_mode(store: &TermStore, sort: SortId) -> bool {
    sort_name(store, sort) == Some(ROUNDING_MODE)
}

/// The sort of the kernel for a sort of the script.
pub(super) fn bare_sort(store: &mut TermStore, sort: SortId) -> SortId {
    if let Some(format) = format_of(store, sort) {
        return store.mk_bv_sort(format.width());
    }
    if is_rounding_mode(store, sort) {
        return store.mk_bv_sort(RoundingMode::WIDTH);
    }
    match store.sort_kind(sort) {
        // Recursion is as deep as the sort.
        Sort::Array(index, element) => {
            let (index, element) = (bare_sort(store, index), bare_sort(store, element));
            store.mk_array_sort(index, element)
        }
        _ => sort,
    }
}

// ---- dress ----

/// The term of the kernel as one of the sort of the script.
pub(super) fn dressed(store: &mut TermStore, term: TermId, sort: SortId) -> TermId {
    let kernel = store.sort(term);
    if kernel == sort {
        return term;
    }
    let dress = store.declare_fn(DRESS, &[kernel], sort);
    store.mk_app(dress, &[term])
}

/// The same for a term that may be any pattern of the kernel's sort: made one that the theory
/// tells from all others.
pub(super) fn dressed_any(store: &mut TermStore, term: TermId, sort: SortId) -> TermId {
    let term = if let Some(format) = format_of(store, sort) {
        store.mk_float_canonical(format, term)
    } else if is_rounding_mode(store, sort) {
        let count = store.mk_bv(RoundingMode::ALL.len() as i64, RoundingMode::WIDTH);
        let (is_mode, first) = (store.mk_bv_ult(term, count), store.mk_bv(0, RoundingMode::WIDTH));
        store.mk_ite(is_mode, term, first)
    } else {
        term
    };
    dressed(store, term, sort)
}

/// The term of the kernel.
pub fn bare(store: &TermStore, term: TermId) -> TermId {
    match store.op(term) {
        Op::Apply(function) if store.function_name(function) == DRESS => store.arg(term, 0),
        _ => term,
    }
}

pub(super) fn is_dressed(store: &TermStore, term: TermId) -> bool {
    bare(store, term) != term
}

/// Whether different values of the sort are different in the kernel: not of arrays that hold
/// floats, which may hold different NaN at the same place.
pub(super) fn is_told_apart(store: &mut TermStore, sort: SortId) -> bool {
    match store.sort_kind(sort) {
        Sort::Array(index, element) => {
            bare_sort(store, element) == element && is_told_apart(store, index)
        }
        _ => true,
    }
}

/// The sort of the result of an operator of all sorts, such as `ite`, where it is one of the
/// script.
pub(super) fn result_sort(store: &TermStore, name: &str, args: &[TermId]) -> Option<SortId> {
    match name {
        "ite" => Some(store.sort(args[1])),
        "store" => Some(store.sort(args[0])),
        "select" => store.array_sorts(store.sort(args[0])).map(|(_, element)| element),
        _ => None,
    }
}

/// Two arrays that hold floats, and that an atom compares: they are equal in the kernel, or they
/// hold different values, not different NaN, at an index where the kernel's differ. No value of a
/// script is excluded by that.
pub(super) fn arrays_told_apart(
    store: &mut TermStore,
    a: TermId,
    b: TermId,
) -> Result<TermId, String> {
    let sort = store.sort(a);
    let (_, element) = store.array_sorts(sort).expect("a sort of arrays");
    if store.array_sorts(element).is_some() {
        return Err("comparing arrays of arrays of floats is not supported".to_owned());
    }
    let [a, b] = [a, b].map(|array| bare(store, array));
    let index = store.mk_diff(a, b);
    let mut either = vec![store.mk_eq(a, b)];
    let mut usual = Vec::new();
    for array in [a, b] {
        let held = store.mk_select(array, index);
        let dressed = dressed_any(store, held, element);
        let canonical = bare(store, dressed);
        usual.push(store.mk_eq(held, canonical));
    }
    either.push(store.mk_and(&usual));
    Ok(store.mk_or(&either))
}

// ---- operators ----

/// What an operation makes of its arguments.
#[derive(Clone, Copy, PartialEq)]
enum Makes {
    /// A float of the same format.
    Float,
    /// A truth value.
    Truth,
    /// A truth value for each two neighbours.
    Chain,
}

/// Format, rounding mode (for those without one, any), arguments.
type Build = fn(&mut TermStore, FloatFormat, TermId, &[TermId]) -> TermId;

use Makes::{Chain, Float, Truth};

/// Name, whether a rounding mode comes first, how many floats follow, construction.
type Operator = (&'static str, bool, usize, Makes, Build);

#[rustfmt::skip]
const OPERATORS: &[Operator] = &[
    ("fp.abs", false, 1, Float, |s, f, _, x| s.mk_float_abs(f, x[0])),
    ("fp.neg", false, 1, Float, |s, f, _, x| s.mk_float_neg(f, x[0])),
    ("fp.add", true, 2, Float, |s, f, r, x| s.mk_float_add(f, r, x[0], x[1])),
    ("fp.sub", true, 2, Float, |s, f, r, x| s.mk_float_sub(f, r, x[0], x[1])),
    ("fp.mul", true, 2, Float, |s, f, r, x| s.mk_float_mul(f, r, x[0], x[1])),
    ("fp.div", true, 2, Float, |s, f, r, x| s.mk_float_div(f, r, x[0], x[1])),
    ("fp.fma", true, 3, Float, |s, f, r, x| s.mk_float_fma(f, r, [x[0], x[1], x[2]])),
    ("fp.sqrt", true, 1, Float, |s, f, r, x| s.mk_float_sqrt(f, r, x[0])),
    ("fp.rem", false, 2, Float, |s, f, _, x| s.mk_float_rem(f, x[0], x[1])),
    ("fp.roundToIntegral", true, 1, Float, |s, f, r, x| s.mk_float_round_to_integral(f, r, x[0])),
    ("fp.min", false, 2, Float, |s, f, _, x| extremum(s, f, x, "@fp.min", TermStore::mk_float_min)),
    ("fp.max", false, 2, Float, |s, f, _, x| extremum(s, f, x, "@fp.max", TermStore::mk_float_max)),
    ("fp.leq", false, 2, Chain, |s, f, _, x| s.mk_float_le(f, x[0], x[1])),
    ("fp.lt", false, 2, Chain, |s, f, _, x| s.mk_float_lt(f, x[0], x[1])),
    ("fp.geq", false, 2, Chain, |s, f, _, x| s.mk_float_le(f, x[1], x[0])),
    ("fp.gt", false, 2, Chain, |s, f, _, x| s.mk_float_lt(f, x[1], x[0])),
    ("fp.eq", false, 2, Chain, |s, f, _, x| s.mk_float_eq(f, x[0], x[1])),
    ("fp.isNormal", false, 1, Truth, |s, f, _, x| s.mk_float_is_normal(f, x[0])),
    ("fp.isSubnormal", false, 1, Truth, |s, f, _, x| s.mk_float_is_subnormal(f, x[0])),
    ("fp.isZero", false, 1, Truth, |s, f, _, x| s.mk_float_is_zero(f, x[0])),
    ("fp.isInfinite", false, 1, Truth, |s, f, _, x| s.mk_float_is_infinite(f, x[0])),
    ("fp.isNaN", false, 1, Truth, |s, f, _, x| s.mk_float_is_nan(f, x[0])),
    ("fp.isNegative", false, 1, Truth, |s, f, _, x| s.mk_float_is_negative(f, x[0])),
    ("fp.isPositive", false, 1, Truth, |s, f, _, x| s.mk_float_is_positive(f, x[0])),
];

/// A function that the theory leaves open: its name tells formats of the same width apart.
fn open_function(
    store: &mut TermStore,
    name: &str,
    format: FloatFormat,
    args: &[TermId],
    result: SortId,
) -> TermId {
    let name = format!("{name}_{}_{}", format.exponent, format.significand);
    let sorts: Vec<SortId> = args.iter().map(|&arg| store.sort(arg)).collect();
    let function = store.declare_fn(&name, &sorts, result);
    store.mk_app(function, args)
}

/// `fp.min` or `fp.max`: of two zeros with different signs it may be either.
fn extremum(
    store: &mut TermStore,
    format: FloatFormat,
    x: &[TermId],
    name: &str,
    build: fn(&mut TermStore, FloatFormat, TermId, TermId) -> TermId,
) -> TermId {
    let zeros = [store.mk_float_is_zero(format, x[0]), store.mk_float_is_zero(format, x[1])];
    let different = store.mk_neq(x[0], x[1]);
    let open = store.mk_and(&[zeros[0], zeros[1], different]);
    let usual = build(store, format, x[0], x[1]);
    if open == TermId::FALSE {
        return usual;
    }
    let first = open_function(store, name, format, x, SortId::BOOL);
    let either = store.mk_ite(first, x[0], x[1]);
    store.mk_ite(open, either, usual)
}

/// `Ok(None)`: not a symbol of floating point. `Err`: it is one, but the arguments do not fit.
pub(super) fn apply_float(
    store: &mut TermStore,
    name: &str,
    indices: &[u32],
    args: &[TermId],
) -> Result<Option<TermId>, String> {
    let mut application = Application { store, name, args };
    match (name, indices) {
        ("+oo" | "-oo" | "+zero" | "-zero" | "NaN", &[exponent, significand]) => {
            application.constant(exponent, significand).map(Some)
        }
        ("to_fp" | "to_fp_unsigned", &[exponent, significand]) => {
            let sort = float_sort(application.store, exponent, significand)?;
            application.made_float(sort).map(Some)
        }
        ("fp.to_ubv" | "fp.to_sbv", &[width]) => application.made_bv(width).map(Some),
        (_, []) => application.plain(),
        _ => Ok(None),
    }
}

struct Application<'a> {
    store: &'a mut TermStore,
    name: &'a str,
    /// In dress.
    args: &'a [TermId],
}

impl Application<'_> {
    fn wrong(&self, index: usize, expected: &str) -> String {
        let sort = self.store.sort_text(self.store.sort(self.args[index]));
        format!("argument {} of {} has sort {sort}, expected {expected}", index + 1, self.name)
    }

    fn arity(&self, count: usize) -> Result<(), String> {
        match self.args.len() == count {
            true => Ok(()),
            false => {
                Err(format!("{} takes {count} arguments, here are {}", self.name, self.args.len()))
            }
        }
    }

    fn rounding(&self, index: usize) -> Result<TermId, String> {
        match is_rounding_mode(self.store, self.store.sort(self.args[index])) {
            true => Ok(bare(self.store, self.args[index])),
            false => Err(self.wrong(index, ROUNDING_MODE)),
        }
    }

    fn float(&self, index: usize) -> Result<(FloatFormat, TermId), String> {
        match format_of(self.store, self.store.sort(self.args[index])) {
            Some(format) => Ok((format, bare(self.store, self.args[index]))),
            None => Err(self.wrong(index, "a float")),
        }
    }

    fn constant(&mut self, exponent: u32, significand: u32) -> Result<TermId, String> {
        self.arity(0)?;
        let sort = float_sort(self.store, exponent, significand)?;
        let format = FloatFormat { exponent, significand };
        let negative = self.name.starts_with('-');
        let term = match self.name {
            "NaN" => self.store.mk_float_nan(format),
            "+oo" | "-oo" => self.store.mk_float_infinity(format, negative),
            _ => self.store.mk_float_zero(format, negative),
        };
        Ok(dressed(self.store, term, sort))
    }

    fn plain(&mut self) -> Result<Option<TermId>, String> {
        if let Some(mode) = MODES.iter().position(|names| names.contains(&self.name)) {
            self.arity(0)?;
            let term = self.store.mk_rounding_mode(RoundingMode::ALL[mode]);
            let sort = self.store.mk_uninterpreted_sort(ROUNDING_MODE);
            return Ok(Some(dressed(self.store, term, sort)));
        }
        match self.name {
            "fp" => return self.literal().map(Some),
            "fp.to_real" => return self.made_real().map(Some),
            "fp.to_ieee_bv" => {
                self.arity(1)?;
                return self.float(0).map(|(_, term)| Some(term));
            }
            _ => {}
        }
        let Some(&operator) = OPERATORS.iter().find(|row| row.0 == self.name) else {
            return Ok(None);
        };
        self.operation(operator).map(Some)
    }

    fn operation(&mut self, operator: Operator) -> Result<TermId, String> {
        let (_, rounds, count, makes, build) = operator;
        let first = usize::from(rounds);
        if makes == Chain && self.args.len() < 2 {
            return Err(format!("{} takes at least two arguments", self.name));
        }
        if makes != Chain {
            self.arity(first + count)?;
        }
        let rounding = match rounds {
            true => self.rounding(0)?,
            false => self.store.mk_rounding_mode(RoundingMode::TowardZero),
        };
        let (format, _) = self.float(first)?;
        let sort = self.store.sort(self.args[first]);
        let mut floats = Vec::with_capacity(self.args.len());
        for index in first..self.args.len() {
            if self.store.sort(self.args[index]) != sort {
                return Err(self.wrong(index, &self.store.sort_text(sort)));
            }
            floats.push(bare(self.store, self.args[index]));
        }
        let constant = floats.iter().all(|&x| self.store.is_value(x));
        if self.name == "fp.rem" && format.exponent > LONG_DIVISION && !constant {
            return Err(format!(
                "fp.rem with {} bits of exponent is not supported",
                format.exponent
            ));
        }
        let store = &mut *self.store;
        Ok(match makes {
            Float => {
                let result = build(store, format, rounding, &floats);
                dressed(store, result, sort)
            }
            Truth => build(store, format, rounding, &floats),
            Chain => {
                let pairs: Vec<TermId> =
                    floats.windows(2).map(|pair| build(store, format, rounding, pair)).collect();
                store.mk_and(&pairs)
            }
        })
    }

    /// `(fp sign exponent fraction)`.
    fn literal(&mut self) -> Result<TermId, String> {
        self.arity(3)?;
        let mut widths = [0; 3];
        for (index, width) in widths.iter_mut().enumerate() {
            let sort = self.store.sort(self.args[index]);
            *width = self.store.bv_width(sort).ok_or_else(|| self.wrong(index, "a bit-vector"))?;
        }
        if widths[0] != 1 {
            return Err(self.wrong(0, "(_ BitVec 1)"));
        }
        let sort = float_sort(self.store, widths[1], widths[2] + 1)?;
        let pattern = self.store.mk_bv_concat(self.args);
        Ok(dressed_any(self.store, pattern, sort))
    }

    /// `to_fp` in all its forms: one argument is a pattern, two are a mode and what is rounded.
    fn made_float(&mut self, sort: SortId) -> Result<TermId, String> {
        let to = format_of(self.store, sort).expect("a sort of floats");
        let signed = self.name == "to_fp";
        if let (&[pattern], true) = (self.args, signed) {
            let expected = self.store.mk_bv_sort(to.width());
            if self.store.sort(pattern) != expected {
                return Err(self.wrong(0, &self.store.sort_text(expected)));
            }
            return Ok(dressed_any(self.store, pattern, sort));
        }
        self.arity(2)?;
        let rounding = self.rounding(0)?;
        let argument = self.args[1];
        let source = self.store.sort(argument);
        let result = if self.store.bv_width(source).is_some() {
            self.store.mk_float_from_bv(to, rounding, argument, signed)
        } else if !signed {
            return Err(self.wrong(1, "a bit-vector"));
        } else if let Some(from) = format_of(self.store, source) {
            let pattern = bare(self.store, argument);
            self.store.mk_float_convert(from, to, rounding, pattern)
        } else if source.is_arithmetic() {
            self.rounded_real(to, rounding, argument)?
        } else {
            return Err(self.wrong(1, "a float, a real number or a bit-vector"));
        };
        Ok(dressed(self.store, result, sort))
    }

    /// A real that is a number, or a choice between numbers, as a float.
    fn rounded_real(
        &mut self,
        to: FloatFormat,
        rounding: TermId,
        real: TermId,
    ) -> Result<TermId, String> {
        let mut rounded: HashMap<TermId, TermId> = HashMap::default();
        for term in self.store.subterms(&[real]) {
            if self.store.is_bool(term) {
                continue;
            }
            let value = match (self.store.number(term).cloned(), self.store.args(term)) {
                (Some(number), _) => self.store.mk_float_from_rational(to, rounding, &number),
                (None, &[condition, then, other]) if self.store.op(term) == Op::Ite => {
                    let [then, other] = [then, other].map(|branch| rounded.get(&branch).copied());
                    let (Some(then), Some(other)) = (then, other) else { continue };
                    self.store.mk_ite(condition, then, other)
                }
                _ => continue,
            };
            rounded.insert(term, value);
        }
        let unknown = "to_fp of a real that is no choice between constants is not supported";
        rounded.get(&real).copied().ok_or_else(|| unknown.to_owned())
    }

    /// `fp.to_ubv` or `fp.to_sbv`: open where the integer has no place.
    fn made_bv(&mut self, width: u32) -> Result<TermId, String> {
        self.arity(2)?;
        if !(1..=WIDEST_SIGNIFICAND).contains(&width) {
            return Err(format!("a width of {width} is not supported here"));
        }
        let (rounding, (format, x)) = (self.rounding(0)?, self.float(1)?);
        let signed = self.name == "fp.to_sbv";
        let (value, in_range) = self.store.mk_float_to_bv(format, rounding, x, width, signed);
        if in_range == TermId::TRUE {
            return Ok(value);
        }
        let (name, sort) = (format!("@{}", self.name), self.store.mk_bv_sort(width));
        let open = open_function(self.store, &name, format, &[rounding, x], sort);
        Ok(self.store.mk_ite(in_range, value, open))
    }

    fn made_real(&mut self) -> Result<TermId, String> {
        self.arity(1)?;
        let (format, x) = self.float(0)?;
        let open = open_function(self.store, "@fp.to_real", format, &[x], SortId::REAL);
        if let Some(pattern) = self.store.bv_number(x) {
            return Ok(match format.value(&pattern) {
                Some(value) => self.store.mk_real(value),
                None => open,
            });
        }
        if format.exponent > LONG_DIVISION {
            return Err("fp.to_real of so many bits of exponent is not supported".to_owned());
        }
        let number = self.store.mk_float_to_real(format, x);
        let is_nan = self.store.mk_float_is_nan(format, x);
        let is_infinite = self.store.mk_float_is_infinite(format, x);
        let is_open = self.store.mk_or(&[is_nan, is_infinite]);
        Ok(self.store.mk_ite(is_open, open, number))
    }
}

// ---- values ----

impl TermStore {
    /// A value of the kernel as one of a sort of the script, in SMT-LIB.
    pub fn value_text_as(&self, value: &Value, sort: SortId) -> String {
        match value {
            Value::BitVec(pattern, _) => match format_of(self, sort) {
                Some(format) => float_text(format, pattern),
                None if is_rounding_mode(self, sort) => {
                    let mode = pattern.to_u32().map_or(0, |n| n as usize);
                    MODES.get(mode).unwrap_or(&MODES[0])[0].to_owned()
                }
                None => self.value_text(value),
            },
            Value::Array(array) => {
                let Some((index_sort, element_sort)) = self.array_sorts(sort) else {
                    return self.value_text(value);
                };
                // Recursion is as deep as the sort.
                let default = self.value_text_as(&array.default, element_sort);
                let mut text = format!("((as const {}) {default})", self.sort_text(sort));
                for (index, element) in array.entries() {
                    let index = self.value_text_as(index, index_sort);
                    let element = self.value_text_as(element, element_sort);
                    text = format!("(store {text} {index} {element})");
                }
                text
            }
            _ => self.value_text(value),
        }
    }
}

fn float_text(format: FloatFormat, pattern: &Integer) -> String {
    let infinite = [format.infinity(false), format.infinity(true)].contains(pattern);
    if format.value(pattern).is_none() && !infinite {
        return format!("(_ NaN {} {})", format.exponent, format.significand);
    }
    let bits = |from: u32, count: u32| -> String {
        (from..from + count).rev().map(|i| if pattern.bit(i) { '1' } else { '0' }).collect()
    };
    let fraction = format.significand - 1;
    format!(
        "(fp #b{} #b{} #b{})",
        bits(format.width() - 1, 1),
        bits(fraction, format.exponent),
        bits(0, fraction)
    )
}

/// The bits of the symbol of a sort, as the script can write them.
pub(super) fn pattern_text(store: &TermStore, name: String, sort: SortId) -> String {
    if format_of(store, sort).is_some() {
        return format!("(fp.to_ieee_bv {name})");
    }
    if !is_rounding_mode(store, sort) {
        return name;
    }
    let last = MODES.len() - 1;
    let mut text = String::new();
    for (number, mode) in MODES[..last].iter().enumerate() {
        text += &format!("(ite (= {name} {}) #b{number:03b} ", mode[0]);
    }
    format!("{text}#b{last:03b}{}", ")".repeat(last))
}
