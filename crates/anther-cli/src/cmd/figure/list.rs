//! The list: a line a figure.

use super::{Effort, Made, drawings, seed_004};
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
    "example" "001 figures 2–5" "Ten bits, three functions, {2, 4, 9}" |_| drawings::example();
    "example-remove" "001 §5.1" "Why a plain filter cannot delete" |_| drawings::drawn(
        "--bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4 --remove 9 --step 4,5,6,7",
        "4 maybe, 4 no");
    "scalable-cells" "001 §5.2" "Layers of a filter that grows" |_| drawings::drawn(
        "--kind scalable --items 4 --over classic --insert ant,bee,cat,dog,elk,fox,gnu --query elk --step 5,8,9",
        "elk maybe");
    "cuckoo-cells" "001 §6" "Fingerprints that make room for each other" |_| drawings::drawn(
        "--kind cuckoo --items 12 --insert ant,bee,cat,dog,elk,fox --query elk,owl --remove bee --step 5,8,9,10",
        "elk maybe, owl no");
    "functions" "002" "Two functions that meet in the fifth bit; y1 and y2" |_| drawings::drawn(
        "--bits 12 --hash x+3,4x,5x+4 --insert 1,2 --query 3,5", "3 no, 5 maybe");
    "three-keys" "003" "Three keys in 18 bits, and a fourth that is not in" |_| drawings::drawn(
        "--bits 18 --hash x,x+3,4x+7 --insert 1,2,3 --query 4", "4 no");
    "counting-cells" "004" "Counters in the place of bits" |_| drawings::drawn(
        "--bits 10 --hash x,2x+3,3x+7 --kind counting --insert 2,4,9 --query 4 --remove 9 --step 3,4,6,7",
        "4 maybe");
    "increments-cells" "004" "Increments that tell whose they are" |_| drawings::drawn(
        "--kind variable-increment --items 4 --insert ant,bee,cat --query bee,owl --remove cat --step 3,4,5,6,7",
        "bee maybe, owl no");
    "deletable-cells" "004" "Regions without collisions can be cleared" |_| drawings::drawn(
        "--kind deletable --items 5 --regions 5 --insert ant,bee,cat --query bee --remove bee --step 4,5,6,7",
        "bee maybe, bee no");
    "bloomier-cells" "004" "Slots that give a value when they are xored" |_| drawings::drawn(
        "--kind bloomier --insert ant=3,bee=5,cat=1 --query bee,owl", "bee maybe, owl no");
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
