//! What lowering an expression yields, and where variables live.

use crate::types::{QualType, TyId, TypeStore};
use bolide_base::Span;
use bolide_c_syntax::ast;
use bolide_cfa::{BitRange, ExprId, VarId};
use std::rc::Rc;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Of type `void`.
    Void,
    /// A scalar; arrays and functions have decayed.
    Scalar(ExprId),
    /// A record by its leaves.
    Leaves(Rc<[ExprId]>),
    /// A record in memory, to be copied before anything changes it.
    Memory(ExprId),
}

/// A value with its type.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Unqualified.
    pub ty: TyId,
    /// The value.
    pub value: Value,
    /// The width when it was read from a bit-field, for promotion.
    pub width: Option<u8>,
}

impl Operand {
    /// A value that comes from no bit-field.
    pub fn new(ty: TyId, value: Value) -> Self {
        Operand { ty, value, width: None }
    }

    /// A scalar.
    pub fn scalar(ty: TyId, value: ExprId) -> Self {
        Operand::new(ty, Value::Scalar(value))
    }
}

impl TypeStore {
    /// The value of a type that consists of these scalars.
    pub fn value(&self, ty: TyId, leaves: Rc<[ExprId]>) -> Value {
        if self.is_composite(ty) { Value::Leaves(leaves) } else { Value::Scalar(leaves[0]) }
    }
}

/// Where an lvalue lies.
#[derive(Clone, Debug)]
pub enum Where {
    /// In variables: the leaves from `first` on.
    Vars {
        /// All leaves of the variable.
        vars: Rc<[VarId]>,
        /// The first that belongs to the lvalue.
        first: usize,
    },
    /// In memory.
    Memory {
        /// The address.
        pointer: ExprId,
        /// So many bytes from there on are known to lie within a live object.
        valid: Option<u64>,
    },
    /// A member of a value that has no place, such as `f().x`.
    Value(Value),
}

/// An lvalue (or a member of a value).
#[derive(Clone, Debug)]
pub struct LValue {
    /// Its type.
    pub ty: QualType,
    /// Where it is.
    pub at: Where,
    /// For a bit-field, its bits (in variables only the width counts).
    pub bits: Option<BitRange>,
}

/// Where a variable lives.
#[derive(Clone, Debug)]
pub enum Place {
    /// One program variable for each leaf.
    Vars(Rc<[VarId]>),
    /// In memory at this address.
    Memory(ExprId),
}

/// Where a call or an assignment stands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The expression.
    pub span: Span,
    /// Whether somebody reads its value.
    pub used: bool,
}

impl Site {
    /// An expression that is evaluated for its value.
    pub fn value(span: Span) -> Self {
        Site { span, used: true }
    }

    /// An expression that is evaluated for its effects only.
    pub fn effect(span: Span) -> Self {
        Site { span, used: false }
    }
}

/// A call of a builtin whose arguments are not evaluated yet.
#[derive(Clone, Copy, Debug)]
pub struct Builtin<'c> {
    /// Its name, or what is left of it.
    pub name: &'c str,
    /// The arguments.
    pub arguments: &'c [ast::ExprId],
    /// The call.
    pub span: Span,
}

/// An operator with its operands, evaluated.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Not `&&` or `||`.
    pub op: ast::BinaryOp,
    /// The first operand.
    pub left: Operand,
    /// The second operand.
    pub right: Operand,
    /// The expression.
    pub span: Span,
}
