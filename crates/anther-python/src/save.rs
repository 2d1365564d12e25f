//! Filters to files and bytes.

use crate::error::{Class, Failure};
use crate::keys::type_name;
use anther::error::SaveError;
use anther::format::Writable;
use anther::{Lock, Save};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long saving waits for others who change the file. Not for ever: it may be this thread that
/// has the file open.
const PATIENCE: Duration = Duration::from_secs(10);

/// The lock of a file that is to be replaced, if there is one. Without it, what others are adding to
/// the file would be lost, or they would overwrite what is saved.
pub fn lock(py: Python<'_>, path: &Path) -> Result<Option<Lock>, Failure> {
    let (start, mut pause) = (Instant::now(), Duration::from_millis(1));
    // Others than plain files, such as pipes, would block.
    while path.is_file() {
        match py.detach(|| Lock::try_exclusive(path)) {
            Ok(Some(lock)) => return Ok(Some(lock)),
            Ok(None) if start.elapsed() < PATIENCE => {}
            Ok(None) => {
                let path = path.display();
                return Err(Failure::ours(
                    Class::File,
                    format!("{path}: it is being changed, or open in a Shared; try again"),
                ));
            }
            // It may be replaced, though not read, and so not locked.
            Err(_) => return Ok(None),
        }
        py.check_signals()?;
        py.detach(|| std::thread::sleep(pause));
        pause = (2 * pause).min(Duration::from_millis(50));
    }
    Ok(None)
}

/// Saves to a file, which may be locked.
pub fn file(what: &impl Writable, path: &Path, lock: Option<Lock>) -> Result<(), Failure> {
    let saved = match lock {
        Some(lock) => Save::new().locked(what, &lock),
        None => Save::new().file(what, path),
    };
    saved.map_err(|error| Failure::of_save(error, path))
}

/// The bytes of its file, or an error if there is no memory for them.
pub fn bytes(what: &impl Writable) -> Result<Vec<u8>, SaveError> {
    let mut bytes = Bytes(Vec::new());
    Save::new().writer(what, &mut bytes)?;
    Ok(bytes.0)
}

struct Bytes(Vec<u8>);

impl Write for Bytes {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(more.len()).map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
        self.0.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of Python's. `PyBytes::new` would panic if there is no memory for them.
pub fn to_python<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |slots| {
        slots.copy_from_slice(bytes);
        Ok(())
    })
}

/// The bytes of an argument: a copy, if they can change.
pub fn from_python<'py>(data: &Bound<'py, PyAny>) -> Result<Bound<'py, PyBytes>, Failure> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    if data.cast::<PyByteArray>().is_ok() || data.cast::<PyMemoryView>().is_ok() {
        let copy = data.py().get_type::<PyBytes>().call1((data,))?;
        return Ok(copy.cast_into::<PyBytes>().map_err(PyErr::from)?);
    }
    Err(Failure::wrong_type(format!("data must be bytes, not {}", type_name(data))))
}
