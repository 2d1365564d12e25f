//! Networks of Linux network namespaces: nodes, links between them, processes on them.
//!
//! Nodes are namespaces `anther-<pid>-<node>`, links are veth pairs, processes are this program
//! with a hidden subcommand. All of it goes when the [`Network`] is dropped, after a panic, too, and
//! when the program is interrupted. Processes end by themselves when their standard input does, so
//! that they do not outlive a parent that was killed; namespaces that such a parent left behind are
//! removed by the next run.

use super::NotRun;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::VecDeque;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// Namespaces that exist or are about to. While it is held, a signal waits.
static SPACES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How long a process may take until it says that it is ready.
const START: Duration = Duration::from_secs(20);

/// A line, and the number of the process that wrote it.
type Line = (usize, String);

/// Nodes, links and processes, until it is dropped.
#[derive(Debug)]
pub struct Network {
    nodes: Vec<String>,
    processes: Vec<Child>,
    lines: (Sender<Line>, Receiver<Line>),
    /// Lines that came while another one was waited for.
    early: VecDeque<Line>,
}

impl Network {
    /// Makes nodes, and a link for each pair of them.
    pub fn new(nodes: usize, links: &[(usize, usize)]) -> Result<Network, Box<dyn Error>> {
        listen()?;
        if links.len() > 200 {
            return Err("a network has at most 200 links".into());
        }
        let name = |node: usize| format!("anther-{}-{node}", process::id());
        let nodes: Vec<String> = (0..nodes).map(name).collect();
        // Made first, so that whatever fails now is cleaned up by its `drop`.
        let network = Network {
            nodes,
            processes: Vec::new(),
            lines: mpsc::channel(),
            early: VecDeque::new(),
        };
        let mut spaces = spaces();
        remove(&abandoned()?);
        spaces.extend(network.nodes.iter().cloned());
        let made: Vec<String> =
            network.nodes.iter().map(|node| format!("netns add {node}")).collect();
        ip(&["-batch", "-"], &made).map_err(|cause| {
            NotRun(format!("no network namespaces here; run it as root ({cause})"))
        })?;
        let pair = |(link, (a, b)): (usize, &(usize, usize))| {
            let (a, b) = (&network.nodes[*a], &network.nodes[*b]);
            format!("link add l{link}a netns {a} type veth peer name l{link}b netns {b}")
        };
        ip(&["-batch", "-"], &links.iter().enumerate().map(pair).collect::<Vec<_>>())
            .map_err(|cause| NotRun(format!("no links between namespaces here ({cause})")))?;
        drop(spaces);
        for node in 0..network.nodes.len() {
            let mut setup = vec!["link set lo up".to_string()];
            for (link, (a, b)) in links.iter().enumerate() {
                for (end, letter) in [(*a, 'a'), (*b, 'b')] {
                    if end == node {
                        let address = address(link, letter == 'b');
                        setup.push(format!("addr add {address}/24 dev l{link}{letter}"));
                        setup.push(format!("link set l{link}{letter} up"));
                    }
                }
            }
            network.configure(node, &setup)?;
        }
        Ok(network)
    }

    /// Runs `ip` inside a node, a line per command.
    pub fn configure(&self, node: usize, lines: &[String]) -> Result<(), Box<dyn Error>> {
        Ok(ip(&["-n", &self.nodes[node], "-batch", "-"], lines)?)
    }

    /// Starts this program on a node, as the part `part` with its arguments, and waits until it
    /// says `ready`. Returns its number.
    pub fn start(
        &mut self,
        node: usize,
        part: &str,
        arguments: &[String],
    ) -> Result<usize, Box<dyn Error>> {
        let mut child = Command::new("ip")
            .args(["netns", "exec", &self.nodes[node]])
            .arg(std::env::current_exe()?)
            .args(["part", part])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let number = self.processes.len();
        let (output, lines) = (child.stdout.take(), self.lines.0.clone());
        self.processes.push(child);
        thread::spawn(move || {
            let output = output.into_iter().flat_map(|output| BufReader::new(output).lines());
            for line in output.map_while(Result::ok) {
                if lines.send((number, line)).is_err() {
                    break;
                }
            }
        });
        while let Ok((from, line)) = self.lines.1.recv_timeout(START) {
            if from == number && line == "ready" {
                return Ok(number);
            }
            self.early.push_back((from, line));
        }
        Err(format!("{part} on node {node} did not start").into())
    }

    /// Writes a line to a process.
    pub fn tell(&mut self, process: usize, line: impl AsRef<str>) -> io::Result<()> {
        match &mut self.processes[process].stdin {
            Some(input) => writeln!(input, "{}", line.as_ref()),
            None => Ok(()),
        }
    }

    /// Ends a process.
    pub fn end(&mut self, process: usize) {
        // It may have ended by itself.
        let _ = self.processes[process].kill();
        let _ = self.processes[process].wait();
    }

    /// The next line of any process, and its number; `None` if none comes within `longest`.
    pub fn hear(&mut self, longest: Duration) -> Option<Line> {
        self.early.pop_front().or_else(|| self.lines.1.recv_timeout(longest).ok())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        (0..self.processes.len()).for_each(|process| self.end(process));
        let mut spaces = spaces();
        remove(&self.nodes);
        spaces.retain(|space| !self.nodes.contains(space));
    }
}

/// The address of an end of a link.
pub fn address(link: usize, second: bool) -> Ipv4Addr {
    let link = u8::try_from(link).unwrap_or(u8::MAX);
    Ipv4Addr::new(10, 200, link, 1 + u8::from(second))
}

fn spaces() -> MutexGuard<'static, Vec<String>> {
    SPACES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `ip` with lines on its standard input.
fn ip(arguments: &[&str], lines: &[String]) -> Result<(), String> {
    let failed = |error: io::Error| format!("ip: {error}");
    let mut child = Command::new("ip")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // If `ip` ends early, its error says more than that of the pipe.
        let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("ip failed").to_string())
}

/// Removes namespaces, and with them their links.
fn remove(names: &[String]) {
    let lines: Vec<String> = names.iter().map(|name| format!("netns delete {name}")).collect();
    if !lines.is_empty() {
        // One that is not there, or no longer, is no reason to keep the others.
        let _ = ip(&["-force", "-batch", "-"], &lines);
    }
}

/// Namespaces of runs that were killed: their process is gone.
fn abandoned() -> Result<Vec<String>, NotRun> {
    let list = Command::new("ip").args(["netns", "list"]).output();
    let list = list.map_err(|error| NotRun(format!("no program `ip` here: {error}")))?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let is_abandoned = |name: &&str| {
        let process = name.strip_prefix("anther-").and_then(|rest| rest.split_once('-'));
        process.is_some_and(|(process, _)| {
            process.parse::<u32>().is_ok() && !Path::new("/proc").join(process).exists()
        })
    };
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    Ok(names.filter(is_abandoned).map(str::to_string).collect())
}

/// Removes everything on a signal, and ends the program as shells expect.
fn listen() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut outcome = Ok(());
    ONCE.call_once(|| {
        outcome = Signals::new([SIGHUP, SIGINT, SIGTERM]).map(|mut signals| {
            thread::spawn(move || {
                if let Some(signal) = signals.forever().next() {
                    let spaces = spaces();
                    remove(&spaces);
                    process::exit(128 + signal);
                }
            });
        });
    });
    outcome
}
