//! The single entrance for contributors.

fn main() {}
