//! The processes: routers, and the host that sends and gets packets.
//!
//! A packet is its trail, then a byte each for destination, hops, and what routers look up.

use super::TIME_TO_LIVE;
use crate::demo::namespace::address;
use crate::demo::node::{self, relay};
use crate::demo::{Outcome, SEED};
use crate::packet_loops::{Node, Trail};
use anther::{KeyHash, Seed};
use std::net::{Ipv4Addr, UdpSocket};
use std::thread;

/// A router: a process that forwards packets.
#[derive(clap::Args, Debug)]
pub struct RouterArgs {
    #[arg(long)]
    id: u64,
    #[arg(long)]
    bits: u64,
    #[arg(long)]
    probes: u32,
    /// The next hop for each destination, DEST=ADDRESS, in order
    routes: Vec<String>,
}

impl RouterArgs {
    /// Forwards packets until the parent ends. Its key is the first line of its input.
    pub fn run(&self) -> Outcome {
        let next = |route: &String| route.split_once('=').and_then(|(_, to)| to.parse().ok());
        let routes: Vec<Ipv4Addr> = self.routes.iter().filter_map(next).collect();
        let socket = node::socket()?;
        let mut told = node::ready();
        let key: Option<u128> = told.next().and_then(|line| line.parse().ok());
        node::end_with(told);
        let key = key.ok_or("a router needs its key")?.to_le_bytes();
        let keyed = Node::new(self.id, self.probes, Seed::keyed(key));
        let fixed = Node::new(self.id, self.probes, Seed::FIXED);
        relay(&socket, |packet| {
            let mut trail = Trail::from_bytes(packet, self.bits)?;
            let [.., dest, hops, check] = packet else { return None };
            let passes = match *check {
                0 => keyed.pass(&mut trail),
                1 => fixed.pass(&mut trail),
                _ => true,
            };
            if !passes || *hops == TIME_TO_LIVE {
                let what = if passes { "expired" } else { "loop" };
                node::say(format_args!("{what} {} {hops}", trail.nonce));
                return None;
            }
            *hops += 1;
            let next = routes.get(usize::from(*dest)).copied();
            let bytes = trail.to_bytes();
            packet[..bytes.len()].copy_from_slice(&bytes);
            next
        })
    }
}

/// The host: sends packets into the chain, and gets those that arrive.
#[derive(clap::Args, Debug)]
pub struct HostArgs {
    #[arg(long)]
    bits: u64,
    #[arg(long)]
    probes: u32,
}

impl HostArgs {
    /// Sends packets as it is told: first nonce, number, destination, check, forged router.
    pub fn run(&self) -> Outcome {
        let socket = node::socket()?;
        let arrivals = socket.try_clone()?;
        let bits = self.bits;
        thread::spawn(move || {
            relay(&arrivals, |packet| {
                let nonce = Trail::from_bytes(packet, bits)?.nonce;
                node::say(format_args!("arrived {nonce} {}", packet[packet.len() - 2]));
                None
            })
            .map_err(|error| error.to_string())
        });
        for line in node::ready() {
            let numbers: Vec<u64> = line.split(' ').map_while(|word| word.parse().ok()).collect();
            let &[first, count, dest, check, forged] = &numbers[..] else {
                return Err(format!("the host cannot read {line:?}").into());
            };
            let end = [u8::try_from(dest)?, 0, u8::try_from(check)?];
            for number in first..first + count {
                self.send(&socket, number, forged, end)?;
            }
        }
        Ok(())
    }

    fn send(&self, socket: &UdpSocket, number: u64, forged: u64, end: [u8; 3]) -> Outcome {
        let nonce = KeyHash(SEED).again(number).0;
        let mut trail = Trail::new(nonce, self.bits)?;
        if forged > 0 {
            // What anybody knows: the router's number and the fixed seed.
            Node::new(forged, self.probes, Seed::FIXED).pass(&mut trail);
        }
        let packet = [&trail.to_bytes()[..], &end].concat();
        socket.send_to(&packet, (address(0, true), node::PORT))?;
        Ok(())
    }
}
