//! The demonstrations, one file per use.
//!
//! Each has its options ([`clap::Args`], whose defaults are what `all` runs) and a `run` that adds
//! lines to a [`Report`].

mod child;
mod http;
pub mod intrusion_detection;
pub mod near_duplicates;
pub mod peer_routing;
mod report;
pub mod safe_browsing;
pub mod web_proxies;

pub use report::{NotRun, Report};

use anther::KeyHash;
use std::error::Error;

/// How a demonstration ended, if it did not print its lines: an error, or [`NotRun`].
pub type Outcome = Result<(), Box<dyn Error>>;

/// The seed of everything that is drawn by chance.
pub const SEED: u64 = 20_261_117;

/// What a child process does: a part of a demonstration.
#[derive(clap::Subcommand, Debug)]
pub enum Part {
    /// The server of intrusion-detection
    DetectionSink(intrusion_detection::tap::SinkArgs),
    /// A node of peer-routing
    PeerNode(peer_routing::node::NodeArgs),
    /// The server of safe-browsing
    SafeServer(safe_browsing::server::ServerArgs),
    /// The site of web-proxies
    WebSite(web_proxies::proxy::SiteArgs),
    /// A proxy of web-proxies
    WebProxy(web_proxies::proxy::ProxyArgs),
    /// The keeper of web-proxies' Squid
    WebSquid(web_proxies::squid::KeeperArgs),
}

impl Part {
    /// Runs until the parent ends.
    pub fn run(&self) -> Outcome {
        match self {
            Part::DetectionSink(args) => args.run(),
            Part::PeerNode(args) => args.run(),
            Part::SafeServer(args) => args.run(),
            Part::WebSite(args) => args.run(),
            Part::WebProxy(args) => args.run(),
            Part::WebSquid(args) => args.run(),
        }
    }
}

/// Pseudorandom number `number`, the same in every run.
fn draw(number: u64) -> u64 {
    KeyHash(SEED).again(number).0
}

/// The secret key number `index`. Drawn from [`SEED`], so that every run is the same; elsewhere,
/// draw keys from the system's randomness.
fn secret_key(index: u64) -> u128 {
    let [low, high] = [2 * index, 2 * index + 1].map(|half| KeyHash(SEED).again(half).0);
    u128::from(high) << 64 | u128::from(low)
}

/// A false-positive rate as an option.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1e-4..=0.5).contains(rate));
    rate.ok_or_else(|| "must be a number from 0.0001 to 0.5".to_string())
}
