//! Which part of an object each expression of an initialiser initialises
//! (C11 6.7.9): braces left out, designators, ranges, flexible members.

use crate::context::Lowerer;
use crate::input::{Fallible, Input};
use crate::types::{ArrayLen, CType, QualType, TypeStore};
use bolide_base::Span;
use bolide_c_syntax::ast::{
    self, DesignatorKind, ExprKind, InitId, InitializerItem, InitializerKind,
};
use bolide_cfa::BitRange;

/// More elements than this in one initialiser are refused: a range designator
/// can ask for any number.
const MAX_ITEMS: usize = 1 << 22;

/// One initialised part of an object.
#[derive(Clone, Copy, Debug)]
pub struct InitItem {
    /// Where it lies.
    pub offset: u64,
    /// What it is: a scalar, a record, or an array of characters.
    pub ty: QualType,
    /// For a bit-field.
    pub bits: Option<BitRange>,
    /// Its value; a string literal for an array.
    pub value: ast::ExprId,
}

/// All parts, in the order written.
#[derive(Debug, Default)]
pub struct Flattened {
    pub items: Vec<InitItem>,
    /// One more than the largest index into an outermost array.
    pub extent: u64,
}

/// A part of the object that is being initialised.
#[derive(Clone, Copy)]
struct Part {
    ty: QualType,
    offset: u64,
    bits: Option<BitRange>,
}

/// The items of a list, and the one that comes next.
struct Items<'i> {
    all: &'i [InitializerItem],
    position: usize,
}

impl Input<'_> {
    fn push_item(
        &mut self,
        part: Part,
        value: ast::ExprId,
        span: Span,
        flat: &mut Flattened,
    ) -> Fallible<()> {
        if flat.items.len() >= MAX_ITEMS {
            return self.unsupported(span, "an initialiser of so many elements is");
        }
        flat.items.push(InitItem { offset: part.offset, ty: part.ty, bits: part.bits, value });
        Ok(())
    }
}

impl TypeStore {
    /// The element of an array or the member of a record with this index; none
    /// behind the last.
    fn sub_part(&self, part: Part, index: u64) -> Option<Part> {
        match self.get(part.ty.ty) {
            CType::Array(of, len) => {
                if let ArrayLen::Fixed(n) = len
                    && index >= *n
                {
                    return None;
                }
                let size = self.size(of.ty)?;
                let offset = part.offset.checked_add(size.checked_mul(index)?)?;
                Some(Part { ty: *of, offset, bits: None })
            }
            CType::Record(r) => {
                let record = &self.records[*r];
                // Unnamed bit-fields are not initialised.
                let field = record
                    .fields
                    .iter()
                    .filter(|f| f.name.is_some() || f.bits.is_none())
                    .nth(usize::try_from(index).ok()?)?;
                if record.is_union && index > 0 {
                    return None;
                }
                Some(Part { ty: field.ty, offset: part.offset + field.offset, bits: field.bits })
            }
            CType::Vector(..) => {
                let lanes = self.lanes(part.ty.ty).filter(|lanes| index < lanes.count)?;
                let offset = part.offset + index * self.size(lanes.element)?;
                Some(Part { ty: lanes.element.into(), offset, bits: None })
            }
            _ => None,
        }
    }
}

impl Lowerer<'_> {
    /// The number of elements that an initialiser gives an array.
    pub fn initializer_length(&mut self, of: QualType, init: InitId) -> Fallible<u64> {
        let array = self.types.array(of, ArrayLen::Unknown);
        let flat = self.flatten(array.into(), init)?;
        Ok(flat.extent)
    }

    /// Assigns the expressions of an initialiser to the parts of an object.
    pub fn flatten(&mut self, ty: QualType, init: InitId) -> Fallible<Flattened> {
        let mut flat = Flattened::default();
        let part = Part { ty, offset: 0, bits: None };
        self.flatten_object(part, init, &mut flat, true)?;
        self.arrange(&mut flat);
        Ok(flat)
    }

    /// gcc evaluates in the order in which the parts lie in memory, and what is overwritten by
    /// a later item not at all.
    fn arrange(&mut self, flat: &mut Flattened) {
        let key = |item: &InitItem| (item.offset, item.bits.map_or(0, |bits| bits.offset));
        if flat.items.is_sorted_by(|a, b| key(a) < key(b)) {
            return;
        }
        flat.items.sort_by_key(key);
        let mut kept: Vec<InitItem> = Vec::with_capacity(flat.items.len());
        for item in std::mem::take(&mut flat.items) {
            let size = |item: &InitItem| self.types.size(item.ty.ty);
            match kept.last_mut() {
                Some(last) if key(last) == key(&item) && size(last) == size(&item) => *last = item,
                // Parts of a record that was given as a whole: gcc forgets the whole.
                Some(last)
                    if last.bits.is_none()
                        && size(last).is_some_and(|n| item.offset < last.offset + n) =>
                {
                    let span = self.input.ast().exprs[item.value].span;
                    self.unmodelled(span, "an initialiser that overwrites a part of another");
                    kept.push(item);
                }
                _ => kept.push(item),
            }
        }
        flat.items = kept;
    }

    fn flatten_object(
        &mut self,
        part: Part,
        init: InitId,
        flat: &mut Flattened,
        top: bool,
    ) -> Fallible<()> {
        let unit = self.input.ast();
        let initializer = &unit.inits[init];
        if let Some(record) = self.types.as_record(part.ty.ty) {
            self.tell_notes_of_record(record);
        }
        match &initializer.kind {
            InitializerKind::Expr(e) => self.flatten_expr(part, *e, flat, top),
            InitializerKind::List(items) => {
                let aggregate = self.types.is_array(part.ty.ty)
                    || self.types.is_record(part.ty.ty)
                    || self.types.is_vector(part.ty.ty);
                if !aggregate {
                    return match items.first() {
                        Some(item) => self.deeper(initializer.span, |t| {
                            t.flatten_object(part, item.value, flat, false)
                        }),
                        None => Ok(()),
                    };
                }
                // A string literal in braces.
                if let [item] = &items[..]
                    && item.designators.is_empty()
                    && let InitializerKind::Expr(e) = unit.inits[item.value].kind
                    && self.is_string_for(part.ty, e)
                {
                    return self.flatten_expr(part, e, flat, top);
                }
                let mut items = Items { all: items, position: 0 };
                self.deeper(initializer.span, |this| {
                    this.flatten_list(part, &mut items, true, 0, flat, top)
                })
            }
        }
    }

    fn flatten_expr(
        &mut self,
        part: Part,
        e: ast::ExprId,
        flat: &mut Flattened,
        top: bool,
    ) -> Fallible<()> {
        let unit = self.input.ast();
        let expr = &unit.exprs[e];
        if self.types.is_array(part.ty.ty) {
            if self.is_string_for(part.ty, e) {
                if let ExprKind::String(id) = expr.kind
                    && top
                {
                    flat.extent = flat.extent.max(unit.strings[id].units.len() as u64 + 1);
                }
                return self.input.push_item(part, e, expr.span, flat);
            }
            if let ExprKind::CompoundLiteral { init, .. } = expr.kind {
                return self.deeper(expr.span, |t| t.flatten_object(part, init, flat, top));
            }
            return self.error(expr.span, "an array cannot be initialised with this");
        }
        if let ExprKind::CompoundLiteral { ty, init } = expr.kind {
            let literal = self.type_name(ty)?;
            if self.types.compatible(literal.ty, part.ty.ty) {
                return self.deeper(expr.span, |t| t.flatten_object(part, init, flat, false));
            }
        }
        self.input.push_item(part, e, expr.span, flat)
    }

    /// Whether the expression is a string literal for an array of this type.
    fn is_string_for(&self, ty: QualType, e: ast::ExprId) -> bool {
        let ExprKind::String(id) = self.input.ast().exprs[e].kind else { return false };
        let CType::Array(of, _) = self.types.get(ty.ty) else { return false };
        let width = self.input.ast().strings[id].encoding.bytes();
        self.types.int_type(of.ty).is_some_and(|t| t.bits == 8 * width)
    }

    /// Initialises the parts of an aggregate from `index` on with the items
    /// that come next. Without braces of its own it takes what it needs.
    fn flatten_list(
        &mut self,
        part: Part,
        items: &mut Items<'_>,
        braced: bool,
        mut index: u64,
        flat: &mut Flattened,
        top: bool,
    ) -> Fallible<()> {
        while let Some(item) = items.all.get(items.position) {
            if !item.designators.is_empty() {
                if !braced {
                    return Ok(());
                }
                index = self.flatten_designated(part, &item.designators, items, flat, top)?;
                continue;
            }
            let Some(sub) = self.types.sub_part(part, index) else {
                if braced {
                    // Too many: gcc warns and drops them.
                    items.position += 1;
                    continue;
                }
                return Ok(());
            };
            self.flatten_element(sub, items, flat)?;
            index += 1;
            if top && self.types.is_array(part.ty.ty) {
                flat.extent = flat.extent.max(index);
            }
        }
        Ok(())
    }

    fn flatten_element(
        &mut self,
        sub: Part,
        items: &mut Items<'_>,
        flat: &mut Flattened,
    ) -> Fallible<()> {
        let unit = self.input.ast();
        let value = items.all[items.position].value;
        let span = unit.inits[value].span;
        if let InitializerKind::Expr(e) = unit.inits[value].kind {
            let array = self.types.is_array(sub.ty.ty);
            let record = self.types.is_record(sub.ty.ty) || self.types.is_vector(sub.ty.ty);
            let whole = if array {
                self.is_string_for(sub.ty, e)
            } else if record {
                let ty = self.type_of_expr(e)?;
                self.types.compatible(ty.ty, sub.ty.ty)
            } else {
                true
            };
            if !whole {
                let before = items.position;
                self.deeper(span, |this| this.flatten_list(sub, items, false, 0, flat, false))?;
                let empty = self.types.size(sub.ty.ty) == Some(0);
                if items.position == before && !empty {
                    return self.error(span, "this initialiser does not fit");
                }
                return Ok(());
            }
        }
        items.position += 1;
        self.flatten_object(sub, value, flat, false)
    }

    /// Handles an item with designators; the index of the part that comes next.
    fn flatten_designated(
        &mut self,
        part: Part,
        designators: &[ast::Designator],
        items: &mut Items<'_>,
        flat: &mut Flattened,
        top: bool,
    ) -> Fallible<u64> {
        let Some((first, rest)) = designators.split_first() else {
            return self.error(Span::NONE, "an empty designation");
        };
        let start = items.position;
        match first.kind {
            DesignatorKind::Field(name) => {
                let name = self.input.text(name);
                let Some(record) = self.types.as_record(part.ty.ty) else {
                    return self.error(first.span, "a field of what is no record");
                };
                let Some(path) = self.types.find_member(record, name) else {
                    return self.error(first.span, format!("no member `{name}`"));
                };
                self.flatten_member(part, &path, rest, items, flat)
            }
            DesignatorKind::Index(e) => {
                let index = self.designated_index(e)?;
                self.flatten_at(part, index, rest, items, flat, first.span)?;
                if top {
                    flat.extent = flat.extent.max(index + 1);
                }
                Ok(index + 1)
            }
            DesignatorKind::Range(low, high) => {
                let (low, high) = (self.designated_index(low)?, self.designated_index(high)?);
                if high < low || high - low >= MAX_ITEMS as u64 {
                    return self.error(first.span, "this range is empty or too large");
                }
                for index in low..=high {
                    items.position = start;
                    self.flatten_at(part, index, rest, items, flat, first.span)?;
                }
                if top {
                    flat.extent = flat.extent.max(high + 1);
                }
                Ok(high + 1)
            }
        }
    }

    fn designated_index(&mut self, e: ast::ExprId) -> Fallible<u64> {
        let (value, _) = self.constant_int(e)?;
        let span = self.input.ast().exprs[e].span;
        u64::try_from(value).map_or_else(|_| self.error(span, "the index is negative"), Ok)
    }

    fn flatten_at(
        &mut self,
        part: Part,
        index: u64,
        rest: &[ast::Designator],
        items: &mut Items<'_>,
        flat: &mut Flattened,
        span: Span,
    ) -> Fallible<()> {
        let Some(sub) =
            self.types.sub_part(part, index).filter(|_| self.types.is_array(part.ty.ty))
        else {
            return self.error(span, "the index lies outside of the array");
        };
        self.flatten_rest(sub, rest, items, flat)
    }

    /// Behind the first designator: go deeper, or initialise what was named.
    fn flatten_rest(
        &mut self,
        sub: Part,
        rest: &[ast::Designator],
        items: &mut Items<'_>,
        flat: &mut Flattened,
    ) -> Fallible<()> {
        if rest.is_empty() {
            let value = items.all[items.position].value;
            if let InitializerKind::Expr(_) = self.input.ast().inits[value].kind {
                // Braces may be left out here, too.
                return self.flatten_element(sub, items, flat);
            }
            items.position += 1;
            return self.flatten_object(sub, value, flat, false);
        }
        let next = self.flatten_designated(sub, rest, items, flat, false)?;
        // What follows without designator goes on behind the part named.
        self.flatten_list(sub, items, false, next, flat, false)
    }

    fn flatten_member(
        &mut self,
        part: Part,
        path: &[usize],
        rest: &[ast::Designator],
        items: &mut Items<'_>,
        flat: &mut Flattened,
    ) -> Fallible<u64> {
        let Some(record) = self.types.as_record(part.ty.ty) else { return Ok(0) };
        let record = &self.types.records[record];
        let fields = record.fields.clone();
        let is_union = record.is_union;
        let field = &fields[path[0]];
        let sub = Part { ty: field.ty, offset: part.offset + field.offset, bits: field.bits };
        if path.len() > 1 {
            let next = self.flatten_member(sub, &path[1..], rest, items, flat)?;
            self.flatten_list(sub, items, false, next, flat, false)?;
        } else {
            self.flatten_rest(sub, rest, items, flat)?;
        }
        if is_union {
            return Ok(u64::MAX);
        }
        // Unnamed bit-fields do not count; see `sub_part`.
        let before = fields[..=path[0]].iter().filter(|f| f.name.is_some() || f.bits.is_none());
        Ok(before.count() as u64)
    }
}
