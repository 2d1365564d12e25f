//! A filter in a file, with the cells that keys have in it.

use super::explain::{self, Moment};
use super::look::{self, Involved, Look, owners};
use super::scene::{Action, Answer, Scene, Step};
use crate::error::Error;
use anther::{AnyFilter, Filter, Inspect, KeyHash};
use std::ops::Range;

/// A filter to look at.
pub struct Stored<'a> {
    /// The name of its file, as it is shown.
    pub name: &'a str,
    /// The filter itself.
    pub filter: &'a AnyFilter,
    /// The keys whose cells are shown, as they are shown, with their hashes.
    pub keys: &'a [(String, KeyHash)],
    /// Which cells of each row; all of them by default.
    pub cells: Option<&'a Range<u64>>,
}

impl Stored<'_> {
    /// A step for each key, or one without any.
    pub fn scene(&self) -> Result<Scene, Error> {
        let Stored { name, filter, keys, cells } = *self;
        let look = Look::at(filter, cells).map_err(|error| {
            let more = "anther info tells of it, and --cells 0..512 draws a part";
            Error::about(name, format_args!("{error}; {more}"))
        })?;
        if look.cells() == 0 {
            let cause = "has no such cells; leave --cells out to see how many there are";
            return Err(Error::about(name, cause));
        }
        look::check_length(keys.len() as u64, look.cells() as u64, "fewer keys, or --cells")?;
        let hashes: Vec<KeyHash> = keys.iter().map(|(_, hash)| *hash).collect();
        let owners = owners(filter, &hashes);
        let step = |(key, hash): &(String, KeyHash)| {
            let touches = filter.touches(*hash);
            let found = filter.contains_hash(*hash);
            let involved = Involved {
                touches: &touches,
                in_order: true,
                before: None,
                owners: owners.clone(),
                is_no: !found,
            };
            let (rows, drawn) = look.drawn(&involved);
            let moment =
                Moment { filter, before: &look, now: &look, key: *hash, touches: &touches };
            let outside = touches.iter().filter(|touch| {
                !look.leaves_out(touch.row) && look.value(touch.row, touch.cell).is_none()
            });
            let outside = explain::distinct(outside.map(|touch| touch.cell));
            let mut note = moment.asked(found);
            match &outside[..] {
                [] => {}
                [one] => note += &format!("; its cell {one} is outside what is drawn"),
                _ => {
                    let cells = explain::list(&outside);
                    note += &format!("; its cells {cells} are outside what is drawn");
                }
            }
            let mut step = Step {
                key: Some(key.clone()),
                note,
                answer: Some(Answer::of(found)),
                rows,
                touches: drawn,
                ..Step::new(Action::Query, &format!("query {key}"))
            };
            step.mark_found(moment.tag_cell().filter(|_| found));
            step
        };
        let mut steps: Vec<Step> = keys.iter().map(step).collect();
        if steps.is_empty() {
            let (rows, touches) = look.drawn(&Involved::default());
            steps.push(Step { rows, touches, ..Step::new(Action::Look, "as it is") });
        }
        Ok(Scene {
            title: format!("{name}: {}, {}", filter.kind(), look::own_cells(filter)),
            about: explain::about(filter.kind()).to_string(),
            steps,
        })
    }
}
