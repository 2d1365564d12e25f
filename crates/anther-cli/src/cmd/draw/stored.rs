//! A filter in a file, with the cells that keys have in it.

use super::explain::{self, Moment};
use super::look::{self, Involved, Look, owners};
use super::made::shown;
use super::scene::{Action, Answer, Scene, Step};
use crate::exit::Stop;
use crate::file;
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use anther::{AnyFilter, Filter, Inspect, KeyHash, Open};
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

/// A filter to look at.
pub struct Stored<'a> {
    /// Its file.
    pub path: &'a Path,
    /// The keys whose cells are shown.
    pub keys: &'a [OsString],
    /// Which cells of each row; all where nobody says.
    pub cells: Option<&'a Range<u64>>,
    /// Where its secret key is.
    pub key: &'a KeyArgs,
    /// How keys are taken from arguments, where the file does not say.
    pub recipe: &'a RecipeArgs,
}

impl Stored<'_> {
    /// A step for each key, or one without any.
    pub fn scene(&self) -> Result<Scene, Stop> {
        // The cells alone are no secret.
        let how = match self.keys {
            [] => Open::new().without_hashing(),
            _ => self.key.open(self.path)?,
        };
        let filter = file::open(self.path, how)?;
        let look = Look::at(&filter, self.cells).map_err(|error| match error {
            Stop::Error(message) => Stop::about(
                self.path.display(),
                format_args!("{message}; anther info tells of it, and --cells 0..512 draws a part"),
            ),
            other => other,
        })?;
        if look.cells() == 0 {
            let cause = "has no such cells; leave --cells out to see how many there are";
            return Err(Stop::about(self.path.display(), cause));
        }
        look::check_length(self.keys.len() as u64, look.cells() as u64, "fewer keys, or --cells")?;
        let keys = self.keys(&filter)?;
        let hashes: Vec<KeyHash> = keys.iter().map(|(_, hash)| *hash).collect();
        let owners = owners(&filter, &hashes);
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
            let moment = Moment {
                filter: &filter,
                before: &look,
                now: &look,
                key: *hash,
                touches: &touches,
            };
            let outside =
                touches.iter().filter(|touch| look.value(touch.row, touch.cell).is_none());
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
        let path = shown(self.path.as_os_str().as_encoded_bytes());
        Ok(Scene {
            title: format!("{path}: {}, {}", filter.kind(), look::own_cells(&filter)),
            about: explain::about(filter.kind()).to_string(),
            steps,
        })
    }

    /// The keys as they are shown, and their hashes, taken as `check` takes them.
    fn keys(&self, filter: &AnyFilter) -> Result<Vec<(String, KeyHash)>, Stop> {
        let own = filter.about().recipe.as_ref();
        let recipe = self.recipe.recipe_for(self.path.display(), own)?;
        let mut taken = recipe.keys();
        let mut keys = Vec::new();
        for argument in self.keys {
            let bytes = argument.as_encoded_bytes();
            let key = taken
                .of_argument(bytes)
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            keys.push((shown(bytes), filter.seed().hash_bytes(key)));
        }
        Ok(keys)
    }
}
