//! All mutants in one build, each behind a switch.
//!
//! A function with mutants gets a copy of its body for each of them, and picks one when it is
//! called: `{ if on(7) { mutated } else { as it was } }`. So the library and its twenty programs of
//! tests are compiled once, in minutes, where `cargo mutants` compiles them for every mutant: 6 s of
//! CPU for the unit tests alone, before the first one runs. And a test that does not reach a mutant
//! cannot notice it, which `cargo mutants` has no way to know: most mutants are caught within a
//! second.
//!
//! The text of a mutant is that of cargo-mutants: of 1,878 of them, each equals its diff.

use std::collections::{BTreeMap, HashSet};

use crate::list::{Mutant, Place, Span};

/// The module of the switch, in the copied library.
pub const MODULE: &str = "mutant_switch";

/// Goes before the first line of the library: a `const fn` asks the switch, too, when it is called
/// at run time.
pub const FEATURES: &str =
    "#![allow(internal_features)] #![feature(core_intrinsics, const_eval_select)] ";

/// Which mutant is on is read from the environment. Without one, every mutant that is reached is
/// written to a file, so that tests which do not reach it need not be run.
pub fn module(count: usize) -> String {
    format!(
        r#"
use std::io::Write;
use std::sync::atomic::{{AtomicBool, AtomicU32, Ordering::Relaxed}};

const UNREAD: u32 = 0;
const RECORDED: u32 = u32::MAX;
static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; {size}] = [const {{ AtomicBool::new(false) }}; {size}];

#[inline]
pub const fn on(mutant: u32) -> bool {{
    core::intrinsics::const_eval_select((mutant,), when_compiled, when_called)
}}

const fn when_compiled(_: u32) -> bool {{ false }}

#[inline]
fn when_called(mutant: u32) -> bool {{
    let chosen = CHOSEN.load(Relaxed);
    chosen == mutant || (chosen == UNREAD || chosen == RECORDED) && reached(mutant, chosen)
}}

#[cold]
fn reached(mutant: u32, chosen: u32) -> bool {{
    if chosen == UNREAD {{
        let chosen = std::env::var("{chosen}").ok().and_then(|text| text.parse().ok());
        CHOSEN.store(chosen.unwrap_or(RECORDED), Relaxed);
        if chosen.is_some() {{
            return chosen == Some(mutant);
        }}
    }}
    if !REACHED[mutant as usize].load(Relaxed) && !REACHED[mutant as usize].swap(true, Relaxed) {{
        if let Some(path) = std::env::var_os("{reached}") {{
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let _ = file.and_then(|mut file| file.write_all(format!("{{mutant}}\n").as_bytes()));
        }}
    }}
    false
}}
"#,
        size = count + 1,
        chosen = CHOSEN,
        reached = REACHED,
    )
}

/// The variable that has the number of the mutant that is on.
pub const CHOSEN: &str = "ANTHER_MUTANT";
/// The variable that has the file to which reached mutants are written.
pub const REACHED: &str = "ANTHER_MUTANTS_REACHED";

/// A file with switches, and the lines on which each mutant's copy is.
pub struct Switched {
    pub text: String,
    pub lines: Vec<(usize, usize, u32)>,
}

/// Puts the mutants of one file behind switches, by their numbers.
pub fn switched(source: &str, mutants: &[(u32, &Mutant)]) -> Result<Switched, String> {
    let source = Source::new(source);
    let mut by_function: BTreeMap<(usize, usize), Vec<(u32, &Mutant)>> = BTreeMap::new();
    let functions: Vec<Span> = outermost(mutants);
    for (number, mutant) in mutants {
        let function = functions.iter().find(|function| function.holds(&mutant.function));
        let function = function.ok_or("a mutant outside its function")?;
        let (open, close) = source
            .body(function)
            .ok_or_else(|| format!("{}: found no body of its function", mutant.name))?;
        by_function.entry((open, close)).or_default().push((*number, mutant));
    }

    let mut text = String::new();
    let mut lines = Vec::new();
    let mut done = 0;
    for ((open, close), mutants) in by_function {
        text += &source.part(done, open + 1);
        for (number, mutant) in mutants {
            text += &format!(" if crate::{MODULE}::on({number}) {{\n");
            let first = text.matches('\n').count() + 1;
            let (start, end) = (source.at(mutant.span.start), source.at(mutant.span.end));
            text += &source.part(open + 1, start);
            // A space, as `-` before `-` would be a comment's beginning in other languages, and `&`
            // before `&` another operator in this one.
            text += &format!(" {} ", mutant.replacement);
            text += &source.part(end, close);
            lines.push((first, text.matches('\n').count() + 1, number));
            text += "\n} else ";
        }
        text += "{";
        text += &source.part(open + 1, close);
        text += "} }";
        done = close + 1;
    }
    text += &source.part(done, source.characters.len());
    Ok(Switched { text, lines })
}

/// The functions that are in no other function with mutants.
fn outermost(mutants: &[(u32, &Mutant)]) -> Vec<Span> {
    let all: Vec<Span> = mutants.iter().map(|(_, mutant)| mutant.function).collect();
    let inside = |span: &Span| all.iter().any(|other| other != span && other.holds(span));
    all.iter().filter(|span| !inside(span)).copied().collect()
}

/// A text by characters, since columns count those.
struct Source {
    characters: Vec<char>,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl Source {
    fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let ends = characters.iter().enumerate().filter(|(_, c)| **c == '\n');
        let lines = [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect();
        Self { characters, lines }
    }

    fn at(&self, place: Place) -> usize {
        self.lines[place.line - 1] + place.column - 1
    }

    fn part(&self, start: usize, end: usize) -> String {
        self.characters[start..end].iter().collect()
    }

    /// The braces around a function's body: the last closes in its span, and the one that it closes.
    fn body(&self, function: &Span) -> Option<(usize, usize)> {
        let (start, end) = (self.at(function.start), self.at(function.end));
        let close = end.checked_sub(1).filter(|at| self.characters[*at] == '}')?;
        let literals = self.literals(start, end);
        let mut open = Vec::new();
        for at in (start..close).filter(|at| !literals.contains(at)) {
            match self.characters[at] {
                '{' => open.push(at),
                '}' => _ = open.pop()?,
                _ => {}
            }
        }
        open.first().filter(|_| open.len() == 1).map(|open| (*open, close))
    }

    /// The characters of comments, strings and character literals, whose braces are none.
    fn literals(&self, start: usize, end: usize) -> HashSet<usize> {
        let text = &self.characters[..end];
        let starts_with = |at: usize, what: &str| {
            what.chars().enumerate().all(|(index, c)| text.get(at + index) == Some(&c))
        };
        let find = |from: usize, what: &str| {
            (from..end).find(|at| starts_with(*at, what)).map_or(end, |at| at + what.len())
        };
        let mut literals = HashSet::new();
        let mut at = start;
        while at < end {
            let next = if starts_with(at, "//") {
                find(at, "\n")
            } else if starts_with(at, "/*") {
                find(at + 2, "*/")
            } else if let Some(hashes) = self.raw_string(at, end) {
                find(at + hashes + 2, &format!("\"{}", "#".repeat(hashes)))
            } else if text[at] == '"' {
                let mut inside = at + 1;
                while inside < end && text[inside] != '"' {
                    inside += if text[inside] == '\\' { 2 } else { 1 };
                }
                inside + 1
            } else if text[at] == '\'' && text.get(at + 1) == Some(&'\\') {
                find(at + 3, "'")
            } else if text[at] == '\'' && text.get(at + 2) == Some(&'\'') {
                at + 3
            } else {
                at += 1;
                continue;
            };
            literals.extend(at..next);
            at = next;
        }
        literals
    }

    /// How many `#` the raw string has that begins here: `r#"`, but no raw name and no end of a
    /// name, as in `for"`.
    fn raw_string(&self, at: usize, end: usize) -> Option<usize> {
        let before = at.checked_sub(1).map(|before| self.characters[before]);
        let in_a_name = before.is_some_and(|c| c != 'b' && (c.is_alphanumeric() || c == '_'));
        if self.characters[at] != 'r' || in_a_name {
            return None;
        }
        let hashes = self.characters[at + 1..end].iter().take_while(|c| **c == '#').count();
        (self.characters.get(at + 1 + hashes) == Some(&'"')).then_some(hashes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn f(a: u8) -> u8 {\n    // é {\n    let b = '{'; let c = \"}\\\"{\";\n    a + 1\n}\nfn g() {}\n";

    fn mutant(function: (usize, usize), at: (usize, usize, usize), replacement: &str) -> Mutant {
        let span = |start, end| Span { start, end };
        let place = |line, column| Place { line, column };
        Mutant {
            name: String::new(),
            folder: "parts",
            file: String::new(),
            line: at.0,
            function: span(place(function.0, 1), place(function.1, 2)),
            span: span(place(at.0, at.1), place(at.0, at.2)),
            replacement: replacement.to_owned(),
        }
    }

    #[test]
    fn each_mutant_has_a_copy_and_the_last_is_as_it_was() {
        let plus = mutant((1, 5), (4, 7, 8), "-");
        let one = mutant((1, 5), (4, 9, 10), "0");
        let switched = switched(TEXT, &[(7, &plus), (9, &one)]).unwrap();
        let body = |sum: &str| {
            TEXT.split_once('{')
                .unwrap()
                .1
                .split_once("\nfn")
                .unwrap()
                .0
                .trim_end_matches('}')
                .replace("a + 1", sum)
        };
        let wanted = format!(
            "fn f(a: u8) -> u8 {{ if crate::mutant_switch::on(7) {{\n{}\n}} else  if \
             crate::mutant_switch::on(9) {{\n{}\n}} else {{{}}} }}\nfn g() {{}}\n",
            body("a  -  1"),
            body("a +  0 "),
            body("a + 1"),
        );
        assert_eq!(switched.text, wanted);
        let lines: Vec<&str> = switched.text.lines().collect();
        for ((first, last, number), sum) in switched.lines.iter().zip(["a  -  1", "a +  0 "]) {
            let copy = lines[first - 1..*last].join("\n");
            assert!(copy.contains(sum) && !copy.contains("a + 1\n"), "{number}: {copy}");
        }
    }

    #[test]
    fn a_function_in_a_function_is_copied_with_the_outer_one() {
        let text = "fn f() -> u8 {\nfn g() -> u8 {\n1\n}\ng() + 2\n}\n";
        let inner = mutant((2, 4), (3, 1, 2), "0");
        let outer = mutant((1, 6), (5, 5, 6), "-");
        let switched = switched(text, &[(1, &inner), (2, &outer)]).unwrap();
        assert_eq!(switched.text.matches("fn f()").count(), 1);
        assert_eq!(switched.text.matches("fn g()").count(), 3);
    }

    #[test]
    fn braces_in_raw_strings_and_after_lifetimes_are_told_apart() {
        let text = "fn f<'a>(b: &'a str) -> &'a str {\nlet c = br#\"}\"{\"#; r\"{\"\n}\n";
        let source = Source::new(text);
        let function = mutant((1, 3), (1, 1, 2), "").function;
        let (open, close) = source.body(&function).unwrap();
        assert_eq!((source.part(open - 2, open + 1).as_str(), close), ("r {", text.len() - 2));
    }
}
