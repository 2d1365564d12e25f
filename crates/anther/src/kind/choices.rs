//! Options whose values are names.

use super::Kind;
use std::fmt;
use std::str::FromStr;

/// The set that the increments of a `variable-increment` filter are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Increments {
    /// D_L = {L, …, 2L-1}: one counter per cell. L is 2 to 16.
    Interval(u32),
    /// A B_h set, in which all sums of h members differ: two counters per cell. h is 2 or 3.
    Sums(u32),
}

impl Increments {
    /// Those that have a name. Values of L between them work too, but gain nothing.
    pub const ALL: [Increments; 6] = [
        Increments::Interval(2),
        Increments::Interval(4),
        Increments::Interval(8),
        Increments::Interval(16),
        Increments::Sums(2),
        Increments::Sums(3),
    ];
}

impl fmt::Display for Increments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Increments::Interval(l) => write!(f, "D{l}"),
            Increments::Sums(h) => write!(f, "B{h}"),
        }
    }
}

/// How a `spectral` filter increments its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All counters of a key: keys can be removed, and filters merge.
    Minimum,
    /// Only the smallest: the fewest errors, but keys cannot be removed.
    Increase,
    /// All counters, plus a second filter for keys whose minimum occurs only once.
    Recurring,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 3] = [Method::Minimum, Method::Increase, Method::Recurring];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Minimum => "minimum",
            Method::Increase => "increase",
            Method::Recurring => "recurring",
        })
    }
}

/// An unknown name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{got:?} is not one of {allowed}")]
pub struct NoSuchName {
    got: String,
    allowed: String,
}

fn by_name<T: fmt::Display + Copy>(got: &str, all: &[T]) -> Result<T, NoSuchName> {
    all.iter().copied().find(|one| one.to_string() == got).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(T::to_string).collect();
        NoSuchName { got: got.to_string(), allowed: names.join(", ") }
    })
}

impl FromStr for Increments {
    type Err = NoSuchName;

    fn from_str(text: &str) -> Result<Increments, NoSuchName> {
        by_name(text, &Increments::ALL)
    }
}

impl FromStr for Method {
    type Err = NoSuchName;

    fn from_str(text: &str) -> Result<Method, NoSuchName> {
        by_name(text, &Method::ALL)
    }
}

impl FromStr for Kind {
    type Err = NoSuchName;

    fn from_str(text: &str) -> Result<Kind, NoSuchName> {
        by_name(text, Kind::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for one in Increments::ALL {
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        for one in Method::ALL {
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        assert_eq!(
            "mini".parse::<Method>().unwrap_err().to_string(),
            "\"mini\" is not one of minimum, increase, recurring"
        );
    }
}
