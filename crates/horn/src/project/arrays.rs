//! Eliminating arrays from literals under a model.
//!
//! Reads of writes are decided by whether the model lets the indices coincide,
//! at the price of a literal about the indices. An equality between writes to
//! a variable and something else defines the variable up to the written
//! elements. What remains of a variable are reads: each becomes a constant of
//! its own, with literals that say which of the indices coincide (Ackermann's
//! reduction, decided by the model).

use super::Projection;
use bolide_base::HashMap;
use bolide_terms::{Op, SortId, TermId, TermStore, Value, evaluate};

impl Projection {
    /// Eliminates arrays, and reads and writes around variables.
    pub(super) fn arrays(&mut self, store: &mut TermStore) {
        let any = store.subterms(&self.literals).into_iter().any(|t| {
            matches!(store.op(t), Op::Select | Op::Store | Op::ConstArray)
                || store.array_sorts(store.sort(t)).is_some()
        });
        if !any {
            return;
        }
        self.reads_of_writes(store);
        self.written_elements(store);
        self.base_arrays(store);
        self.solve(store);
        self.disequalities(store);
        self.reads_of_writes(store);
        self.whole_arrays(store);
        self.reads(store);
        self.truth_values(store);
    }

    fn value(&self, store: &TermStore, term: TermId) -> Option<Value> {
        evaluate(store, &self.model, term).ok()
    }

    /// A new variable that has the value of the term.
    fn introduce(
        &mut self,
        store: &mut TermStore,
        prefix: &str,
        sort: SortId,
        term: TermId,
    ) -> TermId {
        let constant = store.mk_fresh_const(prefix, sort);
        if let Some(value) = self.value(store, term) {
            let function = store.function_of(constant).expect("a constant");
            self.model.set_constant(function, value);
        }
        self.variables.insert(constant);
        constant
    }

    /// Says of two indices what the model says.
    fn relate(&mut self, store: &mut TermStore, i: TermId, j: TermId) -> bool {
        let same = self.value(store, i) == self.value(store, j);
        if i != j {
            let equal = store.mk_eq(i, j);
            let literal = if same { equal } else { store.mk_not(equal) };
            if literal != TermId::TRUE {
                self.literals.push(literal);
            }
        }
        same
    }

    /// Decides reads of writes that concern variables.
    fn reads_of_writes(&mut self, store: &mut TermStore) {
        loop {
            let found = store.subterms(&self.literals).into_iter().find(|&t| {
                store.op(t) == Op::Select
                    && store.op(store.arg(t, 0)) == Op::Store
                    && self.mentions(store, t)
            });
            let Some(read) = found else { return };
            let (write, j) = (store.arg(read, 0), store.arg(read, 1));
            let (array, i, v) = (store.arg(write, 0), store.arg(write, 1), store.arg(write, 2));
            let result = if self.relate(store, i, j) { v } else { store.mk_select(array, j) };
            self.replace(store, read, result);
        }
    }

    /// `a = store(b, i, x)` says that `x` is `a[i]`.
    fn written_elements(&mut self, store: &mut TermStore) {
        for literal in self.literals.clone() {
            let Some((a, b)) = self.array_equality(store, literal) else { continue };
            for (whole, writes) in [(a, b), (b, a)] {
                if store.op(writes) != Op::Store {
                    continue;
                }
                let (i, x) = (store.arg(writes, 1), store.arg(writes, 2));
                let inside = store.mk_select(whole, i);
                if self.variables.contains(&x) && !store.occurs(x, inside) {
                    self.replace(store, x, inside);
                    break;
                }
            }
        }
    }

    fn array_equality(&self, store: &TermStore, literal: TermId) -> Option<(TermId, TermId)> {
        if store.op(literal) != Op::Eq || !self.literals.contains(&literal) {
            return None;
        }
        let (a, b) = (store.arg(literal, 0), store.arg(literal, 1));
        store.array_sorts(store.sort(a)).map(|_| (a, b))
    }

    /// `other = store(.. store(a, i, v) .., j, w)` defines the variable `a`.
    fn base_arrays(&mut self, store: &mut TermStore) {
        'literals: for literal in self.literals.clone() {
            let Some((left, right)) = self.array_equality(store, literal) else { continue };
            for (other, writes) in [(left, right), (right, left)] {
                let (base, chain) = writes_upon(store, writes);
                let usable = !chain.is_empty()
                    && self.variables.contains(&base)
                    && !store.occurs(base, other)
                    && !chain.iter().any(|&(i, v)| store.occurs(base, i) || store.occurs(base, v));
                if !usable {
                    continue;
                }
                let mut definition = other;
                let mut seen: Vec<TermId> = Vec::new();
                for (i, v) in chain {
                    if seen.iter().any(|&j| self.relate(store, i, j)) {
                        continue;
                    }
                    seen.push(i);
                    let read = store.mk_select(other, i);
                    let equal = store.mk_eq(read, v);
                    self.literals.push(equal);
                    // What the variable holds there is not known; the model knows one value.
                    let held = store.mk_select(base, i);
                    let sort = store.sort(v);
                    let unknown = self.introduce(store, "w", sort, held);
                    definition = store.mk_store(definition, i, unknown);
                }
                self.literals.retain(|&l| l != literal);
                self.replace(store, base, definition);
                self.reads_of_writes(store);
                continue 'literals;
            }
        }
    }

    /// Different arrays differ somewhere, and the model knows where.
    fn disequalities(&mut self, store: &mut TermStore) {
        for literal in self.literals.clone() {
            let Some(atom) = store.negated(literal) else { continue };
            if store.op(atom) != Op::Eq || !self.mentions(store, atom) {
                continue;
            }
            let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
            let (Some(Value::Array(x)), Some(Value::Array(y))) =
                (self.value(store, a), self.value(store, b))
            else {
                continue;
            };
            let indices = x.entries().keys().chain(y.entries().keys());
            let Some(index) = indices.into_iter().find(|i| x.get(i) != y.get(i)).cloned() else {
                continue;
            };
            let index = store.mk_value(&index);
            let (x, y) = (store.mk_select(a, index), store.mk_select(b, index));
            let differ = store.mk_neq(x, y);
            self.literals.retain(|&l| l != literal);
            self.literals.push(differ);
        }
    }

    /// Variables of which more is said than what is read become their values.
    /// Required: otherwise the constants of their reads would be independent of that.
    fn whole_arrays(&mut self, store: &mut TermStore) {
        let mut map = HashMap::default();
        for term in store.subterms(&self.literals) {
            for (position, &arg) in store.args(term).to_vec().iter().enumerate() {
                let read = store.op(term) == Op::Select && position == 0;
                if !read
                    && self.variables.contains(&arg)
                    && store.array_sorts(store.sort(arg)).is_some()
                    && let Some(value) = self.value(store, arg)
                {
                    map.insert(arg, store.mk_value(&value));
                }
            }
        }
        self.substitute(store, &map);
    }

    /// Reads of variables become constants.
    fn reads(&mut self, store: &mut TermStore) {
        loop {
            let is_read = |store: &TermStore, t: TermId| {
                store.op(t) == Op::Select && self.variables.contains(&store.arg(t, 0))
            };
            // Innermost first: an index may contain reads of its own.
            let Some(read) =
                store.subterms(&self.literals).into_iter().find(|&t| is_read(store, t))
            else {
                return;
            };
            let array = store.arg(read, 0);
            let reads: Vec<TermId> = store
                .subterms(&self.literals)
                .into_iter()
                .filter(|&t| store.op(t) == Op::Select && store.arg(t, 0) == array)
                .filter(|&t| !store.occurs(array, store.arg(t, 1)))
                .collect();
            if reads.is_empty() {
                return;
            }
            let mut groups: Vec<(TermId, TermId)> = Vec::new();
            let mut map = HashMap::default();
            for read in reads {
                let index = store.arg(read, 1);
                let known = groups.iter().find(|&&(other, _)| self.relate(store, index, other));
                let constant = match known {
                    Some(&(_, constant)) => constant,
                    None => {
                        let sort = store.sort(read);
                        let constant = self.introduce(store, "r", sort, read);
                        groups.push((index, constant));
                        constant
                    }
                };
                map.insert(read, constant);
            }
            // Required: nothing else may be said of the array, or the reads are not all.
            self.substitute(store, &map);
        }
    }
}

/// What an array was made of: the array below all writes, and these, the last one first.
fn writes_upon(store: &TermStore, array: TermId) -> (TermId, Vec<(TermId, TermId)>) {
    let (mut base, mut writes) = (array, Vec::new());
    while let (Op::Store, &[inner, index, value]) = (store.op(base), store.args(base)) {
        writes.push((index, value));
        base = inner;
    }
    (base, writes)
}
