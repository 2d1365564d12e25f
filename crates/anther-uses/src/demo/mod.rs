//! The demonstrations, one file per use.
//!
//! Each has its options ([`clap::Args`], whose defaults are what `all` runs) and a `run` that adds
//! lines to a [`Report`].

pub mod browser_cache;
mod child;
pub mod differential_file;
pub mod encrypted_search;
pub mod fair_queue;
pub mod flood_control;
mod http;
pub mod intrusion_detection;
pub mod ip_traceback;
pub mod key_value_store;
pub mod longest_prefix;
mod made_up;
mod namespace;
pub mod near_duplicates;
mod node;
pub mod packet_loops;
pub mod peer_routing;
mod report;
pub mod safe_browsing;
mod scratch;
pub mod web_proxies;

pub use report::{NotRun, Report};
pub use scratch::RemoverArgs;

use anther::KeyHash;
use std::error::Error;

/// How a demonstration ended, if it did not print its lines: an error, or [`NotRun`].
pub type Outcome = Result<(), Box<dyn Error>>;

/// The seed of everything that is drawn by chance.
pub const SEED: u64 = 20_261_117;

/// What a child process does: a part of a demonstration.
#[derive(clap::Subcommand, Debug)]
pub enum Part {
    /// Removes a folder when its parent has ended
    Remover(RemoverArgs),
    /// The server of encrypted-search
    SearchServer(encrypted_search::server::ServerArgs),
    /// The forwarder of fair-queue
    QueueForwarder(fair_queue::nodes::ForwarderArgs),
    /// The receiver of fair-queue
    QueueReceiver(fair_queue::nodes::ReceiverArgs),
    /// A flow of fair-queue that slows down
    QueueResponsive(fair_queue::nodes::ResponsiveArgs),
    /// Flows of fair-queue that do not
    QueueConstant(fair_queue::nodes::ConstantArgs),
    /// The server of flood-control
    FloodServer(flood_control::nodes::ServerArgs),
    /// A host of flood-control, with many addresses
    FloodSender(flood_control::nodes::SenderArgs),
    /// A node of flood-control's mesh
    FloodMesh(flood_control::nodes::MeshArgs),
    /// A router of ip-traceback
    TraceRouter(ip_traceback::nodes::RouterArgs),
    /// The victim of ip-traceback
    TraceVictim(ip_traceback::nodes::VictimArgs),
    /// A host of the attacker in ip-traceback
    TraceAttacker(ip_traceback::nodes::AttackerArgs),
    /// A router of packet-loops
    LoopRouter(packet_loops::nodes::RouterArgs),
    /// The sender and receiver of packet-loops
    LoopHost(packet_loops::nodes::HostArgs),
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
            Part::Remover(args) => args.run(),
            Part::SearchServer(args) => args.run(),
            Part::QueueForwarder(args) => args.run(),
            Part::QueueReceiver(args) => args.run(),
            Part::QueueResponsive(args) => args.run(),
            Part::QueueConstant(args) => args.run(),
            Part::FloodServer(args) => args.run(),
            Part::FloodSender(args) => args.run(),
            Part::FloodMesh(args) => args.run(),
            Part::TraceRouter(args) => args.run(),
            Part::TraceVictim(args) => args.run(),
            Part::TraceAttacker(args) => args.run(),
            Part::LoopRouter(args) => args.run(),
            Part::LoopHost(args) => args.run(),
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

/// The secret key number `index`: the same in every run, so that results are. Elsewhere, draw keys from
/// the system's randomness.
fn secret_key(index: u64) -> u128 {
    let [low, high] = [2 * index, 2 * index + 1].map(draw);
    u128::from(high) << 64 | u128::from(low)
}

/// The secret key of a demonstration with one.
fn secret() -> [u8; 16] {
    secret_key(u64::MAX / 2).to_le_bytes()
}

/// A false-positive rate as an option.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1e-4..=0.5).contains(rate));
    rate.ok_or_else(|| "must be a number from 0.0001 to 0.5".to_string())
}
