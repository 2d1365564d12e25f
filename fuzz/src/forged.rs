//! Right checksums for bytes that are not: a forger computes them, too. By FORMAT.md alone.

use std::hash::Hasher;
use twox_hash::XxHash3_64;

/// The most bytes of a section: what an input claims beyond its own end is filled with zeros up to
/// this.
pub const MOST: usize = 1 << 13;

/// Rows of coded sections are this many bits at most. They may be 64 MiB, whatever the length of
/// the code, which takes seconds to decode.
pub const MOST_CODED: u64 = 1 << 17;

/// Rows of more bits are refused before anything is decoded, as no section here is longer than
/// 1/1024 of this.
const TOO_LARGE: u64 = 64 << 23;

pub fn sum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

pub fn sum_with(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(len)?)?;
    let number = bytes
        .iter()
        .rev()
        .try_fold(0u64, |sum, byte| sum.checked_mul(256).map(|sum| sum | u64::from(*byte)));
    usize::try_from(number?).ok()
}

fn put(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

/// How a file is sealed.
#[derive(Clone, Copy, PartialEq)]
pub enum State {
    Closed,
    /// While processes insert into it.
    Open,
}

/// Name, encoding and length of the sections, and where the value of the field `pages` is.
struct Entries {
    sections: Vec<(Vec<u8>, u8, usize)>,
    root: Option<usize>,
}

fn entries(header: &[u8]) -> Option<Entries> {
    let mut at = 32 + number(header, 22, 2)?;
    let (mut root, mut sections) = (None, Vec::new());
    let fields = number(header, 18, 2)?;
    for entry in 0..fields + number(header, 20, 2)? {
        let name = usize::from(*header.get(at)?);
        let name = header.get(at + 1..at + 1 + name)?;
        at += 1 + name.len();
        let value = number(header, at + 1, 8);
        if entry >= fields {
            sections.push((name.to_vec(), *header.get(at)?, value?));
        } else if name == b"pages" {
            root = Some(at + 1);
        }
        at += 9;
    }
    (at <= header.len()).then_some(Entries { sections, root })
}

/// A file of the container whose checksums, padding and length are right, if its header can be
/// read. `None` where opening it would take long.
pub fn container(bytes: &[u8], state: State, most: usize) -> Option<Vec<u8>> {
    let len = number(bytes, 12, 4)?;
    if !len.is_multiple_of(64) || !(64..=4096).contains(&len) {
        return Some(bytes.to_vec());
    }
    let mut file = bytes.get(..len - 8)?.to_vec();
    let mut body = bytes.get(len..).unwrap_or_default();
    let entries = entries(&file).unwrap_or(Entries { sections: Vec::new(), root: None });
    file.extend([0; 8]);
    let mut ranges = Vec::new();
    for (_, encoding, len) in &entries.sections {
        let (start, len) = (file.len(), (*len).min(most));
        let padded = len.next_multiple_of(64);
        let (section, rest) = body.split_at(padded.min(body.len()));
        body = rest;
        file.extend(&section[..len.min(section.len())]);
        file.resize(start + padded, 0);
        let bits = number(&file, start, 8).map_or(0, |bits| bits as u64);
        if *encoding == 1 && (MOST_CODED + 1..=TOO_LARGE).contains(&bits) {
            return None;
        }
        ranges.push(start..start + len);
        if file.len() > 4 * most {
            return None;
        }
    }
    if let (Some((name, ..)), Some(at)) = (entries.sections.first(), entries.root)
        && name == b"pages"
    {
        let own = ranges[0].clone();
        let pages: Vec<u8> = file[own.start + own.len().next_multiple_of(64)..]
            .chunks(2048)
            .flat_map(|page| sum(page).to_le_bytes())
            .collect();
        if pages.len() == own.len() {
            file[own].copy_from_slice(&pages);
            put(&mut file, at, sum(&pages));
        }
    }
    let mut sums = Vec::new();
    match state {
        State::Closed => sums.extend(sum(&file[..len - 8]).to_le_bytes()),
        State::Open => {
            let mut header = file[..len - 8].to_vec();
            // `inserted` is the first field.
            let value = 32 + number(&header, 22, 2)? + 10;
            header.get_mut(value..value + 8)?.fill(0);
            sums.extend(sum_with(0x6E65_706F, &header).to_le_bytes());
        }
    }
    file[len - 8..len].copy_from_slice(&sums);
    ranges.iter().for_each(|range| sums.extend(sum(&file[range.clone()]).to_le_bytes()));
    let last = match state {
        State::Closed => sum(&sums).to_le_bytes(),
        State::Open => *b"inserted",
    };
    file.extend(&sums[8..]);
    file.extend(last);
    Some(file)
}

/// A sketch: each part's checksum has that of the part before as its seed.
pub fn sketch(bytes: &[u8]) -> Vec<u8> {
    let mut forged = bytes.to_vec();
    let Some(header) = number(bytes, 10, 2).filter(|len| (32..=4096).contains(len)) else {
        return forged;
    };
    let (Some(whole), Some(hashed)) = (bytes.get(header + 8), bytes.get(header + 9)) else {
        return forged;
    };
    let longest =
        if *hashed == 1 { usize::from(*whole).max(16) + 1 } else { (*whole).max(1).into() };
    let symbol = 13 + longest;
    let (mut start, mut seed, mut len) = (0, 0, header - 8);
    while let Some(part) = forged.get(start..start + len) {
        seed = sum_with(seed, part);
        let end = start + len;
        if end + 8 > forged.len() {
            break;
        }
        put(&mut forged, end, seed);
        len = match start {
            0 => 16,
            _ => 2 + number(bytes, end + 8, 2).unwrap_or(0) * symbol,
        };
        start = end + 8;
    }
    forged
}

/// A search index whose groups end where its tables begin: `tables` bytes before the trailer.
pub fn index(bytes: &[u8]) -> Option<Vec<u8>> {
    let end = bytes.len().checked_sub(32)?;
    let tables = number(bytes, end, 8)?;
    let start = end.checked_sub(tables).filter(|start| *start >= 16)?;
    let mut file = bytes.to_vec();
    let sum_of_tables = sum(&bytes[start..end]);
    put(&mut file, end + 8, sum_of_tables);
    put(&mut file, end + 16, bytes.len() as u64);
    let trailer = sum(&[&file[..16], &file[end..end + 24]].concat());
    put(&mut file, end + 24, trailer);
    Some(file)
}

/// The bytes, and the sum of all of them.
pub fn summed(bytes: &[u8]) -> Vec<u8> {
    let mut sum = XxHash3_64::with_seed(0);
    sum.write(bytes);
    [bytes, &sum.finish().to_le_bytes()].concat()
}

/// The checksum of Redis: CRC-64 with the polynomial of Jones.
pub fn crc64(bytes: &[u8]) -> u64 {
    crc(bytes, 0, 0x95AC_9329_AC4B_C9B5)
}

/// The checksums of HFiles: CRC-32 of type 1, and CRC-32C of type 2.
pub fn crc32(bytes: &[u8], kind: u8) -> u32 {
    let polynomial = if kind == 1 { 0xEDB8_8320 } else { 0x82F6_3B78 };
    !(crc(bytes, u32::MAX.into(), polynomial) as u32)
}

fn crc(bytes: &[u8], start: u64, polynomial: u64) -> u64 {
    bytes.iter().fold(start, |sum, byte| {
        (0..8).fold(sum ^ u64::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ polynomial } else { sum >> 1 }
        })
    })
}
