//! The rateless form (Yang, Gilad and Alizadeh, Practical Rateless Set Reconciliation, 2024).
//!
//! One side sends symbols, cells like those of a table, one after the other. The other subtracts
//! its own and removes elements as they become single. When all are found it says stop. So nobody
//! has to know the difference beforehand, a symbol too few costs only the next symbol, and the
//! sender's stream is the same for every receiver.
//!
//! Symbol i holds an element with probability 1/(1+i/2): symbol 0 all of them, later ones ever
//! fewer, so that at any time some hold about one element of the difference. An element in symbol i
//! is next in symbol i + max(1, ⌈(i+1.5)·(1/√u − 1)⌉), u uniform from the element's own generator.
//! Square roots are exact in IEEE arithmetic and so the same on every machine; powers and
//! logarithms are not.
//!
//! Symbols per element of the difference, mean and 99th percentile, as measured:
//!
//! | difference | 1 | 4 | 10 | 100 | 1000 | 3000 | very many |
//! |---|---|---|---|---|---|---|---|
//! | mean | 1.00 | 1.76 | 1.72 | 1.45 | 1.38 | 1.36 | [1.35](crate::sizing::iblt::rateless_limit) |
//! | 99 % | 1.00 | 4.50 | 3.50 | 1.72 | 1.45 | 1.40 | |

use super::cells::{Cell, Layout, check};
use super::element::{Elements, Strings};
use super::table::Difference;
use crate::error::{StreamError, TableError};
use crate::parts::hash::{KeyHash, Seed};
use crate::sizing::iblt::rateless_difference;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Symbols made at first. Then their number doubles, with one pass over the set each time. A heap
/// of elements by their next symbol would make them one by one, but costs the logarithm of the
/// set's size for each of the 2·ln(i/2) symbols of an element, where this costs one step.
const FIRST: usize = 16;
/// The most bytes of symbols made at once.
const MOST: usize = 4 << 20;

/// A symbol: the bytes to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol(Box<[u8]>);

impl Symbol {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Symbol {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The symbols that an element is in, in order, from 0 on.
#[derive(Clone, Copy, Debug)]
struct Walk {
    hash: KeyHash,
    /// The next symbol.
    next: u64,
    /// Draws of the hash so far.
    draws: u64,
}

impl Walk {
    fn new(hash: KeyHash) -> Walk {
        Walk { hash, next: 0, draws: 0 }
    }

    #[inline]
    fn advance(&mut self) {
        // 53 bits above 0, up to 1.
        let u = ((self.hash.again(self.draws).0 >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let step = (self.next as f64 + 1.5) * (1.0 / u.sqrt() - 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let step = step.ceil().max(1.0) as u64;
        self.next = self.next.saturating_add(step);
        self.draws += 1;
    }
}

/// The endless stream of a set's symbols.
///
/// ```
/// use anther::Seed;
/// use anther::iblt::{Decoder, Encoder, Integers};
///
/// let sender = Encoder::new(Integers, 0..10_000, Seed::FIXED)?;
/// let mut receiver = Decoder::new(Integers, 100..10_020, Seed::FIXED)?;
/// let mut sent = 0;
/// for symbol in sender {
///     sent += symbol.as_bytes().len();
///     if receiver.push(symbol)? {
///         break;
///     }
/// }
/// let difference = receiver.found();
/// assert_eq!(difference.ours, (10_000..10_020).collect::<Vec<u64>>());
/// assert_eq!(difference.theirs, (0..100).collect::<Vec<u64>>());
/// assert!(sent < 2 * 120 * 20, "bytes for 120 elements, of 80,000");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder<E: Elements> {
    layout: Layout,
    walks: Vec<Walk>,
    /// The elements' codes, one after the other.
    codes: Vec<u64>,
    /// The current batch of symbols: its start, its length, and how many were returned.
    row: Vec<u64>,
    start: u64,
    made: usize,
    given: usize,
    cell: Cell,
    elements: E,
}

impl<E: Elements> Encoder<E> {
    /// The symbols of these elements. Duplicates count once. It stores the elements: 24 bytes each,
    /// and the code in whole words.
    pub fn new<'a>(
        elements: E,
        set: impl IntoIterator<Item = E::Given<'a>>,
        seed: Seed,
    ) -> Result<Encoder<E>, TableError> {
        let mut encoder = Encoder::empty(elements, &seed)?;
        for element in set {
            encoder.insert(element, &seed)?;
        }
        encoder.keep_once();
        Ok(encoder)
    }

    fn empty(elements: E, seed: &Seed) -> Result<Encoder<E>, TableError> {
        if !seed.can_hash() {
            return Err(TableError::Seed);
        }
        Ok(Encoder {
            layout: Layout::of(&elements),
            walks: Vec::new(),
            codes: Vec::new(),
            row: Vec::new(),
            start: 0,
            made: 0,
            given: 0,
            cell: Cell::default(),
            elements,
        })
    }

    fn insert(&mut self, element: E::Given<'_>, seed: &Seed) -> Result<(), TableError> {
        let end = self.codes.len();
        self.codes.resize(end + self.layout.code_words(), 0);
        self.elements.encode(element, &mut self.codes[end..])?;
        self.walks.push(Walk::new(self.elements.hash(element, seed)));
        Ok(())
    }

    /// Number of distinct elements.
    pub fn len(&self) -> usize {
        self.walks.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.walks.is_empty()
    }

    /// Bytes per symbol.
    pub fn symbol_bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// Doubles the number of symbols.
    fn make(&mut self) {
        self.start += self.made as u64;
        let most = (MOST / self.layout.bytes()).max(FIRST);
        self.made = usize::try_from(self.start).unwrap_or(most).clamp(FIRST, most);
        self.given = 0;
        self.row.clear();
        self.row.resize((self.made * self.layout.bytes()).div_ceil(8), 0);
        let end = self.start + self.made as u64;
        for (walk, code) in self.walks.iter_mut().zip(self.codes.chunks(self.layout.code_words())) {
            while walk.next < end {
                #[expect(clippy::cast_possible_truncation, reason = "below the number made")]
                let cell = (walk.next - self.start) as usize;
                self.layout.add(&mut self.row, cell, 1, check(walk.hash), code);
                walk.advance();
            }
        }
    }

    /// Drops duplicates: the xor of two copies cancels, and their count would make a symbol with
    /// another element look like a single one to the other side.
    fn keep_once(&mut self) {
        let Encoder { walks, codes, .. } = self;
        let words = self.layout.code_words();
        let code = |at: usize| &codes[at * words..(at + 1) * words];
        let mut order: Vec<usize> = (0..walks.len()).collect();
        order.sort_unstable_by_key(|at| (walks[*at].hash, code(*at)));
        let same = |a: usize, b: usize| walks[a].hash == walks[b].hash && code(a) == code(b);
        let twice = order.windows(2).filter(|pair| same(pair[0], pair[1]));
        let mut twice: Vec<usize> = twice.map(|pair| pair[1]).collect();
        // Removes from the back, moving the last element into each gap.
        twice.sort_unstable();
        for at in twice.into_iter().rev() {
            walks.swap_remove(at);
            codes.copy_within(walks.len() * words.., at * words);
            codes.truncate(walks.len() * words);
        }
    }

    fn next_cell(&mut self) -> &Cell {
        if self.given == self.made {
            self.make();
        }
        self.layout.read(&self.row, self.given, &mut self.cell);
        self.given += 1;
        &self.cell
    }
}

impl Encoder<Strings> {
    /// The symbols of the elements that these lines have.
    pub(super) fn of_bytes<'a>(
        elements: Strings,
        lines: impl IntoIterator<Item = &'a [u8]>,
        seed: &Seed,
        element: impl Fn(&'a [u8]) -> Option<Cow<'a, [u8]>>,
    ) -> Result<Encoder<Strings>, TableError> {
        let mut encoder = Encoder::empty(elements, seed)?;
        for line in lines.into_iter().filter_map(element) {
            encoder.insert(&line, seed)?;
        }
        encoder.keep_once();
        Ok(encoder)
    }
}

impl<E: Elements> Iterator for Encoder<E> {
    type Item = Symbol;

    /// The next symbol; there always is one.
    fn next(&mut self) -> Option<Symbol> {
        let layout = self.layout;
        Some(Symbol(layout.to_bytes(self.next_cell())))
    }
}

/// Receives the other side's symbols and decodes the difference of the sets.
///
/// The elements must not change while symbols arrive. A stream has no checksum and no end: use a
/// transport that has, and give up once a full list would be cheaper.
#[derive(Clone, Debug)]
pub struct Decoder<E: Elements> {
    own: Encoder<E>,
    seed: Seed,
    /// The difference's symbols, without the decoded elements.
    row: Vec<u64>,
    symbols: usize,
    /// Symbols that are not empty.
    full: usize,
    found: Difference<E::Element>,
    /// Decoded elements in later symbols: the next symbol, and the index in `known`.
    ahead: BinaryHeap<Reverse<(u64, usize)>>,
    /// Sign, walk and code of the decoded elements.
    known: Vec<(i32, Walk, Vec<u64>)>,
    forged: bool,
}

impl<E: Elements> Decoder<E> {
    /// A decoder for our side's elements.
    pub fn new<'a>(
        elements: E,
        set: impl IntoIterator<Item = E::Given<'a>>,
        seed: Seed,
    ) -> Result<Decoder<E>, TableError> {
        Ok(Decoder::of(Encoder::new(elements, set, seed)?, seed))
    }

    /// The same with our side's symbols, none of which was returned.
    pub(super) fn of(own: Encoder<E>, seed: Seed) -> Decoder<E> {
        Decoder {
            own,
            seed,
            row: Vec::new(),
            symbols: 0,
            full: 0,
            found: Difference::default(),
            ahead: BinaryHeap::new(),
            known: Vec::new(),
            forged: false,
        }
    }

    /// The number of our side's distinct elements.
    pub fn own_len(&self) -> usize {
        self.own.len()
    }

    /// About how many elements differ: those decoded, and an estimate of the others. Its standard
    /// error is about √(2/symbols) of the number.
    pub fn estimate(&self) -> u64 {
        let found = self.found.len() as u64;
        let counts = (0..self.symbols).map(|at| self.own.layout.count(&self.row, at));
        found.saturating_add(rateless_difference(counts))
    }

    /// Processes the next symbol. Returns true when the whole difference is decoded; later symbols
    /// change nothing. A malformed symbol is an error at any time and changes nothing either.
    pub fn push(&mut self, symbol: impl AsRef<[u8]>) -> Result<bool, StreamError> {
        if self.forged {
            return Err(StreamError::Forged);
        }
        let (layout, bytes) = (self.own.layout, symbol.as_ref());
        let Some(theirs) = layout.parse(bytes) else {
            return Err(StreamError::Bytes { expected: layout.bytes(), got: bytes.len() });
        };
        if self.is_done() {
            return Ok(true);
        }
        let at = self.symbols;
        self.symbols += 1;
        self.row.resize((self.symbols * layout.bytes()).div_ceil(8), 0);
        let ours = self.own.next_cell();
        layout.add(&mut self.row, at, ours.count, ours.check, &ours.code);
        layout.add(&mut self.row, at, theirs.count.wrapping_neg(), theirs.check, &theirs.code);
        self.full += usize::from(!layout.is_empty(&self.row, at));
        self.take_known(at);
        self.forged = !self.peel(at) || (self.is_done() && !self.is_sound());
        if self.forged {
            return Err(StreamError::Forged);
        }
        if self.is_done() {
            self.found.sort();
        }
        Ok(self.is_done())
    }

    /// Whether the whole difference is decoded. Symbol 0 holds every element, so an empty one means
    /// that all are found; a forged stream may empty it alone.
    pub fn is_done(&self) -> bool {
        self.symbols > 0 && self.full == 0
    }

    /// Whether the elements decoded as ours are ours, and those decoded as theirs are not.
    fn is_sound(&self) -> bool {
        let found: HashMap<KeyHash, i32> =
            self.known.iter().map(|(sign, walk, _)| (walk.hash, *sign)).collect();
        let mut own = self.own.walks.iter().filter_map(|walk| found.get(&walk.hash));
        let ours = own.try_fold(0, |ours, sign| (*sign > 0).then_some(ours + 1));
        found.len() == self.known.len() && ours == Some(self.found.ours.len())
    }

    /// Changes a symbol of the difference.
    fn change(&mut self, at: usize, by: i32, check: u64, code: &[u64]) {
        let (layout, row) = (self.own.layout, &mut self.row);
        self.full -= usize::from(!layout.is_empty(row, at));
        layout.add(row, at, by, check, code);
        self.full += usize::from(!layout.is_empty(row, at));
    }

    /// The elements decoded so far, sorted once complete.
    pub fn found(&self) -> &Difference<E::Element> {
        &self.found
    }

    /// Number of symbols processed.
    pub fn symbols(&self) -> usize {
        self.symbols
    }

    /// Removes known elements from a new symbol.
    fn take_known(&mut self, at: usize) {
        while let Some(Reverse((next, index))) = self.ahead.peek().copied()
            && next == at as u64
        {
            self.ahead.pop();
            let (sign, mut walk, code) = self.known[index].clone();
            self.change(at, -sign, check(walk.hash), &code);
            walk.advance();
            self.known[index].1 = walk;
            self.ahead.push(Reverse((walk.next, index)));
        }
    }

    /// Decodes what has become single, from a symbol on. False if it does not terminate.
    ///
    /// Each element decoded from the difference of two sets leaves a symbol empty for good, so
    /// there are no more of them than symbols.
    fn peel(&mut self, from: usize) -> bool {
        let (layout, mut cell, mut next) = (self.own.layout, Cell::default(), vec![from]);
        while let Some(at) = next.pop() {
            let elements = &self.own.elements;
            let single = layout.single(&self.row, at, elements, &self.seed, &mut cell);
            let Some(single) = single else { continue };
            if self.found.len() == self.symbols {
                return false;
            }
            let mut walk = Walk::new(single.hash);
            while walk.next < self.symbols as u64 {
                #[expect(clippy::cast_possible_truncation, reason = "a symbol that is in memory")]
                let other = walk.next as usize;
                self.change(other, -single.sign, cell.check, &cell.code);
                next.push(other);
                walk.advance();
            }
            self.ahead.push(Reverse((walk.next, self.known.len())));
            self.known.push((single.sign, walk, cell.code.clone()));
            self.found.push(single.sign, single.element);
        }
        true
    }
}
