//! A test harness: a C file that defines the input functions of a program so
//! that they return the values of a counterexample, in order. Linked to the
//! program by a C compiler, it runs into the violation.
//!
//! Arguments of `main` are given by starting the program again with them.
//!
//! Pointers that lead to memory of the environment lead to arrays of the harness,
//! which hold what the run read there. What the program itself left
//! uninitialised cannot be set from outside.

use bolide_cfa::interpreter::{Birth, Consumed, MemoryPlace, environment};
use bolide_cfa::value::{Pointer, Provenance, Value};
use bolide_cfa::{FloatKind, IntType};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The C type that an input function returns, by its name.
fn c_type(name: &str, value: &Value) -> String {
    let known = match name.strip_prefix("__VERIFIER_nondet_").unwrap_or("") {
        "bool" => "_Bool",
        "char" => "char",
        "uchar" | "unsigned_char" | "u8" => "unsigned char",
        "short" | "s16" => "short",
        "ushort" | "unsigned_short" | "u16" => "unsigned short",
        "int" | "s32" => "int",
        "uint" | "unsigned" | "unsigned_int" | "u32" => "unsigned int",
        "long" => "long",
        "ulong" | "unsigned_long" | "size_t" => "unsigned long",
        "longlong" | "loff_t" | "s64" => "long long",
        "ulonglong" | "u64" | "sector_t" => "unsigned long long",
        "int128" => "__int128",
        "uint128" => "unsigned __int128",
        "float" => "float",
        "double" => "double",
        "pchar" => "char *",
        "pointer" => "void *",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    match value {
        Value::Int { ty: IntType { bits, signed }, .. } => {
            let base = match bits {
                1 => return "_Bool".into(),
                8 => "char",
                16 => "short",
                32 => "int",
                64 => "long long",
                _ => "__int128",
            };
            format!("{} {base}", if *signed { "signed" } else { "unsigned" })
        }
        Value::Float { kind: FloatKind::F32, .. } => "float".into(),
        Value::Float { kind: FloatKind::F64, .. } => "double".into(),
        Value::Float { .. } => "long double".into(),
        Value::Pointer(_) => "void *".into(),
    }
}

/// The value as a C constant expression.
fn c_constant(value: &Value) -> String {
    match *value {
        Value::Int { bits, ty } if ty.bits == 128 => {
            let (high, low) = ((bits >> 64) as u64, bits as u64);
            format!("(((unsigned __int128)0x{high:x}ull << 64) | 0x{low:x}ull)")
        }
        Value::Int { bits, ty } => {
            let value = ty.value(bits);
            if value == i128::from(i64::MIN) {
                "(-9223372036854775807ll - 1)".to_owned()
            } else if value > i128::from(i64::MAX) {
                format!("{value}ull")
            } else {
                format!("{value}ll")
            }
        }
        // Bit patterns are exact where decimals are not.
        Value::Float { bits, kind: FloatKind::F32 } => {
            format!("((union {{ unsigned u; float f; }}){{ 0x{:x}u }}).f", bits as u32)
        }
        Value::Float { bits, kind: FloatKind::F64 } => {
            format!("((union {{ unsigned long long u; double f; }}){{ 0x{:x}ull }}).f", bits as u64)
        }
        // An address where nothing lives.
        Value::Pointer(Pointer { address, provenance: Provenance::NONE }) => {
            format!("0x{address:x}ull")
        }
        Value::Pointer(pointer) => match environment::place(pointer.address) {
            Some((object, offset)) => memory(object, offset),
            None => "0".to_owned(),
        },
        Value::Float { .. } => "0".to_owned(),
    }
}

/// The size of an array that stands for memory of the environment.
const SIZE: i64 = 1 << 16;

/// The address of a byte of the environment, counted from the middle of its object.
fn memory(object: u64, offset: i64) -> String {
    format!("(memory_{object} + {})", SIZE / 2 + offset)
}

/// Arrays for the memory that the run uses and did not make, with their contents.
fn environment_memory(inputs: &[Consumed], outside: &[(MemoryPlace, Value)]) -> String {
    let mut used: BTreeSet<u64> = BTreeSet::new();
    let mut contents = String::new();
    let values = inputs.iter().map(|i| &i.value).chain(outside.iter().map(|(_, value)| value));
    for value in values {
        if let Value::Pointer(pointer) = value
            && pointer.provenance != Provenance::NONE
        {
            used.extend(environment::place(pointer.address).map(|(object, _)| object));
        }
    }
    for (place, value) in outside {
        let Birth::Environment(object) = place.object else { continue };
        used.insert(object);
        let at = memory(object, place.offset);
        let ty = c_type("", value);
        let _ = writeln!(contents, "  *({ty} *){at} = ({ty}){};", c_constant(value));
    }
    let mut text = String::new();
    for object in used {
        let _ = writeln!(text, "static _Alignas(16) char memory_{object}[{SIZE}];");
    }
    if !contents.is_empty() {
        text += "\n__attribute__((constructor)) static void fill_memory(void) {\n";
        text += &contents;
        text += "}\n";
    }
    text
}

/// A function that runs before `main` and starts the program again with these arguments.
fn with_arguments(arguments: &[Vec<u8>]) -> String {
    let mut text = String::from(
        "\nextern char *getenv(const char *);\n\
         extern int setenv(const char *, const char *, int);\n\
         extern int execv(const char *, char *const *);\n\n\
         __attribute__((constructor)) static void give_arguments(void) {\n  \
         static char *arguments[] = {",
    );
    for argument in arguments {
        text.push('"');
        for &byte in argument {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => text.push(char::from(byte)),
                _ => {
                    let _ = write!(text, "\\{byte:03o}");
                }
            }
        }
        text += "\", ";
    }
    text += "0};\n  if (getenv(\"BOLIDE_ARGUMENTS\"))\n    return;\n  \
             setenv(\"BOLIDE_ARGUMENTS\", \"given\", 1);\n  \
             execv(\"/proc/self/exe\", arguments);\n}\n";
    text
}

/// A function that returns these values one after the other, and then zeros.
///
/// The values are a table, not the cases of a `switch`: a run may read hundreds of
/// thousands of inputs, and compilers take quadratic time for so many cases.
fn input_function(name: &str, values: &[&Value]) -> String {
    let ty = c_type(name, values[0]);
    // A table of floating-point numbers is one of bit patterns, as those are exact and constant.
    let kind = |value: &Value| match *value {
        Value::Float { kind, .. } => Some(kind),
        _ => None,
    };
    let patterns = kind(values[0]).filter(|&first| values.iter().all(|v| kind(v) == Some(first)));
    let (element, member) = match patterns {
        Some(FloatKind::F32) => ("union { unsigned bits; float value; }".to_owned(), ".value"),
        Some(FloatKind::F64) => {
            ("union { unsigned long long bits; double value; }".to_owned(), ".value")
        }
        _ => (ty.clone(), ""),
    };
    let mut text = format!("\n{ty} {name}(void) {{\n  static const {element} values[] = {{");
    for (index, value) in values.iter().enumerate() {
        text += if index % 8 == 0 { "\n    " } else { " " };
        let _ = match (member, *value) {
            (".value", Value::Float { bits, .. }) => write!(text, "{{ 0x{:x}ull }},", bits),
            // Not constant where the table is of another type; no input function returns both.
            (_, Value::Float { .. }) => write!(text, "0,"),
            _ => write!(text, "({ty}){},", c_constant(value)),
        };
    }
    let count = values.len();
    let _ = writeln!(
        text,
        "\n  }};\n  static unsigned long next;\n  \
         return next < {count} ? values[next++]{member} : 0;\n}}"
    );
    text
}

/// Functions of verifiers that a harness defines where a program does not: those that show an error, those that cut
/// runs, and those that check.
pub const DEFINED: &[&str] = &[
    "reach_error",
    "__VERIFIER_error",
    "__VERIFIER_assume",
    "__CPROVER_assume",
    "__ESBMC_assume",
    "__VERIFIER_assert",
    "__CPROVER_assert",
    "__ESBMC_assert",
];

/// The C text of the harness. `undefined` names functions that the program
/// calls for an error and that it does not define itself; `arguments` are those of `main`,
/// the program's name first, empty if it takes none. `unasked` are input functions that
/// the run did not call: a linker wants them all the same.
pub fn harness(
    inputs: &[Consumed],
    outside: &[(MemoryPlace, Value)],
    undefined: &[&str],
    arguments: &[Vec<u8>],
    unasked: &BTreeSet<String>,
) -> String {
    let mut by_name: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for input in inputs {
        by_name.entry(&input.name).or_default().push(&input.value);
    }
    let mut text = String::from(
        "/* Inputs of a counterexample. Compile together with the program and run:\n   \
         the violation happens. */\n\
         extern void abort(void);\n\
         extern long write(int, const void *, unsigned long);\n",
    );
    text += &environment_memory(inputs, outside);
    if !arguments.is_empty() {
        text += &with_arguments(arguments);
    }
    for (name, values) in &by_name {
        text += &input_function(name, values);
    }
    let zero = Value::Int { bits: 0, ty: IntType::signed(32) };
    for name in unasked.iter().filter(|name| !by_name.contains_key(name.as_str())) {
        // Weak: the program may define one that nothing calls.
        let ty = c_type(name, &zero);
        let _ = write!(text, "\n__attribute__((weak)) {ty} {name}(void) {{\n  return 0;\n}}\n");
    }
    for name in undefined {
        // Not by printf: what it buffers is lost when the program aborts.
        let show = |what: &str| {
            let words = format!("violation: {name}{what}\\n");
            format!("write(2, \"{words}\", {});", words.len() - 1)
        };
        let _ = if name.ends_with("assume") {
            write!(text, "\nvoid {name}(int condition) {{\n  if (!condition)\n    abort();\n}}\n")
        } else if name.ends_with("assert") {
            let show = show(": an assertion fails");
            write!(
                text,
                "\nvoid {name}(int condition) {{\n  if (!condition) {{\n    {show}\n    \
                 abort();\n  }}\n}}\n"
            )
        } else {
            write!(text, "\nvoid {name}(void) {{\n  {}\n  abort();\n}}\n", show(" called"))
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::arena::Id;
    use bolide_cfa::EdgeId;
    use expect_test::expect;

    #[test]
    fn inputs_become_functions() {
        let consumed = |name: &str, value: i128, ty: IntType| Consumed {
            edge: EdgeId::from_index(0),
            name: name.into(),
            value: Value::Int { bits: ty.truncate(value as u128), ty },
        };
        let inputs = [
            consumed("__VERIFIER_nondet_int", -3, IntType::signed(32)),
            consumed("__VERIFIER_nondet_bool", 1, IntType::BOOL),
            consumed("__VERIFIER_nondet_int", 7, IntType::signed(32)),
        ];
        let unasked = ["__VERIFIER_nondet_int", "__VERIFIER_nondet_ulong"].map(String::from).into();
        expect![[r#"
            /* Inputs of a counterexample. Compile together with the program and run:
               the violation happens. */
            extern void abort(void);
            extern long write(int, const void *, unsigned long);

            _Bool __VERIFIER_nondet_bool(void) {
              static const _Bool values[] = {
                (_Bool)1ll,
              };
              static unsigned long next;
              return next < 1 ? values[next++] : 0;
            }

            int __VERIFIER_nondet_int(void) {
              static const int values[] = {
                (int)-3ll, (int)7ll,
              };
              static unsigned long next;
              return next < 2 ? values[next++] : 0;
            }

            __attribute__((weak)) unsigned long __VERIFIER_nondet_ulong(void) {
              return 0;
            }

            void reach_error(void) {
              write(2, "violation: reach_error called\n", 30);
              abort();
            }
        "#]]
        .assert_eq(&harness(&inputs, &[], &["reach_error"], &[], &unasked));
    }

    #[test]
    fn arguments_are_given_by_a_second_start() {
        let arguments = [b"name".to_vec(), b"x\"1".to_vec()];
        let text = harness(&[], &[], &[], &arguments, &BTreeSet::new());
        assert!(text.contains(r#"arguments[] = {"name", "x\0421", 0};"#), "{text}");
    }
}
