//! Terms and atoms of floating point. What the theory leaves open, and solvers decide each in their
//! way, is fenced off: zeros of different signs under `fp.min`, floats without an integer of the
//! width.

use crate::generate::Generator;
use crate::problem::{Expr, Ty};

/// The formats of problems: exponent, significand.
pub const SMALL: Ty = Ty::Float(3, 4);
pub const LARGE: Ty = Ty::Float(4, 6);

fn apply(head: impl Into<String>, args: Vec<Expr>, ty: Ty) -> Expr {
    Expr::new(head, args, ty)
}

impl Generator {
    fn rounding(&mut self) -> Expr {
        match self.dice.roll(6) {
            0 => self.variable(Ty::Rounding),
            n => Expr::leaf(["RNE", "RNA", "RTP", "RTN", "RTZ"][n - 1], Ty::Rounding),
        }
    }

    pub(crate) fn float_atom(&mut self, ty: Ty, depth: usize) -> Expr {
        let a = self.term(ty, depth);
        if self.dice.chance(20) {
            let head = [
                "fp.isNormal",
                "fp.isSubnormal",
                "fp.isZero",
                "fp.isInfinite",
                "fp.isNaN",
                "fp.isNegative",
                "fp.isPositive",
            ][self.dice.roll(7)];
            return apply(head, vec![a], Ty::Bool);
        }
        let head = ["=", "distinct", "fp.eq", "fp.eq", "fp.lt", "fp.gt", "fp.leq", "fp.geq"]
            [self.dice.roll(8)];
        apply(head, vec![a, self.term(ty, depth)], Ty::Bool)
    }

    pub(crate) fn float_leaf(&mut self, ty: Ty) -> Expr {
        let Ty::Float(exponent, significand) = ty else { unreachable!("a sort of floats") };
        match self.dice.roll(6) {
            0 => {
                let head = ["+oo", "-oo", "+zero", "-zero", "NaN"][self.dice.roll(5)];
                Expr::leaf(format!("(_ {head} {exponent} {significand})"), ty)
            }
            1 => {
                let mut bits = |count: u32| -> String {
                    (0..count).map(|_| ["0", "1"][self.dice.roll(2)]).collect()
                };
                let (sign, field, fraction) = (bits(1), bits(exponent), bits(significand - 1));
                Expr::leaf(format!("(fp #b{sign} #b{field} #b{fraction})"), ty)
            }
            2 => {
                let mode = ["RNE", "RNA", "RTP", "RTN", "RTZ"][self.dice.roll(5)];
                let (n, d) = (self.dice.roll(40), 1 + self.dice.roll(9));
                let number = match self.dice.roll(2) {
                    0 => format!("(/ {n}.0 {d}.0)"),
                    _ => format!("(- (/ {n}.0 {d}.0))"),
                };
                Expr::leaf(format!("((_ to_fp {exponent} {significand}) {mode} {number})"), ty)
            }
            _ => self.variable(ty),
        }
    }

    pub(crate) fn float(&mut self, ty: Ty, depth: usize) -> Expr {
        let Ty::Float(exponent, significand) = ty else { unreachable!("a sort of floats") };
        let to_fp = format!("(_ to_fp {exponent} {significand})");
        let a = self.term(ty, depth);
        match self.dice.roll(16) {
            0 => apply("fp.neg", vec![a], ty),
            1 => apply("fp.abs", vec![a], ty),
            2 => apply("fp.sqrt", vec![self.rounding(), a], ty),
            3 => apply("fp.roundToIntegral", vec![self.rounding(), a], ty),
            4 => apply("fp.rem", vec![a, self.term(ty, depth)], ty),
            5 => {
                let args = vec![self.rounding(), a, self.term(ty, depth), self.term(ty, depth)];
                apply("fp.fma", args, ty)
            }
            6 => {
                let other = self.term(ty, depth);
                let args = [a, other].map(|x| apply("fp.abs", vec![x], ty)).to_vec();
                apply(["fp.min", "fp.max"][self.dice.roll(2)], args, ty)
            }
            7 | 8 => {
                let other = if ty == SMALL { LARGE } else { SMALL };
                apply(to_fp, vec![self.rounding(), self.term(other, depth)], ty)
            }
            9 => {
                let head = match self.dice.roll(2) {
                    0 => to_fp,
                    _ => format!("(_ to_fp_unsigned {exponent} {significand})"),
                };
                let width = [3, 4][self.dice.roll(2)];
                apply(head, vec![self.rounding(), self.term(Ty::Bv(width), depth)], ty)
            }
            10 if ty == SMALL => {
                let halves = vec![self.term(Ty::Bv(4), depth), self.term(Ty::Bv(3), depth)];
                apply(to_fp, vec![apply("concat", halves, Ty::Bv(7))], ty)
            }
            n => {
                let head = ["fp.add", "fp.sub", "fp.mul", "fp.div"][n % 4];
                apply(head, vec![self.rounding(), a, self.term(ty, depth)], ty)
            }
        }
    }

    /// An integer of the width next to a float; zero where the float is not small.
    pub(crate) fn float_bits(&mut self, width: u32, depth: usize) -> Expr {
        let (ty, bits) = (SMALL, Ty::Bv(width));
        let x = self.term(ty, depth);
        let head = ["fp.to_ubv", "fp.to_sbv"][self.dice.roll(2)];
        let constant = |n: &str| Expr::leaf(format!("((_ to_fp 3 4) RNE {n})"), ty);
        let low = if head == "fp.to_ubv" { "0.0" } else { "(- 3.0)" };
        let within = apply("fp.leq", vec![constant(low), x.clone(), constant("3.0")], Ty::Bool);
        let integer = apply(format!("(_ {head} {width})"), vec![self.rounding(), x], bits);
        let zero = Expr::leaf(format!("(_ bv0 {width})"), bits);
        apply("ite", vec![within, integer, zero], bits)
    }
}
