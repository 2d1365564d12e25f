//! Codes and texts of errors, and the one place that stops a panic.

use anther::{
    BuildError, InsertError, KeyError, LoadError, LookupError, Mismatch, NotShared, OutOfMemory,
    RemoveError, SaveError, ShareError, SizeError, TargetError, Unable,
};
use std::any::Any;
use std::ffi::{c_char, c_int};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What went wrong: the values of `anther_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// Nothing.
    Ok = 0,
    /// A null pointer, a length, a flag, or a name that does not exist.
    Argument = -1,
    /// No filter can have this size, false-positive rate or option.
    Size = -2,
    /// The filter's rule refuses the key.
    Key = -3,
    /// The filter is full.
    Full = -4,
    /// The kind cannot do this.
    Unsupported = -5,
    /// Two filters that cannot be merged.
    Mismatch = -6,
    /// Not a filter, or a corrupt one.
    File = -7,
    /// The system could not read or write.
    Io = -8,
    /// The filter cannot hash keys: its secret key is missing or another one, or its hashes were
    /// computed elsewhere.
    Secret = -9,
    /// Out of memory.
    Memory = -10,
    /// A static filter could not be built from its keys.
    Build = -11,
    /// A bug in this library.
    Internal = -12,
}

impl Status {
    /// All of them, with their names in the header.
    pub const ALL: [(Status, &'static str); 13] = [
        (Status::Ok, "ANTHER_OK"),
        (Status::Argument, "ANTHER_ARGUMENT"),
        (Status::Size, "ANTHER_SIZE"),
        (Status::Key, "ANTHER_KEY"),
        (Status::Full, "ANTHER_FULL"),
        (Status::Unsupported, "ANTHER_UNSUPPORTED"),
        (Status::Mismatch, "ANTHER_MISMATCH"),
        (Status::File, "ANTHER_FILE"),
        (Status::Io, "ANTHER_IO"),
        (Status::Secret, "ANTHER_SECRET"),
        (Status::Memory, "ANTHER_MEMORY"),
        (Status::Build, "ANTHER_BUILD"),
        (Status::Internal, "ANTHER_INTERNAL"),
    ];
}

/// `anther_error`: belongs to the caller, so nobody frees it, and no other call overwrites it.
#[derive(Debug)]
#[repr(C)]
pub struct Error {
    /// A [`Status`].
    pub code: c_int,
    /// UTF-8 with a final NUL; cut at a character if it is longer.
    pub text: [c_char; Error::TEXT],
}

impl Error {
    /// Bytes of the text with its NUL: the whole struct has 512.
    pub const TEXT: usize = 508;

    fn new(failure: &Failure) -> Error {
        let text = failure.text.replace('\0', " ");
        let kept = &text[..text.floor_char_boundary_of(Error::TEXT - 1)];
        let mut error = Error { code: failure.status as c_int, text: [0; Error::TEXT] };
        for (slot, byte) in error.text.iter_mut().zip(kept.bytes()) {
            *slot = byte.cast_signed();
        }
        error
    }
}

/// `str::floor_char_boundary`, which our oldest compiler does not have.
trait Cut {
    fn floor_char_boundary_of(&self, most: usize) -> usize;
}

impl Cut for str {
    fn floor_char_boundary_of(&self, most: usize) -> usize {
        let most = most.min(self.len());
        (0..=most).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: Status,
    pub text: String,
}

impl Failure {
    pub fn new(status: Status, text: impl Display) -> Failure {
        Failure { status, text: text.to_string() }
    }

    pub fn argument(text: impl Display) -> Failure {
        Failure::new(Status::Argument, text)
    }

    /// The same with the name of what it is about.
    pub fn about(self, subject: impl Display) -> Failure {
        Failure { text: format!("{subject}: {}", self.text), ..self }
    }

    fn panicked(payload: &(dyn Any + Send)) -> Failure {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "a panic without a text".to_string());
        Failure::new(Status::Internal, text).about("a bug in anther, please report it")
    }
}

/// Runs a function of the interface: what it returns goes to C, and so does the code of a failure.
/// No panic gets past this.
#[inline]
pub(crate) fn guard(
    report: impl FnOnce(Error),
    work: impl FnOnce() -> Result<c_int, Failure>,
) -> c_int {
    // A filter that panicked in mid-change has cells of any content, but all of them are valid:
    // its answers may be wrong afterwards, and the header says so.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => value,
        Ok(Err(failure)) => fail(report, &failure),
        Err(payload) => fail(report, &Failure::panicked(&*payload)),
    }
}

/// Apart from the rest: 512 bytes of text have no place in the frame of a lookup.
#[cold]
#[inline(never)]
fn fail(report: impl FnOnce(Error), failure: &Failure) -> c_int {
    report(Error::new(failure));
    failure.status as c_int
}

macro_rules! failures {
    ($($error:ty, $it:ident => $status:expr;)*) => {$(
        impl From<$error> for Failure {
            #[cold]
            fn from($it: $error) -> Failure {
                Failure::new($status, &$it)
            }
        }
    )*};
}

failures! {
    OutOfMemory, _error => Status::Memory;
    TargetError, _error => Status::Size;
    KeyError, _error => Status::Key;
    Unable, _error => Status::Unsupported;
    SizeError, error => match error {
        SizeError::OutOfMemory(_) => Status::Memory,
        SizeError::Static { .. } => Status::Unsupported,
        _ => Status::Size,
    };
    InsertError, error => match error {
        InsertError::Full(_) => Status::Full,
        InsertError::Key(_) => Status::Key,
        _ => Status::Unsupported,
    };
    LookupError, error => match error {
        LookupError::Key(_) => Status::Key,
        _ => Status::Unsupported,
    };
    RemoveError, error => match error {
        RemoveError::Key(_) => Status::Key,
        _ => Status::Unsupported,
    };
    Mismatch, error => match error {
        Mismatch::OutOfMemory(_) => Status::Memory,
        Mismatch::Full(_) => Status::Full,
        Mismatch::Unsupported { .. } => Status::Unsupported,
        _ => Status::Mismatch,
    };
    SaveError, error => match error {
        SaveError::Io(_) | SaveError::Unsynced(_) => Status::Io,
        _ => Status::File,
    };
    NotShared, error => match error {
        NotShared::OutOfMemory(_) => Status::Memory,
        _ => Status::Unsupported,
    };
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        match error {
            BuildError::Size(error) => error.into(),
            BuildError::OutOfMemory(error) => error.into(),
            BuildError::Full(error) => Failure::new(Status::Full, error),
            other => Failure::new(Status::Build, other),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        let status = match error {
            LoadError::Io(_) => Status::Io,
            LoadError::OutOfMemory(_) => Status::Memory,
            LoadError::KeyNeeded | LoadError::WrongKey | LoadError::NotKeyed => Status::Secret,
            LoadError::ExternalHashes => {
                let text = "built from external hashes, so it cannot hash keys; open it with \
                            ANTHER_OPEN_ANY and query it by hash";
                return Failure::new(Status::Secret, text);
            }
            // The library's advice names its own types.
            LoadError::Iblt => return Failure::new(Status::File, "an iblt, not a filter"),
            _ => Status::File,
        };
        Failure::new(status, error)
    }
}

impl From<ShareError> for Failure {
    fn from(error: ShareError) -> Failure {
        match error {
            ShareError::Load(error) => error.into(),
            ShareError::Io(_) => Failure::new(Status::Io, error),
            other => Failure::new(Status::Unsupported, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn text(error: &Error) -> String {
        let bytes: Vec<u8> = error.text.iter().map(|byte| byte.cast_unsigned()).collect();
        CStr::from_bytes_until_nul(&bytes).unwrap().to_str().unwrap().to_string()
    }

    #[test]
    fn a_panic_becomes_a_code_and_a_text() {
        let mut seen = None;
        let code = guard(|error| seen = Some(error), || panic!("cell {} is missing", 7));
        let error = seen.unwrap();
        assert_eq!((code, error.code), (-12, -12));
        assert_eq!(text(&error), "a bug in anther, please report it: cell 7 is missing");
    }

    #[test]
    fn a_panic_of_another_thread_does_not_pass_either() {
        let work = || {
            std::thread::scope(|scope| {
                let worker = scope.spawn(|| assert!(std::hint::black_box(false), "worker"));
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            });
            Ok(0)
        };
        assert_eq!(guard(|_| (), work), -12);
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let failure = Failure::argument("ü".repeat(400) + "\0end");
        let error = Error::new(&failure);
        assert_eq!(text(&error), "ü".repeat(253));
        let error = Error::new(&Failure::argument("a\0b"));
        assert_eq!(text(&error), "a b");
    }
}
