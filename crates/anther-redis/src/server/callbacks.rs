//! The callbacks of the two data types.

use super::Context;
use super::stream::{self, RdbFields};
use redis_module::raw;
use std::ffi::{CStr, c_int, c_void};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What the server does with an object of a data type.
pub trait Object: Sized + 'static {
    /// The type's name in files: nine characters.
    const NAME: &'static CStr;
    /// The command that restores an object from an AOF without a preamble.
    const LOADCHUNK: &'static CStr;

    /// The type, as the server knows it.
    fn object_type() -> &'static ObjectType;

    /// Writes the object in our encoding.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Reads what [`save`](Object::save) wrote, and trusts none of it.
    fn load(source: &mut dyn Read) -> Option<Self>;

    /// Reads what RedisBloom wrote with this encoding version, and trusts none of it.
    fn load_old(fields: &mut RdbFields, version: u32) -> Option<Self>;

    /// Passes the object to `each` as arguments of [`LOADCHUNK`](Object::LOADCHUNK).
    fn chunks(&self, each: &mut dyn FnMut(i64, &[u8])) -> io::Result<()>;

    /// Bytes in memory.
    fn memory(&self) -> usize;

    /// Number of allocations, or as many as take as long to free.
    fn free_effort(&self) -> usize;

    /// A copy; `None` if there is no memory for it.
    fn copy(&self) -> Option<Self>;

    /// Whether the object is larger than the configuration allows.
    fn is_too_large(&self) -> bool;
}

/// The encoding version of our objects. RedisBloom's releases write 4, and its development branch 5
/// with other fields; ours is far above, of the 1023 that there are.
const ENCODING: u32 = 512;

/// A data type, as the server knows it once it is registered.
pub struct ObjectType(AtomicPtr<raw::RedisModuleType>);

impl ObjectType {
    /// Before it is registered.
    pub const fn unregistered() -> ObjectType {
        ObjectType(AtomicPtr::new(ptr::null_mut()))
    }

    #[inline]
    pub(super) fn get(&self) -> *mut raw::RedisModuleType {
        self.0.load(Ordering::Relaxed)
    }
}

/// Registers a data type. False if the server has one of this name already, as RedisBloom's.
pub(super) fn register<T: Object>(context: Context<'_>) -> bool {
    let mut methods = raw::RedisModuleTypeMethods {
        // The version of Redis 7.0; a server reads the fields of the versions it knows.
        version: 4,
        rdb_load: Some(rdb_load::<T>),
        rdb_save: Some(rdb_save::<T>),
        aof_rewrite: Some(aof_rewrite::<T>),
        mem_usage: Some(mem_usage::<T>),
        digest: Some(digest::<T>),
        free: Some(free::<T>),
        free_effort: Some(free_effort::<T>),
        copy: Some(copy::<T>),
        defrag: Some(defrag),
        aux_load: None,
        aux_save: None,
        aux_save2: None,
        aux_save_triggers: 0,
        unlink: None,
        mem_usage2: None,
        free_effort2: None,
        unlink2: None,
        copy2: None,
    };
    // SAFETY: the server copies the methods.
    let made = unsafe {
        api!(RedisModule_CreateDataType(
            context.raw(),
            T::NAME.as_ptr(),
            ENCODING.cast_signed(),
            &raw mut methods
        ))
    };
    T::object_type().0.store(made, Ordering::Relaxed);
    !made.is_null()
}

/// Runs a callback. A panic must not unwind into C: it becomes the value for a failure.
fn guarded<R>(failed: R, callback: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(callback)).unwrap_or(failed)
}

/// # Safety
/// `value` is an object that `OpenKey::set` or `rdb_load` made.
unsafe fn object<'a, T: Object>(value: *const c_void) -> &'a T {
    // SAFETY: by the caller. The server's callbacks run one at a time on an object.
    unsafe { &*value.cast::<T>() }
}

fn boxed<T>(object: Option<T>) -> *mut c_void {
    object.map_or(ptr::null_mut(), |object| Box::into_raw(Box::new(object)).cast())
}

unsafe extern "C" fn rdb_load<T: Object>(
    io: *mut raw::RedisModuleIO,
    version: c_int,
) -> *mut c_void {
    guarded(ptr::null_mut(), || {
        // SAFETY: the server's, for this call.
        let mut fields = unsafe { RdbFields::new(io) };
        let loaded = match version.cast_unsigned() {
            ENCODING => T::load(&mut fields.stream()),
            older if older < ENCODING => T::load_old(&mut fields, older),
            _ => None,
        };
        // SAFETY: as above.
        let context = unsafe { Context::new(api!(RedisModule_GetContextFromIO(io))) };
        // A client's RESTORE has the limit of any command; what was accepted before is kept.
        let limited = context.is_none_or(|context| !context.is_copying());
        boxed(loaded.filter(|object| !(limited && object.is_too_large())))
    })
}

unsafe extern "C" fn rdb_save<T: Object>(io: *mut raw::RedisModuleIO, value: *mut c_void) {
    guarded((), || {
        // SAFETY: the server's arguments. A stream that fails ends early, and does not load.
        let _ = unsafe { stream::save(io, |out| object::<T>(value).save(out)) };
    });
}

unsafe extern "C" fn aof_rewrite<T: Object>(
    io: *mut raw::RedisModuleIO,
    key: *mut raw::RedisModuleString,
    value: *mut c_void,
) {
    guarded((), || {
        // SAFETY: the server's arguments.
        unsafe {
            let _ = object::<T>(value).chunks(&mut |position, bytes| {
                stream::emit(io, T::LOADCHUNK, key, position, bytes);
            });
        }
    });
}

unsafe extern "C" fn mem_usage<T: Object>(value: *const c_void) -> usize {
    // SAFETY: the server's argument.
    guarded(0, || unsafe { size_of::<T>() + object::<T>(value).memory() })
}

unsafe extern "C" fn digest<T: Object>(digest: *mut raw::RedisModuleDigest, value: *mut c_void) {
    guarded((), || {
        // SAFETY: the server's arguments.
        let _ = unsafe { stream::digest(digest, |out| object::<T>(value).save(out)) };
    });
}

/// Also runs on the server's thread for lazy freeing: nothing here belongs to a thread.
unsafe extern "C" fn free<T: Object>(value: *mut c_void) {
    // SAFETY: made by `Box::into_raw`, freed once.
    guarded((), || drop(unsafe { Box::from_raw(value.cast::<T>()) }));
}

unsafe extern "C" fn free_effort<T: Object>(
    _key: *mut raw::RedisModuleString,
    value: *const c_void,
) -> usize {
    // SAFETY: the server's argument.
    guarded(1, || unsafe { object::<T>(value).free_effort() })
}

unsafe extern "C" fn copy<T: Object>(
    _from: *mut raw::RedisModuleString,
    _to: *mut raw::RedisModuleString,
    value: *const c_void,
) -> *mut c_void {
    // SAFETY: the server's argument.
    guarded(ptr::null_mut(), || boxed(unsafe { object::<T>(value).copy() }))
}

/// Moves the object itself. Its cells stay: they are single large blocks, which do not fragment the
/// heap, and `anther` keeps their addresses.
unsafe extern "C" fn defrag(
    context: *mut raw::RedisModuleDefragCtx,
    _key: *mut raw::RedisModuleString,
    value: *mut *mut c_void,
) -> c_int {
    // SAFETY: the object is a box from the server's allocator, and Rust values may be moved.
    unsafe {
        let moved = api!(RedisModule_DefragAlloc(context, *value));
        if !moved.is_null() {
            *value = moved;
        }
    }
    0
}
