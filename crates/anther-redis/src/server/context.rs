//! The context of a call: replies, replication, and what the server is doing.

use super::Argument;
use redis_module::raw;
use std::ffi::{CStr, c_int, c_long};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// The context of a call.
#[derive(Clone, Copy)]
pub struct Context<'a>(pub(super) NonNull<raw::RedisModuleCtx>, PhantomData<&'a ()>);

/// Replies. None of them can fail: the server ignores them if the client is gone.
impl<'a> Context<'a> {
    /// The context that the server passed.
    ///
    /// # Safety
    /// The pointer is the server's and stays valid for `'a`.
    pub(super) unsafe fn new(context: *mut raw::RedisModuleCtx) -> Option<Context<'a>> {
        Some(Context(NonNull::new(context)?, PhantomData))
    }

    pub(super) fn raw(self) -> *mut raw::RedisModuleCtx {
        self.0.as_ptr()
    }

    /// `OK`.
    pub fn ok(self) {
        self.simple(c"OK");
    }

    /// A line of text that is no data.
    pub fn simple(self, text: &CStr) {
        // SAFETY: the server copies the text.
        unsafe { api!(RedisModule_ReplyWithSimpleString(self.raw(), text.as_ptr())) };
    }

    /// A boolean in RESP3, 1 or 0 in RESP2.
    #[inline]
    pub fn boolean(self, value: bool) {
        // SAFETY: the context is valid during the call.
        unsafe { api!(RedisModule_ReplyWithBool(self.raw(), c_int::from(value))) };
    }

    /// An integer.
    #[inline]
    pub fn integer(self, value: i64) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplyWithLongLong(self.raw(), value)) };
    }

    /// A count, which no client can represent above 2⁶³.
    pub fn count(self, value: u64) {
        self.integer(i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// A number: a double in RESP3, text in RESP2.
    pub fn double(self, value: f64) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplyWithDouble(self.raw(), value)) };
    }

    /// Bytes.
    pub fn bytes(self, bytes: &[u8]) {
        // SAFETY: the server copies the bytes.
        unsafe {
            api!(RedisModule_ReplyWithStringBuffer(self.raw(), bytes.as_ptr().cast(), bytes.len()));
        }
    }

    /// Null.
    pub fn null(self) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplyWithNull(self.raw())) };
    }

    /// An error, with its code: `ERR …`.
    pub fn error(self, text: &CStr) {
        // SAFETY: the server copies the text.
        unsafe { api!(RedisModule_ReplyWithError(self.raw(), text.as_ptr())) };
    }

    /// The error for a wrong number of arguments.
    pub fn wrong_arity(self) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_WrongArity(self.raw())) };
    }

    /// The beginning of an array of this many elements, which follow.
    pub fn array(self, len: usize) {
        let len = c_long::try_from(len).unwrap_or(c_long::MAX);
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplyWithArray(self.raw(), len)) };
    }

    /// The beginning of an array whose length is told at its end.
    pub fn open_array(self) {
        let unknown = c_long::from(raw::REDISMODULE_POSTPONED_LEN);
        // SAFETY: as above; commands call `close_array`.
        unsafe { api!(RedisModule_ReplyWithArray(self.raw(), unknown)) };
    }

    /// The end of an array that [`open_array`](Context::open_array) began.
    pub fn close_array(self, len: usize) {
        let len = c_long::try_from(len).unwrap_or(c_long::MAX);
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplySetArrayLength(self.raw(), len)) };
    }

    /// The beginning of a map of this many pairs; in RESP2 an array of twice as many.
    pub fn map(self, pairs: usize) {
        let pairs = c_long::try_from(pairs).unwrap_or(c_long::MAX);
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplyWithMap(self.raw(), pairs)) };
    }
}

/// Replication.
impl Context<'_> {
    /// Sends the command as it came to replicas and to the AOF.
    pub fn replicate_verbatim(self) {
        // SAFETY: as above.
        unsafe { api!(RedisModule_ReplicateVerbatim(self.raw())) };
    }

    /// Sends another command to replicas and to the AOF. Several of them are one transaction.
    pub fn replicate(self, command: &CStr, arguments: &[&[u8]]) {
        let made: Vec<_> = arguments
            .iter()
            // SAFETY: the server copies the bytes. Without a context, the string is ours to free.
            .map(|bytes| unsafe {
                api!(RedisModule_CreateString(ptr::null_mut(), bytes.as_ptr().cast(), bytes.len()))
            })
            .collect();
        // SAFETY: `v` takes an array of strings and its length. Each string is freed once.
        unsafe {
            api!(RedisModule_Replicate(
                self.raw(),
                command.as_ptr(),
                c"v".as_ptr(),
                made.as_ptr(),
                made.len()
            ));
            for string in made {
                api!(RedisModule_FreeString(ptr::null_mut(), string));
            }
        }
    }
}

/// The server's state.
impl Context<'_> {
    /// Whether the data comes from a primary, an AOF or an RDB: it was accepted before, and refusing
    /// it now would make this copy differ.
    pub fn is_copying(self) -> bool {
        let copying = raw::REDISMODULE_CTX_FLAGS_LOADING
            | raw::REDISMODULE_CTX_FLAGS_REPLICATED
            | raw::REDISMODULE_CTX_FLAGS_SLAVE;
        // SAFETY: as above.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.raw())) };
        flags.cast_unsigned() & copying != 0
    }

    /// Whether the client speaks RESP3.
    pub fn is_resp3(self) -> bool {
        // SAFETY: as above.
        let flags = unsafe { api!(RedisModule_GetContextFlags(self.raw())) };
        flags.cast_unsigned() & raw::REDISMODULE_CTX_FLAGS_RESP3 != 0
    }

    /// Milliseconds since 1970, by the server's clock.
    pub fn now(self) -> u64 {
        // SAFETY: takes nothing.
        let now = unsafe { api!(RedisModule_Milliseconds()) };
        now.cast_unsigned()
    }

    /// Tells the server that a key changed: clients that watch or cache it, and subscribers of the
    /// event.
    pub fn changed(self, key: Argument<'_>, event: &CStr) {
        let module = raw::REDISMODULE_NOTIFY_MODULE;
        // SAFETY: the server copies both.
        unsafe {
            api!(RedisModule_SignalModifiedKey(self.raw(), key.0));
            api!(RedisModule_NotifyKeyspaceEvent(self.raw(), module, event.as_ptr(), key.0));
        }
    }

    /// Writes a line to the server's log.
    pub fn log(self, level: &CStr, text: &CStr) {
        // SAFETY: the format takes one string.
        unsafe {
            api!(RedisModule_Log(self.raw(), level.as_ptr(), c"%s".as_ptr(), text.as_ptr()));
        }
    }
}
