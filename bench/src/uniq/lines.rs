//! Lines of 40 bytes, half of which are distinct, and what must remain of them.

use crate::process;
use crate::random::{Random, mix, scale};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

/// With its end.
pub const LENGTH: usize = 40;

/// The i-th distinct line.
pub fn distinct(i: u64) -> [u8; LENGTH] {
    let mut line = *b"https://host000.example.org/00000000000\n";
    let random = mix(i);
    for (at, digit) in [100, 10, 1].into_iter().enumerate() {
        line[12 + at] = b'0' + (random / digit % 10) as u8;
    }
    // 44 bits that differ for any two numbers below 2⁴⁴: an odd factor permutes them.
    let id = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for at in 0..11 {
        line[28 + at] = b"0123456789abcdef"[(id >> (4 * at) & 15) as usize];
    }
    line
}

/// `count` lines: every other one is new, and each of the others repeats an earlier one.
pub fn all(count: u64) -> impl Iterator<Item = [u8; LENGTH]> {
    let mut random = Random::new(count);
    (0..count).map(move |i| match i % 2 {
        0 => distinct(i / 2),
        _ => distinct(scale(random.draw(), i / 2 + 1)),
    })
}

/// Writes them.
pub fn write(count: u64, to: impl Write) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(1 << 18, to);
    for line in all(count) {
        to.write_all(&line)?;
    }
    to.flush()
}

/// A file with `count` lines, in target/uniq; made if it is not there.
pub fn file(count: u64) -> io::Result<PathBuf> {
    let folder = process::root().join("target/uniq");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("lines-{count}.txt"));
    if fs::metadata(&path).is_ok_and(|it| it.len() == count * LENGTH as u64) {
        return Ok(path);
    }
    eprintln!("uniq: making {}", path.display());
    let made = path.with_extension("made");
    write(count, File::create(&made)?)?;
    fs::rename(&made, &path)?;
    Ok(path)
}

/// What remains of lines, as far as it can be compared without keeping it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Remains {
    pub lines: u64,
    /// The sum of the lines' hashes: the same in any order.
    pub set: u64,
    /// A hash of all, in their order.
    pub order: u64,
}

impl Remains {
    fn add(&mut self, line: &[u8]) {
        let hash = line.chunks(8).fold(line.len() as u64, |hash, part| {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            mix(hash ^ u64::from_le_bytes(bytes))
        });
        self.lines += 1;
        self.set = self.set.wrapping_add(hash);
        self.order = mix(self.order ^ hash);
    }

    /// What must remain: each distinct line, in the order of its first copy.
    pub fn expected(count: u64) -> Remains {
        let mut remains = Remains::default();
        for i in 0..count.div_ceil(2) {
            remains.add(&distinct(i)[..LENGTH - 1]);
        }
        remains
    }

    /// What a program printed.
    pub fn read(mut from: impl Read) -> io::Result<Remains> {
        let mut remains = Remains::default();
        let mut buffer = vec![0; 1 << 18];
        let mut kept = 0;
        loop {
            let read = from.read(&mut buffer[kept..])?;
            let filled = kept + read;
            let mut start = 0;
            for end in memchr::memchr_iter(b'\n', &buffer[..filled]) {
                remains.add(&buffer[start..end]);
                start = end + 1;
            }
            if read == 0 {
                if start < filled {
                    remains.add(&buffer[start..filled]);
                }
                return Ok(remains);
            }
            buffer.copy_within(start..filled, 0);
            kept = filled - start;
            if kept == buffer.len() {
                return Err(io::Error::other("a line of 256 KiB; ours have 40 bytes"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn half_of_the_lines_are_distinct() {
        let lines: Vec<[u8; LENGTH]> = all(100_000).collect();
        assert!(lines.iter().all(|line| line.iter().position(|it| *it == b'\n') == Some(39)));
        let mut seen = HashSet::new();
        let first: Vec<_> = lines.iter().filter(|line| seen.insert(**line)).copied().collect();
        assert_eq!(first.len(), 50_000);
        let remains = Remains::read(first.concat().as_slice()).expect("memory");
        assert_eq!(remains, Remains::expected(100_000));
        let mut sorted = first;
        sorted.sort_unstable();
        let sorted = Remains::read(sorted.concat().as_slice()).expect("memory");
        assert_eq!((sorted.lines, sorted.set), (remains.lines, remains.set));
        assert_ne!(sorted.order, remains.order);
    }
}
