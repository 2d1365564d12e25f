//! Two parties hold a hundred thousand keys each, and one in a thousand differs. How many bytes must
//! they send to find out which?
//!
//! ```console
//! $ cargo run -p anther --release --example difference
//! ```

use anther::iblt::{Decoder, Encoder, Iblt, Integers, Strata};
use anther::{Key, Seed};
use std::error::Error;
use std::fs;

const KEYS: u64 = 100_000;
const APART: u64 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    // We lack the last fifty keys, they lack the first fifty.
    let key = |i: u64| i.key_hash(&Seed::FIXED).0;
    let ours = || (0..KEYS).map(key);
    let theirs = || (APART..KEYS + APART).map(key);
    let [only_ours, only_theirs] = [0..APART, KEYS..KEYS + APART].map(|range| {
        let mut keys: Vec<u64> = range.map(key).collect();
        keys.sort_unstable();
        keys
    });
    let list = 8 * KEYS;
    println!("the full list          {list:>9} bytes");

    // How large is the difference? Exact when small, within a third when large.
    let seed = Seed::FIXED;
    let mut our_strata = Strata::new(seed)?;
    ours().for_each(|key| our_strata.insert(key));
    let mut their_strata = Strata::new(seed)?;
    theirs().for_each(|key| their_strata.insert(key));
    let mut sent = Vec::new();
    their_strata.write_to(&mut sent)?;
    let estimate = our_strata.estimate(&Strata::from_bytes(&sent)?)?;
    println!(
        "strata                 {:>9} bytes: about {} keys differ",
        sent.len(),
        estimate.difference
    );
    assert!((50..200).contains(&estimate.difference));
    assert!(sent.len() < 52_000);

    // A table of that size, as a file.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("theirs.anther");
    let mut table = Iblt::new(Integers, estimate.enough())?;
    table.insert_all(theirs())?;
    table.save(&path)?;
    let bytes = fs::metadata(&path)?.len();
    let mut table = Iblt::new(Integers, estimate.enough())?;
    table.insert_all(ours())?;
    let found = table.subtract(&Iblt::open(&path)?)?.decode()?;
    println!(
        "a table for {:<5}      {bytes:>9} bytes: {} and {} found",
        estimate.enough(),
        found.ours.len(),
        found.theirs.len()
    );
    assert_eq!((&found.ours, &found.theirs), (&only_ours, &only_theirs));
    assert!(bytes < list / 100);

    // A table that is too small reports it, and the size to use. Common keys cancel out, so only
    // the others are inserted here.
    let mut small = [Iblt::new(Integers, 10)?, Iblt::new(Integers, 10)?];
    small[0].insert_all(only_ours.iter().copied())?;
    small[1].insert_all(only_theirs.iter().copied())?;
    match small[0].subtract(&small[1])?.decode() {
        Err(error) => println!("a table for 10         {:>9} bytes: {error}", 20 * error.cells),
        Ok(_) => return Err("a hundred do not fit in a table for ten".into()),
    }

    // Without knowing the size: send symbols until the receiver is done.
    let mut receiver = Decoder::new(Integers, ours(), seed)?;
    let mut bytes = 0;
    for symbol in Encoder::new(Integers, theirs(), seed)? {
        bytes += symbol.as_bytes().len() as u64;
        if receiver.push(symbol)? {
            break;
        }
    }
    let found = receiver.found();
    println!(
        "{:<4} symbols           {bytes:>9} bytes: {} and {} found",
        receiver.symbols(),
        found.ours.len(),
        found.theirs.len()
    );
    assert_eq!((&found.ours, &found.theirs), (&only_ours, &only_theirs));
    assert!(bytes < list / 200);
    Ok(())
}
