//! A filter's cells, step by step: a [`Scene`](scene::Scene), as text and as SVG.
//!
//! A scene comes from a worked example ([`Worked`]), from a filter that is made for it ([`Made`]),
//! or from a filter in a file ([`Stored`]).

mod explain;
mod formula;
mod increments;
mod look;
mod made;
pub mod scene;
mod slices;
mod stored;
mod svg;
mod tags;
mod text;
mod worked;

pub use formula::Formula;
pub use made::Made;
pub use stored::Stored;
pub use svg::{Paper, drawn, svg};
pub use text::{Page, WIDTH};
pub use worked::{Worked, example};
