//! The characters that a chart or a drawing on a terminal is made of.

/// The characters that a chart or a drawing on a terminal is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pen {
    /// Blocks and other marks of Unicode.
    Blocks,
    /// For terminals that might not show those.
    Ascii,
}

impl Pen {
    /// For a terminal that shows Unicode, or does not.
    pub fn new(unicode: bool) -> Pen {
        if unicode { Pen::Blocks } else { Pen::Ascii }
    }
}
