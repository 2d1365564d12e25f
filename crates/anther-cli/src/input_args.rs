//! Which arguments are keys, and which are files of keys: `-k` and `-f` say it everywhere. Without
//! them, they are keys for verbs that look keys up, and files for verbs that insert or remove them.

use crate::exit::Stop;
use crate::input::Input;
use crate::output;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Keys and files of keys.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// Files of keys, one per line; `-` is standard input
    #[arg(short = 'f', long = "files", alias = "file", value_name = "FILE", num_args = 1..)]
    named_files: Vec<PathBuf>,
    /// Keys, named here instead of in a file
    #[arg(short = 'k', long = "keys", value_name = "KEY", num_args = 1..)]
    #[arg(allow_negative_numbers = true)]
    named_keys: Vec<OsString>,
}

impl InputArgs {
    /// The inputs of a verb whose bare arguments are files; standard input if there are none. The
    /// verb does `what` with the keys.
    pub fn sources(&self, bare: &[PathBuf], what: &str) -> Result<Vec<Input>, Stop> {
        let mut sources = Vec::new();
        if !self.named_keys.is_empty() {
            sources.push(Input::Keys(self.named_keys.clone().into()));
        }
        let files: Vec<PathBuf> = bare.iter().chain(&self.named_files).cloned().collect();
        if sources.is_empty() || !files.is_empty() {
            sources.extend(Input::all(&files));
        }
        for source in &sources {
            if let Input::File(path) = source
                && bare.contains(path)
                && path.symlink_metadata().is_err_and(|it| it.kind() == ErrorKind::NotFound)
            {
                let name = path.display();
                let option = if name.to_string().starts_with('-') { "-k=" } else { "-k " };
                let cause = format!(
                    "no such file; check the path, or to {what} it as a key, use {option}{name}"
                );
                return Err(Stop::about(name, cause));
            }
            source.check()?;
        }
        Ok(sources)
    }

    /// Whether files were named with `-f`.
    pub fn names_files(&self) -> bool {
        !self.named_files.is_empty()
    }

    /// The keys of a verb whose bare arguments are keys.
    pub fn keys(&self, bare: &[OsString]) -> Vec<OsString> {
        bare.iter().chain(&self.named_keys).cloned().collect()
    }

    /// The files of such a verb; standard input if there are neither keys nor files.
    pub fn files(&self, bare: &[OsString]) -> Result<Vec<Input>, Stop> {
        let has_keys = !bare.is_empty() || !self.named_keys.is_empty();
        if has_keys && self.named_files.is_empty() {
            return Ok(Vec::new());
        }
        let files = Input::all(&self.named_files);
        files.iter().try_for_each(Input::check)?;
        Ok(files)
    }

    /// If no key was found: tells the user who has named a file that its name is looked up as a key,
    /// and the one whose key has a line ending: `read` in a shell keeps the CR of CR LF.
    pub fn hint(&self, bare: &[OsString]) {
        let mut keys = bare.iter().chain(&self.named_keys);
        if keys.any(|key| key.as_encoded_bytes().ends_with(b"\r")) {
            output::note("a key ends with CR, which is looked up with it; drop it: tr -d '\\r'");
        }
        let ([key], []) = (bare, &self.named_keys[..]) else { return };
        let key: &OsStr = key;
        if key == "-" {
            output::note(
                "- is looked up as a key; to look up the lines of standard input, leave it out",
            );
        } else if Path::new(key).is_file() {
            let name = Path::new(key).display();
            output::note(&format!(
                "{name} is looked up as a key; to look up the lines of the file, use -f {name}"
            ));
        }
    }
}
