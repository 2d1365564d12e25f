//! The work queue under Shuttle.

use super::{Threads, try_each};
use crate::parts::sync::model::check;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every job is begun once and in order, and those after a failure at most by threads that were at
/// it. The first failure in order is reported.
#[test]
fn jobs_are_done_once_and_the_first_failure_in_order_is_reported() {
    check(100_000, || {
        let done = AtomicU64::new(0);
        let work = |job: u32| {
            shuttle::thread::yield_now();
            assert_eq!(done.fetch_or(1 << job, Ordering::Relaxed) & (1 << job), 0, "once");
            if job == 3 || job == 4 { Err(job) } else { Ok(()) }
        };
        assert_eq!(try_each(Threads::new(3), 0..8, work), Err(3));
        assert_eq!(done.load(Ordering::Relaxed) & 0b1111, 0b1111, "all before the failure");
    });
}

#[test]
fn all_jobs_are_done_before_it_returns() {
    check(100_000, || {
        let done = AtomicU64::new(0);
        let work = |job: u32| {
            shuttle::thread::yield_now();
            done.fetch_add(1 << (8 * job), Ordering::Relaxed);
            Ok::<(), ()>(())
        };
        assert_eq!(try_each(Threads::new(3), 0..5, work), Ok(()));
        assert_eq!(done.load(Ordering::Relaxed), 0x01_01_01_01_01);
    });
}
