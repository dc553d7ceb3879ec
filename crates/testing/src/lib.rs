//! Random numbers and problems for tests and fuzzers.
//!
//! Everything here follows from a seed, so that a failure repeats. The crate knows no other crate of
//! the house: problems are plain data that has a text, which every crate can read in its tests without
//! a second copy of itself.

mod floats;
pub mod generate;
pub mod problem;

/// Pseudo-random numbers (Marsaglia's xorshift).
pub struct Dice(u64);

impl Dice {
    /// Seeds that are neighbours give numbers that have nothing in common.
    pub fn new(seed: u64) -> Self {
        let mut dice =
            Dice(seed.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1);
        for _ in 0..4 {
            dice.roll(2);
        }
        dice
    }

    /// A number from 0 to `sides - 1`, or 0 where there is none.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % sides.max(1) as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }

    /// One of the items; there is one at least.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.roll(items.len())]
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.roll((high - low + 1) as usize) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_numbers_and_its_problem() {
        let rolls = |seed| {
            let mut dice = Dice::new(seed);
            (0..20).map(|_| dice.roll(1000)).collect::<Vec<_>>()
        };
        assert_eq!(rolls(7), rolls(7));
        assert_ne!(rolls(7), rolls(8));
        let problem = |seed| generate::random_problem(seed, None).text();
        assert_eq!(problem(7), problem(7));
        assert_ne!(problem(7), problem(8));
    }

    #[test]
    fn numbers_stay_within_their_bounds_and_meet_them() {
        let mut dice = Dice::new(1);
        let numbers: Vec<i64> = (0..1000).map(|_| dice.between(-3, 2)).collect();
        assert_eq!(numbers.iter().min(), Some(&-3));
        assert_eq!(numbers.iter().max(), Some(&2));
    }
}
