//! A filter's cells, step by step: a [`Scene`](scene::Scene), as text and as SVG.
//!
//! A scene comes from a worked example ([`Worked`]), from a filter that is made for it ([`Made`]),
//! or from a filter in a file ([`Stored`]).

mod acts;
mod detail;
mod explain;
mod formula;
mod increments;
mod look;
mod made;
mod play;
mod reasons;
pub mod scene;
mod slices;
mod stored;
mod svg;
mod tags;
mod text;
mod worked;

pub use acts::{Act, Audience};
pub use detail::{Detail, Numbers};
pub use formula::Formula;
pub use look::MOST_CELLS;
pub use made::Made;
pub use reasons::{Headline, Reason};
pub use stored::Stored;
pub use svg::{Paper, drawn, svg};
pub use text::{Page, WIDTH};
pub use worked::{Worked, example, named_number};
