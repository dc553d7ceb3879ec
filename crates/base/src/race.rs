//! Several attempts at one question: as many side by side as there are threads,
//! taking turns where there are more. The first that decides stops the rest.
//!
//! Each works under a child of the budget, on a thread of its own. Turns are
//! measured in polls of the budget, so that with one thread at a time everything repeats.

use crate::{Budget, Exhausted};
use std::any::Any;

/// Address space for the stack of a working thread; pages are only used when touched.
const STACK_BYTES: usize = 1 << 29;

/// One that takes part.
pub struct Runner<'a, T> {
    /// Whose work it is.
    pub name: &'static str,
    /// Polls of one turn.
    pub turn: u64,
    /// The work, under its own part of the budget.
    pub work: Box<dyn FnOnce(&Budget) -> T + Send + 'a>,
}

/// Why one of them has no result.
pub enum Lost {
    /// Its thread could not be started.
    NotStarted(std::io::Error),
    /// It panicked with this.
    Panicked(Box<dyn Any + Send>),
}

/// Runs all; what came of them, in their order.
pub fn race<T: Send>(
    runners: Vec<Runner<'_, T>>,
    threads: usize,
    budget: &Budget,
    decides: impl Fn(&T) -> bool + Sync,
) -> Vec<Result<T, Lost>> {
    let turns: Vec<(&'static str, u64)> = runners.iter().map(|r| (r.name, r.turn)).collect();
    let budgets = budget.children_in_turn(&turns, threads);
    let (all, decides) = (&budgets, &decides);
    std::thread::scope(|scope| {
        let mut started = Vec::new();
        for (runner, own) in runners.into_iter().zip(all) {
            let work = move || {
                let _attendance = own.begin();
                let result = (runner.work)(own);
                if decides(&result) {
                    all.iter().for_each(|other| other.stop(Exhausted::Cancelled));
                }
                result
            };
            let thread = std::thread::Builder::new().name(runner.name.to_owned());
            let handle = thread.stack_size(STACK_BYTES).spawn_scoped(scope, work);
            // Required: the others must not wait for the turn of one that never begins.
            started.push(handle.inspect_err(|_| own.withdraw()));
        }
        started
            .into_iter()
            .map(|handle| handle.map_err(Lost::NotStarted)?.join().map_err(Lost::Panicked))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(name: &'static str, polls: u64, says: Option<u64>) -> Runner<'static, Option<u64>> {
        let work = move |budget: &Budget| {
            (0..polls).all(|_| budget.poll().is_ok()).then_some(says).flatten()
        };
        Runner { name, turn: 10, work: Box::new(work) }
    }

    #[test]
    fn the_first_that_decides_stops_the_rest() {
        let runners = || vec![counting("long", u64::MAX, Some(1)), counting("short", 50, Some(2))];
        for threads in [1, 2] {
            let found = race(runners(), threads, &Budget::unlimited(), Option::is_some);
            let found: Vec<Option<u64>> = found.into_iter().flat_map(Result::ok).collect();
            assert_eq!(found, [None, Some(2)]);
        }
    }

    #[test]
    fn a_panic_is_the_loss_of_one() {
        let panics = Box::new(|_: &Budget| std::panic::resume_unwind(Box::new("on purpose")));
        let broken = Runner { name: "broken", turn: 1, work: panics };
        let found = race(
            vec![broken, counting("short", 50, Some(2))],
            1,
            &Budget::unlimited(),
            Option::is_some,
        );
        assert!(matches!(found[..], [Err(Lost::Panicked(_)), Ok(Some(2))]));
    }
}
