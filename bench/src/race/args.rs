//! The arguments of the benchmark.

/// The parts of the benchmark, in their order.
pub const SECTIONS: [&str; 5] = ["u64", "strings", "static", "threads", "hash"];

/// How to call it.
pub const USAGE: &str = "Usage: cargo xtask bench [--quick] [--items=N] [--record] [SECTION…]

  SECTION   u64, strings, static, threads or hash; all of them unless named
  --quick   10^5 and 10^6 keys, and of the peers only filters with our hash and those that a goal
            names: half a minute, and no record
  --items=N only sets of N keys, 1000 to 10^9, such as 1e7 or 10000000
  --record  keep the numbers of a quick or partial run under bench/records, too";

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// Small sets only.
    pub quick: bool,
    /// Keep the numbers, even of a part.
    pub record: bool,
    /// Sets of this size only.
    pub items: Option<u64>,
    /// The reduced table of a build for this very machine.
    pub native: bool,
    /// Sections by name; all when none is.
    pub sections: Vec<String>,
}

/// The parsed arguments, or what is wrong with them. `None` if help is requested.
pub fn parse(args: impl Iterator<Item = String>) -> Result<Option<Args>, String> {
    let mut parsed = Args::default();
    for arg in args {
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--quick" => parsed.quick = true,
            "--record" => parsed.record = true,
            "--native" => parsed.native = true,
            items if items.starts_with("--items=") => {
                let number = items.trim_start_matches("--items=").parse::<f64>().ok();
                let sound = |number: &f64| (1e3..=1e9).contains(number) && number.fract() == 0.0;
                let wrong = || format!("`{items}`: not a whole number from 1000 to 10^9.");
                parsed.items = Some(number.filter(sound).ok_or_else(wrong)? as u64);
            }
            section if SECTIONS.contains(&section) => parsed.sections.push(arg),
            other => return Err(format!("`{other}`: no such section or option.\n\n{USAGE}")),
        }
    }
    Ok(Some(parsed))
}

impl Args {
    /// Whether a section is to run.
    pub fn wants(&self, section: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|wanted| wanted == section)
    }

    /// Whether everything runs, so that the record of the day is written.
    pub fn is_full(&self) -> bool {
        !self.quick && self.items.is_none() && self.sections.is_empty()
    }

    /// Whether numbers are kept.
    pub fn records(&self) -> bool {
        self.record || self.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<Option<Args>, String> {
        parse(args.iter().map(ToString::to_string))
    }

    #[test]
    fn what_is_asked_for() {
        let Ok(Some(all)) = parsed(&[]) else { unreachable!("no arguments are fine") };
        assert!(all.is_full() && all.records() && SECTIONS.iter().all(|name| all.wants(name)));
        let Ok(Some(some)) = parsed(&["--quick", "hash"]) else { unreachable!("both are known") };
        assert!(some.quick && !some.records() && some.wants("hash") && !some.wants("u64"));
        let Ok(Some(kept)) = parsed(&["hash", "--record"]) else { unreachable!("both are known") };
        assert!(kept.records() && !kept.is_full());
        assert_eq!(parsed(&["u64", "-h"]), Ok(None));
        let Ok(Some(sized)) = parsed(&["--items=1e7"]) else { unreachable!("a whole number") };
        assert!(sized.items == Some(10_000_000) && !sized.is_full());
    }

    #[test]
    fn what_is_unknown_is_named() {
        for unknown in ["", "--fast", "U64"] {
            let error = parsed(&["hash", unknown]).unwrap_err();
            assert!(error.starts_with(&format!("`{unknown}`: no such")), "{error}");
        }
        for wrong in ["--items=", "--items=ten", "--items=10", "--items=1000.5", "--items=NaN"] {
            let error = parsed(&[wrong]).unwrap_err();
            assert!(error.starts_with(&format!("`{wrong}`: not a whole number")), "{error}");
        }
    }
}
