//! Leaves of the theory of equality: congruence lemmas.
//!
//! The negated clause holds equalities that make two terms equal, and says (by
//! a disequality, or because the terms are different values) that they are not.
//! We build the congruence closure of the lemma once more, with a proof forest,
//! and get the path of edges from one term to the other: each edge is a literal
//! or a congruence, whose arguments are joined by paths in turn.
//!
//! For a cut the path is *coloured*: a literal is an edge of its side; a mixed
//! equality `a = b` is two edges `a - x` and `x - b`; a congruence belongs to a
//! side that knows both terms, and if there is none, because A alone knows
//! `f(s)` and B alone `f(t)`, then the path of each argument passes a shared
//! term `m`, and the edge is split at the shared term `f(m)`. So where the
//! colour changes, the path is at a shared term. (This is the coloured congruence
//! graph of Fuchs, Goel, Grundy, Krstic and Tinelli, 2009; what follows is our own
//! way to put it.) Two mutually recursive readings of a coloured path from u to v:
//!
//! - B wants it (both ends are known to B): `I_B` such that A implies `I_B`, and
//!   B with `I_B` implies `u = v`. Of B's congruences it needs the `I_B` of the
//!   arguments; each maximal stretch of A's edges from w to w' gives
//!   *premises imply w = w'* and the support of the premises.
//! - A wants it: a set of *premises*, equalities of shared terms, with which A
//!   implies `u = v`, and a *support* such that A implies the support and B with
//!   the support implies the premises. Each maximal stretch of B's edges from w
//!   to w' is the premise `w = w'` with support `I_B`; A's congruences hand up
//!   what their arguments need.
//!
//! If the disequality is B's (or nobody's) the interpolant is `I_B` of the path;
//! if it is A's: *support and not all premises*. If it is mixed, `a != b`, the
//! path starts with a stretch of A's edges from `a` to some shared `w`; from `w`
//! on B reads the path, and the stretch contributes *premises imply EQ(x, w)*.

use super::arithmetic::split_equality;
use super::colours::Side;
use super::failure::{Found, NoInterpolant};
use super::leaves::Context;
use bolide_base::{HashMap, HashSet};
use bolide_proof::Literal;
use bolide_terms::{Op, TermId, TermStore};

/// Why two terms are joined in the proof forest.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// The literal with this index in the clause.
    Literal(usize),
    /// Same function, pairwise equal arguments.
    Congruence,
}

/// The congruence closure of one lemma.
#[derive(Default)]
pub(crate) struct Closure {
    index: HashMap<TermId, usize>,
    terms: Vec<TermId>,
    representative: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// Proof forest: for each node its parent and why they are equal.
    parent: Vec<Option<(usize, Reason)>>,
    /// The two terms whose equality is contradictory, and the literal of the
    /// clause that says so, if it is one.
    conflict: Option<(TermId, TermId, Option<usize>)>,
}

impl Closure {
    /// Closes the negated clause until it is contradictory.
    pub fn new(store: &TermStore, clause: &[Literal]) -> Found<Self> {
        let mut closure = Closure::default();
        closure.add(store, TermId::TRUE);
        closure.add(store, TermId::FALSE);
        for literal in clause {
            closure.add(store, literal.atom);
        }
        // Equalities of the negated clause. A positive equality of the clause is
        // also a term that would be equal to false, which matters only if a function
        // takes it as an argument.
        for (number, literal) in clause.iter().enumerate() {
            let Literal { atom, positive } = *literal;
            if store.op(atom) == Op::Eq && !positive {
                let (u, v) = (store.arg(atom, 0), store.arg(atom, 1));
                closure.join(closure.index[&u], closure.index[&v], Reason::Literal(number));
            }
            let value = if positive { TermId::FALSE } else { TermId::TRUE };
            let (u, v) = (closure.index[&atom], closure.index[&value]);
            closure.join(u, v, Reason::Literal(number));
        }
        loop {
            closure.find_conflict(store, clause);
            if closure.conflict.is_some() {
                return Ok(closure);
            }
            if !closure.close_once(store) {
                return Err(NoInterpolant::new("a congruence lemma that does not follow"));
            }
        }
    }

    fn add(&mut self, store: &TermStore, term: TermId) {
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            if self.index.contains_key(&top) {
                continue;
            }
            let node = self.terms.len();
            self.index.insert(top, node);
            self.terms.push(top);
            self.representative.push(node);
            self.members.push(vec![node]);
            self.parent.push(None);
            // The inside of a quantifier is not ground.
            if !matches!(store.op(top), Op::Forall | Op::Exists) {
                stack.extend_from_slice(store.args(top));
            }
        }
    }

    fn join(&mut self, u: usize, v: usize, reason: Reason) {
        let (mut from, mut to) = (self.representative[u], self.representative[v]);
        if from == to {
            return;
        }
        let (mut child, mut parent) = (u, v);
        if self.members[from].len() > self.members[to].len() {
            std::mem::swap(&mut from, &mut to);
            std::mem::swap(&mut child, &mut parent);
        }
        // Turn the edges from the child to its root around.
        let mut next = Some((parent, reason));
        while let Some(edge) = next {
            let old = self.parent[child].replace(edge);
            next = old.map(|(_, reason)| (child, reason));
            if let Some((up, _)) = old {
                child = up;
            }
        }
        let moved = std::mem::take(&mut self.members[from]);
        for &node in &moved {
            self.representative[node] = to;
        }
        self.members[to].extend(moved);
    }

    /// Joins all applications whose arguments are equal; whether there were any.
    fn close_once(&mut self, store: &TermStore) -> bool {
        let mut signatures: HashMap<(Op, bolide_terms::SortId, Vec<usize>), usize> =
            HashMap::default();
        let mut changed = false;
        // Arguments first, so that one round does for a tower of applications.
        let mut order: Vec<usize> = (0..self.terms.len()).collect();
        order.sort_unstable_by_key(|&node| self.terms[node]);
        for node in order {
            let term = self.terms[node];
            let args = store.args(term);
            if args.is_empty() || matches!(store.op(term), Op::Forall | Op::Exists) {
                continue;
            }
            let key: Vec<usize> =
                args.iter().map(|arg| self.representative[self.index[arg]]).collect();
            let known = *signatures.entry((store.op(term), store.sort(term), key)).or_insert(node);
            if self.representative[known] != self.representative[node] {
                self.join(known, node, Reason::Congruence);
                changed = true;
            }
        }
        changed
    }

    fn find_conflict(&mut self, store: &TermStore, clause: &[Literal]) {
        for (number, literal) in clause.iter().enumerate() {
            if store.op(literal.atom) == Op::Eq && literal.positive {
                let (u, v) = (store.arg(literal.atom, 0), store.arg(literal.atom, 1));
                if self.representative[self.index[&u]] == self.representative[self.index[&v]] {
                    self.conflict = Some((u, v, Some(number)));
                    return;
                }
            }
        }
        let mut value_of: HashMap<usize, TermId> = HashMap::default();
        for (node, &term) in self.terms.iter().enumerate() {
            if store.is_value(term) {
                let class = self.representative[node];
                if let Some(other) = value_of.insert(class, term) {
                    self.conflict = Some((other, term, None));
                    return;
                }
            }
        }
    }

    /// Up to which cut (at most `end`) all terms have the sides that they have at
    /// `cut`, so that one interpolant serves.
    pub fn constant_until(&self, cx: &mut Context<'_, '_>, end: u32) -> u32 {
        let cut = cx.cut;
        let mut until = end;
        for &term in &self.terms {
            if until <= cut + 1 {
                break;
            }
            let sides = cx.colours.sides(cx.store, term);
            let own = sides.at(cut);
            let next = sides.iter().find(|&(end, sides)| end > cut && sides != own);
            if let Some((next_end, _)) = next {
                // The run before that one ends where it begins.
                let start = sides.iter().take_while(|run| run.0 < next_end).last();
                until = until.min(start.map_or(cut + 1, |run| run.0).max(cut + 1));
            }
        }
        until
    }

    /// The edges from `u` to `v` in the proof forest, each as (from, to, reason).
    fn path(&self, u: usize, v: usize) -> Vec<(usize, usize, Reason)> {
        let ancestors = |mut node: usize| {
            let mut chain = vec![node];
            while let Some((up, _)) = self.parent[node] {
                chain.push(up);
                node = up;
            }
            chain
        };
        let (mut up, mut down) = (ancestors(u), ancestors(v));
        // Drop the common part beyond the lowest common ancestor.
        while up.len() > 1 && down.len() > 1 && up[up.len() - 2] == down[down.len() - 2] {
            up.pop();
            down.pop();
        }
        let reason = |child: usize| self.parent[child].expect("not the root").1;
        let mut edges: Vec<_> =
            up.windows(2).map(|pair| (pair[0], pair[1], reason(pair[0]))).collect();
        edges.extend(down.windows(2).rev().map(|pair| (pair[1], pair[0], reason(pair[0]))));
        edges
    }
}

/// A coloured edge; arguments of a congruence are paths, by number.
#[derive(Clone, Debug)]
struct Edge {
    from: TermId,
    to: TermId,
    side: Side,
    arguments: Vec<usize>,
}

/// What the two sides need to read a path; see the module's essay.
#[derive(Clone, Debug)]
struct Reading {
    /// `I_B`.
    for_b: TermId,
    /// Premises for A.
    premises: Vec<TermId>,
    /// Their support.
    support: TermId,
}

/// The coloured paths of one lemma at one cut.
struct Coloured<'c> {
    closure: &'c Closure,
    clause: &'c [Literal],
    /// Arguments of an edge have smaller numbers than the path of the edge.
    paths: Vec<Vec<Edge>>,
    between: HashMap<(usize, usize), usize>,
}

/// The partial interpolant of a congruence lemma at a cut.
pub(crate) fn congruence(
    cx: &mut Context<'_, '_>,
    closure: &Closure,
    clause: &[Literal],
) -> Found<TermId> {
    let mut coloured = Coloured { closure, clause, paths: Vec::new(), between: HashMap::default() };
    let (mut u, mut v, disequality) = closure.conflict.expect("closed until contradictory");
    let mut mixed = None;
    let mut a_wants = false;
    if let Some(number) = disequality {
        let atom = clause[number].atom;
        match cx.side(atom) {
            Some(side) => a_wants = side == Side::A,
            None => {
                let split = split_equality(cx, atom)?;
                let Some((a_term, b_term)) = split.terms else {
                    return Err(mixed_term());
                };
                (u, v) = (a_term, b_term);
                mixed = Some(split.x);
            }
        }
    }
    let goal = coloured.path(cx, u, v)?;
    let start = match mixed {
        Some(_) => coloured.paths[goal].iter().take_while(|edge| edge.side == Side::A).count(),
        None => 0,
    };
    let readings = coloured.readings(cx);
    if let Some(x) = mixed {
        let edges = &coloured.paths[goal];
        let meeting = if start == 0 { u } else { edges[start - 1].to };
        let equal = cx.patterns.mk_eq(cx.store, x, meeting);
        let first = stretch_of_a(cx, &edges[..start], &readings, Some(equal));
        let rest = read_for_b(cx, &edges[start..], &readings);
        return Ok(cx.store.mk_and(&[first, rest]));
    }
    let reading = &readings[goal];
    if a_wants {
        let premises = cx.store.mk_and(&reading.premises);
        let refuted = cx.store.mk_not(premises);
        Ok(cx.store.mk_and(&[refuted, reading.support]))
    } else {
        Ok(reading.for_b)
    }
}

fn mixed_term() -> NoInterpolant {
    NoInterpolant::new("congruence over a term that is mixed itself")
}

impl Coloured<'_> {
    /// The number of the coloured path between two equal terms.
    fn path(&mut self, cx: &mut Context<'_, '_>, u: TermId, v: TermId) -> Found<usize> {
        let goal = (self.closure.index[&u], self.closure.index[&v]);
        let mut stack = vec![goal];
        while let Some(&(u, v)) = stack.last() {
            if self.between.contains_key(&(u, v)) {
                stack.pop();
                continue;
            }
            let edges = self.closure.path(u, v);
            let depth = stack.len();
            for &(from, to, reason) in &edges {
                if matches!(reason, Reason::Congruence) {
                    let pairs = self.argument_pairs(cx.store, from, to);
                    stack.extend(pairs.into_iter().filter(|p| !self.between.contains_key(p)));
                }
            }
            if stack.len() > depth {
                continue;
            }
            let coloured = self.colour(cx, &edges)?;
            self.paths.push(coloured);
            self.between.insert((u, v), self.paths.len() - 1);
            stack.pop();
        }
        Ok(self.between[&goal])
    }

    fn argument_pairs(&self, store: &TermStore, from: usize, to: usize) -> Vec<(usize, usize)> {
        let (s, t) = (self.closure.terms[from], self.closure.terms[to]);
        let pairs = store.args(s).iter().zip(store.args(t));
        pairs.map(|(a, b)| (self.closure.index[a], self.closure.index[b])).collect()
    }

    fn colour(
        &mut self,
        cx: &mut Context<'_, '_>,
        edges: &[(usize, usize, Reason)],
    ) -> Found<Vec<Edge>> {
        let mut result: Vec<Edge> = Vec::with_capacity(edges.len());
        for &(from, to, reason) in edges {
            let (s, t) = (self.closure.terms[from], self.closure.terms[to]);
            match reason {
                Reason::Literal(number) => {
                    let atom = self.clause[number].atom;
                    match cx.side(atom) {
                        Some(side) => {
                            result.push(Edge { from: s, to: t, side, arguments: Vec::new() });
                        }
                        None => self.colour_mixed(cx, atom, s, t, &mut result)?,
                    }
                }
                Reason::Congruence => {
                    let arguments: Vec<usize> = self
                        .argument_pairs(cx.store, from, to)
                        .into_iter()
                        .map(|pair| self.between[&pair])
                        .collect();
                    self.colour_congruence(cx, s, t, arguments, &mut result)?;
                }
            }
        }
        Ok(result)
    }

    fn colour_mixed(
        &mut self,
        cx: &mut Context<'_, '_>,
        atom: TermId,
        s: TermId,
        t: TermId,
        result: &mut Vec<Edge>,
    ) -> Found<()> {
        if cx.store.op(atom) != Op::Eq || s == atom || t == atom {
            return Err(mixed_term());
        }
        let split = split_equality(cx, atom)?;
        let Some((a_term, _)) = split.terms else { return Err(mixed_term()) };
        let first = if s == a_term { Side::A } else { Side::B };
        result.push(Edge { from: s, to: split.x, side: first, arguments: Vec::new() });
        result.push(Edge { from: split.x, to: t, side: first.other(), arguments: Vec::new() });
        Ok(())
    }

    fn colour_congruence(
        &mut self,
        cx: &mut Context<'_, '_>,
        s: TermId,
        t: TermId,
        arguments: Vec<usize>,
        result: &mut Vec<Edge>,
    ) -> Found<()> {
        let sides_s = cx.sides(s);
        let sides_t = cx.sides(t);
        if sides_s.is_mixed() || sides_t.is_mixed() {
            return Err(mixed_term());
        }
        let common = sides_s.and(sides_t);
        let before = result.last().map_or(Side::B, |edge| edge.side);
        let side = if common.is_shared() { Some(before) } else { common.only() };
        if let Some(side) = side {
            result.push(Edge { from: s, to: t, side, arguments });
            return Ok(());
        }
        // One knows s, the other t: meet at a shared term, argument by argument.
        let first = if sides_s.a { Side::A } else { Side::B };
        let (mut heads, mut tails, mut middle) = (Vec::new(), Vec::new(), Vec::new());
        let own: Vec<TermId> = cx.store.args(s).to_vec();
        for (&path, &argument) in arguments.iter().zip(&own) {
            let edges = self.paths[path].clone();
            // Required: where the stretch of A's edges at A's end is over. A shared term inside of
            // the stretch would do here, but the cut before may have said nothing about it, and the
            // interpolants would not form a sequence.
            let is_a = |edge: &Edge| edge.side == Side::A;
            let cut_at = match first {
                Side::A => edges.iter().take_while(|edge| is_a(edge)).count(),
                Side::B => edges.iter().rposition(|edge| !is_a(edge)).map_or(0, |last| last + 1),
            };
            let shared = if cut_at == 0 { argument } else { edges[cut_at - 1].to };
            if !is_shared(cx, shared) {
                return Err(mixed_term());
            }
            middle.push(shared);
            self.paths.push(edges[..cut_at].to_vec());
            heads.push(self.paths.len() - 1);
            self.paths.push(edges[cut_at..].to_vec());
            tails.push(self.paths.len() - 1);
        }
        let (op, sort) = (cx.store.op(s), cx.store.sort(s));
        let meeting = cx.store.rebuild(op, sort, &middle);
        if let Op::Apply(_) = cx.store.op(s)
            && !is_shared(cx, meeting)
        {
            return Err(mixed_term());
        }
        result.push(Edge { from: s, to: meeting, side: first, arguments: heads });
        result.push(Edge { from: meeting, to: t, side: first.other(), arguments: tails });
        Ok(())
    }

    /// The readings of all paths, in their order.
    fn readings(&self, cx: &mut Context<'_, '_>) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::with_capacity(self.paths.len());
        for edges in &self.paths {
            let for_b = read_for_b(cx, edges, &readings);
            let (premises, support) = read_for_a(cx, edges, &readings);
            readings.push(Reading { for_b, premises, support });
        }
        readings
    }
}

/// Whether both sides know the term; auxiliary variables count as shared.
fn is_shared(cx: &mut Context<'_, '_>, term: TermId) -> bool {
    // Auxiliary variables under functions: judge the functions around them.
    let mut seen = HashSet::default();
    let mut stack = vec![term];
    while let Some(top) = stack.pop() {
        if cx.patterns.is_auxiliary(top) || !seen.insert(top) {
            continue;
        }
        let shared = if !cx.patterns.mentioned_in(cx.store, top) {
            cx.sides(top).is_shared()
        } else {
            stack.extend_from_slice(cx.store.args(top));
            match cx.store.op(top) {
                Op::Apply(function) => cx.colours.symbol_sides_at(function, cx.cut).is_shared(),
                _ => true,
            }
        };
        if !shared {
            return false;
        }
    }
    true
}

/// Splits a path into maximal stretches of one side.
fn stretches(edges: &[Edge]) -> impl Iterator<Item = &[Edge]> {
    edges.chunk_by(|left, right| left.side == right.side)
}

fn read_for_b(cx: &mut Context<'_, '_>, edges: &[Edge], readings: &[Reading]) -> TermId {
    let mut conjuncts = Vec::new();
    for stretch in stretches(edges) {
        if stretch[0].side == Side::A {
            conjuncts.push(stretch_of_a(cx, stretch, readings, None));
        } else {
            for argument in stretch.iter().flat_map(|edge| &edge.arguments) {
                conjuncts.push(readings[*argument].for_b);
            }
        }
    }
    cx.store.mk_and(&conjuncts)
}

/// *Premises imply the ends are equal*, and the support of the premises.
fn stretch_of_a(
    cx: &mut Context<'_, '_>,
    stretch: &[Edge],
    readings: &[Reading],
    conclusion: Option<TermId>,
) -> TermId {
    let (premises, support) = read_for_a(cx, stretch, readings);
    let conclusion = match (conclusion, stretch.first(), stretch.last()) {
        (Some(conclusion), _, _) => conclusion,
        (None, Some(first), Some(last)) => cx.store.mk_eq(first.from, last.to),
        _ => TermId::TRUE,
    };
    let mut disjuncts: Vec<TermId> = premises.iter().map(|&p| cx.store.mk_not(p)).collect();
    disjuncts.push(conclusion);
    let implication = cx.store.mk_or(&disjuncts);
    cx.store.mk_and(&[implication, support])
}

fn read_for_a(
    cx: &mut Context<'_, '_>,
    edges: &[Edge],
    readings: &[Reading],
) -> (Vec<TermId>, TermId) {
    let mut premises = Vec::new();
    let mut supports = Vec::new();
    for stretch in stretches(edges) {
        if stretch[0].side == Side::A {
            for argument in stretch.iter().flat_map(|edge| &edge.arguments) {
                premises.extend_from_slice(&readings[*argument].premises);
                supports.push(readings[*argument].support);
            }
        } else {
            let (from, to) = (stretch[0].from, stretch[stretch.len() - 1].to);
            premises.push(cx.store.mk_eq(from, to));
            for argument in stretch.iter().flat_map(|edge| &edge.arguments) {
                supports.push(readings[*argument].for_b);
            }
        }
    }
    premises.sort_unstable();
    premises.dedup();
    let support = cx.store.mk_and(&supports);
    (premises, support)
}
