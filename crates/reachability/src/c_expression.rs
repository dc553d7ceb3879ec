//! Formulas as C expressions, for witnesses and for people.
//!
//! Formulas speak of mathematical integers; C must mean the same and must not overflow where they do
//! not. A comparison is brought to the form `sum op sum` with positive
//! coefficients. Where C compares the same numbers anyway (a variable with a
//! small constant, two variables of one type) it is written so; else every
//! variable is cast to `long long`. What does not surely fit there (64-bit variables in sums,
//! unsigned ones at all), and what cannot be said in C (memory, uninterpreted functions,
//! large numbers), gives no expression.

use bolide_cfa::{IntType, Type};
use bolide_terms::{Op, TermId, TermStore};

/// A variable of the program.
#[derive(Clone, Debug)]
pub struct Name {
    /// How C calls it.
    pub text: String,
    /// Its type.
    pub ty: Type,
}

/// How a state constant is called in C; none where it has no name there.
pub type Names<'a> = &'a dyn Fn(TermId) -> Option<Name>;

/// The formula as a C expression; none if it cannot be said in C.
pub fn c_expression(store: &TermStore, names: Names<'_>, formula: TermId) -> Option<String> {
    Writer { store, names }.formula(formula, 0)
}

/// Formulas nested deeper are of no use to anybody.
const DEPTH: usize = 60;

#[derive(Clone, Copy)]
struct Writer<'a> {
    store: &'a TermStore,
    names: Names<'a>,
}

impl Writer<'_> {
    fn formula(self, formula: TermId, depth: usize) -> Option<String> {
        if depth > DEPTH {
            return None;
        }
        let store = self.store;
        let args = store.args(formula);
        let parts = || args.iter().map(|&a| self.formula(a, depth + 1)).collect();
        let join = |operator: &str| {
            let parts: Option<Vec<String>> = parts();
            Some(format!("({})", parts?.join(operator)))
        };
        let compare = |atom: TermId, operator: &str| {
            let (left, right) = (store.arg(atom, 0), store.arg(atom, 1));
            self.comparison(left, operator, right, depth)
        };
        let is_iff = |atom: TermId| store.is_bool(store.arg(atom, 0));
        match store.op(formula) {
            Op::True => Some("1".into()),
            Op::False => Some("0".into()),
            Op::Not => match store.op(args[0]) {
                Op::Le => compare(args[0], ">"),
                Op::Eq if !is_iff(args[0]) => compare(args[0], "!="),
                _ => Some(format!("!{}", self.formula(args[0], depth + 1)?)),
            },
            Op::And => join(" && "),
            Op::Or => join(" || "),
            Op::Eq if is_iff(formula) => {
                let parts: Option<Vec<String>> = parts();
                let parts = parts?;
                Some(format!("(!{} == !{})", parts[0], parts[1]))
            }
            Op::Eq => compare(formula, "=="),
            Op::Le => compare(formula, "<="),
            Op::Ite => {
                let parts: Option<Vec<String>> = parts();
                let parts = parts?;
                Some(format!("({} ? {} : {})", parts[0], parts[1], parts[2]))
            }
            Op::Apply(_) if args.is_empty() => (self.names)(formula).map(|name| name.text),
            _ => None,
        }
    }

    fn comparison(self, a: TermId, operator: &str, b: TermId, depth: usize) -> Option<String> {
        let mut sum = Sum::default();
        sum.add(self, a, 1, depth + 1)?;
        sum.add(self, b, -1, depth + 1)?;
        let (left, right) = sum.sides();
        Some(match (left.plain(), right.plain()) {
            (Some(left), Some(right)) if left.compares_with(&right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            _ => format!("({} {operator} {})", left.wide()?, right.wide()?),
        })
    }

    /// A number computed in `long long`.
    fn wide(self, term: TermId, depth: usize) -> Option<String> {
        let mut sum = Sum::default();
        sum.add(self, term, 1, depth)?;
        sum.wide()
    }
}

/// What a sum is made of.
#[derive(Clone, Debug)]
struct Atom {
    text: String,
    /// None for an expression of type `long long`.
    ty: Option<IntType>,
}

/// A sum of numbers with coefficients, and a constant.
#[derive(Clone, Debug, Default)]
struct Sum {
    parts: Vec<(i64, Atom)>,
    constant: i64,
}

/// Coefficients and constants beyond this might leave `long long`.
const LARGEST: i64 = 1 << 24;
/// Longer sums are of no use to anybody.
const LONGEST: usize = 32;

impl Sum {
    fn add(&mut self, to: Writer<'_>, term: TermId, factor: i64, depth: usize) -> Option<()> {
        let Writer { store, names } = to;
        if depth > DEPTH || factor.abs() > LARGEST || self.parts.len() > LONGEST {
            return None;
        }
        if let Some(number) = store.number(term) {
            self.constant = self.constant.checked_add(number.to_i64()?.checked_mul(factor)?)?;
            return Some(());
        }
        let args = store.args(term);
        let atom = match store.op(term) {
            Op::Add => {
                return args.iter().try_for_each(|&a| self.add(to, a, factor, depth + 1));
            }
            Op::Mul if args.len() == 2 && store.number(args[0]).is_some() => {
                let factor = store.number(args[0])?.to_i64()?.checked_mul(factor)?;
                return self.add(to, args[1], factor, depth + 1);
            }
            Op::Apply(_) if args.is_empty() => {
                let name = names(term)?;
                Atom { text: name.text, ty: Some(name.ty.as_int()?) }
            }
            Op::Ite => {
                let condition = to.formula(args[0], depth + 1)?;
                let then = to.wide(args[1], depth + 1)?;
                let other = to.wide(args[2], depth + 1)?;
                Atom { text: format!("({condition} ? {then} : {other})"), ty: None }
            }
            // C rounds towards zero and may give negative remainders: the number
            // is brought above zero first.
            Op::Mod => {
                let modulus =
                    store.number(args[1])?.to_i64().filter(|m| (1..=LARGEST).contains(m))?;
                let name = match store.op(args[0]) {
                    Op::Apply(_) if store.args(args[0]).is_empty() => names(args[0]),
                    _ => None,
                };
                match name.and_then(|n| Some((n.text, n.ty.as_int()?))) {
                    // Smaller than the modulus, so 32 bits hold it whatever its type is.
                    Some((text, ty)) if !ty.signed => Atom {
                        text: format!("({text} % {modulus}u)"),
                        ty: Some(IntType::unsigned(32)),
                    },
                    _ => {
                        let value = to.wide(args[0], depth + 1)?;
                        let text =
                            format!("((({value}) % {modulus}LL + {modulus}LL) % {modulus}LL)");
                        Atom { text, ty: None }
                    }
                }
            }
            _ => return None,
        };
        self.parts.push((factor, atom));
        Some(())
    }

    /// The comparison with zero as one of two sums with positive coefficients.
    fn sides(self) -> (Sum, Sum) {
        let (mut left, mut right) = (Sum::default(), Sum::default());
        for (factor, atom) in self.parts {
            match factor {
                0 => {}
                1.. => left.parts.push((factor, atom)),
                _ => right.parts.push((-factor, atom)),
            }
        }
        // The constant goes where a variable alone would be left.
        if self.constant > 0 && !left.parts.is_empty() && !right.parts.is_empty() {
            left.constant = self.constant;
        } else {
            right.constant = self.constant.saturating_neg();
        }
        if left.parts.is_empty() && right.constant != 0 && !right.parts.is_empty() {
            left.constant = self.constant;
            right.constant = 0;
        }
        (left, right)
    }

    /// One variable or one constant, as it is.
    fn plain(&self) -> Option<Plain> {
        match (self.parts.as_slice(), self.constant) {
            ([], constant) => Some(Plain::Constant(constant)),
            ([(1, Atom { text, ty: Some(ty) })], 0) => Some(Plain::Variable(text.clone(), *ty)),
            _ => None,
        }
    }

    /// Computed in `long long`; none where that might overflow.
    fn wide(&self) -> Option<String> {
        let alone = self.parts.len() + usize::from(self.constant != 0) <= 1;
        let mut words = Vec::new();
        for (factor, atom) in &self.parts {
            let fits = match atom.ty {
                None => true,
                Some(ty) => ty.bits < 64 || ty.bits == 64 && ty.signed && alone && *factor == 1,
            };
            if !fits {
                return None;
            }
            let cast = if atom.ty.is_some() { "(long long)" } else { "" };
            words.push(match factor {
                1 => format!("{cast}{}", atom.text),
                factor => format!("{factor} * {cast}{}", atom.text),
            });
        }
        if self.constant != 0 || words.is_empty() {
            if !alone && self.constant.abs() > 1 << 40 {
                return None;
            }
            words.push(literal(self.constant)?);
        }
        Some(words.join(" + "))
    }
}

/// A side that needs no cast.
enum Plain {
    Variable(String, IntType),
    Constant(i64),
}

impl Plain {
    fn text(&self) -> String {
        match self {
            Plain::Variable(text, _) => text.clone(),
            Plain::Constant(value) => literal(*value).unwrap_or_default(),
        }
    }

    /// Whether C compares the same numbers.
    fn compares_with(&self, other: &Plain) -> bool {
        match (self, other) {
            (Plain::Variable(_, a), Plain::Variable(_, b)) => a == b,
            (Plain::Variable(_, ty), Plain::Constant(c))
            | (Plain::Constant(c), Plain::Variable(_, ty)) => {
                i32::try_from(*c).is_ok_and(|c| c >= 0 || ty.signed && c > i32::MIN)
            }
            (Plain::Constant(_), Plain::Constant(_)) => false,
        }
    }
}

/// Literals beyond `int` get their type from the suffix.
fn literal(value: i64) -> Option<String> {
    match i32::try_from(value) {
        Ok(small) if small != i32::MIN => Some(value.to_string()),
        _ if value == i64::MIN => None,
        _ => Some(format!("{value}LL")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;
    use expect_test::expect;

    #[test]
    fn comparisons_mean_in_c_what_they_mean_in_logic() {
        let mut store = TermStore::new();
        let variables = [
            ("i", IntType::signed(32)),
            ("j", IntType::signed(32)),
            ("u", IntType::unsigned(32)),
            ("l", IntType::signed(64)),
            ("w", IntType::unsigned(64)),
        ];
        let constants: Vec<TermId> =
            variables.iter().map(|(name, _)| store.mk_const(name, SortId::INT)).collect();
        let known = constants.clone();
        let names = move |constant: TermId| {
            let index = known.iter().position(|&c| c == constant)?;
            let (text, ty) = variables[index];
            Some(Name { text: text.to_owned(), ty: Type::Int(ty) })
        };
        let [i, j, u, l, w] = constants[..] else { unreachable!() };
        let mut lines = String::new();
        let mut show = |store: &TermStore, formula: TermId| {
            let text = c_expression(store, &names, formula);
            lines += &format!("{}\n", text.as_deref().unwrap_or("-"));
        };
        let (zero, minus, many) = (store.mk_int(0), store.mk_int(-1), store.mk_int(1000));
        for (a, b) in [(i, j), (i, u), (minus, u), (u, many), (i, minus), (w, many), (minus, w)] {
            let formula = store.mk_le(a, b);
            show(&store, formula);
        }
        let difference = store.mk_sub(i, j);
        let formula = store.mk_le(difference, zero);
        show(&store, formula);
        let sum = store.mk_add(&[i, u]);
        let formula = store.mk_eq(sum, many);
        show(&store, formula);
        let sum = store.mk_add(&[l, i]);
        let formula = store.mk_eq(sum, many);
        show(&store, formula);
        expect![[r#"
            (i <= j)
            ((long long)i <= (long long)u)
            ((long long)u > -2)
            (u <= 1000)
            (i <= -1)
            (w <= 1000)
            -
            (i <= j)
            ((long long)i + (long long)u == 1000)
            -
        "#]]
        .assert_eq(&lines);
    }
}
