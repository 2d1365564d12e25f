//! A server that attackers flood, and a mesh that broadcasts, in namespaces.

mod lab;
mod mesh;
pub mod nodes;

use super::{Outcome, Report};
use crate::flood_control::{Recent, over_a_period};
use anther::{Classic, Filter, Inspect, Key, Seed, Target};
use lab::{Lab, Side};
use std::collections::BTreeSet;
use std::error::Error;
use std::net::Ipv4Addr;

/// Floods stopped by two filters in turn: rate limits for senders, duplicates in broadcasts
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Honest clients; half of them send in each period
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u32).range(100..10_000))]
    clients: u32,
    /// Attackers; all of them send in each period
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..1000))]
    attackers: u32,
    /// Packets of an attacker per period
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..1000))]
    flood: u32,
    /// Periods
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(2..100))]
    periods: u32,
    /// False-positive rate of each filter, in percent
    #[arg(long, default_value_t = 1.0, value_parser = percent)]
    percent: f64,
    /// Broadcasts per period in the mesh
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(10..10_000))]
    broadcasts: u32,
}

fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if (0.001..=20.0).contains(&number) { Ok(number) } else { Err("use 0.001 to 20".into()) }
}

/// The networks whose addresses honest clients and attackers have: 10.64 and 10.65.
const HONEST: u32 = Ipv4Addr::new(10, 64, 0, 0).to_bits();
const HOSTILE: u32 = Ipv4Addr::new(10, 65, 0, 0).to_bits();
/// Victims of a forger who knows the hash.
const VICTIMS: u32 = 50;
/// Packets with forged addresses, from as many of them.
const FORGED: u32 = 20_000;

impl Args {
    /// Floods the server, then the mesh.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let fpr = self.percent / 100.0;
        // Each period has half of the clients, and at most all attackers. One more, so that no
        // period ends early.
        let target = Target::new(u64::from(self.clients / 2 + self.attackers) + 1, fpr)?;
        let mut lab = Lab::new(target)?;
        self.serve(&mut lab, target, report)?;
        lab.begin("keyed")?;
        let before = lab.bytes()?;
        lab.send(Side::Hostile, 0, FORGED, 1)?;
        let after = lab.bytes()?;
        report.claim(
            format_args!(
                "{FORGED} senders, most of them beyond what the filters are made for: bytes"
            ),
            before,
            after,
            before == after,
        );
        let served = lab.send(Side::Honest, 0, self.clients / 2, 1)?;
        let dropped = (self.clients / 2).saturating_sub(served);
        let clients = f64::from(self.clients / 2);
        // Too few clients for a verdict.
        report.note(format_args!(
            "honest clients that are wrongly dropped during that flood: {:.4}, of {clients}; at most {:.4} \
             by the formula",
            f64::from(dropped) / clients,
            2.0 * fpr
        ));
        for (seed, all) in [("fixed", true), ("keyed", false)] {
            lab.begin(seed)?;
            let (packets, dropped) = self.aim(&mut lab, target)?;
            report.claim(
                format_args!("victims chosen by an attacker ({packets:.1} packets each), {seed} seed: dropped"),
                if all { format!("all of {VICTIMS}") } else { "0".into() },
                dropped,
                dropped == if all { VICTIMS } else { 0 },
            );
        }
        drop(lab);
        mesh::run(self.broadcasts, fpr, report)
    }

    /// Honest clients and attackers send at the same time, for some periods.
    fn serve(&self, lab: &mut Lab, target: Target, report: &mut Report) -> Outcome {
        lab.begin("keyed")?;
        let (half, bursts) = (self.clients / 2, 8);
        let (mut served, mut asked, mut admitted, mut sent) = (0, 0, 0, 0);
        for period in 0..self.periods {
            for burst in 0..bursts {
                // This burst's part of the clients whose turn it is, and of the attackers.
                let part = |all: u32| (all * burst / bursts, all * (burst + 1) / bursts);
                let (from, upto) = part(half);
                served += lab.send(Side::Honest, period % 2 * half + from, upto - from, 1)?;
                asked += upto - from;
                let (from, upto) = part(self.attackers);
                admitted += lab.send(Side::Hostile, from, upto - from, self.flood)?;
                sent += (upto - from) * self.flood;
            }
            lab.turn()?;
        }
        let (bits, probes) = Recent::new(target, Seed::FIXED)?.shape();
        // Attackers who passed in a period do not in the next one.
        let (mut expected, mut previous, mut passed) = (0.0, 0.0, 0.0);
        for _ in 0..self.periods {
            let hostile = f64::from(self.attackers) - passed;
            let (drop, kept) = over_a_period(bits, probes, f64::from(half) + hostile, previous);
            (expected, previous, passed) =
                (expected + drop / f64::from(self.periods), kept, hostile * (1.0 - drop));
        }
        report.share(
            "honest clients that are wrongly dropped",
            expected,
            (asked - served) as usize,
            asked as usize,
        );
        let turns = u64::from(self.attackers) * u64::from(self.periods.div_ceil(2));
        report.at_most(
            format_args!("packets of attackers that pass, of {sent}"),
            (turns as f64, ": each attacker once in two periods"),
            admitted.into(),
            0,
        );
        let answered = lab.answered()?;
        report.claim("answers that honest clients got", served, answered, answered == served);
        report.note(format_args!(
            "the server's two filters have {} bytes, for {} senders per period",
            lab.bytes()?,
            target.items()
        ));
        Ok(())
    }

    /// For each victim, a few addresses of the attacker that set all of its bits, if the seed is the
    /// fixed one. Returns the mean number of them, and how many victims are dropped.
    fn aim(&self, lab: &mut Lab, target: Target) -> Result<(f64, u32), Box<dyn Error>> {
        let model = Classic::with_seed(target, Seed::FIXED)?;
        let cells = |address: u32| -> BTreeSet<u64> {
            let touches = model.touches(address.key_hash(model.seed()));
            touches.iter().map(|touch| touch.cell).collect()
        };
        let own: Vec<(u32, BTreeSet<u64>)> =
            (0..1 << 16).map(|host| (host, cells(HOSTILE + host))).collect();
        let (mut packets, mut dropped) = (0, 0);
        for victim in 0..VICTIMS {
            let mut open = cells(HONEST + victim);
            while let Some(cell) = open.pop_first() {
                let (host, sets) =
                    own.iter().find(|(_, sets)| sets.contains(&cell)).ok_or("too few addresses")?;
                lab.send(Side::Hostile, *host, 1, 1)?;
                open.retain(|cell| !sets.contains(cell));
                packets += 1;
            }
            dropped += 1 - lab.send(Side::Honest, victim, 1, 1)?;
            lab.turn()?;
            lab.turn()?;
        }
        Ok((f64::from(packets) / f64::from(VICTIMS), dropped))
    }
}
