//! The laboratory of anther: everything that shows filters at work.
//!
//! [`figure`] measures the figures of five introductory texts and of the papers behind them,
//! [`draw`] shows the cells of a filter step by step, [`plot`] draws false-positive rates, and
//! [`tour`] runs the program on made-up data and checks what it claims. All of them share a
//! [`chart`], a [`table`] and one way to write pictures: SVG, and with the feature `png` PNG.
//! The feature `page` adds the page of `anther lab`, which shows the same in a browser.
//!
//! Nothing here reads a command line, prints to a terminal or ends the process: the program does.

pub mod chart;
mod chosen_keys;
pub mod draw;
mod error;
pub mod figure;
mod lettering;
pub mod memory;
#[cfg(feature = "page")]
pub mod page;
mod pen;
pub mod plot;
#[cfg(any(feature = "png", test))]
pub mod png;
pub mod table;
pub mod texts;
pub mod tour;

pub use error::Error;
pub use pen::Pen;
