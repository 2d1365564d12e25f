//! Damaged files are refused: a byte changed, an end cut off.

use super::data::url;
use super::ledger::{Ledger, OURS};
use super::stage::Stage;
use crate::error::Error;
use std::fs;

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    let trouble = |error| Error::about("the tour", error);
    let whole = fs::read(stage.path("urls.anther")).map_err(trouble)?;
    let middle = whole.len() / 2;

    stage.say(&format!("flipped.anther is urls.anther with one bit of byte {middle} changed,"))?;
    stage.say("cut.anther is urls.anther without its last byte.\n")?;
    let mut flipped = whole.clone();
    flipped[middle] ^= 1;
    fs::write(stage.path("flipped.anther"), flipped).map_err(trouble)?;
    fs::write(stage.path("cut.anther"), &whole[..whole.len() - 1]).map_err(trouble)?;

    for (name, claim, word) in [
        ("flipped.anther", "one wrong bit is refused", "checksum"),
        ("cut.anther", "one missing byte is refused", "truncated"),
    ] {
        let ran = stage.run(&format!("check {name} {}", url(0)))?;
        let refused = ran.code == 2 && ran.printed.is_empty();
        let named = ran.said.contains(word);
        let cause = if named { word } else { "another cause" };
        let measured = format!("exit code {}, {cause}", ran.code);
        ledger.claim(OURS, claim, &measured, refused && named);
    }
    Ok(())
}
