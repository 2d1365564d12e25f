//! The tests, as one program: linking costs more than running them.
#![expect(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "tests")]

mod plain;
mod random;

mod forgeries;
mod golden;
mod laws;
mod update;
