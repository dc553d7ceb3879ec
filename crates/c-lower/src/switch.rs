//! `switch`: one edge for each case out of the place where the value is known.

use crate::context::Lowerer;
use crate::emission::Emission;
use crate::function_state::{Case, Cases, Destination, Enclosing};
use crate::input::Fallible;
use crate::types::TyId;
use bolide_base::Span;
use bolide_c_syntax::ast::{self, StmtId};
use bolide_cfa::{CompareOp, ExprId, IntType, LocId, Origin, Role};

impl Emission {
    fn in_range(&mut self, value: ExprId, low: i128, high: i128, int: IntType) -> ExprId {
        let low_e = self.int(low, int);
        if low == high {
            return self.compare(CompareOp::Eq, value, low_e);
        }
        let high_e = self.int(high, int);
        let above = self.compare(CompareOp::Le, low_e, value);
        let below = self.compare(CompareOp::Le, value, high_e);
        self.and(above, below)
    }

    /// Where a label of the innermost `switch` stands: control falls into it
    /// and the dispatch leads to it.
    fn switch_label(&mut self, live: bool) -> LocId {
        let at = self.location();
        self.goto(at);
        if live {
            self.at.cur = Some(at);
        } else {
            self.resume(at);
        }
        at
    }
}

impl Lowerer<'_> {
    /// `switch (value) body`.
    pub fn switch(
        &mut self,
        value: ast::ExprId,
        body: StmtId,
        span: Span,
        keyword: Span,
    ) -> Fallible<()> {
        let operand = self.rvalue(value)?;
        let value_span = self.input.ast().exprs[value].span;
        if !self.types.is_integer(operand.ty) {
            return self.error(value_span, "the value of a `switch` is not an integer");
        }
        let ty = self.types.promote(operand.ty, operand.width);
        let e = self.expect_scalar(&operand, value_span)?;
        let e = self.convert(e, operand.ty, ty);
        let e = self.out.save(e);
        let dispatch = self.out.at.cur.take();
        let after = self.out.location();
        let living = self.f.living();
        self.f.enclosing.push(Enclosing {
            break_to: after,
            continue_to: None,
            living,
            cases: Some(Cases { ty, ranges: Vec::new(), default: None, live: dispatch.is_some() }),
        });
        self.statement(body)?;
        self.out.goto(after);
        let cases = self.f.enclosing.pop().and_then(|e| e.cases);
        if let (Some(from), Some(cases)) = (dispatch, cases) {
            self.dispatch(from, e, cases, after, span, keyword)?;
        }
        self.out.resume(after);
        Ok(())
    }

    fn dispatch(
        &mut self,
        from: LocId,
        value: ExprId,
        cases: Cases,
        after: LocId,
        span: Span,
        keyword: Span,
    ) -> Fallible<()> {
        let Some(int) = self.types.int_type(cases.ty) else { return Ok(()) };
        let mut order: Vec<usize> = (0..cases.ranges.len()).collect();
        order.sort_by_key(|&i| cases.ranges[i].low);
        for pair in order.windows(2) {
            if cases.ranges[pair[0]].high >= cases.ranges[pair[1]].low {
                return self.error(span, "two cases of this `switch` have the same value");
            }
        }
        let origin = |taken: bool, span: Span| Origin { span, role: Role::Branch { taken } };
        let keyword = self.input.span(keyword);
        let mut other = self.out.bool(true);
        for case in &cases.ranges {
            let inside = self.out.in_range(value, case.low, case.high, int);
            let outside = self.out.not(inside);
            other = self.out.and(other, outside);
            let destination = Destination::Place(case.living);
            if let Some(op) = self.out.passing(inside) {
                let origin = origin(true, keyword);
                self.f.add_jump_to(&mut self.out, from, case.at, op, destination, origin);
            }
        }
        let Some(op) = self.out.passing(other) else { return Ok(()) };
        let (to, living) = cases.default.unwrap_or((after, self.f.living()));
        let (destination, origin) = (Destination::Place(living), origin(false, keyword));
        self.f.add_jump_to(&mut self.out, from, to, op, destination, origin);
        Ok(())
    }

    /// `case low ... high:`
    pub fn case_label(
        &mut self,
        low: ast::ExprId,
        high: Option<ast::ExprId>,
        span: Span,
    ) -> Fallible<()> {
        let Some(index) = self.f.enclosing.iter().rposition(|e| e.cases.is_some()) else {
            return self.error(span, "`case` outside of a `switch`");
        };
        let (ty, live) = match &self.f.enclosing[index].cases {
            Some(cases) => (cases.ty, cases.live),
            None => return Ok(()),
        };
        let low = self.case_value(low, ty)?;
        let high = match high {
            Some(high) => self.case_value(high, ty)?,
            None => low,
        };
        let at = self.out.switch_label(live);
        let living = self.f.living();
        if let Some(cases) = &mut self.f.enclosing[index].cases
            && low <= high
        {
            cases.ranges.push(Case { low, high, at, living });
        }
        Ok(())
    }

    fn case_value(&mut self, value: ast::ExprId, ty: TyId) -> Fallible<i128> {
        let (value, _) = self.constant_int(value)?;
        let int = self.types.int_type(ty).unwrap_or(IntType::signed(32));
        Ok(int.value(int.truncate(value as u128)))
    }

    /// `default:`
    pub fn default_label(&mut self, span: Span) -> Fallible<()> {
        let Some(index) = self.f.enclosing.iter().rposition(|e| e.cases.is_some()) else {
            return self.error(span, "`default` outside of a `switch`");
        };
        let live = self.f.enclosing[index].cases.as_ref().is_some_and(|c| c.live);
        let at = self.out.switch_label(live);
        let living = self.f.living();
        if let Some(cases) = &mut self.f.enclosing[index].cases {
            if cases.default.is_some() {
                return self.error(span, "this `switch` has two `default` labels");
            }
            cases.default = Some((at, living));
        }
        Ok(())
    }
}
