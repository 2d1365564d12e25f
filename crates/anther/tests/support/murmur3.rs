//! MurmurHash3 by Austin Appleby, from its public description: a second sound hash, not the
//! library's, to show that the false-positive rate does not depend on it.

/// The variant of 32 bits for x86.
pub fn murmur3_32(key: &[u8], seed: u32) -> u32 {
    let scramble =
        |word: u32| word.wrapping_mul(0xCC9E_2D51).rotate_left(15).wrapping_mul(0x1B87_3593);
    let mut hash = seed;
    let mut blocks = key.chunks_exact(4);
    for block in &mut blocks {
        hash ^= scramble(u32::from_le_bytes(block.try_into().unwrap()));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64);
    }
    // No bytes left scramble to 0.
    let mut rest = [0; 4];
    rest[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
    hash ^= scramble(u32::from_le_bytes(rest));
    hash ^= key.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

/// The variant of 128 bits for x64: its low and its high half.
pub fn murmur3_128(key: &[u8], seed: u32) -> [u64; 2] {
    const FACTORS: [u64; 2] = [0x87C3_7B91_1142_53D5, 0x4CF5_AD43_2745_937F];
    let low = |word: u64| word.wrapping_mul(FACTORS[0]).rotate_left(31).wrapping_mul(FACTORS[1]);
    let high = |word: u64| word.wrapping_mul(FACTORS[1]).rotate_left(33).wrapping_mul(FACTORS[0]);
    let words = |block: &[u8]| {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
        [word(&block[..8]), word(&block[8..])]
    };
    let [mut one, mut two] = [u64::from(seed); 2];
    let mut blocks = key.chunks_exact(16);
    for block in &mut blocks {
        let [a, b] = words(block);
        one = (one ^ low(a)).rotate_left(27).wrapping_add(two);
        one = one.wrapping_mul(5).wrapping_add(0x52DC_E729);
        two = (two ^ high(b)).rotate_left(31).wrapping_add(one);
        two = two.wrapping_mul(5).wrapping_add(0x3849_5AB5);
    }
    let mut rest = [0; 16];
    rest[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
    let [a, b] = words(&rest);
    one ^= low(a) ^ key.len() as u64;
    two ^= high(b) ^ key.len() as u64;
    let add = |[one, two]: [u64; 2]| {
        let one = one.wrapping_add(two);
        [one, two.wrapping_add(one)]
    };
    add(add([one, two]).map(|mut half| {
        half = (half ^ half >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        half = (half ^ half >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        half ^ half >> 33
    }))
}
