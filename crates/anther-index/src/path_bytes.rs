//! Paths as bytes: any on Unix, UTF-8 elsewhere.

use crate::error::IndexError;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A path as it is stored.
#[cfg(unix)]
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))
}

/// A path as it is stored.
#[cfg(not(unix))]
pub fn bytes_of(path: &Path) -> Cow<'_, [u8]> {
    Cow::Owned(path.to_string_lossy().into_owned().into_bytes())
}

/// A stored path.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> Result<PathBuf, IndexError> {
    if bytes.contains(&0) {
        return Err(IndexError::Corrupt("a path with a NUL byte"));
    }
    Ok(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into())
}

/// A stored path.
#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> Result<PathBuf, IndexError> {
    let text = std::str::from_utf8(bytes);
    text.map(PathBuf::from).map_err(|_| IndexError::Corrupt("a path that is not UTF-8"))
}
