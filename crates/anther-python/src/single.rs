//! `Filter.add` for the keys that come most often, without what a call through pyo3 costs.
//!
//! pyo3 calls a method by the general protocol, with keywords, and keeps account of who holds the
//! GIL: 10 ns of 40. A C function of one argument (`METH_O`) does without, and Python itself
//! calls those by a shorter way. Whatever is not plain, or fails, goes through pyo3 as before.
#![expect(unsafe_code, reason = "a function that C calls")]

use crate::filter::Filter;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The method, as C wants it. `PyMethodDef` is copied by nobody, so it must stay.
struct Method(ffi::PyMethodDef);

// SAFETY: pointers to constants and to a function.
unsafe impl Sync for Method {}

static ADD: Method = Method(ffi::PyMethodDef {
    ml_name: c"add".as_ptr(),
    ml_meth: ffi::PyMethodDefPointer { PyCFunction: add },
    ml_flags: ffi::METH_O,
    ml_doc: c"add($self, key, /)\n--\n\nInserts a key. True: it is certainly new.".as_ptr(),
});

/// Puts the method in the place of pyo3's.
pub fn install(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = module.py().get_type::<Filter>();
    // SAFETY: a type and a method that stay as long as the process. The descriptor checks that
    // `self` is of that type before it calls.
    let method = unsafe {
        let definition = std::ptr::from_ref(&ADD.0).cast_mut();
        let method = ffi::PyDescr_NewMethod(class.as_type_ptr(), definition);
        Bound::from_owned_ptr_or_err(module.py(), method)?
    };
    class.setattr("add", method)
}

unsafe extern "C" fn add(
    filter: *mut ffi::PyObject,
    key: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls with the GIL, with a `Filter`, which the descriptor has checked, and with
    // a key; both live as long as the call.
    let (py, filter, key) = unsafe {
        let py = Python::assume_attached();
        let filter = Borrowed::from_ptr(py, filter).cast_unchecked::<Filter>();
        (py, filter, Borrowed::from_ptr(py, key))
    };
    match catch_unwind(AssertUnwindSafe(|| filter.get().add_plain(py, &key))) {
        Ok(Some(new)) => PyBool::new(py, new).to_owned().into_any().into_ptr(),
        // pyo3's method, which gives an answer, or none and sets the exception.
        // SAFETY: two objects and a name that live as long as the call; null ends the arguments.
        _ => unsafe {
            ffi::PyObject_CallMethodObjArgs(
                filter.as_ptr(),
                pyo3::intern!(py, "_add").as_ptr(),
                key.as_ptr(),
                std::ptr::null_mut::<ffi::PyObject>(),
            )
        },
    }
}
