//! Keys chosen against a hash whose seed is known.
//!
//! The attacker knows the program, the default seed and the filter's bits, and can hash as many
//! candidates as there is time for. A secret key takes the hashes away, and nothing else.

use crate::error::Error;
use anther::{Classic, Cuckoo, Inspect, Key, Seed};
use std::collections::HashMap;

/// Where the attacker's candidates begin, beyond every key that is inserted.
const CANDIDATES: u64 = 1 << 40;

/// Keys that were found, and how many candidates were hashed for all of them.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The keys.
    pub keys: Vec<u64>,
    /// How many candidates were hashed.
    pub tried: u64,
}

impl Chosen {
    /// The next candidate.
    fn candidate(&mut self) -> u64 {
        self.tried += 1;
        CANDIDATES + self.tried - 1
    }

    /// How many candidates were hashed for each key found.
    pub fn tried_for_each(&self) -> f64 {
        self.tried as f64 / self.keys.len() as f64
    }
}

/// Absent keys that should be answered maybe, by a filter's bits and the default seed.
/// `shape` is a filter of the same size with that seed. Fewer than `wanted` if `most` candidates
/// do not suffice.
pub fn forged(
    filter: &Classic,
    shape: &Classic,
    wanted: usize,
    most: u64,
) -> Result<Chosen, Error> {
    let rows = filter.rows();
    let bits = rows.first().ok_or_else(|| Error::about("attack", "no bits"))?.cells;
    let mut chosen = Chosen::default();
    while chosen.keys.len() < wanted && chosen.tried < most {
        let key = chosen.candidate();
        let touches = shape.touches(key.key_hash(&Seed::FIXED));
        if touches.iter().all(|touch| bits.get(touch.cell) == 1) {
            chosen.keys.push(key);
        }
    }
    Ok(chosen)
}

/// Keys that each set as many new bits as there are hash functions, in a filter with the default
/// seed that holds only them. Fewer than `wanted` if `most` candidates do not suffice.
pub fn polluting(shape: &Classic, wanted: usize, most: u64) -> Result<Chosen, Error> {
    let rows = shape.rows();
    let cells = rows.first().map_or(0, |row| row.cells.cells());
    let cells = usize::try_from(cells).map_err(|error| Error::about("attack", error))?;
    let mut taken = vec![false; cells];
    let mut chosen = Chosen::default();
    while chosen.keys.len() < wanted && chosen.tried < most {
        let key = chosen.candidate();
        let touches = shape.touches(key.key_hash(&Seed::FIXED));
        let mut own: Vec<usize> = Vec::with_capacity(touches.len());
        let own_cells = touches.iter().filter_map(|touch| usize::try_from(touch.cell).ok());
        own.extend(own_cells.take_while(|cell| !taken[*cell]));
        own.sort_unstable();
        let different = own.windows(2).all(|pair| pair[0] < pair[1]);
        if different && own.len() == touches.len() {
            own.into_iter().for_each(|cell| taken[cell] = true);
            chosen.keys.push(key);
        }
    }
    Ok(chosen)
}

/// Keys whose two buckets are the same, one more than these hold.
pub fn crowding(filter: &Cuckoo, most: u64) -> Chosen {
    let room = 2 * Cuckoo::DEFAULT_BUCKET_SIZE as usize;
    let mut by_buckets: HashMap<Vec<u64>, Vec<u64>> = HashMap::new();
    let mut chosen = Chosen::default();
    while chosen.tried < most {
        let key = chosen.candidate();
        let touches = filter.touches(key.key_hash(&Seed::FIXED));
        let keys = by_buckets.entry(touches.iter().map(|touch| touch.cell).collect()).or_default();
        keys.push(key);
        if keys.len() > room {
            chosen.keys = std::mem::take(keys);
            break;
        }
    }
    chosen
}
