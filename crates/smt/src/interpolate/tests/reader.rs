//! Formulas from text, for tests: `x y : Int; f : Int -> Int` and S-expressions.

use bolide_base::HashMap;
use bolide_terms::{FunctionId, SortId, TermId, TermStore};

pub struct Reader {
    pub store: TermStore,
    functions: HashMap<String, FunctionId>,
}

impl Reader {
    /// Reads declarations: groups separated by semicolons, each a list of names, a
    /// colon, and sorts separated by arrows.
    pub fn new(declarations: &str) -> Self {
        let mut reader = Reader { store: TermStore::new(), functions: HashMap::default() };
        for group in declarations.split(';').map(str::trim).filter(|group| !group.is_empty()) {
            let (names, sorts) = group.split_once(':').expect("names : sorts");
            let mut sorts: Vec<SortId> =
                sorts.split("->").map(|sort| reader.sort(sort.trim())).collect();
            let result = sorts.pop().expect("a result sort");
            for name in names.split_whitespace() {
                let function = reader.store.declare_fn(name, &sorts, result);
                reader.functions.insert(name.to_owned(), function);
            }
        }
        reader
    }

    fn sort(&mut self, name: &str) -> SortId {
        match name {
            "Bool" => SortId::BOOL,
            "Int" => SortId::INT,
            "Real" => SortId::REAL,
            "Array" => self.store.mk_array_sort(SortId::INT, SortId::INT),
            "Matrix" => {
                let row = self.store.mk_array_sort(SortId::INT, SortId::INT);
                self.store.mk_array_sort(SortId::INT, row)
            }
            other => match other.strip_prefix("BitVec") {
                Some(width) => self.store.mk_bv_sort(width.parse().expect("a width")),
                None => self.store.mk_uninterpreted_sort(other),
            },
        }
    }

    /// Reads one S-expression.
    pub fn formula(&mut self, text: &str) -> TermId {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let tokens: Vec<&str> = spaced.split_whitespace().collect();
        let mut at = 0;
        let term = self.term(&tokens, &mut at);
        assert_eq!(at, tokens.len(), "one expression: {text}");
        term
    }

    fn term(&mut self, tokens: &[&str], at: &mut usize) -> TermId {
        let token = tokens[*at];
        *at += 1;
        if token != "(" {
            if let Ok(number) = token.parse::<i64>() {
                return self.store.mk_int(number);
            }
            if let Some(real) = token.strip_suffix(".0") {
                return self
                    .store
                    .mk_real(bolide_base::Rational::from(real.parse::<i64>().expect("a number")));
            }
            return match token {
                "true" => TermId::TRUE,
                "false" => TermId::FALSE,
                name => self.apply(name, &[]),
            };
        }
        let head = tokens[*at];
        *at += 1;
        let mut args = Vec::new();
        while tokens[*at] != ")" {
            args.push(self.term(tokens, at));
        }
        *at += 1;
        self.apply(head, &args)
    }

    fn apply(&mut self, head: &str, args: &[TermId]) -> TermId {
        let store = &mut self.store;
        match (head, args) {
            ("not", &[a]) => store.mk_not(a),
            ("and", _) => store.mk_and(args),
            ("or", _) => store.mk_or(args),
            ("=>", &[a, b]) => store.mk_implies(a, b),
            ("=", &[a, b]) => store.mk_eq(a, b),
            ("distinct", _) => store.mk_distinct(args),
            ("ite", &[c, a, b]) => store.mk_ite(c, a, b),
            ("<=", &[a, b]) => store.mk_le(a, b),
            ("<", &[a, b]) => store.mk_lt(a, b),
            (">=", &[a, b]) => store.mk_ge(a, b),
            (">", &[a, b]) => store.mk_gt(a, b),
            ("+", _) => store.mk_add(args),
            ("-", &[a]) => store.mk_neg(a),
            ("-", &[a, b]) => store.mk_sub(a, b),
            ("*", _) => store.mk_mul(args),
            ("div", &[a, b]) => store.mk_div(a, b),
            ("mod", &[a, b]) => store.mk_mod(a, b),
            ("select", &[a, i]) => store.mk_select(a, i),
            ("store", &[a, i, v]) => store.mk_store(a, i, v),
            ("const", &[v]) => {
                let sort = store.mk_array_sort(SortId::INT, SortId::INT);
                store.mk_const_array(sort, v)
            }
            _ => {
                let function = *self.functions.get(head).unwrap_or_else(|| panic!("{head}?"));
                store.mk_app(function, args)
            }
        }
    }
}
