//! Inputs: files and standard input, plain or compressed.

use crate::compressed::Unpacked;
use crate::content;
use crate::exit::Stop;
use crate::output;
use crate::stdin;
use anther::recipe::Format;
use anther_records::extract::Extraction;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

/// An input with records.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// Standard input that can be read more than once.
    Held(Arc<Held>),
    /// Keys of the command line. They are keys as they are, without columns.
    Keys(Arc<[OsString]>),
}

/// Standard input as a file.
#[derive(Debug)]
pub struct Held {
    file: File,
    /// The offset of the first byte.
    start: u64,
}

impl Input {
    /// The inputs of a command line. `-`, or no argument at all, is standard input.
    pub fn all(paths: &[PathBuf]) -> Vec<Input> {
        let source = |path: &PathBuf| match path.to_str() {
            Some("-") => Input::Stdin,
            _ => Input::File(path.clone()),
        };
        if paths.is_empty() { vec![Input::Stdin] } else { paths.iter().map(source).collect() }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Stdin | Input::Held(_) => "standard input".to_string(),
            Input::Keys(_) => "-k".to_string(),
        }
    }

    /// Checks that it can be read, as far as that is possible before reading it: an error in the
    /// last of many inputs should not come after an hour.
    pub fn check(&self) -> Result<(), Stop> {
        let Input::File(path) = self else { return Ok(()) };
        let trouble = |cause: &str| Err(Stop::about(path.display(), cause));
        match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                trouble("no such file; check the path")
            }
            Err(error) => trouble(&format!("cannot read: {error}")),
            Ok(meta) if meta.is_dir() => trouble("is a folder; name the files in it"),
            Ok(_) => Ok(()),
        }
    }

    /// Checks that a file is a list, by its first bytes, decompressed.
    pub fn check_content(&self) -> Result<(), Stop> {
        let Input::File(path) = self else { return Ok(()) };
        // Reading from a pipe would consume its first bytes.
        if self.len().is_none() {
            return Ok(());
        }
        let trouble = |cause: String| Stop::about(self.name(), cause);
        let cannot = |error| trouble(format!("cannot read: {error}"));
        let file = File::open(path).map_err(cannot)?;
        let mut start = Vec::new();
        let mut unpacked = Unpacked::of(Box::new(file)).map_err(cannot)?;
        let read = (&mut unpacked).take(content::START).read_to_end(&mut start);
        read.map_err(|error| trouble(unpacked.explain(&error)))?;
        let packing = unpacked.packing();
        if cfg!(feature = "parquet") && packing.is_none() && content::is_parquet(&start) {
            return Ok(());
        }
        content::file_type(&start, packing).map_or(Ok(()), |cause| Err(trouble(cause)))
    }

    /// Its size in bytes, if that is known.
    pub fn len(&self) -> Option<u64> {
        let meta = match self {
            Input::Stdin => return None,
            Input::File(path) => fs::metadata(path),
            Input::Held(held) => held.file.metadata(),
            Input::Keys(keys) => return Some(keys.iter().map(|key| key.len() as u64).sum()),
        };
        meta.ok().filter(|meta| meta.is_file()).map(|meta| meta.len())
    }

    /// Whether it can be read a second time.
    pub fn can_be_read_again(&self) -> bool {
        self.len().is_some()
    }

    /// Opens it. `stdin` is what is left of standard input.
    pub fn open(
        &self,
        how: &Extraction,
        stdin: &mut Option<Box<dyn Read + Send>>,
    ) -> io::Result<Opened> {
        let reader: Box<dyn Read + Send> = match self {
            Input::Stdin => stdin.take().unwrap_or_else(|| Box::new(io::empty())),
            Input::File(path) => return rows(File::open(path)?, how),
            Input::Held(held) => {
                let mut file = held.file.try_clone()?;
                file.seek(SeekFrom::Start(held.start))?;
                Box::new(file)
            }
            // `Reading` takes them without reading anything.
            Input::Keys(_) => Box::new(io::empty()),
        };
        if how.place.format == Format::Parquet {
            return Err(io::Error::other(
                "a Parquet file is read from its end, which a pipe cannot do; name the file instead",
            ));
        }
        Ok(Opened { reader, is_rows: false })
    }

    /// Whether it is a terminal, so that the user has to type keys.
    pub fn is_typed(&self) -> bool {
        matches!(self, Input::Stdin) && io::stdin().is_terminal()
    }

    /// Standard input in a form that can be read more than once: itself if it is a file, otherwise
    /// a copy in an unnamed temporary file.
    pub fn held() -> Result<Input, Stop> {
        let trouble = |error| {
            Stop::about(
                "standard input",
                format_args!("cannot copy it to a temporary file: {error}"),
            )
        };
        let held = match stdin::as_file() {
            Some(mut file) => {
                let start = file.stream_position().map_err(trouble)?;
                Held { file, start }
            }
            None => {
                let mut file = tempfile::tempfile().map_err(trouble)?;
                io::copy(&mut io::stdin().lock(), &mut file).map_err(trouble)?;
                Held { file, start: 0 }
            }
        };
        Ok(Input::Held(Arc::new(held)))
    }
}

/// An open input.
pub struct Opened {
    /// Its bytes.
    pub reader: Box<dyn Read + Send>,
    /// Whether they are the columns of a Parquet file, as CSV.
    pub is_rows: bool,
}

/// The text of a file, which for a Parquet file is that of its columns.
#[cfg(feature = "parquet")]
fn rows(mut file: File, how: &Extraction) -> io::Result<Opened> {
    // A pipe cannot be rewound, and a Parquet file is read from its end.
    let mut start = Vec::new();
    if file.metadata()?.is_file() {
        (&file).take(content::START).read_to_end(&mut start)?;
        file.rewind()?;
    }
    if content::is_parquet(&start) && !how.binary {
        let reader = Box::new(crate::parquet::Rows::open(file, how)?);
        return Ok(Opened { reader, is_rows: true });
    }
    plain(file, how)
}

#[cfg(not(feature = "parquet"))]
fn rows(file: File, how: &Extraction) -> io::Result<Opened> {
    plain(file, how)
}

fn plain(file: File, how: &Extraction) -> io::Result<Opened> {
    if how.place.format == Format::Parquet {
        return Err(io::Error::other("not a Parquet file; use another --format"));
    }
    Ok(Opened { reader: Box::new(file), is_rows: false })
}

/// If keys have to be typed, says so, and how to end them.
pub fn say_if_typed(sources: &[Input]) {
    if sources.iter().any(Input::is_typed) {
        output::note("reading keys from the terminal, one per line; end with Ctrl-D");
    }
}
