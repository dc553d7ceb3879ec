//! What a verdict leaves behind in files: witnesses and harnesses, with the
//! facts that only the caller knows (names, properties), and the time.

use crate::program::Loaded;
use bolide_cfa::interpreter::Birth;
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, NondetSource, Op, Program};
use bolide_engines::choose::Report;
use bolide_evidence::acsl::{is_clean, readable};
use bolide_evidence::harness;
use bolide_evidence::witness::{self, Invariant, Location, Metadata, Point, PointKind};
use bolide_verdict::Verdict;
use bolide_verdict::replay::Violation;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// What was asked, as witnesses tell it.
pub struct Asked<'a> {
    /// The names of the files with their bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// Names of properties or of property files.
    pub properties: &'a [String],
    /// Temporal formulas.
    pub formulas: &'a [String],
    /// `ILP32` or `LP64`.
    pub data_model: &'a str,
}

/// The witness of a verdict; none for `unknown`.
pub fn witness(asked: &Asked<'_>, loaded: &Loaded, report: &Report) -> Option<String> {
    let metadata = metadata(asked);
    let program = &loaded.lowered.program;
    match &report.verdict {
        Verdict::True { invariants, .. } => {
            let invariants: Vec<Invariant> = invariants
                .iter()
                .filter_map(|invariant| {
                    let keyword = program.locations[invariant.location].loop_keyword?;
                    let location = place(loaded, keyword.start, invariant.location)?;
                    Some(Invariant { location, value: invariant.c.clone(), at_loop: true })
                })
                .collect();
            Some(witness::correctness(&metadata, &invariants))
        }
        Verdict::False(violation) => {
            Some(witness::violation(&metadata, &waypoints(loaded, violation)))
        }
        Verdict::Unknown(_) => None,
    }
}

/// Waypoints for so many inputs: tools that read witnesses give up on megabytes, and fewer
/// waypoints leave a witness valid.
const WAYPOINTS: usize = 5000;

/// The inputs in order, then the target.
fn waypoints(loaded: &Loaded, violation: &Violation) -> Vec<Point> {
    let program = &loaded.lowered.program;
    let mut points = Vec::new();
    for input in violation.run.inputs.iter().take(WAYPOINTS) {
        let edge = &program.edges[input.edge];
        let closing_parenthesis = edge.origin.span.end.saturating_sub(1);
        if let Some(location) = place(loaded, closing_parenthesis, edge.from) {
            // Addresses mean nothing to others; whether there is one does.
            let constraint = match input.value {
                Value::Pointer(p) if p.address != 0 => "\\result != 0".to_owned(),
                _ => format!("\\result == {}", input.value),
            };
            let kind = PointKind::FunctionReturn(Some(constraint));
            points.push(Point { location, kind });
        }
    }
    let span = loaded.violated_at(violation);
    let at = program.locations.iter().find(|(_, l)| l.error == Some(violation.check));
    if let Some(location) = at.and_then(|(id, _)| place(loaded, span.start, id)) {
        points.push(Point { location, kind: PointKind::Target });
    }
    points
}

fn place(loaded: &Loaded, offset: u32, location: LocId) -> Option<Location> {
    let position = loaded.sources.position(offset)?;
    let program = &loaded.lowered.program;
    let function = program.functions[program.locations[location].function].name.clone();
    Some(Location { file: position.file, line: position.line, column: position.column, function })
}

fn metadata(asked: &Asked<'_>) -> Metadata {
    let mut all = Sha256::new();
    let mut input_files = Vec::new();
    for (name, bytes) in &asked.files {
        let hash = format!("{:x}", Sha256::digest(bytes));
        all.update(hash.as_bytes());
        input_files.push((name.clone(), hash));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    all.update(now.as_nanos().to_le_bytes());
    let specification = asked
        .properties
        .iter()
        .map(|name| std::fs::read_to_string(name).unwrap_or_else(|_| formula_of(name)))
        .chain(asked.formulas.iter().map(|f| format!("CHECK( init(main()), LTL({f}) )")))
        .map(|text| text.trim().to_owned())
        .collect::<Vec<_>>();
    let specification = if specification.is_empty() {
        formula_of("unreach-call")
    } else {
        specification.join("\n")
    };
    Metadata {
        uuid: uuid(&all.finalize()),
        creation_time: iso8601(now.as_secs()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        input_files,
        specification,
        data_model: asked.data_model.to_owned(),
    }
}

/// The property's text in the notation of property files.
pub fn formula_of(name: &str) -> String {
    let formulas: &[&str] = match name {
        "unreach-call" | "assert" => &["! call(reach_error())"],
        "no-overflow" => &["! overflow"],
        "valid-memsafety" => &["valid-free", "valid-deref", "valid-memtrack"],
        other => &[other],
    };
    let lines = formulas.iter().map(|f| format!("CHECK( init(main()), LTL(G {f}) )"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The first 16 bytes as a UUID of version 4's shape.
fn uuid(hash: &[u8]) -> String {
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Seconds since 1970 as a time in UTC, by the proleptic Gregorian calendar.
fn iso8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days from 0000-03-01, in eras of 400 years, so that leap days come last.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The harness of a counterexample.
pub fn harness(loaded: &Loaded, violation: &Violation) -> String {
    let program = &loaded.lowered.program;
    // Error functions that the program only declares are defined by the harness.
    let mut undefined: Vec<&str> = Vec::new();
    for &name in harness::DEFINED {
        let defined = program.functions.values().any(|f| f.name == name && f.body.is_some());
        let texts = loaded.sources.texts().iter();
        let mentioned = texts.clone().any(|t| t.text.contains(name));
        if mentioned && !defined {
            undefined.push(name);
        }
    }
    let run = &violation.run;
    let inputs: Vec<_> = run
        .inputs
        .iter()
        .chain(&run.unfixed)
        .filter(|i| match &program.edges[i.edge].op {
            Op::Nondet { source: NondetSource::Input(_), .. } => true,
            // Not what it left in memory.
            Op::External { function, .. } => {
                let function = &program.functions[*function];
                !function.unmodelled && function.name == i.name
            }
            _ => false,
        })
        .cloned()
        .collect();
    let arguments = arguments(program, violation);
    harness::harness(&inputs, &run.outside, &undefined, &arguments, &input_functions(loaded))
}

/// The functions that return inputs: those whose names the texts mention, and those that the program calls, without a
/// body and without a meaning of their own.
fn input_functions(loaded: &Loaded) -> BTreeSet<String> {
    const PREFIX: &str = "__VERIFIER_nondet_";
    let mut names = BTreeSet::new();
    for text in loaded.sources.texts() {
        for (at, _) in text.text.match_indices(PREFIX) {
            let name = text.text[at..].split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            names.extend(name.take(1).map(str::to_owned));
        }
    }
    let program = &loaded.lowered.program;
    for edge in program.edges.values() {
        match &edge.op {
            Op::Nondet { source: NondetSource::Input(name), .. } => names.insert(name.clone()),
            Op::External { function, .. } if !program.functions[*function].unmodelled => {
                names.insert(program.functions[*function].name.clone())
            }
            _ => false,
        };
    }
    let functions = program.functions.values();
    let defined: BTreeSet<&str> =
        functions.filter(|f| f.body.is_some()).map(|f| f.name.as_str()).collect();
    names.retain(|name| !defined.contains(name.as_str()));
    names
}

/// An invariant in words of the source: all of it where that can be, else what C can say of it.
pub fn invariant(invariant: &bolide_verdict::Invariant) -> String {
    let words = readable(&invariant.text);
    if is_clean(&words) || invariant.c == "1" { words } else { invariant.c.clone() }
}

/// The model in C that makes the arguments of `main`.
const ARGUMENTS: &str = "__bolide_argv";
/// More bytes than this no system gives to a program.
const MOST_BYTES: usize = 100_000;

/// The arguments that `main` had in the run, for people.
pub fn arguments_in_words(program: &Program, violation: &Violation) -> Vec<String> {
    let arguments = arguments(program, violation);
    let shown =
        |(n, bytes): (usize, &Vec<u8>)| format!("argv[{n}] = {:?}", String::from_utf8_lossy(bytes));
    let count = (!arguments.is_empty()).then(|| format!("argc = {}", arguments.len()));
    count.into_iter().chain(arguments.iter().enumerate().map(shown)).collect()
}

/// Whether a value was asked for to make the arguments, which are told as such.
pub fn is_argument(program: &Program, edge: EdgeId) -> bool {
    let asks = matches!(&program.edges[edge].op,
        Op::Nondet { source: NondetSource::Library(name), .. } if name == "argc");
    asks || is_of_model(program, edge)
}

/// Whether a step belongs to the model that makes the arguments.
fn is_of_model(program: &Program, edge: EdgeId) -> bool {
    let function = program.locations[program.edges[edge].from].function;
    program.functions[function].name == ARGUMENTS
}

/// The arguments that `main` had in the run; empty if it takes none, or too many to give.
fn arguments(program: &Program, violation: &Violation) -> Vec<Vec<u8>> {
    let asked = |edge: EdgeId, name: &str| match &program.edges[edge].op {
        Op::Nondet { source: NondetSource::Library(library), .. } => library == name,
        _ => false,
    };
    let is_library = |edge: EdgeId| {
        matches!(program.edges[edge].op, Op::Nondet { source: NondetSource::Library(_), .. })
    };
    let made = |edge: EdgeId| is_of_model(program, edge);
    let number = |value: &Value| match *value {
        Value::Int { bits, ty } => usize::try_from(ty.value(bits)).ok(),
        _ => None,
    };
    let inputs = violation.run.unfixed.iter().filter(|i| is_library(i.edge));
    let more = inputs.clone().find(|i| asked(i.edge, "argc")).and_then(|i| number(&i.value));
    let Some(count) = more.map(|more| more + 1).filter(|&count| count < MOST_BYTES) else {
        return Vec::new();
    };
    // The model asks for one length after the other; what nobody looked at may be anything but an end.
    let lengths = inputs.filter(|i| made(i.edge)).map(|i| number(&i.value).unwrap_or(0));
    let lengths: Vec<usize> = lengths.chain(std::iter::repeat(1)).take(count).collect();
    if lengths.iter().sum::<usize>() > MOST_BYTES {
        return Vec::new();
    }
    let mut arguments: Vec<Vec<u8>> = lengths.into_iter().map(|n| vec![b'a'; n]).collect();
    for (place, value) in &violation.run.unwritten {
        // Of what the model makes, only the strings are read before they are written.
        if let Birth::Made(edge, which) = place.object
            && made(edge)
            && let Some(argument) = arguments.get_mut(which as usize)
            && let Some(byte) = usize::try_from(place.offset).ok().and_then(|k| argument.get_mut(k))
            && let Value::Int { bits, .. } = value
        {
            *byte = *bits as u8;
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_iso_8601() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso8601(1_767_225_599), "2025-12-31T23:59:59Z");
    }

    #[test]
    fn uuids_have_the_right_shape() {
        let text = uuid(&[0xff; 32]);
        assert_eq!(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
