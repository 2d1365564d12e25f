//! Storage: reads that a filter saves.

use super::super::data::word;
use super::{Line, by_chance};
use anther::sizing::bloom;
use anther::{Kind, Seed, Target};
use anther_uses::differential_file::{Base, Changes, DifferentialFile, reads as reads_by_formula};
use anther_uses::key_value_store::{Settings, Store, Table, absent_reads};
use std::error::Error;
use std::path::Path;
use std::{fs, io};

pub(super) fn key_value_store(folder: &Path) -> Result<Line, Box<dyn Error>> {
    // Fills three levels: 16,000 keys, 2,000 and 800.
    const KEYS: u64 = 18_800;
    let folder = folder.join("store");
    fs::create_dir(&folder)?;
    let (kind, seed) = (Kind::Blocked, Seed::FIXED);
    let settings = Settings { buffer: 400, ratio: 4, kind, rates: vec![0.01], seed };
    let mut store = Store::new(folder, settings);
    for number in 0..KEYS {
        store.insert(word(number).as_bytes(), &number.to_le_bytes())?;
    }
    let rates: Vec<f64> = store.tables().map(Table::rate).collect();
    for number in KEYS..2 * KEYS {
        store.get(word(number).as_bytes())?;
    }
    let (predicted, reads) = (absent_reads(&rates), store.reads());
    Ok(Line {
        source: "[2] 7.2",
        claim: format!("{} tables on disk: Sε={predicted:.4} reads if absent", rates.len()),
        measured: format!("{:.4} reads", reads as f64 / KEYS as f64),
        holds: by_chance(predicted, reads, KEYS),
    })
}

pub(super) fn differential_file(folder: &Path) -> Result<Line, Box<dyn Error>> {
    const RECORDS: u64 = 20_000;
    let records = (0..RECORDS).map(|number| (word(number), Some("old".to_string())));
    let target = Target::new(RECORDS / 10, 0.05)?;
    let book = Book(records.collect());
    let mut file = DifferentialFile::new(folder.join("changes"), book, target, Seed::FIXED)?;
    for number in (0..RECORDS).step_by(10) {
        file.change(&word(number), Some("new"))?;
    }
    let mut wrong = 0;
    for number in 0..RECORDS {
        let value = if number % 10 == 0 { "new" } else { "old" };
        wrong += u64::from(file.read(&word(number))?.as_deref() != Some(value));
    }
    let (profile, reads) = (file.filter().profile(), file.reads());
    let rate = bloom::rate(profile.bits, target.items(), profile.probes);
    let predicted = reads_by_formula(rate, 0.1);
    let all = (reads.changes + reads.base) as f64 / RECORDS as f64;
    Ok(Line {
        source: "[5]",
        claim: format!("changes beside a base: 1+f(1-u)={predicted:.4} reads"),
        measured: format!("{all:.4} reads, {wrong} wrong"),
        holds: wrong == 0 && by_chance(rate, reads.wasted, RECORDS * 9 / 10),
    })
}

/// The base of [`differential_file`].
struct Book(Changes);

impl Base for Book {
    fn read(&mut self, key: &str) -> io::Result<Option<String>> {
        Ok(self.0.get(key).cloned().flatten())
    }

    fn apply(&mut self, changes: &Changes) -> io::Result<()> {
        self.0.extend(changes.clone());
        Ok(())
    }
}
