//! The properties as rules: what a violation means and what to do about it.
//! SARIF files, editors and summaries of scans show these words.

/// A property as a rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The property's name.
    pub id: &'static str,
    /// The rule's name in one word.
    pub name: &'static str,
    /// What is wrong, in one sentence.
    pub short: &'static str,
    /// What it means and what to do.
    pub help: &'static str,
    /// How severe, from 0 to 10, as code scanning sorts it; none for a matter
    /// of correctness only.
    pub security: Option<&'static str>,
}

/// All rules.
pub const RULES: &[Rule] = &[
    Rule {
        id: "unreach-call",
        name: "ErrorCallReached",
        short: "A function that must never be called is called.",
        help: "The program can reach a call of `reach_error` (or a failing assertion, or the \
               label `ERROR`). The code flow shows an execution that gets there; follow the \
               values along it and mend the first step that should not happen.",
        security: None,
    },
    Rule {
        id: "assert",
        name: "AssertionFails",
        short: "An assertion can fail.",
        help: "There is an execution in which the asserted condition is false. Either the code \
               before it is wrong, or the assertion claims too much.",
        security: None,
    },
    Rule {
        id: "no-overflow",
        name: "SignedOverflow",
        short: "Signed arithmetic can overflow.",
        help: "The result does not fit the type, which is undefined behaviour in C. Check the \
               operands before, use a wider type, or unsigned arithmetic where wrapping is meant.",
        security: Some("6.0"),
    },
    Rule {
        id: "div-by-zero",
        name: "DivisionByZero",
        short: "A division by zero is possible.",
        help: "The divisor can be zero, which is undefined behaviour and usually ends the \
               program. Check it before dividing.",
        security: Some("5.0"),
    },
    Rule {
        id: "valid-shift",
        name: "InvalidShift",
        short: "A shift by a negative amount or by too many bits is possible.",
        help: "Shifting by a negative amount, or by as many bits as the value has or more, is \
               undefined behaviour; machines do different things. Check the amount before, and \
               mind that narrow operands are shifted as `int`.",
        security: Some("5.0"),
    },
    Rule {
        id: "valid-deref",
        name: "InvalidAccess",
        short: "Memory is accessed that must not be.",
        help: "A null pointer is dereferenced, an index lies outside its array, or the object's \
               life has ended. The code flow shows where the pointer comes from.",
        security: Some("8.0"),
    },
    Rule {
        id: "failed-allocation",
        name: "FailedAllocationUsed",
        short: "An allocation can fail, and its result is used.",
        help: "`malloc` and its kind return a null pointer when there is no memory left, and the code flow shows \
               an execution that accesses memory through it. Check the result of the allocation.",
        security: Some("3.0"),
    },
    Rule {
        id: "valid-free",
        name: "InvalidFree",
        short: "Something is freed that must not be.",
        help: "The pointer given to `free` was not returned by an allocation, or was freed before.",
        security: Some("8.0"),
    },
    Rule {
        id: "valid-memtrack",
        name: "MemoryLost",
        short: "Allocated memory is lost.",
        help: "Nothing points to an allocated object any more, so it cannot be freed.",
        security: Some("3.0"),
    },
    Rule {
        id: "valid-memcleanup",
        name: "MemoryNotFreed",
        short: "Memory is not freed at the end.",
        help: "The program ends while allocated memory has not been freed.",
        security: None,
    },
    Rule {
        id: "contract",
        name: "ContractBroken",
        short: "A function does not keep its contract.",
        help: "Called as its contract requires, the function ends in a state that the contract \
               forbids, or calls another one as that one's contract forbids. The code flow begins with the heap it was called on.",
        security: None,
    },
    Rule {
        id: "automaton",
        name: "SpecificationViolated",
        short: "An automaton or temporal formula of the user is violated.",
        help: "The sequence of events along the code flow is one that the specification forbids.",
        security: None,
    },
];

/// The rule of a property; that of user automata for names that are not known.
pub fn rule(property: &str) -> &'static Rule {
    RULES.iter().find(|rule| rule.id == property).unwrap_or(&RULES[RULES.len() - 1])
}
