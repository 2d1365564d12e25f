//! Kills processes that insert into one file at once. Each acknowledges every key that it inserted.

use crate::kills::Killed;
use anther::{AnyFilter, Blocked, Open, SharedFile, Target};
use fastrand::Rng;
use std::error::Error;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use std::{env, io};

/// The hidden verb of such a process.
pub const ADDER: &str = "adder";

/// How many insert at once.
const AT_ONCE: u32 = 3;
/// The most keys of one of them; their acknowledgements fit in a pipe.
const KEYS: u32 = 20_000;
/// Rounds with one file.
const ROUNDS: u32 = 10;

/// Inserts the keys from a first to a last, with a byte on standard output for each.
pub fn insert(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, first, last] = arguments else { return Err("FILE FIRST LAST".into()) };
    let shared = SharedFile::open(file, Open::new())?;
    let mut out = io::stdout().lock();
    for key in first.parse::<u32>()?..last.parse()? {
        shared.insert(u64::from(key))?;
        out.write_all(b".")?;
        out.flush()?;
    }
    shared.close()?;
    Ok(())
}

/// A process that inserts.
struct Adder {
    child: Child,
    first: u32,
}

impl Adder {
    fn start(file: &Path, keys: Range<u32>) -> io::Result<Adder> {
        let child = Command::new(env::current_exe()?)
            .arg(ADDER)
            .arg(file)
            .args([keys.start.to_string(), keys.end.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Adder { child, first: keys.start })
    }

    /// Kills it. Returns the keys that it said are inserted, and whether it had not ended before.
    fn kill(mut self) -> Result<(Range<u32>, bool), Box<dyn Error>> {
        self.child.kill()?;
        let status = self.child.wait()?;
        let mut said = Vec::new();
        let mut pipe = self.child.stdout.take().ok_or("no pipe")?;
        pipe.read_to_end(&mut said)?;
        if status.code().is_some_and(|code| code != 0) {
            return Err("a process that inserts failed".into());
        }
        Ok((self.first..self.first + u32::try_from(said.len())?, status.code().is_none()))
    }
}

/// Kills at least `kills` of them.
pub fn all(kills: u64) -> Result<Killed, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("f.anther");
    let (mut killed, mut random) = (Killed::default(), Rng::with_seed(kills));
    while killed.kills < kills {
        Blocked::new(Target::new(200_000, 1e-6)?)?.save(&file)?;
        let (mut acknowledged, mut next) = (Vec::<Range<u32>>::new(), 0);
        for _ in 0..ROUNDS {
            let mut adders = Vec::new();
            for _ in 0..AT_ONCE {
                // Also none at all: then it only opens and closes.
                let keys = [0, 3, 100, KEYS][random.usize(..4)];
                adders.push(Adder::start(&file, next..next + keys)?);
                next += keys;
            }
            random.shuffle(&mut adders);
            for adder in adders {
                thread::sleep(Duration::from_micros(random.u64(..2000)));
                let (keys, was_killed) = adder.kill()?;
                killed.kills += u64::from(was_killed);
                acknowledged.push(keys);
                // While others insert.
                if let Err(why) = look(&file, &acknowledged) {
                    killed.bad.push(why);
                }
            }
        }
        SharedFile::open(&file, Open::new())?.close()?;
        if Open::is_shared(&file)? {
            killed.bad.push("the next process cannot close it".to_owned());
        }
        if let Err(why) = look(&file, &acknowledged) {
            killed.bad.push(format!("{why}, after it was closed"));
        }
    }
    Ok(killed)
}

/// Opens the file, and looks up every key that was acknowledged.
fn look(file: &Path, acknowledged: &[Range<u32>]) -> Result<(), String> {
    let filter: AnyFilter = Open::new().file(file).map_err(|error| error.to_string())?;
    let mut keys = acknowledged.iter().cloned().flatten();
    match keys.find(|key| filter.contains(u64::from(*key)) != Ok(true)) {
        Some(lost) => Err(format!("{lost} is lost")),
        None => Ok(()),
    }
}
