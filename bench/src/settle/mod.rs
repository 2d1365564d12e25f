//! One module a question; each prints its tables.

pub mod classic;
pub mod hash;
pub mod kinds;
pub mod layers;
pub mod line;
pub mod program;
pub mod speed;
pub mod statics;

/// A heading with a line under it.
fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}
