//! What a call from C costs beside the same call in Rust: `cargo bench`.
//!
//! The functions are called through pointers that the compiler cannot see through, as through the
//! table of a shared library. Rounds alternate, and medians are printed.
#![expect(unsafe_code, reason = "calls as C makes them")]
#![expect(clippy::unwrap_used, reason = "a benchmark")]

use anther::{AnyFilter, Blocked, Kind, Seed, Target};
use anther_c::interface::lookup::{anther_contains_many_u64, anther_contains_u64};
use anther_c::interface::make::{anther_close, anther_from_bytes};
use std::hint::black_box;
use std::ptr::null_mut;
use std::time::Instant;

const ROUNDS: usize = 9;

fn main() {
    // Cargo passes `--bench`, and tests would pass others.
    println!("ns per lookup of u64, median of {ROUNDS} alternated rounds");
    println!("{:>10}  {:<34}{:>8}", "keys", "call", "ns");
    for items in [100_000u64, 10_000_000] {
        measure(items);
    }
}

fn measure(items: u64) {
    let target = Target::new(items, 0.01).unwrap();
    let mut typed = Blocked::new(target).unwrap();
    typed.extend(0..items);
    let mut any = AnyFilter::new(Kind::Blocked, target, Seed::FIXED).unwrap();
    any.insert_keys(&(0..items).collect::<Vec<u64>>()).unwrap();
    let bytes = anther::Save::new().bytes(&any).unwrap();
    let mut raw = null_mut();
    // SAFETY: the bytes live, and the results have room.
    let code = unsafe {
        anther_from_bytes(bytes.as_ptr(), bytes.len(), std::ptr::null(), 0, &mut raw, null_mut())
    };
    assert_eq!(code, 0);

    // Half of the keys are present.
    let keys: Vec<u64> =
        (0..1_000_000u64).map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) % (2 * items)).collect();
    let mut found = vec![false; keys.len()];
    let mut answers = vec![0u8; keys.len()];
    let (one, many) = (
        black_box(anther_contains_u64 as OneCall),
        black_box(anther_contains_many_u64 as ManyCall),
    );
    let expected = keys.iter().filter(|key| typed.contains(**key)).count();
    let names = [
        "Blocked::contains",
        "AnyFilter::contains",
        "anther_contains_u64",
        "AnyFilter::contains_keys",
        "anther_contains_many_u64, 1 thread",
    ];
    let mut times = vec![Vec::new(); names.len()];
    for _ in 0..ROUNDS {
        let mut work: [&mut dyn FnMut() -> usize; 5] = [
            &mut || keys.iter().filter(|key| typed.contains(**key)).count(),
            &mut || keys.iter().filter(|key| any.contains(**key).unwrap()).count(),
            // SAFETY: the filter lives until it is closed below.
            &mut || keys.iter().filter(|key| unsafe { one(raw, **key, null_mut()) } == 1).count(),
            &mut || {
                any.contains_keys(&keys, &mut found).unwrap();
                found.iter().filter(|found| **found).count()
            },
            &mut || {
                // SAFETY: as above, and there is an answer for each key.
                let code = unsafe {
                    many(raw, keys.as_ptr(), keys.len(), answers.as_mut_ptr(), 1, null_mut())
                };
                assert_eq!(code, 0);
                answers.iter().filter(|found| **found == 1).count()
            },
        ];
        for (work, times) in work.iter_mut().zip(&mut times) {
            let start = Instant::now();
            assert_eq!(work(), expected);
            times.push(start.elapsed().as_secs_f64() * 1e9 / keys.len() as f64);
        }
    }
    for (name, mut times) in names.into_iter().zip(times) {
        times.sort_by(f64::total_cmp);
        println!("{items:>10}  {name:<34}{:>8.2}", times[ROUNDS / 2]);
    }
    // SAFETY: nobody uses it any more.
    unsafe { anther_close(raw) };
}

type OneCall = unsafe extern "C" fn(*const anther_c::Filter, u64, *mut anther_c::Error) -> i32;
type ManyCall = unsafe extern "C" fn(
    *const anther_c::Filter,
    *const u64,
    usize,
    *mut u8,
    u32,
    *mut anther_c::Error,
) -> i32;
