//! Experimental kinds, here to be studied: they work as described, but another kind does the same
//! in fewer bits. A later release may reject their files. Their mathematics is in `sizing`, their
//! options are in `options`, and `draw` explains their cells.

pub mod floom;
pub mod generalized;
pub mod robust;
