//! An argument of a command, read in place.

use redis_module::raw;
use std::marker::PhantomData;
use std::slice;

/// An argument of a command: the server's string, which lives as long as the call.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Argument<'a>(pub(super) *mut raw::RedisModuleString, PhantomData<&'a [u8]>);

impl<'a> Argument<'a> {
    /// The arguments of a call.
    ///
    /// # Safety
    /// `argv` points to `argc` strings, which live for `'a`.
    pub(super) unsafe fn all(
        argv: *mut *mut raw::RedisModuleString,
        argc: i32,
    ) -> &'a [Argument<'a>] {
        // A module that is loaded without arguments gets a null pointer, of which no slice can be made.
        if argv.is_null() {
            return &[];
        }
        // SAFETY: by the caller; an `Argument` has the layout of a pointer.
        unsafe { slice::from_raw_parts(argv.cast(), usize::try_from(argc).unwrap_or(0)) }
    }

    /// Its bytes.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        let mut len = 0;
        // SAFETY: the string lives for `'a`, and no command changes its arguments.
        unsafe {
            let start = api!(RedisModule_StringPtrLen(self.0, &raw mut len));
            slice::from_raw_parts(start.cast(), len)
        }
    }

    /// Whether it is this word, whatever its case.
    pub fn is(self, word: &str) -> bool {
        self.bytes().eq_ignore_ascii_case(word.as_bytes())
    }

    /// As text; `None` if it is not UTF-8.
    pub fn text(self) -> Option<&'a str> {
        str::from_utf8(self.bytes()).ok()
    }

    /// As an integer in the one form that the server accepts: no sign +, no leading zeros.
    pub fn integer(self) -> Option<i64> {
        let text = self.text()?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && (digits == text || digits != "0")
            && (digits == "0" || !digits.starts_with('0'));
        text.parse().ok().filter(|_| plain)
    }

    /// As a number.
    pub fn number(self) -> Option<f64> {
        self.text()?.parse().ok()
    }
}
