//! The text of a sane caller, statement by statement.

use super::pairs::{is_length, is_room, lengths_of};
use super::uses::Uses;
use crate::context::Lowerer;
use crate::global::{Definition, GlobalId};
use crate::types::{ArrayLen, CType, IntKind, QualType, RecordTy, TyId};
use bolide_c_syntax::ast::{BaseType, EnumId, ParametersKind};
use std::fmt::Write;

/// What the names of our own begin with.
pub const OURS: &str = "bolide_";

/// How deep records that records point to are made.
const DEPTH: u32 = 2;

/// At most so many bytes or elements.
const LARGE: u32 = 1 << 16;

/// Elements of an array of which nobody says how long it is.
const ROOM: u32 = 4096;

/// Integers that are no lengths are within.
const NUMBERS: u32 = 1 << 20;

/// At most so many constructors of one record.
const CONSTRUCTORS: usize = 2;

/// What has been written so far.
pub struct Build<'l, 'a> {
    lowerer: &'l mut Lowerer<'a>,
    function: GlobalId,
    lines: String,
    stubs: String,
    assumptions: Vec<String>,
    count: usize,
    /// How deep constructors stand in each other.
    nested: u32,
}

/// Whether an integer is compared with zero from below for nothing.
fn is_unsigned(kind: IntKind) -> bool {
    !kind.is_signed()
}

/// Whether a function makes something, by its name.
fn makes(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = ["new", "create", "init", "make", "alloc", "compile", "open", "empty"];
    words.iter().any(|word| name.contains(word))
}

/// The function that gives any value of a type.
fn any(kind: IntKind) -> Option<&'static str> {
    Some(match kind {
        IntKind::Char | IntKind::SChar => "char",
        IntKind::UChar => "uchar",
        IntKind::Short => "short",
        IntKind::UShort => "ushort",
        IntKind::Int => "int",
        IntKind::UInt => "uint",
        IntKind::Long => "long",
        IntKind::ULong => "ulong",
        IntKind::LongLong => "longlong",
        IntKind::ULongLong => "ulonglong",
        IntKind::Int128 | IntKind::UInt128 => return None,
    })
}

impl<'l, 'a> Build<'l, 'a> {
    pub fn new(lowerer: &'l mut Lowerer<'a>, function: GlobalId) -> Self {
        let (lines, stubs, assumptions) = (String::new(), String::new(), Vec::new());
        Build { lowerer, function, lines, stubs, assumptions, count: 0, nested: 0 }
    }

    /// The statements, what stands before the function, and the assumptions.
    pub fn finish(self) -> (String, String, Vec<String>) {
        let size = "__typeof__(sizeof 0)";
        let head = format!(
            "extern void *malloc({size});\nextern unsigned long __VERIFIER_nondet_ulong(void);\n\
             extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n{}",
            self.stubs
        );
        (self.lines, head, self.assumptions)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.lines, "  {text}");
    }

    fn assume(&mut self, condition: &str) {
        self.line(&format!("__VERIFIER_assume({condition});"));
    }

    fn say(&mut self, words: String) {
        if self.nested == 0 && !self.assumptions.contains(&words) {
            self.assumptions.push(words);
        }
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("{OURS}{}", self.count)
    }

    /// A number of elements.
    fn size(&mut self, least: u32) -> String {
        let name = self.fresh();
        self.line(&format!("unsigned long {name} = __VERIFIER_nondet_ulong();"));
        self.assume(&format!("{least} <= {name} && {name} <= {LARGE}"));
        name
    }

    /// Gives values to the arguments, which are variables of these names.
    pub fn arguments(&mut self, names: &[String], types: &[QualType], uses: &[Uses]) {
        let types: Vec<TyId> = types.iter().map(|ty| ty.ty).collect();
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let is_integer: Vec<bool> = types.iter().map(|&ty| self.is_count(ty)).collect();
        // A record is one record, unless the code goes on behind it.
        let is_one = |this: &Self, i: usize| {
            let to = this.lowerer.types.pointee(types[i]);
            to.is_some_and(|to| this.lowerer.types.is_record(to.ty)) && !uses[i].indexed
        };
        let is_array: Vec<bool> =
            (0..types.len()).map(|i| self.may_be_array(types[i]) && !is_one(self, i)).collect();
        let mut lengths = lengths_of(&texts, &is_array, &is_integer);
        self.lend_lengths(&types, uses, &is_array, &is_integer, &mut lengths);
        for (i, &ty) in types.iter().enumerate() {
            if !self.lowerer.types.is_pointer(ty) {
                let is_size = lengths.contains(&Some(i)) || is_length(&names[i]);
                self.number(&names[i], ty, is_size);
            }
        }
        for (i, &ty) in types.iter().enumerate() {
            let makers = if self.nested == 0 { self.makers_of(i) } else { Vec::new() };
            if !makers.is_empty() {
                self.constructed(&names[i], &makers);
            } else if self.lowerer.types.is_pointer(ty) {
                let length = lengths[i].map(|at| names[at].as_str());
                self.pointer(&names[i], ty, uses[i], length, DEPTH);
            } else if self.lowerer.types.is_record(ty) {
                self.record(&names[i], ty, DEPTH);
            }
        }
    }

    /// A text that is copied to a buffer of a size: `to, from, size`; the size is that of the buffer.
    fn lend_lengths(
        &self,
        types: &[TyId],
        uses: &[Uses],
        is_array: &[bool],
        is_integer: &[bool],
        lengths: &mut [Option<usize>],
    ) {
        for i in 0..types.len().saturating_sub(2) {
            let are_two = is_array[i] && is_array[i + 1] && is_integer[i + 2];
            if are_two && lengths[i].is_none() && lengths[i + 1] == Some(i + 2) && uses[i].written {
                lengths[i] = Some(i + 2);
                if uses[i + 1].terminated {
                    lengths[i + 1] = None;
                }
            }
        }
    }

    fn is_count(&self, ty: TyId) -> bool {
        matches!(self.lowerer.types.get(ty), CType::Int(kind) if kind.rank() > 1)
    }

    fn may_be_array(&self, ty: TyId) -> bool {
        self.lowerer.types.pointee(ty).is_some_and(|to| !self.lowerer.types.is_function(to.ty))
    }

    /// Restricts a number.
    fn number(&mut self, place: &str, ty: TyId, is_size: bool) {
        match *self.lowerer.types.get(ty) {
            CType::Int(kind) if kind.rank() > 2 => {
                let most = if is_size { LARGE } else { NUMBERS };
                let least = match (is_unsigned(kind), is_size) {
                    (true, _) => String::new(),
                    (false, true) => format!("0 <= {place} && "),
                    (false, false) => format!("-{most} <= {place} && "),
                };
                self.assume(&format!("{least}{place} <= {most}"));
                if is_size {
                    self.say(format!("`{place}` is a length, at most {most}"));
                } else {
                    self.say(format!("`{place}` is at most {most}, on both sides"));
                }
            }
            CType::Enum(_) => {
                if let Some(values) = self.values_of(ty) {
                    let all: Vec<String> =
                        values.iter().map(|value| format!("{place} == {value}")).collect();
                    self.assume(&all.join(" || "));
                    self.say(format!("`{place}` is one of its enumeration"));
                }
            }
            CType::Float(_) => self.assume(&format!("-1e30 <= {place} && {place} <= 1e30")),
            _ => {}
        }
    }

    /// The enumerators of a type.
    fn values_of(&self, ty: TyId) -> Option<Vec<String>> {
        let unit = self.lowerer.input.unit;
        let known = &self.lowerer.linkage.enum_types[unit];
        let mut ids: Vec<EnumId> =
            known.iter().filter(|(_, of)| **of == ty).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        let ast = self.lowerer.input.units[unit];
        let values = ids.iter().find_map(|&id| ast.enums[id].enumerators.as_ref())?;
        let names = values.iter().map(|value| ast.name(value.name).to_owned());
        Some(names.collect::<Vec<_>>()).filter(|all| !all.is_empty() && all.len() <= 64)
    }

    /// Gives a pointer something to point to.
    fn pointer(&mut self, place: &str, ty: TyId, uses: Uses, length: Option<&str>, depth: u32) {
        let Some(to) = self.lowerer.types.pointee(ty) else { return };
        if self.lowerer.types.is_function(to.ty) {
            return self.callback(place, to.ty);
        }
        let may_be_null = uses.tested && length.is_none();
        if may_be_null {
            self.line(&format!("if (__VERIFIER_nondet_bool()) {place} = 0;"));
            self.line("else {");
        }
        self.object(place, to, uses, length, depth);
        if may_be_null {
            self.line("}");
            self.say(format!("`{place}` may be null"));
        }
    }

    fn object(&mut self, place: &str, to: QualType, uses: Uses, length: Option<&str>, depth: u32) {
        let types = &self.lowerer.types;
        let is_char = matches!(types.get(to.ty), CType::Int(kind) if kind.rank() == 1);
        let is_plain = matches!(types.get(to.ty), CType::Int(IntKind::Char));
        let is_void = types.is_void(to.ty);
        if let Some(length) = length {
            let each = if is_void { "1".to_owned() } else { format!("sizeof(*{place})") };
            self.line(&format!("{place} = malloc({length} * {each});"));
            return self.say(format!("`{place}` has `{length}` elements"));
        }
        if is_char && uses.terminated || is_plain && to.is_const && !uses.written && !uses.sized {
            return self.text(place);
        }
        match types.get(to.ty).clone() {
            CType::Record(record) if self.is_file(record) => {
                self.line(&format!("{place} = fopen(\"file\", \"r+\");"));
                self.assume(&format!("{place} != 0"));
            }
            CType::Record(record) if !types.records[record].complete => {
                self.line(&format!("{place} = malloc({ROOM});"));
            }
            CType::Record(record) => {
                let constructors = self.constructors_of(to.ty, record);
                if !constructors.is_empty() {
                    return self.constructed(place, &constructors);
                }
                if uses.indexed && !uses.freed && !uses.tested {
                    self.line(&format!("{place} = malloc({ROOM} * sizeof(*{place}));"));
                    return self.say(format!("`{place}` has {ROOM} elements or more"));
                }
                self.line(&format!("{place} = malloc(sizeof(*{place}));"));
                self.record(&format!("(*{place})"), to.ty, depth);
                self.say(format!("`{place}` points to a record with any sane members"));
            }
            CType::Pointer(_) => {
                self.line(&format!("{place} = malloc(sizeof(*{place}));"));
                if depth > 0 {
                    let uses = Uses { terminated: true, ..Uses::default() };
                    self.pointer(&format!("(*{place})"), to.ty, uses, None, depth - 1);
                }
                self.say(format!("`{place}` points to one pointer"));
            }
            CType::Void => {
                self.line(&format!("{place} = malloc({ROOM});"));
                self.say(format!("`{place}` has {ROOM} bytes or more"));
            }
            CType::Function(_) => {}
            _ if uses.indexed => {
                self.line(&format!("{place} = malloc({ROOM} * sizeof(*{place}));"));
                self.say(format!("`{place}` has {ROOM} elements or more"));
            }
            _ => {
                self.line(&format!("{place} = malloc(sizeof(*{place}));"));
                self.say(format!("`{place}` points to one element"));
            }
        }
    }

    /// A text with its end.
    fn text(&mut self, place: &str) {
        let (length, object) = (self.size(0), self.fresh());
        self.line(&format!("char *{object} = malloc({length} + 1);"));
        self.line(&format!("{object}[{length}] = 0;"));
        self.line(&format!("{place} = (void *){object};"));
        self.say(format!("`{place}` is a text with its end"));
    }

    fn is_file(&self, record: RecordTy) -> bool {
        self.lowerer.types.records[record].tag.as_deref() == Some("_IO_FILE")
    }

    /// The constructors of a record, where its members are such that they matter.
    fn constructors_of(&self, ty: TyId, record: RecordTy) -> Vec<(GlobalId, bool)> {
        let types = &self.lowerer.types;
        let matters = types.records[record]
            .fields
            .iter()
            .any(|field| types.is_pointer(field.ty.ty) || types.is_integer(field.ty.ty));
        if !matters || self.nested > 0 {
            return Vec::new();
        }
        self.constructors(|pointer| types.pointee(pointer).is_some_and(|to| to.ty == ty))
    }

    /// The constructors of what a program calls by a name of its own, though it is a pointer to bytes: functions that return it.
    fn makers_of(&self, i: usize) -> Vec<(GlobalId, bool)> {
        let Some(name) = self.handle(self.function, Some(i)) else { return Vec::new() };
        let mut found: Vec<(usize, GlobalId, bool)> = Vec::new();
        for (id, global) in self.lowerer.linkage.globals.iter() {
            let Some(function) = self.lowerer.types.function(global.ty.ty) else { continue };
            let count = function.parameters.len();
            let takes = (0..count).any(|i| self.handle(id, Some(i)).as_ref() == Some(&name));
            let returns = self.handle(id, None).as_ref() == Some(&name);
            if returns && !takes && id != self.function && !function.variadic && makes(&global.name)
            {
                found.push((count, id, true));
            }
        }
        found.sort_unstable();
        found.into_iter().take(CONSTRUCTORS).map(|(_, id, returns)| (id, returns)).collect()
    }

    /// The name of a pointer type that the type of a parameter, or of what a function returns, is.
    fn handle(&self, function: GlobalId, parameter: Option<usize>) -> Option<String> {
        let global = &self.lowerer.linkage[function];
        let Some(Definition::Function(unit, id)) = global.definition else { return None };
        let ty = self.lowerer.types.function(global.ty.ty)?;
        let ast = self.lowerer.input.units[unit];
        let definition = &ast.functions[id];
        let (base, derived, ty) = match parameter {
            None => {
                (definition.specifiers.base, definition.declarator.derived.len() - 1, ty.result)
            }
            Some(i) => match &ast.params[definition.parameters()?].kind {
                ParametersKind::Prototype { parameters, .. } => {
                    let parameter = parameters.get(i)?;
                    let derived = parameter.declarator.derived.len();
                    (parameter.specifiers.base, derived, *ty.parameters.get(i)?)
                }
                _ => return None,
            },
        };
        let BaseType::Typedef(name) = base else { return None };
        let is_own = derived == 0 && unit < self.lowerer.input.first_model;
        let to = self.lowerer.types.pointee(ty.ty).filter(|_| is_own)?;
        let types = &self.lowerer.types;
        let is_other = types.is_record(to.ty) || types.is_function(to.ty);
        (!is_other).then(|| ast.name(name).to_owned())
    }

    /// What one of these functions makes.
    fn constructed(&mut self, place: &str, constructors: &[(GlobalId, bool)]) {
        let names: Vec<String> =
            constructors.iter().map(|&(id, _)| self.lowerer.linkage[id].name.clone()).collect();
        let last = constructors.len() - 1;
        for (i, &(id, returns)) in constructors.iter().enumerate() {
            if i < last {
                self.line("if (__VERIFIER_nondet_bool()) {");
            } else if last > 0 {
                self.line("{");
            }
            self.construct(place, id, returns);
            if last > 0 {
                self.line(if i < last { "} else" } else { "}" });
            }
        }
        self.say(format!("`{place}` comes from `{}`", names.join("` or `")));
    }

    /// Functions that make or prepare what such a pointer leads to, those with the fewest parameters first, and whether each
    /// returns it.
    fn constructors(&self, is_it: impl Fn(TyId) -> bool) -> Vec<(GlobalId, bool)> {
        let mut found: Vec<(usize, GlobalId, bool)> = Vec::new();
        let types = &self.lowerer.types;
        for (id, global) in self.lowerer.linkage.globals.iter() {
            let Some(Definition::Function(unit, _)) = global.definition else { continue };
            let Some(function) = types.function(global.ty.ty) else { continue };
            if unit >= self.lowerer.input.first_model || id == self.function || function.variadic {
                continue;
            }
            let name = global.name.to_lowercase();
            let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
            let takes = function.parameters.iter().filter(|p| is_it(p.ty)).count();
            let first = function.parameters.first().is_some_and(|p| is_it(p.ty));
            let returns = is_it(function.result.ty);
            let makes = returns && takes == 0 && makes(&global.name);
            let prepares = first
                && takes == 1
                && !returns
                && says(&["init", "setup"])
                && !says(&["deinit", "uninit", "finit"]);
            if makes || prepares {
                found.push((function.parameters.len(), id, makes));
            }
        }
        found.sort_unstable();
        found.into_iter().take(CONSTRUCTORS).map(|(_, id, returns)| (id, returns)).collect()
    }

    /// Calls a constructor with sane arguments.
    fn construct(&mut self, place: &str, id: GlobalId, returns: bool) {
        let name = self.lowerer.linkage[id].name.clone();
        let ty = self.lowerer.linkage[id].ty.ty;
        let Some(function) = self.lowerer.types.function(ty).cloned() else { return };
        let given = usize::from(!returns);
        self.nested += 1;
        if !returns {
            self.line(&format!("{place} = malloc(sizeof(*{place}));"));
        }
        let mut names: Vec<String> = Vec::new();
        for parameter in function.parameters.iter().skip(given) {
            let name = self.fresh();
            self.declare(&name, parameter.ty);
            names.push(name);
        }
        let uses: Vec<Uses> =
            (given..function.parameters.len()).map(|i| self.lowerer.uses_of(id, i)).collect();
        self.arguments(&names, &function.parameters[given..], &uses);
        let arguments = names.join(", ");
        if returns {
            self.line(&format!("{place} = {name}({arguments});"));
            self.assume(&format!("{place} != 0"));
        } else if names.is_empty() {
            self.line(&format!("{name}({place});"));
        } else {
            self.line(&format!("{name}({place}, {arguments});"));
        }
        self.nested -= 1;
    }

    /// A variable of a type with any value.
    fn declare(&mut self, name: &str, ty: TyId) {
        let spelled = self.spelled(ty);
        let value = match *self.lowerer.types.get(ty) {
            CType::Int(kind) => any(kind).map(|any| format!("__VERIFIER_nondet_{any}()")),
            CType::Bool => Some("__VERIFIER_nondet_bool()".to_owned()),
            CType::Pointer(_) => Some("0".to_owned()),
            _ => None,
        };
        if let Some(value) = value.as_ref().filter(|v| v.starts_with("__V") && !v.contains("bool"))
        {
            let line = format!("extern {spelled} {value};\n").replace("()", "(void)");
            if !self.stubs.contains(&line) && !line.contains("nondet_ulong") {
                self.stubs += &line;
            }
        }
        let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
        self.line(&format!("{spelled} {name}{value};"));
    }

    /// A type as a declaration has it; what has no name is a pointer to anything.
    fn spelled(&self, ty: TyId) -> String {
        let types = &self.lowerer.types;
        match types.get(ty) {
            CType::Pointer(to) => {
                let is_named = match types.get(to.ty) {
                    CType::Record(record) => types.records[*record].tag.is_some(),
                    CType::Enum(id) => types.enums[*id].tag.is_some(),
                    CType::Function(_) | CType::Array(..) => false,
                    CType::Pointer(_) => true,
                    _ => true,
                };
                match (is_named, types.get(to.ty)) {
                    (true, CType::Pointer(_)) => format!("{}*", self.spelled(to.ty)),
                    (true, _) => types.spell(ty),
                    _ => "void *".to_owned(),
                }
            }
            CType::Enum(id) if types.enums[*id].tag.is_none() => "int".to_owned(),
            _ => types.spell(ty),
        }
    }

    /// Gives the members of a record sane values; what is not mentioned has any.
    fn record(&mut self, place: &str, ty: TyId, depth: u32) {
        let Some(record) = self.lowerer.types.as_record(ty) else { return };
        let record = &self.lowerer.types.records[record];
        if record.is_union {
            return;
        }
        let fields: Vec<(String, TyId, bool)> = record
            .fields
            .iter()
            .filter_map(|f| Some((f.name.as_deref()?.to_owned(), f.ty.ty, f.bits.is_some())))
            .collect();
        let names: Vec<&str> = fields.iter().map(|f| f.0.as_str()).collect();
        let is_integer: Vec<bool> = fields.iter().map(|f| !f.2 && self.is_count(f.1)).collect();
        let is_array: Vec<bool> = fields.iter().map(|f| self.may_be_array(f.1)).collect();
        let mut lengths = lengths_of(&names, &is_array, &is_integer);
        // Of several lengths the room is that of the object.
        let room = (0..names.len()).find(|&i| is_integer[i] && is_room(names[i]));
        let arrays = is_array.iter().filter(|is| **is).count();
        if let (Some(room), 1) = (room, arrays) {
            for length in lengths.iter_mut().flatten() {
                *length = room;
            }
        }
        for (name, ty, is_bits) in &fields {
            let member = format!("{place}.{name}");
            let is_size = is_length(name);
            if !is_bits && !self.lowerer.types.is_pointer(*ty) {
                self.number(&member, *ty, is_size);
            }
        }
        if let (Some(room), 1) = (room, arrays) {
            for i in (0..names.len()).filter(|&i| i != room && is_integer[i] && is_length(names[i]))
            {
                self.assume(&format!("{place}.{} <= {place}.{}", names[i], names[room]));
                self.say(format!("`{}` is at most `{}`", names[i], names[room]));
            }
        }
        for (i, (name, ty, _)) in fields.iter().enumerate() {
            let member = format!("{place}.{name}");
            let length = lengths[i].map(|at| format!("{place}.{}", names[at]));
            self.member(&member, *ty, length.as_deref(), depth);
        }
    }

    fn member(&mut self, place: &str, ty: TyId, length: Option<&str>, depth: u32) {
        match self.lowerer.types.get(ty).clone() {
            CType::Pointer(to) if self.lowerer.types.is_function(to.ty) => {
                self.callback(place, to.ty);
            }
            CType::Pointer(to) => {
                let is_record = self.lowerer.types.is_record(to.ty);
                if depth == 0 {
                    return self.line(&format!("{place} = 0;"));
                }
                let uses = Uses { tested: is_record, terminated: true, ..Uses::default() };
                self.pointer(place, ty, uses, length, depth - 1);
            }
            CType::Record(_) => self.record(place, ty, depth),
            CType::Array(of, ArrayLen::Fixed(n)) if n > 0 => {
                let of = self.lowerer.types.get(of.ty).clone();
                if matches!(of, CType::Int(kind) if kind == IntKind::Char) {
                    self.line(&format!("{place}[{}] = 0;", n - 1));
                } else if matches!(of, CType::Pointer(_)) {
                    let i = self.fresh();
                    self.line(&format!("for (int {i} = 0; {i} < {n}; {i}++) {place}[{i}] = 0;"));
                }
            }
            _ => {}
        }
    }

    /// A function that does what its type and name say.
    fn callback(&mut self, place: &str, ty: TyId) {
        let Some(function) = self.lowerer.types.function(ty).cloned() else { return };
        let name = format!("{OURS}function_{}", self.fresh());
        let mut parameters: Vec<String> = Vec::new();
        for (i, parameter) in function.parameters.iter().enumerate() {
            parameters.push(format!("{} a{i}", self.spelled(parameter.ty)));
        }
        let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let types = &self.lowerer.types;
        let word = place.to_lowercase();
        let is_pointer = |ty: TyId| types.is_pointer(ty);
        let kinds: Vec<TyId> = function.parameters.iter().map(|p| p.ty).collect();
        let result = function.result.ty;
        let body = match (&kinds[..], is_pointer(result)) {
            ([size], true) if types.is_integer(*size) => "return malloc(a0);".to_owned(),
            ([pointer, size], true)
                if word.contains("realloc") && is_pointer(*pointer) && types.is_integer(*size) =>
            {
                "return realloc(a0, a1);".to_owned()
            }
            ([pointer], false)
                if is_pointer(*pointer) && (word.contains("free") || word.contains("dealloc")) =>
            {
                "free(a0);".to_owned()
            }
            // A line is read.
            ([text, size, ..], true) if *text == result && types.is_integer(*size) => "unsigned long n = __VERIFIER_nondet_ulong(); if (n >= a1) return 0; a0[n] = 0; return a0;".to_owned(),
            (_, true) => "return 0;".to_owned(),
            _ => match types.get(result) {
                CType::Void => String::new(),
                _ => format!("return ({}) __VERIFIER_nondet_ulong();", self.spelled(result)),
            },
        };
        let mut stub = String::new();
        let size = "__typeof__(sizeof 0)";
        if body.contains("realloc") {
            let _ = writeln!(stub, "extern void *realloc(void *, {size});");
        }
        if body.contains("free(") {
            let _ = writeln!(stub, "extern void free(void *);");
        }
        let _ = writeln!(stub, "static {} {name}({list}) {{ {body} }}", self.spelled(result));
        self.stubs += &stub;
        self.line(&format!("{place} = (void *){name};"));
        self.say(format!("`{place}` is a function that changes nothing of the program"));
    }
}
