//! `api/examples`: the worked examples of the five texts, one click away.
//!
//! Each is a [`History`] that the page takes over, so a visitor can go on from it.

use super::look::{Done, Formulas, History};
use crate::Error;
use crate::page::api;
use crate::texts::TEXTS;
use serde::Serialize;
use std::collections::BTreeMap;

/// An example.
#[derive(Serialize)]
struct Example {
    /// The figure of the verb `figure` that draws the same.
    figure: &'static str,
    /// What a visitor may ask.
    question: &'static str,
    /// Which text it is of.
    source: &'static str,
    history: History,
}

/// The examples, and the texts that their sources are of, from \[1\].
#[derive(Serialize)]
struct ExamplesJson {
    examples: Vec<Example>,
    texts: &'static [&'static str],
}

/// Answers a request.
pub fn answer(_body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&ExamplesJson { examples: examples(), texts: &TEXTS })
}

/// Acts, written as `+2 ?12 -9`.
fn acts(text: &str) -> Vec<Done> {
    let act = |word: &str| match word.split_at_checked(1) {
        Some(("+", key)) => Some(Done::Insert(key.to_string())),
        Some(("?", key)) => Some(Done::Query(key.to_string())),
        Some(("-", key)) => Some(Done::Remove(key.to_string())),
        _ => None,
    };
    text.split_whitespace().filter_map(act).collect()
}

/// A worked example with formulas, shown at its last step.
fn worked(kinds: &[&str], bits: u64, hashes: &str, story: &str) -> History {
    let hashes = hashes.split_whitespace().map(str::to_string).collect();
    History { worked: Some(Formulas { bits, hashes }), ..real(kinds, "8", 0, story) }
}

/// A filter with its own hash, shown at its last step.
fn real(kinds: &[&str], items: &str, seed: u64, story: &str) -> History {
    let acts = acts(story);
    History {
        kinds: kinds.iter().map(|kind| (*kind).to_string()).collect(),
        items: items.to_string(),
        fpr: "10%".to_string(),
        seed,
        at: acts.len(),
        acts,
        ..History::default()
    }
}

fn with_option(history: History, name: &str, value: &str) -> History {
    History { options: BTreeMap::from([(name.to_string(), value.to_string())]), ..history }
}

/// Numbers 1 to 28, and lookups of 28 and 99.
fn many() -> String {
    let inserts: Vec<String> = (1..=28).map(|number| format!("+{number}")).collect();
    format!("{} ?28 ?99", inserts.join(" "))
}

fn examples() -> Vec<Example> {
    let example = |figure, question, source, history| Example { figure, question, source, history };
    let ten = "x 2x+3 3x+7";
    vec![
        example(
            "example",
            "Why did 12 match?",
            "[2] figures 1–5",
            worked(&["classic"], 10, ten, "+2 +4 +9 ?4 ?5 ?12"),
        ),
        example(
            "example-remove",
            "Why can a plain filter not remove?",
            "[2] §5.1",
            worked(&["classic"], 10, ten, "+2 +4 +9 ?4 -9 ?4"),
        ),
        example(
            "counting-cells",
            "How do counters remove?",
            "[5]",
            worked(&["classic", "counting"], 10, ten, "+2 +4 +9 ?4 -9 ?4"),
        ),
        example(
            "overflow-cells",
            "What if a counter overflows?",
            "[2] §5.1",
            with_option(
                real(&["counting"], "3", 12, "+ant +bee +cat +dog -ant -bee -cat -dog ?ant"),
                "counter-bits",
                "2",
            ),
        ),
        example(
            "functions",
            "What if two hash functions meet?",
            "[3]",
            worked(&["classic"], 12, "x+3 3x+1 x", "+x1=1 +x2=2 ?y1=5 ?y2=4"),
        ),
        example(
            "three-keys",
            "Three keys in 18 bits: is w in?",
            "[4]",
            worked(&["classic"], 18, "x x+3 4x+7", "+x=1 +y=2 +z=3 ?w=4"),
        ),
        example(
            "scalable-cells",
            "How does a filter grow?",
            "[2] §5.2",
            with_option(
                real(&["scalable"], "4", 0, "+ant +bee +cat +dog +elk +fox +gnu ?elk"),
                "over",
                "classic",
            ),
        ),
        example(
            "cuckoo-cells",
            "How do fingerprints make room?",
            "[2] §6",
            real(&["cuckoo"], "9", 0, &many()),
        ),
        example(
            "increments-cells",
            "Whose is a counter?",
            "[5]",
            real(&["variable-increment"], "3", 5, "+ant +bee +cat ?bee ?owl"),
        ),
        example(
            "deletable-cells",
            "Which bits can be cleared?",
            "[5]",
            with_option(
                real(&["deletable"], "4", 22, "+ant +bee +cat +dog ?bee ?cat -bee -cat ?bee ?cat"),
                "regions",
                "6",
            ),
        ),
        example(
            "bloomier-cells",
            "How does a filter store values?",
            "[5]",
            real(&["bloomier"], "5", 6, "+ant=3 +bee=5 +cat=1 +dog=7 +elk=2 ?bee ?owl"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::FIGURES;
    use crate::page::look;
    use serde_json::Value;

    /// Every example is that of a figure, gives an answer, and has the answers that the figure claims.
    #[test]
    fn examples_are_those_of_the_figures() {
        let says = |example: &Example| -> Vec<String> {
            let body = serde_json::to_vec(&example.history).unwrap();
            let seen: Value = serde_json::from_slice(&look::answer(&body).unwrap()).unwrap();
            let steps = seen["views"][0]["steps"].as_array().unwrap();
            let verdicts = steps.iter().filter_map(|step| step["verdict"].as_str());
            verdicts.map(str::to_string).collect()
        };
        let expected: [(&str, &[&str]); 11] = [
            ("example", &["maybe", "no", "false positive"]),
            ("example-remove", &["maybe", "false negative"]),
            ("counting-cells", &["maybe", "false negative"]),
            ("overflow-cells", &["no"]),
            ("functions", &["no", "false positive"]),
            ("three-keys", &["no"]),
            ("scalable-cells", &["maybe"]),
            ("cuckoo-cells", &["maybe", "no"]),
            ("increments-cells", &["maybe", "no"]),
            ("deletable-cells", &["maybe", "maybe", "maybe", "no"]),
            ("bloomier-cells", &["maybe", "no"]),
        ];
        for (example, (figure, verdicts)) in examples().iter().zip(expected) {
            assert_eq!(example.figure, figure);
            let known = FIGURES.iter().find(|known| known.name == figure).unwrap();
            assert!(example.source.starts_with(&known.source[..3]), "{figure}");
            assert_eq!(says(example), verdicts, "{figure}");
        }
        assert_eq!(examples().len(), expected.len());
    }
}
