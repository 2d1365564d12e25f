//! Papers: what is in print beside what is predicted and what is measured.

pub mod aging;
pub mod cascade;
pub mod classic;
pub mod compressed;
pub mod counters;
pub mod fingerprints;
pub mod forgetting;
pub mod iblt;
pub mod lines;
pub mod range;
pub mod removal;
pub mod robust;
pub mod scalable;
pub mod solved;
pub mod spectral;
mod walks;
pub mod weighted;
