//! The decision procedure: formulas are made ground and given to the prover.
//!
//! **Versions.** A state gives each field a [`Version`]. The fields of the
//! first state are *base* versions; a write `x->f = y` makes a new version that is
//! defined by the one before: a read of it is split into the two cases, and `btwn` along it is
//! replaced by the update formula ([`update`]). So only base versions
//! need the axioms of reachability.
//!
//! **Axioms by need.** During search, at every assignment that satisfies all theories, the session looks for
//! instances of the axioms (see [`axioms`](crate::axioms)) that it violates; these are added and the search goes on. Instances range over the ground terms of the problem, one
//! representative of each class of equal ones; there are finitely many.
//!
//! **Quantifiers.** In what is assumed, existential quantifiers become fresh
//! constants; universal ones are instantiated with the ground terms of the
//! problem, but for those that instances brought in.
//! Dropping an instance only weakens what is assumed. A [thorough](Session::thorough) search drops fewer, and names the objects
//! that there are by [induction](named).
//!
//! **What it decides.** A refutation is right always. Whether a state that was not refuted exists for
//! certain, [`Session::certainty`] says; the fragment is described [there](crate::Certainty). Field
//! constraints are Figure 5.7 of the thesis done on ground terms: `f(t)` itself is the new variable, congruence its
//! consistency.

use crate::compiled::{Compiled, Node};
use crate::formula::{FieldId, Formula, Kind, Symbol, Term};
use bolide_base::{HashMap, HashSet, Rational, define_id};
use bolide_smt::solver::{Config, Solver};
use bolide_terms::{FunctionId, SortId, TermId, TermStore};
use std::rc::Rc;

mod named;
mod solving;
mod update;

define_id!(
    /// A field at one time.
    pub struct Version
);

pub(crate) struct VersionInfo {
    pub name: String,
    pub kind: Kind,
    pub function: FunctionId,
    pub btwn: Option<FunctionId>,
    /// The version before, the object written to and the value.
    pub write: Option<(Version, TermId, TermId)>,
    /// Argument and application, in the order of making.
    pub reads: Vec<(TermId, TermId)>,
    /// Arguments and atoms of `btwn`, where axioms say what it is.
    pub atoms: Vec<([TermId; 3], TermId)>,
}

/// The values of variables and the versions of fields at one time.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Of every variable that formulas about this state use.
    pub variables: HashMap<Symbol, TermId>,
    /// Of every field that formulas about this state use.
    pub fields: HashMap<FieldId, Version>,
}

pub(crate) struct Universal {
    pub(crate) guard: TermId,
    pub(crate) bound: Vec<Symbol>,
    pub(crate) body: Rc<Formula>,
    compiled: Rc<Compiled>,
    pub(crate) negated: bool,
    pub(crate) outer: Vec<(Symbol, TermId)>,
    pub(crate) state: Rc<State>,
    generation: u32,
    /// Instances by the objects put in.
    instances: HashMap<Vec<TermId>, TermId>,
    /// Ground terms that were put in, when there is one bound variable.
    seen: usize,
    /// For each bound variable the fields that are read at it, when instances
    /// are to be made only where such reads occur.
    triggers: Vec<Vec<Version>>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The budget was exhausted.
    Exhausted(bolide_base::Exhausted),
    /// The prover gave up, or the proof was refused.
    Prover(String),
}

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Undecided::Exhausted(why) => why.fmt(f),
            Undecided::Prover(why) => f.write_str(why),
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of [`Session::check`].
    pub checks: u64,
    /// Calls of the prover.
    pub rounds: u64,
    /// Instances of axioms and quantifiers that were added.
    pub instances: u64,
}

/// The ground objects of a problem.
#[derive(Default)]
pub(crate) struct Ground {
    /// With the number of instantiations that made them, in the order of making.
    pub(crate) objects: Vec<(TermId, u32)>,
    known: HashSet<TermId>,
    /// Those that may be put in for quantified variables.
    old: HashSet<TermId>,
    /// Reads and `btwn` atoms that were made.
    atoms: HashSet<TermId>,
    /// How many instantiations make what is made now.
    generation: u32,
}

/// Objects that refute goals: the same constants for all goals of a session.
#[derive(Default)]
struct Witnesses {
    all: Vec<TermId>,
    /// The next one, while a goal is stated.
    next: Option<usize>,
    /// How many of them stand behind a switch.
    behind: HashMap<TermId, usize>,
    /// How many of them the present question has; all before the first one.
    present: Option<usize>,
    /// Of objects that are one of them or read at one: which.
    belongs: HashMap<TermId, usize>,
}

/// What a constant for an object on a path stands for, with the start of the path and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Named {
    /// The object before the end.
    Predecessor(Version, TermId, TermId),
    /// The first object at which the versions differ.
    Difference(Version, Version, TermId, TermId),
}

/// One problem.
pub struct Session {
    /// Its terms.
    pub store: TermStore,
    solver: Solver,
    object: SortId,
    null: TermId,
    pub(crate) versions: Vec<VersionInfo>,
    pub(crate) ground: Ground,
    asserted: HashSet<TermId>,
    pub(crate) universals: Vec<Universal>,
    fresh: u32,
    proofs: bool,
    /// During search: what is to be asserted there.
    pending: Option<Vec<TermId>>,
    /// Guards that checks assume or not.
    switches: HashSet<TermId>,
    witnesses: Witnesses,
    /// The one variable whose quantifiers are instantiated at every object;
    /// others only where a field that is read at them is read already. None: all are.
    pub everywhere: Option<Symbol>,
    /// Where nothing else contradicts a state: whether quantifiers are put in at all objects after all, and
    /// objects that there are by induction are named. A refutation may need that; what is not refuted costs more.
    pub thorough: bool,
    /// Whether the present search came so far.
    widened: bool,
    /// Objects that there are by induction.
    named: HashMap<Named, TermId>,
    /// The objects that stand for places of arrays, by number, once there is one.
    places: Option<FunctionId>,
    /// A field that is read at objects only to tell them from others: instances are not made for its sake.
    pub quiet: Option<Version>,
    /// What was done so far.
    pub statistics: Statistics,
}

impl Session {
    /// An empty problem; with proofs, every refutation is checked before it counts.
    pub fn new(proofs: bool) -> Session {
        let mut store = TermStore::new();
        let object = store.mk_uninterpreted_sort("Obj");
        let null = store.mk_const("null", object);
        let mut session = Session {
            store,
            solver: Solver::new(Config { proofs }),
            object,
            null,
            versions: Vec::new(),
            ground: Ground::default(),
            asserted: HashSet::default(),
            universals: Vec::new(),
            fresh: 0,
            proofs,
            pending: None,
            switches: HashSet::default(),
            witnesses: Witnesses::default(),
            everywhere: None,
            thorough: false,
            widened: false,
            named: HashMap::default(),
            places: None,
            quiet: None,
            statistics: Statistics::default(),
        };
        session.know(null);
        session
    }

    // State a problem.

    /// The null object.
    pub fn null(&self) -> TermId {
        self.null
    }

    /// A fresh constant.
    pub fn constant(&mut self, name: &str, kind: Kind) -> TermId {
        self.fresh += 1;
        let name = format!("{name}'{}", self.fresh);
        let sort = self.sort(kind);
        let term = self.store.mk_const(&name, sort);
        if kind == Kind::Object {
            self.know(term);
        }
        term
    }

    fn sort(&self, kind: Kind) -> SortId {
        match kind {
            Kind::Object => self.object,
            Kind::Integer => SortId::INT,
            Kind::Truth => SortId::BOOL,
        }
    }

    /// An object that the problem speaks of, or that an instance brings in. What an instance brought in and the problem
    /// speaks of later is put in for quantified variables from then on: no answer depends on what was asked before.
    fn know(&mut self, object: TermId) {
        let is_new = self.ground.known.insert(object);
        if is_new {
            let belongs = &mut self.witnesses.belongs;
            let parts = self.store.args(object).iter();
            if let Some(&witness) = parts.filter_map(|part| belongs.get(part)).max() {
                belongs.insert(object, witness);
            }
        }
        let is_old = self.ground.generation == 0 && self.ground.old.insert(object);
        if is_new || is_old {
            self.ground.objects.push((object, self.ground.generation));
        }
    }

    /// A field about which nothing is known.
    pub fn base(&mut self, name: &str, kind: Kind) -> Version {
        self.make_version(name, kind, None)
    }

    /// The field after a write to it.
    pub fn write(&mut self, of: Version, at: TermId, value: TermId) -> Version {
        let info = &self.versions[index(of)];
        let (name, kind) = (info.name.clone(), info.kind);
        let version = self.make_version(&name, kind, Some((of, at, value)));
        self.read(version, at);
        version
    }

    fn make_version(
        &mut self,
        name: &str,
        kind: Kind,
        write: Option<(Version, TermId, TermId)>,
    ) -> Version {
        self.fresh += 1;
        let label = format!("{name}'{}", self.fresh);
        let result = self.sort(kind);
        let function = self.store.declare_fn(&label, &[self.object], result);
        let info = VersionInfo {
            name: name.to_owned(),
            kind,
            function,
            btwn: None,
            write,
            reads: Vec::new(),
            atoms: Vec::new(),
        };
        self.versions.push(info);
        let version = bolide_base::arena::Id::from_index(self.versions.len() - 1);
        if kind == Kind::Object && write.is_none() {
            let null = self.null;
            let read = self.read(version, null);
            let fact = self.store.mk_eq(read, null);
            self.assert(fact);
        }
        version
    }

    /// The value of a field.
    pub fn read(&mut self, version: Version, of: TermId) -> TermId {
        let info = &self.versions[index(version)];
        let (function, kind, write) = (info.function, info.kind, info.write);
        if let Some((_, at, value)) = write
            && at == of
        {
            return value;
        }
        let term = self.store.mk_app(function, &[of]);
        if kind == Kind::Object {
            self.know(term);
        }
        if !self.ground.atoms.insert(term) {
            return term;
        }
        self.versions[index(version)].reads.push((of, term));
        if let Some((before, at, value)) = write {
            let old = self.read(before, of);
            let hit = self.store.mk_eq(of, at);
            let miss = self.store.mk_not(hit);
            let (new, kept) = (self.store.mk_eq(term, value), self.store.mk_eq(term, old));
            let then = self.store.mk_implies(hit, new);
            let other = self.store.mk_implies(miss, kept);
            self.assert(then);
            self.assert(other);
        }
        term
    }

    /// Whether the second lies on the path from the first to the third.
    pub fn btwn(&mut self, version: Version, x: TermId, y: TermId, z: TermId) -> TermId {
        let function = match self.versions[index(version)].btwn {
            Some(function) => function,
            None => {
                let name = self.store.function_name(self.versions[index(version)].function);
                let name = format!("btwn.{name}");
                let arguments = [self.object; 3];
                let function = self.store.declare_fn(&name, &arguments, SortId::BOOL);
                self.versions[index(version)].btwn = Some(function);
                function
            }
        };
        let atom = self.store.mk_app(function, &[x, y, z]);
        if !self.ground.atoms.insert(atom) {
            return atom;
        }
        let info = &mut self.versions[index(version)];
        let Some((before, at, value)) = info.write else {
            info.atoms.push(([x, y, z], atom));
            return atom;
        };
        let meaning = self.update(before, at, value, [x, y, z]);
        let fact = self.store.mk_iff(atom, meaning);
        self.assert(fact);
        atom
    }

    /// Whether the second can be reached from the first.
    pub fn reach(&mut self, version: Version, x: TermId, y: TermId) -> TermId {
        self.btwn(version, x, y, y)
    }

    /// Adds a ground formula; false when it was there.
    pub fn assert(&mut self, formula: TermId) -> bool {
        // What says nothing is nothing new: a search that goes on after it would have nothing to go on with.
        if formula == self.store.mk_true() || !self.asserted.insert(formula) {
            return false;
        }
        match &mut self.pending {
            Some(pending) => pending.push(formula),
            None => self.solver.assert(&mut self.store, formula, 0),
        }
        true
    }

    /// Assumes a formula about a state.
    pub fn assume(&mut self, state: &Rc<State>, formula: &Formula) {
        self.assume_with(state, &[], formula);
    }

    /// Assumes a formula about a state in which more variables have a value.
    pub fn assume_with(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        formula: &Formula,
    ) {
        let guard = self.store.mk_true();
        self.assume_part(state, bound, formula, false, guard);
    }

    /// A truth value of which nothing is known yet. What is assumed behind it is looked at only by checks that
    /// assume it.
    pub fn switch(&mut self) -> TermId {
        let switch = self.constant("switch", Kind::Truth);
        self.switches.insert(switch);
        switch
    }

    /// Assumes that a formula does not hold where the switch does. The objects that refute it are the same
    /// constants for all formulas: assume one such switch at a time.
    pub fn refute_if(&mut self, switch: TermId, state: &Rc<State>, formula: &Formula) {
        self.witnesses.next = Some(0);
        self.assume_part(state, &[], formula, true, switch);
        let used = self.witnesses.next.take().unwrap_or(0);
        self.witnesses.behind.insert(switch, used);
    }

    /// An object for an existential quantifier.
    fn witness(&mut self) -> TermId {
        let Some(at) = self.witnesses.next else { return self.constant("some", Kind::Object) };
        self.witnesses.next = Some(at + 1);
        if at == self.witnesses.all.len() {
            let witness = self.constant("some", Kind::Object);
            self.witnesses.belongs.insert(witness, at);
            self.witnesses.all.push(witness);
        }
        self.witnesses.all[at]
    }

    /// Whether the present question speaks of an object. Of those that refute other goals nothing needs to be known.
    pub(crate) fn is_present(&self, object: TermId) -> bool {
        let Witnesses { belongs, present, .. } = &self.witnesses;
        belongs.get(&object).is_none_or(|witness| present.is_none_or(|n| *witness < n))
    }

    /// Assumes a formula about a state where the guard holds.
    pub fn assume_if(&mut self, guard: TermId, state: &Rc<State>, formula: &Formula) {
        self.assume_part(state, &[], formula, false, guard);
    }

    fn assume_part(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        formula: &Formula,
        negated: bool,
        guard: TermId,
    ) {
        match (formula, negated) {
            (Formula::Not(inner), _) => self.assume_part(state, bound, inner, !negated, guard),
            (Formula::And(all), false) | (Formula::Or(all), true) => {
                for part in all {
                    self.assume_part(state, bound, part, negated, guard);
                }
            }
            (Formula::Forall(symbols, body), false) | (Formula::Exists(symbols, body), true) => {
                self.universal(state, bound, symbols, body, negated, guard);
            }
            _ => {
                let ground = self.encode(state, bound, formula, negated);
                let fact = self.store.mk_implies(guard, ground);
                self.assert(fact);
            }
        }
    }

    fn universal(
        &mut self,
        state: &Rc<State>,
        outer: &[(Symbol, TermId)],
        bound: &[Symbol],
        body: &Formula,
        negated: bool,
        guard: TermId,
    ) {
        // Nested quantifiers of one kind are one quantifier.
        let (mut bound, mut body) = (bound.to_vec(), body);
        while let (Formula::Forall(more, inner), false) | (Formula::Exists(more, inner), true) =
            (body, negated)
        {
            bound.extend_from_slice(more);
            body = inner;
        }
        let triggers = bound.iter().map(|&symbol| self.triggers(state, symbol, body)).collect();
        self.universals.push(Universal {
            triggers,
            guard,
            bound,
            compiled: Rc::new(Compiled::new(body)),
            body: Rc::new(body.clone()),
            negated,
            outer: outer.to_vec(),
            state: Rc::clone(state),
            generation: self.ground.generation,
            instances: HashMap::default(),
            seen: 0,
        });
    }

    /// The fields that the body reads at the symbol, unless it is to be
    /// replaced by every object.
    fn triggers(&self, state: &State, symbol: Symbol, body: &Formula) -> Vec<Version> {
        if self.everywhere.is_none_or(|everywhere| everywhere == symbol) {
            return Vec::new();
        }
        let mut found = Vec::new();
        body.terms(&mut |term| {
            if let Term::Read(field, of) = term
                && **of == Term::Var(symbol)
                && let Some(&version) = state.fields.get(field)
                && !found.contains(&version)
                && self.quiet != Some(version)
            {
                found.push(version);
            }
        });
        found
    }

    /// The objects at which one of the fields is read.
    fn triggered(&self, versions: &[Version]) -> Vec<TermId> {
        let mut found = Vec::new();
        for &version in versions {
            let info = &self.versions[index(version)];
            let reads = info.reads.iter().map(|(of, _)| *of);
            // Where the field is written later, what it held before matters too.
            let later = self.versions.iter().filter_map(|info| info.write);
            let written = later.filter(|(before, ..)| *before == version).map(|(_, at, _)| at);
            for object in reads.chain(info.write.map(|(_, at, _)| at)).chain(written) {
                if self.ground.old.contains(&object)
                    && self.is_present(object)
                    && !found.contains(&object)
                {
                    found.push(object);
                }
            }
        }
        found
    }

    /// A ground formula that holds in some extension of every model of the
    /// formula: existential quantifiers become constants, universal ones a
    /// fresh truth constant that guards their instances.
    fn encode(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        formula: &Formula,
        negated: bool,
    ) -> TermId {
        self.encode_compiled(state, bound, &Compiled::new(formula), negated)
    }

    fn encode_compiled(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        compiled: &Compiled,
        negated: bool,
    ) -> TermId {
        let atoms: Vec<TermId> =
            compiled.atoms.iter().map(|atom| self.atom(state, bound, atom)).collect();
        self.connect(state, bound, compiled, compiled.root(), negated, &atoms)
    }

    fn connect(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        compiled: &Compiled,
        at: usize,
        negated: bool,
        atoms: &[TermId],
    ) -> TermId {
        match &compiled.nodes[at] {
            Node::Atom(number) if negated => self.store.mk_not(atoms[*number]),
            Node::Atom(number) => atoms[*number],
            Node::Not(inner) => self.connect(state, bound, compiled, *inner, !negated, atoms),
            Node::List(conjunction, parts) => {
                let mut made = Vec::with_capacity(parts.len());
                for &part in parts {
                    made.push(self.connect(state, bound, compiled, part, negated, atoms));
                }
                match *conjunction != negated {
                    true => self.store.mk_and(&made),
                    false => self.store.mk_or(&made),
                }
            }
            Node::Quantified(all, symbols, body) if *all == negated => {
                let mut inner = bound.to_vec();
                for &symbol in symbols {
                    let witness = self.witness();
                    inner.push((symbol, witness));
                }
                self.encode(state, &inner, body, negated)
            }
            Node::Quantified(_, symbols, body) => {
                let guard = self.constant("all", Kind::Truth);
                self.universal(state, bound, symbols, body, negated, guard);
                guard
            }
        }
    }

    /// A quantifier-free formula about a state.
    pub fn ground(&mut self, state: &Rc<State>, formula: &Formula) -> TermId {
        self.ground_with(state, &[], formula)
    }

    /// A quantifier-free formula about a state in which more variables have a value.
    pub fn ground_with(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        formula: &Formula,
    ) -> TermId {
        debug_assert!(!formula.is_quantified());
        self.encode(state, bound, formula, false)
    }

    /// A term that is true exactly when the formula holds.
    pub fn define(
        &mut self,
        state: &Rc<State>,
        bound: &[(Symbol, TermId)],
        formula: &Formula,
    ) -> TermId {
        if !formula.is_quantified() {
            return self.encode(state, bound, formula, false);
        }
        let name = self.constant("defined", Kind::Truth);
        let not = self.store.mk_not(name);
        self.assume_part(state, bound, formula, false, name);
        self.assume_part(state, bound, formula, true, not);
        name
    }

    fn atom(&mut self, state: &Rc<State>, bound: &[(Symbol, TermId)], atom: &Formula) -> TermId {
        match atom {
            Formula::True => self.store.mk_true(),
            Formula::False => self.store.mk_false(),
            Formula::Eq(a, b) => {
                let (a, b) = (self.term(state, bound, a), self.term(state, bound, b));
                self.store.mk_eq(a, b)
            }
            Formula::Le(a, b) => {
                let (a, b) = (self.term(state, bound, a), self.term(state, bound, b));
                self.store.mk_le(a, b)
            }
            Formula::Truth(symbol) => self.variable(state, bound, *symbol),
            Formula::Holds(field, a) => {
                let a = self.term(state, bound, a);
                self.read(state.fields[field], a)
            }
            Formula::Btwn(field, a, b, c) => {
                let a = self.term(state, bound, a);
                let b = self.term(state, bound, b);
                let c = self.term(state, bound, c);
                self.btwn(state.fields[field], a, b, c)
            }
            _ => unreachable!("connectives are taken apart before"),
        }
    }

    fn variable(&self, state: &State, bound: &[(Symbol, TermId)], symbol: Symbol) -> TermId {
        match bound.iter().rev().find(|(s, _)| *s == symbol) {
            Some((_, term)) => *term,
            None => state.variables[&symbol],
        }
    }

    /// The object that stands for a place, where `number` says which place an object stands for.
    fn place(&mut self, number: Version, place: TermId) -> TermId {
        let function = match self.places {
            Some(function) => function,
            None => self.store.declare_fn("place", &[SortId::INT], self.object),
        };
        self.places = Some(function);
        let object = self.store.mk_app(function, &[place]);
        self.know(object);
        if self.ground.atoms.insert(object) {
            let zero = self.store.mk_int(bolide_base::Integer::from(0));
            let stands = self.store.mk_le(zero, place);
            let back = self.read(number, object);
            let same = self.store.mk_eq(back, place);
            let none = self.store.mk_eq(object, self.null);
            let fact = self.store.mk_ite(stands, same, none);
            self.assert(fact);
        }
        object
    }

    /// A term about a state.
    pub fn term(&mut self, state: &Rc<State>, bound: &[(Symbol, TermId)], term: &Term) -> TermId {
        match term {
            Term::Null => self.null,
            Term::Var(symbol) => self.variable(state, bound, *symbol),
            Term::Read(field, a) => {
                let a = self.term(state, bound, a);
                self.read(state.fields[field], a)
            }
            Term::Int(n) => self.store.mk_int(bolide_base::Integer::from(*n)),
            Term::Add(a, b) => {
                let (a, b) = (self.term(state, bound, a), self.term(state, bound, b));
                self.store.mk_add(&[a, b])
            }
            Term::Scale(k, a) => {
                let a = self.term(state, bound, a);
                let k = Rational::from(bolide_base::Integer::from(*k));
                self.store.mk_scale(&k, a)
            }
            Term::Index(number, place) => {
                let place = self.term(state, bound, place);
                self.place(state.fields[number], place)
            }
            Term::If(c, a, b) => {
                let c = self.encode(state, bound, c, false);
                let (a, b) = (self.term(state, bound, a), self.term(state, bound, b));
                let term = self.store.mk_ite(c, a, b);
                if self.store.sort(term) == self.object {
                    self.know(term);
                }
                term
            }
        }
    }
}

pub(crate) fn index(version: Version) -> usize {
    bolide_base::arena::Id::index(version)
}
