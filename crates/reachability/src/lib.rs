//! Programs and paths as formulas, and the abstract reachability graph.
//!
//! What every engine shares: programs become formulas ([`encode`], [`block`]),
//! paths become formulas in static single assignment ([`path_formula`]), the
//! solver is asked about them ([`prover`]), calls that are not inlined join scopes
//! ([`calls`], [`nested_path`]), loops get invariants from templates
//! ([`templates`]), and graphs of abstract states are explored ([`arg`]). What an engine concludes ([`verdict`],
//! [`counterexample`]) nobody believes before the audit, which is a crate apart.

pub mod accumulators;
pub mod arg;
pub mod block;
pub mod c_expression;
pub mod calls;
pub mod candidates;
pub mod cells;
pub mod claims;
pub mod counterexample;
pub mod encode;
pub mod facts;
pub mod float_guesses;
pub mod float_interval;
pub mod float_ranges;
pub mod folds;
pub mod guards;
pub mod guesses;
pub mod implications;
pub mod instances;
pub mod missing;
pub mod nested_path;
pub mod normal_form;
pub mod path_formula;
pub mod pointers;
pub mod polynomials;
pub mod prover;
pub mod quantities;
pub mod recorded_proof;
pub mod restriction;
pub mod results;
pub mod samples;
pub mod summaries;
pub mod sums;
pub mod templates;
pub mod unrolling;
pub mod verdict;
