//! Random patterns and options.

use super::numbers::Numbers;
use super::world::World;

/// The arguments of a search, in a form that both programs take.
pub fn arguments(numbers: &mut Numbers, world: &World) -> Vec<String> {
    let mut arguments = Vec::new();
    let fixed = numbers.once_in(6);
    for _ in 0..if numbers.once_in(5) { 1 + numbers.below(3) } else { 1 } {
        let pattern = match fixed {
            true => piece(numbers, world, 12),
            false => pattern(numbers, world),
        };
        arguments.push(format!("-e{pattern}"));
    }
    let mut option = |yes: bool, text: String| {
        if yes {
            arguments.push(text);
        }
    };
    option(fixed, "-F".into());
    let case = numbers.one(&["", "", "", "-i", "-i", "-S"]);
    option(!case.is_empty(), case.into());
    let boundary = numbers.one(&["", "", "", "", "-w", "-w", "-x"]);
    option(!boundary.is_empty(), boundary.into());
    option(numbers.once_in(15), "-v".into());
    let context = numbers.one(&["", "", "", "", "-A", "-B", "-C", "-C"]);
    option(!context.is_empty(), format!("{context}{}", numbers.below(5)));
    option(numbers.once_in(50), "-C400".into());
    option(numbers.once_in(10), format!("-m{}", 1 + numbers.below(3)));
    match numbers.below(12) {
        0 | 1 => option(true, "-l".into()),
        2 => option(true, "-c".into()),
        3 => option(true, "--files-without-match".into()),
        4 | 5 => option(true, "--json".into()),
        6 => option(true, "-q".into()),
        _ => {
            option(numbers.once_in(3), "-o".into());
            option(numbers.once_in(12), "-c".into());
        }
    }
    let line_number = numbers.one(&["", "", "-n", "-N"]);
    option(!line_number.is_empty(), line_number.into());
    let heading = numbers.one(&["", "", "", "--heading", "--no-heading", "--color=always"]);
    option(!heading.is_empty(), heading.into());
    let names = numbers.one(&["", "", "", "-H", "-I", "-0"]);
    option(!names.is_empty(), names.into());
    arguments
}

/// A piece of a line that is there, or that is not.
fn piece(numbers: &mut Numbers, world: &World, most: usize) -> String {
    let line = world.line(numbers);
    let letters: Vec<char> = line.chars().collect();
    let start = numbers.below(letters.len() + 1);
    let len = 1 + numbers.below(most);
    let mut piece: String = letters[start..].iter().take(len).collect();
    if numbers.once_in(10) {
        piece.push_str("zq");
    }
    if numbers.once_in(6) {
        piece = piece.to_uppercase();
    }
    piece.replace(['\0', '\n', '\u{FEFF}'], "")
}

/// A literal, as a regular expression.
fn literal(numbers: &mut Numbers, world: &World) -> String {
    let most = 3 + numbers.below(14);
    let piece = piece(numbers, world, most);
    let special = |letter: char| r"\.+*?()|[]{}^$#&-~".contains(letter);
    piece
        .chars()
        .flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter]))
        .collect()
}

fn pattern(numbers: &mut Numbers, world: &World) -> String {
    let text = |numbers: &mut Numbers| literal(numbers, world);
    match numbers.below(16) {
        0..=3 => text(numbers),
        4 => format!("{}|{}", text(numbers), text(numbers)),
        5 => format!("{}.*{}", text(numbers), text(numbers)),
        6 => format!("(?i){}", text(numbers)),
        7 => format!("(?:{}|{}){}", text(numbers), text(numbers), text(numbers)),
        8 => format!("{}{}{}", text(numbers), class(numbers), text(numbers)),
        9 => format!("({}){}", text(numbers), numbers.one(&["?", "+", "*", "{2}", "{1,}"])),
        10 => format!("^{}", text(numbers)),
        11 => format!("{}$", text(numbers)),
        12 => format!(r"\b{}\b", text(numbers)),
        13 => format!("{}{}", class(numbers), text(numbers)),
        14 => numbers
            .one(&[
                "",
                "^$",
                r"\d{3}",
                "e",
                r"\s+$",
                "[[:upper:]]{4}",
                r"(?-u:\xC3)",
                ".{90}",
                "zqzqzq",
            ])
            .to_string(),
        _ => format!("(?:{}(?i:{}))|{}", text(numbers), text(numbers), text(numbers)),
    }
}

fn class(numbers: &mut Numbers) -> &'static str {
    numbers.one(&[
        "[a-z]", ".", "[ek]", r"\d", r"\w+", "(?i:k)", "[^e]", "(?i:s)?", "[äÄ]", r"\s",
        r"(?-u:.)", "[sSkK]*", r"\p{Lu}",
    ])
}
