//! Which of today's URLs are new? Two crawlers each keep a filter of the URLs they have seen. The
//! filters are saved, merged, mapped into memory and queried.
//!
//! The output shows what was promised beside what was measured.
//!
//! ```console
//! $ cargo run -p anther --release --example url_filter
//! ```

use anther::{Blocked, FileMap, Open, PlainBits, Target};
use std::error::Error;
use std::fs;

const URLS: usize = 200_000;
const FPR: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let [monday, tuesday] =
        ["monday.anther", "tuesday.anther"].map(|name| folder.path().join(name));

    // Each crawler sees half of the URLs. Both filters are made for all of them, so that the merged
    // filter still meets the target.
    let target = Target::new(URLS as u64, FPR)?;
    let mut seen = Blocked::new(target)?;
    seen.extend((0..URLS / 2).map(url));
    seen.save(&monday)?;
    let mut seen = Blocked::new(target)?;
    seen.extend((URLS / 2..URLS).map(url));
    seen.save(&tuesday)?;
    println!("example           {}", url(0));
    let text: usize = (0..URLS).map(|i| url(i).len()).sum();
    println!("URLs              {URLS}, {text} bytes");
    println!("one file          {} bytes", fs::metadata(&monday)?.len());

    // Opening verifies every byte. The merged filter is bit for bit that of a single crawler that
    // saw everything.
    let mut both = Blocked::open(&monday)?;
    both.merge(&Blocked::open(&tuesday)?)?;
    let mut all = Blocked::new(target)?;
    all.extend((0..URLS).map(url));
    assert_eq!(both, all);
    both.save(&monday)?;

    // Mapping opens a filter of any size at once, and all processes that map it share its memory.
    // SAFETY: the file is in a directory of our own, and nobody changes it.
    #[expect(unsafe_code, reason = "mapping a file is")]
    let map = unsafe { FileMap::open(&monday)? };
    let filter: Blocked = Open::new().map(&map)?;
    assert!((0..URLS).all(|i| filter.contains(url(i))), "no false negatives, ever");
    println!("merged, mapped    all {URLS} found");

    // These keys were never inserted.
    let lookups = 100_000;
    let found = (URLS..URLS + lookups).filter(|&i| filter.contains(url(i))).count();
    let measured = found as f64 / lookups as f64;
    let profile = both.profile();
    let items = both.estimate_items();
    println!("\n                  promised    measured");
    println!("false positives   {:<11} {:.3} %", format!("{} %", 100.0 * FPR), 100.0 * measured);
    // The target is the mean over all filters of this size; a single one is a little above or
    // below, and its fill shows it.
    println!("from its fill     {:<11} {:.3} %", "", 100.0 * profile.fpr_now);
    println!("items             {URLS:<11} {:.0} ± {:.0}", items.items, items.deviation);
    println!("bits per key      {:<11} {:.2}", "< 10", profile.bits as f64 / URLS as f64);

    // Six standard deviations of the measured rate.
    let room = 6.0 * (FPR * (1.0 - FPR) / lookups as f64).sqrt();
    assert!(measured <= FPR + room);
    assert!(profile.bits < 10 * URLS as u64);
    Ok(())
}

/// The i-th URL of a web that does not exist.
fn url(i: usize) -> String {
    const HOSTS: [&str; 5] =
        ["example.org", "news.example.com", "shop.example.net", "example.edu", "wiki.example.org"];
    const TOPICS: [&str; 6] = ["botany", "pollen", "petals", "gardens", "seeds", "bees"];
    let pick = |from: &[&'static str], n: usize| from[n % from.len()];
    format!(
        "https://{}/{}/{}/{i:06}-{}?page={}",
        pick(&HOSTS, i),
        2015 + i % 11,
        pick(&TOPICS, i / 5),
        pick(&TOPICS, i / 30),
        1 + i % 4,
    )
}
