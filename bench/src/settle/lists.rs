//! Filters in place of lists: counts of passwords beside a sorted file, a blocklist beside an exact
//! set of its domains, a dictionary beside `aspell`.

use super::heading;
use super::program::{self, Row, measure, write};
use crate::process;
use crate::random::{Random, mix};
use crate::statistics::median;
use anther::{Bloomier, KeyHash, Lookup, Options, Seed, Target, Work};
use memmap2::Mmap;
use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// Prints all tables.
pub fn run() {
    let Ok(folder) = program::folder() else { return };
    for (name, table) in [
        ("values", values as fn(&Path) -> Result<(), Box<dyn Error>>),
        ("blocklist", blocklist),
        ("spell", spell),
    ] {
        if let Err(error) = table(&folder) {
            println!("{name}: skipped, {error}");
        }
    }
    let _ = fs::remove_dir_all(&folder);
}

const HASHES: u64 = 10_000_000;
const QUERIES: usize = 1 << 20;
const ROUNDS: usize = 11;
/// A SHA-1 and a count of four bytes.
const RECORD: usize = 24;

/// The i-th hash of a password, as good as random.
fn sha1(i: u64) -> [u8; 20] {
    let mut hash = [0; 20];
    for (at, part) in hash.chunks_mut(8).enumerate() {
        let word = mix(mix(i) ^ at as u64).to_be_bytes();
        part.copy_from_slice(&word[..part.len()]);
    }
    hash
}

/// Its count: half of them are 1, a quarter 2 or 3, as steep as those of real lists.
fn count(i: u64) -> u32 {
    let random = mix(!i);
    let power = (random | 1 << 40).trailing_zeros().min(25);
    (1 << power) + ((random >> 41) as u32 & ((1 << power) - 1))
}

/// Counts in bands of three bits beside a sorted file of hashes and counts.
fn values(folder: &Path) -> Result<(), Box<dyn Error>> {
    heading(&format!("{HASHES} hashes with counts: bands at 0.1 % beside a sorted file"));
    let mut order: Vec<u64> = (0..HASHES).collect();
    // Its first eight bytes, which differ for any two numbers.
    order.sort_unstable_by_key(|i| mix(mix(*i)));
    let path = folder.join("sorted");
    let mut file = BufWriter::new(File::create(&path)?);
    for i in order {
        file.write_all(&sha1(i))?;
        file.write_all(&count(i).to_le_bytes())?;
    }
    file.into_inner()?;
    // SAFETY: nobody else knows the file, which is in a folder of our own.
    let sorted = unsafe { Mmap::map(&File::open(&path)?)? };

    let seed = Seed::FIXED;
    let key = |i: u64| seed.hash_bytes(&sha1(i));
    let mut pairs: Vec<(KeyHash, u64)> = (0..HASHES).map(|i| (key(i), count(i).into())).collect();
    let target = Target::new(HASHES, 0.001)?;
    let start = Instant::now();
    let map = Bloomier::build_bands(&mut pairs, target, &Options::new(), false, seed, Work::new())?;
    let built = start.elapsed().as_secs_f64();
    drop(pairs);
    let path = folder.join("bands.anther");
    map.save(&path)?;
    for i in 0..HASHES {
        let band = map.get_hash(key(i)).ok_or("a key is missing")?;
        if !map.counts(band).contains(&count(i).into()) {
            return Err(format!("hash {i} has another band").into());
        }
    }

    let mut random = Random::new(1);
    let present: Vec<[u8; 20]> = (0..QUERIES).map(|_| sha1(random.draw() % HASHES)).collect();
    let absent: Vec<[u8; 20]> = (0..QUERIES).map(|i| sha1(HASHES + i as u64)).collect();
    let search = |hash: &[u8; 20]| {
        let (mut low, mut high) = (0, sorted.len() / RECORD);
        while low < high {
            let middle = low.midpoint(high);
            match sorted[middle * RECORD..][..20].cmp(hash) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    };
    let get = |hash: &[u8; 20]| map.get_hash(seed.hash_bytes(hash)).is_some();
    let false_positives = absent.iter().filter(|hash| get(hash)).count();
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let [a, b, c, d] = &mut times;
        a.push(nanoseconds(&present, get));
        b.push(nanoseconds(&absent, get));
        c.push(nanoseconds(&present, search));
        d.push(nanoseconds(&absent, search));
    }
    let [a, b, c, d] = times.map(|mut times| median(&mut times));
    let bytes = |path: &Path| fs::metadata(path).map(|it| it.len() as f64 / HASHES as f64);
    println!("{:>24} {:>10} {:>12} {:>12}", "", "bytes/key", "present ns", "absent ns");
    println!("{:>24} {:>10.3} {a:>12.1} {b:>12.1}", "bloomier, bands", bytes(&path)?);
    let all = bytes(&folder.join("sorted"))?;
    println!("{:>24} {all:>10.3} {c:>12.1} {d:>12.1}", "sorted, binary search");
    println!(
        "built in {built:.1} s; every count in its band; {:.4} % false positives of {:.4} % promised",
        100.0 * false_positives as f64 / QUERIES as f64,
        100.0 * map.profile().fpr_now
    );
    Ok(())
}

/// Nanoseconds per lookup.
fn nanoseconds(hashes: &[[u8; 20]], found: impl Fn(&[u8; 20]) -> bool) -> f64 {
    let start = Instant::now();
    black_box(hashes.iter().filter(|hash| found(hash)).count());
    start.elapsed().as_nanos() as f64 / hashes.len() as f64
}

const DOMAINS: u64 = 100_000;
const URLS: u64 = 1_000_000;
const LIST_FPR: f64 = 0.001;

/// A host: a registrable domain under one of many suffixes, with up to two labels before it.
fn host(i: u64) -> String {
    const SUFFIXES: [&str; 10] =
        ["com", "net", "org", "co.uk", "de", "ru", "com.br", "info", "co.jp", "xyz"];
    let mixed = mix(i);
    let suffix = SUFFIXES[(mixed % 10) as usize];
    let mut name = format!("{:x}.{suffix}", mixed >> 16);
    for level in 0..(mixed >> 8) % 3 {
        name =
            format!("{}{}.{name}", ["www", "ads", "cdn", "t"][(mixed >> 10) as usize & 3], level);
    }
    name
}

/// The parents of a URL's host, itself first, down to the registrable domain.
fn parents(url: &str) -> Vec<&str> {
    let host = url.split('/').nth(2).unwrap_or_default();
    let dots = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
    let all: Vec<_> = std::iter::once(host).chain(dots).collect();
    let suffix =
        if ["co.uk", "com.br", "co.jp"].iter().any(|it| host.ends_with(it)) { 2 } else { 1 };
    all[..all.len() - suffix].to_vec()
}

/// A hosts file of domains against URLs, a tenth of which are listed or below what is.
fn blocklist(folder: &Path) -> Result<(), Box<dyn Error>> {
    heading(&format!("{DOMAINS} domains of a hosts file at 0.1 % against {URLS} URLs"));
    let program = process::built()?;
    let listed: HashSet<String> = (0..DOMAINS).map(host).collect();
    let lines = (0..DOMAINS).map(|i| format!("0.0.0.0 {}\n", host(i)));
    let hosts = write(&folder.join("hosts"), lines)?;
    let url = |i: u64| match i % 10 {
        0 => format!("https://x{}.{}/{i}\n", i % 7, host(mix(i) % DOMAINS)),
        _ => format!("https://{}/{i}?q={i}\n", host(DOMAINS + i)),
    };
    write(&folder.join("urls"), (0..URLS).map(url))?;
    let row = |name, arguments, input, output| Row {
        name,
        program: program.clone(),
        arguments,
        input,
        output,
    };
    let costs = measure(
        &[
            row(
                "build",
                vec![
                    "build",
                    "ads.anther",
                    "hosts",
                    "--as",
                    "domain",
                    "--fpr",
                    "0.1%",
                    "-q",
                    "--force",
                ],
                None,
                None,
            ),
            row("check", vec!["check", "ads.anther"], Some("urls"), Some("found")),
        ],
        folder,
    )?;
    let found = fs::read_to_string(folder.join("found"))?;
    let found: HashSet<&str> = found.lines().collect();
    let (mut hits, mut missed, mut wrong, mut absent, mut lookups) = (0, 0, 0, 0, 0);
    let urls = fs::read_to_string(folder.join("urls"))?;
    for url in urls.lines() {
        let all = parents(url);
        let (is_listed, is_found) =
            (all.iter().any(|name| listed.contains(*name)), found.contains(url));
        hits += u64::from(is_listed);
        missed += u64::from(is_listed && !is_found);
        if !is_listed {
            absent += 1;
            lookups += all.len();
            wrong += u64::from(is_found);
        }
    }
    let size = fs::metadata(folder.join("ads.anther"))?.len();
    println!(
        "hosts file {hosts} bytes, filter {size} bytes, {:.2} bits per domain",
        8.0 * size as f64 / DOMAINS as f64
    );
    println!(
        "build {:.3} s, check {:.3} s, {:.2} M URLs/s",
        costs[0].seconds,
        costs[1].seconds,
        URLS as f64 / costs[1].seconds / 1e6
    );
    println!("{hits} URLs are listed by an exact check over all parents, {missed} of them missed");
    let per_url = lookups as f64 / absent as f64;
    let promised = 1.0 - (1.0 - LIST_FPR).powf(per_url);
    println!(
        "{absent} are not, with {per_url:.2} lookups each: {:.3} % false positives of {:.3} % promised",
        100.0 * wrong as f64 / absent as f64,
        100.0 * promised
    );
    if missed > 0 {
        return Err("a listed URL was missed".into());
    }
    Ok(())
}

/// A text of the length of a long book, from the words of Debian's dictionary, beside `aspell list`.
fn spell(folder: &Path) -> Result<(), Box<dyn Error>> {
    const DICTIONARY: &str = "/usr/share/dict/american-english";
    const WORDS: u64 = 500_000;
    heading(&format!("a text of {WORDS} words: spell beside aspell list"));
    let program = process::built()?;
    let words = fs::read_to_string(DICTIONARY).map_err(|error| {
        format!("{DICTIONARY}: {error}; apt-get install wamerican aspell aspell-en")
    })?;
    let words: Vec<&str> = words.lines().collect();
    // Frequent words are frequent: the square of a uniform number picks the early ones of a shuffled
    // list more often. One word in fifty is misspelled.
    let word = |i: u64| {
        let uniform = (mix(i) >> 11) as f64 / (1u64 << 53) as f64;
        let at = (uniform * uniform * words.len() as f64) as u64;
        let word = words[(mix(at) % words.len() as u64) as usize];
        let end = match i % 13 {
            12 => ".\n",
            5 => ", ",
            _ => " ",
        };
        match i % 50 {
            49 => format!("{word}qx{end}"),
            _ if i.is_multiple_of(13) => {
                let mut letters = word.chars();
                let first = letters.next().into_iter().flat_map(char::to_uppercase);
                format!("{}{}{end}", first.collect::<String>(), letters.as_str())
            }
            _ => format!("{word}{end}"),
        }
    };
    let size = write(&folder.join("book.txt"), (0..WORDS).map(word))?;
    let run = |name, program: &Path, arguments, input, output| Row {
        name,
        program: program.to_path_buf(),
        arguments,
        input,
        output,
    };
    let aspell = Path::new("aspell");
    let costs = measure(
        &[
            run(
                "build",
                &program,
                vec!["build", "en.anther", DICTIONARY, "--fpr", "0.1%", "-q", "--force"],
                None,
                None,
            ),
            run(
                "spell",
                &program,
                vec!["spell", "en.anther", "--words"],
                Some("book.txt"),
                Some("unknown"),
            ),
            run(
                "aspell",
                aspell,
                vec!["list", "--lang=en_US", "--encoding=utf-8"],
                Some("book.txt"),
                Some("aspell"),
            ),
        ],
        folder,
    )?;
    let filter = fs::metadata(folder.join("en.anther"))?.len();
    let unknown = fs::read_to_string(folder.join("unknown"))?;
    let in_dictionary: HashSet<&str> = words.iter().copied().collect();
    let reported = unknown.lines().filter(|word| in_dictionary.contains(word)).count();
    println!(
        "{size} bytes of text; dictionary of {} words, filter of {filter} bytes built in {:.0} ms",
        words.len(),
        1e3 * costs[0].seconds
    );
    for (name, cost) in [("anther spell", costs[1]), ("aspell list", costs[2])] {
        println!("{name:>14} {:>8.1} ms", 1e3 * cost.seconds);
    }
    println!(
        "{} words reported of {} misspelled, {reported} of them in the dictionary; {} by aspell",
        unknown.lines().count(),
        WORDS / 50,
        fs::read_to_string(folder.join("aspell"))?.lines().count()
    );
    Ok(())
}
