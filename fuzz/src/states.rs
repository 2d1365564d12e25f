//! State files of `uniq`, under right checksums.

use crate::forged;
use crate::input::Input;
use crate::program::cmd::uniq::seen::{Horizon, Seen};
use crate::program::cmd::uniq::state::contents;
use crate::program::cmd::uniq::state::header::StateHeader;
use crate::program::cmd::uniq::timed::{Timed, TimedLayer};
use anther::recipe::{KeyRule, Place};
use anther::{Aging, KeyHash, Seed};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

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
    let file = match horizon {
        Horizon::Timed { time, rate } if mode & 4 == 4 => {
            let layers = timed_layers(&mut Input(bytes), rate);
            let mut file = Vec::new();
            let seen = Seen::Timed(Timed { time, rate, layers });
            contents::write(&mut file, &now, &seen).expect("memory");
            file
        }
        _ => forged::summed(bytes),
    };
    let read = |file: &[u8]| contents::read(file, file.len() as u64, horizon, &now);
    let Ok((header, mut seen)) = read(&file) else { return };
    assert!(seen.bytes() < 1 << 24);
    let mut written = Vec::new();
    contents::write(&mut written, &header, &seen).expect("memory");
    assert!(read(&written).is_ok());
    let lines = [5, 6, 5].map(|line| KeyHash(line).again(1));
    let mut is_new = [false; 3];
    seen.insert(&lines, &mut is_new).expect("room");
    // A minute may pass, but not within a call.
    assert!(!is_new[2], "it came just before");
}

/// Layers that hold filters of the right size and any numbers. A file with such a filter is longer
/// than inputs are.
fn timed_layers(input: &mut Input, rate: f64) -> Vec<TimedLayer> {
    static FILTER: OnceLock<Aging> = OnceLock::new();
    let filter = FILTER
        .get_or_init(|| Timed::new(Duration::ZERO, rate).expect("memory").layers.remove(0).filter);
    let layer = |input: &mut Input| TimedLayer {
        filter: filter.clone(),
        capacity: input.one(&[1 << 16, 1 << 16, 1 << 16, 0, 1, 1 << 17, 1 << 19, u64::MAX]),
        began: SystemTime::UNIX_EPOCH + Duration::from_millis(input.word() >> 14),
        arrivals: (0..input.below(20)).map(|_| input.word()).collect(),
    };
    (0..=input.below(2)).map(|_| layer(input)).collect()
}
