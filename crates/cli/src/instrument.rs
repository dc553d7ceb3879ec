//! A program with the claims of a witness written into its text.
//!
//! The expressions of a witness are C in the scope of a place of the program.
//! The simplest reader of such an expression is the front end itself: the
//! claim is inserted into the preprocessed text as code, and everything that
//! follows (names, types, conversions, checks, engines, audit, replay) treats
//! it as part of the program. Text is only ever inserted, at positions that the syntax tree gives, so
//! what was there keeps its meaning.
//!
//! - An invariant becomes a check that calls [`REFUTED`] when it does not hold: before the
//!   condition of a loop, at the begin of the body of a `do` or of a loop without condition,
//!   before a statement. One of a loop with quantifiers is in ACSL and becomes an annotation of the loop.
//! - A waypoint becomes a step of a counter ([`COUNTER`]): segment k is passed when the counter is k,
//!   control is there, and the constraint holds. The target may only be reached when all segments were passed.
//!
//! Required: an expression must not change the program it speaks of. It is
//! refused if its parentheses do not match, or if the parsed text has an
//! assignment, a call or a statement within what was inserted ([`Inserted::is_pure`]).

use bolide_base::{SourceMap, Span};
use bolide_c_syntax::ast::{ExprKind, Stmt, StmtId, StmtKind, TranslationUnit, UnaryOp};
use bolide_evidence::witness::{Invariant, Location, Point, PointKind};
use bolide_evidence::witness_reader::Segment;
use std::path::PathBuf;

/// Called where an invariant does not hold.
pub const REFUTED: &str = "__bolide_refuted";
/// Counts the segments that were passed.
const COUNTER: &str = "__bolide_at";

/// One insertion.
#[derive(Clone, Debug)]
struct Edit {
    /// Position in the old texts.
    at: u32,
    /// For an opening: where its closing is; for a closing: where its opening is.
    partner: u32,
    opens: bool,
    text: String,
    /// Which part of `text` the witness wrote.
    foreign: Option<(usize, usize)>,
}

/// A program with claims, and where they stand.
#[derive(Clone, Debug)]
pub struct Inserted {
    /// The new texts.
    pub texts: Vec<(PathBuf, String)>,
    /// What was inserted, in offsets of all new texts laid end to end as [`SourceMap::add`] does.
    ranges: Vec<(usize, Span)>,
    /// What the witness wrote of it.
    foreign: Vec<(usize, Span)>,
}

/// The texts and syntax trees of a program.
pub struct Source<'a> {
    pub sources: &'a SourceMap,
    pub units: &'a [TranslationUnit],
}

impl Source<'_> {
    /// Whether something that begins at `offset` is at the place. A place
    /// without a column matches anything of its line.
    pub fn is_at(&self, offset: u32, place: &Location) -> bool {
        self.distance(offset, place) == Some(0)
    }

    /// How far from the place's column; none on other lines and in other files.
    fn distance(&self, offset: u32, place: &Location) -> Option<u32> {
        let position = self.sources.position(offset)?;
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let same = position.line == place.line
            && (place.file.is_empty() || base(&position.file) == base(&place.file));
        match place.column {
            0 => same.then_some(0),
            column => same.then_some(column.abs_diff(position.column)),
        }
    }

    /// The statements that `wanted` accepts at a place: the outermost that
    /// begins there, or the only one of the line.
    fn statement(
        &self,
        place: &Location,
        wanted: impl Fn(&StmtKind) -> bool,
    ) -> Option<(usize, StmtId)> {
        let mut near: Vec<(u32, u32, usize, StmtId)> = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            for (id, statement) in unit.stmts.iter() {
                if wanted(&statement.kind)
                    && let Some(distance) = self.distance(statement.span.start, place)
                {
                    let length = statement.span.end - statement.span.start;
                    near.push((distance, u32::MAX - length, index, id));
                }
            }
        }
        near.sort_unstable();
        let exact = near.first().filter(|first| first.0 == 0).copied();
        let only = if near.len() == 1 { near.first().copied() } else { None };
        exact.or(only).map(|(_, _, unit, id)| (unit, id))
    }
}

fn is_loop(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. })
}

/// Statements that code may be put before.
fn is_plain(kind: &StmtKind) -> bool {
    !matches!(
        kind,
        StmtKind::Label { .. }
            | StmtKind::Case { .. }
            | StmtKind::Default { .. }
            | StmtKind::StaticAssert(_)
            | StmtKind::Function(_)
            | StmtKind::LocalLabels(_)
    )
}

/// The program with invariants as checks.
///
/// # Errors
/// What cannot be placed, in words.
pub fn invariants(
    source: &Source<'_>,
    texts: Vec<(PathBuf, String)>,
    claims: &[Invariant],
) -> Result<Inserted, String> {
    let mut edits = Vec::new();
    for claim in claims {
        let place = &claim.location;
        let found = claim.at_loop.then(|| source.statement(place, is_loop)).flatten();
        if let (Some((unit, id)), true) = (found, claim.value.contains('\\')) {
            let code = Code::with("/*@ loop invariant ", &quantified(&claim.value)?, "; */ ");
            wrap(&mut edits, source.units[unit].stmts[id].span, code, Code::own(""));
            continue;
        }
        let expression = expression(&claim.value)?;
        let Some((unit, id)) = found.or_else(|| source.statement(place, is_plain)) else {
            return Err(format!(
                "there is no statement at line {}, column {}",
                place.line, place.column
            ));
        };
        let statement = &source.units[unit].stmts[id];
        let span = |e| source.units[unit].exprs[e].span;
        let check = || Code::with("if (!(", &expression, &format!(")) {REFUTED}(); "));
        match statement.kind {
            StmtKind::While { condition, .. }
            | StmtKind::For { condition: Some(condition), .. }
                if claim.at_loop =>
            {
                let code = Code::with("((", &expression, &format!(") ? 0 : {REFUTED}()), ("));
                wrap(&mut edits, span(condition), code, Code::own(")"));
            }
            StmtKind::DoWhile { body, .. } | StmtKind::For { condition: None, body, .. }
                if claim.at_loop =>
            {
                put_before(&mut edits, &source.units[unit].stmts[body], check());
            }
            _ => put_before(&mut edits, statement, check()),
        }
    }
    Ok(apply(source, texts, edits, None))
}

/// Code that is put into a program, with the part of it that a witness wrote.
struct Code {
    text: String,
    /// Where that begins, and how long it is.
    foreign: Option<(usize, usize)>,
}

impl Code {
    fn own(text: impl Into<String>) -> Code {
        Code { text: text.into(), foreign: None }
    }

    fn with(before: &str, expression: &str, after: &str) -> Code {
        let foreign = Some((before.len(), expression.len()));
        Code { text: format!("{before}{expression}{after}"), foreign }
    }
}

/// Puts code before a statement, in braces with it unless it declares something.
fn put_before(edits: &mut Vec<Edit>, statement: &Stmt, code: Code) {
    if matches!(statement.kind, StmtKind::Declaration(_)) {
        wrap(edits, statement.span, code, Code::own(""));
        return;
    }
    let foreign = code.foreign.map(|(at, length)| (at + 2, length));
    let code = Code { text: format!("{{ {}", code.text), foreign };
    wrap(edits, statement.span, code, Code::own(" }"));
}

fn wrap(edits: &mut Vec<Edit>, span: Span, before: Code, after: Code) {
    let ends = [(span.start, span.end, true, before), (span.end, span.start, false, after)];
    edits.extend(ends.into_iter().filter(|(.., code)| !code.text.is_empty()).map(
        |(at, partner, opens, Code { text, foreign })| Edit { at, partner, opens, text, foreign },
    ));
}

/// The program restricted to the path of a violation witness.
///
/// # Errors
/// What cannot be placed, in words.
pub fn path(
    source: &Source<'_>,
    texts: Vec<(PathBuf, String)>,
    segments: &[Segment],
) -> Result<Inserted, String> {
    let mut edits = Vec::new();
    let last = segments.len().saturating_sub(1);
    // Required: later segments are asked first, so that one visit of a place
    // passes one segment; but the target is asked when the others were.
    for (index, segment) in segments
        .iter()
        .enumerate()
        .rev()
        .filter(|(i, _)| *i != last)
        .chain(segments.iter().enumerate().skip(last))
    {
        for point in &segment.avoid {
            let action = format!("__VERIFIER_assume({COUNTER} != {index})");
            waypoint(source, &mut edits, point, index, &action)?;
        }
        let action = format!("({COUNTER} = {})", index + 1);
        waypoint(source, &mut edits, &segment.follow, index, &action)?;
    }
    Ok(apply(source, texts, edits, Some(COUNTER)))
}

/// Code at a waypoint: when the counter is right and the constraint holds, the action.
fn waypoint(
    source: &Source<'_>,
    edits: &mut Vec<Edit>,
    point: &Point,
    index: usize,
    action: &str,
) -> Result<(), String> {
    let place = &point.location;
    let missing = |what: &str| {
        Err(format!("there is no {what} at line {}, column {}", place.line, place.column))
    };
    match &point.kind {
        PointKind::Assumption(value) => {
            let expression = expression(value)?;
            let Some((unit, id)) = source.statement(place, is_plain) else {
                return missing("statement");
            };
            let opening = format!("if ({COUNTER} == {index} && (");
            let code = Code::with(&opening, &expression, &format!(")) {action}; "));
            put_before(edits, &source.units[unit].stmts[id], code);
        }
        PointKind::Target => {
            // The violation may lie within an expression; then it is only compared.
            if let Some((unit, id)) = source.statement(place, is_plain) {
                let code = Code::own(format!("__VERIFIER_assume({COUNTER} >= {index}); "));
                put_before(edits, &source.units[unit].stmts[id], code);
            }
        }
        PointKind::Branching(truth) => {
            let branches = |kind: &StmtKind| is_loop(kind) || matches!(kind, StmtKind::If { .. });
            let Some((unit, id)) = source.statement(place, branches) else {
                return missing("`if` or loop");
            };
            let condition = match source.units[unit].stmts[id].kind {
                StmtKind::If { condition, .. }
                | StmtKind::While { condition, .. }
                | StmtKind::DoWhile { condition, .. }
                | StmtKind::For { condition: Some(condition), .. } => condition,
                _ => return missing("condition"),
            };
            let span = source.units[unit].exprs[condition].span;
            let after = format!(
                "); if ({COUNTER} == {index} && __bolide_c == {}) {action}; __bolide_c; }})",
                u8::from(*truth)
            );
            wrap(edits, span, Code::own("({ int __bolide_c = !!("), Code::own(after));
        }
        PointKind::FunctionEnter => {
            let Some(span) = call(source, place) else { return missing("call") };
            let before = format!("({{ if ({COUNTER} == {index}) {action}; ");
            wrap(edits, span, Code::own(before), Code::own("; })"));
        }
        PointKind::FunctionReturn(constraint) => {
            let Some(span) = call(source, place) else { return missing("call") };
            let constraint = constraint.as_deref().unwrap_or("1");
            let constraint = expression(&constraint.replace("\\result", "__bolide_r"))?;
            let opening = format!("; if ({COUNTER} == {index} && (");
            let closing = format!(")) {action}; __bolide_r; }})");
            let after = Code::with(&opening, &constraint, &closing);
            wrap(edits, span, Code::own("({ __auto_type __bolide_r = "), after);
        }
    }
    Ok(())
}

/// The call whose closing parenthesis is at the place; else the only call that ends on its line.
fn call(source: &Source<'_>, place: &Location) -> Option<Span> {
    let mut on_line = Vec::new();
    for unit in source.units {
        for (_, e) in unit.exprs.iter() {
            if matches!(e.kind, ExprKind::Call { .. })
                && let Some(distance) = source.distance(e.span.end.saturating_sub(1), place)
            {
                if distance == 0 && place.column > 0 {
                    return Some(e.span);
                }
                on_line.push(e.span);
            }
        }
    }
    match on_line.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// An expression on one line whose parentheses match.
fn expression(text: &str) -> Result<String, String> {
    match text.contains(['\\', ';']) {
        true => Err(format!("the expression `{text}` is not supported")),
        false => balanced(text),
    }
}

/// A formula of ACSL with quantifiers, on one line.
///
/// Required: it is one clause. So a semicolon stands behind the names that a quantifier binds and nowhere else.
fn quantified(text: &str) -> Result<String, String> {
    let mut parts: Vec<&str> = text.split(';').collect();
    parts.pop();
    let binds = |part: &&str| {
        let behind = part.rfind('\\').map_or("", |at| &part[at + 1..]);
        let names = behind.strip_prefix("forall").or_else(|| behind.strip_prefix("exists"));
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ',' || c == ' ';
        names.is_some_and(|names| names.starts_with(' ') && names.chars().all(is_name))
    };
    match parts.iter().all(binds) && !text.contains("*/") {
        true => balanced(text),
        false => Err(format!("the formula `{text}` is not supported")),
    }
}

/// A text on one line whose parentheses match, which ends nothing that is around it.
fn balanced(text: &str) -> Result<String, String> {
    let refuse = |why: &str| Err(format!("the expression `{text}` {why}"));
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' | '}' | '#' | '"' | '\'' => return refuse("is not supported"),
            _ => {}
        }
        if depth < 0 {
            break;
        }
    }
    if depth != 0 || text.trim().is_empty() {
        return refuse("is no expression");
    }
    if text.contains("/*") || text.contains("//") {
        return refuse("holds a comment");
    }
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn apply(
    source: &Source<'_>,
    mut texts: Vec<(PathBuf, String)>,
    mut edits: Vec<Edit>,
    counter: Option<&str>,
) -> Inserted {
    // At one position closings come before openings; inner ones close first,
    // outer ones open first; else in the order given.
    edits.sort_by_key(|e| (e.at, e.opens, u32::MAX - e.partner));
    let (mut ranges, mut foreign) = (Vec::new(), Vec::new());
    for (index, old) in source.sources.texts().iter().enumerate().take(texts.len()) {
        let mut new = String::new();
        if let Some(counter) = counter {
            let storage = if index == 0 { "" } else { "extern " };
            new = format!("{storage}int {counter};\n# 1 \"{}\"\n", old.name);
        }
        let mut copied = 0;
        let end = old.start + old.text.len() as u32;
        for edit in edits.iter().filter(|e| old.start <= e.at && e.at <= end) {
            let at = (edit.at - old.start) as usize;
            new += &old.text[copied..at];
            copied = at;
            let start = new.len() as u32;
            ranges.push((index, Span::new(start, start + edit.text.len() as u32)));
            if let Some((offset, length)) = edit.foreign {
                let start = start + offset as u32;
                foreign.push((index, Span::new(start, start + length as u32)));
            }
            new += &edit.text;
        }
        new += &old.text[copied..];
        texts[index].1 = new;
    }
    Inserted { texts, ranges, foreign }
}

impl Inserted {
    /// Whether a position of the new program lies in what was inserted.
    pub fn holds(&self, sources: &SourceMap, offset: u32) -> bool {
        is_within(&self.ranges, sources, offset)
    }

    /// Whether what the witness wrote only reads: no assignment, no call, no
    /// statement in it.
    pub fn is_pure(&self, sources: &SourceMap, units: &[TranslationUnit]) -> bool {
        units.iter().flat_map(|unit| unit.exprs.iter()).all(|(_, e)| {
            let changes = match &e.kind {
                ExprKind::Assign { .. }
                | ExprKind::Call { .. }
                | ExprKind::StmtExpr(_)
                | ExprKind::VaArg { .. }
                | ExprKind::CompoundLiteral { .. } => true,
                ExprKind::Unary { op, .. } => matches!(
                    op,
                    UnaryOp::PreIncrement
                        | UnaryOp::PreDecrement
                        | UnaryOp::PostIncrement
                        | UnaryOp::PostDecrement
                ),
                _ => false,
            };
            !changes || !is_within(&self.foreign, sources, e.span.start)
        })
    }
}

fn is_within(ranges: &[(usize, Span)], sources: &SourceMap, offset: u32) -> bool {
    let Some(index) = sources.texts().iter().rposition(|t| t.start <= offset) else {
        return false;
    };
    let relative = offset - sources.texts()[index].start;
    ranges
        .iter()
        .any(|(text, span)| *text == index && span.start <= relative && relative < span.end)
}
