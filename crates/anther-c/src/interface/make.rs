//! Making, opening, saving and closing filters.
// SAFETY of every block in this file: the header says what each pointer must lead to, and
// `pointer` checks what can be checked.

use super::{check_flags, run};
use crate::failure::{Failure, Status};
use crate::filter::{self, Filter, Info, Opening, Plan};
use crate::pointer::{self, Buffer, Bytes};
use crate::settings::Settings;
use crate::{ABI_VERSION, Error};
use anther::{Key, Kind, Open, Threads};
use std::ffi::{c_char, c_int};

/// `ANTHER_OPEN_MAP`.
pub const OPEN_MAP: u32 = 1;
/// `ANTHER_OPEN_ANY`.
pub const OPEN_ANY: u32 = 2;

#[unsafe(no_mangle)]
pub extern "C" fn anther_abi_version() -> u32 {
    ABI_VERSION
}

#[unsafe(no_mangle)]
pub extern "C" fn anther_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn anther_kind_name(index: usize) -> *const c_char {
    filter::kind_name(index).map_or(std::ptr::null(), |name| name.as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_new(
    kind: *const c_char,
    items: u64,
    fpr: f64,
    secret: *const u8,
    options: *const c_char,
    filter: *mut *mut Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(filter, "filter")?;
        // SAFETY: see above.
        let (kind, secret, options) = unsafe { given(kind, secret, options)? };
        let made = Filter::new(kind, items, fpr, secret, &options)?;
        // SAFETY: see above.
        unsafe { give(filter, made) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_build(
    kind: *const c_char,
    keys: *const Bytes,
    count: usize,
    fpr: f64,
    secret: *const u8,
    options: *const c_char,
    threads: u32,
    filter: *mut *mut Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(filter, "filter")?;
        // SAFETY: see above.
        let ((kind, secret, options), keys) =
            unsafe { (given(kind, secret, options)?, pointer::keys(keys, count)?) };
        // SAFETY: see above.
        unsafe { give(filter, build(kind, keys, fpr, secret, &options, threads)?) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_build_u64(
    kind: *const c_char,
    keys: *const u64,
    count: usize,
    fpr: f64,
    secret: *const u8,
    options: *const c_char,
    threads: u32,
    filter: *mut *mut Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(filter, "filter")?;
        // SAFETY: see above.
        let ((kind, secret, options), keys) =
            unsafe { (given(kind, secret, options)?, pointer::array(keys, count, "keys")?) };
        // SAFETY: see above.
        unsafe { give(filter, build(kind, keys, fpr, secret, &options, threads)?) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

fn build<K: Key + Sync>(
    kind: Kind,
    keys: &[K],
    fpr: f64,
    secret: Option<[u8; 16]>,
    settings: &Settings,
    threads: u32,
) -> Result<Filter, Failure> {
    if kind == Kind::Bloomier {
        let text = "a bloomier filter is made of keys and values, which only the program and the \
                    Rust library take";
        return Err(Failure::new(Status::Unsupported, text));
    }
    let threads: Threads = filter::threads(threads, keys.len());
    Filter::build(kind, keys, fpr, secret, settings, threads)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_open(
    path: *const c_char,
    secret: *const u8,
    flags: u32,
    filter: *mut *mut Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(filter, "filter")?;
        check_flags(flags, OPEN_MAP | OPEN_ANY)?;
        // SAFETY: see above.
        let (path, how) = unsafe { (pointer::path(path)?, opening(secret, flags)) };
        let opened = match flags & OPEN_MAP {
            0 => how.file(path)?,
            _ => {
                let about = |error| Failure::from(error).about(path.display());
                // SAFETY: the caller promises that nobody changes the file in place.
                let map = unsafe { anther::FileMap::open(path) };
                let map = map.map_err(anther::LoadError::from).map_err(about)?;
                let open: Open = how.how();
                Filter::of(open.map(&map).map_err(about)?)
            }
        };
        // SAFETY: see above.
        unsafe { give(filter, opened) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_from_bytes(
    data: *const u8,
    len: usize,
    secret: *const u8,
    flags: u32,
    filter: *mut *mut Filter,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(filter, "filter")?;
        check_flags(flags, OPEN_ANY)?;
        // SAFETY: see above.
        let (bytes, how) = unsafe { (pointer::array(data, len, "data")?, opening(secret, flags)) };
        // SAFETY: see above.
        unsafe { give(filter, how.bytes(bytes)?) }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_to_bytes(
    filter: *const Filter,
    buffer: *mut Buffer,
    error: *mut Error,
) -> c_int {
    let work = || {
        pointer::check_out(buffer, "buffer")?;
        // SAFETY: see above.
        let filter = unsafe { pointer::shared(filter, "filter")? };
        let bytes = filter.to_bytes()?;
        // SAFETY: see above.
        unsafe { pointer::write(buffer, Buffer::give(bytes), "buffer")? };
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_buffer_free(buffer: *mut Buffer) {
    let work = || {
        // SAFETY: see above; the buffer comes from `anther_to_bytes` or is empty.
        unsafe { pointer::exclusive(buffer, "buffer")?.free() };
        Ok(0)
    };
    // SAFETY: no error is asked for.
    unsafe { run(std::ptr::null_mut(), work) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_save(
    filter: *const Filter,
    path: *const c_char,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (filter, path) = unsafe { (pointer::shared(filter, "filter")?, pointer::path(path)?) };
        filter.save(path).map_err(|failure| failure.about(path.display()))?;
        Ok(0)
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_close(filter: *mut Filter) {
    let work = || {
        if !filter.is_null() {
            // SAFETY: `give` made the pointer, and the caller uses it no more.
            drop(unsafe { Box::from_raw(filter) });
        }
        Ok(0)
    };
    // SAFETY: no error is asked for.
    unsafe { run(std::ptr::null_mut(), work) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_filter_info(
    filter: *const Filter,
    info: *mut Info,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        unsafe { give_sized(info.cast(), pointer::shared(filter, "filter")?.info(), "info") }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn anther_plan_size(
    kind: *const c_char,
    items: u64,
    fpr: f64,
    options: *const c_char,
    plan: *mut Plan,
    error: *mut Error,
) -> c_int {
    let work = || {
        // SAFETY: see above.
        let (kind, _, settings) = unsafe { given(kind, std::ptr::null(), options)? };
        // SAFETY: see above.
        unsafe { give_sized(plan.cast(), filter::plan(kind, items, fpr, &settings)?, "plan") }
    };
    // SAFETY: see above.
    unsafe { run(error, work) }
}

/// Writes as many bytes of a struct as the caller knows. Its first field is that number. Fields that
/// only a newer caller knows become 0.
///
/// # Safety
/// The pointer is null or leads to a `usize` and to as many bytes as that says.
unsafe fn give_sized<T: Copy>(to: *mut usize, value: T, name: &str) -> Result<c_int, Failure> {
    // SAFETY: the caller's promise.
    let size = *unsafe { pointer::exclusive(to, name)? };
    // One field at least.
    if !(size_of::<usize>() + size_of::<u64>()..=1 << 16).contains(&size) {
        let text = format_args!("{name}: its size is {size}; set it to sizeof(anther_{name})");
        return Err(Failure::argument(text));
    }
    let skip = size_of::<usize>();
    let known = size.min(size_of::<T>()) - skip;
    // SAFETY: `known` bytes after the first field are within both, and the caller has `size` bytes.
    // Their number stays.
    unsafe {
        let from = (&raw const value).cast::<u8>().add(skip);
        let to = to.cast::<u8>().add(skip);
        to.copy_from_nonoverlapping(from, known);
        to.add(known).write_bytes(0, size - skip - known);
    }
    Ok(0)
}

/// What all functions that make a filter are given.
///
/// # Safety
/// The texts are null or end with a NUL; the secret is null or has 16 bytes.
unsafe fn given(
    kind: *const c_char,
    secret: *const u8,
    options: *const c_char,
) -> Result<(Kind, Option<[u8; 16]>, Settings), Failure> {
    // SAFETY: the caller's promise.
    unsafe {
        let kind = filter::kind(pointer::text(kind, "kind")?)?;
        let settings = Settings::parse(pointer::text_or_none(options, "options")?)?;
        Ok((kind, pointer::secret(secret), settings))
    }
}

/// # Safety
/// The secret is null or has 16 bytes.
pub(super) unsafe fn opening(secret: *const u8, flags: u32) -> Opening {
    // SAFETY: the caller's promise.
    Opening { secret: unsafe { pointer::secret(secret) }, any: flags & OPEN_ANY != 0 }
}

/// Gives a filter to the caller, who closes it.
///
/// # Safety
/// The pointer leads to memory for a pointer.
pub(super) unsafe fn give<T>(to: *mut *mut T, what: T) -> Result<c_int, Failure> {
    // SAFETY: the caller's promise.
    unsafe { pointer::write(to, Box::into_raw(Box::new(what)), "filter")? };
    Ok(0)
}
