/*
 * anther.h - Bloom filters and their relatives: is a key in the set? "No" is
 * certain, "maybe" is wrong as often as the false-positive rate says.
 *
 * Link with -lanther_c (shared), or with libanther_c.a -lpthread -ldl -lm.
 *
 * ERRORS. A function that returns int returns a negative anther_status on
 * failure and leaves everything as it was; only an insert of many keys into a
 * filter that becomes full has inserted some of them. The last argument receives
 * the code and a text; it may be NULL, and it is written only on failure. Of many
 * keys, the text names the first that is refused: "key 17: ...". The caller
 * owns it: there is no hidden thread-local state, since a goroutine (or any
 * green thread) may run on another thread by the time it asks for the text.
 *
 * OWNERSHIP. What a function writes through a pointer to a pointer is yours:
 * anther_close, anther_shared_close and anther_buffer_free release it. Close it
 * once and do not use it afterwards: that is undefined, as with free(). Keys,
 * texts and paths are yours and are only read during the call. Texts that are
 * returned as const char * are static.
 *
 * THREADS. Any number of threads may call functions that take a const
 * anther_filter * at once. One that takes anther_filter * needs the filter for
 * itself: use a lock, or an anther_shared, into which many threads insert and
 * in which they look up without a lock. Two filters never share anything.
 *
 * KEYS. A key is bytes, a 64-bit integer or a hash that anther_hash made. 5 and
 * "5" are different keys. The same key has the same hash on every machine and in
 * every language, so a file that the program `anther` or the Rust library wrote
 * gives the same answers here. If it was built with a rule, such as
 * `--as domain`, the rule is applied to every key: bytes count as text, and
 * what the rule refuses is ANTHER_KEY. Give negative integers as
 * (uint64_t)(int64_t)-1; a filter with `--as int` takes them as text. A filter
 * that is made here without as=FORM has no rule and does not merge with files of
 * the program, which have one; with as=text it does.
 *
 * CRASHES. Null pointers, impossible lengths and misaligned arrays are
 * ANTHER_ARGUMENT. No panic of Rust gets out: it becomes ANTHER_INTERNAL, a bug
 * to report; close the filter then. If the system has no memory for a small
 * allocation, the process is aborted; filters and keys are large allocations,
 * which fail with ANTHER_MEMORY.
 */
#ifndef ANTHER_H
#define ANTHER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI of this header. Within a version, functions, flags and codes are only
 * added, and structs with a field `size` grow at the end. */
#define ANTHER_ABI_VERSION 1

typedef enum anther_status {
    ANTHER_OK = 0,
    ANTHER_ARGUMENT = -1,    /* a null pointer, a length, a flag, an unknown name */
    ANTHER_SIZE = -2,        /* no filter can have this size, rate or option */
    ANTHER_KEY = -3,         /* the filter's rule refuses the key */
    ANTHER_FULL = -4,        /* the filter has no room for the key */
    ANTHER_UNSUPPORTED = -5, /* the kind cannot do this */
    ANTHER_MISMATCH = -6,    /* the two filters cannot be merged */
    ANTHER_FILE = -7,        /* not a filter, or a corrupt one */
    ANTHER_IO = -8,          /* the system could not read or write */
    ANTHER_SECRET = -9,      /* no secret key, another one, or external hashes */
    ANTHER_MEMORY = -10,     /* out of memory */
    ANTHER_BUILD = -11,      /* a static filter could not be built of its keys */
    ANTHER_INTERNAL = -12    /* a bug in this library */
} anther_status;

/* Why a call failed. The text is UTF-8 with a final NUL. */
typedef struct anther_error {
    int code;
    char text[508];
} anther_error;

/* A filter of any kind, in memory or mapped. */
typedef struct anther_filter anther_filter;

/* A filter that many threads or processes insert into at once. */
typedef struct anther_shared anther_shared;

/* A key of an array. The data may be NULL if len is 0. */
typedef struct anther_bytes {
    const uint8_t *data;
    size_t len;
} anther_bytes;

/* Bytes that the library allocated. */
typedef struct anther_buffer {
    uint8_t *data;
    size_t len;
} anther_buffer;

/* A filter in numbers, by the names of `anther info --json`. What is unknown is
 * UINT64_MAX or NaN. */
typedef struct anther_info {
    size_t size; /* set it to sizeof(anther_info) before the call */
    const char *kind;
    uint64_t items;      /* distinct keys, estimated from the cells */
    double items_error;  /* standard deviation of that estimate */
    uint64_t items_target;
    uint64_t inserted;
    uint64_t bits;       /* in memory */
    uint64_t bits_sent;  /* in a file, where cells may be compressed */
    double bits_per_key;
    double fpr_target;
    double fpr_now;      /* with its current content */
    double fill;         /* share of the cells that are not 0 */
    uint32_t probes;
    uint32_t layers;
    uint64_t stuck;      /* counters at their maximum */
    uint8_t may_forget;  /* false negatives are possible */
    uint8_t saturated;   /* `items` is a lower bound */
    uint8_t overfull;
    uint8_t keyed;       /* made with a secret key */
    uint8_t can_hash;    /* 0: query it by hash only */
    uint8_t has_rule;    /* what a key is: as text, as domain, ... */
} anther_info;

/* The size of a filter before it is made. */
typedef struct anther_plan {
    size_t size; /* set it to sizeof(anther_plan) before the call */
    uint64_t bits;
    uint64_t bits_sent;
    double fpr;
    uint32_t probes;
} anther_plan;

/* anther_open: map the file instead of reading it, which takes no time and
 * shares its pages with other processes, but verifies only the header. Nobody
 * may change the file in place while the filter is open; replacing it by rename,
 * as anther_save does, is fine. */
#define ANTHER_OPEN_MAP 1u
/* anther_open, anther_from_bytes, anther_shared_open: also open what cannot hash
 * keys, which is a keyed filter without its secret key, or one of external
 * hashes. It can be described, merged, and queried by hash. */
#define ANTHER_OPEN_ANY 2u
/* anther_shared_open: to insert, not only to look up. */
#define ANTHER_SHARED_INSERT 4u

/* ---- The library ------------------------------------------------------- */

/* ANTHER_ABI_VERSION of the library. A program that loads it at run time should
 * compare it with the header's. */
uint32_t anther_abi_version(void);

/* The release, such as "0.1.0". */
const char *anther_version(void);

/* The name of a kind by its number from 0; NULL after the last. */
const char *anther_kind_name(size_t index);

/* ---- Making filters ---------------------------------------------------- */

/* An empty filter of a kind, such as "blocked", for a number of distinct keys
 * and a false-positive rate.
 *
 * secret: NULL, or 16 random bytes if strangers choose the keys: without them
 * nobody can find false positives on purpose. The file does not contain them. A
 * key file of the program has the same 16 bytes as 32 hexadecimal digits: decode
 * them first.
 *
 * options: NULL, or pairs such as "counter-bits=8,as=domain,trim". Options of
 * kinds are those of `anther build --help`. Every kind has seed=N, as=FORM
 * (text, hex, int, domain, email, url, time, ip, int32, int64, float, double,
 * utf16, uuid), trim and ignore-case. */
int anther_new(const char *kind, uint64_t items, double fpr, const uint8_t *secret,
               const char *options, anther_filter **filter, anther_error *error);

/* A filter of all these keys, of any kind. Static kinds, "ribbon" and "fuse",
 * are the smallest and can be made only in this way. "bloomier" is refused: there
 * are no values here.
 *
 * threads: 0 is one per core. It changes nothing but the time. */
int anther_build(const char *kind, const anther_bytes *keys, size_t count, double fpr,
                 const uint8_t *secret, const char *options, uint32_t threads,
                 anther_filter **filter, anther_error *error);
int anther_build_u64(const char *kind, const uint64_t *keys, size_t count, double fpr,
                     const uint8_t *secret, const char *options, uint32_t threads,
                     anther_filter **filter, anther_error *error);

/* Reads a filter and verifies every byte. flags: ANTHER_OPEN_... or 0. */
int anther_open(const char *path, const uint8_t *secret, uint32_t flags,
                anther_filter **filter, anther_error *error);

/* The same from bytes, which are copied. flags: ANTHER_OPEN_ANY or 0. */
int anther_from_bytes(const uint8_t *data, size_t len, const uint8_t *secret,
                      uint32_t flags, anther_filter **filter, anther_error *error);

/* The bytes of its file; anther_from_bytes of them is a copy. Free them with
 * anther_buffer_free. */
int anther_to_bytes(const anther_filter *filter, anther_buffer *buffer,
                    anther_error *error);

/* Frees the bytes and sets the buffer to empty. NULL and an empty buffer are fine. */
void anther_buffer_free(anther_buffer *buffer);

/* Saves to a file, atomically: after a crash there is the old file or the new. A
 * file that others insert into (anther_shared_open) or that the program is changing
 * is ANTHER_IO and stays as it is, since their keys would be lost. */
int anther_save(const anther_filter *filter, const char *path, anther_error *error);

/* Frees the filter. NULL is fine. */
void anther_close(anther_filter *filter);

/* The filter in numbers. Reads all cells: not for hot paths. */
int anther_filter_info(const anther_filter *filter, anther_info *info,
                       anther_error *error);

/* The size of a filter, without making it. */
int anther_plan_size(const char *kind, uint64_t items, double fpr, const char *options,
                     anther_plan *plan, anther_error *error);

/* ---- Lookups: any number of threads at once ----------------------------- */

/* 1: the key may be in the set. 0: certainly not. Negative: failed. So
 * `if (anther_contains(...))` treats a failure as "maybe", which is never a
 * wrong answer. */
int anther_contains(const anther_filter *filter, const uint8_t *data, size_t len,
                    anther_error *error);
int anther_contains_u64(const anther_filter *filter, uint64_t key, anther_error *error);
int anther_contains_hash(const anther_filter *filter, uint64_t hash, anther_error *error);

/* Many keys: beyond the caches several times as fast as single lookups. found
 * has room for count answers and gets 1 or 0 for each key; on any failure all are
 * 1, unless found is NULL or count impossible.
 * threads: 0 is one per core. */
int anther_contains_many(const anther_filter *filter, const anther_bytes *keys,
                         size_t count, uint8_t *found, uint32_t threads,
                         anther_error *error);
int anther_contains_many_u64(const anther_filter *filter, const uint64_t *keys,
                             size_t count, uint8_t *found, uint32_t threads,
                             anther_error *error);
int anther_contains_many_hash(const anther_filter *filter, const uint64_t *hashes,
                              size_t count, uint8_t *found, uint32_t threads,
                              anther_error *error);

/* The hash of a key, by the filter's seed and rule: hash once, look up in many
 * filters with the same seed and rule. */
int anther_hash(const anther_filter *filter, const uint8_t *data, size_t len,
                uint64_t *hash, anther_error *error);
int anther_hash_u64(const anther_filter *filter, uint64_t key, uint64_t *hash,
                    anther_error *error);

/* How often the key was inserted, for kinds that count. */
int anther_count(const anther_filter *filter, const uint8_t *data, size_t len,
                 uint64_t *count, anther_error *error);
int anther_count_u64(const anther_filter *filter, uint64_t key, uint64_t *count,
                     anther_error *error);

/* The key's value, for kinds that store values. 1: found. 0: certainly absent. */
int anther_get(const anther_filter *filter, const uint8_t *data, size_t len,
               uint64_t *value, anther_error *error);
int anther_get_u64(const anther_filter *filter, uint64_t key, uint64_t *value,
                   anther_error *error);

/* ---- Changes: one thread, and nobody looks up meanwhile ------------------ */

/* 1: the key is certainly new. 0: it may have been there. Negative: failed. */
int anther_insert(anther_filter *filter, const uint8_t *data, size_t len,
                  anther_error *error);
int anther_insert_u64(anther_filter *filter, uint64_t key, anther_error *error);
int anther_insert_hash(anther_filter *filter, uint64_t hash, anther_error *error);

/* Removes a key that was inserted, for kinds that can. 1: removed. 0: certainly
 * absent, nothing changed. Removing a key that was never inserted can damage
 * others. */
int anther_remove(anther_filter *filter, const uint8_t *data, size_t len,
                  anther_error *error);
int anther_remove_u64(anther_filter *filter, uint64_t key, anther_error *error);
int anther_remove_hash(anther_filter *filter, uint64_t hash, anther_error *error);

/* Inserts many keys, in any order. If the rule refuses a key, none is inserted;
 * if the filter is full, some are. threads: 0 is one per core. */
int anther_insert_many(anther_filter *filter, const anther_bytes *keys, size_t count,
                       uint32_t threads, anther_error *error);
int anther_insert_many_u64(anther_filter *filter, const uint64_t *keys, size_t count,
                           uint32_t threads, anther_error *error);
int anther_insert_many_hash(anther_filter *filter, const uint64_t *hashes, size_t count,
                            uint32_t threads, anther_error *error);

/* Inserts all keys of another filter of the same kind, seed and size: bit for
 * bit what one filter of all keys is. If the other is smaller by a whole factor,
 * this one shrinks to its size; see anther_filter_info. Merging a filter with
 * itself changes nothing. Kinds that cannot merge are ANTHER_UNSUPPORTED. */
int anther_merge(anther_filter *filter, const anther_filter *other, anther_error *error);

/* ---- Shared filters: every function, any number of threads --------------- */

/* Makes a filter of plain bits (blocked, classic, split, compressed) usable by
 * many threads at once, without copying. *filter becomes NULL on success: it now
 * belongs to *shared. Any other kind is ANTHER_UNSUPPORTED and stays as it was.
 * Only if a mapped filter cannot be copied for want of memory is it lost, and
 * *filter is NULL as well. */
int anther_share(anther_filter **filter, anther_shared **shared, anther_error *error);

/* Returns the filter, without copying. *shared becomes NULL. */
int anther_unshare(anther_shared **shared, anther_filter **filter, anther_error *error);

/* Maps a file (blocked, classic, split) that many processes insert into at once.
 * With ANTHER_SHARED_INSERT this process does so, too; without, it only looks
 * up, and finds what others insert at once. */
int anther_shared_open(const char *path, const uint8_t *secret, uint32_t flags,
                       anther_shared **shared, anther_error *error);

/* Frees it; of a file, the last process to close it writes new checksums. NULL
 * is fine. It is freed even if closing the file fails. */
int anther_shared_close(anther_shared *shared, anther_error *error);

int anther_shared_contains(const anther_shared *shared, const uint8_t *data, size_t len,
                           anther_error *error);
int anther_shared_contains_u64(const anther_shared *shared, uint64_t key,
                               anther_error *error);
int anther_shared_contains_many(const anther_shared *shared, const anther_bytes *keys,
                                size_t count, uint8_t *found, uint32_t threads,
                                anther_error *error);
int anther_shared_contains_many_u64(const anther_shared *shared, const uint64_t *keys,
                                    size_t count, uint8_t *found, uint32_t threads,
                                    anther_error *error);
int anther_shared_insert(const anther_shared *shared, const uint8_t *data, size_t len,
                         anther_error *error);
int anther_shared_insert_u64(const anther_shared *shared, uint64_t key,
                             anther_error *error);

/* Inserts keys on this thread. */
int anther_shared_insert_many(const anther_shared *shared, const anther_bytes *keys,
                              size_t count, anther_error *error);
int anther_shared_insert_many_u64(const anther_shared *shared, const uint64_t *keys,
                                  size_t count, anther_error *error);

#ifdef __cplusplus
}
#endif

#endif
