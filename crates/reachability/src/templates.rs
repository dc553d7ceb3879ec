//! Invariants from templates, kept only where they are inductive.
//!
//! Refinement learns from one path at a time and may unroll a loop for ever on
//! facts that a simple template states at once. So before (or beside) the
//! search, candidates are guessed for each loop head ([`candidates`]), and which values of
//! variables go together is found by running the program with everything else unknown ([`tables`]). The
//! strongest inductive conjunction of them is found by deletion ([`bolide_smt::houdini`]).
//!
//! Claims of a witness are candidates too ([`claims`]), tried before the guesses so that many of
//! those do not cost the few.
//!
//! All of this is a heuristic for the search only: certificates contain it and are audited like all else.

use crate::accumulators;
use crate::block::BlockProgram;
use crate::calls::Calls;
use crate::candidates;
use crate::facts::{self, Fact, Facts};
use crate::guesses::Head;
use crate::implications::{Step, hide_products, implications, steps, without_products};
use crate::missing::{self, Formulas};
use crate::pointers::{self, Surroundings};
use crate::prover::Prover;
use crate::quantities::Quantity;
use crate::samples;
use crate::verdict::Reason;
use crate::{cells, claims};
use bolide_base::{Budget, Exhausted, HashMap, HashSet};
use bolide_cfa::analysis::ranges::{Tables, tables};
use bolide_cfa::{CheckId, LocId, VarId};
use bolide_terms::{TermId, TermStore};

/// Heuristic: tables are few and large, so their questions may take longer.
const TABLES: u64 = 10;

/// Heuristic: a poll is worth so many edges of a program that is looked through.
const EDGES: usize = 32;

/// Heuristic: polls for what people may want to know.
const MISSING: u64 = 50_000;

/// How many candidates to try.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// At most so many variables at one location.
    pub variables: usize,
    /// At most so many constants for bounds.
    pub constants: usize,
    /// At most so many candidates at one location.
    pub candidates: usize,
    /// About so many candidates at all locations together.
    pub all_candidates: usize,
    /// At most so many questions to the solver for one attempt.
    pub questions: u64,
    /// At most so many polls of the budget for one attempt, which bounds its
    /// time; many times as many where there are few variables.
    pub polls: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            variables: 16,
            constants: 12,
            candidates: 400,
            all_candidates: 2_000,
            questions: 400,
            polls: 150_000,
        }
    }
}

/// What came of the guesses.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Those that prove each other.
    pub proved: Facts,
    /// Those about cells that would exclude errors which these do not ([`missing`]).
    pub missing: Facts,
}

/// The strongest inductive conjunction of template candidates at each loop
/// head; locations without an entry have the invariant true.
pub fn inductive_invariants(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
) -> Result<HashMap<LocId, Vec<TermId>>, Reason> {
    let tables = tables::tables(program.program, tables::Limits::default(), prover.budget());
    let found = inductive_facts(program, store, prover, options, &tables, &[])?;
    Ok(facts::formulas(program, store, &found.proved))
}

/// As [`inductive_invariants`], in a form that all engines on the program can use.
///
/// First `tables`, of which values go together; where they say it all nothing else is guessed. Then the claims, whose
/// checks are `claimed`; then the simple candidates, which is quick;
/// then all, upon what was found. An attempt that takes too long is given up, and what was found before it counts.
pub fn inductive_facts(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
    tables: &Tables,
    claimed: &[CheckId],
) -> Result<Found, Reason> {
    if !program.program.locations.ids().any(|l| program.is_loop_head(l)) {
        return Ok(Found::default());
    }
    let calls = Calls::default();
    let steps = steps(program, &calls, store);
    let mut heads: Vec<LocId> = Vec::new();
    for to in steps.iter().map(Step::to).filter(|&to| program.is_loop_head(to)) {
        if !heads.contains(&to) {
            heads.push(to);
        }
    }
    let variables: HashMap<LocId, Vec<VarId>> = heads
        .iter()
        .map(|&l| (l, candidates::integer_variables(program, l, options.variables)))
        .collect();
    let many = variables.values().any(|list| list.len() > samples::FEW_VARIABLES);
    let exact = implications(program, &calls, &steps);
    let mut tables = tables_of_values(program, store, tables);
    let tried = formulas(&tables, |_, _| true);
    let effort = (options.questions, TABLES * options.polls);
    let proved = prover.inductive(store, &exact, tried, effort)?.unwrap_or_default();
    for (location, table) in &mut tables {
        table.retain(|c| proved.get(location).is_some_and(|list| list.contains(&c.formula)));
    }
    // Heuristic: where tables say it all, nothing else is guessed.
    let limited = prover.budget().child_for("what tables say", TABLES * options.polls);
    if claimed.is_empty()
        && tables.values().any(|table| !table.is_empty())
        && matches!(is_enough(program, store, &mut Prover::new(limited), &steps, &proved), Ok(true))
    {
        let facts = |table: Vec<Candidate>| table.into_iter().map(|c| c.fact).collect();
        let proved = tables.into_iter().map(|(location, table)| (location, facts(table))).collect();
        return Ok(Found { proved, ..Found::default() });
    }
    let mut all = guesses(program, store, prover, options, (&heads, &variables), claimed)?;
    for (location, table) in tables {
        all.entry(location).or_default().extend(table);
    }
    for (location, formulas) in cells::candidates(program, store, &steps, &heads) {
        let candidate = |formula| {
            let fact = Fact::about_cells(program, store, formula);
            Candidate { fact, formula }
        };
        all.entry(location).or_default().extend(formulas.into_iter().map(candidate));
    }
    // Heuristic: where there are few variables, invariants are more often all there is to find.
    let effort = (options.questions, if many { options.polls } else { 20 * options.polls });
    let attempts = Attempts { program, calls: &calls, steps: &steps, all: &all, many, effort };
    let mut known = attempts.run(store, prover)?;
    let missing = attempts.missing(store, prover.budget(), &known);
    let summed = accumulators::facts(program, store, prover, (&steps, &heads), &known, effort)?;
    let mut proved = Facts::default();
    for location in heads {
        let kept = known.remove(&location).unwrap_or_default();
        let hidden: HashMap<TermId, TermId> =
            kept.iter().map(|&formula| (hide_products(store, formula), formula)).collect();
        let kept = kept.iter().map(|&formula| hide_products(store, formula)).collect();
        let kept = prover.irredundant(store, kept)?;
        let fact = |formula: TermId| {
            let list = all.get(&location).into_iter().flatten();
            list.clone().find(|c| c.formula == hidden[&formula]).map(|c| c.fact.clone())
        };
        let mut facts: Vec<Fact> = kept.into_iter().filter_map(fact).collect();
        let summed = summed.get(&location).into_iter().flatten();
        facts.extend(summed.map(|&formula| Fact::about_cells(program, store, formula)));
        if !facts.is_empty() {
            proved.insert(location, facts);
        }
    }
    Ok(Found { proved, missing })
}

/// Which candidates are tried together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// Alone, as the invariants of a good witness need no others.
    Claims,
    /// And the claims, where products are among them: algebra is quicker without bounds.
    Equalities,
    /// And the claims.
    Simple,
    All,
    /// Equalities between products, upon what was found: where numbers wrap, algebra needs bounds.
    Bounded,
    /// Once more, where products are among them, with all that is known of products.
    Products,
    /// All, and about all cells of arrays: what is in them makes other facts inductive.
    Cells,
}

impl Attempt {
    const ALL: [Attempt; 7] = [
        Attempt::Claims,
        Attempt::Equalities,
        Attempt::Simple,
        Attempt::All,
        Attempt::Bounded,
        Attempt::Products,
        Attempt::Cells,
    ];

    /// Whether products are just numbers in it.
    fn is_linear(self) -> bool {
        matches!(self, Attempt::Simple | Attempt::All)
    }
}

/// The guesses, and what they are judged by.
struct Attempts<'a, 'p> {
    program: &'a BlockProgram<'p>,
    calls: &'a Calls,
    steps: &'a [Step],
    all: &'a Candidates,
    /// Whether there are many variables.
    many: bool,
    effort: (u64, u64),
}

impl Attempts<'_, '_> {
    /// The guesses that one attempt after the other finds inductive.
    fn run(&self, store: &mut TermStore, prover: &mut Prover) -> Result<Formulas, Reason> {
        let mut known: Formulas = HashMap::default();
        let exact = implications(self.program, self.calls, self.steps);
        let polynomial = |c: &Candidate| matches!(c.fact, Fact::Polynomial(_));
        let multiplied = self.all.values().flatten().any(polynomial);
        let arrays = self.all.values().flatten().any(|c| c.fact.is_about_cells());
        // Equalities that need no other facts.
        let mut settled: Formulas = HashMap::default();
        let mut gave_up = false;
        for attempt in Attempt::ALL {
            if gave_up && attempt != Attempt::Cells {
                continue;
            }
            let known_here = |location: &LocId, c: &Candidate| {
                known.get(location).is_some_and(|kept| kept.contains(&c.formula))
            };
            let tried = formulas(self.all, |location, c| match attempt {
                Attempt::Claims => c.fact.is_claim(),
                Attempt::Equalities => multiplied && (c.fact.is_claim() || c.fact.is_equality()),
                Attempt::Simple => c.fact.is_claim() || c.fact.is_simple(),
                // Heuristic: what was refuted among the simple ones is not tried again.
                Attempt::All if self.many && c.fact.is_simple() => known_here(&location, c),
                Attempt::All => !c.fact.is_about_cells(),
                Attempt::Bounded => {
                    let is_equality = polynomial(c) && c.fact.is_equality();
                    multiplied && (is_equality || known_here(&location, c))
                }
                Attempt::Products => multiplied && !c.fact.is_about_cells(),
                Attempt::Cells if self.many => {
                    let about_cells = c.fact.is_about_cells() || c.fact.is_claim();
                    arrays && (about_cells || known_here(&location, c))
                }
                Attempt::Cells => arrays,
            });
            if tried.values().all(Vec::is_empty) {
                continue;
            }
            let kept = if multiplied && attempt.is_linear() {
                let exact = implications(self.program, self.calls, self.steps);
                let linear = without_products(store, exact, self.steps, &settled);
                prover.inductive(store, &linear, tried, self.effort)?
            } else {
                // Heuristic: questions about products take long where the answer is no.
                let (questions, polls) = self.effort;
                let effort = (questions, if multiplied { polls / 10 } else { polls });
                prover.inductive(store, &exact, tried, effort)?
            };
            match (attempt, kept) {
                (_, Some(kept)) => known = kept,
                (Attempt::Claims | Attempt::Equalities, None) => continue,
                // Heuristic: more candidates take longer still, but those about cells are others.
                (_, None) if arrays => gave_up = true,
                (_, None) => break,
            }
            if attempt == Attempt::Equalities {
                settled.clone_from(&known);
            }
            for (location, settled) in &settled {
                let list = known.entry(*location).or_default();
                let new: Vec<TermId> =
                    settled.iter().copied().filter(|f| !list.contains(f)).collect();
                list.extend(new);
            }
            // Heuristic: a good witness needs no guesses, nor does algebra.
            let ends = multiplied || attempt == Attempt::Claims;
            if ends && is_enough(self.program, store, prover, self.steps, &known)? {
                break;
            }
        }
        Ok(known)
    }

    /// Where there are guesses about cells and not enough of them hold: which would be.
    fn missing(&self, store: &mut TermStore, budget: &Budget, known: &Formulas) -> Facts {
        let wanted = |c: &Candidate| c.fact.is_about_cells() || c.fact.is_claim();
        let guesses = formulas(self.all, |_, c| wanted(c));
        if guesses.values().all(Vec::is_empty) {
            return Facts::default();
        }
        let mut prover = Prover::new(budget.child_for("what is missing", MISSING));
        let implications = implications(self.program, self.calls, self.steps);
        let is_error = |at| self.program.program.locations[at].error.is_some();
        let guessed = (known, &guesses);
        let missing = missing::missing(store, &mut prover, &implications, guessed, &is_error);
        let mut found = Facts::default();
        for (location, formula) in missing.unwrap_or_default() {
            let candidate = self.all[&location].iter().find(|c| c.formula == formula);
            found.entry(location).or_default().extend(candidate.map(|c| c.fact.clone()));
        }
        found
    }
}

/// A guess, with its formula over state constants.
struct Candidate {
    fact: Fact,
    formula: TermId,
}

/// Each formula at most once at a location.
type Candidates = HashMap<LocId, Vec<Candidate>>;

fn formulas(all: &Candidates, wanted: impl Fn(LocId, &Candidate) -> bool) -> Formulas {
    let list = |(&location, list): (&LocId, &Vec<Candidate>)| {
        let wanted = list.iter().filter(|c| wanted(location, c)).map(|c| c.formula);
        (location, wanted.collect())
    };
    all.iter().map(list).collect()
}

/// What is claimed of the heads of loops, and what they and executions suggest.
fn guesses(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    prover: &Prover,
    options: Options,
    (heads, variables): (&[LocId], &HashMap<LocId, Vec<VarId>>),
    claimed: &[CheckId],
) -> Result<Candidates, Exhausted> {
    let constants = candidates::interesting_constants(program, options.constants);
    let mut pointers: HashMap<LocId, Vec<Quantity>> = HashMap::default();
    let mut watched: HashMap<LocId, Vec<Quantity>> = HashMap::default();
    let surroundings = Surroundings::new(program.program);
    // Each head looks through the program more than once, so that much is used of the budget.
    let work = |polls: usize| (0..=polls).try_for_each(|_| prover.budget().poll());
    let edges = program.program.edges.len();
    for &head in heads {
        work(edges / EDGES)?;
        let of_pointers = pointers::quantities(program, &surroundings, head, &variables[&head]);
        let values = variables[&head].iter().map(|&v| Quantity::Value(v));
        watched.insert(head, values.chain(of_pointers.iter().copied()).collect());
        pointers.insert(head, of_pointers);
    }
    let seen = samples::collect(program.program, &watched, prover.budget());
    let share = options.all_candidates / heads.len().max(1);
    let most = options.candidates.min(share);
    let claimed: HashSet<CheckId> = claimed.iter().copied().collect();
    let mut all = Candidates::default();
    for &location in heads {
        work(edges / EDGES)?;
        let (variables, pointers) = (&variables[&location], &pointers[&location]);
        let sightings = &seen[&location];
        let head = Head { location, variables, pointers, sightings, constants: &constants };
        let mut facts = claims::claims(program, location, &claimed);
        facts.extend(candidates::guess(program, store, &head, most));
        let mut seen: HashSet<TermId> = HashSet::default();
        let mut list: Vec<Candidate> = Vec::new();
        for fact in facts {
            list.extend(candidate(program, store, fact).filter(|c| seen.insert(c.formula)));
        }
        all.insert(location, list);
    }
    Ok(all)
}

fn candidate(program: &BlockProgram<'_>, store: &mut TermStore, fact: Fact) -> Option<Candidate> {
    let formula = fact.formula(program, store);
    (formula != TermId::TRUE && formula != TermId::FALSE).then_some(Candidate { fact, formula })
}

/// Which values go together at loop heads.
fn tables_of_values(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    tables: &Tables,
) -> Candidates {
    let tables = tables.at_heads.iter();
    tables
        .map(|(&head, table)| (head, candidate(program, store, Fact::Table(table.clone()))))
        .map(|(head, table)| (head, table.into_iter().collect()))
        .collect()
}

/// Whether no error is reached from states that satisfy the candidates.
fn is_enough(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    steps: &[Step],
    known: &Formulas,
) -> Result<bool, Reason> {
    for step in steps {
        let Step::Block(transition) = step else { continue };
        if program.program.locations[transition.to].error.is_none() {
            continue;
        }
        let said = store.mk_and(known.get(&transition.from).map_or(&[][..], |list| list));
        let mut formulas = vec![program.at_places(store, said, transition), transition.formula];
        if transition.from == program.entry() {
            formulas.push(program.initial());
        }
        let reached = store.mk_and(&formulas);
        if !prover.entails(store, reached, TermId::FALSE)? {
            return Ok(false);
        }
    }
    Ok(true)
}
