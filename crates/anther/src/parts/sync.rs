//! Atomics, locks and threads: the standard library's.
//!
//! In unit tests that are compiled with `--cfg anther_loom` or `--cfg anther_shuttle` they are those of
//! a model checker, which runs one thread at a time and decides who is next. Loom tries every order,
//! and every value that a load may return under the memory model; Shuttle knows channels, scopes
//! and, here, file locks. The tests are the modules `model`; `cargo xtask threads model` runs them.

#[cfg(all(test, anther_shuttle))]
pub mod mapped;
#[cfg(all(test, anther_shuttle))]
pub mod model;

#[cfg(all(test, anther_loom))]
pub use loom::sync::atomic::AtomicU64;
#[cfg(all(test, anther_shuttle))]
pub use shuttle::sync::{Mutex, atomic::AtomicBool};
#[cfg(not(all(test, any(anther_loom, anther_shuttle))))]
pub use std::sync::atomic::AtomicU64;
#[cfg(not(all(test, anther_shuttle)))]
pub use std::{
    sync::{Mutex, atomic::AtomicBool},
    thread,
};
#[cfg(all(test, anther_shuttle))]
pub use {
    mapped::{AtomicU64, file_lock},
    model::thread,
};

/// Locks of files.
#[cfg(not(all(test, anther_shuttle)))]
pub mod file_lock {
    use std::fs::{File, TryLockError};
    use std::io;

    /// Waits for an exclusive lock.
    pub fn exclusive(file: &File) -> io::Result<()> {
        file.lock()
    }

    /// Waits for a shared lock.
    pub fn shared(file: &File) -> io::Result<()> {
        file.lock_shared()
    }

    /// Takes an exclusive lock, if nobody holds one.
    pub fn try_exclusive(file: &File) -> Result<(), TryLockError> {
        file.try_lock()
    }

    /// Unlocks the file.
    pub fn release(file: &File) -> io::Result<()> {
        file.unlock()
    }
}
