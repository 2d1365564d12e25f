//! The exported functions. `include/anther.h` documents them; a test compares both.
//!
//! Each does the same: pointers to Rust, one call, the result back, all inside of
//! `failure::guard`.
#![expect(unsafe_code, reason = "the interface to C")]
#![expect(clippy::missing_safety_doc, reason = "the header says what a caller promises")]
#![expect(missing_docs, reason = "the header documents them")]

pub mod change;
pub mod lookup;
pub mod make;
pub mod shared;

use crate::failure::{Failure, guard};
use crate::{Error, pointer};
use std::ffi::c_int;

/// Runs a function and reports its failure.
///
/// # Safety
/// The pointer is null or leads to memory for an error.
#[inline]
unsafe fn run(error: *mut Error, work: impl FnOnce() -> Result<c_int, Failure>) -> c_int {
    // SAFETY: the caller's promise.
    guard(|failed| unsafe { pointer::report(error, failed) }, work)
}

/// Runs a function that answers for `count` keys of a type. On any failure, even a panic, all answers
/// are "maybe".
///
/// # Safety
/// As for [`run`]; `found` is null or leads to `count` bytes, which nobody else uses meanwhile.
unsafe fn answer<K>(
    found: *mut u8,
    count: usize,
    error: *mut Error,
    work: impl FnOnce(&mut [bool]) -> Result<(), Failure>,
) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { pointer::answers::<K>(found, count, "found") } {
        Ok(found) => {
            // SAFETY: the caller's promise.
            let code = unsafe { run(error, || work(found).map(|()| 0)) };
            if code < 0 {
                found.fill(true);
            }
            code
        }
        // SAFETY: the caller's promise.
        Err(failure) => unsafe { run(error, || Err(failure)) },
    }
}

/// The bits of a flags argument, if no other is set.
fn check_flags(flags: u32, known: u32) -> Result<(), Failure> {
    match flags & !known {
        0 => Ok(()),
        other => Err(Failure::argument(format_args!("flags: no such flag, {other:#x}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_panic_all_answers_are_maybe() {
        let mut found = [0; 3];
        let work = |found: &mut [bool]| {
            found.fill(false);
            panic!("cell {} is missing", 7)
        };
        // SAFETY: there are three answers, and no error is asked for.
        let code = unsafe { answer::<u64>(found.as_mut_ptr(), 3, std::ptr::null_mut(), work) };
        assert_eq!((code, found), (-12, [1; 3]));
    }
}
