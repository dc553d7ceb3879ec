//! Checking of bit-blasting: the circuits of the bit-vector operators, and of atoms over integers.
//!
//! A network of gates over bits is built twice: once from the formula that the
//! proof claims, once from the operator by the circuits below; both go through
//! one normalisation and must come out as the same gate. Where they do not and
//! the inputs are few, they are compared on all inputs.
//!
//! The circuits are those of [`bolide_terms::circuit`], which evaluation confirms there.

use bolide_base::HashMap;
use bolide_terms::circuit::{Gates, circuit};
use bolide_terms::powers::lowest_bits;
use bolide_terms::residue::{Range, Source, image, image_width};
use bolide_terms::{Op, Sort, TermId, TermStore};

use crate::{Literal, ensure};

/// A gate, perhaps complemented: twice the number of the gate, plus one.
type Signal = u32;

const TRUE: Signal = 0;
const FALSE: Signal = 1;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Gate {
    /// The constant true.
    True,
    /// A bit of a term that is an input here.
    Bit(TermId, u32),
    /// A bit of an integer, which is an input here, in two's complement.
    IntegerBit(TermId, u32),
    /// A Boolean term that is an input here.
    Atom(TermId),
    /// Sorted, at least two, none of them a conjunction.
    And(Box<[Signal]>),
    /// Neither input is complemented.
    Xor(Signal, Signal),
    Ite(Signal, Signal, Signal),
}

/// Gates, shared by all clauses of a proof.
pub(crate) struct Network {
    gates: Vec<Gate>,
    table: HashMap<Gate, Signal>,
    formulas: HashMap<TermId, Signal>,
    circuits: HashMap<TermId, Vec<Signal>>,
}

impl Network {
    pub fn new() -> Self {
        let mut network = Network {
            gates: Vec::new(),
            table: HashMap::default(),
            formulas: HashMap::default(),
            circuits: HashMap::default(),
        };
        network.gate(Gate::True);
        network
    }

    /// The literal must say that the bit (or the Boolean term) is what its
    /// circuit computes.
    pub fn check_bit(
        &mut self,
        store: &TermStore,
        literal: Literal,
        term: TermId,
        bit: u32,
    ) -> Result<(), String> {
        let circuit = self.circuit(store, term).ok_or("the term has no circuit")?;
        let output = *circuit.get(bit as usize).ok_or("the term has no such bit")?;
        let input = if store.is_bool(term) {
            self.gate(Gate::Atom(term))
        } else {
            self.gate(Gate::Bit(term, bit))
        };
        let expected = complement(self.xor(input, output));
        let mut claimed = self.formula(store, literal.atom)?;
        if !literal.positive {
            claimed = complement(claimed);
        }
        // An equality of one-bit vectors may itself be read as a bit: then the
        // formula is true as it stands.
        if claimed == TRUE || claimed == expected || self.agree_everywhere(claimed, expected) {
            Ok(())
        } else {
            Err("the formula is not the circuit of the bit".into())
        }
    }

    /// One literal of the clause must say that the atom over integers is what its circuit computes, where
    /// leaves are in the given ranges.
    pub fn check_image(
        &mut self,
        store: &TermStore,
        clause: &[Literal],
        atom: TermId,
        width: u32,
        ranges: &HashMap<TermId, Range>,
    ) -> Result<(), String> {
        let needed = image_width(store, atom, ranges).map_err(|_| "a range is missing")?;
        if width < needed {
            return Err("the width is too small".into());
        }
        let output = self.image(store, atom, width, ranges)?;
        let own = self.formula(store, atom)?;
        let expected = complement(self.xor(own, output));
        let found = self.contains(store, clause, expected)?;
        ensure(found, "no literal is the image of the atom")
    }

    /// The clause must say that the equality is false or the lowest bits of both its sides are the same.
    pub fn check_residue(
        &mut self,
        store: &TermStore,
        clause: &[Literal],
        equality: TermId,
        width: u32,
    ) -> Result<(), String> {
        if store.op(equality) != Op::Eq || width == 0 {
            return Err("not an equality".into());
        }
        let output = self.image(store, equality, width, &HashMap::default())?;
        let found = clause.contains(&Literal { atom: equality, positive: false })
            && self.contains(store, clause, output)?;
        ensure(found, "not the lowest bits of both sides")
    }

    /// Whether some literal says what [`lowest_bits`] does.
    pub fn says_lowest_bits(
        &mut self,
        store: &TermStore,
        clause: &[Literal],
        term: TermId,
        width: u32,
    ) -> Result<bool, String> {
        let output = lowest_bits(&mut Reading { network: self, store }, term, width);
        self.contains(store, clause, output.ok_or("the term has no such bits")?)
    }

    fn image(
        &mut self,
        store: &TermStore,
        atom: TermId,
        width: u32,
        ranges: &HashMap<TermId, Range>,
    ) -> Result<Signal, String> {
        image(&mut Reading { network: self, store }, atom, width, ranges)
            .ok_or_else(|| "the atom has no image".to_owned())
    }

    /// Whether some literal is this gate.
    fn contains(
        &mut self,
        store: &TermStore,
        clause: &[Literal],
        expected: Signal,
    ) -> Result<bool, String> {
        for &literal in clause {
            if expected == self.formula(store, literal.atom)? ^ Signal::from(!literal.positive) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn gate(&mut self, gate: Gate) -> Signal {
        if let Some(&signal) = self.table.get(&gate) {
            return signal;
        }
        let signal = (self.gates.len() as u32) << 1;
        self.gates.push(gate.clone());
        self.table.insert(gate, signal);
        signal
    }

    fn kind(&self, signal: Signal) -> &Gate {
        &self.gates[(signal >> 1) as usize]
    }

    /// The gate of a formula.
    fn formula(&mut self, store: &TermStore, root: TermId) -> Result<Signal, String> {
        let mut work = vec![root];
        while let Some(&term) = work.last() {
            if self.formulas.contains_key(&term) {
                work.pop();
                continue;
            }
            let op = store.op(term);
            let inner = match op {
                Op::Not | Op::And | Op::Or | Op::Ite => store.args(term),
                Op::Eq if store.is_bool(store.arg(term, 0)) => store.args(term),
                _ => &[],
            };
            let before = work.len();
            work.extend(inner.iter().filter(|arg| !self.formulas.contains_key(arg)));
            if work.len() > before {
                continue;
            }
            work.pop();
            let inputs: Vec<Signal> = inner.iter().map(|arg| self.formulas[arg]).collect();
            let signal = match op {
                Op::True => TRUE,
                Op::False => FALSE,
                Op::Not => complement(inputs[0]),
                Op::And => self.and(&inputs),
                Op::Or => self.or(&inputs),
                Op::Ite => self.ite(inputs[0], inputs[1], inputs[2]),
                Op::Eq if !inner.is_empty() => complement(self.xor(inputs[0], inputs[1])),
                Op::Eq => self.bit_atom(store, term),
                _ => self.gate(Gate::Atom(term)),
            };
            self.formulas.insert(term, signal);
        }
        Ok(self.formulas[&root])
    }

    /// `x = #b1` is bit zero of `x`; any other equality is an input.
    fn bit_atom(&mut self, store: &TermStore, atom: TermId) -> Signal {
        let (vector, value) = (store.arg(atom, 0), store.arg(atom, 1));
        if store.sort_kind(store.sort(vector)) == Sort::BitVec(1)
            && let Some(value) = store.bv_number(value)
            && let Some(bit) = self.bit(store, vector, 0)
        {
            return if value.is_one() { bit } else { complement(bit) };
        }
        self.gate(Gate::Atom(atom))
    }

    /// The bit of a term, looked up through operators that only move bits.
    fn bit(&mut self, store: &TermStore, mut term: TermId, mut bit: u32) -> Option<Signal> {
        loop {
            match store.op(term) {
                Op::BvNumber(_) => {
                    return Some(if store.bv_number(term)?.bit(bit) { TRUE } else { FALSE });
                }
                Op::BvExtract { low } => {
                    bit += low;
                    term = store.arg(term, 0);
                }
                Op::BvSignExtend => {
                    term = store.arg(term, 0);
                    bit = bit.min(store.width(term) - 1);
                }
                Op::BvConcat => {
                    let mut next = None;
                    for &part in store.args(term).iter().rev() {
                        let width = store.width(part);
                        if bit < width {
                            next = Some(part);
                            break;
                        }
                        bit -= width;
                    }
                    term = next?;
                }
                Op::IntToBv => {
                    return Some(self.gate(Gate::IntegerBit(store.arg(term, 0), bit)));
                }
                Op::Ite if store.width(term) == 1 => {
                    // The builder turns `ite c #b1 #b0 = #b1` into `c`. Conditions hold no
                    // such equality any more, so this does not go deeper.
                    let (then, other) = (store.arg(term, 1), store.arg(term, 2));
                    if store.is_value(then)
                        && store.is_value(other)
                        && let Ok(condition) = self.formula(store, store.arg(term, 0))
                    {
                        let signal = |value: TermId| {
                            store.bv_number(value).map(|v| if v.is_one() { TRUE } else { FALSE })
                        };
                        let (a, b) = (signal(then)?, signal(other)?);
                        return Some(self.ite(condition, a, b));
                    }
                    return Some(self.gate(Gate::Bit(term, bit)));
                }
                _ => return Some(self.gate(Gate::Bit(term, bit))),
            }
        }
    }

    fn bits(&mut self, store: &TermStore, term: TermId) -> Option<Vec<Signal>> {
        // One-bit choices between constants are read as their condition.
        if store.op(term) == Op::Ite {
            self.formula(store, store.arg(term, 0)).ok()?;
        }
        (0..store.width(term)).map(|bit| self.bit(store, term, bit)).collect()
    }

    /// The output bits of the operator over the bits of its arguments.
    fn circuit(&mut self, store: &TermStore, term: TermId) -> Option<Vec<Signal>> {
        if let Some(known) = self.circuits.get(&term) {
            return Some(known.clone());
        }
        let op = store.op(term);
        let vectors: &[TermId] = match op {
            Op::Ite => &store.args(term)[1..],
            _ => store.args(term),
        };
        if vectors.iter().any(|&arg| store.bv_width(store.sort(arg)).is_none()) {
            return None;
        }
        let mut inputs: Vec<Vec<Signal>> = Vec::with_capacity(3);
        if op == Op::Ite {
            inputs.push(vec![self.formula(store, store.arg(term, 0)).ok()?]);
        }
        for &arg in vectors {
            inputs.push(self.bits(store, arg)?);
        }
        let inputs: Vec<&[Signal]> = inputs.iter().map(Vec::as_slice).collect();
        let result = circuit(self, op, &inputs)?;
        self.circuits.insert(term, result.clone());
        Some(result)
    }

    /// Compares two gates on all inputs, if they are few.
    fn agree_everywhere(&self, a: Signal, b: Signal) -> bool {
        const FEW: usize = 12;
        // Gates in order of creation are in topological order.
        let mut cone: Vec<u32> = Vec::new();
        let mut seen = bolide_base::HashSet::default();
        let mut work = vec![a >> 1, b >> 1];
        while let Some(gate) = work.pop() {
            if !seen.insert(gate) {
                continue;
            }
            cone.push(gate);
            match &self.gates[gate as usize] {
                Gate::And(inputs) => work.extend(inputs.iter().map(|s| s >> 1)),
                Gate::Xor(x, y) => work.extend([x >> 1, y >> 1]),
                Gate::Ite(c, x, y) => work.extend([c >> 1, x >> 1, y >> 1]),
                Gate::True | Gate::Bit(..) | Gate::IntegerBit(..) | Gate::Atom(_) => {}
            }
        }
        cone.sort_unstable();
        let is_input = |gate: &u32| {
            let kind = &self.gates[*gate as usize];
            matches!(kind, Gate::Bit(..) | Gate::IntegerBit(..) | Gate::Atom(_))
        };
        let inputs: Vec<u32> = cone.iter().copied().filter(is_input).collect();
        if inputs.len() > FEW {
            return false;
        }
        let mut values: HashMap<u32, bool> = HashMap::default();
        (0u32..1 << inputs.len()).all(|row| {
            for &gate in &cone {
                let of = |signal: Signal| values[&(signal >> 1)] ^ (signal & 1 == 1);
                let value = match &self.gates[gate as usize] {
                    Gate::True => true,
                    Gate::And(inputs) => inputs.iter().all(|&s| of(s)),
                    Gate::Xor(x, y) => of(*x) ^ of(*y),
                    Gate::Ite(c, x, y) => {
                        if of(*c) {
                            of(*x)
                        } else {
                            of(*y)
                        }
                    }
                    Gate::Bit(..) | Gate::IntegerBit(..) | Gate::Atom(_) => {
                        let position = inputs.iter().position(|&i| i == gate);
                        position.is_some_and(|p| row >> p & 1 == 1)
                    }
                };
                values.insert(gate, value);
            }
            let of = |signal: Signal| values[&(signal >> 1)] ^ (signal & 1 == 1);
            of(a) == of(b)
        })
    }
}

impl Gates for Network {
    type Bit = Signal;

    fn constant(&mut self, value: bool) -> Signal {
        if value { TRUE } else { FALSE }
    }

    fn not(&mut self, a: Signal) -> Signal {
        complement(a)
    }

    fn and(&mut self, inputs: &[Signal]) -> Signal {
        let mut flat: Vec<Signal> = Vec::with_capacity(inputs.len());
        for &input in inputs {
            match self.kind(input) {
                Gate::And(inner) if input & 1 == 0 => flat.extend_from_slice(inner),
                _ => flat.push(input),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&input| input != TRUE);
        // Complements are neighbours after sorting.
        if flat.contains(&FALSE) || flat.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            return FALSE;
        }
        match flat.as_slice() {
            [] => TRUE,
            [single] => *single,
            _ => self.gate(Gate::And(flat.into())),
        }
    }

    fn or(&mut self, inputs: &[Signal]) -> Signal {
        let complements: Vec<Signal> = inputs.iter().map(|&input| complement(input)).collect();
        complement(self.and(&complements))
    }

    fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let sign = (a ^ b) & 1;
        let (a, b) = ((a & !1).min(b & !1), (a & !1).max(b & !1));
        if a == b {
            return FALSE ^ sign;
        }
        if a == TRUE {
            return b ^ 1 ^ sign;
        }
        self.gate(Gate::Xor(a, b)) ^ sign
    }

    fn ite(&mut self, c: Signal, a: Signal, b: Signal) -> Signal {
        let (c, mut a, mut b) = if c & 1 == 1 { (c ^ 1, b, a) } else { (c, a, b) };
        if c == TRUE {
            return a;
        }
        if let Gate::Ite(inner, then, _) = *self.kind(a)
            && a & 1 == 0
            && inner == c
        {
            a = then;
        }
        if let Gate::Ite(inner, _, other) = *self.kind(b)
            && b & 1 == 0
            && inner == c
        {
            b = other;
        }
        if a == b {
            a
        } else if a == TRUE || a == c {
            self.or(&[c, b])
        } else if a == FALSE || a == complement(c) {
            self.and(&[complement(c), b])
        } else if b == TRUE || b == complement(c) {
            self.or(&[complement(c), a])
        } else if b == FALSE || b == c {
            self.and(&[c, a])
        } else if a == complement(b) {
            complement(self.xor(c, a))
        } else {
            self.gate(Gate::Ite(c, a, b))
        }
    }
}

/// The network as what images are built of.
struct Reading<'a> {
    network: &'a mut Network,
    store: &'a TermStore,
}

impl Gates for Reading<'_> {
    type Bit = Signal;

    fn constant(&mut self, value: bool) -> Signal {
        self.network.constant(value)
    }

    fn not(&mut self, a: Signal) -> Signal {
        complement(a)
    }

    fn and(&mut self, inputs: &[Signal]) -> Signal {
        self.network.and(inputs)
    }

    fn or(&mut self, inputs: &[Signal]) -> Signal {
        self.network.or(inputs)
    }

    fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        self.network.xor(a, b)
    }

    fn ite(&mut self, c: Signal, a: Signal, b: Signal) -> Signal {
        self.network.ite(c, a, b)
    }
}

impl Source for Reading<'_> {
    fn store(&self) -> &TermStore {
        self.store
    }

    fn formula(&mut self, formula: TermId) -> Signal {
        self.network.formula(self.store, formula).expect("every formula is a gate")
    }

    fn vector_bit(&mut self, term: TermId, index: u32) -> Signal {
        self.network.bit(self.store, term, index).expect("every vector has bits")
    }

    fn integer_bit(&mut self, leaf: TermId, index: u32) -> Signal {
        self.network.gate(Gate::IntegerBit(leaf, index))
    }
}

fn complement(signal: Signal) -> Signal {
    signal ^ 1
}
