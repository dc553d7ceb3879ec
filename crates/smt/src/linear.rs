//! Linear arithmetic atoms as bounds on the columns of a simplex.
//!
//! The term builder writes every inequality as `t <= k` (or `t < k` over the
//! reals) with a canonical constant-free `t`, so `t` itself names the slack
//! column: atoms over one linear form share a column, and the form of a column
//! outlives the assertions that use it. Equality atoms do not come here: clauses tie
//! them to their two inequalities.
//!
//! An atom is an upper bound `column <= threshold`; its negation is the lower
//! bound just above the threshold, `k + 1` over the integers, infinitesimally
//! more over the reals. The atoms of a column are kept sorted by threshold, so that a bound that is
//! asserted, or implied by a row, decides a contiguous range of other atoms.
//!
//! `to_real` of an integer leaf is the column of that leaf.

use bolide_base::{Budget, Exhausted, HashMap, Integer, Rational};
use bolide_sat::{Lit, Var};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

use crate::simplex::{Column, DeltaRational, Farkas, Implied, Side, Simplex};

/// An inequality that the search knows, as an upper bound of a column.
#[derive(Clone, Debug)]
struct BoundAtom {
    threshold: DeltaRational,
    var: Var,
}

/// What a column stands for.
#[derive(Clone, Debug)]
struct ColumnTerm {
    term: TermId,
    /// The sum that a slack column equals; empty for leaves.
    definition: Box<[(Column, Integer)]>,
    /// Inequalities about the column, sorted by threshold.
    atoms: Vec<BoundAtom>,
}

/// Why an inequality was propagated.
#[derive(Clone, Debug)]
pub(crate) enum BoundReason {
    /// Another inequality about the same column.
    Bound(Lit),
    /// A row: the literals and factors at these places of the arena of reasons.
    Row { start: u32, end: u32, own: Rational },
}

/// Linear arithmetic over the rationals.
#[derive(Default)]
pub(crate) struct Linear {
    pub simplex: Simplex,
    /// How many splits the integers have asked for.
    pub splits: u32,
    columns: Vec<ColumnTerm>,
    column_of: HashMap<TermId, Column>,
    /// For each variable of the search its column and threshold.
    atom_of: Vec<Option<(Column, DeltaRational)>>,
    /// Columns in the order in which they got atoms, with the variable.
    atom_log: Vec<(Column, Var)>,
    implied: Vec<Implied>,
    farkas: Farkas,
    /// Antecedents of propagations by rows.
    antecedents: Vec<(Lit, Rational)>,
}

/// Where to return to when a scope ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    columns: usize,
    atoms: usize,
}

fn tag(lit: Lit) -> u32 {
    lit.code() as u32
}

fn untag(tag: u32) -> Lit {
    Lit::from_code(tag as usize)
}

impl Linear {
    // Stating the problem.

    /// The column of a leaf, or of a constant-free sum with integer coefficients.
    pub fn column(&mut self, store: &TermStore, term: TermId) -> Column {
        if let Some(&column) = self.column_of.get(&term) {
            return column;
        }
        let form = store.linear_form(term);
        debug_assert!(form.constant.is_zero(), "columns have no constant");
        if let [(leaf, coefficient)] = form.terms.as_slice()
            && coefficient.is_one()
        {
            return self.leaf_column(store, *leaf);
        }
        let definition: Box<[(Column, Integer)]> = form
            .terms
            .iter()
            .map(|(leaf, coefficient)| {
                let integer = coefficient.to_integer().expect("coefficients of atoms are integers");
                (self.leaf_column(store, *leaf), integer)
            })
            .collect();
        let is_integer = definition.iter().all(|(c, _)| self.simplex.is_integer(*c));
        let column = self.simplex.add_slack(&definition, is_integer);
        self.register(column, term, definition);
        column
    }

    fn leaf_column(&mut self, store: &TermStore, leaf: TermId) -> Column {
        let leaf = if store.op(leaf) == Op::ToReal { store.arg(leaf, 0) } else { leaf };
        if let Some(&column) = self.column_of.get(&leaf) {
            return column;
        }
        let column = self.simplex.add_column(store.sort(leaf) == SortId::INT);
        self.register(column, leaf, Box::default());
        column
    }

    fn register(&mut self, column: Column, term: TermId, definition: Box<[(Column, Integer)]>) {
        debug_assert_eq!(column.index(), self.columns.len());
        self.columns.push(ColumnTerm { term, definition, atoms: Vec::new() });
        self.column_of.insert(term, column);
    }

    /// Makes sure that the leaves of a term have values.
    pub fn add_leaves(&mut self, store: &TermStore, term: TermId) {
        for (leaf, _) in &store.linear_form(term).terms {
            self.leaf_column(store, *leaf);
        }
    }

    /// Whether the term has a column; then it is a leaf or a slack.
    pub fn known_column(&self, store: &TermStore, term: TermId) -> Option<Column> {
        let term = if store.op(term) == Op::ToReal { store.arg(term, 0) } else { term };
        self.column_of.get(&term).copied()
    }

    /// Takes in the inequality `atom` that the search calls `var`.
    pub fn add_atom(&mut self, store: &TermStore, atom: TermId, var: Var) {
        let strict = store.op(atom) == Op::Lt;
        let bound = store.number(store.arg(atom, 1)).expect("right side is a number").clone();
        let column = self.column(store, store.arg(atom, 0));
        let threshold = DeltaRational::new(bound, -i64::from(strict));
        if self.atom_of.len() <= var.index() {
            self.atom_of.resize(var.index() + 1, None);
        }
        self.atom_of[var.index()] = Some((column, threshold.clone()));
        let atoms = &mut self.columns[column.index()].atoms;
        let place = atoms.partition_point(|a| a.threshold < threshold);
        atoms.insert(place, BoundAtom { threshold, var });
        self.atom_log.push((column, var));
        self.simplex.watch(column);
    }

    /// How much has been stated.
    pub fn extent(&self) -> Extent {
        Extent { columns: self.columns.len(), atoms: self.atom_log.len() }
    }

    /// Forgets what was stated after `extent`. Bounds on it must be gone.
    pub fn truncate(&mut self, extent: Extent) {
        let mut changed: Vec<Column> = Vec::new();
        for (column, var) in self.atom_log.drain(extent.atoms..) {
            self.atom_of[var.index()] = None;
            changed.push(column);
        }
        changed.sort_unstable();
        changed.dedup();
        for column in changed {
            if column.index() < extent.columns {
                let atom_of = &self.atom_of;
                let atoms = &mut self.columns[column.index()].atoms;
                atoms.retain(|a| atom_of[a.var.index()].is_some());
            }
        }
        self.simplex.truncate(extent.columns);
        for column in self.columns.drain(extent.columns..) {
            self.column_of.remove(&column.term);
        }
    }

    // Solving.

    /// Whether the variable is an inequality.
    pub fn is_atom(&self, var: Var) -> bool {
        self.atom_of.get(var.index()).is_some_and(Option::is_some)
    }

    /// The bound that a literal means.
    fn bound_of(&self, lit: Lit) -> Option<(Column, Side, DeltaRational)> {
        let (column, threshold) = self.atom_of.get(lit.var().index())?.as_ref()?;
        if lit.is_positive() {
            return Some((*column, Side::Upper, threshold.clone()));
        }
        let mut above = threshold.clone();
        if self.simplex.is_integer(*column) {
            above.standard += Rational::ONE;
        } else {
            above.delta += Rational::ONE;
        }
        Some((*column, Side::Lower, above))
    }

    /// Asserts a literal that is an inequality, and calls `propagate` for other
    /// inequalities about the same column that follow and have no value yet.
    /// False when it contradicts a bound; see [`Linear::conflict`].
    pub fn assert(
        &mut self,
        lit: Lit,
        value: impl Fn(Lit) -> Option<bool>,
        mut propagate: impl FnMut(Lit, BoundReason),
    ) -> bool {
        let Some((column, side, bound)) = self.bound_of(lit) else { return true };
        let old = self.simplex.bound(column, side).map(|b| b.value.clone());
        let improves = match (&old, side) {
            (None, _) => true,
            (Some(old), Side::Upper) => bound < *old,
            (Some(old), Side::Lower) => bound > *old,
        };
        if !improves {
            return true;
        }
        let atoms = &self.columns[column.index()].atoms;
        if atoms.len() > 1 {
            let (first, last) = range(atoms, side, &bound, old.as_ref());
            for atom in &atoms[first..last] {
                let implied = atom.var.lit(side == Side::Upper);
                if implied != lit && value(implied).is_none() {
                    propagate(implied, BoundReason::Bound(lit));
                }
            }
        }
        self.simplex.assert_bound(column, side, bound, tag(lit))
    }

    /// Makes the assignment satisfy all asserted bounds, or finds a conflict.
    pub fn check(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        self.simplex.check(budget)
    }

    /// The literals of the last contradiction with their Farkas factors.
    pub fn conflict(&self) -> impl Iterator<Item = (Lit, &Rational)> {
        self.simplex.conflict().iter().map(|(t, factor)| (untag(*t), factor))
    }

    /// Calls `propagate` for inequalities that follow from rows.
    pub fn propagate_rows(
        &mut self,
        value: impl Fn(Lit) -> Option<bool>,
        mut propagate: impl FnMut(Lit, BoundReason),
    ) {
        let mut found = std::mem::take(&mut self.implied);
        self.simplex.implied_bounds(&mut found);
        for implied in &found {
            let column = &self.columns[implied.column.index()];
            let mut bound = implied.value.clone();
            if self.simplex.is_integer(implied.column) {
                bound = round(&bound, implied.side);
            }
            let old = self.simplex.bound(implied.column, implied.side).map(|b| &b.value);
            let (first, last) = range(&column.atoms, implied.side, &bound, old);
            let mut row = None;
            for atom in column.atoms.get(first..last).unwrap_or_default() {
                let lit = atom.var.lit(implied.side == Side::Upper);
                if value(lit).is_some() {
                    continue;
                }
                let reason = row.get_or_insert_with(|| {
                    self.farkas.clear();
                    let own = self.simplex.explain_implied(implied, &mut self.farkas);
                    let start = self.antecedents.len() as u32;
                    self.antecedents.extend(self.farkas.drain(..).map(|(t, f)| (untag(t), f)));
                    BoundReason::Row { start, end: self.antecedents.len() as u32, own }
                });
                propagate(lit, reason.clone());
            }
        }
        found.clear();
        self.implied = found;
    }

    /// The antecedents and factors of a propagation, and the factor of the
    /// negation of what was propagated.
    pub fn explain(
        &self,
        reason: &BoundReason,
        mut antecedent: impl FnMut(Lit, Rational),
    ) -> Rational {
        match reason {
            BoundReason::Bound(lit) => {
                antecedent(*lit, Rational::ONE);
                Rational::ONE
            }
            BoundReason::Row { start, end, own } => {
                for (lit, factor) in &self.antecedents[*start as usize..*end as usize] {
                    antecedent(*lit, factor.clone());
                }
                own.clone()
            }
        }
    }

    /// Length of the arena of reasons, to return to.
    pub fn antecedents_len(&self) -> usize {
        self.antecedents.len()
    }

    /// Takes back bounds and reasons.
    pub fn backtrack(&mut self, trail_len: usize, antecedents_len: usize) {
        self.simplex.backtrack(trail_len);
        self.antecedents.truncate(antecedents_len);
    }

    // Reading the answer.

    /// Whether the present assignment makes the inequality true.
    pub fn phase(&self, var: Var) -> Option<bool> {
        let (column, threshold) = self.atom_of.get(var.index())?.as_ref()?;
        Some(self.simplex.value(*column) <= threshold)
    }

    /// The value of a term whose leaves have columns; leaves without count as zero.
    pub fn value(&self, store: &TermStore, term: TermId) -> DeltaRational {
        if let Some(column) = self.known_column(store, term) {
            return self.simplex.value(column).clone();
        }
        let form = store.linear_form(term);
        let mut value = DeltaRational::from(form.constant);
        for (leaf, coefficient) in &form.terms {
            if let Some(column) = self.known_column(store, *leaf) {
                value.add_mul(coefficient, self.simplex.value(column));
            }
        }
        value
    }

    /// The value of a column where leaves have other values than now.
    fn value_with(
        &self,
        column: &ColumnTerm,
        number: usize,
        other: &impl Fn(TermId) -> Option<Rational>,
    ) -> DeltaRational {
        let leaf = |column: &ColumnTerm, number: usize| match other(column.term) {
            Some(value) => DeltaRational::from(value),
            None => self.simplex.value(Column(number as u32)).clone(),
        };
        if column.definition.is_empty() {
            return leaf(column, number);
        }
        let mut sum = DeltaRational::default();
        for (part, coefficient) in &column.definition {
            let value = leaf(&self.columns[part.index()], part.index());
            sum.add_mul(&Rational::from(coefficient), &value);
        }
        sum
    }

    /// The asserted inequalities that do not hold where leaves have other values than now.
    pub fn violated(&self, other: &impl Fn(TermId) -> Option<Rational>) -> Vec<Lit> {
        let mut violated = Vec::new();
        for (number, column) in self.columns.iter().enumerate() {
            let bound = |side| self.simplex.bound(Column(number as u32), side);
            let (lower, upper) = (bound(Side::Lower), bound(Side::Upper));
            if lower.is_none() && upper.is_none() {
                continue;
            }
            let value = self.value_with(column, number, other);
            violated.extend(lower.filter(|b| b.value > value).map(|b| untag(b.tag)));
            violated.extend(upper.filter(|b| b.value < value).map(|b| untag(b.tag)));
        }
        violated
    }

    /// Gives leaves other values. Required: no asserted inequality is violated by them.
    pub fn adopt(&mut self, other: &impl Fn(TermId) -> Option<Rational>) {
        let mut targets = Vec::new();
        for (number, term) in self.columns.iter().enumerate() {
            let column = Column(number as u32);
            if !self.simplex.is_basic(column) {
                targets.push((column, self.value_with(term, number, other)));
            }
        }
        // Required: after all are known, since moving one moves basic ones.
        for (column, value) in targets {
            self.simplex.move_to(column, value);
        }
    }

    /// Whether these columns have these values.
    pub fn is_intact(&self, pinned: &[(Column, DeltaRational)]) -> bool {
        pinned.iter().all(|(column, value)| self.simplex.value(*column) == value)
    }

    /// The inequalities about a term, by variable, with their thresholds.
    pub fn bounds_of(
        &self,
        store: &TermStore,
        term: TermId,
    ) -> impl Iterator<Item = (Var, &DeltaRational)> {
        let column = self.known_column(store, term);
        let atoms = column.map_or(&[][..], |column| &self.columns[column.index()].atoms);
        atoms.iter().map(|atom| (atom.var, &atom.threshold))
    }

    /// A number for the infinitesimal with which all bounds hold and terms with
    /// different values keep different values.
    pub fn infinitesimal(
        &self,
        store: &TermStore,
        terms: impl Iterator<Item = TermId>,
    ) -> Rational {
        let mut delta = self.simplex.concrete_delta();
        let mut values: Vec<DeltaRational> = terms.map(|term| self.value(store, term)).collect();
        values.sort_unstable();
        values.dedup();
        if values.iter().all(|value| value.delta.is_zero()) {
            return delta;
        }
        let half = Rational::new(1, 2);
        loop {
            let mut concrete: Vec<Rational> = values.iter().map(|value| value.at(&delta)).collect();
            concrete.sort_unstable();
            let all = concrete.len();
            concrete.dedup();
            if concrete.len() == all {
                return delta;
            }
            // Finitely many pairs coincide, each for one number.
            delta = &delta * &half;
        }
    }

    /// The leaf terms that have columns, in order of their creation.
    pub fn leaves(&self) -> impl Iterator<Item = (Column, TermId)> + '_ {
        (0u32..)
            .zip(&self.columns)
            .filter(|(_, c)| c.definition.is_empty())
            .map(|(i, c)| (Column(i), c.term))
    }

    /// Leaves and sums with their asserted bounds, lower and upper, where they have any.
    pub fn bounded_sums(
        &self,
    ) -> impl Iterator<Item = (TermId, Option<DeltaRational>, Option<DeltaRational>)> + '_ {
        let bound = |i, side| self.simplex.bound(Column(i), side).map(|b| b.value.clone());
        (0u32..)
            .zip(&self.columns)
            .map(move |(i, c)| (c.term, bound(i, Side::Lower), bound(i, Side::Upper)))
            .filter(|(_, lower, upper)| lower.is_some() || upper.is_some())
    }

    /// A column over leaf columns: itself, or the sum that it is.
    pub fn definition(&self, column: Column) -> Vec<(Column, Integer)> {
        let definition = &self.columns[column.index()].definition;
        if definition.is_empty() { vec![(column, Integer::ONE)] } else { definition.to_vec() }
    }

    /// A sum over leaf columns as a form over terms.
    pub fn form(&self, sum: &[(Column, Integer)]) -> LinearForm {
        let mut form = LinearForm::zero();
        for (column, coefficient) in sum {
            form.add_term(self.columns[column.index()].term, &Rational::from(coefficient));
        }
        form
    }
}

/// The next integer bound that an implied bound allows.
fn round(bound: &DeltaRational, side: Side) -> DeltaRational {
    DeltaRational::from(Rational::from(match side {
        Side::Upper => floor(bound),
        Side::Lower => -floor(&bound.times(&Rational::MINUS_ONE)),
    }))
}

/// The largest integer not above the number.
pub(crate) fn floor(value: &DeltaRational) -> Integer {
    let floor = value.standard.floor();
    if value.delta.is_negative() && value.standard.is_integer() {
        floor - Integer::ONE
    } else {
        floor
    }
}

/// The atoms that a new bound decides and the old one did not.
fn range(
    atoms: &[BoundAtom],
    side: Side,
    bound: &DeltaRational,
    old: Option<&DeltaRational>,
) -> (usize, usize) {
    let place = |value: &DeltaRational| atoms.partition_point(|a| a.threshold < *value);
    match side {
        Side::Upper => (place(bound), old.map_or(atoms.len(), place)),
        Side::Lower => (old.map_or(0, place), place(bound)),
    }
}
