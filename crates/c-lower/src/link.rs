//! Linking: what several declarations and several files say of one name.

use crate::attributes::{self};
use crate::context::Lowerer;
use crate::emission::Emission;
use crate::global::{Definition, Global, GlobalId, Traits};
use crate::input::Fallible;
use crate::scope::Binding;
use crate::types::{Note, QualType};
use bolide_base::{Diagnostic, Span};
use bolide_c_syntax::ast::{self, Symbol};

/// One declaration of a variable with linkage or of a function.
pub struct Declared {
    pub name: Symbol,
    pub ty: QualType,
    pub is_static: bool,
    pub is_extern: bool,
    pub is_inline: bool,
    pub definition: Option<Definition>,
    pub span: Span,
    pub align: u64,
    pub traits: Traits,
}

/// The priority of constructors and destructors that say none; they count as the last.
const NO_PRIORITY: u64 = 65535;

/// How the names begin by which CBMC lets other files see static functions.
const EXPORTED: &str = "__CPROVER_file_local_";

impl Emission {
    fn conflict(&mut self, span: Span, earlier: Span, message: String) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(span, message).with_related(earlier, "the other definition is here");
        // A conflict is an error even if nobody uses the name.
        self.diagnostics.push(diagnostic.clone());
        diagnostic
    }
}

impl Lowerer<'_> {
    /// Enters a declaration and joins it with earlier ones of the same name.
    // Long: what each part of a declaration changes, one after the other.
    pub fn declare_global(&mut self, declared: Declared) -> Fallible<GlobalId> {
        let label = declared.traits.label.as_deref();
        let name = label.unwrap_or(self.input.text(declared.name)).to_owned();
        let is_function = self.types.is_function(declared.ty.ty);
        let known = self.earlier_declaration(&declared, &name, is_function);
        let span = self.input.span(declared.span);
        let id = match known {
            Some(id) => id,
            None => {
                let mut global = Global::new(name.clone(), declared.ty, self.input.unit, span);
                global.is_static = declared.is_static;
                let id = self.linkage.globals.push(global);
                if !declared.is_static && self.is_apart(&name, is_function) {
                    self.linkage.model_by_name.insert(name.clone(), id);
                } else if !declared.is_static {
                    self.linkage.by_name.insert(name.clone(), id);
                }
                id
            }
        };
        self.names_mut().set(declared.name, Binding::Global(id));
        let old = self.linkage[id].clone();
        if known.is_some() {
            self.join_types(id, &declared, is_function, span)?;
        }
        let in_model = self.input.in_model();
        let removed = self.is_removed(&declared, &name, span);
        let prototype = self.types.function(declared.ty.ty).is_some_and(|f| f.prototype);
        let unit = self.input.unit;
        let global = &mut self.linkage.globals[id];
        if prototype && !global.prototypes.iter().any(|&(known, _)| known == unit) {
            global.prototypes.push((unit, span.start));
        }
        global.align = global.align.max(declared.align);
        if declared.traits.weak {
            global.weak_in = Some(self.input.unit);
        }
        let weak = global.weak_in == Some(self.input.unit);
        global.traits.join(declared.traits);
        // Facts know names of the source only.
        global.address_taken |= global.traits.label.is_some();
        global.notes.extend(self.linkage.notes.iter().cloned());
        if !is_function && !declared.is_extern && declared.definition.is_none() {
            global.tentative = true;
        }
        global.is_secondary |= weak && old.definition.is_some_and(|d| d.unit() == self.input.unit);
        if removed {
            return Ok(id);
        }
        let Some(definition) = declared.definition else { return Ok(id) };
        let secondary = declared.is_inline || weak;
        match old.definition {
            Some(_) if in_model || secondary => {}
            None | Some(_) if old.definition.is_none() || old.is_secondary => {
                global.definition = Some(definition);
                global.is_secondary = secondary;
                global.span = span;
                // Required: the definition decides how arguments arrive.
                global.ty = declared.ty;
            }
            // As CBMC links: what stands first counts, and stubs stand first.
            Some(old)
                if self.input.options.is_unit_proof()
                    && matches!(definition, Definition::Function(..)) =>
            {
                let first_stub = self.input.first_model - self.input.options.stubs;
                if old.unit() < first_stub && self.input.unit >= first_stub {
                    global.definition = Some(definition);
                    global.span = span;
                    global.ty = declared.ty;
                }
                self.warn(
                    declared.span,
                    format!("`{name}` has several bodies; that of the first stub counts"),
                );
            }
            _ => {
                return Err(Box::new(self.out.conflict(
                    span,
                    old.span,
                    format!("`{name}` is defined twice"),
                )));
            }
        }
        Ok(id)
    }

    /// The global that earlier declarations made of what is declared here.
    fn earlier_declaration(
        &self,
        declared: &Declared,
        name: &str,
        is_function: bool,
    ) -> Option<GlobalId> {
        let here = match self.names().get(declared.name) {
            Some(Binding::Global(id)) => Some(id),
            _ => None,
        };
        let statics = here.filter(|&id| self.linkage[id].is_static);
        if declared.is_static {
            return statics;
        }
        // Without `static`, an earlier `static` declaration of the file decides.
        match statics.filter(|&id| self.linkage[id].unit == self.input.unit) {
            Some(id) => Some(id),
            // An earlier declaration of the file named it for the assembler.
            None if declared.traits.label.is_none()
                && here.is_some_and(|id| self.is_relabelled(id)) =>
            {
                here
            }
            None if self.is_apart(name, is_function) => {
                self.linkage.model_by_name.get(name).copied()
            }
            None => self.linkage.by_name.get(name).copied(),
        }
    }

    /// What the attributes and the assembler name of a declaration say.
    pub fn traits(
        &mut self,
        specifiers: &ast::Specifiers,
        declarator: &ast::Declarator,
    ) -> Fallible<Traits> {
        let mut traits = Traits { noreturn: specifiers.is_noreturn, ..Traits::default() };
        for attribute in specifiers.attributes.iter().chain(&declarator.attributes) {
            match self.input.text(attribute.name) {
                "noreturn" | "_Noreturn" => traits.noreturn = true,
                "weak" => traits.weak = true,
                "alias" => traits.alias = self.input.attribute_text(attribute),
                "weakref" => {
                    traits.weak = true;
                    traits.alias = self.input.attribute_text(attribute).or(traits.alias);
                }
                "constructor" => {
                    traits.constructor = Some(self.attribute_number(attribute, NO_PRIORITY)?);
                }
                "destructor" => {
                    traits.destructor = Some(self.attribute_number(attribute, NO_PRIORITY)?);
                }
                _ => {}
            }
        }
        // Headers of the library name other versions of the function that they declare.
        let place = self.input.sources.position(self.input.span(declarator.span).start);
        let in_header = self.input.in_model() || place.is_some_and(|p| p.file.starts_with("/usr/"));
        if let Some(label) = declarator.asm_label.filter(|_| !in_header) {
            traits.label = Some(self.input.ast().strings[label].text().into());
        }
        Ok(traits)
    }

    /// What is weak and defined nowhere has no address, unless the program is linked with
    /// something that defines it: nobody knows.
    pub fn refuse_missing_weak(&mut self, id: GlobalId, span: Span) {
        let global = &self.linkage[id];
        let defined = global.definition.is_some()
            || global.tentative
            || crate::models::table::find(&global.name).is_some();
        if global.traits.weak && !defined {
            let what = format!("the address of `{}`, which is weak and not defined", global.name);
            self.unmodelled(span, what);
        }
    }

    fn is_relabelled(&self, id: GlobalId) -> bool {
        let global = &self.linkage[id];
        global.unit == self.input.unit && global.traits.label.is_some()
    }

    /// Gives aliases the functions and variables that they are other names of, once all
    /// declarations of the program are known.
    pub fn resolve_aliases(&mut self) {
        self.join_exported();
        for unit in 0..self.input.first_model {
            self.input.unit = unit;
            self.see_pragmas();
        }
        for id in self.linkage.globals.ids() {
            let global = &self.linkage[id];
            let Some(target) = global.traits.alias.clone() else { continue };
            let is_error = self.input.options.error_functions.contains(&global.name);
            // What is weak gives way to a definition of another file.
            if global.definition.is_some() || is_error {
                continue;
            }
            self.input.unit = global.unit;
            match self.alias_target(id, &target) {
                Some(target) => self.stand_for(id, target),
                None => {
                    let note = Note { name: "alias".into(), span: self.linkage[id].span };
                    self.linkage[id].notes.push(note);
                }
            }
        }
    }

    /// All names of one global mean another.
    fn stand_for(&mut self, id: GlobalId, target: GlobalId) {
        self.linkage[target].address_taken = true;
        self.linkage.names.iter_mut().for_each(|names| names.replace(id, target));
        self.linkage.by_name.values_mut().filter(|v| **v == id).for_each(|v| *v = target);
    }

    /// The name by which CBMC lets other files see a static function of a file.
    fn exported_name(&self, name: &str, span: Span) -> Option<String> {
        let file = self.input.sources.position(span.start)?.file;
        let file = file.rsplit('/').next()?.replace('.', "_");
        Some(format!("{EXPORTED}{file}_{name}"))
    }

    /// Whether the definition of a function is taken out.
    fn is_removed(&self, declared: &Declared, name: &str, span: Span) -> bool {
        let options = &self.input.options;
        let is_own = self.input.unit + options.stubs < self.input.first_model;
        let exported = declared.is_static.then(|| self.exported_name(name, span)).flatten();
        is_own
            && matches!(declared.definition, Some(Definition::Function(..)))
            && [Some(name), exported.as_deref()]
                .into_iter()
                .flatten()
                .any(|name| options.removed_bodies.contains(name))
    }

    /// Joins static functions with what other files say of them by the names that CBMC gives them: of the two, that with
    /// a body counts.
    fn join_exported(&mut self) {
        let exported: Vec<(String, GlobalId)> = self
            .linkage
            .by_name
            .iter()
            .filter(|(name, _)| name.starts_with(EXPORTED))
            .map(|(name, &id)| (name.clone(), id))
            .collect();
        for (name, id) in exported {
            let is_it = |&inner: &GlobalId| {
                let global = &self.linkage[inner];
                global.is_static
                    && name.ends_with(&global.name)
                    && self.exported_name(&global.name, global.span).as_ref() == Some(&name)
            };
            let inner: Vec<GlobalId> = self.linkage.globals.ids().filter(is_it).collect();
            for inner in inner {
                match self.linkage[inner].definition {
                    None => self.stand_for(inner, id),
                    Some(_) if self.linkage[id].definition.is_none() => self.stand_for(id, inner),
                    Some(_) => {}
                }
            }
        }
    }

    /// What an alias of the unit stands for: it is of the same kind, and no alias itself.
    fn alias_target(&self, alias: GlobalId, target: &str) -> Option<GlobalId> {
        let mut target = target.to_owned();
        // As many steps as there are globals: a circle has no end.
        for _ in 0..self.linkage.globals.len() {
            let here = self.input.ast().names.get(&target).and_then(|s| self.names().get(s));
            let id = match here {
                Some(Binding::Global(id)) if self.linkage[id].name == target => id,
                _ => *self.linkage.by_name.get(&target)?,
            };
            if id == alias {
                return None;
            }
            let global = &self.linkage[id];
            match &global.traits.alias {
                Some(next) if global.definition.is_none() => target = next.to_string(),
                _ => {
                    let (a, b) = (self.linkage[alias].ty.ty, global.ty.ty);
                    let same = self.types.is_function(a) == self.types.is_function(b);
                    return (same && self.types.compatible(a, b)).then_some(id);
                }
            }
        }
        None
    }

    /// Pragmas of the unit that mean something, besides those that concern records; gcc ignores
    /// what it does not know.
    fn see_pragmas(&mut self) {
        let unit = self.input.ast();
        for pragma in &unit.pragmas {
            let text: Vec<&str> = pragma.text.split_whitespace().collect();
            let text = text.join(" ");
            let flags = text.strip_prefix("GCC optimize");
            if flags.is_some_and(|flags| !attributes::are_levels(flags))
                || text == "STDC FLOAT_CONST_DECIMAL64 ON"
            {
                self.unmodelled(pragma.span, format!("the pragma `{text}`"));
            }
            let words: Vec<&str> =
                pragma.text.split(|c: char| c.is_whitespace() || c == '=').collect();
            let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
            let Some(Binding::Global(id)) = words
                .get(1)
                .and_then(|name| unit.names.get(name))
                .and_then(|symbol| self.names().get(symbol))
            else {
                continue;
            };
            match words[..] {
                ["weak", _] => self.linkage[id].traits.weak = true,
                ["weak", _, target] => {
                    self.linkage[id].traits.weak = true;
                    self.linkage[id].traits.alias = Some(target.into());
                }
                ["redefine_extname", ..] => {
                    let note = Note { name: "redefine_extname".into(), span: pragma.span };
                    self.linkage[id].notes.push(note);
                }
                _ => {}
            }
        }
    }

    /// Whether a name of the models is not the program's: the library never calls the program's own
    /// `isupper`. Only its memory may be replaced.
    fn is_apart(&self, name: &str, is_function: bool) -> bool {
        if !self.input.in_model() || matches!(name, "malloc" | "calloc" | "realloc" | "free") {
            return false;
        }
        let Some(&id) = self.linkage.by_name.get(name) else { return false };
        let global = &self.linkage[id];
        let own = global.definition.is_some_and(|d| d.unit() < self.input.first_model);
        own || self.types.is_function(global.ty.ty) != is_function
    }

    fn join_types(
        &mut self,
        id: GlobalId,
        declared: &Declared,
        is_function: bool,
        span: Span,
    ) -> Fallible<()> {
        let old = self.linkage[id].clone();
        if self.types.is_function(old.ty.ty) != is_function {
            let message = format!("`{}` is declared as a function and as a variable", old.name);
            return Err(Box::new(self.out.conflict(span, old.span, message)));
        }
        if self.types.compatible(old.ty.ty, declared.ty.ty) {
            let ty = self.types.composite(old.ty, declared.ty);
            if old.definition.is_none() || !is_function {
                self.linkage[id].ty = ty;
            }
        } else if !self.input.in_model() {
            let (a, b) = (self.types.spell(old.ty.ty), self.types.spell(declared.ty.ty));
            let mut warning = Diagnostic::warning(
                span,
                format!("`{}` is declared with type `{b}` here, with `{a}` elsewhere", old.name),
            );
            warning = warning.with_related(old.span, "the other declaration is here");
            self.out.diagnostics.push(warning);
        }
        Ok(())
    }
}
