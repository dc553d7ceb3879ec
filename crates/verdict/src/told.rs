//! Annotations in the words of the original program.

use crate::verdict::{FunctionContract, Invariant};
use bolide_base::HashMap;
use bolide_cfa::analysis::{Flow, Liveness, Loops};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::{LocId, Program, VariableKind};
use bolide_reachability::c_expression::{self, Name};
use bolide_reachability::encode::{Slot, Slots};
use bolide_reachability::instances::{in_words, is_about_indices};
use bolide_reachability::verdict::Annotation;
use bolide_terms::{TermId, TermStore};

/// Larger invariants are not written out: nobody would read them.
const READABLE: u64 = 5000;

/// What is needed to put an annotation into words.
pub struct Shown<'a> {
    /// The program of the user.
    original: &'a Program,
    /// The program of the annotation.
    explored: &'a Mapped,
    loops: Loops,
    liveness: Liveness,
    slots: Slots,
    /// The terms of the annotation.
    store: &'a TermStore,
}

impl<'a> Shown<'a> {
    /// About an annotation of the explored program.
    pub fn new(original: &'a Program, explored: &'a Mapped, store: &'a mut TermStore) -> Self {
        let program = &explored.program;
        let loops = Loops::new(program, &Flow::new(program));
        let liveness = Liveness::of(program);
        let slots = Slots::new(program, store);
        Shown { original, explored, loops, liveness, slots, store }
    }

    /// The invariants of loop heads. Copies of a loop that inlining made, and
    /// what several contracts say of one, come together again as a disjunction.
    pub fn invariants(&self, annotation: &Annotation) -> Vec<Invariant> {
        let mut found: Vec<Invariant> = Vec::new();
        self.add_invariants(&annotation.invariants, &mut found);
        for contract in &annotation.contracts {
            self.add_invariants(&contract.invariants, &mut found);
        }
        found
    }

    fn add_invariants(&self, invariants: &HashMap<LocId, TermId>, found: &mut Vec<Invariant>) {
        let mut heads: Vec<LocId> =
            invariants.keys().copied().filter(|&l| self.loops.is_head(l)).collect();
        heads.sort_unstable();
        for head in heads {
            let Some(location) = self.explored.locations[head] else { continue };
            let invariant = invariants[&head];
            let (text, c) = match self.text(invariant) {
                None => {
                    let size = self.store.dag_size(invariant);
                    (format!("a formula of {size} terms"), "1".to_owned())
                }
                Some(text) => {
                    let names = |constant| self.c_name(head, location, constant);
                    let conjuncts = c_expression::c_conjuncts(self.store, &names, invariant);
                    let c =
                        if conjuncts.is_empty() { "1".to_owned() } else { conjuncts.join(" && ") };
                    (text, c)
                }
            };
            match found.iter_mut().find(|i| i.location == location) {
                Some(known) if known.text != text => {
                    known.text = format!("({}) or ({text})", known.text);
                    known.c = format!("({}) || ({c})", known.c);
                }
                Some(_) => {}
                None => found.push(Invariant { location, text, c }),
            }
        }
    }

    /// The contracts of functions, as the annotation lists them.
    pub fn contracts(&self, annotation: &Annotation) -> Vec<FunctionContract> {
        let words = |formula| self.text(formula).unwrap_or_else(|| "a large formula".into());
        annotation
            .contracts
            .iter()
            .filter_map(|contract| {
                let function = self.explored.functions[contract.function]?;
                let exit = self.explored.program.functions[contract.function].body?.exit;
                let post = contract.invariants.get(&exit).copied().unwrap_or(TermId::FALSE);
                Some(FunctionContract {
                    function,
                    precondition: words(contract.precondition),
                    postcondition: words(post),
                })
            })
            .collect()
    }

    /// In infix notation, with a quantifier where something is said of all indices; none where that would be
    /// too long to read.
    fn text(&self, formula: TermId) -> Option<String> {
        // Written out, a formula with shared parts may be exponentially large.
        if self.store.tree_size(formula) > READABLE {
            return None;
        }
        if !is_about_indices(self.store, formula) {
            return Some(self.marked(in_words(self.store, formula)));
        }
        let conjuncts = self.store.conjuncts(formula).into_iter();
        let words = conjuncts.map(|conjunct| match is_about_indices(self.store, conjunct) {
            true => format!("(\\forall integer k; {})", in_words(self.store, conjunct)),
            false => in_words(self.store, conjunct),
        });
        Some(self.marked(words.collect::<Vec<_>>().join(" and ")))
    }

    /// Members called `obj` or `off` are told from the parts of a pointer by the mark of a copy.
    fn marked(&self, mut words: String) -> String {
        for id in self.slots.ids() {
            if !matches!(self.slots.slot(id), Slot::Value(_)) {
                continue;
            }
            let name = self.store.infix(self.slots.constant(id));
            if !name.ends_with(".off") && !name.ends_with(".obj") {
                continue;
            }
            let is_end =
                |behind: &str| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let mut places: Vec<usize> =
                words.match_indices(&name).map(|(at, _)| at + name.len()).collect();
            places.retain(|&end| is_end(&words[end..]));
            places.into_iter().rev().for_each(|end| words.insert(end, '\''));
        }
        words
    }

    /// The name of a state constant in the source, where it is visible at the location.
    ///
    /// Required: live variables. The explored program may lack assignments to others.
    fn c_name(&self, head: LocId, location: LocId, constant: TermId) -> Option<Name> {
        let slot = self.slots.of_constant(constant)?;
        let Slot::Value(var) = self.slots.slot(slot) else { return None };
        if !self.liveness.is_live(&self.explored.program, head, var) {
            return None;
        }
        let VariableOrigin::Variable(var) = self.explored.variables[var] else { return None };
        let variable = &self.original.variables[var];
        let place = self.original.locations[location].loop_keyword?;
        let visible = match variable.kind {
            VariableKind::Global => true,
            VariableKind::Local | VariableKind::Parameter => {
                variable.function == Some(self.original.locations[location].function)
                    && variable.scope.start <= place.start
                    && place.end <= variable.scope.end
                    && variable.span.start < place.start
            }
            _ => false,
        };
        // A suffix marks names that are shadowed.
        (visible && !variable.name.contains('#'))
            .then(|| Name { text: variable.name.clone(), ty: variable.ty })
    }
}
