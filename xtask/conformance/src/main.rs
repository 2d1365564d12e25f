//! The vectors of `conformance/`: files of the format, what is in them, and `vectors.json`, which
//! says it. Readers in other languages are tested by them.
//!
//! `cargo run -p conformance` makes all of them anew and compares, byte for byte; with `ANTHER_NEW_GOLDEN=1` it
//! writes them. If that changes a file, the format has changed.
//!
//! `--many KEYS FOLDER` makes larger ones, which are not kept: `many.rs`.

mod container;
mod filters;
mod forged;
mod hashes;
mod json;
mod keys;
mod many;
mod others;
mod reads;
mod recipes;

use container::Container;
use json::{Object, lines, list};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

type Outcome<T> = Result<T, Box<dyn Error>>;

const JSON: &str = "vectors.json";

/// A file of the kit, and its line in `vectors.json`.
struct VectorFile {
    name: String,
    bytes: Vec<u8>,
    entry: String,
}

impl VectorFile {
    /// What every entry begins with: the file, and what its container holds.
    fn entry(name: &str, kind: &str, bytes: &[u8], how: Object) -> Outcome<Object> {
        let parts = Container::parse(bytes).ok_or_else(|| format!("{name}: no container"))?;
        let field = |(name, form, value): &(String, u8, u64)| {
            format!("[\"{name}\",{form},\"{value:016x}\"]")
        };
        let sections = parts
            .sections
            .iter()
            .map(|section| format!("[\"{}\",{},{}]", section.name, section.encoding, section.len));
        let entry = Object::new().text("file", format!("files/{name}.anther")).text("kind", kind);
        Ok(how
            .before(entry)
            .raw("fields", list(parts.fields.iter().map(field)))
            .raw("sections", list(sections)))
    }
}

fn main() -> ExitCode {
    let outcome = run(env::args().skip(1).collect());
    outcome.unwrap_or_else(|error| {
        eprintln!("conformance: {error}");
        ExitCode::FAILURE
    })
}

fn run(args: Vec<String>) -> Outcome<ExitCode> {
    let (flags, folders): (Vec<_>, Vec<_>) = args.into_iter().partition(|arg| arg.starts_with('-'));
    match flags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--many"] => return many::write(&folders),
        _ => return Err("usage: conformance [FOLDER], or --many KEYS FOLDER".into()),
    }
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let folder = folders.first().map_or(kit, PathBuf::from);
    let now = made()?;
    if env::var_os("ANTHER_NEW_GOLDEN").is_some() {
        for (name, bytes) in &now {
            put(&folder, name, bytes)?;
        }
    }
    let different = differences(&folder, &now)?;
    for name in &different {
        let advice = match now.contains_key(name) {
            true => "not what the library writes and answers; ANTHER_NEW_GOLDEN=1 writes it anew",
            false => "not one of the vectors; remove it",
        };
        println!("{name}: {advice}");
    }
    println!("{} files, {} differ", now.len(), different.len());
    Ok(if different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All files of the kit by name, as the library makes them now.
fn made() -> Outcome<BTreeMap<String, Vec<u8>>> {
    let mut files = filters::files()?;
    files.extend(recipes::files()?);
    files.extend(others::files()?);
    let refused = forged::files(&files)?;
    kit(&keys::sets(), files, refused)
}

/// The files of a kit by name, and its `vectors.json`.
fn kit(
    sets: &[keys::KeySet],
    files: Vec<VectorFile>,
    refused: Vec<VectorFile>,
) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let set = |(name, keys): &keys::KeySet| {
        let keys = list(keys.iter().map(keys::VectorKey::to_json));
        Object::new().text("name", name).raw("keys", keys).end()
    };
    let sets: Vec<String> = sets.iter().map(set).collect();
    let entries = |files: &[VectorFile]| -> Vec<String> {
        files.iter().map(|file| file.entry.clone()).collect()
    };
    let parts = [
        "{\"version\":1".to_string(),
        lines("seeds", &hashes::seeds()),
        lines("hashes", &hashes::hashes()),
        lines("positions", &hashes::positions()),
        lines("symbols", &others::symbols()?),
        lines("sets", &sets),
        lines("files", &entries(&files)),
        lines("refused", &entries(&refused)),
    ];
    let mut all: BTreeMap<_, _> =
        files.into_iter().chain(refused).map(|file| (file.name, file.bytes)).collect();
    all.insert(JSON.to_string(), (parts.join(",\n") + "}\n").into_bytes());
    Ok(all)
}

/// Writes a file of a kit, and makes its folder.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> Outcome<()> {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap_or(folder))?;
    Ok(fs::write(&path, bytes)?)
}

/// The names of files that are missing, differ, or are in the folders and not known.
fn differences(folder: &Path, now: &BTreeMap<String, Vec<u8>>) -> Outcome<BTreeSet<String>> {
    let mut names: BTreeSet<String> = now.keys().cloned().collect();
    for part in ["files", "refused"] {
        let Ok(found) = fs::read_dir(folder.join(part)) else { continue };
        for file in found {
            names.insert(format!("{part}/{}", file?.file_name().to_string_lossy()));
        }
    }
    names.retain(|name| fs::read(folder.join(name)).ok().as_ref() != now.get(name));
    Ok(names)
}
