//! The term store: hash-consing, declarations, numbers.
//!
//! Nodes are twenty bytes, arguments lie in one shared pool, and the hash
//! table holds bare ids (it hashes nodes again when it grows), so that a
//! million terms stay far below a hundred megabytes.

use crate::op::{FunctionId, NumberId, Op};
use crate::sort::{Sort, SortId, SymbolId};
use crate::traverse::SymbolMemo;
use bolide_base::arena::Id;
use bolide_base::{Arena, HashMap, Integer, Rational, define_id};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};

define_id! {
    /// A term of a [`TermStore`]. Arguments have smaller ids than the terms
    /// that contain them, so the order of ids is a bottom-up order.
    pub struct TermId
}

impl TermId {
    /// The constant `true` of every store.
    pub const TRUE: TermId = TermId(0);
    /// The constant `false` of every store.
    pub const FALSE: TermId = TermId(1);
}

/// A declared function; a constant has no arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name, without quotes.
    pub name: SymbolId,
    /// Sorts of the arguments.
    pub arguments: Box<[SortId]>,
    /// Sort of the result.
    pub result: SortId,
}

#[derive(Clone, Copy)]
struct Node {
    op: Op,
    sort: SortId,
    /// Where the arguments begin in the pool.
    start: u32,
    len: u32,
}

/// All terms of one thread.
pub struct TermStore {
    nodes: Arena<TermId, Node>,
    pool: Vec<TermId>,
    table: Table,
    sorts: Arena<SortId, Sort>,
    sort_ids: HashMap<Sort, SortId>,
    names: Arena<SymbolId, Box<str>>,
    name_ids: HashMap<Box<str>, SymbolId>,
    functions: Arena<FunctionId, Function>,
    function_ids: HashMap<Function, FunctionId>,
    numbers: Arena<NumberId, Rational>,
    number_ids: HashMap<Rational, NumberId>,
    fresh: u32,
    pub(crate) symbol_memo: RefCell<SymbolMemo>,
}

impl Default for TermStore {
    fn default() -> Self {
        TermStore::new()
    }
}

impl TermStore {
    /// A store that holds `true` and `false`.
    pub fn new() -> Self {
        let mut store = TermStore {
            nodes: Arena::new(),
            pool: Vec::new(),
            table: Table::new(),
            sorts: Arena::new(),
            sort_ids: HashMap::default(),
            names: Arena::new(),
            name_ids: HashMap::default(),
            functions: Arena::new(),
            function_ids: HashMap::default(),
            numbers: Arena::new(),
            number_ids: HashMap::default(),
            fresh: 0,
            symbol_memo: RefCell::default(),
        };
        for (sort, id) in
            [(Sort::Bool, SortId::BOOL), (Sort::Int, SortId::INT), (Sort::Real, SortId::REAL)]
        {
            let new = store.mk_sort(sort);
            debug_assert_eq!(new, id);
        }
        store.intern(Op::True, SortId::BOOL, &[]);
        store.intern(Op::False, SortId::BOOL, &[]);
        store
    }

    // ---- reading terms ----

    /// The head of the term.
    #[inline]
    pub fn op(&self, term: TermId) -> Op {
        self.nodes[term].op
    }

    /// The arguments of the term.
    #[inline]
    pub fn args(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term];
        &self.pool[node.start as usize..(node.start + node.len) as usize]
    }

    /// Argument number `index`.
    #[inline]
    pub fn arg(&self, term: TermId, index: usize) -> TermId {
        self.args(term)[index]
    }

    /// The sort of the term.
    #[inline]
    pub fn sort(&self, term: TermId) -> SortId {
        self.nodes[term].sort
    }

    /// Whether the term is a truth value.
    #[inline]
    pub fn is_bool(&self, term: TermId) -> bool {
        self.sort(term) == SortId::BOOL
    }

    /// How many terms there are; their ids are the numbers below this.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: `true` and `false` are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number that the term is, if it is one of sort `Int` or `Real`.
    #[inline]
    pub fn number(&self, term: TermId) -> Option<&Rational> {
        match self.op(term) {
            Op::Number(n) => Some(&self.numbers[n]),
            _ => None,
        }
    }

    /// The unsigned value of a bit-vector constant.
    pub fn bv_number(&self, term: TermId) -> Option<Integer> {
        match self.op(term) {
            Op::BvNumber(n) => Some(self.numbers[n].numerator()),
            _ => None,
        }
    }

    /// The value of an interned number.
    pub fn number_value(&self, number: NumberId) -> &Rational {
        &self.numbers[number]
    }

    /// Whether two different terms of this kind never have the same value:
    /// `true`, `false`, numbers, bit-vector numbers.
    #[inline]
    pub fn is_value(&self, term: TermId) -> bool {
        matches!(self.op(term), Op::True | Op::False | Op::Number(_) | Op::BvNumber(_))
    }

    /// The argument of a negation.
    #[inline]
    pub fn negated(&self, term: TermId) -> Option<TermId> {
        match self.op(term) {
            Op::Not => Some(self.arg(term, 0)),
            _ => None,
        }
    }

    /// Both inequalities that an equality between integers is made of; none of other formulas.
    pub fn halves(&mut self, atom: TermId) -> Vec<TermId> {
        if self.op(atom) != Op::Eq || self.sort(self.arg(atom, 0)) != SortId::INT {
            return Vec::new();
        }
        let (a, b) = (self.arg(atom, 0), self.arg(atom, 1));
        vec![self.mk_le(a, b), self.mk_ge(a, b)]
    }

    /// Splits a formula into atom and sign: `not a` into `(a, false)`, any
    /// other `a` into `(a, true)`.
    #[inline]
    pub fn atom_and_sign(&self, term: TermId) -> (TermId, bool) {
        match self.negated(term) {
            Some(atom) => (atom, false),
            None => (term, true),
        }
    }

    /// The function, when the term is a constant or an application.
    pub fn function_of(&self, term: TermId) -> Option<FunctionId> {
        match self.op(term) {
            Op::Apply(function) => Some(function),
            _ => None,
        }
    }

    /// Whether the term is a declared constant (a variable, in engines' words).
    pub fn is_const(&self, term: TermId) -> bool {
        matches!(self.op(term), Op::Apply(_)) && self.args(term).is_empty()
    }

    // ---- sorts and symbols ----

    /// Interns a sort.
    pub fn mk_sort(&mut self, sort: Sort) -> SortId {
        if let Some(&id) = self.sort_ids.get(&sort) {
            return id;
        }
        let id = self.sorts.push(sort);
        self.sort_ids.insert(sort, id);
        id
    }

    /// The sort of bit-vectors of that width.
    pub fn mk_bv_sort(&mut self, width: u32) -> SortId {
        self.mk_sort(Sort::BitVec(width))
    }

    /// The sort of arrays.
    pub fn mk_array_sort(&mut self, index: SortId, element: SortId) -> SortId {
        self.mk_sort(Sort::Array(index, element))
    }

    /// The sort with that name, new if it is not known yet.
    pub fn mk_uninterpreted_sort(&mut self, name: &str) -> SortId {
        let name = self.intern_name(name);
        self.mk_sort(Sort::Uninterpreted(name))
    }

    /// What the sort is.
    #[inline]
    pub fn sort_kind(&self, sort: SortId) -> Sort {
        self.sorts[sort]
    }

    /// The width of a bit-vector sort.
    pub fn bv_width(&self, sort: SortId) -> Option<u32> {
        match self.sorts[sort] {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }

    /// The width of a bit-vector term. Panics on other sorts.
    pub fn width(&self, term: TermId) -> u32 {
        self.bv_width(self.sort(term)).expect("a bit-vector term")
    }

    /// Index and element sort of an array sort.
    pub fn array_sorts(&self, sort: SortId) -> Option<(SortId, SortId)> {
        match self.sorts[sort] {
            Sort::Array(index, element) => Some((index, element)),
            _ => None,
        }
    }

    /// Interns a name.
    pub fn intern_name(&mut self, name: &str) -> SymbolId {
        if let Some(&id) = self.name_ids.get(name) {
            return id;
        }
        let id = self.names.push(name.into());
        self.name_ids.insert(name.into(), id);
        id
    }

    /// The text of a name.
    pub fn name(&self, symbol: SymbolId) -> &str {
        &self.names[symbol]
    }

    /// Whether some interned name begins with the prefix.
    pub fn has_name_with_prefix(&self, prefix: &str) -> bool {
        self.names.values().any(|name| name.starts_with(prefix))
    }

    /// Declares a function; the same name and sorts give the same id.
    pub fn declare_fn(&mut self, name: &str, arguments: &[SortId], result: SortId) -> FunctionId {
        let function =
            Function { name: self.intern_name(name), arguments: arguments.into(), result };
        if let Some(&id) = self.function_ids.get(&function) {
            return id;
        }
        let id = self.functions.push(function.clone());
        self.function_ids.insert(function, id);
        id
    }

    /// A function whose name nobody used before: `prefix!n`.
    pub fn declare_fresh_fn(
        &mut self,
        prefix: &str,
        arguments: &[SortId],
        result: SortId,
    ) -> FunctionId {
        loop {
            self.fresh += 1;
            let name = format!("{prefix}!{}", self.fresh);
            if !self.name_ids.contains_key(name.as_str()) {
                return self.declare_fn(&name, arguments, result);
            }
        }
    }

    /// The declaration of a function.
    pub fn function(&self, function: FunctionId) -> &Function {
        &self.functions[function]
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.name(self.functions[function].name)
    }

    // ---- leaves ----

    /// The constant `true`.
    pub fn mk_true(&self) -> TermId {
        TermId::TRUE
    }

    /// The constant `false`.
    pub fn mk_false(&self) -> TermId {
        TermId::FALSE
    }

    /// The truth value.
    pub fn mk_bool(&self, value: bool) -> TermId {
        if value { TermId::TRUE } else { TermId::FALSE }
    }

    /// The function applied to the arguments.
    pub fn mk_app(&mut self, function: FunctionId, args: &[TermId]) -> TermId {
        let declaration = &self.functions[function];
        debug_assert!(
            declaration.arguments.len() == args.len()
                && declaration.arguments.iter().zip(args).all(|(&s, &a)| s == self.sort(a)),
            "arguments do not fit the declaration of {}",
            self.function_name(function)
        );
        let sort = declaration.result;
        self.intern(Op::Apply(function), sort, args)
    }

    /// The constant with that name and sort, declared if it is new.
    pub fn mk_const(&mut self, name: &str, sort: SortId) -> TermId {
        let function = self.declare_fn(name, &[], sort);
        self.mk_app(function, &[])
    }

    /// A constant whose name nobody used before.
    pub fn mk_fresh_const(&mut self, prefix: &str, sort: SortId) -> TermId {
        let function = self.declare_fresh_fn(prefix, &[], sort);
        self.mk_app(function, &[])
    }

    /// An integer.
    pub fn mk_int(&mut self, value: impl Into<Integer>) -> TermId {
        self.mk_number(Rational::from(value.into()), SortId::INT)
    }

    /// A real number.
    pub fn mk_real(&mut self, value: impl Into<Rational>) -> TermId {
        self.mk_number(value.into(), SortId::REAL)
    }

    /// A number of sort `Int` or `Real`.
    pub fn mk_number(&mut self, value: Rational, sort: SortId) -> TermId {
        debug_assert!(sort == SortId::REAL || (sort == SortId::INT && value.is_integer()));
        let id = self.intern_number(value);
        self.intern(Op::Number(id), sort, &[])
    }

    pub(crate) fn intern_number(&mut self, value: Rational) -> NumberId {
        if let Some(&id) = self.number_ids.get(&value) {
            return id;
        }
        let id = self.numbers.push(value.clone());
        self.number_ids.insert(value, id);
        id
    }

    // ---- hash-consing ----

    /// The term with exactly this head, sort and arguments. Callers normalise.
    pub(crate) fn intern(&mut self, op: Op, sort: SortId, args: &[TermId]) -> TermId {
        let print = hash_node(op, sort, args);
        let mut slot = self.table.first_slot(print);
        while let Some((other, id)) = self.table.at(slot) {
            // Most others are told apart without looking at their nodes, which lie elsewhere.
            if other == print {
                let node = &self.nodes[id];
                if node.op == op && node.sort == sort && self.args(id) == args {
                    return id;
                }
            }
            slot = self.table.next_slot(slot);
        }
        let start = u32::try_from(self.pool.len()).expect("argument pool of a term store is full");
        self.pool.extend_from_slice(args);
        let id = self.nodes.push(Node { op, sort, start, len: args.len() as u32 });
        self.table.put(slot, print, id);
        if self.table.is_crowded() {
            self.table.grow();
        }
        id
    }

    /// Bytes that the terms take: nodes, arguments, hash table and numbers, as
    /// allocated (declarations and names excluded).
    pub fn bytes(&self) -> usize {
        self.nodes.len().next_power_of_two() * std::mem::size_of::<Node>()
            + self.pool.capacity() * std::mem::size_of::<TermId>()
            + self.table.slots.len() * std::mem::size_of::<(u32, u32)>()
            + self.numbers.len() * 3 * std::mem::size_of::<Rational>()
    }
}

/// A print of 32 bits that differs for most terms.
fn hash_node(op: Op, sort: SortId, args: &[TermId]) -> u32 {
    let mut hasher = rustc_hash::FxHasher::default();
    op.hash(&mut hasher);
    hasher.write_u32(sort.index() as u32);
    for arg in args {
        hasher.write_u32(arg.0);
    }
    // Terms over consecutive ids have hashes in arithmetic progression, which makes clusters;
    // another multiplication, of which the high bits count, scatters them.
    let hash = hasher.finish();
    ((hash ^ (hash >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// Open addressing with linear probing. A slot holds the print of a term and
/// its id plus one; zero is empty.
struct Table {
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Table {
    fn new() -> Table {
        Table::with_slots(64)
    }

    fn with_slots(slots: usize) -> Table {
        Table { slots: vec![(0, 0); slots], used: 0 }
    }

    #[inline]
    fn first_slot(&self, print: u32) -> usize {
        print as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    #[inline]
    fn at(&self, slot: usize) -> Option<(u32, TermId)> {
        match self.slots[slot] {
            (_, 0) => None,
            (print, n) => Some((print, TermId(n - 1))),
        }
    }

    fn put(&mut self, slot: usize, print: u32, id: TermId) {
        self.slots[slot] = (print, id.0 + 1);
        self.used += 1;
    }

    fn is_crowded(&self) -> bool {
        self.used * 4 > self.slots.len() * 3
    }

    fn grow(&mut self) {
        let mut larger = Table::with_slots(self.slots.len() * 2);
        for &(print, n) in self.slots.iter().filter(|(_, n)| *n != 0) {
            let mut slot = larger.first_slot(print);
            while larger.at(slot).is_some() {
                slot = larger.next_slot(slot);
            }
            larger.put(slot, print, TermId(n - 1));
        }
        *self = larger;
    }
}

impl std::fmt::Debug for TermStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TermStore({} terms)", self.len())
    }
}
