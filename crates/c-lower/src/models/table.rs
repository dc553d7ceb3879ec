//! The table of library functions that lowering knows by name.
//!
//! Functions with an algorithm are C source beside this file (`string.c`,
//! `stdlib.c`, `ctype.c`, `bits.c`) and need no entry here; `prototypes.c`
//! declares the types of all others for programs that call them undeclared.
//! To add a function: write it in C if it can be written, else give it a
//! [`Model`] here and a prototype there.

use bolide_cfa::{FloatFn, FloatTest, OutputKind};

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
    /// Changes nothing that matters and returns zero.
    Nothing,
    /// Changes nothing that matters and returns any value of its type.
    Any,
    /// Changes nothing that matters and returns any value in the range.
    AnyBetween(i64, i64),
    /// Reads input: any values through the pointers behind argument `.0`, the format.
    Scan(usize),
    /// A function on floats.
    Float(FloatFn),
    /// A test on floats.
    Test(FloatTest),
    /// `fmin`, `fmax` and their kind: true for the minimum.
    Extreme(bool),
    /// `copysign`.
    CopySign,
    /// The size of the object pointed to (for models in C).
    ObjectSize,
    /// Checks that the argument may be freed (for models in C).
    CheckFreeable,
    /// Any value, made by the library (for models in C).
    Unknown,
    /// Memory that is never freed and never leaks (for models in C).
    AllocateStatic,
}

/// The model of a function, if the table has it.
pub fn find(name: &str) -> Option<Model> {
    use Model::*;
    const MAX: i64 = i32::MAX as i64;
    Some(match name {
        "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" | "__builtin_assume" => Assume,
        "__assert_fail"
        | "__assert"
        | "__assert_rtn"
        | "_assert"
        | "__assert_func"
        | "__assert_perror_fail"
        | "_wassert" => AssertionFails,
        "assert" | "__VERIFIER_assert" | "__CPROVER_assert" | "__ESBMC_assert" => Assert,
        "abort" | "__builtin_abort" | "__builtin_trap" | "__chk_fail" | "__stack_chk_fail"
        | "__VERIFIER_error" | "reach_error" => Abort,
        "exit" | "__builtin_exit" => Exit,
        "_exit" | "_Exit" | "__builtin__exit" | "__builtin__Exit" | "quick_exit" => QuickExit,
        "__builtin_unreachable" => Unreachable,
        "malloc" | "__builtin_malloc" | "valloc" => Malloc,
        "calloc" | "__builtin_calloc" => Calloc,
        "aligned_alloc" | "memalign" => AlignedAlloc,
        "free" | "__builtin_free" | "cfree" => Free,
        "alloca" | "__builtin_alloca" | "__builtin_alloca_with_align" | "_alloca" => Alloca,
        "memcpy" | "memmove" | "__builtin_memcpy" | "__builtin_memmove" => Copy,
        "mempcpy" | "__mempcpy" | "__builtin_mempcpy" => CopyToEnd,
        "bcopy" => CopyFrom,
        "memset" | "__builtin_memset" => Fill,
        "bzero" | "explicit_bzero" => Zero,
        "printf" | "__builtin_printf" => Output(OutputKind::Printf),
        "puts" | "__builtin_puts" => Output(OutputKind::Puts),
        "putchar" | "__builtin_putchar" | "putchar_unlocked" => Output(OutputKind::Putchar),
        "fprintf" | "vprintf" | "vfprintf" | "dprintf" | "vdprintf" | "__builtin_fprintf"
        | "__fprintf_chk" | "fputs" | "__builtin_fputs" | "fputs_unlocked" => AnyBetween(-1, MAX),
        "fputc" | "putc" | "_IO_putc" | "fgetc" | "getc" | "getchar" | "_IO_getc" | "ungetc"
        | "__uflow" | "__overflow" => AnyBetween(-1, 255),
        "perror"
        | "fflush"
        | "srand"
        | "srandom"
        | "__builtin_prefetch"
        | "syslog"
        | "setbuf"
        | "clearerr"
        | "rewind"
        | "openlog"
        | "closelog"
        | "__builtin___clear_cache" => Nothing,
        "rand" | "random" | "lrand48" => AnyBetween(0, MAX),
        "clock" | "drand48" | "mrand48" | "atof" | "getpid" | "getppid" | "getuid" | "geteuid"
        | "getgid" | "getegid" | "sleep" | "usleep" | "difftime" | "feof" | "ferror" | "fileno"
        | "fclose" | "isatty" | "sysconf" | "ftell" | "fseek" => Any,
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh"
        | "asinh" | "acosh" | "atanh" | "exp" | "exp2" | "expm1" | "log" | "log2" | "log10"
        | "log1p" | "pow" | "cbrt" | "hypot" | "erf" | "erfc" | "tgamma" | "lgamma" | "fmod"
        | "remainder" | "drem" | "ldexp" | "scalbn" | "scalbln" | "logb" | "ilogb"
        | "nextafter" | "nexttoward" | "fdim" | "fma" | "sinf" | "cosf" | "tanf" | "asinf"
        | "acosf" | "atanf" | "atan2f" | "sinhf" | "coshf" | "tanhf" | "expf" | "exp2f"
        | "expm1f" | "logf" | "log2f" | "log10f" | "log1pf" | "powf" | "cbrtf" | "hypotf"
        | "fmodf" | "remainderf" | "ldexpf" | "nextafterf" | "fdimf" | "fmaf" | "sinl" | "cosl"
        | "tanl" | "expl" | "logl" | "log2l" | "log10l" | "powl" | "fmodl" | "remainderl"
        | "ldexpl" | "fdiml" | "fmal" | "atan2l" | "atanl" | "asinl" | "acosl" | "hypotl"
        | "cbrtl" | "nextafterl" | "lrint" | "llrint" | "lrintf" | "llrintf" | "lround"
        | "llround" | "lroundf" | "llroundf" | "lrintl" | "llrintl" | "lroundl" | "llroundl" => Any,
        "scanf" | "__isoc99_scanf" | "vscanf" => Scan(0),
        "fscanf" | "__isoc99_fscanf" | "sscanf" | "__isoc99_sscanf" => Scan(1),
        "fabs" | "fabsf" | "fabsl" => Float(FloatFn::Abs),
        "sqrt" | "sqrtf" | "sqrtl" => Float(FloatFn::Sqrt),
        "floor" | "floorf" | "floorl" => Float(FloatFn::Floor),
        "ceil" | "ceilf" | "ceill" => Float(FloatFn::Ceil),
        "trunc" | "truncf" | "truncl" => Float(FloatFn::Trunc),
        "round" | "roundf" | "roundl" => Float(FloatFn::Round),
        "rint" | "rintf" | "rintl" | "nearbyint" | "nearbyintf" | "nearbyintl" | "roundeven"
        | "roundevenf" | "roundevenl" => Float(FloatFn::RoundEven),
        "isnan" | "__isnan" | "__isnanf" | "__isnanl" | "isnanf" | "isnanl" => {
            Test(FloatTest::IsNan)
        }
        "isinf" | "__isinf" | "__isinff" | "__isinfl" | "isinff" | "isinfl" => {
            Test(FloatTest::IsInfinite)
        }
        "finite" | "__finite" | "__finitef" | "__finitel" | "isfinite" | "finitef" | "finitel" => {
            Test(FloatTest::IsFinite)
        }
        "isnormal" => Test(FloatTest::IsNormal),
        "signbit" | "__signbit" | "__signbitf" | "__signbitl" => Test(FloatTest::SignBit),
        "fmin" | "fminf" | "fminl" => Extreme(true),
        "fmax" | "fmaxf" | "fmaxl" => Extreme(false),
        "copysign" | "copysignf" | "copysignl" => CopySign,
        "__bolide_object_size" => ObjectSize,
        "__bolide_check_freeable" => CheckFreeable,
        "__bolide_any_int" | "__bolide_any_long" | "__bolide_any_size" | "__bolide_any_char" => {
            Unknown
        }
        "__bolide_allocate" => AllocateStatic,
        _ => return None,
    })
}

/// Functions that cannot be treated as unknown ones, and why.
pub fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "pthread_create"
        | "thrd_create"
        | "clone"
        | "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end" => "threads are not supported",
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "siglongjmp"
        | "_longjmp" | "__builtin_setjmp" | "__builtin_longjmp" => {
            "non-local jumps are not supported"
        }
        "atexit" | "on_exit" | "at_quick_exit" => "functions that run at exit are not supported",
        "fork" | "vfork" => "processes are not supported",
        _ => return None,
    })
}
