//! Which types are compatible (C11 6.2.7), and what two declarations of one
//! name make together.
//!
//! Records and enums of different files are compatible when their tags agree;
//! their members are not compared. Deviation: two anonymous records of
//! different files count as compatible when size and number of members agree.

use super::{ArrayLen, CType, FunctionTy, QualType, TyId, TypeStore};

impl TypeStore {
    /// Whether the unqualified types are compatible.
    pub fn compatible(&self, a: TyId, b: TyId) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (CType::Pointer(x), CType::Pointer(y)) => self.compatible_qualified(*x, *y),
            (CType::Array(x, m), CType::Array(y, n)) => {
                self.compatible_qualified(*x, *y)
                    && match (m, n) {
                        (ArrayLen::Fixed(m), ArrayLen::Fixed(n)) => m == n,
                        _ => true,
                    }
            }
            (CType::Function(f), CType::Function(g)) => {
                self.compatible(f.result.ty, g.result.ty)
                    && (!f.prototype
                        || !g.prototype
                        || (f.variadic == g.variadic
                            && f.parameters.len() == g.parameters.len()
                            && f.parameters
                                .iter()
                                .zip(g.parameters.iter())
                                .all(|(x, y)| self.compatible(x.ty, y.ty))))
            }
            (CType::Record(x), CType::Record(y)) => {
                let (x, y) = (&self.records[*x], &self.records[*y]);
                x.is_union == y.is_union
                    && match (&x.tag, &y.tag) {
                        (Some(s), Some(t)) => s == t && x.span != y.span,
                        (None, None) => x.size == y.size && x.fields.len() == y.fields.len(),
                        _ => false,
                    }
            }
            (CType::Enum(x), CType::Enum(y)) => {
                let (x, y) = (&self.enums[*x], &self.enums[*y]);
                x.tag == y.tag
            }
            (CType::Enum(e), CType::Int(k)) | (CType::Int(k), CType::Enum(e)) => {
                self.enums[*e].repr == *k
            }
            _ => false,
        }
    }

    fn compatible_qualified(&self, a: QualType, b: QualType) -> bool {
        a.is_const == b.is_const && a.is_volatile == b.is_volatile && self.compatible(a.ty, b.ty)
    }

    /// What two compatible declarations say together: known lengths and
    /// prototypes win. The result is `a` where nothing is learnt.
    pub fn composite(&mut self, a: QualType, b: QualType) -> QualType {
        if a.ty == b.ty {
            return QualType { align: a.align.max(b.align), ..a };
        }
        let ty = match (self.get(a.ty).clone(), self.get(b.ty).clone()) {
            (CType::Array(x, ArrayLen::Unknown), CType::Array(y, n)) => {
                let of = self.composite(x, y);
                self.array(of, n)
            }
            (CType::Array(x, n), CType::Array(y, _)) => {
                let of = self.composite(x, y);
                self.array(of, n)
            }
            (CType::Function(f), CType::Function(g)) => {
                let chosen = if f.prototype || !g.prototype { f.clone() } else { g.clone() };
                let result = self.composite(f.result, g.result);
                self.intern(CType::Function(FunctionTy { result, ..chosen }))
            }
            (CType::Record(x), CType::Record(y)) => {
                if !self.records[x].complete && self.records[y].complete { b.ty } else { a.ty }
            }
            _ => a.ty,
        };
        QualType { ty, ..a }
    }
}
