//! Bolide as a library: verify a C program, solve an SMT-LIB script, solve Horn clauses.
//!
//! Three calls, each with [`Limits`] and with evidence in its answer. They take text and give back
//! plain data; nothing is printed. What is said here stays as it is between minor versions; the modules below are what the command
//! line is made of, and may change.
//!
//! A program that holds its assertion, with the invariant that shows it:
//!
//! ```
//! use bolide_api::{Task, Verdict, verify};
//!
//! let task = Task::text(
//!     "extern void reach_error(void);
//!      extern int __VERIFIER_nondet_int(void);
//!      int main(void) {
//!          int n = __VERIFIER_nondet_int(), i = 0;
//!          while (i < n) i++;
//!          if (n > 0 && i != n) reach_error();
//!          return 0;
//!      }",
//! );
//! let answer = verify(&task).expect("this is C");
//! assert_eq!(answer.verdict, Verdict::True);
//! assert!(answer.obligations > 0, "every obligation was re-checked with a proof");
//! assert!(answer.invariants.iter().any(|i| i.line == 5));
//! ```
//!
//! One that fails, and how:
//!
//! ```
//! use bolide_api::{Limits, Task, Verdict, verify};
//! use std::time::Duration;
//!
//! let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
//! let task = Task::text("int main(int argc, char **argv) { int a[3]; a[0] = 1; return a[argc]; }")
//!     .property("valid-deref")
//!     .limits(limits);
//! let violation = verify(&task).unwrap().violation.expect("a[argc] is outside of a");
//! assert_eq!((violation.property.as_str(), violation.line), ("valid-deref", 1));
//! ```
//!
//! The solver alone, and Horn clauses:
//!
//! ```
//! use bolide_api::{Limits, Satisfiability, solve_clauses, solve_script};
//!
//! let script = "(declare-const x Int) (assert (< 2 (* 2 x) 4)) (check-sat)";
//! assert_eq!(solve_script(script, &Limits::default()).answers, ["unsat"]);
//!
//! let clauses = "(set-logic HORN) (declare-fun p (Int) Bool)
//!     (assert (forall ((x Int)) (=> (= x 0) (p x))))
//!     (assert (forall ((x Int)) (=> (and (p x) (< x 9)) (p (+ x 1)))))
//!     (assert (forall ((x Int)) (=> (and (p x) (> x 9)) false)))
//!     (check-sat)";
//! let answer = solve_clauses(clauses, &Limits::default()).expect("clauses");
//! assert_eq!(answer.satisfiability, Satisfiability::Sat);
//! assert!(answer.evidence.contains("define-fun p"));
//! ```

mod headers;
mod solve;
mod verify;

pub mod evidence;
pub mod limits;
pub mod preprocess;
pub mod program;
pub mod specification;

pub use limits::Limits;
pub use solve::{Answers, Clauses, Satisfiability, solve_clauses, solve_script};
pub use verify::{
    Drawing, Input, Invariant, Refused, Step, Task, Verdict, Verification, Violation, verify,
};
