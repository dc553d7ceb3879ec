//! Candidates for invariants from executions.
//!
//! The explored program is executed on a few vectors of inputs, and the values
//! of [quantities](crate::quantities) at loop heads are collected. What all samples of a
//! head have in common is a candidate: the affine equalities that hold of them
//! (the kernel of the matrix of samples, as in data-driven invariant inference
//! after Sharma et al., ESOP 2013), and bounds of sums and differences of two of them that
//! the samples reach but never exceed. A candidate is a guess; [`templates`](crate::templates)
//! keeps what is inductive.

use crate::quantities::Quantity;
use bolide_base::affine::equalities;
use bolide_base::{Budget, HashMap, HashSet, Integer, Rational};
use bolide_cfa::interpreter::{Choices, Config, Interpreter, Observer, Request, View};
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, Program, Type};

/// Heuristic: with more variables than this at a head, most relations between them are accidents.
pub const FEW_VARIABLES: usize = 8;

/// Runs of the program.
const RUNS: u64 = 80;
/// Steps of one run.
const STEPS: u64 = 20_000;
/// Steps of all runs together.
const ALL_STEPS: u64 = 600_000;
/// Steps of a last run, where loops are too long for others to come to what is behind them.
const LAST_STEPS: u64 = 3_000_000;
/// Samples kept for one location.
const SAMPLES: usize = 160;
/// The first rounds of a run are all seen.
const FIRST: usize = 8;
/// Coefficients beyond this are noise.
const COEFFICIENT: i64 = 1000;

/// Values of some quantities, in the order of [`Samples::quantities`].
pub type Sample = Vec<i128>;

/// What was seen at one location.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The quantities, in order.
    pub quantities: Vec<Quantity>,
    /// Their values, each time the location was passed.
    pub values: Vec<Sample>,
}

/// All that was seen at one location, also what has no value there.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    quantities: Vec<Quantity>,
    rows: Vec<Vec<Option<i128>>>,
}

impl Sightings {
    /// The values of some of the quantities, where all of them have one.
    pub fn samples(&self, of: &[Quantity]) -> Samples {
        let positions: Option<Vec<usize>> =
            of.iter().map(|q| self.quantities.iter().position(|other| other == q)).collect();
        let mut seen: HashSet<Sample> = HashSet::default();
        let mut values = Vec::new();
        for row in positions.iter().flat_map(|_| &self.rows) {
            let sample: Option<Sample> = positions.iter().flatten().map(|&p| row[p]).collect();
            values.extend(sample.filter(|sample| seen.insert(sample.clone())));
        }
        Samples { quantities: of.to_vec(), values }
    }

    /// Those where a quantity had a value, and the others.
    pub fn divided(&self, quantity: Quantity) -> (Sightings, Sightings) {
        let position = self.quantities.iter().position(|&other| other == quantity);
        let with = |row: &&Vec<Option<i128>>| position.is_some_and(|p| row[p].is_some());
        let (seen, unseen) = self.rows.iter().partition::<Vec<_>, _>(with);
        let of = |rows: Vec<&Vec<Option<i128>>>| Sightings {
            quantities: self.quantities.clone(),
            rows: rows.into_iter().cloned().collect(),
        };
        (of(seen), of(unseen))
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a quantity had a value at all times.
    pub fn is_steady(&self, quantity: Quantity) -> bool {
        let position = self.quantities.iter().position(|&other| other == quantity);
        position.is_some_and(|p| self.rows.iter().all(|row| row[p].is_some()))
    }
}

/// A linear fact: the sum of coefficients times quantities, plus the constant,
/// is zero (or at most zero).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Coefficients of quantities; none is zero.
    pub terms: Vec<(Quantity, i64)>,
    /// The constant.
    pub constant: i128,
    /// Equal to zero, or at most zero.
    pub equality: bool,
}

impl Linear {
    /// The two inequalities of an equality.
    pub fn halves(&self) -> [Linear; 2] {
        let negated = self.terms.iter().map(|&(v, c)| (v, -c)).collect();
        [
            Linear { equality: false, ..self.clone() },
            Linear { terms: negated, constant: -self.constant, equality: false },
        ]
    }
}

/// Executes the program and collects samples at `locations`, each with the
/// quantities to look at.
pub fn collect(
    program: &Program,
    locations: &HashMap<LocId, Vec<Quantity>>,
    budget: &Budget,
) -> HashMap<LocId, Sightings> {
    let mut found: HashMap<LocId, Sightings> = locations
        .iter()
        .map(|(&l, quantities)| (l, Sightings { quantities: quantities.clone(), rows: Vec::new() }))
        .collect();
    let interpreter = Interpreter::new(program);
    let execute = |run: u64, steps: u64, found: &mut HashMap<LocId, Sightings>| {
        let config = Config {
            step_limit: steps,
            budget: budget.clone(),
            memory_limit: 1 << 26,
            ..Config::default()
        };
        let mut collector = Collector { program, found, this_run: HashMap::default() };
        interpreter.run_observed(&mut Guess(run), &config, &mut collector).steps
    };
    let (mut left, mut cut) = (ALL_STEPS, false);
    for run in 0..RUNS {
        if left == 0 || found.values().all(|sightings| sightings.rows.len() >= SAMPLES) {
            break;
        }
        let limit = STEPS.min(left);
        let steps = execute(run, limit, &mut found);
        cut |= steps >= limit;
        left = left.saturating_sub(steps);
    }
    if cut && found.values().any(|sightings| sightings.rows.is_empty()) {
        execute(0, LAST_STEPS, &mut found);
    }
    found
}

struct Collector<'a> {
    program: &'a Program,
    found: &'a mut HashMap<LocId, Sightings>,
    this_run: HashMap<LocId, usize>,
}

impl Observer for Collector<'_> {
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let from = self.program.edges[edge].from;
        let Some(sightings) = self.found.get_mut(&from) else { return };
        // A few of each run, so that no run drowns the others.
        let count = self.this_run.entry(from).or_default();
        *count += 1;
        // What comes after signed overflow is no state of the formulas, whose integers have no end. What is done rarely, as when a
        // vector grows, is seen in later rounds.
        let chosen = *count <= FIRST || count.is_power_of_two();
        if !chosen || sightings.rows.len() >= SAMPLES || view.overflowed() {
            return;
        }
        let quantities = sightings.quantities.iter();
        let row: Vec<Option<i128>> = quantities.map(|q| q.observe(self.program, view)).collect();
        // A variable without a value is one of another function: nothing is seen of this one.
        let strange = |(q, value): (&Quantity, &Option<i128>)| {
            matches!(q, Quantity::Value(_)) && value.is_none()
        };
        if !sightings.quantities.iter().zip(&row).any(strange) && !sightings.rows.contains(&row) {
            sightings.rows.push(row);
        }
    }
}

/// Small inputs that differ from run to run.
struct Guess(u64);

impl Choices for Guess {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let Type::Int(ty) = request.ty else { return Some(Value::zero(request.ty)) };
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let spread = [2, 4, 12, 40][(self.0 >> 60) as usize % 4];
        let value = i128::from((self.0 >> 33) % spread);
        Some(Value::Int { bits: ty.truncate(value as u128), ty })
    }

    fn edge(&mut self, _: LocId, enabled: &[EdgeId]) -> usize {
        (self.0 >> 40) as usize % enabled.len()
    }
}

/// A polynomial fact: the sum of coefficients times products of quantities, plus the
/// constant, is zero (or at most zero).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Polynomial {
    /// Coefficients of products; none is zero.
    pub terms: Vec<(Vec<Quantity>, i64)>,
    /// The constant.
    pub constant: i128,
    /// Equal to zero, or at most zero.
    pub equality: bool,
}

impl Samples {
    /// Whether a linear fact holds of all samples.
    pub fn satisfy(&self, fact: &Linear) -> bool {
        self.values.iter().all(|sample| self.holds(fact, sample))
    }

    /// Whether a linear fact holds of one sample.
    pub fn holds(&self, fact: &Linear, sample: &Sample) -> bool {
        let sum = fact.constant.saturating_add(self.sum(&fact.terms, sample));
        if fact.equality { sum == 0 } else { sum <= 0 }
    }

    /// Whether a polynomial fact holds of all samples; those whose values become too large say nothing.
    pub fn satisfy_polynomial(&self, fact: &Polynomial) -> bool {
        let value = |sample: &Sample, quantity: &Quantity| {
            self.quantities.iter().position(|q| q == quantity).map_or(0, |p| sample[p])
        };
        let holds = |sample: &Sample| {
            let mut sum = fact.constant;
            for (product, coefficient) in &fact.terms {
                let mut factors = product.iter().map(|factor| value(sample, factor));
                let term = factors.try_fold(i128::from(*coefficient), i128::checked_mul)?;
                sum = sum.checked_add(term)?;
            }
            Some(if fact.equality { sum == 0 } else { sum <= 0 })
        };
        self.values.iter().all(|sample| holds(sample).unwrap_or(true))
    }

    /// Facts that all samples share and that few samples would share by chance.
    pub fn facts(&self) -> Vec<Linear> {
        let mut facts = self.equalities();
        // Where an equality does not survive, one of its halves may.
        let halves: Vec<Linear> = facts.iter().flat_map(Linear::halves).collect();
        facts.extend(halves);
        facts.extend(self.bounds());
        facts
    }

    /// The greatest value of a sum.
    pub fn most(&self, terms: &[(Quantity, i64)]) -> Option<i128> {
        self.values.iter().map(|sample| self.sum(terms, sample)).max()
    }

    /// A sum in one sample.
    fn sum(&self, terms: &[(Quantity, i64)], sample: &Sample) -> i128 {
        let value = |&(quantity, factor): &(Quantity, i64)| {
            let position = self.quantities.iter().position(|&q| q == quantity);
            position.map_or(0, |p| sample[p]).saturating_mul(i128::from(factor))
        };
        terms.iter().fold(0, |sum, term| sum.saturating_add(value(term)))
    }

    /// A basis of the affine equalities.
    pub fn equalities(&self) -> Vec<Linear> {
        let products: Vec<Vec<usize>> = (0..self.quantities.len()).map(|i| vec![i]).collect();
        let single = |(product, c): (Vec<Quantity>, i64)| (product[0], c);
        self.equalities_of(&products)
            .into_iter()
            .map(|found| Linear {
                terms: found.terms.into_iter().map(single).collect(),
                constant: found.constant,
                equality: true,
            })
            .collect()
    }

    /// Pairs of quantities whose difference never changed. The basis may say them only by way of a third quantity, about which
    /// it holds by accident.
    pub fn constant_differences(&self) -> Vec<Linear> {
        let mut found = Vec::new();
        for i in 0..self.quantities.len() {
            for j in i + 1..self.quantities.len() {
                let mut differences = self.values.iter().map(|s| s[j].checked_sub(s[i]));
                let Some(Some(first)) = differences.next() else { continue };
                if differences.all(|other| other == Some(first)) {
                    let terms = vec![(self.quantities[i], 1), (self.quantities[j], -1)];
                    found.push(Linear { terms, constant: first, equality: true });
                }
            }
        }
        found
    }

    /// A basis of the equalities between products of quantities, given by their positions. Each
    /// expresses one of the products, as late in the list as can be, by those before it.
    pub fn equalities_of(&self, products: &[Vec<usize>]) -> Vec<Polynomial> {
        // Fewer samples share something by chance.
        if self.values.len() < products.len() + 3 {
            return Vec::new();
        }
        let value = |sample: &Sample, product: &[usize]| {
            let value = product.iter().try_fold(1_i128, |v, &i| v.checked_mul(sample[i]))?;
            Some(Rational::from(Integer::from(value)))
        };
        let point = |sample: &Sample| products.iter().map(|p| value(sample, p)).collect();
        let points: Vec<Vec<Rational>> = self.values.iter().filter_map(point).collect();
        let name = |product: &Vec<usize>| product.iter().map(|&i| self.quantities[i]).collect();
        equalities(&points)
            .into_iter()
            .filter_map(|(coefficients, value)| {
                let (coefficients, constant) = whole(coefficients, -value)?;
                let terms =
                    products.iter().map(name).zip(coefficients).filter(|&(_, c)| c != 0).collect();
                Some(Polynomial { terms, constant, equality: true })
            })
            .collect()
    }

    /// Bounds of differences and sums of two quantities.
    fn bounds(&self) -> Vec<Linear> {
        let mut found = Vec::new();
        // Heuristic: in programs with many variables such bounds are accidents.
        if self.values.len() < 6 || self.quantities.len() > 8 {
            return found;
        }
        for i in 0..self.quantities.len() {
            for j in i + 1..self.quantities.len() {
                for (a, b) in
                    [(1, -1), (-1, 1), (1, 1), (-1, -1), (2, -1), (-2, 1), (1, -2), (-1, 2)]
                {
                    let sums = self
                        .values
                        .iter()
                        .map(|s| s[i].saturating_mul(a).saturating_add(s[j].saturating_mul(b)));
                    let Some(most) = sums.max() else { continue };
                    // Heuristic: true bounds of small programs are near zero.
                    if most.abs() <= 2 {
                        found.push(Linear {
                            terms: vec![
                                (self.quantities[i], a as i64),
                                (self.quantities[j], b as i64),
                            ],
                            constant: -most,
                            equality: false,
                        });
                    }
                }
            }
        }
        found
    }
}

/// An equality scaled to whole numbers: coefficients and constant. None where they are too
/// large to be meant.
fn whole(coefficients: Vec<Rational>, constant: Rational) -> Option<(Vec<i64>, i128)> {
    let mut scale = constant.denominator();
    for value in &coefficients {
        scale = scale.lcm(&value.denominator());
    }
    let scale = Rational::from(scale);
    let whole = |value: &Rational| (value * &scale).to_integer()?.to_i64();
    let small = |value: i64| (value.abs() <= COEFFICIENT).then_some(value);
    let scaled: Option<Vec<i64>> = coefficients.iter().map(|v| small(whole(v)?)).collect();
    Some((scaled?, i128::from(whole(&constant)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::arena::Id;
    use bolide_cfa::VarId;

    #[test]
    fn differences_that_stay_are_found() {
        let quantities: Vec<Quantity> =
            (0..3).map(|i| Quantity::Value(VarId::from_index(i))).collect();
        let values: Vec<Sample> = (0..9).map(|x: i128| vec![x, 7 * x, x + 2]).collect();
        let samples = Samples { quantities: quantities.clone(), values };
        let terms = vec![(quantities[0], 1), (quantities[2], -1)];
        let expected = Linear { terms, constant: 2, equality: true };
        assert_eq!(samples.constant_differences(), [expected]);
    }

    #[test]
    fn equalities_of_samples_are_found() {
        let quantities: Vec<Quantity> =
            (0..3).map(|i| Quantity::Value(VarId::from_index(i))).collect();
        // x, y = 2x + 3, z arbitrary.
        let values: Vec<Sample> =
            (0..9).map(|x: i128| vec![x, 2 * x + 3, (x * x * 7) % 11]).collect();
        let samples = Samples { quantities: quantities.clone(), values };
        let found = samples.equalities();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(samples.satisfy(&found[0]));
        assert_eq!(found[0].terms.len(), 2);
        let wrong = Linear {
            terms: vec![(quantities[0], 1), (quantities[1], -1)],
            constant: 0,
            equality: true,
        };
        assert!(!samples.satisfy(&wrong));
    }
}
