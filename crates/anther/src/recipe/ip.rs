//! IPv4 addresses as integers.

use crate::error::KeyError;
use std::net::Ipv4Addr;

/// The integer of an address such as `192.0.2.7`. Leading zeros are refused, since some programs read
/// them as octal.
pub(super) fn parse(text: &[u8]) -> Result<i128, KeyError> {
    address(text).map(i128::from)
}

/// The first and the last address of a network such as `192.0.2.0/24`, or an address twice.
pub(super) fn parse_network(text: &[u8]) -> Result<(i128, i128), KeyError> {
    let Some(slash) = text.iter().position(|byte| *byte == b'/') else {
        return parse(text).map(|address| (address, address));
    };
    let wrong = KeyError::Ip { v6: false };
    let bits = match &text[slash + 1..] {
        [digit @ b'0'..=b'9'] => u32::from(digit - b'0'),
        [tens @ b'1'..=b'3', digit @ b'0'..=b'9'] => {
            u32::from(tens - b'0') * 10 + u32::from(digit - b'0')
        }
        _ => return Err(wrong),
    };
    let host = u32::MAX.checked_shr(bits).unwrap_or(0);
    if bits > 32 {
        return Err(wrong);
    }
    let address = address(&text[..slash])?;
    Ok(((address & !host).into(), (address | host).into()))
}

fn address(text: &[u8]) -> Result<u32, KeyError> {
    let address = str::from_utf8(text).ok().and_then(|text| text.parse::<Ipv4Addr>().ok());
    address.map(u32::from).ok_or(KeyError::Ip { v6: text.contains(&b':') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_integers_in_their_order() {
        assert_eq!(parse(b"0.0.0.0"), Ok(0));
        assert_eq!(parse(b"192.0.2.7"), Ok(0xC000_0207));
        assert_eq!(parse(b"255.255.255.255"), Ok(0xFFFF_FFFF));
        for text in [&b""[..], b"1.2.3", b"1.2.3.4.5", b"1.2.3.256", b"01.2.3.4", b"1.2.3.4 "] {
            assert_eq!(parse(text), Err(KeyError::Ip { v6: false }));
        }
        assert_eq!(parse(b"2001:db8::1"), Err(KeyError::Ip { v6: true }));
    }

    #[test]
    fn networks_are_ranges() {
        assert_eq!(parse_network(b"192.0.2.7/24"), Ok((0xC000_0200, 0xC000_02FF)));
        assert_eq!(parse_network(b"0.0.0.0/0"), Ok((0, 0xFFFF_FFFF)));
        assert_eq!(parse_network(b"10.0.0.1/32"), Ok((0x0A00_0001, 0x0A00_0001)));
        assert_eq!(parse_network(b"10.0.0.1"), Ok((0x0A00_0001, 0x0A00_0001)));
        for text in [&b"10.0.0.1/33"[..], b"10.0.0.1/", b"10.0.0.1/012", b"/8", b"10.0.0.1/+8"] {
            assert!(parse_network(text).is_err());
        }
    }
}
