//! Atomics in mapped files and locks of files under Shuttle: before each operation another thread may run, or
//! this one may be killed.
//!
//! Files, their maps and their locks are real. Each thread opens a file by itself, and to the system
//! those are as different as two processes' are. Only waiting for a lock is a loop here, since one
//! thread that waits would stop all.

use shuttle::rand::{Rng, thread_rng};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64 as Real, Ordering};
use std::time::Duration;

shuttle::thread_local! {
    /// After how many operations this thread is killed.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    static IS_DEAD: Cell<bool> = const { Cell::new(false) };
}

/// What a killed thread unwinds with.
struct Killed;

/// Where another thread may go on, and where this one may end.
fn before_operation() {
    // For good: a killed thread ends. Nobody runs between a kill and the end of the process. To the standard library a thread that
    // ran now would be one that panics, and would poison the locks that it holds.
    if IS_DEAD.with(Cell::get) {
        return;
    }
    // Shuttle has no time: this only says "switch, if you like". Its schedulers take `yield_now` as
    // a request to be last, and a fence does nothing at all.
    shuttle::thread::sleep(Duration::ZERO);
    match LEFT.with(Cell::get) {
        Some(0) => {
            LEFT.with(|left| left.set(None));
            IS_DEAD.with(|is_dead| is_dead.set(true));
            // Without the message of a panic.
            resume_unwind(Box::new(Killed));
        }
        Some(left) => LEFT.with(|cell| cell.set(Some(left - 1))),
        None => {}
    }
}

/// Does something that ends at one of its first `most` operations, as by SIGKILL, or gets to its
/// end. What unwinding drops is only closed, as the system does for a process that was killed.
pub fn killed_within<R>(most: u64, work: impl FnOnce() -> R) -> Option<R> {
    let left = thread_rng().gen_range(0..most);
    LEFT.with(|cell| cell.set(Some(left)));
    let result = catch_unwind(AssertUnwindSafe(work));
    LEFT.with(|cell| cell.set(None));
    match result {
        Ok(result) => Some(result),
        Err(panic) if panic.is::<Killed>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// An atomic number anywhere in memory, in a mapped file, too.
#[expect(unnameable_types, reason = "as private as the rest of this module")]
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct AtomicU64(Real);

impl AtomicU64 {
    pub fn load(&self, order: Ordering) -> u64 {
        before_operation();
        self.0.load(order)
    }

    pub fn store(&self, value: u64, order: Ordering) {
        before_operation();
        self.0.store(value, order);
    }

    pub fn fetch_or(&self, bits: u64, order: Ordering) -> u64 {
        before_operation();
        self.0.fetch_or(bits, order)
    }

    pub fn fetch_add(&self, more: u64, order: Ordering) -> u64 {
        before_operation();
        self.0.fetch_add(more, order)
    }
}

/// Locks of files.
pub mod file_lock {
    use super::{IS_DEAD, before_operation};
    use std::cell::Cell;
    use std::fs::{File, TryLockError};
    use std::io;

    fn wait(try_lock: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
        loop {
            before_operation();
            match try_lock() {
                Err(TryLockError::WouldBlock) => shuttle::thread::yield_now(),
                Err(TryLockError::Error(error)) => return Err(error),
                Ok(()) => return Ok(()),
            }
        }
    }

    pub fn exclusive(file: &File) -> io::Result<()> {
        wait(|| file.try_lock())
    }

    pub fn shared(file: &File) -> io::Result<()> {
        wait(|| file.try_lock_shared())
    }

    pub fn try_exclusive(file: &File) -> Result<(), TryLockError> {
        before_operation();
        match IS_DEAD.with(Cell::get) {
            true => Err(TryLockError::WouldBlock),
            false => file.try_lock(),
        }
    }

    pub fn release(file: &File) -> io::Result<()> {
        before_operation();
        file.unlock()
    }
}
