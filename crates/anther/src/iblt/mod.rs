//! The difference of two sets: invertible Bloom lookup tables (Goodrich and Mitzenmacher 2011;
//! Eppstein, Goodrich, Uyeda and Varghese 2011) and their rateless form (Yang, Gilad and Alizadeh
//! 2024).
//!
//! Two parties hold nearly the same set: files of a mirror, keys of two replicas, transactions of
//! two nodes. They want to know what one has and the other lacks, and to send data in proportion to
//! that difference, not to the sets. A thousand elements that differ among a million take 28 kB,
//! where the list takes 8 MB.
//!
//! **For** large, nearly equal sets. **Not for** membership queries: use a
//! [`Filter`](crate::Filter) for those. Not for sets that differ a lot: each element of the
//! difference takes 28 bytes, so for 64-bit integers the full list is shorter when more than a
//! quarter differ. And if one side only needs most of what the other lacks, a
//! [`Ribbon`](crate::Ribbon) at 1 %, 0.84 bytes per key of the whole set, is shorter when more than
//! one in thirty differs.
//!
//! An insert takes 60 ns, twice as long as in a [`Classic`](crate::Classic) filter, whatever the
//! sizes of set and table. The rateless form stores the set and takes 0.9 µs per element for 1500
//! symbols, which are enough for a difference of a thousand.
//!
//! # How it works
//!
//! A cell is a count, the xor of its elements, and the xor of their checks. An element is in a few
//! cells. Subtract the other side's cells from yours, and every common element cancels out of every
//! cell. What is left is a small table of the difference, in which some cell holds a single
//! element, which its check confirms. Remove that element from its other cells, and more cells hold
//! a single one. This goes on until nothing is left, if there are enough cells.
//!
//! # Which form?
//!
//! | You know | Use | Sent |
//! |---|---|---|
//! | an upper bound on the difference | [`Iblt`]: one table, one message | 1.24 to 1.6 cells for each element of the largest difference, more below a hundred |
//! | nothing, and can send until the other side says stop | [`rateless`]: an endless stream of symbols, of which any prefix is useful | 1.35 to 1.8 symbols for each element that differs |
//! | nothing, and every message counts | [`Strata`], then an [`Iblt`] for its estimate | 51 kB first |
//!
//! [`sketch`] is the rateless stream of a list of lines as a file or a pipe has it, which `anther
//! sketch` writes and `anther diff` reads.
//!
//! Cells and symbols have 12 bytes besides the element: 20 for a 64-bit integer.
//!
//! Elements are [`Integers`] or [`Strings`] up to a length that you choose. Both sides must choose
//! the same, with the same [`Seed`](crate::Seed).
//!
//! # Where it breaks
//!
//! - **An element twice** on one side and not on the other: its xor cancels, but its count stays. So
//!   decoding fails, and so does that of a larger table, though [`Undecoded`] suggests one. Decoded
//!   elements may be on the wrong side, since an element of the other side that shares a cell with
//!   it looks like ours there: of tables for 10, 100 and 1000, six to eight in ten had such an
//!   element. If one shares all its cells, decoding succeeds with that element on the wrong side
//!   and the doubled one missing: once in 750 tables for a difference of 2, once in 11,000 for 10,
//!   once in 60,000 for 100. **Insert each element once**: sort and dedup, or keep a set. (Twice on
//!   both sides, it cancels, as it should. Twice here and once there, it is decoded as ours.) The
//!   rateless form stores the set and ignores duplicates.
//! - **A difference larger than the table** is decoded in part or not at all. [`Undecoded`] has the
//!   decoded part, an estimate of the difference, and the size to try next.
//! - **Elements that untrusted parties choose**: anyone who knows the seed can find elements that
//!   share their cells, and two such elements make decoding fail. Agree on a
//!   [`Seed::keyed`](crate::Seed::keyed).
//! - **Cells from untrusted parties** may hold anything. Decoding ends after as many elements as
//!   there are cells, and no element is decoded without its check, but the check is not a signature.
//!
//! The sizes are in [`sizing::iblt`](crate::sizing::iblt).

mod cells;
mod element;
pub mod rateless;
pub mod sketch;
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

/// Checks a file of any of these types.
pub(crate) fn check(parts: &mut Parts, about: About) -> Result<(), LoadError> {
    match parts.peek("form") {
        Some(Strings::FORM) => Iblt::<Strings>::read(Tag::Iblt, parts, about).map(drop),
        Some(Hashes::FORM) => Strata::read(Tag::Iblt, parts, about).map(drop),
        // Files without a form, or with an unknown one, to be rejected.
        _ => Iblt::<Integers>::read(Tag::Iblt, parts, about).map(drop),
    }
}
