//! The network of the server: both sides have a host with all addresses of their range.

use super::{HONEST, HOSTILE};
use crate::demo::Outcome;
use crate::demo::namespace::{Network, address};
use anther::Target;
use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

/// The server's node; the hosts are 1 and 2.
const SERVER: usize = 0;
/// Packets on their way at the same time: fewer than the smallest socket buffer holds.
const WINDOW: u32 = 100;

/// Who sends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    Honest,
    Hostile,
}

/// A server, and the hosts of both sides.
pub(super) struct Lab {
    network: Network,
    server: usize,
    sides: [usize; 2],
}

impl Lab {
    pub(super) fn new(target: Target) -> Result<Lab, Box<dyn Error>> {
        let mut network = Network::new(3, &[(SERVER, 1), (SERVER, 2)])?;
        let mut sides = [0; 2];
        for (link, range) in [HONEST, HOSTILE].into_iter().enumerate() {
            let range = Ipv4Addr::from_bits(range);
            // A host that has all addresses of the range, and the server's way back to it.
            let gateway = address(link, false);
            network.configure(link + 1, &[format!("route add local {range}/16 dev lo")])?;
            network.configure(
                SERVER,
                &[format!("route add {range}/16 via {}", address(link, true))],
            )?;
            let arguments = [range.to_string(), gateway.to_string()];
            sides[link] = network.start(link + 1, "flood-sender", &arguments)?;
        }
        let arguments = [target.items().to_string(), target.fpr().to_string()];
        let server = network.start(SERVER, "flood-server", &arguments)?;
        Ok(Lab { network, server, sides })
    }

    /// The server's next word, which is a number.
    fn number(&mut self, from: usize) -> Result<u64, Box<dyn Error>> {
        let (who, line) = self.network.hear(Duration::from_secs(5)).ok_or("packets were lost")?;
        if who != from {
            return Err(format!("process {who} said {line:?} unasked").into());
        }
        Ok(line.parse()?)
    }

    /// Lets each of these senders send this many packets. Returns how many packets the server admits.
    pub(super) fn send(
        &mut self,
        side: Side,
        first: u32,
        senders: u32,
        each: u32,
    ) -> Result<u32, Box<dyn Error>> {
        let mut admitted = 0;
        for sender in (first..first + senders).step_by((WINDOW / each).max(1) as usize) {
            let some = (first + senders - sender).min((WINDOW / each).max(1));
            for from in (0..each).step_by(WINDOW as usize) {
                let packets = WINDOW.min(each - from);
                self.network
                    .tell(self.sides[side as usize], format!("{sender} {some} {packets}"))?;
                for _ in 0..some * packets {
                    admitted += u32::try_from(self.number(self.server)?)?;
                }
            }
        }
        Ok(admitted)
    }

    /// Begins the next period.
    pub(super) fn turn(&mut self) -> Outcome {
        self.network.tell(self.server, "turn")?;
        self.number(self.server).map(drop)
    }

    /// Empties the filters, and sets their seed.
    pub(super) fn begin(&mut self, seed: &str) -> Outcome {
        self.network.tell(self.server, seed)?;
        self.number(self.server).map(drop)
    }

    pub(super) fn bytes(&mut self) -> Result<u64, Box<dyn Error>> {
        self.network.tell(self.server, "bytes")?;
        self.number(self.server)
    }

    /// Answers that honest clients got.
    pub(super) fn answered(&mut self) -> Result<u32, Box<dyn Error>> {
        let clients = self.sides[Side::Honest as usize];
        self.network.tell(clients, "answers")?;
        Ok(u32::try_from(self.number(clients)?)?)
    }
}
