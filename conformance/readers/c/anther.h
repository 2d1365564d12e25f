/* A reader of anther files: the container of every kind, lookups in classic, blocked and ribbon.
 *
 * Left out: the section `recipe` and hashes made elsewhere (files that have them are refused), and
 * starting again when another process opens or closes the file meanwhile.
 */
#ifndef ANTHER_H
#define ANTHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GOLDEN 0x9E3779B97F4A7C15u

/* How a file hashes keys: by an open seed, or by a secret key of 16 bytes. */
struct hashing {
    uint64_t seed;
    const uint8_t *secret; /* NULL for an open seed */
};

/* hashes.c */
uint64_t load(const uint8_t *from, int bytes); /* little-endian */
void store64(uint8_t *to, uint64_t value);
uint64_t scale(uint64_t x, uint64_t n); /* the high half of the product */
uint64_t rotl(uint64_t x, int by);
uint64_t again(uint64_t x, uint64_t salt);
uint64_t xxh3(const uint8_t *data, size_t size, uint64_t seed);
uint64_t siphash(const uint8_t *key, const uint8_t *data, size_t size, uint64_t domain);
uint64_t hash_bytes(struct hashing by, const uint8_t *data, size_t size);
uint64_t hash_integer(struct hashing by, uint64_t x);
uint64_t hash_frame(struct hashing by, const uint8_t *frame, size_t size);

/* container.c: what is wrong with a file is a text; NULL is nothing. More entries than these, which no
 * kind of this reader has, are refused. */
#define MAX_ENTRIES 256

struct entry { /* a field: type and value; a section: encoding and length */
    char name[256];
    int form;
    uint64_t value;
    const uint8_t *row; /* of a section: its bytes in the file */
};

struct container {
    int kind, hash;
    uint64_t seed;
    const uint8_t *recipe;
    size_t recipe_size, field_count, section_count;
    struct entry fields[MAX_ENTRIES], sections[MAX_ENTRIES];
    bool open;
};

const char *container_parse(struct container *file, const uint8_t *data, size_t size);

/* kinds.c: a filter refers to the bytes of its file, and has memory of its own for a ribbon. */
struct shard {
    uint64_t starts, narrow, thresholds, words;
};

struct filter {
    struct container file;
    const uint8_t *row;
    size_t row_size;
    struct hashing by;
    uint64_t sizes[3]; /* the kind's own fields, in the order of FORMAT.md */
    struct shard *shards;
    struct { uint64_t draw, first, count; } layers[40];
    size_t layer_count, thresholds, blocks;
};

enum answer { NO, MAYBE, REFUSED };

const char *filter_read(struct filter *filter, const uint8_t *data, size_t size, const uint8_t *secret);
void filter_free(struct filter *filter);
bool filter_contains(const struct filter *filter, uint64_t hash);
/* A key of bytes, by the rule of the file if it has one. */
enum answer filter_lookup(const struct filter *filter, const uint8_t *key, size_t size);
/* The bits of a key in the section of classic (kind 1) or blocked (2): as many as probes. */
void filter_positions(int kind, uint64_t cells, uint64_t probes, uint64_t hash, uint64_t *found);

#endif
