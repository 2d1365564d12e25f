/* Checks the reader by vectors.json of the folder in its argument; exits with 1 on the first mismatch. */
#include "anther.h"
#include "json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {"classic", "blocked", "ribbon"};
static const int NUMBERS[] = {1, 2, 17};
static unsigned long hashes, positions, files, lookups, refused, changed, left_out;

static void expect(bool condition, const char *form, ...) {
    if (condition) return;
    va_list args;
    va_start(args, form);
    fputs("c: not as expected: ", stderr);
    vfprintf(stderr, form, args);
    fputc('\n', stderr);
    exit(1);
}

static uint8_t *allocated(size_t size) {
    uint8_t *data = malloc(size ? size : 1);
    expect(data != NULL, "memory");
    return data;
}

static uint8_t *read_file(const char *kit, const struct json *name, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%.*s", kit, (int)name->size, name->text);
    FILE *file = fopen(path, "rb");
    expect(file && fseek(file, 0, SEEK_END) == 0, "%s can be read", path);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = allocated(*size + 1);
    expect(fread(data, 1, *size, file) == *size, "%s can be read", path);
    data[*size] = 0;
    fclose(file);
    return data;
}

static uint64_t word_of(const struct json *text, int base) { return text ? strtoull(text->text, NULL, base) : 0; }

static uint8_t *unhex(const struct json *text, size_t *size) {
    uint8_t *data = allocated(text->size / 2);
    for (*size = 0; *size < text->size / 2; ++*size) {
        char pair[3] = {text->text[2 * *size], text->text[2 * *size + 1], 0};
        data[*size] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return data;
}

static int kind_of(const struct json *name) {
    for (int i = 0; i < 3; i++)
        if (json_is(name, KINDS[i])) return NUMBERS[i];
    return 0;
}

/* A key, by the number of its form in frames: bytes (0), an integer (1), the frame of a tuple (2). */
struct key {
    int form;
    uint8_t *data;
    size_t size;
};

static struct key key_of(const struct json *entry) {
    const struct json *value = entry->first;
    struct key key = {0, NULL, 0};
    if (json_get(entry, "bytes")) {
        key.data = unhex(value, &key.size);
    } else if (json_get(entry, "text") || json_get(entry, "ramp")) {
        key.size = value->type ? value->size : word_of(value, 10);
        key.data = allocated(key.size);
        for (size_t i = 0; i < key.size; i++) key.data[i] = value->type ? (uint8_t)value->text[i] : (uint8_t)(i % 251);
    } else if (json_get(entry, "tuple")) {
        key = (struct key){2, allocated(4096), 2};
        key.data[0] = 2, key.data[1] = 0;
        for (const struct json *part = value->first; part; part = part->next) {
            struct key of = key_of(part);
            key.data[1]++;
            if (of.form == 0) {
                key.data[key.size] = 0;
                store64(key.data + key.size + 1, of.size);
                key.size += 9;
            } else if (of.form == 1) {
                key.data[key.size++] = 1;
            }
            expect(key.size + of.size <= 4096, "a short tuple");
            memcpy(key.data + key.size, of.data, of.size);
            key.size += of.size;
            free(of.data);
        }
    } else {
        unsigned __int128 x = 0;
        bool wide = json_get(entry, "integer128") != NULL, negative = value->text[0] == '-';
        for (size_t i = negative; i < value->size; i++) x = 10 * x + (unsigned)(value->text[i] - '0');
        x = negative ? -x : x;
        key = (struct key){wide ? 0 : 1, allocated(16), wide ? 16 : 8};
        store64(key.data, (uint64_t)x);
        store64(key.data + 8, (uint64_t)(x >> 64));
    }
    return key;
}

static uint64_t hash_of(struct hashing by, struct key key) {
    if (key.form == 1) return hash_integer(by, load(key.data, 8));
    return key.form == 0 ? hash_bytes(by, key.data, key.size) : hash_frame(by, key.data, key.size);
}

static bool is_refused(const uint8_t *data, size_t size, const uint8_t *secret) {
    /* In memory of exactly this size, so that the sanitizer sees a read beyond it. */
    uint8_t *copy = allocated(size);
    memcpy(copy, data, size);
    struct filter filter;
    bool wrong = filter_read(&filter, copy, size, secret) != NULL;
    filter_free(&filter);
    free(copy);
    return wrong;
}

static void check_list(const char *name, int kind, uint64_t cells, uint64_t probes, uint64_t hash, const struct json *list) {
    uint64_t found[64];
    filter_positions(kind, cells, probes, hash, found);
    const struct json *at = list->first;
    for (uint64_t i = 0; i < probes; i++, at = at->next)
        expect(at && word_of(at, 10) == found[i], "position %d of %016llx in %s", (int)i, (unsigned long long)hash, name);
    expect(!at, "as many positions in %s", name);
    positions++;
}

static bool is_listed(const struct json *list, uint64_t number) {
    for (const struct json *at = list ? list->first : NULL; at; at = at->next)
        if (word_of(at, 10) == number) return true;
    return false;
}

static void check_lookups(const char *name, const struct filter *filter, const struct json *entry, const struct json *sets) {
    uint64_t number = 0;
    const struct json *holds = json_get(entry, "holds"), *of;
    for (const struct json *set = holds ? holds->first : NULL; set; set = set->next) {
        for (of = sets->first; of && strncmp(json_get(of, "name")->text, set->text, set->size + 1); of = of->next) {}
        expect(of != NULL, "the set of %s", name);
        for (of = json_get(of, "keys")->first; of; of = of->next, number++, lookups++) {
            struct key key = key_of(of);
            bool found = filter_contains(filter, hash_of(filter->by, key));
            expect(found != is_listed(json_get(entry, "forgotten"), number), "%s: key %d", name, (int)number);
            free(key.data);
        }
    }
    for (int i = 0; i < 2; i++) {
        const struct json *group = json_get(entry, i ? "absent" : "numbered"), *maybe = json_get(group, "maybe");
        for (number = 0; group && number < word_of(json_get(group, "count"), 10); number++, lookups++) {
            char key[64];
            const struct json *prefix = json_get(group, "prefix");
            int size = snprintf(key, sizeof key, "%.*s %d", (int)prefix->size, prefix->text, (int)number);
            enum answer says = !maybe || is_listed(maybe, number) ? MAYBE : NO;
            expect(filter_lookup(filter, (uint8_t *)key, (size_t)size) == says, "%s: %s", name, key);
        }
    }
    const struct json *list = json_get(entry, "lookups");
    for (const struct json *at = list ? list->first : NULL; at; at = at->next, lookups++) {
        const struct json *parts = json_get(at, "parts"), *says = json_get(at, "says");
        size_t size;
        uint8_t *key = unhex(parts->first, &size);
        enum answer got = parts->first->next ? REFUSED : filter_lookup(filter, key, size);
        expect(json_is(says, (const char *[]){"no", "maybe", "refused"}[got]), "%s: lookup of %.*s", name, (int)size, key);
        free(key);
    }
}

static void check_file(const char *kit, const struct json *entry, const struct json *sets) {
    size_t size, secret_size;
    uint8_t *data = read_file(kit, json_get(entry, "file"), &size);
    const struct json *key = json_get(entry, "secret"), *file = json_get(entry, "file");
    uint8_t *secret = key ? unhex(key, &secret_size) : NULL;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)file->size, file->text);
    const struct json *section = json_get(entry, "sections")->first;
    if (section->next) {
        expect(json_is(section->next->first, "recipe") && is_refused(data, size, secret), "%s is refused", name);
        left_out++, free(secret), free(data);
        return;
    }
    struct filter filter;
    const char *wrong = filter_read(&filter, data, size, secret);
    expect(!wrong, "%s: %s", name, wrong);
    files++;
    expect(filter.file.kind == kind_of(json_get(entry, "kind")), "%s: its kind", name);
    expect(filter.file.open == (json_get(entry, "open") != NULL), "%s: whether it is open", name);
    const struct json *field = json_get(entry, "fields")->first;
    for (size_t i = 0; i < filter.file.field_count; i++, field = field->next)
        expect(field && json_is(field->first, filter.file.fields[i].name) &&
               word_of(field->first->next->next, 16) == filter.file.fields[i].value, "%s: field %d", name, (int)i);
    check_lookups(name, &filter, entry, sets);
    const struct json *reads = json_get(entry, "reads");
    for (reads = reads ? reads->first : NULL; reads; reads = reads->next)
        if (json_get(reads, "cells"))
            check_list(name, filter.file.kind, filter.sizes[0], filter.sizes[1], word_of(json_get(reads, "hash"), 16),
                       json_get(reads, "cells"));
    for (size_t at = 0; at < size && !filter.file.open; at += size < 1000 ? 1 : 7 * (1 + size / 20000), changed += 2) {
        expect(is_refused(data, at, secret), "%s: refused up to byte %d", name, (int)at);
        data[at] ^= (uint8_t)(1 << at % 8);
        expect(is_refused(data, size, secret), "%s: refused with byte %d changed", name, (int)at);
        data[at] ^= (uint8_t)(1 << at % 8);
    }
    filter_free(&filter), free(secret), free(data);
}

int main(int count, char **args) {
    expect(count == 2, "one argument: the folder of vectors.json");
    size_t size;
    struct json name = {0, NULL, "vectors.json", 12, NULL, NULL, NULL};
    const char *text = (const char *)read_file(args[1], &name, &size);
    const struct json *vectors = json_parse(&text), *at;
    expect(word_of(json_get(vectors, "version"), 10) == 1, "version 1");
    for (at = json_get(vectors, "hashes")->first; at; at = at->next) {
        const struct json *seed = json_get(vectors, "seeds")->first, *value = json_get(at, "values")->first;
        struct key key = key_of(json_get(at, "key"));
        for (; seed; seed = seed->next, value = value->next, hashes++) {
            size_t secret_size;
            const struct json *secret = json_get(seed, "secret");
            uint8_t *data = secret ? unhex(secret, &secret_size) : NULL;
            struct hashing by = {word_of(json_get(seed, "seed"), 16), data};
            expect(value && hash_of(by, key) == word_of(value, 16), "hash %lu", hashes);
            free(data);
        }
        free(key.data);
    }
    for (at = json_get(vectors, "positions")->first; at; at = at->next) {
        int kind = kind_of(json_get(at, "kind"));
        const struct json *cells = json_get(at, kind == 2 ? "lines" : "bits");
        uint64_t probes = word_of(json_get(at, "probes"), 10), hash = word_of(json_get(at, "hash"), 16);
        if (kind) check_list(KINDS[kind - 1], kind, word_of(cells, 10), probes, hash, json_get(at, "positions"));
    }
    for (at = json_get(vectors, "files")->first; at; at = at->next)
        if (kind_of(json_get(at, "kind"))) check_file(args[1], at, json_get(vectors, "sets"));
    for (at = json_get(vectors, "refused")->first; at; at = at->next, refused++) {
        uint8_t *data = read_file(args[1], json_get(at, "file"), &size);
        expect(is_refused(data, size, NULL), "%.*s is refused", (int)json_get(at, "file")->size, json_get(at, "file")->text);
        free(data);
    }
    expect(hashes && positions && files && lookups && refused && changed && left_out, "something was checked");
    printf("c: %lu hashes, %lu positions, %lu files, %lu lookups, %lu refused, %lu changed, %lu left out: all as expected\n",
           hashes, positions, files, lookups, refused, changed, left_out);
    return 0;
}
