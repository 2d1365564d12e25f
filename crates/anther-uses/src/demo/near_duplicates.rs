//! Near-duplicates among real texts: the resemblance from filters beside the true Jaccard index.

use super::{Outcome, Report, project_page};
use crate::near_duplicates::{TextSketch, groups, shingles};
use anther::Target;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// The longest text that is taken, in bytes.
const LONGEST: u64 = 64 << 20;

/// Near-duplicates among texts, found by their filters
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Texts to compare, two or more [default: pages of this project, and a copy of one with every
    /// tenth line left out]
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
    sketch: TextSketch,
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
            let sketch = TextSketch::new(&text, words, target)?;
            sketched.push(Text { name, shingles: shingles(&text, words).collect(), sketch });
        }
        let mut pairs = HashMap::new();
        for (at, one) in sketched.iter().enumerate() {
            for (further, other) in (at + 1..).zip(&sketched[at + 1..]) {
                let common = one.shingles.intersection(&other.shingles).count() as f64;
                let all = one.shingles.union(&other.shingles).count() as f64;
                let found = one.sketch.resemblance(&other.sketch)?;
                let claim = format!("resemblance of {} and {}", one.name, other.name);
                report.within(claim, common / all, 4.0 * found.deviation, found.estimate, 4);
                pairs.insert((at, further), [common / all, found.estimate]);
            }
        }
        let [exact, found] = [0, 1].map(|which| {
            let alike = |one, other| Ok(pairs[&(one, other)][which] >= self.alike);
            shown(groups::<Infallible>(sketched.len(), alike), &sketched)
        });
        report.claim("results, with near-duplicates as one", &exact, &found, exact == found);
        if let Some(text) = sketched.first() {
            report.note(format_args!("each text is {} bytes of filter", text.sketch.bytes()));
        }
        Ok(())
    }

    fn texts(&self) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
        if self.files.is_empty() {
            let page = project_page("FORMAT.md")?;
            let lines = page.lines().enumerate().filter(|(at, _)| at % 10 != 9);
            let copy: Vec<_> = lines.map(|(_, line)| line).collect();
            let (copy, other) = (copy.join("\n"), project_page("ARCHITECTURE.md")?);
            let texts = [("FORMAT.md", page), ("its copy", copy), ("ARCHITECTURE.md", other)];
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
