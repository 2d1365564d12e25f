//! What is known of files on the web, in files of a folder.
//!
//! A file has the bytes that opening a filter took, under the address and the entity tag of the
//! filter's file. Its last word is a hash of the rest: what is damaged, of another address or of
//! another release is as good as nothing, and is written anew.

use super::client::Version;
use super::ranges::Known;
use crate::temporary;
use anther::Seed;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use url::Url;

/// How a file begins.
const SIGNATURE: &[u8] = b"anther web cache 1\n";

/// The largest file that is read: a directory of 16 MiB, and what belongs to it.
const MOST: u64 = 20 << 20;

/// A folder of such files.
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// In this folder, or in the user's own. `None` if there is no such folder.
    pub fn new(folder: Option<&Path>) -> Option<Cache> {
        let named = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let own = || match named("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
            Some(folder) => Some(folder.join("anther")),
            None => named("HOME").map(|home| home.join(".cache").join("anther")),
        };
        Some(Cache { folder: folder.map(Path::to_path_buf).or_else(own)? })
    }

    fn path(&self, url: &Url) -> PathBuf {
        self.folder.join(format!("{:016x}.web", hash(url.as_str().as_bytes())))
    }

    /// What is in the place of the file for this address and is no file: a FIFO, a folder. Opening a
    /// FIFO would wait for its writer, and a rename would replace it.
    pub fn obstacle(&self, url: &Url) -> Option<PathBuf> {
        let path = self.path(url);
        let is_other = fs::metadata(&path).is_ok_and(|meta| !meta.is_file());
        is_other.then_some(path)
    }

    /// What is known of the file at this address.
    pub fn read(&self, url: &Url) -> Option<(Version, Known)> {
        let mut bytes = Vec::new();
        File::open(self.path(url)).ok()?.take(MOST + 1).read_to_end(&mut bytes).ok()?;
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        if bytes.len() as u64 > MOST || u64::from_le_bytes(*sum) != hash(body) {
            return None;
        }
        let mut rest = body.strip_prefix(SIGNATURE)?;
        if take(&mut rest)? != url.as_str().as_bytes() {
            return None;
        }
        let validator = Some(String::from_utf8(take(&mut rest)?.to_vec()).ok()?);
        let version = Version { len: number(&mut rest)?, validator };
        let mut known = Vec::new();
        while !rest.is_empty() {
            let start = number(&mut rest)?;
            let range = start..number(&mut rest)?;
            known.push((range, take(&mut rest)?.to_vec()));
        }
        version.tag()?;
        Some((version, known))
    }

    /// Keeps what is known, if it has an entity tag. Atomic, and readable by its owner alone: an
    /// address may have a password.
    pub fn write(&self, url: &Url, version: &Version, known: &Known) -> io::Result<()> {
        let Some(tag) = version.tag() else { return Ok(()) };
        let mut bytes = SIGNATURE.to_vec();
        put(&mut bytes, url.as_str().as_bytes());
        put(&mut bytes, tag.as_bytes());
        bytes.extend(version.len.to_le_bytes());
        for (range, part) in known {
            bytes.extend(range.start.to_le_bytes());
            bytes.extend(range.end.to_le_bytes());
            put(&mut bytes, part);
        }
        bytes.extend(hash(&bytes).to_le_bytes());
        if bytes.len() as u64 > MOST {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let mut file = temporary::private_in(&self.folder)?;
        file.write_all(&bytes)?;
        file.persist(self.path(url))?;
        Ok(())
    }

    /// The folder, for a message.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// XXH3-64: finds accidents.
fn hash(bytes: &[u8]) -> u64 {
    Seed::FIXED.hash_bytes(bytes).0
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (number, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    Some(u64::from_le_bytes(*number))
}

fn take<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(number(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(bytes)
}
