//! A million URLs: built, mapped, checked, merged from two halves, and compared in memory with a hash
//! set and a B-tree.

use super::data::url;
use super::ledger::{BITS, Ledger, MEMORY, NO_MISS, OURS, most_by_chance};
use super::stage::Stage;
use super::words::PROMISE;
use crate::error::Error;
use crate::memory::Weight;
use anther::Filter;
use anther::units;
use std::fs;

const URLS: u64 = 1_000_000;

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.write("urls-1.txt", (0..URLS / 2).map(url))?;
    stage.write("urls-2.txt", (URLS / 2..URLS).map(url))?;
    stage.write("absent-urls.txt", (URLS..2 * URLS).map(url))?;
    stage
        .say("urls-1.txt and urls-2.txt have a million URLs, absent-urls.txt a million others.")?;
    stage.say(&format!("One of them: {}\n", url(URLS / 3)))?;
    stage.run("build urls.anther urls-1.txt urls-2.txt")?.or_stop()?;
    stage.run("info urls.anther")?.or_stop()?;
    rates(stage, ledger)?;
    merging(stage, ledger)?;
    weights(stage, ledger)
}

fn rates(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.say(
        "\nHow many false negatives and false positives? With --map, the file is not read first:",
    )?;
    let mut missed = 0;
    for half in ["urls-1.txt", "urls-2.txt"] {
        missed += stage.count("check --map -v -c urls.anther", half)?;
    }
    let false_positives = stage.count("check --map -c urls.anther", "absent-urls.txt")?;
    ledger.claim(
        NO_MISS,
        "no false negatives in a million URLs",
        &format!("{missed} missed"),
        missed == 0,
    );
    let most = most_by_chance(PROMISE, URLS);
    let measured =
        format!("{}, chance allows {}", units::count(false_positives), units::count(most));
    ledger.claim(OURS, "10,000 false positives in a million", &measured, false_positives <= most);

    let filter = stage.open("urls.anther")?;
    let bits = filter.profile().bits_per_key().unwrap_or(f64::INFINITY);
    ledger.claim(BITS, "at 1 %, under 10 bits per key", &format!("{bits:.2}"), bits < 10.0);
    Ok(())
}

fn merging(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.say("\nA filter for each half, made for all URLs, and then merged:")?;
    stage.run("build half-1.anther urls-1.txt --items 1M --quiet")?.or_stop()?;
    stage.run("build half-2.anther urls-2.txt --items 1M --quiet")?.or_stop()?;
    stage.run("merge merged.anther half-1.anther half-2.anther")?.or_stop()?;
    let read = |name| {
        fs::read(stage.path(name)).map_err(|error| Error::about(stage.path(name).display(), error))
    };
    let (whole, merged) = (read("urls.anther")?, read("merged.anther")?);
    let same = whole == merged;
    let measured = match same {
        true => format!("{} equal bytes", units::count(whole.len() as u64)),
        false => "the files differ".to_string(),
    };
    stage.say(&format!("Compared with urls.anther: {measured}."))?;
    ledger.claim(OURS, "merged halves equal the whole file", &measured, same);
    Ok(())
}

fn weights(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.say("\nThe memory of a filter and of exact sets, each in its own process:")?;
    let (filter, _) = weigh(stage, "filter urls.anther")?;
    for (structure, name) in [("hash-set", "a hash set"), ("b-tree", "a B-tree")] {
        let (exact, method) = weigh(stage, &format!("{structure} urls-1.txt urls-2.txt"))?;
        let times = exact as f64 / filter as f64;
        // The source has 120 MB against over a gigabyte, for 100 million URLs.
        let claim = format!("{name} takes over 8 times as much");
        let measured = format!("{times:.0}×, {}{method}", units::size(exact));
        ledger.claim(MEMORY, &claim, &measured, times > 8.0);
    }
    Ok(())
}

/// How many bytes it takes, and a remark where that was not measured.
fn weigh(stage: &mut Stage, what: &str) -> Result<(u64, &'static str), Error> {
    let ran = stage.run(&format!("tour --weigh {what}"))?.or_stop()?;
    let weight: Option<Weight> = serde_json::from_str(&ran.printed).ok();
    let weight = weight.filter(|weight| weight.bytes > 0);
    let weight = weight.ok_or_else(|| Error::about(what, "could not be measured"))?;
    Ok((weight.bytes, if weight.is_measured() { "" } else { " (computed)" }))
}
