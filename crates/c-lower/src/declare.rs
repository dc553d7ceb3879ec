//! Declarations at file scope and their linking.
//!
//! All declarations of all files are entered before anything is lowered;
//! bodies and initialisers wait until they are used. A declaration that cannot
//! be understood is set aside, and its diagnostic given only if its name is used.

use crate::context::Lowerer;
use crate::global::{Definition, Global, GlobalId};
use crate::input::Fallible;
use crate::link::Declared;
use crate::scope::Binding;
use crate::specifiers::Lengths;
use crate::types::{ArrayLen, CType, FunctionTy, QualType};
use bolide_base::{Diagnostic, Span};
use bolide_c_syntax::ast::{self, ItemKind, StorageClass};

impl<'a> Lowerer<'a> {
    /// Enters all file-scope declarations of all units, the models last.
    pub fn declare_all(&mut self) {
        for unit in 0..self.input.units.len() {
            if unit == self.input.first_model {
                self.resolve_aliases();
            }
            self.input.unit = unit;
            for item in &self.input.units[unit].items {
                self.linkage.notes.clear();
                let result = match item.kind {
                    ItemKind::Function(id) => self.declare_function(id),
                    ItemKind::Declaration(id) => self.declare_file_scope(id),
                    ItemKind::Asm(asm) => {
                        let asm = &self.input.ast().asms[asm];
                        if !self.input.ast().strings[asm.template].text().trim().is_empty() {
                            self.unmodelled(asm.span, "assembly at file scope");
                        }
                        Ok(())
                    }
                    ItemKind::StaticAssert(assert) => {
                        if let Err(diagnostic) = self.static_assert(&assert)
                            && diagnostic.message.starts_with("static assertion failed")
                        {
                            self.out.diagnostics.push(*diagnostic);
                        }
                        Ok(())
                    }
                };
                if let Err(diagnostic) = result {
                    self.set_aside(item.kind, &diagnostic);
                }
                let depth = self.linkage.names[unit].depth();
                debug_assert_eq!(depth, 0);
                self.linkage.names[unit].leave_to(0);
            }
        }
        self.linkage.notes.clear();
        self.input.unit = 0;
    }

    fn set_aside(&mut self, item: ItemKind, diagnostic: &Diagnostic) {
        let unit = self.input.ast();
        let mut names = Vec::new();
        match item {
            ItemKind::Function(id) => names.extend(unit.functions[id].declarator.name),
            ItemKind::Declaration(id) => {
                names.extend(unit.decls[id].declarators.iter().filter_map(|d| d.declarator.name));
            }
            _ => {}
        }
        for name in names {
            self.linkage.failed.insert((self.input.unit, name), diagnostic.clone());
        }
    }

    /// The diagnostic for a name that means nothing.
    pub fn lookup_failed<T>(&self, name: ast::Symbol, span: Span) -> Fallible<T> {
        match self.linkage.failed.get(&(self.input.unit, name)) {
            Some(diagnostic) => Err(Box::new(diagnostic.clone())),
            None => self.error(span, format!("`{}` is not declared", self.input.text(name))),
        }
    }

    /// The type of a defined function.
    pub fn definition_type(
        &mut self,
        definition: &'a ast::FunctionDefinition,
    ) -> Fallible<QualType> {
        let unit = self.input.ast();
        let base = self.base_type(&definition.specifiers)?;
        let mut ty = self.declared_type(base, &definition.declarator, Lengths::Forget)?;
        if let Some(parameters) = definition.parameters()
            && let ast::ParametersKind::Names(names) = &unit.params[parameters].kind
        {
            let types = self.old_style_types(definition, names)?;
            if let CType::Function(f) = self.types.get(ty.ty).clone() {
                let parameters = types.into_iter().map(|(ty, _)| ty).collect();
                ty.ty = self.types.intern(CType::Function(FunctionTy { parameters, ..f }));
            }
        }
        if !self.types.is_function(ty.ty) {
            return self.error(definition.declarator.span, "the definition is not of a function");
        }
        Ok(ty)
    }

    fn declare_function(&mut self, id: ast::FunctionId) -> Fallible<()> {
        let unit = self.input.ast();
        let definition = &unit.functions[id];
        let Some(name) = definition.declarator.name else {
            return self.error(definition.span, "a function without a name");
        };
        let ty = self.definition_type(definition)?;
        let is_static = matches!(definition.specifiers.storage, Some((StorageClass::Static, _)));
        let traits = self.traits(&definition.specifiers, &definition.declarator)?;
        self.declare_global(Declared {
            name,
            ty,
            is_static,
            is_extern: false,
            is_inline: definition.specifiers.is_inline,
            definition: Some(Definition::Function(self.input.unit, id)),
            span: definition.declarator.name_span,
            align: 0,
            traits,
        })
        .map(drop)
    }

    fn declare_file_scope(&mut self, id: ast::DeclId) -> Fallible<()> {
        let unit = self.input.ast();
        let declaration = &unit.decls[id];
        let specifiers = &declaration.specifiers;
        if declaration.declarators.is_empty()
            && let ast::BaseType::Record(record) = specifiers.base
        {
            return self.forward_record(record);
        }
        if specifiers.base == ast::BaseType::AutoType {
            return self.unsupported(specifiers.base_span, "`__auto_type` at file scope is");
        }
        let base = self.base_type(specifiers)?;
        let storage = specifiers.storage.map(|(class, _)| class);
        let shared = self.linkage.notes.len();
        for d in &declaration.declarators {
            self.linkage.notes.truncate(shared);
            // One that fails does not take the others with it.
            if let Err(diagnostic) = self.declare_one(base, storage, specifiers, d)
                && let Some(name) = d.declarator.name
            {
                self.linkage.failed.insert((self.input.unit, name), *diagnostic);
            }
        }
        Ok(())
    }

    fn declare_one(
        &mut self,
        base: QualType,
        storage: Option<StorageClass>,
        specifiers: &'a ast::Specifiers,
        d: &'a ast::InitDeclarator,
    ) -> Fallible<()> {
        let Some(name) = d.declarator.name else { return Ok(()) };
        let mut ty = self.declared_type(base, &d.declarator, Lengths::Evaluate)?;
        if storage == Some(StorageClass::Typedef) {
            self.names_mut().set(name, Binding::Typedef(ty));
            if !self.linkage.notes.is_empty() {
                self.linkage
                    .typedef_notes
                    .insert((self.input.unit, name), self.linkage.notes.clone());
            }
            return Ok(());
        }
        if storage == Some(StorageClass::Register) {
            return self.unsupported(d.span, "a global variable in a register is");
        }
        let definition = match d.initializer {
            Some(init) => {
                ty = self.complete_by_initializer(ty, init)?;
                Some(Definition::Initializer(self.input.unit, init))
            }
            None => None,
        };
        let traits = self.traits(specifiers, &d.declarator)?;
        let align = self.declared_alignment(specifiers, &d.declarator)?;
        self.declare_global(Declared {
            name,
            ty,
            is_static: storage == Some(StorageClass::Static),
            is_extern: storage == Some(StorageClass::Extern),
            is_inline: specifiers.is_inline,
            definition,
            span: d.declarator.name_span,
            align,
            traits,
        })
        .map(drop)
    }

    /// An array without a length takes it from its initialiser.
    pub fn complete_by_initializer(
        &mut self,
        ty: QualType,
        init: ast::InitId,
    ) -> Fallible<QualType> {
        match *self.types.get(ty.ty) {
            CType::Array(of, ArrayLen::Unknown) => {
                let len = self.initializer_length(of, init)?;
                let array = self.types.array(of, ArrayLen::Fixed(len));
                Ok(QualType { ty: array, ..ty })
            }
            _ => Ok(ty),
        }
    }

    /// A function that is called but nowhere declared: `int f()` (C89).
    pub fn implicit_function(&mut self, name: &str, span: Span) -> GlobalId {
        if let Some(&id) = self.linkage.by_name.get(name) {
            return id;
        }
        let result = self.types.int().into();
        let ty = self.types.intern(CType::Function(FunctionTy {
            result,
            parameters: std::rc::Rc::new([]),
            variadic: false,
            prototype: false,
        }));
        let span = self.input.span(span);
        let global = Global::new(name.to_owned(), ty.into(), self.input.unit, span);
        let id = self.linkage.globals.push(Global { undeclared: true, ..global });
        self.linkage.by_name.insert(name.to_owned(), id);
        id
    }
}
