//! The JSON of the vectors. Each entry is one line, so that a new one adds a line and changes none.

use std::fmt::{Display, Write as _};

/// An object under construction, on one line.
pub struct Object(String);

impl Object {
    pub fn new() -> Object {
        Object("{".to_string())
    }

    /// Text that needs no escapes.
    pub fn text(self, name: &str, value: impl Display) -> Object {
        self.raw(name, format!("\"{value}\""))
    }

    /// 64 bits as sixteen hexadecimal digits: numbers of JSON have 53.
    pub fn word(self, name: &str, value: u64) -> Object {
        self.text(name, format!("{value:016x}"))
    }

    /// A number, a list or an object, written already.
    pub fn raw(mut self, name: &str, value: impl Display) -> Object {
        let comma = if self.0.len() > 1 { "," } else { "" };
        // Writing to a string does not fail.
        let _ = write!(self.0, "{comma}\"{name}\":{value}");
        self
    }

    /// These names first, then what is here already.
    pub fn before(self, first: Object) -> Object {
        Object(format!("{},{}", first.0, self.0.trim_start_matches('{')))
    }

    pub fn end(self) -> String {
        self.0 + "}"
    }
}

pub fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(","))
}

pub fn words(items: impl IntoIterator<Item = u64>) -> String {
    list(items.into_iter().map(|item| format!("\"{item:016x}\"")))
}

/// A list with a line for each entry.
pub fn lines(name: &str, entries: &[String]) -> String {
    format!("\"{name}\":[\n{}\n]", entries.join(",\n"))
}
