//! What lowering is asked, and what it answers.

use crate::dialect::Dialect;
use bolide_base::{Budget, Diagnostic, Span};
use bolide_cfa::{Program, Property, Target};
use std::collections::{BTreeMap, BTreeSet};

/// What a call to a function without a body may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum External {
    /// It may change all memory that it can reach, and returns any value.
    #[default]
    Havoc,
    /// It changes nothing and returns any value.
    Pure,
    /// The program is refused.
    Error,
}

/// Which verifier a program is a harness for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harness {
    /// To be seen by the names that it uses.
    Detected,
    Is(Option<&'static Dialect>),
}

/// How to lower.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to check.
    pub properties: BTreeSet<Property>,
    /// The data model.
    pub target: Target,
    /// The function that the program starts with.
    pub entry: String,
    /// Functions without a body; where nothing is said, as the harness has it, or [`External::Havoc`].
    pub external: Option<External>,
    /// The same for single functions, by name.
    pub models: BTreeMap<String, External>,
    /// Calls that violate `unreach-call`.
    pub error_functions: Vec<String>,
    /// Labels that violate `unreach-call`.
    pub error_labels: Vec<String>,
    /// Allocations may also give a null pointer; where nothing is said, as the harness has it, or not.
    pub malloc_may_fail: Option<bool>,
    /// The verifier that the program is a harness for, if any.
    pub harness: Harness,
    /// Functions that have no body, whatever the files say that are no stubs.
    pub removed_bodies: BTreeSet<String>,
    /// How many of the files, at the end, are stubs.
    pub stubs: usize,
    /// Contracts are left to the heap logic: none of them becomes part of the program.
    pub heap_contracts: bool,
    /// Calls of functions with a contract go by it, though there is a body.
    pub modular: bool,
    /// Polled between functions.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            properties: BTreeSet::new(),
            target: Target::LP64,
            entry: "main".into(),
            external: None,
            models: BTreeMap::new(),
            error_functions: vec!["reach_error".into(), "__VERIFIER_error".into()],
            error_labels: vec!["ERROR".into()],
            malloc_may_fail: None,
            harness: Harness::Detected,
            removed_bodies: BTreeSet::new(),
            stubs: 0,
            heap_contracts: false,
            modular: false,
            budget: Budget::unlimited(),
        }
    }
}

impl Options {
    /// What a function without a body may do.
    pub fn external(&self, name: &str) -> External {
        self.models.get(name).copied().unwrap_or(self.others())
    }

    /// What functions without a body do of which nothing is said.
    fn others(&self) -> External {
        let usual = if self.is_unit_proof() { External::Pure } else { External::Havoc };
        self.external.unwrap_or(usual)
    }

    /// The verifier that the program is a harness for, once that is known.
    pub fn dialect(&self) -> Option<&'static Dialect> {
        match self.harness {
            Harness::Is(dialect) => dialect,
            Harness::Detected => None,
        }
    }

    /// Whether the program is a function that nobody calls, as a verifier has it.
    pub fn is_unit_proof(&self) -> bool {
        self.dialect().is_some_and(|dialect| dialect.unit_proof.is_some())
    }

    /// Whether an allocation may give a null pointer.
    pub fn may_fail(&self) -> bool {
        self.malloc_may_fail.unwrap_or(self.is_unit_proof())
    }

    /// Whether no function without a body changes anything.
    pub fn is_pure(&self) -> bool {
        let others = self.models.values();
        self.others() == External::Pure && others.clone().all(|model| *model == External::Pure)
    }
}

/// A lowered program and what should be said of it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Warnings, in order of position.
    pub diagnostics: Vec<Diagnostic>,
    /// Functions without a body and without a model that may be called, with
    /// the place of the first use; sorted by name.
    pub externals: Vec<(String, Span)>,
    /// Over-approximations that were made, for the report; sorted.
    pub assumptions: Vec<String>,
    /// What annotations promise of functions that run, by function.
    pub contracts: Vec<bolide_cfa::contract::Contract>,
    /// Annotations that nothing checks.
    pub unchecked: Vec<Span>,
    /// The entry function has a contract that only the heap logic understands.
    pub heap_contract_of_entry: bool,
    /// The verifier that the program is a harness for.
    pub harness: Option<&'static Dialect>,
    /// The functions whose contracts were used at calls, and whether they have a body.
    pub used_contracts: Vec<(String, bool)>,
}
