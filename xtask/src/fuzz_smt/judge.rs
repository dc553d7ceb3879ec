//! Runs a problem in our solver and in z3, now and then also in cvc5, and compares.

use super::second::Cvc5;
use bolide_base::{Budget, Exhausted};
use bolide_smt::script::{Host, Script};
use bolide_terms::smtlib::sexpr::Expressions;
use bolide_testing::problem::{Expr, Problem, Step, Ty, declared_names};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time for one check of ours.
const OUR_LIMIT: Duration = Duration::from_secs(2);
/// Time for one check of z3, in milliseconds.
const Z3_LIMIT: u32 = 1000;

thread_local! {
    /// Where the last panic of this thread was.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic of the solver is a finding: remember where it was instead of
/// printing it.
pub fn record_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line()));
        let payload = info.payload();
        let message = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("");
        LAST_PANIC.set(format!("{} {message}", place.unwrap_or_default()));
    }));
}

/// The kind of failure that is a time-out.
pub const SLOW: &str = "time-out";

/// What went wrong.
pub struct Failure {
    /// The same for what looks like the same defect.
    pub kind: String,
    pub detail: String,
}

/// Of one problem.
#[derive(Default)]
pub struct Verdict {
    pub failure: Option<Failure>,
    pub tally: Counts,
    /// Checks that our solver left open: which, and why.
    pub open: Vec<String>,
}

/// The logics in which everything that is refuted has interpolants: no bit-vectors, and nothing
/// that is not linear.
const INTERPOLATED: [&str; 13] = [
    "prop",
    "QF_UF",
    "QF_LIA",
    "QF_IDL",
    "QF_LRA",
    "QF_LIRA",
    "QF_UFLIA",
    "QF_UFLRA",
    "QF_ALIA",
    "QF_AUFLIA",
    "QF_AX",
    "path",
    "memory",
];

/// What is counted: the names of the columns, and how wide they are.
pub const COLUMNS: [(&str, usize); 15] = [
    ("problems", 8),
    ("checks", 8),
    ("sat", 8),
    ("unsat", 8),
    ("unknown", 8),
    ("timeout", 8),
    ("z3-unkn", 8),
    ("models", 8),
    ("cores", 8),
    ("proofs", 8),
    ("itps", 7),
    ("refused", 8),
    // Checks on which the second judge had an opinion.
    ("cvc5", 8),
    // Answers of z3 against us that it does not repeat without scopes.
    ("z3-back", 8),
    ("FAILED", 7),
];

/// How much was checked, by column.
#[derive(Clone, Default)]
pub struct Counts(std::collections::BTreeMap<&'static str, u64>);

impl Counts {
    pub fn count(&mut self, column: &'static str) {
        *self.0.entry(column).or_default() += 1;
    }

    pub fn add(&mut self, other: &Counts) {
        for (column, count) in &other.0 {
            *self.0.entry(column).or_default() += count;
        }
    }

    pub fn heading() -> String {
        let columns = COLUMNS.map(|(name, width)| format!("{name:>width$}"));
        format!("{:<10}{}", "logic", columns.concat())
    }

    pub fn line(&self, name: &str) -> String {
        let count = |column: &str| self.0.get(column).copied().unwrap_or(0);
        let columns = COLUMNS.map(|(name, width)| format!("{:>width$}", count(name)));
        format!("{name:<10}{}", columns.concat())
    }
}

/// A check that is being run.
struct Watched {
    deadline: Instant,
    budget: Budget,
    /// Of the thread that runs it, and what that had computed before.
    thread: Option<(PathBuf, Duration)>,
}

/// Stops a budget when its time has come: [`OUR_LIMIT`] of waiting and, where the system tells, of
/// computing, so that a process that others keep waiting has no time-outs for that.
#[derive(Clone)]
struct Watchdog {
    armed: Arc<Mutex<Option<Watched>>>,
}

impl Watchdog {
    fn start() -> Self {
        let armed: Arc<Mutex<Option<Watched>>> = Arc::default();
        let watched = armed.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(50));
                if let Ok(armed) = watched.lock()
                    && let Some(check) = &*armed
                    && Instant::now() > check.deadline
                    && check.thread.as_ref().is_none_or(|(place, before)| {
                        computed(place).is_none_or(|now| now > *before + OUR_LIMIT)
                    })
                {
                    check.budget.stop(Exhausted::Time);
                }
            }
        });
        Watchdog { armed }
    }

    /// Watches the thread that calls.
    fn arm(&self) -> Budget {
        let budget = Budget::unlimited();
        let place = std::fs::canonicalize("/proc/thread-self/schedstat").ok();
        let thread = place.and_then(|place| Some((place.clone(), computed(&place)?)));
        let deadline = Instant::now() + OUR_LIMIT;
        if let Ok(mut armed) = self.armed.lock() {
            *armed = Some(Watched { deadline, budget: budget.clone(), thread });
        }
        budget
    }

    fn disarm(&self) {
        if let Ok(mut armed) = self.armed.lock() {
            *armed = None;
        }
    }
}

/// How long a thread has computed, on Linux.
fn computed(schedstat: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(schedstat).ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

struct FuzzHost {
    answers: Vec<String>,
    watchdog: Watchdog,
}

impl Host for FuzzHost {
    fn answer(&mut self, text: &str) {
        self.answers.push(text.to_owned());
    }

    fn begin_check(&mut self, _timeout: Option<u64>) -> Budget {
        self.watchdog.arm()
    }

    fn end_check(&mut self) {
        self.watchdog.disarm();
    }
}

/// What our solver said to one check, and what is to be verified.
struct Checked {
    answer: String,
    reason: String,
    model: Option<String>,
    core: Option<Vec<String>>,
    assumptions: Vec<String>,
    unsat_assumptions: Option<String>,
    interpolants: Option<Result<Vec<String>, String>>,
    /// Numbers of the assertions that were active.
    active: Vec<usize>,
}

struct Z3 {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: usize,
    /// There was an error, so scopes may be open that should not be.
    confused: bool,
}

impl Z3 {
    fn start() -> std::io::Result<Z3> {
        let mut child = Command::new("z3")
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let output = BufReader::new(child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?);
        Ok(Z3 { child, input, output, asked: 0, confused: false })
    }

    /// The answers to a script that leaves so many scopes open. Scripts run in
    /// a scope of their own, which is far cheaper than a reset; that is done
    /// now and then, and after errors.
    fn ask(&mut self, script: &str, open: usize) -> std::io::Result<Vec<String>> {
        let mut text = String::new();
        if self.asked.is_multiple_of(500) || self.confused {
            let _ = writeln!(text, "(reset)\n(set-option :timeout {Z3_LIMIT})");
            self.confused = false;
        }
        self.asked += 1;
        let _ = writeln!(text, "(push)\n{script}\n(pop {})\n(echo \"@@done\")", open + 1);
        self.input.write_all(text.as_bytes())?;
        self.input.flush()?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end();
            if line == "@@done" {
                return Ok(lines);
            }
            self.confused |= line.starts_with("(error");
            lines.push(line.to_owned());
        }
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All solvers.
pub struct Judge {
    z3: Z3,
    /// The second judge, if it is installed.
    cvc5: Option<Cvc5>,
    /// Whether the second judge is asked as well.
    pub second_opinion: bool,
    watchdog: Watchdog,
    /// Whether a time-out of ours is a failure.
    pub slow_fails: bool,
}

/// One verification query and what it is about.
struct Query {
    script: String,
    /// A second try when the answer is not the expected one.
    retry: Option<String>,
    expected: &'static str,
    kind: &'static str,
    detail: String,
}

impl Judge {
    pub fn new() -> std::io::Result<Judge> {
        Ok(Judge {
            z3: Z3::start()?,
            cvc5: Cvc5::start(),
            second_opinion: false,
            watchdog: Watchdog::start(),
            slow_fails: false,
        })
    }

    /// The version of the second judge.
    pub fn second(&self) -> Option<&str> {
        self.cvc5.as_ref().map(|cvc5| cvc5.version.as_str())
    }

    /// What the second judge says to the checks of a script, where it says something.
    fn ask_second(&mut self, script: &str) -> Vec<String> {
        let Some(cvc5) = &mut self.cvc5 else { return Vec::new() };
        match cvc5.ask(script) {
            Some(lines) => lines,
            None => {
                self.cvc5 = Cvc5::start();
                Vec::new()
            }
        }
    }

    /// The lines that z3 answers; after a crash it is started anew.
    fn ask(&mut self, script: &str, open: usize) -> Vec<String> {
        for _ in 0..2 {
            match self.z3.ask(script, open) {
                Ok(lines) => return lines,
                Err(_) => {
                    if let Ok(z3) = Z3::start() {
                        self.z3 = z3;
                    }
                }
            }
        }
        vec!["z3 crashed".to_owned()]
    }

    pub fn try_problem(&mut self, problem: &Problem) -> Verdict {
        let mut verdict = Verdict::default();
        let watchdog = self.watchdog.clone();
        let run =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run_ours(problem, watchdog)));
        let checks = match run {
            Ok(Ok(checks)) => checks,
            Ok(Err(failure)) => {
                verdict.failure = Some(failure);
                return verdict;
            }
            Err(_) => {
                let place = LAST_PANIC.take();
                let kind = place.split_whitespace().next().unwrap_or("").to_owned();
                verdict.failure = Some(Failure { kind: format!("panic {kind}"), detail: place });
                return verdict;
            }
        };
        if self.slow_fails && checks.iter().any(|c| c.reason.contains("time limit")) {
            let detail = "no answer within the time limit".to_owned();
            verdict.failure = Some(Failure { kind: SLOW.to_owned(), detail });
            return verdict;
        }
        let open = checks.iter().enumerate().filter(|(_, c)| c.answer == "unknown");
        verdict.open = open.map(|(i, c)| format!("check {}: {}", i + 1, c.reason)).collect();
        let mut script = problem.declarations();
        for (text, _) in problem.commands() {
            script += &text;
            script.push('\n');
        }
        let judged = self.ask(&script, problem.open_scopes());
        verdict.failure = compare(problem, &checks, &judged, &mut verdict.tally);
        if verdict.failure.is_none() {
            verdict.failure = self.verify(problem, &checks, &mut verdict.tally);
        }
        if verdict.failure.is_none() && self.second_opinion {
            let opinions = self.ask_second(&script);
            for (ours, theirs) in checks.iter().zip(&opinions) {
                if theirs != "sat" && theirs != "unsat" {
                    continue;
                }
                verdict.tally.count("cvc5");
                if ours.answer != "unknown" && ours.answer != *theirs {
                    let detail = format!("we say {}, cvc5 says {theirs}", ours.answer);
                    let kind = format!("we say {} against cvc5", ours.answer);
                    verdict.failure = Some(Failure { kind, detail });
                    break;
                }
            }
        }
        verdict
    }

    /// Models, cores and interpolants.
    fn verify(
        &mut self,
        problem: &Problem,
        checks: &[Checked],
        tally: &mut Counts,
    ) -> Option<Failure> {
        let formulas: Vec<&Expr> = problem
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Assert(e) => Some(e),
                _ => None,
            })
            .collect();
        let mut queries: Vec<Query> = Vec::new();
        for check in checks {
            let active: Vec<String> = check.active.iter().map(|&n| formulas[n].text()).collect();
            if let Some(model) = &check.model
                && problem.definable
            {
                tally.count("models");
                let (mut script, mut enumerated) = model_definitions(model);
                for text in [&mut script, &mut enumerated] {
                    assert_all(text, active.iter().chain(&check.assumptions));
                }
                queries.push(Query {
                    // Constant arrays may be equal because there are no more indices.
                    retry: enumerated.starts_with("(declare-datatypes").then_some(enumerated),
                    script,
                    expected: "sat",
                    kind: "wrong model",
                    detail: model.clone(),
                });
            }
            if let Some(core) = &check.core {
                tally.count("cores");
                let members = core.iter().filter_map(|name| name.strip_prefix('n')?.parse().ok());
                let members: Vec<String> =
                    members.filter_map(|n: usize| formulas.get(n).map(|e| e.text())).collect();
                let mut script = problem.declarations();
                assert_all(&mut script, members.iter().chain(&check.assumptions));
                queries.push(Query {
                    retry: None,
                    script,
                    expected: "unsat",
                    kind: "wrong core",
                    detail: core.join(" "),
                });
            }
            if let Some(assumptions) = &check.unsat_assumptions {
                let mut script = problem.declarations();
                assert_all(&mut script, active.iter());
                if assumptions.len() > 2 {
                    let inner = &assumptions[1..assumptions.len() - 1];
                    let _ = writeln!(script, "(assert (and true {inner}))");
                }
                queries.push(Query {
                    retry: None,
                    script,
                    expected: "unsat",
                    kind: "wrong assumptions",
                    detail: assumptions.clone(),
                });
            }
            if let Some(found) = &check.interpolants
                && let Some(failure) = look_at_interpolants(problem, found, &mut queries, tally)
            {
                return Some(failure);
            }
        }
        if queries.is_empty() { None } else { self.discharge(&queries, tally) }
    }

    /// The first query that z3 answers otherwise than expected.
    fn discharge(&mut self, queries: &[Query], tally: &mut Counts) -> Option<Failure> {
        let mut script = String::new();
        for query in queries {
            let _ = write!(script, "(push)\n{}(check-sat)\n(pop)\n", query.script);
        }
        let answers = self.ask(&script, 0);
        let mut answers = answers.iter();
        for query in queries {
            let Some(answer) = answers.next() else {
                return Some(Failure {
                    kind: "z3 stopped answering".to_owned(),
                    detail: query.script.clone(),
                });
            };
            if answer.starts_with("(error") {
                let detail = format!("{answer}\n{}", query.script);
                return Some(Failure { kind: format!("z3 error on {}", query.kind), detail });
            }
            let decided = answer == "sat" || answer == "unsat";
            if decided && answer != query.expected {
                if let Some(retry) = &query.retry {
                    // Data types and sorts of one name do not get along: reset on both sides.
                    self.z3.confused = true;
                    let again = self.ask(&format!("{retry}(check-sat)\n"), 0);
                    self.z3.confused = true;
                    if again == [query.expected] {
                        continue;
                    }
                }
                // z3 answers wrongly now and then where scopes are open (constant arrays over
                // few indices); by itself it may know better.
                if one_shot(&query.script).as_deref() == Some(query.expected) {
                    tally.count("z3-back");
                    continue;
                }
                let detail = format!("{}\n{}", query.detail, query.script);
                return Some(Failure { kind: query.kind.to_owned(), detail });
            }
        }
        None
    }
}

/// What a z3 of its own says to a script with one check and no scopes.
fn one_shot(script: &str) -> Option<String> {
    let mut child = Command::new("z3")
        .args(["-in", "-smt2", "-T:20"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(format!("{script}(check-sat)\n").as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn assert_all<'a>(script: &mut String, formulas: impl Iterator<Item = &'a String>) {
    for formula in formulas {
        let _ = writeln!(script, "(assert {formula})");
    }
}

/// Our model as definitions that z3 reads: once with a sort `U` of any size, once with an
/// enumeration of the elements that the model names, if it names any.
fn model_definitions(model: &str) -> (String, String) {
    // Elements of U are written (as @U!n U); z3 wants constants.
    let mut out = String::from("(declare-sort U 0)\n");
    let mut elements: Vec<String> = Vec::new();
    let mut text = String::new();
    let mut rest = model;
    while let Some(at) = rest.find("(as @U!") {
        text.push_str(&rest[..at]);
        let after = &rest[at + 4..];
        let name = after.split_whitespace().next().unwrap_or("").to_owned();
        let end = after.find(')').unwrap_or(after.len() - 1);
        text.push_str(&name);
        if !elements.contains(&name) {
            elements.push(name);
        }
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    for element in &elements {
        let _ = writeln!(out, "(declare-const {element} U)");
    }
    if elements.len() > 1 {
        let _ = writeln!(out, "(assert (distinct {}))", elements.join(" "));
    }
    let text = text.trim();
    let definitions = &text[1..text.len() - 1];
    let _ = writeln!(out, "{definitions}");
    let mut enumerated = String::new();
    if !elements.is_empty() {
        let members: Vec<String> = elements.iter().map(|element| format!("({element})")).collect();
        let members = members.join(" ");
        let _ = writeln!(enumerated, "(declare-datatypes ((U 0)) (({members})))\n{definitions}");
    }
    (out, enumerated)
}

fn run_ours(problem: &Problem, watchdog: Watchdog) -> Result<Vec<Checked>, Failure> {
    let mut script = Script::new();
    let mut host = FuzzHost { answers: Vec::new(), watchdog };
    let mut say = |text: &str| -> Result<Option<String>, Failure> {
        host.answers.clear();
        script.run(text, &mut host);
        let answer = host.answers.last().cloned();
        match &answer {
            Some(error) if error.starts_with("(error") && !error.contains("no interpolant") => {
                Err(Failure { kind: "error".to_owned(), detail: format!("{error}\n{text}") })
            }
            _ => Ok(answer),
        }
    };
    // What is guessed does not test the search.
    say("(set-option :guess-models false)")?;
    if problem.proofs {
        say("(set-option :produce-unsat-cores true)(set-option :check-proofs true)")?;
        say("(set-option :produce-interpolants true)")?;
        say(&format!("(set-option :interpolation-labelling {})", problem.labelling))?;
    }
    say(&problem.declarations())?;
    let mut active: Vec<usize> = Vec::new();
    let mut scopes: Vec<usize> = Vec::new();
    let mut number = 0;
    let mut result = Vec::new();
    for (text, step) in problem.commands() {
        let answer = say(&text)?;
        match step {
            Step::Assert(_) => {
                active.push(number);
                number += 1;
            }
            Step::Push => scopes.push(active.len()),
            Step::Pop => active.truncate(scopes.pop().unwrap_or(0)),
            Step::Check(assumptions) => {
                let answer = answer.unwrap_or_default();
                let mut check = Checked {
                    reason: String::new(),
                    model: None,
                    core: None,
                    assumptions: assumptions.iter().map(Expr::text).collect(),
                    unsat_assumptions: None,
                    interpolants: None,
                    active: active.clone(),
                    answer,
                };
                match check.answer.as_str() {
                    "sat" => check.model = say("(get-model)")?,
                    "unsat" => {
                        if !assumptions.is_empty() {
                            check.unsat_assumptions = say("(get-unsat-assumptions)")?;
                        }
                        if problem.proofs {
                            let core = say("(get-unsat-core)")?.unwrap_or_default();
                            let names = core.trim_matches(['(', ')']).split_whitespace();
                            check.core = Some(names.map(str::to_owned).collect());
                            if let Some(query) = problem.interpolation_query() {
                                let answer = say(&format!("({query})"))?.unwrap_or_default();
                                check.interpolants = Some(split(&answer));
                            }
                        }
                    }
                    _ => check.reason = say("(get-info :reason-unknown)")?.unwrap_or_default(),
                }
                result.push(check);
            }
        }
    }
    Ok(result)
}

/// The elements of a list; an error message where it is none.
fn split(answer: &str) -> Result<Vec<String>, String> {
    if answer.starts_with("(error") {
        return Err(answer.to_owned());
    }
    match Expressions::new(answer).next_expression() {
        Some(Ok(list)) => Ok(list.children(0).map(|n| list.source(n).to_owned()).collect()),
        _ => Err(answer.to_owned()),
    }
}

fn compare(
    problem: &Problem,
    checks: &[Checked],
    judged: &[String],
    tally: &mut Counts,
) -> Option<Failure> {
    if let Some(error) = judged.iter().find(|l| l.starts_with("(error") || *l == "z3 crashed") {
        return Some(Failure { kind: "z3 error".to_owned(), detail: error.clone() });
    }
    for (ours, theirs) in checks.iter().zip(judged) {
        tally.count("checks");
        match ours.answer.as_str() {
            "sat" => tally.count("sat"),
            "unsat" => {
                tally.count("unsat");
                if problem.proofs {
                    tally.count("proofs");
                }
            }
            "unknown" if ours.reason.contains("time limit") => tally.count("timeout"),
            // Only what is not linear may be left open, and integers whose bits are not found: the solver says
            // so of itself (`smt::joined`).
            "unknown" => {
                let open = ["non-linear", "integers and bits"];
                if !open.iter().any(|reason| ours.reason.contains(reason)) {
                    let kind = format!("unknown: {}", ours.reason);
                    return Some(Failure { kind, detail: ours.reason.clone() });
                }
                tally.count("unknown");
            }
            other => {
                return Some(Failure { kind: "answer".to_owned(), detail: other.to_owned() });
            }
        }
        if theirs != "sat" && theirs != "unsat" {
            tally.count("z3-unkn");
            continue;
        }
        if ours.answer != "unknown" && ours.answer != *theirs {
            let detail = format!("we say {}, z3 says {theirs}", ours.answer);
            return Some(Failure { kind: format!("we say {}", ours.answer), detail });
        }
    }
    None
}

// ---- interpolants ----

/// The nodes of the subtree of each node.
fn subtrees(parents: &[usize]) -> Vec<Vec<usize>> {
    // Children come before their parents.
    let mut result: Vec<Vec<usize>> = (0..parents.len()).map(|n| vec![n]).collect();
    for node in 0..parents.len() {
        if parents[node] != node {
            let members = result[node].clone();
            result[parents[node]].extend(members);
        }
    }
    result
}

fn partition_texts(problem: &Problem) -> Vec<String> {
    problem
        .partitions()
        .iter()
        .map(|members| {
            let texts: Vec<String> = members.iter().map(|(_, e)| e.text()).collect();
            format!("(and true {})", texts.join(" "))
        })
        .collect()
}

/// What is wrong with the interpolants, as far as z3 is not needed; what it is to be asked is added.
fn look_at_interpolants(
    problem: &Problem,
    found: &Result<Vec<String>, String>,
    queries: &mut Vec<Query>,
    tally: &mut Counts,
) -> Option<Failure> {
    match found {
        Ok(interpolants) => {
            tally.count("itps");
            queries.extend(implications(problem, interpolants));
            shared_symbols(problem, interpolants)
        }
        Err(reason) => {
            tally.count("refused");
            // Where time was up nobody knows.
            let late = reason.contains(Exhausted::Time.text());
            (INTERPOLATED.contains(&problem.logic) && !late)
                .then(|| Failure { kind: "no interpolant".to_owned(), detail: reason.clone() })
        }
    }
}

/// Interpolants may use only symbols of both sides.
fn shared_symbols(problem: &Problem, interpolants: &[String]) -> Option<Failure> {
    let parents = problem.parents.as_ref()?;
    let texts = partition_texts(problem);
    for (node, members) in subtrees(parents).iter().enumerate() {
        let Some(interpolant) = interpolants.get(order(parents)[node]) else { continue };
        if parents[node] == node {
            continue;
        }
        for symbol in declared_names(interpolant) {
            let occurs = |inside: bool| {
                (0..texts.len())
                    .filter(|n| members.contains(n) == inside)
                    .any(|n| declared_names(&texts[n]).any(|s| s == symbol))
            };
            if !occurs(true) || !occurs(false) {
                return Some(Failure {
                    kind: "interpolant symbols".to_owned(),
                    detail: format!("{symbol} in {interpolant} of partition {node}"),
                });
            }
        }
    }
    None
}

/// For each partition its place among the answers, which are in post-order.
fn order(parents: &[usize]) -> Vec<usize> {
    let mut place = vec![0; parents.len()];
    let mut next = 0;
    fn visit(parents: &[usize], node: usize, next: &mut usize, place: &mut [usize]) {
        for (child, &parent) in parents.iter().enumerate() {
            if child != node && parent == node {
                visit(parents, child, next, place);
            }
        }
        place[node] = *next;
        *next += 1;
    }
    visit(parents, parents.len() - 1, &mut next, &mut place);
    place
}

/// The witness of extensionality, which z3 does not know.
fn declare_diff(script: &mut String) {
    for array in [Ty::IntArray, Ty::BvArray, Ty::UArray] {
        let (sort, index) = (array.text(), array.element().text());
        let _ = writeln!(
            script,
            "(declare-fun @diff ({sort} {sort}) {index})
            (assert (forall ((a1 {sort}) (a2 {sort})) (! (=> (distinct a1 a2)
              (distinct (select a1 (@diff a1 a2)) (select a2 (@diff a1 a2))))
              :pattern ((@diff a1 a2)))))"
        );
    }
}

/// Those of the children with the node's formula imply the node's.
fn implications(problem: &Problem, interpolants: &[String]) -> Vec<Query> {
    let Some(parents) = problem.parents.as_ref() else { return Vec::new() };
    let texts = partition_texts(problem);
    let place = order(parents);
    let of = |node: usize| interpolants.get(place[node]).map_or("false", String::as_str);
    let mut result = Vec::new();
    let witnesses = interpolants.iter().any(|i| i.contains("@diff"));
    for node in 0..parents.len() {
        let mut script = problem.declarations();
        if witnesses {
            declare_diff(&mut script);
        }
        let _ = writeln!(script, "(assert {})", texts[node]);
        for (child, &parent) in parents.iter().enumerate() {
            if child != node && parent == node {
                let _ = writeln!(script, "(assert {})", of(child));
            }
        }
        if parents[node] != node {
            let _ = writeln!(script, "(assert (not {}))", of(node));
        }
        result.push(Query {
            retry: None,
            script,
            expected: "unsat",
            kind: "wrong interpolant",
            detail: format!("partition {node} of {}", interpolants.join("  ")),
        });
    }
    result
}
