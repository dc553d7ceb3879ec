//! Proofs of earlier programs: what is kept, how it is found again, and why it can be used.
//!
//! Two things outlive a verification. *Automata*: the predicates of each, together with the
//! letters of the program modulo renaming, by which they are found. *Answers*: which
//! Hoare triples of a question hold, with a recorded proof that they do, and recorded proofs of
//! audited obligations; found by the normal form of the question.
//!
//! Nothing from the store is believed. A stored automaton is only a set of
//! predicates: its Hoare triples are decided anew, by a recorded proof that the
//! checker accepts for the very question at hand ([`recorded_proof::accepts`]) or by the
//! solver. That a triple does *not* hold needs no proof: an automaton with fewer edges accepts less.
//!
//! Between programs variables have other names. Letters with equal normal forms
//! say which variable may stand for which: each such pair is a vote, more if the letters come at the same
//! rank, and equal names vote too; the votes are taken greedily. A bad
//! renaming costs time only. Where a number of the program has changed, the same predicates
//! with the new number are candidates as well ([`Recalled::adapted`]).

use super::hoare::{Oracle, Post};
use bolide_base::{Budget, HashMap, HashSet, Integer};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::normal_form::{self, NormalForm, key_of};
use bolide_reachability::recorded_proof;
use bolide_terms::{TermId, TermStore};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Where proofs are kept. Text in, text out; the store understands none of it.
pub trait ProofStore: Send {
    /// The answer that is kept under a key.
    fn answer(&mut self, key: u128) -> Option<String>;
    /// Keeps answers.
    fn keep_answers(&mut self, answers: &[(u128, String)]);
    /// Automata of programs that share letters with one that has these, best first.
    fn automata(&mut self, letters: &[u64]) -> Vec<String>;
    /// Keeps the automata of a program with these letters.
    fn keep_automata(&mut self, letters: &[u64], text: &str);
}

/// A store that several engines may hold.
#[derive(Clone)]
pub struct SharedStore(Arc<Mutex<dyn ProofStore>>);

impl SharedStore {
    /// Shares a store.
    pub fn new(store: impl ProofStore + 'static) -> SharedStore {
        SharedStore(Arc::new(Mutex::new(store)))
    }

    fn with<T>(&self, f: impl FnOnce(&mut dyn ProofStore) -> T) -> T {
        f(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedStore")
    }
}

/// What was reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Questions about triples answered by checked proofs of the store.
    pub questions: u64,
    /// Obligations of the audit discharged by checked proofs of the store.
    pub obligations: u64,
    /// Obligations of the audit that were proved anew.
    pub new_obligations: u64,
    /// Answers of the store that were not accepted.
    pub refused: u64,
}

/// What is to be kept once the verdict is there.
struct Pending {
    key: u128,
    /// What the answer says besides the proof.
    says: String,
    /// What is to be refuted; none when nothing needs a proof.
    refuted: Option<NormalForm>,
}

/// Answers questions from the store and collects what it did not know.
pub struct Recorder {
    store: SharedStore,
    pending: Vec<Pending>,
    /// What was reused.
    pub statistics: Statistics,
}

/// So many new answers of one run are kept at most.
const ANSWERS: usize = 4_000;

impl Recorder {
    /// On top of a store.
    pub fn new(store: SharedStore) -> Recorder {
        Recorder { store, pending: Vec::new(), statistics: Statistics::default() }
    }

    /// Proves again what is to be kept, in normal form, and keeps it.
    pub fn keep(&mut self, budget: &Budget) {
        let mut answers = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            if budget.poll().is_err() {
                break;
            }
            let proof = match &pending.refuted {
                None => String::new(),
                Some(form) => match recorded_proof::record(form, budget) {
                    Some(proof) => proof,
                    None => continue,
                },
            };
            answers.push((pending.key, format!("{}\n{proof}", pending.says)));
        }
        if !answers.is_empty() {
            self.store.with(|store| store.keep_answers(&answers));
        }
    }

    /// Keeps automata.
    pub fn keep_automata(&mut self, stored: &Stored) {
        self.store.with(|store| store.keep_automata(&stored.letters, &stored.text));
    }

    /// The sets of automata that the store has for a program with these letters, in its own words; the
    /// best last.
    pub fn automata(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        letters: &[LetterForm],
    ) -> Vec<Vec<Vec<TermId>>> {
        let hashes = hashes(letters);
        let mut found = Vec::new();
        for text in self.store.with(|store| store.automata(&hashes)) {
            if let Some(recalled) = read(program, store, letters, &text) {
                found.extend([recalled.automata, recalled.adapted]);
            }
        }
        found.reverse();
        found
    }

    /// What is kept as the proof of an obligation of the audit.
    pub fn obligation(&mut self, obligation: &NormalForm) -> Option<String> {
        let text = self.store.with(|store| store.answer(obligation.key()))?;
        let proof = text.strip_prefix("obligation\n")?;
        Some(proof.to_owned())
    }

    /// Whether the audit accepted it; what has no proof yet is to be kept.
    pub fn checked(&mut self, obligation: Option<NormalForm>, accepted: Option<bool>) {
        if accepted == Some(true) {
            self.statistics.obligations += 1;
            return;
        }
        self.statistics.refused += u64::from(accepted.is_some());
        self.statistics.new_obligations += 1;
        if let Some(form) = obligation {
            self.push(form.key(), "obligation".to_owned(), Some(form));
        }
    }

    fn push(&mut self, key: u128, says: String, refuted: Option<NormalForm>) {
        if self.pending.len() < ANSWERS {
            self.pending.push(Pending { key, says, refuted });
        }
    }
}

/// What must contradict itself for a post to be right; none when nothing must.
fn refutation(
    store: &mut TermStore,
    premise: TermId,
    goals: &[TermId],
    post: &Post,
) -> Option<Vec<TermId>> {
    match post {
        Post::Infeasible => Some(vec![premise]),
        Post::Goals(answers) => {
            let held: Vec<TermId> =
                goals.iter().zip(answers).filter(|(_, holds)| **holds).map(|(&g, _)| g).collect();
            if held.is_empty() {
                return None;
            }
            let all = store.mk_and(&held);
            Some(vec![premise, store.mk_not(all)])
        }
    }
}

impl Oracle for Recorder {
    fn recall(&mut self, store: &mut TermStore, premise: TermId, goals: &[TermId]) -> Option<Post> {
        let question: Vec<TermId> = std::iter::once(premise).chain(goals.iter().copied()).collect();
        let key = NormalForm::new(store, &question)?.key();
        let text = self.store.with(|store| store.answer(key))?;
        let (says, proof) = text.split_once('\n')?;
        let post = match says.strip_prefix("goals") {
            None => Post::Infeasible,
            Some(marks) => {
                let marks = marks.trim_start();
                let answers: Vec<bool> = marks.chars().map(|c| c == '1').collect();
                if answers.len() != goals.len() {
                    self.statistics.refused += 1;
                    return None;
                }
                Post::Goals(answers)
            }
        };
        // Required: what is said to hold is checked; what is not said needs no check.
        if let Some(conjuncts) = refutation(store, premise, goals, &post) {
            let form = NormalForm::new(store, &conjuncts)?;
            if !recorded_proof::accepts(store, &conjuncts, &form, proof) {
                self.statistics.refused += 1;
                return None;
            }
        }
        self.statistics.questions += 1;
        Some(post)
    }

    fn learn(&mut self, store: &mut TermStore, premise: TermId, goals: &[TermId], post: &Post) {
        let question: Vec<TermId> = std::iter::once(premise).chain(goals.iter().copied()).collect();
        let Some(key) = NormalForm::new(store, &question).map(|form| form.key()) else { return };
        let says = match post {
            Post::Infeasible => "infeasible".to_owned(),
            Post::Goals(answers) => {
                let marks: String = answers.iter().map(|&a| if a { '1' } else { '0' }).collect();
                format!("goals {marks}")
            }
        };
        match refutation(store, premise, goals, post) {
            None => self.push(key, says, None),
            Some(conjuncts) => {
                if let Some(form) = NormalForm::new(store, &conjuncts) {
                    self.push(key, says, Some(form));
                }
            }
        }
    }
}

/// A letter modulo renaming.
#[derive(Clone, Debug)]
pub struct LetterForm {
    hash: u64,
    /// Its constants, in the order of the normal form.
    constants: Vec<TermId>,
    /// The integers in it, sorted.
    numerals: Vec<i64>,
}

/// The letters of all blocks of a program, in its order.
pub fn letters(program: &mut BlockProgram<'_>, store: &mut TermStore) -> Vec<LetterForm> {
    let cuts: Vec<_> =
        program.program.locations.ids().filter(|&l| program.blocks.is_cut(l)).collect();
    let mut found = Vec::new();
    for from in cuts {
        for transition in program.transitions(store, from).iter() {
            let mut roots = vec![transition.formula];
            for &(slot, value) in &transition.outputs {
                roots.extend([value, program.slots.constant(slot)]);
            }
            if let Some(form) = NormalForm::new(store, &roots) {
                let hash = key_of(&form.text) as u64;
                let numerals = numerals(&form.text);
                found.push(LetterForm { hash, constants: form.constants, numerals });
            }
        }
    }
    found
}

fn numerals(text: &str) -> Vec<i64> {
    let mut all: Vec<i64> =
        text.lines().filter_map(|l| l.strip_prefix("# I ")?.parse().ok()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn hashes(letters: &[LetterForm]) -> Vec<u64> {
    let mut all: Vec<u64> = letters.iter().map(|l| l.hash).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Automata as they are kept.
pub struct Stored {
    letters: Vec<u64>,
    text: String,
}

/// The first line of what is kept.
const HEADER: &str = "bolide automata 2";

fn name_of(store: &TermStore, constant: TermId) -> String {
    let name = store.function_of(constant).map_or("?", |f| store.function_name(f));
    name.replace('%', "%25").replace(' ', "%20").replace('\n', "%0A")
}

/// Writes predicates, automaton by automaton (the background first), with the
/// letters of the program.
pub fn write(
    store: &TermStore,
    letters: &[LetterForm],
    automata: &[Vec<TermId>],
) -> Option<Stored> {
    let all: Vec<TermId> = automata.iter().flatten().copied().collect();
    let form = NormalForm::new(store, &all)?;
    let mut text = format!("{HEADER}\n");
    let mut number: HashMap<TermId, usize> = HashMap::default();
    let mut names = String::new();
    let mut of_constant = |constant: TermId| {
        let next = number.len();
        *number.entry(constant).or_insert_with(|| {
            let sort = normal_form::sort_text(store, store.sort(constant)).unwrap_or_default();
            let _ = writeln!(names, "constant {sort} {}", name_of(store, constant));
            next
        })
    };
    // The constants of the predicates first: in the order of their normal form.
    for &constant in &form.constants {
        of_constant(constant);
    }
    let mut lines = String::new();
    for letter in letters {
        let _ = write!(lines, "letter {:016x}", letter.hash);
        for &constant in &letter.constants {
            let _ = write!(lines, " {}", of_constant(constant));
        }
        lines.push_str(" ;");
        for numeral in &letter.numerals {
            let _ = write!(lines, " {numeral}");
        }
        lines.push('\n');
    }
    let _ = write!(text, "{names}{lines}automata");
    for automaton in automata {
        let _ = write!(text, " {}", automaton.len());
    }
    text.push('\n');
    text.push_str(&form.text);
    Some(Stored { letters: hashes(letters), text })
}

/// A letter of an earlier program.
struct StoredLetter {
    hash: u64,
    /// Numbers of its constants.
    constants: Vec<usize>,
    numerals: Vec<i64>,
}

impl StoredLetter {
    fn read<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<StoredLetter> {
        let hash = u64::from_str_radix(words.next()?, 16).ok()?;
        let mut letter = StoredLetter { hash, constants: Vec::new(), numerals: Vec::new() };
        for word in words.by_ref().take_while(|w| *w != ";") {
            letter.constants.push(word.parse().ok()?);
        }
        for word in words {
            letter.numerals.push(word.parse().ok()?);
        }
        Some(letter)
    }
}

/// Automata of an earlier program in the vocabulary of this one, the background first.
pub struct Recalled {
    /// As they were.
    pub automata: Vec<Vec<TermId>>,
    /// Where a number in the program has changed: the same with the new number,
    /// as far as that makes a difference.
    pub adapted: Vec<Vec<TermId>>,
}

/// Reads automata into the vocabulary of another program; predicates that speak
/// of what that program does not have are left out. None for a text that is
/// not well-formed.
pub fn read(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    letters: &[LetterForm],
    text: &str,
) -> Option<Recalled> {
    let rest = text.strip_prefix(HEADER)?.strip_prefix('\n')?;
    let mut names: Vec<(String, String)> = Vec::new();
    let mut stored: Vec<StoredLetter> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        let mut words = line.split_whitespace();
        match words.next()? {
            "constant" => names.push((words.next()?.to_owned(), words.next()?.to_owned())),
            "letter" => stored.push(StoredLetter::read(words)?),
            "automata" => {
                let all: Option<Vec<usize>> = words.map(|w| w.parse().ok()).collect();
                sizes = all?;
                break;
            }
            _ => return None,
        }
    }
    let renaming = renaming(program, store, letters, &names, &stored);
    // Constants without a counterpart become fresh ones; predicates with them are dropped.
    let mut strange: HashSet<TermId> = HashSet::default();
    let predicates =
        normal_form::read(store, &rest[at..], |store, k, sort| match renaming.get(&k) {
            Some(&known) if store.sort(known) == sort => Some(known),
            _ => {
                let fresh = store.mk_const(&format!("strange!{k}"), sort);
                strange.insert(fresh);
                Some(fresh)
            }
        })?
        .roots;
    let mut predicates = predicates.into_iter();
    let mut automata = Vec::new();
    for size in sizes {
        let mut automaton: Vec<TermId> = Vec::new();
        for _ in 0..size {
            let predicate = predicates.next()?;
            let usable = store.is_bool(predicate)
                && predicate != TermId::TRUE
                && predicate != TermId::FALSE
                && !store.constants(predicate).iter().any(|c| strange.contains(c));
            if usable && !automaton.contains(&predicate) {
                automaton.push(predicate);
            }
        }
        automata.push(automaton);
    }
    let adapted = adapted(store, &changed_numerals(letters, &stored), &automata);
    Some(Recalled { automata, adapted })
}

/// At most so many numbers may have changed on either side.
const CHANGED: usize = 2;

/// Heuristic: numbers that only changed letters have, and what they may have become.
fn changed_numerals(letters: &[LetterForm], stored: &[StoredLetter]) -> Vec<(i64, i64)> {
    let here: HashSet<u64> = letters.iter().map(|l| l.hash).collect();
    let there: HashSet<u64> = stored.iter().map(|l| l.hash).collect();
    let gone: Vec<&StoredLetter> = stored.iter().filter(|l| !here.contains(&l.hash)).collect();
    let come: Vec<&LetterForm> = letters.iter().filter(|l| !there.contains(&l.hash)).collect();
    let old: BTreeSet<i64> = gone.iter().flat_map(|l| &l.numerals).copied().collect();
    let new: BTreeSet<i64> = come.iter().flat_map(|l| &l.numerals).copied().collect();
    let (only_old, only_new): (Vec<i64>, Vec<i64>) =
        (old.difference(&new).copied().collect(), new.difference(&old).copied().collect());
    match only_old.len() == only_new.len() && only_old.len() <= CHANGED {
        true => only_old.into_iter().zip(only_new).collect(),
        false => Vec::new(),
    }
}

/// The automata with changed numbers; those without any stay out, but the background.
fn adapted(
    store: &mut TermStore,
    changed: &[(i64, i64)],
    automata: &[Vec<TermId>],
) -> Vec<Vec<TermId>> {
    let mut renaming: HashMap<TermId, TermId> = HashMap::default();
    for &(old, new) in changed {
        // A bound may be strict or not, and have changed sides.
        for (sign, off) in [(1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let was = sign * i128::from(old) + off;
            let becomes = sign * i128::from(new) + off;
            let (was, becomes) = (Integer::from(was), Integer::from(becomes));
            let (was, becomes) = (store.mk_int(was), store.mk_int(becomes));
            renaming.entry(was).or_insert(becomes);
        }
    }
    let mut found = Vec::new();
    for (number, automaton) in automata.iter().enumerate() {
        let mut predicates = automaton.clone();
        for &predicate in automaton {
            let new = store.substitute(predicate, &renaming);
            if new != TermId::TRUE && new != TermId::FALSE && !predicates.contains(&new) {
                predicates.push(new);
            }
        }
        if number == 0 || predicates.len() > automaton.len() {
            found.push(predicates);
        }
    }
    let changes = found.len() > 1 || found.first().map(Vec::len) > automata.first().map(Vec::len);
    if changes { found } else { Vec::new() }
}

/// How the constants of a stored entry are called here.
fn renaming(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    letters: &[LetterForm],
    names: &[(String, String)],
    stored: &[StoredLetter],
) -> HashMap<usize, TermId> {
    let here: Vec<TermId> = program.slots.ids().map(|slot| program.slots.constant(slot)).collect();
    let rank: HashMap<TermId, usize> = here.iter().enumerate().map(|(k, &c)| (c, k)).collect();
    let mut votes: HashMap<(usize, usize), u64> = HashMap::default();
    let mut by_hash: HashMap<u64, Vec<&LetterForm>> = HashMap::default();
    for letter in letters {
        by_hash.entry(letter.hash).or_default().push(letter);
    }
    let mut met: HashMap<u64, usize> = HashMap::default();
    for StoredLetter { hash, constants, .. } in stored {
        let position = met.entry(*hash).or_insert(0);
        for (k, letter) in by_hash.get(hash).into_iter().flatten().enumerate() {
            let weight = if k == *position { 64 } else { 4 };
            for (&there, constant) in constants.iter().zip(&letter.constants) {
                if let Some(&slot) = rank.get(constant) {
                    *votes.entry((there, slot)).or_default() += weight;
                }
            }
        }
        *position += 1;
    }
    for (there, (sort, name)) in names.iter().enumerate() {
        for (slot, &constant) in here.iter().enumerate() {
            let said = name_of(store, constant);
            let same_sort =
                normal_form::sort_text(store, store.sort(constant)).is_some_and(|s| s == *sort);
            if same_sort && said == *name {
                *votes.entry((there, slot)).or_default() += 48;
            } else if same_sort && last(&said) == last(name) {
                *votes.entry((there, slot)).or_default() += 24;
            }
        }
    }
    let mut ordered: Vec<((usize, usize), u64)> = votes.into_iter().collect();
    ordered
        .sort_unstable_by_key(|&((there, slot), weight)| (std::cmp::Reverse(weight), there, slot));
    let mut chosen: HashMap<usize, TermId> = HashMap::default();
    let mut taken: HashSet<usize> = HashSet::default();
    for ((there, slot), _) in ordered {
        if !chosen.contains_key(&there) && taken.insert(slot) {
            chosen.insert(there, here[slot]);
        }
    }
    // Entry values go with what they are entry values of.
    let number: HashMap<&str, usize> =
        names.iter().enumerate().map(|(k, (_, name))| (name.as_str(), k)).collect();
    for (there, (_, name)) in names.iter().enumerate() {
        if let Some(base) = name.strip_suffix("@in")
            && let Some(&constant) = number.get(base).and_then(|k| chosen.get(k))
        {
            let function = store.function_of(constant);
            let entry = format!("{}@in", function.map_or("?", |f| store.function_name(f)));
            let entry = store.mk_const(&entry, store.sort(constant));
            chosen.insert(there, entry);
        }
    }
    chosen
}

/// A name without its function.
fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
