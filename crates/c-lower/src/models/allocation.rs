//! Memory from the heap. By the convention of the field, allocation does not fail: runs in
//! which there is no memory left are not looked at. With `--malloc may-fail` each
//! allocation may also give a null pointer, and that of more than `PTRDIFF_MAX` bytes always does.

use crate::condition::Targets;
use crate::context::Lowerer;
use crate::emission::Emission;
use bolide_base::Span;
use bolide_cfa::{AllocKind, BinaryOp, CompareOp, Expr, ExprId, IntType, NondetSource, Type};

/// The alignment of what `malloc` returns.
pub const ALIGNED: u64 = 16;

/// That of memory which is asked for with some alignment: enough for all that programs ask for.
pub const WELL_ALIGNED: u64 = 1 << 16;

impl Emission {
    /// The size of an array; where that is too large for its type, there is no memory.
    pub fn array_size(&mut self, count: ExprId, size: ExprId) -> ExprId {
        let size_type = self.program.target.size_type();
        let ty = Type::Int(size_type);
        let (count, size) = (self.cast(ty, count), self.cast(ty, size));
        let exprs = &self.program.exprs;
        let (a, b) = match (exprs.as_int(count), exprs.as_int(size)) {
            (Some(_), None) => (size, count),
            _ => (count, size),
        };
        if let Some(known) = self.as_int(b) {
            if known > 1 {
                let most = self.int(size_type.max() / known, size_type);
                let fits = self.compare(CompareOp::Le, a, most);
                self.assume(fits);
            }
        } else {
            let wide = IntType { bits: 128, signed: false };
            let (x, y) = (self.cast(Type::Int(wide), a), self.cast(Type::Int(wide), b));
            let product = self.binary(BinaryOp::Mul, x, y);
            let most = self.int(size_type.max(), wide);
            let fits = self.compare(CompareOp::Le, product, most);
            self.assume(fits);
        }
        self.binary(BinaryOp::Mul, a, b)
    }
}

impl Lowerer<'_> {
    /// Allocates as `name` does.
    pub fn allocate_heap(&mut self, size: ExprId, align: u64, zeroed: bool, name: &str) -> ExprId {
        if !self.input.options.may_fail() {
            return self.out.allocate(size, align, AllocKind::Heap, zeroed);
        }
        let target = self.out.temporary(Type::Pointer);
        let source = NondetSource::Library(name.to_owned());
        let fails = self.out.nondet(Type::Int(IntType::BOOL), source);
        let fails = self.out.truth(fails);
        // No object is larger than differences of pointers can say.
        let most = self.out.program.target.offset_type().max();
        let most = self.out.int(most, self.out.program.target.size_type());
        let is_too_large = self.out.compare(CompareOp::Lt, most, size);
        let fails = self.out.or(fails, is_too_large);
        let (failed, made, end) = (self.out.location(), self.out.location(), self.out.location());
        self.out.branch(fails, Targets::new(failed, made, Span::NONE));
        self.out.resume(failed);
        let null = self.out.expr(Expr::Null);
        self.out.assign(target, null);
        self.out.goto(end);
        self.out.resume(made);
        let pointer = self.out.allocate(size, align, AllocKind::Heap, zeroed);
        self.out.assign(target, pointer);
        self.out.join(end);
        self.out.read(target)
    }
}
