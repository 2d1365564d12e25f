//! Files: a saved filter is restored by every loader.

use super::*;
use crate::support::map;

/// A reader like a network's: a few bytes at a time, and sometimes interrupted by a signal.
struct Dribble<'a> {
    rest: &'a [u8],
    calls: usize,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = (self.calls % 13 + 1).min(buffer.len());
        self.rest.read(&mut buffer[..len])
    }
}

/// Bytes with a static lifetime, at an address that is aligned or not.
pub fn forever(bytes: &[u8], aligned: bool) -> &'static [u8] {
    let memory = vec![0; bytes.len() + 128].leak();
    let start = memory.as_ptr().align_offset(64) + usize::from(!aligned);
    memory[start..start + bytes.len()].copy_from_slice(bytes);
    &memory[start..start + bytes.len()]
}

pub fn through_every_loader(filter: &AnyFilter, open: Open) -> Vec<(&'static str, AnyFilter)> {
    let bytes = bytes_of(filter);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter.anther");
    filter.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes, "a file equals a stream");
    vec![
        ("bytes", open.bytes(&bytes).unwrap()),
        ("reader", open.reader(&bytes[..]).unwrap()),
        ("slow reader", open.reader(Dribble { rest: &bytes, calls: 0 }).unwrap()),
        ("file", open.file(&path).unwrap()),
        ("map", map(open, &path).unwrap()),
        ("shared", open.shared_bytes(bytes.clone().into()).unwrap()),
        ("static", open.static_bytes(forever(&bytes, true)).unwrap()),
        ("misaligned", open.static_bytes(forever(&bytes, false)).unwrap()),
    ]
}

/// Recipes in the header and in a section, each with a rule of its own.
pub fn recipes() -> [Option<Recipe>; 6] {
    let third = Column::Number(NonZero::new(3).unwrap());
    let name = Column::Name("naïve \"name\"".to_string());
    let hex = KeyRule { form: KeyForm::Hex, trim: true, ignore_case: true, ..KeyRule::default() };
    let folded = KeyRule { ignore_case: true, ..KeyRule::default() };
    let int = KeyRule { form: KeyForm::Int, ..KeyRule::default() };
    let pair = KeyRule { parts: 2, ..KeyRule::default() };
    [
        None,
        Some(Recipe::default()),
        Some(Recipe { rule: hex, reach: None, place: column(third, b'\t', Separator::Nul) }),
        Some(Recipe { rule: folded, reach: None, place: column(name, b',', Separator::Line) }),
        Some(Recipe { rule: int, ..Recipe::default() }),
        Some(Recipe { rule: pair, reach: None, place: csv(&["naïve", "user.id"]) }),
    ]
}

#[test]
fn a_saved_filter_is_restored() {
    for &kind in Kind::ALL {
        for (seed, open) in [
            (Seed::FIXED, Open::new()),
            (Seed::chosen(u64::MAX), Open::new()),
            (Seed::keyed(SECRET), Open::new().key(SECRET)),
            (Seed::EXTERNAL, Open::new().without_hashing()),
        ] {
            for (recipe, n) in recipes().into_iter().zip([0, 1, 1000, 5000, 7, 300]) {
                let n = room(kind, 1000, n);
                let keys = Random::new(3).hashes(n as usize);
                let mut filter = filled(kind, 1000, 0.01, seed, &keys);
                filter.set_recipe(recipe.clone());
                for (way, loaded) in through_every_loader(&filter, open) {
                    assert_eq!(loaded, filter, "{kind}, {way}");
                    assert_eq!(loaded.kind(), kind, "{way}");
                    assert_eq!(loaded.about(), filter.about(), "{kind}, {way}");
                    assert_eq!(loaded.about().recipe, recipe, "{kind}, {way}");
                    assert_eq!(loaded.about().inserted, n, "{kind}, {way}");
                    // A cascade counts its keys.
                    let items = if kind == Kind::Cascade { n.max(1) } else { 1000 };
                    assert_eq!(loaded.about().target, Some(Target::new(items, 0.01).unwrap()));
                    assert_eq!(loaded.seed().kind(), seed.kind(), "{kind}, {way}");
                    assert_eq!(loaded.profile(), filter.profile(), "{kind}, {way}");
                    for key in &keys {
                        assert_eq!(loaded.contains_hash(*key), filter.contains_hash(*key));
                    }
                    assert_eq!(bytes_of(&loaded), bytes_of(&filter), "{kind}, {way}");
                }
            }
        }
    }
}

/// Sizes around words, cache lines and pages, and a filter without a target.
#[test]
fn filters_of_every_size_are_restored() {
    fn law<F: Plain>() {
        for bits in [1, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 100_000, 9_999_999] {
            let mut filter = F::shaped(Shape::bits(bits).probes(F::PROBES), Seed::FIXED).unwrap();
            filter.insert_hashes(&Random::new(bits).hashes(50)).unwrap();
            let filter: AnyFilter = filter.into();
            assert_eq!(filter.about().target, None);
            for (way, loaded) in through_every_loader(&filter, Open::new()) {
                assert_eq!(loaded, filter, "{bits} bits, {way}");
                assert_eq!(bytes_of(&loaded), bytes_of(&filter), "{bits} bits, {way}");
            }
        }
    }
    over_plain_kinds!(law);
}

/// The first change to a mapped or borrowed filter copies it; the file stays.
#[test]
fn a_mapped_filter_changes_in_memory_only() {
    for kind in taking() {
        let mut random = Random::new(4);
        let (keys, more) = (random.hashes(1000), random.hashes(1000));
        let filter = filled(kind, 2000, 0.01, Seed::FIXED, &keys);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("filter.anther");
        filter.save(&path).unwrap();
        let before = fs::read(&path).unwrap();

        let mut mapped: AnyFilter = map(Open::new(), &path).unwrap();
        let untouched = mapped.clone();
        put(&mut mapped, &more);
        let mut expected = filter.clone();
        put(&mut expected, &more);
        assert_eq!(mapped, expected, "{kind}");
        assert_eq!(untouched, filter, "{kind}: a clone made before does not change");
        assert_eq!(fs::read(&path).unwrap(), before, "{kind}");

        // A file may be replaced while it is mapped, even by the filter that maps it.
        untouched.save(&path).unwrap();
        mapped.save(&path).unwrap();
        assert_eq!(untouched, filter, "{kind}: the old file is still mapped");
        assert_eq!(AnyFilter::open(&path).unwrap(), expected, "{kind}");
        if PLAIN.contains(&kind) {
            let mut merged = untouched.clone();
            merged.merge(&expected).unwrap();
            assert_eq!(cells(&merged), cells(&expected), "{kind}");
        }
    }
}

#[test]
fn a_file_opens_as_its_own_kind_only() {
    fn law<F: Plain + anther::format::Readable>() {
        let folder = tempfile::tempdir().unwrap();
        for &kind in Kind::ALL {
            let path = folder.path().join(kind.name());
            empty(kind, 10, 0.1, Seed::FIXED).save(&path).unwrap();
            match Open::new().file::<F>(&path) {
                Ok(_) => assert_eq!(kind, F::KIND),
                Err(LoadError::Kind { expected, got }) => {
                    assert_eq!((expected, got), (F::KIND, kind));
                    assert_ne!(kind, F::KIND);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    over_plain_kinds!(law);
}
