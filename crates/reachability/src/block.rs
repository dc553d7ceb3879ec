//! Blocks as formulas: large-block encoding.
//!
//! A block starts at a cut point and runs through a loop-free graph to other
//! cut points. One pass in topological order executes it symbolically: each
//! location gets a condition (reached from the head) and an environment (the
//! values of all slots as terms over the state constants at the head). Where
//! paths join with different values, a local constant takes the value of the
//! path that was taken. The result for each end is a [`Transition`]: a formula
//! over state constants and local constants, and the new values.
//!
//! After Beyer, Cimatti, Griggio, Keremoglu, Sebastiani: Software model
//! checking via large-block encoding (FMCAD 2009). Deviation: assignments are
//! substituted rather than named, so that a chain of them costs no constants.

use crate::encode::{
    Environment, Evaluator, Interval, Slot, SlotId, Slots, Symbolic, execute, initial_state,
};
use crate::float_interval::FloatInterval;
use crate::float_ranges::FloatRanges;
use crate::folds;
use crate::instances::{indices, instances, is_about_indices, places};
use crate::sums;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::analysis::{
    BlockId, BlockOptions, Blocks, CallGraph, Flow, Liveness, Loops, ModRef,
};
use bolide_cfa::{EdgeId, Expr, ExprId, FunctionId, LocId, Op, Program, Type, VarId};
use bolide_terms::{TermId, TermStore};
use std::rc::Rc;

/// From a cut point to the next, as a formula.
#[derive(Debug)]
pub struct Transition {
    /// Where from.
    pub from: LocId,
    /// Where to.
    pub to: LocId,
    /// Holds of state constants (before) and local constants exactly when the
    /// block can be run to `to`.
    pub formula: TermId,
    /// Slots with new values, sorted: terms over the same constants.
    pub outputs: Vec<(SlotId, TermId)>,
    /// Local constants of the block.
    pub locals: Rc<Vec<TermId>>,
    /// State constants that the formula or the outputs mention.
    pub inputs: Vec<SlotId>,
    /// How a run is read off a model.
    steps: Rc<BlockSteps>,
}

/// The edges of a block with the conditions under which they are taken.
#[derive(Debug, Default)]
struct BlockSteps {
    /// For each location, the edges that arrive, with the condition that this
    /// edge was taken to it.
    arriving: HashMap<LocId, Vec<(EdgeId, TermId)>>,
    /// The values that nondeterministic edges chose.
    chosen: HashMap<EdgeId, Symbolic>,
    /// Where each edge comes from.
    sources: HashMap<EdgeId, LocId>,
}

impl Transition {
    /// The edges that a model took, first to last. `holds` says whether a
    /// term over state and local constants is true in the model.
    pub fn edges_taken(&self, mut holds: impl FnMut(TermId) -> bool) -> Option<Vec<EdgeId>> {
        let mut edges = Vec::new();
        let mut at = self.to;
        // The head may be the end too: a loop's block comes back to it.
        while edges.is_empty() || at != self.from {
            let arriving = self.steps.arriving.get(&at)?;
            let &(edge, _) = arriving.iter().find(|(_, taken)| holds(*taken))?;
            edges.push(edge);
            at = self.steps.sources[&edge];
        }
        edges.reverse();
        Some(edges)
    }

    /// The new values by state constant: to substitute in what is said of the state after.
    pub fn new_values(&self, slots: &Slots) -> HashMap<TermId, TermId> {
        self.outputs.iter().map(|&(slot, value)| (slots.constant(slot), value)).collect()
    }

    /// Whether the edge is one of those that lead to the end of the block.
    pub fn ends_with(&self, edge: EdgeId) -> bool {
        let arriving = self.steps.arriving.get(&self.to);
        arriving.is_some_and(|list| list.iter().any(|(e, _)| *e == edge))
    }

    /// That an edge of this block is taken, over state and local constants.
    pub fn taken(&self, edge: EdgeId) -> Option<TermId> {
        let mut all = self.steps.arriving.values().flatten();
        all.find(|(e, _)| *e == edge).map(|(_, taken)| *taken)
    }

    /// What a nondeterministic edge of this block chose.
    pub fn chosen(&self, edge: EdgeId) -> Option<Symbolic> {
        self.steps.chosen.get(&edge).copied()
    }
}

/// A program cut into blocks, each encoded when it is first asked for.
pub struct BlockProgram<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its slots.
    pub slots: Slots,
    /// Its cut points.
    pub blocks: Blocks,
    loops: Loops,
    liveness: Liveness,
    /// Slots that some expression reads.
    relevant: HashSet<SlotId>,
    /// Variables that say where strings end; they matter also where nothing reads them any more.
    ends: HashSet<VarId>,
    intervals: Box<dyn Fn(LocId, ExprId) -> Interval + 'p>,
    floats: FloatRanges,
    encoded: HashMap<BlockId, Rc<Vec<Rc<Transition>>>>,
    initial: TermId,
    /// Facts that hold at cut points, assumed of the source of transitions.
    known: HashMap<LocId, TermId>,
}

fn bounds(found: Option<FloatInterval>) -> Interval {
    (found.map(|i| i.lo), found.map(|i| i.hi))
}

impl<'p> BlockProgram<'p> {
    /// Cuts `program`. `intervals` gives what a value-range analysis knows.
    pub fn new(
        program: &'p Program,
        store: &mut TermStore,
        options: BlockOptions,
        intervals: Box<dyn Fn(LocId, ExprId) -> Interval + 'p>,
    ) -> Self {
        let flow = Flow::new(program);
        let loops = Loops::new(program, &flow);
        let calls = CallGraph::new(program);
        let effects = ModRef::new(program, &calls);
        let liveness = Liveness::new(program, &flow, &calls, &effects);
        let blocks = Blocks::new(program, &flow, &loops, options);
        let floats = FloatRanges::new(program, &loops, &intervals);
        let slots = Slots::new(program, store);
        let relevant = relevant_slots(program, &slots);
        let initial = initial_state(program, &slots, store, &|slot| relevant.contains(&slot));
        BlockProgram {
            program,
            slots,
            blocks,
            loops,
            liveness,
            relevant,
            floats,
            ends: ends_of_strings(program),
            intervals,
            encoded: HashMap::default(),
            initial,
            known: HashMap::default(),
        }
    }

    /// The formula of initial states over state constants.
    pub fn initial(&self) -> TermId {
        self.initial
    }

    /// Where the run starts.
    pub fn entry(&self) -> LocId {
        self.entry_of(self.program.entry)
    }

    /// Where a function starts that is entered, and so has a body.
    pub fn entry_of(&self, function: FunctionId) -> LocId {
        self.program.functions[function].body.expect("what is entered has a body").entry
    }

    /// Whether a loop starts at the cut point.
    pub fn is_loop_head(&self, location: LocId) -> bool {
        self.loops.is_head(location)
    }

    /// Whether anything in the program reads the slot.
    pub fn is_relevant(&self, slot: SlotId) -> bool {
        self.relevant.contains(&slot)
    }

    /// What the value-range analysis knows of an integer expression at a location; of a float, in which ranks
    /// it may lie.
    pub fn interval(&self, at: LocId, expr: ExprId) -> Interval {
        match self.program.exprs.type_of(expr) {
            Type::Float(_) => bounds(self.floats.at(self.program, at, expr, &self.intervals)),
            _ => (self.intervals)(at, expr),
        }
    }

    /// In which ranks a float may lie at a location on each piece of the inputs.
    fn pieces(&self, at: LocId, expr: ExprId) -> Vec<Interval> {
        let all = self.floats.on_pieces(self.program, at, expr, &self.intervals);
        all.into_iter().map(bounds).collect()
    }

    /// In which intervals variables that are floats may lie at a location.
    pub fn float_intervals(&self, at: LocId) -> Vec<(VarId, FloatInterval)> {
        let matters = |var| self.slots.find(Slot::Value(var)).is_some_and(|s| self.matters(s, at));
        let all = self.floats.of_variables(at).into_iter();
        all.filter(|(var, _)| matters(*var)).collect()
    }

    /// Strengthens every transition by what is known of its source. The
    /// transitions that were handed out before stay as they are.
    pub fn assume_invariants(&mut self, known: &HashMap<LocId, TermId>) {
        self.known = known.clone();
        self.encoded.clear();
    }

    /// What is said of the source of a transition, and what that means at the places that the transition reads
    /// and writes, if it is about all indices; with the laws of the sums in it.
    pub fn at_places(&self, store: &mut TermStore, said: TermId, block: &Transition) -> TermId {
        let values: Vec<TermId> = block.outputs.iter().map(|o| o.1).collect();
        self.said_at_places(store, said, block.formula, values)
    }

    fn said_at_places(
        &self,
        store: &mut TermStore,
        said: TermId,
        formula: TermId,
        mut terms: Vec<TermId>,
    ) -> TermId {
        let mut all = folds::laws(store, &[said]);
        all.push(said);
        // Required: the index constants are no variables of the program.
        let foreign = indices(store).iter().all(|&index| self.slots.of_constant(index).is_none());
        if foreign && is_about_indices(store, said) {
            terms.push(formula);
            let is_state = |constant| self.slots.of_constant(constant).is_some();
            let places = places(store, &terms);
            all.extend(instances(store, said, places, &is_state));
        }
        store.mk_and(&all)
    }

    /// The transitions from a cut point, one for each end of its block.
    pub fn transitions(&mut self, store: &mut TermStore, from: LocId) -> Rc<Vec<Rc<Transition>>> {
        let Some(block) = self.blocks.starting(from) else { return Rc::new(Vec::new()) };
        if let Some(known) = self.encoded.get(&block) {
            return known.clone();
        }
        let encoded = Rc::new(self.encode(store, block));
        self.encoded.insert(block, encoded.clone());
        encoded
    }

    /// When a path can be run, over the state constants at its start; none where that
    /// depends on more than those, such as on inputs.
    pub fn path_condition(&self, store: &mut TermStore, path: &[EdgeId]) -> Option<TermId> {
        let mut env = Environment::initial(&self.slots);
        let mut conjuncts = Vec::new();
        for &id in path {
            let edge = &self.program.edges[id];
            let intervals = |e: ExprId| self.interval(edge.from, e);
            let mut ev = Evaluator::new(self.program, &self.slots, store, &intervals, "path!");
            let effect = execute(&mut ev, &mut env, &edge.op);
            if !ev.locals.is_empty() {
                return None;
            }
            conjuncts.push(effect.guard);
        }
        Some(store.mk_and(&conjuncts))
    }

    fn encode(&self, store: &mut TermStore, id: BlockId) -> Vec<Rc<Transition>> {
        let block = self.blocks.get(id);
        let prefix = format!("b{}!", block.head.index());
        let mut steps = BlockSteps::default();
        let at_head = Environment::initial(&self.slots);
        // What arrives at each location: condition, environment.
        let mut arrived: HashMap<LocId, Vec<(EdgeId, TermId, Environment)>> = HashMap::default();
        let mut inside: HashMap<LocId, (TermId, Environment)> = HashMap::default();
        let known = self.known.get(&block.head).copied().unwrap_or(store.mk_true());
        inside.insert(block.head, (known, at_head));
        let (mut locals, mut rewritten) = (Vec::new(), Vec::new());

        for &edge_id in &block.edges {
            let edge = &self.program.edges[edge_id];
            let (reached, env) = match inside.get(&edge.from) {
                Some(known) => known.clone(),
                None => {
                    let from = edge.from;
                    let joined =
                        self.join(store, &prefix, &mut locals, &mut steps, from, &mut arrived);
                    inside.insert(from, joined.clone());
                    joined
                }
            };
            let intervals = |e: ExprId| self.interval(edge.from, e);
            let pieces = |e: ExprId| self.pieces(edge.from, e);
            let mut ev = Evaluator::new(self.program, &self.slots, store, &intervals, &prefix);
            ev.pieces = &pieces;
            ev.locals = std::mem::take(&mut locals);
            ev.rewritten = std::mem::take(&mut rewritten);
            let mut after = env;
            let effect = execute(&mut ev, &mut after, &edge.op);
            (locals, rewritten) = (ev.locals, ev.rewritten);
            if let Some(chosen) = effect.chosen {
                steps.chosen.insert(edge_id, chosen);
            }
            steps.sources.insert(edge_id, edge.from);
            let taken = store.mk_and(&[reached, effect.guard]);
            if taken != store.mk_false() {
                arrived.entry(edge.to).or_default().push((edge_id, taken, after));
            }
        }
        let mut ends = Vec::new();
        for &end in &block.ends {
            if arrived.contains_key(&end) {
                let joined = self.join(store, &prefix, &mut locals, &mut steps, end, &mut arrived);
                ends.push((end, joined));
            }
        }
        let (locals, steps) = (Rc::new(locals), Rc::new(steps));
        ends.into_iter()
            .map(|(end, (mut formula, env))| {
                let outputs: Vec<(SlotId, TermId)> =
                    env.changes().filter(|&(slot, _)| self.matters(slot, end)).collect();
                let mut roots: Vec<TermId> = outputs.iter().map(|o| o.1).collect();
                // What holds at the head is in it already, but not what that means at the places.
                if is_about_cells(store, known) {
                    let said = self.said_at_places(store, known, formula, roots.clone());
                    formula = store.mk_and(&[formula, said]);
                }
                roots.push(formula);
                let mut inputs: Vec<SlotId> = roots
                    .iter()
                    .flat_map(|&root| store.constants(root))
                    .filter_map(|c| self.slots.of_constant(c))
                    .collect();
                inputs.sort_unstable();
                inputs.dedup();
                Rc::new(Transition {
                    from: block.head,
                    to: end,
                    formula,
                    outputs,
                    locals: locals.clone(),
                    inputs,
                    steps: steps.clone(),
                })
            })
            .collect()
    }

    /// One condition and environment out of all that arrive at a location.
    fn join(
        &self,
        store: &mut TermStore,
        prefix: &str,
        locals: &mut Vec<TermId>,
        steps: &mut BlockSteps,
        at: LocId,
        arrived: &mut HashMap<LocId, Vec<(EdgeId, TermId, Environment)>>,
    ) -> (TermId, Environment) {
        let arrivals = arrived.remove(&at).unwrap_or_default();
        let mut env = Environment::initial(&self.slots);
        let mut changed: Vec<SlotId> =
            arrivals.iter().flat_map(|(_, _, e)| e.changes().map(|c| c.0)).collect();
        changed.sort_unstable();
        changed.dedup();
        let mut differing = Vec::new();
        for slot in changed {
            let first = arrivals[0].2.get(slot);
            if arrivals.iter().all(|(_, _, e)| e.get(slot) == first) {
                env.set(slot, first);
            } else if self.matters(slot, at) {
                let name = format!("{prefix}{}", locals.len());
                let phi = store.mk_const(&name, store.sort(first));
                locals.push(phi);
                env.set(slot, phi);
                differing.push((slot, phi));
            }
        }
        let mut conditions = Vec::new();
        let mut taken = Vec::new();
        for (edge, condition, from) in arrivals {
            let mut conjuncts = vec![condition];
            for &(slot, phi) in &differing {
                conjuncts.push(store.mk_eq(phi, from.get(slot)));
            }
            let all = store.mk_and(&conjuncts);
            conditions.push(all);
            taken.push((edge, all));
        }
        steps.arriving.insert(at, taken);
        (store.mk_or(&conditions), env)
    }

    /// Whether anything can still ask for the slot at `at`.
    pub fn matters(&self, slot: SlotId, at: LocId) -> bool {
        self.relevant.contains(&slot)
            && match self.slots.slot(slot) {
                Slot::Value(var) | Slot::Object(var) | Slot::Offset(var) => {
                    self.ends.contains(&var) || self.liveness.is_live(self.program, at, var)
                }
                _ => true,
            }
    }

    /// Whether some operation can read what a slot stands for.
    pub fn is_tracked(&self, slot: Slot) -> bool {
        self.slots.find(slot).is_some_and(|slot| self.relevant.contains(&slot))
    }

    /// Whether a variable may be read from a location on, looking for leaks apart, or says where a string ends.
    pub fn may_be_read(&self, var: VarId, at: LocId) -> bool {
        self.ends.contains(&var) || self.liveness.may_be_read(self.program, at, var)
    }
}

/// Whether something is said of all cells of an array, one by one or added up.
fn is_about_cells(store: &TermStore, formula: TermId) -> bool {
    is_about_indices(store, formula)
        || !sums::symbols(store, formula).is_empty()
        || folds::is_about_folds(store, formula)
}

/// Heuristic: where more variables may say where a string ends, none is kept for that.
const ENDS: usize = 8;

/// Variables from which places are computed where the program stores a byte that is, or may be, zero: a loop
/// that looks for the end of a string stops there, long after the variable was read for the last time.
fn ends_of_strings(program: &Program) -> HashSet<VarId> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: HashSet<VarId> = HashSet::default();
    for edge in program.edges.values() {
        if let Op::Store { access, value } = &edge.op
            && matches!(access.ty, Type::Int(ty) if ty.bits == 8)
            && program.exprs.as_int(*value).is_none_or(|value| value == 0)
        {
            found.extend(walker.variables(&program.exprs, &[access.pointer]));
        }
    }
    if !found.is_empty() {
        found.extend(summands_of_sizes(program));
    }
    if found.len() > ENDS { HashSet::default() } else { found }
}

/// Heuristic: through so many parameters and temporaries.
const COPIES: usize = 4;

/// The variables whose sum is the size of an object: one string is followed by another in it.
fn summands_of_sizes(program: &Program) -> Vec<VarId> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut values: HashMap<VarId, Vec<ExprId>> = HashMap::default();
    for edge in program.edges.values() {
        if let Op::Assign { target, value } = edge.op {
            values.entry(target).or_default().push(value);
        }
    }
    let mut found = Vec::new();
    for edge in program.edges.values() {
        let Op::Alloc { size, .. } = edge.op else { continue };
        let mut parts = walker.variables(&program.exprs, &[size]);
        for _ in 0..COPIES {
            if let [only] = parts[..]
                && let Some(&[value]) = values.get(&only).map(Vec::as_slice)
            {
                parts = walker.variables(&program.exprs, &[value]);
            }
        }
        if parts.len() > 1 {
            found.extend(parts);
        }
    }
    found
}

/// Slots that some operation can read. Variables by liveness; of memory, the
/// regions that are loaded from and the tables that some check asks for.
fn relevant_slots(program: &Program, slots: &Slots) -> HashSet<SlotId> {
    let mut relevant: HashSet<SlotId> = HashSet::default();
    let mut add = |slot: Slot| {
        if let Some(id) = slots.find(slot) {
            relevant.insert(id);
        }
    };
    let region = |add: &mut dyn FnMut(Slot), region| {
        add(Slot::Cells(region));
        add(Slot::CellOffsets(region));
    };
    for (var, _) in program.variables.iter() {
        add(Slot::Value(var));
        add(Slot::Object(var));
        add(Slot::Offset(var));
    }
    add(Slot::NextObject);
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    for edge in program.edges.values() {
        if let Op::Copy { from_region, .. } = edge.op {
            region(&mut add, from_region);
        }
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            match program.exprs.get(id) {
                Expr::Load(access) => region(&mut add, access.region),
                Expr::Valid { .. } => {
                    add(Slot::Sizes);
                    add(Slot::Lives);
                }
                Expr::Freeable { .. } => add(Slot::Lives),
                Expr::ObjectSize(_) => add(Slot::Sizes),
                Expr::HeapInUse => add(Slot::HeapObjects),
                Expr::Leaked => {
                    add(Slot::HeapObjects);
                    add(Slot::Lives);
                }
                _ => {}
            }
        }
    }
    relevant
}
