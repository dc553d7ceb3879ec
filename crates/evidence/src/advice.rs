//! What a user can do about `unknown`: the reason says what stopped the search,
//! this says what to try next.

use bolide_base::Exhausted;
use bolide_reachability::verdict::Reason;

/// What is known about the run besides its reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances<'a> {
    /// The engine that was asked for; none when the choice was free.
    pub engine: Option<&'a str>,
    /// Functions without a body that may be called.
    pub externals: &'a [String],
    /// Paths that were refined, by all engines together.
    pub refinements: u64,
    /// Where the program has loops, as `file:line`; the first few.
    pub loops: &'a [String],
    /// The loop at which the search tried most.
    pub diverging: Option<&'a Diverging>,
    /// Facts that would exclude an error and were not proved: the loop as `file:line`, and what is to hold there.
    pub missing: &'a [(String, String)],
}

/// A loop that a search did not get done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diverging {
    /// Where, as `file:line`.
    pub place: String,
    /// How many predicates were in use there.
    pub predicates: u32,
    /// What the search knew there last, in infix notation; the newest few.
    pub last: Vec<String>,
}

/// What to try, the most promising first. Never empty.
pub fn advice(reason: &Reason, circumstances: Circumstances<'_>) -> Vec<String> {
    let mut advice = Vec::new();
    let mut say = |words: String| advice.push(words);
    match reason {
        Reason::Exhausted(Exhausted::Time) => {
            say("give more time: --timeout 15m".into());
            missing(circumstances, &mut say);
            unrolled(circumstances, &mut say);
            other_engine(circumstances, &mut say);
            say("verify one property at a time, or a smaller part with --entry FUNCTION".into());
        }
        Reason::Exhausted(Exhausted::Memory) => {
            say("give more memory: --memory 8G, or drop the limit".into());
            other_engine(circumstances, &mut say);
            say("verify a smaller part with --entry FUNCTION".into());
        }
        Reason::Exhausted(Exhausted::Cancelled) => {
            say("run it again; it was stopped from outside".into());
        }
        Reason::Solver(_) => {
            say("products, divisions or bit operations of two variables are hard for the solver: \
                 bound one of them by an assumption, or split the case"
                .into());
            other_engine(circumstances, &mut say);
        }
        Reason::Unsupported(what) => {
            construct(what, &mut say);
            say("leave the construct out of what is reachable from the entry function, or choose \
                 another one with --entry"
                .into());
        }
        Reason::NoProgress(_) => {
            missing(circumstances, &mut say);
            other_engine(circumstances, &mut say);
            say("another size of blocks gives other interpolants (--blocks single or large), and \
                 --predicates function tracks what was learnt in a whole function"
                .into());
        }
        Reason::NotReplayed(_) => {
            if !circumstances.externals.is_empty() {
                say(format!(
                    "give bodies to the functions without one ({}), or --external pure if they \
                     change nothing",
                    circumstances.externals.join(", ")
                ));
            }
            say("the path is possible only where the program is over-approximated (floats, bit \
                 operations, unknown functions): bolide run FILE --inputs ... executes it on \
                 values that you choose"
                .into());
        }
        Reason::Defect(_) => {
            other_engine(circumstances, &mut say);
            say("please report it, with the program if you can: the message above says where"
                .into());
        }
        Reason::NotCertified(_) => {
            other_engine(circumstances, &mut say);
            say("a proof was found but not accepted, which is worth a report to the authors".into());
        }
    }
    advice
}

/// Nobody reads, let alone writes, a fact of more bytes.
const FACT: usize = 240;

/// What would exclude an error, if it were proved.
fn missing(circumstances: Circumstances<'_>, say: &mut dyn FnMut(String)) {
    let Some(((first, fact), others)) = circumstances.missing.split_first() else { return };
    if circumstances.missing.iter().any(|(_, fact)| fact.len() > FACT) {
        return;
    }
    let mut words = format!(
        "a fact is missing: no error would follow if `{fact}` held whenever control comes to the loop {first}"
    );
    for (place, fact) in others {
        words.push_str(&format!(", and `{fact}` at the loop {place}"));
    }
    words.push_str(
        "; this is not kept by the loops as far as is known: write what holds before them as `/*@ loop invariant ...; */`, with what keeps it",
    );
    say(words);
}

/// Where a loop seems to be unrolled round by round.
fn unrolled(circumstances: Circumstances<'_>, say: &mut dyn FnMut(String)) {
    if let (Some(at), true) = (circumstances.diverging, circumstances.refinements > 20) {
        let last = match at.last.is_empty() {
            true => String::new(),
            false => format!(", the last ones `{}`", at.last.join("`, `")),
        };
        say(format!(
            "{} paths were refuted one by one, and the search is at {} predicates at the \
             loop {}{last}; state what holds there by an assumption or a smaller bound, \
             and see whether that is proved",
            circumstances.refinements, at.predicates, at.place
        ));
    } else if circumstances.refinements > 20 && !circumstances.loops.is_empty() {
        say(format!(
            "{} paths were refuted one by one, which often means that a loop is unrolled \
             round by round ({}); state what holds in it by an assumption or a smaller \
             bound, and see whether that is proved",
            circumstances.refinements,
            circumstances.loops.join(", ")
        ));
    }
}

/// What may be done about a construct that is not supported.
fn construct(what: &str, say: &mut dyn FnMut(String)) {
    if what.contains("no body") {
        say("give the function a body, in the file or in another one on the command line, \
             or say --external pure if such functions call nothing and change nothing"
            .into());
    } else if what.contains("defined elsewhere") {
        say("give the file that defines it on the command line too".into());
    } else if what.contains("function `") || what.contains("value of `") {
        say("give the function a body, in the file or in another one on the command line: \
             what it returns decides the verdict"
            .into());
    } else if what.contains("recurs") {
        say("leave the choice to --engine auto, or ask for --engine predicate, which \
             treats recursion by summaries"
            .into());
    } else if what.contains("annotation") {
        say("turn the annotation into a call of assert(), or remove it".into());
    } else if what.contains("undefined behaviour") {
        say("mend the undefined behaviour first: bolide verify -p no-overflow shows it".into());
    }
}

fn other_engine(circumstances: Circumstances<'_>, say: &mut dyn FnMut(String)) {
    match circumstances.engine {
        Some(engine) => say(format!("let others try: --engine auto instead of {engine}")),
        None => say("name an engine that did not get the time: --engine impact, predicate, trace \
                     or clp"
            .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_something_to_try() {
        let reasons = [
            Reason::Exhausted(Exhausted::Time),
            Reason::Exhausted(Exhausted::Memory),
            Reason::Exhausted(Exhausted::Cancelled),
            Reason::Solver(String::new()),
            Reason::Unsupported("inline assembly".into()),
            Reason::NoProgress(String::new()),
            Reason::NotReplayed(String::new()),
            Reason::NotCertified(String::new()),
            Reason::Defect(String::new()),
        ];
        for reason in reasons {
            assert!(!advice(&reason, Circumstances::default()).is_empty(), "{reason}");
        }
    }

    #[test]
    fn the_loop_that_diverges_is_named() {
        let loops = ["a.c:4".to_owned()];
        let circumstances =
            Circumstances { refinements: 100, loops: &loops, ..Circumstances::default() };
        let words = advice(&Reason::Exhausted(Exhausted::Time), circumstances).join("\n");
        assert!(words.contains("a.c:4") && words.contains("--timeout"), "{words}");
        let last = vec!["i <= 37".to_owned()];
        let at = Diverging { place: "a.c:9".into(), predicates: 38, last };
        let circumstances = Circumstances { diverging: Some(&at), ..circumstances };
        let words = advice(&Reason::Exhausted(Exhausted::Time), circumstances).join("\n");
        assert!(words.contains("38 predicates at the loop a.c:9, the last ones `i <= 37`"));
        let fact = ("a.c:4".to_owned(), "a[k] == 0".to_owned());
        let circumstances = Circumstances { missing: &[fact], ..circumstances };
        let words = advice(&Reason::Exhausted(Exhausted::Time), circumstances).join("\n");
        assert!(words.contains("if `a[k] == 0` held whenever control comes to the loop a.c:4"));
        let long = ("a.c:4".to_owned(), "a[k] == 0 && ".repeat(50));
        let circumstances = Circumstances { missing: &[long], ..circumstances };
        let words = advice(&Reason::Exhausted(Exhausted::Time), circumstances).join("\n");
        assert!(!words.contains("a fact is missing"));
    }

    #[test]
    fn an_unmodelled_function_wants_a_body() {
        let reason = Reason::Unsupported("the function `qsort`".into());
        assert!(advice(&reason, Circumstances::default())[0].contains("body"));
    }
}
