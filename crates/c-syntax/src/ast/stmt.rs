//! Statements and assembly.

use bolide_base::Span;

use super::*;

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
    /// A function defined in a block (gcc).
    Function(FunctionId),
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
