//! What a function starts with: objects, their fields, parameters and global variables, as far as they are chosen.
//!
//! Objects of one type are interchangeable. So a pointer is chosen among null, the objects that
//! something was chosen for already, and the first of the others: all heaps are met up to renaming (Boyapati, Khurshid,
//! Marinov: "Korat: automated testing based on Java predicates", ISSTA 2002).

use super::structure::{State, Value};
use bolide_cfa::contract::{ArrayPlace, FieldPlace, ObjectTypes};
use bolide_cfa::types::Type;
use bolide_cfa::{IntType, ObjectId, Program, VarId, VariableKind};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Places of an array that are filled in all ways; what matters to one place shows in two.
const PLACES: u64 = 2;

/// Something to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    /// A field of an object, by offset.
    Field(usize, u64),
    /// A parameter or a global variable.
    Variable(VarId),
    /// A place of an array.
    Cell(ObjectId, u64),
}

/// A heap in the making.
#[derive(Clone)]
pub(super) struct Start<'a> {
    pub program: &'a Program,
    pub types: &'a ObjectTypes,
    /// Global variables that are chosen.
    pub globals: &'a [VarId],
    /// Arrays that are chosen, with the type of objects that they point to.
    pub arrays: &'a [(ArrayPlace, Option<usize>)],
    /// Numbers that are worth trying.
    pub numbers: &'a [i128],
    /// The type of each object.
    pub objects: Vec<usize>,
    pub fields: BTreeMap<(usize, u64), Value>,
    pub variables: BTreeMap<VarId, Value>,
    pub cells: BTreeMap<(ObjectId, u64), Value>,
    /// The first thing that was looked at and is not chosen.
    pub touched: Cell<Option<Slot>>,
}

impl<'a> Start<'a> {
    /// How the object is called.
    pub(super) fn name(&self, object: usize) -> String {
        format!("n{}", object + 1)
    }

    /// The field of an object at an offset, and what it points to.
    pub(super) fn place(
        &self,
        object: usize,
        offset: u64,
    ) -> Option<&'a (FieldPlace, Option<usize>)> {
        let ty = &self.types.types[*self.objects.get(object)?];
        ty.fields.iter().find(|(place, _)| place.offset == offset)
    }

    fn touch(&self, slot: Slot) -> Value {
        if self.touched.get().is_none() {
            self.touched.set(Some(slot));
        }
        Value::Unknown
    }

    pub(super) fn chosen(&self, slot: Slot) -> Option<Value> {
        match slot {
            Slot::Field(object, offset) => self.fields.get(&(object, offset)).copied(),
            Slot::Variable(variable) => self.variables.get(&variable).copied(),
            Slot::Cell(object, index) => self.cells.get(&(object, index)).copied(),
        }
    }

    pub(super) fn choose(&mut self, slot: Slot, value: Value) {
        match slot {
            Slot::Field(object, offset) => self.fields.insert((object, offset), value),
            Slot::Variable(variable) => self.variables.insert(variable, value),
            Slot::Cell(object, index) => self.cells.insert((object, index), value),
        };
    }

    pub(super) fn forget(&mut self, slot: Slot) {
        match slot {
            Slot::Field(object, offset) => self.fields.remove(&(object, offset)),
            Slot::Variable(variable) => self.variables.remove(&variable),
            Slot::Cell(object, index) => self.cells.remove(&(object, index)),
        };
    }

    /// The values that may be chosen, up to renaming; simple ones first.
    pub(super) fn candidates(&self, slot: Slot) -> Vec<Value> {
        let mut found = self.all_candidates(slot);
        if matches!(slot, Slot::Cell(_, index) if index >= PLACES) {
            found.truncate(1);
        }
        found
    }

    fn all_candidates(&self, slot: Slot) -> Vec<Value> {
        let (ty, pointee) = match slot {
            Slot::Field(object, offset) => match self.place(object, offset) {
                Some((place, pointee)) => (place.ty, *pointee),
                None => return Vec::new(),
            },
            Slot::Variable(variable) => {
                let pointee = self.types.variables.iter().find(|(v, _)| *v == variable);
                (self.program.variables[variable].ty, pointee.map(|(_, pointee)| *pointee))
            }
            Slot::Cell(object, _) => match self.array(object) {
                Some((array, pointee)) => (array.ty, *pointee),
                None => return Vec::new(),
            },
        };
        match ty {
            Type::Pointer => {
                let mut found = vec![Value::Null];
                let Some(pointee) = pointee else { return found };
                let mut fresh = true;
                for (object, _) in self.objects.iter().enumerate().filter(|(_, t)| **t == pointee) {
                    let mentioned = self.is_mentioned(object) || slot_of(slot) == Some(object);
                    if mentioned || std::mem::take(&mut fresh) {
                        found.push(Value::Object(object));
                    }
                }
                found
            }
            Type::Int(ty) => {
                let fits = |n: &&i128| represents(ty, **n);
                self.numbers.iter().filter(fits).map(|&n| Value::Int(n)).collect()
            }
            // Of other numbers annotations say nothing.
            Type::Float(_) => vec![Value::Int(0)],
        }
    }

    fn is_mentioned(&self, object: usize) -> bool {
        let here = Value::Object(object);
        self.fields.range((object, 0)..=(object, u64::MAX)).next().is_some()
            || self.values().any(|value| *value == here)
    }

    fn values(&self) -> impl Iterator<Item = &Value> {
        self.fields.values().chain(self.variables.values()).chain(self.cells.values())
    }

    /// The array in an object, and what it points to.
    fn array(&self, object: ObjectId) -> Option<&'a (ArrayPlace, Option<usize>)> {
        self.arrays.iter().find(|(array, _)| array.object == object)
    }

    /// What was chosen, in words.
    pub(super) fn words(&self, parameters: &[VarId]) -> Vec<String> {
        let name = |v: &VarId| self.program.variables[*v].name.clone();
        let mut found = Vec::new();
        for variable in parameters.iter().chain(self.globals) {
            if let Some(&value) = self.variables.get(variable) {
                found.push(format!("{} = {}", name(variable), self.show(value)));
            }
        }
        // Most places of a table are empty.
        for (&(object, index), &value) in self.cells.iter().filter(|(_, v)| **v != Value::Null) {
            if let Some((array, _)) = self.array(object) {
                found.push(format!("{}[{index}] = {}", array.name, self.show(value)));
            }
        }
        for (&(object, offset), &value) in &self.fields {
            if let Some((place, _)) = self.place(object, offset) {
                let arrow = if place.name.is_empty() { "*" } else { "" };
                let field =
                    if place.name.is_empty() { String::new() } else { format!("->{}", place.name) };
                found.push(format!("{arrow}{}{field} = {}", self.name(object), self.show(value)));
            }
        }
        found
    }

    fn show(&self, value: Value) -> String {
        match value {
            Value::Null => "null".into(),
            Value::Object(object) => self.name(object),
            Value::Int(n) => n.to_string(),
            Value::Elsewhere | Value::OfNull(_) | Value::Unknown => "any".into(),
        }
    }
}

fn slot_of(slot: Slot) -> Option<usize> {
    match slot {
        Slot::Field(object, _) => Some(object),
        Slot::Variable(_) | Slot::Cell(..) => None,
    }
}

fn represents(ty: IntType, n: i128) -> bool {
    bolide_cfa::value::Value::int(n, ty).as_int() == Some(n)
}

impl State for Start<'_> {
    fn objects(&self) -> usize {
        self.objects.len()
    }

    fn field(&self, object: usize, place: &FieldPlace) -> Value {
        match self.place(object, place.offset) {
            Some((own, _)) if own.ty == place.ty => {
                match self.fields.get(&(object, place.offset)) {
                    Some(&value) => value,
                    None => self.touch(Slot::Field(object, place.offset)),
                }
            }
            // An object that has no such field: nothing in the program can tell what it holds.
            _ if place.ty == Type::Pointer => Value::Null,
            _ => Value::Int(0),
        }
    }

    fn cell(&self, array: &ArrayPlace, index: u64) -> Value {
        match self.cells.get(&(array.object, index)) {
            Some(&value) => value,
            None if self.array(array.object).is_some() => {
                self.touch(Slot::Cell(array.object, index))
            }
            None => Value::Unknown,
        }
    }

    fn variable(&self, variable: VarId) -> Value {
        if let Some(&value) = self.variables.get(&variable) {
            return value;
        }
        let info = &self.program.variables[variable];
        if info.kind == VariableKind::Parameter || self.globals.contains(&variable) {
            return self.touch(Slot::Variable(variable));
        }
        if info.kind != VariableKind::Global {
            return Value::Unknown;
        }
        match (info.initial, info.ty) {
            (None, Type::Pointer) => Value::Null,
            (None, Type::Int(_)) => Value::Int(0),
            (Some(e), Type::Int(_)) => {
                self.program.exprs.as_int(e).map_or(Value::Unknown, Value::Int)
            }
            _ => Value::Unknown,
        }
    }

    fn is_alive(&self, _: usize) -> bool {
        true
    }
}
