//! The server's allocator as Rust's: filters count in `used_memory`, in `maxmemory` and in eviction.

use redis_module::raw;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;

/// The server's allocator, once the module is loaded. Unit tests have no server, and no such
/// allocator.
struct ServerAllocator;

#[global_allocator]
static ALLOCATOR: ServerAllocator = ServerAllocator;

/// What every `malloc` guarantees. Nothing here asks for more: `anther` aligns its own words.
const ALIGN: usize = 16;

// SAFETY: the server's functions are `malloc`, `realloc` and `free`. A block goes back to the
// allocator it came from: the layout tells which, and nothing is allocated before `load` has the
// server's functions.
unsafe impl GlobalAlloc for ServerAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout has a size above 0.
        unsafe {
            match raw::RedisModule_TryAlloc {
                // Null if there is no memory, where `RedisModule_Alloc` would end the server.
                Some(allocate) if layout.align() <= ALIGN => allocate(layout.size()).cast(),
                _ => System.alloc(layout),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe {
            if layout.align() > ALIGN {
                return System.alloc_zeroed(layout);
            }
            if let Some(allocate) = { raw::RedisModule_TryCalloc } {
                return allocate(1, layout.size()).cast();
            }
            // Redis 7.0 has no fallible `calloc`. Fresh pages are zero already, and only `calloc`
            // knows which are fresh: so see whether the memory is there, and give it back.
            let probe = self.alloc(layout);
            match raw::RedisModule_Calloc {
                Some(allocate) if !probe.is_null() => {
                    self.dealloc(probe, layout);
                    allocate(1, layout.size()).cast()
                }
                Some(_) => probe,
                None => System.alloc_zeroed(layout),
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from the same allocator: see `alloc`.
        unsafe {
            match raw::RedisModule_Free {
                Some(free) if layout.align() <= ALIGN => free(block.cast::<c_void>()),
                _ => System.dealloc(block, layout),
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the block came from the same allocator: see `alloc`. The caller's size is above 0
        // and fits the alignment.
        unsafe {
            if layout.align() > ALIGN {
                return System.realloc(block, layout, size);
            }
            if let Some(reallocate) = { raw::RedisModule_TryRealloc } {
                return reallocate(block.cast(), size).cast();
            }
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}
