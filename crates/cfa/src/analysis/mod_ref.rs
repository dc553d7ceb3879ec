//! What each function may read and write, itself or by what it calls: global
//! variables and regions of memory.

use super::uses::{Walker, regions_touched, variables_read};
use super::{BitSet, CallGraph};
use crate::program::{FunctionId, Program, RegionId, VarId};
use bolide_base::arena::Id;

/// Effects of one component of the call graph. Globals are numbered densely
/// (see [`ModRef::globals`]): most variables of a program are local.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effects {
    globals_read: BitSet,
    globals_written: BitSet,
    regions_written: BitSet,
}

impl Effects {
    fn add(&mut self, other: &Effects) {
        self.globals_read.union_with(&other.globals_read);
        self.globals_written.union_with(&other.globals_written);
        self.regions_written.union_with(&other.regions_written);
    }
}

/// The global variables with their numbers.
#[derive(Clone, Debug)]
pub struct Globals {
    all: Vec<VarId>,
    /// By variable: its position in `all`.
    number: Vec<u32>,
}

impl Globals {
    fn new(program: &Program) -> Globals {
        let mut globals =
            Globals { all: Vec::new(), number: vec![u32::MAX; program.variables.len()] };
        for (var, variable) in program.variables.iter() {
            if variable.function.is_none() {
                globals.number[var.index()] = globals.all.len() as u32;
                globals.all.push(var);
            }
        }
        globals
    }

    /// By number, ascending.
    pub fn all(&self) -> &[VarId] {
        &self.all
    }

    /// The position among all; none for a local variable.
    pub fn number(&self, var: VarId) -> Option<usize> {
        let number = self.number[var.index()];
        (number != u32::MAX).then_some(number as usize)
    }
}

/// The effects of all functions, transitively.
#[derive(Clone, Debug)]
pub struct ModRef {
    /// By component of the call graph.
    effects: Vec<Effects>,
    /// By function: its component.
    component: Vec<usize>,
    globals: Globals,
}

impl ModRef {
    /// Collects effects bottom-up over the call graph.
    pub fn new(program: &Program, calls: &CallGraph) -> ModRef {
        let n = program.functions.len();
        let mut result =
            ModRef { effects: Vec::new(), component: vec![0; n], globals: Globals::new(program) };
        let mut own = vec![Effects::default(); n];
        let mut walker = Walker::new();
        for edge in program.edges.values() {
            let effects = &mut own[program.locations[edge.from].function.index()];
            for var in variables_read(program, &mut walker, &edge.op) {
                if let Some(number) = result.globals.number(var) {
                    effects.globals_read.insert(number);
                }
            }
            if let Some(number) = edge.op.target().and_then(|var| result.globals.number(var)) {
                effects.globals_written.insert(number);
            }
            let (_, writes) = regions_touched(program, &mut walker, &edge.op);
            for region in writes {
                effects.regions_written.insert(region.index());
            }
        }
        for (index, component) in calls.bottom_up().iter().enumerate() {
            for f in component {
                result.component[f.index()] = index;
            }
            let mut effects = Effects::default();
            for &f in component {
                effects.add(&std::mem::take(&mut own[f.index()]));
                for &callee in calls.callees(f) {
                    if !calls.same_component(f, callee) {
                        effects.add(&result.effects[result.component[callee.index()]]);
                    }
                }
            }
            result.effects.push(effects);
        }
        result
    }

    fn of(&self, f: FunctionId) -> &Effects {
        &self.effects[self.component[f.index()]]
    }

    /// All global variables.
    pub fn globals(&self) -> &Globals {
        &self.globals
    }

    /// The global variables that a call of `f` may read or write, ascending.
    pub fn globals_touched(&self, f: FunctionId) -> impl Iterator<Item = VarId> + '_ {
        let mut touched = self.of(f).globals_read.clone();
        touched.union_with(&self.of(f).globals_written);
        let numbers: Vec<usize> = touched.iter().collect();
        numbers.into_iter().map(|number| self.globals.all[number])
    }

    /// The global variables that a call of `f` may read, ascending.
    pub fn globals_read(&self, f: FunctionId) -> impl Iterator<Item = VarId> + '_ {
        self.of(f).globals_read.iter().map(|number| self.globals.all[number])
    }

    /// The global variables that a call of `f` may write, ascending.
    pub fn globals_written(&self, f: FunctionId) -> impl Iterator<Item = VarId> + '_ {
        self.of(f).globals_written.iter().map(|number| self.globals.all[number])
    }

    /// Whether a call of `f` may read the global variable.
    pub fn reads(&self, f: FunctionId, var: VarId) -> bool {
        self.globals.number(var).is_some_and(|number| self.of(f).globals_read.contains(number))
    }

    /// Whether a call of `f` may write the global variable.
    pub fn writes(&self, f: FunctionId, var: VarId) -> bool {
        self.globals.number(var).is_some_and(|number| self.of(f).globals_written.contains(number))
    }

    /// Regions that a call of `f` may write, ascending; allocation and the
    /// end of a lifetime count as writing.
    pub fn regions_written(&self, f: FunctionId) -> impl Iterator<Item = RegionId> + '_ {
        self.of(f).regions_written.iter().map(RegionId::from_index)
    }
}
