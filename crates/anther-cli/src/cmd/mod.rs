//! One file a verb. Each has its `Args` and a `run`.

pub mod build;
pub mod check;
pub mod completions;
pub mod info;
pub mod man;
pub mod measure;
pub mod merge;
pub mod plan;
pub mod tour;
pub mod verify;
