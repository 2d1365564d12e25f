//! `spell`: prints the words of texts that a dictionary does not have.

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::input::Input;
use crate::keys::{ON, Reading};
use crate::output::{self, Out};
use crate::progress::Progress;
use crate::secret_key::KeyArgs;
use crate::suggest::{Letters, suggestions};
use crate::warning::Warning;
use crate::words;
use anther::recipe::{Given, KeyForm, KeyRule};
use anther::{AnyFilter, Filter, Key, Seed, units};
use anther_records::extract::Extraction;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Prints the words of texts that are not in a dictionary, with line and column. The
dictionary is a filter of words, one per line, and so takes two bytes per word.

Examples:
  anther build en.anther /usr/share/dict/words --fpr 0.1%
  anther spell en.anther letter.txt
  anther spell en.anther --also my-words.anther chapter-*.txt
  anther spell en.anther --words < letter.txt | sort | uniq -c | sort -rn
  anther add en.anther -k Bloomier anther               words of your own
  anther build en.anther /usr/share/dict/words --fpr 1e-6
  anther spell en.anther --suggest letter.txt

Each unknown word gets a line: the file, the line, the column, and the word. Columns count
characters, from 1. Without texts, standard input is read.

Words are those of Unicode (annex 29), so the apostrophe of don't is part of the word. A
word is known if the dictionary has it as it is. A capital letter may be due to its place,
so The is looked up as the, too; capitals throughout as the and The, so PARIS is
known if Paris is, but paris is not. Words with hyphens are known as one word or each for
itself. A noun with 's is known if the noun is. Words of one letter, words with digits,
URLs and e-mail addresses are passed over.

A filter has no false negatives: no word of the dictionary is reported. Of the misspelled
words, as many are missed as its false-positive rate says, so build it with --fpr 0.1%.

--suggest looks up all words that are one edit away: two letters swapped, one too many, one
missing, one wrong. A word of 8 letters has 460 of them, so at 0.1% every other such word
gets a false suggestion. Build with --fpr 1e-6, and 1 in 2,000 gets one.";

const EXIT_CODES: &str = "Exit codes: 0 all words are known; 1 some are not; 2 error.";

/// Print the words of texts that a dictionary does not have
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The dictionary, a filter of words; `-` is standard input
    filter: PathBuf,
    /// Texts; `-` is standard input [default: -]
    #[arg(value_name = "TEXT")]
    texts: Vec<PathBuf>,
    /// Words of this filter are known, too
    #[arg(long, value_name = "FILTER")]
    also: Vec<PathBuf>,
    /// Print each unknown word once, where it comes first
    #[arg(short, long)]
    unique: bool,
    /// Print the words alone, without file, line and column
    #[arg(short, long, conflicts_with_all = ["count", "json"])]
    words: bool,
    /// Print only how many unknown words there are
    #[arg(short, long)]
    count: bool,
    /// Print the words of the dictionary that are one edit away, too
    #[arg(short, long, conflicts_with = "count")]
    suggest: bool,
    /// Letters that suggestions may have, such as a-zäöüß
    #[arg(long, default_value = "a-z'", requires = "suggest")]
    letters: Letters,
    /// Print each unknown word as a line of JSON; with -c one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
}

/// A line of `--json`.
#[derive(Serialize)]
struct UnknownJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u64,
    column: usize,
    word: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<&'a [String]>,
}

/// What `-c --json` prints.
#[derive(Serialize)]
struct CountJson {
    unknown: u64,
}

/// An unknown word of a block.
struct Unknown {
    /// The position of its line in the block.
    at: usize,
    column: usize,
    word: String,
    suggestions: Vec<String>,
    /// How many words that no dictionary has were looked up for them.
    candidates: u64,
}

/// Totals, which tell how many false suggestions to expect.
#[derive(Default)]
struct Suggested {
    words: u64,
    suggestions: u64,
    candidates: u64,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let texts = Input::all(&self.texts);
        texts.iter().try_for_each(Input::check)?;
        let paths: Vec<&Path> =
            std::iter::once(&self.filter).chain(&self.also).map(|path| &**path).collect();
        filter_file::check_stdin(&paths, &texts)?;
        let dictionaries =
            paths.iter().map(|path| self.open(path)).collect::<Result<Vec<_>, _>>()?;
        if texts.iter().any(Input::is_typed) {
            output::note("reading text from the terminal; end with Ctrl-D");
        }
        // Lines are numbered, blank ones too.
        let how = Extraction { keep_empty: true, ..Extraction::default() };
        let reading = Reading { sources: &texts, how: &how, seed: Seed::FIXED };
        let progress = Progress::reading(texts.iter().map(Input::len).sum(), false);
        let (mut out, mut seen, mut unknown) = (Out::stdout(), HashSet::new(), 0_u64);
        let mut suggested = Suggested::default();
        reading.each(
            |records, _| {
                let mut words = Vec::new();
                let mut speller = Speller { dictionaries: &dictionaries, made: Vec::new() };
                for (at, line) in records.enumerate() {
                    speller.line(line, |column, word| {
                        let word = word.to_string();
                        words.push(Unknown {
                            at,
                            column,
                            word,
                            suggestions: vec![],
                            candidates: 0,
                        });
                    });
                }
                if self.suggest {
                    words.iter_mut().for_each(|unknown| speller.suggest(unknown, &self.letters));
                }
                words
            },
            |keyed, words: Vec<Unknown>| {
                let name = match keyed.source {
                    Input::File(_) => Some(keyed.source.name()),
                    _ => None,
                };
                for word in words {
                    if self.unique && !seen.insert(word.word.clone()) {
                        continue;
                    }
                    unknown += 1;
                    suggested.add(&word);
                    let line = keyed.records.line(word.at);
                    self.print(name.as_deref(), line, &word, &mut out)?;
                }
                progress.advance(keyed.bytes);
                out.end_block(keyed.next_is_ready)?;
                Ok(ON)
            },
        )?;
        if self.count {
            match self.json {
                true => out.json(&CountJson { unknown })?,
                false => out.line(format_args!("{unknown}"))?,
            }
        }
        out.finish()?;
        if self.suggest && unknown > 0 {
            suggested.note(&dictionaries);
        }
        Ok(if unknown == 0 { Exit::Success } else { Exit::Nothing })
    }

    /// Opens a dictionary.
    fn open(&self, path: &Path) -> Result<Dictionary, Stop> {
        let how = match self.also[..] {
            [] => self.key.open(path)?,
            _ => self.key.open_if_keyed(path)?,
        };
        let filter = filter_file::open(path, how)?;
        let rule = filter.about().rule().unwrap_or_default();
        if rule.form != KeyForm::Text || rule.parts != 1 {
            let cause = format!("its keys are {rule}, and a dictionary has words, one per line");
            return Err(Stop::about(output::shown(path), cause));
        }
        if !filter.kind().capabilities().no_false_negatives {
            Warning::Forgets(filter.kind()).say(path);
        }
        Ok(Dictionary { filter, rule })
    }

    fn print(
        &self,
        file: Option<&str>,
        line: u64,
        unknown: &Unknown,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let Unknown { column, word, suggestions, .. } = unknown;
        if self.count {
            return Ok(());
        }
        if self.json {
            let suggestions = self.suggest.then_some(&suggestions[..]);
            return out.json(&UnknownJson { file, line, column: *column, word, suggestions });
        }
        if !self.words {
            let file = file.map(|file| format!("{file}:")).unwrap_or_default();
            out.key(format!("{file}{line}:{column}: ").as_bytes())?;
        }
        out.key(word.as_bytes())?;
        if !suggestions.is_empty() {
            out.key(format!(": {}", suggestions.join(", ")).as_bytes())?;
        }
        out.key(b"\n")
    }
}

impl Suggested {
    fn add(&mut self, unknown: &Unknown) {
        self.words += 1;
        self.suggestions += unknown.suggestions.len() as u64;
        self.candidates += unknown.candidates;
    }

    /// Says how many suggestions are false positives: candidates times rate.
    fn note(&self, dictionaries: &[Dictionary]) {
        let rate: f64 = dictionaries.iter().map(|one| one.filter.profile().fpr_now).sum();
        let expected = self.candidates as f64 * rate;
        let false_ones = match expected {
            0.0..0.005 => "practically none of them is false".to_string(),
            _ => format!("about {expected:.2} of them are false"),
        };
        let mut note = format!(
            "suggestions for unknown words: {}; {false_ones} ({} candidates, false-positive rate {})",
            units::count(self.suggestions),
            units::count(self.candidates),
            units::rate(rate),
        );
        // One in ten words is one that nobody minds.
        if expected > 0.1 * self.words as f64 {
            note += "; a dictionary built with --fpr 1e-6 gives fewer";
        }
        output::note(&note);
    }
}

/// A filter of words.
struct Dictionary {
    filter: AnyFilter,
    rule: KeyRule,
}

/// Looks up the words of lines.
struct Speller<'a> {
    dictionaries: &'a [Dictionary],
    /// A word after a dictionary's rule.
    made: Vec<u8>,
}

impl Speller<'_> {
    /// Calls `unknown` for every unknown word of a line, with its column.
    fn line(&mut self, line: &[u8], mut unknown: impl FnMut(usize, &str)) {
        // Bytes that are no text separate words, and count as a character each.
        let mut column = 1;
        for chunk in line.utf8_chunks() {
            let text = chunk.valid();
            let mut known = |word: &str| self.knows(word);
            words::unknown_words(text, &mut known, |word| {
                unknown(column + text[..word.at].chars().count(), word.text);
            });
            column += text.chars().count() + usize::from(!chunk.invalid().is_empty());
        }
    }

    fn suggest(&mut self, unknown: &mut Unknown, letters: &Letters) {
        let (mut lookups, mut hits) = (0, 0);
        let mut known = |word: &str| {
            let found = self.knows(word);
            (lookups, hits) = (lookups + 1, hits + u64::from(found));
            found
        };
        unknown.suggestions = suggestions(&unknown.word, letters, &mut known);
        unknown.candidates = lookups - hits;
    }

    fn knows(&mut self, word: &str) -> bool {
        self.dictionaries.iter().any(|Dictionary { filter, rule }| {
            let key = rule.key(&[Given::Text(word.as_bytes())], &mut self.made);
            key.is_ok_and(|key| filter.contains_hash(key.key_hash(filter.seed())))
        })
    }
}
