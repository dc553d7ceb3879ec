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
    ($($(#[$meta:meta])* $name:ident = $text:literal $(: $($spelling:literal)*)?,)*) => {
        /// Kinds of token. All spellings of a keyword are one kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum TokenKind { $($(#[$meta])* $name,)* }

        impl TokenKind {
            /// How a message names it.
            pub fn text(self) -> &'static str {
                match self { $(TokenKind::$name => $text,)* }
            }
        }

        /// Every kind with its name in messages.
        const NAMES: &[(&str, TokenKind)] = &[$(($text, TokenKind::$name),)*];

        /// Every spelling of every keyword. The position is the symbol's number.
        const KEYWORDS: &[(&str, TokenKind)] = &[$($($(($spelling, TokenKind::$name),)*)?)*];
    };
}

// Kinds with their names in messages and, behind the colon, the spellings of keywords.
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
    Void = "`void`": "void", CharType = "`char`": "char", Short = "`short`": "short",
    Int = "`int`": "int", Long = "`long`": "long", Float = "`float`": "float",
    Double = "`double`": "double", Signed = "`signed`": "signed" "__signed" "__signed__",
    Unsigned = "`unsigned`": "unsigned", Bool = "`_Bool`": "_Bool",
    Complex = "`_Complex`": "_Complex" "__complex" "__complex__", Int128 = "`__int128`": "__int128",
    Int128T = "`__int128_t`": "__int128_t", Uint128T = "`__uint128_t`": "__uint128_t",
    Float16 = "`_Float16`": "_Float16", Float32 = "`_Float32`": "_Float32",
    Float64 = "`_Float64`": "_Float64", Float128 = "`_Float128`": "_Float128" "__float128",
    Float32x = "`_Float32x`": "_Float32x", Float64x = "`_Float64x`": "_Float64x" "__float80",
    Decimal32 = "`_Decimal32`": "_Decimal32", Decimal64 = "`_Decimal64`": "_Decimal64",
    Decimal128 = "`_Decimal128`": "_Decimal128",
    VaList = "`__builtin_va_list`": "__builtin_va_list", AutoType = "`__auto_type`": "__auto_type",
    BitInt = "`_BitInt`": "_BitInt", Struct = "`struct`": "struct", Union = "`union`": "union",
    Enum = "`enum`": "enum", Typeof = "`typeof`": "typeof" "__typeof" "__typeof__",
    TypeofUnqual = "`typeof_unqual`": "__typeof_unqual" "__typeof_unqual__",
    Atomic = "`_Atomic`": "_Atomic", Const = "`const`": "const" "__const" "__const__",
    Volatile = "`volatile`": "volatile" "__volatile" "__volatile__",
    Restrict = "`restrict`": "restrict" "__restrict" "__restrict__",
    // Other declaration specifiers.
    Typedef = "`typedef`": "typedef", Extern = "`extern`": "extern", Static = "`static`": "static",
    Auto = "`auto`": "auto", Register = "`register`": "register",
    ThreadLocal = "`_Thread_local`": "_Thread_local" "__thread",
    Inline = "`inline`": "inline" "__inline" "__inline__", Noreturn = "`_Noreturn`": "_Noreturn",
    Alignas = "`_Alignas`": "_Alignas",
    Attribute = "`__attribute__`": "__attribute" "__attribute__",
    Extension = "`__extension__`": "__extension__", Asm = "`asm`": "asm" "__asm" "__asm__",
    StaticAssert = "`_Static_assert`": "_Static_assert", Label = "`__label__`": "__label__",
    Pragma = "`_Pragma`": "_Pragma",
    // Statements.
    If = "`if`": "if", Else = "`else`": "else", While = "`while`": "while", Do = "`do`": "do",
    For = "`for`": "for", Switch = "`switch`": "switch", Case = "`case`": "case",
    Default = "`default`": "default", Goto = "`goto`": "goto", Break = "`break`": "break",
    Continue = "`continue`": "continue", Return = "`return`": "return",
    // Expressions.
    Sizeof = "`sizeof`": "sizeof", Alignof = "`_Alignof`": "_Alignof" "__alignof" "__alignof__",
    Real = "`__real__`": "__real" "__real__", Imag = "`__imag__`": "__imag" "__imag__",
    Generic = "`_Generic`": "_Generic", VaArg = "`__builtin_va_arg`": "__builtin_va_arg",
    Offsetof = "`__builtin_offsetof`": "__builtin_offsetof",
    TypesCompatible = "`__builtin_types_compatible_p`": "__builtin_types_compatible_p",
    Choose = "`__builtin_choose_expr`": "__builtin_choose_expr",
    ConvertVector = "`__builtin_convertvector`": "__builtin_convertvector",
    FunctionName = "`__func__`": "__func__" "__FUNCTION__" "__PRETTY_FUNCTION__", True = "`true`",
    False = "`false`", Nullptr = "`nullptr`",
}

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

/// Other spellings of brackets.
const DIGRAPHS: [(&str, TokenKind); 4] = [
    ("`<:`", TokenKind::LeftBracket),
    ("`:>`", TokenKind::RightBracket),
    ("`<%`", TokenKind::LeftBrace),
    ("`%>`", TokenKind::RightBrace),
];

/// Punctuators by their first byte, longest first.
pub(crate) struct Punctuators(Vec<Vec<(&'static [u8], TokenKind)>>);

impl Punctuators {
    /// Those that tokens are named after.
    pub fn new() -> Punctuators {
        let mut found = vec![Vec::new(); 128];
        for (name, kind) in NAMES.iter().chain(&DIGRAPHS) {
            if let Some(text) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'))
                && text.starts_with(|c: char| c.is_ascii_punctuation() && c != '_')
            {
                found[usize::from(text.as_bytes()[0])].push((text.as_bytes(), *kind));
            }
        }
        for alike in &mut found {
            alike.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
        Punctuators(found)
    }

    /// The longest at the start of what is left of a text, and its length.
    pub fn at(&self, rest: &[u8]) -> (TokenKind, usize) {
        let alike = rest.first().and_then(|&byte| self.0.get(usize::from(byte)));
        let found = alike.and_then(|alike| alike.iter().find(|(text, _)| rest.starts_with(text)));
        found.map_or((TokenKind::Bad, 1), |(text, kind)| (*kind, text.len()))
    }
}

/// The keywords of one dialect: which symbols they are.
pub(crate) struct Keywords {
    count: usize,
}

impl Keywords {
    /// Interns all keywords; `names` must still be empty.
    pub fn intern(names: &mut Interner, c23: bool) -> Keywords {
        debug_assert!(names.is_empty());
        let more = if c23 { C23_KEYWORDS } else { &[] };
        for &(text, _) in KEYWORDS.iter().chain(more) {
            names.intern(text);
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
