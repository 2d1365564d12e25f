//! The container, taken apart and put together again: for what the vectors say about a file, and
//! for files that no writer writes.

use anther::{Key, Seed};

const FIXED: usize = 32;

/// A file in its parts. Numbers are whatever the bytes say, possible or not.
#[derive(Clone)]
pub struct Container {
    pub version: u16,
    pub kind: u16,
    pub hash: u16,
    pub seed: u64,
    pub recipe: Vec<u8>,
    pub fields: Vec<(String, u8, u64)>,
    pub sections: Vec<Section>,
    /// How many bytes longer the header is than it must be.
    pub longer: usize,
}

#[derive(Clone)]
pub struct Section {
    pub name: String,
    pub encoding: u8,
    /// What its entry says; the bytes may be others in a forged file.
    pub len: u64,
    pub bytes: Vec<u8>,
}

/// XXH3-64 with seed 0, by the hash of byte strings.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.key_hash(&Seed::FIXED).0
}

impl Container {
    /// Takes apart what the library has written; `None` for anything else.
    pub fn parse(file: &[u8]) -> Option<Container> {
        let short = |at| Some(u16::from_le_bytes(*file.get(at..)?.first_chunk()?));
        let mut at = FIXED;
        let recipe_len = usize::from(short(22)?);
        let recipe = file.get(at..at + recipe_len)?.to_vec();
        at += recipe_len;
        let mut entry = || {
            let len = usize::from(*file.get(at)?);
            let name = String::from_utf8(file.get(at + 1..at + 1 + len)?.to_vec()).ok()?;
            let rest = file.get(at + 1 + len..)?;
            at += len + 10;
            Some((name, *rest.first()?, u64::from_le_bytes(*rest.get(1..)?.first_chunk()?)))
        };
        let fields = (0..short(18)?).map(|_| entry()).collect::<Option<_>>()?;
        let entries = (0..short(20)?).map(|_| entry()).collect::<Option<Vec<_>>>()?;
        let mut begin = u32::from_le_bytes(*file.get(12..)?.first_chunk()?) as usize;
        let mut sections = Vec::new();
        for (name, encoding, len) in entries {
            let bytes = file.get(begin..begin + usize::try_from(len).ok()?)?.to_vec();
            begin = (begin + bytes.len()).next_multiple_of(64);
            sections.push(Section { name, encoding, len, bytes });
        }
        let seed = u64::from_le_bytes(*file.get(24..)?.first_chunk()?);
        let (version, kind, hash) = (short(8)?, short(10)?, short(16)?);
        Some(Container { version, kind, hash, seed, recipe, fields, sections, longer: 0 })
    }

    /// Puts it together, with checksums that match.
    pub fn seal(&self) -> Vec<u8> {
        let mut entries = self.recipe.clone();
        let sections = self.sections.iter().map(|of| (&of.name, of.encoding, of.len));
        let fields = self.fields.iter().map(|(name, form, value)| (name, *form, *value));
        for (name, form, value) in fields.chain(sections) {
            entries.extend(u8::try_from(name.len()));
            entries.extend(name.bytes());
            entries.push(form);
            entries.extend(value.to_le_bytes());
        }
        let len = (FIXED + entries.len() + 8).next_multiple_of(64) + self.longer;
        let mut file = b"\x89ANT\r\n\x1a\n".to_vec();
        file.extend(self.version.to_le_bytes());
        file.extend(self.kind.to_le_bytes());
        file.extend(u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes());
        let short = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let counts = [self.fields.len(), self.sections.len(), self.recipe.len()].map(short);
        for number in [self.hash].into_iter().chain(counts) {
            file.extend(number.to_le_bytes());
        }
        file.extend(self.seed.to_le_bytes());
        file.extend(entries);
        file.resize(len, 0);
        let bodies: Vec<_> = self.sections.iter().map(|section| section.bytes.clone()).collect();
        for body in &bodies {
            file.extend(body);
            file.resize(file.len().next_multiple_of(64), 0);
        }
        file.extend(vec![0; 8 * (bodies.len() + 1)]);
        reseal(&mut file, len, &bodies.iter().map(Vec::len).collect::<Vec<_>>());
        file
    }
}

/// Writes the checksums of a file whose bytes were changed: of its header of `len` bytes, of
/// sections of these lengths, and of those checksums.
pub fn reseal(file: &mut [u8], len: usize, sections: &[usize]) {
    let mut sums = vec![checksum(&file[..len - 8])];
    let mut begin = len;
    for section in sections {
        sums.push(checksum(&file[begin..begin + section]));
        begin = (begin + section).next_multiple_of(64);
    }
    let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    file[len - 8..len].copy_from_slice(&bytes[..8]);
    let footer = begin + bytes.len() - 8;
    file[begin..footer].copy_from_slice(&bytes[8..]);
    file[footer..footer + 8].copy_from_slice(&checksum(&bytes).to_le_bytes());
}
