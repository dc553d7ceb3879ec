//! Formulas modulo renaming of constants, as text.
//!
//! Two lists of formulas that differ only in the names of their constants (and in the
//! order of arguments of commutative operators) have the same normal form, as
//! far as that can be seen cheaply: arguments are ordered by a hash of their
//! shape, in which constants are told apart only by where they occur (colour
//! refinement, a few rounds); constants are then numbered in the order in
//! which they are met. Arguments of the same shape keep the order in which
//! they were made, so that very symmetric formulas may have several normal forms:
//! what is looked up by them is then missed, not mistaken.
//!
//! The text lists the nodes of the shared graph, arguments first, so that large
//! formulas with shared parts stay small. Reading checks arity and sorts of
//! everything: the text may come from a damaged file. Bit-vectors,
//! quantifiers and declared sorts have no normal form.

use bolide_base::{HashMap, Rational};
use bolide_terms::{Op, Sort, SortId, TermId, TermStore};
use std::fmt::Write;
use std::hash::{Hash, Hasher};

/// A list of formulas modulo renaming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm {
    /// One node on each line; then the roots.
    pub text: String,
    /// The constants, in the order of their numbers.
    pub constants: Vec<TermId>,
}

impl NormalForm {
    /// The normal form of some formulas; none where they have none.
    pub fn new(store: &TermStore, roots: &[TermId]) -> Option<NormalForm> {
        let mut writer = Writer::new(store, roots)?;
        for &root in roots {
            writer.write(root);
        }
        let mut text = writer.text;
        text.push('=');
        for root in roots {
            let _ = write!(text, " {}", writer.numbers[root]);
        }
        text.push('\n');
        Some(NormalForm { text, constants: writer.constants })
    }

    /// A number for looking it up. Different normal forms may share one.
    pub fn key(&self) -> u128 {
        key_of(&self.text)
    }
}

/// A number for a text (FNV-1a): the same in every build.
pub fn key_of(text: &str) -> u128 {
    let (mut hash, prime) = (0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, (1 << 88) + 0x13b);
    for byte in text.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(prime);
    }
    hash
}

/// The operators that have a normal form; numbers and functions aside.
const OPERATORS: [(Op, &str); 17] = [
    (Op::True, "true"),
    (Op::False, "false"),
    (Op::Not, "not"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Ite, "ite"),
    (Op::Eq, "eq"),
    (Op::Add, "add"),
    (Op::Mul, "mul"),
    (Op::Le, "le"),
    (Op::Lt, "lt"),
    (Op::Div, "div"),
    (Op::Mod, "mod"),
    (Op::Select, "select"),
    (Op::Store, "store"),
    (Op::ConstArray, "const"),
    (Op::Diff, "diff"),
];

fn is_commutative(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Eq | Op::Add | Op::Mul)
}

/// How often constants are told apart by their occurrences.
const ROUNDS: usize = 3;

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A hash of what each term looks like from above; constants look like their colours.
fn shapes(
    store: &TermStore,
    terms: &[TermId],
    colours: &HashMap<TermId, u64>,
) -> Option<HashMap<TermId, u64>> {
    let mut shapes: HashMap<TermId, u64> = HashMap::default();
    for &term in terms {
        let op = store.op(term);
        let sort = sort_text(store, store.sort(term))?;
        let head = match op {
            Op::Number(_) => hash_of(store.number(term)?.to_string()),
            Op::Apply(_) if store.args(term).is_empty() => {
                hash_of(("constant", colours.get(&term).copied().unwrap_or(0)))
            }
            Op::Apply(f) => hash_of(store.function_name(f)),
            _ => hash_of(OPERATORS.iter().find(|(o, _)| *o == op)?.1),
        };
        let mut arguments: Vec<u64> = store.args(term).iter().map(|a| shapes[a]).collect();
        if is_commutative(op) {
            arguments.sort_unstable();
        }
        shapes.insert(term, hash_of((sort, head, arguments)));
    }
    Some(shapes)
}

/// A hash of where each term occurs: in which roots, below what, at which position.
fn contexts(
    store: &TermStore,
    terms: &[TermId],
    roots: &[TermId],
    shapes: &HashMap<TermId, u64>,
) -> HashMap<TermId, u64> {
    let mut contexts: HashMap<TermId, u64> = HashMap::default();
    for (position, &root) in roots.iter().enumerate() {
        let context = contexts.entry(root).or_insert(0);
        *context = context.wrapping_add(hash_of(("root", position)));
    }
    // Arguments have smaller ids: a term's context is complete when it is met.
    for &term in terms.iter().rev() {
        let above = contexts.get(&term).copied().unwrap_or(0);
        let commutes = is_commutative(store.op(term));
        for (position, &argument) in store.args(term).iter().enumerate() {
            let position = if commutes { 0 } else { position + 1 };
            let context = contexts.entry(argument).or_insert(0);
            *context = context.wrapping_add(hash_of((above, shapes[&term], position)));
        }
    }
    contexts
}

struct Writer<'s> {
    store: &'s TermStore,
    shapes: HashMap<TermId, u64>,
    numbers: HashMap<TermId, usize>,
    constants: Vec<TermId>,
    text: String,
}

impl<'s> Writer<'s> {
    fn new(store: &'s TermStore, roots: &[TermId]) -> Option<Writer<'s>> {
        let terms = store.subterms(roots);
        // At first all constants of a sort look alike; then each by where it occurs.
        let mut colours: HashMap<TermId, u64> = HashMap::default();
        let mut shapes = shapes(store, &terms, &colours)?;
        for _ in 0..ROUNDS {
            colours = contexts(store, &terms, roots, &shapes);
            shapes = self::shapes(store, &terms, &colours)?;
        }
        Some(Writer {
            store,
            shapes,
            numbers: HashMap::default(),
            constants: Vec::new(),
            text: String::new(),
        })
    }

    fn arguments(&self, term: TermId) -> Vec<TermId> {
        let mut arguments = self.store.args(term).to_vec();
        if is_commutative(self.store.op(term)) {
            arguments.sort_by_key(|a| self.shapes[a]);
        }
        arguments
    }

    fn write(&mut self, root: TermId) {
        let mut pending = vec![(root, false)];
        while let Some((term, ready)) = pending.pop() {
            if self.numbers.contains_key(&term) {
                continue;
            }
            let arguments = self.arguments(term);
            if !ready {
                pending.push((term, true));
                pending.extend(arguments.iter().rev().map(|&a| (a, false)));
                continue;
            }
            self.node(term, &arguments);
        }
    }

    fn node(&mut self, term: TermId, arguments: &[TermId]) {
        let sort = sort_text(self.store, self.store.sort(term)).unwrap_or_default();
        match self.store.op(term) {
            Op::Number(_) => {
                let number = self.store.number(term).map(ToString::to_string).unwrap_or_default();
                let _ = write!(self.text, "# {sort} {number}");
            }
            Op::Apply(_) if arguments.is_empty() => {
                let _ = write!(self.text, "v {sort}");
                self.constants.push(term);
            }
            Op::Apply(f) => {
                let name: String = self
                    .store
                    .function_name(f)
                    .chars()
                    .map(|c| if c.is_whitespace() { '_' } else { c })
                    .collect();
                let _ = write!(self.text, "f {sort} {name}");
            }
            op => {
                let name = OPERATORS.iter().find(|(o, _)| *o == op).map_or("?", |o| o.1);
                let _ = write!(self.text, "{name} {sort}");
            }
        }
        for argument in arguments {
            let _ = write!(self.text, " {}", self.numbers[argument]);
        }
        self.text.push('\n');
        self.numbers.insert(term, self.numbers.len());
    }
}

/// A sort in one word; none where it has no normal form.
pub fn sort_text(store: &TermStore, sort: SortId) -> Option<String> {
    Some(match store.sort_kind(sort) {
        Sort::Bool => "B".to_owned(),
        Sort::Int => "I".to_owned(),
        Sort::Real => "R".to_owned(),
        Sort::Array(index, element) => {
            format!("A{}{}", sort_text(store, index)?, sort_text(store, element)?)
        }
        Sort::BitVec(_) | Sort::Uninterpreted(_) => return None,
    })
}

fn read_sort(
    store: &mut TermStore,
    text: &mut std::str::Chars<'_>,
    depth: usize,
) -> Option<SortId> {
    match text.next()? {
        'B' => Some(SortId::BOOL),
        'I' => Some(SortId::INT),
        'R' => Some(SortId::REAL),
        'A' if depth < 8 => {
            let index = read_sort(store, text, depth + 1)?;
            let element = read_sort(store, text, depth + 1)?;
            Some(store.mk_array_sort(index, element))
        }
        _ => None,
    }
}

/// Formulas read from text.
pub struct Read {
    /// All nodes, by their numbers.
    pub nodes: Vec<TermId>,
    /// The formulas.
    pub roots: Vec<TermId>,
}

/// Reads what [`NormalForm::new`] wrote. `constant` gives the term for the
/// constant of a number and sort. None for a text that is not well-formed, or
/// if `constant` gives none.
pub fn read(
    store: &mut TermStore,
    text: &str,
    mut constant: impl FnMut(&mut TermStore, usize, SortId) -> Option<TermId>,
) -> Option<Read> {
    let mut result = Read { nodes: Vec::new(), roots: Vec::new() };
    let mut constants = 0;
    for line in text.lines() {
        let mut words = line.split(' ');
        let head = words.next()?;
        if head == "=" {
            for word in words {
                result.roots.push(*result.nodes.get(word.parse::<usize>().ok()?)?);
            }
            return Some(result);
        }
        let mut sort = words.next()?.chars();
        let sort_id = read_sort(store, &mut sort, 0)?;
        if sort.next().is_some() {
            return None;
        }
        let term = match head {
            "v" => {
                constants += 1;
                let term = constant(store, constants - 1, sort_id)?;
                (store.sort(term) == sort_id).then_some(term)?
            }
            "#" => {
                let number: Rational = words.next()?.parse().ok()?;
                let fits = sort_id == SortId::REAL
                    || (sort_id == SortId::INT && number.to_integer().is_some());
                fits.then(|| store.mk_number(number, sort_id))?
            }
            _ => {
                let function = if head == "f" { Some(words.next()?) } else { None };
                let mut arguments = Vec::new();
                for word in words {
                    arguments.push(*result.nodes.get(word.parse::<usize>().ok()?)?);
                }
                match function {
                    Some(name) => {
                        let sorts: Vec<SortId> = arguments.iter().map(|&a| store.sort(a)).collect();
                        let function = store.declare_fn(name, &sorts, sort_id);
                        (!arguments.is_empty()).then(|| store.mk_app(function, &arguments))?
                    }
                    None => {
                        let op = OPERATORS.iter().find(|(_, name)| *name == head)?.0;
                        well_sorted(store, op, sort_id, &arguments)
                            .then(|| store.rebuild(op, sort_id, &arguments))?
                    }
                }
            }
        };
        result.nodes.push(term);
    }
    None
}

/// Whether an operator may be applied to these arguments.
fn well_sorted(store: &TermStore, op: Op, sort: SortId, arguments: &[TermId]) -> bool {
    let sorts: Vec<SortId> = arguments.iter().map(|&a| store.sort(a)).collect();
    let all = |s: SortId| sorts.iter().all(|&x| x == s);
    match (op, sorts.as_slice()) {
        (Op::True | Op::False, []) => sort == SortId::BOOL,
        (Op::Not, [_]) => sort == SortId::BOOL && all(SortId::BOOL),
        (Op::And | Op::Or, [_, ..]) => sort == SortId::BOOL && all(SortId::BOOL),
        (Op::Ite, &[c, a, b]) => c == SortId::BOOL && a == b && a == sort,
        (Op::Eq, &[a, b]) => sort == SortId::BOOL && a == b,
        (Op::Add | Op::Mul, [_, ..]) => sort.is_arithmetic() && all(sort),
        (Op::Le, &[a, b]) => sort == SortId::BOOL && a == b && a.is_arithmetic(),
        (Op::Lt, &[a, b]) => sort == SortId::BOOL && a == b && a == SortId::REAL,
        (Op::Div | Op::Mod, [_, _]) => sort == SortId::INT && all(SortId::INT),
        (Op::Select, &[a, i]) => store.array_sorts(a) == Some((i, sort)),
        (Op::Store, &[a, i, v]) => a == sort && store.array_sorts(a) == Some((i, v)),
        (Op::ConstArray, &[v]) => store.array_sorts(sort).is_some_and(|(_, e)| e == v),
        (Op::Diff, &[a, b]) => a == b && store.array_sorts(a).is_some_and(|(i, _)| i == sort),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(store: &mut TermStore, x: &str, y: &str) -> TermId {
        let (x, y) = (store.mk_const(x, SortId::INT), store.mk_const(y, SortId::INT));
        let three = store.mk_int(3);
        let sum = store.mk_add(&[x, three]);
        let (a, b) = (store.mk_le(sum, y), store.mk_eq(x, three));
        store.mk_or(&[a, b])
    }

    #[test]
    fn renamed_formulas_have_one_normal_form() {
        let mut store = TermStore::new();
        let (a, b) = (formula(&mut store, "x", "y"), formula(&mut store, "q", "p"));
        let (a, b) =
            (NormalForm::new(&store, &[a]).unwrap(), NormalForm::new(&store, &[b]).unwrap());
        assert_eq!(a.text, b.text);
        assert_eq!(a.key(), b.key());
        let c = formula(&mut store, "x", "x");
        assert_ne!(NormalForm::new(&store, &[c]).unwrap().text, a.text);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut store = TermStore::new();
        let term = formula(&mut store, "x", "y");
        let form = NormalForm::new(&store, &[term, TermId::FALSE]).unwrap();
        let constants = form.constants.clone();
        let back = read(&mut store, &form.text, |_, k, _| constants.get(k).copied()).unwrap();
        assert_eq!(back.roots, [term, TermId::FALSE]);
    }

    #[test]
    fn damaged_text_is_refused() {
        let mut store = TermStore::new();
        let x = store.mk_const("x", SortId::INT);
        for text in [
            "",
            "v I\nnot B 0\n= 1\n",
            "v I\nle B 0\n= 0\n",
            "v I\n= 7\n",
            "v Q\n= 0\n",
            "# I 1/2\n= 0\n",
            "and B\n= 0\n",
        ] {
            assert!(read(&mut store, text, |_, _, _| Some(x)).is_none(), "{text:?}");
        }
    }
}
