//! The cheapest atoms that refute everything that was refuted so far.
//!
//! A tree of formulas that may tell each other only which atoms of a vocabulary hold either has interpolants in
//! these atoms, or a model: at each joint two states that agree on all of them. Every vocabulary that suffices must tell
//! the two states apart at some joint. Such demands are collected. Where all words that are known leave one open, a new word
//! is learnt, the one that meets this demand and most others for its cost; and of the words that are known those are chosen
//! that meet all demands and cost least (a hitting set, found greedily). After Chaki, Clarke, Groce,
//! Strichman, "Predicate abstraction with minimum predicates" (CHARME 2003), where spurious paths are the demands and atoms are those
//! of the program.
//!
//! Why the cheapest: a vocabulary that is chosen again for all paths does not grow with them. What explains one path only (`x = 3 and
//! y = 3`) is given up as soon as something cheaper explains all of them (`x = y`). And each word that is learnt is one of a finite
//! language that did not suffice before; so the search ends where the language has an invariant.
//!
//! A word is a sum of variables with factors, and a number: the two atoms that tell whether the sum is below, at or above
//! the number. Or it is a Boolean variable. What a word costs is a heuristic; small numbers and numbers
//! of the program are cheap, as differences and single variables are.

use crate::language::{Language, PAIRS, SCALED, TRIPLES};
use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_terms::{TermId, TermStore, Value};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Heuristic: so many demands of earlier paths are remembered, and so many words.
const DEMANDS: usize = 200;
const KNOWN: usize = 60;

/// Prices are whole numbers.
const SCALE: u64 = 1 << 20;

/// A sum of variables with factors, sorted.
type Row = Vec<(TermId, i64)>;

/// The values of variables in two states, which must be told apart.
pub type Pair = Vec<(TermId, Value, Value)>;

/// What tells states apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Word {
    /// A Boolean variable.
    Letter(TermId),
    /// Whether a sum is below, at or above a number.
    Bound(Row, i128),
}

impl Word {
    /// Its atoms.
    pub fn atoms(&self, store: &mut TermStore) -> Vec<TermId> {
        let (row, number) = match self {
            Word::Letter(letter) => return vec![*letter],
            Word::Bound(row, number) => (row, *number),
        };
        let scaled: Vec<TermId> = row
            .iter()
            .map(|&(x, factor)| store.mk_scale(&Rational::from(Integer::from(factor)), x))
            .collect();
        let (sum, number) = (store.mk_add(&scaled), store.mk_int(Integer::from(number)));
        let both = [store.mk_le(sum, number), store.mk_ge(sum, number)];
        both.map(|atom| store.atom_and_sign(atom).0).to_vec()
    }
}

/// One of these must be said.
#[derive(Debug, Default)]
struct Demand {
    letters: BTreeSet<TermId>,
    /// For each sum its values on both sides, the smaller one first: a number from one to the other tells them apart.
    rows: HashMap<Row, Vec<(i128, i128)>>,
}

impl Demand {
    fn is_met(&self, word: &Word) -> bool {
        match word {
            Word::Letter(letter) => self.letters.contains(letter),
            Word::Bound(row, number) => self.told(row, *number) > 0,
        }
    }

    /// At how many joints a number tells the states apart.
    fn told(&self, row: &Row, number: i128) -> usize {
        let ranges = self.rows.get(row).into_iter().flatten();
        ranges.filter(|(least, most)| (*least..=*most).contains(&number)).count()
    }
}

/// The words of a language that suffice for all demands that were made.
#[derive(Debug)]
pub struct Vocabulary {
    language: Language,
    demands: Vec<Demand>,
    /// Variables that somebody spoke of.
    spoken: HashSet<TermId>,
    known: Vec<Word>,
    words: Vec<Word>,
}

impl Vocabulary {
    /// No words, as long as none are demanded.
    pub fn new(language: Language) -> Vocabulary {
        let spoken = HashSet::default();
        let (demands, known, words) = (Vec::new(), Vec::new(), Vec::new());
        Vocabulary { language, demands, spoken, known, words }
    }

    /// What the words are of.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// Goes on to the next larger language.
    pub fn raise(&mut self) {
        self.language.raise();
        self.demands.clear();
    }

    /// The words that are chosen.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// All words that were ever learnt.
    pub fn known(&self) -> &[Word] {
        &self.known
    }

    /// Goes on to another path, where these variables are spoken of: of them there is mostly something to say.
    pub fn turn_to(&mut self, variables: impl IntoIterator<Item = TermId>) {
        self.spoken.extend(variables);
        let old = self.demands.len().saturating_sub(DEMANDS);
        self.demands.drain(..old);
        if self.known.len() > KNOWN {
            self.known = self.words.clone();
        }
    }

    /// One of these pairs of states must be told apart. False where the language has no word for any.
    pub fn demand(&mut self, pairs: &[Pair]) -> bool {
        let spoken = |pair: &Pair| -> Pair {
            pair.iter().filter(|(x, ..)| self.spoken.contains(x)).cloned().collect()
        };
        let few: Vec<Pair> = pairs.iter().map(spoken).collect();
        let small = pairs.iter().all(|pair| pair.len() <= TRIPLES);
        let of_few = if small { None } else { told_apart(&self.language, &few) };
        let found = of_few.or_else(|| told_apart(&self.language, pairs));
        let some = found.is_some();
        self.demands.extend(found);
        some
    }

    /// A word for the last demand; false where it is known already, which does not happen where models are right.
    pub fn learn(&mut self) -> bool {
        let new = self.best().filter(|word| !self.known.contains(word));
        self.known.extend(new.clone());
        new.is_some()
    }

    /// Chooses words anew, of those that are known.
    pub fn choose(&mut self) {
        self.words = self.cheapest();
    }

    /// A cheap set of known words that meets all demands that they meet together.
    fn cheapest(&self) -> Vec<Word> {
        let met = |word: &Word| -> BTreeSet<usize> {
            (0..self.demands.len()).filter(|&d| self.demands[d].is_met(word)).collect()
        };
        let all: Vec<(&Word, u64, BTreeSet<usize>)> =
            self.known.iter().map(|word| (word, self.cost(word), met(word))).collect();
        let mut open: BTreeSet<usize> = all.iter().flat_map(|(_, _, met)| met).copied().collect();
        let mut chosen = Vec::new();
        while !open.is_empty() {
            // What a demand costs, in parts of a whole number.
            let price = |(_, cost, met): &&(&Word, u64, BTreeSet<usize>)| {
                let demands = met.intersection(&open).count() as u64;
                (cost * SCALE).checked_div(demands).unwrap_or(u64::MAX)
            };
            let Some(best) = all.iter().min_by_key(price) else { break };
            open.retain(|demand| !best.2.contains(demand));
            chosen.push(best);
        }
        // What was chosen later may make earlier choices superfluous; the dear ones go first.
        let mut order = chosen.clone();
        order.sort_by_key(|(_, cost, _)| Reverse(*cost));
        for (word, _, met) in order {
            let others = || chosen.iter().filter(|(other, ..)| other != word);
            if met.iter().all(|demand| others().any(|(_, _, met)| met.contains(demand))) {
                chosen.retain(|(other, ..)| other != word);
            }
        }
        chosen.into_iter().map(|(word, ..)| (*word).clone()).collect()
    }

    /// The word for the last demand that meets most demands for its cost; among equals that which tells most joints apart.
    fn best(&self) -> Option<Word> {
        let last = self.demands.last()?;
        let mut words: Vec<Word> = last.letters.iter().map(|&l| Word::Letter(l)).collect();
        for (row, told) in &last.rows {
            let numbers: BTreeSet<i128> =
                told.iter().flat_map(|&(l, m)| self.language.numbers_between(l, m)).collect();
            words.extend(numbers.into_iter().map(|number| Word::Bound(row.clone(), number)));
        }
        words.into_iter().min_by_key(|word| {
            let demands = self.demands.iter().filter(|demand| demand.is_met(word)).count() as u64;
            let joints = match word {
                Word::Letter(_) => 0,
                Word::Bound(row, number) => last.told(row, *number),
            };
            let cost = self.cost(word);
            (cost * SCALE / demands.max(1), cost, Reverse(joints), word.clone())
        })
    }

    fn cost(&self, word: &Word) -> u64 {
        let (row, number) = match word {
            Word::Letter(_) => return 8,
            Word::Bound(row, number) => (row, *number),
        };
        let sum: i64 = row.iter().map(|(_, factor)| factor).sum();
        let factors: u64 = row.iter().map(|(_, f)| f.unsigned_abs().ilog2() as u64).sum();
        let shape = match row.len() {
            1 => 0,
            2 if sum == 0 => 0,
            2 => 1,
            _ => 4,
        };
        let unspoken = row.iter().filter(|(x, _)| !self.spoken.contains(x)).count() as u64;
        8 + shape + 2 * factors.min(3) + 3 * unspoken + self.language.cost(number)
    }
}

/// What tells at least one of the pairs apart.
fn told_apart(language: &Language, pairs: &[Pair]) -> Option<Demand> {
    let mut demand = Demand::default();
    for pair in pairs {
        let mut numbers: Vec<(TermId, i128, i128)> = Vec::new();
        for (variable, before, after) in pair {
            match (before, after) {
                (Value::Bool(b), Value::Bool(a)) if a != b => {
                    demand.letters.insert(*variable);
                }
                (Value::Int(b), Value::Int(a)) => {
                    // Far from any overflow of sums.
                    let small = |n: &Integer| n.to_i128().filter(|n| n.unsigned_abs() < 1 << 100);
                    if let (Some(b), Some(a)) = (small(b), small(a)) {
                        numbers.push((*variable, b, a));
                    }
                }
                _ => {}
            }
        }
        numbers.sort();
        rows(language, &numbers, |row, before, after| {
            let (least, most) = (before.min(after), before.max(after));
            if least < most && language.numbers_between(least, most).next().is_some() {
                let told = demand.rows.entry(row()).or_default();
                if !told.contains(&(least, most)) {
                    told.push((least, most));
                }
            }
        });
    }
    (!demand.letters.is_empty() || !demand.rows.is_empty()).then_some(demand)
}

/// The sums of variables that the language has, with their values in two states.
fn rows(
    language: &Language,
    numbers: &[(TermId, i128, i128)],
    mut visit: impl FnMut(&dyn Fn() -> Row, i128, i128),
) {
    let mut sum = |parts: &[(usize, i64)]| {
        let of = |side: fn(&(TermId, i128, i128)) -> i128| -> i128 {
            parts.iter().map(|&(i, factor)| side(&numbers[i]) * i128::from(factor)).sum()
        };
        let row = || parts.iter().map(|&(i, factor)| (numbers[i].0, factor)).collect();
        visit(&row, of(|n| n.1), of(|n| n.2));
    };
    let factors = language.coefficients();
    for x in 0..numbers.len() {
        sum(&[(x, 1)]);
        for y in 0..x {
            if numbers.len() > PAIRS {
                continue;
            }
            sum(&[(y, 1), (x, -1)]);
            sum(&[(y, 1), (x, 1)]);
            for &f in factors.iter().filter(|_| numbers.len() <= SCALED) {
                for [p, q] in [[1, -f], [f, -1], [1, f], [f, 1]] {
                    sum(&[(y, p), (x, q)]);
                }
            }
            for z in (0..y).filter(|_| numbers.len() <= TRIPLES) {
                for [q, r] in [[1, 1], [1, -1], [-1, 1], [-1, -1]] {
                    sum(&[(z, 1), (y, q), (x, r)]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;

    /// Three rounds of a loop that counts `x` and `y`: each could be told by a number of its own.
    #[test]
    fn what_holds_of_all_rounds_is_cheapest() {
        let mut store = TermStore::new();
        let [x, y] = ["x", "y"].map(|name| store.mk_const(name, SortId::INT));
        let mut vocabulary = Vocabulary::new(Language::of([]));
        for round in 1..=3 {
            let values = [(x, round, round), (y, round, round + 1)];
            let pair = values.map(|(v, b, a)| (v, Value::Int(b.into()), Value::Int(a.into())));
            assert!(vocabulary.demand(&[pair.to_vec()]));
            vocabulary.learn();
            vocabulary.choose();
        }
        assert_eq!(vocabulary.words(), [Word::Bound(vec![(x, 1), (y, -1)], 0)]);
    }

    #[test]
    fn what_no_word_tells_apart_is_refused() {
        let mut store = TermStore::new();
        let x = store.mk_const("x", SortId::INT);
        let pair = |b: i64, a: i64| vec![(x, Value::Int(b.into()), Value::Int(a.into()))];
        let mut vocabulary = Vocabulary::new(Language::of([Integer::from(40)]));
        assert!(!vocabulary.demand(&[pair(20, 30)]));
        assert!(vocabulary.demand(&[pair(20, 30), pair(30, 50)]));
        vocabulary.learn();
        vocabulary.choose();
        assert_eq!(vocabulary.words(), [Word::Bound(vec![(x, 1)], 40)]);
    }
}
