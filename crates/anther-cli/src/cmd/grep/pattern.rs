//! What is searched for: ripgrep's matcher, and what a block must contain for it to match.

use crate::exit::Stop;
use anther_index::{Query, plan};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::{ParserBuilder, hir::Hir};

/// How capital letters are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// As they are.
    Sensitive,
    /// Not at all.
    Ignored,
    /// As they are if a pattern has one, and not at all otherwise.
    Smart,
}

/// What a match must reach to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Nothing.
    None,
    /// The ends of words.
    Word,
    /// The ends of the line.
    Line,
}

/// Patterns, of which one must match.
#[derive(Debug)]
pub struct Patterns<'a> {
    pub texts: &'a [String],
    pub is_fixed: bool,
    pub case: Case,
    pub boundary: Boundary,
}

impl Patterns<'_> {
    /// The matcher, configured as ripgrep does for a search by lines.
    pub fn matcher(&self) -> Result<RegexMatcher, Stop> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .fixed_strings(self.is_fixed)
            .case_insensitive(self.case == Case::Ignored)
            .case_smart(self.case == Case::Smart)
            .word(self.boundary == Boundary::Word)
            .whole_line(self.boundary == Boundary::Line)
            .line_terminator(Some(b'\n'))
            .dot_matches_new_line(false)
            // NUL bytes end lines in binary files, so no pattern finds them.
            .ban_byte(Some(b'\0'));
        builder.build_many(self.texts).map_err(|error| {
            let cause = error.to_string();
            let advice = match cause.contains("not allowed") {
                true => "; matches lie within a line",
                false => "",
            };
            Stop::about("PATTERN", format_args!("{cause}{advice}"))
        })
    }

    /// What a block must contain for a line of it to match.
    pub fn query(&self) -> Query {
        let trees: Option<Vec<Hir>> = self.texts.iter().map(|text| self.tree(text)).collect();
        // The matcher has accepted the patterns, so there are trees.
        trees.map_or(Query::All, |trees| plan(&trees))
    }

    /// The tree of a pattern, as the matcher parses it. Whether smart case ignores case is the
    /// matcher's to say: a plan that does is right for both.
    fn tree(&self, text: &str) -> Option<Hir> {
        let mut parser = ParserBuilder::new()
            .utf8(false)
            .multi_line(true)
            .case_insensitive(self.case != Case::Sensitive)
            .build();
        let text = if self.is_fixed { &regex_syntax::escape(text) } else { text };
        parser.parse(text).ok()
    }
}
