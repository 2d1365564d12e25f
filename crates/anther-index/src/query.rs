//! What a block must contain for a pattern to match in it.

/// Bytes per gram.
pub const GRAM: usize = 4;

/// A condition on the literals of a block. A block that does not fulfil it has no match.
#[derive(Clone, Debug, PartialEq, Eq)]
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
