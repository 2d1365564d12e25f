//! What is measured of searching, in alternated rounds.

use super::Extent;
use super::corpus::SearchCorpus;
use super::programs::{Programs, Searcher};
use crate::findings::{Finding, Findings};
use crate::literals::{Family, LENGTHS, Literals};
use crate::log_corpus::Statistics;
use crate::process;
use crate::race::goals::Bound;
use std::error::Error;
use std::fs;
use std::process::Command;

/// Words that are in one log only.
const WORDS: [&str; 2] = ["quagmire", "LedgerUnbalanced"];

/// With alternations and without regard to case; whether a literal is rare.
const EXPRESSIONS: [(&str, bool); 5] = [
    ("LedgerUnbalanced|QuotaExhausted", true),
    (r"(?i)ledgerunbalanced: (ledger|account)=\w+", true),
    (r"(?i)QUOTAEXHAUSTED.*tenant=(k8s|kilo)-[0-9]+", true),
    (r"certificate (pinning|chain) (failed|broken) .*host=[a-z]+-\d", true),
    (r"(?i)(refund|voucher|parcel) \w+ (aborted|rejected|expired|merged|signed)\b.*=\d+", false),
];

/// Measures everything; also what is to be said of the corpus.
pub fn run(extent: Extent) -> Result<(Findings, Vec<String>), Box<dyn Error>> {
    let corpus = SearchCorpus::get(extent.files)?;
    let programs = Programs { anther: process::built()?, folder: corpus.folder.clone() };
    let about = about(&corpus)?;
    about.iter().for_each(|line| println!("{line}"));
    let mut findings = Findings::default();
    indexes(&programs, extent, &mut findings)?;
    words(&programs, extent, &mut findings)?;
    expressions(&programs, extent, &mut findings)?;
    in_vain(&programs, &corpus, extent, &mut findings)?;
    Ok((findings, about))
}

fn about(corpus: &SearchCorpus) -> Result<Vec<String>, Box<dyn Error>> {
    // Of long logs: a block of several short ones would have the words of several services.
    let Statistics { line, grams, words, .. } = Statistics::of(&SearchCorpus::elsewhere())?;
    let version = |program: &str| {
        let output = Command::new(program).arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.to_string())
    };
    let peers: Vec<String> = ["rg", "ugrep", "zstd"].iter().filter_map(|it| version(it)).collect();
    Ok(vec![
        format!(
            "logs: {} files, {} bytes of text, {} compressed by zstd ({:.1} times smaller)",
            corpus.files,
            corpus.text,
            corpus.compressed,
            corpus.text as f64 / corpus.compressed as f64
        ),
        format!(
            "{line:.0} bytes per line; distinct lowercased 4-grams per byte {:.3} in 64 KiB and {:.3} in \
             256 KiB, words {:.4} and {:.4}",
            grams[0], grams[1], words[0], words[1]
        ),
        format!("peers: {}", peers.join("; ")),
    ])
}

fn indexes(
    programs: &Programs,
    extent: Extent,
    findings: &mut Findings,
) -> Result<(), Box<dyn Error>> {
    let mut rates = [const { Vec::new() }; 2];
    let mut sizes = [0.0; 2];
    for _ in 0..extent.rounds {
        for (at, of) in ["logs", "source"].into_iter().enumerate() {
            let (cost, text, index) = programs.index(of)?;
            rates[at].push(text as f64 / 1e6 / cost.cpu_seconds);
            sizes[at] = 100.0 * index as f64 / text as f64;
        }
    }
    let goals = [4.0, 10.0].map(Bound::Most);
    for (at, of) in ["logs", "source code"].into_iter().enumerate() {
        let size = Finding::of(format!("index of {of}"), "anther index", "% of text", sizes[at]);
        findings.push(size.goal(goals[at]));
        let rate = Finding::middle(
            format!("build of the index of {of}"),
            "anther index",
            "MB/s",
            &rates[at],
        );
        let rate = rate.note("text per second of CPU time");
        findings.push(if at == 0 { rate.goal(Bound::Least(100.0)) } else { rate });
    }
    findings.push(ugrep_indexer(programs)?);
    Ok(())
}

/// Debian's package of ugrep has no indexer; where there is one, its files are measured.
fn ugrep_indexer(programs: &Programs) -> Result<Finding, Box<dyn Error>> {
    let finding = |size| Finding::of("index of source code", "ugrep-indexer", "% of text", size);
    if !process::is_installed("ugrep-indexer") {
        return Ok(finding(41.0).note("not installed: as its documentation has it, at its default"));
    }
    let source = programs.folder.join("source");
    let status = Command::new("ugrep-indexer").arg("-f").current_dir(&source).status()?;
    if !status.success() {
        return Err("ugrep-indexer failed".into());
    }
    let (mut index, mut text) = (0, 0);
    for part in fs::read_dir(&source)? {
        for file in fs::read_dir(part?.path())? {
            let file = file?;
            let is_index = file.file_name().to_string_lossy().starts_with("._UG#");
            *(if is_index { &mut index } else { &mut text }) += file.metadata()?.len();
        }
    }
    Ok(finding(100.0 * index as f64 / text as f64))
}

fn words(
    programs: &Programs,
    extent: Extent,
    findings: &mut Findings,
) -> Result<(), Box<dyn Error>> {
    let mut searchers = vec![Searcher::Anther, Searcher::FullScan, Searcher::Ripgrep];
    if process::is_installed("ugrep") {
        searchers.push(Searcher::Ugrep);
    }
    for word in WORDS {
        let work = format!("the word {word}, in one log");
        let times = alternated(programs, &searchers, word, extent.rounds)?;
        compare(
            findings,
            &work,
            &searchers,
            &times,
            &[(Searcher::Ripgrep, 100.0), (Searcher::FullScan, 20.0)],
        );
    }
    Ok(())
}

fn expressions(
    programs: &Programs,
    extent: Extent,
    findings: &mut Findings,
) -> Result<(), Box<dyn Error>> {
    let searchers = [Searcher::Anther, Searcher::FullScan];
    for (expression, is_rare) in EXPRESSIONS {
        // Once: what is printed is compared there, and rg takes long.
        let both = [Searcher::Anther, Searcher::Ripgrep];
        let ripgrep = alternated(programs, &both, expression, 1)?;
        let times = alternated(programs, &searchers, expression, extent.rounds)?;
        let goals: &[_] = if is_rare { &[(Searcher::FullScan, 10.0)] } else { &[] };
        compare(findings, expression, &searchers, &times, goals);
        let work = Finding::of(expression, Searcher::Ripgrep.name(), "seconds", ripgrep[1][0]);
        findings.push(work.note("prints the same lines"));
    }
    Ok(())
}

/// Seconds of each, round by round. All must print the same lines, and some.
fn alternated(
    programs: &Programs,
    searchers: &[Searcher],
    pattern: &str,
    rounds: usize,
) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let mut times = vec![Vec::new(); searchers.len()];
    let mut expected = None;
    for _ in 0..rounds {
        for (who, times) in searchers.iter().zip(&mut times) {
            times.push(programs.search(*who, pattern)?.seconds);
            let printed = programs.printed()?;
            if printed.is_empty() {
                return Err(format!("{} {pattern} printed nothing", who.name()).into());
            }
            let expected = expected.get_or_insert_with(|| printed.clone());
            if *expected != printed {
                let name = who.name();
                return Err(format!(
                    "{name} {pattern}: {} lines, not {}, or others",
                    printed.len(),
                    expected.len()
                )
                .into());
            }
        }
    }
    Ok(times)
}

/// Seconds of each, and how many times as long as the first one the others took in the same round.
fn compare(
    findings: &mut Findings,
    work: &str,
    searchers: &[Searcher],
    times: &[Vec<f64>],
    goals: &[(Searcher, f64)],
) {
    for (who, seconds) in searchers.iter().zip(times) {
        findings.push(Finding::middle(work, who.name(), "seconds", seconds));
    }
    for (who, seconds) in searchers.iter().zip(times).skip(1) {
        let ratios: Vec<f64> = seconds.iter().zip(&times[0]).map(|(it, ours)| it / ours).collect();
        let ratio = Finding::middle(work, who.name(), "times ours", &ratios);
        let goal = goals.iter().find(|(goal, _)| goal == who);
        findings.push(match goal {
            Some((_, least)) => ratio.goal(Bound::Least(*least)),
            None => ratio,
        });
    }
}

/// The share of blocks that are opened for literals that are not in them.
fn in_vain(
    programs: &Programs,
    corpus: &SearchCorpus,
    extent: Extent,
    findings: &mut Findings,
) -> Result<(), Box<dyn Error>> {
    let (files, elsewhere) = (corpus.sample(), SearchCorpus::elsewhere());
    for family in Family::ALL {
        for length in LENGTHS {
            let mut literals = Literals::new(&files, &elsewhere, family, length);
            // Those of four bytes open half of all logs, and take as long.
            let wanted = if length == 4 { extent.literals / 4 } else { extent.literals };
            let (mut absent, mut vain, mut found, mut asked) = (0, 0, 0, 0);
            for _ in 0..1000 * wanted {
                // Hardly a word of four bytes is absent.
                if found == wanted || asked == 4 * wanted {
                    break;
                }
                let literal = literals.draw().filter(|it| !is_in(it, &files));
                let Some(literal) = literal.and_then(|it| String::from_utf8(it).ok()) else {
                    continue;
                };
                asked += 1;
                let [blocks, opened, in_vain] = programs.blocks(&literal)?;
                // In more than one block of a hundred: not absent.
                if (opened - in_vain) * 100 <= blocks {
                    absent += blocks - (opened - in_vain);
                    vain += in_vain;
                    found += 1;
                }
            }
            if found == 0 {
                println!("{length} bytes: no absent literals of {}", family.name());
                continue;
            }
            let share = 100.0 * vain as f64 / absent as f64;
            let work = format!("{length} bytes, absent: {}", family.name());
            let finding = Finding::of(work, "anther grep", "% in vain", share);
            let finding = finding.note(format!("{found} literals"));
            // The goals are about what people search for.
            findings.push(match (family, length) {
                (Family::Words, 8) => finding.goal(Bound::Most(1.5)),
                (Family::Words, 12 | 16) => finding.goal(Bound::Most(0.5)),
                _ => finding,
            });
        }
    }
    Ok(())
}

/// Whether a literal is in some of the text: then it is in too many blocks, most often.
fn is_in(literal: &[u8], files: &[Vec<u8>]) -> bool {
    let finder = memchr::memmem::Finder::new(literal);
    files.iter().any(|text| finder.find(text).is_some())
}
