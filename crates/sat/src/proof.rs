//! How the search reports its proof.
//!
//! A clause that enters the search carries the [`ProofId`] of whatever justifies
//! it outside (an assertion, a tautology, a theory lemma). A clause that the
//! search learns is reported to a [`ProofSink`] as one chain of resolutions over
//! such ids, and the sink names the id of the result. The object that
//! implements [`Theory`](crate::Theory) also implements this trait, because lemmas
//! and resolutions go into one proof.

use crate::literal::Lit;

/// Names the justification of a clause; given out by whoever keeps the proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProofId(pub u32);

impl ProofId {
    /// No justification is kept.
    pub const NONE: ProofId = ProofId(u32::MAX);

    /// Whether a justification is kept.
    pub fn is_some(self) -> bool {
        self != ProofId::NONE
    }
}

/// Receives what the search concludes.
pub trait ProofSink {
    /// The same as [`resolution`](Self::resolution) where chains are wanted and there is one.
    fn derive(&mut self, first: ProofId, chain: &[(Lit, ProofId)], conclusion: &[Lit]) -> ProofId {
        match chain {
            _ if !self.wants_proof() => ProofId::NONE,
            [] => first,
            _ => self.resolution(first, chain, conclusion),
        }
    }

    /// Whether chains are wanted; when not, nothing is computed for them.
    fn wants_proof(&self) -> bool {
        false
    }

    /// `conclusion` follows from the clause `first` by resolving, one after the
    /// other, with each clause of `chain`. The literal beside a clause is
    /// the pivot as it occurs in that clause; its negation occurs in the
    /// resolvent so far. Merging of equal literals is implied.
    fn resolution(
        &mut self,
        _first: ProofId,
        _chain: &[(Lit, ProofId)],
        _conclusion: &[Lit],
    ) -> ProofId {
        ProofId::NONE
    }
}
