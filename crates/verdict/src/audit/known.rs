//! What a certificate over terms comes with: the terms, and proofs of obligations that were found before, for this
//! program or another.
//!
//! Whoever keeps them only says what they are: that one proves the obligation is checked here.

use bolide_base::Budget;
use bolide_reachability::encode::{Exactness, Inexact};
use bolide_reachability::normal_form::NormalForm;
use bolide_reachability::recorded_proof;
use bolide_terms::{TermId, TermStore};

/// Figures for people, by name.
pub type Figures = Vec<(&'static str, u64)>;

/// Proofs of obligations that somebody kept, and who keeps new ones.
pub trait KnownProofs {
    /// Whether there are any, or new ones are to be kept.
    fn are_kept(&self) -> bool;

    /// What is kept as the proof that an obligation, in normal form, contradicts itself.
    fn recall(&mut self, obligation: &NormalForm) -> Option<String>;

    /// Whether the checker accepted what was recalled; none where there was nothing. What has no normal form
    /// cannot be kept.
    fn checked(&mut self, obligation: Option<NormalForm>, accepted: Option<bool>);

    /// Called once all is decided, with the number of obligations, if it was by a proof: time to keep what is
    /// new, and to say what was saved.
    fn close(&mut self, decided: bool, obligations: usize, budget: &Budget) -> Figures;
}

/// What a certificate over terms is written in.
pub struct Terms<'t> {
    /// The terms.
    pub store: &'t mut TermStore,
    /// Which operations are the machine's.
    pub exact: Exactness,
    /// What was found to be other than the machine's where a path was not a run.
    pub inexact: Inexact,
    /// Whether a path that is no run is compared with the machine, which may take long.
    pub compares: bool,
    /// Proofs that somebody kept.
    pub known: &'t mut dyn KnownProofs,
}

impl<'t> Terms<'t> {
    /// Of a search with this exactness.
    pub fn new(
        store: &'t mut TermStore,
        exact: Exactness,
        known: &'t mut dyn KnownProofs,
    ) -> Terms<'t> {
        Terms { store, exact, inexact: Inexact::default(), compares: true, known }
    }
}

/// Nobody kept any.
pub struct NoProofs;

impl KnownProofs for NoProofs {
    fn are_kept(&self) -> bool {
        false
    }

    fn recall(&mut self, _: &NormalForm) -> Option<String> {
        None
    }

    fn checked(&mut self, _: Option<NormalForm>, _: Option<bool>) {}

    fn close(&mut self, _: bool, _: usize, _: &Budget) -> Figures {
        Vec::new()
    }
}

/// Whether there is a proof that these contradict each other, which the checker accepts.
pub fn refuted(known: &mut dyn KnownProofs, store: &mut TermStore, conjuncts: &[TermId]) -> bool {
    if !known.are_kept() {
        return false;
    }
    let form = NormalForm::new(store, conjuncts);
    let accepted = form.as_ref().and_then(|form| {
        let proof = known.recall(form)?;
        Some(recorded_proof::accepts(store, conjuncts, form, &proof))
    });
    known.checked(form, accepted);
    accepted == Some(true)
}
