//! The syntax tree of one C file.
//!
//! Every node that can contain itself lies in an arena of the
//! [`TranslationUnit`] and is named by a four-byte id, so that neither building
//! nor dropping a tree recurses: 100,000 nested operators are 100,000 entries of
//! a vector. Walk it with an explicit stack for the same reason. Children are
//! always pushed before their parents, hence a pass over an arena in id order
//! meets every operand before its operator.
//!
//! The tree is what was written, less what has no meaning: parentheses and
//! `__extension__` leave no node (but count into the span of what surrounds
//! them), the keywords of an arithmetic type are sorted into one
//! [`ArithmeticType`], adjacent string literals are one, escapes are decoded,
//! and a declarator is the flat list of what was derived from its base type,
//! read from the name outwards. No name is resolved and no type computed here;
//! only typedef names are told from others, without which C cannot be parsed.
//!
//! A unit that comes with errors is incomplete: what could not be parsed is
//! missing from it.

use bolide_base::{Arena, Span, arena::Id, define_id};

pub use crate::intern::{Interner, Symbol};

define_id!(
    /// An [`Expr`] of the unit.
    pub struct ExprId
);
define_id!(
    /// A [`Stmt`] of the unit.
    pub struct StmtId
);
define_id!(
    /// A [`Declaration`] of the unit.
    pub struct DeclId
);
define_id!(
    /// An [`Initializer`] of the unit.
    pub struct InitId
);
define_id!(
    /// A [`TypeName`] of the unit.
    pub struct TypeNameId
);
define_id!(
    /// A [`RecordSpecifier`] of the unit.
    pub struct RecordId
);
define_id!(
    /// An [`EnumSpecifier`] of the unit.
    pub struct EnumId
);
define_id!(
    /// A [`FunctionDefinition`] of the unit.
    pub struct FunctionId
);
define_id!(
    /// The [`Parameters`] of a function declarator.
    pub struct ParamsId
);
define_id!(
    /// A [`StringLiteral`] of the unit.
    pub struct StringId
);
define_id!(
    /// An [`Asm`] of the unit.
    pub struct AsmId
);

/// One parsed file: what stands at file scope, and the arenas that hold it.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    /// The whole text.
    pub span: Span,
    /// The text of every [`Symbol`].
    pub names: Interner,
    /// What stands at file scope, in order.
    pub items: Vec<Item>,
    /// All expressions.
    pub exprs: Arena<ExprId, Expr>,
    /// All statements.
    pub stmts: Arena<StmtId, Stmt>,
    /// All declarations, at file scope and in blocks.
    pub decls: Arena<DeclId, Declaration>,
    /// All initialisers.
    pub inits: Arena<InitId, Initializer>,
    /// The types of casts, `sizeof`, compound literals and the like.
    pub type_names: Arena<TypeNameId, TypeName>,
    /// All struct and union specifiers, with and without members.
    pub records: Arena<RecordId, RecordSpecifier>,
    /// All enum specifiers, with and without enumerators.
    pub enums: Arena<EnumId, EnumSpecifier>,
    /// All function definitions.
    pub functions: Arena<FunctionId, FunctionDefinition>,
    /// The parameters of all function declarators.
    pub params: Arena<ParamsId, Parameters>,
    /// All string literals.
    pub strings: Arena<StringId, StringLiteral>,
    /// All pieces of assembly.
    pub asms: Arena<AsmId, Asm>,
    /// Annotation comments `/*@ ... */` and `//@ ...`, by position.
    pub annotations: Vec<Annotation>,
    /// `#pragma` lines, by position. `#pragma pack` is already worked into
    /// [`RecordSpecifier::pack`].
    pub pragmas: Vec<Annotation>,
}

/// A comment or directive that was kept aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The comment with its delimiters, or the directive with its `#`.
    pub span: Span,
    /// What it says: without the delimiters and the `@`, or what follows `#pragma`.
    pub text: String,
}

/// What stands at file scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which kind.
    pub kind: ItemKind,
    /// All of it, with the final `;` or `}`.
    pub span: Span,
}

/// Kinds of [`Item`]. Stray semicolons leave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A function with its body.
    Function(FunctionId),
    /// Variables, typedefs, prototypes, or a lone struct or enum.
    Declaration(DeclId),
    /// `asm("...");` at file scope.
    Asm(AsmId),
    /// `_Static_assert(...)`.
    StaticAssert(StaticAssert),
}

/// `_Static_assert(condition, message)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticAssert {
    /// Must be a constant other than zero.
    pub condition: ExprId,
    /// What the compiler would say.
    pub message: Option<StringId>,
    /// All of it.
    pub span: Span,
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// Storage class, return type (less what the declarator derives), attributes.
    pub specifiers: Specifiers,
    /// The name; `derived[0]` is the function with its parameters.
    pub declarator: Declarator,
    /// For a K&R definition the declarations between `)` and `{`. Parameters
    /// that none of them declares are `int`.
    pub parameter_declarations: Vec<DeclId>,
    /// A [`StmtKind::Compound`].
    pub body: StmtId,
    /// All of it.
    pub span: Span,
}

impl FunctionDefinition {
    /// The parameters as the declarator lists them.
    pub fn parameters(&self) -> Option<ParamsId> {
        self.declarator.function_parameters()
    }
}

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

/// A statement or, in a block, a declaration.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Which statement.
    pub kind: StmtKind,
    /// All of it, with the final `;` or `}`.
    pub span: Span,
}

/// Kinds of [`Stmt`].
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`, also with attributes such as `fallthrough`, and what a label marks
    /// at the end of a block or before a declaration.
    Empty,
    /// `expression;`
    Expr(ExprId),
    /// `{ ... }`.
    Compound(Box<[StmtId]>),
    /// A declaration in a block or in the head of a `for`.
    Declaration(DeclId),
    /// `_Static_assert(...)` in a block.
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`: these labels are local to the block.
    LocalLabels(Box<[(Symbol, Span)]>),
    /// `if (condition) then else otherwise`.
    If {
        /// The condition.
        condition: ExprId,
        /// When it is not zero.
        then: StmtId,
        /// When it is.
        otherwise: Option<StmtId>,
    },
    /// `while (condition) body`.
    While {
        /// The condition.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do body while (condition);`
    DoWhile {
        /// The body.
        body: StmtId,
        /// The condition.
        condition: ExprId,
    },
    /// `for (init; condition; step) body`.
    For {
        /// An expression statement, a declaration or nothing.
        init: Option<StmtId>,
        /// Absent means true.
        condition: Option<ExprId>,
        /// What is done after the body.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch (value) body`.
    Switch {
        /// The value.
        value: ExprId,
        /// Usually but not always a block.
        body: StmtId,
    },
    /// `case low:` or `case low ... high:`.
    Case {
        /// The value, or the lowest.
        low: ExprId,
        /// The highest of a range, included.
        high: Option<ExprId>,
        /// The statement it marks.
        body: StmtId,
    },
    /// `default:`.
    Default {
        /// The statement it marks.
        body: StmtId,
    },
    /// `name:`.
    Label {
        /// The label.
        name: Symbol,
        /// Its place.
        name_span: Span,
        /// Attributes behind the colon.
        attributes: Box<[Attribute]>,
        /// The statement it marks.
        body: StmtId,
    },
    /// `goto label;`
    Goto {
        /// The label.
        label: Symbol,
        /// Its place.
        label_span: Span,
    },
    /// `goto *target;`
    ComputedGoto {
        /// A pointer to a label.
        target: ExprId,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<ExprId>),
    /// `asm (...);`
    Asm(AsmId),
}

/// A piece of assembly.
#[derive(Clone, Debug)]
pub struct Asm {
    /// `volatile`.
    pub is_volatile: bool,
    /// `inline`.
    pub is_inline: bool,
    /// `goto`.
    pub is_goto: bool,
    /// Without any colon: no operands, not even empty lists.
    pub is_basic: bool,
    /// The instructions.
    pub template: StringId,
    /// What it writes.
    pub outputs: Vec<AsmOperand>,
    /// What it reads.
    pub inputs: Vec<AsmOperand>,
    /// Registers and `memory`.
    pub clobbers: Vec<StringId>,
    /// Where `asm goto` may jump.
    pub labels: Vec<(Symbol, Span)>,
    /// All of it.
    pub span: Span,
}

/// `[name] "constraint" (value)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsmOperand {
    /// The name in brackets.
    pub name: Option<Symbol>,
    /// Such as `"=r"`.
    pub constraint: StringId,
    /// The C expression.
    pub value: ExprId,
    /// All of it.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which expression.
    pub kind: ExprKind,
    /// All of it; parentheses around it do not count, those around its
    /// operands do.
    pub span: Span,
}

/// Kinds of [`Expr`].
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A variable, function or enumerator.
    Name(Symbol),
    /// An integer constant.
    Integer {
        /// Its value.
        value: u64,
        /// What decides its type.
        format: IntegerFormat,
    },
    /// A floating constant.
    Float {
        /// As written, without suffix: `1.5e-3`, `0x1.8p3`, `1.`.
        text: Symbol,
        /// What decides its type.
        suffix: FloatSuffix,
        /// Suffix `i` or `j`.
        is_imaginary: bool,
    },
    /// A character constant. Its type is `int` without prefix.
    Char {
        /// Its value in its type; plain characters are signed, and several of
        /// them pack as gcc does.
        value: i64,
        /// The prefix.
        encoding: Encoding,
    },
    /// A string literal.
    String(StringId),
    /// `true` and `false` of C23.
    Bool(bool),
    /// `nullptr` of C23.
    Nullptr,
    /// `__func__`, `__FUNCTION__` or `__PRETTY_FUNCTION__`.
    FunctionName,
    /// One operand.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: ExprId,
    },
    /// Two operands; `&&` and `||` are here too.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `target = value`, or `target op= value`.
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// What is assigned to.
        target: ExprId,
        /// The right-hand side.
        value: ExprId,
    },
    /// `condition ? then : otherwise`.
    Conditional {
        /// The condition.
        condition: ExprId,
        /// `None` for `a ?: b`, whose value is that of `a`, evaluated once.
        then: Option<ExprId>,
        /// When the condition is zero.
        otherwise: ExprId,
    },
    /// `left, right`.
    Comma {
        /// For its effects.
        left: ExprId,
        /// The value.
        right: ExprId,
    },
    /// `(type) operand`.
    Cast {
        /// To this type.
        ty: TypeNameId,
        /// The operand.
        operand: ExprId,
    },
    /// `(type) { ... }`.
    CompoundLiteral {
        /// Its type.
        ty: TypeNameId,
        /// Always a list.
        init: InitId,
    },
    /// `sizeof operand`.
    SizeofExpr(ExprId),
    /// `sizeof (type)`.
    SizeofType(TypeNameId),
    /// `__alignof__ operand`.
    AlignofExpr(ExprId),
    /// `_Alignof (type)`.
    AlignofType(TypeNameId),
    /// `callee(arguments)`.
    Call {
        /// What is called.
        callee: ExprId,
        /// In the order written.
        arguments: Box<[ExprId]>,
    },
    /// `base[index]`.
    Index {
        /// Left of the bracket (in C either may be the pointer).
        base: ExprId,
        /// In the bracket.
        index: ExprId,
    },
    /// `base.member` or `base->member`.
    Member {
        /// The record or pointer to it.
        base: ExprId,
        /// The member.
        member: Symbol,
        /// Its place.
        member_span: Span,
        /// `->`.
        is_arrow: bool,
    },
    /// `({ ... })`.
    StmtExpr(StmtId),
    /// `&&label`.
    LabelAddress(Symbol),
    /// `_Generic(control, type: value, ..., default: value)`.
    Generic {
        /// Decides by its type; not evaluated.
        control: ExprId,
        /// In the order written.
        arms: Box<[GenericArm]>,
    },
    /// `__builtin_va_arg(list, type)`.
    VaArg {
        /// The `va_list`.
        list: ExprId,
        /// The type of the argument.
        ty: TypeNameId,
    },
    /// `__builtin_offsetof(type, a.b[1])`.
    Offsetof {
        /// The record.
        ty: TypeNameId,
        /// Begins with a field; never empty.
        path: Box<[Designator]>,
    },
    /// `__builtin_types_compatible_p(left, right)`.
    TypesCompatible {
        /// One type.
        left: TypeNameId,
        /// The other.
        right: TypeNameId,
    },
    /// `__builtin_choose_expr(condition, then, otherwise)`: the type, too, is
    /// that of the chosen one.
    Choose {
        /// A constant.
        condition: ExprId,
        /// When it is not zero.
        then: ExprId,
        /// When it is.
        otherwise: ExprId,
    },
    /// `__builtin_convertvector(operand, type)`.
    ConvertVector {
        /// The vector.
        operand: ExprId,
        /// The type.
        ty: TypeNameId,
    },
}

/// One arm of `_Generic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenericArm {
    /// `None` for `default`.
    pub ty: Option<TypeNameId>,
    /// Its value.
    pub value: ExprId,
}

/// How an integer constant was written, as far as its type depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct IntegerFormat {
    /// Decimal constants never become unsigned by themselves.
    pub is_decimal: bool,
    /// Suffix `u`.
    pub is_unsigned: bool,
    /// How many `l`: 0, 1 or 2.
    pub longs: u8,
    /// Suffix `i` or `j`.
    pub is_imaginary: bool,
}

/// Suffix of a floating constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatSuffix {
    /// None: `double`.
    Double,
    /// `f`.
    Float,
    /// `l`.
    LongDouble,
    Float16,
    Float32,
    Float64,
    /// `f128` or `q`.
    Float128,
    Float32x,
    /// `f64x` or `w`.
    Float64x,
    Decimal32,
    Decimal64,
    Decimal128,
}

/// Prefix of a character constant or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// None: `char`.
    Plain,
    /// `u8`: `char`.
    Utf8,
    /// `u`: `char16_t`, unsigned 16 bit.
    Utf16,
    /// `U`: `char32_t`, unsigned 32 bit.
    Utf32,
    /// `L`: `wchar_t`, signed 32 bit.
    Wide,
}

/// A string literal: adjacent ones joined, escapes decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// Its prefix; that of any part decides.
    pub encoding: Encoding,
    /// The elements as unsigned numbers of the element's width (bytes for
    /// plain strings), without the zero at the end.
    pub units: Box<[u32]>,
    /// From the first quote to the last.
    pub span: Span,
}

impl StringLiteral {
    /// The text, for messages and names; what is no character is replaced.
    pub fn text(&self) -> String {
        match self.encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let bytes: Vec<u8> = self.units.iter().map(|&u| u as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Encoding::Utf16 => {
                let units: Vec<u16> = self.units.iter().map(|&u| u as u16).collect();
                String::from_utf16_lossy(&units)
            }
            Encoding::Utf32 | Encoding::Wide => {
                self.units.iter().map(|&u| char::from_u32(u).unwrap_or('\u{fffd}')).collect()
            }
        }
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+a`
    Plus,
    /// `-a`
    Minus,
    /// `!a`
    Not,
    /// `~a`; the conjugate of a complex number
    BitNot,
    /// `*a`
    Deref,
    /// `&a`
    AddressOf,
    /// `++a`
    PreIncrement,
    /// `--a`
    PreDecrement,
    /// `a++`
    PostIncrement,
    /// `a--`
    PostDecrement,
    /// `__real__ a`
    Real,
    /// `__imag__ a`
    Imag,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

impl UnaryOp {
    /// As written, for messages; `++` and `--` do not say on which side.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
            UnaryOp::Deref => "*",
            UnaryOp::AddressOf => "&",
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => "++",
            UnaryOp::PreDecrement | UnaryOp::PostDecrement => "--",
            UnaryOp::Real => "__real__",
            UnaryOp::Imag => "__imag__",
        }
    }
}

impl BinaryOp {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }
}

impl TranslationUnit {
    /// The text of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// How many nodes of every kind the arenas hold, a measure of size.
    pub fn node_count(&self) -> usize {
        fn len<I: Id, T>(arena: &Arena<I, T>) -> usize {
            arena.len()
        }
        len(&self.exprs)
            + len(&self.stmts)
            + len(&self.decls)
            + len(&self.inits)
            + len(&self.type_names)
            + len(&self.records)
            + len(&self.enums)
            + len(&self.functions)
            + len(&self.params)
            + len(&self.strings)
            + len(&self.asms)
    }
}
