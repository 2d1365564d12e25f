//! Lines of lists of addresses: an address, a network, or a range `a-b`.

use super::Line;
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address, a network or a range, and perhaps a comment behind it. A range becomes the fewest
/// networks.
pub fn parse(line: &str) -> Line<'_> {
    let end = line.find(['#', ';']);
    let text = line[..end.unwrap_or(line.len())].trim();
    if text.is_empty() {
        return if end.is_some() { Line::Comment } else { Line::Blank };
    }
    match text.split_once('-') {
        None => Line::Keys(vec![text.into()]),
        Some((first, last)) => match networks(first.trim(), last.trim()) {
            Some(networks) => Line::Keys(networks),
            None => Line::Text,
        },
    }
}

/// The networks of a range; `None` if it is no range.
fn networks<'a>(first: &str, last: &str) -> Option<Vec<Cow<'a, str>>> {
    let address = |text: &str| Some(text.parse::<IpAddr>().ok()?.to_canonical());
    match (address(first)?, address(last)?) {
        (IpAddr::V4(first), IpAddr::V4(last)) if first <= last => {
            let bits = [first, last].map(|it| u128::from(u32::from(it)));
            let name = |first: u128, len| {
                let address = Ipv4Addr::from(u32::try_from(first).unwrap_or_default());
                spelled(address.into(), len, 32)
            };
            Some(blocks(bits, 32).map(|(first, len)| name(first, len)).collect())
        }
        (IpAddr::V6(first), IpAddr::V6(last)) if first <= last => {
            // IPv6 addresses that stand for IPv4 are not meant by a range around them.
            let is_v6 = |(first, len): &(u128, u32)| {
                *len < 96 || Ipv6Addr::from(*first).to_ipv4_mapped().is_none()
            };
            let blocks = blocks([first, last].map(u128::from), 128).filter(is_v6);
            let name = |(first, len)| spelled(Ipv6Addr::from(first).into(), len, 128);
            Some(blocks.map(name).collect())
        }
        _ => None,
    }
}

fn spelled<'a>(address: IpAddr, len: u32, bits: u32) -> Cow<'a, str> {
    Cow::Owned(if len == bits { address.to_string() } else { format!("{address}/{len}") })
}

/// The fewest aligned blocks that make up a range of addresses of this many bits: the first address
/// and the length of the prefix of each.
fn blocks([first, last]: [u128; 2], bits: u32) -> impl Iterator<Item = (u128, u32)> {
    let mut next = Some(first);
    std::iter::from_fn(move || {
        let first = next.filter(|first| *first <= last)?;
        let aligned = first.trailing_zeros().min(bits);
        // The largest block that does not go beyond the end.
        let (mut host, mut end) = (0, first);
        while host < aligned {
            let larger = first | u128::MAX >> (127 - host);
            if larger > last {
                break;
            }
            (host, end) = (host + 1, larger);
        }
        next = end.checked_add(1);
        Some((first, bits - host))
    })
}
