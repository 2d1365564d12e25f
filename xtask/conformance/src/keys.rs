//! The keys of the vectors: every type that FORMAT.md hashes.

use anther::{Key, KeyHash, Seed, TupleKey};

/// A key as `vectors.json` writes it.
pub enum VectorKey {
    /// Printable ASCII without `"` and `\`, so that no reader has to undo escapes.
    Text(String),
    Bytes(Vec<u8>),
    /// This many bytes, 0, 1, … 250, 0, 1, …: long keys in few characters.
    Ramp(usize),
    /// From −2⁶³ to 2⁶⁴−1: hashed as a 64-bit word.
    Integer(i128),
    /// Hashed as its 16 bytes.
    Integer128(i128),
    Tuple(Vec<VectorKey>),
}

use VectorKey::{Bytes, Integer, Integer128, Ramp, Text, Tuple};

pub fn text(text: impl Into<String>) -> VectorKey {
    Text(text.into())
}

/// A set of keys that files are made of, by its name in `vectors.json`.
pub type KeySet = (&'static str, Vec<VectorKey>);

/// The sets; every file without a recipe holds all of them.
pub fn sets() -> Vec<KeySet> {
    let mut texts: Vec<_> = ["", "a", "abc", "Anther", " trailing blank "].map(text).into();
    texts.extend((0..30).map(|i| text(format!("https://example.org/{i}"))));
    let bytes = vec![
        Bytes("\u{c4}pfel".into()),
        Bytes(vec![0]),
        Bytes(vec![0x80]),
        Bytes(vec![0xFF, 0x00, 0xFE, 0x0A, 0x22]),
        Bytes(vec![0xFF; 17]),
        Ramp(129),
        Ramp(241),
        Ramp(1025),
    ];
    let mut integers: Vec<_> = (0..30).map(|i| Integer(i * i)).collect();
    integers.extend([-1, -5, -(1 << 63), 1 << 63, (1 << 32) - 1].map(Integer));
    integers.extend([1 << 64, -(1 << 63) - 1, i128::MAX, i128::MIN, 77].map(Integer128));
    let mut tuples: Vec<_> = (0..15).map(|i| Tuple(vec![text("pair"), Integer(i)])).collect();
    tuples.push(Tuple(vec![text("ab"), text("c")]));
    tuples.push(Tuple(vec![text("a"), text("bc")]));
    vec![("texts", texts), ("bytes", bytes), ("integers", integers), ("tuples", tuples)]
}

/// Every branch of the hashes: lengths at which XXH3 changes its way, words at the ends of their
/// range, frames within frames.
pub fn hashed() -> Vec<VectorKey> {
    let mut keys: Vec<_> =
        sets().into_iter().flat_map(|(_, keys)| keys.into_iter().take(12)).collect();
    let lengths =
        [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 130, 144, 160];
    keys.extend(lengths.map(Ramp));
    let long = [
        239, 240, 241, 255, 256, 257, 320, 511, 512, 513, 1023, 1024, 1025, 1088, 2048, 2049, 5000,
    ];
    keys.extend(long.map(Ramp));
    let integers = [-1, -5, i64::MIN.into(), i64::MAX.into(), u64::MAX.into(), 1 << 32];
    keys.extend(integers.map(Integer));
    keys.extend([0, 5, -1, 1 << 64, i128::MIN, i128::MAX].map(Integer128));
    let pair = || Tuple(vec![text("a"), Integer(-1)]);
    keys.push(Tuple(vec![Integer(1), Integer(2), Integer(3)]));
    keys.push(Tuple(vec![Bytes(vec![0xC4, 0x80]), Integer128(1 << 70), text("")]));
    keys.push(Tuple(vec![pair(), text("b")]));
    keys
}

/// The name of the set of very many keys.
pub const MANY: &str = "many";

/// `count` different keys of all types, with lengths that take every path through the hashes.
pub fn many(count: usize) -> Vec<VectorKey> {
    (0..count as u64).map(of_many).collect()
}

fn of_many(number: u64) -> VectorKey {
    let random = |at: u64| KeyHash(number).again(at).0;
    let [low, high, ..] = random(0).to_le_bytes();
    let length = |below: usize| usize::from(u16::from_le_bytes([low, high])) % below;
    let wide = || i128::from(random(1)) << 64 | i128::from(random(2));
    // A number before, so that short ones differ, too.
    let bytes = |below: usize| {
        let random = (1..).flat_map(|at| random(at).to_le_bytes()).take(length(below));
        Bytes(number.to_le_bytes().into_iter().take(4).chain(random).collect())
    };
    let long_text = |below: usize| text(format!("{number}{}", "~".repeat(length(below))));
    match number % 8 {
        0 => text(format!("https://example.org/{number}")),
        1 => bytes(40),
        2 => bytes(300),
        3 => long_text(140),
        4 => Integer(i128::from(random(1).cast_signed())),
        5 => Integer(number.into()),
        6 => Integer128(wide()),
        _ => Tuple(vec![text("pair"), Integer(number.into()), bytes(30), Integer128(wide())]),
    }
}

/// The key `PREFIX` and a number.
pub fn numbered(prefix: &str, number: usize) -> String {
    format!("{prefix} {number}")
}

pub fn hashes(keys: &[VectorKey], seed: &Seed) -> Vec<KeyHash> {
    keys.iter().map(|key| key.key_hash(seed)).collect()
}

impl Key for VectorKey {
    fn key_hash(&self, seed: &Seed) -> KeyHash {
        match self {
            Text(text) => text.key_hash(seed),
            Bytes(bytes) => bytes.key_hash(seed),
            Ramp(len) => ramp(*len).key_hash(seed),
            Integer(x) => word(*x).key_hash(seed),
            Integer128(x) => x.key_hash(seed),
            Tuple(parts) => tuple(parts).key_hash(seed),
        }
    }

    fn frame(&self, out: &mut Vec<u8>) {
        match self {
            Text(text) => text.frame(out),
            Bytes(bytes) => bytes.frame(out),
            Ramp(len) => ramp(*len).frame(out),
            Integer(x) => word(*x).frame(out),
            Integer128(x) => x.frame(out),
            Tuple(parts) => tuple(parts).frame(out),
        }
    }
}

impl VectorKey {
    pub fn to_json(&self) -> String {
        match self {
            Text(text) => format!(r#"{{"text":"{text}"}}"#),
            Bytes(bytes) => format!(r#"{{"bytes":"{}"}}"#, hex(bytes)),
            Ramp(len) => format!(r#"{{"ramp":{len}}}"#),
            Integer(x) => format!(r#"{{"integer":"{x}"}}"#),
            Integer128(x) => format!(r#"{{"integer128":"{x}"}}"#),
            Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(VectorKey::to_json).collect();
                format!(r#"{{"tuple":[{}]}}"#, parts.join(","))
            }
        }
    }
}

fn ramp(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sign-extended or zero-extended, as FORMAT.md has it"
)]
fn word(x: i128) -> u64 {
    x as u64
}

fn tuple(parts: &[VectorKey]) -> TupleKey {
    let mut key = TupleKey::new();
    for part in parts {
        key.push(part);
    }
    key
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
