//! `anther uniq` beside huniq, runiq, `sort -u` and awk, on lines half of which are distinct.
//!
//! | file | what it does |
//! |---|---|
//! | [`lines`] | makes the lines, and knows what must remain |
//! | [`programs`] | the commands that are compared |
//! | [`measure`] | what is measured |
//! | [`long`] | lines that no disk need hold |

pub mod lines;
pub mod long;
pub mod measure;
pub mod programs;
