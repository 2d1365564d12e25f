//! Experimental kinds, here to be studied: they work as described, but another kind does the same
//! in fewer bits. A later release may reject their files. No code outside this folder exists for
//! them.

pub mod floom;
pub mod generalized;
pub mod robust;
