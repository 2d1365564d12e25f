//! Changes: one thread at a time.
// SAFETY of every block in this file: the header says what each pointer must lead to, and
// `pointer` checks what can be checked.

use super::run;
use crate::Error;
use crate::filter::{self, Filter};
use crate::pointer::{self, Bytes};
use anther::KeyHash;
use std::ffi::c_int;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_insert(
    filter: *mut Filter,
    data: *const u8,
    len: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, key) =
            unsafe { (pointer::exclusive(filter, "filter")?, pointer::array(data, len, "data")?) };
        Ok(filter.insert(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_insert_u64(
    filter: *mut Filter,
    key: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::exclusive(filter, "filter")? };
        Ok(filter.insert(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_insert_hash(
    filter: *mut Filter,
    hash: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::exclusive(filter, "filter")? };
        Ok(filter.any.insert_hash(KeyHash(hash))?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_insert_many(
    filter: *mut Filter,
    keys: *const Bytes,
    count: usize,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, keys) =
            unsafe { (pointer::exclusive(filter, "filter")?, pointer::keys(keys, count)?) };
        filter.insert_many(keys, filter::threads(threads, count))?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_insert_many_u64(
    filter: *mut Filter,
    keys: *const u64,
    count: usize,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, keys) = unsafe {
            (pointer::exclusive(filter, "filter")?, pointer::array(keys, count, "keys")?)
        };
        filter.insert_many(keys, filter::threads(threads, count))?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_insert_many_hash(
    filter: *mut Filter,
    hashes: *const u64,
    count: usize,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, hashes) = unsafe {
            (
                pointer::exclusive(filter, "filter")?,
                pointer::array(hashes.cast::<KeyHash>(), count, "hashes")?,
            )
        };
        filter.any.bulk_insert_hashes(hashes, filter::threads(threads, count))?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_remove(
    filter: *mut Filter,
    data: *const u8,
    len: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, key) =
            unsafe { (pointer::exclusive(filter, "filter")?, pointer::array(data, len, "data")?) };
        Ok(filter.remove(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_remove_u64(
    filter: *mut Filter,
    key: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::exclusive(filter, "filter")? };
        Ok(filter.remove(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_remove_hash(
    filter: *mut Filter,
    hash: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let filter = unsafe { pointer::exclusive(filter, "filter")? };
        Ok(filter.any.remove_hash(KeyHash(hash))?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_merge(
    filter: *mut Filter,
    other: *const Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        let same = std::ptr::eq(filter, other);
        // SAFETY: see above.
        let filter = unsafe { pointer::exclusive(filter, "filter")? };
        // SAFETY: see above; two references to the same filter there must not be.
        let other = if same { None } else { Some(unsafe { pointer::shared(other, "other")? }) };
        filter.merge(other)?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}
