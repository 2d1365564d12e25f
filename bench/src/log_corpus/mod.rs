//! Logs with the statistics of real ones, from a fixed seed.
//!
//! A file is an hour of one service on one host. Its lines come from the service's own messages, few of
//! which make up most lines (Zipf). What varies in a line: a time that moves on, clients and paths that
//! come back (Zipf), durations and counts, ids of requests that are new each time, stack traces.
//! [`Statistics`] says how near that comes to real logs; a test holds it there.

mod service;
mod words;
mod write;

use crate::random::{Random, mix};
use service::{SERVICES, Service};
use std::collections::HashSet;

/// All services, and with them any number of files.
pub struct LogCorpus {
    seed: u64,
    services: Vec<Service>,
}

impl LogCorpus {
    /// Another seed gives other messages, clients and ids.
    pub fn new(seed: u64) -> LogCorpus {
        LogCorpus {
            seed,
            services: (0..SERVICES).map(|i| Service::new(mix(seed) ^ i, i)).collect(),
        }
    }

    /// The i-th log: whole lines, at least `bytes` in all.
    pub fn file(&self, i: u64, bytes: usize) -> Vec<u8> {
        let mut random = Random::new(mix(self.seed ^ 0x10C5) ^ i);
        let service = &self.services[(i % SERVICES) as usize];
        let host =
            format!("{}-{}", ["web", "app", "node", "db"][(i % 4) as usize], i / SERVICES % 24);
        let process = 1000 + random.draw() % 30_000;
        // Milliseconds since the first file began; a day has 24 files of a service and host.
        let mut time = i / SERVICES * 3_600_000;
        let mut text = Vec::with_capacity(bytes + 4096);
        while text.len() < bytes {
            // Most lines come in bursts.
            time += if random.draw().is_multiple_of(2) {
                random.draw() % 400
            } else {
                random.draw() % 3
            };
            service.line(&mut text, &mut random, time, &host, process);
        }
        text
    }

    /// How large the i-th of many logs is: from 16 KB to 320 KB, as many small as large ones on a
    /// logarithmic scale; 101 KB on average.
    pub fn size(&self, i: u64) -> usize {
        let uniform = mix(mix(self.seed) ^ !i) as f64 / 2f64.powi(64);
        (16e3 * 20f64.powf(uniform)) as usize
    }
}

/// What the cost of an index and of reading depends on.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// Bytes per line, with its end.
    pub line: f64,
    /// Distinct lowercased 4-grams per byte, in blocks of 64 and of 256 KiB.
    pub grams: [f64; 2],
    /// The same of words: runs of letters, digits and `_`.
    pub words: [f64; 2],
    /// How many times smaller zstd makes it, at its level 3.
    pub zstd: f64,
}

impl Statistics {
    /// Of a text of at least 256 KiB.
    pub fn of(text: &[u8]) -> std::io::Result<Statistics> {
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        let lower = text.to_ascii_lowercase();
        let sizes = [64 << 10, 256 << 10];
        let per_byte = |count: fn(&[u8]) -> usize| {
            sizes.map(|size| {
                let blocks = lower.chunks_exact(size);
                let (blocks, distinct) =
                    blocks.fold((0, 0), |(blocks, sum), block| (blocks + 1, sum + count(block)));
                distinct as f64 / (size * blocks) as f64
            })
        };
        Ok(Statistics {
            line: text.len() as f64 / lines as f64,
            grams: per_byte(|block| {
                block.windows(4).filter(|gram| !gram.contains(&b'\n')).collect::<HashSet<_>>().len()
            }),
            words: per_byte(|block| {
                let words = block.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
                words.collect::<HashSet<_>>().len()
            }),
            zstd: text.len() as f64 / zstd::bulk::compress(text, 3)?.len() as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_have_the_statistics_of_real_ones() {
        let corpus = LogCorpus::new(1);
        let text: Vec<u8> = (0..20).flat_map(|i| corpus.file(i, 256 << 10)).collect();
        let found = Statistics::of(&text).expect("zstd compresses");
        // What real logs have: 0.083 and 0.049 grams per byte, 0.015 and 0.0115 words, 8 to 10 times.
        assert!((100.0..200.0).contains(&found.line), "{found:?}");
        assert!((0.07..0.10).contains(&found.grams[0]), "{found:?}");
        assert!((0.04..0.06).contains(&found.grams[1]), "{found:?}");
        assert!((8.0..10.5).contains(&found.zstd), "{found:?}");
    }
}
