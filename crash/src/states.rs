//! Records each path, builds what a crash may leave, and opens it.

use crate::disk::{self, Count};
use crate::paths::{ChangePath, Run, Stage};
use crate::record::{Event, Recorder};
use crate::trace::Ended;
use std::io;

/// The most bad states that are told.
const TOLD: usize = 5;

/// What came of a path.
pub struct Opened {
    /// What changed or synced a file.
    pub operations: usize,
    pub count: Count,
    pub bad: u64,
    /// The first of the bad ones, in words.
    pub told: Vec<String>,
}

/// Records some runs of a path, one after the other.
pub fn recorded(path: &ChangePath, stage: &Stage<'_>, runs: &[Run]) -> io::Result<Recorder> {
    let mut recorder = Recorder::new(&stage.folder(), path.is_mapped, path.grain)?;
    for run in runs {
        recorder.kill_at_msync = run.killed_at_msync;
        let ended = stage.traced(run, &mut recorder)?;
        match (ended, run.killed_at_msync) {
            (Ended::Code(0), None) => recorder.events.push(Event::Acknowledged),
            (Ended::Signal(9), Some(_)) => {}
            _ => return Err(io::Error::other(format!("{}: {ended:?}", run.arguments))),
        }
    }
    Ok(recorder)
}

/// Opens every state of a path.
pub fn all(path: &ChangePath, program: &str) -> io::Result<Opened> {
    let stage = Stage::new(path, program)?;
    stage.reset()?;
    // Created by the shell that redirects, and so before.
    for run in path.runs {
        drop(stage.plain(run)?);
    }
    let recorder = recorded(path, &stage, path.runs)?;
    let new = stage.files()?;
    let (mut bad, mut told) = (0, Vec::new());
    let is_last_kept = path.runs.len() == 1;
    let count = disk::states(&recorder.before, &recorder.events, |files, acknowledged| {
        let exact = is_last_kept.then_some(&new);
        if let Err(why) = stage.check(files, acknowledged, exact) {
            bad += 1;
            if told.len() < TOLD {
                told.push(format!("{why} (after {acknowledged} successes)"));
            }
        }
        Ok::<(), io::Error>(())
    })?;
    Ok(Opened { operations: recorder.events.len(), count, bad, told })
}
