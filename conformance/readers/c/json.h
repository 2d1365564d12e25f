/* Reads the JSON of the vectors, which has no escapes in its texts and no fractions in its numbers. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json {
    char type;        /* `{`, `[`, `"`, or 0 for a number or true */
    const char *name; /* in an object, ends with a quote */
    const char *text; /* of a text or a number: where it begins */
    size_t size;
    struct json *first, *next, *before;
};

struct json *json_parse(const char **text); /* for good: nothing is freed */
const struct json *json_get(const struct json *object, const char *name); /* NULL if it has none */
bool json_is(const struct json *text, const char *expected);

#endif
