//! The five introductions to Bloom filters that this project began from, by their numbers in the
//! list of figures, in the tour and in `docs/texts.md`.

/// Author, title and language, in the order of their numbers from \[1\].
pub const TEXTS: [&str; 5] = [
    "Peyer, Obrist: Bloom-Filter (2019), German",
    "Jambura, Pürstinger, Schnappauf, Thiele: Bloom Filter (2026), German",
    "Slides with mice and bottles, after Broder and Mitzenmacher, Chinese",
    "Gogos: Bloom Filters, lecture slides (2014), Greek",
    "TU Bergakademie Freiberg: Bloom-Filter, slides, German",
];

/// One line for each text, with its number.
pub fn list() -> String {
    let lines = (1..).zip(TEXTS).map(|(number, text)| format!("[{number}] {text}"));
    lines.collect::<Vec<_>>().join("\n")
}
