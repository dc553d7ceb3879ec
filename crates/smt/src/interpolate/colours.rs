//! Who may speak about what: the sides of terms and the labels of literals.
//!
//! A *symbol* is a declared function or constant; theory symbols belong to
//! everybody. At a cut a symbol is on the A side if it occurs in some formula of
//! A, on the B side if it occurs in some formula of B, and *shared* if both. A
//! term has the sides that all its symbols have; a term that has none is *mixed*.
//!
//! A *label* says for each literal of the proof and each cut where the labelled
//! interpolation system (D'Silva, Kroening, Purandare, Weissenbacher) puts it:
//! `A`, `B` or `Both`; a mixed literal gets none of these and is handled by
//! auxiliary variables (see [`patterns`](super::patterns)).
//!
//! - A literal whose atom was written by the user is labelled by where it
//!   *occurs*, not by where its symbols do: an atom that only A wrote down is
//!   labelled `A` even if B knows all its symbols. This also covers the names
//!   of subformulas, since the clausal form names a subformula by itself: they
//!   are local to the partitions that contain the subformula.
//! - Other literals (bounds, interface equalities, branches) have the sides of
//!   their symbols.
//! - Where a literal could be on both sides the labelling system decides.
//!
//! // Required: for trees, no literal may be labelled `A` at two siblings. A symbol
//! that is on the A side of two siblings is shared at both; McMillan's labels say
//! `B` there, Pudlak's say `Both`; the weak labels would say `A` twice, so trees
//! that are not chains use Pudlak's instead. For chains all three systems yield
//! sequences (each interpolant with the next formula implies the next).

use super::runs::{Cursor, Runs};
use super::tree::PartitionTree;
pub(crate) use super::tree::Side;
use bolide_base::HashMap;
use bolide_terms::{FunctionId, Op, TermId, TermStore};
use std::rc::Rc;

/// Which interpolants to extract: from the strongest to the weakest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labelling {
    /// Literals that both sides know count as B's: the strongest interpolants.
    #[default]
    McMillan,
    /// Literals that both sides know are selected upon: symmetric.
    Pudlak,
    /// Literals that both sides know count as A's: McMillan's system turned
    /// around, the weakest interpolants. On trees that are not chains it would
    /// not be sound, and Pudlak's is used.
    Weak,
}

/// The sides of a cut that know all symbols of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    /// A knows all symbols.
    pub a: bool,
    /// B knows all symbols.
    pub b: bool,
}

impl Sides {
    pub const SHARED: Sides = Sides { a: true, b: true };

    pub fn is_shared(self) -> bool {
        self.a && self.b
    }

    /// The only side that knows all symbols.
    pub fn only(self) -> Option<Side> {
        match (self.a, self.b) {
            (true, false) => Some(Side::A),
            (false, true) => Some(Side::B),
            _ => None,
        }
    }

    pub fn is_mixed(self) -> bool {
        !self.a && !self.b
    }

    pub fn and(self, other: Sides) -> Sides {
        Sides { a: self.a && other.a, b: self.b && other.b }
    }
}

/// Where the labelled interpolation system puts a literal at a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// A's.
    A,
    /// B's.
    B,
    /// Selected upon.
    Both,
    /// Nobody's; to be split by an auxiliary variable.
    Mixed,
}

/// Sides and labels for one interpolation problem.
pub(crate) struct Colours<'t> {
    tree: &'t PartitionTree,
    labelling: Labelling,
    /// Positions of the partitions in which a symbol occurs; sorted.
    symbols: HashMap<FunctionId, Vec<u32>>,
    /// Positions of the partitions in which a Boolean term occurs; sorted.
    formulas: HashMap<TermId, Vec<u32>>,
    sides: HashMap<TermId, Rc<Runs<Sides>>>,
    labels: HashMap<TermId, Rc<Runs<Label>>>,
}

impl<'t> Colours<'t> {
    /// Reads who knows what off the asserted formulas and their partitions.
    pub fn new(
        store: &TermStore,
        tree: &'t PartitionTree,
        labelling: Labelling,
        assertions: &[(TermId, usize)],
    ) -> Self {
        let labelling = match labelling {
            // Required: see the module's essay.
            Labelling::Weak if !tree.is_sequence() => Labelling::Pudlak,
            other => other,
        };
        let mut by_position: Vec<(u32, TermId)> =
            assertions.iter().map(|&(formula, p)| (tree.position(p), formula)).collect();
        by_position.sort_unstable();
        let (symbols, formulas) = (HashMap::default(), HashMap::default());
        let (sides, labels) = (HashMap::default(), HashMap::default());
        let mut colours = Colours { tree, labelling, symbols, formulas, sides, labels };
        let mut seen: HashMap<TermId, u32> = HashMap::default();
        let mut stack = Vec::new();
        for &(position, formula) in &by_position {
            stack.push(formula);
            while let Some(term) = stack.pop() {
                if seen.insert(term, position) == Some(position) {
                    continue;
                }
                if store.is_bool(term) {
                    let occurrences = colours.formulas.entry(term).or_default();
                    if occurrences.last() != Some(&position) {
                        occurrences.push(position);
                    }
                }
                if let Op::Apply(function) = store.op(term) {
                    let occurrences = colours.symbols.entry(function).or_default();
                    if occurrences.last() != Some(&position) {
                        occurrences.push(position);
                    }
                }
                stack.extend_from_slice(store.args(term));
            }
        }
        colours
    }

    /// The tree of partitions.
    pub fn tree(&self) -> &'t PartitionTree {
        self.tree
    }

    /// The sides of a term at every cut.
    pub fn sides(&mut self, store: &TermStore, term: TermId) -> Rc<Runs<Sides>> {
        if let Some(known) = self.sides.get(&term) {
            return known.clone();
        }
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.sides.contains_key(&top) {
                stack.pop();
                continue;
            }
            let depth = stack.len();
            stack.extend(store.args(top).iter().filter(|&arg| !self.sides.contains_key(arg)));
            if stack.len() > depth {
                continue;
            }
            let own = match store.op(top) {
                // A symbol that no formula mentions is nobody's: as if the root
                // alone had it, so that it never gets into an interpolant.
                Op::Apply(function) => match self.symbols.get(&function) {
                    Some(occurrences) => self.runs_of(occurrences),
                    None => self.runs_of(&[self.tree.cuts()]),
                },
                _ => Runs::constant(self.tree.cuts(), Sides::SHARED),
            };
            let mut all = Rc::new(own);
            for arg in store.args(top) {
                let arg = &self.sides[arg];
                if Rc::ptr_eq(&all, arg) || arg.uniform() == Some(Sides::SHARED) {
                    continue;
                }
                if all.uniform() == Some(Sides::SHARED) {
                    all = arg.clone();
                } else {
                    all = Rc::new(meet(&all, arg));
                }
            }
            self.sides.insert(top, all);
            stack.pop();
        }
        self.sides[&term].clone()
    }

    /// The sides of a term at one cut.
    pub fn sides_at(&mut self, store: &TermStore, term: TermId, cut: u32) -> Sides {
        self.sides(store, term).at(cut)
    }

    /// The sides of a symbol at one cut.
    pub fn symbol_sides_at(&self, symbol: FunctionId, cut: u32) -> Sides {
        match self.symbols.get(&symbol) {
            Some(occurrences) => self.runs_of(occurrences).at(cut),
            None => Sides { a: false, b: true },
        }
    }

    /// Where something that occurs at these positions is known.
    fn runs_of(&self, occurrences: &[u32]) -> Runs<Sides> {
        let cuts = self.tree.cuts();
        let mut runs = Runs::with_capacity(3);
        let (Some(&first), Some(&last)) = (occurrences.first(), occurrences.last()) else {
            return Runs::constant(cuts, Sides::SHARED);
        };
        if self.tree.is_sequence() {
            runs.push(first.min(cuts), Sides { a: false, b: true });
            runs.push(last.min(cuts), Sides::SHARED);
            runs.push(cuts, Sides { a: true, b: false });
            return runs;
        }
        for cut in 0..cuts {
            let below = self.tree.subtree(cut);
            let start = occurrences.partition_point(|p| p < below.start());
            let end = occurrences.partition_point(|p| p <= below.end());
            let a = start < end;
            let b = end - start < occurrences.len();
            runs.push(cut + 1, Sides { a, b });
        }
        runs
    }

    /// The labels of an atom (its negation has the same) at every cut.
    pub fn labels(&mut self, store: &TermStore, atom: TermId) -> Rc<Runs<Label>> {
        if let Some(known) = self.labels.get(&atom) {
            return known.clone();
        }
        let sides = match self.formulas.get(&atom) {
            Some(occurrences) => Rc::new(self.runs_of(occurrences)),
            None => self.sides(store, atom),
        };
        let mut labels = Runs::with_capacity(3);
        for (end, sides) in sides.iter() {
            let label = match (sides.a, sides.b) {
                (false, false) => Label::Mixed,
                (true, false) => Label::A,
                (false, true) => Label::B,
                (true, true) => match self.labelling {
                    Labelling::McMillan => Label::B,
                    Labelling::Pudlak => Label::Both,
                    Labelling::Weak => Label::A,
                },
            };
            labels.push(end, label);
        }
        let labels = Rc::new(labels);
        self.labels.insert(atom, labels.clone());
        labels
    }

    /// A position that stands for the atom where it may be put on either side:
    /// it then counts as A's exactly if the position is.
    ///
    /// // Required: one position for all cuts, or the interpolants would not form
    /// a sequence.
    pub fn home(&mut self, store: &TermStore, atom: TermId) -> u32 {
        if let Some(occurrences) = self.formulas.get(&atom) {
            return occurrences.last().copied().unwrap_or(0);
        }
        // For chains: the first position at which all symbols have occurred.
        let sides = self.sides(store, atom);
        let mut home = 0;
        for (end, sides) in sides.iter() {
            if sides.a {
                break;
            }
            home = end;
        }
        home
    }

    /// The side on which a theory lemma takes the literal at the cut; none if it
    /// is mixed.
    pub fn side(&mut self, store: &TermStore, atom: TermId, cut: u32) -> Option<Side> {
        match self.labels(store, atom).at(cut) {
            Label::A => Some(Side::A),
            Label::B => Some(Side::B),
            Label::Mixed => None,
            Label::Both => {
                let home = self.home(store, atom);
                Some(self.tree.side(home, cut))
            }
        }
    }

    /// The side on which a valid clause counts as an input at each cut: one that
    /// knows all its symbols; none where there is no such side.
    pub fn side_of_clause(
        &mut self,
        store: &TermStore,
        atoms: impl Iterator<Item = TermId> + Clone,
    ) -> Runs<Option<Side>> {
        let cuts = self.tree.cuts();
        let mut sides = Rc::new(Runs::constant(cuts, Sides::SHARED));
        for atom in atoms.clone() {
            sides = Rc::new(meet(&sides, &self.sides(store, atom)));
        }
        // Heuristic: the partition that wrote all these subformulas, if there is one.
        let mut common: Option<Vec<u32>> = None;
        for atom in atoms.clone() {
            if let Some(occurrences) = self.formulas.get(&atom) {
                match &mut common {
                    None => common = Some(occurrences.clone()),
                    Some(known) => known.retain(|p| occurrences.binary_search(p).is_ok()),
                }
            }
        }
        let home = match common.as_deref() {
            Some([.., last]) => *last,
            _ => atoms.map(|atom| self.home(store, atom)).max().unwrap_or(0),
        };
        let mut runs = Runs::with_capacity(3);
        let mut start = 0;
        for (end, sides) in sides.iter() {
            if !sides.is_shared() {
                runs.push(end, sides.only());
            } else if self.tree.is_sequence() {
                runs.push(home.clamp(start, end), Some(Side::B));
                runs.push(end, Some(Side::A));
            } else {
                for cut in start..end {
                    runs.push(cut + 1, Some(self.tree.side(home, cut)));
                }
            }
            start = end;
        }
        runs
    }
}

/// The sides that both know.
fn meet(left: &Runs<Sides>, right: &Runs<Sides>) -> Runs<Sides> {
    let mut result = Runs::with_capacity(4);
    let (mut l, mut r) = (Cursor::new(left), Cursor::new(right));
    let cuts = left.iter().last().map_or(0, |run| run.0);
    let mut at = 0;
    while at < cuts {
        l.seek(at);
        r.seek(at);
        at = l.end().min(r.end());
        result.push(at, l.value().and(r.value()));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;

    /// Labels along a chain, one letter for each cut.
    fn labels(labelling: Labelling, parents: Option<&[usize]>) -> String {
        let mut store = TermStore::new();
        let names = ["p", "q", "r"].map(|name| store.mk_const(name, SortId::BOOL));
        let [p, q, r] = names;
        let pq = store.mk_or(&[p, q]);
        let qr = store.mk_or(&[q, r]);
        let assertions = [(pq, 0), (q, 1), (qr, 2), (r, 3)];
        let tree = match parents {
            Some(parents) => PartitionTree::new(parents).unwrap(),
            None => PartitionTree::sequence(4),
        };
        let mut colours = Colours::new(&store, &tree, labelling, &assertions);
        let pr = store.mk_and(&[p, r]);
        let mut lines = Vec::new();
        for (name, atom) in [("p", p), ("q", q), ("r", r), ("pq", pq), ("pr", pr)] {
            let labels = colours.labels(&store, atom);
            let letters: String = (0..tree.cuts())
                .map(|cut| match labels.at(cut) {
                    Label::A => 'a',
                    Label::B => 'b',
                    Label::Both => '*',
                    Label::Mixed => 'm',
                })
                .collect();
            lines.push(format!("{name}:{letters}"));
        }
        lines.join(" ")
    }

    #[test]
    fn labels_along_a_chain() {
        assert_eq!(labels(Labelling::Pudlak, None), "p:aaa q:**a r:bb* pq:aaa pr:mma");
        assert_eq!(labels(Labelling::McMillan, None), "p:aaa q:bba r:bbb pq:aaa pr:mma");
        assert_eq!(labels(Labelling::Weak, None), "p:aaa q:aaa r:bba pq:aaa pr:mma");
    }

    #[test]
    fn no_literal_is_a_at_two_siblings() {
        let star = [3, 3, 3, 3];
        assert_eq!(labels(Labelling::Weak, Some(&star)), "p:abb q:*** r:bb* pq:abb pr:mbb");
        assert_eq!(labels(Labelling::McMillan, Some(&star)), "p:abb q:bbb r:bbb pq:abb pr:mbb");
    }
}
