//! Pages of several threads under Shuttle, with room for a few bytes.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use super::{Page, Press, RecordEnds};
use crate::sync::model::{check, thread};
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What was printed, and no more than one thread prints at a time.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Threads take the next number, as searches do. Pages are short, empty, longer than one page may
/// keep, and together more than all may.
#[test]
fn pages_come_in_order_and_nobody_waits_forever() {
    const TEXTS: [&str; 6] = ["0000\n", "11111111111\n22\n", "", "333333333\n", "4\n", "5555555\n"];
    check(20_000, || {
        let printed = Printed::default();
        let press =
            Press::new(Box::new(printed.clone()), false, false, Some(b"--"), RecordEnds::Lines);
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut page = Page::new(&press);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(text) = TEXTS.get(number) else { break };
                        page.begin(number);
                        text.split_inclusive('\n')
                            .for_each(|line| page.write_all(line.as_bytes()).unwrap());
                        page.finish().unwrap();
                    }
                });
            }
        });
        press.end(b"end\n").unwrap();
        let expected: Vec<_> = TEXTS.into_iter().filter(|text| !text.is_empty()).collect();
        let expected = expected.join("--\n") + "end\n";
        assert_eq!(String::from_utf8_lossy(&printed.0.lock().unwrap()), expected);
    });
}
