//! Attenuated filters in an overlay of processes: what is found, how far it is, how often a query
//! turns wrong.

mod map;
pub mod node;

use super::child::Child;
use super::http::Client;
use super::{Outcome, Report, draw};
use crate::peer_routing::wrong_turn;
use anther::sizing::bloom;
use anther::{Filter, Key, Open, Seed};
use map::{Map, Sizes, Truth};
use node::{Found, Step, name};
use std::error::Error;

/// Names that an attacker makes up.
const CRAFTED: usize = 400;
/// Wrong turns that are expected at least: twice as many would be noticed.
const ENOUGH: f64 = 40.0;
/// Absent objects that each node looks up.
const ABSENT: usize = 2000;

/// Routing among peers by attenuated filters, in an overlay of processes
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Nodes: a ring, and a chord from each node
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u8).range(4..=60))]
    nodes: u8,
    /// Objects of each node
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=1000))]
    objects: u16,
    /// Bits of a filter; half and twice as many are tried, too
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(64..=1 << 20))]
    bits: u64,
    /// Probes per object
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=16))]
    probes: u32,
    /// Levels per link; one less and one more are tried, too. Deeper levels hold most of all objects
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=4))]
    depth: u8,
}

/// The overlay: a process per node, and what is true about it.
struct Overlay {
    processes: Vec<Child>,
    clients: Vec<Client>,
    map: Map,
    objects: usize,
    /// Steps after others, and those of them whose level is shallower by more than one.
    steps: usize,
    jumps: usize,
}

impl Args {
    /// Starts the overlay, and runs it with several depths and sizes.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let mut overlay = Overlay::start(self.nodes.into(), self.objects.into())?;
        let depth = usize::from(self.depth);
        let sizes = Sizes { bits: self.bits, probes: self.probes, depth, keyed: true };
        overlay.measure(Sizes { depth: depth - 1, ..sizes }, report)?;
        let deeper = Sizes { depth: depth + 1, ..sizes };
        overlay.measure(deeper, report)?;
        overlay.levels(deeper, report)?;
        let mut detours = Vec::new();
        for bits in [self.bits / 2, self.bits, self.bits * 2] {
            detours.push(overlay.measure(Sizes { bits, ..sizes }, report)?);
        }
        report.claim(
            format_args!("steps beyond the distance, half, all and twice of {} bits", self.bits),
            "fewer with each",
            format_args!("{:.3}, {:.3}, {:.3}", detours[0], detours[1], detours[2]),
            detours[0] >= detours[1] && detours[1] >= detours[2],
        );
        let claim = "next steps that match more than one level before the last one";
        let (steps, jumps) = (overlay.steps, overlay.jumps);
        report.claim(claim, 0, format_args!("{jumps} of {steps}"), jumps == 0 && steps > 0);
        let (crafted, sent_on) = overlay.attack(Sizes { keyed: false, ..sizes })?;
        if crafted == 0 {
            report.note("filters of this size match no name that an attacker finds in a second");
            return Ok(());
        }
        report.claim(
            "names of an attacker, fixed seed: queries that are sent around",
            format_args!("{crafted} of {crafted}"),
            sent_on,
            sent_on == crafted,
        );
        let (crafted, sent_on) = overlay.attack(sizes)?;
        let rates = overlay.map.truth(sizes, overlay.objects).rates(0);
        let predicted = wrong_turn(rates.into_iter().map(|(_, _, rate)| rate));
        report.share("the same with a shared secret key", predicted, sent_on, crafted);
        Ok(())
    }
}

/// The chance that the first turn is wrong: by all that the node looks at before what is right.
fn wrong_first(truth: &Truth, start: usize, owner: usize) -> f64 {
    let rates = truth.rates(start).into_iter();
    let before = rates.take_while(|(level, link, _)| !truth.has(start, *link, *level, owner));
    wrong_turn(before.map(|(_, _, rate)| rate))
}

impl Overlay {
    fn start(nodes: usize, objects: usize) -> Result<Overlay, Box<dyn Error>> {
        let map = Map::new(nodes);
        let (mut processes, mut ports) = (Vec::new(), Vec::new());
        for id in 0..nodes {
            let arguments =
                ["--id".into(), id.to_string(), "--objects".into(), objects.to_string()];
            let (process, port) = Child::server("peer-node", &arguments)?;
            processes.push(process);
            ports.push(port);
        }
        let mut clients = Vec::new();
        for (process, (links, port)) in processes.iter_mut().zip(map.0.iter().zip(&ports)) {
            let peers: Vec<String> =
                links.iter().map(|to| format!(" {to} {}", ports[*to])).collect();
            process.ask(&format!("peers{}", peers.concat()))?;
            clients.push(Client::new(*port)?);
        }
        Ok(Overlay { processes, clients, map, objects, steps: 0, jumps: 0 })
    }

    /// Lets all nodes tell their neighbours, as often as there are levels.
    fn spread(&mut self, sizes: Sizes) -> Outcome {
        let Sizes { bits, probes, depth, keyed } = sizes;
        for process in &mut self.processes {
            process.ask(&format!("reset {bits} {probes} {depth} {}", u8::from(keyed)))?;
        }
        for _round in 0..depth {
            for process in &mut self.processes {
                process.ask("send")?;
            }
        }
        Ok(())
    }

    /// Looks for every object from nodes that do not have it. Returns the steps beyond the distance,
    /// per object within the depth.
    fn measure(&mut self, sizes: Sizes, report: &mut Report) -> Result<f64, Box<dyn Error>> {
        self.spread(sizes)?;
        let truth = self.map.truth(sizes, self.objects);
        let starts = self.starts(&truth);
        let (mut within, mut found, mut found_beyond, mut extra) = (0, 0, 0, 0);
        let (mut wrong, mut predicted, mut variance) = (0, 0.0, 0.0);
        for (object, start) in &starts {
            let (owner, start) = (object / self.objects, *start);
            let answer = self.clients[start].get(&format!("/find/{}/", name(*object)))?;
            let result = Found::read(&answer.body)?;
            let distance = self.map.distance(start, owner);
            if distance <= sizes.depth {
                within += 1;
                found += usize::from(result.is_found);
                extra += result.steps.len().saturating_sub(distance);
            } else {
                found_beyond += usize::from(result.is_found);
            }
            let chance = wrong_first(&truth, start, owner);
            predicted += chance;
            variance += chance * (1.0 - chance);
            for pair in result.steps.windows(2).filter(|pair| pair[0].to == pair[1].from) {
                self.steps += 1;
                self.jumps += usize::from(pair[1].level + 1 < pair[0].level);
            }
            if let Some(&Step { from, to, level }) = result.steps.first() {
                let link = self.map.0[from].iter().position(|peer| *peer == to).unwrap_or(0);
                wrong += u32::from(!truth.has(from, link, level, owner));
            }
        }
        let queries = starts.len() as f64;
        let about = format!("depth {}, {} bits", sizes.depth, sizes.bits);
        report.claim(
            format_args!("{about}: objects within the depth that are found"),
            format_args!("{within} of {within}"),
            found,
            found == within,
        );
        let claim = format!("{about}: first turns that are wrong");
        // Filters of different links share objects, and small ones differ: a tenth.
        let bound = (5.0 * variance.sqrt() + 1.0) / queries + 0.1 * predicted / queries;
        report.within(claim, predicted / queries, bound, f64::from(wrong) / queries, 4);
        let detour = extra as f64 / f64::from(u32::try_from(within.max(1))?);
        report.note(format_args!(
            "{about}: {:.1} % of objects are within the depth, found in {detour:.3} steps more than \
             the distance; {found_beyond} others are found, too",
            100.0 * within as f64 / queries
        ));
        Ok(detour)
    }

    /// Objects and where they are looked for: each from as many nodes as it takes until some wrong
    /// turns are expected.
    fn starts(&self, truth: &Truth) -> Vec<(usize, usize)> {
        let nodes = self.map.0.len();
        let (mut starts, mut expected) = (Vec::new(), 0.0);
        for round in 0..nodes - 1 {
            for object in 0..nodes * self.objects {
                let owner = object / self.objects;
                let hops = ((draw(object as u64) >> 32) as usize + round) % (nodes - 1);
                let start = (owner + 1 + hops) % nodes;
                starts.push((object, start));
                expected += wrong_first(truth, start, owner);
            }
            if expected >= ENOUGH {
                break;
            }
        }
        starts
    }

    /// The false-positive rate of each level: it follows the objects at that distance.
    fn levels(&mut self, sizes: Sizes, report: &mut Report) -> Outcome {
        let (nodes, truth) = (self.map.0.len(), self.map.truth(sizes, self.objects));
        let mut hits = vec![0; sizes.depth];
        for process in &mut self.processes {
            let line = process.ask(&format!("probe {ABSENT} {}", sizes.depth))?;
            for (sum, count) in hits.iter_mut().zip(line.split(',')) {
                *sum += count.parse::<usize>()?;
            }
        }
        for (level, hits) in hits.into_iter().enumerate() {
            let all = (0..nodes).flat_map(|node| truth.rates(node));
            let rates: Vec<f64> =
                all.filter(|(at, _, _)| *at == level).map(|(_, _, rate)| rate).collect();
            let filters = rates.len() as f64;
            let (mean, trials) = (rates.iter().sum::<f64>() / filters, filters * ABSENT as f64);
            // Small filters differ, and there are as many different ones as nodes.
            let spread = bloom::spread(sizes.bits, self.objects as u64, sizes.probes);
            let spread = mean * spread / (nodes as f64).sqrt();
            let bound = 5.0 * ((mean / trials).sqrt() + spread);
            let claim = format!("false-positive rate of level {}", level + 1);
            report.within(claim, mean, bound, hits as f64 / trials, 5);
        }
        Ok(())
    }

    /// The attacker gets the objects of the first node's neighbour, as any neighbour does, names
    /// absent objects that match if the seed is the fixed one, and asks the first node for them. How
    /// many names that were, and how many queries the node sends on.
    fn attack(&mut self, sizes: Sizes) -> Result<(usize, usize), Box<dyn Error>> {
        self.spread(sizes)?;
        let neighbour = self.map.0[0][0];
        let levels = self.clients[neighbour].get("/levels")?.body;
        let levels = node::read(&levels, || Open::new().without_hashing())?;
        let objects = levels.first().ok_or("the neighbour tells nothing")?;
        let names = (0_u64..10_000_000).map(|number| format!("nothing-{number}"));
        let crafted = names.filter(|name| objects.contains_hash(name.key_hash(&Seed::FIXED)));
        let (mut asked, mut sent_on) = (0, 0);
        for name in crafted.take(CRAFTED) {
            asked += 1;
            let answer = self.clients[0].get(&format!("/find/{name}/"))?;
            sent_on += usize::from(!Found::read(&answer.body)?.steps.is_empty());
        }
        Ok((asked, sent_on))
    }
}
