//! What a contender takes: the allocator counts for it, and the system tells of pages.
//!
//! Pieces of less than [`LARGE`] bytes are counted without locked instructions, which would cost
//! a set of strings 10 ns per insert; so that count is right for one thread at a time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const LARGE: usize = 64 << 10;

/// The system's allocator, counted.
pub struct Counting;

static SMALL: AtomicUsize = AtomicUsize::new(0);
static BIG: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn more(bytes: usize) {
    if bytes < LARGE {
        SMALL.store(SMALL.load(Relaxed).wrapping_add(bytes), Relaxed);
    } else {
        BIG.fetch_add(bytes, Relaxed);
        PEAK.fetch_max(live(), Relaxed);
    }
}

fn less(bytes: usize) {
    if bytes < LARGE {
        SMALL.store(SMALL.load(Relaxed).wrapping_sub(bytes), Relaxed);
    } else {
        BIG.fetch_sub(bytes, Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: by the caller's own promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: by the caller's own promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        less(layout.size());
        // SAFETY: by the caller's own promise.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        less(layout.size());
        more(size);
        // SAFETY: by the caller's own promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Bytes that are allocated now.
pub fn live() -> usize {
    SMALL.load(Relaxed).wrapping_add(BIG.load(Relaxed))
}

/// What a piece of work takes at most, beyond what was there before.
pub struct Peak {
    live: usize,
    resident: u64,
}

impl Peak {
    /// From here on.
    pub fn begin() -> Peak {
        PEAK.store(live(), Relaxed);
        Peak { live: live(), resident: forget_peak() }
    }

    /// Bytes until now: the larger of what was allocated, which sees memory that is used again, and
    /// what was resident, which sees memory that is mapped.
    pub fn bytes(&self) -> u64 {
        let allocated = PEAK.load(Relaxed).saturating_sub(self.live) as u64;
        allocated.max(peak().saturating_sub(self.resident))
    }
}

/// Bytes resident now, after the peak was set back to that. 0 where the system does not tell.
pub fn forget_peak() -> u64 {
    let _ = fs::write("/proc/self/clear_refs", "5");
    status("VmRSS:")
}

/// The most bytes that were resident since [`forget_peak`].
pub fn peak() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}
