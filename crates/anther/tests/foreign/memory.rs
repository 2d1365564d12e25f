//! Memory is used for what has come, not for what a header announces.

use super::rdb::{Field, dump_of, fields};
use super::*;
use anther::ForeignError;
use anther::foreign::redisbloom::BLOOM_TYPE;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// Counts what a thread has allocated.
struct Counting;

fn add(bytes: usize) {
    let now = NOW.get().wrapping_add(bytes);
    NOW.set(now);
    // Another thread's memory may be freed here, which would look like less than nothing.
    if now < usize::MAX / 2 {
        PEAK.set(PEAK.get().max(now));
    }
}

// SAFETY: every call goes to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.set(NOW.get().wrapping_sub(layout.size()));
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that a call used at once.
pub fn peak(call: impl FnOnce()) -> usize {
    let before = NOW.get();
    PEAK.set(before);
    call();
    PEAK.get() - before
}

/// A header of a Bloom filter of an exabyte, with nothing else wrong.
fn huge_header() -> Vec<u8> {
    let mut header = Bloom::new(1000, 0.01, Some(2)).unwrap().header();
    header[20..28].copy_from_slice(&(1u64 << 60).to_le_bytes());
    header[28..36].copy_from_slice(&(1u64 << 63).to_le_bytes());
    header
}

#[test]
fn a_header_allocates_nothing() {
    let header = huge_header();
    let used = peak(|| {
        let mut loading = Bloom::from_header(&header, u64::MAX).unwrap();
        assert_eq!(loading.bytes(), 1 << 60);
        // From the end and from the middle.
        loading.load_chunk((1 << 60) + 1, &[1; 1000]).unwrap();
        loading.load_chunk((1 << 59) + 1, &[1; 1000]).unwrap();
        assert_eq!(loading.received(), 2000);
        assert!(loading.finish().is_err());
    });
    assert!(used < 2 * 2000 + 4096, "{used}");

    let mut header = Cuckoo::new(1 << 20, 1, 20, 1).unwrap().header();
    header[24..32].copy_from_slice(&65535u64.to_le_bytes());
    let used = peak(|| {
        let mut loading = Cuckoo::from_header(&header, u64::MAX).unwrap();
        loading.load_chunk(1 << 30, &[1; 1000]).unwrap();
    });
    assert!(used < 2000 + 4096, "{used}");
}

#[test]
fn chunks_use_what_they_hold() {
    let filter = Bloom::new(1_000_000, 0.01, Some(2)).unwrap();
    let bytes = filter.bytes() as usize;
    let (header, zeros) = (filter.header(), vec![0; 1000]);
    let used = peak(|| {
        let mut loading = Bloom::from_header(&header, LIMIT << 4).unwrap();
        for start in (0..bytes).step_by(1000) {
            let len = zeros.len().min(bytes - start);
            loading.load_chunk((start + len) as i64 + 1, &zeros[..len]).unwrap();
        }
        assert!(loading.is_complete());
    });
    // A vector that grows has up to twice what it needs, and is copied once more while it grows.
    assert!(used < 3 * bytes + 4096, "{used} for {bytes}");
}

#[test]
fn lengths_in_dumps_allocate_nothing() {
    let object = from_chunks(&case("rb26_bf_100"));
    let fields = fields(&object);
    // A number of layers that does not come.
    let mut many = fields.clone();
    many[1] = Field::Unsigned(u64::MAX);
    // Bits that do not come.
    let mut large = fields.clone();
    large[8] = Field::Unsigned(1 << 63);
    for forged in [many, large] {
        let dump = dump_of(BLOOM_TYPE, 4, &forged);
        let used = peak(|| assert!(read_dump(&dump, u64::MAX).is_err()));
        assert!(used < dump.len() + 4096, "{used}");
    }
    // A compressed string that claims to be long: 40 bytes of nothing.
    let dump = dump_of(BLOOM_TYPE, 4, &fields[..10]);
    let end = dump.len() - 11;
    let mut long = fields;
    long[8] = Field::Unsigned(1 << 43);
    long.truncate(10);
    let dump_long = dump_of(BLOOM_TYPE, 4, &long);
    assert_eq!(dump.len(), dump_long.len());
    let compressed = [&[5, 0xc3, 40, 0x81][..], &(1u64 << 40).swap_bytes().to_le_bytes(), &[0; 40]];
    let bomb = [&dump_long[..end], &compressed.concat(), &dump[end..]].concat();
    let bomb = with_checksum(bomb);
    let used = peak(|| {
        let refused = read_dump(&bomb, u64::MAX);
        assert_eq!(refused, Err(ForeignError::Malformed("compressed string")));
    });
    assert!(used < 8192, "{used}");
}

/// A compressed string of 9 MB in 100 kB, where the filter has 144 bytes.
#[test]
fn compressed_strings_grow_no_further_than_the_filter() {
    let fields = fields(&from_chunks(&case("rb26_bf_100")));
    let dump = dump_of(BLOOM_TYPE, 4, &fields[..10]);
    let end = dump.len() - 11;
    // One byte, then 264 copies of it at a time.
    let repeated = [&[0, 7][..], &[0xe0, 0xff, 0].repeat(34_000)].concat();
    for claimed in [144, 1 + 264 * 34_000] {
        let length = |len: u64| [&[0x81][..], &len.swap_bytes().to_le_bytes()].concat();
        let head = [&[5, 0xc3][..], &length(repeated.len() as u64), &length(claimed)].concat();
        let bomb = with_checksum([&dump[..end], &head, &repeated, &dump[end..]].concat());
        let used = peak(|| assert!(read_dump(&bomb, LIMIT).is_err()));
        assert!(used < 8192, "{used}");
    }
}
