//! Input to records, and records to the hashes of their keys.
//!
//! ```text
//! reader ──► Block ──► records ──► Extractor ──► keys ──► hashes
//!            whole     lines,      where the      what
//!            records   CSV, …      key is         it is
//! ```
//!
//! [`blocks`] splits what a reader gives into blocks of whole records, [`extract`] takes the key out of a record, and
//! [`hashed`] does it for a block at a time. The loops over records are here and nowhere else in the program, in one
//! codegen unit: the rest of it is compiled in a fraction of the time, without the optimisation that only loops need.

pub mod block_list;
pub mod blocks;
pub mod columns;
pub mod csv;
pub mod distinct;
pub mod extract;
pub mod hashed;
pub mod json_lines;
mod line_ends;
pub mod looks;
pub mod record_error;
pub mod values;
pub mod web;
