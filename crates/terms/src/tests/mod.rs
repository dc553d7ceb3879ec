//! Tests of the constructors, the walks over terms and the reader.

use crate::smtlib::{Command, Context, Error, Reader};
use crate::{TermId, TermStore};

mod normal_forms;
mod random;
mod reader;
mod scale;

/// Reads a term over the names of the context.
fn read_term(store: &mut TermStore, context: &mut Context, text: &str) -> Result<TermId, Error> {
    let text = format!("(get-value ({text}))");
    let mut reader = Reader::with_context(&text, std::mem::take(context));
    let command = reader.next_command(store);
    *context = reader.into_context();
    match command {
        Some(Ok(Command::GetValue(terms))) if terms.len() == 1 => Ok(terms[0].0),
        Some(Err(error)) => Err(error),
        other => panic!("{text} is {other:?}"),
    }
}
