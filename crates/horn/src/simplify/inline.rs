//! Resolving relations away, and merging parallel clauses.

use super::{Premise, Simplified, Skeleton, Trail, solve_equalities};
use crate::system::{Clause, RelationId};
use bolide_base::{Budget, HashMap};
use bolide_terms::{TermId, TermStore};

/// No clause with a larger constraint is made.
const SIZE: usize = 3_000;
/// No clause stands for more original clauses.
const NODES: usize = 400;

/// Where relations occur: looking through all clauses for each of them would be quadratic.
#[derive(Default)]
struct Index {
    definitions: HashMap<RelationId, Vec<usize>>,
    uses: HashMap<RelationId, Vec<usize>>,
    /// For each clause whether it was resolved away.
    gone: Vec<bool>,
}

impl Index {
    /// Clauses come in the order of their numbers.
    fn add(&mut self, number: usize, clause: &Clause) {
        self.gone.push(false);
        if let Some(head) = &clause.head {
            self.definitions.entry(head.relation).or_default().push(number);
        }
        for atom in &clause.body {
            let uses = self.uses.entry(atom.relation).or_default();
            if uses.last() != Some(&number) {
                uses.push(number);
            }
        }
    }

    fn alive(&self, numbers: Option<&Vec<usize>>) -> Vec<usize> {
        numbers.into_iter().flatten().copied().filter(|&number| !self.gone[number]).collect()
    }
}

impl Simplified {
    /// Resolves and merges until nothing changes.
    pub(super) fn inline(&mut self, store: &mut TermStore, budget: &Budget) {
        self.merge(store);
        let mut candidates: Vec<RelationId> = self.system.relations.ids().collect();
        loop {
            let mut index = Index::default();
            for (number, clause) in self.system.clauses.iter().enumerate() {
                index.add(number, clause);
            }
            let before = candidates.len();
            candidates.retain(|&relation| {
                budget.poll().is_err() || !self.inline_relation(store, relation, &mut index)
            });
            self.drop_clauses(&index.gone);
            if candidates.len() == before {
                return;
            }
            self.merge(store);
        }
    }

    /// Resolves one relation away if it is worth it. Its clauses are marked as gone.
    fn inline_relation(
        &mut self,
        store: &mut TermStore,
        relation: RelationId,
        index: &mut Index,
    ) -> bool {
        let definitions = index.alive(index.definitions.get(&relation));
        let uses = index.alive(index.uses.get(&relation));
        // Required: no interpolant serves two calls at once, and recursion never ends.
        let is_used_twice = |number: &usize| {
            let calls = self.system.clauses[*number].body.iter();
            calls.filter(|atom| atom.relation == relation).count() > 1
        };
        let is_recursive =
            |number: &usize| self.system.clauses[*number].defines() == Some(relation);
        if self.system.relations[relation].kept
            || uses.iter().any(|number| is_used_twice(number) || is_recursive(number))
        {
            return false;
        }
        let (k, m) = (definitions.len(), uses.len());
        if k == 0 || m == 0 || k * m > k + m {
            return false;
        }
        let most = |numbers: &[usize], measure: &dyn Fn(usize) -> usize| {
            numbers.iter().map(|&number| measure(number)).max().unwrap_or(0)
        };
        let together =
            |measure: &dyn Fn(usize) -> usize| most(&definitions, measure) + most(&uses, measure);
        if together(&|number| store.dag_size(self.system.clauses[number].constraint)) > SIZE
            || together(&|number| self.skeletons[number].size()) > NODES
        {
            return false;
        }
        let mut resolvents = Vec::new();
        for &user in &uses {
            for &definition in &definitions {
                resolvents.push(self.resolve(store, user, relation, definition));
            }
        }
        let gone = [definitions.clone(), uses.clone()].concat();
        let take = |numbers: &[usize]| {
            numbers.iter().map(|&n| self.system.clauses[n].clone()).collect::<Vec<Clause>>()
        };
        let (definitions, uses) = (take(&definitions), take(&uses));
        let mut parameters = HashMap::default();
        for clause in definitions.iter().chain(&uses) {
            for atom in clause.body.iter().chain(&clause.head) {
                let list = &self.system.relations[atom.relation].parameters;
                parameters.entry(atom.relation).or_insert_with(|| list.clone());
            }
        }
        self.trail.push(Trail::Inlined { relation, definitions, uses, parameters });
        for number in gone {
            index.gone[number] = true;
        }
        for (clause, skeleton) in resolvents {
            if clause.constraint != TermId::FALSE {
                index.add(self.system.clauses.len(), &clause);
                self.system.clauses.push(clause);
                self.skeletons.push(skeleton);
            }
        }
        true
    }

    fn resolve(
        &self,
        store: &mut TermStore,
        user: usize,
        relation: RelationId,
        definition: usize,
    ) -> (Clause, Skeleton) {
        // Both are renamed: the resolvents of one clause must not share variables.
        let (outer, _) = self.system.clauses[user].rename_apart(store);
        let (inner, _) = self.system.clauses[definition].rename_apart(store);
        let at =
            outer.body.iter().position(|atom| atom.relation == relation).expect("it is called");
        let head = inner.head.as_ref().expect("a definition has a head");
        let map: HashMap<TermId, TermId> =
            outer.body[at].arguments.iter().copied().zip(head.arguments.iter().copied()).collect();
        let mut body = outer.body.clone();
        body.remove(at);
        let remaining = body.len();
        let mut clause = Clause { body, ..outer.substitute(store, &map) };
        clause.body.extend(inner.body.iter().cloned());
        clause.constraint = store.mk_and(&[clause.constraint, inner.constraint]);
        solve_equalities(store, &mut clause);
        let inner_skeleton =
            self.skeletons[definition].map(&mut |position| Premise::Open(remaining + position));
        let skeleton = self.skeletons[user].map(&mut |position| match position.cmp(&at) {
            std::cmp::Ordering::Less => Premise::Open(position),
            std::cmp::Ordering::Equal => Premise::Derived(Box::new(inner_skeleton.clone())),
            std::cmp::Ordering::Greater => Premise::Open(position - 1),
        });
        (clause, skeleton)
    }

    /// Joins clauses with the same head and the same body relations.
    fn merge(&mut self, store: &mut TermStore) {
        type Key = (Option<RelationId>, Vec<RelationId>);
        let mut groups: HashMap<Key, Vec<usize>> = HashMap::default();
        let mut order: Vec<Key> = Vec::new();
        for (number, clause) in self.system.clauses.iter().enumerate() {
            let calls = clause.body.iter().map(|atom| atom.relation);
            let key = (clause.defines(), calls.collect::<Vec<_>>());
            let group = groups.entry(key.clone()).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push(number);
        }
        let mut gone = vec![false; self.system.clauses.len()];
        for key in order {
            let group = &groups[&key];
            let mut size = 0;
            let mut members: Vec<usize> = Vec::new();
            for &number in group {
                let more = store.dag_size(self.system.clauses[number].constraint);
                if size + more <= SIZE {
                    size += more;
                    members.push(number);
                }
            }
            if members.len() < 2 {
                continue;
            }
            let (clause, skeleton) = self.union(store, &members);
            self.system.clauses[members[0]] = clause;
            self.skeletons[members[0]] = skeleton;
            for &number in &members[1..] {
                gone[number] = true;
            }
        }
        self.drop_clauses(&gone);
    }

    fn union(&self, store: &mut TermStore, members: &[usize]) -> (Clause, Skeleton) {
        let first = self.system.clauses[members[0]].clone();
        let mut head = first.head.clone();
        // Where the heads differ, the argument becomes a variable.
        let mut renamed: Vec<Clause> = Vec::new();
        for &number in members {
            let (clause, _) = self.system.clauses[number].rename_apart(store);
            let mut map = HashMap::default();
            for (mine, theirs) in clause.body.iter().zip(&first.body) {
                map.extend(mine.arguments.iter().copied().zip(theirs.arguments.iter().copied()));
            }
            renamed.push(clause.substitute(store, &map));
        }
        let mut constraints: Vec<Vec<TermId>> =
            renamed.iter().map(|clause| vec![clause.constraint]).collect();
        if let Some(head) = &mut head {
            for (i, argument) in head.arguments.iter_mut().enumerate() {
                let theirs: Vec<TermId> = renamed
                    .iter()
                    .map(|clause| clause.head.as_ref().expect("same heads").arguments[i])
                    .collect();
                if theirs.iter().all(|&other| other == theirs[0]) {
                    *argument = theirs[0];
                    continue;
                }
                let sort = store.sort(theirs[0]);
                let fresh = store.mk_fresh_const("v", sort);
                *argument = fresh;
                for (conjuncts, other) in constraints.iter_mut().zip(theirs) {
                    conjuncts.push(store.mk_eq(fresh, other));
                }
            }
        }
        let cases: Vec<TermId> =
            constraints.iter().map(|conjuncts| store.mk_and(conjuncts)).collect();
        let constraint = store.mk_or(&cases);
        let mut choices = Vec::new();
        for &number in members {
            match &self.skeletons[number] {
                Skeleton::Choice(inner) => choices.extend(inner.iter().cloned()),
                other => choices.push(other.clone()),
            }
        }
        let clause = Clause { head, body: first.body, constraint, line: first.line };
        (clause, Skeleton::Choice(choices))
    }
}
