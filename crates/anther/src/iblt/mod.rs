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
//! [`Filter`](crate::Filter)'s work, and this is none. It lists and subtracts.
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
//! - **An element twice** in a table is two elements with the same cells: the xor loses them both,
//!   the table does not come apart, and what does come out may be on the wrong side. Insert each
//!   once. (Twice on one side and once on the other is a difference of one, and comes out.) The
//!   endless form keeps the set and takes each once by itself.
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
use crate::format::{Contents, Parts, Tag};
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
