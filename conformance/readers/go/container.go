package main

// The container of an anther file: header, fields, sections, checksums. Of every kind.
//
// Left out: starting again when another process opens or closes the file meanwhile.

import (
	"bytes"
	"errors"
	"strings"
)

// Entry is a field (a type and a value) or a section (an encoding and a length).
type Entry struct {
	Name  string
	Form  byte
	Value uint64
}

// Container is a file in its parts.
type Container struct {
	Kind, Hash       int
	Seed             uint64
	Recipe           []byte
	Fields, Sections []Entry
	Rows             [][]byte
	Open             bool
}

func isZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }

// Parse takes a file apart; an error says what the format does not allow.
func Parse(data []byte) (*Container, error) {
	if len(data) < 64 || string(data[:8]) != "\x89ANT\r\n\x1a\n" {
		return nil, errors.New("no anther file")
	}
	short := func(at int) int { return int(data[at]) | int(data[at+1])<<8 }
	header := u32(data, 12)
	if short(8) != 1 {
		return nil, errors.New("version")
	}
	if header%64 != 0 || header < 64 || header > 65536 || header > uint64(len(data)) {
		return nil, errors.New("length of the header")
	}
	end, at := int(header)-8, 32+short(22)
	if at > end {
		return nil, errors.New("length of the recipe")
	}
	file := &Container{Kind: short(10), Hash: short(16), Seed: u64(data, 24), Recipe: data[32:at]}
	entries := func(count int) (found []Entry, first int, err error) {
		seen := map[string]bool{}
		for ; count > 0; count-- {
			if at >= end || at+int(data[at])+10 > end {
				return nil, 0, errors.New("header too short")
			}
			name := string(data[at+1 : at+1+int(data[at])])
			at += len(name) + 10
			if name == "" || seen[name] || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.") != "" {
				return nil, 0, errors.New("name")
			}
			if seen[name] = true; len(found) == 0 {
				first = at - 8
			}
			found = append(found, Entry{name, data[at-9], u64(data, at-8)})
		}
		return found, first, nil
	}
	var err, err2 error
	var first int
	file.Fields, first, err = entries(short(18))
	if err == nil {
		file.Sections, _, err2 = entries(short(20))
	}
	if err != nil || err2 != nil || end-at >= 64 || !isZero(data[at:end]) {
		return nil, errors.New("entries of the header, or its padding")
	}
	if sum := u64(data, end); sum != xxh3(data[:end], 0) {
		blank := append([]byte{}, data[:end]...)
		file.Open = file.Kind >= 1 && file.Kind <= 3 && len(file.Fields) > 0 && file.Fields[0].Name == "inserted"
		if file.Open {
			copy(blank[first:], make([]byte, 8))
		}
		if !file.Open || sum != xxh3(blank, 0x6E65706F) {
			return nil, errors.New("checksum of the header")
		}
	}
	sums := append([]byte{}, data[end:header]...)
	at = int(header)
	for _, section := range file.Sections {
		if section.Form > 1 || section.Value%8 != 0 || section.Value > uint64(len(data)-at) {
			return nil, errors.New("length of a section")
		}
		row := data[at : at+int(section.Value)]
		next := (at + len(row) + 63) / 64 * 64
		if next > len(data) || !isZero(data[at+len(row):next]) {
			return nil, errors.New("padding of a section")
		}
		at, file.Rows, sums = next, append(file.Rows, row), append(sums, word(xxh3(row, 0))...)
	}
	footer := data[at:]
	if len(footer) != len(sums) {
		return nil, errors.New("length of the file")
	}
	sums = append(sums, word(xxh3(sums, 0))...)[8:]
	if file.Open && len(file.Rows) > 0 { // Its cells change, and so do the footer's first and last word.
		sums, footer = sums[8:len(sums)-8], footer[8:len(footer)-8]
	}
	if !bytes.Equal(sums, footer) {
		return nil, errors.New("checksum of a section")
	}
	return file, nil
}
