//! Keys of the database, opened for a command.

use super::callbacks::Object;
use super::{Argument, Context};
use redis_module::raw;
use std::ffi::c_int;
use std::marker::PhantomData;

/// An open key, closed when it is dropped.
pub struct OpenKey<'a, T: Object> {
    /// Null if the key is absent and was opened for reading.
    key: *mut raw::RedisModuleKey,
    call: PhantomData<&'a T>,
}

/// What a key holds.
pub enum Found<T> {
    /// The key is absent.
    Absent,
    /// A value of another type.
    Other,
    /// An object of ours.
    Here(T),
}

impl<'a, T: Object> OpenKey<'a, T> {
    /// Opens a key for reading.
    #[inline]
    pub fn read(context: Context<'a>, name: Argument<'a>) -> OpenKey<'a, T> {
        OpenKey::open(context, name, raw::REDISMODULE_READ)
    }

    /// Opens a key for writing.
    pub fn write(context: Context<'a>, name: Argument<'a>) -> OpenKey<'a, T> {
        OpenKey::open(context, name, raw::REDISMODULE_READ | raw::REDISMODULE_WRITE)
    }

    #[inline]
    fn open(context: Context<'a>, name: Argument<'a>, mode: u32) -> OpenKey<'a, T> {
        // SAFETY: the context and the name live during the call.
        let key = unsafe {
            api!(RedisModule_OpenKey(context.raw(), name.0, mode.cast_signed() as c_int))
        };
        OpenKey { key: key.cast(), call: PhantomData }
    }

    #[inline]
    fn value(&self) -> Found<*mut T> {
        if self.key.is_null() {
            return Found::Absent;
        }
        // SAFETY: the key is open.
        unsafe {
            if api!(RedisModule_ModuleTypeGetType(self.key)) == T::object_type().get() {
                return Found::Here(api!(RedisModule_ModuleTypeGetValue(self.key)).cast());
            }
            match api!(RedisModule_KeyType(self.key)) as isize == raw::REDISMODULE_KEYTYPE_EMPTY {
                true => Found::Absent,
                false => Found::Other,
            }
        }
    }

    /// What it holds.
    #[inline]
    pub fn get(&self) -> Found<&T> {
        match self.value() {
            // SAFETY: a value of our type is a `T` that `set` or a loader put there. Commands run one
            // at a time, so nobody changes it while this key is borrowed.
            Found::Here(value) => Found::Here(unsafe { &*value }),
            Found::Absent => Found::Absent,
            Found::Other => Found::Other,
        }
    }

    /// What it holds, to be changed.
    pub fn get_mut(&mut self) -> Found<&mut T> {
        match self.value() {
            // SAFETY: as in `get`; `self` is borrowed mutably. A command that opens the same key
            // twice must not hold both values: `BF.MERGE` does not.
            Found::Here(value) => Found::Here(unsafe { &mut *value }),
            Found::Absent => Found::Absent,
            Found::Other => Found::Other,
        }
    }

    /// Makes the key hold an object; what it held before is freed. The key must be open for writing.
    pub fn set(&mut self, object: T) -> &mut T {
        let object = Box::into_raw(Box::new(object));
        // SAFETY: the key is open, and the type's `free` takes the box apart.
        unsafe {
            api!(RedisModule_ModuleTypeSetValue(self.key, T::object_type().get(), object.cast()));
            &mut *object
        }
    }
}

impl<T: Object> Drop for OpenKey<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !self.key.is_null() {
            // SAFETY: opened by `open`, closed once.
            unsafe { api!(RedisModule_CloseKey(self.key)) };
        }
    }
}
