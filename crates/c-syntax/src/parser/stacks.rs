//! What waits on the stacks of the parser: operators and operands of expressions, statements and
//! initialiser lists that are still open.

use bolide_base::Span;

use crate::ast::*;

/// What waits for an operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Prefix(UnaryOp, u32),
    Cast(TypeNameId, u32),
    Sizeof(u32),
    Alignof(u32),
    /// `__extension__`, which leaves no node.
    Extension(u32),
    Binary(BinaryOp),
    Assign(Option<BinaryOp>),
    Comma,
    /// `==>`, `<==>` and `..` of contracts.
    Implication,
    Equivalence,
    Range,
    /// The `:` of a conditional; below its operand lie the condition and, if
    /// this is true, the middle.
    Colon(bool),
    // Brackets: nothing below them is reduced before they are closed.
    Paren(Span),
    /// `[`; the base is the operand below.
    Subscript(Span),
    /// `(` of a call; the callee is the operand with this index.
    Call(Span, usize),
    /// `?`; the condition is the operand below.
    Question(Span),
}

/// An expression with the span of the parentheses around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub id: ExprId,
    pub span: Span,
}

/// A statement that waits for a part of it.
pub(super) enum Frame {
    Block {
        open: Span,
        /// Its statements lie from here on the stack of block items.
        first_item: usize,
        /// How many scopes were open outside.
        scopes: usize,
    },
    Then {
        start: u32,
        condition: ExprId,
    },
    Else {
        start: u32,
        condition: ExprId,
        then: StmtId,
    },
    While {
        start: u32,
        condition: ExprId,
    },
    Do {
        start: u32,
    },
    For {
        start: u32,
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        scopes: usize,
    },
    Switch {
        start: u32,
        value: ExprId,
    },
    Case {
        start: u32,
        low: ExprId,
        high: Option<ExprId>,
    },
    Default {
        start: u32,
    },
    Label {
        start: u32,
        name: Symbol,
        name_span: Span,
        attributes: Box<[Attribute]>,
    },
}

/// An initialiser list that is still open.
pub(super) struct List {
    pub open: Span,
    /// Its elements lie from here on the stack of items.
    pub first_item: usize,
    /// What the element that is being read designates.
    pub designators: Box<[Designator]>,
}
