//! The alphabet: statements as letters, detached from where they stand.
//!
//! A letter is what one step of the program does: a block (one statement with
//! `--blocks single`), a call, a return, or the start. Two steps at different
//! places that do the same are the same letter, as in the paper, where a trace
//! is a word over statements and infeasibility is a matter of their meaning
//! alone. A return is read together with the state in which the call was made: traces
//! are nested words.
//!
//! A letter says what a Hoare triple over it means: [`Alphabet::premise`] is
//! what is known after the step, [`Alphabet::said`] what it is for a predicate
//! to hold then.

use bolide_base::arena::Id;
use bolide_base::{Arena, HashMap, HashSet, define_id};
use bolide_cfa::{FunctionId, LocId};
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::encode::{Slot, SlotId};
use bolide_reachability::nested_path::Piece;
use bolide_terms::{TermId, TermStore};
use std::rc::Rc;

define_id!(
    /// A letter.
    pub struct LetterId
);

/// What one step does.
#[derive(Clone, Debug)]
pub enum Letter {
    /// The program starts: of nothing, the initial states.
    Start,
    /// Runs a block.
    Block(Rc<Transition>),
    /// Enters a function.
    Call(Rc<CallSite>),
    /// Returns from a function to where this call was made.
    Return(Rc<CallSite>),
}

/// What makes two blocks the same letter.
type Meaning = (TermId, Vec<(SlotId, TermId)>);

/// All letters met so far.
#[derive(Default)]
pub struct Alphabet {
    letters: Arena<LetterId, Letter>,
    start: Option<LetterId>,
    blocks: HashMap<Meaning, LetterId>,
    /// The same by source and target.
    placed: HashMap<(LocId, LocId), LetterId>,
    calls: HashMap<bolide_cfa::EdgeId, (LetterId, LetterId)>,
}

impl Alphabet {
    /// The letter of the start.
    pub fn start(&mut self) -> LetterId {
        match self.start {
            Some(known) => known,
            None => *self.start.insert(self.letters.push(Letter::Start)),
        }
    }

    /// The letter of a block.
    pub fn block(&mut self, transition: &Rc<Transition>) -> LetterId {
        let (letters, blocks) = (&mut self.letters, &mut self.blocks);
        *self.placed.entry((transition.from, transition.to)).or_insert_with(|| {
            let meaning = (transition.formula, transition.outputs.clone());
            let new = || letters.push(Letter::Block(transition.clone()));
            *blocks.entry(meaning).or_insert_with(new)
        })
    }

    /// The letter of a piece of a trace.
    pub fn piece(&mut self, piece: &Piece) -> LetterId {
        match piece {
            Piece::Start => self.start(),
            Piece::Block(block) => self.block(block),
            Piece::Call { site, .. } => self.call(site).0,
            Piece::Return(site) | Piece::Summary { site, .. } => self.call(site).1,
        }
    }

    /// The letters of a call: entering and returning.
    pub fn call(&mut self, site: &Rc<CallSite>) -> (LetterId, LetterId) {
        let letters = &mut self.letters;
        *self.calls.entry(site.edge).or_insert_with(|| {
            let enter = letters.push(Letter::Call(site.clone()));
            (enter, letters.push(Letter::Return(site.clone())))
        })
    }

    /// What the letter does.
    pub fn letter(&self, id: LetterId) -> &Letter {
        &self.letters[id]
    }

    /// What is known after the letter: `before` holds of the state before it
    /// (for a return, of the caller), `exit` of the callee's exit.
    pub fn premise(
        &self,
        program: &BlockProgram<'_>,
        calls: &Calls,
        store: &mut TermStore,
        letter: LetterId,
        before: TermId,
        exit: TermId,
    ) -> TermId {
        match &self.letters[letter] {
            Letter::Start => program.initial(),
            Letter::Block(transition) => store.mk_and(&[before, transition.formula]),
            Letter::Call(site) => store.mk_and(&[before, site.guard]),
            Letter::Return(site) => {
                let exit = calls.returning(program, store, site, exit);
                store.mk_and(&[before, site.guard, exit])
            }
        }
    }

    /// That `predicate` holds after the letter, in the words of the premise.
    pub fn said(
        &self,
        program: &BlockProgram<'_>,
        calls: &Calls,
        store: &mut TermStore,
        letter: LetterId,
        predicate: TermId,
    ) -> TermId {
        match &self.letters[letter] {
            Letter::Start => calls.at_entry(program, store, predicate),
            Letter::Block(transition) => {
                store.substitute(predicate, &transition.new_values(&program.slots))
            }
            Letter::Call(site) => calls.entering(program, store, site, predicate),
            Letter::Return(site) => calls.after(program, store, site, predicate),
        }
    }

    /// The letter in words: guard and assignments.
    pub fn text(&self, program: &BlockProgram<'_>, store: &TermStore, letter: LetterId) -> String {
        let cfa = program.program;
        let name = |site: &CallSite| cfa.functions[site.callee].name.clone();
        match &self.letters[letter] {
            Letter::Start => "start".to_owned(),
            Letter::Call(site) => format!("call {} at L{}", name(site), site.from.index()),
            Letter::Return(site) => format!("return {} to L{}", name(site), site.to.index()),
            Letter::Block(transition) => {
                let mut words = Vec::new();
                if transition.formula != TermId::TRUE {
                    words.push(format!("assume {}", in_words(store, transition.formula)));
                }
                for &(slot, value) in &transition.outputs {
                    let target = store.infix(program.slots.constant(slot));
                    words.push(format!("{target} := {}", in_words(store, value)));
                }
                if words.is_empty() { "skip".to_owned() } else { words.join("; ") }
            }
        }
    }
}

/// Larger formulas are not written out: nobody would read them, and with shared
/// parts the text may be exponentially long.
const READABLE: u64 = 2000;

/// A formula for people.
pub fn in_words(store: &TermStore, term: TermId) -> String {
    match store.tree_size(term) <= READABLE {
        true => store.infix(term),
        false => format!("(a formula of {} terms)", store.dag_size(term)),
    }
}

/// The functions whose own variables a predicate mentions. Automata keep
/// predicates of all functions; each makes sense only inside its own.
pub fn scope_of(
    program: &BlockProgram<'_>,
    calls: &Calls,
    store: &TermStore,
    predicate: TermId,
) -> HashSet<FunctionId> {
    let cfa = program.program;
    store
        .constants(predicate)
        .into_iter()
        .filter_map(|c| program.slots.of_constant(c).or_else(|| calls.entry_slot(c)))
        .filter_map(|slot| match program.slots.slot(slot) {
            Slot::Value(v) | Slot::Object(v) | Slot::Offset(v) => cfa.variables[v].function,
            _ => None,
        })
        .collect()
}
