//! Models of the C library.
//!
//! [`table`] lists what is known by name; `primitive` lowers it; `syntax`
//! has the builtins whose arguments are more than values. The rest is C
//! source, parsed with every program and lowered like the user's own functions
//! when it is called. Checks in it have no place of their own in the user's
//! files; their description names the function.

mod allocation;
mod atomic;
mod format;
mod generic;
mod object_size;
mod output;
pub(crate) mod primitive;
mod scan;
mod syntax;
pub mod table;

use bolide_base::SourceMap;
use bolide_c_syntax::ast::TranslationUnit;
use bolide_c_syntax::{ParseOptions, parse};

/// The file, what it models and its text.
const SOURCES: [(&str, &str, &str); 10] = [
    ("prototypes.c", "", include_str!("prototypes.c")),
    ("string.c", "string.h", include_str!("string.c")),
    ("stdlib.c", "stdlib.h", include_str!("stdlib.c")),
    ("stdio.c", "stdio.h", include_str!("stdio.c")),
    ("ctype.c", "ctype.h", include_str!("ctype.c")),
    ("math.c", "math.h", include_str!("math.c")),
    ("time.c", "time.h", include_str!("time.c")),
    ("unistd.c", "unistd.h", include_str!("unistd.c")),
    ("bits.c", "gcc", include_str!("bits.c")),
    ("dialects.c", "verifiers", include_str!("dialects.c")),
];

/// The models in C, parsed.
pub struct ModelUnits {
    /// One for each source file.
    pub units: Vec<TranslationUnit>,
    /// Their texts.
    pub sources: SourceMap,
}

impl ModelUnits {
    /// Parses the models. They are part of this crate: an error in them is ours.
    pub fn parse() -> Self {
        let mut sources = SourceMap::new();
        let units = SOURCES
            .iter()
            .map(|(name, _, text)| {
                let start = sources.add(*name, (*text).to_owned()).expect("the models are small");
                let result = parse(&mut sources, start, &ParseOptions::default());
                let errors: String =
                    result.diagnostics.iter().map(|d| d.render_plain(&sources)).collect();
                assert!(!result.has_errors(), "a library model does not parse: {errors}");
                result.unit
            })
            .collect();
        ModelUnits { units, sources }
    }
}
