//! The commands that are compared, all run in the folder of the corpus.

use crate::process::{self, Cost};
use std::error::Error;
use std::fs;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Searcher {
    Anther,
    /// Ours without the index.
    FullScan,
    Ripgrep,
    Ugrep,
}

impl Searcher {
    /// As the tables have it.
    pub const fn name(self) -> &'static str {
        match self {
            Searcher::Anther => "anther grep",
            Searcher::FullScan => "anther grep --no-index",
            Searcher::Ripgrep => "rg -z",
            Searcher::Ugrep => "ugrep -rz",
        }
    }
}

/// Where programs are and work.
pub struct Programs {
    pub anther: PathBuf,
    pub folder: PathBuf,
}

impl Programs {
    /// Searches all logs; what it printed goes to a file that is read later.
    pub fn search(&self, who: Searcher, pattern: &str) -> Result<Cost, Box<dyn Error>> {
        let mut command = match who {
            Searcher::Anther | Searcher::FullScan => self.anther(&["grep", "logs.idx"]),
            Searcher::Ripgrep => Command::new("rg"),
            Searcher::Ugrep => Command::new("ugrep"),
        };
        match who {
            Searcher::Anther => command.args(["-e", pattern]),
            Searcher::FullScan => command.args(["--no-index", "-e", pattern]),
            Searcher::Ripgrep => command.args(["--no-config", "-z", "-e", pattern, "logs"]),
            Searcher::Ugrep => command.args(["-rz", "-e", pattern, "logs"]),
        };
        command.current_dir(&self.folder).stdin(Stdio::null());
        command.stdout(File::create(self.folder.join("printed"))?);
        let cost = process::run(&mut command)?;
        // 1: no line matched.
        if cost.code > 1 {
            return Err(format!("{} {pattern} ended with {}", who.name(), cost.code).into());
        }
        Ok(cost)
    }

    /// The lines of the last search. ripgrep's come from several threads, in any order.
    pub fn printed(&self) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
        let text = fs::read(self.folder.join("printed"))?;
        let mut lines: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort_unstable();
        Ok(lines)
    }

    /// Makes an index anew; what it took, and how many bytes of text and of index there are.
    pub fn index(&self, of: &str) -> Result<(Cost, u64, u64), Box<dyn Error>> {
        let name = format!("{of}.idx");
        let mut command = self.anther(&["index", "--force", "--json", "--quiet", &name, of]);
        command.stdout(File::create(self.folder.join("printed"))?);
        let cost = process::run(&mut command)?;
        if cost.code != 0 {
            return Err(format!("anther index ended with {}", cost.code).into());
        }
        let json = fs::read_to_string(self.folder.join("printed"))?;
        Ok((cost, number(&json, "text_bytes")?, number(&json, "index_bytes")?))
    }

    /// Looks for a literal; how many blocks there are, were opened, and were opened in vain.
    pub fn blocks(&self, literal: &str) -> Result<[u64; 3], Box<dyn Error>> {
        let output = self
            .anther(&["grep", "logs.idx", "--json", "--stats", "-F", "-e", literal])
            .output()?;
        let json = String::from_utf8_lossy(&output.stdout);
        let summary = json.lines().last().unwrap_or_default();
        let get = |name| number(summary, name);
        let (skipped, opened) = (get("blocks_skipped")?, get("blocks_opened")?);
        Ok([skipped + opened, opened, get("blocks_opened_in_vain")?])
    }

    fn anther(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.anther);
        command.args(arguments).current_dir(&self.folder).stdin(Stdio::null());
        command
    }
}

/// The number behind a name, in JSON whose names are told apart.
fn number(json: &str, name: &str) -> Result<u64, Box<dyn Error>> {
    let missing = || format!("no {name} in {json:?}");
    let (_, rest) = json.split_once(&format!("\"{name}\":")).ok_or_else(missing)?;
    let digits = rest.trim_start().split(|it: char| !it.is_ascii_digit()).next();
    Ok(digits.and_then(|digits| digits.parse().ok()).ok_or_else(missing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json() {
        let json = r#"{"index":{"blocks_opened":12,"blocks_opened_in_vain": 3}}"#;
        assert_eq!(number(json, "blocks_opened").ok(), Some(12));
        assert_eq!(number(json, "blocks_opened_in_vain").ok(), Some(3));
        assert!(number(json, "blocks").is_err());
    }
}
