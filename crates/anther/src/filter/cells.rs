//! Shared by kinds made of cells: the size for a target, and the valid cells, tables and probes.

use crate::batch::Hashes;
use crate::batch::steps::contains_by_probes;
use crate::error::{LoadError, Mismatch, PositionError, SizeError};
use crate::format::{Parts, Sheet};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::bits::Bits;
use crate::parts::hash::KeyHash;
use crate::parts::packed::Packed;
use crate::parts::probes::Spread;
use crate::sizing::{bloom, bound};
use crate::target::{Probes, Shape, Target};

/// 2⁴⁶ bits are 8 TiB.
pub(crate) const MAX_BITS: u64 = 1 << 46;

/// The classic size for a target, in cells of `width` bits.
pub(crate) fn size(kind: Kind, target: Target, width: u32) -> Result<bloom::Size, SizeError> {
    check_floor(kind, target)?;
    match bloom::size(target.items(), target.fpr(), u64::MAX) {
        Some(size) => check_bits(kind, size.bits, width).map(|()| size),
        None => Err(SizeError::TooLarge { kind, got: u64::MAX, most: MAX_BITS }),
    }
}

/// Whether the false-positive rate is above the collision rate of this many 64-bit hashes.
pub(crate) fn check_floor(kind: Kind, target: Target) -> Result<(), SizeError> {
    let (got, least) = (target.fpr(), bound::hash_floor(target.items()));
    if got <= least {
        return Err(SizeError::Fpr { kind, got, least });
    }
    Ok(())
}

/// The target with the window's keys as its items, where the option is set: for kinds that forget
/// older ones.
pub(crate) fn with_window(
    kind: Kind,
    target: Target,
    options: &Options,
) -> Result<Target, SizeError> {
    let window = options.window.unwrap_or(target.items());
    let most = Target::MAX_ITEMS as f64;
    options::within(kind, "window", window as f64, 1.0, most)?;
    Ok(Target::new(window, target.fpr())?)
}

/// Probes over `cells` cells of `width` bits, if the kind can have them.
pub(crate) fn spread(kind: Kind, cells: u64, probes: u32, width: u32) -> Result<Spread, SizeError> {
    if cells == 0 {
        return Err(SizeError::TooSmall { kind, got: 0, least: 1 });
    }
    check_bits(kind, cells, width)?;
    if !(1..=Spread::MAX_PROBES).contains(&probes) {
        let (least, most) = (1, Spread::MAX_PROBES);
        return Err(SizeError::Probes { kind, got: probes, least, most });
    }
    Ok(Spread::new(cells, probes))
}

/// The probes over the bits of a shape, if the kind can have them.
pub(crate) fn shaped(kind: Kind, shape: Shape) -> Result<Spread, SizeError> {
    let bits = shape.units(1);
    let probes = match shape.probes {
        Probes::Given(probes) => probes,
        Probes::BestFor(items) => bloom::best_probes(bits.max(1), items.max(1)),
    };
    spread(kind, bits, probes, 1)
}

/// Whether these are valid positions of a key.
pub(crate) fn check_positions(probes: Spread, positions: &[u64]) -> Result<(), PositionError> {
    let (bits, probes) = (probes.cells(), probes.probes());
    if positions.len() != probes as usize {
        return Err(PositionError::Count { got: positions.len(), probes });
    }
    match positions.iter().find(|&&position| position >= bits) {
        Some(&got) => Err(PositionError::Beyond { got, bits }),
        None => Ok(()),
    }
}

/// Whether `cells` cells of `width` bits can be addressed.
pub(crate) fn check_bits(kind: Kind, cells: u64, width: u32) -> Result<(), SizeError> {
    match cells.saturating_mul(u64::from(width)) {
        ..=MAX_BITS => Ok(()),
        got => Err(SizeError::TooLarge { kind, got, most: MAX_BITS }),
    }
}

/// Whether a table can have `bits` bits; `least` is the size of the smallest.
pub(crate) fn check_table(kind: Kind, bits: u64, least: u64) -> Result<(), SizeError> {
    match bits {
        0 => Err(SizeError::TooSmall { kind, got: 0, least }),
        _ => check_bits(kind, bits, 1),
    }
}

/// Whether two filters have the same probes over the same number of cells.
pub(crate) fn check_same(ours: Spread, theirs: Spread) -> Result<(), Mismatch> {
    if ours.probes() != theirs.probes() {
        return Err(Mismatch::Probes { ours: ours.probes(), theirs: theirs.probes() });
    }
    if ours.cells() != theirs.cells() {
        return Err(Mismatch::Cells { ours: ours.cells(), theirs: theirs.cells() });
    }
    Ok(())
}

/// Looks up keys that are in the set if all their cells are above 0.
pub(crate) fn contains_above_zero(
    cells: &Packed,
    probes: Spread,
    keys: impl Hashes,
    found: &mut [bool],
) {
    let (keys, fetch) = (keys.map(|key| (key, probes)), |cell| cells.fetch(cell));
    contains_by_probes(found, keys, cells.cells(), fetch, |cell| cells.get(cell) > 0);
}

/// Looks up keys that are in the set if all their bits are 1. Keys come with their probes.
pub(crate) fn contains_ones(
    bits: &Bits,
    keys: impl Iterator<Item = (KeyHash, Spread)>,
    found: &mut [bool],
) {
    let (fetch, holds) = (|bit| bits.fetch(bit), |bit| bits.get(bit));
    contains_by_probes(found, keys, bits.len(), fetch, holds);
}

/// Writes the fields of probes over cells.
pub(crate) fn describe(probes: Spread, sheet: &mut Sheet<'_>) {
    sheet.field("cells", probes.cells());
    sheet.field("probes", u64::from(probes.probes()));
}

/// Reads back the fields of probes over cells of `width` bits.
pub(crate) fn restore(parts: &mut Parts, width: u32) -> Result<Spread, LoadError> {
    let cells = parts.number("cells", 1..=MAX_BITS / u64::from(width))?;
    let probes = parts.small("probes", 1..=Spread::MAX_PROBES)?;
    Ok(Spread::new(cells, probes))
}
