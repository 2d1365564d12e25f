//! The tables of docs/uses.md: the claims of each demonstration, as it printed them.

use std::fmt::Write as _;

use super::records::{Records, USES, spoken};

pub const PAGE: &str = "docs/uses.md";

/// The page with every block between `<!-- numbers: USE -->` and `<!-- end -->` made anew. `when` is
/// the day and the machine.
pub fn renew(page: &str, records: &Records) -> Result<String, String> {
    let (mut text, mut rest) = (String::new(), page);
    while let Some((before, after)) = rest.split_once("<!-- numbers: ") {
        let (name, after) = after.split_once(" -->").ok_or("a block has no name")?;
        let (_, after) = after.split_once("<!-- end -->").ok_or(format!("{name} does not end"))?;
        let block = if name == "when" { when(records)? } else { claims(name, records)? };
        let _ = write!(text, "{before}<!-- numbers: {name} -->\n{block}<!-- end -->");
        rest = after;
    }
    Ok(text + rest)
}

fn when(records: &Records) -> Result<String, String> {
    let remark = &records.table(USES)?.remark;
    let (day, machine) = remark.split_once(", ").ok_or(format!("{USES}: no day and machine"))?;
    Ok(format!("The numbers are of {}, {machine}.\n", spoken(day)))
}

fn claims(name: &str, records: &Records) -> Result<String, String> {
    let table = records.table(USES)?;
    let mut text = "| Claim | Predicted | Notices | Measured |\n|---|---:|---:|---:|\n".to_owned();
    let mut rows = 0;
    for row in table.rows.iter().filter(|row| row[0] == name) {
        let [_, claim, predicted, notices, measured, again] = &row[..] else {
            return Err(format!("{USES}: {row:?} has other columns"));
        };
        let mark = if again == "seeded" { "" } else { "*" };
        let claim = claim.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| {claim} | {mark}{predicted}{mark} | {notices} | {mark}{measured}{mark} |"
        );
        rows += 1;
    }
    if rows == 0 {
        return Err(format!("{USES} has no claims of {name}"));
    }
    Ok(text)
}
