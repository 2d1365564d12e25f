//! `anther grep` beside `rg -z`: 10,000 compressed logs, a gigabyte of text.
//!
//! | file | what it does |
//! |---|---|
//! | [`corpus`] | makes the logs, once, in target/search |
//! | [`programs`] | the commands that are compared |
//! | [`measure`] | what is measured |

pub mod corpus;
pub mod measure;
pub mod programs;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Logs.
    pub files: u64,
    pub rounds: usize,
    /// Absent literals per family and length.
    pub literals: usize,
}

impl Extent {
    pub const FULL: Extent = Extent { files: 10_000, rounds: 5, literals: 200 };
    /// To see that it works.
    pub const QUICK: Extent = Extent { files: 500, rounds: 3, literals: 8 };
}
