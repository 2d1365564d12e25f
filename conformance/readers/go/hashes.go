package main

// XXH3-64, SipHash-1-3, and the hash of a key, as the section Hashes of FORMAT.md has it.

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"math/bits"
)

const (
	golden = 0x9E3779B97F4A7C15
	p32a   = 0x9E3779B1
	p32b   = 0x85EBCA77
	p32c   = 0xC2B2AE3D
	p64a   = 0x9E3779B185EBCA87
	p64b   = 0xC2B2AE3D27D4EB4F
	p64c   = 0x165667B19E3779F9
	p64d   = 0x85EBCA77C2B2AE63
	p64e   = 0x27D4EB2F165667C5
)

var xxhSecret = unhex(
	"b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221" +
		"b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
		"a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb" +
		"170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")

func unhex(text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func u32(data []byte, at int) uint64 { return uint64(binary.LittleEndian.Uint32(data[at:])) }
func u64(data []byte, at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }

func word(x uint64) []byte {
	data := make([]byte, 8)
	binary.LittleEndian.PutUint64(data, x)
	return data
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func scale(x, n uint64) uint64 {
	high, _ := bits.Mul64(x, n)
	return high
}

func avalanche(x uint64) uint64 {
	x = (x ^ x>>37) * 0x165667919E3779F9
	return x ^ x>>32
}

func avalanche64(x uint64) uint64 {
	x = (x ^ x>>33) * p64b
	x = (x ^ x>>29) * p64c
	return x ^ x>>32
}

func mix16(data []byte, at, secretAt int, seed uint64) uint64 {
	return fold(u64(data, at)^(u64(xxhSecret, secretAt)+seed), u64(data, at+8)^(u64(xxhSecret, secretAt+8)-seed))
}

func xxh3(data []byte, seed uint64) uint64 {
	size := len(data)
	total := uint64(size) * p64a
	switch {
	case size > 240:
		return xxh3Long(data, seed)
	case size > 128:
		for i := 0; i < 8; i++ {
			total += mix16(data, 16*i, 16*i, seed)
		}
		total = avalanche(total)
		for i := 8; i < size/16; i++ {
			total += mix16(data, 16*i, 16*(i-8)+3, seed)
		}
		return avalanche(total + mix16(data, size-16, 136-17, seed))
	case size > 16:
		for i := 0; i <= (size-1)/32; i++ {
			total += mix16(data, 16*i, 32*i, seed) + mix16(data, size-16*(i+1), 32*i+16, seed)
		}
		return avalanche(total)
	case size > 8:
		low := u64(data, 0) ^ ((u64(xxhSecret, 24) ^ u64(xxhSecret, 32)) + seed)
		high := u64(data, size-8) ^ ((u64(xxhSecret, 40) ^ u64(xxhSecret, 48)) - seed)
		return avalanche(uint64(size) + bits.ReverseBytes64(low) + high + fold(low, high))
	case size > 3:
		seed ^= uint64(bits.ReverseBytes32(uint32(seed))) << 32
		x := (u32(data, size-4) + u32(data, 0)<<32) ^ ((u64(xxhSecret, 8) ^ u64(xxhSecret, 16)) - seed)
		x = (x ^ bits.RotateLeft64(x, 49) ^ bits.RotateLeft64(x, 24)) * 0x9FB21C651E98DF25
		x = (x ^ (x>>35 + uint64(size))) * 0x9FB21C651E98DF25
		return x ^ x>>28
	case size > 0:
		x := uint64(data[0])<<16 | uint64(data[size/2])<<24 | uint64(data[size-1]) | uint64(size)<<8
		return avalanche64(x ^ ((u32(xxhSecret, 0) ^ u32(xxhSecret, 4)) + seed))
	}
	return avalanche64(seed ^ u64(xxhSecret, 56) ^ u64(xxhSecret, 64))
}

func xxh3Long(data []byte, seed uint64) uint64 {
	var secret []byte
	for i := 0; i < 192; i += 16 {
		secret = append(append(secret, word(u64(xxhSecret, i)+seed)...), word(u64(xxhSecret, i+8)-seed)...)
	}
	lanes := [8]uint64{p32c, p64a, p64b, p64c, p64d, p32b, p64e, p32a}
	stripe := func(at, secretAt int) {
		for i := range lanes {
			value := u64(data, at+8*i)
			key := value ^ u64(secret, secretAt+8*i)
			lanes[i^1] += value
			lanes[i] += key & 0xFFFFFFFF * (key >> 32)
		}
	}
	// A block is 16 stripes of 64 bytes; the last stripe ends with the data and is taken once more.
	for number := 0; number < (len(data)-1)/64; number++ {
		stripe(64*number, 8*(number%16))
		if number%16 == 15 {
			for i, lane := range lanes {
				lanes[i] = (lane ^ lane>>47 ^ u64(secret, 128+8*i)) * p32a
			}
		}
	}
	stripe(len(data)-64, 192-64-7)
	total := uint64(len(data)) * p64a
	for i := 0; i < 8; i += 2 {
		total += fold(lanes[i]^u64(secret, 11+8*i), lanes[i+1]^u64(secret, 19+8*i))
	}
	return avalanche(total)
}

// SipHash-1-3; the domain is xored into the key's second word.
func siphash(key, data []byte, domain uint64) uint64 {
	k0, k1 := u64(key, 0), u64(key, 8)^domain
	a, b, c, d := k0^0x736F6D6570736575, k1^0x646F72616E646F6D, k0^0x6C7967656E657261, k1^0x7465646279746573
	round := func(value uint64) {
		d ^= value
		a += b
		b = bits.RotateLeft64(b, 13) ^ a
		a = bits.RotateLeft64(a, 32)
		c += d
		d = bits.RotateLeft64(d, 16) ^ c
		a += d
		d = bits.RotateLeft64(d, 21) ^ a
		c += b
		b = bits.RotateLeft64(b, 17) ^ c
		c = bits.RotateLeft64(c, 32)
		a ^= value
	}
	padded := make([]byte, len(data)/8*8+8)
	copy(padded, data)
	padded[len(padded)-1] = byte(len(data))
	for at := 0; at < len(padded); at += 8 {
		round(u64(padded, at))
	}
	c ^= 0xFF
	for i := 0; i < 3; i++ {
		round(0)
	}
	return a ^ b ^ c ^ d
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func again(x, salt uint64) uint64 { return mix(x + (salt+1)*golden) }

// Hashing is how a file hashes keys: by an open seed, or by a secret key of 16 bytes.
type Hashing struct {
	Seed   uint64
	Secret []byte
}

// hash is the hash of bytes: those of a key (domain 0), of an integer (1) or of a frame (2).
func (by Hashing) hash(data []byte, domain uint64) uint64 {
	if by.Secret != nil {
		return siphash(by.Secret, data, domain)
	}
	return xxh3(data, by.Seed)
}

// A Key is Bytes, an Integer, or a Tuple of keys.
type Key interface {
	Hash(by Hashing) uint64
	frame() []byte
}

// Bytes is a key of bytes or UTF-8 text.
type Bytes []byte

// Integer is a key of up to 64 bits, extended to a word.
type Integer uint64

// Tuple is a key of several parts.
type Tuple []Key

// Integer128 is hashed as its 16 bytes, whatever its value.
func Integer128(x *big.Int) Bytes {
	modulus := new(big.Int).Lsh(big.NewInt(1), 128)
	data := new(big.Int).Mod(x, modulus).FillBytes(make([]byte, 16))
	return append(word(binary.BigEndian.Uint64(data[8:])), word(binary.BigEndian.Uint64(data))...)
}

func (key Bytes) Hash(by Hashing) uint64 { return by.hash(key, 0) }
func (key Tuple) Hash(by Hashing) uint64 { return by.hash(key.frame(), 2) }

func (key Integer) Hash(by Hashing) uint64 {
	if by.Secret != nil {
		return by.hash(word(uint64(key)), 1)
	}
	return fold(fold(uint64(key)^0x243F6A8885A308D3^mix(by.Seed), golden), 0xA4093822299F31D1)
}

func (key Bytes) frame() []byte   { return append(append([]byte{0}, word(uint64(len(key)))...), key...) }
func (key Integer) frame() []byte { return append([]byte{1}, word(uint64(key))...) }

func (key Tuple) frame() []byte {
	data := []byte{2, byte(len(key))}
	for _, part := range key {
		data = append(data, part.frame()...)
	}
	return data
}
