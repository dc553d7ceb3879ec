//! The update formula of `btwn`: what a write to a field makes of the paths along it.
//!
//! After Lahiri and Qadeer ("Back to the future", POPL 2008). Tested against all functions on four objects.

use super::{Session, Version};
use bolide_terms::TermId;

impl Session {
    /// What `btwn` along `f[at := value]` says, in terms of `btwn` along `f`.
    pub(super) fn update(
        &mut self,
        before: Version,
        at: TermId,
        value: TermId,
        [u, v, w]: [TermId; 3],
    ) -> TermId {
        // The old path from u to w does not pass through `at`.
        let old = self.btwn(before, u, v, w);
        let avoids = self.reach_without(before, u, w, at);
        let first = self.store.mk_and(&[old, avoids]);
        // The new path goes from u to `at`, from there to `value`, and on to w.
        let same = self.store.mk_eq(at, w);
        let differs = self.store.mk_not(same);
        let arrives = self.reach_without(before, u, at, w);
        let leaves = self.reach_without(before, value, w, at);
        let head = self.btwn(before, u, v, at);
        let tail = self.btwn(before, value, v, w);
        let either = self.store.mk_or(&[head, tail]);
        let second = self.store.mk_and(&[differs, arrives, leaves, either]);
        self.store.mk_or(&[first, second])
    }

    /// `y` is reached from `x` not later than `z`, if `z` is at all.
    fn reach_without(&mut self, f: Version, x: TermId, y: TermId, z: TermId) -> TermId {
        let between = self.btwn(f, x, y, z);
        let reached = self.reach(f, x, y);
        let other = self.reach(f, x, z);
        let never = self.store.mk_not(other);
        let free = self.store.mk_and(&[reached, never]);
        self.store.mk_or(&[between, free])
    }
}
