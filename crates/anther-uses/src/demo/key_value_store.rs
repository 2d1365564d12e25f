//! Reads of a store on disk, counted, with and without filters in front of its tables.

use super::scratch::Scratch;
use super::{Outcome, Report, draw, rate, secret};
use crate::key_value_store::{Settings, Store, Table, absent_reads, monkey_rates, present_reads};
use anther::{Kind, Seed};
use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A key-value store on disk, with a filter per table
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A file with a key per line [default: generated keys]
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Number of generated keys
    #[arg(long, default_value_t = 145_000, value_parser = clap::value_parser!(u32).range(10_000..=2_000_000))]
    items: u32,
    /// Number of lookups of absent keys
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    lookups: u32,
    /// False-positive rate of each filter, before Monkey
    #[arg(long, default_value_t = 0.01, value_parser = low_rate)]
    fpr: f64,
}

/// A rate for which the formulas hold. Above, a ribbon filter of these sizes has a few percent fewer
/// false positives than its formula says.
fn low_rate(text: &str) -> Result<f64, String> {
    let low = rate(text).ok().filter(|rate| *rate <= 0.1);
    low.ok_or_else(|| "must be a number from 0.0001 to 0.1".to_string())
}

/// What is written: a key and its value, or `None` where the key is removed.
type Writes = Vec<(String, Option<String>)>;

impl Args {
    /// Fills stores with the same writes and other filters, and counts their reads.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let writes = self.writes()?;
        let folder = Scratch::new()?;
        let fixed = Seed::FIXED;
        let bare = filled(folder.path(), "bare", Kind::Blocked, vec![1.0], fixed, &writes)?;
        let tables = bare.tables().count();
        let absent: Vec<String> = absent(&writes).take(self.lookups as usize).collect();

        let reads = mean_reads(&bare, &absent[..absent.len() / 10])?;
        let claim = format!("absent key, {tables} tables, no filter: S reads");
        report.within(claim, tables as f64, 0.01, reads, 4);

        let rates = vec![self.fpr];
        let blocked =
            filled(folder.path(), "blocked", Kind::Blocked, rates.clone(), fixed, &writes)?;
        let ribbon = filled(folder.path(), "ribbon", Kind::Ribbon, rates.clone(), fixed, &writes)?;
        for (name, store) in [("blocked", &blocked), ("ribbon", &ribbon)] {
            absent_claim(
                format!("absent key, a {name} filter per table: Sε"),
                store,
                &absent,
                report,
            )?;
        }
        self.present(&blocked, report)?;
        kernel_counts(&bare, &absent, report)?;

        let bits = filter_bits(&blocked);
        let allotted = monkey_rates(Kind::Blocked, &blocked.level_keys(), bits);
        let monkey = filled(folder.path(), "monkey", Kind::Blocked, allotted, fixed, &writes)?;
        let claim = "absent key, bits over levels as Monkey allots them: Σε";
        let with = absent_claim(claim.to_string(), &monkey, &absent, report)?;
        let without = absent_reads(&rates_of(&blocked));
        let (spent, saved) = (filter_bits(&monkey), 1.0 - with / without);
        let bound = 4.0 * deviation(&monkey, absent.len());
        let claim = "Monkey takes no more bits than one rate for all";
        report.at_most(claim, (bits as f64, ""), spent as f64, 0);
        let claim =
            format!("Monkey takes fewer reads than one rate for all, {:.0} %", 100.0 * saved);
        report.at_most(claim, (without + bound, ""), with, 4);
        correct(&monkey, &writes, report)?;
        self.attack(folder.path(), &writes, &blocked, &absent, report)?;

        for store in [&blocked, &monkey] {
            let level = |table: &Table| {
                let bits = table.filter_bits() as f64 / table.keys() as f64;
                format!("{} keys at {:.2} bits, {:.3} %", table.keys(), bits, 100.0 * table.rate())
            };
            let levels: Vec<_> = store.tables().map(level).collect();
            report.note(format_args!("levels: {}", levels.join("; ")));
        }
        let [one, other] = [bits, filter_bits(&ribbon)].map(|bits| bits / 8);
        report.note(format_args!("filters of all tables: blocked {one} bytes, ribbon {other}"));
        Ok(())
    }

    /// Keys of the oldest table: all newer ones are tried before.
    fn present(&self, store: &Store, report: &mut Report) -> Outcome {
        let Some(oldest) = store.tables().last() else { return Err("the store is empty".into()) };
        let mut keys = oldest.entries()?;
        let newer = store.tables().count() - 1;
        for table in store.tables().take(newer) {
            // Written again since, and found there.
            table.entries()?.keys().for_each(|key| drop(keys.remove(key)));
        }
        let keys: Vec<_> = keys.into_keys().take(self.lookups as usize).collect();
        let reads = mean_reads(store, &keys)?;
        let bound = 4.0 * deviation(store, keys.len());
        let claim = "key of the oldest table: 1+(S−1)ε";
        report.within(claim, present_reads(&rates_of(store)[..newer]), bound, reads, 4);
        Ok(())
    }

    /// A stranger who knows the writes, as of a public catalogue, runs the same store, and looks
    /// for absent keys that pass its filters.
    fn attack(
        &self,
        folder: &Path,
        writes: &Writes,
        copy: &Store,
        absent: &[String],
        report: &mut Report,
    ) -> Outcome {
        let store = |name, seed| filled(folder, name, Kind::Blocked, vec![self.fpr], seed, writes);
        let mut chosen = Vec::new();
        for key in absent {
            if mean_reads(copy, &[key])? > 0.0 {
                chosen.push(key);
            }
        }
        if chosen.is_empty() {
            report.note("no absent key passes a filter, so that a stranger has nothing to choose");
            return Ok(());
        }
        let fixed = mean_reads(&store("victim", Seed::FIXED)?, &chosen)?;
        let claim = format!("{} absent keys that a stranger chose, fixed seed", chosen.len());
        report.at_least(claim, (1.0, " reads each"), fixed, 4);
        let keyed = store("keyed", Seed::keyed(secret()))?;
        let chosen: Vec<_> = chosen.into_iter().cloned().collect();
        absent_claim("the same keys, keyed filters: Sε".to_string(), &keyed, &chosen, report)?;
        Ok(())
    }

    fn writes(&self) -> Result<Writes, Box<dyn Error>> {
        let keys: Vec<String> = match &self.keys {
            Some(path) => {
                let text =
                    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
                String::from_utf8_lossy(&text).lines().map(str::to_string).collect()
            }
            None => {
                (0..u64::from(self.items)).map(|key| format!("user:{:016x}", draw(key))).collect()
            }
        };
        if keys.len() < 10_000 {
            return Err(format!("{} keys are too few; take 10,000 or more", keys.len()).into());
        }
        let mut writes: Writes = Vec::with_capacity(keys.len() + keys.len() / 10);
        for (at, key) in keys.iter().enumerate() {
            writes.push((key.clone(), Some(format!("value {at}"))));
            // Every tenth write is followed by another of an older key, or by its removal.
            if at % 10 == 9 {
                let older = &keys[usize::try_from(draw(at as u64) >> 32)? % at];
                let value = (at % 30 != 9).then(|| format!("changed at {at}"));
                writes.push((older.clone(), value));
            }
        }
        Ok(writes)
    }
}

/// Keys that were never written, among those that were.
fn absent(writes: &Writes) -> impl Iterator<Item = String> {
    let rounds = (0..).flat_map(move |round| writes.iter().map(move |(key, _)| (round, key)));
    rounds.map(|(round, key)| format!("{key}~{round}"))
}

fn filled(
    folder: &Path,
    name: &str,
    kind: Kind,
    rates: Vec<f64>,
    seed: Seed,
    writes: &Writes,
) -> Result<Store, Box<dyn Error>> {
    let folder = folder.join(name);
    fs::create_dir(&folder)?;
    let mut store = Store::new(folder, Settings { buffer: 1500, ratio: 3, kind, rates, seed });
    for (key, value) in writes {
        match value {
            Some(value) => store.insert(key.as_bytes(), value.as_bytes())?,
            None => store.remove(key.as_bytes())?,
        }
    }
    store.flush()?;
    Ok(store)
}

fn rates_of(store: &Store) -> Vec<f64> {
    store.tables().map(Table::rate).collect()
}

fn filter_bits(store: &Store) -> u64 {
    store.tables().map(Table::filter_bits).sum()
}

fn mean_reads(store: &Store, keys: &[impl AsRef<[u8]>]) -> Result<f64, Box<dyn Error>> {
    let before = store.reads();
    for key in keys {
        store.get(key.as_ref())?;
    }
    Ok((store.reads() - before) as f64 / keys.len().max(1) as f64)
}

/// The standard deviation of the mean reads per lookup: that of the lookups, and that of
/// the filters. A line of a blocked filter has 70 % more or fewer false positives than the mean
/// line, by the number of its keys, so the filter's own rate varies by 0.7/√lines. That of a ribbon filter does not.
fn deviation(store: &Store, lookups: usize) -> f64 {
    let spread = if store.kind() == Kind::Blocked { 0.7 } else { 0.0 };
    let table = |table: &Table| {
        let (rate, lines) = (table.rate(), table.filter_bits() as f64 / 512.0);
        rate * (1.0 - rate) / lookups as f64 + (spread * rate).powi(2) / lines.max(1.0)
    };
    store.tables().map(table).sum::<f64>().sqrt()
}

fn absent_claim(
    claim: String,
    store: &Store,
    absent: &[String],
    report: &mut Report,
) -> Result<f64, Box<dyn Error>> {
    let reads = mean_reads(store, absent)?;
    let bound = 4.0 * deviation(store, absent.len());
    report.within(claim, absent_reads(&rates_of(store)), bound, reads, 4);
    Ok(reads)
}

/// Every key that was ever written has the value that was written last.
fn correct(store: &Store, writes: &Writes, report: &mut Report) -> Outcome {
    let model: HashMap<_, _> = writes.iter().map(|(key, value)| (key, value)).collect();
    let mut wrong = 0;
    for (key, value) in &model {
        let found = store.get(key.as_bytes())?;
        wrong += usize::from(found.as_deref() != value.as_deref().map(str::as_bytes));
    }
    let claim = format!("wrong values among {} keys, changed and removed ones too", model.len());
    report.claim(claim, 0, wrong, wrong == 0);
    Ok(())
}

/// The store's own count of its reads beside the kernel's.
fn kernel_counts(store: &Store, absent: &[String], report: &mut Report) -> Outcome {
    let calls = || -> Option<u64> {
        let text = fs::read_to_string("/proc/self/io").ok()?;
        text.lines().find_map(|line| line.strip_prefix("syscr: ")?.parse().ok())
    };
    let (Some(first), Some(second)) = (calls(), calls()) else {
        report.note("this system does not count reads, so nothing is beside the store's count");
        return Ok(());
    };
    let before = store.reads();
    mean_reads(store, &absent[..absent.len().min(5_000)])?;
    let ours = store.reads() - before;
    // Asking takes reads of its own, the same number each time.
    let theirs = calls().unwrap_or(0).saturating_sub(second + (second - first));
    let claim = "reads that the store counts, and the kernel (/proc/self/io)";
    report.claim(claim, ours, theirs, ours == theirs);
    Ok(())
}
