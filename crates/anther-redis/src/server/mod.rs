//! The server's module API behind safe types: the only `unsafe` code of the crate.
//!
//! The crate `redis-module` gives the bindings. Its own wrappers copy every argument into a vector
//! of strings and build replies as values, which costs a fifth of the throughput of `BF.EXISTS`; so
//! commands here read arguments in place and write replies directly.

/// Calls a function of the server's API.
macro_rules! api {
    ($function:ident($($argument:expr),* $(,)?)) => {
        ({ ::redis_module::raw::$function }.expect("checked when the module was loaded"))
            ($($argument),*)
    };
}

/// Whether the server has a function: newer ones may be missing.
macro_rules! has {
    ($function:ident) => {{
        // SAFETY: written once, by the server's thread, before anything else of the module runs.
        unsafe { ::redis_module::raw::$function }.is_some()
    }};
}

/// What functions of the API return: fine.
const OK: std::ffi::c_int = 0;
/// What functions of the API return: failed.
const ERR: std::ffi::c_int = 1;

#[cfg(not(test))]
mod allocator;
mod argument;
mod callbacks;
mod command;
mod context;
mod key;
mod load;
mod settings;
mod stream;
mod syntax;

pub use argument::Argument;
pub use callbacks::{Object, ObjectType};
pub use command::{Answer, Command};
pub use context::Context;
pub use key::{Found, OpenKey};
pub use load::Module;
pub use settings::{Setting, SettingKind};
pub use stream::RdbFields;
