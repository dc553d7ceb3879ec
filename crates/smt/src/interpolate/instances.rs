//! Instances of the array axioms over the terms of one side each.
//!
//! The instances are those of [`arrays`](crate::arrays), for all terms that a side knows: its own
//! and those over shared symbols. An instance is built when its terms are known, and handed out when a
//! model violates it; only then its own terms count as known, so that this ends.
//!
//! What is shared:
//! - every array and every index over shared symbols that occurs in either side;
//! - for shared arrays `a` and `b` a *chain* (the weak equivalence of Hoenicke and Schindler,
//!   *Efficient interpolation for the theory of arrays*, as terms): `d1 = diff(a, b)`, `a1 =
//!   store(a, d1, b[d1])`, `d2 = diff(a1, b)` and so on. A side that knows `a` and `b` to differ in
//!   at most `k` places can prove `ak = b`, and the other side can read through it;
//! - where constant arrays occur: the numbers 0, 1, 2, ... as indices, since one of more numbers than
//!   there are writes is not written at; and if the constant itself belongs to one side, the constant
//!   arrays of what a shared array holds there.
//!
//! The last two grow by one step at a time, chains only where a model has their ends
//! different. No more steps than twice the number of writes can be needed.

use super::uninterpreted::Uninterpreted;
use bolide_base::{HashSet, Rational};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Model;
use bolide_terms::{FunctionId, Op, SortId, TermId, TermStore};

/// What one side knows.
#[derive(Default)]
struct Knowledge {
    /// Terms that have been looked at.
    seen: HashSet<TermId>,
    writes: Vec<TermId>,
    constants: Vec<TermId>,
    indices: Vec<TermId>,
    /// Arrays that are arguments of functions or elements: whether they are equal matters.
    arguments: Vec<TermId>,
}

/// From one shared array to another, over those between that agree with it at ever more places.
struct Chain {
    last: TermId,
    end: TermId,
}

/// The instances of the array axioms over the terms of one side each.
pub(super) struct Instances {
    shared: HashSet<FunctionId>,
    sides: [Knowledge; 2],
    /// Shared arrays that are not written.
    bases: Vec<TermId>,
    chains: Vec<Chain>,
    /// That the links of chains are equal to their ends.
    linked: Vec<TermId>,
    /// Instances that have not been asserted, with their side.
    open: Vec<(usize, TermId)>,
    proposed: HashSet<TermId>,
    /// Pairs of arrays for which there is an instance of extensionality.
    compared: HashSet<(TermId, TermId)>,
    steps: usize,
    /// No more steps than this.
    limit: usize,
}

impl Instances {
    /// What two formulas need.
    pub fn new(store: &mut TermStore, formulas: [TermId; 2]) -> Self {
        let mut instances = Instances {
            shared: shared_symbols(store, formulas),
            sides: Default::default(),
            bases: Vec::new(),
            chains: Vec::new(),
            linked: Vec::new(),
            open: Vec::new(),
            proposed: HashSet::default(),
            compared: HashSet::default(),
            steps: 0,
            limit: 0,
        };
        for (side, formula) in formulas.into_iter().enumerate() {
            instances.learn(store, side, formula);
        }
        instances.limit =
            2 * instances.sides.iter().map(|side| side.writes.len()).sum::<usize>() + 2;
        instances
    }

    /// Whether both sides know all symbols of the term.
    pub fn is_shared(&self, store: &TermStore, term: TermId) -> bool {
        store.symbols(term).iter().all(|symbol| self.shared.contains(symbol))
    }

    /// That links of chains are equal to their ends: what interpolants are likely to say.
    pub fn linked(&self) -> &[TermId] {
        &self.linked
    }

    /// The sides that know the term, which one of them does.
    fn knowing(&self, store: &TermStore, side: usize, term: TermId) -> std::ops::Range<usize> {
        if self.is_shared(store, term) { 0..2 } else { side..side + 1 }
    }

    /// Takes note of everything in the term.
    fn learn(&mut self, store: &mut TermStore, side: usize, term: TermId) {
        for part in store.subterms(&[term]) {
            for knowing in self.knowing(store, side, part) {
                if self.sides[knowing].seen.insert(part) {
                    self.look_at(store, knowing, part);
                }
            }
        }
    }

    fn look_at(&mut self, store: &mut TermStore, side: usize, term: TermId) {
        let is_array =
            |store: &TermStore, term: TermId| store.array_sorts(store.sort(term)).is_some();
        let arguments = store.args(term).to_vec();
        let mut foreign = &arguments[..];
        match store.op(term) {
            Op::Select => {
                self.add_index(store, side, arguments[1]);
                foreign = &arguments[1..];
            }
            Op::Store => {
                self.add_index(store, side, arguments[1]);
                self.add_write(store, side, term);
                foreign = &arguments[1..];
            }
            Op::ConstArray => self.add_constant(store, side, term),
            Op::Diff => {
                self.add_index(store, side, term);
                self.differ_at(store, side, term);
            }
            Op::Eq if is_array(store, arguments[0]) => {
                self.compare(store, side, arguments[0], arguments[1]);
                foreign = &[];
            }
            Op::Ite => foreign = &[],
            _ => {}
        }
        for &argument in foreign {
            if is_array(store, argument) {
                self.add_argument(store, side, argument);
            }
        }
        let unwritten = is_array(store, term) && store.op(term) != Op::Store;
        if unwritten && self.is_shared(store, term) {
            self.add_base(store, term);
        }
    }

    fn add_write(&mut self, store: &mut TermStore, side: usize, write: TermId) {
        let &[_, position, value] = store.args(write) else { unreachable!("store has three") };
        let read = store.mk_select_plain(write, position);
        let equal = store.mk_eq(read, value);
        self.propose(side, equal);
        for index in self.sides[side].indices.clone() {
            self.read_other(store, side, write, index);
        }
        self.sides[side].writes.push(write);
    }

    fn add_constant(&mut self, store: &mut TermStore, side: usize, array: TermId) {
        for index in self.sides[side].indices.clone() {
            self.read_constant(store, side, array, index);
        }
        self.sides[side].constants.push(array);
    }

    fn add_index(&mut self, store: &mut TermStore, side: usize, index: TermId) {
        for side in self.knowing(store, side, index) {
            if self.sides[side].indices.contains(&index) {
                continue;
            }
            for write in self.sides[side].writes.clone() {
                self.read_other(store, side, write, index);
            }
            for array in self.sides[side].constants.clone() {
                self.read_constant(store, side, array, index);
            }
            self.sides[side].indices.push(index);
        }
    }

    fn add_argument(&mut self, store: &mut TermStore, side: usize, array: TermId) {
        if self.sides[side].arguments.contains(&array) {
            return;
        }
        let others = self.sides[side].arguments.iter().chain(&self.bases).copied();
        for other in others.collect::<Vec<_>>() {
            self.compare(store, side, array, other);
        }
        self.sides[side].arguments.push(array);
    }

    fn add_base(&mut self, store: &mut TermStore, array: TermId) {
        if self.bases.contains(&array) {
            return;
        }
        for side in 0..2 {
            for argument in self.sides[side].arguments.clone() {
                self.compare(store, side, argument, array);
            }
        }
        let sort = store.sort(array);
        let others = self.bases.iter().filter(|&&other| store.sort(other) == sort);
        self.chains.extend(others.map(|&end| Chain { last: array, end }));
        self.bases.push(array);
    }

    fn read_other(&mut self, store: &mut TermStore, side: usize, write: TermId, index: TermId) {
        let &[base, position, _] = store.args(write) else { unreachable!("store has three") };
        if store.sort(position) != store.sort(index) || position == index {
            return;
        }
        let same_index = store.mk_eq(position, index);
        let above = store.mk_select_plain(write, index);
        let below = store.mk_select_plain(base, index);
        let same_element = store.mk_eq(above, below);
        let instance = store.mk_or(&[same_index, same_element]);
        self.propose(side, instance);
    }

    fn read_constant(&mut self, store: &mut TermStore, side: usize, array: TermId, index: TermId) {
        let (sort, _) = store.array_sorts(store.sort(array)).expect("an array");
        if sort != store.sort(index) {
            return;
        }
        let (read, value) = (store.mk_select_plain(array, index), store.arg(array, 0));
        let equal = store.mk_eq(read, value);
        self.propose(side, equal);
    }

    /// The arrays are equal or differ at some place.
    fn compare(&mut self, store: &mut TermStore, side: usize, left: TermId, right: TermId) {
        let known = self.compared.contains(&(left, right)) || left == right;
        if !known && store.sort(left) == store.sort(right) {
            let place = store.mk_diff(left, right);
            self.differ_at(store, side, place);
        }
    }

    /// The arrays are equal or differ at this place, which is named after them.
    fn differ_at(&mut self, store: &mut TermStore, side: usize, place: TermId) {
        let &[left, right] = store.args(place) else { unreachable!("diff has two") };
        self.compared.extend([(left, right), (right, left)]);
        let [a, b] = [left, right].map(|array| store.mk_select_plain(array, place));
        let (equal, different) = (store.mk_eq(left, right), store.mk_neq(a, b));
        let instance = store.mk_or(&[equal, different]);
        self.propose(side, instance);
    }

    fn propose(&mut self, side: usize, instance: TermId) {
        if self.proposed.insert(instance) {
            self.open.push((side, instance));
        }
    }

    /// The instances that the model of translated formulas violates.
    pub fn violated(
        &mut self,
        store: &mut TermStore,
        arrays: &mut Uninterpreted,
        model: &Model,
    ) -> Vec<(usize, TermId)> {
        let translated: Vec<TermId> =
            self.open.iter().map(|&(_, instance)| arrays.translate(store, instance)).collect();
        let mut evaluator = Evaluator::new(store, model);
        let mut holds = translated.into_iter().map(|instance| evaluator.holds(instance));
        let violated: Vec<(usize, TermId)> =
            self.open.extract_if(.., |_| !holds.next().expect("one for each")).collect();
        for &(side, instance) in &violated {
            self.learn(store, side, instance);
        }
        violated
    }

    /// One more step of what both sides know, from a model that violates nothing. False after the
    /// last.
    pub fn enlarge(
        &mut self,
        store: &mut TermStore,
        arrays: &mut Uninterpreted,
        model: &Model,
    ) -> bool {
        if self.steps == self.limit {
            return false;
        }
        self.steps += 1;
        let ends: Vec<[TermId; 2]> = self
            .chains
            .iter()
            .map(|chain| [chain.last, chain.end].map(|array| arrays.translate(store, array)))
            .collect();
        let mut evaluator = Evaluator::new(store, model);
        let mut differ = |[a, b]: [TermId; 2]| evaluator.value(a) != evaluator.value(b);
        let open: Vec<bool> = ends.into_iter().map(&mut differ).collect();
        for (number, _) in open.into_iter().enumerate().filter(|(_, is_open)| *is_open) {
            self.lengthen(store, number);
        }
        self.name_places(store);
        true
    }

    /// One more link of a chain.
    fn lengthen(&mut self, store: &mut TermStore, number: usize) {
        let Chain { last, end } = self.chains[number];
        let place = store.mk_diff(last, end);
        let element = store.mk_select_plain(end, place);
        let next = store.mk_store(last, place, element);
        self.chains[number].last = next;
        self.learn(store, 0, next);
        self.compare(store, 0, next, end);
        for link in [last, next] {
            let equal = store.mk_eq(link, end);
            self.linked.push(equal);
        }
    }

    /// One more number as an index of the constant arrays.
    fn name_places(&mut self, store: &mut TermStore) {
        let constants = self.sides.iter().flat_map(|side| side.constants.iter().copied());
        let constants: Vec<TermId> = constants.collect();
        for array in constants {
            let sort = store.sort(array);
            let (index, _) = store.array_sorts(sort).expect("an array");
            if !matches!(index, SortId::INT | SortId::REAL) {
                continue;
            }
            let place = store.mk_number(Rational::from(self.steps as i64 - 1), index);
            self.add_index(store, 0, place);
            if self.is_shared(store, array) {
                continue;
            }
            for base in self.bases.clone() {
                if store.sort(base) == sort && store.is_const(base) {
                    let element = store.mk_select_plain(base, place);
                    let constant = store.mk_const_array(sort, element);
                    self.learn(store, 0, constant);
                }
            }
        }
    }
}

/// The symbols that occur in both formulas.
fn shared_symbols(store: &TermStore, formulas: [TermId; 2]) -> HashSet<FunctionId> {
    let [left, right] = formulas.map(|formula| store.symbols(formula));
    left.iter().filter(|symbol| right.binary_search(symbol).is_ok()).copied().collect()
}
