//! The `anther` program.

fn main() {}
