//! C types: a store of distinct types, their sizes and the conversions between them.
//!
//! Types are interned: equal structure is equal [`TyId`], records and enums
//! are equal by declaration (nominal). Qualifiers sit beside the id in a
//! [`QualType`]. Sizes and alignments are those of gcc on x86 with the System V
//! ABI, for both data models; [`layout`] places the members of records.
//!
//! A variable-length array keeps its number of elements in a variable of the
//! program, so that its type is a value like any other.

mod arithmetic;
mod compatible;
mod lanes;
pub mod layout;
mod layouts;
pub mod leaves;
mod spelling;

use bolide_base::{Arena, HashMap, Span, arena::Id, define_id};
use bolide_cfa::{FloatKind, IntType, Target, Type, VarId};
use std::collections::BTreeSet;
use std::rc::Rc;

define_id!(
    /// A type of a [`TypeStore`].
    pub struct TyId
);
define_id!(
    /// A struct or union.
    pub struct RecordTy
);
define_id!(
    /// An enum.
    pub struct EnumTy
);

/// An unmodelled attribute and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its name.
    pub name: Rc<str>,
    /// Its place, as the outside knows it.
    pub span: Span,
}

/// The integer types that keywords name (without `_Bool`), in order of rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// All of them, in order.
    pub const ALL: [IntKind; 13] = {
        use IntKind::*;
        [
            Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LongLong, ULongLong, Int128,
            UInt128,
        ]
    };

    /// Conversion rank, equal for the signed and the unsigned type of one name; whether values
    /// carry a sign, as plain `char` does on x86; and the name.
    fn row(self) -> (usize, bool, &'static str) {
        match self {
            IntKind::Char => (1, true, "char"),
            IntKind::SChar => (1, true, "signed char"),
            IntKind::UChar => (1, false, "unsigned char"),
            IntKind::Short => (2, true, "short"),
            IntKind::UShort => (2, false, "unsigned short"),
            IntKind::Int => (3, true, "int"),
            IntKind::UInt => (3, false, "unsigned int"),
            IntKind::Long => (4, true, "long"),
            IntKind::ULong => (4, false, "unsigned long"),
            IntKind::LongLong => (5, true, "long long"),
            IntKind::ULongLong => (5, false, "unsigned long long"),
            IntKind::Int128 => (6, true, "__int128"),
            IntKind::UInt128 => (6, false, "unsigned __int128"),
        }
    }

    /// Conversion rank.
    pub fn rank(self) -> usize {
        self.row().0
    }

    /// Whether values carry a sign.
    pub fn is_signed(self) -> bool {
        self.row().1
    }

    /// As C writes it.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Width in bits.
    pub fn bits(self, target: Target) -> u8 {
        [8, 16, 32, target.pointer_bits, 64, 128][self.rank() - 1]
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        [UChar, UShort, UInt, ULong, ULongLong, UInt128][self.rank() - 1]
    }
}

/// A type with qualifiers and, from typedefs with `aligned`, an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    /// The type.
    pub ty: TyId,
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// Alignment in bytes that an attribute of a typedef asked for; 0 for none.
    pub align: u32,
}

impl QualType {
    /// Without qualifiers.
    pub fn plain(ty: TyId) -> Self {
        QualType { ty, is_const: false, is_volatile: false, align: 0 }
    }
}

impl From<TyId> for QualType {
    fn from(ty: TyId) -> Self {
        QualType::plain(ty)
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLen {
    /// `[]`: incomplete, or a flexible member.
    Unknown,
    /// So many.
    Fixed(u64),
    /// As many as this variable says (of the size type).
    Variable(VarId),
}

/// A function type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionTy {
    /// What it returns.
    pub result: QualType,
    /// What it takes, arrays and functions already adjusted to pointers.
    pub parameters: Rc<[QualType]>,
    /// Ends in `...`.
    pub variadic: bool,
    /// Declared with a prototype; otherwise arguments are unchecked.
    pub prototype: bool,
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CType {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// An integer.
    Int(IntKind),
    /// An enum.
    Enum(EnumTy),
    /// A real floating type.
    Float(FloatKind),
    /// A complex number with parts of this type; GNU has integers, too.
    Complex(TyId),
    /// A pointer.
    Pointer(QualType),
    /// An array.
    Array(QualType, ArrayLen),
    /// A function.
    Function(FunctionTy),
    /// A struct or union.
    Record(RecordTy),
    /// A GNU vector of so many bytes.
    Vector(TyId, u64),
}

/// A member of a record, placed.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; none for anonymous records and padding bit-fields.
    pub name: Option<Rc<str>>,
    /// Its type.
    pub ty: QualType,
    /// Offset in bytes; for bit-fields, of the byte with the first bit.
    pub offset: u64,
    /// For bit-fields, the first bit in that byte and the width.
    pub bits: Option<bolide_cfa::BitRange>,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct RecordType {
    /// The tag, for messages.
    pub tag: Option<Rc<str>>,
    /// Union?
    pub is_union: bool,
    /// Whether the members are known.
    pub complete: bool,
    /// In order.
    pub fields: Rc<[Field]>,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// Its first declaration.
    pub span: Span,
    /// Unmodelled attributes, to be told when it is used.
    pub notes: Vec<Note>,
    /// Its members could not be understood.
    pub is_refused: bool,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct EnumType {
    /// The tag, for messages.
    pub tag: Option<Rc<str>>,
    /// The integer type that represents it; `unsigned int` until complete.
    pub repr: IntKind,
    /// Whether the enumerators are known.
    pub complete: bool,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct TypeStore {
    /// The machine.
    pub target: Target,
    types: Arena<TyId, CType>,
    ids: HashMap<CType, TyId>,
    /// All structs and unions.
    pub records: Arena<RecordTy, RecordType>,
    /// All enums.
    pub enums: Arena<EnumTy, EnumType>,
    va_list: Option<TyId>,
    /// Records whose members the program names.
    pub member_records: BTreeSet<RecordTy>,
}

impl TypeStore {
    /// A store that knows the basic types.
    pub fn new(target: Target) -> Self {
        let mut store = TypeStore {
            target,
            types: Arena::new(),
            ids: HashMap::default(),
            records: Arena::new(),
            enums: Arena::new(),
            va_list: None,
            member_records: BTreeSet::new(),
        };
        // The order is that of the constants below.
        store.intern(CType::Void);
        store.intern(CType::Bool);
        for kind in IntKind::ALL {
            store.intern(CType::Int(kind));
        }
        store
    }

    /// Stores a type once.
    pub fn intern(&mut self, ty: CType) -> TyId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The type.
    pub fn get(&self, id: TyId) -> &CType {
        &self.types[id]
    }

    /// `void`.
    pub fn void(&self) -> TyId {
        TyId::from_index(0)
    }

    /// `_Bool`.
    pub fn bool(&self) -> TyId {
        TyId::from_index(1)
    }

    /// An integer type.
    pub fn int_kind(&self, kind: IntKind) -> TyId {
        TyId::from_index(2 + kind as usize)
    }

    /// `int`.
    pub fn int(&self) -> TyId {
        self.int_kind(IntKind::Int)
    }

    /// `char`.
    pub fn char(&self) -> TyId {
        self.int_kind(IntKind::Char)
    }

    /// The type of `sizeof`.
    pub fn size_t(&self) -> TyId {
        self.int_kind(if self.target.pointer_bits == 64 { IntKind::ULong } else { IntKind::UInt })
    }

    /// The type of pointer differences.
    pub fn ptrdiff_t(&self) -> TyId {
        self.int_kind(if self.target.pointer_bits == 64 { IntKind::Long } else { IntKind::Int })
    }

    /// A float type.
    pub fn float(&mut self, kind: FloatKind) -> TyId {
        self.intern(CType::Float(kind))
    }

    /// A pointer.
    pub fn pointer(&mut self, to: impl Into<QualType>) -> TyId {
        let to = to.into();
        self.intern(CType::Pointer(to))
    }

    /// An array.
    pub fn array(&mut self, of: QualType, len: ArrayLen) -> TyId {
        self.intern(CType::Array(of, len))
    }

    /// `__builtin_va_list`: `char *` on 32 bits, on 64 bits an array of one
    /// `struct __va_list_tag`, of which lowering uses `overflow_arg_area`.
    pub fn va_list(&mut self) -> TyId {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let ty = if self.target.pointer_bits == 32 {
            let char = self.char();
            self.pointer(char)
        } else {
            let uint = self.int_kind(IntKind::UInt);
            let void = self.void();
            let pointer = self.pointer(void);
            let members = [
                ("gp_offset", uint, 0),
                ("fp_offset", uint, 4),
                ("overflow_arg_area", pointer, 8),
                ("reg_save_area", pointer, 16),
            ];
            let fields = members.map(|(name, ty, offset)| Field {
                name: Some(name.into()),
                ty: ty.into(),
                offset,
                bits: None,
            });
            let record = self.records.push(RecordType {
                tag: Some("__va_list_tag".into()),
                is_union: false,
                complete: true,
                fields: fields.into(),
                size: 24,
                align: 8,
                span: Span::NONE,
                notes: Vec::new(),
                is_refused: false,
            });
            let record = self.intern(CType::Record(record));
            self.array(record.into(), ArrayLen::Fixed(1))
        };
        self.va_list = Some(ty);
        ty
    }

    /// What the pointer points to, or the array's element.
    pub fn pointee(&self, ty: TyId) -> Option<QualType> {
        match self.get(ty) {
            CType::Pointer(to) | CType::Array(to, _) => Some(*to),
            _ => None,
        }
    }

    /// The function type, also behind a pointer.
    pub fn function(&self, ty: TyId) -> Option<&FunctionTy> {
        match self.get(ty) {
            CType::Function(f) => Some(f),
            CType::Pointer(to) => match self.get(to.ty) {
                CType::Function(f) => Some(f),
                _ => None,
            },
            _ => None,
        }
    }

    /// The record, if it is one.
    pub fn as_record(&self, ty: TyId) -> Option<RecordTy> {
        match self.get(ty) {
            CType::Record(r) => Some(*r),
            _ => None,
        }
    }

    /// The type of a record, if something has it.
    pub fn of_record(&self, record: RecordTy) -> Option<TyId> {
        self.ids.get(&CType::Record(record)).copied()
    }

    /// The machine integer that represents an integer, enum or `_Bool`.
    pub fn int_type(&self, ty: TyId) -> Option<IntType> {
        match self.get(ty) {
            CType::Bool => Some(IntType::BOOL),
            CType::Int(kind) => Some(self.machine(*kind)),
            CType::Enum(e) => Some(self.machine(self.enums[*e].repr)),
            _ => None,
        }
    }

    /// The machine integer of a kind.
    pub fn machine(&self, kind: IntKind) -> IntType {
        IntType { bits: kind.bits(self.target), signed: kind.is_signed() }
    }

    /// The scalar type of the program that represents this type; none for
    /// `void`, arrays, functions and records.
    pub fn scalar(&self, ty: TyId) -> Option<Type> {
        match self.get(ty) {
            CType::Float(kind) => Some(Type::Float(*kind)),
            CType::Pointer(_) => Some(Type::Pointer),
            _ => self.int_type(ty).map(Type::Int),
        }
    }

    /// Integer types, enums and `_Bool`.
    pub fn is_integer(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Bool | CType::Int(_) | CType::Enum(_))
    }

    /// Integers and floats.
    pub fn is_arithmetic(&self, ty: TyId) -> bool {
        self.is_integer(ty) || matches!(self.get(ty), CType::Float(_))
    }

    /// A pointer (not an array).
    pub fn is_pointer(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Pointer(_))
    }

    /// `void`.
    pub fn is_void(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Void)
    }

    /// Whether a value of the type has a pointer in it.
    pub fn holds_pointers(&self, ty: TyId) -> bool {
        match self.get(ty) {
            CType::Pointer(_) => true,
            CType::Array(of, _) => self.holds_pointers(of.ty),
            CType::Record(record) => {
                self.records[*record].fields.iter().any(|f| self.holds_pointers(f.ty.ty))
            }
            _ => false,
        }
    }

    /// A struct or union.
    pub fn is_record(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Record(_))
    }

    /// An array.
    pub fn is_array(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Array(..))
    }

    /// A function.
    pub fn is_function(&self, ty: TyId) -> bool {
        matches!(self.get(ty), CType::Function(_))
    }

    /// Whether it is a variable-length array or an array of them.
    pub fn is_variable(&self, mut ty: TyId) -> bool {
        loop {
            match self.get(ty) {
                CType::Array(_, ArrayLen::Variable(_)) => return true,
                CType::Array(of, _) => ty = of.ty,
                _ => return false,
            }
        }
    }

    /// Size in bytes where it is known without running the program. `void` and
    /// functions have size 1, as gcc computes with them.
    pub fn size(&self, ty: TyId) -> Option<u64> {
        match self.get(ty) {
            CType::Void | CType::Function(_) => Some(1),
            CType::Array(of, ArrayLen::Fixed(n)) => self.size(of.ty)?.checked_mul(*n),
            CType::Array(..) => None,
            CType::Record(r) => {
                let record = &self.records[*r];
                record.complete.then_some(record.size)
            }
            CType::Complex(part) => self.size(*part).map(|size| 2 * size),
            CType::Vector(_, bytes) => Some(*bytes),
            _ => self.scalar(ty).map(|s| s.size(self.target)),
        }
    }

    /// Alignment in bytes outside of records.
    pub fn align(&self, ty: TyId) -> u64 {
        match self.get(ty) {
            CType::Void | CType::Function(_) => 1,
            CType::Array(of, _) => self.align_qualified(*of),
            CType::Record(r) => self.records[*r].align.max(1),
            CType::Vector(_, bytes) => (*bytes).max(1),
            CType::Float(FloatKind::F80) => {
                if self.target.pointer_bits == 64 {
                    16
                } else {
                    4
                }
            }
            CType::Complex(part) => self.align(*part),
            _ => self.scalar(ty).map_or(1, |s| s.size(self.target)),
        }
    }

    /// Alignment with what a typedef asked for.
    pub fn align_qualified(&self, ty: QualType) -> u64 {
        if ty.align != 0 { u64::from(ty.align) } else { self.align(ty.ty) }
    }

    /// Arrays and functions become pointers.
    pub fn decay(&mut self, ty: TyId) -> TyId {
        match self.get(ty) {
            CType::Array(of, _) => {
                let of = *of;
                self.pointer(of)
            }
            CType::Function(_) => self.pointer(ty),
            _ => ty,
        }
    }

    /// Finds a member by name, through anonymous records: the fields from the
    /// outermost to the one named.
    pub fn find_member(&self, record: RecordTy, name: &str) -> Option<Vec<usize>> {
        let fields = &self.records[record].fields;
        for (i, field) in fields.iter().enumerate() {
            if field.name.as_deref() == Some(name) {
                return Some(vec![i]);
            }
        }
        for (i, field) in fields.iter().enumerate() {
            if field.name.is_none()
                && let Some(inner) = self.as_record(field.ty.ty)
                && let Some(path) = self.find_member(inner, name)
            {
                let mut all = vec![i];
                all.extend(path);
                return Some(all);
            }
        }
        None
    }
}
