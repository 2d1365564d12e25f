//! What filters are used for: a line per use of `anther-uses` that needs no privileges. Here are its
//! structures and formulas on generated data; `anther-uses all` has the processes and sockets.

use super::data::{url, word};
use super::ledger::Ledger;
use super::stage::Stage;
use crate::error::Error as TourError;
use anther::sizing::bloom;
use anther::units;
use anther::{KeyHash, Kind, Seed, Target};
use anther_uses::differential_file::{Base, Changes, DifferentialFile, reads as reads_by_formula};
use anther_uses::encrypted_search::{Layout, SearchKey, SecureIndex};
use anther_uses::key_value_store::{Settings, Store, Table, absent_reads};
use anther_uses::longest_prefix::{Address, PrefixTable, expected_probes};
use anther_uses::near_duplicates::{TextSketch, shingles};
use anther_uses::safe_browsing::{FullHash, Guard, Local, full_hash, requests};
use anther_uses::web_proxies::Directory;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::{fs, io};

/// A line of the ledger: the text that names the use, a claim with the formula's number, what was
/// measured, and whether it holds.
struct Line {
    source: &'static str,
    claim: String,
    measured: String,
    holds: bool,
}

/// A use on its data. It may make files in the tour's folder.
type Use = fn(&Path) -> Result<Line, Box<dyn Error>>;

const USES: [Use; 7] = [
    key_value_store,
    differential_file,
    encrypted_search,
    longest_prefix,
    near_duplicates,
    safe_browsing,
    web_proxies,
];

/// The secret key of those that have one.
const SECRET: [u8; 16] = *b"the tour's key 1";

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), TourError> {
    stage.say("Formulas of what the texts name, and the same measured; see the ledger.")?;
    stage.say("With processes, sockets and networks: cargo run --release -p anther-uses -- all")?;
    for one in USES {
        let Line { source, claim, measured, holds } =
            one(stage.folder()).map_err(|error| TourError::Failed(error.to_string()))?;
        ledger.claim(source, &claim, &measured, holds);
    }
    Ok(())
}

/// Whether so many of the trials are what chance makes of a probability: six standard deviations.
fn by_chance(probability: f64, events: u64, trials: u64) -> bool {
    let expected = probability * trials as f64;
    (events as f64 - expected).abs() <= 6.0 * (expected * (1.0 - probability)).sqrt()
}

fn key_value_store(folder: &Path) -> Result<Line, Box<dyn Error>> {
    const KEYS: u64 = 20_000;
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

fn differential_file(folder: &Path) -> Result<Line, Box<dyn Error>> {
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

fn encrypted_search(_: &Path) -> Result<Line, Box<dyn Error>> {
    const WORDS: u64 = 200;
    let layout = Layout::new(Target::new(WORDS, 0.01)?)?;
    let key = SearchKey::new(SECRET);
    let (mut missed, mut found, mut searches) = (0, 0, 0);
    for document in 0..20 {
        let words: Vec<String> = (0..WORDS).map(|at| word(document * WORDS + at)).collect();
        let index = SecureIndex::build(&key, document, words.iter().map(String::as_str), layout)?;
        let has = |word: &str| index.contains(&key.trapdoor(word, layout));
        for word in &words {
            missed += u64::from(!has(word)?);
        }
        for number in 0..500 {
            found += u64::from(has(&word(100_000 + number))?);
            searches += 1;
        }
    }
    let (predicted, measured) = (layout.rate(), found as f64 / searches as f64);
    Ok(Line {
        source: "[5]",
        claim: format!("encrypted search: {} by chance", units::rate(predicted)),
        measured: format!("{}, {missed} words missed", units::rate(measured)),
        holds: missed == 0 && by_chance(predicted, found, searches),
    })
}

fn longest_prefix(_: &Path) -> Result<Line, Box<dyn Error>> {
    const LOOKUPS: u64 = 50_000;
    let draw = |number: u64| KeyHash(7).again(number).0;
    let mut exact: HashMap<(u32, u8), u64> = HashMap::new();
    for number in 0..20_000 {
        // Lengths from 8 to 24, nested, since few bits before the 8th are drawn.
        let (length, address) = (8 + (draw(number) % 17) as u8, draw(number) >> 32 & 0x0FFF_FFFF);
        exact.insert(((address as u32).prefix(length), length), number);
    }
    let routes = exact.iter().map(|((prefix, length), value)| (*prefix, *length, *value));
    let table = PrefixTable::build(routes, 0.2, Seed::keyed(SECRET))?;
    let (mut tries, mut wrong) = (0, 0);
    for number in 0..LOOKUPS {
        let address = (draw(100_000 + number) >> 32 & 0x1FFF_FFFF) as u32;
        let found = table.lookup(address);
        let best = (8..=24).rev().find_map(|length| exact.get(&(address.prefix(length), length)));
        wrong += u64::from(found.value != best.copied());
        tries += u64::from(found.probes);
    }
    let (most, mean) = (expected_probes(&table.rates()), tries as f64 / LOOKUPS as f64);
    Ok(Line {
        source: "[5]",
        claim: format!("longest prefix: at most 1+Σf={most:.2} tries"),
        measured: format!("{mean:.2} tries, {wrong} wrong"),
        holds: wrong == 0 && mean <= most,
    })
}

fn near_duplicates(_: &Path) -> Result<Line, Box<dyn Error>> {
    let text = |left_out: u64| -> String {
        (1..=3000)
            .filter(|number| number % left_out != 0)
            .map(|number| word(number) + " ")
            .collect()
    };
    // The copy lacks every thirtieth word.
    let [page, copy] = [text(u64::MAX), text(30)];
    let [all, some] = [&page, &copy].map(|text| shingles(text, 4).collect::<HashSet<_>>());
    let truth = all.intersection(&some).count() as f64 / all.union(&some).count() as f64;
    let target = Target::new(3000, 0.02)?;
    let [one, other] = [&page, &copy].map(|text| TextSketch::new(text, 4, target));
    let (one, other) = (one?, other?);
    let found = one.resemblance(&other)?;
    Ok(Line {
        source: "[5]",
        claim: format!("near-duplicates: Jaccard index {truth:.3}"),
        measured: format!("{:.3} by {} bytes", found.estimate, one.bytes()),
        holds: (found.estimate - truth).abs() <= 4.0 * found.deviation,
    })
}

fn safe_browsing(_: &Path) -> Result<Line, Box<dyn Error>> {
    const PAGES: u64 = 20_000;
    const LISTED: u64 = 50;
    let list: Result<Vec<FullHash>, _> = (0..5000).map(|number| full_hash(&url(number))).collect();
    let list = list?;
    let mut guard = Guard::new(Local::filter(&list, 0.001, Seed::keyed(SECRET))?);
    let mut asked = 0;
    let mut ask = |prefix: [u8; 4]| {
        asked += 1;
        Ok(list.iter().copied().filter(|hash| hash.starts_with(&prefix)).collect())
    };
    let (mut blocked, mut others) = (0, 0);
    for number in 0..PAGES {
        if number < LISTED {
            // Another spelling of a listed page.
            let page = url(number).replacen("https://", "HTTPS://", 1) + "#top";
            blocked += u64::from(guard.is_listed(&page, &mut ask)?);
        } else {
            others += u64::from(guard.is_listed(&url(100_000 + number), &mut ask)?);
        }
    }
    let predicted = requests(PAGES, LISTED, 0.001);
    Ok(Line {
        source: "[2] 7.3",
        claim: format!("Safe Browsing: b+(N-b)ε={predicted:.0} of {PAGES} pages asked"),
        measured: format!("{asked}; {blocked} of {LISTED} blocked, {others} others"),
        holds: blocked == LISTED
            && others == 0
            && by_chance(predicted / PAGES as f64, asked, PAGES),
    })
}

fn web_proxies(_: &Path) -> Result<Line, Box<dyn Error>> {
    const PAGES: u64 = 2000;
    const ABSENT: u64 = 20_000;
    let mut cache = Directory::new(PAGES, 8, 4, 0.1, Seed::FIXED)?;
    (0..PAGES).for_each(|number| cache.insert(&url(number)));
    let summary = cache.summary()?;
    let missed = (0..PAGES).filter(|number| !summary.contains(url(*number))).count();
    let in_vain = (PAGES..PAGES + ABSENT).filter(|number| summary.contains(url(*number))).count();
    let (in_vain, predicted) = (in_vain as u64, bloom::rate(8 * PAGES, PAGES, 4));
    Ok(Line {
        source: "[2] 7.1",
        claim: format!("web proxies, a byte per page: {} in vain", units::rate(predicted)),
        measured: format!("{}, {missed} missed", units::rate(in_vain as f64 / ABSENT as f64)),
        holds: missed == 0 && by_chance(predicted, in_vain, ABSENT),
    })
}
