//! Whether a verdict `true` says less than it seems.
//!
//! A program in which nothing is checked is safe, and so is one that never
//! gets to its end because its assumptions contradict each other, and one whose
//! checks stand in dead code. The first is seen by counting checks. For the others
//! the end of the program, or the places before checks, become
//! error locations, and the engines are asked whether they can be reached.

use crate::frontend::Loaded;
use bolide_base::{Budget, Span};
use bolide_cfa::{AllocKind, Check, CheckId, EdgeId, LocId, NondetSource, Op, Program, Property};
use bolide_engines::choose::{self, Options};
use bolide_verdict::Verdict;
use std::collections::BTreeMap;
use std::time::Duration;

/// The least time for the question, where the limit of the whole run allows it.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the question may take: not longer than the proof took, which it must not
/// put at risk, and at most half of what the limit of the whole run leaves.
pub fn limit(spent: Duration, limit: Option<Duration>) -> Duration {
    let own = spent.max(PATIENCE);
    match limit {
        Some(limit) => own.min(limit.saturating_sub(spent) / 2),
        None => own,
    }
}

/// How long it may take when nobody asked: people wait for their verdict.
pub fn short_limit(spent: Duration, limit: Option<Duration>) -> Duration {
    let own = spent.clamp(Duration::from_millis(300), PATIENCE);
    self::limit(spent, limit).min(own)
}

/// Whether there is anything that could be violated. Where nothing is allocated, nothing is lost, and that a run comes to what
/// is not modelled is no property of the program.
pub fn is_checked(program: &Program) -> bool {
    let allocates = program
        .edges
        .values()
        .any(|edge| matches!(edge.op, Op::Alloc { kind: AllocKind::Heap, .. }));
    let follows_unmodelled = |&edge: &EdgeId| {
        let before = &program.locations[program.edges[edge].from].incoming;
        let is_unmodelled = |edge: &EdgeId| {
            let op = &program.edges[*edge].op;
            matches!(op, Op::Nondet { source: NondetSource::Unmodelled(_), .. })
        };
        program.edges[edge].op == Op::Skip && before.iter().any(is_unmodelled)
    };
    program.locations.values().any(|location| match location.error {
        Some(_) if location.incoming.iter().all(follows_unmodelled) => false,
        Some(check) => match program.checks[check].property {
            Property::ValidMemtrack | Property::ValidMemcleanup => allocates,
            _ => true,
        },
        None => false,
    })
}

/// What is said of a program in which there is nothing.
pub const NOTHING: &str =
    "nothing was checked, for there is nothing to check in what the entry function reaches";

/// Why the verdict is vacuous; none when it is not, or when nobody knows.
pub fn vacuous(loaded: &Loaded, budget: &Budget) -> Option<String> {
    if !is_checked(&loaded.lowered.program) {
        return Some(NOTHING.into());
    }
    never_ends(loaded, budget).or_else(|| dead_checks(loaded, budget))
}

/// Lines that are looked at one by one; with more, only all together.
const LINES: usize = 6;

/// Checks that no execution comes to: what they guard is dead code.
fn dead_checks(loaded: &Loaded, budget: &Budget) -> Option<String> {
    let program = &loaded.lowered.program;
    let mut lines: BTreeMap<(String, u32), Vec<LocId>> = BTreeMap::new();
    let mut complete = true;
    for edge in program.edges.values() {
        let Some(check) = program.locations[edge.to].error else { continue };
        let span = program.checks[check].span;
        match (loaded.sources.position(span.start), decision(program, edge.from)) {
            (Some(at), Some(place)) => lines.entry((at.file, at.line)).or_default().push(place),
            _ => complete = false,
        }
    }
    let all: Vec<LocId> = lines.values().flatten().copied().collect();
    if all.is_empty() {
        return None;
    }
    let is_dead = |places: &[LocId]| {
        places.iter().all(|&place| !is_exit(program, place))
            && is_unreachable(program, places, budget)
    };
    if complete && is_dead(&all) {
        return Some("no execution comes to any check: all that is checked is dead code".into());
    }
    if lines.len() > LINES {
        return None;
    }
    let dead: Vec<String> = lines
        .iter()
        .filter(|(_, places)| is_dead(places))
        .map(|((file, line), _)| format!("{file}:{line}"))
        .collect();
    (!dead.is_empty()).then(|| {
        format!("no execution comes to the checks at {}: they are dead code", dead.join(", "))
    })
}

/// Where it is decided whether an error is reached: an error that stands behind a branch is
/// not dead code because the branch is never taken. None where that is for callers to decide.
fn decision(program: &Program, mut place: LocId) -> Option<LocId> {
    while program.locations[place].outgoing.len() < 2 {
        let &[edge] = program.locations[place].incoming.as_slice() else { return None };
        place = program.edges[edge].from;
    }
    Some(place)
}

/// Whether it is proved that no execution comes to any of the places.
fn is_unreachable(program: &Program, places: &[LocId], budget: &Budget) -> bool {
    let mut marked = program.clone();
    let check = marked.checks.push(Check {
        property: Property::UnreachCall,
        description: "the place is reached".into(),
        span: Span::NONE,
    });
    for location in marked.locations.values_mut() {
        location.error = None;
    }
    for &place in places {
        stop_at(&mut marked, place, check);
    }
    let report = choose::decide(&marked, &Options::default(), budget);
    matches!(report.verdict, Verdict::True { .. })
}

/// Makes a location an error at which everything ends.
fn stop_at(program: &mut Program, place: LocId, check: CheckId) {
    program.locations[place].error = Some(check);
    for gone in std::mem::take(&mut program.locations[place].outgoing) {
        let to = program.edges[gone].to;
        program.locations[to].incoming.retain(|&e| e != gone);
    }
}

/// Whether a location is where a function ends; that must stay so.
fn is_exit(program: &Program, place: LocId) -> bool {
    program.functions.values().any(|f| f.body.is_some_and(|b| b.exit == place))
}

/// Whether it is proved that no execution comes to its end.
fn never_ends(loaded: &Loaded, budget: &Budget) -> Option<String> {
    let program = &loaded.lowered.program;
    let mut ends = program
        .edges
        .values()
        .filter(|edge| match edge.op {
            Op::Halt { .. } => true,
            Op::Call { .. } => program.locations[edge.from].function == program.entry,
            _ => false,
        })
        .map(|edge| edge.to)
        .peekable();
    ends.peek()?;
    let ends: Vec<LocId> = ends.filter(|&end| !is_exit(program, end)).collect();
    is_unreachable(program, &ends, budget).then(|| {
        "no execution comes to its end: assumptions contradict each other, or it never ends".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_leaves_time_to_tell_the_verdict() {
        let seconds = Duration::from_secs;
        assert_eq!(limit(seconds(0), None), seconds(2));
        assert_eq!(limit(seconds(30), None), seconds(30));
        assert_eq!(limit(seconds(30), Some(seconds(50))), seconds(10));
        assert_eq!(limit(seconds(50), Some(seconds(50))), seconds(0));
    }
}
