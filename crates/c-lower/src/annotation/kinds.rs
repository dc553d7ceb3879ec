//! Whether an annotation makes sense: pointers are compared with pointers, sets with sets, formulas are not numbers.

use bolide_cfa::contract::{Expr, FieldPlace};
use bolide_cfa::types::Type;
use bolide_cfa::{FunctionId, Program};

/// What an expression stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Number,
    Truth,
    Set,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Object => "a pointer",
            Kind::Number => "an integer",
            Kind::Truth => "a formula",
            Kind::Set => "a set",
        }
    }
}

fn kind_of(ty: Type) -> Result<Kind, String> {
    match ty {
        Type::Pointer => Ok(Kind::Object),
        Type::Int(_) => Ok(Kind::Number),
        Type::Float(_) => Err("numbers with a fraction are not supported".into()),
    }
}

/// Checks a formula.
pub(super) fn formula(e: &Expr, program: &Program, of: FunctionId) -> Result<(), String> {
    let checker = Checker { program, of };
    checker.truth(e)
}

struct Checker<'a> {
    program: &'a Program,
    of: FunctionId,
}

impl Checker<'_> {
    fn truth(&self, e: &Expr) -> Result<(), String> {
        match self.kind(e)? {
            Kind::Truth => Ok(()),
            // As in C: not null, not zero.
            Kind::Object | Kind::Number
                if matches!(e, Expr::Var(_) | Expr::Field(..) | Expr::Cell(..) | Expr::Result) =>
            {
                Ok(())
            }
            other => Err(format!("{} is used as a formula", other.words())),
        }
    }

    fn expect(&self, e: &Expr, wanted: Kind) -> Result<(), String> {
        match (self.kind(e)?, wanted) {
            (found, wanted) if found == wanted => Ok(()),
            // C writes 0 for the null pointer.
            (Kind::Number, Kind::Object) if matches!(e, Expr::Int(0)) => Ok(()),
            (found, wanted) => {
                Err(format!("{} is used where {} is expected", found.words(), wanted.words()))
            }
        }
    }

    fn pointer_field(&self, place: &FieldPlace) -> Result<(), String> {
        if place.ty == Type::Pointer {
            return Ok(());
        }
        Err(format!("`{}` does not hold pointers", place.name))
    }

    fn kind(&self, e: &Expr) -> Result<Kind, String> {
        Ok(match e {
            Expr::Var(var) => kind_of(self.program.variables[*var].ty)?,
            Expr::Bound(_) | Expr::Null => Kind::Object,
            Expr::Int(_) | Expr::Index(_) => Kind::Number,
            Expr::Cell(array, index) => {
                self.expect(index, Kind::Number)?;
                kind_of(array.ty)?
            }
            Expr::Bool(_) => Kind::Truth,
            Expr::Result => match self.program.functions[self.of].result {
                Some(result) => kind_of(self.program.variables[result].ty)?,
                None => return Err("`\\result` of a function that returns nothing".into()),
            },
            Expr::Old(e) => self.kind(e)?,
            Expr::Field(of, place) => {
                self.expect(of, Kind::Object)?;
                kind_of(place.ty)?
            }
            Expr::Btwn(place, x, y, z) => {
                self.pointer_field(place)?;
                for e in [x, y, z] {
                    self.expect(e, Kind::Object)?;
                }
                Kind::Truth
            }
            Expr::Tree(left, right) => {
                self.pointer_field(left)?;
                self.pointer_field(right)?;
                Kind::Truth
            }
            Expr::Below(left, right, x, y) => {
                self.pointer_field(left)?;
                self.pointer_field(right)?;
                self.expect(x, Kind::Object)?;
                self.expect(y, Kind::Object)?;
                Kind::Truth
            }
            Expr::Valid(e) => {
                self.expect(e, Kind::Object)?;
                Kind::Truth
            }
            Expr::Not(e) | Expr::Quantified(_, _, e) | Expr::Indices(_, _, _, e) => {
                self.truth(e)?;
                Kind::Truth
            }
            Expr::Negative(e) => {
                self.expect(e, Kind::Number)?;
                Kind::Number
            }
            Expr::Comprehension(_, e) => {
                self.truth(e)?;
                Kind::Set
            }
            Expr::Set(all) => {
                for e in all {
                    self.expect(e, Kind::Object)?;
                }
                Kind::Set
            }
            Expr::Binary(op, a, b) => return self.binary(op, a, b),
        })
    }

    fn binary(&self, op: &str, a: &Expr, b: &Expr) -> Result<Kind, String> {
        match op {
            "&&" | "||" | "==>" | "<==>" => {
                self.truth(a)?;
                self.truth(b)?;
                return Ok(Kind::Truth);
            }
            "\\in" => {
                self.expect(a, Kind::Object)?;
                self.expect(b, Kind::Set)?;
                return Ok(Kind::Truth);
            }
            "\\union" | "\\inter" | "\\diff" => {
                self.expect(a, Kind::Set)?;
                self.expect(b, Kind::Set)?;
                return Ok(Kind::Set);
            }
            "+" | "-" => {
                self.expect(a, Kind::Number)?;
                self.expect(b, Kind::Number)?;
                return Ok(Kind::Number);
            }
            _ => {}
        }
        let (x, y) = (self.kind(a)?, self.kind(b)?);
        let is_null = |e: &Expr, other: Kind| matches!(e, Expr::Int(0)) && other == Kind::Object;
        let x = if is_null(a, y) { Kind::Object } else { x };
        let y = if is_null(b, x) { Kind::Object } else { y };
        if x != y {
            return Err(format!("`{op}` compares {} with {}", x.words(), y.words()));
        }
        match (op, x) {
            (_, Kind::Truth) => Err(format!("`{op}` compares formulas: write `<==>`")),
            ("==" | "!=", _) | (_, Kind::Number) | ("<=", Kind::Set) => Ok(Kind::Truth),
            (_, kind) => Err(format!("`{op}` does not order {}s", &kind.words()[2..])),
        }
    }
}
