//! A SQLite database as the base of a differential file: reads beside the formula.

use super::scratch::Scratch;
use super::{Outcome, Report, draw, rate, secret};
use crate::differential_file::{Base, Changes, DifferentialFile, reads, reads_without_filter};
use anther::sizing::bloom;
use anther::{Classic, Seed, Target};
use sqlite::Sqlite;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

mod sqlite;

/// Changes beside a SQLite database, behind a filter
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A SQLite database, which is only read [default: a generated one]
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// Its table
    #[arg(long, default_value = "records")]
    table: String,
    /// The column of the table's unique key, with an index
    #[arg(long, default_value = "key")]
    key: String,
    /// The column of the values
    #[arg(long, default_value = "value")]
    value: String,
    /// False-positive rate of the filter
    #[arg(long, default_value_t = 0.05, value_parser = rate)]
    fpr: f64,
    /// Lookups per measurement
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    lookups: u32,
}

/// Records of the generated database, and the most that are taken of another.
const RECORDS: usize = 50_000;
/// One record in this many is changed.
const ONE_OF: usize = 10;

/// The records, by what happened to them.
struct Records {
    changed: Changes,
    unchanged: Vec<String>,
}

impl Args {
    /// Changes records beside the base, and counts reads.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let folder = Scratch::new()?;
        let path = match &self.database {
            Some(path) => path.clone(),
            None => self.generate(folder.path())?,
        };
        let before = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let records = self.records(&path)?;
        let target = Target::new(records.changed.len() as u64, self.fpr)?;
        let open = |name: &str, seed, writable| -> Result<_, Box<dyn Error>> {
            let base = Sqlite::open(&path, self.names(), writable)?;
            let mut file = DifferentialFile::new(folder.path().join(name), base, target, seed)?;
            for (key, value) in &records.changed {
                file.change(key, value.as_deref())?;
            }
            Ok(file)
        };
        let mut fixed = open("fixed", Seed::FIXED, false)?;
        let profile = fixed.filter().profile();
        let (m, n, k) = (profile.bits, target.items(), profile.probes);
        let (fpr, spread) = (bloom::rate(m, n, k), bloom::spread(m, n, k));
        // Four standard deviations: of the lookups, and of the filter's own rate.
        let bound = |lookups: f64, updated: f64| {
            let rate = fpr * (1.0 - updated);
            4.0 * (rate / lookups + (rate * spread).powi(2)).sqrt()
        };
        for updated in [0.1, 0.5, 0.9] {
            let (measured, share) = self.measure(&mut fixed, &records, updated)?;
            let claim = format!(
                "reads per lookup, u={share:.3} of changed records: 1+f(1−u), not {:.2}",
                reads_without_filter(share)
            );
            let bound = bound(self.lookups.into(), updated);
            report.within(claim, reads(fpr, share), bound, measured, 4);
        }
        let same = fs::read(&path)? == before;
        report.claim("the base, after changes beside it", "unchanged", said(same), same);

        // A stranger who knows which records changed can make the same filter.
        let mut copy = Classic::new(target)?;
        copy.extend(records.changed.keys());
        let chosen: Vec<_> = records.unchanged.iter().filter(|key| copy.contains(key)).collect();
        let claim = format!("extra reads of {} records that a stranger chose", chosen.len());
        let extra = wasted(&mut fixed, &chosen)?;
        let mut keyed = open("keyed", Seed::keyed(secret()), self.database.is_none())?;
        let held = wasted(&mut keyed, &chosen)?;
        if chosen.is_empty() {
            report.note("no record passes the filter, so that a stranger has nothing to choose");
        } else {
            let fixed = format!("{claim}, fixed seed");
            report.claim(fixed, "1 each", format_args!("{extra:.4}"), extra >= 1.0);
            let bound = bound(chosen.len() as f64, 0.0);
            report.within(format_args!("{claim}, keyed filter: f"), fpr, bound, held, 4);
        }
        if self.database.is_none() {
            self.merged(keyed, &path, &records, report)?;
        }
        let all = records.changed.len() + records.unchanged.len();
        report
            .note(format_args!("{n} of {all} records changed; filter of {} bytes", m.div_ceil(8)));
        Ok(())
    }

    /// Reads per lookup, and the share of lookups that wanted a changed record.
    fn measure(
        &self,
        file: &mut DifferentialFile<Sqlite>,
        records: &Records,
        updated: f64,
    ) -> Result<(f64, f64), Box<dyn Error>> {
        let changed: Vec<_> = records.changed.iter().collect();
        let (before, mut wanted) = (file.reads(), 0u32);
        for lookup in 0..u64::from(self.lookups) {
            let at = usize::try_from(draw(2 * lookup) >> 32)?;
            // 53 bits of a draw are a number from 0 to 1.
            if (draw(2 * lookup + 1) >> 11) as f64 / (1u64 << 53) as f64 <= updated {
                wanted += 1;
                let (key, value) = changed[at % changed.len()];
                if file.read(key)? != *value {
                    return Err(format!("{key}: its change was not found").into());
                }
            } else if file.read(&records.unchanged[at % records.unchanged.len()])?.is_none() {
                return Err("a record of the base was not found".into());
            }
        }
        let after = file.reads();
        let reads = after.base + after.changes - before.base - before.changes;
        let lookups = f64::from(self.lookups);
        Ok((reads as f64 / lookups, f64::from(wanted) / lookups))
    }

    /// Brings the changes into the base.
    fn merged(
        &self,
        mut file: DifferentialFile<Sqlite>,
        path: &Path,
        records: &Records,
        report: &mut Report,
    ) -> Outcome {
        file.merge()?;
        let mut base = Sqlite::open(path, self.names(), false)?;
        let mut wrong = 0;
        for (key, value) in &records.changed {
            wrong += usize::from(base.read(key)? != *value);
        }
        let claim = format!("wrong records in SQLite after {} were merged", records.changed.len());
        report.claim(claim, 0, wrong, wrong == 0);
        Ok(())
    }

    fn names(&self) -> [&str; 3] {
        [&self.table, &self.key, &self.value]
    }

    /// The keys of the base. Every tenth is to be changed, and some of these to be removed.
    fn records(&self, path: &Path) -> Result<Records, Box<dyn Error>> {
        let mut base = Sqlite::open(path, self.names(), false)?;
        base.check().map_err(|error| {
            // Further lines repeat the statement.
            let error = error.to_string();
            let (cause, path) = (error.lines().next().unwrap_or_default(), path.display());
            format!("{path}: {cause}; name what it has with --table, --key and --value")
        })?;
        let keys = base.keys(RECORDS)?;
        if keys.len() < 1000 {
            let count = keys.len();
            return Err(format!("{}: has {count} keys; take 1,000 or more", path.display()).into());
        }
        let mut records = Records { changed: Changes::new(), unchanged: Vec::new() };
        for (at, key) in keys.into_iter().enumerate() {
            if at % ONE_OF == 0 {
                let value = (at % (7 * ONE_OF) != 0).then(|| format!("changed: {at}"));
                records.changed.insert(key, value);
            } else {
                records.unchanged.push(key);
            }
        }
        Ok(records)
    }

    fn generate(&self, folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
        let path = folder.join("base.sqlite");
        fs::write(&path, "")?;
        let mut made = Sqlite::open(&path, self.names(), true)?;
        let [table, key, value] = made.names.clone();
        made.execute(&format!(
            "CREATE TABLE {table} ({key} TEXT PRIMARY KEY, {value} TEXT) WITHOUT ROWID;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<{RECORDS})
            INSERT INTO {table} SELECT printf('account %06d', i), 'balance '||(i*7919%100000) FROM n;"
        ))?;
        Ok(path)
    }
}

/// False positives per lookup.
fn wasted(file: &mut DifferentialFile<Sqlite>, keys: &[&String]) -> io::Result<f64> {
    let before = file.reads().wasted;
    for key in keys {
        file.read(key)?;
    }
    Ok((file.reads().wasted - before) as f64 / keys.len().max(1) as f64)
}

fn said(same: bool) -> &'static str {
    if same { "unchanged" } else { "changed" }
}
