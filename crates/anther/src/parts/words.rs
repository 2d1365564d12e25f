//! The memory of a filter: 64-bit words, 64-byte aligned, owned or borrowed.
//!
//! One type serves every source, so that a filter on a mapped file has the same type as one that
//! owns its memory, and reading has no branch: a pointer, a length, and an owner that keeps them
//! valid. Only owned words change; borrowed ones are copied on the first change.
//!
//! This file and `simd` are the only ones with `unsafe` in the library. Atomics on files are sound
//! by Rust's memory model, not by what a processor happens to do: a data race takes two accesses,
//! one of them a write and one of them not atomic. So memory that anyone may write to is only ever
//! accessed as [`AtomicU64`], and memory that is accessed as plain words is never written by
//! others: it is our own, or a [`FileMap`], whose creator has promised so.
#![expect(unsafe_code, reason = "aligned allocation and file maps; every block says why it holds")]

use super::memory::OutOfMemory;
use super::sync::AtomicU64;
use memmap2::{Mmap, MmapOptions, MmapRaw};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error, realloc};
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prefetches a cache line into the second-level cache. The first level has too few fill buffers:
/// prefetched there, a line costs 9 to 11 ns instead of about 5.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch changes nothing that a program can see, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T1>(at.cast());
        }
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "prfm pldl2keep, [{at}]",
            at = in(reg) at,
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}

/// Alignment of the words: a cache line.
const ALIGN: usize = 64;
const WORD: usize = size_of::<u64>();

/// Size of a huge page.
const HUGE: usize = 2 << 20;

/// Whether rows of 4 MiB and more request huge pages. Below that they fit in the caches.
static HUGE_PAGES: AtomicBool = AtomicBool::new(true);

/// Whether filters of 4 MiB and more, made from now on, ask the system for huge pages of 2 MiB
/// instead of 4 KiB. They do by default, and get them on Linux where
/// `/sys/kernel/mm/transparent_hugepage/enabled` says `madvise` or `always`.
///
/// Beyond the caches, small pages cost a TLB miss per lookup: a batch among 10⁸ keys took 1.2 times
/// as long on them, and single lookups 1.1 times (measured once, in alternated rounds). Turn huge
/// pages off if you account for every resident page: the first bit set in a page makes all of it
/// resident. The setting is for the whole process, as an allocator's settings are.
///
/// ```
/// anther::huge_pages(false);
/// # anther::huge_pages(true);
/// ```
pub fn huge_pages(wanted: bool) {
    HUGE_PAGES.store(wanted, Ordering::Relaxed);
}

/// Whether large rows ask for huge pages.
pub(crate) fn wants_huge_pages() -> bool {
    HUGE_PAGES.load(Ordering::Relaxed)
}

/// A row of 64-bit words, in little-endian order in files.
pub struct Words {
    start: NonNull<u64>,
    len: usize,
    owner: Owner,
}

/// With a tag of its own: found in the niche of a field, it took five instructions of each insert to
/// see that the words may change.
#[repr(u8)]
enum Owner {
    /// Room for the words and for moving them to an aligned address. Asking the allocator for
    /// 64-byte alignment would be simpler, but it would then zero memory itself instead of taking
    /// fresh pages from the system: 0.3 s per gigabyte.
    Heap {
        base: NonNull<u8>,
        layout: Layout,
    },
    /// No memory: a row of length 0.
    Empty,
    Map(FileMap),
    Bytes(Arc<[u8]>),
    Static,
}

// SAFETY: the words are plain memory that the owner keeps alive; a shared reference only reads
// them, and changing them takes a unique reference (or the atomics of `AtomicWords`).
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    /// `len` zero words, or an error if out of memory.
    pub fn zeroed(len: usize) -> Result<Words, OutOfMemory> {
        if len == 0 {
            return Ok(Words { start: dangling(), len: 0, owner: Owner::Empty });
        }
        let layout = layout(len)?;
        // SAFETY: the layout is not empty, as len > 0.
        let base = unsafe { alloc_zeroed(layout) };
        let base = NonNull::new(base).ok_or(OutOfMemory { bytes: (len * WORD) as u64 })?;
        let start = aligned(base);
        ask_for_huge_pages(start, len);
        Ok(Words { start, len, owner: Owner::Heap { base, layout } })
    }

    /// Words inside a mapped file; as [`Words::shared`].
    pub(crate) fn mapped(
        map: &FileMap,
        offset: usize,
        len: usize,
    ) -> Option<Result<Words, OutOfMemory>> {
        Words::borrow(map.bytes(), offset, len, || Owner::Map(map.clone()))
    }

    /// Words inside shared bytes: borrowed if possible, copied if the host's byte order or the
    /// alignment does not allow it. `None` if the range is not within the bytes.
    pub fn shared(
        bytes: &Arc<[u8]>,
        offset: usize,
        len: usize,
    ) -> Option<Result<Words, OutOfMemory>> {
        Words::borrow(bytes, offset, len, || Owner::Bytes(Arc::clone(bytes)))
    }

    /// Words inside bytes with static lifetime, such as those of `include_bytes!`; as
    /// [`Words::shared`].
    pub fn from_static(
        bytes: &'static [u8],
        offset: usize,
        len: usize,
    ) -> Option<Result<Words, OutOfMemory>> {
        Words::borrow(bytes, offset, len, || Owner::Static)
    }

    /// The caller's owner keeps `bytes` alive and unchanged at their address.
    fn borrow(
        bytes: &[u8],
        offset: usize,
        len: usize,
        owner: impl FnOnce() -> Owner,
    ) -> Option<Result<Words, OutOfMemory>> {
        let end = len.checked_mul(WORD)?.checked_add(offset)?;
        let bytes = bytes.get(offset..end)?;
        let fits = bytes.as_ptr().addr().is_multiple_of(ALIGN) && cfg!(target_endian = "little");
        if !fits || len == 0 {
            return Some(Words::copied(bytes));
        }
        let start = NonNull::from(bytes).cast();
        Some(Ok(Words { start, len, owner: owner() }))
    }

    /// Owned words from little-endian bytes; a partial last word is padded with zeros.
    pub fn copied(bytes: &[u8]) -> Result<Words, OutOfMemory> {
        let mut words = Words::zeroed(bytes.len().div_ceil(WORD))?;
        words.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        words.fix_byte_order();
        Ok(words)
    }

    /// The words.
    #[inline]
    pub fn as_slice(&self) -> &[u64] {
        // SAFETY: every constructor leaves `start` aligned and valid for `len` initialised words,
        // which the owner keeps alive for as long as `self` lives.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes of the words, as in files; `None` on big-endian hosts.
    #[inline]
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        let words = self.as_slice();
        // SAFETY: any byte is a valid u8, and the lifetime is that of the borrow.
        let bytes = unsafe { slice::from_raw_parts(words.as_ptr().cast(), words.len() * WORD) };
        cfg!(target_endian = "little").then_some(bytes)
    }

    /// The words, mutably. Borrowed words are copied first, which aborts if out of memory; call
    /// [`try_own`](Words::try_own) before to handle that.
    #[inline]
    pub fn to_mut(&mut self) -> &mut [u64] {
        if !self.is_owned() {
            self.own();
        }
        // SAFETY: as in `as_slice`; the words are owned (or none), so `&mut self` is the only way
        // to them.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Whether the row owns its memory.
    #[inline]
    pub fn is_owned(&self) -> bool {
        matches!(self.owner, Owner::Heap { .. } | Owner::Empty)
    }

    /// Copies borrowed words into owned memory.
    pub fn try_own(&mut self) -> Result<(), OutOfMemory> {
        if !self.is_owned() {
            *self = self.try_clone()?;
        }
        Ok(())
    }

    #[cold]
    fn own(&mut self) {
        if self.try_own().is_err() {
            no_memory(self.len);
        }
    }

    fn try_clone(&self) -> Result<Words, OutOfMemory> {
        let mut copy = Words::zeroed(self.len)?;
        copy.to_mut().copy_from_slice(self.as_slice());
        Ok(copy)
    }

    /// The bytes of owned words, as they are in memory: a reader fills them and then calls
    /// [`fix_byte_order`](Words::fix_byte_order).
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        let words = self.to_mut();
        // SAFETY: any byte is a valid u8, and the lifetime is that of the borrow.
        unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len() * WORD) }
    }

    /// Converts words that were filled with little-endian bytes to the host's byte order.
    pub(crate) fn fix_byte_order(&mut self) {
        if cfg!(target_endian = "big") {
            for word in self.to_mut() {
                *word = u64::from_le(*word);
            }
        }
    }

    /// Requests huge pages, for words that have grown.
    pub(crate) fn prefer_huge_pages(&self) {
        if self.is_owned() {
            ask_for_huge_pages(self.start, self.len);
        }
    }

    /// Extends owned words with zeros, without holding two copies where the allocator can avoid it:
    /// a reader of unknown length needs no more memory than the bytes received. Huge pages are
    /// requested at the end, by [`prefer_huge_pages`](Words::prefer_huge_pages): the advice splits
    /// the mapping in three, which the system can no longer move as one.
    pub(crate) fn grow(&mut self, len: usize) -> Result<(), OutOfMemory> {
        debug_assert!(self.is_owned() && len >= self.len);
        let Owner::Heap { base, layout: old } = self.owner else {
            *self = Words::zeroed(len)?;
            return Ok(());
        };
        let new = layout(len)?;
        let offset = self.start.as_ptr().addr() - base.as_ptr().addr();
        // SAFETY: `base` came from this allocator with `old`; the new size is not zero and
        // `layout` has checked that it does not overflow.
        let moved = unsafe { realloc(base.as_ptr(), old, new.size()) };
        let base = NonNull::new(moved).ok_or(OutOfMemory { bytes: (len * WORD) as u64 })?;
        let start = aligned(base);
        // SAFETY: `realloc` kept the bytes at `offset` from the base; both ranges lie within the
        // new block, as `layout` has room for any offset below `ALIGN`; `copy` allows overlap.
        unsafe {
            ptr::copy(base.as_ptr().add(offset), start.as_ptr().cast(), self.len * WORD);
            ptr::write_bytes(start.as_ptr().add(self.len), 0, len - self.len);
        }
        *self = {
            // The old value must not free the block that `realloc` has already taken.
            self.owner = Owner::Empty;
            Words { start, len, owner: Owner::Heap { base, layout: new } }
        };
        Ok(())
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if let Owner::Heap { base, layout } = self.owner {
            // SAFETY: the block came from this allocator with this layout and is freed once.
            unsafe { dealloc(base.as_ptr(), layout) }
        }
    }
}

impl Clone for Words {
    /// Owned words are copied, borrowed ones shared.
    fn clone(&self) -> Words {
        let owner = match &self.owner {
            Owner::Map(map) => Owner::Map(map.clone()),
            Owner::Bytes(bytes) => Owner::Bytes(Arc::clone(bytes)),
            Owner::Static => Owner::Static,
            Owner::Heap { .. } | Owner::Empty => {
                return self.try_clone().unwrap_or_else(|_| no_memory(self.len));
            }
        };
        Words { start: self.start, len: self.len, owner }
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Words) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Words {}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = match self.owner {
            Owner::Heap { .. } | Owner::Empty => "owned",
            Owner::Map(_) => "mapped",
            Owner::Bytes(_) | Owner::Static => "borrowed",
        };
        write!(f, "Words({} {owner})", self.len)
    }
}

/// Words in which many may set bits: threads in memory, or processes in a file.
pub struct AtomicWords(Held);

enum Held {
    /// The memory of a filter, accessed as atomics.
    #[cfg(not(all(test, anther_loom)))]
    Own(Words),
    /// Loom's atomics are more than their words.
    #[cfg(all(test, anther_loom))]
    Own(Box<[AtomicU64]>),
    /// A range of words of a file.
    File { file: Arc<FileWords>, range: Range<usize> },
}

impl AtomicWords {
    /// Wraps words without copying; borrowed ones are copied, as they must not change.
    pub fn new(mut words: Words) -> Result<AtomicWords, OutOfMemory> {
        words.try_own()?;
        #[cfg(all(test, anther_loom))]
        let words = words.as_slice().iter().map(|word| AtomicU64::new(*word)).collect();
        Ok(AtomicWords(Held::Own(words)))
    }

    /// Words of a file; `None` if the range is beyond its end.
    pub(crate) fn within(file: &Arc<FileWords>, range: Range<usize>) -> Option<AtomicWords> {
        file.as_slice().get(range.clone())?;
        Some(AtomicWords(Held::File { file: Arc::clone(file), range }))
    }

    /// The words, as atomics.
    #[inline]
    pub fn as_slice(&self) -> &[AtomicU64] {
        match &self.0 {
            // SAFETY: AtomicU64 has the size and bit validity of u64, and its alignment, as `start`
            // is 64-byte aligned; the memory is owned and was allocated mutable. There is no data
            // race: `words` is private and lends no plain reference while it is in here.
            #[cfg(not(all(test, anther_loom)))]
            Held::Own(words) => unsafe {
                slice::from_raw_parts(words.start.as_ptr().cast(), words.len)
            },
            #[cfg(all(test, anther_loom))]
            Held::Own(words) => words,
            Held::File { file, range } => &file.as_slice()[range.clone()],
        }
    }

    /// Returns the words without copying; those of a file are copied.
    pub fn into_words(self) -> Words {
        let Held::Own(words) = self.0 else {
            let from = self.as_slice();
            let copy = Words::zeroed(from.len());
            let mut copy = copy.unwrap_or_else(|_| no_memory(from.len()));
            for (word, from) in copy.to_mut().iter_mut().zip(from) {
                *word = from.load(Ordering::Relaxed);
            }
            return copy;
        };
        #[cfg(all(test, anther_loom))]
        let words = {
            // As plain memory: Loom sees if somebody may still be at it.
            let plain: Vec<u8> =
                words.into_iter().flat_map(|word| word.into_inner().to_le_bytes()).collect();
            Words::copied(&plain).unwrap_or_else(|_| no_memory(plain.len()))
        };
        words
    }
}

impl fmt::Debug for AtomicWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AtomicWords({})", self.as_slice().len())
    }
}

/// A whole file that this process and others change in place, as a row of atomics.
///
/// If another process truncates the file while it is mapped, the system kills this one (SIGBUS).
#[derive(Debug)]
pub(crate) struct FileWords(MmapRaw);

impl FileWords {
    /// Maps a file that was opened for reading and writing. Big-endian hosts are not supported,
    /// since the words would have the wrong byte order.
    pub fn map(file: &File) -> io::Result<FileWords> {
        FileWords::check_host()?;
        MmapRaw::map_raw(file).map(FileWords)
    }

    /// Maps a file that was opened for reading. Its words may be loaded with [`Ordering::Relaxed`],
    /// and must not be stored to: that would kill the process.
    pub fn map_read_only(file: &File) -> io::Result<FileWords> {
        FileWords::check_host()?;
        if cfg!(not(target_pointer_width = "64")) {
            // On 32-bit targets even an atomic load of 8 bytes may be a store.
            return Err(io::ErrorKind::Unsupported.into());
        }
        MmapOptions::new().map_raw_read_only(file).map(FileWords)
    }

    fn check_host() -> io::Result<()> {
        // Nor are Loom's atomics words.
        match cfg!(any(target_endian = "big", all(test, anther_loom))) {
            true => Err(io::ErrorKind::Unsupported.into()),
            false => Ok(()),
        }
    }

    /// The words, without a partial last one.
    #[inline]
    pub fn as_slice(&self) -> &[AtomicU64] {
        // SAFETY: the map begins at a page, so it is aligned, and it is valid for its length for
        // as long as `self` lives; any bytes are an AtomicU64. There is no data race on it: this
        // process accesses it by atomics of this one size only, through any number of such maps,
        // since `MmapRaw` lends no plain reference and the creator of a `FileMap` has promised
        // that nobody changes its file. What other processes store is, to this one, a value that
        // an atomic load may return. Words of a read-only map are loaded relaxed, 8 bytes at a
        // time on a 64-bit target, which the documentation of `std::sync::atomic` allows.
        unsafe { slice::from_raw_parts(self.0.as_mut_ptr().cast(), self.0.len() / WORD) }
    }

    /// Writes words back to disk, as fsync does.
    pub fn flush(&self, range: Range<usize>) -> io::Result<()> {
        self.0.flush_range(range.start * WORD, range.len() * WORD)
    }
}

/// A file mapped into memory for reading, to be opened with [`Open::map`](crate::Open::map): at
/// once, whatever its size. All processes that map it share its pages.
///
/// Cloning is cheap, and filters opened from the map keep it alive.
///
/// ```
/// use anther::{Blocked, FileMap, Open, Target};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// # let mut seen = Blocked::new(Target::new(100, 0.01)?)?;
/// # seen.insert("key");
/// # seen.save(&path)?;
/// // SAFETY: nobody writes to this file; it is only ever replaced by `save`.
/// let map = unsafe { FileMap::open(&path)? };
/// let seen: Blocked = Open::new().map(&map)?;
/// assert!(seen.contains("key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileMap(Arc<Mmap>);

impl FileMap {
    /// Maps a file.
    ///
    /// # Safety
    /// From this call until the map and all filters opened from it are dropped, nobody may change
    /// the file in place: neither this process nor another, neither by writing to it nor by
    /// truncating it, nor through [`SharedFile`](crate::SharedFile). A filter reads the map as
    /// plain memory, so a change is a data race, which is undefined behaviour; truncating it also
    /// kills the process with SIGBUS.
    ///
    /// [`save`](crate::Save) does not change a file in place: it renames a new file over the old
    /// one, which stays intact for as long as it is mapped. For files that change, use
    /// [`Open::file`](crate::Open::file) or [`SharedView`](crate::SharedView).
    pub unsafe fn open(path: impl AsRef<Path>) -> io::Result<FileMap> {
        let file = File::open(path)?;
        // SAFETY: the caller promises that nobody changes the file while it is mapped.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(FileMap(Arc::new(map)))
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn layout(len: usize) -> Result<Layout, OutOfMemory> {
    len.checked_mul(WORD)
        .and_then(|bytes| bytes.checked_add(ALIGN - WORD))
        .and_then(|bytes| Layout::from_size_align(bytes, WORD).ok())
        .ok_or(OutOfMemory { bytes: (len as u64).saturating_mul(WORD as u64) })
}

/// The first aligned address in a block made with `layout`.
fn aligned(base: NonNull<u8>) -> NonNull<u64> {
    let offset = base.as_ptr().align_offset(ALIGN);
    // SAFETY: the allocator aligns to WORD at least, so the offset is at most ALIGN - WORD, for
    // which `layout` left room.
    unsafe { base.add(offset) }.cast()
}

/// Requests huge pages if the row contains whole ones. Both ends stay on small pages, so that no
/// memory beyond the row is affected. The system may refuse, which does no harm.
///
/// The row itself need not begin at a huge page. Aligning it would cost 2 MiB of address space and
/// a copy whenever a row grows, for at most two pages' worth of cells.
fn ask_for_huge_pages(start: NonNull<u64>, len: usize) {
    let bytes = len * WORD;
    if bytes < 2 * HUGE || !wants_huge_pages() {
        return;
    }
    let before = start.cast::<u8>().align_offset(HUGE);
    let whole = bytes.saturating_sub(before) / HUGE * HUGE;
    #[cfg(target_os = "linux")]
    // SAFETY: the range lies within the row, begins at a page and has whole pages; the advice
    // changes how its memory is held and none of its content.
    unsafe {
        libc::madvise(start.as_ptr().byte_add(before).cast(), whole, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = whole;
}

fn dangling() -> NonNull<u64> {
    #[repr(align(64))]
    struct Line;
    NonNull::<Line>::dangling().cast()
}

/// What `Vec` does when there is no memory for a clone.
#[cold]
fn no_memory(len: usize) -> ! {
    handle_alloc_error(layout(len).unwrap_or(Layout::new::<u64>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn is_aligned(words: &Words) -> bool {
        words.as_slice().as_ptr().addr().is_multiple_of(ALIGN)
    }

    #[test]
    fn words_are_zero_aligned_and_their_own() {
        for len in [0, 1, 7, 8, 9, 1000, 100_000] {
            let mut words = Words::zeroed(len).unwrap();
            assert!(is_aligned(&words) && words.is_owned());
            assert_eq!(words.as_slice(), vec![0; len]);
            words.to_mut().fill(7);
            let copy = words.clone();
            words.to_mut().fill(8);
            assert_eq!(copy.as_slice(), vec![7; len]);
            assert!(is_aligned(&copy));
        }
    }

    #[test]
    fn growing_keeps_what_was_there() {
        let mut words = Words::zeroed(0).unwrap();
        for len in [1usize, 2, 9, 100, 5000, 300_000, 1_000_000] {
            let before: Vec<u64> = words.as_slice().to_vec();
            // So that memory of all sizes from the allocator is not zero by chance.
            (0..32).for_each(|more| drop(std::hint::black_box(vec![u64::MAX; len + more])));
            words.grow(len).unwrap();
            assert!(is_aligned(&words));
            assert_eq!(&words.as_slice()[..before.len()], before);
            assert!(words.as_slice()[before.len()..].iter().all(|&word| word == 0));
            for (word, value) in words.to_mut().iter_mut().zip(1..) {
                *word = value;
            }
        }
    }

    #[test]
    fn too_much_memory_is_an_error() {
        for len in [usize::MAX, usize::MAX / 8, 1 << 60, 1 << 55] {
            assert!(Words::zeroed(len).is_err(), "{len}");
        }
    }

    #[test]
    fn borrowed_words_are_shared_until_they_change() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..=255).collect();
        file.write_all(&bytes).unwrap();
        // SAFETY: the file is this test's own, and it does not change any more.
        let map = unsafe { FileMap::open(file.path()) }.unwrap();
        let arc: Arc<[u8]> = bytes.clone().into();
        let expected: Vec<u64> = bytes[64..128]
            .chunks(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()))
            .collect();
        for mut words in [
            Words::mapped(&map, 64, 8).unwrap().unwrap(),
            Words::shared(&arc, 64, 8).unwrap().unwrap(),
            Words::copied(&bytes[64..128]).unwrap(),
        ] {
            assert!(is_aligned(&words));
            assert_eq!(words.as_slice(), expected);
            let shared = words.clone();
            words.to_mut()[0] = 1;
            assert!(words.is_owned());
            assert_eq!(shared.as_slice(), expected);
        }
        assert!(!Words::mapped(&map, 64, 8).unwrap().unwrap().is_owned());
        assert!(Words::mapped(&map, 64, 25).is_none(), "beyond the end");
        assert!(Words::mapped(&map, usize::MAX, usize::MAX).is_none());
        assert!(Words::mapped(&map, 60, 8).unwrap().unwrap().is_owned(), "misaligned: copied");
        assert_eq!(Words::copied(&[1, 2, 3]).unwrap().as_slice(), [0x03_02_01]);
    }

    /// Whether huge pages were requested at this address; `None` if the system has none.
    #[cfg(target_os = "linux")]
    fn is_huge(at: usize) -> Option<bool> {
        let thp = Path::new("/sys/kernel/mm/transparent_hugepage");
        let maps = thp.exists().then(|| std::fs::read_to_string("/proc/self/smaps").ok())??;
        let mut within = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(from), Some(to))) = range.map(|(a, b)| (number(a), number(b))) {
                within = (from..to).contains(&at);
            } else if let (true, Some(flags)) = (within, line.strip_prefix("VmFlags:")) {
                return Some(flags.split(' ').any(|flag| flag == "hg"));
            }
        }
        None
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_rows_ask_for_huge_pages_unless_told_not_to() {
        // Large enough that the allocator takes fresh pages for each.
        let len = (64 << 20) / WORD;
        for wanted in [true, false] {
            huge_pages(wanted);
            let words = Words::zeroed(len).unwrap();
            words.prefer_huge_pages();
            huge_pages(true);
            let middle = words.as_slice()[len / 2..].as_ptr().addr();
            assert_eq!(is_huge(middle).unwrap_or(wanted), wanted);
        }
    }
}
