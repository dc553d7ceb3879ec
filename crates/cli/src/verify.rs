//! `bolide verify`: the main job.

use crate::accepted::{self, Accepted};
use crate::account;
use crate::contracts;
use crate::coverage;
use crate::exit::Exit;
use crate::flags::{InputFlags, VerifyFlags};
use crate::frontend::{self, Loaded, Refusal};
use crate::json;
use crate::modular::{self, Proved};
use crate::output::{Places, write};
use crate::progress::StatusLine;
use crate::project_file::settings;
use crate::proofs::{Place, Store};
use crate::report;
use crate::sampling;
use crate::search;
use crate::show;
use crate::vacuity;
use crate::watchdog::{self, Limits};
use bolide_api::evidence;
use bolide_base::Budget;
use bolide_cfa::Property;
use bolide_engines::choose::{self, Report};
use bolide_engines::shape;
use bolide_engines::shape::contract::Prove;
use bolide_engines::task::Orders;
use bolide_evidence::account::Finding;
use bolide_evidence::explanation;
use bolide_reachability::encode::Exactness;
use bolide_reachability::verdict::Reason;
use bolide_verdict::Verdict;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Instant;

/// Verifies; the last line of output is the verdict.
pub fn verify(flags: &VerifyFlags) -> Exit {
    let start = Instant::now();
    if !can_write(flags) {
        return Exit::Usage;
    }
    let own = flags.clone();
    let late = move |limit, budget: &Budget| {
        last_words(&own, start, &Reason::Exhausted(limit), budget);
    };
    let (budget, floor) = watchdog::guard(flags.limits.limits(), Box::new(late));
    let status = StatusLine::start(&budget, flags.limits.timeout, flags.quiet || flags.json);
    let (mut loaded, prove) = match load(flags, &budget) {
        Ok(loaded) => loaded,
        Err(refusal) => {
            let reason = match (budget.poll(), refusal) {
                (Err(limit), _) => Reason::Exhausted(limit),
                (Ok(()), Refusal::Unsupported(what)) => Reason::Unsupported(what),
                (Ok(()), Refusal::Input) => return Exit::Usage,
            };
            floor.take();
            last_words(flags, start, &reason, &budget);
            return Exit::Unknown;
        }
    };
    let asked = flags;
    let flags = &with_usual_properties(asked, &mut loaded);
    introduce(asked, flags, &loaded);
    let store = Store::open(flags.proofs.as_ref());
    let told = shape::Options { remembered: store.remembered(), ..search::shape(&flags.search) };
    if let Some(prove) = prove.filter(|_| contracts::concerned(&loaded, &flags.input)) {
        drop(status);
        if flags.verbose {
            budget.progress().measure(sampling::nanoseconds);
        }
        let judged = contracts::judge(&mut loaded, prove, &told, &budget);
        floor.take();
        store.remember(&told.remembered);
        return tell_contracts(flags, &loaded, &judged, start, &budget);
    }
    let orders = match search::orders(&flags.search, flags.engine.0) {
        Ok(orders) => orders,
        Err(message) => {
            floor.take();
            eprintln!("bolide: {message}");
            return Exit::Usage;
        }
    };
    let orders = Orders { shape: told, ..orders };
    let report = decide(flags, &loaded, orders.clone(), &store, &budget);
    let decide = |loaded: &Loaded| decide(flags, loaded, orders.clone(), &store, &budget);
    let Proved { loaded, report, rests_on } =
        modular::prove_used(flags, &flags.input, (loaded, report), decide, &budget);
    let explanation = match &report.verdict {
        Verdict::False(violation) if !flags.quiet => {
            Some(explanation::explain(&loaded.lowered.program, violation, &budget))
        }
        _ => None,
    };
    // Whatever comes now must not cost the verdict.
    floor.take();
    let vacuous = match &report.verdict {
        Verdict::True { .. } => vacuous(flags, &loaded, start, &budget),
        _ => None,
    };
    let coverage = coverage(flags, &loaded, start, &budget);
    drop(status);
    if !flags.quiet && !flags.json {
        rests_on.iter().for_each(|what| println!("rests on {what}"));
    }
    tell(flags, &loaded, &report, Told { start, explanation, vacuous, coverage });
    let exit = exit_of(&report.verdict);
    // Giving back the memory of a large program piece by piece takes longer
    // than ending the process.
    std::mem::forget((loaded, report));
    exit
}

/// Reads the program; for the heap logic, with how it proves contracts, where its engine is asked for, or where only
/// it understands the contract of the entry function. Pointers into static memory are none of its objects: where there is
/// such memory and no structure, the contract is part of the program for it too.
fn load(flags: &VerifyFlags, budget: &Budget) -> Result<(Loaded, Option<Prove>), Refusal> {
    let read = |heap_contracts: bool| {
        let input = InputFlags { heap_contracts, ..flags.input.clone() };
        frontend::load(&input, &flags.property, budget)
    };
    if let Some(prove) = flags.engine.0.and_then(|engine| engine.contracts) {
        let loaded = read(true)?;
        let program = &loaded.lowered.program;
        let has_objects = !program.records.is_empty() || program.objects.is_empty();
        let promises = loaded.record().contract_of.is_some();
        if has_objects && (promises || contracts::concerned(&loaded, &flags.input)) {
            return Ok((loaded, Some(prove)));
        }
    }
    let loaded = read(false)?;
    let asked = flags.engine.0.or_else(|| choose::engine("shape"));
    match asked.and_then(|engine| engine.contracts) {
        Some(prove) if loaded.lowered.heap_contract_of_entry => Ok((read(true)?, Some(prove))),
        _ => Ok((loaded, None)),
    }
}

/// Whether all that was asked for can be written.
fn can_write(flags: &VerifyFlags) -> bool {
    let proofs = flags.proofs.as_ref().and_then(Place::folder).map(PathBuf::from);
    let places = Places {
        files: vec![&flags.witness, &flags.harness, &flags.report, &flags.sarif],
        folders: vec![&flags.drawings, &flags.search.dump_automata, &proofs],
    };
    places.are_writable()
}

/// Says what is verified and what is assumed for it.
fn introduce(asked: &VerifyFlags, flags: &VerifyFlags, loaded: &Loaded) {
    if !flags.quiet {
        report::diagnostics(&loaded.sources, &loaded.lowered.diagnostics);
    }
    if flags.quiet || flags.json {
        return;
    }
    if flags.property.properties.len() > asked.property.properties.len() {
        let names = flags.property.properties.join(", ");
        let why = match loaded.lowered.harness.filter(|dialect| dialect.unit_proof.is_some()) {
            Some(dialect) => format!("a harness for {}", dialect.name),
            None => "nothing is asserted in what the entry function reaches".to_owned(),
        };
        println!("{why}; checked: {names}");
    }
    for assumption in show::assumptions(loaded, flags.verbose) {
        println!("assumed: {assumption}");
    }
}

/// Says what became of contracts.
fn tell_contracts(
    flags: &VerifyFlags,
    loaded: &Loaded,
    judged: &[shape::contract::Judged],
    start: Instant,
    budget: &Budget,
) -> Exit {
    let report = contracts::report(loaded, judged);
    if let Err(message) = leave_pages(flags, loaded, &report, &Told::nothing(start)) {
        eprintln!("bolide: {message}");
    }
    if flags.json {
        println!("{:#}", json::object(flags, loaded, &report, None, start.elapsed()));
        return exit_of(&report.verdict);
    }
    if flags.verbose && !flags.quiet {
        println!("{}", contracts::time_in_solver(budget, start.elapsed()));
    }
    contracts::tell(loaded, judged, flags)
}

/// What is told beside a verdict.
struct Told {
    start: Instant,
    explanation: Option<explanation::Explanation>,
    vacuous: Option<String>,
    coverage: Option<String>,
}

impl Told {
    fn nothing(start: Instant) -> Told {
        Told { start, explanation: None, vacuous: None, coverage: None }
    }
}

/// Says the verdict, and leaves the evidence that was asked for.
fn tell(flags: &VerifyFlags, loaded: &Loaded, report: &Report, told: Told) {
    let Told { start, explanation, .. } = &told;
    let vacuous = &told.vacuous;
    let talkative = !flags.quiet && !flags.json;
    let is_read = talkative || flags.json;
    let accepted = is_read.then(|| accepted(flags, loaded, report, &told)).flatten();
    if let (true, Some(why)) = (talkative, vacuous) {
        println!("vacuous: {why}");
    }
    if let (true, Some(what)) = (talkative, &told.coverage) {
        println!("coverage: {what}");
    }
    if talkative {
        if flags.verbose {
            print!("{}", show::statistics(report));
        }
        print!("{}", show::reuse(report));
        print!("{}", show::verdict(flags, loaded, report, explanation.as_ref()));
    }
    if let Err(message) = leave_evidence(flags, loaded, report, &told) {
        eprintln!("bolide: {message}");
    }
    if flags.json {
        let mut object = json::object(flags, loaded, report, explanation.as_ref(), start.elapsed());
        object["vacuous"] = vacuous.clone().into();
        if matches!(report.verdict, Verdict::False(_)) {
            object["accepted"] = accepted.into();
        }
        if let Some(coverage) = &told.coverage {
            object["coverage"] = coverage.as_str().into();
        }
        println!("{object:#}");
    } else {
        if let (true, Some(why)) = (talkative, accepted) {
            println!("accepted: {why}");
        }
        println!("RESULT: {}", show::result(loaded, &report.verdict));
    }
}

/// Why the file of the project accepts a violation, which it stays.
fn accepted(flags: &VerifyFlags, loaded: &Loaded, report: &Report, told: &Told) -> Option<String> {
    if !settings(&flags.input.settings).accepts() {
        return None;
    }
    let log = log(flags, loaded, report, told);
    accepted::why(&log["runs"][0]["results"][0]).map(str::to_owned)
}

fn exit_of(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::True { .. } => Exit::True,
        Verdict::False(_) => Exit::False,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// The flags with what is checked when nobody asked for anything and nothing is asserted, or what a verifier checks
/// of its harnesses: then the program is lowered once more.
fn with_usual_properties(flags: &VerifyFlags, loaded: &mut Loaded) -> VerifyFlags {
    let mut flags = flags.clone();
    let asked = !flags.property.properties.is_empty() || !flags.property.ltl.is_empty();
    let is_about_something = asked
        || vacuity::is_checked(&loaded.lowered.program)
        || !loaded.lowered.contracts.is_empty()
        || !loaded.lowered.unchecked.is_empty();
    let harness = loaded.lowered.harness.and_then(|dialect| dialect.unit_proof);
    let mut usual = match harness {
        Some(checked) => checked.to_vec(),
        None => crate::flags::WITHOUT_ASSERTIONS.to_vec(),
    };
    if is_about_something {
        usual.insert(0, "assert");
    }
    let properties: Vec<Property> =
        usual.iter().flat_map(|name| Property::asked_by(name)).collect();
    if !asked
        && (!is_about_something || harness.is_some())
        && let Some(lowered) = loaded.lower_for(&properties)
    {
        loaded.lowered = lowered;
        flags.property.properties = usual.into_iter().map(str::to_owned).collect();
    }
    flags
}

/// Why `true` says less than it seems. Without being asked, only people are told, and soon; that there is
/// nothing at all costs nothing to see.
fn vacuous(
    flags: &VerifyFlags,
    loaded: &Loaded,
    start: Instant,
    budget: &Budget,
) -> Option<String> {
    if !flags.vacuity && (flags.quiet || flags.json) {
        let checked = vacuity::is_checked(&loaded.lowered.program);
        return (!checked).then(|| vacuity::NOTHING.to_owned());
    }
    let limit = if flags.vacuity { vacuity::limit } else { vacuity::short_limit };
    let time = limit(start.elapsed(), flags.limits.timeout);
    let limits = Limits { time: Some(time), ..flags.limits.limits() };
    vacuity::vacuous(loaded, &watchdog::watch_part(budget, "vacuity", limits))
}

/// Which lines and branches executions come to, where somebody asks.
fn coverage(
    flags: &VerifyFlags,
    loaded: &Loaded,
    start: Instant,
    budget: &Budget,
) -> Option<String> {
    if !flags.coverage {
        return None;
    }
    let time = vacuity::limit(start.elapsed(), flags.limits.timeout);
    let limits = Limits { time: Some(time), ..flags.limits.limits() };
    let budget = watchdog::watch_part(budget, "coverage", limits);
    Some(coverage::coverage(loaded, &budget).in_words())
}

/// Runs the engines.
fn decide(
    flags: &VerifyFlags,
    loaded: &Loaded,
    orders: Orders,
    store: &Store,
    budget: &Budget,
) -> Report {
    let is_drawn = flags.report.is_some() || flags.drawings.is_some();
    let exact = match flags.bits {
        crate::flags::BitsFlag::Exact => Exactness::full(),
        _ => Exactness::default(),
    };
    let mut orders = Orders {
        exact,
        // Without a report they still tell at which loop a search did not end.
        pictures: is_drawn || flags.sarif.is_some() || !flags.quiet,
        ..orders
    };
    orders.trace.pictures = is_drawn;
    orders.shape.drawings = flags.drawings.is_some();
    orders.trace.proofs = store.shared();
    let remembered = orders.shape.remembered.clone();
    let options = choose::Options {
        engine: flags.engine.0,
        threads: flags.threads.unwrap_or_else(available_threads),
        orders,
        record: loaded.record(),
        ..Default::default()
    };
    let mut report = choose::verify(&loaded.lowered.program, &options, budget);
    store.remember(&remembered);
    if let Some(folder) = &flags.search.dump_automata
        && let Err(message) = dump_automata(folder, &report)
    {
        eprintln!("bolide: {message}");
    }
    // Where a limit came before the first engine, it is the reason.
    if let (Verdict::Unknown(_), true, Err(limit)) =
        (&report.verdict, report.runs.is_empty(), budget.poll())
    {
        report.verdict = Verdict::Unknown(Reason::Exhausted(limit));
    }
    report
}

/// Writes what the engines drew.
fn dump_automata(folder: &std::path::Path, report: &Report) -> Result<(), String> {
    let fail = |e| format!("cannot write to `{}`: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(fail)?;
    for run in &report.runs {
        for (name, content) in &run.statistics.drawings {
            std::fs::write(folder.join(name), content).map_err(fail)?;
        }
    }
    Ok(())
}

/// The property of a SARIF log that says in few words why there is no verdict.
pub const TOPIC: &str = "bolide/unknown";

/// What is said when the work ended before there was anything else to say.
fn last_words(flags: &VerifyFlags, start: Instant, reason: &Reason, budget: &Budget) {
    if flags.report.is_some() || flags.sarif.is_some() {
        let account = account::cut_short(flags, reason, budget, start.elapsed());
        let page = flags.report.iter().map(|f| (f, bolide_evidence::html::report(&account)));
        let mut log = bolide_evidence::sarif::log(&account);
        log["runs"][0]["properties"][TOPIC] = json::topic(reason).into();
        let log = flags.sarif.iter().map(|f| (f, format!("{log:#}\n")));
        for (file, text) in page.chain(log) {
            if let Err(message) = write(file, &text) {
                eprintln!("bolide: {message}");
            }
        }
    }
    if flags.json {
        println!("{:#}", json::last_words(flags, reason, budget, start.elapsed()));
    } else {
        if !flags.quiet {
            print!("{}", show::last_words(reason, budget));
        }
        println!("RESULT: unknown");
    }
}

/// Engines that may run side by side unless the user says otherwise.
pub(crate) fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Writes witness, harness and report where they were asked for.
fn leave_evidence(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    told: &Told,
) -> Result<(), String> {
    if let Some(file) = &flags.witness
        && let Some(text) = witness(flags, loaded, report)
    {
        write(file, &text)?;
    }
    if let (Some(file), Verdict::False(violation)) = (&flags.harness, &report.verdict) {
        write(file, &evidence::harness(loaded, violation))?;
    }
    leave_pages(flags, loaded, report, told)
}

/// The witness of the verdict; none for `unknown`.
fn witness(flags: &VerifyFlags, loaded: &Loaded, report: &Report) -> Option<String> {
    let files = flags.input.files.iter();
    let asked = evidence::Asked {
        files: files
            .map(|f| (f.display().to_string(), std::fs::read(f).unwrap_or_default()))
            .collect(),
        properties: &flags.property.properties,
        formulas: &flags.property.ltl,
        data_model: flags.input.data_model.name(),
    };
    evidence::witness(&asked, loaded, report)
}

/// Writes the report and the SARIF log where they were asked for.
fn leave_pages(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    told: &Told,
) -> Result<(), String> {
    let elapsed = told.start.elapsed();
    if flags.report.is_some() || flags.drawings.is_some() {
        let account = account::account(flags, loaded, report, elapsed, true);
        if let Some(file) = &flags.report {
            write(file, &bolide_evidence::html::report(&account))?;
        }
        if let Some(folder) = &flags.drawings {
            for graph in &account.graphs {
                let name = format!("{} {}", graph.group, graph.name);
                let words: Vec<&str> =
                    name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
                let file = folder.join(format!("{}.svg", words.join("-")));
                write(&file, &bolide_evidence::html::drawing(graph))?;
                if let Some(dot) = &graph.dot {
                    write(&file.with_extension("dot"), dot)?;
                }
            }
        }
    }
    if let Some(file) = &flags.sarif {
        write(file, &format!("{:#}\n", log(flags, loaded, report, told)))?;
    }
    Ok(())
}

/// The SARIF log, which marks a violation that the project accepts.
fn log(flags: &VerifyFlags, loaded: &Loaded, report: &Report, told: &Told) -> Value {
    let account = account::account(flags, loaded, report, told.start.elapsed(), false);
    let mut log = bolide_evidence::sarif::log(&account);
    if let Verdict::Unknown(reason) = &report.verdict {
        log["runs"][0]["properties"][TOPIC] = json::topic(reason).into();
    }
    let said = [("vacuous", &told.vacuous), ("coverage", &told.coverage)];
    for (name, words) in said {
        if let Some(words) = words {
            log["runs"][0]["properties"][format!("bolide/{name}")] = words.as_str().into();
        }
    }
    if let Finding::Violated { property, .. } = &account.finding {
        let program = &loaded.lowered.program;
        let entry = &program.functions[program.entry].name;
        let settings = settings(&flags.input.settings);
        let result = &mut log["runs"][0]["results"][0];
        match Accepted::new(&settings, None) {
            Ok(accepted) => accepted.mark(result, property, "", entry),
            Err(message) => eprintln!("bolide: {message}"),
        }
    }
    log
}
