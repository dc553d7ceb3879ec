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
//! A Boolean argument of a function has got a variable by the time that the atom
//! around it is announced; it may be a compound formula that has been assigned
//! long ago, so a theory that begins to watch it has to look.

use bolide_base::{Budget, HashMap, HashSet};
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
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The terms, by variable.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
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

    pub fn clear(&mut self) {
        self.lits.clear();
        self.clauses.clear();
    }
}

/// What persists from call to call, and is shared.
#[derive(Debug, Default)]
pub struct Shared {
    /// The Boolean terms that are variables.
    pub atoms: Atoms,
    /// The proof so far.
    pub log: ProofLog,
    /// What is asserted, and during a check its assumptions.
    pub(crate) claims: Vec<TermId>,
    pub(crate) outbox: Outbox,
    pub(crate) definitions: Definitions,
    pub(crate) buffer: Vec<Lit>,
}

/// In which directions the meaning of an atom matters: bit set of these.
pub(crate) const POSITIVE: u8 = 1;
pub(crate) const NEGATIVE: u8 = 2;

/// Which atoms and terms have got the clauses that define them.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// By variable: directions asked for, and directions done.
    pub wanted: Vec<u8>,
    pub done: Vec<u8>,
    /// Variables that want more than is done.
    pub agenda: Vec<Var>,
    /// Terms that are not Boolean whose definitions have been added.
    pub terms: HashSet<TermId>,
    pub terms_log: Vec<TermId>,
}

impl Shared {
    /// Forgets the atoms from number `atoms` on and the terms defined after
    /// the first `terms`.
    pub(crate) fn truncate(&mut self, atoms: usize, terms: usize) {
        self.atoms.truncate(atoms);
        let definitions = &mut self.definitions;
        definitions.wanted.truncate(atoms);
        definitions.done.truncate(atoms);
        for term in definitions.terms_log.drain(terms..) {
            definitions.terms.remove(&term);
        }
    }

    fn want(&mut self, atom: TermId, directions: u8) -> Var {
        let var = match self.atoms.var(atom) {
            Some(var) => var,
            None => {
                self.definitions.wanted.push(0);
                self.definitions.done.push(0);
                self.atoms.add(atom)
            }
        };
        let wanted = &mut self.definitions.wanted[var.index()];
        if *wanted | directions != *wanted {
            *wanted |= directions;
            self.definitions.agenda.push(var);
        }
        var
    }
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
        self.shared.want(atom, POSITIVE | NEGATIVE).lit(positive)
    }

    /// The literal of a Boolean term whose truth will be used but whose falsity
    /// will not: an occurrence in a clause.
    pub(crate) fn literal_if_true(&mut self, literal: Literal) -> Lit {
        let direction = if literal.positive { POSITIVE } else { NEGATIVE };
        self.shared.want(literal.atom, direction).lit(literal.positive)
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
