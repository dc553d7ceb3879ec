//! What the pointers of a program point to.
//!
//! Memory has no types; a contract does: a pointer is null or points to an object of its type. So whoever builds a
//! heap for a function to run on asks here how large its objects are and where their pointers lie.

use crate::context::Lowerer;
use crate::types::{CType, RecordTy, TyId};
use crate::value::Place;
use bolide_base::HashMap;
use bolide_cfa::contract::{FieldPlace, ObjectType, ObjectTypes};
use bolide_cfa::{Type, VariableKind};

/// The types of objects that parameters of functions, global variables, and their fields point to.
pub(super) fn objects(lowerer: &Lowerer<'_>) -> ObjectTypes {
    let mut found = Found {
        lowerer,
        known: HashMap::default(),
        entered: Vec::new(),
        all: ObjectTypes::default(),
    };
    for (function, &global) in sorted(&lowerer.linkage.function_globals) {
        let parameters = &lowerer.out.program.functions[function].parameters;
        let Some(ty) = lowerer.types.function(lowerer.linkage[global].ty.ty) else {
            continue;
        };
        if parameters.len() != ty.parameters.len() {
            continue;
        }
        for (&variable, parameter) in parameters.iter().zip(ty.parameters.iter()) {
            if let Some(pointee) = found.pointee(parameter.ty) {
                found.all.variables.push((variable, pointee));
            }
        }
    }
    for &record in &lowerer.types.member_records {
        found.record(record);
    }
    for global in lowerer.linkage.globals.values() {
        let Some(Place::Vars(variables)) = &global.place else { continue };
        if !global.ty.is_const {
            found.all.globals.extend(variables.iter());
        }
        if let [variable] = variables[..]
            && lowerer.out.program.variables[variable].kind == VariableKind::Global
            && let Some(pointee) = found.pointee(global.ty.ty)
        {
            found.all.variables.push((variable, pointee));
        }
    }
    for (array, of) in lowerer.static_arrays() {
        let pointee = found.pointee(of);
        found.all.arrays.push((array, pointee));
    }
    found.all
}

fn sorted<K: Copy + Ord, V>(map: &HashMap<K, V>) -> Vec<(K, &V)> {
    let mut all: Vec<(K, &V)> = map.iter().map(|(k, v)| (*k, v)).collect();
    all.sort_unstable_by_key(|(k, _)| *k);
    all
}

struct Found<'a> {
    lowerer: &'a Lowerer<'a>,
    known: HashMap<TyId, usize>,
    /// The C type of each type.
    entered: Vec<TyId>,
    all: ObjectTypes,
}

impl Found<'_> {
    /// The number of the type that a pointer points to; none for what is no object with scalars.
    fn pointee(&mut self, pointer: TyId) -> Option<usize> {
        let first = self.lowerer.types.pointee(pointer)?.ty;
        self.whole(first)
    }

    /// A record that objects are made of without a pointer to say so.
    fn record(&mut self, record: RecordTy) {
        if let Some(ty) = self.lowerer.types.of_record(record) {
            self.whole(ty);
        }
    }

    /// Enters a type and all that it leads to.
    fn whole(&mut self, first: TyId) -> Option<usize> {
        let types = &self.lowerer.types;
        if let Some(&known) = self.known.get(&first) {
            return Some(known);
        }
        // Types are entered before their fields are looked at: they may point to themselves.
        self.enter(first)?;
        let mut at = self.known[&first];
        while at < self.all.types.len() {
            for number in 0..self.all.types[at].fields.len() {
                let place = self.all.types[at].fields[number].0.clone();
                let ty = self.ty_of(at, number);
                let target = match (place.ty, ty) {
                    (Type::Pointer, Some(ty)) => types.pointee(ty).and_then(|to| {
                        let known = self.known.get(&to.ty).copied();
                        known.or_else(|| self.enter(to.ty))
                    }),
                    _ => None,
                };
                self.all.types[at].fields[number].1 = target;
            }
            at += 1;
        }
        self.known.get(&first).copied()
    }

    /// The C type of a field of a type that was entered.
    fn ty_of(&self, at: usize, number: usize) -> Option<TyId> {
        self.lowerer.types.leaves(self.entered[at])?.get(number).map(|leaf| leaf.ty)
    }

    fn enter(&mut self, ty: TyId) -> Option<usize> {
        let types = &self.lowerer.types;
        if matches!(types.get(ty), CType::Function(_)) {
            return None;
        }
        // Unions and arrays have no leaves; bit-fields share bytes.
        let leaves = types.leaves(ty)?;
        if leaves.is_empty() || leaves.iter().any(|leaf| leaf.bits.is_some()) {
            return None;
        }
        let fields = leaves.iter().map(|leaf| {
            let name = leaf.path.trim_start_matches('.').to_owned();
            (FieldPlace { name, offset: leaf.offset, ty: leaf.scalar }, None)
        });
        self.all.types.push(ObjectType {
            name: types.spell(ty),
            size: types.size(ty)?,
            align: types.align(ty),
            fields: fields.collect(),
        });
        self.entered.push(ty);
        self.known.insert(ty, self.all.types.len() - 1);
        Some(self.all.types.len() - 1)
    }
}
