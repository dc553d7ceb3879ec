//! Which value a decision tries first.
//!
//! Usually the last one that the variable had (Pipatsrisawat and Darwiche, 2007). In the stable mood it is the value in
//! the longest assignment without a conflict since the last change of phases, and from time to time all values are set
//! anew: to the best assignment ever, to none, to the opposite (Biere and Fleury, *Chasing target phases*, 2020).

use crate::literal::{Lit, Var};

/// An assignment without conflict; the longest so far.
#[derive(Default)]
struct Longest {
    values: Vec<Option<bool>>,
    length: usize,
}

impl Longest {
    fn note(&mut self, trail: &[Lit]) {
        if trail.len() <= self.length {
            return;
        }
        self.length = trail.len();
        for lit in trail {
            let index = lit.var().index();
            if self.values.len() <= index {
                self.values.resize(index + 1, None);
            }
            self.values[index] = Some(lit.is_positive());
        }
    }

    fn of(&self, var: Var) -> Option<bool> {
        self.values.get(var.index()).copied().flatten()
    }
}

// Heuristic: conflicts between two changes of phases, more each time by so many.
const INTERVAL: u64 = 1000;

/// The values to try first.
#[derive(Default)]
pub(crate) struct Phases {
    /// The value a variable had last; `None` if it never had one.
    last: Vec<Option<bool>>,
    target: Longest,
    best: Longest,
    changes: u64,
    change_at: u64,
}

impl Phases {
    pub fn add_var(&mut self) {
        self.last.push(None);
    }

    /// Forgets the variables from `count` on.
    pub fn truncate(&mut self, count: usize) {
        self.last.truncate(count);
        for longest in [&mut self.target, &mut self.best] {
            longest.values.truncate(count);
            longest.length = 0;
        }
    }

    #[inline]
    pub fn save(&mut self, lit: Lit) {
        self.last[lit.var().index()] = Some(lit.is_positive());
    }

    /// The value to try; none if there is no experience with the variable.
    pub fn of(&self, var: Var, is_stable: bool) -> Option<bool> {
        let target = if is_stable { self.target.of(var) } else { None };
        target.or(self.last[var.index()])
    }

    /// In the stable mood: an assignment without conflict.
    pub fn note(&mut self, trail: &[Lit]) {
        self.target.note(trail);
        self.best.note(trail);
    }

    /// In the stable mood, after so many conflicts: sets the phases anew when it is time.
    pub fn change(&mut self, conflicts: u64) {
        if conflicts < self.change_at {
            return;
        }
        self.changes += 1;
        self.change_at = conflicts + INTERVAL * self.changes;
        match self.changes % 4 {
            0 => self.last.fill(None),
            2 => self.last.iter_mut().for_each(|value| *value = value.map(|v| !v)),
            _ => {
                for (last, best) in self.last.iter_mut().zip(&self.best.values) {
                    *last = best.or(*last);
                }
                self.best.length = 0;
            }
        }
        self.target = Longest::default();
    }
}
