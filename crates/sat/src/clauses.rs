//! Clauses in one flat vector.
//!
//! A clause is a reference into a vector of words: four words of header, then
//! the literals. Deleting only marks; [`ClauseArena::compact`] moves the live
//! clauses together when a third of the words is dead.

use crate::literal::Lit;
use crate::proof::ProofId;

/// Where a clause begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ClauseRef(u32);

const HEADER: usize = 4;
const SIZE: usize = 0;
const FLAGS: usize = 1;
const SCOPE: usize = 2;
const PROOF: usize = 3;

const REDUNDANT: usize = 1;
const DELETED: usize = 2;
/// Not watched: the materialised reason of a theory propagation.
const EXPLANATION: usize = 4;
/// How many reductions the clause outlives because it was used.
const USED_SHIFT: usize = 3;
const USED: usize = 3 << USED_SHIFT;
const LBD_SHIFT: usize = 8;

/// Header words are stored in the guise of literals, so that the literals of a
/// clause can be borrowed as a slice.
#[derive(Default)]
pub(crate) struct ClauseArena {
    words: Vec<Lit>,
    wasted: usize,
}

impl ClauseArena {
    pub fn add(
        &mut self,
        lits: &[Lit],
        redundant: bool,
        scope: usize,
        proof: ProofId,
    ) -> ClauseRef {
        let start = u32::try_from(self.words.len()).expect("clauses fit into 2^32 words");
        self.words.extend_from_slice(&[
            Lit::from_code(lits.len()),
            Lit::from_code(usize::from(redundant)),
            Lit::from_code(scope),
            Lit::from_code(proof.0 as usize),
        ]);
        self.words.extend_from_slice(lits);
        ClauseRef(start)
    }

    #[inline]
    fn word(&self, clause: ClauseRef, word: usize) -> usize {
        self.words[clause.0 as usize + word].code()
    }

    #[inline]
    fn set_word(&mut self, clause: ClauseRef, word: usize, value: usize) {
        self.words[clause.0 as usize + word] = Lit::from_code(value);
    }

    #[inline]
    pub fn lits(&self, clause: ClauseRef) -> &[Lit] {
        let start = clause.0 as usize + HEADER;
        &self.words[start..start + self.words[start - HEADER].code()]
    }

    #[inline]
    pub fn lits_mut(&mut self, clause: ClauseRef) -> &mut [Lit] {
        let start = clause.0 as usize + HEADER;
        let size = self.words[start - HEADER].code();
        &mut self.words[start..start + size]
    }

    pub fn is_redundant(&self, clause: ClauseRef) -> bool {
        self.word(clause, FLAGS) & REDUNDANT != 0
    }

    pub fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.word(clause, FLAGS) & DELETED != 0
    }

    pub fn is_explanation(&self, clause: ClauseRef) -> bool {
        self.word(clause, FLAGS) & EXPLANATION != 0
    }

    pub fn set_explanation(&mut self, clause: ClauseRef) {
        let flags = self.word(clause, FLAGS);
        self.set_word(clause, FLAGS, flags | EXPLANATION);
    }

    pub fn lbd(&self, clause: ClauseRef) -> usize {
        self.word(clause, FLAGS) >> LBD_SHIFT
    }

    pub fn set_lbd(&mut self, clause: ClauseRef, lbd: usize) {
        let flags = self.word(clause, FLAGS) & ((1 << LBD_SHIFT) - 1);
        self.set_word(clause, FLAGS, flags | lbd.min(1 << 20) << LBD_SHIFT);
    }

    pub fn scope(&self, clause: ClauseRef) -> usize {
        self.word(clause, SCOPE)
    }

    pub fn proof(&self, clause: ClauseRef) -> ProofId {
        ProofId(self.word(clause, PROOF) as u32)
    }

    pub fn set_proof(&mut self, clause: ClauseRef, proof: ProofId) {
        self.set_word(clause, PROOF, proof.0 as usize);
    }

    pub fn used(&self, clause: ClauseRef) -> usize {
        (self.word(clause, FLAGS) & USED) >> USED_SHIFT
    }

    pub fn set_used(&mut self, clause: ClauseRef, used: usize) {
        debug_assert!(used <= 3);
        let flags = self.word(clause, FLAGS) & !USED;
        self.set_word(clause, FLAGS, flags | used << USED_SHIFT);
    }

    pub fn delete(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_deleted(clause));
        let flags = self.word(clause, FLAGS);
        self.set_word(clause, FLAGS, flags | DELETED);
        self.wasted += HEADER + self.word(clause, SIZE);
    }

    /// How many words are in use, dead ones included.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    pub fn wants_compaction(&self) -> bool {
        self.wasted * 3 > self.words.len() && self.words.len() > 4096
    }

    /// Every live clause, in order of addition.
    pub fn iter(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        let mut next = 0usize;
        std::iter::from_fn(move || {
            while next < self.words.len() {
                let clause = ClauseRef(next as u32);
                next += HEADER + self.word(clause, SIZE);
                if !self.is_deleted(clause) {
                    return Some(clause);
                }
            }
            None
        })
    }

    /// Moves live clauses together. The result translates an old reference;
    /// it must not be asked about deleted clauses.
    pub fn compact(&mut self) -> Forwarding {
        let mut forwarding = Vec::new();
        let (mut from, mut to) = (0, 0);
        while from < self.words.len() {
            let clause = ClauseRef(from as u32);
            let length = HEADER + self.word(clause, SIZE);
            if !self.is_deleted(clause) {
                self.words.copy_within(from..from + length, to);
                forwarding.push((from as u32, to as u32));
                to += length;
            }
            from += length;
        }
        self.words.truncate(to);
        self.wasted = 0;
        Forwarding(forwarding)
    }
}

/// Old to new clause references, sorted.
pub(crate) struct Forwarding(Vec<(u32, u32)>);

impl Forwarding {
    pub fn of(&self, clause: ClauseRef) -> ClauseRef {
        let index = self.0.binary_search_by_key(&clause.0, |&(from, _)| from);
        ClauseRef(self.0[index.expect("only live clauses are referred to")].1)
    }
}
