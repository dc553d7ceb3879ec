//! A whole question as formulas: what a session was told, without its instances.
//!
//! `Session` of the heap logic keeps ground terms, because that is what its prover wants. Other deciders want
//! the question as it was asked, quantifiers and writes to fields included. In a problem every version of a
//! field is a field of its own, and a write says how one comes from another.

use super::field_constraints::bound_within;
use bolide_base::HashSet;
use bolide_heap::{FieldId, Formula, Signature, Symbol, Term};
use bolide_heap::{Session, State};
use std::rc::Rc;

/// What is written into a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// An object or a number.
    Term(Term),
    /// A truth value.
    Truth(Formula),
}

/// A field that differs from another at one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The field after the write.
    pub field: FieldId,
    /// The field before it.
    pub before: FieldId,
    /// Where it is written.
    pub at: Term,
    /// What is written.
    pub value: Written,
}

/// A question: is there a state in which all of `given` holds?
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Names.
    pub signature: Signature,
    /// Writes, earlier ones first.
    pub writes: Vec<Write>,
    /// What holds.
    pub given: Vec<Formula>,
}

impl Problem {
    /// The field that a field comes from by writes, perhaps itself.
    pub fn root(&self, field: FieldId) -> FieldId {
        let mut field = field;
        while let Some(write) = self.writes.iter().find(|w| w.field == field) {
            field = write.before;
        }
        field
    }

    /// The write that made a field, if one did.
    pub fn write_of(&self, field: FieldId) -> Option<&Write> {
        self.writes.iter().find(|w| w.field == field)
    }
}

impl Problem {
    /// A session of the decision procedure that is told all that is given.
    pub fn session(&self) -> Session {
        let mut session = Session::new(false);
        session.thorough = true;
        let mut state = State::default();
        let bound: HashSet<Symbol> = self.given.iter().flat_map(bound_within).collect();
        let free = self.signature.variables.iter().filter(|(symbol, _)| !bound.contains(symbol));
        for (symbol, variable) in free {
            let value = session.constant(&variable.name, variable.kind);
            state.variables.insert(symbol, value);
        }
        for (field, info) in self.signature.fields.iter() {
            if self.write_of(field).is_none() {
                let version = session.base(&info.name, info.kind);
                state.fields.insert(field, version);
            }
        }
        for write in &self.writes {
            let before = Rc::new(state.clone());
            let at = session.term(&before, &[], &write.at);
            let value = match &write.value {
                Written::Term(term) => session.term(&before, &[], term),
                Written::Truth(formula) => session.ground(&before, formula),
            };
            let version = session.write(before.fields[&write.before], at, value);
            state.fields.insert(write.field, version);
        }
        let state = Rc::new(state);
        for formula in &self.given {
            session.assume(&state, formula);
        }
        session
    }
}
