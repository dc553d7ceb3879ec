//! Where variables live: in program variables or in memory.

use crate::context::Lowerer;
use crate::global::{Definition, GlobalId};
use crate::input::Fallible;
use crate::linkage::Work;
use crate::scope::unique;
use crate::types::{ArrayLen, CType, QualType, TypeStore};
use crate::value::Place;
use bolide_base::Span;
use bolide_cfa::{Expr, FunctionId, StaticObject, VarId, Variable, VariableKind};
use std::rc::Rc;

impl TypeStore {
    /// Whether a variable of the type, whose address is not taken, can live in
    /// program variables. Volatile ones stay in memory, where accesses say so,
    /// vectors because a lane is chosen at run time.
    pub fn fits_variables(&self, ty: QualType) -> bool {
        !ty.is_volatile
            && !self.holds_vector(ty.ty)
            && match self.leaves(ty.ty) {
                Some(leaves) => !leaves.is_empty() && leaves.iter().all(|leaf| !leaf.volatile),
                None => false,
            }
    }

    fn is_constant_type(&self, ty: QualType) -> bool {
        ty.is_const
            || match self.get(ty.ty) {
                CType::Array(of, _) => self.is_constant_type(*of),
                _ => false,
            }
    }
}

impl Lowerer<'_> {
    /// Makes the program variables for the leaves of a type.
    pub fn make_variables(
        &mut self,
        name: &str,
        ty: QualType,
        kind: VariableKind,
        span: Span,
        scope: Span,
    ) -> Rc<[VarId]> {
        let leaves = self.types.leaves(ty.ty).unwrap_or_else(|| Rc::new([]));
        let function = match kind {
            VariableKind::Global => None,
            _ => Some(self.out.at.id),
        };
        leaves
            .iter()
            .map(|leaf| {
                let wanted = format!("{name}{}", leaf.path);
                let name = match function {
                    None => unique(&mut self.linkage.global_names, wanted),
                    Some(_) => unique(&mut self.out.at.names, wanted),
                };
                self.out.add_variable(Variable {
                    span,
                    scope,
                    ..Variable::new(name, leaf.scalar, function, kind)
                })
            })
            .collect()
    }

    /// Where a global variable lives; decides it at the first use.
    pub fn place_global(&mut self, id: GlobalId, span: Span) -> Fallible<Place> {
        if let Some(place) = &self.linkage[id].place {
            return Ok(place.clone());
        }
        self.tell_notes_of_global(id);
        self.refuse_missing_weak(id, span);
        let global = &self.linkage[id];
        let (ty, name, defined) =
            (global.ty, global.name.clone(), global.definition.is_some() || global.tentative);
        let declared = global.span;
        let taken = global.address_taken || self.is_address_taken(id);
        // Any value of a variable is any value of its type, which may be more than a bit-field holds.
        let leaves = self.types.leaves(ty.ty);
        let has_bits = leaves.is_some_and(|leaves| leaves.iter().any(|leaf| leaf.bits.is_some()));
        let place = if !taken && self.types.fits_variables(ty) && (defined || !has_bits) {
            let vars = self.make_variables(&name, ty, VariableKind::Global, declared, Span::NONE);
            if !defined {
                self.defined_elsewhere(id, &vars);
            }
            Place::Vars(vars)
        } else {
            let size = self.static_size(id, span)?;
            let align = self.types.align_qualified(ty).max(self.linkage[id].align);
            let name = unique(&mut self.linkage.global_names, name);
            let (constant, external) = (self.types.is_constant_type(ty), !defined);
            let object = StaticObject::new(name, size, align, declared);
            let object = StaticObject { constant, external, ..object };
            let object = self.out.program.objects.push(object);
            Place::Memory(self.out.expr(Expr::Object(object)))
        };
        self.linkage[id].place = Some(place.clone());
        if let Some(Definition::Initializer(..)) = self.linkage[id].definition {
            self.linkage.work.push_back(Work::Initializer(id));
        }
        Ok(place)
    }

    /// Size of a static object; unknown sizes of external ones are assumed.
    fn static_size(&mut self, id: GlobalId, span: Span) -> Fallible<u64> {
        let global = &self.linkage[id];
        let (ty, name) = (global.ty.ty, global.name.clone());
        if let Some(size) = self.types.size(ty) {
            return Ok(size);
        }
        if self.types.is_record(ty) {
            self.out.assumptions.insert(format!("the contents of `{name}` are not known"));
            return Ok(1);
        }
        match self.types.get(ty) {
            CType::Array(of, ArrayLen::Unknown) => {
                let element = self.types.size(of.ty).unwrap_or(1);
                if self.linkage[id].tentative || self.linkage[id].definition.is_some() {
                    // C11 6.9.2: a tentative array of unknown length has one element.
                    return Ok(element);
                }
                if self.input.options.properties.iter().any(|p| p.is_about_memory()) {
                    let what =
                        format!("the length of the array `{name}`, which is defined elsewhere");
                    self.unmodelled(span, what);
                }
                Ok(element.saturating_mul(1024))
            }
            _ => self.error(
                span,
                format!("the size of `{name}` of type `{}` is not known", self.types.spell(ty)),
            ),
        }
    }

    /// Whether some file takes the address of a file-scope name.
    fn is_address_taken(&self, id: GlobalId) -> bool {
        let global = &self.linkage[id];
        let taken_in = |unit: usize| {
            self.input.units[unit]
                .names
                .get(&global.name)
                .is_some_and(|s| self.input.facts[unit].address_taken_globals.contains(&s))
        };
        if global.is_static {
            taken_in(global.unit)
        } else {
            (0..self.input.units.len()).any(taken_in)
        }
    }

    /// The function of the program for a global of function type. It is
    /// lowered when something that runs refers to it.
    pub fn function_id(&mut self, id: GlobalId) -> FunctionId {
        if let Some(function) = self.linkage[id].function {
            return function;
        }
        let name = self.linkage[id].name.clone();
        let span = self.linkage[id].span;
        let function = self.new_function(name, span);
        self.linkage[id].function = Some(function);
        self.linkage.function_globals.insert(function, id);
        function
    }
}
