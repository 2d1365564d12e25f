//! Files of bench/records that grow by rows, each with its day and commit.

use std::fs::OpenOptions;
use std::io::Write as _;

use crate::call::Call;
use crate::workspace::Workspace;

/// A file and its first line.
pub struct Record {
    pub path: &'static str,
    pub heading: &'static str,
}

impl Record {
    /// Appends rows behind today's date and the commit, which says if files were changed.
    pub fn append(&self, workspace: &Workspace, rows: &[String]) -> Result<(), String> {
        let date = said(workspace, &Call::program("date").args(["-u", "+%F"]))?;
        let commit = Call::program("git").args(["describe", "--always", "--dirty", "--exclude=*"]);
        let commit = said(workspace, &commit)?;
        let path = workspace.root.join(self.path);
        let heading = if path.exists() { String::new() } else { format!("{}\n", self.heading) };
        let rows = rows.iter().map(|row| format!("{date},{commit},{row}\n"));
        let text = heading + &rows.collect::<String>();
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| format!("cannot write {}: {error}.", self.path))
    }
}

/// What a call prints, if it succeeds.
pub fn said(workspace: &Workspace, call: &Call) -> Result<String, String> {
    let output = call.output(workspace)?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{call}` ended with {}:\n{error}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
