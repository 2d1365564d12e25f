//! Filters that many threads or processes insert into at once.
// SAFETY of every block in this file: the header says what each pointer must lead to, and
// `pointer` checks what can be checked.

use super::make::{OPEN_ANY, give, opening};
use super::{answer, check_flags, run};
use crate::failure::{Failure, Status};
use crate::filter::{self, Filter};
use crate::pointer::{self, Bytes};
use crate::shared::Place;
use crate::{Error, Shared};
use anther::{AnyFilter, AnyShared, Blocked, NotShared, Target};
use std::ffi::{c_char, c_int};

/// `ANTHER_SHARED_INSERT`.
pub const SHARED_INSERT: u32 = 4;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_share(
    filter: *mut *mut Filter,
    shared: *mut *mut Shared,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(shared, "shared")?;
        // SAFETY: see above.
        let owner = unsafe { pointer::exclusive(filter, "filter")? };
        // SAFETY: see above.
        let taken = unsafe { pointer::exclusive(*owner, "filter")? };
        let none = AnyFilter::from(Blocked::new(Target::new(1, 0.5)?)?);
        let made = match AnyShared::try_from(std::mem::replace(&mut taken.any, none)) {
            Ok(made) => made,
            // Back where it was: nothing has changed.
            Err(NotShared::Kind(back)) => {
                let kind = back.kind();
                taken.any = *back;
                let text = format_args!(
                    "only one thread can insert into {} {kind} filter",
                    kind.article()
                );
                return Err(Failure::new(Status::Unsupported, text));
            }
            Err(lost) => {
                // SAFETY: `give` made the pointer; nothing is left in it.
                drop(unsafe { Box::from_raw(std::mem::replace(owner, std::ptr::null_mut())) });
                return Err(lost.into());
            }
        };
        // SAFETY: `give` made the pointer; nothing is left in it.
        drop(unsafe { Box::from_raw(std::mem::replace(owner, std::ptr::null_mut())) });
        // SAFETY: see above.
        unsafe { give(shared, Shared::of(Place::Memory(made))) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_unshare(
    shared: *mut *mut Shared,
    filter: *mut *mut Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(filter, "filter")?;
        // SAFETY: see above.
        let owner = unsafe { pointer::exclusive(shared, "shared")? };
        // SAFETY: see above.
        if !matches!(unsafe { pointer::shared(*owner, "shared")? }.place, Place::Memory(_)) {
            let text = "a shared file stays one; close it, and open it with anther_open";
            return Err(Failure::new(Status::Unsupported, text));
        }
        // SAFETY: `give` made the pointer.
        let taken = unsafe { Box::from_raw(std::mem::replace(owner, std::ptr::null_mut())) };
        let Place::Memory(taken) = taken.place else { return Ok(0) };
        // SAFETY: see above.
        unsafe { give(filter, Filter::of(taken.into())) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_open(
    path: *const c_char,
    secret: *const u8,
    flags: u32,
    shared: *mut *mut Shared,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(shared, "shared")?;
        check_flags(flags, SHARED_INSERT | OPEN_ANY)?;
        // SAFETY: see above.
        let (path, how) = unsafe { (pointer::path(path)?, opening(secret, flags)) };
        let opened = Shared::open(path, &how, flags & SHARED_INSERT != 0)?;
        // SAFETY: see above.
        unsafe { give(shared, opened) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_close(shared: *mut Shared, error: *mut Error) -> c_int {
    let work = || {
        if shared.is_null() {
            return Ok(0);
        }
        // SAFETY: `give` made the pointer, and the caller uses it no more.
        match unsafe { Box::from_raw(shared) }.place {
            Place::File(file) => {
                let closed = file.close();
                closed.map_err(|error| Failure::new(Status::Io, error))?;
            }
            other => drop(other),
        }
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_contains(
    shared: *const Shared,
    data: *const u8,
    len: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (shared, key) =
            unsafe { (pointer::shared(shared, "shared")?, pointer::array(data, len, "data")?) };
        Ok(shared.contains(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_contains_u64(
    shared: *const Shared,
    key: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let shared = unsafe { pointer::shared(shared, "shared")? };
        Ok(shared.contains(key)?.into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_contains_many(
    shared: *const Shared,
    keys: *const Bytes,
    count: usize,
    found: *mut u8,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = |found: &mut [bool]| {
        // SAFETY: see above.
        let (shared, keys) =
            unsafe { (pointer::shared(shared, "shared")?, pointer::keys(keys, count)?) };
        shared.contains_many(keys, found, filter::threads(threads, count))
    };
    // SAFETY: see above.
    unsafe { answer::<Bytes>(found, count, error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_contains_many_u64(
    shared: *const Shared,
    keys: *const u64,
    count: usize,
    found: *mut u8,
    threads: u32,
    error: *mut Error,
) -> c_int {
    let work = |found: &mut [bool]| {
        // SAFETY: see above.
        let (shared, keys) =
            unsafe { (pointer::shared(shared, "shared")?, pointer::array(keys, count, "keys")?) };
        shared.contains_many(keys, found, filter::threads(threads, count))
    };
    // SAFETY: see above.
    unsafe { answer::<u64>(found, count, error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_insert(
    shared: *const Shared,
    data: *const u8,
    len: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (shared, key) =
            unsafe { (pointer::shared(shared, "shared")?, pointer::array(data, len, "data")?) };
        Ok((shared.insert_many(&[key])? > 0).into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_insert_u64(
    shared: *const Shared,
    key: u64,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let shared = unsafe { pointer::shared(shared, "shared")? };
        Ok((shared.insert_many(&[key])? > 0).into())
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_insert_many(
    shared: *const Shared,
    keys: *const Bytes,
    count: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (shared, keys) =
            unsafe { (pointer::shared(shared, "shared")?, pointer::keys(keys, count)?) };
        shared.insert_many(keys)?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_shared_insert_many_u64(
    shared: *const Shared,
    keys: *const u64,
    count: usize,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (shared, keys) =
            unsafe { (pointer::shared(shared, "shared")?, pointer::array(keys, count, "keys")?) };
        shared.insert_many(keys)?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}
