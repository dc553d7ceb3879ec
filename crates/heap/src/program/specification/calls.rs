//! Calls by contract.
//!
//! A call of a function that has a contract of its own does not look at its body: what it requires must hold there (an
//! error otherwise), what it may assign has any value afterwards, and what it ensures
//! is assumed. Its body is proved against the same contract elsewhere; a verdict counts only when all
//! contracts are proved. So recursive functions need no bound either: their proof is one of partial
//! correctness.
//!
//! Functions that allocate or free objects are inlined, contract or not: contracts do not say which
//! objects live. The contract of a function without a body is believed, and that it neither allocates nor frees.

use super::super::view::{CallSite, Callees, Command, Step};
use super::promises::Specified;
use super::reader::{Reading, Site};
use crate::{FieldId, Formula, Kind, Symbol, Term};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::contract::Contract;
use bolide_cfa::types::Type;
use bolide_cfa::{Expr, ExternalEffect, FunctionId, Op, Program, VarId, VariableKind};

/// Cuts the calls of functions with contracts; inlining leaves them alone then.
pub(super) fn cut<'a>(program: &mut Program, contracts: &'a [Contract]) -> Callees<'a> {
    let mut callees: Callees<'a> = HashMap::default();
    for contract in contracts {
        let function = &program.functions[contract.function];
        // Of a function without a body the contract is all there is.
        if function.body.is_none() || !changes_lifetimes(program, contract.function) {
            callees.insert(function.name.clone(), contract);
        }
    }
    let ids: Vec<_> = program.edges.ids().collect();
    for id in ids {
        if let Op::Call { function, arguments, result } = &program.edges[id].op
            && callees.contains_key(&program.functions[*function].name)
        {
            let (function, arguments, result) = (*function, arguments.clone(), *result);
            let effect = ExternalEffect::Havoc;
            program.edges[id].op = Op::External { function, arguments, result, effect };
        }
    }
    callees
}

/// Whether the function, or one that it calls, makes or frees objects, or calls what is not known.
fn changes_lifetimes(program: &Program, function: FunctionId) -> bool {
    let mut seen = vec![function];
    let mut at = 0;
    while at < seen.len() {
        for edge in program.edges.values() {
            if program.locations[edge.from].function != seen[at] {
                continue;
            }
            match &edge.op {
                Op::Alloc { .. } | Op::Free { .. } | Op::EndLifetime { .. } => return true,
                Op::CallIndirect { .. } => return true,
                Op::Call { function, .. } if !seen.contains(function) => seen.push(*function),
                _ => {}
            }
        }
        at += 1;
    }
    false
}

/// Where in objects the program reads pointers; none when that is not clear.
fn loaded_pointers(program: &Program) -> Option<HashSet<i128>> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found = HashSet::default();
    for edge in program.edges.values() {
        if let Op::Assign { value, .. } = edge.op
            && matches!(program.exprs.get(value), Expr::PointerAdd(..))
        {
            return None;
        }
        for &e in walker.bottom_up(&program.exprs, &edge.op.operands()).iter() {
            if let Expr::Load(access) = program.exprs.get(e)
                && access.ty == Type::Pointer
            {
                let (base, offset) = program.exprs.without_offset(access.pointer);
                if matches!(program.exprs.get(base), Expr::PointerAdd(..)) {
                    return None;
                }
                found.insert(offset);
            }
        }
    }
    Some(found)
}

impl Specified<'_> {
    /// Replaces every call by what its contract says.
    pub(super) fn call_by_contract(&mut self, callees: &Callees<'_>) -> Result<(), String> {
        let calls = std::mem::take(&mut self.reader.view.calls);
        // Required: a new object has any pointers in its fields, also in those that only a called
        // function looks at; that they are null or point to live objects is owed for all of them.
        let allocates = |op: &Op| matches!(op, Op::Alloc { .. });
        let allocates = self.reader.program.edges.values().any(|edge| allocates(&edge.op));
        let loaded = loaded_pointers(self.reader.original);
        // Fields that some contract speaks of are known before any call is said to change all.
        for call in &calls {
            let contract = callees[&call.function];
            for place in contract.fields.iter().filter(|f| f.ty == Type::Pointer) {
                let offset = i128::from(place.offset);
                let read = || loaded.as_ref().is_none_or(|loaded| loaded.contains(&offset));
                if allocates && !place.name.contains('.') && read() {
                    self.reader.field(place, false);
                }
            }
            let places = contract.assigns.iter().flat_map(|a| &a.fields);
            for place in places {
                self.reader.field(place, false);
            }
            for place in contract.assigns.iter().flat_map(|a| &a.arrays) {
                self.reader.array(place)?;
            }
            let site = Reading::Callee(self.site_of(call, contract));
            self.reader.read(site, contract.requires.iter().chain(&contract.ensures))?;
        }
        for call in &calls {
            let contract = callees[&call.function];
            let site = self.site_of(call, contract);
            let (changed, globals) = (site.changed.clone(), site.globals.clone());
            let result = site.result;
            let mut required = self.well_formed_at(&call.arguments);
            for formula in self.reader.read(Reading::Callee(site.clone()), &contract.requires)? {
                required.extend(formula.conjuncts());
            }
            let mut ensured = self.reader.read(Reading::Callee(site), &contract.ensures)?;
            ensured.extend(self.well_formed_at(result.as_slice()));
            let all = &self.reader.view.fields;
            let fields = changed
                .unwrap_or_else(|| [&all.links[..], &all.numbers[..], &all.parents[..]].concat());
            self.attach_call(call, result, (required, ensured), &fields, &globals);
        }
        Ok(())
    }

    /// What holds the result of a call; of one that the program does not look at, a variable of its own.
    fn result_of(&mut self, call: &CallSite, contract: &Contract) -> Option<Symbol> {
        if let Some((_, symbol)) = call.result {
            return Some(symbol);
        }
        let result = self.reader.original.functions[contract.function].result?;
        let pointer = self.reader.original.variables[result].ty == Type::Pointer;
        let kind = if pointer { Kind::Object } else { Kind::Integer };
        Some(self.reader.view.signature.variable("ignored", kind))
    }

    fn site_of(&mut self, call: &CallSite, contract: &Contract) -> Site {
        let callee = self.reader.original.functions[contract.function].parameters.iter().copied();
        let arguments = callee.zip(call.arguments.iter().copied()).collect();
        let changed = contract.assigns.as_ref().map(|assigns| {
            let mut fields: Vec<FieldId> = self.listed(assigns);
            // A tree field that changes changes the ghost.
            for tree in &self.reader.trees {
                if fields.contains(&tree.left) || fields.contains(&tree.right) {
                    fields.push(tree.parent);
                }
            }
            fields
        });
        let mut globals = HashMap::default();
        let mut all: Vec<(VarId, VarId)> =
            self.reader.names.iter().map(|(a, b)| (*a, *b)).collect();
        all.sort_unstable();
        for (original, var) in all {
            let listed = contract.assigns.as_ref().is_none_or(|a| a.globals.contains(&original));
            let global = self.reader.program.variables[var].kind == VariableKind::Global;
            if let (true, true, Some(&symbol)) =
                (listed, global, self.reader.view.variables.get(&var))
            {
                let info = self.reader.view.signature.variables[symbol].clone();
                let known = self.reader.snapshots.call_globals.get(&symbol).copied();
                let before = known.unwrap_or_else(|| {
                    self.reader.view.signature.variable(format!("{}@call", info.name), info.kind)
                });
                self.reader.snapshots.call_globals.insert(symbol, before);
                globals.insert(symbol, before);
            }
        }
        Site { arguments, result: self.result_of(call, contract), globals, changed }
    }

    fn attach_call(
        &mut self,
        call: &CallSite,
        result: Option<Symbol>,
        (required, ensured): (Vec<Formula>, Vec<Formula>),
        changed: &[FieldId],
        globals: &HashMap<Symbol, Symbol>,
    ) {
        let middle = self.fresh_location();
        let to = std::mem::replace(&mut self.reader.view.steps[call.step].to, middle);
        for formula in required {
            let shown = self.reader.view.signature.show(&formula);
            self.owe(middle, formula, format!("call of {}: requires {shown}", call.function));
        }
        let mut commands = Vec::new();
        let mut globals: Vec<(Symbol, Symbol)> = globals.iter().map(|(a, b)| (*a, *b)).collect();
        globals.sort_unstable();
        for &(now, before) in &globals {
            commands.push(Command::Assign(before, Term::Var(now)));
        }
        for &field in changed {
            if let Some(&snapshot) = self.reader.snapshots.call_fields.get(&field) {
                commands.push(Command::Snapshot(snapshot, field));
            }
        }
        let trees: Vec<FieldId> = self.reader.trees.iter().map(|t| t.parent).collect();
        for &field in changed.iter().filter(|f| !trees.contains(f)) {
            commands.push(Command::Forget(field));
        }
        for &(now, _) in &globals {
            commands.push(Command::Havoc(now, None));
        }
        commands.extend(result.map(|symbol| Command::Havoc(symbol, None)));
        commands.extend(ensured.into_iter().map(Command::Assume));
        self.add_step(Step { from: middle, to, commands, edge: None });
    }
}
