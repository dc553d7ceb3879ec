//! The main loop of lowering: functions are lowered as they
//! are found to be reachable, until none is left.

use crate::annotation;
use crate::caller::Caller;
use crate::context::{CodeAddresses, Lowerer};
use crate::emission::Emission;
use crate::facts::{self, Facts};
use crate::function_state::FunctionState;
use crate::input::Input;
use crate::linkage::{Linkage, Work};
use crate::models::{self, ModelUnits};
use crate::options::{Lowered, Options};
use crate::rounding;
use crate::types::TypeStore;
use bolide_base::{Diagnostic, Severity, SourceMap, Span};
use bolide_c_syntax::ast::TranslationUnit;
use bolide_cfa::contract::Contract;

/// Bytes of stack that one level of nesting may take. Measured: below 3 KiB in
/// unoptimised builds.
const STACK_PER_LEVEL: usize = 6 << 10;

/// Lowers on the present stack of `stack` bytes.
pub fn run(
    units: &[&TranslationUnit],
    sources: &SourceMap,
    options: &Options,
    stack: usize,
) -> Result<Lowered, Vec<Diagnostic>> {
    declared(units, sources, options, stack, |mut lowerer| {
        match lowerer.make_entry() {
            Ok(()) => {}
            Err(diagnostic) => lowerer.out.diagnostics.push(*diagnostic),
        }
        lowerer.finish()
    })
}

/// A sane caller of the entry function.
pub fn caller(
    units: &[&TranslationUnit],
    sources: &SourceMap,
    options: &Options,
    stack: usize,
) -> Option<Caller> {
    declared(units, sources, options, stack, |mut lowerer| lowerer.caller())
}

/// Everything is declared, and nothing lowered yet.
fn declared<T>(
    units: &[&TranslationUnit],
    sources: &SourceMap,
    options: &Options,
    stack: usize,
    body: impl FnOnce(Lowerer<'_>) -> T,
) -> T {
    let models = ModelUnits::parse();
    let mut all: Vec<&TranslationUnit> = units.to_vec();
    all.extend(models.units.iter());
    let mut facts: Vec<Facts> = all.iter().map(|unit| facts::collect(unit)).collect();
    let harmless = facts::harmless_functions(&all, &facts);
    for (unit, facts) in all.iter().zip(&mut facts) {
        facts.flags = facts::flags(unit, &harmless);
    }
    let count = all.len();
    let mut lowerer = Lowerer {
        input: Input {
            units: all,
            first_model: units.len(),
            facts,
            sources,
            model_sources: &models.sources,
            options,
            unit: 0,
            depth: 0,
            max_depth: stack / STACK_PER_LEVEL,
            quiet: 0,
        },
        types: TypeStore::new(options.target),
        linkage: Linkage::new(count),
        contracts: Default::default(),
        out: Emission::new(options.target),
        f: FunctionState::none(),
        outer: Vec::new(),
        code: CodeAddresses::default(),
    };
    lowerer.prepare_escapes();
    lowerer.declare_all();
    lowerer.read_contracts();
    body(lowerer)
}

impl Lowerer<'_> {
    /// Lowers all that has been found reachable; what fails is noted.
    pub fn drain_work(&mut self) {
        while let Some(work) = self.linkage.work.pop_front() {
            if let Err(exhausted) = self.input.options.budget.poll() {
                let message = format!("lowering was stopped: {exhausted}");
                self.out.diagnostics.push(Diagnostic::error(Span::NONE, message));
                return;
            }
            let result = match work {
                Work::Function(global) => self.lower_function(global),
                Work::Initializer(global) => self.lower_static_initializer(global),
                Work::Wrapper(global) => self.lower_wrapper(global),
            };
            if let Err(diagnostic) = result {
                self.out.diagnostics.push(*diagnostic);
            }
        }
    }

    fn finish(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        annotation::mentioned_globals(&mut self);
        let (contracts, warnings) = annotation::contracts(&self);
        let heap_contract_of_entry = match self.input.options.heap_contracts {
            true => {
                self.out.diagnostics.extend(warnings);
                false
            }
            false => self.judge_failures(&warnings),
        };
        self.out.diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
        self.out.diagnostics.dedup();
        if self.out.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return Err(self.out.diagnostics);
        }
        self.give_statics();
        self.check_frames();
        self.meet_outside();
        self.mark_unmodelled();
        self.compared_labels();
        self.addressed_nested();
        self.escapes_from_outside();
        self.check_writes_to_constants();
        rounding::direct(&mut self.out);
        // A contract is about runs that return.
        let entry =
            |c: &Contract| self.out.program.functions[c.function].name == self.input.options.entry;
        if !contracts.iter().any(entry) {
            self.check_leaks_of_endless_runs();
        }
        self.out.program.records = self.types.layouts();
        let unchecked = self.unchecked();
        Ok(Lowered {
            harness: self.input.options.dialect(),
            unchecked,
            program: self.out.program,
            diagnostics: self.out.diagnostics,
            externals: self.linkage.externals.into_iter().collect(),
            assumptions: self.out.assumptions.into_iter().collect(),
            contracts,
            heap_contract_of_entry,
            used_contracts: self.contracts.used.into_iter().collect(),
        })
    }

    /// Functions without a body whose meaning everybody knows: those of the C library. Where memory is checked also those
    /// that are declared nowhere: what they return may be meant to be a pointer.
    fn mark_unmodelled(&mut self) {
        let about_memory = self.input.options.properties.iter().any(|p| p.is_about_memory());
        for (&function, &id) in &self.linkage.function_globals {
            let in_header = self.is_declared_by_system(id);
            let function = &mut self.out.program.functions[function];
            function.unmodelled = function.body.is_none()
                && (in_header
                    || models::table::has_meaning(&self.linkage[id].name)
                    || (about_memory && self.linkage[id].undeclared));
        }
    }
}
