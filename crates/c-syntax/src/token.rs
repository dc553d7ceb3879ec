//! Tokens and keywords.
//!
//! A token is sixteen bytes: kind, place, and the symbol of a word. Literals
//! are decoded by the parser from their text, so that lexing allocates nothing
//! for each token.

use bolide_base::{Span, arena::Id};

use crate::intern::{Interner, Symbol};

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
    /// The text of an identifier or keyword; of no meaning for other tokens.
    pub symbol: Symbol,
}

impl Token {
    pub fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

macro_rules! tokens {
    ($($(#[$meta:meta])* $name:ident = $text:literal,)*) => {
        /// Kinds of token. All spellings of a keyword are one kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum TokenKind { $($(#[$meta])* $name,)* }

        impl TokenKind {
            /// How a message names it.
            pub fn text(self) -> &'static str {
                match self { $(TokenKind::$name => $text,)* }
            }
        }
    };
}

tokens! {
    Eof = "end of file",
    /// What is no token: stray characters, unterminated literals and comments.
    Bad = "stray character",
    Identifier = "identifier",
    Number = "number",
    Char = "character constant",
    String = "string literal",

    LeftParen = "`(`", RightParen = "`)`", LeftBracket = "`[`", RightBracket = "`]`",
    LeftBrace = "`{`", RightBrace = "`}`",
    Semicolon = "`;`", Comma = "`,`", Colon = "`:`", Question = "`?`",
    Dot = "`.`", Arrow = "`->`", Ellipsis = "`...`",
    Plus = "`+`", Minus = "`-`", Star = "`*`", Slash = "`/`", Percent = "`%`",
    PlusPlus = "`++`", MinusMinus = "`--`",
    Amp = "`&`", Bar = "`|`", Caret = "`^`", Tilde = "`~`", Bang = "`!`",
    AmpAmp = "`&&`", BarBar = "`||`",
    LessLess = "`<<`", GreaterGreater = "`>>`",
    Less = "`<`", Greater = "`>`", LessEqual = "`<=`", GreaterEqual = "`>=`",
    EqualEqual = "`==`", BangEqual = "`!=`",
    Equal = "`=`", PlusEqual = "`+=`", MinusEqual = "`-=`", StarEqual = "`*=`",
    SlashEqual = "`/=`", PercentEqual = "`%=`", AmpEqual = "`&=`", BarEqual = "`|=`",
    CaretEqual = "`^=`", LessLessEqual = "`<<=`", GreaterGreaterEqual = "`>>=`",

    // Type specifiers.
    Void = "`void`", CharType = "`char`", Short = "`short`", Int = "`int`", Long = "`long`",
    Float = "`float`", Double = "`double`", Signed = "`signed`", Unsigned = "`unsigned`",
    Bool = "`_Bool`", Complex = "`_Complex`", Int128 = "`__int128`",
    Int128T = "`__int128_t`", Uint128T = "`__uint128_t`",
    Float16 = "`_Float16`", Float32 = "`_Float32`", Float64 = "`_Float64`",
    Float128 = "`_Float128`", Float32x = "`_Float32x`", Float64x = "`_Float64x`",
    Decimal32 = "`_Decimal32`", Decimal64 = "`_Decimal64`", Decimal128 = "`_Decimal128`",
    VaList = "`__builtin_va_list`", AutoType = "`__auto_type`", BitInt = "`_BitInt`",
    Struct = "`struct`", Union = "`union`", Enum = "`enum`", Typeof = "`typeof`",
    TypeofUnqual = "`typeof_unqual`", Atomic = "`_Atomic`",
    Const = "`const`", Volatile = "`volatile`", Restrict = "`restrict`",
    // Other declaration specifiers.
    Typedef = "`typedef`", Extern = "`extern`", Static = "`static`", Auto = "`auto`",
    Register = "`register`", ThreadLocal = "`_Thread_local`", Inline = "`inline`",
    Noreturn = "`_Noreturn`", Alignas = "`_Alignas`",

    Attribute = "`__attribute__`", Extension = "`__extension__`", Asm = "`asm`",
    StaticAssert = "`_Static_assert`", Label = "`__label__`", Pragma = "`_Pragma`",
    // Statements.
    If = "`if`", Else = "`else`", While = "`while`", Do = "`do`", For = "`for`",
    Switch = "`switch`", Case = "`case`", Default = "`default`", Goto = "`goto`",
    Break = "`break`", Continue = "`continue`", Return = "`return`",
    // Expressions.
    Sizeof = "`sizeof`", Alignof = "`_Alignof`", Real = "`__real__`", Imag = "`__imag__`",
    Generic = "`_Generic`", VaArg = "`__builtin_va_arg`", Offsetof = "`__builtin_offsetof`",
    TypesCompatible = "`__builtin_types_compatible_p`", Choose = "`__builtin_choose_expr`",
    ConvertVector = "`__builtin_convertvector`", FunctionName = "`__func__`",
    True = "`true`", False = "`false`", Nullptr = "`nullptr`",
}

/// Every spelling of every keyword. The position is the symbol's number.
const KEYWORDS: &[(&str, TokenKind)] = &[
    ("void", TokenKind::Void),
    ("char", TokenKind::CharType),
    ("short", TokenKind::Short),
    ("int", TokenKind::Int),
    ("long", TokenKind::Long),
    ("float", TokenKind::Float),
    ("double", TokenKind::Double),
    ("signed", TokenKind::Signed),
    ("__signed", TokenKind::Signed),
    ("__signed__", TokenKind::Signed),
    ("unsigned", TokenKind::Unsigned),
    ("_Bool", TokenKind::Bool),
    ("_Complex", TokenKind::Complex),
    ("__complex", TokenKind::Complex),
    ("__complex__", TokenKind::Complex),
    ("__int128", TokenKind::Int128),
    ("__int128_t", TokenKind::Int128T),
    ("__uint128_t", TokenKind::Uint128T),
    ("_Float16", TokenKind::Float16),
    ("_Float32", TokenKind::Float32),
    ("_Float64", TokenKind::Float64),
    ("_Float128", TokenKind::Float128),
    ("__float128", TokenKind::Float128),
    ("_Float32x", TokenKind::Float32x),
    ("_Float64x", TokenKind::Float64x),
    ("__float80", TokenKind::Float64x),
    ("_Decimal32", TokenKind::Decimal32),
    ("_Decimal64", TokenKind::Decimal64),
    ("_Decimal128", TokenKind::Decimal128),
    ("__builtin_va_list", TokenKind::VaList),
    ("__auto_type", TokenKind::AutoType),
    ("_BitInt", TokenKind::BitInt),
    ("struct", TokenKind::Struct),
    ("union", TokenKind::Union),
    ("enum", TokenKind::Enum),
    ("typeof", TokenKind::Typeof),
    ("__typeof", TokenKind::Typeof),
    ("__typeof__", TokenKind::Typeof),
    ("__typeof_unqual", TokenKind::TypeofUnqual),
    ("__typeof_unqual__", TokenKind::TypeofUnqual),
    ("_Atomic", TokenKind::Atomic),
    ("const", TokenKind::Const),
    ("__const", TokenKind::Const),
    ("__const__", TokenKind::Const),
    ("volatile", TokenKind::Volatile),
    ("__volatile", TokenKind::Volatile),
    ("__volatile__", TokenKind::Volatile),
    ("restrict", TokenKind::Restrict),
    ("__restrict", TokenKind::Restrict),
    ("__restrict__", TokenKind::Restrict),
    ("typedef", TokenKind::Typedef),
    ("extern", TokenKind::Extern),
    ("static", TokenKind::Static),
    ("auto", TokenKind::Auto),
    ("register", TokenKind::Register),
    ("_Thread_local", TokenKind::ThreadLocal),
    ("__thread", TokenKind::ThreadLocal),
    ("inline", TokenKind::Inline),
    ("__inline", TokenKind::Inline),
    ("__inline__", TokenKind::Inline),
    ("_Noreturn", TokenKind::Noreturn),
    ("_Alignas", TokenKind::Alignas),
    ("__attribute", TokenKind::Attribute),
    ("__attribute__", TokenKind::Attribute),
    ("__extension__", TokenKind::Extension),
    ("asm", TokenKind::Asm),
    ("__asm", TokenKind::Asm),
    ("__asm__", TokenKind::Asm),
    ("_Static_assert", TokenKind::StaticAssert),
    ("__label__", TokenKind::Label),
    ("_Pragma", TokenKind::Pragma),
    ("if", TokenKind::If),
    ("else", TokenKind::Else),
    ("while", TokenKind::While),
    ("do", TokenKind::Do),
    ("for", TokenKind::For),
    ("switch", TokenKind::Switch),
    ("case", TokenKind::Case),
    ("default", TokenKind::Default),
    ("goto", TokenKind::Goto),
    ("break", TokenKind::Break),
    ("continue", TokenKind::Continue),
    ("return", TokenKind::Return),
    ("sizeof", TokenKind::Sizeof),
    ("_Alignof", TokenKind::Alignof),
    ("__alignof", TokenKind::Alignof),
    ("__alignof__", TokenKind::Alignof),
    ("__real", TokenKind::Real),
    ("__real__", TokenKind::Real),
    ("__imag", TokenKind::Imag),
    ("__imag__", TokenKind::Imag),
    ("_Generic", TokenKind::Generic),
    ("__builtin_va_arg", TokenKind::VaArg),
    ("__builtin_offsetof", TokenKind::Offsetof),
    ("__builtin_types_compatible_p", TokenKind::TypesCompatible),
    ("__builtin_choose_expr", TokenKind::Choose),
    ("__builtin_convertvector", TokenKind::ConvertVector),
    ("__func__", TokenKind::FunctionName),
    ("__FUNCTION__", TokenKind::FunctionName),
    ("__PRETTY_FUNCTION__", TokenKind::FunctionName),
];

/// Words that became keywords with C23.
const C23_KEYWORDS: &[(&str, TokenKind)] = &[
    ("bool", TokenKind::Bool),
    ("true", TokenKind::True),
    ("false", TokenKind::False),
    ("nullptr", TokenKind::Nullptr),
    ("static_assert", TokenKind::StaticAssert),
    ("alignas", TokenKind::Alignas),
    ("alignof", TokenKind::Alignof),
    ("thread_local", TokenKind::ThreadLocal),
    // What else it means is for the compiler to check.
    ("constexpr", TokenKind::Const),
    ("typeof_unqual", TokenKind::TypeofUnqual),
];

/// The keywords of one dialect: which symbols they are.
pub(crate) struct Keywords {
    count: usize,
}

impl Keywords {
    /// Interns all keywords; `names` must still be empty.
    pub fn intern(names: &mut Interner, c23: bool) -> Keywords {
        debug_assert!(names.is_empty());
        for &(text, _) in KEYWORDS {
            names.intern(text);
        }
        if c23 {
            for &(text, _) in C23_KEYWORDS {
                names.intern(text);
            }
        }
        Keywords { count: names.len() }
    }

    /// What kind of token a word is.
    pub fn kind(&self, symbol: Symbol) -> TokenKind {
        let index = symbol.index();
        if index >= self.count {
            TokenKind::Identifier
        } else if index < KEYWORDS.len() {
            KEYWORDS[index].1
        } else {
            C23_KEYWORDS[index - KEYWORDS.len()].1
        }
    }
}

impl TokenKind {
    /// Whether a type name can begin with it (typedef names and attributes
    /// aside).
    pub fn starts_type(self) -> bool {
        let code = self as u8;
        (TokenKind::Void as u8..=TokenKind::Restrict as u8).contains(&code)
    }

    /// Whether a declaration can begin with it (typedef names and attributes
    /// aside).
    pub fn starts_declaration(self) -> bool {
        let code = self as u8;
        (TokenKind::Void as u8..=TokenKind::Alignas as u8).contains(&code)
    }

    /// Whether it is a word: an identifier or keyword.
    pub fn is_word(self) -> bool {
        self == TokenKind::Identifier || self as u8 >= TokenKind::Void as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_its_keyword() {
        for c23 in [false, true] {
            let mut names = Interner::new();
            let keywords = Keywords::intern(&mut names, c23);
            for &(text, kind) in KEYWORDS {
                assert_eq!(keywords.kind(names.intern(text)), kind, "{text}");
            }
            for &(text, kind) in C23_KEYWORDS {
                let expected = if c23 { kind } else { TokenKind::Identifier };
                assert_eq!(keywords.kind(names.intern(text)), expected, "{text}");
            }
            assert_eq!(keywords.kind(names.intern("main")), TokenKind::Identifier);
        }
    }
}
