//! Walking over terms: subterms, symbols, sizes, rewriting, substitution.
//!
//! All of it works with explicit stacks and visits shared subterms once.

use crate::{FunctionId, Op, SortId, TermId, TermStore};
use bolide_base::{HashMap, HashSet};
use std::sync::Arc;

/// Remembers the symbols of terms.
#[derive(Default)]
pub(crate) struct SymbolMemo {
    sets: HashMap<TermId, Arc<[FunctionId]>>,
}

impl TermStore {
    /// All subterms of the roots, each once, arguments before the terms that
    /// contain them (in the order of ids).
    pub fn subterms(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut stack: Vec<TermId> = Vec::new();
        let mut result = Vec::new();
        for &root in roots {
            stack.push(root);
            while let Some(term) = stack.pop() {
                if seen.insert(term) {
                    result.push(term);
                    stack.extend(self.args(term).iter().filter(|a| !seen.contains(a)));
                }
            }
        }
        result.sort_unstable();
        result
    }

    /// How many different subterms the term has, itself included.
    pub fn dag_size(&self, term: TermId) -> usize {
        self.subterms(&[term]).len()
    }

    /// How many nodes the term has written out as a tree; stops counting at
    /// the largest number.
    pub fn tree_size(&self, term: TermId) -> u64 {
        self.fold_terms(term, |_, _, children: &[u64]| {
            children.iter().fold(1u64, |sum, n| sum.saturating_add(*n))
        })
    }

    /// The longest chain from the term down to a leaf; a leaf has depth one.
    pub fn depth(&self, term: TermId) -> u32 {
        self.fold_terms(term, |_, _, children: &[u32]| {
            1 + children.iter().copied().max().unwrap_or(0)
        })
    }

    /// Computes a value for each subterm from those of its arguments.
    pub fn fold_terms<T: Clone>(
        &self,
        root: TermId,
        mut f: impl FnMut(&TermStore, TermId, &[T]) -> T,
    ) -> T {
        let mut values: HashMap<TermId, T> = HashMap::default();
        let mut children = Vec::new();
        for term in self.subterms(&[root]) {
            children.clear();
            children.extend(self.args(term).iter().map(|a| values[a].clone()));
            let value = f(self, term, &children);
            values.insert(term, value);
        }
        values.remove(&root).expect("the root is a subterm of itself")
    }

    /// The declared functions and constants that occur in the term, sorted.
    /// Remembered for each subterm.
    pub fn symbols(&self, term: TermId) -> Arc<[FunctionId]> {
        let mut memo = self.symbol_memo.borrow_mut();
        if let Some(set) = memo.sets.get(&term) {
            return set.clone();
        }
        let mut stack = vec![(term, false)];
        let mut union: Vec<FunctionId> = Vec::new();
        while let Some((t, ready)) = stack.pop() {
            if memo.sets.contains_key(&t) {
                continue;
            }
            if !ready {
                stack.push((t, true));
                stack.extend(
                    self.args(t).iter().filter(|a| !memo.sets.contains_key(a)).map(|&a| (a, false)),
                );
                continue;
            }
            union.clear();
            union.extend(self.function_of(t));
            for arg in self.args(t) {
                union.extend_from_slice(&memo.sets[arg]);
            }
            union.sort_unstable();
            union.dedup();
            // Share the set with an argument that has all of it already.
            let shared = self
                .args(t)
                .iter()
                .map(|arg| &memo.sets[arg])
                .find(|set| set.len() == union.len())
                .cloned();
            let set = shared.unwrap_or_else(|| union.as_slice().into());
            memo.sets.insert(t, set);
        }
        memo.sets[&term].clone()
    }

    /// Whether the function or constant occurs in the term.
    pub fn mentions(&self, term: TermId, function: FunctionId) -> bool {
        self.symbols(term).binary_search(&function).is_ok()
    }

    /// Whether the constant occurs in the term.
    pub fn occurs(&self, constant: TermId, term: TermId) -> bool {
        self.mentions(term, self.function_of(constant).expect("a constant"))
    }

    /// The declared constants in the term, in the order of ids.
    pub fn constants(&self, term: TermId) -> Vec<TermId> {
        self.subterms(&[term]).into_iter().filter(|&t| self.is_const(t)).collect()
    }

    /// The atoms of a formula: the largest Boolean subterms that are no
    /// connectives, in the order of ids. Conditions of `ite` terms inside of
    /// atoms are not entered.
    pub fn atoms(&self, formula: TermId) -> Vec<TermId> {
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut stack = vec![formula];
        let mut result = Vec::new();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.op(t) {
                Op::True | Op::False => {}
                Op::Not | Op::And | Op::Or | Op::Ite => stack.extend_from_slice(self.args(t)),
                Op::Eq if self.is_bool(self.arg(t, 0)) => stack.extend_from_slice(self.args(t)),
                _ => result.push(t),
            }
        }
        result.sort_unstable();
        result
    }

    /// The term with this head, sort and arguments, through the constructor of
    /// the head: what rewriting builds from changed arguments.
    pub fn rebuild(&mut self, op: Op, sort: SortId, args: &[TermId]) -> TermId {
        match (op, args) {
            (Op::True, _) => TermId::TRUE,
            (Op::False, _) => TermId::FALSE,
            (Op::Not, &[a]) => self.mk_not(a),
            (Op::And, _) => self.mk_and(args),
            (Op::Or, _) => self.mk_or(args),
            (Op::Ite, &[c, a, b]) => self.mk_ite(c, a, b),
            (Op::Eq, &[a, b]) => self.mk_eq(a, b),
            (Op::Add, _) => self.mk_add(args),
            (Op::Mul, _) => self.mk_mul(args),
            (Op::Le, &[a, b]) => self.mk_le(a, b),
            (Op::Lt, &[a, b]) => self.mk_lt(a, b),
            (Op::Div, &[a, b]) => self.mk_div(a, b),
            (Op::Mod, &[a, b]) => self.mk_mod(a, b),
            (Op::Quotient, &[a, b]) => self.mk_quotient(a, b),
            (Op::Pow2, &[a]) => self.mk_pow2(a),
            (Op::LowAnd, &[k, a, b]) => self.mk_low_and(k, a, b),
            (Op::ToReal, &[a]) => self.mk_to_real(a),
            (Op::ToInt, &[a]) => self.mk_to_int(a),
            (Op::Apply(f), _) => self.mk_app(f, args),
            (Op::Select, &[a, i]) => self.mk_select(a, i),
            (Op::Store, &[a, i, v]) => self.mk_store(a, i, v),
            (Op::ConstArray, &[v]) => self.mk_const_array(sort, v),
            (Op::Diff, &[a, b]) => self.mk_diff(a, b),
            (Op::BvNot, &[a]) => self.mk_bv_not(a),
            (Op::BvNeg, &[a]) => self.mk_bv_neg(a),
            (Op::BvAnd, _) => self.mk_bv_and(args),
            (Op::BvOr, _) => self.mk_bv_or(args),
            (Op::BvXor, _) => self.mk_bv_xor(args),
            (Op::BvAdd, _) => self.mk_bv_add(args),
            (Op::BvMul, _) => self.mk_bv_mul(args),
            (Op::BvUdiv, &[a, b]) => self.mk_bv_udiv(a, b),
            (Op::BvUrem, &[a, b]) => self.mk_bv_urem(a, b),
            (Op::BvShl, &[a, b]) => self.mk_bv_shl(a, b),
            (Op::BvLshr, &[a, b]) => self.mk_bv_lshr(a, b),
            (Op::BvAshr, &[a, b]) => self.mk_bv_ashr(a, b),
            (Op::BvConcat, _) => self.mk_bv_concat(args),
            (Op::BvExtract { low }, &[a]) => {
                let width = self.bv_width(sort).expect("a bit-vector sort");
                self.mk_bv_extract(low + width - 1, low, a)
            }
            (Op::BvSignExtend, &[a]) => {
                let width = self.bv_width(sort).expect("a bit-vector sort");
                self.mk_bv_sign_extend(width - self.width(a), a)
            }
            (Op::BvUlt, &[a, b]) => self.mk_bv_ult(a, b),
            (Op::BvSlt, &[a, b]) => self.mk_bv_slt(a, b),
            (Op::IntToBv, &[a]) => {
                let width = self.bv_width(sort).expect("a bit-vector sort");
                self.mk_int_to_bv(width, a)
            }
            (Op::BvToInt, &[a]) => self.mk_bv_to_int(a, false),
            (Op::Forall | Op::Exists, [bound @ .., body]) => self.mk_quantifier(op, bound, *body),
            (Op::Number(_) | Op::BvNumber(_) | Op::Bound(_), _) => self.intern(op, sort, &[]),
            _ => unreachable!("{op:?} with {} arguments", args.len()),
        }
    }

    /// Rebuilds the term bottom-up. `f` sees each subterm with its rebuilt
    /// arguments and may give another term for it; otherwise the constructor
    /// of its head is applied.
    pub fn rewrite(
        &mut self,
        root: TermId,
        mut f: impl FnMut(&mut TermStore, TermId, &[TermId]) -> Option<TermId>,
    ) -> TermId {
        let mut values: HashMap<TermId, TermId> = HashMap::default();
        let mut args = Vec::new();
        for term in self.subterms(&[root]) {
            args.clear();
            args.extend(self.args(term).iter().map(|a| values[a]));
            let value = match f(self, term, &args) {
                Some(value) => value,
                None if args == self.args(term) => term,
                None => {
                    let (op, sort) = (self.op(term), self.sort(term));
                    self.rebuild(op, sort, &args)
                }
            };
            values.insert(term, value);
        }
        values[&root]
    }

    /// The term with every occurrence of a key replaced by its value, all at
    /// once, not under the variables that a quantifier binds anew. Keys are
    /// usually constants but can be any terms; values are of the same sort.
    pub fn substitute(&mut self, root: TermId, map: &HashMap<TermId, TermId>) -> TermId {
        if map.is_empty() {
            return root;
        }
        if let Some(&value) = map.get(&root) {
            return value;
        }
        Substitution::new(self, map).apply(root)
    }

    /// The term with every occurrence of one term replaced by another.
    pub fn replace(&mut self, root: TermId, old: TermId, new: TermId) -> TermId {
        self.substitute(root, &HashMap::from_iter([(old, new)]))
    }

    /// The term with the terms in the first list replaced by those in equal places of the second.
    pub fn replace_all(&mut self, root: TermId, old: &[TermId], new: &[TermId]) -> TermId {
        self.substitute(root, &old.iter().copied().zip(new.iter().copied()).collect())
    }
}

/// One run of [`TermStore::substitute`].
///
/// Required for quantifiers: values may contain quantifiers, and a quantifier
/// of the term must then keep an index above all inside its body; so its
/// index is raised by the largest index in the values. Inside, a scope of its
/// own renames the bound variables.
struct Substitution<'a> {
    store: &'a mut TermStore,
    shift: u32,
    scopes: Vec<HashMap<TermId, TermId>>,
    done: HashMap<(u32, TermId), TermId>,
    /// The scope that a quantifier opened inside of another scope.
    opened: HashMap<(u32, TermId), u32>,
    smallest_key: TermId,
}

impl<'a> Substitution<'a> {
    fn new(store: &'a mut TermStore, map: &HashMap<TermId, TermId>) -> Self {
        let shift = map.values().map(|&v| store.binder_height(v)).max().unwrap_or(0);
        let smallest_key = map.keys().copied().min().expect("the map is not empty");
        Substitution {
            store,
            shift,
            scopes: vec![map.clone()],
            done: HashMap::default(),
            opened: HashMap::default(),
            smallest_key,
        }
    }

    fn apply(&mut self, root: TermId) -> TermId {
        let mut stack = vec![(0u32, root)];
        let mut args = Vec::new();
        while let Some(&(scope, term)) = stack.last() {
            if self.done.contains_key(&(scope, term)) {
                stack.pop();
                continue;
            }
            if let Some(value) = self.immediate(scope, term) {
                self.done.insert((scope, term), value);
                stack.pop();
                continue;
            }
            let inner = self.scope_inside(scope, term);
            args.clear();
            let mut complete = true;
            for index in 0..self.store.args(term).len() {
                let arg = self.store.arg(term, index);
                match self.done.get(&(inner, arg)) {
                    Some(&value) => args.push(value),
                    None => {
                        complete = false;
                        stack.push((inner, arg));
                    }
                }
            }
            if complete {
                let (op, sort) = (self.store.op(term), self.store.sort(term));
                let value = if args == self.store.args(term) {
                    term
                } else if matches!(op, Op::Forall | Op::Exists) {
                    let body = *args.last().expect("a quantifier has a body");
                    if self.store.is_value(body) {
                        body
                    } else {
                        self.store.intern(op, sort, &args)
                    }
                } else {
                    self.store.rebuild(op, sort, &args)
                };
                self.done.insert((scope, term), value);
                stack.pop();
            }
        }
        self.done[&(0, root)]
    }

    /// What is known without looking at arguments.
    fn immediate(&self, scope: u32, term: TermId) -> Option<TermId> {
        if let Some(&value) = self.scopes[scope as usize].get(&term) {
            return Some(value);
        }
        // No subterm of a term older than all keys is a key.
        let untouched =
            self.store.args(term).is_empty() || (scope == 0 && term < self.smallest_key);
        untouched.then_some(term)
    }

    /// The scope for the arguments of the term.
    fn scope_inside(&mut self, scope: u32, term: TermId) -> u32 {
        let Some((bound, _)) = self.store.quantifier_parts(term) else { return scope };
        let outer = &self.scopes[scope as usize];
        if self.shift == 0 && !bound.iter().any(|b| outer.contains_key(b)) {
            return scope;
        }
        if let Some(&inner) = self.opened.get(&(scope, term)) {
            return inner;
        }
        let bound = bound.to_vec();
        let mut map = outer.clone();
        for b in bound {
            map.remove(&b);
            if self.shift > 0
                && let Op::Bound(index) = self.store.op(b)
            {
                let raised = self.store.mk_bound(index + self.shift, self.store.sort(b));
                map.insert(b, raised);
            }
        }
        let inner = self.scopes.len() as u32;
        self.scopes.push(map);
        self.opened.insert((scope, term), inner);
        inner
    }
}
