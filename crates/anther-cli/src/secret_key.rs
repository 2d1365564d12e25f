//! Secret keys of keyed filters: reading them, and making new ones.
//!
//! A key is 16 bytes, written as 32 hexadecimal digits. It comes from a file or from the environment,
//! never from the command line, which every user of the machine can see.

use crate::exit::Stop;
use crate::filter_file::{self, Destination};
use crate::interrupt;
use crate::output;
use crate::temporary;
use anther::{LoadError, Open, Seed};
use clap::Args;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The path of a key file.
const FILE_VARIABLE: &str = "ANTHER_KEY_FILE";

/// The key itself.
const KEY_VARIABLE: &str = "ANTHER_KEY";

/// The bytes of a key.
pub type SecretKey = [u8; 16];

/// Where to find the secret key of a keyed filter.
#[derive(Args, Clone, Debug, Default)]
pub struct KeyArgs {
    /// File with the secret key of a keyed filter
    ///
    /// It has 32 hexadecimal digits. Without the option, the environment variable
    /// ANTHER_KEY_FILE names the file, or ANTHER_KEY is the key. Both variables are ignored for
    /// filters that are not keyed.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    key_file: Option<PathBuf>,
}

impl KeyArgs {
    /// The key of the file that the option names, for verbs that need none.
    pub fn given(&self) -> Result<Option<SecretKey>, Stop> {
        self.key_file.as_deref().map(read).transpose()
    }

    /// How to open a filter for queries.
    pub fn open(&self, filter: &Path) -> Result<Open, Stop> {
        match &self.key_file {
            Some(path) => Ok(Open::new().key(read(path)?)),
            None => self.open_if_keyed(filter),
        }
    }

    /// The same, but ignores the key for filters that are not keyed. For one of several filters, or
    /// without `--key-file`.
    pub fn open_if_keyed(&self, filter: &Path) -> Result<Open, Stop> {
        if filter_file::is_stream(filter) {
            return Ok(self.open_stream());
        }
        // Opening it will report what is wrong with the file.
        if !Open::is_keyed(filter).unwrap_or(false) {
            return Ok(Open::new());
        }
        let path = self.key_file.clone().or(variable(FILE_VARIABLE).map(PathBuf::from));
        Ok(match (path, variable(KEY_VARIABLE)) {
            (Some(path), _) => Open::new().key(read(&path)?),
            (None, Some(key)) => Open::new().key(of_variable(&key)?),
            (None, None) => Open::new(),
        })
    }

    /// For a stream, of which nobody knows beforehand whether it is keyed. If the key that the
    /// environment names cannot be read, a keyed filter will ask for it.
    fn open_stream(&self) -> Open {
        let file = self.key_file.clone().or(variable(FILE_VARIABLE).map(PathBuf::from));
        let key = match (file, variable(KEY_VARIABLE)) {
            (Some(path), _) => read(&path).ok(),
            (None, key) => key.and_then(|key| of_variable(&key).ok()),
        };
        key.map_or(Open::new(), |key| Open::new().key_if_keyed(key))
    }

    /// For a file on the web, of which nobody knows beforehand whether it is keyed; for one of
    /// several filters, or for the only one.
    #[cfg(feature = "http")]
    pub fn open_web(&self, is_among: bool) -> Result<Open, Stop> {
        match &self.key_file {
            Some(path) if !is_among => Ok(Open::new().key(read(path)?)),
            _ => Ok(self.open_stream()),
        }
    }

    /// The key of a new filter; a random one if the key file does not exist yet.
    pub fn for_new(&self, destination: &Destination) -> Result<NewKey, Stop> {
        let path = self.key_file.clone().or(variable(FILE_VARIABLE).map(PathBuf::from));
        let Some(path) = path else {
            let key = variable(KEY_VARIABLE).ok_or_else(|| {
                let cause = "needs a secret key, or a file for a new one";
                Stop::about("--keyed", format_args!("{cause}: {}", filter_file::NAME_THE_KEY))
            })?;
            return Ok(NewKey { key: of_variable(&key)?, place: None });
        };
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(NewKey { key: read(&path)?, place: None });
        }
        filter_file::check_folder(&path)?;
        if destination.would_be(&path) {
            let cause = "is both the filter and its key file; name another file for one of them";
            return Err(Stop::about(path.display(), cause));
        }
        let mut key = SecretKey::default();
        getrandom::fill(&mut key)
            .map_err(|error| Stop::about("cannot get random bytes from the system", error))?;
        Ok(NewKey { key, place: Some(path) })
    }

    /// Rejects --key-file without --keyed: nobody should take a plain filter for a keyed one.
    pub fn refuse(&self) -> Result<(), Stop> {
        match &self.key_file {
            None => Ok(()),
            Some(_) => Err(Stop::Error("--key-file needs --keyed; add it".to_string())),
        }
    }
}

impl KeyArgs {
    /// The seed of a new sketch: keyed if `--key-file` or the environment names a key.
    pub fn seed_of_new_sketch(&self) -> Result<Option<Seed>, Stop> {
        let path = self.key_file.clone().or(variable(FILE_VARIABLE).map(PathBuf::from));
        let key = match (path, variable(KEY_VARIABLE)) {
            (Some(path), _) => Some(read(&path)?),
            (None, key) => key.map(|key| of_variable(&key)).transpose()?,
        };
        Ok(key.map(Seed::keyed))
    }

    /// The seed for a sketch. The environment's key is for keyed ones only.
    pub fn seed_for_sketch(&self, is_keyed: bool) -> Result<Option<Seed>, Stop> {
        match self.key_file.is_none() && !is_keyed {
            true => Ok(None),
            false => self.seed_of_new_sketch(),
        }
    }

    /// Refuses `--key-file` for a filter of another system.
    pub fn refuse_for_foreign(&self, path: &Path) -> Result<(), Stop> {
        match &self.key_file {
            None => Ok(()),
            Some(_) => Err(filter_file::explained(path, LoadError::NotKeyed)),
        }
    }
}

/// The key of a new filter.
pub struct NewKey {
    key: SecretKey,
    /// Where to write it, if it is new.
    place: Option<PathBuf>,
}

impl NewKey {
    /// The seed of the filter.
    pub fn seed(&self) -> Seed {
        Seed::keyed(self.key)
    }

    /// Writes the key if it is new. This comes just before the filter is written, so that there is
    /// never a filter without its key, and hardly ever a key without its filter.
    pub fn write(&self) -> Result<KeyFile<'_>, Stop> {
        if let Some(path) = &self.place {
            write(path, &self.key).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Stop::about(
                    path.display(),
                    "was created meanwhile; run this again to use that key",
                ),
                _ => Stop::about(path.display(), format_args!("cannot write: {error}")),
            })?;
        }
        Ok(KeyFile { path: self.place.as_deref() })
    }
}

/// A new key file. It is removed again unless it is [kept](KeyFile::keep).
pub struct KeyFile<'a> {
    path: Option<&'a Path>,
}

impl KeyFile<'_> {
    /// Keeps the file: its filter is in its place.
    pub fn keep(mut self, quiet: bool) {
        if let Some(path) = self.path.take()
            && !quiet
        {
            output::complain(&format!(
                "{}: new secret key; keep it, the filter cannot be queried without it",
                path.display()
            ));
        }
    }
}

impl Drop for KeyFile<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path {
            // The error that led here is the one to report.
            let _ = fs::remove_file(path);
        }
    }
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn of_variable(value: &OsString) -> Result<SecretKey, Stop> {
    parse(value.as_encoded_bytes()).map_err(|cause| Stop::about(KEY_VARIABLE, cause))
}

fn read(path: &Path) -> Result<SecretKey, Stop> {
    let stop = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => {
            Stop::about(path.display(), "no such file; make a key with anther build --keyed")
        }
        _ => Stop::about(path.display(), format_args!("cannot read: {error}")),
    };
    let file = File::open(path).map_err(stop)?;
    warn_if_others_can_read(&file, path);
    let mut text = Vec::new();
    // If another file is named by mistake, its first bytes are enough to see that.
    file.take(256).read_to_end(&mut text).map_err(stop)?;
    parse(&text).map_err(|cause| Stop::about(path.display(), cause))
}

/// Messages do not show the text, which may be a key with a typo.
fn parse(text: &[u8]) -> Result<SecretKey, &'static str> {
    let wrong = "not a secret key, which is 32 hexadecimal digits (16 bytes)";
    let (pairs, []) = text.trim_ascii().as_chunks::<2>() else { return Err(wrong) };
    let pairs: &[[u8; 2]; 16] = pairs.try_into().map_err(|_| wrong)?;
    let mut key = SecretKey::default();
    for (byte, pair) in key.iter_mut().zip(pairs) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(wrong) };
        *byte = u8::try_from(16 * high + low).map_err(|_| wrong)?;
    }
    Ok(key)
}

#[cfg(unix)]
fn warn_if_others_can_read(file: &File, path: &Path) {
    use std::os::unix::fs::MetadataExt;
    let Ok(meta) = file.metadata() else { return };
    if meta.is_file() && meta.mode() & 0o077 != 0 {
        let path = path.display();
        output::complain(&format!(
            "warning: {path}: other users can read this key (mode {:03o}); chmod 600 {path}",
            meta.mode() & 0o777
        ));
    }
}

#[cfg(not(unix))]
fn warn_if_others_can_read(_: &File, _: &Path) {}

/// Writes a key to a new file that only its owner can read. Atomic: a process that is killed
/// meanwhile leaves the whole file or nothing.
fn write(path: &Path, key: &SecretKey) -> io::Result<()> {
    let folder = filter_file::folder_of(path);
    let text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let _whole = interrupt::not_now();
    if !write_unnamed(folder, path, &text)? {
        // Under a random name. A process that is killed here leaves this file, with the key in it.
        let mut file = temporary::private_in(folder)?;
        writeln!(file.as_file_mut(), "{text}")?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path).map_err(|error| error.error)?;
    }
    // Otherwise a power failure could leave the filter without its key.
    filter_file::sync_folder(folder)
}

/// The same with a file that has no name until it is complete. False if the system or the file
/// system does not support that.
#[cfg(target_os = "linux")]
fn write_unnamed(folder: &Path, path: &Path, text: &str) -> io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use std::os::fd::AsRawFd;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let Ok(file) = open(folder, flags, Mode::RUSR | Mode::WUSR) else { return Ok(false) };
    let mut file = File::from(file);
    writeln!(file, "{text}")?;
    file.sync_all()?;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    match linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW) {
        Ok(()) => Ok(true),
        // The name is taken.
        Err(rustix::io::Errno::EXIST) => Err(ErrorKind::AlreadyExists.into()),
        // Without /proc.
        Err(_) => Ok(false),
    }
}

#[cfg(not(target_os = "linux"))]
fn write_unnamed(_: &Path, _: &Path, _: &str) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_key_is_32_hexadecimal_digits() {
        let key = *b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff";
        for text in [
            &b"000102030405060708090a0b0c0d0eff"[..],
            b"000102030405060708090A0B0C0D0EFF\n",
            b" 000102030405060708090a0b0c0d0eff\r\n",
        ] {
            assert_eq!(parse(text), Ok(key));
        }
        for wrong in [
            &b""[..],
            b"000102030405060708090a0b0c0d0ef",
            b"000102030405060708090a0b0c0d0eff0",
            b"000102030405060708090a0b0c0d0eff00",
            b"000102030405060708090a0b0c0d0egg",
            b"0001020304050607 08090a0b0c0d0eff",
            b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff",
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
