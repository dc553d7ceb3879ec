//! Formulas as C expressions, for witnesses and for people.
//!
//! Formulas speak of mathematical integers; C must not overflow where they do
//! not. So every sum is computed in a type that is wide enough for sums of
//! program values (`long long` cast on the first variable of each side), and a
//! formula that cannot be said in C (memory, uninterpreted functions, large
//! numbers) gives no expression.

use bolide_terms::{Op, TermId, TermStore};

/// How a state constant is called in C; none where it has no name there.
pub trait Names {
    /// The C expression for a constant of the logic.
    fn name(&self, constant: TermId) -> Option<String>;
}

impl<F: Fn(TermId) -> Option<String>> Names for F {
    fn name(&self, constant: TermId) -> Option<String> {
        self(constant)
    }
}

/// The formula as a C expression; none if it cannot be said in C.
pub fn c_expression(store: &TermStore, names: &dyn Names, formula: TermId) -> Option<String> {
    formula_text(store, names, formula, 0)
}

/// Conjuncts that can be said in C; the others are left out.
pub fn c_conjuncts(store: &TermStore, names: &dyn Names, formula: TermId) -> Vec<String> {
    let conjuncts: Vec<TermId> = match store.op(formula) {
        Op::And => store.args(formula).to_vec(),
        _ => vec![formula],
    };
    conjuncts.into_iter().filter_map(|c| c_expression(store, names, c)).collect()
}

/// Formulas nested deeper are of no use to anybody.
const DEPTH: usize = 60;

fn formula_text(
    store: &TermStore,
    names: &dyn Names,
    formula: TermId,
    depth: usize,
) -> Option<String> {
    if depth > DEPTH {
        return None;
    }
    let args = store.args(formula);
    let join = |operator: &str| -> Option<String> {
        let parts: Option<Vec<String>> =
            args.iter().map(|&a| formula_text(store, names, a, depth + 1)).collect();
        Some(format!("({})", parts?.join(operator)))
    };
    match store.op(formula) {
        Op::True => Some("1".into()),
        Op::False => Some("0".into()),
        Op::Not => {
            if let Op::Le = store.op(args[0]) {
                let inner = store.args(args[0]);
                return comparison(store, names, inner[0], ">", inner[1], depth);
            }
            if let Op::Eq = store.op(args[0])
                && !store.is_bool(store.arg(args[0], 0))
            {
                let inner = store.args(args[0]);
                return comparison(store, names, inner[0], "!=", inner[1], depth);
            }
            Some(format!("!{}", formula_text(store, names, args[0], depth + 1)?))
        }
        Op::And => join(" && "),
        Op::Or => join(" || "),
        Op::Eq if store.is_bool(args[0]) => {
            let a = formula_text(store, names, args[0], depth + 1)?;
            let b = formula_text(store, names, args[1], depth + 1)?;
            Some(format!("(!{a} == !{b})"))
        }
        Op::Eq => comparison(store, names, args[0], "==", args[1], depth),
        Op::Le => comparison(store, names, args[0], "<=", args[1], depth),
        Op::Ite => {
            let parts: Option<Vec<String>> =
                args.iter().map(|&a| formula_text(store, names, a, depth + 1)).collect();
            let parts = parts?;
            Some(format!("({} ? {} : {})", parts[0], parts[1], parts[2]))
        }
        Op::Apply(_) if args.is_empty() => names.name(formula),
        _ => None,
    }
}

fn comparison(
    store: &TermStore,
    names: &dyn Names,
    a: TermId,
    operator: &str,
    b: TermId,
    depth: usize,
) -> Option<String> {
    let a = number_text(store, names, a, depth + 1)?;
    let b = number_text(store, names, b, depth + 1)?;
    Some(format!("({a} {operator} {b})"))
}

fn number_text(store: &TermStore, names: &dyn Names, term: TermId, depth: usize) -> Option<String> {
    if depth > DEPTH {
        return None;
    }
    if let Some(number) = store.number(term) {
        let value = number.to_i64()?;
        // Literals beyond int get their type from the suffix.
        return Some(if i32::try_from(value).is_ok() && value != i64::from(i32::MIN) {
            format!("{value}")
        } else if value == i64::MIN {
            return None;
        } else {
            format!("{value}LL")
        });
    }
    let args = store.args(term);
    match store.op(term) {
        Op::Apply(_) if args.is_empty() => Some(names.name(term)?),
        Op::Add => {
            let parts: Option<Vec<String>> = args
                .iter()
                .map(|&a| {
                    Some(format!("(long long)({})", number_text(store, names, a, depth + 1)?))
                })
                .collect();
            Some(parts?.join(" + "))
        }
        Op::Mul if args.len() == 2 && store.number(args[0]).is_some() => {
            let factor = number_text(store, names, args[0], depth + 1)?;
            let value = number_text(store, names, args[1], depth + 1)?;
            Some(format!("{factor} * (long long)({value})"))
        }
        Op::Ite => {
            let condition = formula_text(store, names, args[0], depth + 1)?;
            let then = number_text(store, names, args[1], depth + 1)?;
            let other = number_text(store, names, args[2], depth + 1)?;
            Some(format!("({condition} ? (long long)({then}) : (long long)({other}))"))
        }
        // C rounds towards zero and may give negative remainders: the number
        // is brought above zero first.
        Op::Mod => {
            let value = number_text(store, names, args[0], depth + 1)?;
            let modulus = store.number(args[1])?.to_i64().filter(|&m| m > 0)?;
            Some(format!("((((long long)({value}) % {modulus}LL) + {modulus}LL) % {modulus}LL)"))
        }
        _ => None,
    }
}
