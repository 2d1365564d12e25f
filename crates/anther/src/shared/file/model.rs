//! [`SharedFile`] under Shuttle: its real code, on a real file, with every process a thread that
//! opens the file itself. They are switched, and some are killed, between any two operations on the
//! mapped file and its locks.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use super::{SharedFile, SharedView};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::sync::mapped::killed_within;
use crate::parts::sync::model::{check, thread};
use crate::traits::Filter;
use crate::{Lock, Open, Save, Shape, Split};
use shuttle::sync::Mutex;
use std::path::PathBuf;

/// About how many operations it takes to open the file, insert two keys and close it.
const OPERATIONS: u64 = 500;

/// A file, and which keys are in it.
struct World {
    _folder: tempfile::TempDir,
    path: PathBuf,
    /// Keys whose insert has returned.
    acknowledged: Mutex<Vec<u64>>,
    /// Keys whose insert has begun.
    begun: Mutex<Vec<u64>>,
}

fn filter_of(keys: &[u64]) -> Split {
    let mut filter = Split::with_shape(Shape::bits(256).probes(8), Seed::FIXED).unwrap();
    filter.insert_keys(keys);
    filter
}

fn hash(key: u64) -> KeyHash {
    Seed::FIXED.hash_integer(key)
}

impl World {
    /// A file with two keys.
    fn new() -> World {
        let keys = vec![100, 101];
        // In memory, where there is such a folder: a test makes thousands of files.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let path = folder.path().join("f.anther");
        std::fs::write(&path, Save::new().bytes(&filter_of(&keys)).unwrap()).unwrap();
        let (acknowledged, begun) = (Mutex::new(keys.clone()), Mutex::new(keys));
        World { _folder: folder, path, acknowledged, begun }
    }

    fn insert(&self, key: u64, insert: impl FnOnce()) {
        self.begun.lock().unwrap().push(key);
        insert();
        self.acknowledged.lock().unwrap().push(key);
    }

    /// A process that inserts keys, and finds its own.
    fn process(&self, keys: &[u64]) {
        let file = SharedFile::open(&self.path, Open::new()).unwrap();
        for key in keys {
            self.insert(*key, || {
                file.insert_hash(hash(*key));
            });
        }
        self.assert_found(|key| file.contains_hash(key));
        file.close().unwrap();
    }

    /// A process that only reads, twice: all that it knew of before, it finds.
    fn reader(&self) {
        let view = SharedView::open(&self.path, Open::new()).unwrap();
        self.assert_found(|key| view.contains_hash(key));
        let known = self.acknowledged.lock().unwrap().clone();
        let filter: Split = Open::new().file(&self.path).unwrap();
        assert!(known.iter().all(|key| filter.contains_hash(hash(*key))), "a key is not read");
        assert!(filter.about().inserted <= 2 * self.begun.lock().unwrap().len() as u64);
        self.assert_found(|key| view.contains_hash(key));
    }

    /// A process that puts a new file with one more key in place of the old one.
    fn replacer(&self, key: u64) {
        let lock = Lock::exclusive(&self.path).unwrap();
        let mut filter: Split = Open::new().locked(&lock).unwrap();
        self.insert(key, || {
            filter.insert_keys(&[key]);
            Save::new().locked(&filter, &lock).unwrap();
        });
    }

    fn assert_found(&self, contains: impl Fn(KeyHash) -> bool) {
        let known = self.acknowledged.lock().unwrap().clone();
        assert!(known.iter().all(|key| contains(hash(*key))), "a key is lost");
    }

    /// Nobody is at it any more: it is closed and verified, has every acknowledged key and no bits
    /// but those of keys whose insert began. Returns the number of inserts.
    fn end(&self) -> u64 {
        assert!(!Open::is_shared(&self.path).unwrap(), "nobody has closed it");
        let filter: Split = Open::new().file(&self.path).unwrap();
        self.assert_found(|key| filter.contains_hash(key));
        let begun = filter_of(&self.begun.lock().unwrap());
        let mut words = filter.bits.words().iter().zip(begun.bits.words());
        assert!(words.all(|(word, begun)| word & !begun == 0), "bits of no key");
        filter.about().inserted
    }
}

#[test]
fn processes_lose_nothing_and_the_last_closes_the_file() {
    check(4_000, || {
        let world = World::new();
        thread::scope(|scope| {
            scope.spawn(|| world.process(&[1, 2]));
            scope.spawn(|| world.process(&[3]));
            scope.spawn(|| {
                world.process(&[4]);
                world.process(&[5]);
            });
            scope.spawn(|| world.reader());
        });
        assert_eq!(world.end(), 7);
    });
}

#[test]
fn one_that_replaces_the_file_waits_and_loses_nothing() {
    check(4_000, || {
        let world = World::new();
        thread::scope(|scope| {
            scope.spawn(|| world.process(&[1]));
            scope.spawn(|| world.process(&[2, 3]));
            scope.spawn(|| world.replacer(4));
        });
        assert_eq!(world.end(), 6);
    });
}

/// A process is killed at any operation of its opening, inserting and closing.
#[test]
fn killed_processes_lose_no_acknowledged_key() {
    check(8_000, || {
        let world = World::new();
        thread::scope(|scope| {
            for part in 0..2 {
                let world = &world;
                scope.spawn(move || {
                    killed_within(OPERATIONS, || world.process(&[2 * part, 2 * part + 1]));
                });
            }
            scope.spawn(|| world.reader());
        });
        // The next one closes it.
        SharedFile::open(&world.path, Open::new()).unwrap().close().unwrap();
        let inserted = world.end();
        let (least, most) =
            (world.acknowledged.lock().unwrap().len(), world.begun.lock().unwrap().len());
        // Killed while it closed the file, a process leaves its count to be added again.
        let range = least as u64..=2 * most as u64;
        assert!(range.contains(&inserted), "{inserted} inserts, of {range:?}");
    });
}
