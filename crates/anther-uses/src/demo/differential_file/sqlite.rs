//! A SQLite database through the program `sqlite3`, over a pipe.

use crate::demo::NotRun;
use crate::differential_file::{Base, Changes};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A table of a database, in a process that answers line by line. The process ends when its input
/// does, so also when this one is killed.
#[derive(Debug)]
pub(super) struct Sqlite {
    child: Child,
    queries: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Quoted: the table, its key and its value.
    pub(super) names: [String; 3],
}

impl Sqlite {
    /// Opens a table by the names of it, of its key and of its value.
    pub(super) fn open(
        path: &Path,
        names: [&str; 3],
        writable: bool,
    ) -> Result<Sqlite, Box<dyn Error>> {
        let mut command = Command::new("sqlite3");
        // The user's settings would change the output. The first error ends the process.
        command.args(["-batch", "-bail", "-init", "/dev/null"]);
        if !writable {
            command.arg("-readonly");
        }
        // A path that begins with a dash would be an option.
        command.arg(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                NotRun("there is no program sqlite3; install SQLite".to_string()).into()
            }
            _ => Box::<dyn Error>::from(error),
        })?;
        let (Some(queries), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("sqlite3 has no pipes".into());
        };
        let names = names.map(|name| format!("\"{}\"", name.replace('"', "\"\"")));
        Ok(Sqlite { child, queries, answers: BufReader::new(answers), names })
    }

    /// Runs statements without an answer.
    pub(super) fn execute(&mut self, statements: &str) -> io::Result<()> {
        writeln!(self.queries, "{statements}\nSELECT '-';")?;
        match self.answer()? {
            None => Ok(()),
            Some(_) => Err(io::Error::other("sqlite3 answered where it should not")),
        }
    }

    /// Checks that the table and its columns exist. SQLite takes a quoted name that is no column for a
    /// text, but not after the name of a table.
    pub(super) fn check(&mut self) -> io::Result<()> {
        let [table, key, value] = &self.names;
        let columns = format!("SELECT {table}.{key}, {table}.{value} FROM {table} LIMIT 0;");
        self.execute(&columns)
    }

    /// The first keys of the table, as text.
    pub(super) fn keys(&mut self, most: usize) -> io::Result<Vec<String>> {
        let [table, key, _] = &self.names;
        let text = format!("'x'||hex(CAST({key} AS TEXT))");
        let rows = format!("SELECT {text} FROM {table} WHERE {key} IS NOT NULL LIMIT {most};");
        writeln!(self.queries, "{rows}\nSELECT '-';")?;
        let mut keys = Vec::new();
        while let Some(key) = self.answer()? {
            keys.push(key);
        }
        Ok(keys)
    }

    /// The next line of output: `x` and text in hexadecimal, or `-` for no text.
    fn answer(&mut self) -> io::Result<Option<String>> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            let mut message = String::new();
            if let Some(errors) = &mut self.child.stderr {
                errors.read_to_string(&mut message)?;
            }
            return Err(io::Error::other(format!("sqlite3: {}", message.trim())));
        }
        let Some(digits) = line.trim_end().strip_prefix('x') else { return Ok(None) };
        let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Some).ok_or_else(|| io::Error::other("sqlite3: a record is not UTF-8"))
    }
}

/// Text as SQL has it. As a blob, so that no character of it means anything to the shell.
fn quoted(text: &str) -> String {
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("CAST(x'{digits}' AS TEXT)")
}

impl Base for Sqlite {
    fn read(&mut self, key: &str) -> io::Result<Option<String>> {
        let [table, column, value] = &self.names;
        let row = format!("SELECT 'x'||hex({value}) FROM {table} WHERE {column}={}", quoted(key));
        writeln!(self.queries, "SELECT coalesce(({row}), '-');")?;
        self.answer()
    }

    fn apply(&mut self, changes: &Changes) -> io::Result<()> {
        let [table, column, value] = self.names.clone();
        let mut statements = "BEGIN;\n".to_string();
        for (key, new) in changes {
            let key = quoted(key);
            statements.push_str(&match new {
                Some(new) => format!(
                    "REPLACE INTO {table} ({column}, {value}) VALUES ({key}, {});\n",
                    quoted(new)
                ),
                None => format!("DELETE FROM {table} WHERE {column}={key};\n"),
            });
        }
        self.execute(&(statements + "COMMIT;"))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
