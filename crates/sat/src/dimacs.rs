//! Clauses as text that every SAT solver reads: the DIMACS format of the competitions.
//!
//! What is written is the problem, not what the search has made of it: clauses that were asserted or that
//! define a variable, and lemmas that theories want kept; learnt clauses stay out. Without a theory it says the same as
//! the problem; with one it is the Boolean skeleton as far as the theory has spoken.

use std::fmt::Write;

use crate::literal::{Lit, Var};
use crate::solver::Solver;

/// Clauses over the variables below a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dimacs {
    /// How many variables there are.
    pub variables: usize,
    /// The clauses, as they stand.
    pub clauses: Vec<Vec<Lit>>,
}

impl Dimacs {
    /// Reads a file; the number of clauses that it announces is not looked at.
    pub fn parse(text: &str) -> Result<Dimacs, String> {
        let mut problem = Dimacs::default();
        let mut clause = Vec::new();
        let lines = text.lines().filter(|line| !line.starts_with('c'));
        for word in lines.take_while(|line| !line.starts_with('%')).flat_map(words) {
            let number: i64 = word.parse().map_err(|_| format!("`{word}` is not a literal"))?;
            let index = usize::try_from(number.unsigned_abs()).map_err(|e| e.to_string())?;
            if index > (u32::MAX / 4) as usize {
                return Err(format!("{word} is too large"));
            }
            problem.variables = problem.variables.max(index);
            match index.checked_sub(1) {
                Some(index) => clause.push(Var::new(index).lit(number > 0)),
                None => problem.clauses.push(std::mem::take(&mut clause)),
            }
        }
        if clause.is_empty() { Ok(problem) } else { Err("the last clause has no end".to_owned()) }
    }
}

/// The literals of a line; of the header only the number of variables would matter, and those that occur suffice.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace().take(if line.starts_with('p') { 0 } else { usize::MAX })
}

impl std::fmt::Display for Dimacs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "p cnf {} {}", self.variables, self.clauses.len())?;
        let mut line = String::new();
        for clause in &self.clauses {
            line.clear();
            for lit in clause {
                let sign = if lit.is_positive() { "" } else { "-" };
                write!(line, "{sign}{} ", lit.var().index() + 1)?;
            }
            writeln!(f, "{line}0")?;
        }
        Ok(())
    }
}

impl Solver {
    /// The problem, with the assumptions as clauses.
    pub fn dimacs(&self, assumptions: &[Lit]) -> Dimacs {
        let asserted = self.units.iter().filter(|unit| !unit.learnt).map(|unit| vec![unit.lit]);
        let long = self.clauses.iter().filter(|&&clause| !self.arena.is_redundant(clause));
        let long = long.map(|&clause| self.arena.lits(clause).to_vec());
        let assumed = assumptions.iter().map(|&lit| vec![lit]);
        // Required: it stands nowhere else, and without it the rest may be satisfiable.
        let empty = self.contradiction.map(|_| Vec::new());
        Dimacs {
            variables: self.variables(),
            clauses: asserted.chain(long).chain(assumed).chain(empty).collect(),
        }
    }
}
