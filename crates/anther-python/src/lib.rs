//! The module `anther._anther`: what the Python package is made of.
//!
//! | file | what |
//! |---|---|
//! | `filter` | the class `Filter` |
//! | `single` | `Filter.add`, by a shorter way |
//! | `keys` | from a Python object to the hash of its key |
//! | `column` | many keys at once, and answers in the form in which they came |
//! | `arrow`, `numpy` | the two forms of arrays |
//! | `settings`, `rule` | arguments with which filters are made |
//! | `info`, `plan` | a filter in numbers, and before it is made |
//! | `lock` | the GIL as the lock of a filter |
//! | `shared` | filters without a lock, for many threads and processes |
//! | `range` | the class `RangeFilter` |
//! | `diff` | the difference of two sets |
//! | `error` | exceptions |
#![expect(unnameable_types, reason = "Python names the classes")]

mod arrow;
#[cfg(feature = "bench")]
mod bench;
mod column;
mod diff;
mod error;
mod filter;
mod info;
mod keys;
mod lock;
mod map;
mod numpy;
mod plan;
mod range;
mod rule;
mod save;
mod settings;
mod shared;
mod single;

/// Bloom filters and their relatives. Import `anther`, not this.
#[pyo3::pymodule(gil_used = false)]
mod _anther {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arrow::Answers;
    #[cfg(feature = "bench")]
    #[pymodule_export]
    use crate::bench::{_rust_contains, _rust_update};
    #[pymodule_export]
    use crate::diff::{Decoder, Encoder};
    #[pymodule_export]
    use crate::filter::Filter;
    #[pymodule_export]
    use crate::info::Info;
    #[pymodule_export]
    use crate::plan::{Plan, compare, plan};
    #[pymodule_export]
    use crate::range::RangeFilter;
    #[pymodule_export]
    use crate::rule::Rule;
    #[pymodule_export]
    use crate::shared::Shared;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::single::install(module)?;
        module.add("_kinds", crate::plan::kinds(module.py())?)?;
        module.add("_static_kinds", crate::plan::static_kinds())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // pyo3 lists everything there; what is public is said by `anther`.
        module.delattr("__all__")
    }
}
