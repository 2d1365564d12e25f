//! A search index: which blocks of which files can match a pattern.
//!
//! Text is cut into blocks at line ends. Of each block the index stores which byte grams of four and five bytes occur in
//! it, in a matrix whose columns are blocks and whose rows are hashes of grams. A literal that is
//! searched for can only be in the blocks whose column has a bit in the row of each of its grams,
//! so a query reads a few rows and intersects them.

mod assembly;
mod build;
mod candidates;
mod changes;
mod container;
mod cut;
mod entry;
mod error;
mod gram;
mod index;
mod indexer;
mod key;
mod load;
mod matrix;
mod parts;
mod path_bytes;
mod pending;
mod plan;
mod query;
mod read_at;
mod read_file;
mod reading;
mod source;
mod tables;
mod walk;

pub use candidates::Candidates;
pub use cut::BLOCK;
pub use entry::{Block, FileEntry, Root, Stamp, below};
pub use error::IndexError;
pub use index::Index;
pub use indexer::{Indexer, LEAST_MEMORY, Summary, Watch};
pub use plan::plan;
pub use query::{GRAM, Query};
pub use source::{FoundKey, Opened, RowGroup, Source, Sources};
pub use tables::Settings;
pub use walk::{Found, Unread, Warn, visit};
