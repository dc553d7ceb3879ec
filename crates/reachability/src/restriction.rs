//! Interpolants of paths in restriction languages: which are taken, and where they must be in the language.
//!
//! What the prover says of a path costs nothing more than its refutation, and mostly holds of all rounds of
//! a loop. Where it leaves the language, or where each longer path brings new atoms to the head of a loop, others are looked for
//! ([`bolide_smt::restricted`]). Only what is said where loops start has to be in the language.

use crate::block::BlockProgram;
use crate::encode::Slot;
use crate::path_formula::{Copies, Ssa};
use crate::prover::{Feasibility, Prover};
use crate::verdict::Reason;
use bolide_base::{HashMap, HashSet, Integer};
use bolide_cfa::{Expr, LocId, Program};
use bolide_smt::restricted::{self, Decided, Joint, Language};
use bolide_smt::vocabulary::Vocabulary;
use bolide_terms::{TermId, TermStore};
use std::collections::BTreeSet;

/// Heuristic: so often something new may be said of a later round.
const PATIENCE: u32 = 3;

/// The language of a program, and what was said in it.
pub struct Restriction {
    vocabulary: Vocabulary,
    copies: Copies,
    /// The atoms that were said at the heads of loops.
    atoms: HashMap<LocId, HashSet<TermId>>,
    /// How often a path that comes to a head more than once brought new atoms to it.
    news: HashMap<LocId, u32>,
    /// Refutations whose interpolants were replaced by some in the language.
    pub replaced: u64,
}

/// A point of a path: its location and the copies that are current there.
pub type Point<'a> = (LocId, &'a Ssa);

impl Restriction {
    /// The first language of a program.
    pub fn new(program: &Program) -> Restriction {
        Restriction {
            vocabulary: Vocabulary::new(Language::of(numbers(program))),
            copies: Copies::default(),
            atoms: HashMap::default(),
            news: HashMap::default(),
            replaced: 0,
        }
    }

    /// The language.
    pub fn language(&self) -> &Language {
        self.vocabulary.language()
    }

    /// Goes on to the next larger language.
    pub fn raise(&mut self) {
        self.vocabulary.raise();
    }

    /// Interpolants of a path in the language, where there are some: those given, or others. `points` are where the formulas
    /// end.
    pub fn interpolants(
        &mut self,
        program: &BlockProgram<'_>,
        (store, prover): (&mut TermStore, &mut Prover),
        points: &[Point<'_>],
        formulas: &[TermId],
        given: &[TermId],
    ) -> Result<Option<Vec<TermId>>, Reason> {
        let inner = 1..given.len();
        let heads: Vec<usize> = inner.filter(|&at| program.is_loop_head(points[at].0)).collect();
        if heads.is_empty() || !self.language().restricts() {
            return Ok(Some(given.to_vec()));
        }
        let mentioned: BTreeSet<TermId> =
            formulas.iter().flat_map(|&f| store.constants(f)).collect();
        let mut joints = vec![None; formulas.len() - 1];
        let mut facts = Vec::new();
        for &at in &heads {
            let joint = self.joint(program, store, points[at], &mentioned);
            let back = joint.copies.iter().map(|(&constant, &copy)| (copy, constant)).collect();
            facts.push((points[at].0, store.substitute(given[at], &back)));
            joints[at] = Some(joint);
        }
        let allowed = facts.iter().all(|&(_, fact)| self.language().contains(store, fact));
        if !self.is_counting(store, &facts) && allowed {
            return Ok(Some(given.to_vec()));
        }
        let decide = |store: &mut TermStore, formulas: &[TermId]| match prover
            .feasibility(store, formulas)
        {
            Ok(Feasibility::Infeasible(found)) => Ok(Decided::Refuted(found)),
            Ok(Feasibility::Feasible(model)) => Ok(Decided::Model(*model)),
            Err(Reason::Solver(_)) => Ok(Decided::Open),
            Err(other) => Err(other),
        };
        let facts: Vec<TermId> = facts.into_iter().map(|(_, fact)| fact).collect();
        let words = &mut self.vocabulary;
        let found = restricted::of_path(store, words, formulas, &joints, &facts, decide)?;
        self.replaced += u64::from(found.is_some());
        Ok(found.or_else(|| allowed.then(|| given.to_vec())))
    }

    /// What may be said at a point of a path that mentions these constants: of the variables that matter there.
    fn joint(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        (location, ssa): Point<'_>,
        mentioned: &BTreeSet<TermId>,
    ) -> Joint {
        let mut joint = Joint::default();
        for slot in program.slots.ids().filter(|&slot| program.matters(slot, location)) {
            let constant = program.slots.constant(slot);
            let copy = self.copies.at(store, &program.slots, ssa, constant);
            joint.copies.insert(constant, copy);
            if mentioned.contains(&copy) && matches!(program.slots.slot(slot), Slot::Value(_)) {
                joint.variables.push(constant);
            }
        }
        joint
    }

    /// Takes note of the facts at the heads of a path; whether they seem to count the rounds of a loop.
    fn is_counting(&mut self, store: &TermStore, facts: &[(LocId, TermId)]) -> bool {
        let mut said: HashMap<LocId, (u32, bool)> = HashMap::default();
        for &(head, fact) in facts {
            let known = self.atoms.entry(head).or_default();
            let (rounds, new) = said.entry(head).or_default();
            *rounds += u32::from(fact != TermId::TRUE && fact != TermId::FALSE);
            for atom in store.atoms(fact) {
                *new |= known.insert(atom);
            }
        }
        let mut counting = false;
        for (head, (rounds, new)) in said {
            if new && rounds > 1 {
                let news = self.news.entry(head).or_default();
                *news += 1;
                counting |= *news > PATIENCE;
            }
        }
        counting
    }
}

/// The numbers that a program mentions.
fn numbers(program: &Program) -> Vec<Integer> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut numbers = Vec::new();
    for edge in program.edges.values() {
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            if let Expr::Int { bits, ty } = program.exprs.get(id)
                && ty.bits < 128
            {
                numbers.push(Integer::from(ty.value(*bits)));
            }
        }
    }
    numbers
}
