//! The properties that a program can be checked for: one row each, and nothing else lists them.
//!
//! A row is the variant of [`Property`] with its names and its words: what the command line and the
//! text form call it, how property files ask for it, and what reports say of a violation. What else
//! there is to a property is the check that lowering inserts.

/// What is known of a property.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The property.
    pub property: Property,
    /// The name that BenchExec, the command line, the text form and rules of reports use.
    pub name: &'static str,
    /// Whether the command line may ask for it by name; the others come with what the user wrote.
    pub is_asked_by_name: bool,
    /// The name on the command line that asks for it together with others.
    pub group: Option<&'static str>,
    /// Whether it is a part of memory safety.
    pub is_about_memory: bool,
    /// What a property file says after `G` to ask for it.
    pub formula: Option<&'static str>,
    /// What reports say of a violation.
    pub rule: Rule,
}

impl Row {
    /// A property that is asked for by its name alone.
    const fn plain(property: Property) -> Row {
        let rule = Rule { name: "", short: "", help: "", security: None };
        let (name, group, formula) = ("", None, None);
        Row { property, name, is_asked_by_name: true, group, is_about_memory: false, formula, rule }
    }
}

/// A property as a rule of reports: what a violation means and what to do about it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
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

/// Makes the variants and their rows of one list, so that neither lacks what the other has.
macro_rules! properties {
    ($($(#[$doc:meta])* $variant:ident { $($column:ident: $value:expr,)* })*) => {
        /// The properties that a program can be checked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Property {
            $($(#[$doc])* $variant,)*
        }

        /// All properties, in the order of [`Property`].
        pub const PROPERTIES: &[Row] =
            &[$(Row { $($column: $value,)* ..Row::plain(Property::$variant) },)*];
    };
}

properties! {
    /// `reach_error`, `__VERIFIER_error`, a failing `assert` or the label `ERROR` is never reached.
    UnreachCall {
        name: "unreach-call",
        rule: Rule {
            name: "ErrorCallReached",
            short: "A function that must never be called is called.",
            help: "The program can reach a call of `reach_error` (or a failing assertion, or the \
                   label `ERROR`). The code flow shows an execution that gets there; follow the \
                   values along it and mend the first step that should not happen.",
            security: None,
        },
    }
    /// No `assert` fails.
    Assert {
        name: "assert",
        formula: Some("assert"),
        rule: Rule {
            name: "AssertionFails",
            short: "An assertion can fail.",
            help: "There is an execution in which the asserted condition is false. Either the code \
                   before it is wrong, or the assertion claims too much.",
            security: None,
        },
    }
    /// No signed overflow.
    NoOverflow {
        name: "no-overflow",
        formula: Some("! overflow"),
        rule: Rule {
            name: "SignedOverflow",
            short: "Signed arithmetic can overflow.",
            help: "The result does not fit the type, which is undefined behaviour in C. Check the \
                   operands before, use a wider type, or unsigned arithmetic where wrapping is meant.",
            security: Some("6.0"),
        },
    }
    /// No division by zero.
    DivByZero {
        name: "div-by-zero",
        formula: Some("! div-by-zero"),
        rule: Rule {
            name: "DivisionByZero",
            short: "A division by zero is possible.",
            help: "The divisor can be zero, which is undefined behaviour and usually ends the \
                   program. Check it before dividing.",
            security: Some("5.0"),
        },
    }
    /// No shift by a negative amount or by the width of what is shifted, or more.
    ValidShift {
        name: "valid-shift",
        formula: Some("valid-shift"),
        rule: Rule {
            name: "InvalidShift",
            short: "A shift by a negative amount or by too many bits is possible.",
            help: "Shifting by a negative amount, or by as many bits as the value has or more, is \
                   undefined behaviour; machines do different things. Check the amount before, and \
                   mind that narrow operands are shifted as `int`.",
            security: Some("5.0"),
        },
    }
    /// Every access is to live memory within bounds.
    ValidDeref {
        name: "valid-deref",
        group: Some("valid-memsafety"),
        is_about_memory: true,
        formula: Some("valid-deref"),
        rule: Rule {
            name: "InvalidAccess",
            short: "Memory is accessed that must not be.",
            help: "A null pointer is dereferenced, an index lies outside its array, or the object's \
                   life has ended. The code flow shows where the pointer comes from.",
            security: Some("8.0"),
        },
    }
    /// Only what was allocated is freed, once.
    ValidFree {
        name: "valid-free",
        group: Some("valid-memsafety"),
        is_about_memory: true,
        formula: Some("valid-free"),
        rule: Rule {
            name: "InvalidFree",
            short: "Something is freed that must not be.",
            help: "The pointer given to `free` was not returned by an allocation, or was freed before.",
            security: Some("8.0"),
        },
    }
    /// At the end everything is freed or still reachable.
    ValidMemtrack {
        name: "valid-memtrack",
        group: Some("valid-memsafety"),
        is_about_memory: true,
        formula: Some("valid-memtrack"),
        rule: Rule {
            name: "MemoryLost",
            short: "Allocated memory is lost.",
            help: "Nothing points to an allocated object any more, so it cannot be freed.",
            security: Some("3.0"),
        },
    }
    /// At the end everything is freed.
    ValidMemcleanup {
        name: "valid-memcleanup",
        is_about_memory: true,
        formula: Some("valid-memcleanup"),
        rule: Rule {
            name: "MemoryNotFreed",
            short: "Memory is not freed at the end.",
            help: "The program ends while allocated memory has not been freed.",
            security: None,
        },
    }
    /// Functions keep what their contracts promise.
    Contract {
        name: "contract",
        is_asked_by_name: false,
        rule: Rule {
            name: "ContractBroken",
            short: "A function does not keep its contract.",
            help: "Called as its contract requires, the function ends in a state that the contract \
                   forbids, or calls another one as that one's contract forbids. The code flow begins with the heap it was called on.",
            security: None,
        },
    }
    /// A property automaton or temporal formula of the user.
    Automaton {
        name: "automaton",
        is_asked_by_name: false,
        rule: Rule {
            name: "SpecificationViolated",
            short: "An automaton or temporal formula of the user is violated.",
            help: "The sequence of events along the code flow is one that the specification forbids.",
            security: None,
        },
    }
}

impl Property {
    /// All that is known of it.
    pub fn row(self) -> &'static Row {
        &PROPERTIES[self as usize]
    }

    /// The name that BenchExec and the command line use.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it is a part of memory safety.
    pub fn is_about_memory(self) -> bool {
        self.row().is_about_memory
    }

    /// The property with this name.
    pub fn by_name(name: &str) -> Option<Property> {
        PROPERTIES.iter().find(|row| row.name == name).map(|row| row.property)
    }

    /// The property that a property file asks for with these words after `G`.
    pub fn by_formula(words: &str) -> Option<Property> {
        PROPERTIES.iter().find(|row| row.formula == Some(words)).map(|row| row.property)
    }

    /// The properties that a name on the command line stands for: one, or a group.
    pub fn asked_by(name: &str) -> Vec<Property> {
        let meant =
            |row: &&Row| row.is_asked_by_name && (row.name == name || row.group == Some(name));
        PROPERTIES.iter().filter(meant).map(|row| row.property).collect()
    }
}

/// The names that the command line knows; a group follows its last property.
pub fn names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for (i, row) in PROPERTIES.iter().enumerate().filter(|(_, row)| row.is_asked_by_name) {
        names.push(row.name);
        let goes_on = || PROPERTIES[i + 1..].iter().any(|later| later.group == row.group);
        names.extend(row.group.filter(|_| !goes_on()));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row can be found by each of its words, and no two rows share one.
    #[test]
    fn rows_are_found_by_their_words() {
        for row in PROPERTIES {
            assert_eq!(row.property.name(), row.name, "rows stand in the order of the variants");
            assert_eq!(Property::by_name(row.name), Some(row.property));
            if let Some(formula) = row.formula {
                assert_eq!(Property::by_formula(formula), Some(row.property));
                let file = format!("CHECK( init(main()), LTL(G {formula}) )");
                let file = crate::property::parse_property_file(&file, 0);
                let read = file.unwrap_or_else(|e| panic!("{e:?}")).specifications;
                assert_eq!(read, [crate::property::Specification::Property(row.property)]);
            }
            let asked = Property::asked_by(row.name);
            assert_eq!(asked, if row.is_asked_by_name { vec![row.property] } else { vec![] });
            assert_eq!(names().contains(&row.name), row.is_asked_by_name);
            if let Some(group) = row.group {
                assert!(
                    Property::asked_by(group).contains(&row.property) && names().contains(&group)
                );
            }
        }
    }

    /// The text form of the automata reads the names that it writes.
    #[test]
    fn the_text_form_knows_every_row() {
        for row in PROPERTIES {
            let text = format!(
                "program LP64\nentry main\ncheck C0 {} \"words\"\nfunction main()\n  entry L0 exit L1\n",
                row.name
            );
            let program = crate::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
            let again = crate::text::print(&program);
            assert!(again.contains(row.name), "{again}");
        }
    }
}
