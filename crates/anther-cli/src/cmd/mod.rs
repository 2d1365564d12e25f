//! One file a verb. Each has its `Args` and a `run`.

pub mod add;
pub mod build;
pub mod check;
pub mod get;
pub mod info;
pub mod merge;
pub mod remove;
pub mod times;
pub mod tour;
