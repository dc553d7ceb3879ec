//! MONA in place of the decision procedure, and as its judge.
//!
//! MONA decides monadic second-order logic by automata over strings and trees. It knows no axioms of reachability,
//! no update formula and no instantiation, so what it says is independent of [`session`](crate::session).
//! [`simulation`] takes whole questions after section 6.3 of the thesis; its steps are [`backbone`],
//! [`preparation`], [`simplify`], [`text`] and [`example`]. [`trees`] judges random problems in which trees are written to.
//! Only text is made here; starting the tool is for others ([`Mona`]).

pub mod backbone;
mod example;
mod preparation;
mod simplify;
pub mod simulation;
mod text;
pub mod trees;

use bolide_base::Budget;
use std::sync::Arc;

/// Somebody who can run MONA: takes the input, gives what the tool prints, or why there is nothing.
#[derive(Clone)]
pub struct Mona(pub Arc<Ask>);

/// Runs MONA on an input.
pub type Ask = dyn Fn(&str, &Budget) -> Result<String, String> + Send + Sync;

impl std::fmt::Debug for Mona {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mona")
    }
}
