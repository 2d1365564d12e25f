/* Lookups in filters of the kinds classic, blocked and ribbon. */
#include "anther.h"

#include <stdlib.h>
#include <string.h>

static const char CHECK[] = "anther key check: tells a wrong key from the right one";
static const uint32_t ODD[16] = {0x6A09E667, 0xBB67AE85, 0x3C6EF373, 0xA54FF53B, 0x510E527F, 0x9B05688D,
                                 0x1F83D9AB, 0x5BE0CD19, 0xCBBB9D5D, 0x629A292B, 0x9159015B, 0x152FECD9,
                                 0x67332667, 0x8EB44A87, 0xDB0C2E0D, 0x47B5481D};

/* A kind's section, and its fields with their ranges. */
static const struct kind {
    int number;
    const char *section;
    struct { const char *name; uint64_t least, most; } fields[3];
} KINDS[] = {
    {1, "bits", {{"bits", 1, 1ull << 46}, {"probes", 1, 64}, {0}}},
    {2, "lines", {{"lines", 1, 1ull << 37}, {"probes", 1, 16}, {0}}},
    {17, "ribbon", {{"columns", 0, 60}, {"shards", 0, UINT64_MAX}, {"items", 0, 1ull << 48}}},
};

static const struct entry *field(const struct container *file, const char *name) {
    for (size_t i = 0; i < file->field_count; i++)
        if (strcmp(file->fields[i].name, name) == 0) return &file->fields[i];
    return NULL;
}

static const char *read_fields(struct filter *filter, const struct kind *kind) {
    const struct entry *inserted = field(&filter->file, "inserted");
    const struct entry *items = field(&filter->file, "target.items"), *rate = field(&filter->file, "target.fpr");
    size_t known = 1;
    if (!inserted || inserted->form != 1 || !items != !rate) return "fields";
    if (items) {
        double value;
        memcpy(&value, &rate->value, 8);
        if (items->form != 1 || items->value < 1 || items->value > 1ull << 48) return "target.items";
        if (rate->form != 2 || !(value >= 1e-18 && value < 1)) return "target.fpr";
        known += 2;
    }
    for (int i = 0; i < 3 && kind->fields[i].name; i++, known++) {
        const struct entry *own = field(&filter->file, kind->fields[i].name);
        if (!own || own->form != 1 || own->value < kind->fields[i].least || own->value > kind->fields[i].most)
            return kind->fields[i].name;
        filter->sizes[i] = own->value;
    }
    return known == filter->file.field_count ? NULL : "unknown fields";
}

static bool is_utf8(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        int more = *at < 0x80 ? 0 : *at >= 0xC2 && *at < 0xE0 ? 1 : *at >> 4 == 0xE ? 2 : *at >= 0xF0 && *at < 0xF5 ? 3 : -1;
        if (more < 0 || end - at <= more) return false;
        /* Overlong forms, surrogates and what is beyond 10FFFF begin with these pairs. */
        if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F)) return false;
        if ((at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F)) return false;
        for (at++; more > 0; more--, at++)
            if (*at >> 6 != 2) return false;
    }
    return true;
}

static bool is_recipe(const uint8_t *recipe, size_t size) {
    if (size == 0) return true;
    switch (recipe[0] >> 4) {
    case 0: return size == 1;
    case 1: return size == 6 && load(recipe + 2, 4) > 0;
    case 2: return size > 1 && is_utf8(recipe + 2, recipe + size);
    default: return false;
    }
}

static const char *read_directory(struct filter *filter) {
    uint64_t columns = filter->sizes[0], count = filter->sizes[1], last = 1, thresholds = 0, words = 0;
    if (count > filter->row_size / 8) return "shards";
    if (count && !(filter->shards = calloc(count, sizeof *filter->shards))) return "out of memory";
    for (uint64_t i = 0; i < count; i++) {
        uint64_t entry = load(filter->row + 8 * i, 8), draw = entry >> 54 & 511;
        uint64_t blocks = entry & 0x7FFFFFF, narrow = entry >> 27 & 0x7FFFFFF;
        if (narrow > blocks || (last ? !draw && i > 0 : draw > 0) || words > filter->row_size) return "directory";
        if (last) {
            if (filter->layer_count == 40) return "layers";
            filter->layers[filter->layer_count].draw = draw;
            filter->layers[filter->layer_count++].first = i;
        }
        filter->layers[filter->layer_count - 1].count++;
        last = entry >> 63;
        uint64_t starts = blocks ? 64 * (blocks - 1) + 1 : 0;
        filter->shards[i] = (struct shard){starts, narrow, thresholds, words};
        thresholds += (starts + 191) / 192;
        words += blocks * columns + blocks - narrow;
    }
    filter->thresholds = 8 * count;
    filter->blocks = 8 * (count + (thresholds + 31) / 32);
    if (!last || filter->row_size != filter->blocks + 8 * words) return "directory";
    if (thresholds % 32 && load(filter->row + filter->blocks - 8, 8) >> 2 * (thresholds % 32)) return "thresholds";
    return NULL;
}

static const char *read_section(struct filter *filter) {
    uint64_t cells = filter->sizes[0];
    if (filter->file.kind == 17) return read_directory(filter);
    if (filter->file.kind == 2) return filter->row_size == cells * 64 ? NULL : "lines";
    if (filter->row_size != (cells + 63) / 64 * 8) return "bits";
    return load(filter->row + filter->row_size - 8, 8) >> (cells - 1) % 64 >> 1 ? "a bit beyond the last" : NULL;
}

const char *filter_read(struct filter *filter, const uint8_t *data, size_t size, const uint8_t *secret) {
    memset(filter, 0, sizeof *filter);
    const char *wrong = container_parse(&filter->file, data, size);
    if (wrong) return wrong;
    const struct container *file = &filter->file;
    const struct kind *kind = KINDS;
    while (kind < KINDS + 3 && kind->number != file->kind) kind++;
    if (kind == KINDS + 3) return "kind";
    if (file->section_count != 1 || strcmp(file->sections[0].name, kind->section) || file->sections[0].form) return "sections";
    filter->row = file->sections[0].row, filter->row_size = file->sections[0].value;
    if ((wrong = read_fields(filter, kind))) return wrong;
    filter->by = (struct hashing){file->seed, file->hash == 1 ? secret : NULL};
    if (file->hash > 1) return "hash";
    if (file->hash == 1 && (!secret || siphash(secret, (const uint8_t *)CHECK, sizeof CHECK - 1, 0) != file->seed)) return "secret key";
    if (!is_recipe(file->recipe, file->recipe_size)) return "recipe";
    if ((wrong = read_section(filter))) filter_free(filter);
    return wrong;
}

void filter_free(struct filter *filter) {
    free(filter->shards);
    filter->shards = NULL;
}

static uint64_t column(const struct filter *filter, const struct shard *shard, uint64_t block, uint64_t j) {
    uint64_t wide = block > shard->narrow ? block - shard->narrow : 0;
    return load(filter->row + filter->blocks + 8 * (shard->words + block * filter->sizes[0] + wide + j), 8);
}

static bool holds(const struct filter *filter, const struct shard *shard, uint64_t x, uint64_t start) {
    uint64_t ones = again(x, 1024) | 1, value = again(x, 1025), block = start / 64, shift = start % 64;
    for (uint64_t j = 0; j < filter->sizes[0] + (block >= shard->narrow); j++) {
        uint64_t slots = column(filter, shard, block, j) >> shift;
        if (shift) slots |= column(filter, shard, block + 1, j) << (64 - shift);
        if ((uint64_t)__builtin_parityll(slots & ones) != (value >> j & 1)) return false;
    }
    return true;
}

static bool in_ribbon(const struct filter *filter, uint64_t x) {
    static const uint64_t LEVELS[] = {0, 24, 48, 192};
    for (size_t i = 0; i < filter->layer_count; i++) {
        uint64_t count = filter->layers[i].count;
        if (filter->layers[i].draw) x = again(x, filter->layers[i].draw);
        const struct shard *shard = &filter->shards[filter->layers[i].first + scale(x, count)];
        if (!shard->starts) continue;
        uint64_t start = scale(x * count, shard->starts), at = shard->thresholds + start / 192;
        if (start % 192 >= LEVELS[filter->row[filter->thresholds + at / 4] >> at % 4 * 2 & 3])
            return holds(filter, shard, x, start);
    }
    return false;
}

void filter_positions(int kind, uint64_t cells, uint64_t probes, uint64_t hash, uint64_t *found) {
    uint64_t x = hash, y = rotl(hash, 32) * GOLDEN;
    uint32_t u = (uint32_t)(hash * GOLDEN >> 32);
    for (uint64_t i = 0; i < probes; i++) {
        found[i] = kind == 2 ? scale(hash, cells) * 512 + (u * ODD[i] >> 23) : scale(x, cells);
        x += y, y = rotl(y, 5) + GOLDEN;
    }
}

bool filter_contains(const struct filter *filter, uint64_t hash) {
    uint64_t bits[64];
    if (filter->file.kind == 17) return in_ribbon(filter, hash);
    filter_positions(filter->file.kind, filter->sizes[0], filter->sizes[1], hash, bits);
    for (uint64_t i = 0; i < filter->sizes[1]; i++)
        if (!(filter->row[bits[i] / 8] >> bits[i] % 8 & 1)) return false;
    return true;
}

static int digit(uint8_t text) {
    const char *digits = "0123456789abcdef", *found = text ? strchr(digits, text >= 'A' && text <= 'F' ? text + 32 : text) : NULL;
    return found ? (int)(found - digits) : -1;
}

enum answer filter_lookup(const struct filter *filter, const uint8_t *key, size_t size) {
    int flags = filter->file.recipe_size ? filter->file.recipe[0] : 0;
    while (flags & 2 && size && key[size - 1] && strchr(" \t\n\f\r", key[size - 1])) size--;
    while (flags & 2 && size && *key && strchr(" \t\n\f\r", *key)) key++, size--;
    if (flags & 8 && size % 2) return REFUSED;
    uint8_t *ruled = malloc(size + 1);
    size_t length = flags & 8 ? size / 2 : size;
    if (!ruled) return REFUSED;
    for (size_t i = 0; i < length; i++) {
        int high = flags & 8 ? digit(key[2 * i]) : 0, low = flags & 8 ? digit(key[2 * i + 1]) : 0;
        if (high < 0 || low < 0) return free(ruled), REFUSED;
        ruled[i] = flags & 8 ? (uint8_t)(high << 4 | low) : key[i];
        if (flags & 4 && !(flags & 8) && key[i] >= 'A' && key[i] <= 'Z') ruled[i] += 32;
    }
    bool found = filter_contains(filter, hash_bytes(filter->by, ruled, length));
    free(ruled);
    return found ? MAYBE : NO;
}
