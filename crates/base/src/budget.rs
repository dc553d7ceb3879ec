//! Budgets: how a caller stops work that has run long enough, and sees how far it came.
//!
//! A budget is a flag shared between the thread that watches the clock and the
//! memory (the command line) and the loops that poll it (everything else). The
//! loops return [`Exhausted`] with `?`, so that what was learnt so far can
//! still be reported.
//!
//! Work that runs side by side gets a child each ([`Budget::child`]): stopping
//! the child stops that work alone, stopping the parent stops all.
//!
//! Where fewer threads may work than there are children, they take turns
//! ([`Budget::children_in_turn`]): the loops that poll are also the places
//! where one child makes room for the next. Turns are measured in polls, not in
//! time, so that with one thread at a time everything repeats.
//!
//! In the other direction each budget has a [`Progress`]: figures that the
//! working loops raise and that the command line looks at now and then.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Why work was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// Nobody wants the answer any more.
    Cancelled,
}

impl Exhausted {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::Cancelled => "the run was cancelled",
        }
    }
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Exhausted {}

/// What work is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Not begun, or nothing said.
    #[default]
    Waiting,
    /// Reading texts into syntax trees.
    Parsing,
    /// From syntax trees to automata.
    Lowering,
    /// Executing the program on guessed inputs.
    Executing,
    /// Giving the program the form that formulas can speak about.
    Simplifying,
    /// Leaving out what cannot matter.
    Slicing,
    /// Replacing calls by what they call.
    Inlining,
    /// Running the program with sets of values.
    Tabulating,
    /// Cutting the program into blocks.
    Encoding,
    /// Guessing invariants and checking them.
    Guessing,
    /// Exploring the abstraction.
    Exploring,
    /// Refuting an abstract counterexample.
    Refining,
    /// Re-checking a verdict.
    Auditing,
}

impl Phase {
    const ALL: [Phase; 13] = [
        Phase::Waiting,
        Phase::Parsing,
        Phase::Lowering,
        Phase::Executing,
        Phase::Simplifying,
        Phase::Slicing,
        Phase::Inlining,
        Phase::Tabulating,
        Phase::Encoding,
        Phase::Guessing,
        Phase::Exploring,
        Phase::Refining,
        Phase::Auditing,
    ];
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Phase::Waiting => "waiting",
            Phase::Parsing => "parsing",
            Phase::Lowering => "lowering",
            Phase::Executing => "executing",
            Phase::Simplifying => "simplifying",
            Phase::Slicing => "slicing",
            Phase::Inlining => "inlining",
            Phase::Tabulating => "running with sets of values",
            Phase::Encoding => "encoding",
            Phase::Guessing => "guessing invariants",
            Phase::Exploring => "exploring",
            Phase::Refining => "refining",
            Phase::Auditing => "auditing",
        })
    }
}

/// How far work came: written by the loops, read from another thread. The
/// figures are for people; nothing may depend on them.
#[derive(Debug, Default)]
pub struct Progress {
    phase: AtomicU8,
    refinements: AtomicU64,
    nodes: AtomicU64,
    longest_trace: AtomicU64,
    queries: AtomicU64,
    /// How many questions to the solver are open; they may nest.
    open: AtomicU32,
    /// Nanoseconds since some moment. There is no clock here: the command line may lend its own.
    clock: OnceLock<fn() -> u64>,
    /// When the outermost open question was asked.
    since: AtomicU64,
    /// Nanoseconds in the solver, and the longest question, by phase.
    solving: [AtomicU64; Phase::ALL.len()],
    longest: [AtomicU64; Phase::ALL.len()],
}

/// A question to the solver that is being answered; dropped when it is.
#[derive(Debug)]
pub struct Question<'p>(&'p Progress);

impl Drop for Question<'_> {
    fn drop(&mut self) {
        if self.0.open.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(clock) = self.0.clock.get()
        {
            let passed = clock().saturating_sub(self.0.since.load(Ordering::Relaxed));
            let phase = self.0.phase.load(Ordering::Relaxed) as usize;
            self.0.solving[phase].fetch_add(passed, Ordering::Relaxed);
            self.0.longest[phase].fetch_max(passed, Ordering::Relaxed);
        }
    }
}

impl Progress {
    /// Says what the work is busy with.
    pub fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Counts a refuted abstract counterexample of so many steps.
    pub fn refined(&self, length: usize) {
        self.refinements.fetch_add(1, Ordering::Relaxed);
        self.longest_trace.fetch_max(length as u64, Ordering::Relaxed);
    }

    /// Sets how many nodes were reached.
    pub fn reached(&self, nodes: usize) {
        self.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    /// Counts a question to the solver, which is open until the result is dropped.
    pub fn ask(&self) -> Question<'_> {
        self.queries.fetch_add(1, Ordering::Relaxed);
        self.in_solver()
    }

    /// Work of the solver that belongs to a question already counted.
    pub fn in_solver(&self) -> Question<'_> {
        if self.open.fetch_add(1, Ordering::Relaxed) == 0
            && let Some(clock) = self.clock.get()
        {
            self.since.store(clock(), Ordering::Relaxed);
        }
        Question(self)
    }

    /// Measures questions from now on, by a clock that counts nanoseconds.
    pub fn measure(&self, clock: fn() -> u64) {
        let _ = self.clock.set(clock);
    }

    /// Nanoseconds that the questions of a phase took together, and the longest of them.
    pub fn solving(&self, phase: Phase) -> (u64, u64) {
        let read = |all: &[AtomicU64]| all[phase as usize].load(Ordering::Relaxed);
        (read(&self.solving), read(&self.longest))
    }

    fn snapshot(&self, name: &'static str) -> Snapshot {
        let phase = self.phase.load(Ordering::Relaxed) as usize;
        Snapshot {
            name,
            phase: Phase::ALL[phase.min(Phase::ALL.len() - 1)],
            refinements: self.refinements.load(Ordering::Relaxed),
            nodes: self.nodes.load(Ordering::Relaxed),
            longest_trace: self.longest_trace.load(Ordering::Relaxed),
            queries: self.queries.load(Ordering::Relaxed),
            solving: self.open.load(Ordering::Relaxed) > 0,
            resting: false,
        }
    }
}

/// How far some work came at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Whose work; empty for the budget that has no parent.
    pub name: &'static str,
    /// What it is busy with.
    pub phase: Phase,
    /// Abstract counterexamples refuted.
    pub refinements: u64,
    /// Nodes reached.
    pub nodes: u64,
    /// Steps of the longest abstract counterexample.
    pub longest_trace: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Whether the solver was at work at that moment. There is no clock here:
    /// who looks often enough learns the share of time.
    pub solving: bool,
    /// Whether it was another's turn at that moment.
    pub resting: bool,
}

/// A shared flag; clones are the same budget.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    stopped: AtomicU8,
    parent: Option<Budget>,
    name: &'static str,
    progress: Progress,
    turn: Option<Turn>,
    /// Polls that are left; none where they are not counted.
    polls: Option<AtomicU64>,
    /// Those still in use; strong references would make a cycle.
    children: Mutex<Vec<Weak<Shared>>>,
}

impl Budget {
    /// A budget that nobody has stopped yet.
    pub fn unlimited() -> Self {
        Budget::default()
    }

    /// A part of this budget: stopped with it, or alone. The name is whose
    /// work it is, for [`Budget::snapshots`].
    pub fn child(&self, name: &'static str) -> Budget {
        self.new_child(name, None, None)
    }

    /// A part of this budget that is stopped after so many polls: effort that is
    /// bounded by work and not by time, so that it repeats.
    pub fn child_for(&self, name: &'static str, polls: u64) -> Budget {
        self.new_child(name, None, Some(polls))
    }

    /// One child for each name, of which at most `at_once` work at the same
    /// time. Each has a length of its turns, in polls. The work of a child must
    /// begin with [`Budget::begin`] and be on a thread of its own.
    pub fn children_in_turn(
        &self,
        children: &[(&'static str, u64)],
        at_once: usize,
    ) -> Vec<Budget> {
        let at_once = at_once.clamp(1, children.len().max(1));
        let rota = Rota {
            granted: (0..children.len()).map(|i| i < at_once).collect(),
            waiting: (at_once..children.len()).collect(),
        };
        let rota = Arc::new((Mutex::new(rota), Condvar::new()));
        children
            .iter()
            .enumerate()
            .map(|(position, &(name, length))| {
                let left = AtomicU64::new(length);
                let turn = Turn { rota: rota.clone(), position, length, left };
                self.new_child(name, Some(turn), None)
            })
            .collect()
    }

    /// Waits for the first turn. The turns end when the result is dropped.
    pub fn begin(&self) -> Attendance {
        if let Some(turn) = &self.shared.turn {
            turn.wait();
        }
        Attendance { budget: self.clone() }
    }

    /// The present turn of this work, or of the work that it is part of, lasts as long as so many: for what is nearly done.
    pub fn keep_turn(&self, turns: u64) {
        let mut at = Some(self);
        while let Some(budget) = at {
            if let Some(turn) = &budget.shared.turn {
                turn.left.store(turn.length.saturating_mul(turns), Ordering::Relaxed);
            }
            at = budget.shared.parent.as_ref();
        }
    }

    /// Takes part in no turns: for work that cannot begin.
    pub fn withdraw(&self) {
        if let Some(turn) = &self.shared.turn {
            turn.leave();
        }
    }

    fn new_child(&self, name: &'static str, turn: Option<Turn>, polls: Option<u64>) -> Budget {
        let polls = polls.map(AtomicU64::new);
        let parent = Some(self.clone());
        let shared = Shared { parent, name, turn, polls, ..Shared::default() };
        let child = Budget { shared: Arc::new(shared) };
        let mut children = self.shared.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.push(Arc::downgrade(&child.shared));
        child
    }

    /// Stops all work under this budget. The first reason given stays.
    pub fn stop(&self, reason: Exhausted) {
        let code = match reason {
            Exhausted::Time => 1,
            Exhausted::Memory => 2,
            Exhausted::Cancelled => 3,
        };
        let stopped = &self.shared.stopped;
        let _ = stopped.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` once the budget, or one that it is part of, is exhausted. Cheap:
    /// a relaxed load for each level. May wait until it is this child's turn again.
    #[inline]
    pub fn poll(&self) -> Result<(), Exhausted> {
        if let Some(polls) = &self.shared.polls {
            let left = polls.load(Ordering::Relaxed);
            polls.store(left.saturating_sub(1), Ordering::Relaxed);
            if left == 0 {
                self.stop(Exhausted::Cancelled);
            }
        }
        let mut at = self;
        loop {
            // Required: work inside of work that takes turns uses up the turn of the latter, or
            // those beside it would wait for ever.
            if let Some(turn) = &at.shared.turn {
                turn.count();
            }
            match at.shared.stopped.load(Ordering::Relaxed) {
                0 => {}
                1 => return Err(Exhausted::Time),
                2 => return Err(Exhausted::Memory),
                _ => return Err(Exhausted::Cancelled),
            }
            match &at.shared.parent {
                Some(parent) => at = parent,
                None => return Ok(()),
            }
        }
    }

    /// Where the loops under this budget say how far they came.
    pub fn progress(&self) -> &Progress {
        &self.shared.progress
    }

    /// How far all work under this budget came: itself, then its children that
    /// are still in use, in the order in which they were made.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        let mut found = Vec::new();
        let mut pending = vec![self.clone()];
        while let Some(budget) = pending.pop() {
            let mut snapshot = budget.shared.progress.snapshot(budget.shared.name);
            snapshot.resting = budget.shared.turn.as_ref().is_some_and(Turn::is_resting);
            found.push(snapshot);
            let children = &budget.shared.children;
            let children = children.lock().unwrap_or_else(PoisonError::into_inner);
            let alive = children.iter().rev().filter_map(Weak::upgrade);
            pending.extend(alive.map(|shared| Budget { shared }));
        }
        found
    }
}

/// One child's part in taking turns.
#[derive(Debug)]
struct Turn {
    rota: Arc<(Mutex<Rota>, Condvar)>,
    position: usize,
    /// Polls of one turn.
    length: u64,
    /// Polls that are left of this one; only one thread at a time counts: the child's own, or
    /// that of its children whose turn it is.
    left: AtomicU64,
}

/// Whose turn it is.
#[derive(Debug)]
struct Rota {
    granted: Vec<bool>,
    /// Who comes next; never someone whose turn it is.
    waiting: VecDeque<usize>,
}

impl Turn {
    #[inline]
    fn count(&self) {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
        } else {
            self.left.store(self.length, Ordering::Relaxed);
            self.pass_on();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Rota> {
        self.rota.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_resting(&self) -> bool {
        !self.lock().granted[self.position]
    }

    /// Makes room for the next, and waits to be next.
    #[cold]
    fn pass_on(&self) {
        let mut rota = self.lock();
        // Another thread of the same child may have made room already.
        if rota.granted[self.position]
            && let Some(next) = rota.waiting.pop_front()
        {
            rota.granted[self.position] = false;
            rota.granted[next] = true;
            rota.waiting.push_back(self.position);
            self.rota.1.notify_all();
        }
        self.wait_in(rota);
    }

    fn wait(&self) {
        self.wait_in(self.lock());
    }

    fn wait_in(&self, mut rota: MutexGuard<'_, Rota>) {
        while !rota.granted[self.position] {
            rota = self.rota.1.wait(rota).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes room for good.
    fn leave(&self) {
        let mut rota = self.lock();
        rota.waiting.retain(|&other| other != self.position);
        if std::mem::take(&mut rota.granted[self.position])
            && let Some(next) = rota.waiting.pop_front()
        {
            rota.granted[next] = true;
        }
        self.rota.1.notify_all();
    }
}

/// Work that takes part in turns; when dropped, also by a panic, it makes room.
#[derive(Debug)]
pub struct Attendance {
    budget: Budget,
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.budget.withdraw();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_stops_alone_or_with_its_parent() {
        let parent = Budget::unlimited();
        let (a, b) = (parent.child("a"), parent.child("b"));
        a.stop(Exhausted::Cancelled);
        assert_eq!(a.poll(), Err(Exhausted::Cancelled));
        assert_eq!((parent.poll(), b.poll()), (Ok(()), Ok(())));
        parent.stop(Exhausted::Time);
        assert_eq!(b.poll(), Err(Exhausted::Time));
        assert_eq!(a.poll(), Err(Exhausted::Cancelled));
    }

    #[test]
    fn a_child_may_have_a_number_of_polls() {
        let parent = Budget::unlimited();
        let child = parent.child_for("a", 3);
        let answers: Vec<bool> = (0..5).map(|_| child.poll().is_ok()).collect();
        assert_eq!(answers, [true, true, true, false, false]);
        assert_eq!(parent.poll(), Ok(()));
    }

    #[test]
    fn parts_of_a_child_take_its_turns() {
        let budgets = Budget::unlimited().children_in_turn(&[("a", 2), ("b", 2)], 1);
        let written = Mutex::new(String::new());
        std::thread::scope(|scope| {
            for (budget, name) in budgets.iter().zip(["a", "b"]) {
                let written = &written;
                scope.spawn(move || {
                    let _attendance = budget.begin();
                    let part = budget.child_for("part", 100);
                    for _ in 0..6 {
                        written.lock().unwrap().push_str(name);
                        assert_eq!(part.poll(), Ok(()));
                    }
                });
            }
        });
        assert_eq!(written.into_inner().unwrap(), "aaabbbaaabbb");
    }

    #[test]
    fn a_turn_may_last_longer() {
        let budgets = Budget::unlimited().children_in_turn(&[("a", 2), ("b", 2)], 1);
        let written = Mutex::new(String::new());
        std::thread::scope(|scope| {
            for (budget, name) in budgets.iter().zip(["a", "b"]) {
                let written = &written;
                scope.spawn(move || {
                    let _attendance = budget.begin();
                    if name == "a" {
                        budget.child("part").keep_turn(3);
                    }
                    for _ in 0..6 {
                        written.lock().unwrap().push_str(name);
                        assert_eq!(budget.poll(), Ok(()));
                    }
                });
            }
        });
        assert_eq!(written.into_inner().unwrap(), "aaaaaabbbbbb");
    }

    #[test]
    fn progress_is_seen_from_above() {
        let parent = Budget::unlimited();
        parent.progress().enter(Phase::Executing);
        let child = parent.child("impact");
        child.progress().enter(Phase::Refining);
        child.progress().refined(7);
        child.progress().refined(3);
        child.progress().reached(12);
        let seen = parent.snapshots();
        assert_eq!((seen[0].name, seen[0].phase), ("", Phase::Executing));
        let impact = seen[1];
        assert_eq!((impact.name, impact.phase), ("impact", Phase::Refining));
        assert_eq!((impact.refinements, impact.longest_trace, impact.nodes), (2, 7, 12));
        let question = child.progress().ask();
        let nested = child.progress().in_solver();
        assert!(parent.snapshots()[1].solving && !parent.snapshots()[0].solving);
        drop(question);
        assert!(parent.snapshots()[1].solving);
        drop(nested);
        let seen = parent.snapshots()[1];
        assert_eq!((seen.solving, seen.queries, seen.resting), (false, 1, false));
    }

    #[test]
    fn questions_are_measured_by_phase_and_nested_ones_once() {
        static NOW: AtomicU64 = AtomicU64::new(0);
        let budget = Budget::unlimited();
        let progress = budget.progress();
        progress.measure(|| NOW.fetch_add(5, Ordering::Relaxed));
        progress.enter(Phase::Exploring);
        drop(progress.ask());
        let outer = progress.ask();
        drop(progress.in_solver());
        NOW.fetch_add(100, Ordering::Relaxed);
        drop(outer);
        assert_eq!(progress.solving(Phase::Exploring), (110, 105));
        assert_eq!(progress.solving(Phase::Auditing), (0, 0));
    }

    /// Each child writes its name between polls; what is written shows the turns.
    fn turns(children: &[(&'static str, u64)], at_once: usize, polls: usize) -> String {
        let parent = Budget::unlimited();
        let budgets = parent.children_in_turn(children, at_once);
        let written = Mutex::new(String::new());
        std::thread::scope(|scope| {
            for (budget, &(name, _)) in budgets.iter().zip(children) {
                let written = &written;
                scope.spawn(move || {
                    let _attendance = budget.begin();
                    for _ in 0..polls {
                        written.lock().unwrap().push_str(name);
                        assert_eq!(budget.poll(), Ok(()));
                    }
                });
            }
        });
        written.into_inner().unwrap()
    }

    #[test]
    fn who_waits_rests() {
        let parent = Budget::unlimited();
        let children = parent.children_in_turn(&[("a", 3), ("b", 3)], 1);
        let resting: Vec<bool> = parent.snapshots().iter().map(|s| s.resting).collect();
        assert_eq!(resting, [false, false, true]);
        drop(children);
    }

    #[test]
    fn turns_repeat() {
        for _ in 0..20 {
            assert_eq!(turns(&[("a", 1), ("b", 0), ("c", 3)], 1, 4), "aabccccaabbb");
        }
    }

    #[test]
    fn all_work_is_done_with_more_threads() {
        let text = turns(&[("a", 1), ("b", 1), ("c", 1)], 2, 50);
        assert_eq!(text.len(), 150);
    }

    #[test]
    fn turns_inside_of_a_turn_use_it_up() {
        let budgets = Budget::unlimited().children_in_turn(&[("a", 5), ("b", 5)], 1);
        let inner = budgets[0].children_in_turn(&[("x", 2), ("y", 2)], 1);
        let came = AtomicU8::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _attendance = budgets[0].begin();
                std::thread::scope(|scope| {
                    for budget in &inner {
                        let came = &came;
                        scope.spawn(move || {
                            let _attendance = budget.begin();
                            for _ in 0..100 {
                                assert_eq!(budget.poll(), Ok(()));
                            }
                            assert_eq!(came.load(Ordering::SeqCst), 1, "b had no turn");
                        });
                    }
                });
            });
            scope.spawn(|| {
                let _attendance = budgets[1].begin();
                came.store(1, Ordering::SeqCst);
            });
        });
    }

    #[test]
    fn a_panic_makes_room() {
        let budgets = Budget::unlimited().children_in_turn(&[("a", 1), ("b", 1)], 1);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| {
                let _attendance = budgets[0].begin();
                std::panic::resume_unwind(Box::new("on purpose"));
            });
            let second = scope.spawn(|| {
                let _attendance = budgets[1].begin();
            });
            assert!(first.join().is_err());
            assert!(second.join().is_ok());
        });
    }
}
