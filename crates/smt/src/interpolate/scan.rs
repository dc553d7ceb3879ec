//! The scan over a proof that gives each of its clauses partial interpolants.

use super::colours::{Colours, Label, Labelling, Side, Sides};
use super::failure::{Found, NoInterpolant};
use super::leaves::Context;
use super::patterns::Patterns;
use super::runs::{Cursor, Runs};
use super::simplify::simplify_with;
use super::tree::PartitionTree;
use super::{arithmetic, equality};
use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap};
use bolide_proof::{Certificate, Literal, Proof, Rule, StepId};
use bolide_terms::{Op, TermId, TermStore};
use std::rc::Rc;

/// What kind of interpolants to make.
#[derive(Clone, Debug)]
pub struct Options {
    /// The labelling system.
    pub labelling: Labelling,
    /// Whether Farkas sums are taken apart into conjunctions; see
    /// `arithmetic`. The interpolants are stronger, but their atoms are simpler
    /// and hold more often elsewhere.
    pub decompose: bool,
    /// Whether to simplify the result (to an equivalent formula).
    pub simplify: bool,
    /// How many terms may be built before giving up.
    pub term_limit: usize,
    /// Polled at every step of the proof.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            labelling: Labelling::default(),
            decompose: false,
            simplify: true,
            term_limit: 1_000_000,
            budget: Budget::default(),
        }
    }
}

/// The interpolants of a sequence of `partitions` formulas: `true`, one for each
/// cut, `false`; one more than there are formulas. Element `i` holds between
/// formula `i - 1` and formula `i`.
pub fn interpolate_sequence(
    store: &mut TermStore,
    proof: &Proof,
    partitions: usize,
    options: &Options,
) -> Result<Vec<TermId>, NoInterpolant> {
    let _work = options.budget.progress().in_solver();
    let tree = PartitionTree::sequence(partitions);
    let cuts = Scan::new(store, proof, &tree, options)?.run(store)?;
    let mut result = Vec::with_capacity(partitions + 1);
    result.push(TermId::TRUE);
    result.extend(cuts);
    result.push(TermId::FALSE);
    Ok(result)
}

/// The interpolants of a tree of formulas, one for each partition; the root's is
/// `false`. `parents[i]` is the parent of partition `i`; the root names itself.
pub fn interpolate_tree(
    store: &mut TermStore,
    proof: &Proof,
    parents: &[usize],
    options: &Options,
) -> Result<Vec<TermId>, NoInterpolant> {
    let _work = options.budget.progress().in_solver();
    let tree = PartitionTree::new(parents)?;
    let cuts = Scan::new(store, proof, &tree, options)?.run(store)?;
    let interpolant = |node: usize| cuts.get(tree.position(node) as usize).copied();
    Ok((0..parents.len()).map(|node| interpolant(node).unwrap_or(TermId::FALSE)).collect())
}

/// One scan over a proof.
struct Scan<'p, 't> {
    proof: &'p Proof,
    options: &'p Options,
    colours: Colours<'t>,
    patterns: Patterns,
    /// For each step, how often it is still needed; zero for what the
    /// conclusion does not rest on.
    uses: Vec<u32>,
    /// The partial interpolants of the steps that are still needed.
    partial: Vec<Option<Rc<Runs<TermId>>>>,
}

impl<'p, 't> Scan<'p, 't> {
    fn new(
        store: &TermStore,
        proof: &'p Proof,
        tree: &'t PartitionTree,
        options: &'p Options,
    ) -> Found<Self> {
        if proof.conclusion() != Some(&[]) {
            return Err(NoInterpolant::new("the proof does not conclude the empty clause"));
        }
        let uses = count_uses(proof);
        let mut assertions = Vec::new();
        for (step, _) in proof.steps.iter().zip(&uses).filter(|(_, uses)| **uses > 0) {
            if let Rule::Assertion { formula, partition } = step.rule {
                if partition as usize >= tree.partitions() {
                    return Err(NoInterpolant::new("an assertion is in no partition of the tree"));
                }
                assertions.push((formula, partition as usize));
            }
        }
        let colours = Colours::new(store, tree, options.labelling, &assertions);
        let patterns = Patterns::new(store.len() + options.term_limit);
        let partial = vec![None; proof.steps.len()];
        Ok(Scan { proof, options, colours, patterns, uses, partial })
    }

    /// The interpolants, one for each cut.
    fn run(mut self, store: &mut TermStore) -> Found<Vec<TermId>> {
        let proof = self.proof;
        for (number, step) in proof.steps.iter().enumerate() {
            if self.uses[number] == 0 {
                continue;
            }
            self.options.budget.poll()?;
            let partial = match &step.rule {
                Rule::Assertion { partition, .. } => {
                    let side = self.side_of_partition(*partition as usize);
                    self.input(store, &step.clause, &side, false)?
                }
                Rule::Tautology(_) => {
                    let atoms = step.clause.iter().map(|literal| literal.atom);
                    let side = self.colours.side_of_clause(store, atoms);
                    self.input(store, &step.clause, &side, true)?
                }
                Rule::Lemma(certificate) => self.lemma(store, &step.clause, certificate)?,
                Rule::Resolution { first, chain } => self.resolve(store, *first, chain)?,
            };
            self.partial[number] = Some(partial);
        }
        let result = self.partial.last_mut().and_then(Option::take).expect("the last step is used");
        self.finish(store, &result)
    }

    /// On which side of each cut the formulas of a partition are.
    fn side_of_partition(&self, partition: usize) -> Runs<Option<Side>> {
        let tree = self.colours.tree();
        let position = tree.position(partition);
        let mut runs = Runs::with_capacity(2);
        if tree.is_sequence() {
            runs.push(position.min(tree.cuts()), Some(Side::B));
            runs.push(tree.cuts(), Some(Side::A));
            return runs;
        }
        for cut in 0..tree.cuts() {
            runs.push(cut + 1, Some(tree.side(position, cut)));
        }
        runs
    }

    /// The partial interpolants of an input clause, or of a valid clause that is
    /// taken for an input of some side.
    fn input(
        &mut self,
        store: &mut TermStore,
        clause: &[Literal],
        side: &Runs<Option<Side>>,
        is_valid: bool,
    ) -> Found<Rc<Runs<TermId>>> {
        let labels = self.labels(store, clause);
        let mut cursors: Vec<_> = labels.iter().map(|runs| Cursor::new(runs)).collect();
        let mut sides = Cursor::new(side);
        let cuts = self.colours.tree().cuts();
        let mut result = Runs::with_capacity(3);
        let mut at = 0;
        while at < cuts {
            let mut end = seek_all(&mut cursors, at, cuts);
            sides.seek(at);
            end = end.min(sides.end());
            let all = |label: Label| cursors.iter().all(|cursor| cursor.value() == label);
            let value = match sides.value() {
                // Nobody wants to read that the bits of a shared sum are its bits: as in a lemma,
                // what is valid is taken for an input of the side that needs to say nothing.
                Some(_) if is_valid && (all(Label::A) || all(Label::B)) => {
                    store.mk_bool(all(Label::B))
                }
                Some(Side::A) => {
                    let shared = pick(clause, &cursors, Label::B);
                    let shared: Vec<TermId> = shared.map(|l| l.term(store)).collect();
                    store.mk_or(&shared)
                }
                Some(Side::B) => {
                    let shared = pick(clause, &cursors, Label::A);
                    let shared: Vec<TermId> = shared.map(|l| (!l).term(store)).collect();
                    store.mk_and(&shared)
                }
                None => {
                    // No side can express it.
                    end = at + 1;
                    let joined = "an instance of an axiom joins terms of both sides";
                    arithmetic::mixed_bound_clause(&mut self.context(store, at), clause)?
                        .ok_or_else(|| NoInterpolant::new(joined))?
                }
            };
            result.push(end, value);
            at = end;
        }
        Ok(Rc::new(result))
    }

    fn context<'a>(&'a mut self, store: &'a mut TermStore, cut: u32) -> Context<'a, 't> {
        Context { store, colours: &mut self.colours, patterns: &mut self.patterns, cut }
    }

    fn labels(&mut self, store: &TermStore, clause: &[Literal]) -> Vec<Rc<Runs<Label>>> {
        clause.iter().map(|literal| self.colours.labels(store, literal.atom)).collect()
    }

    fn lemma(
        &mut self,
        store: &mut TermStore,
        clause: &[Literal],
        certificate: &Certificate,
    ) -> Found<Rc<Runs<TermId>>> {
        let labels = self.labels(store, clause);
        let mut cursors: Vec<_> = labels.iter().map(|runs| Cursor::new(runs)).collect();
        let cuts = self.colours.tree().cuts();
        // Required: all cuts or none.
        let mixed = labels.iter().any(|runs| runs.iter().any(|(_, label)| label == Label::Mixed));
        let decompose = self.options.decompose && !mixed;
        // Prepared when the first cut needs it: most lemmas are on one side of most cuts.
        let mut summands = None;
        let mut closure = None;
        let mut result = Runs::with_capacity(4);
        let mut at = 0;
        while at < cuts {
            let mut end = seek_all(&mut cursors, at, cuts);
            let all = |label: Label| cursors.iter().all(|cursor| cursor.value() == label);
            if all(Label::A) || all(Label::B) {
                result.push(end, store.mk_bool(all(Label::B)));
                at = end;
                continue;
            }
            let certain =
                |cursor: &Cursor<'_, Label>| matches!(cursor.value(), Label::A | Label::B);
            let certain = cursors.iter().all(certain);
            if !certain || decompose {
                end = at + 1;
            }
            let mut cx = self.context(store, at);
            let value = match certificate {
                Certificate::Farkas(factors) => {
                    if summands.is_none() {
                        let constraints = arithmetic::summands(cx.store, clause, factors)?;
                        let running = arithmetic::RunningSum::new(&constraints);
                        summands = Some((constraints, running));
                    }
                    let (summands, running) = summands.as_mut().expect("just set");
                    if decompose {
                        arithmetic::decomposed(&mut cx, summands)?
                    } else if certain {
                        let is_a = |number: usize| cursors[number].value() == Label::A;
                        running.at(cx.store, summands, is_a)
                    } else {
                        arithmetic::farkas(&mut cx, summands)?
                    }
                }
                Certificate::Congruence => {
                    if closure.is_none() {
                        closure = Some(equality::Closure::new(cx.store, clause)?);
                    }
                    let closure = closure.as_ref().expect("just set");
                    end = closure.constant_until(&mut cx, end);
                    equality::congruence(&mut cx, closure, clause)?
                }
            };
            result.push(end, value);
            at = end;
        }
        Ok(Rc::new(result))
    }

    /// The partial interpolants of a chain of resolutions.
    fn resolve(
        &mut self,
        store: &mut TermStore,
        first: StepId,
        chain: &[(Literal, StepId)],
    ) -> Found<Rc<Runs<TermId>>> {
        let mut so_far = self.take(first);
        for &(pivot, step) in chain {
            let other = self.take(step);
            let labels = self.colours.labels(store, pivot.atom);
            so_far = Rc::new(self.resolve_once(store, pivot, &so_far, &other, &labels)?);
        }
        Ok(so_far)
    }

    /// `other` belongs to the clause that contains the pivot, `so_far` to the one
    /// that contains its negation.
    fn resolve_once(
        &mut self,
        store: &mut TermStore,
        pivot: Literal,
        so_far: &Runs<TermId>,
        other: &Runs<TermId>,
        labels: &Runs<Label>,
    ) -> Found<Runs<TermId>> {
        let (positive, negative) = if pivot.positive { (other, so_far) } else { (so_far, other) };
        let (mut p, mut n) = (Cursor::new(positive), Cursor::new(negative));
        let mut label = Cursor::new(labels);
        let cuts = self.colours.tree().cuts();
        let mut result = Runs::with_capacity(4);
        let mut at = 0;
        while at < cuts {
            p.seek(at);
            n.seek(at);
            label.seek(at);
            let end = p.end().min(n.end()).min(label.end());
            let (i, j) = (p.value(), n.value());
            let atom = pivot.atom;
            let value = match label.value() {
                Label::A => store.mk_or(&[i, j]),
                Label::B => store.mk_and(&[i, j]),
                Label::Both if i == j => i,
                Label::Both => {
                    let not_atom = store.mk_not(atom);
                    let left = store.mk_or(&[i, atom]);
                    let right = store.mk_or(&[j, not_atom]);
                    store.mk_and(&[left, right])
                }
                Label::Mixed => match store.op(atom) {
                    Op::Eq => self.patterns.resolve_equality(store, atom, i, j)?,
                    Op::Le | Op::Lt => self.patterns.resolve_inequality(store, atom, i, j)?,
                    _ => return Err(NoInterpolant::new("resolution on a mixed formula")),
                },
            };
            result.push(end, value);
            at = end;
        }
        Ok(result)
    }

    /// The partial interpolants of an earlier step, given up at its last use.
    fn take(&mut self, step: StepId) -> Rc<Runs<TermId>> {
        let number = step.index();
        self.uses[number] -= 1;
        if self.uses[number] == 0 {
            self.partial[number].take().expect("computed before its uses")
        } else {
            self.partial[number].clone().expect("computed before its uses")
        }
    }

    /// Checks the symbols of the interpolants and simplifies them.
    fn finish(mut self, store: &mut TermStore, interpolants: &Runs<TermId>) -> Found<Vec<TermId>> {
        let mut result = Vec::with_capacity(self.colours.tree().cuts() as usize);
        let mut memo = HashMap::default();
        let mut at = 0;
        for (end, interpolant) in interpolants.iter() {
            self.options.budget.poll()?;
            if self.patterns.mentioned_in(store, interpolant) {
                return Err(NoInterpolant::new("an auxiliary variable could not be removed"));
            }
            let sides = self.colours.sides(store, interpolant);
            let simple = if self.options.simplify {
                simplify_with(store, interpolant, &mut memo)
            } else {
                interpolant
            };
            if mentions_witness(store, simple) {
                return Err(NoInterpolant::new("the proof names a place where arrays differ"));
            }
            for cut in at..end {
                // Required: only shared symbols. Constants that the builder folded away
                // may have been the only local ones, so look again before giving up.
                let shared = sides.at(cut) == Sides::SHARED
                    || self.colours.sides_at(store, simple, cut).is_shared();
                if !shared {
                    return Err(NoInterpolant::new("a symbol of one side was left"));
                }
                result.push(simple);
            }
            at = end;
        }
        Ok(result)
    }
}

/// Whether the index at which two arrays differ occurs. Heuristic: projection may say the same
/// without it, and [`one_sided`](super::one_sided) says it in fewer words.
fn mentions_witness(store: &TermStore, formula: TermId) -> bool {
    store.subterms(&[formula]).into_iter().any(|term| store.op(term) == Op::Diff)
}

/// How often each step is used by the steps that the conclusion rests on; one
/// for the conclusion itself.
fn count_uses(proof: &Proof) -> Vec<u32> {
    let mut uses = vec![0u32; proof.steps.len()];
    if let Some(last) = uses.last_mut() {
        *last = 1;
    }
    for (number, step) in proof.steps.iter().enumerate().rev() {
        if uses[number] == 0 {
            continue;
        }
        if let Rule::Resolution { first, chain } = &step.rule {
            uses[first.index()] += 1;
            for (_, antecedent) in chain {
                uses[antecedent.index()] += 1;
            }
        }
    }
    uses
}

/// Moves all cursors to the cut and says how far they are all constant.
fn seek_all<T: Copy>(cursors: &mut [Cursor<'_, T>], at: u32, cuts: u32) -> u32 {
    let mut end = cuts;
    for cursor in cursors {
        cursor.seek(at);
        end = end.min(cursor.end());
    }
    end
}

/// The literals with this label where the cursors stand.
fn pick<'c>(
    clause: &'c [Literal],
    cursors: &'c [Cursor<'_, Label>],
    label: Label,
) -> impl Iterator<Item = Literal> + use<'c> {
    let labelled = clause.iter().zip(cursors.iter().map(Cursor::value).collect::<Vec<_>>());
    labelled.filter(move |(_, own)| *own == label).map(|(literal, _)| *literal)
}
