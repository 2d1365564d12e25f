//! What a crash may leave on a disk: of what was not synced, any part.

use crate::record::{Content, Event, Inode, Unit};
use fastrand::Rng;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The files of a folder by name, without temporary ones.
pub type Files = BTreeMap<String, Vec<u8>>;

/// With up to this many units that may or may not be on disk, all combinations are built.
const MOST: usize = 12;
/// With more units, this many combinations.
const SAMPLES: usize = 1000;

/// Whether a file is left over by a process that did not get to rename it.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(".anther-") && name.ends_with(".tmp")
}

/// How many states there were.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub states: u64,
    pub distinct: u64,
}

/// Builds the states that a crash after each event may leave, and passes on those that differ, with
/// how often the program had said that it succeeded. An error ends it.
///
/// After each event, not after each unit: what a crash may leave within an event, it may leave after
/// it, too.
pub fn states<E>(
    before: &Content,
    events: &[Event],
    mut visit: impl FnMut(&Files, usize) -> Result<(), E>,
) -> Result<Count, E> {
    let (mut count, mut seen) = (Count::default(), HashSet::new());
    let (mut durable, mut pending) = (before.clone(), Vec::<(usize, &Unit)>::new());
    let (mut acknowledged, mut random) = (0, Rng::with_seed(25));
    for at in 0..=events.len() {
        if let Some(event) = at.checked_sub(1).map(|last| &events[last]) {
            match event {
                Event::Changed(units) => pending.extend(units.iter().map(|unit| (at - 1, unit))),
                Event::Acknowledged => acknowledged += 1,
                _ => pending.retain(|(number, unit)| {
                    let is_synced = *number < event_end(event) && concerns(event, unit);
                    if is_synced {
                        apply(&mut durable, unit);
                    }
                    !is_synced
                }),
            }
        }
        let named = named(&durable, &pending);
        let units: Vec<&Unit> =
            pending.iter().map(|(_, unit)| *unit).filter(|unit| matters(unit, &named)).collect();
        for chosen in subsets(units.len(), &mut random) {
            let files = state(&durable, units.iter().zip(chosen).filter(|it| it.1).map(|it| *it.0));
            count.states += 1;
            let mut hasher = DefaultHasher::new();
            (&files, acknowledged).hash(&mut hasher);
            if seen.insert(hasher.finish()) {
                count.distinct += 1;
                visit(&files, acknowledged)?;
            }
        }
    }
    Ok(count)
}

fn event_end(event: &Event) -> usize {
    match event {
        Event::Synced { until, .. }
        | Event::SyncedRange { until, .. }
        | Event::SyncedNames { until } => *until,
        Event::Changed(_) | Event::Acknowledged => 0,
    }
}

/// Whether a sync writes a unit to disk.
fn concerns(event: &Event, unit: &Unit) -> bool {
    match (event, unit) {
        (Event::SyncedNames { .. }, Unit::Names { .. }) => true,
        (
            Event::Synced { inode: synced, .. },
            Unit::Data { inode, .. } | Unit::Length { inode, .. },
        ) => synced == inode,
        (Event::SyncedRange { inode: synced, range, .. }, Unit::Data { inode, at, .. }) => {
            synced == inode && range.contains(at)
        }
        _ => false,
    }
}

/// The files that have, or may get, a name that is not temporary.
fn named(durable: &Content, pending: &[(usize, &Unit)]) -> HashSet<Inode> {
    let later = pending.iter().filter_map(|(_, unit)| match unit {
        Unit::Names { set, .. } => Some(set.iter().map(|(name, inode)| (name, inode))),
        _ => None,
    });
    let all = durable.names.iter().chain(later.flatten());
    all.filter(|(name, _)| !is_temporary(name)).map(|(_, inode)| *inode).collect()
}

fn matters(unit: &Unit, named: &HashSet<Inode>) -> bool {
    match unit {
        Unit::Data { inode, .. } | Unit::Length { inode, .. } => named.contains(inode),
        Unit::Names { .. } => true,
    }
}

fn apply(content: &mut Content, unit: &Unit) {
    match unit {
        Unit::Names { set, removed } => {
            content.names.retain(|name, _| !removed.contains(name));
            content.names.extend(set.iter().cloned());
        }
        Unit::Data { inode, at, bytes } => {
            let file = content.files.entry(*inode).or_default();
            if file.len() < at + bytes.len() {
                file.resize(at + bytes.len(), 0);
            }
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Unit::Length { inode, bytes } => content.files.entry(*inode).or_default().resize(*bytes, 0),
    }
}

/// What a folder holds if exactly these units reached the disk.
fn state<'a>(durable: &Content, units: impl Iterator<Item = &'a Unit>) -> Files {
    let units: Vec<&Unit> = units.collect();
    let mut names = Content { names: durable.names.clone(), ..Content::default() };
    units.iter().filter(|it| matches!(it, Unit::Names { .. })).for_each(|it| apply(&mut names, it));
    let visible = names.names.into_iter().filter(|(name, _)| !is_temporary(name));
    let content = |inode: Inode| {
        let bytes = durable.files.get(&inode).cloned().unwrap_or_default();
        let mut len = bytes.len();
        let mut file = Content { files: [(inode, bytes)].into(), ..Content::default() };
        for unit in &units {
            match unit {
                Unit::Data { inode: of, .. } if *of == inode => apply(&mut file, unit),
                // Bytes beyond the length that reached the disk are not part of the file.
                Unit::Length { inode: of, bytes } if *of == inode => len = *bytes,
                _ => {}
            }
        }
        let mut bytes = file.files.remove(&inode).unwrap_or_default();
        bytes.resize(len, 0);
        bytes
    };
    visible.map(|(name, inode)| (name, content(inode))).collect()
}

/// Which of `units` units reach the disk: all combinations, or samples.
fn subsets(units: usize, random: &mut Rng) -> Vec<Vec<bool>> {
    if units <= MOST {
        return (0..1u32 << units)
            .map(|mask| (0..units).map(|at| mask >> at & 1 == 1).collect())
            .collect();
    }
    let one = |which: usize, is: bool| (0..units).map(move |at| (at == which) == is).collect();
    let mut all = vec![vec![false; units], vec![true; units]];
    // Only one of them, or all but one; and the first ones, as on a disk that keeps the order.
    for which in 0..units.min(SAMPLES / 5) {
        all.push(one(which, true));
        all.push(one(which, false));
        all.push((0..units).map(|at| at < which).collect());
    }
    while all.len() < SAMPLES {
        let share = [0.1, 0.5, 0.9][random.usize(..3)];
        all.push((0..units).map(|_| random.f64() < share).collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const OLD: Inode = 1;
    const NEW: Inode = 2;

    fn before() -> Content {
        let old = vec![b'o'; 1000];
        Content { names: [("f".to_owned(), OLD)].into(), files: [(OLD, old)].into() }
    }

    fn written() -> Event {
        let data = |at, len| Unit::Data { inode: NEW, at, bytes: vec![b'n'; len] };
        Event::Changed(vec![Unit::Length { inode: NEW, bytes: 1000 }, data(0, 512), data(512, 488)])
    }

    fn renamed() -> Event {
        let (set, removed) = (vec![("f".to_owned(), NEW)], vec![".anther-1.tmp".to_owned()]);
        Event::Changed(vec![Unit::Names { set, removed }])
    }

    /// What the file may be, before the success and after it.
    fn left(events: &[Event]) -> [HashSet<Vec<u8>>; 2] {
        let mut left = [HashSet::new(), HashSet::new()];
        let counted = states(&before(), events, |files, acknowledged| {
            left[acknowledged].insert(files["f"].clone());
            Ok::<(), Infallible>(())
        });
        let Ok(count) = counted;
        assert_eq!(count.distinct, (left[0].len() + left[1].len()) as u64);
        left
    }

    #[test]
    fn what_is_synced_in_order_is_old_or_new() {
        let events = [
            written(),
            Event::Synced { inode: NEW, until: 1 },
            renamed(),
            Event::SyncedNames { until: 3 },
            Event::Acknowledged,
        ];
        let (old, new) = (vec![b'o'; 1000], vec![b'n'; 1000]);
        assert_eq!(left(&events), [[old, new.clone()].into(), [new].into()]);
    }

    #[test]
    fn without_a_sync_of_the_folder_the_old_file_may_be_back() {
        let events =
            [written(), Event::Synced { inode: NEW, until: 1 }, renamed(), Event::Acknowledged];
        assert!(left(&events)[1].contains(&vec![b'o'; 1000]));
    }

    /// Empty, torn in two ways, without its length, and of zeros.
    #[test]
    fn without_a_sync_of_the_file_any_part_of_it_may_be_there() {
        let events = [written(), renamed(), Event::SyncedNames { until: 2 }, Event::Acknowledged];
        let after = &left(&events)[1];
        let torn = |first: u8, second: u8| [vec![first; 512], vec![second; 488]].concat();
        for content in [vec![], torn(b'n', 0), torn(0, b'n'), torn(0, 0), torn(b'n', b'n')] {
            assert!(after.contains(&content));
        }
        assert_eq!(after.len(), 5);
    }

    /// A sync covers what was written before it began, and of a range only that.
    #[test]
    fn a_sync_covers_its_range_and_its_time() {
        let mapped =
            |at: usize| Event::Changed(vec![Unit::Data { inode: OLD, at, bytes: vec![b'n'; 8] }]);
        let synced = |until| Event::SyncedRange { inode: OLD, range: 0..512, until };
        let at = |events: &[Event], at: usize| -> HashSet<u8> {
            let mut events = events.to_vec();
            events.push(Event::Acknowledged);
            left(&events)[1].iter().map(|bytes| bytes[at]).collect()
        };
        assert_eq!(at(&[mapped(0), synced(1)], 0), [b'n'].into());
        assert_eq!(at(&[mapped(512), synced(1)], 512), [b'o', b'n'].into());
        assert_eq!(at(&[mapped(0), synced(0)], 0), [b'o', b'n'].into());
    }

    #[test]
    fn few_units_come_in_all_combinations_and_many_in_samples() {
        let mut random = Rng::with_seed(1);
        let all: HashSet<Vec<bool>> = subsets(MOST, &mut random).into_iter().collect();
        assert_eq!(all.len(), 1 << MOST);
        assert_eq!(subsets(MOST + 1, &mut random).len(), SAMPLES);
        assert_eq!(subsets(500, &mut random).len(), SAMPLES);
    }
}
