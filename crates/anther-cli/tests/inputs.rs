//! What an input is by its first bytes: compressed lists, files that are no lists, line endings.

use crate::support::{Place, exit_code, until};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text).expect("written");
    packed.finish().expect("written")
}

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut packed = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packed.write_all(text).expect("written");
    packed.finish().expect("written")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("packed")
}

fn xz(text: &[u8]) -> Vec<u8> {
    liblzma::encode_all(text, 0).expect("packed")
}

type Pack = fn(&[u8]) -> Vec<u8>;

const PACKINGS: [(&str, Pack); 4] = [("gzip", gzip), ("zstd", zstd), ("xz", xz), ("bzip2", bzip2)];

/// As `pzstd` packs: before each frame one to skip, which has the length of the frame.
fn pzstd(text: &[u8]) -> Vec<u8> {
    let frames = text.chunks(100_000).flat_map(|part| {
        let frame = zstd(part);
        let len = u32::try_from(frame.len()).expect("short").to_le_bytes();
        [b"\x50\x2A\x4D\x18\x04\0\0\0", &len[..], &frame].concat()
    });
    frames.collect()
}

fn lines(count: u32) -> String {
    (0..count).map(|i| format!("line {i}\n")).collect()
}

/// The program, with a pipe to its standard input.
fn piped(place: &Place, arguments: &str) -> Child {
    let mut command = place.command(arguments.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

#[test]
fn compressed_lists_are_lists() {
    let place = Place::new();
    let lines = lines(50_000);
    let text = lines.as_bytes();
    place.build("plain.anther", text);
    let halves = |pack: Pack| [pack(&text[..99_999]), pack(b""), pack(&text[99_999..])].concat();
    let mut all = vec![("pzstd", pzstd(text))];
    for (name, pack) in PACKINGS {
        all.push((name, pack(text)));
        all.push((name, halves(pack)));
        if name != "zstd" {
            all.push((name, [pack(text), vec![0; 1024]].concat()));
        }
    }
    for (name, packed) in all {
        place.write("list", &packed);
        place.build("file.anther --force list", "");
        assert!(place.read("file.anther") == place.read("plain.anther"), "{name}");

        let mut child = piped(&place, "build piped.anther --force");
        child.stdin.take().unwrap().write_all(&packed).unwrap();
        assert_eq!(exit_code(&mut child), 0, "{name}");
        assert!(place.read("piped.anther") == place.read("plain.anther"), "{name}");
        place.run_on("check -c plain.anther", &packed).code(0).prints("50000\n");
    }
}

#[test]
fn what_cannot_be_decompressed_is_named() {
    let place = Place::new();
    let lines = lines(50_000);
    place.build("plain.anther", &lines);
    let before = place.read("plain.anther");
    for (name, pack) in PACKINGS {
        let packed = pack(lines.as_bytes());
        let format = format!("cannot decompress it ({name})");
        place.write("cut", &packed[..packed.len() / 2]);
        place.run("build x.anther cut").fails(&["cut:", &format, "it is truncated"]);
        place.run("add plain.anther cut").fails(&["cut:", &format]);
        let ran = place.run_on("check -c plain.anther", &packed[..packed.len() / 2]);
        ran.fails(&["standard input:", &format, "it is truncated"]);

        let mut corrupt = packed.clone();
        corrupt[30..90].fill(0x55);
        place.write("corrupt", corrupt);
        place.run("build x.anther corrupt").fails(&["corrupt:", &format]);
        place.write("more", [packed, b"and text\n".to_vec()].concat());
        place.run("build x.anther more").fails(&["more:", &format]);
    }
    // A zstd window of 256 MiB, in a frame of a few bytes.
    place.write("long", b"\x28\xB5\x2F\xFD\0\x90\x29\0\0text\n");
    place.run("build x.anther long").fails(&["zstd", "128 MiB", "zstd -dc --long=31 FILE"]);
    assert_eq!(place.names(), ["corrupt", "cut", "long", "more", "plain.anther"]);
    assert!(place.read("plain.anther") == before, "unchanged");
}

#[test]
fn files_that_are_no_lists_are_refused_by_name() {
    let place = Place::new();
    place.build("a.anther", "x\n");
    let text: Vec<u8> =
        "one\ntwo\nthree\nfour\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut windows = [b"MZ", &[0; 126][..], b"PE\0\0\n"].concat();
    windows[60] = 128;
    let tar =
        [b"list.txt".to_vec(), vec![0; 249], b"ustar\x0000".to_vec(), vec![b'\n'; 247]].concat();
    for (bytes, parts) in [
        (
            b"PK\x03\x04\x14\0\0\0\x08\0rest\n".to_vec(),
            &["is a zip archive", "unzip -p FILE | anther"][..],
        ),
        (b"SQLite format 3\0\x10\0\n".to_vec(), &["is an SQLite database", "sqlite3 FILE 'select"]),
        (b"\x7FELF\x02\x01\x01\0\n".to_vec(), &["is an executable"]),
        (windows, &["is an executable"]),
        (b"\xCF\xFA\xED\xFE\x07\0\n".to_vec(), &["is an executable"]),
        (tar, &["is a tar archive", "tar -xOf FILE | anther"]),
        (b"7z\xBC\xAF\x27\x1C\0\x04\n".to_vec(), &["is a 7z archive"]),
        (b"%PDF-1.7\nrest\n".to_vec(), &["is a PDF file", "pdftotext FILE -"]),
        (b"\x89PNG\r\n\x1A\n".to_vec(), &["is a picture"]),
        (b"\xFF\xD8\xFF\xE0\n".to_vec(), &["is a picture"]),
        (place.read("a.anther"), &["is a filter", "name the list", "anther merge"]),
        (b"\xFF\xFEa\0\n\0".to_vec(), &["is in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"]),
        (text, &["is in UTF-16", "iconv -f UTF-16LE -t UTF-8 FILE"]),
    ] {
        place.write("list", &bytes);
        let named = |name| [&[name], parts].concat();
        place.run("build x.anther list").fails(&named("list:"));
        place.run("add a.anther list").fails(&named("list:"));
        place.run_on("build x.anther", &bytes).fails(&named("standard input:"));
        place.run_on("check a.anther", &bytes).fails(&named("standard input:"));
        // The same within a compressed file, where other advice may help.
        let named = |name| [&[name], &parts[..1]].concat();
        for (_, pack) in PACKINGS {
            place.write("list.packed", pack(&bytes));
            place.run("build x.anther list.packed").fails(&named("list.packed:"));
            place.run_on("build x.anther", pack(&bytes)).fails(&named("standard input:"));
        }
    }
    assert_eq!(place.names(), ["a.anther", "list", "list.packed"]);
}

#[test]
fn own_files_that_are_no_filters_are_no_lists() {
    let place = Place::new();
    place.write("list", "one\ntwo\n");
    place.write("list.sketch", place.run("sketch list").code(0).out);
    place.run("uniq list --state list.state").code(0);
    place.write("list.index", b"\x89ANX\r\n\x1a\n\x01\0\n");
    for (file, what) in [
        ("list.sketch", "is a sketch"),
        ("list.state", "is a state of anther uniq"),
        ("list.index", "is a search index"),
    ] {
        let ran = place.run(&format!("build f.anther {file}"));
        ran.fails(&[file, what, "not a list of keys; name the "]);
    }
}

#[test]
fn lines_with_nul_look_binary() {
    let place = Place::new();
    let warning = "warning: standard input: has NUL bytes, so it looks binary";
    for options in ["", "--column 1", "--format fields --column 1"] {
        let build = format!("build f.anther --force {options}");
        place.run_on(&build, "a\0b\nc\n").code(0).says(&[warning, "--binary if this is meant"]);
        for (more, list) in [("", "ab\nc\n"), ("--binary", "a\0b\nc\n"), ("-q", "a\0b\nc\n")] {
            let ran = place.run_on(&format!("{build} {more}"), list).code(0);
            assert!(!ran.err.contains("binary"), "{more}: {}", ran.err);
        }
    }
    let ran = place.run_on("build f.anther --force -0", "a\0b\n\0").code(0);
    assert!(!ran.err.contains("binary"), "{}", ran.err);
}

#[test]
fn what_is_compressed_twice_is_decompressed_once() {
    let place = Place::new();
    for (inner, pack) in PACKINGS {
        for (outer, again) in PACKINGS {
            let twice = again(&pack(b"one\ntwo\n"));
            let what = format!("is compressed twice, {inner} within {outer}");
            let advice = format!("{outer} -dc FILE | anther");
            place.write("list", &twice);
            place.run("build x.anther list").fails(&["list:", &what, &advice]);
            place.run_on("build x.anther", &twice).fails(&["standard input:", &what, &advice]);
        }
    }
}

#[test]
fn binary_insists() {
    let place = Place::new();
    let zip = b"PK\x03\x04\x14\0\nsecond\n";
    place.write("list.zip", zip);
    place.build("zip.anther list.zip --binary --fpr 1e-6", "");
    place.run("check zip.anther second").code(0).prints("maybe\tsecond\n");
    place.run_on("check zip.anther --binary", zip).code(0).prints(zip);
    place.run_on("check zip.anther", zip).fails(&["is a zip archive"]);
    place.run("measure zip.anther --members list.zip --random 9 --binary").code(0);
    place.run("measure zip.anther --members list.zip --random 9").fails(&["is a zip archive"]);
    place.run_on("check zip.anther --confirm list.zip --binary", "second\n").code(0);
    place.run_on("check zip.anther --confirm list.zip", "second\n").fails(&["is a zip archive"]);
    place.run("add zip.anther list.zip").fails(&["is a zip archive"]);
    place.run("add zip.anther list.zip --binary").code(0);
    // What is compressed is still decompressed, once.
    place.run_on("check -c zip.anther --binary", gzip(zip)).code(0).prints("2\n");
    place.run_on("check -c zip.anther --binary", gzip(&gzip(zip))).code(1).prints("0\n");
    // Other line endings, too.
    place.build("cr.anther --binary --fpr 1e-6", "a\rb");
    place.run_on("check cr.anther --binary", "a\rb").code(0).prints("a\rb");
    place.run("draw zip.anther --binary").fails(&["--binary"]);
}

#[test]
fn line_endings_of_others_are_noticed() {
    let place = Place::new();
    place.build("f.anther --kind counting --fpr 1e-6", "a\nb\nc\n");
    place.build("nul.anther --fpr 1e-6 -0", "a\0b\0c\0");
    let cr = &["its lines end with CR, as on old Macs", "tr '\\r' '\\n' < FILE | anther"][..];
    let nul = &["its keys are separated by NUL; use -0"][..];
    let line = &["its keys are on lines; use --format lines, without -0"][..];
    for (filter, option, list, parts) in [
        ("f.anther", "", "a\rb\rc\r", cr),
        ("f.anther", "", "a\0b\0c\0", nul),
        ("nul.anther", "-0", "a\nb\nc\n", line),
    ] {
        place.write("list", list);
        place.run(&format!("build x.anther list {option}")).fails(&[&["list:"], parts].concat());
        place.run(&format!("add {filter} list")).fails(parts);
        place.run_on(&format!("check {filter}"), list).fails(parts);
        place.run_on(&format!("check {filter}"), gzip(list.as_bytes())).fails(&parts[..1]);
    }
    place.run_on("count f.anther", "a\rb\rc\r").fails(cr);
    place.run_on("remove f.anther", "a\rb\rc\r").fails(cr);
    assert!(!place.names().contains(&"x.anther".to_string()));

    // A single key, and what lines or NUL-separated keys may have in them.
    for key in ["a", "a\n", "a\r\n", "a\r"] {
        place.run_on("check -c f.anther", key).code(0);
    }
    place.run_on("check f.anther", "10 %\r20 %\ra\nb\n").code(0).prints("b\n");
    place.run_on("check nul.anther", "a\n\0b\0").code(0).prints("b\0");
    place.run_on("check nul.anther", "c").code(0).prints("c");
}

/// Nothing waits for more than a line, or for more than the end of a single key.
#[test]
fn a_pipe_is_answered_by_what_has_come() {
    let place = Place::new();
    place.build("f.anther --fpr 1e-6", "a\nBZ\nPaul\n(x\nkey\n");
    for line in ["a\n", "BZ\n", "Paul\n", "(x\n"] {
        let mut child = piped(&place, "check f.anther -q");
        let mut input = child.stdin.take().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        // The pipe stays open: with -q the first hit is the end.
        assert_eq!(exit_code(&mut child), 0, "{line:?}");
        drop(input);
    }
    let mut child = piped(&place, "check f.anther");
    child.stdin.take().unwrap().write_all(b"key").unwrap();
    assert_eq!(exit_code(&mut child), 0);
    let mut answer = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert_eq!(answer, "key");
    // Other files are refused before their end.
    let mut child = piped(&place, "check f.anther");
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"\x7FELF\x02\x01\x01\0\n").unwrap();
    assert_eq!(until("the end", || child.try_wait().unwrap()).code(), Some(2));
    drop(input);
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert!(message.contains("is an executable"), "{message}");
}

/// Each of these would be read as something else, and look all clear.
#[test]
fn lists_in_another_form_are_noticed() {
    let place = Place::new();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    place.write("cyrillic", wide("пример.рф\nдругой.рф\n"));
    place.write("short", wide("a\nb\n"));
    place.write("nul", "a\0b\0c\0");
    place.write("cr.gz", gzip(b"a\rb\rc\r"));
    place.write("hex", "cafebabe\ndeadbeef\n".repeat(10));
    place.write("parts", "PAR1001\nPAR1002\n");
    place.run("build parts.anther parts").code(0).says(&["2 distinct keys of 2"]);
    for (arguments, parts) in [
        ("cyrillic", &["is in UTF-16", "iconv -f UTF-16LE"][..]),
        ("short --column 1", &["is in UTF-16", "iconv -f UTF-16LE"]),
        ("nul --column 1", &["separated by NUL", "tr '\\0' '\\n'"]),
        ("nul --format json --column a", &["separated by NUL", "tr '\\0' '\\n'"]),
        ("cr.gz", &["its lines end with CR", "decompress it first: gzip -d FILE"]),
        ("hex --format records:4", &["is text, not binary records", "--format lines"]),
    ] {
        place.run(&format!("build f.anther {arguments}")).fails(parts);
        assert!(!place.join("f.anther").exists());
        if !arguments.contains("json") && !arguments.contains("records") {
            place.run(&format!("build --force g.anther --binary {arguments}")).code(0);
        }
    }
}
