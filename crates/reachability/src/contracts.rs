//! The audit of certificates with contracts.
//!
//! Where calls are not inlined, a certificate is a set of contracts: a function
//! under a precondition, with an invariant for each of its cut points. It is
//! accepted when in every contract (and in the entry function, whose
//! precondition are the initial states)
//!
//! 1. the precondition implies the invariant of the entry;
//! 2. each step that is no call leads from invariant to invariant;
//! 3. at each call some contract's precondition holds of the arguments;
//! 4. the state after a call satisfies the invariant there, assuming of the
//!    call that whichever precondition held, its postcondition does;
//! 5. error locations have the invariant `false`.
//!
//! By induction over the length of a run no error is reached: what 4 assumes
//! of a call was established by the shorter run of the callee. Each
//! obligation is discharged with a checked proof, as in [`audit`](crate::audit).

use crate::audit::{Audited, KnownProofs, discharge};
use crate::block::BlockProgram;
use crate::calls::{CallSite, Calls};
use crate::verdict::{Certificate, Contract, Reason};
use bolide_base::{Budget, HashMap};
use bolide_cfa::LocId;
use bolide_terms::{TermId, TermStore};

/// Checks that the contracts of a certificate prove each other and exclude all
/// errors.
pub fn certificate(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    certificate: &Certificate,
    budget: &Budget,
    known: &mut dyn KnownProofs,
) -> Result<Audited, Reason> {
    let calls = Calls::new(program, store).map_err(Reason::Unsupported)?;
    let mut audit = Audit { program, store, calls, certificate, budget, known, obligations: 0 };
    let entry = Contract {
        function: audit.program.program.entry,
        precondition: audit.program.initial(),
        invariants: certificate.invariants.clone(),
    };
    audit.contract(&entry)?;
    for contract in &certificate.contracts {
        audit.contract(contract)?;
    }
    Ok(Audited { obligations: audit.obligations })
}

struct Audit<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    store: &'a mut TermStore,
    calls: Calls,
    certificate: &'a Certificate,
    budget: &'a Budget,
    known: &'a mut dyn KnownProofs,
    obligations: usize,
}

impl Audit<'_, '_> {
    fn invariant(&self, contract: &Contract, location: LocId) -> TermId {
        if self.program.program.locations[location].error.is_some() {
            return TermId::FALSE;
        }
        contract.invariants.get(&location).copied().unwrap_or(TermId::FALSE)
    }

    fn discharge(&mut self, conjuncts: &[TermId], what: &str) -> Result<(), Reason> {
        self.obligations += 1;
        discharge(self.store, conjuncts, self.budget, self.known, || what.to_owned())
    }

    fn contract(&mut self, contract: &Contract) -> Result<(), Reason> {
        let function = &self.program.program.functions[contract.function];
        let name = function.name.clone();
        let body = function
            .body
            .ok_or_else(|| Reason::NotCertified(format!("`{name}` has no body to speak about")))?;
        let at_entry = self.invariant(contract, body.entry);
        let at_entry = self.calls.at_entry(self.program, self.store, at_entry);
        let before = self.calls.at_entry(self.program, self.store, contract.precondition);
        let goal = self.store.mk_not(at_entry);
        self.discharge(&[before, goal], &format!("the entry of `{name}`"))?;
        let mut sources: Vec<LocId> = contract.invariants.keys().copied().collect();
        sources.sort_unstable();
        for from in sources {
            let before = self.invariant(contract, from);
            if before == TermId::FALSE {
                continue;
            }
            if let Some(sites) = self.calls.at(from) {
                for site in sites.iter() {
                    self.call(contract, site, before, &name)?;
                }
                continue;
            }
            for transition in self.program.transitions(self.store, from).iter() {
                let after = self.invariant(contract, transition.to);
                let renaming: HashMap<TermId, TermId> = transition
                    .outputs
                    .iter()
                    .map(|&(slot, value)| (self.program.slots.constant(slot), value))
                    .collect();
                let after = self.store.substitute(after, &renaming);
                let goal = self.store.mk_not(after);
                let what = format!("the step in `{name}` from {from:?} to {:?}", transition.to);
                self.discharge(&[before, transition.formula, goal], &what)?;
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        contract: &Contract,
        site: &CallSite,
        before: TermId,
        name: &str,
    ) -> Result<(), Reason> {
        let exit = self.program.program.functions[site.callee].body.map(|b| b.exit);
        let (mut preconditions, mut assumed) = (Vec::new(), vec![before, site.guard]);
        let certificate = self.certificate;
        for callee in certificate.contracts.iter().filter(|c| c.function == site.callee) {
            let pre = self.calls.entering(self.program, self.store, site, callee.precondition);
            preconditions.push(pre);
            let post = exit.map_or(TermId::FALSE, |exit| self.invariant(callee, exit));
            let post = self.calls.returning(self.program, self.store, site, post);
            assumed.push(self.store.mk_implies(pre, post));
        }
        let some = self.store.mk_or(&preconditions);
        let none = self.store.mk_not(some);
        let what = format!("the precondition of the call in `{name}` at {:?}", site.from);
        self.discharge(&[before, site.guard, none], &what)?;
        let after = self.invariant(contract, site.to);
        let after = self.calls.after(self.program, self.store, site, after);
        assumed.push(self.store.mk_not(after));
        let what = format!("the state after the call in `{name}` at {:?}", site.from);
        self.discharge(&assumed, &what)
    }
}
