//! The table of vectors in docs/formats.md has the numbers of the vectors that are compared.

use super::*;

/// Systems as `cases.tsv` and the page name them.
const SYSTEMS: [(&str, &str); 8] = [
    ("guava", "Guava"),
    ("spark", "Spark"),
    ("parquet", "Parquet"),
    ("dcso", "DCSO"),
    ("squid", "Squid"),
    ("redis", "RedisBloom"),
    ("cassandra", "Cassandra"),
    ("hbase", "HBase"),
];

/// Files, keys that are in, keys that are not, and false positives among these.
fn counts(cases: &[Case]) -> [usize; 4] {
    let falsely = |case: &Case| case.absent.iter().filter(|(_, found)| *found).count();
    [
        cases.len(),
        cases.iter().map(|case| case.present.len()).sum(),
        cases.iter().map(|case| case.absent.len()).sum(),
        cases.iter().map(falsely).sum(),
    ]
}

/// A cell like `19 (16)`: all files, and those of this repository. One number is both.
fn cell(text: &str) -> (usize, usize) {
    let number = |text: &str| text.trim_matches([' ', ')']).replace(',', "").parse().unwrap();
    text.split_once('(')
        .map_or_else(|| (number(text), number(text)), |(all, ours)| (number(all), number(ours)))
}

#[test]
fn the_page_has_the_numbers_of_the_vectors() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("## Vectors").nth(1).unwrap().split("\n## ").next().unwrap();
    let shared = shared_vectors();
    for (system, title) in SYSTEMS {
        let row = table.lines().find(|line| line.starts_with(&format!("| {title} |")));
        let cells: Vec<&str> = row.unwrap().split('|').skip(2).take(5).collect();
        let numbers = [0, 1, 2, 3].map(|at| cell(cells[at]));
        assert_eq!(numbers.map(|(_, ours)| ours), counts(&cases(system)), "{title}, in here");
        if let Some(folder) = &shared {
            let all = counts(&cases_of(folder, system));
            assert_eq!(numbers.map(|(all, _)| all), all, "{title}, all");
        }
        assert_eq!(cell(cells[4]), (0, 0), "{title}: answers that differ");
    }
}
