//! A filter that keys are looked up in: in a file, of ours or of another system, shared with processes
//! that add to it, or on the web.

use crate::either_filter::EitherFilter;
use crate::exit::Stop;
#[cfg(feature = "http")]
use crate::http::WebFilter;
use crate::recipe_args::RecipeArgs;
use anther::recipe::{KeyRule, Recipe};
use anther::{KeyHash, Kind, Seed, SharedView};
use anther_records::extract::Extraction;
use std::path::Path;

/// A filter.
pub enum OneFilter {
    /// In memory.
    Here(EitherFilter),
    /// In a file that other processes add to at this moment.
    Shared(Box<SharedView>),
    /// On a web server.
    #[cfg(feature = "http")]
    Web(Box<WebFilter>),
}

impl OneFilter {
    /// How keys are hashed for it.
    pub fn seed(&self) -> Seed {
        match self {
            OneFilter::Here(filter) => filter.seed(),
            OneFilter::Shared(view) => view.about().seed,
            #[cfg(feature = "http")]
            OneFilter::Web(filter) => filter.about().seed,
        }
    }

    /// How its keys are read, if its file says so.
    pub fn recipe(&self) -> Option<&Recipe> {
        match self {
            OneFilter::Here(filter) => filter.recipe(),
            OneFilter::Shared(view) => view.about().recipe.as_ref(),
            #[cfg(feature = "http")]
            OneFilter::Web(filter) => filter.about().recipe.as_ref(),
        }
    }

    /// The kind, of a filter of ours that is not shared: those that can be are alike to their readers.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            OneFilter::Here(EitherFilter::Own(filter)) => Some(filter.kind()),
            OneFilter::Here(EitherFilter::Foreign(_)) | OneFilter::Shared(_) => None,
            #[cfg(feature = "http")]
            OneFilter::Web(filter) => Some(filter.kind()),
        }
    }

    /// How keys are read for it, with these options.
    pub fn extraction(&self, path: &Path, options: &RecipeArgs) -> Result<Extraction, Stop> {
        match self {
            OneFilter::Here(filter) => filter.extraction(path, options),
            _ => options.extraction_for(crate::output::shown(path), self.recipe()),
        }
    }

    /// Whether it is on the web and was found to be another one than when it was opened.
    pub fn is_replaced(&self) -> bool {
        match self {
            OneFilter::Here(_) | OneFilter::Shared(_) => false,
            #[cfg(feature = "http")]
            OneFilter::Web(filter) => filter.is_replaced(),
        }
    }

    /// Counts the requests of a filter that this one replaces.
    pub fn count_also(&self, old: &OneFilter) {
        match (self, old) {
            #[cfg(feature = "http")]
            (OneFilter::Web(new), OneFilter::Web(old)) => new.count_also(old),
            _ => {}
        }
    }

    /// Whether it is another system's.
    pub fn is_foreign(&self) -> bool {
        matches!(self, OneFilter::Here(filter) if filter.is_foreign())
    }

    /// Looks up keys, which have these hashes. Only another system's filter needs the keys
    /// themselves.
    pub fn contains_keys<'k>(
        &self,
        rule: &KeyRule,
        hashes: &[KeyHash],
        key: impl Fn(usize) -> &'k [u8],
    ) -> Result<Vec<bool>, Stop> {
        match self {
            OneFilter::Here(filter) => Ok(filter.contains_keys(rule, hashes, key)),
            OneFilter::Shared(view) => {
                let mut found = vec![false; hashes.len()];
                view.contains_hashes(hashes, &mut found);
                Ok(found)
            }
            #[cfg(feature = "http")]
            OneFilter::Web(filter) => filter.contains_hashes(hashes),
        }
    }

    /// Of a Parquet file: the row groups that each key may be in, if it was found.
    pub fn row_groups<'k>(
        &self,
        rule: &KeyRule,
        found: &[bool],
        key: impl Fn(usize) -> &'k [u8],
    ) -> Option<Vec<Box<[usize]>>> {
        match self {
            OneFilter::Here(filter) => filter.row_groups(rule, found, key),
            _ => None,
        }
    }
}
