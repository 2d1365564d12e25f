//! What two sets differ in: invertible Bloom lookup tables (Goodrich and Mitzenmacher 2011;
//! Eppstein, Goodrich, Uyeda and Varghese 2011) and their endless form (Yang, Gilad and Alizadeh
//! 2024).
//!
//! Two parties hold nearly the same set: files of a mirror, keys of two replicas, transactions of
//! two nodes. They want what the one has and the other lacks, and to send in the order of that
//! difference, not of the sets. A thousand elements that differ among a million take 28 kB, where
//! the list takes 8 MB.
//!
//! **For** sets that are large and nearly equal. **Not for** asking whether a key is in: that is a
//! [`Filter`](crate::Filter)'s work, and this is none. It lists and subtracts. Not for sets that
//! differ in much: an element of the difference takes 28 bytes, so of 64-bit integers the list is
//! shorter when more than a quarter differ. And where one side only wants to know most of what the
//! other lacks, a [`Ribbon`](crate::Ribbon) at 1 %, 0.84 bytes a key of the whole set, is shorter when
//! more than one in thirty differs.
//!
//! Putting an element in takes 60 ns, twice as long as into a [`Classic`](crate::Classic) filter,
//! however large set and table are. The endless form keeps the set and takes 0.9 µs an element for
//! 1500 symbols, which are enough for a difference of a thousand.
//!
//! # How it works
//!
//! A cell is a count, the xor of its elements, and the xor of their checks. An element lies in a
//! few cells. Subtract the other side's cells from yours, and every element that both have is gone
//! from every cell. What is left is a small table of the difference: in it, some cell holds one
//! element alone, which its check confirms. Take that element out of its other cells, and further
//! cells hold one alone. This goes on until nothing is left, if there were cells enough.
//!
//! # Which form?
//!
//! | you know | take | sent |
//! |---|---|---|
//! | how large the difference is at most | [`Iblt`]: one table, one message | 1.24 to 1.6 cells for each element of the largest difference, more below a hundred |
//! | nothing, and can send until the other says stop | [`rateless`]: symbols without end, of which any beginning is useful | 1.35 to 1.8 symbols for each element that differs |
//! | nothing, and every message counts | [`Strata`], then an [`Iblt`] for its answer | 51 kB first |
//!
//! Cells and symbols have 12 bytes besides the element: 20 for a 64-bit integer.
//!
//! Elements are [`Integers`] or [`Strings`] up to a length that you choose. Both sides must choose
//! the same, with the same [`Seed`](crate::Seed).
//!
//! # Where it breaks
//!
//! - **An element twice** on one side and not on the other: its xor is nothing, and its count stays.
//!   So the table does not come apart, and neither does a larger one, though [`Undecoded`] asks for
//!   it. What did come out may be on the wrong side, since an element of the other side that shares
//!   a cell with it looks like ours there: of tables for 10, 100 and 1000, six to eight in ten had
//!   such an element. Should one share all its cells, the table does come apart, with that element
//!   on the wrong side and the doubled one missing: once in 750 tables for a difference of 2, once
//!   in 11,000 for 10, once in 60,000 for 100. **Insert each once**: sort and dedup, or keep a set.
//!   (Twice on both sides it is gone, as it should be. Twice here and once there, it comes out as
//!   ours.) The endless form keeps the set and takes each once by itself.
//! - **A difference larger than the table** comes out in part or not at all. [`Undecoded`] says
//!   what did, how large the difference seems to be, and for how large a one to try again.
//! - **Elements that strangers choose**: whoever knows the seed can find elements that share their
//!   cells, and two such keep the whole table from coming apart. Agree on a
//!   [`Seed::keyed`](crate::Seed::keyed).
//! - **Cells that strangers send** may hold anything. Taking them apart ends after as many elements
//!   as there are cells, and no element comes out without its check, but the check is no signature.
//!
//! The sizes are in [`sizing::iblt`](crate::sizing::iblt).

mod cells;
mod element;
pub mod rateless;
mod strata;
mod table;

pub use element::{Elements, Integers, Strings};
pub use rateless::{Decoder, Encoder, Symbol};
pub use strata::{DifferenceEstimate, Strata};
pub use table::{Answer, Difference, Iblt, Undecoded};

use crate::error::LoadError;
use crate::format::{Parts, Readable, Tag};
use crate::profile::About;
use element::Hashes;

/// Checks what a file holds, whichever of all these it is.
pub(crate) fn check(parts: &mut Parts, about: About) -> Result<(), LoadError> {
    match parts.peek("form") {
        Some(Strings::FORM) => Iblt::<Strings>::read(Tag::Iblt, parts, about).map(drop),
        Some(Hashes::FORM) => Strata::read(Tag::Iblt, parts, about).map(drop),
        // And what has no form, or none that there is, to be refused.
        _ => Iblt::<Integers>::read(Tag::Iblt, parts, about).map(drop),
    }
}
