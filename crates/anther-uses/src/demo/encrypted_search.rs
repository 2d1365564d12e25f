//! Search in documents by a server process that has no key.

use super::made_up::text;
use super::{Outcome, Report, draw, rate, secret};
use crate::encrypted_search::{Layout, SearchKey, SecureIndex};
use crate::near_duplicates::shingles;
use anther::Target;
use anther::sizing::bloom;
use server::Server;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

mod secrecy;
pub mod server;

/// Search in documents by a server that has no key
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A folder of texts [default: eleven that are made up]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// A word to search for; may be repeated
    #[arg(long = "word", value_name = "WORD")]
    words: Vec<String>,
    /// False-positive rate of each document's filter
    #[arg(long, default_value_t = 0.01, value_parser = rate)]
    fpr: f64,
    /// Searches for words that are in no document
    #[arg(long, default_value_t = 15_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    searches: u32,
}

/// A document's name, which the server does not get, and its words. Its number is its place.
struct Document {
    name: String,
    words: BTreeSet<String>,
}

impl Document {
    fn new(name: impl Into<String>, text: &str) -> Document {
        Document { name: name.into(), words: shingles(text, 1).collect() }
    }

    fn index(
        &self,
        key: &SearchKey,
        number: u64,
        layout: Layout,
    ) -> Result<SecureIndex, Box<dyn Error>> {
        Ok(SecureIndex::build(key, number, self.words.iter().map(String::as_str), layout)?)
    }
}

impl Args {
    /// Indexes the documents, and lets the server search.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let documents = self.documents()?;
        let most = documents.iter().map(|document| document.words.len()).max().unwrap_or(0);
        // Rounded, so that not even the longest document's number of words is told.
        let layout =
            Layout::new(Target::new(most.next_multiple_of(1000).max(1000) as u64, self.fpr)?)?;
        let key = SearchKey::new(secret());
        let mut server = Server::start()?;
        let (last, first) = documents.split_last().ok_or("there are no documents")?;
        let mut indexes = Vec::new();
        for (number, document) in first.iter().enumerate() {
            indexes.push(document.index(&key, number as u64, layout)?);
            server.store(&indexes[number])?;
        }
        let searched = self.search(&mut server, &key, layout, first, report)?;
        let expected = searched.iter().filter(|word| last.words.contains(**word)).count();
        let index = last.index(&key, first.len() as u64, layout)?;
        secrecy::later(&mut server, &index, expected, layout, report)?;
        secrecy::blinding(&indexes, first, layout, report)?;
        secrecy::equal_words(last, layout, report)?;
        secrecy::guessing(&indexes, first, layout, report)?;
        let told = documents.len();
        report.note(format_args!(
            "the server got {} bytes: {told} filters of {} bytes, and trapdoors of {}",
            server.sent.len(),
            layout.bits.div_ceil(8),
            16 * layout.probes
        ));
        report.note("it learns how many documents there are, and about the most words of one;");
        report.note("of each search, which documents match it, and whether it came before");
        for word in &self.words {
            let found = server.find(&key.trapdoor(&word.to_lowercase(), layout))?;
            let names = found.iter().filter_map(|&at| documents.get(usize::try_from(at).ok()?));
            let names: Vec<_> = names.map(|document| document.name.as_str()).collect();
            report.note(format_args!(
                "{word}: maybe in {}",
                if names.is_empty() { "none".into() } else { names.join(", ") }
            ));
        }
        Ok(())
    }

    /// Real words are found, others as rarely as the formula says.
    fn search<'a>(
        &self,
        server: &mut Server,
        key: &SearchKey,
        layout: Layout,
        documents: &'a [Document],
        report: &mut Report,
    ) -> Result<Vec<&'a String>, Box<dyn Error>> {
        let all: BTreeSet<&'a String> =
            documents.iter().flat_map(|document| &document.words).collect();
        let asked: Vec<_> = all.iter().copied().step_by((all.len() / 1000).max(1)).collect();
        let (mut hits, mut missed) = (0, 0);
        for word in &asked {
            let found = server.find(&key.trapdoor(word, layout))?;
            for (number, document) in documents.iter().enumerate() {
                let here = document.words.contains(*word);
                hits += usize::from(here);
                missed += usize::from(here && !found.contains(&(number as u64)));
            }
        }
        let claim = format!("words missed, of {hits} in documents ({} searches)", asked.len());
        report.claim(claim, 0, missed, missed == 0);

        let mut wrong = 0;
        for search in 0..u64::from(self.searches) {
            // No text has such a word.
            wrong += server.find(&key.trapdoor(&format!("{:016x}\n", draw(search)), layout))?.len();
        }
        let pairs = u64::from(self.searches) * documents.len() as u64;
        let share = wrong as f64 / pairs as f64;
        let bound = bound(layout, pairs, documents.len());
        report.within("false-positive rate of a search", layout.rate(), bound, share, 5);

        let repeated = key.trapdoor(asked[0], layout);
        server.find(&repeated)?;
        let (sent, known) = (asked.len() as u64 + u64::from(self.searches), server.different()?);
        report.claim(
            "the server sees repeated searches: different trapdoors, one word searched twice",
            format_args!("{sent} of {}", sent + 1),
            known,
            known == sent,
        );
        let words = asked.iter().filter(|word| word.len() >= 8).take(100);
        let leaked = words.filter(|word| contains(&server.sent, word.as_bytes())).count();
        report.claim("searched words among the bytes sent to the server", 0, leaked, leaked == 0);
        Ok(asked)
    }

    fn documents(&self) -> Result<Vec<Document>, Box<dyn Error>> {
        let Some(folder) = &self.folder else {
            let made = |number| {
                let words = FEWEST * (usize::try_from(number)? + 1);
                Ok(Document::new(format!("letter {number}"), &text(number, words)))
            };
            return (0..MADE_UP).map(made).collect();
        };
        let mut documents = Vec::new();
        read_folder(folder, &mut documents)?;
        if documents.len() < 2 {
            return Err(format!(
                "{}: has {} texts; take two or more",
                folder.display(),
                documents.len()
            )
            .into());
        }
        Ok(documents)
    }
}

/// Documents that are made up, and words of the shortest; the next have twice and three times as
/// many.
const MADE_UP: u64 = 11;
const FEWEST: usize = 600;

/// How many files of a folder are read at most, and how many bytes.
const MOST_FILES: usize = 2000;
const MOST_BYTES: u64 = 10 << 20;

/// The texts of a folder and of those in it. A file with a zero byte is no text.
fn read_folder(folder: &Path, documents: &mut Vec<Document>) -> Result<(), Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.sort();
    for path in paths {
        let about = fs::symlink_metadata(&path)?;
        if about.is_dir() {
            read_folder(&path, documents)?;
        } else if about.is_file() && about.len() <= MOST_BYTES && documents.len() < MOST_FILES {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            if !bytes.contains(&0) {
                let text = String::from_utf8_lossy(&bytes);
                documents.push(Document::new(path.display().to_string(), &text));
            }
        }
    }
    Ok(())
}

/// Four standard deviations of a rate, by the number of lookups and of filters.
fn bound(layout: Layout, lookups: u64, filters: usize) -> f64 {
    let rate = layout.rate();
    let spread = rate * bloom::spread(layout.bits, layout.words, layout.probes);
    4.0 * (rate / lookups as f64 + spread.powi(2) / filters as f64).sqrt()
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
