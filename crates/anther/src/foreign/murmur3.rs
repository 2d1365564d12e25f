//! MurmurHash3 for x64 with 128 bits, as Guava and Cassandra have it.

/// Both halves of the hash. `byte` gives a byte of the tail its 64 bits: Cassandra extends its
/// sign, Guava does not.
pub(super) fn murmur3_128(key: &[u8], byte: impl Fn(u8) -> u64) -> [u64; 2] {
    const FACTORS: [u64; 2] = [0x87c3_7b91_1142_53d5, 0x4cf5_ad43_2745_937f];
    let first = |word: u64| word.wrapping_mul(FACTORS[0]).rotate_left(31).wrapping_mul(FACTORS[1]);
    let second = |word: u64| word.wrapping_mul(FACTORS[1]).rotate_left(33).wrapping_mul(FACTORS[0]);
    let [mut low, mut high] = [0_u64; 2];
    let (blocks, tail) = key.as_chunks::<16>();
    for block in blocks {
        let block = u128::from_le_bytes(*block);
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let words = [block as u64, (block >> 64) as u64];
        low = (low ^ first(words[0])).rotate_left(27).wrapping_add(high);
        low = low.wrapping_mul(5).wrapping_add(0x52dc_e729);
        high = (high ^ second(words[1])).rotate_left(31).wrapping_add(low);
        high = high.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    // A byte with a sign reaches beyond its place, so they are xored and not joined.
    let word = |bytes: &[u8]| {
        let shifted = bytes.iter().zip((0..).step_by(8)).map(|(tail, shift)| byte(*tail) << shift);
        shifted.fold(0, |word, bits| word ^ bits)
    };
    let (front, back) = tail.split_at(tail.len().min(8));
    high ^= second(word(back));
    low ^= first(word(front));
    let len = key.len() as u64;
    (low, high) = (low ^ len, high ^ len);
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    (low, high) = (finish(low), finish(high));
    low = low.wrapping_add(high);
    [low, high.wrapping_add(low)]
}

fn finish(mut word: u64) -> u64 {
    word = (word ^ word >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word = (word ^ word >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ word >> 33
}
