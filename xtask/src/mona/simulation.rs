//! Whole problems as input for MONA: section 6.3 of the thesis.
//!
//! 1. **Backbone** (6.3.2, [`Backbone`]): a field that is assumed acyclic and free of sharing, or the fields of a
//!    binary tree. With none, every field is derived.
//! 2. **Approximation** ([`preparation`](super::preparation)): what strings and trees cannot say (numbers, reachability
//!    along other fields) becomes membership in a set of which nothing is known, one for each atom up to the object
//!    that the atom is about; what speaks of two bound objects is dropped. Both weaken what is assumed.
//! 3. Writes to derived fields and sets become case distinctions (Figure 6.9), and derived
//!    fields are eliminated ([`Elimination`]).
//! 4. The question is made [smaller](super::simplify) (6.3.4).
//! 5. **Structure simulation** (6.3.3, [`text`](super::text)): positions of a string or a tree are objects.
//!
//! So `unsatisfiable` is right always, and an example is one for certain only when
//! nothing was approximated ([`Simulation::exact`]). Not done: two backbones at once.

use super::backbone::Backbone;
use super::example::Example;
use super::field_constraints::Elimination;
use super::preparation::{Preparation, name_places};
use super::problem::Problem;
use super::simplify::simplify;
use super::text::{Declared, Text};
use bolide_base::HashSet;
use bolide_heap::{FieldId, Formula, Kind};

/// Input for MONA and how to read the answer.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The input.
    pub text: String,
    /// There is no example, as literals contradict each other.
    pub refuted: bool,
    /// Whether an example is one for certain.
    pub exact: bool,
    /// What positions stand for.
    pub backbone: Backbone,
    /// After steps 1 to 3.
    problem: Problem,
    declared: Declared,
}

impl Simulation {
    /// The problem in MONA's language.
    pub fn new(problem: &Problem) -> Simulation {
        let mut problem = problem.clone();
        problem.given = problem.given.iter().flat_map(Formula::conjuncts).collect();
        let backbone = Backbone::find(&mut problem);
        name_places(&mut problem, backbone);
        let mut preparation = Preparation::new(problem, backbone);
        let mut given = Vec::new();
        for formula in preparation.problem.given.clone() {
            given.push(preparation.normal(&formula, false, &mut Vec::new()));
        }
        let Preparation { mut problem, exact, .. } = preparation;
        let derived = (problem.signature.fields.iter())
            .filter(|(f, info)| info.kind == Kind::Object && !backbone.has(*f))
            .map(|(f, _)| f)
            .filter(|f| problem.write_of(*f).is_none())
            .collect::<HashSet<FieldId>>();
        let mut elimination = Elimination::new(&mut problem.signature, derived, &mut given);
        // Constraints are total only as far as the prover sees; an example may break one.
        let exact = exact && elimination.constraints() == 0;
        elimination.eliminate(&mut given);
        problem.given = given;
        simplify(&mut problem);
        let refuted = problem.given.contains(&Formula::False);
        let (text, declared) = Text::new(&problem, backbone).text();
        Simulation { text, refuted, exact, backbone, problem, declared }
    }

    /// Whether MONA has an example.
    ///
    /// # Errors
    /// When the answer is none, or its example does not satisfy what was given.
    pub fn read(&self, answer: &str) -> Result<bool, String> {
        if answer.contains("Formula is unsatisfiable") {
            return Ok(false);
        }
        if !answer.contains("A satisfying example") {
            let first = answer.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
            return Err(format!("no answer from MONA: {first}"));
        }
        let example = Example::read(answer, &self.problem, self.backbone, &self.declared)
            .ok_or("an example of MONA cannot be read")?;
        let violated = self.problem.given.iter().find(|f| example.holds(f) != Some(true));
        if let Some(formula) = violated {
            let shown = self.problem.signature.show(formula);
            return Err(format!("an example of MONA does not satisfy `{shown}`"));
        }
        Ok(true)
    }
}
