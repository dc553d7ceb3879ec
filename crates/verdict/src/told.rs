//! Annotations in the words of the original program.

use crate::verdict::{FunctionContract, Invariant};
use bolide_base::{HashMap, Span};
use bolide_cfa::analysis::points_to::graph::Place;
use bolide_cfa::analysis::{Flow, Liveness, Loops};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::{AllocKind, FunctionId, LocId, Op, Program, VarId, Variable, VariableKind};
use bolide_reachability::c_expression::{self, Name};
use bolide_reachability::encode::{Slot, Slots};
use bolide_reachability::instances::{in_words, is_about_indices, quantified};
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
                    let conjuncts = self.store.conjuncts(invariant).into_iter();
                    let names = |constant| self.c_name(head, location, constant);
                    let c = |conjunct| c_expression::c_expression(self.store, &names, conjunct);
                    let c: Vec<String> = conjuncts.filter_map(c).collect();
                    (text, if c.is_empty() { "1".to_owned() } else { c.join(" && ") })
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
            true => quantified(self.store, conjunct),
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
        let Slot::Value(explored) = self.slots.slot(slot) else { return None };
        let program = &self.explored.program;
        if !self.liveness.is_live(program, head, explored) {
            return None;
        }
        let scope = Scope::at(self.original, location)?;
        match self.explored.variables[explored] {
            VariableOrigin::Variable(var) => {
                let Variable { name, ty, .. } = &self.original.variables[var];
                scope.shows(var).then(|| Name { text: name.clone(), ty: *ty })
            }
            VariableOrigin::Memory { place, .. } => {
                let Variable { name, ty, .. } = &program.variables[explored];
                Some(Name { text: scope.part(place, name)?, ty: *ty })
            }
            VariableOrigin::Made => None,
        }
    }
}

/// What names mean at a loop of the original program.
struct Scope<'p> {
    program: &'p Program,
    function: FunctionId,
    keyword: Span,
}

impl<'p> Scope<'p> {
    fn at(program: &'p Program, location: LocId) -> Option<Scope<'p>> {
        let at = &program.locations[location];
        Some(Scope { program, function: at.function, keyword: at.loop_keyword? })
    }

    /// Whether the name of a variable means it here.
    fn shows(&self, var: VarId) -> bool {
        let variable = &self.program.variables[var];
        let is_visible = match variable.kind {
            VariableKind::Global => true,
            VariableKind::Local | VariableKind::Parameter => self.encloses(variable),
            _ => false,
        };
        // A suffix marks names that shadow others.
        is_visible
            && !variable.name.contains('#')
            && !self.is_shadowed(&variable.name, variable.scope)
    }

    fn encloses(&self, variable: &Variable) -> bool {
        variable.function == Some(self.function)
            && variable.scope.start <= self.keyword.start
            && self.keyword.end <= variable.scope.end
            && variable.span.start < self.keyword.start
    }

    /// Whether something of another block than this has the name here.
    fn is_shadowed(&self, name: &str, block: Span) -> bool {
        let base = |name: &'_ str| name.split(['#', '.']).next().unwrap_or("").to_owned();
        let wanted = base(name);
        self.program.variables.values().any(|other| {
            other.scope != block
                && self.encloses(other)
                && base(other.name.trim_start_matches('&')) == wanted
        })
    }

    /// The part of an object that was given back its name, `point.x` or `main::n`. An object of the heap has none in C: the
    /// pointer that it is called by may be null, or another one by now.
    fn part(&self, place: Place, name: &str) -> Option<String> {
        let name = match name.rsplit_once("::") {
            Some((function, name)) => {
                let here = &self.program.functions[self.function].name;
                (function.rsplit("::").next() == Some(here)).then_some(name)?
            }
            None => name,
        };
        let base = &name[..name.find(['.', '[']).unwrap_or(name.len())];
        let is_c = |c: char| c.is_alphanumeric() || "_.[]".contains(c);
        if base.is_empty() || !name.chars().all(is_c) {
            return None;
        }
        let is_it = match place {
            Place::Static(object) => {
                let object = &self.program.objects[object];
                let is_before = object.span.start < self.keyword.start;
                object.name == base && is_before && !self.is_shadowed(base, Span::NONE)
            }
            Place::Site(site) => {
                let Op::Alloc { target, kind, .. } = self.program.edges[site].op else {
                    return None;
                };
                let variable = &self.program.variables[target];
                kind != AllocKind::Heap
                    && variable.name.trim_start_matches('&') == base
                    && self.encloses(variable)
                    && !self.is_shadowed(base, variable.scope)
            }
        };
        is_it.then(|| name.to_owned())
    }
}
