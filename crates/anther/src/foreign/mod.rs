//! Filters of other systems, read from their own files and dumps.
//!
//! One folder or file per system. Each reads exactly that system's layout, and refuses everything
//! else with a [`ForeignError`](crate::ForeignError) that names what is wrong. A filter answers
//! with that system's own hash, so it gives the same answers, false positives included. Where
//! writing makes sense, the bytes are those that the system itself would write.
//!
//! What is read may be forged. Every field is checked before it is used, callers limit the size
//! of a filter, and memory is only used for bytes that have come.

mod cursor;
pub mod redisbloom;
