//! From the library's errors to exceptions. The classes are in `python/anther/_errors.py`, where
//! they can have two bases.

use anther::NotShared;
use anther::error::{
    BuildError, InsertError, KeyError, LoadError, LookupError, Mismatch, OutOfMemory, RemoveError,
    SaveError, ShareError, SizeError, SolveError, StreamError, TableError, TargetError, Unable,
};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;

/// What goes wrong. Made without the interpreter, so that it can be made while the GIL is released.
/// In a box, so that results of single keys come in registers: that is 3 ns of 20.
#[derive(Debug)]
pub struct Failure(Box<Cause>);

#[derive(Debug)]
enum Cause {
    /// An exception of Python's.
    Python(PyErr),
    /// One of ours.
    Ours(Class, String),
    /// `MemoryError`.
    Memory(String),
    /// `OSError` or one of its kinds, with the file's name if there is one.
    System(std::io::Error, Option<std::path::PathBuf>),
}

/// The classes of `_errors.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A filter that cannot be made.
    Size,
    /// A key of a wrong type.
    KeyType,
    /// A key that the rule refuses.
    KeyValue,
    /// No room.
    Full,
    /// The kind cannot do it.
    Unsupported,
    /// A key that stays.
    Remove,
    /// Filters that do not fit together.
    Merge,
    /// Keys that make no filter.
    Build,
    /// Bytes that are no filter.
    File,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Size => "SizeError",
            Class::KeyType => "KeyTypeError",
            Class::KeyValue => "KeyValueError",
            Class::Full => "FullError",
            Class::Unsupported => "UnsupportedError",
            Class::Remove => "RemoveError",
            Class::Merge => "MergeError",
            Class::Build => "BuildError",
            Class::File => "FileError",
        }
    }
}

impl Failure {
    /// `TypeError`, for arguments that are no keys.
    pub fn wrong_type(message: impl Into<String>) -> Failure {
        PyTypeError::new_err(message.into()).into()
    }

    /// `ValueError`, for arguments that are no keys.
    pub fn wrong_value(message: impl Into<String>) -> Failure {
        PyValueError::new_err(message.into()).into()
    }

    /// A key of a type that no filter takes.
    pub fn key_type(message: impl Into<String>) -> Failure {
        Failure::ours(Class::KeyType, message)
    }

    /// A key that no filter takes, though its type is right.
    pub fn key_value(message: impl Into<String>) -> Failure {
        Failure::ours(Class::KeyValue, message)
    }

    /// The error of the file at a path.
    pub fn of_file(error: LoadError, path: &Path) -> Failure {
        match *Failure::from(error).0 {
            Cause::System(error, _) => Failure::system(error, Some(path)),
            Cause::Ours(class, message) => {
                Failure::ours(class, format!("{}: {message}", path.display()))
            }
            other => Failure(Box::new(other)),
        }
    }

    /// The error of saving to a path.
    pub fn of_save(error: SaveError, path: &Path) -> Failure {
        match error {
            SaveError::Io(error) | SaveError::Unsynced(error) => Failure::system(error, Some(path)),
            other => Failure::ours(Class::File, format!("{}: {other}", path.display())),
        }
    }

    /// An exception of ours.
    pub fn ours(class: Class, message: impl Into<String>) -> Failure {
        Failure(Box::new(Cause::Ours(class, message.into())))
    }

    /// An error of the system, with the name of the file.
    pub fn system(error: std::io::Error, path: Option<&Path>) -> Failure {
        Failure(Box::new(Cause::System(error, path.map(Path::to_path_buf))))
    }

    /// Whether it is an exception of Python's, and not a refusal of ours.
    pub fn is_python(&self) -> bool {
        matches!(*self.0, Cause::Python(_))
    }
}

impl From<PyErr> for Failure {
    #[cold]
    fn from(error: PyErr) -> Failure {
        Failure(Box::new(Cause::Python(error)))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match *failure.0 {
            Cause::Python(error) => error,
            Cause::Memory(message) => PyMemoryError::new_err(message),
            // With the number, OSError becomes FileNotFoundError and the like by itself.
            Cause::System(error, path) => match error.raw_os_error() {
                Some(number) => {
                    let message = error.to_string();
                    let suffix = format!(" (os error {number})");
                    let message = message.strip_suffix(&suffix).unwrap_or(&message).to_string();
                    let path = path.map(|path| path.display().to_string());
                    PyOSError::new_err((number, message, path))
                }
                None => PyOSError::new_err(error.to_string()),
            },
            Cause::Ours(class, message) => Python::attach(|py| {
                match errors(py).and_then(|errors| errors.getattr(class.name())?.call1((message,)))
                {
                    Ok(exception) => PyErr::from_value(exception),
                    Err(error) => error,
                }
            }),
        }
    }
}

fn errors(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS
        .get_or_try_init(py, || py.import("anther._errors").map(Bound::unbind))
        .map_err(|error: PyErr| error)?;
    Ok(module.bind(py))
}

impl From<OutOfMemory> for Failure {
    fn from(error: OutOfMemory) -> Failure {
        Failure(Box::new(Cause::Memory(error.to_string())))
    }
}

impl From<SizeError> for Failure {
    fn from(error: SizeError) -> Failure {
        match error {
            SizeError::OutOfMemory(error) => error.into(),
            other => Failure::ours(Class::Size, other.to_string()),
        }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Failure {
        SizeError::from(error).into()
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Failure {
        match error {
            SolveError::Size(error) => error.into(),
            other => Failure::ours(Class::Size, other.to_string()),
        }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Failure {
        let class = match error {
            KeyError::Type { .. } | KeyError::Parts { .. } | KeyError::Opaque => Class::KeyType,
            _ => Class::KeyValue,
        };
        Failure::ours(class, error.to_string())
    }
}

impl From<Unable> for Failure {
    fn from(error: Unable) -> Failure {
        Failure::ours(Class::Unsupported, error.to_string())
    }
}

impl From<InsertError> for Failure {
    fn from(error: InsertError) -> Failure {
        match error {
            InsertError::Unable(error) => error.into(),
            InsertError::Key(error) => error.into(),
            other => Failure::ours(Class::Full, other.to_string()),
        }
    }
}

impl From<LookupError> for Failure {
    fn from(error: LookupError) -> Failure {
        match error {
            LookupError::Unable(error) => error.into(),
            LookupError::Key(error) => error.into(),
            other => Failure::ours(Class::Unsupported, other.to_string()),
        }
    }
}

impl From<RemoveError> for Failure {
    fn from(error: RemoveError) -> Failure {
        match error {
            RemoveError::Unable(error) => error.into(),
            RemoveError::Key(error) => error.into(),
            other => Failure::ours(Class::Remove, other.to_string()),
        }
    }
}

impl From<Mismatch> for Failure {
    fn from(error: Mismatch) -> Failure {
        match error {
            Mismatch::OutOfMemory(error) => error.into(),
            Mismatch::Full(error) => Failure::ours(Class::Full, error.to_string()),
            other => Failure::ours(Class::Merge, other.to_string()),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        match error {
            BuildError::Size(error) => error.into(),
            BuildError::OutOfMemory(error) => error.into(),
            BuildError::Full(error) => Failure::ours(Class::Full, error.to_string()),
            other => {
                let cause = other.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                Failure::ours(Class::Build, format!("{other}{cause}"))
            }
        }
    }
}

impl From<ShareError> for Failure {
    fn from(error: ShareError) -> Failure {
        match error {
            ShareError::Load(error) => error.into(),
            ShareError::Io(error) => Failure::system(error, None),
            other => Failure::ours(Class::Unsupported, other.to_string()),
        }
    }
}

impl From<NotShared> for Failure {
    fn from(error: NotShared) -> Failure {
        match error {
            NotShared::OutOfMemory(error) => error.into(),
            other => Failure::ours(
                Class::Unsupported,
                format!("{other}; many threads can use classic, blocked, split and compressed"),
            ),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        match error {
            TableError::OutOfMemory(error) => error.into(),
            TableError::TooLong(error) => Failure::ours(Class::KeyValue, error.to_string()),
            other => Failure::ours(Class::Size, other.to_string()),
        }
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Failure {
        Failure::ours(Class::File, error.to_string())
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error {
            LoadError::Io(error) => Failure::system(error, None),
            LoadError::OutOfMemory(error) => error.into(),
            other => Failure::ours(Class::File, other.to_string()),
        }
    }
}

impl From<SaveError> for Failure {
    fn from(error: SaveError) -> Failure {
        match error {
            SaveError::Io(error) if error.kind() == ErrorKind::OutOfMemory => {
                Failure(Box::new(Cause::Memory(error.to_string())))
            }
            SaveError::Io(error) | SaveError::Unsynced(error) => Failure::system(error, None),
            other => Failure::ours(Class::File, other.to_string()),
        }
    }
}
