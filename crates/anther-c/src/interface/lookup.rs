//! Lookups: any number of threads at once.
// SAFETY of every block in this file: the header says what each pointer must lead to, and
// `pointer` checks what can be checked.

use super::{answer, run};
use crate::Error;
use crate::filter::{self, Filter};
use crate::pointer::{self, Bytes};
use anther::{Filter as _, KeyHash};
use std::ffi::c_int;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_contains(
    filter: *const Filter,
    data: *const u8,
    len: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, key) =
            unsafe { (pointer::shared(filter, "filter")?, pointer::array(data, len, "data")?) };
        Ok(filter.contains(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_contains_u64(
    filter: *const Filter,
    key: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::shared(filter, "filter")? };
        Ok(filter.contains(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_contains_hash(
    filter: *const Filter,
    hash: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::shared(filter, "filter")? };
        Ok(filter.any.contains_hash(KeyHash(hash)).into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_contains_many(
    filter: *const Filter,
    keys: *const Bytes,
    count: usize,
    found: *mut u8,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = |found: &mut [bool]| {
        // SAFETY: see above.
        let (filter, keys) =
            unsafe { (pointer::shared(filter, "filter")?, pointer::keys(keys, count)?) };
        filter.contains_many(keys, found, filter::threads(threads, count))
    };
    // SAFETY: see above.
    unsafe { answer::<Bytes>(found, count, error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_contains_many_u64(
    filter: *const Filter,
    keys: *const u64,
    count: usize,
    found: *mut u8,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = |found: &mut [bool]| {
        // SAFETY: see above.
        let (filter, keys) =
            unsafe { (pointer::shared(filter, "filter")?, pointer::array(keys, count, "keys")?) };
        filter.contains_many(keys, found, filter::threads(threads, count))
    };
    // SAFETY: see above.
    unsafe { answer::<u64>(found, count, error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_contains_many_hash(
    filter: *const Filter,
    hashes: *const u64,
    count: usize,
    found: *mut u8,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = |found: &mut [bool]| {
        // SAFETY: see above.
        let (filter, hashes) = unsafe {
            (
                pointer::shared(filter, "filter")?,
                pointer::array(hashes.cast::<KeyHash>(), count, "hashes")?,
            )
        };
        filter.contains_hashes(hashes, found, filter::threads(threads, count));
        Ok(())
    };
    // SAFETY: see above.
    unsafe { answer::<KeyHash>(found, count, error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_hash(
    filter: *const Filter,
    data: *const u8,
    len: usize,
    hash: *mut u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, key) =
            unsafe { (pointer::shared(filter, "filter")?, pointer::array(data, len, "data")?) };
        let made = filter.hash(key)?;
        // SAFETY: see above.
        unsafe { pointer::write(hash, made.0, "hash")? };
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_hash_u64(
    filter: *const Filter,
    key: u64,
    hash: *mut u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::shared(filter, "filter")? };
        let made = filter.hash(key)?;
        // SAFETY: see above.
        unsafe { pointer::write(hash, made.0, "hash")? };
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_count(
    filter: *const Filter,
    data: *const u8,
    len: usize,
    count: *mut u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, key) =
            unsafe { (pointer::shared(filter, "filter")?, pointer::array(data, len, "data")?) };
        let counted = filter.any.count_hash(filter.hash(key)?)?;
        // SAFETY: see above.
        unsafe { pointer::write(count, counted, "count")? };
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_count_u64(
    filter: *const Filter,
    key: u64,
    count: *mut u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::shared(filter, "filter")? };
        let counted = filter.any.count_hash(filter.hash(key)?)?;
        // SAFETY: see above.
        unsafe { pointer::write(count, counted, "count")? };
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_get(
    filter: *const Filter,
    data: *const u8,
    len: usize,
    value: *mut u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, key) =
            unsafe { (pointer::shared(filter, "filter")?, pointer::array(data, len, "data")?) };
        let found = filter.any.get_hash(filter.hash(key)?)?;
        // SAFETY: see above.
        unsafe { pointer::write(value, found.unwrap_or(0), "value")? };
        Ok(found.is_some().into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_get_u64(
    filter: *const Filter,
    key: u64,
    value: *mut u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::shared(filter, "filter")? };
        let found = filter.any.get_hash(filter.hash(key)?)?;
        // SAFETY: see above.
        unsafe { pointer::write(value, found.unwrap_or(0), "value")? };
        Ok(found.is_some().into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}
