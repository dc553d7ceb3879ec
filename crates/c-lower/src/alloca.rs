//! `alloca`: memory that ends with its function.
//!
//! A call that runs at most once in each activation is a local object without a name: a variable
//! holds its address, null before the call, and every way out of the function ends it. A call that
//! lies on a cycle makes any number of objects; they get a *frame*, an object that
//! begins with the function, ends with it, and takes them along ([`Op::Alloc`]).
//!
//! gcc's manual lets the memory end earlier where a variable-length array ends that was declared
//! before the call, and that of `__builtin_alloca_with_align` at the end of the block;
//! gcc keeps both. Where this makes a difference, nothing is claimed.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::{AllocaCall, Begin, FunctionState, LocalObject, ScopeId};
use bolide_base::Span;
use bolide_cfa::analysis::graph::reached;
use bolide_cfa::{AllocKind, EdgeId, ExprId, Op, RegionId, Type, VarId};

/// As gcc aligns what `alloca` returns.
const ALIGN: u64 = 16;

/// The depth of the block that is the body of the function.
const BODY: u32 = 1;

impl FunctionState {
    /// Whether a variable-length array lives here that ends before the function does.
    fn in_inner_scope_of_vla(&self) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let scope = &self.scopes[scope];
            let is_vla = |o: &LocalObject| matches!(o.begin, Begin::Declaration(_));
            if scope.depth > BODY && scope.objects.iter().any(is_vla) {
                return true;
            }
            at = scope.parent;
        }
        false
    }
}

impl FunctionState {
    /// An object that lives as long as a scope.
    fn frame(&mut self, out: &mut Emission, scope: ScopeId) -> VarId {
        let size = out.size(1);
        let var = out.address_variable("frame", Span::NONE);
        let begin = Begin::Scope;
        self.scopes[scope].objects.push(LocalObject { var, size, align: 1, begin });
        var
    }

    /// Says when the memory of each call ends. All ways of the function must be known.
    pub fn end_allocas(&mut self, out: &mut Emission) {
        let root = self.scope;
        let mut common = None;
        for AllocaCall { edge, target, size } in std::mem::take(&mut self.allocas) {
            if self.comes_again(out, edge) {
                let var = *common.get_or_insert_with(|| self.frame(out, root));
                let pointer = out.read(var);
                if let Op::Alloc { frame, .. } = &mut out.program.edges[edge].op {
                    *frame = Some(pointer);
                }
            } else {
                let (var, begin) = (target, Begin::Call);
                let object = LocalObject { var, size, align: ALIGN, begin };
                self.scopes[root].objects.push(object);
            }
        }
    }

    /// Whether the edge lies on a cycle.
    fn comes_again(&self, out: &Emission, edge: EdgeId) -> bool {
        let program = &out.program;
        let around = reached([program.edges[edge].to], |at| {
            let outgoing = program.locations[at].outgoing.iter().map(|&e| program.edges[e].to);
            let jumps = self.jumps.iter().filter(move |jump| jump.from == at);
            outgoing.chain(jumps.map(|jump| jump.to))
        });
        around.contains(&program.edges[edge].from)
    }
}

impl Lowerer<'_> {
    /// Allocates until the function returns.
    pub fn alloca(&mut self, name: &str, size: ExprId, span: Span) -> ExprId {
        if name == "__builtin_alloca_with_align" && self.f.scopes[self.f.scope].depth > BODY {
            self.lost(span, &format!("`{name}` in an inner block"));
        } else if self.f.in_inner_scope_of_vla() {
            self.lost(span, &format!("`{name}` in the scope of a variable-length array"));
        }
        let target = self.out.temporary(Type::Pointer);
        let edge = self.out.program.edges.next_id();
        let (zeroed, frame, region) = (false, None, RegionId::ALL);
        let kind = AllocKind::Alloca;
        self.out.emit(Op::Alloc { target, size, align: ALIGN, kind, zeroed, frame, region });
        if self.out.is_live() {
            self.f.allocas.push(AllocaCall { edge, target, size });
        }
        self.out.read(target)
    }
}
