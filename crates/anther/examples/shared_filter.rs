//! Several threads fill one filter, and ask it while they do.
//!
//! The threads see overlapping streams of events and must handle each event once. Bits are only
//! ever set, each atomically, so the filter at the end is bit for bit the one that a single
//! thread makes.
//!
//! ```console
//! $ cargo run -p anther --release --example shared_filter
//! ```

use anther::{Blocked, PlainBits, Target};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const THREADS: u64 = 4;
/// Events of a thread; the next thread sees the second half of them again.
const EVENTS: u64 = 100_000;
const DISTINCT: u64 = (THREADS + 1) * EVENTS / 2;

fn main() -> Result<(), Box<dyn Error>> {
    let target = Target::new(DISTINCT, 0.001)?;

    // Shared is a type of its own: the filter moves in, and its memory is not copied.
    let seen = Blocked::new(target)?.into_shared()?;
    let handled = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (seen, handled) = (&seen, &handled);
            scope.spawn(move || {
                for i in 0..EVENTS {
                    let event = format!("event {}", thread * EVENTS / 2 + i);
                    // Of several threads with the same new event at least one is told "new".
                    if seen.insert(&event) {
                        handled.fetch_add(1, Ordering::Relaxed);
                    }
                    assert!(seen.contains(&event), "what a thread put in, it finds");
                }
            });
        }
    });

    // Back to an ordinary filter, which is the one that a single thread makes.
    let seen = seen.into_inner();
    let mut alone = Blocked::new(target)?;
    alone.extend((0..DISTINCT).map(|i| format!("event {i}")));
    assert_eq!(seen.bits(), alone.bits());

    let handled = handled.into_inner();
    let profile = seen.profile();
    let items = seen.estimate_items();
    println!("{THREADS} threads inserted {} events", profile.inserted);
    println!("different ones      {DISTINCT}");
    println!("by the filter       {:.0} ± {:.0}", items.items, items.deviation);
    // A few were taken for seen (false positives), a few perhaps for new by two threads at once.
    println!("told \"new\"          {handled}");
    // The promise is the mean over all filters of this size; this one has the rate that it has.
    println!("rate promised       0.1 %");
    println!("rate now            {:.4} %", 100.0 * profile.fpr_now);
    assert_eq!(profile.inserted, THREADS * EVENTS);
    assert!(handled as f64 > DISTINCT as f64 * 0.999);
    Ok(())
}
