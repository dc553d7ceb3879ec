//! The parts of annotations.

use bolide_cfa::contract::{Contract, Expr};

/// All parts of all formulas of a contract.
pub fn visit(contract: &Contract, f: &mut dyn FnMut(&Expr)) {
    let asserts = contract.asserts.iter().map(|(_, e)| e);
    visit_all(contract.requires.iter().chain(&contract.ensures).chain(asserts), f);
}

/// All parts of some formulas.
pub fn visit_all<'e>(roots: impl IntoIterator<Item = &'e Expr>, f: &mut dyn FnMut(&'e Expr)) {
    let mut work: Vec<&Expr> = roots.into_iter().collect();
    while let Some(e) = work.pop() {
        f(e);
        match e {
            Expr::Old(e) | Expr::Field(e, _) | Expr::Valid(e) | Expr::Not(e) => work.push(e),
            Expr::Negative(e) | Expr::Quantified(_, _, e) | Expr::Comprehension(_, e) => {
                work.push(e)
            }
            Expr::Binary(_, a, b) | Expr::Below(_, _, a, b) => work.extend([&**a, &**b]),
            Expr::Btwn(_, a, b, c) => work.extend([&**a, &**b, &**c]),
            Expr::Set(all) => work.extend(all),
            Expr::Var(_) | Expr::Bound(_) | Expr::Int(_) | Expr::Null => {}
            Expr::Bool(_) | Expr::Result | Expr::Tree(..) => {}
        }
    }
}
