//! Drawings of cells: what the verb `draw` makes of some options.

use super::{Effort, Made, Picture};
use crate::draw::scene::{Action, Scene, Step};
use crate::error::Error;
use crate::table::{Cell, Table};

/// A drawing, and which answers it should have: "4 maybe, 5 no".
pub fn drawn(effort: &Effort<'_>, options: &str, answers: &str) -> Result<Made, Error> {
    let scene = effort.program.draw(options)?;
    let mut table = Table::new(["step", "what", "cells", "answer"]);
    for (number, step) in (1..).zip(&scene.steps) {
        let answer = step.verdict().map_or(Cell::Empty, Cell::from);
        table.row([Cell::Count(number), Cell::from(&*step.title), Cell::from(&*row(step)), answer]);
    }
    let asked = scene.steps.iter().filter(|step| step.action == Action::Query);
    let said: Vec<String> = asked.filter_map(answer).collect();
    let mut made = Made { table, ..Made::default() };
    made.claim(format!("the answers are {answers}"), said.join(", ") == answers);
    made.notes.push(format!("The same, step by step: anther draw {options}"));
    made.pictures.push(("", Picture::Scene(scene)));
    Ok(made)
}

/// The worked example of Jambura et al., with a picture for each of its figures.
pub fn example(effort: &Effort<'_>) -> Result<Made, Error> {
    let options = "--bits 10 --hash x,2x+3,3x+7 --insert 2,4,9 --query 4,5,12";
    let mut made = drawn(effort, options, "4 maybe, 5 no, 12 maybe")?;
    let whole = made.pictures.pop();
    if let Some((_, Picture::Scene(scene))) = whole {
        let empty = scene.steps.iter().filter(|step| step.action == Action::Look);
        let inserts = scene.steps.iter().filter(|step| step.action == Action::Insert);
        let part = |steps: Vec<Step>| Picture::Scene(Scene { steps, ..scene.clone() });
        for (ending, step) in ["1", "2", "3", "4"].into_iter().zip(empty.chain(inserts)) {
            made.pictures.push((ending, part(vec![step.clone()])));
        }
        let asked = scene.steps.iter().filter(|step| step.action == Action::Query).cloned();
        made.pictures.push(("5", part(asked.collect())));
    }
    Ok(made)
}

/// The first row of cells, as the texts print them.
fn row(step: &Step) -> String {
    let cells = step.rows.iter().flat_map(|row| &row.cells);
    let cells: Vec<&str> =
        cells.map(|cell| if cell.text.is_empty() { "-" } else { &*cell.text }).collect();
    let wide = cells.iter().any(|cell| cell.chars().count() > 1);
    let text = cells.join(if wide { " " } else { "" });
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn answer(step: &Step) -> Option<String> {
    Some(format!("{} {}", step.key.as_deref()?, step.answer?.name()))
}
