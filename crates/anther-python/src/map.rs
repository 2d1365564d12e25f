//! Mapping files.
#![expect(unsafe_code, reason = "a mapped file is memory that others may change")]

use anther::FileMap;
use anther::error::LoadError;
use std::io::ErrorKind;
use std::path::Path;

/// Maps a file.
pub fn open(path: &Path) -> Result<FileMap, LoadError> {
    if path.is_dir() {
        // Mapping one fails with "no such device".
        return Err(std::fs::read(path).err().unwrap_or(ErrorKind::IsADirectory.into()).into());
    }
    // SAFETY: `map=True` says in its documentation that nobody may change the file meanwhile; it is
    // the caller who vouches for that.
    Ok(unsafe { FileMap::open(path) }?)
}
