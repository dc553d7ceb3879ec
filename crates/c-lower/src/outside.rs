//! What the world outside does while control is there.
//!
//! A function without a body may keep what it is given. When it is called, or any other
//! such function later, it may call back, any number of times before it returns: every
//! function whose address it was given, found in memory that it can reach, or found in a variable that other
//! files can name. And it may change variables that are declared here and defined elsewhere. Functions whose
//! address never left are not called back by their names alone; that is the convention of
//! the field, as it is that variables defined here are not changed by name.
//!
//! This runs when everything is lowered, because only then is it known which addresses
//! leave: the points-to analysis has all that external code may know in one place. Before each call that leaves the program
//! there is then a choice, with a call of the function `outside#`, which calls back with any
//! arguments, again and again. Whether a function without a body really calls back nobody knows, so the choice to do so is an
//! unmodelled value: proofs hold for all of them, and a violation behind one shows nothing. What is called back may let more
//! addresses out: the plan is made again until it is closed.
//!
//! A program that takes no address of a function and has no variables from elsewhere is left as it is.

use crate::context::Lowerer;
use crate::global::GlobalId;
use crate::linkage::{Elsewhere, Linkage};
use crate::types::CType;
use crate::value::Place;
use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_cfa::analysis::PointsTo;
use bolide_cfa::analysis::points_to::graph::Cell;
use bolide_cfa::{
    Access, Body, CompareOp, EdgeId, Expr, ExprId, ExternalEffect, Function, FunctionId, IntType,
    LocId, NondetSource, Op, Origin, Program, RegionId, Role, StaticObject, Type, VarId, Variable,
    VariableKind,
};
use std::rc::Rc;

/// What a function without a body may change without having been given it.
#[derive(Clone, Copy, Debug)]
pub enum Changing {
    Variable(VarId),
    /// The `int` at this address.
    Errno(ExprId),
}

/// Where control leaves the program, and what may be called back from there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Plan {
    sites: Vec<Site>,
    callbacks: Vec<FunctionId>,
}

/// A call that may leave the program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Site {
    edge: EdgeId,
    /// The function without a body; none where it is called through a pointer.
    function: Option<FunctionId>,
    /// Of a call through a pointer: the functions to which it does not leave.
    inside: Vec<FunctionId>,
}

/// Where the value of a variable comes from that is defined elsewhere.
pub fn any_value(program: &Program, var: VarId) -> NondetSource {
    NondetSource::Library(format!("the variable `{}`", program.variables[var].name))
}

/// The streams of the C library that have names: each is open, and different from all others.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// Variables of the C library that programs may declare themselves; POSIX asks that of `environ`.
const OF_LIBRARY: [&str; 12] = [
    "environ",
    "optind",
    "opterr",
    "optopt",
    "optarg",
    "timezone",
    "daylight",
    "tzname",
    "signgam",
    "errno",
    "h_errno",
    "getdate_err",
];

impl Linkage {
    /// What may have another value after a call of a function without a body: variables that are defined elsewhere, and
    /// `errno`, if anybody asks for it.
    fn changing(&self) -> Vec<Changing> {
        let changes = self.elsewhere.iter().filter(|e| e.changes);
        let mut changing: Vec<Changing> = changes.map(|e| Changing::Variable(e.var)).collect();
        let errno = self.by_name.get("__bolide_errno").map(|&id| &self.globals[id].place);
        match errno {
            Some(Some(Place::Memory(address))) => changing.push(Changing::Errno(*address)),
            Some(Some(Place::Vars(vars))) => {
                changing.extend(vars.iter().map(|&var| Changing::Variable(var)));
            }
            _ => {}
        }
        changing
    }
}

impl Lowerer<'_> {
    /// Takes note of a variable that is declared here and defined elsewhere.
    pub fn defined_elsewhere(&mut self, id: GlobalId, vars: &[VarId]) {
        let global = &self.linkage[id];
        let (name, changes, span) = (global.name.clone(), !global.ty.is_const, global.span);
        if let Some(stream) = self.types.pointee(global.ty.ty)
            && STREAMS.contains(&name.as_str())
        {
            let size = self.types.size(stream.ty).unwrap_or(1);
            let stream = StaticObject::new(format!("{name}#"), size, 16, span);
            let stream = StaticObject { external: true, ..stream };
            let object = self.out.program.objects.push(stream);
            let address = self.out.expr(Expr::Object(object));
            return self.out.program.variables[vars[0]].initial = Some(address);
        }
        self.out.assumptions.insert(format!("`{name}` is defined elsewhere and has any value"));
        self.linkage.elsewhere.extend(vars.iter().map(|&var| Elsewhere { var, changes }));
    }

    /// The program names a variable that is defined elsewhere. What the C library keeps there, and whether a
    /// pointer in it leads to memory, nobody says: no violation may rest on it.
    pub fn name_elsewhere(&mut self, id: GlobalId) {
        let global = &self.linkage[id];
        let is_defined = global.definition.is_some() || global.tentative;
        if is_defined || self.f.unevaluated > 0 || STREAMS.contains(&global.name.as_str()) {
            return;
        }
        let (name, ty) = (global.name.clone(), global.ty.ty);
        let about_memory = self.input.options.properties.iter().any(|p| p.is_about_memory());
        let is_of_library = self.is_declared_by_system(id)
            || name.starts_with("__")
            || OF_LIBRARY.contains(&name.as_str());
        let what = if is_of_library {
            format!("the variable `{name}` of the C library")
        } else if about_memory && self.types.holds_pointers(ty) {
            format!("the pointer in `{name}`, which is defined elsewhere")
        } else {
            return;
        };
        self.out.nondet(Type::BOOL, NondetSource::Unmodelled(what));
    }

    /// Gives all calls that leave the program what may happen outside.
    pub fn meet_outside(&mut self) {
        let changing = self.linkage.changing();
        let takes_addresses = (0..self.out.program.exprs.len()).any(|i| {
            matches!(*self.out.program.exprs.get(ExprId::from_index(i)),
                Expr::Function(f) if self.out.program.functions[f].body.is_some())
        });
        let leaves = self.out.program.edges.values().any(|edge| {
            matches!(
                edge.op,
                Op::External { effect: ExternalEffect::Havoc, .. } | Op::CallIndirect { .. }
            )
        });
        if self.input.options.is_pure() || !leaves || !takes_addresses && changing.is_empty() {
            return;
        }
        let channels = self.channels();
        let mut plan = Plan::default();
        loop {
            let mut changed = self.out.program.clone();
            carry_out(&mut changed, &plan, &changing, &channels);
            let next = self.plan(&changed);
            if next == plan {
                self.out.program = changed;
                return;
            }
            plan = next;
            if plan.callbacks.is_empty() && changing.is_empty() {
                return;
            }
        }
    }

    /// What the points-to analysis of `program` says; it may have more edges than `self.out.program`.
    fn plan(&self, program: &Program) -> Plan {
        let mut points_to = PointsTo::new(program);
        let visible = self.visible(&mut points_to);
        let mut callbacks = points_to.functions_from(&visible);
        callbacks.retain(|&f| program.functions[f].body.is_some());
        let calls = bolide_cfa::analysis::CallGraph::new(program);
        let mut sites = Vec::new();
        for edge in self.out.program.edges.ids() {
            let from = self.out.program.locations[self.out.program.edges[edge].from].function;
            if !calls.is_reachable(from) {
                continue;
            }
            match self.out.program.edges[edge].op {
                Op::External { function, effect: ExternalEffect::Havoc, .. } => {
                    sites.push(Site { edge, function: Some(function), inside: Vec::new() });
                }
                Op::CallIndirect { callee, .. } => {
                    let (targets, incomplete) = points_to.call_targets(callee);
                    let (inside, outside): (Vec<_>, Vec<_>) =
                        targets.into_iter().partition(|&f| program.functions[f].body.is_some());
                    if incomplete || !outside.is_empty() {
                        sites.push(Site { edge, function: None, inside });
                    }
                }
                _ => {}
            }
        }
        Plan { sites, callbacks }
    }

    /// All that the world outside can reach: what it was given, and what lies in variables that it can name.
    fn visible(&self, points_to: &mut PointsTo) -> Vec<Cell> {
        let mut cells = vec![points_to.universe()];
        for global in self.linkage.globals.values() {
            let foreign = global.definition.is_none() && !global.tentative;
            if (global.is_static || global.unit >= self.input.first_model) && !foreign {
                continue;
            }
            match &global.place {
                Some(Place::Vars(vars)) => {
                    cells.extend(vars.iter().filter_map(|&var| points_to.of_variable(var)));
                }
                Some(Place::Memory(address)) => {
                    if let Expr::Object(object) = *self.out.program.exprs.get(*address) {
                        cells.extend(points_to.of_object(object));
                    }
                }
                None => {}
            }
        }
        cells
    }

    /// By function: the globals in which it leaves a record that it returns.
    fn channels(&self) -> HashMap<FunctionId, Rc<[VarId]>> {
        let channel = |id: GlobalId| match self.types.get(self.linkage[id].ty.ty) {
            CType::Function(ty) => self.out.result_channels.get(&ty.result.ty).cloned(),
            _ => None,
        };
        self.linkage
            .function_globals
            .iter()
            .filter_map(|(&f, &id)| Some((f, channel(id)?)))
            .collect()
    }
}

/// Puts choices before the sites of a plan, and what may have changed after them.
fn carry_out(
    program: &mut Program,
    plan: &Plan,
    changing: &[Changing],
    channels: &HashMap<FunctionId, Rc<[VarId]>>,
) {
    let caller = (!plan.callbacks.is_empty())
        .then(|| calls_back(program, &plan.callbacks, changing, channels));
    for site in &plan.sites {
        if let Some(caller) = caller {
            let who = match site.function {
                Some(function) => format!("`{}`", program.functions[function].name),
                None => "the function called through a pointer".to_owned(),
            };
            let what = format!(
                "what {who}, which has no body, calls back: perhaps {}",
                listed(program, &plan.callbacks)
            );
            may_call(program, site, caller, what);
        }
        changes_after(program, site.edge, changing);
    }
}

/// A few names.
fn listed(program: &Program, functions: &[FunctionId]) -> String {
    const SHOWN: usize = 3;
    let names = functions.iter().map(|&f| format!("`{}`", program.functions[f].name));
    let mut shown: Vec<String> = names.take(SHOWN).collect();
    if functions.len() > SHOWN {
        shown.push("...".into());
    }
    shown.join(", ")
}

/// Before the site there is a way through a call of `caller`.
fn may_call(program: &mut Program, site: &Site, caller: FunctionId, what: String) {
    let (from, origin) = (program.edges[site.edge].from, program.edges[site.edge].origin);
    let origin = Origin { role: Role::Implicit, ..origin };
    let mut writer = Writer { program, function: FunctionId::from_index(0), origin };
    writer.function = writer.program.locations[from].function;
    let before = writer.program.add_location(writer.function);
    writer.program.edges[site.edge].from = before;
    writer.program.locations[before].outgoing.push(site.edge);
    writer.program.locations[from].outgoing.retain(|&e| e != site.edge);
    let mut at = from;
    // Functions of the program are no way out.
    if let Op::CallIndirect { callee, .. } = writer.program.edges[site.edge].op {
        for &f in &site.inside {
            let address = writer.program.expr(Expr::Function(f));
            let equal = writer.program.expr(Expr::Compare(CompareOp::Eq, callee, address));
            let other = writer.fork(at, equal, before);
            at = other;
        }
    }
    let (chosen, at) = writer.any(at, Type::BOOL, NondetSource::Library("a call back".into()));
    let not = writer.program.exprs.not(chosen);
    let at = writer.fork(at, not, before);
    let (_, at) = writer.any(at, Type::BOOL, NondetSource::Unmodelled(what));
    let call = Op::Call { function: caller, arguments: Vec::new(), result: None };
    writer.program.add_edge(at, before, call, origin);
}

/// After the site, variables from elsewhere may have other values.
pub fn changes_after(program: &mut Program, site: EdgeId, changing: &[Changing]) {
    if changing.is_empty() {
        return;
    }
    let (to, origin) = (program.edges[site].to, program.edges[site].origin);
    let function = program.locations[to].function;
    let mut writer =
        Writer { program, function, origin: Origin { role: Role::Implicit, ..origin } };
    let after = writer.program.add_location(function);
    writer.program.edges[site].to = after;
    writer.program.locations[to].incoming.retain(|&e| e != site);
    writer.program.locations[after].incoming.push(site);
    writer.change(after, Some(to), changing);
}

/// Makes the function that calls back.
fn calls_back(
    program: &mut Program,
    callbacks: &[FunctionId],
    changing: &[Changing],
    channels: &HashMap<FunctionId, Rc<[VarId]>>,
) -> FunctionId {
    let receiver = program.functions.push(Function::named("outside#result"));
    let function = program.functions.push(Function::named("outside#"));
    let (entry, exit) = (program.add_location(function), program.add_location(function));
    program.functions[function].body = Some(Body { entry, exit });
    let mut writer = Writer { program, function, origin: Origin::default() };
    let again = writer.change(entry, None, changing);
    let number = Type::Int(IntType::unsigned(32));
    let source = || NondetSource::Library("a call back".into());
    let (which, mut at) = writer.any(again, number, source());
    let end = writer.program.add_location(function);
    for (i, &callback) in callbacks.iter().enumerate() {
        let mut here = at;
        if i + 1 < callbacks.len() {
            let index = writer.program.exprs.int(i as i128, IntType::unsigned(32));
            let is = writer.program.expr(Expr::Compare(CompareOp::Eq, which, index));
            here = writer.program.add_location(function);
            at = writer.fork(at, is, here);
        }
        let definition = writer.program.functions[callback].clone();
        let mut arguments = Vec::new();
        for &parameter in &definition.parameters {
            let ty = writer.program.variables[parameter].ty;
            let argument;
            (argument, here) = writer.any(here, ty, source());
            arguments.push(argument);
        }
        let result = definition.result.map(|r| {
            let ty = writer.program.variables[r].ty;
            writer.temporary(ty)
        });
        let called = writer.program.add_location(function);
        let call = Op::Call { function: callback, arguments, result };
        writer.program.add_edge(here, called, call, writer.origin);
        // What it returns is known outside too.
        let channel = channels.get(&callback).map_or(&[][..], |vars| vars);
        let known: Vec<VarId> = result.into_iter().chain(channel.iter().copied()).collect();
        let arguments = known.into_iter().map(|var| writer.program.read(var)).collect();
        let effect = ExternalEffect::Havoc;
        let op = Op::External { function: receiver, arguments, result: None, effect };
        writer.program.add_edge(called, end, op, writer.origin);
    }
    let end = writer.change(end, None, changing);
    let (more, end) = writer.any(end, Type::BOOL, source());
    let end = writer.fork(end, more, again);
    writer.program.add_edge(end, exit, Op::Skip, writer.origin);
    function
}

/// Adds edges to a function.
struct Writer<'p> {
    program: &'p mut Program,
    function: FunctionId,
    origin: Origin,
}

impl Writer<'_> {
    fn temporary(&mut self, ty: Type) -> VarId {
        let name = format!("tmp#outside{}", self.program.variables.len());
        let var = self.program.variables.push(Variable::new(
            name,
            ty,
            Some(self.function),
            VariableKind::Temporary,
        ));
        self.program.functions[self.function].locals.push(var);
        var
    }

    /// Any value, and the location behind its choice.
    fn any(&mut self, at: LocId, ty: Type, source: NondetSource) -> (ExprId, LocId) {
        let target = self.temporary(ty);
        let next = self.program.add_location(self.function);
        self.program.add_edge(at, next, Op::Nondet { target, source }, self.origin);
        (self.program.read(target), next)
    }

    /// Goes to `then` where the condition holds, else to the result.
    fn fork(&mut self, at: LocId, condition: ExprId, then: LocId) -> LocId {
        let not = self.program.exprs.not(condition);
        let otherwise = self.program.add_location(self.function);
        self.program.add_edge(at, then, Op::Assume(condition), self.origin);
        self.program.add_edge(at, otherwise, Op::Assume(not), self.origin);
        otherwise
    }

    /// Gives all of them any value; ends at `to`, or else where it ends.
    fn change(&mut self, mut at: LocId, to: Option<LocId>, changing: &[Changing]) -> LocId {
        for (i, what) in changing.iter().enumerate() {
            let next = match to {
                Some(to) if i + 1 == changing.len() => to,
                _ => self.program.add_location(self.function),
            };
            match *what {
                Changing::Variable(target) => {
                    let source = any_value(self.program, target);
                    self.program.add_edge(at, next, Op::Nondet { target, source }, self.origin);
                }
                Changing::Errno(pointer) => {
                    let ty = Type::signed(32);
                    let (value, chosen) = self.any(at, ty, NondetSource::Library("errno".into()));
                    let region = RegionId::ALL;
                    let access = Access { pointer, ty, bits: None, volatile: false, region };
                    self.program.add_edge(chosen, next, Op::Store { access, value }, self.origin);
                }
            }
            at = next;
        }
        at
    }
}
