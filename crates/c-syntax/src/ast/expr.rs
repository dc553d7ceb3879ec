//! Expressions, constants and operators.

use bolide_base::Span;

use super::*;

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
        /// The type that the suffix decides.
        suffix: ArithmeticKind,
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
    /// `_Alignof (type)`: what the standard asks for. `__alignof__ (type)`, then
    /// `preferred`: what the compiler likes best.
    AlignofType {
        /// The type.
        ty: TypeNameId,
        /// With underscores at both ends or two in front.
        preferred: bool,
    },
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
    /// `\forall integer i; body`, `__CPROVER_forall { int i; body }`: only in contracts.
    Quantified {
        /// For all, or for some.
        is_forall: bool,
        /// What it binds.
        binders: Box<[Binder]>,
        /// What holds of them.
        body: ExprId,
    },
}

/// A variable that a quantifier or a definition of contracts binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binder {
    /// None for `integer`, which has no bounds.
    pub ty: Option<TypeNameId>,
    /// Its name.
    pub name: Symbol,
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

impl Encoding {
    /// How wide an element is.
    pub fn bytes(self) -> u8 {
        match self {
            Encoding::Plain | Encoding::Utf8 => 1,
            Encoding::Utf16 => 2,
            Encoding::Utf32 | Encoding::Wide => 4,
        }
    }
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

macro_rules! operators {
    ($(#[$meta:meta])* $enum:ident { $($name:ident = $text:literal, $symbol:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl $enum {
            /// As written, for messages; `++` and `--` do not say on which side.
            pub fn symbol(self) -> &'static str {
                match self { $($enum::$name => $symbol,)* }
            }
        }
    };
}

operators! {
    /// Operators of one operand.
    UnaryOp {
        Plus = "+a", "+";
        Minus = "-a", "-";
        Not = "!a", "!";
        // The conjugate of a complex number.
        BitNot = "~a", "~";
        Deref = "*a", "*";
        AddressOf = "&a", "&";
        PreIncrement = "++a", "++";
        PreDecrement = "--a", "--";
        PostIncrement = "a++", "++";
        PostDecrement = "a--", "--";
        Real = "__real__ a", "__real__";
        Imag = "__imag__ a", "__imag__";
    }
}

impl UnaryOp {
    /// `++` or `--`, on either side.
    pub fn is_step(self) -> bool {
        matches!(self.symbol(), "++" | "--")
    }
}

operators! {
    /// Operators of two operands.
    BinaryOp {
        Mul = "a * b", "*";
        Div = "a / b", "/";
        Rem = "a % b", "%";
        Add = "a + b", "+";
        Sub = "a - b", "-";
        Shl = "a << b", "<<";
        Shr = "a >> b", ">>";
        Lt = "a < b", "<";
        Gt = "a > b", ">";
        Le = "a <= b", "<=";
        Ge = "a >= b", ">=";
        Eq = "a == b", "==";
        Ne = "a != b", "!=";
        BitAnd = "a & b", "&";
        BitXor = "a ^ b", "^";
        BitOr = "a | b", "|";
        LogicalAnd = "a && b", "&&";
        LogicalOr = "a || b", "||";
    }
}
