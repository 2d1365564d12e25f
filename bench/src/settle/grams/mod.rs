//! What a search index is made of: grams or words, blocks or files, how full, with how many hash
//! functions. For each design, its size and the share of blocks that are opened in vain.
//!
//! | file | what it has |
//! |---|---|
//! | [`text`] | files and blocks: generated logs, source code |
//! | [`literals`] | what is searched for |
//! | [`matrix`] | the designs |

mod literals;
mod matrix;
mod text;

use super::heading;
use crate::literals::{Family, LENGTHS};
use crate::log_corpus::{LogCorpus, Statistics};
use crate::source_files::source_files;
use literals::Literal;
use matrix::{Design, Grouping, Matrix, Terms};
use text::Text;

/// The design that the program has.
const CHOSEN: Design = Design {
    terms: Terms::Grams(&[4, 5]),
    many: 2,
    load: 0.45,
    hashes: 1,
    grouping: Grouping::Like,
};

/// Prints all tables.
pub fn run() {
    let logs = LogCorpus::new(1);
    // Of other days: the same messages and clients, other ids and times.
    let elsewhere: Vec<u8> = (10_000..10_040).flat_map(|i| logs.file(i, 256 << 10)).collect();
    let small = (0..640).map(|i| logs.file(i, logs.size(i)));
    tables(&Text::new("logs of 16 to 320 KB", small.collect()), &elsewhere);
    let large = (0..20).map(|i| logs.file(i, 3_200_000));
    tables(&Text::new("logs of 3.2 MB", large.collect()), &elsewhere);
    let mut sources = source_files();
    let held_out = sources.split_off(sources.len() * 9 / 10).concat();
    tables(&Text::new("source code", sources), &held_out);
}

fn tables(text: &Text, elsewhere: &[u8]) {
    let (bytes, blocks) = (text.bytes(), text.blocks());
    heading(&format!(
        "{}: {:.0} MB in {} files, {blocks} blocks of 64 KiB",
        text.name,
        bytes as f64 / 1e6,
        text.files.len()
    ));
    if let Ok(statistics) = Statistics::of(&text.files.concat()) {
        println!("{statistics:.4?}");
    }
    let sets = |terms: Terms| -> Vec<Vec<u32>> {
        (0..blocks).map(|block| terms.of(text.block(block))).collect()
    };
    let four = Terms::Grams(&[4]);
    let fours = sets(four);
    let literals: Vec<Vec<Literal>> = Family::ALL
        .iter()
        .flat_map(|family| {
            LENGTHS.map(|length| literals::draw(text, elsewhere, &fours, length, *family))
        })
        .collect();
    println!("literals: {:?}", literals.iter().map(Vec::len).collect::<Vec<_>>());
    println!(
        "% in vain:{:>55}{:>38}{:>38}",
        "words and ids", "pieces of lines", "one letter changed"
    );
    print!("{:>40} {:>9}", "", "% of text");
    for _ in Family::ALL {
        print!(" |");
        LENGTHS.iter().for_each(|length| print!(" {length:>5}"));
    }
    println!();
    for many in [1, 2, 4, 8] {
        let runs = text.joined(many);
        let exact = union(&fours, &runs);
        let bits = 32 * exact.iter().map(Vec::len).sum::<usize>();
        let vain = in_vain(&runs, &literals, four, |column, grams| {
            grams.iter().all(|gram| exact[column].binary_search(gram).is_ok())
        });
        row(&format!("4-grams {} KiB exact", 64 * many), bits, bytes, &vain);
    }
    for (terms, designs) in designs() {
        let sets = sets(terms);
        for design in designs {
            let runs = text.joined(design.many);
            let matrix = Matrix::new(&union(&sets, &runs), design);
            let vain =
                in_vain(&runs, &literals, terms, |column, terms| matrix.may_have(column, terms));
            row(&name(design), matrix.bits, bytes, &vain);
        }
    }
}

/// The alternatives, each beside its neighbours.
fn designs() -> Vec<(Terms, Vec<Design>)> {
    let four = Terms::Grams(&[4]);
    let plain = Design { terms: four, load: 0.3, ..CHOSEN };
    let mut of_four = Vec::new();
    for many in [1, 2, 4, 8] {
        of_four.extend([0.2, 0.3, 0.4, 0.5].map(|load| Design { many, load, ..plain }));
        of_four.extend([0.4, 0.5].map(|load| Design { many, load, hashes: 2, ..plain }));
    }
    for grouping in [Grouping::Wide, Grouping::Unsorted, Grouping::Average] {
        of_four.push(Design { grouping, ..plain });
    }
    // Seven probes and ten bits per gram: the usual filter of a file.
    of_four.push(Design {
        many: usize::MAX,
        load: 0.5,
        hashes: 7,
        grouping: Grouping::Alone,
        ..plain
    });
    let mut all = vec![(four, of_four)];
    for terms in [Terms::Grams(&[3]), Terms::Grams(&[5]), Terms::Words] {
        let loads = [0.3, 0.5].map(|load| Design { terms, load, ..plain });
        all.push((terms, loads.to_vec()));
    }
    let sixes = Terms::Grams(&[4, 6]);
    let of_sixes = [0.4, 0.45, 0.5].map(|load| Design { terms: sixes, load, ..CHOSEN });
    all.push((sixes, of_sixes.to_vec()));
    let mut of_chosen = Vec::new();
    for many in [1, 2, 4] {
        let loads = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7];
        of_chosen.extend(loads.map(|load| Design { many, load, ..CHOSEN }));
    }
    of_chosen.push(Design { load: 0.6, hashes: 2, ..CHOSEN });
    all.push((CHOSEN.terms, of_chosen));
    all
}

fn name(design: Design) -> String {
    let Design { terms, many, load, hashes, grouping } = design;
    let grouping = match grouping {
        Grouping::Like => "",
        Grouping::Wide => ", groups of 512",
        Grouping::Unsorted => ", unsorted",
        Grouping::Average => ", average",
        Grouping::Alone => "",
    };
    let size = if many == usize::MAX { "file".to_string() } else { format!("{} KiB", 64 * many) };
    let hashes = if hashes == 1 { String::new() } else { format!(", {hashes} probes") };
    format!("{} {size} {load:.2}{hashes}{grouping}", terms.name())
}

fn row(name: &str, bits: usize, bytes: usize, vain: &[f64]) {
    print!("{name:>40} {:>9.2}", 100.0 * bits as f64 / 8.0 / bytes as f64);
    for family in vain.chunks(LENGTHS.len()) {
        print!(" |");
        family.iter().for_each(|share| print!(" {share:>5.2}"));
    }
    println!();
}

/// Sets of larger blocks: those of the blocks that they are made of.
fn union(sets: &[Vec<u32>], runs: &[std::ops::Range<usize>]) -> Vec<Vec<u32>> {
    let joined = runs.iter().map(|run| {
        let mut all = sets[run.clone()].concat();
        all.sort_unstable();
        all.dedup();
        all
    });
    joined.collect()
}

/// For each list of literals, the percentage of blocks without the literal that are opened.
fn in_vain(
    runs: &[std::ops::Range<usize>],
    literals: &[Vec<Literal>],
    terms: Terms,
    may_have: impl Fn(usize, &[u32]) -> bool,
) -> Vec<f64> {
    let share = |literals: &Vec<Literal>| {
        let (mut vain, mut absent) = (0usize, 0usize);
        for literal in literals {
            let required = terms.required(&literal.bytes);
            for (column, _) in runs.iter().enumerate().filter(|(_, run)| !literal.is_in(run)) {
                absent += 1;
                vain += usize::from(may_have(column, &required));
            }
        }
        100.0 * vain as f64 / absent.max(1) as f64
    };
    literals.iter().map(share).collect()
}
