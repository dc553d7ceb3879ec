//! Numbers that repeat: Marsaglia's xorshift, scrambled by a multiplication. The seed must not be zero.

pub struct Random(pub u64);

impl Random {
    /// A number from 0 to `n - 1`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % n
    }
}
