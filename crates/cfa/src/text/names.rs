//! The words of the text form, shared by printer and parser so that they
//! cannot disagree.

use crate::expr::{
    Access, BinaryOp, BitRange, CompareOp, Directed, FloatFn, FloatTest, MathFn, UnaryOp,
};
use crate::program::{AllocKind, ExternalEffect, OutputKind, RegionId, Role, VariableKind};
use crate::types::{FloatKind, IntType, Type};
use bolide_base::arena::Id;

/// Pairs of word and meaning; looked up in both directions.
pub(super) struct Words<T: 'static>(&'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    pub(super) fn word(&self, meaning: T) -> &'static str {
        let entry = self.0.iter().find(|(_, m)| *m == meaning);
        entry.expect("the table has a word for every value").0
    }

    pub(super) fn meaning(&self, word: &str) -> Option<T> {
        self.0.iter().find(|(w, _)| *w == word).map(|&(_, m)| m)
    }
}

pub(super) const KINDS: Words<VariableKind> = Words(&[
    ("global", VariableKind::Global),
    ("parameter", VariableKind::Parameter),
    ("local", VariableKind::Local),
    ("temporary", VariableKind::Temporary),
    ("result", VariableKind::Result),
    ("address", VariableKind::Address),
]);

pub(super) const ALLOCS: Words<AllocKind> = Words(&[
    ("heap", AllocKind::Heap),
    ("stack", AllocKind::Stack),
    ("alloca", AllocKind::Alloca),
    ("static", AllocKind::Static),
]);

pub(super) const OUTPUTS: Words<OutputKind> = Words(&[
    ("printf", OutputKind::Printf),
    ("puts", OutputKind::Puts),
    ("putchar", OutputKind::Putchar),
    ("opaque", OutputKind::Opaque),
    ("format_length", OutputKind::FormatLength),
    ("format_character", OutputKind::FormatCharacter),
    ("scan", OutputKind::Scan),
    ("read_float", OutputKind::ReadFloat),
    ("modulo", OutputKind::Math(MathFn::Modulo)),
    ("remainder", OutputKind::Math(MathFn::Remainder)),
    ("multiply_add", OutputKind::Math(MathFn::MultiplyAdd)),
    ("scale", OutputKind::Math(MathFn::Scale)),
    ("next_after", OutputKind::Math(MathFn::NextAfter)),
    ("exponent", OutputKind::Math(MathFn::Exponent)),
    ("directed_add", OutputKind::Math(MathFn::Directed(Directed::Add))),
    ("directed_sub", OutputKind::Math(MathFn::Directed(Directed::Sub))),
    ("directed_mul", OutputKind::Math(MathFn::Directed(Directed::Mul))),
    ("directed_div", OutputKind::Math(MathFn::Directed(Directed::Div))),
    ("directed_multiply_add", OutputKind::Math(MathFn::Directed(Directed::MultiplyAdd))),
    ("directed_sqrt", OutputKind::Math(MathFn::Directed(Directed::Sqrt))),
    ("directed_whole", OutputKind::Math(MathFn::Directed(Directed::Whole))),
    ("directed_to_f32", OutputKind::Math(MathFn::Directed(Directed::To(FloatKind::F32)))),
    ("directed_to_f64", OutputKind::Math(MathFn::Directed(Directed::To(FloatKind::F64)))),
    ("directed_to_f80", OutputKind::Math(MathFn::Directed(Directed::To(FloatKind::F80)))),
    ("directed_to_f128", OutputKind::Math(MathFn::Directed(Directed::To(FloatKind::F128)))),
]);

pub(super) const EFFECTS: Words<ExternalEffect> = Words(&[
    ("havoc", ExternalEffect::Havoc),
    ("keeps", ExternalEffect::Keeps),
    ("pure", ExternalEffect::Pure),
]);

pub(super) const ROLES: Words<Role> = Words(&[
    ("implicit", Role::Implicit),
    ("statement", Role::Statement),
    ("taken", Role::Branch { taken: true }),
    ("not_taken", Role::Branch { taken: false }),
    ("call", Role::Call),
    ("return", Role::Return),
    ("check", Role::Check),
    ("declaration", Role::Declaration),
]);

pub(super) const FLOAT_FNS: Words<FloatFn> = Words(&[
    ("abs", FloatFn::Abs),
    ("sqrt", FloatFn::Sqrt),
    ("floor", FloatFn::Floor),
    ("ceil", FloatFn::Ceil),
    ("trunc", FloatFn::Trunc),
    ("round", FloatFn::Round),
    ("round_even", FloatFn::RoundEven),
]);

pub(super) const FLOAT_TESTS: Words<FloatTest> = Words(&[
    ("is_nan", FloatTest::IsNan),
    ("is_infinite", FloatTest::IsInfinite),
    ("is_finite", FloatTest::IsFinite),
    ("is_normal", FloatTest::IsNormal),
    ("sign_bit", FloatTest::SignBit),
]);

pub(super) const OVERFLOWS: Words<BinaryOp> = Words(&[
    ("overflows_add", BinaryOp::Add),
    ("overflows_sub", BinaryOp::Sub),
    ("overflows_mul", BinaryOp::Mul),
    ("overflows_div", BinaryOp::Div),
    ("overflows_rem", BinaryOp::Rem),
    ("overflows_shl", BinaryOp::Shl),
    ("overflows_shr", BinaryOp::Shr),
    ("overflows_and", BinaryOp::BitAnd),
    ("overflows_or", BinaryOp::BitOr),
    ("overflows_xor", BinaryOp::BitXor),
]);

pub(super) const BINARY: Words<BinaryOp> = Words(&[
    ("+", BinaryOp::Add),
    ("-", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    ("%", BinaryOp::Rem),
    ("<<", BinaryOp::Shl),
    (">>", BinaryOp::Shr),
    ("&", BinaryOp::BitAnd),
    ("|", BinaryOp::BitOr),
    ("^", BinaryOp::BitXor),
]);

pub(super) const UNARY: Words<UnaryOp> =
    Words(&[("-", UnaryOp::Neg), ("~", UnaryOp::BitNot), ("!", UnaryOp::Not)]);

pub(super) const COMPARE: Words<CompareOp> = Words(&[
    ("==", CompareOp::Eq),
    ("!=", CompareOp::Ne),
    ("<", CompareOp::Lt),
    ("<=", CompareOp::Le),
]);

const FLOATS: Words<FloatKind> = Words(&[
    ("f32", FloatKind::F32),
    ("f64", FloatKind::F64),
    ("f80", FloatKind::F80),
    ("f128", FloatKind::F128),
]);

pub(crate) fn type_name(ty: Type) -> String {
    match ty {
        Type::Int(IntType::BOOL) => "bool".into(),
        Type::Int(t) => format!("{}{}", if t.signed { 'i' } else { 'u' }, t.bits),
        Type::Float(kind) => FLOATS.word(kind).into(),
        Type::Pointer => "ptr".into(),
    }
}

pub(super) fn type_of_name(word: &str) -> Option<Type> {
    let signed = match word {
        "bool" => return Some(Type::BOOL),
        "ptr" => return Some(Type::Pointer),
        _ if word.starts_with('i') => true,
        _ if word.starts_with('u') => false,
        _ => return FLOATS.meaning(word).map(Type::Float),
    };
    let bits = match &word[1..] {
        "1" if signed => 1,
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        "128" => 128,
        _ => return None,
    };
    Some(Type::Int(IntType { bits, signed }))
}

/// Words that an expression cannot use for a variable without quotes.
const RESERVED: [&str; 7] = ["true", "false", "null", "leaked", "heap_in_use", "fn", "volatile"];

pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

pub(super) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '#')
}

/// The name as the text writes it: as it is or in backquotes.
pub(super) fn quoted_name(name: &str) -> String {
    let plain = name.starts_with(is_name_start)
        && name.chars().all(is_name_part)
        && !RESERVED.contains(&name);
    if plain { name.to_owned() } else { quote(name, '`') }
}

/// The text between two quotation marks, with escapes.
pub(super) fn quote(text: &str, mark: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for c in text.chars() {
        match c {
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\r' => out += "\\r",
            '\\' => out += "\\\\",
            c if c == mark => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out += &format!("\\u{{{:x}}}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push(mark);
    out
}

/// An access up to its address.
pub(super) fn access_open(access: &Access) -> String {
    let volatile = if access.volatile { "volatile " } else { "" };
    format!("{volatile}{}[", type_name(access.ty))
}

/// An access behind its address.
pub(super) fn access_close(access: &Access) -> String {
    format!("]{}{}", bits_suffix(access.bits), region_suffix(access.region))
}

/// Which bits of a bit-field.
pub(super) fn bits_suffix(bits: Option<BitRange>) -> String {
    bits.map_or(String::new(), |BitRange { offset, width }| format!("{{{offset}+{width}}}"))
}

/// Which region, unless it is all of memory.
pub(super) fn region_suffix(region: RegionId) -> String {
    match region {
        RegionId::ALL => String::new(),
        r => format!("@r{}", r.index()),
    }
}
