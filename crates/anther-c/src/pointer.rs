//! Pointers of C, checked as far as C allows: null, lengths that no array has, alignment. That
//! they lead to what the header says is the caller's promise.
#![expect(unsafe_code, reason = "pointers of C")]

use crate::failure::{Error, Failure};
use anther::recipe::Given;
use anther::{Key, KeyHash, Seed};
use std::ffi::{CStr, c_char};
use std::path::Path;

/// `anther_bytes`: a key that the caller owns.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bytes {
    /// The first byte; may be null if there is none.
    pub data: *const u8,
    /// How many.
    pub len: usize,
}

/// `anther_buffer`: bytes that the library allocated.
#[derive(Debug)]
#[repr(C)]
pub struct Buffer {
    /// The first byte.
    pub data: *mut u8,
    /// How many.
    pub len: usize,
}

impl Buffer {
    pub(crate) fn give(bytes: Vec<u8>) -> Buffer {
        let bytes = bytes.into_boxed_slice();
        Buffer { len: bytes.len(), data: Box::into_raw(bytes).cast() }
    }

    /// Frees the bytes and leaves none.
    ///
    /// # Safety
    /// They come from [`Buffer::give`], or there are none.
    pub(crate) unsafe fn free(&mut self) {
        if !self.data.is_null() {
            let bytes = std::ptr::slice_from_raw_parts_mut(self.data, self.len);
            // SAFETY: `give` made the pointer and the length from a box.
            drop(unsafe { Box::from_raw(bytes) });
        }
        *self = Buffer { data: std::ptr::null_mut(), len: 0 };
    }
}

/// A key of a checked array.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct CheckedKey(Bytes);

// SAFETY: the bytes are only read, and the caller keeps them until the call returns.
unsafe impl Sync for CheckedKey {}

impl CheckedKey {
    #[inline]
    fn bytes(&self) -> &[u8] {
        match self.0.len {
            0 => &[],
            // SAFETY: `keys` has checked pointer and length, and the caller promises the bytes.
            len => unsafe { std::slice::from_raw_parts(self.0.data, len) },
        }
    }
}

impl Key for CheckedKey {
    #[inline]
    fn key_hash(&self, seed: &Seed) -> KeyHash {
        self.bytes().key_hash(seed)
    }

    #[inline]
    fn prefetch(&self) {
        self.bytes().prefetch();
    }

    fn frame(&self, out: &mut Vec<u8>) {
        self.bytes().frame(out);
    }

    #[inline]
    fn given(&self) -> Option<Given<'_>> {
        self.bytes().given()
    }
}

/// What an object of the caller or of the library is, unless it is null.
///
/// # Safety
/// The pointer is null or leads to a `T` that nobody changes meanwhile.
#[inline]
pub(crate) unsafe fn shared<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's promise.
    unsafe { aligned(pointer, name)?.as_ref() }.ok_or_else(|| null(name))
}

/// The same for an object that is changed.
///
/// # Safety
/// The pointer is null or leads to a `T` that nobody else uses meanwhile.
#[inline]
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, Failure> {
    aligned(pointer, name)?;
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// An array.
///
/// # Safety
/// The pointer leads to `count` values of type `T`, which nobody changes meanwhile.
#[inline]
pub(crate) unsafe fn array<'a, T>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(pointer, count, name)?;
    // SAFETY: checked, and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// An array of answers for keys of type `K`, all of them "maybe" so far: the caller may not have
/// initialised it, and anything but 0 and 1 is no `bool`. A number of keys that no array has is
/// refused before anything is written.
///
/// # Safety
/// The pointer leads to `count` bytes, which nobody else uses meanwhile.
pub(crate) unsafe fn answers<'a, K>(
    pointer: *mut u8,
    count: usize,
    name: &str,
) -> Result<&'a mut [bool], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(pointer, count, name)?;
    check_length::<K>(count, "keys")?;
    // SAFETY: checked, and the caller's promise; `true` is a byte of 1.
    unsafe {
        pointer.write_bytes(1, count);
        Ok(std::slice::from_raw_parts_mut(pointer.cast(), count))
    }
}

/// An array of keys, each of them checked.
///
/// # Safety
/// The pointer leads to `count` values of type `Bytes`, and each of them to its bytes; nobody changes
/// them.
pub(crate) unsafe fn keys<'a>(
    pointer: *const Bytes,
    count: usize,
) -> Result<&'a [CheckedKey], Failure> {
    // SAFETY: the caller's promise.
    let keys = unsafe { array(pointer, count, "keys")? };
    for (at, key) in keys.iter().enumerate() {
        if key.len > 0 {
            check_array(key.data, key.len, "its data")
                .map_err(|failure| failure.about(format_args!("key {at}")))?;
        }
    }
    // SAFETY: the same layout, and each is checked.
    Ok(unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), keys.len()) })
}

/// A text that ends with a NUL.
///
/// # Safety
/// The pointer is null or leads to such a text.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Failure> {
    // SAFETY: the caller's promise.
    let text = unsafe { c_text(pointer, name)? };
    text.to_str().map_err(|_| Failure::argument(format_args!("{name} is not UTF-8")))
}

/// The same where null is the empty text.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn text_or_none<'a>(
    pointer: *const c_char,
    name: &str,
) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Ok("");
    }
    // SAFETY: the caller's promise.
    unsafe { text(pointer, name) }
}

/// A path, which on Unix need not be UTF-8.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn path<'a>(pointer: *const c_char) -> Result<&'a Path, Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: the caller's promise.
        let text = unsafe { c_text(pointer, "path")? };
        Ok(Path::new(std::ffi::OsStr::from_bytes(text.to_bytes())))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the caller's promise.
        unsafe { text(pointer, "path") }.map(Path::new)
    }
}

unsafe fn c_text<'a>(pointer: *const c_char, name: &str) -> Result<&'a CStr, Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// A secret key of 16 bytes, unless the pointer is null.
///
/// # Safety
/// The pointer is null or leads to 16 bytes.
pub(crate) unsafe fn secret(pointer: *const u8) -> Option<[u8; 16]> {
    // SAFETY: the caller's promise; bytes have no alignment.
    unsafe { pointer.cast::<[u8; 16]>().as_ref() }.copied()
}

/// Writes a result.
///
/// # Safety
/// The pointer is null or leads to memory for a `T`, initialised or not.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    aligned(pointer, name)?;
    // SAFETY: the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Whether a result can be written: asked before the work is done.
pub(crate) fn check_out<T>(pointer: *mut T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() { Err(null(name)) } else { aligned(pointer, name).map(drop) }
}

/// Writes an error, if the caller wants it.
///
/// # Safety
/// The pointer is null or leads to memory for an error.
#[cold]
pub(crate) unsafe fn report(pointer: *mut Error, error: Error) {
    if !pointer.is_null() && pointer.is_aligned() {
        // SAFETY: the caller's promise.
        unsafe { pointer.write(error) };
    }
}

#[inline]
fn aligned<T>(pointer: *const T, name: &str) -> Result<*const T, Failure> {
    if pointer.is_aligned() { Ok(pointer) } else { Err(misaligned::<T>(name)) }
}

#[inline]
fn check_array<T>(pointer: *const T, count: usize, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    aligned(pointer, name)?;
    check_length::<T>(count, name)
}

#[inline]
fn check_length<T>(count: usize, name: &str) -> Result<(), Failure> {
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX.cast_unsigned() => Ok(()),
        _ => Err(too_long(count, name)),
    }
}

#[cold]
fn null(name: &str) -> Failure {
    Failure::argument(format_args!("{name} is a null pointer"))
}

#[cold]
fn misaligned<T>(name: &str) -> Failure {
    Failure::argument(format_args!("{name} is not at a multiple of {} bytes", align_of::<T>()))
}

#[cold]
fn too_long(count: usize, name: &str) -> Failure {
    Failure::argument(format_args!("{name} cannot have a length of {count}"))
}
