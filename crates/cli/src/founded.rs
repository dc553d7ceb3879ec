//! Whether a verdict is one about the program as its author meant it.
//!
//! A verdict rests on what functions without a body do. For a function of the
//! user's environment, "returns any value" is the convention of the field. A
//! function of the C library has a meaning that everybody knows; where it is
//! not modelled, a counterexample may let it return what it never does, and
//! so is none. The same holds for intrinsics of other tools, inline assembly,
//! assertions in annotation comments, which nothing checks, and violations that
//! come after signed overflow. In such cases
//! the answer is `unknown`, with that reason.

use crate::frontend::Loaded;
use bolide_base::Span;
use bolide_cfa::interpreter::{Config, Input, Inputs, Outcome};
use bolide_cfa::{AllocKind, EdgeId, NondetSource, Op, Property, Type};
use bolide_engines::choose::Verdict;
use bolide_reachability::replay::Violation;
use bolide_reachability::verdict::Reason;

/// Library functions that may return any value of their type.
const ANY_VALUE: &[&str] = &[
    "rand",
    "random",
    "rand_r",
    "lrand48",
    "mrand48",
    "drand48",
    "time",
    "clock",
    "getchar",
    "fgetc",
    "getc",
    "scanf",
    "fscanf",
    "sscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "read",
    "main",
    "argc",
    "__bolide_argv",
    "getenv",
    "getpid",
    "fread",
    "fgets",
    "gets",
];

/// Functions of the C library and of other verifiers that have a meaning
/// nobody here knows.
const MEANINGFUL: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "pow",
    "cbrt",
    "hypot",
    "fma",
    "fmod",
    "remainder",
    "fdim",
    "fmax",
    "fmin",
    "modf",
    "nan",
    "frexp",
    "ldexp",
    "scalbn",
    "ilogb",
    "logb",
    "nextafter",
    "nearbyint",
    "rint",
    "lrint",
    "llrint",
    "lround",
    "llround",
    "erf",
    "tgamma",
    "lgamma",
    "fegetround",
    "fesetround",
    "fegetenv",
    "fesetenv",
    "feholdexcept",
    "feupdateenv",
    "feraiseexcept",
    "fetestexcept",
    "feclearexcept",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtod",
    "strtof",
    "strtold",
    "atol",
    "atoll",
    "atof",
    "strstr",
    "strtok",
    "strspn",
    "strcspn",
    "strpbrk",
    "strcoll",
    "strxfrm",
    "strerror",
    "qsort",
    "bsearch",
    "div",
    "ldiv",
    "labs",
    "llabs",
    "setjmp",
    "longjmp",
    "sigsetjmp",
    "siglongjmp",
    "signal",
    "atexit",
    "snprintf",
    "sprintf",
    "vsprintf",
    "vsnprintf",
    "strnlen",
    "difftime",
    "mktime",
    "gmtime",
    "localtime",
    "strftime",
    "asctime",
    "asprintf",
    "vasprintf",
    "strdup",
    "strndup",
    "strsep",
    "strtok_r",
    "strcasecmp",
    "strncasecmp",
    "strcasestr",
    "memmem",
    "memccpy",
    "memrchr",
    "rawmemchr",
    "basename",
    "dirname",
    "realpath",
    "lldiv",
    "imaxabs",
    "imaxdiv",
    "strtoimax",
    "strtoumax",
    "wcslen",
    "wcscpy",
    "wcscmp",
    "mbstowcs",
    "wcstombs",
    "mblen",
    "mbtowc",
    "wctomb",
    "ctime",
];

/// Why the verdict cannot stand; none when it can.
pub fn objection(loaded: &Loaded, verdict: &Verdict) -> Option<Reason> {
    let found = match verdict {
        Verdict::True { .. } => {
            foreign(loaded).or_else(|| annotation(loaded)).or_else(|| failing_allocation(loaded))
        }
        Verdict::False(violation) => foreign(loaded)
            .or_else(|| unmodelled(loaded, violation))
            .or_else(|| pointer_from_outside(loaded, violation))
            .or_else(|| overflowing(loaded, violation)),
        Verdict::Unknown(_) => None,
    };
    found.map(Reason::Unsupported)
}

/// Why a run of a function from a heap that was built for it would show nothing, if so.
pub fn objection_to_run(loaded: &Loaded, violation: &Violation) -> Option<Reason> {
    let found = foreign(loaded)
        .or_else(|| unmodelled(loaded, violation))
        .or_else(|| pointer_from_outside(loaded, violation));
    found.map(Reason::Unsupported)
}

/// Intrinsics of other tools.
fn foreign(loaded: &Loaded) -> Option<String> {
    let prefixes = ["__CPROVER_", "__ESBMC_", "__VERIFIER_"];
    let known = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let found = loaded.lowered.externals.iter().find(|(name, _)| known(name))?;
    Some(format!("the function `{}`", found.0))
}

/// Assertions that nothing checks.
fn annotation(loaded: &Loaded) -> Option<String> {
    let span = loaded.unchecked.first()?;
    let place = loaded.sources.position(span.start).map(|p| p.to_string()).unwrap_or_default();
    Some(format!("assertions in annotation comments, such as the one at {place}"))
}

/// `malloc` and `alloca` never fail by convention. About `calloc` and
/// `realloc` there is none, and their failure is not modelled.
fn failing_allocation(loaded: &Loaded) -> Option<String> {
    let program = &loaded.lowered.program;
    let asked = program.checks.values().any(|c| c.property == Property::ValidDeref);
    let zeroed = program
        .edges
        .values()
        .any(|edge| matches!(edge.op, Op::Alloc { kind: AllocKind::Heap, zeroed: true, .. }));
    (asked && zeroed).then(|| "failing `calloc`, which memory safety would have to consider".into())
}

/// Values that are not any value, on the way to the violation. What the run does not come to
/// has no part in it.
fn unmodelled(loaded: &Loaded, violation: &Violation) -> Option<String> {
    let program = &loaded.lowered.program;
    let run = &violation.run;
    // Of long runs only the end is kept.
    let is_complete = run.trace.len() as u64 >= run.steps;
    let edges: Vec<EdgeId> =
        if is_complete { run.trace.clone() } else { program.edges.ids().collect() };
    edges.into_iter().find_map(|edge| match &program.edges[edge].op {
        Op::Nondet { source: NondetSource::Library(name), .. }
            if !ANY_VALUE.contains(&name.as_str()) =>
        {
            Some(format!("the value of `{name}`"))
        }
        Op::Nondet { source: NondetSource::Unmodelled(what), .. } => Some(what.clone()),
        Op::External { function, .. } => {
            let name = program.functions[*function].name.as_str();
            let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
            // Names with two underscores belong to the implementation of C.
            let known = name.starts_with("__")
                || MEANINGFUL.contains(&name)
                || MEANINGFUL.contains(&base)
                || from_system_header(loaded, program.functions[*function].span);
            known.then(|| format!("the function `{name}`"))
        }
        _ => None,
    })
}

/// A function without a body that returns a pointer: whether it leads to
/// memory, nobody says. A run that calls one shows no violation of memory safety.
fn pointer_from_outside(loaded: &Loaded, violation: &Violation) -> Option<String> {
    let program = &loaded.lowered.program;
    if !program.checks[violation.check].property.is_about_memory() {
        return None;
    }
    violation.run.trace.iter().find_map(|&edge| match &program.edges[edge].op {
        Op::External { function, result: Some(result), .. }
            if program.variables[*result].ty == Type::Pointer =>
        {
            let name = &program.functions[*function].name;
            Some(format!("the pointer that `{name}` returns, which has no body"))
        }
        _ => None,
    })
}

/// Whether a declaration stands in a header of the system.
fn from_system_header(loaded: &Loaded, span: Span) -> bool {
    loaded.sources.position(span.start).is_some_and(|p| p.file.starts_with("/usr/"))
}

/// Steps that the run may take when it is looked at for overflow.
const STEPS: u64 = 50_000_000;

/// A run in which signed arithmetic overflowed before the violation is
/// undefined from there on; what it does later shows nothing.
fn overflowing(loaded: &Loaded, violation: &Violation) -> Option<String> {
    let check = &loaded.lowered.program.checks[violation.check];
    if check.property == Property::NoOverflow {
        return None;
    }
    let program = loaded.with_overflow_checks()?;
    let inputs = violation.run.inputs.iter().map(|i| Input::Exact(i.value)).collect();
    let config = Config { step_limit: STEPS.min(violation.run.steps * 3), ..Config::default() };
    let run = bolide_cfa::interpreter::run(&program, &mut Inputs::new(inputs), &config);
    match run.outcome {
        Outcome::Violation(check) => Some(format!(
            "a violation behind undefined behaviour ({})",
            program.checks[check].description
        )),
        _ => None,
    }
}
