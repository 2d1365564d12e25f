//! The worked example of text [2]: ten bits, three hash functions, the set {2, 4, 9}.
//!
//! The text says that 5 is absent because position 2 is 0. Position 2 is 1, and position 5 is 0; the
//! text's answer is right all the same.

use super::ledger::{DELETING, EXAMPLE, Ledger};
use super::stage::Stage;
use crate::draw::scene::{Answer, Step, Wrong};
use crate::draw::{self, Act, Worked};
use crate::error::Error;

/// The part.
pub fn run(stage: &mut Stage, ledger: &mut Ledger) -> Result<(), Error> {
    stage.say("Ten bits. The key x sets the bits x, 2x+3 and 3x+7, each modulo 10.\n")?;
    let acts = Act::in_order(&[2, 4, 9], &[4, 5, 12], &[9]);
    let scene = Worked { acts, ..draw::example()? }.scene()?;
    let page = stage.page;
    page.steps(&scene).iter().try_for_each(|line| stage.say(line))?;

    // Each key is looked up before and after 9 is removed.
    let asked = |key: &'static str| scene.steps.iter().filter(move |step| is_query(step, key));
    let first = |key: &'static str| asked(key).next();
    let (four, five) = (answer(first("4")), answer(first("5")));
    let right = four == Some(Answer::Maybe) && five == Some(Answer::No);
    ledger.claim(EXAMPLE, "4 may be in the set, 5 is certainly not", &said(&[four, five]), right);
    let twelve = first("12");
    let wrong = twelve.is_some_and(|step| step.wrong == Some(Wrong::FalsePositive));
    ledger.claim(EXAMPLE, "12 is a false positive", &said(&[answer(twelve)]), wrong);
    let four = answer(asked("4").next_back());
    let gone = four == Some(Answer::No);
    ledger.claim(DELETING, "clearing 9's bits also removes 4", &said(&[four]), gone);
    stage.say("\nSo a classic filter cannot remove keys: several keys share a bit.")
}

fn is_query(step: &Step, key: &str) -> bool {
    step.answer.is_some() && step.key.as_deref() == Some(key)
}

fn answer(step: Option<&Step>) -> Option<Answer> {
    step.and_then(|step| step.answer)
}

fn said(answers: &[Option<Answer>]) -> String {
    let word = |answer: &Option<Answer>| answer.map_or("not asked", Answer::name);
    answers.iter().map(word).collect::<Vec<_>>().join(", ")
}
