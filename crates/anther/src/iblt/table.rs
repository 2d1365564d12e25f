//! A table of a chosen size.
//!
//! k equal parts, an element in one cell of each, so no element is in a cell twice. The positions
//! are [`KeyHash::again`] of 0 to k−1, each scaled to a part.

use super::cells::{Cell, Layout, check};
use super::element::{Elements, Integers, check_form};
use crate::error::{LoadError, OutOfMemory, SaveError, SubtractError, TableError, TooLong};
use crate::format::{Contents, Open, Parts, Readable, Save, Sealed, Sheet, Tag, Writable};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::scale;
use crate::parts::words::Words;
use crate::profile::{About, same_keys};
use crate::recipe::Recipe;
use crate::sizing::iblt::{self as sizing, MAX_DIFFERENCE, PROBES};
use std::fmt;
use std::io::Write;
use std::path::Path;
use thiserror::Error;

/// The difference of two sets, each side sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<T> {
    /// What only our side has.
    pub ours: Vec<T>,
    /// What only the other side has.
    pub theirs: Vec<T>,
}

impl<T> Difference<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.ours.len() + self.theirs.len()
    }

    /// Whether the sets are equal.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn push(&mut self, sign: i32, element: T) {
        if sign > 0 { self.ours.push(element) } else { self.theirs.push(element) }
    }

    pub(super) fn sort(&mut self)
    where
        T: Ord,
    {
        self.ours.sort_unstable();
        self.theirs.sort_unstable();
    }
}

impl<T> Default for Difference<T> {
    fn default() -> Difference<T> {
        Difference { ours: Vec::new(), theirs: Vec::new() }
    }
}

/// A table that could not be decoded completely.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "decoded {} elements, and {left} of {cells} cells are left; make both tables for a difference \
     of {difference}, which takes {suggested} cells",
    found.len()
)]
#[non_exhaustive]
pub struct Undecoded<T: fmt::Debug> {
    /// The decoded elements: each passed its check, others are missing.
    pub found: Difference<T>,
    /// Cells that are not empty.
    pub left: u64,
    /// Cells of the table.
    pub cells: u64,
    /// The difference to make both tables for: the estimate from the counts plus three standard
    /// errors, and more than this table was made for.
    pub difference: u64,
    /// Cells of such a table.
    pub suggested: u64,
}

/// Whether an element is in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is not.
    Absent,
    /// It is; in a difference, on one of the two sides.
    Found,
    /// Unknown: all its cells hold others too.
    Unknown,
}

/// The cells of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    /// Parts of the table.
    pub probes: u32,
    /// Cells of a part.
    pub part: u64,
}

impl Positions {
    pub fn cells(self) -> u64 {
        u64::from(self.probes) * self.part
    }

    pub fn each(self, hash: KeyHash, mut visit: impl FnMut(usize)) {
        for probe in 0..u64::from(self.probes) {
            let cell = probe * self.part + scale(hash.again(probe).0, self.part);
            #[expect(clippy::cast_possible_truncation, reason = "a cell that is in memory")]
            visit(cell as usize);
        }
    }
}

/// Decodes a row. Returns the elements, and the number of cells that are left.
///
/// Each element decoded from the difference of two sets leaves a cell empty for good, so there are
/// no more of them than cells. A forged row can make it cycle; it stops there too.
pub(super) fn peel<E: Elements>(
    positions: Positions,
    row: &mut [u64],
    elements: &E,
    seed: &Seed,
) -> (Difference<E::Element>, u64) {
    let layout = Layout::of(elements);
    #[expect(clippy::cast_possible_truncation, reason = "the row is in memory")]
    let cells = positions.cells() as usize;
    let (mut found, mut cell, mut next) = (Difference::default(), Cell::default(), Vec::new());
    'cells: for start in 0..cells {
        next.push(start);
        while let Some(at) = next.pop() {
            if found.len() == cells {
                break 'cells;
            }
            let single = layout.single(row, at, elements, seed, &mut cell);
            let Some(single) = single else { continue };
            positions.each(single.hash, |other| {
                layout.add(row, other, -single.sign, cell.check, &cell.code);
                next.push(other);
            });
            found.push(single.sign, single.element);
        }
    }
    let left = (0..cells).filter(|at| !layout.is_empty(row, *at)).count();
    found.sort();
    (found, left as u64)
}

/// A set that can be subtracted from another, leaving the difference: see the [module](crate::iblt)
/// for when and how.
///
/// ```
/// use anther::iblt::{Iblt, Integers};
///
/// // Both sides make a table for a difference of up to 100, whatever the size of the sets.
/// let mut ours = Iblt::new(Integers, 100)?;
/// let mut theirs = Iblt::new(Integers, 100)?;
/// ours.insert_all(0..50_000)?;
/// theirs.insert_all(10..50_030)?;
///
/// // Theirs comes over the wire, 3.5 kB for 400 kB of integers.
/// let mut sent = Vec::new();
/// theirs.write_to(&mut sent)?;
/// assert!(sent.len() < 3600);
///
/// let theirs = Iblt::<Integers>::from_bytes(&sent)?;
/// let difference = ours.subtract(&theirs)?.decode()?;
/// assert_eq!(difference.ours, (0..10).collect::<Vec<u64>>());
/// assert_eq!(difference.theirs, (50_000..50_030).collect::<Vec<u64>>());
///
/// // A larger difference than the table was made for is known as such.
/// ours.insert_all(60_000..61_000)?;
/// let error = ours.subtract(&theirs)?.decode().unwrap_err();
/// assert!((1040..2000).contains(&error.difference), "for how many to try again");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Iblt<E: Elements = Integers> {
    elements: E,
    positions: Positions,
    row: Words,
    about: About,
}

impl<E: Elements> Iblt<E> {
    /// The most cells of a table.
    pub const MAX_CELLS: u64 = 1 << 33;

    /// An empty table for differences of up to `difference` elements, with the fixed seed. Decoding
    /// then succeeds at least 995 times in a thousand
    /// ([`sizing::size`](crate::sizing::iblt::size)).
    pub fn new(elements: E, difference: u64) -> Result<Iblt<E>, TableError> {
        Iblt::with_seed(elements, difference, Seed::FIXED)
    }

    /// The same with a seed.
    pub fn with_seed(elements: E, difference: u64, seed: Seed) -> Result<Iblt<E>, TableError> {
        if !(1..=MAX_DIFFERENCE).contains(&difference) {
            return Err(TableError::Difference { got: difference, most: MAX_DIFFERENCE });
        }
        let size = sizing::size(difference);
        Iblt::with_cells(elements, size.cells, size.probes, seed)
    }

    /// An empty table of at least this many cells, rounded up to equal parts, with `probes` cells
    /// per element, 3 to 7.
    pub fn with_cells(
        elements: E,
        cells: u64,
        probes: u32,
        seed: Seed,
    ) -> Result<Iblt<E>, TableError> {
        if !PROBES.contains(&probes) {
            let (least, most) = (*PROBES.start(), *PROBES.end());
            return Err(TableError::Probes { got: probes, least, most });
        }
        if !(1..=Iblt::<E>::MAX_CELLS).contains(&cells) {
            return Err(TableError::Cells { got: cells, most: Iblt::<E>::MAX_CELLS });
        }
        if !seed.can_hash() {
            return Err(TableError::Seed);
        }
        let positions = Positions { probes, part: cells.div_ceil(probes.into()) };
        let row = zeroed(Layout::of(&elements), positions.cells())?;
        Ok(Iblt { elements, positions, row, about: About::new(seed, None) })
    }

    /// Inserts an element. Insert each element once: a duplicate cannot be decoded and makes
    /// decoding fail or, rarely and in small tables, succeed with a wrong result. The
    /// [module](crate::iblt#where-it-breaks) says how rarely.
    pub fn insert(&mut self, element: E::Given<'_>) -> Result<(), TooLong> {
        self.insert_all([element])
    }

    /// Inserts elements, each of which must occur once; see [`insert`](Iblt::insert). If one is too
    /// long, those before it are inserted.
    pub fn insert_all<'a>(
        &mut self,
        elements: impl IntoIterator<Item = E::Given<'a>>,
    ) -> Result<(), TooLong> {
        let mut code = vec![0; self.layout().code_words()];
        for element in elements {
            self.add(element, 1, &mut code)?;
            self.about.count(1);
        }
        Ok(())
    }

    /// Removes an element. If it was not inserted, it counts as one that only the other side has.
    pub fn remove(&mut self, element: E::Given<'_>) -> Result<(), TooLong> {
        self.add(element, -1, &mut vec![0; self.layout().code_words()])
    }

    fn add(&mut self, element: E::Given<'_>, by: i32, code: &mut [u64]) -> Result<(), TooLong> {
        self.elements.encode(element, code)?;
        let hash = self.elements.hash(element, &self.about.seed);
        let (layout, row) = (self.layout(), self.row.to_mut());
        self.positions.each(hash, |cell| layout.add(row, cell, by, check(hash), code));
        Ok(())
    }

    /// Whether an element is in the table, as far as its cells show. In a table within its capacity
    /// most elements have an answer; in one that holds a whole large set, none. An element too long
    /// for a cell is absent.
    pub fn get(&self, element: E::Given<'_>) -> Answer {
        let (layout, row) = (self.layout(), self.row.as_slice());
        let (mut code, mut cell) = (vec![0; layout.code_words()], Cell::default());
        if self.elements.encode(element, &mut code).is_err() {
            return Answer::Absent;
        }
        let (seed, mut answer) = (&self.about.seed, Answer::Unknown);
        self.positions.each(self.elements.hash(element, seed), |at| {
            if layout.is_empty(row, at) {
                answer = Answer::Absent;
            } else if layout.single(row, at, &self.elements, seed, &mut cell).is_some() {
                // A single element: this one or another.
                answer = if cell.code == code { Answer::Found } else { Answer::Absent };
            }
        });
        answer
    }

    /// The table of the difference: it decodes to the elements that only one of the two has.
    pub fn subtract(&self, other: &Iblt<E>) -> Result<Iblt<E>, SubtractError> {
        if self.elements != other.elements {
            return Err(SubtractError::Elements);
        }
        if self.about.seed != other.about.seed {
            return Err(SubtractError::Seed);
        }
        if !same_keys(self.about.rule(), other.about.rule()) {
            return Err(SubtractError::Rule);
        }
        let (ours, theirs) = (self.positions, other.positions);
        if ours.probes != theirs.probes {
            return Err(SubtractError::Probes { ours: ours.probes, theirs: theirs.probes });
        }
        if ours.part != theirs.part {
            return Err(SubtractError::Cells { ours: ours.cells(), theirs: theirs.cells() });
        }
        let layout = self.layout();
        let mut row = zeroed(layout, ours.cells())?;
        row.to_mut().copy_from_slice(self.row.as_slice());
        #[expect(clippy::cast_possible_truncation, reason = "the row is in memory")]
        layout.subtract(row.to_mut(), other.row.as_slice(), ours.cells() as usize);
        Ok(Iblt { row, about: self.about.clone(), ..*self })
    }

    /// Decodes a copy of the table: the elements in it, or in one set and not in the other. The
    /// copy takes as much memory as the table.
    ///
    /// # Panics
    /// If the table's seed [cannot hash](Seed::can_hash).
    pub fn decode(&self) -> Result<Difference<E::Element>, Undecoded<E::Element>> {
        let mut row = self.row.as_slice().to_vec();
        let (found, left) = peel(self.positions, &mut row, &self.elements, &self.about.seed);
        if left == 0 {
            return Ok(found);
        }
        let cells = self.cells();
        let mut difference = sizing::enough(self.estimate(), cells);
        // It was large enough, but failed by bad luck or because of a duplicate element.
        while sizing::size(difference).cells <= cells && difference < MAX_DIFFERENCE {
            difference = (2 * difference).min(MAX_DIFFERENCE);
        }
        let suggested = sizing::size(difference).cells;
        Err(Undecoded { found, left, cells, difference, suggested })
    }

    /// Estimates the number of elements in the table, however many: for a difference, those of both
    /// sides. The standard error is √(2/cells) of it.
    pub fn estimate(&self) -> f64 {
        let (layout, row) = (self.layout(), self.row.as_slice());
        #[expect(clippy::cast_possible_truncation, reason = "the row is in memory")]
        let counts = (0..self.cells() as usize).map(|cell| f64::from(layout.count(row, cell)));
        let (sum, squares) =
            counts.fold((0.0, 0.0), |(sum, squares), count| (sum + count, squares + count * count));
        sizing::difference(sum, squares, self.positions.probes, self.positions.part)
    }

    /// The type of its elements.
    pub fn elements(&self) -> E {
        self.elements
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.positions.cells()
    }

    /// Cells per element.
    pub fn probes(&self) -> u32 {
        self.positions.probes
    }

    /// How its elements are hashed.
    pub fn seed(&self) -> &Seed {
        &self.about.seed
    }

    /// What it was made with, apart from its cells.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Sets the recipe: what the elements are, and where they were in the input. The file stores it
    /// if it is one of those that its header can hold. The table takes elements as they are.
    pub fn set_recipe(&mut self, recipe: Option<Recipe>) {
        self.about.recipe = recipe;
    }

    /// Writes the table to a file, atomically.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        Save::new().file(self, path)
    }

    /// Writes the table to a stream.
    pub fn write_to(&self, out: impl Write) -> Result<(), SaveError> {
        Save::new().writer(self, out)
    }

    /// Reads a table from a file and verifies every byte. [`Open`] has more options, such as a
    /// secret key.
    pub fn open(path: impl AsRef<Path>) -> Result<Iblt<E>, LoadError> {
        Open::new().file(path)
    }

    /// Reads a table from bytes and verifies every byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Iblt<E>, LoadError> {
        Open::new().bytes(bytes)
    }

    fn sheet(&self) -> Sheet<'_> {
        let mut sheet = Sheet::default();
        sheet.field("form", E::FORM);
        self.elements.describe(&mut sheet);
        describe(self.positions, &mut sheet);
        sheet.words("cells", self.row.as_slice());
        sheet
    }

    fn layout(&self) -> Layout {
        Layout::of(&self.elements)
    }
}

impl<E: Elements> Sealed for Iblt<E> {}

impl<E: Elements> Writable for Iblt<E> {
    fn contents(&self) -> Contents<'_> {
        Contents { tag: Tag::Iblt, about: &self.about, sheet: self.sheet() }
    }
}

impl<E: Elements> Readable for Iblt<E> {
    /// Nothing looks absent without the rule: elements are listed as they are, and tables of
    /// different rules are not subtracted.
    const APPLIES_RULE: bool = true;

    fn read(tag: Tag, parts: &mut Parts, about: About) -> Result<Iblt<E>, LoadError> {
        check_iblt(tag, &about)?;
        check_form::<E>(parts)?;
        let elements = E::restore(parts)?;
        let probes = parts.small("probes", PROBES)?;
        let most = Iblt::<E>::MAX_CELLS.div_ceil(probes.into());
        let positions = Positions { probes, part: parts.number("part", 1..=most)? };
        let row = read_row(parts, Layout::of(&elements), positions.cells())?;
        Ok(Iblt { elements, positions, row, about })
    }
}

pub(super) fn zeroed(layout: Layout, cells: u64) -> Result<Words, OutOfMemory> {
    let words = layout.words(cells).ok_or(OutOfMemory { bytes: u64::MAX })?;
    Words::zeroed(words)
}

pub(super) fn describe(positions: Positions, sheet: &mut Sheet<'_>) {
    sheet.field("probes", positions.probes.into());
    sheet.field("part", positions.part);
}

/// Rejects a filter, and fields that only a filter has.
pub(super) fn check_iblt(tag: Tag, about: &About) -> Result<(), LoadError> {
    match tag {
        Tag::Iblt if about.target.is_none() => Ok(()),
        Tag::Iblt => Err(LoadError::Unknown { name: "target.items".to_string() }),
        Tag::Filter(got) => Err(LoadError::Filter { got }),
        Tag::Range => Err(LoadError::Range),
    }
}

/// The section of `cells` cells.
pub(super) fn read_row(parts: &mut Parts, layout: Layout, cells: u64) -> Result<Words, LoadError> {
    let row = parts.words("cells")?;
    let fits = layout.fits(row.as_slice(), cells);
    fits.then_some(row).ok_or(LoadError::Section { name: "cells" })
}
