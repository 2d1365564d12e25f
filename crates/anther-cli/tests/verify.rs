//! `anther verify`.

use crate::support::{self, Place};
use anther::iblt::{Integers, Strata, Strings};
use anther::{Blocked, Iblt, Kind, Seed, Target};
use serde_json::json;
use std::fs;

fn with_a_filter() -> Place {
    let place = Place::new();
    place.build("f.anther -q --kind deletable", "one\ntwo\n");
    place
}

#[test]
fn every_kind_is_whole() {
    let place = Place::new();
    let mut all = String::new();
    for kind in Kind::ALL {
        let list = if kind.capabilities().values { "one\t1\ntwo\t2\n" } else { "one\ntwo\n" };
        place.build(&format!("{kind}.anther -q {}", support::of_kind(*kind)), list);
        let ran = place.run(&format!("verify {kind}.anther")).code(0);
        assert_eq!(ran.err, "");
        let line = String::from_utf8(ran.out).unwrap();
        let bytes = place.read(&format!("{kind}.anther")).len();
        assert!(line.starts_with(&format!("{kind}.anther: intact: {kind}, ")), "{line}");
        assert!(line.replace(',', "").ends_with(&format!(" {bytes} bytes\n")), "{line}");
        all += &format!(" {kind}.anther");
    }
    let lines = place.run(&format!("verify{all}")).code(0).out;
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), Kind::ALL.len());
}

#[test]
fn the_lines_and_their_names_are_api() {
    let place = with_a_filter();
    let bytes = place.read("f.anther").len();
    let line = format!("f.anther: intact: deletable, 2 sections, {bytes} bytes\n");
    place.run("verify f.anther").code(0).prints(line);
    place.write("words.txt", "one\n");
    let ran = place.run("verify --json f.anther words.txt missing f.anther").code(2);
    let lines = ran.json_lines();
    let whole = json!({
        "file": "f.anther", "intact": true, "kind": "deletable", "sections": 2,
        "bytes": bytes, "open": false, "error": null
    });
    assert_eq!((lines.len(), &lines[0], &lines[3]), (4, &whole, &whole));
    assert_eq!((&lines[1]["intact"], &lines[1]["bytes"]), (&false.into(), &4.into()));
    assert!(lines[1]["error"].as_str().unwrap().starts_with("not an anther filter"));
    assert_eq!(lines[2]["file"], "missing");
    assert!(lines[2]["intact"].is_null() && lines[2]["bytes"].is_null());
    assert_eq!(lines[2]["error"], "no such file");
    ran.says(&["anther: words.txt: not an anther filter", "anther: missing: no such file"]);
}

/// Not one bit of a file can change, and no byte be missing or too many.
#[test]
fn damage_anywhere_is_found() {
    let place = with_a_filter();
    let whole = place.read("f.anther");
    // Runs of the program are slow, so the library's own tests flip every bit; here it is one in
    // each part: signature, version, kind, length, seed, recipe and fields, checksum of the
    // header, each section, padding, and each number of the footer.
    let header = u32::from_le_bytes([whole[12], whole[13], whole[14], whole[15]]) as usize;
    let places = [0, 8, 10, 12, 17, 24, 40, 80, header - 20, header - 4, header, header + 8];
    let ends = [whole.len() - 60, whole.len() - 20, whole.len() - 12, whole.len() - 1];
    for at in places.into_iter().chain(ends) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        place.write("flipped", &flipped);
        let ran = place.run("verify flipped").code(1).prints("");
        ran.says(&["anther: flipped: "]);
    }
    let mut cells = whole.clone();
    cells[header] ^= 1;
    place.write("cells", &cells);
    place.run("verify cells").code(1).says(&["checksum mismatch in the section bits"]);
    for len in [1, 7, 8, 15, 16, 40, header - 1, header, header + 1, whole.len() - 1] {
        place.write("cut", &whole[..len]);
        place.run("verify cut").code(1).prints("").says(&["cut: truncated"]);
    }
    place.write("more", [&whole[..], b"\0"].concat());
    place.run("verify more").code(1).prints("").says(&["more: bytes after the end"]);
}

#[test]
fn what_is_no_filter_is_not_whole_and_what_cannot_be_read_is_an_error() {
    let place = with_a_filter();
    place.write("empty", "");
    place.write("words.txt", "one\ntwo\n");
    fs::create_dir(place.join("folder")).unwrap();
    place.run("verify empty").code(1).says(&["empty: not an anther filter"]);
    place.run("verify words.txt").code(1).says(&["words.txt: not an anther filter"]);
    // What a file is, is said by info, too.
    let tar = [b"name".to_vec(), vec![0; 253], b"ustar\x0000".to_vec()].concat();
    let packed = [b"\x1F\x8B\x08".to_vec(), vec![0; 20]].concat();
    for (content, what) in [
        (b"\x89PNG\r\n\x1A\n".to_vec(), "is a picture, and no filter"),
        (b"%PDF-1.7\n".to_vec(), "is a PDF file, and no filter"),
        (tar, "is a tar archive, and no filter"),
        (b"{\"a\":1}\n".to_vec(), "is JSON, and no filter"),
        (packed, "is compressed with gzip; decompress it first: gzip -d FILE"),
    ] {
        place.write("other", content);
        let said = place.run("info other").fails(&["other: ", what]).err;
        assert_eq!(place.run("verify other").code(1).err, said);
    }
    place.run("verify missing").fails(&["missing: no such file"]);
    place.run("verify folder").fails(&["folder: is a folder; name the filters in it"]);
    place.run("verify").fails(&["FILE"]);
    // All are looked at; the worst decides.
    let line = |ran: &support::Ran| ran.out.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(line(&place.run("verify empty f.anther").code(1)), 1);
    assert_eq!(line(&place.run("verify missing empty f.anther f.anther").code(2)), 2);
    // Quiet is quiet about what is whole.
    let ran = place.run("verify -q f.anther f.anther").code(0).prints("");
    assert_eq!(ran.err, "");
    place.run("verify -q f.anther empty").code(1).prints("").says(&["empty: not an anther"]);
    let lines = place.run("verify -q --json f.anther empty").code(1).json_lines();
    assert_eq!((lines.len(), &lines[0]["file"]), (1, &"empty".into()));
}

/// What needs a secret, or holds hashes made elsewhere, is verified all the same; and what is no
/// filter but of this program.
#[test]
fn no_key_is_needed_and_iblts_are_verified_too() {
    let place = Place::new();
    let target = Target::new(10, 0.01).unwrap();
    for seed in [Seed::keyed([3; 16]), Seed::EXTERNAL, Seed::chosen(7)] {
        Blocked::with_seed(target, seed).unwrap().save(place.join("f")).unwrap();
        let ran = place.run("verify f").code(0);
        assert!(ran.out.starts_with(b"f: intact: blocked, 1 section, "), "{ran:?}");
    }
    let mut integers = Iblt::new(Integers, 10).unwrap();
    integers.insert(7).unwrap();
    integers.save(place.join("integers")).unwrap();
    let mut strings = Iblt::new(Strings::up_to(20).unwrap(), 10).unwrap();
    strings.insert(b"seven").unwrap();
    strings.save(place.join("strings")).unwrap();
    Iblt::with_seed(Integers, 10, Seed::keyed([1; 16]))
        .unwrap()
        .save(place.join("secret"))
        .unwrap();
    let mut strata = Strata::new(Seed::FIXED).unwrap();
    strata.insert("seven");
    strata.save(place.join("strata")).unwrap();
    for name in ["integers", "strings", "secret", "strata"] {
        let ran = place.run(&format!("verify {name}")).code(0);
        let start = format!("{name}: intact: iblt, 1 section, ");
        assert!(ran.out.starts_with(start.as_bytes()), "{ran:?}");
        let mut bytes = place.read(name);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        place.write(name, bytes);
        place.run(&format!("verify {name}")).code(1).says(&["checksum mismatch"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_read_to_its_end() {
    let place = with_a_filter();
    let whole = place.read("f.anther");
    place
        .run_on("verify /dev/stdin", &whole)
        .code(0)
        .prints(format!("/dev/stdin: intact: deletable, 2 sections, {} bytes\n", whole.len()));
    let mut child = place
        .command(["verify", "/dev/stdin"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &whole).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = format!("/dev/stdin: intact: deletable, 2 sections, {} bytes\n", whole.len());
    assert_eq!(String::from_utf8_lossy(&output.stdout), said);
    let said = said.replace("/dev/stdin", "standard input");
    place.run_on("verify -", &whole).code(0).prints(said);
}
