//! Near-duplicates among texts: the resemblance from filters beside the true Jaccard index.

use super::made_up::text;
use super::{Outcome, Report, draw};
use crate::near_duplicates::{TextSketch, groups, shingles};
use anther::{Seed, Target};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// The longest text that is taken, in bytes.
const LONGEST: u64 = 64 << 20;
/// Filters of each pair of texts, with a seed each. One pair of filters is off by about 0.001, which
/// says little about texts that have few shingles in common.
const SEEDS: u64 = 100;

/// Near-duplicates among texts, found by their filters
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Texts to compare, two or more [default: a text that is made up, a copy of it without every
    /// tenth line, and another text that quotes a tenth of it]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Words of a shingle
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..100))]
    words: u16,
    /// Bits per shingle of the longest text
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=60))]
    bits: u16,
    /// Resemblance from which texts are one result
    #[arg(long, default_value_t = 0.5, value_parser = resemblance)]
    alike: f64,
}

fn resemblance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "must be a number above 0 and up to 1".to_string())
}

struct Text {
    name: String,
    shingles: HashSet<String>,
    sketches: Vec<TextSketch>,
}

impl Args {
    /// Compares every two texts.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let texts = self.texts()?;
        let words = usize::from(self.words);
        let mut longest = 0;
        for (name, text) in &texts {
            let count = shingles(text, words).count();
            if count == 0 {
                return Err(format!(
                    "{name}: has fewer than {words} words; name a longer text, or give fewer --words"
                )
                .into());
            }
            longest = longest.max(count);
        }
        // A classic filter with b bits per key has the false-positive rate 0.6185^b.
        let fpr = 0.6185_f64.powi(self.bits.into());
        let target = Target::new(longest as u64, fpr)?;
        let mut sketched = Vec::new();
        for (name, text) in texts {
            let seeds = (0..SEEDS).map(|seed| Seed::chosen(draw(seed)));
            let sketches = seeds.map(|seed| TextSketch::with_seed(&text, words, target, seed));
            let sketches = sketches.collect::<Result<_, _>>()?;
            sketched.push(Text { name, shingles: shingles(&text, words).collect(), sketches });
        }
        let mut pairs = HashMap::new();
        for (at, one) in sketched.iter().enumerate() {
            for (further, other) in (at + 1..).zip(&sketched[at + 1..]) {
                let common = one.shingles.intersection(&other.shingles).count() as f64;
                let all = one.shingles.union(&other.shingles).count() as f64;
                let (mut estimate, mut deviation) = (0.0, 0.0);
                for (one, other) in one.sketches.iter().zip(&other.sketches) {
                    let found = one.resemblance(other)?;
                    estimate += found.estimate / SEEDS as f64;
                    deviation += found.deviation / SEEDS as f64;
                }
                let claim = format!(
                    "resemblance of {} and {}, mean of {SEEDS} seeds",
                    one.name, other.name
                );
                let bound = 4.0 * deviation / (SEEDS as f64).sqrt();
                report.within(claim, common / all, bound, estimate, 4);
                pairs.insert((at, further), [common / all, estimate]);
            }
        }
        let [exact, found] = [0, 1].map(|which| {
            let alike = |one, other| Ok(pairs[&(one, other)][which] >= self.alike);
            shown(groups::<Infallible>(sketched.len(), alike), &sketched)
        });
        report.claim("results, with near-duplicates as one", &exact, &found, exact == found);
        if let Some(sketch) = sketched.first().and_then(|text| text.sketches.first()) {
            report.note(format_args!("each text is {} bytes of filter", sketch.bytes()));
        }
        Ok(())
    }

    fn texts(&self) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
        if self.files.is_empty() {
            let page = text(0, 9000);
            let lines: Vec<&str> = page.lines().collect();
            let tenths = lines.chunks(10).map(|ten| ten.split_at(ten.len() - 1).0);
            let copy = tenths.flatten().copied().collect::<Vec<_>>().join("\n");
            let quote = lines[..lines.len() / 10].join("\n");
            let other = format!("{}\n{quote}", text(1, 8000));
            let texts = [("a page", page), ("its copy", copy), ("another that quotes it", other)];
            return Ok(texts.map(|(name, text)| (name.to_string(), text)).to_vec());
        }
        if self.files.len() == 1 {
            return Err("one text resembles nothing; name two or more".into());
        }
        let read = |path: &PathBuf| -> Result<_, Box<dyn std::error::Error>> {
            let mut text = Vec::new();
            let file =
                File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut text));
            file.map_err(|error| format!("{}: {error}", path.display()))?;
            if text.len() as u64 > LONGEST {
                let name = path.display();
                return Err(format!("{name}: is longer than 64 MiB; name a part of it").into());
            }
            Ok((path.display().to_string(), String::from_utf8_lossy(&text).into_owned()))
        };
        self.files.iter().map(read).collect()
    }
}

/// Groups by the names of their texts.
fn shown(groups: Result<Vec<Vec<usize>>, Infallible>, texts: &[Text]) -> String {
    let Ok(groups) = groups;
    let names = |group: &Vec<usize>| {
        let names: Vec<_> = group.iter().map(|text| &*texts[*text].name).collect();
        names.join(" = ")
    };
    groups.iter().map(names).collect::<Vec<_>>().join("; ")
}
