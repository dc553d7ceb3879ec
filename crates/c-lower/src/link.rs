//! Linking: what several declarations and several files say of one name.

use crate::context::{Definition, Fallible, Global, GlobalId, Lowerer};
use crate::scope::Binding;
use crate::types::QualType;
use bolide_base::{Diagnostic, Span};
use bolide_c_syntax::ast::Symbol;

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
    pub noreturn: bool,
}

impl Global {
    /// A global of which nothing but name and type is known.
    pub fn new(name: String, ty: QualType, unit: usize, span: Span) -> Self {
        Global {
            name,
            ty,
            is_static: false,
            unit,
            span,
            definition: None,
            tentative: false,
            place: None,
            function: None,
            align: 0,
            address_taken: false,
            noreturn: false,
            requested: false,
            is_inline: false,
        }
    }
}

impl Lowerer<'_> {
    /// Enters a declaration and joins it with earlier ones of the same name.
    pub fn declare_global(&mut self, declared: Declared) -> Fallible<GlobalId> {
        let name = self.text(declared.name).to_owned();
        let is_function = self.types.is_function(declared.ty.ty);
        let here = match self.names[self.unit].get(declared.name) {
            Some(Binding::Global(id)) => Some(id),
            _ => None,
        };
        // Without `static`, an earlier `static` declaration of the file decides.
        let known = if declared.is_static {
            here.filter(|&id| self.globals[id].is_static)
        } else {
            match here
                .filter(|&id| self.globals[id].is_static && self.globals[id].unit == self.unit)
            {
                Some(id) => Some(id),
                None if self.is_apart(&name, is_function) => self.model_linkage.get(&name).copied(),
                None => self.linkage.get(&name).copied(),
            }
        };
        let span = self.span(declared.span);
        let id = match known {
            Some(id) => id,
            None => {
                let mut global = Global::new(name.clone(), declared.ty, self.unit, span);
                global.is_static = declared.is_static;
                let id = self.globals.push(global);
                if !declared.is_static && self.is_apart(&name, is_function) {
                    self.model_linkage.insert(name.clone(), id);
                } else if !declared.is_static {
                    self.linkage.insert(name.clone(), id);
                }
                id
            }
        };
        self.names[self.unit].set(declared.name, Binding::Global(id));
        let old = self.globals[id].clone();
        if known.is_some() {
            self.join_types(id, &declared, is_function, span)?;
        }
        let global = &mut self.globals[id];
        global.align = global.align.max(declared.align);
        global.noreturn |= declared.noreturn;
        if !is_function && !declared.is_extern && declared.definition.is_none() {
            global.tentative = true;
        }
        if let Some(definition) = declared.definition {
            match old.definition {
                None => {
                    global.definition = Some(definition);
                    global.is_inline = declared.is_inline;
                    global.span = span;
                    // Required: the definition decides how arguments arrive.
                    global.ty = declared.ty;
                }
                Some(_) if self.in_model() || declared.is_inline || old.is_inline => {}
                Some(_) => {
                    return Err(Box::new(self.conflict(
                        span,
                        old.span,
                        format!("`{name}` is defined twice"),
                    )));
                }
            }
        }
        Ok(id)
    }

    /// Whether a name of the models is not the program's: the library never calls the program's own
    /// `isupper`. Only its memory may be replaced.
    fn is_apart(&self, name: &str, is_function: bool) -> bool {
        if !self.in_model() || matches!(name, "malloc" | "calloc" | "realloc" | "free") {
            return false;
        }
        let Some(&id) = self.linkage.get(name) else { return false };
        let global = &self.globals[id];
        let own = match global.definition {
            Some(Definition::Function(unit, _) | Definition::Initializer(unit, _)) => {
                unit < self.first_model
            }
            None => false,
        };
        own || self.types.is_function(global.ty.ty) != is_function
    }

    fn conflict(&mut self, span: Span, earlier: Span, message: String) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(span, message).with_related(earlier, "the other definition is here");
        // A conflict is an error even if nobody uses the name.
        self.diagnostics.push(diagnostic.clone());
        diagnostic
    }

    fn join_types(
        &mut self,
        id: GlobalId,
        declared: &Declared,
        is_function: bool,
        span: Span,
    ) -> Fallible<()> {
        let old = self.globals[id].clone();
        if self.types.is_function(old.ty.ty) != is_function {
            let message = format!("`{}` is declared as a function and as a variable", old.name);
            return Err(Box::new(self.conflict(span, old.span, message)));
        }
        if self.types.compatible(old.ty.ty, declared.ty.ty) {
            let ty = self.types.composite(old.ty, declared.ty);
            if old.definition.is_none() || !is_function {
                self.globals[id].ty = ty;
            }
        } else if !self.in_model() {
            let (a, b) = (self.types.spell(old.ty.ty), self.types.spell(declared.ty.ty));
            let mut warning = Diagnostic::warning(
                span,
                format!("`{}` is declared with type `{b}` here, with `{a}` elsewhere", old.name),
            );
            warning = warning.with_related(old.span, "the other declaration is here");
            self.diagnostics.push(warning);
        }
        Ok(())
    }
}
