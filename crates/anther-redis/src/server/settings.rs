//! Settings of the module: `CONFIG GET bf.*`, `CONFIG SET`, the configuration file.

use super::{Context, ERR, OK};
use redis_module::raw;
use std::ffi::{CStr, CString, c_char, c_int, c_longlong, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, Ordering};

/// A setting.
pub struct Setting {
    /// Its name, after the module's and a dot.
    pub name: &'static str,
    /// RedisBloom's name, which has no dot.
    pub redisbloom: Option<&'static str>,
    /// Its type and value.
    pub kind: SettingKind,
}

/// The type of a setting, and where its value is.
pub enum SettingKind {
    /// An integer in a range.
    Number {
        /// The value.
        value: &'static AtomicI64,
        /// The least value.
        least: i64,
        /// The highest value.
        most: i64,
        /// Whether it is a number of bytes: then `64mb` is one, too.
        bytes: bool,
    },
    /// Yes or no.
    Switch {
        /// The value.
        value: &'static AtomicBool,
        /// What else happens when it changes.
        changed: fn(bool),
    },
    /// Text.
    Text {
        /// The value.
        get: fn() -> String,
        /// Takes a new value, or says why not.
        set: fn(&str) -> Result<(), String>,
        /// Whether the server keeps it out of its logs.
        secret: bool,
        /// The string that the server got last.
        shown: AtomicPtr<raw::RedisModuleString>,
    },
}

impl Setting {
    /// Takes a value from text, or says why not.
    pub fn set(&self, text: &str) -> Result<(), String> {
        match &self.kind {
            SettingKind::Number { value, least, most, .. } => {
                let number = text.parse().ok().filter(|number| (*least..=*most).contains(number));
                let number =
                    number.ok_or_else(|| format!("not a number from {least} to {most}"))?;
                value.store(number, Ordering::Relaxed);
            }
            SettingKind::Switch { value, changed } => {
                let on = match text {
                    "yes" => true,
                    "no" => false,
                    _ => return Err("neither yes nor no".to_string()),
                };
                value.store(on, Ordering::Relaxed);
                changed(on);
            }
            SettingKind::Text { set, .. } => set(text)?,
        }
        Ok(())
    }

    /// Registers the setting with its present value as default: under both names if the server
    /// takes names without the module's before them, which Redis does from 8.0.
    pub(super) fn register(&'static self, context: Context<'_>, module: &CStr) -> bool {
        let data = ptr::from_ref(self).cast_mut().cast::<c_void>();
        let both = self.redisbloom.filter(|_| has!(RedisModule_GetInternalSecret));
        let (name, unprefixed) = match both.zip(module.to_str().ok()) {
            Some((other, module)) => {
                (format!("{module}.{}|{other}", self.name), raw::REDISMODULE_CONFIG_UNPREFIXED)
            }
            None => (self.name.to_owned(), raw::REDISMODULE_CONFIG_DEFAULT),
        };
        let Ok(name) = CString::new(name) else { return false };
        let (context, name) = (context.raw(), name.as_ptr());
        // SAFETY: the setting is static; the server copies names and defaults.
        let made = unsafe {
            match &self.kind {
                SettingKind::Number { value, least, most, bytes } => {
                    let flags = match bytes {
                        true => raw::REDISMODULE_CONFIG_MEMORY,
                        false => raw::REDISMODULE_CONFIG_DEFAULT,
                    };
                    let now = value.load(Ordering::Relaxed);
                    api!(RedisModule_RegisterNumericConfig(
                        context,
                        name,
                        now,
                        flags | unprefixed,
                        *least,
                        *most,
                        Some(get_number),
                        Some(set_number),
                        None,
                        data
                    ))
                }
                SettingKind::Switch { value, .. } => api!(RedisModule_RegisterBoolConfig(
                    context,
                    name,
                    value.load(Ordering::Relaxed).into(),
                    raw::REDISMODULE_CONFIG_DEFAULT,
                    Some(get_switch),
                    Some(set_switch),
                    None,
                    data
                )),
                SettingKind::Text { get, secret, .. } => {
                    let flags = match secret {
                        true => raw::REDISMODULE_CONFIG_SENSITIVE,
                        false => raw::REDISMODULE_CONFIG_DEFAULT,
                    };
                    let now = CString::new(get()).unwrap_or_default();
                    api!(RedisModule_RegisterStringConfig(
                        context,
                        name,
                        now.as_ptr(),
                        flags | unprefixed,
                        Some(get_text),
                        Some(set_text),
                        None,
                        data
                    ))
                }
            }
        };
        made == OK
    }
}

/// # Safety
/// `data` is what `register` passed.
unsafe fn kind(data: *mut c_void) -> &'static SettingKind {
    // SAFETY: a static setting.
    unsafe { &(*data.cast::<Setting>()).kind }
}

unsafe extern "C" fn get_number(_name: *const c_char, data: *mut c_void) -> c_longlong {
    // SAFETY: see `register`.
    match unsafe { kind(data) } {
        SettingKind::Number { value, .. } => value.load(Ordering::Relaxed),
        _ => 0,
    }
}

unsafe extern "C" fn set_number(
    _name: *const c_char,
    new: c_longlong,
    data: *mut c_void,
    _error: *mut *mut raw::RedisModuleString,
) -> c_int {
    // SAFETY: see `register`. The server checked the range.
    if let SettingKind::Number { value, .. } = unsafe { kind(data) } {
        value.store(new, Ordering::Relaxed);
    }
    OK
}

unsafe extern "C" fn get_switch(_name: *const c_char, data: *mut c_void) -> c_int {
    // SAFETY: see `register`.
    match unsafe { kind(data) } {
        SettingKind::Switch { value, .. } => value.load(Ordering::Relaxed).into(),
        _ => 0,
    }
}

unsafe extern "C" fn set_switch(
    _name: *const c_char,
    new: c_int,
    data: *mut c_void,
    _error: *mut *mut raw::RedisModuleString,
) -> c_int {
    // SAFETY: see `register`.
    if let SettingKind::Switch { value, changed } = unsafe { kind(data) } {
        value.store(new != 0, Ordering::Relaxed);
        changed(new != 0);
    }
    OK
}

fn string(text: &str) -> *mut raw::RedisModuleString {
    // SAFETY: the server copies the bytes; without a context, the string is ours.
    unsafe { api!(RedisModule_CreateString(ptr::null_mut(), text.as_ptr().cast(), text.len())) }
}

/// The server reads the string at once and leaves it to us, so it is freed at the next call.
unsafe extern "C" fn get_text(
    _name: *const c_char,
    data: *mut c_void,
) -> *mut raw::RedisModuleString {
    // SAFETY: see `register`.
    let SettingKind::Text { get, shown, .. } = (unsafe { kind(data) }) else {
        return ptr::null_mut();
    };
    let now = string(&get());
    let before = shown.swap(now, Ordering::Relaxed);
    if !before.is_null() {
        // SAFETY: made by `string`, freed once.
        unsafe { api!(RedisModule_FreeString(ptr::null_mut(), before)) };
    }
    now
}

unsafe extern "C" fn set_text(
    _name: *const c_char,
    new: *mut raw::RedisModuleString,
    data: *mut c_void,
    error: *mut *mut raw::RedisModuleString,
) -> c_int {
    let mut len = 0;
    // SAFETY: see `register`; the string lives during the call.
    let (kind, bytes) = unsafe {
        let start = api!(RedisModule_StringPtrLen(new, &raw mut len));
        (kind(data), std::slice::from_raw_parts(start.cast::<u8>(), len))
    };
    let SettingKind::Text { set, .. } = kind else { return OK };
    let text = str::from_utf8(bytes).map_err(|_| "not UTF-8".to_string());
    match text.and_then(set) {
        Ok(()) => OK,
        Err(reason) => {
            // SAFETY: the server passes a place for the error and frees the string.
            unsafe { *error = string(&reason) };
            ERR
        }
    }
}
