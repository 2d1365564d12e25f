//! Search indexes in files: opening them, and what to say if that fails.

use crate::exit::Stop;
use crate::interrupt;
use crate::output::shown;
use anther::SaveError;
use anther_index::{Index, IndexError};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Whether a regular file begins as an index does.
pub fn is_index(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = match path.is_file() {
        true => File::open(path).and_then(|file| file.take(16).read_to_end(&mut start)),
        false => return false,
    };
    read.is_ok() && Index::begins(&start)
}

/// Opens an index.
pub fn open(path: &Path) -> Result<Index, Stop> {
    Index::open(path).map_err(|error| explained(path, error))
}

/// An error about an index, with what to do.
pub fn explained(path: &Path, error: IndexError) -> Stop {
    let cause = match error {
        IndexError::Save(SaveError::Cancelled) => interrupt::wait(),
        IndexError::Io(cause) if cause.kind() == ErrorKind::NotFound => {
            "no such index; make one with: anther index INDEX DIR".to_string()
        }
        IndexError::Io(cause) if cause.kind() == ErrorKind::IsADirectory => {
            "is a folder; name an index".to_string()
        }
        IndexError::NotAnIndex => {
            "not a search index; make one with: anther index INDEX DIR".to_string()
        }
        IndexError::Save(SaveError::Io(cause)) if cause.kind() == ErrorKind::AlreadyExists => {
            "was created meanwhile; to update it, run the same again".to_string()
        }
        IndexError::Root { path, error } => match error.kind() {
            ErrorKind::NotFound => {
                return Stop::about(shown(&path), "no such file or folder");
            }
            _ => return Stop::about(shown(&path), error),
        },
        IndexError::RootGone { path: root, cause } => {
            format!("not updated: {}: {cause}", shown(&root))
        }
        other => other.to_string(),
    };
    Stop::about(shown(path), cause)
}
