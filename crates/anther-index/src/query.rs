//! What a block must contain for a pattern to match in it.

use std::fmt;

/// Bytes per gram.
pub const GRAM: usize = 4;

/// The most members of an AND. Each further one would exclude hardly any block.
const MEMBERS: usize = 64;

/// A condition on the literals of a block. A block that does not fulfil it has no match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Query {
    /// Any block may match.
    All,
    /// The block has this literal, whatever its case: lowercase ASCII, [`GRAM`] bytes at least, and
    /// no line ending.
    Literal(Box<[u8]>),
    /// The block fulfils all of these.
    And(Vec<Query>),
    /// The block fulfils one of these. None of them: no block matches.
    Or(Vec<Query>),
}

impl Query {
    /// What no block fulfils.
    pub const NONE: Query = Query::Or(Vec::new());

    /// The condition that a line contains this text, in any case. Text shorter than a gram is no
    /// condition, and neither is a line ending, since grams do not cross it.
    pub fn literal(text: &[u8]) -> Query {
        let lines = text.split(|byte| *byte == b'\n').filter(|line| line.len() >= GRAM);
        Query::and(lines.map(|line| Query::Literal(line.to_ascii_lowercase().into())))
    }

    /// Both this and that; simplified.
    pub fn and(members: impl IntoIterator<Item = Query>) -> Query {
        let mut all = Vec::new();
        for member in members {
            match member {
                Query::All => {}
                Query::And(inner) => all.extend(inner),
                other if other == Query::NONE => return Query::NONE,
                other => all.push(other),
            }
        }
        // "password" implies "word".
        keep(&mut all, |kept, other| is_within(other, kept));
        all.truncate(MEMBERS);
        match all.len() {
            0 => Query::All,
            1 => all.remove(0),
            _ => Query::And(all),
        }
    }

    /// Either this or that; simplified.
    pub fn or(members: impl IntoIterator<Item = Query>) -> Query {
        let mut any = Vec::new();
        for member in members {
            match member {
                Query::All => return Query::All,
                Query::Or(inner) => any.extend(inner),
                other => any.push(other),
            }
        }
        // "word" is the weaker condition, and "password" adds nothing to it.
        keep(&mut any, is_within);
        match any.len() {
            1 => any.remove(0),
            _ => Query::Or(any),
        }
    }

    /// How many literals it has.
    pub fn literals(&self) -> usize {
        match self {
            Query::All => 0,
            Query::Literal(_) => 1,
            Query::And(members) | Query::Or(members) => members.iter().map(Query::literals).sum(),
        }
    }

    /// A condition with at most this many literals that is not stronger.
    pub fn with_at_most(self, literals: usize) -> Query {
        match self {
            query if query.literals() <= literals => query,
            Query::And(members) => {
                let mut left = literals;
                Query::and(members.into_iter().map(|member| {
                    let member = member.with_at_most(left);
                    left -= member.literals();
                    member
                }))
            }
            _ => Query::All,
        }
    }

    /// Whether a block with these literals fulfils it.
    pub fn is_fulfilled(&self, has: &mut impl FnMut(&[u8]) -> bool) -> bool {
        match self {
            Query::All => true,
            Query::Literal(literal) => has(literal),
            Query::And(members) => members.iter().all(|member| member.is_fulfilled(has)),
            Query::Or(members) => members.iter().any(|member| member.is_fulfilled(has)),
        }
    }
}

/// Leaves out members that another one makes needless. Long lists only lose what is repeated: the
/// comparison of all pairs would take longer than it saves.
fn keep(members: &mut Vec<Query>, makes_needless: impl Fn(&Query, &Query) -> bool) {
    members.sort_unstable();
    members.dedup();
    if members.len() > MEMBERS {
        return;
    }
    let is_needless = |at: usize| {
        let mut others = members.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(_, other)| makes_needless(other, &members[at]))
    };
    let needless: Vec<bool> = (0..members.len()).map(is_needless).collect();
    let mut needless = needless.into_iter();
    members.retain(|_| needless.next() != Some(true));
}

/// Whether one literal is a part of another.
fn is_within(part: &Query, whole: &Query) -> bool {
    match (part, whole) {
        (Query::Literal(part), Query::Literal(whole)) => {
            memchr::memmem::find(whole, part).is_some()
        }
        _ => false,
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, members: &[Query], word: &str| {
            f.write_str("(")?;
            for (at, member) in members.iter().enumerate() {
                let before = if at > 0 { word } else { "" };
                write!(f, "{before}{member}")?;
            }
            f.write_str(")")
        };
        match self {
            Query::All => f.write_str("all"),
            Query::Literal(literal) => write!(f, "\"{}\"", literal.escape_ascii()),
            Query::And(members) => list(f, members, " and "),
            Query::Or(members) if members.is_empty() => f.write_str("none"),
            Query::Or(members) => list(f, members, " or "),
        }
    }
}
