//! Declarations: specifiers, declarators, records, enums and initialisers.

use bolide_base::Span;

use super::*;

/// `specifiers declarator = initialiser, ...;`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Shared by all declarators.
    pub specifiers: Specifiers,
    /// What is declared; may be empty (`struct s { ... };`).
    pub declarators: Vec<InitDeclarator>,
    /// All of it, with the `;`.
    pub span: Span,
}

/// One declarator of a declaration, with its initialiser.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// Name and derived type.
    pub declarator: Declarator,
    /// What follows `=`.
    pub initializer: Option<InitId>,
    /// From the declarator to the end of the initialiser.
    pub span: Span,
}

/// Storage class of a declaration; at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageClass {
    /// `typedef`.
    Typedef,
    /// `extern`.
    Extern,
    /// `static`.
    Static,
    /// `auto`.
    Auto,
    /// `register`.
    Register,
}

/// A set of type qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// `_Atomic` without parentheses.
    pub is_atomic: bool,
}

impl Qualifiers {
    /// No qualifier.
    pub const NONE: Qualifiers =
        Qualifiers { is_const: false, is_volatile: false, is_restrict: false, is_atomic: false };

    /// Whether there is no qualifier.
    pub fn is_empty(self) -> bool {
        self == Qualifiers::NONE
    }
}

/// Everything before the declarators of a declaration.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// Storage class, with its keyword's place.
    pub storage: Option<(StorageClass, Span)>,
    /// `_Thread_local` or `__thread`.
    pub is_thread_local: bool,
    /// `inline`.
    pub is_inline: bool,
    /// `_Noreturn` (not the attribute).
    pub is_noreturn: bool,
    /// Qualifiers of the base type.
    pub qualifiers: Qualifiers,
    /// `_Alignas(...)`, in order.
    pub alignments: Box<[Alignment]>,
    /// The base type.
    pub base: BaseType,
    /// Where the base type is written; the place where one is missing for an
    /// implicit `int`.
    pub base_span: Span,
    /// Attributes among the specifiers; they apply to every declarator.
    pub attributes: Box<[Attribute]>,
    /// All of it.
    pub span: Span,
}

/// The argument of `_Alignas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// `_Alignas(type)`.
    Type(TypeNameId),
    /// `_Alignas(constant)`.
    Expr(ExprId),
}

/// What the type specifiers of a declaration say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// `void`.
    Void,
    /// `char`, `unsigned long`, `double` and the like, and their complex forms.
    Arithmetic(ArithmeticType),
    /// No type specifier at all: `int` by the old rule.
    ImplicitInt,
    /// A typedef name.
    Typedef(Symbol),
    /// `struct` or `union`.
    Record(RecordId),
    /// `enum`.
    Enum(EnumId),
    /// `typeof(expression)`; `unqualified` for `typeof_unqual`.
    TypeofExpr {
        /// The operand, not evaluated unless its type is a VLA.
        operand: ExprId,
        /// `typeof_unqual`.
        unqualified: bool,
    },
    /// `typeof(type)`.
    TypeofType {
        /// The operand.
        operand: TypeNameId,
        /// `typeof_unqual`.
        unqualified: bool,
    },
    /// `_Atomic(type)`.
    Atomic(TypeNameId),
    /// `__auto_type`: the type of the initialiser.
    AutoType,
    /// `__builtin_va_list`.
    VaList,
    /// `_BitInt(width)`.
    BitInt {
        /// The width in bits, a constant.
        width: ExprId,
        /// `unsigned _BitInt(width)`.
        is_unsigned: bool,
    },
}

/// Arithmetic type named by keywords alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArithmeticType {
    /// The real type.
    pub kind: ArithmeticKind,
    /// `_Complex`. A lone `_Complex` means `_Complex double`; GNU admits integers.
    pub is_complex: bool,
}

/// The real arithmetic types. The first block is integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ArithmeticKind {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,

    Float,
    Double,
    LongDouble,
    Float16,
    Float32,
    Float64,
    Float128,
    Float32x,
    Float64x,
    Decimal32,
    Decimal64,
    Decimal128,
}

/// `struct` or `union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `struct`.
    Struct,
    /// `union`.
    Union,
}

/// `struct tag { ... }`, with or without either part.
#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    /// Struct or union.
    pub kind: RecordKind,
    /// The tag with its place.
    pub tag: Option<(Symbol, Span)>,
    /// `None` without braces; an empty list is a GNU empty struct.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag and behind the closing brace.
    pub attributes: Box<[Attribute]>,
    /// The `#pragma pack` in force at the closing brace: the largest alignment
    /// of a member, in bytes.
    pub pack: Option<u32>,
    /// All of it.
    pub span: Span,
}

/// One line of a struct or union.
#[derive(Clone, Debug)]
pub enum Member {
    /// `specifiers declarator : width, ...;`
    Fields(FieldDeclaration),
    /// `_Static_assert(...);`
    StaticAssert(StaticAssert),
}

/// `specifiers declarator : width, ...;` in a struct or union.
#[derive(Clone, Debug)]
pub struct FieldDeclaration {
    /// Shared by all fields of the line.
    pub specifiers: Specifiers,
    /// Empty for an anonymous struct or union (or a useless line as `int;`).
    pub fields: Vec<FieldDeclarator>,
    /// All of it, with the `;`.
    pub span: Span,
}

/// One field.
#[derive(Clone, Debug)]
pub struct FieldDeclarator {
    /// Name and derived type; without a name only for a bit-field.
    pub declarator: Declarator,
    /// Width of a bit-field.
    pub width: Option<ExprId>,
    /// All of it.
    pub span: Span,
}

/// `enum tag { ... }`, with or without either part.
#[derive(Clone, Debug)]
pub struct EnumSpecifier {
    /// The tag with its place.
    pub tag: Option<(Symbol, Span)>,
    /// `None` without braces.
    pub enumerators: Option<Vec<Enumerator>>,
    /// The type after a colon (`enum e : unsigned char`).
    pub underlying: Option<TypeNameId>,
    /// Attributes before the tag and behind the closing brace.
    pub attributes: Box<[Attribute]>,
    /// All of it.
    pub span: Span,
}

/// `NAME = value` of an enum.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Symbol,
    /// Its value if written.
    pub value: Option<ExprId>,
    /// Attributes behind the name.
    pub attributes: Box<[Attribute]>,
    /// All of it.
    pub span: Span,
}

/// The name that is declared and what is derived from the base type.
///
/// `derived` reads from the name outwards, as the type is said in words:
/// `int *(*f[3])(void)` is `f`: array of 3, pointer, function, pointer (to
/// `int`). An empty list is the base type itself.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name; none in an abstract declarator.
    pub name: Option<Symbol>,
    /// The name's place; where it would stand in an abstract declarator.
    pub name_span: Span,
    /// From the name outwards.
    pub derived: Box<[Derived]>,
    /// `asm("name")` behind the declarator.
    pub asm_label: Option<StringId>,
    /// Attributes in and behind the declarator.
    pub attributes: Box<[Attribute]>,
    /// All of it, without asm label and attributes.
    pub span: Span,
}

impl Declarator {
    /// The parameters when this declares a function (not a pointer to one).
    pub fn function_parameters(&self) -> Option<ParamsId> {
        match self.derived.first()?.kind {
            DerivedKind::Function(parameters) => Some(parameters),
            _ => None,
        }
    }
}

/// One step of a declarator.
#[derive(Clone, Debug)]
pub struct Derived {
    /// Pointer, array or function.
    pub kind: DerivedKind,
    /// The `*`, the `[...]` or the `(...)`.
    pub span: Span,
}

/// Kinds of [`Derived`].
#[derive(Clone, Debug)]
pub enum DerivedKind {
    /// `* qualifiers`.
    Pointer {
        /// Qualifiers of the pointer itself.
        qualifiers: Qualifiers,
        /// Attributes among them.
        attributes: Box<[Attribute]>,
    },
    /// `[static qualifiers size]`.
    Array {
        /// What is said of its length.
        size: ArraySize,
        /// Only in parameters: qualifiers of the pointer it becomes.
        qualifiers: Qualifiers,
        /// Only in parameters: at least so many elements.
        is_static: bool,
    },
    /// `(parameters)`.
    Function(ParamsId),
}

/// The length of an array declarator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArraySize {
    /// `[]`.
    Unspecified,
    /// `[*]`.
    Star,
    /// `[size]`, constant or not.
    Expr(ExprId),
}

/// What stands between the parentheses of a function declarator.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Which of the three ways.
    pub kind: ParametersKind,
    /// With the parentheses.
    pub span: Span,
}

/// The three ways to write parameters.
#[derive(Clone, Debug)]
pub enum ParametersKind {
    /// `()`: nothing is known of the parameters (C11).
    Unspecified,
    /// `(int a, char *, ...)`. `(void)` is an empty list here; `(V)` with a
    /// typedef name for `void` is one parameter, to be recognised by its type.
    Prototype {
        /// The parameters.
        parameters: Vec<Parameter>,
        /// Ends in `...`.
        is_variadic: bool,
    },
    /// `(a, b)` of a K&R definition.
    Names(Vec<(Symbol, Span)>),
}

/// One parameter of a prototype.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Storage class (`register`), type, attributes.
    pub specifiers: Specifiers,
    /// Name, if any, and derived type.
    pub declarator: Declarator,
    /// A GNU forward declaration (`int n; int a[n]`): declared again later in
    /// the same list, where it counts.
    pub is_forward: bool,
    /// All of it.
    pub span: Span,
}

/// A type as in a cast: specifiers and an abstract declarator.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Base type and qualifiers.
    pub specifiers: Specifiers,
    /// Without a name.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// One attribute out of `__attribute__((a, b(1)))` or `[[a, b(1)]]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name without the underscores around it (`packed` for `__packed__`)
    /// and without a prefix `gnu::`.
    pub name: Symbol,
    /// What stands in its parentheses; words such as `printf` are identifiers.
    pub arguments: Box<[AttributeArgument]>,
    /// Name and arguments.
    pub span: Span,
}

/// One argument of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeArgument {
    /// An expression, often an identifier that is not declared anywhere.
    Expr(ExprId),
    /// A type.
    Type(TypeNameId),
}

/// An initialiser.
#[derive(Clone, Debug)]
pub struct Initializer {
    /// Expression or list.
    pub kind: InitializerKind,
    /// All of it, with the braces.
    pub span: Span,
}

/// Kinds of [`Initializer`].
#[derive(Clone, Debug)]
pub enum InitializerKind {
    /// One expression.
    Expr(ExprId),
    /// `{ ... }`; may be empty (GNU).
    List(Box<[InitializerItem]>),
}

/// One element of an initialiser list.
#[derive(Clone, Debug)]
pub struct InitializerItem {
    /// `.a[1]`, outermost first; empty when the next element is meant.
    pub designators: Box<[Designator]>,
    /// Its value.
    pub value: InitId,
}

/// One step of a designation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Designator {
    /// Field, index or range.
    pub kind: DesignatorKind,
    /// All of it.
    pub span: Span,
}

/// Kinds of [`Designator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignatorKind {
    /// `.field`, or the old `field:`.
    Field(Symbol),
    /// `[index]`, or the old `[index] value` without `=`.
    Index(ExprId),
    /// `[low ... high]`, both included.
    Range(ExprId, ExprId),
}
