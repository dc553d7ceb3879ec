//! Declarations in blocks.

use crate::context::Lowerer;
use crate::function_state::Local;
use crate::global::{Definition, Global};
use crate::input::Fallible;
use crate::link::Declared;
use crate::scope::Binding;
use crate::specifiers::Lengths;
use crate::types::QualType;
use crate::value::Place;
use bolide_base::Span;
use bolide_c_syntax::ast::{self, BaseType, DeclId, InitializerKind, StorageClass};
use bolide_cfa::{NondetSource, Op, Origin, Role, VarId, VariableKind};

impl<'a> Lowerer<'a> {
    /// A declaration in a block.
    pub fn local_declaration(&mut self, id: DeclId) -> Fallible<()> {
        let unit = self.input.ast();
        let declaration = &unit.decls[id];
        let specifiers = &declaration.specifiers;
        self.out.at.origin =
            Origin { span: self.input.span(declaration.span), role: Role::Statement };
        if declaration.declarators.is_empty()
            && let BaseType::Record(record) = specifiers.base
        {
            return self.forward_record(record);
        }
        let automatic = specifiers.base == BaseType::AutoType;
        let base = if automatic { self.types.int().into() } else { self.base_type(specifiers)? };
        for d in &declaration.declarators {
            self.local_declarator(base, automatic, specifiers, d)?;
            self.out.at.origin =
                Origin { span: self.input.span(declaration.span), role: Role::Statement };
        }
        Ok(())
    }

    fn local_declarator(
        &mut self,
        base: QualType,
        automatic: bool,
        specifiers: &'a ast::Specifiers,
        d: &'a ast::InitDeclarator,
    ) -> Fallible<()> {
        let Some(name) = d.declarator.name else { return Ok(()) };
        let storage = specifiers.storage.map(|(class, _)| class);
        let span = d.declarator.name_span;
        let mut ty = if automatic {
            self.auto_type(d)?
        } else {
            self.declared_type(base, &d.declarator, Lengths::Evaluate)?
        };
        if storage == Some(StorageClass::Typedef) {
            self.names_mut().set(name, Binding::Typedef(ty));
            return Ok(());
        }
        if storage == Some(StorageClass::Auto) && self.types.is_function(ty.ty) {
            return self.unsupported(span, "a function of this block before its definition is");
        }
        if storage == Some(StorageClass::Extern) || self.types.is_function(ty.ty) {
            let traits = self.traits(specifiers, &d.declarator)?;
            self.declare_global(Declared {
                name,
                ty,
                is_static: false,
                is_extern: true,
                is_inline: false,
                definition: None,
                span,
                align: 0,
                traits,
            })?;
            return Ok(());
        }
        if self.input.has_attribute(&d.declarator.attributes, "cleanup")
            || self.input.has_attribute(&specifiers.attributes, "cleanup")
        {
            return self.unsupported(span, "the attribute `cleanup` is");
        }
        if d.declarator.asm_label.is_some() && storage != Some(StorageClass::Static) {
            self.unmodelled(span, "a variable that lives in a register of its own");
        }
        if self.types.is_void(ty.ty) {
            return self.error(span, "a variable of type `void`");
        }
        if let Some(init) = d.initializer {
            ty = self.complete_by_initializer(ty, init)?;
        }
        let align = self.declared_alignment(specifiers, &d.declarator)?;
        let taken = self.input.facts[self.input.unit].address_taken_locals.contains(&span.start);
        if storage == Some(StorageClass::Static) {
            return self.static_local(name, ty, align, taken, d);
        }
        let place = self.place_local(self.input.text(name), ty, align, taken, span)?;
        self.capture(span, &place);
        self.bind_local(Some(name), Local { ty, place: place.clone() });
        match d.initializer {
            Some(init) => {
                if let (Place::Memory(pointer), Some(size)) = (&place, self.types.size(ty.ty)) {
                    self.f.initialized.insert(*pointer, size);
                }
                let place = self.types.at_place(ty, &place);
                self.out.at.origin.role = Role::Statement;
                let before = self.f.returned.len();
                self.initialize_local(&place, init, d.span)?;
                self.f.end_temporaries(&mut self.out, before);
                Ok(())
            }
            None => {
                if let Place::Vars(vars) = place {
                    self.leave_uninitialized(&vars, ty);
                }
                Ok(())
            }
        }
    }

    /// Where a local variable lives: in variables if it can, else in an object of its block.
    fn place_local(
        &mut self,
        name: &str,
        ty: QualType,
        align: u64,
        taken: bool,
        span: Span,
    ) -> Fallible<Place> {
        let out = self.input.span(span);
        Ok(if self.types.is_variable(ty.ty) {
            let size = self.size_expr(ty.ty, span)?;
            let align = align.max(self.types.align_qualified(ty));
            self.out.at.origin.role = Role::Declaration;
            Place::Memory(self.f.allocate_vla(&mut self.out, name, size, align, out))
        } else if !taken && self.types.fits_variables(ty) {
            let block = self.out.at.block;
            let vars = self.make_variables(name, ty, VariableKind::Local, out, block);
            self.f.scopes[self.f.scope].scalars.extend(vars.iter());
            Place::Vars(vars)
        } else {
            Place::Memory(self.allocate_local(name, ty, out, align)?)
        })
    }

    /// A variable without an initialiser has any value.
    fn leave_uninitialized(&mut self, vars: &[VarId], ty: QualType) {
        self.out.at.origin.role = Role::Declaration;
        let leaves = self.types.leaves(ty.ty).unwrap_or_default();
        for (i, &target) in vars.iter().enumerate() {
            self.out.emit(Op::Nondet { target, source: NondetSource::Uninitialized });
            // Whatever a bit-field holds, it has only these bits.
            if let Some(leaf) = leaves.get(i) {
                let value = self.out.read(target);
                let cut = self.out.cut_to_leaf(value, leaf);
                if cut != value {
                    self.out.emit(Op::Assign { target, value: cut });
                }
            }
        }
    }

    /// `__auto_type x = e`.
    fn auto_type(&mut self, d: &ast::InitDeclarator) -> Fallible<QualType> {
        let unit = self.input.ast();
        match d.initializer.map(|init| &unit.inits[init].kind) {
            Some(InitializerKind::Expr(e)) => {
                let operand = self.unevaluated(|this| this.rvalue(*e))?;
                if self.types.wide(operand.ty, operand.width).is_some() {
                    self.unmodelled(d.span, "the type of a bit-field wider than `int`");
                }
                Ok(operand.ty.into())
            }
            _ => self.error(d.span, "`__auto_type` needs an initialiser"),
        }
    }

    /// A static local is a global that only its block can name.
    fn static_local(
        &mut self,
        name: ast::Symbol,
        ty: QualType,
        align: u64,
        taken: bool,
        d: &ast::InitDeclarator,
    ) -> Fallible<()> {
        let text = format!("{}.{}", self.f.name, self.input.text(name));
        let span = self.input.span(d.declarator.name_span);
        let mut global = Global::new(text, ty, self.input.unit, span);
        global.is_static = true;
        global.tentative = true;
        global.align = align;
        global.address_taken = taken;
        // Marks the variable as defined; the value is evaluated here, where its names mean something.
        let id = self.linkage.globals.push(global);
        self.names_mut().set(name, Binding::Global(id));
        let place = self.place_global(id, d.declarator.name_span)?;
        if let Some(init) = d.initializer {
            self.initialize_static(ty, &place, init)?;
            self.linkage[id].definition = Some(Definition::Initializer(self.input.unit, init));
        }
        Ok(())
    }
}
