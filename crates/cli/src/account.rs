//! The account of a verdict: what a report, a SARIF file or an editor shows of
//! it, collected from the program, the engines and the files.
//!
//! **Which text is shown.** A file without line markers is shown as it was
//! read. Of a preprocessed file the originals are shown if all that matter can
//! be read from disk; otherwise the preprocessed text with its own lines.

use crate::flags::{InputFlags, VerifyFlags};
use crate::frontend::Loaded;
use crate::sampling;
use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap, Span};
use bolide_c_syntax::highlight::{Class, highlight};
use bolide_cfa::render::Functions;
use bolide_cfa::{EdgeId, FunctionId, Program};
use bolide_engines::choose::{EXECUTION, EngineRun, Report};
use bolide_engines::shape::graphs;
use bolide_evidence::account::{Account, Finding, Graph, Measure, Note, Place, SourceFile};
use bolide_evidence::acsl::readable;
use bolide_evidence::advice::{Circumstances, Diverging, advice};
use bolide_evidence::{html, steps};
use bolide_reachability::verdict::Reason;
use bolide_verdict::Verdict;
use bolide_verdict::replay::Violation;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Bytes that all drawings of a report may have together.
const DRAWINGS: usize = 4 << 20;
/// Functions with more edges are not drawn.
const EDGES: usize = 2500;
/// Bytes that drawings of searches may have together.
const SEARCHES: usize = 2 << 20;

/// Collects everything. `drawings` asks for the graphs too, which only the
/// HTML report needs.
pub fn account(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    elapsed: Duration,
    drawings: bool,
) -> Account {
    let files = Files::new(loaded, &flags.input);
    let program = &loaded.lowered.program;
    let place = |span: Span| files.place(loaded, span);
    let mut account = Account {
        finding: finding(flags, loaded, report, &place),
        engine: engine(report),
        assumptions: assumptions(flags, loaded, report),
        measures: measures(program, report, elapsed),
        ..empty(flags)
    };
    let mut path: Vec<EdgeId> = Vec::new();
    match &report.verdict {
        Verdict::False(violation) => {
            let told = steps::tell(program, &violation.run, &place, steps::Limits::default());
            account.steps = told.unwrap_or_default();
            if let Some(first) = account.steps.first_mut() {
                let arguments = bolide_api::evidence::arguments_in_words(program, violation);
                if !arguments.is_empty() {
                    // What nobody looks at has no memory in the run; the words tell what it is.
                    let main = program.functions.values().find(|f| f.name == "main");
                    let told = main.map_or(&[][..], |main| &main.parameters);
                    let is_told =
                        |name: &str| told.iter().any(|&p| program.variables[p].name == name);
                    first.changes.retain(|change| !is_told(&change.name));
                }
                first.words.extend(arguments);
            }
            if let (Some(last), Finding::Violated { message, .. }) =
                (account.steps.last_mut(), &account.finding)
            {
                last.words.push(message.clone());
            }
            account.heat =
                ("how often the run came by".into(), visits(program, &violation.run.trace, &place));
            path.clone_from(&violation.run.trace);
        }
        Verdict::True { invariants, contracts, .. } => {
            for invariant in invariants {
                let keyword = program.locations[invariant.location].loop_keyword;
                if let Some(place) = keyword.and_then(place) {
                    let text = bolide_api::evidence::invariant(invariant);
                    account.notes.push(Note { place, kind: "invariant", text });
                }
            }
            for contract in contracts {
                if let Some(place) = place(program.functions[contract.function].span) {
                    let text = readable(&contract.precondition);
                    account.notes.push(Note { place, kind: "requires", text });
                    let text = readable(&contract.postcondition);
                    account.notes.push(Note { place, kind: "ensures", text });
                }
            }
            account.notes.sort_by_key(|note| note.place);
        }
        Verdict::Unknown(_) => {}
    }
    let predicates = predicates(report, &place);
    if !predicates.is_empty() {
        account.heat = ("predicates that the search needed there".into(), predicates);
    }
    if drawings {
        draw_searches(report, &place, &mut account);
        draw(program, &path, &place, &mut account);
    }
    account.files = files.files;
    account
}

/// The account of a run that did not come back after a limit: nothing is known but the files and
/// how far it came.
pub fn cut_short(
    flags: &VerifyFlags,
    reason: &Reason,
    budget: &Budget,
    elapsed: Duration,
) -> Account {
    let files = flags.input.files.iter().filter_map(|file| {
        Some(coloured(file.display().to_string(), std::fs::read_to_string(file).ok()?))
    });
    let mut measures = Vec::new();
    for seen in budget.snapshots().iter().filter(|s| !s.name.is_empty()) {
        measures.push((
            format!("Search of {}", seen.name),
            vec![
                measure("refinements", seen.refinements),
                measure("nodes", seen.nodes),
                measure("longest trace", seen.longest_trace),
                measure("queries", seen.queries),
            ],
        ));
    }
    measures.push(("Time".to_owned(), vec![time("whole run".into(), elapsed)]));
    Account {
        finding: Finding::Undecided {
            reason: reason.to_string(),
            advice: advice(reason, Circumstances::default()),
        },
        engine: match reason {
            Reason::Exhausted(_) => "the work did not come back in time".into(),
            _ => "none was started".into(),
        },
        files: files.collect(),
        measures,
        ..empty(flags)
    }
}

/// An account of nothing yet.
fn empty(flags: &VerifyFlags) -> Account {
    let database = flags.input.compile_commands.as_ref().or(flags.input.project.as_ref());
    let names: Vec<String> =
        flags.input.files.iter().chain(database).map(|f| f.display().to_string()).collect();
    Account {
        program: names.join(", "),
        properties: flags.property.names(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Account::default()
    }
}

/// What an engine asked the solver, with the numbers.
pub fn questions(run: &EngineRun) -> [(&'static str, u64); 4] {
    let p = &run.statistics.prover;
    [
        ("entailments", p.entailments),
        ("models", p.models),
        ("paths", p.paths),
        ("interpolations", p.interpolations),
    ]
}

fn engine(report: &Report) -> String {
    match report.decision() {
        Some(decision) => format!("decided by {decision}; chosen: {}", report.chosen),
        None => format!("chosen: {}", report.chosen),
    }
}

fn finding(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    place: &dyn Fn(Span) -> Option<Place>,
) -> Finding {
    match &report.verdict {
        Verdict::True { obligations, .. } => {
            Finding::Holds { obligations: *obligations, how: how_proved(report, *obligations) }
        }
        Verdict::False(violation) => violated(loaded, violation, place),
        Verdict::Unknown(reason) => Finding::Undecided {
            reason: reason.to_string(),
            advice: what_to_try(flags, loaded, report, reason),
        },
    }
}

fn violated(
    loaded: &Loaded,
    violation: &Violation,
    place: &dyn Fn(Span) -> Option<Place>,
) -> Finding {
    let check = &loaded.lowered.program.checks[violation.check];
    let (at, message) = loaded.told(violation);
    Finding::Violated {
        property: check.property.name().to_owned(),
        message,
        place: place(at),
        inputs: violation
            .run
            .inputs
            .iter()
            .map(|input| (input.name.clone(), input.value.to_string()))
            .collect(),
    }
}

/// Whether memory graphs decided, which have no proofs.
fn on_graphs(report: &Report) -> bool {
    let decided = report.runs.iter().find(|run| Some(run.engine) == report.winner);
    decided.is_some_and(|run| run.statistics.part == Some(graphs::PART))
}

/// How `true` was proved.
pub fn how_proved(report: &Report, obligations: usize) -> String {
    match report.winner {
        Some(EXECUTION) => "the program has one run only, and it ends without a violation".into(),
        _ if on_graphs(report) => "every step re-checked on memory graphs".into(),
        _ if obligations == 0 => "nothing was left for a solver to prove".into(),
        _ => format!("{obligations} obligations re-checked with proofs"),
    }
}

/// What the user can do about `unknown`.
pub fn what_to_try(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    reason: &Reason,
) -> Vec<String> {
    let externals: Vec<String> =
        loaded.lowered.externals.iter().take(5).map(|(name, _)| format!("`{name}`")).collect();
    let mut loops = BTreeSet::new();
    for location in loaded.lowered.program.locations.values() {
        if let Some(position) =
            location.loop_keyword.and_then(|span| loaded.sources.position(span.start))
        {
            loops.insert((position.file, position.line));
        }
    }
    let loops: Vec<String> =
        loops.into_iter().take(3).map(|(file, line)| format!("{file}:{line}")).collect();
    let diverging = diverging(loaded, report);
    let mut missing = Vec::new();
    for fact in &report.missing {
        let keyword = loaded.lowered.program.locations[fact.location].loop_keyword;
        if let Some(at) = keyword.and_then(|span| loaded.sources.position(span.start)) {
            // Required: in C, so that it can be given as an annotation; what cannot be said so is told as it is.
            let words = if fact.c == "1" { readable(&fact.text) } else { fact.c.clone() };
            missing.push((format!("{}:{}", at.file, at.line), words));
        }
    }
    let circumstances = Circumstances {
        diverging: diverging.as_ref(),
        missing: &missing,
        engine: flags.engine.0.map(|engine| engine.name),
        externals: &externals,
        refinements: report.refinements(),
        loops: &loops,
    };
    advice(reason, circumstances)
}

/// The loop at which some engine had most predicates, and what it knew there last.
fn diverging(loaded: &Loaded, report: &Report) -> Option<Diverging> {
    let loops: BTreeSet<Span> =
        loaded.lowered.program.locations.values().filter_map(|l| l.loop_keyword).collect();
    let counted = report.runs.iter().flat_map(|run| {
        let all = run.statistics.picture.predicates.iter();
        all.filter(|(span, _)| loops.contains(span)).map(move |&(span, count)| (count, span, run))
    });
    let (predicates, span, run) = counted.max_by_key(|&(count, span, _)| (count, span))?;
    let at = loaded.sources.position(span.start)?;
    let vertices = run.statistics.picture.diagrams.iter().flat_map(|d| &d.vertices);
    let mut there = vertices.filter(|v| v.place == Some(span) && v.lines.len() > 1);
    let last = there.next_back().map(|v| v.lines[1..].to_vec()).unwrap_or_default();
    let mut last: Vec<String> = last.into_iter().filter(|l| l.len() <= 60).collect();
    last.drain(..last.len().saturating_sub(3));
    Some(Diverging { place: format!("{}:{}", at.file, at.line), predicates, last })
}

fn assumptions(flags: &VerifyFlags, loaded: &Loaded, report: &Report) -> Vec<String> {
    let mut list = Vec::new();
    let harness = loaded.lowered.harness;
    let is_unit_proof = harness.is_some_and(|dialect| dialect.unit_proof.is_some());
    list.extend(harness.map(|d| format!("It is read as a harness for {}.", d.name)));
    for (name, span) in &loaded.lowered.externals {
        let place = loaded.sources.position(span.start);
        let place = place.map(|p| format!(" (first used at {p})")).unwrap_or_default();
        let model = flags.input.models.iter().find(|(known, _)| known == name);
        let said = model.map(|(_, model)| *model).or(flags.input.external);
        let effect = match said {
            Some(crate::flags::External::Pure) => "changes nothing",
            None if is_unit_proof => "changes nothing, as CBMC has it",
            _ => "changes only what it can reach",
        };
        list.push(format!("`{name}` has no body: it may return any value and {effect}{place}."));
    }
    list.extend(loaded.lowered.assumptions.iter().map(|words| format!("{words}.")));
    list.push(match flags.input.data_model {
        crate::flags::DataModel::Ilp32 => "Types have the sizes of ILP32, as gcc -m32.".to_owned(),
        crate::flags::DataModel::Lp64 => "Types have the sizes of LP64, as gcc on x86-64.".into(),
    });
    if matches!(report.verdict, Verdict::True { .. }) {
        let overflow = flags.property.properties.iter().any(|p| p.contains("overflow"));
        if !overflow {
            list.push(
                "Signed arithmetic does not overflow; `-p no-overflow` verifies that.".into(),
            );
        }
        if !loaded.may_fail() {
            list.push("`malloc` returns memory; running out of it is not considered.".into());
        }
        list.push("There is one thread, and no signal handler runs.".into());
        list.push(
            "Trusted without a re-check: the front end, the points-to analysis, inlining, liveness, \
             value ranges, the encoding into formulas, and the proof checker."
                .into(),
        );
    }
    list
}

fn measures(program: &Program, report: &Report, elapsed: Duration) -> Vec<(String, Vec<Measure>)> {
    let mut groups = Vec::new();
    let bodies = program.functions.values().filter(|f| f.body.is_some()).count();
    let mut size = vec![
        measure("functions", bodies as u64),
        measure("locations", program.locations.len() as u64),
        measure("edges", program.edges.len() as u64),
        measure("checks", program.checks.len() as u64),
    ];
    if let Some(run) = report.runs.first() {
        size.push(measure("edges after simplification", run.statistics.explored.1 as u64));
    }
    groups.push(("Program".to_owned(), size));
    for run in &report.runs {
        let s = &run.statistics;
        let figures: Vec<Measure> =
            s.figures.iter().map(|(name, value)| measure(name, *value)).collect();
        if !figures.is_empty() {
            groups.push((format!("Search of {}", run.engine), figures));
        }
        let questions = questions(run).map(|(name, value)| measure(name, value));
        // Memory graphs and executions ask nothing.
        if questions.iter().any(|measure| measure.value > 0.0) {
            groups.push((format!("Questions of {} to the solver", run.engine), questions.into()));
        }
    }
    let mut times = vec![time("whole run".into(), elapsed)];
    let shares = sampling::shares();
    for EngineRun { engine, .. } in &report.runs {
        // What ended between two looks took next to no time.
        let share = shares.get(engine).copied().unwrap_or_default();
        times.push(time((*engine).to_owned(), share.running));
        times.push(time(format!("{engine}, in the solver"), share.solving));
    }
    groups.push(("Time".to_owned(), times));
    groups
}

fn time(name: String, time: Duration) -> Measure {
    Measure { name, value: (time.as_secs_f64() * 1000.0).round(), unit: "ms" }
}

fn measure(name: &str, value: u64) -> Measure {
    Measure { name: name.to_owned(), value: value as f64, unit: "" }
}

/// By line the largest count of what stands there.
fn by_line(
    counts: impl Iterator<Item = (Span, u32)>,
    place: &dyn Fn(Span) -> Option<Place>,
) -> Vec<(Place, u32)> {
    let mut lines: BTreeMap<(usize, u32), (Place, u32)> = BTreeMap::new();
    for (span, count) in counts {
        if let Some(place) = place(span) {
            let line = lines.entry((place.file, place.line)).or_insert((place, 0));
            line.1 = line.1.max(count);
        }
    }
    lines.into_values().collect()
}

/// How often each line was executed, by the edge of it that was taken most often.
fn visits(
    program: &Program,
    trace: &[EdgeId],
    place: &dyn Fn(Span) -> Option<Place>,
) -> Vec<(Place, u32)> {
    let mut edges: BTreeMap<EdgeId, u32> = BTreeMap::new();
    for &edge in trace {
        *edges.entry(edge).or_default() += 1;
    }
    let counts = edges.into_iter().map(|(edge, n)| (program.edges[edge].origin.span, n));
    by_line(counts.filter(|(_, count)| *count > 1), place)
}

/// How many predicates the engine that decided needed at each line; of an unknown
/// verdict, the engine that needed most.
fn predicates(report: &Report, place: &dyn Fn(Span) -> Option<Place>) -> Vec<(Place, u32)> {
    let counted = |run: &&EngineRun| -> u32 {
        run.statistics.picture.predicates.iter().map(|(_, count)| count).sum()
    };
    let run = match report.winner {
        Some(winner) => report.runs.iter().find(|run| run.engine == winner),
        None => report.runs.iter().max_by_key(counted),
    };
    by_line(run.iter().flat_map(|run| run.statistics.picture.predicates.iter().copied()), place)
}

/// Draws what engines show of their search.
fn draw_searches(report: &Report, place: &dyn Fn(Span) -> Option<Place>, account: &mut Account) {
    let mut room = SEARCHES;
    // A proof is that of the engine that decided; how others searched is no part of it.
    let proved = matches!(report.verdict, Verdict::True { .. });
    let told = report.runs.iter().filter(|run| !proved || Some(run.engine) == report.winner);
    for run in told {
        for diagram in &run.statistics.picture.diagrams {
            let mut diagram = diagram.clone();
            for vertex in &mut diagram.vertices {
                let line = vertex.place.and_then(place).map(|place| place.line);
                if let Some(title) = vertex.lines.first_mut() {
                    *title = with_line(title, line);
                }
            }
            let mut name = diagram.name.clone();
            if diagram.omitted > 0 {
                name += &format!(
                    " (first {} of {})",
                    diagram.vertices.len(),
                    diagram.vertices.len() + diagram.omitted
                );
            }
            let svg = diagram.svg();
            if svg.len() > room {
                account.not_drawn.push(format!("{}: {name}", run.engine));
                continue;
            }
            room -= svg.len();
            let (dot, group) = (Some(diagram.dot()), format!("search of {}", run.engine));
            account.graphs.push(Graph { name, group, svg, path: Vec::new(), dot });
        }
    }
}

/// The title of a vertex with the line instead of the number of the location, which looks like one; without a line, that
/// is said to be a number of a node.
fn with_line(title: &str, line: Option<u32>) -> String {
    let is_number = |word: &str| {
        let digits = word.strip_prefix('L').map(|rest| rest.trim_end_matches(':'));
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    let words = title.split(' ').map(|word| match is_number(word) {
        true => match line {
            Some(line) => format!("line {line}{}", if word.ends_with(':') { ":" } else { "" }),
            None => word.replacen('L', "node ", 1),
        },
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Draws functions, those on the path first, as many as there is room for.
fn draw(
    program: &Program,
    path: &[EdgeId],
    place: &dyn Fn(Span) -> Option<Place>,
    account: &mut Account,
) {
    let line = |span: Span| Some(place(span)?.line);
    let mut order: Vec<FunctionId> = Vec::new();
    let mut edges: BTreeMap<FunctionId, BTreeSet<u32>> = BTreeMap::new();
    for &edge in path {
        let function = program.locations[program.edges[edge].from].function;
        let known = edges.entry(function).or_insert_with(|| {
            order.push(function);
            BTreeSet::new()
        });
        known.insert(edge.index() as u32);
    }
    order.extend(program.functions.iter().map(|(f, _)| f).filter(|f| !edges.contains_key(f)));
    let mut sizes: HashMap<FunctionId, usize> = HashMap::default();
    for edge in program.edges.values() {
        *sizes.entry(program.locations[edge.from].function).or_default() += 1;
    }
    let functions = Functions::new(program);
    let mut room = DRAWINGS;
    for f in order {
        let function = &program.functions[f];
        let Some(body) = function.body else { continue };
        // The stub that calls the entry function, and models of the library.
        if function.span.is_none() {
            continue;
        }
        let small = sizes.get(&f).copied().unwrap_or(0) <= EDGES && room > 0;
        let svg = if small { functions.draw(program, f, body, &line) } else { String::new() };
        if !small || svg.len() > room {
            account.not_drawn.push(function.name.clone());
            continue;
        }
        room -= svg.len();
        account.graphs.push(Graph {
            name: function.name.clone(),
            group: html::FUNCTIONS.to_owned(),
            svg,
            path: edges.get(&f).map(|set| set.iter().copied().collect()).unwrap_or_default(),
            dot: None,
        });
    }
}

/// The texts that are shown.
struct Files {
    files: Vec<SourceFile>,
    /// By text of the source map: the file it is shown as, or none when its
    /// originals are shown.
    physical: Vec<Option<usize>>,
    /// Originals by name.
    originals: HashMap<String, usize>,
}

impl Files {
    fn new(loaded: &Loaded, input: &InputFlags) -> Files {
        let mut files =
            Files { files: Vec::new(), physical: Vec::new(), originals: HashMap::default() };
        let mut wanted: Vec<BTreeSet<String>> = Vec::new();
        let texts = loaded.sources.texts();
        for text in texts {
            let own = BTreeSet::from([text.name.clone()]);
            wanted.push(if text.text.is_empty() { own } else { BTreeSet::new() });
        }
        for edge in loaded.lowered.program.edges.values() {
            let span = edge.origin.span;
            if span.is_none() {
                continue;
            }
            let index = texts.partition_point(|t| t.start <= span.start).saturating_sub(1);
            if let (Some(names), Some(position)) =
                (wanted.get_mut(index), loaded.sources.position(span.start))
                && !names.contains(&position.file)
            {
                names.insert(position.file);
            }
        }
        for (text, names) in texts.iter().zip(wanted) {
            let own = names.iter().all(|name| *name == text.name) && !text.has_line_markers();
            let read: Option<Vec<(String, String)>> = if own {
                None
            } else {
                let find =
                    |name: &str| text_of(name, input).or_else(|| generated(name, &text.text));
                names.into_iter().map(|name| Some((name.clone(), find(&name)?))).collect()
            };
            match read {
                Some(read) if !read.is_empty() => {
                    for (name, content) in read {
                        if !files.originals.contains_key(&name) {
                            files.originals.insert(name.clone(), files.files.len());
                            files.files.push(coloured(name, content));
                        }
                    }
                    files.physical.push(None);
                }
                _ => {
                    files.physical.push(Some(files.files.len()));
                    files.files.push(coloured(text.name.clone(), text.text.clone()));
                }
            }
        }
        files
    }

    fn place(&self, loaded: &Loaded, span: Span) -> Option<Place> {
        if span.is_none() {
            return None;
        }
        let texts = loaded.sources.texts();
        let index = texts.partition_point(|t| t.start <= span.start).checked_sub(1)?;
        let position = match self.physical.get(index)? {
            Some(file) => (loaded.sources.physical_position(span.start)?, *file),
            None => {
                let position = loaded.sources.position(span.start)?;
                let file = *self.originals.get(&position.file)?;
                (position, file)
            }
        };
        let (at, file) = position;
        Some(Place { file, line: at.line, column: at.column })
    }
}

/// What was appended to a text under a name of its own: a caller.
fn generated(name: &str, text: &str) -> Option<String> {
    text.split_once(&format!("\n# 1 \"{name}\"\n")).map(|(_, own)| own.to_owned())
}

/// The text of a file, as the user sees it.
fn text_of(name: &str, input: &InputFlags) -> Option<String> {
    let typed = input.shown_as.as_deref().filter(|shown| *shown == name);
    match typed.and_then(|_| input.files.first()) {
        Some(file) => {
            let text = std::fs::read_to_string(file).ok()?;
            Some(text.split_once('\n').map_or("", |(_, text)| text).to_owned())
        }
        None => std::fs::read_to_string(name).ok(),
    }
}

fn coloured(name: String, text: String) -> SourceFile {
    let style = |class| match class {
        Class::Keyword => 'k',
        Class::Type => 't',
        Class::Number => 'n',
        Class::String => 's',
        Class::Comment => 'c',
        Class::Directive => 'd',
    };
    let pieces = highlight(&text).into_iter();
    SourceFile { colours: pieces.map(|(range, class)| (range, style(class))).collect(), name, text }
}
