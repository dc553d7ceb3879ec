//! The order of decisions: a binary heap of variables by activity (VSIDS).

use crate::literal::Var;

const ABSENT: u32 = u32::MAX;

/// Variables not yet assigned (and some that are), most active first; equal
/// activities by number, so that runs repeat.
#[derive(Default)]
pub(crate) struct VarHeap {
    /// With their activities: comparing neighbours is most of the work.
    heap: Vec<(f64, Var)>,
    index: Vec<u32>,
    activity: Vec<f64>,
    increment: f64,
}

/// Whether the first comes before the second.
#[inline]
fn before((x, a): (f64, Var), (y, b): (f64, Var)) -> bool {
    x > y || (x == y && a < b)
}

impl VarHeap {
    pub fn new() -> Self {
        VarHeap { increment: 1.0, ..VarHeap::default() }
    }

    /// Makes room for one more variable and inserts it.
    pub fn add_var(&mut self) {
        let var = Var::new(self.index.len());
        self.index.push(ABSENT);
        self.activity.push(0.0);
        self.insert(var);
    }

    /// Forgets the variables from `count` on.
    pub fn truncate(&mut self, count: usize) {
        while self.index.len() > count {
            self.remove(Var::new(self.index.len() - 1));
            self.index.pop();
            self.activity.pop();
        }
    }

    #[inline]
    fn place(&mut self, at: usize, entry: (f64, Var)) {
        self.heap[at] = entry;
        self.index[entry.1.index()] = at as u32;
    }

    fn up(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !before(entry, self.heap[parent]) {
                break;
            }
            self.place(at, self.heap[parent]);
            at = parent;
        }
        self.place(at, entry);
    }

    /// The child that comes before the other.
    #[inline]
    fn first_child(&self, at: usize) -> Option<usize> {
        let child = 2 * at + 1;
        let (left, right) = (*self.heap.get(child)?, self.heap.get(child + 1));
        Some(child + usize::from(right.is_some_and(|&right| before(right, left))))
    }

    /// Puts an entry into the hole at the top. It comes from the bottom and mostly goes back there: so the hole
    /// sinks first, one comparison for each level, and the entry rises from there.
    fn sink(&mut self, entry: (f64, Var)) {
        let mut at = 0;
        while let Some(child) = self.first_child(at) {
            self.place(at, self.heap[child]);
            at = child;
        }
        self.place(at, entry);
        self.up(at);
    }

    fn down(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while let Some(child) = self.first_child(at) {
            if !before(self.heap[child], entry) {
                break;
            }
            self.place(at, self.heap[child]);
            at = child;
        }
        self.place(at, entry);
    }

    pub fn insert(&mut self, var: Var) {
        if self.index[var.index()] == ABSENT {
            self.heap.push((self.activity[var.index()], var));
            self.up(self.heap.len() - 1);
        }
    }

    fn remove(&mut self, var: Var) {
        let at = self.index[var.index()];
        if at == ABSENT {
            return;
        }
        self.index[var.index()] = ABSENT;
        let last = self.heap.pop().expect("a variable with an index is in the heap");
        if last.1 != var {
            self.place(at as usize, last);
            self.up(at as usize);
            self.down(self.index[last.1.index()] as usize);
        }
    }

    /// The variable that comes next.
    pub fn first(&self) -> Option<Var> {
        self.heap.first().map(|&(_, var)| var)
    }

    /// Whether one variable is more active than the other.
    pub fn is_before(&self, var: Var, other: Var) -> bool {
        before((self.activity[var.index()], var), (self.activity[other.index()], other))
    }

    pub fn pop(&mut self) -> Option<Var> {
        let (_, var) = *self.heap.first()?;
        self.index[var.index()] = ABSENT;
        let last = self.heap.pop()?;
        if last.1 != var {
            self.sink(last);
        }
        Some(var)
    }

    pub fn bump(&mut self, var: Var) {
        self.add(var, self.increment);
    }

    /// Makes a variable more active than all others.
    pub fn raise(&mut self, var: Var) {
        let most = self.activity.iter().copied().fold(0.0, f64::max);
        self.add(var, most + self.increment);
    }

    fn add(&mut self, var: Var, amount: f64) {
        let activity = &mut self.activity[var.index()];
        *activity += amount;
        if *activity > 1e100 {
            for a in &mut self.activity {
                *a *= 1e-100;
            }
            for (a, _) in &mut self.heap {
                *a *= 1e-100;
            }
            self.increment *= 1e-100;
        }
        let at = self.index[var.index()];
        if at != ABSENT {
            self.heap[at as usize].0 = self.activity[var.index()];
            self.up(at as usize);
        }
    }

    pub fn decay(&mut self) {
        self.increment /= 0.95;
    }
}
