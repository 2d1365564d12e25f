//! Errors of keys: a filter's rule refuses what was given.

use thiserror::Error;

/// A key that the filter's rule refuses. No key of the filter can be equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Not hexadecimal.
    #[error("not hexadecimal, which is an even number of digits 0-9 and a-f")]
    Hex,
    /// Not a whole number.
    #[error("not a whole number, such as 42 or -7")]
    Int,
    /// A whole number that is too large.
    #[error("a whole number beyond 128 bits with its sign")]
    WideInt,
    /// A whole number that `int32` cannot hold.
    #[error("a whole number outside int32, which is -2147483648 to 4294967295; use int64")]
    Int32,
    /// A whole number that `int64` cannot hold.
    #[error("a whole number outside int64, which is -9223372036854775808 to 18446744073709551615")]
    Int64,
    /// Not a number.
    #[error("not a number, such as 0.5, -7, 1e-3, inf or nan")]
    Real,
    /// A number that is beyond the largest one of its form.
    #[error("a number beyond the range of {form}")]
    RealRange {
        /// The form, as `--as` names it.
        form: &'static str,
    },
    /// An integer that a float of its form can only round.
    #[error("an integer that no {form} equals")]
    Inexact {
        /// The form, as `--as` names it.
        form: &'static str,
    },
    /// Not UTF-8, so it has no UTF-16.
    #[error("not UTF-8, so it cannot be written as UTF-16")]
    Utf8,
    /// Not a UUID.
    #[error("not a UUID, such as 123e4567-e89b-12d3-a456-426614174000")]
    Uuid,
    /// Binary data of another length.
    #[error("{got} bytes, but a key as {form} has {expected}")]
    Width {
        /// What the filter's keys are, as `--as` names it.
        form: &'static str,
        /// The bytes of such a key.
        expected: usize,
        /// The bytes given.
        got: usize,
    },
    /// Not a domain name.
    #[error("not a domain name, such as example.org")]
    Domain,
    /// Not an e-mail address.
    #[error("not an e-mail address, such as bob@example.org")]
    Email,
    /// Not a URL.
    #[error("not a URL with its scheme and host, such as https://example.org/")]
    Url,
    /// A host name beyond ASCII, whose ASCII form Unicode's tables decide.
    #[error("the domain is not in ASCII; write it in its ASCII form, such as xn--mnchen-3ya.de")]
    Unicode,
    /// Not a time.
    #[error(
        "not a time, such as 2026-11-17, 2026-11-17T08:30:00Z or Unix seconds such as 1794904200"
    )]
    Time,
    /// Not an IP address.
    #[error(
        "not an IP address, such as 192.0.2.7 or 2001:db8::1, or a network, such as 192.0.2.0/24{}",
        if *has_more { "; leave out port, brackets and zone" } else { "" }
    )]
    Ip {
        /// Whether it is one with a port, in brackets, or with a zone.
        has_more: bool,
    },
    /// A range of addresses.
    #[error(
        "a range of addresses is for lists, from the lower address to the higher one, both of IPv4 or \
         both of IPv6"
    )]
    IpRange,
    /// An IPv6 address for a range filter.
    #[error("an IPv6 address has too many bits for a range filter, whose keys are IPv4 addresses")]
    WideIp,
    /// A network, in a filter whose entries stand for themselves alone.
    #[error("a network stands for many addresses, and keys are single ones here")]
    Network,
    /// A network as a key of a range filter.
    #[error(
        "a network stands for many addresses, and a key of a range filter is one; networks can be \
         bounds of ranges"
    )]
    RangeNetwork,
    /// A network as a part of a tuple.
    #[error("a network stands for many addresses, and the parts of a tuple are single ones")]
    TupleNetwork,
    /// Text that is too long to be ordered as an integer.
    #[error("{got} bytes are too long for a range filter, whose keys have up to 8")]
    Long {
        /// The number of bytes.
        got: usize,
    },
    /// A part of a key that is too long for the system's tuples.
    #[error("a part of {got} bytes, but a part of a partition key has 65535 at most")]
    LongPart {
        /// The number of bytes.
        got: usize,
    },
    /// Keys that a range filter cannot have.
    #[error("{form} keys have no order to look ranges up in; use int, time, ip, hex or text")]
    NoOrder {
        /// What the keys are, as `--as` names it.
        form: &'static str,
    },
    /// A type of key that the filter does not have.
    #[error(
        "{given} cannot be looked up in a filter whose keys are {form}; give {}",
        match *form {
            "int" | "int32" | "int64" | "float" | "double" => "an integer, or its digits as text",
            "time" => "text, or Unix seconds as an integer",
            _ => "text",
        }
    )]
    Type {
        /// What the filter's keys are, as `--as` names it.
        form: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// Keys whose bytes another system does not know.
    #[error("{form} keys are not the bytes of a type; name its width: int32 or int64")]
    NoWidth {
        /// What the keys are, as `--as` names it.
        form: &'static str,
    },
    /// Keys of a type that another system has none of.
    #[error("{system} has no {form} keys; it takes integers, text and bytes")]
    NoSuchType {
        /// What the keys are, as `--as` names it.
        form: &'static str,
        /// The system.
        system: &'static str,
    },
    /// An entry at a level that a shared filter does not look up.
    #[error(
        "it stands for keys below it, and the shared filter has no entry of its level yet; insert it once \
         while the filter is not shared: anther add without --shared"
    )]
    Level,
    /// A tuple of the wrong length, or none.
    #[error("the key has {}, but the filter's keys have {}", parts(*got), parts((*expected).into()))]
    Parts {
        /// The parts of the filter's keys.
        expected: u8,
        /// The parts of the key.
        got: usize,
    },
    /// A tuple of tuples, or a key of `Hashed`.
    #[error("a key that is neither text nor an integer nor a tuple of them")]
    Opaque,
}

fn parts(number: usize) -> String {
    if number == 1 { "1 part".to_string() } else { format!("{number} parts") }
}
