//! Several threads insert into one filter and query it at the same time.
//!
//! The threads see overlapping streams of events and must handle each event once. Bits are only
//! ever set, each atomically, so the result is bit for bit that of a single thread.
//!
//! ```console
//! $ cargo run -p anther --release --example shared_filter
//! ```

use anther::{Blocked, PlainBits, Target};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const THREADS: u64 = 4;
/// Events per thread; the next thread sees the second half of them again.
const EVENTS: u64 = 100_000;
const DISTINCT: u64 = (THREADS + 1) * EVENTS / 2;

fn main() -> Result<(), Box<dyn Error>> {
    let target = Target::new(DISTINCT, 0.001)?;

    // Shared is a separate type. The filter moves into it, and its memory is not copied.
    let seen = Blocked::new(target)?.into_shared()?;
    let handled = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (seen, handled) = (&seen, &handled);
            scope.spawn(move || {
                for i in 0..EVENTS {
                    let event = format!("event {}", thread * EVENTS / 2 + i);
                    // If several threads insert the same new event, at least one gets true.
                    if seen.insert(&event) {
                        handled.fetch_add(1, Ordering::Relaxed);
                    }
                    assert!(seen.contains(&event), "a thread finds what it inserted");
                }
            });
        }
    });

    // Back to an ordinary filter, equal to that of a single thread.
    let seen = seen.into_inner();
    let mut alone = Blocked::new(target)?;
    alone.extend((0..DISTINCT).map(|i| format!("event {i}")));
    assert_eq!(seen.bits(), alone.bits());

    let handled = handled.into_inner();
    let profile = seen.profile();
    let items = seen.estimate_items();
    println!("{THREADS} threads inserted {} events", profile.inserted);
    println!("distinct            {DISTINCT}");
    println!("estimated           {:.0} ± {:.0}", items.items, items.deviation);
    // A few new events are false positives, and two threads may both take one for new.
    println!("reported as new     {handled}");
    // The target is the mean over all filters of this size; a single one differs a little.
    println!("target FPR          0.1 %");
    println!("FPR now             {:.4} %", 100.0 * profile.fpr_now);
    assert_eq!(profile.inserted, THREADS * EVENTS);
    assert!(handled as f64 > DISTINCT as f64 * 0.999);
    Ok(())
}
