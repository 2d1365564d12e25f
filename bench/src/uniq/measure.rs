//! What is measured of dropping duplicate lines, in alternated rounds.

use super::lines::{self, LENGTH, Remains};
use super::programs::Contender;
use crate::findings::{Finding, Findings};
use crate::process::{self, Cost};
use crate::race::goals::Bound;
use std::error::Error;
use std::path::Path;

/// How many lines, in how many rounds.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub lines: u64,
    pub rounds: usize,
    /// Whether awk, which keeps all lines, is there, too.
    pub has_awk: bool,
    /// Whether these are the lines that the goals are about.
    pub has_goals: bool,
}

impl Extent {
    pub const FULL: [Extent; 2] = [
        Extent { lines: 10_000_000, rounds: 5, has_awk: true, has_goals: false },
        Extent { lines: 100_000_000, rounds: 3, has_awk: false, has_goals: true },
    ];
    /// To see that it works. The program itself takes more memory than so few lines.
    pub const QUICK: [Extent; 1] =
        [Extent { lines: 1_000_000, rounds: 3, has_awk: true, has_goals: false }];
}

/// Measures everything; also what is to be said of the lines.
pub fn run(extents: &[Extent]) -> Result<(Findings, Vec<String>), Box<dyn Error>> {
    let anther = process::built()?;
    let mut findings = Findings::default();
    for extent in extents {
        measure(&anther, *extent, &mut findings)?;
    }
    let about = vec![format!(
        "lines of {LENGTH} bytes, half of them distinct: every other line is new, those between repeat \
         any line before; from a file, to /dev/null"
    )];
    Ok((findings, about))
}

fn measure(anther: &Path, extent: Extent, findings: &mut Findings) -> Result<(), Box<dyn Error>> {
    let input = lines::file(extent.lines)?;
    let mut contenders = vec![
        Contender::ours(anther, "anther uniq", &[]),
        Contender::published("huniq"),
        Contender::published("runiq"),
        Contender::sort(),
        Contender::ours(anther, "anther uniq --memory 64M", &["--memory", "64M"]),
    ];
    if extent.has_awk {
        contenders.push(Contender::awk());
    }
    let work = format!("{:.0e} lines", extent.lines as f64);
    let expected = Remains::expected(extent.lines);
    for contender in &contenders {
        let found = contender.remains(&input)?;
        let name = contender.name;
        // Order is hashed, too.
        let is_exact = match contender.keeps_order {
            true => found == expected,
            false => (found.lines, found.set) == (expected.lines, expected.set),
        };
        if !is_exact {
            return Err(format!("{name}: {found:?} remains, not {expected:?}").into());
        }
        let lines = Finding::of(&work, name, "lines", found.lines as f64);
        findings.push(lines.note("each distinct line once, compared with what was generated"));
    }
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); contenders.len()];
    for _ in 0..extent.rounds {
        for (contender, costs) in contenders.iter().zip(&mut costs) {
            costs.push(contender.run(&input)?);
        }
    }
    report(&work, extent, &contenders, &costs, findings);
    Ok(())
}

fn report(
    work: &str,
    extent: Extent,
    contenders: &[Contender],
    costs: &[Vec<Cost>],
    findings: &mut Findings,
) {
    let distinct = (extent.lines / 2) as f64;
    let of = |costs: &[Cost], get: fn(&Cost) -> f64| costs.iter().map(get).collect::<Vec<f64>>();
    let goal = |finding: Finding, goal: Option<Bound>| match goal.filter(|_| extent.has_goals) {
        Some(goal) => finding.goal(goal),
        None => finding,
    };
    for (contender, costs) in contenders.iter().zip(costs) {
        let name = contender.name;
        findings.push(Finding::middle(work, name, "seconds", &of(costs, |it| it.seconds)));
        let bytes = of(costs, |it| it.bytes as f64);
        let megabytes: Vec<f64> = bytes.iter().map(|it| it / 1e6).collect();
        findings.push(Finding::middle(work, name, "MB", &megabytes).note("peak memory"));
        let each: Vec<f64> = bytes.iter().map(|it| it / distinct).collect();
        let limit = (name == "anther uniq").then_some(Bound::Most(8.0));
        let each = Finding::middle(work, name, "bytes/line", &each);
        findings.push(goal(each.note("peak memory per distinct line"), limit));
    }
    for (contender, theirs) in contenders.iter().zip(costs).skip(1) {
        let rounds = theirs.iter().zip(&costs[0]);
        let seconds: Vec<f64> =
            rounds.clone().map(|(it, ours)| it.seconds / ours.seconds).collect();
        let least = match contender.name {
            "huniq" | "runiq" => Some(Bound::Least(1.0)),
            "LC_ALL=C sort -u" => Some(Bound::Least(3.0)),
            _ => None,
        };
        let ratio = Finding::middle(work, contender.name, "times ours", &seconds);
        findings.push(goal(ratio.note("time"), least));
        if contender.name == "huniq" {
            let memory: Vec<f64> =
                rounds.map(|(it, ours)| ours.bytes as f64 / it.bytes as f64).collect();
            let ratio = Finding::middle(work, "anther uniq", "of huniq", &memory);
            findings.push(goal(ratio.note("peak memory"), Some(Bound::Most(0.6))));
        }
    }
}
