//! Arguments that say nothing: constants and what nobody looks at.

use super::{Simplified, Trail};
use crate::system::{Relation, RelationId};
use bolide_base::{HashMap, HashSet};
use bolide_terms::{TermId, TermStore};
use std::collections::VecDeque;

/// What is known of an argument while looking for constants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Value(TermId),
    Several,
}

impl Simplified {
    /// Finds arguments that have the same value in all heads, optimistically: an
    /// argument that is passed on unchanged counts as what it is elsewhere.
    fn known_arguments(&self, store: &TermStore) -> HashMap<(RelationId, usize), Known> {
        let mut known: HashMap<(RelationId, usize), Known> = HashMap::default();
        for (id, relation) in self.system.relations.iter() {
            known.extend((0..relation.parameters.len()).map(|i| ((id, i), Known::Nothing)));
        }
        let clauses = &self.system.clauses;
        let callers = self.system.callers();
        let mut open: VecDeque<usize> = (0..clauses.len()).collect();
        let mut queued = vec![true; clauses.len()];
        while let Some(number) = open.pop_front() {
            queued[number] = false;
            let clause = &clauses[number];
            let Some(head) = &clause.head else { continue };
            // Values of variables that the body makes known.
            let mut values: HashMap<TermId, Known> = HashMap::default();
            for atom in &clause.body {
                for (i, &argument) in atom.arguments.iter().enumerate() {
                    values.insert(argument, known[&(atom.relation, i)]);
                }
            }
            if values.values().any(|&v| v == Known::Nothing) {
                // Not reached by what is known so far.
                continue;
            }
            let mut changed = false;
            for (i, &argument) in head.arguments.iter().enumerate() {
                let value = if store.is_value(argument) {
                    Known::Value(argument)
                } else {
                    match values.get(&argument) {
                        Some(Known::Value(value)) => Known::Value(*value),
                        _ => Known::Several,
                    }
                };
                let slot = known.get_mut(&(head.relation, i)).expect("an argument");
                let joined = match (*slot, value) {
                    (Known::Nothing, v) => v,
                    (a, b) if a == b => a,
                    _ => Known::Several,
                };
                changed |= joined != *slot;
                *slot = joined;
            }
            if changed {
                for &caller in callers.get(&head.relation).into_iter().flatten() {
                    if !std::mem::replace(&mut queued[caller], true) {
                        open.push_back(caller);
                    }
                }
            }
        }
        known
    }

    /// Drops arguments that have the same value in all heads.
    pub(super) fn constant_arguments(&mut self, store: &mut TermStore) {
        let known = self.known_arguments(store);
        let mut found: HashMap<RelationId, Vec<(usize, TermId)>> = HashMap::default();
        for (id, relation) in self.system.relations.iter() {
            for (i, &parameter) in relation.parameters.iter().enumerate() {
                if let Known::Value(value) = known[&(id, i)] {
                    found.entry(id).or_default().push((i, value));
                    self.trail.push(Trail::Constant { relation: id, parameter, value });
                }
            }
        }
        if found.is_empty() {
            return;
        }
        for clause in &mut self.system.clauses {
            let mut map = HashMap::default();
            for atom in &clause.body {
                for &(i, value) in found.get(&atom.relation).into_iter().flatten() {
                    map.insert(atom.arguments[i], value);
                }
            }
            let arguments: Vec<Vec<TermId>> =
                clause.body.iter().map(|atom| atom.arguments.clone()).collect();
            *clause = clause.substitute(store, &map);
            // The arguments themselves are dropped in a moment.
            for (atom, arguments) in clause.body.iter_mut().zip(arguments) {
                atom.arguments = arguments;
            }
        }
        let positions =
            |dropped: Vec<(usize, TermId)>| dropped.into_iter().map(|(i, _)| i).collect();
        let drop = found.into_iter().map(|(id, dropped)| (id, positions(dropped))).collect();
        self.drop_arguments(&drop);
    }

    /// Drops arguments on which no constraint and no query depends.
    pub(super) fn unused_arguments(&mut self, store: &mut TermStore) {
        let mut used: HashSet<(RelationId, usize)> = HashSet::default();
        // For each clause the variables of its constraint.
        let constraints: Vec<HashSet<TermId>> = self
            .system
            .clauses
            .iter()
            .map(|clause| store.constants(clause.constraint).into_iter().collect())
            .collect();
        let definitions = self.system.definitions();
        let mut open: VecDeque<usize> = (0..constraints.len()).collect();
        let mut queued = vec![true; constraints.len()];
        while let Some(number) = open.pop_front() {
            queued[number] = false;
            let clause = &self.system.clauses[number];
            let mut passed: HashSet<TermId> = HashSet::default();
            if let Some(head) = &clause.head {
                for (i, &argument) in head.arguments.iter().enumerate() {
                    if used.contains(&(head.relation, i)) {
                        passed.extend(store.constants(argument));
                    }
                }
            }
            for atom in &clause.body {
                let mut changed = false;
                for (i, argument) in atom.arguments.iter().enumerate() {
                    if constraints[number].contains(argument) || passed.contains(argument) {
                        changed |= used.insert((atom.relation, i));
                    }
                }
                for &definition in definitions.get(&atom.relation).into_iter().flatten() {
                    if changed && !std::mem::replace(&mut queued[definition], true) {
                        open.push_back(definition);
                    }
                }
            }
        }
        let mut drop: HashMap<RelationId, Vec<usize>> = HashMap::default();
        for (id, relation) in self.system.relations.iter() {
            let unused: Vec<usize> =
                (0..relation.parameters.len()).filter(|&i| !used.contains(&(id, i))).collect();
            if !unused.is_empty() {
                drop.insert(id, unused);
            }
        }
        self.drop_arguments(&drop);
    }

    fn drop_arguments(&mut self, drop: &HashMap<RelationId, Vec<usize>>) {
        fn without<T: Clone>(items: &[T], dropped: &[usize]) -> Vec<T> {
            // Sorted, as they are found.
            let kept = items.iter().enumerate().filter(|(i, _)| dropped.binary_search(i).is_err());
            kept.map(|(_, item)| item.clone()).collect()
        }
        if drop.is_empty() {
            return;
        }
        let mut relations = bolide_base::Arena::new();
        for (id, relation) in self.system.relations.iter() {
            let mut relation: Relation = relation.clone();
            if let Some(dropped) = drop.get(&id) {
                relation.parameters = without(&relation.parameters, dropped);
                let kept = self.kept.get_mut(&id).expect("every relation has an entry");
                *kept = without(kept, dropped);
            }
            relations.push(relation);
        }
        self.system.relations = relations;
        for clause in &mut self.system.clauses {
            for atom in clause.body.iter_mut().chain(&mut clause.head) {
                if let Some(dropped) = drop.get(&atom.relation) {
                    atom.arguments = without(&atom.arguments, dropped);
                }
            }
        }
    }
}
