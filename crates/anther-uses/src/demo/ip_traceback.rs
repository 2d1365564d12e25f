//! Attacks through a grid of routers in namespaces, traced back by the marks in their packets.

pub mod nodes;

use super::namespace::{Network, address};
use super::{Outcome, Report, secret_key};
use crate::ip_traceback::{Mark, outvotes, reaches, walk_back};
use anther::sizing::generalized::Rule;
use anther::{Classic, Seed, Shape};
use std::collections::BTreeSet;
use std::error::Error;
use std::time::Duration;

/// The source of packets with forged addresses, found by a filter in their header
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Packets of each attack
    #[arg(long, default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(100..1_000_000))]
    packets: u64,
    /// Routers on each side of the grid, each a process in a namespace of its own
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(3..9))]
    side: u64,
    /// Bits of the filter in a packet
    #[arg(long, default_value_t = 304, value_parser = clap::value_parser!(u64).range(8..8192))]
    bits: u64,
    /// Bits that a router clears
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..33))]
    clears: u32,
    /// Bits that a router sets
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..33))]
    sets: u32,
}

/// Packets on their way at the same time: fewer than the smallest socket buffer holds.
const WINDOW: u64 = 64;
/// Packets that vote on a path.
const VOTES: u64 = 25;

impl Args {
    /// Attacks with every start, then with a framed router.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let rule = Rule { bits: self.bits, clears: self.clears, sets: self.sets };
        let mut lab = Lab::new(self.side, rule)?;
        let far = lab.grid.routers() - 1;
        let path = lab.grid.path(far);
        let hops = path.len() as u64;
        for (start, zeros) in [("zeros", 1.0), ("ones", 0.0), ("half", 0.5)] {
            let marks = lab.attack(far, self.packets, start, Seed::keyed(lab.key))?;
            let claim = format!("start of {start}: packets that arrive");
            report.claim(claim, self.packets, marks.len(), marks.len() as u64 == self.packets);
            let others = (0..lab.grid.routers()).filter(|router| !path.contains(router));
            let found = others.clone().map(|other| count(&marks, other)).sum::<usize>() as f64;
            let found = found / (others.count() * marks.len().max(1)) as f64;
            // Lookups in one packet are not independent; packets are.
            let deviations = |rate: f64| 5.0 * (rate * (1.0 - rate) / self.packets as f64).sqrt();
            let rate = rule.rate_at(rule.zeros(zeros, hops) * self.bits as f64);
            let claim = format!("start of {start}: other routers found by mistake");
            report.within(claim, rate, deviations(rate), found, 4);
            if start == "ones" {
                let found = self.classic(&lab, &path)?;
                report.claim(
                    "the same start in a classic filter: others found",
                    1,
                    found,
                    found == 1.0,
                );
            }
            if start == "half" {
                for later in [1, hops / 2, hops - 1] {
                    let router = path[usize::try_from(hops - 1 - later)?];
                    let missed = marks.len() - count(&marks, router);
                    let claim = format!("router followed by {later} others is missed");
                    report.share(claim, rule.misses(later), missed, marks.len());
                }
                let single = marks.iter().map(|mark| lab.walk(std::slice::from_ref(mark)));
                let reached = single.filter(|found| found.contains(&far)).count();
                let claim =
                    format!("one packet: the walk back reaches the source, {hops} hops away");
                report.share(claim, reaches(&rule, hops), reached, marks.len());
                let voted = marks.chunks_exact(usize::try_from(VOTES)?);
                let (groups, truth) = (voted.len(), path.iter().copied().collect());
                let exact = voted.filter(|marks| lab.walk(marks) == truth).count();
                // Each router of the path is found, and none of its neighbours.
                let beside = path.iter().flat_map(|router| lab.grid.neighbours(*router));
                let beside: BTreeSet<u64> =
                    beside.filter(|router| !path.contains(router)).collect();
                let all = (1..hops).map(|later| outvotes(1.0 - rule.misses(later), VOTES));
                let none = beside.iter().map(|_| 1.0 - outvotes(rate, VOTES));
                let predicted = all.chain(none).product();
                let claim = format!("{VOTES} packets vote: exactly the path is found");
                report.share(claim, predicted, exact, groups);
            }
        }
        self.frame(&mut lab, rule, report)
    }

    /// The sender writes a router of its choice into its packets, so that the path seems longer.
    fn frame(&self, lab: &mut Lab, rule: Rule, report: &mut Report) -> Outcome {
        // Its own router is on the first row, so the one below is never on the path.
        let (source, framed) = (self.side - 2, 2 * self.side - 2);
        let hops = lab.grid.path(source).len() as u64;
        let start = format!("frame-{framed}");
        let marks = lab.attack(source, self.packets, &start, Seed::FIXED)?;
        let claim = format!("router {framed} is framed, routers hash with a fixed seed: found");
        report.share(claim, 1.0 - rule.misses(hops), count(&marks, framed), marks.len());
        let marks = lab.attack(source, self.packets, &start, Seed::keyed(lab.key))?;
        // What the attacker wrote is as many ones as one router sets, anywhere.
        let zeros = rule.zeros(1.0, 1);
        let rate = rule.rate_at(rule.zeros(zeros, hops) * self.bits as f64);
        report.share("the same with a secret key: found", rate, count(&marks, framed), marks.len());
        let (worst, published) = (rule.worst_rate(), rule.published_bound());
        report.note(format_args!(
            "no start gives a rate above {worst:.4}, that of half ones (published: {published:.4})"
        ));
        Ok(())
    }

    /// The share of routers beside the path that a classic filter full of ones reports.
    fn classic(&self, lab: &Lab, path: &[u64]) -> Result<f64, Box<dyn Error>> {
        let probes = self.clears + self.sets;
        let shape = Shape::bits(self.bits).probes(probes);
        let mut full = Classic::with_shape(shape, Seed::keyed(lab.key))?;
        for bit in 0..self.bits {
            full.insert_positions(&vec![bit; probes as usize])?;
        }
        path.iter().for_each(|router| {
            full.insert(router);
        });
        let others = (0..lab.grid.routers()).filter(|router| !path.contains(router));
        let found = others.clone().filter(|router| full.contains(router)).count();
        Ok(found as f64 / others.count() as f64)
    }
}

fn count(marks: &[Mark], router: u64) -> usize {
    marks.iter().filter(|mark| mark.contains(router)).count()
}

/// Routers in rows and columns, by number. Packets go along their row to column 0, then up to
/// router 0, which is the victim's.
#[derive(Clone, Copy, Debug)]
struct Grid {
    side: u64,
}

impl Grid {
    fn routers(self) -> u64 {
        self.side * self.side
    }

    fn neighbours(self, router: u64) -> Vec<u64> {
        let (row, column, last) = (router / self.side, router % self.side, self.side - 1);
        let mut all = Vec::new();
        all.extend((column > 0).then(|| router - 1));
        all.extend((column < last).then(|| router + 1));
        all.extend((row > 0).then(|| router - self.side));
        all.extend((row < last).then(|| router + self.side));
        all
    }

    /// The next router on the way to the victim.
    fn next(self, router: u64) -> Option<u64> {
        match router {
            0 => None,
            _ if !router.is_multiple_of(self.side) => Some(router - 1),
            _ => Some(router - self.side),
        }
    }

    fn path(self, first: u64) -> Vec<u64> {
        std::iter::successors(Some(first), |router| self.next(*router)).collect()
    }
}

/// The grid, the victim and an attacker.
struct Lab {
    network: Network,
    grid: Grid,
    rule: Rule,
    key: [u8; 16],
    /// The routers of the attacker's hosts, and the processes there.
    attackers: Vec<(u64, usize)>,
    sent: u64,
}

impl Lab {
    fn new(side: u64, rule: Rule) -> Result<Lab, Box<dyn Error>> {
        let (grid, key) = (Grid { side }, secret_key(0).to_le_bytes());
        let mut links = Vec::new();
        for router in 0..grid.routers() {
            let later = grid.neighbours(router).into_iter().filter(|other| *other > router);
            links.extend(later.map(|other| (router, other)));
        }
        // The victim and the two hosts of the attacker, at their routers.
        let (victim, far, near) = (grid.routers(), grid.routers() + 1, grid.routers() + 2);
        let ways_in = [(victim, 0), (far, grid.routers() - 1), (near, side - 2)];
        links.extend(ways_in);
        let numbers = links.iter().map(|(a, b)| Ok((usize::try_from(*a)?, usize::try_from(*b)?)));
        let numbers: Vec<_> = numbers.collect::<Result<_, std::num::TryFromIntError>>()?;
        let mut network = Network::new(usize::try_from(near + 1)?, &numbers)?;
        // The address of the node `to` on its link with `from`.
        let toward = |from: u64, to: u64| {
            let ends = |(a, b): &(u64, u64)| (*a, *b) == (from, to) || (*a, *b) == (to, from);
            let link = links.iter().position(ends).unwrap_or(usize::MAX);
            address(link, links.get(link).is_some_and(|(_, second)| *second == to)).to_string()
        };
        let shape = [rule.bits.to_string(), rule.clears.to_string(), rule.sets.to_string()];
        for router in 0..grid.routers() {
            let next = toward(router, grid.next(router).unwrap_or(victim));
            let arguments = [&[router.to_string(), next], &shape[..]].concat();
            let process = network.start(usize::try_from(router)?, "trace-router", &arguments)?;
            network.tell(process, u128::from_le_bytes(key).to_string())?;
        }
        network.start(usize::try_from(victim)?, "trace-victim", &[])?;
        let mut attackers = Vec::new();
        for (host, router) in &ways_in[1..] {
            let arguments = [&[toward(*host, *router)], &shape[..]].concat();
            attackers.push((
                *router,
                network.start(usize::try_from(*host)?, "trace-attacker", &arguments)?,
            ));
        }
        Ok(Lab { network, grid, rule, key, attackers, sent: 0 })
    }

    /// Sends packets from a host at a router, and returns the marks that arrive. Routers hash with
    /// the seed.
    fn attack(
        &mut self,
        source: u64,
        packets: u64,
        start: &str,
        seed: Seed,
    ) -> Result<Vec<Mark>, Box<dyn Error>> {
        let host = self.attackers.iter().find(|(router, _)| *router == source);
        let host = host.ok_or("no attacker there")?.1;
        let keyed = u8::from(seed.kind() != Seed::FIXED.kind());
        let mut marks = Vec::new();
        while (marks.len() as u64) < packets {
            let some = WINDOW.min(packets - marks.len() as u64);
            self.network.tell(host, format!("{} {some} {start} {keyed}", self.sent))?;
            self.sent += some;
            for _ in 0..some {
                let Some((_, line)) = self.network.hear(Duration::from_secs(5)) else {
                    return Ok(marks);
                };
                let bytes =
                    nodes::from_hex(&line).ok_or_else(|| format!("the victim said {line:?}"))?;
                marks.extend(Mark::from_bytes(&bytes, self.rule, seed));
            }
        }
        Ok(marks)
    }

    /// The routers that a walk back from the victim finds.
    fn walk(&self, marks: &[Mark]) -> BTreeSet<u64> {
        let most = usize::try_from(2 * self.grid.side - 1).unwrap_or(usize::MAX);
        walk_back(marks, 0, |router| self.grid.neighbours(router), most)
    }
}
