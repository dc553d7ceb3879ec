//! Types in words, for messages.

use super::{ArrayLen, CType, TyId, TypeStore};
use bolide_cfa::FloatKind;

impl TypeStore {
    /// The type as C would write it, near enough for people.
    pub fn spell(&self, ty: TyId) -> String {
        match self.get(ty) {
            CType::Void => "void".into(),
            CType::Bool => "_Bool".into(),
            CType::Int(kind) => kind.name().into(),
            CType::Enum(e) => match &self.enums[*e].tag {
                Some(tag) => format!("enum {tag}"),
                None => "enum".into(),
            },
            CType::Float(kind) => spell_float(*kind).into(),
            CType::Complex(part) => format!("_Complex {}", self.spell(*part)),
            CType::Pointer(to) => {
                let star = if self.is_function(to.ty) { " (*)" } else { " *" };
                format!("{}{}{star}", if to.is_const { "const " } else { "" }, self.spell(to.ty))
            }
            CType::Array(of, len) => match len {
                ArrayLen::Fixed(n) => format!("{}[{n}]", self.spell(of.ty)),
                _ => format!("{}[]", self.spell(of.ty)),
            },
            CType::Function(f) => {
                let mut parameters: Vec<String> =
                    f.parameters.iter().map(|p| self.spell(p.ty)).collect();
                if f.variadic {
                    parameters.push("...".into());
                }
                format!("{}({})", self.spell(f.result.ty), parameters.join(", "))
            }
            CType::Record(r) => {
                let record = &self.records[*r];
                let word = if record.is_union { "union" } else { "struct" };
                match &record.tag {
                    Some(tag) => format!("{word} {tag}"),
                    None => word.into(),
                }
            }
            CType::Vector(of, bytes) => format!("vector of {} ({bytes} bytes)", self.spell(*of)),
        }
    }
}

fn spell_float(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::F32 => "float",
        FloatKind::F64 => "double",
        FloatKind::F80 => "long double",
        FloatKind::F128 => "_Float128",
    }
}
