// Package anther looks up keys in the filters of libanther_c.
//
// A lookup takes a cgo call of some 50 ns. Where that matters, use ContainsMany: one call for all keys.
package anther

/*
#cgo pkg-config: anther
#include <anther.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Error is a failure with its code, such as -3 for a key that the filter's rule refuses.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return e.Text }

// ErrKey is what a key that the filter's rule refuses is.
var ErrKey = errors.New("the filter's rule refuses the key")

// Is makes errors.Is(err, ErrKey) work.
func (e *Error) Is(target error) bool { return target == ErrKey && e.Code == C.ANTHER_KEY }

// Filter is a filter that goroutines look up in at once.
type Filter struct{ filter *C.anther_filter }

// Open reads a filter and verifies every byte.
func Open(path string) (*Filter, error) {
	if version := uint32(C.anther_abi_version()); version != C.ANTHER_ABI_VERSION {
		return nil, fmt.Errorf("libanther_c has ABI %d, not %d", version, C.ANTHER_ABI_VERSION)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var cause C.anther_error
	f := &Filter{}
	if C.anther_open(name, nil, 0, &f.filter, &cause) < 0 {
		return nil, failure(&cause)
	}
	runtime.SetFinalizer(f, (*Filter).Close)
	return f, nil
}

// Close frees the filter. It may be called more than once.
func (f *Filter) Close() {
	runtime.SetFinalizer(f, nil)
	C.anther_close(f.filter)
	f.filter = nil
}

// Contains reports whether the key may be in the set. False is certain.
func (f *Filter) Contains(key []byte) (bool, error) {
	var cause C.anther_error
	var data *C.uint8_t
	if len(key) > 0 {
		data = (*C.uint8_t)(unsafe.Pointer(&key[0]))
	}
	found := C.anther_contains(f.filter, data, C.size_t(len(key)), &cause)
	runtime.KeepAlive(f)
	if found < 0 {
		return true, failure(&cause)
	}
	return found == 1, nil
}

// ContainsMany looks up keys on all cores. They are copied to C's memory first: an array with
// pointers into Go's must not be passed to C.
func (f *Filter) ContainsMany(keys []string) ([]bool, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	total := 0
	for _, key := range keys {
		total += len(key)
	}
	// One block for all of them, and one byte more: no block is empty.
	blob := C.malloc(C.size_t(total + 1))
	array := C.malloc(C.size_t(len(keys)) * C.sizeof_anther_bytes)
	defer C.free(blob)
	defer C.free(array)
	text := unsafe.Slice((*byte)(blob), total+1)
	parts := unsafe.Slice((*C.anther_bytes)(array), len(keys))
	at := 0
	for number, key := range keys {
		parts[number] = C.anther_bytes{data: (*C.uint8_t)(&text[at]), len: C.size_t(len(key))}
		at += copy(text[at:], key)
	}
	found := make([]bool, len(keys))
	var cause C.anther_error
	code := C.anther_contains_many(f.filter, &parts[0], C.size_t(len(keys)),
		(*C.uint8_t)(unsafe.Pointer(&found[0])), 0, &cause)
	runtime.KeepAlive(f)
	if code < 0 {
		return nil, failure(&cause)
	}
	return found, nil
}

// ContainsManyIntegers looks up integers on all cores.
func (f *Filter) ContainsManyIntegers(keys []uint64) ([]bool, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	found := make([]bool, len(keys))
	var cause C.anther_error
	code := C.anther_contains_many_u64(f.filter, (*C.uint64_t)(unsafe.Pointer(&keys[0])), C.size_t(len(keys)),
		(*C.uint8_t)(unsafe.Pointer(&found[0])), 0, &cause)
	runtime.KeepAlive(f)
	if code < 0 {
		return nil, failure(&cause)
	}
	return found, nil
}

// Rate returns the false-positive rate that the filter was made for.
func (f *Filter) Rate() (float64, error) {
	var cause C.anther_error
	info := C.anther_info{size: C.sizeof_anther_info}
	code := C.anther_filter_info(f.filter, &info, &cause)
	runtime.KeepAlive(f)
	if code < 0 {
		return 0, failure(&cause)
	}
	return float64(info.fpr_target), nil
}

func failure(cause *C.anther_error) error {
	return &Error{Code: int(cause.code), Text: C.GoString(&cause.text[0])}
}
