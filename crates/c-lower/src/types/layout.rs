//! Where gcc on x86 (System V ABI) places the members of structs and unions.
//!
//! A bit-field may not span more units of its declared type than that type has
//! itself; when it would, it moves to the next boundary of the type
//! (`PCC_BITFIELD_TYPE_MATTERS` in gcc). Named bit-fields align the record as
//! their type does, unnamed ones do not, and a width of zero moves what follows
//! to the next boundary. `packed` drops all of this. On 32 bits, members of
//! eight-byte scalar types are aligned to four (the i386 ABI).

use super::{CType, Field, QualType, TyId, TypeStore};
use bolide_cfa::BitRange;
use std::rc::Rc;

/// A member before it is placed.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Option<Rc<str>>,
    /// Its type.
    pub ty: QualType,
    /// Width of a bit-field; 0 only without a name.
    pub width: Option<u8>,
    /// The attribute `packed` on the member.
    pub packed: bool,
    /// The largest `aligned` attribute or `_Alignas` on the member; 0 for none.
    pub align: u64,
}

/// What attributes say of the whole record.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordAttributes {
    /// `packed`.
    pub packed: bool,
    /// `aligned(n)`; 0 for none.
    pub align: u64,
    /// `#pragma pack(n)`.
    pub pack: Option<u64>,
}

/// A placed record.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Members with their offsets, in order; widths of zero are gone.
    pub fields: Vec<Field>,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub align: u64,
}

fn round_up(value: u64, to: u64) -> Option<u64> {
    value.checked_add(to - 1).map(|v| v / to * to)
}

/// Places the members. `None` when the record is larger than 2^60 bytes or a
/// member has no size.
pub fn layout(
    types: &TypeStore,
    is_union: bool,
    members: &[Member],
    attributes: RecordAttributes,
) -> Option<Layout> {
    // In bits, so that bit-fields and others share one counter.
    let mut position = 0u64;
    let mut size_bits = 0u64;
    let mut align = 1u64;
    let mut fields = Vec::with_capacity(members.len());
    for (i, member) in members.iter().enumerate() {
        let packed = attributes.packed || member.packed;
        let natural = member_align(types, member.ty);
        let mut wanted = if packed { 1 } else { natural };
        if member.align != 0 {
            wanted = if packed { member.align } else { wanted.max(member.align) };
        }
        if let Some(pack) = attributes.pack {
            wanted = wanted.min(pack);
        }
        if is_union {
            position = 0;
        }
        let bytes = match types.size(member.ty.ty) {
            Some(size) => size,
            // A flexible array member; anywhere else GNU allows [0] only, which has a size.
            None if types.is_array(member.ty.ty) && (is_union || i + 1 == members.len()) => 0,
            None => return None,
        };
        let field = |position: u64, bits: Option<BitRange>| Field {
            name: member.name.clone(),
            ty: member.ty,
            offset: position / 8,
            bits,
        };
        match member.width {
            None => {
                align = align.max(wanted);
                position = round_up(position, wanted.checked_mul(8)?)?;
                fields.push(field(position, None));
                position = position.checked_add(bytes.checked_mul(8)?)?;
            }
            Some(0) => {
                // `#pragma pack` does not cap it.
                position = round_up(position, natural * 8)?;
            }
            Some(width) => {
                let width = u64::from(width);
                if member.align != 0 {
                    position = round_up(position, member.align * 8)?;
                }
                if !packed {
                    let unit = attributes.pack.map_or(natural, |p| natural.min(p)) * 8;
                    let within = position % unit;
                    if (within + width).div_ceil(unit) > bytes * 8 / unit {
                        position = round_up(position, unit)?;
                    }
                }
                if member.name.is_some() {
                    align = align.max(wanted);
                }
                let bits =
                    BitRange { offset: (position % 8) as u8, width: u8::try_from(width).ok()? };
                fields.push(field(position, Some(bits)));
                position += width;
            }
        }
        size_bits = size_bits.max(position);
        if size_bits > 1 << 62 {
            return None;
        }
    }
    align = align.max(attributes.align);
    let size = round_up(size_bits.div_ceil(8), align)?;
    Some(Layout { fields, size, align })
}

/// Alignment of a type as a member.
fn member_align(types: &TypeStore, ty: QualType) -> u64 {
    if ty.align != 0 {
        return u64::from(ty.align);
    }
    let align = types.align(ty.ty);
    if types.target.pointer_bits == 32 && align == 8 && is_scalar_element(types, ty.ty) {
        4
    } else {
        align
    }
}

fn is_scalar_element(types: &TypeStore, mut ty: TyId) -> bool {
    while let CType::Array(of, _) = types.get(ty) {
        if of.align != 0 {
            return false;
        }
        ty = of.ty;
    }
    types.scalar(ty).is_some() || matches!(types.get(ty), CType::Complex(_))
}
