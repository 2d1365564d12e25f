//! State files of `uniq`, under right checksums.

use crate::forged;
use crate::program::cmd::uniq::seen::Horizon;
use crate::program::cmd::uniq::state::contents;
use crate::program::cmd::uniq::state::header::StateHeader;
use anther::recipe::{KeyRule, Place};
use anther::{KeyHash, Seed};
use std::time::Duration;

/// The options of the run that goes on with it.
const HORIZONS: [Horizon; 4] = [
    Horizon::All,
    Horizon::Share { rate: 0.001 },
    Horizon::Window { lines: 5, rate: 0.01 },
    Horizon::Timed { time: Duration::from_secs(60), rate: 0.01 },
];

/// A state without its checksum, and a byte that says with which options it is read: what is read
/// is written, and goes on.
pub fn run(data: &[u8]) {
    let Some((mode, bytes)) = data.split_last() else { return };
    let horizon = HORIZONS[usize::from(mode % 4)];
    let now =
        StateHeader::new(horizon, (&KeyRule::default(), &Place::default()), Seed::FIXED, false);
    let read = |file: &[u8]| contents::read(file, file.len() as u64, horizon, &now);
    let Ok((header, mut seen)) = read(&forged::summed(bytes)) else { return };
    assert!(seen.bytes() < 1 << 24);
    let mut written = Vec::new();
    contents::write(&mut written, &header, &seen).expect("memory");
    assert!(read(&written).is_ok());
    // Those by time depend on the clock.
    if !matches!(horizon, Horizon::Timed { .. }) {
        let lines = [5, 6, 5].map(|line| KeyHash(line).again(1));
        let mut is_new = [false; 3];
        seen.insert(&lines, &mut is_new).expect("room");
        assert!(!is_new[2], "it came just before");
    }
}
