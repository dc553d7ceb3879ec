//! How the audit says no.

use bolide_heap::Undecided;
use bolide_reachability::verdict::Reason;

/// The certificate proves nothing, because.
pub fn refused(why: &str) -> Reason {
    Reason::NotCertified(why.to_owned())
}

/// The heap logic has no answer.
pub fn undecided(why: Undecided) -> Reason {
    match why {
        Undecided::Exhausted(what) => Reason::Exhausted(what),
        Undecided::Prover(why) => Reason::NotCertified(why),
    }
}
