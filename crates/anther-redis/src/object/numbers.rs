//! Numbers in a payload: little-endian, whatever the machine.

use std::io::{self, Read, Write};

pub fn put_u64(out: &mut dyn Write, value: u64) -> io::Result<()> {
    out.write_all(&value.to_le_bytes())
}

pub fn put_f64(out: &mut dyn Write, value: f64) -> io::Result<()> {
    out.write_all(&value.to_le_bytes())
}

pub fn array<const N: usize>(source: &mut dyn Read) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

pub fn u64(source: &mut dyn Read) -> Option<u64> {
    array(source).map(u64::from_le_bytes)
}

/// A number of at most 32 bits, stored as one of 64.
pub fn u32(source: &mut dyn Read) -> Option<u32> {
    u64(source)?.try_into().ok()
}

pub fn f64(source: &mut dyn Read) -> Option<f64> {
    array(source).map(f64::from_le_bytes)
}

/// An error rate: above 0 and below 1.
pub fn rate(source: &mut dyn Read) -> Option<f64> {
    f64(source).filter(|rate| *rate > 0.0 && *rate < 1.0)
}

/// A hash key that may be absent.
pub fn put_key(out: &mut dyn Write, key: Option<[u8; 16]>) -> io::Result<()> {
    put_flag(out, key.is_some())?;
    key.map_or(Ok(()), |key| out.write_all(&key))
}

pub fn key(source: &mut dyn Read) -> Option<Option<[u8; 16]>> {
    match flag(source)? {
        false => Some(None),
        true => array(source).map(Some),
    }
}

/// Bytes with their number.
pub fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    put_u64(out, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// At most this many bytes; memory grows with what arrives.
pub fn bytes(source: &mut dyn Read, most: u64) -> Option<Vec<u8>> {
    let len = u64(source).filter(|len| *len <= most)?;
    let mut bytes = Vec::new();
    source.take(len).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == len).then_some(bytes)
}

/// Whether something follows.
pub fn put_flag(out: &mut dyn Write, flag: bool) -> io::Result<()> {
    out.write_all(&[flag.into()])
}

pub fn flag(source: &mut dyn Read) -> Option<bool> {
    match array(source)? {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}
