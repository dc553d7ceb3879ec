//! Random problems against enumeration: answers, cores, chains, scopes, and a theory that
//! propagates lazily.

use bolide_base::Budget;
use bolide_sat::{
    Actions, Dimacs, FinalCheck, Keep, Lit, NoTheory, Outcome, ProofId, ProofSink, Solver, Theory,
    Var,
};
use bolide_testing::Dice;

fn lit(dice: &mut Dice, vars: usize) -> Lit {
    Var::new(dice.roll(vars)).lit(dice.chance(50))
}

/// At most `limit` of the first `watched` variables are true. Propagates, explains on
/// demand, finds conflicts late, and replays every chain that the search reports.
struct AtMost {
    watched: usize,
    limit: usize,
    assigned: Vec<Lit>,
    levels: Vec<usize>,
    scopes: Vec<usize>,
    clauses: Vec<Vec<Lit>>,
    proofs: bool,
    eager: bool,
    explanations: usize,
}

impl AtMost {
    fn new(watched: usize, limit: usize, proofs: bool, eager: bool) -> Self {
        AtMost {
            watched,
            limit,
            assigned: vec![],
            levels: vec![],
            scopes: vec![],
            clauses: vec![],
            proofs,
            eager,
            explanations: 0,
        }
    }

    fn leaf(&mut self, clause: &[Lit]) -> ProofId {
        if !self.proofs {
            return ProofId::NONE;
        }
        self.clauses.push(clause.to_vec());
        ProofId(self.clauses.len() as u32 - 1)
    }

    fn chosen(&self) -> Vec<Lit> {
        let watched = self.watched;
        self.assigned
            .iter()
            .copied()
            .filter(|l| l.is_positive() && l.var().index() < watched)
            .collect()
    }

    fn conflict(&mut self, actions: &mut Actions<'_>) -> bool {
        let chosen = self.chosen();
        if chosen.len() <= self.limit {
            return false;
        }
        let clause: Vec<Lit> = chosen[..self.limit + 1].iter().map(|&l| !l).collect();
        let proof = self.leaf(&clause);
        actions.clause(&clause, Keep::WhileUseful, proof);
        true
    }
}

impl Theory for AtMost {
    fn assign(&mut self, lit: Lit) {
        self.assigned.push(lit);
    }
    fn push_level(&mut self) {
        self.levels.push(self.assigned.len());
    }
    fn pop_levels(&mut self, count: usize) {
        let kept = self.levels.len() - count;
        self.assigned.truncate(self.levels[kept]);
        self.levels.truncate(kept);
    }
    fn push_scope(&mut self) {
        assert!(self.levels.is_empty());
        self.scopes.push(self.assigned.len());
    }
    fn pop_scopes(&mut self, count: usize, first_retired: usize) {
        let kept = self.scopes.len() - count;
        self.assigned.truncate(self.scopes[kept]);
        assert!(self.assigned.iter().all(|l| l.var().index() < first_retired));
        self.scopes.truncate(kept);
    }
    fn propagate(&mut self, actions: &mut Actions<'_>) {
        if !self.eager || self.conflict(actions) {
            return;
        }
        let chosen = self.chosen();
        if chosen.len() == self.limit {
            for i in 0..self.watched {
                let lit = Var::new(i).lit(false);
                if actions.value(lit).is_none() {
                    actions.propagate(lit, 7);
                }
            }
        }
    }
    fn final_check(&mut self, actions: &mut Actions<'_>) -> FinalCheck {
        if self.conflict(actions) { FinalCheck::Continue } else { FinalCheck::Consistent }
    }
    fn explain(&mut self, lit: Lit, reason: u32, clause: &mut Vec<Lit>) -> ProofId {
        assert_eq!(reason, 7);
        self.explanations += 1;
        clause.push(lit);
        let chosen = self.chosen();
        clause.extend(chosen[..self.limit].iter().map(|&l| !l));
        let clause = clause.clone();
        self.leaf(&clause)
    }
}

impl ProofSink for AtMost {
    fn wants_proof(&self) -> bool {
        self.proofs
    }

    fn resolution(
        &mut self,
        first: ProofId,
        chain: &[(Lit, ProofId)],
        conclusion: &[Lit],
    ) -> ProofId {
        let mut resolvent = self.clauses[first.0 as usize].clone();
        for &(pivot, step) in chain {
            let clause = &self.clauses[step.0 as usize];
            assert!(clause.contains(&pivot), "{pivot:?} in {clause:?}");
            assert!(resolvent.contains(&!pivot), "{:?} in {resolvent:?}", !pivot);
            resolvent.retain(|&l| l != !pivot);
            resolvent.extend(clause.iter().copied().filter(|&l| l != pivot));
        }
        resolvent.sort();
        resolvent.dedup();
        let mut sorted = conclusion.to_vec();
        sorted.sort();
        assert_eq!(resolvent, sorted, "the chain proves exactly its conclusion");
        self.clauses.push(sorted);
        ProofId(self.clauses.len() as u32 - 1)
    }
}

fn enumerate(vars: usize, clauses: &[Vec<Lit>], theory: &AtMost, assumptions: &[Lit]) -> bool {
    (0u32..1 << vars).any(|bits| {
        let holds = |l: &Lit| (bits >> l.var().index() & 1 == 1) == l.is_positive();
        let watched = (bits & ((1 << theory.watched) - 1)).count_ones() as usize;
        watched <= theory.limit
            && assumptions.iter().all(holds)
            && clauses.iter().all(|c| c.iter().any(holds))
    })
}

fn check_answer(
    solver: &mut Solver,
    theory: &mut AtMost,
    vars: usize,
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
) -> bool {
    let expected = enumerate(vars, clauses, theory, assumptions);
    match solver.solve(theory, assumptions, &Budget::unlimited()) {
        Outcome::Sat => {
            assert!(expected, "{clauses:?} {assumptions:?}");
            let holds = |&l: &Lit| solver.value(l) == Some(true);
            assert!(assumptions.iter().all(holds));
            assert!(clauses.iter().all(|c| c.iter().any(holds)));
        }
        Outcome::Unsat => {
            assert!(!expected, "{clauses:?} {assumptions:?}");
            let core = solver.core().to_vec();
            assert!(core.iter().all(|l| assumptions.contains(l)));
            assert!(!enumerate(vars, clauses, theory, &core), "the core suffices");
            if theory.proofs {
                let proof = solver.core_proof();
                if proof.is_some() {
                    let mut clause = theory.clauses[proof.0 as usize].clone();
                    let mut negated: Vec<Lit> = core.iter().map(|&l| !l).collect();
                    clause.sort();
                    clause.dedup();
                    negated.sort();
                    assert_eq!(clause, negated);
                } else {
                    assert!(core.len() == 2 && core[0] == !core[1]);
                }
            }
        }
        Outcome::Unknown(reason) => panic!("{reason:?}"),
    }
    expected
}

#[test]
fn agrees_with_enumeration() {
    let mut explanations = 0;
    let mut unsat = 0;
    for seed in 0..3000u64 {
        let mut dice = Dice::new(seed * 7919 + 1);
        let vars = 4 + dice.roll(7);
        let watched = dice.roll(vars);
        let mut theory = AtMost::new(watched, dice.roll(4), seed % 2 == 0, seed % 3 != 0);
        let mut solver = Solver::new();
        for _ in 0..vars {
            solver.new_var();
        }
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        let mut marks = Vec::new();
        for _ in 0..30 {
            match dice.roll(10) {
                0 => {
                    marks.push(clauses.len());
                    solver.push(&mut theory);
                }
                1 if !marks.is_empty() => {
                    let count = 1 + dice.roll(marks.len());
                    clauses.truncate(marks[marks.len() - count]);
                    marks.truncate(marks.len() - count);
                    solver.pop(&mut theory, count);
                }
                2 | 3 => {
                    let assumptions: Vec<Lit> =
                        (0..dice.roll(4)).map(|_| lit(&mut dice, vars)).collect();
                    check_answer(&mut solver, &mut theory, vars, &clauses, &assumptions);
                }
                _ => {
                    for _ in 0..1 + dice.roll(vars) {
                        let clause: Vec<Lit> =
                            (0..1 + dice.roll(4)).map(|_| lit(&mut dice, vars)).collect();
                        let proof = theory.leaf(&clause);
                        solver.add_clause(&mut theory, &clause, proof);
                        clauses.push(clause);
                    }
                }
            }
        }
        unsat += usize::from(!check_answer(&mut solver, &mut theory, vars, &clauses, &[]));
        explanations += theory.explanations;
    }
    assert!(explanations > 100 && unsat > 100, "{explanations} {unsat}");
}

#[test]
fn pigeons_do_not_fit() {
    let (pigeons, holes) = (7, 6);
    let mut solver = Solver::new();
    let mut theory = AtMost::new(0, 0, true, false);
    let vars: Vec<Var> = (0..pigeons * holes).map(|_| solver.new_var()).collect();
    let at = |p: usize, h: usize| vars[p * holes + h].lit(true);
    for p in 0..pigeons {
        let clause: Vec<Lit> = (0..holes).map(|h| at(p, h)).collect();
        let proof = theory.leaf(&clause);
        solver.add_clause(&mut theory, &clause, proof);
    }
    for h in 0..holes {
        for p in 0..pigeons {
            for q in 0..p {
                let clause = [!at(p, h), !at(q, h)];
                let proof = theory.leaf(&clause);
                solver.add_clause(&mut theory, &clause, proof);
            }
        }
    }
    assert_eq!(solver.solve(&mut theory, &[], &Budget::unlimited()), Outcome::Unsat);
    assert!(theory.clauses[solver.core_proof().0 as usize].is_empty());
}

#[test]
fn scopes_do_not_grow() {
    let mut solver = Solver::new();
    let mut theory = AtMost::new(0, 0, false, false);
    let base: Vec<Var> = (0..20).map(|_| solver.new_var()).collect();
    let mut dice = Dice::new(5);
    let mut sizes = Vec::new();
    for round in 0..3000 {
        solver.push(&mut theory);
        let fresh: Vec<Var> = (0..30).map(|_| solver.new_var()).collect();
        for _ in 0..100 {
            let clause: Vec<Lit> = (0..3)
                .map(|_| {
                    let pool = if dice.roll(2) == 0 { &base } else { &fresh };
                    pool[dice.roll(pool.len())].lit(dice.roll(2) == 0)
                })
                .collect();
            solver.add_clause(&mut theory, &clause, ProofId::NONE);
        }
        solver.solve(&mut theory, &[], &Budget::unlimited());
        solver.pop(&mut theory, 1);
        assert_eq!(solver.variables(), 20);
        if round % 1000 == 999 {
            sizes.push(solver.size().1);
        }
    }
    assert!(sizes.iter().all(|&words| words < 20_000), "{sizes:?}");
}

#[test]
fn reduction_keeps_answers() {
    // Random 3-SAT near the threshold: many conflicts, reductions and compactions; in the last one both moods.
    let mut most = 0;
    for (seed, vars) in [(0, 150), (1, 150), (2, 150), (3, 150), (4, 150), (5, 150), (8, 230)] {
        let mut dice = Dice::new(seed + 99);
        let mut theory = AtMost::new(0, 0, true, false);
        let mut solver = Solver::new();
        for _ in 0..vars {
            solver.new_var();
        }
        let mut clauses = Vec::new();
        for _ in 0..vars * 43 / 10 {
            let clause: Vec<Lit> = (0..3).map(|_| lit(&mut dice, vars)).collect();
            let proof = theory.leaf(&clause);
            solver.add_clause(&mut theory, &clause, proof);
            clauses.push(clause);
        }
        match solver.solve(&mut theory, &[], &Budget::unlimited()) {
            Outcome::Sat => {
                assert!(clauses.iter().all(|c| c.iter().any(|&l| solver.value(l) == Some(true))))
            }
            Outcome::Unsat => {
                assert!(theory.clauses[solver.core_proof().0 as usize].is_empty())
            }
            Outcome::Unknown(reason) => panic!("{reason:?}"),
        }
        most = most.max(solver.statistics().conflicts);
    }
    assert!(most > 20_000, "{most}");
}

#[test]
fn a_stopped_budget_stops_the_search() {
    let budget = Budget::unlimited();
    budget.stop(bolide_base::Exhausted::Time);
    let mut dice = Dice::new(1);
    let mut theory = AtMost::new(0, 0, false, false);
    let mut solver = Solver::new();
    for _ in 0..200 {
        solver.new_var();
    }
    for _ in 0..860 {
        let clause: Vec<Lit> = (0..3).map(|_| lit(&mut dice, 200)).collect();
        solver.add_clause(&mut theory, &clause, ProofId::NONE);
    }
    assert!(matches!(solver.solve(&mut theory, &[], &budget), Outcome::Unknown(_)));
}

#[test]
fn clauses_come_back_from_text() {
    let mut dice = Dice::new(11);
    let mut solver = Solver::new();
    for _ in 0..150 {
        solver.new_var();
    }
    let mut clauses: Vec<Vec<Lit>> = Vec::new();
    for size in (0..600).map(|i| if i < 5 { 1 } else { 3 }) {
        let mut clause: Vec<Lit> = (0..size).map(|_| lit(&mut dice, 150)).collect();
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).all(|pair| pair[0].var() != pair[1].var()) {
            solver.add_clause(&mut NoTheory, &clause, ProofId::NONE);
            clauses.push(clause);
        }
    }
    solver.solve(&mut NoTheory, &[], &Budget::unlimited());
    assert!(solver.statistics().conflicts > 10, "something was learnt, and is not written");
    let assumption = Var::new(7).lit(false);
    let mut written = solver.dimacs(&[assumption]);
    assert_eq!(Dimacs::parse(&format!("c a comment\n{written}")).as_ref(), Ok(&written));
    written.clauses.iter_mut().for_each(|clause| clause.sort_unstable());
    written.clauses.sort();
    clauses.push(vec![assumption]);
    clauses.sort();
    assert_eq!(written.clauses, clauses);
    assert!(Dimacs::parse("p cnf 2 1\n1 2").is_err());
    assert!(Dimacs::parse("p cnf 2 1\n1 x 0").is_err());
}
