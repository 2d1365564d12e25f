//! Every truncation, every flipped bit, a byte too many.

use super::*;
use anther::ForeignError;

/// Loads a dump in chunks from a header that may be damaged, with cells that are all 0 or all 1.
fn load_any(cuckoo: bool, header: &[u8], cell: u8) -> Result<Object, ForeignError> {
    let fill = |bytes: u64| vec![cell; bytes as usize];
    if cuckoo {
        let mut loading = Cuckoo::from_header(header, LIMIT)?;
        let filter = loading.clone();
        let mut end = 1;
        while !loading.is_complete() {
            // A layer after the other; the first is the smallest.
            let buckets = u64::from_le_bytes(*header[8..].first_chunk().unwrap());
            let size = u16::from_le_bytes(*header[32..].first_chunk().unwrap());
            let data = fill((buckets * u64::from(size)).min(filter.bytes()));
            end += data.len() as i64;
            loading.load_chunk(end, &data).unwrap();
        }
        Ok(Object::Cuckoo(loading.finish()?))
    } else {
        let mut loading = Bloom::from_header(header, LIMIT)?;
        let mut end = 1;
        for layer in header[20..].chunks(53) {
            let data = fill(u64::from_le_bytes(*layer.first_chunk().unwrap()));
            end += data.len() as i64;
            loading.load_chunk(end, &data).unwrap();
        }
        Ok(Object::Bloom(loading.finish()?))
    }
}

#[test]
fn headers_of_any_other_length_are_refused() {
    for case in cases("redis") {
        let header = &case.scandump()[0].1;
        for len in 0..header.len() {
            let refused = load_any(case.is_cuckoo(), &header[..len], 0);
            assert_eq!(refused, Err(ForeignError::Truncated), "{} of {len}", case.name);
        }
        let longer = [&header[..], &[0]].concat();
        assert_eq!(load_any(case.is_cuckoo(), &longer, 0), Err(ForeignError::Trailing));
        exercise(load_any(case.is_cuckoo(), header, 0).unwrap());
        exercise(load_any(case.is_cuckoo(), header, 0xff).unwrap());
    }
}

#[test]
fn a_flipped_bit_in_a_header_is_refused_or_harmless() {
    let (mut refused, mut loaded) = (0, 0);
    for case in cases("redis") {
        let header = &case.scandump()[0].1;
        for bit in 0..8 * header.len() {
            let mut changed = header.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            match load_any(case.is_cuckoo(), &changed, 0x55) {
                Ok(object) => {
                    loaded += 1;
                    exercise(object);
                }
                Err(_) => refused += 1,
            }
        }
    }
    // Neither all nor nothing: digits of a rate and unused counts are harmless.
    assert!(refused > loaded && loaded > 100, "{refused} refused, {loaded} loaded");
}

#[test]
fn truncated_and_longer_dumps_are_refused() {
    for case in cases("redis") {
        let dump = case.dump();
        let end = dump.len() - 10;
        for len in (0..dump.len()).step_by(1 + dump.len() / 500) {
            assert!(read_dump(&dump[..len], LIMIT).is_err());
            if len < end {
                // Truncated in the middle, with a footer that fits.
                let short = with_checksum([&dump[..len], &dump[end..]].concat());
                assert!(read_dump(&short, LIMIT).is_err(), "{} of {len}", case.name);
            }
        }
        let longer = with_checksum([&dump[..end], &[0], &dump[end..]].concat());
        assert_eq!(read_dump(&longer, LIMIT), Err(ForeignError::Trailing));
        // A CRC does not see zeros at the end; the fields do.
        for byte in [0, 1] {
            assert!(read_dump(&[&dump[..], &[byte]].concat(), LIMIT).is_err());
        }
    }
}

#[test]
fn a_flipped_bit_in_a_dump_is_found_by_its_checksum() {
    let dump = case("rb26_cf_100").dump();
    for bit in 0..8 * dump.len() {
        let mut changed = dump.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let refused = read_dump(&changed, LIMIT);
        assert!(matches!(refused, Err(ForeignError::Checksum { .. })), "bit {bit}");
    }
}

#[test]
fn a_flipped_bit_under_a_new_checksum_is_refused_or_harmless() {
    for name in ["rb26_bf_100", "rb26_cf_100", "rb26_cf_bucket1_100", "rbmaster_bf_default_1000"] {
        let dump = case(name).dump();
        let (mut refused, mut loaded) = (0, 0);
        for bit in 0..8 * (dump.len() - 10) {
            let mut changed = dump.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            match read_dump(&with_checksum(changed), LIMIT) {
                Ok(object) => {
                    loaded += 1;
                    exercise(object);
                }
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 100 && loaded > 100, "{name}: {refused} refused, {loaded} loaded");
    }
}
