//! Files of every kind, and of range filters, under right checksums.

use crate::forged::{self, MOST, MOST_CODED, State};
use crate::input::Input;
use crate::small;
use anther::any::{AnyFile, Verified};
use anther::{
    AnyFilter, Classic, Compressed, Filter, Inspect, KeyHash, Kind, LoadError, Open, Remove, Save,
    Seed, Shape,
};

/// The file, and a byte that says how it is sealed and what is done with it.
pub fn run(data: &[u8]) {
    let Some((mode, bytes)) = data.split_last() else { return };
    if *mode >= 0xF0 {
        return coded_row(Input(bytes));
    }
    let state = if mode & 1 == 1 { State::Open } else { State::Closed };
    let file = match mode & 2 {
        0 => forged::container(bytes, state, MOST),
        _ => Some(bytes.to_vec()),
    };
    let Some(file) = file else { return };
    let open = Open::new().without_hashing();
    let opened = open.bytes::<AnyFile>(&file);
    if mode & 8 != 0 {
        let read: Result<AnyFile, LoadError> = open.reader(&file[..]);
        assert_eq!(opened.is_ok(), read.is_ok(), "{opened:?} {read:?}");
        let is_sound = open.bytes::<Verified>(&file).is_ok();
        assert!(opened.is_ok() == is_sound || matches!(opened, Err(LoadError::Iblt)));
    }
    match opened {
        Ok(AnyFile::Filter(filter)) => is_harmless(filter, mode & 4 != 0),
        Ok(AnyFile::Range(range)) => {
            assert!((0.0..=1.0).contains(&range.fpr(100)));
            assert!(range.profile().bits < 64 * file.len() as u64 + 4096);
            assert!(range.codes().take(5000).is_sorted());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A row of more than 2¹⁶ bits, coded and decoded, and then its file with some bytes changed. The
/// input says which bits are 1: of all codes that it could have as bytes, hardly one is accepted.
fn coded_row(mut input: Input) {
    const LEAST: u64 = 1 << 16;
    let number = |input: &mut Input, len: usize| {
        input.take(len).iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let bits = LEAST + 1 + number(&mut input, 3) % (MOST_CODED - LEAST);
    let classic = Classic::with_shape(Shape::bits(bits).probes(2), Seed::FIXED).expect("a size");
    let mut plain = Save::new().bytes(&classic).expect("memory");
    let row = usize::from(u16::from_le_bytes([plain[12], plain[13]]));
    let mut flip = |bit: u64| plain[row + (bit / 8) as usize] ^= 1 << (bit % 8);
    let flags = input.byte();
    for _ in 0..flags % 4 {
        let (start, stride) = (number(&mut input, 3), number(&mut input, 2));
        let count = number(&mut input, 2) % (1 << 14);
        (0..count).for_each(|step| flip((start + step * (stride + 1)) % bits));
    }
    if flags & 4 != 0 {
        (0..bits).for_each(flip);
    }
    let most = MOST_CODED as usize / 8;
    let plain = forged::container(&plain, State::Closed, most).expect("what was saved");
    let open = Open::new().without_hashing();
    let filter = Compressed::from(open.bytes::<Classic>(&plain).expect("plain words"));
    let mut file = Save::new().bytes(&filter).expect("memory");
    assert!(file.len() <= plain.len() + 64, "{} bytes for {}", file.len(), plain.len());
    assert_eq!(open.bytes::<Compressed>(&file).expect("what was saved"), filter);
    if input.is_empty() {
        return;
    }
    for _ in 0..4 {
        let at = number(&mut input, 2) as usize % file.len();
        file[at] ^= input.byte();
    }
    let Some(forged) = forged::container(&file, State::Closed, most) else { return };
    if let Ok(filter) = open.bytes::<AnyFilter>(&forged) {
        small::reopened(&filter);
    }
}

/// What a forged file that is accepted must still do.
fn is_harmless(mut filter: AnyFilter, with_profile: bool) {
    let keys = [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89AB_CDEF].map(KeyHash);
    let mut found = [false; 5];
    filter.contains_hashes(&keys, &mut found);
    assert_eq!(found, keys.map(|key| filter.contains_hash(key)), "{}", filter.kind());
    if with_profile {
        let profile = filter.profile();
        assert!((0.0..=1.0).contains(&profile.fpr_now), "{profile:?}");
        assert!((0.0..=1.0).contains(&profile.fill), "{profile:?}");
        assert!(profile.items.is_none_or(|items| items.items.is_finite()), "{profile:?}");
        assert!(filter.densities(7).iter().all(|share| (0.0..=1.0).contains(share)));
        filter.touches(keys[4]);
    }
    small::reopened(&filter);
    // The next layer of a scalable filter may be of any size.
    if let AnyFilter::Scalable(scalable) = &mut filter
        && scalable.next_layer_bits().is_ok_and(|bits| bits > 1 << 20)
    {
        return;
    }
    let can = filter.kind().capabilities();
    for key in &keys[..3] {
        let Some(insert) = filter.as_insert() else { break };
        let taken = insert.insert_hash(*key);
        assert!(taken.is_ok() || can.fills_up || can.grow, "{taken:?}");
        assert!(filter.contains_hash(*key) || taken.is_err(), "{}", filter.kind());
        let count = filter.as_count().map(|counts| counts.count_hash(*key));
        assert!(taken.is_err() || count != Some(0), "{}", filter.kind());
    }
    filter.as_remove().map(|filter: &mut dyn Remove| filter.remove_hash(keys[0]));
    let _ = filter.get_hash(keys[1]);
    let again = small::reopened(&filter);
    if matches!(filter.kind(), Kind::Classic | Kind::Blocked | Kind::Split | Kind::Compressed) {
        filter.merge(&again).expect("itself");
        assert!(filter.contains_hash(keys[0]));
    }
}
