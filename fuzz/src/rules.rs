//! What a key is: rules applied to any text, beside the standard library where it has the same.

use crate::input::Input;
use anther::recipe::{Given, KeyForm, KeyRule, RuledKey};
use anther::{Key, KeyError, Seed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A form, its options, and a text.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let form = input.one(&KeyForm::ALL);
    let options = input.byte();
    let (trim, ignore_case) = (options & 1 != 0, options & 2 != 0);
    let rule = KeyRule { form, trim, ignore_case, parts: 1 };
    let number = i128::from(input.word().cast_signed()) << (options >> 2);
    let text = input.0;
    for given in [Given::Text(text), Given::Bytes(text), Given::Integer(number)] {
        let order = rule.order(given);
        let bound = rule.order_of_bound(given);
        assert!(order.is_err() || bound.is_ok_and(|(first, last)| first <= last));
        let mut made = Vec::new();
        let Ok(key) = rule.apply(given, &mut made) else { continue };
        let hash = key.key_hash(&Seed::FIXED);
        assert_eq!(
            rule.key(&[given], &mut Vec::new()).map(|it| it.key_hash(&Seed::FIXED)),
            Ok(hash)
        );
        let two = KeyRule { parts: 2, ..rule };
        let is_network = matches!(key, RuledKey::Bytes(bytes) if bytes.len() == 17);
        let pair = two.key(&[given, given], &mut Vec::new()).map(|_| ());
        match form == KeyForm::Ip && is_network {
            true => assert_eq!(pair, Err(KeyError::TupleNetwork)),
            false => assert_eq!(pair, Ok(())),
        }
        if let Given::Text(_) = given {
            is_right(&rule, text, key);
        }
    }
}

fn is_right(rule: &KeyRule, text: &[u8], key: RuledKey<'_>) {
    let trimmed = if rule.trim { text.trim_ascii() } else { text };
    let text = str::from_utf8(trimmed).ok();
    match (rule.form, key) {
        // A key in its normal form is its own.
        (
            KeyForm::Text | KeyForm::Domain | KeyForm::Email | KeyForm::Url,
            RuledKey::Bytes(bytes),
        ) => {
            let again = rule.apply(Given::Text(bytes), &mut Vec::new()).map(|it| it == key);
            assert_eq!(again, Ok(true), "{:?}: {:?}", rule, bytes.escape_ascii().to_string());
        }
        (KeyForm::Int, key) => {
            let number: i128 = text.and_then(|text| text.parse().ok()).expect("a number");
            let again = rule.apply(Given::Integer(number), &mut Vec::new()).map(|it| it == key);
            assert_eq!(again, Ok(true));
        }
        (KeyForm::Double, RuledKey::Bytes(bytes)) => {
            let number: f64 = text.and_then(|text| text.parse().ok()).expect("a number");
            assert!(number.is_nan() || number.to_le_bytes() == *bytes, "{number}");
        }
        (KeyForm::Float, RuledKey::Bytes(bytes)) => {
            let number: f32 = text.and_then(|text| text.parse().ok()).expect("a number");
            assert!(number.is_nan() || number.to_le_bytes() == *bytes, "{number}");
        }
        (KeyForm::Hex, RuledKey::Bytes(bytes)) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(digits.as_bytes().eq_ignore_ascii_case(trimmed));
        }
        (KeyForm::Utf16, RuledKey::Bytes(bytes)) => {
            let units = bytes.chunks(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            let decoded: String = char::decode_utf16(units).map(|it| it.expect("UTF-16")).collect();
            assert!(decoded.eq_ignore_ascii_case(text.expect("UTF-8")));
        }
        (KeyForm::Uuid, RuledKey::Bytes(bytes)) => assert_eq!(bytes.len(), 16),
        (KeyForm::Ip, RuledKey::Integer(address)) => {
            let address = Ipv4Addr::from(u32::try_from(address).expect("32 bits"));
            let text = text.expect("an address");
            let text = text.strip_suffix("/32").or(text.strip_suffix("/128")).unwrap_or(text);
            assert_eq!(text.parse::<IpAddr>().map(|it| it.to_canonical()), Ok(address.into()));
        }
        (KeyForm::Ip, RuledKey::Bytes(bytes)) => {
            let (address, len) = bytes.split_at(16);
            let address = Ipv6Addr::from(<[u8; 16]>::try_from(address).expect("16 bytes"));
            let spelled = match len {
                [] => address.to_string(),
                len => format!("{address}/{}", len[0]),
            };
            let again =
                rule.apply(Given::Text(spelled.as_bytes()), &mut Vec::new()).map(|it| it == key);
            assert_eq!(again, Ok(true), "{spelled}");
        }
        _ => {}
    }
}
