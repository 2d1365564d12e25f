//! Limits how many run at a time; the others wait.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub struct Permits {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Given back when it is dropped, by a panic, too.
pub struct Permit(Arc<Permits>);

impl Permits {
    pub fn new(count: usize) -> Arc<Permits> {
        Arc::new(Permits { free: Mutex::new(count), freed: Condvar::new() })
    }

    /// Waits for a permit, as long as it takes.
    pub fn take(self: &Arc<Permits>) -> Permit {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free =
            self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Permit(Arc::clone(self))
    }

    /// Waits for a permit until then.
    pub fn take_by(self: &Arc<Permits>, end: Instant) -> Option<Permit> {
        let wait: Duration = end.saturating_duration_since(Instant::now());
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.freed.wait_timeout_while(free, wait, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Permit(Arc::clone(self)))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}
