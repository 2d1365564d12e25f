//! Files that a reader must refuse, although every checksum in them is right: only what FORMAT.md
//! says about each value gives them away. (That a wrong checksum is refused, readers try by
//! themselves, with every prefix of a file and every bit of it.)

use crate::container::{Container, Section, reseal};
use crate::json::Object;
use crate::{Outcome, VectorFile};
use anther::{AnyFilter, Open};

/// The name of a file, what is wrong with it, and its bytes.
type Forged = (&'static str, &'static str, Vec<u8>);

/// All of them; an error if the library takes one.
pub fn files(good: &[VectorFile]) -> Outcome<Vec<VectorFile>> {
    let bytes = |name: &str| {
        let found = good.iter().find(|file| file.name == format!("files/{name}.anther"));
        found.map(|file| file.bytes.as_slice()).ok_or_else(|| format!("no file {name}"))
    };
    // What is sealed unchanged is the file itself: so a forged one is refused for its change alone.
    let part = |name: &str| {
        let good = bytes(name)?;
        let parts = Container::parse(good).filter(|parts| parts.seal() == good);
        parts.ok_or_else(|| format!("{name}: other bytes once it is put together again"))
    };
    let mut all = bytes_changed(bytes("blocked")?);
    all.extend(of_blocked(&part("blocked")?));
    all.extend(of_classic(&part("classic")?));
    all.extend(of_ribbon(&part("ribbon")?, &part("ribbon-empty")?));
    let mut files = Vec::new();
    for (name, why, bytes) in all {
        if Open::new().bytes::<AnyFilter>(&bytes).is_ok() {
            return Err(format!("{name}: the library takes a forged file").into());
        }
        let kind = name.split('-').next().unwrap_or_default();
        let file = format!("refused/{name}.anther");
        let entry = Object::new().text("file", &file).text("kind", kind).text("why", why).end();
        files.push(VectorFile { name: file, bytes, entry });
    }
    Ok(files)
}

/// Changes of single bytes; the checksums are made anew where a header has any.
fn bytes_changed(good: &[u8]) -> Vec<Forged> {
    let header = u32::from_le_bytes([good[12], good[13], good[14], good[15]]) as usize;
    let footer = good.len() - 16;
    let section = footer - header;
    let change = |at: usize, to: &[u8]| {
        let mut bytes = good.to_vec();
        bytes[at..at + to.len()].copy_from_slice(to);
        reseal(&mut bytes, header, &[section]);
        bytes
    };
    let more = [good, &[0; 8]].concat();
    let less = good[..good.len() - 8].to_vec();
    vec![
        ("blocked-signature", "the signature after a transfer as text", change(4, b"\n")),
        ("blocked-version-0", "version 0", change(8, &[0, 0])),
        ("blocked-version-2", "version 2", change(8, &[2, 0])),
        ("blocked-kind-0", "no kind has number 0", change(10, &[0, 0])),
        ("blocked-kind-999", "no kind has number 999", change(10, &[0xE7, 3])),
        ("blocked-header-long", "H is beyond 65,536", change(12, &[0, 0, 2, 0])),
        ("blocked-header-beyond", "H is beyond the end", change(12, &[0, 64, 0, 0])),
        ("blocked-header-0", "H is 0", change(12, &[0, 0, 0, 0])),
        ("blocked-hash-3", "hash 3", change(16, &[3, 0])),
        ("blocked-fields-more", "more fields than there are", change(18, &[6, 0])),
        ("blocked-fields-65535", "65,535 fields", change(18, &[255, 255])),
        ("blocked-fields-less", "fewer fields than there are", change(18, &[4, 0])),
        ("blocked-sections-0", "no section", change(20, &[0, 0])),
        ("blocked-recipe-long", "a recipe longer than the header", change(22, &[255, 255])),
        (
            "blocked-header-padding",
            "a byte other than 0 before the checksum",
            change(header - 9, &[1]),
        ),
        ("blocked-more", "eight bytes after the footer", more),
        ("blocked-less", "the last checksum is missing", less),
    ]
}

fn of_blocked(good: &Container) -> Vec<Forged> {
    let with = |change: &dyn Fn(&mut Container)| {
        let mut forged = good.clone();
        change(&mut forged);
        forged.seal()
    };
    let field = |name: &str, value: u64| {
        with(&|forged| {
            forged.fields.iter_mut().filter(|of| of.0 == name).for_each(|of| of.2 = value);
        })
    };
    let rename = |from: &str, to: &str| {
        with(&|forged| {
            forged.fields.iter_mut().filter(|of| of.0 == from).for_each(|of| of.0 = to.to_string());
        })
    };
    let recipe = |bytes: &[u8]| with(&|forged| forged.recipe = bytes.to_vec());
    let entry = |len: u64| with(&|forged| forged.sections[0].len = len);
    vec![
        ("blocked-lines-0", "lines is 0", field("lines", 0)),
        ("blocked-lines-huge", "lines is beyond 2^37", field("lines", u64::MAX)),
        ("blocked-lines-more", "the section is shorter than lines says", field("lines", 40)),
        // 8·lines would be 0 modulo 2⁶⁴.
        (
            "blocked-lines-wrap",
            "lines is 2^61: 8 times that is beyond 64 bits",
            field("lines", 1 << 61),
        ),
        ("blocked-probes-0", "probes is 0", field("probes", 0)),
        ("blocked-probes-17", "probes is 17", field("probes", 17)),
        ("blocked-items-0", "target.items is 0", field("target.items", 0)),
        ("blocked-header-8", "H is no multiple of 64", with(&|forged| forged.longer = 8)),
        ("blocked-header-zeros", "64 zeros too many", with(&|forged| forged.longer = 64)),
        ("blocked-fpr-0", "target.fpr is 0", field("target.fpr", 0)),
        ("blocked-fpr-1", "target.fpr is 1", field("target.fpr", 1.0f64.to_bits())),
        ("blocked-fpr-nan", "target.fpr is not a number", field("target.fpr", f64::NAN.to_bits())),
        ("blocked-name-unknown", "an unknown field", rename("probes", "probez")),
        (
            "blocked-name-twice",
            "a field twice",
            with(&|forged| {
                let again =
                    forged.fields.iter().filter(|of| of.0 == "probes").cloned().collect::<Vec<_>>();
                forged.fields.extend(again);
            }),
        ),
        ("blocked-name-upper", "a name with a capital", rename("probes", "Probes")),
        ("blocked-name-empty", "a name of no bytes", rename("probes", "")),
        (
            "blocked-target-half",
            "target.items without target.fpr",
            with(&|forged| {
                forged.fields.retain(|of| of.0 != "target.fpr");
            }),
        ),
        (
            "blocked-inserted-missing",
            "no field inserted",
            with(&|forged| {
                forged.fields.retain(|of| of.0 != "inserted");
            }),
        ),
        (
            "blocked-type",
            "lines is of type 2",
            with(&|forged| {
                forged.fields.iter_mut().filter(|of| of.0 == "lines").for_each(|of| of.1 = 2);
            }),
        ),
        (
            "blocked-section-name",
            "an unknown section",
            with(&|forged| {
                forged.sections[0].name = "bits".to_string();
            }),
        ),
        (
            "blocked-section-coded",
            "a coded row where only plain words may be",
            with(&|forged| {
                forged.sections[0].encoding = 1;
            }),
        ),
        ("blocked-section-huge", "a section of almost 2^64 bytes", entry(u64::MAX - 7)),
        (
            "blocked-section-wrap",
            "a length that is 0 when padded modulo 2^64",
            entry(u64::MAX - 55),
        ),
        ("blocked-section-odd", "a length that is no multiple of 8", entry(9)),
        (
            "blocked-section-more",
            "a further section",
            with(&|forged| {
                let name = "more".to_string();
                forged.sections.push(Section { name, encoding: 0, len: 8, bytes: vec![0; 8] });
            }),
        ),
        (
            "blocked-seed-elsewhere",
            "hash 2 with a seed",
            with(&|forged| {
                (forged.hash, forged.seed) = (2, 1);
            }),
        ),
        ("blocked-recipe-both", "a column by number and by name", recipe(&[48, b',', b'a'])),
        ("blocked-recipe-flag", "an unknown flag", recipe(&[64])),
        ("blocked-recipe-number", "a column's number of two bytes", recipe(&[16, b',', 1, 0])),
        ("blocked-recipe-utf8", "a column's name that is no UTF-8", recipe(&[32, b',', 0xFF])),
        ("blocked-recipe-rest", "a byte after the flags", recipe(&[2, 0])),
    ]
}

fn of_classic(good: &Container) -> Vec<Forged> {
    let field = |name: &str, value: u64| {
        let mut forged = good.clone();
        forged.fields.iter_mut().filter(|of| of.0 == name).for_each(|of| of.2 = value);
        forged.seal()
    };
    let bits = good.fields.iter().find(|of| of.0 == "bits").map_or(0, |of| of.2);
    let mut beyond = good.clone();
    let last = beyond.sections[0].bytes.len() - 1;
    beyond.sections[0].bytes[last] |= 0x80;
    // The padding after the section is of no checksum. The good one has none: its row is cut.
    let mut cut = good.clone();
    cut.fields.iter_mut().filter(|of| of.0 == "bits").for_each(|of| of.2 = 64);
    cut.sections[0].bytes.truncate(8);
    cut.sections[0].len = 8;
    let mut padding = cut.seal();
    let at = padding.len() - 17;
    padding[at] = 1;
    vec![
        ("classic-bits-0", "bits is 0", field("bits", 0)),
        ("classic-bits-less", "bits says a word less than there is", field("bits", bits - 64)),
        ("classic-bits-huge", "bits is beyond 2^46", field("bits", u64::MAX)),
        ("classic-probes-65", "probes is 65", field("probes", 65)),
        ("classic-beyond", "a bit beyond the last", beyond.seal()),
        ("classic-padding", "a byte other than 0 in the padding", padding),
    ]
}

fn of_ribbon(good: &Container, empty: &Container) -> Vec<Forged> {
    let word = |change: &dyn Fn(&mut [u64])| {
        let mut forged = good.clone();
        let section = &mut forged.sections[0];
        let (words, _) = section.bytes.as_chunks();
        let mut row: Vec<u64> = words.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        change(&mut row);
        section.bytes = row.iter().flat_map(|word| word.to_le_bytes()).collect();
        forged.seal()
    };
    let field = |name: &str, value: u64| {
        let mut forged = good.clone();
        forged.fields.iter_mut().filter(|of| of.0 == name).for_each(|of| of.2 = value);
        forged.seal()
    };
    /// The bit of a layer's last shard.
    const LAST: u64 = 1 << 63;
    // Shards without blocks: the directory alone.
    let directory = |shards: u64, entry: &dyn Fn(u64) -> u64| {
        let mut forged = empty.clone();
        forged.fields.iter_mut().filter(|of| of.0 == "shards").for_each(|of| of.2 = shards);
        forged.sections[0].len = 8 * shards;
        forged.sections[0].bytes =
            (0..shards).flat_map(|number| entry(number).to_le_bytes()).collect();
        forged
    };
    vec![
        ("ribbon-columns-61", "columns is 61", field("columns", 61)),
        ("ribbon-items", "items is beyond 2^48", field("items", (1 << 48) + 1)),
        ("ribbon-layers-41", "41 layers", directory(41, &|number| LAST | number << 54).seal()),
        ("ribbon-draw-0", "a second layer without a draw", directory(2, &|_| LAST).seal()),
        (
            "ribbon-draw-second",
            "a draw in a layer's second shard",
            directory(2, &|number| {
                if number == 1 { LAST | 1 << 54 } else { 0 }
            })
            .seal(),
        ),
        ("ribbon-shards-0", "shards is 0", field("shards", 0)),
        ("ribbon-shards-huge", "more shards than words", field("shards", 1 << 62)),
        ("ribbon-shards-more", "a further shard", field("shards", 2)),
        ("ribbon-blocks-more", "more blocks than there are", word(&|row| row[0] += 1)),
        ("ribbon-blocks-less", "fewer blocks than there are", word(&|row| row[0] -= 1)),
        ("ribbon-blocks-most", "2^27 - 1 blocks", word(&|row| row[0] |= (1 << 27) - 1)),
        // 1 block of which 2 are narrow: 6 columns less 1 word, as many as there are.
        ("ribbon-narrow", "more narrow blocks than blocks", {
            let mut forged = directory(1, &|_| LAST | 2 << 27 | 1);
            forged.sections[0].bytes.extend([0; 48]);
            forged.sections[0].len += 48;
            forged.seal()
        }),
        ("ribbon-last", "no last shard", word(&|row| row[0] &= !(1 << 63))),
        ("ribbon-threshold", "a threshold beyond the last", word(&|row| row[1] |= 1 << 63)),
    ]
}
