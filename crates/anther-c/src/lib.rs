//! Anther's filters for C, C++ and Go: `include/anther.h` is the documentation.
//!
//! | file | what it does |
//! |---|---|
//! | `interface` | the exported functions: pointers to Rust and back, nothing else |
//! | `pointer` | checks what C allows to check of a pointer |
//! | `filter`, `shared` | what the functions do, without a pointer |
//! | `settings` | the text `name=value,name=value` |
//! | `failure` | codes, texts, and the one place that stops a panic |

mod failure;
mod filter;
pub mod interface;
mod pointer;
mod settings;
mod shared;

pub use failure::{Error, Status};
pub use filter::{Filter, Info, Plan};
pub use pointer::{Buffer, Bytes};
pub use shared::Shared;

/// Changes when a program that was compiled with an older header would break.
pub const ABI_VERSION: u32 = 1;
