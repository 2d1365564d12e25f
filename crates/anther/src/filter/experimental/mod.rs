//! Kinds that are here to be looked at: they keep their promises, and another kind keeps the same for
//! fewer bits. A later release may refuse their files. Nothing outside this folder is made for them.

pub mod floom;
pub mod generalized;
pub mod robust;
