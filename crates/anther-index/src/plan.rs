//! From a pattern to the literals that a block must contain for it to match.
//!
//! The method is Russ Cox's ("Regular Expression Matching with a Trigram Index", 2012): of each part
//! of the pattern we know either all strings that it matches, or how its matches begin and end and
//! what else they contain. Where two parts meet, the ends of one are joined with the starts of the
//! other, so that `colou?r` gives "color" and "colour", and `(foo|bar)baz` two words of six bytes.
//!
//! Case is settled before: the parser turns `(?i)k` into a class of `k`, `K` and U+212A, and grams
//! are lowercased, so two strings are left of it.

use crate::query::{GRAM, Query};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};
use std::collections::BTreeSet;

/// The most strings that a part of a pattern is expanded to.
const STRINGS: usize = 32;

/// The most strings of a class that is expanded. One of ten digits is in most blocks anyway.
const CLASS: usize = 8;

/// The most characters of such a class: it may have both cases of each.
const CHARACTERS: u32 = 16;

/// The most copies of a repeated part: `x{1000}` has no more in it than `x{8}`.
const COPIES: u32 = 8;

/// Where strings are cut. Sixty grams of one literal are enough to tell blocks apart.
const LENGTH: usize = 64;

/// The most literals of a whole plan. More of them, and everything is searched.
const LITERALS: usize = 4096;

/// What blocks must contain in which one of these patterns matches within a line.
pub fn plan<'a>(patterns: impl IntoIterator<Item = &'a Hir>) -> Query {
    Query::or(patterns.into_iter().map(|pattern| Part::of(pattern).into_query()))
        .with_at_most(LITERALS)
}

/// Lowercase, and sorted: plans do not depend on how a pattern lists its alternatives.
type Strings = BTreeSet<Vec<u8>>;

/// What is known of a part of a pattern.
#[derive(Clone)]
enum Part {
    /// It matches these strings and no others.
    Exact(Strings),
    /// Every match begins with one of these, ends with one of those, and fulfils the query.
    Ends { first: Strings, last: Strings, query: Query },
}

impl Part {
    fn of(hir: &Hir) -> Part {
        match hir.kind() {
            // They match no bytes, so what stands before and after them is adjacent.
            HirKind::Empty | HirKind::Look(_) => Part::nothing(),
            HirKind::Literal(literal) => Part::Exact(Strings::from([lower(&literal.0)])),
            HirKind::Class(class) => expanded(class).map_or_else(Part::anything, Part::Exact),
            HirKind::Capture(capture) => Part::of(&capture.sub),
            HirKind::Repetition(repetition) => Part::repeated(repetition),
            HirKind::Concat(parts) => parts.iter().map(Part::of).fold(Part::nothing(), Part::then),
            HirKind::Alternation(parts) => Part::either(parts.iter().map(Part::of).collect()),
        }
    }

    /// The empty string.
    fn nothing() -> Part {
        Part::Exact(Strings::from([Vec::new()]))
    }

    /// Strings of which nothing is known.
    fn anything() -> Part {
        let (first, last) = (Strings::from([Vec::new()]), Strings::from([Vec::new()]));
        Part::Ends { first, last, query: Query::All }
    }

    /// The same without the claim that there are no other strings between its ends.
    fn opened(self) -> (Strings, Strings, Query) {
        match self {
            Part::Exact(strings) => (strings.clone(), strings, Query::All),
            Part::Ends { first, last, query } => (first, last, query),
        }
    }

    fn repeated(repetition: &Repetition) -> Part {
        let part = Part::of(&repetition.sub);
        match (repetition.min, repetition.max) {
            (0, Some(0)) => Part::nothing(),
            (0, Some(1)) => Part::either(vec![Part::nothing(), part]),
            (0, _) => Part::anything(),
            (min, max) => {
                let copies =
                    (1..min.min(COPIES)).fold(part.clone(), |all, _| all.then(part.clone()));
                if max == Some(min) && min <= COPIES {
                    return copies;
                }
                let (first, last, query) = copies.opened();
                Part::Ends { first, last, query }
            }
        }
    }

    /// One of these.
    fn either(parts: Vec<Part>) -> Part {
        let mut strings = Strings::new();
        for part in &parts {
            match part {
                Part::Exact(more) => strings.extend(more.iter().cloned()),
                Part::Ends { .. } => return Part::either_ends(parts),
            }
            if strings.len() > STRINGS {
                return Part::either_ends(parts);
            }
        }
        Part::Exact(strings)
    }

    fn either_ends(parts: Vec<Part>) -> Part {
        let (mut first, mut last) = (Strings::new(), Strings::new());
        for part in &parts {
            let (starts, ends) = match part {
                Part::Exact(strings) => (strings, strings),
                Part::Ends { first, last, .. } => (first, last),
            };
            first.extend(heads(starts));
            last.extend(tails(ends));
        }
        let query = Query::or(parts.into_iter().map(Part::into_query));
        Part::Ends { first: few(first), last: few(last), query }
    }

    /// This, and then that.
    fn then(self, next: Part) -> Part {
        match (self, next) {
            (Part::Exact(one), Part::Exact(two)) => match joined(&one, &two) {
                Some(both) => Part::Exact(both),
                None => {
                    let (first, last) = (few(heads(&one)), few(tails(&one)));
                    Part::Ends { first, last, query: one_of(&one) }.then(Part::Exact(two))
                }
            },
            (Part::Ends { first, last, query }, Part::Exact(two)) => {
                let (last, more) = lengthened(last, &two, tails, joined);
                Part::Ends { first, last, query: Query::and([query, more]) }
            }
            (Part::Exact(one), Part::Ends { first, last, query }) => {
                let (first, more) = lengthened(first, &one, heads, |first, one| joined(one, first));
                Part::Ends { first, last, query: Query::and([query, more]) }
            }
            (
                Part::Ends { first, last: end, query },
                Part::Ends { first: start, last, query: more },
            ) => {
                let between = match joined(&end, &start) {
                    Some(both) => one_of(&both),
                    None => {
                        let both = joined(&tails(&end), &heads(&start));
                        let both = both.map_or(Query::All, |both| one_of(&both));
                        Query::and([one_of(&end), one_of(&start), both])
                    }
                };
                Part::Ends { first, last, query: Query::and([query, more, between]) }
            }
        }
    }

    fn into_query(self) -> Query {
        match self {
            Part::Exact(strings) => one_of(&strings),
            Part::Ends { first, last, query } => Query::and([query, one_of(&first), one_of(&last)]),
        }
    }
}

/// An end with the strings beside it, and what must be remembered because the end got shorter.
fn lengthened(
    end: Strings,
    beside: &Strings,
    shortened: fn(&Strings) -> Strings,
    join: impl Fn(&Strings, &Strings) -> Option<Strings>,
) -> (Strings, Query) {
    if let Some(longer) = join(&end, beside) {
        return (longer, Query::All);
    }
    let query = one_of(&end);
    match join(&shortened(&end), beside) {
        Some(longer) => (longer, query),
        None => (beside.clone(), query),
    }
}

/// Each string of one with each of the other, unless there are too many, or they get too long.
fn joined(one: &Strings, two: &Strings) -> Option<Strings> {
    let longest = |strings: &Strings| strings.iter().map(Vec::len).max().unwrap_or(0);
    let (left, right) = (longest(one), longest(two));
    let is_long = left > 0 && right > 0 && left + right > LENGTH;
    if is_long || one.len() * two.len() > STRINGS {
        return None;
    }
    let pairs = one.iter().flat_map(|one| two.iter().map(move |two| [&one[..], two].concat()));
    Some(pairs.collect())
}

/// How the strings begin, as far as a gram that goes on into what stands before them.
fn heads(strings: &Strings) -> Strings {
    strings.iter().map(|string| string[..string.len().min(GRAM - 1)].to_vec()).collect()
}

/// How the strings end, as far as a gram that goes on into what stands after them.
fn tails(strings: &Strings) -> Strings {
    strings.iter().map(|string| string[string.len().saturating_sub(GRAM - 1)..].to_vec()).collect()
}

/// The ends, or nothing about them if there are too many.
fn few(ends: Strings) -> Strings {
    if ends.len() > STRINGS { Strings::from([Vec::new()]) } else { ends }
}

/// The condition that one of the strings is there.
fn one_of(strings: &Strings) -> Query {
    let cut = |string: &'_ Vec<u8>| Query::literal(&string[..string.len().min(LENGTH)]);
    Query::or(strings.iter().map(cut))
}

fn lower(text: &[u8]) -> Vec<u8> {
    text.to_ascii_lowercase()
}

/// The strings of a class, unless there are too many.
fn expanded(class: &Class) -> Option<Strings> {
    let strings: Strings = match class {
        Class::Unicode(class) => {
            let ranges = || class.ranges().iter();
            let size = |start: char, end: char| u32::from(end) - u32::from(start) + 1;
            check_size(ranges().map(|range| size(range.start(), range.end())))?;
            let all = ranges().flat_map(|range| range.start()..=range.end());
            all.map(|char| lower(char.to_string().as_bytes())).collect()
        }
        Class::Bytes(class) => {
            let ranges = || class.ranges().iter();
            let size = |start: u8, end: u8| u32::from(end - start) + 1;
            check_size(ranges().map(|range| size(range.start(), range.end())))?;
            let all = ranges().flat_map(|range| range.start()..=range.end());
            all.map(|byte| lower(&[byte])).collect()
        }
    };
    Some(strings).filter(|strings| strings.len() <= CLASS)
}

/// Whether ranges of these sizes are few characters together.
fn check_size(mut sizes: impl Iterator<Item = u32>) -> Option<()> {
    let few = |sum: u32, size| sum.checked_add(size).filter(|sum| *sum <= CHARACTERS);
    sizes.try_fold(0, few).map(drop)
}

#[cfg(test)]
mod tests;
