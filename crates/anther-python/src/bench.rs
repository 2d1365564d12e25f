//! The library's own batch calls, to measure the others against. Not in wheels.

use crate::error::Failure;
use crate::filter::{self, Filter};
use anther::{AnyFilter, Filter as _, PlainBits, Threads};
use pyo3::prelude::*;
use std::time::Instant;

/// Seconds that the library takes to insert 64-bit integers into a blocked filter.
#[pyfunction]
#[pyo3(signature = (filter, keys, threads=None))]
pub fn _rust_update(
    py: Python<'_>,
    filter: &Bound<'_, Filter>,
    keys: Vec<u64>,
    threads: Option<usize>,
) -> Result<f64, Failure> {
    let threads = filter::threads(threads)?;
    filter.get().write(py, |filter| match filter {
        AnyFilter::Blocked(filter) => {
            let clock = Instant::now();
            filter.bulk_insert_keys(&keys, threads);
            Ok(clock.elapsed().as_secs_f64())
        }
        _ => Err(Failure::wrong_value("only for kind blocked")),
    })
}

/// Seconds that the library takes to look up 64-bit integers in a blocked filter, each thread an
/// equal part of them.
#[pyfunction]
#[pyo3(signature = (filter, keys, threads=None))]
pub fn _rust_contains(
    py: Python<'_>,
    filter: &Bound<'_, Filter>,
    keys: Vec<u64>,
    threads: Option<usize>,
) -> Result<f64, Failure> {
    let threads: Threads = filter::threads(threads)?;
    filter.get().read(py, |filter| match filter {
        AnyFilter::Blocked(filter) => {
            let mut found = vec![false; keys.len()];
            let share = keys.len().div_ceil(threads.get()).max(1);
            let clock = Instant::now();
            std::thread::scope(|scope| {
                for (keys, found) in keys.chunks(share).zip(found.chunks_mut(share)) {
                    scope.spawn(|| filter.contains_keys(keys, found));
                }
            });
            Ok(clock.elapsed().as_secs_f64())
        }
        _ => Err(Failure::wrong_value("only for kind blocked")),
    })
}
