//! What the page can ask: a table from names to functions.
//!
//! `POST api/NAME` with a JSON body gets a JSON answer. A function runs on a thread of its own, may
//! panic, and must bound its work by its own limits: nothing can stop a thread. An error is shown to
//! the user, so it says what is wrong and what to do.

use crate::Error;
use crate::page::{attack, examples, fill, kinds, look, measure_now, plan, plot};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// From a body to an answer, both JSON.
pub type Function = fn(&[u8]) -> Result<Vec<u8>, Error>;

/// Every name, one per line.
const FUNCTIONS: &[(&str, Function)] = &[
    ("kinds", kinds::answer),
    // Plan.
    ("plan", plan::answer),
    ("plot", plot::answer),
    ("measure-now", measure_now::answer),
    // Look.
    ("look", look::answer),
    ("fill", fill::answer),
    ("examples", examples::answer),
    // Attack.
    ("attack", attack::answer),
];

/// The function of this name.
pub fn find(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

/// What the page asked.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| {
        Error::about("the request", format_args!("{error}; reload the page and try again"))
    })
}

/// The answer.
pub fn write(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(|error| Error::about("the answer", error))
}
