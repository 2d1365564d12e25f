//! One hot call, many times over, for `cargo xtask instructions`, which counts its instructions
//! under callgrind.
//!
//! A process runs one case, since callgrind gives one sum per process. Keys are fixed, so a count is the
//! same in every run. Without an argument it lists the cases; with a case it prints how many keys
//! were counted.

use anther::{
    Blocked, Classic, Cuckoo, Filter, Fuse, Insert, Key, KeyHash, PlainBits, Quotient, Ribbon,
    Seed, Shared, Split, Target,
};
use anther_bench::random::Random;
use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;

/// Enough that entering and leaving the counted part, and filling and emptying the ring of a batch,
/// weigh less than a tenth of an instruction per key.
const KEYS: usize = 20_000;
const FPR: f64 = 0.01;

/// What a case may fail of.
type Done = Result<(), Box<dyn Error>>;

/// A name, which has no comma, and what it runs.
type Case = (&'static str, fn() -> Done);

const CASES: &[Case] = &[
    ("blocked contains hit", || blocked(single_hits)),
    ("blocked contains miss", || blocked(single_misses)),
    ("blocked insert", || insert(Blocked::new(target()?)?, |filter, key| filter.insert(key))),
    ("split contains hit", || split(single_hits)),
    ("split contains miss", || split(single_misses)),
    ("split insert", || insert(Split::new(target()?)?, |filter, key| filter.insert(key))),
    ("classic contains hit", || classic(single_hits)),
    ("classic contains miss", || classic(single_misses)),
    ("classic insert", || insert(Classic::new(target()?)?, |filter, key| filter.insert(key))),
    // The mean over filling it to the number of keys that it is made for.
    ("cuckoo insert", || {
        insert(Cuckoo::new(target()?)?, |filter, key| filter.insert(key).is_ok_and(|new| new))
    }),
    ("cuckoo contains hit", || cuckoo(single_hits)),
    ("cuckoo contains miss", || cuckoo(single_misses)),
    ("fuse contains hit", || fuse(single_hits)),
    ("fuse contains miss", || fuse(single_misses)),
    ("ribbon contains hit", || ribbon(single_hits)),
    ("ribbon contains miss", || ribbon(single_misses)),
    ("quotient contains hit", || quotient(single_hits)),
    ("quotient contains miss", || quotient(single_misses)),
    ("blocked contains hit 16 bytes", || strings(16)),
    ("blocked contains hit 32 bytes", || strings(32)),
    ("blocked contains hit 60 bytes", || strings(60)),
    ("keyed hash 16 bytes", keyed_hash),
    ("blocked contains_keys hit", || blocked(batch_hits)),
    ("blocked contains_keys miss", || blocked(batch_misses)),
    ("split contains_keys hit", || split(batch_hits)),
    ("split contains_keys miss", || split(batch_misses)),
    ("classic contains_keys hit", || classic(batch_hits)),
    ("classic contains_keys miss", || classic(batch_misses)),
    ("cuckoo contains_keys hit", || cuckoo(batch_hits)),
    ("cuckoo contains_keys miss", || cuckoo(batch_misses)),
    ("fuse contains_keys hit", || fuse(batch_hits)),
    ("fuse contains_keys miss", || fuse(batch_misses)),
    ("ribbon contains_keys hit", || ribbon(batch_hits)),
    ("ribbon contains_keys miss", || ribbon(batch_misses)),
    ("quotient contains_keys hit", || quotient(batch_hits)),
    ("quotient contains_keys miss", || quotient(batch_misses)),
    ("blocked insert_keys", || {
        insert_keys(Blocked::new(target()?)?, |filter, keys| filter.insert_keys(keys))
    }),
    ("split insert_keys", || {
        insert_keys(Split::new(target()?)?, |filter, keys| filter.insert_keys(keys))
    }),
    ("blocked insert_hashes", || insert_hashes(Blocked::new(target()?)?)),
    ("split insert_hashes", || insert_hashes(Split::new(target()?)?)),
    ("classic insert_hashes", || insert_hashes(Classic::new(target()?)?)),
    ("cuckoo insert_hashes", || insert_hashes(Cuckoo::new(target()?)?)),
    ("shared blocked insert", || shared_insert(Blocked::new(target()?)?)),
    ("shared blocked insert_keys", || shared_insert_keys(Blocked::new(target()?)?)),
    ("shared blocked contains hit", || shared_hits(Blocked::new(target()?)?)),
    ("shared blocked contains_keys hit", || shared_batch_hits(Blocked::new(target()?)?)),
    ("shared split insert", || shared_insert(Split::new(target()?)?)),
    ("shared split insert_keys", || shared_insert_keys(Split::new(target()?)?)),
    ("shared split contains hit", || shared_hits(Split::new(target()?)?)),
    ("shared split contains_keys hit", || shared_batch_hits(Split::new(target()?)?)),
];

fn main() -> ExitCode {
    let Some(wanted) = std::env::args().nth(1) else {
        for (name, _) in CASES {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    };
    let Some((name, run)) = CASES.iter().find(|(name, _)| *name == wanted) else {
        eprintln!("instructions: no case `{wanted}`; without an argument it lists them");
        return ExitCode::from(2);
    };
    if let Err(error) = run() {
        eprintln!("instructions: {name}: {error}");
        return ExitCode::FAILURE;
    }
    println!("{KEYS}");
    ExitCode::SUCCESS
}

/// What happens in here is counted, and nothing else: callgrind goes by the function's name, which
/// is in `xtask/src/instructions/mod.rs`, too.
#[inline(never)]
fn counted_part<T>(work: impl FnOnce() -> T) -> T {
    work()
}

fn blocked(ask: fn(&Blocked) -> Done) -> Done {
    let mut filter = Blocked::new(target()?)?;
    filter.extend(members());
    ask(&filter)
}

fn split(ask: fn(&Split) -> Done) -> Done {
    let mut filter = Split::new(target()?)?;
    filter.extend(members());
    ask(&filter)
}

fn classic(ask: fn(&Classic) -> Done) -> Done {
    let mut filter = Classic::new(target()?)?;
    filter.extend(members());
    ask(&filter)
}

fn cuckoo(ask: fn(&Cuckoo) -> Done) -> Done {
    let mut filter = Cuckoo::new(target()?)?;
    for key in members() {
        filter.insert(key)?;
    }
    ask(&filter)
}

fn fuse(ask: fn(&Fuse) -> Done) -> Done {
    ask(&Fuse::build(members(), FPR)?)
}

fn ribbon(ask: fn(&Ribbon) -> Done) -> Done {
    ask(&Ribbon::build(members(), FPR)?)
}

fn quotient(ask: fn(&Quotient) -> Done) -> Done {
    let mut filter = Quotient::new(target()?)?;
    for key in members() {
        filter.insert(key)?;
    }
    ask(&filter)
}

fn single_hits(filter: &impl Filter) -> Done {
    hits(ask_singly(filter, &members()))
}

fn single_misses(filter: &impl Filter) -> Done {
    misses(ask_singly(filter, &strangers()))
}

fn batch_hits(filter: &impl Filter) -> Done {
    hits(ask_at_once(filter, &members()))
}

fn batch_misses(filter: &impl Filter) -> Done {
    misses(ask_at_once(filter, &strangers()))
}

/// The kinds' own `contains` does just this. The filter goes through [`black_box`] each time: what a
/// loop would read once before it begins, a call that stands alone reads itself.
fn ask_singly<K: Key>(filter: &impl Filter, keys: &[K]) -> usize {
    counted_part(|| {
        let asked = keys.iter().filter(|key| {
            let filter = black_box(filter);
            filter.contains_hash(key.key_hash(filter.seed()))
        });
        asked.count()
    })
}

fn ask_at_once(filter: &impl Filter, keys: &[u64]) -> usize {
    let mut found = vec![false; keys.len()];
    counted_part(|| filter.contains_keys(keys, &mut found));
    found.into_iter().filter(|found| *found).count()
}

fn insert<F: Filter>(mut filter: F, put: impl Fn(&mut F, u64) -> bool) -> Done {
    let keys = members();
    let new = counted_part(|| keys.iter().filter(|key| put(black_box(&mut filter), **key)).count());
    mostly_new(new)?;
    hits(keys.iter().filter(|key| filter.contains_hash(key.key_hash(filter.seed()))).count())
}

fn insert_keys<F: Filter>(mut filter: F, put: impl Fn(&mut F, &[u64]) -> u64) -> Done {
    let keys = members();
    let new = counted_part(|| put(&mut filter, &keys));
    mostly_new(usize::try_from(new)?)?;
    hits(keys.iter().filter(|key| filter.contains_hash(key.key_hash(filter.seed()))).count())
}

fn insert_hashes(mut filter: impl Insert) -> Done {
    let hashes: Vec<KeyHash> = members().iter().map(|key| key.key_hash(filter.seed())).collect();
    let new = counted_part(|| filter.insert_hashes(&hashes))?;
    mostly_new(usize::try_from(new)?)?;
    hits(hashes.iter().filter(|hash| filter.contains_hash(**hash)).count())
}

fn shared_insert(filter: impl PlainBits) -> Done {
    let (filter, keys) = (Shared::new(filter)?, members());
    let put = || keys.iter().filter(|key| black_box(&filter).insert(**key)).count();
    mostly_new(counted_part(put))?;
    hits(keys.iter().filter(|key| filter.contains(**key)).count())
}

fn shared_insert_keys(filter: impl PlainBits) -> Done {
    let (filter, keys) = (Shared::new(filter)?, members());
    let new = counted_part(|| filter.insert_keys(&keys));
    mostly_new(usize::try_from(new)?)?;
    hits(keys.iter().filter(|key| filter.contains(**key)).count())
}

fn shared_hits(filter: impl PlainBits) -> Done {
    let (filter, keys) = (Shared::new(filter)?, members());
    filter.insert_keys(&keys);
    let found = || keys.iter().filter(|key| black_box(&filter).contains(**key)).count();
    hits(counted_part(found))
}

fn shared_batch_hits(filter: impl PlainBits) -> Done {
    let (filter, keys) = (Shared::new(filter)?, members());
    filter.insert_keys(&keys);
    let mut found = vec![false; keys.len()];
    counted_part(|| filter.contains_keys(&keys, &mut found));
    hits(found.into_iter().filter(|found| *found).count())
}

/// Keys of `length` bytes, at least 16; 60 is a usual length of a URL.
fn strings(length: usize) -> Done {
    let prefix = &"https://example.org/aaaaaaaaaaaaaaaaaaaaaaaa"[..length - 16];
    let keys: Vec<String> = members().iter().map(|key| format!("{prefix}{key:016x}")).collect();
    let mut filter = Blocked::new(target()?)?;
    filter.extend(keys.iter().map(String::as_str));
    if keys.iter().any(|key| key.len() != length) {
        return Err(format!("a key is not of {length} bytes").into());
    }
    hits(ask_singly(&filter, &keys))
}

fn keyed_hash() -> Done {
    let seed = Seed::keyed([7; 16]);
    let keys: Vec<[u8; 16]> = members()
        .iter()
        .map(|key| (u128::from(*key) << 64 | u128::from(!*key)).to_le_bytes())
        .collect();
    let sum =
        counted_part(|| keys.iter().fold(0, |sum, key| sum ^ black_box(&seed).hash_bytes(key).0));
    let again = keys.iter().fold(0, |sum, key| sum ^ key.as_slice().key_hash(&seed).0);
    if sum == again { Ok(()) } else { Err("one key has two hashes".into()) }
}

fn target() -> Result<Target, anther::TargetError> {
    Target::new(KEYS as u64, FPR)
}

fn members() -> Vec<u64> {
    keys(1)
}

fn strangers() -> Vec<u64> {
    keys(2)
}

fn keys(seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..KEYS).map(|_| random.draw()).collect()
}

fn hits(found: usize) -> Done {
    if found == KEYS { Ok(()) } else { Err(format!("{found} of {KEYS} members found").into()) }
}

/// Twice the rate: the counts of a filter that says yes too often are those of another work.
fn misses(found: usize) -> Done {
    if found <= KEYS / 50 {
        Ok(())
    } else {
        Err(format!("{found} of {KEYS} strangers found").into())
    }
}

fn mostly_new(new: usize) -> Done {
    if (KEYS / 50 * 49..=KEYS).contains(&new) {
        Ok(())
    } else {
        Err(format!("{new} of {KEYS} were new").into())
    }
}
