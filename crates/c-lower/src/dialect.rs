//! How other verifiers are spoken to, in one table.
//!
//! What their intrinsics mean is in the tables of [models](crate::models), by name, and always known. Here is what
//! cannot be seen at a call: which names are intrinsics, so that one without a meaning is no ordinary function; which functions
//! without a body are inputs; and how a harness is read that is written for a verifier rather than for a
//! machine, where allocation fails and functions without a body do nothing but return.

use bolide_c_syntax::ast::TranslationUnit;

/// A verifier.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    pub name: &'static str,
    /// How the names begin that it gives a meaning.
    intrinsics: &'static [&'static str],
    /// How the names begin of functions without a body that are inputs, where memory has no part in them.
    inputs: &'static [&'static str],
    /// A file with one of these names is a harness for it.
    signs: &'static [&'static str],
    /// Its harnesses are functions that nobody calls: allocation may fail, functions without a body only return
    /// something, and this is checked besides assertions.
    pub unit_proof: Option<&'static [&'static str]>,
}

static DIALECTS: [Dialect; 8] = {
    const fn plain(
        name: &'static str,
        intrinsics: &'static [&'static str],
        inputs: &'static [&'static str],
    ) -> Dialect {
        Dialect { name, intrinsics, inputs, signs: &[], unit_proof: None }
    }
    [
        Dialect {
            name: "cbmc",
            intrinsics: &["__CPROVER_"],
            inputs: &["nondet_"],
            signs: &["__CPROVER_assume", "__CPROVER_assert", "__CPROVER_precondition"],
            unit_proof: Some(&[
                "valid-deref",
                "valid-free",
                "no-overflow",
                "div-by-zero",
                "valid-shift",
            ]),
        },
        Dialect {
            name: "seahorn",
            intrinsics: &["sea_"],
            inputs: &["nd_"],
            signs: &["sassert", "sea_is_dereferenceable", "nd_size_t", "nd_bool", "nd_int"],
            unit_proof: None,
        },
        plain("SV-COMP", &["__VERIFIER_"], &["__VERIFIER_nondet"]),
        plain("ESBMC", &["__ESBMC_"], &["nondet_"]),
        plain("SMACK", &["__SMACK_"], &["__SMACK_nondet"]),
        plain("Predator", &["___sl_"], &[]),
        plain("Frama-C", &["Frama_C_"], &[]),
        plain("KLEE", &["klee_"], &[]),
    ]
};

/// The way of writing harnesses that has this name.
pub fn harness_style(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

/// The verifier that a program is a harness for, by the names that it uses.
pub fn detect(units: &[&TranslationUnit], entry: &str) -> Option<&'static Dialect> {
    let has = |name: &&str| units.iter().any(|unit| unit.names.get(name).is_some());
    let is_one = |dialect: &&Dialect| {
        (dialect.unit_proof.is_none() || entry != "main") && dialect.signs.iter().any(has)
    };
    DIALECTS.iter().find(is_one)
}

/// Those whose names count: what a harness needs to be told by is nothing elsewhere.
fn known(harness: Option<&'static Dialect>) -> impl Iterator<Item = &'static Dialect> {
    DIALECTS.iter().filter(move |d| d.name != "seahorn" || Some(*d) == harness)
}

/// Whether a name is one that a verifier gives a meaning: without it, nothing is known of the program.
pub fn is_intrinsic(name: &str, harness: Option<&'static Dialect>) -> bool {
    known(harness).flat_map(|d| d.intrinsics).any(|prefix| name.starts_with(prefix))
}

/// Whether a function without a body is an input by its name, if memory has no part in it.
pub fn is_input(name: &str, harness: Option<&'static Dialect>) -> bool {
    harness.is_some_and(|dialect| dialect.unit_proof.is_some())
        || known(harness).flat_map(|d| d.inputs).any(|prefix| name.starts_with(prefix))
}
