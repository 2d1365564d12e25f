//! Packets through routers in namespaces, some of which send them in circles.

pub mod nodes;

use super::namespace::{Network, address};
use super::{Outcome, Report, secret_key};
use crate::packet_loops::{false_loop, false_loops};
use std::collections::HashSet;
use std::time::Duration;

/// Packets that find out that they run in circles, by a filter in their header (Icarus)
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Packets sent along the whole chain of routers
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..1_000_000))]
    packets: u64,
    /// Routers in the chain, each a process in a namespace of its own
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u64).range(8..60))]
    hops: u64,
    /// Bits of the filter in a packet
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(8..8192))]
    bits: u64,
    /// Probes per router
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..33))]
    probes: u32,
}

/// Packets on their way at the same time: fewer than the smallest socket buffer holds.
const WINDOW: u64 = 64;
/// Hops until a packet is dropped in any case, as IP's time to live.
const TIME_TO_LIVE: u8 = 64;
/// Packets for each loop.
const FEW: u64 = 400;
/// Packets that are forged.
const FORGED: u64 = 2000;

/// What routers look up in a packet: set by its last byte, so that one network shows all three.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Check {
    Keyed = 0,
    Fixed = 1,
    Nothing = 2,
}

/// Where a packet ended: dropped by a router that found itself in it, or by its time to live, or
/// arrived; and after how many hops.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Loop { hops: u64 },
    Expired { hops: u64 },
    Arrived,
}

impl Args {
    /// Sends packets straight, in loops, and forged.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let mut lab = Lab::new(self)?;
        let (bits, probes) = (self.bits, self.probes);

        let ends = lab.send(self.packets, 0, Check::Keyed, None)?;
        report.claim(
            "packets that are accounted for",
            self.packets,
            ends.len(),
            ends.len() as u64 == self.packets,
        );
        for hops in [16, 24, 32].into_iter().filter(|hops| *hops < self.hops).chain([self.hops]) {
            let dropped =
                ends.iter().filter(|end| matches!(end, End::Loop { hops: at } if *at < hops));
            let claim = format!("false loops over {hops} hops, {bits} bits, {probes} probes");
            report.share(claim, false_loop(bits, probes, hops), dropped.count(), ends.len());
        }

        for (dest, &(from, to)) in (1u8..).zip(&lab.loops.clone()) {
            let ends = lab.send(FEW, dest, Check::Keyed, None)?;
            let hops = |end: &End| match end {
                End::Loop { hops } => *hops,
                End::Expired { .. } | End::Arrived => u64::MAX,
            };
            let most = ends.iter().map(hops).max().unwrap_or(u64::MAX);
            let claim = format!(
                "loop of {} routers, entered after {} hops: dropped after one round, at hop",
                from - to + 1,
                to - 1
            );
            let holds = most <= from && ends.len() as u64 == FEW;
            report.claim(claim, format_args!("{from}, or earlier by a false loop"), most, holds);
        }
        let ends = lab.send(FEW / 4, 1, Check::Nothing, None)?;
        let all = ends.iter().all(|end| *end == End::Expired { hops: TIME_TO_LIVE.into() });
        report.claim(
            "without the filter, the same loop of 2 routers: hops until the time to live is over",
            TIME_TO_LIVE,
            if all { TIME_TO_LIVE.to_string() } else { format!("{ends:?}") },
            all && !ends.is_empty(),
        );
        self.forge(&mut lab, report)
    }

    /// The sender writes a router of its choice into its packets, to have them dropped there.
    fn forge(&self, lab: &mut Lab, report: &mut Report) -> Outcome {
        // The last one, where false loops are common enough to be counted.
        let victim = self.hops;
        for (check, name) in [(Check::Fixed, "a fixed seed"), (Check::Keyed, "a key of its own")] {
            let ends = lab.send(FORGED, 0, check, Some(victim))?;
            // Hops of a packet are the routers that it passed before this one.
            let at = |end: &&End| matches!(end, End::Loop { hops } if *hops == victim - 1);
            let earlier = |end: &&End| matches!(end, End::Loop { hops } if *hops < victim - 1);
            let (dropped, reached) =
                (ends.iter().filter(at).count(), ends.len() - ends.iter().filter(earlier).count());
            let claim =
                format!("forged for router {victim}, which hashes with {name}: dropped there");
            match check {
                Check::Keyed => {
                    // The forged bits are as many as those of one more router.
                    let shares = false_loops(self.bits, self.probes, 1);
                    let shares: Vec<f64> = shares.take(usize::try_from(victim)?).collect();
                    let (there, before) = shares.split_last().ok_or("no router is forged")?;
                    let left = 1.0 - before.iter().sum::<f64>();
                    report.share(claim, there / left.max(f64::MIN_POSITIVE), dropped, reached);
                }
                Check::Fixed | Check::Nothing => {
                    report.claim(
                        claim,
                        format_args!("all of {reached}"),
                        dropped,
                        dropped == reached,
                    );
                }
            }
        }
        Ok(())
    }
}

/// The network: a host, node 0, and a ring of routers from it and back to it.
struct Lab {
    network: Network,
    host: usize,
    /// For destinations 1, 2, …: the router that sends back, and the one it sends to.
    loops: Vec<(u64, u64)>,
    sent: u64,
}

impl Lab {
    fn new(args: &Args) -> Result<Lab, Box<dyn std::error::Error>> {
        let routers = usize::try_from(args.hops)?;
        // Two routers that point at each other, and three longer loops over links of their own.
        let loops = vec![(2, 1), (6, 3), (args.hops * 3 / 4, args.hops / 4), (args.hops, 1)];
        let mut links: Vec<(usize, usize)> = (0..routers).map(|at| (at, at + 1)).collect();
        links.push((routers, 0));
        for (from, to) in &loops[1..] {
            links.push((usize::try_from(*from)?, usize::try_from(*to)?));
        }
        let mut network = Network::new(routers + 1, &links)?;
        let shape =
            ["--bits".into(), args.bits.to_string(), "--probes".into(), args.probes.to_string()];
        for router in 1..=routers {
            let mut arguments = vec!["--id".to_string(), router.to_string()];
            arguments.extend(shape.clone());
            arguments.push(format!("0={}", address(router, true)));
            for (dest, (from, _)) in (1usize..).zip(&loops) {
                let back = match dest {
                    1 => address(1, false),
                    _ => address(routers + dest - 1, true),
                };
                let next = if *from == router as u64 { back } else { address(router, true) };
                arguments.push(format!("{dest}={next}"));
            }
            let process = network.start(router, "loop-router", &arguments)?;
            network.tell(process, secret_key(router as u64).to_string())?;
        }
        let host = network.start(0, "loop-host", &shape)?;
        Ok(Lab { network, host, loops, sent: 0 })
    }

    /// Sends packets, a window at a time, and tells where each ended.
    fn send(
        &mut self,
        packets: u64,
        dest: u8,
        check: Check,
        forged: Option<u64>,
    ) -> Result<Vec<End>, Box<dyn std::error::Error>> {
        let (mut ends, mut seen) = (Vec::new(), HashSet::new());
        while (ends.len() as u64) < packets {
            let some = WINDOW.min(packets - ends.len() as u64);
            let (first, forged) = (self.sent, forged.unwrap_or(0));
            self.network
                .tell(self.host, format!("{first} {some} {dest} {} {forged}", check as u8))?;
            self.sent += some;
            for _ in 0..some {
                let Some((_, line)) = self.network.hear(Duration::from_secs(5)) else {
                    return Ok(ends);
                };
                let (nonce, end) = parse(&line).ok_or_else(|| format!("a router said {line:?}"))?;
                if seen.insert(nonce) {
                    ends.push(end);
                }
            }
        }
        Ok(ends)
    }
}

fn parse(line: &str) -> Option<(u64, End)> {
    let mut words = line.split(' ');
    let (what, nonce, hops) =
        (words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let end = match what {
        "loop" => End::Loop { hops },
        "expired" => End::Expired { hops },
        "arrived" => End::Arrived,
        _ => return None,
    };
    Some((nonce, end))
}
