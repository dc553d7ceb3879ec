//! Symbolic execution of a path in a session of the heap logic.
//!
//! A weakest precondition would substitute backwards; here the path is
//! executed forwards instead, with a version of each field for every write.
//! Both say the same of pre- and poststate, and the session shares the versions
//! among all predicates that are asked about.

use super::aliases::Aliases;
use super::view::{Command, View};
use crate::{FieldId, Formula, Kind, Session, State, Symbol, Term, Version};
use bolide_base::HashSet;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Value;
use bolide_terms::{Model, TermId};
use std::rc::Rc;

/// A state that moves along a path.
pub struct Execution<'a> {
    view: &'a View,
    /// What is known.
    pub session: Session,
    /// The present state.
    pub state: Rc<State>,
    /// Fields along which reachability is asked about.
    reach: Vec<FieldId>,
    /// Variables that were given any value, with that value, in order.
    pub chosen: Vec<(Symbol, TermId)>,
}

impl<'a> Execution<'a> {
    /// Any state; `symbols` have values in it, and the session is an empty one.
    pub fn new(
        view: &'a View,
        reach: &[FieldId],
        symbols: &HashSet<Symbol>,
        aliases: &Aliases,
        mut session: Session,
    ) -> Execution<'a> {
        session.everywhere = Some(view.bound);
        let mut state = State::default();
        let mut sorted: Vec<Symbol> = symbols.iter().copied().collect();
        sorted.sort_unstable();
        for symbol in sorted {
            let variable = &view.signature.variables[symbol];
            let value = session.constant(&variable.name, variable.kind);
            state.variables.insert(symbol, value);
        }
        for (field, info) in view.signature.fields.iter() {
            let version = session.base(&info.name, info.kind);
            state.fields.insert(field, version);
        }
        for (copy, now) in &aliases.symbols {
            if let Some(&value) = state.variables.get(now) {
                state.variables.insert(*copy, value);
            }
        }
        for (copy, now) in &aliases.fields {
            let version = state.fields[now];
            state.fields.insert(*copy, version);
        }
        let null = session.null();
        let dead = session.read(state.fields[&view.fields.alive], null);
        let not = session.store.mk_not(dead);
        session.assert(not);
        session.quiet = view.fields.number.map(|number| state.fields[&number]);
        let (state, reach) = (Rc::new(state), reach.to_vec());
        for axiom in view.axioms() {
            session.assume(&state, &axiom);
        }
        Execution { view, session, state, reach, chosen: Vec::new() }
    }

    /// Assumes a formula about the present state.
    pub fn assume(&mut self, formula: &Formula) {
        self.session.assume(&self.state, formula);
    }

    /// Goes on.
    pub fn run(&mut self, commands: &[Command]) {
        for command in commands {
            self.step(command);
        }
    }

    /// Goes on, without believing the conditions on the way that have no
    /// quantifiers: these are returned, with the numbers of their commands.
    pub fn run_asking(&mut self, commands: &[Command]) -> Vec<(usize, TermId)> {
        let mut asked = Vec::new();
        for (number, command) in commands.iter().enumerate() {
            match command {
                Command::Assume(formula) if !formula.is_quantified() => {
                    let state = Rc::clone(&self.state);
                    asked.push((number, self.session.ground(&state, formula)));
                }
                other => self.step(other),
            }
        }
        asked
    }

    /// The integers that a model chose where any value would do, in order.
    pub fn chosen_values(&self, model: &Model) -> Vec<Option<i128>> {
        let mut evaluator = Evaluator::new(&self.session.store, model);
        let mut value = |term: TermId| match evaluator.value(term) {
            Ok(Value::Int(n)) => n.to_i128(),
            _ => None,
        };
        self.chosen.iter().map(|&(_, term)| value(term)).collect()
    }

    /// Takes one command.
    pub fn step(&mut self, command: &Command) {
        match command {
            Command::Assume(formula) => self.assume(formula),
            Command::Assign(symbol, value) => {
                let value = self.term(value);
                self.set(*symbol, value);
            }
            Command::Havoc(symbol, range) => {
                let variable = &self.view.signature.variables[*symbol];
                let value = self.session.constant(&variable.name, variable.kind);
                if let Some((min, max)) = range {
                    let store = &mut self.session.store;
                    let min = store.mk_int(bolide_base::Integer::from(*min));
                    let max = store.mk_int(bolide_base::Integer::from(*max));
                    let (above, below) = (store.mk_le(min, value), store.mk_le(value, max));
                    self.session.assert(above);
                    self.session.assert(below);
                }
                self.chosen.push((*symbol, value));
                self.set(*symbol, value);
            }
            Command::Write(field, at, value) => {
                let at = self.term(at);
                let value = match value {
                    Some(value) => self.term(value),
                    None => {
                        let kind = self.view.signature.fields[*field].kind;
                        self.session.constant("any", kind)
                    }
                };
                self.write(*field, at, value);
            }
            Command::Mark(field, at, value) => {
                let at = self.term(at);
                let value = self.session.store.mk_bool(*value);
                self.write(*field, at, value);
            }
            Command::New(symbol) => {
                let object = self.session.constant("new", Kind::Object);
                self.isolate(object);
                self.set(*symbol, object);
            }
            Command::Snapshot(to, from) => self.set_field(*to, self.state.fields[from]),
            Command::Forget(field) => {
                let info = &self.view.signature.fields[*field];
                let version = self.session.base(&info.name, info.kind);
                self.set_field(*field, version);
            }
        }
    }

    /// What a step with some commands asks, as far as its conditions stand before everything else; the execution
    /// stays where it is.
    pub fn way(&mut self, commands: &[Command]) -> Way {
        let (state, chosen) = (Rc::clone(&self.state), self.chosen.clone());
        let mut conditions = Vec::new();
        for command in commands {
            match command {
                Command::Assume(formula) => {
                    let here = Rc::clone(&self.state);
                    conditions.push(self.session.define(&here, &[], formula));
                }
                Command::Havoc(..) => self.step(command),
                _ => break,
            }
        }
        let asks = !conditions.is_empty();
        let condition = self.session.store.mk_and(&conditions);
        let state = std::mem::replace(&mut self.state, state);
        let chosen = std::mem::replace(&mut self.chosen, chosen);
        Way { asks, condition, state, chosen }
    }

    /// Goes the way that some commands open.
    pub fn take(&mut self, way: Way, commands: &[Command]) {
        self.session.assert(way.condition);
        self.state = way.state;
        self.chosen = way.chosen;
        let first = |c: &&Command| matches!(c, Command::Assume(_) | Command::Havoc(..));
        for command in commands.iter().skip_while(first) {
            self.step(command);
        }
    }

    fn term(&mut self, term: &Term) -> TermId {
        self.session.term(&self.state, &[], term)
    }

    fn set(&mut self, symbol: Symbol, value: TermId) {
        Rc::make_mut(&mut self.state).variables.insert(symbol, value);
    }

    fn set_field(&mut self, field: FieldId, version: Version) {
        Rc::make_mut(&mut self.state).fields.insert(field, version);
    }

    fn write(&mut self, field: FieldId, at: TermId, value: TermId) {
        let version = self.session.write(self.state.fields[&field], at, value);
        self.set_field(field, version);
    }

    /// A new object is not null, not alive, and nothing points to it.
    fn isolate(&mut self, object: TermId) {
        let null = self.session.null();
        let differs = self.session.store.mk_neq(object, null);
        self.session.assert(differs);
        let mut values: Vec<(Symbol, TermId)> =
            self.state.variables.iter().map(|(s, t)| (*s, *t)).collect();
        values.sort_unstable();
        for (symbol, value) in values {
            if self.view.signature.variables[symbol].kind == Kind::Object {
                let differs = self.session.store.mk_neq(object, value);
                self.session.assert(differs);
            }
        }
        let alive = self.session.read(self.state.fields[&self.view.fields.alive], object);
        let dead = self.session.store.mk_not(alive);
        self.session.assert(dead);
        let fresh = [(self.view.new, object)];
        let (v, new) = (Term::Var(self.view.bound), Term::Var(self.view.new));
        let view = self.view;
        let no_place = view.unless_place(new.clone(), Formula::False).negate();
        self.session.assume_with(&self.state, &fresh, &no_place);
        for &field in
            view.fields.links.iter().chain(&view.fields.old_links).chain(&view.fields.parents)
        {
            let isolated = if self.reach.contains(&field) {
                let reached = Formula::reach(field, v.clone(), new.clone());
                Formula::implies(reached, Formula::Eq(v.clone(), new.clone()))
            } else {
                Formula::ne(Term::read(field, v.clone()), new.clone())
            };
            let all = Formula::Forall(vec![self.view.bound], Box::new(isolated));
            self.session.assume_with(&self.state, &fresh, &all);
        }
    }
}

/// A way on.
pub struct Way {
    /// Whether there is a condition.
    pub asks: bool,
    /// What has to hold for it to be taken.
    pub condition: TermId,
    /// After the conditions.
    state: Rc<State>,
    chosen: Vec<(Symbol, TermId)>,
}
