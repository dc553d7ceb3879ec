//! The properties as rules: what a violation means and what to do about it.
//! SARIF files, editors and summaries of scans show these words.
//!
//! The words stand with the properties, in [`bolide_cfa::property::table`]; one rule more is for a
//! violation of `valid-deref` that needs an allocation to fail, which scans tell apart.

use bolide_cfa::Property;
use bolide_cfa::property::table::{self, PROPERTIES};
use std::sync::LazyLock;

/// A property as a rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The property's name.
    pub id: &'static str,
    /// What is said of a violation.
    pub words: table::Rule,
}

const FAILED_ALLOCATION: Rule = Rule {
    id: "failed-allocation",
    words: table::Rule {
        name: "FailedAllocationUsed",
        short: "An allocation can fail, and its result is used.",
        help: "`malloc` and its kind return a null pointer when there is no memory left, and the code flow shows \
               an execution that accesses memory through it. Check the result of the allocation.",
        security: Some("3.0"),
    },
};

/// All rules, in the order of the properties.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for row in PROPERTIES {
        rules.push(Rule { id: row.name, words: row.rule });
        rules.extend((row.property == Property::ValidDeref).then_some(FAILED_ALLOCATION));
    }
    rules
});

/// The rule of a property; that of user automata for names that are not known.
pub fn rule(property: &str) -> &'static Rule {
    let named = |name: &str| RULES.iter().find(|rule| rule.id == name);
    named(property).or_else(|| named(Property::Automaton.name())).expect("every property is a rule")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_has_its_rule() {
        for row in PROPERTIES {
            let rule = rule(row.name);
            assert_eq!((rule.id, rule.words.name), (row.name, row.rule.name));
            assert!(rule.words.short.ends_with('.') && rule.words.help.ends_with('.'));
        }
        assert_eq!(rule("of-a-user").id, "automaton");
    }
}
