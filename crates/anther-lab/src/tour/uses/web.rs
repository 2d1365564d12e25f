//! The web: what others have in their caches, and which pages are on a list.

use super::super::data::url;
use super::{Line, SECRET, by_chance};
use anther::sizing::bloom;
use anther::{Seed, units};
use anther_uses::safe_browsing::{FullHash, Guard, Local, full_hash, requests};
use anther_uses::web_proxies::Directory;
use std::error::Error;
use std::path::Path;

pub(super) fn web_proxies(_: &Path) -> Result<Line, Box<dyn Error>> {
    const PAGES: u64 = 2000;
    const ABSENT: u64 = 20_000;
    let mut cache = Directory::new(PAGES, 8, 4, 0.1, Seed::FIXED)?;
    (0..PAGES).for_each(|number| cache.insert(&url(number)));
    let summary = cache.summary()?;
    let missed = (0..PAGES).filter(|number| !summary.contains(url(*number))).count();
    let in_vain = (PAGES..PAGES + ABSENT).filter(|number| summary.contains(url(*number))).count();
    let (in_vain, predicted) = (in_vain as u64, bloom::rate(8 * PAGES, PAGES, 4));
    Ok(Line {
        source: "[2] 7.1",
        claim: format!("web proxies, a byte per page: {} in vain", units::rate(predicted)),
        measured: format!("{}, {missed} missed", units::rate(in_vain as f64 / ABSENT as f64)),
        holds: missed == 0 && by_chance(predicted, in_vain, ABSENT),
    })
}

pub(super) fn safe_browsing(_: &Path) -> Result<Line, Box<dyn Error>> {
    const PAGES: u64 = 20_000;
    const LISTED: u64 = 50;
    let list: Result<Vec<FullHash>, _> = (0..5000).map(|number| full_hash(&url(number))).collect();
    let list = list?;
    let mut guard = Guard::new(Local::filter(&list, 0.001, Seed::keyed(SECRET))?);
    let mut asked = 0;
    let mut ask = |prefix: [u8; 4]| {
        asked += 1;
        Ok(list.iter().copied().filter(|hash| hash.starts_with(&prefix)).collect())
    };
    let (mut blocked, mut others) = (0, 0);
    for number in 0..PAGES {
        if number < LISTED {
            // Another spelling of a listed page.
            let page = url(number).replacen("https://", "HTTPS://", 1) + "#top";
            blocked += u64::from(guard.is_listed(&page, &mut ask)?);
        } else {
            others += u64::from(guard.is_listed(&url(100_000 + number), &mut ask)?);
        }
    }
    let predicted = requests(PAGES, LISTED, 0.001);
    Ok(Line {
        source: "[2] 7.3",
        claim: format!("Safe Browsing: b+(N-b)ε={predicted:.0} of {PAGES} pages asked"),
        measured: format!("{asked}; {blocked} of {LISTED} blocked, {others} others"),
        holds: blocked == LISTED
            && others == 0
            && by_chance(predicted / PAGES as f64, asked, PAGES),
    })
}
