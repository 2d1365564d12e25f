//! How fingerprints of a cuckoo filter come, move and go: exactly as in RedisBloom, so that the same
//! commands leave the same bytes.

use super::cuckoo::{Cuckoo, Print, other};
use crate::error::LayerFull;

impl Cuckoo {
    /// Inserts a key, once more if it is in already. If there is no room for it, nothing changes:
    /// call [`grow`](Cuckoo::grow) unless the [expansion](Cuckoo::expansion) is 0.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), LayerFull> {
        let print = Print::of(key);
        let free = (0..self.layers.len())
            .rev()
            .find_map(|layer| self.find(layer, print, 0).map(|slot| (layer, slot)));
        match free {
            Some((layer, slot)) => self.layers[layer][slot] = print.fingerprint,
            None => self.insert_moving(print)?,
        }
        self.header.items += 1;
        Ok(())
    }

    /// Moves fingerprints of the last layer to their other buckets, until one finds a free slot.
    /// After too many moves, moves all of them back.
    fn insert_moving(&mut self, print: Print) -> Result<(), LayerFull> {
        let last = self.layers.len().checked_sub(1).ok_or(LayerFull)?;
        let size = usize::from(self.header.bucket_size);
        let rounds = usize::from(self.header.max_iterations);
        let mut fingerprint = print.fingerprint;
        let mut bucket = self.bucket(last, print.hash);
        let mut moved = Vec::new();
        for round in 0..rounds {
            let slot = bucket.start + round % size;
            std::mem::swap(&mut self.layers[last][slot], &mut fingerprint);
            moved.push(slot);
            bucket = self.bucket(last, other(fingerprint, (bucket.start / size) as u64));
            if let Some(free) = self.layers[last][bucket.clone()].iter().position(|slot| *slot == 0)
            {
                self.layers[last][bucket.start + free] = fingerprint;
                return Ok(());
            }
        }
        for slot in moved.into_iter().rev() {
            std::mem::swap(&mut self.layers[last][slot], &mut fingerprint);
        }
        Err(LayerFull)
    }

    /// Removes a key once. Returns whether it was found. Remove only keys that were inserted: a
    /// false positive would take another key's fingerprint.
    ///
    /// Once a tenth of the keys have been removed, a filter of several layers moves fingerprints to
    /// its first layers, and drops the last one if that leaves it empty, as RedisBloom does.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        let print = Print::of(key);
        let found = (0..self.layers.len())
            .rev()
            .find_map(|layer| Some((layer, self.find(layer, print, print.fingerprint)?)));
        let Some((layer, slot)) = found else { return false };
        self.layers[layer][slot] = 0;
        self.header.items = self.header.items.saturating_sub(1);
        self.header.deletes = self.header.deletes.saturating_add(1);
        if self.layers.len() > 1 && self.header.deletes as f64 > self.header.items as f64 * 0.10 {
            self.compact();
        }
        true
    }

    /// Moves fingerprints to the first layers, as `CF.COMPACT` does, and drops the last ones if that
    /// leaves them empty.
    pub fn compact(&mut self) {
        while self.layers.len() > 1 && self.empty_last_layer() {
            self.layers.pop();
            self.header.filters = self.layers.len() as u64;
        }
        self.header.deletes = 0;
    }

    /// Moves the fingerprints of the last layer to the layers before it, as far as they have room.
    /// Those are no larger, so the number of a bucket tells where its fingerprints belong in them.
    /// Returns whether all were moved.
    fn empty_last_layer(&mut self) -> bool {
        let layer = self.layers.len() - 1;
        let size = usize::from(self.header.bucket_size);
        let mut emptied = true;
        for slot in 0..self.layers[layer].len() {
            let fingerprint = self.layers[layer][slot];
            if fingerprint == 0 {
                continue;
            }
            let print = Print { fingerprint, hash: (slot / size) as u64 };
            let free = (0..layer)
                .find_map(|earlier| self.find(earlier, print, 0).map(|slot| (earlier, slot)));
            match free {
                Some((earlier, free)) => {
                    self.layers[earlier][free] = fingerprint;
                    self.layers[layer][slot] = 0;
                }
                None => emptied = false,
            }
        }
        emptied
    }
}
