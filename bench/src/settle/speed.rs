//! todo
pub fn run() {}
