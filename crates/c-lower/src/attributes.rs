//! Attributes: a closed list.
//!
//! Each attribute is harmless (what the program computes does not depend on it), modelled (some
//! other module gives it its meaning) or unmodelled. A name that is in no list is unmodelled. What
//! is unmodelled is recorded with the program when the function, variable or type that carries it
//! is used by something that runs; then no verdict stands.
//!
//! Declarations at file scope are read before anybody knows what will be used. Their unmodelled
//! attributes are kept as [`Note`]s of the global, the typedef or the record, and told at its
//! first use. Inside of functions there is nothing to wait for.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::global::GlobalId;
use crate::input::{Fallible, Input};
use crate::types::{Note, RecordTy};
use bolide_base::Span;
use bolide_c_syntax::ast::{self, Attribute, AttributeArgument, ExprKind};

/// What an attribute is to lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Says nothing about what the program computes.
    Harmless,
    /// Has its meaning in lowering.
    Modelled,
    /// Means something that lowering does not know.
    Unmodelled,
}

/// The names, without the underscores around them, and why they are harmless.
const HARMLESS: &[(&str, &str)] = &[
    (
        "tell what to warn about",
        "unused maybe_unused deprecated unavailable warning error format format_arg nonnull \
         returns_nonnull nonnull_if_nonzero sentinel warn_unused_result nodiscard nonstring \
         designated_init warn_if_not_aligned access fd_arg fd_arg_read fd_arg_write \
         null_terminated_string_arg tainted_args counted_by strict_flex_array fallthrough \
         enum_extensibility flag_enum availability noescape noderef no_dangling suppress \
         btf_decl_tag btf_type_tag annotate",
    ),
    (
        "tell the optimiser what holds anyway",
        "pure const unsequenced reproducible malloc alloc_size alloc_align assume_aligned leaf \
         nothrow hot cold likely unlikely may_alias expected_throw",
    ),
    (
        "choose how machine code is made",
        "noinline always_inline gnu_inline noclone noipa no_icf flatten artificial target \
         target_clones simd no_instrument_function no_profile_instrument_function no_sanitize \
         no_sanitize_address no_address_safety_analysis no_sanitize_thread no_sanitize_undefined \
         no_sanitize_coverage no_split_stack no_stack_limit no_stack_protector stack_protect \
         patchable_function_entry zero_call_used_regs strub uninitialized noplt nocf_check \
         cf_check indirect_branch function_return indirect_return fentry_name fentry_section \
         no_callee_saved_registers no_caller_saved_registers force_align_arg_pointer minsize \
         optnone nodebug nomerge musttail not_tail_called disable_tail_calls convergent hotpatch \
         ms_hook_prologue callback",
    ),
    (
        "say where the linker puts it and who sees it",
        "used retain visibility externally_visible common nocommon tls_model no_reorder \
         nodirect_extern_access selectany dllexport model",
    ),
    (
        "are calling conventions, on which caller and callee agree",
        "cdecl stdcall fastcall thiscall vectorcall regparm sseregparm ms_abi sysv_abi \
         preserve_most preserve_all pcs",
    ),
    ("are those of other tools, which gcc ignores", "ldv_model ldv_model_inline"),
];

/// Who gives them their meaning: `specifiers` (types and layout), `link` and `entry` (functions).
const MODELLED: &[(&str, &str)] = &[
    ("types", "packed aligned mode vector_size ext_vector_type transparent_union"),
    ("functions", "noreturn _Noreturn constructor destructor"),
    ("linking", "alias weak weakref"),
    ("depend on their argument", "section optimize scalar_storage_order"),
];

/// What an attribute of this name is.
pub fn meaning(name: &str) -> Meaning {
    let lists = |rows: &[(&str, &str)]| {
        rows.iter().any(|(_, names)| names.split_whitespace().any(|listed| listed == name))
    };
    match name {
        _ if lists(HARMLESS) => Meaning::Harmless,
        _ if lists(MODELLED) => Meaning::Modelled,
        _ => Meaning::Unmodelled,
    }
}

/// Whether flags of the compiler only say how much to optimise.
pub fn are_levels(flags: &str) -> bool {
    let flags = flags.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    flags.filter(|flag| !flag.is_empty()).all(|flag| {
        let level = flag.trim_start_matches('-').strip_prefix('O').unwrap_or(flag);
        level.is_empty() || level == "s" || level == "g" || level.parse::<u32>().is_ok()
    })
}

/// Sections whose contents the start of the program calls, also with a priority behind the name.
const CALLED_SECTIONS: &[&str] =
    &[".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"];

/// Sections that the start of the program runs through. Others of such names, as the kernel's `.init.text`, are not run.
const RUN_SECTIONS: [&str; 2] = [".init", ".fini"];

impl Input<'_> {
    /// Whether an attribute has its meaning with this argument.
    fn is_understood(&self, name: &str, attribute: &Attribute) -> bool {
        let argument = self.attribute_text(attribute);
        match name {
            // Flags of the compiler, such as `fast-math`, change what is computed; levels do not.
            "optimize" => argument.is_none_or(|flags| are_levels(&flags)),
            "section" => argument.is_some_and(|section| {
                let called = CALLED_SECTIONS.iter().any(|s| section.starts_with(*s))
                    || RUN_SECTIONS.contains(&&*section);
                // The linker gives these names to the ends of a section.
                let ends = ["__start_", "__stop_"].iter().any(|end| {
                    self.units.iter().any(|u| u.names.get(&format!("{end}{section}")).is_some())
                });
                !called && !ends
            }),
            "scalar_storage_order" => argument.as_deref() == Some("little-endian"),
            _ => true,
        }
    }

    /// The text of an attribute whose first argument is one.
    pub fn attribute_text(&self, attribute: &Attribute) -> Option<Box<str>> {
        let Some(AttributeArgument::Expr(e)) = attribute.arguments.first() else { return None };
        let unit = self.ast();
        match unit.exprs[*e].kind {
            ExprKind::String(id) => Some(unit.strings[id].text().into()),
            _ => None,
        }
    }

    /// Whether `#pragma scalar_storage_order` turns the bytes around at a place.
    pub fn is_big_endian(&self, at: Span) -> bool {
        let before = self.ast().pragmas.iter().filter(|p| p.span.start < at.start);
        let mut orders = before.filter_map(|p| p.text.trim().strip_prefix("scalar_storage_order"));
        orders.next_back().is_some_and(|order| order.trim() == "big-endian")
    }

    /// Whether an attribute of this name is there.
    pub fn has_attribute(&self, attributes: &[Attribute], name: &str) -> bool {
        attributes.iter().any(|a| self.text(a.name) == name)
    }
}

impl Emission {
    /// Records a noted attribute with the program.
    fn tell(&mut self, note: &Note, of: Option<&str>) {
        let of = of.map(|name| format!(" of `{name}`")).unwrap_or_default();
        let what = format!("the attribute `{}`{of}", note.name);
        // The span is that of the outside already, so a model in progress must not drop it.
        let record = bolide_cfa::Unmodelled { what, span: note.span };
        if !self.program.unmodelled.contains(&record) {
            self.program.unmodelled.push(record);
        }
    }
}

impl Lowerer<'_> {
    /// Sees an attribute: what is unmodelled is noted for whoever is being declared.
    pub fn see_attribute(&mut self, attribute: &Attribute) {
        if self.input.in_model() {
            return;
        }
        let name = self.input.text(attribute.name);
        let harmless = match meaning(name) {
            Meaning::Harmless => true,
            Meaning::Unmodelled => false,
            Meaning::Modelled => self.input.is_understood(name, attribute),
        };
        if !harmless {
            let note = Note { name: name.into(), span: self.input.span(attribute.span) };
            self.note(note);
        }
    }

    /// Sees all of them.
    pub fn see_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.see_attribute(attribute);
        }
    }

    /// Keeps a note for the declaration being read; within a function it is told at once.
    pub fn note(&mut self, note: Note) {
        if self.out.at.active {
            self.out.tell(&note, None);
        } else {
            self.linkage.notes.push(note);
        }
    }

    /// A global is used: its notes count.
    pub fn tell_notes_of_global(&mut self, id: GlobalId) {
        for note in std::mem::take(&mut self.linkage[id].notes) {
            let name = self.linkage[id].name.clone();
            self.out.tell(&note, Some(&name));
        }
    }

    /// A member or the size of a record is used: its notes count.
    pub fn tell_notes_of_record(&mut self, record: RecordTy) {
        for note in std::mem::take(&mut self.types.records[record].notes) {
            let name = self.types.of_record(record).map(|ty| self.types.spell(ty));
            self.out.tell(&note, name.as_deref());
        }
    }

    /// Attributes of the statements of a function.
    pub fn see_statement_attributes(&mut self, function: &ast::FunctionDefinition) {
        let unit = self.input.ast();
        let within =
            |a: &&Attribute| function.span.start <= a.span.start && a.span.end <= function.span.end;
        for attribute in unit.statement_attributes.iter().filter(within) {
            self.see_attribute(attribute);
        }
    }

    /// The constant argument of an attribute, `default` without one.
    pub fn attribute_number(&mut self, attribute: &Attribute, default: u64) -> Fallible<u64> {
        match attribute.arguments.first() {
            None => Ok(default),
            Some(AttributeArgument::Type(_)) => Ok(default),
            Some(AttributeArgument::Expr(e)) => {
                let (value, _) = self.constant_int(*e)?;
                u64::try_from(value)
                    .map_or_else(|_| self.error(attribute.span, "the argument is negative"), Ok)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_in_two_lists() {
        let mut seen = std::collections::BTreeSet::new();
        let rows = HARMLESS.iter().chain(MODELLED);
        for name in rows.flat_map(|(_, names)| names.split_whitespace()) {
            assert!(seen.insert(name), "`{name}` is listed twice");
        }
    }

    #[test]
    fn what_is_in_no_list_is_unmodelled() {
        assert_eq!(meaning("ifunc"), Meaning::Unmodelled);
        assert_eq!(meaning("nobody_knows_me"), Meaning::Unmodelled);
        assert_eq!(meaning("unused"), Meaning::Harmless);
        assert_eq!(meaning("packed"), Meaning::Modelled);
    }
}
