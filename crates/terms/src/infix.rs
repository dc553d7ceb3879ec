//! Terms as people write them: `x <= y + 3 and a[i] != 0`.
//!
//! Comparisons are turned back from the normal form: negated bounds become
//! `>=` and `>`, and summands with negative coefficients move to the right
//! side.

use crate::{LinearForm, Op, SortId, TermId, TermStore};
use bolide_base::{Integer, Rational};
use std::borrow::Cow;
use std::fmt::Write;

/// How tightly an operator binds; a looser one inside needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Loose,
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Tight,
}

enum Item {
    Term(TermId, Level),
    Text(Cow<'static, str>),
}

impl From<&'static str> for Item {
    fn from(text: &'static str) -> Item {
        Item::Text(text.into())
    }
}

impl TermStore {
    /// The term in infix notation.
    pub fn infix(&self, term: TermId) -> String {
        let mut text = String::new();
        let mut stack = vec![Item::Term(term, Level::Loose)];
        while let Some(item) = stack.pop() {
            let (term, around) = match item {
                Item::Term(term, around) => (term, around),
                Item::Text(t) => {
                    text.push_str(&t);
                    continue;
                }
            };
            let mut items = self.infix_items(term, around);
            items.reverse();
            stack.extend(items);
        }
        text
    }

    fn infix_items(&self, term: TermId, around: Level) -> Vec<Item> {
        let args = self.args(term);
        match self.op(term) {
            Op::True => vec!["true".into()],
            Op::False => vec!["false".into()],
            Op::Not => self.infix_negation(args[0], around),
            Op::And => self.infix_conjunction(args, around),
            Op::Or => self.infix_chain(args, " or ", Level::Or, around),
            Op::Ite => {
                let words = ["if ", " then ", " else "];
                let parts = words.into_iter().zip(args);
                let items =
                    parts.flat_map(|(word, &arg)| [word.into(), Item::Term(arg, Level::Or)]);
                enclose(items.collect(), Level::Loose, around)
            }
            Op::Eq => self.infix_comparison(term, "=", around),
            Op::Le => self.infix_comparison(term, "<=", around),
            Op::Lt => self.infix_comparison(term, "<", around),
            Op::Add => {
                let items = self.infix_sum(&self.linear_form(term));
                enclose(items, Level::Sum, around)
            }
            Op::Number(n) => {
                let value = self.number_value(n);
                let level = if value.is_negative() { Level::Sum } else { Level::Tight };
                enclose(vec![Item::Text(value.to_string().into())], level, around)
            }
            Op::Mul if self.number(args[0]).is_some() => {
                let items = self.infix_sum(&self.linear_form(term));
                let negative = self.number(args[0]).is_some_and(|n| n.is_negative());
                enclose(items, if negative { Level::Sum } else { Level::Product }, around)
            }
            Op::Mul => self.infix_chain(args, " * ", Level::Product, around),
            Op::Div => self.infix_chain(args, " div ", Level::Product, around),
            Op::Mod => self.infix_chain(args, " mod ", Level::Product, around),
            Op::Quotient => self.infix_chain(args, " / ", Level::Product, around),
            Op::Select | Op::Store => {
                let inside = self.infix_chain(&args[1..], " := ", Level::Loose, Level::Loose);
                let mut items = vec![Item::Term(args[0], Level::Tight), "[".into()];
                items.extend(inside);
                items.push("]".into());
                items
            }
            Op::BvNumber(_) => {
                let value = self.bv_number(term).unwrap_or(Integer::ZERO);
                vec![Item::Text(format!("{value}u{}", self.width(term)).into())]
            }
            Op::Bound(index) => vec![Item::Text(format!("v{index}").into())],
            Op::Forall | Op::Exists => self.infix_quantifier(term, around),
            Op::Apply(function) if args.is_empty() => {
                vec![Item::Text(self.function_name(function).to_owned().into())]
            }
            op => {
                let mut items = vec![Item::Text((self.call_name(op, term) + "(").into())];
                items.extend(self.infix_chain(args, ", ", Level::Loose, Level::Loose));
                items.push(")".into());
                items
            }
        }
    }

    fn call_name(&self, op: Op, term: TermId) -> String {
        match op {
            Op::Apply(function) => self.function_name(function).to_owned(),
            Op::ToReal => "real".to_owned(),
            Op::ToInt => "floor".to_owned(),
            Op::ConstArray => "const".to_owned(),
            Op::Diff => "diff".to_owned(),
            Op::BvExtract { low } => format!("bits[{}:{low}]", low + self.width(term) - 1),
            Op::BvSignExtend => format!("sext{}", self.width(term)),
            Op::IntToBv => format!("bits{}", self.width(term)),
            Op::BvToInt => "number".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn infix_quantifier(&self, term: TermId, around: Level) -> Vec<Item> {
        let (bound, body) = self.quantifier_parts(term).expect("a quantifier");
        let word = if self.op(term) == Op::Forall { "forall" } else { "exists" };
        let mut text = String::from(word);
        for &b in bound {
            if let Op::Bound(index) = self.op(b) {
                let _ = write!(text, " v{index}");
            }
        }
        text.push_str(". ");
        enclose(vec![Item::Text(text.into()), Item::Term(body, Level::Loose)], Level::Loose, around)
    }

    fn infix_chain(
        &self,
        args: &[TermId],
        operator: &'static str,
        own: Level,
        around: Level,
    ) -> Vec<Item> {
        let inner = match own {
            Level::Or => Level::And,
            Level::And => Level::Comparison,
            Level::Loose => Level::Loose,
            _ => Level::Tight,
        };
        let mut items = Vec::with_capacity(args.len() * 2);
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                items.push(operator.into());
            }
            items.push(Item::Term(arg, inner));
        }
        enclose(items, own, around)
    }

    /// A conjunction; `x <= 3 and x >= 3` is `x = 3`.
    fn infix_conjunction(&self, args: &[TermId], around: Level) -> Vec<Item> {
        let half_of = |least: TermId| {
            let (upper, false) = self.atom_and_sign(least) else { return None };
            let bound = |le: TermId| Some((self.arg(le, 0), self.number(self.arg(le, 1))?.clone()));
            let is_le =
                |&t: &TermId| self.op(t) == Op::Le && self.sort(self.arg(t, 0)) == SortId::INT;
            let (sum, below) = Some(upper).filter(is_le).and_then(bound)?;
            let next = below + Rational::from(Integer::from(1));
            args.iter().copied().filter(is_le).find(|&t| bound(t) == Some((sum, next.clone())))
        };
        let joined: Vec<TermId> = args.iter().filter_map(|&arg| half_of(arg)).collect();
        let mut items = Vec::with_capacity(args.len() * 2);
        for &arg in args.iter().filter(|&&arg| half_of(arg).is_none()) {
            if !items.is_empty() {
                items.push(Item::Text(" and ".into()));
            }
            match joined.contains(&arg) {
                true => items.extend(self.infix_comparison(arg, "=", Level::Comparison)),
                false => items.push(Item::Term(arg, Level::Comparison)),
            }
        }
        enclose(items, Level::And, around)
    }

    fn infix_negation(&self, atom: TermId, around: Level) -> Vec<Item> {
        match self.op(atom) {
            Op::Eq => self.infix_comparison(atom, "!=", around),
            Op::Le => self.infix_comparison(atom, ">", around),
            Op::Lt => self.infix_comparison(atom, ">=", around),
            _ => {
                let items = vec!["not ".into(), Item::Term(atom, Level::Tight)];
                enclose(items, Level::Comparison, around)
            }
        }
    }

    fn infix_comparison(&self, atom: TermId, relation: &'static str, around: Level) -> Vec<Item> {
        let &[left, right] = self.args(atom) else { unreachable!("an atom has two sides") };
        let sort = self.sort(left);
        if !sort.is_arithmetic() {
            let relation = Item::Text(format!(" {relation} ").into());
            let items = vec![Item::Term(left, Level::Sum), relation, Item::Term(right, Level::Sum)];
            return enclose(items, Level::Comparison, around);
        }
        let mut relation = relation;
        let difference = self.linear_difference(left, right);
        let mut positive = LinearForm::zero();
        let mut negative = LinearForm::zero();
        for (leaf, coefficient) in difference.terms {
            if coefficient.is_negative() {
                negative.terms.push((leaf, -coefficient));
            } else {
                positive.terms.push((leaf, coefficient));
            }
        }
        negative.constant = -difference.constant;
        if relation == ">" && sort == SortId::INT {
            // The negation of an integer bound reads better without strictness.
            relation = ">=";
            negative.constant += Rational::ONE;
        }
        let mut items = self.infix_sum(&positive);
        items.push(Item::Text(format!(" {relation} ").into()));
        items.extend(self.infix_sum(&negative));
        enclose(items, Level::Comparison, around)
    }

    fn infix_sum(&self, form: &LinearForm) -> Vec<Item> {
        let mut items = Vec::new();
        for (leaf, coefficient) in &form.terms {
            let first = items.is_empty();
            items.push(Item::Text(Cow::Borrowed(match (coefficient.is_negative(), first) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            })));
            let magnitude = coefficient.abs();
            if magnitude.is_one() {
                items.push(Item::Term(*leaf, Level::Product));
            } else {
                // `2*x div 2` would read as either of two terms.
                items.push(Item::Text(format!("{magnitude}*").into()));
                items.push(Item::Term(*leaf, Level::Tight));
            }
        }
        if items.is_empty() {
            items.push(Item::Text(form.constant.to_string().into()));
        } else if !form.constant.is_zero() {
            let sign = if form.constant.is_negative() { "-" } else { "+" };
            items.push(Item::Text(format!(" {sign} {}", form.constant.abs()).into()));
        }
        items
    }
}

fn enclose(mut items: Vec<Item>, own: Level, around: Level) -> Vec<Item> {
    if own < around {
        items.insert(0, "(".into());
        items.push(")".into());
    }
    items
}
