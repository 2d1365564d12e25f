use super::*;
use crate::parts::hash::mix;
use std::net::{Ipv4Addr, Ipv6Addr};

fn rule(form: KeyForm) -> KeyRule {
    KeyRule { form, ..KeyRule::default() }
}

fn key(rule: KeyRule, text: &str) -> Result<String, KeyError> {
    let mut made = Vec::new();
    match rule.apply(Given::Text(text.as_bytes()), &mut made)? {
        RuledKey::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        RuledKey::Integer(word) => Ok(word.to_string()),
        RuledKey::Tuple(_) => unreachable!("one part"),
    }
}

#[test]
fn spellings_of_one_key() {
    let folded = KeyRule { trim: true, ignore_case: true, ..KeyRule::default() };
    assert_eq!(key(folded, "  AbCÄ \t").unwrap(), "abcÄ");
    assert_eq!(key(rule(KeyForm::Text), " A ").unwrap(), " A ");
    assert_eq!(key(rule(KeyForm::Hex), "6162").unwrap(), "ab");
    for bad in ["0", "0g", " 00", "+1"] {
        assert_eq!(key(rule(KeyForm::Hex), bad), Err(KeyError::Hex), "{bad:?}");
    }
    for (text, word) in [("42", 42), ("0042", 42), ("+42", 42), ("-0", 0), ("-1", u64::MAX)] {
        assert_eq!(key(rule(KeyForm::Int), text).unwrap(), word.to_string(), "{text}");
    }
    for bad in ["", " 1", "1.0", "1e3", "0x1", "+", "1_000"] {
        assert_eq!(key(rule(KeyForm::Int), bad), Err(KeyError::Int), "{bad:?}");
    }
    assert_eq!(key(rule(KeyForm::Int), &"9".repeat(40)), Err(KeyError::WideInt));
    for (text, name) in
        [("Example.ORG.", "example.org"), ("a_b.x-1", "a_b.x-1"), ("1.2.3.4", "1.2.3.4")]
    {
        assert_eq!(key(rule(KeyForm::Domain), text).unwrap(), name);
    }
    for bad in ["", ".", "a..b", "a b", "a/b", &"x".repeat(64), "[::1]"] {
        assert_eq!(key(rule(KeyForm::Domain), bad), Err(KeyError::Domain), "{bad:?}");
    }
    assert_eq!(key(rule(KeyForm::Domain), "münchen.de"), Err(KeyError::Unicode));
    assert_eq!(key(rule(KeyForm::Email), "Bob+X@Example.org.").unwrap(), "bob+x@example.org");
    assert_eq!(key(rule(KeyForm::Email), "\"a@b\"@x.org").unwrap(), "\"a@b\"@x.org");
    for bad in [
        "bob",
        "@x.org",
        "bob@",
        "Bob <bob@x.org>",
        "bob @x.org",
        "bob@x..org",
        "mailto:bob@x.org",
        "a@x.org,b@x.org",
        "a@b@x.org",
        "\"@x.org",
    ] {
        assert_eq!(key(rule(KeyForm::Email), bad), Err(KeyError::Email), "{bad:?}");
    }
}

/// The examples of RFC 3986, sections 6.2.2 and 5.2.4, among them.
#[test]
fn urls_are_normalised() {
    for (text, normal) in [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("https://example.com:443?q", "https://example.com/?q"),
        ("http://example.com:/", "http://example.com/"),
        ("http://a/b/c/./../../g", "http://a/g"),
        ("http://a/mid/content=5/../6", "http://a/mid/6"),
        ("http://a/b/..", "http://a/"),
        ("http://a/../../b/.", "http://a/b/"),
        ("http://a//b/", "http://a//b/"),
        ("http://a/%7Euser/%c3%a4%2f", "http://a/~user/%C3%A4%2F"),
        ("http://a/ä?ö=%41#top", "http://a/%C3%A4?%C3%B6=A"),
        ("http://u:P@Host/", "http://u:P@host/"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("file:///etc/hosts", "file:///etc/hosts"),
        ("http://a/100%", "http://a/100%25"),
        ("http://a/%%34%31", "http://a/%2541"),
        ("http://a/{x}?q=\"|\"", "http://a/%7Bx%7D?q=%22%7C%22"),
        ("http://a:0080/", "http://a/"),
        ("http://a:08080", "http://a:8080/"),
        ("http://A.:80/", "http://a/"),
        ("gopher://a:70/", "gopher://a:70/"),
    ] {
        let once = key(rule(KeyForm::Url), text).unwrap();
        assert_eq!(once, normal, "{text}");
        assert_eq!(key(rule(KeyForm::Url), &once).unwrap(), normal, "again");
    }
    for bad in [
        "",
        "example.org/x",
        "http:",
        "http:///x",
        "//a/b",
        "http://a:x/",
        "1://a/",
        "http://a b/",
        "http://./",
        "http://a..b/",
        "http://a:65536/",
        "http://a:+80/",
        "http://a%41/",
        "http://[::1/",
        "http://[::1]x/",
        "http://u@/",
    ] {
        assert_eq!(key(rule(KeyForm::Url), bad), Err(KeyError::Url), "{bad:?}");
    }
}

#[test]
fn a_type_is_refused_or_the_same_key() {
    let seed = Seed::chosen(7);
    let int = rule(KeyForm::Int);
    assert_eq!(int.key_hash("42", &seed), Ok(42u64.key_hash(&seed)));
    assert_eq!(int.key_hash(-7i8, &seed), Ok((-7i64).key_hash(&seed)));
    assert_eq!(int.key_hash("-7", &seed), Ok((-7i64).key_hash(&seed)));
    let wide = "18446744073709551616";
    assert_eq!(int.key_hash(wide, &seed), Ok((1u128 << 64).key_hash(&seed)));
    assert!(matches!(int.key_hash(("1", "2"), &seed), Err(KeyError::Parts { got: 2, .. })));
    assert_eq!(
        KeyRule::default().key_hash(42u8, &seed),
        Err(KeyError::Type { form: "text", given: "an integer" })
    );
    assert_eq!(KeyRule::default().key_hash("42", &seed), Ok("42".key_hash(&seed)));

    let pair = KeyRule { parts: 2, ignore_case: true, ..KeyRule::default() };
    assert_eq!(pair.key_hash(("A", "bc"), &seed), Ok(("a", "bc").key_hash(&seed)));
    let hash = |given: &[Given<'_>]| pair.key(given, &mut Vec::new()).unwrap().key_hash(&seed);
    let given = [Given::Text(b"a"), Given::Text(b"BC")];
    assert_eq!(hash(&given), ("a", "bc").key_hash(&seed));
    assert_ne!(Ok(hash(&given)), pair.key_hash(("ab", "c"), &seed));
    assert_eq!(pair.key_hash("a", &seed), Err(KeyError::Parts { expected: 2, got: 1 }));
    assert!(pair.key_hash((("a", "b"), "c"), &seed).is_err(), "tuples do not nest");
    let hosts = KeyRule { parts: 2, ..rule(KeyForm::Ip) };
    let v6 = "2001:db8::".parse::<Ipv6Addr>().unwrap().octets();
    assert_eq!(
        hosts.key_hash(("0.0.0.9", "2001:db8::"), &seed),
        Ok((9u64, &v6[..]).key_hash(&seed))
    );
    assert_eq!(hosts.key_hash(("0.0.0.9", "10.0.0.0/8"), &seed), Err(KeyError::TupleNetwork));
    assert_eq!(
        int.apply(Given::Bytes(b"42"), &mut Vec::new()),
        Err(KeyError::Type { form: "int", given: "bytes" })
    );
    assert_eq!(
        rule(KeyForm::Hex).apply(Given::Bytes(b"zz"), &mut Vec::new()),
        Ok(RuledKey::Bytes(b"zz"))
    );
}

/// Pseudorandom numbers from a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        usize::try_from(mix(self.0) >> 33).unwrap() % end
    }

    /// Up to 30 of these, one after the other.
    fn pieces(&mut self, pieces: &[&[u8]]) -> Vec<u8> {
        let count = self.below(30);
        (0..count).flat_map(|_| pieces[self.below(pieces.len())].to_vec()).collect()
    }
}

fn every_rule() -> impl Iterator<Item = KeyRule> {
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    KeyForm::ALL.into_iter().flat_map(move |form| {
        flags.map(|(trim, ignore_case)| KeyRule { form, trim, ignore_case, parts: 1 })
    })
}

/// A text of an integer, a time in nanoseconds, or an address.
fn spelled(form: KeyForm, number: i128) -> Vec<u8> {
    match form {
        KeyForm::Time => {
            let sign = if number < 0 { "-" } else { "" };
            let (seconds, nanos) = (number.abs() / 1_000_000_000, number.abs() % 1_000_000_000);
            format!("{sign}{seconds}.{nanos:09}")
        }
        KeyForm::Ip => Ipv4Addr::from(u32::try_from(number).unwrap()).to_string(),
        _ => number.to_string(),
    }
    .into_bytes()
}

/// Random input, of bytes and of what means something to some form: no panic, and the key of a
/// key is that key. Returns how many were keys.
fn normal_forms_stay(rule: KeyRule, texts: impl Iterator<Item = Vec<u8>>) -> usize {
    let mut taken = 0;
    for text in texts {
        let (mut made, mut again) = (Vec::new(), Vec::new());
        let Ok(key) = rule.apply(Given::Text(&text), &mut made) else { continue };
        taken += 1;
        let once = match key {
            RuledKey::Bytes(bytes) if matches!(rule.form, KeyForm::Int | KeyForm::Time) => {
                spelled(rule.form, i128::from_le_bytes(bytes.try_into().unwrap()))
            }
            RuledKey::Bytes(bytes) if rule.form == KeyForm::Ip => {
                let (address, len) = bytes.split_at(16);
                let address = Ipv6Addr::from(<[u8; 16]>::try_from(address).unwrap());
                let len = len.first().map_or(String::new(), |len| format!("/{len}"));
                format!("{address}{len}").into_bytes()
            }
            RuledKey::Bytes(bytes) => bytes.to_vec(),
            RuledKey::Integer(word) => {
                // A time is signed; some after 2262 have the word of one before 1970.
                let word = match rule.order(Given::Text(&text)) {
                    Ok(order) => order,
                    Err(_) => word.into(),
                };
                spelled(rule.form, word)
            }
            RuledKey::Tuple(_) => unreachable!("one part"),
        };
        if rule.form == KeyForm::Utf16 {
            let units: Vec<_> =
                once.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            let text = String::from_utf16(&units).unwrap();
            assert_eq!(rule.apply(Given::Text(text.as_bytes()), &mut again), Ok(key), "{text:?}");
            continue;
        }
        if rule.form == KeyForm::Hex || rule.form.width().is_some() {
            let given = rule.apply(Given::Bytes(&once), &mut again);
            assert_eq!(given, Ok(RuledKey::Bytes(&once)), "bytes are what digits stand for");
            continue;
        }
        let twice = rule.apply(Given::Text(&once), &mut again);
        assert_eq!(twice, Ok(key), "{rule:?}: {:?}", String::from_utf8_lossy(&text));
    }
    taken
}

#[test]
fn the_key_of_a_key_is_that_key() {
    let bytes: Vec<_> = (0..=255).map(|byte| [byte]).collect();
    let bytes: Vec<_> = bytes.iter().map(|byte| &byte[..]).collect();
    let digits: [&[u8]; 9] = [b"0", b"1", b"9", b"7", b"+", b"-", b" ", b"a", b"F"];
    let names: [&[u8]; 14] = [
        b"a",
        b"B",
        b"example",
        b"ORG",
        b".",
        b".",
        b"-",
        b"_",
        b"@",
        b"\"",
        b" ",
        b"1",
        b"\xC3\xA4",
        b"+",
    ];
    let urls: [&[u8]; 32] = [
        b"a",
        b"Ex.ORG",
        b"/",
        b"/",
        b"/",
        b".",
        b"..",
        b"/../",
        b"/./",
        b"%2e",
        b"%2E",
        b"%2f",
        b"%",
        b"%4",
        b"%%34%31",
        b"%c3",
        b"%7e",
        b"@",
        b":",
        b":80",
        b":0443",
        b"[::1]",
        b"[",
        b"]",
        b"?",
        b"#",
        b"\xC3\xA4",
        b"{",
        b"\\",
        b"\"",
        b" ",
        b"~",
    ];
    let schemes: [&[u8]; 5] = [b"", b"http://", b"HTTPS://a", b"file://", b"x+1://u@h"];
    let mut random = Random(1);
    for rule in every_rule() {
        for pieces in [&bytes[..], &digits, &names] {
            let texts: Vec<_> = (0..2000).map(|_| random.pieces(pieces)).collect();
            normal_forms_stay(rule, texts.into_iter());
        }
        let mut text = || [schemes[random.below(5)], &random.pieces(&urls)].concat();
        let texts: Vec<_> = (0..5000).map(|_| text()).collect();
        let taken = normal_forms_stay(rule, texts.into_iter());
        assert!(taken > 500 || rule.form != KeyForm::Url, "{taken} are URLs");
    }
    // Few of the random ones are domains, addresses or long numbers.
    for (form, pieces) in [
        (KeyForm::Domain, &[&b"a"[..], b"B-1", b".", b"x_"][..]),
        (KeyForm::Email, &[&b"a"[..], b"B.c", b"@x.", b"\"", b"\xC3\xA4"]),
        (KeyForm::Int, &digits[..4]),
        (KeyForm::Hex, &[&b"0a"[..], b"FF", b"9"]),
        (KeyForm::Time, &[&b"1"[..], b"79", b"4", b".5", b"2026-11-17"]),
        (KeyForm::Ip, &[&b"192.0.2.7"[..], b"10.1.2.3", b"/", b"24", b"2001:db8::1", b"::ffff:"]),
        (KeyForm::Int32, &digits[..4]),
        (KeyForm::Int64, &digits[..4]),
        (KeyForm::Float, &[&b"1"[..], b"9", b".", b"e-", b"-"]),
        (KeyForm::Double, &[&b"1"[..], b"0", b".5", b"E", b"+"]),
        (KeyForm::Utf16, &[&b"a"[..], b"\xC3\xA4", b"\xF0\x9F\x94\x91"]),
        (
            KeyForm::Uuid,
            &[&b"123e4567-e89b-12d3-a456-426614174000"[..], b"0123abcDEF4567890123abcDEF456789"],
        ),
    ] {
        let texts: Vec<_> = (0..5000).map(|_| random.pieces(pieces)).collect();
        let taken = normal_forms_stay(rule(form), texts.into_iter());
        assert!(taken > 100, "{form:?}: {taken}");
    }
}

/// The same number as text, as any type that holds it, and alone or in a tuple.
#[test]
fn numbers_are_the_same_key_in_every_type() {
    let int = rule(KeyForm::Int);
    let pair = KeyRule { parts: 2, ..int };
    let mut random = Random(2);
    let mut numbers: Vec<i128> = (0..128)
        .flat_map(|bit| {
            let power = 1i128.checked_shl(bit).unwrap_or(0);
            [power, power.wrapping_sub(1), power.wrapping_neg(), (!power).wrapping_add(0)]
        })
        .collect();
    numbers.extend((0..500).map(|_| {
        let wide = (0..5).fold(0i128, |number, _| number << 31 | random.below(1 << 31) as i128);
        wide >> random.below(128)
    }));
    for seed in [Seed::FIXED, Seed::chosen(7), Seed::keyed([9; 16])] {
        for number in &numbers {
            let hash = int.key_hash(number, &seed).unwrap();
            let expected = match (u64::try_from(*number), i64::try_from(*number)) {
                (Ok(word), _) => word.key_hash(&seed),
                (_, Ok(word)) => word.key_hash(&seed),
                _ => number.key_hash(&seed),
            };
            assert_eq!(hash, expected, "{number}");
            let sign = if *number < 0 { "-" } else { "+" };
            let zeros = format!("{sign}00{}", number.unsigned_abs());
            for text in [number.to_string(), zeros] {
                assert_eq!(int.key_hash(&text, &seed), Ok(hash), "{text}");
                let given = [Given::Text(text.as_bytes()), Given::Integer(*number)];
                let mut made = Vec::new();
                let tuple = pair.key(&given, &mut made).unwrap().key_hash(&seed);
                if let Ok(word) = i64::try_from(*number) {
                    assert_eq!(tuple, (word, word).key_hash(&seed), "{number}");
                    assert_eq!(Ok(tuple), pair.key_hash((&text, word), &seed), "{number}");
                }
            }
            if let Ok(number) = u128::try_from(*number) {
                assert_eq!(int.key_hash(number, &seed), Ok(hash));
            }
            if let Ok(number) = i8::try_from(*number) {
                assert_eq!(int.key_hash(number, &seed), Ok(hash));
            }
        }
        // Sixteen bytes that are digits as text, and a number all the same.
        let digits = i128::from_le_bytes(*b"1234567890123456");
        assert_eq!(int.key_hash(digits, &seed), Ok(digits.key_hash(&seed)));
        assert!(int.key_hash(u128::MAX, &seed).is_err(), "beyond the range, and refused");
    }
    assert_eq!(key(int, &i128::MAX.to_string()).map(|key| key.is_empty()), Ok(false));
    assert_eq!(key(int, &u128::MAX.to_string()), Err(KeyError::WideInt));
}

/// A frame comes from an implementation of [`Key`], which may be anyone's.
#[test]
fn any_frame_is_parts_or_refused() {
    struct Framing(Vec<u8>);
    impl Key for Framing {
        fn key_hash(&self, seed: &Seed) -> KeyHash {
            seed.hash_frame(&self.0)
        }
        fn frame(&self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.0);
        }
    }
    let mut random = Random(3);
    let pieces: [&[u8]; 6] = [b"\0", b"\x01", b"\x02", b"\x03", b"\xFF", b"\x02\0\0\0\0\0\0\0"];
    for parts in 0..4 {
        let rule = KeyRule { parts, ..KeyRule::default() };
        for _ in 0..5000 {
            let _ = rule.key_hash(Framing(random.pieces(&pieces)), &Seed::FIXED);
        }
    }
}

/// The bytes of a key that is text.
fn bytes(form: KeyForm, text: &str) -> Result<Vec<u8>, KeyError> {
    let mut made = Vec::new();
    match rule(form).apply(Given::Text(text.as_bytes()), &mut made)? {
        RuledKey::Bytes(bytes) => Ok(bytes.to_vec()),
        other => panic!("{other:?} is not bytes"),
    }
}

#[test]
fn typed_integers_are_their_bytes_or_refused() {
    for (text, number) in [("0", 0), ("-1", -1), ("+042", 42), ("2147483647", i32::MAX)] {
        assert_eq!(bytes(KeyForm::Int32, text).unwrap(), number.to_le_bytes(), "{text}");
        let wide = i64::from(number).to_le_bytes();
        assert_eq!(bytes(KeyForm::Int64, text).unwrap(), wide, "{text}");
    }
    // Unsigned columns have the same bits.
    assert_eq!(bytes(KeyForm::Int32, "4294967295").unwrap(), [0xFF; 4]);
    assert_eq!(bytes(KeyForm::Int64, "18446744073709551615").unwrap(), [0xFF; 8]);
    let least = i64::MIN.to_string();
    assert_eq!(bytes(KeyForm::Int64, &least).unwrap(), i64::MIN.to_le_bytes());
    let nines = "9".repeat(40);
    for wide in ["4294967296", "-2147483649", &least, &nines] {
        assert_eq!(bytes(KeyForm::Int32, wide), Err(KeyError::Int32), "{wide}");
    }
    for wide in ["18446744073709551616", "-9223372036854775809", &nines] {
        assert_eq!(bytes(KeyForm::Int64, wide), Err(KeyError::Int64), "{wide}");
    }
    for bad in ["", "1.0", "1e3", "0x1", " 1", "inf"] {
        assert_eq!(bytes(KeyForm::Int32, bad), Err(KeyError::Int), "{bad:?}");
        assert_eq!(bytes(KeyForm::Int64, bad), Err(KeyError::Int), "{bad:?}");
    }
}

#[test]
fn typed_floats_are_their_bit_patterns() {
    let float =
        |text| bytes(KeyForm::Float, text).map(|it| u32::from_le_bytes(it.try_into().unwrap()));
    let double =
        |text| bytes(KeyForm::Double, text).map(|it| u64::from_le_bytes(it.try_into().unwrap()));
    for (text, narrow, wide) in [
        ("0", 0, 0),
        ("-0.0", 0x8000_0000, 0x8000_0000_0000_0000),
        ("1", 0x3F80_0000, 0x3FF0_0000_0000_0000),
        ("-1.e0", 0xBF80_0000, 0xBFF0_0000_0000_0000),
        (".1", 0x3DCC_CCCD, 0x3FB9_9999_9999_999A),
        // Halfway between two floats but for its last digit: rounded once, from the decimal.
        ("1.00000005960464477540", 0x3F80_0001, 0x3FF0_0000_1000_0000),
        ("16777217", 0x4B80_0000, 0x4170_0000_1000_0000),
        ("1e-400", 0, 0),
        ("Inf", 0x7F80_0000, 0x7FF0_0000_0000_0000),
        ("-infinity", 0xFF80_0000, 0xFFF0_0000_0000_0000),
        ("NaN", 0x7FC0_0000, 0x7FF8_0000_0000_0000),
        ("-nan", 0xFFC0_0000, 0xFFF8_0000_0000_0000),
    ] {
        assert_eq!(float(text), Ok(narrow), "{text}");
        assert_eq!(double(text), Ok(wide), "{text}");
    }
    assert_eq!(double("5e-324"), Ok(1));
    assert_eq!(double("1.7976931348623157e308"), Ok(f64::MAX.to_bits()));
    assert_eq!(float("3.5e38"), Err(KeyError::RealRange { form: "float" }));
    assert_eq!(double("-1e309"), Err(KeyError::RealRange { form: "double" }));
    for bad in ["", ".", "e5", "1e", "0x1p3", "1_0", " 1", "nan(7)", "1,5", "½"] {
        assert_eq!(float(bad), Err(KeyError::Real), "{bad:?}");
        assert_eq!(double(bad), Err(KeyError::Real), "{bad:?}");
    }
    assert_eq!(double(&"1".repeat(2000)), Err(KeyError::Real));
}

#[test]
fn utf16_and_uuids() {
    assert_eq!(bytes(KeyForm::Utf16, "aé🔑").unwrap(), b"a\0\xE9\0\x3D\xD8\x11\xDD");
    let folded = KeyRule { ignore_case: true, trim: true, ..rule(KeyForm::Utf16) };
    let mut made = Vec::new();
    assert_eq!(folded.apply(Given::Text(b" A "), &mut made), Ok(RuledKey::Bytes(b"a\0")));
    let mut made = Vec::new();
    let latin = rule(KeyForm::Utf16).apply(Given::Text(b"\xE9"), &mut made);
    assert_eq!(latin, Err(KeyError::Utf8));

    let written = "123e4567-e89b-12d3-A456-426614174000";
    let mut expected = 0x123e_4567_e89b_12d3_a456_4266_1417_4000_u128.to_le_bytes();
    expected.reverse();
    assert_eq!(bytes(KeyForm::Uuid, written).unwrap(), expected);
    assert_eq!(bytes(KeyForm::Uuid, &written.replace('-', "")).unwrap(), expected);
    for bad in ["", "123e4567", "123e4567e-89b-12d3-a456-426614174000", &"x".repeat(32)] {
        assert_eq!(bytes(KeyForm::Uuid, bad), Err(KeyError::Uuid), "{bad:?}");
    }
}

#[test]
fn typed_keys_that_were_given_as_integers_or_bytes() {
    let given = |form, number: i128| {
        let mut made = Vec::new();
        match rule(form).apply(Given::Integer(number), &mut made)? {
            RuledKey::Bytes(bytes) => Ok(bytes.to_vec()),
            other => panic!("{other:?} is not bytes"),
        }
    };
    for number in [0, 1, -7, 1 << 24, -(1 << 31)] {
        for form in [KeyForm::Int32, KeyForm::Int64, KeyForm::Float, KeyForm::Double] {
            assert_eq!(given(form, number), bytes(form, &number.to_string()), "{form:?} {number}");
        }
    }
    assert_eq!(given(KeyForm::Int32, 1 << 32), Err(KeyError::Int32));
    assert_eq!(given(KeyForm::Int64, 1 << 64), Err(KeyError::Int64));
    assert_eq!(given(KeyForm::Float, (1 << 24) + 1), Err(KeyError::Inexact { form: "float" }));
    assert_eq!(given(KeyForm::Double, i128::MAX), Err(KeyError::Inexact { form: "double" }));
    assert_eq!(given(KeyForm::Double, i128::MIN), Ok((-2f64).powi(127).to_le_bytes().to_vec()));
    assert!(matches!(given(KeyForm::Uuid, 7), Err(KeyError::Type { form: "uuid", .. })));

    let binary = |form, bytes: &'static [u8]| {
        rule(form).apply(Given::Bytes(bytes), &mut Vec::new()).map(|_| ())
    };
    assert_eq!(binary(KeyForm::Int32, b"1234"), Ok(()));
    let error = KeyError::Width { form: "int64", expected: 8, got: 4 };
    assert_eq!(binary(KeyForm::Int64, b"1234"), Err(error));
    assert!(matches!(binary(KeyForm::Utf16, b"1234"), Err(KeyError::Type { form: "utf16", .. })));
}
