//! Bytes that grow in place: no copy, no second allocation, and on huge pages.
//!
//! A large table lies at the start of address space that is reserved once and for all. Only pages
//! that were written to take memory. `realloc` would not copy either, but it cannot move memory on
//! huge pages without a copy, and on small ones an insert among 10⁷ keys took twice as long, most of
//! it for page-table walks.

use crate::error::GrowError;
use crate::parts::words::wants_huge_pages;
use memmap2::{MmapMut, MmapOptions};

/// Tables below this are on the heap: 4 MiB.
const LARGE: usize = 4 << 20;

/// Address space for the largest table. If there is a limit on it (`ulimit -v`), less is tried.
const MOST: usize = if usize::BITS < 64 { 1 << 30 } else { 1 << 36 };

#[derive(Debug)]
pub(super) struct GrowingBytes(Storage);

#[derive(Debug)]
enum Storage {
    Heap(Vec<u8>),
    /// The first bytes of a map.
    Reserved {
        map: MmapMut,
        len: usize,
    },
}

impl GrowingBytes {
    pub fn zeroed(len: usize) -> GrowingBytes {
        GrowingBytes(Storage::Heap(vec![0; len]))
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Storage::Heap(bytes) => bytes,
            Storage::Reserved { map, len } => &map[..*len],
        }
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Storage::Heap(bytes) => bytes,
            Storage::Reserved { map, len } => &mut map[..*len],
        }
    }

    /// Appends zeros up to this length.
    pub fn extend_to(&mut self, new: usize) -> Result<(), GrowError> {
        match &mut self.0 {
            Storage::Reserved { map, len } if new <= map.len() => *len = new.max(*len),
            Storage::Heap(bytes) if new < LARGE => extend(bytes, new)?,
            held => match (reserved(new), held) {
                (None, Storage::Heap(bytes)) => extend(bytes, new)?,
                (None, Storage::Reserved { .. }) => {
                    return Err(GrowError::OutOfMemory { bytes: new as u64 });
                }
                (Some(mut map), held) => {
                    let old = match &*held {
                        Storage::Heap(bytes) => &bytes[..],
                        Storage::Reserved { map, len } => &map[..*len],
                    };
                    map[..old.len()].copy_from_slice(old);
                    *held = Storage::Reserved { map, len: new };
                }
            },
        }
        Ok(())
    }
}

fn extend(bytes: &mut Vec<u8>, len: usize) -> Result<(), GrowError> {
    let more = len.saturating_sub(bytes.len());
    let full = |_| GrowError::OutOfMemory { bytes: len as u64 };
    bytes.try_reserve_exact(more).map_err(full)?;
    bytes.resize(bytes.len() + more, 0);
    Ok(())
}

/// As much address space as there is, but at least this. Systems that set memory aside for all of it
/// get none.
fn reserved(least: usize) -> Option<MmapMut> {
    if !cfg!(unix) {
        return None;
    }
    let mut len = MOST;
    while len >= least {
        if let Ok(map) = MmapOptions::new().len(len).no_reserve_swap().map_anon() {
            #[cfg(target_os = "linux")]
            if wants_huge_pages() {
                // It is slower without.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            return Some(map);
        }
        len /= 4;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_and_new_ones_are_zero() {
        let mut memory = GrowingBytes::zeroed(10);
        memory.bytes_mut().fill(7);
        for len in [11, 1000, LARGE - 1, LARGE, LARGE + 1, 3 * LARGE + 5] {
            memory.extend_to(len).unwrap();
            assert_eq!(memory.bytes().len(), len);
            assert!(memory.bytes()[..10].iter().all(|byte| *byte == 7));
            assert!(memory.bytes()[10..].iter().all(|byte| *byte == 0));
        }
        assert!(matches!(memory.0, Storage::Reserved { .. }) || !cfg!(unix));
    }
}
