//! The abstract post operator, and the refutations that certify it.
//!
//! For one Boolean heap and one path: assume the heap, execute the path, let
//! `v` be any object of the poststate, and ask for the truth values of the predicates
//! there. Every answer that the abstract state at the end lacks is added; when
//! none is left, the prover has refuted that there is one. So a post that adds nothing costs
//! one query, and that query is what the audit repeats with a proof.
//!
//! This is `post_kappa` of section 3.4.1 with the full context: more precise
//! than its Cartesian abstraction (3.4.2), which decides one predicate at a time and
//! needs the second refinement phase of chapter 4 to make good for it. Quantifiers of the
//! context are instantiated at the ground terms of the query, singletons among
//! them (6.2.1).

use super::aliases::Aliases;
use super::diagrams::Diagrams;
use super::execute::{Execution, needed, symbols};
use super::heaps::{AbstractState, Cube, Predicates, StateBits, all_bits};
use super::view::{Command, View};
use bolide_base::{Budget, HashSet};
use bolide_heap::{Certainty, FieldId, Formula, Kind, Mona, Session, Symbol, Undecided};
use bolide_terms::TermId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Abstract objects that one post may add before it gives up.
const OBJECTS: usize = 4000;

/// What a query is about.
pub struct Query<'a> {
    /// The program.
    pub view: &'a View,
    /// Sets of objects.
    pub diagrams: &'a Diagrams,
    /// Fields along which reachability is asked about.
    pub reach: &'a [FieldId],
    /// What holds at the start.
    pub before: &'a Formula,
    /// Copies that equal their originals at the start.
    pub aliases: &'a Aliases,
    /// What is done.
    pub commands: Vec<Command>,
    /// Whether refutations are to be proved.
    pub proofs: bool,
    /// Decides what needs no proof.
    pub mona: Option<&'a Mona>,
    /// Predicates about the state with the truth values that they have at the start.
    pub known: Vec<(&'a Formula, bool)>,
}

impl<'a> Query<'a> {
    /// The same question of other states.
    pub fn from<'b>(&'b self, before: &'b Formula) -> Query<'b> {
        Query {
            view: self.view,
            diagrams: self.diagrams,
            reach: self.reach,
            before,
            aliases: self.aliases,
            commands: self.commands.clone(),
            proofs: self.proofs,
            mona: self.mona,
            known: Vec::new(),
        }
    }

    /// The session that decides: MONA where it is wanted, but not where there are to be proofs.
    fn session(&self) -> Session {
        match self.mona {
            Some(mona) if !self.proofs => Session::with_mona(mona.clone()),
            _ => Session::new(self.proofs),
        }
    }

    /// The same question for the prover, which knows numbers: the thesis has another prover beside MONA for
    /// order on data.
    fn without_mona(&self) -> Query<'_> {
        Query { mona: None, ..self.from(self.before) }
    }

    fn execute(&self, after: &[&Formula]) -> Execution<'a> {
        let mut execution = self.start(after, self.session());
        execution.run(&self.commands);
        execution
    }

    fn start(&self, after: &[&Formula], session: Session) -> Execution<'a> {
        let mut execution = self.anywhere(after, session);
        execution.assume(self.before);
        execution
    }

    /// A state of which nothing is assumed yet.
    fn anywhere(&self, after: &[&Formula], session: Session) -> Execution<'a> {
        let mut wanted: HashSet<Symbol> = HashSet::default();
        for formula in after {
            symbols(formula, &mut wanted);
        }
        wanted.remove(&self.view.bound);
        let mut wanted = needed(&self.commands, wanted);
        symbols(self.before, &mut wanted);
        wanted.remove(&self.view.bound);
        let originals = self.aliases.symbols.iter().filter(|(copy, _)| wanted.contains(copy));
        let originals: Vec<Symbol> = originals.map(|(_, now)| *now).collect();
        wanted.extend(originals);
        let (view, aliases) = (self.view, self.aliases);
        Execution::new(view, self.reach, &wanted, aliases, session)
    }

    /// Whether the path cannot be executed, or leads to where the goal holds, from states in which all the parts of
    /// `before` hold. Gives the numbers of those parts that suffice; none when it is not so or not decided.
    pub fn refuted(
        &self,
        parts: &[Formula],
        goal: Option<&Formula>,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        let mut execution = self.anywhere(goal.as_slice(), Session::new(false));
        let mut terms = Vec::new();
        for part in parts {
            let state = Rc::clone(&execution.state);
            terms.push(if part.is_quantified() {
                let guard = execution.session.guard();
                execution.session.assume_if(guard, &state, part);
                guard
            } else {
                execution.session.ground(&state, part)
            });
        }
        execution.run(&self.commands);
        if let Some(goal) = goal {
            execution.assume(&goal.clone().negate());
        }
        let answer = execution.session.check_assuming(&terms, budget);
        let needed = match answer {
            Ok(None) => {
                let core = execution.session.core(budget);
                let needed = terms.iter().enumerate().filter(|(_, t)| core.contains(t));
                Ok(Some(needed.map(|(number, _)| number).collect()))
            }
            Ok(Some(_)) => Ok(None),
            // What is asked of the state alone must be decided; what is guessed need not be.
            Err(Undecided::Prover(_)) if goal.is_some() => Ok(None),
            Err(why) => Err(why),
        };
        count.add(&execution);
        needed
    }

    /// Of a path that cannot be executed: the numbers of commands whose
    /// conditions suffice for that. None when the prover does not see it.
    pub fn conflict(
        &self,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        let mut execution = self.start(&[], Session::new(false));
        let asked = execution.run_asking(&self.commands);
        let assumptions: Vec<TermId> = asked.iter().map(|(_, term)| *term).collect();
        let answer = execution.session.check_assuming(&assumptions, budget);
        count.add(&execution);
        Ok(match answer {
            Ok(None) => {
                let core = execution.session.core(budget);
                let needed = asked.into_iter().filter(|(_, term)| core.contains(term));
                Some(needed.map(|(number, _)| number).collect())
            }
            Ok(Some(_)) | Err(Undecided::Prover(_)) => None,
            Err(why) => return Err(why),
        })
    }

    /// Whether the path can be executed.
    pub fn feasible(&self, count: &mut Count, budget: &Budget) -> Result<bool, Undecided> {
        let mut execution = self.execute(&[]);
        let answer = execution.session.asked(&[], None, budget);
        count.add(&execution);
        let feasible = answer?.is_some();
        if feasible && execution.session.lacks_numbers() {
            return self.without_mona().feasible(count, budget);
        }
        Ok(feasible)
    }

    /// Values of what may have any value, of a run along the path, and whether there is one for certain; none
    /// when there is no run.
    #[allow(clippy::type_complexity)]
    pub fn run(
        &self,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Option<(Vec<Option<i128>>, Certainty)>, Undecided> {
        // Values are for the interpreter: always from the prover, which makes models.
        let mut execution = self.start(&[], Session::new(false));
        execution.run(&self.commands);
        let answer = execution.session.check(budget);
        count.add(&execution);
        let certainty = execution.session.certainty();
        Ok(answer?.map(|model| (execution.chosen_values(&model), certainty)))
    }

    /// The truth value that a predicate has before and after the path, if
    /// the path does not change anything that it speaks of.
    fn unchanged(&self, predicate: &Formula) -> Option<bool> {
        let (_, value) = self.known.iter().find(|(known, _)| *known == predicate)?;
        let mut used = HashSet::default();
        symbols(predicate, &mut used);
        let fields = predicate.fields();
        let touched = self.commands.iter().any(|command| match command {
            Command::Assume(_) => false,
            Command::Assign(s, _) | Command::Havoc(s, _) | Command::New(s) => used.contains(s),
            Command::Write(f, ..)
            | Command::Mark(f, ..)
            | Command::Snapshot(f, _)
            | Command::Forget(f) => fields.contains(f),
        });
        (!touched).then_some(*value)
    }

    /// Whether a formula holds after the path; no, when that is not decided.
    pub fn entails(
        &self,
        formula: &Formula,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<bool, Undecided> {
        let mut execution = self.execute(&[formula]);
        execution.assume(&formula.clone().negate());
        let answer = execution.session.asked(&[], None, budget);
        count.add(&execution);
        match answer {
            Ok(Some(_)) if execution.session.lacks_numbers() => {
                self.without_mona().entails(formula, count, budget)
            }
            Ok(state) => Ok(state.is_none()),
            Err(Undecided::Prover(_)) => Ok(false),
            Err(why) => Err(why),
        }
    }

    /// Adds to `after` what the path leads to; the heaps that grew.
    ///
    /// `failed` are the numbers of quantified predicates that did not follow before: what
    /// is not entailed by a heap is not by a larger one (6.2.3 of the thesis, along the order of contexts).
    /// Nothing rests on this: their bits claim nothing. `entails` says whether one follows.
    pub fn post(
        &self,
        predicates: &Predicates,
        after: &mut AbstractState,
        failed: &mut BTreeSet<usize>,
        entails: &mut dyn FnMut(&Formula, &mut Count) -> Result<bool, Undecided>,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Vec<StateBits>, Undecided> {
        let mut decided = Vec::new();
        for (number, formula) in predicates.state.iter().enumerate() {
            decided.push(match self.unchanged(formula) {
                None if !formula.is_quantified() => None,
                None if failed.contains(&number) => Some(false),
                None => {
                    let holds = entails(formula, count)?;
                    if !holds {
                        failed.insert(number);
                    }
                    Some(holds)
                }
                known => known,
            });
        }
        let Asking { mut execution, v, about_state, about_object } =
            self.asking(predicates, &decided);
        let mut prover: Option<Asking<'_>> = None;
        let known: Vec<(StateBits, Vec<Cube>)> = after
            .heaps
            .iter()
            .map(|(&bits, &objects)| (bits, self.diagrams.cover(objects, objects)))
            .collect();
        let exclude = |execution: &mut Execution<'_>, state: StateBits, cube: Cube| {
            let store = &mut execution.session.store;
            let mut clause = Vec::new();
            let all = Cube { mask: all_bits(about_state.len()), bits: state };
            for (list, cube) in [(&about_state, all), (&about_object, cube)] {
                for (i, &term) in list.iter().enumerate() {
                    if cube.mask >> i & 1 == 1 {
                        let holds = cube.bits >> i & 1 == 1;
                        clause.push(if holds { store.mk_not(term) } else { term });
                    }
                }
            }
            let clause = store.mk_or(&clause);
            execution.session.assert(clause);
        };
        for (bits, cubes) in known {
            for cube in cubes {
                exclude(&mut execution, bits, cube);
            }
        }
        let asked: Vec<TermId> = about_state.iter().chain(&about_object).copied().collect();
        let mut grown = Vec::new();
        let mut outcome = Ok(());
        for found in 0.. {
            if found > OBJECTS {
                outcome = Err(Undecided::Prover("too many abstract objects".into()));
                break;
            }
            let all = match execution.session.asked(&asked, Some(v), budget) {
                Ok(Some(all)) => all,
                Ok(None) => break,
                Err(why) => {
                    outcome = Err(why);
                    break;
                }
            };
            let bits = |truths: &[bool]| -> u64 {
                let true_ones = truths.iter().enumerate().filter(|(_, holds)| **holds);
                true_ones.map(|(i, _)| 1u64 << i).sum()
            };
            for truths in all {
                if execution.session.lacks_numbers() {
                    let alone = || self.without_mona().asking(predicates, &decided);
                    let prover = prover.get_or_insert_with(alone);
                    if let Some(needed) = prover.refutes(&truths, budget)? {
                        let store = &mut execution.session.store;
                        let differs = |&n: &usize| match truths[n] {
                            true => store.mk_not(asked[n]),
                            false => asked[n],
                        };
                        let clause: Vec<TermId> = needed.iter().map(differs).collect();
                        let clause = store.mk_or(&clause);
                        execution.session.assert(clause);
                        continue;
                    }
                }
                let (about_state, about_object) = truths.split_at(about_state.len());
                let (state, object) = (bits(about_state), bits(about_object));
                let cube = Cube { mask: all_bits(about_object.len()), bits: object };
                after.insert(self.diagrams, state, self.diagrams.cube(cube));
                grown.push(state);
                exclude(&mut execution, state, cube);
            }
        }
        count.add(&execution);
        if let Some(prover) = prover {
            count.add(&prover.execution);
        }
        outcome?;
        grown.sort_unstable();
        grown.dedup();
        Ok(grown)
    }
}

/// A path that was executed, an object of its end, and the predicates there.
struct Asking<'a> {
    execution: Execution<'a>,
    v: TermId,
    about_state: Vec<TermId>,
    about_object: Vec<TermId>,
}

impl<'a> Query<'a> {
    /// Executes the path; `decided` are the truth values that predicates about the state are known to have.
    fn asking(&self, predicates: &Predicates, decided: &[Option<bool>]) -> Asking<'a> {
        let open = predicates.state.iter().zip(decided).filter(|(_, d)| d.is_none());
        let all: Vec<&Formula> = open.map(|(f, _)| f).chain(&predicates.domain).collect();
        let mut execution = self.execute(&all);
        let v = execution.session.constant("v", Kind::Object);
        let bound = [(self.view.bound, v)];
        let state = Rc::clone(&execution.state);
        let mut truth = |formula: &Formula, value: Option<bool>| match value {
            Some(value) => execution.session.store.mk_bool(value),
            None => execution.session.define(&state, &bound, formula),
        };
        let about_state: Vec<TermId> =
            predicates.state.iter().zip(decided).map(|(f, d)| truth(f, *d)).collect();
        let about_object: Vec<TermId> = predicates.domain.iter().map(|f| truth(f, None)).collect();
        Asking { execution, v, about_state, about_object }
    }
}

impl Asking<'_> {
    /// The numbers of predicates that cannot have these values together; none when all can, or
    /// that is not decided.
    fn refutes(
        &mut self,
        truths: &[bool],
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        let terms = self.about_state.iter().chain(&self.about_object);
        let session = &mut self.execution.session;
        let store = &mut session.store;
        let literals: Vec<TermId> =
            terms.zip(truths).map(|(&t, &holds)| if holds { t } else { store.mk_not(t) }).collect();
        match session.check_assuming(&literals, budget) {
            Ok(None) => {
                let core = session.core(budget);
                let needed = literals.iter().enumerate().filter(|(_, l)| core.contains(l));
                Ok(Some(needed.map(|(number, _)| number).collect()))
            }
            Ok(Some(_)) | Err(Undecided::Prover(_)) => Ok(None),
            Err(why) => Err(why),
        }
    }
}

/// How much work was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Sessions of the heap logic.
    pub sessions: u64,
    /// Queries.
    pub checks: u64,
    /// Calls of the prover.
    pub rounds: u64,
    /// Instances.
    pub instances: u64,
}

impl Count {
    /// Adds what was done elsewhere.
    pub fn merge(&mut self, other: Count) {
        self.sessions += other.sessions;
        self.checks += other.checks;
        self.rounds += other.rounds;
        self.instances += other.instances;
    }

    fn add(&mut self, execution: &Execution<'_>) {
        let done = execution.session.statistics;
        self.sessions += 1;
        self.checks += done.checks;
        self.rounds += done.rounds;
        self.instances += done.instances;
    }
}
