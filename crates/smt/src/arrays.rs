//! Arrays by instantiating their axioms on demand.
//!
//! To the e-graph `select`, `store` and constant arrays are functions without
//! meaning. When it and arithmetic agree on a full assignment, the axioms that this
//! assignment could violate are instantiated (after Stump, Barrett, Dill and Levitt, and de
//! Moura and Bjorner: *Generalized, efficient array decision procedures*,
//! FMCAD 2009):
//!
//! - for `s = store(a, i, v)`: `select(s, i) = v`;
//! - for a read at `j` of an array equal to `s`: `i = j or select(s, j) = select(a, j)`;
//! - the same for a read of an array equal to `a`, but only where two writes
//!   meet above: where the class of `s`, or one reached from it by further
//!   writes, contains two writes or constants. Elsewhere the element of `s` is determined by that of `a`, and the
//!   model carries it upward;
//! - for different arrays `a`, `b`: they differ at `diff(a, b)`, but only if it matters that they
//!   are different (`relevance`);
//! - for a constant array that is read: the element is the constant.
//!
//! A `diff(a, b)` that was asserted stands for a place where the two differ whether or not they
//! are compared, and it is a function of them like any other.
//!
//! Only finitely many indices exist, so this ends. Arrays that are arguments of functions are
//! compared by equality atoms for the search to decide.
//!
//! Two constant arrays that are connected by `n` writes agree at any index that is
//! not written; of `n + 1` different numbers one is such an index, so both are
//! read at these. An uninterpreted index sort need not have so many elements.
//! There both are read at every index that some term denotes, and the model has
//! no other elements: all axioms are universal, so they hold in it.

use bolide_base::{HashMap, HashSet};
use bolide_proof::Tautology;
use bolide_sat::{Actions, Var};
use bolide_terms::{Op, Sort, TermId, TermStore};

use crate::clausify::add_valid_formula;
use crate::combination::Combination;
use crate::context::Context;
use crate::euf::Node;
use crate::partition::Partition;
use crate::relevance::Relevance;

/// An axiom together with what it is instantiated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Instance {
    Written(TermId),
    Other(TermId, TermId),
    Constant(TermId, TermId),
    Different(TermId, TermId),
    /// The same for a place that the claims name.
    Named(TermId),
}

/// What has been instantiated.
#[derive(Default)]
pub(crate) struct Arrays {
    done: HashSet<Instance>,
    log: Vec<Instance>,
    /// Equality atoms between arrays.
    equalities: Vec<TermId>,
    /// Equalities between arguments of functions: their values matter.
    compared: HashSet<TermId>,
    /// Lengths of `log` and `equalities` where scopes began.
    scopes: Vec<(usize, usize)>,
}

/// Reads, writes and constants of the present state, by class.
#[derive(Default)]
struct Terms {
    /// For each class of arrays the indices that are read, one for each class of indices.
    reads: HashMap<Node, Vec<(Node, TermId)>>,
    stores: Vec<TermId>,
    constants: Vec<TermId>,
    /// Places where arrays differ that are none of our own witnesses.
    named: Vec<TermId>,
    /// Arrays as arguments of functions: function, position, array.
    foreign: Vec<(Op, usize, TermId)>,
}

impl Arrays {
    pub fn register_atom(&mut self, context: &mut Context<'_>, var: Var) {
        let atom = context.atom(var);
        if context.store.op(atom) == Op::Eq {
            let sort = context.store.sort(context.store.arg(atom, 0));
            if context.store.array_sorts(sort).is_some() {
                self.equalities.push(atom);
            }
        }
    }

    pub fn push_scope(&mut self) {
        self.scopes.push((self.log.len(), self.equalities.len()));
    }

    pub fn pop_scopes(&mut self, count: usize) {
        let kept = self.scopes.len() - count;
        if let Some(&(log, equalities)) = self.scopes.get(kept) {
            for instance in self.log.drain(log..) {
                self.done.remove(&instance);
            }
            self.equalities.truncate(equalities);
            self.scopes.truncate(kept);
        }
    }

    /// Instantiates what the present assignment could violate. True if there
    /// was anything.
    pub fn final_check(
        &mut self,
        context: &mut Context<'_>,
        combination: &mut Combination,
        actions: &Actions<'_>,
    ) -> bool {
        let terms = self.collect(context, combination);
        if terms.stores.is_empty()
            && terms.constants.is_empty()
            && self.equalities.is_empty()
            && terms.foreign.is_empty()
        {
            return false;
        }
        let mut any = false;
        for &written in &terms.stores {
            any |= self.read_written(context, written);
        }
        for &place in &terms.named {
            if self.is_new(Instance::Named(place)) {
                differ_at(context, place);
                any = true;
            }
        }
        if any {
            // What was written may be read now: let congruence see it first.
            return true;
        }
        let climbing = climbing_classes(context, combination, &terms);
        for &written in &terms.stores {
            let base = context.store.arg(written, 0);
            let (whole, part) = (root(combination, written), root(combination, base));
            if let Some(reads) = terms.reads.get(&whole) {
                any |= self.read_other(context, combination, written, reads);
            }
            if climbing.contains(&whole)
                && let Some(reads) = terms.reads.get(&part)
            {
                any |= self.read_other(context, combination, written, reads);
            }
        }
        any |= self.constants(context, combination, &terms);
        any |= self.foreign(context, combination, &terms);
        if !any {
            // Last, because each adds an index to read at.
            any = self.extensionality(context, combination, actions);
        }
        any
    }

    /// What there is to look at.
    fn collect(&self, context: &Context<'_>, combination: &Combination) -> Terms {
        let store = &*context.store;
        let mut terms = Terms::default();
        for &node in combination.applications() {
            let term = combination.term(node);
            let arguments = store.args(term);
            let first_index = match store.op(term) {
                Op::Select => {
                    let class = root(combination, arguments[0]);
                    let index = root(combination, arguments[1]);
                    let reads = terms.reads.entry(class).or_default();
                    if !reads.iter().any(|&(known, _)| known == index) {
                        reads.push((index, arguments[1]));
                    }
                    1
                }
                Op::Store => {
                    terms.stores.push(term);
                    1
                }
                Op::ConstArray => {
                    terms.constants.push(term);
                    0
                }
                // Required: a witness of our own is compared with nothing, or there would be no end.
                Op::Diff
                    if self.done.contains(&Instance::Different(arguments[0], arguments[1])) =>
                {
                    continue;
                }
                Op::Diff => {
                    terms.named.push(term);
                    0
                }
                _ => 0,
            };
            for (position, &argument) in arguments.iter().enumerate().skip(first_index) {
                if store.array_sorts(store.sort(argument)).is_some() {
                    terms.foreign.push((store.op(term), position, argument));
                }
            }
        }
        terms
    }

    fn is_new(&mut self, instance: Instance) -> bool {
        let new = self.done.insert(instance);
        if new {
            self.log.push(instance);
        }
        new
    }

    fn read_written(&mut self, context: &mut Context<'_>, written: TermId) -> bool {
        if !self.is_new(Instance::Written(written)) {
            return false;
        }
        let store = &mut *context.store;
        let &[_, index, value] = store.args(written) else { unreachable!("store has three") };
        let read = store.mk_select_plain(written, index);
        let equal = store.mk_eq_plain(read, value);
        add_valid_formula(context, equal, Tautology::ReadWritten(written));
        true
    }

    fn read_other(
        &mut self,
        context: &mut Context<'_>,
        combination: &Combination,
        written: TermId,
        reads: &[(Node, TermId)],
    ) -> bool {
        let &[base, position, _] = context.store.args(written) else { unreachable!() };
        let mut any = false;
        for &(_, index) in reads {
            if combination.are_equal(index, position) {
                continue;
            }
            let above = context.store.mk_select_plain(written, index);
            let below = context.store.mk_select_plain(base, index);
            if combination.are_equal(above, below) || !self.is_new(Instance::Other(written, index))
            {
                continue;
            }
            let same_index = context.store.mk_eq_plain(position, index);
            let same_element = context.store.mk_eq_plain(above, below);
            context.tautology(
                &[same_index, same_element],
                Tautology::ReadOther { store: written, index },
            );
            any = true;
        }
        any
    }

    fn constants(
        &mut self,
        context: &mut Context<'_>,
        combination: &Combination,
        terms: &Terms,
    ) -> bool {
        let mut any = false;
        if terms.constants.is_empty() {
            return false;
        }
        // Classes that are connected by writes.
        let mut components = Partition::new(combination.egraph.len());
        let class = |term: TermId| root(combination, term).0 as usize;
        for &written in &terms.stores {
            components.union(class(written), class(context.store.arg(written, 0)));
        }
        let mut first_of: HashMap<usize, TermId> = HashMap::default();
        for &array in &terms.constants {
            let reads = terms.reads.get(&root(combination, array)).into_iter().flatten();
            let mut indices: Vec<TermId> = reads.map(|&(_, index)| index).collect();
            let component = components.find(class(array));
            let first = *first_of.entry(component).or_insert(array);
            let values = (context.store.arg(first, 0), context.store.arg(array, 0));
            if first != array && !combination.are_equal(values.0, values.1) {
                let mut witnesses = distinct_values(context.store, array, terms.stores.len() + 1);
                if witnesses.is_empty() {
                    any |= decide_equality(context, values.0, values.1);
                    witnesses = denoted_indices(context.store, combination, first, array);
                }
                for &witness in &witnesses {
                    any |= self.read_constant(context, combination, first, witness);
                }
                indices.extend(witnesses);
            }
            for index in indices {
                any |= self.read_constant(context, combination, array, index);
            }
        }
        any
    }

    fn read_constant(
        &mut self,
        context: &mut Context<'_>,
        combination: &Combination,
        array: TermId,
        index: TermId,
    ) -> bool {
        let value = context.store.arg(array, 0);
        let read = context.store.mk_select_plain(array, index);
        if combination.are_equal(read, value) || !self.is_new(Instance::Constant(array, index)) {
            return false;
        }
        let equal = context.store.mk_eq_plain(read, value);
        add_valid_formula(context, equal, Tautology::ReadConstant { array, index });
        true
    }

    fn extensionality(
        &mut self,
        context: &mut Context<'_>,
        combination: &Combination,
        actions: &Actions<'_>,
    ) -> bool {
        let is_false = |atom: TermId| {
            let node = combination.known_node(atom);
            node.and_then(|node| combination.egraph.truth(node)) == Some(false)
        };
        let mut pending: Vec<TermId> = Vec::new();
        for &atom in &self.equalities {
            let &[left, right] = context.store.args(atom) else { unreachable!("equality of two") };
            if is_false(atom) && !self.done.contains(&Instance::Different(left, right)) {
                pending.push(atom);
            }
        }
        if pending.is_empty() {
            return false;
        }
        let (store, atoms) = (&*context.store, &context.shared.atoms);
        let truth = |atom: TermId| atoms.var(atom).and_then(|var| actions.value(var.lit(true)));
        if let Some(relevance) = Relevance::of(store, &context.shared.claims, &truth) {
            pending.retain(|atom| self.compared.contains(atom) || relevance.is_needed(*atom));
        }
        let mut any = false;
        for atom in pending {
            let &[left, right] = context.store.args(atom) else { unreachable!("equality of two") };
            let witness = context.store.mk_diff(left, right);
            if self.done.contains(&Instance::Named(witness))
                || !self.is_new(Instance::Different(left, right))
            {
                continue;
            }
            differ_at(context, witness);
            any = true;
        }
        any
    }

    /// Arrays that are arguments of one function and not known to be equal: the search shall
    /// decide.
    fn foreign(
        &mut self,
        context: &mut Context<'_>,
        combination: &Combination,
        terms: &Terms,
    ) -> bool {
        let before = context.shared.atoms.len();
        self.compared.clear();
        for (i, &(function, position, array)) in terms.foreign.iter().enumerate() {
            for &(other_function, other_position, other) in &terms.foreign[..i] {
                if (function, position) == (other_function, other_position)
                    && context.store.sort(array) == context.store.sort(other)
                    && !combination.are_equal(array, other)
                {
                    let equal = context.store.mk_eq_plain(array, other);
                    context.literal(equal);
                    self.compared.insert(context.store.atom_and_sign(equal).0);
                }
            }
        }
        context.shared.atoms.len() > before
    }
}

/// The arrays are equal or differ at this place, which is named after them.
fn differ_at(context: &mut Context<'_>, place: TermId) {
    let store = &mut *context.store;
    let &[left, right] = store.args(place) else { unreachable!("diff has two") };
    let [a, b] = [left, right].map(|array| store.mk_select_plain(array, place));
    let (equal, same) = (store.mk_eq_plain(left, right), store.mk_eq_plain(a, b));
    let different = store.mk_not(same);
    context.tautology(&[equal, different], Tautology::Extensionality { left, right });
}

/// So many different values of the index sort, or all of them if there are fewer.
fn distinct_values(store: &mut TermStore, array: TermId, count: usize) -> Vec<TermId> {
    let (index, _) = store.array_sorts(store.sort(array)).expect("an array");
    match store.sort_kind(index) {
        Sort::Int | Sort::Real => (0..count as i64)
            .map(|value| store.mk_number(bolide_base::Rational::from(value), index))
            .collect(),
        Sort::BitVec(width) => {
            let count = if width < 32 { count.min(1 << width) } else { count };
            (0..count as i64).map(|value| store.mk_bv(value, width)).collect()
        }
        Sort::Bool => vec![TermId::FALSE, TermId::TRUE],
        _ => Vec::new(),
    }
}

/// Makes the equality an atom, for the search to decide; false if it is one already.
fn decide_equality(context: &mut Context<'_>, left: TermId, right: TermId) -> bool {
    let before = context.shared.atoms.len();
    let equal = context.store.mk_eq_plain(left, right);
    if equal != TermId::TRUE && equal != TermId::FALSE {
        context.literal(equal);
    }
    context.shared.atoms.len() > before
}

/// One term for each element of the arrays' index sort that some term denotes, at least one.
fn denoted_indices(
    store: &mut TermStore,
    combination: &Combination,
    left: TermId,
    right: TermId,
) -> Vec<TermId> {
    let (index, _) = store.array_sorts(store.sort(left)).expect("an array");
    let mut indices = combination.representatives(store, index);
    if indices.is_empty() {
        indices.push(store.mk_diff(left, right));
    }
    indices
}

fn root(combination: &Combination, term: TermId) -> Node {
    let node = combination.known_node(term).expect("arguments of applications have nodes");
    combination.egraph.root(node)
}

/// The classes into which reads must be carried upward.
fn climbing_classes(
    context: &Context<'_>,
    combination: &Combination,
    terms: &Terms,
) -> HashSet<Node> {
    let mut definitions: HashMap<Node, u32> = HashMap::default();
    let mut climbing = HashSet::default();
    let mut work = Vec::new();
    for &term in terms.stores.iter().chain(&terms.constants) {
        let class = root(combination, term);
        let count = definitions.entry(class).or_default();
        *count += 1;
        if *count == 2 && climbing.insert(class) {
            work.push(class);
        }
    }
    while let Some(class) = work.pop() {
        for &written in &terms.stores {
            if root(combination, written) == class {
                let below = root(combination, context.store.arg(written, 0));
                if climbing.insert(below) {
                    work.push(below);
                }
            }
        }
    }
    climbing
}
