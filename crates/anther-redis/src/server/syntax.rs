//! The syntax of a command as `COMMAND DOCS` describes it, from the line that people read.
//!
//! `key error_rate:double [EXPANSION expansion:integer] [NONSCALING] item...`: words in lower case are
//! arguments, with their type after a colon; words in capitals are tokens; `|` separates
//! alternatives; brackets hold what is optional; dots mark what may be repeated.

/// An argument of a command.
#[derive(Debug, PartialEq)]
pub struct Part {
    pub name: String,
    pub form: Form,
    pub token: Option<String>,
    pub optional: bool,
    pub multiple: bool,
    pub parts: Vec<Part>,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Text,
    Integer,
    Double,
    Key,
    Token,
    OneOf,
    Block,
}

/// The arguments that a line describes.
pub fn parse(line: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (piece, optional, after) = match rest.strip_prefix('[') {
            Some(inside) => match inside.split_once(']') {
                Some((piece, after)) => (piece, true, after),
                None => (inside, true, ""),
            },
            None => {
                let (piece, after) = rest.split_once(' ').unwrap_or((rest, ""));
                (piece, false, after)
            }
        };
        parts.push(Part { optional, ..group(piece.trim()) });
        rest = after.trim();
    }
    parts
}

/// What is in a pair of brackets, or a word.
fn group(piece: &str) -> Part {
    if piece.contains('|') {
        let parts: Vec<_> = piece.split('|').map(|choice| group(choice.trim())).collect();
        let name = parts.first().map_or(String::new(), |part| part.name.clone());
        return Part { name, parts, ..empty(Form::OneOf) };
    }
    let words: Vec<_> = piece.split(' ').collect();
    match words.as_slice() {
        [one] => word(one),
        // A token and its value are one argument.
        [token, value] if is_token(token) => {
            Part { token: Some((*token).to_string()), ..word(value) }
        }
        many => {
            let parts: Vec<_> = many.iter().copied().map(word).collect();
            let name = parts.first().map_or(String::new(), |part| part.name.clone());
            Part { name, parts, ..empty(Form::Block) }
        }
    }
}

fn word(word: &str) -> Part {
    let (word, multiple) = match word.strip_suffix("...") {
        Some(word) => (word, true),
        None => (word, false),
    };
    if is_token(word) {
        let (name, token) = (word.to_lowercase(), Some(word.to_string()));
        return Part { name, token, multiple, ..empty(Form::Token) };
    }
    let (name, form) = match word.split_once(':') {
        Some((name, "integer")) => (name, Form::Integer),
        Some((name, "double")) => (name, Form::Double),
        Some((name, "key")) => (name, Form::Key),
        Some((name, _)) => (name, Form::Text),
        None if word == "key" => (word, Form::Key),
        None => (word, Form::Text),
    };
    Part { name: name.to_string(), multiple, ..empty(form) }
}

fn is_token(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
}

fn empty(form: Form) -> Part {
    Part { name: String::new(), form, token: None, optional: false, multiple: false, parts: vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_people_read_it() {
        let parts = parse("key error:double [EXPANSION factor:integer] [A|B] [NONSCALING] item...");
        let names: Vec<_> = parts.iter().map(|part| (part.name.as_str(), part.form)).collect();
        assert_eq!(
            names,
            [
                ("key", Form::Key),
                ("error", Form::Double),
                ("factor", Form::Integer),
                ("a", Form::OneOf),
                ("nonscaling", Form::Token),
                ("item", Form::Text),
            ]
        );
        assert_eq!(parts[2].token.as_deref(), Some("EXPANSION"));
        assert!(parts[2].optional && !parts[1].optional);
        assert_eq!(parts[3].parts.len(), 2);
        assert!(parts[5].multiple);
    }
}
