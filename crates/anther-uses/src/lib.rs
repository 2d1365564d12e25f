//! What Bloom filters are used for in networks and storage, running at small scale.
//!
//! One file per use. Each has what a reader would copy into their own system: the structure, its
//! formula and nothing else. The folder `demo` has the demonstrations, one file per use, too: they
//! run the real parts (processes, sockets, namespaces, other programs), and compare what they
//! measure with what the formula says. `cargo run --release -p anther-uses -- all` runs them all.

pub mod browser_cache;
#[cfg(feature = "demo")]
pub mod demo;
pub mod differential_file;
pub mod encrypted_search;
pub mod fair_queue;
pub mod flood_control;
pub mod intrusion_detection;
pub mod ip_traceback;
pub mod key_value_store;
pub mod longest_prefix;
pub mod near_duplicates;
pub mod packet_loops;
pub mod peer_routing;
pub mod safe_browsing;
pub mod web_proxies;
