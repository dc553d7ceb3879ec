//! The order of decisions: a binary heap of variables by activity (VSIDS).

use crate::literal::Var;

const ABSENT: u32 = u32::MAX;

/// Variables not yet assigned (and some that are), most active first; equal
/// activities by number, so that runs repeat.
#[derive(Default)]
pub(crate) struct VarHeap {
    heap: Vec<Var>,
    index: Vec<u32>,
    activity: Vec<f64>,
    increment: f64,
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

    fn before(&self, a: Var, b: Var) -> bool {
        let (x, y) = (self.activity[a.index()], self.activity[b.index()]);
        x > y || (x == y && a < b)
    }

    fn place(&mut self, at: usize, var: Var) {
        self.heap[at] = var;
        self.index[var.index()] = at as u32;
    }

    fn up(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.before(var, self.heap[parent]) {
                break;
            }
            self.place(at, self.heap[parent]);
            at = parent;
        }
        self.place(at, var);
    }

    fn down(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], var) {
                break;
            }
            self.place(at, self.heap[child]);
            at = child;
        }
        self.place(at, var);
    }

    pub fn insert(&mut self, var: Var) {
        if self.index[var.index()] == ABSENT {
            self.heap.push(var);
            self.index[var.index()] = (self.heap.len() - 1) as u32;
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
        if last != var {
            self.place(at as usize, last);
            self.up(at as usize);
            self.down(self.index[last.index()] as usize);
        }
    }

    pub fn pop(&mut self) -> Option<Var> {
        let var = *self.heap.first()?;
        self.remove(var);
        Some(var)
    }

    pub fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var.index()];
        *activity += self.increment;
        if *activity > 1e100 {
            for a in &mut self.activity {
                *a *= 1e-100;
            }
            self.increment *= 1e-100;
        }
        if self.index[var.index()] != ABSENT {
            self.up(self.index[var.index()] as usize);
        }
    }

    pub fn decay(&mut self) {
        self.increment /= 0.95;
    }
}
