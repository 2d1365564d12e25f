//! The list: a line a figure.

use super::{Effort, Made, seed_004};
use crate::exit::Stop;

/// A figure.
pub struct Figure {
    /// Of the figure and of its files.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    pub title: &'static str,
    pub make: fn(&Effort<'_>) -> Result<Made, Stop>,
}

macro_rules! figures {
    ($($name:literal $source:literal $title:literal $make:expr;)*) => {
        /// Every figure, in the order of the seeds, then the papers.
        pub const FIGURES: &[Figure] = &[
            $(Figure { name: $name, source: $source, title: $title, make: $make },)*
        ];
    };
}

figures! {
    "floom-12-1" "004" "Floom with 12 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 12, 0.01);
    "floom-16-1" "004" "Floom with 16 regions beside Big BF, 1 % asked" |effort| seed_004::floom(effort, 16, 0.01);
    "floom-12-5" "004" "Floom with 12 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 12, 0.05);
    "floom-16-5" "004" "Floom with 16 regions beside Big BF, 5 % asked" |effort| seed_004::floom(effort, 16, 0.05);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names_and_different() {
        for (at, figure) in FIGURES.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(figure.name.chars().all(plain), "{}", figure.name);
            assert!(FIGURES[..at].iter().all(|other| other.name != figure.name), "{}", figure.name);
        }
    }
}
