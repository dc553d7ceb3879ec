//! Memory from the heap. By the convention of the field, allocation does not fail: runs in
//! which there is no memory left are not looked at. With `--malloc-may-fail` each
//! allocation may also give a null pointer.

use crate::condition::Targets;
use crate::context::Lowerer;
use bolide_base::Span;
use bolide_cfa::{AllocKind, BinaryOp, CompareOp, Expr, ExprId, IntType, NondetSource, Type};

impl Lowerer<'_> {
    /// Allocates as `name` does.
    pub fn allocate_heap(&mut self, size: ExprId, zeroed: bool, name: &str) -> ExprId {
        if !self.input.options.malloc_may_fail {
            return self.allocate(size, AllocKind::Heap, zeroed);
        }
        let target = self.temporary(Type::Pointer);
        let source = NondetSource::Library(name.to_owned());
        let fails = self.nondet(Type::Int(IntType::BOOL), source);
        let fails = self.b().truth(fails);
        let (failed, made, end) = (self.location(), self.location(), self.location());
        self.branch(fails, Targets::new(failed, made, Span::NONE));
        self.resume(failed);
        let null = self.out.program.expr(Expr::Null);
        self.assign(target, null);
        self.goto(end);
        self.resume(made);
        let pointer = self.allocate(size, AllocKind::Heap, zeroed);
        self.assign(target, pointer);
        self.goto(end);
        self.resume(end);
        self.out.program.read(target)
    }

    /// The size of an array; where that is too large for its type, there is no memory.
    pub fn array_size(&mut self, count: ExprId, size: ExprId) -> ExprId {
        let size_type = self.out.program.target.size_type();
        let ty = Type::Int(size_type);
        let (count, size) = (self.b().cast(ty, count), self.b().cast(ty, size));
        let exprs = &self.out.program.exprs;
        let (a, b) = match (exprs.as_int(count), exprs.as_int(size)) {
            (Some(_), None) => (size, count),
            _ => (count, size),
        };
        if let Some(known) = self.out.program.exprs.as_int(b) {
            if known > 1 {
                let most = self.b().int(size_type.max() / known, size_type);
                let fits = self.b().compare(CompareOp::Le, a, most);
                self.assume(fits);
            }
        } else {
            let wide = IntType { bits: 128, signed: false };
            let (x, y) = (self.b().cast(Type::Int(wide), a), self.b().cast(Type::Int(wide), b));
            let product = self.b().binary(BinaryOp::Mul, x, y);
            let most = self.b().int(size_type.max(), wide);
            let fits = self.b().compare(CompareOp::Le, product, most);
            self.assume(fits);
        }
        self.b().binary(BinaryOp::Mul, a, b)
    }
}
