//! Where on an axis a number lies, and which numbers label it.

use anther::units;
use serde::Serialize;

/// An axis, before it is known how far it goes.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// What the numbers are of.
    pub label: String,
    pub(super) scale: Scale,
    pub(super) unit: Unit,
}

/// How numbers become lengths.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scale {
    /// From 0, or from the least where that is far from 0.
    Linear,
    Log,
    /// Names at 0, 1, 2 and so on.
    Names(Vec<String>),
}

/// What the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Of anything that is counted.
    Count,
    /// Between 0 and 1, in per cent.
    Rate,
    /// Of memory.
    Bytes,
    /// Times.
    Nanoseconds,
    /// Anything else.
    Plain,
}

impl Unit {
    /// A number at an axis: short.
    pub fn short(self, value: f64) -> String {
        match self {
            Unit::Count => match value.abs() {
                n if n >= 1e9 => format!("{}G", trimmed(value / 1e9)),
                n if n >= 1e6 => format!("{}M", trimmed(value / 1e6)),
                n if n >= 1e4 => format!("{}k", trimmed(value / 1e3)),
                n if n >= 1e3 => format!("{},000", trimmed(value / 1e3)).replace(".5,000", ",500"),
                _ => trimmed(value),
            },
            Unit::Rate => units::percent(value),
            Unit::Bytes => units::size(units::whole(value)),
            Unit::Nanoseconds => units::duration(value),
            Unit::Plain => trimmed(value),
        }
    }
}

/// Three decimals at most, without zeros at the end.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Axis {
    /// With a scale from 0.
    pub fn linear(label: impl Into<String>, unit: Unit) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear, unit }
    }

    /// With a scale on which ten times as much is as far everywhere.
    pub fn log(label: impl Into<String>, unit: Unit) -> Axis {
        Axis { label: label.into(), scale: Scale::Log, unit }
    }

    /// With names in place of numbers.
    pub fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Axis {
        let names = names.into_iter().map(Into::into).collect();
        Axis { label: String::new(), scale: Scale::Names(names), unit: Unit::Plain }
    }

    /// With a label, for names that need one.
    pub fn labelled(self, label: impl Into<String>) -> Axis {
        Axis { label: label.into(), ..self }
    }

    /// Whether it has names instead of numbers.
    pub fn is_names(&self) -> bool {
        matches!(self.scale, Scale::Names(_))
    }

    /// The axis as far as these numbers need it.
    pub(super) fn fit(&self, values: impl Iterator<Item = f64>) -> Fitted<'_> {
        let usable = |value: &f64| value.is_finite() && (self.scale != Scale::Log || *value > 0.0);
        let (least, most) =
            values.filter(usable).fold((f64::INFINITY, f64::NEG_INFINITY), |ends, value| {
                (ends.0.min(value), ends.1.max(value))
            });
        let (least, most) = if least > most { (1.0, 10.0) } else { (least, most) };
        match &self.scale {
            Scale::Linear => self.fit_linear(least, most),
            Scale::Log => self.fit_log(least, most),
            Scale::Names(names) => {
                let ticks = (0..names.len()).map(|at| at as f64).collect();
                Fitted { axis: self, from: -0.5, to: names.len() as f64 - 0.5, ticks }
            }
        }
    }

    fn fit_linear(&self, least: f64, most: f64) -> Fitted<'_> {
        // What is near 0 begins there, or small differences look large.
        let least = if least > 0.0 && least < 0.7 * most { 0.0 } else { least };
        let span = if most > least { most - least } else { most.abs().max(1.0) };
        let step = round_step(span / 6.0);
        // Nobody has half a mouse.
        let step = if self.unit == Unit::Count { step.ceil() } else { step };
        let first = (least / step).floor();
        let last = (most / step).ceil().max(first + 1.0);
        let steps = last - first;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "about six")]
        let ticks = (0..=steps as u32).map(|at| (first + f64::from(at)) * step).collect();
        Fitted { axis: self, from: first * step, to: last * step, ticks }
    }

    fn fit_log(&self, least: f64, most: f64) -> Fitted<'_> {
        let (low, high) = (least.log10(), most.log10());
        let wide = high - low;
        // Decades where there are some, else 1, 2, 5 between them.
        let within: &[f64] = if wide > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        #[expect(clippy::cast_possible_truncation, reason = "f64 ends at 10³⁰⁸")]
        let decades = (low.floor() as i32 - 1)..=(high.ceil() as i32 + 1);
        let all: Vec<f64> = decades
            .flat_map(|decade| within.iter().map(move |digit| digit * 10f64.powi(decade)))
            .collect();
        // A hair inward, or 1.0000000001e-3 costs a tick.
        let from = all.iter().rev().find(|tick| **tick <= least * 1.001).copied();
        let to = all.iter().find(|tick| **tick >= most * 0.999).copied();
        let (from, to) = (from.unwrap_or(least), to.unwrap_or(most));
        let to = if to > from { to } else { from * 10.0 };
        let ticks: Vec<f64> =
            all.into_iter().filter(|tick| *tick >= from * 0.999 && *tick <= to * 1.001).collect();
        let every = ticks.len().div_ceil(8).max(1);
        let ticks = ticks.into_iter().step_by(every).collect();
        Fitted { axis: self, from: from.log10(), to: to.log10(), ticks }
    }
}

/// The next larger of 1, 2, 2.5, 5, 10 and their tenfolds.
fn round_step(step: f64) -> f64 {
    let decade = 10f64.powf(step.log10().floor());
    let found = [1.0, 2.0, 2.5, 5.0].into_iter().find(|digit| digit * decade >= step * 0.999);
    found.unwrap_or(10.0) * decade
}

/// An axis that goes from somewhere to somewhere.
#[derive(Clone, Debug)]
pub(super) struct Fitted<'a> {
    pub axis: &'a Axis,
    from: f64,
    to: f64,
    /// Numbers that label the axis.
    pub ticks: Vec<f64>,
}

impl Fitted<'_> {
    /// How far along the axis a number lies: 0 at the beginning, 1 at the end. What cannot be
    /// drawn, such as 0 on a logarithmic scale, lies at the beginning.
    pub fn place(&self, value: f64) -> f64 {
        let value = match self.axis.scale {
            Scale::Log if value > 0.0 => value.log10(),
            Scale::Log => self.from,
            _ => value,
        };
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// Longer at the end where less than such a share of it is free above a number.
    pub fn with_room_above(self, value: f64, share: f64) -> Self {
        let more = (share - (1.0 - self.place(value))).max(0.0) * (self.to - self.from);
        Fitted { to: self.to + more, ..self }
    }

    /// Whether a number has a place of its own.
    pub fn shows(&self, value: f64) -> bool {
        self.axis.scale != Scale::Log || value > 0.0
    }

    /// The label of a tick.
    pub fn name(&self, tick: f64) -> String {
        match &self.axis.scale {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            Scale::Names(names) => names.get(tick as usize).cloned().unwrap_or_default(),
            _ => self.axis.unit.short(tick),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: &Axis, values: &[f64]) -> Vec<String> {
        let fitted = axis.fit(values.iter().copied());
        fitted.ticks.iter().map(|tick| fitted.name(*tick)).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_numbers() {
        let items = Axis::linear("items", Unit::Count);
        assert_eq!(ticks(&items, &[1000.0, 499_000.0]).last().unwrap(), "500k");
        assert_eq!(ticks(&items, &[1.0, 16.0])[..3], ["0", "5", "10"]);
        assert_eq!(ticks(&items, &[1.0, 13.0]), ["0", "3", "6", "9", "12", "15"]);
        let rate = Axis::log("rate", Unit::Rate);
        assert_eq!(
            ticks(&rate, &[0.0, 0.0012, 0.0009, 0.4]),
            ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"]
        );
        assert_eq!(ticks(&rate, &[0.011, 0.09]), ["1 %", "2 %", "5 %", "10 %"]);
        for values in [&[][..], &[0.0], &[f64::NAN, -1.0], &[7.0, 7.0]] {
            for axis in [&items, &rate] {
                let fitted = axis.fit(values.iter().copied());
                assert!(fitted.ticks.len() >= 2 && fitted.to > fitted.from, "{values:?}");
            }
        }
    }

    #[test]
    fn places_lie_between_the_ends() {
        let axis = Axis::log("rate", Unit::Rate);
        let fitted = axis.fit([1e-4, 1e-2].into_iter());
        assert!((fitted.place(1e-3) - 0.5).abs() < 1e-9);
        assert_eq!([fitted.place(0.0), fitted.place(1.0)], [0.0, 1.0]);
        assert!(fitted.shows(1e-9) && !fitted.shows(0.0));
        let names = Axis::names(["with", "without"]);
        let fitted = names.fit([0.0, 1.0].into_iter());
        assert_eq!((fitted.place(0.0), fitted.place(1.0)), (0.25, 0.75));
        assert_eq!(fitted.name(1.0), "without");
    }
}
