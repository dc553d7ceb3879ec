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
//! What is asked about is not said to MONA: it is evaluated on the [example](super::example) that it gives, so that
//! automata need not follow the truth of twenty predicates at once.
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
    ///
    /// # Errors
    /// When what is asked has quantifiers.
    pub fn new(problem: &Problem) -> Result<Simulation, String> {
        if problem.asked.iter().any(Formula::is_quantified) {
            return Err("a quantified formula is asked about".into());
        }
        let mut problem = problem.clone();
        problem.given = problem.given.iter().flat_map(Formula::conjuncts).collect();
        let backbone = Backbone::find(&mut problem);
        name_places(&mut problem, backbone);
        let mut preparation = Preparation::new(problem, backbone);
        let mut given = Vec::new();
        for formula in preparation.problem.given.clone() {
            given.push(preparation.normal(&formula, false, &mut Vec::new()));
        }
        let mut asked = Vec::new();
        for formula in preparation.problem.asked.clone() {
            asked.push(preparation.normal(&formula, false, &mut Vec::new()));
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
        elimination.eliminate(&mut given, &mut asked);
        problem.given = given;
        problem.asked = asked;
        simplify(&mut problem);
        let refuted = problem.given.contains(&Formula::False);
        let (text, declared) = Text::new(&problem, backbone).text();
        Ok(Simulation { text, refuted, exact, backbone, problem, declared })
    }

    /// The truth values of what was asked in MONA's example; none when there is no example.
    ///
    /// When the problem is [about](Problem::about) an object, the example is read once for each object that
    /// satisfies what is given of that one: the values that come up, MONA's own first.
    ///
    /// # Errors
    /// When the answer is none, or its example does not satisfy what was given.
    pub fn read(&self, answer: &str) -> Result<Option<Vec<Vec<bool>>>, String> {
        if answer.contains("Formula is unsatisfiable") {
            return Ok(None);
        }
        if !answer.contains("A satisfying example") {
            let first = answer.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
            return Err(format!("no answer from MONA: {first}"));
        }
        let mut example = Example::read(answer, &self.problem, self.backbone, &self.declared)
            .ok_or("an example of MONA cannot be read")?;
        if let Some(formula) = self.violated(&example) {
            let shown = self.problem.signature.show(formula);
            return Err(format!("an example of MONA does not satisfy `{shown}`"));
        }
        let mut found = vec![self.truths(&example).ok_or("an example of MONA lacks a name")?];
        if let Some(symbol) = self.problem.about {
            for object in 0..example.objects() {
                if example.set(symbol, object)
                    && self.violated(&example).is_none()
                    && let Some(truths) = self.truths(&example)
                    && !found.contains(&truths)
                {
                    found.push(truths);
                }
            }
        }
        Ok(Some(found))
    }

    fn violated(&self, example: &Example) -> Option<&Formula> {
        self.problem.given.iter().find(|formula| example.holds(formula) != Some(true))
    }

    fn truths(&self, example: &Example) -> Option<Vec<bool>> {
        self.problem.asked.iter().map(|formula| example.holds(formula)).collect()
    }
}
