//! What the terminal shows of diagnostics and defects.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use bolide_base::{Diagnostic, Severity, SourceMap};
use std::io::IsTerminal;

/// Prints diagnostics to standard error, with source lines and carets.
pub fn diagnostics(sources: &SourceMap, list: &[Diagnostic]) {
    // https://no-color.org: set to anything but nothing.
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let styled = std::io::stderr().is_terminal() && !no_color;
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    for diagnostic in list {
        eprintln!("{}", draw(&renderer, sources, diagnostic));
    }
}

fn draw(renderer: &Renderer, sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut report: Vec<Group<'_>> = Vec::new();
    let places = std::iter::once((diagnostic.span, None))
        .chain(diagnostic.related.iter().map(|(span, words)| (*span, Some(words.as_str()))));
    for (index, (span, words)) in places.enumerate() {
        let title = match words {
            None => level.clone().primary_title(diagnostic.message.as_str()),
            Some(words) => Level::NOTE.secondary_title(words),
        };
        let mut group = Group::with_title(title);
        if let (Some(position), Some(text)) =
            (sources.position(span.start), sources.text_at(span.start))
        {
            // Only the line itself is handed over: preprocessed files are large.
            let line = sources.line_text(span.start);
            let start = (span.start - text.start) as usize;
            let column = start - (line.as_ptr() as usize - text.text.as_ptr() as usize);
            let length = (span.end.max(span.start + 1) - span.start) as usize;
            let end = (column + length).min(line.len());
            let marked = if line.is_char_boundary(column) && line.is_char_boundary(end) {
                column..end
            } else {
                0..line.len()
            };
            group = group.element(
                Snippet::source(line)
                    .line_start(position.line as usize)
                    .path(position.file)
                    .annotation(AnnotationKind::Primary.span(marked)),
            );
        }
        if index == diagnostic.related.len()
            && let Some(help) = &diagnostic.help
        {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        report.push(group);
    }
    renderer.render(&report)
}

/// The panic hook: says that it is our fault and how to report it.
pub fn internal_error(info: &std::panic::PanicHookInfo<'_>) {
    eprintln!("bolide: internal error: {info}");
    if let Ok(value) = std::env::var("RUST_BACKTRACE")
        && value != "0"
    {
        eprintln!("{}", std::backtrace::Backtrace::force_capture());
    }
    eprintln!(
        "This is a defect of bolide {}, not of your program. Please report it with the command \
         line, the input file and the lines above.",
        env!("CARGO_PKG_VERSION")
    );
}
