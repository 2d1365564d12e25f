//! `api/plot`: the charts of the tab Plan, as points.

use crate::Error;
use crate::chart::{Axis, Chart, Series};
use crate::page::api;
use crate::page::plan::Fields;
use crate::plot;
use anther::{Kind, Options};
use serde::{Deserialize, Serialize};

/// The keys that the tab begins with.
const ITEMS: u64 = 1_000_000;
const FPR: f64 = 0.01;

/// What the page asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    what: What,
    kinds: Vec<String>,
    fields: Fields,
}

/// Against what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    /// The rate against bits per key.
    Bits,
    /// The rate against the fill.
    Fill,
    /// The memory against the number of keys.
    Keys,
}

/// A chart.
#[derive(Debug, Serialize)]
pub struct Plot {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    /// On kinds that are not drawn to the end.
    remarks: Vec<String>,
}

/// Computes, or for the fill measures.
pub fn answer(body: &[u8]) -> Result<Vec<u8>, Error> {
    api::write(&draw(&api::read(body)?)?)
}

/// The chart that was asked for.
pub fn draw(question: &Question) -> Result<Plot, Error> {
    let mut kinds = Vec::new();
    for name in &question.kinds {
        match Kind::from_name(name) {
            Some(kind) if !kinds.contains(&kind) => kinds.push(kind),
            Some(_) => {}
            None => return Err(Error::about(name, "is not a kind; choose one of the table")),
        }
    }
    if kinds.len() > plot::MOST_KINDS {
        let cause = format!("at most {} fit into a plot; remove one", plot::MOST_KINDS);
        return Err(Error::about("kinds", cause));
    }
    let items = question.fields.items()?.unwrap_or(ITEMS);
    let fpr = question.fields.fpr()?.unwrap_or(FPR);
    let options = Options::default();
    let (chart, remarks): (Chart, Vec<String>) = match question.what {
        What::Bits => (plot::by_bits(&kinds, items, &options)?, Vec::new()),
        What::Fill => {
            let (filled, fixed): (Vec<Kind>, Vec<Kind>) =
                kinds.iter().partition(|kind| kind.capabilities().insert);
            let still =
                fixed.iter().map(|kind| format!("{kind} is static, so it is never partly filled"));
            if filled.is_empty() && !fixed.is_empty() {
                return Err(Error::Failed(
                    "static kinds are never partly filled; choose one that takes inserts".into(),
                ));
            }
            let (chart, remarks) = plot::by_fill(&filled, items, fpr, &options)?;
            (chart, remarks.into_iter().chain(still).collect())
        }
        What::Keys => plot::by_keys(&kinds, fpr, &options)?,
    };
    let Chart { title, x, y, series } = chart;
    Ok(Plot { title, x, y, series, remarks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(what: &str, kinds: &[&str]) -> Result<Plot, Error> {
        let text = serde_json::json!({
            "what": what, "kinds": kinds, "fields": { "items": "1000", "fpr": "1 %" },
        });
        draw(&api::read(text.to_string().as_bytes())?)
    }

    #[test]
    fn every_plot_has_points() {
        for what in ["bits", "fill", "keys"] {
            let plot = ask(what, &["classic", "cuckoo"]).unwrap();
            assert!(plot.series.len() >= 2, "{what}");
            assert!(plot.series.iter().all(|series| series.predicted.len() > 10), "{what}");
        }
        let keys = ask("keys", &["classic"]).unwrap();
        let last = keys.series[0].predicted.last().unwrap();
        assert_eq!(last.0, 1e12);
        assert!((last.1 / 1e12 - 9.585 / 8.0).abs() < 0.01, "{last:?}");
    }

    #[test]
    fn what_cannot_be_drawn_says_why() {
        assert!(ask("bits", &["x"]).unwrap_err().to_string().contains("is not a kind"));
        assert!(ask("fill", &["ribbon"]).unwrap_err().to_string().contains("never partly filled"));
        let six = ["classic", "blocked", "split", "cuckoo", "ribbon", "fuse"];
        assert!(ask("bits", &six).unwrap_err().to_string().contains("at most 5"));
        let some = ask("fill", &["ribbon", "classic"]).unwrap();
        assert!(some.remarks.iter().any(|remark| remark.contains("ribbon")), "{:?}", some.remarks);
        assert!(ask("sideways", &[]).is_err());
    }
}
