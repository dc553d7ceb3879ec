//! Property files of SV-COMP.
//!
//! `CHECK( init(main()), LTL(G ! call(reach_error())) )`, one or more of them.
//! The well-known formulas become properties; any other formula over `call(f)`
//! atoms is read by [`super::ltl`].

use super::lexer::{Token, Tokens};
use super::ltl::{self, Formula};
use super::table::{PROPERTIES, Property};
use bolide_base::Diagnostic;

/// One thing to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Specification {
    /// The function is never called.
    NeverCalled(String),
    /// The label is never reached.
    NeverAt(String),
    /// One of the properties with checks of their own.
    Property(Property),
    /// A temporal formula over calls.
    Formula(Formula),
}

/// What a property file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyFile {
    /// The function where the program starts.
    pub entry: String,
    /// What to check, in order, without repetition.
    pub specifications: Vec<Specification>,
}

/// Reads a property file.
pub fn parse_property_file(text: &str, start: u32) -> Result<PropertyFile, Vec<Diagnostic>> {
    let mut tokens = Tokens::new(text, start, true)?;
    let mut file = PropertyFile { entry: String::new(), specifications: Vec::new() };
    let mut errors = Vec::new();
    while !tokens.at_end() {
        if let Err(error) = check(&mut tokens, &mut file) {
            errors.push(error);
            // Go on with the next property.
            while !tokens.at_end() && !tokens.is_word("CHECK") {
                tokens.take();
            }
        }
    }
    if errors.is_empty() && file.specifications.is_empty() {
        errors.push(tokens.expected("`CHECK( init(main()), LTL(...) )`"));
    }
    if errors.is_empty() { Ok(file) } else { Err(errors) }
}

fn check(tokens: &mut Tokens, file: &mut PropertyFile) -> Result<(), Diagnostic> {
    if !tokens.word("CHECK") {
        return Err(tokens.expected("`CHECK`"));
    }
    tokens.expect_sign("(")?;
    if !tokens.word("init") {
        return Err(tokens.expected("`init`"));
    }
    tokens.expect_sign("(")?;
    let span = tokens.span();
    let entry = tokens.expect_word("the entry function's name")?;
    if tokens.sign("(") {
        tokens.expect_sign(")")?;
    }
    tokens.expect_sign(")")?;
    tokens.expect_sign(",")?;
    if !file.entry.is_empty() && file.entry != entry {
        let message = format!("another property of this file starts at `{}`", file.entry);
        return Err(Diagnostic::error(span, message));
    }
    file.entry = entry;
    if tokens.is_word("FQL") {
        return Err(Diagnostic::error(
            tokens.span(),
            "coverage criteria (FQL) are not supported: they ask for tests, not for a proof",
        ));
    }
    if !tokens.word("LTL") {
        return Err(tokens.expected("`LTL`"));
    }
    tokens.expect_sign("(")?;
    let specification = specification(tokens)?;
    tokens.expect_sign(")")?;
    tokens.expect_sign(")")?;
    if !file.specifications.contains(&specification) {
        file.specifications.push(specification);
    }
    Ok(())
}

fn specification(tokens: &mut Tokens) -> Result<Specification, Diagnostic> {
    let span = tokens.span();
    // `G word` and `G ! word` are not temporal logic over calls.
    let named = match (tokens.peek(), tokens.ahead(1), tokens.ahead(2)) {
        (Token::Word(g), Token::Word(word), Token::Sign(")")) if g == "G" || g == "F" => {
            Some((g == "F", false, word.clone()))
        }
        (Token::Word(g), Token::Sign("!"), Token::Word(word)) if g == "G" && word != "call" => {
            Some((false, true, word.clone()))
        }
        _ => None,
    };
    if let Some((finally, negated, word)) = named {
        let words = if negated { format!("! {word}") } else { word.clone() };
        for _ in 0..2 + usize::from(negated) {
            tokens.take();
        }
        if !finally && let Some(property) = Property::by_formula(&words) {
            return Ok(Specification::Property(property));
        }
        match word.as_str() {
            "label" => {
                tokens.expect_sign("(")?;
                let label = tokens.expect_word("a label")?;
                tokens.expect_sign(")")?;
                return Ok(Specification::NeverAt(label));
            }
            "data-race" => {
                let message = "data races are not checked: programs with threads are not supported";
                return Err(Diagnostic::error(span, message));
            }
            "end" if finally => {
                let message = "termination (`F end`) is not a safety property and is not checked";
                return Err(Diagnostic::error(span, message));
            }
            _ => {
                let message = format!("`{word}` is not a property that is known");
                let known: Vec<&str> = PROPERTIES.iter().filter_map(|row| row.formula).collect();
                let help = format!("known are {}, ! call(f()), ! label(L)", known.join(", "));
                return Err(Diagnostic::error(span, message).with_help(help));
            }
        }
    }
    let formula = ltl::formula(tokens)?;
    if let Formula::Globally(inner) = &formula
        && let Formula::Not(atom) = &**inner
        && let Formula::Call(function) = &**atom
    {
        return Ok(Specification::NeverCalled(function.clone()));
    }
    Ok(Specification::Formula(formula))
}
