//! Queries: simplified, they mean the same, or less.

use crate::input::Input;
use anther_index::Query;

/// A query and a text.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let most = input.below(12);
    let (query, plain) = grow(&mut input, 4);
    let text: Vec<u8> = input.0.iter().map(|byte| letter(*byte)).collect();
    let mut has = |literal: &[u8]| memchr::memmem::find(&text, literal).is_some();
    let truth = plain.is_fulfilled(&mut has);
    assert_eq!(query.is_fulfilled(&mut has), truth, "{plain} became {query}");
    let literals = query.literals();
    let fewer = query.clone().with_at_most(most);
    assert!(fewer.literals() <= most.min(literals), "{fewer}");
    assert!(!truth || fewer.is_fulfilled(&mut has), "{query} became {fewer}");
}

fn letter(byte: u8) -> u8 {
    b"abc"[usize::from(byte) % 3]
}

/// A query, and the same without any simplification.
fn grow(input: &mut Input<'_>, depth: usize) -> (Query, Query) {
    let kind = input.below(if depth == 0 { 2 } else { 4 });
    if kind == 0 && input.below(8) == 0 {
        return (Query::All, Query::All);
    }
    if kind < 2 {
        let len = 4 + input.below(4);
        let text: Vec<u8> = input.take(len).iter().map(|byte| letter(*byte)).collect();
        let plain = if text.len() < 4 { Query::All } else { Query::Literal(text.clone().into()) };
        return (Query::literal(&text), plain);
    }
    let members = (0..input.below(4)).map(|_| grow(input, depth - 1));
    let (simple, plain): (Vec<Query>, Vec<Query>) = members.unzip();
    match kind {
        2 => (Query::and(simple), Query::And(plain)),
        _ => (Query::or(simple), Query::Or(plain)),
    }
}
