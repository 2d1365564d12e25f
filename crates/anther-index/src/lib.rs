//! A search index: which blocks of which files can match a pattern.
//!
//! Text is cut into blocks at line ends. Of each block the index stores which byte 4-grams occur in
//! it, in a matrix whose columns are blocks and whose rows are hashes of grams. A literal that is
//! searched for can only be in the blocks whose column has a bit in the row of each of its grams,
//! so a query reads a few rows and intersects them.

mod plan;
mod query;

pub use plan::plan;
pub use query::{GRAM, Query};
