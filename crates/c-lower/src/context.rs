//! The state of lowering, and its main loop: functions are lowered as they
//! are found to be reachable, until none is left.

use crate::attributes::Note;
use crate::build::Build;
use crate::facts::{self, Facts};
use crate::function::FunctionState;
use crate::link::Traits;
use crate::models::ModelUnits;
use crate::place::Place;
use crate::scope::Names;
use crate::types::{QualType, TypeStore};
use crate::{Lowered, Options};
use bolide_base::{Arena, Diagnostic, HashMap, HashSet, Severity, SourceMap, Span, define_id};
use bolide_c_syntax::ast::{self, TranslationUnit};
use bolide_cfa::contract::Contract;
use bolide_cfa::{ExprId, FunctionId, ObjectId, Program, Property};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

define_id!(
    /// A variable with static storage or a function.
    pub struct GlobalId
);

/// Lowering of a construct failed; the diagnostic says why.
pub type Fallible<T> = Result<T, Box<Diagnostic>>;

/// Bytes of stack that one level of nesting may take. Measured: below 3 KiB in
/// unoptimised builds.
const STACK_PER_LEVEL: usize = 6 << 10;

/// A variable with static storage or a function, of all its declarations.
#[derive(Clone, Debug)]
pub struct Global {
    /// As the source spells it.
    pub name: String,
    /// The composite of all declarations.
    pub ty: QualType,
    /// Internal linkage (`static`), or a static local.
    pub is_static: bool,
    /// The unit of the first declaration.
    pub unit: usize,
    /// The first declaration.
    pub span: Span,
    /// The definition, if there is one.
    pub definition: Option<Definition>,
    /// Declared without `extern` and initialiser: zero if nothing else defines it.
    pub tentative: bool,
    /// Where a variable lives, once it is used.
    pub place: Option<Place>,
    /// The function of the program, once it is used.
    pub function: Option<FunctionId>,
    /// The alignment that attributes ask for; 0 for none.
    pub align: u64,
    /// For a static local: must live in memory. File-scope names look into the facts.
    pub address_taken: bool,
    /// What attributes and assembler names say of it, of all declarations.
    pub traits: Traits,
    /// Unmodelled attributes, to be told when it is used.
    pub notes: Vec<Note>,
    /// Something that runs refers to it: it is lowered or will be.
    pub requested: bool,
    /// The last unit in which it is weak.
    pub weak_in: Option<usize>,
    /// The definition is weak or `inline`: another one takes precedence.
    pub is_secondary: bool,
}

/// What defines a global.
#[derive(Clone, Copy, Debug)]
pub enum Definition {
    /// A function body in a unit.
    Function(usize, ast::FunctionId),
    /// An initialiser in a unit.
    Initializer(usize, ast::InitId),
}

impl Definition {
    /// The unit that it stands in.
    pub fn unit(self) -> usize {
        match self {
            Definition::Function(unit, _) | Definition::Initializer(unit, _) => unit,
        }
    }
}

/// What remains to be done.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// Lower the body.
    Function(GlobalId),
    /// Evaluate the initialiser.
    Initializer(GlobalId),
    /// Make a body for a library function whose address was taken.
    Wrapper(GlobalId),
}

/// Everything that lowering knows.
pub struct Lowerer<'a> {
    pub units: Vec<&'a TranslationUnit>,
    /// Units from this one on are models of the library.
    pub first_model: usize,
    pub facts: Vec<Facts>,
    pub sources: &'a SourceMap,
    pub model_sources: &'a SourceMap,
    pub options: &'a Options,
    pub program: Program,
    pub types: TypeStore,
    pub globals: Arena<GlobalId, Global>,
    /// Names with external linkage.
    pub linkage: HashMap<String, GlobalId>,
    /// Names of the models that the program uses for something of its own.
    pub model_linkage: HashMap<String, GlobalId>,
    pub names: Vec<Names>,
    /// The unit being lowered.
    pub unit: usize,
    pub f: FunctionState,
    /// The functions around the one being lowered, outermost first.
    pub outer: Vec<FunctionState>,
    /// Functions within functions, with those around them.
    pub nested: Vec<(FunctionId, Vec<FunctionId>)>,
    /// The global of each function of the program.
    pub function_globals: HashMap<FunctionId, GlobalId>,
    pub assembly_function: Option<FunctionId>,
    pub work: VecDeque<Work>,
    pub strings: HashMap<(u8, Box<[u32]>), ObjectId>,
    pub diagnostics: Vec<Diagnostic>,
    pub externals: BTreeMap<String, Span>,
    pub assumptions: BTreeSet<String>,
    /// Records whose members the program names.
    pub member_records: BTreeSet<crate::types::RecordTy>,
    /// Names of program variables that are taken, to keep globals apart.
    pub global_names: HashMap<String, u32>,
    pub function_names: HashMap<String, u32>,
    /// Record types returned by value in scalars: the globals that carry them.
    pub result_channels: HashMap<crate::types::TyId, std::rc::Rc<[bolide_cfa::VarId]>>,
    /// Scalars that are defined elsewhere: the entry stub gives them any value.
    pub elsewhere: Vec<crate::outside::Elsewhere>,
    /// Records that typedefs or members declared in the unit, by specifier.
    pub record_types: Vec<HashMap<ast::RecordId, crate::types::TyId>>,
    pub enum_types: Vec<HashMap<ast::EnumId, crate::types::TyId>>,
    /// Why the declaration of a name failed.
    pub failed: HashMap<(usize, ast::Symbol), Diagnostic>,
    /// Unmodelled attributes of what is being declared.
    pub notes: Vec<Note>,
    /// Those of typedefs, to be passed on to what is declared with them.
    pub typedef_notes: HashMap<(usize, ast::Symbol), Vec<Note>>,
    /// How deep lowering has recursed, and how deep it may.
    pub depth: usize,
    pub max_depth: usize,
    /// Annotations inside of functions, with where they stand.
    pub placed: Vec<crate::annotation::Placed>,
    /// In an initialiser of a static: functions count as used though no edge is made.
    pub in_static_initializer: bool,
    /// Jumps out of functions within functions, if there are any.
    pub escape: Option<crate::escape::Escape>,
    /// The program takes addresses of labels.
    pub has_label_objects: bool,
    /// Where pointers to bytes are first subtracted or ordered.
    pub byte_distance: Option<Span>,
    /// Two labels that may have one address, with the place of the first.
    pub label_twins: Option<(Span, String)>,
    /// The comparisons that computed jumps consist of.
    pub label_tests: HashSet<ExprId>,
}

/// Lowers on the present stack of `stack` bytes.
pub fn run(
    units: &[&TranslationUnit],
    sources: &SourceMap,
    options: &Options,
    stack: usize,
) -> Result<Lowered, Vec<Diagnostic>> {
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
        units: all,
        first_model: units.len(),
        facts,
        sources,
        model_sources: &models.sources,
        options,
        program: Program::new(options.target),
        types: TypeStore::new(options.target),
        globals: Arena::new(),
        linkage: HashMap::default(),
        model_linkage: HashMap::default(),
        names: (0..count).map(|_| Names::default()).collect(),
        unit: 0,
        f: FunctionState::none(),
        outer: Vec::new(),
        nested: Vec::new(),
        function_globals: HashMap::default(),
        assembly_function: None,
        work: VecDeque::new(),
        strings: HashMap::default(),
        diagnostics: Vec::new(),
        externals: BTreeMap::new(),
        assumptions: BTreeSet::new(),
        member_records: BTreeSet::new(),
        global_names: HashMap::default(),
        function_names: HashMap::default(),
        result_channels: HashMap::default(),
        elsewhere: Vec::new(),
        record_types: vec![HashMap::default(); count],
        enum_types: vec![HashMap::default(); count],
        failed: HashMap::default(),
        notes: Vec::new(),
        typedef_notes: HashMap::default(),
        depth: 0,
        max_depth: stack / STACK_PER_LEVEL,
        placed: Vec::new(),
        in_static_initializer: false,
        escape: None,
        has_label_objects: false,
        byte_distance: None,
        label_twins: None,
        label_tests: HashSet::default(),
    };
    lowerer.prepare_escapes();
    lowerer.declare_all();
    match lowerer.make_entry() {
        Ok(()) => {}
        Err(diagnostic) => lowerer.diagnostics.push(*diagnostic),
    }
    lowerer.finish()
}

impl<'a> Lowerer<'a> {
    /// Lowers all that has been found reachable; what fails is noted.
    pub fn drain_work(&mut self) {
        while let Some(work) = self.work.pop_front() {
            if let Err(exhausted) = self.options.budget.poll() {
                let message = format!("lowering was stopped: {exhausted}");
                self.diagnostics.push(Diagnostic::error(Span::NONE, message));
                return;
            }
            let result = match work {
                Work::Function(global) => self.lower_function(global),
                Work::Initializer(global) => self.lower_static_initializer(global),
                Work::Wrapper(global) => self.lower_wrapper(global),
            };
            if let Err(diagnostic) = result {
                self.diagnostics.push(*diagnostic);
            }
        }
    }

    fn finish(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        crate::annotation::mentioned_globals(&mut self);
        let (contracts, warnings) = crate::annotation::contracts(&self);
        self.diagnostics.extend(warnings);
        self.diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
        self.diagnostics.dedup();
        if self.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return Err(self.diagnostics);
        }
        self.meet_outside();
        self.mark_unmodelled();
        self.compared_labels();
        self.addressed_nested();
        self.escapes_from_outside();
        self.check_writes_to_constants();
        // A contract is about runs that return.
        let entry = |c: &Contract| self.program.functions[c.function].name == self.options.entry;
        if !contracts.iter().any(entry) {
            self.check_leaks_of_endless_runs();
        }
        self.program.records = self.types.layouts(&self.member_records);
        Ok(Lowered {
            program: self.program,
            diagnostics: self.diagnostics,
            externals: self.externals.into_iter().collect(),
            assumptions: self.assumptions.into_iter().collect(),
            contracts,
        })
    }

    /// Functions without a body whose meaning everybody knows: those of the C library.
    fn mark_unmodelled(&mut self) {
        for (&function, &id) in &self.function_globals {
            let in_header = self.is_declared_by_system(id);
            let function = &mut self.program.functions[function];
            function.unmodelled = function.body.is_none()
                && (in_header || crate::models::table::has_meaning(&self.globals[id].name));
        }
    }

    /// Whether a name is declared in a header of the system.
    pub fn is_declared_by_system(&self, id: GlobalId) -> bool {
        let place = self.sources.position(self.globals[id].span.start);
        place.is_some_and(|p| p.file.starts_with("/usr/"))
    }

    /// The unit being lowered.
    pub fn ast(&self) -> &'a TranslationUnit {
        self.units[self.unit]
    }

    /// The expression builder.
    pub fn b(&mut self) -> Build<'_> {
        Build(&mut self.program)
    }

    /// The text of a name of the present unit.
    pub fn text(&self, symbol: ast::Symbol) -> &'a str {
        self.units[self.unit].name(symbol)
    }

    /// Whether the present unit is a model of the library.
    pub fn in_model(&self) -> bool {
        self.unit >= self.first_model
    }

    /// A span as the outside knows it: models have no place in the sources.
    pub fn span(&self, span: Span) -> Span {
        if self.in_model() { Span::NONE } else { span }
    }

    /// What the source says at a span, on one line, not too long.
    pub fn snippet(&self, span: Span) -> String {
        const LIMIT: usize = 80;
        let sources = if self.in_model() { self.model_sources } else { self.sources };
        let text = sources.snippet(span);
        let mut out = String::new();
        for word in text.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
            if out.chars().count() > LIMIT {
                out = out.chars().take(LIMIT).collect();
                out.push_str("...");
                break;
            }
        }
        out
    }

    /// Whether a property is asked for.
    pub fn checks(&self, property: Property) -> bool {
        self.options.properties.contains(&property)
    }

    /// An error at a place of the present unit.
    pub fn error<T>(&self, span: Span, message: impl Into<String>) -> Fallible<T> {
        Err(Box::new(Diagnostic::error(self.span(span), message)))
    }

    /// What C forbids is an error even if nobody uses it.
    pub fn violation<T>(&mut self, span: Span, message: impl Into<String>) -> Fallible<T> {
        let diagnostic = Diagnostic::error(self.span(span), message);
        self.diagnostics.push(diagnostic.clone());
        Err(Box::new(diagnostic))
    }

    /// A construct that lowering does not support.
    pub fn unsupported<T>(&self, span: Span, what: impl std::fmt::Display) -> Fallible<T> {
        Err(Box::new(Diagnostic::unsupported(self.span(span), what)))
    }

    /// Records a construct that gets less than its full meaning: no verdict will stand. Where only runs that come to it
    /// are concerned, [`Self::lost`] spoils less, and [`bolide_cfa::NondetSource::Unmodelled`] where only a value is not known.
    pub fn unmodelled(&mut self, span: Span, what: impl Into<String>) {
        let record = bolide_cfa::Unmodelled { what: what.into(), span: self.span(span) };
        if !self.program.unmodelled.contains(&record) {
            self.program.unmodelled.push(record);
        }
    }

    /// A warning at a place of the present unit.
    pub fn warn(&mut self, span: Span, message: impl Into<String>) {
        let span = self.span(span);
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    /// Runs `body` one level deeper, or refuses.
    pub fn deeper<T>(
        &mut self,
        span: Span,
        body: impl FnOnce(&mut Self) -> Fallible<T>,
    ) -> Fallible<T> {
        if self.depth >= self.max_depth {
            return self.error(span, "nested too deeply");
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// The constant zero or one as a condition.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.program.exprs.bool(value)
    }
}
