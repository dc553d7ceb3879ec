//! A quantile plot as SVG: for each tool, the tasks that it solved in the order of their
//! times. A point (n, t) says: n tasks are solved within t seconds each. Lower
//! and longer is better; the time axis is logarithmic.

use super::results::Row;
use super::table::tools;
use bolide_cfa::render::escape;
use std::fmt::Write;
use std::time::Duration;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 52.0;
/// Faster than this is not told apart.
const FASTEST: f64 = 0.01;

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito).
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The plot of all tools.
pub fn quantile(rows: &[Row], limit: Duration) -> String {
    let lines: Vec<(&str, Vec<f64>)> = tools(rows)
        .into_iter()
        .map(|tool| {
            let mut times: Vec<f64> = rows
                .iter()
                .filter(|row| row.tool == tool && row.is_solved())
                .map(|row| row.cpu.max(FASTEST))
                .collect();
            times.sort_by(f64::total_cmp);
            (tool, times)
        })
        .collect();
    let most = lines.iter().map(|(_, times)| times.len()).max().unwrap_or(0).max(1);
    let slowest = lines
        .iter()
        .filter_map(|(_, times)| times.last().copied())
        .fold(limit.as_secs_f64().max(1.0), f64::max);
    let decades = ((slowest / FASTEST).log10().ceil()).max(1.0);
    let x = |n: f64| LEFT + (WIDTH - LEFT - RIGHT) * n / most as f64;
    let y = |t: f64| {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (t / FASTEST).log10().max(0.0) / decades
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    axes(&mut svg, most, decades, &x, &y);
    for (index, (tool, times)) in lines.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let mut points = String::new();
        for (n, time) in times.iter().enumerate() {
            let _ = write!(points, "{:.1},{:.1} ", x((n + 1) as f64), y(*time));
        }
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.trim_end()
        );
        // A line of one task would not be seen.
        if let [only] = times.as_slice() {
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x(1.0),
                y(*only)
            );
        }
        let top = TOP + 18.0 * index as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"{}\">{} ({})</text>",
            LEFT + 12.0,
            top + 4.0,
            LEFT + 32.0,
            top + 11.0,
            escape(tool),
            times.len()
        );
    }
    svg += "</svg>\n";
    svg
}

fn axes(
    svg: &mut String,
    most: usize,
    decades: f64,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) {
    let bottom = HEIGHT - BOTTOM;
    for decade in 0..=decades as i32 {
        let time = FASTEST * 10f64.powi(decade);
        let label = if time < 1.0 { format!("{time:.2}") } else { format!("{time:.0}") };
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(time) + 4.0,
            at = y(time),
        );
    }
    // About eight marks, at round numbers.
    let rough = (most as f64 / 8.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough).unwrap_or(10.0);
    let step = (step * power).max(1.0) as usize;
    for n in (0..=most).step_by(step) {
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{bottom}\" y2=\"{}\" stroke=\"black\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{n}</text>",
            bottom + 5.0,
            bottom + 18.0,
            at = x(n as f64),
        );
    }
    let _ = writeln!(
        svg,
        "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{bottom}\" y2=\"{bottom}\" stroke=\"black\"/>\
         <line x1=\"{LEFT}\" x2=\"{LEFT}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"black\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">solved tasks</text>\n\
         <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">processor time in \
         seconds</text>",
        WIDTH - RIGHT,
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0,
        (TOP + bottom) / 2.0,
    );
}

#[cfg(test)]
mod tests {
    use super::super::results::Grade;
    use super::super::results::tests::sample;
    use super::*;

    #[test]
    fn each_tool_has_a_line_through_its_solved_tasks() {
        let rows = [
            sample("a", "one <1>", "true", Grade::Right, 0.1),
            sample("b", "one <1>", "true", Grade::Right, 10.0),
            sample("c", "one <1>", "", Grade::Time, 30.0),
            sample("a", "two", "true", Grade::Right, 1.0),
        ];
        let svg = quantile(&rows, Duration::from_secs(30));
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("one &lt;1&gt; (2)"), "{svg}");
        // Faster is lower: the second point of the first line lies above its first.
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        let ys: Vec<f64> = points
            .split_whitespace()
            .map(|p| p.split_once(',').unwrap().1.parse().unwrap())
            .collect();
        assert_eq!(ys.len(), 2);
        assert!(ys[1] < ys[0], "{points}");
        assert!(quantile(&[], Duration::from_secs(1)).ends_with("</svg>\n"));
    }
}
