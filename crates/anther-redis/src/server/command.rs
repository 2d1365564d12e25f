//! Commands: how the server calls them, and what it tells clients about them.

use super::syntax::{self, Form, Part};
use super::{Argument, Context, ERR, OK};
use crate::errors::{self, Failure};
use redis_module::raw;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// What a command returns: its reply was sent, or it failed.
pub type Answer = Result<(), Failure>;

type Entry = unsafe extern "C" fn(
    *mut raw::RedisModuleCtx,
    *mut *mut raw::RedisModuleString,
    c_int,
) -> c_int;

/// A command of the module, as the table in `lib.rs` lists it.
#[derive(Clone, Copy)]
pub struct Command {
    name: &'static CStr,
    entry: Entry,
    flags: &'static str,
    access: u32,
    syntax: &'static str,
    valkey_syntax: Option<&'static str>,
    summary: &'static CStr,
    complexity: &'static CStr,
    since: &'static CStr,
}

impl Command {
    /// A command that only reads.
    pub const fn read<F>(name: &'static CStr, _run: F) -> Command
    where
        F: for<'a> Fn(Context<'a>, &'a [Argument<'a>]) -> Answer + Copy + 'static,
    {
        Command {
            name,
            entry: entry::<F>,
            flags: "readonly fast",
            access: raw::REDISMODULE_CMD_KEY_RO | raw::REDISMODULE_CMD_KEY_ACCESS,
            syntax: "",
            valkey_syntax: None,
            summary: c"",
            complexity: c"",
            since: c"1.0.0",
        }
    }

    /// A command that writes and may need memory.
    pub const fn write<F>(name: &'static CStr, run: F) -> Command
    where
        F: for<'a> Fn(Context<'a>, &'a [Argument<'a>]) -> Answer + Copy + 'static,
    {
        let access = raw::REDISMODULE_CMD_KEY_RW | raw::REDISMODULE_CMD_KEY_INSERT;
        Command { flags: "write deny-oom fast", access, ..Command::read(name, run) }
    }

    /// A command that removes: it needs no memory, and runs when memory is full.
    pub const fn remove<F>(name: &'static CStr, run: F) -> Command
    where
        F: for<'a> Fn(Context<'a>, &'a [Argument<'a>]) -> Answer + Copy + 'static,
    {
        let access = raw::REDISMODULE_CMD_KEY_RW | raw::REDISMODULE_CMD_KEY_DELETE;
        Command { flags: "write fast", access, ..Command::read(name, run) }
    }

    /// Other flags than usual.
    pub const fn flags(self, flags: &'static str) -> Command {
        Command { flags, ..self }
    }

    /// What it takes (see [`syntax`]), does, and costs; and since which version, of RedisBloom for
    /// commands that it has, of ours for the others.
    pub const fn docs(
        self,
        syntax: &'static str,
        summary: &'static CStr,
        complexity: &'static CStr,
        since: &'static CStr,
    ) -> Command {
        Command { syntax, summary, complexity, since, ..self }
    }

    /// What it takes in Valkey's module, where that differs.
    pub const fn in_valkey(self, syntax: &'static str) -> Command {
        Command { valkey_syntax: Some(syntax), ..self }
    }

    /// The smallest number of arguments, with the name; negative if there may be more.
    fn arity(parts: &[Part]) -> c_int {
        let least: c_int = parts.iter().filter(|part| !part.optional).map(words).sum();
        let open = parts.iter().any(|part| part.optional || part.multiple);
        if open { -(least + 1) } else { least + 1 }
    }

    /// The ACL categories: those of the flags, which a server derives for its own commands only, and
    /// one of ours.
    fn categories(&self, own: &CStr) -> Option<CString> {
        let has = |flag| self.flags.split(' ').any(|word| word == flag);
        let speed = if has("fast") { "fast" } else { "slow" };
        // Who may read all data may not read secrets.
        let access = match (has("admin"), has("write")) {
            (true, _) => "admin dangerous",
            (false, true) => "write",
            (false, false) => "read",
        };
        CString::new(format!("{access} {speed} {}", own.to_str().ok()?)).ok()
    }

    /// Registers the command. False if the server has one of this name already. Its errors and
    /// `COMMAND INFO` tell the name as it is here; Valkey's module has capitals.
    pub(super) fn register(
        &self,
        context: Context<'_>,
        category: Option<&CStr>,
        is_valkey: bool,
    ) -> bool {
        let Ok(flags) = CString::new(self.flags) else { return false };
        let capitals = CString::new(self.name.to_bytes().to_ascii_uppercase()).unwrap_or_default();
        let name = if is_valkey { capitals.as_ptr() } else { self.name.as_ptr() };
        let category = category.filter(|_| has!(RedisModule_SetCommandACLCategories));
        // SAFETY: the server copies the texts; the entry is a function.
        unsafe {
            let made = api!(RedisModule_CreateCommand(
                context.raw(),
                name,
                Some(self.entry),
                flags.as_ptr(),
                1,
                1,
                1
            ));
            if made != OK {
                return false;
            }
            let command = api!(RedisModule_GetCommand(context.raw(), name));
            if let Some(categories) = category.and_then(|own| self.categories(own)) {
                api!(RedisModule_SetCommandACLCategories(command, categories.as_ptr()));
            }
            self.describe(command, self.valkey_syntax.filter(|_| is_valkey))
        }
    }

    /// # Safety
    /// `command` is the server's.
    unsafe fn describe(
        &self,
        command: *mut raw::RedisModuleCommand,
        syntax: Option<&'static str>,
    ) -> bool {
        let parts = syntax::parse(syntax.unwrap_or(self.syntax));
        let keys = parts.iter().filter(|part| part.form == Form::Key).count();
        let mut specs: Vec<_> = (0..keys)
            .map(|at| match at {
                0 => key_spec(1, 0, self.access),
                // Further keys are only read, and come to the end.
                _ => key_spec(2, -1, raw::REDISMODULE_CMD_KEY_RO | raw::REDISMODULE_CMD_KEY_ACCESS),
            })
            .collect();
        specs.push(no_key_spec());
        let mut keep = Kept::default();
        let mut next_key = 0;
        let arguments = keep.arguments(&parts, &mut next_key);
        let version = raw::RedisModuleCommandInfoVersion {
            version: 1,
            sizeof_historyentry: size_of::<raw::RedisModuleCommandHistoryEntry>(),
            sizeof_keyspec: size_of::<raw::RedisModuleCommandKeySpec>(),
            sizeof_arg: size_of::<raw::RedisModuleCommandArg>(),
        };
        let info = raw::RedisModuleCommandInfo {
            version: &raw const version,
            summary: self.summary.as_ptr(),
            complexity: self.complexity.as_ptr(),
            since: self.since.as_ptr(),
            history: ptr::null_mut(),
            tips: ptr::null(),
            arity: Command::arity(&parts),
            key_specs: specs.as_mut_ptr(),
            args: arguments,
        };
        // SAFETY: by the caller; the server copies everything, and `keep` holds it until then.
        unsafe { api!(RedisModule_SetCommandInfo(command, &raw const info)) == OK }
    }
}

/// The words that an argument takes at least.
fn words(part: &Part) -> c_int {
    match part.form {
        Form::Block => part.parts.iter().map(words).sum(),
        Form::Token | Form::OneOf => 1,
        _ => 1 + c_int::from(part.token.is_some()),
    }
}

/// # Safety
/// Called by the server: its context, and `argc` arguments.
unsafe extern "C" fn entry<F>(
    context: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int
where
    F: for<'a> Fn(Context<'a>, &'a [Argument<'a>]) -> Answer + Copy + 'static,
{
    const { assert!(size_of::<F>() == 0, "a function, not a closure that captures") };
    // SAFETY: a value of no bytes, of a type that can be copied and of which `Command::read` got
    // one.
    let run: F = unsafe { ptr::NonNull::dangling().read() };
    // SAFETY: the server's, for this call.
    let (context, arguments) = unsafe { (Context::new(context), Argument::all(argv, argc)) };
    let Some(context) = context else { return ERR };
    // A panic must not unwind into C.
    match catch_unwind(AssertUnwindSafe(|| run(context, arguments))) {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => refuse(context, &failure),
        Err(_) => {
            context.log(c"warning", c"a command of the module failed; please report it");
            refuse(context, &errors::INTERNAL);
        }
    }
    OK
}

#[cold]
fn refuse(context: Context<'_>, failure: &Failure) {
    match failure {
        Failure::Arity => context.wrong_arity(),
        Failure::Text(text) => context.error(text),
    }
}

fn key_spec(first: c_int, last: c_int, flags: u32) -> raw::RedisModuleCommandKeySpec {
    raw::RedisModuleCommandKeySpec {
        notes: ptr::null(),
        flags: flags.into(),
        begin_search_type: raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INDEX,
        bs: raw::RedisModuleCommandKeySpec__bindgen_ty_1 {
            index: raw::RedisModuleCommandKeySpec__bindgen_ty_1__bindgen_ty_1 { pos: first },
        },
        find_keys_type: raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_RANGE,
        fk: raw::RedisModuleCommandKeySpec__bindgen_ty_2 {
            range: raw::RedisModuleCommandKeySpec__bindgen_ty_2__bindgen_ty_1 {
                lastkey: last,
                keystep: 1,
                limit: 0,
            },
        },
    }
}

/// The end of a list of key specs.
fn no_key_spec() -> raw::RedisModuleCommandKeySpec {
    let mut end = key_spec(0, 0, 0);
    end.begin_search_type = raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INVALID;
    end.find_keys_type = raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_OMITTED;
    end
}

/// Texts and arrays that the server reads while a command is described.
#[derive(Default)]
struct Kept {
    texts: Vec<CString>,
    arrays: Vec<Vec<raw::RedisModuleCommandArg>>,
}

impl Kept {
    fn text(&mut self, text: &str) -> *const c_char {
        let text = CString::new(text).unwrap_or_default();
        // The bytes stay where they are when the vector grows.
        let start = text.as_ptr();
        self.texts.push(text);
        start
    }

    /// The arguments as the server takes them, with an empty one at the end.
    fn arguments(
        &mut self,
        parts: &[Part],
        next_key: &mut c_int,
    ) -> *mut raw::RedisModuleCommandArg {
        let mut made: Vec<_> = parts.iter().map(|part| self.argument(part, next_key)).collect();
        made.push(no_argument());
        let start = made.as_mut_ptr();
        self.arrays.push(made);
        start
    }

    fn argument(&mut self, part: &Part, next_key: &mut c_int) -> raw::RedisModuleCommandArg {
        let mut flags = raw::REDISMODULE_CMD_ARG_NONE;
        if part.optional {
            flags |= raw::REDISMODULE_CMD_ARG_OPTIONAL;
        }
        if part.multiple {
            flags |= raw::REDISMODULE_CMD_ARG_MULTIPLE;
        }
        let key_spec_index = if part.form == Form::Key { *next_key } else { -1 };
        *next_key += c_int::from(part.form == Form::Key);
        raw::RedisModuleCommandArg {
            name: self.text(&part.name),
            type_: match part.form {
                Form::Text => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_STRING,
                Form::Integer => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_INTEGER,
                Form::Double => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_DOUBLE,
                Form::Key => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_KEY,
                Form::Token => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_PURE_TOKEN,
                Form::OneOf => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_ONEOF,
                Form::Block => raw::RedisModuleCommandArgType_REDISMODULE_ARG_TYPE_BLOCK,
            },
            key_spec_index,
            token: part.token.as_ref().map_or(ptr::null(), |token| self.text(token)),
            flags: flags.cast_signed(),
            subargs: match part.parts.is_empty() {
                true => ptr::null_mut(),
                false => self.arguments(&part.parts, next_key),
            },
            ..no_argument()
        }
    }
}

fn no_argument() -> raw::RedisModuleCommandArg {
    raw::RedisModuleCommandArg {
        name: ptr::null(),
        type_: 0,
        key_spec_index: -1,
        token: ptr::null(),
        summary: ptr::null(),
        since: ptr::null(),
        flags: 0,
        deprecated_since: ptr::null(),
        subargs: ptr::null_mut(),
        display_text: ptr::null(),
    }
}
