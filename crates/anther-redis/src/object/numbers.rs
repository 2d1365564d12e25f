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
    out.write_all(&[u8::from(key.is_some())])?;
    key.map_or(Ok(()), |key| out.write_all(&key))
}

pub fn key(source: &mut dyn Read) -> Option<Option<[u8; 16]>> {
    match array(source)? {
        [0] => Some(None),
        [1] => array(source).map(Some),
        _ => None,
    }
}
