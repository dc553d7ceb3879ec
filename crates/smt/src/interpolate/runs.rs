//! A value for every cut, stored once for each run of equal neighbours.
//!
//! One proof is interpolated for all cuts at once. Along a path of 500
//! statements a clause that was derived from statements 17 to 20 has the
//! partial interpolant `true` at the cuts before, `false` at the cuts after,
//! and something interesting at three cuts only. So everything that is known
//! for each cut (partial interpolants, labels of literals) is a [`Runs`], and
//! work is done once for each run instead of once for each cut.

/// A total map from the cuts `0..n` to values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Runs<T> {
    /// Pairs of (one past the last cut, value). Ends increase strictly, the
    /// last one is the number of cuts, neighbours differ in value.
    runs: Vec<(u32, T)>,
}

impl<T: Copy + PartialEq> Runs<T> {
    /// The same value at all of `cuts` cuts.
    pub fn constant(cuts: u32, value: T) -> Self {
        Runs { runs: if cuts == 0 { Vec::new() } else { vec![(cuts, value)] } }
    }

    /// Starts a map to be filled by [`push`](Self::push) from the first cut on.
    pub fn with_capacity(capacity: usize) -> Self {
        Runs { runs: Vec::with_capacity(capacity) }
    }

    /// Gives `value` to all cuts up to `end` (exclusive) that have none yet.
    pub fn push(&mut self, end: u32, value: T) {
        if let Some(last) = self.runs.last_mut() {
            if last.0 >= end {
                return;
            }
            if last.1 == value {
                last.0 = end;
                return;
            }
        } else if end == 0 {
            return;
        }
        self.runs.push((end, value));
    }

    /// The value at `cut`.
    pub fn at(&self, cut: u32) -> T {
        let position = self.runs.partition_point(|&(end, _)| end <= cut);
        self.runs[position].1
    }

    /// All runs in order as (one past the last cut, value).
    pub fn iter(&self) -> impl Iterator<Item = (u32, T)> + '_ {
        self.runs.iter().copied()
    }

    /// The value, if it is the same at all cuts.
    pub fn uniform(&self) -> Option<T> {
        match self.runs.as_slice() {
            [(_, value)] => Some(*value),
            _ => None,
        }
    }
}

/// Walks several run-length maps side by side; see [`Runs`].
pub(crate) struct Cursor<'a, T> {
    runs: &'a [(u32, T)],
}

impl<'a, T: Copy> Cursor<'a, T> {
    /// A cursor at the first cut.
    pub fn new(runs: &'a Runs<T>) -> Self {
        Cursor { runs: &runs.runs }
    }

    /// One past the last cut of the present run.
    pub fn end(&self) -> u32 {
        self.runs[0].0
    }

    /// The value of the present run.
    pub fn value(&self) -> T {
        self.runs[0].1
    }

    /// Goes on to the run that contains `cut`; to be called with growing cuts.
    pub fn seek(&mut self, cut: u32) {
        while self.runs[0].0 <= cut && self.runs.len() > 1 {
            self.runs = &self.runs[1..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_merge_and_lookups_find_their_run() {
        let mut runs = Runs::with_capacity(4);
        runs.push(0, 'z');
        runs.push(3, 'a');
        runs.push(5, 'a');
        runs.push(6, 'b');
        runs.push(6, 'c');
        assert_eq!(runs.iter().collect::<Vec<_>>(), [(5, 'a'), (6, 'b')]);
        assert_eq!((runs.at(0), runs.at(4), runs.at(5)), ('a', 'a', 'b'));
        assert_eq!(runs.uniform(), None);
        assert_eq!(Runs::constant(4, 'q').uniform(), Some('q'));
        assert_eq!(Runs::<char>::constant(0, 'q').iter().count(), 0);
    }

    #[test]
    fn a_cursor_follows_the_cuts() {
        let mut runs = Runs::with_capacity(2);
        runs.push(2, 1);
        runs.push(7, 2);
        let mut cursor = Cursor::new(&runs);
        assert_eq!((cursor.end(), cursor.value()), (2, 1));
        cursor.seek(1);
        assert_eq!(cursor.value(), 1);
        cursor.seek(2);
        assert_eq!((cursor.end(), cursor.value()), (7, 2));
    }
}
