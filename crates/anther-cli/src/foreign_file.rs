//! Filters of other systems, opened by their content where the program opens its own.

use crate::compressed::Packing;
use crate::escaped;
use crate::exit::Stop;
use crate::filter_file::{self, Sized};
use crate::output::shown;
use crate::{content, signature, units};
use anther::any::AnyFile;
use anther::foreign::cassandra::Sstable;
use anther::foreign::{Entry, ForeignFile, ForeignFilter, OpenForeign, System, WriteFormat};
use anther::format::Readable;
use anther::{ForeignError, LoadError, Open};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::Path;

/// Which system wrote a file.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct FromArgs {
    /// The system that wrote the file, if its content does not tell
    ///
    /// One of cassandra, or cassandra:nb with the version of an sstable whose file has lost its name;
    /// dcso, guava, hbase, parquet, parquet-bitset (bits without a header), redisbloom, spark and
    /// squid.
    #[arg(long, value_name = "SYSTEM", value_parser = parse_from, hide_short_help = true)]
    from: Option<Origin>,
}

/// The same, and which of its filters is meant.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ForeignArgs {
    #[command(flatten)]
    system: FromArgs,
    /// Which filter of a file that has several: a key of an RDB file, a column of a Parquet file
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    entry: Option<String>,
    /// Whether this is one of several files. Then those with one filter have no use for `--entry`.
    #[arg(skip)]
    is_among: bool,
}

/// What `--from` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    System(System),
    /// Cassandra, and the version of the sstable.
    Cassandra(Sstable),
    /// Parquet's bits without their header.
    ParquetBitset,
}

/// The name of Parquet's bits without their header.
const BITSET: &str = "parquet-bitset";

fn parse_from(text: &str) -> Result<Origin, String> {
    if text == BITSET {
        return Ok(Origin::ParquetBitset);
    }
    if let Some(version) = text.strip_prefix("cassandra:") {
        let version = version.parse::<Sstable>();
        return version.map(Origin::Cassandra).map_err(|error| error.to_string());
    }
    let known = System::ALL.iter().find(|system| system.name() == text);
    known
        .map(|system| Origin::System(*system))
        .ok_or_else(|| format!("no such system; the systems are {}", system_names()))
}

/// The names that `--from` takes.
fn system_names() -> String {
    let names = System::ALL.iter().map(|system| system.name());
    let mut names: Vec<&str> = names.chain([BITSET]).collect();
    names.sort_unstable();
    names.join(", ")
}

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatArg(pub WriteFormat);

/// Parses a format to write.
pub fn formats() -> impl TypedValueParser<Value = FormatArg> {
    let names = WriteFormat::ALL.iter().map(|format| format.name());
    PossibleValuesParser::new(names).try_map(|name| {
        let known = WriteFormat::ALL.iter().copied().find(|format| format.name() == name);
        known.map(FormatArg).ok_or_else(|| "no such format".to_string())
    })
}

/// What is in a file.
pub enum Contents<C = AnyFile> {
    /// A filter or a range filter of ours.
    Own(C),
    /// Filters of another system.
    Foreign(ForeignFile),
}

/// The most that is read from a pipe. It has to be in memory, since these formats are read from
/// both ends.
const HELD: u64 = 1 << 30;

impl ForeignArgs {
    /// The first of these options that was given.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [("--entry", self.entry.is_some()), ("--from", self.system.from.is_some())];
        given.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    }

    /// Opens a filter of ours or of another system. `-` is standard input.
    pub fn open(&self, path: &Path, how: Open) -> Result<Sized<Contents>, Stop> {
        let opened = self.system.open(path, how).map_err(|error| error.explained(path))?;
        if let (Contents::Own(_), Some(_), false) = (&opened.contents, &self.entry, self.is_among) {
            let path = shown(path);
            let cause = format!("{path} is a filter of anther, and the only one in it");
            return Err(Stop::about("--entry", format_args!("{cause}; leave it out")));
        }
        Ok(opened)
    }
}

impl FromArgs {
    /// Opens a filter of ours or of another system, with the error as it is.
    pub fn open<C: Readable>(
        &self,
        path: &Path,
        how: Open,
    ) -> Result<Sized<Contents<C>>, OpenError> {
        if filter_file::is_stream(path) {
            return match filter_file::is_stdin(path) {
                true => self.read(io::stdin().lock(), how),
                false => self.read(File::open(path).map_err(LoadError::from)?, how),
            };
        }
        if self.from.is_none() {
            match filter_file::read(path, how) {
                Ok(Sized { contents, bytes }) => {
                    return Ok(Sized { contents: Contents::Own(contents), bytes });
                }
                Err(LoadError::NotAnther) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let bytes = std::fs::metadata(path).map(|meta| meta.len()).ok();
        let start = first_bytes(path).map_err(LoadError::from)?;
        match self.system().file(path) {
            Ok(file) => Ok(Sized { contents: Contents::Foreign(file), bytes }),
            Err(ForeignError::Unknown) => {
                Err(signature::of_file(path).map_or_else(|| unknown(&start), OpenError::Named))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn system(&self) -> OpenForeign {
        let open = OpenForeign::new();
        match self.from {
            None => open,
            Some(Origin::System(system)) => open.system(system),
            Some(Origin::Cassandra(version)) => open.system(System::Cassandra).sstable(version),
            Some(Origin::ParquetBitset) => open.system(System::Parquet).bare(),
        }
    }

    /// Reads a filter that can be read only once.
    fn read<C: Readable>(
        &self,
        mut reader: impl Read,
        how: Open,
    ) -> Result<Sized<Contents<C>>, OpenError> {
        let mut held = Vec::new();
        let fill = |reader: &mut dyn Read, held: &mut Vec<u8>, len: u64| {
            let more = len.saturating_sub(held.len() as u64);
            reader.take(more).read_to_end(held).map_err(LoadError::from)
        };
        fill(&mut reader, &mut held, filter_file::SIGNATURE.len() as u64)?;
        if self.from.is_none() && held.starts_with(filter_file::SIGNATURE) {
            let Sized { contents, bytes } =
                filter_file::read_stream(Cursor::new(held).chain(reader), how)?;
            return Ok(Sized { contents: Contents::Own(contents), bytes });
        }
        fill(&mut reader, &mut held, content::START)?;
        // No system's file begins like this, and these streams may have no end.
        if self.from.is_none() && (is_text(&held) || held.iter().all(|byte| *byte == 0)) {
            return Err(LoadError::NotAnther.into());
        }
        fill(&mut reader, &mut held, HELD + 1)?;
        let bytes = held.len() as u64;
        if bytes > HELD {
            return Err(OpenError::Long);
        }
        match self.system().reader(Cursor::new(&held)) {
            Ok(file) => Ok(Sized { contents: Contents::Foreign(file), bytes: Some(bytes) }),
            Err(ForeignError::Unknown) => {
                Err(signature::of(&held, &held).map_or_else(|| unknown(&held), OpenError::Named))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl ForeignArgs {
    /// The same for one of several files, or for the only one.
    pub fn among(&self, is_among: bool) -> ForeignArgs {
        ForeignArgs { is_among, ..self.clone() }
    }

    /// The filter to look up in: the only one of its file, or the one that `--entry` names.
    pub fn choose(&self, path: &Path, file: ForeignFile) -> Result<ForeignFilter, Stop> {
        let stop = |cause: String| Err(Stop::about(shown(path), cause));
        let is_nameless = matches!(file.entries(), [only] if only.name.is_empty());
        match &self.entry {
            Some(_) if self.is_among && is_nameless => {
                file.only().map_err(|error| explained(path, &error))
            }
            Some(name) if !names(&file).any(|known| known == name) => {
                Err(no_entry(path, &file, name))
            }
            Some(name) => file.named(name).map_err(|error| explained(path, &error)),
            None if file.entries().is_empty() => stop(format!("a file {}", NO_FILTERS)),
            None if file.entries().len() > 1 => stop(format!(
                "has {} filters; choose one with --entry: {}",
                units::count(file.entries().len() as u64),
                listed(&file)
            )),
            None => file.only().map_err(|error| explained(path, &error)),
        }
    }

    /// All filters, or the one that `--entry` names.
    pub fn entries<'f>(&self, path: &Path, file: &'f ForeignFile) -> Result<Vec<&'f Entry>, Stop> {
        let Some(name) = &self.entry else { return Ok(file.entries().iter().collect()) };
        match file.entries().iter().find(|entry| entry.name == *name) {
            Some(entry) => Ok(vec![entry]),
            None => Err(no_entry(path, file, name)),
        }
    }
}

/// Of a name that no filter of a file has.
fn no_entry(path: &Path, file: &ForeignFile, name: &str) -> Stop {
    if matches!(file.entries(), [only] if only.name.is_empty()) {
        let cause = format!("{} has one filter, without a name", shown(path));
        return Stop::about("--entry", format_args!("{cause}; leave it out"));
    }
    Stop::about(shown(path), format_args!("has no filter {name}; it has {}", listed(file)))
}

/// Of a file without any.
pub const NO_FILTERS: &str = "without filters; nothing can be looked up in it";

/// How many names a message lists.
const LISTED: usize = 20;

fn names(file: &ForeignFile) -> impl Iterator<Item = &str> {
    file.entries().iter().map(|entry| entry.name.as_str())
}

fn listed(file: &ForeignFile) -> String {
    let all = file.entries().len();
    let mut text = names(file)
        .take(LISTED)
        .map(|name| escaped::on_one_line(name.as_bytes()))
        .collect::<Vec<_>>();
    if all > LISTED {
        text.push(format!("and {} more, which anther info lists", all - LISTED));
    }
    if all == 0 { "none".to_string() } else { text.join(", ") }
}

/// Why a file could not be opened.
pub enum OpenError {
    /// As a filter of ours.
    Own(LoadError),
    /// As a filter of another system.
    Foreign(ForeignError),
    /// It is this, in which no keys can be looked up.
    Named(&'static str),
    /// It is binary, and nothing that is known; perhaps it is compressed.
    Unknown(Option<Packing>),
    /// A pipe that is too long to be held.
    Long,
}

impl From<LoadError> for OpenError {
    fn from(error: LoadError) -> OpenError {
        OpenError::Own(error)
    }
}

impl From<ForeignError> for OpenError {
    fn from(error: ForeignError) -> OpenError {
        OpenError::Foreign(error)
    }
}

impl OpenError {
    /// The error with what to do.
    pub fn explained(self, path: &Path) -> Stop {
        match self {
            OpenError::Own(error) => filter_file::explained(path, error),
            OpenError::Foreign(error) => explained(path, &error),
            OpenError::Named(what) => Stop::about(shown(path), signature::refusal(what)),
            OpenError::Unknown(packing) => Stop::about(shown(path), unknown_in_words(packing)),
            OpenError::Long => Stop::about(shown(path), long_in_words()),
        }
    }
}

/// Of a binary file that nothing is known about.
pub fn unknown_in_words(packing: Option<Packing>) -> String {
    if let Some(packing) = packing {
        return format!("is compressed with {packing}; decompress it first: {packing} -d FILE");
    }
    let names = system_names();
    format!(
        "not a filter of anther, nor by its content one of another system; if one of these wrote it, \
         --from SYSTEM says what is wrong with it: {names}"
    )
}

/// Of a pipe that is too long.
pub fn long_in_words() -> String {
    let limit = units::size(HELD);
    format!("not a filter of anther, and longer than {limit}; save it to a file, and name that")
}

fn explained(path: &Path, error: &ForeignError) -> Stop {
    let cause = match error {
        ForeignError::Io { kind: ErrorKind::NotFound, .. } => {
            return filter_file::explained(path, io::Error::from(ErrorKind::NotFound).into());
        }
        ForeignError::Io { kind: ErrorKind::IsADirectory, .. } => {
            return filter_file::explained(path, io::Error::from(ErrorKind::IsADirectory).into());
        }
        other => in_words(other),
    };
    Stop::about(shown(path), cause)
}

/// The error, with what to do on the command line.
pub fn in_words(error: &ForeignError) -> String {
    match error {
        ForeignError::Ambiguous { systems } => {
            let first = systems.split(", ").next().unwrap_or_default();
            format!("may be a file of {systems}; say which one wrote it, such as --from {first}")
        }
        ForeignError::NoSstableVersion => {
            "is a Filter.db of Cassandra, whose hash depends on the version of the sstable: name that \
             with --from cassandra:VERSION, as in nb-1-big-Filter.db: --from cassandra:nb"
                .to_string()
        }
        ForeignError::Refused(cause) if cause.ends_with("without Bloom filters") => {
            format!("{cause}; a copy gets some with: anther build OUT FILE --to parquet --column NAME")
        }
        ForeignError::Incomplete { got, expected } => format!(
            "incomplete: {} of {} bytes are here; the chunks of a SCANDUMP are files of one folder, \
             NAME_ITERATOR.bin, each with the iterator that came with it",
            units::count(*got),
            units::count(*expected)
        ),
        ForeignError::OutOfMemory(error) => {
            let bytes = units::size(error.bytes);
            format!("out of memory: needs {bytes} more at once; free some, or use a larger machine")
        }
        ForeignError::TooLarge { bytes, limit } => {
            let (bytes, limit) = (units::size(*bytes), units::size(*limit));
            format!("needs {bytes} of memory, but the limit is {limit}")
        }
        other => other.to_string(),
    }
}

/// The first bytes of a file.
fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(content::START).read_to_end(&mut start)?;
    Ok(start)
}

fn unknown(start: &[u8]) -> OpenError {
    match Packing::of(start) {
        // A search index is ours, but no filter.
        None if is_text(start) || start.starts_with(b"\x89ANX") => {
            OpenError::Own(LoadError::NotAnther)
        }
        packing => OpenError::Unknown(packing),
    }
}

/// Whether this is the start of a text, or nothing.
fn is_text(start: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    !start.iter().any(is_control) && content::file_type(start, None).is_none()
}
