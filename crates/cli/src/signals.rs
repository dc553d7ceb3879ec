//! Interrupts: Ctrl-C and `kill` end a run with what was reached so far.
//!
//! The handler only sets a flag, which the watchdog and the loops of `bench` poll; a second
//! signal ends the process at once. The standard library has neither signal handlers nor the
//! killing of process groups, so the two functions of the C library are declared here:
//! the only unsafe code of the command line.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether somebody wants the run to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod unix {
    use crate::signals::INTERRUPTED;
    use std::sync::atomic::Ordering;

    const SIGINT: i32 = 2;
    const SIGKILL: i32 = 9;
    const SIGTERM: i32 = 15;
    /// What `SIG_DFL` is on every system that we know.
    const DEFAULT: usize = 0;

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn kill(process: i32, signal: i32) -> i32;
    }

    extern "C" fn interrupt(number: i32) {
        INTERRUPTED.store(true, Ordering::Relaxed);
        // SAFETY: `signal` may be called from a handler, and both arguments are valid.
        unsafe { signal(number, DEFAULT) };
    }

    pub fn watch() {
        let handler = interrupt as extern "C" fn(i32) as usize;
        for number in [SIGINT, SIGTERM] {
            // SAFETY: the handler only touches an atomic and calls `signal`.
            unsafe { signal(number, handler) };
        }
    }

    pub fn kill_group(leader: u32) {
        if let Ok(leader) = i32::try_from(leader)
            && leader > 1
        {
            // SAFETY: a negative number is a process group; that it may have
            // ended already is an error code that does not matter.
            unsafe { kill(-leader, SIGKILL) };
        }
    }
}

#[cfg(unix)]
pub use unix::{kill_group, watch};

/// Where there are no signals, nothing is watched.
#[cfg(not(unix))]
pub fn watch() {}

/// Where there are no process groups, children are left alone.
#[cfg(not(unix))]
pub fn kill_group(_: u32) {}
