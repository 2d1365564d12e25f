//! The module `anther._anther`: what the Python package is made of.
//!
//! | file | what |
//! |---|---|
//! | `filter` | the class `Filter` |
//! | `keys` | from a Python object to the hash of its key |
//! | `column` | many keys at once, and answers in the form in which they came |
//! | `arrow`, `numpy` | the two forms of arrays |
//! | `settings`, `rule` | arguments with which filters are made |
//! | `info` | a filter in numbers |
//! | `error` | exceptions |

mod arrow;
mod column;
mod error;
mod filter;
mod info;
mod keys;
mod map;
mod numpy;
mod rule;
mod settings;

/// Bloom filters and their relatives. Import `anther`, not this.
#[pyo3::pymodule(gil_used = false)]
mod _anther {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arrow::Answers;
    #[pymodule_export]
    use crate::filter::Filter;
    #[pymodule_export]
    use crate::info::Info;
    #[pymodule_export]
    use crate::rule::Rule;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
