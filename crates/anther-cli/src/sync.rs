//! Channels, locks and threads: the standard library's.
//!
//! In unit tests that are compiled with `--cfg anther_shuttle` they are those of Shuttle, which runs one
//! thread at a time and decides who is next. The tests are the modules `model`;
//! `cargo xtask threads model` runs them.

#[cfg(all(test, anther_shuttle))]
#[path = "../../anther/src/parts/sync/model.rs"]
pub mod model;

#[cfg(all(test, anther_shuttle))]
pub use model::thread;
#[cfg(all(test, anther_shuttle))]
pub use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic::AtomicUsize, mpsc};
#[cfg(all(feature = "index", not(all(test, anther_shuttle))))]
pub use std::sync::{Condvar, MutexGuard, atomic::AtomicUsize};
#[cfg(not(all(test, anther_shuttle)))]
pub use std::{
    sync::{Mutex, mpsc},
    thread,
};
