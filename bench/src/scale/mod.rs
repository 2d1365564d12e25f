//! How cost grows with the number of keys: measured as far as one machine goes, predicted beyond.
//!
//! | file | what it does |
//! |---|---|
//! | [`measure`] | builds and lookups of 10⁵ to 10⁹ keys |
//! | [`read`] | the records: ours, the server's, Spark's |
//! | [`model`] | the formulas of docs/scale.md |
//! | [`page`] | its tables, written from the records; a test compares them |
//! | [`picture`] | its figures |

pub mod measure;
pub mod model;
pub mod page;
pub mod picture;
pub mod read;
