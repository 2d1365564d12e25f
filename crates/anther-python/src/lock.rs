//! The lock of a filter: many readers or one writer, as `RwLock`, at no cost where there is a GIL.
//!
//! A call for one key takes 20 ns. The two atomic read-modify-writes of an `RwLock` take as long
//! again, and worse, they are memory barriers: without them, the processor fetches the cache line
//! of the next key while it still works on this one. So where there is a GIL, it is the lock. What
//! is short runs with it. What is long marks the filter as in use, releases the GIL, works, and
//! takes the mark away when it has the GIL again; marks are read and written only with the GIL.
//!
//! Nobody waits with the GIL for somebody who needs it: those who find a filter in use release it
//! while they wait.
#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "a lock hands out references to what it guards")
)]

#[cfg(Py_GIL_DISABLED)]
pub use free_threaded::Lock;
#[cfg(not(Py_GIL_DISABLED))]
pub use gil::Lock;

#[cfg(not(Py_GIL_DISABLED))]
mod gil {
    use pyo3::prelude::*;
    use std::cell::UnsafeCell;
    use std::sync::atomic::{AtomicIsize, Ordering};
    use std::time::Duration;

    /// See the module.
    #[derive(Debug)]
    pub struct Lock<T> {
        /// How many threads read without the GIL; -1 if one writes. Changed only with the GIL, which
        /// orders the changes; atomic to be shared at all.
        users: AtomicIsize,
        /// How many wait to write. Long reads let them go first, or reads that overlap would keep
        /// them waiting for ever.
        writers: AtomicIsize,
        value: UnsafeCell<T>,
    }

    // SAFETY: as for `RwLock`: `&T` is given to many threads, `&mut T` to one at a time.
    unsafe impl<T: Send + Sync> Sync for Lock<T> {}

    impl<T: Send + Sync> Lock<T> {
        /// An unused lock.
        pub fn new(value: T) -> Lock<T> {
            let none = || AtomicIsize::new(0);
            Lock { users: none(), writers: none(), value: UnsafeCell::new(value) }
        }

        /// Returns the value.
        pub fn into_inner(self) -> T {
            self.value.into_inner()
        }

        #[inline]
        fn users(&self) -> isize {
            self.users.load(Ordering::Relaxed)
        }

        /// Whether a long read may begin.
        fn is_readable(&self) -> bool {
            self.users() >= 0 && self.writers.load(Ordering::Relaxed) == 0
        }

        /// Waits until `free`, and keeps new long reads away meanwhile.
        #[inline]
        fn wait_to_write(&self, py: Python<'_>, free: impl Fn() -> bool) {
            if !free() {
                let _mark = Mark::new(&self.writers, 1);
                wait(py, free);
            }
        }

        /// Something short that reads. It runs with the GIL, and must not release it: it cannot,
        /// without a `Python` of its own.
        #[inline]
        pub fn with<R>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R) -> R {
            if self.users() < 0 {
                wait(py, || self.users() >= 0);
            }
            // SAFETY: nobody writes, and nobody can begin to without the GIL, which we hold until
            // `work` is done.
            work(unsafe { &*self.value.get() })
        }

        /// Something short that writes, in the same way.
        #[inline]
        pub fn with_mut<R>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> R) -> R {
            self.wait_to_write(py, || self.users() == 0);
            // SAFETY: nobody reads or writes, and nobody can begin to without the GIL, which we hold
            // until `work` is done. `work` has no way to reach this lock, for want of a `Python`.
            work(unsafe { &mut *self.value.get() })
        }

        /// Something long that reads, without the GIL.
        pub fn read<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R + Send) -> R {
            wait(py, || self.is_readable());
            let _mark = Mark::new(&self.users, 1);
            let value = Shared(&self.value);
            // SAFETY: the mark keeps writers away until it is dropped, which is with the GIL again.
            py.detach(move || work(unsafe { value.get() }))
        }

        /// Something long that writes, without the GIL.
        pub fn write<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> R + Send) -> R {
            self.wait_to_write(py, || self.users() == 0);
            let _mark = Mark::new(&self.users, -1);
            let value = Shared(&self.value);
            // SAFETY: the mark keeps all others away.
            py.detach(move || work(unsafe { value.get_mut() }))
        }

        /// Writes here what is read there; `None` if both are the same.
        pub fn write_from<R: Send>(
            &self,
            py: Python<'_>,
            other: &Lock<T>,
            work: impl FnOnce(&mut T, Option<&T>) -> R + Send,
        ) -> R {
            if std::ptr::eq(self, other) {
                return self.write(py, |ours| work(ours, None));
            }
            // Both at once, so that two threads with the same two filters cannot wait for each other.
            self.wait_to_write(py, || self.users() == 0 && other.users() >= 0);
            let _marks = (Mark::new(&self.users, -1), Mark::new(&other.users, 1));
            let (ours, theirs) = (Shared(&self.value), Shared(&other.value));
            // SAFETY: the marks keep all others away from ours, and writers from theirs.
            py.detach(move || unsafe { work(ours.get_mut(), Some(theirs.get())) })
        }

        /// Reads two, which may be the same.
        pub fn read_both<R: Send>(
            &self,
            py: Python<'_>,
            other: &Lock<T>,
            work: impl FnOnce(&T, &T) -> R + Send,
        ) -> R {
            wait(py, || self.is_readable() && other.is_readable());
            let _marks = (Mark::new(&self.users, 1), Mark::new(&other.users, 1));
            let (ours, theirs) = (Shared(&self.value), Shared(&other.value));
            // SAFETY: the marks keep writers away.
            py.detach(move || unsafe { work(ours.get(), theirs.get()) })
        }
    }

    /// A value on its way into a thread without the GIL.
    struct Shared<'a, T>(&'a UnsafeCell<T>);

    // SAFETY: who gets at the value, and how, is up to the marks.
    unsafe impl<T: Send + Sync> Send for Shared<'_, T> {}

    impl<'a, T> Shared<'a, T> {
        /// # Safety
        /// Nobody writes.
        unsafe fn get(self) -> &'a T {
            // SAFETY: the caller's.
            unsafe { &*self.0.get() }
        }

        /// # Safety
        /// Nobody else reads or writes.
        unsafe fn get_mut(self) -> &'a mut T {
            // SAFETY: the caller's.
            unsafe { &mut *self.0.get() }
        }
    }

    /// A mark, made and dropped with the GIL.
    struct Mark<'a> {
        users: &'a AtomicIsize,
        change: isize,
    }

    impl<'a> Mark<'a> {
        fn new(users: &'a AtomicIsize, change: isize) -> Mark<'a> {
            users.store(users.load(Ordering::Relaxed) + change, Ordering::Relaxed);
            Mark { users, change }
        }
    }

    impl Drop for Mark<'_> {
        fn drop(&mut self) {
            let users = self.users.load(Ordering::Relaxed) - self.change;
            self.users.store(users, Ordering::Relaxed);
        }
    }

    /// Waits without the GIL until a condition holds with it. It sleeps, up to a millisecond at a
    /// time, and does not wait for a signal: what it waits for takes that long, too, and a process
    /// that forks has no signal to lose.
    fn wait(py: Python<'_>, free: impl Fn() -> bool) {
        let mut pause = Duration::from_micros(20);
        while !free() {
            py.detach(|| std::thread::sleep(pause));
            pause = (2 * pause).min(Duration::from_millis(1));
        }
    }
}

#[cfg(Py_GIL_DISABLED)]
mod free_threaded {
    use pyo3::prelude::*;
    use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

    /// See the module.
    #[derive(Debug)]
    pub struct Lock<T>(RwLock<T>);

    impl<T: Send + Sync> Lock<T> {
        /// An unused lock.
        pub fn new(value: T) -> Lock<T> {
            Lock(RwLock::new(value))
        }

        /// Returns the value.
        pub fn into_inner(self) -> T {
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
        }

        // A panic leaves a filter that answers: bits are only ever set.
        fn shared(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().unwrap_or_else(PoisonError::into_inner)
        }

        fn exclusive(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().unwrap_or_else(PoisonError::into_inner)
        }

        /// Something short that reads.
        #[inline]
        pub fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R + Send) -> R {
            match self.0.try_read() {
                Ok(value) => work(&value),
                Err(TryLockError::Poisoned(value)) => work(&value.into_inner()),
                Err(TryLockError::WouldBlock) => py.detach(|| work(&self.shared())),
            }
        }

        /// Something short that writes.
        #[inline]
        pub fn with_mut<R: Send>(
            &self,
            py: Python<'_>,
            work: impl FnOnce(&mut T) -> R + Send,
        ) -> R {
            match self.0.try_write() {
                Ok(mut value) => work(&mut value),
                Err(TryLockError::Poisoned(value)) => work(&mut value.into_inner()),
                Err(TryLockError::WouldBlock) => py.detach(|| work(&mut self.exclusive())),
            }
        }

        /// Something long that reads.
        pub fn read<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R + Send) -> R {
            py.detach(|| work(&self.shared()))
        }

        /// Something long that writes.
        pub fn write<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> R + Send) -> R {
            py.detach(|| work(&mut self.exclusive()))
        }

        /// Writes here what is read there; `None` if both are the same. Whoever takes two locks
        /// takes that with the lower address first.
        pub fn write_from<R: Send>(
            &self,
            py: Python<'_>,
            other: &Lock<T>,
            work: impl FnOnce(&mut T, Option<&T>) -> R + Send,
        ) -> R {
            py.detach(|| match std::ptr::from_ref(self).cmp(&std::ptr::from_ref(other)) {
                std::cmp::Ordering::Less => {
                    let mut ours = self.exclusive();
                    work(&mut ours, Some(&other.shared()))
                }
                std::cmp::Ordering::Equal => work(&mut self.exclusive(), None),
                std::cmp::Ordering::Greater => {
                    let theirs = other.shared();
                    work(&mut self.exclusive(), Some(&theirs))
                }
            })
        }

        /// Reads two, which may be the same.
        pub fn read_both<R: Send>(
            &self,
            py: Python<'_>,
            other: &Lock<T>,
            work: impl FnOnce(&T, &T) -> R + Send,
        ) -> R {
            py.detach(|| match std::ptr::from_ref(self).cmp(&std::ptr::from_ref(other)) {
                std::cmp::Ordering::Less => {
                    let ours = self.shared();
                    work(&ours, &other.shared())
                }
                std::cmp::Ordering::Equal => {
                    let ours = self.shared();
                    work(&ours, &ours)
                }
                std::cmp::Ordering::Greater => {
                    let theirs = other.shared();
                    work(&self.shared(), &theirs)
                }
            })
        }
    }
}
