//! Loading the module.

use super::callbacks::{self, Object};
use super::{Argument, Command, Context, ERR, OK, Setting};
use crate::object::{Bloom, Cuckoo, Held};
use redis_module::raw;
use std::ffi::{CStr, CString, c_int};

/// What the module consists of.
pub struct Module {
    /// Its name, and the prefix of its settings.
    pub name: &'static CStr,
    /// Its version.
    pub version: c_int,
    /// Its commands: an ACL category for servers that take new ones, and the commands in it.
    pub groups: &'static [(&'static CStr, &'static [Command])],
    /// Its settings.
    pub settings: &'static [Setting],
    /// Whether commands have the names and the syntax of Valkey's module.
    pub is_valkey: fn() -> bool,
    /// Takes the arguments of `loadmodule`.
    pub arguments: fn(&[Argument<'_>]) -> Result<(), String>,
}

/// Loads a module with two data types: the body of `RedisModule_OnLoad`.
pub fn load<A: Object, B: Object>(
    context: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
    module: &'static Module,
) -> c_int {
    // SAFETY: the server's context. Before this call there is no API and no allocator.
    let loaded = unsafe {
        raw::Export_RedisModule_Init(context, module.name.as_ptr(), module.version, 1) == OK
    };
    // SAFETY: the server's, for this call.
    let context = unsafe { Context::new(context) };
    let (true, Some(context)) = (loaded, context) else { return ERR };
    // SAFETY: as above.
    let arguments = unsafe { Argument::all(argv, argc) };
    match register::<A, B>(context, arguments, module) {
        Ok(()) => OK,
        Err(reason) => {
            context.log(c"warning", &CString::new(reason).unwrap_or_default());
            ERR
        }
    }
}

fn register<A: Object, B: Object>(
    context: Context<'_>,
    arguments: &[Argument<'_>],
    module: &'static Module,
) -> Result<(), String> {
    if !has!(RedisModule_SetCommandInfo) || !has!(RedisModule_RegisterNumericConfig) {
        return Err("the module needs Redis 7.0 or Valkey 7.2".into());
    }
    (module.arguments)(arguments)?;
    // Before the commands, whose names depend on them.
    if !module.settings.iter().all(|setting| setting.register(context, module.name)) {
        return Err("the settings could not be registered".into());
    }
    // SAFETY: sets what the configuration file says.
    if unsafe { api!(RedisModule_LoadConfigs(context.raw())) } != OK {
        return Err("a setting of the configuration is not valid".into());
    }
    // SAFETY: sets flags of this module. The server asks for errors of loading instead of ending
    // itself, may serve the old data while a replica loads the new, and is told which keys change.
    unsafe {
        let options = raw::REDISMODULE_OPTIONS_HANDLE_IO_ERRORS
            | raw::REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED
            | raw::REDISMODULE_OPTIONS_HANDLE_REPL_ASYNC_LOAD;
        api!(RedisModule_SetModuleOptions(context.raw(), options.cast_signed()));
    }
    if !callbacks::register::<A>(context) || !callbacks::register::<B>(context) {
        return Err("another module has the data types already: unload RedisBloom first".into());
    }
    for (category, commands) in module.groups {
        let category = (*category).to_owned();
        let new = has!(RedisModule_AddACLCategory)
            // SAFETY: the server copies the name.
            && unsafe { api!(RedisModule_AddACLCategory(context.raw(), category.as_ptr())) } == 0;
        for command in *commands {
            if !command.register(context, new.then_some(category.as_c_str()), (module.is_valkey)())
            {
                return Err("another module has these commands already: unload it first".into());
            }
        }
    }
    Ok(())
}

/// Called by the server when it loads the module.
///
/// # Safety
/// Called by the server only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RedisModule_OnLoad(
    context: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    load::<Held<Bloom>, Held<Cuckoo>>(context, argv, argc, &crate::MODULE)
}
