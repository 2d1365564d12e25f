//! Signatures in captured traffic: filters beside Aho and Corasick's automaton.

mod pcap;
pub mod tap;

use super::made_up::text;
use super::{Outcome, Report, draw, secret_key};
use crate::intrusion_detection::{Detector, Match, Scan, flood_per_byte};
use aho_corasick::AhoCorasick;
use anther::Seed;
use pcap::Capture;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// Lengths of signatures that are made up.
const LENGTHS: std::ops::Range<u64> = 8..20;
/// The longest signature that is taken.
const LONGEST: usize = 1000;
const PLANTED: u64 = 200;
/// Bytes that an attacker sends.
const FLOOD: usize = 20_000;

/// Signatures in the bytes of a capture: a filter per length, an exact check after a hit
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A capture in pcap format [default: traffic on the loopback interface, captured now]
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Where to write the capture
    #[arg(long, value_name = "FILE", conflicts_with = "capture")]
    save: Option<PathBuf>,
    /// Signatures, one per line [default: 10,000 of 8 to 19 bytes, made up]
    #[arg(long, value_name = "FILE")]
    signatures: Option<PathBuf>,
    /// False-positive rate of each filter
    #[arg(long, default_value_t = 0.001, value_parser = super::rate)]
    fpr: f64,
    /// Megabytes that are sent
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=100))]
    megabytes: u64,
}

impl Args {
    /// Captures, scans, compares; then the attacker sends.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let signatures = match &self.signatures {
            Some(path) => {
                let text =
                    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
                let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                lines.map(<[u8]>::to_vec).collect::<Vec<_>>()
            }
            None => made_up(),
        };
        if signatures.iter().any(|signature| signature.len() > LONGEST) {
            return Err(format!("a signature has more than {LONGEST} bytes; leave it out").into());
        }
        let keyed = Seed::keyed(secret_key(0).to_le_bytes());
        let detector = Detector::new(signatures.clone(), self.fpr, keyed)?;
        let file = match &self.capture {
            Some(path) => fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?,
            None => tap::record(&self.traffic(&signatures))?.to_bytes(),
        };
        if let Some(path) = &self.save {
            fs::write(path, &file).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let name =
            self.capture.as_ref().map_or("the capture".into(), |path| path.display().to_string());
        let capture = Capture::from_bytes(&file).map_err(|error| format!("{name}: {error}"))?;
        let streams = capture.streams();
        self.compare(&detector, &signatures, &streams, report)?;
        report.note(format_args!(
            "{} packets, {} bytes of pcap, {} signatures of {} lengths",
            capture.packets.len(),
            file.len(),
            signatures.len(),
            detector.lengths().count()
        ));
        match (&self.capture, &self.signatures) {
            (None, None) => self.flood(&detector, &signatures, report)?,
            (None, Some(_)) => report.note(
                "no attacker: the formula is for many signatures of 8 bytes or more; \
                 leave --signatures out to see one",
            ),
            (Some(_), _) => {}
        }
        Ok(())
    }

    /// Filters beside the automaton.
    fn compare(
        &self,
        detector: &Detector,
        signatures: &[Vec<u8>],
        streams: &[Vec<u8>],
        report: &mut Report,
    ) -> Outcome {
        let automaton = AhoCorasick::new(signatures)?;
        let start = Instant::now();
        let scans: Vec<Scan> = streams.iter().map(|bytes| detector.scan(bytes)).collect();
        let by_filters = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let truth: Vec<Vec<Match>> =
            streams.iter().map(|bytes| search(&automaton, bytes)).collect();
        let by_automaton = start.elapsed().as_secs_f64();
        let found: usize = scans.iter().map(|scan| scan.matches.len()).sum();
        let same = scans.iter().zip(&truth).all(|(scan, truth)| scan.matches == *truth);
        report.claim(
            "matches, and whether they are those of Aho and Corasick",
            format_args!("{}, the same", truth.iter().map(Vec::len).sum::<usize>()),
            format_args!("{found}, {}", if same { "the same" } else { "others" }),
            same,
        );
        if self.capture.is_none() {
            let claim = "signatures found of those sent";
            report.at_least(claim, (PLANTED as f64, ""), found as f64, 0);
        }
        let bytes: usize = streams.iter().map(Vec::len).sum();
        let false_checks: u64 = scans.iter().map(Scan::false_checks).sum();
        let predicted = detector.false_checks_per_byte();
        let measured = false_checks as f64 / bytes.max(1) as f64;
        let claim = "exact checks in vain, per byte";
        if self.capture.is_none() && self.signatures.is_none() {
            let bound = 5.0 * ((predicted / bytes.max(1) as f64).sqrt() + detector.deviation());
            report.within(claim, predicted, bound, measured, 5);
        } else {
            // Bytes of your own may repeat, and a window of a byte or two always does: then one false
            // positive counts many times.
            report.note(format_args!(
                "{claim}: {measured:.5}, and {predicted:.5} if no window came twice"
            ));
        }
        let per_second = |seconds: f64| bytes as f64 / 1e6 / seconds.max(1e-9);
        report.note(format_args!(
            "{:.0} MB/s by filters, {:.0} MB/s by the automaton, on one thread",
            per_second(by_filters),
            per_second(by_automaton)
        ));
        Ok(())
    }

    /// The attacker knows the signatures, and guesses the fixed seed.
    fn flood(&self, keyed: &Detector, signatures: &[Vec<u8>], report: &mut Report) -> Outcome {
        let fixed = Detector::new(signatures.to_vec(), self.fpr, Seed::FIXED)?;
        let mut bytes: Vec<u8> = Vec::new();
        for at in 0..FLOOD as u64 {
            bytes.push(0);
            let last = bytes.len() - 1;
            // From another byte on each time, so that the bytes do not repeat.
            let first = draw(at).to_le_bytes()[0];
            for step in 0..=u8::MAX {
                bytes[last] = first.wrapping_add(step);
                if fixed.accepts_end(&bytes) > 0 {
                    break;
                }
            }
        }
        let streams = tap::record(&bytes)?.streams();
        let checks = |detector: &Detector| -> f64 {
            let checks: u64 = streams.iter().map(|bytes| detector.scan(bytes).checks).sum();
            checks as f64 / FLOOD as f64
        };
        let predicted = flood_per_byte(self.fpr, fixed.lengths().count());
        let measured = checks(&fixed);
        // Besides the filter that the byte was chosen for, the others accept some.
        let bound = 5.0 * (predicted * (1.0 - predicted) / FLOOD as f64).sqrt()
            + fixed.false_checks_per_byte()
            + 5.0 * fixed.deviation();
        let claim = "bytes of an attacker, fixed seed: exact checks per byte";
        report.within(claim, predicted, bound, measured, 3);
        let predicted = keyed.false_checks_per_byte();
        let bound = 5.0 * ((predicted / FLOOD as f64).sqrt() + keyed.deviation());
        report.within("the same bytes, secret key", predicted, bound, checks(keyed), 4);
        Ok(())
    }

    /// Bytes with signatures here and there, a text, and noise.
    fn traffic(&self, signatures: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = text(0, 10_000).into_bytes();
        let total = self.megabytes * 1_000_000;
        let noise = (0..(total / 8)).flat_map(|number| draw(1 << 32 | number).to_le_bytes());
        bytes.extend(noise);
        // Far enough from each other: none overwrites another.
        let space = bytes.len() / usize::try_from(PLANTED).unwrap_or(1);
        for number in 0..PLANTED {
            let drawn = draw(1 << 33 | number);
            let signature = &signatures[(drawn >> 32) as usize % signatures.len()];
            let at = usize::try_from(number).unwrap_or(0) * space
                + (drawn & 0xFFFF) as usize % (space / 2);
            if let Some(place) = bytes.get_mut(at..at + signature.len()) {
                place.copy_from_slice(signature);
            }
        }
        bytes
    }
}

/// Signatures that are made up, of random bytes.
fn made_up() -> Vec<Vec<u8>> {
    let signature = |number: u64| {
        let length = LENGTHS.start + number % (LENGTHS.end - LENGTHS.start);
        (0..length).map(|at| draw(number << 8 | at).to_le_bytes()[0]).collect()
    };
    (0..10_000).map(signature).collect()
}

/// All matches of the automaton, by place.
fn search(automaton: &AhoCorasick, bytes: &[u8]) -> Vec<Match> {
    let all = automaton.find_overlapping_iter(bytes);
    let mut all: Vec<Match> =
        all.map(|found| Match { at: found.start(), length: found.len() }).collect();
    all.sort_unstable();
    // A file may have a signature twice.
    all.dedup();
    all
}
