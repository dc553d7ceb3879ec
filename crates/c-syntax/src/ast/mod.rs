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

use bolide_base::{Arena, Span, define_id};

mod contract;
mod declaration;
mod expr;
mod stmt;

pub use crate::intern::{Interner, Symbol};
pub use contract::*;
pub use declaration::*;
pub use expr::*;
pub use stmt::*;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident;)*) => {
        $(define_id!($(#[$meta])* pub struct $name);)*
    };
}

ids! {
    /// An [`Expr`] of the unit.
    ExprId;
    /// A [`Stmt`] of the unit.
    StmtId;
    /// A [`Declaration`] of the unit.
    DeclId;
    /// An [`Initializer`] of the unit.
    InitId;
    /// A [`TypeName`] of the unit.
    TypeNameId;
    /// A [`RecordSpecifier`] of the unit.
    RecordId;
    /// An [`EnumSpecifier`] of the unit.
    EnumId;
    /// A [`FunctionDefinition`] of the unit.
    FunctionId;
    /// The [`Parameters`] of a function declarator.
    ParamsId;
    /// A [`StringLiteral`] of the unit.
    StringId;
    /// An [`Asm`] of the unit.
    AsmId;
}

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
    /// All function definitions, at file scope and in blocks.
    pub functions: Arena<FunctionId, FunctionDefinition>,
    /// The parameters of all function declarators.
    pub params: Arena<ParamsId, Parameters>,
    /// All string literals.
    pub strings: Arena<StringId, StringLiteral>,
    /// All pieces of assembly.
    pub asms: Arena<AsmId, Asm>,
    /// Annotation comments `/*@ ... */` and `//@ ...`, by position.
    pub annotations: Vec<Annotation>,
    /// What contracts say, in comments and in CBMC's notation.
    pub contracts: Contracts,
    /// Attributes of statements, such as `fallthrough`, by position.
    pub statement_attributes: Vec<Attribute>,
    /// `#pragma` lines, by position. `#pragma pack` is already worked into
    /// [`RecordSpecifier::pack`].
    pub pragmas: Vec<Annotation>,
    /// Whether the keyword `_Complex` occurs.
    pub has_complex: bool,
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

impl TranslationUnit {
    /// The text of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }
}
