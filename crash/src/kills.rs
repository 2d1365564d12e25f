//! Kills the program at random moments.

use crate::paths::{ChangePath, Stage};
use crate::trace::Ended;
use fastrand::Rng;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// What came of the kills of a path.
#[derive(Default)]
pub struct Killed {
    pub kills: u64,
    pub bad: Vec<String>,
}

/// How many of all kills a path gets, of these.
pub fn share(all: u64, paths: &[&ChangePath], path: &ChangePath) -> u64 {
    let Some(number) = paths.iter().position(|other| other.name == path.name) else { return 0 };
    let (count, number) = (paths.len() as u64, number as u64);
    all / count + u64::from(number < all % count)
}

/// Paths of one command. In those of two, the first is killed already.
pub fn is_killed(path: &ChangePath) -> bool {
    path.runs.len() == 1
}

/// Kills a path so often. A run that ended before does not count.
pub fn all(path: &ChangePath, program: &str, kills: u64) -> io::Result<Killed> {
    let mut killed = Killed::default();
    let [run] = path.runs else { return Ok(killed) };
    let stage = Stage::new(path, program)?;
    let mut random = Rng::with_seed(kills);
    let start = Instant::now();
    for _ in 0..5 {
        stage.reset()?;
        stage.plain(run)?.status()?;
    }
    let most = start.elapsed() / 5;
    while killed.kills < kills {
        stage.reset()?;
        let mut child = stage.plain(run)?.spawn()?;
        let nanoseconds = random.u64(..u64::try_from(most.as_nanos()).unwrap_or(u64::MAX).max(1));
        thread::sleep(Duration::from_nanos(nanoseconds));
        child.kill()?;
        let ended = Ended::of(child.wait()?);
        let is_killed = ended == Ended::Signal(9);
        killed.kills += u64::from(is_killed);
        if !is_killed && ended != Ended::Code(0) {
            killed.bad.push(format!("ended with {ended:?}"));
        } else if let Err(why) = stage.check(&stage.files()?, usize::from(!is_killed), None) {
            killed.bad.push(why);
        }
    }
    Ok(killed)
}
