// Checks the reader by vectors.json of the folder in its argument; exits with 1 on the first mismatch.
package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
)

type group struct {
	Prefix string
	Count  int
	Maybe  *[]int
}

type vectors struct {
	Version int
	Seeds   []struct{ Seed, Secret string }
	Hashes  []struct {
		Key    map[string]json.RawMessage
		Values []string
	}
	Positions []struct {
		Kind, Hash          string
		Bits, Lines, Probes uint64
		Positions           []uint64
	}
	Sets []struct {
		Name string
		Keys []map[string]json.RawMessage
	}
	Files []struct {
		File, Kind, Secret string
		Open               bool
		Fields, Sections   [][]any
		Holds              []string
		Forgotten          []int
		Numbered, Absent   group
		Lookups            []struct {
			Parts []string
			Says  string
		}
		Reads []struct {
			Hash  string
			Cells []uint64
		}
	}
	Refused []struct{ File string }
}

var counts = map[string]int{}

func expect(what string, got, expected any) {
	if !reflect.DeepEqual(got, expected) {
		fmt.Fprintf(os.Stderr, "go: %s: got %v, expected %v\n", what, got, expected)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	expect("error", err, nil)
	return value
}

func wordOf(text string) uint64 {
	if text == "" {
		return 0
	}
	return must(strconv.ParseUint(text, 16, 64))
}

func secretOf(text string) []byte {
	if text == "" {
		return nil
	}
	return unhex(text)
}

func keyOf(entry map[string]json.RawMessage) Key {
	for form, value := range entry {
		var text string
		_ = json.Unmarshal(value, &text)
		switch form {
		case "text":
			return Bytes(text)
		case "bytes":
			return Bytes(unhex(text))
		case "integer", "integer128":
			number, _ := new(big.Int).SetString(text, 10)
			if form == "integer128" {
				return Integer128(number)
			}
			return Integer(u64(Integer128(number), 0))
		case "ramp":
			data := make(Bytes, must(strconv.Atoi(string(value))))
			for i := range data {
				data[i] = byte(i % 251)
			}
			return data
		case "tuple":
			var parts []map[string]json.RawMessage
			expect("tuple", json.Unmarshal(value, &parts), nil)
			var tuple Tuple
			for _, part := range parts {
				tuple = append(tuple, keyOf(part))
			}
			return tuple
		}
	}
	panic("a key of another form")
}

func isRefused(data, secret []byte) bool {
	_, err := Read(data, secret)
	return err != nil
}

func main() {
	kit := os.Args[1]
	read := func(name string) []byte { return must(os.ReadFile(filepath.Join(kit, name))) }
	var all vectors
	expect("vectors.json", json.Unmarshal(read("vectors.json"), &all), nil)
	expect("version", all.Version, 1)
	for _, entry := range all.Hashes {
		for i, seed := range all.Seeds {
			got := keyOf(entry.Key).Hash(Hashing{wordOf(seed.Seed), secretOf(seed.Secret)})
			expect(fmt.Sprintf("hash of %s", entry.Key), fmt.Sprintf("%016x", got), entry.Values[i])
			counts["hashes"]++
		}
	}
	known := map[string]bool{"classic": true, "blocked": true, "ribbon": true}
	for _, entry := range all.Positions {
		if known[entry.Kind] {
			sizes := map[string]uint64{"bits": entry.Bits, "lines": entry.Lines, "probes": entry.Probes}
			expect("positions in "+entry.Kind, Positions(entry.Kind, sizes, wordOf(entry.Hash)), entry.Positions)
			counts["positions"]++
		}
	}
	for _, entry := range all.Files {
		if !known[entry.Kind] {
			continue
		}
		name, data, secret := entry.File, read(entry.File), secretOf(entry.Secret)
		if entry.Sections[len(entry.Sections)-1][0] == "recipe" {
			expect(name, isRefused(data, secret), true)
			counts["left out"]++
			continue
		}
		filter, err := Read(data, secret)
		expect(name, err, nil)
		expect(name+": kind", filter.Kind, entry.Kind)
		expect(name+": open", filter.Open, entry.Open)
		expect(name+": fields", len(filter.Fields), len(entry.Fields))
		for _, field := range entry.Fields {
			expect(name+": field", filter.Fields[field[0].(string)], wordOf(field[2].(string)))
		}
		counts["files"]++
		lookup := func(key Key, says string) {
			found, err := filter.Contains(key)
			got := map[bool]string{false: "no", true: "maybe"}[found]
			if err != nil {
				got = "refused"
			}
			expect(fmt.Sprintf("%s: %q", name, key), got, says)
			counts["lookups"]++
		}
		says := map[int]string{}
		for _, at := range entry.Forgotten {
			says[at] = "no"
		}
		at := 0
		for _, set := range entry.Holds {
			for _, other := range all.Sets {
				for i := 0; other.Name == set && i < len(other.Keys); i++ {
					expected := "maybe"
					if says[at] != "" {
						expected = says[at]
					}
					lookup(keyOf(other.Keys[i]), expected)
					at++
				}
			}
		}
		for _, group := range []group{entry.Numbered, entry.Absent} {
			passing := map[int]bool{}
			for i := 0; group.Maybe != nil && i < len(*group.Maybe); i++ {
				passing[(*group.Maybe)[i]] = true
			}
			for at := 0; at < group.Count; at++ {
				expected := map[bool]string{false: "no", true: "maybe"}[group.Maybe == nil || passing[at]]
				lookup(Bytes(fmt.Sprintf("%s %d", group.Prefix, at)), expected)
			}
		}
		for _, entry := range entry.Lookups {
			parts := Tuple{}
			for _, part := range entry.Parts {
				parts = append(parts, Bytes(unhex(part)))
			}
			if len(parts) == 1 {
				lookup(parts[0], entry.Says)
			} else {
				lookup(parts, entry.Says)
			}
		}
		for _, read := range entry.Reads {
			if read.Cells != nil {
				expect(name+": cells of "+read.Hash, Positions(filter.Kind, filter.Fields, wordOf(read.Hash)), read.Cells)
				counts["positions"]++
			}
		}
		for at := 0; at < len(data) && !filter.Open; at += 1 + len(data)/20000 {
			changed := append([]byte{}, data...)
			changed[at] ^= 1 << (at % 8)
			expect(fmt.Sprintf("%s: up to byte %d refused", name, at), isRefused(data[:at:at], secret), true)
			expect(fmt.Sprintf("%s: byte %d changed, refused", name, at), isRefused(changed, secret), true)
			counts["changed"] += 2
		}
	}
	for _, entry := range all.Refused {
		expect(entry.File+": refused", isRefused(read(entry.File), nil), true)
		counts["refused"]++
	}
	line := "go: "
	for _, what := range []string{"hashes", "positions", "files", "lookups", "refused", "changed", "left out"} {
		expect(what+" were checked", counts[what] > 0, true)
		line += fmt.Sprintf("%d %s, ", counts[what], what)
	}
	fmt.Println(line[:len(line)-2] + ": all as expected")
}
