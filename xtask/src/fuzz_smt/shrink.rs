//! Makes a failing problem smaller while it fails in the same way.
//!
//! Delta debugging: leave out commands, then replace terms by their arguments
//! or by the simplest terms of their sort, until nothing more can be done.

use super::judge::{Failure, Judge, SLOW};
use bolide_testing::problem::{Expr, Problem, Step, Ty};

/// So often is a smaller problem tried.
const TRIES: usize = 1500;

pub fn shrink(judge: &mut Judge, problem: &Problem, failure: &Failure) -> Problem {
    // A slow problem costs its time-out at each try.
    let tries = if failure.kind == SLOW { TRIES / 15 } else { TRIES };
    let mut search = Search { judge, kind: failure.kind.clone(), left: tries };
    let mut best = problem.clone();
    loop {
        let before = size(&best);
        search.drop_steps(&mut best);
        search.simplify_terms(&mut best);
        if size(&best) >= before || search.left == 0 {
            return best;
        }
    }
}

fn size(problem: &Problem) -> usize {
    problem.text().len()
}

struct Search<'a> {
    judge: &'a mut Judge,
    kind: String,
    left: usize,
}

impl Search<'_> {
    fn still_fails(&mut self, candidate: &Problem) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let failure = self.judge.try_problem(candidate).failure;
        failure.is_some_and(|f| f.kind == self.kind)
    }

    fn adopt(&mut self, best: &mut Problem, candidate: Problem) -> bool {
        let fails = self.still_fails(&candidate);
        if fails {
            *best = candidate;
        }
        fails
    }

    fn drop_steps(&mut self, best: &mut Problem) {
        if best.parents.is_some() {
            let mut candidate = best.clone();
            candidate.parents = None;
            self.adopt(best, candidate);
        }
        if best.proofs && best.parents.is_none() {
            let mut candidate = best.clone();
            candidate.proofs = false;
            self.adopt(best, candidate);
        }
        let mut index = best.steps.len();
        while index > 0 {
            index -= 1;
            if index >= best.steps.len() {
                continue;
            }
            let mut candidate = best.clone();
            let removed = candidate.steps.remove(index);
            match removed {
                // Scopes go in pairs.
                Step::Push => {
                    if let Some(pop) = matching_pop(&best.steps, index) {
                        candidate.steps.remove(pop - 1);
                    }
                }
                Step::Pop => continue,
                Step::Assert(_) if best.parents.is_some() => {
                    // Assertions are dealt out to partitions by number, so only
                    // whole rounds can go; replace by true instead.
                    candidate = best.clone();
                    candidate.steps[index] = Step::Assert(Expr::leaf("true", Ty::Bool));
                }
                _ => {}
            }
            self.adopt(best, candidate);
        }
    }

    fn simplify_terms(&mut self, best: &mut Problem) {
        for step in 0..best.steps.len() {
            let slots = match &best.steps[step] {
                Step::Assert(_) => 1,
                Step::Check(assumptions) => assumptions.len(),
                _ => 0,
            };
            for slot in 0..slots {
                self.simplify_slot(best, step, slot);
            }
        }
    }

    fn simplify_slot(&mut self, best: &mut Problem, step: usize, slot: usize) {
        let mut path_index = 0;
        while let Some(expr) = term(best, step, slot) {
            let Some(path) = nth_path(expr, path_index) else { return };
            let node = at(expr, &path).clone();
            let mut improved = false;
            for replacement in replacements(&node) {
                let mut candidate = best.clone();
                if let Some(expr) = term_mut(&mut candidate, step, slot) {
                    *at_mut(expr, &path) = replacement;
                }
                if self.adopt(best, candidate) {
                    improved = true;
                    break;
                }
            }
            if !improved {
                path_index += 1;
            }
            if self.left == 0 {
                return;
            }
        }
    }
}

fn matching_pop(steps: &[Step], push: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, step) in steps.iter().enumerate().skip(push) {
        match step {
            Step::Push => depth += 1,
            Step::Pop => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

fn term(problem: &Problem, step: usize, slot: usize) -> Option<&Expr> {
    match problem.steps.get(step)? {
        Step::Assert(e) => Some(e),
        Step::Check(assumptions) => assumptions.get(slot),
        _ => None,
    }
}

fn term_mut(problem: &mut Problem, step: usize, slot: usize) -> Option<&mut Expr> {
    match problem.steps.get_mut(step)? {
        Step::Assert(e) => Some(e),
        Step::Check(assumptions) => assumptions.get_mut(slot),
        _ => None,
    }
}

/// The path to subterm number `n`, counted from the outside.
fn nth_path(expr: &Expr, n: usize) -> Option<Vec<usize>> {
    let mut queue = std::collections::VecDeque::from([(expr, Vec::new())]);
    let mut count = 0;
    while let Some((node, path)) = queue.pop_front() {
        if count == n {
            return Some(path);
        }
        count += 1;
        for (i, arg) in node.args.iter().enumerate() {
            let mut inner = path.clone();
            inner.push(i);
            queue.push_back((arg, inner));
        }
    }
    None
}

fn at<'a>(expr: &'a Expr, path: &[usize]) -> &'a Expr {
    path.iter().fold(expr, |e, &i| &e.args[i])
}

fn at_mut<'a>(expr: &'a mut Expr, path: &[usize]) -> &'a mut Expr {
    path.iter().fold(expr, |e, &i| &mut e.args[i])
}

/// Simpler terms of the same sort.
fn replacements(node: &Expr) -> Vec<Expr> {
    let mut result = Vec::new();
    let simplest: &[&str] = match node.ty {
        Ty::Bool => &["true", "false", "p"],
        Ty::Int => &["0", "x", "1"],
        Ty::Real => &["0.0", "s"],
        Ty::U => &["a"],
        Ty::Bv(3) => &["(_ bv0 3)", "m"],
        Ty::Bv(4) => &["(_ bv0 4)", "j"],
        Ty::Bv(_) => &[],
        Ty::IntArray => &["aa"],
        Ty::Float(3, 4) => &["fa"],
        Ty::Float(..) => &["fd"],
        Ty::Rounding => &["RNE"],
        Ty::BvArray => &["ba"],
        Ty::UArray => &["ua"],
    };
    if !simplest.contains(&node.head.as_str()) {
        result.extend(simplest.iter().map(|s| Expr::leaf(*s, node.ty)));
    }
    result.extend(node.args.iter().filter(|a| a.ty == node.ty).cloned());
    if matches!(node.head.as_str(), "and" | "or" | "+") && node.args.len() > 2 {
        for index in 0..node.args.len() {
            let mut smaller = node.clone();
            smaller.args.remove(index);
            result.push(smaller);
        }
    }
    result
}
