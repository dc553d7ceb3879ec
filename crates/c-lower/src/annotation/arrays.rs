//! Arrays that annotations speak of: `table[i]`, and `\forall integer i` over the indices of such.

use super::Resolver;
use crate::context::Lowerer;
use crate::types::{ArrayLen, CType, TyId};
use crate::value::Place;
use bolide_c_syntax::annotation::Expr as Syntax;
use bolide_cfa::contract::{ArrayPlace, Expr};
use bolide_cfa::types::Type;

impl Lowerer<'_> {
    /// The length of an array of scalars, and what it holds.
    fn scalars(&self, ty: TyId) -> Option<(u64, TyId, Type)> {
        let CType::Array(of, ArrayLen::Fixed(length)) = *self.types.get(ty) else { return None };
        Some((length, of.ty, self.types.scalar(of.ty)?))
    }

    /// Whether annotations may speak of the elements of something of that type.
    pub(super) fn is_array_of_scalars(&self, ty: TyId) -> bool {
        self.scalars(ty).is_some()
    }

    /// The arrays of scalars in static memory, with the types of what they hold.
    pub(super) fn static_arrays(&self) -> Vec<(ArrayPlace, TyId)> {
        let mut found = Vec::new();
        for global in self.linkage.globals.values() {
            if let Some(Place::Memory(address)) = global.place
                && let bolide_cfa::Expr::Object(object) = *self.out.program.exprs.get(address)
                && let Some((length, of, ty)) = self.scalars(global.ty.ty)
            {
                found.push((ArrayPlace { name: global.name.clone(), object, length, ty }, of));
            }
        }
        found
    }
}

impl Resolver<'_> {
    /// The array of that name, if there is one.
    pub(super) fn array(&self, name: &str) -> Option<ArrayPlace> {
        let mut named = self.lowerer.static_arrays().into_iter().map(|(array, _)| array);
        let found = named.by_ref().find(|array| array.name == name)?;
        // Statics of two files may have one name.
        named.all(|array| array.name != name).then_some(found)
    }

    /// What an array holds at an index.
    pub(super) fn cell(&mut self, name: &str, index: &Syntax) -> Result<Expr, String> {
        let missing = || format!("`{name}` is no array of pointers or integers in static memory");
        let array = self.array(name).ok_or_else(missing)?;
        Ok(Expr::Cell(array, Box::new(self.expr(index)?)))
    }

    /// For all, or for some, indices of the arrays that they are indices of.
    pub(super) fn indices(
        &mut self,
        all: bool,
        names: &[String],
        body: &Syntax,
    ) -> Result<Expr, String> {
        let outside = self.bound.len();
        let mut numbers = Vec::new();
        for name in names {
            self.next += 1;
            numbers.push((self.next, name));
            self.bound.push((name.clone(), Expr::Index(self.next)));
        }
        let mut body = self.expr(body)?;
        self.bound.truncate(outside);
        for (number, name) in numbers.into_iter().rev() {
            let length = shortest(&body, number)
                .ok_or_else(|| format!("`{name}` is the index of no array: it has no range"))?;
            body = Expr::Indices(all, number, length, Box::new(body));
        }
        Ok(body)
    }
}

/// The length of the shortest array that a bound index is an index of.
fn shortest(e: &Expr, number: u32) -> Option<u64> {
    let mut found: Option<u64> = None;
    e.visit(&mut |part| {
        if let Expr::Cell(array, index) = part
            && **index == Expr::Index(number)
        {
            found = Some(found.map_or(array.length, |l| l.min(array.length)));
        }
    });
    found
}
