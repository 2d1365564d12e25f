//! The tests that reach a mutant, and which of them notices it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::compile::Program;
use crate::sandbox::Sandbox;
use crate::switch;

/// Of a test's private memory, in KiB: a mutant may ask for any amount.
const MEMORY: u64 = 6 << 20;

/// A mutant that takes this many times as long is caught by the clock, whatever else is running.
const PATIENCE: u32 = 20;
const LEAST: Duration = Duration::from_secs(20);

/// Tests that take longer wait until the mutants that shorter ones catch are gone.
const ROUNDS: [Duration; 3] = [Duration::from_millis(300), Duration::from_secs(3), Duration::MAX];

/// One test, and which mutants it reaches.
pub struct Test {
    program: String,
    path: PathBuf,
    /// The program as it was compiled: what is known of another one does not count.
    build: String,
    pub name: String,
    time: Duration,
    reaches: BTreeSet<u32>,
}

impl Test {
    pub fn full_name(&self) -> String {
        format!("{}::{}", self.program, self.name)
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// By this test.
    Caught(String),
    /// By this test, which did not end.
    TimedOut(String),
    /// This many tests reach it, and all pass.
    Survived(usize),
}

/// Runs tests, and remembers what they did: a run that was interrupted goes on where it was.
pub struct Runner {
    folder: PathBuf,
    log: fs::File,
    known: HashMap<(String, String, String), String>,
    /// The tests that caught a mutant before: they run first.
    caught_by: HashMap<String, Vec<String>>,
    state: PathBuf,
}

impl Runner {
    /// `folder` is where the tests run, `state` where results are kept.
    pub fn new(folder: PathBuf, state: &Path) -> Result<Self, String> {
        let path = state.join("results.tsv");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut known = HashMap::new();
        let mut caught_by: HashMap<String, Vec<String>> = HashMap::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [program, build, test, mutant, result] = fields[..] else { continue };
            if result == "caught" || result == "timeout" {
                let tests = caught_by.entry(mutant.to_owned()).or_default();
                tests.push(format!("{program}::{test}"));
            }
            let key = (build.to_owned(), test.to_owned(), mutant.to_owned());
            known.insert(key, result.to_owned());
        }
        let log = fs::OpenOptions::new().create(true).append(true).open(&path);
        let log = log.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Self { folder, log, known, caught_by, state: state.to_path_buf() })
    }

    /// Runs every test once, without a mutant: all must pass.
    pub fn tests(&mut self, programs: &[Program]) -> Result<Vec<Test>, String> {
        let mut tests = Vec::new();
        let sandbox = Sandbox::new(&self.state)?;
        for program in programs {
            let build = build_of(&program.path)?;
            let before = tests.len();
            let clock = Instant::now();
            for name in self.list(&program.path)? {
                let (time, reaches) = self.baseline(&sandbox, program, &build, &name)?;
                let test = Test {
                    program: program.name.clone(),
                    path: program.path.clone(),
                    build: build.clone(),
                    name,
                    time,
                    reaches,
                };
                tests.push(test);
            }
            let count = tests.len() - before;
            println!("{}: {count} tests in {:.0} s", program.name, clock.elapsed().as_secs_f64());
        }
        tests.sort_by_key(|test| test.time);
        Ok(tests)
    }

    fn list(&self, program: &Path) -> Result<Vec<String>, String> {
        let output = Command::new(program)
            .args(["--list", "--format", "terse"])
            .current_dir(&self.folder)
            .output()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(names.map(str::to_owned).collect())
    }

    fn baseline(
        &mut self,
        sandbox: &Sandbox,
        program: &Program,
        build: &str,
        name: &str,
    ) -> Result<(Duration, BTreeSet<u32>), String> {
        let key = (build.to_owned(), name.to_owned(), String::new());
        if let Some(known) = self.known.get(&key) {
            let mut numbers = known.split(' ').filter_map(|number| number.parse::<u32>().ok());
            let time = Duration::from_millis(numbers.next().unwrap_or_default().into());
            return Ok((time, numbers.collect()));
        }
        let _ = fs::remove_file(sandbox.reached());
        let clock = Instant::now();
        let result = self.run(sandbox, &program.path, name, None, Duration::from_secs(600))?;
        let time = clock.elapsed();
        if result != "passed" {
            return Err(format!(
                "{}::{name} fails without any mutant; run `{} --exact {name}`",
                program.name,
                program.path.display()
            ));
        }
        let text = fs::read_to_string(sandbox.reached()).unwrap_or_default();
        let reaches: BTreeSet<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        let numbers: Vec<String> = reaches.iter().map(u32::to_string).collect();
        let result = format!("{} {}", time.as_millis(), numbers.join(" "));
        self.remember(&program.name, key, result)?;
        Ok((time, reaches))
    }

    /// Runs the tests that reach each mutant until one of them notices.
    pub fn fates(
        &mut self,
        mutants: &BTreeMap<u32, &str>,
        tests: &[Test],
    ) -> Result<BTreeMap<u32, Fate>, String> {
        let mut fates: BTreeMap<u32, Fate> = BTreeMap::new();
        let mut shorter = Duration::ZERO;
        for round in ROUNDS {
            let is_in_round = |test: &&Test| test.time < round && (test.time >= shorter);
            for (number, name) in mutants {
                if matches!(fates.get(number), Some(Fate::Caught(_) | Fate::TimedOut(_))) {
                    continue;
                }
                let guards = tests.iter().filter(|test| test.reaches.contains(number));
                let count = guards.clone().count();
                let mut guards: Vec<&Test> = guards.filter(is_in_round).collect();
                let before = self.caught_by.get(*name).cloned().unwrap_or_default();
                guards.sort_by_key(|test| !before.contains(&test.full_name()));
                let caught = self.first_that_notices(*number, name, &guards)?;
                fates.insert(*number, caught.unwrap_or(Fate::Survived(count)));
            }
            let left = fates.values().filter(|fate| matches!(fate, Fate::Survived(_))).count();
            let which = match round {
                Duration::MAX => "all tests".to_owned(),
                _ => format!("tests below {} ms", round.as_millis()),
            };
            println!("{which}: {left} of {} mutants left", fates.len());
            shorter = round;
        }
        Ok(fates)
    }

    fn first_that_notices(
        &mut self,
        number: u32,
        mutant: &str,
        guards: &[&Test],
    ) -> Result<Option<Fate>, String> {
        // A new one for each mutant: one of them replaces a device, and every test of that device
        // would fail for those that follow.
        let mut sandbox = None;
        for test in guards {
            let key = (test.build.clone(), test.name.clone(), mutant.to_owned());
            let result = if let Some(known) = self.known.get(&key) {
                known.clone()
            } else {
                let limit = (test.time * PATIENCE).max(LEAST);
                let sandbox = match &sandbox {
                    Some(sandbox) => sandbox,
                    None => sandbox.insert(Sandbox::new(&self.state)?),
                };
                let result = self.run(sandbox, &test.path, &test.name, Some(number), limit)?;
                let result = result.to_owned();
                self.remember(&test.program, key, result.clone())?;
                result
            };
            match result.as_str() {
                "caught" => return Ok(Some(Fate::Caught(test.full_name()))),
                "timeout" => return Ok(Some(Fate::TimedOut(test.full_name()))),
                _ => {}
            }
        }
        Ok(None)
    }

    /// One test in a process of its own, with a mutant that is on.
    fn run(
        &self,
        sandbox: &Sandbox,
        program: &Path,
        test: &str,
        mutant: Option<u32>,
        limit: Duration,
    ) -> Result<&'static str, String> {
        let folder = self.folder.display();
        let mut command = sandbox.command(&format!("cd '{folder}'; ulimit -d {MEMORY}"));
        command
            .arg(program)
            .args(["--exact", test, "--test-threads", "1"])
            .env(switch::REACHED, sandbox.reached())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(mutant) = mutant {
            command.env(switch::CHOSEN, mutant.to_string());
        }
        let cannot = |error| format!("cannot run {}: {error}", program.display());
        let mut child = command.spawn().map_err(cannot)?;
        let clock = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(cannot)? {
                return Ok(if status.success() { "passed" } else { "caught" });
            }
            if clock.elapsed() > limit {
                let _ = child.kill();
                let _ = child.wait();
                return Ok("timeout");
            }
            sleep(Duration::from_millis(if clock.elapsed().as_millis() < 50 { 1 } else { 10 }));
        }
    }

    fn remember(
        &mut self,
        program: &str,
        key: (String, String, String),
        result: String,
    ) -> Result<(), String> {
        let (build, test, mutant) = &key;
        writeln!(self.log, "{program}\t{build}\t{test}\t{mutant}\t{result}")
            .map_err(|error| format!("cannot write a result: {error}"))?;
        self.known.insert(key, result);
        Ok(())
    }
}

/// A hash of the program's bytes: a program that is compiled again and stays the same need not run
/// again.
fn build_of(program: &Path) -> Result<String, String> {
    let bytes =
        fs::read(program).map_err(|error| format!("cannot read {}: {error}", program.display()))?;
    // FNV-1a by words, for speed.
    let hash = bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |hash: u64, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok(format!("{hash:016x}-{}", bytes.len()))
}
