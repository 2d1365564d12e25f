//! Flows through a forwarder with a slow link, in namespaces: with a plain queue, and with a fair one.

pub mod nodes;

use super::namespace::{Network, address};
use super::{Outcome, Report};
use crate::fair_queue::mistaken;
use anther::{Counting, Filter, Inspect, Key, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ops::Range;
use std::thread;
use std::time::Duration;

/// A queue that is fair to flows which slow down, by a counting filter (Stochastic Fair Blue)
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Seconds of each of the three runs
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(2..=600))]
    seconds: u64,
    /// Packets per second of the slow link
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(100..=1_000))]
    rate: u32,
    /// Flows that slow down when packets are lost
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=16))]
    responsive: u16,
    /// Flows that do not; together they send three times as much as the link takes
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(5..=40))]
    unresponsive: u16,
    /// Counters of the filter
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(16..=4096))]
    counters: u32,
    /// Probes per flow
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..5))]
    probes: u32,
}

/// Ports of responsive flows begin here; the first is the victim of an attacker who knows the hash.
const FIRST: u16 = 20_000;
/// Those of light flows, one packet every half second each.
const LIGHT: Range<u16> = 25_000..25_040;
/// Those that an attacker chooses from.
const HOSTILE: Range<u16> = 30_000..60_000;
/// The nodes.
const SENDERS: usize = 0;
const FORWARDER: usize = 1;
const RECEIVER: usize = 2;
/// The share of flows that may be taken for unresponsive ones: with more, the queue is too small.
const MOST_MISTAKEN: f64 = 0.02;
/// Until windows and chances have settled.
const WARM_UP: Duration = Duration::from_millis(1500);

/// What a run gave.
struct Run {
    /// Packets that arrived, by port.
    arrived: BTreeMap<u16, u64>,
    checked: u64,
    below: u64,
    /// The chance to drop of each port from 1 on, in thousandths.
    chances: Vec<u64>,
}

impl Args {
    /// Three runs: a plain queue, a fair one with a key, a fair one whose seed is known.
    pub fn run(&self, report: &mut Report) -> Outcome {
        self.check()?;
        let hostile = self.aim()?;
        let responsive: Vec<u16> = (FIRST..FIRST + self.responsive).collect();
        report.varies();
        let mut lab = Lab::new(self)?;
        let tail = lab.run(self, "tail", &responsive, &hostile)?;
        let keyed = lab.run(self, "keyed", &responsive, &hostile)?;
        let fixed = lab.run(self, "fixed", &responsive, &hostile)?;

        let flows = [&responsive[..], &hostile[..]].concat();
        // What a flow of these gets, where 1 is its share of what all flows get that want more.
        let got =
            |run: &Run, ports: &[u16]| run.mean(ports) / run.mean(&flows).max(f64::MIN_POSITIVE);
        let plain = got(&tail, &responsive);
        // Nobody predicts it, and it is the kernel's queue.
        report.note(format_args!("plain queue: a responsive flow gets {plain:.2} fair shares"));
        let fair = got(&keyed, &responsive);
        let claim = "fair queue: what a responsive flow gets, in fair shares";
        report.at_least(claim, (1.0, ""), fair, 2);

        let (checked, below) = (keyed.checked + fixed.checked, keyed.below + fixed.below);
        let claim = format!("estimates below the truth, of {checked}");
        report.claim(claim, 0, below, below == 0 && checked > 0);
        let found = hostile.iter().filter(|port| keyed.drops(**port)).count();
        let claim = "unresponsive flows found: more than half of their packets are dropped";
        report.claim(claim, hostile.len(), found, found == hostile.len());
        // By the counters that unresponsive flows have here: filters of so few flows differ. Ports
        // without a flow are as good as flows that have sent nothing yet.
        let taken = self.taken(&hostile)?;
        let predicted = (taken as f64 / f64::from(self.counters)).powf(self.probes.into());
        let unused = (1..FIRST).filter(|port| keyed.drops(*port)).count();
        let claim = format!("other flows that would be taken for one, by {taken} counters");
        report.share(claim, predicted, unused, (FIRST - 1).into());
        for (run, seed, expected) in [(&fixed, "fixed", true), (&keyed, "secret", false)] {
            let claim =
                format!("{seed} seed: the victim of {} chosen flows is taken for one", self.probes);
            report.claim(claim, expected, run.drops(FIRST), run.drops(FIRST) == expected);
        }
        let rows = [("plain", &tail), ("fair, secret", &keyed), ("fair, fixed", &fixed)];
        self.throughput(&rows, &responsive[1..], &hostile, report);
        Ok(())
    }

    /// Whether the queue is made for these flows.
    fn check(&self) -> Outcome {
        let mistaken = mistaken(self.counters.into(), self.probes, self.unresponsive.into());
        if mistaken > MOST_MISTAKEN {
            return Err(format!(
                "{} counters would take {:.1} % of flows for unresponsive ones; give more --counters \
                 or fewer --unresponsive",
                self.counters,
                100.0 * mistaken
            )
            .into());
        }
        // The chance to drop rises by 0.01 with a packet: at 60 per second it is above one half after
        // the warm-up.
        if self.rate < 20 * u32::from(self.unresponsive) {
            return Err(format!(
                "{} unresponsive flows send too few packets each to be found; give --rate {} or more",
                self.unresponsive,
                20 * self.unresponsive
            )
            .into());
        }
        Ok(())
    }

    /// Throughput per flow, as a table without a verdict: it depends on the machine.
    fn throughput(
        &self,
        rows: &[(&str, &Run)],
        responsive: &[u16],
        hostile: &[u16],
        report: &mut Report,
    ) {
        let each = |run: &Run, ports: &[u16]| {
            let packets = ports.iter().map(|port| run.packets(*port));
            let (least, most) = (packets.clone().min().unwrap_or(0), packets.max().unwrap_or(0));
            format!("{:.0} ({least} to {most})", run.mean(ports))
        };
        report.note(format_args!("packets in {} s, mean of flows (least to most)", self.seconds));
        report.note("  queue         responsive       unresponsive     light          victim");
        let light: Vec<u16> = LIGHT.collect();
        for (name, run) in rows {
            let [fair, greedy, light] = [responsive, hostile, &light].map(|ports| each(run, ports));
            let victim = run.packets(FIRST);
            report.note(format_args!("  {name:13} {fair:16} {greedy:16} {light:14} {victim}"));
        }
    }

    /// The counters of a flow, by its port.
    fn cells(&self, seed: Seed) -> Result<impl Fn(u16) -> Vec<u64>, Box<dyn Error>> {
        let model = Counting::with_cells(self.counters.into(), self.probes, 32, seed)?;
        Ok(move |port| {
            let flow = nodes::flow(address(0, false), port);
            let touches = model.touches(flow.key_hash(model.seed()));
            touches.into_iter().map(|touch| touch.cell).collect()
        })
    }

    /// How many counters these flows have under the secret seed.
    fn taken(&self, ports: &[u16]) -> Result<usize, Box<dyn Error>> {
        let cells = self.cells(nodes::secret_seed())?;
        let taken: BTreeSet<u64> = ports.iter().flat_map(|port| cells(*port)).collect();
        Ok(taken.len())
    }

    /// Ports of the unresponsive flows. The first few have all counters of the victim, under the
    /// fixed seed.
    fn aim(&self) -> Result<Vec<u16>, Box<dyn Error>> {
        let cells = self.cells(Seed::FIXED)?;
        let mut chosen: Vec<u16> = Vec::new();
        for cell in cells(FIRST) {
            let port =
                HOSTILE.clone().find(|port| !chosen.contains(port) && cells(*port).contains(&cell));
            chosen.push(port.ok_or("no port has the victim's counter; use fewer counters")?);
        }
        let rest = HOSTILE.rev().take((self.unresponsive as usize).saturating_sub(chosen.len()));
        chosen.extend(rest);
        Ok(chosen)
    }
}

impl Run {
    fn packets(&self, port: u16) -> u64 {
        self.arrived.get(&port).copied().unwrap_or(0)
    }

    fn mean(&self, ports: &[u16]) -> f64 {
        ports.iter().map(|port| self.packets(*port) as f64).sum::<f64>() / ports.len() as f64
    }

    /// Whether more than half of a flow's packets are dropped: it is taken for unresponsive.
    fn drops(&self, port: u16) -> bool {
        self.chances.get(usize::from(port) - 1).is_some_and(|chance| *chance >= 500)
    }
}

/// Senders, the forwarder and the receiver; a second link is the way back, which is never congested.
struct Lab {
    network: Network,
    forwarder: usize,
    receiver: usize,
}

impl Lab {
    fn new(args: &Args) -> Result<Lab, Box<dyn Error>> {
        let mut network =
            Network::new(3, &[(SENDERS, FORWARDER), (FORWARDER, RECEIVER), (RECEIVER, SENDERS)])?;
        let arguments = [
            address(1, true).to_string(),
            args.rate.to_string(),
            args.counters.to_string(),
            args.probes.to_string(),
        ];
        let forwarder = network.start(FORWARDER, "queue-forwarder", &arguments)?;
        let arguments = [address(2, true).to_string(), (FIRST + args.responsive).to_string()];
        let receiver = network.start(RECEIVER, "queue-receiver", &arguments)?;
        Ok(Lab { network, forwarder, receiver })
    }

    fn run(
        &mut self,
        args: &Args,
        queue: &str,
        responsive: &[u16],
        hostile: &[u16],
    ) -> Result<Run, Box<dyn Error>> {
        self.ask(self.forwarder, queue)?;
        let gateway = address(0, true).to_string();
        let mut senders = Vec::new();
        for port in responsive {
            let arguments = [gateway.clone(), port.to_string()];
            senders.push(self.network.start(SENDERS, "queue-responsive", &arguments)?);
        }
        let light: Vec<u16> = LIGHT.collect();
        for (ports, rate) in
            [(hostile, 3.0 * f64::from(args.rate)), (&light, 2.0 * light.len() as f64)]
        {
            let mut arguments = vec![gateway.clone(), rate.to_string()];
            arguments.extend(ports.iter().map(u16::to_string));
            senders.push(self.network.start(SENDERS, "queue-constant", &arguments)?);
        }
        thread::sleep(WARM_UP);
        self.ask(self.receiver, "begin")?;
        thread::sleep(Duration::from_secs(args.seconds));
        let counts = self.ask(self.receiver, "end")?;
        let chances = self.ask(self.forwarder, &format!("chances {}", address(0, false)))?;
        senders.into_iter().for_each(|sender| self.network.end(sender));
        // What is still on its way is not of the next run.
        thread::sleep(Duration::from_millis(100));
        let count = |word: &str| {
            let (port, count) = word.split_once('=')?;
            Some((port.parse().ok()?, count.parse().ok()?))
        };
        let numbers: Vec<u64> = chances.split(' ').map_while(|word| word.parse().ok()).collect();
        let [checked, below, chances @ ..] = &numbers[..] else {
            return Err("the forwarder said nothing".into());
        };
        let arrived = counts.split(' ').filter_map(count).collect();
        Ok(Run { arrived, checked: *checked, below: *below, chances: chances.to_vec() })
    }

    /// Tells a process something, and returns its answer.
    fn ask(&mut self, process: usize, line: &str) -> Result<String, Box<dyn Error>> {
        self.network.tell(process, line)?;
        while let Some((from, answer)) = self.network.hear(Duration::from_secs(10)) {
            if from == process {
                return Ok(answer);
            }
        }
        Err(format!("no answer to {line}").into())
    }
}
