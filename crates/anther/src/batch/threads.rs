//! How many threads work, and the one queue from which they take their jobs.

#[cfg(all(test, anther_shuttle))]
mod model;

use crate::parts::sync::{AtomicBool, Mutex, thread};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::Ordering;

/// How many threads to use.
///
/// ```
/// use anther::Threads;
///
/// assert_eq!((Threads::ONE.get(), Threads::new(4).get()), (1, 4));
/// assert_eq!(Threads::new(0), Threads::ONE, "this thread always works");
/// assert!(Threads::all().get() >= 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// This thread alone.
    pub const ONE: Threads = Threads(NonZero::<usize>::MIN);

    /// This many threads; 0 counts as one.
    pub const fn new(threads: usize) -> Threads {
        match NonZero::new(threads) {
            Some(threads) => Threads(threads),
            None => Threads::ONE,
        }
    }

    /// One per core that this process may use.
    pub fn all() -> Threads {
        thread::available_parallelism().map_or(Threads::ONE, Threads)
    }

    /// The number.
    pub const fn get(self) -> usize {
        self.0.get()
    }

    /// Does jobs in order, each on the next thread that is free, until all are done or one fails.
    /// Of several that fail the first in order is reported. A panic in a job goes on here.
    pub fn try_each<J, E: Send>(
        self,
        jobs: impl Iterator<Item = J> + Send,
        work: impl Fn(J) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        try_each(self, jobs, work)
    }

    /// No more than `most`.
    pub(crate) fn at_most(self, most: usize) -> Threads {
        Threads::new(self.get().min(most))
    }
}

impl From<NonZero<usize>> for Threads {
    fn from(threads: NonZero<usize>) -> Threads {
        Threads(threads)
    }
}

/// Does jobs in order, each on the next thread that is free, until all are done or one fails. Of
/// several that fail the first in order is reported: the same on any number of threads, since jobs
/// are handed out in order. A panic in a job goes on here.
///
/// This thread works, too. Where the system starts fewer threads than asked for, as limits on
/// processes or memory have it, those that there are do all the jobs.
pub(crate) fn try_each<J, E: Send>(
    threads: Threads,
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(J) -> Result<(), E> + Sync,
) -> Result<(), E> {
    try_each_on(thread::Builder::new, threads, jobs, work)
}

fn try_each_on<J, E: Send>(
    builder: fn() -> thread::Builder,
    threads: Threads,
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(J) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if threads == Threads::ONE {
        let mut jobs = jobs;
        return jobs.try_for_each(work);
    }
    let (jobs, stopped) = (Mutex::new(jobs.enumerate()), AtomicBool::new(false));
    // A function of its own, so that the lock is released before the work begins.
    let next = || jobs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let run = || {
        while !stopped.load(Ordering::Relaxed) {
            let (number, job) = next()?;
            if let Err(error) = work(job) {
                stopped.store(true, Ordering::Relaxed);
                return Some((number, error));
            }
        }
        None
    };
    let failed = thread::scope(|scope| {
        // Where one thread cannot be started, the next one could not either.
        let start = |_| builder().spawn_scoped(scope, run).ok();
        let workers: Vec<_> = (1..threads.get()).map_while(start).collect();
        let here = run();
        let join = |worker: thread::ScopedJoinHandle<'_, Option<_>>| {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        workers.into_iter().filter_map(join).chain(here).min_by_key(|(number, _)| *number)
    });
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

/// The same for jobs that cannot fail.
pub(crate) fn for_each<J>(
    threads: Threads,
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(J) + Sync,
) {
    let done: Result<(), std::convert::Infallible> = try_each(threads, jobs, |job| {
        work(job);
        Ok(())
    });
    let Ok(()) = done;
}

#[cfg(all(test, not(anther_shuttle)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn every_job_is_done_once_on_any_number_of_threads() {
        for threads in 1..=5 {
            let sum = AtomicU64::new(0);
            for_each(Threads::new(threads), 0..1000u64, |job| {
                sum.fetch_add(job, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 499_500);
        }
    }

    #[test]
    fn the_first_failure_in_order_is_reported() {
        for threads in 1..=5 {
            let fail = |job| if job % 10 == 7 { Err(job) } else { Ok(()) };
            assert_eq!(try_each(Threads::new(threads), 0..1000, fail), Err(7), "{threads}");
        }
    }

    /// No system has room for such a stack, so no thread starts.
    fn refused() -> thread::Builder {
        thread::Builder::new().stack_size(isize::MAX.cast_unsigned() & !0xffff)
    }

    #[test]
    fn all_jobs_are_done_where_no_thread_can_be_started() {
        assert!(refused().spawn(|| ()).is_err());
        let sum = AtomicU64::new(0);
        let add = |job| {
            sum.fetch_add(job, Ordering::Relaxed);
            if job == 999 { Err(job) } else { Ok(()) }
        };
        assert_eq!(try_each_on(refused, Threads::new(4), 0..1000, add), Err(999));
        assert_eq!(sum.into_inner(), 499_500);
    }

    #[test]
    #[should_panic(expected = "job 5")]
    fn a_panic_goes_on() {
        for_each(Threads::new(3), 0..10, |job| assert_ne!(job, 5, "job 5"));
    }
}
