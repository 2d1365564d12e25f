//! IP addresses and networks. An IPv4 address and the IPv6 address that it is mapped to are one
//! key: `192.0.2.7` and `::ffff:192.0.2.7`.

use super::rule::RuledKey;
use crate::error::KeyError;
use std::net::{IpAddr, Ipv6Addr};
use std::ops::RangeInclusive;

/// The first of the addresses that IPv4 is mapped to, `::ffff:0:0`, and how many bits come before
/// an IPv4 address.
const MAPPED: u128 = 0xFFFF << 32;
const BEFORE_V4: u8 = 96;

/// The lengths of prefixes of IPv6, 1 to 80, at which a network around IPv4 has no address of it: lists
/// of unused networks have `::/8`, and do not mean all of IPv4. `::/0` is everything, and
/// `::ffff:0:0/90` is about IPv4.
const WITHOUT_V4: u128 = (1 << 81) - 2;

/// The bits of an address.
const BITS: u8 = 128;

/// All addresses with the same first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The first address. All bits behind the prefix are 0.
    first: u128,
    /// How many bits they share: 128 for a single address.
    len: u8,
}

impl Prefix {
    fn new(address: u128, len: u8) -> Prefix {
        Prefix { first: address & !hosts(len), len }
    }

    /// An address such as `192.0.2.7` or `2001:db8::1`, or a network such as `192.0.2.0/24`, whose
    /// other bits are dropped. Leading zeros are refused, since some programs read them as octal.
    pub(super) fn parse(text: &[u8]) -> Result<Prefix, KeyError> {
        let text = str::from_utf8(text).map_err(|_| KeyError::Ip { has_more: false })?;
        let wrong = || refusal(text);
        let (address, len) = match text.split_once('/') {
            Some((address, len)) => (address, Some(len)),
            None => (text, None),
        };
        let (address, least) = match address.parse().map_err(|_| wrong())? {
            IpAddr::V4(address) => (MAPPED | u128::from(u32::from(address)), BEFORE_V4),
            IpAddr::V6(address) => (u128::from(address), 0),
        };
        let len = match len.map(str::as_bytes) {
            None => BITS,
            Some(b"0") => least,
            Some([b'1'..=b'9', rest @ ..]) if rest.iter().all(u8::is_ascii_digit) => {
                let len = len.and_then(|len| len.parse::<u8>().ok());
                let len = len.and_then(|len| len.checked_add(least)).filter(|len| *len <= BITS);
                len.ok_or_else(wrong)?
            }
            Some(_) => return Err(wrong()),
        };
        Ok(Prefix::new(address, len))
    }

    /// Its key: the integer of an IPv4 address, the 16 bytes of an IPv6 address, and for a network
    /// the 16 bytes of its first address and the length of its prefix.
    pub(super) fn key(self, made: &mut Vec<u8>) -> RuledKey<'_> {
        made.clear();
        if self.len == BITS && self.is_v4() {
            // The lower half of the address, without ffff before it.
            #[expect(clippy::cast_possible_truncation, reason = "32 bits")]
            return RuledKey::Integer((self.first - MAPPED) as u64);
        }
        made.extend(Ipv6Addr::from(self.first).octets());
        if self.len < BITS {
            made.push(self.len);
        }
        RuledKey::Bytes(made)
    }

    /// Of a key.
    fn of(key: RuledKey<'_>) -> Option<Prefix> {
        match key {
            RuledKey::Integer(v4) => Some(Prefix { first: MAPPED | u128::from(v4), len: BITS }),
            RuledKey::Bytes(bytes) => {
                let (address, len) = bytes.split_first_chunk::<16>()?;
                let len = len.first().copied().unwrap_or(BITS);
                Some(Prefix { first: Ipv6Addr::from(*address).into(), len })
            }
            RuledKey::Tuple(_) => None,
        }
    }

    /// Whether it is one address.
    pub(super) fn is_address(self) -> bool {
        self.len == BITS
    }

    /// Whether it is within IPv4. A network of IPv6 around IPv4, such as `::/0`, is not.
    fn is_v4(self) -> bool {
        self.len >= BEFORE_V4 && self.first & !hosts(BEFORE_V4) == MAPPED
    }

    /// The IPv4 addresses that it has, as integers in their order.
    pub(super) fn v4(self) -> Result<RangeInclusive<i128>, KeyError> {
        if !self.is_v4() {
            return Err(KeyError::WideIp);
        }
        let number = |address: u128| i128::try_from(address - MAPPED).unwrap_or_default();
        Ok(number(self.first)..=number(self.first | hosts(self.len)))
    }
}

/// The length of the prefix of a key that is a network, and not an address.
pub(super) fn level(key: RuledKey<'_>) -> Option<u8> {
    Prefix::of(key).map(|prefix| prefix.len).filter(|len| *len < BITS)
}

/// The networks that a key is in, of these lengths of prefixes, the smallest first.
pub(super) fn each_above(key: RuledKey<'_>, levels: u128, mut each: impl FnMut(u8, RuledKey<'_>)) {
    let Some(prefix) = Prefix::of(key) else { return };
    let below = |len: u8| !u128::MAX.checked_shl(len.into()).unwrap_or(0);
    let without = if prefix.is_v4() { WITHOUT_V4 } else { 0 };
    let (mut left, mut made) = (levels & below(prefix.len) & !without, Vec::new());
    while let Some(level) = left.checked_ilog2() {
        left ^= 1 << level;
        let level = u8::try_from(level).unwrap_or(BITS);
        each(level, Prefix::new(prefix.first, level).key(&mut made));
    }
}

/// The bits of an address behind a prefix of this length.
fn hosts(len: u8) -> u128 {
    u128::MAX.checked_shr(len.into()).unwrap_or(0)
}

/// Why a text is neither an address nor a network.
fn refusal(text: &str) -> KeyError {
    let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
    let ends = text.split_once('-').map(|(first, last)| [first, last].map(str::trim));
    if ends.is_some_and(|ends| ends.into_iter().all(is_address)) {
        return KeyError::IpRange;
    }
    let in_brackets = text.strip_prefix('[').and_then(|rest| rest.split(']').next());
    let before_port = text.rsplit_once(':').map(|(address, _)| address);
    let before_zone = text.split_once('%').map(|(address, _)| address);
    let inner = [in_brackets, before_port.filter(|it| it.contains('.')), before_zone];
    KeyError::Ip { has_more: inner.into_iter().flatten().any(is_address) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Result<Vec<u8>, KeyError> {
        let mut made = Vec::new();
        Ok(match Prefix::parse(text.as_bytes())?.key(&mut made) {
            RuledKey::Integer(word) => word.to_string().into_bytes(),
            RuledKey::Bytes(bytes) => bytes.to_vec(),
            RuledKey::Tuple(_) => unreachable!("one part"),
        })
    }

    fn range(text: &str) -> Result<(i128, i128), KeyError> {
        Prefix::parse(text.as_bytes())?.v4().map(RangeInclusive::into_inner)
    }

    #[test]
    fn spellings_of_an_address() {
        for (text, number) in [
            ("0.0.0.0", "0"),
            ("192.0.2.7", "3221225991"),
            ("192.0.2.7/32", "3221225991"),
            ("::ffff:192.0.2.7", "3221225991"),
            ("::FFFF:c000:207", "3221225991"),
            ("::ffff:192.0.2.7/128", "3221225991"),
            ("255.255.255.255", "4294967295"),
        ] {
            assert_eq!(key(text).unwrap(), number.as_bytes(), "{text}");
        }
        let wide = key("2001:db8::1").unwrap();
        assert_eq!(wide, *b"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01");
        for same in ["2001:DB8:0::0001", "2001:db8:0:0:0:0:0.0.0.1", "2001:db8::1/128"] {
            assert_eq!(key(same).unwrap(), wide, "{same}");
        }
        for text in ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", ":::", "a"] {
            assert_eq!(key(text), Err(KeyError::Ip { has_more: false }), "{text}");
        }
        for text in ["1.2.3.4:80", "[::1]", "[::1]:443", "[2001:db8::1]:x", "fe80::1%eth0"] {
            assert_eq!(key(text), Err(KeyError::Ip { has_more: true }), "{text}");
        }
        for text in ["1.2.3.4-1.2.3.9", "::1 - ::2", "1.2.3.4 -::1"] {
            assert_eq!(key(text), Err(KeyError::IpRange), "{text}");
        }
    }

    #[test]
    fn networks_are_their_first_address_and_their_length() {
        let v4 = |last: [u8; 4], len: u8| [&[0; 10][..], &[255, 255], &last, &[len]].concat();
        assert_eq!(key("192.0.2.7/24").unwrap(), v4([192, 0, 2, 0], 120));
        assert_eq!(key("192.0.2.0/24"), key("::ffff:192.0.2.0/120"));
        assert_eq!(key("1.2.3.4/0").unwrap(), v4([0; 4], 96));
        assert_eq!(key("1.2.3.4/31").unwrap(), v4([1, 2, 3, 4], 127));
        let wide = |len| [&b"\x20\x01\x0d\xb8"[..], &[0; 12], &[len]].concat();
        assert_eq!(key("2001:db8:ffff::1/32").unwrap(), wide(32));
        assert_eq!(key("2001:db8::/127").unwrap(), wide(127));
        assert_eq!(key("::1/0").unwrap(), [0; 17]);
        for text in [
            "10.0.0.1/33",
            "10.0.0.1/",
            "10.0.0.1/012",
            "/8",
            "10.0.0.1/+8",
            "10.0.0.1/255",
            "10.0.0.1/8/8",
            "::/129",
            "::/256",
            "10.0.0.0/255.0.0.0",
        ] {
            assert_eq!(key(text), Err(KeyError::Ip { has_more: false }), "{text}");
        }
    }

    #[test]
    fn an_address_is_in_its_networks() {
        let above = |text: &str, levels: &[u8]| {
            let (mut made, mut all) = (Vec::new(), Vec::new());
            let levels = levels.iter().fold(0, |all, level| all | 1 << level);
            each_above(
                Prefix::parse(text.as_bytes()).unwrap().key(&mut made),
                levels,
                |level, key| {
                    assert_eq!(super::level(key), Some(level), "{text}");
                    let RuledKey::Bytes(key) = key else { panic!("{key:?}") };
                    all.push(key.to_vec());
                },
            );
            all
        };
        let keys = |texts: &[&str]| texts.iter().map(|text| key(text).unwrap()).collect::<Vec<_>>();
        let all: Vec<u8> = (0..128).collect();
        assert_eq!(
            above("192.0.2.7", &[120, 127, 96, 95, 80, 1, 0]),
            keys(&["192.0.2.6/31", "192.0.2.0/24", "0.0.0.0/0", "::fffe:0:0/95", "::/0"])
        );
        assert_eq!(above("192.0.2.7", &all).len(), 48);
        assert_eq!(above("2001:db8::1", &all).len(), 128);
        assert_eq!(
            above("2001:db8::1", &[127, 32, 0]),
            keys(&["2001:db8::/127", "2001:db8::/32", "::/0"])
        );
        assert_eq!(above("10.1.0.0/16", &[112, 111, 104]), keys(&["10.0.0.0/15", "10.0.0.0/8"]));
        assert_eq!((above("::/0", &all).len(), above("0.0.0.0/0", &all).len()), (0, 16));
    }

    #[test]
    fn networks_of_ipv4_are_ranges() {
        assert_eq!(range("192.0.2.7/24"), Ok((0xC000_0200, 0xC000_02FF)));
        assert_eq!(range("0.0.0.0/0"), Ok((0, 0xFFFF_FFFF)));
        assert_eq!(range("10.0.0.1/32"), Ok((0x0A00_0001, 0x0A00_0001)));
        assert_eq!(range("::ffff:10.0.0.1"), Ok((0x0A00_0001, 0x0A00_0001)));
        for text in ["2001:db8::1", "::/8", "::/0", "::1.2.3.4"] {
            assert_eq!(range(text), Err(KeyError::WideIp), "{text}");
        }
    }
}
