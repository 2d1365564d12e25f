//! A file that the user drops on the page: a filter, which the program describes, measures and draws,
//! or a list, from which it builds a filter first.
//!
//! | request | what it runs |
//! |---|---|
//! | `api/file` | nothing: the body is the file |
//! | `api/file/info` | `anther info` of the filter, which tells a filter from a list |
//! | `api/file/build` | `anther build` from a list |
//! | `api/file/measure` | `anther measure` of the filter |
//! | `api/file/draw` | `anther draw` of 512 cells, and of the cells of keys |

use crate::page::answer::Refusal;
use crate::page::body::Body;
use crate::page::permits::Permits;
use crate::page::program::{Program, Said};
use crate::page::{Settings, api};
use anther::{Kind, LoadError, units};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of our copy of the file, in a folder of its own. Names are never made from a request. The
/// page shows the file's own name in place of this one.
pub const DROPPED: &str = "dropped.file";

/// The name of the filter built from a list.
pub const BUILT: &str = "built.anther";

/// How many cells are drawn at a time: a line of `blocked`, and as many as fit on a screen.
const CELLS: u64 = 512;

/// Each key is a drawing of its own.
const MOST_KEYS: usize = 100;

/// Files that come at a time: one per window, and no more than 1 GiB of disk. Others wait.
const AT_A_TIME: usize = 4;

/// A piece: larger ones would only save calls. A dropped file comes at 1 GB/s with it.
const PIECE_BYTES: usize = 64 << 10;

/// The file that the user dropped last.
pub struct Files {
    settings: Settings,
    /// Names folders, and tells files of several windows apart.
    count: AtomicU64,
    last: Mutex<Option<Arc<Dropped>>>,
    storing: Arc<Permits>,
}

/// A stored file. Its folder is removed when nothing uses it any more.
struct Dropped {
    id: u64,
    folder: PathBuf,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The answer to a file.
#[derive(Serialize)]
struct StoredJson {
    id: u64,
    bytes: u64,
}

/// What the page asks about a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    id: u64,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    fpr: Option<String>,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    from: u64,
}

/// What the program said about it.
#[derive(Default, Serialize)]
struct SaidJson {
    /// Whether it is a list: then there is nothing else before a filter is built from it.
    list: bool,
    /// What `info` and `measure` print.
    blocks: Vec<Block>,
    /// What `draw` prints.
    scene: Option<Box<RawValue>>,
    /// What goes to standard error.
    notes: Vec<String>,
}

/// A filter in a file, as the program describes it for people: names and texts.
#[derive(Default, Serialize)]
struct Block {
    title: String,
    rows: Vec<(String, String)>,
}

impl Files {
    /// No file yet.
    pub fn new(settings: Settings) -> Files {
        let (count, last) = (AtomicU64::new(1), Mutex::new(None));
        Files { settings, count, last, storing: Permits::new(AT_A_TIME) }
    }

    /// Stores a file as it comes, within limits that begin when it is its turn. The one before is
    /// removed.
    pub fn store(
        &self,
        body: &mut Body<'_>,
        begin: impl FnOnce(&mut Body<'_>) -> Result<(), Refusal>,
    ) -> Result<Vec<u8>, Refusal> {
        let _permit = self.storing.take();
        begin(body)?;
        let id = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.settings.folder.join(id.to_string());
        fs::create_dir(&folder).map_err(not_stored)?;
        let dropped = Dropped { id, folder };
        let mut file = File::create_new(dropped.folder.join(DROPPED)).map_err(not_stored)?;
        let (mut bytes, mut piece) = (0, vec![0; PIECE_BYTES]);
        loop {
            match body.next(&mut piece)? {
                0 => break,
                read => {
                    file.write_all(&piece[..read]).map_err(not_stored)?;
                    bytes += read as u64;
                }
            }
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(dropped));
        answered(&StoredJson { id, bytes })
    }

    /// Runs the program on the file, as long as somebody waits. None if the name is unknown.
    pub fn ask(
        &self,
        name: &str,
        json: &[u8],
        is_abandoned: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let refuse = |error: crate::Error| Refusal::new(StatusCode::BAD_REQUEST, error.to_string());
        let request: Request = api::read(json).map_err(refuse)?;
        let program = Program { path: &self.settings.program, is_abandoned };
        let asked = Asked { program, dropped: &*self.dropped(request.id)? };
        let said = match name {
            "info" => asked.info()?,
            "build" => asked.build(&request)?,
            "measure" => asked.measure()?,
            "draw" => asked.draw(&request)?,
            _ => return Ok(None),
        };
        answered(&said).map(Some)
    }

    fn dropped(&self, id: u64) -> Result<Arc<Dropped>, Refusal> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        last.filter(|dropped| dropped.id == id).ok_or_else(|| {
            let message = "another window has dropped a file since; drop yours again";
            Refusal::new(StatusCode::CONFLICT, message)
        })
    }
}

/// A file, and the program that says what is asked about it.
struct Asked<'a> {
    program: Program<'a>,
    dropped: &'a Dropped,
}

impl Asked<'_> {
    fn info(&self) -> Result<SaidJson, Refusal> {
        match self.run(&["info", self.dropped.filter()]) {
            Ok(said) => Ok(described(said)),
            Err(refusal) if says_no_filter(&refusal.message) => {
                Ok(SaidJson { list: true, ..SaidJson::default() })
            }
            Err(refusal) => Err(refusal),
        }
    }

    fn build(&self, request: &Request) -> Result<SaidJson, Refusal> {
        let invalid = |message: String| Refusal::new(StatusCode::BAD_REQUEST, message);
        let kind = request.kind.as_deref().unwrap_or("blocked");
        let kind = Kind::from_name(kind)
            .ok_or_else(|| invalid(format!("{kind}: not a kind; choose one from the list")))?;
        let fpr = request.fpr.as_deref().unwrap_or("1%");
        let rate = units::parse_rate(fpr)
            .map_err(|error| invalid(format!("false-positive rate {fpr}: {error}")))?;
        let rate = units::rate_option(rate);
        let (kind, rate) = (format!("--kind={kind}"), format!("--fpr={rate}"));
        let arguments = ["build", BUILT, DROPPED, &kind, &rate, "--force"];
        // `info` describes filters, but not within a compressed file.
        let said = self.run(&arguments).map_err(|refusal| match refusal.message {
            message if message.starts_with("is a filter, not a list") => {
                invalid("a compressed filter; decompress it, and drop it again".to_string())
            }
            message => Refusal { message, ..refusal },
        })?;
        Ok(described(said))
    }

    fn measure(&self) -> Result<SaidJson, Refusal> {
        let mut arguments = vec!["measure", self.dropped.filter(), "--random", "100k"];
        if self.dropped.is_built() {
            arguments.extend(["--members", DROPPED]);
        }
        Ok(described(self.run(&arguments)?))
    }

    fn draw(&self, request: &Request) -> Result<SaidJson, Refusal> {
        let invalid = |message: &str| Err(Refusal::new(StatusCode::BAD_REQUEST, message));
        let keys = &request.keys;
        if keys.len() > MOST_KEYS {
            return invalid("more than 100 keys; anther check looks up any number of them");
        }
        if keys.iter().any(|key| key.contains('\0')) {
            return invalid("a key contains a NUL character; look it up with anther check -0");
        }
        let cells = format!("{}..{}", request.from, request.from.saturating_add(CELLS));
        let mut arguments = vec!["draw", self.dropped.filter(), "--cells", &cells, "--json", "--"];
        arguments.extend(keys.iter().map(String::as_str));
        let said = self.run(&arguments)?;
        let scene = serde_json::from_slice(&said.out).map_err(|error| {
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the drawing: {error}"))
        })?;
        Ok(SaidJson { scene, notes: said.notes, ..SaidJson::default() })
    }

    fn run(&self, arguments: &[&str]) -> Result<Said, Refusal> {
        self.program.run(&self.dropped.folder, arguments)
    }
}

impl Dropped {
    /// Whether it is a list, with a filter built from it.
    fn is_built(&self) -> bool {
        self.folder.join(BUILT).exists()
    }

    /// The name of the filter: the file, or what was built from it.
    fn filter(&self) -> &'static str {
        if self.is_built() { BUILT } else { DROPPED }
    }
}

/// Whether the program said that a file is no filter of any system: then it may be a list, which
/// `build` decompresses. Texts in JSON have lines, too; files with a mark, such as archives, are none.
fn says_no_filter(message: &str) -> bool {
    let beginnings = [&*LoadError::NotAnther.to_string(), "not a filter of anther, nor"];
    let parts = [", and no filter; ", "; decompress it first: "];
    beginnings.iter().any(|start| message.starts_with(start))
        || parts.iter().any(|part| message.contains(part))
}

/// The blocks of an output: a line with a title, and indented rows of a name and a text.
fn described(said: Said) -> SaidJson {
    let mut blocks: Vec<Block> = Vec::new();
    for line in String::from_utf8_lossy(&said.out).lines() {
        match (line.strip_prefix("  "), blocks.last_mut()) {
            (Some(row), Some(block)) => {
                let (name, text) = row.split_once("  ").unwrap_or((row, ""));
                block.rows.push((name.trim().to_string(), text.trim().to_string()));
            }
            _ if line.trim().is_empty() => {}
            _ => blocks.push(Block { title: line.to_string(), rows: Vec::new() }),
        }
    }
    SaidJson { blocks, notes: said.notes, ..SaidJson::default() }
}

fn answered(value: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    api::write(value)
        .map_err(|error| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

fn not_stored(error: io::Error) -> Refusal {
    let message = format!("cannot store the file: {error}");
    Refusal::new(StatusCode::INSUFFICIENT_STORAGE, message)
}
