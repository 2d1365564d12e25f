package main

// Lookups in filters of the kinds classic, blocked and ribbon.
//
// Left out: the section `recipe` and hashes made elsewhere; files that have them are refused.

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/bits"
	"unicode/utf8"
)

const check = "anther key check: tells a wrong key from the right one"

var odd = [16]uint32{0x6A09E667, 0xBB67AE85, 0x3C6EF373, 0xA54FF53B, 0x510E527F, 0x9B05688D, 0x1F83D9AB, 0x5BE0CD19,
	0xCBBB9D5D, 0x629A292B, 0x9159015B, 0x152FECD9, 0x67332667, 0x8EB44A87, 0xDB0C2E0D, 0x47B5481D}

// Kind is a kind's name and section, and its fields with their ranges.
type Kind struct {
	name, section string
	ranges        map[string][2]uint64
}

var kinds = map[int]Kind{
	1:  {"classic", "bits", map[string][2]uint64{"bits": {1, 1 << 46}, "probes": {1, 64}}},
	2:  {"blocked", "lines", map[string][2]uint64{"lines": {1, 1 << 37}, "probes": {1, 16}}},
	17: {"ribbon", "ribbon", map[string][2]uint64{"columns": {0, 60}, "shards": {0, math.MaxUint64}, "items": {0, 1 << 48}}},
}

type shard struct{ starts, narrow, thresholds, words uint64 }

type layer struct {
	draw   uint64
	shards []shard
}

// Filter answers lookups.
type Filter struct {
	Kind               string
	Fields             map[string]uint64
	Open               bool
	row, recipe        []byte
	by                 Hashing
	layers             []layer
	thresholds, blocks uint64 // Where they begin in the row, in bytes.
}

// Read makes a filter of the bytes of a file; a keyed one needs its secret key.
func Read(data, secret []byte) (*Filter, error) {
	file, err := Parse(data)
	if err != nil {
		return nil, err
	}
	kind, known := kinds[file.Kind]
	if !known || len(file.Sections) != 1 || file.Sections[0].Name != kind.section || file.Sections[0].Form != 0 {
		return nil, errors.New("kind or sections")
	}
	f := &Filter{Kind: kind.name, Fields: map[string]uint64{}, Open: file.Open, row: file.Rows[0], recipe: file.Recipe}
	for _, field := range file.Fields {
		span, known := kind.ranges[field.Name]
		if field.Name == "inserted" || field.Name == "target.items" {
			span, known = map[string][2]uint64{"inserted": {0, math.MaxUint64}, "target.items": {1, 1 << 48}}[field.Name], true
		}
		rate := math.Float64frombits(field.Value)
		isRate := field.Name == "target.fpr" && field.Form == 2 && rate >= 1e-18 && rate < 1
		if !isRate && (!known || field.Form != 1 || field.Value < span[0] || field.Value > span[1]) {
			return nil, errors.New("field " + field.Name)
		}
		f.Fields[field.Name] = field.Value
	}
	_, inserted := f.Fields["inserted"]
	_, items := f.Fields["target.items"]
	_, rate := f.Fields["target.fpr"]
	// All known and none twice: so their number says whether one is missing.
	if !inserted || items != rate || len(f.Fields) != len(kind.ranges)+map[bool]int{false: 1, true: 3}[items] {
		return nil, errors.New("fields")
	}
	switch {
	case file.Hash == 0:
		f.by = Hashing{Seed: file.Seed}
	case file.Hash == 1 && len(secret) == 16 && siphash(secret, []byte(check), 0) == file.Seed:
		f.by = Hashing{Secret: secret}
	default:
		return nil, errors.New("hash or secret key")
	}
	if !f.hasRecipe() || !map[string]func() bool{"classic": f.hasBits, "blocked": f.hasLines, "ribbon": f.readDirectory}[f.Kind]() {
		return nil, errors.New("recipe or section")
	}
	return f, nil
}

func (f *Filter) hasRecipe() bool {
	if len(f.recipe) == 0 {
		return true
	}
	flags, rest := f.recipe[0], f.recipe[1:]
	switch flags >> 4 {
	case 0:
		return len(rest) == 0
	case 1:
		return len(rest) == 5 && u32(rest, 1) > 0
	case 2:
		return len(rest) > 0 && utf8.Valid(rest[1:])
	}
	return false
}

func (f *Filter) hasBits() bool {
	count := f.Fields["bits"]
	return uint64(len(f.row)) == (count+63)/64*8 && u64(f.row, len(f.row)-8)>>((count-1)%64)>>1 == 0
}

func (f *Filter) hasLines() bool { return uint64(len(f.row)) == f.Fields["lines"]*64 }

func (f *Filter) readDirectory() bool {
	columns, count := f.Fields["columns"], f.Fields["shards"]
	if count > uint64(len(f.row)/8) {
		return false
	}
	last, thresholds, words := uint64(1), uint64(0), uint64(0)
	for number := uint64(0); number < count; number++ {
		entry := u64(f.row, int(8*number))
		blocks, narrow, draw := entry&0x7FFFFFF, entry>>27&0x7FFFFFF, entry>>54&511
		// Every layer but the first draws, in its first shard.
		mayDraw, mustDraw := last == 1, last == 1 && len(f.layers) > 0
		if narrow > blocks || draw > 0 && !mayDraw || draw == 0 && mustDraw || words > uint64(len(f.row)) {
			return false
		}
		if last == 1 {
			f.layers = append(f.layers, layer{draw: draw})
		}
		starts := uint64(0)
		if last = entry >> 63; blocks > 0 {
			starts = 64*(blocks-1) + 1
		}
		shards := &f.layers[len(f.layers)-1].shards
		*shards = append(*shards, shard{starts, narrow, thresholds, words})
		thresholds += (starts + 191) / 192
		words += blocks*columns + blocks - narrow
	}
	f.thresholds, f.blocks = 8*count, 8*(count+(thresholds+31)/32)
	if last == 0 || len(f.layers) > 40 || uint64(len(f.row)) != f.blocks+8*words {
		return false
	}
	return thresholds%32 == 0 || u64(f.row, int(f.blocks-8))>>(2*(thresholds%32)) == 0
}

// Contains says whether a key may be in; an error if the rule of the file refuses the key.
func (f *Filter) Contains(key Key) (bool, error) {
	if len(f.recipe) > 0 {
		text, isText := key.(Bytes)
		if !isText {
			return false, errors.New("the rule of the file takes text")
		}
		var err error
		if key, err = byRule(text, f.recipe[0]); err != nil {
			return false, err
		}
	}
	return f.ContainsHash(key.Hash(f.by)), nil
}

func byRule(text Bytes, flags byte) (Bytes, error) {
	if flags&2 != 0 {
		text = bytes.Trim(text, " \t\n\f\r")
	}
	if flags&8 != 0 {
		return hex.DecodeString(string(text))
	}
	lower := append(Bytes{}, text...)
	for i, letter := range lower {
		if flags&4 != 0 && letter >= 'A' && letter <= 'Z' {
			lower[i] = letter + 32
		}
	}
	return lower, nil
}

// ContainsHash says whether a key of this hash may be in.
func (f *Filter) ContainsHash(h uint64) bool {
	if f.Kind == "ribbon" {
		return f.inRibbon(h)
	}
	for _, bit := range Positions(f.Kind, f.Fields, h) {
		if f.row[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
	}
	return true
}

func (f *Filter) inRibbon(x uint64) bool {
	for _, layer := range f.layers {
		if layer.draw > 0 {
			x = again(x, layer.draw)
		}
		number, rest := bits.Mul64(x, uint64(len(layer.shards)))
		shard := layer.shards[number]
		start := scale(rest, shard.starts)
		at := shard.thresholds + start/192
		if shard.starts > 0 && start%192 >= [4]uint64{0, 24, 48, 192}[f.row[f.thresholds+at/4]>>(at%4*2)&3] {
			return f.holds(x, start, shard)
		}
	}
	return false
}

func (f *Filter) holds(x, start uint64, shard shard) bool {
	few, block, shift := f.Fields["columns"], start/64, start%64
	columns, ones, value := few, again(x, 1024)|1, again(x, 1025)
	if block >= shard.narrow {
		columns++
	}
	column := func(block, j uint64) uint64 {
		at := shard.words + block*few + j
		if block > shard.narrow {
			at += block - shard.narrow
		}
		return u64(f.row, int(f.blocks+8*at))
	}
	for j := uint64(0); j < columns; j++ {
		slots := column(block, j) >> shift
		if shift > 0 {
			slots |= column(block+1, j) << (64 - shift)
		}
		if uint64(bits.OnesCount64(slots&ones)&1) != value>>j&1 {
			return false
		}
	}
	return true
}

// Positions are the bits of a key in the section of classic or blocked.
func Positions(kind string, sizes map[string]uint64, h uint64) (found []uint64) {
	x, y := h, bits.RotateLeft64(h, 32)*golden
	for i := uint64(0); i < sizes["probes"]; i++ {
		if kind == "blocked" {
			u := uint32(h * golden >> 32)
			found = append(found, scale(h, sizes["lines"])*512+uint64(u*odd[i]>>23))
			continue
		}
		found = append(found, scale(x, sizes["bits"]))
		x, y = x+y, bits.RotateLeft64(y, 5)+golden
	}
	return found
}
