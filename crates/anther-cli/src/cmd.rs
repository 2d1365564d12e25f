//! One file per verb. Each has its `Args` and a `run`.

pub mod add;
pub mod build;
pub mod check;
pub mod completions;
pub mod convert;
pub mod count;
#[cfg(feature = "lab")]
pub mod draw;
#[cfg(feature = "lab")]
pub mod figure;
pub mod get;
pub mod help;
pub mod info;
pub mod list;
pub mod man;
pub mod measure;
pub mod merge;
pub mod plan;
pub mod remove;
pub mod spell;
#[cfg(feature = "lab")]
pub mod tour;
pub mod uniq;
pub mod verify;
