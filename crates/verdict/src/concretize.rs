//! Counterexamples in full: with memory that the program did not make.
//!
//! An engine's counterexample names the inputs of a path. That is not always
//! enough to execute it: the path may read memory that nothing wrote, and go
//! through pointers that come out of nowhere (inputs, uninitialised variables,
//! results of unknown functions), as programs do whose environment was cut
//! away. Formulas give such memory any contents; the interpreter has to be told
//! which.
//!
//! So the path is encoded once more, edge by edge, and solved for a run
//! that goes through no null pointer where that can be helped and whose unknown
//! pointers lead to memory of their own. The values of its inputs and of all it
//! reads become the answers that the [replay](crate::replay) gives. Nothing here is
//! trusted: the interpreter has to arrive at the violation.
//!
//! Left out: paths with calls that were not inlined, bit-fields in unwritten
//! memory, unknown pointers into objects of the program.

use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::analysis::points_to::graph::Place;
use bolide_cfa::interpreter::{Birth, MemoryPlace, environment};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::value::{Pointer, Provenance, Value};
use bolide_cfa::{EdgeId, Op, Program, Type};
use bolide_reachability::counterexample::{chosen_type, value_of};
use bolide_reachability::encode::{
    Environment, Evaluator, Read, Rewritten, Slot, Slots, Symbolic, UNBOUNDED, execute,
    first_free_object, initial_state, object_number,
};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::evaluate::evaluate;
use bolide_terms::{Model, TermId, TermStore};

/// Longer paths are not solved again.
const EDGES: usize = 20_000;
/// Rounds of giving up wishes that contradict the path.
const ROUNDS: usize = 200;
/// Objects from this number on are not the program's.
const OUTSIDE: i64 = 1 << 30;

/// A run: what it is told.
#[derive(Debug, Default)]
pub struct Concrete {
    /// The values that nondeterministic edges chose, in order.
    pub choices: Vec<(EdgeId, Value)>,
    /// What memory holds that nothing wrote.
    pub memory: HashMap<MemoryPlace, Value>,
    /// What edges read from memory, in order: for where the place is not known.
    pub reads: Vec<(EdgeId, Value)>,
}

enum Event {
    Chosen(EdgeId, Symbolic, Type),
    Made(EdgeId, TermId),
    Read(EdgeId, Read),
}

/// The path as a formula.
struct Encoded {
    formulas: Vec<TermId>,
    /// What should hold too, if it can.
    wishes: Vec<TermId>,
    events: Vec<Event>,
}

/// Where pointers lead that nobody gave a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nowhere {
    /// Nowhere: null, or an address where nothing lives.
    Null,
    /// To memory of the environment where the path goes through them.
    WhereNeeded,
    /// To memory of the environment wherever the path allows that: parts of
    /// the program that were sliced away may go through them.
    Outside,
}

/// Solves the path of the explored program for a run; none where that fails.
pub fn concretize(
    explored: &Mapped,
    path: &[EdgeId],
    nowhere: Nowhere,
    budget: &Budget,
) -> Option<Concrete> {
    if path.len() > EDGES {
        return None;
    }
    let mut store = TermStore::new();
    let slots = Slots::new(&explored.program, &mut store);
    let encoded = encode(explored, &slots, &mut store, path, nowhere)?;
    let model = solve(&mut store, &encoded, budget)?;
    Some(read_off(explored, &store, &encoded.events, &model, nowhere != Nowhere::Null))
}

fn encode(
    explored: &Mapped,
    slots: &Slots,
    store: &mut TermStore,
    path: &[EdgeId],
    nowhere: Nowhere,
) -> Option<Encoded> {
    let program = &explored.program;
    let formulas = vec![initial_state(program, slots, store, &|_| true)];
    let start = Environment::initial(slots);
    let mut env = start.clone();
    env.set(slots.find(Slot::NextObject)?, store.mk_int(first_free_object(program)));
    let (zero, border) = (store.mk_int(0), store.mk_int(OUTSIDE));
    let (wishes, unknown, rewritten, events) = Default::default();
    let shadow = Shadow::default();
    let mut encoder = Encoder {
        program,
        slots,
        store,
        start,
        zero,
        formulas,
        wishes,
        unknown,
        shadow,
        rewritten,
        events,
    };
    for (number, &edge) in path.iter().enumerate() {
        encoder.step(&mut env, number, edge)?;
    }
    encoder.lead_apart(nowhere, border);
    let Encoder { formulas, mut wishes, events, .. } = encoder;
    let mut seen: HashSet<TermId> = HashSet::default();
    wishes.retain(|&wish| seen.insert(wish));
    Some(Encoded { formulas, wishes, events })
}

/// A path on its way to formulas.
struct Encoder<'a> {
    program: &'a Program,
    slots: &'a Slots,
    store: &'a mut TermStore,
    /// The state before the path.
    start: Environment,
    zero: TermId,
    formulas: Vec<TermId>,
    wishes: Vec<TermId>,
    /// Objects that pointers out of nowhere lead to.
    unknown: Vec<TermId>,
    shadow: Shadow,
    /// What long copies did.
    rewritten: Vec<Rewritten>,
    events: Vec<Event>,
}

impl Encoder<'_> {
    /// One edge; none where it is a call.
    fn step(&mut self, env: &mut Environment, number: usize, id: EdgeId) -> Option<()> {
        let op = &self.program.edges[id].op;
        if matches!(op, Op::Call { .. } | Op::CallIndirect { .. }) {
            return None;
        }
        let prefix = format!("{number}!");
        let mut ev = Evaluator::new(self.program, self.slots, self.store, &|_| UNBOUNDED, &prefix);
        if let Op::Store { access, value } = op {
            let target = ev.evaluate(env, access.pointer);
            let value = ev.evaluate(env, *value);
            let (object, offset) = target.pointer(ev.store);
            self.wishes.push(ev.store.mk_gt(object, self.zero));
            if access.bits.is_none() {
                self.shadow.wrote(object, offset, access.ty, value);
            }
        }
        if matches!(op, Op::Alloc { .. }) {
            let next = env.get(self.slots.find(Slot::NextObject)?);
            self.events.push(Event::Made(id, next));
        }
        ev.rewritten = std::mem::take(&mut self.rewritten);
        let effect = execute(&mut ev, env, op);
        self.rewritten = std::mem::take(&mut ev.rewritten);
        let (reads, locals) = (std::mem::take(&mut ev.reads), std::mem::take(&mut ev.locals));
        self.formulas.push(effect.guard);
        for read in reads {
            self.read(&read, &locals);
            self.events.push(Event::Read(id, read));
        }
        if let Some(chosen) = effect.chosen
            && let Some(ty) = chosen_type(self.program, id)
        {
            if let Symbolic::Pointer(object, offset) = chosen {
                self.unknown.push(object);
                self.wishes.push(self.store.mk_eq(offset, self.zero));
            }
            self.events.push(Event::Chosen(id, chosen, ty));
        }
        Some(())
    }

    /// What a value that was read should be.
    fn read(&mut self, read: &Read, locals: &[TermId]) {
        let store = &mut *self.store;
        self.wishes.push(store.mk_gt(read.object, self.zero));
        let known = self.shadow.read(read, locals);
        if let Some(known) = known {
            self.wishes.push(same(store, known, read.value));
            return;
        }
        // Pointers in memory that nothing wrote lead outside.
        let Symbolic::Pointer(object, offset) = read.value else { return };
        let unwritten = match self.slots.find(Slot::Cells(read.access.region)) {
            // The region is not tracked: any value.
            _ if locals.contains(&object) => {
                self.wishes.push(store.mk_eq(offset, self.zero));
                object
            }
            Some(cells) => {
                let row = store.mk_select(self.start.get(cells), read.object);
                store.mk_select(row, read.offset)
            }
            None => object,
        };
        self.unknown.push(unwritten);
    }

    /// Pointers out of nowhere lead each to memory of its own; else outside; else at least not to an
    /// object of the program.
    fn lead_apart(&mut self, nowhere: Nowhere, border: TermId) {
        let (store, zero) = (&mut *self.store, self.zero);
        let mut seen: HashSet<TermId> = HashSet::default();
        self.unknown.retain(|&object| seen.insert(object));
        for (k, &object) in self.unknown.iter().enumerate() {
            let own = store.mk_int(OUTSIDE + 1 + k as i64);
            let own = store.mk_eq(object, own);
            let null = store.mk_eq(object, zero);
            let outside = store.mk_ge(object, border);
            if nowhere == Nowhere::Outside {
                self.wishes.extend([outside, own]);
            }
            self.wishes.push(store.mk_or(&[null, outside]));
            self.wishes.push(store.mk_or(&[null, own]));
        }
    }
}

/// What memory holds in regions that the formulas do not track. They let it
/// hold anything at any time; a run that can be executed has it hold what was written or
/// read there last.
#[derive(Default)]
struct Shadow {
    cells: HashMap<(TermId, TermId, Type), Symbolic>,
    /// Constants that were read and should be what was read before.
    aliases: HashMap<TermId, TermId>,
}

impl Shadow {
    fn key(&self, object: TermId, offset: TermId, ty: Type) -> (TermId, TermId, Type) {
        let known = |term| self.aliases.get(&term).copied().unwrap_or(term);
        (known(object), known(offset), ty)
    }

    fn wrote(&mut self, object: TermId, offset: TermId, ty: Type, value: Symbolic) {
        let key = self.key(object, offset, ty);
        self.cells.insert(key, value);
    }

    /// What an untracked read should yield; none when it is the first there.
    fn read(&mut self, read: &Read, fresh: &[TermId]) -> Option<Symbolic> {
        let (a, b) = match read.value {
            Symbolic::Pointer(object, offset) => (object, Some(offset)),
            Symbolic::Int(value, _) | Symbolic::Bool(value) => (value, None),
        };
        if !fresh.contains(&a) || read.access.bits.is_some() || read.access.volatile {
            return None;
        }
        let key = self.key(read.object, read.offset, read.access.ty);
        let Some(&known) = self.cells.get(&key) else {
            self.cells.insert(key, read.value);
            return None;
        };
        if let (Symbolic::Pointer(object, offset), Some(b)) = (known, b) {
            self.aliases.insert(a, object);
            self.aliases.insert(b, offset);
        }
        Some(known)
    }
}

fn same(store: &mut TermStore, a: Symbolic, b: Symbolic) -> TermId {
    match (a, b) {
        (Symbolic::Pointer(a, f), Symbolic::Pointer(b, g)) => {
            let (objects, offsets) = (store.mk_eq(a, b), store.mk_eq(f, g));
            store.mk_and(&[objects, offsets])
        }
        (Symbolic::Int(a, _), Symbolic::Int(b, _)) | (Symbolic::Bool(a), Symbolic::Bool(b)) => {
            store.mk_eq(a, b)
        }
        _ => store.mk_true(),
    }
}

/// A model of the path and of as many wishes as it can easily have.
fn solve(store: &mut TermStore, encoded: &Encoded, budget: &Budget) -> Option<Model> {
    let mut solver = Solver::new(Config::default());
    for &formula in &encoded.formulas {
        solver.assert(store, formula, 0);
    }
    let mut wishes = encoded.wishes.clone();
    for round in 0..ROUNDS {
        if round + 1 == ROUNDS {
            wishes.clear();
        }
        match solver.check(store, &wishes, budget) {
            Answer::Sat => return solver.take_model(),
            Answer::Unsat => {
                let core = solver.unsat_core().to_vec();
                // The later ones ask for more.
                let last = wishes.iter().rposition(|wish| core.contains(wish))?;
                wishes.remove(last);
            }
            Answer::Unknown(_) if wishes.is_empty() => return None,
            Answer::Unknown(_) => wishes.clear(),
        }
    }
    None
}

/// Which objects the numbers of a model stand for.
struct Objects {
    births: HashMap<i128, Birth>,
    /// How often each edge of the original program allocated so far.
    made: HashMap<EdgeId, u32>,
    outside: HashMap<i128, u64>,
    allowed: bool,
}

impl Objects {
    fn birth(&mut self, number: i128) -> Option<Birth> {
        if let Some(&known) = self.births.get(&number) {
            return Some(known);
        }
        if number < i128::from(OUTSIDE) || !self.allowed {
            return None;
        }
        let next = self.outside.len() as u64;
        Some(Birth::Environment(*self.outside.entry(number).or_insert(next)))
    }

    /// The pointer; null where it cannot be made. Where there is no memory
    /// outside, it leads to an address where nothing is.
    fn pointer(&mut self, number: i128, offset: i128) -> Pointer {
        let object = match self.birth(number) {
            Some(Birth::Environment(object)) => object,
            None if number >= i128::from(OUTSIDE) => 0,
            _ => return Pointer::NULL,
        };
        let offset = i64::try_from(offset).ok();
        let found = offset.and_then(|offset| environment::pointer(object, offset));
        match found {
            Some(pointer) if self.allowed => pointer,
            Some(Pointer { address, .. }) => Pointer { address, provenance: Provenance::NONE },
            None => Pointer::NULL,
        }
    }
}

fn read_off(
    explored: &Mapped,
    store: &TermStore,
    events: &[Event],
    model: &Model,
    outside: bool,
) -> Concrete {
    let program = &explored.program;
    let mut objects = Objects {
        births: program
            .objects
            .ids()
            .map(|id| (i128::from(object_number(id)), Birth::Static(explored.objects[id])))
            .collect(),
        made: HashMap::default(),
        outside: HashMap::default(),
        allowed: outside,
    };
    let number =
        |term: TermId| evaluate(store, model, term).ok().and_then(|v| v.as_integer()?.to_i128());
    let concrete = |objects: &mut Objects, symbolic: Symbolic, ty: Type| match symbolic {
        Symbolic::Pointer(object, offset) => {
            let place = number(object).zip(number(offset));
            let pointer = place.map_or(Pointer::NULL, |(o, f)| objects.pointer(o, f));
            Value::Pointer(pointer)
        }
        _ => value_of(symbolic, ty, |term| evaluate(store, model, term).ok()),
    };
    let mut run = Concrete::default();
    for event in events {
        match event {
            Event::Made(edge, object) => {
                let site = explored.edges[*edge].last();
                if let (Some(&site), Some(n)) = (site, number(*object)) {
                    let count = objects.made.entry(site).or_insert(0);
                    objects.births.insert(n, Birth::Made(site, *count));
                    *count += 1;
                }
            }
            Event::Chosen(edge, symbolic, ty) => {
                let value = concrete(&mut objects, *symbolic, *ty);
                let target = program.edges[*edge].op.target();
                match target.map(|v| explored.variables[v]) {
                    // An object that was given back its name.
                    Some(VariableOrigin::Memory { place: Place::Site(site), offset }) => {
                        let made = objects.made.get(&site).copied().unwrap_or(1);
                        let object = Birth::Made(site, made.saturating_sub(1));
                        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
                        run.memory.entry(MemoryPlace { object, offset }).or_insert(value);
                    }
                    _ => run.choices.push((*edge, value)),
                }
            }
            Event::Read(edge, read) if read.access.bits.is_none() => {
                let value = concrete(&mut objects, read.value, read.access.ty);
                // Required: a pointer to an object of the program cannot be said; mostly it was written.
                let inside = |&object: &i128| objects.births.contains_key(&object);
                if let Symbolic::Pointer(object, _) = read.value
                    && number(object).as_ref().is_some_and(inside)
                {
                    continue;
                }
                run.reads.push((*edge, value));
                let place = number(read.object).zip(number(read.offset));
                if let Some((object, offset)) = place
                    && let Some(object) = objects.birth(object)
                    && let Ok(offset) = i64::try_from(offset)
                {
                    run.memory.entry(MemoryPlace { object, offset }).or_insert(value);
                }
            }
            Event::Read(..) => {}
        }
    }
    run
}
