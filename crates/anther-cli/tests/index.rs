//! `anther index`.

#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use crate::support::Place;
#[cfg(unix)]
use crate::support::{exit_code, signal, until};
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, SystemTime};

/// Makes a file look an hour old: one that was just written counts as changed.
fn settle(place: &Place, names: &[&str]) {
    for name in names {
        let file = File::options().append(true).open(place.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
}

fn append(place: &Place, name: &str, text: &str) {
    let mut file = File::options().append(true).open(place.join(name)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn with_logs() -> Place {
    let place = Place::new();
    place.write("logs/a.log", "one apple\n".repeat(10));
    place.write("logs/b.log", "one banana\n");
    place.write("logs/.hidden", "hidden\n");
    place.write("logs/skipped.log", "skipped\n");
    place.write("logs/.ignore", "skipped.log\n");
    settle(&place, &["logs/a.log", "logs/b.log"]);
    place
}

#[test]
fn the_summary_and_its_names_are_api() {
    let place = with_logs();
    let made = place.run("index logs.idx logs --json").code(0);
    let bytes = place.read("logs.idx").len();
    let expected = json!({
        "index": "logs.idx", "updated": false, "files": 2, "read": 2, "grown": 0, "kept": 0,
        "dropped": 0, "skipped": 0, "blocks": 2, "text_bytes": 111, "index_bytes": bytes,
        "fpr": 0.015, "columns": []
    });
    assert_eq!(made.json(), expected);
    made.says(&["anther: logs.idx: 2 files, 111 bytes of text: 2 read; "]);
    let quiet = place.run("index logs.idx -q").code(0);
    assert_eq!((quiet.err, quiet.out.len()), (String::new(), 0));

    place.write("logs/c.log", "new\n");
    append(&place, "logs/a.log", "one apple more\n");
    std::fs::remove_file(place.join("logs/b.log")).unwrap();
    let updated = place.run("index logs.idx --json").code(0).json();
    let counts = ["read", "grown", "kept", "dropped", "skipped"].map(|name| updated[name].clone());
    assert_eq!(json!(counts), json!([1, 1, 0, 1, 0]));
    assert_eq!(updated["updated"], true);
    place.run("index logs.idx").code(0).says(&["2 files, 119 bytes of text: 2 read; "]);
}

#[test]
fn hidden_and_ignored_files_are_indexed_if_told() {
    let place = with_logs();
    let files = |options: &str| {
        place.run(&format!("index --force {options} --json x.idx logs")).code(0).json()["files"]
            .clone()
    };
    let all = ["", "--hidden", "--no-ignore", "-. --no-ignore"].map(files);
    assert_eq!(json!(all), json!([2, 4, 3, 5]));
}

/// A search of such a column would find nothing, and not say why.
#[test]
fn a_column_that_no_file_has_is_named() {
    let place = Place::new();
    place.write("logs/a.csv", "id,user\n1,\n");
    place.write("logs/b.log", "{\"request\":{\"id\":7}}\n");
    let index =
        "index x.idx logs --force --column id --column Id --column user --column request.id";
    for quiet in ["", "-q"] {
        let ran = place.run(&format!("{index} --column id.request {quiet}")).code(0);
        let named =
            |name: &str| ran.err.contains(&format!("no file has a value in the column {name:?}"));
        let named = ["id", "Id", "user", "request.id", "id.request"].map(named);
        assert_eq!(named, [false, true, true, false, true], "{}", ran.err);
    }
    // An update reads only what has changed.
    assert!(!place.run("index x.idx").code(0).err.contains("warning"));
    place.write("none/empty", "");
    let ran = place.run("index e.idx none --column id").code(0);
    assert!(ran.err.contains("no file has a value"), "{}", ran.err);
}

#[test]
fn another_option_or_root_is_refused_on_an_update() {
    let place = with_logs();
    place.run("index logs.idx logs --column id").code(0);
    let old = place.read("logs.idx");
    for (arguments, parts) in [
        ("index logs.idx --fpr 5%", &["logs.idx: was made with --fpr 1.5%; leave", "--force"][..]),
        ("index logs.idx --column other", &["was made with --column id"]),
        ("index logs.idx --hidden", &["was made without --hidden"]),
        ("index logs.idx --no-ignore", &["was made without --no-ignore"]),
        ("index logs.idx logs/a.log", &["is an index of /", "leave the paths out"]),
        ("index logs.idx --memory 1M", &["--memory: at least 16MiB"]),
        ("index logs.idx --force", &["name the folders and files"]),
        ("index new.idx", &["new.idx: name the folders and files to index"]),
        ("index new.idx missing", &["missing: no such file or folder"]),
        ("index logs", &["logs: is a folder; name the index first"]),
        ("index logs/a.log logs", &["logs/a.log: not a search index"]),
        ("index logs/a.log logs --force", &["logs/a.log: is no index, and is not replaced"]),
        ("index no/x.idx logs", &["no: no such folder"]),
        ("index new.idx logs --column 2", &["name the column"]),
    ] {
        place.run(arguments).fails(parts);
        assert_eq!(place.read("logs.idx"), old, "{arguments}");
        assert_eq!(place.names(), ["logs", "logs.idx"], "{arguments}");
    }
    place.run("index logs.idx logs --column id --fpr 1.5%").code(0);
    place.run("index logs.idx logs --force --fpr 5%").code(0);
}

#[test]
fn a_rate_that_no_index_has_is_refused() {
    let place = with_logs();
    for rate in ["-1", "-5%", "-1e-9", "0", "1e-10", "100%", "200%", "NaN", "inf"] {
        let ran = place.run(&format!("index y.idx logs --column id --fpr={rate}"));
        ran.fails(&["rate"]);
        assert_eq!(place.names(), ["logs"], "{rate}");
    }
    let range = "y.idx: a false-positive rate of -0.05 is not possible; it must be at least 1e-9";
    place.run("index y.idx logs --fpr=-5%").fails(&[range, "and below 1"]);
    for rate in ["1e-9", "99.9%"] {
        place.run(&format!("index y.idx logs --force --column id --fpr={rate}")).code(0);
        place.run("index y.idx").code(0);
    }
}

/// A file system that is not mounted must not empty the index.
#[test]
fn a_root_that_is_gone_is_no_reason_to_empty_the_index() {
    let place = with_logs();
    place.run("index logs.idx logs logs/a.log").code(0);
    let old = place.read("logs.idx");
    std::fs::rename(place.join("logs"), place.join("away")).unwrap();
    let gone = place.run("index logs.idx");
    gone.fails(&["logs.idx: not updated: ", "logs: no such file or folder", "mount it, or make"]);
    std::fs::create_dir(place.join("logs")).unwrap();
    let empty = place.run("index logs.idx");
    empty.fails(&["logs.idx: not updated: ", "logs: is empty, but the index has 2 files of it"]);
    assert_eq!(place.read("logs.idx"), old);
    std::fs::remove_dir(place.join("logs")).unwrap();
    std::fs::rename(place.join("away"), place.join("logs")).unwrap();
    place.run("index logs.idx").code(0).says(&["3 files", "3 kept"]);
    place.run("index logs.idx logs/.ignore --force --hidden").code(0).says(&["1 file"]);
}

#[test]
fn info_and_verify_know_an_index() {
    let place = with_logs();
    place.run("index logs.idx logs --column id --hidden -q").code(0);
    let index = place.read("logs.idx");
    let info = place.run("info logs.idx --json").code(0).json();
    assert_eq!(json!([info["kind"], info["files"], info["columns"]]), json!(["index", 4, ["id"]]));
    let words = String::from_utf8(place.run("info logs.idx").code(0).out).unwrap();
    assert!(words.contains("search index; anther grep") && words.contains("--hidden"), "{words}");
    let line = format!("logs.idx: intact: search index of 4 files, {} bytes\n", index.len());
    place.run("verify logs.idx").code(0).prints(line);
    place.run("check logs.idx key").fails(&["logs.idx: is a search index", "anther grep"]);
    for at in [20, index.len() / 2, index.len() - 5] {
        let mut forged = index.clone();
        forged[at] ^= 1;
        place.write("forged.idx", &forged);
        let ran = place.run("verify forged.idx --json").code(1);
        assert_eq!(json!([ran.json()["intact"], ran.json()["kind"]]), json!([false, "index"]));
        ran.says(&["forged.idx: ", "checksum mismatch", "make it anew"]);
        place.run("info forged.idx").fails(&["forged.idx: "]);
        assert_eq!(place.read("forged.idx"), forged);
    }
    place.write("short.idx", &index[..index.len() / 2]);
    place.run("index short.idx").fails(&["short.idx: ", "make it anew"]);
    place.run("index short.idx logs --force").code(0);
}

#[test]
fn compressed_files_are_read_as_their_text() {
    let place = Place::new();
    let text = b"the same text\n".repeat(30_000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(&text).unwrap();
    let packed = [
        ("plain", text.clone()),
        ("gzip.log", gzip.finish().unwrap()),
        ("bzip2", bzip2.finish().unwrap()),
        ("zstd.bin", zstd::encode_all(&text[..], 1).unwrap()),
        ("xz", liblzma::encode_all(&text[..], 0).unwrap()),
    ];
    for (name, bytes) in &packed {
        place.write(&format!("logs/{name}"), bytes);
    }
    let made = place.run("index logs.idx logs --json").code(0).json();
    assert_eq!(json!([made["files"], made["text_bytes"]]), json!([5, 5 * text.len()]));
    // One that is cut short is left out, and the others are indexed.
    place.write("logs/gzip.log", &packed[1].1[..100]);
    let cut = place.run("index logs.idx --json").code(0);
    assert_eq!(json!([cut.json()["files"], cut.json()["skipped"]]), json!([4, 1]));
    cut.says(&["warning: ", "gzip.log: cannot decompress it (gzip): it is truncated"]);
}

/// What was read of it before it failed does not stay in the index, and it is still searched.
#[test]
fn a_truncated_file_leaves_nothing_in_the_index() {
    let place = Place::new();
    place.write("logs/a.log", "a\n");
    place.run("index logs.idx logs").code(0);
    let without = place.read("logs.idx").len();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for number in 0..100_000u64 {
        writeln!(gzip, "{:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).unwrap();
    }
    let gzip = gzip.finish().unwrap();
    place.write("logs/b.gz", &gzip[..gzip.len() - 100]);
    for arguments in ["index logs.idx logs --force", "index logs.idx"] {
        let ran = place.run(arguments).code(0);
        let ran = ran.says(&["b.gz: cannot decompress it (gzip): it is truncated", "1 skipped"]);
        assert!(!ran.err.contains('%'), "{}", ran.err);
        assert_eq!(place.read("logs.idx").len(), without, "{arguments}");
    }
    place.run("grep logs.idx 9e3779b97f4a7c15").says(&["b.gz"]);
    place.run("verify logs.idx").code(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_index() {
    let place = with_logs();
    place.run("index logs.idx logs").code(0);
    let old = place.read("logs.idx");
    let mut text = String::new();
    for number in 0..100_000u64 {
        text += &format!("{:x}\n", number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    place.write("logs/large", text);
    for arguments in ["index logs.idx", "index logs.idx logs --force", "index new.idx logs"] {
        place.run_on_full_disk(arguments).fails(&[".idx: cannot write: "]);
        assert_eq!(place.read("logs.idx"), old);
        assert_eq!(place.names(), ["logs", "logs.idx"], "{arguments}");
    }
}

/// Zeros without end, on paper: the program is interrupted while it reads them.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_the_old_index() {
    let place = with_logs();
    File::create(place.join("zeros")).unwrap().set_len(1 << 40).unwrap();
    place.run("index logs.idx logs").code(0);
    let old = place.read("logs.idx");
    for arguments in ["index logs.idx zeros --force", "index new.idx zeros"] {
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            let mut child = place.command(arguments.split_whitespace()).spawn().unwrap();
            until("a temporary file", || {
                place.names().iter().any(|name| name.ends_with(".tmp")).then_some(())
            });
            signal(name, child.id());
            assert_eq!(exit_code(&mut child), code, "{arguments}");
            assert_eq!(place.names(), ["logs", "logs.idx", "zeros"], "{arguments}");
            assert_eq!(place.read("logs.idx"), old);
        }
        // Killed: the temporary file stays, until the next run removes it.
        let mut child = place.command(arguments.split_whitespace()).spawn().unwrap();
        until("a temporary file", || {
            place.names().iter().any(|name| name.ends_with(".tmp")).then_some(())
        });
        // A second process finds the index in use.
        if arguments.contains("logs.idx") {
            place.run("index logs.idx").fails(&["logs.idx: another process is updating it"]);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(place.read("logs.idx"), old);
        place.run("verify logs.idx").code(0);
        assert!(place.names().iter().any(|name| name.ends_with(".tmp")), "{arguments}");
        place.run("index logs.idx").code(0);
        assert_eq!(place.names(), ["logs", "logs.idx", "zeros"], "{arguments}");
    }
}
