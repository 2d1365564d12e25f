//! The processes: routers, the victim, and the attacker's hosts.
//!
//! A packet is its mark, then a byte that says with which seed routers hash, so that one network
//! shows both.

use crate::demo::node::{self, PORT, relay};
use crate::demo::{Outcome, SEED};
use crate::ip_traceback::Mark;
use anther::sizing::generalized::Rule;
use anther::{KeyHash, Seed};
use std::net::Ipv4Addr;

/// The filter in a packet.
#[derive(clap::Args, Debug)]
struct Filter {
    bits: u64,
    clears: u32,
    sets: u32,
}

impl Filter {
    fn rule(&self) -> Rule {
        Rule { bits: self.bits, clears: self.clears, sets: self.sets }
    }
}

/// A router: it marks packets and forwards them toward the victim.
#[derive(clap::Args, Debug)]
pub struct RouterArgs {
    id: u64,
    next: Ipv4Addr,
    #[command(flatten)]
    filter: Filter,
}

impl RouterArgs {
    /// Forwards packets until the parent ends. The secret key is the first line of its input.
    pub fn run(&self) -> Outcome {
        let socket = node::socket()?;
        let mut told = node::ready();
        let key: Option<u128> = told.next().and_then(|line| line.parse().ok());
        node::end_with(told);
        let keyed = Seed::keyed(key.ok_or("a router needs the key")?.to_le_bytes());
        relay(&socket, |packet| {
            let seed = if *packet.last()? == 1 { keyed } else { Seed::FIXED };
            let mut mark = Mark::from_bytes(packet, self.filter.rule(), seed)?;
            mark.pass(self.id);
            let bytes = mark.to_bytes();
            packet.get_mut(..bytes.len())?.copy_from_slice(&bytes);
            Some(self.next)
        })
    }
}

/// The victim: it prints the packets that it gets.
#[derive(clap::Args, Debug)]
pub struct VictimArgs {}

impl VictimArgs {
    /// Prints packets until the parent ends.
    pub fn run(&self) -> Outcome {
        let socket = node::socket()?;
        node::end_with(node::ready());
        relay(&socket, |packet| {
            let digits: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
            node::say(digits);
            None
        })
    }
}

/// The bytes of a packet that the victim printed.
pub(super) fn from_hex(line: &str) -> Option<Vec<u8>> {
    let digits = line.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect()
}

/// A host of the attacker: it sends packets with bits of its choice.
#[derive(clap::Args, Debug)]
pub struct AttackerArgs {
    gateway: Ipv4Addr,
    #[command(flatten)]
    filter: Filter,
}

impl AttackerArgs {
    /// Sends packets as it is told: first number, count, start, seed of the routers.
    pub fn run(&self) -> Outcome {
        let socket = node::socket()?;
        for line in node::ready() {
            let words: Vec<&str> = line.split(' ').collect();
            let &[first, count, start, keyed] = &words[..] else {
                return Err(format!("the attacker cannot read {line:?}").into());
            };
            let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
            for number in first..first + count {
                let packet =
                    [&self.mark(number, start)?.to_bytes()[..], &[keyed.parse()?]].concat();
                socket.send_to(&packet, (self.gateway, PORT))?;
            }
        }
        Ok(())
    }

    /// The start: zeros, ones, half of each by chance, or a router that the packet never meets.
    fn mark(&self, number: u64, start: &str) -> Result<Mark, Box<dyn std::error::Error>> {
        let nonce = KeyHash(SEED).again(number);
        let Rule { bits, clears, sets } = self.filter.rule();
        let is_one = |bit: u64| match start {
            "ones" => true,
            "half" => nonce.again(bit).0 & 1 == 1,
            _ => false,
        };
        // Anybody knows the fixed seed.
        let mut mark = Mark::forged(nonce.0, bits, clears, sets, Seed::FIXED, is_one)?;
        if let Some(framed) = start.strip_prefix("frame-") {
            mark.pass(framed.parse()?);
        }
        Ok(mark)
    }
}
