//! Kits with very many keys of every type, one for each kind that the readers in other languages
//! have: `cargo xtask conformance` makes them and passes them to the readers. They have the form of
//! the kit in the repository, so that a reader's own checker goes through them.

use crate::{Outcome, VectorFile, filters, forged, keys, kit, put, recipes};
use anther::Kind;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The kinds that every reader has.
const KINDS: [Kind; 3] = [Kind::Classic, Kind::Blocked, Kind::Ribbon];

/// Makes a folder for each kind, or for those that are named; what was there is removed.
pub fn write(args: &[String]) -> Outcome<ExitCode> {
    let [count, folder, names @ ..] = args else {
        return Err("--many takes a number of keys and a folder".into());
    };
    let count: usize = count.parse().map_err(|_| format!("`{count}`: not a number of keys"))?;
    let wanted = |kind: &Kind| names.is_empty() || names.iter().any(|name| name == kind.name());
    for kind in KINDS.into_iter().filter(wanted) {
        let folder = Path::new(folder).join(kind.name());
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        for (name, bytes) in &made(kind, count)? {
            put(&folder, name, bytes)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// With what a checker insists on: files to refuse, and one with a recipe, which it leaves out.
fn made(kind: Kind, count: usize) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let has_recipe = |file: &VectorFile| {
        file.entry.contains("[\"recipe\",")
            && KINDS.iter().any(|kind| file.entry.contains(&format!("\"kind\":\"{kind}\"")))
    };
    let refused = forged::files(&filters::files()?)?;
    let mut files = filters::many(kind, count)?;
    files.extend(recipes::files()?.into_iter().find(has_recipe));
    kit(&[(keys::MANY, keys::many(count))], files, refused)
}
