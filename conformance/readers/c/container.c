/* The container of an anther file: header, fields, sections, checksums. Of every kind. */
#include "anther.h"

#include <string.h>

static bool is_zero(const uint8_t *from, const uint8_t *to) {
    while (from < to)
        if (*from++) return false;
    return true;
}

static bool is_name(const char *name, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (!(name[i] == '.' || (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'a' && name[i] <= 'z'))) return false;
    return size > 0;
}

/* Reads `count` entries at `*at`; false if one does not fit before `end`, or is not allowed. */
static bool entries(struct entry *found, size_t count, const uint8_t **at, const uint8_t *end) {
    if (count > MAX_ENTRIES) return false;
    for (size_t i = 0; i < count; i++) {
        if (end - *at < 1 || end - *at < **at + 10) return false;
        size_t size = **at;
        memset(&found[i], 0, sizeof found[i]);
        memcpy(found[i].name, *at + 1, size);
        *at += size + 10;
        found[i].form = (*at)[-9];
        found[i].value = load(*at - 8, 8);
        if (!is_name(found[i].name, size)) return false;
        for (size_t j = 0; j < i; j++)
            if (strcmp(found[i].name, found[j].name) == 0) return false;
    }
    return true;
}

/* A closed file has the checksum of its header; an open one another, without the value of `inserted`. */
static bool is_header(struct container *file, const uint8_t *data, size_t end, const uint8_t *first) {
    uint8_t blank[65536];
    if (load(data + end, 8) == xxh3(data, end, 0)) return true;
    if (file->kind < 1 || file->kind > 3 || !file->field_count || strcmp(file->fields[0].name, "inserted")) return false;
    memcpy(blank, data, end);
    memset(blank + (first - data) + 10, 0, 8); /* after the length, the name and the type */
    file->open = true;
    return load(data + end, 8) == xxh3(blank, end, 0x6E65706F);
}

const char *container_parse(struct container *file, const uint8_t *data, size_t size) {
    memset(file, 0, sizeof *file);
    if (size < 64 || memcmp(data, "\x89" "ANT\r\n\x1a\n", 8)) return "no anther file";
    if (load(data + 8, 2) != 1) return "version";
    size_t header = load(data + 12, 4), end = header - 8;
    if (header % 64 || header < 64 || header > 65536 || header > size) return "length of the header";
    file->kind = (int)load(data + 10, 2), file->hash = (int)load(data + 16, 2), file->seed = load(data + 24, 8);
    file->field_count = load(data + 18, 2), file->section_count = load(data + 20, 2);
    file->recipe = data + 32, file->recipe_size = load(data + 22, 2);
    if (file->recipe_size > end - 32) return "length of the recipe";
    const uint8_t *at = data + 32 + file->recipe_size, *first = at;
    if (!entries(file->fields, file->field_count, &at, data + end)) return "fields";
    if (!entries(file->sections, file->section_count, &at, data + end)) return "sections";
    if (data + end - at >= 64 || !is_zero(at, data + end)) return "padding of the header";
    if (!is_header(file, data, end, first)) return "checksum of the header";
    uint8_t sums[8 * (MAX_ENTRIES + 2)];
    size_t begin = header, count = file->section_count;
    memcpy(sums, data + end, 8);
    for (size_t i = 0; i < count; i++) {
        struct entry *section = &file->sections[i];
        if (section->form > 1 || section->value % 8 || section->value > size - begin) return "length of a section";
        section->row = data + begin;
        size_t after = begin + section->value;
        begin = (after + 63) / 64 * 64;
        if (begin > size || !is_zero(data + after, data + begin)) return "padding of a section";
        store64(sums + 8 * (i + 1), xxh3(section->row, section->value, 0));
    }
    if (size - begin != 8 * (count + 1)) return "length of the file";
    store64(sums + 8 * (count + 1), xxh3(sums, 8 * (count + 1), 0));
    /* Of an open file the cells change, and so do the first and the last word of the footer. */
    size_t skip = file->open && count > 0 ? 8 : 0;
    if (memcmp(sums + 8 + skip, data + begin + skip, 8 * (count + 1) - 2 * skip)) return "checksum of a section";
    return NULL;
}
