//! The library's tests, as one program: linking costs more than running most of them. `format` and `foreign` are programs
//! of their own, since each counts what is allocated. Some of them alone: `cargo test -p anther --test tests golden::`.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

#[allow(clippy::allow_attributes, dead_code, reason = "each test program uses a part of it")]
mod support;

mod accuracy;
mod golden;
mod hashes;
mod iblt;
#[path = "laws/main.rs"]
mod laws;
mod layers;
mod long;
mod murmur;
mod papers;
mod range;
mod readme;
mod remote;
mod security;
mod serde;
mod shared_file;
mod sketch;
mod soak;
mod texts;
