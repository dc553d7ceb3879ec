//! Refutations that outlive the run in which they were found.
//!
//! A conjunction is brought into normal form and refuted in a term store of
//! its own, made from that text alone; so whoever has the same normal form
//! later, in another program and under other names, rebuilds the same terms
//! and can check the same proof. Nothing recorded is believed: [`accepts`]
//! reads the proof and runs the checker over every step against the conjunction at hand.
//!
//! The translation into the store of its own is checked, too: back under the
//! original names it must give the original formulas.

use crate::normal_form::{NormalForm, read};
use bolide_base::arena::Id;
use bolide_base::{Budget, HashMap, Rational};
use bolide_proof::{Certificate, Literal, Proof, Rule, Step, StepId, Tautology};
use bolide_smt::discharge::discharge;
use bolide_terms::{SortId, TermId, TermStore};
use std::fmt::Write;

/// Larger proofs are not recorded: to check them would take longer than to
/// find them again.
const LARGEST: usize = 200_000;

/// Whether a recorded proof shows that `conjuncts`, whose normal form is given,
/// contradict each other.
pub fn accepts(
    store: &mut TermStore,
    conjuncts: &[TermId],
    form: &NormalForm,
    recorded: &str,
) -> bool {
    // Required: the text stands for these formulas and no others.
    let names = &form.constants;
    let back = read(store, &form.text, |_, k, _| names.get(k).copied());
    if back.is_none_or(|b| b.roots != conjuncts) {
        return false;
    }
    checks(&form.text, recorded).is_some()
}

/// Refutes the conjunction of what a normal form says; the proof as text.
pub fn record(form: &NormalForm, budget: &Budget) -> Option<String> {
    let (mut store, roots) = scratch(&form.text)?;
    let proof = discharge(&mut store, &roots, budget, String::new).ok()?;
    let text = write_proof(&store, &proof)?;
    // What cannot be checked later is not worth keeping.
    checks(&form.text, &text).map(|()| text)
}

fn scratch(text: &str) -> Option<(TermStore, Vec<TermId>)> {
    let mut store = TermStore::new();
    let roots = read(&mut store, text, name)?.roots;
    Some((store, roots))
}

fn name(store: &mut TermStore, k: usize, sort: SortId) -> Option<TermId> {
    Some(store.mk_const(&format!("v{k}"), sort))
}

fn checks(text: &str, recorded: &str) -> Option<()> {
    let (mut store, roots) = scratch(text)?;
    let proof = read_proof(&mut store, recorded)?;
    bolide_proof::check_refutation(&store, &proof, |formula, _| roots.contains(&formula)).ok()
}

/// The terms of a proof as a normal form, with the names of its constants, then the steps.
fn write_proof(store: &TermStore, proof: &Proof) -> Option<String> {
    let mut terms: Vec<TermId> = Vec::new();
    let mut position: HashMap<TermId, usize> = HashMap::default();
    let mut steps = String::new();
    let mut number = |term: TermId| {
        *position.entry(term).or_insert_with(|| {
            terms.push(term);
            terms.len() - 1
        })
    };
    for step in &proof.steps {
        let (kind, words) = rule_words(&step.rule, &mut number)?;
        let _ = write!(steps, "{kind}{words} :");
        for literal in &step.clause {
            let _ = write!(steps, " {}", signed(*literal, &mut number));
        }
        steps.push('\n');
        if steps.len() > LARGEST {
            return None;
        }
    }
    let form = NormalForm::new(store, &terms)?;
    let mut names = String::from("names");
    for &constant in &form.constants {
        let name = store.function_name(store.function_of(constant)?);
        let _ = write!(names, " {}", name.strip_prefix('v')?.parse::<usize>().ok()?);
    }
    Some(format!("{names}\n{}{steps}", form.text))
}

fn signed(literal: Literal, number: &mut impl FnMut(TermId) -> usize) -> String {
    let sign = if literal.positive { "" } else { "-" };
    format!("{sign}{}", number(literal.atom))
}

fn rule_words(
    rule: &Rule,
    number: &mut impl FnMut(TermId) -> usize,
) -> Option<(&'static str, String)> {
    let mut words = String::new();
    let kind = match rule {
        Rule::Assertion { formula, .. } => {
            let _ = write!(words, " {}", number(*formula));
            "assert"
        }
        Rule::Lemma(Certificate::Congruence) => "congruence",
        Rule::Lemma(Certificate::Farkas(coefficients)) => {
            for coefficient in coefficients {
                let _ = write!(words, " {coefficient}");
            }
            "farkas"
        }
        Rule::Resolution { first, chain } => {
            let _ = write!(words, " {}", first.index());
            for (pivot, step) in chain {
                let _ = write!(words, " {} {}", signed(*pivot, number), step.index());
            }
            "resolve"
        }
        Rule::Tautology(tautology) => {
            let (kind, terms) = tautology_words(tautology)?;
            for term in terms {
                let _ = write!(words, " {}", number(term));
            }
            kind
        }
    };
    Some((kind, words))
}

fn tautology_words(tautology: &Tautology) -> Option<(&'static str, Vec<TermId>)> {
    Some(match tautology {
        Tautology::Constant => ("constant", Vec::new()),
        Tautology::And(t) => ("and", vec![*t]),
        Tautology::Or(t) => ("or", vec![*t]),
        Tautology::Iff(t) => ("iff", vec![*t]),
        Tautology::IteBool(t) => ("ite-bool", vec![*t]),
        Tautology::Ite(t) => ("ite", vec![*t]),
        Tautology::Trichotomy(t) => ("trichotomy", vec![*t]),
        Tautology::EqualityBound(t) => ("equality-bound", vec![*t]),
        Tautology::Div(t) => ("div", vec![*t]),
        Tautology::Mod(t) => ("mod", vec![*t]),
        Tautology::BitRange(t) => ("bit-range", vec![*t]),
        Tautology::ToInt(_)
        | Tautology::Quotient(_)
        | Tautology::Bits { .. }
        | Tautology::Image { .. }
        | Tautology::Residue { .. }
        | Tautology::Remainders { .. }
        | Tautology::Power { .. }
        | Tautology::PowerOrder { .. }
        | Tautology::LowAnd { .. } => return None,
        Tautology::ReadWritten(t) => ("read-written", vec![*t]),
        Tautology::ReadOther { store, index } => ("read-other", vec![*store, *index]),
        Tautology::Extensionality { left, right } => ("extensionality", vec![*left, *right]),
        Tautology::ReadConstant { array, index } => ("read-constant", vec![*array, *index]),
        Tautology::Product { left, right } => ("product", vec![*left, *right]),
    })
}

fn read_proof(store: &mut TermStore, recorded: &str) -> Option<Proof> {
    let (names, rest) = recorded.split_once('\n')?;
    let names: Option<Vec<usize>> =
        names.strip_prefix("names")?.split_whitespace().map(|n| n.parse().ok()).collect();
    let names = names?;
    let end = rest.find("\n=").map(|at| at + 1).or_else(|| rest.starts_with('=').then_some(0))?;
    let end = end + rest[end..].find('\n')? + 1;
    let terms = read(store, &rest[..end], |store, k, sort| {
        names.get(k).and_then(|&n| name(store, n, sort))
    })?
    .roots;
    let mut steps = Vec::new();
    for line in rest[end..].lines() {
        steps.push(read_step(store, &terms, line)?);
    }
    Some(Proof { steps })
}

fn read_step(store: &TermStore, terms: &[TermId], line: &str) -> Option<Step> {
    let (rule, clause) = line.split_once(" :")?;
    let term = |word: &str| terms.get(word.parse::<usize>().ok()?).copied();
    let literal = |word: &str| {
        let (word, positive) = word.strip_prefix('-').map_or((word, true), |w| (w, false));
        let atom = term(word)?;
        store.is_bool(atom).then_some(Literal { atom, positive })
    };
    let step = |word: &str| word.parse::<usize>().ok().map(StepId::from_index);
    let clause: Option<Vec<Literal>> = clause.split_whitespace().map(literal).collect();
    let mut words = rule.split(' ');
    let kind = words.next()?;
    let words: Vec<&str> = words.collect();
    let at = |k: usize| words.get(k).copied().and_then(term);
    let tautology = |t: Tautology| Some(Rule::Tautology(t));
    let rule = match kind {
        "assert" => Some(Rule::Assertion { formula: at(0)?, partition: 0 }),
        "congruence" => Some(Rule::Lemma(Certificate::Congruence)),
        "farkas" => {
            let numbers: Option<Vec<Rational>> = words.iter().map(|w| w.parse().ok()).collect();
            Some(Rule::Lemma(Certificate::Farkas(numbers?)))
        }
        "resolve" => {
            let pairs = words.get(1..)?.chunks(2);
            let chain: Option<Vec<(Literal, StepId)>> =
                pairs.map(|pair| Some((literal(pair.first()?)?, step(pair.get(1)?)?))).collect();
            Some(Rule::Resolution { first: step(words.first()?)?, chain: chain? })
        }
        "constant" => tautology(Tautology::Constant),
        "and" => tautology(Tautology::And(at(0)?)),
        "or" => tautology(Tautology::Or(at(0)?)),
        "iff" => tautology(Tautology::Iff(at(0)?)),
        "ite-bool" => tautology(Tautology::IteBool(at(0)?)),
        "ite" => tautology(Tautology::Ite(at(0)?)),
        "trichotomy" => tautology(Tautology::Trichotomy(at(0)?)),
        "equality-bound" => tautology(Tautology::EqualityBound(at(0)?)),
        "div" => tautology(Tautology::Div(at(0)?)),
        "mod" => tautology(Tautology::Mod(at(0)?)),
        "bit-range" => tautology(Tautology::BitRange(at(0)?)),
        "read-written" => tautology(Tautology::ReadWritten(at(0)?)),
        "read-other" => tautology(Tautology::ReadOther { store: at(0)?, index: at(1)? }),
        "extensionality" => tautology(Tautology::Extensionality { left: at(0)?, right: at(1)? }),
        "read-constant" => tautology(Tautology::ReadConstant { array: at(0)?, index: at(1)? }),
        "product" => tautology(Tautology::Product { left: at(0)?, right: at(1)? }),
        _ => None,
    }?;
    Some(Step { clause: clause?, rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradiction(store: &mut TermStore, x: &str, y: &str, bound: i64) -> Vec<TermId> {
        let (x, y) = (store.mk_const(x, SortId::INT), store.mk_const(y, SortId::INT));
        let (one, bound) = (store.mk_int(1), store.mk_int(bound));
        let next = store.mk_add(&[x, one]);
        vec![store.mk_le(next, y), store.mk_ge(x, bound), store.mk_le(y, bound)]
    }

    #[test]
    fn a_proof_serves_under_other_names_and_nothing_else() {
        let mut store = TermStore::new();
        let first = contradiction(&mut store, "x", "y", 3);
        let form = NormalForm::new(&store, &first).unwrap();
        let recorded = record(&form, &Budget::unlimited()).unwrap();
        let renamed = contradiction(&mut store, "p", "q", 3);
        let other = NormalForm::new(&store, &renamed).unwrap();
        assert_eq!(form.key(), other.key());
        assert!(accepts(&mut store, &renamed, &other, &recorded));
        // Satisfiable: whatever is recorded, the checker does not accept it.
        let weaker = vec![renamed[0], renamed[1]];
        let form = NormalForm::new(&store, &weaker).unwrap();
        assert!(!accepts(&mut store, &weaker, &form, &recorded));
        assert!(record(&form, &Budget::unlimited()).is_none());
    }

    #[test]
    fn damaged_proofs_are_refused() {
        let mut store = TermStore::new();
        let all = contradiction(&mut store, "x", "y", 3);
        let form = NormalForm::new(&store, &all).unwrap();
        let recorded = record(&form, &Budget::unlimited()).unwrap();
        let lines: Vec<&str> = recorded.lines().collect();
        // The terms that come after this line may be read without any step using them;
        // without the last step there is no refutation in any case.
        let cut = lines[..lines.len() - 1].join("\n");
        assert!(!accepts(&mut store, &all, &form, &cut));
        for at in (0..recorded.len()).step_by(3) {
            if recorded.is_char_boundary(at) {
                accepts(&mut store, &all, &form, &recorded[..at]);
                let garbled = format!("{}7{}", &recorded[..at], &recorded[at..]);
                accepts(&mut store, &all, &form, &garbled);
            }
        }
    }
}
