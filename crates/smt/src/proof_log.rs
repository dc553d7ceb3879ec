//! The proof as it grows during search.
//!
//! Every clause that enters the search, and every clause that it learns, has an
//! entry here if proofs are wanted; entries are appended to flat vectors and
//! never looked at until somebody asks for a proof. Then the entries that
//! the conclusion rests on are marked backward and written out as a
//! [`Proof`]. Entries that no clause of the search refers to any more
//! are dropped by [`ProofLog::collect`], so that push and pop do not grow.

use bolide_base::arena::Id;
use bolide_proof::{Certificate, Literal, Partition, Proof, Rule, Step, StepId, Tautology};
use bolide_sat::ProofId;
use bolide_terms::TermId;

#[derive(Clone, Debug)]
enum Entry {
    Assertion {
        formula: TermId,
        partition: Partition,
    },
    Tautology(Box<Tautology>),
    Lemma(Box<Certificate>),
    /// The chain lies in `chains` from here on to where that of the next
    /// resolution starts.
    Resolution {
        first: ProofId,
        start: u32,
        end: u32,
    },
}

/// All steps taken so far.
#[derive(Debug, Default)]
pub struct ProofLog {
    enabled: bool,
    entries: Vec<Entry>,
    /// Where the clause of each entry starts in `literals`.
    clauses: Vec<u32>,
    literals: Vec<Literal>,
    chains: Vec<(Literal, ProofId)>,
}

impl ProofLog {
    /// A log that keeps everything, or nothing.
    pub fn new(enabled: bool) -> Self {
        ProofLog { enabled, ..ProofLog::default() }
    }

    /// Whether proofs are wanted.
    #[inline]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn add(&mut self, clause: impl IntoIterator<Item = Literal>, entry: Entry) -> ProofId {
        let id = ProofId(u32::try_from(self.entries.len()).expect("fewer than 2^32 steps"));
        self.clauses.push(self.literals.len() as u32);
        self.literals.extend(clause);
        self.entries.push(entry);
        id
    }

    /// An asserted formula.
    pub fn assertion(
        &mut self,
        literal: Literal,
        formula: TermId,
        partition: Partition,
    ) -> ProofId {
        if !self.enabled {
            return ProofId::NONE;
        }
        self.add([literal], Entry::Assertion { formula, partition })
    }

    /// A clause that holds by the meaning of an operator.
    pub fn tautology(
        &mut self,
        clause: impl IntoIterator<Item = Literal>,
        tautology: Tautology,
    ) -> ProofId {
        if !self.enabled {
            return ProofId::NONE;
        }
        self.add(clause, Entry::Tautology(Box::new(tautology)))
    }

    /// A clause that holds in a theory. The order of the literals is kept.
    pub fn lemma(
        &mut self,
        clause: impl IntoIterator<Item = Literal>,
        certificate: Certificate,
    ) -> ProofId {
        if !self.enabled {
            return ProofId::NONE;
        }
        self.add(clause, Entry::Lemma(Box::new(certificate)))
    }

    /// A clause that follows by resolution.
    pub fn resolution(
        &mut self,
        clause: impl IntoIterator<Item = Literal>,
        first: ProofId,
        chain: impl IntoIterator<Item = (Literal, ProofId)>,
    ) -> ProofId {
        if !self.enabled {
            return ProofId::NONE;
        }
        let start = self.chains.len() as u32;
        self.chains.extend(chain);
        let end = self.chains.len() as u32;
        if start == end {
            return first;
        }
        self.add(clause, Entry::Resolution { first, start, end })
    }

    /// The clause of an entry.
    pub fn clause(&self, id: ProofId) -> &[Literal] {
        let at = id.0 as usize;
        let end = self.clauses.get(at + 1).map_or(self.literals.len(), |&end| end as usize);
        &self.literals[self.clauses[at] as usize..end]
    }

    /// Marks what `roots` rest on.
    fn mark(&self, roots: impl IntoIterator<Item = ProofId>) -> Vec<bool> {
        let mut marked = vec![false; self.entries.len()];
        let mut top = 0;
        for root in roots {
            if root.is_some() {
                marked[root.0 as usize] = true;
                top = top.max(root.0 as usize + 1);
            }
        }
        // Required: an entry only refers to earlier ones.
        for at in (0..top).rev() {
            if marked[at]
                && let Entry::Resolution { first, start, end } = self.entries[at]
            {
                marked[first.0 as usize] = true;
                for &(_, step) in &self.chains[start as usize..end as usize] {
                    marked[step.0 as usize] = true;
                }
            }
        }
        marked
    }

    /// The proof that ends in `root`, without anything it does not need.
    pub fn extract(&self, root: ProofId) -> Proof {
        let marked = self.mark([root]);
        let mut number = vec![StepId::from_index(0); self.entries.len()];
        let mut steps = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if !marked[at] {
                continue;
            }
            number[at] = StepId::from_index(steps.len());
            let rule = match entry {
                Entry::Assertion { formula, partition } => {
                    Rule::Assertion { formula: *formula, partition: *partition }
                }
                Entry::Tautology(tautology) => Rule::Tautology((**tautology).clone()),
                Entry::Lemma(certificate) => Rule::Lemma((**certificate).clone()),
                Entry::Resolution { first, start, end } => Rule::Resolution {
                    first: number[first.0 as usize],
                    chain: self.chains[*start as usize..*end as usize]
                        .iter()
                        .map(|&(pivot, step)| (pivot, number[step.0 as usize]))
                        .collect(),
                },
            };
            steps.push(Step { clause: self.clause(ProofId(at as u32)).to_vec(), rule });
            if at == root.0 as usize {
                break;
            }
        }
        Proof { steps }
    }

    /// Whether enough has been logged since the last collection to make one worthwhile.
    pub fn wants_collection(&self, live: usize) -> bool {
        self.entries.len() > 10_000 + 4 * live
    }

    /// Drops what `roots` do not rest on. The result gives for each old id the new one.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = ProofId>) -> Vec<ProofId> {
        let marked = self.mark(roots);
        let old = std::mem::replace(self, ProofLog::new(self.enabled));
        let mut forwarding = vec![ProofId::NONE; old.entries.len()];
        for (at, entry) in old.entries.iter().enumerate() {
            if !marked[at] {
                continue;
            }
            let clause = old.clause(ProofId(at as u32)).iter().copied();
            forwarding[at] = match entry {
                Entry::Resolution { first, start, end } => {
                    let first = forwarding[first.0 as usize];
                    let chain = old.chains[*start as usize..*end as usize].iter();
                    let chain = chain.map(|&(pivot, step)| (pivot, forwarding[step.0 as usize]));
                    let chain: Vec<_> = chain.collect();
                    self.resolution(clause, first, chain)
                }
                other => self.add(clause, other.clone()),
            };
        }
        forwarding
    }
}
