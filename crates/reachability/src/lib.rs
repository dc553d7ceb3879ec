//! Path formulas, refinement, abstract reachability, verdicts and their audit.
//!
//! What every engine shares: programs become formulas ([`encode`], [`block`]),
//! paths become formulas in static single assignment ([`path_formula`]), the
//! solver is asked about them ([`prover`]), calls that are not inlined join scopes
//! ([`calls`], [`contracts`], [`nested_path`]), loops get invariants from templates
//! ([`templates`]), and what an engine concludes ([`verdict`],
//! [`counterexample`]) is checked before anybody believes it ([`audit`]).

pub mod block;
pub mod c_expression;
pub mod calls;
pub mod candidates;
pub mod claims;
pub mod counterexample;
pub mod encode;
pub mod facts;
pub mod guards;
pub mod implications;
pub mod nested_path;
pub mod normal_form;
pub mod path_formula;
pub mod prover;
pub mod recorded_proof;
pub mod samples;
pub mod summaries;
pub mod templates;
pub mod verdict;
