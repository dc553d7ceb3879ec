//! What is kept of a proof, once the audit has spoken: the audit's own obligations come from the database where they
//! can, and go there with the automata.

use super::reuse::{Recorder, Stored};
use bolide_base::Budget;
use bolide_reachability::normal_form::NormalForm;
use bolide_verdict::audit::{Figures, KnownProofs};

/// The end of a search, until it is audited.
pub struct Ledger {
    /// The database, if there is one.
    pub recorder: Option<Recorder>,
    /// What is worth keeping of the automata.
    pub stored: Option<Stored>,
    /// Calls of the solver so far.
    pub calls: u64,
}

impl KnownProofs for Ledger {
    fn are_kept(&self) -> bool {
        self.recorder.is_some()
    }

    fn recall(&mut self, obligation: &NormalForm) -> Option<String> {
        self.recorder.as_mut()?.obligation(obligation)
    }

    fn checked(&mut self, obligation: Option<NormalForm>, accepted: Option<bool>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.checked(obligation, accepted);
        }
    }

    fn close(&mut self, decided: bool, obligations: usize, budget: &Budget) -> Figures {
        let Some(recorder) = &mut self.recorder else {
            return vec![("solver calls", self.calls + obligations as u64)];
        };
        let reused = recorder.statistics;
        if let Some(stored) = &self.stored {
            recorder.keep_automata(stored);
        }
        if decided {
            recorder.keep(budget);
        }
        vec![
            ("solver calls", self.calls + reused.new_obligations),
            ("solver calls saved by the database", reused.questions + reused.obligations),
            ("answers of the database checked", reused.questions),
            ("refused", reused.refused),
            ("obligations of the audit from the database", reused.obligations),
            ("new obligations of the audit", reused.new_obligations),
        ]
    }
}
