//! What happens to a filter that is drawn: keys are inserted, looked up and removed, in any order.

/// Something that happens to a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act<K> {
    /// The key is inserted.
    Insert(K),
    /// The key is looked up.
    Query(K),
    /// The key is removed.
    Remove(K),
}

impl<K> Act<K> {
    /// Its key.
    pub fn key(&self) -> &K {
        match self {
            Act::Insert(key) | Act::Query(key) | Act::Remove(key) => key,
        }
    }

    /// The key, if it is inserted.
    pub fn inserted(&self) -> Option<&K> {
        match self {
            Act::Insert(key) => Some(key),
            Act::Query(_) | Act::Remove(_) => None,
        }
    }

    /// The key, if it is looked up.
    pub fn queried(&self) -> Option<&K> {
        match self {
            Act::Query(key) => Some(key),
            Act::Insert(_) | Act::Remove(_) => None,
        }
    }

    /// Whether the key is removed.
    pub fn removes(&self) -> bool {
        matches!(self, Act::Remove(_))
    }
}

impl<K: Clone> Act<K> {
    /// The order of the verb `draw`: inserts, lookups, removals, and then the lookups once more,
    /// where keys were removed.
    pub fn in_order(inserts: &[K], queries: &[K], removes: &[K]) -> Vec<Act<K>> {
        let asked = || queries.iter().cloned().map(Act::Query);
        let mut acts: Vec<Act<K>> = inserts.iter().cloned().map(Act::Insert).collect();
        acts.extend(asked());
        acts.extend(removes.iter().cloned().map(Act::Remove));
        if !removes.is_empty() {
            acts.extend(asked());
        }
        acts
    }
}

/// Who looks at the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Somebody who gave options to the program: messages name them. A static kind is built once,
    /// before the first lookup.
    #[default]
    Program,
    /// Somebody at the page: each act is a step. A static kind is built again with every key, and a
    /// kind that cannot remove keys says so in the step.
    Page,
}

impl Audience {
    /// What to do if the filter is too large.
    pub fn smaller_filter(self) -> &'static str {
        match self {
            Audience::Program => "use fewer --items or a higher --fpr",
            Audience::Page => "make it for fewer keys, or for a higher false-positive rate",
        }
    }

    /// What to do if the scene is too long.
    pub fn shorter_scene(self) -> &'static str {
        match self {
            Audience::Program => "fewer keys, or fewer --items",
            Audience::Page => "fewer keys, or a filter for fewer keys",
        }
    }

    /// What the number of cells of a worked example is called, its hash functions, and what to do if
    /// it is too long.
    pub fn worked(self) -> [&'static str; 3] {
        match self {
            Audience::Program => ["--bits", "--hash", "fewer keys, or fewer --bits"],
            Audience::Page => ["cells", "formulas", "fewer keys, or fewer cells"],
        }
    }

    /// Why a key of a kind with values is rejected.
    pub fn needs_value(self) -> &'static str {
        match self {
            Audience::Program => "needs a value, a whole number: --insert key=7",
            Audience::Page => "needs a value, a whole number, such as key=7",
        }
    }
}
