//! Partitions of small numbers: union-find with path halving.

/// Each number below a count is in one class; its representative is the smallest.
pub(crate) struct Partition {
    parent: Vec<usize>,
}

impl Partition {
    /// Every number is alone.
    pub fn new(count: usize) -> Self {
        Partition { parent: (0..count).collect() }
    }

    /// The representative of a number.
    pub fn find(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Joins two classes.
    pub fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
