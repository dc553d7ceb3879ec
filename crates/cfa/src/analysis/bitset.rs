//! Sets of small numbers as bits.

/// A set of numbers below a bound that grows on demand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set with room for numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        BitSet { words: vec![0; bound.div_ceil(64)] }
    }

    /// Adds `n`; true when it was not in the set.
    pub fn insert(&mut self, n: usize) -> bool {
        let (word, bit) = (n / 64, 1u64 << (n % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & bit == 0;
        self.words[word] |= bit;
        fresh
    }

    /// Takes `n` out.
    pub fn remove(&mut self, n: usize) {
        if let Some(word) = self.words.get_mut(n / 64) {
            *word &= !(1u64 << (n % 64));
        }
    }

    /// Whether `n` is in the set.
    pub fn contains(&self, n: usize) -> bool {
        self.words.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// Adds all of `other`; true when that changed the set.
    pub fn union_with(&mut self, other: &BitSet) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            changed |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        changed
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many numbers the set has.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| index * 64 + rest.trailing_zeros() as usize)
        })
    }
}

impl Extend<usize> for BitSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|n| {
            self.insert(n);
        });
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        set.extend(numbers);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;

    #[test]
    fn sets_behave_as_sets() {
        let mut a = BitSet::new(10);
        assert!(a.insert(3) && a.insert(200) && !a.insert(3));
        let mut b = BitSet::default();
        b.insert(64);
        assert!(b.union_with(&a) && !b.union_with(&a));
        assert_eq!(b.iter().collect::<Vec<_>>(), [3, 64, 200]);
        b.remove(64);
        assert_eq!((b.len(), b.contains(64), b.contains(200)), (2, false, true));
    }
}
