//! The flags of a search, and the presets of the papers.
//!
//! What `--as-in-paper` sets is in one table ([`PAPERS`]), so that a reader sees what each paper has and
//! what it has not; a flag that is given by itself counts before it.

use crate::flags::{
    AbstractionFlag, AutomatonFlag, BlocksFlag, OrderFlag, PartnerFlag, RelationsFlag, SearchFlags,
    Switch,
};
use crate::output;
use bolide_engines::choose::Engine;
use bolide_engines::task::Orders;
use bolide_engines::{bounded, first_predicates, predicate_abstraction, shape, trace_abstraction};
use bolide_horn::solve;
use bolide_reachability::arg::Order;

/// How a paper searches. None of them guesses.
struct Paper {
    engine: &'static str,
    inline: Switch,
    blocks: BlocksFlag,
    automaton: AutomatonFlag,
    partner: PartnerFlag,
}

const PAPERS: &[Paper] = &[
    // "Abstractions from proofs": statements are edges, and calls have summaries (section 5).
    Paper { engine: "predicate", inline: Switch::Off, ..PLAIN },
    // "Lazy abstraction with interpolants": procedures are inlined (section 4).
    Paper { engine: "impact", ..PLAIN },
    // "Refinement of trace abstraction": automata as Definition 3 has them, without speculative edges.
    Paper { engine: "trace", automaton: AutomatonFlag::Canonical, ..PLAIN },
    // "Software model checking via iterative abstraction refinement of constraint logic queries": a relation
    // for each procedure and loop (section 2), whose bodies are large formulas.
    Paper { engine: "clp", inline: Switch::Off, blocks: BlocksFlag::Large, ..PLAIN },
    // "Symbolic shape analysis": commands of guarded assignments between cut points.
    Paper { engine: "shape", blocks: BlocksFlag::Large, ..PLAIN },
];

const PLAIN: Paper = Paper {
    engine: "",
    inline: Switch::On,
    blocks: BlocksFlag::Single,
    automaton: AutomatonFlag::Enhanced,
    partner: PartnerFlag::None,
};

/// What engines are told.
///
/// # Errors
/// For people: a preset without an engine, a file that cannot be read.
pub fn orders(flags: &SearchFlags, engine: Option<&'static Engine>) -> Result<Orders, String> {
    let paper = match (flags.as_in_paper, engine) {
        (false, _) => None,
        (true, Some(engine)) => PAPERS.iter().find(|paper| paper.engine == engine.name),
        (true, None) => None,
    };
    if flags.as_in_paper && paper.is_none() {
        let names: Vec<&str> = PAPERS.iter().map(|paper| paper.engine).collect();
        return Err(format!(
            "--as-in-paper is for one engine with a paper: --engine {}",
            names.join("|")
        ));
    }
    let mut first_predicates = Vec::new();
    for file in &flags.first_predicates {
        first_predicates.push(first_predicates::read(&output::read(file)?));
    }
    if !first_predicates.is_empty()
        && !engine.is_some_and(|e| matches!(e.name, "predicate" | "trace"))
    {
        return Err("--first-predicates is for --engine predicate or trace".to_owned());
    }
    let usual = Orders::default();
    let blocks = flags.blocks.or(paper.map(|p| p.blocks)).unwrap_or(BlocksFlag::Large);
    let automaton = flags.automaton.or(paper.map(|p| p.automaton));
    let partner = flags.partner.or(paper.map(|p| p.partner)).unwrap_or(PartnerFlag::Pdr);
    let inline = flags.inline.or(paper.map(|p| p.inline));
    let relations = flags.relations.or(paper.map(|_| RelationsFlag::Backward));
    let guess = flags.guess.or(paper.map(|_| Switch::Off));
    let valuations = predicate_abstraction::Options::default().valuations;
    Ok(Orders {
        guess: guess.is_none_or(Switch::is_on),
        inline: inline.is_none_or(Switch::is_on),
        single_blocks: blocks == BlocksFlag::Single,
        order: flags.order.map(|order| match order {
            OrderFlag::Dfs => Order::Newest,
            OrderFlag::Bfs => Order::Shortest,
        }),
        first_predicates,
        forced_covering: flags.forced_covering.unwrap_or(usual.forced_covering),
        relations: relations.unwrap_or(RelationsFlag::Forward).into(),
        rules: match partner {
            PartnerFlag::Pdr => solve::Engine::Auto,
            PartnerFlag::None => solve::Engine::Car,
        },
        describe: flags.dump_automata.is_some(),
        bounded: bounded::Options {
            bound: flags.bound,
            induction: flags.k_induction.is_none_or(Switch::is_on),
        },
        predicate: predicate_abstraction::Options {
            scope: flags.predicates.into(),
            valuations: if is_cartesian(flags) { 0 } else { valuations },
        },
        trace: trace_abstraction::Options {
            construction: automaton.unwrap_or(AutomatonFlag::Enhanced).into(),
            ..Default::default()
        },
        ..usual
    })
}

/// What the engine `shape` is told.
pub fn shape(flags: &SearchFlags) -> shape::Options {
    let cartesian = is_cartesian(flags);
    shape::Options { cartesian, context: flags.context.into(), ..Default::default() }
}

/// Whether each predicate is abstracted by itself.
fn is_cartesian(flags: &SearchFlags) -> bool {
    flags.abstraction == AbstractionFlag::Cartesian
}
