//! The demonstrations, one file per use.
//!
//! Each has its options ([`clap::Args`], whose defaults are what `all` runs) and a `run` that adds
//! lines to a [`Report`].

pub mod fair_queue;
pub mod flood_control;
pub mod ip_traceback;
mod namespace;
pub mod near_duplicates;
mod node;
pub mod packet_loops;
mod report;

pub use report::{NotRun, Report};

use anther::KeyHash;
use std::error::Error;

/// How a demonstration ended, if it did not print its lines: an error, or [`NotRun`].
pub type Outcome = Result<(), Box<dyn Error>>;

/// The seed of everything that is drawn by chance.
pub const SEED: u64 = 20_261_117;

/// What a child process does: a part of a demonstration, on a node of its network.
#[derive(clap::Subcommand, Debug)]
pub enum Part {
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
}

impl Part {
    /// Runs until the parent ends.
    pub fn run(&self) -> Outcome {
        match self {
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
        }
    }
}

/// The secret key number `index`. Drawn from [`SEED`], so that every run is the same; elsewhere,
/// draw keys from the system's randomness.
fn secret_key(index: u64) -> u128 {
    let [low, high] = [2 * index, 2 * index + 1].map(|half| KeyHash(SEED).again(half).0);
    u128::from(high) << 64 | u128::from(low)
}
