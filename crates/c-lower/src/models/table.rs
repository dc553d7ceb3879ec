//! The table of library functions that lowering knows by name.
//!
//! Functions with an algorithm are C source beside this file, one file for each group of
//! headers, and need no entry here; `prototypes.c` declares the types of the others for
//! programs that call them undeclared. To add a function: write it in C if it can be
//! written, else give it a [`Model`] here and a prototype there. The page `docs/library.md` of the
//! book is made from both by the test that keeps it true.
//!
//! Three ways to say less than the truth, and when:
//! - any value ([`Model::Any`]): the caller cannot expect more, as of `getchar`;
//! - [`Model::Value`]: the function has a value that C or the system fixes and nobody here
//!   knows, as `sin`. Proofs hold whatever it is; a violation that rests on it counts for nothing;
//! - [`Model::Foreign`]: it also does what nobody here knows, as `strptime`. It is called as a
//!   function without a body, and again no violation counts.

use bolide_base::HashMap;
use bolide_cfa::MathFn;
use bolide_cfa::{FloatFn, FloatTest, OutputKind};
use std::sync::OnceLock;

/// Where a function of the printf family puts its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Standard output.
    Stdout,
    /// A stream or a log, which nobody reads.
    Stream,
    /// The first argument, which is large enough.
    Buffer,
    /// The first argument, of which the second says how large it is.
    SizedBuffer,
    /// Memory that it allocates.
    NewBuffer,
}

/// What a call to a library function does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// Cuts the path where the first argument is zero.
    Assume,
    /// A failing assertion; the first argument says which, if it is a string.
    AssertionFails,
    /// Fails where the first argument is zero.
    Assert,
    /// Ends the run abnormally.
    Abort,
    /// Ends the run with the first argument as status.
    Exit,
    /// Ends the run with the first argument as status, without the checks at the end.
    QuickExit,
    /// Control never comes here.
    Unreachable,
    /// Allocates as many bytes as the first argument says.
    Malloc,
    /// Allocates zeroed bytes: first times second argument.
    Calloc,
    /// Allocates with alignment: the second argument is the size.
    AlignedAlloc,
    /// Frees.
    Free,
    /// Allocates until the function returns.
    Alloca,
    /// Copies: destination, source, size. Returns the destination.
    Copy,
    /// Copies: destination, source, size. Returns the end of the destination.
    CopyToEnd,
    /// Copies: source, destination, size (`bcopy`).
    CopyFrom,
    /// Fills: destination, byte, size. Returns the destination.
    Fill,
    /// Fills with zero: destination, size.
    Zero,
    /// Writes to standard output.
    Output(OutputKind),
    /// Formats: where to, and which argument is the format.
    Print(Sink, usize),
    /// The same with a list of arguments.
    PrintList(Sink, usize),
    /// Reads standard input or a stream as the format says that is argument `.0`.
    Scan(usize),
    /// Reads the text that is the first argument as the second says.
    ScanText,
    /// Changes nothing that matters and returns zero.
    Nothing,
    /// Changes nothing that matters and returns any value of its type.
    Any,
    /// Changes nothing that matters and returns any value in the range.
    AnyBetween(i64, i64),
    /// An input, from the first argument to the second.
    InputBetween,
    /// Changes nothing; has a value that nobody knows.
    Value,
    /// Does something that nobody knows.
    Foreign,
    /// Cannot be treated as an unknown function; what it is about.
    Refused(&'static str),
    /// Quotient and remainder.
    Divide,
    /// A function on floats.
    Float(FloatFn),
    /// A function on floats that rounds once.
    Math(MathFn),
    /// A test on floats.
    Test(FloatTest),
    /// `fmin`, `fmax` and their kind: true for the minimum.
    Extreme(bool),
    /// `copysign`.
    CopySign,
    /// The size of the object pointed to (for models in C, as all below).
    ObjectSize,
    /// Where in its object the argument points.
    Offset,
    /// Whether both arguments point into one object.
    SameObject,
    /// Checks that the argument may be freed.
    CheckFreeable,
    /// Checks that the argument is a string.
    CheckText,
    /// Checks that so many bytes can be read.
    CheckReadable,
    /// Whether so many bytes can be read.
    IsReadable,
    /// Whether the argument points to what must not be written.
    IsReadOnly,
    /// Any value, made by the library.
    Unknown,
    /// Memory that is never freed and never leaks.
    AllocateStatic,
    /// A value that only the interpreter computes.
    Computed(OutputKind),
}

impl Model {
    /// How many arguments it needs.
    pub fn needs(self) -> usize {
        use Model::*;
        match self {
            Assume | Assert | Malloc | Free | Alloca | Float(_) | Test(_) | ObjectSize | Offset
            | CheckFreeable | CheckText | AllocateStatic | IsReadOnly => 1,
            Calloc | AlignedAlloc | Zero | Extreme(_) | CopySign | Divide | ScanText
            | CheckReadable | IsReadable | InputBetween => 2,
            Copy | CopyToEnd | CopyFrom | Fill => 3,
            _ => 0,
        }
    }
}

/// One kind of functions of a header.
struct Row(&'static str, Model, &'static str);

const THREADS: &str = "threads";
const JUMPS: &str = "non-local jumps";

/// Names in rows of `math.h` stand for those with the suffixes `f` and `l` too.
const ROWS: &[Row] = {
    use Model::*;
    &[
        Row(
            "assert.h",
            AssertionFails,
            "__assert_fail __assert __assert_rtn _assert __assert_func \
            __assert_perror_fail _wassert",
        ),
        Row("assert.h", Assert, "assert"),
        Row("SV-COMP", Assume, "__VERIFIER_assume"),
        Row("SV-COMP", Assert, "__VERIFIER_assert"),
        Row("SV-COMP", Abort, "__VERIFIER_error reach_error"),
        // No thread is ever made: those who make one are refused.
        Row("SV-COMP", Nothing, "__VERIFIER_atomic_begin __VERIFIER_atomic_end"),
        Row("CBMC", Assume, "__CPROVER_assume"),
        Row("CBMC", Assert, "__CPROVER_assert __CPROVER_precondition __CPROVER_postcondition"),
        Row("CBMC", Float(FloatFn::Abs), "__CPROVER_fabs __CPROVER_fabsf __CPROVER_fabsl"),
        Row(
            "CBMC",
            Nothing,
            "__CPROVER_input __CPROVER_output __CPROVER_cover __CPROVER_printf \
            __CPROVER_atomic_begin __CPROVER_atomic_end",
        ),
        Row("SeaHorn", Assert, "sassert"),
        Row(
            "SeaHorn",
            Nothing,
            "sea_tracking_on sea_tracking_off sea_printf sea_reset_modified sea_set_shadowmem",
        ),
        Row("ESBMC", Assume, "__ESBMC_assume"),
        Row("ESBMC", Assert, "__ESBMC_assert"),
        Row("ESBMC", Fill, "__ESBMC_memset"),
        Row("ESBMC", Nothing, "__ESBMC_atomic_begin __ESBMC_atomic_end"),
        Row(
            "Predator",
            Nothing,
            "__VERIFIER_plot ___sl_break ___sl_plot ___sl_plot_trace_now ___sl_plot_trace_once \
            ___sl_enable_debugging_of",
        ),
        Row(
            "Frama-C",
            InputBetween,
            "Frama_C_interval Frama_C_char_interval Frama_C_unsigned_char_interval \
            Frama_C_short_interval Frama_C_unsigned_short_interval Frama_C_unsigned_int_interval \
            Frama_C_long_interval Frama_C_unsigned_long_interval Frama_C_long_long_interval \
            Frama_C_unsigned_long_long_interval",
        ),
        Row("gcc", Assume, "__builtin_assume __bolide_assume"),
        Row("gcc", Abort, "__builtin_trap __chk_fail __stack_chk_fail"),
        Row("gcc", Unreachable, "__builtin_unreachable"),
        Row("gcc", Nothing, "__builtin_prefetch __builtin___clear_cache"),
        Row("gcc", Alloca, "alloca __builtin_alloca __builtin_alloca_with_align _alloca"),
        Row("stdlib.h", Abort, "abort"),
        Row("stdlib.h", Exit, "exit"),
        Row("stdlib.h", QuickExit, "_exit _Exit quick_exit"),
        Row("stdlib.h", Malloc, "malloc"),
        Row("stdlib.h", Calloc, "calloc"),
        Row("stdlib.h", AlignedAlloc, "aligned_alloc memalign"),
        Row("stdlib.h", Free, "free cfree"),
        Row("stdlib.h", Divide, "div ldiv lldiv imaxdiv"),
        Row(
            "stdlib.h",
            Refused("functions that run at exit, other than those of `atexit`,"),
            "on_exit at_quick_exit",
        ),
        Row(
            "stdlib.h",
            Foreign,
            "system setenv putenv unsetenv clearenv mblen mbtowc wctomb \
            mbstowcs wcstombs realpath mkstemp mktemp mkdtemp qsort_r ecvt fcvt gcvt \
            erand48 nrand48 jrand48 lcong48 seed48 initstate setstate random_r srandom_r getsubopt \
            a64l l64a getloadavg basename dirname",
        ),
        Row("string.h", Copy, "memcpy memmove"),
        Row("string.h", CopyToEnd, "mempcpy __mempcpy"),
        Row("string.h", CopyFrom, "bcopy"),
        Row("string.h", Fill, "memset"),
        Row("string.h", Zero, "bzero explicit_bzero"),
        Row(
            "string.h",
            Foreign,
            "strerror_r strsignal strverscmp strfry memfrob swab wcstok \
            wcstol wcstoul wcstoll wcstoull wcstod wcstof wcsstr wcsspn wcscspn wcspbrk wcsdup \
            wcscoll wcsxfrm wcsnlen wmemcmp wmemchr wcscasecmp",
        ),
        Row(
            "ctype.h",
            Foreign,
            "iswalpha iswdigit iswalnum iswupper iswlower iswpunct iswprint \
            iswgraph iswcntrl iswxdigit iswblank towlower towupper iswctype wctype towctrans \
            wctrans",
        ),
        Row("stdio.h", Print(Sink::Stdout, 0), "printf"),
        Row("stdio.h", Output(OutputKind::Puts), "puts"),
        Row("stdio.h", Output(OutputKind::Putchar), "putchar"),
        Row("stdio.h", Print(Sink::Stream, 1), "fprintf dprintf syslog"),
        Row("stdio.h", Print(Sink::Buffer, 1), "sprintf"),
        Row("stdio.h", Print(Sink::SizedBuffer, 2), "snprintf"),
        Row("stdio.h", Print(Sink::NewBuffer, 1), "asprintf"),
        Row("stdio.h", PrintList(Sink::Stream, 0), "vprintf"),
        Row("stdio.h", PrintList(Sink::Stream, 1), "vfprintf vdprintf vsyslog"),
        Row("stdio.h", PrintList(Sink::Buffer, 1), "vsprintf"),
        Row("stdio.h", PrintList(Sink::SizedBuffer, 2), "vsnprintf"),
        Row("stdio.h", PrintList(Sink::NewBuffer, 1), "vasprintf"),
        Row("stdio.h", Scan(0), "scanf"),
        Row("stdio.h", Scan(1), "fscanf"),
        Row("stdio.h", ScanText, "sscanf"),
        Row("stdio.h", AnyBetween(-1, 255), "getchar __uflow __overflow"),
        Row("stdio.h", Nothing, "setlinebuf openlog closelog flockfile funlockfile"),
        Row("stdio.h", Value, "fileno ftell ftello feof ferror getw pclose"),
        Row(
            "stdio.h",
            Foreign,
            "vscanf vfscanf vsscanf ungetc fgetpos fsetpos tmpnam tempnam \
            fmemopen open_memstream fgetwc fputwc getwchar putwchar fgetws fputws wprintf \
            fwprintf swprintf vswprintf wscanf fwscanf swscanf warn warnx vwarn vwarnx",
        ),
        Row("time.h", Nothing, "tzset"),
        Row(
            "time.h",
            Foreign,
            "mktime timegm strptime getdate nanosleep clock_getres clock_settime \
            timespec_get times",
        ),
        Row("locale.h", Foreign, "setlocale localeconv newlocale uselocale freelocale"),
        Row(
            "signal.h",
            Foreign,
            "signal sigaction sigprocmask sigemptyset sigfillset sigaddset \
            sigdelset sigismember sigsuspend raise kill alarm pause setitimer",
        ),
        Row(
            "setjmp.h",
            Refused(JUMPS),
            "setjmp _setjmp __sigsetjmp sigsetjmp longjmp siglongjmp \
            _longjmp __builtin_setjmp __builtin_longjmp",
        ),
        Row("pthread.h", Refused(THREADS), "pthread_create thrd_create clone"),
        Row("unistd.h", Refused("processes"), "fork vfork"),
        Row("unistd.h", Value, "getppid geteuid getegid isatty sysconf getpgrp getsid umask"),
        Row(
            "unistd.h",
            Foreign,
            "pipe dup2 fcntl ioctl stat fstat lstat opendir readdir \
            closedir getcwd gethostname readlink symlink link ftruncate truncate fsync select \
            poll wait waitpid execv execve execvp execl execlp getopt getopt_long getlogin \
            getpwnam getpwuid socket bind listen accept connect send recv sendto recvfrom \
            setsockopt getsockopt mmap munmap mprotect sched_yield ttyname uname getrusage \
            setuid setgid",
        ),
        Row(
            "fenv.h",
            Foreign,
            "fegetenv fesetenv feholdexcept feupdateenv feraiseexcept fetestexcept feclearexcept",
        ),
        Row("math.h", Float(FloatFn::Abs), "fabs"),
        Row("math.h", Float(FloatFn::Sqrt), "sqrt"),
        Row("math.h", Float(FloatFn::Floor), "floor"),
        Row("math.h", Float(FloatFn::Ceil), "ceil"),
        Row("math.h", Float(FloatFn::Trunc), "trunc"),
        Row("math.h", Float(FloatFn::Round), "round"),
        Row("math.h", Float(FloatFn::RoundEven), "rint nearbyint"),
        Row("math.h", Test(FloatTest::IsNan), "isnan __isnan"),
        Row("math.h", Test(FloatTest::IsInfinite), "isinf __isinf"),
        Row("math.h", Test(FloatTest::IsFinite), "finite __finite isfinite"),
        Row("math.h", Test(FloatTest::IsNormal), "isnormal"),
        Row("math.h", Test(FloatTest::SignBit), "signbit __signbit"),
        Row("math.h", Extreme(true), "fmin"),
        Row("math.h", Extreme(false), "fmax"),
        Row("math.h", CopySign, "copysign"),
        Row("math.h", Math(MathFn::Modulo), "fmod"),
        Row("math.h", Math(MathFn::Remainder), "remainder drem"),
        Row("math.h", Math(MathFn::MultiplyAdd), "fma"),
        Row("math.h", Math(MathFn::Scale), "scalbn ldexp scalbln"),
        Row("math.h", Math(MathFn::NextAfter), "nextafter"),
        Row("math.h", Math(MathFn::Exponent), "ilogb __bolide_exponent"),
        Row(
            "math.h",
            Value,
            "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh \
            exp exp2 exp10 expm1 log log2 log10 log1p pow pow10 cbrt hypot erf erfc tgamma \
            lgamma gamma nexttoward j0 j1 jn y0 y1 yn significand",
        ),
        Row("math.h", Foreign, "sincos remquo lgamma_r"),
        Row("", ObjectSize, "__bolide_object_size"),
        Row("", Offset, "__bolide_offset"),
        Row("", SameObject, "__bolide_same_object"),
        Row("", CheckFreeable, "__bolide_check_freeable"),
        Row("", CheckText, "__bolide_check_text"),
        Row("", CheckReadable, "__bolide_check_readable"),
        Row("", IsReadable, "__bolide_is_readable"),
        Row("", IsReadOnly, "__bolide_is_read_only"),
        Row(
            "",
            Unknown,
            "__bolide_any_int __bolide_any_long __bolide_any_size __bolide_any_char \
            __bolide_any_double",
        ),
        Row(
            "",
            Value,
            "__bolide_unmodelled_int __bolide_unmodelled_long \
            __bolide_unmodelled_size __bolide_unmodelled_char __bolide_unmodelled_double",
        ),
        Row("", AllocateStatic, "__bolide_allocate"),
        Row(
            "",
            Refused("what the library writes into a buffer that it was given"),
            "__bolide_given_buffer",
        ),
        Row("", Computed(OutputKind::Opaque), "__bolide_opaque_int __bolide_opaque_long"),
        Row(
            "",
            Computed(OutputKind::ReadFloat),
            "__bolide_read_float __bolide_read_double \
            __bolide_read_long_double __bolide_read_float_length __bolide_read_double_length \
            __bolide_read_long_double_length",
        ),
    ]
};

fn models() -> &'static HashMap<String, Model> {
    static MODELS: OnceLock<HashMap<String, Model>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let mut models = HashMap::default();
        for Row(header, model, names) in ROWS {
            for name in names.split_whitespace() {
                models.insert(name.to_owned(), *model);
                if *header == "math.h" {
                    models.insert(format!("{name}f"), *model);
                    models.insert(format!("{name}l"), *model);
                }
            }
        }
        models
    })
}

/// The model of a function, if the table has it.
pub fn find(name: &str) -> Option<Model> {
    models().get(name).copied()
}

/// Another name of a library function: `__builtin_x`, `__isoc99_x`, `x_unlocked` and `__x_chk`
/// are `x`, the last without some of its arguments. The name and which arguments to leave out.
pub fn plain_name(name: &str) -> Option<(&str, std::ops::Range<usize>)> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some(checked) = plain.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")) {
        let left_out = match checked {
            "printf" | "vprintf" => 0..1,
            "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "asprintf" | "vasprintf"
            | "syslog" | "vsyslog" | "fgets" | "fread" => 1..2,
            "sprintf" | "vsprintf" => 1..3,
            "snprintf" | "vsnprintf" => 2..4,
            _ => usize::MAX - 1..usize::MAX,
        };
        return Some((checked, left_out));
    }
    let plain = plain.strip_prefix("__isoc99_").unwrap_or(plain);
    let plain = plain.strip_suffix("_unlocked").unwrap_or(plain);
    (plain != name).then_some((plain, 0..0))
}

/// Functions that gcc computes itself, without optimisation too and whatever the program defines
/// under that name.
pub const REPLACED: [&str; 10] =
    ["abs", "labs", "llabs", "imaxabs", "fabs", "fabsf", "fabsl", "isascii", "isdigit", "toascii"];

/// Whether a function without a body has a meaning that everybody knows: a run in which it does
/// anything shows nothing. Names with two underscores belong to the implementation of C.
pub fn has_meaning(name: &str) -> bool {
    let plain = plain_name(name).map_or(name, |(plain, _)| plain);
    name.starts_with("__") || find(plain).is_some()
}

/// Whether a function may change variables of its caller.
pub fn changes_memory(model: Model) -> bool {
    use Model::*;
    matches!(
        model,
        Copy | CopyToEnd
            | CopyFrom
            | Fill
            | Zero
            | Print(..)
            | PrintList(..)
            | Scan(_)
            | ScanText
            | Foreign
            | Refused(_)
    )
}

/// Whether a function without a body is an input by its name alone.
pub fn is_input(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions that are written in C, by header.
    fn in_c() -> Vec<(&'static str, Vec<String>)> {
        let names = |unit: &bolide_c_syntax::ast::TranslationUnit| {
            let defined = unit.functions.values().filter_map(|f| f.declarator.name);
            let names = defined.map(|name| unit.name(name).to_owned());
            names.filter(|name| !name.starts_with("__bolide")).collect()
        };
        let units = super::super::ModelUnits::parse().units;
        units
            .iter()
            .zip(&super::super::SOURCES)
            .map(|(unit, source)| (source.1, names(unit)))
            .collect()
    }

    /// How a model is told to readers.
    fn told(model: Model) -> &'static str {
        match model {
            Model::Value => "a value that no violation may rest on",
            Model::Foreign => "unmodelled",
            Model::Refused(_) => "not supported",
            Model::Any | Model::AnyBetween(..) | Model::Scan(_) => "any value",
            Model::PrintList(..) => "any text that fits",
            Model::Math(_) => "exact, in proofs any value of `long double`",
            Model::ScanText
            | Model::Print(Sink::Buffer | Sink::SizedBuffer | Sink::NewBuffer, _) => {
                "exact in executions, any value that fits in proofs"
            }
            Model::Nothing => "does nothing",
            _ => "exact",
        }
    }

    /// The tables of `docs/library.md`: a row for each header and way of modelling.
    fn page() -> String {
        let mut rows: std::collections::BTreeMap<(&str, &str), Vec<String>> = Default::default();
        for Row(header, model, names) in ROWS {
            if header.is_empty() {
                continue;
            }
            let names = names.split_whitespace().filter(|n| !n.starts_with("__bolide"));
            rows.entry((header, told(*model))).or_default().extend(names.map(String::from));
        }
        for (header, names) in in_c().into_iter().filter(|(_, names)| !names.is_empty()) {
            rows.entry((header, "in C")).or_default().extend(names);
        }
        let mut out = String::from("| header | how | functions |\n|---|---|---|\n");
        for ((header, how), mut names) in rows {
            names.sort();
            names.dedup();
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            out += &format!("| {header} | {how} | {} |\n", names.join(" "));
        }
        out
    }

    #[test]
    fn the_book_has_this_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/library.md");
        let text = std::fs::read_to_string(path).expect("the page is there");
        let (head, told) = text.split_once("| header |").expect("the page has a table");
        let page = page();
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, format!("{head}{page}")).expect("the page can be written");
        } else {
            assert_eq!(format!("| header |{told}"), page, "run with UPDATE_EXPECT=1");
        }
    }

    #[test]
    fn other_names_are_the_function() {
        let plain = |name| super::plain_name(name).map(|(plain, _)| plain);
        assert_eq!(plain("__builtin_memcpy"), Some("memcpy"));
        assert_eq!(plain("__builtin___memcpy_chk"), Some("memcpy"));
        assert_eq!(super::plain_name("__snprintf_chk"), Some(("snprintf", 2..4)));
        assert_eq!(plain("__isoc99_sscanf"), Some("sscanf"));
        assert_eq!(plain("getc_unlocked"), Some("getc"));
        assert_eq!(plain("memcpy"), None);
    }

    #[test]
    fn no_name_stands_in_two_rows() {
        let mut seen = std::collections::BTreeSet::new();
        let names = super::ROWS.iter().flat_map(|row| row.2.split_whitespace());
        for name in names.map(str::to_owned).chain(in_c().into_iter().flat_map(|f| f.1)) {
            assert!(seen.insert(name.clone()), "`{name}` is modelled twice");
        }
    }
}
