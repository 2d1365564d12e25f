//! Inserts and lookups of [`Shared`] under Loom: every order of their loads and stores, and every
//! value that a relaxed load may return.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use super::Shared;
use crate::filter::plain::{PlainFilter, Rule};
use crate::parts::hash::{KeyHash, Seed};
use crate::traits::{Filter, Insert};
use crate::{Blocked, Classic, Shape, Split};
use loom::sync::Arc;
use loom::sync::atomic::AtomicBool;
use loom::thread;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs a test in all executions that take this many preemptions or fewer. `ANTHER_MODEL_MORE` adds
/// some.
fn check(preemptions: usize, test: impl Fn() + Send + Sync + 'static) {
    let executions = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&executions);
    let more = std::env::var("ANTHER_MODEL_MORE").map_or(0, |more| more.parse().unwrap());
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions + more);
    model.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        test();
    });
    println!("executions: {}", executions.load(Ordering::Relaxed));
}

/// Filters of two, eight and four words. A key has two bits in the first two, and eight in the last.
fn classic() -> Classic {
    Classic::with_shape(Shape::bits(128).probes(2), Seed::FIXED).unwrap()
}

fn blocked() -> Blocked {
    Blocked::with_shape(Shape::bits(512).probes(2), Seed::FIXED).unwrap()
}

fn split() -> Split {
    Split::with_shape(Shape::bits(256).probes(8), Seed::FIXED).unwrap()
}

fn key(number: u64) -> KeyHash {
    Seed::FIXED.hash_integer(number)
}

/// A thread inserts a key and says so. Whoever hears it finds the key, in the filter and in a copy,
/// while a third thread inserts another key into the same words.
fn acknowledged<R: Rule>(empty: fn() -> PlainFilter<R>, say: Ordering) -> impl Fn() {
    move || {
        let filter = Arc::new(Shared::new(empty()).unwrap());
        let said = Arc::new(AtomicBool::new(false));
        let inserting = thread::spawn({
            let (filter, said) = (Arc::clone(&filter), Arc::clone(&said));
            move || {
                filter.insert_hash(key(1));
                said.store(true, say);
            }
        });
        let other = thread::spawn({
            let filter = Arc::clone(&filter);
            move || filter.insert_hash(key(2))
        });
        if said.load(Ordering::Acquire) {
            assert!(filter.contains_hash(key(1)), "a key that was said to be in");
            assert!(filter.snapshot().unwrap().contains_hash(key(1)), "and in a copy");
        }
        inserting.join().unwrap();
        other.join().unwrap();
        assert!(filter.contains_hash(key(1)) && filter.contains_hash(key(2)));
    }
}

#[test]
fn a_lookup_finds_what_was_acknowledged_before_it() {
    check(2, acknowledged(classic, Ordering::Release));
    check(2, acknowledged(blocked, Ordering::Release));
    check(1, acknowledged(split, Ordering::Release));
}

/// The test above can fail: without an order between insert and lookup, the key may be missing.
#[test]
#[should_panic(expected = "a key that was said to be in")]
fn without_synchronisation_a_lookup_may_miss_a_key() {
    check(2, acknowledged(classic, Ordering::Relaxed));
}

/// Threads insert keys, all of them the same one and each one of its own. The first insert of the
/// common one is new to somebody, nothing is lost, every insert is counted, and the filter is that
/// of one thread.
fn racing<R: Rule>(empty: fn() -> PlainFilter<R>, threads: u64) -> impl Fn() {
    move || {
        let filter = Arc::new(Shared::new(empty()).unwrap());
        let insert = |thread: u64, filter: &Shared<PlainFilter<R>>| {
            let is_new = filter.insert_hash(key(0));
            filter.insert_hash(key(thread));
            is_new
        };
        let others: Vec<_> = (1..threads)
            .map(|thread| {
                let filter = Arc::clone(&filter);
                thread::spawn(move || insert(thread, &filter))
            })
            .collect();
        let here = insert(threads, &filter);
        let there = others.into_iter().map(|other| other.join().unwrap());
        assert!(there.fold(here, |one, other| one | other), "new to nobody");

        let Ok(filter) = Arc::try_unwrap(filter) else { panic!("all threads have ended") };
        let filter = filter.into_inner();
        let mut expected = empty();
        for thread in 0..=threads {
            expected.insert_hash(key(thread)).unwrap();
        }
        assert_eq!(filter.bits, expected.bits, "as of one thread");
        assert_eq!(filter.about.inserted, 2 * threads);
    }
}

#[test]
fn racing_inserts_lose_nothing_and_one_of_them_is_new() {
    check(3, racing(classic, 2));
    check(3, racing(blocked, 2));
    check(1, racing(split, 2));
    check(1, racing(classic, 3));
}
