//! What the theories and the search share: the Boolean terms that are variables of the search,
//! the proof, the clauses waiting to be added.
//!
//! How a theory talks. The search calls `sat::Theory` methods of a bridge (in
//! `solver`), which calls the theories one after the other with a [`Context`]. A
//! theory that wants a literal of a Boolean term asks [`Context::literal`]: a
//! new one gets a variable at once, and after the present call returns, the bridge
//! adds the clauses that define it and announces it to every theory
//! (`register_atom`). A theory that wants to add a clause says
//! [`Context::lemma`] or [`Context::tautology`]; the clause reaches the search
//! when the call returns. Only propagations go through `sat::Actions` directly.
//!
//! What a theory need not do: the clauses that define connectives, `ite`, `div`,
//! `mod`, `to_int`, and the three clauses that tie each arithmetic equality to
//! its two inequalities are added by `clausify` for every atom and every subterm of it.

use bolide_base::{Budget, HashMap};
use bolide_proof::{Certificate, Literal, Tautology};
use bolide_sat::{Keep, Lit, ProofId, Var};
use bolide_terms::{TermId, TermStore};

use crate::proof_log::ProofLog;

/// The Boolean terms that are variables of the search.
#[derive(Debug, Default)]
pub struct Atoms {
    terms: Vec<TermId>,
    vars: HashMap<TermId, Var>,
}

impl Atoms {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The term of a variable.
    #[inline]
    pub fn term(&self, var: Var) -> TermId {
        self.terms[var.index()]
    }

    /// The variable of an atom, if it has one. The atom is not a negation.
    #[inline]
    pub fn var(&self, atom: TermId) -> Option<Var> {
        self.vars.get(&atom).copied()
    }

    /// The literal of the search as one of the proof.
    #[inline]
    pub fn literal(&self, lit: Lit) -> Literal {
        Literal { atom: self.term(lit.var()), positive: lit.is_positive() }
    }

    pub(crate) fn add(&mut self, atom: TermId) -> Var {
        let var = Var::new(self.terms.len());
        self.terms.push(atom);
        self.vars.insert(atom, var);
        var
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        for term in self.terms.drain(len..) {
            self.vars.remove(&term);
        }
    }
}

/// Clauses on their way to the search.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub lits: Vec<Lit>,
    /// Where each clause ends in `lits`, how long to keep it, its proof.
    pub clauses: Vec<(usize, Keep, ProofId)>,
}

impl Outbox {
    pub fn push(&mut self, lits: &[Lit], keep: Keep, proof: ProofId) {
        self.lits.extend_from_slice(lits);
        self.clauses.push((self.lits.len(), keep, proof));
    }
}

/// What persists from call to call, and is shared.
#[derive(Debug, Default)]
pub struct Shared {
    /// The Boolean terms that are variables.
    pub atoms: Atoms,
    /// The proof so far.
    pub log: ProofLog,
    pub(crate) outbox: Outbox,
    /// Variables from here on have not been defined and announced.
    pub(crate) announced: usize,
    buffer: Vec<Lit>,
}

/// What a theory sees during a call.
pub struct Context<'a> {
    /// The terms.
    pub store: &'a mut TermStore,
    /// Atoms and proof.
    pub shared: &'a mut Shared,
    /// To be polled in long loops.
    pub budget: &'a Budget,
}

impl Context<'_> {
    /// Whether certificates are wanted.
    #[inline]
    pub fn wants_proof(&self) -> bool {
        self.shared.log.is_enabled()
    }

    /// The literal of a Boolean term; the term becomes an atom if it is none yet.
    pub fn literal(&mut self, formula: TermId) -> Lit {
        let (atom, positive) = self.store.atom_and_sign(formula);
        let var = match self.shared.atoms.var(atom) {
            Some(var) => var,
            None => self.shared.atoms.add(atom),
        };
        var.lit(positive)
    }

    /// The term of a variable.
    #[inline]
    pub fn atom(&self, var: Var) -> TermId {
        self.shared.atoms.term(var)
    }

    /// Justifies a clause that is valid in a theory. The certificate is not asked for when
    /// nobody wants a proof.
    pub fn justify(&mut self, lits: &[Lit], certificate: impl FnOnce() -> Certificate) -> ProofId {
        let Shared { atoms, log, .. } = &mut *self.shared;
        if !log.is_enabled() {
            return ProofId::NONE;
        }
        log.lemma(lits.iter().map(|&lit| atoms.literal(lit)), certificate())
    }

    /// Adds a clause that is valid in a theory: a conflict, a propagation, a
    /// lemma. The coefficients of a Farkas certificate are in the order
    /// of `lits`, and no literal occurs twice.
    pub fn lemma(&mut self, lits: &[Lit], keep: Keep, certificate: impl FnOnce() -> Certificate) {
        let proof = self.justify(lits, certificate);
        self.shared.outbox.push(lits, keep, proof);
    }

    /// Adds a clause that is valid by the meaning of an operator. Literals that
    /// are constants are allowed.
    pub fn tautology(&mut self, formulas: &[TermId], tautology: Tautology) {
        if formulas.contains(&TermId::TRUE) {
            return;
        }
        let mut lits = std::mem::take(&mut self.shared.buffer);
        lits.clear();
        for &formula in formulas {
            if formula != TermId::FALSE {
                lits.push(self.literal(formula));
            }
        }
        let Shared { atoms, log, outbox, .. } = &mut *self.shared;
        let proof = log.tautology(lits.iter().map(|&lit| atoms.literal(lit)), tautology);
        outbox.push(&lits, Keep::Always, proof);
        self.shared.buffer = lits;
    }
}
