//! Boolean heaps as drawings.
//!
//! One drawing for each heap of each cut point: a box for every abstract object
//! with the domain predicates that hold of it, a small box for every pointer
//! variable with an arrow to the objects that it may be, dashed arrows along reachability
//! (`next*`), and a box with what is known of the state as a whole.

use super::abstraction::diagrams::ObjectSet;
use super::analysis::{AbstractCounterexample, Analysis};
use crate::picture::{self, DIAGRAMS, Picture, VERTICES};
use bolide_cfa::render::diagram::{ArrowKind, Diagram, VertexKind};
use bolide_cfa::{LocId, Program};
use bolide_heap::{Formula, Symbol, Term};
use bolide_verdict::certificate::{ObjectBits, Predicates, StateBits};
use std::collections::BTreeMap;

impl Analysis<'_> {
    /// Draws the heaps, and counts the predicates of each location.
    pub(super) fn draw(&self, program: &Program, picture: &mut Picture) {
        for &cut in &self.abstraction.control.cuts {
            let Some(predicates) = self.abstraction.tracked.predicates.get(&cut) else { continue };
            // Places that only a contract brings in have nothing to show.
            if program.locations.get(cut).is_none() {
                continue;
            }
            picture.count(program, cut, predicates.state.len() + predicates.domain.len());
            let Some(state) = self.abstraction.reached.states.get(&cut) else { continue };
            let count = state.heaps.len();
            for (number, (&bits, &objects)) in state.heaps.iter().enumerate() {
                if picture.diagrams.len() >= DIAGRAMS {
                    break;
                }
                let name =
                    format!("heap {} of {count} at {}", number + 1, picture::title(program, cut));
                let diagram = self.heap(program, cut, name, predicates, bits, objects);
                picture.diagrams.push(diagram);
            }
        }
    }

    /// Draws the heaps of an abstract counterexample, one before each part of its path.
    pub(super) fn draw_counterexample(
        &self,
        program: &Program,
        counterexample: &AbstractCounterexample,
        picture: &mut Picture,
    ) {
        let count = counterexample.heaps.len();
        for (number, &(cut, bits)) in counterexample.heaps.iter().enumerate() {
            if picture.diagrams.len() >= DIAGRAMS {
                break;
            }
            let Some(bits) = bits.filter(|_| program.locations.get(cut).is_some()) else {
                continue;
            };
            let predicates = self.abstraction.tracked.predicates.get(&cut);
            let objects =
                self.abstraction.reached.states.get(&cut).and_then(|state| state.heaps.get(&bits));
            if let (Some(predicates), Some(&objects)) = (predicates, objects) {
                let place = picture::title(program, cut);
                let name = format!("heap before part {} of {count}, at {place}", number + 1);
                let diagram = self.heap(program, cut, name, predicates, bits, objects);
                picture.diagrams.push(diagram);
            }
        }
    }

    fn heap(
        &self,
        program: &Program,
        cut: LocId,
        name: String,
        predicates: &Predicates,
        bits: StateBits,
        objects: ObjectSet,
    ) -> Diagram {
        let signature = &self.abstraction.view.signature;
        let bound = self.abstraction.view.bound;
        let mut diagram = Diagram { name, ..Diagram::default() };
        let known = predicates.state.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        let mut lines = vec!["state".to_owned()];
        lines.extend(known.map(|(_, p)| signature.show(p)));
        diagram.add_at(picture::place(program, cut), VertexKind::Head, lines);
        // Pointer variables first: arrows lead from them to objects.
        let pointers: Vec<Symbol> =
            predicates.domain.iter().filter_map(|p| pointer(p, bound)).collect();
        let mut boxes: BTreeMap<Symbol, usize> = BTreeMap::new();
        for &pointer in &pointers {
            let name = signature.variables[pointer].name.clone();
            boxes.entry(pointer).or_insert_with(|| diagram.add(VertexKind::Marked, vec![name]));
        }
        let width = predicates.domain.len();
        let count = self.abstraction.diagrams.count(objects, width);
        diagram.omitted = usize::try_from(count).unwrap_or(usize::MAX).saturating_sub(VERTICES);
        let mut places: Vec<(usize, ObjectBits)> = Vec::new();
        for object in self.abstraction.diagrams.objects(objects, width, VERTICES) {
            let holds = |i: usize| object >> i & 1 == 1;
            let facts: Vec<&Formula> = predicates
                .domain
                .iter()
                .enumerate()
                .filter(|(i, _)| holds(*i))
                .map(|(_, p)| p)
                .collect();
            let null = facts.iter().any(|p| is_null(p, bound));
            let shown = facts.iter().filter(|p| pointer(p, bound).is_none() && !is_null(p, bound));
            let shown: Vec<String> = shown.map(|p| signature.show(p)).collect();
            let title = match (null, shown.is_empty()) {
                (true, _) => "null",
                (false, true) => "other objects",
                (false, false) => "objects with",
            };
            let mut lines = vec![title.to_owned()];
            lines.extend(shown);
            let kind = if null { VertexKind::Covered } else { VertexKind::Plain };
            let here = diagram.add(kind, lines);
            for fact in &facts {
                if let Some(from) = pointer(fact, bound).and_then(|p| boxes.get(&p)) {
                    diagram.connect(*from, here, ArrowKind::Step, String::new());
                }
            }
            places.push((here, object));
        }
        for &(here, object) in &places {
            for (i, predicate) in predicates.domain.iter().enumerate() {
                let Formula::Btwn(field, Term::Var(from), Term::Var(to), _) = predicate else {
                    continue;
                };
                let Some(&from) = boxes.get(from) else { continue };
                let at_pointer = diagram.arrows.iter().any(|a| a.from == from && a.to == here);
                if *to == bound && object >> i & 1 == 1 && !at_pointer {
                    let label = format!("{}*", signature.fields[*field].name);
                    diagram.connect(from, here, ArrowKind::Cover, label);
                }
            }
        }
        diagram
    }
}

/// The variable that a predicate says the object is.
fn pointer(predicate: &Formula, bound: Symbol) -> Option<Symbol> {
    match predicate {
        Formula::Eq(Term::Var(a), Term::Var(b)) if *a == bound => Some(*b),
        Formula::Eq(Term::Var(a), Term::Var(b)) if *b == bound => Some(*a),
        _ => None,
    }
}

fn is_null(predicate: &Formula, bound: Symbol) -> bool {
    let bound = Term::Var(bound);
    matches!(predicate, Formula::Eq(a, Term::Null) | Formula::Eq(Term::Null, a) if *a == bound)
}
