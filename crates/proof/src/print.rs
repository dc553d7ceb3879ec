//! Proofs as text: one S-expression for each step.

use std::fmt::Write;

use bolide_base::arena::Id;
use bolide_terms::TermStore;

use crate::{Certificate, Literal, Proof, Rule, Tautology};

impl Proof {
    /// The proof as S-expressions: `(step n (clause ..) (rule ..))`.
    pub fn to_text(&self, store: &TermStore) -> String {
        let mut out = String::from("(proof\n");
        for (index, step) in self.steps.iter().enumerate() {
            let _ = write!(out, "  (step s{index} (cl");
            for &literal in &step.clause {
                out.push(' ');
                write_literal(&mut out, store, literal);
            }
            out.push_str(") ");
            write_rule(&mut out, store, &step.rule);
            out.push_str(")\n");
        }
        out.push_str(")\n");
        out
    }
}

fn write_literal(out: &mut String, store: &TermStore, literal: Literal) {
    let text = store.smtlib(literal.atom);
    if literal.positive {
        out.push_str(&text);
    } else {
        let _ = write!(out, "(not {text})");
    }
}

fn write_rule(out: &mut String, store: &TermStore, rule: &Rule) {
    match rule {
        Rule::Assertion { partition, .. } => {
            let _ = write!(out, "(assertion :partition {partition})");
        }
        Rule::Tautology(tautology) => {
            let _ = write!(out, "({})", tautology_name(tautology));
        }
        Rule::Lemma(Certificate::Farkas(coefficients)) => {
            out.push_str("(farkas");
            for coefficient in coefficients {
                let _ = write!(out, " {coefficient}");
            }
            out.push(')');
        }
        Rule::Lemma(Certificate::Congruence) => out.push_str("(congruence)"),
        Rule::Resolution { first, chain } => {
            let _ = write!(out, "(resolution s{}", first.index());
            for &(pivot, step) in chain {
                out.push_str(" (");
                write_literal(out, store, pivot);
                let _ = write!(out, " s{})", step.index());
            }
            out.push(')');
        }
    }
}

fn tautology_name(tautology: &Tautology) -> String {
    match tautology {
        Tautology::Constant => "constant".into(),
        Tautology::And(_) => "and".into(),
        Tautology::Or(_) => "or".into(),
        Tautology::Iff(_) => "iff".into(),
        Tautology::IteBool(_) | Tautology::Ite(_) => "ite".into(),
        Tautology::Trichotomy(_) => "trichotomy".into(),
        Tautology::EqualityBound(_) => "equality-bound".into(),
        Tautology::Div(_) => "div".into(),
        Tautology::Mod(_) => "mod".into(),
        Tautology::ToInt(_) => "to-int".into(),
        Tautology::Quotient(_) => "quotient".into(),
        Tautology::ReadWritten(_) => "read-written".into(),
        Tautology::ReadOther { .. } => "read-over-write".into(),
        Tautology::Extensionality { .. } => "extensionality".into(),
        Tautology::ReadConstant { .. } => "read-constant".into(),
        Tautology::Bits { bit, .. } => format!("bits :bit {bit}"),
        Tautology::BitRange(_) => "bit-range".into(),
        Tautology::Image { width, .. } => format!("image :width {width}"),
        Tautology::Residue { width, .. } => format!("residue :width {width}"),
        Tautology::Remainders { .. } => "remainders".into(),
        Tautology::Power { at, .. } => format!("power :at {at}"),
        Tautology::PowerOrder { difference, .. } => format!("power-order :difference {difference}"),
        Tautology::LowAnd { at, .. } => format!("low-and :at {at}"),
        Tautology::Product { .. } => "product".into(),
    }
}
