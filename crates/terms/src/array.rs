//! Arrays: reads over writes are resolved where the indices decide it
//! syntactically.

use crate::{Op, SortId, TermId, TermStore};

impl TermStore {
    /// Whether the two terms differ in every model, as far as syntax tells:
    /// different values, or sums that differ by a number.
    pub fn surely_different(&self, a: TermId, b: TermId) -> bool {
        if a == b {
            return false;
        }
        if self.is_value(a) && self.is_value(b) {
            return true;
        }
        let sort = self.sort(a);
        sort.is_arithmetic()
            && self.linear_difference(a, b).as_constant().is_some_and(|c| !c.is_zero())
    }

    /// The element at `index`.
    pub fn mk_select(&mut self, array: TermId, index: TermId) -> TermId {
        let mut base = array;
        loop {
            match self.op(base) {
                Op::Store => {
                    let &[inner, at, value] = self.args(base) else {
                        unreachable!("store has three")
                    };
                    if at == index {
                        return value;
                    }
                    if !self.surely_different(at, index) {
                        break;
                    }
                    base = inner;
                }
                Op::ConstArray => return self.arg(base, 0),
                _ => break,
            }
        }
        let (_, element) = self.array_sorts(self.sort(array)).expect("an array");
        self.intern(Op::Select, element, &[base, index])
    }

    /// The element at `index` as it stands, also where the array is known to be
    /// written or constant. For instances of the array axioms, which speak
    /// of exactly this term.
    pub fn mk_select_plain(&mut self, array: TermId, index: TermId) -> TermId {
        let (_, element) = self.array_sorts(self.sort(array)).expect("an array");
        self.intern(Op::Select, element, &[array, index])
    }

    /// The array with `value` at `index`.
    pub fn mk_store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        // Writing back what is there changes nothing.
        if self.op(value) == Op::Select && self.args(value) == [array, index] {
            return array;
        }
        let mut base = array;
        match self.op(array) {
            // The later of two writes to one place wins.
            Op::Store if self.arg(array, 1) == index => base = self.arg(array, 0),
            Op::ConstArray if self.arg(array, 0) == value => return array,
            _ => {}
        }
        let sort = self.sort(array);
        self.intern(Op::Store, sort, &[base, index, value])
    }

    /// The array of this sort that holds `value` everywhere.
    pub fn mk_const_array(&mut self, sort: SortId, value: TermId) -> TermId {
        debug_assert_eq!(self.array_sorts(sort).map(|s| s.1), Some(self.sort(value)));
        self.intern(Op::ConstArray, sort, &[value])
    }

    /// An index where the arrays differ, if they do. A function of the two in this order: what is
    /// put for constants does not turn it around.
    pub fn mk_diff(&mut self, a: TermId, b: TermId) -> TermId {
        let (index, _) = self.array_sorts(self.sort(a)).expect("an array");
        self.intern(Op::Diff, index, &[a, b])
    }
}
