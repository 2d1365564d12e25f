//! The tables of docs/scale.md. What is measured is plain, what is predicted is in *italics*.

use super::model::{self, Number, SHARE, bytes, bytes_of, link};
use super::read::Records;
use anther::Kind;
use anther::units::{self, size};
use std::fmt::Write;

/// The page with every block between `<!-- scale: NAME -->` and `<!-- end -->` made anew.
pub fn renew(page: &str, records: &Records) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = page;
    let mut made = Vec::new();
    while let Some((before, after)) = rest.split_once("<!-- scale: ") {
        let (name, after) = after.split_once(" -->").ok_or("a block has no name")?;
        let (_, after) = after.split_once("<!-- end -->").ok_or("a block does not end")?;
        let block = block(name, records).ok_or_else(|| format!("no block has the name {name}"))?;
        let _ = write!(text, "{before}<!-- scale: {name} -->\n{block}<!-- end -->");
        made.push(name);
        rest = after;
    }
    if let Some((name, _)) = BLOCKS.iter().find(|(name, _)| !made.contains(name)) {
        return Err(format!("the page has no block {name}"));
    }
    Ok(text + rest)
}

type Block = fn(&Records) -> String;

const BLOCKS: [(&str, Block); 8] = [
    ("sizes", sizes),
    ("statics", statics),
    ("ways", ways),
    ("rules", rules),
    ("server", server),
    ("spark", spark),
    ("example", example),
    ("records", named_records),
];

fn block(name: &str, records: &Records) -> Option<String> {
    let (_, make) = BLOCKS.iter().find(|(known, _)| *known == name)?;
    Some(make(records))
}

/// Seconds, as people say them.
pub fn time(seconds: f64) -> String {
    let of = |value: f64, unit: &str| {
        let text = units::duration(value);
        format!("{} {unit}", text.trim_end_matches(" ns"))
    };
    match seconds {
        s if s < 120.0 => units::duration(s * 1e9),
        s if s < 7200.0 => of(s / 60.0, "min"),
        s if s < 2.0 * 86_400.0 => of(s / 3600.0, "h"),
        s => of(s / 86_400.0, "days"),
    }
}

/// A power of ten.
pub fn power(items: u64) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let exponent = items.checked_ilog10().unwrap_or(0).to_string();
    let raised = exponent.chars().filter_map(|digit| digits.get(digit.to_digit(10)? as usize));
    format!("10{}", raised.collect::<String>())
}

/// Plain if it was measured.
fn shown(number: Number, form: impl Fn(f64) -> String) -> String {
    let text = form(number.value);
    if number.measured { text } else { predicted(text) }
}

fn predicted(text: String) -> String {
    format!("*{text}*")
}

fn ns(value: f64) -> String {
    units::duration(value).trim_end_matches(" ns").to_string()
}

fn amount(bytes: f64) -> String {
    size(units::whole(bytes))
}

fn sizes(records: &Records) -> String {
    let cores = records.cores();
    let mut text = format!(
        "| Keys | Memory, file | Build, 1 core | Build, {cores} cores | Lookup, ns per key | Sent at 1 \
         Gbit/s | at 10 Gbit/s | Use |\n\
         |---:|---:|---:|---:|---:|---:|---:|---|\n"
    );
    for items in model::sizes() {
        let m = bytes(items);
        // A time that no single machine of this size can reach.
        let mark = if records.machines(items) > 1 { "†" } else { "" };
        let _ = writeln!(
            text,
            "| {} | {} | {}{mark} | {}{mark} | {}{mark} | {} | {} | {} |",
            power(items),
            amount(m),
            shown(records.build(items, 1), time),
            shown(records.build(items, cores), time),
            shown(records.lookup(items), ns),
            predicted(time(m / link(1.0))),
            predicted(time(m / link(10.0))),
            advice(records, items),
        );
    }
    let _ = writeln!(
        text,
        "\n† Does not fit into the {} of this machine. It is what one with enough memory would take, if \
         its rates were the same.",
        amount(records.memory)
    );
    text
}

/// What the rules of the page come to.
fn advice(records: &Records, items: u64) -> String {
    let machines = records.machines(items);
    let one_core = records.build(items, 1).value <= records.build(items, records.cores()).value;
    match machines {
        1 if one_core => "one core".to_string(),
        1 => "one machine, all cores".to_string(),
        _ => format!("parts by hash, on {machines} such machines or more"),
    }
}

fn statics(records: &Records) -> String {
    let mut text = "| Keys | ribbon | Build | Peak memory | fuse | Build | Peak memory |\n\
                    |---:|---:|---:|---:|---:|---:|---:|\n"
        .to_string();
    for items in model::sizes().filter(|items| *items <= 10 * records.largest()) {
        let _ = write!(text, "| {} |", power(items));
        for (kind, who) in [(Kind::Ribbon, "anther ribbon"), (Kind::Fuse, "anther fuse")] {
            let each = records.ns(who, "insert", records.cores(), items);
            let peaks = records.points.iter().filter(|point| point.who == who);
            let peak = peaks.filter(|point| point.items == items).find_map(|point| point.peak);
            let peak = peak.map_or("-".to_string(), |peak| amount(peak * items as f64));
            let seconds = |ns: f64| time(ns * items as f64 / 1e9);
            let _ = write!(
                text,
                " {} | {} | {peak} |",
                amount(bytes_of(kind, items)),
                shown(each, seconds)
            );
        }
        text += "\n";
    }
    text
}

fn ways(records: &Records) -> String {
    let mut text =
        "| Keys | Machines | Merged: memory per machine | moved | time | By hash: memory per machine | \
                    moved | time |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_string();
    for items in model::sizes().filter(|items| *items >= 100_000_000) {
        let machines = records.machines(items).next_power_of_two().max(16);
        let merged = records.merged(items, machines, link(10.0));
        let by_hash = records.sharded(items, machines, link(10.0));
        let fits = |way: model::Way| match way.memory <= SHARE * records.memory {
            true => format!(
                "{} | {} | {}",
                amount(way.memory),
                predicted(amount(way.moved)),
                predicted(time(way.seconds))
            ),
            false => format!("{}, too much | - | -", amount(way.memory)),
        };
        let _ = writeln!(
            text,
            "| {} | {machines} | {} | {} |",
            power(items),
            fits(merged),
            fits(by_hash)
        );
    }
    text
}

fn rules(records: &Records) -> String {
    let (cores, n) = (records.cores(), records.largest());
    let bits = 8.0 * bytes(n) / n as f64;
    let mut text = String::new();
    let mut rule = |line: String| {
        let _ = writeln!(text, "- {line}");
    };
    rule(format!(
        "One machine with {} holds {} keys of `blocked` or {} of `ribbon` in {:.0} % of its memory.",
        amount(records.memory),
        rounded(records.holds(Kind::Blocked)),
        rounded(records.holds(Kind::Ribbon)),
        100.0 * SHARE
    ));
    let crossing = model::sizes()
        .filter(|items| *items <= n)
        .find(|items| records.build(*items, cores).value < records.build(*items, 1).value);
    if let Some(items) = crossing {
        rule(format!("{cores} cores build faster than one from {} keys on.", power(items)));
    }
    let (keys, machines) = (1_000_000_000, 16);
    let one = records.build(keys, cores).value;
    let many = records.sharded(keys, machines, link(10.0)).seconds;
    rule(format!(
        "{} keys take {} on one machine and {} on {machines}, by hash over links of 10 Gbit/s: {} times \
         as fast, for {machines} times the machines and a network that moves all hashes.",
        power(keys),
        shown(records.build(keys, cores), time),
        predicted(time(many)),
        predicted(format!("{:.0}", one / many))
    ));
    let build = records.build(n, cores).value / n as f64 * 1e9;
    rule(format!(
        "A key as 8 bytes takes 64 ns on a link of 1 Gbit/s, and {} ns to insert on {cores} cores: \
         below {:.1} Gbit/s the link is the limit, and the filter should be built where the keys are.",
        ns(build),
        64.0 / build
    ));
    rule(format!(
        "Merging P filters moves (P - 1) · {:.2} bytes per key, hashes move 8 · (P - 1)/P. So merging \
         moves fewer bytes up to {} machines, and takes less time up to {}.",
        bits / 8.0,
        model::fewer_bytes_sharded(n) as u64,
        model::faster_sharded(n) - 1
    ));
    rule(format!(
        "If each key comes r times, merging moves the same, and hashes r times as many bytes: on 16 \
         machines merging moves fewer from r = {:.1} on.",
        16.0 * bits / 64.0
    ));
    if let (Some(one), Some(many)) = (
        records.server.get(&("BF.EXISTS".into(), 1)),
        records.server.get(&("BF.MEXISTS".into(), 1)),
    ) {
        let download = bytes(n) / link(1.0);
        rule(format!(
            "Downloading a filter of {} keys over 1 Gbit/s takes {}, as long as {} single lookups on a \
             server, or {} in batches. If you look up more keys than that, download the filter.",
            power(n),
            predicted(time(download)),
            predicted(rounded(download * one)),
            predicted(rounded(download * many))
        ));
    }
    text
}

/// Two digits, with a unit that people count in.
fn rounded(number: f64) -> String {
    let (value, unit) = match number {
        n if n >= 1e12 => (n / 1e12, " T"),
        n if n >= 1e9 => (n / 1e9, " G"),
        n if n >= 1e6 => (n / 1e6, " M"),
        n if n >= 1e3 => (n / 1e3, " k"),
        n => (n, ""),
    };
    match value {
        v if v >= 10.0 => format!("{v:.0}{unit}"),
        v => format!("{v:.1}{unit}"),
    }
}

fn server(records: &Records) -> String {
    let mut text =
        "| Way | Keys per second | 10⁶ keys | 10⁹ keys | 10¹² keys |\n|---|---:|---:|---:|---:|\n"
            .to_string();
    let mut row = |way: &str, rate: f64| {
        let each = [1e6, 1e9, 1e12].map(|keys| predicted(time(keys / rate)));
        let _ = writeln!(text, "| {way} | {} | {} |", rounded(rate), each.join(" | "));
    };
    let n = records.largest();
    row("in the process, batch, 1 core", 1e9 / records.lookup(n).value);
    let ways = [
        ("BF.MEXISTS, pipelined", "BF.MEXISTS", 16),
        ("BF.MEXISTS", "BF.MEXISTS", 1),
        ("BF.EXISTS, 16 pipelined", "BF.EXISTS", 16),
        ("BF.EXISTS, one by one", "BF.EXISTS", 1),
        ("BF.ADD, 16 pipelined", "BF.ADD", 16),
        ("BF.ADD, one by one", "BF.ADD", 1),
    ];
    for (way, command, pipeline) in ways {
        if let Some(rate) = records.server.get(&(command.to_string(), pipeline)) {
            row(way, *rate);
        }
    }
    text
}

fn spark(records: &Records) -> String {
    if records.spark.is_empty() {
        return "No build on Spark has been recorded yet.\n".to_string();
    }
    let mut text = "| Keys | Partial filters | Merge | Moved | One process, without Spark |\n\
                    |---:|---:|---:|---:|---:|\n"
        .to_string();
    for build in &records.spark {
        let items = units::whole(build.keys);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            if items == 10u64.pow(items.ilog10()) { power(items) } else { units::count(items) },
            time(build.seconds_partial),
            time(build.seconds_merge),
            amount(build.bytes_moved),
            shown(records.build(items, records.cores()), time),
        );
    }
    if let Some((fixed, each)) = records.spark_line() {
        let _ = writeln!(
            text,
            "\nBy these, n keys take *{} + {} · n* on the same machine.",
            time(fixed.max(0.0)),
            units::duration(each * 1e9)
        );
    }
    text
}

/// 10¹¹ keys in parts: of `blocked`, one per machine, and of `ribbon`, as large as was measured.
fn example(records: &Records) -> String {
    let (n, machines) = (100_000_000_000_u64, 16);
    let with_room = |keys: u64| keys + (4.0 * (keys as f64).sqrt()).ceil() as u64;
    let items = with_room(n / machines);
    let way = records.sharded(n, machines, link(10.0));
    let mut text = format!(
        "**`blocked`, {machines} machines, one part on each.** A part has n/P = {} keys; with room for \
         chance, it is made for {items}. It takes {} of memory, and all parts together {}. Machine `$i` \
         runs\n\n\
         ```sh\nanther plan --items {items} --fpr 1%\n\
         anther build seen-$i.anther keys-$i --items {items} --fpr 1%\n```\n\n\
         Moving the hashes and inserting them takes {}; reading keys from files comes on top.\n",
        rounded(n as f64 / machines as f64),
        amount(bytes(items)),
        amount(bytes(items) * machines as f64),
        predicted(time(way.seconds)),
    );
    let part = records.largest();
    let peak = records.points.iter().filter(|point| point.who == "anther ribbon");
    let peak = peak.filter(|point| point.items == part).find_map(|point| point.peak);
    let each = records.ns("anther ribbon", "insert", records.cores(), part);
    if let (Some(peak), true) = (peak, part > 0 && each.measured) {
        let (parts, seconds) = (n / part, each.value * part as f64 / 1e9);
        let room = with_room(part);
        let _ = write!(
            text,
            "\n**`ribbon`, {parts} parts.** A static part needs the hashes of all its keys while it is \
             built, so make parts small. One of {} keys takes {} on disk, {} to build on {} cores, and {} \
             of memory at its peak. Built one after another, all parts need no more than that, and {} \
             on one machine or {} on {machines}. All parts take {}, or {} per machine when they are \
             looked up.\n\n\
             ```sh\nfor i in $(seq 0 {}); do anther build seen-$i.anther keys-$i --kind ribbon --fpr 1%; \
             done\n```\n",
            power(part),
            amount(bytes_of(Kind::Ribbon, room)),
            time(seconds),
            records.cores(),
            amount(peak * part as f64),
            predicted(time(seconds * parts as f64)),
            predicted(time(seconds * parts as f64 / machines as f64)),
            amount(bytes_of(Kind::Ribbon, part) * parts as f64),
            amount(bytes_of(Kind::Ribbon, part) * parts as f64 / machines as f64),
            parts - 1,
        );
    }
    text
}

fn named_records(records: &Records) -> String {
    let names: Vec<String> =
        records.names.iter().map(|name| format!("[`{name}`](../bench/records/{name})")).collect();
    let from = records.largest() / 10;
    let guess = records.build(from, records.cores()).value * 10.0;
    let real = records.build(records.largest(), records.cores()).value;
    format!(
        "Measured numbers are from these records: {}. Builds ran on a machine with {} cores and {} of memory; \
         its record does not name the processor, and compilers ran beside it. Lookups are those of the \
         full run.\n\nThe same formula, from {} keys, predicts {} for {} keys. Measured: {}, {:.0} % \
         off.\n",
        names.join(", "),
        records.cores(),
        amount(records.memory),
        power(from),
        predicted(time(guess)),
        power(records.largest()),
        time(real),
        100.0 * (guess / real - 1.0).abs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::picture;
    use std::fs;
    use std::path::Path;

    /// The tables and figures are those of the records: `cargo xtask bench scale --draw` renews them.
    #[test]
    fn the_page_is_that_of_the_records() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let records = Records::latest().unwrap();
        let page = fs::read_to_string(docs.join("scale.md")).unwrap();
        let renewed = renew(&page, &records).unwrap();
        assert!(page == renewed, "docs/scale.md: run `cargo xtask bench scale --draw`");
        for (name, svg) in picture::all(&records) {
            let drawn = fs::read_to_string(docs.join("figures").join(name)).unwrap();
            assert!(drawn == svg, "{name}: run `cargo xtask bench scale --draw`");
            assert!(page.contains(name), "{name} is not on the page");
        }
    }

    #[test]
    fn a_page_without_a_block_is_refused() {
        let records = Records::default();
        assert_eq!(renew("text", &records).unwrap_err(), "the page has no block sizes");
        let error = renew("<!-- scale: size --><!-- end -->", &records).unwrap_err();
        assert_eq!(error, "no block has the name size");
    }

    #[test]
    fn times_and_powers() {
        let known = [
            (1.5e-3, "1.5 ms"),
            (90.0, "90 s"),
            (600.0, "10 min"),
            (9000.0, "2.5 h"),
            (864_000.0, "10 days"),
        ];
        for (seconds, text) in known {
            assert_eq!(time(seconds), text);
        }
        assert_eq!((power(100_000), power(1_000_000_000_000)), ("10⁵".into(), "10¹²".into()));
    }
}
