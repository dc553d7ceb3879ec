//! The SMT-LIB command interpreter.
//!
//! A [`Script`] executes commands against a [`Solver`] and hands its answers to
//! a [`Host`], which also provides the budget of each check: there is no clock
//! here, so `:timeout` is a request to the host. An error concerns one command;
//! the script goes on (`:error-behavior continued-execution`).
//!
//! Every assertion is a partition of its own in the proof. What partitions an
//! interpolation query is about is known only after the check; the proof's
//! assertions are then distributed over the groups of the query. Assertions
//! that it does not name are background and count to the root, so they
//! restrict neither which symbols an interpolant may use nor what it must
//! imply. Unsat cores are the named assertions in the proof; with
//! `:minimal-unsat-cores` they are minimised by deletion.

use std::fmt::Write;

use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_proof::{Proof, Rule};
use bolide_sat::Dimacs;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::smtlib::floats::bare;
use bolide_terms::smtlib::{Command, Context, Partitions, Reader, quote_symbol};
use bolide_terms::{Model, TermId, TermStore};

use crate::discharge;
use crate::guess::guess;
use crate::interpolate::{self, Labelling};
use crate::solver::{Answer, Config, Solver};

/// Whoever runs a script.
pub trait Host {
    /// Takes one answer, without the newline that ends it.
    fn answer(&mut self, text: &str);

    /// A check begins; it is wanted to end within so many milliseconds.
    fn begin_check(&mut self, timeout: Option<u64>) -> Budget {
        let _ = timeout;
        Budget::unlimited()
    }

    /// The check has ended.
    fn end_check(&mut self) {}
}

/// Collects the answers, one in each line.
impl Host for String {
    fn answer(&mut self, text: &str) {
        self.push_str(text);
        self.push('\n');
    }
}

/// Whether a script goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The end of the text was reached.
    Continue,
    /// There was `(exit)`.
    Exit,
}

struct Assertion {
    formula: TermId,
    name: Option<String>,
}

/// What is true after a check until something changes.
enum State {
    /// Nothing was checked since the last change.
    Open,
    Sat,
    Unsat,
    Unknown(NoAnswer),
}

/// The state of a script between commands.
pub struct Script {
    store: TermStore,
    solver: Solver,
    context: Context,
    options: HashMap<String, String>,
    assertions: Vec<Assertion>,
    /// How many of them the solver has: it gets them when guessing has failed.
    delivered: usize,
    /// A model of the last check that the solver has not made.
    guessed: Option<Model>,
    /// Number of assertions at each open `push`.
    scopes: Vec<usize>,
    /// How many scopes were open when an assertion was rejected, for each: what is satisfiable without it need
    /// not be.
    rejected: Vec<usize>,
    state: State,
    /// Assumptions of the last check, with their text.
    assumptions: Vec<(TermId, String)>,
    /// The last `:status` of `set-info`.
    status: Option<String>,
    /// Options that are on from the start and that `reset` leaves on.
    always: Vec<&'static str>,
    errors: usize,
}

impl Default for Script {
    fn default() -> Self {
        Script::new()
    }
}

/// Options and their defaults, as `get-option` reports them.
const OPTIONS: &[(&str, &str)] = &[
    (":print-success", "false"),
    (":produce-models", "true"),
    (":produce-proofs", "false"),
    (":produce-unsat-cores", "false"),
    (":produce-unsat-assumptions", "true"),
    (":produce-interpolants", "false"),
    (":produce-assignments", "true"),
    (":produce-assertions", "true"),
    (":global-declarations", "false"),
    (":minimal-unsat-cores", "false"),
    (":check-proofs", "false"),
    (":check-interpolants", "false"),
    (":interpolation-labelling", "mcmillan"),
    (":guess-models", "true"),
    (":timeout", "0"),
    (":random-seed", "0"),
    (":verbosity", "0"),
    (":reproducible-resource-limit", "0"),
    (":regular-output-channel", "stdout"),
    (":diagnostic-output-channel", "stderr"),
];

/// Options of the standard that cannot be changed.
const FIXED: [&str; 3] =
    [":reproducible-resource-limit", ":regular-output-channel", ":diagnostic-output-channel"];

impl Script {
    /// A script that has read nothing yet.
    pub fn new() -> Self {
        Script::with_options(&[])
    }

    /// A script in which these options, such as `:check-proofs`, are always on.
    pub fn with_options(always: &[&'static str]) -> Self {
        let mut script = Script {
            store: TermStore::new(),
            solver: Solver::new(Config::default()),
            context: Context::new(),
            options: HashMap::default(),
            assertions: Vec::new(),
            delivered: 0,
            guessed: None,
            scopes: Vec::new(),
            rejected: Vec::new(),
            state: State::Open,
            assumptions: Vec::new(),
            status: None,
            always: always.to_vec(),
            errors: 0,
        };
        script.reset();
        script
    }

    /// How many commands ended in an error so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The clauses of the last check.
    pub fn dimacs(&self) -> Dimacs {
        self.solver.dimacs(&self.store)
    }

    /// Answers a command of others.
    fn unsupported(&mut self, name: &str) -> String {
        if name.starts_with("assert") || name.starts_with("block") {
            // It would have taken models away.
            self.rejected.push(self.scopes.len());
        }
        "unsupported".to_owned()
    }

    /// Executes all commands of the text.
    pub fn run(&mut self, text: &str, host: &mut dyn Host) -> Flow {
        let context = std::mem::take(&mut self.context);
        let mut reader = Reader::with_context(text, context);
        let mut flow = Flow::Continue;
        while let Some(command) = reader.next_command(&mut self.store) {
            let result = match command {
                Ok(Command::Exit) => {
                    flow = Flow::Exit;
                    Ok(None)
                }
                Ok(command) => self.execute(&command, reader.context(), host),
                Err(error) => {
                    self.errors += 1;
                    if text[reader.offset()..].starts_with("(assert") {
                        self.rejected.push(self.scopes.len());
                        self.state = State::Open;
                    }
                    host.answer(&error_text(&error.to_string()));
                    continue;
                }
            };
            match result {
                Ok(Some(answer)) => host.answer(&answer),
                Ok(None) if self.is_on(":print-success") => host.answer("success"),
                Ok(None) => {}
                Err(message) => {
                    self.errors += 1;
                    host.answer(&error_text(&reader.error(message).to_string()));
                }
            }
            if flow == Flow::Exit {
                break;
            }
        }
        self.context = reader.into_context();
        flow
    }

    /// Executes a command; the answer, if it has one.
    fn execute(
        &mut self,
        command: &Command,
        context: &Context,
        host: &mut dyn Host,
    ) -> Result<Option<String>, String> {
        match command {
            Command::SetLogic(_)
            | Command::Sort { .. }
            | Command::Declare(_)
            | Command::DeclareVariable(_)
            | Command::Define { .. } => Ok(None),
            Command::SetInfo { keyword, value } => {
                if keyword == ":status" {
                    self.status = Some(value.clone());
                }
                Ok(None)
            }
            Command::SetOption { keyword, value } => self.set_option(keyword, value),
            Command::Assert { formula, name } => {
                self.assert(*formula, name.clone());
                Ok(None)
            }
            Command::Push(count) => {
                self.deliver();
                for _ in 0..*count {
                    self.solver.push(&mut self.store);
                    self.scopes.push(self.assertions.len());
                }
                self.state = State::Open;
                Ok(None)
            }
            Command::Pop(count) => {
                self.pop(*count as usize);
                Ok(None)
            }
            Command::CheckSat => Ok(Some(self.check(Vec::new(), host))),
            Command::CheckSatAssuming(assumptions) => {
                Ok(Some(self.check(assumptions.clone(), host)))
            }
            Command::GetModel => self.model_text(context).map(Some),
            Command::GetValue(terms) => self.values(terms).map(Some),
            Command::GetAssignment => self.assignment().map(Some),
            Command::GetAssertions => Ok(Some(self.assertions_text(context))),
            Command::GetUnsatCore => self.unsat_core(host).map(Some),
            Command::GetUnsatAssumptions => self.unsat_assumptions().map(Some),
            Command::GetProof => {
                let proof = self.proof(":produce-proofs")?;
                Ok(Some(proof.to_text(&self.store).trim_end().to_owned()))
            }
            Command::GetInterpolants(partitions) => {
                self.interpolants(partitions, context, host).map(Some)
            }
            Command::GetInfo(keyword) => Ok(Some(self.info(keyword))),
            Command::GetOption(keyword) => Ok(Some(match self.option(keyword) {
                Some(value) if value.contains([' ', '(']) => format!("\"{value}\""),
                Some(value) => value.to_owned(),
                None => "unsupported".to_owned(),
            })),
            Command::Echo(text) => Ok(Some(format!("\"{}\"", text.replace('"', "\"\"")))),
            Command::Reset => {
                self.reset();
                Ok(None)
            }
            Command::ResetAssertions => {
                self.restart();
                Ok(None)
            }
            Command::Exit => Ok(None),
            Command::Unsupported(name) => Ok(Some(self.unsupported(name))),
            Command::Rule(_) | Command::Query(_) => Ok(Some("unsupported".to_owned())),
        }
    }

    // ---- options ----

    fn option(&self, keyword: &str) -> Option<&str> {
        let set = self.options.get(keyword).map(String::as_str);
        set.or_else(|| OPTIONS.iter().find(|o| o.0 == keyword).map(|o| o.1))
    }

    fn is_on(&self, keyword: &str) -> bool {
        self.option(keyword) == Some("true")
    }

    /// The limit on the time of a check that the script asks for, in
    /// milliseconds.
    pub fn timeout(&self) -> Option<u64> {
        self.option(":timeout").and_then(|value| value.parse().ok()).filter(|ms| *ms > 0)
    }

    fn set_option(&mut self, keyword: &str, value: &str) -> Result<Option<String>, String> {
        let Some((_, default)) = OPTIONS.iter().find(|o| o.0 == keyword) else {
            return Ok(Some("unsupported".to_owned()));
        };
        // Scripts for OpenSMT write Booleans as numbers.
        let value = match (*default, value) {
            ("true" | "false", "1") => "true",
            ("true" | "false", "0") => "false",
            _ => value,
        };
        let fits = match *default {
            "true" | "false" => matches!(value, "true" | "false"),
            "0" => value.parse::<u64>().is_ok(),
            "mcmillan" => matches!(value, "mcmillan" | "pudlak" | "weak"),
            _ => true,
        };
        if !fits {
            return Err(format!("{value} is no value for {keyword}"));
        }
        // Known, but there is one way only.
        if FIXED.contains(&keyword) && value.trim_matches('"') != *default {
            return Ok(Some("unsupported".to_owned()));
        }
        let before = self.wants_proofs();
        self.options.insert(keyword.to_owned(), value.to_owned());
        if self.wants_proofs() != before {
            if self.assertions.is_empty() && self.scopes.is_empty() {
                self.solver = self.new_solver();
            } else if !before {
                self.options.insert(keyword.to_owned(), "false".to_owned());
                return Err(format!("{keyword} must be set before the first assertion"));
            }
        }
        Ok(None)
    }

    fn wants_proofs(&self) -> bool {
        [":produce-proofs", ":produce-unsat-cores", ":produce-interpolants", ":check-proofs"]
            .iter()
            .any(|option| self.is_on(option))
    }

    fn new_solver(&self) -> Solver {
        let mut solver = Solver::new(Config { proofs: self.wants_proofs() });
        solver.allow_irrational();
        solver
    }

    /// As if nothing had been read.
    fn reset(&mut self) {
        self.options.clear();
        let always = self.always.iter().map(|option| (option.to_string(), "true".to_owned()));
        self.options.extend(always);
        self.status = None;
        self.restart();
    }

    fn restart(&mut self) {
        self.solver = self.new_solver();
        self.assertions.clear();
        self.delivered = 0;
        self.scopes.clear();
        self.rejected.clear();
        self.assumptions.clear();
        self.state = State::Open;
    }

    // ---- assertions and checks ----

    fn assert(&mut self, formula: TermId, name: Option<String>) {
        self.assertions.push(Assertion { formula, name });
        self.state = State::Open;
    }

    /// Gives the solver what it does not have yet.
    fn deliver(&mut self) {
        for index in self.delivered..self.assertions.len() {
            self.solver.assert(&mut self.store, self.assertions[index].formula, index as u32);
        }
        self.delivered = self.assertions.len();
    }

    /// After `sat`: the model.
    fn model(&self) -> Result<&Model, String> {
        let found = match self.state {
            State::Sat => self.guessed.as_ref().or_else(|| self.solver.model()),
            _ => None,
        };
        found.ok_or_else(|| "there is no model".to_owned())
    }

    fn pop(&mut self, count: usize) {
        // The reader has refused to pop more scopes than there are.
        let kept = self.scopes.len().saturating_sub(count);
        self.solver.pop(&mut self.store, self.scopes.len() - kept);
        if let Some(&assertions) = self.scopes.get(kept) {
            self.assertions.truncate(assertions);
            self.delivered = self.delivered.min(assertions);
        }
        self.scopes.truncate(kept);
        self.rejected.retain(|&open| open <= kept);
        self.state = State::Open;
    }

    fn check(&mut self, assumptions: Vec<(TermId, String)>, host: &mut dyn Host) -> String {
        let background = self.assertions.len() as u32;
        let assumed: Vec<(TermId, u32)> =
            assumptions.iter().map(|&(term, _)| (term, background)).collect();
        self.assumptions = assumptions;
        // What the solver has already, it has searched or will.
        let guesses = self.is_on(":guess-models") && self.delivered < self.assertions.len();
        self.guessed = match guesses {
            true => {
                let claims = self.assertions.iter().map(|a| a.formula);
                let claims: Vec<TermId> = claims.chain(assumed.iter().map(|a| a.0)).collect();
                guess(&self.store, &claims)
            }
            false => None,
        };
        let answer = match self.guessed {
            Some(_) => Answer::Sat,
            None => {
                let budget = host.begin_check(self.timeout());
                self.deliver();
                let answer = self.solver.check_partitioned(&mut self.store, &assumed, &budget);
                host.end_check();
                answer
            }
        };
        let (state, text) = match answer {
            Answer::Sat if !self.rejected.is_empty() => {
                let why = "an assertion was rejected".to_owned();
                (State::Unknown(NoAnswer::Unsupported(why)), "unknown")
            }
            Answer::Sat => (State::Sat, "sat"),
            Answer::Unsat => (State::Unsat, "unsat"),
            Answer::Unknown(why) => (State::Unknown(why), "unknown"),
        };
        self.state = state;
        if matches!(self.state, State::Unsat)
            && self.is_on(":check-proofs")
            && let Err(why) = self.checked_proof()
        {
            self.state = State::Unknown(why);
            return "unknown".to_owned();
        }
        text.to_owned()
    }

    /// Whether the independent checker accepts the proof of the last answer.
    fn checked_proof(&mut self) -> Result<Proof, NoAnswer> {
        let is_asserted =
            |formula: TermId, partition: u32| match self.assertions.get(partition as usize) {
                Some(assertion) => assertion.formula == formula,
                None => self.assumptions.iter().any(|(assumed, _)| *assumed == formula),
            };
        let proof = self.solver.proof(&self.store).ok_or(NoAnswer::solver("there is no proof"))?;
        discharge::accepted(&self.store, proof, is_asserted, || "the last answer".to_owned())
    }

    // ---- reading answers ----

    fn model_text(&self, context: &Context) -> Result<String, String> {
        Ok(self.store.model_text(self.model()?, context))
    }

    fn assertions_text(&self, context: &Context) -> String {
        let text = |a: &Assertion| match self.store.smtlib_in(a.formula, context) {
            Some(text) => text,
            None => self.store.smtlib(a.formula),
        };
        let texts: Vec<String> = self.assertions.iter().map(text).collect();
        format!("({})", texts.join("\n "))
    }

    fn values(&self, terms: &[(TermId, String)]) -> Result<String, String> {
        let mut evaluator = Evaluator::new(&self.store, self.model()?);
        let mut pairs = Vec::with_capacity(terms.len());
        for (term, text) in terms {
            let bits = bare(&self.store, *term);
            let value = evaluator.value(bits).map_err(|error| error.to_string())?;
            let value = self.store.value_text_as(&value, self.store.sort(*term));
            pairs.push(format!("({text} {value})"));
        }
        Ok(format!("({})", pairs.join("\n ")))
    }

    fn assignment(&self) -> Result<String, String> {
        let mut evaluator = Evaluator::new(&self.store, self.model()?);
        let mut text = String::from("(");
        for assertion in &self.assertions {
            if let Some(name) = &assertion.name {
                let separator = if text.len() > 1 { " " } else { "" };
                let holds = evaluator.holds(assertion.formula);
                let _ = write!(text, "{separator}({} {holds})", quote_symbol(name));
            }
        }
        text.push(')');
        Ok(text)
    }

    fn proof(&mut self, option: &str) -> Result<Proof, String> {
        if !self.is_on(option) {
            return Err(format!("{option} is not set"));
        }
        if !matches!(self.state, State::Unsat) {
            return Err("the last answer was not unsat".to_owned());
        }
        self.solver.proof(&self.store).ok_or_else(|| "there is no proof".to_owned())
    }

    fn unsat_core(&mut self, host: &mut dyn Host) -> Result<String, String> {
        let proof = self.proof(":produce-unsat-cores")?;
        let mut used: Vec<usize> = proof
            .steps
            .iter()
            .filter_map(|step| match step.rule {
                Rule::Assertion { partition, .. } => Some(partition as usize),
                _ => None,
            })
            .filter(|&index| self.assertions.get(index).is_some_and(|a| a.name.is_some()))
            .collect();
        used.sort_unstable();
        used.dedup();
        if self.is_on(":minimal-unsat-cores") {
            used = self.minimal_core(used, host);
        }
        let names: Vec<String> = used
            .into_iter()
            .filter_map(|index| self.assertions[index].name.as_deref().map(quote_symbol))
            .collect();
        Ok(format!("({})", names.join(" ")))
    }

    /// Named assertions of which none can be left out.
    fn minimal_core(&mut self, used: Vec<usize>, host: &mut dyn Host) -> Vec<usize> {
        let mut solver = Solver::new(Config { proofs: false });
        for assertion in self.assertions.iter().filter(|a| a.name.is_none()) {
            solver.assert(&mut self.store, assertion.formula, 0);
        }
        for &(assumption, _) in &self.assumptions {
            solver.assert(&mut self.store, assumption, 0);
        }
        let candidates: Vec<TermId> = used.iter().map(|&i| self.assertions[i].formula).collect();
        let budget = host.begin_check(self.timeout());
        let mut core = used;
        if solver.check(&mut self.store, &candidates, &budget) == Answer::Unsat {
            let minimal = solver.minimise_core(&mut self.store, &budget);
            // A formula that was asserted under two names is needed once.
            let mut seen = Vec::new();
            core.retain(|&index| {
                let formula = self.assertions[index].formula;
                let keep = minimal.contains(&formula) && !seen.contains(&formula);
                seen.push(formula);
                keep
            });
        }
        host.end_check();
        core
    }

    fn unsat_assumptions(&self) -> Result<String, String> {
        if !matches!(self.state, State::Unsat) {
            return Err("the last answer was not unsat".to_owned());
        }
        let core = self.solver.unsat_core();
        let texts: Vec<&str> = self
            .assumptions
            .iter()
            .filter(|(term, _)| core.contains(term))
            .map(|(_, text)| text.as_str())
            .collect();
        Ok(format!("({})", texts.join(" ")))
    }

    // ---- interpolants ----

    fn interpolants(
        &mut self,
        partitions: &Partitions,
        context: &Context,
        host: &mut dyn Host,
    ) -> Result<String, String> {
        let mut proof = self.proof(":produce-interpolants")?;
        let group_of = self.groups(partitions)?;
        let root = partitions.groups.len() - 1;
        for step in &mut proof.steps {
            if let Rule::Assertion { partition, .. } = &mut step.rule {
                *partition = group_of.get(*partition as usize).map_or(root, |g| *g) as u32;
            }
        }
        let labelling = match self.option(":interpolation-labelling") {
            Some("pudlak") => Labelling::Pudlak,
            Some("weak") => Labelling::Weak,
            _ => Labelling::McMillan,
        };
        let budget = host.begin_check(self.timeout());
        let options =
            interpolate::Options { labelling, budget: budget.clone(), ..Default::default() };
        let parents = &partitions.parents;
        let formulas = self.partition_formulas(&group_of, parents.len());
        let store = &mut self.store;
        let result = interpolate::tree_interpolants(store, &proof, &formulas, parents, &options)
            .map_err(|error| error.to_string())
            .and_then(|interpolants| {
                if self.is_on(":check-interpolants") {
                    let store = &mut self.store;
                    interpolate::recheck_tree(store, &formulas, parents, &interpolants, &budget)
                        .map_err(|flaw| {
                            format!("the interpolants failed their check: {}", flaw.detail())
                        })?;
                }
                Ok(interpolants)
            });
        host.end_check();
        let mut interpolants = result?;
        interpolants.pop();
        let texts: Option<Vec<String>> =
            interpolants.iter().map(|&t| self.store.smtlib_in(t, context)).collect();
        match texts {
            Some(texts) => Ok(format!("({})", texts.join("\n "))),
            None => {
                Err("no interpolant without the bits of functions or arrays of floats".to_owned())
            }
        }
    }

    /// For each assertion its group; those without a name of the query belong
    /// to the root.
    fn groups(&self, partitions: &Partitions) -> Result<Vec<usize>, String> {
        let mut groups = vec![partitions.groups.len() - 1; self.assertions.len()];
        let mut by_name: HashMap<&str, usize> = HashMap::default();
        for (index, assertion) in self.assertions.iter().enumerate() {
            if let Some(name) = &assertion.name {
                by_name.insert(name, index);
            }
        }
        let mut taken: HashMap<&str, usize> = HashMap::default();
        for (group, names) in partitions.groups.iter().enumerate() {
            for name in names {
                match by_name.get(name.as_str()) {
                    Some(&index) => groups[index] = group,
                    None => return Err(format!("{name} is not the name of an assertion")),
                }
                if taken.insert(name, group).is_some() {
                    return Err(format!("{name} is in two partitions"));
                }
            }
        }
        Ok(groups)
    }

    /// The conjunction of each partition; assumptions belong to the root.
    fn partition_formulas(&mut self, group_of: &[usize], partitions: usize) -> Vec<TermId> {
        let mut members: Vec<Vec<TermId>> = vec![Vec::new(); partitions];
        for (assertion, &group) in self.assertions.iter().zip(group_of) {
            members[group].push(assertion.formula);
        }
        if let Some(root) = members.last_mut() {
            root.extend(self.assumptions.iter().map(|(term, _)| *term));
        }
        members.iter().map(|m| self.store.mk_and(m)).collect()
    }

    // ---- information ----

    fn info(&self, keyword: &str) -> String {
        let text = match keyword {
            ":name" => "\"Bolide\"".to_owned(),
            ":version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
            ":authors" => "\"the Bolide authors\"".to_owned(),
            ":error-behavior" => "continued-execution".to_owned(),
            ":assertion-stack-levels" => self.scopes.len().to_string(),
            ":status" => match &self.status {
                Some(status) => status.clone(),
                None => return "unsupported".to_owned(),
            },
            ":reason-unknown" => match &self.state {
                State::Unknown(why) => format!("\"{}\"", why.detail().replace('"', "\"\"")),
                _ => return error_text("the last answer was not unknown"),
            },
            ":all-statistics" => {
                let statistics = self.solver.statistics();
                return format!(
                    "(:checks {} :terms {} :conflicts {} :decisions {})",
                    statistics.checks,
                    self.store.len(),
                    statistics.search.conflicts,
                    statistics.search.decisions
                );
            }
            _ => return "unsupported".to_owned(),
        };
        format!("({keyword} {text})")
    }
}

fn error_text(message: &str) -> String {
    format!("(error \"{}\")", message.replace('"', "\"\""))
}

#[cfg(test)]
mod tests;
