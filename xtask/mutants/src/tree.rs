//! A copy of the workspace, in which the library has switches.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::list::Mutant;
use crate::switch::{self, MODULE, Switched};

const LIBRARY: &str = "crates/anther/src/lib.rs";

/// Where the copy is, and the lines of each mutant in it.
pub struct Tree {
    pub root: PathBuf,
    lines: BTreeMap<String, Vec<(usize, usize, u32)>>,
}

impl Tree {
    /// Copies all files that git knows or would add. A file that is there already, with the same
    /// content, is left alone: cargo compiles what is newer.
    pub fn copy(from: &Path, to: &Path, mutants: &BTreeMap<u32, &Mutant>) -> Result<Self, String> {
        let mut by_file: BTreeMap<&str, Vec<(u32, &Mutant)>> = BTreeMap::new();
        for (number, mutant) in mutants {
            by_file.entry(&mutant.file).or_default().push((*number, mutant));
        }
        let mut lines = BTreeMap::new();
        for name in files(from)? {
            let path = from.join(&name);
            // Deleted, but not yet for git.
            let Ok(content) = fs::read(&path) else { continue };
            let content = if let Some(mutants) = by_file.get(name.as_str()) {
                let text =
                    String::from_utf8(content).map_err(|error| format!("{name}: {error}"))?;
                let Switched { text, lines: of_file } =
                    switch::switched(&text, mutants).map_err(|error| format!("{name}: {error}"))?;
                lines.insert(name.clone(), of_file);
                text.into_bytes()
            } else if name == LIBRARY {
                let text = String::from_utf8_lossy(&content);
                format!("{}{text}\npub mod {MODULE};\n", switch::FEATURES).into_bytes()
            } else {
                content
            };
            write(&to.join(&name), &content)?;
        }
        let count = mutants.keys().max().copied().unwrap_or_default() as usize;
        let module = Path::new(LIBRARY).with_file_name(format!("{MODULE}.rs"));
        write(&to.join(module), switch::module(count).as_bytes())?;
        Ok(Self { root: to.to_path_buf(), lines })
    }

    /// The mutant whose copy is on this line.
    pub fn mutant_at(&self, file: &str, line: usize) -> Option<u32> {
        let lines = self.lines.get(file)?;
        lines.iter().find(|(first, last, _)| (*first..=*last).contains(&line)).map(|found| found.2)
    }
}

fn files(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git: {}", String::from_utf8_lossy(&output.stderr).trim_end()));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))
        .and_then(|()| fs::write(path, content))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
