//! The normal form of each [`KeyForm`](super::KeyForm): what all spellings of one key have in common.

use super::rule::RuledKey;
use crate::error::KeyError;

pub(super) fn lower(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().map(u8::to_ascii_lowercase));
}

/// Upper or lower case, so case folding changes nothing.
pub(super) fn hex(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let (pairs, []) = text.as_chunks::<2>() else { return Err(KeyError::Hex) };
    for [high, low] in pairs {
        match (hex_digit(*high), hex_digit(*low)) {
            (Some(high), Some(low)) => out.push(high << 4 | low),
            _ => return Err(KeyError::Hex),
        }
    }
    Ok(())
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// 64 bits hash as a word, signed or unsigned; wider numbers as their 16 bytes.
pub(super) fn integer(number: i128, made: &mut Vec<u8>) -> RuledKey<'_> {
    #[expect(clippy::cast_sign_loss, reason = "the two's complement is meant")]
    match (u64::try_from(number), i64::try_from(number)) {
        (Ok(word), _) => RuledKey::Integer(word),
        (_, Ok(negative)) => RuledKey::Integer(negative as u64),
        _ => {
            made.clear();
            made.extend(number.to_le_bytes());
            RuledKey::Bytes(made)
        }
    }
}

pub(super) fn parse_integer<'a>(
    text: &[u8],
    made: &'a mut Vec<u8>,
) -> Result<RuledKey<'a>, KeyError> {
    whole(text).map(|number| integer(number, made))
}

/// A whole number, with or without its sign.
pub(super) fn whole(text: &[u8]) -> Result<i128, KeyError> {
    let number = str::from_utf8(text).ok().filter(|text| !text.is_empty());
    let number = number.ok_or(KeyError::Int)?;
    match number.parse() {
        Ok(number) => Ok(number),
        Err(_) if is_integer(text) => Err(KeyError::WideInt),
        Err(_) => Err(KeyError::Int),
    }
}

fn is_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Appends a domain name in lower case, without its final dot.
pub(super) fn domain(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let name = text.strip_suffix(b".").unwrap_or(text);
    if !name.is_ascii() {
        return Err(KeyError::Unicode);
    }
    let is_label = |label: &[u8]| {
        let fits = (1..=63).contains(&label.len());
        fits && label.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if name.len() > 253 || !name.split(|byte| *byte == b'.').all(is_label) {
        return Err(KeyError::Domain);
    }
    lower(name, out);
    Ok(())
}

/// Appends an e-mail address. The part before the @ is folded, too: servers that tell letter case
/// apart are rarer than lists that do not keep it, and a missed address is worse than a false
/// positive.
pub(super) fn email(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let at = text.iter().rposition(|byte| *byte == b'@').ok_or(KeyError::Email)?;
    let (local, host) = (&text[..at], &text[at + 1..]);
    // As in RFC 5322: `mailto:bob@x.org`, `<bob@x.org>` or two addresses are no address.
    let is_special = |byte: &u8| byte.is_ascii_control() || b" \"(),:;<>@[\\]".contains(byte);
    let is_local = match local {
        [b'"', quoted @ .., b'"'] => !quoted.iter().any(u8::is_ascii_control),
        local => !local.is_empty() && !local.iter().any(is_special),
    };
    if !is_local {
        return Err(KeyError::Email);
    }
    lower(local, out);
    out.push(b'@');
    domain(host, out).map_err(|error| match error {
        KeyError::Domain => KeyError::Email,
        other => other,
    })
}

/// Appends a URL: scheme and host in lower case, no default port, no fragment, no dot segments, a
/// path of at least `/`, percent-encoding in upper case and only where it is needed.
///
/// By hand and not by the crate `url`: that one follows a living standard and Unicode's tables, and
/// the key of a URL must be the same in every release.
pub(super) fn url(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    if text.iter().any(|byte| byte.is_ascii_control() || *byte == b' ') {
        return Err(KeyError::Url);
    }
    let text = text.split(|byte| *byte == b'#').next().unwrap_or(text);
    let scheme = text.iter().position(|byte| *byte == b':').ok_or(KeyError::Url)?;
    let (scheme, rest) = (&text[..scheme], &text[scheme + 1..]);
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scheme.first().is_some_and(u8::is_ascii_alphabetic) || !scheme.iter().all(is_scheme) {
        return Err(KeyError::Url);
    }
    let rest = rest.strip_prefix(b"//").ok_or(KeyError::Url)?;
    lower(scheme, out);
    let default_port = match &out[..] {
        b"http" | b"ws" => Some(80),
        b"https" | b"wss" => Some(443),
        b"ftp" => Some(21),
        _ => None,
    };
    out.extend(b"://");

    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let at = authority.iter().rposition(|byte| *byte == b'@').map_or(0, |at| at + 1);
    let (user, host) = authority.split_at(at);
    // An IPv6 address has colons, too, but in brackets.
    let bracket = host.iter().rposition(|byte| *byte == b']').unwrap_or(0);
    let colon = host[bracket..].iter().position(|byte| *byte == b':').map(|at| bracket + at);
    let (host, port) = match colon {
        Some(at) => (&host[..at], &host[at + 1..]),
        None => (host, &b""[..]),
    };
    let is_file = out == b"file://";
    escape(user, out);
    match host {
        [] if is_file => {}
        [b'[', address @ .., b']'] if address.iter().all(is_address) => lower(host, out),
        name => domain(name, out).map_err(|error| match error {
            KeyError::Domain => KeyError::Url,
            other => other,
        })?,
    }
    match port {
        [] => {}
        // Not by `parse` alone, which takes a sign.
        [b'0'..=b'9', ..] => {
            let port = str::from_utf8(port).ok().and_then(|port| port.parse::<u16>().ok());
            let port = port.ok_or(KeyError::Url)?;
            if Some(port) != default_port {
                out.push(b':');
                out.extend(port.to_string().as_bytes());
            }
        }
        _ => return Err(KeyError::Url),
    }

    let end = rest.iter().position(|byte| *byte == b'?').unwrap_or(rest.len());
    let (path, query) = rest.split_at(end);
    let start = out.len();
    let mut escaped = Vec::with_capacity(path.len());
    escape(path, &mut escaped);
    for segment in escaped.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." => {
                let parent = out[start..].iter().rposition(|byte| *byte == b'/');
                out.truncate(start + parent.unwrap_or(0));
            }
            segment => {
                out.push(b'/');
                out.extend(segment);
            }
        }
    }
    // A dot segment at the end names a folder.
    let last = escaped.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if out.len() == start || matches!(last, b"." | b"..") {
        out.push(b'/');
    }
    escape(query, out);
    Ok(())
}

/// A byte of an IPv6 address in brackets.
fn is_address(byte: &u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')
}

/// Appends percent-encoded text: in upper case, decoded where the character needs no encoding, and
/// encoded where a URL cannot have it, as with bytes beyond ASCII and a percent sign alone.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let encode = |byte: u8, out: &mut Vec<u8>| {
        out.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    };
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let encoded = match (first, after) {
            (b'%', [high, low, ..]) => hex_digit(*high).zip(hex_digit(*low)),
            _ => None,
        };
        match encoded {
            Some((high, low)) => {
                rest = &after[2..];
                match high << 4 | low {
                    byte if is_unreserved(byte) => out.push(byte),
                    byte => encode(byte, out),
                }
            }
            None if !first.is_ascii() || b"\"%<>\\^`{|}".contains(first) => encode(*first, out),
            None => out.push(*first),
        }
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
